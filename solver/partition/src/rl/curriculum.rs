//! Training one policy on many generated chains: first it imitates a teacher that knows the optimum, then it learns
//! from rewards.

use ballast_core::limits::{Deadline, StopReason};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::rl::chains::{PROFILES, UNSEEN, chain};
use crate::rl::classical::{Best, random_state};
use crate::rl::demand::Demands;
use crate::rl::environment::{Action, State};
use crate::rl::limit::Limit;
use crate::rl::machine::Machine;
use crate::rl::teacher;
use crate::rl::train::{Imitation, Lesson, Options, RlError, Trainer};

/// Layers per core of the chains a policy is trained on, and their cores; both are drawn evenly by logarithm.
const LAYERS_PER_CORE: (f64, f64) = (0.3, 8.0);
const CORES: (f64, f64) = (4.0, 64.0);
/// Layers are kept within these limits.
const LAYERS: (usize, usize) = (8, 200);
/// The step size falls evenly to this share of what it was at first.
const LAST_RATE: f64 = 0.1;
/// Starts, and steps from each, of a lesson of imitation.
const STARTS: usize = 8;
const IMITATED_STEPS: usize = 24;
/// Steps of an episode of rewards.
const STEPS: usize = 48;

/// One line of the metrics file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Counted from 0 over all runs that were resumed.
    pub episode: usize,
    /// Was the teacher imitated?
    pub imitation: bool,
    /// Layers of this episode's chain.
    pub layers: usize,
    /// Cores of its chip.
    pub cores: usize,
    /// Environment steps since the start of this run.
    pub steps: u64,
    /// Rewards and update.
    #[serde(flatten)]
    pub lesson: Lesson,
}

/// How long to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Seed of chains, starts and choices.
    pub seed: u64,
    /// Episodes in all.
    pub episodes: usize,
    /// The first so many of them imitate the teacher.
    pub imitated: usize,
    /// Cores of every chip, for a network that fits one number of them; none: drawn.
    pub cores: Option<usize>,
}

/// Trains until the policy has learned from all episodes of the schedule, each on a new chain. `observe` may save the
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
    schedule: &Schedule,
    deadline: &Deadline,
    mut observe: impl FnMut(&mut Trainer, &Metrics) -> Result<(), RlError>,
) -> Result<StopReason, RlError> {
    let options = Options { max_steps: Some(STEPS), ..options.clone() };
    for episode in trainer.episodes..schedule.episodes {
        if deadline.over() {
            return Ok(deadline.reason());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(schedule.seed);
        rng.set_stream(episode as u64);
        let done = episode as f64 / schedule.episodes as f64;
        trainer.set_rate(options.learning_rate * (1.0 - (1.0 - LAST_RATE) * done));
        let imitation = episode < schedule.imitated;
        let (machine, lesson) = if imitation {
            let (machine, starts) = imitated(schedule.cores, &mut rng);
            trainer.reseed(rng.random());
            let lesson = trainer.imitate(&machine, &starts, IMITATED_STEPS)?;
            (machine, lesson)
        } else {
            let (machine, start) = rewarded(schedule.cores, &mut rng);
            trainer.reseed(rng.random());
            let limit = Limit::new(&machine, &start, &options, None, deadline);
            let mut best = Best { state: start.clone(), score: machine.score(&start), steps: 0 };
            let lesson = trainer.episode(&machine, &start, &mut best, &limit, None)?;
            if trainer.episodes == episode && deadline.over() {
                // Cut off before its update: it will be done again.
                return Ok(deadline.reason());
            }
            (machine, lesson)
        };
        trainer.episodes = episode + 1;
        let metrics = Metrics {
            episode,
            imitation,
            layers: machine.layers(),
            cores: machine.slots(),
            steps: trainer.steps,
            lesson,
        };
        observe(trainer, &metrics)?;
    }
    Ok(StopReason::Finished)
}

/// A chain of any family and size, on a chip of so many cores where they are given.
fn any_chain(cores: Option<usize>, rng: &mut ChaCha8Rng) -> Machine {
    let by_logarithm = |rng: &mut ChaCha8Rng, (low, high): (f64, f64)| low * (high / low).powf(rng.random());
    let drawn = by_logarithm(rng, CORES).round() as usize;
    let cores = cores.unwrap_or(drawn);
    let layers = (by_logarithm(rng, LAYERS_PER_CORE) * cores as f64) as usize;
    let profile = PROFILES[rng.random_range(0..PROFILES.len())];
    chain(layers.clamp(LAYERS.0, LAYERS.1), cores, profile, rng.random_range(0..UNSEEN))
}

/// The teacher's state, and its slowest stage in seconds.
fn known_best(machine: &Machine) -> Option<(State, f64)> {
    let (borders, target) = teacher::best(machine, &Demands::of(machine))?;
    teacher::state_of(&borders).map(|state| (state, target))
}

fn walk(state: &mut State, steps: usize, rng: &mut ChaCha8Rng) {
    for _ in 0..steps {
        let number = rng.random_range(0..state.actions());
        if let Some(action) = Action::from_number(number, state.cores()) {
            state.apply(action);
        }
    }
}

/// A chain with its optimum, and states on the way there: the target the policy is told is the optimum or somewhat
/// more, or less than can be kept.
fn imitated(cores: Option<usize>, rng: &mut ChaCha8Rng) -> (Machine, Vec<Imitation>) {
    loop {
        let machine = any_chain(cores, rng);
        let (layers, cores) = (machine.layers(), machine.slots());
        let Some((optimal, optimum)) = known_best(&machine) else { continue };
        let starts = (0..STARTS)
            .filter_map(|which| {
                let state = match which % 4 {
                    0 => State::spread(layers, cores)?,
                    1 => random_state(layers, cores, rng)?,
                    2 => {
                        let mut state = optimal.clone();
                        walk(&mut state, rng.random_range(2..60), rng);
                        state
                    }
                    _ => {
                        let mut state = State::spread(layers, cores)?;
                        walk(&mut state, rng.random_range(2..200), rng);
                        state
                    }
                };
                let slack = [1.0, 1.0 + 0.02 * rng.random::<f64>(), 1.0 + 0.15 * rng.random::<f64>()];
                let wanted_seconds = optimum * slack[rng.random_range(0..slack.len())];
                let target_seconds = if rng.random_range(0..4) == 0 {
                    let bound = machine.ideal_seconds();
                    bound + rng.random::<f64>() * (wanted_seconds - bound)
                } else {
                    wanted_seconds
                };
                let ahead = if which % 4 == 2 { 0.0 } else { rng.random() };
                Some(Imitation { state, wanted_seconds, target_seconds, ahead })
            })
            .collect();
        return (machine, starts);
    }
}

/// A chain and a state to start from: even, drawn at random, or a short walk away from the best.
fn rewarded(cores: Option<usize>, rng: &mut ChaCha8Rng) -> (Machine, State) {
    loop {
        let machine = any_chain(cores, rng);
        let (layers, cores) = (machine.layers(), machine.slots());
        let start = match rng.random_range(0..3) {
            0 => State::spread(layers, cores),
            1 => random_state(layers, cores, rng),
            _ => known_best(&machine).map(|(mut state, _)| {
                walk(&mut state, rng.random_range(2..40), rng);
                state
            }),
        };
        if let Some(start) = start {
            return (machine, start);
        }
    }
}
