//! `ballast lab swaps`: which tensors of a training step on one device are swapped, learned or by a baseline.

use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::limits::Limits;
use ballast_core::memory::{CompactPlan, Replay};
use ballast_core::report::Report;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_remat::swaps::{Baseline, Options, QTable, SubData, TrainingStep, baseline, plan, sub_data};
use serde::Serialize;

use crate::failure::Failure;
use crate::graph_file;
use crate::output::{check, paths, read_text, write_json};
use crate::ranges::{count, seconds, share};

/// Arguments of `ballast lab swaps`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program as a graph (JSON), written by `--remat="graph-file=..."`.
    graph: PathBuf,
    /// The device: the first of a device file, or a ready-made kind.
    #[arg(long)]
    devices: String,
    /// Bytes with a unit, or a percentage of the unplanned peak; none: the device's memory.
    #[arg(long, default_value = "")]
    cap: String,
    /// Who chooses.
    #[arg(long, value_enum, default_value_t = Method::QLearning)]
    method: Method,
    /// Copies run beside computation.
    #[arg(long)]
    overlap: bool,
    /// Iterations to learn from; 1 to 1000000000.
    #[arg(long, value_parser = count::<u64, 1, 1_000_000_000>, default_value_t = Options::default().rounds)]
    rounds: u64,
    /// w of the reward: 0 for time alone, 1 for memory alone; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = Options::default().weight)]
    weight: f64,
    /// Probability of an action drawn at random; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = Options::default().epsilon)]
    epsilon: f64,
    /// Go on from a saved table.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Save the table here.
    #[arg(long)]
    table: Option<PathBuf>,
    /// Learn on these parts of the rounds and carry on with the rest, for example 0.2,0.5,0.8,1; 0 to 1.
    #[arg(long, value_parser = share, value_delimiter = ',', conflicts_with_all = ["resume", "table"])]
    sub_data: Vec<f64>,
    /// Wall-clock limit in seconds; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the answer here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    QLearning,
    NoSwap,
    Vdnn,
    Capuchin,
}

#[derive(Serialize)]
struct Answer {
    unplanned_peak_bytes: u64,
    cap_bytes: u64,
    seconds: f64,
    unswapped_seconds: f64,
    peak_bytes: u64,
    swap_bytes: u64,
    recomputes: usize,
    plan: CompactPlan,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // A table may be carried on with where it is: it is read whole before it is written.
    check([args.graph.as_path(), args.devices.as_ref()], paths(&args.table).chain(paths(&args.output)))?;
    let cap: CapSpec = args.cap.parse().map_err(|error| Failure::BadInput(format!("--cap: {error}")))?;
    let graph = graph_file::read(&args.graph)?;
    let mut cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    cluster.devices.truncate(1);
    cluster.links.clear();
    let costs = Costs::estimate(&graph, &cluster, None).costs;
    let stage = stages(&graph, &costs, &cluster, &vec![0; graph.ops.len()]).swap_remove(0);
    let step = TrainingStep::of_stage(&graph, &stage);
    let device = &cluster.devices[0];
    let swap = cluster.swap_model(device, args.overlap);
    let unplanned_peak_bytes = step.problem.unplanned_peak();
    let cap_bytes = cap.bytes(Bytes(unplanned_peak_bytes), device.memory).0;
    let limits =
        Limits { time_limit_seconds: args.time_limit, work_limit: None, seed: args.seed, threads: 1 };
    let options = Options {
        rounds: args.rounds,
        weight: args.weight,
        epsilon: args.epsilon,
        cap_bytes: Some(cap_bytes),
        ..Options::default()
    };
    if !args.sub_data.is_empty() {
        let rows: Vec<SubData> = sub_data(&step, &swap, &options, &limits, &args.sub_data)?;
        return write_json(&rows, args.output.as_deref());
    }
    let fixed = |which| baseline(which, &step, &swap, Some(cap_bytes), &limits).map(|(p, r)| (p, r, None));
    let (plan, replay, report): (CompactPlan, Replay, Option<Report>) = match args.method {
        Method::NoSwap => fixed(Baseline::NoSwap),
        Method::Vdnn => fixed(Baseline::Vdnn),
        Method::Capuchin => fixed(Baseline::Capuchin),
        Method::QLearning => {
            let table = match &args.resume {
                None => None,
                Some(path) => Some(
                    QTable::parse(&read_text(path)?)
                        .map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))?,
                ),
            };
            let (found, replay, learned, report) = plan(&step, &swap, table, &options, &limits)?;
            if let Some(path) = &args.table {
                write_json(&learned.table, Some(path))?;
            }
            Ok((found, replay, Some(report)))
        }
    }?;
    let answer = Answer {
        unplanned_peak_bytes,
        cap_bytes,
        seconds: replay.time,
        unswapped_seconds: step.problem.total_time(),
        peak_bytes: replay.peak_bytes,
        swap_bytes: replay.swap_bytes,
        recomputes: replay.recomputes,
        plan,
        report,
    };
    write_json(&answer, args.output.as_deref())
}
