//! A placement of all groups with the load and the bytes of every device, kept up while groups move.

use super::board::{AFTER, BEFORE, Board, GroupId, MOMENTS, Site};
use super::least::Needed;
use super::timeline::Timelines;
use crate::squeeze::{Room, missed, over};

/// A placement.
#[derive(Clone)]
pub(super) struct State<'a> {
    board: &'a Board,
    site: &'a Site,
    place: Vec<u32>,
    /// `ends[net * devices + device]`.
    ends: Vec<u32>,
    /// Devices a net has ends on.
    spread: Vec<u32>,
    load: Vec<f64>,
    /// `[hold * devices + device]`: groups that need it before and after its moment.
    before: Vec<u32>,
    after: Vec<u32>,
    /// What a device holds throughout, and at every moment besides.
    resident: Vec<f64>,
    live: Vec<[f64; MOMENTS]>,
    /// The same while each item runs, where groups are single items: then moments do not count, and holds that are not resident.
    timelines: Option<Timelines>,
    counted_holds: usize,
    /// What no plan of a device can do without; nothing where no cap can bind.
    needed: Vec<Needed>,
}

/// What a device counts as slower by where no plan keeps its cap, as a share of the loads it is compared with: at all, and for as much again as the cap.
/// A little over the cap is little at high temperatures, so that a search gets across.
const IMPOSSIBLE: f64 = 0.15;
const IMPOSSIBLE_SHARE: f64 = 8.0;

/// A device with its memory priced in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    /// Its load with what it holds above its cap priced in.
    pub(super) seconds: f64,
    /// By what share the least it needs is over its cap: 0 where a plan may keep it.
    pub(super) over: f64,
}

impl Pressed {
    /// What the device counts for where loads are compared with this one. One that no plan can bring under its cap counts as slower, however
    /// little it runs: else it would be left with little.
    pub(super) fn counted(self, scale_seconds: f64) -> f64 {
        match self.over > 0.0 {
            true => self.seconds.max(scale_seconds) * (1.0 + IMPOSSIBLE + IMPOSSIBLE_SHARE * self.over),
            false => self.seconds,
        }
    }
}

/// What a placement is worth: is no cap out of reach, the slowest device, and what it counts as where caps are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// Smaller is better.
    pub(super) value: f64,
    /// The slowest device, memory priced in where a plan may keep its cap: what loads are to be compared with.
    pub(super) seconds: f64,
}

/// A placement with a cap out of reach is worse than any without.
const OUT_OF_REACH: f64 = 1e6;

impl Worth {
    /// Of the load and what memory makes of it on every device.
    pub(super) fn of(devices: impl Iterator<Item = (f64, Pressed)>) -> Self {
        let (mut seconds, mut slowest, mut missing) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE, 1.0);
        for (load, pressed) in devices {
            seconds = seconds.max(if pressed.over > 0.0 { load } else { pressed.seconds });
            slowest = slowest.max(pressed.seconds);
            missing *= missed(pressed.over);
        }
        Worth { value: if missing > 1.0 { OUT_OF_REACH * missing * slowest } else { slowest }, seconds }
    }
}

