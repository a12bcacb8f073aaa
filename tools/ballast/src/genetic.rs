//! `ballast genetic`: layers of a layer file on devices, by the genetic search or its referees.

use std::path::PathBuf;

use ballast_core::device::Cluster;
use ballast_core::graph::Arithmetic;
use ballast_core::limits::Limits;
use ballast_core::report::Report;
use ballast_placement::genetic::{
    self, LayerFile, LayerTable, Options, Placement, PlacementError, exact::exact,
};
use ballast_placement::platform::{Batch, Pipeline, Platform, Run, exhaustive, simulate};
use serde::Serialize;

use crate::Failure;
use crate::output::{read_text, write_json};

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
    /// Chromosomes of a generation.
    #[arg(long, default_value_t = 100)]
    population: usize,
    /// Probability that a pair is crossed.
    #[arg(long, default_value_t = 0.6)]
    crossover: f64,
    /// Probability that a child is mutated.
    #[arg(long, default_value_t = 0.1)]
    mutation: f64,
    /// Generations: 10000, with --dynamic 1000.
    #[arg(long)]
    generations: Option<u64>,
    /// The best so many chromosomes live on unchanged.
    #[arg(long, default_value_t = 1)]
    elite: usize,
    /// Most placements measured.
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
    generations: u64,
    cache_hits: u64,
    layers: Vec<PlacedLayer>,
    devices: Vec<Usage>,
    report: Report,
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
    let platform = if args.dynamic { Some(platform(args, &cluster)?) } else { None };
    let base = if args.dynamic { Options::dynamic() } else { Options::default() };
    let options = Options {
        population: args.population,
        crossover: args.crossover,
        mutation: args.mutation,
        generations: args.generations.unwrap_or(base.generations),
        elite: args.elite,
        ..base
    };
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
