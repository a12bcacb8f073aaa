//! `ballast lab train dag`: the actor-critic that places the groups of a graph on devices.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use ballast_core::limits::Deadline;
use ballast_dag::learned::board::Board;
use ballast_dag::learned::graphs::random_problem;
use ballast_dag::learned::ppo::{Metrics, Placer, Rates, Trainer};
use ballast_dag::problem::{PlanClass, Problem};
use ballast_dag::workload;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::failure::Failure;
use crate::lab::progress::progress;
use crate::output::{check, paths, write_file, write_json};
use crate::partition::read_placer;
use crate::ranges::{count, factor, step_size};
use crate::search_args::TrainingArgs;

/// Updates between two savings.
const SAVE_EVERY: usize = 50;

/// Stream of random numbers of the trial graphs, beyond those of all updates.
const UNSEEN: u64 = 1 << 40;

/// Trial graphs.
const TRIALS: usize = 10;

/// Arguments of `ballast lab train dag`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Updates the placer learns from in all, those before a resume included; every one on a graph of its own; 1 to 1000000000.
    #[arg(long, value_parser = count::<usize, 1, 1_000_000_000>, default_value_t = 1500)]
    updates: usize,
    /// Write the placer here, also every fifty updates and at an interrupt.
    #[arg(short, long)]
    output: PathBuf,
    /// Go on from this placer.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Workload files to train on besides the generated graphs: every second update is on one of them.
    #[arg(long, num_args = 1..)]
    graphs: Vec<PathBuf>,
    /// Append one JSON line per update to this file.
    #[arg(long)]
    metrics: Option<PathBuf>,
    /// Step size of the policy; that of the critic is twice as large; above 0, at most 1.
    #[arg(long, value_parser = step_size, default_value_t = Rates::default().policy_rate)]
    rate: f64,
    /// Weight of the policy's entropy; 0 to 1000.
    #[arg(long, value_parser = factor, default_value_t = Rates::default().entropy_weight)]
    entropy: f64,
    /// Episodes of an update; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>, default_value_t = Rates::default().episodes)]
    episodes: usize,
    #[command(flatten)]
    common: TrainingArgs,
}

#[derive(Serialize)]
struct Trained {
    updates: usize,
    /// The likeliest placement of graphs the placer never saw, without learning.
    trials: Vec<Trial>,
}

#[derive(Serialize)]
struct Trial {
    nodes: usize,
    devices: usize,
    class: &'static str,
    /// Largest load over the work bound; none where the placer got stuck.
    over_bound: Option<f64>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let rates = Rates {
        policy_rate: args.rate,
        value_rate: 2.0 * args.rate,
        entropy_weight: args.entropy,
        episodes: args.episodes,
    };
    check(paths(&args.graphs), [args.output.as_path()].into_iter().chain(paths(&args.metrics)))?;
    let problems: Vec<Problem> = (args.graphs.iter())
        .map(|path| workload::read(path).map_err(|error| Failure::BadInput(error.to_string())))
        .collect::<Result<_, _>>()?;
    let failed = |error: ballast_dag::learned::ppo::PlacerError| Failure::BadInput(error.to_string());
    let mut trainer = match &args.resume {
        Some(path) => Trainer::resume(args.common.learner.as_deref(), read_placer(path)?),
        None => Trainer::fresh(args.common.learner.as_deref(), args.common.seed),
    }
    .map_err(failed)?;
    let mut metrics = match &args.metrics {
        None => None,
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Some(BufWriter::new(file.map_err(|e| Failure::BadInput(format!("{}: {e}", path.display())))?))
        }
    };
    let deadline = Deadline::after(args.common.time_limit);
    let bar = progress(args.updates as u64);
    bar.set_position(trainer.placer.updates() as u64);
    let mut problem_with = None;
    let mut observe = |placer: &Placer, line: &Metrics| -> Result<(), Failure> {
        bar.inc(1);
        bar.set_message(format!("return {:.3}, entropy {:.3}", line.mean_return, line.figures.entropy));
        if let Some(file) = &mut metrics {
            serde_json::to_writer(&mut *file, line)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(file))
                .and_then(|()| file.flush())
                .map_err(|error| Failure::BadInput(format!("the metrics file: {error}")))?;
        }
        if placer.updates().is_multiple_of(SAVE_EVERY) { save(placer, &args.output) } else { Ok(()) }
    };
    trainer
        .train(
            args.updates,
            args.common.seed,
            &rates,
            &deadline,
            |rng| board(&problems, rng),
            |placer, line| match observe(placer, line) {
                Ok(()) => true,
                Err(error) => {
                    problem_with = Some(error);
                    false
                }
            },
        )
        .map_err(failed)?;
    bar.finish_and_clear();
    if let Some(error) = problem_with {
        return Err(error);
    }
    save(&trainer.placer, &args.output)?;
    let mut rng = ChaCha8Rng::seed_from_u64(args.common.seed);
    rng.set_stream(UNSEEN);
    let endless = Deadline::after(None);
    let trials = (0..TRIALS)
        .map(|trial| {
            let problem = random_problem(&mut rng);
            let class = if trial % 2 == 0 { PlanClass::Contiguous } else { PlanClass::Free };
            let board = Board::new(&problem, class);
            let placed = trainer.placer.place(&board, None, &endless);
            Trial {
                nodes: problem.nodes.len(),
                devices: problem.device_count(),
                class: class.name(),
                over_bound: placed.map(|episode| episode.max_load).filter(|load| load.is_finite()),
            }
        })
        .collect();
    write_json(&Trained { updates: trainer.placer.updates(), trials }, None)
}

fn board(problems: &[Problem], rng: &mut ChaCha8Rng) -> Board {
    let class = if rng.random() { PlanClass::Contiguous } else { PlanClass::Free };
    if !problems.is_empty() && rng.random() {
        return Board::new(&problems[rng.random_range(0..problems.len())], class);
    }
    Board::new(&random_problem(rng), class)
}

fn save(placer: &Placer, path: &std::path::Path) -> Result<(), Failure> {
    let bytes = placer.to_file().map_err(|error| Failure::Internal(error.to_string()))?;
    write_file(path, &bytes)
}
