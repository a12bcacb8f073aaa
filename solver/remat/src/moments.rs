//! A lower bound for plans in any order of first runs, from moments that every order has in the same order.
//!
//! While the first run of an op x goes on, what x depends on has run, and what depends on x has not, whatever the order. So a value
//! made before x and read after it is on the device then or runs again later; and before it does, what it is made of is there or runs again in turn.
//! That is the [interval model](crate::interval) with x as its only critical position, of the ops that x depends on or that depend on x:
//! what the others hold is left out. Of several ops that depend on each other in turn the same holds with all their first runs as critical
//! positions, of the ops that each of them has before or after it in every order. Recomputes between two of them may take any order.

use std::sync::Arc;

use ballast_core::limits::Deadline;
use ballast_core::memory::{Node, NodeId, Problem};
use ballast_core::report::PROOF_TOLERANCE;

use crate::incumbent::{Incumbent, Progress, Proved};
use crate::program::{Program, Slot};
use crate::prover::prove_at;

/// Most ops, by whose squares time and memory grow.
const MOST: usize = 4_000;
/// Most moments of one bound, and ops looked at for each.
const MOMENTS: usize = 12;
const CANDIDATES: usize = 40;
/// Share by which a further moment has to raise the bytes over the cap of all.
const LEAST_GAIN: f64 = 0.02;
/// Share of the time that the single moment with most bytes over the cap has.
const ALONE: f64 = 0.3;

/// A lower bound on the time of recomputes of every plan that swaps nothing, in any order.
pub(crate) fn any_order_bound(problem: &Problem, cap_bytes: u64, deadline: &Deadline) -> Proved {
    if problem.nodes.len() > MOST {
        return Proved::NOTHING;
    }
    let order = Dependences::of(problem);
    let all = vec![true; problem.nodes.len()];
    let Some((_, first)) = order.worst(problem, cap_bytes, &all).first().copied() else {
        return Proved::NOTHING;
    };
    let alone = deadline.within(deadline.remaining_seconds().min(1e6) * ALONE);
    let single = order.bound(problem, cap_bytes, &[first], &alone);
    let moments = order.moments(problem, cap_bytes, first, deadline);
    if moments.len() < 2 || deadline.over() {
        return single;
    }
    let several = order.bound(problem, cap_bytes, &moments, deadline);
    let work = single.work + several.work;
    Proved { work, ..if several.extra > single.extra { several } else { single } }
}

/// Which ops run before which in every order.
struct Dependences {
    /// Of each op the ops it depends on, as bits.
    before: Vec<Vec<u64>>,
    consumers: Vec<Vec<NodeId>>,
}

impl Dependences {
    fn of(problem: &Problem) -> Self {
        let words = problem.nodes.len().div_ceil(64);
        let mut before: Vec<Vec<u64>> = Vec::with_capacity(problem.nodes.len());
        for node in &problem.nodes {
            let mut bits = vec![0; words];
            for &NodeId(input) in &node.inputs {
                bits.iter_mut().zip(&before[input]).for_each(|(bits, more)| *bits |= more);
                bits[input / 64] |= 1 << (input % 64);
            }
            before.push(bits);
        }
        Dependences { before, consumers: problem.consumers() }
    }

    /// Does `late` depend on `early`?
    fn follows(&self, late: usize, early: usize) -> bool {
        self.before[late][early / 64] >> (early % 64) & 1 == 1
    }

    /// Does one depend on the other, or are they the same?
    fn comparable(&self, a: usize, b: usize) -> bool {
        a == b || self.follows(a, b) || self.follows(b, a)
    }

    /// Bytes over the cap at the first run of an op if nothing runs again, of the ops inside.
    fn excess(&self, problem: &Problem, cap_bytes: u64, inside: &[bool], x: usize) -> f64 {
        let later = |u: usize| {
            let mut consumers = self.consumers[u].iter();
            problem.nodes[u].keep || consumers.any(|&NodeId(r)| r == x || inside[r] && self.follows(r, x))
        };
        let held = (0..x).filter(|&u| inside[u] && self.follows(x, u) && later(u));
        let bytes: f64 = held.map(|u| problem.nodes[u].bytes as f64).sum();
        let own = &problem.nodes[x];
        let room = cap_bytes as f64 - problem.resident_bytes as f64;
        bytes + own.bytes as f64 + own.workspace_bytes as f64 - room
    }

    /// The ops inside with bytes over the cap, most first.
    fn worst(&self, problem: &Problem, cap_bytes: u64, inside: &[bool]) -> Vec<(f64, usize)> {
        let ops = (0..problem.nodes.len()).filter(|&x| inside[x]);
        let mut worst: Vec<(f64, usize)> = ops
            .map(|x| (self.excess(problem, cap_bytes, inside, x), x))
            .filter(|&(excess, _)| excess > 0.0)
            .collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        worst
    }

