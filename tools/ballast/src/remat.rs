//! `ballast remat`: plans recomputation and swaps of one device under a memory budget.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use ballast_core::device::Cluster;
use ballast_core::graph::OpId;
use ballast_core::instance::Steps;
use ballast_core::limits::Limits;
use ballast_core::outside::Executable;
use ballast_core::plan::ArenaPlan;
use ballast_core::report::{BoundClass, Prover};
use ballast_core::units::Bytes;
use ballast_remat::{Options, Order, Outcome, Relaxation, SOLVERS, Solver, plan_relaxed};
use serde::Serialize;

use crate::failure::Failure;
use crate::instance::{Given, Input};
use crate::output;
use crate::output::paths;
use crate::ranges::{relax_limit, relax_step, seconds};
use crate::search_args::{SwapArgs, WorkArgs};

/// Arguments of `ballast remat`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Instance: JSON with nodes (id, time, size) and edges (`ballast schema instance`); or the graph of a program, written by
    /// `--remat="graph-file=..."`.
    instance: PathBuf,
    /// The device a graph runs on: a kind, or a device file (its first device); without it the default device.
    #[arg(long)]
    device: Option<String>,
    /// Bytes the device may hold at any moment, such as 4096, 512MiB or 16GiB.
    #[arg(long)]
    budget: Bytes,
    /// Where to write the plan.
    #[arg(short, long, value_parser = output::a_file)]
    output: PathBuf,
    /// Lay all buffers out in one arena, aligned to these bytes: the budget then holds for the arena, gaps included, and the
    /// plan comes with every buffer's offset.
    #[arg(long, value_name = "ALIGNMENT")]
    arena: Option<Bytes>,
    /// Order of first runs: program, or free.
    #[arg(long, default_value = "free")]
    order: Order,
    /// Seconds of wall clock; 60 unless a work limit is given; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    swap: SwapArgs,
    #[arg(long, default_value = "auto", help = solver_help())]
    solver: Who,
    /// Where to write the mixed-integer program, LP or MPS by extension.
    #[arg(long)]
    model_file: Option<PathBuf>,
    /// A budget without a plan is raised by this share of itself at a time; 0.0001 to 10.
    #[arg(long, value_parser = relax_step, default_value_t = 0.05)]
    relax_step: f64,
    /// Largest budget tried, as a multiple of the one given; 0: a budget without a plan is an error; 0, or 1 to 1000.
    #[arg(long, value_parser = relax_limit, default_value_t = 0.0)]
    relax_limit: f64,
}

fn solver_help() -> String {
    let names: Vec<&str> = SOLVERS.iter().map(|solver| solver.name()).collect();
    format!(
        "Who plans: {}; or exec:PROGRAM, a planner of your own that reads a question and writes a plan, as JSON \
         (docs/other-planners.md)",
        names.join(", ")
    )
}

/// Who plans: a solver of Ballast, or a program that is no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Who {
    solver: Solver,
    outside: Option<Executable>,
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Executable::named(text) {
            outside @ Some(_) => Ok(Who { solver: Solver::EXEC, outside }),
            None => {
                let solver = text.parse().map_err(|error: String| format!("{error}, or exec:PROGRAM"))?;
                Ok(Who { solver, outside: None })
            }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_method: Option<Prover>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_work: Option<u64>,
    method: String,
    stop_reason: ballast_core::limits::StopReason,
    seconds: f64,
    seed: u64,
    work: u64,
    overhead_percent: f64,
    bound_percent: f64,
    peak_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    arena_bytes: Option<u64>,
    swap_bytes: u64,
    recomputes: usize,
    requested_budget: u64,
    used_budget: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    smallest_budget: Option<u64>,
}

/// What is printed where no plan keeps the budget: what a script needs of the message.
#[derive(Serialize)]
struct Refusal {
    no_plan: bool,
    /// Does none exist? Else none was found.
    proved: bool,
    requested_budget: u64,
    smallest_budget: u64,
    /// Is a plan for it known? Else it is the smallest that is not ruled out.
    smallest_budget_has_plan: bool,
}

