//! Actor-critic training of \[E\]: periods of batches, a buffer of samples, one update of both networks a period.

use std::collections::VecDeque;
use std::sync::Arc;

use ballast_core::limits::{Deadline, StopReason};
use ballast_learner_client::{Activation, Head, Learner, Network, NetworkConfig, PolicyUpdate, ValueUpdate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::evaluate::learned;
use crate::faults::FaultTrace;
use crate::history::Record;
use crate::job::{JobCluster, JobError};
use crate::options::{Credit, ReplayBatch, TrainOptions, reward};
use crate::placer::Random;
use crate::policy::{
    Decision, LearnedPlacer, PolicyNetwork, SavedHeader, learner_error, read_saved, value_layers, write_saved,
};
use crate::simulate::run_batch_within;
use crate::workload::Workload;
use crate::world::World;

/// What a training did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingFigures {
    /// Trainings so far.
    pub training: u64,
    /// Mean reward of the period's batches.
    pub mean_reward: f64,
    /// Samples the period added.
    pub samples: usize,
    /// Loss of the policy.
    pub policy_loss: f64,
    /// Mean entropy of the policy, nats.
    pub entropy: f64,
    /// Mean squared error of the value.
    pub value_loss: f64,
}

struct Sample {
    decision: Decision,
    reward: f64,
    last: bool,
}

/// The two networks and their buffer.
pub struct Trainer {
    policy: PolicyNetwork,
    value: Network,
    devices: usize,
    time_scale_seconds: f64,
    buffer: VecDeque<Sample>,
    options: TrainOptions,
    trainings: u64,
    rng: ChaCha8Rng,
}

/// Seeds of the batches a policy is validated with; evaluations count from 0.
const VALIDATION: std::ops::Range<u64> = (1 << 20)..(1 << 20) + 64;

/// The generator's stream for batches, choices and draws from the buffer.
const TRAINING_STREAM: u64 = 1;

/// The decisions of a batch, its reward, and that of each decision.
type Played = (Vec<Decision>, f64, Vec<f64>);

impl Trainer {
    /// Fresh networks for a cluster of so many devices.
    ///
    /// # Errors
    /// [`JobError::Input`] for options that make no sense, [`JobError::Learner`].
    pub fn new(
        learner: &Arc<Learner>,
        devices: usize,
        time_scale_seconds: f64,
        options: &TrainOptions,
    ) -> Result<Self, JobError> {
        options.check()?;
        if !(time_scale_seconds.is_finite() && time_scale_seconds > 0.0) {
            return Err(JobError::Input(format!("a time scale of {time_scale_seconds} s: above 0")));
        }
        let value = NetworkConfig {
            layers: value_layers(devices),
            head: Head::Value,
            activation: Activation::Relu,
            seed: options.seed.wrapping_add(1),
        };
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        rng.set_stream(TRAINING_STREAM);
        Ok(Trainer {
            policy: PolicyNetwork::new(learner, devices, time_scale_seconds, options.seed)?,
            value: Network::new(learner, &value).map_err(learner_error)?,
            devices,
            time_scale_seconds,
            buffer: VecDeque::new(),
            options: options.clone(),
            trainings: 0,
            rng,
        })
    }

    /// Goes on from saved networks; the buffer starts empty.
    ///
    /// # Errors
    /// [`JobError::Input`] for damaged files and files for another cluster size.
    pub fn resume(
        learner: &Arc<Learner>,
        file: &[u8],
        devices: usize,
        options: &TrainOptions,
    ) -> Result<Self, JobError> {
        let (header, parts) = read_saved(file)?;
        if header.devices != devices {
            return Err(JobError::Input(format!(
                "the network was trained for {} devices and the cluster has {devices}",
                header.devices
            )));
        }
        let mut trainer = Trainer::new(learner, devices, header.time_scale_seconds, options)?;
        let damaged = |error: ballast_learner_client::LearnerError| JobError::Input(error.to_string());
        trainer.policy.network.set_state(&parts[0]).map_err(damaged)?;
        trainer.value.set_state(&parts[1]).map_err(damaged)?;
        trainer.trainings = header.trainings;
        // Other draws than the run before.
        trainer.rng.set_stream(TRAINING_STREAM + header.trainings);
        Ok(trainer)
    }

