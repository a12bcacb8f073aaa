//! From a placed program to one memory-planning problem per device.
//!
//! A device runs its ops in program order. A value made on another device is staged on the host by its maker
//! (Tarnawski et al., NeurIPS 2020, whose costs this follows: paid once by the maker and once by each reader)
//! and enters as a *receive* node just before its first reader here: it costs the link's time and holds its
//! bytes until its last reader, or is dropped and received again, which is how it is "recomputed"; a swap would
//! only copy what the host has already. The maker pays once per value, the slowest of its links. Arguments
//! (weights, inputs) are resident on every device that reads them. Where results are held throughout or do not count
//! ([`BoundaryMemory`]), a returned value takes no memory of its own: its buffer is resident, or nobody's concern.

use crate::cost::Costs;
use crate::device::{Cluster, DeviceId};
use crate::graph::{Backing, BoundaryMemory, Graph, OpId, OpRole, TensorId};
use crate::memory::{Node, NodeId, Problem};
use crate::results::Lent;
use crate::units::Bytes;

/// What a node of a stage stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeSource {
    /// This op runs here.
    Op(OpId),
    /// The value of this op, made on another device, arrives here.
    Receive(OpId),
}

impl NodeSource {
    /// The op whose value the node holds.
    #[must_use]
    pub fn op(self) -> OpId {
        match self {
            NodeSource::Op(op) | NodeSource::Receive(op) => op,
        }
    }
}

/// What one device runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The device.
    pub device: DeviceId,
    /// Its memory problem; times in seconds.
    pub problem: Problem,
    /// What each node of the problem stands for.
    pub sources: Vec<NodeSource>,
    /// Seconds of computation, every op once.
    pub compute_seconds: f64,
    /// Seconds of receiving.
    pub receive_seconds: f64,
    /// Seconds of sending.
    pub send_seconds: f64,
    /// Ops whose values are sent, with the seconds of each, in program order.
    pub sends: Vec<(OpId, f64)>,
    /// Arguments resident on this device.
    pub arguments: Vec<TensorId>,
}

impl Stage {
    /// Seconds of the stage when nothing is recomputed or swapped: compute, receive, send.
    #[must_use]
    pub fn load_seconds(&self) -> f64 {
        self.compute_seconds + self.receive_seconds + self.send_seconds
    }

    /// Does the device run nothing?
    #[must_use]
    pub fn idle(&self) -> bool {
        self.sources.is_empty()
    }
}

/// Gives views and constants the device of their first reader (they travel with it, so this is a label, not a
/// cost); without a reader, that of the op their value comes from, else device 0.
pub fn settle_views(graph: &Graph, device_of: &mut [DeviceId]) {
    settle(graph, |id| &graph.ops[id].inputs, device_of);
}

/// The same for a graph that was fused: what is computed inside a fusion has the device of that. `reads` has what every op read before.
pub fn settle_fused(graph: &Graph, reads: &[Vec<TensorId>], device_of: &mut [DeviceId]) {
    settle(graph, |id| &reads[id], device_of);
}

fn settle<'g>(graph: &Graph, reads: impl Fn(OpId) -> &'g [TensorId], device_of: &mut [DeviceId]) {
    let mut first_reader = vec![None; graph.ops.len()];
    for (id, op) in OpId::of(&graph.ops).rev() {
        let placed = match op.role {
            OpRole::Compute => Some(device_of[id]),
            OpRole::View | OpRole::Constant => first_reader[id],
        };
        if let Some(device) = placed {
            for &tensor in reads(id) {
                if let Some(producer) = graph.tensors[tensor].producer {
                    first_reader[producer] = Some(device);
                }
            }
        }
    }
    for (id, op) in OpId::of(&graph.ops) {
        if op.role == OpRole::Compute {
            continue;
        }
        let made_of = || {
            let base = op.outputs.first().map(|&tensor| graph.backing(tensor));
            let read = reads(id).first().and_then(|&tensor| graph.tensors[tensor].producer);
            match base {
                Some(Backing::Op(base)) => Some(base),
                Some(Backing::None) => read,
                Some(Backing::Argument(_)) | None => None,
            }
        };
        device_of[id] = first_reader[id].or_else(|| Some(device_of[made_of()?])).unwrap_or(DeviceId(0));
    }
}

