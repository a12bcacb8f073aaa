//! Whether the figures of a plan file are those that its own stages give, bounds and gaps included.

use std::collections::BTreeMap;

use ballast_core::graph::OpId;
use ballast_core::limits::StopReason;
use ballast_core::memory::CompactPlan;
use ballast_core::plan::{Plan, SearchRecord, StagePlan};
use ballast_core::report::{PROOF_TOLERANCE, PROVED_WITHIN, gap};
use ballast_core::simulate::{StageScore, balance};
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::step::step_seconds;

/// Share by which a replayed time may differ from the one written: sums in another order.
pub(crate) const TIMES_AGREE: f64 = 1e-9;

/// Derives from the stages as they are written what the plan says of the whole. That the stages themselves are as written, the replay
/// of [`crate::Facts`] says.
///
/// # Errors
/// The first figure that is another, a bound above what it bounds, or a proof that is none.
pub(crate) fn check(plan: &Plan) -> Result<(), String> {
    let numbers = |(at, device): (usize, usize)| at == device;
    if plan.devices.len() != plan.stages.len()
        || !plan.stages.iter().map(|stage| stage.score.device.0).enumerate().all(numbers)
    {
        return Err("its stages are not those of its devices, in their order".to_owned());
    }
    let scores: Vec<_> = plan.stages.iter().map(|stage| stage.score).collect();
    let (found, written) = (balance(&scores), plan.balance);
    below("bound_seconds", plan.bound_seconds, found.tmax_seconds)?;
    let seconds = [
        ("tmax_seconds", found.tmax_seconds, written.tmax_seconds),
        ("tmin_seconds", found.tmin_seconds, written.tmin_seconds),
        ("ratio", found.ratio.unwrap_or(-1.0), written.ratio.unwrap_or(-1.0)),
        ("idle_devices", found.idle_devices as f64, written.idle_devices as f64),
        ("gap", gap(written.tmax_seconds, plan.bound_seconds), plan.gap),
    ];
    for (what, found, written) in seconds {
        if (found - written).abs() > TIMES_AGREE * written.abs().max(1e-3) {
            return Err(format!("its {what} is {found}, and the file says {written}"));
        }
    }
    let cap_met = plan.stages.iter().all(|stage| stage.cap_bytes <= stage.requested_cap_bytes);
    if cap_met != plan.cap_met {
        return Err(format!("its cap_met is {cap_met}, and the file says {}", plan.cap_met));
    }
    if plan.stop_reason == StopReason::Proved && plan.gap > PROVED_WITHIN {
        return Err(format!("its stop_reason is a proof, and its gap {}", plan.gap));
    }
    search("partition", &plan.partition)?;
    for StagePlan { score, report, .. } in &plan.stages {
        search(&format!("device {}", score.device), report)?;
        let value = score.seconds - score.send_seconds;
        // Searches of a pipeline compare steps.
        if plan.pipeline.is_none() && (value - report.value).abs() > TIMES_AGREE * value.abs().max(1e-3) {
            return Err(format!(
                "device {}'s search found {value} seconds, and the file says {}",
                score.device, report.value
            ));
        }
    }
    Ok(())
}

fn below(what: &str, bound: f64, value: f64) -> Result<(), String> {
    if bound > value * (1.0 + PROOF_TOLERANCE) {
        return Err(format!("its {what} of {bound} is above the {value} of the plan"));
    }
    Ok(())
}

/// A search says of itself what its value and its bound say.
fn search(whose: &str, record: &SearchRecord) -> Result<(), String> {
    below(&format!("bound of {whose}"), record.bound, record.value)?;
    let found = gap(record.value, record.bound);
    if (found - record.gap).abs() > TIMES_AGREE {
        return Err(format!("its gap of {whose} is {found}, and the file says {}", record.gap));
    }
    let limit = if record.proved { PROVED_WITHIN } else { PROOF_TOLERANCE };
    if record.proved != (found <= limit) {
        return Err(format!(
            "its search of {whose} has a gap of {found}, and the file says proved={}",
            record.proved
        ));
    }
    Ok(())
}

/// Derives what the stages say together, once they are replayed.
///
/// # Errors
/// The first figure that is another, or devices that wait for each other in a circle.
pub(crate) fn together(
    plan: &Plan,
    stages: &[Stage],
    plans: &[CompactPlan],
    scores: &[StageScore],
) -> Result<(), String> {
    let found = step_seconds(stages, plans, scores).ok_or("its devices wait for each other in a circle")?;
    if (found - plan.step_seconds).abs() > TIMES_AGREE * plan.step_seconds.abs().max(1e-3) {
        return Err(format!("its step_seconds are {found}, and the file says {}", plan.step_seconds));
    }
    let nodes = stages.iter().flat_map(|stage| stage.sources.iter().zip(&stage.problem.nodes));
    let received: BTreeMap<OpId, u64> = nodes
        .filter_map(|(source, node)| match source {
            NodeSource::Receive(op) => Some((*op, node.bytes)),
            NodeSource::Op(_) => None,
        })
        .collect();
    let staged: u64 = received.values().copied().fold(0, u64::saturating_add);
    if staged != plan.staged_bytes {
        return Err(format!("its staged_bytes are {staged}, and the file says {}", plan.staged_bytes));
    }
    Ok(())
}
