//! `ballast run`: a program and its rewritten form on the same random arguments; results, memory and time compared.

pub(crate) mod compare;
pub(crate) mod generic;
pub(crate) mod held;
pub(crate) mod mpi;
pub(crate) mod native;
pub(crate) mod plan;
pub(crate) mod tools;
pub(crate) mod xla;

use std::path::PathBuf;
use std::time::Duration;

use ballast_core::units::Bytes;
use comfy_table::Table;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use serde::Serialize;

use crate::failure::Failure;
use crate::fitted;
use crate::output::{check, paths, print, read_text, write_json};
use crate::ranges::{count, factor, seconds};
use compare::Tolerance;
use plan::{PlanFigures, StageFigures};

/// Who runs the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Backend {
    /// XLA, through jaxlib: StableHLO programs.
    Xla,
    /// MLIR's own CPU route, heap counted: linalg programs.
    Native,
    /// The same route, one MPI process per device of the plan.
    Mpi,
}

/// Arguments of `ballast run`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program as it was.
    original: PathBuf,
    /// The planned program, annotated or already rewritten.
    rewritten: PathBuf,
    /// Who runs them.
    #[arg(long, value_enum)]
    backend: Backend,
    /// Function to run; without it the only public function, or `main`. XLA runs `main` alone.
    #[arg(long, default_value = "")]
    function: String,
    /// Seed of the arguments.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Largest difference of results to accept, relative to the largest value of the result; without it by element type: 1e-12 for
    /// f64, 1e-5 for f32, 2^-9 for f16, 2^-6 for bf16, the largest of those that the program computes in, and none for whole numbers; 0 to 1000.
    #[arg(long, value_parser = factor)]
    tolerance: Option<f64>,
    /// How often each program runs; the shortest run counts (native and mpi; xla takes three); 1 to 1000000.
    #[arg(long, value_parser = count::<u32, 1, 1_000_000>, default_value_t = 1)]
    runs: u32,
    /// Seconds that compiling or running one program may take, at most; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 600.0)]
    time_limit: f64,
    /// Compile and measure memory, but do not run (xla only).
    #[arg(long)]
    compile_only: bool,
    /// Where XLA runs the programs: cpu, gpu or tpu, as the jaxlib at hand knows them.
    #[arg(long, default_value = "cpu")]
    platform: String,
    /// Compile for the GPU that this file describes as XLA does (`*.gpu_target_config.pbtxt` of a dump, or tools/xla/h100.txtpb): it need not be at hand, a jaxlib for its platform must.
    #[arg(long, requires = "compile_only")]
    target: Option<PathBuf>,
    /// Python with jaxlib (xla only).
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Write the comparison as JSON to this file, `-` for stdout, instead of a table.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// How programs are run.
#[derive(Clone, Debug)]
pub(crate) struct Job<'a> {
    /// Function to run; empty: the only public function, or `main`.
    pub(crate) function: &'a str,
    /// Seed of the arguments.
    pub(crate) seed: u64,
    /// How often.
    pub(crate) runs: u32,
    /// How long compiling or running may take.
    pub(crate) limit: Duration,
}

impl Job<'_> {
    /// As options of the pipelines of MLIR's own route.
    fn options(&self) -> String {
        format!("entry=true seed={} runs={} function='{}'", self.seed, self.runs, self.function)
    }
}

/// What one run of one program took.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Measured {
    /// Seconds of one run; none: not run.
    pub(crate) seconds: Option<f64>,
    /// Largest memory: heap of the native route; arguments, results and temporaries as XLA lays them out.
    pub(crate) peak_bytes: u64,
    /// What the allocator of an accelerator counted over the runs (xla only).
    device_peak_bytes: Option<u64>,
    /// Of the peak, temporaries (xla only).
    pub(crate) temporary_bytes: Option<u64>,
    /// Largest host heap (native only).
    host_peak_bytes: Option<u64>,
    /// Bytes never freed (native only).
    leaked_bytes: Option<u64>,
    /// Operations as the back end counts them (xla only).
    pub(crate) flops: Option<f64>,
    /// What every rank did (mpi only).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranks: Vec<mpi::Rank>,
    /// Arguments that were drawn above zero, by number: the program takes roots or logarithms of them (xla only).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    positive_arguments: Vec<usize>,
    /// What was held while each instruction ran, where that was asked for (xla only).
    #[serde(skip)]
    pub(crate) held: Option<held::Held>,
    /// The results.
    #[serde(skip)]
    results: Vec<compare::Values>,
}

