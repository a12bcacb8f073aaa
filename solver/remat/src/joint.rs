//! Plans that recompute and swap: starts without swaps, by paging and given ones, then exchanges from each, and a bound beside them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{NodeId, SwapModel};
use ballast_core::report::{Bound, BoundClass};

use crate::baseline::quick;
use crate::exchange::{Exchange, paged};
use crate::incumbent::lock;
use crate::outcome::{Failure, Order, PROVED_WITHIN};
use crate::paging::Policy;
use crate::portfolio::Parts;
use crate::program::{Plan, Program};
use crate::solver::Options;
use crate::solver::{Proposal, Task};
use crate::swap_bound::{Goal, Stage, swap_bound};

impl Task<'_> {
    /// Recomputes and swaps together: the best without swaps first, then exchanges from it, from plans by paging, and from those
    /// given.
    pub(crate) fn joint(&self) -> Result<Option<Proposal>, Failure> {
        let program = self.program;
        let Some(swap) = self.options.swap else { return Ok(None) };
        if let Some(found) = self.hidden(&swap) {
            return Ok(Some(found));
        }
        if self.options.order == Order::Program {
            let (recomputing, work) = self.recomputing();
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
        let found = task.free()?;
        if found.as_ref().is_some_and(|found| found.stop == StopReason::Proved) {
            return Ok(found);
        }
        // Starts keep the orders they have.
        let plans = found.iter().map(|found| &found.plan).chain(&self.options.starts);
        let mut orders: Vec<Option<&[NodeId]>> = plans.map(|plan| plan.order.as_deref()).collect();
        orders.extend((!orders.contains(&None)).then_some(None));
        orders.dedup();
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
    fn hidden(&self, swap: &SwapModel) -> Option<Proposal> {
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
        let least = program.total_time * (1.0 + f64::EPSILON);
        let hidden = |search: &Exchange<'_>| search.best().is_some_and(|(time, _)| *time <= least);
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
            bound: Bound::proved(program.total_time, BoundClass::Any),
            method: "exchange".into(),
            stop: StopReason::Proved,
            work,
            q_table: None,
        })
    }

    /// The best plans in program order without swaps that a share of the limits finds.
    fn recomputing(&self) -> (Vec<Plan>, u64) {
        let program = self.program;
        let limits = self.options.limits;
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let timed = limits.time_limit_seconds.is_some();
        let part = self.deadline.within(self.deadline.remaining_seconds() * RECOMPUTE_SHARE);
        let part = if timed { part } else { self.deadline };
        let mut search = self.search(program);
        let mut work = search.run(if moves == u64::MAX { moves } else { moves / 2 }, &part);
        if timed && search.best().is_none() {
            // Plans without swaps are hard to find here, and worth it: copies cost more wherever a link is slow.
            let part = self.deadline.within(self.deadline.remaining_seconds() * RECOMPUTE_AGAIN_SHARE);
            while search.best().is_none() && !part.over() {
                work += search.run(4096, &part);
            }
        }
        let plan = match search.best() {
            Some((_, again)) => Some(Plan::recomputing(again)),
            None => quick(program, &self.backward()).map(|(_, again, _)| Plan::recomputing(&again)),
        };
        let mut plans = Vec::from_iter(plan);
        if timed && limits.work_limit.is_none() && limits.threads > 1 {
            // The proof beside the search finds plans of its own. The best without swaps is not always the best to begin with, so that
            // both are starts.
            let options = Options { swap: None, ..self.options.clone() };
            let part = self.deadline.within(self.deadline.remaining_seconds() * RECOMPUTE_SHARE);
            let task =
                Task { options: &options, deadline: part, progress: Arc::clone(&self.progress), ..*self };
            if let Ok(Some(found)) = task.search_and_prove(Parts::BOTH) {
                work += found.work;
                plans.extend(program.plan(&found.plan).filter(|plan| !plans.contains(plan)));
            }
        }
        (plans, work)
    }

    /// Exchanges in the orders of some programs, from plans without swaps in the first of them, from plans by paging and from those
    /// given.
    fn exchange(
        &self,
        swap: &SwapModel,
        programs: &[&Program],
        recomputing: Vec<Plan>,
        mut work: u64,
    ) -> Option<Proposal> {
        let (options, limits) = (self.options, self.options.limits);
        let program = *programs.first()?;
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let timed = limits.time_limit_seconds.is_some();
        let part = self.deadline.within(self.deadline.remaining_seconds() * PAGING_SHARE);
        let (part, tries) =
            if timed { (part, u64::MAX) } else { (self.deadline, (moves / 1000).clamp(3, MOST_PAGED)) };
        // Swaps alone, too: where they do best, few recomputes are on the way.
        let swapping = program.repeatable.contains(&true).then(|| {
            let mut swapping = program.clone();
            swapping.repeatable.fill(false);
            swapping
        });
        let paging: Vec<&Program> = swapping.iter().chain(programs.iter().copied()).collect();
        let mut starts: Vec<(&Program, Plan)> = Vec::new();
        for (index, &program) in paging.iter().enumerate() {
            let part = part.within(part.remaining_seconds() / (paging.len() - index) as f64);
            let part = if timed { part } else { self.deadline };
            let plan = paged(self.problem, program, swap, options.cap_bytes, limits.seed, tries, &part);
            starts.extend(plan.map(|plan| (program, plan)));
        }
        // After the plan that swaps alone.
        let place = usize::from(swapping.is_some() && !starts.is_empty());
        starts.splice(place..place, recomputing.into_iter().map(|plan| (program, plan)));
        for &program in programs {
            starts.extend(options.starts.iter().filter_map(|start| Some((program, program.plan(start)?))));
        }
        let share = (moves / 100 / starts.len().max(1) as u64).max(1);
        let mut exchanges: Vec<Exchange<'_>> = Vec::new();
        for (index, (program, start)) in (0..).zip(starts) {
            let seed = limits.seed.wrapping_add(index);
            exchanges.extend(Exchange::new(self.problem, program, *swap, options.cap_bytes, seed, start));
        }
        let least = program.total_time * (1.0 + 1e-12);
        let finish = AtomicBool::new(false);
        // The best plan of all, and the best that the mixed-integer programs met.
        let (best, met) = (Mutex::<Option<(f64, Plan)>>::default(), Mutex::<Option<(f64, Plan)>>::default());
        let keep = |slot: &Mutex<Option<(f64, Plan)>>, time: f64, plan: &Plan| {
            let mut slot = lock(slot);
            if slot.as_ref().is_none_or(|(least, _)| time < *least) {
                *slot = Some((time, plan.clone()));
            }
        };
        let note = |exchange: &Exchange<'_>| {
            exchange.best().into_iter().for_each(|(time, plan)| keep(&best, *time, plan));
        };
        exchanges.iter().for_each(note);
        // Searches in another order have other numbers for the values.
        let shared = options.order == Order::Program;
        let alone = self.deadline.remaining_seconds() * ALONE;
        let drive = |exchange: &mut Exchange<'_>, deadline: &Deadline, moves: u64| {
            let (mut made, mut coolings) = (0, 0);
            while made < moves && !deadline.over() && !finish.load(Ordering::Relaxed) {
                // Solutions of the proof at once; what other searches found after a cooling, once each has had time for its own.
                let joins =
                    timed && exchange.coolings() > coolings && self.deadline.remaining_seconds() < alone;
                coolings = exchange.coolings();
                if shared && let Some((time, plan)) = &*lock(if joins { &best } else { &met }) {
                    exchange.hear(*time, plan);
                }
                let now = exchange.run((moves - made).min(64), deadline);
                made += now;
                note(exchange);
                if timed && exchange.best().is_some_and(|(time, _)| *time <= least) {
                    finish.store(true, Ordering::Relaxed);
                }
            }
            made
        };
        let known = || lock(&best).as_ref().map_or(f64::INFINITY, |(time, _)| *time);
        // Bounds are for plans in program order.
        let prove = |deadline: Deadline, effort: Option<u64>| {
            let goal = Goal {
                known: &known,
                offer: &|time, plan| {
                    keep(&best, time, &plan);
                    keep(&met, time, &plan);
                },
                deadline,
                stop: &|| finish.load(Ordering::Relaxed),
                progress: &self.progress,
                effort,
            };
            let (problem, cap_bytes) = (self.problem, options.cap_bytes);
            let stage = Stage { problem, program: self.program, swap, cap_bytes };
            let proof = if shared || program.len() <= SMALL { swap_bound(stage, goal) } else { (0.0, false) };
            // Where any order is allowed its plans count, and its bound does not.
            let (bound, trusts_highs) = if shared { proof } else { (0.0, false) };
            if timed && known() <= (program.total_time + bound) * (1.0 + PROVED_WITHIN) {
                finish.store(true, Ordering::Relaxed);
            }
            (bound, trusts_highs)
        };
        let (mut extra_bound, mut trusts_highs) = (0.0, false);
        if limits.threads > 1 {
            let beside = timed && limits.work_limit.is_none();
            (work, (extra_bound, trusts_highs)) = std::thread::scope(|scope| {
                let prover = beside.then(|| {
                    // The searches want the cores too; a small program's proof ends by itself.
                    let small = program.len() <= SMALL;
                    let share = if small { PROOF_END } else { PROOF_BESIDE };
                    let deadline = self.deadline.within(self.deadline.remaining_seconds() * share);
                    let prove = &prove;
                    scope.spawn(move || prove(deadline, None))
                });
                let handles: Vec<_> = exchanges
                    .iter_mut()
                    .map(|exchange| scope.spawn(|| drive(exchange, &self.deadline, share)))
                    .collect();
                let made = handles.into_iter().map(|handle| handle.join().unwrap_or(0)).sum::<u64>();
                (work + made, prover.map_or((0.0, false), |prover| prover.join().unwrap_or((0.0, false))))
            });
        } else {
            let count = exchanges.len();
            let end = self.deadline.within(self.deadline.remaining_seconds() * (1.0 - PROOF_SHARE));
            let end = if timed { end } else { self.deadline };
            for (index, exchange) in exchanges.iter_mut().enumerate() {
                let seconds = end.remaining_seconds() / (count - index) as f64;
                let turn = if timed { end.within(seconds) } else { end };
                work += drive(exchange, &turn, share);
            }
        }
        if extra_bound == 0.0 && !self.deadline.over() {
            let seconds = self.deadline.remaining_seconds() * PROOF_END;
            let deadline = if timed { self.deadline.within(seconds) } else { self.deadline };
            (extra_bound, trusts_highs) = prove(deadline, limits.work_limit);
        }
        if let Some((_, plan)) = lock(&met).clone() {
            let seed = limits.seed;
            exchanges.extend(Exchange::new(self.problem, self.program, *swap, options.cap_bytes, seed, plan));
        }
        for exchange in &mut exchanges {
            exchange.polish(&self.deadline);
        }
        let best = exchanges
            .iter()
            .filter_map(|exchange| Some((exchange.best()?.0, exchange.best_plan()?)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let milp = lock(&met).as_ref().map_or(f64::INFINITY, |(time, _)| *time);
        let method = if best.as_ref().is_some_and(|(time, _)| *time >= milp) { "milp" } else { "exchange" };
        best.map(|(time, plan)| Proposal {
            plan,
            bound: Bound::proved(
                program.total_time + extra_bound,
                if extra_bound > 0.0 { BoundClass::ProgramOrder } else { BoundClass::Any },
            )
            .trusting_highs(trusts_highs),
            method: method.into(),
            stop: if time <= least || time <= (program.total_time + extra_bound) * (1.0 + PROVED_WITHIN) {
                StopReason::Proved
            } else if self.deadline.over() || limits.work_limit.is_none() {
                self.deadline.reason()
            } else {
                StopReason::WorkLimit
            },
            work,
            q_table: None,
        })
    }
}

