//! Free placements: never slower than cuts, optimal where brute force can tell, bounds below every optimum.

mod support;

use std::collections::HashSet;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::Graph;
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_core::report::BoundClass;
use ballast_core::stage::{Stage, settle_views, stages};
use ballast_core::units::Bytes;
use ballast_partition::{
    Measured, Method, Mover, Next, Options, Partition, SIMPLE_PLACEMENTS, neighbours, plan, repartition,
    simple,
};
use support::{cluster, costs, graph, random_graph};

fn solve(graph: &Graph, costs: &Costs, cluster: &Cluster, method: Method, threads: usize) -> Partition {
    refined(graph, costs, cluster, Options { method, ..Options::default() }, threads)
}

/// Under a limit of work.
fn refined(graph: &Graph, costs: &Costs, cluster: &Cluster, options: Options, threads: usize) -> Partition {
    let limits = Limits { time_limit_seconds: None, work_limit: Some(250_000), seed: 5, threads };
    plan(&Program { graph, costs, cluster }, &Options { limits, ..options }).expect("a plan")
}

/// The free search with this mover.
fn by(mover: Mover) -> Options {
    Options { method: Method::AUTO, mover, ..Options::default() }
}

fn tmax(graph: &Graph, costs: &Costs, cluster: &Cluster, device_of: &[DeviceId]) -> f64 {
    let mut device_of = device_of.to_vec();
    settle_views(graph, &mut device_of);
    stages(graph, costs, cluster, &device_of).iter().map(Stage::load_seconds).fold(0.0, f64::max)
}

/// The least tmax over all assignments of the ops to the devices, idle ones allowed.
fn optimum(graph: &Graph, costs: &Costs, cluster: &Cluster) -> f64 {
    let (ops, devices) = (graph.ops.len(), cluster.devices.len());
    (0..devices.pow(ops as u32))
        .map(|code| {
            let of: Vec<DeviceId> =
                (0..ops).map(|op| DeviceId(code / devices.pow(op as u32) % devices)).collect();
            tmax(graph, costs, cluster, &of)
        })
        .fold(f64::INFINITY, f64::min)
}

const LINK: Link = Link { bytes_per_second: 10.0, latency_seconds: 0.5 };

