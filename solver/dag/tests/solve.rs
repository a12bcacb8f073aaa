//! DAG partitioning end to end: against brute force, on published workloads, with limits and threads.

use std::path::{Path, PathBuf};

use ballast_core::limits::{Limits, StopReason};
use ballast_dag::check::check;
use ballast_dag::problem::{Assignment, Kind, Node, PlanClass, Problem};
use ballast_dag::solve::{Error, Method, Options, Solved, solve};
use ballast_dag::workload;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

fn run(problem: &Problem, class: PlanClass, method: Method, limits: Limits) -> Result<Solved, Error> {
    solve(problem, &Options { class, method, limits, finish_early: true, placer: None, observe: &|_| () })
}

fn steps(work_limit: u64) -> Limits {
    Limits { time_limit_seconds: None, work_limit: Some(work_limit), seed: 3, threads: 1 }
}

/// A random problem of up to seven nodes with backward nodes, colours, caps and nodes some devices cannot run.
fn random_problem(seed: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let count = random.random_range(3..8);
    let kinds = vec![
        Kind {
            name: "fast".into(),
            count: random.random_range(1..3),
            memory_bytes: [f64::INFINITY, 12.0][random.random_range(0..2)],
            transfer_factor: 1.0,
        },
        Kind {
            name: "slow".into(),
            count: random.random_range(0..2),
            memory_bytes: 30.0,
            transfer_factor: 1.5,
        },
        Kind {
            name: "CPU core".into(),
            count: random.random_range(0..2),
            memory_bytes: f64::INFINITY,
            transfer_factor: 0.0,
        },
    ];
    let forward = random.random_range(2..=count);
    let mut nodes: Vec<Node> = (0..count)
        .map(|v| {
            let time = random.random_range(0..8) as f64;
            let accelerated = random.random_range(0..8) > 0;
            let on = |factor: f64| if accelerated { time * factor } else { f64::INFINITY };
            Node {
                id: v.to_string(),
                time: vec![on(1.0), on(1.7), time * 4.0],
                size_bytes: random.random_range(0..6) as f64,
                backward: v >= forward,
                colour: (random.random_range(0..3) == 0).then(|| random.random_range(0..2)),
                output_cost: [0.0, 0.3, 1.0, 4.0][random.random_range(0..4)],
                readers: Vec::new(),
            }
        })
        .collect();
    for (from, node) in nodes.iter_mut().enumerate() {
        node.readers = (from + 1..count).filter(|_| random.random_range(0..5) < 2).collect();
    }
    Problem { name: String::new(), kinds, nodes, colours: 2 }
}

/// The smallest largest load over all assignments the judge accepts.
fn brute_force(problem: &Problem, class: PlanClass) -> Option<f64> {
    let devices = problem.device_count();
    let mut assignment: Assignment = vec![0; problem.nodes.len()];
    let mut best: Option<f64> = None;
    loop {
        if let Ok(verdict) = check(problem, class, &assignment) {
            best = Some(best.map_or(verdict.max_load, |b| b.min(verdict.max_load)));
        }
        let Some(at) = assignment.iter().rposition(|&d| d + 1 < devices) else { return best };
        assignment[at] += 1;
        assignment[at + 1..].fill(0);
    }
}

fn compare(class: PlanClass, seeds: std::ops::Range<u64>, must_prove: bool) {
    let mut planned = 0;
    for seed in seeds {
        let problem = random_problem(seed);
        let expected = brute_force(&problem, class);
        match (run(&problem, class, Method::Auto, steps(400_000)), expected) {
            (Ok(outcome), Some(expected)) => {
                let report = &outcome.report;
                let tolerance = 1e-9 + expected * 1e-6;
                assert!(
                    (report.value - expected).abs() < tolerance,
                    "seed {seed}: {report:?}, best {expected}"
                );
                assert!(
                    report.bound().value() <= expected + tolerance,
                    "seed {seed}: {report:?}, best {expected}"
                );
                assert!(report.proved() || !must_prove, "seed {seed}: {report:?}");
                planned += 1;
            }
            (Err(Error::Infeasible { .. } | Error::NotFound { .. }), None) => {}
            (found, expected) => panic!("seed {seed}: {found:?}, brute force {expected:?}"),
        }
    }
    assert!(planned > 50, "only {planned} problems had a plan");
}

#[test]
fn contiguous_plans_are_as_good_as_brute_force() {
    compare(PlanClass::Contiguous, 0..400, true);
}

