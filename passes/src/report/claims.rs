//! What a plan says that replaying it does not show: its balance and bounds, how it was found, and whether anything of that was
//! changed.

use ballast_core::device::DeviceId;
use ballast_core::report::{BoundClass, PROOF_TOLERANCE};
use ballast_core::simulate::{StageScore, balance};
use ballast_core::stage::Stage;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::Reported;

use crate::annotations::{self, Annotated};
use crate::program::Program;

/// Times derived twice agree to this relative difference: sums in another order differ in the last bits.
pub(crate) const TIME_TOLERANCE: f64 = 1e-9;

/// What a check derives again, in words.
pub(crate) fn derived(costs_on_trust: bool) -> String {
    let costs = if costs_on_trust { "flops and bytes" } else { "costs" };
    format!(
        "the fingerprint, {costs}, the schedule, peaks, stage times, tmax, tmin, their ratio, the gap; that bounds are below times, \
         and below the times of what runs unchanged or on one device; that caps are above working sets"
    )
}

/// What it takes as the plan says it, once nobody changed that.
pub(crate) fn on_trust(costs_on_trust: bool) -> String {
    let costs = if costs_on_trust { "measured times of ops, " } else { "" };
    format!(
        "{costs}bounds and their class, stop, method, seed, smallest caps, caps asked for and other settings"
    )
}

/// That tmax and tmin are those of the stages, and the gap that of the bound, is what the attribute's own verifier says; it runs again
/// here, whoever made the attribute. The ratio may be left out, where there is none.
pub(crate) fn check_balance(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    scores: &[StageScore],
) -> Result<(), Reported> {
    let plan = &annotated.plan;
    plan.attribute(program.place(None))?;
    let derived = balance(scores).ratio;
    if plan.ratio.is_some() != derived.is_some() {
        let shown = |ratio: Option<f64>| ratio.map_or_else(|| "none".to_owned(), |ratio| ratio.to_string());
        return Err(lie(program, None, "ratio", &shown(plan.ratio), &shown(derived)));
    }
    Ok(())
}

/// Bounds against the times of plans that are there for certain: this one, a stage left as it is where it fits, and the whole
/// program on one device.
pub(crate) fn check_bounds(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    in_pipeline: bool,
    costs_on_trust: bool,
) -> Result<(), Reported> {
    let plan = &annotated.plan;
    let above = |bound: f64, value: f64| bound > value * (1.0 + PROOF_TOLERANCE);
    for record in &plan.stages {
        let unchanged = !in_pipeline && record.unplanned_peak <= record.cap;
        let known = if unchanged { record.unplanned_seconds } else { record.seconds };
        if above(record.bound, known) {
            let text = format!("at most {known}, which a plan of the stage takes");
            return Err(lie(program, Some(record.device), "bound", &record.bound, &text));
        }
    }
    let Some(class) = BoundClass::of_name(&plan.bound_class) else {
        let names: Vec<&str> = BoundClass::ALL.iter().map(|class| class.name()).collect();
        return Err(lie(
            program,
            None,
            "bound_class",
            &plan.bound_class,
            &format!("one of {}", names.join(", ")),
        ));
    };
    let mut known = plan.tmax;
    let one_device = program.cluster.devices.len() == 1;
    if one_device && let [record] = &plan.stages[..] {
        known = if record.unplanned_peak <= record.cap && !in_pipeline {
            record.unplanned_seconds
        } else {
            known
        };
    }
    // Where nobody chose devices, the whole program may run on any one of them, whatever memory that takes.
    let placed = annotated.settings.placed_by_hand;
    if !one_device && !placed && !costs_on_trust && class == BoundClass::AnyAssignment {
        let graph = &program.imported.graph;
        let alone = DeviceId::first(program.cluster.devices.len())
            .map(|device| graph.planned().map(|op| program.costs.of(device, op)).sum::<f64>());
        known = alone.fold(known, f64::min);
    }
    if above(plan.bound, known) {
        return Err(lie(
            program,
            None,
            "bound",
            &plan.bound,
            &format!("at most {known}, which a plan of the class takes"),
        ));
    }
    if plan.stop == ir::StopReason::Proved && plan.gap > PROOF_TOLERANCE {
        let text = format!("a gap of {}, which is no proof", plan.gap);
        return Err(lie(program, None, "stop", &"proved", &text));
    }
    Ok(())
}

/// A smallest cap is there only where the one asked for was raised, and is no less than any plan needs.
pub(crate) fn check_smallest_cap(
    program: &Program<'_, '_>,
    record: &ir::Stage,
    stage: &Stage,
    in_pipeline: bool,
) -> Result<(), Reported> {
    let Some(smallest) = record.smallest_cap else { return Ok(()) };
    if record.cap <= record.requested_cap {
        let text = "none, as the cap asked for is kept";
        return Err(lie(program, Some(record.device), "smallest_cap", &smallest, &text));
    }
    let least = i64::try_from(stage.problem.working_set().0).unwrap_or(i64::MAX);
    if smallest < least && !in_pipeline {
        let text = format!("at least {least}, which an op needs at once");
        return Err(lie(program, Some(record.device), "smallest_cap", &smallest, &text));
    }
    Ok(())
}

/// What is on trust is as the planner wrote it.
pub(crate) fn check_unchanged(program: &Program<'_, '_>, annotated: &Annotated<'_>) -> Result<(), Reported> {
    let plan = &annotated.plan;
    let seconds: Vec<f64> = annotated.ops.iter().map(|entry| annotated.seconds[entry.op]).collect();
    let derived = annotations::checksum(plan, &seconds);
    if plan.checksum == derived {
        return Ok(());
    }
    let text = format!(
        "`ballast.plan` was changed after it was written: its checksum is {:?}, and what it says gives {derived}. What cannot be \
         derived again (bounds and their class, gap, stop, method, seed, caps, settings, measured times) is believed only as the \
         planner wrote it: plan the function again",
        plan.checksum
    );
    Err(program.error(None, &text))
}

/// An error at the function: a figure that is not what it should be.
pub(crate) fn lie(
    program: &Program<'_, '_>,
    device: Option<i64>,
    name: &str,
    written: &dyn std::fmt::Display,
    derived: &dyn std::fmt::Display,
) -> Reported {
    let place = device.map_or_else(String::new, |device| format!(" of device {device}"));
    program.error(
        None,
        &format!("`ballast.plan` says {name} = {written}{place}, but the replay gives {derived}"),
    )
}

pub(crate) fn same_time(a: f64, b: f64) -> bool {
    (a - b).abs() <= TIME_TOLERANCE * a.abs().max(b.abs())
}