impl<'a> State<'a> {
    /// Counts up a placement.
    pub(super) fn new(board: &'a Board, site: &'a Site, placement: &[u32]) -> Self {
        let devices = site.devices;
        let mut state = State {
            board,
            site,
            place: placement.to_vec(),
            ends: vec![0; board.nets.len() * devices],
            spread: vec![0; board.nets.len()],
            load: vec![0.0; devices],
            before: vec![0; board.hold_bytes.len() * devices],
            after: vec![0; board.hold_bytes.len() * devices],
            resident: vec![0.0; devices],
            live: vec![[0.0; MOMENTS]; devices],
            timelines: board
                .lifetimes
                .as_ref()
                .map(|lifetimes| Timelines::new(lifetimes, devices, placement)),
            counted_holds: if board.lifetimes.is_some() { board.resident } else { board.hold_bytes.len() },
            needed: vec![Needed::default(); if site.caps.is_some() { devices } else { 0 }],
        };
        for net in 0..board.nets.len() {
            for &group in board.ends.of(net) {
                state.ends[net * devices + placement[group as usize] as usize] += 1;
            }
            let counts = &state.ends[net * devices..(net + 1) * devices];
            state.spread[net] = counts.iter().filter(|&&count| count > 0).count() as u32;
        }
        for (group, &device) in placement.iter().enumerate() {
            for &entry in board.holds_of.of(group) {
                let at = (entry / 4) as usize * devices + device as usize;
                state.before[at] += u32::from(entry & BEFORE != 0);
                state.after[at] += u32::from(entry & AFTER != 0);
            }
            if let Some(needed) = state.needed.get_mut(device as usize) {
                needed.add(&board.needs, group);
            }
        }
        for hold in 0..board.resident {
            for device in (0..devices).filter(|&device| state.holds(hold, device)).collect::<Vec<_>>() {
                state.needed[device].hold(board.hold_bytes[hold]);
            }
        }
        state.recount();
        state
    }

    /// Sums loads and bytes anew, which clears the rounding that moves leave behind.
    pub(super) fn recount(&mut self) {
        let devices = self.site.devices;
        self.load.fill(0.0);
        self.resident.fill(0.0);
        self.live.fill([0.0; MOMENTS]);
        for group in 0..self.board.groups {
            let device = self.device_of(group);
            self.load[device] += self.seconds(group, device);
        }
        for net in 0..self.board.nets.len() {
            self.charge(net, 1.0);
        }
        for (hold, &bytes) in self.board.hold_bytes.iter().enumerate().take(self.counted_holds) {
            for device in 0..devices {
                if self.holds(hold, device) {
                    match hold < self.board.resident {
                        true => self.resident[device] += bytes,
                        false => {
                            let span = self.board.moments_of[hold].moments();
                            self.live[device][span].iter_mut().for_each(|live| *live += bytes);
                        }
                    }
                }
            }
        }
    }

    fn holds(&self, hold: usize, device: usize) -> bool {
        let at = hold * self.site.devices + device;
        self.before[at] > 0 && self.after[at] > 0
    }

    fn seconds(&self, group: GroupId, device: usize) -> f64 {
        self.board.seconds[group * self.board.rows + self.site.row_of[device]]
    }

