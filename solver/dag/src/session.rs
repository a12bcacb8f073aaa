//! What all methods share: the best judged plan, the best bound, and the budget.

use ballast_core::limits::{Deadline, Limits};
use ballast_core::report::PROOF_TOLERANCE;

use crate::check::{Verdict, check};
use crate::learned::ppo::Placer;
use crate::problem::{Assignment, PlanClass, Problem};

/// The gap from which on work may tell something of a bound, and up to which it is the search that lacks time rather than the bounds.
pub(crate) const LAST_PERCENT: f64 = 0.01;

/// How a search stands.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Largest load of the best plan; infinite before there is one.
    pub value: f64,
    /// Proven lower bound.
    pub bound: f64,
    /// What is being done.
    pub phase: &'static str,
}

/// The best plan so far, the best bound, and the budget.
pub(crate) struct Session<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) class: PlanClass,
    pub(crate) limits: Limits,
    pub(crate) finish_early: bool,
    pub(crate) clock: Deadline,
    pub(crate) work: u64,
    pub(crate) bound: f64,
    /// Does the bound rest on what HiGHS says of its branch and bound?
    pub(crate) trusts_highs: bool,
    /// Proved that no plan exists.
    pub(crate) infeasible: bool,
    /// Why the learner could not run or refine.
    pub(crate) learner_failure: Option<String>,
    pub(crate) placer: Option<&'a Placer>,
    pub(crate) best: Option<(Assignment, Verdict, &'static str)>,
    pub(crate) observe: &'a (dyn Fn(&Progress) + Sync),
}

impl Session<'_> {
    /// Judges a proposal and keeps it if it is the best so far.
    pub(crate) fn offer(&mut self, assignment: Assignment, method: &'static str) -> bool {
        match check(self.problem, self.class, &assignment) {
            Ok(verdict) if verdict.max_load < self.value() => {
                self.best = Some((assignment, verdict, method));
                true
            }
            Ok(_) => false,
            Err(violation) => {
                tracing::warn!("a proposal of method {method} was refused: {violation}");
                false
            }
        }
    }

    /// Largest load of the best plan; infinite before there is one.
    pub(crate) fn value(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |(_, verdict, _)| verdict.max_load)
    }

    /// The best plan.
    pub(crate) fn assignment(&self) -> Option<&Assignment> {
        self.best.as_ref().map(|(assignment, ..)| assignment)
    }

    /// Raises the bound.
    pub(crate) fn prove(&mut self, bound: f64) {
        if bound > self.bound {
            (self.bound, self.trusts_highs) = (bound, false);
        }
    }

    /// Raises the bound to one that rests on what HiGHS says of its branch and bound.
    pub(crate) fn prove_by_highs(&mut self, bound: f64) {
        if bound > self.bound {
            (self.bound, self.trusts_highs) = (bound, true);
        }
    }

    pub(crate) fn proved(&self) -> bool {
        self.bound >= self.value() * (1.0 - PROOF_TOLERANCE)
    }

    /// Are bound and value within a percent?
    pub(crate) fn in_last_percent(&self) -> bool {
        self.bound >= self.value() * (1.0 - LAST_PERCENT)
    }

    /// Must the search stop now, `more` steps of work after the last count?
    pub(crate) fn over(&self, more: u64) -> bool {
        self.clock.over() || self.limits.work_limit.is_some_and(|limit| self.work + more >= limit)
    }

    /// A clock for one method: over after a share of the time limit. A search on a fixed schedule has no shares,
    /// so that the clock decides nothing before the limit itself.
    pub(crate) fn share(&self, share: f64) -> Deadline {
        match self.limits.time_limit_seconds {
            Some(seconds) if !self.finish_early => self.clock.within(seconds * share),
            _ => self.clock,
        }
    }

    /// Branch-and-bound nodes a program may take that has `most` where time is no matter.
    pub(crate) fn program_nodes(&self, most: u32) -> u32 {
        if self.finish_early { most / 20 } else { most }
    }

    pub(crate) fn report_phase(&self, phase: &'static str) {
        let (value, bound) = (self.value(), self.bound);
        tracing::debug!("{phase} from {:.1} s on: {value} over {bound}", self.clock.elapsed_seconds());
        (self.observe)(&Progress { value, bound, phase });
    }
}
