//! `ballast compare`: every method that partitions and every solver that plans memory, on one program, at equal time.
//!
//! The program is read once, by `ballast-opt` as a child, and planned here on its graph: the passes call the same
//! functions, and parsing a large program anew for every method and seed would be most of the time compared.

mod methods;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::graph::Graph;
use ballast_core::outside::Executable;
use ballast_core::program::Program;
use serde::Serialize;

use crate::failure::Failure;
use crate::graph_file;
use crate::output;
use crate::output::paths;
use crate::ranges::{count, seconds, threads};
use crate::run::tools;
use crate::search_args::Unit;
use methods::{Contender, Row};

/// Marks a partitioner of the user's among the methods; a planner of memory is named without it.
const PARTITIONER: &str = "method=";
/// Time a program may take to be read.
const READING_LIMIT: Duration = Duration::from_secs(600);

/// Arguments of `ballast compare`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs (.mlir) or graphs written by `--remat="graph-file=..."` (.json); of a folder, all programs in it.
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// Devices: a number of equal ones, or a device file.
    #[arg(long)]
    devices: String,
    /// Memory cap: bytes with a unit, or a percentage of each stage's own unplanned peak; none: the device's memory.
    #[arg(long, default_value = "")]
    cap: String,
    /// Seconds of wall clock for each run of each method, partition and memory plan together; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 10.0)]
    time_limit: f64,
    /// Runs of a method that depends on the seed; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 3)]
    seeds: u64,
    /// Threads of every run; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads, default_value_t = 1)]
    threads: usize,
    /// What is moved as one.
    #[arg(long, value_enum, default_value_t = Unit::Op)]
    granularity: Unit,
    /// Only these methods and solvers, by name; exec:PROGRAM for a memory planner of your own, method=exec:PROGRAM for a
    /// partitioner of your own (docs/other-planners.md).
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// A memory planner of your own beside those compared: a program that reads a question and writes a plan, as JSON.
    #[arg(long, value_name = "PROGRAM")]
    exec: Vec<PathBuf>,
    /// A partitioner of your own beside those compared: a program that reads a workload and writes an assignment, as JSON.
    #[arg(long, value_name = "PROGRAM")]
    exec_method: Vec<PathBuf>,
    /// Function to plan; without it the only public function, or `main`.
    #[arg(long, default_value = "")]
    function: String,
    /// Write all runs as JSON to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the tables in Markdown to this file, or with `-` to stdout; without it, stdout gets tables for a terminal of 80
    /// columns.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// All methods on one program.
#[derive(Debug, Serialize)]
struct Comparison {
    program: String,
    planned_ops: usize,
    devices: usize,
    /// The cap as given; empty: the devices' memories.
    cap: String,
    /// The largest unplanned peak of a stage, cut by dynamic programming without a cap.
    unplanned_peak_bytes: u64,
    time_limit_seconds: f64,
    threads: usize,
    rows: Vec<Row>,
}

