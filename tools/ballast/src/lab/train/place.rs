//! `ballast lab train place` and `place-table`: the policy that places training jobs on devices that fail.

use std::path::PathBuf;
use std::sync::Arc;

use ballast_core::limits::Deadline;
use ballast_jobs::{
    ClusterModel, Credit, JobCluster, ReplayBatch, Row, TrainOptions, Trainer, TrainingFigures, Workload,
    evaluate, parse_history,
};
use ballast_learner_client::Learner;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::failure::Failure;
use crate::lab::place_simulate::WorldArgs;
use crate::lab::progress::progress;
use crate::output::{check, paths, read_bytes, read_text, write_file, write_json};
use crate::ranges::{count, duration, factor, fraction, multiple, per_hour, seconds, spread, step_size};

/// What the simulator runs.
#[derive(clap::Args)]
struct Simulator {
    /// Devices a batch asks for, over those of the cluster; above 1 jobs queue; above 0, at most 1000.
    #[arg(long, value_parser = multiple, default_value_t = 0.5)]
    load: f64,
    /// Devices of a job, each as likely; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>, value_delimiter = ',', default_values_t = [1, 2, 4])]
    widths: Vec<usize>,
    /// Shortest run time of a job, seconds; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 600.0)]
    shortest: f64,
    /// Longest run time of a job, seconds; also the scale of run times in the state; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 3600.0)]
    longest: f64,
    /// Mean seconds between two submissions, 0: all jobs of a batch at once; 0 to 1e9.
    #[arg(long, value_parser = duration, default_value_t = 0.0)]
    interval: f64,
    #[command(flatten)]
    world: WorldArgs,
}

impl Simulator {
    fn workload(&self) -> Workload {
        Workload {
            load: self.load,
            widths: self.widths.clone(),
            shortest_seconds: self.shortest,
            longest_seconds: self.longest,
            interval_seconds: self.interval,
        }
    }
}

/// How to train.
#[derive(clap::Args)]
struct Training {
    /// Updates of the networks; 1 to 1000000000.
    #[arg(long, value_parser = count::<u64, 1, 1_000_000_000>, default_value_t = TrainOptions::default().trainings)]
    trainings: u64,
    /// Batches of jobs between two updates; 1 to 65536.
    #[arg(long, value_parser = count::<usize, 1, 65_536>, default_value_t = TrainOptions::default().batches_per_period)]
    batches: usize,
    /// Samples kept for updates; 1 to 1048576.
    #[arg(long, value_parser = count::<usize, 1, 1_048_576>, default_value_t = TrainOptions::default().buffer)]
    buffer: usize,
    /// Samples of an update: as many as are new, or all kept.
    #[arg(long, value_enum, default_value_t = Replay::New)]
    replay_batch: Replay,
    /// What a decision is rewarded for: what the batch came to, as in the source, or its own job.
    #[arg(long, value_enum, default_value_t = CreditTo::Batch)]
    credit: CreditTo,
    /// Discount of the critic's value of the next state; 0 to 1, 1 left out.
    #[arg(long, value_parser = fraction, default_value_t = TrainOptions::default().gamma)]
    gamma: f64,
    /// Step size of both networks; above 0, at most 1.
    #[arg(long, value_parser = step_size, default_value_t = TrainOptions::default().policy_rate)]
    rate: f64,
    /// Weight of the policy's entropy; 0 to 1000.
    #[arg(long, value_parser = factor, default_value_t = TrainOptions::default().entropy_weight)]
    entropy: f64,
    /// Step size and weight of the entropy fall in a line, to nothing at the end.
    #[arg(long)]
    anneal: bool,
    /// Keep the network that does best on batches of its own, tried after so many trainings in the simulator; 0: the last one; 0 to 1000000000.
    #[arg(long, value_parser = count::<u64, 0, 1_000_000_000>, default_value_t = 0)]
    validate_every: u64,
    /// Wall-clock limit in seconds; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seed of weights, batches, faults and choices.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    learner: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Replay {
    New,
    All,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CreditTo {
    Batch,
    Job,
}

impl Training {
    fn options(&self) -> TrainOptions {
        TrainOptions {
            trainings: self.trainings,
            batches_per_period: self.batches,
            buffer: self.buffer,
            replay_batch: match self.replay_batch {
                Replay::New => ReplayBatch::New,
                Replay::All => ReplayBatch::All,
            },
            anneal: self.anneal,
            validate_every: self.validate_every,
            credit: match self.credit {
                CreditTo::Batch => Credit::Batch,
                CreditTo::Job => Credit::Job,
            },
            gamma: self.gamma,
            policy_rate: self.rate,
            value_rate: self.rate,
            entropy_weight: self.entropy,
            seed: self.seed,
            ..TrainOptions::default()
        }
    }

    fn learner(&self) -> Result<Arc<Learner>, Failure> {
        Learner::open(self.learner.as_deref()).map_err(|error| Failure::BadInput(error.to_string()))
    }
}

/// Arguments of `ballast lab train place`.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// Cluster file (JSON) with the failure rates the simulator draws from.
    #[arg(long)]
    cluster: PathBuf,
    /// Learn from recorded batches (JSON, one a line) instead of the simulator.
    #[arg(long)]
    history: Option<PathBuf>,
    /// Go on from a saved network.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Write the network here.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    simulator: Simulator,
    #[command(flatten)]
    training: Training,
}

