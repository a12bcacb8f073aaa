//! What bounds the episodes on one machine, and one environment of an episode.

use ballast_core::limits::{Deadline, StopReason};
use ballast_learner_client::perceptron::Perceptron;

use crate::rl::classical::Best;
use crate::rl::demand::Demands;
use crate::rl::environment::{Action, State};
use crate::rl::machine::{Goal, Machine, Reward, Score};
use crate::rl::options::Options;
use crate::rl::scene::Scene;

/// Where between the bound (0) and the best known time (1) the targets of the environments lie.
const TARGETS: [f64; 8] = [0.95, 0.5, 0.8, 0.2, 0.9, 0.65, 0.35, 0.05];
/// Relative distance to a target or a bound that is put down to rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// What bounds an episode on one machine.
pub(super) struct Limit<'a> {
    pub(super) goal: Goal,
    pub(super) demands: Demands,
    pub(super) ideal: f64,
    pub(super) max_steps: usize,
    enough_seconds: f64,
    /// Episodes run under these limits; does the policy only act in the present one?
    pub(super) episode: usize,
    pub(super) acts: bool,
    work_limit: Option<u64>,
    deadline: &'a Deadline,
}

impl<'a> Limit<'a> {
    /// The limits of episodes on `machine` that begin at `start`.
    pub(super) fn new(
        machine: &Machine,
        start: &State,
        options: &Options,
        work_limit: Option<u64>,
        deadline: &'a Deadline,
    ) -> Self {
        let ideal = machine.ideal_seconds().max(f64::MIN_POSITIVE);
        let goal = options.goal(ideal, machine.score(start));
        let rounds = if options.learning_rate > 0.0 { 4 } else { 6 };
        let natural = (rounds * (machine.layers() + machine.slots())).max(64);
        Limit {
            goal,
            demands: Demands::of(machine),
            ideal,
            max_steps: options.max_steps.unwrap_or(natural),
            enough_seconds: options.enough_seconds.unwrap_or(0.0),
            episode: 0,
            acts: options.learning_rate == 0.0,
            work_limit,
            deadline,
        }
    }

    /// The time environment `e` is to keep when `known_seconds` is kept already.
    pub(super) fn target(&self, e: usize, known_seconds: f64) -> f64 {
        self.ideal + TARGETS[e % TARGETS.len()] * (known_seconds - self.ideal).max(0.0)
    }

    /// Nothing better is possible or wanted; of a weighted sum no bound is known.
    pub(super) fn enough(&self, best: &Best) -> bool {
        self.goal.reward == Reward::MaxTime
            && best.score.violations == 0
            && best.score.tmax_seconds <= self.enough_seconds.max(self.ideal) * (1.0 + ROUNDING)
    }

    /// What is to grow as a state gets better, smoothly where the slowest stage is rewarded: see [`Machine::potential`].
    pub(super) fn potential(&self, machine: &Machine, state: &State, score: &Score) -> f64 {
        match self.goal.reward {
            Reward::MaxTime => machine.potential(state, self.ideal),
            Reward::Weighted { .. } => self.goal.reward(score),
        }
    }

    pub(super) fn over(&self, steps: u64) -> bool {
        self.work_limit.is_some_and(|limit| steps >= limit) || self.deadline.over()
    }

    pub(super) fn reason(&self, steps: u64) -> StopReason {
        if self.work_limit.is_some_and(|limit| steps >= limit) {
            StopReason::WorkLimit
        } else {
            self.deadline.reason()
        }
    }
}

/// One environment of an episode.
pub(super) struct Walker<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) reward: f64,
    pub(super) potential: f64,
}

impl<'a> Walker<'a> {
    pub(super) fn new(machine: &Machine, limit: &Limit<'_>, scene: Scene<'a>) -> Self {
        let potential = limit.potential(machine, &scene.state, &scene.score);
        Walker { reward: limit.goal.reward(&scene.score), potential, scene }
    }

    /// Takes an action; returns what is to be learned from. With shaping that is the change of potential and
    /// of reward, without it the reward itself.
    pub(super) fn step(
        &mut self,
        machine: &Machine,
        limit: &Limit<'_>,
        policy: &Perceptron,
        action: Action,
        shaping: bool,
    ) -> f64 {
        let (old_reward, old_potential) = (self.reward, self.potential);
        if self.scene.step(policy, action) {
            self.reward = limit.goal.reward(&self.scene.score);
            self.potential = limit.potential(machine, &self.scene.state, &self.scene.score);
        }
        if shaping { (self.reward - old_reward) + (self.potential - old_potential) } else { self.reward }
    }

    /// Takes an action unless the potential then is below `least`.
    pub(super) fn try_step(
        &mut self,
        machine: &Machine,
        limit: &Limit<'_>,
        policy: &Perceptron,
        action: Action,
        least: f64,
    ) {
        let mut after = self.scene.state.clone();
        if !after.apply(action) || limit.potential(machine, &after, &machine.score(&after)) < least {
            return;
        }
        self.step(machine, limit, policy, action, false);
    }
}
