//! Episodes, REINFORCE updates, and the answer: the best state seen.

use std::path::{Path, PathBuf};

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_learner_client::saved::{SavedError, decode, encode};
use ballast_learner_client::{Figures, Learner, LearnerError, Network, NetworkConfig, PolicyUpdate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::rl::classical::{Best, better, random_state};
use crate::rl::environment::{Action, State};
use crate::rl::machine::{Judge, Machine, Reward};
use crate::rl::policy::View;
use crate::rl::rollout::{Rollout, Sample, draw, gather};

/// The policy that ships with Ballast: pairs, trained by `ballast train` on generated chains.
static PRETRAINED: &[u8] = include_bytes!("pretrained.net");

/// Where the weights come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// The policy that ships with Ballast, where it fits the view; else fresh ones.
    #[default]
    Pretrained,
    /// Fresh ones, from the seed: action probabilities start uniform.
    Fresh,
    /// A saved network.
    File(PathBuf),
}

/// Options of the learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How the policy sees a state.
    pub view: View,
    /// Where its weights come from.
    pub weights: Weights,
    /// Where the trained network goes.
    pub save: Option<PathBuf>,
    /// What is rewarded.
    pub reward: Reward,
    /// `a`; none: 1 / (a lower bound on the slowest stage) for [`Reward::MaxTime`], 1 for [`Reward::Weighted`].
    pub scale: Option<f64>,
    /// `b`, below zero, while any stage is over its memory.
    pub penalty: f64,
    /// An episode ends as soon as a state has this reward.
    pub target_reward: Option<f64>,
    /// Most steps of an episode; none: as many as a state has layers and cores, four times over, at least 64.
    pub max_steps: Option<usize>,
    /// Episodes, one update each.
    pub episodes: usize,
    /// Environments stepped as one batch in every episode.
    pub environments: usize,
    /// Step size of Adam; 0: the policy only acts.
    pub learning_rate: f64,
    /// Weight of a reward one step later against one now.
    pub discount: f64,
    /// Subtract the mean return of the other environments at the same step, and scale by the spread.
    pub baseline: bool,
    /// Weight of the entropy bonus.
    pub entropy_weight: f64,
    /// Give invalid actions probability zero.
    pub mask_invalid: bool,
    /// Learn from the change of a smooth potential besides the reward (Ng, Harada and Russell, 1999).
    pub shaping: bool,
    /// Start every episode from a random state instead of the given one.
    pub random_start: bool,
    /// Of four environments one starts from the given state, one from a random one, two from the best so far.
    /// Otherwise all start from the given state, or all from random ones.
    pub mixed_starts: bool,
    /// The learner library; none: beside the program.
    pub library: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            view: View::Pairs,
            weights: Weights::Pretrained,
            save: None,
            reward: Reward::MaxTime,
            scale: None,
            penalty: -1.0,
            target_reward: None,
            max_steps: None,
            episodes: 50,
            environments: 8,
            learning_rate: 1e-3,
            discount: 0.9,
            baseline: true,
            entropy_weight: 0.01,
            mask_invalid: true,
            shaping: true,
            random_start: false,
            mixed_starts: true,
            library: None,
        }
    }
}

impl Options {
    /// Everything as published: no baseline, no entropy bonus, no masks, one environment, the flat view.
    #[must_use]
    pub fn published() -> Self {
        Options {
            view: View::Flat,
            weights: Weights::Fresh,
            environments: 1,
            discount: 1.0,
            baseline: false,
            entropy_weight: 0.0,
            mask_invalid: false,
            shaping: false,
            mixed_starts: false,
            ..Options::default()
        }
    }
}

/// What one episode was like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Episode {
    /// Counted from 0.
    pub episode: usize,
    /// Environment steps so far.
    pub steps: u64,
    /// Mean reward per step.
    pub mean_reward: f64,
    /// Slowest stage of the best state so far, seconds.
    pub best_seconds: f64,
    /// The same over the lower bound.
    pub best_over_bound: f64,
    /// The update.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Why the learner could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No library, or it refused.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// A saved network that cannot be used.
    #[error("{path}: {source}")]
    Saved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: SavedError,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Options that make no sense.
    #[error("{0}")]
    Options(String),
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The best state seen, the start included.
    pub best: Best,
    /// Episodes run.
    pub episodes: usize,
    /// Environment steps taken.
    pub steps: u64,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

/// A policy at work on one machine after another.
pub struct Trainer {
    options: Options,
    network: Network,
    cores: usize,
    rng: ChaCha8Rng,
    /// Environment steps taken.
    pub steps: u64,
    /// Episodes this policy has finished, those before it was saved included.
    pub episodes: usize,
}

/// What a saved policy says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    network: NetworkConfig,
    episodes: usize,
}

