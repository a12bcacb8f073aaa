//! The partition of the op sequence against brute force, on random programs.

mod support;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::sequence::{Granularity, Order};
use ballast_partition::{
    Error, Given, METHODS, Measured, Options, bound_of_given, plan, plan_given, repartition,
};
use support::{cluster, costs, graph, random_graph};

const LINK: Link = Link { bytes_per_second: 16.0, latency_seconds: 0.25 };

fn options() -> Options {
    let limits = Limits { time_limit_seconds: None, ..Limits::default() };
    Options { limits, ..Options::default() }
}

fn loads(graph: &Graph, costs: &Costs, cluster: &Cluster, device_of: &[DeviceId]) -> Vec<f64> {
    stages(graph, costs, cluster, device_of).iter().map(Stage::load_seconds).collect()
}

/// Every assignment of the program's ops to stages of neighbours, in every device order.
fn contiguous_assignments(n: usize, k: usize) -> Vec<Vec<DeviceId>> {
    fn orders(k: usize) -> Vec<Vec<usize>> {
        if k == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for order in orders(k - 1) {
            for place in 0..k {
                let mut order = order.clone();
                order.insert(place, k - 1);
                all.push(order);
            }
        }
        all
    }
    fn cuts(n: usize, k: usize) -> Vec<Vec<usize>> {
        if k == 1 {
            return vec![vec![n]];
        }
        (1..=n + 1 - k)
            .flat_map(|first| {
                cuts(n - first, k - 1).into_iter().map(move |mut rest| {
                    rest.insert(0, first);
                    rest
                })
            })
            .collect()
    }
    let mut all = Vec::new();
    for lengths in (1..=k.min(n)).flat_map(|stages| cuts(n, stages)) {
        for order in orders(k) {
            let of = lengths.iter().zip(&order).flat_map(|(&length, &device)| vec![DeviceId(device); length]);
            all.push(of.collect());
        }
    }
    all
}

#[test]
fn the_bound_is_the_best_cut_and_the_plan_is_no_worse() {
    for seed in 0..60 {
        let (graph, seconds) = random_graph(seed, 7);
        let k = 1 + (seed as usize % 3);
        let rows: Vec<Vec<f64>> = (0..k)
            .map(|d| {
                let speed = if seed % 2 == 0 { 1.0 } else { 1.0 + d as f64 };
                seconds.iter().map(|s| s / speed).collect()
            })
            .collect();
        let (costs, cluster) = (costs(&rows), cluster(k, 1 << 30, LINK));
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        let brute = contiguous_assignments(7, k)
            .iter()
            .map(|of| loads(&graph, &costs, &cluster, of).into_iter().fold(0.0, f64::max))
            .fold(f64::INFINITY, f64::min);
        let value = loads(&graph, &costs, &cluster, &outcome.device_of).into_iter().fold(0.0, f64::max);
        assert!(
            (value - outcome.report.value).abs() < 1e-9,
            "seed {seed}: the report's value is the judge's"
        );
        assert!(value <= brute + 1e-9, "seed {seed}: {value} is worse than the best cut {brute}");
        assert!(outcome.report.bound().value() <= value);
        if outcome.report.bound().class().name() == "contiguous-sequence" {
            assert!((outcome.report.bound().value() - brute).abs() < 1e-9, "seed {seed}: bound");
        }
    }
}

#[test]
fn caps_that_some_cut_keeps_are_kept() {
    let mut binding = 0;
    for seed in 0..60 {
        let (graph, seconds) = random_graph(1000 + seed, 7);
        let k = 2 + (seed as usize % 2);
        let costs = costs(&vec![seconds.clone(); k]);
        let cluster = cluster(k, 1 << 30, LINK);
        let needs = |of: &[DeviceId]| {
            stages(&graph, &costs, &cluster, of).iter().map(|s| s.problem.working_set().0).max().unwrap_or(0)
        };
        let all = contiguous_assignments(7, k);
        let least = all.iter().map(|of| needs(of)).min().expect("assignments");
        let caps = Some(vec![Bytes(least); k]);
        let outcome = plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &Options { caps, ..options() },
        )
        .expect("a plan");
        assert!(needs(&outcome.device_of) <= least, "seed {seed}");
        let free =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        binding += usize::from(needs(&free.device_of) > least);
    }
    assert!(binding > 5, "the caps bound only {binding} times");
}

