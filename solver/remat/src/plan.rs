//! The entry: checks what is asked, lets a solver propose, judges, and says what is known about the plan.

use std::sync::Arc;

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, Problem, SwapModel, expand, replay};
use ballast_core::report::{Report, SearchStats};

use crate::highs::Highs;
use crate::incumbent::Progress;
use crate::interval::Interval;
use crate::model::WHOLE_TIME;
use crate::outcome::{Error, Outcome, PROVED_WITHIN};
use crate::packed::{Layout, packed};
use crate::program::{MOST_NODES, Program};
use crate::prover::first_positions;
use crate::solver::Options;
use crate::solver::{Proposal, Solver, Task};
use crate::stepwise::{MOST_STEPS, Stepwise};

/// Plans one device.
///
/// # Errors
/// [`Error::Infeasible`] when no plan keeps the cap or none was found within the limits; other failures for
/// problems and options that make no sense.
pub fn plan(problem: &Problem, options: &Options) -> Result<Outcome, Error> {
    check(problem, options)?;
    if let Some(layout) = Layout::of(options) {
        return packed(problem, options, layout, plan);
    }
    let program = Program::new(problem, None, options.cap_bytes).with_rounds(options.rounds);
    let task = Task {
        problem,
        options,
        deadline: Deadline::start(&options.limits),
        program: &program,
        progress: Arc::new(Progress::new(options.model_file.is_some())),
    };
    // A scheme that was asked for as it is stands in a stage that fits, too.
    let as_given = options.solver == Solver::Q_LEARNING && options.q_learning.rounds == 0;
    if problem.unplanned_peak() <= options.cap_bytes && !as_given {
        let unchanged = Proposal::in_one_pass("keep-all", CompactPlan::default(), problem);
        return task.judge(Proposal { stop: StopReason::Proved, ..unchanged });
    }
    let (least, node) = problem.working_set();
    if least > options.cap_bytes {
        return Err(task.infeasible(true, least, node));
    }
    let Some(proposal) = options.solver.propose(&task)? else {
        return Err(task.infeasible(false, least, node));
    };
    if !options.solver.claims().contains(&proposal.bound.class()) {
        let (name, class) = (options.solver.name(), proposal.bound.class());
        return Err(Error::Refused(format!("solver {name} claims a bound of class {class}")));
    }
    task.judge(proposal)
}

/// A plan that is given, judged under the cap: no search, and the bound that holds for every plan.
///
/// # Errors
/// [`Error::Refused`] for a plan that breaks a rule or the cap.
pub(crate) fn given(problem: &Problem, options: &Options, plan: CompactPlan) -> Result<Outcome, Error> {
    let program = Program::new(problem, None, options.cap_bytes);
    let deadline = Deadline::start(&options.limits);
    let task =
        Task { problem, options, deadline, program: &program, progress: Arc::new(Progress::new(false)) };
    task.judge(Proposal::in_one_pass("given", plan, problem))
}

/// Checks a problem and the host link of its copies.
pub(crate) fn check_problem(problem: &Problem, swap: Option<&SwapModel>) -> Result<(), Error> {
    problem.check()?;
    if swap.is_some_and(|swap| !swap.is_sound()) {
        return Err(Error::Options("the host link needs positive bandwidths and a finite latency".into()));
    }
    let nodes = problem.nodes.len();
    if nodes >= MOST_NODES {
        return Err(Error::Options(format!("{nodes} nodes: at most {} are planned", MOST_NODES - 1)));
    }
    Ok(())
}

fn check(problem: &Problem, options: &Options) -> Result<(), Error> {
    check_problem(problem, options.swap.as_ref())?;
    if !options.layers.is_empty() && options.layers.len() != problem.nodes.len() {
        let (layers, nodes) = (options.layers.len(), problem.nodes.len());
        return Err(Error::Options(format!("layer types for {layers} nodes of {nodes}")));
    }
    if options.alignment.is_some() && !options.solver.plans_parts() {
        return Err(Error::Options(format!("solver={} does not plan for an arena", options.solver.name())));
    }
    check_model_file(options)
}

/// Can the model be written where the options ask for it?
fn check_model_file(options: &Options) -> Result<(), Error> {
    let Some(path) = &options.model_file else { return Ok(()) };
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let reason = match ballast_core::file::check_target(path) {
        Err(error) => error.to_string(),
        Ok(()) if !matches!(extension, "lp" | "mps") => "the extension is .lp or .mps".into(),
        Ok(()) => return Ok(()),
    };
    Err(Error::ModelFile { path: path.clone(), reason })
}

impl Task<'_> {
    fn judge(&self, proposal: Proposal) -> Result<Outcome, Error> {
        let options = self.options;
        let refused = |error: String| Error::Refused(error);
        let schedule = expand(self.problem, &proposal.plan).map_err(|error| refused(error.to_string()))?;
        let replay = replay(self.problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
            .map_err(|error| refused(error.to_string()))?;
        let search = SearchStats {
            method: proposal.method.into_owned(),
            stop_reason: proposal.stop,
            seconds: self.deadline.elapsed_seconds(),
            work: proposal.work,
            seed: options.limits.seed,
        };
        let report = Report::with_tolerance(replay.time, proposal.bound, PROVED_WITHIN, search)?;
        self.progress.note(report.seconds, report.value);
        self.write_model()?;
        Ok(Outcome {
            compact: proposal.plan,
            schedule,
            replay,
            arena: None,
            block_bytes: None,
            report,
            progress: self.progress.list(),
            q_table: proposal.q_table,
        })
    }

    /// Writes the mixed-integer program that was solved last; where none was needed, the full program if the problem is
    /// small, else the interval model.
    fn write_model(&self) -> Result<(), Error> {
        let Some(path) = &self.options.model_file else { return Ok(()) };
        let (program, swap) = (self.program, self.options.swap.as_ref());
        let model = self.progress.model().unwrap_or_else(|| {
            if program.len() <= MOST_STEPS && self.options.solver != Solver::MILP {
                Stepwise::new(program, swap).model
            } else {
                let unit = program.total_time / WHOLE_TIME;
                Interval::with_swaps(program, &first_positions(program, usize::MAX), unit, swap).model
            }
        });
        Highs::write(&model, path).map_err(|reason| Error::ModelFile { path: path.clone(), reason })
    }
}