/// The plan file: `{"steps": [["compute", 0], ...]}`, and where each buffer lies if that was asked for.
#[derive(Serialize)]
struct PlanFile {
    #[serde(flatten)]
    steps: Steps,
    #[serde(skip_serializing_if = "Option::is_none")]
    arena: Option<ArenaPlan>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(
        [args.instance.as_path()].into_iter().chain(args.device.as_deref().and_then(Cluster::file_of)),
        [args.output.as_path()].into_iter().chain(paths(&args.model_file)),
    )?;
    if args.budget.0 == 0 {
        return Err(Failure::BadInput("--budget 0: a device without memory plans nothing".into()));
    }
    if let Some(program) = &args.solver.outside {
        program.check().map_err(|missing| Failure::BadInput(missing.to_string()))?;
    }
    args.swap.link.check()?;
    let given = Given::read(&args.instance)?;
    args.swap.check_for(given.kind)?;
    if args.arena == Some(Bytes(0)) {
        return Err(Failure::BadInput("--arena 0: give an alignment of at least one byte".into()));
    }
    let Input { problem, link, .. } = given.input(args.swap.link.rate, args.device.as_deref())?;
    let default_time = args.work.work_limit.is_none().then_some(60.0);
    let options = Options {
        cap_bytes: args.budget.0,
        swap: args.swap.model(link),
        alignment: args.arena.map(|bytes| bytes.0),
        order: args.order,
        rounds: true,
        limits: Limits {
            time_limit_seconds: args.time_limit.or(default_time),
            work_limit: args.work.work_limit,
            seed: args.work.seed,
            threads: args.work.threads.unwrap_or_else(|| ballast_core::limits::threads(usize::MAX)),
        },
        solver: args.solver.solver,
        outside: args.solver.outside.clone(),
        model_file: args.model_file.clone(),
        ..Options::default()
    };
    let relaxation = Relaxation { step: args.relax_step, limit: args.relax_limit };
    let relaxed = plan_relaxed(&problem, &options, &relaxation)
        .map_err(|failure| refused(args, problem.unplanned_peak(), &failure))?;
    let outcome = &relaxed.plan;
    let total = problem.total_time();
    let percent = |time: f64| if total > 0.0 { 100.0 * (time / total - 1.0) } else { 0.0 };
    let report = outcome.report.clone();
    let bound = report.bound();
    let summary = Summary {
        value: report.value,
        bound: bound.value(),
        gap: report.gap(),
        proved: report.proved(),
        bound_class: bound.class(),
        bound_trusts_highs: bound.trusts_highs(),
        bound_method: bound.prover(),
        bound_work: bound.work(),
        method: report.method,
        stop_reason: report.stop_reason,
        seconds: report.seconds,
        seed: report.seed,
        work: report.work,
        overhead_percent: percent(report.value),
        bound_percent: percent(bound.value()),
        peak_bytes: outcome.replay.peak_bytes,
        arena_bytes: outcome.arena.as_ref().map(|arena| arena.arena_bytes),
        swap_bytes: outcome.replay.swap_bytes,
        recomputes: outcome.replay.recomputes,
        requested_budget: relaxed.requested_cap,
        used_budget: relaxed.used_cap,
        smallest_budget: relaxed.smallest_cap,
    };
    write_plan(&args.output, outcome)?;
    print_line(&summary)
}

fn print_line(line: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(line).map_err(|error| Failure::Internal(error.to_string()))?;
    output::print(&format!("{line}\n"))
}

/// Prints the refusal, where that is what failed, of a problem that takes `peak` bytes as it is.
fn refused(args: &Args, peak: u64, failure: &ballast_remat::Error) -> Failure {
    match *failure {
        ballast_remat::Error::Infeasible { cap_bytes, smallest_cap, found, proved, .. } => {
            no_plan((cap_bytes, proved), (smallest_cap, found), failure.to_string())
        }
        // It changes nothing, and has a plan from the peak on; in an arena gaps may come on top of that.
        ballast_remat::Error::NotApplicable { solver, .. } if solver == Solver::KEEP_ALL.name() => {
            let text = format!("{failure}: it takes {peak} of {} bytes", args.budget.0);
            no_plan((args.budget.0, false), (peak, args.arena.is_none()), text)
        }
        ballast_remat::Error::NoProgram { .. } => Failure::BadInput(failure.to_string()),
        ballast_remat::Error::Outside { .. } => Failure::NoPlan(failure.to_string()),
        ballast_remat::Error::Refused(_) => Failure::Internal(failure.to_string()),
        _ => Failure::BadInput(format!("{}: {failure}", args.instance.display())),
    }
}

/// Prints that no plan keeps a budget, whether that is proved, and which is the smallest one that may have a plan, or has.
fn no_plan((requested, proved): (u64, bool), (smallest, has_plan): (u64, bool), text: String) -> Failure {
    let refusal = Refusal {
        no_plan: true,
        proved,
        requested_budget: requested,
        smallest_budget: smallest,
        smallest_budget_has_plan: has_plan,
    };
    print_line(&refusal).err().unwrap_or(Failure::NoPlan(text))
}

fn write_plan(path: &Path, outcome: &Outcome) -> Result<(), Failure> {
    let steps = Steps::from(&outcome.schedule);
    let arena = outcome.arena.as_ref().map(|arena| arena.plan(|node| OpId(node.0)));
    let text = serde_json::to_string(&PlanFile { steps, arena })
        .map_err(|error| Failure::Internal(error.to_string()))?;
    output::write_file(path, format!("{text}\n").as_bytes())
}
