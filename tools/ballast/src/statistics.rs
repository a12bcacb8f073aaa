//! Figures of repeated runs.

use std::mem::MaybeUninit;

/// User and system seconds of this process, all threads.
pub(crate) fn cpu_seconds() -> f64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the system fills what it is given; all zeros is a value too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Mean, and standard deviation of a sample.
pub(crate) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::{cpu_seconds, mean_and_deviation};

    #[test]
    fn processor_time_grows_and_is_no_wall_clock() {
        let before = cpu_seconds();
        let mut sum = 0_u64;
        while cpu_seconds() <= before {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(before >= 0.0 && cpu_seconds() > before);
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 2.0_f64.sqrt()));
        assert_eq!(mean_and_deviation(&[5.0]), (5.0, 0.0));
    }
}
