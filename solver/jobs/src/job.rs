//! Jobs and clusters, and the files they are read from.

use serde::{Deserialize, Serialize};

/// Version of the job and cluster files this program reads.
pub const FILE_VERSION: u32 = 1;

/// Most devices of a cluster and most devices of a job.
const MOST_DEVICES: usize = 4096;

/// Longest time of a job, 32 years.
const MOST_SECONDS: f64 = 1e9;

/// A training job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    /// Name for messages and placements.
    pub name: String,
    /// Devices it needs, all at once.
    pub devices: usize,
    /// Seconds it runs on devices of speed 1 without a fault.
    pub seconds: f64,
    /// Seconds after the start of its batch at which it is submitted; no earlier than the job before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub submitted_seconds: f64,
}

/// One device of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClusterDevice {
    /// Name for messages and placements.
    pub name: String,
    /// Devices of one host slow each other's jobs.
    #[serde(default)]
    pub host: usize,
    /// Relative speed; a job runs at the speed of its slowest device.
    #[serde(default = "one")]
    pub speed: f64,
    /// May it be given to a job now?
    #[serde(default)]
    pub state: DeviceState,
    /// Failures a second while the simulator runs; at most 1. Only the simulator and fault-greedy read it: the
    /// learned policy has to find out.
    #[serde(default)]
    pub failures_per_second: f64,
}

fn one() -> f64 {
    1.0
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Whether a device may be given to a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceState {
    /// Free and sound.
    #[default]
    Usable,
    /// Serving a job.
    Occupied,
    /// Out of order.
    Failed,
}

/// The devices a scheduler has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobCluster {
    /// [`FILE_VERSION`].
    pub version: u32,
    /// Their order is the order of the policy's outputs.
    pub devices: Vec<ClusterDevice>,
}

/// A list of jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobList {
    /// [`FILE_VERSION`].
    pub version: u32,
    /// In order of submission.
    pub jobs: Vec<Job>,
}

/// Files, jobs or networks that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JobError {
    /// Names the element.
    #[error("{0}")]
    Input(String),
    /// The input is sound and the cluster cannot serve it.
    #[error("{0}")]
    NoPlacement(String),
    /// The learner library failed.
    #[error("{0}")]
    Learner(String),
}

fn refuse<T>(reason: String) -> Result<T, JobError> {
    Err(JobError::Input(reason))
}

fn check_version(version: u32) -> Result<(), JobError> {
    if version == FILE_VERSION {
        return Ok(());
    }
    refuse(format!("file version {version}: this program reads version {FILE_VERSION}"))
}

impl JobCluster {
    /// Reads a cluster file.
    ///
    /// # Errors
    /// [`JobError::Input`] for text that is none, and everything [`JobCluster::check`] refuses.
    pub fn parse(text: &str) -> Result<Self, JobError> {
        let cluster: JobCluster = serde_json::from_str(text)
            .map_err(|error| JobError::Input(format!("not a cluster file: {error}")))?;
        check_version(cluster.version)?;
        cluster.check()?;
        Ok(cluster)
    }

    /// Checks names and numbers.
    ///
    /// # Errors
    /// [`JobError::Input`] with the first defect.
    pub fn check(&self) -> Result<(), JobError> {
        if self.devices.is_empty() || self.devices.len() > MOST_DEVICES {
            return refuse(format!("{} devices: a cluster has 1 to {MOST_DEVICES}", self.devices.len()));
        }
        for (i, device) in self.devices.iter().enumerate() {
            let name = &device.name;
            if self.devices[..i].iter().any(|other| other.name == *name) {
                return refuse(format!("two devices are called '{name}'"));
            }
            if !(1e-6..=1e6).contains(&device.speed) {
                return refuse(format!("device '{name}' has speed {}: it lies in 1e-6 to 1e6", device.speed));
            }
            if !(0.0..=1.0).contains(&device.failures_per_second) {
                return refuse(format!(
                    "device '{name}' fails {} times a second: the rate lies in 0 to 1",
                    device.failures_per_second
                ));
            }
        }
        Ok(())
    }

    /// The first device of the host of a device.
    pub(crate) fn first_of_host(&self, device: usize) -> usize {
        let host = self.devices[device].host;
        self.devices.iter().position(|other| other.host == host).unwrap_or(device)
    }

    /// The number of the device of this name.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.devices.iter().position(|device| device.name == name)
    }

    /// Which devices may be given to a job.
    #[must_use]
    pub fn usable(&self) -> Vec<bool> {
        self.devices.iter().map(|device| device.state == DeviceState::Usable).collect()
    }
}

