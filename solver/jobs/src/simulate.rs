//! A batch of jobs on a cluster whose devices fail, event by event.

use ballast_core::limits::Deadline;
use serde::{Deserialize, Serialize};

use crate::faults::FaultTrace;
use crate::job::{Job, JobCluster, JobError};
use crate::placer::{Placer, Situation};
use crate::world::World;

/// What a batch came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchRun {
    /// Completion time of the last job, seconds.
    pub makespan_seconds: f64,
    /// Completion time of every job, seconds.
    pub completed_seconds: Vec<f64>,
    /// When every job got its devices, seconds.
    pub started_seconds: Vec<f64>,
    /// Times a job began its work again.
    pub restarts: u64,
    /// Work that failures undid: seconds times devices.
    pub lost_device_seconds: f64,
    /// Devices of every job.
    pub devices: Vec<Vec<usize>>,
    /// Jobs that failed as often as a job may: they end at the last failure, and no sooner than without a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_jobs: Vec<usize>,
}

/// Moments a job waits for before it is given up.
const MOST_WAITS: u32 = 100_000;

/// Runs a batch to its end. Jobs start in order of submission, each as soon as enough devices are usable; a job stays on its devices, and
/// begins its work again there when one of them fails.
///
/// # Errors
/// [`JobError::NoPlacement`] for a job larger than the cluster, and what the placer returns.
pub fn run_batch(
    cluster: &JobCluster,
    jobs: &[Job],
    world: &World,
    faults: &mut FaultTrace,
    placer: &mut dyn Placer,
) -> Result<BatchRun, JobError> {
    let outcome = run_batch_within(cluster, jobs, world, faults, placer, &Deadline::after(None))?;
    Ok(outcome.unwrap_or_default())
}

/// The same; none once the deadline is over, for a batch may have any number of jobs.
///
/// # Errors
/// As [`run_batch`].
pub(super) fn run_batch_within(
    cluster: &JobCluster,
    jobs: &[Job],
    world: &World,
    faults: &mut FaultTrace,
    placer: &mut dyn Placer,
    deadline: &Deadline,
) -> Result<Option<BatchRun>, JobError> {
    let usable = cluster.usable();
    let sound = usable.iter().filter(|&&usable| usable).count();
    if let Some(job) = jobs.iter().find(|job| job.devices > sound) {
        return Err(JobError::NoPlacement(format!(
            "job '{}' needs {} devices and {sound} of the cluster's {} are usable",
            job.name,
            job.devices,
            usable.len()
        )));
    }
    // Until when each device serves a job.
    let mut taken_until: Vec<f64> =
        usable.iter().map(|&usable| if usable { 0.0 } else { f64::INFINITY }).collect();
    let mut serving: Vec<Option<usize>> = vec![None; usable.len()];
    let mut outcome = BatchRun::default();
    let mut now = 0.0_f64;
    for (index, job) in jobs.iter().enumerate() {
        if deadline.over() {
            return Ok(None);
        }
        now = now.max(job.submitted_seconds);
        let mut waits = 0;
        let free = loop {
            let free_at: Vec<f64> = (0..usable.len())
                .map(|device| {
                    let mut at = taken_until[device].max(now);
                    if at.is_finite()
                        && let Some(back) = faults.down_until(device, at)?
                    {
                        at = back;
                    }
                    Ok(at)
                })
                .collect::<Result<_, JobError>>()?;
            let free: Vec<bool> = free_at.iter().map(|&at| at <= now).collect();
            if free.iter().filter(|&&free| free).count() >= job.devices {
                break free;
            }
            // The next moment at which another device becomes usable.
            now = free_at.into_iter().filter(|&at| at > now).fold(f64::INFINITY, f64::min);
            waits += 1;
            if deadline.over() {
                return Ok(None);
            }
            if waits > MOST_WAITS {
                return Err(JobError::NoPlacement(format!(
                    "job '{}' never finds {} devices sound at once: they fail too often",
                    job.name, job.devices
                )));
            }
        };
        for device in 0..serving.len() {
            if taken_until[device] <= now {
                serving[device] = None;
            }
        }
        let situation = Situation { cluster, job, usable: &free, serving: &serving };
        let devices = situation.place(placer)?;
        let neighbours = neighbours(cluster, &devices, &serving);
        let slowest = devices.iter().map(|&d| cluster.devices[d].speed).fold(f64::INFINITY, f64::min);
        let seconds = job.seconds / slowest * (1.0 + world.interference * neighbours as f64);
        let end = complete(&devices, now, seconds, world, faults, &mut outcome)?;
        outcome.started_seconds.push(now);
        for &device in &devices {
            taken_until[device] = end;
            serving[device] = Some(index);
        }
        outcome.makespan_seconds = outcome.makespan_seconds.max(end);
        outcome.completed_seconds.push(end);
        outcome.devices.push(devices);
    }
    Ok(Some(outcome))
}

