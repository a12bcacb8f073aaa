//! Who plans a stage's memory: the planners of `ballast-remat`, and the swap schedulers of the field.

use std::str::FromStr;

use ballast_core::limits::Limits;
use ballast_core::memory::{CompactPlan, Replay, SwapModel, expand};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_remat::swaps::{self as q_learning, Baseline, LearnError, QTable, TrainingStep};
use ballast_remat::{Failure, Outcome, Relaxation, Relaxed};

/// Who plans a stage's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// A planner of `ballast-remat`.
    Remat(ballast_remat::Solver),
    /// Swaps learned by Q-learning.
    QLearning,
    /// A swap scheduler without learning.
    Swaps(Baseline),
    /// A program that is no part of Ballast; not among [`Solver::all`], since it needs a path.
    Outside,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::Remat(ballast_remat::Solver::default())
    }
}

impl Solver {
    /// The solvers that are not of `ballast-remat`, with their names.
    const FIELD: [(&'static str, Solver); 3] = [
        ("q-learning", Solver::QLearning),
        ("vdnn", Solver::Swaps(Baseline::Vdnn)),
        ("capuchin", Solver::Swaps(Baseline::Capuchin)),
    ];

    /// Every solver with its name.
    #[must_use]
    pub fn all() -> Vec<(&'static str, Solver)> {
        let own = ballast_remat::Solver::ALL.map(|(name, solver)| (name, Solver::Remat(solver)));
        own.into_iter().chain(Self::FIELD).collect()
    }

    /// The name users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        let fallback = if self == Solver::Outside { "exec" } else { "no-swap" };
        Self::all().into_iter().find(|&(_, solver)| solver == self).map_or(fallback, |(name, _)| name)
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::all().into_iter().find(|(name, _)| *name == text).map(|(_, solver)| solver).ok_or_else(|| {
            let names: Vec<&str> = Self::all().iter().map(|(name, _)| *name).collect();
            format!("'{text}' is not a solver: choose one of {}", names.join(", "))
        })
    }
}

/// Plans a stage by a scheduler of the field, under the cap or the first raised one it fits in; and the table learned,
/// if it learns. Raised caps go on from the table of the cap before.
///
/// A stage that fits as it is stays as it is. The order of the ops is never changed.
///
/// # Errors
/// As `ballast_remat::plan_relaxed`.
pub(crate) fn plan_field(
    solver: Solver,
    step: &TrainingStep,
    options: &ballast_remat::Options,
    learning: &q_learning::Options,
    table: Option<QTable>,
    relaxation: &Relaxation,
) -> Result<(Relaxed, Option<QTable>), Failure> {
    if step.problem.unplanned_peak() <= options.cap_bytes {
        let keep = ballast_remat::Options { solver: ballast_remat::Solver::KeepAll, ..options.clone() };
        return ballast_remat::plan_relaxed(&step.problem, &keep, relaxation).map(|plan| (plan, table));
    }
    let Some(swap) = &options.swap else {
        return Err(Failure::NotApplicable {
            solver: solver.name(),
            reason: "it swaps, and swaps are off".into(),
        });
    };
    let mut table = table;
    let plan = ballast_remat::relaxed(options.cap_bytes, &options.limits, relaxation, |cap, limits| {
        let found = match solver {
            Solver::Swaps(which) => q_learning::baseline(which, step, swap, Some(cap), &limits)
                .map(|(plan, replay)| (plan, replay, None)),
            _ => {
                let learning = q_learning::Options { cap_bytes: Some(cap), ..learning.clone() };
                q_learning::plan(step, swap, table.clone(), &learning, &limits).map(
                    |(plan, replay, learned, report)| {
                        table = Some(learned.table);
                        (plan, replay, Some(report))
                    },
                )
            }
        };
        let (compact, replay, report) = found.map_err(|error| failure(solver, step, swap, error))?;
        let schedule =
            expand(&step.problem, &compact).map_err(|error| Failure::Refused(error.to_string()))?;
        let report = match report {
            Some(report) => report,
            None => one_pass(solver, step, &replay, options.limits.seed)?,
        };
        Ok(Outcome { compact, schedule, replay, arena: None, report, progress: Vec::new() })
    })?;
    Ok((plan, table))
}

/// Plans of the swap schedulers that keep the cap, for Ballast's own searches to start from: what it finds is then no slower
/// than theirs.
pub(crate) fn field_starts(step: &TrainingStep, options: &ballast_remat::Options) -> Vec<CompactPlan> {
    let Some(swap) = &options.swap else { return Vec::new() };
    let cap = options.cap_bytes;
    if step.problem.unplanned_peak() <= cap || step.problem.working_set().0 > cap {
        return Vec::new();
    }
    let limits = Limits {
        time_limit_seconds: options.limits.time_limit_seconds.map(|seconds| seconds * STARTS_SHARE),
        ..options.limits
    };
    let plan = |which| q_learning::baseline(which, step, swap, Some(cap), &limits).ok();
    let fitting = [Baseline::Vdnn, Baseline::Capuchin].into_iter().filter_map(plan);
    fitting.min_by(|a, b| a.1.time.total_cmp(&b.1.time)).map(|(plan, _)| plan).into_iter().collect()
}

/// Share of the time limit that the schedulers may take for them.
const STARTS_SHARE: f64 = 0.1;

fn failure(solver: Solver, step: &TrainingStep, swap: &SwapModel, error: LearnError) -> Failure {
    match error {
        LearnError::OverCap { cap, smallest, .. } => {
            let unplanned = expand(&step.problem, &CompactPlan::default()).ok().and_then(|schedule| {
                ballast_core::memory::replay(&step.problem, &schedule, Some(swap), None).ok()
            });
            let node = unplanned.and_then(|replay| replay.peak_node);
            Failure::Infeasible {
                cap_bytes: cap,
                smallest_cap: smallest,
                found: true,
                proved: false,
                node,
                label: node.map_or_else(String::new, |node| step.problem.nodes[node].label.clone()),
            }
        }
        LearnError::Options(reason) => Failure::Options(reason),
        LearnError::Table(error) => {
            Failure::Options(format!("the table of solver {} does not fit: {error}", solver.name()))
        }
        LearnError::Iteration(reason) => Failure::Refused(reason),
    }
}

/// The report of a plan made in one pass: its bound is every node once.
fn one_pass(solver: Solver, step: &TrainingStep, replay: &Replay, seed: u64) -> Result<Report, Failure> {
    let search = SearchStats {
        method: solver.name().into(),
        stop_reason: ballast_core::limits::StopReason::Finished,
        seconds: 0.0,
        work: 0,
        seed,
    };
    Ok(Report::new(replay.time, Bound::proved(step.problem.total_time(), BoundClass::Any), search)?)
}