#[test]
fn neighbours_take_something_from_the_slowest_device_the_best_first() {
    // Two chains of 8 and 4 s on two devices; the last op of the long one must stay.
    let mut ops: Vec<(Vec<usize>, u64, bool)> =
        (0..8).map(|i| (if i == 0 { vec![] } else { vec![i - 1] }, 1, i == 7)).collect();
    ops.extend((0..4).map(|i| (if i == 0 { vec![] } else { vec![7 + i] }, 1, i == 3)));
    let mut graph = graph(&ops);
    graph.ops[7].rules.device = Some(DeviceId(0));
    let (costs, cluster) = (costs(&vec![vec![1.0; 12]; 2]), cluster(2, 1_000, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let given: Vec<DeviceId> = (0..12).map(|op| DeviceId(usize::from(op >= 8))).collect();
    let seconds =
        |of: &[DeviceId]| -> Vec<f64> { program.stages(of).iter().map(Stage::load_seconds).collect() };
    let measured = seconds(&given);
    let round = Measured { device_of: &given, seconds: &measured, raised: &[false; 2] };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(1), seed: 5, threads: 1 };
    let wanted = |method, seed, next| {
        let limits = Limits { seed, ..limits };
        let options = Options { method, limits, start: Some(given.clone()), ..Options::default() };
        neighbours(&program, &options, &round, next).expect("placements")
    };
    let of = |method, seed| wanted(method, seed, Next::Likeliest { count: 6 });
    let near = of(Method::AUTO, 5);
    assert_eq!(near.len(), 6);
    assert!(near.iter().all(|of| of[7] == DeviceId(0) && *of != given), "{near:?}");
    // Moving the first ops of the long chain costs one transfer: 8 s become 6.6 or less.
    assert!(seconds(&near[0]).into_iter().fold(0.0, f64::max) <= 6.6, "{:?}", seconds(&near[0]));
    let energy = |of: &Vec<DeviceId>| seconds(of).iter().map(|seconds| seconds.powi(12)).sum::<f64>();
    assert!(near.is_sorted_by(|a, b| energy(a) <= energy(b) * (1.0 + 1e-9)));
    assert_eq!(near, of(Method::AUTO, 5));
    assert_ne!(near, of(Method::AUTO, 6));
    assert_eq!(of(Method::DP, 5), Vec::<Vec<DeviceId>>::new());
    // Shaken, it is elsewhere, whichever device is slow: not one step, and no step back.
    let shaken: Vec<_> = (0..40).filter_map(|seed| wanted(Method::AUTO, seed, Next::Shaken).pop()).collect();
    assert!(shaken.iter().all(|of| of[7] == DeviceId(0) && *of != given), "{shaken:?}");
    let moved = |of: &Vec<DeviceId>| of.iter().zip(&given).filter(|(now, before)| now != before).count();
    assert!(shaken.iter().any(|of| moved(of) > 2), "{shaken:?}");
    assert!(shaken.iter().collect::<HashSet<_>>().len() > 10, "{shaken:?}");
}

#[test]
fn where_all_devices_are_to_be_used_no_placement_of_a_round_leaves_one_idle() {
    // Eight ops of a second, and values that take ten seconds to cross: on one device they are fastest.
    let ops: Vec<(Vec<usize>, u64, bool)> =
        (0..8).map(|i| (if i == 0 { vec![] } else { vec![i - 1] }, 100, i % 2 == 0)).collect();
    let (graph, costs, cluster) = (graph(&ops), costs(&vec![vec![1.0; 8]; 2]), cluster(2, 1 << 30, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let given: Vec<DeviceId> = (0..8).map(|op| DeviceId(usize::from(op == 0))).collect();
    let seconds: Vec<f64> = program.stages(&given).iter().map(Stage::load_seconds).collect();
    let round = Measured { device_of: &given, seconds: &seconds, raised: &[false; 2] };
    let all = |use_all_devices| {
        let limits = Limits { time_limit_seconds: None, work_limit: Some(10_000), seed: 5, threads: 1 };
        let of = |method, start| Options { method, limits, use_all_devices, start, ..Options::default() };
        let options = of(Method::AUTO, Some(given.clone()));
        let mut found: Vec<Vec<DeviceId>> = (0..SIMPLE_PLACEMENTS)
            .filter_map(|number| simple(&program, &options, number).expect("options that make sense"))
            .collect();
        for seed in 0..20 {
            let options = Options { limits: Limits { seed, ..limits }, ..options.clone() };
            for next in [Next::Likeliest { count: 4 }, Next::Shaken] {
                found.extend(neighbours(&program, &options, &round, next).expect("placements"));
            }
        }
        found.push(repartition(&program, &options, &[round]).expect("a plan").device_of);
        // A placement given that leaves one idle is none to keep, however fast.
        for method in [Method::AUTO, Method::DP] {
            found.push(plan(&program, &of(method, Some(vec![DeviceId(0); 8]))).expect("a plan").device_of);
        }
        found
    };
    let idle = |of: &Vec<DeviceId>| of.iter().all(|&device| device == of[0]);
    assert!(all(false).iter().any(idle));
    let found = all(true);
    assert!(found.len() > 20 && !found.iter().any(idle), "{found:?}");
}

#[test]
fn memory_that_measured_seconds_pay_for_is_not_priced_again() {
    // Forty ops whose values are read backwards, 16 s that hold ten times the cap; then a chain of 24 s that holds next to nothing.
    let mut ops: Vec<(Vec<usize>, u64, bool)> =
        (0..40).map(|i| (if i == 0 { vec![] } else { vec![i - 1] }, 10, true)).collect();
    ops.extend((0..40).map(|i| (if i == 0 { vec![39] } else { vec![39 - i, 39 + i] }, 1, false)));
    ops.extend((0..24).map(|i| (vec![79 + i], 1, true)));
    let graph = graph(&ops);
    let seconds: Vec<f64> = (0..104).map(|op| if op < 80 { 0.2 } else { 1.0 }).collect();
    let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 40, LINK));
    let given: Vec<DeviceId> = (0..104).map(|op| DeviceId(usize::from(op >= 80))).collect();
    // As where all copies are hidden: holding less costs nothing.
    let measured: Vec<f64> =
        stages(&graph, &costs, &cluster, &given).iter().map(Stage::load_seconds).collect();
    let limits = Limits { time_limit_seconds: None, work_limit: Some(400_000), seed: 5, threads: 1 };
    let options = Options { method: Method::AUTO, limits, start: Some(given.clone()), ..Options::default() };
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let round = Measured { device_of: &given, seconds: &measured, raised: &[false; 2] };
    let again = repartition(&program, &options, &[round]).expect("a plan");
    assert!(again.report.value < 20.7, "{} of {measured:?}", again.report.value);
    // Without such a plan the memory has its price: the device that holds much gets less.
    let first = plan(&program, &options).expect("a plan");
    assert!(first.report.value > 21.5, "{}", first.report.value);
}

#[test]
fn small_programs_reach_the_optimum_and_their_bounds_stay_below() {
    let (mut reached, mut cases) = (0, 0);
    for seed in 0..40 {
        let devices = 2 + seed as usize % 2;
        let (graph, seconds) = random_graph(seed, if devices == 2 { 10 } else { 7 });
        let mut cluster = cluster(devices, 1 << 40, LINK);
        if seed % 4 == 3 {
            // Unequal links.
            cluster.links =
                vec![(DeviceId(0), DeviceId(1), Link { bytes_per_second: 100.0, latency_seconds: 0.0 })];
        }
        let slower: Vec<f64> = seconds.iter().map(|s| s * if seed % 3 == 2 { 2.0 } else { 1.0 }).collect();
        let rows: Vec<Vec<f64>> =
            (0..devices).map(|d| if d == 0 { seconds.clone() } else { slower.clone() }).collect();
        let costs = costs(&rows);
        let best = optimum(&graph, &costs, &cluster);
        let mover = if seed % 2 == 0 { Mover::Annealing } else { Mover::Learned };
        let found = refined(&graph, &costs, &cluster, by(mover), 1);
        let value = tmax(&graph, &costs, &cluster, &found.device_of);
        assert_eq!(value, found.report.value, "seed {seed}");
        assert_eq!(found.report.bound().class(), BoundClass::AnyAssignment);
        assert!(
            found.report.bound().value() <= best * (1.0 + 1e-9),
            "seed {seed}: a bound above the optimum"
        );
        assert!(value >= best * (1.0 - 1e-9), "seed {seed}: below the optimum {best}");
        cases += 1;
        reached += usize::from(value <= best * (1.0 + 1e-9));
    }
    assert!(reached * 10 >= cases * 9, "only {reached} of {cases} reached the optimum");
}

#[test]
fn small_programs_over_like_links_are_proved_at_the_optimum() {
    for seed in 200..225 {
        let devices = 2 + seed as usize % 2;
        let (graph, seconds) = random_graph(seed, if devices == 2 { 10 } else { 7 });
        let cluster = cluster(devices, 1 << 40, LINK);
        let slower: Vec<f64> = seconds.iter().map(|s| s * if seed % 3 == 2 { 2.0 } else { 1.0 }).collect();
        let rows: Vec<Vec<f64>> =
            (0..devices).map(|d| if d == 0 { seconds.clone() } else { slower.clone() }).collect();
        let costs = costs(&rows);
        let limits = Limits { time_limit_seconds: None, work_limit: Some(6_000_000), seed: 5, threads: 1 };
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let found = plan(&program, &Options { limits, ..by(Mover::Annealing) }).expect("a plan");
        let (best, report) = (optimum(&graph, &costs, &cluster), found.report);
        assert!((report.value / best - 1.0).abs() < 1e-9, "seed {seed}: {} of {best}", report.value);
        assert!(report.proved(), "seed {seed}: {} bounded by {}", report.value, report.bound().value());
    }
}

#[test]
fn never_slower_than_a_cut() {
    for seed in 100..120 {
        let (graph, seconds) = random_graph(seed, 60);
        let devices = 2 + seed as usize % 4;
        let costs = costs(&vec![seconds; devices]);
        let cluster = cluster(devices, 1 << 40, LINK);
        let cut = solve(&graph, &costs, &cluster, Method::DP, 1).report.value;
        let free = solve(&graph, &costs, &cluster, Method::AUTO, 1);
        assert!(free.report.value <= cut * (1.0 + 1e-9), "seed {seed}: {} against {cut}", free.report.value);
    }
}

/// A chain of forward ops, each read by the backward op of its layer.
fn training_chain(layers: usize) -> (Graph, Vec<f64>) {
    let mut ops: Vec<(Vec<usize>, u64, bool)> = Vec::new();
    for layer in 0..layers {
        ops.push((if layer == 0 { vec![] } else { vec![layer - 1] }, 10, true));
    }
    for layer in (0..layers).rev() {
        ops.push((vec![ops.len() - 1, layer], 10, false));
    }
    (graph(&ops), vec![1.0; 2 * layers])
}

#[test]
fn layers_fold_by_themselves() {
    // 40 layers on 4 devices: folded, every device takes 20 s and 2 or 4 transfers of 0.1 s; a cut has 10 values of each
    // forward stage cross.
    let (graph, seconds) = training_chain(40);
    let link = Link { bytes_per_second: 100.0, latency_seconds: 0.0 };
    let cluster = cluster(4, 1 << 40, link);
    let costs = costs(&vec![seconds; 4]);
    let cut = solve(&graph, &costs, &cluster, Method::DP, 1);
    let free = solve(&graph, &costs, &cluster, Method::AUTO, 1);
    assert!(cut.report.value > 21.5, "{}", cut.report.value);
    assert!(free.report.value < 20.5, "{}", free.report.value);
}

#[test]
fn folded_layers_and_the_cut_need_no_search() {
    let (mut graph, seconds) = training_chain(40);
    for (op, backward) in graph.ops.iter_mut().zip((0..80).map(|op| op >= 40)) {
        op.backward = Some(backward);
    }
    let cluster = cluster(4, 1 << 40, Link { bytes_per_second: 100.0, latency_seconds: 0.0 });
    let costs = costs(&vec![seconds; 4]);
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let of = |method, number| {
        let options = Options { method, ..Options::default() };
        simple(&program, &options, number).expect("options that make sense")
    };
    let folded = of(Method::AUTO, 0).expect("folded layers");
    assert!(tmax(&graph, &costs, &cluster, &folded) < 21.5, "both passes of a layer are together");
    let cut = of(Method::AUTO, 1).expect("a cut");
    assert_eq!(
        tmax(&graph, &costs, &cluster, &cut),
        solve(&graph, &costs, &cluster, Method::DP, 1).report.value
    );
    assert_eq!(of(Method::AUTO, SIMPLE_PLACEMENTS), None);
    assert_eq!(of(Method::DP, 0), None, "its placements are cuts");
}

#[test]
fn a_cap_missed_by_little_is_mended_without_leaving_the_device_idle() {
    // Twenty ops a device, and one that needs all but 15 bytes of the larger cap: beside it arguments of 20 bytes have no room, which
    // says nothing of the other ops.
    let mut ops: Vec<(Vec<usize>, u64, bool)> = (0..40).map(|_| (Vec::new(), 1, true)).collect();
    ops[0].1 = 484;
    let mut graph = graph(&ops);
    for (op, tensor) in graph.tensors.iter_mut().filter(|tensor| tensor.producer.is_none()).enumerate() {
        tensor.bytes = Bytes(if op == 1 { 20 } else { 0 });
    }
    let (costs, cluster) = (costs(&vec![vec![1.0; 40]; 2]), cluster(2, 1 << 40, LINK));
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let given: Vec<DeviceId> = (0..40).map(|op| DeviceId(usize::from(op >= 20))).collect();
    let limits = Limits { time_limit_seconds: None, work_limit: Some(200_000), seed: 5, threads: 1 };
    let options = Options {
        method: Method::AUTO,
        limits,
        caps: Some(vec![Bytes(500), Bytes(100)]),
        start: Some(given.clone()),
        ..Options::default()
    };
    let round = Measured { device_of: &given, seconds: &[20.0; 2], raised: &[true, false] };
    let found = repartition(&program, &options, &[round]).expect("a plan");
    assert_eq!((found.device_of[0], found.device_of[1]), (DeviceId(0), DeviceId(1)));
    assert_eq!(found.report.value, 20.0, "{:?}", found.device_of);
}

#[test]
fn threads_change_nothing_and_rules_hold() {
    let (mut graph, seconds) = random_graph(7, 300);
    graph.ops[3].rules.device = Some(DeviceId(2));
    graph.ops[250].rules.device = Some(DeviceId(0));
    let costs = costs(&vec![seconds; 3]);
    let cluster = cluster(3, 1 << 40, LINK);
    let one = solve(&graph, &costs, &cluster, Method::AUTO, 1);
    let two = solve(&graph, &costs, &cluster, Method::AUTO, 2);
    assert_eq!(one.device_of, two.device_of);
    let learned = [1, 2].map(|threads| refined(&graph, &costs, &cluster, by(Mover::Learned), threads));
    assert_eq!(learned[0].device_of, learned[1].device_of);
    assert_ne!(learned[0].device_of, one.device_of, "the policy proposes other moves");
    assert_eq!((learned[0].device_of[3], learned[0].device_of[250]), (DeviceId(2), DeviceId(0)));
    assert_eq!((one.device_of[3], one.device_of[250]), (DeviceId(2), DeviceId(0)));
}

#[test]
fn arguments_spread_where_one_device_cannot_hold_them() {
    // Eight ops of their own arguments: memory for four on each device, time for any split.
    let ops: Vec<(Vec<usize>, u64, bool)> = (0..8).map(|_| (vec![], 1, true)).collect();
    let mut graph = graph(&ops);
    for tensor in graph.tensors.iter_mut().filter(|tensor| tensor.producer.is_none()) {
        tensor.bytes = Bytes(100);
    }
    // One long op: without caps it would stand alone.
    let costs = costs(&vec![vec![7.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]; 2]);
    let limits = Limits { time_limit_seconds: None, work_limit: Some(200_000), seed: 1, threads: 1 };
    let of = |caps| {
        let options = Options { method: Method::AUTO, limits, caps, ..Options::default() };
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster(2, 1 << 40, LINK) }, &options)
            .expect("a plan")
    };
    assert_eq!(of(None).report.value, 7.0);
    let capped = of(Some(vec![Bytes(420); 2]));
    assert_eq!(capped.device_of.iter().filter(|&&device| device == DeviceId(0)).count(), 4);
    assert_eq!(capped.report.value, 10.0);
}

