//! Rounds of memory planning and repartitioning, and the whole plan they end in.

use std::collections::BTreeMap;

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::Spec;
use ballast_core::plan::{PLAN_VERSION, PipelinePlan, Plan, PlanDevice, StagePlan, fingerprint, op_plans};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, PROOF_TOLERANCE, Report, SearchStats, gap};
use ballast_core::simulate::{Balance, balance, judge_stage, orders_can_run};
use ballast_core::stage::{NodeSource, Stage, settle_views, stages};
use ballast_core::stage_memory::StageMemory;
use ballast_core::step::step_seconds;
use ballast_core::units::Bytes;
use ballast_partition::placement_of;
use ballast_remat::swaps::QTable;

use crate::pipelined;
use crate::stages::{StageOutcome, plan_stages};
use crate::{Failure, Options};

/// Share of the time left that one round may take, where other rounds may follow: the given partition comes from
/// an exact cut and deserves the most care.
const ROUND_SHARE: f64 = 0.6;

/// Share of the slowest stage's time from which on what memory adds to it is worth another partition.
const WORTH_A_ROUND: f64 = 1e-3;

/// Share of the time left that a search for another partition may take.
const REPARTITION_SHARE: f64 = 0.25;

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
    /// Smallest cap found to have a plan.
    pub smallest: Option<Bytes>,
}

/// One partition with its memory plans.
struct Round {
    device_of: Vec<DeviceId>,
    stages: Vec<Stage>,
    outcomes: Vec<StageOutcome>,
    balance: Balance,
    /// The step, where the stages are a pipeline.
    pipeline: Option<PipelinePlan>,
}

impl Round {
    /// Smaller is better: the fewer caps raised, then the slowest stage.
    fn rank(&self) -> (usize, f64) {
        (self.outcomes.iter().filter(|outcome| outcome.relaxed()).count(), self.balance.tmax_seconds)
    }

    /// May another placement be better? It may where a cap was raised, where recomputation and swaps made the slowest stage
    /// slower, and where the stages are out of balance.
    fn may_improve(&self, max_ratio: f64) -> bool {
        let free = self.stages.iter().map(Stage::load_seconds).fold(0.0, f64::max);
        self.rank().0 > 0
            || self.balance.tmax_seconds > free * (1.0 + WORTH_A_ROUND)
            || !self.balance.within(max_ratio)
    }
}

/// Plans the memory of a placed program, and repartitions while another placement may be better.
///
/// `partition` is the report of the partition given; `repartition`, where the caller has a partitioner to
/// offer, maps a placement and its planned stage seconds to another placement. The best round wins: the fewest caps
/// raised, then the least tmax.
///
/// # Errors
/// When a stage of the given partition has no plan. Later rounds that fail are dropped.
pub fn plan(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    partition: Report,
    options: &Options,
    repartition: Option<&Repartition<'_>>,
) -> Result<Planned, Failure> {
    let Program { graph, costs, .. } = *program;
    if let Some(pipeline) = options.pipeline {
        let granularity = repartition.is_some().then_some(pipeline.granularity);
        let pipelined::PlannedPipeline { device_of, stages, outcomes, pipeline, rounds } =
            pipelined::plan(program, device_of, options, pipeline.spec, granularity)?;
        let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
        let balance = balance(&scores);
        let best = Round { device_of, stages, outcomes, balance, pipeline: Some(pipeline) };
        return assemble(program, best, partition, rounds);
    }
    let given = device_of.clone();
    let deadline = Deadline::start(&options.limits);
    let may_move = repartition.is_some() && options.max_rounds > 1;
    let share = |deadline: &Deadline| match options.limits.time_limit_seconds {
        Some(_) if may_move => deadline.within(deadline.remaining_seconds() * ROUND_SHARE),
        _ => *deadline,
    };
    let mut best = round(program, device_of, options, &share(&deadline))?;
    let mut rounds = 1;
    let mut seen = vec![best.device_of.clone()];
    let (mut placement, mut measured) = (best.device_of.clone(), stage_seconds(&best));
    let mut caps = requested_caps(&best);
    while rounds < options.max_rounds && best.may_improve(options.max_ratio) && !deadline.over() {
        let Some(repartition) = repartition else { break };
        let again = Again {
            device_of: &placement,
            seconds: &measured,
            caps: &caps,
            time_limit_seconds: options
                .limits
                .time_limit_seconds
                .map(|_| deadline.remaining_seconds() * REPARTITION_SHARE),
        };
        let Some(mut next) = repartition(&again).map_err(Failure::Partition)? else { break };
        settle_views(graph, &mut next);
        if seen.contains(&next) {
            break;
        }
        seen.push(next.clone());
        rounds += 1;
        match round(program, next, options, &share(&deadline)) {
            Ok(candidate) => {
                (placement, measured) = (candidate.device_of.clone(), stage_seconds(&candidate));
                caps = requested_caps(&candidate);
                if candidate.rank() < best.rank() {
                    best = candidate;
                }
            }
            Err(failure) => {
                tracing::debug!("round {rounds} is dropped: {failure}");
                break;
            }
        }
    }
    if best.device_of == given {
        let floor = Bound::any_assignment(graph, costs);
        // The partition given is of the class its bound is for, and planned memory only adds to its time.
        partition.bound().under_other_caps(floor).beside(best.balance.tmax_seconds)?;
    }
    assemble(program, best, partition, rounds)
}

