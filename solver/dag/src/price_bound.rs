//! Lower bounds on free plans from the most that one device can hold below a threshold.
//!
//! Give every group a profit. If no set of load at most `T` on a device of kind `k` has more profit than `z_k`, and
//! `sum over kinds of count_k * z_k` is below the profit of all groups, then some load exceeds `T` (the dual
//! side of covering the groups by one set per device). The sets are priced with their cut tensors in full.

use crate::bound::WorkPrices;
use crate::hypergraph::Hypergraph;
use crate::mip::{MipLimits, TOLERANCE, richest_set};
use crate::neighbourhood::WORK_PER_PROGRAM;
use crate::session::Session;

/// How far below a value the threshold stands at which the value is proved, well inside the tolerance of a proof
/// and well outside HiGHS's own.
pub(crate) const BELOW: f64 = 5e-7;

/// Relative slack against HiGHS's rounding before a sum counts as too small.
pub(crate) const SLACK: f64 = 1e-6;

/// Groups above which programs over all groups are not tried.
pub(crate) const MOST_GROUPS: usize = 1_000;

/// Bisections with profits of work.
const BISECTIONS: usize = 6;

/// Share of the time limit for one attempt, and branch-and-bound nodes of one program.
const TIME_SHARE: f64 = 0.15;
const NODES: u32 = 2_000;

/// Tries to prove the value of the best plan by counting large groups.
pub(crate) fn prove_by_counting(session: &mut Session<'_>, graph: &Hypergraph) {
    let value = session.value();
    if graph.len() > MOST_GROUPS || value.is_infinite() || session.proved() {
        return;
    }
    session.report_phase("counting large groups");
    let clock = session.share(TIME_SHARE);
    for profit in pigeonholes(graph, value) {
        if clock.over() || session.over(0) {
            return;
        }
        if exceeds(session, graph, &profit, value * (1.0 - BELOW), clock.remaining_seconds()) {
            session.prove_by_highs(value * (1.0 - BELOW));
            return;
        }
    }
}

/// Raises the bound by bisection with profits of work.
pub(crate) fn raise_by_work(session: &mut Session<'_>, graph: &Hypergraph) {
    let value = session.value();
    if graph.len() > MOST_GROUPS || value.is_infinite() || session.proved() {
        return;
    }
    session.report_phase("pricing devices");
    let clock = session.share(TIME_SHARE);
    let work = WorkPrices::fit(graph).work;
    let (mut low, mut high) = (session.bound, value);
    for _ in 0..BISECTIONS {
        if clock.over() || session.over(0) || high - low < 1e-3 * value {
            return;
        }
        let middle = 0.5 * (low + high);
        if exceeds(session, graph, &work, middle, clock.remaining_seconds()) {
            low = middle;
            session.prove_by_highs(middle);
        } else {
            high = middle;
        }
    }
}

/// Profits of one for the largest groups, in numbers that force one device more of them than the others: for
/// every such number, if that many of the smallest among them nearly fill a device.
fn pigeonholes(graph: &Hypergraph, value: f64) -> Vec<Vec<f64>> {
    const NEARLY: f64 = 0.9;
    let able: Vec<usize> = (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0).collect();
    let fastest = |g: usize| able.iter().map(|&k| graph.time(g, k)).fold(f64::INFINITY, f64::min);
    let mut order: Vec<usize> = (0..graph.len()).collect();
    order.sort_by(|&a, &b| fastest(b).total_cmp(&fastest(a)).then(a.cmp(&b)));
    // Kinds on which the largest groups do not fit below the value take none of them.
    let holds = |k: usize| order.first().is_some_and(|&g| graph.time(g, k) < value);
    let devices: usize = able.iter().filter(|&&k| holds(k)).map(|&k| graph.kinds[k].count).sum();
    if devices == 0 {
        return Vec::new();
    }
    (1..)
        .map(|each| (each, each * devices + 1))
        .take_while(|&(_, count)| count <= order.len())
        .filter(|&(each, count)| {
            let smallest: f64 = order[..count].iter().rev().take(each + 1).map(|&g| fastest(g)).sum();
            smallest >= NEARLY * value && smallest <= value * (1.0 + SLACK)
        })
        .map(|(_, count)| {
            let mut profit = vec![0.0; graph.len()];
            for &g in &order[..count] {
                profit[g] = 1.0;
            }
            profit
        })
        .collect()
}