impl Comparison {
    /// Has nobody a plan?
    fn is_without_plan(&self) -> bool {
        self.rows.iter().all(|row| row.refused.is_some())
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let cap: CapSpec = args.cap.parse().map_err(|error| Failure::BadInput(format!("--cap: {error}")))?;
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    let contenders = contenders(args)?;
    let programs = programs(&args.programs)?;
    let inputs = paths(&programs).chain([args.devices.as_ref()]);
    output::check(inputs, paths(&args.json).chain(paths(&args.output)))?;
    let runs: u64 = contenders.iter().map(|contender| contender.runs(args.seeds)).sum();
    let bar = indicatif::ProgressBar::new(runs * programs.len() as u64);
    bar.set_style(
        indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")
            .map_err(|error| Failure::Internal(error.to_string()))?,
    );
    let mut comparisons = Vec::new();
    for path in &programs {
        let graph = import(path, &args.function, &args.devices)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let costs = Costs::estimate(&graph, &cluster, None).costs;
        let task = methods::Task {
            program: Program { graph: &graph, costs: &costs, cluster: &cluster },
            granularity: args.granularity.into(),
            time_limit_seconds: args.time_limit,
            threads: args.threads,
        };
        let in_file = |failure: Failure| match failure {
            Failure::BadInput(text) => Failure::BadInput(format!("{}: {text}", path.display())),
            Failure::NoPlan(text) => Failure::NoPlan(format!("{}: {text}", path.display())),
            other => other,
        };
        let start = methods::Start::new(&task, cap).map_err(in_file)?;
        let mut rows = Vec::new();
        for contender in &contenders {
            bar.set_message(format!("{name}, {}", contender.name()));
            rows.push(contender.row(&task, &start, args.seeds, &|| bar.inc(1)).map_err(in_file)?);
        }
        comparisons.push(Comparison {
            program: name,
            planned_ops: graph.planned().count(),
            devices: cluster.devices.len(),
            cap: args.cap.clone(),
            unplanned_peak_bytes: start.unplanned_peak_bytes,
            time_limit_seconds: args.time_limit,
            threads: args.threads,
            rows,
        });
    }
    bar.finish_and_clear();
    if comparisons.iter().all(Comparison::is_without_plan) {
        return Err(Failure::NoPlan(table::without_plan(&comparisons)));
    }
    if let Some(path) = &args.json {
        output::write_json(&comparisons, Some(path))?;
    }
    match &args.output {
        Some(path) => output::write_text(&table::markdown(&comparisons, args), Some(path)),
        None => output::write_text(&table::terminal(&comparisons), None),
    }
}

/// Those of Ballast that were asked for, and programs of others.
fn contenders(args: &Args) -> Result<Vec<Contender>, Failure> {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for name in &args.only {
        let partitioner = name.strip_prefix(PARTITIONER).and_then(Executable::named);
        match (partitioner.map(Contender::OutsideMethod), Executable::named(name).map(Contender::Outside)) {
            (Some(program), _) | (_, Some(program)) => others.push(program),
            _ => own.push(name.clone()),
        }
    }
    let named = |path: &PathBuf| Executable { path: path.clone() };
    others.extend(args.exec_method.iter().map(|path| Contender::OutsideMethod(named(path))));
    others.extend(args.exec.iter().map(|path| Contender::Outside(named(path))));
    let mut contenders = match own.is_empty() && !args.only.is_empty() {
        true => Vec::new(),
        false => methods::chosen(&own).map_err(Failure::BadInput)?,
    };
    contenders.append(&mut others);
    Ok(contenders)
}

/// The programs named, and those in folders named, by name.
fn programs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut programs = Vec::new();
    for path in paths {
        if !path.is_dir() {
            programs.push(path.clone());
            continue;
        }
        let failed = |error: std::io::Error| Failure::BadInput(format!("{}: {error}", path.display()));
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.extension().is_some_and(|ending| ending == "mlir") {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(Failure::BadInput(format!("{}: no program (*.mlir)", path.display())));
        }
        inside.sort();
        programs.extend(inside);
    }
    Ok(programs)
}

/// The graph of a program: of a JSON file or a pipe as it is, else through `ballast-opt`. Rules of the program may name the devices; what an earlier
/// plan wrote is no rule.
pub(crate) fn import(path: &Path, function: &str, devices: &str) -> Result<Graph, Failure> {
    // A pipe or a device has no name that says what is in it.
    let unnamed = path.exists() && !path.is_file();
    if unnamed || path.extension().is_some_and(|ending| ending == "json") {
        if !function.is_empty() {
            return Err(Failure::BadInput(format!(
                "--function: {} is the graph of one function: leave it out",
                path.display()
            )));
        }
        return graph_file::read(path);
    }
    if !path.exists() {
        return Err(Failure::BadInput(format!("{}: no such file", path.display())));
    }
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::BadInput(format!("a temporary folder cannot be made: {error}")))?;
    let graph = folder.path().join("graph.json");
    // The pass partitions as well, for which it has no time here.
    let pass = format!(
        "--rl-partition=devices='{devices}' method=dp time-limit=0.01 function='{function}' graph-file='{}'",
        graph.display()
    );
    tools::capture(
        Command::new(tools::beside("ballast-opt")?)
            .arg(path)
            .arg("--allow-unregistered-dialect")
            .arg(pass)
            .args(["-o", "/dev/null"]),
        "reading the program",
        READING_LIMIT,
    )?;
    graph_file::read(&graph)
}
