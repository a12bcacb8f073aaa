//! The networks of \[E\], what they see, and the placer that follows the policy.

use std::sync::Arc;

use ballast_learner_client::{Activation, Head, Learner, Network, NetworkConfig, saved};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::job::{Job, JobError};
use crate::options::TrainOptions;
use crate::placer::{Placer, Situation};

/// Widths of the hidden layers.
const HIDDEN: [usize; 4] = [256, 196, 196, 128];

/// How a saved network is marked.
const KIND: &str = "place";

/// Numbers of a state: devices needed, run time, one bit per device.
fn state_width(devices: usize) -> usize {
    devices + 2
}

/// Layer widths of the policy network for a cluster of so many devices.
#[must_use]
pub(crate) fn policy_layers(devices: usize) -> Vec<usize> {
    std::iter::once(state_width(devices)).chain(HIDDEN).chain([devices]).collect()
}

/// Layer widths of the value network.
#[must_use]
pub(crate) fn value_layers(devices: usize) -> Vec<usize> {
    std::iter::once(state_width(devices)).chain(HIDDEN).chain([1]).collect()
}

/// The state `[n/N, t/T, s_1..s_N]`: n devices needed of N, run time t over the scale T, and 0 for a usable device,
/// 1 for an occupied or failed one.
#[must_use]
pub(super) fn encode(job: &Job, usable: &[bool], time_scale_seconds: f64) -> Vec<f32> {
    let mut state = Vec::with_capacity(state_width(usable.len()));
    state.push((job.devices as f64 / usable.len() as f64) as f32);
    state.push((job.seconds / time_scale_seconds) as f32);
    state.extend(usable.iter().map(|&usable| if usable { 0.0 } else { 1.0 }));
    state
}

/// Something that gives every device a probability.
pub trait Policy {
    /// Devices it was made for.
    fn devices(&self) -> usize;

    /// The scale T of run times, seconds.
    fn time_scale_seconds(&self) -> f64;

    /// Probabilities of the devices; those not allowed get 0.
    ///
    /// # Errors
    /// [`JobError::Learner`].
    fn probabilities(&mut self, state: &[f32], allowed: &[u8]) -> Result<Vec<f32>, JobError>;
}

/// The policy network on its own.
#[derive(Debug)]
pub struct PolicyNetwork {
    pub(super) network: Network,
    devices: usize,
    time_scale_seconds: f64,
}

/// What a saved network says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SavedHeader {
    /// Devices of the cluster it was trained on.
    pub devices: usize,
    /// The scale T of run times, seconds.
    pub time_scale_seconds: f64,
    /// Trainings so far.
    pub trainings: u64,
    /// How it was trained.
    pub options: TrainOptions,
}

pub(super) fn learner_error(error: impl std::fmt::Display) -> JobError {
    JobError::Learner(error.to_string())
}

impl PolicyNetwork {
    /// A fresh network.
    ///
    /// # Errors
    /// [`JobError::Learner`].
    pub fn new(
        learner: &Arc<Learner>,
        devices: usize,
        time_scale_seconds: f64,
        seed: u64,
    ) -> Result<Self, JobError> {
        let config = NetworkConfig {
            layers: policy_layers(devices),
            head: Head::Policy,
            activation: Activation::Relu,
            seed,
        };
        let network = Network::new(learner, &config).map_err(learner_error)?;
        Ok(PolicyNetwork { network, devices, time_scale_seconds })
    }

    /// Loads the policy of a saved network; its value network stays on disk.
    ///
    /// # Errors
    /// [`JobError::Input`] for damaged files and files of another kind or cluster size.
    pub fn load(learner: &Arc<Learner>, file: &[u8], devices: usize) -> Result<Self, JobError> {
        let (header, parts) = read_saved(file)?;
        if header.devices != devices {
            return Err(JobError::Input(format!(
                "the network was trained for {} devices and the cluster has {devices}: train one for it",
                header.devices
            )));
        }
        let mut policy = PolicyNetwork::new(learner, devices, header.time_scale_seconds, 0)?;
        policy.network.set_state(&parts[0]).map_err(|error| JobError::Input(error.to_string()))?;
        Ok(policy)
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.network.parameters()
    }
}

/// Header and the two parts, policy and value, of a saved network.
pub(super) fn read_saved(file: &[u8]) -> Result<(SavedHeader, Vec<Vec<f32>>), JobError> {
    let (header, parts): (SavedHeader, _) =
        saved::decode(KIND, file).map_err(|error| JobError::Input(error.to_string()))?;
    let sound = header.time_scale_seconds.is_finite() && header.time_scale_seconds > 0.0;
    if parts.len() != 2 || !sound {
        return Err(JobError::Input("a damaged network file: a part or the time scale is missing".into()));
    }
    Ok((header, parts))
}

pub(super) fn write_saved(header: &SavedHeader, parts: &[&[f32]; 2]) -> Result<Vec<u8>, JobError> {
    saved::encode(KIND, header, parts).map_err(learner_error)
}

impl Policy for PolicyNetwork {
    fn devices(&self) -> usize {
        self.devices
    }

    fn time_scale_seconds(&self) -> f64 {
        self.time_scale_seconds
    }

    fn probabilities(&mut self, state: &[f32], allowed: &[u8]) -> Result<Vec<f32>, JobError> {
        self.network.forward(1, 1, state, Some(allowed)).map_err(learner_error)
    }
}

/// One choice of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What the policy saw.
    pub state: Vec<f32>,
    /// 1 for the devices it could choose.
    pub allowed: Vec<u8>,
    /// The device chosen.
    pub action: usize,
    /// What it saw after the device's bit was set.
    pub next_state: Vec<f32>,
}

