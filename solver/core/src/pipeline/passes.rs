//! The passes of one micro-batch under a plan: which of its runs and copies belong to which, what each takes, and what it
//! leaves on the device.
//!
//! A plan is about one micro-batch in program order; a schedule runs its passes apart, each in program order. What is made again or copied back
//! belongs to the pass of the node before which it stands. Every run of a node and every copy back makes a value of its own, read by what comes
//! after it up to the next one as the passes run: what the half for weights reads is there until then. A pass ends when its own copies have ended.

use crate::memory::pool::Pool;
use crate::memory::{NodeId, Problem, ReplayError, Schedule, Step, SwapModel};
use crate::pipeline::data::{Data, DataBytes};
use crate::pipeline::schedule::Pass;

/// What a pass of one micro-batch takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PassCost {
    pub(super) seconds: f64,
    /// Most bytes of the micro-batch while it runs.
    pub(super) peak_bytes: u64,
    /// Bytes of the micro-batch after it.
    pub(super) left_bytes: u64,
}

/// A run or a copy, and the events whose values it reads.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) step: Step,
    /// The node's first run.
    pub(super) first: bool,
    pub(super) reads: Vec<usize>,
}

/// The runs and copies of a schedule, in its order.
pub(super) fn events(problem: &Problem, schedule: &Schedule) -> Vec<Event> {
    let mut events = untied(problem, schedule);
    tie(problem, &mut events);
    events
}

/// The runs and copies of a schedule, in its order, before it is known what they read.
fn untied(problem: &Problem, schedule: &Schedule) -> Vec<Event> {
    let mut ran = vec![false; problem.nodes.len()];
    let steps = schedule.steps.iter().filter(|step| !matches!(step, Step::Free(_) | Step::HostFree(_)));
    let event = |&step: &Step| {
        let first = matches!(step, Step::Compute(node) if !std::mem::replace(&mut ran[node], true));
        Event { step, first, reads: Vec::new() }
    };
    steps.map(event).collect()
}

/// Lets every event read what was made last before it.
fn tie(problem: &Problem, events: &mut [Event]) {
    let n = problem.nodes.len();
    // The events that made what of a node is on the device, and on the host.
    let (mut device, mut host): (Vec<Option<usize>>, Vec<Option<usize>>) = (vec![None; n], vec![None; n]);
    for (index, event) in events.iter_mut().enumerate() {
        let node = event.step.node();
        event.reads = match event.step {
            Step::Compute(_) => {
                problem.nodes[node].inputs.iter().filter_map(|&input| device[input]).collect()
            }
            Step::SwapOut(_) => device[node].into_iter().collect(),
            Step::SwapIn(_) => host[node].into_iter().collect(),
            Step::Free(_) | Step::HostFree(_) => Vec::new(),
        };
        let made = if matches!(event.step, Step::SwapOut(_)) { &mut host } else { &mut device };
        made[node] = Some(index);
    }
}

/// The events of the passes, in the order in which they run, each with its pass. `boundary`: the first node of the backward pass. Nodes that `weights` names
/// first run in its half for weights. None: the backward pass is not split.
fn in_passes(
    problem: &Problem,
    schedule: &Schedule,
    (boundary, weights): (usize, Option<&[bool]>),
) -> (Vec<Pass>, Vec<Event>) {
    let events = untied(problem, schedule);
    let of_node = |node: NodeId| match (node.0 < boundary, weights.is_some_and(|weights| weights[node.0])) {
        (true, _) => Pass::Forward,
        (false, true) => Pass::Weights,
        (false, false) => Pass::Backward,
    };
    let mut passes = vec![Pass::Backward; events.len()];
    // What is made again, or copied back, stands before a node's first run.
    let mut next = Pass::Backward;
    for (index, event) in events.iter().enumerate().rev() {
        if event.first {
            next = of_node(event.step.node());
        }
        passes[index] = next;
    }
    // A copy to the host stands after one, and after what it copies was made.
    let (mut previous, mut made) = (Pass::Forward, vec![Pass::Forward; problem.nodes.len()]);
    for (index, event) in events.iter().enumerate() {
        let node = event.step.node();
        match event.step {
            Step::SwapOut(_) => passes[index] = previous.max(made[node]),
            _ => made[node] = passes[index],
        }
        if event.first {
            previous = passes[index];
        }
    }
    let mut ordered: Vec<(Pass, Event)> = passes.into_iter().zip(events).collect();
    ordered.sort_by_key(|&(pass, _)| pass);
    let (passes, mut events): (Vec<Pass>, Vec<Event>) = ordered.into_iter().unzip();
    tie(problem, &mut events);
    (passes, events)
}

