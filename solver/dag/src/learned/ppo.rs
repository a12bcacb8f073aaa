//! Proximal policy optimisation (Schulman et al., 2017) of the learned placer, with a value network as critic and
//! generalised advantages (Schulman et al., 2016).
//!
//! The reward of a step is minus the growth of the largest load in units of the board, so the return of an episode is
//! minus the value of its plan over the work bound; where no device may have the next group the episode ends at a loss.

use std::path::Path;

use ballast_core::limits::Deadline;
use ballast_learner_client::perceptron::{Perceptron, Scratch, draw, softmax};
use ballast_learner_client::saved::{SavedError, decode, encode};
use ballast_learner_client::{
    Activation, Figures, Head, Learner, LearnerError, Network, NetworkConfig, PolicyUpdate, ValueUpdate,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::learned::board::Board;
use crate::learned::building::{Building, FEATURES};

/// The placer that ships with Ballast, made by `ballast lab train dag`.
static PRETRAINED: &[u8] = include_bytes!("pretrained.net");

/// What the file is for; the number changes with the meaning of the inputs.
const KIND: &str = "partition-dag/1";

/// Reward of an episode that cannot go on.
const STUCK: f64 = -3.0;

/// Weight of later rewards: none is worth less for coming later.
const LAMBDA: f64 = 0.95;

/// Passes over the samples of an update, samples of one step of Adam, and PPO's clip range.
const PASSES: usize = 3;
const MINIBATCH: usize = 256;
const CLIP: f64 = 0.2;
/// A pass that moved the policy further than this ends the update.
const MOST_KL: f64 = 0.03;
/// Most samples of one update; of longer episodes an even choice.
const MOST_SAMPLES: usize = 1024;
const LARGEST_GRADIENT: f64 = 0.5;

/// Options of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Step size of the policy.
    pub policy_rate: f64,
    /// Step size of the critic.
    pub value_rate: f64,
    /// Weight of the entropy bonus.
    pub entropy_weight: f64,
    /// Episodes of one update, all on the same graph.
    pub episodes: usize,
}

impl Default for Rates {
    fn default() -> Self {
        Rates { policy_rate: 1e-3, value_rate: 2e-3, entropy_weight: 0.003, episodes: 8 }
    }
}

/// What one update was like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Counted from 0 over all runs that were resumed.
    pub update: usize,
    /// Groups placed in an episode.
    pub groups: usize,
    /// Devices.
    pub devices: usize,
    /// Mean return of the episodes: minus the largest load over the work bound, or worse where they got stuck.
    #[serde(rename = "return")]
    pub mean_return: f64,
    /// Largest load of the best episode over the work bound; infinite ones are left out.
    pub best: Option<f64>,
    /// Episodes that got stuck.
    pub stuck: usize,
    /// Share of the variance of the returns that the critic explains.
    pub explained_variance: f64,
    /// Last step of the policy.
    #[serde(flatten)]
    pub figures: Figures,
    /// Mean squared error of the critic.
    pub value_loss: f64,
}

/// Why the placer could not be made or trained.
#[derive(Debug, thiserror::Error)]
pub enum PlacerError {
    /// No library, or it refused.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// A saved network that cannot be used.
    #[error(transparent)]
    Saved(#[from] SavedError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    policy: NetworkConfig,
    value: NetworkConfig,
    updates: usize,
}

/// The shapes of both networks.
fn shapes(seed: u64) -> (NetworkConfig, NetworkConfig) {
    let shape = |head, seed| NetworkConfig {
        layers: vec![FEATURES, 64, 64, 1],
        head,
        activation: Activation::Tanh,
        seed,
    };
    (shape(Head::Policy, seed), shape(Head::Value, seed.wrapping_add(1)))
}

/// A placer that acts.
#[derive(Clone, Debug)]
pub struct Placer {
    header_updates: usize,
    shapes: (NetworkConfig, NetworkConfig),
    states: (Vec<f32>, Vec<f32>),
    policy: Perceptron,
    value: Perceptron,
}

/// One decision.
struct Sample {
    input: Vec<f32>,
    allowed: Vec<u8>,
    action: usize,
    log_probability: f32,
    value: f64,
    reward: f64,
}

/// One finished or stuck episode.
pub struct Episode {
    samples: Vec<Sample>,
    /// Device of every group of the board; none where the episode got stuck.
    pub placement: Option<Vec<usize>>,
    /// Largest load in units of the board.
    pub max_load: f64,
}

impl Placer {
    /// The placer that ships with Ballast.
    ///
    /// # Errors
    /// None in practice.
    pub fn pretrained() -> Result<Self, PlacerError> {
        Placer::from_file(PRETRAINED)
    }

