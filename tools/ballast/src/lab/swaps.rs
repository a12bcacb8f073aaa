//! `ballast lab swaps`: which tensors of a training step on one device are swapped, learned or by a baseline.

use std::path::PathBuf;
use std::time::Duration;

use ballast_core::cap::CapSpec;
use ballast_core::device::Cluster;
use ballast_core::limits::Limits;
use ballast_core::memory::{CompactPlan, Replay};
use ballast_core::report::Report;
use ballast_core::units::Bytes;
use ballast_remat::swaps::{
    Baseline, Initial, Options, QTable, Scheme, SubData, baseline, plan, plan_from, sub_data,
};
use serde::Serialize;

use super::swaps_measured::Native;
use super::swaps_recorded;
use crate::compare::import;
use crate::failure::Failure;
use crate::output::{check, paths, read_text, write_json};
use crate::ranges::{count, fraction, multiple, seconds, share};
use crate::run::Job;
use crate::search_args::first_given;

/// Arguments of `ballast lab swaps`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program (.mlir), or its graph (JSON) as `--remat="graph-file=..."` writes it.
    graph: PathBuf,
    /// The device: the first of a device file, or a ready-made kind.
    #[arg(long)]
    devices: String,
    /// Bytes with a unit, or a percentage of the unplanned peak; none: the device's memory.
    #[arg(long, default_value = "")]
    cap: String,
    /// Who chooses.
    #[arg(long, value_enum, default_value_t = Method::QLearning)]
    method: Method,
    /// Copies run beside computation.
    #[arg(long)]
    overlap: bool,
    #[command(flatten, next_help_heading = "Method q-learning")]
    learner: LearnerArgs,
    /// Learn from iterations that are really run, of a program (.mlir, linalg on tensors): `native`, MLIR's own CPU route with counted heaps.
    /// Without it they are simulated.
    #[arg(long, value_enum)]
    backend: Option<Route>,
    /// How often a program runs in an iteration, the shortest run counts; 1 to 1000.
    #[arg(long, value_parser = count::<u32, 1, 1000>, requires = "backend", default_value_t = 1)]
    runs: u32,
    /// At the end, the answer and the step without swaps are run in turn so often, for the median; 1 to 1000.
    #[arg(long, value_parser = count::<usize, 1, 1000>, requires = "backend", default_value_t = 5)]
    repeats: usize,
    /// Seconds that one iteration may take, at most; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, requires = "backend", default_value_t = 60.0)]
    run_limit: f64,
    /// Steps of a job as they were run (JSON, one a line: {"batch": 48}): the parts are parts of these, a percentage in --cap is of the
    /// largest peak among them.
    #[arg(long, requires_all = ["sub_data", "batch"])]
    recording: Option<PathBuf>,
    /// The batch size of the program, for a recording; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>, requires = "recording")]
    batch: Option<u64>,
    /// Wall-clock limit in seconds; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the answer here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// What only the learner reads.
#[derive(clap::Args)]
struct LearnerArgs {
    /// Iterations to learn from, 2000 where nothing is given; 0: the initial scheme is the answer as it is; 0 to 1000000000.
    #[arg(long, value_parser = count::<u64, 0, 1_000_000_000>)]
    rounds: Option<u64>,
    /// Scheme of the first round, `best` where nothing is given: `best` of the table gone on from, or no swaps; `none`; `all`; or a 0 or
    /// 1 for every tensor that may be swapped.
    #[arg(long)]
    initial: Option<Initial>,
    /// Stop once the reward is at or below this; 1 is the step without swaps; above 0, at most 1000.
    #[arg(long, value_parser = multiple)]
    target: Option<f64>,
    /// Learning rate, 0.5 where nothing is given; 0 to 1.
    #[arg(long, value_parser = share)]
    alpha: Option<f64>,
    /// Discount, 0.9 where nothing is given; 0 to 1, 1 left out.
    #[arg(long, value_parser = fraction)]
    gamma: Option<f64>,
    /// w of the reward, 0.5 where nothing is given: 0 for time alone, 1 for memory alone; 0 to 1.
    #[arg(long, value_parser = share)]
    weight: Option<f64>,
    /// Probability of an action drawn at random, 0.1 where nothing is given; 0 to 1.
    #[arg(long, value_parser = share)]
    epsilon: Option<f64>,
    /// Go on from a saved table.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Save the table here.
    #[arg(long)]
    table: Option<PathBuf>,
    /// Learn on these parts of the rounds and carry on with the rest, for example 0.2,0.5,0.8,1; 0 to 1.
    #[arg(long, value_parser = share, value_delimiter = ',', conflicts_with_all = ["resume", "table", "backend"])]
    sub_data: Vec<f64>,
}

