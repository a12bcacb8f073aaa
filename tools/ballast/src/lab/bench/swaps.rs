//! `ballast lab bench swaps`: recomputing, swapping and both, over host links and speeds of computation.

use std::path::PathBuf;

use ballast_core::limits::interrupted;
use ballast_core::memory::{Problem, SwapModel};
use ballast_remat::{Error as NoPlan, Options, Order, Outcome, plan};
use comfy_table::Table;

use crate::failure::Failure;
use crate::output::paths;
use crate::ranges::{multiple, positive, seconds};
use crate::search_args::SearchArgs;
use crate::{instance, output, tables};

/// Arguments of `ballast lab bench swaps`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Instances whose times are operations; the budgets are those each names.
    #[arg(required = true)]
    instances: Vec<PathBuf>,
    /// Budgets to leave out above this share of the unplanned peak, unless all are; above 0, at most 1000.
    #[arg(long, value_parser = multiple, default_value_t = 0.6)]
    most: f64,
    /// Bandwidths of the host link in each direction, GB/s; above zero, at most 1e18.
    #[arg(long, value_parser = positive, value_delimiter = ',', default_values_t = [8.0, 16.0, 64.0])]
    links: Vec<f64>,
    /// Speeds of computation, TFLOP/s; above zero, at most 1e18.
    #[arg(long, value_parser = positive, value_delimiter = ',', default_values_t = [10.0, 100.0])]
    rates: Vec<f64>,
    /// Seconds of wall clock per plan; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 5.0)]
    time_limit: f64,
    #[command(flatten)]
    search: SearchArgs,
    /// Where to write the table (Markdown); without it, stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(paths(&args.instances), paths(&args.output))?;
    let heading = format!(
        "Overheads in % of the time without recomputation or swaps; {} s and {} threads a plan, seed {}, first runs in program \
         order, one copy engine per direction beside the computation. Bounds hold for all \
         plans with that order.\n",
        args.time_limit, args.search.threads, args.search.seed,
    );
    let mut table = tables::markdown(&HEADS);
    let bar = indicatif::ProgressBar::new((args.instances.len() * args.rates.len()) as u64);
    for path in &args.instances {
        for &rate in &args.rates {
            let (problem, mut budgets) = instance::read_with_budgets(path, Some(rate * 1e12))?;
            let peak = problem.unplanned_peak() as f64;
            if budgets.values().any(|&bytes| bytes as f64 <= args.most * peak + 1.0) {
                budgets.retain(|_, bytes| *bytes as f64 <= args.most * peak + 1.0);
            }
            for (share, bytes) in budgets {
                bar.set_message(format!("{} {share}", problem.name));
                rows(&mut table, args, &problem, rate, (&share, bytes))?;
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    output::write_text(&format!("{heading}\n{table}\n"), args.output.as_deref())
}

const HEADS: [&str; 12] = [
    "instance",
    "budget",
    "TFLOP/s",
    "GB/s",
    "recompute %",
    "swap %",
    "both %",
    "bound %",
    "proved",
    "method",
    "recomputes",
    "bytes swapped",
];

fn rows(
    table: &mut Table,
    args: &Args,
    problem: &Problem,
    rate: f64,
    (share, bytes): (&str, u64),
) -> Result<(), Failure> {
    let options = Options {
        cap_bytes: bytes,
        order: Order::Program,
        rounds: true,
        limits: args.search.limits(args.time_limit),
        ..Options::default()
    };
    let solve = |problem: &Problem, options: &Options| -> Result<Option<Outcome>, Failure> {
        if interrupted() {
            return Err(Failure::NoPlan("interrupted; no table was written".into()));
        }
        match plan(problem, options) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(NoPlan::Infeasible { .. }) => Ok(None),
            Err(other) => Err(Failure::BadInput(format!("{}: {other}", problem.name))),
        }
    };
    let mut fixed = problem.clone();
    fixed.nodes.iter_mut().for_each(|node| node.recomputable = false);
    let recomputed = solve(problem, &options)?;
    let total = problem.total_time();
    let shown = |outcome: &Option<Outcome>| {
        outcome.as_ref().map_or_else(
            || "-".to_owned(),
            |outcome| format!("{:.3}", 100.0 * (outcome.report.value / total - 1.0)),
        )
    };
    for &link in &args.links {
        let swap = SwapModel {
            out_bandwidth: link * 1e9,
            in_bandwidth: link * 1e9,
            latency: 0.0,
            overlap: true,
            host_capacity_bytes: None,
        };
        let swapping = Options { swap: Some(swap), ..options.clone() };
        let swapped = solve(&fixed, &swapping)?;
        // Both start from what either found alone.
        let starts = recomputed.iter().chain(&swapped).map(|outcome| outcome.compact.clone()).collect();
        let both = solve(problem, &Options { starts, ..swapping })?;
        let (recomputes, copied) =
            both.as_ref().map_or((0, 0), |both| (both.replay.recomputes, both.replay.swap_bytes));
        let report = both.as_ref().map(|both| &both.report);
        let bound =
            report.map_or(f64::NAN, |report| (100.0 * (report.bound().value() / total - 1.0)).max(0.0));
        table.add_row([
            problem.name.clone(),
            share.to_owned(),
            rate.to_string(),
            link.to_string(),
            shown(&recomputed),
            shown(&swapped),
            shown(&both),
            format!("{bound:.3}"),
            if report.is_some_and(|report| report.proved()) { "yes" } else { "no" }.to_owned(),
            report.map_or("-", |report| report.method.as_str()).to_owned(),
            recomputes.to_string(),
            copied.to_string(),
        ]);
    }
    Ok(())
}