    /// The file both networks are kept in.
    ///
    /// # Errors
    /// [`JobError::Learner`].
    pub fn save(&mut self) -> Result<Vec<u8>, JobError> {
        let header = SavedHeader {
            devices: self.devices,
            time_scale_seconds: self.time_scale_seconds,
            trainings: self.trainings,
            options: self.options.clone(),
        };
        let policy = self.policy.network.state().map_err(learner_error)?;
        let value = self.value.state().map_err(learner_error)?;
        write_saved(&header, &[&policy, &value])
    }

    /// The policy trained.
    pub fn policy(&mut self) -> &mut PolicyNetwork {
        &mut self.policy
    }

    /// Weights and biases of policy and value network.
    #[must_use]
    pub fn parameters(&self) -> (usize, usize) {
        (self.policy.parameters(), self.value.parameters())
    }

    /// Trains in the simulator until the planned number of trainings or the deadline; `watch` sees each.
    ///
    /// # Errors
    /// A workload or world that makes no sense for the cluster, [`JobError::Learner`].
    pub fn train(
        &mut self,
        cluster: &JobCluster,
        workload: &Workload,
        world: &World,
        deadline: &Deadline,
        watch: &mut dyn FnMut(&TrainingFigures),
    ) -> Result<StopReason, JobError> {
        cluster.check()?;
        workload.check(cluster.devices.len())?;
        world.check()?;
        let mut best: Option<(f64, Vec<f32>)> = None;
        // A period that the deadline cuts short is not learned from.
        let stop_reason = 'trainings: {
            for done in 0..self.options.trainings {
                if deadline.over() {
                    break 'trainings deadline.reason();
                }
                let (mut rewards, mut added) = (0.0, 0);
                for _ in 0..self.options.batches_per_period {
                    let Some((decisions, of_batch, of_decision)) =
                        self.play(cluster, workload, world, deadline)?
                    else {
                        break 'trainings deadline.reason();
                    };
                    rewards += of_batch;
                    added += decisions.len();
                    self.keep(decisions, &of_decision);
                }
                let mean_reward = rewards / self.options.batches_per_period as f64;
                let figures = self.update(added, mean_reward, self.left(done))?;
                watch(&figures);
                let every = self.options.validate_every;
                if every > 0 && ((done + 1).is_multiple_of(every) || done + 1 == self.options.trainings) {
                    let row = learned(cluster, workload, world, &mut self.policy, VALIDATION, deadline)?;
                    // Fewer batches than the others had are no comparison.
                    if let Some(row) = row.filter(|row| row.batches == VALIDATION.clone().count())
                        && best.as_ref().is_none_or(|(seconds, _)| row.makespan_seconds < *seconds)
                    {
                        best =
                            Some((row.makespan_seconds, self.policy.network.state().map_err(learner_error)?));
                    }
                }
            }
            StopReason::Finished
        };
        if let Some((_, state)) = best {
            self.policy.network.set_state(&state).map_err(learner_error)?;
        }
        Ok(stop_reason)
    }

    /// Trains on recorded batches: `batches_per_period` of them a training, in their order, over and over.
    ///
    /// # Errors
    /// [`JobError::Input`] for an empty history, and for one without the times of jobs where each is credited for itself,
    /// [`JobError::Learner`].
    pub fn train_on(
        &mut self,
        history: &[Record],
        deadline: &Deadline,
        watch: &mut dyn FnMut(&TrainingFigures),
    ) -> Result<StopReason, JobError> {
        if history.iter().all(|record| record.decisions.is_empty()) {
            return Err(JobError::Input("the history holds no decision".into()));
        }
        if self.options.validate_every > 0 {
            let reason =
                "validate-every with a history: batches to try the policy on come from the simulator alone";
            return Err(JobError::Input(reason.into()));
        }
        let credits = history.iter().zip(credits(history, self.options.credit)?).collect::<Vec<_>>();
        let mut records = credits.iter().cycle();
        for done in 0..self.options.trainings {
            if deadline.over() {
                return Ok(deadline.reason());
            }
            let (mut rewards, mut added) = (0.0, 0);
            for (record, of_decision) in records.by_ref().take(self.options.batches_per_period) {
                let decisions = record.decisions(self.devices, self.time_scale_seconds);
                rewards += record.reward();
                added += decisions.len();
                self.keep(decisions, of_decision);
            }
            if added > 0 {
                let mean_reward = rewards / self.options.batches_per_period as f64;
                let figures = self.update(added, mean_reward, self.left(done))?;
                watch(&figures);
            }
        }
        Ok(StopReason::Finished)
    }

    /// One batch under the policy and under random placements, with the same faults: its decisions, its reward, and that of each
    /// decision; none once the deadline is over.
    fn play(
        &mut self,
        cluster: &JobCluster,
        workload: &Workload,
        world: &World,
        deadline: &Deadline,
    ) -> Result<Option<Played>, JobError> {
        let jobs = workload.batch(cluster.devices.len(), &mut self.rng);
        // Evaluation draws its faults from seeds above this range.
        let fault_seed = u64::from(self.rng.random::<u32>());
        let faults = || FaultTrace::new(cluster, world, fault_seed);
        let mut random = f64::INFINITY;
        let mut random_completed = vec![0.0; jobs.len()];
        for _ in 0..self.options.random_placements {
            let mut placer = Random::new(self.rng.random());
            let outcome = run_batch_within(cluster, &jobs, world, &mut faults(), &mut placer, deadline)?;
            let Some(outcome) = outcome else { return Ok(None) };
            random = random.min(outcome.makespan_seconds);
            for (sum, completed) in random_completed.iter_mut().zip(&outcome.completed_seconds) {
                *sum += completed / f64::from(self.options.random_placements);
            }
        }
        let explorer = ChaCha8Rng::seed_from_u64(self.rng.random());
        let mut placer = LearnedPlacer::exploring(&mut self.policy, explorer);
        let outcome = run_batch_within(cluster, &jobs, world, &mut faults(), &mut placer, deadline)?;
        let Some(outcome) = outcome else { return Ok(None) };
        let of_batch = reward(random, outcome.makespan_seconds);
        let of_job = |job: usize| match self.options.credit {
            Credit::Batch => of_batch,
            Credit::Job => {
                let since = jobs[job].submitted_seconds;
                reward(random_completed[job] - since, outcome.completed_seconds[job] - since)
            }
        };
        // A decision gives a job one of its devices.
        let of_decision =
            jobs.iter().enumerate().flat_map(|(index, job)| vec![of_job(index); job.devices]).collect();
        Ok(Some((placer.decisions, of_batch, of_decision)))
    }

    fn keep(&mut self, decisions: Vec<Decision>, rewards: &[f64]) {
        let count = decisions.len();
        for (i, (decision, &reward)) in decisions.into_iter().zip(rewards).enumerate() {
            let reward = reward.max(self.options.least_reward);
            if self.buffer.len() == self.options.buffer {
                self.buffer.pop_front();
            }
            self.buffer.push_back(Sample { decision, reward, last: i + 1 == count });
        }
    }

    /// Share of step sizes and entropy weight that is left after so many trainings of this run; never none.
    fn left(&self, done: u64) -> f64 {
        if self.options.anneal { 1.0 - done as f64 / self.options.trainings as f64 } else { 1.0 }
    }

    /// One update of both networks on samples drawn from the buffer.
    fn update(&mut self, added: usize, mean_reward: f64, left: f64) -> Result<TrainingFigures, JobError> {
        let wanted = match self.options.replay_batch {
            ReplayBatch::New => added.min(self.buffer.len()),
            ReplayBatch::All => self.buffer.len(),
        };
        let drawn = rand::seq::index::sample(&mut self.rng, self.buffer.len(), wanted);
        let samples: Vec<&Sample> = drawn.iter().map(|i| &self.buffer[i]).collect();
        let rows = |pick: fn(&Decision) -> &[f32]| -> Vec<f32> {
            samples.iter().flat_map(|sample| pick(&sample.decision)).copied().collect()
        };
        let states = rows(|decision| &decision.state);
        let values = self.value.forward(wanted, 1, &states, None).map_err(learner_error)?;
        let next = if self.options.gamma > 0.0 {
            let next_states = rows(|decision| &decision.next_state);
            self.value.forward(wanted, 1, &next_states, None).map_err(learner_error)?
        } else {
            vec![0.0; wanted]
        };
        let targets: Vec<f32> = samples
            .iter()
            .zip(next)
            .map(|(sample, next)| {
                let later = if sample.last { 0.0 } else { self.options.gamma * f64::from(next) };
                (sample.reward + later) as f32
            })
            .collect();
        let advantages =
            standardised(targets.iter().zip(&values).map(|(target, value)| target - value).collect());
        let allowed: Vec<u8> = samples.iter().flat_map(|sample| &sample.decision.allowed).copied().collect();
        let actions: Vec<i64> = samples.iter().map(|sample| sample.decision.action as i64).collect();
        let actor = self
            .policy
            .network
            .update_policy(&PolicyUpdate {
                rows: 1,
                input: &states,
                allowed: Some(&allowed),
                actions: &actions,
                advantages: &advantages,
                old_log_probabilities: None,
                learning_rate: self.options.policy_rate * left,
                entropy_weight: self.options.entropy_weight * left,
                clip: 0.0,
                clip_norm: self.options.clip_norm,
            })
            .map_err(learner_error)?;
        let critic = self
            .value
            .update_value(&ValueUpdate {
                rows: 1,
                input: &states,
                targets: &targets,
                learning_rate: self.options.value_rate * left,
                clip_norm: self.options.clip_norm,
            })
            .map_err(learner_error)?;
        self.trainings += 1;
        Ok(TrainingFigures {
            training: self.trainings,
            mean_reward,
            samples: added,
            policy_loss: actor.loss,
            entropy: actor.entropy,
            value_loss: critic.loss,
        })
    }
}

