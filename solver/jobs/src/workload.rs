//! Random batches of jobs and random clusters, for training in the simulator and for evaluation.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::job::{ClusterDevice, DeviceState, FILE_VERSION, Job, JobCluster, JobError};

/// What batches of jobs look like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Workload {
    /// Devices a batch asks for, over the devices of the cluster; above 1 jobs queue.
    pub load: f64,
    /// Devices of a job, each as likely.
    pub widths: Vec<usize>,
    /// Shortest run time, seconds.
    pub shortest_seconds: f64,
    /// Longest run time, seconds; between the two all are as likely.
    pub longest_seconds: f64,
    /// Mean seconds between two submissions, exponential; 0: all are submitted at once.
    #[serde(default)]
    pub interval_seconds: f64,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            load: 0.5,
            widths: vec![1, 2, 4],
            shortest_seconds: 600.0,
            longest_seconds: 3600.0,
            interval_seconds: 0.0,
        }
    }
}

impl Workload {
    /// # Errors
    /// [`JobError::Input`] for ranges that make no sense, [`JobError::NoPlacement`] for jobs wider than the
    /// cluster.
    pub fn check(&self, devices: usize) -> Result<(), JobError> {
        if !(self.load.is_finite() && self.load > 0.0) {
            return Err(JobError::Input(format!("load is {}: it is above 0", self.load)));
        }
        let times = self.shortest_seconds > 0.0
            && self.shortest_seconds <= self.longest_seconds
            && self.longest_seconds.is_finite();
        if !times {
            return Err(JobError::Input(format!(
                "run times from {} to {} s: both above 0, the first not above the second",
                self.shortest_seconds, self.longest_seconds
            )));
        }
        if !(self.interval_seconds.is_finite() && self.interval_seconds >= 0.0) {
            return Err(JobError::Input(format!("interval is {} s: from 0 on", self.interval_seconds)));
        }
        match self.widths.iter().max() {
            None => Err(JobError::Input("no widths of jobs".into())),
            Some(_) if self.widths.contains(&0) => Err(JobError::Input("a job of 0 devices".into())),
            Some(&widest) if widest > devices => Err(JobError::NoPlacement(format!(
                "jobs of {widest} devices on a cluster of {devices}: give narrower `widths`"
            ))),
            Some(_) => Ok(()),
        }
    }

    /// Jobs until the batch asks for its share of the devices; at least one.
    #[must_use]
    pub fn batch(&self, devices: usize, rng: &mut ChaCha8Rng) -> Vec<Job> {
        let budget = self.load * devices as f64;
        let (mut jobs, mut asked, mut submitted_seconds) = (Vec::new(), 0.0, 0.0);
        while jobs.is_empty() || asked < budget {
            let width = self.widths[rng.random_range(0..self.widths.len())];
            let seconds = rng.random_range(self.shortest_seconds..=self.longest_seconds);
            asked += width as f64;
            if asked > budget && !jobs.is_empty() {
                break;
            }
            if self.interval_seconds > 0.0 && !jobs.is_empty() {
                // Inverse transform; 1 - u lies in (0, 1].
                submitted_seconds -= (1.0 - rng.random::<f64>()).ln() * self.interval_seconds;
            }
            jobs.push(Job { submitted_seconds, ..Job::new(format!("job{}", jobs.len()), width, seconds) });
        }
        jobs
    }
}

/// What random clusters look like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClusterModel {
    /// Devices.
    pub devices: usize,
    /// Devices of a host.
    pub per_host: usize,
    /// Mean failures of a device an hour.
    pub failures_per_hour: f64,
    /// The largest possible rate over the smallest; rates are spread evenly in their logarithm.
    pub rate_spread: f64,
    /// Speeds lie between 1 - this and 1 + this.
    pub speed_spread: f64,
}

impl ClusterModel {
    /// # Errors
    /// [`JobError::Input`] for a model that makes no sense.
    pub fn check(&self) -> Result<(), JobError> {
        let refuse = |reason: String| Err(JobError::Input(reason));
        if self.devices == 0 || self.per_host == 0 {
            return refuse(format!("{} devices, {} a host: both at least 1", self.devices, self.per_host));
        }
        if !(0.0..=3600.0).contains(&self.failures_per_hour) {
            return refuse(format!("{} failures an hour: 0 to 3600, one a second", self.failures_per_hour));
        }
        if !(self.rate_spread.is_finite() && self.rate_spread >= 1.0) {
            return refuse(format!("rate-spread is {}: at least 1", self.rate_spread));
        }
        if !(0.0..1.0).contains(&self.speed_spread) {
            return refuse(format!("speed-spread is {}: 0 to 1, 1 left out", self.speed_spread));
        }
        Ok(())
    }

    /// A cluster of this kind.
    #[must_use]
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> JobCluster {
        let weights: Vec<f64> =
            (0..self.devices).map(|_| self.rate_spread.powf(rng.random::<f64>())).collect();
        let mean = weights.iter().sum::<f64>() / self.devices as f64;
        let devices = weights
            .iter()
            .enumerate()
            .map(|(i, weight)| ClusterDevice {
                name: format!("device{i}"),
                host: i / self.per_host,
                speed: 1.0 + self.speed_spread * (2.0 * rng.random::<f64>() - 1.0),
                state: DeviceState::Usable,
                failures_per_second: (self.failures_per_hour / 3600.0 * weight / mean).min(1.0),
            })
            .collect();
        JobCluster { version: FILE_VERSION, devices }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn batches_keep_their_ranges_and_load() {
        let workload = Workload::default();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for _ in 0..200 {
            let jobs = workload.batch(16, &mut rng);
            let asked: usize = jobs.iter().map(|job| job.devices).sum();
            assert!((1..=8).contains(&asked), "{asked}");
            assert!(jobs.iter().all(|job| job.check().is_ok() && (600.0..=3600.0).contains(&job.seconds)));
        }
    }

    #[test]
    fn clusters_have_the_mean_rate_and_unequal_devices() {
        let model = ClusterModel {
            devices: 64,
            per_host: 4,
            failures_per_hour: 0.5,
            rate_spread: 50.0,
            speed_spread: 0.1,
        };
        model.check().expect("sound");
        let cluster = model.draw(&mut ChaCha8Rng::seed_from_u64(1));
        cluster.check().expect("sound");
        let rates: Vec<f64> = cluster.devices.iter().map(|d| d.failures_per_second * 3600.0).collect();
        let mean = rates.iter().sum::<f64>() / 64.0;
        assert!((mean - 0.5).abs() < 1e-9);
        let (low, high) = rates.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &r| (l.min(r), h.max(r)));
        assert!(high / low > 10.0 && high / low <= 50.0);
        assert_eq!(cluster.devices[7].host, 1);
    }

    #[test]
    fn broken_models_are_refused() {
        let wide = Workload { widths: vec![4, 32], ..Workload::default() };
        assert!(wide.check(16).unwrap_err().to_string().contains("32 devices on a cluster of 16"));
        assert!(Workload { load: 0.0, ..Workload::default() }.check(16).is_err());
        assert!(Workload { longest_seconds: 1.0, ..Workload::default() }.check(16).is_err());
        let model = ClusterModel {
            devices: 4,
            per_host: 4,
            failures_per_hour: 4000.0,
            rate_spread: 2.0,
            speed_spread: 0.0,
        };
        assert!(model.check().unwrap_err().to_string().contains("4000 failures"));
    }
}
