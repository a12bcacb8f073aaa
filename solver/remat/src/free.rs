//! Plans whose first runs may take any order: reordering and recomputation in turn.
//!
//! Orders are improved against the excess over the cap; recomputes are then searched in the order found; the
//! sequence so made, copies and all, is reordered again with a little less memory than allowed, and so on. Each
//! worker keeps to its own random numbers, so that with a work limit the outcome does not depend on timing.

use std::sync::atomic::{AtomicBool, Ordering};

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, NodeId, Problem};
use ballast_core::report::BoundClass;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::baseline::quick;
use crate::incumbent::Proved;
use crate::moments::any_order_bound;
use crate::order::{Reordering, mean_size};
use crate::outcome::{Error, PROVED_WITHIN};
use crate::program::{Again, MOST_ROUNDS, Plan, Program};
use crate::search::Search;
use crate::solver::{Options, Proposal, Task};
use crate::timeline::Timeline;

/// Fresh orders cool once, twice, four times as long and so on, this many lengths in turn.
const LONGEST_COOLING: u64 = 6;

/// Coolings start at a temperature between these times the mean size of a value. A fresh order has to leave the part of the
/// order space its start lies in, which takes one of the hotter ones; around a plan with recomputes both kinds serve.
const WARM: (f64, f64) = (0.2, 1.5);
const HOT: (f64, f64) = (2.0, 16.0);

/// Searches side by side under a work limit, whatever the number of threads.
const WORKERS: u64 = 4;
/// Share of the time left then that a bound has, where recomputes are left.
const BOUND_SHARE: f64 = 0.2;
/// Share of the time given to plans in program order before others are tried.
const PROGRAM_ORDER_SHARE: f64 = 0.15;

impl Task<'_> {
    /// Plans in any order of first runs; none worse than the best in program order that a share of the limits
    /// finds.
    pub(crate) fn free(&self) -> Result<Option<Proposal>, Error> {
        let program = self.program;
        let limits = self.options.limits;
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let mut search = self.search(program);
        let done = AtomicBool::new(false);
        let found = &|extra: f64| {
            // Under a work limit workers must not hear of each other: who is first depends on the clock.
            if extra <= 0.0 && limits.work_limit.is_none() {
                done.store(true, Ordering::Relaxed);
            }
            extra <= 0.0 || done.load(Ordering::Relaxed)
        };
        let workers = if limits.work_limit.is_some() { WORKERS } else { limits.threads.max(1) as u64 };
        let share = (moves / (workers + 1)).max(1);
        let proves = self.proves_any_order();
        let (mut results, program_work, proved) = std::thread::scope(|scope| {
            let search_one = move |worker: u64, deadline: &Deadline| {
                let Options { cap_bytes, rounds, .. } = *self.options;
                let seed = limits.seed.wrapping_mul(1000).wrapping_add(worker);
                search_free(self.problem, cap_bytes, rounds, seed, share, deadline, found)
            };
            let handles: Vec<_> =
                (1..workers).map(|worker| scope.spawn(move || search_one(worker, &self.deadline))).collect();
            let part = self.deadline.within(self.deadline.remaining_seconds() * PROGRAM_ORDER_SHARE);
            let part = if limits.time_limit_seconds.is_some() { part } else { self.deadline };
            let mut work = 0;
            let own_share = if limits.work_limit.is_some() { share } else { u64::MAX };
            while work < own_share && !part.over() && !done.load(Ordering::Relaxed) {
                work += search.run((own_share - work).min(4096), &part);
            }
            let until = self.deadline.within(self.deadline.remaining_seconds() * (1.0 - BOUND_SHARE));
            let mut results = vec![search_one(0, if proves { &until } else { &self.deadline })];
            let open = !done.load(Ordering::Relaxed) && search.best().is_none_or(|best| best.0 > 0.0);
            let bound = (proves && open)
                .then(|| any_order_bound(self.problem, self.options.cap_bytes, &self.deadline));
            results.extend(handles.into_iter().map(|handle| handle.join().unwrap_or(None)));
            (results, work, bound.unwrap_or(Proved::NOTHING))
        });
        let work = program_work + results.iter().flatten().map(|free| free.work).sum::<u64>();
        results.push(search.best().map(|(extra, plan)| Free {
            extra: *extra,
            plan: program.compact(plan),
            work: 0,
        }));
        results.push(quick(program, &self.backward()).map(|(extra, again, _)| Free {
            extra,
            plan: program.compact(&Plan::recomputing(&again)),
            work: 0,
        }));
        let best = results.into_iter().flatten().min_by(|a, b| a.extra.total_cmp(&b.extra));
        Ok(best.map(|best| Proposal {
            bound: proved.bound(program.total_time, BoundClass::Any),
            method: "reorder".into(),
            stop: if best.extra <= proved.extra + PROVED_WITHIN * program.total_time {
                StopReason::Proved
            } else if self.deadline.over() {
                self.deadline.reason()
            } else {
                StopReason::WorkLimit
            },
            plan: best.plan,
            work,
            q_table: None,
        }))
    }
}

impl Task<'_> {
    /// Is a bound looked for? With a work limit what it buys would depend on the clock, and with swaps it would not hold.
    fn proves_any_order(&self) -> bool {
        let limits = self.options.limits;
        limits.work_limit.is_none() && limits.time_limit_seconds.is_some() && self.options.swap.is_none()
    }
}

/// The best plan of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    /// Time of the recomputes.
    pub(crate) extra: f64,
    pub(crate) plan: CompactPlan,
    pub(crate) work: u64,
}