impl LearnerArgs {
    /// Refuses what another method would not read.
    fn check(&self, method: Method) -> Result<(), Failure> {
        let LearnerArgs { rounds, initial, target, alpha, gamma, weight, epsilon, resume, table, sub_data } =
            self;
        let given = first_given([
            ("--rounds", rounds.is_some()),
            ("--initial", initial.is_some()),
            ("--target", target.is_some()),
            ("--alpha", alpha.is_some()),
            ("--gamma", gamma.is_some()),
            ("--weight", weight.is_some()),
            ("--epsilon", epsilon.is_some()),
            ("--resume", resume.is_some()),
            ("--table", table.is_some()),
            ("--sub-data", !sub_data.is_empty()),
        ]);
        match given {
            Some(option) if method != Method::QLearning => {
                Err(Failure::BadInput(format!("{option} is for --method q-learning")))
            }
            _ => Ok(()),
        }
    }

    /// Options of the learner; what is not given, as published.
    fn options(&self, cap_bytes: u64) -> Options {
        let base = Options::default();
        Options {
            rounds: self.rounds.unwrap_or(base.rounds),
            weight: self.weight.unwrap_or(base.weight),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            alpha: self.alpha.unwrap_or(base.alpha),
            gamma: self.gamma.unwrap_or(base.gamma),
            target_reward: self.target,
            initial: self.initial.clone().unwrap_or(base.initial),
            cap_bytes: Some(cap_bytes),
            ..base
        }
    }

    /// The table to carry on with.
    fn resumed(&self) -> Result<Option<QTable>, Failure> {
        let Some(path) = &self.resume else { return Ok(None) };
        let table = QTable::parse(&read_text(path)?);
        table.map(Some).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    QLearning,
    NoSwap,
    Vdnn,
    Capuchin,
}

/// Where iterations are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Route {
    /// MLIR's own CPU route.
    Native,
}

/// What was measured: medians of the same number of runs, at the end.
#[derive(Serialize)]
struct Real {
    seconds: f64,
    peak_bytes: u64,
    unswapped_seconds: f64,
    unswapped_peak_bytes: u64,
    /// Iterations run in all.
    iterations: u64,
}

