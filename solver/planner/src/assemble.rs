//! The whole plan that a round ends in.

use std::collections::BTreeMap;

use ballast_core::device::{Device, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::StopReason;
use ballast_core::memory::CompactPlan;
use ballast_core::plan::{PLAN_VERSION, Plan, PlanDevice, StagePlan, fingerprint, op_plans};
use ballast_core::program::Program;
use ballast_core::report::{Bound, PROOF_TOLERANCE, Report, gap};
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::stage_memory::StageMemory;
use ballast_core::step::step_seconds;
use ballast_core::units::Bytes;
use ballast_partition::placement_of;
use ballast_remat::swaps::QTable;

use crate::Error;
use crate::round::Round;
use crate::stages::StageOutcome;

/// A plan and what the caller needs to explain it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// Device of every op, views and constants included.
    pub device_of: Vec<DeviceId>,
    /// Stages whose cap was raised: device, op that binds, requested cap, cap used, smallest cap found feasible.
    pub relaxed: Vec<Relaxed>,
    /// What Q-learning learned, by device.
    pub q_tables: BTreeMap<DeviceId, QTable>,
}

/// A stage whose cap was raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relaxed {
    /// The device.
    pub device: DeviceId,
    /// The op that binds.
    pub op: Option<OpId>,
    /// Cap asked for.
    pub requested: Bytes,
    /// Cap the plan keeps to.
    pub used: Bytes,
    /// What no plan needs less than.
    pub least: Bytes,
    /// Smallest cap found to have a plan.
    pub smallest: Option<Bytes>,
}

/// The least conclusive of all searches: an interrupt before a clock before a work limit before a plain end.
fn stop_reason(partition: &Report, outcomes: &[StageOutcome]) -> StopReason {
    let mut reasons = outcomes.iter().map(|outcome| outcome.report.stop_reason).collect::<Vec<_>>();
    reasons.push(partition.stop_reason);
    [StopReason::Interrupted, StopReason::TimeLimit, StopReason::WorkLimit, StopReason::Finished]
        .into_iter()
        .find(|reason| reasons.contains(reason))
        .unwrap_or(StopReason::Proved)
}

pub(crate) fn assemble(
    program: &Program<'_>,
    round: Round,
    (mut partition, pooled): (Report, Option<Bound>),
    rounds: usize,
) -> Result<Planned, Error> {
    let Program { graph, costs, cluster } = *program;
    let Round { device_of, stages, outcomes, balance, pipeline, .. } = round;
    let tmax = balance.tmax_seconds;
    let compact: Vec<CompactPlan> = outcomes.iter().map(|outcome| outcome.plan.clone()).collect();
    let ops = op_plans(graph, &stages, &compact).map_err(|error| Error::Stage {
        device: error.device,
        op: Some(error.op),
        message: error.reason,
    })?;
    let relaxed = relaxed(&stages, &outcomes);
    let notes = relaxed
        .iter()
        .map(|relaxed| {
            format!(
                "device {}: no plan under the cap of {}; planned under {}",
                relaxed.device, relaxed.requested, relaxed.used
            )
        })
        .collect();
    if let [only] = &outcomes[..] {
        // On one device nothing can be placed elsewhere: the memory plan's own bound is the bound of the whole.
        partition = only.report.clone();
        partition.method = "one-device".to_owned();
    }
    let carried = carried_over(&partition, &outcomes, tmax, Bound::any_assignment(graph, costs));
    let bound = pooled.filter(|pooled| pooled.value() > carried.value()).unwrap_or(carried).beside(tmax)?;
    let gap = gap(tmax, bound.value());
    let stop_reason = match stop_reason(&partition, &outcomes) {
        // Proofs of the parts are none of the whole, which has a gap.
        StopReason::Proved if gap > PROOF_TOLERANCE => StopReason::Finished,
        reason => reason,
    };
    let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
    let step_seconds = step_seconds(&stages, &compact, &scores).ok_or_else(|| {
        Error::Partition("internal error: the devices of the plan wait for each other in a circle".to_owned())
    })?;
    let plan = Plan {
        version: PLAN_VERSION,
        function: graph.name.clone(),
        fingerprint: format!("{:016x}", fingerprint(graph)),
        devices: cluster.devices.iter().map(plan_device).collect(),
        balance,
        step_seconds,
        placement: placement_of(graph, &device_of),
        bound_seconds: bound.value(),
        bound_class: bound.class(),
        bound_trusts_highs: bound.trusts_highs(),
        gap,
        stop_reason,
        partition: partition.into(),
        rounds,
        cap_met: relaxed.is_empty(),
        stages: outcomes.iter().zip(&stages).map(|(outcome, stage)| stage_plan(outcome, stage)).collect(),
        ops,
        pipeline,
        staged_bytes: staged_bytes(graph, &stages),
        notes,
    };
    let q_tables = stages
        .iter()
        .zip(outcomes)
        .filter_map(|(stage, outcome)| Some((stage.device, outcome.q_table?)))
        .collect();
    Ok(Planned { plan, device_of, relaxed, q_tables })
}

/// Stages whose cap had to be raised.
fn relaxed(stages: &[Stage], outcomes: &[StageOutcome]) -> Vec<Relaxed> {
    let raised = stages.iter().zip(outcomes).filter(|(_, outcome)| outcome.relaxed());
    raised
        .map(|(stage, outcome)| Relaxed {
            device: stage.device,
            op: outcome.binding.and_then(|node| stage.sources.get(node.0)).map(|source| source.op()),
            requested: outcome.requested_cap,
            used: outcome.cap,
            least: outcome.least_cap.unwrap_or_else(|| Bytes(stage.problem.working_set().0)),
            smallest: outcome.smallest_cap,
        })
        .collect()
}

/// The partition's bound for the plan it became: one for plans under the partition's caps says nothing of plans under others, and one
/// for a class of partitions nothing of a partition that later rounds found outside it.
fn carried_over(partition: &Report, outcomes: &[StageOutcome], tmax_seconds: f64, floor: Bound) -> Bound {
    let memory_planned = outcomes.iter().any(|outcome| outcome.report.method != "keep-all");
    let carried = if memory_planned { partition.bound().under_other_caps(floor) } else { partition.bound() };
    carried.unless_beaten_by(tmax_seconds, floor)
}

/// Bytes of the values that some device receives.
fn staged_bytes(graph: &Graph, stages: &[Stage]) -> u64 {
    let mut crossing = vec![false; graph.ops.len()];
    for source in stages.iter().flat_map(|stage| &stage.sources) {
        if let NodeSource::Receive(op) = source {
            crossing[*op] = true;
        }
    }
    OpId::first(graph.ops.len()).filter(|&op| crossing[op]).map(|op| graph.value_bytes(op).0).sum()
}

fn plan_device(device: &Device) -> PlanDevice {
    PlanDevice {
        name: device.name.clone(),
        kind: device.kind.clone(),
        memory_bytes: device.memory.0,
        cores: device.stage_cores(),
    }
}

fn stage_plan(outcome: &StageOutcome, stage: &Stage) -> StagePlan {
    StagePlan {
        arena: outcome.arena.as_ref().map(|arena| arena.plan(|node| stage.sources[node].op())),
        score: outcome.score,
        requested_cap_bytes: outcome.requested_cap.0,
        cap_bytes: outcome.cap.0,
        smallest_cap_bytes: outcome.smallest_cap.map(|cap| cap.0),
        report: outcome.report.clone().into(),
        memory: Some(StageMemory::of(stage, outcome.swap)),
    }
}
