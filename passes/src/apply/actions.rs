//! What a rewritten program does, op by op: the steps of every device merged into one order, with barriers where a copy
//! must not run before its time. Plain data; [`super::emit`] writes it as IR.

use std::collections::BTreeMap;

use ballast_core::device::DeviceId;
use ballast_core::fusion::Group;
use ballast_core::graph::{Graph, OpId, OpRole, TensorId};
use ballast_core::memory::{Schedule, Step};
use ballast_core::stage::{NodeSource, Stage};

/// Values a barrier waits for at most: programs stay linear in the number of repeated ops.
const WIDEST_BARRIER: usize = 256;

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
/// even those that are stored besides. `eager` says which ops the back end would start on long before their turn.
///
/// A device waits for a value from another one until that has computed it; among devices that do not wait, the one
/// whose next op is first in program order goes on.
pub(crate) fn merge(
    graph: &Graph,
    reads: &[Vec<TensorId>],
    groups: &[Group],
    eager: &[bool],
    stages: &[Stage],
    schedules: &[Schedule],
) -> Result<Vec<Action>, ActionError> {
    let mut merger = Merger::new(graph, reads, groups, eager, stages);
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
            op: stage.sources[node_of(step)].op(),
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
    for (tensor, info) in graph.tensors.iter().enumerate().filter(|(_, info)| info.returned) {
        let Some(producer) = info.producer else { continue };
        if graph.ops[producer].role == OpRole::Compute {
            continue;
        }
        let device = match graph.storage(tensor) {
            ballast_core::graph::Storage::Op(op) => device_of[op],
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
    found_behind(graph, tensors, &[], |op| &graph.ops[op].inputs)
}

/// The same, with planned ops that run again for this reader, ascending; `reads` says what an op of the program reads.
fn found_behind<'g>(
    graph: &'g Graph,
    tensors: &[TensorId],
    again: &[OpId],
    reads: impl Fn(OpId) -> &'g [TensorId],
) -> Vec<OpId> {
    let mut found = Vec::new();
    let mut pending = tensors.to_vec();
    while let Some(tensor) = pending.pop() {
        if let Some(producer) = graph.tensors[tensor].producer
            && (graph.ops[producer].role != OpRole::Compute || again.binary_search(&producer).is_ok())
            && !found.contains(&producer)
        {
            found.push(producer);
            pending.extend(reads(producer));
        }
    }
    found.sort_unstable();
    found
}

fn node_of(step: Step) -> usize {
    let (Step::Compute(node)
    | Step::Free(node)
    | Step::SwapOut(node)
    | Step::SwapIn(node)
    | Step::HostFree(node)) = step;
    node
}

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
        let mut turn = vec![OpId::MAX; schedule.steps.len()];
        let mut seen = vec![false; stage.sources.len()];
        let first_runs: Vec<bool> = schedule
            .steps
            .iter()
            .map(|&step| matches!(step, Step::Compute(node) if !std::mem::replace(&mut seen[node], true)))
            .collect();
        let mut next = OpId::MAX;
        for (at, &step) in schedule.steps.iter().enumerate().rev() {
            if let (true, NodeSource::Op(op)) = (first_runs[at], stage.sources[node_of(step)]) {
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
    arguments: BTreeMap<TensorId, Moment>,
    /// When each op last ran here.
    ran: BTreeMap<OpId, Moment>,
}

impl Memory {
    fn put(&mut self, op: OpId, moment: Moment) {
        self.drop_value(op);
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
    fn present(&self) -> impl Iterator<Item = Held> + '_ {
        self.by_moment.values().rev().flatten().map(|&op| Held::Value(op)).take(WIDEST_BARRIER)
    }
}

struct Merger<'p> {
    graph: &'p Graph,
    /// By op: what it reads in the program.
    reads: &'p [Vec<TensorId>],
    /// By op: those fused into it.
    members: BTreeMap<OpId, &'p [OpId]>,
    /// By op: would the back end start on it long before its turn?
    eager: &'p [bool],
    /// By device.
    memories: Vec<Memory>,
    /// Is the op's value read on another device?
    crosses: Vec<bool>,
    /// Has the op's value been copied to the host for other devices?
    sent: Vec<bool>,
    actions: Vec<Action>,
}

impl<'p> Merger<'p> {
    fn new(
        graph: &'p Graph,
        reads: &'p [Vec<TensorId>],
        groups: &'p [Group],
        eager: &'p [bool],
        stages: &[Stage],
    ) -> Self {
        let mut crosses = vec![false; graph.ops.len()];
        for source in stages.iter().flat_map(|stage| &stage.sources) {
            if let NodeSource::Receive(op) = *source {
                crosses[op] = true;
            }
        }
        let devices = stages.iter().map(|stage| stage.device + 1).max().unwrap_or(0);
        Merger {
            graph,
            reads,
            members: groups.iter().map(|group| (group.root, group.members.as_slice())).collect(),
            eager,
            memories: (0..devices).map(|_| Memory::default()).collect(),
            crosses,
            sent: vec![false; graph.ops.len()],
            actions: Vec::new(),
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
        let source = stage.sources[node_of(step)];
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
        let travellers = found_behind(self.graph, &self.reads[op], members, |op| &self.reads[op]);
        self.check_inputs(device, op, &travellers)?;
        let again = self.memories[device].ran.get(&op).copied();
        if let Some(last_run) = again {
            self.hold_back(device, op, last_run);
        } else if self.eager[op] {
            self.wait_for_turn(device, op);
        }
        self.push(device, What::Run { op, travellers });
        let moment = self.now();
        self.memories[device].put(op, moment);
        self.memories[device].ran.insert(op, moment);
        if self.crosses[op] && !self.sent[op] {
            self.sent[op] = true;
            self.push(device, What::Store(Held::Sent(op)));
        }
        Ok(())
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

    /// Puts a barrier before a repeated run, unless an input already comes after everything the run has to wait for.
    fn hold_back(&mut self, device: DeviceId, op: OpId, last_run: Moment) {
        let memory = &self.memories[device];
        let values = self.graph.value_inputs(op);
        let arguments = self.graph.argument_inputs(op);
        let since = values
            .iter()
            .filter_map(|input| memory.values.get(input))
            .chain(arguments.iter().filter_map(|argument| memory.arguments.get(argument)))
            .max()
            .copied()
            .unwrap_or(0);
        if since >= memory.newest() && since > last_run {
            return;
        }
        let mut held: Vec<Held> = if values.is_empty() {
            arguments.into_iter().map(Held::Argument).collect()
        } else {
            values.into_iter().map(Held::Value).collect()
        };
        if held.is_empty() {
            // Nothing to hold back: the op reads constants alone.
            return;
        }
        held.extend(memory.present());
        self.barrier(device, held);
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
        let newest = memory.present().next().filter(|_| !reads_values && !held.is_empty());
        if newest.is_some() || held.iter().any(|&(_, moment)| moment != held[0].1) {
            self.barrier(device, held.into_iter().map(|(held, _)| held).chain(newest).collect());
        }
    }

    fn barrier(&mut self, device: DeviceId, mut held: Vec<Held>) {
        held.sort_unstable();
        held.dedup();
        self.push(device, What::Barrier(held.clone()));
        let moment = self.now();
        for held in held {
            match held {
                Held::Value(op) => self.memories[device].put(op, moment),
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
            let held = std::iter::once(from).chain(self.memories[device].present()).collect();
            self.barrier(device, held);
        }
        self.push(device, What::Load(from));
        let moment = self.now();
        self.memories[device].put(op, moment);
        self.memories[device].ran.insert(op, moment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballast_core::cost::Costs;
    use ballast_core::device::Cluster;
    use ballast_core::graph::{Arithmetic, LayerType, Op, Rules, Tensor, Work};
    use ballast_core::memory::{CompactPlan, expand};
    use ballast_core::stage::stages;
    use ballast_core::units::Bytes;

    /// Op i makes tensor `arguments + i` of four bytes.
    fn graph(arguments: usize, ops: &[(&[TensorId], OpRole)], returned: TensorId) -> Graph {
        let work =
            Work { flops: 0, macs_exact: 0, arithmetic: Arithmetic::F32, bytes: Bytes(0), priced: true };
        let op = |(id, &(inputs, role)): (usize, &(&[TensorId], OpRole))| Op {
            name: format!("op{id}"),
            key: String::new(),
            location: String::new(),
            inputs: inputs.to_vec(),
            outputs: vec![arguments + id],
            role,
            layer: LayerType::Other,
            opens_layer: false,
            work,
            pure_op: true,
            backward: None,
            workspace: Bytes::ZERO,
            rules: Rules::default(),
        };
        let tensor = |index: usize| Tensor {
            producer: index.checked_sub(arguments),
            index: 0,
            bytes: Bytes(4),
            returned: index == returned,
            type_name: String::new(),
        };
        Graph {
            name: "main".into(),
            ops: ops.iter().enumerate().map(op).collect(),
            tensors: (0..arguments + ops.len()).map(tensor).collect(),
            ..Graph::default()
        }
    }

    fn actions(graph: &Graph, device_of: &[DeviceId], plans: &[CompactPlan]) -> Vec<Action> {
        let cluster = Cluster::from_count(plans.len()).unwrap();
        let costs = Costs { seconds: vec![vec![1.0; graph.ops.len()]; plans.len()] };
        let stages = stages(graph, &costs, &cluster, device_of);
        let schedules: Vec<Schedule> =
            stages.iter().zip(plans).map(|(stage, plan)| expand(&stage.problem, plan).unwrap()).collect();
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        merge(graph, &reads, &[], &vec![false; graph.ops.len()], &stages, &schedules).unwrap()
    }

    fn run(op: OpId, travellers: &[OpId]) -> What {
        What::Run { op, travellers: travellers.to_vec() }
    }

    fn on_device_0(actions: Vec<Action>) -> Vec<What> {
        actions.into_iter().map(|action| action.what).collect()
    }

    use OpRole::{Compute, Constant, View};

    #[test]
    fn a_repeated_run_waits_for_the_newest_value() {
        // x -> a -> b -> c; d reads a and c.
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
        let plan = CompactPlan { recompute: vec![(3, 0)], ..CompactPlan::default() };
        let expected = [
            run(0, &[]),
            run(1, &[]),
            run(2, &[]),
            What::Barrier(vec![Held::Value(2), Held::Argument(0)]),
            run(0, &[]),
            run(3, &[]),
        ];
        assert_eq!(on_device_0(actions(&graph, &[0; 4], &[plan])), expected);
    }

    #[test]
    fn a_chain_of_repeated_runs_needs_one_barrier() {
        // x -> a -> b -> c -> d; d reads b too: a and b run again before d.
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[2, 3], Compute)], 4);
        let plan = CompactPlan { recompute: vec![(3, 0), (3, 1)], ..CompactPlan::default() };
        let barriers = on_device_0(actions(&graph, &[0; 4], &[plan]));
        assert_eq!(
            barriers.iter().filter(|what| matches!(what, What::Barrier(_))).count(),
            1,
            "{barriers:?}"
        );
    }

    #[test]
    fn what_would_start_early_waits_for_its_last_operand_or_the_newest_value() {
        // x -> a -> b -> c; d reads a and c, and the back end copies a for it. Alone, a would run first anyway.
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
        let costs = Costs { seconds: vec![vec![1.0; 4]] };
        let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[0; 4]);
        let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        let barriers = |eager: [bool; 4]| -> Vec<What> {
            let merged =
                merge(&graph, &reads, &[], &eager, &stages, std::slice::from_ref(&schedule)).unwrap();
            merged
                .into_iter()
                .map(|action| action.what)
                .filter(|what| matches!(what, What::Barrier(_)))
                .collect()
        };
        let together = What::Barrier(vec![Held::Value(0), Held::Value(2)]);
        assert_eq!(barriers([false, false, false, true]), [together]);
        // The only operand of c is there when c runs; a comes first of all.
        assert_eq!(barriers([true, false, true, false]), []);
    }

    #[test]
    fn a_value_that_comes_back_waits_for_the_values_that_are_there() {
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
        let plan = CompactPlan { swap_out: vec![(0, 0)], swap_in: vec![(3, 0)], ..CompactPlan::default() };
        let expected = [
            run(0, &[]),
            What::Store(Held::Swapped(0)),
            run(1, &[]),
            run(2, &[]),
            What::Barrier(vec![Held::Value(2), Held::Swapped(0)]),
            What::Load(Held::Swapped(0)),
            run(3, &[]),
        ];
        assert_eq!(on_device_0(actions(&graph, &[0; 4], &[plan])), expected);
    }

    #[test]
    fn views_and_constants_are_cloned_with_each_reader() {
        // a; v = view of a; k constant; two readers of v and k.
        let ops: [(&[TensorId], OpRole); 5] =
            [(&[0], Compute), (&[1], View), (&[], Constant), (&[2, 3], Compute), (&[2, 3, 4], Compute)];
        let graph = graph(1, &ops, 2);
        let expected = [run(0, &[]), run(3, &[1, 2]), run(4, &[1, 2])];
        assert_eq!(on_device_0(actions(&graph, &[0; 5], &[CompactPlan::default()])), expected);
        assert_eq!(returned(&graph, &[0; 5]), Returned { travellers: vec![(0, 1)] });
    }

    #[test]
    fn a_value_crosses_devices_over_the_host_after_it_is_made() {
        // a on device 1, b on device 0 reads it.
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute)], 2);
        let merged = actions(&graph, &[1, 0], &[CompactPlan::default(), CompactPlan::default()]);
        let expected = [
            Action { device: 1, what: run(0, &[]) },
            Action { device: 1, what: What::Store(Held::Sent(0)) },
            Action { device: 0, what: What::Load(Held::Sent(0)) },
            Action { device: 0, what: run(1, &[]) },
        ];
        assert_eq!(merged, expected);
    }

    #[test]
    fn a_schedule_that_reads_what_is_gone_is_refused() {
        let graph = graph(1, &[(&[0], Compute), (&[1], Compute)], 2);
        let cluster = Cluster::from_count(1).unwrap();
        let stages = stages(&graph, &Costs { seconds: vec![vec![1.0; 2]] }, &cluster, &[0, 0]);
        let steps = vec![Step::Compute(0), Step::Free(0), Step::Compute(1)];
        let reads = [vec![0], vec![1]];
        let error = merge(&graph, &reads, &[], &[false; 2], &stages, &[Schedule { steps }]).unwrap_err();
        assert_eq!(error.op, 1);
        assert!(error.reason.contains("op 0"), "{error}");
    }
}
