//! Options of the learner, and what is wrong with some.

use std::path::PathBuf;

use ballast_learner_client::LearnerError;
use ballast_learner_client::saved::SavedError;
use serde::Serialize;

use crate::rl::machine::{Goal, Reward, Score};
use crate::rl::policy::View;

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

/// How the learner is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Setting {
    /// As [`Options::default`] has it.
    #[default]
    Ours,
    /// As the source has it: [`Options::published`].
    Published,
}

impl Setting {
    /// Its options.
    #[must_use]
    pub fn options(self) -> Options {
        match self {
            Setting::Ours => Options::default(),
            Setting::Published => Options::published(),
        }
    }

    /// Its name in options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
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
    /// A run ends as soon as a state without violations is as fast as this, seconds.
    pub enough_seconds: Option<f64>,
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
    /// Of eight environments one starts from the given state, one from a spread by demand, two from random states,
    /// four from the best so far; where nothing is learned, two, two, none and four. Otherwise all start from the given state, or all from random ones.
    pub mixed_starts: bool,
    /// After every episode of a search, put together the best state of stages seen; where the slowest stage is what is rewarded.
    pub splice: bool,
    /// Most samples an update looks at; of longer episodes an even choice.
    pub most_samples: usize,
    /// Gradients longer than this are shortened to it; 0: none is.
    pub clip_norm: f64,
    /// Fresh weights make all actions exactly as likely; otherwise nearly.
    pub uniform_start: bool,
    /// On a chip, start from layers spread evenly and not from the best grouping known.
    pub from_spread: bool,
    /// The learner library; none: beside the program.
    pub library: Option<PathBuf>,
}

/// Episodes of a search with a trained policy for each that learns.
const LEARNS_EVERY: usize = 8;

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
            enough_seconds: None,
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
            splice: true,
            most_samples: 512,
            clip_norm: 1.0,
            uniform_start: false,
            from_spread: false,
            library: None,
        }
    }
}

impl Options {
    /// Does the policy only act in an episode of a search? A trained policy finds more by acting from ever other spreads than
    /// by learning, so it learns in every eighth; a fresh one learns in all.
    pub(crate) fn only_acts(&self, episode: usize) -> bool {
        self.learning_rate == 0.0
            || (self.mixed_starts
                && !matches!(self.weights, Weights::Fresh)
                && episode % LEARNS_EVERY + 1 < LEARNS_EVERY)
    }

    /// Are stages of the states seen put together anew?
    pub(crate) fn splices(&self) -> bool {
        self.splice && self.reward == Reward::MaxTime
    }

    /// The reward with its constants, where no state is faster than `ideal_seconds` and a search begins with these loads.
    pub(crate) fn goal(&self, ideal_seconds: f64, start: Score) -> Goal {
        let scale = self.scale.unwrap_or(match self.reward {
            Reward::MaxTime => 1.0 / ideal_seconds,
            Reward::Weighted { .. } => 1.0,
        });
        Goal { reward: self.reward, scale, penalty: self.penalty, start }
    }

    /// Everything as published: the flat view, an exactly uniform start, one environment that begins where the source does, every state,
    /// action and reward of the episode in its one update; no baseline, no entropy bonus, no masks, no limit on gradients, no splices.
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
            splice: false,
            most_samples: usize::MAX,
            clip_norm: 0.0,
            uniform_start: true,
            from_spread: true,
            ..Options::default()
        }
    }
}

/// Why the learner could not run.
#[derive(Debug, thiserror::Error)]
pub enum RlError {
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

pub(super) fn check(options: &Options) -> Result<(), RlError> {
    let refuse = |text: &str| Err(RlError::Options(text.into()));
    if options.environments == 0 || options.environments > 4096 {
        return refuse("the number of environments is 1 to 4096");
    }
    if options.max_steps == Some(0) {
        return refuse("an episode has at least one step");
    }
    if !(options.learning_rate.is_finite() && options.learning_rate >= 0.0) {
        return refuse("the learning rate is a number, 0 or above");
    }
    if options.most_samples == 0 || !(options.clip_norm.is_finite() && options.clip_norm >= 0.0) {
        return refuse("an update looks at one sample at least, and the largest gradient is 0 or above");
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
