//! `ballast batches`: the largest batch of a training step that fits a device, by every way to plan its memory.

use std::fmt::Write as _;
use std::path::PathBuf;

use ballast_core::batch::with_batch;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::limits::{Limits, StopReason, interrupted};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, FalseBound, Report, SearchStats};
use ballast_planner::Error as NoPlan;
use ballast_remat::Solver;
use ballast_remat::swaps::{BatchError, largest_batch};
use serde::Serialize;

use crate::compare::import;
use crate::failure::Failure;
use crate::output;
use crate::output::paths;
use crate::ranges::{count, half, seconds};

/// Arguments of `ballast batches`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Training steps (.mlir, or .json graphs), exported at one batch size that divides no other dimension, such as 13.
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// The batch size of the programs; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>)]
    batch: u64,
    /// Device files or ready-made kinds; of each its first device.
    #[arg(long, value_delimiter = ',', required = true)]
    devices: Vec<String>,
    /// Seconds of wall clock for each plan tried; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 5.0)]
    time_limit: f64,
    /// Largest batch tried; 1 to 1073741824.
    #[arg(long, value_parser = count::<u64, 1, 1_073_741_824>, default_value_t = 1 << 20)]
    most: u64,
    /// The answer is the largest batch to this share of itself; 0 to 0.5.
    #[arg(long, value_parser = half, default_value_t = 0.01)]
    precision: f64,
    /// Copies run beside computation.
    #[arg(long)]
    overlap: bool,
    /// Seed of every search.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the answers as JSON to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the table (Markdown) to this file instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Who plans, with the name of its column; the last is Ballast's own.
const PLANNERS: [(&str, Solver); 5] = [
    ("no swapping", Solver::KEEP_ALL),
    ("vDNN-like", Solver::VDNN),
    ("Capuchin-like", Solver::CAPUCHIN),
    ("Q-learning", Solver::Q_LEARNING),
    ("Ballast", Solver::AUTO),
];

/// The largest batch of one planner.
#[derive(Debug, Serialize)]
struct Answer {
    planner: &'static str,
    /// None: not even one sample fits.
    batch: Option<u64>,
    /// Is it the largest that was tried, so that a larger one may fit too?
    is_most_tried: bool,
    seconds_per_sample: Option<f64>,
    /// What Ballast's own plan takes at this batch.
    own_seconds_per_sample: Option<f64>,
}

/// One program on one device.
#[derive(Debug, Serialize)]
struct Line {
    program: String,
    device: String,
    memory_bytes: u64,
    answers: Vec<Answer>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(
        paths(&args.programs).chain(paths(&args.devices)),
        paths(&args.json).chain(paths(&args.output)),
    )?;
    let devices = args.devices.iter().map(|text| one_device(text)).collect::<Result<Vec<_>, _>>()?;
    let bar = indicatif::ProgressBar::new((args.programs.len() * devices.len() * PLANNERS.len()) as u64);
    bar.set_style(
        indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")
            .map_err(|error| Failure::Internal(error.to_string()))?,
    );
    let mut lines = Vec::new();
    for path in &args.programs {
        let graph = import(path, "", "1")?;
        let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {error}", path.display()));
        // A program of another batch size is refused before anything is planned.
        with_batch(&graph, args.batch, args.batch).map_err(|error| bad(&error))?;
        let program = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        for cluster in &devices {
            let step = Step { graph: &graph, cluster, args };
            let mut answers = Vec::new();
            for (planner, solver) in PLANNERS {
                bar.set_message(format!("{program}, {planner}"));
                answers.push(step.answer(planner, solver)?);
                bar.inc(1);
            }
            let device = &cluster.devices[0];
            lines.push(Line {
                program: program.clone(),
                device: device.kind.clone(),
                memory_bytes: device.memory.0,
                answers,
            });
        }
    }
    bar.finish_and_clear();
    if let Some(path) = &args.json {
        output::write_json(&lines, Some(path))?;
    }
    let text = markdown(&lines, args);
    output::write_text(&text, args.output.as_deref())
}

