//! One scheduling period: devices for the waiting jobs, in order of submission.

use serde::{Deserialize, Serialize};

use crate::job::{FILE_VERSION, JobCluster, JobError, JobList};
use crate::placer::{Placer, Situation};

/// What a period gives to whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Version of the file.
    pub version: u32,
    /// Jobs that start now.
    pub placed: Vec<PlacedJob>,
    /// Jobs that wait for devices, in order.
    pub waiting: Vec<String>,
}

/// A job and its devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedJob {
    /// Name of the job.
    pub job: String,
    /// Names of its devices.
    pub devices: Vec<String>,
}

/// Gives devices to the jobs in order until one does not find enough; it and all after it wait.
///
/// # Errors
/// [`JobError::NoPlacement`] for a job larger than the cluster or if no device is usable, and what the placer
/// returns.
pub fn place(jobs: &JobList, cluster: &JobCluster, placer: &mut dyn Placer) -> Result<Period, JobError> {
    jobs.check_fits(cluster)?;
    let mut usable = cluster.usable();
    if !jobs.jobs.is_empty() && !usable.contains(&true) {
        return Err(JobError::NoPlacement(format!(
            "none of the cluster's {} devices is usable: all are occupied or have failed",
            usable.len()
        )));
    }
    let mut serving = vec![None; usable.len()];
    let mut period = Period { version: FILE_VERSION, placed: Vec::new(), waiting: Vec::new() };
    for (index, job) in jobs.jobs.iter().enumerate() {
        let free = usable.iter().filter(|&&usable| usable).count();
        if !period.waiting.is_empty() || job.devices > free {
            period.waiting.push(job.name.clone());
            continue;
        }
        let situation = Situation { cluster, job, usable: &usable, serving: &serving };
        let devices = situation.place(placer)?;
        for &device in &devices {
            usable[device] = false;
            serving[device] = Some(index);
        }
        let names = devices.iter().map(|&device| cluster.devices[device].name.clone()).collect();
        period.placed.push(PlacedJob { job: job.name.clone(), devices: names });
    }
    Ok(period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{DeviceState, Job};
    use crate::placer::FirstFit;
    use crate::simulate::tests::cluster;

    fn jobs(widths: &[usize]) -> JobList {
        let job = |(i, &devices): (usize, &usize)| Job::new(format!("j{i}"), devices, 1.0);
        JobList { version: FILE_VERSION, jobs: widths.iter().enumerate().map(job).collect() }
    }

    #[test]
    fn jobs_are_served_in_order_and_do_not_overtake() {
        let mut cluster = cluster(6, 0.0);
        cluster.devices[0].state = DeviceState::Occupied;
        let period = place(&jobs(&[2, 4, 1]), &cluster, &mut FirstFit).expect("a period");
        assert_eq!(period.placed, [PlacedJob { job: "j0".into(), devices: vec!["d1".into(), "d2".into()] }]);
        assert_eq!(period.waiting, ["j1", "j2"]);
    }

    #[test]
    fn jobs_too_large_and_dead_clusters_are_refused() {
        let mut cluster = cluster(2, 0.0);
        let error = place(&jobs(&[3]), &cluster, &mut FirstFit).expect_err("too large").to_string();
        assert!(error.contains("'j0' needs 3 devices and the cluster has 2"), "{error}");
        cluster.devices.iter_mut().for_each(|device| device.state = DeviceState::Failed);
        let error = place(&jobs(&[1]), &cluster, &mut FirstFit).expect_err("all failed").to_string();
        assert!(error.contains("none of the cluster's 2 devices"), "{error}");
    }
}
