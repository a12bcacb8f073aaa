//! Random programs, costs and clusters.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, Device, DeviceId, Link};
use ballast_core::fusion::{Fusion, FusionClass, FusionClasses, FusionKind, fuse};
use ballast_core::graph::{BoundaryMemory, Graph, Op, OpId, OpRole, Rules, Tensor, TensorId, Work};
use ballast_core::units::Bytes;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A program on devices.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program.
    pub graph: Graph,
    /// Its costs.
    pub costs: Costs,
    /// The devices.
    pub cluster: Cluster,
}

impl Program {
    /// What planners are given.
    #[must_use]
    pub fn view(&self) -> ballast_core::program::Program<'_> {
        let Program { graph, costs, cluster } = self;
        ballast_core::program::Program { graph, costs, cluster }
    }
}

fn tensor(graph: &mut Graph, producer: Option<OpId>, bytes: u64, returned: bool) -> TensorId {
    let index = if producer.is_none() { graph.tensors.len() } else { 0 };
    graph.tensors.push(Tensor { producer, index, bytes: Bytes(bytes), returned, type_name: String::new() });
    TensorId(graph.tensors.len() - 1)
}

/// An op that makes one tensor of its inputs.
fn op(graph: &mut Graph, name: &str, inputs: Vec<TensorId>, bytes: u64) -> TensorId {
    let id = graph.ops.len();
    let output = tensor(graph, Some(OpId(id)), bytes, false);
    graph.ops.push(Op {
        inputs,
        outputs: vec![output],
        work: Work { flops: 2, macs_exact: 1, ..Work::NONE },
        ..Op::new(format!("stablehlo.{name}"), [], [])
    });
    output
}

/// A program of any shape with weights, views, constants, workspace, rules and early results.
pub fn any(random: &mut ChaCha8Rng, ops: usize, devices: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    let data = tensor(&mut graph, None, 10, false);
    let mut values = vec![data];
    for id in 0..ops {
        let near = values.len().saturating_sub(6);
        let mut inputs: Vec<TensorId> =
            (0..random.random_range(0..3)).map(|_| values[random.random_range(near..values.len())]).collect();
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.is_empty() {
            inputs.push(tensor(&mut graph, None, 10, false));
        }
        if random.random_bool(0.2) {
            inputs.push(tensor(&mut graph, None, random.random_range(1..120), false));
        }
        let name = ["add", "dot_general", "exponential", "broadcast_in_dim"][random.random_range(0..4)];
        let made = op(&mut graph, name, inputs, random.random_range(1..60));
        values.push(made);
        let what = graph.ops.len() - 1;
        graph.tensors[made].returned = id + 1 == ops || random.random_bool(0.15);
        graph.ops[what].workspace = Bytes(random.random_range(0..4) * 10);
        graph.ops[what].opens_layer = random.random_bool(0.4);
        graph.ops[what].pure_op = random.random_bool(0.95);
        graph.ops[what].rules = Rules {
            never_recompute: random.random_bool(0.05),
            never_swap: random.random_bool(0.05),
            must_keep: random.random_bool(0.03),
            device: random.random_bool(0.02).then(|| DeviceId(random.random_range(0..devices))),
        };
        if random.random_bool(0.15) {
            // A view, or a constant, that takes no memory and travels with its readers.
            let view = random.random_bool(0.7);
            let inputs = if view { vec![made] } else { Vec::new() };
            let there = op(&mut graph, "reshape", inputs, 1);
            let last = graph.ops.len() - 1;
            graph.ops[last].role = if view { OpRole::View } else { OpRole::Constant };
            values.push(there);
        }
    }
    graph.ends = [BoundaryMemory::ResultsWhenMade, BoundaryMemory::Throughout, BoundaryMemory::NotCounted]
        [random.random_range(0..3)];
    if random.random_bool(0.15) {
        let at = random.random_range(0..graph.ops.len());
        if graph.ops[at].role == OpRole::Compute {
            graph.early.push((OpId(at), Bytes(random.random_range(1..50))));
        }
    }
    graph
}

