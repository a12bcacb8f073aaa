//! What a rewritten program does, op by op: the steps of every device merged into one order, with barriers where a copy
//! must not run before its time. Plain data; [`super::emit`] writes it as IR.

use std::collections::{BTreeMap, BTreeSet};

use ballast_core::device::DeviceId;
use ballast_core::fusion::Group;
use ballast_core::graph::{Backing, Graph, OpId, OpRole, TensorId};
use ballast_core::memory::{Schedule, Step};
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::units::Bytes;

use crate::backend::storage::Early;

/// Values a barrier waits for at most: programs stay linear in the number of repeated ops. Fewer where barriers would take much of the memory that a plan is for.
const WIDEST_BARRIERS: [usize; 5] = [256, 64, 16, 8, 4];
/// Bytes that XLA holds throughout for every value of a barrier: where it is, in a table that shares its memory with nothing (`BufferAssignment`; seen with jaxlib 0.10.2).
const TABLE_ENTRY: usize = 8;
/// The part of the memory of a plan, one in so many, that tables of barriers may take.
const TABLES_SHARE: u64 = 64;

/// Something a barrier holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Held {
    /// The copy of an op's value that is on the device.
    Value(OpId),
    /// An argument of the function.
    Argument(TensorId),
    /// The copy of an op's value on the host, made by its own device.
    Swapped(OpId),
    /// The copy of an op's value on the host, made for other devices.
    Sent(OpId),
}

/// One thing a device does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// The device.
    pub(crate) device: DeviceId,
    /// What it does.
    pub(crate) what: What,
}

/// What a device does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Runs the views and constants the op reads, then the op.
    Run { op: OpId, travellers: Vec<OpId> },
    /// From here on, all of these are read through one barrier.
    Barrier(Vec<Held>),
    /// Copies the op's value to the host: `Swapped` or `Sent`.
    Store(Held),
    /// Copies the op's value from the host: `Swapped` or `Sent`.
    Load(Held),
}

/// What the terminator of the function reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Returned {
    /// Views and constants to run before it, with the device they run on.
    pub(crate) travellers: Vec<(DeviceId, OpId)>,
}

/// A plan that cannot be carried out on the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct ActionError {
    /// The op concerned.
    pub(crate) op: OpId,
    /// What is wrong.
    pub(crate) reason: String,
}

/// Merges the schedules of all devices into one order of actions. `reads` has what every op of the program reads; where ops
/// are fused, an op of the graph reads what its fusion reads, and the ops fused into it run before it like constants, by `groups`
/// even those that are stored besides. `early` says what the back end would do long before its turn.
///
/// A device waits for a value from another one until that has computed it; among devices that do not wait, the one
/// whose next op is first in program order goes on. Barriers are as wide as leaves their tables a small share of what the plan holds at most, `peak`.
pub(crate) fn merge(
    graph: &Graph,
    reads: &[Vec<TensorId>],
    groups: &[Group],
    early: &[Early],
    stages: &[Stage],
    (schedules, peak): (&[Schedule], Bytes),
) -> Result<Vec<Action>, ActionError> {
    let mut merged = Vec::new();
    // What lies where a result will be waits for its turn as long as tables leave room for that.
    let ways = [true, false].map(|results_wait| WIDEST_BARRIERS.map(|widest| (widest, results_wait)));
    for barriers in ways.into_iter().flatten() {
        merged = merge_with(
            Merger::new(graph, reads, groups, early, (stages, schedules), barriers),
            stages,
            schedules,
        )?;
        let width = |action: &Action| match &action.what {
            What::Barrier(held) if held.len() > 1 => held.len(),
            _ => 0,
        };
        let tables = merged.iter().map(width).sum::<usize>() * TABLE_ENTRY;
        if tables as u64 <= peak.0 / TABLES_SHARE {
            break;
        }
    }
    Ok(merged)
}

/// The same with barriers of one width at most.
fn merge_with(
    mut merger: Merger<'_>,
    stages: &[Stage],
    schedules: &[Schedule],
) -> Result<Vec<Action>, ActionError> {
    let mut devices: Vec<Cursor<'_>> =
        stages.iter().zip(schedules).map(|(stage, schedule)| Cursor::new(stage, schedule)).collect();
    loop {
        let next = (0..devices.len())
            .filter(|&at| devices[at].next().is_some_and(|step| !merger.waits(devices[at].stage, step)))
            .min_by_key(|&at| devices[at].turn[devices[at].at]);
        let Some(at) = next else { break };
        let cursor = &mut devices[at];
        if let Some(step) = cursor.next() {
            cursor.at += 1;
            merger.take(cursor.stage, step)?;
        }
    }
    match devices.iter().find_map(|cursor| cursor.next().map(|step| (cursor.stage, step))) {
        None => Ok(merger.actions),
        Some((stage, step)) => Err(ActionError {
            op: stage.sources[step.node()].op(),
            reason: format!(
                "device {} waits for its value, and the device that makes it waits too: the orders of the stages do not fit \
                 together",
                stage.device
            ),
        }),
    }
}

