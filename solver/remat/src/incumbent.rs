//! What the solvers of one run share: the best plan, the proven bound, and when to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use ballast_core::limits::Deadline;
use ballast_core::report::{Bound, BoundClass, Prover};

use crate::model::Model;
use crate::outcome::PROVED_WITHIN;
use crate::program::{Again, Program, Slot, unit};

/// Share of the time that belongs to the prover even where its bound stays far off.
const PROVING_SHARE: f64 = 0.5;
/// Distance of value and bound, relative to the value, that no prover closes in the time left; and while better plans come.
const FAR: f64 = 0.25;
const FAR_FROM_BETTER: f64 = 0.05;
/// Share of a margin that is used, the rest is for rounding.
const SAFE: f64 = 0.95;

/// What proofs have shown of the extra time of every plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proved {
    /// No plan takes less.
    pub(crate) extra: f64,
    pub(crate) prover: Prover,
    /// Work of all proofs, in moves of the local search.
    pub(crate) work: u64,
}

impl Proved {
    /// Before any proof: everything runs once.
    pub(crate) const NOTHING: Proved = Proved { extra: 0.0, prover: Prover::EachOpOnce, work: 0 };

    /// As a bound on the time of the plans of a class, if everything once takes `total` time.
    pub(crate) fn bound(self, total: f64, class: BoundClass) -> Bound {
        Bound::proved(total + self.extra, class).by(self.prover, self.work)
    }
}

/// The best plan so far.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    /// Time of its recomputes.
    pub(crate) extra: f64,
    pub(crate) plan: Vec<Again>,
    /// Who found it.
    pub(crate) method: &'static str,
}

/// What a run leaves behind beside its plan.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// When better plans were found: seconds since the start, time of the plan.
    better: Mutex<Vec<(f64, f64)>>,
    /// The mixed-integer program solved last, where it is asked for.
    model: Option<Mutex<Option<Model>>>,
    /// Critical positions of the proof in program order without swaps that was begun last.
    watched: Mutex<Vec<Slot>>,
}

impl Progress {
    /// With or without the mixed-integer program.
    pub(crate) fn new(with_model: bool) -> Self {
        Progress {
            better: Mutex::default(),
            model: with_model.then(Mutex::default),
            watched: Mutex::default(),
        }
    }

    /// Notes the critical positions of a proof in program order without swaps: a proof with swaps begins with them.
    pub(crate) fn watch(&self, critical: &[Slot]) {
        *lock(&self.watched) = critical.to_vec();
    }

    /// The critical positions noted last.
    pub(crate) fn watched(&self) -> Vec<Slot> {
        lock(&self.watched).clone()
    }

    /// Notes the mixed-integer program that is solved next.
    pub(crate) fn solves(&self, model: &Model) {
        if let Some(slot) = &self.model {
            *lock(slot) = Some(model.clone());
        }
    }

    /// The mixed-integer program solved last.
    pub(crate) fn model(&self) -> Option<Model> {
        self.model.as_ref().and_then(|slot| lock(slot).take())
    }

    /// Notes a plan if it is better than those before.
    pub(crate) fn note(&self, seconds: f64, time: f64) {
        let mut list = lock(&self.better);
        if list.last().is_none_or(|&(_, least)| time < least) {
            list.push((seconds, time));
        }
    }

    /// When the last of them was found.
    fn latest_seconds(&self) -> Option<f64> {
        lock(&self.better).last().map(|&(seconds, _)| seconds)
    }

    /// All that were noted.
    pub(crate) fn list(&self) -> Vec<(f64, f64)> {
        lock(&self.better).clone()
    }
}

/// Shared state of one run over one order of first runs.
pub(crate) struct Incumbent {
    best: Mutex<Option<Best>>,
    /// And who proved it.
    bound: Mutex<(f64, Prover)>,
    /// Moves of the local search that proofs count as.
    proof_work: AtomicU64,
    done: AtomicBool,
    /// Proofs that want the cores of the searches.
    occupied: AtomicU64,
    pub(crate) progress: Arc<Progress>,
    /// Time of running everything once.
    total_time: f64,
    impossible: AtomicBool,
    /// A plan over the cap to repair.
    suggestion: Mutex<Option<Vec<Again>>>,
    pub(crate) deadline: Deadline,
    /// Difference of value and bound that ends the search, in the problem's time.
    slack: f64,
    /// All times are whole multiples of this; 0 if there is no such unit.
    unit: f64,
}

impl Incumbent {
    pub(crate) fn new(
        program: &Program,
        deadline: Deadline,
        tolerance: f64,
        progress: Arc<Progress>,
    ) -> Self {
        Incumbent {
            best: Mutex::new(None),
            bound: Mutex::new((0.0, Prover::EachOpOnce)),
            proof_work: AtomicU64::new(0),
            done: AtomicBool::new(false),
            occupied: AtomicU64::new(0),
            progress,
            total_time: program.total_time,
            impossible: AtomicBool::new(false),
            suggestion: Mutex::default(),
            deadline,
            slack: tolerance * program.total_time,
            unit: unit(&program.time),
        }
    }

    /// Is the search over: proved, told to, or out of time?
    pub(crate) fn over(&self) -> bool {
        self.done.load(Ordering::Relaxed) || self.deadline.over()
    }

