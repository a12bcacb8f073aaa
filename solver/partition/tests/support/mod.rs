//! Random programs, costs and clusters for the tests.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, Device, Link};
use ballast_core::graph::{Graph, Op, OpId, OpRole, Tensor, Work};
use ballast_core::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A graph from ops given as (inputs by op, bytes, opens a layer); each op without inputs reads an argument
/// of its own of 10 bytes. The last op is returned.
pub(crate) fn graph(ops: &[(Vec<usize>, u64, bool)]) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    let mut tensor_of = Vec::new();
    for (id, (inputs, bytes, opens_layer)) in ops.iter().enumerate() {
        let mut reads: Vec<usize> = inputs.iter().map(|&i| tensor_of[i]).collect();
        if reads.is_empty() {
            reads.push(graph.tensors.len());
            graph.tensors.push(tensor(None, 10, false));
        }
        tensor_of.push(graph.tensors.len());
        graph.tensors.push(tensor(Some(id), *bytes, id + 1 == ops.len()));
        graph.ops.push(op(reads, tensor_of[id], OpRole::Compute, *opens_layer));
    }
    graph
}

pub(crate) fn op(inputs: Vec<usize>, output: usize, role: OpRole, opens_layer: bool) -> Op {
    Op {
        role,
        opens_layer,
        work: Work { flops: 2, macs_exact: 1, ..Work::NONE },
        ..Op::new(format!("test.op{output}"), inputs, vec![output])
    }
}

pub(crate) fn tensor(producer: Option<usize>, bytes: u64, returned: bool) -> Tensor {
    Tensor { producer: producer.map(OpId), index: 0, bytes: Bytes(bytes), returned, type_name: String::new() }
}

pub(crate) fn cluster(devices: usize, memory: u64, link: Link) -> Cluster {
    let device = Device {
        name: "d".into(),
        kind: "k".into(),
        memory: Bytes(memory),
        peak_flops: indexmap::IndexMap::new(),
        memory_bandwidth: 1.0,
        launch_overhead_seconds: 0.0,
        to_host: link,
        from_host: link,
        cores: None,
        group: None,
        slot: None,
    };
    Cluster { devices: vec![device; devices], default_link: link, links: Vec::new(), host_memory: None }
}

pub(crate) fn random_graph(seed: u64, n: usize) -> (Graph, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ops: Vec<(Vec<usize>, u64, bool)> = (0..n)
        .map(|id| {
            let near = id.saturating_sub(6);
            let mut inputs: Vec<usize> =
                (0..rng.random_range(0..3)).filter(|_| id > 0).map(|_| rng.random_range(near..id)).collect();
            inputs.sort_unstable();
            inputs.dedup();
            (inputs, rng.random_range(1..60), rng.random_bool(0.4))
        })
        .collect();
    let seconds = (0..n).map(|_| f64::from(rng.random_range(1..20u32))).collect();
    (graph(&ops), seconds)
}

pub(crate) fn costs(rows: &[Vec<f64>]) -> Costs {
    Costs { seconds: rows.to_vec() }
}
