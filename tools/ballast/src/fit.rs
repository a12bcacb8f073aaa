//! `ballast fit`: plans a program until XLA's own measure of its memory keeps the cap.
//!
//! What XLA takes for a program is known once it has compiled it: fusion, order and the gaps of its heap are its own. Plans are
//! made for a prediction. So the cap a plan is asked for is moved, by what the last one took, until the measured memory is
//! under the cap and close to it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ballast_core::cap::CapSpec;
use ballast_core::units::Bytes;
use serde::Serialize;

use crate::Failure;
use crate::output::{check, paths, read_bytes, read_text, write_file, write_json};
use crate::ranges::{count, seconds, share};
use crate::run::Measured;
use crate::run::plan::PlanFigures;
use crate::run::tools::{beside, capture};
use crate::run::xla::{self, Job};

/// What the cap is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CapCounts {
    /// Temporaries alone.
    Temp,
    /// Arguments and results too.
    All,
}

impl CapCounts {
    fn of(self, measured: &Measured) -> u64 {
        match self {
            CapCounts::Temp => measured.temporary_bytes.unwrap_or(measured.peak_bytes),
            CapCounts::All => measured.peak_bytes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            CapCounts::Temp => "temp",
            CapCounts::All => "all",
        }
    }
}

/// Arguments of `ballast fit`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// StableHLO program.
    program: PathBuf,
    /// Most memory XLA may take: bytes with a unit, or a percentage of what it takes for the program as it is.
    #[arg(long)]
    cap: String,
    /// Where the planned program goes.
    #[arg(short, long)]
    output: PathBuf,
    /// What of the memory counts.
    #[arg(long, value_enum, default_value = "temp")]
    cap_counts: CapCounts,
    /// Further options of `--remat`.
    #[arg(long, default_value = "swap=false time-limit=10")]
    remat: String,
    /// Most plans to measure; 1 to 1000.
    #[arg(long, value_parser = count::<u32, 1, 1000>, default_value_t = 6)]
    tries: u32,
    /// How far below the cap is near enough, as a share of the cap; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = 0.03)]
    within: f64,
    /// Seconds for all of it: no plan is begun after them. None: as long as the tries take; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seconds that planning or compiling one program may take, at most; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 600.0)]
    step_limit: f64,
    /// Function to plan; without it the only public function, or `main`.
    #[arg(long, default_value = "")]
    function: String,
    /// What XLA compiles for: cpu, gpu or tpu, as the jaxlib at hand knows them.
    #[arg(long, default_value = "cpu")]
    platform: String,
    /// Python with jaxlib.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
}

/// A plan and what XLA took for it.
#[derive(Clone, Debug, Serialize)]
struct Try {
    /// Cap the plan was asked for.
    asked_bytes: u64,
    /// Peak by the plan.
    predicted_bytes: u64,
    /// What XLA takes.
    measured_bytes: u64,
    /// Operations of the planned program, as XLA counts them.
    flops: Option<f64>,
    /// Does it keep the cap?
    fits: bool,
    /// Is it without recomputation and swaps?
    #[serde(skip)]
    free: bool,
}

/// What the command prints.
#[derive(Debug, Serialize)]
struct Answer {
    cap_bytes: u64,
    cap_counts: &'static str,
    /// What XLA takes for the program as it is.
    unplanned_bytes: u64,
    unplanned_flops: Option<f64>,
    tries: Vec<Try>,
    /// Which of the tries was written.
    chosen: usize,
    /// Why there was no further try.
    stopped: &'static str,
}

