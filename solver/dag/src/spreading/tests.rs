//! Spreading bounds against every plan of small problems, and on chains whose optimum is known.

use super::*;
use crate::bound::{WorkPrices, simple_bound};
use crate::check::check;
use crate::problem::{Kind, Node, PlanClass, Problem};
use rand::{Rng, RngExt};

fn node(time: Vec<f64>, output_cost: f64, readers: Vec<usize>) -> Node {
    Node { id: String::new(), time, size_bytes: 0.0, backward: false, colour: None, output_cost, readers }
}

fn kind(count: usize, transfer_factor: f64) -> Kind {
    Kind { name: String::new(), count, memory_bytes: f64::INFINITY, transfer_factor }
}

/// Nodes of work 1 one after the other.
fn chain(length: usize, cost: f64, devices: usize) -> Problem {
    let readers = |v: usize| if v + 1 < length { vec![v + 1] } else { Vec::new() };
    let nodes = (0..length).map(|v| node(vec![1.0], cost, readers(v))).collect();
    Problem { name: String::new(), kinds: vec![kind(devices, 1.0)], nodes, colours: 0 }
}

fn prove(problem: &Problem, value: f64, steps: u64) -> Proof {
    let clock = Deadline::after(None);
    bound_of(problem, value, &Budget { steps, clock: &clock, seed: 1 })
}

/// The smallest largest load of all plans.
pub(crate) fn best_of_all(problem: &Problem) -> f64 {
    let devices = problem.device_count();
    let mut assignment = vec![0; problem.nodes.len()];
    let mut best = f64::INFINITY;
    loop {
        if let Ok(verdict) = check(problem, PlanClass::Free, &assignment) {
            best = best.min(verdict.max_load);
        }
        let Some(at) = assignment.iter().rposition(|&d| d + 1 < devices) else { return best };
        assignment[at] += 1;
        assignment[at + 1..].fill(0);
    }
}

pub(crate) fn random_problem(random: &mut impl Rng) -> Problem {
    let count = random.random_range(4..9);
    let kinds = match random.random_range(0..3) {
        0 => vec![kind(3, 1.0)],
        1 => vec![kind(2, 1.0), kind(1, 1.5)],
        _ => vec![kind(2, 1.0), kind(1, 0.0)],
    };
    let factors = [1.0, [0.5, 2.0, 8.0][random.random_range(0..3)]];
    let mut nodes: Vec<Node> = (0..count)
        .map(|_| {
            let time = f64::from(random.random_range(0..8u32));
            let mut times: Vec<f64> = factors[..kinds.len()].iter().map(|factor| time * factor).collect();
            if random.random_range(0..6) == 0 && kinds.len() > 1 {
                times[random.random_range(0..2)] = f64::INFINITY;
            }
            node(times, [0.0, 0.3, 1.0, 4.0][random.random_range(0..4)], Vec::new())
        })
        .collect();
    for (from, node) in nodes.iter_mut().enumerate() {
        node.readers = (from + 1..count).filter(|_| random.random_range(0..5) < 2).collect();
    }
    Problem { name: String::new(), kinds, nodes, colours: 0 }
}

#[test]
fn no_plan_is_below_the_bound_and_most_bounds_say_more_than_the_work_does() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let (mut raised, mut met) = (0, 0);
    for case in 0..400 {
        let problem = random_problem(&mut random);
        let best = best_of_all(&problem);
        // A value that no plan beats, and one that many do.
        for value in [best, best * 1.7] {
            if value == 0.0 || value.is_infinite() {
                continue;
            }
            let proof = prove(&problem, value, 1_000_000);
            assert!(
                proof.bound <= best * (1.0 + 1e-9),
                "case {case}: {} above {best}: {problem:?}",
                proof.bound
            );
            let graph = Hypergraph::of(&problem);
            let simple = simple_bound(&graph, &WorkPrices::fit(&graph)).min(best);
            raised += usize::from(proof.bound > simple * 1.001);
            met += usize::from(proof.bound > best * 0.999);
        }
    }
    assert!(raised > 650 && met > 380, "{raised} of 800 raised, {met} met");
}

#[test]
fn chains_cost_a_cut_for_every_device_but_the_last() {
    // 24 nodes of work 1 and cuts of 2: halves of 12 + 2; quarters whose middle two pay two cuts, so that they are smaller.
    for (devices, best) in [(2, 14.0), (4, 9.0)] {
        let problem = chain(24, 2.0, devices);
        let proof = prove(&problem, best, 10_000_000);
        assert!(proof.bound <= best, "{devices} devices: {}", proof.bound);
        // Undecided lengths leave the relaxation below; no plan that cuts them, and none that does not, is better.
        assert!(proof.bound >= best * (1.0 - 1e-6), "{devices} devices: {}", proof.bound);
    }
}