/// Most samples one update looks at; of longer episodes an even choice.
const MOST_SAMPLES: usize = 2048;
/// Gradients longer than this are shortened to it.
const LARGEST_GRADIENT: f64 = 1.0;

impl Trainer {
    /// A policy for machines with `cores` cores (any number of them for [`View::Pairs`]).
    ///
    /// # Errors
    /// When the library or the saved network cannot be used, or an option makes no sense.
    pub fn new(options: Options, cores: usize, seed: u64) -> Result<Self, Error> {
        check(&options)?;
        let kind = options.view.kind(cores);
        let shape = options.view.network(cores, seed);
        let read = |path: &Path, bytes: &[u8]| saved_network(&kind, &shape, path, bytes);
        let saved = match &options.weights {
            Weights::Fresh => None,
            Weights::File(path) => {
                let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.clone(), source })?;
                Some(read(path, &bytes)?)
            }
            Weights::Pretrained if options.view == View::Pairs => {
                Some(read(Path::new("the policy that ships with ballast"), PRETRAINED)?)
            }
            Weights::Pretrained => None,
        };
        let learner = Learner::open(options.library.as_deref())?;
        let (network, episodes) = match saved {
            Some((header, state)) => {
                let mut network = Network::new(&learner, &header.network)?;
                network.set_state(&state)?;
                (network, header.episodes)
            }
            None => (Network::new(&learner, &shape)?, 0),
        };
        Ok(Trainer { options, network, cores, rng: ChaCha8Rng::seed_from_u64(seed), steps: 0, episodes })
    }

    /// Draws the random numbers from here on from another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    /// The network and its optimiser as a file.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn to_file(&mut self) -> Result<Vec<u8>, Error> {
        let state = self.network.state()?;
        let header = Header { network: self.network.config().clone(), episodes: self.episodes };
        encode(&self.options.view.kind(self.cores), &header, &[&state])
            .map_err(|source| Error::Saved { path: PathBuf::new(), source })
    }

    /// Writes the network: first under another name, then renamed, so that no half-written file is left.
    ///
    /// # Errors
    /// When the library refuses, or the file cannot be written.
    pub fn save(&mut self, path: &Path) -> Result<(), Error> {
        let bytes = self.to_file()?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        std::fs::write(&partial, bytes)
            .and_then(|()| std::fs::rename(&partial, path))
            .map_err(|source| Error::Io { path: path.to_path_buf(), source })
    }

    /// One episode on `machine` and, unless the learning rate is 0, one update over it. `best` is renewed.
    ///
    /// Returns the mean reward and the update's figures; an episode cut off by the deadline or the work limit
    /// makes no update.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn episode(
        &mut self,
        machine: &Machine,
        start: &State,
        best: &mut Best,
        limit: &Limit<'_>,
    ) -> Result<(f64, Figures), Error> {
        let view = self.options.view;
        let (cores, count) = (machine.slots(), self.options.environments);
        let (row_length, actions) = (view.rows(cores) * view.inputs(cores), start.actions());
        let mut rollout = Rollout::default();
        let mut environments = Vec::with_capacity(count);
        for e in 0..count {
            let state = match (self.options.mixed_starts, e % 4) {
                (true, 1 | 3) => Some(best.state.clone()),
                (true, 2) => random_state(machine.layers(), cores, &mut self.rng),
                (false, _) if self.options.random_start => {
                    random_state(machine.layers(), cores, &mut self.rng)
                }
                _ => None,
            };
            environments.push(Some(Walker::new(machine, limit, state.unwrap_or_else(|| start.clone()))));
        }
        for environment in environments.iter().flatten() {
            renew(best, &environment.state, machine, self.steps);
        }
        let mut cut_off = false;
        for step in 0..limit.max_steps {
            if limit.over(self.steps) {
                cut_off = true;
                break;
            }
            let active: Vec<usize> = (0..count).filter(|&e| environments[e].is_some()).collect();
            if active.is_empty() {
                break;
            }
            let (mut input, mut allowed) = (Vec::new(), Vec::new());
            for environment in environments.iter().flatten() {
                view.encode(machine, &environment.state, limit.ideal, &mut input, &mut allowed);
            }
            // A state without a valid action ends its episode.
            let stuck: Vec<bool> = allowed.chunks(actions).map(|mask| mask.iter().all(|&a| a == 0)).collect();
            let mask = self.options.mask_invalid && !stuck.iter().any(|&stuck| stuck);
            let probabilities =
                self.network.forward(active.len(), view.rows(cores), &input, mask.then_some(&allowed))?;
            for (place, &e) in active.iter().enumerate() {
                let Some(walker) = &mut environments[e] else { continue };
                if stuck[place] {
                    environments[e] = None;
                    continue;
                }
                let row = &probabilities[place * actions..(place + 1) * actions];
                let number = draw(row, self.rng.random());
                let reward = match Action::from_number(number, cores) {
                    Some(action) => walker.step(machine, limit, action, self.options.shaping),
                    None => 0.0,
                };
                self.steps += 1;
                if better(&walker.score, &best.score) {
                    *best = Best { state: walker.state.clone(), score: walker.score, steps: self.steps };
                }
                rollout.push(Sample { environment: e, step, action: number as i64, reward, masked: mask });
                rollout.input.extend(&input[place * row_length..(place + 1) * row_length]);
                rollout.allowed.extend(&allowed[place * actions..(place + 1) * actions]);
                rollout.rewards += walker.reward;
                if self.options.target_reward.is_some_and(|target| walker.reward >= target) {
                    environments[e] = None;
                }
            }
        }
        self.episodes += usize::from(!cut_off);
        let mean = rollout.rewards / rollout.samples.len().max(1) as f64;
        let figures = if cut_off || rollout.samples.is_empty() || self.options.learning_rate == 0.0 {
            Figures::default()
        } else {
            self.update(&rollout, row_length, actions, view.rows(cores))?
        };
        Ok((mean, figures))
    }

    fn update(
        &mut self,
        rollout: &Rollout,
        row_length: usize,
        actions: usize,
        rows: usize,
    ) -> Result<Figures, Error> {
        let advantages = rollout.advantages(&self.options);
        let stride = rollout.samples.len().div_ceil(MOST_SAMPLES);
        let chosen: Vec<usize> = (0..rollout.samples.len()).step_by(stride).collect();
        let input: Vec<f32> = gather(&rollout.input, &chosen, row_length);
        let allowed: Vec<u8> = gather(&rollout.allowed, &chosen, actions);
        let masked = chosen.iter().all(|&i| rollout.samples[i].masked);
        let taken: Vec<i64> = chosen.iter().map(|&i| rollout.samples[i].action).collect();
        let advantages: Vec<f32> = chosen.iter().map(|&i| advantages[i]).collect();
        let update = PolicyUpdate {
            rows,
            input: &input,
            allowed: masked.then_some(&allowed),
            actions: &taken,
            advantages: &advantages,
            old_log_probabilities: None,
            learning_rate: self.options.learning_rate,
            entropy_weight: self.options.entropy_weight,
            clip: 0.0,
            clip_norm: LARGEST_GRADIENT,
        };
        Ok(self.network.update_policy(&update)?)
    }
}

