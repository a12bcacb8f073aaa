//! Sums that what is large leaves again.

/// A sum of costs in which small ones are still there when a large one has been taken out again: two numbers, as in Dekker's double length arithmetic, by
/// Knuth's error-free sum (TAOCP vol. 2, 4.2.2, theorem B). One number alone would have 1e18 + 51 - 1e18 = 0, and a load that is overstated
/// so makes a search pass over plans.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// The sum, rounded once.
    pub(crate) fn value(self) -> f64 {
        self.high
    }
}

/// A sum and what rounding took from it.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    // Beyond all numbers there is nothing to carry.
    (sum, if error.is_finite() { error } else { 0.0 })
}

impl std::ops::AddAssign<f64> for Sum {
    fn add_assign(&mut self, term: f64) {
        let (sum, error) = two_sum(self.high, term);
        (self.high, self.low) = two_sum(sum, self.low + error);
    }
}

impl std::ops::SubAssign<f64> for Sum {
    fn sub_assign(&mut self, term: f64) {
        *self += -term;
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn small_terms_outlive_large_ones() {
        let mut sum = Sum::default();
        for term in [0.1, 1e18, 51.0, 1e22, -1e18, 0.25, -1e22] {
            sum += term;
        }
        sum -= 0.1;
        assert!((sum.value() - 51.25).abs() < 1e-6, "{}", sum.value());
        sum += f64::INFINITY;
        assert_eq!(sum.value(), f64::INFINITY);
    }
}
