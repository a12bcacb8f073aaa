//! Copies between the two heaps of the native route: what a swap does there, a fresh block and a copy into it.

use std::hint::black_box;
use std::time::Instant;

use ballast_core::profile::MeasuredLink;

/// Bytes of a copy whose time is nearly all latency, and of one whose time is nearly all transfer.
const SIZES: [usize; 2] = [4 << 10, 32 << 20];
/// Copies of each size; the first warms up, of the others the median counts.
const COPIES: usize = 9;

/// To the host and back. Both heaps lie in the same memory, so that one measurement serves both ways.
pub(super) fn measure() -> (MeasuredLink, MeasuredLink) {
    let [small, large] = SIZES.map(|bytes| (bytes as f64, median(bytes)));
    let link = line(small, large);
    (link, link)
}

/// Seconds of one copy.
fn median(bytes: usize) -> f64 {
    let source = vec![1_u8; bytes];
    let mut seconds: Vec<f64> = (0..COPIES)
        .map(|_| {
            let started = Instant::now();
            let mut block = Vec::with_capacity(bytes);
            block.extend_from_slice(black_box(&source));
            drop(black_box(block));
            started.elapsed().as_secs_f64()
        })
        .skip(1)
        .collect();
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Latency and bandwidth of the line through two measured copies, (bytes, seconds) each.
pub(super) fn line(small: (f64, f64), large: (f64, f64)) -> MeasuredLink {
    let per_byte = ((large.1 - small.1) / (large.0 - small.0)).max(f64::MIN_POSITIVE);
    let latency = (small.1 - small.0 * per_byte).max(0.0);
    MeasuredLink { bytes_per_second: 1.0 / per_byte, latency_seconds: latency }
}

#[cfg(test)]
mod tests {
    use super::{line, measure};

    #[test]
    fn latency_and_bandwidth_are_those_of_the_line_through_both_copies() {
        let link = line((1000.0, 3.0), (5000.0, 11.0));
        assert_eq!((link.bytes_per_second, link.latency_seconds), (500.0, 1.0));
        // A small copy faster than the line allows has no latency.
        assert_eq!(line((1000.0, 1.0), (5000.0, 11.0)).latency_seconds, 0.0);
    }

    #[test]
    fn a_measured_link_has_a_bandwidth() {
        let (to, from) = measure();
        assert!(to.bytes_per_second.is_finite() && to.bytes_per_second > 0.0 && from.latency_seconds >= 0.0);
    }
}