#[test]
fn an_argument_nobody_reads_counts_on_device_0() {
    let (mut graph, seconds) = random_graph(11, 30);
    graph.tensors.push(support::tensor(None, 1000, false));
    let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 1 << 30, LINK));
    let caps = Some(vec![Bytes(1200), Bytes(1 << 20)]);
    let outcome =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &Options { caps, ..options() })
            .expect("a plan");
    let needs = |of: &[DeviceId]| stages(&graph, &costs, &cluster, of)[0].problem.working_set().0;
    assert!(needs(&outcome.device_of) <= 1200, "{}", needs(&outcome.device_of));
}

#[test]
fn a_cap_no_cut_keeps_is_named() {
    let (graph, seconds) = random_graph(5, 12);
    let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 1 << 30, LINK));
    let options = Options { caps: Some(vec![Bytes(3); 2]), ..options() };
    let outcome =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options).expect("a plan");
    assert!(
        outcome.notes.iter().any(|note| note.contains("caps") && note.contains('%')),
        "{:?}",
        outcome.notes
    );
    assert!(outcome.notes.iter().any(|note| note.contains("over the cap by")));
}

#[test]
fn unequal_links_are_judged_as_they_are() {
    for seed in 0..30 {
        let (graph, seconds) = random_graph(2000 + seed, 40);
        let costs = costs(&vec![seconds; 4]);
        let mut cluster = cluster(4, 1 << 30, LINK);
        let slow = Link { bytes_per_second: 2.0, latency_seconds: 1.0 };
        for (a, b) in [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(a, b)| (DeviceId(a), DeviceId(b))) {
            cluster.links.extend([(a, b, slow), (b, a, slow)]);
        }
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        let tmax = loads(&graph, &costs, &cluster, &outcome.device_of).into_iter().fold(0.0, f64::max);
        assert!((outcome.report.value - tmax).abs() < 1e-9);
        assert!(outcome.report.bound().value() <= tmax);
    }
}

#[test]
fn device_rules_are_kept() {
    for seed in 0..30 {
        let (mut graph, seconds) = random_graph(3000 + seed, 20);
        graph.ops[3].rules.device = Some(DeviceId(2));
        graph.ops[11].rules.device = Some(DeviceId(seed as usize % 3));
        let (costs, cluster) = (costs(&vec![seconds; 3]), cluster(3, 1 << 30, LINK));
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        assert_eq!(outcome.device_of[3], DeviceId(2));
        assert_eq!(outcome.device_of[11], DeviceId(seed as usize % 3));
        assert_eq!(outcome.balance.idle_devices, 0);
    }
    let (mut graph, seconds) = random_graph(1, 20);
    graph.ops[4].rules.device = Some(DeviceId(3));
    let error = plan(
        &Program { graph: &graph, costs: &costs(&vec![seconds; 3]), cluster: &cluster(3, 1 << 30, LINK) },
        &options(),
    );
    assert!(
        matches!(error, Err(Error::Rule { op: OpId(4), device: DeviceId(3), last: DeviceId(2), .. })),
        "{error:?}"
    );
}

#[test]
fn the_answer_is_never_worse_than_the_start() {
    for seed in 0..30 {
        let (graph, seconds) = random_graph(4000 + seed, 15);
        let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 1 << 30, LINK));
        // A start outside the class of contiguous cuts.
        let start: Vec<DeviceId> = (0..15).map(|op| DeviceId((op * 7 + seed as usize) % 2)).collect();
        let before = loads(&graph, &costs, &cluster, &start).into_iter().fold(0.0, f64::max);
        let outcome = plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &Options { start: Some(start), ..options() },
        )
        .expect("a plan");
        assert!(outcome.report.value <= before + 1e-9);
    }
}

#[test]
fn a_device_stays_idle_where_that_is_faster_and_the_plan_says_so() {
    // Four layers of 1 + 1 s with huge values: two devices are slower than one.
    let ops: Vec<(Vec<usize>, u64, bool)> =
        (0..8).map(|i| (if i == 0 { vec![] } else { vec![i - 1] }, 1000, i % 2 == 0)).collect();
    let (graph, costs) = (graph(&ops), costs(&vec![vec![1.0; 8]; 2]));
    let cluster = cluster(2, 1 << 30, LINK);
    let layered = Options { granularity: Granularity::Layer, ..options() };
    let outcome =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &layered).expect("a plan");
    assert_eq!((outcome.report.value, outcome.balance.idle_devices), (8.0, 1));
    assert!(outcome.cuts.is_empty());
    assert!(
        outcome.notes.iter().any(|note| note.contains("1 of 2 devices stay idle")),
        "{:?}",
        outcome.notes
    );
    // Asked for, every device is used, and the bound says what that costs.
    let all = Options { use_all_devices: true, ..layered };
    let outcome = plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &all).expect("a plan");
    assert_eq!((&outcome.cuts[..], outcome.balance.idle_devices), (&[4][..], 0));
    let report = &outcome.report;
    assert!(report.value > 60.0 && report.bound().value() == 8.0 && !report.proved(), "{report:?}");
}

