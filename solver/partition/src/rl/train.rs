//! Episodes, REINFORCE updates, and the answer: the best state seen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_learner_client::perceptron::Perceptron;
use ballast_learner_client::perceptron::draw;
use ballast_learner_client::saved::{decode, encode};
use ballast_learner_client::{Figures, Learner, Network, NetworkConfig, PolicyUpdate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::rl::classical::{Best, random_state};
use crate::rl::demand::Demands;
use crate::rl::environment::{Action, State};
use crate::rl::features::Aim;
use crate::rl::limit::{Limit, ROUNDING, Walker};
use crate::rl::machine::Machine;
use crate::rl::options::check;
pub use crate::rl::options::{Options, RlError, Setting, Weights};
use crate::rl::rollout::{Batch, Rollout, Sample, divergence};
use crate::rl::scene::Scene;
use crate::rl::splice::Seen;
use crate::rl::teacher;
pub use crate::rl::teacher::Imitation;

/// The policy that ships with Ballast: pairs, trained by `ballast lab train partition` on generated chains.
static PRETRAINED: &[u8] = include_bytes!("pretrained.net");

/// What one episode was like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Episode {
    /// Counted from 0.
    pub episode: usize,
    /// Environment steps so far.
    pub steps: u64,
    /// What it was like.
    #[serde(flatten)]
    pub outcome: Lesson,
    /// Slowest stage of the best state so far, seconds.
    pub best_seconds: f64,
    /// The same over the lower bound.
    pub best_over_bound: f64,
}

/// Rewards of an episode and its update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lesson {
    /// Mean reward per step; imitating, the share of steps on which the teacher's action was the likeliest.
    pub mean_reward: f64,
    /// Mean discounted return of an environment's first step.
    #[serde(rename = "return")]
    pub first_return: f64,
    /// Share of the variance of the returns that the baseline explains; 0 without one.
    pub explained_variance: f64,
    /// The update; its KL divergence is that of the policy after it from the policy before.
    #[serde(flatten)]
    pub figures: Figures,
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
    config: NetworkConfig,
    /// The network in the library; none where the policy only acts.
    network: Option<Network>,
    /// Weights and optimiser, as saved.
    state: Vec<f32>,
    policy: Perceptron,
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

/// Sharpness of environments that only act.
const SHARPNESS: [f32; 8] = [1.0, 2.0, 2.0, 4.0, 4.0, 3.0, 8.0, 6.0];
/// Temperatures such environments begin an episode at, in units of the potential, and the one all end at: an action
/// that lowers the potential is refused as in simulated annealing. None: nothing is refused.
const HOT: [Option<f64>; 8] = [None, Some(0.1), None, Some(0.01), None, Some(0.03), None, None];
const COLD: f64 = 2e-5;
impl Trainer {
    /// A policy for machines with `cores` cores (any number of them for [`View::Pairs`](crate::rl::policy::View)).
    /// The library is opened for fresh weights and for learning only.
    ///
    /// # Errors
    /// When the library or the saved network cannot be used, or an option makes no sense.
    pub fn new(options: Options, cores: usize, seed: u64) -> Result<Self, RlError> {
        check(&options)?;
        let kind = options.view.kind(cores);
        let shape = options.view.network(cores, seed);
        let read = |path: &Path, bytes: &[u8]| saved_network(&kind, &shape, path, bytes);
        let saved = match &options.weights {
            Weights::Fresh => None,
            Weights::File(path) => {
                let bytes = ballast_core::file::read(path)
                    .map_err(|source| RlError::Io { path: path.clone(), source })?;
                Some(read(path, &bytes)?)
            }
            Weights::Pretrained if options.view == crate::rl::policy::View::Pairs => {
                Some(read(Path::new("the policy that ships with ballast"), PRETRAINED)?)
            }
            Weights::Pretrained => None,
        };
        let (config, episodes, state) = match saved {
            Some((header, state)) => (header.network, header.episodes, Some(state)),
            None => (shape, 0, None),
        };
        let mut network = None;
        if state.is_none() || options.learning_rate > 0.0 {
            let mut opened = Network::new(&Learner::open(options.library.as_deref())?, &config)?;
            if let Some(state) = &state {
                opened.set_state(state)?;
            }
            network = Some(opened);
        }
        let state = match (state, &mut network) {
            (Some(state), _) => state,
            (None, Some(network)) => {
                let mut state = network.state()?;
                if options.uniform_start {
                    clear_last_layer(&config, &mut state);
                    network.set_state(&state)?;
                }
                state
            }
            (None, None) => Vec::new(),
        };
        let policy = Perceptron::new(&config, &state)
            .map_err(|source| RlError::Saved { path: PathBuf::from("fresh weights"), source })?;
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Ok(Trainer { options, config, network, state, policy, cores, rng, steps: 0, episodes })
    }