/// What has to run before the terminator, given the device of every op.
pub(crate) fn returned(graph: &Graph, device_of: &[DeviceId]) -> Returned {
    let mut result = Returned::default();
    for (tensor, info) in TensorId::of(&graph.tensors).filter(|(_, info)| info.returned) {
        let Some(producer) = info.producer else { continue };
        if graph.ops[producer].role == OpRole::Compute {
            continue;
        }
        let device = match graph.backing(tensor) {
            ballast_core::graph::Backing::Op(op) => device_of[op],
            _ => device_of[producer],
        };
        result.travellers.extend(travellers(graph, &[tensor]).into_iter().map(|op| (device, op)));
    }
    result.travellers.sort_unstable();
    result.travellers.dedup();
    result
}

/// The views and constants that make `tensors` out of arguments and values of planned ops, in program order.
pub(crate) fn travellers(graph: &Graph, tensors: &[TensorId]) -> Vec<OpId> {
    found_behind(graph, tensors, (&[], &BTreeSet::new()), |op| &graph.ops[op].inputs)
}

/// The same, with planned ops that run `again` for this reader, ascending, and without constants that are `there`; `reads` says what an op of the program reads.
fn found_behind<'g>(
    graph: &'g Graph,
    tensors: &[TensorId],
    (again, there): (&[OpId], &BTreeSet<OpId>),
    reads: impl Fn(OpId) -> &'g [TensorId],
) -> Vec<OpId> {
    let mut found = BTreeSet::new();
    let mut pending = tensors.to_vec();
    while let Some(tensor) = pending.pop() {
        if let Some(producer) = graph.tensors[tensor].producer
            && (graph.ops[producer].role != OpRole::Compute || again.binary_search(&producer).is_ok())
            && !there.contains(&producer)
            && found.insert(producer)
        {
            pending.extend(reads(producer));
        }
    }
    found.into_iter().collect()
}

/// Most bytes of constants computed of constants that are made once on a device, and not for every reader: numbers. Chains of them, as the times of the steps of a loop that was
/// opened, would be made again from their beginning each time. What is larger, or spread of a number, would lie in memory from the first reader to the last.
const MOST_SHARED: u64 = 16;

/// By op: is it such a constant?
fn are_shared(graph: &Graph, reads: &[Vec<TensorId>]) -> Vec<bool> {
    let mut of_constants = vec![false; graph.ops.len()];
    OpId::of(&graph.ops)
        .map(|(id, op)| {
            of_constants[id.0] = op.role == OpRole::Constant
                && reads[id].iter().all(|&tensor| {
                    graph.tensors[tensor].producer.is_some_and(|producer| of_constants[producer.0])
                });
            let bytes = op.outputs.iter().map(|&tensor| graph.tensors[tensor].bytes).sum::<Bytes>();
            of_constants[id.0] && !reads[id].is_empty() && bytes.0 <= MOST_SHARED
        })
        .collect()
}

/// Behind every op.
const NO_OP: OpId = OpId(usize::MAX);

/// A device on its way through its schedule.
struct Cursor<'p> {
    stage: &'p Stage,
    schedule: &'p Schedule,
    at: usize,
    /// For every step, the op that runs next, whether at this step or later.
    turn: Vec<OpId>,
}

impl<'p> Cursor<'p> {
    fn new(stage: &'p Stage, schedule: &'p Schedule) -> Self {
        let mut turn = vec![NO_OP; schedule.steps.len()];
        let mut seen = vec![false; stage.sources.len()];
        let first_runs: Vec<bool> = schedule
            .steps
            .iter()
            .map(|&step| matches!(step, Step::Compute(node) if !std::mem::replace(&mut seen[node], true)))
            .collect();
        let mut next = NO_OP;
        for (at, &step) in schedule.steps.iter().enumerate().rev() {
            if let (true, NodeSource::Op(op)) = (first_runs[at], stage.sources[step.node()]) {
                next = op;
            }
            turn[at] = next;
        }
        Cursor { stage, schedule, at: 0, turn }
    }