/// Runs the command.
///
/// # Errors
/// A missing tool, a program that cannot be planned or compiled, no plan that keeps the cap.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let bad = |text: String| Failure::BadInput(text);
    let cap: CapSpec = args.cap.parse().map_err(|error| bad(format!("--cap: {error}")))?;
    let limit = Duration::from_secs_f64(args.step_limit);
    let until = args.time_limit.map(Duration::from_secs_f64);
    let begin = Instant::now();
    let job = Job {
        function: &args.function,
        python: &args.python,
        platform: &args.platform,
        seed: 0,
        compile_only: true,
        positive: None,
        limit,
    };
    check(paths(std::slice::from_ref(&args.program)), [args.output.as_path()])?;
    // A file that cannot be read, or has another format, is said to be before anything is compiled.
    read_text(&args.program)?;
    let unplanned = xla::measure(&args.program, false, &job)?;
    let unplanned_bytes = args.cap_counts.of(&unplanned);
    let cap_bytes = match cap {
        CapSpec::DeviceMemory => return Err(bad("--cap: give bytes or a percentage".into())),
        // A cap is kept to the byte, so a share is rounded down.
        CapSpec::Share(share) => (unplanned_bytes as f64 * share).floor() as u64,
        CapSpec::Absolute(Bytes(bytes)) => bytes,
    };
    let folder = tempfile::tempdir().map_err(|error| bad(format!("no temporary folder: {error}")))?;
    let mut search = Search::new(cap_bytes, args.within);
    let mut chosen: Option<(usize, Vec<u8>)> = None;
    let stopped = loop {
        if search.tries.len() >= args.tries as usize {
            break "tries";
        }
        if !search.tries.is_empty() && until.is_some_and(|until| begin.elapsed() >= until) {
            break "time-limit";
        }
        let Some(asked_bytes) = search.next() else { break "finished" };
        let file = folder.path().join("planned.mlir");
        let tried = attempt(args, asked_bytes, cap_bytes, &file, &job)?;
        tracing::info!(asked_bytes, tried.measured_bytes, tried.fits, "planned");
        search.tries.push(tried);
        if search.best() == Some(search.tries.len() - 1) {
            chosen = Some((search.tries.len() - 1, read_bytes(&file)?));
        }
    };
    let Some((chosen, program)) = chosen else {
        let least = search.tries.iter().map(|tried| tried.measured_bytes).min().unwrap_or(unplanned_bytes);
        return Err(Failure::NoPlan(format!(
            "{}: no plan of {} keeps {} as {} measures it; the least it took is {}: raise the cap, or give more --tries \
             or a longer time-limit in --remat",
            args.program.display(),
            search.tries.len(),
            Bytes(cap_bytes),
            args.platform,
            Bytes(least)
        )));
    };
    write_file(&args.output, &program)?;
    let answer = Answer {
        cap_bytes,
        cap_counts: args.cap_counts.name(),
        unplanned_bytes,
        unplanned_flops: unplanned.flops,
        tries: search.tries,
        chosen,
        stopped,
    };
    write_json(&answer, None)
}

/// Plans for a cap, and lets XLA compile the outcome.
fn attempt(
    args: &Args,
    asked_bytes: u64,
    cap_bytes: u64,
    file: &Path,
    job: &Job<'_>,
) -> Result<Try, Failure> {
    let what = args.program.display().to_string();
    let mut plan = Command::new(beside("ballast-opt")?);
    // Where the prediction is far above the truth, a plan above the cap may still keep it.
    let relax = if args.remat.contains("relax-limit=") { "" } else { RELAX };
    plan.arg(&args.program).args(["--allow-unregistered-dialect", "-o"]).arg(file).arg(format!(
        "--remat=cap-counts={} fusion={} function='{}' {} {relax}cap={asked_bytes}",
        args.cap_counts.name(),
        if args.platform == "cpu" { "xla-cpu" } else { "xla" },
        args.function,
        args.remat,
    ));
    capture(&mut plan, &what, job.limit)?;
    let figures = PlanFigures::find(&read_text(file)?).and_then(|plan| plan.only_stage());
    let stage = figures.ok_or_else(|| {
        Failure::BadInput(format!("{what}: its plan has more than one stage: memory is fitted on one device"))
    })?;
    let measured = xla::measure(file, true, job)?;
    let measured_bytes = args.cap_counts.of(&measured);
    Ok(Try {
        asked_bytes,
        predicted_bytes: stage.peak_bytes,
        measured_bytes,
        flops: measured.flops,
        fits: measured_bytes <= cap_bytes,
        free: stage.seconds <= stage.unplanned_seconds,
    })
}

/// Most a cap that is asked for may be raised.
const RELAX: &str = "relax-limit=8 ";

/// Which cap to ask for next.
struct Search {
    cap_bytes: u64,
    within: f64,
    tries: Vec<Try>,
}

impl Search {
    fn new(cap_bytes: u64, within: f64) -> Self {
        Search { cap_bytes, within, tries: Vec::new() }
    }

    /// The try that keeps the cap with the fewest operations, then with the least memory, then the first.
    fn best(&self) -> Option<usize> {
        let key = |tried: &Try| (tried.flops.unwrap_or(0.0), tried.measured_bytes);
        let fitting = (0..self.tries.len()).filter(|&index| self.tries[index].fits);
        fitting.reduce(
            |best, index| {
                if key(&self.tries[index]) < key(&self.tries[best]) { index } else { best }
            },
        )
    }