impl JobList {
    /// Reads a job file.
    ///
    /// # Errors
    /// [`JobError::Input`] for text that is none, repeated names, and jobs without devices or time.
    pub fn parse(text: &str) -> Result<Self, JobError> {
        let list: JobList = serde_json::from_str(text)
            .map_err(|error| JobError::Input(format!("not a job file: {error}")))?;
        check_version(list.version)?;
        for (i, job) in list.jobs.iter().enumerate() {
            job.check()?;
            if list.jobs[..i].iter().any(|other| other.name == job.name) {
                return refuse(format!("two jobs are called '{}'", job.name));
            }
            if let Some(before) = i.checked_sub(1).map(|before| &list.jobs[before])
                && before.submitted_seconds > job.submitted_seconds
            {
                return refuse(format!(
                    "job '{}' is submitted before '{}', which stands above it: jobs stand in order of submission",
                    job.name, before.name
                ));
            }
        }
        Ok(list)
    }

    /// Refuses jobs that need more devices than the cluster has.
    ///
    /// # Errors
    /// [`JobError::NoPlacement`] naming the job.
    pub fn check_fits(&self, cluster: &JobCluster) -> Result<(), JobError> {
        match self.jobs.iter().find(|job| job.devices > cluster.devices.len()) {
            Some(job) => Err(JobError::NoPlacement(format!(
                "job '{}' needs {} devices and the cluster has {}",
                job.name,
                job.devices,
                cluster.devices.len()
            ))),
            None => Ok(()),
        }
    }
}

impl Job {
    /// A job submitted at the start of its batch.
    #[must_use]
    pub fn new(name: impl Into<String>, devices: usize, seconds: f64) -> Self {
        Job { name: name.into(), devices, seconds, submitted_seconds: 0.0 }
    }

    /// # Errors
    /// [`JobError::Input`] for a job without devices or with a time that is none.
    pub fn check(&self) -> Result<(), JobError> {
        if self.devices == 0 || self.devices > MOST_DEVICES {
            return refuse(format!(
                "job '{}' needs {} devices: 1 to {MOST_DEVICES}",
                self.name, self.devices
            ));
        }
        if !(self.seconds > 0.0 && self.seconds <= MOST_SECONDS) {
            return refuse(format!(
                "job '{}' runs {} s: a time above 0, up to {MOST_SECONDS:e}",
                self.name, self.seconds
            ));
        }
        if !(0.0..=MOST_SECONDS).contains(&self.submitted_seconds) {
            return refuse(format!(
                "job '{}' is submitted at {} s: a time from the start of its batch on, up to {MOST_SECONDS:e}",
                self.name, self.submitted_seconds
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_with_defaults() {
        let cluster =
            JobCluster::parse(r#"{"version":1,"devices":[{"name":"a"},{"name":"b","state":"failed"}]}"#)
                .expect("sound");
        assert_eq!(cluster.usable(), [true, false]);
        assert_eq!(cluster.devices[0].speed, 1.0);
        let jobs = JobList::parse(r#"{"version":1,"jobs":[{"name":"x","devices":3,"seconds":2.5}]}"#)
            .expect("sound");
        let error = jobs.check_fits(&cluster).expect_err("too large").to_string();
        assert!(error.contains("'x' needs 3 devices and the cluster has 2"), "{error}");
    }

    #[test]
    fn broken_files_are_refused_by_name() {
        for (text, part) in [
            (r#"{"version":2,"devices":[{"name":"a"}]}"#, "version 2"),
            (r#"{"version":1,"devices":[]}"#, "0 devices"),
            (r#"{"version":1,"devices":[{"name":"a"},{"name":"a"}]}"#, "two devices are called 'a'"),
            (r#"{"version":1,"devices":[{"name":"a","failures-per-second":1.5}]}"#, "'a' fails 1.5 times"),
            (r#"{"version":1,"devices":[{"name":"a","speed":0}]}"#, "speed 0"),
            (r#"{"version":1,"devices":[{"name":"a","colour":"red"}]}"#, "colour"),
        ] {
            let error = JobCluster::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
        for (text, part) in [
            (r#"{"version":1,"jobs":[{"name":"x","devices":0,"seconds":1}]}"#, "0 devices"),
            (r#"{"version":1,"jobs":[{"name":"x","devices":1,"seconds":-1}]}"#, "-1 s"),
            (
                r#"{"version":1,"jobs":[{"name":"x","devices":1,"seconds":1},{"name":"x","devices":1,"seconds":1}]}"#,
                "two jobs",
            ),
            (
                r#"{"version":1,"jobs":[{"name":"x","devices":1,"seconds":1,"submitted-seconds":2},{"name":"y","devices":1,"seconds":1}]}"#,
                "'y' is submitted before 'x'",
            ),
            ("[]", "not a job file"),
        ] {
            let error = JobList::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