/// Searches and learns on one machine. `observe` is told about every episode.
///
/// # Errors
/// When the library or the saved network cannot be used, or an option makes no sense.
pub fn run(
    machine: &Machine,
    start: &State,
    options: &Options,
    limits: &Limits,
    deadline: &Deadline,
    mut observe: impl FnMut(&Episode),
) -> Result<Answer, Error> {
    let mut best = Best { state: start.clone(), score: machine.score(start), steps: 0 };
    let finished = |best, episodes, steps, stop_reason| Ok(Answer { best, episodes, steps, stop_reason });
    if machine.slots() < 2 || start.cores() != machine.slots() {
        return finished(best, 0, 0, StopReason::Finished);
    }
    let mut trainer = Trainer::new(options.clone(), machine.slots(), limits.seed)?;
    let limit = Limit::new(machine, start, options, limits.work_limit, deadline);
    let mut episode = 0;
    let mut stop_reason = StopReason::Finished;
    while episode < options.episodes {
        if limit.over(trainer.steps) {
            stop_reason = limit.reason(trainer.steps);
            break;
        }
        let (mean_reward, figures) = trainer.episode(machine, start, &mut best, &limit)?;
        observe(&Episode {
            episode,
            steps: trainer.steps,
            mean_reward,
            best_seconds: best.score.tmax_seconds,
            best_over_bound: best.score.tmax_seconds / limit.ideal,
            figures,
        });
        episode += 1;
        if best.score.violations == 0 && best.score.tmax_seconds <= limit.ideal {
            stop_reason = StopReason::Proved;
            break;
        }
    }
    if let Some(path) = &options.save {
        trainer.save(path)?;
    }
    finished(best, episode, trainer.steps, stop_reason)
}

/// Reads a saved network that fits where one of `shape` is needed.
fn saved_network(
    kind: &str,
    shape: &NetworkConfig,
    path: &Path,
    bytes: &[u8],
) -> Result<(Header, Vec<f32>), Error> {
    let (header, parts) =
        decode::<Header>(kind, bytes).map_err(|source| Error::Saved { path: path.to_path_buf(), source })?;
    let ends = |config: &NetworkConfig| (config.layers.first().copied(), config.layers.last().copied());
    let config = &header.network;
    match <[Vec<f32>; 1]>::try_from(parts) {
        Ok([state]) if ends(config) == ends(shape) && config.head == shape.head => Ok((header, state)),
        _ => Err(Error::Options(format!(
            "{}: a network of layers {:?} where one of {:?} is needed",
            path.display(),
            config.layers,
            shape.layers
        ))),
    }
}

