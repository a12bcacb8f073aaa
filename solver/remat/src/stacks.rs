//! Which values of a forward loop's iteration are kept for the backward loop, and which are computed again there.
//!
//! A forward loop stacks what its backward loop reads, one slice per iteration. With a binary k for every value (its stack is kept) and r for
//! every op (it runs again in the backward loop):
//!
//! minimise sum of cost r, so that k + r of its op >= 1 for every value that the backward loop reads, r <= k + r of its op for every value that
//! an op reads, and sum of bytes k <= cap.
//!
//! Costs and bytes are those of all iterations. Whatever values are kept, the ops that run again follow from them, so only the k are whole numbers to
//! the solver. Ops that run again for several values run once.

use good_lp::solvers::highs::{HighsParallelType, highs};
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, constraint, variable,
};
use serde::{Deserialize, Serialize};

/// Version of [`StacksFile`].
pub const STACKS_VERSION: u32 = 1;

/// What was decided about the stacks between the loops of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StacksFile {
    /// [`STACKS_VERSION`].
    pub version: u32,
    /// Pairs of loops, and those of them that were rewritten.
    pub pairs: usize,
    /// As it says.
    pub rewritten: usize,
    /// Bytes of the stacks that only pairs of loops use.
    pub stack_bytes: u64,
    /// Bytes of those that are kept or new.
    pub kept_bytes: u64,
    /// Operations of the program, loops as often as they run; and with the body of every loop once.
    pub operations: f64,
    /// As it says.
    pub operations_once: f64,
    /// Operations of what runs again.
    pub repeated_operations: f64,
    /// No choice under the cap costs less than this: operations, and an eighth of the bytes moved.
    pub bound: f64,
    /// Iterations of the loops, on average over what runs again.
    pub trips: f64,
}

/// Relative gap at which a choice counts as the best.
const GAP: f32 = 1e-4;
/// What keeping everything weighs beside computing everything again: of two choices alike the one that keeps less.
const TIE: f64 = 1e-6;
/// Costs and bytes in the solver are shares of these.
const WHOLE: f64 = 1e3;

/// A value of the forward loop's iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackedValue {
    /// Number of the op in [`Slices::ops`] that can make it in the backward loop; none: it can only be kept.
    pub op: Option<usize>,
    /// Bytes of keeping it for all iterations; none: it cannot be kept.
    pub bytes: Option<u64>,
    /// Does the backward loop read it?
    pub needed: bool,
}

/// An op of the forward loop that may run again in the backward loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SliceOp {
    /// Numbers of the values it reads. What is there anyway, such as weights and constants, is left out.
    pub inputs: Vec<usize>,
    /// Cost of running it again in all iterations.
    pub cost: f64,
}

/// What the backward loops of a program read of their forward loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slices {
    /// The values.
    pub values: Vec<StackedValue>,
    /// The ops.
    pub ops: Vec<SliceOp>,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// By value: is it kept?
    pub keep: Vec<bool>,
    /// By op: does it run again?
    pub again: Vec<bool>,
    /// Bytes of all that is kept.
    pub bytes: u64,
    /// Cost of all that runs again.
    pub cost: f64,
    /// No choice under the cap costs less than this.
    pub bound: f64,
}

impl Kept {
    /// The choice that keeps `keep`: what then has to run. None if a value is needed that is neither kept nor can be made.
    #[must_use]
    pub fn of(slices: &Slices, keep: Vec<bool>) -> Option<Self> {
        let mut again = vec![false; slices.ops.len()];
        let mut open: Vec<usize> =
            (0..slices.values.len()).filter(|&value| slices.values[value].needed).collect();
        let mut read = vec![false; slices.values.len()];
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut read[value], true) || keep[value] {
                continue;
            }
            let op = slices.values[value].op?;
            if !std::mem::replace(&mut again[op], true) {
                open.extend(&slices.ops[op].inputs);
            }
        }
        // What nobody reads need not be kept.
        let keep: Vec<bool> = keep.iter().zip(&read).map(|(&keep, &read)| keep && read).collect();
        let mut bytes = 0_u64;
        for (value, _) in slices.values.iter().zip(&keep).filter(|(_, keep)| **keep) {
            bytes = bytes.saturating_add(value.bytes?);
        }
        let runs = slices.ops.iter().zip(&again).filter(|(_, again)| **again);
        let cost = runs.map(|(op, _)| op.cost).sum();
        Some(Kept { keep, again, bytes, cost, bound: 0.0 })
    }
}

