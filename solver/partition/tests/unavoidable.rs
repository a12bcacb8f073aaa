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

const LINK: Link = Link { bytes_per_second: 10.0, latency_seconds: 0.5 };

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
    let (mut said, mut several, mut alone, mut large) = (0, 0, 0, 0);
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
        large += usize::from(matches!(found.reason, Reason::Ops { .. }));
        let fewest = fewest_raised(&program, &caps, limit);
        assert!(
            fewest.is_none_or(|fewest| fewest >= found.caps),
            "seed {seed}: {fewest:?} against {found:?}"
        );
    }
    assert!(
        said > 20 && several > 5 && alone > 3 && large > 3,
        "{said} said, {several} of several caps, {alone} of one op, {large} of large ops"
    );
}

#[test]
fn weights_that_need_more_than_all_caps_and_ops_that_need_more_than_any_are_told_apart() {
    // Four ops with an argument of 10 bytes each and results of 1 byte: 40 bytes resident, 1 more at a time.
    let graph = graph(&[(vec![], 1, true), (vec![], 1, true), (vec![], 1, true), (vec![], 1, true)]);
    let (costs, cluster) = (costs(&vec![vec![1.0; 4]; 4]), cluster(4, 1 << 40, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let of = |caps: [u64; 4], limit: f64| {
        unavoidable(&program, &caps.map(Bytes), limit)
            .map(|found| (found.caps, matches!(found.reason, Reason::Together { .. })))
    };
    assert_eq!(of([20, 20, 11, 11], 2.0), None);
    // Of 36 bytes 5 are missing, which 36 more of one cap give.
    assert_eq!(of([9; 4], 5.0), Some((1, true)));
    // Of 28, 13 are missing, which 14 more of one give, but every device has room for one byte that is made.
    assert_eq!(of([7; 4], 3.0), Some((2, false)));
    // 18 bytes hold one of them, 9 none, so that all are needed.
    assert_eq!(of([9; 4], 2.0), Some((4, false)));
    // 11 hold one, 22 two.
    assert_eq!(of([11, 11, 9, 9], 2.0), Some((2, false)));
}

#[test]
fn ops_that_fit_no_cap_need_a_raised_one_each_where_two_do_not_fit_there() {
    // Three ops that hold an argument of 10 bytes, and make 6 that is read at once by an op that makes 1: 16 bytes each, 26 for two.
    let graph = graph(&[
        (vec![], 6, false),
        (vec![0], 1, true),
        (vec![], 6, false),
        (vec![2], 1, true),
        (vec![], 6, false),
        (vec![4], 1, true),
    ]);
    let (costs, cluster) = (costs(&vec![vec![1.0; 6]; 6]), cluster(6, 1 << 40, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    // All six together have room for everything; 15 bytes hold none of the large ops, 25 raised from it one.
    let found = unavoidable(&program, &[15; 6].map(Bytes), 5.0 / 3.0).expect("three caps");
    assert_eq!(found.caps, 3, "{found:?}");
    assert!(
        matches!(
            found.reason,
            Reason::Ops { count: 3, needs: Bytes(16), cap: Bytes(15), held: Bytes(36), .. }
        ),
        "{found:?}"
    );
    // 26 hold two.
    let found = unavoidable(&program, &[15; 6].map(Bytes), 26.0 / 15.0 + 1e-9);
    assert_eq!(found.map(|found| found.caps), Some(2));
}