#[test]
fn free_plans_are_as_good_as_brute_force() {
    compare(PlanClass::Free, 1000..1150, false);
}

/// Where caps leave little room and order rules out more, a free plan has to be found without a contiguous one.
#[test]
fn free_plans_are_found_where_there_is_no_contiguous_one() {
    let (mut alone, mut impossible, mut found, mut missed) = (0, 0, 0, 0);
    for seed in 0..300 {
        let mut problem = random_problem(seed);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        problem.colours = 0;
        let total: f64 = problem.nodes.iter().map(|node| node.size_bytes).sum();
        let devices = problem.device_count() as f64;
        for kind in &mut problem.kinds {
            kind.memory_bytes = (total / devices * random.random_range(1.0..1.3)).round();
        }
        for node in &mut problem.nodes {
            (node.colour, node.backward) = (None, false);
        }
        let expected = brute_force(&problem, PlanClass::Free);
        alone += u32::from(expected.is_some() && brute_force(&problem, PlanClass::Contiguous).is_none());
        for method in [Method::Auto, Method::Anneal] {
            match (run(&problem, PlanClass::Free, method, steps(400_000)), expected) {
                (Ok(outcome), Some(expected)) => {
                    let tolerance = 1e-9 + expected * 1e-6;
                    found += 1;
                    missed += u32::from(outcome.report.value > expected + tolerance);
                }
                (Err(Error::Infeasible { .. }), None) => impossible += 1,
                (found, expected) => panic!("seed {seed}: {found:?}, brute force {expected:?}"),
            }
        }
    }
    // Few moves lead from one to the other where there is hardly room.
    assert!(missed * 20 < found, "{missed} of {found} are not the best");
    assert!(alone > 5 && impossible > 20, "{alone} had a free plan alone, {impossible} none");
}

fn inputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/dnn-partitioning")
}

/// Optima as published with the workloads, found by two independent programs.
const CONTIGUOUS: [(&str, f64); 5] = [
    ("LayerGraphs/bert24_inference.json", 17.789906),
    ("LayerGraphs/bert24_training.json", 41.745812),
    ("LayerGraphs/resnet50_inference.json", 33.774666),
    ("LayerGraphs/resnet50_training.json", 78.631813),
    ("OperatorGraphs/bert_l-3_inference.json", 27.918568),
];

#[test]
fn published_contiguous_optima_are_reached_and_proved() {
    for (file, optimum) in CONTIGUOUS {
        let problem = workload::read(&inputs().join(file)).unwrap();
        let outcome = run(&problem, PlanClass::Contiguous, Method::Auto, steps(u64::MAX)).unwrap();
        assert!((outcome.report.value - optimum).abs() < 1e-6, "{file}: {:?}", outcome.report);
        assert!(outcome.report.proved(), "{file}: {:?}", outcome.report);
        assert_eq!(outcome.report.gap(), 0.0, "{file}");
        let verdict = check(&problem, PlanClass::Contiguous, &outcome.assignment).unwrap();
        assert_eq!(verdict.max_load, outcome.report.value, "{file}");
    }
}

#[test]
fn free_optimum_of_a_chain_of_layers_is_proved_by_counting() {
    let problem = workload::read(&inputs().join("LayerGraphs/bert24_inference.json")).unwrap();
    let outcome = run(&problem, PlanClass::Free, Method::Auto, steps(20_000_000)).unwrap();
    assert!((outcome.report.value - 17.714719).abs() < 1e-6, "{:?}", outcome.report);
    assert!(outcome.report.proved(), "{:?}", outcome.report);
    // How many large layers a device holds is counted by HiGHS; contiguous plans are proved without it.
    assert!(outcome.report.bound().trusts_highs());
    let contiguous = run(&problem, PlanClass::Contiguous, Method::Auto, steps(u64::MAX)).unwrap();
    assert!(contiguous.report.proved() && !contiguous.report.bound().trusts_highs());
}

#[test]
fn threads_change_nothing() {
    let problem = workload::read(&inputs().join("LayerGraphs/resnet50_inference.json")).unwrap();
    for (class, work) in [(PlanClass::Free, 600_000), (PlanClass::Contiguous, 300)] {
        let plan = |threads| {
            let limits = Limits { threads, ..steps(work) };
            run(&problem, class, Method::Auto, limits).unwrap()
        };
        let (one, two) = (plan(1), plan(2));
        assert_eq!(one.assignment, two.assignment, "{class:?}");
        assert_eq!(one.report.bound().value().to_bits(), two.report.bound().value().to_bits(), "{class:?}");
        assert_eq!(one.report.work, two.report.work, "{class:?}");
    }
}