    fn next(&self) -> Option<Step> {
        self.schedule.steps.get(self.at).copied()
    }
}

/// Counts actions: when a copy came to be, when an op last ran.
type Moment = usize;

/// What is where on one device.
#[derive(Default)]
struct Memory {
    /// When the copy of each value now on the device became readable.
    values: BTreeMap<OpId, Moment>,
    /// The same, by moment.
    by_moment: BTreeMap<Moment, Vec<OpId>>,
    /// Those that a compiler with a scheduler of its own may make before: when what they are made of was readable.
    earliest: BTreeMap<OpId, Moment>,
    arguments: BTreeMap<TensorId, Moment>,
    /// When each op last ran here.
    ran: BTreeMap<OpId, Moment>,
    /// Values that are read through a barrier.
    barred: BTreeSet<OpId>,
    /// Constants that are made once, and have been.
    constants: BTreeSet<OpId>,
}

impl Memory {
    fn put(&mut self, op: OpId, moment: Moment) {
        self.drop_value(op);
        self.barred.remove(&op);
        self.earliest.remove(&op);
        self.values.insert(op, moment);
        self.by_moment.entry(moment).or_default().push(op);
    }

    fn drop_value(&mut self, op: OpId) {
        if let Some(moment) = self.values.remove(&op)
            && let Some(list) = self.by_moment.get_mut(&moment)
        {
            list.retain(|&other| other != op);
            if list.is_empty() {
                self.by_moment.remove(&moment);
            }
        }
    }

    /// When the newest value became readable.
    fn newest(&self) -> Moment {
        self.by_moment.last_key_value().map_or(0, |(&moment, _)| moment)
    }

    /// The values that are here, newest first. A barrier that waits for all of them, and that their readers wait for, leaves a
    /// compiler no freedom to run an earlier op later or a later op earlier; waiting for the newest alone would.
    fn present(&self, widest: usize) -> impl Iterator<Item = Held> + '_ {
        self.by_moment.values().rev().flatten().map(|&op| Held::Value(op)).take(widest)
    }
}

struct Merger<'p> {
    graph: &'p Graph,
    /// By op: what it reads in the program.
    reads: &'p [Vec<TensorId>],
    /// By op: those fused into it.
    members: BTreeMap<OpId, &'p [OpId]>,
    early: &'p [Early],
    /// By device.
    memories: Vec<Memory>,
    /// By op: is it a constant that is made once on each device?
    shared: Vec<bool>,
    /// By op: does it run more than once, so that fewer ops read each of its values than in the program?
    runs_again: Vec<bool>,
    /// Is the op's value read on another device?
    crosses: Vec<bool>,
    /// Has the op's value been copied to the host for other devices?
    sent: Vec<bool>,
    actions: Vec<Action>,
    /// Values that a barrier waits for at most.
    widest: usize,
    /// Does what lies where a result will be wait for its turn?
    results_wait: bool,
}

impl<'p> Merger<'p> {
    fn new(
        graph: &'p Graph,
        reads: &'p [Vec<TensorId>],
        groups: &'p [Group],
        early: &'p [Early],
        (stages, schedules): (&[Stage], &[Schedule]),
        (widest, results_wait): (usize, bool),
    ) -> Self {
        let mut runs = vec![0_u32; graph.ops.len()];
        for (stage, schedule) in stages.iter().zip(schedules) {
            for step in schedule.steps.iter().filter(|step| matches!(step, Step::Compute(_))) {
                runs[stage.sources[step.node()].op().0] += 1;
            }
        }
        let mut crosses = vec![false; graph.ops.len()];
        for source in stages.iter().flat_map(|stage| &stage.sources) {
            if let NodeSource::Receive(op) = *source {
                crosses[op] = true;
            }
        }
        let devices = stages.iter().map(|stage| stage.device.0 + 1).max().unwrap_or(0);
        Merger {
            graph,
            reads,
            members: groups.iter().map(|group| (group.root, group.members.as_slice())).collect(),
            early,
            shared: are_shared(graph, reads),
            memories: (0..devices).map(|_| Memory::default()).collect(),
            runs_again: runs.iter().map(|&count| count > 1).collect(),
            crosses,
            sent: vec![false; graph.ops.len()],
            actions: Vec::new(),
            widest,
            results_wait,
        }
    }

