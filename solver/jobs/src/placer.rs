//! Who chooses the devices of a job: the baselines.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::job::{Job, JobCluster, JobError};

/// What a placer sees: a job and the devices it may have.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The cluster.
    pub cluster: &'a JobCluster,
    /// The job; at least `job.devices` devices are usable.
    pub job: &'a Job,
    /// Devices that may be given to it.
    pub usable: &'a [bool],
    /// The job each device serves.
    pub serving: &'a [Option<usize>],
}

impl Situation<'_> {
    /// What a placer chooses, where it is what the job may have.
    ///
    /// # Errors
    /// A placer that fails, or gives a job devices that it cannot have.
    pub(crate) fn place(&self, placer: &mut dyn Placer) -> Result<Vec<usize>, JobError> {
        let devices = placer.place(self)?;
        let distinct: BTreeSet<usize> = devices.iter().copied().collect();
        let all_usable = distinct.iter().all(|&device| self.usable.get(device) == Some(&true));
        if devices.len() != self.job.devices || distinct.len() != devices.len() || !all_usable {
            return Err(JobError::Input(format!("job '{}' was given devices it cannot have", self.job.name)));
        }
        Ok(devices)
    }
}

/// Chooses devices.
pub trait Placer {
    /// `job.devices` different usable devices.
    ///
    /// # Errors
    /// When the placer itself fails, such as a network for another cluster.
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError>;
}

fn usable(situation: &Situation<'_>) -> Vec<usize> {
    (0..situation.usable.len()).filter(|&device| situation.usable[device]).collect()
}

/// The usable devices with the smallest keys, ties by number.
fn smallest<K: PartialOrd>(situation: &Situation<'_>, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut devices = usable(situation);
    devices
        .sort_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(&b)));
    devices.truncate(situation.job.devices);
    devices
}

/// Any usable devices.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// A placer with its own seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl Placer for Random {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        let mut devices = usable(situation);
        devices.shuffle(&mut self.0);
        devices.truncate(situation.job.devices);
        Ok(devices)
    }
}

/// The usable devices with the lowest numbers.
#[derive(Clone, Copy, Debug)]
pub struct FirstFit;

impl Placer for FirstFit {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        Ok(smallest(situation, |_| 0))
    }
}

/// The fastest usable devices.
#[derive(Clone, Copy, Debug)]
pub struct CapacityAware;

impl Placer for CapacityAware {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        Ok(smallest(situation, |device| -situation.cluster.devices[device].speed))
    }
}

/// Devices on the hosts with the fewest other jobs, and of the job's own hosts first.
#[derive(Clone, Copy, Debug)]
pub struct InterferenceAware;

impl Placer for InterferenceAware {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        let host = |device: usize| situation.cluster.devices[device].host;
        let others = |device: usize| {
            let mut jobs: Vec<usize> = (0..situation.serving.len())
                .filter(|&d| host(d) == host(device))
                .filter_map(|d| situation.serving[d])
                .collect();
            jobs.sort_unstable();
            jobs.dedup();
            jobs.len()
        };
        let counts: Vec<usize> = (0..situation.usable.len()).map(others).collect();
        let mut left = usable(situation);
        let mut ours = BTreeSet::new();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < situation.job.devices {
            let next = (0..left.len()).min_by_key(|&at| {
                let device = left[at];
                (!ours.contains(&host(device)), counts[device], device)
            });
            let Some(next) = next else { break };
            let device = left.swap_remove(next);
            ours.insert(host(device));
            chosen.push(device);
        }
        Ok(chosen)
    }
}

/// The usable devices that fail least; it is told the rates, which the learned policy is not.
#[derive(Clone, Copy, Debug)]
pub struct FaultGreedy;

impl Placer for FaultGreedy {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        Ok(smallest(situation, |device| situation.cluster.devices[device].failures_per_second))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulate::tests::cluster;

    fn place(
        placer: &mut dyn Placer,
        cluster: &JobCluster,
        usable: &[bool],
        serving: &[Option<usize>],
    ) -> Vec<usize> {
        let job = Job::new("j", 2, 1.0);
        placer.place(&Situation { cluster, job: &job, usable, serving }).expect("enough devices")
    }

