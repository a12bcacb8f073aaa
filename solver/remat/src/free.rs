//! Plans whose first runs may take any order: reordering and recomputation in turn.
//!
//! Orders are improved against the excess over the cap; recomputes are then searched in the order found; the
//! sequence so made, copies and all, is reordered again with a little less memory than allowed, and so on. Each
//! worker keeps to its own random numbers, so that with a work limit the outcome does not depend on timing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, NodeId, Problem};
use ballast_core::report::BoundClass;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::incumbent::{Proved, lock};
use crate::moments::any_order_bound;
use crate::order::{Reordering, mean_size};
use crate::outcome::{Error, Order, PROVED_WITHIN};
use crate::portfolio::Parts;
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
/// Share of the time given to plans in program order.
const PROGRAM_ORDER_SHARE: f64 = 0.2;

impl Task<'_> {
    /// Plans in any order of first runs; none worse than the best in program order that a share of the limits
    /// finds, by the solvers that have that order to themselves. It is where the searches start from.
    pub(crate) fn free(&self, parts: Parts<'_>) -> Result<Option<Proposal>, Error> {
        let limits = self.options.limits;
        let alone = limits.work_limit.is_some();
        let workers = if alone { WORKERS } else { limits.threads.max(1) as u64 };
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let shared = Shared::new(alone, self.patient());
        let program_share = (moves / (workers + 1)).max(1);
        let in_program_order = || {
            let found = self.in_program_order(Parts { done: Some(&shared.done), ..parts }, program_share);
            let start =
                found.as_ref().and_then(|found| Candidate::of(self.problem, self.options, &found.plan));
            start.iter().for_each(|start| shared.hear(start));
            found
        };
        // Under a work limit all start from it. Others need not wait: a plan without recomputes often comes at once.
        let first = alone.then(in_program_order);
        let used = match &first {
            Some(found) => found.as_ref().map_or(program_share, |found| found.work),
            None => 0,
        };
        let share = (moves.saturating_sub(used) / workers).max(1);
        let proves = self.proves_any_order();
        let (mut results, in_order, proved) = std::thread::scope(|scope| {
            let shared = &shared;
            let search_one = move |worker: u64, deadline: &Deadline| {
                let seed = limits.seed.wrapping_mul(1000).wrapping_add(worker);
                search_free(self.problem, self.options, (seed, share), deadline, shared)
            };
            let handles: Vec<_> =
                (1..workers).map(|worker| scope.spawn(move || search_one(worker, &self.deadline))).collect();
            let in_order = first.unwrap_or_else(in_program_order);
            let until = self.deadline.within(self.deadline.remaining_seconds() * (1.0 - BOUND_SHARE));
            let mut results = vec![search_one(0, if proves { &until } else { &self.deadline })];
            let bound = (proves && shared.is_open())
                .then(|| any_order_bound(self.problem, self.options.cap_bytes, &self.deadline));
            let proved = bound.unwrap_or(Proved::NOTHING);
            if proves && shared.is_open() {
                // A proof that ends early leaves its time to plans, or ends the search.
                let own = results[0].plan.as_ref();
                let own = own.and_then(|plan| Candidate::of(self.problem, self.options, plan));
                own.iter().for_each(|own| shared.hear(own));
                shared.end_at(proved.extra + PROVED_WITHIN * self.program.total_time);
                results.push(search_one(workers, &self.deadline));
            }
            results.extend(handles.into_iter().filter_map(|handle| handle.join().ok()));
            (results, in_order, proved)
        });
        let in_order_work = if alone { used } else { in_order.as_ref().map_or(0, |found| found.work) };
        let work = results.iter().map(|free| free.work).sum::<u64>() + in_order_work;
        let total = self.program.total_time;
        results.sort_by(|a, b| a.extra.total_cmp(&b.extra));
        let searched = results.into_iter().find_map(|free| Some((free.extra, free.plan?, "reorder".into())));
        let in_order = in_order.and_then(|found| {
            let start = Candidate::of(self.problem, self.options, &found.plan)?;
            Some((start.extra, found.plan, found.method))
        });
        // Of plans as good the one in program order.
        let best = in_order.into_iter().chain(searched).min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.map(|(extra, plan, method)| Proposal {
            bound: proved.bound(total, BoundClass::Any),
            method,
            stop: if extra <= proved.extra + PROVED_WITHIN * total {
                StopReason::Proved
            } else if self.deadline.over() {
                self.deadline.reason()
            } else {
                StopReason::WorkLimit
            },
            plan,
            work,
            q_table: None,
        }))
    }

    /// The best plan in program order without swaps that a share of the time, or so many moves, finds.
    fn in_program_order(&self, parts: Parts<'_>, moves: u64) -> Option<Proposal> {
        let Limits { time_limit_seconds, work_limit, .. } = self.options.limits;
        let seconds = self.deadline.remaining_seconds() * PROGRAM_ORDER_SHARE;
        let limits = Limits {
            time_limit_seconds: time_limit_seconds.map(|_| seconds),
            work_limit: work_limit.map(|_| moves),
            ..self.options.limits
        };
        let options =
            Options { order: Order::Program, swap: None, patience: 1.0, limits, ..self.options.clone() };
        let deadline =
            if time_limit_seconds.is_some() { self.deadline.within(seconds) } else { self.deadline };
        let task = Task { options: &options, deadline, progress: Arc::clone(&self.progress), ..*self };
        // That it has no plan in program order says nothing of other orders.
        task.search_and_prove(parts).ok().flatten()
    }

    /// Is a bound looked for? With a work limit what it buys would depend on the clock, and with swaps it would not hold.
    fn proves_any_order(&self) -> bool {
        let limits = self.options.limits;
        limits.work_limit.is_none() && limits.time_limit_seconds.is_some() && self.options.swap.is_none()
    }

    /// When searches that have no plan at all give up.
    fn patient(&self) -> Deadline {
        match self.options.limits.time_limit_seconds {
            Some(limit) if self.options.patience < 1.0 => {
                self.deadline.within(self.options.patience * limit - self.deadline.elapsed_seconds())
            }
            _ => self.deadline,
        }
    }
}