#[test]
fn a_search_that_is_cut_short_still_has_a_plan_and_a_bound() {
    let problem = workload::read(&inputs().join("OperatorGraphs/bert_l-3_inference.json")).unwrap();
    let outcome = run(&problem, PlanClass::Contiguous, Method::Auto, steps(5_000)).unwrap();
    assert_eq!(outcome.report.stop_reason, StopReason::WorkLimit);
    assert!(outcome.report.bound().value() > 0.0 && outcome.report.bound().value() <= 27.918568);
    assert!(outcome.report.value >= 27.918567);
}

#[test]
fn caps_that_no_plan_can_keep_are_proved_infeasible() {
    let mut problem = random_problem(1);
    for kind in &mut problem.kinds {
        kind.count = 0;
    }
    problem.kinds[0].count = 2;
    problem.kinds[0].memory_bytes = 5.0;
    for node in &mut problem.nodes {
        node.size_bytes = 4.0;
        node.time = vec![1.0; 3];
        node.colour = None;
        node.backward = false;
    }
    let failure = run(&problem, PlanClass::Contiguous, Method::Auto, steps(1_000_000)).unwrap_err();
    assert_eq!(failure, Error::Infeasible { class: "contiguous" });
}

#[test]
fn methods_refuse_the_class_they_do_not_search() {
    let problem = random_problem(2);
    for (class, method) in [(PlanClass::Free, Method::Exact), (PlanClass::Contiguous, Method::Anneal)] {
        let failure = run(&problem, class, method, steps(1000)).unwrap_err();
        assert!(matches!(failure, Error::Mismatch { .. }), "{failure}");
    }
}

/// Layers of parallel branches, forward and backward: wide enough for tens of thousands of ideals.
fn branches(seed: u64, blocks: usize, width: usize, depth: usize) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut arcs: Vec<(usize, usize)> = Vec::new();
    let mut count = 1;
    for _ in 0..blocks {
        let root = count - 1;
        let mut ends = Vec::new();
        for _ in 0..width {
            let mut at = root;
            for _ in 0..depth {
                arcs.push((at, count));
                at = count;
                count += 1;
            }
            ends.push(at);
        }
        arcs.extend(ends.into_iter().map(|end| (end, count)));
        count += 1;
    }
    let mut nodes: Vec<Node> = (0..2 * count)
        .map(|v| {
            let time = 0.1 + (random.next_u32() % 1000) as f64 / 700.0;
            Node {
                id: v.to_string(),
                time: vec![time, time * 10.0],
                size_bytes: 1.0,
                backward: v >= count,
                colour: Some(v % count),
                output_cost: 0.05 + (random.next_u32() % 100) as f64 / 500.0,
                readers: Vec::new(),
            }
        })
        .collect();
    for (from, to) in arcs {
        nodes[from].readers.push(to);
        nodes[count + to].readers.push(count + from);
    }
    let kind = |name: &str, count: usize, transfer_factor: f64| Kind {
        name: name.into(),
        count,
        memory_bytes: f64::INFINITY,
        transfer_factor,
    };
    let kinds = vec![kind("accelerator", 6, 1.0), kind("CPU core", 1, 0.0)];
    Problem { name: String::new(), kinds, nodes, colours: count }
}

#[test]
fn graphs_with_many_ideals_are_proved() {
    let problem = branches(1, 11, 4, 6);
    assert_eq!(problem.nodes.len(), 552);
    let outcome = run(&problem, PlanClass::Contiguous, Method::Auto, steps(60_000_000)).unwrap();
    assert!(outcome.report.proved(), "{:?}", outcome.report);
}