    #[test]
    fn devices_that_a_job_cannot_have_are_no_placement() {
        struct Always(Vec<usize>);
        impl Placer for Always {
            fn place(&mut self, _: &Situation<'_>) -> Result<Vec<usize>, JobError> {
                Ok(self.0.clone())
            }
        }
        let (cluster, job) = (cluster(3, 0.1), Job::new("j", 2, 1.0));
        let situation =
            Situation { cluster: &cluster, job: &job, usable: &[true, false, true], serving: &[None; 3] };
        let given = |devices: &[usize]| situation.place(&mut Always(devices.to_vec()));
        assert_eq!(given(&[2, 0]).unwrap(), [2, 0]);
        for wrong in [&[0][..], &[0, 0], &[0, 1], &[0, 3], &[0, 2, 2]] {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn each_baseline_follows_its_rule() {
        let mut cluster = cluster(6, 0.1);
        for (device, rate) in [(1, 0.01), (4, 0.02)] {
            cluster.devices[device].failures_per_second = rate;
        }
        for (device, speed) in [(2, 1.2), (5, 1.1), (0, 1.5)] {
            cluster.devices[device].speed = speed;
        }
        let usable = [false, true, true, true, true, true];
        let mut serving = [None; 6];
        serving[0] = Some(0);
        assert_eq!(place(&mut FirstFit, &cluster, &usable, &serving), [1, 2]);
        assert_eq!(place(&mut CapacityAware, &cluster, &usable, &serving), [2, 5]);
        assert_eq!(place(&mut FaultGreedy, &cluster, &usable, &serving), [1, 4]);
        // Host 0 has a job already.
        assert_eq!(place(&mut InterferenceAware, &cluster, &usable, &serving), [2, 3]);
    }

    #[test]
    fn random_placements_are_sound_and_vary() {
        let cluster = cluster(6, 0.1);
        let usable = [false, true, true, true, true, true];
        let mut seen = Vec::new();
        let mut random = Random::new(1);
        for _ in 0..20 {
            let devices = place(&mut random, &cluster, &usable, &[None; 6]);
            assert_eq!(devices.len(), 2);
            assert!(devices[0] != devices[1] && !devices.contains(&0));
            seen.push(devices);
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 5);
    }

    /// The rule as it is told: one device after another, each the best of those left.
    fn by_the_rule(
        cluster: &JobCluster,
        job: &Job,
        usable: &[bool],
        serving: &[Option<usize>],
    ) -> Vec<usize> {
        let host = |device: usize| cluster.devices[device].host;
        let others = |at: usize| {
            let jobs =
                (0..serving.len()).filter(|&device| host(device) == at).filter_map(|device| serving[device]);
            jobs.collect::<BTreeSet<_>>().len()
        };
        let mut chosen: Vec<usize> = Vec::new();
        for _ in 0..job.devices {
            let left = (0..usable.len()).filter(|device| usable[*device] && !chosen.contains(device));
            let own = |device: usize| chosen.iter().any(|&other| host(other) == host(device));
            chosen.extend(left.min_by_key(|&device| (!own(device), others(host(device)), device)));
        }
        chosen
    }

    proptest! {
        #[test]
        fn interference_aware_follows_its_rule(
            drawn in prop::collection::vec((0..6usize, any::<bool>(), prop::option::of(0..5usize)), 1..25),
            devices in 1..25usize,
        ) {
            let mut cluster = cluster(drawn.len(), 0.0);
            for (device, (host, ..)) in cluster.devices.iter_mut().zip(&drawn) {
                device.host = *host;
            }
            let serving: Vec<Option<usize>> = drawn.iter().map(|&(.., job)| job).collect();
            let usable: Vec<bool> = drawn.iter().map(|&(_, usable, job)| usable && job.is_none()).collect();
            let job = Job::new("j", devices.min(usable.iter().filter(|&&usable| usable).count()), 1.0);
            let situation = Situation { cluster: &cluster, job: &job, usable: &usable, serving: &serving };
            prop_assert_eq!(
                InterferenceAware.place(&situation).expect("devices"),
                by_the_rule(&cluster, &job, &usable, &serving)
            );
        }
    }
}