    /// Ops that depend on each other in turn, with many bytes over the cap in all where ops that are not comparable are left out.
    fn moments(&self, problem: &Problem, cap_bytes: u64, first: usize, deadline: &Deadline) -> Vec<usize> {
        let mut moments = vec![first];
        let within = |inside: &[bool], x: usize| -> Vec<bool> {
            inside.iter().enumerate().map(|(v, &inside)| inside && self.comparable(v, x)).collect()
        };
        let mut inside = within(&vec![true; problem.nodes.len()], first);
        // Far over the cap at one moment is worth less than over it at two.
        let root = |inside: &[bool], y: usize| self.excess(problem, cap_bytes, inside, y).max(0.0).sqrt();
        let mut total = root(&inside, first);
        while moments.len() < MOMENTS && !deadline.over() {
            let worst = self.worst(problem, cap_bytes, &inside);
            // Those beside the ones there are say little more: a sample of all.
            let step = worst.len().div_ceil(CANDIDATES).max(1);
            let candidates = worst.iter().step_by(step).filter(|(_, x)| !moments.contains(x));
            let best = candidates
                .map(|&(_, x)| {
                    let inside = within(&inside, x);
                    let sum: f64 = moments.iter().chain([&x]).map(|&y| root(&inside, y)).sum();
                    (sum, x, inside)
                })
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((sum, x, fewer)) = best else { break };
            if sum <= total * (1.0 + LEAST_GAIN) {
                break;
            }
            (total, inside) = (sum, fewer);
            moments.push(x);
        }
        moments.sort_unstable();
        moments
    }

    /// The bound of the interval model at some moments.
    fn bound(&self, problem: &Problem, cap_bytes: u64, moments: &[usize], deadline: &Deadline) -> Proved {
        let kept: Vec<usize> =
            (0..problem.nodes.len()).filter(|&v| moments.iter().all(|&x| self.comparable(v, x))).collect();
        let place = |v: usize| kept.binary_search(&v).ok();
        let nodes = kept.iter().map(|&v| {
            let node = &problem.nodes[v];
            let inputs = node.inputs.iter().filter_map(|input| place(input.0)).map(NodeId).collect();
            Node { inputs, ..node.clone() }
        });
        let part =
            Problem { name: String::new(), nodes: nodes.collect(), resident_bytes: problem.resident_bytes };
        let program = Program::new(&part, None, cap_bytes).with_rounds(true);
        let critical: Vec<Slot> = moments.iter().filter_map(|&x| Some(place(x)? as Slot)).collect();
        let incumbent = Incumbent::new(&program, *deadline, PROOF_TOLERANCE, Arc::new(Progress::default()));
        prove_at(&program, &incumbent, &critical);
        // No plan at all is not for a bound to say.
        if incumbent.refuted() { Proved::NOTHING } else { incumbent.proof() }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::random::random_problem;
    use crate::{Options, Order, plan};

    /// Never above the best plan in any order, which the search over states finds; often more than nothing, also with several moments.
    #[test]
    fn the_bound_is_below_the_best_plan_in_any_order() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        let (mut dear, mut above, mut met, mut several) = (0, 0, 0, 0);
        for _ in 0..3000 {
            let density = rng.random_range(0.2..0.6);
            let mut problem = random_problem(&mut rng, 5..10, density, 1.0);
            for node in &mut problem.nodes {
                node.workspace_bytes = rng.random_range(0..3);
                node.recomputable = rng.random_bool(0.9);
            }
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            if least >= peak {
                continue;
            }
            let cap_bytes = least + rng.random_range(0..=(peak - least) / 3);
            let options = Options { cap_bytes, order: Order::Free, rounds: true, ..Options::default() };
            let Ok(best) = plan(&problem, &options) else { continue };
            assert!(best.report.proved());
            let optimum = best.report.value - problem.total_time();
            let deadline = Deadline::after(None);
            let bound = any_order_bound(&problem, cap_bytes, &deadline).extra;
            assert!(
                bound <= optimum * (1.0 + 1e-9),
                "{bound} above {optimum} of {problem:?} with {cap_bytes}"
            );
            let order = Dependences::of(&problem);
            // Any ops that depend on each other in turn will do.
            let mut moments: Vec<usize> = Vec::new();
            for x in 0..problem.nodes.len() {
                if moments.last().is_none_or(|&last| order.follows(x, last)) && rng.random_bool(0.6) {
                    moments.push(x);
                }
            }
            if !moments.is_empty() {
                let bound = order.bound(&problem, cap_bytes, &moments, &deadline).extra;
                assert!(
                    bound <= optimum * (1.0 + 1e-9),
                    "{bound} above {optimum} at {moments:?} of {problem:?}"
                );
                several += usize::from(bound > 0.0 && moments.len() > 1);
            }
            dear += usize::from(optimum > 0.0);
            above += usize::from(bound > 0.0);
            met += usize::from(bound > 0.0 && bound >= optimum * (1.0 - 1e-6));
        }
        assert!(
            dear > 300 && above * 4 > dear && met * 10 > dear && several > 30,
            "{dear} {above} {met} {several}"
        );
    }
}
