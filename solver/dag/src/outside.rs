//! Partitioners of others: a program gets a workload as JSON on its standard input and answers with an assignment on its standard
//! output. The answer is judged like any other.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::outside::{AskError, DEFAULT_SECONDS, Executable};
use ballast_core::report::{Bound, Report, SearchStats};
use serde::Serialize;

use crate::assignment::AssignmentFile;
use crate::bound::{WorkPrices, simple_bound};
use crate::check::check;
use crate::hypergraph::Hypergraph;
use crate::problem::{PlanClass, Problem};
use crate::solve::{Error, Solved};
use crate::workload::WorkloadFile;

/// What a program that partitions is asked.
#[derive(Serialize)]
struct Question {
    kind: &'static str,
    workload: WorkloadFile,
    /// `contiguous`: devices form a pipeline; `free`: any order of the devices.
    class: &'static str,
    time_limit_seconds: f64,
    seed: u64,
}

/// A plan of a program, judged. Its bound is that of the work and of the slowest node, which holds for plans of any class.
///
/// # Errors
/// [`Error::NoProgram`] where it cannot be run; [`Error::Outside`], with what is wrong with it or its plan.
pub fn plan(
    problem: &Problem,
    class: PlanClass,
    program: &Executable,
    limits: &Limits,
) -> Result<Solved, Error> {
    let clock = Deadline::start(limits);
    let time_limit_seconds = limits.time_limit_seconds.unwrap_or(DEFAULT_SECONDS);
    let question = Question {
        kind: "partition",
        workload: WorkloadFile::of(problem),
        class: class.name(),
        time_limit_seconds,
        seed: limits.seed,
    };
    let refused =
        |reason: String| Error::Outside(format!("{}: its plan is refused: {reason}", program.path.display()));
    let question = serde_json::to_string(&question).map_err(|error| Error::Outside(error.to_string()))?;
    let answer = program.ask(&question, time_limit_seconds).map_err(|error| match error {
        AskError::CannotRun(reason) => Error::NoProgram(reason),
        AskError::NoAnswer(reason) => Error::Outside(reason),
    })?;
    let assignment = AssignmentFile::parse(&answer, problem).map_err(refused)?;
    let verdict = check(problem, class, &assignment).map_err(|violation| refused(violation.to_string()))?;
    let search = SearchStats {
        method: program.method(),
        stop_reason: StopReason::Finished,
        seconds: clock.elapsed_seconds(),
        work: 0,
        seed: limits.seed,
    };
    let graph = Hypergraph::of(problem);
    let least_load = simple_bound(&graph, &WorkPrices::fit(&graph));
    let report = Report::new(verdict.max_load, Bound::proved(least_load, class.bound_class()), search)?;
    Ok(Solved { assignment, verdict, report })
}