/// Splits a placed program into stages, one per device of the cluster, idle ones included.
///
/// `device_of` names a device for every op; entries of views and constants are not read. An argument no op
/// reads is resident on device 0.
///
/// # Panics
/// When `device_of` is shorter than the op list or names a device the cluster lacks: callers check both.
#[must_use]
pub fn stages(graph: &Graph, costs: &Costs, cluster: &Cluster, device_of: &[DeviceId]) -> Vec<Stage> {
    let returned = graph.returned_ops();
    let Lent { places: in_results, runs_once } = graph.in_result_buffers_on(device_of);
    let mut builders: Vec<Builder> = DeviceId::first(cluster.devices.len()).map(Builder::new).collect();
    // Slowest link over which each value is sent, by op.
    let mut send_seconds = vec![0.0f64; graph.ops.len()];
    let mut sent = vec![false; graph.ops.len()];
    let mut node_of = vec![Vec::<(DeviceId, NodeId)>::new(); graph.ops.len()];
    let over = in_place(graph, device_of);
    // The node in whose memory the value of an op lies on the op's device.
    let mut lies_in: Vec<Option<NodeId>> = vec![None; graph.ops.len()];
    let find = |list: &[(DeviceId, NodeId)], device| list.iter().find(|(d, _)| *d == device).map(|x| x.1);

    for id in graph.planned() {
        let op = &graph.ops[id];
        let device = device_of[id];
        let mut inputs = Vec::new();
        for producer in graph.value_inputs(id) {
            let node = find(&node_of[producer], device).unwrap_or_else(|| {
                let bytes = graph.value_bytes(producer);
                let seconds = cluster.link(device_of[producer], device).seconds(bytes);
                send_seconds[producer] = send_seconds[producer].max(seconds);
                sent[producer] = true;
                let node = builders[device].receive(graph, producer, seconds, bytes);
                node_of[producer].push((device, node));
                node
            });
            inputs.push(node);
            inputs.extend(lies_in[producer].filter(|_| device_of[producer] == device));
        }
        inputs.sort_unstable();
        inputs.dedup();
        builders[device].read_arguments(graph, id);
        let (bytes, in_result) = graph.stored_bytes(id, &in_results);
        let operand = over[id].and_then(|operand| {
            let below = lies_in[operand].filter(|_| device_of[operand] == device);
            Some((find(&node_of[operand], device)?, below))
        });
        if graph.ends == BoundaryMemory::Throughout {
            builders[device].hold(in_result);
        }
        let node = Node {
            label: op.name.clone(),
            time: costs.of(device, id),
            bytes: if operand.is_some() { 0 } else { bytes.0 },
            workspace_bytes: op.workspace.0,
            inputs,
            backward: op.backward.unwrap_or(false),
            keep: returned[id],
            recomputable: op.may_run_again() && operand.is_none() && !runs_once[id],
            swappable: !op.rules.never_swap && !op.rules.must_keep && operand.is_none(),
            pinned: op.rules.must_keep,
            after: None,
        };
        if let Some((operand, below)) = operand {
            builders[device].written_over(operand);
            lies_in[id] = below.or(Some(operand));
        }
        node_of[id].push((device, builders[device].compute(id, op.pure_op, node)));
    }
    for id in graph.planned() {
        if sent[id] {
            let stage = &mut builders[device_of[id]].stage;
            stage.send_seconds += send_seconds[id];
            stage.sends.push((id, send_seconds[id]));
        }
    }
    for &(op, bytes) in &graph.early {
        builders[device_of[op]].hold(bytes);
    }
    let mut read = vec![false; graph.tensors.len()];
    for builder in &builders {
        for &argument in &builder.has_argument {
            read[argument] = true;
        }
    }
    if let Some(first) = builders.first_mut() {
        for (tensor, read) in TensorId::of(&read) {
            if !read && graph.tensors[tensor].producer.is_none() {
                first.stage.arguments.push(tensor);
            }
        }
    }
    builders.into_iter().map(|builder| builder.finish(graph)).collect()
}

/// The ops that write over an operand where they are placed: on one device with all that reads it.
fn in_place(graph: &Graph, device_of: &[DeviceId]) -> Vec<Option<OpId>> {
    let mut over: Vec<Option<OpId>> = graph.ops.iter().map(|op| op.over).collect();
    let writer: std::collections::HashMap<OpId, OpId> =
        OpId::of(&graph.ops).filter_map(|(id, op)| Some((op.over?, id))).collect();
    if writer.is_empty() {
        return over;
    }
    for id in graph.planned() {
        for read in graph.value_inputs(id) {
            if let Some(&writer) = writer.get(&read)
                && [read, id].iter().any(|&op| device_of[op] != device_of[writer])
            {
                over[writer] = None;
            }
        }
    }
    over
}

