//! Which cap to ask a planner for next, by what the plans before took.
//!
//! `ballast.jit` has the same rule in Python (`tools/python/src/ballast/jax/_next_cap.py`). Tests of both read `tests/inputs/next_caps.json`.

use super::planner::BOUNDLESS;
use super::tried::Try;

/// A plan, as far as the rule goes by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Cap it was asked for.
    asked_bytes: u64,
    /// Peak by the plan.
    predicted_bytes: u64,
    /// What XLA takes.
    measured_bytes: u64,
    /// Is it without recomputation and swaps?
    free: bool,
}

impl Taken {
    /// The least cap for which the planner gives the same plan.
    fn least(&self) -> u64 {
        self.asked_bytes.min(self.predicted_bytes)
    }

    /// The most cap for which it does: where the plan takes more than it was asked for, no smaller one was found.
    fn most(&self) -> u64 {
        self.asked_bytes.max(self.predicted_bytes)
    }
}

impl From<&Try> for Taken {
    fn from(tried: &Try) -> Self {
        Taken {
            asked_bytes: tried.asked_bytes,
            predicted_bytes: tried.predicted_bytes,
            measured_bytes: tried.measured_bytes,
            free: tried.free,
        }
    }
}

/// How many bytes below the cap are near enough.
pub(super) fn slack(cap_bytes: u64, within: f64) -> u64 {
    (cap_bytes as f64 * within) as u64
}

/// Is enough of the memory used by a plan that keeps the cap, or nothing to gain from the rest?
pub(super) fn is_enough(taken: &[Taken], cap_bytes: u64, within: f64) -> bool {
    let slack = slack(cap_bytes, within);
    let mut keeping = taken.iter().filter(|plan| plan.measured_bytes <= cap_bytes);
    keeping.any(|plan| plan.measured_bytes + slack >= cap_bytes || plan.free)
}

/// The cap to ask for after these plans, the last one last, or none where another plan is not worth it, or nothing was planned.
///
/// What is measured is taken to follow what was asked for: in a straight line between two plans around the cap, by the same factor beyond them. It is asked
/// for a little less than the cap, as a plan above it is of no use.
pub(super) fn next_cap(taken: &[Taken], cap_bytes: u64, within: f64) -> Option<u64> {
    let last = taken.last()?;
    let (keeping, above): (Vec<&Taken>, Vec<&Taken>) =
        taken.iter().partition(|plan| plan.measured_bytes <= cap_bytes);
    let low = keeping.into_iter().max_by_key(|plan| (plan.most(), plan.measured_bytes));
    let high = above.into_iter().min_by_key(|plan| (plan.least(), plan.measured_bytes));
    // The plan took more than it was asked for, as no smaller one was found: asking for less is in vain.
    let is_least = low.is_none() && last.predicted_bytes > last.asked_bytes;
    if is_least || is_enough(taken, cap_bytes, within) {
        return None;
    }
    let slack = slack(cap_bytes, within);
    let (least, most) = (low.map_or(0, Taken::most), high.map_or(BOUNDLESS, Taken::least));
    let aim = cap_bytes as f64 - slack as f64 / 2.0;
    let guess = match (low, high) {
        (Some(low), Some(high)) => {
            let below = low.measured_bytes as f64;
            let share = (aim - below) / (high.measured_bytes as f64 - below);
            least as f64 + share * (most as f64 - least as f64)
        }
        (Some(low), None) => least as f64 * aim / low.measured_bytes.max(1) as f64,
        (None, Some(high)) => most as f64 * aim / high.measured_bytes as f64,
        (None, None) => return None,
    };
    let is_between = |cap: u64| least < cap && cap < most;
    let next = Some(guess as u64).filter(|&cap| is_between(cap)).unwrap_or(least.midpoint(most));
    (is_between(next) && most - least > slack.max(1)).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::{Taken, next_cap};
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        what: String,
        cap: u64,
        within: f64,
        /// Asked, predicted and measured bytes of every plan, and whether it is free.
        plans: Vec<(u64, u64, u64, bool)>,
        next: Option<u64>,
    }

    #[test]
    fn the_next_cap_is_the_one_that_python_asks_for() {
        let cases = include_str!("../../../../tests/inputs/next_caps.json");
        let cases: Vec<Case> = serde_json::from_str(cases).expect("cases");
        for Case { what, cap, within, plans, next } in cases {
            let of = |&(asked_bytes, predicted_bytes, measured_bytes, free)| Taken {
                asked_bytes,
                predicted_bytes,
                measured_bytes,
                free,
            };
            let plans: Vec<Taken> = plans.iter().map(of).collect();
            assert_eq!(next_cap(&plans, cap, within), next, "{what}");
        }
    }
}
