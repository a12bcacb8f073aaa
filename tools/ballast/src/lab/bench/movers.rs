//! `ballast lab bench movers`: who moves ops in the free search, for equal processor time, judged by plans.

use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::limits::{Clock, Limits, interrupted};
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::{Method, Mover, Options};

use crate::failure::Failure;
use crate::graph_file;
use crate::output;
use crate::output::paths;
use crate::ranges::{count, seconds};
use crate::statistics::mean_and_deviation;
use crate::tables;

/// Arguments of `ballast lab bench movers`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Graphs of programs, as `ballast-opt --rl-partition=graph-file=...` writes them.
    #[arg(required = true)]
    graphs: Vec<PathBuf>,
    /// Where to write the table (Markdown); without it, stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Devices; 2 to 64.
    #[arg(long, value_parser = count::<usize, 2, 64>, default_value_t = 8)]
    devices: usize,
    /// Caps of every device, percent of the largest peak of a free placement without caps; 100: none. 1 to 100.
    #[arg(long, value_parser = count::<u32, 1, 100>, value_delimiter = ',', default_value = "100,70,50")]
    caps: Vec<u32>,
    /// Seconds of processor time a partition may take, its bound included; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 1.0)]
    time_limit: f64,
    /// Search steps of the memory plan of a placement.
    #[arg(long, value_parser = count::<u64, 1, { u64::MAX }>, default_value_t = 20_000)]
    work_limit: u64,
    /// Seeds of every search; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 5)]
    seeds: u64,
    /// Movers to compare; all without it.
    #[arg(long, value_delimiter = ',', default_value = "none,annealing,learned")]
    movers: Vec<Mover>,
}

/// What a run found.
#[derive(Clone, Copy)]
struct Run {
    /// Slowest device under its memory plan, seconds.
    tmax_seconds: f64,
    /// Caps that had to be raised.
    raised: usize,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(paths(&args.graphs), paths(&args.output))?;
    let mut heads = vec!["program".to_owned(), "cap".to_owned()];
    heads.extend(args.movers.iter().map(|&mover| <&str>::from(mover).to_owned()));
    let mut table = tables::markdown(&heads);
    let bar = crate::lab::progress::progress((args.graphs.len() * args.caps.len()) as u64);
    // Logarithms of the mean tmax of every mover over that of the first, by row.
    let mut all: Vec<Vec<f64>> = Vec::new();
    for path in &args.graphs {
        let graph = graph_file::read(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("{name}: {error}"));
        let cluster = Cluster::from_count(args.devices).map_err(|error| bad(&error))?;
        let costs = Costs::estimate(&graph, &cluster, None).costs;
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let free = partition(args, &program, Mover::Annealing, 0, None)?;
        let stages = program.stages(&free.device_of);
        let peak = stages.iter().map(|stage| stage.problem.unplanned_peak()).max().unwrap_or(0);
        for &share in &args.caps {
            let cap = (share < 100).then(|| Bytes((peak as f64 * f64::from(share) / 100.0) as u64));
            bar.set_message(format!("{name}, {share} %"));
            let mut row = vec![name.clone(), format!("{share} %")];
            let mut means = Vec::new();
            for &mover in &args.movers {
                let mut runs = Vec::new();
                // Where nothing moves, nothing is drawn.
                let seeds = if mover == Mover::None { 1 } else { args.seeds };
                for seed in 0..seeds {
                    if interrupted() {
                        return Err(Failure::NoPlan("interrupted; no table was written".into()));
                    }
                    runs.push(measure(args, &program, mover, seed, cap)?);
                }
                let seconds: Vec<f64> = runs.iter().map(|run| run.tmax_seconds * 1e3).collect();
                let (mean, deviation) = mean_and_deviation(&seconds);
                let raised: usize = runs.iter().map(|run| run.raised).sum();
                let raised = if raised > 0 { format!(", {raised} raised") } else { String::new() };
                row.push(format!("{mean:.4} ± {deviation:.4}{raised}"));
                means.push(mean);
            }
            table.add_row(row);
            all.push(means);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    output::write_text(
        &format!("{}\n{table}\n{}", heading(args), summary(args, &all)),
        args.output.as_deref(),
    )
}

fn heading(args: &Args) -> String {
    format!(
        "tmax in milliseconds under memory plans of {} steps of local search, mean and deviation of {} seeds; {} devices of the default \
         kind, {} s of processor time for every partition, one thread. Caps are shares of the largest peak without caps.\n",
        args.work_limit, args.seeds, args.devices, args.time_limit
    )
}

/// The geometric mean over all rows of every mover's mean over the first one's, and the best row.
fn summary(args: &Args, all: &[Vec<f64>]) -> String {
    let mut text = String::from("\n");
    for (column, &mover) in args.movers.iter().enumerate() {
        for (other, &rival) in args.movers.iter().enumerate().take(column) {
            let ratios: Vec<f64> = all.iter().map(|row| row[column] / row[other]).collect();
            let mean =
                (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let most = ratios.iter().copied().fold(0.0, f64::max);
            let better = ratios.iter().filter(|&&ratio| ratio < 1.0).count();
            let worse = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
            text.push_str(&format!(
                "{} over {}: {mean:.4} in the geometric mean of {} rows, from {least:.4} to {most:.4}; better on {better}, worse on {worse}.\n",
                <&str>::from(mover),
                <&str>::from(rival),
                ratios.len(),
            ));
        }
    }
    text
}

fn limits(seconds: Option<f64>, work: Option<u64>, seed: u64) -> Limits {
    Limits { time_limit_seconds: seconds, work_limit: work, seed, threads: 1 }
}

fn partition(
    args: &Args,
    program: &Program<'_>,
    mover: Mover,
    seed: u64,
    cap: Option<Bytes>,
) -> Result<ballast_partition::Partition, Failure> {
    let options = Options {
        method: Method::AUTO,
        mover,
        clock: Clock::Processor,
        limits: limits(Some(args.time_limit), None, seed),
        caps: cap.map(|cap| vec![cap; args.devices]),
        ..Options::default()
    };
    ballast_partition::plan(program, &options).map_err(|error| Failure::BadInput(error.to_string()))
}

/// A partition under the cap, and the memory plan of each of its stages.
fn measure(
    args: &Args,
    program: &Program<'_>,
    mover: Mover,
    seed: u64,
    cap: Option<Bytes>,
) -> Result<Run, Failure> {
    let found = partition(args, program, mover, seed, cap)?;
    let options = ballast_planner::Options {
        cap: cap.map_or(CapSpec::DeviceMemory, CapSpec::Absolute),
        solver: ballast_remat::Solver::LOCAL_SEARCH,
        limits: limits(None, Some(args.work_limit), seed),
        ..ballast_planner::Options::default()
    };
    let planned = ballast_planner::plan(program, found.device_of, found.report, &options, None)
        .map_err(|failure| Failure::NoPlan(failure.to_string()))?;
    let raised =
        planned.plan.stages.iter().filter(|stage| stage.cap_bytes > stage.requested_cap_bytes).count();
    Ok(Run { tmax_seconds: planned.plan.balance.tmax_seconds, raised })
}