struct Builder {
    stage: Stage,
    has_argument: std::collections::BTreeSet<TensorId>,
    /// The last node with effects.
    effects: Option<NodeId>,
}

impl Builder {
    fn new(device: DeviceId) -> Self {
        let stage = Stage {
            device,
            problem: Problem::default(),
            sources: Vec::new(),
            compute_seconds: 0.0,
            receive_seconds: 0.0,
            send_seconds: 0.0,
            sends: Vec::new(),
            arguments: Vec::new(),
        };
        Builder { stage, has_argument: std::collections::BTreeSet::new(), effects: None }
    }

    /// Holds so many bytes throughout; sums stop at 2^64 - 1, which is above every memory.
    fn hold(&mut self, bytes: Bytes) {
        let held = &mut self.stage.problem.resident_bytes;
        *held = held.saturating_add(bytes.0);
    }

    fn push(&mut self, node: Node, source: NodeSource) -> NodeId {
        self.stage.problem.nodes.push(node);
        self.stage.sources.push(source);
        NodeId(self.stage.sources.len() - 1)
    }

    fn compute(&mut self, id: OpId, pure_op: bool, mut node: Node) -> NodeId {
        self.stage.compute_seconds += node.time;
        if !pure_op {
            node.after = self.effects.replace(NodeId(self.stage.sources.len()));
        }
        self.push(node, NodeSource::Op(id))
    }

    fn receive(&mut self, graph: &Graph, producer: OpId, seconds: f64, bytes: Bytes) -> NodeId {
        self.stage.receive_seconds += seconds;
        let op = &graph.ops[producer];
        let mut node = Node::new(format!("receive {}", op.name), seconds, bytes.0, []);
        node.backward = op.backward.unwrap_or(false);
        node.recomputable = !op.rules.must_keep;
        node.swappable = false;
        node.pinned = op.rules.must_keep;
        self.push(node, NodeSource::Receive(producer))
    }

    /// A value that is written over is made once and stays till then, and what reads it runs once.
    fn written_over(&mut self, value: NodeId) {
        let nodes = &mut self.stage.problem.nodes;
        (nodes[value].recomputable, nodes[value].swappable) = (false, false);
        for node in nodes.iter_mut().skip(value.0).filter(|node| node.inputs.contains(&value)) {
            node.recomputable = false;
        }
    }

    fn read_arguments(&mut self, graph: &Graph, id: OpId) {
        self.has_argument.extend(graph.argument_inputs(id));
    }

    fn finish(mut self, graph: &Graph) -> Stage {
        let arguments = std::mem::take(&mut self.has_argument);
        self.stage.arguments.extend(arguments);
        self.stage.arguments.sort_unstable();
        self.stage.arguments.dedup();
        if graph.ends != BoundaryMemory::NotCounted {
            let resident: Bytes = self.stage.arguments.iter().map(|&t| graph.tensors[t].bytes).sum();
            self.hold(resident);
        }
        self.stage.problem.name = format!("{} on device {}", graph.name, self.stage.device);
        self.stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Device, Link};
    use crate::graph::{LayerType, Op, Tensor};

    /// `inputs` name tensors; op i makes tensor `arguments + i`.
    fn op(inputs: &[usize], output: usize, role: OpRole) -> Op {
        Op { role, ..Op::new(format!("test.op{output}"), inputs.to_vec(), vec![output]) }
    }

    fn tensor(producer: Option<usize>, bytes: u64, returned: bool) -> Tensor {
        Tensor {
            producer: producer.map(OpId),
            index: 0,
            bytes: Bytes(bytes),
            returned,
            type_name: String::new(),
        }
    }

    fn cluster(devices: usize) -> Cluster {
        let link = Link { bytes_per_second: 10.0, latency_seconds: 1.0 };
        let device = Device {
            name: "d".into(),
            kind: "k".into(),
            memory: Bytes(1000),
            peak_flops: indexmap::IndexMap::new(),
            memory_bandwidth: 1.0,
            launch_overhead_seconds: 0.0,
            to_host: link,
            from_host: link,
            cores: None,
            group: None,
            slot: None,
        };
        Cluster {
            devices: vec![device; devices],
            default_link: link,
            links: vec![(DeviceId(0), DeviceId(2), Link { bytes_per_second: 5.0, latency_seconds: 1.0 })],
            host_memory: None,
        }
    }

