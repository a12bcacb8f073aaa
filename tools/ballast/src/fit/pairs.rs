//! Tries of the form in which loops are paired: a cap for the stacks between them, and what XLA takes then.
//!
//! What XLA takes is the stacks and what is held beside them. The latter is as much as in the program as it is at first, and what was measured
//! from then on: computing again in the backward loop takes some memory of its own.

use super::forms::Form;
use super::learned::Learned;
use super::planner::{Planner, STACKS};
use super::routes::Route;
use super::tried::Try;
use crate::failure::Failure;
use crate::output::read_bytes;
use crate::run::xla;

/// Decides about stacks so that XLA takes `asked_bytes`, and lets XLA compile the outcome, which keeps the cap if it takes `most_bytes`; none where
/// that was measured before, unless it is to say what it takes.
pub(super) fn attempt(
    planner: &Planner<'_>,
    form: &Form,
    route: &mut Route<'_>,
    (asked_bytes, most_bytes): (u64, u64),
) -> Result<Option<(Try, Option<Learned>)>, Failure> {
    let around = route.search.learned.as_ref().and_then(Learned::around).unwrap_or(form.around_bytes);
    let stacks = planner.pair_loops(form.planned(), Some(asked_bytes.saturating_sub(around).max(1)))?;
    let program = read_bytes(planner.file)?;
    let seen = route.seen.iter().find(|(seen, ..)| *seen == program);
    let (measured_bytes, flops) = match seen {
        Some(&(_, measured_bytes, flops)) if route.search.said_again => (measured_bytes, flops),
        Some(_) => return Ok(None),
        None => {
            let measured = xla::measure(planner.file, false, &planner.job)?;
            let measured_bytes = planner.args.cap_counts.of(&measured);
            route.seen.push((program, measured_bytes, measured.flops));
            (measured_bytes, measured.flops)
        }
    };
    // XLA counts the body of a loop once.
    let more = flops.zip(form.flops).map(|(now, before)| (now - before) * stacks.trips);
    let tried = Try {
        program: form.name.clone(),
        fusion: STACKS.to_owned(),
        corrected_ops: 0,
        compared_flops: form.compared_flops().zip(more).map(|(before, more)| before + more),
        asked_bytes,
        predicted_bytes: stacks.kept_bytes.saturating_add(around),
        expected_bytes: stacks.kept_bytes.saturating_add(around),
        measured_bytes,
        flops,
        fits: measured_bytes <= most_bytes,
        free: stacks.repeated_operations <= 0.0,
        cut_short: false,
        margin: form.margin,
    };
    let beside = measured_bytes.saturating_sub(stacks.kept_bytes);
    Ok(Some((tried, Some(Learned::beside_stacks(beside)))))
}