    /// Adds (or with -1 takes back) the transfers of a net.
    fn charge(&mut self, net: usize, sign: f64) {
        if self.spread[net] < 2 {
            return;
        }
        let devices = self.site.devices;
        let counts = &self.ends[net * devices..(net + 1) * devices];
        if self.site.uniform {
            let seconds = sign * self.board.net_seconds[net];
            for (load, _) in self.load.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
                *load += seconds;
            }
            return;
        }
        let values = &self.board.nets[net];
        let maker = self.place[values.writer as usize] as usize;
        let mut slowest = 0.0f64;
        for device in (0..devices).filter(|&device| device != maker && counts[device] > 0) {
            let seconds = self.site.seconds(maker, device, values);
            slowest = slowest.max(seconds);
            self.load[device] += sign * seconds;
        }
        self.load[maker] += sign * slowest;
    }

    pub(super) fn board(&self) -> &'a Board {
        self.board
    }

    pub(super) fn devices(&self) -> usize {
        self.site.devices
    }

    pub(super) fn device_of(&self, group: GroupId) -> usize {
        self.place[group] as usize
    }

    pub(super) fn placement(&self) -> &[u32] {
        &self.place
    }

    pub(super) fn loads(&self) -> &[f64] {
        &self.load
    }

    /// What a device holds at the fullest of the moments, bytes.
    pub(super) fn held(&self, device: usize) -> f64 {
        self.held_with(device, 0.0, &[0.0; MOMENTS])
    }

    /// The same with so much more.
    fn held_with(&self, device: usize, resident: f64, live: &[f64; MOMENTS]) -> f64 {
        if let Some(timelines) = &self.timelines {
            return self.resident[device] + resident + timelines.most(device);
        }
        let sums = self.live[device].iter().zip(live).map(|(live, more)| live + more);
        self.resident[device] + resident + sums.fold(0.0, f64::max)
    }

    /// The least bytes any plan of a device needs; 0 where no cap can bind.
    fn least(&self, device: usize) -> f64 {
        self.needed.get(device).map_or(0.0, |needed| needed.bytes(&self.board.needs))
    }

    fn pressed(&self, device: usize, load: f64, held: f64, least: f64) -> Pressed {
        match &self.site.caps {
            Some(caps) => {
                let held = held + caps.unseen[device];
                let room = Room { held, least, cap: caps.cap[device] };
                let over = over(least, room.cap, caps.most[device]);
                Pressed { seconds: room.pressed(load, caps.rate[device]), over }
            }
            None => Pressed { seconds: load, over: 0.0 },
        }
    }

    /// What the placement is worth.
    pub(super) fn worth(&self) -> Worth {
        Worth::of((0..self.site.devices).map(|device| (self.load[device], self.pressed_now(device))))
    }

    /// What moving a group adds to loads and bytes of its device and of `to`, where links are alike.
    pub(super) fn change(&mut self, group: GroupId, to: usize) -> Change {
        let mut change = self.added(group, to);
        self.hold_exactly(group, to, &mut change);
        change
    }

    /// Makes what both devices of a move would hold exact.
    pub(super) fn hold_exactly(&mut self, group: GroupId, to: usize, change: &mut Change) {
        let from = self.device_of(group);
        if let (Some(timelines), Some(lifetimes)) = (&mut self.timelines, &self.board.lifetimes) {
            let (on_from, on_to) = timelines.after(lifetimes, group, to as u32);
            change.held_from = self.resident[from] + change.resident_from + on_from;
            change.held_to = self.resident[to] + change.resident_to + on_to;
        }
    }

    /// Is it known what devices hold while each item runs? That takes longer to find out than what a move adds to loads.
    pub(super) fn exact(&self) -> bool {
        self.timelines.is_some()
    }

    /// The same as [`State::change`], where that is exact with the least that both devices may hold after it alone: cheap to find out.
    pub(super) fn added(&self, group: GroupId, to: usize) -> Change {
        let from = self.device_of(group);
        let devices = self.site.devices;
        let (mut on_from, mut on_to) = (-self.seconds(group, from), self.seconds(group, to));
        for &net in self.board.nets_of.of(group) {
            let net = net as usize;
            let seconds = self.board.net_seconds[net];
            let leaves = self.ends[net * devices + from] == 1;
            let arrives = self.ends[net * devices + to] == 0;
            match (self.spread[net], leaves, arrives) {
                (1, true, _) => {}
                (1, false, _) => {
                    on_from += seconds;
                    on_to += seconds;
                }
                (spread, leaves, arrives) => {
                    if leaves {
                        on_from -= seconds;
                    }
                    if arrives {
                        on_to += seconds;
                    } else if leaves && spread == 2 {
                        on_to -= seconds;
                    }
                }
            }
        }
        let (mut resident_from, mut resident_to) = (0.0, 0.0);
        let (mut live_from, mut live_to) = ([0.0; MOMENTS], [0.0; MOMENTS]);
        for &entry in self.board.holds_of.of(group) {
            let hold = (entry / 4) as usize;
            if hold >= self.counted_holds {
                break;
            }
            let (bytes, span) = (self.board.hold_bytes[hold], self.board.moments_of[hold].moments());
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            let at =
                |device: usize| (self.before[hold * devices + device], self.after[hold * devices + device]);
            let (before, after) = at(from);
            if before > 0 && after > 0 && (before == early || after == late) {
                match hold < self.board.resident {
                    true => resident_from -= bytes,
                    false => live_from[span.clone()].iter_mut().for_each(|live| *live -= bytes),
                }
            }
            let (before, after) = at(to);
            if !(before > 0 && after > 0) && before + early > 0 && after + late > 0 {
                match hold < self.board.resident {
                    true => resident_to += bytes,
                    false => live_to[span].iter_mut().for_each(|live| *live += bytes),
                }
            }
        }
        let mut change = Change {
            on_from,
            on_to,
            resident_from,
            resident_to,
            live_from,
            live_to,
            held_from: 0.0,
            held_to: 0.0,
        };
        let gone = self.board.lifetimes.as_ref().map_or(0.0, |lifetimes| lifetimes.bytes_of(group));
        change.held_from = self.held_with(from, resident_from, &live_from) - gone;
        change.held_to = self.held_with(to, resident_to, &live_to);
        change
    }

    /// Both devices of a move after it, with what they hold priced in, where links are alike.
    pub(super) fn pressed_after(&self, group: GroupId, to: usize, change: &Change) -> (Pressed, Pressed) {
        let from = self.device_of(group);
        let (least_from, least_to) = match self.needed.is_empty() {
            true => (0.0, 0.0),
            false => (
                self.needed[from].without(&self.board.needs, group, change.resident_from),
                self.needed[to].with(&self.board.needs, group, change.resident_to),
            ),
        };
        let (on_from, on_to) = (self.load[from] + change.on_from, self.load[to] + change.on_to);
        (
            self.pressed(from, on_from, change.held_from, least_from),
            self.pressed(to, on_to, change.held_to, least_to),
        )
    }

    /// How much more is held over the caps after a move, as a share of them: from -1 to 1.
    pub(super) fn more_over(&self, from: usize, to: usize, change: &Change) -> f32 {
        let Some(caps) = &self.site.caps else { return 0.0 };
        let over = |device: usize, held: f64| {
            ((held + caps.unseen[device]) / caps.cap[device].max(1.0) - 1.0).max(0.0)
        };
        let on = |device: usize, held: f64| over(device, held) - over(device, self.held(device));
        let more = on(from, change.held_from) + on(to, change.held_to);
        more.clamp(-1.0, 1.0) as f32
    }

    /// The load of a device as it is, with what it holds priced in.
    pub(super) fn pressed_now(&self, device: usize) -> Pressed {
        self.pressed(device, self.load[device], self.held(device), self.least(device))
    }

    /// Moves a group to another device.
    pub(super) fn relocate(&mut self, group: GroupId, to: usize) {
        self.relocate_but_timelines(group, to);
        self.settle(group);
    }

    /// Brings what is known of what devices hold up to where a group is.
    pub(super) fn settle(&mut self, group: GroupId) {
        if let (Some(timelines), Some(lifetimes)) = (&mut self.timelines, &self.board.lifetimes) {
            timelines.shift(lifetimes, group, self.place[group]);
        }
    }

    /// The least a device counts for, whatever it holds.
    pub(super) fn least_pressed(&self, device: usize) -> Pressed {
        self.pressed(device, self.load[device], f64::NEG_INFINITY, self.least(device))
    }

    /// Moves a group; what devices hold while each item runs is not known until it is settled or back.
    pub(super) fn relocate_but_timelines(&mut self, group: GroupId, to: usize) {
        let from = self.device_of(group);
        if from == to {
            return;
        }
        let devices = self.site.devices;
        let board = self.board;
        let change = self.added(group, to);
        self.resident[from] += change.resident_from;
        self.resident[to] += change.resident_to;
        if self.timelines.is_none() {
            for moment in 0..MOMENTS {
                self.live[from][moment] += change.live_from[moment];
                self.live[to][moment] += change.live_to[moment];
            }
        }
        if !self.needed.is_empty() {
            self.needed[from].hold(change.resident_from);
            self.needed[from].remove(&board.needs, group);
            self.needed[to].hold(change.resident_to);
            self.needed[to].add(&board.needs, group);
        }
        if self.site.uniform {
            self.load[from] += change.on_from;
            self.load[to] += change.on_to;
        } else {
            self.load[from] -= self.seconds(group, from);
            self.load[to] += self.seconds(group, to);
            for &net in board.nets_of.of(group) {
                self.charge(net as usize, -1.0);
            }
        }
        for &net in board.nets_of.of(group) {
            let net = net as usize;
            let counts = &mut self.ends[net * devices..(net + 1) * devices];
            counts[from] -= 1;
            self.spread[net] -= u32::from(counts[from] == 0);
            self.spread[net] += u32::from(counts[to] == 0);
            counts[to] += 1;
        }
        self.place[group] = to as u32;
        if !self.site.uniform {
            for &net in board.nets_of.of(group) {
                self.charge(net as usize, 1.0);
            }
        }
        for &entry in board.holds_of.of(group) {
            let hold = (entry / 4) as usize;
            if hold >= self.counted_holds {
                break;
            }
            let hold = hold * devices;
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            self.before[hold + from] -= early;
            self.before[hold + to] += early;
            self.after[hold + from] -= late;
            self.after[hold + to] += late;
        }
    }

    /// Puts the loads back to what they were before moves that have been taken back; bytes are whole numbers, whose sums are exact.
    pub(super) fn restore(&mut self, load: &[f64]) {
        self.load.copy_from_slice(load);
    }
}