/// Arguments of `ballast lab train place-table`.
#[derive(clap::Args)]
pub(crate) struct PlaceTable {
    /// Cluster sizes; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>, value_delimiter = ',', default_values_t = [16, 64])]
    sizes: Vec<usize>,
    /// Mean failures of a device an hour; 0 to 3600.
    #[arg(long, value_parser = per_hour, value_delimiter = ',', default_values_t = [0.05, 0.2, 0.5])]
    levels: Vec<f64>,
    /// Unseen batches a placer runs; 1 to 100000.
    #[arg(long, value_parser = count::<u64, 1, 100_000>, default_value_t = 50)]
    seeds: u64,
    /// The largest failure rate over the smallest; 1 to 1e18.
    #[arg(long, value_parser = spread, default_value_t = 50.0)]
    rate_spread: f64,
    /// Speeds lie between 1 - this and 1 + this; 0 to 1, 1 left out.
    #[arg(long, value_parser = fraction, default_value_t = 0.1)]
    speed_spread: f64,
    /// Write the table here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    simulator: Simulator,
    #[command(flatten)]
    training: Training,
}

#[derive(Serialize)]
struct Trained {
    parameters: (usize, usize),
    stop_reason: ballast_core::limits::StopReason,
    last: Option<TrainingFigures>,
}

#[derive(Serialize)]
struct Block {
    devices: usize,
    failures_per_hour: f64,
    rows: Vec<Row>,
}

/// Runs `ballast lab train place`.
pub(super) fn place(args: &Place) -> Result<(), Failure> {
    // A network may be trained on where it is: it is read whole before it is written.
    check([args.cluster.as_path()].into_iter().chain(paths(&args.history)), [args.output.as_path()])?;
    let cluster = JobCluster::parse(&read_text(&args.cluster)?)
        .map_err(|error| Failure::in_file(&args.cluster, error))?;
    let devices = cluster.devices.len();
    let history = match &args.history {
        None => None,
        Some(path) => {
            Some(parse_history(&read_text(path)?, devices).map_err(|error| Failure::in_file(path, error))?)
        }
    };
    let workload = args.simulator.workload();
    workload.check(devices)?;
    let options = args.training.options();
    let learner = args.training.learner()?;
    let mut trainer = match &args.resume {
        None => Trainer::new(&learner, devices, workload.longest_seconds, &options)?,
        Some(path) => Trainer::resume(&learner, &read_bytes(path)?, devices, &options)
            .map_err(|error| Failure::in_file(path, error))?,
    };
    let deadline = Deadline::after(args.training.time_limit);
    let bar = progress(options.trainings);
    let mut last = None;
    let mut watch = |figures: &TrainingFigures| {
        bar.inc(1);
        bar.set_message(format!("reward {:.3}", figures.mean_reward));
        last = Some(*figures);
    };
    let stop_reason = match &history {
        Some(history) => trainer.train_on(history, &deadline, &mut watch),
        None => trainer.train(&cluster, &workload, &args.simulator.world.world(), &deadline, &mut watch),
    }?;
    bar.finish_and_clear();
    write_file(&args.output, &trainer.save()?)?;
    write_json(&Trained { parameters: trainer.parameters(), stop_reason, last }, None)
}

/// Runs `ballast lab train place-table`.
pub(super) fn place_table(args: &PlaceTable) -> Result<(), Failure> {
    check([], paths(&args.output))?;
    let options = args.training.options();
    let (workload, world) = (args.simulator.workload(), args.simulator.world.world());
    let learner = args.training.learner()?;
    let deadline = Deadline::after(args.training.time_limit);
    let bar = progress(options.trainings * (args.sizes.len() * args.levels.len()) as u64);
    let mut blocks = Vec::new();
    for &devices in &args.sizes {
        for &failures_per_hour in &args.levels {
            if deadline.over() {
                break;
            }
            let model = ClusterModel {
                devices,
                per_host: 4,
                failures_per_hour,
                rate_spread: args.rate_spread,
                speed_spread: args.speed_spread,
            };
            model.check()?;
            let cluster = model.draw(&mut ChaCha8Rng::seed_from_u64(options.seed));
            let mut trainer = Trainer::new(&learner, devices, workload.longest_seconds, &options)?;
            trainer.train(&cluster, &workload, &world, &deadline, &mut |figures| {
                bar.inc(1);
                bar.set_message(format!("{devices} devices, reward {:.3}", figures.mean_reward));
            })?;
            let rows = evaluate(
                &cluster,
                &workload,
                &world,
                Some(trainer.policy()),
                0..args.seeds,
                &deadline.overtime(),
            )?;
            if !rows.is_empty() {
                blocks.push(Block { devices, failures_per_hour, rows });
            }
        }
    }
    bar.finish_and_clear();
    if blocks.is_empty() {
        let text = "the time was over before one batch was run to its end: give it more, or smaller batches";
        return Err(Failure::NoPlan(text.into()));
    }
    write_json(&blocks, args.output.as_deref())
}
