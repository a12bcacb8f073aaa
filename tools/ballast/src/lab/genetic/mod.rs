//! `ballast lab genetic`: layers of a layer file, or ops of a program, on devices, by the genetic search or its referees.

mod compile;
mod kernels;
mod measured;
mod mpi;
mod processes;
mod program;
pub(crate) mod program_rank;
pub(crate) mod rank;

use std::path::PathBuf;
use std::time::Duration;

use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Arithmetic;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::report::Report;
use ballast_partition::genetic::platform::{Batch, Pipeline, Platform, Run, exhaustive, simulate_within};
use ballast_partition::genetic::{self, LayerFile, LayerTable, Options, Placement, exact::exact};
use measured::{Runs, search};
use processes::Processes;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{check, paths, read_text, write_json, write_text};
use crate::ranges::{count, seconds, threads};
use crate::search_args::{GeneticArgs, Unit};

/// Arguments of `ballast lab genetic`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layer file (TOML): the model as a list of layers with their shapes; or a program (.mlir, linalg on tensors), with
    /// --dynamic --processes.
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
    /// Runs of a placement on processes; their mean is its time; 1 to 1000.
    #[arg(long, value_parser = count::<u32, 1, 1000>, requires = "processes", default_value_t = 3)]
    repeats: u32,
    /// Seconds that one run on processes may take at most; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, requires = "processes", default_value_t = 60.0)]
    run_limit: f64,
    /// Items of a batch, 50 where nothing is given; not for programs; 1 to 1000000.
    #[arg(long, value_parser = count::<u32, 1, 1_000_000>, requires = "dynamic")]
    batch: Option<u32>,
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
    #[arg(long, value_parser = count::<u64, 1, { u64::MAX }>)]
    runs: Option<u64>,
    /// Wall-clock limit in seconds; none: the answer is the same on every machine; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; they do not change the answer; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads, default_value_t = 1)]
    threads: usize,
    /// What of a program is placed as one.
    #[arg(long, value_enum, default_value_t = Unit::Op, requires = "processes")]
    granularity: Unit,
    /// Function of a program to place; without it the only public function, or `main`.
    #[arg(long, default_value = "", requires = "processes")]
    function: String,
    /// Measured times of a program's ops, for the static search that comes first.
    #[arg(long, requires = "processes")]
    profile: Option<PathBuf>,
    /// Write the program with the placement found as attributes here.
    #[arg(long, requires = "processes")]
    planned: Option<PathBuf>,
    /// Write the placement of a program's ops here, for `--rl-partition="placement-file=..."`.
    #[arg(long, requires = "processes")]
    placement: Option<PathBuf>,
    /// Write best and mean fitness of every generation here, as CSV.
    #[arg(long, conflicts_with = "exact")]
    curve: Option<PathBuf>,
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
    /// What the speeds of the topology's links are, as its file says.
    #[serde(skip_serializing_if = "String::is_empty")]
    link_speeds: String,
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
    /// Its layers' devices; none for programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
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

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let inputs = [args.layers.as_path(), args.devices.as_ref()].into_iter();
    let outputs = paths(&args.planned)
        .chain(paths(&args.placement))
        .chain(paths(&args.curve))
        .chain(paths(&args.output));
    check(inputs.chain(paths(&args.topology)).chain(paths(&args.profile)), outputs)?;
    if let (Some(option), true) = (args.search.first_given(), args.exact) {
        return Err(Failure::BadInput(format!(
            "{option} is for the genetic search, and --exact does without it"
        )));
    }
    let limits = Limits {
        time_limit_seconds: args.time_limit,
        work_limit: args.runs,
        seed: args.seed,
        threads: args.threads,
    };
    if args.layers.extension().is_some_and(|ending| ending == "mlir") {
        return program::run(args, &limits);
    }
    if args.profile.is_some() || args.planned.is_some() || args.placement.is_some() {
        let text = "--profile, --planned and --placement are for programs (.mlir), and this is a layer file";
        return Err(Failure::BadInput(text.into()));
    }
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    let file =
        LayerFile::parse(&read_text(&args.layers)?).map_err(|error| Failure::in_file(&args.layers, error))?;
    let rates: Vec<f64> = cluster.devices.iter().map(|device| device.peak(Arithmetic::F32)).collect();
    let memories: Vec<u64> = cluster.devices.iter().map(|device| device.memory.0).collect();
    let table = file.table(&rates, &memories).map_err(|error| Failure::in_file(&args.layers, error))?;
    let batch = Batch { items: args.batch.unwrap_or(BATCH), overlap: args.overlap, in_order: args.in_order };
    let platform = if args.dynamic && !args.processes { Some(platform(args, &cluster)?) } else { None };
    let base = if args.dynamic { Options::dynamic() } else { Options::default() };
    let options = args.search.options(base);
    if args.processes {
        let (placement, measured) = on_processes(args, &file, &cluster, &table, &options, &limits)?;
        write_curve(args, &placement)?;
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
    }?;
    write_curve(args, &placement)?;
    let link_speeds = platform.as_ref().map_or_else(String::new, |platform| platform.source().to_owned());
    // A tenth of the limit on top of it; a batch that takes longer is left out.
    let last = Deadline::after(limits.time_limit_seconds.map(|seconds| (seconds / 10.0).max(0.1)));
    let run =
        platform.and_then(|platform| simulate_within(&platform, &table, &placement.device_of, &batch, &last));
    let answer = Answer { link_speeds, ..answer(file.name, &cluster, &table, placement, run) };
    write_json(&answer, args.output.as_deref())
}

