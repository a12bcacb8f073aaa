//! The swap schedulers as solvers of the memory plan. The order of the ops is never changed.

use ballast_core::graph::LayerType;
use ballast_core::limits::Limits;
use ballast_core::memory::{CompactPlan, SwapModel, expand, replay};

use super::baseline::{Baseline, baseline};
use super::error::LearnError;
use super::learn::{self, Learned};
use super::step::TrainingStep;
use crate::outcome::Error;
use crate::solver::Options;
use crate::solver::{MemorySolver, Proposal, Task};

/// Swaps learned by Q-learning.
pub(crate) struct QLearning;

impl MemorySolver for QLearning {
    fn name(&self) -> &'static str {
        "q-learning"
    }

    fn about(&self) -> &'static str {
        "swaps learned by Q-learning over simulated iterations"
    }

    fn seeded(&self) -> bool {
        true
    }

    fn plans_parts(&self) -> bool {
        false
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let (step, swap) = (step(task), link(self, task)?);
        let options =
            learn::Options { cap_bytes: Some(task.options.cap_bytes), ..task.options.q_learning.clone() };
        let found = learn::plan(&step, &swap, task.options.q_table.clone(), &options, &task.options.limits);
        let (plan, _, Learned { table, .. }, report) =
            found.map_err(|error| failure(self, &step, &swap, error))?;
        Ok(Some(Proposal {
            stop: report.stop_reason,
            work: report.work,
            q_table: Some(table),
            ..Proposal::in_one_pass(self.name(), plan, task.problem)
        }))
    }
}

/// After vDNN: see [`Baseline::Vdnn`].
pub(crate) struct Vdnn;

impl MemorySolver for Vdnn {
    fn name(&self) -> &'static str {
        "vdnn"
    }

    fn about(&self) -> &'static str {
        "every tensor a convolution of the forward pass reads is swapped (after vDNN)"
    }

    fn plans_parts(&self) -> bool {
        false
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        schedule(self, Baseline::Vdnn, task)
    }
}

/// After Capuchin: see [`Baseline::Capuchin`].
pub(crate) struct Capuchin;

impl MemorySolver for Capuchin {
    fn name(&self) -> &'static str {
        "capuchin"
    }

    fn about(&self) -> &'static str {
        "swap or recompute what costs least over the peak, one tensor at a time (after Capuchin)"
    }

    fn plans_parts(&self) -> bool {
        false
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        schedule(self, Baseline::Capuchin, task)
    }
}

fn schedule(solver: &dyn MemorySolver, which: Baseline, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
    let (step, swap) = (step(task), link(solver, task)?);
    let (plan, _) = baseline(which, &step, &swap, Some(task.options.cap_bytes), &task.options.limits)
        .map_err(|error| failure(solver, &step, &swap, error))?;
    Ok(Some(Proposal::in_one_pass(solver.name(), plan, task.problem)))
}

/// Plans of the schedulers that keep the cap, for searches to start from: what those find is then no slower. None where
/// nobody knows the layers.
pub(crate) fn starts(problem: &ballast_core::memory::Problem, options: &Options) -> Vec<CompactPlan> {
    let Some(swap) = options.swap.filter(|_| !options.layers.is_empty()) else { return Vec::new() };
    let cap = options.cap_bytes;
    if problem.unplanned_peak() <= cap || problem.working_set().0 > cap {
        return Vec::new();
    }
    let step = TrainingStep { problem: problem.clone(), layers: options.layers.clone() };
    let limits = Limits {
        time_limit_seconds: options.limits.time_limit_seconds.map(|seconds| seconds * STARTS_SHARE),
        ..options.limits
    };
    let plan = |which| baseline(which, &step, &swap, Some(cap), &limits).ok();
    let fitting = [Baseline::Vdnn, Baseline::Capuchin].into_iter().filter_map(plan);
    fitting.min_by(|a, b| a.1.time.total_cmp(&b.1.time)).map(|(plan, _)| plan).into_iter().collect()
}

/// Share of the time limit that the schedulers may take for starts.
const STARTS_SHARE: f64 = 0.1;

fn step(task: &Task<'_>) -> TrainingStep {
    let layers = match &task.options.layers[..] {
        [] => vec![LayerType::Other; task.problem.nodes.len()],
        known => known.to_vec(),
    };
    TrainingStep { problem: task.problem.clone(), layers }
}

fn link(solver: &dyn MemorySolver, task: &Task<'_>) -> Result<SwapModel, Error> {
    task.options.swap.ok_or_else(|| Error::NotApplicable {
        solver: solver.name(),
        reason: "it swaps, and swaps are off".into(),
    })
}

fn failure(solver: &dyn MemorySolver, step: &TrainingStep, swap: &SwapModel, error: LearnError) -> Error {
    match error {
        LearnError::OverCap { cap, smallest, .. } => {
            let unplanned = expand(&step.problem, &CompactPlan::default())
                .ok()
                .and_then(|schedule| replay(&step.problem, &schedule, Some(swap), None).ok());
            let node = unplanned.and_then(|replay| replay.peak_node);
            Error::Infeasible {
                cap_bytes: cap,
                smallest_cap: smallest,
                found: true,
                proved: false,
                node,
                label: node.map_or_else(String::new, |node| step.problem.nodes[node].label.clone()),
            }
        }
        LearnError::Options(reason) => Error::Options(reason),
        LearnError::Table(error) => {
            Error::Options(format!("the table of solver {} does not fit: {error}", solver.name()))
        }
        LearnError::Iteration(reason) => Error::Refused(reason),
    }
}
