//! Which of two sets of memory plans, one plan a stage, is better.

use crate::stages::StageOutcome;

/// By how much a raised cap more must make the slowest stage faster, where caps are raised anyway.
const RAISED_CAP: f64 = 1.25;

/// What rounds are compared by: is any cap raised, the slowest stage with raised caps priced in, and bytes over the caps.
pub(crate) type Rank = (bool, f64, u64);

/// Of the memory plans of all stages.
pub(crate) fn rank_of(outcomes: &[StageOutcome]) -> Rank {
    let over = |outcome: &StageOutcome| outcome.cap.0.saturating_sub(outcome.requested_cap.0);
    let raised = outcomes.iter().filter(|outcome| outcome.relaxed()).count();
    let tmax = outcomes.iter().map(|outcome| outcome.score.seconds).fold(0.0, f64::max);
    rank(raised, tmax, outcomes.iter().map(over).sum())
}

/// A plan that keeps every cap is better than any that does not. Where none does, a device with less memory than its plan needs is missing in
/// any case: a raised cap more then is worth a slowest stage that is faster by a fifth, and so is one less a slower one.
fn rank(raised: usize, tmax_seconds: f64, over_bytes: u64) -> Rank {
    (raised > 0, tmax_seconds * RAISED_CAP.powi(i32::try_from(raised).unwrap_or(i32::MAX)), over_bytes)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn kept_caps_come_first_and_raised_ones_have_a_price() {
        assert!(rank(0, 40.0, 0) < rank(1, 10.0, 1));
        // Four caps raised instead of five are not worth twice the time; three are worth a tenth.
        assert!(rank(5, 17.2, 100) < rank(4, 37.7, 80));
        assert!(rank(4, 11.0, 80) < rank(5, 10.0, 100));
        assert!(rank(2, 10.0, 80) < rank(2, 10.0, 81));
    }
}