/// What a move of one group adds to its device and to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) on_from: f64,
    pub(super) on_to: f64,
    /// Bytes held from start to end, and at every moment besides.
    pub(super) resident_from: f64,
    pub(super) resident_to: f64,
    pub(super) live_from: [f64; MOMENTS],
    pub(super) live_to: [f64; MOMENTS],
    /// What both hold at most after it.
    pub(super) held_from: f64,
    pub(super) held_to: f64,
}

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::{Cluster, DeviceId};
    use ballast_core::graph::{Graph, Op, OpId, Tensor};
    use ballast_core::program::Program;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::board::Caps;
    use super::*;
    use crate::items::Items;
    use crate::loads::Links;
    use crate::sequence::{Granularity, Order};

    /// Ops that read some of those before them, and an argument each.
    fn random_graph(random: &mut ChaCha8Rng, ops: usize) -> Graph {
        let mut graph = Graph { name: "random".into(), ..Graph::default() };
        let tensor = |producer, bytes, returned| Tensor {
            producer,
            index: 0,
            bytes: Bytes(bytes),
            returned,
            type_name: "value".into(),
        };
        graph.tensors.push(tensor(None, random.random_range(1..20), false));
        for id in 0..ops {
            let inputs: Vec<usize> = (0..3).map(|_| random.random_range(0..graph.tensors.len())).collect();
            let bytes = random.random_range(1..20);
            graph.tensors.push(tensor(Some(OpId(id)), bytes, random.random_bool(0.1)));
            graph.ops.push(Op::new(format!("op{id}"), inputs, vec![id + 1]));
        }
        graph
    }

    #[test]
    fn caps_out_of_reach_count_for_more_than_any_time_and_by_their_number() {
        let worth = |devices: &[(f64, f64, f64)]| {
            let of = |&(load, seconds, over): &(f64, f64, f64)| (load, Pressed { seconds, over });
            Worth::of(devices.iter().map(of))
        };
        let kept = worth(&[(1.0, 40.0, 0.0), (2.0, 2.0, 0.0)]);
        let missed = worth(&[(1.0, 1.5, 0.001), (2.0, 2.0, 0.0)]);
        assert!(kept.value < missed.value, "{kept:?} {missed:?}");
        assert_eq!((kept.value, kept.seconds), (40.0, 40.0));
        // Loads are compared with what a device without a plan is busy for, not with what memory would cost it.
        assert_eq!(worth(&[(1.0, 20.0, 0.1), (2.0, 2.0, 0.0)]).seconds, 2.0);
        // Two caps out of reach for a tenth less time are no gain, for half of it they are.
        let two = |seconds: f64| worth(&[(1.0, seconds, 0.001), (1.0, seconds, 0.001)]).value;
        assert!(missed.value < two(1.8) && two(1.0) < missed.value);
        // However little a device runs that can keep no plan, it counts for more than the loads it is compared with.
        let idle = Pressed { seconds: 0.01, over: 0.01 };
        assert!(idle.counted(2.0) > 2.0 && idle.counted(2.0) < Pressed { over: 0.5, ..idle }.counted(2.0));
        assert_eq!(Pressed { over: 0.0, ..idle }.counted(2.0), 0.01);
    }

    #[test]
    fn an_item_that_fits_nowhere_widens_the_caps_of_its_own_device() {
        let mut graph = random_graph(&mut ChaCha8Rng::seed_from_u64(5), 12);
        graph.ops[4].workspace = Bytes(1000);
        let costs = Costs { seconds: vec![vec![1.0; 12]; 3] };
        let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), 3);
        let placed: Vec<DeviceId> = (0..12).map(|op| DeviceId(op % 3)).collect();
        let of = |placement| {
            Caps::new(&items.sequence, ((&[500; 3], &[0.1; 3]), f64::INFINITY), None, placement).cap
        };
        let item = items.ops.ops.iter().position(|&op| op == OpId(4)).expect("a planned op");
        let wide: Vec<bool> = of(Some(&placed[..])).iter().map(|&cap| cap > 500.0).collect();
        assert_eq!(wide, [0, 1, 2].map(|device| device == item % 3));
        assert!(of(None).iter().all(|&cap| cap > 1000.0), "none is known to run it");
    }

    #[test]
    fn what_is_held_is_kept_up_while_items_move_and_is_what_stages_hold() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..60 {
            let (ops, devices) = (random.random_range(8..60), 3);
            let graph = random_graph(&mut random, ops);
            let costs = Costs { seconds: vec![vec![1.0; ops]; devices] };
            let cluster = Cluster::from_count(devices).expect("devices");
            let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
            let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), devices);
            let links = Links::new(&cluster);
            let caps = Caps::new(&items.sequence, ((&[50; 3], &[0.1; 3]), f64::INFINITY), None, None);
            let site = Site::new(&items.sequence.row_of, &links, Some(caps));
            let board = Board::of(&items.sequence, &site, true);
            let mut state = State::new(&board, &site, &vec![0; ops]);
            for _ in 0..200 {
                let (item, to) = (random.random_range(0..ops), random.random_range(0..devices));
                let from = state.device_of(item);
                let least = state.added(item, to);
                let change = state.change(item, to);
                state.relocate(item, to);
                if from != to {
                    assert_eq!([change.held_from, change.held_to], [state.held(from), state.held(to)]);
                    assert!(least.held_from <= change.held_from && least.held_to <= change.held_to);
                }
            }
            let anew = State::new(&board, &site, state.placement());
            // Merged groups know some moments alone.
            let all: Vec<usize> = (0..ops).collect();
            let merged = board.quotient(&site, &all, ops);
            let merged = State::new(&merged, &site, state.placement());
            let placed: Vec<DeviceId> = state.placement().iter().map(|&d| DeviceId(d as usize)).collect();
            let stages = program.stages(&items.place(&graph, &placed));
            for (device, stage) in stages.iter().enumerate() {
                let peak = stage.problem.unplanned_peak() as f64;
                assert_eq!([state.held(device), anew.held(device)], [peak; 2]);
                assert!(merged.held(device) <= peak, "{} of {peak}", merged.held(device));
            }
        }
    }
}
