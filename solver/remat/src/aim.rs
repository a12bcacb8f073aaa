//! What a proof looks for: points of the interval model that are cheaper than the best plan by a margin.

use std::cell::Cell;

use ballast_core::report::Prover;

use crate::highs::Highs;
use crate::incumbent::Incumbent;
use crate::interval::Interval;
use crate::model::Model;
use crate::program::Program;
use crate::timeline::Timeline;

/// Share of the bound taken off for the tolerances of floating-point solvers.
pub(crate) const CAUTION: f64 = 1e-7;

/// A model, the best plan, and what is cheaper.
pub(crate) struct Aim<'a> {
    pub(crate) program: &'a Program,
    pub(crate) incumbent: &'a Incumbent,
    pub(crate) interval: Interval<'a>,
    /// Time of the problem per unit of the objective.
    pub(crate) time_unit: f64,
    /// Plans of this much time less than the best are not looked for.
    pub(crate) margin: f64,
}

impl<'a> Aim<'a> {
    /// Objective of the plans that need not be looked for.
    pub(crate) fn cutoff(&self) -> f64 {
        (self.incumbent.value() - self.margin) / self.time_unit
    }

    /// Reports a bound on the objective of what has not been ruled out by the cutoff, and who proved it.
    pub(crate) fn raise(&self, bound: f64, prover: Prover) {
        let bound = bound.min(self.cutoff());
        if bound.is_finite() {
            self.incumbent.raise(bound * self.time_unit * (1.0 - CAUTION), prover);
        }
    }

    /// The best plan as a point of the model; none without a plan.
    pub(crate) fn known(&self) -> Option<Vec<f64>> {
        let mut line = Timeline::new(self.program);
        line.load(&self.incumbent.best()?.plan);
        Some(self.interval.point(&line))
    }

    /// Objective of a point.
    pub(crate) fn objective(&self, point: &[f64]) -> f64 {
        self.interval.model.cost.iter().zip(point).map(|(cost, value)| cost * value).sum()
    }

    /// A HiGHS for branch-and-bound on a model, or on a part of it, that starts from the best plan.
    pub(crate) fn branching(&self, model: &Model) -> Option<Highs> {
        let mut highs = Highs::new(model, false)?;
        let margin = self.margin / self.time_unit;
        highs.gaps(0.0, margin.max(1e-6))?;
        if let Some(known) = self.known() {
            highs.cutoff(self.cutoff() + 2.0 * margin)?;
            highs.start(&known);
        }
        Some(highs)
    }

    /// The best plan, if it is better than the one given last.
    pub(crate) fn better(&self, given: &Cell<f64>) -> Option<Vec<f64>> {
        let value = self.incumbent.value();
        (given.replace(value) > value).then(|| self.known()).flatten()
    }

    /// The plan of a point, offered to the incumbent if it keeps the cap.
    pub(crate) fn line(&self, point: &[f64]) -> Timeline<'a> {
        let mut line = Timeline::new(self.program);
        line.load(&self.interval.plan(point, false).again);
        if line.excess <= 0.0 {
            self.incumbent.offer(line.extra_time, &line.plan(), "milp");
        }
        line
    }

    /// Offers a solution that branch-and-bound met, if it is a plan; true for one that is cheap enough and over the cap.
    pub(crate) fn offer_or_refuse(&self, point: &[f64]) -> bool {
        self.objective(point) < self.cutoff() && self.line(point).excess > 0.0
    }
}
