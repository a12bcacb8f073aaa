//! Exchanges from several starts side by side, and the proof beside them or after them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::SwapModel;
use ballast_core::report::BoundClass;

use crate::exchange::Exchange;
use crate::incumbent::{Proved, lock};
use crate::outcome::{Order, PROVED_WITHIN};
use crate::portfolio::in_program_order;
use crate::program::{Plan, Program};
use crate::solver::{Proposal, Task};
use crate::swap_bound::{Goal, Stage, is_small, swap_bound};

/// Search steps that a move counts as.
const MOVE: u64 = 10;
/// Share of the time left that a bound has where it is not looked for beside the searches.
const PROOF_SHARE: f64 = 0.3;
/// Share of the time left that searches one after the other have before the proof of a small program, fewest seconds of it, most seconds that they and what
/// comes before them have, and the share that the proof has then: it is soon done, and finds the best plan.
const FIRST_TURNS: f64 = 0.1;
const FEWEST_SECONDS: f64 = 0.06;
pub(crate) const FIRST_SECONDS: f64 = 0.1;
const EARLY_PROOF: f64 = 0.6;
/// The same while the bound is far from the plan known.
const EARLY_PATIENCE: f64 = 0.2;
/// Share of the time left that each of several searches one after the other has, those from the best plans first: what starts far off seldom comes to much.
const TURN: f64 = 0.6;
/// Share of the time left at which searches begin to go on from the best plan of all.
const ALONE: f64 = 0.5;
/// Nodes of a program whose proof runs to its end whatever the copies, and in any order for the plans it meets.
const FEW: usize = 64;
/// Nodes from which on no proof is expected to end, however near it is.
const LARGE: usize = 2_000;
/// Share of the time left that the proof of a larger one runs beside the searches while it is far from their plans.
const PROOF_BESIDE: f64 = 0.4;
/// Share of the time left at which it is told to end: HiGHS does not look at the clock all the time.
const PROOF_END: f64 = 0.9;

/// Seconds that every search has at least beside the proof of a small program, and between two looks whether it may go on.
const LEAST_SEARCH: f64 = 0.5;
const REST: Duration = Duration::from_millis(10);

/// A plan and its time, of the best so far; shared by threads.
#[derive(Default)]
struct Leader(Mutex<Option<(f64, Plan)>>);

impl Leader {
    /// Takes a plan if it is better.
    fn take(&self, time: f64, plan: &Plan) {
        let mut leader = lock(&self.0);
        if leader.as_ref().is_none_or(|(least, _)| time < *least) {
            *leader = Some((time, plan.clone()));
        }
    }

    /// Its time; infinite where there is none.
    fn time(&self) -> f64 {
        lock(&self.0).as_ref().map_or(f64::INFINITY, |(time, _)| *time)
    }
}

/// The searches of one task, their best plans and their end.
pub(crate) struct Race<'a> {
    task: &'a Task<'a>,
    swap: &'a SwapModel,
    /// The best plan of all.
    best: Leader,
    /// The best that the mixed-integer programs met.
    met: Leader,
    /// Extra time that every plan is proved to take, once a proof has ended.
    proved: Mutex<f64>,
    /// Is a proof under way that wants a core of its own?
    proving: AtomicBool,
    /// Nothing is left to find.
    finish: AtomicBool,
    /// Searches may hear of each other's plans and of those of the proof: in other orders the values have other numbers.
    shared: bool,
    timed: bool,
}

impl<'a> Race<'a> {
    pub(crate) fn new(task: &'a Task<'a>, swap: &'a SwapModel) -> Self {
        Race {
            task,
            swap,
            best: Leader::default(),
            met: Leader::default(),
            proved: Mutex::default(),
            proving: AtomicBool::new(false),
            finish: AtomicBool::new(false),
            shared: task.options.order == Order::Program,
            timed: task.options.limits.time_limit_seconds.is_some(),
        }
    }