/// What the workers of a run share.
struct Shared {
    /// No plan is better than one that was found. Under a work limit workers must not hear of each other: who is first
    /// depends on the clock.
    done: AtomicBool,
    alone: bool,
    /// Has anybody a plan?
    found: AtomicBool,
    /// The best plan in program order, once it is there, or a better one.
    start: Mutex<Option<Candidate>>,
    /// When workers give up while nobody has a plan.
    patient: Deadline,
}

impl Shared {
    fn new(alone: bool, patient: Deadline) -> Self {
        let (done, found) = (AtomicBool::new(false), AtomicBool::new(false));
        Shared { done, alone, found, start: Mutex::new(None), patient }
    }

    /// Notes a plan's extra time; is the search of who found it over?
    fn note(&self, extra: f64) -> bool {
        self.found.store(true, Ordering::Relaxed);
        if extra <= 0.0 && !self.alone {
            self.done.store(true, Ordering::Relaxed);
        }
        extra <= 0.0
    }

    /// Takes a plan that all start from, if it is better.
    fn hear(&self, plan: &Candidate) {
        self.note(plan.extra);
        let mut start = lock(&self.start);
        if start.as_ref().is_none_or(|start| plan.extra < start.extra) {
            *start = Some(plan.clone());
        }
    }

    /// Ends the search if the plan that all start from takes no more extra time than this.
    fn end_at(&self, extra: f64) {
        if lock(&self.start).as_ref().is_some_and(|start| start.extra <= extra) {
            self.done.store(true, Ordering::Relaxed);
        }
    }

    /// Is there a plan that a bound would say something of?
    fn is_open(&self) -> bool {
        self.found.load(Ordering::Relaxed) && !self.done.load(Ordering::Relaxed)
    }

    /// Until when a worker searches that has a plan, or none.
    fn until<'a>(&'a self, deadline: &'a Deadline, has_plan: bool) -> &'a Deadline {
        if has_plan || self.found.load(Ordering::Relaxed) { deadline } else { &self.patient }
    }
}

/// What came of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    /// Time of the recomputes; infinite without a plan.
    pub(crate) extra: f64,
    pub(crate) plan: Option<CompactPlan>,
    pub(crate) work: u64,
}

/// Order of first runs and recomputes.
#[derive(Clone)]
struct Candidate {
    order: Vec<NodeId>,
    again: Vec<Again>,
    extra: f64,
}

impl Candidate {
    /// A plan that is known; none if it swaps or does not keep the cap.
    fn of(problem: &Problem, options: &Options, plan: &CompactPlan) -> Option<Self> {
        let program =
            Program::new(problem, plan.order.as_deref(), options.cap_bytes).with_rounds(options.rounds);
        let again = program.recomputes(plan)?;
        let mut line = Timeline::new(&program);
        line.load(&again);
        let order = program.original[..program.real].to_vec();
        (line.excess <= 0.0).then_some(Candidate { order, extra: line.extra_time, again })
    }
}

/// Searches until the deadline, so many moves, or a plan without recomputes.
fn search_free(
    problem: &Problem,
    options: &Options,
    (seed, moves): (u64, u64),
    deadline: &Deadline,
    shared: &Shared,
) -> Free {
    let Options { cap_bytes, rounds, .. } = *options;
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let mut work = 0;
    let mut best: Option<Candidate> = None;
    let mut round = 0u64;
    let scale = problem.nodes.len() as u64;
    while work < moves && !shared.done.load(Ordering::Relaxed) {
        let start = lock(&shared.start).clone();
        let better = start.filter(|start| best.as_ref().is_none_or(|best| start.extra < best.extra));
        best = better.or(best);
        let deadline = shared.until(deadline, best.is_some());
        if deadline.over() || best.as_ref().is_some_and(|best| best.extra <= 0.0) {
            break;
        }
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
            if shared.note(*extra) {
                break;
            }
        }
        round += 1;
    }
    let plan = best.as_ref().map(|best| {
        let program = Program::new(problem, Some(&best.order), cap_bytes);
        program.compact(&Plan::recomputing(&best.again))
    });
    Free { extra: best.map_or(f64::INFINITY, |best| best.extra), plan, work }
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
            let options = Options { cap_bytes, ..Options::default() };
            let found = search_free(&problem, &options, (1, moves), &never, &Shared::new(true, never));
            assert!(found.work <= moves + 1, "of {moves}: {}", found.work);
        }
    }
}
