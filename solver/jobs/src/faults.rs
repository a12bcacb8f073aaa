//! When devices fail: a trace per device, the same whatever is placed on it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Failure times of all devices, drawn as they are asked for.
#[derive(Clone, Debug)]
pub struct FaultTrace {
    recovery_seconds: f64,
    devices: Vec<Stream>,
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
    pub fn new(rates: &[f64], recovery_seconds: f64, seed: u64) -> Self {
        let devices = rates
            .iter()
            .enumerate()
            .map(|(device, &rate)| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(device as u64);
                Stream { rate, rng, failures: Vec::new() }
            })
            .collect();
        FaultTrace { recovery_seconds, devices }
    }

    /// The first failure of a device at or after `time`; infinite for a device that never fails.
    pub(crate) fn next_failure(&mut self, device: usize, time: f64) -> f64 {
        let recovery = self.recovery_seconds;
        let stream = &mut self.devices[device];
        if stream.rate <= 0.0 {
            return f64::INFINITY;
        }
        while stream.failures.last().is_none_or(|&last| last < time) {
            let sound_from = stream.failures.last().map_or(0.0, |last| last + recovery);
            // Inverse transform; 1 - u lies in (0, 1].
            let wait = -(1.0 - stream.rng.random::<f64>()).ln() / stream.rate;
            stream.failures.push(sound_from + wait);
        }
        let at = stream.failures.partition_point(|&failure| failure < time);
        stream.failures[at]
    }

    /// When a device that is down at `time` is back; none for one that works.
    pub(crate) fn down_until(&mut self, device: usize, time: f64) -> Option<f64> {
        let _ = self.next_failure(device, time);
        let failures = &self.devices[device].failures;
        let before = failures.partition_point(|&failure| failure <= time);
        let back = failures.get(before.checked_sub(1)?)? + self.recovery_seconds;
        (back > time).then_some(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_at_the_given_rate() {
        let mut trace = FaultTrace::new(&[0.01, 0.0], 0.0, 3);
        let (mut time, mut count) = (0.0, 0);
        while time < 100_000.0 {
            time = trace.next_failure(0, time) + 1e-9;
            count += 1;
        }
        // 1000 expected, a standard deviation of 32.
        assert!((880..1120).contains(&count), "{count}");
        assert!(trace.next_failure(1, 0.0).is_infinite());
    }

    #[test]
    fn a_trace_does_not_depend_on_the_questions() {
        let mut asked = FaultTrace::new(&[0.1, 0.2], 5.0, 9);
        let _ = asked.next_failure(1, 500.0);
        let _ = asked.next_failure(0, 3.0);
        let mut fresh = FaultTrace::new(&[0.1, 0.2], 5.0, 9);
        for time in [0.0, 10.0, 33.0, 400.0] {
            assert_eq!(asked.next_failure(0, time), fresh.next_failure(0, time));
        }
    }

    #[test]
    fn a_failed_device_is_down_until_it_has_recovered() {
        let mut trace = FaultTrace::new(&[0.1], 5.0, 9);
        let failure = trace.next_failure(0, 0.0);
        assert_eq!(trace.down_until(0, failure * 0.5), None);
        assert_eq!(trace.down_until(0, failure), Some(failure + 5.0));
        assert_eq!(trace.down_until(0, failure + 4.9), Some(failure + 5.0));
        assert!(trace.next_failure(0, failure + 1e-9) >= failure + 5.0);
    }
}
