//! `ballast genetic`: layers of a layer file on devices, by the genetic search or its referees.

mod kernels;
mod mpi;
mod processes;
pub(crate) mod rank;

use std::path::PathBuf;
use std::time::Duration;

use ballast_core::device::Cluster;
use ballast_core::graph::Arithmetic;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::report::Report;
use ballast_placement::genetic::{
    self, LayerFile, LayerTable, Options, Placement, PlacementError, exact::exact,
};
use ballast_placement::platform::{Batch, Pipeline, Platform, Run, exhaustive, simulate};
use processes::{Processes, Work};
use serde::Serialize;

use crate::Failure;
use crate::output::{read_text, write_json};
use crate::search_args::GeneticArgs;

/// Arguments of `ballast genetic`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layer file (TOML): the model as a list of layers with their shapes.
    layers: PathBuf,
    /// Devices: a device file (TOML), or a count.
    #[arg(long)]
    devices: String,
    /// Run every placement on the simulated platform instead of predicting its time.
    #[arg(long)]
    dynamic: bool,
    /// Topology file (TOML): switches and links between the devices; without one every device is joined to
    /// every other by the links of the device file.
    #[arg(long, requires = "dynamic")]
    topology: Option<PathBuf>,
    /// Run every placement on real processes, one per device, under Open MPI.
    #[arg(long, requires = "dynamic", conflicts_with_all = ["topology", "overlap", "in_order", "exact"])]
    processes: bool,
    /// Runs of a placement on processes; their mean is its time.
    #[arg(long, requires = "processes", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Seconds that one run on processes may take at most.
    #[arg(long, requires = "processes", default_value_t = 60.0)]
    run_limit: f64,
    /// Items of a batch.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    /// Devices compute while their messages move.
    #[arg(long, requires = "dynamic")]
    overlap: bool,
    /// Devices finish all their layers of an item before the next item.
    #[arg(long, requires = "dynamic")]
    in_order: bool,
    /// Solve exactly: branch and bound, or with --dynamic every placement that could be best.
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    search: GeneticArgs,
    /// Most placements measured; on processes 60 where no time limit is given.
    #[arg(long)]
    runs: Option<u64>,
    /// Wall-clock limit in seconds; none: the answer is the same on every machine.
    #[arg(long)]
    time_limit: Option<f64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; they do not change the answer.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Write the answer here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    /// Slowest device without transfers, seconds.
    predicted_seconds: f64,
    /// The batch run on the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Run>,
    /// The batch run on processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
    generations: u64,
    cache_hits: u64,
    layers: Vec<PlacedLayer>,
    devices: Vec<Usage>,
    report: Report,
}

/// A placement and the one of the static search, measured in turn once the search was through.
#[derive(Serialize)]
struct Measured {
    /// Median seconds of a batch.
    seconds: f64,
    /// The same of the static search's placement.
    static_seconds: f64,
    /// Its layers' devices.
    static_devices: Vec<String>,
    /// Runs of each.
    runs: usize,
    /// What the search found, where the static placement turned out to be faster and is the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_seconds: Option<f64>,
}

#[derive(Serialize)]
struct PlacedLayer {
    layer: String,
    device: String,
}

#[derive(Serialize)]
struct Usage {
    device: String,
    layers: usize,
    seconds: f64,
    stored_bytes: u64,
    memory_bytes: u64,
}

fn failure(error: PlacementError) -> Failure {
    match error {
        PlacementError::Input(reason) => Failure::BadInput(reason),
        PlacementError::NoPlacement(reason) => Failure::NoPlan(reason),
    }
}

/// As [`failure`], with the file the problem was read from.
fn in_file(path: &std::path::Path) -> impl Fn(PlacementError) -> Failure {
    move |error| match error {
        PlacementError::Input(reason) => Failure::BadInput(format!("{}: {reason}", path.display())),
        other => failure(other),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.time_limit.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0) {
        return Err(Failure::BadInput("--time-limit takes a positive number of seconds".into()));
    }
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    let file = LayerFile::parse(&read_text(&args.layers)?).map_err(in_file(&args.layers))?;
    let rates: Vec<f64> = cluster.devices.iter().map(|device| device.peak(Arithmetic::F32)).collect();
    let memories: Vec<u64> = cluster.devices.iter().map(|device| device.memory.0).collect();
    let table = file.table(&rates, &memories).map_err(in_file(&args.layers))?;
    let limits = Limits {
        time_limit_seconds: args.time_limit,
        work_limit: args.runs,
        seed: args.seed,
        threads: args.threads,
    };
    let batch = Batch { items: args.batch, overlap: args.overlap, in_order: args.in_order };
    let platform = if args.dynamic && !args.processes { Some(platform(args, &cluster)?) } else { None };
    let base = if args.dynamic { Options::dynamic() } else { Options::default() };
    let options = args.search.options(base);
    if args.processes {
        let (placement, measured) = on_processes(args, &file, &cluster, &table, &options, &limits)?;
        let mut answer = answer(file.name, &cluster, &table, placement, None);
        answer.measured = measured;
        return write_json(&answer, args.output.as_deref());
    }
    let placement = match (&platform, args.exact) {
        (None, false) => genetic::solve(&table, &options, &limits),
        (None, true) => exact(&table, &limits),
        (Some(platform), false) => {
            Pipeline::new(platform, &table, batch).and_then(|measure| measure.solve(&options, &limits))
        }
        (Some(platform), true) => exhaustive(platform, &table, &batch, &limits),
    }
    .map_err(failure)?;
    let run = platform.map(|platform| simulate(&platform, &table, &placement.device_of, &batch));
    write_json(&answer(file.name, &cluster, &table, placement, run), args.output.as_deref())
}

