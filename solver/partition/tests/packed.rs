//! The placement that packs what stays on devices before anything else: the third of those that need no search.

mod support;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::Graph;
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::{Method, Options, simple};
use support::{cluster, costs, graph, random_graph};

const LINK: Link = Link { bytes_per_second: 100.0, latency_seconds: 0.1 };

/// Lookups in tables of so many bytes, and an update of each after all of them; every op takes a second and makes a byte.
fn tables(bytes: &[u64]) -> (Graph, Costs, Cluster, usize) {
    let count = bytes.len();
    let mut ops: Vec<(Vec<usize>, u64, bool)> = bytes.iter().map(|_| (Vec::new(), 1, false)).collect();
    ops.extend((0..count).map(|table| (vec![table], 1, false)));
    let mut graph = graph(&ops);
    let arguments: Vec<usize> =
        (0..graph.tensors.len()).filter(|&id| graph.tensors[id].producer.is_none()).collect();
    for ((table, &argument), &bytes) in arguments.iter().enumerate().zip(bytes) {
        graph.tensors[argument].bytes = Bytes(bytes);
        let read = graph.ops[table].inputs[0];
        graph.ops[count + table].inputs.push(read);
    }
    let seconds = vec![1.0; graph.ops.len()];
    (graph, costs(&vec![seconds; 4]), cluster(4, 1 << 40, LINK), count)
}

fn packed(program: &Program<'_>, caps: &[u64], relax_limit: f64) -> Vec<DeviceId> {
    let caps = Some(caps.iter().copied().map(Bytes).collect());
    let options =
        Options { method: Method::AUTO, caps, relax_limit: Some(relax_limit), ..Options::default() };
    simple(program, &options, 2).expect("options that make sense").expect("a placement")
}

/// What no plan of every device can do without.
fn least(program: &Program<'_>, device_of: &[DeviceId]) -> Vec<u64> {
    program.stages(device_of).iter().map(|stage| stage.problem.working_set().0).collect()
}

#[test]
fn the_largest_table_has_the_device_it_just_fits_on() {
    let (graph, costs, cluster, count) = tables(&[30, 60, 50, 20]);
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    // 160 bytes of tables and at most two of values beside them, under 172.
    let caps = [82, 62, 22, 6];
    let device_of = packed(&program, &caps, 1.0);
    let of_tables: Vec<usize> = device_of[..count].iter().map(|device| device.0).collect();
    assert_eq!(of_tables, [0, 1, 0, 2]);
    assert_eq!(device_of[..count], device_of[count..], "who reads a table is where it lies");
    assert!(least(&program, &device_of).iter().zip(caps).all(|(&least, cap)| least <= cap));
}

#[test]
fn a_cap_that_is_raised_anyway_makes_room_for_others() {
    // No table has room under any cap; two have under one that is raised three times.
    let (graph, costs, cluster, _) = tables(&[40; 4]);
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let caps = [30; 4];
    let raised = |limit| {
        let least = least(&program, &packed(&program, &caps, limit));
        assert!(least.iter().all(|&least| least as f64 <= limit * 30.0), "{least:?}");
        least.iter().filter(|&&least| least > 30).count()
    };
    assert_eq!((raised(2.0), raised(3.0)), (4, 2));
}

#[test]
fn rules_hold_and_room_is_used() {
    for seed in 0..20 {
        let (mut graph, seconds) = random_graph(seed, 40);
        for op in (0..40).step_by(7) {
            graph.ops[op].rules.device = Some(DeviceId(op % 3));
        }
        let (costs, cluster) = (costs(&vec![seconds.clone(); 3]), cluster(3, 1 << 40, LINK));
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let all: u64 = graph.tensors.iter().map(|tensor| tensor.bytes.0).sum();
        let device_of = packed(&program, &[all; 3], 1.0);
        assert!((0..40).step_by(7).all(|op| device_of[op] == DeviceId(op % 3)));
        let loads: Vec<f64> = program.stages(&device_of).iter().map(|stage| stage.load_seconds()).collect();
        let most = loads.iter().copied().fold(0.0, f64::max);
        assert!(
            most < 0.75 * seconds.iter().sum::<f64>(),
            "where memory is no matter, it is spread: {loads:?}"
        );
    }
}