/// Blocks of up to `width` parallel branches, forward and backward, with memory, and backward nodes that no forward node
/// stands behind.
fn training(seed: u64, blocks: usize, width: u32, orphans: usize) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut arcs: Vec<(usize, usize)> = Vec::new();
    let mut count = 1;
    for _ in 0..blocks {
        let root = count - 1;
        let mut ends = vec![root];
        for _ in 0..1 + random.next_u32() % width {
            let mut at = root;
            for _ in 0..1 + random.next_u32() % 5 {
                arcs.push((at, count));
                at = count;
                count += 1;
            }
            ends.push(at);
        }
        arcs.extend(ends.into_iter().map(|end| (end, count)));
        count += 1;
    }
    let mut nodes: Vec<Node> = (0..2 * count + orphans)
        .map(|v| {
            let time = 0.1 + (random.next_u32() % 1000) as f64 / 700.0;
            Node {
                id: v.to_string(),
                time: vec![time, time * 10.0],
                size_bytes: (random.next_u32() % 100) as f64,
                backward: v >= count,
                colour: (v < 2 * count).then_some(v % count),
                output_cost: (1 + random.next_u32() % 100) as f64 / 100.0,
                readers: Vec::new(),
            }
        })
        .collect();
    for (from, to) in arcs {
        nodes[from].readers.push(to);
        nodes[count + to].readers.push(count + from);
    }
    for orphan in 2 * count..2 * count + orphans {
        nodes[count + random.next_u32() as usize % count].readers.push(orphan);
    }
    let bytes: f64 = nodes.iter().map(|node| node.size_bytes).sum();
    let kind = |name: &str, count: usize, memory_bytes: f64, transfer_factor: f64| Kind {
        name: name.into(),
        count,
        memory_bytes,
        transfer_factor,
    };
    let kinds =
        vec![kind("accelerator", 8, 1.25 * bytes / 8.0, 1.0), kind("CPU core", 2, f64::INFINITY, 0.0)];
    Problem { name: String::new(), kinds, nodes, colours: count }
}

#[test]
fn training_graphs_of_few_ideals_are_proved() {
    for (seed, blocks, width, orphans) in [(1, 110, 3, 0), (2, 130, 2, 1), (3, 60, 3, 5), (4, 12, 4, 3)] {
        let problem = training(seed, blocks, width, orphans);
        let outcome = run(&problem, PlanClass::Contiguous, Method::Auto, steps(20_000_000)).unwrap();
        assert!(outcome.report.proved(), "seed {seed}, {} nodes: {:?}", problem.nodes.len(), outcome.report);
    }
}

#[test]
fn large_graphs_are_planned_coarse_to_fine() {
    let mut problem = branches(2, 120, 3, 8);
    problem.kinds[0].count = 16;
    for (class, method) in [(PlanClass::Contiguous, Method::Order), (PlanClass::Free, Method::Anneal)] {
        let outcome = run(&problem, class, method, steps(100_000)).unwrap();
        assert!(outcome.report.gap() < 0.05, "{class:?}: {:?}", outcome.report);
    }
}

/// Backward nodes alone, on four accelerators of a common cap: no order binds them, so that every assignment within the caps is a contiguous plan.
fn backward_alone(seed: usize, capped: bool) -> Problem {
    let count = 16 + 2 * seed;
    let node = |v: usize| Node {
        id: v.to_string(),
        time: vec![((7 * v * v + 11 * v + 3 * seed) % 30 + 1) as f64],
        size_bytes: (3 + (5 * v + 3 * seed) % 7) as f64,
        backward: true,
        colour: None,
        output_cost: [1.0, 2.0, 3.0, 5.0][(v * v + seed) % 4],
        readers: (v + 1..count).filter(|reader| (5 * v + 3 * reader + seed).is_multiple_of(7)).collect(),
    };
    let nodes: Vec<Node> = (0..count).map(node).collect();
    let bytes: f64 = nodes.iter().map(|node| node.size_bytes).sum();
    let memory_bytes = if capped { (bytes / 4.0).ceil() + 1.0 } else { f64::INFINITY };
    let kind = Kind { name: "accelerator".into(), count: 4, memory_bytes, transfer_factor: 1.0 };
    Problem { name: String::new(), kinds: vec![kind], nodes, colours: 0 }
}

/// Where no node is bound by the order, nothing is found out from the order: no plan is ruled out that the judge accepts.
#[test]
fn nothing_is_claimed_of_backward_nodes_alone_that_a_plan_refutes() {
    for (seed, capped) in (0..3).flat_map(|seed| [(seed, false), (seed, true)]) {
        let problem = backward_alone(seed, capped);
        let other = run(&problem, PlanClass::Free, Method::Auto, steps(20_000)).unwrap();
        let other = check(&problem, PlanClass::Contiguous, &other.assignment).unwrap().max_load;
        match run(&problem, PlanClass::Contiguous, Method::Auto, steps(2_000)) {
            Ok(outcome) => {
                let report = &outcome.report;
                assert!(report.bound().value() <= other, "seed {seed}, capped {capped}: {report:?}, {other}");
            }
            Err(failure) => {
                assert!(matches!(failure, Error::NotFound { .. }), "seed {seed}: {failure}, {other}");
            }
        }
    }
}

