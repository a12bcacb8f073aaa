//! On small random graphs the exact solvers equal an exhaustive search over all plans of the class.

use ballast_core::limits::Limits;
use ballast_core::memory::{Node, Problem, SwapModel};
use ballast_remat::{Failure, Options, Order, Solver, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cheapest time beyond one run of everything, over all plans in which every step runs each op at most once, in
/// ascending order, swap-ins before and swap-outs after; none if nothing fits. Any value may be dropped any time.
///
/// One cost per state; a state is the set of values on the device (low bits) and on the host (high bits).
struct Exhaustive<'a> {
    problem: &'a Problem,
    swap: Option<SwapModel>,
    cap: u64,
    bytes: Vec<u64>,
}

impl<'a> Exhaustive<'a> {
    fn new(problem: &'a Problem, swap: Option<SwapModel>, cap: u64) -> Self {
        let n = problem.nodes.len();
        let bytes = (0..1usize << n)
            .map(|set| (0..n).filter(|v| set >> v & 1 == 1).map(|v| problem.nodes[v].bytes).sum())
            .collect();
        Exhaustive { problem, swap, cap, bytes }
    }

    fn least(&self) -> Option<f64> {
        let n = self.problem.nodes.len();
        let nodes = &self.problem.nodes;
        let mut costs = vec![f64::INFINITY; if self.swap.is_some() { 1 << (2 * n) } else { 1 << n }];
        costs[0] = 0.0;
        for t in 0..=n {
            for v in (0..t.min(n)).filter(|&v| nodes[v].swappable && !nodes[v].pinned) {
                if let Some(swap) = self.swap {
                    self.act(&mut costs, |state| {
                        let there = state >> (n + v) & 1 == 1 && state >> v & 1 == 0;
                        there.then_some((state | 1 << v, swap.in_time(nodes[v].bytes), 0))
                    });
                }
            }
            for v in (0..t.min(n)).filter(|&v| nodes[v].recomputable && !nodes[v].pinned) {
                self.act(&mut costs, |state| {
                    self.ready(state, v).then_some((state | 1 << v, nodes[v].time, nodes[v].workspace_bytes))
                });
            }
            if t == n {
                break;
            }
            let mut ran = vec![f64::INFINITY; costs.len()];
            self.drop_any(&mut costs);
            for state in (0..costs.len()).filter(|&state| self.ready(state, t)) {
                if self.fits(state | 1 << t, nodes[t].workspace_bytes) {
                    ran[state | 1 << t] = costs[state];
                }
            }
            costs = ran;
            for v in (0..=t).filter(|&v| nodes[v].swappable && !nodes[v].pinned) {
                if let Some(swap) = self.swap {
                    self.act(&mut costs, |state| {
                        let there = state >> v & 1 == 1 && state >> (n + v) & 1 == 0;
                        there.then_some((state | 1 << (n + v), swap.out_time(nodes[v].bytes), 0))
                    });
                }
            }
        }
        let kept: usize = (0..n).filter(|&v| nodes[v].keep).map(|v| 1 << v).sum();
        let ends = (0..costs.len()).filter(|state| state & kept == kept).map(|state| costs[state]);
        ends.min_by(f64::total_cmp).filter(|cost| cost.is_finite())
    }

    fn ready(&self, state: usize, v: usize) -> bool {
        state >> v & 1 == 0 && self.problem.nodes[v].inputs.iter().all(|&u| state >> u & 1 == 1)
    }

    fn fits(&self, state: usize, workspace: u64) -> bool {
        let n = self.problem.nodes.len();
        let host = self.swap.and_then(|swap| swap.host_capacity_bytes);
        self.problem.resident_bytes + self.bytes[state & ((1 << n) - 1)] + workspace <= self.cap
            && host.is_none_or(|most| self.bytes[state >> n] <= most)
    }

    /// Lets every state drop any of its values.
    fn drop_any(&self, costs: &mut [f64]) {
        for bit in 0..costs.len().ilog2() {
            for state in (0..costs.len()).filter(|state| state >> bit & 1 == 1) {
                let without = state & !(1 << bit);
                costs[without] = costs[without].min(costs[state]);
            }
        }
    }