    /// Draws the random numbers from here on from another seed.
    pub(crate) fn reseed(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    /// Sets the step size from here on.
    pub(super) fn set_rate(&mut self, learning_rate: f64) {
        self.options.learning_rate = learning_rate;
    }

    /// The network and its optimiser as a file.
    ///
    /// # Errors
    /// None in practice: a header that has no JSON form.
    pub fn to_file(&self) -> Result<Vec<u8>, RlError> {
        let header = Header { network: self.config.clone(), episodes: self.episodes };
        encode(&self.options.view.kind(self.cores), &header, &[&self.state])
            .map_err(|source| RlError::Saved { path: PathBuf::new(), source })
    }

    /// Writes the network, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), RlError> {
        let bytes = self.to_file()?;
        ballast_core::file::write(path, &bytes)
            .map_err(|source| RlError::Io { path: path.to_path_buf(), source })
    }

    /// Where environment `e` starts: see [`Options::mixed_starts`].
    fn start(&mut self, e: usize, machine: &Machine, start: &State, best: &Best, limit: &Limit<'_>) -> State {
        let (layers, cores) = (machine.layers(), machine.slots());
        let state = match (self.options.mixed_starts, e % 8) {
            (true, 1 | 3 | 5 | 7) => Some(best.state.clone()),
            (true, 4) => limit.demands.spread(best.score.tmax_seconds),
            (true, 2 | 6) if !limit.acts => random_state(layers, cores, &mut self.rng),
            (true, 6) if limit.episode == 0 => limit.demands.spread(limit.ideal),
            // Spreads for other targets are other groupings, each a good one to begin at.
            (true, 0 | 2 | 6) if limit.episode > 0 && limit.acts => {
                let share = self.rng.random_range(-0.5..1.5);
                limit.demands.spread(limit.ideal + share * (best.score.tmax_seconds - limit.ideal))
            }
            (false, _) if self.options.random_start => random_state(layers, cores, &mut self.rng),
            _ => None,
        };
        state.unwrap_or_else(|| start.clone())
    }

    /// What the logits of environment `e` are multiplied by. Where starts are mixed, those that start from the best state
    /// and those that do not learn act more surely than the policy says.
    fn sharpness(&self, e: usize, limit: &Limit<'_>) -> f32 {
        if self.options.mixed_starts && (e % 2 == 1 || limit.acts) {
            SHARPNESS[e % SHARPNESS.len()]
        } else {
            1.0
        }
    }

