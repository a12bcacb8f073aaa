//! On small random graphs the exact solvers equal an exhaustive search over all plans of the class.

use ballast_core::limits::Limits;
use ballast_core::memory::{Node, NodeId, Problem, SwapModel};
use ballast_remat::{Error, Options, Order, Solver, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cheapest time beyond one run of everything, over all plans in which every step runs each op at most once, in
/// ascending order, swap-ins before and swap-outs after; none if nothing fits. With `rounds` over all plans: any steps in any
/// order between two first runs. Any value may be dropped any time.
///
/// One cost per state; a state is the set of values on the device (low bits) and on the host (high bits).
struct Exhaustive<'a> {
    problem: &'a Problem,
    swap: Option<SwapModel>,
    cap: u64,
    rounds: bool,
    bytes: Vec<u64>,
}

impl<'a> Exhaustive<'a> {
    fn new(problem: &'a Problem, swap: Option<SwapModel>, cap: u64, rounds: bool) -> Self {
        let n = problem.nodes.len();
        let bytes = (0..1usize << n)
            .map(|set| (0..n).filter(|v| set >> v & 1 == 1).map(|v| problem.nodes[v].bytes).sum())
            .collect();
        Exhaustive { problem, swap, cap, rounds, bytes }
    }

    fn least(&self) -> Option<f64> {
        let n = self.problem.nodes.len();
        let nodes = &self.problem.nodes;
        let mut costs = vec![f64::INFINITY; if self.swap.is_some() { 1 << (2 * n) } else { 1 << n }];
        costs[0] = 0.0;
        for t in 0..=n {
            self.back_and_again(&mut costs, t);
            loop {
                let before = costs.clone();
                if self.rounds {
                    self.out(&mut costs, t);
                    self.back_and_again(&mut costs, t);
                }
                if before == costs {
                    break;
                }
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
            self.out(&mut costs, t + 1);
        }
        let kept: usize = (0..n).filter(|&v| nodes[v].keep).map(|v| 1 << v).sum();
        let ends = (0..costs.len()).filter(|state| state & kept == kept).map(|state| costs[state]);
        ends.min_by(f64::total_cmp).filter(|cost| cost.is_finite())
    }

    /// Copies back and recomputes of the first `t` nodes, in ascending order each.
    fn back_and_again(&self, costs: &mut [f64], t: usize) {
        let (n, nodes) = (self.problem.nodes.len(), &self.problem.nodes);
        for v in (0..t.min(n)).filter(|&v| nodes[v].swappable && !nodes[v].pinned) {
            if let Some(swap) = self.swap {
                self.act(costs, |state| {
                    let there = state >> (n + v) & 1 == 1 && state >> v & 1 == 0;
                    there.then_some((state | 1 << v, swap.in_time(nodes[v].bytes), 0))
                });
            }
        }
        for v in (0..t.min(n)).filter(|&v| nodes[v].recomputable && !nodes[v].pinned) {
            self.act(costs, |state| {
                self.ready(state, v).then_some((state | 1 << v, nodes[v].time, nodes[v].workspace_bytes))
            });
        }
    }

    /// Copies of the first `t` nodes to the host.
    fn out(&self, costs: &mut [f64], t: usize) {
        let (n, nodes) = (self.problem.nodes.len(), &self.problem.nodes);
        for v in (0..t.min(n)).filter(|&v| nodes[v].swappable && !nodes[v].pinned) {
            if let Some(swap) = self.swap {
                self.act(costs, |state| {
                    let there = state >> v & 1 == 1 && state >> (n + v) & 1 == 0;
                    there.then_some((state | 1 << (n + v), swap.out_time(nodes[v].bytes), 0))
                });
            }
        }
    }

    fn ready(&self, state: usize, v: usize) -> bool {
        state >> v & 1 == 0 && self.problem.nodes[v].inputs.iter().all(|&u| state >> u.0 & 1 == 1)
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

fn random_problem(rng: &mut ChaCha8Rng, n: usize) -> Problem {
    let density = rng.random_range(0.2..0.6);
    let nodes = (0..n)
        .map(|id| {
            let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(density)).collect();
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

/// The same problem where some nodes have effects: they run once, and after the one with effects before them.
fn with_effects(mut problem: Problem, rng: &mut ChaCha8Rng) -> Problem {
    let mut before = None;
    for id in NodeId::first(problem.nodes.len()).filter(|_| rng.random_bool(0.5)) {
        let node = &mut problem.nodes[id];
        (node.recomputable, node.after) = (false, before);
        before = Some(id);
    }
    problem
}

/// What is asked of the planner, and whether some nodes have effects.
#[derive(Clone, Copy, Debug)]
struct Asked {
    solver: Solver,
    order: Order,
    rounds: bool,
    effects: bool,
}

fn solve(problem: &Problem, cap: u64, swap: Option<SwapModel>, asked: Asked) -> Option<f64> {
    let options = Options {
        cap_bytes: cap,
        swap,
        order: asked.order,
        rounds: asked.rounds,
        limits: Limits { time_limit_seconds: Some(20.0), ..Limits::default() },
        solver: asked.solver,
        ..Options::default()
    };
    match plan(problem, &options) {
        Ok(outcome) => {
            let report = &outcome.report;
            assert!(report.proved(), "{asked:?} at {cap} proved nothing: {report:?} {problem:?}");
            assert!(outcome.replay.peak_bytes <= cap);
            Some(report.value - problem.total_time())
        }
        Err(Error::Infeasible { .. }) => None,
        Err(failure) => panic!("{failure}"),
    }
}

/// All orders that put inputs first, and effects that come before.
fn orders(problem: &Problem) -> Vec<Vec<NodeId>> {
    let mut all = vec![Vec::new()];
    for _ in 0..problem.nodes.len() {
        let grown = all.iter().flat_map(|order: &Vec<NodeId>| {
            let next = |v: &NodeId| {
                let mut first = problem.nodes[*v].inputs.iter().chain(&problem.nodes[*v].after);
                !order.contains(v) && first.all(|u| order.contains(u))
            };
            NodeId::first(problem.nodes.len())
                .filter(next)
                .map(|v| [order.clone(), vec![v]].concat())
                .collect::<Vec<_>>()
        });
        all = grown.collect();
    }
    all
}

/// The same problem with another order as program order.
fn reordered(problem: &Problem, order: &[NodeId]) -> Problem {
    let place = |v: NodeId| NodeId(order.iter().position(|&u| u == v).unwrap());
    let nodes = order.iter().map(|&v| {
        let mut node = problem.nodes[v].clone();
        node.inputs = node.inputs.iter().map(|&u| place(u)).collect();
        node.inputs.sort_unstable();
        node.after = node.after.map(place);
        node
    });
    Problem { nodes: nodes.collect(), ..problem.clone() }
}

fn random_link(rng: &mut ChaCha8Rng) -> SwapModel {
    SwapModel {
        out_bandwidth: f64::from(rng.random_range(1..5)),
        in_bandwidth: f64::from(rng.random_range(1..5)),
        latency: if rng.random_bool(0.3) { 0.5 } else { 0.0 },
        overlap: false,
        host_capacity_bytes: rng.random_bool(0.4).then(|| rng.random_range(4..12)),
    }
}

/// Graphs of up to `most` ops; that at least so many caps are refused and so many plans cost time shows that something is compared.
fn compare(asked: Asked, swaps: bool, seed: u64, (graphs, most): (usize, usize), least_seen: (usize, usize)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut solved, mut refused, mut costly) = (0, 0, 0);
    for graph in 0..graphs {
        let n = rng.random_range(2..=most);
        let mut problem = random_problem(&mut rng, n);
        if asked.effects {
            problem = with_effects(problem, &mut rng);
        }
        let mut swap = swaps.then(|| random_link(&mut rng));
        if let Some(swap) = &mut swap
            && asked.solver == Solver::AUTO
            && !asked.rounds
        {
            // A value copied out a second time is no plan without rounds, but one of the search by hand.
            swap.host_capacity_bytes = None;
        }
        let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
        for cap in [peak, (least + peak) / 2, (3 * least + peak) / 4, least] {
            let by_hand = |problem: &Problem| Exhaustive::new(problem, swap, cap, asked.rounds).least();
            let expected = match asked.order {
                Order::Program => by_hand(&problem),
                Order::Free => orders(&problem)
                    .iter()
                    .filter_map(|order| by_hand(&reordered(&problem, order)))
                    .min_by(f64::total_cmp),
            };
            let got = solve(&problem, cap, swap, asked);
            match (expected, got) {
                (None, None) => refused += 1,
                (Some(a), Some(b)) if (a - b).abs() < 1e-6 => {
                    solved += 1;
                    costly += usize::from(a > 0.0);
                }
                _ => panic!(
                    "graph {graph}, cap {cap}: {expected:?} by hand, {got:?} by {asked:?}: {problem:?} {swap:?}"
                ),
            }
        }
    }
    assert!(
        solved > graphs && refused >= least_seen.0 && costly >= least_seen.1,
        "{solved} {refused} {costly}"
    );
}

const STEPWISE: Asked =
    Asked { solver: Solver::STEPWISE, order: Order::Program, rounds: false, effects: false };
const AUTO: Asked = Asked { solver: Solver::AUTO, ..STEPWISE };
const MILP: Asked = Asked { solver: Solver::MILP, ..STEPWISE };

#[test]
fn the_full_program_equals_exhaustive_search() {
    compare(STEPWISE, false, 1, (200, 7), (11, 67));
}

#[test]
fn the_full_program_with_swaps_equals_exhaustive_search() {
    compare(STEPWISE, true, 2, (200, 7), (11, 67));
}

#[test]
fn search_and_interval_model_equal_exhaustive_search() {
    compare(MILP, false, 3, (200, 7), (11, 67));
}

#[test]
fn defaults_equal_exhaustive_search() {
    compare(AUTO, false, 4, (200, 7), (11, 67));
    compare(Asked { rounds: true, ..AUTO }, false, 5, (200, 7), (11, 67));
}

#[test]
fn defaults_with_swaps_equal_exhaustive_search() {
    compare(AUTO, true, 6, (150, 7), (1, 50));
    compare(Asked { rounds: true, ..AUTO }, true, 7, (100, 7), (1, 30));
}

#[test]
fn defaults_in_any_order_equal_exhaustive_search() {
    let any = Asked { order: Order::Free, rounds: true, ..AUTO };
    compare(any, false, 8, (200, 5), (0, 5));
    compare(any, true, 9, (60, 5), (0, 5));
}

#[test]
fn effects_in_order_amid_any_order_equal_exhaustive_search() {
    let any = Asked { order: Order::Free, rounds: true, effects: true, ..AUTO };
    compare(any, false, 10, (200, 5), (0, 1));
    compare(any, true, 11, (60, 5), (0, 1));
}
