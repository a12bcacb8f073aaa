//! Plans in program order: a local search and a prover side by side, sharing one incumbent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ballast_core::limits::StopReason;
use ballast_core::report::{BoundClass, Prover};

use crate::baseline::quick;
use crate::chain::{Chain, feasible_plan};
use crate::counting::counting_bound;
use crate::gaps::cover;
use crate::incumbent::Incumbent;
use crate::outcome::{Error, Order};
use crate::program::{Plan, Program};
use crate::prover::prove;
use crate::search::Search;
use crate::solver::{Proposal, Task};

/// Who takes part.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// The local search.
    pub(crate) search: bool,
    /// The mixed-integer program.
    pub(crate) prover: bool,
    /// Seconds after which to end where nothing better was found for half of the time; none: never.
    pub(crate) stall_seconds: Option<f64>,
    /// Set by others once what is found here no longer counts.
    pub(crate) done: Option<&'a AtomicBool>,
}

impl Parts<'_> {
    pub(crate) const BOTH: Parts<'static> =
        Parts { search: true, prover: true, stall_seconds: None, done: None };

    /// Was nothing better found for too long since a moment, or does it no longer count?
    fn over(&self, incumbent: &Incumbent, since_seconds: f64) -> bool {
        self.stall_seconds.is_some_and(|least| incumbent.stalled(since_seconds, least))
            || self.done.is_some_and(|done| done.load(Ordering::Relaxed))
    }
}

impl Task<'_> {
    /// Starts that need no search: the best of them, and one to search from.
    fn starts(&self, incumbent: &Incumbent, search: &mut Search<'_>) {
        if let Some((extra, again, method)) = quick(self.program, &self.backward()) {
            incumbent.offer(extra, &again, method);
        }
        let left = self.deadline.remaining_seconds();
        if left < LEAST_SECONDS {
            return;
        }
        let chain = Chain::of(self.program);
        if let Some((extra, again)) = chain.as_ref().and_then(|chain| {
            let part =
                if left.is_finite() { self.deadline.within(left * CHAIN_SHARE) } else { self.deadline };
            if let Some(bound) = counting_bound(self.program, chain, &part) {
                incumbent.raise(bound, Prover::Counting);
            }
            feasible_plan(self.program, chain, &part)
        }) {
            incumbent.offer(extra, &again, "chain");
            search.adopt(&again);
        } else if let Some(again) = cover(self.program, &self.deadline) {
            search.adopt(&again);
            if let Some((extra, plan)) = search.best() {
                incumbent.offer(*extra, &plan.again, "gaps");
            }
        }
    }

    /// A search in program order, from the start given if there is one.
    pub(crate) fn search<'p>(&self, program: &'p Program) -> Search<'p> {
        let mut search = Search::new(program, self.options.limits.seed);
        for again in self.options.starts.iter().filter_map(|start| program.recomputes(start)) {
            search.adopt(&again);
        }
        search
    }

    pub(crate) fn search_and_prove(&self, parts: Parts<'_>) -> Result<Option<Proposal>, Error> {
        let (program, options) = (self.program, self.options);
        let incumbent =
            Arc::new(Incumbent::new(program, self.deadline, options.tolerance, Arc::clone(&self.progress)));
        let limit = options.limits.work_limit.unwrap_or(u64::MAX);
        let (finished, wait) = mpsc::channel();
        let alone = options.limits.work_limit.is_some();
        if !parts.prover || alone {
            drop(finished);
        } else {
            // A thread of its own that may be left behind: HiGHS looks at the clock too rarely to be waited for.
            let (program, incumbent) = (program.clone(), Arc::clone(&incumbent));
            let (seed, searches) = (options.limits.seed.wrapping_add(1), parts.search);
            let threads = options.limits.threads;
            std::thread::spawn(move || {
                prove(&program, &incumbent, None, threads);
                if searches {
                    climb(&mut Search::new(&program, seed), &incumbent);
                }
                let _ = finished.send(());
            });
        }
        let mut search = self.search(program);
        self.starts(&incumbent, &mut search);
        let mut work = 0;
        let began = self.deadline.elapsed_seconds();
        if parts.search {
            while work < limit && !incumbent.over() {
                if incumbent.rests() {
                    std::thread::sleep(REST);
                    continue;
                }
                work += search.run((limit - work).min(4096), &self.deadline);
                exchange_plans(&mut search, &incumbent);
                if parts.over(&incumbent, began) {
                    incumbent.finish();
                }
                if self.impatient(work, limit) && incumbent.best().is_none() {
                    incumbent.finish();
                }
            }
        }
        if alone && parts.prover {
            // Plans and bounds must not depend on who is faster: one after the other, both counted.
            prove(program, &incumbent, Some(limit), 1);
        }
        let left = self.deadline.remaining_seconds();
        let left = if incumbent.over() { 0.0 } else { left.min(1e6) };
        let _ = wait.recv_timeout(Duration::from_secs_f64(left));
        incumbent.finish();
        // What is left of it stops at its next look at the incumbent; only seldom does that outlast this.
        let grace = GRACE + options.limits.time_limit_seconds.map_or(0.0, |seconds| seconds * GRACE);
        let _ = wait.recv_timeout(Duration::from_secs_f64(grace.min(MOST_GRACE)));
        if incumbent.refuted() {
            let (least, node) = self.problem.working_set();
            // The model knows recomputes in program order alone: where plans may do more, it refutes only some of them.
            let all = options.swap.is_none() && options.order == Order::Program;
            return Err(self.infeasible(all, least, node));
        }
        let Some(best) = incumbent.best() else { return Ok(None) };
        let stop = if incumbent.proved() {
            StopReason::Proved
        } else if self.deadline.over() {
            self.deadline.reason()
        } else if work >= limit {
            StopReason::WorkLimit
        } else {
            StopReason::Finished
        };
        let class = match (options.swap, program.rounds) {
            (None, rounds) => in_program_order(rounds),
            (Some(_), true) => BoundClass::ProgramOrderWithoutSwaps,
            (Some(_), false) => BoundClass::ProgramOrderAscendingWithoutSwaps,
        };
        Ok(Some(Proposal {
            plan: program.compact(&Plan::recomputing(&best.plan)),
            bound: incumbent.proof().bound(program.total_time, class),
            method: best.method.into(),
            stop,
            work,
            q_table: None,
        }))
    }

    /// Has a search without any plan had its share of the limits?
    fn impatient(&self, work: u64, limit: u64) -> bool {
        let patience = self.options.patience;
        let slow = self
            .options
            .limits
            .time_limit_seconds
            .is_some_and(|limit| self.deadline.elapsed_seconds() > patience * limit);
        slow || (limit < u64::MAX && work as f64 > patience * limit as f64)
    }
}