    /// Does the step read a value that has not been sent yet?
    fn waits(&self, stage: &Stage, step: Step) -> bool {
        matches!(step, Step::Compute(node) if matches!(stage.sources[node], NodeSource::Receive(op) if !self.sent[op]))
    }

    fn now(&self) -> Moment {
        self.actions.len()
    }

    fn push(&mut self, device: DeviceId, what: What) {
        self.actions.push(Action { device, what });
    }

    fn take(&mut self, stage: &Stage, step: Step) -> Result<(), ActionError> {
        let source = stage.sources[step.node()];
        let (device, op) = (stage.device, source.op());
        match (step, source) {
            (Step::Compute(_), NodeSource::Op(op)) => self.run(device, op)?,
            (Step::Compute(_), NodeSource::Receive(op)) => self.load(device, op, Held::Sent(op)),
            (Step::SwapIn(_), _) => self.load(device, op, Held::Swapped(op)),
            (Step::SwapOut(_), _) => self.push(device, What::Store(Held::Swapped(op))),
            (Step::Free(_), _) => self.memories[device].drop_value(op),
            (Step::HostFree(_), _) => {}
        }
        Ok(())
    }

    fn run(&mut self, device: DeviceId, op: OpId) -> Result<(), ActionError> {
        let members = self.members.get(&op).copied().unwrap_or_default();
        let there = &self.memories[device].constants;
        let travellers = found_behind(self.graph, &self.reads[op], (members, there), |op| &self.reads[op]);
        self.memories[device].constants.extend(travellers.iter().filter(|&&op| self.shared[op.0]));
        self.check_inputs(device, op, &travellers)?;
        let again = self.memories[device].ran.get(&op).copied();
        let held;
        if let Some(last_run) = again {
            held = self.hold_back(device, op, Some(last_run));
        } else {
            let early = &self.early[op];
            let waits = early.fills_memory || early.repeats || early.fills_result && self.results_wait;
            held = waits && self.hold_back(device, op, None);
            if self.early[op].takes_operands && !held {
                self.wait_for_turn(device, op);
            }
        }
        self.make_anew(device, op, held);
        let memory = &self.memories[device];
        let early = &self.early[op];
        let alone = early.taken_alone.iter().filter(|value| self.runs_again[value.0]);
        let stored = early.computes_again.iter().chain(alone).filter(|value| !memory.barred.contains(value));
        let stored: Vec<Held> = stored.map(|&value| Held::Value(value)).collect();
        if !stored.is_empty() {
            self.barrier(device, stored);
        }
        let ready = self.ready(device, op);
        let may_run_before = ready < self.memories[device].newest();
        self.push(device, What::Run { op, travellers });
        let moment = self.now();
        self.memories[device].put(op, moment);
        if may_run_before {
            self.memories[device].earliest.insert(op, ready);
        }
        self.memories[device].ran.insert(op, moment);
        if self.crosses[op] && !self.sent[op] {
            self.sent[op] = true;
            self.push(device, What::Store(Held::Sent(op)));
        }
        Ok(())
    }

    /// Puts a barrier over what ops are made of that earlier fusions computed, too: behind it, what is made of them is another value. Where they were made
    /// again since, it is anyway, and a fusion may overwrite what it reads without a barrier between. `held`: values are behind a new one already.
    fn make_anew(&mut self, device: DeviceId, op: OpId, held: bool) {
        let ran = &self.memories[device].ran;
        let early = &self.early[op];
        let last = early.made_in.iter().filter_map(|root| ran.get(root)).max();
        let values = early.made_once.iter().filter_map(|place| match *place {
            Backing::Op(value) => (!held && ran.get(&value) < last).then_some(Held::Value(value)),
            Backing::Argument(argument) => Some(Held::Argument(argument)),
            Backing::None => None,
        });
        let values: Vec<Held> = values.collect();
        if !values.is_empty() {
            self.barrier(device, values);
        }
    }

    /// Everything the op and its travellers read must be on the device.
    fn check_inputs(&self, device: DeviceId, op: OpId, travellers: &[OpId]) -> Result<(), ActionError> {
        let readers = travellers.iter().chain(std::iter::once(&op));
        for &tensor in readers.flat_map(|&reader| &self.reads[reader]) {
            if let Some(producer) = self.graph.tensors[tensor].producer
                && self.graph.ops[producer].role == OpRole::Compute
                && !self.memories[device].values.contains_key(&producer)
                && travellers.binary_search(&producer).is_err()
            {
                let name = &self.graph.ops[producer].name;
                let reason = format!(
                    "reads the value of op {producer} ('{name}'), which the plan does not keep on device {device} until then"
                );
                return Err(ActionError { op, reason });
            }
        }
        Ok(())
    }

