//! The fitness of \[D\]: F = 1/T with T = max_j t_j · (1 + Σ_j α_j·v_j), and selection by F / ΣF.

use super::table::Excess;

/// α_j of \[D\], equal for all devices.
pub const PENALTY_WEIGHT: f64 = 2.0;

/// T: `seconds` lengthened by what the placement lacks to keep the rules.
#[must_use]
pub fn penalised(seconds: f64, excess: &Excess, weight: f64) -> f64 {
    seconds * (1.0 + excess.by_device.iter().map(|v| weight * v).sum::<f64>())
}

/// F = 1/T. A placement that takes no time at all gets the largest finite fitness.
#[must_use]
pub fn fitness(penalised_seconds: f64) -> f64 {
    (1.0 / penalised_seconds).min(f64::MAX)
}

/// The share of each chromosome in the roulette wheel, F / ΣF, by penalised time.
#[must_use]
pub(crate) fn selection_shares(penalised_seconds: &[f64]) -> Vec<f64> {
    // Scaled by the least time first: fitness of sub-nanosecond times would overflow the sum.
    let least = penalised_seconds.iter().copied().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
    let fitnesses: Vec<f64> = penalised_seconds.iter().map(|&t| fitness(t.max(least) / least)).collect();
    let sum: f64 = fitnesses.iter().sum();
    fitnesses.into_iter().map(|f| f / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_printed_example() {
        let shares = selection_shares(&[10.0, 20.0, 40.0]);
        for (share, printed) in shares.iter().zip([0.5714, 0.2857, 0.1429]) {
            assert!((share - printed).abs() < 5e-5, "{share} for {printed}");
        }
    }

    #[test]
    fn penalties_lengthen_the_time() {
        let excess = Excess { by_device: vec![0.0, 0.25, 1.0] };
        assert_eq!(penalised(4.0, &excess, PENALTY_WEIGHT), 4.0 * (1.0 + 0.5 + 2.0));
        assert_eq!(penalised(4.0, &Excess { by_device: vec![0.0; 3] }, PENALTY_WEIGHT), 4.0);
    }

    #[test]
    fn placements_without_time_share_the_wheel() {
        assert_eq!(selection_shares(&[0.0, 0.0]), [0.5, 0.5]);
        assert!(selection_shares(&[0.0, 1.0])[0] > 0.999);
    }
}
