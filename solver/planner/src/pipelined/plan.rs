//! Whole plans of pipelines: cuts, memory plans under the activations in flight, and the judged step.

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::CompactPlan;
use ballast_core::plan::{PipelinePlan, PipelineStage};
use ballast_core::report::Report;
use ballast_core::simulate::judge_stage;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, LayersError, RunTimes, check_flow, first_backward, layers};
use ballast_partition::sequence::Granularity;
use ballast_remat::Solver;

use super::joint::{Ends, joint};
use super::judge::{Spec, judge};
use super::memory::{StageMemory, need_bytes, plan_in_flight};
use super::micro_batch::MicroBatch;
use super::runs::{Runs, Site};
use crate::stages::{StageOutcome, swap_model};
use crate::{Failure, Options};

/// Pieces of the layer view: fine enough to balance 8 stages to a few percent.
pub const MOST_PIECES: usize = 192;
/// Search steps of one memory plan while cuts move.
const QUICK_STEPS: u64 = 20_000;
/// Share of the time in which cuts may move; the rest is for the memory plans of the cuts found.
const MOVING_SHARE: f64 = 0.6;

/// The cuts of a training step that balance the stages of a pipeline, and the device of every op.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// First pieces of the stages but the first.
    pub cuts: Vec<usize>,
    /// The device of every op; views and constants carry that of their first reader.
    pub device_of: Vec<DeviceId>,
}

/// Cuts a training step into one stage per device, without regard to memory.
///
/// # Errors
/// For programs that are no training step, and for more devices than pieces.
pub fn balanced(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    granularity: Granularity,
    micro_batches: usize,
) -> Result<Balanced, LayersError> {
    let layers = layers(graph, costs, granularity, MOST_PIECES)?;
    let times = RunTimes::of(graph, costs, cluster, &layers);
    let cuts = times
        .best_cuts(micro_batches, &|_, _, _| 0.0)
        .ok_or(LayersError::TooFewPieces { stages: cluster.devices.len(), pieces: layers.pieces })?;
    let device_of = layers.stage_of(graph, &cuts);
    Ok(Balanced { cuts, device_of })
}

/// A pipeline whose every stage has a judged plan.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub device_of: Vec<DeviceId>,
    pub stages: Vec<Stage>,
    pub outcomes: Vec<StageOutcome>,
    pub pipeline: PipelinePlan,
    /// Partitions planned.
    pub rounds: usize,
}

fn refuse(error: &LayersError) -> Failure {
    Failure::Pipeline { op: error.op(), message: error.to_string() }
}

/// Plans a placed training step as a pipeline; `granularity`: cuts may move, by pieces of this kind.
pub(crate) fn plan(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    device_of: Vec<DeviceId>,
    options: &Options,
    spec: Spec,
    granularity: Option<Granularity>,
) -> Result<Outcome, Failure> {
    check_flow(graph, &device_of).map_err(|error| refuse(&error))?;
    let solver = own(options)?;
    let deadline = Deadline::start(&options.limits);
    let timed = options.limits.time_limit_seconds;
    let mut rounds = 1;
    let mut device_of = device_of;
    // A share of what each stage needs moves with the cuts: a tiny stage would keep it most easily.
    let fixed_cap = !matches!(options.cap, CapSpec::Share(_));
    if let (Some(granularity), true) = (granularity, fixed_cap && options.max_rounds > 1) {
        let layers = layers(graph, costs, granularity, MOST_PIECES).map_err(|error| refuse(&error))?;
        // Cuts move only from a placement that is one of the layer view.
        if let Some(given) = cuts_of(graph, &layers, &device_of, cluster.devices.len()) {
            let stages = cluster.devices.len() as f64;
            let memory = ballast_remat::Options {
                solver: quick(solver),
                limits: Limits {
                    time_limit_seconds: timed.map(|seconds| seconds * MOVING_SHARE / 4.0 / stages),
                    work_limit: Some(options.limits.work_limit.unwrap_or(QUICK_STEPS).min(QUICK_STEPS)),
                    ..options.limits
                },
                ..ballast_remat::Options::default()
            };
            let site = Site {
                graph,
                costs,
                cluster,
                layers: &layers,
                spec,
                cap: options.cap,
                memory,
                swap: options.swap,
                overlap: options.overlap,
                uniform: false,
            };
            let moving = match timed {
                Some(seconds) => deadline.within(seconds * MOVING_SHARE),
                None => deadline,
            };
            let ends =
                Ends { max_rounds: options.max_rounds, max_ratio: options.max_ratio, deadline: moving };
            let mut runs = Runs::new(&site);
            let found = joint(&mut runs, &site, &given, &ends)
                .map_err(|error| Failure::Partition(error.to_string()))?;
            rounds = found.rounds;
            device_of = layers.stage_of(graph, &found.cuts);
        }
    }
    finish(graph, costs, cluster, device_of, options, spec, rounds, &deadline)
}