/// Plays the passes of one micro-batch, one after the other, on a device without a limit; the costs of the forward pass, the backward pass and its
/// half for weights, and the data held.
///
/// # Errors
/// Where the host has no room for what is on it, or sums do not fit in 64 bits.
pub(super) fn play_passes(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    (boundary, weights): (usize, Option<&[bool]>),
    data: &Data,
) -> Result<([PassCost; 3], DataBytes), ReplayError> {
    let (passes, events) = in_passes(problem, schedule, (boundary, weights));
    let refused = |index: usize, reason: &str| {
        let node = events[index].step.node();
        Err(ReplayError { step: index, node: Some(node), reason: format!("node {node} {reason}") })
    };
    for (index, event) in events.iter().enumerate() {
        let reads = match event.step {
            Step::Compute(node) => problem.nodes[node].inputs.len(),
            _ => 1,
        };
        if event.reads.len() < reads {
            return refused(index, "reads what is not there yet when its pass runs");
        }
    }
    let runs = events.iter().zip(&passes).filter_map(|(event, &pass)| match event.step {
        Step::Compute(node) => Some((node.0, pass)),
        _ => None,
    });
    let plain = events.iter().all(|event| event.first);
    let data = data.bytes(runs, plain);
    // Readers that are yet to come, of what every event makes.
    let mut readers = vec![0usize; events.len()];
    events.iter().flat_map(|event| &event.reads).for_each(|&read| readers[read] += 1);
    let mut player = Player::new(problem, swap, &events, readers);
    player.device.used = data.stash;
    let mut costs = [PassCost::default(); 3];
    let mut next = (0..events.len()).peekable();
    for (cost, pass) in costs.iter_mut().zip([Pass::Forward, Pass::Backward, Pass::Weights]) {
        let start = player.now;
        player.device.peak = player.device.used;
        while let Some(index) = next.next_if(|&index| passes[index] == pass) {
            player.take(index).map_err(|reason| {
                let node = events[index].step.node();
                ReplayError { step: index, node: Some(node), reason }
            })?;
        }
        player.end_pass();
        player.device.used -= match pass {
            Pass::Forward => 0,
            Pass::Backward => data.stash - data.deferred,
            Pass::Weights => data.deferred,
        };
        *cost = PassCost {
            seconds: player.now - start,
            peak_bytes: player.device.peak,
            left_bytes: player.device.used,
        };
    }
    Ok((costs, data))
}

/// The same engines as those of [`crate::memory::replay()`], for values of events instead of nodes.
struct Player<'a> {
    problem: &'a Problem,
    swap: Option<&'a SwapModel>,
    events: &'a [Event],
    readers: Vec<usize>,
    device: Pool,
    host: Pool,
    /// When what an event makes may be read, and when what it made may go.
    ready: Vec<f64>,
    busy: Vec<f64>,
    now: f64,
    /// When the last claim of host memory was met.
    claimed: f64,
    out_free: f64,
    in_free: f64,
}