fn one_device(text: &str) -> Result<Cluster, Failure> {
    let mut cluster = Cluster::parse(text).map_err(|error| Failure::BadInput(error.to_string()))?;
    cluster.devices.truncate(1);
    cluster.links.clear();
    Ok(cluster)
}

/// A step on a device.
struct Step<'a> {
    graph: &'a Graph,
    cluster: &'a Cluster,
    args: &'a Args,
}

impl Step<'_> {
    fn answer(&self, planner: &'static str, solver: Solver) -> Result<Answer, Failure> {
        let mut best: Option<(u64, f64)> = None;
        let found = largest_batch(self.args.most, self.args.precision, |batch| {
            let seconds = self.seconds(batch, solver)?;
            if let Some(seconds) = seconds
                && best.is_none_or(|(known, _)| batch > known)
            {
                best = Some((batch, seconds));
            }
            Ok(seconds.is_some())
        });
        match found {
            Ok(_) => {}
            Err(BatchError::NothingFits) => {
                return Ok(Answer {
                    planner,
                    batch: None,
                    is_most_tried: false,
                    seconds_per_sample: None,
                    own_seconds_per_sample: None,
                });
            }
            Err(BatchError::Failed(Stopped(failure))) => return Err(failure),
        }
        let (batch, seconds) =
            best.ok_or_else(|| Failure::Internal("a batch fits and has no time".into()))?;
        let own = match PLANNERS.last() {
            Some(&(_, own)) if own != solver => self.seconds(batch, own).map_err(|stopped| stopped.0)?,
            _ => Some(seconds),
        };
        let each = |seconds: f64| seconds / batch as f64;
        Ok(Answer {
            planner,
            batch: Some(batch),
            is_most_tried: batch >= self.args.most,
            seconds_per_sample: Some(each(seconds)),
            own_seconds_per_sample: own.map(each),
        })
    }

    /// Seconds of a step on so many samples; none if no plan was found under the device's memory.
    fn seconds(&self, batch: u64, solver: Solver) -> Result<Option<f64>, Stopped> {
        if interrupted() {
            return Err(Stopped(Failure::NoPlan("interrupted; no table was written".into())));
        }
        let graph = with_batch(self.graph, self.args.batch, batch)
            .map_err(|error| Stopped(Failure::BadInput(error.to_string())))?;
        let costs = Costs::estimate(&graph, self.cluster, None).costs;
        let options = ballast_planner::Options {
            solver,
            overlap: self.args.overlap,
            limits: Limits {
                time_limit_seconds: Some(self.args.time_limit),
                work_limit: None,
                seed: self.args.seed,
                threads: 1,
            },
            relax_limit: 0.0,
            ..ballast_planner::Options::default()
        };
        let search = SearchStats {
            method: "one-device".into(),
            stop_reason: StopReason::Finished,
            seconds: 0.0,
            work: 0,
            seed: self.args.seed,
        };
        let internal = |error: FalseBound| Stopped(Failure::Internal(error.to_string()));
        let partition =
            Report::new(0.0, Bound::proved(0.0, BoundClass::AnyAssignment), search).map_err(internal)?;
        let all = vec![DeviceId(0); graph.ops.len()];
        match ballast_planner::plan(
            &Program { graph: &graph, costs: &costs, cluster: self.cluster },
            all,
            partition,
            &options,
            None,
        ) {
            Ok(planned) => Ok(Some(planned.plan.balance.tmax_seconds)),
            Err(NoPlan::Infeasible { .. }) => Ok(None),
            // It has no other plan to offer.
            Err(NoPlan::Stage { .. }) if solver == Solver::KEEP_ALL => Ok(None),
            Err(failure) => Err(Stopped(Failure::Internal(failure.to_string()))),
        }
    }
}

/// A search that ended with a failure of its own.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct Stopped(Failure);