    /// The best plan of searches from each start that has one under the cap, and what is proved of it. `work` was done before.
    pub(crate) fn run(self, starts: Vec<(&Program, Plan)>, mut work: u64) -> Option<Proposal> {
        let limits = self.task.options.limits;
        let share = (limits.work_limit.unwrap_or(u64::MAX) / MOVE / starts.len().max(1) as u64).max(1);
        let mut searches: Vec<Exchange<'_>> = (0..)
            .zip(starts)
            .filter_map(|(index, (program, start))| self.search(program, start, index))
            .collect();
        searches.iter().for_each(|search| self.note(search));
        let time = |search: &Exchange<'_>| search.best().map_or(f64::INFINITY, |(time, _)| time);
        searches.sort_by(|a, b| time(a).total_cmp(&time(b)));
        let (made, mut proof) = if self.task.is_proved_early(self.swap) {
            self.proof_first(&mut searches, share)
        } else if limits.threads > 1 {
            self.side_by_side(&mut searches, share)
        } else {
            self.in_turn(&mut searches, share)
        };
        work += made;
        let deadline = &self.task.deadline;
        if proof.extra == 0.0 && !deadline.over() {
            let part = deadline.within(deadline.remaining_seconds() * PROOF_END);
            let part = if self.timed { part } else { *deadline };
            proof = self.prove(part, part, limits.work_limit);
        }
        let met = lock(&self.met.0).clone();
        searches.extend(met.and_then(|(_, plan)| self.search(self.task.program, plan, 0)));
        for search in &mut searches {
            search.polish(deadline);
        }
        let found = searches.iter().filter_map(|search| Some((search.best()?.0, search.best_plan()?)));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(time, plan)| Proposal {
            plan,
            bound: proof.bound(
                self.task.program.total_time,
                if proof.extra > 0.0 { in_program_order(self.task.program.rounds) } else { BoundClass::Any },
            ),
            method: if time >= self.met.time() { "milp" } else { "exchange" }.into(),
            stop: self.stop(time, proof),
            work,
            q_table: None,
        })
    }

    fn search<'p>(&self, program: &'p Program, start: Plan, index: u64) -> Option<Exchange<'p>>
    where
        'a: 'p,
    {
        let options = self.task.options;
        let seed = options.limits.seed.wrapping_add(index);
        Exchange::new(self.task.problem, program, *self.swap, options.cap_bytes, seed, start)
    }

    fn note(&self, search: &Exchange<'_>) {
        if let Some((time, plan)) = search.best() {
            self.best.take(time, plan);
        }
    }

    /// May its proof be expected to end?
    fn is_small(&self) -> bool {
        is_small(self.task.program, self.swap)
    }

    /// A plan no other is faster than: nothing is recomputed and every copy is hidden, or a proof says so.
    fn is_least(&self, time: f64) -> bool {
        let total = self.task.program.total_time;
        time <= total * (1.0 + 1e-12) || self.closed(time, *lock(&self.proved))
    }

    /// Is the distance of a plan's time and of the extra time proved a proof?
    fn closed(&self, time: f64, extra: f64) -> bool {
        extra > 0.0 && time <= (self.task.program.total_time + extra) * (1.0 + PROVED_WITHIN)
    }

    /// Moves of one search until its deadline, its share of the moves or the end of all; returns how many were made.
    fn drive(&self, search: &mut Exchange<'_>, deadline: &Deadline, moves: u64, alone: f64) -> u64 {
        let (mut made, mut coolings, mut joined) = (0, 0, false);
        let began = self.task.deadline.elapsed_seconds();
        let mut found = (began, f64::INFINITY);
        while made < moves && !deadline.over() && !self.finish.load(Ordering::Relaxed) {
            // Solutions of the proof at once; what other searches found once each has had time for its own, and after a cooling from then on.
            let late = self.timed && self.task.deadline.remaining_seconds() < alone;
            let joins = late && (!joined || search.coolings() > coolings);
            joined |= joins;
            coolings = search.coolings();
            let leader = if joins { &self.best } else { &self.met };
            if self.shared
                && let Some((time, plan)) = &*lock(&leader.0)
            {
                search.hear(*time, plan);
            }
            let now = self.task.deadline.elapsed_seconds();
            if let Some((time, _)) = search.best()
                && time < found.1
            {
                found = (now, time);
            }
            // A search that found nothing for as long as it took to find its best leaves the cores to the proof of a small program.
            if self.proving.load(Ordering::Relaxed) && now - found.0 > (found.0 - began).max(LEAST_SEARCH) {
                std::thread::sleep(REST);
                continue;
            }
            made += search.run((moves - made).min(64), deadline);
            self.note(search);
            if self.timed && search.best().is_some_and(|(time, _)| self.is_least(time)) {
                self.finish.store(true, Ordering::Relaxed);
            }
        }
        made
    }

    /// Every search on a thread of its own, and a proof beside them where the clock is the limit.
    fn side_by_side(&self, searches: &mut [Exchange<'_>], share: u64) -> (u64, Proved) {
        let deadline = self.task.deadline;
        let alone = deadline.remaining_seconds() * ALONE;
        let beside = self.timed && self.task.options.limits.work_limit.is_none();
        std::thread::scope(|scope| {
            let prover = beside.then(|| {
                // The searches want the cores too; a small program's proof ends by itself.
                let within = |share| deadline.within(deadline.remaining_seconds() * share);
                let nodes = self.task.program.len();
                let end = if nodes <= LARGE { PROOF_END } else { PROOF_BESIDE };
                let patience = if nodes <= FEW || self.is_small() { PROOF_END } else { PROOF_BESIDE };
                let (end, patience) = (within(end), within(patience));
                scope.spawn(move || self.prove(end, patience, None))
            });
            let handles: Vec<_> = searches
                .iter_mut()
                .map(|search| scope.spawn(move || self.drive(search, &deadline, share, alone)))
                .collect();
            let made = handles.into_iter().map(|handle| handle.join().unwrap_or(0)).sum();
            (made, prover.and_then(|prover| prover.join().ok()).unwrap_or(Proved::NOTHING))
        })
    }

    /// One search after the other, with time left for a proof.
    fn in_turn(&self, searches: &mut [Exchange<'_>], share: u64) -> (u64, Proved) {
        let deadline = self.task.deadline;
        let alone = deadline.remaining_seconds() * ALONE;
        let end = deadline.within(deadline.remaining_seconds() * (1.0 - PROOF_SHARE));
        (self.turns(searches, share, &end, alone), Proved::NOTHING)
    }

    /// The proof of a small program finds the best plan sooner than the searches do, as a rule: it begins after a short turn of each, and they go on when it has
    /// ended, or beside it on the other threads.
    fn proof_first(&self, searches: &mut [Exchange<'_>], share: u64) -> (u64, Proved) {
        let deadline = self.task.deadline;
        let within = |share| deadline.within(deadline.remaining_seconds() * share);
        let alone = deadline.remaining_seconds() * ALONE;
        let soon = (deadline.remaining_seconds() * FIRST_TURNS).clamp(FEWEST_SECONDS, FIRST_SECONDS);
        let first = self.turns(searches, share, &deadline.within(soon), alone);
        let left = share.saturating_sub(first);
        let others = self.task.options.limits.threads.saturating_sub(1);
        if others == 0 {
            let proof = self.prove(within(EARLY_PROOF), within(EARLY_PATIENCE), None);
            return (first + self.turns(searches, left, &deadline, alone), proof);
        }
        let each = searches.len().div_ceil(others).max(1);
        std::thread::scope(|scope| {
            let prover = scope.spawn(|| self.prove(within(PROOF_END), within(PROOF_END), None));
            let turns = |part| move || self.turns(part, left, &deadline, alone);
            let handles: Vec<_> = searches.chunks_mut(each).map(|part| scope.spawn(turns(part))).collect();
            let made: u64 = handles.into_iter().map(|handle| handle.join().unwrap_or(0)).sum();
            (first + made, prover.join().unwrap_or(Proved::NOTHING))
        })
    }

    /// Every search until the end, each in its share of the time that is left.
    fn turns(&self, searches: &mut [Exchange<'_>], share: u64, end: &Deadline, alone: f64) -> u64 {
        let count = searches.len();
        let turns = searches.iter_mut().enumerate().map(|(index, search)| {
            let part = if index + 1 < count { TURN } else { 1.0 };
            let turn = end.within(end.remaining_seconds() * part);
            self.drive(search, if self.timed { &turn } else { &self.task.deadline }, share, alone)
        });
        turns.sum()
    }

    /// A bound on plans in program order. Where any order is allowed, the plans it meets count, and the bound does not.
    fn prove(&self, deadline: Deadline, patience: Deadline, effort: Option<u64>) -> Proved {
        let task = self.task;
        if !self.shared && task.program.len() > FEW {
            return Proved::NOTHING;
        }
        let goal = Goal {
            known: &|| self.best.time(),
            offer: &|time, plan| {
                self.best.take(time, &plan);
                self.met.take(time, &plan);
            },
            deadline,
            patience,
            stop: &|| self.finish.load(Ordering::Relaxed),
            progress: &task.progress,
            effort,
        };
        let (problem, cap_bytes) = (task.problem, task.options.cap_bytes);
        self.proving.store(self.shared && self.is_small(), Ordering::Relaxed);
        let stage = Stage { problem, program: task.program, swap: self.swap, cap_bytes };
        let proof = swap_bound(stage, goal);
        self.proving.store(false, Ordering::Relaxed);
        let proof = if self.shared { proof } else { Proved { work: proof.work, ..Proved::NOTHING } };
        *lock(&self.proved) = proof.extra;
        if self.timed && self.is_least(self.best.time()) {
            self.finish.store(true, Ordering::Relaxed);
        }
        proof
    }

    /// Why the searches ended, for the best plan's time.
    fn stop(&self, time: f64, proof: Proved) -> StopReason {
        if self.is_least(time) || self.closed(time, proof.extra) {
            StopReason::Proved
        } else if self.task.deadline.over() || self.task.options.limits.work_limit.is_none() {
            self.task.deadline.reason()
        } else {
            StopReason::WorkLimit
        }
    }
}