/// Moves of the search for a plan that hides all its copies, and the share of the time it may take.
const HIDDEN_MOVES: u64 = 20_000;
const HIDDEN_SHARE: f64 = 0.08;
/// Share of the time given to plans in any order without swaps before swaps are tried.
const FREE_SHARE: f64 = 0.6;
/// Share of the time left then that plans by paging may take.
const PAGING_SHARE: f64 = 0.25;
/// Most of them without a time limit.
const MOST_PAGED: u64 = 300;
/// Share of the time left that a bound for plans with swaps has where it is not looked for beside the search.
const PROOF_SHARE: f64 = 0.3;
/// Share of the time left at which searches begin to go on from the best plan of all.
const ALONE: f64 = 0.5;
/// Nodes of a program whose proof may be expected to end.
const SMALL: usize = 64;
/// Share of the time left that the proof of a larger one runs beside the searches.
const PROOF_BESIDE: f64 = 0.4;
/// Share of the time left at which it is told to end: HiGHS does not look at the clock all the time.
const PROOF_END: f64 = 0.9;
/// Share of the time given to plans without swaps before swaps are tried.
const RECOMPUTE_SHARE: f64 = 0.15;
/// Share of the time left given to them again while there is none.
const RECOMPUTE_AGAIN_SHARE: f64 = 0.4;