#[test]
fn of_cuts_as_fast_as_the_fastest_one_leaves_no_device_idle() {
    // The first op decides; the others fit on one device or on two.
    let ops: Vec<(Vec<usize>, u64, bool)> = (0..3).map(|_| (Vec::new(), 1, false)).collect();
    let (graph, costs) = (graph(&ops), costs(&vec![vec![4.0, 1.0, 1.0]; 3]));
    let outcome =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster(3, 1 << 30, LINK) }, &options())
            .expect("a plan");
    assert_eq!((outcome.report.value, outcome.balance.idle_devices), (4.0, 0));
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn of_more_devices_than_ops_some_stay_idle_by_every_method() {
    let (graph, seconds) = random_graph(1, 5);
    let planned = |devices: usize, options: &Options| {
        let (costs, cluster) = (costs(&vec![seconds.clone(); devices]), cluster(devices, 1 << 30, LINK));
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, options)
    };
    let limits = Limits { work_limit: Some(2_000), ..options().limits };
    for method in METHODS {
        let options = Options { method, limits, ..options() };
        let [few, many] = [5, 7].map(|devices| planned(devices, &options).expect("a plan"));
        assert!(many.balance.idle_devices >= 2, "{method:?}: {:?}", many.device_of);
        assert!(many.report.value <= few.report.value + 1e-9, "{method:?}: {many:?} {few:?}");
    }
    // Where every device has to get one, both numbers are told.
    let error = planned(6, &Options { use_all_devices: true, ..options() }).expect_err("refused");
    assert_eq!(error, Error::MoreDevicesThanOps { devices: 6, ops: 5 });
    assert!(error.to_string().contains('6') && error.to_string().contains('5'));
}

#[test]
fn a_stage_that_turned_out_slow_gets_less() {
    let ops: Vec<(Vec<usize>, u64, bool)> =
        (0..40).map(|i| (if i == 0 { vec![] } else { vec![i - 1] }, 1, true)).collect();
    let (graph, costs) = (graph(&ops), costs(&vec![vec![1.0; 40]; 2]));
    let cluster = cluster(2, 1 << 30, LINK);
    let first =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
    assert_eq!(first.cuts, [20]);
    let again = repartition(
        &Program { graph: &graph, costs: &costs, cluster: &cluster },
        &options(),
        &[Measured { device_of: &first.device_of, seconds: &[40.0, 20.0], raised: &[false; 2] }],
    )
    .expect("a plan");
    // Stage 0 took twice its time: 15 slow ops against 5 slow and 20 plain ones.
    assert_eq!(again.cuts, [15]);
}

#[test]
fn a_long_program_is_cut_in_time_and_well() {
    let (graph, seconds) = random_graph(9, 30_000);
    let total: f64 = seconds.iter().sum();
    let (costs, cluster) = (costs(&vec![seconds; 8]), cluster(8, 1 << 30, LINK));
    let outcome =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
    assert!(outcome.report.value < 1.01 * total / 8.0, "{} against {}", outcome.report.value, total / 8.0);
    let memory = plan(
        &Program { graph: &graph, costs: &costs, cluster: &cluster },
        &Options { order: Order::Memory, ..options() },
    )
    .expect("a plan");
    let place: Vec<usize> = {
        let mut place = vec![0; graph.ops.len()];
        for (i, &op) in memory.sequence.iter().enumerate() {
            place[op] = i;
        }
        place
    };
    for op in graph.planned() {
        assert!(
            graph.value_inputs(op).iter().all(|&input| place[input] < place[op]),
            "op {op} before its input"
        );
    }
}

#[test]
fn the_same_input_gives_the_same_plan() {
    let (graph, seconds) = random_graph(77, 300);
    let (costs, cluster) = (costs(&vec![seconds; 5]), cluster(5, 400, LINK));
    let run =
        || plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
    let (a, b) = (run(), run());
    assert_eq!((a.device_of, a.cuts, a.notes), (b.device_of, b.cuts, b.notes));
}

