//! `ballast curve`: overhead against budget in one call, or the least memory for an overhead.

use std::path::PathBuf;

use ballast_core::device::Cluster;
use ballast_core::units::Bytes;
use ballast_remat::{CurvePoint, Options, Order, Outcome, curve, least_memory};
use serde::Serialize;

use crate::failure::{Failure, note};
use crate::instance::{Given, Input};
use crate::output;
use crate::output::paths;
use crate::ranges::{amount, count, seconds};
use crate::search_args::{SearchArgs, SwapArgs};

/// Arguments of `ballast curve`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Instance: JSON with nodes (id, time, size) and edges; or the graph of a program, as `ballast remat` reads it.
    instance: PathBuf,
    /// The device a graph runs on: a kind, or a device file (its first device); without it the default device.
    #[arg(long)]
    device: Option<String>,
    /// Budgets, such as 512MiB,1GiB; without them, so many as --points says.
    #[arg(long, value_delimiter = ',')]
    budgets: Vec<Bytes>,
    /// So many budgets in equal steps above the working set, the last of them the unplanned peak; 1 to 10000.
    #[arg(long, value_parser = count::<u64, 1, 10_000>, default_value_t = 20, conflicts_with = "budgets")]
    points: u64,
    /// Instead of a curve the plan of least memory whose time is at most this much above that without
    /// recomputation, percent; 0 to 1e18.
    #[arg(long, value_parser = amount, conflicts_with_all = ["budgets", "points"])]
    overhead: Option<f64>,
    /// Order of first runs: program, or free.
    #[arg(long, default_value = "program")]
    order: Order,
    /// Seconds of wall clock for all points together; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 60.0)]
    time_limit: f64,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    swap: SwapArgs,
    /// Write the answer here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Point {
    budget_bytes: u64,
    /// Share of the unplanned peak.
    budget_share: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_percent: Option<f64>,
    /// No plan for the budget was found. `proved` says then whether none exists.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_plan: bool,
    proved: bool,
    /// With --overhead: no plan that keeps it takes less, bytes. `proved` says then that the plan takes no more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recomputes: Option<usize>,
    /// Bytes copied to the host and back.
    #[serde(skip_serializing_if = "Option::is_none")]
    swap_bytes: Option<u64>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(
        [args.instance.as_path()].into_iter().chain(args.device.as_deref().and_then(Cluster::file_of)),
        paths(&args.output),
    )?;
    args.swap.link.check()?;
    let given = Given::read(&args.instance)?;
    args.swap.check_for(given.kind)?;
    let Input { problem, link, .. } = given.input(args.swap.link.rate, args.device.as_deref())?;
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let total = problem.total_time();
    let percent = |time: f64| if total > 0.0 { 100.0 * (time / total - 1.0) } else { 0.0 };
    let point = |budget_bytes: u64, outcome: Option<&Outcome>| Point {
        budget_bytes,
        budget_share: budget_bytes as f64 / peak.max(1) as f64,
        overhead_percent: outcome.map(|outcome| percent(outcome.report.value)),
        bound_percent: outcome.map(|outcome| percent(outcome.report.bound().value())),
        no_plan: outcome.is_none(),
        proved: outcome.is_some_and(|outcome| outcome.report.proved()),
        bound_bytes: None,
        recomputes: outcome.map(|outcome| outcome.replay.recomputes),
        swap_bytes: outcome.map(|outcome| outcome.replay.swap_bytes),
    };
    let options = Options {
        swap: args.swap.model(link),
        order: args.order,
        rounds: true,
        limits: args.search.limits(args.time_limit),
        ..Options::default()
    };
    let failed = |failure: ballast_remat::Error| match failure {
        ballast_remat::Error::Infeasible { .. } => Failure::NoPlan(failure.to_string()),
        ballast_remat::Error::Refused(_) => Failure::Internal(failure.to_string()),
        other => Failure::BadInput(format!("{}: {other}", args.instance.display())),
    };
    if let Some(overhead) = args.overhead {
        let found = least_memory(&problem, overhead / 100.0, &options).map_err(failed)?;
        let point = Point {
            proved: found.proved(),
            bound_bytes: Some(found.bound_bytes),
            ..point(found.outcome.replay.peak_bytes, Some(&found.outcome))
        };
        return output::write_json(&point, args.output.as_deref());
    }
    let budgets: Vec<u64> = if args.budgets.is_empty() {
        let step = |at| u128::from(peak - least) * u128::from(at) / u128::from(args.points);
        (1..=args.points).map(|at| least + step(at) as u64).collect()
    } else {
        args.budgets.iter().map(|bytes| bytes.0).collect()
    };
    let points = curve(&problem, &budgets, &options).map_err(failed)?;
    let shown = |at: &CurvePoint| Point {
        proved: at.outcome.as_ref().map_or(at.ruled_out, |outcome| outcome.report.proved()),
        ..point(at.cap_bytes, at.outcome.as_ref())
    };
    let points: Vec<Point> = points.iter().map(shown).collect();
    output::write_json(&points, args.output.as_deref())?;
    if let Some(text) = without_plan(&points) {
        note(&text);
    }
    Ok(())
}

/// Which budgets have no plan, where there are any: their points have no overhead.
fn without_plan(points: &[Point]) -> Option<String> {
    let bare: Vec<String> = points
        .iter()
        .filter(|point| point.no_plan)
        .map(|point| {
            let known = if point.proved { "there is none" } else { "none was found" };
            format!("{} B ({known})", point.budget_bytes)
        })
        .collect();
    let count = points.len();
    (!bare.is_empty()).then(|| format!("no plan for {} of {count} budgets: {}", bare.len(), bare.join(", ")))
}