/// All plans in program order, with or without further rounds.
pub(crate) fn in_program_order(rounds: bool) -> BoundClass {
    if rounds { BoundClass::ProgramOrder } else { BoundClass::ProgramOrderAscending }
}

/// Searches until the run is over.
fn climb(search: &mut Search<'_>, incumbent: &Incumbent) {
    while !incumbent.over() {
        search.run(4096, &incumbent.deadline);
        exchange_plans(search, incumbent);
    }
}

/// Offers a search's best plan to the incumbent, or tells the search of a better one and of one to repair.
fn exchange_plans(search: &mut Search<'_>, incumbent: &Incumbent) {
    if let Some((extra, plan)) = search.best() {
        incumbent.offer(*extra, &plan.again, "local-search");
    }
    if search.best().is_none_or(|(extra, _)| incumbent.value() < *extra)
        && let Some(best) = incumbent.best()
    {
        search.hear(best.extra, &Plan::recomputing(&best.plan));
    }
    if let Some(plan) = incumbent.suggestion() {
        search.repair(&plan);
    }
}

/// Share of the time that the dynamic program on a chain may take.
const CHAIN_SHARE: f64 = 0.4;
/// Seconds below which it and the covering program are left out.
const LEAST_SECONDS: f64 = 2.0;
/// Between two looks whether a search that rests may go on.
const REST: Duration = Duration::from_millis(10);
/// Seconds, and share of the time limit, that a proof may take to end after it was told to.
const GRACE: f64 = 0.05;
/// Most seconds of that.
const MOST_GRACE: f64 = 2.0;