impl<'a> Player<'a> {
    fn new(
        problem: &'a Problem,
        swap: Option<&'a SwapModel>,
        events: &'a [Event],
        readers: Vec<usize>,
    ) -> Self {
        Player {
            problem,
            swap,
            events,
            readers,
            device: Pool::new(0, None),
            host: Pool::new(0, swap.and_then(|swap| swap.host_capacity_bytes)),
            ready: vec![0.0; events.len()],
            busy: vec![0.0; events.len()],
            now: 0.0,
            claimed: 0.0,
            out_free: 0.0,
            in_free: 0.0,
        }
    }

    fn take(&mut self, index: usize) -> Result<(), String> {
        let event = &self.events[index];
        let bytes = self.problem.nodes[event.step.node()].bytes;
        match event.step {
            Step::Compute(node) => self.compute(index, node)?,
            Step::SwapOut(_) => {
                let from = self.now.max(self.claimed);
                self.claimed =
                    self.host.claim(from, bytes).map_err(|needed| self.no_room("host", index, needed))?;
                let read = event.reads.iter().map(|&read| self.ready[read]).fold(0.0, f64::max);
                let seconds = self.swap.map_or(0.0, |swap| swap.out_time(bytes));
                self.out_free = self.claimed.max(self.out_free).max(read) + seconds;
                self.copied(index, self.out_free);
            }
            Step::SwapIn(_) => {
                let from = self.now.max(self.claimed);
                self.claim_device(index, from, bytes)?;
                let read = event.reads.iter().map(|&read| self.ready[read]).fold(0.0, f64::max);
                let seconds = self.swap.map_or(0.0, |swap| swap.in_time(bytes));
                self.in_free = from.max(self.in_free).max(read) + seconds;
                self.copied(index, self.in_free);
            }
            Step::Free(_) | Step::HostFree(_) => {}
        }
        for &read in &event.reads {
            self.readers[read] -= 1;
            self.drop_unread(read);
        }
        self.drop_unread(index);
        Ok(())
    }

    fn compute(&mut self, index: usize, node: NodeId) -> Result<(), String> {
        let what = &self.problem.nodes[node];
        let inputs = self.events[index].reads.iter().map(|&read| self.ready[read]);
        let start = inputs.fold(self.now.max(self.claimed), f64::max);
        self.claim_device(index, start, what.bytes.saturating_add(what.workspace_bytes))?;
        self.now = start + what.time;
        self.device.release(self.now, self.now, what.workspace_bytes);
        self.ready[index] = self.now;
        Ok(())
    }

    /// A copy that ends at `end` was issued.
    fn copied(&mut self, index: usize, end: f64) {
        self.ready[index] = end;
        self.busy[index] = end;
        for &read in &self.events[index].reads {
            self.busy[read] = self.busy[read].max(end);
        }
        if self.swap.is_some_and(|swap| !swap.overlap) {
            self.now = end;
        }
    }

    fn claim_device(&mut self, index: usize, from: f64, bytes: u64) -> Result<(), String> {
        self.device.claim(from, bytes).map(|_| ()).map_err(|needed| self.no_room("device", index, needed))
    }

    fn no_room(&self, place: &str, index: usize, needed: u64) -> String {
        let node = self.events[index].step.node();
        let label = &self.problem.nodes[node].label;
        match self.host.limit.filter(|_| place == "host") {
            Some(limit) => {
                format!("node {node} ('{label}') needs {needed} bytes on the host, which has {limit}")
            }
            None => format!("node {node} ('{label}') needs more than 2^64 bytes on the {place}"),
        }
    }

    /// Lets go what an event made, where nothing reads it any more.
    fn drop_unread(&mut self, index: usize) {
        if self.readers[index] > 0 {
            return;
        }
        let step = self.events[index].step;
        let bytes = self.problem.nodes[step.node()].bytes;
        let until = self.ready[index].max(self.busy[index]);
        match step {
            Step::SwapOut(_) => self.host.release(self.now, until, bytes),
            _ => self.device.release(self.now, until, bytes),
        }
    }

    /// Waits for the copies.
    fn end_pass(&mut self) {
        self.now = self.now.max(self.out_free).max(self.in_free);
        self.device.settle(self.now);
        self.host.settle(self.now);
    }
}
