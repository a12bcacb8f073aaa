//! Partitioners of others: a program gets a workload as JSON on its standard input and answers with an assignment on its standard
//! output. The answer is judged like any other.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::outside::{DEFAULT_SECONDS, Executable};
use ballast_core::report::{Bound, Report, SearchStats};
use serde::Serialize;

use crate::assignment::AssignmentFile;
use crate::check::check;
use crate::problem::{PlanClass, Problem};
use crate::solve::{NoPlan, Solved};
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

/// A plan of a program, judged. Its bound holds for plans of any class: every node runs somewhere, at best where it is fastest.
///
/// # Errors
/// [`NoPlan::Outside`], with what is wrong with the program or its plan.
pub fn plan(
    problem: &Problem,
    class: PlanClass,
    program: &Executable,
    limits: &Limits,
) -> Result<Solved, NoPlan> {
    let clock = Deadline::start(limits);
    let time_limit_seconds = limits.time_limit_seconds.unwrap_or(DEFAULT_SECONDS);
    let question = Question {
        kind: "partition",
        workload: WorkloadFile::of(problem),
        class: class.name(),
        time_limit_seconds,
        seed: limits.seed,
    };
    let refused = |reason: String| {
        NoPlan::Outside(format!("{}: its plan is refused: {reason}", program.path.display()))
    };
    let question = serde_json::to_string(&question).map_err(|error| NoPlan::Outside(error.to_string()))?;
    let answer = program.ask(&question, time_limit_seconds).map_err(NoPlan::Outside)?;
    let assignment = AssignmentFile::parse(&answer, problem).map_err(refused)?;
    let verdict = check(problem, class, &assignment).map_err(|violation| refused(violation.to_string()))?;
    let search = SearchStats {
        method: program.method(),
        stop_reason: StopReason::Finished,
        seconds: clock.elapsed_seconds(),
        work: 0,
        seed: limits.seed,
    };
    let report = Report::new(verdict.max_load, Bound::proved(floor(problem), class.bound_class()), search)?;
    Ok(Solved { assignment, verdict, report })
}

/// A load that no plan of any class has less than: every node runs somewhere, at best where it is fastest.
fn floor(problem: &Problem) -> f64 {
    let fastest = |node: &crate::problem::Node| {
        let there = problem.kinds.iter().zip(&node.time).filter(|(kind, _)| kind.count > 0);
        there.map(|(_, &time)| time).fold(f64::INFINITY, f64::min)
    };
    let times = || problem.nodes.iter().map(fastest);
    times().fold(times().sum::<f64>() / problem.device_count() as f64, f64::max)
}