fn check(options: &Options) -> Result<(), Error> {
    let refuse = |text: &str| Err(Error::Options(text.into()));
    if options.environments == 0 || options.environments > 4096 {
        return refuse("the number of environments is 1 to 4096");
    }
    if options.max_steps == Some(0) {
        return refuse("an episode has at least one step");
    }
    if !(options.learning_rate.is_finite() && options.learning_rate >= 0.0) {
        return refuse("the learning rate is a number, 0 or above");
    }
    if !(0.0..=1.0).contains(&options.discount) {
        return refuse("the discount lies between 0 and 1");
    }
    if !(options.entropy_weight.is_finite() && options.entropy_weight >= 0.0) {
        return refuse("the entropy weight is a number, 0 or above");
    }
    if options.scale.is_some_and(|scale| !(scale.is_finite() && scale > 0.0)) {
        return refuse("the reward scale is above 0");
    }
    if !(options.penalty.is_finite() && options.penalty < 0.0) {
        return refuse("the penalty for memory over the cap is below 0");
    }
    if let Reward::Weighted { compute, memory, route } = options.reward
        && (![compute, memory, route].iter().all(|w| w.is_finite() && *w >= 0.0)
            || compute + memory + route <= 0.0)
    {
        return refuse("the weights of the reward are 0 or above, and one of them is above 0");
    }
    Ok(())
}

/// What bounds an episode on one machine.
pub struct Limit<'a> {
    judge: Judge,
    ideal: f64,
    max_steps: usize,
    work_limit: Option<u64>,
    deadline: &'a Deadline,
}

impl<'a> Limit<'a> {
    /// The limits of episodes on `machine` that begin at `start`.
    #[must_use]
    pub fn new(
        machine: &Machine,
        start: &State,
        options: &Options,
        work_limit: Option<u64>,
        deadline: &'a Deadline,
    ) -> Self {
        let ideal = machine.ideal_seconds().max(f64::MIN_POSITIVE);
        let scale = options.scale.unwrap_or(match options.reward {
            Reward::MaxTime => 1.0 / ideal,
            Reward::Weighted { .. } => 1.0,
        });
        let judge =
            Judge { reward: options.reward, scale, penalty: options.penalty, start: machine.score(start) };
        let natural = (4 * (machine.layers() + machine.slots())).max(64);
        Limit { judge, ideal, max_steps: options.max_steps.unwrap_or(natural), work_limit, deadline }
    }

    fn over(&self, steps: u64) -> bool {
        self.work_limit.is_some_and(|limit| steps >= limit) || self.deadline.over()
    }

    fn reason(&self, steps: u64) -> StopReason {
        if self.work_limit.is_some_and(|limit| steps >= limit) {
            StopReason::WorkLimit
        } else {
            self.deadline.reason()
        }
    }
}

/// One environment of an episode.
struct Walker {
    state: State,
    score: crate::rl::machine::Score,
    reward: f64,
    potential: f64,
}

impl Walker {
    fn new(machine: &Machine, limit: &Limit<'_>, state: State) -> Self {
        let score = machine.score(&state);
        let potential = machine.potential(&state, limit.ideal);
        Walker { score, reward: limit.judge.reward(&score), potential, state }
    }

    /// Takes an action; returns what is to be learned from. With shaping that is the change of potential and
    /// of reward, without it the reward itself.
    fn step(&mut self, machine: &Machine, limit: &Limit<'_>, action: Action, shaping: bool) -> f64 {
        let (old_reward, old_potential) = (self.reward, self.potential);
        if self.state.apply(action) {
            self.score = machine.score(&self.state);
            self.reward = limit.judge.reward(&self.score);
            self.potential = machine.potential(&self.state, limit.ideal);
        }
        if shaping { (self.reward - old_reward) + (self.potential - old_potential) } else { self.reward }
    }
}

fn renew(best: &mut Best, state: &State, machine: &Machine, steps: u64) {
    let score = machine.score(state);
    if better(&score, &best.score) {
        *best = Best { state: state.clone(), score, steps };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_options_are_refused() {
        let bad = [
            Options { environments: 0, ..Options::default() },
            Options { max_steps: Some(0), ..Options::default() },
            Options { learning_rate: f64::NAN, ..Options::default() },
            Options { discount: 1.5, ..Options::default() },
            Options { penalty: 0.0, ..Options::default() },
            Options { scale: Some(0.0), ..Options::default() },
            Options {
                reward: Reward::Weighted { compute: 0.0, memory: 0.0, route: 0.0 },
                ..Options::default()
            },
        ];
        for options in bad {
            assert!(check(&options).is_err(), "{options:?}");
        }
    }
}