impl Slices {
    /// What to keep so that as little as possible is computed again. None if nothing can be kept in `cap` bytes, or nothing is found in
    /// so many seconds.
    #[must_use]
    pub fn least_recomputation(&self, cap: u64, seconds: f64) -> Option<Kept> {
        let total: f64 = self.ops.iter().map(|op| op.cost).sum();
        let cost = |op: usize| self.ops[op].cost / total.max(f64::MIN_POSITIVE);
        let all: f64 = self.values.iter().filter_map(|value| value.bytes).map(|bytes| bytes as f64).sum();
        let tie = |bytes: u64| TIE * bytes as f64 / all.max(1.0);
        let (keep, objective) = self.solve(cost, tie, Some(cap), seconds)?;
        let kept = Kept::of(self, keep).filter(|kept| kept.bytes <= cap)?;
        // The objective of the relaxation that was left, less what ties weigh at most.
        let bound =
            objective.map_or(0.0, |objective| (objective - TIE).max(0.0) * (1.0 - f64::from(GAP)) * total);
        Some(Kept { bound: bound.min(kept.cost), ..kept })
    }

    /// What to keep so that the fewest bytes are kept; of equal ones what costs least is not looked for. None if something needed can
    /// neither be kept nor made.
    #[must_use]
    pub fn least_bytes(&self, seconds: f64) -> Option<Kept> {
        let all: f64 = self.values.iter().filter_map(|value| value.bytes).map(|bytes| bytes as f64).sum();
        let weight = |bytes: u64| bytes as f64 / all.max(1.0);
        let (keep, _) = self.solve(|_| 0.0, weight, None, seconds)?;
        Kept::of(self, keep)
    }

    /// Solves the program; the values kept, and the objective where it is the least.
    fn solve(
        &self,
        cost: impl Fn(usize) -> f64,
        weight: impl Fn(u64) -> f64,
        cap: Option<u64>,
        seconds: f64,
    ) -> Option<(Vec<bool>, Option<f64>)> {
        let mut variables = ProblemVariables::new();
        let keep: Vec<Option<Variable>> =
            self.values.iter().map(|value| value.bytes.map(|_| variables.add(variable().binary()))).collect();
        let again: Vec<Variable> =
            self.ops.iter().map(|_| variables.add(variable().min(0.0).max(1.0))).collect();
        let run: Expression = again.iter().enumerate().map(|(op, &again)| cost(op) * WHOLE * again).sum();
        let kept = |share: &dyn Fn(u64) -> f64| -> Expression {
            let values = self.values.iter().zip(&keep);
            values.filter_map(|(value, &keep)| Some(share(value.bytes?) * WHOLE * keep?)).sum()
        };
        let mut model = variables
            .minimise(run + kept(&weight))
            .using(highs)
            .set_threads(1)
            .set_parallel(HighsParallelType::Off)
            .set_mip_rel_gap(GAP)
            .ok()?
            .set_option("random_seed", 0)
            .set_time_limit(seconds.max(0.01));
        let there = |value: usize| -> Expression {
            let made = self.values[value].op.map(|op| again[op]);
            keep[value].into_iter().chain(made).sum()
        };
        for (value, _) in self.values.iter().enumerate().filter(|(_, value)| value.needed) {
            model.add_constraint(constraint!(there(value) >= 1.0));
        }
        for (op, &again) in self.ops.iter().zip(&again) {
            for &input in &op.inputs {
                model.add_constraint(constraint!(there(input) - again >= 0.0));
            }
        }
        if let Some(cap) = cap {
            let share = |bytes: u64| bytes as f64 / cap.max(1) as f64;
            model.add_constraint(constraint!(kept(&share) <= WHOLE));
        }
        let solution = model.solve().ok()?;
        let value = |of: Variable| solution.value(of);
        let chosen: Vec<bool> = keep.iter().map(|keep| keep.is_some_and(|keep| value(keep) > 0.5)).collect();
        let objective = match solution.status() {
            SolutionStatus::Optimal | SolutionStatus::GapLimit => {
                let run: f64 = again.iter().enumerate().map(|(op, &again)| cost(op) * value(again)).sum();
                Some(run)
            }
            SolutionStatus::TimeLimit => None,
        };
        Some((chosen, objective))
    }
}