    /// The earliest moment at which an op may run: its inputs are there, values and arguments, or could be.
    fn ready(&self, device: DeviceId, op: OpId) -> Moment {
        let memory = &self.memories[device];
        let earliest = |input: OpId| memory.earliest.get(&input).or_else(|| memory.values.get(&input));
        let values = self.graph.value_inputs(op).into_iter().filter_map(earliest);
        let arguments = self.graph.argument_inputs(op);
        let arguments = arguments.iter().filter_map(|argument| memory.arguments.get(argument));
        values.chain(arguments).max().copied().unwrap_or(0)
    }

    /// Puts a barrier before a run, unless an input already comes after everything the run has to wait for; did it?
    fn hold_back(&mut self, device: DeviceId, op: OpId, last_run: Option<Moment>) -> bool {
        let memory = &self.memories[device];
        let values = self.graph.value_inputs(op);
        let arguments = self.graph.argument_inputs(op);
        let since = self.ready(device, op);
        if since >= memory.newest() && last_run.is_none_or(|last_run| since > last_run) {
            return false;
        }
        let mut held: Vec<Held> = values.into_iter().map(Held::Value).collect();
        // A copy of an argument would be made before all else.
        if held.is_empty() || self.early[op].takes_operands {
            held.extend(arguments.into_iter().map(Held::Argument));
        }
        if held.is_empty() {
            // Nothing to hold back: the op reads constants alone.
            return false;
        }
        held.extend(memory.present(self.widest));
        self.barrier(device, held);
        true
    }

    /// Puts a barrier over the operands of an op that would start early: copies of some operands, made as soon as these are there and
    /// held until the op runs, then wait for the last operand; an op that reads arguments alone waits for the newest value.
    fn wait_for_turn(&mut self, device: DeviceId, op: OpId) {
        let memory = &self.memories[device];
        let values = self.graph.value_inputs(op).into_iter();
        let arguments = self.graph.argument_inputs(op).into_iter();
        let held: Vec<(Held, Moment)> = values
            .map(|input| (Held::Value(input), memory.values.get(&input).copied().unwrap_or(0)))
            .chain(
                arguments
                    .map(|input| (Held::Argument(input), memory.arguments.get(&input).copied().unwrap_or(0))),
            )
            .collect();
        let reads_values = held.iter().any(|(held, _)| matches!(held, Held::Value(_)));
        let newest = memory.present(1).next().filter(|_| !reads_values && !held.is_empty());
        if newest.is_some() || held.iter().any(|&(_, moment)| moment != held[0].1) {
            self.barrier(device, held.into_iter().map(|(held, _)| held).chain(newest).collect());
        }
    }

    fn barrier(&mut self, device: DeviceId, mut held: Vec<Held>) {
        held.sort_unstable();
        held.dedup();
        self.push(device, What::Barrier(held.clone()));
        // What comes out of a barrier is as new as the newest that goes in.
        let memory = &self.memories[device];
        let newest = held.iter().map(|held| match held {
            Held::Value(op) => memory.values.get(op).copied().unwrap_or(0),
            Held::Argument(tensor) => memory.arguments.get(tensor).copied().unwrap_or(0),
            Held::Swapped(_) | Held::Sent(_) => 0,
        });
        let moment = newest.max().unwrap_or(0);
        for held in held {
            match held {
                Held::Value(op) => {
                    self.memories[device].put(op, moment);
                    self.memories[device].barred.insert(op);
                }
                Held::Argument(tensor) => {
                    self.memories[device].arguments.insert(tensor, moment);
                }
                Held::Swapped(_) | Held::Sent(_) => {}
            }
        }
    }

    /// A copy from the host starts when the values computed before it are there.
    fn load(&mut self, device: DeviceId, op: OpId, from: Held) {
        let first_receive = matches!(from, Held::Sent(_)) && !self.memories[device].ran.contains_key(&op);
        if !first_receive {
            let held = std::iter::once(from).chain(self.memories[device].present(self.widest)).collect();
            self.barrier(device, held);
        }
        self.push(device, What::Load(from));
        let moment = self.now();
        self.memories[device].put(op, moment);
        self.memories[device].ran.insert(op, moment);
    }
}

#[cfg(test)]
mod tests;
