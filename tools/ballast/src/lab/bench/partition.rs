//! `ballast lab bench partition`: all methods over a folder of workloads, as one table.

use std::path::{Path, PathBuf};

use ballast_core::limits::{Limits, interrupted};
use ballast_dag::outside;
use ballast_dag::problem::{PlanClass, Problem};
use ballast_dag::solve::{Method, Options, Solved, solve};
use ballast_dag::workload;
use ballast_partition::genetic;
use ballast_partition::genetic::place_workload;
use indexmap::IndexMap;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output;
use crate::output::paths;
use crate::partition::Who;
use crate::ranges::{count, seconds, threads};
use crate::statistics::{cpu_seconds, mean_and_deviation};
use crate::tables;

/// Arguments of `ballast lab bench partition`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of workload files, searched with its subfolders.
    folder: PathBuf,
    /// Where to write the table (Markdown); without it, stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// JSON of known values, `{"file": {"contiguous": x, "free": y}}`; default: reference.json in the folder.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// Only this method, or exec:PROGRAM for a partitioner of your own (docs/other-planners.md); default: all of Ballast's.
    #[arg(long)]
    method: Option<Who>,
    /// Seconds of wall clock per run; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 60.0)]
    time_limit: f64,
    /// Runs of a method that depends on the seed; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 5)]
    seeds: u64,
    /// Threads of every run; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads, default_value_t = 2)]
    threads: usize,
}

/// Known values of one file.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    contiguous: Option<f64>,
    free: Option<f64>,
}

/// The methods compared, and whether their result depends on the seed.
const METHODS: [(PlanClass, Who, bool); 8] = [
    (PlanClass::Contiguous, Who::Own(Method::Order), false),
    (PlanClass::Contiguous, Who::Own(Method::Exact), false),
    (PlanClass::Contiguous, Who::Own(Method::Rl), true),
    (PlanClass::Contiguous, Who::Genetic, true),
    (PlanClass::Free, Who::Own(Method::Anneal), true),
    (PlanClass::Free, Who::Own(Method::Rl), true),
    (PlanClass::Free, Who::Genetic, true),
    (PlanClass::Free, Who::Own(Method::Auto), true),
];

/// The methods asked for.
fn contenders(only: Option<&Who>) -> Vec<(PlanClass, Who, bool)> {
    if let Some(program @ Who::Outside(_)) = only {
        return [PlanClass::Contiguous, PlanClass::Free].map(|class| (class, program.clone(), true)).into();
    }
    METHODS.into_iter().filter(|(_, method, _)| only.is_none_or(|only| only == method)).collect()
}

