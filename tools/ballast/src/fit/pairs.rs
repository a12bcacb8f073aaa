//! Tries of the form in which loops are paired: a cap for the stacks between them, and what XLA takes then.
//!
//! What XLA takes is the stacks and what is held beside them. The latter is as much as in the program as it is at first, and what was measured
//! from then on: computing again in the backward loop takes some memory of its own.

use super::compiled::Compiled;
use super::forms::Form;
use super::learned::Learned;
use super::planner::{Planner, STACKS};
use super::routes::Route;
use super::tried::{Attempt, Try};
use crate::failure::Failure;

/// Decides about stacks so that XLA takes `asked_bytes`, and lets XLA compile the outcome, unless it did so before.
pub(super) fn attempt(
    planner: &Planner<'_>,
    compiled: &mut Compiled,
    form: &Form,
    route: &Route<'_>,
    asked_bytes: u64,
) -> Result<Attempt, Failure> {
    let around = route.search.learned.as_ref().and_then(Learned::around).unwrap_or(form.around_bytes);
    let stacks = planner.pair_loops(form.planned(), Some(asked_bytes.saturating_sub(around).max(1)))?;
    let (measured, is_known) = compiled.measure(planner, false, planner.job.function)?;
    let measured_bytes = planner.args.cap_counts.of(&measured);
    // XLA counts the body of a loop once.
    let more = measured.flops.zip(form.flops).map(|(now, before)| (now - before) * stacks.trips);
    let tried = Try {
        program: form.name.clone(),
        fusion: STACKS.to_owned(),
        corrected_ops: 0,
        compared_flops: form.compared_flops().zip(more).map(|(before, more)| before + more),
        asked_bytes,
        predicted_bytes: stacks.kept_bytes.saturating_add(around),
        expected_bytes: stacks.kept_bytes.saturating_add(around),
        measured_bytes,
        flops: measured.flops,
        fits: measured_bytes <= route.search.cap_bytes,
        above_unplanned: measured_bytes > form.measured_bytes,
        free: stacks.repeated_operations <= 0.0,
        cut_short: false,
        margin: form.margin,
    };
    let beside = measured_bytes.saturating_sub(stacks.kept_bytes);
    Ok(Attempt { tried, learned: Some(Learned::beside_stacks(beside)), is_known })
}
