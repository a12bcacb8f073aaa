//! `ballast lab bench partition`: all methods over a folder of workloads, as one table.

use std::path::{Path, PathBuf};

use ballast_core::limits::{Limits, interrupted};
use ballast_core::report::Report;
use ballast_dag::outside;
use ballast_dag::problem::{PlanClass, Problem};
use ballast_dag::solve::{Error, Method, Options, Solved, solve};
use ballast_dag::workload;
use ballast_partition::genetic;
use ballast_partition::genetic::{WorkloadError, place_workload};
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
    /// The plan, or why there is none.
    outcome: Result<Solved, Error>,
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
    let mut without_plan = String::new();
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
                let run = measure(&problem, *class, method, limits);
                runs.push(run.map_err(|error| named(error, path, *class, method))?);
            }
            if let Some(reason) = runs.iter().find_map(|run| run.outcome.as_ref().err()) {
                let (class, method) = (class.name(), method.name());
                without_plan += &format!("- no plan by `{method}` ({class}) for {name}: {reason}\n");
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
    if !without_plan.is_empty() {
        without_plan.insert(0, '\n');
    }
    output::write_text(&format!("{}\n{table}\n{without_plan}", heading(args)), args.output.as_deref())
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

/// A run. That there is no plan is an answer too.
fn measure(problem: &Problem, class: PlanClass, who: &Who, limits: Limits) -> Result<Run, Failure> {
    let before = cpu_seconds();
    let found = match who {
        Who::Own(method) => {
            let options = Options {
                class,
                method: *method,
                limits,
                finish_early: false,
                placer: None,
                observe: &|_| (),
            };
            solve(problem, &options)
        }
        Who::Outside(program) => outside::plan(problem, class, program, &limits),
        Who::Genetic => match place_workload(problem, class, &genetic::Options::default(), &limits) {
            Ok(found) => Ok(found),
            Err(WorkloadError::NoPlan(error)) => Err(error),
            Err(WorkloadError::Options(reason)) => return Err(Failure::BadInput(reason)),
            Err(bug @ (WorkloadError::Refused(_) | WorkloadError::Bound(_))) => {
                return Err(Failure::Internal(bug.to_string()));
            }
        },
    };
    let outcome = match found {
        Err(bug @ Error::Bound(_)) => return Err(Failure::Internal(bug.to_string())),
        Err(error @ (Error::Learner(_) | Error::NoProgram(_) | Error::Mismatch { .. })) => {
            return Err(Failure::BadInput(error.to_string()));
        }
        found => found,
    };
    Ok(Run { outcome, cpu_seconds: cpu_seconds() - before })
}

/// The failure with the file and the method it is about.
fn named(failure: Failure, file: &Path, class: PlanClass, who: &Who) -> Failure {
    let text = |reason| format!("{}: method {} ({}): {reason}", file.display(), who.name(), class.name());
    match failure {
        Failure::Internal(reason) => Failure::Internal(text(reason)),
        Failure::BadInput(reason) => Failure::BadInput(text(reason)),
        other => other,
    }
}

fn heading(args: &Args) -> String {
    format!(
        "# Partition benchmark\n\nWritten by `ballast lab bench partition {} --time-limit {} --seeds {} --threads {} \
         -o FILE`.\nValue and bound are largest loads in the unit of the file; `value/known` divides by the best \
         known value of the class;\nseeded methods show mean ± standard deviation over the seeds and the best \
         run's bound. CPU seconds are user and system time\nof all threads, per run. That there is no plan may be proved, too.\n",
        args.folder.display(),
        args.time_limit,
        args.seeds,
        args.threads
    )
}

fn row(name: &str, class: PlanClass, method: &Who, runs: &[Run], known: Option<f64>) -> [String; 9] {
    let reports: Vec<&Report> =
        runs.iter().filter_map(|run| run.outcome.as_ref().ok()).map(|found| &found.report).collect();
    let values: Vec<f64> = reports.iter().map(|report| report.value).collect();
    let (value, spread) = mean_and_deviation(&values);
    let (cpu, _) = mean_and_deviation(&runs.iter().map(|run| run.cpu_seconds).collect::<Vec<_>>());
    let bound = reports.iter().map(|report| report.bound().value()).fold(0.0, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let is_proved = |run: &&Run| match &run.outcome {
        Ok(found) => found.report.proved(),
        Err(error) => matches!(error, Error::Infeasible { .. }),
    };
    let proved = runs.iter().filter(is_proved).count();
    let without = runs.len() - reports.len();
    let mut shown = if runs.len() > 1 { format!("{value:.6} ± {spread:.6}") } else { format!("{value:.6}") };
    if without > 0 {
        shown += &format!(", no plan in {without} of {}", runs.len());
    }
    let of_plans = |figure: f64| if reports.is_empty() { "-".to_owned() } else { format!("{figure:.6}") };
    [
        name.to_owned(),
        class.name().to_owned(),
        method.name(),
        if reports.is_empty() { "no plan".to_owned() } else { shown },
        known.map_or_else(|| "-".to_owned(), |known| of_plans(value / known)),
        of_plans(bound),
        of_plans(ballast_core::report::gap(least, bound)),
        format!("{proved}/{}", runs.len()),
        format!("{cpu:.2}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of so many bytes each, and one accelerator of three.
    const TWO: &str = r#"{"maxFPGAs": 1, "maxCPUs": 0, "maxSizePerFPGA": 3, "nodes": [
        {"id": 0, "fpgaLatency": 1, "size": SIZE}, {"id": 1, "fpgaLatency": 2, "size": SIZE}],
        "edges": [{"sourceId": 0, "destId": 1, "cost": 1}]}"#;

    #[test]
    fn a_method_without_a_plan_says_so_in_its_row_and_the_others_keep_theirs() {
        let shown = |size: &str, seeds: u64| {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("one.json");
            std::fs::write(&path, TWO.replace("SIZE", size)).expect("a file");
            let problem = workload::read(&path).expect("a workload");
            let (class, who) = (PlanClass::Contiguous, Who::Own(Method::Exact));
            let limits = Limits { time_limit_seconds: None, work_limit: Some(1000), seed: 0, threads: 1 };
            let runs: Vec<Run> =
                (0..seeds).map(|_| measure(&problem, class, &who, limits).expect("an answer")).collect();
            row("one", class, &who, &runs, Some(3.0))[3..8].join(" ")
        };
        assert_eq!(shown("1", 1), "3.000000 1.000000 3.000000 0.000000 1/1");
        assert_eq!(shown("2", 2), "no plan - - - 2/2");
    }
}
