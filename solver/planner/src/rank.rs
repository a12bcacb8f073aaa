//! Which of two sets of memory plans, one plan a stage, is better.

use ballast_core::stage::Stage;
use ballast_core::units::Bytes;
use ballast_partition::RAISED_CAP;

use crate::stages::StageOutcome;

/// What became of the caps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Caps {
    /// Every plan keeps its cap.
    Kept,
    /// Some are raised, as far as they may be.
    Raised,
    /// Some would have to be raised further than they may be: this is no plan.
    Refused,
}

/// What rounds are compared by: what became of the caps, the slowest stage with raised caps priced in, and bytes over the caps.
pub(crate) type Rank = (Caps, f64, u64);

/// Of the memory plans of all stages.
pub(crate) fn rank_of(outcomes: &[StageOutcome]) -> Rank {
    let over = |outcome: &StageOutcome| outcome.cap.0.saturating_sub(outcome.requested_cap.0);
    let raised = outcomes.iter().filter(|outcome| outcome.relaxed()).count();
    let tmax = outcomes.iter().map(|outcome| outcome.score.seconds).fold(0.0, f64::max);
    rank(raised, tmax, outcomes.iter().map(over).sum())
}

/// No memory plans of these stages have a smaller rank.
pub(crate) fn least_rank(stages: &[Stage], caps: &[Bytes]) -> Rank {
    let least = |(stage, cap): (&Stage, &Bytes)| stage.problem.working_set().0.saturating_sub(cap.0);
    let over: Vec<u64> = stages.iter().zip(caps).map(least).collect();
    let tmax = stages.iter().map(Stage::load_seconds).fold(0.0, f64::max);
    rank(over.iter().filter(|&&over| over > 0).count(), tmax, over.iter().sum())
}

/// A plan that keeps every cap is better than any that does not. Where none does, a device with less memory than its plan needs is missing in
/// any case: a raised cap more then is worth a slowest stage that is faster by a fifth, and so is one less a slower one.
pub(crate) fn rank(raised: usize, tmax_seconds: f64, over_bytes: u64) -> Rank {
    let caps = if raised > 0 { Caps::Raised } else { Caps::Kept };
    (caps, tmax_seconds * RAISED_CAP.powi(i32::try_from(raised).unwrap_or(i32::MAX)), over_bytes)
}

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::{Cluster, DeviceId};
    use ballast_core::stage::stages;
    use ballast_core::units::Bytes;

    use super::{least_rank, rank};
    use crate::support::graph;

    #[test]
    fn kept_caps_come_first_and_raised_ones_have_a_price() {
        assert!(rank(0, 40.0, 0) < rank(1, 10.0, 1));
        // Four caps raised instead of five are not worth twice the time; three are worth a tenth.
        assert!(rank(5, 17.2, 100) < rank(4, 37.7, 80));
        assert!(rank(4, 11.0, 80) < rank(5, 10.0, 100));
        assert!(rank(2, 10.0, 80) < rank(2, 10.0, 81));
    }

    #[test]
    fn no_plan_is_better_than_all_values_kept_where_memory_is_no_matter() {
        // Two ops of 2 and 3 s without a value between them, which make 10 and 100 bytes: each runs on a device of its own.
        let graph = graph([10, 100].map(|bytes| (vec![], bytes, true)));
        let costs = Costs { seconds: vec![vec![2.0, 3.0]; 2] };
        let cluster = Cluster::from_count(2).expect("devices");
        let stages = stages(&graph, &costs, &cluster, &[DeviceId(0), DeviceId(1)]);
        let of = |caps: [u64; 2]| least_rank(&stages, &caps.map(Bytes));
        assert_eq!(of([10, 100]), rank(0, 3.0, 0));
        assert_eq!(of([10, 60]), rank(1, 3.0, 40));
        assert_eq!(of([4, 60]), rank(2, 3.0, 46));
    }
}