    /// The cap to ask for, or none if another plan is not worth it.
    fn next(&self) -> Option<u64> {
        let Some(last) = self.tries.last() else { return Some(self.cap_bytes) };
        let slack = (self.cap_bytes as f64 * self.within) as u64;
        let low = self.tries.iter().filter(|tried| tried.fits).max_by_key(|tried| tried.asked_bytes);
        let high = self.tries.iter().filter(|tried| !tried.fits).min_by_key(|tried| tried.asked_bytes);
        // Enough of the memory is used, or there is nothing to gain from the rest.
        if low.is_some_and(|low| low.measured_bytes + slack >= self.cap_bytes || low.free) {
            return None;
        }
        // The plan took more than it was asked for, as no smaller one was found: asking for less is in vain.
        if low.is_none() && last.predicted_bytes > last.asked_bytes {
            return None;
        }
        let (least, most) =
            (low.map_or(0, |low| low.asked_bytes), high.map_or(u64::MAX, |high| high.asked_bytes));
        // What was measured is taken to follow what was asked for: in a straight line between two tries around the
        // cap, by the same factor beyond them; a little less, as a plan above the cap is of no use.
        let cap = self.cap_bytes as f64 - slack as f64 / 2.0;
        let guess = match (low, high) {
            (Some(low), Some(high)) if high.measured_bytes > low.measured_bytes => {
                let share = (cap - low.measured_bytes as f64)
                    / (high.measured_bytes as f64 - low.measured_bytes as f64);
                low.asked_bytes as f64 + share * (high.asked_bytes as f64 - low.asked_bytes as f64)
            }
            (Some(nearest), _) | (None, Some(nearest)) => {
                nearest.asked_bytes as f64 * cap / (nearest.measured_bytes.max(1)) as f64
            }
            (None, None) => return None,
        };
        let middle = least / 2 + most / 2;
        let next = guess as u64;
        let next = if next > least && next < most { next } else { middle };
        let width = most.saturating_sub(least);
        (width > slack.max(1) && next > least && next < most).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, Try};

    /// Tries against a back end that takes what `takes` says, until the search has enough.
    fn tried(cap: u64, takes: impl Fn(u64) -> u64, free_from: u64) -> Search {
        let mut search = Search::new(cap, 0.03);
        while let Some(asked_bytes) = search.next() {
            assert!(search.tries.len() < 20, "{:?}", search.tries);
            let measured_bytes = takes(asked_bytes);
            search.tries.push(Try {
                asked_bytes,
                predicted_bytes: asked_bytes,
                measured_bytes,
                // The more memory, the fewer.
                flops: Some(1e6 - asked_bytes.min(free_from) as f64),
                fits: measured_bytes <= cap,
                free: asked_bytes >= free_from,
            });
        }
        search
    }

    #[test]
    fn a_prediction_that_is_right_needs_one_plan() {
        let search = tried(1000, |asked| asked - 5, 10_000);
        assert_eq!((search.tries.len(), search.best()), (1, Some(0)));
    }

    #[test]
    fn memory_that_is_left_is_used_and_memory_that_is_not_there_is_given_back() {
        for factor in [0.3, 0.62, 0.9, 1.1, 1.7] {
            let search = tried(1000, |asked| (asked as f64 * factor) as u64 + 20, 10_000);
            let best = &search.tries[search.best().unwrap()];
            assert!((970..=1000).contains(&best.measured_bytes), "{factor}: {:?}", search.tries);
            assert!(search.tries.len() <= 5, "{factor}: {:?}", search.tries);
        }
    }

    #[test]
    fn steps_are_bracketed_until_the_bracket_is_narrow() {
        // Nothing between 700 and 1200 can be had.
        let search = tried(1000, |asked| if asked < 1234 { 700 } else { 1200 }, 10_000);
        let best = &search.tries[search.best().unwrap()];
        assert!((1200..1234).contains(&best.asked_bytes), "{:?}", search.tries);
    }

    #[test]
    fn a_plan_that_costs_nothing_is_enough_and_one_above_what_it_was_asked_for_is_the_last() {
        let search = tried(1000, |asked| asked / 2, 1500);
        assert!(search.tries.last().unwrap().free && search.tries.len() < 4);
        let mut search = Search::new(1000, 0.03);
        let raised = Try {
            asked_bytes: 1000,
            predicted_bytes: 1500,
            measured_bytes: 1400,
            flops: None,
            fits: false,
            free: false,
        };
        search.tries.push(raised.clone());
        assert_eq!((search.next(), search.best()), (None, None));
        search.tries[0] = Try { measured_bytes: 900, fits: true, ..raised };
        assert_eq!((search.next(), search.best()), (Some(1094), Some(0)));
    }
}