#[test]
fn large_working_sets_share_a_device_where_only_that_keeps_the_caps() {
    // Two ops that need 400 bytes to run, and four with arguments of 150: three of a kind and time on each device, of which one has both
    // of the former and one of the latter; with two of the latter beside a large working set the cap of 620 is out of reach.
    let ops: Vec<(Vec<usize>, u64, bool)> =
        [400, 1, 1, 400, 1, 1].map(|bytes| (Vec::new(), bytes, true)).to_vec();
    let mut graph = graph(&ops);
    let arguments = graph.tensors.iter_mut().filter(|tensor| tensor.producer.is_none());
    for (tensor, bytes) in arguments.zip([0, 150, 150, 0, 150, 150]) {
        tensor.bytes = Bytes(bytes);
    }
    let costs = costs(&vec![vec![1.0; 6]; 2]);
    let cluster = cluster(2, 1 << 40, LINK);
    for mover in [Mover::Annealing, Mover::Learned] {
        let options = Options { caps: Some(vec![Bytes(620); 2]), ..by(mover) };
        let found = refined(&graph, &costs, &cluster, options, 1);
        assert_eq!(found.device_of[0], found.device_of[3], "{mover:?}");
        assert_eq!(found.report.value, 3.0, "{mover:?}: {:?}", found.device_of);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
}

#[test]
fn one_op_that_fits_nowhere_leaves_the_rest_free() {
    // An op of 1000 bytes under caps of 500; what is left spreads as if there were no caps, for nothing else is over them.
    let (mut graph, mut seconds) = training_chain(20);
    seconds[0] = 2.0;
    graph.ops[0].workspace = Bytes(1000);
    let cluster = cluster(4, 1 << 40, Link { bytes_per_second: 100.0, latency_seconds: 0.0 });
    let costs = costs(&vec![seconds; 4]);
    let free = refined(&graph, &costs, &cluster, by(Mover::Annealing), 1).report.value;
    let options = Options { caps: Some(vec![Bytes(500); 4]), ..by(Mover::Annealing) };
    let capped = refined(&graph, &costs, &cluster, options, 1);
    assert!(capped.report.value < 1.05 * free, "{} against {free}", capped.report.value);
    // Fused ops may be divided later on: nothing is said of that.
    let said = |note: &String| {
        note.contains("are over the cap by") && note.contains("no memory plan that runs every op whole")
    };
    assert!(capped.notes.iter().any(said), "{:?}", capped.notes);
}

#[test]
fn plans_say_who_moved_ops_and_what_that_brought() {
    let (graph, seconds) = random_graph(42, 80);
    let costs = costs(&vec![seconds; 3]);
    let cluster = cluster(3, 1 << 40, LINK);
    let unmoved = refined(&graph, &costs, &cluster, by(Mover::None), 1);
    for (mover, name) in [(Mover::Annealing, "annealing"), (Mover::Learned, "learned")] {
        let found = refined(&graph, &costs, &cluster, by(mover), 1);
        let refined = found.refined.expect("a mover");
        assert_eq!((refined.by, refined.to_seconds), (name, found.report.value));
        assert_eq!(refined.from_seconds, unmoved.report.value);
        assert!(refined.to_seconds < refined.from_seconds, "{refined:?}");
    }
    let nobody = unmoved.refined.expect("nobody");
    assert_eq!(
        (nobody.by, nobody.from_seconds, nobody.to_seconds),
        ("none", unmoved.report.value, unmoved.report.value)
    );
    assert_eq!(solve(&graph, &costs, &cluster, Method::DP, 1).refined, None);
    // A single op beside ops that take no time: no placement is faster than that op.
    let alone = refined_alone();
    assert_eq!(alone.refined.map(|refined| refined.by), Some("needless"));
}

/// A long op and two short ones, one device for each.
fn refined_alone() -> Partition {
    let graph = graph(&[(vec![], 1, true), (vec![], 1, true), (vec![], 1, true)]);
    let costs = costs(&vec![vec![5.0, 1.0, 1.0]; 3]);
    refined(&graph, &costs, &cluster(3, 1 << 40, LINK), by(Mover::Learned), 1)
}

#[test]
fn no_work_leaves_the_cut() {
    let (graph, seconds) = random_graph(11, 40);
    let costs = costs(&vec![seconds; 2]);
    let limits = Limits { time_limit_seconds: Some(0.0), work_limit: None, seed: 1, threads: 1 };
    let options = Options { method: Method::AUTO, limits, ..Options::default() };
    let found =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster(2, 1 << 40, LINK) }, &options)
            .expect("a plan");
    assert!(found.report.value.is_finite());
}