    /// One episode on `machine` and, unless the learning rate is 0, one update over it. `best` is renewed, and what is
    /// faster goes into `seen`.
    ///
    /// An environment that keeps its target gets a harder one and goes on. An episode cut off by the deadline or the
    /// work limit makes no update.
    ///
    /// # Errors
    /// When the library refuses.
    pub(super) fn episode(
        &mut self,
        machine: &Machine,
        start: &State,
        best: &mut Best,
        limit: &Limit<'_>,
        mut seen: Option<&mut Seen>,
    ) -> Result<Lesson, RlError> {
        let (cores, count) = (machine.slots(), self.options.environments);
        let mut walkers: Vec<Option<Walker<'_>>> =
            (0..count).map(|e| Some(self.walker(e, machine, start, best, limit))).collect();
        let mut rollout = Rollout::new(count);
        let stride = (limit.max_steps * count).div_ceil(self.options.most_samples);
        let mut probabilities = Vec::new();
        let mut cut_off = false;
        for step in 0..limit.max_steps {
            if limit.over(self.steps) {
                cut_off = true;
                break;
            }
            if walkers.iter().all(Option::is_none) {
                break;
            }
            for (e, place) in walkers.iter_mut().enumerate() {
                let Some(walker) = place else { continue };
                let allowed = walker.scene.allowed();
                if self.options.mask_invalid && allowed.iter().all(|&allowed| allowed == 0) {
                    // A state without a valid action ends its episode; where invalid ones may be taken, it stays as it is.
                    *place = None;
                    continue;
                }
                let mask = self.options.mask_invalid.then_some(allowed.as_slice());
                let sharpness = self.sharpness(e, limit);
                walker.scene.probabilities(mask, sharpness, &mut probabilities);
                let number = draw(&probabilities, self.rng.random());
                let learns = sharpness == 1.0 && !limit.acts;
                if learns && (step + e).is_multiple_of(stride) {
                    rollout.keep(&walker.scene.rows, mask, number);
                }
                let Some(action) = Action::from_number(number, cores) else { continue };
                self.steps += 1;
                if !learns && let Some(hot) = HOT[e % HOT.len()] {
                    let temperature = hot * (COLD / hot).powf(step as f64 / limit.max_steps as f64);
                    let least =
                        walker.potential + temperature * self.rng.random::<f64>().max(f64::MIN_POSITIVE).ln();
                    walker.try_step(machine, limit, &self.policy, action, least);
                } else {
                    let reward = walker.step(machine, limit, &self.policy, action, self.options.shaping);
                    if learns {
                        rollout.push(Sample { environment: e, step, reward });
                        rollout.rewards += walker.reward;
                    }
                }
                let score = walker.scene.score;
                if let Some(seen) = seen.as_deref_mut() {
                    seen.keep(machine, &walker.scene.state, best.to_beat());
                }
                if limit.goal.better(&score, &best.score) {
                    *best = Best { state: walker.scene.state.clone(), score, steps: self.steps };
                }
                if self.options.target_reward.is_some_and(|target| walker.reward >= target) {
                    *place = None;
                } else if score.violations == 0
                    && score.tmax_seconds <= walker.scene.target_seconds() * (1.0 + ROUNDING)
                    && score.tmax_seconds > limit.ideal * (1.0 + ROUNDING)
                {
                    let target = limit.target(e, score.tmax_seconds);
                    let aim = Arc::new(Aim::new(&limit.demands, target));
                    walker.scene.set_aim(&self.policy, aim);
                }
            }
            if limit.enough(best) {
                cut_off = true;
                break;
            }
        }
        let lesson = self.learn(rollout, cut_off, limit.episode)?;
        self.episodes += usize::from(!cut_off);
        Ok(lesson)
    }