/// Who plans while cuts move.
fn quick(solver: Solver) -> Solver {
    match solver {
        Solver::Auto | Solver::Milp | Solver::Stepwise => Solver::LocalSearch,
        other => other,
    }
}

/// The solver, where it can count several micro-batches in flight.
fn own(options: &Options) -> Result<Solver, Failure> {
    match options.solver {
        crate::Solver::Remat(solver) => Ok(solver),
        field => Err(Failure::Partition(format!(
            "solver {} plans one batch on its own: it does not apply under a pipeline schedule",
            field.name()
        ))),
    }
}

/// The cuts of a placement, where it is one of the layer view.
fn cuts_of(graph: &Graph, layers: &Layers, device_of: &[DeviceId], devices: usize) -> Option<Vec<usize>> {
    let mut first = vec![usize::MAX; devices];
    for op in graph.planned() {
        let known = first.get_mut(device_of[op])?;
        *known = (*known).min(layers.piece_of[op]);
    }
    let cuts = first.split_off(1);
    let placed = layers.stage_of(graph, &cuts);
    graph.planned().all(|op| placed[op] == device_of[op]).then_some(cuts)
}

/// The plan in which nothing is recomputed or swapped; its caps are not kept where they are too small.
pub(crate) fn unplanned(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    device_of: &[DeviceId],
    spec: Spec,
) -> Result<PipelinePlan, Failure> {
    check_flow(graph, device_of).map_err(|error| refuse(&error))?;
    let first_backward = first_backward(graph).map_err(|error| refuse(&error))?;
    let stages = stages(graph, costs, cluster, device_of);
    let plans = vec![CompactPlan::default(); stages.len()];
    pipeline_plan(graph, &stages, &plans, &[], spec, first_backward)
}

/// Judges stage plans as a pipeline, and writes down what it found.
///
/// `swap`: the host link of every stage, none where nothing is swapped.
///
/// # Errors
/// What the replay of a stage refuses.
pub fn pipeline_plan(
    graph: &Graph,
    stages: &[Stage],
    plans: &[CompactPlan],
    swap: &[Option<ballast_core::memory::SwapModel>],
    spec: Spec,
    first_backward: OpId,
) -> Result<PipelinePlan, Failure> {
    let micros: Vec<MicroBatch> =
        stages.iter().map(|stage| MicroBatch::of(graph, stage, first_backward)).collect();
    let judged = judge(&micros, stages, plans, swap, spec).map_err(|rejection| Failure::Stage {
        device: rejection.device,
        op: rejection.op,
        message: rejection.error.to_string(),
    })?;
    let mut entries = Vec::with_capacity(stages.len());
    for (index, (stage, micro)) in stages.iter().zip(&micros).enumerate() {
        let in_flight = spec.in_flight(index, stages.len());
        let unplanned = micro
            .measure(&CompactPlan::default(), None, in_flight.split)
            .map_err(|error| Failure::Stage { device: stage.device, op: None, message: error.to_string() })?;
        let measured = &judged.stages[index];
        entries.push(PipelineStage {
            device: stage.device,
            in_flight: in_flight.micro_batches,
            forward_seconds: measured.forward_seconds,
            backward_seconds: measured.backward_seconds,
            weights_seconds: measured.weights_seconds,
            stash_bytes: measured.stash_bytes,
            need_bytes: need_bytes(micro, measured, in_flight),
            unplanned_need_bytes: need_bytes(micro, &unplanned, in_flight),
            memory: judged.timeline.memory[index].clone(),
        });
    }
    Ok(PipelinePlan {
        schedule: spec.schedule.to_string(),
        micro_batches: spec.micro_batches,
        step_seconds: judged.timeline.step_seconds,
        bubble: judged.timeline.bubble,
        stages: entries,
    })
}