/// Follows a policy: one device at a time, its bit set after each.
pub struct LearnedPlacer<'a> {
    policy: &'a mut dyn Policy,
    /// Draws devices by their probabilities while it learns; takes the most probable without one.
    explore: Option<ChaCha8Rng>,
    /// The choices made, in order.
    pub decisions: Vec<Decision>,
}

impl<'a> LearnedPlacer<'a> {
    /// Takes the most probable device.
    #[must_use]
    pub fn new(policy: &'a mut dyn Policy) -> Self {
        LearnedPlacer { policy, explore: None, decisions: Vec::new() }
    }

    /// Draws devices by their probabilities.
    #[must_use]
    pub(crate) fn exploring(policy: &'a mut dyn Policy, rng: ChaCha8Rng) -> Self {
        LearnedPlacer { policy, explore: Some(rng), decisions: Vec::new() }
    }

    fn choose(&mut self, probabilities: &[f32], allowed: &[u8]) -> Option<usize> {
        // Busy and failed devices count 0 whatever the policy says.
        let masked: Vec<f32> =
            probabilities.iter().zip(allowed).map(|(&p, &ok)| if ok == 1 { p } else { 0.0 }).collect();
        let most_probable = || {
            (0..masked.len())
                .filter(|&d| allowed[d] == 1)
                .max_by(|&a, &b| masked[a].total_cmp(&masked[b]).then(b.cmp(&a)))
        };
        let Some(rng) = &mut self.explore else { return most_probable() };
        let sum: f32 = masked.iter().sum();
        let mut point = rng.random::<f32>() * sum;
        for (device, &p) in masked.iter().enumerate() {
            if p > 0.0 && point < p {
                return Some(device);
            }
            point -= p;
        }
        most_probable()
    }
}

impl Placer for LearnedPlacer<'_> {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        let devices = situation.usable.len();
        if self.policy.devices() != devices {
            return Err(JobError::Input(format!(
                "the network was trained for {} devices and the cluster has {devices}",
                self.policy.devices()
            )));
        }
        let scale = self.policy.time_scale_seconds();
        let mut usable = situation.usable.to_vec();
        let mut chosen = Vec::with_capacity(situation.job.devices);
        let mut state = encode(situation.job, &usable, scale);
        for _ in 0..situation.job.devices {
            let allowed: Vec<u8> = usable.iter().map(|&usable| u8::from(usable)).collect();
            let probabilities = self.policy.probabilities(&state, &allowed)?;
            let Some(action) = self.choose(&probabilities, &allowed) else {
                return Err(JobError::NoPlacement(format!(
                    "job '{}' needs {} devices and only {} are usable",
                    situation.job.name,
                    situation.job.devices,
                    chosen.len()
                )));
            };
            usable[action] = false;
            chosen.push(action);
            let next_state = encode(situation.job, &usable, scale);
            let seen = std::mem::replace(&mut state, next_state.clone());
            self.decisions.push(Decision { state: seen, allowed, action, next_state });
        }
        Ok(chosen)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::simulate::tests::cluster;

    /// Prefers devices by fixed weights, taken or not.
    pub(crate) struct Fixed(pub(crate) Vec<f32>);

    impl Policy for Fixed {
        fn devices(&self) -> usize {
            self.0.len()
        }
        fn time_scale_seconds(&self) -> f64 {
            100.0
        }
        fn probabilities(&mut self, _: &[f32], _: &[u8]) -> Result<Vec<f32>, JobError> {
            Ok(self.0.clone())
        }
    }

    fn count(layers: &[usize]) -> usize {
        layers.windows(2).map(|pair| pair[0] * pair[1] + pair[1]).sum()
    }

    #[test]
    fn networks_have_the_printed_sizes() {
        assert_eq!(count(&policy_layers(4)), 116_508);
        assert_eq!(count(&value_layers(4)), 116_121);
    }

    #[test]
    fn the_most_probable_usable_devices_are_taken_one_by_one() {
        let cluster = cluster(4, 0.0);
        let job = Job::new("j", 2, 50.0);
        let mut policy = Fixed(vec![0.4, 0.3, 0.2, 0.1]);
        let mut placer = LearnedPlacer::new(&mut policy);
        let usable = [false, true, true, true];
        let situation = Situation { cluster: &cluster, job: &job, usable: &usable, serving: &[None; 4] };
        assert_eq!(placer.place(&situation), Ok(vec![1, 2]));
        let second = &placer.decisions[1];
        assert_eq!(second.state, [0.5, 0.5, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(second.allowed, [0, 0, 1, 1]);
        assert_eq!(second.next_state, [0.5, 0.5, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn exploring_draws_by_probability_and_never_a_taken_device() {
        let cluster = cluster(4, 0.0);
        let job = Job::new("j", 1, 50.0);
        let mut policy = Fixed(vec![0.6, 0.3, 0.1, 0.0]);
        let mut placer = LearnedPlacer::exploring(&mut policy, ChaCha8Rng::seed_from_u64(2));
        let usable = [false, true, true, true];
        let situation = Situation { cluster: &cluster, job: &job, usable: &usable, serving: &[None; 4] };
        let mut counts = [0; 4];
        for _ in 0..2000 {
            counts[placer.place(&situation).expect("usable devices")[0]] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((1400..1600).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn policies_of_another_cluster_are_refused() {
        let cluster = cluster(4, 0.0);
        let job = Job::new("j", 1, 50.0);
        let mut policy = Fixed(vec![0.5; 3]);
        let situation = Situation { cluster: &cluster, job: &job, usable: &[true; 4], serving: &[None; 4] };
        let error = LearnedPlacer::new(&mut policy).place(&situation).expect_err("3 of 4").to_string();
        assert!(error.contains("trained for 3 devices and the cluster has 4"), "{error}");
    }
}