#[derive(Serialize)]
struct Answer {
    unplanned_peak_bytes: u64,
    cap_bytes: u64,
    seconds: f64,
    unswapped_seconds: f64,
    peak_bytes: u64,
    swap_bytes: u64,
    recomputes: usize,
    plan: CompactPlan,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
    /// Of iterations that were run; the figures above are those of the simulator.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Real>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // A table may be carried on with where it is: it is read whole before it is written.
    let inputs = [args.graph.as_path(), args.devices.as_ref()];
    check(
        inputs.into_iter().chain(paths(&args.recording)),
        paths(&args.learner.table).chain(paths(&args.output)),
    )?;
    args.learner.check(args.method)?;
    let cap: CapSpec = args.cap.parse().map_err(|error| Failure::BadInput(format!("--cap: {error}")))?;
    let is_program = args.graph.extension().is_some_and(|ending| ending == "mlir");
    if args.backend.is_some() && !is_program {
        return Err(Failure::BadInput(format!(
            "{}: --backend runs a program: give the .mlir",
            args.graph.display()
        )));
    }
    let graph = import(&args.graph, "", &args.devices)?;
    let mut cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    cluster.devices.truncate(1);
    cluster.links.clear();
    let step = swaps_recorded::step(&graph, &cluster);
    let device = &cluster.devices[0];
    let swap = cluster.swap_model(device, args.overlap);
    let unplanned_peak_bytes = step.problem.unplanned_peak();
    let cap_bytes = cap.bytes(Bytes(unplanned_peak_bytes), device.memory).0;
    let limits =
        Limits { time_limit_seconds: args.time_limit, work_limit: None, seed: args.seed, threads: 1 };
    let options = args.learner.options(cap_bytes);
    let limit = Duration::from_secs_f64(args.run_limit);
    let job = Job { function: "", seed: args.seed, runs: args.runs, limit };
    let mut native =
        args.backend.map(|Route::Native| Native::new(&args.graph, (&args.devices, args.overlap), job));
    if let (Some(path), Some(batch)) = (&args.recording, args.batch) {
        let recording = swaps_recorded::read(path, &graph, batch, &cluster)?;
        let peak = Bytes(recording.unplanned_peak());
        let options = Options { cap_bytes: Some(cap.bytes(peak, device.memory).0), ..options };
        let rows = recording.sub_data(&swap, &options, &limits, &args.learner.sub_data)?;
        return write_json(&rows, args.output.as_deref());
    }
    if !args.learner.sub_data.is_empty() {
        let rows: Vec<SubData> = sub_data(&step, &swap, &options, &limits, &args.learner.sub_data)?;
        return write_json(&rows, args.output.as_deref());
    }
    let fixed = |which| baseline(which, &step, &swap, Some(cap_bytes), &limits).map(|(p, r)| (p, r, None));
    let mut scheme = None;
    let (plan, replay, report): (CompactPlan, Replay, Option<Report>) = match args.method {
        Method::NoSwap => fixed(Baseline::NoSwap),
        Method::Vdnn => fixed(Baseline::Vdnn),
        Method::Capuchin => fixed(Baseline::Capuchin),
        Method::QLearning => {
            let table = args.learner.resumed()?;
            let (found, replay, learned, report) = match &mut native {
                None => plan(&step, &swap, table, &options, &limits)?,
                Some(native) => plan_from(&step, &swap, native, table, &options, &limits)?,
            };
            scheme = Some(learned.scheme.clone());
            if let Some(path) = &args.learner.table {
                write_json(&learned.table, Some(path))?;
            }
            Ok((found, replay, Some(report)))
        }
    }?;
    let measured = match &mut native {
        None => None,
        Some(native) => Some(real(native, args, scheme.as_ref(), cap_bytes, step.candidates().len())?),
    };
    let answer = Answer {
        unplanned_peak_bytes,
        cap_bytes,
        seconds: replay.time,
        unswapped_seconds: step.problem.total_time(),
        peak_bytes: replay.peak_bytes,
        swap_bytes: replay.swap_bytes,
        recomputes: replay.recomputes,
        plan,
        report,
        measured,
    };
    write_json(&answer, args.output.as_deref())
}

/// The answer and the step without swaps, run once more.
fn real(
    native: &mut Native<'_>,
    args: &Args,
    scheme: Option<&Scheme>,
    cap_bytes: u64,
    candidates: usize,
) -> Result<Real, Failure> {
    let none = native.of_scheme(&Scheme(vec![false; candidates]), args.repeats)?;
    let planner = match args.method {
        Method::QLearning | Method::NoSwap => None,
        Method::Vdnn => Some("vdnn"),
        Method::Capuchin => Some("capuchin"),
    };
    let found = match (planner, scheme) {
        (Some(solver), _) => native.of_planner(solver, cap_bytes, args.repeats)?,
        (None, Some(scheme)) => native.of_scheme(scheme, args.repeats)?,
        (None, None) => none,
    };
    Ok(Real {
        seconds: found.time,
        peak_bytes: found.peak_bytes,
        unswapped_seconds: none.time,
        unswapped_peak_bytes: none.peak_bytes,
        iterations: native.runs,
    })
}
