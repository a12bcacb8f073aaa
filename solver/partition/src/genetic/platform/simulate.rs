//! A pipelined batch through placed layers, event by event.
//!
//! Every item of the batch passes the layers in order. Between two layers on different devices it is one
//! message, sent whole over each link of the route before the next link takes it (store and forward); a link
//! carries one message at a time and others wait in the order of their arrival.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::units::Bytes;
use serde::{Deserialize, Serialize};

use super::topology::Platform;
use crate::genetic::LayerTable;

/// How a batch is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Items, at least 1; all wait at the first layer's device at the start.
    pub items: u32,
    /// May a device compute while its messages move? Otherwise it is busy while it sends over its first link
    /// and while it receives from a switch, as a process with blocking sends and receives is.
    pub overlap: bool,
    /// Does a device finish all its layers of one item before it takes up the next? Otherwise it takes up
    /// whatever is there, earlier items first.
    pub in_order: bool,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { items: 50, overlap: false, in_order: false }
    }
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Seconds until the last item is through.
    pub seconds: f64,
    /// Seconds until the first item is through: `full` of the closed form.
    pub first_item_seconds: f64,
    /// Mean seconds from one item to the next: `part` of the closed form; 0 for a batch of 1.
    pub per_item_seconds: f64,
    /// Seconds each device was busy, with computing and (without overlap) with messages.
    pub busy_seconds: Vec<f64>,
}

/// Runs a batch. `placement` has a device of the platform for every layer of the table.
#[must_use]
pub fn simulate(platform: &Platform, table: &LayerTable, placement: &[DeviceId], batch: &Batch) -> Run {
    let world = World::started(platform, table, placement, *batch);
    world.run_on(|| false).unwrap_or_default()
}

/// As [`simulate()`], but none once the deadline is over: the batch may have a million items.
#[must_use]
pub fn simulate_within(
    platform: &Platform,
    table: &LayerTable,
    placement: &[DeviceId],
    batch: &Batch,
    deadline: &Deadline,
) -> Option<Run> {
    if deadline.over() {
        return None;
    }
    World::started(platform, table, placement, *batch).run_on(|| deadline.over())
}

/// Events between two looks at the clock.
const EVENTS_PER_LOOK: u64 = 1 << 14;

/// What a finished world came to.
fn outcome(world: World<'_>) -> Run {
    let batch = world.batch;
    let later = f64::from(batch.items.saturating_sub(1));
    let first = world.finished.first().copied().unwrap_or(0.0);
    let last = world.finished.last().copied().unwrap_or(0.0);
    Run {
        seconds: last,
        first_item_seconds: first,
        per_item_seconds: if later > 0.0 { (last - first) / later } else { 0.0 },
        busy_seconds: world.busy_seconds,
    }
}

/// What a device does for one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// Take the layer's input off the last link.
    Receive,
    /// Compute the layer.
    Compute,
    /// Put the layer's output on the first link.
    Send,
}

/// An item between layer - 1 and `layer`, about to take hop `hop` of its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    item: u32,
    layer: usize,
    hop: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Happening {
    /// A device is through with a task.
    Done(DeviceId, u32, usize, Task),
    /// A link can take its next message.
    Free(usize),
    /// A message has left a link.
    Across(Message),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    at: f64,
    /// Events of one moment happen in the order they were planned.
    number: u64,
    what: Happening,
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.total_cmp(&other.at).then(self.number.cmp(&other.number))
    }
}

struct World<'a> {
    platform: &'a Platform,
    table: &'a LayerTable,
    placement: &'a [DeviceId],
    batch: Batch,
    events: BinaryHeap<Reverse<Event>>,
    planned: u64,
    /// Tasks a device could start, earlier items first.
    waiting: Vec<BTreeSet<(u32, usize, Task)>>,
    busy: Vec<bool>,
    busy_seconds: Vec<f64>,
    /// For `in_order`: the layers of each device, and how many (item, layer) of them are done.
    own: Vec<Vec<usize>>,
    done: Vec<usize>,
    queues: Vec<VecDeque<Message>>,
    carrying: Vec<bool>,
    finished: Vec<f64>,
}

impl<'a> World<'a> {
    fn new(platform: &'a Platform, table: &'a LayerTable, placement: &'a [DeviceId], batch: Batch) -> Self {
        let devices = platform.devices();
        let mut own = vec![Vec::new(); devices];
        for (layer, &device) in placement.iter().enumerate() {
            own[device].push(layer);
        }
        World {
            platform,
            table,
            placement,
            batch,
            events: BinaryHeap::new(),
            planned: 0,
            waiting: vec![BTreeSet::new(); devices],
            busy: vec![false; devices],
            busy_seconds: vec![0.0; devices],
            own,
            done: vec![0; devices],
            queues: vec![VecDeque::new(); platform.wires().len()],
            carrying: vec![false; platform.wires().len()],
            finished: Vec::with_capacity(batch.items as usize),
        }
    }

