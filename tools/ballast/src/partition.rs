//! `ballast partition`: assigns the nodes of a workload graph to accelerators and CPU cores.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ballast_core::limits::{Limits, StopReason};
use ballast_core::outside::Executable;
use ballast_core::report::BoundClass;
use ballast_dag::assignment::AssignmentFile;
use ballast_dag::learned::ppo::Placer;
use ballast_dag::outside;
use ballast_dag::problem::{PlanClass, Problem};
use ballast_dag::solve::{self, Method, Progress, Solved};
use ballast_partition::genetic::Options;
use ballast_partition::genetic::{WorkloadError, place_workload};
use serde::Serialize;

use crate::failure::Failure;
use crate::instance::Given;
use crate::output;
use crate::output::paths;
use crate::ranges::seconds;
use crate::search_args::{GeneticArgs, WorkArgs};

/// Limits when neither is given. The steps usually end the search first, at the same plan on every machine.
const DEFAULT_WORK: u64 = 60_000_000;
const DEFAULT_SECONDS: f64 = 60.0;

/// Arguments of `ballast partition`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Workload: JSON with maxFPGAs, maxCPUs, maxSizePerFPGA, nodes and edges.
    workload: PathBuf,
    /// Where to write the assignment.
    #[arg(short, long)]
    output: PathBuf,
    /// Only plans whose devices form a pipeline (the default).
    #[arg(long, conflicts_with = "any")]
    contiguous: bool,
    /// Any plan, whatever the order of the devices.
    #[arg(long)]
    any: bool,
    /// Seconds of wall clock; the search uses them all unless it has a proof. With neither limit it follows a
    /// fixed schedule, for 60 s at most; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    #[command(flatten)]
    work: WorkArgs,
    /// Who looks: auto, order, exact, rl or genetic for contiguous plans; auto, anneal, rl or genetic for any; or exec:PROGRAM,
    /// a partitioner of your own that reads a question and writes a plan, as JSON (docs/other-planners.md).
    #[arg(long, default_value = "auto")]
    method: Who,
    #[command(flatten, next_help_heading = "Method genetic")]
    genetic: GeneticArgs,
    /// The learned placer of method rl, as `ballast lab train dag` writes it; default: the one that ships with ballast.
    #[arg(long)]
    policy: Option<PathBuf>,
}

/// Who looks for the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// A method of the partitioner.
    Own(Method),
    /// The genetic search of the field.
    Genetic,
    /// A program that is no part of Ballast.
    Outside(Executable),
}

impl Who {
    /// What options and tables call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Who::Own(method) => method.name().into(),
            Who::Genetic => "genetic".into(),
            Who::Outside(program) => program.method(),
        }
    }
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Executable::named(text) {
            Some(program) => Ok(Who::Outside(program)),
            None if text == "genetic" => Ok(Who::Genetic),
            None => text.parse().map(Who::Own).map_err(|error| format!("{error}, genetic, or exec:PROGRAM")),
        }
    }
}

