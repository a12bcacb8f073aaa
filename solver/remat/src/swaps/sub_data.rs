//! The sub-data experiment of \[B\]: decisions learned on a part of the steps, then carried on with all of them.

use ballast_core::limits::Limits;
use ballast_core::memory::SwapModel;
use serde::{Deserialize, Serialize};

use super::error::LearnError;
use super::initial::Initial;
use super::learn::{Options, plan};
use super::step::TrainingStep;

/// One part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubData {
    /// Part of the rounds learned on, 0 to 1.
    pub fraction: f64,
    /// Rounds that part came to.
    pub rounds: u64,
    /// Sum of the step times while learning on the part, in the problem's unit.
    pub learning_time: f64,
    /// Step time of the scheme learned on the part.
    pub step_time: f64,
    /// Step time after carrying on, table kept, to all rounds.
    pub carried_on_step_time: f64,
}

/// Learns on each part of `options.rounds` and carries on with the rest.
///
/// # Errors
/// A fraction outside 0 to 1 (0 left out), and what [`plan`] returns.
pub fn sub_data(
    step: &TrainingStep,
    swap: &SwapModel,
    options: &Options,
    limits: &Limits,
    fractions: &[f64],
) -> Result<Vec<SubData>, LearnError> {
    fractions
        .iter()
        .map(|&fraction| {
            if !(fraction > 0.0 && fraction <= 1.0) {
                return Err(LearnError::Options(format!("a part of {fraction}: above 0 and at most 1")));
            }
            let rounds = ((options.rounds as f64 * fraction).round() as u64).max(1);
            let (_, first, learned, _) =
                plan(step, swap, None, &Options { rounds, ..options.clone() }, limits)?;
            let left = options.rounds.saturating_sub(rounds);
            let carried_on_step_time = if left == 0 {
                first.time
            } else {
                let rest = Options { rounds: left, initial: Initial::Best, ..options.clone() };
                plan(step, swap, Some(learned.table), &rest, limits)?.1.time
            };
            Ok(SubData {
                fraction,
                rounds: learned.rounds,
                learning_time: learned.learning_time,
                step_time: first.time,
                carried_on_step_time,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    #[test]
    fn smaller_parts_cost_less_and_carrying_on_never_hurts() {
        let step = chain(8, 80, 1.0);
        let swap = SwapModel {
            out_bandwidth: 400.0,
            in_bandwidth: 400.0,
            latency: 0.0,
            overlap: false,
            host_capacity_bytes: None,
        };
        let cap_bytes = Some(step.problem.unplanned_peak() * 7 / 10);
        let options = Options { cap_bytes, rounds: 500, ..Options::default() };
        let limits = Limits { time_limit_seconds: None, ..Limits::default() };
        let rows = sub_data(&step, &swap, &options, &limits, &[0.2, 0.5, 0.8, 1.0]).expect("learned");
        assert_eq!(rows.iter().map(|row| row.rounds).collect::<Vec<_>>(), [100, 250, 400, 500]);
        for pair in rows.windows(2) {
            assert!(pair[0].learning_time < pair[1].learning_time);
            // The same seed: a longer run goes through the schemes of the shorter one first.
            assert!(pair[0].step_time >= pair[1].step_time);
        }
        assert!(rows.iter().all(|row| row.carried_on_step_time <= row.step_time));
        for fraction in [0.0, 1.5, f64::NAN] {
            assert!(sub_data(&step, &swap, &options, &limits, &[fraction]).is_err());
        }
    }
}