/// Three ops in a row, which take 1, 2 and 3 s.
fn chain() -> (Graph, Costs, Cluster) {
    let graph = graph(&[(vec![], 8, false), (vec![0], 8, false), (vec![1], 8, true)]);
    let costs = costs(&[vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]]);
    (graph, costs, cluster(2, 1000, LINK))
}

#[test]
fn a_placement_comes_back_from_its_file_and_is_judged_as_it_is() {
    let (graph, costs, cluster) = chain();
    // Not a cut of the sequence, and slower than the best: nothing is improved.
    let devices = [1, 0, 1].map(DeviceId);
    let text = serde_json::to_string(&Given::new(&graph, &devices)).expect("text");
    let read = Given::parse(&text).and_then(|given| given.devices(&graph, 2)).expect("a placement");
    assert_eq!(read, devices);
    let outcome = plan_given(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options(), read)
        .expect("an outcome");
    assert_eq!(outcome.device_of, devices);
    assert_eq!(outcome.cuts, [1, 2]);
    assert!(outcome.report.value >= 4.0 && !outcome.report.proved(), "{:?}", outcome.report);
    let best = plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options())
        .expect("a plan")
        .report
        .value;
    let bound = outcome.report.bound().value();
    assert!(outcome.report.method == "given" && (3.0..=best).contains(&bound), "{bound}, best {best}");
}

#[test]
fn a_bound_beside_a_placement_counts_what_must_cross() {
    let mut raised = 0;
    for seed in 0..20 {
        let (graph, seconds) = random_graph(seed, 12);
        let (costs, cluster) = (costs(&vec![seconds; 3]), cluster(3, 400, LINK));
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let best = plan(&program, &options()).expect("a plan");
        // Any placement: all ops on one device.
        let device_of = vec![DeviceId(0); graph.ops.len()];
        let floor =
            plan_given(&program, &options(), device_of.clone()).expect("judged").report.bound().value();
        let bound = bound_of_given(&program, &options(), device_of).expect("a bound").value();
        assert!(
            floor <= bound && bound <= best.report.value * (1.0 + 1e-9),
            "{floor} {bound} {:?}",
            best.report
        );
        raised += usize::from(bound > floor * (1.0 + 1e-6));
    }
    assert!(raised > 5, "{raised} of 20 bounds are above the share of the work");
}

#[test]
fn placements_that_do_not_fit_are_refused_at_the_op() {
    let (mut graph, costs, cluster) = chain();
    let refused = |graph: &Graph, text: &str| {
        let error = Given::parse(text).and_then(|given| given.devices(graph, 2)).expect_err("refused");
        (error.op, error.reason)
    };
    let text = serde_json::to_string(&Given::new(&graph, &[0, 1, 2].map(DeviceId))).expect("text");
    assert_eq!(refused(&graph, &text), (Some(OpId(2)), "its op 2 runs on device 2, and there are 2".into()));
    let text = serde_json::to_string(&Given::new(&graph, &[0, 1, 1].map(DeviceId))).expect("text");
    graph.ops[1].rules.device = Some(DeviceId(0));
    assert_eq!(refused(&graph, &text).0, Some(OpId(1)));
    graph.ops[1].name = "other".into();
    assert!(refused(&graph, &text).1.contains("made for another program"));
    assert!(refused(&graph, &text).1.contains("Give `fusion` as"));
    // A loop there, and what it was opened to here.
    let whole = text.replacen(&format!("\"op\":\"{}\"", graph.ops[0].name), "\"op\":\"scf.for\"", 1);
    let reason = refused(&graph, &whole).1;
    assert!(reason.contains("it has 1 that are one op each, and here are 0. Give `loops` as"), "{reason}");
    graph.ops.truncate(2);
    assert!(refused(&graph, &text).1.starts_with("it places 3 ops"));
    assert!(refused(&graph, &text.replace("\"version\":1", "\"version\":9")).1.contains("version 9"));
    assert!(refused(&graph, "[]").1.contains("not a placement"));
    let plan = include_str!("../../../docs/plan.example.json");
    assert!(
        refused(&graph, &plan.replacen("\"version\": 2", "\"version\": 9", 1))
            .1
            .contains("a plan of version 9")
    );
    assert!(
        plan_given(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &options(),
            [0, 2].map(DeviceId).to_vec()
        )
        .is_err()
    );
}
