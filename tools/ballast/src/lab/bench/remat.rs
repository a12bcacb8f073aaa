//! `ballast lab bench remat`: all methods over a folder of memory-planning instances, as one table.

use std::path::{Path, PathBuf};

use ballast_core::limits::interrupted;
use ballast_core::memory::Problem;
use ballast_core::report::Prover;
use ballast_remat::{Error as NoPlan, Options, Order, Outcome, Solver, plan};

use crate::failure::Failure;
use crate::output::paths;
use crate::ranges::seconds;
use crate::search_args::SearchArgs;
use crate::statistics::cpu_seconds;
use crate::{instance, output, tables};

/// Arguments of `ballast lab bench remat`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of instances; the budgets are those each names, or 90 to 40 % of its unplanned peak.
    folder: PathBuf,
    /// Where to write the table (Markdown); without it, stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Order of first runs: program, or free.
    #[arg(long, default_value = "program")]
    order: Order,
    /// Seconds of wall clock per run; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 60.0)]
    time_limit: f64,
    #[command(flatten)]
    search: SearchArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let files = instances(&args.folder)?;
    output::check(paths(&files), paths(&args.output))?;
    let bar = indicatif::ProgressBar::new(files.len() as u64);
    let heading = format!(
        "Overheads in % of the time without recomputation; {} s and {} threads a run, seed {}, order {}. Bounds hold \
         for plans of the class named.\n",
        args.time_limit,
        args.search.threads,
        args.search.seed,
        match args.order {
            Order::Program => "program",
            Order::Free => "free",
        },
    );
    let mut table = tables::markdown(&HEADS);
    for path in files {
        let (problem, mut budgets) = instance::read_with_budgets(&path, None)?;
        if budgets.is_empty() {
            let peak = problem.unplanned_peak() as f64;
            budgets = (4..10)
                .rev()
                .map(|tenth| (format!("0.{tenth}"), (peak * f64::from(tenth) / 10.0) as u64))
                .collect();
        }
        for (share, bytes) in budgets {
            if interrupted() {
                return Err(Failure::NoPlan("interrupted; no table was written".into()));
            }
            bar.set_message(format!("{} {share}", problem.name));
            table.add_row(row(args, &problem, &share, bytes)?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    output::write_text(&format!("{heading}\n{table}\n"), args.output.as_deref())
}

const HEADS: [&str; 19] = [
    "instance",
    "nodes",
    "budget",
    "bytes",
    "overhead %",
    "bound %",
    "gap",
    "proved",
    "class",
    "method",
    "proved by",
    "recomputes",
    "CPU s",
    "s to 1 %",
    "s to best",
    "greedy %",
    "sqrt-n %",
    "gaps %",
    "chain %",
];

fn instances(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| Failure::BadInput(format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Failure::BadInput(format!("{} holds no .json instances", folder.display())));
    }
    files.sort();
    Ok(files)
}

fn row(args: &Args, problem: &Problem, share: &str, bytes: u64) -> Result<Vec<String>, Failure> {
    let solve = |solver: Solver| -> Result<Option<Outcome>, Failure> {
        let options = Options {
            cap_bytes: bytes,
            order: args.order,
            rounds: true,
            limits: args.search.limits(args.time_limit),
            solver,
            ..Options::default()
        };
        match plan(problem, &options) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(NoPlan::Infeasible { .. } | NoPlan::NotApplicable { .. }) => Ok(None),
            Err(other) => Err(Failure::BadInput(format!("{}: {other}", problem.name))),
        }
    };
    let total = problem.total_time();
    let percent = |time: f64| if total > 0.0 { 100.0 * (time / total - 1.0) } else { 0.0 };
    let shown = |outcome: Option<Outcome>| {
        outcome.map_or_else(|| "-".to_owned(), |outcome| format!("{:.3}", percent(outcome.report.value)))
    };
    let before = cpu_seconds();
    let best = solve(Solver::AUTO)?;
    let cpu = cpu_seconds() - before;
    let mut row =
        vec![problem.name.clone(), problem.nodes.len().to_string(), share.to_owned(), bytes.to_string()];
    match best {
        Some(outcome) => {
            let report = &outcome.report;
            // A hundredth of the overhead, not of the whole time.
            let near = report.value + 0.01 * (report.value - total);
            let reached = outcome.progress.iter().find(|&&(_, time)| time <= near);
            row.extend([
                format!("{:.4}", percent(report.value)),
                format!("{:.4}", percent(report.bound().value())),
                format!("{:.4}", percent(report.value) - percent(report.bound().value())),
                if report.proved() { "yes" } else { "no" }.to_owned(),
                report.bound().class().to_string(),
                report.method.clone(),
                report.bound().prover().map_or("-", Prover::name).to_owned(),
                outcome.replay.recomputes.to_string(),
                format!("{cpu:.2}"),
                reached.map_or_else(|| "-".to_owned(), |(seconds, _)| format!("{seconds:.2}")),
                format!("{:.2}", outcome.progress.last().map_or(0.0, |&(seconds, _)| seconds)),
            ]);
        }
        None => {
            row.extend(vec!["-".to_owned(); 8]);
            row.extend([format!("{cpu:.2}"), "-".to_owned(), "-".to_owned()]);
        }
    }
    for solver in [Solver::GREEDY, Solver::SQRT_N, Solver::GAPS, Solver::CHAIN] {
        row.push(shown(solve(solver)?));
    }
    Ok(row)
}
