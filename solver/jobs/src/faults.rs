//! When devices fail: a trace per device or per host, the same whatever is placed on it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::job::{JobCluster, JobError};
use crate::world::{FaultUnit, World};

/// Most failures of a trace: 256 MB of times.
const MOST_FAILURES: usize = 1 << 25;

/// Failure times of all devices, drawn as they are asked for.
#[derive(Clone, Debug)]
pub struct FaultTrace {
    recovery_seconds: f64,
    streams: Vec<Stream>,
    /// Failures of all streams so far.
    drawn: usize,
    /// The stream of each device.
    of_device: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Stream {
    rate: f64,
    rng: ChaCha8Rng,
    /// Ascending; each failure falls after the device has recovered from the one before.
    failures: Vec<f64>,
}

impl FaultTrace {
    /// Exponential times between failures, with a rate (failures a second) per device.
    #[must_use]
    pub fn new(cluster: &JobCluster, world: &World, seed: u64) -> Self {
        let streams = cluster
            .devices
            .iter()
            .enumerate()
            .map(|(device, of)| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(device as u64);
                Stream { rate: of.failures_per_second, rng, failures: Vec::new() }
            })
            .collect();
        let of_device = (0..cluster.devices.len())
            .map(|device| match world.fault_unit {
                FaultUnit::Device => device,
                FaultUnit::Host => cluster.first_of_host(device),
            })
            .collect();
        FaultTrace { recovery_seconds: world.recovery_seconds, streams, drawn: 0, of_device }
    }

    /// Failures up to a time, as device and seconds, by time; of a host that fails as one its first device stands for all.
    ///
    /// # Errors
    /// [`JobError::NoPlacement`] where there are more than 2^25.
    pub fn failures_until(&mut self, seconds: f64) -> Result<Vec<(usize, f64)>, JobError> {
        let mut all = Vec::new();
        for device in 0..self.of_device.len() {
            let mut at = 0.0;
            while self.of_device[device] == device && at < seconds {
                at = self.next_failure(device, at)?;
                if at < seconds {
                    all.push((device, at));
                }
                at = at.next_up();
            }
        }
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(all)
    }

    /// The first failure of a device at or after `time`; infinite for a device that never fails.
    pub(crate) fn next_failure(&mut self, device: usize, time: f64) -> Result<f64, JobError> {
        let recovery = self.recovery_seconds;
        let stream = &mut self.streams[self.of_device[device]];
        if stream.rate <= 0.0 {
            return Ok(f64::INFINITY);
        }
        while stream.failures.last().is_none_or(|&last| last < time) {
            let sound_from = stream.failures.last().map_or(0.0, |last| last + recovery);
            // Inverse transform; 1 - u lies in (0, 1].
            let wait = -(1.0 - stream.rng.random::<f64>()).ln() / stream.rate;
            stream.failures.push(sound_from + wait);
            self.drawn += 1;
            if self.drawn > MOST_FAILURES {
                return Err(JobError::NoPlacement(format!(
                    "more than {MOST_FAILURES} failures until {time} s: give lower failure rates or shorter times"
                )));
            }
        }
        let at = stream.failures.partition_point(|&failure| failure < time);
        Ok(stream.failures[at])
    }

    /// When a device that is down at `time` is back; none for one that works.
    pub(crate) fn down_until(&mut self, device: usize, time: f64) -> Result<Option<f64>, JobError> {
        self.next_failure(device, time)?;
        let failures = &self.streams[self.of_device[device]].failures;
        let before = failures.partition_point(|&failure| failure <= time);
        let last = before.checked_sub(1).and_then(|last| failures.get(last));
        Ok(last.map(|last| last + self.recovery_seconds).filter(|&back| back > time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::tests::cluster;

    fn trace(rates: &[f64], recovery_seconds: f64, unit: FaultUnit) -> FaultTrace {
        let mut cluster = cluster(rates.len(), 0.0);
        for (device, &rate) in cluster.devices.iter_mut().zip(rates) {
            device.failures_per_second = rate;
        }
        FaultTrace::new(&cluster, &World { recovery_seconds, fault_unit: unit, ..World::default() }, 9)
    }

    #[test]
    fn hosts_that_fail_take_all_their_devices() {
        // d0 and d1 share a host, d2 and d3 another.
        let mut trace = trace(&[0.1, 0.9, 0.05, 0.9], 5.0, FaultUnit::Host);
        let first = trace.next_failure(0, 0.0).expect("drawn");
        assert_eq!(trace.next_failure(1, 0.0).expect("drawn"), first);
        assert_eq!(trace.down_until(1, first).expect("drawn"), Some(first + 5.0));
        assert_ne!(trace.next_failure(2, 0.0).expect("drawn"), first);
        let all = trace.failures_until(200.0).expect("drawn");
        assert_eq!(all.iter().find(|(device, _)| *device == 0), Some(&(0, first)));
        assert!(all.iter().all(|&(device, _)| device % 2 == 0), "{all:?}");
        assert!(all.is_sorted_by(|a, b| a.1 <= b.1) && all.len() > 10 && all.last().expect("some").1 < 200.0);
    }

    #[test]
    fn failures_come_at_the_given_rate() {
        let mut trace = trace(&[0.01, 0.0], 0.0, FaultUnit::Device);
        let (mut time, mut count) = (0.0, 0);
        while time < 100_000.0 {
            time = trace.next_failure(0, time).expect("drawn") + 1e-9;
            count += 1;
        }
        // 1000 expected, a standard deviation of 32.
        assert!((880..1120).contains(&count), "{count}");
        assert!(trace.next_failure(1, 0.0).expect("drawn").is_infinite());
    }

    #[test]
    fn a_trace_does_not_depend_on_the_questions() {
        let mut asked = trace(&[0.1, 0.2], 5.0, FaultUnit::Device);
        let _ = asked.next_failure(1, 500.0).expect("drawn");
        let _ = asked.next_failure(0, 3.0).expect("drawn");
        let mut fresh = trace(&[0.1, 0.2], 5.0, FaultUnit::Device);
        for time in [0.0, 10.0, 33.0, 400.0] {
            assert_eq!(
                asked.next_failure(0, time).expect("drawn"),
                fresh.next_failure(0, time).expect("drawn")
            );
        }
    }

    #[test]
    fn a_failed_device_is_down_until_it_has_recovered() {
        let mut trace = trace(&[0.1], 5.0, FaultUnit::Device);
        let failure = trace.next_failure(0, 0.0).expect("drawn");
        assert_eq!(trace.down_until(0, failure * 0.5).expect("drawn"), None);
        assert_eq!(trace.down_until(0, failure).expect("drawn"), Some(failure + 5.0));
        assert_eq!(trace.down_until(0, failure + 4.9).expect("drawn"), Some(failure + 5.0));
        assert!(trace.next_failure(0, failure + 1e-9).expect("drawn") >= failure + 5.0);
    }
}