impl Measured {
    /// Did it stay under a cap of a stage, which may be one of temporaries alone?
    fn keeps(&self, stage: &StageFigures, cap_bytes: u64) -> Option<bool> {
        let taken = if stage.temporaries_only { self.temporary_bytes } else { Some(self.peak_bytes) };
        taken.map(|bytes| bytes <= cap_bytes)
    }

    /// The results alone.
    pub(crate) fn into_results(self) -> Vec<compare::Values> {
        self.results
    }
}

/// Both programs, side by side.
#[derive(Debug, Serialize)]
struct Comparison {
    backend: String,
    seed: u64,
    original: Measured,
    rewritten: Measured,
    /// None: not run.
    difference: Option<compare::Difference>,
    /// What the plan says, if the rewritten program carries one with a single stage.
    plan: Option<StageFigures>,
    /// The cap that `ballast fit` made it for: the plan's own is what made XLA keep this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted_cap_bytes: Option<u64>,
    /// Did the rewritten program stay under the cap it was fitted to, or else that of its stage, which may be above the one asked for? None: there is none, or
    /// what its cap counts was not measured.
    within_caps: Option<bool>,
    /// The same of the cap asked for.
    within_requested_caps: Option<bool>,
    /// Every stage of the plan beside its rank (mpi only).
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Stages>,
}

/// Stages as measured and as predicted.
#[derive(Debug, Serialize)]
struct Stages {
    /// Slowest over fastest stage, as measured; none where one took no time.
    ratio: Option<f64>,
    /// What the plan says.
    plan: PlanFigures,
    /// Did every rank stay under the cap of its stage, which may be above the one asked for?
    within_caps: bool,
    /// The same of the caps asked for.
    within_requested_caps: bool,
}

impl Stages {
    fn compare(ranks: &[mpi::Rank], plan: &PlanFigures) -> Self {
        let times = || ranks.iter().map(|rank| rank.stage_seconds).filter(|&seconds| seconds > 0.0);
        let of = |stage: &StageFigures| ranks.iter().find(|rank| rank.rank == stage.device.0);
        let within = |cap: fn(&StageFigures) -> u64| {
            plan.stages.iter().all(|stage| of(stage).is_some_and(|rank| rank.peak_bytes <= cap(stage)))
        };
        Stages {
            ratio: times().reduce(f64::max).zip(times().reduce(f64::min)).map(|(slow, fast)| slow / fast),
            within_caps: within(|stage| stage.cap_bytes),
            within_requested_caps: within(|stage| stage.requested_cap_bytes),
            plan: plan.clone(),
        }
    }
}

