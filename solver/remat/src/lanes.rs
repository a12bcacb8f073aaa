//! The inner loop of the timeline: shift a run of cells, and how the bytes above the cap change.
//!
//! Sums are kept in eight lanes whatever the processor, so that the result is the same everywhere.

const LANES: usize = 8;

#[inline(always)]
fn above(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}

#[inline(always)]
fn shift_in_lanes(cells: &mut [f64], bytes: f64, cap: f64) -> f64 {
    let mut sums = [0.0f64; LANES];
    let mut chunks = cells.chunks_exact_mut(LANES);
    for chunk in &mut chunks {
        for (cell, sum) in chunk.iter_mut().zip(&mut sums) {
            let old = *cell;
            let new = old + bytes;
            *cell = new;
            *sum += above(new - cap) - above(old - cap);
        }
    }
    for (cell, sum) in chunks.into_remainder().iter_mut().zip(&mut sums) {
        let old = *cell;
        let new = old + bytes;
        *cell = new;
        *sum += above(new - cap) - above(old - cap);
    }
    sums.iter().sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn shift_avx2(cells: &mut [f64], bytes: f64, cap: f64) -> f64 {
    shift_in_lanes(cells, bytes, cap)
}

/// Adds `bytes` to every cell; the change of the sum over the cells of what lies above `cap`.
pub(crate) fn shift(cells: &mut [f64], bytes: f64, cap: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if cells.len() >= 2 * LANES && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as just asked.
        return unsafe { shift_avx2(cells, bytes, cap) };
    }
    shift_in_lanes(cells, bytes, cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_is_that_of_the_excess() {
        for length in [0, 1, 7, 8, 9, 16, 37] {
            let mut cells: Vec<f64> = (0..length).map(|i| f64::from(i * 37 % 23)).collect();
            let excess = |cells: &[f64]| cells.iter().map(|c| (c - 11.0).max(0.0)).sum::<f64>();
            let before = excess(&cells);
            let change = shift(&mut cells, 5.0, 11.0);
            assert_eq!(change, excess(&cells) - before);
            assert_eq!(shift(&mut cells, -5.0, 11.0), -change);
        }
    }
}