/// Is every plan sure to exceed the threshold, by these profits?
fn exceeds(
    session: &mut Session<'_>,
    graph: &Hypergraph,
    profit: &[f64],
    threshold: f64,
    seconds: f64,
) -> bool {
    let total: f64 = profit.iter().sum();
    let used: Vec<usize> = (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0).collect();
    let scaled: Vec<f64> = profit.iter().map(|p| p / total).collect();
    let nodes = session.program_nodes(NODES);
    let mut held = 0.0;
    for &kind in &used {
        let limits = MipLimits { seconds: seconds / 3.0, nodes, seed: session.limits.seed, threads: 1 };
        session.work += WORK_PER_PROGRAM;
        match richest_set(graph, kind, &scaled, threshold, TOLERANCE, limits) {
            Some(most) => held += graph.kinds[kind].count as f64 * most.bound,
            None => return false,
        }
        if held >= 1.0 {
            return false;
        }
    }
    held < 1.0 - SLACK
}

#[cfg(test)]
mod tests {
    use ballast_core::limits::{Deadline, Limits};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::bound::simple_bound;
    use crate::problem::{Kind, Node, PlanClass, Problem};
    use crate::spreading::tests::{best_of_all, random_problem};

    /// What is proved beside a plan, from nothing.
    fn proved(problem: &Problem, plan: Vec<usize>, raise: fn(&mut Session<'_>, &Hypergraph)) -> f64 {
        let limits = Limits { time_limit_seconds: None, ..Limits::default() };
        let mut session = Session {
            problem,
            class: PlanClass::Free,
            limits,
            finish_early: false,
            clock: Deadline::start(&limits),
            work: 0,
            bound: 0.0,
            trusts_highs: false,
            infeasible: false,
            learner_failure: None,
            placer: None,
            best: None,
            observe: &|_| (),
        };
        session.offer(plan, "given");
        raise(&mut session, &Hypergraph::of(problem));
        session.bound
    }

    fn random_plan(problem: &Problem, random: &mut ChaCha8Rng) -> Vec<usize> {
        problem.nodes.iter().map(|_| random.random_range(0..problem.device_count())).collect()
    }

    #[test]
    fn no_plan_of_a_small_problem_is_below_what_devices_hold_of_the_work() {
        let mut random = ChaCha8Rng::seed_from_u64(47);
        let (mut cases, mut raised) = (0, 0);
        for case in 0..40 {
            let problem = random_problem(&mut random);
            let best = best_of_all(&problem);
            if !(best > 0.0 && best.is_finite()) {
                continue;
            }
            let bound = proved(&problem, random_plan(&problem, &mut random), raise_by_work);
            assert!(bound <= best * (1.0 + SLACK), "case {case}: {bound} above {best}: {problem:?}");
            let graph = Hypergraph::of(&problem);
            cases += 1;
            raised += usize::from(bound > simple_bound(&graph, &WorkPrices::fit(&graph)) * 1.001);
        }
        assert!(cases > 30 && raised > 10, "{raised} of {cases} raised");
    }

    /// Groups of work 4 to 7 on three equal devices: where some device has to run one more of them than a plan's slowest, the plan is proved.
    fn large_groups(random: &mut ChaCha8Rng) -> Problem {
        let node = |time: u32| Node {
            id: String::new(),
            time: vec![f64::from(time)],
            size_bytes: 0.0,
            backward: false,
            colour: None,
            output_cost: 0.0,
            readers: Vec::new(),
        };
        let kind = Kind { name: String::new(), count: 3, memory_bytes: f64::INFINITY, transfer_factor: 1.0 };
        let nodes = (0..random.random_range(4..8)).map(|_| node(random.random_range(4..8))).collect();
        Problem { name: String::new(), kinds: vec![kind], nodes, colours: 0 }
    }

    #[test]
    fn no_plan_is_below_what_is_proved_by_counting_large_groups() {
        let mut random = ChaCha8Rng::seed_from_u64(53);
        let (mut proofs, mut open) = (0, 0);
        for case in 0..300 {
            let problem = large_groups(&mut random);
            let best = best_of_all(&problem);
            let bound = proved(&problem, random_plan(&problem, &mut random), prove_by_counting);
            assert!(bound <= best * (1.0 + SLACK), "case {case}: {bound} above {best}: {problem:?}");
            proofs += usize::from(bound > best * (1.0 - 1e-6));
            open += usize::from(bound == 0.0);
        }
        assert!(proofs > 5 && open > 100, "{proofs} proved, {open} open");
    }
}