impl Args {
    /// Refuses what the back end cannot do.
    fn check(&self) -> Result<(), String> {
        if self.compile_only && self.backend != Backend::Xla {
            return Err("--compile-only is for the xla back end: the others count while they run".to_owned());
        }
        if self.backend == Backend::Xla && !["", "main"].contains(&self.function.as_str()) {
            return Err(format!(
                "--function {}: XLA runs the function 'main' of a program: give that name to what is to be run",
                self.function
            ));
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// A missing tool, a program that does not compile or run, results that differ by more than the tolerance.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.check().map_err(Failure::BadInput)?;
    check([args.original.as_path(), args.rewritten.as_path()], paths(&args.json))?;
    args.target.as_deref().map(read_text).transpose()?;
    let limit = Duration::from_secs_f64(args.time_limit);
    let job = Job { function: &args.function, seed: args.seed, runs: args.runs, limit };
    let xla = xla::Job {
        function: &args.function,
        python: &args.python,
        platform: &args.platform,
        target: args.target.as_deref(),
        seed: args.seed,
        compile_only: args.compile_only,
        stored: false,
        positive: None,
        named: None,
        limit,
    };
    let text = read_text(&args.rewritten)?;
    let plan = PlanFigures::find(&text, &args.function);
    let (original, rewritten) = match args.backend {
        Backend::Native => {
            (native::measure(&args.original, false, &job)?, native::measure(&args.rewritten, true, &job)?)
        }
        Backend::Mpi => (
            native::measure(&args.original, false, &job)?,
            mpi::measure(&args.rewritten, plan.as_ref(), &job)?,
        ),
        Backend::Xla => {
            let original = xla::measure(&args.original, false, &xla)?;
            // Which arguments must not be negative is read from the original: both programs get the same.
            let positive = original.positive_arguments.as_slice();
            // Without a plan it is compared as it is, as what `ballast fit` makes of pairs of loops is. One of another function, as of the body of a loop, is
            // carried out too.
            let planned = plan.is_some() || plan::is_in(&text);
            let function = if plan.is_some() { xla.function } else { "" };
            let job = xla::Job { function, positive: Some(positive), ..xla };
            let rewritten = xla::measure(&args.rewritten, planned, &job)?;
            (original, rewritten)
        }
    };
    let difference = if args.compile_only {
        None
    } else {
        let tolerance = args.tolerance.map_or_else(|| Tolerance::of_program(&text), Tolerance::All);
        let compared = compare::compare(&original.results, &rewritten.results, tolerance);
        Some(compared.map_err(Failure::BadInput)?)
    };
    let only = plan.as_ref().and_then(PlanFigures::only_stage);
    let fitted = only.and_then(|_| fitted::cap_bytes(&text));
    let keeps = |cap: fn(&StageFigures) -> u64| {
        only.and_then(|stage| rewritten.keeps(&stage, fitted.unwrap_or_else(|| cap(&stage))))
    };
    let comparison = Comparison {
        backend: format!("{:?}", args.backend).to_lowercase(),
        seed: args.seed,
        stages: plan
            .as_ref()
            .filter(|_| args.backend == Backend::Mpi)
            .map(|plan| Stages::compare(&rewritten.ranks, plan)),
        fitted_cap_bytes: fitted,
        within_caps: keeps(|stage| stage.cap_bytes),
        within_requested_caps: keeps(|stage| stage.requested_cap_bytes),
        original,
        rewritten,
        difference,
        plan: only,
    };
    match &args.json {
        Some(path) if path.as_os_str() == "-" => write_json(&comparison, None)?,
        Some(path) => write_json(&comparison, Some(path))?,
        None => print(&shown(&comparison))?,
    }
    comparison.difference.as_ref().map_or(Ok(()), compare::Difference::verdict).map_err(Failure::BadInput)
}

/// The comparison as a table.
fn shown(comparison: &Comparison) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["", "original", "rewritten", "plan"]);
    let bytes = |bytes: Option<u64>| bytes.map_or(String::new(), |bytes| Bytes(bytes).to_string());
    let seconds = |s: Option<f64>| s.map_or(String::new(), |s| format!("{:.3} ms", s * 1e3));
    let (before, after, plan) = (&comparison.original, &comparison.rewritten, comparison.plan);
    let row = |name: &str, cells: [String; 3]| {
        let mut row = vec![name.to_owned()];
        row.extend(cells);
        row
    };
    table.add_row(row(
        "peak",
        [
            bytes(Some(before.peak_bytes)),
            bytes(Some(after.peak_bytes)),
            bytes(plan.filter(|plan| !plan.temporaries_only).map(|plan| plan.peak_bytes)),
        ],
    ));
    table.add_row(row(
        "temporaries",
        [
            bytes(before.temporary_bytes),
            bytes(after.temporary_bytes),
            bytes(plan.filter(|plan| plan.temporaries_only).map(|plan| plan.peak_bytes)),
        ],
    ));
    table.add_row(row(
        "device peak",
        [bytes(before.device_peak_bytes), bytes(after.device_peak_bytes), String::new()],
    ));
    table.add_row(row(
        "host peak",
        [
            bytes(before.host_peak_bytes),
            bytes(after.host_peak_bytes),
            bytes(plan.map(|plan| plan.host_peak_bytes)),
        ],
    ));
    table.add_row(row("leaked", [bytes(before.leaked_bytes), bytes(after.leaked_bytes), String::new()]));
    let flops = |flops: Option<f64>| flops.map_or(String::new(), |flops| format!("{:.4} GFLOP", flops / 1e9));
    table.add_row(row("operations", [flops(before.flops), flops(after.flops), String::new()]));
    table.add_row(row(
        "time",
        [seconds(before.seconds), seconds(after.seconds), seconds(plan.map(|plan| plan.seconds))],
    ));
    let planned = plan.map_or(String::new(), |plan| plan.caps());
    let cap = match comparison.fitted_cap_bytes {
        Some(cap) => format!("{}, planned under {planned}", Bytes(cap)),
        None => planned,
    };
    table.add_row(row("cap", [String::new(), kept(comparison), cap]));
    let mut text = format!("{table}\n");
    if let Some(stages) = &comparison.stages {
        text += &shown_stages(&after.ranks, stages);
    }
    text += &comparison.difference.as_ref().map_or_else(|| "not run\n".to_owned(), ToString::to_string);
    text
}

