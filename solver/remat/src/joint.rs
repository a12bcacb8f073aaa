//! Plans that recompute and swap: starts without swaps, by paging and given ones, from each of which the [race](crate::race) begins.

use std::sync::Arc;

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{NodeId, SwapModel};
use ballast_core::report::Bound;

use crate::baseline::quick;
use crate::exchange::{Exchange, paged};
use crate::outcome::{Error, Order, PROVED_WITHIN};
use crate::paging::Policy;
use crate::portfolio::Parts;
use crate::program::{Plan, Program};
use crate::race::{FIRST_SECONDS, Race};
use crate::solver::Options;
use crate::solver::{Proposal, Task};
use crate::swap_bound::is_small;

impl Task<'_> {
    /// Recomputes and swaps together: the best without swaps first, then exchanges from it, from plans by paging, and from those
    /// given.
    pub(crate) fn joint(&self) -> Result<Option<Proposal>, Error> {
        let program = self.program;
        let Some(swap) = self.options.swap else { return Ok(None) };
        if let Some(found) = self.hidden(&swap) {
            return Ok(Some(found));
        }
        if self.options.order == Order::Program {
            let (recomputing, work) = self.recomputing(&swap);
            return Ok(self.exchange(&swap, &[program], recomputing, work));
        }
        // The best order without swaps is the one to swap in; plans in program order stay candidates.
        let limits = self.options.limits;
        let part = self.deadline.within(self.deadline.remaining_seconds() * FREE_SHARE);
        let part = if limits.time_limit_seconds.is_some() { part } else { self.deadline };
        let options = Options {
            limits: ballast_core::limits::Limits {
                work_limit: limits.work_limit.map(|work| (work / 2).max(1)),
                ..limits
            },
            ..self.options.clone()
        };
        let task = Task { options: &options, deadline: part, progress: self.progress.clone(), ..*self };
        let found = task.free(Parts::BOTH)?;
        if found.as_ref().is_some_and(|found| found.stop == StopReason::Proved) {
            return Ok(found);
        }
        // Starts keep the orders they have.
        let plans = found.iter().map(|found| &found.plan).chain(&self.options.starts);
        let mut orders: Vec<Option<&[NodeId]>> = Vec::new();
        for order in plans.map(|plan| plan.order.as_deref()).chain([None]) {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        let ordered: Vec<Program> = orders
            .into_iter()
            .map(|order| {
                Program::new(self.problem, order, self.options.cap_bytes).with_rounds(self.options.rounds)
            })
            .collect();
        let start = found.as_ref().and_then(|found| ordered.first()?.plan(&found.plan));
        let work = found.as_ref().map_or(0, |found| found.work);
        Ok(self.exchange(&swap, &ordered.iter().collect::<Vec<_>>(), Vec::from_iter(start), work))
    }

    /// A plan that hides all its copies behind computation, where a short search finds one: no plan is faster.
    pub(crate) fn hidden(&self, swap: &SwapModel) -> Option<Proposal> {
        if !swap.overlap {
            return None;
        }
        let (problem, options) = (self.problem, self.options);
        let timed = options.limits.time_limit_seconds.is_some();
        let part = self.deadline.within(self.deadline.remaining_seconds() * HIDDEN_SHARE);
        let part = if timed { part } else { self.deadline };
        let moves = options.limits.work_limit.map_or(HIDDEN_MOVES, |work| (work / 100).min(HIDDEN_MOVES));
        let policies = Policy::ALL.len() as u64;
        // Recomputes take time: swaps alone.
        let mut program = self.program.clone();
        program.repeatable.fill(false);
        let plan = paged(problem, &program, swap, options.cap_bytes, options.limits.seed, policies, &part)?;
        let mut search =
            Exchange::new(problem, &program, *swap, options.cap_bytes, options.limits.seed, plan)?;
        let least = program.total_time * (1.0 + PROVED_WITHIN);
        let hidden = |search: &Exchange<'_>| search.best().is_some_and(|(time, _)| time <= least);
        let mut work = 0;
        while !hidden(&search) {
            if work >= moves || part.over() {
                return None;
            }
            work += search.run((moves - work).min(64), &part);
        }
        search.polish(&self.deadline);
        Some(Proposal {
            plan: search.best_plan()?,
            bound: Bound::each_op_once(program.total_time),
            method: "exchange".into(),
            stop: StopReason::Proved,
            work,
            q_table: None,
        })
    }

    /// The best plans in program order without swaps that a share of the limits finds.
    fn recomputing(&self, swap: &SwapModel) -> (Vec<Plan>, u64) {
        let program = self.program;
        let limits = self.options.limits;
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let timed = limits.time_limit_seconds.is_some();
        // The proof of a small program tells of such plans, too.
        let small = is_small(program, swap);
        let share = if small { SMALL_SHARE } else { RECOMPUTE_SHARE };
        let part = self.soon(swap, share);
        let part = if timed { part } else { self.deadline };
        let mut search = self.search(program);
        let mut work = search.run(if moves == u64::MAX { moves } else { moves / 2 }, &part);
        if timed && search.best().is_none() && !small {
            // Plans without swaps are hard to find here, and worth it: copies cost more wherever a link is slow.
            let part = self.deadline.within(self.deadline.remaining_seconds() * RECOMPUTE_AGAIN_SHARE);
            while search.best().is_none() && !part.over() {
                work += search.run(4096, &part);
            }
        }
        let plan = match search.best() {
            Some((_, plan)) => Some(plan.clone()),
            None => quick(program, &self.backward()).map(|(_, again, _)| Plan::recomputing(&again)),
        };
        let mut plans = Vec::from_iter(plan);
        if timed && limits.work_limit.is_none() && limits.threads > 1 && !self.is_proved_early(swap) {
            // The proof beside the search finds plans of its own. The best without swaps is not always the best to begin with, so that
            // both are starts.
            let options = Options { swap: None, ..self.options.clone() };
            let left = self.deadline.remaining_seconds();
            let most = if small || self.copies_decide(swap) { RECOMPUTE_SHARE } else { RECOMPUTE_MOST };
            let part = self.deadline.within(left * most);
            let task =
                Task { options: &options, deadline: part, progress: Arc::clone(&self.progress), ..*self };
            let parts = Parts { stall_seconds: Some(left * RECOMPUTE_SHARE), ..Parts::BOTH };
            if let Ok(Some(found)) = task.search_and_prove(parts) {
                work += found.work;
                plans.extend(program.plan(&found.plan).filter(|plan| !plans.contains(plan)));
            }
        }
        (plans, work)
    }

    /// Could the link carry, while everything runs once, a good part of what is too much at the peak? Then copies are what decides.
    fn copies_decide(&self, swap: &SwapModel) -> bool {
        let carried = swap.out_bandwidth.min(swap.in_bandwidth) * self.program.total_time;
        let over = self.problem.unplanned_peak().saturating_sub(self.options.cap_bytes);
        swap.overlap && carried >= CARRIED * over as f64
    }

    /// Exchanges in the orders of some programs, from plans without swaps in the first of them, from plans by paging and from those
    /// given.
    fn exchange(
        &self,
        swap: &SwapModel,
        programs: &[&Program],
        recomputing: Vec<Plan>,
        work: u64,
    ) -> Option<Proposal> {
        let program = *programs.first()?;
        // Swaps alone, too: where they do best, few recomputes are on the way.
        let swapping = program.repeatable.contains(&true).then(|| {
            let mut swapping = program.clone();
            swapping.repeatable.fill(false);
            swapping
        });
        let paging: Vec<&Program> = swapping.iter().chain(programs.iter().copied()).collect();
        let mut starts = self.by_paging(swap, &paging);
        // After the plan that swaps alone.
        let place = usize::from(swapping.is_some() && !starts.is_empty());
        starts.splice(place..place, recomputing.into_iter().map(|plan| (program, plan)));
        for &program in programs {
            starts
                .extend(self.options.starts.iter().filter_map(|start| Some((program, program.plan(start)?))));
        }
        Race::new(self, swap).run(starts, work)
    }

    /// A share of the time left, with few seconds where a proof follows.
    fn soon(&self, swap: &SwapModel, share: f64) -> Deadline {
        let part = self.deadline.within(self.deadline.remaining_seconds() * share);
        if self.is_proved_early(swap) { part.within(FIRST_SECONDS) } else { part }
    }

    /// Does the proof come before the long searches? Where the clock is the limit, if it may be expected to end.
    pub(crate) fn is_proved_early(&self, swap: &SwapModel) -> bool {
        let Options { limits, order, .. } = self.options;
        let by_clock = limits.time_limit_seconds.is_some() && limits.work_limit.is_none();
        by_clock && *order == Order::Program && is_small(self.program, swap)
    }

    /// The best plan by paging in each of some programs that has one, in a share of the limits.
    fn by_paging<'a>(&self, swap: &SwapModel, programs: &[&'a Program]) -> Vec<(&'a Program, Plan)> {
        let (cap_bytes, limits) = (self.options.cap_bytes, self.options.limits);
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let timed = limits.time_limit_seconds.is_some();
        let share = if is_small(self.program, swap) { SMALL_SHARE } else { PAGING_SHARE };
        let part = self.soon(swap, share);
        let tries = if timed { u64::MAX } else { (moves / 1000).clamp(3, MOST_PAGED) };
        let mut plans = Vec::new();
        for (index, &program) in programs.iter().enumerate() {
            let turn = part.within(part.remaining_seconds() / (programs.len() - index) as f64);
            let turn = if timed { turn } else { self.deadline };
            let plan = paged(self.problem, program, swap, cap_bytes, limits.seed, tries, &turn);
            plans.extend(plan.map(|plan| (program, plan)));
        }
        plans
    }
}

/// Moves of the search for a plan that hides all its copies, and the share of the time it may take.
const HIDDEN_MOVES: u64 = 20_000;
const HIDDEN_SHARE: f64 = 0.08;
/// Share of the time given to plans in any order without swaps before swaps are tried.
const FREE_SHARE: f64 = 0.6;
/// Share of the time left then that plans by paging may take.
const PAGING_SHARE: f64 = 0.25;
/// Share of the time left that plans by paging, and a search without swaps, may take of a small program.
const SMALL_SHARE: f64 = 0.05;
/// Most of them without a time limit.
const MOST_PAGED: u64 = 300;
/// Share of the time given to plans without swaps before swaps are tried.
const RECOMPUTE_SHARE: f64 = 0.15;
/// Share of the time left that they have at most, while better ones are found: a move without copies costs a tenth of one with.
const RECOMPUTE_MOST: f64 = 0.45;
/// The part of it from which that is so: below it, plans of the 66 measured cells were up to 1.7 times as dear without the longer search.
const CARRIED: f64 = 0.3;
/// Share of the time left given to them again while there is none.
const RECOMPUTE_AGAIN_SHARE: f64 = 0.4;