/// Other jobs on the hosts of these devices.
fn neighbours(cluster: &JobCluster, devices: &[usize], serving: &[Option<usize>]) -> usize {
    let on_our_hosts = |other: usize| {
        devices.iter().any(|&device| cluster.devices[device].host == cluster.devices[other].host)
    };
    let mut jobs: Vec<usize> =
        (0..serving.len()).filter(|&other| on_our_hosts(other)).filter_map(|other| serving[other]).collect();
    jobs.sort_unstable();
    jobs.dedup();
    jobs.len()
}

/// When a job that starts now is done. It begins its work again once all its devices are in order and it has started again; what fails
/// until then delays that.
fn complete(
    devices: &[usize],
    start: f64,
    seconds: f64,
    world: &World,
    faults: &mut FaultTrace,
    outcome: &mut BatchRun,
) -> Result<f64, JobError> {
    let (mut begin, mut sound_until) = (start, start);
    for _ in 0..world.most_restarts {
        let mut failure = f64::INFINITY;
        for &device in devices {
            failure = failure.min(faults.next_failure(device, sound_until)?);
        }
        if failure >= begin + seconds {
            return Ok(begin + seconds);
        }
        if failure >= begin {
            outcome.restarts += 1;
            outcome.lost_device_seconds += (failure - begin) * devices.len() as f64;
        }
        begin = failure + world.recovery_seconds + world.restart_seconds;
        sound_until = failure.next_up();
    }
    outcome.lost_jobs.push(outcome.devices.len());
    Ok(begin.max(start + seconds))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::job::{ClusterDevice, DeviceState, FILE_VERSION};
    use crate::placer::FirstFit;
    use crate::world::FaultUnit;

    pub(crate) fn cluster(devices: usize, rate: f64) -> JobCluster {
        JobCluster {
            version: FILE_VERSION,
            devices: (0..devices)
                .map(|i| ClusterDevice {
                    name: format!("d{i}"),
                    host: i / 2,
                    speed: 1.0,
                    state: DeviceState::Usable,
                    failures_per_second: rate,
                })
                .collect(),
        }
    }

    fn job(devices: usize, seconds: f64) -> Job {
        Job::new(format!("{devices}x{seconds}"), devices, seconds)
    }

    const CALM: World = World {
        restart_seconds: 1.0,
        recovery_seconds: 2.0,
        interference: 0.0,
        most_restarts: 1000,
        fault_unit: FaultUnit::Device,
    };

    #[test]
    fn without_faults_jobs_queue_in_order() {
        let cluster = cluster(4, 0.0);
        let jobs = [job(3, 10.0), job(2, 5.0), job(1, 1.0)];
        let mut faults = FaultTrace::new(&cluster, &CALM, 0);
        let outcome = run_batch(&cluster, &jobs, &CALM, &mut faults, &mut FirstFit).expect("placed");
        // The second waits for the first, the third does not overtake it.
        assert_eq!(outcome.completed_seconds, [10.0, 15.0, 11.0]);
        assert_eq!((outcome.makespan_seconds, outcome.restarts), (15.0, 0));
        assert_eq!(outcome.devices, [vec![0, 1, 2], vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_failure_costs_the_work_done_and_the_recovery() {
        let cluster = cluster(1, 0.01);
        let mut faults = FaultTrace::new(&cluster, &CALM, 5);
        let first = faults.next_failure(0, 0.0).expect("drawn");
        let second = faults.next_failure(0, first + 3.0).expect("drawn") - (first + 3.0);
        let seconds = first + 1.0;
        let outcome =
            run_batch(&cluster, &[job(1, seconds)], &CALM, &mut faults, &mut FirstFit).expect("placed");
        assert!(outcome.restarts >= 1);
        if second > seconds {
            assert_eq!(outcome.makespan_seconds, first + 3.0 + seconds);
        }
        assert!(outcome.makespan_seconds >= first + 3.0 + seconds);
        assert!(outcome.lost_device_seconds >= first);
    }

    #[test]
    fn a_job_begins_again_when_all_its_devices_are_in_order() {
        // Out of order for long: the second device fails while the first is repaired.
        let world = World { recovery_seconds: 500.0, restart_seconds: 0.0, ..CALM };
        let cluster = cluster(2, 0.01);
        let mut delayed = 0;
        for seed in 0..20 {
            let mut faults = FaultTrace::new(&cluster, &world, seed);
            let failures = faults.failures_until(5_000.0).expect("drawn");
            let outcome =
                run_batch(&cluster, &[job(2, 50.0)], &world, &mut faults, &mut FirstFit).expect("placed");
            let end = outcome.makespan_seconds;
            let (begin, out) = (end - 50.0, |at: f64| at..at + 500.0);
            for &(device, at) in &failures {
                assert!(!out(at).contains(&begin), "seed {seed}: it begins while {device} is out of order");
                assert!(!(begin..end).contains(&at), "seed {seed}: {device} fails before the end");
            }
            delayed += usize::from(failures.iter().filter(|(_, at)| *at < begin).count() > 1);
        }
        assert!(delayed > 10, "{delayed} of 20 met a second failure");
    }

    #[test]
    fn a_job_that_fails_too_often_is_lost_and_takes_no_less_than_a_sound_one() {
        let cluster = cluster(1, 1.0);
        let world = World { recovery_seconds: 0.0, restart_seconds: 0.0, most_restarts: 5, ..CALM };
        let mut faults = FaultTrace::new(&cluster, &world, 0);
        let outcome =
            run_batch(&cluster, &[job(1, 1e4)], &world, &mut faults, &mut FirstFit).expect("placed");
        assert_eq!((outcome.lost_jobs, outcome.completed_seconds, outcome.restarts), (vec![0], vec![1e4], 5));
        assert!(World { most_restarts: 0, ..CALM }.check().is_err());
    }

    #[test]
    fn more_failures_than_memory_holds_are_refused() {
        let cluster = cluster(1, 1.0);
        let mut faults = FaultTrace::new(&cluster, &World { recovery_seconds: 0.0, ..CALM }, 0);
        let late = Job { submitted_seconds: 1e9, ..job(1, 1.0) };
        let error = run_batch(&cluster, &[late], &CALM, &mut faults, &mut FirstFit).expect_err("too many");
        assert!(error.to_string().contains("failures"), "{error}");
    }

    #[test]
    fn jobs_wait_for_their_submission() {
        let cluster = cluster(2, 0.0);
        let late = Job { submitted_seconds: 7.0, ..job(1, 5.0) };
        let mut faults = FaultTrace::new(&cluster, &CALM, 0);
        let outcome =
            run_batch(&cluster, &[job(1, 10.0), late], &CALM, &mut faults, &mut FirstFit).expect("placed");
        assert_eq!((outcome.started_seconds, outcome.completed_seconds), (vec![0.0, 7.0], vec![10.0, 12.0]));
    }

    #[test]
    fn slow_devices_and_busy_hosts_lengthen_a_job() {
        let mut cluster = cluster(4, 0.0);
        cluster.devices[1].speed = 0.5;
        let world = World { interference: 0.1, ..CALM };
        let mut faults = FaultTrace::new(&cluster, &CALM, 0);
        // d0 and d1 share a host, d2 and d3 another.
        let jobs = [job(1, 10.0), job(1, 10.0), job(1, 10.0)];
        let outcome = run_batch(&cluster, &jobs, &world, &mut faults, &mut FirstFit).expect("placed");
        assert_eq!(outcome.completed_seconds, [10.0, 22.0, 10.0]);
    }

    #[test]
    fn clusters_without_enough_sound_devices_are_refused() {
        let mut cluster = cluster(2, 0.0);
        for device in &mut cluster.devices {
            device.state = DeviceState::Failed;
        }
        let mut faults = FaultTrace::new(&cluster, &CALM, 0);
        let error = run_batch(&cluster, &[job(1, 1.0)], &CALM, &mut faults, &mut FirstFit)
            .expect_err("all failed")
            .to_string();
        assert!(error.contains("0 of the cluster's 2 are usable"), "{error}");
    }

    #[test]
    fn more_faults_never_shorten_a_batch_on_the_same_devices() {
        let jobs: Vec<Job> = (1..5).map(|i| job(i % 3 + 1, 10.0 * i as f64)).collect();
        let mut last = 0.0;
        for rate in [0.0, 0.001, 0.02] {
            let cluster = cluster(6, rate);
            let mean: f64 = (0..40)
                .map(|seed| {
                    let mut faults = FaultTrace::new(&cluster, &CALM, seed);
                    run_batch(&cluster, &jobs, &CALM, &mut faults, &mut FirstFit)
                        .expect("placed")
                        .makespan_seconds
                })
                .sum();
            assert!(mean > last, "rate {rate}: {mean} after {last}");
            last = mean;
        }
    }
}