    /// Drops values, then takes or leaves one action: next state, its cost, bytes needed while it runs.
    fn act(&self, costs: &mut [f64], action: impl Fn(usize) -> Option<(usize, f64, u64)>) {
        self.drop_any(costs);
        for state in 0..costs.len() {
            if let Some((next, cost, workspace)) = action(state)
                && self.fits(next, workspace)
            {
                costs[next] = costs[next].min(costs[state] + cost);
            }
        }
    }
}

fn random_problem(rng: &mut ChaCha8Rng) -> Problem {
    let n = rng.random_range(2..8);
    let density = rng.random_range(0.2..0.6);
    let nodes = (0..n)
        .map(|id| {
            let inputs = (0..id).filter(|_| rng.random_bool(density)).collect();
            let time = f64::from(rng.random_range(0..9));
            let mut node = Node::new(format!("n{id}"), time, rng.random_range(0..9), inputs);
            node.workspace_bytes = if rng.random_bool(0.2) { rng.random_range(0..3) } else { 0 };
            node.keep = rng.random_bool(0.15);
            node.recomputable = rng.random_bool(0.9);
            node.swappable = rng.random_bool(0.9);
            node.pinned = rng.random_bool(0.05);
            node
        })
        .collect();
    Problem { name: "random".into(), nodes, resident_bytes: if rng.random_bool(0.3) { 2 } else { 0 } }
}

fn solve(problem: &Problem, cap: u64, swap: Option<SwapModel>, solver: Solver) -> Option<f64> {
    let options = Options {
        cap_bytes: cap,
        swap,
        order: Order::Program,
        limits: Limits { time_limit_seconds: Some(20.0), ..Limits::default() },
        solver,
        ..Options::default()
    };
    match plan(problem, &options) {
        Ok(outcome) => {
            assert!(
                outcome.report.proved(),
                "{solver:?} at {cap} proved nothing: {:?} {problem:?}",
                outcome.report
            );
            assert!(outcome.replay.peak_bytes <= cap);
            Some(outcome.report.value - problem.total_time())
        }
        Err(Failure::Infeasible { .. }) => None,
        Err(failure) => panic!("{failure}"),
    }
}

fn compare(solver: Solver, swaps: bool, seed: u64, graphs: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut solved, mut refused, mut costly) = (0, 0, 0);
    for graph in 0..graphs {
        let problem = random_problem(&mut rng);
        let swap = swaps.then(|| SwapModel {
            out_bandwidth: f64::from(rng.random_range(1..5)),
            in_bandwidth: f64::from(rng.random_range(1..5)),
            latency: if rng.random_bool(0.3) { 0.5 } else { 0.0 },
            overlap: false,
            host_capacity_bytes: rng.random_bool(0.4).then(|| rng.random_range(4..12)),
        });
        let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
        for cap in [peak, (least + peak) / 2, (3 * least + peak) / 4, least] {
            let expected = Exhaustive::new(&problem, swap, cap).least();
            let got = solve(&problem, cap, swap, solver);
            match (expected, got) {
                (None, None) => refused += 1,
                (Some(a), Some(b)) if (a - b).abs() < 1e-6 => {
                    solved += 1;
                    costly += usize::from(a > 0.0);
                }
                _ => panic!(
                    "graph {graph}, cap {cap}: {expected:?} by hand, {got:?} by {solver:?}: {problem:?} {swap:?}"
                ),
            }
        }
    }
    assert!(solved > graphs && refused > 10 && costly > graphs / 3, "{solved} {refused} {costly}");
}

#[test]
fn the_full_program_equals_exhaustive_search() {
    compare(Solver::Stepwise, false, 1, 200);
}

#[test]
fn the_full_program_with_swaps_equals_exhaustive_search() {
    compare(Solver::Stepwise, true, 2, 200);
}

#[test]
fn search_and_interval_model_equal_exhaustive_search() {
    compare(Solver::Auto, false, 3, 200);
}