/// A training step of a chain of layers: forward, backward and a new weight for each.
pub fn training(random: &mut ChaCha8Rng, layers: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    let mut value = tensor(&mut graph, None, 7, false);
    let mut passed = Vec::new();
    for _ in 0..layers {
        let weight = tensor(&mut graph, None, random.random_range(1..60), false);
        let made = op(&mut graph, "dot_general", vec![value, weight], random.random_range(1..60));
        graph.ops.last_mut().expect("just added").opens_layer = true;
        passed.push((value, weight, made));
        value = made;
    }
    let forward = graph.ops.len();
    let mut gradient = value;
    for &(input, weight, made) in passed.iter().rev() {
        let bytes = graph.tensors[made].bytes.0;
        let next = op(&mut graph, "dot_general", vec![gradient, made, weight], bytes);
        graph.ops.last_mut().expect("just added").opens_layer = true;
        let size = graph.tensors[weight].bytes.0;
        let updated = op(&mut graph, "subtract", vec![gradient, input, weight], size);
        graph.tensors[updated].returned = true;
        gradient = next;
    }
    for (id, op) in graph.ops.iter_mut().enumerate() {
        op.backward = Some(id >= forward);
    }
    graph.ends = [BoundaryMemory::ResultsWhenMade, BoundaryMemory::Throughout, BoundaryMemory::NotCounted]
        [random.random_range(0..3)];
    graph
}

/// Values that wait: ops that make one each, and as many that read them, the last one first. Its peak is well above what any op needs, so that several
/// devices together can hold less than it.
pub fn waiting(random: &mut ChaCha8Rng, values: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    let mut made: Vec<TensorId> = Vec::new();
    for _ in 0..values {
        let inputs = made.last().copied().filter(|_| random.random_bool(0.4)).into_iter().collect();
        made.push(op(&mut graph, "dot_general", inputs, random.random_range(3..7)));
    }
    let mut before = None;
    for (at, value) in made.iter().copied().enumerate().rev() {
        let inputs =
            [Some(value), before.filter(|_| random.random_bool(0.3))].into_iter().flatten().collect();
        let over = random.random_bool(0.2);
        let bytes = if over { graph.tensors[value].bytes.0 } else { 1 };
        before = Some(op(&mut graph, "dot_general", inputs, bytes));
        let reader = graph.ops.last_mut().expect("just added");
        reader.over = over.then_some(OpId(at));
        reader.pure_op = random.random_bool(0.9);
    }
    let last = graph.tensors.len() - 1;
    graph.tensors[TensorId(last)].returned = graph.ops.last().is_some_and(|op| op.over.is_none());
    graph
}

/// What a back end that fuses makes of the ops.
fn fusion_classes(graph: &Graph) -> FusionClasses {
    let class = |op: &Op| FusionClass {
        kind: match op.name.as_str() {
            "stablehlo.broadcast_in_dim" => FusionKind::Broadcast,
            "stablehlo.reshape" => FusionKind::Movement,
            _ => FusionKind::Opaque,
        },
        expensive: op.name == "stablehlo.exponential",
    };
    FusionClasses {
        ops: graph.ops.iter().map(class).collect(),
        ranks: vec![0; graph.tensors.len()],
        library: None,
    }
}

/// Fuses a program as its back end may, and prices it on devices alike or not, linked alike or not.
pub fn placed(random: &mut ChaCha8Rng, mut graph: Graph, devices: usize) -> Program {
    let fusion = [Fusion::None, Fusion::None, Fusion::Xla, Fusion::XlaHeld][random.random_range(0..4)];
    let classes = fusion_classes(&graph);
    fuse(&mut graph, &classes, fusion, &[]);
    let seconds: Vec<f64> = graph.ops.iter().map(|_| f64::from(random.random_range(1..20))).collect();
    let unequal = random.random_bool(0.4);
    let speeds: Vec<f64> =
        (0..devices).map(|_| if unequal { f64::from(random.random_range(1..4)) } else { 1.0 }).collect();
    let row = |speed: &f64| {
        let of = |(op, seconds): (&Op, &f64)| if op.role == OpRole::Compute { seconds / speed } else { 0.0 };
        graph.ops.iter().zip(&seconds).map(of).collect()
    };
    let costs = Costs { seconds: speeds.iter().map(row).collect() };
    let mut link = || Link {
        bytes_per_second: [2.0, 16.0, 200.0][random.random_range(0..3)],
        latency_seconds: [0.0, 0.25, 3.0][random.random_range(0..3)],
    };
    let (default_link, to_host, from_host) = (link(), link(), link());
    let other = link();
    let device = |at: usize| Device {
        name: format!("d{at}"),
        kind: format!("speed {}", speeds[at]),
        memory: Bytes(1 << 40),
        peak_flops: indexmap::IndexMap::new(),
        memory_bandwidth: 1.0,
        launch_overhead_seconds: 0.0,
        to_host,
        from_host,
        cores: None,
        group: None,
        slot: None,
    };
    let mut cluster = Cluster {
        devices: (0..devices).map(device).collect(),
        default_link,
        links: Vec::new(),
        host_memory: None,
    };
    if random.random_bool(0.3) {
        for from in DeviceId::first(devices) {
            let to = DeviceId(random.random_range(0..devices));
            if from != to {
                cluster.links.push((from, to, other));
            }
        }
    }
    Program { graph, costs, cluster }
}