/// The contiguous plan of a workload file.
fn planned(workload: &Value) -> Solved {
    let problem = workload::parse(&workload.to_string(), "w.json").unwrap();
    run(&problem, PlanClass::Contiguous, Method::Auto, steps(200_000)).unwrap()
}

/// A chain of nodes of these sizes on accelerators that hold 0.3, and on slow cores.
fn tenths(accelerators: usize, cores: usize, sizes: &[f64]) -> Value {
    let node =
        |(id, size): (usize, &f64)| json!({"id": id, "fpgaLatency": 1.0, "cpuLatency": 100.0, "size": size});
    let nodes: Vec<Value> = sizes.iter().enumerate().map(node).collect();
    let edge = |id: usize| json!({"sourceId": id - 1, "destId": id, "cost": 0.5});
    let edges: Vec<Value> = (1..sizes.len()).map(edge).collect();
    json!({"maxFPGAs": accelerators, "maxCPUs": cores, "maxSizePerFPGA": 0.3, "nodes": nodes, "edges": edges})
}

/// As doubles, 0.1 and 0.2 are more than 0.3. The judge lets that pass, and so has everyone who rules plans out.
#[test]
fn sizes_that_are_no_doubles_fill_a_cap() {
    let full = planned(&tenths(2, 0, &[0.1, 0.2, 0.1, 0.2])).report;
    assert!(full.proved() && full.value == 2.5, "{full:?}");
    // The last node alone is on the core.
    let beside = planned(&tenths(1, 1, &[0.1, 0.2, 0.3])).report;
    assert!(beside.proved() && beside.value == 100.0, "{beside:?}");
    let mut class = tenths(2, 0, &[0.1, 0.2]);
    for node in class["nodes"].as_array_mut().unwrap() {
        node["colorClass"] = json!(0);
    }
    assert_eq!(planned(&class).report.value, 2.0);
}

/// A load from which 1e18 was taken again is what it was before, not 0.
#[test]
fn nets_that_dwarf_all_others_hide_no_plan() {
    let workload = json!({
        "maxFPGAs": 1, "maxCPUs": 2, "maxSizePerFPGA": 5,
        "nodes": [
            {"id": 0, "fpgaLatency": 12, "cpuLatency": 34, "size": 2},
            {"id": 1, "fpgaLatency": 13, "cpuLatency": 55, "size": 0},
            {"id": 2, "fpgaLatency": 19, "cpuLatency": 59, "size": 0, "isBackwardNode": true},
            {"id": 3, "fpgaLatency": 13, "cpuLatency": 35, "size": 2},
        ],
        "edges": [
            {"sourceId": 0, "destId": 1, "cost": 1e18},
            {"sourceId": 0, "destId": 2, "cost": 1e18},
            {"sourceId": 1, "destId": 2, "cost": 65},
            {"sourceId": 2, "destId": 3, "cost": 7},
        ],
    });
    let problem = workload::parse(&workload.to_string(), "w.json").unwrap();
    assert_eq!(brute_force(&problem, PlanClass::Contiguous), Some(51.0));
    let report = planned(&workload).report;
    assert!(report.proved() && report.value == 51.0, "{report:?}");
    let free = run(&problem, PlanClass::Free, Method::Auto, steps(200_000)).unwrap().report;
    let best = brute_force(&problem, PlanClass::Free).unwrap();
    assert!(free.bound().value() <= best * (1.0 + 1e-9), "{free:?}, best {best}");
}

/// The ways to use 33 devices, each of a kind of its own, are more than 32 bits count.
#[test]
fn every_node_gets_the_one_device_that_runs_it_among_many_kinds() {
    let count = 33;
    let node = |v: usize| {
        let times: Vec<Option<f64>> = (0..count).map(|kind| (kind == v).then_some(1.0)).collect();
        json!({"id": v, "latencies": times})
    };
    let nodes: Vec<Value> = (0..count).map(node).collect();
    let edges: Vec<Value> =
        (1..count).map(|v| json!({"sourceId": v - 1, "destId": v, "cost": 0.4})).collect();
    let kinds = vec![json!({"count": 1}); count];
    let solved = planned(&json!({"maxCPUs": 0, "accelerators": kinds, "nodes": nodes, "edges": edges}));
    assert_eq!(solved.assignment, (0..count).collect::<Assignment>());
}