    /// Argument w (100 B); a reads w (20 B); v is a view of a; b reads v (30 B); c reads v, b (5 B, returned).
    fn graph() -> Graph {
        Graph {
            name: "main".into(),
            ops: vec![
                op(&[0], 1, OpRole::Compute),
                op(&[1], 2, OpRole::View),
                op(&[2], 3, OpRole::Compute),
                op(&[2, 3], 4, OpRole::Compute),
            ],
            tensors: vec![
                tensor(None, 100, false),
                tensor(Some(0), 20, false),
                tensor(Some(1), 20, false),
                tensor(Some(2), 30, false),
                tensor(Some(3), 5, true),
            ],
            ..Graph::default()
        }
    }

    #[test]
    fn results_are_memory_from_when_they_are_made_or_throughout_or_not_at_all() {
        // a's view v is returned as well: its buffer is a result, 20 B; c is one of 5 B.
        let mut graph = graph();
        graph.tensors[2].returned = true;
        for (ends, resident, bytes, peak) in [
            (BoundaryMemory::ResultsWhenMade, 100, [20, 30, 5], 155),
            (BoundaryMemory::Throughout, 125, [0, 30, 0], 155),
            (BoundaryMemory::NotCounted, 0, [0, 30, 0], 30),
        ] {
            graph.ends = ends;
            let problem = &stages(&graph, &costs(1), &cluster(1), &[DeviceId(0); 4])[0].problem;
            assert_eq!(problem.resident_bytes, resident, "{ends:?}");
            assert_eq!(problem.nodes.iter().map(|node| node.bytes).collect::<Vec<_>>(), bytes);
            assert_eq!(problem.unplanned_peak(), peak);
        }
    }

    #[test]
    fn a_result_that_an_argument_is_donated_for_is_that_arguments_buffer() {
        // c reads b and, now, the argument of 100 B, and is as large.
        let mut graph = graph();
        graph.ops[3].inputs.push(TensorId(0));
        graph.ops[3].layer = LayerType::Activation;
        graph.tensors[4].bytes = Bytes(100);
        let resident = |graph: &Graph, ends, device_of: &[DeviceId; 4]| -> Vec<u64> {
            let graph = Graph { ends, ..graph.clone() };
            let stages = stages(&graph, &costs(2), &cluster(2), device_of);
            stages.iter().map(|stage| stage.problem.resident_bytes).collect()
        };
        let on_one = [DeviceId(0); 4];
        assert_eq!(resident(&graph, BoundaryMemory::Throughout, &on_one), [200, 0]);
        let bytes = |graph: &Graph| {
            let graph = Graph { ends: BoundaryMemory::NotCounted, ..graph.clone() };
            stages(&graph, &costs(1), &cluster(1), &on_one)[0].problem.nodes[1].bytes
        };
        assert_eq!(bytes(&graph), 0, "the buffer of the result holds b before");
        graph.donated = vec![(TensorId(0), TensorId(4))];
        assert_eq!(resident(&graph, BoundaryMemory::Throughout, &on_one), [100, 0]);
        assert_eq!(bytes(&graph), 30, "that of the argument does not");
        // Where nothing reads the argument the result has a buffer of its own.
        graph.ops[3].inputs.pop();
        let apart = [DeviceId(0), DeviceId(0), DeviceId(0), DeviceId(1)];
        assert_eq!(resident(&graph, BoundaryMemory::Throughout, &apart)[1], 100);
        graph.tensors[4].bytes = Bytes(99);
        assert_eq!(resident(&graph, BoundaryMemory::Throughout, &on_one), [199, 0]);
    }

    fn costs(devices: usize) -> Costs {
        Costs { seconds: vec![vec![1.0, 0.0, 2.0, 4.0]; devices] }
    }

    #[test]
    fn one_device_holds_arguments_and_looks_through_views() {
        let stages = stages(&graph(), &costs(1), &cluster(1), &[DeviceId(0); 4]);
        let problem = &stages[0].problem;
        assert_eq!(problem.resident_bytes, 100);
        assert_eq!(problem.nodes.len(), 3);
        assert_eq!(problem.nodes[2].inputs, [NodeId(0), NodeId(1)]);
        assert!(problem.nodes[2].keep && !problem.nodes[1].keep);
        assert_eq!(problem.unplanned_peak(), 155);
        assert_eq!(stages[0].load_seconds(), 7.0);
    }