    /// Reads a saved placer.
    ///
    /// # Errors
    /// For damaged files, other files and those of another version.
    pub fn from_file(bytes: &[u8]) -> Result<Self, PlacerError> {
        let (header, parts) = decode::<Header>(KIND, bytes)?;
        let [policy, value] = <[Vec<f32>; 2]>::try_from(parts)
            .map_err(|_| SavedError::new("a placer has two networks, and this file other parts"))?;
        let wanted = shapes(0);
        let ends = |config: &NetworkConfig| (config.layers.first().copied(), config.layers.last().copied());
        if ends(&header.policy) != ends(&wanted.0) || ends(&header.value) != ends(&wanted.1) {
            return Err(SavedError::new("networks of other shapes than a placer needs").into());
        }
        Placer::new((header.policy, header.value), (policy, value), header.updates)
    }

    fn new(
        shapes: (NetworkConfig, NetworkConfig),
        states: (Vec<f32>, Vec<f32>),
        header_updates: usize,
    ) -> Result<Self, PlacerError> {
        let policy = Perceptron::new(&shapes.0, &states.0)?;
        let value = Perceptron::new(&shapes.1, &states.1)?;
        Ok(Placer { header_updates, shapes, states, policy, value })
    }

    /// The placer as a file, with its optimisers.
    ///
    /// # Errors
    /// None in practice: a header that has no JSON form.
    pub fn to_file(&self) -> Result<Vec<u8>, PlacerError> {
        let (policy, value) = self.shapes.clone();
        let header = Header { policy, value, updates: self.header_updates };
        Ok(encode(KIND, &header, &[&self.states.0, &self.states.1])?)
    }

    /// Updates it has learned from.
    #[must_use]
    pub fn updates(&self) -> usize {
        self.header_updates
    }

