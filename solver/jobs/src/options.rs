//! Parameters of the training, and what a decision is rewarded with.

use serde::{Deserialize, Serialize};

use crate::job::JobError;

/// How large the random batch of an update is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayBatch {
    /// As many samples as the period added.
    #[default]
    New,
    /// All in the buffer.
    All,
}

/// What a decision is rewarded for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Credit {
    /// What the whole batch came to, as in \[E\].
    #[default]
    Batch,
    /// What its own job came to, against the mean of the random placements: ours. Where failures are rare the batch hangs on its
    /// longest job, and what is said of it says little of the others. In a recorded history: its time over that without a fault,
    /// against the mean of the history.
    Job,
}

/// Parameters of the training. \[E\] prints none of the numbers; all are ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrainOptions {
    /// Trainings; after each the networks have made one update.
    pub trainings: u64,
    /// Batches of jobs between two trainings.
    pub batches_per_period: usize,
    /// Samples kept; the oldest leave first.
    pub buffer: usize,
    /// Samples of an update.
    pub replay_batch: ReplayBatch,
    /// Random placements a batch is compared with.
    pub random_placements: u32,
    /// Discount of the critic's value of s'; 0, as the reward already says what the whole batch came to.
    pub gamma: f64,
    /// Step size of Adam, policy network.
    pub policy_rate: f64,
    /// Step size of Adam, value network.
    pub value_rate: f64,
    /// Weight of the policy's entropy.
    pub entropy_weight: f64,
    /// Largest gradient norm.
    pub clip_norm: f64,
    /// Do the step sizes and the weight of the entropy fall in a line, to nothing at the end of the trainings planned? Ours: a wide
    /// search first, a settled policy last.
    #[serde(default)]
    pub anneal: bool,
    /// What a decision is rewarded for.
    #[serde(default)]
    pub credit: Credit,
    /// Rewards below it count as it: one unlucky batch must not drown the rest.
    pub least_reward: f64,
    /// After so many trainings in the simulator the policy places batches kept for this, and the network whose mean makespan was
    /// smallest is the outcome; 0: the last network is. Ours: rewards of single batches say little, and the last update is not the best.
    #[serde(default)]
    pub validate_every: u64,
    /// Seed of weights, batches, faults and choices.
    pub seed: u64,
}

impl Default for TrainOptions {
    fn default() -> Self {
        TrainOptions {
            trainings: 400,
            batches_per_period: 16,
            buffer: 2048,
            replay_batch: ReplayBatch::New,
            random_placements: 4,
            gamma: 0.0,
            policy_rate: 1e-3,
            value_rate: 1e-3,
            entropy_weight: 1e-3,
            clip_norm: 1.0,
            anneal: false,
            credit: Credit::Batch,
            least_reward: -1.0,
            validate_every: 0,
            seed: 0,
        }
    }
}

impl TrainOptions {
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let refuse = |reason: String| Err(JobError::Input(reason));
        if self.trainings == 0
            || self.batches_per_period == 0
            || self.buffer == 0
            || self.random_placements == 0
        {
            return refuse(
                "trainings, batches-per-period, buffer and random-placements are at least 1".into(),
            );
        }
        if !(0.0..1.0).contains(&self.gamma) {
            return refuse(format!("gamma is {}: 0 to 1, 1 left out", self.gamma));
        }
        for (name, value) in [("policy-rate", self.policy_rate), ("value-rate", self.value_rate)] {
            if !(value.is_finite() && value > 0.0) {
                return refuse(format!("{name} is {value}: above 0"));
            }
        }
        if !(self.entropy_weight >= 0.0 && self.clip_norm >= 0.0 && self.least_reward < 1.0) {
            return refuse("entropy-weight and clip-norm are not negative, least-reward is below 1".into());
        }
        Ok(())
    }
}

/// r of \[E\]: `(t_random - t_rl) / t_random`.
#[must_use]
pub fn reward(random_seconds: f64, policy_seconds: f64) -> f64 {
    (random_seconds - policy_seconds) / random_seconds
}
