//! Training one policy on many generated chains, and judging it on chains it never saw.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_learner_client::Figures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::rl::chains::{PROFILES, chain};
use crate::rl::classical::{Best, anneal, random_search, random_state};
use crate::rl::environment::{Action, State};
use crate::rl::exact::best_grouping;
use crate::rl::machine::Machine;
use crate::rl::train::{Error, Limit, Options, Trainer, run};

/// Sizes of the chains a policy is trained on.
const LAYERS: std::ops::RangeInclusive<usize> = 8..=200;
const CORES: std::ops::RangeInclusive<usize> = 2..=64;
/// Steps of one training episode.
const STEPS: usize = 48;
/// Episodes of one trial.
const TRIAL_EPISODES: usize = 4;
/// Chains a policy is judged on have seeds from here on, those it is trained on stay below.
const UNSEEN: u64 = 1 << 32;

/// One line of the metrics file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Counted from 0 over all runs that were resumed.
    pub episode: usize,
    /// Layers of this episode's chain.
    pub layers: usize,
    /// Cores of its chip.
    pub cores: usize,
    /// Environment steps since the start of this run.
    pub steps: u64,
    /// Mean reward per step: minus the slowest stage over its lower bound.
    pub mean_reward: f64,
    /// The update.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Trains until the policy has learned from `episodes` episodes, each on a new chain. `observe` may save the
/// trainer; what it refuses ends the training.
///
/// The chain of an episode and the random numbers used in it depend on the seed and the episode's number alone,
/// so a resumed training goes on as if it had not been interrupted.
///
/// # Errors
/// When the library refuses.
pub fn train(
    trainer: &mut Trainer,
    options: &Options,
    seed: u64,
    episodes: usize,
    deadline: &Deadline,
    mut observe: impl FnMut(&mut Trainer, &Metrics) -> Result<(), Error>,
) -> Result<StopReason, Error> {
    let options = Options { max_steps: Some(STEPS), ..options.clone() };
    for episode in trainer.episodes..episodes {
        if deadline.over() {
            return Ok(deadline.reason());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(episode as u64);
        let (machine, start) = lesson(&mut rng);
        trainer.reseed(rng.random());
        let limit = Limit::new(&machine, &start, &options, None, deadline);
        let mut best = Best { state: start.clone(), score: machine.score(&start), steps: 0 };
        let (mean_reward, figures) = trainer.episode(&machine, &start, &mut best, &limit)?;
        if trainer.episodes == episode {
            // Cut off before its update: it will be done again.
            return Ok(deadline.reason());
        }
        let metrics = Metrics {
            episode,
            layers: machine.layers(),
            cores: machine.slots(),
            steps: trainer.steps,
            mean_reward,
            figures,
        };
        observe(trainer, &metrics)?;
    }
    Ok(StopReason::Finished)
}

/// A chain and a state to start from: even, drawn at random, or a short walk away from the best.
fn lesson(rng: &mut ChaCha8Rng) -> (Machine, State) {
    loop {
        let cores = rng.random_range(CORES);
        let layers = rng.random_range(LAYERS);
        let profile = PROFILES[rng.random_range(0..PROFILES.len())];
        let machine = chain(layers, cores, profile, rng.random_range(0..UNSEEN));
        let start = match rng.random_range(0..3) {
            0 => State::spread(layers, cores),
            1 => random_state(layers, cores, rng),
            _ => best_grouping(&machine).map(|(mut state, _)| {
                for _ in 0..rng.random_range(2..40) {
                    let number = rng.random_range(0..state.actions());
                    if let Some(action) = Action::from_number(number, cores) {
                        state.apply(action);
                    }
                }
                state
            }),
        };
        if let Some(start) = start {
            return (machine, start);
        }
    }
}

/// How a policy does on one chain it never saw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// Layers of the chain.
    pub layers: usize,
    /// Cores of the chip.
    pub cores: usize,
    /// Slowest stage at the start over the optimum.
    pub start_over_optimum: f64,
    /// Slowest stage of the best state seen over the optimum.
    pub over_optimum: f64,
    /// Environment steps.
    pub steps: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Judges a policy, which acts and does not learn, on unseen chains of the given sizes, a few episodes each: from
/// an even spread, from random states and from the best state so far.
///
/// # Errors
/// When the library or the saved network cannot be used.
pub fn evaluate(
    options: &Options,
    sizes: &[(usize, usize)],
    seed: u64,
    deadline: &Deadline,
) -> Result<Vec<Trial>, Error> {
    let options = Options { learning_rate: 0.0, ..options.clone() };
    let mut trials = Vec::with_capacity(sizes.len());
    for (i, &(layers, cores)) in sizes.iter().enumerate() {
        let machine = chain(layers, cores, PROFILES[i % PROFILES.len()], UNSEEN + seed + i as u64);
        let (Some(start), Some((_, optimum))) = (State::spread(layers, cores), best_grouping(&machine))
        else {
            continue;
        };
        let clock = Deadline::after(None);
        let mut trainer = Trainer::new(options.clone(), cores, seed)?;
        let limit = Limit::new(&machine, &start, &options, None, deadline);
        let mut best = Best { state: start.clone(), score: machine.score(&start), steps: 0 };
        for _ in 0..TRIAL_EPISODES {
            trainer.episode(&machine, &start, &mut best, &limit)?;
        }
        trials.push(Trial {
            layers,
            cores,
            start_over_optimum: machine.score(&start).tmax_seconds / optimum,
            over_optimum: best.score.tmax_seconds / optimum,
            steps: trainer.steps,
            seconds: clock.elapsed_seconds(),
        });
    }
    Ok(trials)
}

/// What one method reached on one chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Layers of the chain.
    pub layers: usize,
    /// Cores of the chip.
    pub cores: usize,
    /// `rl`, `random`, `annealing` or `dp`.
    pub method: String,
    /// Slowest stage over the optimum, median over the seeds.
    pub median: f64,
    /// The same, worst seed.
    pub worst: f64,
    /// Wall-clock seconds of one run, mean.
    pub seconds: f64,
}

