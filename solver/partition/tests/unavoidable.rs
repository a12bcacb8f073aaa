//! Caps said to be out of reach, against every placement of small programs.

mod support;

use ballast_core::device::{DeviceId, Link};
use ballast_core::program::Program;
use ballast_core::stage::{settle_views, stages};
use ballast_core::units::Bytes;
use ballast_partition::{Reason, unavoidable};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{cluster, costs, graph, random_graph};

const LINK: Link = Link { bandwidth: 10.0, latency_seconds: 0.5 };

/// The fewest caps that the least bytes of any plan exceed in a placement, where none is exceeded beyond the limit.
fn fewest_raised(program: &Program<'_>, caps: &[Bytes], limit: f64) -> Option<usize> {
    let (ops, devices) = (program.graph.ops.len(), caps.len());
    let raised = |code: usize| {
        let mut of: Vec<DeviceId> =
            (0..ops).map(|op| DeviceId(code / devices.pow(op as u32) % devices)).collect();
        settle_views(program.graph, &mut of);
        let stages = stages(program.graph, program.costs, program.cluster, &of);
        let least: Vec<u64> = stages.iter().map(|stage| stage.problem.working_set().0).collect();
        let mut over = 0;
        for (least, cap) in least.iter().zip(caps) {
            if *least as f64 > limit * cap.0 as f64 {
                return None;
            }
            over += usize::from(*least > cap.0);
        }
        Some(over)
    };
    (0..devices.pow(ops as u32)).filter_map(raised).min()
}

#[test]
fn no_placement_raises_fewer_caps_than_are_said_to_be_unavoidable() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let (mut said, mut several, mut alone) = (0, 0, 0);
    for seed in 0..120 {
        let (ops, devices) = if seed % 2 == 0 { (7, 3) } else { (10, 2) };
        let (mut graph, seconds) = random_graph(seed, ops);
        for tensor in graph.tensors.iter_mut().filter(|tensor| tensor.producer.is_none()) {
            tensor.bytes = Bytes([0, 10, 60][random.random_range(0..3)]);
        }
        let (costs, cluster) = (costs(&vec![seconds; devices]), cluster(devices, 1 << 40, LINK));
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let peak = program.stages(&vec![DeviceId(0); ops])[0].problem.unplanned_peak();
        let share = random.random_range(0.1..0.9);
        let caps: Vec<Bytes> = (0..devices)
            .map(|_| Bytes((share * random.random_range(0.5..1.0) * peak as f64) as u64))
            .collect();
        let limit = [1.2, 2.0, 5.0][random.random_range(0..3)];
        let Some(found) = unavoidable(&program, &caps, limit) else { continue };
        said += 1;
        several += usize::from(found.caps > 1);
        alone += usize::from(matches!(found.reason, Reason::Op { .. }));
        let fewest = fewest_raised(&program, &caps, limit);
        assert!(
            fewest.is_none_or(|fewest| fewest >= found.caps),
            "seed {seed}: {fewest:?} against {found:?}"
        );
    }
    assert!(
        said > 20 && several > 5 && alone > 3,
        "{said} said, {several} of several caps, {alone} of one op"
    );
}

#[test]
fn weights_that_need_more_than_all_caps_and_ops_that_need_more_than_any_are_told_apart() {
    // Four ops with an argument of 10 bytes each and results of 1 byte: 40 bytes resident, 1 more at a time.
    let graph = graph(&[(vec![], 1, true), (vec![], 1, true), (vec![], 1, true), (vec![], 1, true)]);
    let (costs, cluster) = (costs(&vec![vec![1.0; 4]; 4]), cluster(4, 1 << 40, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let of = |caps: [u64; 4]| unavoidable(&program, &caps.map(Bytes), 2.0);
    assert_eq!(of([20, 20, 11, 11]), None);
    // 36 bytes are missing 5 or more: 9 more of one cap are enough; of 28 two are needed, of 20 all.
    assert_eq!(of([9; 4]).map(|found| found.caps), Some(1));
    assert_eq!(of([7; 4]).map(|found| found.caps), Some(2));
    assert_eq!(of([5; 4]).map(|found| found.caps), Some(4));
    assert!(matches!(of([9; 4]).map(|found| found.reason), Some(Reason::Together { .. })));
}