/// The command that makes the table again, with all that it depends on, as a shell reads it.
fn command(args: &Args) -> String {
    let programs: Vec<String> =
        args.programs.iter().map(|path| output::quoted(&path.display().to_string())).collect();
    format!(
        "ballast batches {} --batch {} --devices {} --time-limit {} --most {} --precision {}{} --seed {}",
        programs.join(" "),
        args.batch,
        output::quoted(&args.devices.join(",")),
        args.time_limit,
        args.most,
        args.precision,
        if args.overlap { " --overlap" } else { "" },
        args.seed,
    )
}

fn markdown(lines: &[Line], args: &Args) -> String {
    let mut text = format!(
        "# Largest batches\n\n`{}`\n\nLargest batch, ms a sample at it, and in brackets ms a sample of Ballast's own plan at that batch.{}\n\n\
         | program | device | memory GB |",
        command(args),
        if lines.iter().flat_map(|line| &line.answers).any(|answer| answer.is_most_tried) {
            " Where it says ≥, no larger one was tried."
        } else {
            ""
        },
    );
    for (planner, _) in PLANNERS {
        let _ = write!(text, " {planner} |");
    }
    text.push('\n');
    text.push_str(&"|---".repeat(3 + PLANNERS.len()));
    text.push_str("|\n");
    for line in lines {
        let _ =
            write!(text, "| {} | {} | {:.1} |", line.program, line.device, line.memory_bytes as f64 / 1e9);
        for answer in &line.answers {
            let Some(batch) = answer.batch else {
                text.push_str(" none |");
                continue;
            };
            let milliseconds = |seconds: Option<f64>| {
                seconds.map_or("no plan".into(), |seconds| format!("{:.4}", seconds * 1e3))
            };
            let least = if answer.is_most_tried { "≥ " } else { "" };
            let _ = write!(text, " {least}{batch}, {}", milliseconds(answer.seconds_per_sample));
            match answer.planner {
                "Ballast" => text.push_str(" |"),
                _ => {
                    let _ = write!(text, " ({}) |", milliseconds(answer.own_seconds_per_sample));
                }
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::{Answer, Args, Line, PathBuf, command, markdown};

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn given(words: &str) -> Args {
        Cli::parse_from(words.split_whitespace()).args
    }

    #[test]
    fn the_command_printed_is_the_one_that_was_given() {
        let args = given(
            "batches models/a.json b.mlir --batch 13 --devices cpu,d.toml --most 64 --seed 7 --time-limit 2 --overlap",
        );
        assert_eq!(
            command(&args),
            "ballast batches models/a.json b.mlir --batch 13 --devices cpu,d.toml --time-limit 2 --most 64 --precision 0.01 --overlap --seed 7"
        );
        let args = Args { programs: vec![PathBuf::from("my model's.mlir")], ..args };
        assert!(
            command(&args).starts_with(r"ballast batches 'my model'\''s.mlir' --batch"),
            "{}",
            command(&args)
        );
    }

    #[test]
    fn a_batch_at_which_the_search_ended_is_not_called_the_largest() {
        let args = given("batches a.mlir --batch 13 --devices cpu --most 64");
        let answer = |batch, is_most_tried| Answer {
            planner: "Ballast",
            batch: Some(batch),
            is_most_tried,
            seconds_per_sample: Some(0.001),
            own_seconds_per_sample: Some(0.001),
        };
        let text = |answer| {
            let (program, device) = ("a".to_owned(), "cpu".to_owned());
            markdown(&[Line { program, device, memory_bytes: 1 << 30, answers: vec![answer] }], &args)
        };
        let ended = text(answer(64, true));
        assert!(ended.contains("| ≥ 64, 1.0000 |") && ended.contains("no larger one was tried"), "{ended}");
        let found = text(answer(63, false));
        assert!(found.contains("| 63, 1.0000 |") && !found.contains('≥'), "{found}");
    }
}