/// Plans the memory of every stage with the time that is left.
#[expect(clippy::too_many_arguments, reason = "the pieces of one plan, each with a type of its own")]
fn finish(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    device_of: Vec<DeviceId>,
    options: &Options,
    spec: Spec,
    rounds: usize,
    deadline: &Deadline,
) -> Result<Outcome, Failure> {
    let first_backward = first_backward(graph).map_err(|error| refuse(&error))?;
    let stages = stages(graph, costs, cluster, &device_of);
    let count = stages.len();
    let mut outcomes = Vec::with_capacity(count);
    let mut swaps = Vec::with_capacity(count);
    for (index, stage) in stages.iter().enumerate() {
        let left = (count - index) as f64;
        let limits = Limits {
            time_limit_seconds: options
                .limits
                .time_limit_seconds
                .map(|_| deadline.remaining_seconds() / left),
            ..options.limits
        };
        let device = &cluster.devices[stage.device];
        let swap = options.swap.then(|| swap_model(device, cluster, options.overlap));
        swaps.push(swap);
        let micro = MicroBatch::of(graph, stage, first_backward);
        outcomes.push(plan_stage(stage, &micro, device.memory, swap, options, spec, (index, count), limits)?);
    }
    let plans: Vec<CompactPlan> = outcomes.iter().map(|outcome| outcome.plan.clone()).collect();
    let pipeline = pipeline_plan(graph, &stages, &plans, &swaps, spec, first_backward)?;
    Ok(Outcome { device_of, stages, outcomes, pipeline, rounds })
}

/// Plans one stage; where its cap has no plan, under the first raised one that has.
#[expect(clippy::too_many_arguments, reason = "the pieces of one stage, each with a type of its own")]
fn plan_stage(
    stage: &Stage,
    micro: &MicroBatch,
    memory: Bytes,
    swap: Option<ballast_core::memory::SwapModel>,
    options: &Options,
    spec: Spec,
    (index, count): (usize, usize),
    limits: Limits,
) -> Result<StageOutcome, Failure> {
    let solver = own(options)?;
    let deadline = Deadline::start(&limits);
    let failed = |message: String| Failure::Stage { device: stage.device, op: None, message };
    let in_flight = spec.in_flight(index, count);
    let unplanned = micro
        .measure(&CompactPlan::default(), None, in_flight.split)
        .map_err(|error| failed(error.to_string()))?;
    let unplanned_need = need_bytes(micro, &unplanned, in_flight);
    let requested = options.cap.bytes(Bytes(unplanned_need), memory);
    let remat = |parts: f64| ballast_remat::Options {
        solver,
        swap,
        order: ballast_remat::Order::Program,
        limits: Limits {
            time_limit_seconds: limits.time_limit_seconds.map(|_| deadline.remaining_seconds() / parts),
            ..limits
        },
        ..ballast_remat::Options::default()
    };
    let attempt = |cap: Bytes, parts: f64| -> Result<Option<StageMemory>, Failure> {
        plan_in_flight(micro, in_flight, cap.0, &remat(parts), None)
            .map_err(|error| failed(error.to_string()))
    };
    let mut cap = requested;
    let mut found = attempt(cap, if options.relax_limit > 0.0 { 1.5 } else { 1.0 })?;
    let mut steps = 0;
    while found.is_none() {
        steps += 1;
        let factor = 1.0 + options.relax_step * f64::from(steps);
        if options.relax_limit <= 0.0 || factor > options.relax_limit {
            let (least, node) = micro.problem.working_set();
            let floor = least + micro.floor_bytes(in_flight.micro_batches);
            return Err(Failure::Infeasible {
                device: stage.device,
                op: node.and_then(|node| stage.sources.get(node)).map(|source| source.op()),
                label: node.map_or_else(String::new, |node| micro.problem.nodes[node].label.clone()),
                cap: requested,
                smallest: Bytes(if floor > requested.0 { floor } else { unplanned_need }),
                found: floor <= requested.0,
                proved: floor > requested.0,
            });
        }
        cap = Bytes((requested.as_f64() * factor) as u64);
        found = attempt(cap, 4.0)?;
    }
    let Some(found) = found else { return Err(failed("no plan".to_owned())) };
    let smallest_cap = (cap > requested).then_some(Bytes(found.need_bytes));
    let (score, _) = judge_stage(stage, &found.plan, swap.as_ref(), Some(cap)).map_err(|rejection| {
        Failure::Stage { device: stage.device, op: rejection.op, message: rejection.error.to_string() }
    })?;
    let report = Report { bound: found.report.bound.min(score.seconds), ..found.report };
    let binding = if cap > requested { micro.problem.working_set().1 } else { None };
    Ok(StageOutcome {
        plan: found.plan,
        score,
        requested_cap: requested,
        cap,
        smallest_cap,
        binding,
        report,
        arena: None,
        q_table: None,
    })
}
