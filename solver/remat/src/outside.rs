//! Planners of others: a program gets a problem as JSON on its standard input and answers with a plan on its standard output. The
//! answer is judged like any other.

use ballast_core::instance::{Instance, read_plan};
use ballast_core::memory::{Problem, Schedule, SwapModel, compact, replay};
use ballast_core::outside::{AskError, DEFAULT_SECONDS, Executable};
use serde::Serialize;

use crate::outcome::{Error, Order};
use crate::solver::{MemorySolver, Options, Proposal, Task};

/// What a program that plans memory is asked.
#[derive(Serialize)]
struct Question<'a> {
    kind: &'static str,
    instance: Instance,
    budget_bytes: u64,
    /// How copies are timed; null: nothing may be swapped.
    swap: Option<&'a SwapModel>,
    /// `program`: first runs keep program order; `free`: any topological order.
    order: &'static str,
    time_limit_seconds: f64,
    seed: u64,
}

/// A plan of a program for one device, judged.
///
/// # Errors
/// [`Error::NoProgram`] where it cannot be run; [`Error::Outside`], with what is wrong with it or its plan.
fn schedule(program: &Executable, problem: &Problem, options: &Options) -> Result<Schedule, Error> {
    let seconds = options.limits.time_limit_seconds.unwrap_or(DEFAULT_SECONDS);
    let question = Question {
        kind: "memory",
        instance: Instance::of(problem),
        budget_bytes: options.cap_bytes,
        swap: options.swap.as_ref(),
        order: if options.order == Order::Program { "program" } else { "free" },
        time_limit_seconds: seconds,
        seed: options.limits.seed,
    };
    let failed = |reason: String| Error::Outside { reason };
    let refused =
        |reason: String| failed(format!("{}: its plan is refused: {reason}", program.path.display()));
    let question = serde_json::to_string(&question).map_err(|error| failed(error.to_string()))?;
    let answer = program.ask(&question, seconds).map_err(|error| match error {
        AskError::CannotRun(reason) => Error::NoProgram { reason },
        AskError::NoAnswer(reason) => failed(reason),
    })?;
    let schedule = read_plan(&answer, problem).map_err(refused)?;
    replay(problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
        .map_err(|error| refused(error.to_string()))?;
    Ok(schedule)
}

/// The program in the options, as a solver.
pub(crate) struct Exec;

impl MemorySolver for Exec {
    fn name(&self) -> &'static str {
        "exec"
    }

    fn about(&self) -> &'static str {
        "a program of others: a problem as JSON on its standard input, a plan on its standard output"
    }

    fn seeded(&self) -> bool {
        true
    }

    fn plans_parts(&self) -> bool {
        false
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let Some(program) = &task.options.outside else {
            return Err(Error::Options("no program was named to plan".into()));
        };
        let schedule = schedule(program, task.problem, task.options)?;
        let failed = |text: String| Error::Outside { reason: format!("{}: {text}", program.path.display()) };
        let plan = compact(task.problem, &schedule)
            .map_err(|error| failed(format!("its plan has no form in the program: {error}")))?;
        if task.options.order == Order::Program && plan.order.is_some() {
            let text = "its plan is refused: first runs must keep program order (order=program)";
            return Err(failed(text.to_owned()));
        }
        Ok(Some(Proposal {
            method: program.method().into(),
            ..Proposal::in_one_pass(self.name(), plan, task.problem)
        }))
    }
}
