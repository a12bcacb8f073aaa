//! `ballast lab train partition`: the policy that cuts op sequences, trained on generated chains.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use ballast_core::limits::{Deadline, StopReason};
use ballast_partition::rl::comparison::{Case, Contender, Entry, contend};
use ballast_partition::rl::curriculum::{self, Schedule};
use ballast_partition::rl::train::{Error, Options, Trainer, Weights};
use serde::Serialize;

use crate::failure::Failure;
use crate::lab::progress::progress;
use crate::output::{check, write_json};
use crate::ranges::{count, factor, share, step_size};
use crate::search_args::TrainingArgs;

/// Episodes between two savings of the policy.
const SAVE_EVERY: usize = 100;

/// What the policy that ships with Ballast was trained with.
const EPISODES: usize = 8200;
const IMITATED: usize = 8000;

/// Wall-clock limit of a trial; its steps end it before.
pub(crate) const ZERO_SHOT_SECONDS: f64 = 10.0;

/// Chains the trained policy is tried on.
const TRIALS: [(usize, usize); 12] = [
    (20, 8),
    (20, 16),
    (20, 64),
    (50, 8),
    (50, 32),
    (50, 64),
    (100, 8),
    (100, 16),
    (100, 64),
    (200, 8),
    (200, 32),
    (200, 64),
];

/// Arguments of `ballast lab train partition`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Episodes the policy learns from in all, those before a resume included; 0 to 1000000000.
    #[arg(long, value_parser = count::<usize, 0, 1_000_000_000>, default_value_t = EPISODES)]
    episodes: usize,
    /// The first so many of them imitate a teacher that knows the optimum; 0 to 1000000000.
    #[arg(long, value_parser = count::<usize, 0, 1_000_000_000>, default_value_t = IMITATED)]
    imitate: usize,
    /// Write the policy here, also every hundred episodes and at an interrupt.
    #[arg(short, long)]
    output: PathBuf,
    /// Go on from this policy.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Append one JSON line per episode to this file.
    #[arg(long)]
    metrics: Option<PathBuf>,
    /// Step size; above 0, at most 1.
    #[arg(long, value_parser = step_size, default_value_t = Options::default().learning_rate)]
    rate: f64,
    /// Weight of the policy's entropy; 0 to 1000.
    #[arg(long, value_parser = factor, default_value_t = Options::default().entropy_weight)]
    entropy: f64,
    /// Discount of later rewards; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = Options::default().discount)]
    discount: f64,
    /// Environments stepped as one batch; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>, default_value_t = Options::default().environments)]
    environments: usize,
    #[command(flatten)]
    common: TrainingArgs,
}

#[derive(Serialize)]
struct Trained {
    episodes: usize,
    stop_reason: StopReason,
    /// The policy without learning on chains it never saw, as many as a tenth of the time limit is enough for.
    trials: Vec<Trial>,
}

#[derive(Serialize)]
struct Trial {
    chain: String,
    #[serde(flatten)]
    entry: Entry,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    check([], [args.output.as_path()])?;
    let options = Options {
        weights: args.resume.clone().map_or(Weights::Fresh, Weights::File),
        learning_rate: args.rate,
        entropy_weight: args.entropy,
        discount: args.discount,
        environments: args.environments,
        library: args.common.learner.clone(),
        ..Options::default()
    };
    let seed = args.common.seed;
    let schedule = Schedule { seed, episodes: args.episodes, imitated: args.imitate };
    let mut trainer = Trainer::new(options.clone(), 2, seed)?;
    let mut metrics = match &args.metrics {
        None => None,
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Some(BufWriter::new(file.map_err(|e| Failure::BadInput(format!("{}: {e}", path.display())))?))
        }
    };
    let deadline = Deadline::after(args.common.time_limit);
    let bar = progress(args.episodes as u64);
    bar.set_position(trainer.episodes as u64);
    let stop_reason = curriculum::train(&mut trainer, &options, &schedule, &deadline, |trainer, line| {
        bar.inc(1);
        bar.set_message(format!(
            "reward {:.3}, loss {:.3}",
            line.lesson.mean_reward, line.lesson.figures.loss
        ));
        if let Some(file) = &mut metrics {
            let written = serde_json::to_writer(&mut *file, line)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(file));
            let path = args.metrics.clone().unwrap_or_default();
            written.map_err(|source| Error::Io { path, source })?;
        }
        if trainer.episodes.is_multiple_of(SAVE_EVERY) { trainer.save(&args.output) } else { Ok(()) }
    })?;
    bar.finish_and_clear();
    trainer.save(&args.output)?;
    if let Some(mut file) = metrics {
        file.flush().map_err(|error| Failure::Internal(error.to_string()))?;
    }
    let judged = Options { weights: Weights::File(args.output.clone()), ..options };
    let mut trials = Vec::new();
    let overtime = deadline.overtime();
    for (which, &(layers, cores)) in TRIALS.iter().enumerate() {
        if overtime.over() {
            break;
        }
        let share = overtime.remaining_seconds() / (TRIALS.len() - which) as f64;
        let Some(case) = Case::unseen(layers, cores, which, seed) else { continue };
        let entry = contend(&case, Contender::ZeroShot, &judged, seed, share.min(ZERO_SHOT_SECONDS))?;
        trials.push(Trial { chain: case.name, entry });
    }
    write_json(&Trained { episodes: trainer.episodes, stop_reason, trials }, None)
}