#[test]
fn a_host_saves_a_side_of_a_net_only_where_it_runs_an_end() {
    // Nine nodes of work 2 in a row, cuts of 0.5, two accelerators, and a host that takes 7 for one and pays nothing: it runs one at an end, which an accelerator
    // pays for: 7, 8 + 0.5 and 8 + 2 * 0.5 are 9; or one in the middle, and 4 nodes and one cut on either side.
    let mut problem = chain(9, 0.5, 2);
    problem.kinds.push(kind(1, 0.0));
    problem.nodes.iter_mut().for_each(|node| node.time = vec![2.0, 7.0]);
    let best = best_of_all(&problem);
    let proof = prove(&problem, best, 1_000_000);
    assert!((best - 8.5).abs() < 1e-12, "{best}");
    assert!(proof.bound <= best && proof.bound >= best * (1.0 - 1e-6), "{} of {best}", proof.bound);
}

#[test]
fn kinds_have_columns_only_where_transfers_tell_them_apart() {
    let columns = |factor| {
        let mut problem = chain(9, 0.5, 2);
        problem.kinds.push(kind(1, factor));
        problem.nodes.iter_mut().for_each(|node| node.time = vec![2.0, 7.0]);
        kinds::Kinds::of(&Hypergraph::of(&problem), 1, |_, _| true).map(|kinds| kinds.columns())
    };
    // One for each of nine nodes, one for each of eight nets.
    assert_eq!((columns(1.0), columns(0.0)), (None, Some(17)));
}

#[test]
fn a_tensor_that_all_read_is_paid_by_two_devices() {
    // Six nodes that read one: whoever does not run all of them pays 3, and so does another.
    let mut nodes = vec![node(vec![1.0], 3.0, (1..=6).collect())];
    nodes.extend((0..6).map(|_| node(vec![1.0], 0.0, Vec::new())));
    let problem = Problem { name: String::new(), kinds: vec![kind(2, 1.0)], nodes, colours: 0 };
    let best = best_of_all(&problem);
    assert!((best - 7.0).abs() < 1e-12, "all on one device: {best}");
    let proof = prove(&problem, best, 1_000_000);
    assert!(proof.bound <= best && proof.bound > 5.0, "{} of {best}, work 3.5", proof.bound);
}

#[test]
fn what_is_too_much_for_one_device_pays_a_whole_cut() {
    // Three nodes of 9 that share a value of 2, and 69 of 1 beside them: 27 on one of four devices, or 9 + 2 and 18 + 2, and all 25.
    let mut nodes = vec![node(vec![9.0], 2.0, vec![1, 2])];
    nodes.extend((0..2).map(|_| node(vec![9.0], 0.0, Vec::new())));
    nodes.extend((0..69).map(|_| node(vec![1.0], 0.0, Vec::new())));
    let problem = Problem { name: String::new(), kinds: vec![kind(4, 1.0)], nodes, colours: 0 };
    let held = prove(&problem, 25.5, 1_000_000).bound;
    assert!((24.999..=25.0 + 1e-9).contains(&held), "{held}: 24 by the work, 24.1 by loads alone");
    // Held against a plan that leaves them together, nothing has to be cut.
    let beside = prove(&problem, 27.5, 1_000_000).bound;
    assert!(beside <= 25.0 + 1e-9, "{beside}");
}

#[test]
fn steps_and_the_clock_end_the_search_and_more_steps_prove_no_less() {
    let problem = chain(60, 0.5, 8);
    let value = 9.0;
    let bounds: Vec<f64> =
        [0, 1_000, 10_000, 100_000, 10_000_000].map(|steps| prove(&problem, value, steps).bound).to_vec();
    assert!(bounds.is_sorted() && bounds[0] < bounds[4], "{bounds:?}");
    assert!(bounds[0] >= 7.5 * (1.0 - 1e-6), "the work alone: {bounds:?}");
    let over = Deadline::after(Some(0.0));
    let stopped = bound_of(&problem, value, &Budget { steps: u64::MAX, clock: &over, seed: 1 });
    assert!(stopped.bound <= bounds[1] + 1e-9, "{stopped:?}");
}

#[test]
fn threads_change_nothing() {
    let problem = chain(80, 0.7, 6);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| prove(&problem, 16.0, 3_000_000))
    };
    assert_eq!(run(1), run(2));
}
