//! Where first runs take any order, ops with effects keep that of the program.

use ballast_core::limits::Limits;
use ballast_core::memory::{Node, NodeId, Problem, Step, SwapModel};
use ballast_remat::{Error, Options, Order, Outcome, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random problem of which every third node or so has effects; a node reads some of as many before it as `reach`.
fn random_problem(nodes: usize, reach: usize, seed: u64) -> Problem {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut before = None;
    let nodes = (0..nodes).map(|id| {
        let inputs: Vec<usize> = (id.saturating_sub(reach)..id).filter(|_| rng.random_bool(0.15)).collect();
        let time = f64::from(rng.random_range(1..100));
        let mut node = Node::new(format!("n{id}"), time, rng.random_range(1..100), inputs);
        if rng.random_bool(0.35) {
            (node.recomputable, node.after) = (false, before);
            before = Some(NodeId(id));
        }
        node
    });
    Problem { name: "effects".into(), nodes: nodes.collect(), resident_bytes: 0 }
}

/// How many effects come before the one that the program has before them.
fn out_of_order(problem: &Problem, outcome: &Outcome) -> usize {
    let mut first = vec![usize::MAX; problem.nodes.len()];
    for (at, step) in outcome.schedule.steps.iter().enumerate() {
        if let Step::Compute(node) = *step {
            first[node] = first[node].min(at);
        }
    }
    let is_early = |(id, node): &(NodeId, &Node)| node.after.is_some_and(|before| first[*id] < first[before]);
    NodeId::of(&problem.nodes).filter(is_early).count()
}

/// Plans a problem, and what it is without its effects; how many of the second plan's are out of order.
fn planned(problem: &Problem, swap: Option<SwapModel>, work: u64) -> Option<usize> {
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let limits = Limits { time_limit_seconds: None, work_limit: Some(work), seed: 5, threads: 1 };
    let cap_bytes = (least + 2 * peak) / 3;
    let options = Options { cap_bytes, swap, order: Order::Free, limits, ..Options::default() };
    let mut without = problem.clone();
    for node in &mut without.nodes {
        node.after = None;
    }
    let outcome = match plan(problem, &options) {
        Ok(outcome) => outcome,
        Err(Error::Infeasible { .. }) => return None,
        Err(failure) => panic!("{failure}: {problem:?}"),
    };
    assert_eq!(out_of_order(problem, &outcome), 0, "{problem:?}");
    let free = plan(&without, &options).unwrap();
    if free.report.proved() && outcome.report.proved() {
        let (bound, free) = (outcome.report.value, free.report.value);
        assert!(bound >= free * (1.0 - 1e-6), "{bound} in order, {free} in any: {problem:?}");
    }
    Some(out_of_order(problem, &free))
}

/// That so many effects are out of order where nothing keeps them shows that something does.
fn compare(graphs: u64, (nodes, reach): (usize, usize), swap: Option<SwapModel>, work: u64) {
    let found = (0..graphs).filter_map(|seed| planned(&random_problem(nodes, reach, seed), swap, work));
    let found: Vec<usize> = found.collect();
    assert!(found.len() as u64 * 2 > graphs, "{} of {graphs} have a plan", found.len());
    assert!(found.iter().sum::<usize>() > 0, "nothing moves");
}

#[test]
fn all_states_of_small_problems_have_effects_in_order() {
    compare(20, (14, 14), None, 400_000);
}

#[test]
fn so_have_those_with_copies_to_the_host() {
    let swap = SwapModel {
        out_bandwidth: 2.0,
        in_bandwidth: 2.0,
        latency: 0.0,
        overlap: false,
        host_capacity_bytes: None,
    };
    compare(10, (10, 10), Some(swap), 400_000);
}

#[test]
fn local_search_moves_no_effect_past_another() {
    compare(3, (60, 30), None, 300_000);
}