/// The plan of a placement in which nothing is recomputed or swapped. Where a stage's peak is over its cap, the
/// stage's `cap_bytes` is that peak: what the partition alone needs. In a pipeline what a stage needs for all
/// micro-batches in flight stands in for its peak.
///
/// # Errors
/// When the judge refuses it, which is a bug.
pub fn unplanned(
    program: &Program<'_>,
    device_of: &[DeviceId],
    partition: Report,
    cap: CapSpec,
    pipeline: Option<Spec>,
) -> Result<Plan, Failure> {
    let Program { graph, costs, cluster } = *program;
    let stages = stages(graph, costs, cluster, device_of);
    let pipeline = match pipeline {
        Some(spec) => Some(pipelined::unplanned(program, device_of, spec)?),
        None => None,
    };
    let outcomes = stages
        .iter()
        .enumerate()
        .map(|(index, stage)| {
            let peak = match &pipeline {
                Some(pipeline) => Bytes(pipeline.stages[index].unplanned_need_bytes),
                None => Bytes(stage.problem.unplanned_peak()),
            };
            let requested_cap = cap.bytes(peak, cluster.devices[stage.device].memory);
            let cap = requested_cap.max(peak);
            let plan = CompactPlan::default();
            let (score, replay) =
                judge_stage(stage, &plan, None, Some(cap)).map_err(|rejection| Failure::Stage {
                    device: stage.device,
                    op: rejection.op,
                    message: rejection.error.to_string(),
                })?;
            let search = SearchStats {
                method: "keep-all".to_owned(),
                stop_reason: StopReason::Proved,
                seconds: 0.0,
                work: 0,
                seed: partition.seed,
            };
            let bound = Bound::proved(stage.problem.total_time(), BoundClass::Any);
            let report = Report::new(replay.time, bound, search)?;
            Ok(StageOutcome {
                plan,
                score,
                requested_cap,
                cap,
                smallest_cap: None,
                binding: None,
                report,
                arena: None,
                swap: None,
                q_table: None,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
    let round =
        Round { device_of: device_of.to_vec(), stages, outcomes, balance: balance(&scores), pipeline };
    let mut plan = assemble(program, round, partition, 0)?.plan;
    // Nothing was asked of these caps yet.
    plan.notes.clear();
    Ok(plan)
}

/// A placement whose memory has been planned, for the search of another one.
pub struct Again<'a> {
    /// The device of every op.
    pub device_of: &'a [DeviceId],
    /// What every device takes under its plan, seconds.
    pub seconds: &'a [f64],
    /// The cap asked for on every device.
    pub caps: &'a [Bytes],
    /// Seconds the search may take, where time is limited.
    pub time_limit_seconds: Option<f64>,
}

/// Maps a placement and what its plan takes to another placement; none: no other is known.
pub type Repartition<'a> = dyn Fn(&Again<'_>) -> Result<Option<Vec<DeviceId>>, String> + 'a;

fn requested_caps(round: &Round) -> Vec<Bytes> {
    round.outcomes.iter().map(|outcome| outcome.requested_cap).collect()
}

fn stage_seconds(round: &Round) -> Vec<f64> {
    round.outcomes.iter().map(|outcome| outcome.score.seconds).collect()
}

fn round(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    options: &Options,
    deadline: &Deadline,
) -> Result<Round, Failure> {
    let Program { graph, costs, cluster } = *program;
    let stages = stages(graph, costs, cluster, &device_of);
    let mut outcomes = plan_stages(graph, &stages, cluster, options, deadline)?;
    let orders: Vec<Option<&[usize]>> = outcomes.iter().map(|o| o.plan.order.as_deref()).collect();
    if !orders_can_run(&stages, &orders) {
        // Reordered stages that would wait for each other: program order always runs.
        let program = Options { order: ballast_remat::Order::Program, ..options.clone() };
        outcomes = plan_stages(graph, &stages, cluster, &program, deadline)?;
    }
    let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
    Ok(Round { device_of, stages, outcomes, balance: balance(&scores), pipeline: None })
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

fn assemble(
    program: &Program<'_>,
    round: Round,
    mut partition: Report,
    rounds: usize,
) -> Result<Planned, Failure> {
    let Program { graph, costs, cluster } = *program;
    let Round { device_of, stages, outcomes, balance, pipeline } = round;
    let tmax = balance.tmax_seconds;
    let compact: Vec<CompactPlan> = outcomes.iter().map(|outcome| outcome.plan.clone()).collect();
    let ops = op_plans(graph, &stages, &compact).map_err(|error| Failure::Stage {
        device: error.device,
        op: Some(error.op),
        message: error.reason,
    })?;
    let mut crossing = vec![false; graph.ops.len()];
    for source in stages.iter().flat_map(|stage| &stage.sources) {
        if let NodeSource::Receive(op) = source {
            crossing[*op] = true;
        }
    }
    let staged_bytes =
        (0..graph.ops.len()).filter(|&op| crossing[op]).map(|op| graph.value_bytes(op).0).sum();
    let relaxed = stages.iter().zip(&outcomes).filter(|(_, outcome)| outcome.relaxed());
    let relaxed: Vec<Relaxed> = relaxed
        .map(|(stage, outcome)| Relaxed {
            device: stage.device,
            op: outcome.binding.and_then(|node| stage.sources.get(node)).map(|source| source.op()),
            requested: outcome.requested_cap,
            used: outcome.cap,
            smallest: outcome.smallest_cap,
        })
        .collect();
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
    // A bound for plans under the partition's caps says nothing of plans under others, and one for a class of
    // partitions nothing of a partition that later rounds found outside it.
    let floor = Bound::any_assignment(graph, costs);
    let memory_planned = outcomes.iter().any(|outcome| outcome.report.method != "keep-all");
    let carried = if memory_planned { partition.bound().under_other_caps(floor) } else { partition.bound() };
    let bound = carried.unless_beaten_by(tmax, floor);
    let bound = bound.beside(tmax)?;
    let gap = gap(tmax, bound.value());
    let stop_reason = match stop_reason(&partition, &outcomes) {
        // Proofs of the parts are none of the whole, which has a gap.
        StopReason::Proved if gap > PROOF_TOLERANCE => StopReason::Finished,
        reason => reason,
    };
    let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
    let step_seconds = step_seconds(&stages, &compact, &scores).ok_or_else(|| {
        Failure::Partition(
            "internal error: the devices of the plan wait for each other in a circle".to_owned(),
        )
    })?;
    let plan = Plan {
        version: PLAN_VERSION,
        function: graph.name.clone(),
        fingerprint: format!("{:016x}", fingerprint(graph)),
        devices: cluster
            .devices
            .iter()
            .map(|device| PlanDevice {
                name: device.name.clone(),
                kind: device.kind.clone(),
                memory_bytes: device.memory.0,
                cores: device.stage_cores(),
            })
            .collect(),
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
        stages: outcomes
            .iter()
            .zip(&stages)
            .map(|(outcome, stage)| StagePlan {
                arena: outcome.arena.as_ref().map(|arena| arena.plan(|node| stage.sources[node].op())),
                score: outcome.score,
                requested_cap_bytes: outcome.requested_cap.0,
                cap_bytes: outcome.cap.0,
                smallest_cap_bytes: outcome.smallest_cap.map(|cap| cap.0),
                report: outcome.report.clone().into(),
                memory: Some(StageMemory::of(stage, outcome.swap)),
            })
            .collect(),
        ops,
        pipeline,
        staged_bytes,
        notes,
    };
    let q_tables = stages
        .iter()
        .zip(outcomes)
        .filter_map(|(stage, outcome)| Some((stage.device, outcome.q_table?)))
        .collect();
    Ok(Planned { plan, device_of, relaxed, q_tables })
}