struct Run {
    outcome: Solved,
    cpu_seconds: f64,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let files = workload_files(&args.folder)?;
    let inputs = files.iter().map(|(_, path)| path.as_path()).chain(paths(&args.reference));
    output::check(inputs, paths(&args.output))?;
    let reference = read_reference(args)?;
    let contenders = contenders(args.method.as_ref());
    let bar = indicatif::ProgressBar::new((files.len() * contenders.len()) as u64);
    bar.set_style(
        indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")
            .map_err(|error| Failure::Internal(error.to_string()))?,
    );
    let heads = ["file", "class", "method", "value", "value/known", "bound", "gap", "proved", "CPU s"];
    let mut table = tables::markdown(&heads);
    for (name, path) in &files {
        let problem = workload::read(path).map_err(|error| Failure::BadInput(error.to_string()))?;
        let known = reference.get(name).copied().unwrap_or_default();
        for (class, method, seeded) in &contenders {
            bar.set_message(format!("{name}, {}", method.name()));
            let seeds = if *seeded { args.seeds } else { 1 };
            let mut runs = Vec::new();
            for seed in 0..seeds {
                if interrupted() {
                    return Err(Failure::NoPlan("interrupted; no table was written".into()));
                }
                let limits = Limits {
                    time_limit_seconds: Some(args.time_limit),
                    work_limit: None,
                    seed,
                    threads: args.threads,
                };
                runs.push(measure(&problem, *class, method, limits)?);
            }
            let known = match class {
                PlanClass::Contiguous => known.contiguous,
                PlanClass::Free => known.free,
            };
            table.add_row(row(name, *class, method, &runs, known));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    output::write_text(&format!("{}\n{table}\n", heading(args)), args.output.as_deref())
}

/// All workload files below a folder by their path in it, in order.
fn workload_files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let failed =
        |path: &Path, error: std::io::Error| Failure::BadInput(format!("{}: {error}", path.display()));
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in std::fs::read_dir(&current).map_err(|error| failed(&current, error))? {
            let path = entry.map_err(|error| failed(&current, error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json")
                && path.file_name().is_some_and(|name| name != "reference.json")
            {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                files.push((name, path));
            }
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Failure::BadInput(format!("{}: no workload files (*.json)", folder.display())));
    }
    Ok(files)
}

fn read_reference(args: &Args) -> Result<IndexMap<String, Known>, Failure> {
    let path = match &args.reference {
        Some(path) => path.clone(),
        None => {
            let beside = args.folder.join("reference.json");
            if !beside.exists() {
                return Ok(IndexMap::new());
            }
            beside
        }
    };
    serde_json::from_str(&output::read_text(&path)?)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

fn measure(problem: &Problem, class: PlanClass, who: &Who, limits: Limits) -> Result<Run, Failure> {
    let before = cpu_seconds();
    let failed = |error: &dyn std::fmt::Display| Failure::NoPlan(error.to_string());
    let outcome = match who {
        Who::Own(method) => {
            let options = Options {
                class,
                method: *method,
                limits,
                finish_early: false,
                placer: None,
                observe: &|_| (),
            };
            solve(problem, &options).map_err(|error| failed(&error))?
        }
        Who::Outside(program) => {
            outside::plan(problem, class, program, &limits).map_err(|error| failed(&error))?
        }
        Who::Genetic => place_workload(problem, class, &genetic::Options::default(), &limits)
            .map_err(|error| failed(&error))?,
    };
    Ok(Run { outcome, cpu_seconds: cpu_seconds() - before })
}

fn heading(args: &Args) -> String {
    format!(
        "# Partition benchmark\n\nWritten by `ballast lab bench partition {} --time-limit {} --seeds {} --threads {} \
         -o FILE`.\nValue and bound are largest loads in the unit of the file; `value/known` divides by the best \
         known value of the class;\nseeded methods show mean ± standard deviation over the seeds and the best \
         run's bound. CPU seconds are user and system time\nof all threads, per run.\n",
        args.folder.display(),
        args.time_limit,
        args.seeds,
        args.threads
    )
}

fn row(name: &str, class: PlanClass, method: &Who, runs: &[Run], known: Option<f64>) -> [String; 9] {
    let values: Vec<f64> = runs.iter().map(|run| run.outcome.report.value).collect();
    let (value, spread) = mean_and_deviation(&values);
    let (cpu, _) = mean_and_deviation(&runs.iter().map(|run| run.cpu_seconds).collect::<Vec<_>>());
    let bound = runs.iter().map(|run| run.outcome.report.bound().value()).fold(0.0, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let proved = runs.iter().filter(|run| run.outcome.report.proved()).count();
    let shown = if runs.len() > 1 { format!("{value:.6} ± {spread:.6}") } else { format!("{value:.6}") };
    let ratio = known.map_or("-".to_owned(), |known| format!("{:.6}", value / known));
    let gap = ballast_core::report::gap(least, bound);
    [
        name.to_owned(),
        class.name().to_owned(),
        method.name().to_string(),
        shown,
        ratio,
        format!("{bound:.6}"),
        format!("{gap:.6}"),
        format!("{proved}/{}", runs.len()),
        format!("{cpu:.2}"),
    ]
}