/// Order of first runs and recomputes.
#[derive(Clone)]
struct Candidate {
    order: Vec<NodeId>,
    again: Vec<Again>,
    extra: f64,
}

/// Searches until the deadline, so many moves, or a plan without recomputes.
///
/// `found` is called with every better plan's extra time; true ends the search.
pub(crate) fn search_free(
    problem: &Problem,
    cap_bytes: u64,
    rounds: bool,
    seed: u64,
    moves: u64,
    deadline: &Deadline,
    found: &dyn Fn(f64) -> bool,
) -> Option<Free> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let mut work = 0;
    let mut best: Option<Candidate> = None;
    let mut round = 0u64;
    let scale = problem.nodes.len() as u64;
    while work < moves && !deadline.over() {
        // Now and then without the recomputes, from the best order or from program order; otherwise from the best so far.
        let fresh = round % 3 == 2;
        let start = best.clone().filter(|_| !fresh || round.is_multiple_of(2));
        let mut candidate = start.unwrap_or_else(|| Candidate {
            order: NodeId::first(problem.nodes.len()).collect(),
            again: Vec::new(),
            extra: f64::INFINITY,
        });
        if fresh {
            candidate.again.clear();
        }
        // A fresh order has to keep the cap alone, which may take a slow cooling: each lasts longer than the one before.
        let tight = if best.is_some() && !fresh { rng.random_range(0.96..1.0) } else { 1.0 };
        let warmth = if fresh || rng.random_bool(0.25) { HOT } else { WARM };
        let patience = if fresh { 1 << (round / 6 % LONGEST_COOLING) } else { 1 };
        let before = Program::new(problem, Some(&candidate.order), cap_bytes).with_rounds(rounds);
        let hot = mean_size(&before) * warmth.0 * (warmth.1 / warmth.0).powf(rng.random());
        let cooling = (patience * (60 * scale).max(20_000)).min(moves.saturating_sub(work).max(1));
        work += reorder(&before, &mut candidate, (tight, hot), &mut rng, cooling, deadline);
        let program = Program::new(problem, Some(&candidate.order), cap_bytes).with_rounds(rounds);
        let mut search = Search::new(&program, seed.wrapping_add(round));
        search.adopt(&candidate.again);
        let share = (40 * scale).max(12_000).min(moves.saturating_sub(work).max(1));
        work += search.run(share, deadline);
        if let Some((extra, plan)) = search.best()
            && best.as_ref().is_none_or(|best| *extra < best.extra)
        {
            best = Some(Candidate { order: candidate.order, again: plan.again.clone(), extra: *extra });
            if found(*extra) {
                break;
            }
        }
        round += 1;
    }
    let best = best?;
    let program = Program::new(problem, Some(&best.order), cap_bytes);
    Some(Free { extra: best.extra, plan: program.compact(&Plan::recomputing(&best.again)), work })
}

/// Reorders the steps of a candidate under a share of the cap, from a temperature in bytes; returns the moves made.
fn reorder(
    program: &Program,
    candidate: &mut Candidate,
    (tight, hot): (f64, f64),
    rng: &mut ChaCha8Rng,
    moves: u64,
    deadline: &Deadline,
) -> u64 {
    let mut line = Timeline::new(program);
    line.load(&candidate.again);
    let (mut steps, slots) = Reordering::of(&line, (program.cap * tight).floor());
    let mut best = (steps.excess, steps.order.clone());
    let mut made = 0;
    while made < moves && best.0 > 0.0 && !(made % 64 == 0 && deadline.over()) {
        let temperature = hot * 0.01f64.powf(made as f64 / moves as f64);
        steps.step(rng, temperature);
        made += 1;
        if steps.excess < best.0 {
            best = (steps.excess, steps.order.clone());
        }
    }
    // First runs in their new order; recomputes before the first run they now stand before.
    let mut seen = vec![false; program.len()];
    let mut order = Vec::with_capacity(program.real);
    let mut again: Vec<Again> = Vec::new();
    let mut place = vec![0u32; program.len()];
    for &step in &best.1 {
        let slot = slots[step as usize];
        if std::mem::replace(&mut seen[slot as usize], true) {
            let at = order.len() as u32;
            let round = if program.rounds { program.round_after(again.last(), at, slot) } else { 0 };
            again.push(Again { position: at, round: round.min(MOST_ROUNDS - 1), slot });
        } else if (slot as usize) < program.real {
            place[slot as usize] = order.len() as u32;
            order.push(program.original[slot as usize]);
        }
    }
    again.sort_unstable();
    again.dedup();
    candidate.again = again
        .into_iter()
        .filter(|again| (again.position as usize) < program.len())
        .map(|again| Again { slot: place[again.slot as usize], ..again })
        .collect();
    candidate.order = order;
    made
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::Node;

    use super::*;

    #[test]
    fn a_work_limit_ends_the_first_cooling_too() {
        let node = |id: usize| {
            Node::new("link", 1.0, 1 + id as u64 % 7, id.checked_sub(1).into_iter().collect::<Vec<_>>())
        };
        let mut nodes: Vec<Node> = (0..40).map(node).collect();
        for id in (0..39).rev() {
            nodes.push(Node::new("back", 1.0, 3, vec![id, nodes.len() - 1]));
        }
        let problem = Problem { name: "training".into(), nodes, resident_bytes: 0 };
        let never = Deadline::after(None);
        for (cap_bytes, moves) in [(problem.unplanned_peak(), 10), (problem.unplanned_peak() - 9, 5_000)] {
            let found = search_free(&problem, cap_bytes, false, 1, moves, &never, &|_| false);
            assert!(found.is_none_or(|found| found.work <= moves + 1), "of {moves}");
        }
    }
}