    #[test]
    fn a_result_overwrites_what_only_its_op_reads() {
        // c, elementwise, alone reads b, of its own type.
        let mut graph = graph();
        graph.ops[3].layer = LayerType::Activation;
        graph.tensors[3].bytes = Bytes(5);
        let bytes = |graph: &Graph| -> Vec<u64> {
            stages(graph, &costs(1), &cluster(1), &[DeviceId(0); 4])[0]
                .problem
                .nodes
                .iter()
                .map(|node| node.bytes)
                .collect()
        };
        assert_eq!(bytes(&graph), [20, 5, 5], "results are allocated as they are made");
        graph.ends = BoundaryMemory::NotCounted;
        assert_eq!(bytes(&graph), [20, 0, 0]);
        graph.tensors[3].type_name = "another".to_owned();
        assert_eq!(bytes(&graph), [20, 5, 0]);
        graph.ops[2].layer = LayerType::Dense;
        assert_eq!(bytes(&graph), [20, 0, 0], "a product is made in the form it is read in");
        graph.ops[2].layer = LayerType::Other;
        graph.tensors[3].type_name.clear();
        graph.ops[3].layer = LayerType::Dense;
        assert_eq!(bytes(&graph), [20, 5, 0]);
    }

    #[test]
    fn a_result_lends_its_buffer_on_its_device_and_in_program_order_alone() {
        // c, elementwise, alone reads b, of its own type.
        let mut graph = graph();
        graph.ends = BoundaryMemory::NotCounted;
        graph.ops[3].layer = LayerType::Activation;
        graph.tensors[3].bytes = Bytes(5);
        let bytes = |graph: &Graph, device_of_c: usize| -> Vec<u64> {
            let device_of = [0, 0, 0, device_of_c].map(DeviceId);
            let stages = stages(graph, &costs(2), &cluster(2), &device_of);
            stages[0].problem.nodes.iter().map(|node| node.bytes).collect()
        };
        assert_eq!(bytes(&graph, 0), [20, 0, 0]);
        assert_eq!(bytes(&graph, 1), [20, 5], "the result is on the other device");
        graph.results_apart = true;
        assert_eq!(bytes(&graph, 0), [20, 5, 0]);
    }

    #[test]
    fn what_writes_over_an_operand_takes_no_memory_of_its_own() {
        // c, 30 B, writes over b, and d, 30 B, over c; e reads a and d.
        let mut graph = graph();
        graph.tensors[4] = tensor(Some(3), 30, false);
        for (id, inputs, bytes) in [(4, vec![4], 30), (5, vec![1, 5], 1)] {
            graph.ops.push(op(&inputs, id + 1, OpRole::Compute));
            graph.tensors.push(tensor(Some(id), bytes, id == 5));
        }
        let costs = Costs { seconds: vec![vec![1.0; 6]; 2] };
        let problem = |graph: &Graph, last: usize| {
            let device_of = [0, 0, 0, 0, 0, last].map(DeviceId);
            stages(graph, &costs, &cluster(2), &device_of).remove(0).problem
        };
        assert_eq!(problem(&graph, 0).unplanned_peak(), 100 + 20 + 30 + 30);
        (graph.ops[3].over, graph.ops[4].over) = (Some(OpId(2)), Some(OpId(3)));
        let whole = problem(&graph, 0);
        assert_eq!(whole.nodes.iter().map(|node| node.bytes).collect::<Vec<_>>(), [20, 30, 0, 0, 1]);
        // What is read last of all lies in b.
        assert_eq!(whole.nodes[4].inputs, [0, 1, 3].map(NodeId));
        assert_eq!(whole.unplanned_peak(), 100 + 20 + 30 + 1);
        let again: Vec<bool> = whole.nodes.iter().map(|node| node.recomputable).collect();
        assert_eq!(again, [true, false, false, false, true]);
        // Another device reads what d would write over.
        graph.ops[5].inputs.push(TensorId(4));
        graph.ops[4].over = None;
        graph.ops[5].over = Some(OpId(3));
        let apart = problem(&graph, 1);
        assert_eq!(apart.nodes.iter().map(|node| node.bytes).collect::<Vec<_>>(), [20, 30, 0, 30]);
    }