/// Learner, random search and simulated annealing from the same random starts and for the same wall-clock time,
/// and the exact dynamic programme.
///
/// # Errors
/// When the library or the saved network cannot be used.
pub fn compare(
    options: &Options,
    sizes: &[(usize, usize)],
    seeds: u64,
    seconds: f64,
    deadline: &Deadline,
    mut observe: impl FnMut(&Entry),
) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for (i, &(layers, cores)) in sizes.iter().enumerate() {
        let machine = chain(layers, cores, PROFILES[i % PROFILES.len()], UNSEEN + 1000 + i as u64);
        let clock = Deadline::after(None);
        let Some((_, optimum)) = best_grouping(&machine) else { continue };
        let mut rows = vec![("dp", vec![(1.0, clock.elapsed_seconds())])];
        for method in ["rl", "annealing", "random"] {
            let mut runs = Vec::new();
            for seed in 0..seeds {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let Some(start) = random_state(layers, cores, &mut rng) else { continue };
                let clock = deadline.within(seconds);
                let best = match method {
                    "rl" => {
                        let limits = Limits { seed, ..Limits::default() };
                        let options = Options { episodes: usize::MAX, ..options.clone() };
                        run(&machine, &start, &options, &limits, &clock, |_| {})?.best
                    }
                    "annealing" => anneal(&machine, &start, u64::MAX, seed, &clock),
                    _ => random_search(&machine, &start, 4 * layers, u64::MAX, seed, &clock),
                };
                runs.push((best.score.tmax_seconds / optimum, clock.elapsed_seconds()));
            }
            rows.push((method, runs));
        }
        for (method, mut runs) in rows {
            runs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (Some(median), Some(worst)) = (runs.get(runs.len() / 2), runs.last()) else { continue };
            let entry = Entry {
                layers,
                cores,
                method: method.into(),
                median: median.0,
                worst: worst.0,
                seconds: runs.iter().map(|run| run.1).sum::<f64>() / runs.len() as f64,
            };
            observe(&entry);
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Sizes a policy is judged on: chains of 20 to 200 layers on 8 to 64 cores.
pub const TRIAL_SIZES: [(usize, usize); 12] = [
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