/// One line per generation.
fn write_curve(args: &Args, placement: &Placement) -> Result<(), Failure> {
    let Some(path) = &args.curve else { return Ok(()) };
    let mut text = String::from("generation,best_seconds,best_fitness,mean_fitness\n");
    for (number, generation) in placement.curve.iter().enumerate() {
        let best = generation.best_seconds.map_or_else(String::new, |seconds| seconds.to_string());
        text += &format!("{number},{best},{},{}\n", generation.best_fitness, generation.mean_fitness);
    }
    write_text(&text, Some(path))
}

/// Items of a batch where nothing is given.
const BATCH: u32 = 50;

/// The layers of a layer file on processes, which stay for the whole search.
struct LayerRuns(Processes);

impl Runs for LayerRuns {
    fn run(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<Option<f64>, Failure> {
        let line = placement.iter().map(DeviceId::to_string).collect::<Vec<_>>().join(" ");
        self.0.ask(&line, deadline).map_err(Failure::BadInput)
    }

    /// All placements run the same layers: what one cannot do, none can.
    fn is_unusable(&mut self, _: &[DeviceId], _: &Failure) -> bool {
        false
    }
}

/// The search on processes, which starts from the placement of the static one.
fn on_processes(
    args: &Args,
    file: &LayerFile,
    cluster: &Cluster,
    table: &LayerTable,
    options: &Options,
    limits: &Limits,
) -> Result<(Placement, Option<Measured>), Failure> {
    let run_limit = Duration::from_secs_f64(args.run_limit);
    // Said here and not by a process that fails.
    kernels::layers(file).map_err(|error| Failure::in_file(&args.layers, error))?;
    let base =
        Options { generations: Options::default().generations, initial: Vec::new(), ..options.clone() };
    let unlimited = Limits { time_limit_seconds: limits.time_limit_seconds, work_limit: None, ..*limits };
    let first = genetic::solve(table, &base, &unlimited)?;
    let batch = args.batch.unwrap_or(BATCH).to_string();
    let arguments = ["genetic-rank".into(), args.layers.clone().into(), "--batch".into(), batch.into()];
    let mut runs = LayerRuns(Processes::start(table.devices(), &arguments, run_limit)?);
    let name = |&device: &DeviceId| cluster.devices[device].name.clone();
    let static_devices = first.device_of.iter().map(name).collect();
    let options = Options { initial: vec![first.device_of], ..options.clone() };
    let (found, medians) = search(table, &mut runs, &options, limits, args.repeats)?;
    Ok((found, medians.map(|medians| Measured::new(&medians, static_devices))))
}

fn platform(args: &Args, cluster: &Cluster) -> Result<Platform, Failure> {
    match &args.topology {
        None => Platform::direct(cluster).map_err(|error| Failure::in_file(args.devices.as_ref(), error)),
        Some(path) => {
            let names: Vec<String> = cluster.devices.iter().map(|device| device.name.clone()).collect();
            Platform::parse(&read_text(path)?, &names).map_err(|error| Failure::in_file(path, error))
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
    let name = |device: DeviceId| cluster.devices[device].name.clone();
    let loads = table.loads(&placement.device_of);
    let stored = table.stored(&placement.device_of);
    Answer {
        model,
        predicted_seconds: placement.predicted_seconds,
        run,
        measured: None,
        link_speeds: String::new(),
        generations: placement.generations,
        cache_hits: placement.cache_hits,
        layers: std::iter::zip(&table.names, &placement.device_of)
            .map(|(layer, &device)| PlacedLayer { layer: layer.clone(), device: name(device) })
            .collect(),
        devices: DeviceId::first(table.devices())
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