/// Which caps of its only stage the rewritten program kept.
fn kept(comparison: &Comparison) -> String {
    match (comparison.within_caps, comparison.within_requested_caps) {
        (None, _) => "",
        (Some(false), _) => "exceeded",
        (Some(true), Some(false)) => "kept as raised",
        (Some(true), _) => "kept",
    }
    .to_owned()
}

/// Every stage beside its rank.
fn shown_stages(ranks: &[mpi::Rank], stages: &Stages) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "rank",
        "cap",
        "peak",
        "planned",
        "host peak",
        "planned",
        "stage",
        "planned",
        "waiting",
    ]);
    let bytes = |bytes: u64| Bytes(bytes).to_string();
    let time = |seconds: f64| format!("{:.3} ms", seconds * 1e3);
    for rank in ranks {
        let stage = stages.plan.stages.iter().find(|stage| stage.device.0 == rank.rank);
        let planned = |text: &dyn Fn(&StageFigures) -> String| stage.map_or_else(|| "idle".to_owned(), text);
        table.add_row([
            rank.rank.to_string(),
            planned(&StageFigures::caps),
            bytes(rank.peak_bytes),
            planned(&|stage| bytes(stage.peak_bytes)),
            bytes(rank.host_peak_bytes),
            planned(&|stage| bytes(stage.host_peak_bytes)),
            time(rank.stage_seconds),
            planned(&|stage| time(stage.seconds)),
            time(rank.waiting_seconds),
        ]);
    }
    let ratio =
        |ratio: Option<f64>| ratio.map_or_else(|| "unknown".to_owned(), |ratio| format!("{ratio:.3}"));
    let (measured, planned) = (ratio(stages.ratio), ratio(stages.plan.ratio));
    format!("{table}\nslowest over fastest stage: {measured}, planned {planned}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_raised_cap_it_is_said_which_one_was_kept() {
        let stage = StageFigures {
            device: ballast_core::device::DeviceId(0),
            cap_bytes: 64,
            requested_cap_bytes: 60,
            peak_bytes: 62,
            unplanned_peak_bytes: 70,
            host_peak_bytes: 0,
            seconds: 1.0,
            unplanned_seconds: 1.0,
            temporaries_only: false,
        };
        let said = |peak_bytes: u64, fitted: Option<u64>| {
            let rewritten = Measured { peak_bytes, ..Measured::default() };
            let comparison = Comparison {
                backend: "native".to_owned(),
                seed: 0,
                original: Measured::default(),
                fitted_cap_bytes: fitted,
                within_caps: rewritten.keeps(&stage, fitted.unwrap_or(stage.cap_bytes)),
                within_requested_caps: rewritten.keeps(&stage, fitted.unwrap_or(stage.requested_cap_bytes)),
                rewritten,
                difference: None,
                plan: Some(stage),
                stages: None,
            };
            let row = shown(&comparison).lines().find(|line| line.contains(" cap ")).map(str::to_owned);
            let row = row.expect("a row");
            assert!(row.contains("64 B, asked 60 B"), "{row}");
            assert_eq!(row.contains("50 B, planned under 64 B"), fitted.is_some(), "{row}");
            row.split('┆').nth(2).expect("a cell").trim().to_owned()
        };
        assert_eq!([60, 62, 65].map(|peak| said(peak, None)), ["kept", "kept as raised", "exceeded"]);
        // Of a fitted program it is the cap that it was fitted to.
        assert_eq!([50, 62].map(|peak| said(peak, Some(50))), ["kept", "exceeded"]);
    }
}