    /// An environment at its start.
    fn walker<'m>(
        &mut self,
        e: usize,
        machine: &'m Machine,
        start: &State,
        best: &mut Best,
        limit: &Limit<'_>,
    ) -> Walker<'m> {
        let state = self.start(e, machine, start, best, limit);
        let score = machine.score(&state);
        if limit.goal.better(&score, &best.score) {
            *best = Best { state: state.clone(), score, steps: self.steps };
        }
        let target = limit.target(e, best.score.tmax_seconds);
        let aim = Arc::new(Aim::new(&limit.demands, target));
        Walker::new(machine, limit, Scene::new(machine, self.options.view, aim, &self.policy, state))
    }

    /// The update over an episode, unless it was cut off.
    fn learn(&mut self, mut rollout: Rollout, cut_off: bool, episode: usize) -> Result<Lesson, RlError> {
        let mut lesson = Lesson {
            mean_reward: rollout.rewards / rollout.samples.len().max(1) as f64,
            ..Lesson::default()
        };
        if !cut_off && !rollout.batch.actions.is_empty() {
            let returns = rollout.returns(&self.options);
            (lesson.first_return, lesson.explained_variance) = (returns.first, returns.explained_variance);
            rollout.batch.advantages = returns.kept;
            // Less and less entropy is asked for as a run goes on.
            let entropy_weight = self.options.entropy_weight / (1.0 + episode as f64 / 50.0);
            lesson.figures = self.update(&rollout.batch, entropy_weight)?;
        }
        Ok(lesson)
    }

    /// Learns the teacher's actions on a chip: states come from the given starts, by the teacher's and the policy's
    /// own actions in turn (Ross, Gordon and Bagnell, 2011); the loss is the teacher's cross entropy. No update where the
    /// teacher knows no way from any start.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn imitate(
        &mut self,
        machine: &Machine,
        starts: &[Imitation],
        steps: usize,
    ) -> Result<Lesson, RlError> {
        let demands = Demands::of(machine);
        let mut batch = Batch::default();
        let mut probabilities = Vec::new();
        let mut agreed = 0usize;
        for start in starts {
            let wanted_aim = Aim::new(&demands, start.wanted_seconds);
            let aim = Arc::new(Aim::new(&demands, start.target_seconds));
            let Some(mut wanted) = teacher::nearest(machine, &wanted_aim, &start.state) else { continue };
            let mut state = start.state.clone();
            let ahead = start.ahead * teacher::distance(&state, &wanted) as f64;
            for _ in 0..ahead as usize {
                let actions = teacher::steps(&state, &wanted);
                if actions.is_empty() {
                    break;
                }
                state.apply(actions[self.rng.random_range(0..actions.len())]);
            }
            let mut scene = Scene::new(machine, self.options.view, aim, &self.policy, state);
            for step in 0..steps {
                if step % RENEWED_EVERY == RENEWED_EVERY - 1
                    && let Some(nearer) = teacher::nearest(machine, &wanted_aim, &scene.state)
                {
                    wanted = nearer;
                }
                let actions = teacher::steps(&scene.state, &wanted);
                if actions.is_empty() {
                    break;
                }
                let taught = actions[self.rng.random_range(0..actions.len())];
                let allowed = scene.allowed();
                scene.probabilities(Some(&allowed), 1.0, &mut probabilities);
                batch.keep(&scene.rows, Some(&allowed), taught.number(machine.slots()));
                let own = draw(&probabilities, self.rng.random());
                let own = Action::from_number(own, machine.slots()).unwrap_or(taught);
                agreed += usize::from(actions.contains(&own));
                scene.step(&self.policy, if self.rng.random() { own } else { taught });
                self.steps += 1;
            }
        }
        let count = batch.actions.len();
        let mut lesson = Lesson { mean_reward: agreed as f64 / count.max(1) as f64, ..Lesson::default() };
        if count > 0 {
            batch.advantages = vec![1.0; count];
            lesson.figures = self.update(&batch, 0.0)?;
        }
        self.episodes += 1;
        Ok(lesson)
    }

    fn update(&mut self, batch: &Batch, entropy_weight: f64) -> Result<Figures, RlError> {
        let Some(network) = &mut self.network else { return Ok(Figures::default()) };
        let inputs = self.config.layers[0];
        let rows = batch.input.len() / (inputs * batch.actions.len());
        let update = PolicyUpdate {
            rows,
            input: &batch.input,
            allowed: (!batch.allowed.is_empty()).then_some(&batch.allowed),
            actions: &batch.actions,
            advantages: &batch.advantages,
            old_log_probabilities: None,
            learning_rate: self.options.learning_rate,
            entropy_weight,
            clip: 0.0,
            clip_norm: self.options.clip_norm,
        };
        let mut figures = network.update_policy(&update)?;
        self.state = network.state()?;
        let policy = Perceptron::new(&self.config, &self.state)
            .map_err(|source| RlError::Saved { path: PathBuf::from("the update"), source })?;
        figures.kl = divergence(&self.policy, &policy, batch, inputs);
        self.policy = policy;
        Ok(figures)
    }
}