/// What is printed.
#[derive(Serialize)]
struct Summary {
    value: f64,
    bound: f64,
    gap: f64,
    proved: bool,
    bound_class: BoundClass,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bound_trusts_highs: bool,
    method: String,
    stop_reason: StopReason,
    seconds: f64,
    seed: u64,
    work: u64,
    nodes: usize,
    devices: usize,
    loads: Vec<f64>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let start = std::time::Instant::now();
    let inputs = paths(std::slice::from_ref(&args.workload)).chain(paths(&args.policy));
    output::check(inputs, [args.output.as_path()])?;
    let mut limits = limits(args);
    let class = if args.any { PlanClass::Free } else { PlanClass::Contiguous };
    let problem = Given::read(&args.workload)?.workload()?;
    let finish_early = args.time_limit.is_none() && args.work.work_limit.is_none();
    // Reading counts: the limit is that of the command.
    let reading = start.elapsed().as_secs_f64();
    limits.time_limit_seconds = limits.time_limit_seconds.map(|seconds| (seconds - reading).max(0.0));
    if args.policy.is_some() && args.method != Who::Own(Method::Rl) {
        return Err(Failure::BadInput("--policy is for --method rl".into()));
    }
    if let (Some(option), true) = (args.genetic.first_given(), args.method != Who::Genetic) {
        return Err(Failure::BadInput(format!("{option} is for --method genetic")));
    }
    let placer = args.policy.as_deref().map(read_placer).transpose()?;
    let no_plan = |error| match error {
        solve::Error::Mismatch { .. } => Failure::BadInput(format!("--method: {error}")),
        solve::Error::Learner(_) | solve::Error::NoProgram(_) => Failure::BadInput(error.to_string()),
        solve::Error::Outside(reason) => Failure::NoPlan(reason),
        other => Failure::NoPlan(format!("{}: {other}", args.workload.display())),
    };
    let outcome = match &args.method {
        Who::Own(method) => {
            plan(&problem, class, *method, limits, finish_early, placer.as_ref()).map_err(no_plan)?
        }
        Who::Outside(program) => outside::plan(&problem, class, program, &limits).map_err(no_plan)?,
        Who::Genetic => {
            // Its steps are placements measured: the generations end it where no limit is given.
            let limits = Limits { work_limit: args.work.work_limit, ..limits };
            let options = args.genetic.options(Options::default());
            place_workload(&problem, class, &options, &limits).map_err(|failure| match failure {
                WorkloadError::Options(reason) => Failure::BadInput(format!("--method genetic: {reason}")),
                WorkloadError::NoPlan(error) => no_plan(error),
                WorkloadError::Refused(_) | WorkloadError::Bound(_) => Failure::Internal(failure.to_string()),
            })?
        }
    };
    let file = AssignmentFile::new(&problem, &outcome.assignment, outcome.verdict.max_load);
    output::write_json(&file, Some(&args.output))?;
    let Solved { verdict, report, .. } = outcome;
    let summary = Summary {
        value: report.value,
        bound: report.bound().value(),
        gap: report.gap(),
        proved: report.proved(),
        bound_class: report.bound().class(),
        bound_trusts_highs: report.bound().trusts_highs(),
        method: report.method,
        stop_reason: report.stop_reason,
        seconds: report.seconds + reading,
        seed: report.seed,
        work: report.work,
        nodes: problem.nodes.len(),
        devices: problem.device_count(),
        loads: verdict.loads,
    };
    output::write_json(&summary, None)
}

/// Reads a placer `ballast lab train dag` wrote.
pub(crate) fn read_placer(path: &Path) -> Result<Placer, Failure> {
    Placer::from_file(&output::read_bytes(path)?)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

fn limits(args: &Args) -> Limits {
    Limits {
        time_limit_seconds: args.time_limit.or(args.work.work_limit.is_none().then_some(DEFAULT_SECONDS)),
        work_limit: args.work.work_limit.or(args.time_limit.is_none().then_some(DEFAULT_WORK)),
        seed: args.work.seed,
        threads: args.work.threads.unwrap_or_else(|| ballast_core::limits::threads(usize::MAX)),
    }
}

/// Solves with a line of progress on a terminal.
fn plan(
    problem: &Problem,
    class: PlanClass,
    method: Method,
    limits: Limits,
    finish_early: bool,
    placer: Option<&Placer>,
) -> Result<Solved, solve::Error> {
    let bar = if std::io::stderr().is_terminal() {
        indicatif::ProgressBar::new_spinner()
    } else {
        indicatif::ProgressBar::hidden()
    };
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let observe = |progress: &Progress| {
        bar.set_message(format!(
            "{}: best {:.6}, bound {:.6}",
            progress.phase, progress.value, progress.bound
        ));
    };
    let outcome = solve::solve(
        problem,
        &solve::Options { class, method, limits, finish_early, placer, observe: &observe },
    );
    bar.finish_and_clear();
    outcome
}