    /// Places all groups of a board, one pass; without random numbers always on the likeliest device. None when the
    /// clock is over before the end.
    pub fn place(
        &self,
        board: &Board,
        mut random: Option<&mut ChaCha8Rng>,
        clock: &Deadline,
    ) -> Option<Episode> {
        let mut building = Building::new(board);
        let mut scratch = Scratch::default();
        let (mut rows, mut allowed, mut logits) = (Vec::new(), Vec::new(), Vec::new());
        let mut samples: Vec<Sample> = Vec::with_capacity(board.steps());
        let mut before = 0.0;
        while !building.finished() {
            if samples.len().is_multiple_of(64) && clock.over() {
                return None;
            }
            building.look(&mut rows, &mut allowed);
            if allowed.iter().all(|&allowed| allowed == 0) {
                if let Some(last) = samples.last_mut() {
                    last.reward += STUCK;
                }
                return Some(Episode { samples, placement: None, max_load: f64::INFINITY });
            }
            logits.clear();
            let mut value = 0.0;
            for row in rows.chunks_exact(FEATURES) {
                self.policy.row(row, &mut scratch);
                logits.push(scratch.outputs()[0]);
                self.value.row(row, &mut scratch);
                value += f64::from(scratch.outputs()[0]);
            }
            softmax(&mut logits, Some(&allowed));
            let action = match &mut random {
                Some(rng) => draw(&logits, rng.random()),
                None => (0..logits.len()).rev().max_by(|&a, &b| logits[a].total_cmp(&logits[b]))?,
            };
            building.place(action);
            let after = building.max_load();
            samples.push(Sample {
                input: rows.clone(),
                allowed: allowed.clone(),
                action,
                log_probability: logits[action].max(f32::MIN_POSITIVE).ln(),
                value: value / logits.len() as f64,
                reward: before - after,
            });
            before = after;
        }
        let max_load = building.max_load();
        Some(Episode { samples, placement: Some(building.placement().to_vec()), max_load })
    }
}

/// A placer with its networks in the library, to be trained.
pub struct Trainer {
    /// The placer as it acts now.
    pub placer: Placer,
    policy: Network,
    value: Network,
}

/// What every step of some episodes was worth, in their order.
struct Credit {
    /// Advantages (Schulman and others, 2016: generalised advantage estimation, without discount).
    advantages: Vec<f64>,
    /// Rewards from the step on.
    returns: Vec<f64>,
    /// What the value network said.
    values: Vec<f64>,
}

impl Credit {
    fn of(episodes: &[Episode]) -> Self {
        let (mut advantages, mut returns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for episode in episodes {
            let (mut advantage, mut next, mut ahead) = (0.0, 0.0, 0.0);
            let start = advantages.len();
            for sample in episode.samples.iter().rev() {
                advantage = sample.reward + next - sample.value + LAMBDA * advantage;
                next = sample.value;
                ahead += sample.reward;
                advantages.push(advantage);
                returns.push(ahead);
                values.push(sample.value);
            }
            for backwards in [&mut advantages, &mut returns, &mut values] {
                backwards[start..].reverse();
            }
        }
        Self { advantages, returns, values }
    }
}

impl Trainer {
    /// A fresh placer.
    ///
    /// # Errors
    /// When the library cannot be used.
    pub fn fresh(library: Option<&Path>, seed: u64) -> Result<Self, PlacerError> {
        let learner = Learner::open(library)?;
        let shapes = shapes(seed);
        let mut policy = Network::new(&learner, &shapes.0)?;
        let mut value = Network::new(&learner, &shapes.1)?;
        let states = (policy.state()?, value.state()?);
        Ok(Trainer { placer: Placer::new(shapes, states, 0)?, policy, value })
    }

    /// Goes on from a placer.
    ///
    /// # Errors
    /// When the library cannot be used.
    pub fn resume(library: Option<&Path>, placer: Placer) -> Result<Self, PlacerError> {
        let learner = Learner::open(library)?;
        let mut policy = Network::new(&learner, &placer.shapes.0)?;
        let mut value = Network::new(&learner, &placer.shapes.1)?;
        policy.set_state(&placer.states.0)?;
        value.set_state(&placer.states.1)?;
        Ok(Trainer { placer, policy, value })
    }