/// Steps after which a teacher looks anew for the nearest state that keeps the target.
const RENEWED_EVERY: usize = 12;

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
) -> Result<Answer, RlError> {
    let mut best = Best { state: start.clone(), score: machine.score(start), steps: 0 };
    let finished = |best, episodes, steps, stop_reason| Ok(Answer { best, episodes, steps, stop_reason });
    if machine.slots() < 2 || start.cores() != machine.slots() {
        return finished(best, 0, 0, StopReason::Finished);
    }
    let mut trainer = Trainer::new(options.clone(), machine.slots(), limits.seed)?;
    let mut limit = Limit::new(machine, start, options, limits.work_limit, deadline);
    let mut seen = options.splices().then(|| Seen::new(machine));
    let mut stop_reason = StopReason::Finished;
    while limit.episode < options.episodes {
        if limit.over(trainer.steps) {
            stop_reason = limit.reason(trainer.steps);
            break;
        }
        limit.acts = options.only_acts(limit.episode);
        let outcome = trainer.episode(machine, start, &mut best, &limit, seen.as_mut())?;
        if let Some(seen) = &mut seen {
            best.renew(machine, seen.splice(machine, best.to_beat()), trainer.steps);
        }
        observe(&Episode {
            episode: limit.episode,
            steps: trainer.steps,
            outcome,
            best_seconds: best.score.tmax_seconds,
            best_over_bound: best.score.tmax_seconds / limit.ideal,
        });
        limit.episode += 1;
        if limit.enough(&best) {
            let proved = best.score.tmax_seconds <= limit.ideal * (1.0 + ROUNDING);
            stop_reason = if proved { StopReason::Proved } else { StopReason::Finished };
            break;
        }
    }
    if let Some(path) = &options.save {
        trainer.save(path)?;
    }
    finished(best, limit.episode, trainer.steps, stop_reason)
}

/// Sets the weights of the last layer to 0 (its biases are), so that all actions are as likely. Weights and biases of the
/// layers stand in turn at the head of a network's state.
fn clear_last_layer(config: &NetworkConfig, state: &mut [f32]) {
    let sizes = config.layers.windows(2).map(|pair| (pair[0] * pair[1], pair[1]));
    let before: usize =
        sizes.clone().take(config.layers.len() - 2).map(|(weights, biases)| weights + biases).sum();
    let count: usize = sizes.map(|(weights, biases)| weights + biases).sum();
    state[before..count].fill(0.0);
}

/// Reads a saved network that fits where one of `shape` is needed.
fn saved_network(
    kind: &str,
    shape: &NetworkConfig,
    path: &Path,
    bytes: &[u8],
) -> Result<(Header, Vec<f32>), RlError> {
    let (header, parts) = decode::<Header>(kind, bytes)
        .map_err(|source| RlError::Saved { path: path.to_path_buf(), source })?;
    let ends = |config: &NetworkConfig| (config.layers.first().copied(), config.layers.last().copied());
    let config = &header.network;
    match <[Vec<f32>; 1]>::try_from(parts) {
        Ok([state]) if ends(config) == ends(shape) && config.head == shape.head => Ok((header, state)),
        _ => Err(RlError::Options(format!(
            "{}: a network of layers {:?} where one of {:?} is needed",
            path.display(),
            config.layers,
            shape.layers
        ))),
    }
}