/// The reward of every decision of every record. A job credited for itself is compared with the mean of the history: how often the
/// time of a run without a fault it took, as every job has another.
fn credits(history: &[Record], credit: Credit) -> Result<Vec<Vec<f64>>, JobError> {
    let of_jobs: Vec<Vec<f64>> = match credit {
        Credit::Batch => history.iter().map(|record| vec![record.reward(); record.jobs.len()]).collect(),
        Credit::Job => {
            let stretches: Option<Vec<Vec<f64>>> = history.iter().map(Record::stretches).collect();
            let Some(stretches) = stretches else {
                let reason = "credit for each job: a record of the history has no run-seconds";
                return Err(JobError::Input(reason.into()));
            };
            let all: Vec<f64> = stretches.iter().flatten().copied().collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            stretches.iter().map(|of| of.iter().map(|&stretch| reward(mean, stretch)).collect()).collect()
        }
    };
    // A decision on a job is as many choices as it has devices.
    let per_choice = |(record, of_jobs): (&Record, &Vec<f64>)| {
        record
            .decisions
            .iter()
            .flat_map(|decision| vec![of_jobs[decision.job]; decision.devices.len()])
            .collect()
    };
    Ok(history.iter().zip(&of_jobs).map(per_choice).collect())
}

/// Mean 0 and variance 1, so that the step does not depend on the scale of rewards.
fn standardised(mut values: Vec<f32>) -> Vec<f32> {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / count).sqrt().max(1e-6);
    values.iter_mut().for_each(|v| *v = (*v - mean) / deviation);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reward_of_the_printed_example() {
        assert!((reward(100.0, 80.0) - 0.2).abs() < 1e-12);
        assert!(reward(100.0, 120.0) < 0.0);
    }

    #[test]
    fn standardised_values_have_mean_0_and_variance_1() {
        let values = standardised(vec![1.0, 2.0, 3.0, 10.0]);
        let mean: f32 = values.iter().sum::<f32>() / 4.0;
        let variance: f32 = values.iter().map(|v| v * v).sum::<f32>() / 4.0;
        assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-5);
        assert_eq!(standardised(vec![2.0; 3]), [0.0; 3]);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        for options in [
            TrainOptions { trainings: 0, ..TrainOptions::default() },
            TrainOptions { gamma: 1.0, ..TrainOptions::default() },
            TrainOptions { policy_rate: 0.0, ..TrainOptions::default() },
            TrainOptions { least_reward: 2.0, ..TrainOptions::default() },
        ] {
            assert!(options.check().is_err(), "{options:?}");
        }
    }
}