/// Runs of each placement whose median decides in the end.
const FINAL_RUNS: usize = 5;
/// Placements measured on processes where no limit is given.
const DEFAULT_RUNS: u64 = 60;

/// The search on processes, which starts from the placement of the static one.
fn on_processes(
    args: &Args,
    file: &LayerFile,
    cluster: &Cluster,
    table: &LayerTable,
    options: &Options,
    limits: &Limits,
) -> Result<(Placement, Option<Measured>), Failure> {
    let run_limit = Duration::try_from_secs_f64(args.run_limit)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| Failure::BadInput(format!("--run-limit {}: seconds above zero", args.run_limit)))?;
    // Said here and not by a process that fails.
    kernels::layers(file)
        .map_err(|error| in_file(&args.layers)(PlacementError::Input(error.message().into())))?;
    let base =
        Options { generations: Options::default().generations, initial: Vec::new(), ..options.clone() };
    let unlimited = Limits { time_limit_seconds: limits.time_limit_seconds, work_limit: None, ..*limits };
    let first = genetic::solve(table, &base, &unlimited).map_err(failure)?;
    let mut processes = Processes::start(Work {
        layers: &args.layers,
        ranks: table.devices(),
        batch: args.batch,
        repeats: args.repeats,
        run_limit,
    })?;
    let limits = Limits {
        work_limit: limits.work_limit.or(limits.time_limit_seconds.is_none().then_some(DEFAULT_RUNS)),
        ..*limits
    };
    let options = Options { initial: vec![first.device_of.clone()], ..options.clone() };
    let mut found = genetic::search(table, &mut processes, &options, &limits).map_err(failure)?;
    let never = Deadline::after(None);
    let medians = processes
        .medians(&[&first.device_of, &found.device_of], FINAL_RUNS, &never)
        .map_err(Failure::BadInput)?;
    // Interrupted: what was found is the answer, with the mean of its runs.
    let Some([static_seconds, seconds]) = medians.as_deref() else { return Ok((found, None)) };
    let (static_seconds, seconds) = (*static_seconds, *seconds);
    let static_devices = first.device_of.iter().map(|&device| cluster.devices[device].name.clone()).collect();
    let slower = seconds > static_seconds;
    if slower {
        found = Placement {
            report: found.report,
            generations: found.generations,
            cache_hits: found.cache_hits,
            ..first
        };
    }
    let best = seconds.min(static_seconds);
    (found.seconds, found.report.value) = (best, best);
    let measured = Measured {
        seconds: best,
        static_seconds,
        static_devices,
        runs: FINAL_RUNS,
        found_seconds: slower.then_some(seconds),
    };
    Ok((found, Some(measured)))
}

fn platform(args: &Args, cluster: &Cluster) -> Result<Platform, Failure> {
    match &args.topology {
        None => Platform::direct(cluster).map_err(in_file(args.devices.as_ref())),
        Some(path) => {
            let names: Vec<String> = cluster.devices.iter().map(|device| device.name.clone()).collect();
            Platform::parse(&read_text(path)?, &names).map_err(in_file(path))
        }
    }
}

fn answer(
    model: String,
    cluster: &Cluster,
    table: &LayerTable,
    placement: Placement,
    run: Option<Run>,
) -> Answer {
    let name = |device: usize| cluster.devices[device].name.clone();
    let loads = table.loads(&placement.device_of);
    let stored = table.stored(&placement.device_of);
    Answer {
        model,
        predicted_seconds: placement.predicted_seconds,
        run,
        measured: None,
        generations: placement.generations,
        cache_hits: placement.cache_hits,
        layers: std::iter::zip(&table.names, &placement.device_of)
            .map(|(layer, &device)| PlacedLayer { layer: layer.clone(), device: name(device) })
            .collect(),
        devices: (0..table.devices())
            .map(|device| Usage {
                device: name(device),
                layers: placement.device_of.iter().filter(|&&d| d == device).count(),
                seconds: loads[device],
                stored_bytes: stored[device],
                memory_bytes: table.device_memory_bytes[device],
            })
            .collect(),
        report: placement.report,
    }
}