    #[test]
    fn what_has_gone_when_a_result_is_written_lies_in_its_buffer() {
        // a is read by d alone, a result written as soon as a is there, wherever it stands: a has gone when c, 25 B, is written.
        let mut graph = graph();
        graph.ops[2].inputs = vec![TensorId(0)];
        graph.ops[3].inputs = vec![TensorId(3)];
        graph.ops.push(op(&[1], 5, OpRole::Compute));
        graph.tensors.push(tensor(Some(4), 22, true));
        graph.tensors[4].bytes = Bytes(25);
        graph.ends = BoundaryMemory::NotCounted;
        let costs = Costs { seconds: vec![vec![1.0; 5]] };
        let bytes = |graph: &Graph| -> Vec<u64> {
            let stage = stages(graph, &costs, &cluster(1), &[DeviceId(0); 5]).remove(0);
            stage.problem.nodes.iter().map(|node| node.bytes).collect()
        };
        assert_eq!(bytes(&graph), [0, 30, 0, 0]);
        graph.tensors[4].bytes = Bytes(19);
        assert_eq!(bytes(&graph), [20, 30, 0, 0], "too small a buffer");
        graph.tensors[4].bytes = Bytes(25);
        graph.ops[2].inputs = vec![TensorId(1)];
        assert_eq!(bytes(&graph), [20, 30, 0, 0], "a plan may run b again, and keep a for that");
    }

    #[test]
    fn buffers_filled_early_are_resident_where_their_op_runs() {
        let mut graph = graph();
        graph.early = vec![(OpId(2), Bytes(40))];
        let stages = stages(&graph, &costs(2), &cluster(2), &[0, 0, 1, 1].map(DeviceId));
        assert_eq!([stages[0].problem.resident_bytes, stages[1].problem.resident_bytes], [100, 40]);
    }

    #[test]
    fn a_value_read_on_two_other_devices_is_received_by_each_and_sent_once_at_the_slowest_link() {
        let stages = stages(&graph(), &costs(3), &cluster(3), &[0, 9, 1, 2].map(DeviceId));
        // a (20 B): 1 + 2 = 3 s to device 1, 1 + 4 = 5 s to device 2; b (30 B): 4 s to device 2.
        assert_eq!(stages[0].send_seconds, 5.0);
        assert_eq!((stages[1].receive_seconds, stages[1].send_seconds), (3.0, 4.0));
        assert_eq!((stages[2].receive_seconds, stages[2].send_seconds), (9.0, 0.0));
        let [a, b, c] = [0, 2, 3].map(OpId);
        assert_eq!(stages[2].sources, [NodeSource::Receive(a), NodeSource::Receive(b), NodeSource::Op(c)]);
        assert!(!stages[2].problem.nodes[0].swappable, "the host has it already");
        assert_eq!(stages[1].problem.resident_bytes, 0);
    }

    #[test]
    fn an_argument_is_resident_where_it_is_read_and_nowhere_else() {
        let mut graph = graph();
        // w2 (7 B) is read by the last op alone, w3 (9 B) by none.
        graph.tensors.extend([tensor(None, 7, false), tensor(None, 9, false)]);
        graph.ops[3].inputs.push(TensorId(5));
        let stages = stages(&graph, &costs(2), &cluster(2), &[0, 0, 0, 1].map(DeviceId));
        assert_eq!(
            (stages[0].arguments.as_slice(), stages[0].problem.resident_bytes),
            (&[0, 6].map(TensorId)[..], 109)
        );
        assert_eq!(
            (stages[1].arguments.as_slice(), stages[1].problem.resident_bytes),
            (&[TensorId(5)][..], 7)
        );
    }

    #[test]
    fn views_take_the_device_of_their_first_reader() {
        let mut device_of = [0, 7, 1, 2].map(DeviceId);
        settle_views(&graph(), &mut device_of);
        assert_eq!(device_of, [0, 1, 1, 2].map(DeviceId));
    }

    #[test]
    fn what_is_computed_inside_a_fusion_has_the_device_of_that() {
        // b is computed inside c, which reads what b reads; another op equals b, and nobody reads it.
        let mut graph = graph();
        graph.ops.push(op(&[3], 5, OpRole::View));
        graph.tensors.push(tensor(Some(4), 30, false));
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        graph.ops[2].role = OpRole::Constant;
        graph.ops[3].inputs = vec![TensorId(2)];
        let mut device_of = [0, 7, 7, 2, 7].map(DeviceId);
        settle_fused(&graph, &reads, &mut device_of);
        assert_eq!(device_of, [0, 2, 2, 2, 2].map(DeviceId));
    }
}