    /// Runs episodes on a board and learns from them. `offer` sees every finished placement with its value in units.
    /// None, and nothing learned, when the clock was over first.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn update(
        &mut self,
        board: &Board,
        rates: &Rates,
        rng: &mut ChaCha8Rng,
        clock: &Deadline,
        mut offer: impl FnMut(&[usize], f64),
    ) -> Result<Option<Metrics>, PlacerError> {
        let mut episodes = Vec::with_capacity(rates.episodes);
        for _ in 0..rates.episodes {
            let Some(episode) = self.placer.place(board, Some(rng), clock) else { return Ok(None) };
            if let Some(placement) = &episode.placement {
                offer(placement, episode.max_load);
            }
            episodes.push(episode);
        }
        let Credit { advantages, returns, values } = Credit::of(&episodes);
        let samples: Vec<&Sample> = episodes.iter().flat_map(|episode| &episode.samples).collect();
        let first = |episode: &Episode| episode.samples.iter().map(|sample| sample.reward).sum::<f64>();
        let best = episodes.iter().map(|episode| episode.max_load).fold(f64::INFINITY, f64::min);
        let errors: Vec<f64> = returns.iter().zip(&values).map(|(r, v)| r - v).collect();
        let spread = variance(&returns);
        let mut metrics = Metrics {
            update: self.placer.header_updates,
            groups: board.steps(),
            devices: board.devices(),
            mean_return: episodes.iter().map(first).sum::<f64>() / episodes.len() as f64,
            best: best.is_finite().then_some(best),
            stuck: episodes.iter().filter(|episode| episode.placement.is_none()).count(),
            explained_variance: if spread > 0.0 { 1.0 - variance(&errors) / spread } else { 0.0 },
            ..Metrics::default()
        };
        let scale = 1.0 / (variance(&advantages).sqrt() + 1e-8);
        let mean = advantages.iter().sum::<f64>() / advantages.len().max(1) as f64;
        let stride = samples.len().div_ceil(MOST_SAMPLES).max(1);
        // Where there is one device to choose there is nothing to learn.
        let mut chosen: Vec<usize> = (0..samples.len())
            .step_by(stride)
            .filter(|&i| samples[i].allowed.iter().filter(|&&allowed| allowed != 0).count() > 1)
            .collect();
        'passes: for _ in 0..PASSES {
            shuffle(&mut chosen, rng);
            for part in chosen.chunks(MINIBATCH) {
                let gathered = Gathered::new(part, &samples);
                let part_advantages: Vec<f32> =
                    part.iter().map(|&i| ((advantages[i] - mean) * scale) as f32).collect();
                metrics.figures = self.policy.update_policy(&PolicyUpdate {
                    rows: board.devices(),
                    input: &gathered.input,
                    allowed: Some(&gathered.allowed),
                    actions: &gathered.actions,
                    advantages: &part_advantages,
                    old_log_probabilities: Some(&gathered.log_probabilities),
                    learning_rate: rates.policy_rate,
                    entropy_weight: rates.entropy_weight,
                    clip: CLIP,
                    clip_norm: LARGEST_GRADIENT,
                })?;
                let targets: Vec<f32> = part.iter().map(|&i| returns[i] as f32).collect();
                let done = self.value.update_value(&ValueUpdate {
                    rows: board.devices(),
                    input: &gathered.input,
                    targets: &targets,
                    learning_rate: rates.value_rate,
                    clip_norm: LARGEST_GRADIENT,
                })?;
                metrics.value_loss = done.loss;
                if metrics.figures.kl > MOST_KL {
                    break 'passes;
                }
            }
        }
        let states = (self.policy.state()?, self.value.state()?);
        self.placer = Placer::new(self.placer.shapes.clone(), states, self.placer.header_updates + 1)?;
        Ok(Some(metrics))
    }

    /// Trains until the placer has learned from `updates` updates, each on a board of its own, which `board` makes from
    /// random numbers that depend on the seed and the update's number alone: a resumed training goes on as if it had not
    /// been interrupted. The step size falls evenly to a tenth. `observe` may save the placer; it ends the training by
    /// saying no.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn train(
        &mut self,
        updates: usize,
        seed: u64,
        rates: &Rates,
        clock: &Deadline,
        mut board: impl FnMut(&mut ChaCha8Rng) -> Board,
        mut observe: impl FnMut(&Placer, &Metrics) -> bool,
    ) -> Result<(), PlacerError> {
        for update in self.placer.header_updates..updates {
            if clock.over() {
                break;
            }
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(update as u64);
            let board = board(&mut rng);
            let share = 1.0 - 0.9 * update as f64 / updates as f64;
            let rates = Rates {
                policy_rate: rates.policy_rate * share,
                value_rate: rates.value_rate * share,
                ..*rates
            };
            let Some(metrics) = self.update(&board, &rates, &mut rng, clock, |_, _| {})? else { break };
            if !observe(&self.placer, &metrics) {
                break;
            }
        }
        Ok(())
    }
}

struct Gathered {
    input: Vec<f32>,
    allowed: Vec<u8>,
    actions: Vec<i64>,
    log_probabilities: Vec<f32>,
}

impl Gathered {
    fn new(part: &[usize], samples: &[&Sample]) -> Self {
        let of = || part.iter().map(|&i| samples[i]);
        Gathered {
            input: of().flat_map(|sample| sample.input.iter().copied()).collect(),
            allowed: of().flat_map(|sample| sample.allowed.iter().copied()).collect(),
            actions: of().map(|sample| sample.action as i64).collect(),
            log_probabilities: of().map(|sample| sample.log_probability).collect(),
        }
    }
}

/// Fisher and Yates.
fn shuffle(items: &mut [usize], rng: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.random_range(0..=last));
    }
}

fn variance(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count
}