    /// Is the bound still far off after a good part of the time? Then the time is better spent on plans.
    pub(crate) fn hopeless(&self) -> bool {
        let (used, left) = (self.deadline.elapsed_seconds(), self.deadline.remaining_seconds());
        let value = self.value();
        let far = if self.stalled(0.0, 0.0) { FAR } else { FAR_FROM_BETTER };
        used > PROVING_SHARE * (used + left) && value - self.bound() > far * value
    }

    /// Was nothing better found in the second half of the time since a moment, and at least for so many seconds?
    pub(crate) fn stalled(&self, since_seconds: f64, least_seconds: f64) -> bool {
        let now = self.deadline.elapsed_seconds();
        let better = self.progress.latest_seconds().unwrap_or(since_seconds).max(since_seconds);
        now - since_seconds > least_seconds && now - better > (now - since_seconds) / 2.0
    }

    /// Asks searches that have stalled to rest, until what is returned is dropped.
    pub(crate) fn occupy(&self) -> impl Drop + '_ {
        self.occupied.fetch_add(1, Ordering::Relaxed);
        Occupied(self)
    }

    /// Do proofs want the cores of the searches, which have stalled?
    pub(crate) fn rests(&self) -> bool {
        self.occupied.load(Ordering::Relaxed) > 0 && self.stalled(0.0, 0.0)
    }

    /// Ends the search.
    pub(crate) fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// Notes a proof that no plan keeps the cap; ends the search.
    pub(crate) fn refute(&self) {
        self.impossible.store(true, Ordering::Relaxed);
        self.finish();
    }

    /// Is it proved that no plan keeps the cap?
    pub(crate) fn refuted(&self) -> bool {
        self.impossible.load(Ordering::Relaxed)
    }

    /// The best plan so far.
    pub(crate) fn best(&self) -> Option<Best> {
        lock(&self.best).clone()
    }

    /// Time of the recomputes of the best plan; infinite without one.
    pub(crate) fn value(&self) -> f64 {
        lock(&self.best).as_ref().map_or(f64::INFINITY, |best| best.extra)
    }

    /// Proven lower bound on the time of the recomputes.
    pub(crate) fn bound(&self) -> f64 {
        lock(&self.bound).0
    }

    /// What is proved so far, who proved it and with how much work.
    pub(crate) fn proof(&self) -> Proved {
        let (extra, prover) = *lock(&self.bound);
        Proved { extra, prover, work: self.proof_work.load(Ordering::Relaxed) }
    }

    /// Counts work of a proof, in moves of the local search.
    pub(crate) fn worked(&self, moves: u64) {
        self.proof_work.fetch_add(moves, Ordering::Relaxed);
    }

    /// Is the best plan as good as the bound?
    pub(crate) fn proved(&self) -> bool {
        self.value() - self.bound() <= self.slack
    }

    /// How much cheaper than the best a plan has to be to be looked for in a proof: first by as much as a proof may
    /// leave open; once that is proved, by as much as ends the search. Nothing lies between two multiples of the unit.
    pub(crate) fn margin(&self) -> f64 {
        let open = self.total_time * PROVED_WITHIN;
        let proved = self.value() - self.bound() <= open;
        let margin = if proved || self.unit > self.slack { self.slack } else { open.max(self.slack) };
        margin.max(self.unit) * SAFE
    }

    /// Takes a plan that keeps the cap, if it is better; a proof ends the search.
    pub(crate) fn offer(&self, extra: f64, plan: &[Again], method: &'static str) {
        {
            let mut best = lock(&self.best);
            if best.as_ref().is_some_and(|best| best.extra <= extra) {
                return;
            }
            tracing::debug!(
                method,
                extra,
                recomputes = plan.len(),
                seconds = self.deadline.elapsed_seconds(),
                "plan"
            );
            self.progress.note(self.deadline.elapsed_seconds(), self.total_time + extra);
            *best = Some(Best { extra, plan: plan.to_vec(), method });
        }
        self.settle();
    }

    /// Leaves a plan that is over the cap for a search to repair.
    pub(crate) fn suggest(&self, plan: Vec<Again>) {
        *lock(&self.suggestion) = Some(plan);
    }

    /// The plan left to be repaired; once.
    pub(crate) fn suggestion(&self) -> Option<Vec<Again>> {
        lock(&self.suggestion).take()
    }

    /// Takes a proven lower bound, and who proved it; a proof ends the search.
    pub(crate) fn raise(&self, bound: f64, prover: Prover) {
        let bound = if self.unit > 0.0 { ((bound / self.unit) - 1e-6).ceil() * self.unit } else { bound };
        {
            let mut best = lock(&self.bound);
            if bound <= best.0 {
                return;
            }
            tracing::debug!(bound, seconds = self.deadline.elapsed_seconds(), "bound");
            *best = (bound, prover);
        }
        self.settle();
    }

    fn settle(&self) {
        if self.proved() {
            self.finish();
        }
    }
}

/// A proof that wants the cores of the searches.
struct Occupied<'a>(&'a Incumbent);

impl Drop for Occupied<'_> {
    fn drop(&mut self) {
        self.0.occupied.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Locks, whatever happened to who held it before.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