    /// All items waiting at the first layer's device.
    fn started(
        platform: &'a Platform,
        table: &'a LayerTable,
        placement: &'a [DeviceId],
        batch: Batch,
    ) -> Self {
        let mut world = World::new(platform, table, placement, batch);
        for item in 0..batch.items {
            world.ready(item, 0, Task::Compute);
        }
        world.start(placement[0], 0.0);
        world
    }

    /// Lets everything happen; none if it is told to stop before.
    fn run_on(mut self, stop: impl Fn() -> bool) -> Option<Run> {
        let mut handled = 0_u64;
        while let Some(Reverse(event)) = self.events.pop() {
            self.handle(&event);
            handled += 1;
            if handled.is_multiple_of(EVENTS_PER_LOOK) && stop() {
                return None;
            }
        }
        Some(outcome(self))
    }

    fn plan(&mut self, at: f64, what: Happening) {
        self.planned += 1;
        self.events.push(Reverse(Event { at, number: self.planned, what }));
    }

    fn ready(&mut self, item: u32, layer: usize, task: Task) {
        self.waiting[self.placement[layer]].insert((item, layer, task));
    }

    fn handle(&mut self, event: &Event) {
        match event.what {
            Happening::Done(device, item, layer, task) => {
                self.busy[device] = false;
                self.done_with(device, item, layer, task, event.at);
                self.start(device, event.at);
            }
            Happening::Free(link) => {
                self.carrying[link] = false;
                self.carry(link, event.at);
            }
            Happening::Across(message) => self.across(message, event.at),
        }
    }

    /// Starts the next task of an idle device, if one may start.
    fn start(&mut self, device: DeviceId, now: f64) {
        if self.busy[device] {
            return;
        }
        let Some(&(item, layer, task)) = self.waiting[device].first() else { return };
        if self.batch.in_order && (item, layer) != self.next_in_order(device) {
            return;
        }
        self.waiting[device].pop_first();
        let seconds = match task {
            Task::Compute => self.table.seconds[device][layer],
            Task::Receive => self.wire_seconds(self.route(layer).last().copied(), layer),
            Task::Send => self.wire_seconds(self.route(layer + 1).first().copied(), layer + 1),
        };
        self.busy[device] = true;
        self.busy_seconds[device] += seconds;
        self.plan(now + seconds, Happening::Done(device, item, layer, task));
    }

    fn next_in_order(&self, device: DeviceId) -> (u32, usize) {
        let own = &self.own[device];
        let done = self.done[device];
        ((done / own.len()) as u32, own[done % own.len()])
    }

