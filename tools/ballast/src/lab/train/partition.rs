//! `ballast lab train partition`: the policy that cuts op sequences, trained on generated chains.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use ballast_core::limits::{Deadline, StopReason};
use ballast_partition::rl::comparison::{Case, Contender, Entry, contend};
use ballast_partition::rl::curriculum::{self, Schedule};
use ballast_partition::rl::train::{Options, RlError, Setting, Trainer, Weights};
use serde::Serialize;

use crate::failure::Failure;
use crate::lab::progress::progress;
use crate::output::{check, paths, write_json};
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
    /// The first so many of them imitate a teacher that knows the optimum; without it 8000, or none as published; 0 to 1000000000.
    #[arg(long, value_parser = count::<usize, 0, 1_000_000_000>)]
    imitate: Option<usize>,
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
    /// Weight of the policy's entropy; without it 0.01, or 0 as published; 0 to 1000.
    #[arg(long, value_parser = factor)]
    entropy: Option<f64>,
    /// Discount of later rewards; without it 0.9, or 1 as published; 0 to 1.
    #[arg(long, value_parser = share)]
    discount: Option<f64>,
    /// Environments stepped as one batch; without it as the setting has it, 8 or, as published, 1; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>)]
    environments: Option<usize>,
    /// How the learner is set up: `published` trains the source's network, for one number of cores, from rewards alone.
    #[arg(long, value_enum, default_value_t = SettingName::Ours)]
    setting: SettingName,
    /// Cores of the chips of `--setting published`, whose network fits one number of them; 2 to 1024.
    #[arg(long, value_parser = count::<usize, 2, 1024>, default_value_t = 8)]
    cores: usize,
    #[command(flatten)]
    common: TrainingArgs,
}

/// The settings as options name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SettingName {
    /// Weights shared between pairs of neighbours; fits every chip.
    Ours,
    /// The source's network and rules.
    Published,
}

#[derive(Serialize)]
struct Trained {
    episodes: usize,
    stop_reason: StopReason,
    /// The policy without learning on chains it never saw, on chips that it fits, as many as a tenth of the time limit is enough for.
    trials: Vec<Trial>,
}

#[derive(Serialize)]
struct Trial {
    chain: String,
    #[serde(flatten)]
    entry: Entry,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    check([], [args.output.as_path()].into_iter().chain(paths(&args.metrics)))?;
    let published = args.setting == SettingName::Published;
    let base = if published { Setting::Published } else { Setting::Ours }.options();
    let options = Options {
        weights: args.resume.clone().map_or(Weights::Fresh, Weights::File),
        learning_rate: args.rate,
        entropy_weight: args.entropy.unwrap_or(base.entropy_weight),
        discount: args.discount.unwrap_or(base.discount),
        environments: args.environments.unwrap_or(base.environments),
        library: args.common.learner.clone(),
        ..base
    };
    let seed = args.common.seed;
    let schedule = Schedule {
        seed,
        episodes: args.episodes,
        imitated: args.imitate.unwrap_or(if published { 0 } else { IMITATED }),
        cores: published.then_some(args.cores),
    };
    let mut trainer = Trainer::new(options.clone(), if published { args.cores } else { 2 }, seed)?;
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
            written.map_err(|source| RlError::Io { path, source })?;
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
    let fits = |&&(_, cores): &&(usize, usize)| !published || cores == args.cores;
    let trials_that_fit: Vec<_> = TRIALS.iter().filter(fits).collect();
    for (which, &&(layers, cores)) in trials_that_fit.iter().enumerate() {
        if overtime.over() {
            break;
        }
        let share = overtime.remaining_seconds() / (trials_that_fit.len() - which) as f64;
        let Some(case) = Case::unseen(layers, cores, which, seed) else { continue };
        let entry = contend(&case, Contender::ZeroShot, &judged, seed, share.min(ZERO_SHOT_SECONDS))?;
        trials.push(Trial { chain: case.name, entry });
    }
    write_json(&Trained { episodes: trainer.episodes, stop_reason, trials }, None)
}