    /// Wires from the device of layer - 1 to the device of `layer`.
    fn route(&self, layer: usize) -> &'a [usize] {
        self.platform.route(self.placement[layer - 1], self.placement[layer])
    }

    fn wire_seconds(&self, wire: Option<usize>, layer: usize) -> f64 {
        let bytes = Bytes(self.table.message_bytes[layer - 1]);
        wire.map_or(0.0, |id| self.platform.wires()[id].link.seconds(bytes))
    }

    fn done_with(&mut self, device: DeviceId, item: u32, layer: usize, task: Task, now: f64) {
        match task {
            Task::Receive => self.ready(item, layer, Task::Compute),
            Task::Compute => {
                let next = layer + 1;
                if next == self.placement.len() {
                    self.finished.push(now);
                    self.done[device] += 1;
                } else if self.placement[next] == device {
                    self.done[device] += 1;
                    self.ready(item, next, Task::Compute);
                } else if self.batch.overlap {
                    self.done[device] += 1;
                    self.enqueue(Message { item, layer: next, hop: 0 }, now);
                } else {
                    self.ready(item, layer, Task::Send);
                }
            }
            Task::Send => {
                self.done[device] += 1;
                self.across(Message { item, layer: layer + 1, hop: 0 }, now);
            }
        }
    }

    /// A message has come over the link of its hop.
    fn across(&mut self, message: Message, now: f64) {
        let route = self.route(message.layer);
        let next = message.hop + 1;
        let to = self.placement[message.layer];
        if next == route.len() {
            self.ready(message.item, message.layer, Task::Compute);
            self.start(to, now);
        } else if next + 1 == route.len() && !self.batch.overlap {
            self.ready(message.item, message.layer, Task::Receive);
            self.start(to, now);
        } else {
            self.enqueue(Message { hop: next, ..message }, now);
        }
    }

    fn enqueue(&mut self, message: Message, now: f64) {
        let link = self.route(message.layer)[message.hop];
        self.queues[link].push_back(message);
        self.carry(link, now);
    }

    /// Puts the next message on a free link. The link is taken for the bytes; the latency is flight.
    fn carry(&mut self, link: usize, now: f64) {
        if self.carrying[link] {
            return;
        }
        let Some(message) = self.queues[link].pop_front() else { return };
        let Some(wire) = self.platform.wires().get(link) else { return };
        let bytes = self.table.message_bytes[message.layer - 1] as f64;
        let taken = bytes / wire.link.bytes_per_second;
        self.carrying[link] = true;
        self.plan(now + taken, Happening::Free(link));
        self.plan(now + taken + wire.link.latency_seconds, Happening::Across(message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: &str = "version = 1\nswitches = ['s', 't']\n[link]\nbytes-per-second = 1e9\n\
        [[links]]\nbetween = ['d0', 's']\n[[links]]\nbetween = ['d1', 's']\n[[links]]\nbetween = ['d2', 't']\n\
        [[links]]\nbetween = ['d3', 't']\n[[links]]\nbetween = ['s', 't']\nlatency-seconds = 0.5";

    fn platform() -> Platform {
        Platform::parse(LINKS, &(0..4).map(|i| format!("d{i}")).collect::<Vec<_>>()).expect("sound")
    }

    /// Layers of one second, messages of one second a link.
    fn table(layers: usize) -> LayerTable {
        LayerTable::uniform(
            (0..layers).map(|i| i.to_string()).collect(),
            &vec![1.0; layers],
            &vec![1; layers],
            vec![100; 4],
            vec![1_000_000_000; layers - 1],
        )
    }

    fn run(placement: &[usize], batch: Batch) -> Run {
        let placement: Vec<DeviceId> = placement.iter().copied().map(DeviceId).collect();
        simulate(&platform(), &table(placement.len()), &placement, &batch)
    }

    #[test]
    fn one_device_takes_the_sum_and_sends_nothing() {
        let run = run(&[2, 2, 2], Batch { items: 4, ..Batch::default() });
        assert_eq!((run.seconds, run.first_item_seconds, run.per_item_seconds), (12.0, 3.0, 3.0));
    }

    #[test]
    fn blocking_messages_keep_both_ends_busy() {
        // d0: compute 0-1, send 1-2, compute 2-3, send 3-4. d1: receive 2-3, compute 3-4, 4-5, 5-6.
        let blocking = run(&[0, 1], Batch { items: 2, ..Batch::default() });
        assert_eq!((blocking.first_item_seconds, blocking.seconds), (4.0, 6.0));
        assert_eq!(blocking.busy_seconds, [4.0, 4.0, 0.0, 0.0]);
        // Overlapped, the second item is one second behind the first.
        let overlapped = run(&[0, 1], Batch { items: 2, overlap: true, ..Batch::default() });
        assert_eq!((overlapped.first_item_seconds, overlapped.seconds), (4.0, 5.0));
        assert_eq!(overlapped.busy_seconds, [2.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn every_hop_stores_the_message_whole() {
        // Compute 1, three links of 1 s, 0.5 s of latency between the switches, compute 1.
        let run = run(&[0, 2], Batch { items: 1, ..Batch::default() });
        assert_eq!(run.seconds, 5.5);
    }

    #[test]
    fn messages_queue_for_a_shared_link() {
        // 0 -> 2 -> 1 -> 3: layers 0->2 and 1->3 both cross from s to t. Two items, overlapped.
        // Item 0 is computed on d0 0-1, up 1-2, trunk 2-3 (+0.5), down 3.5-4.5, d2 4.5-5.5, up 5.5-6.5,
        // trunk back 6.5-7.5 (+0.5), down 8-9, d1 9-10, up 10-11, trunk 11-12 (+0.5), down 12.5-13.5, d3 14.5.
        let one = run(&[0, 2, 1, 3], Batch { items: 1, overlap: true, ..Batch::default() });
        assert_eq!(one.seconds, 14.5);
        // With many items the trunk s -> t carries two messages an item: 2 s an item once it is full.
        let many = |items| run(&[0, 2, 1, 3], Batch { items, overlap: true, ..Batch::default() }).seconds;
        assert!((many(60) - many(50) - 20.0).abs() < 1.01, "{}", many(60) - many(50));
    }

    #[test]
    fn in_order_waits_for_the_item_to_come_back() {
        // Layers 0 and 2 on d0, layer 1 on d1: in order, d0 idles while item 0 is away.
        let free = run(&[0, 1, 0], Batch { items: 6, overlap: true, in_order: false });
        let ordered = run(&[0, 1, 0], Batch { items: 6, overlap: true, in_order: true });
        assert_eq!(ordered.seconds, 6.0 * 7.0);
        assert!(free.seconds < ordered.seconds);
    }

    #[test]
    fn without_transfers_the_closed_form_holds() {
        use rand::{RngExt, SeedableRng};
        let platform = platform();
        for seed in 0..100 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let layers = rng.random_range(4..9usize);
            let mut table = table(layers);
            let seconds: Vec<f64> = (0..layers).map(|_| f64::from(rng.random_range(1..20u8))).collect();
            table.seconds = vec![seconds; 4];
            table.message_bytes = vec![0; layers - 1];
            let mut placement: Vec<DeviceId> =
                (0..layers).map(|_| DeviceId(rng.random_range(0..2))).collect();
            placement.sort_unstable();
            let items = rng.random_range(1..20);
            let closed = crate::genetic::platform::PipelineTime {
                full_seconds: table.seconds[0].iter().sum(),
                part_seconds: table.slowest(&placement),
            };
            let run =
                simulate(&platform, &table, &placement, &Batch { items, overlap: true, in_order: true });
            assert_eq!(run.seconds, closed.batch_seconds(items), "seed {seed}: {placement:?}");
        }
    }
}
