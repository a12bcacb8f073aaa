//! Whole plans of pipelines: cuts, memory plans under the activations in flight, and the judged step.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::{
    InFlight, MicroBatch, PipelinePlan, Schedule, Spec, check_flow, first_backward, floor_bytes, need_bytes,
    pipeline_plan,
};
use ballast_core::program::Program;
use ballast_core::simulate::judge_stage;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, layers};
use ballast_partition::sequence::Granularity;
use ballast_remat::Solver;

use super::balance::{MOST_PIECES, refuse, starts, unplayable};
use super::choice::{Choice, choices};
use super::joint::{StopRule, joint};
use super::memory::{DeviceMemory, StageMemory, plan_in_flight};
use super::part::{cluster_of, costs_of};
use super::runs::{Runs, Site};
use crate::stages::StageOutcome;
use crate::{Error, Options, Pipelining};

/// Search steps of one memory plan while cuts move.
const QUICK_STEPS: u64 = 20_000;
/// Share of the time in which cuts may move; the rest is for the memory plans of the cuts found.
const MOVING_SHARE: f64 = 0.6;
/// Placements that leave devices idle, and have plans made.
const MOST_ON_FEWER: usize = 2;

/// A pipeline whose every stage has a judged plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPipeline {
    pub device_of: Vec<DeviceId>,
    pub stages: Vec<Stage>,
    pub outcomes: Vec<StageOutcome>,
    pub pipeline: PipelinePlan,
    /// Partitions planned.
    pub rounds: usize,
}

impl PlannedPipeline {
    /// Stages whose cap was raised.
    fn raised(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.relaxed()).count()
    }

    fn step_seconds(&self) -> f64 {
        self.pipeline.step_seconds
    }
}

/// Plans a placed training step as a pipeline; may its cuts move?
pub(crate) fn plan(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    options: &Options,
    pipelining: Pipelining,
    is_movable: bool,
) -> Result<PlannedPipeline, Error> {
    let Pipelining { spec, granularity, .. } = pipelining;
    check_flow(program.graph, &device_of)?;
    let solver = own(options)?;
    let deadline = Deadline::start(&options.limits);
    // A share of what each stage needs moves with the cuts: a tiny stage would keep it most easily.
    let fixed_cap = !matches!(options.cap, CapSpec::Share(_));
    if !is_movable || !fixed_cap || options.max_rounds <= 1 {
        return finish(program, device_of, options, spec, 1, &deadline);
    }
    let layers =
        layers(program.graph, program.costs, granularity, MOST_PIECES).map_err(|error| refuse(&error))?;
    let (all, fewer) = starts(program, &layers, device_of, pipelining, MOST_ON_FEWER)?;
    // The placement on all devices has half of the time and of the rounds where there are others.
    let part = |parts: usize, rounds: usize| {
        let deadline = deadline.within(deadline.remaining_seconds() / parts as f64);
        StopRule { max_rounds: options.max_rounds.saturating_sub(rounds) / parts, ..ends(options, deadline) }
    };
    let placement = (spec, solver, &layers);
    let mut best = moved(program, all, options, placement, &part(if fewer.is_empty() { 1 } else { 2 }, 0));
    let rounds_of =
        |planned: &Result<PlannedPipeline, Error>| planned.as_ref().map_or(1, |planned| planned.rounds);
    let (mut rounds, count) = (rounds_of(&best), fewer.len());
    for (number, start) in fewer.into_iter().enumerate() {
        // Memory plans only add to its step.
        if best.as_ref().is_ok_and(|best| best.raised() == 0 && best.step_seconds() <= start.step_seconds) {
            continue;
        }
        let next = moved(program, start.device_of, options, placement, &part(count - number, rounds));
        rounds += rounds_of(&next);
        best = better(best, next);
    }
    best.map(|best| PlannedPipeline { rounds, ..best })
}

/// Plans a placement whose cuts move first, where it is one of the layer view. Devices that run nothing go on running nothing.
fn moved(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    options: &Options,
    (spec, solver, layers): (Spec, Solver, &Layers),
    ends: &StopRule,
) -> Result<PlannedPipeline, Error> {
    let Program { graph, costs, cluster } = *program;
    let deadline = &ends.deadline;
    let kept = running(graph, &device_of, cluster.devices.len(), spec);
    let given =
        cuts_of(graph, layers, &device_of, &kept).filter(|given| !given.is_empty() && ends.max_rounds > 1);
    let Some(given) = given else {
        return finish(program, device_of, options, spec, 1, deadline);
    };
    let moving = options.limits.time_limit_seconds.map(|_| deadline.remaining_seconds() * MOVING_SHARE);
    let (own_cluster, own_costs) = (cluster_of(cluster, &kept), costs_of(costs, &kept));
    let site = Site {
        graph,
        costs: &own_costs,
        cluster: &own_cluster,
        layers,
        spec,
        cap: options.cap,
        memory: quick_memory(options, solver, moving, kept.len()),
        swap: options.swap,
        overlap: options.overlap,
        uniform: false,
    };
    let ends = StopRule { deadline: moving.map_or(*deadline, |seconds| deadline.within(seconds)), ..*ends };
    let found = Runs::new(&site).and_then(|mut runs| joint(&mut runs, &site, &given, &ends));
    let found = found.map_err(|error| Error::Partition(error.to_string()))?;
    let rounds = found.rounds;
    let moved: Vec<DeviceId> =
        layers.stage_of(graph, &found.cuts).into_iter().map(|stage| kept[stage.0]).collect();
    // While cuts move, transfers are priced at the links of neighbours: where links differ, what was given may be better.
    if moved != device_of && !cluster.links.is_empty() {
        let half = deadline.within(deadline.remaining_seconds() / 2.0);
        let given = finish(program, device_of, options, spec, rounds, &half);
        return better(given, finish(program, moved, options, spec, rounds, deadline));
    }
    finish(program, moved, options, spec, rounds, deadline)
}

/// The plan with fewer raised caps, and the shorter step of as many; the first of equals.
fn better(
    one: Result<PlannedPipeline, Error>,
    other: Result<PlannedPipeline, Error>,
) -> Result<PlannedPipeline, Error> {
    let value = |planned: &PlannedPipeline| (planned.raised(), planned.step_seconds());
    match (one, other) {
        (Ok(one), Ok(other)) => Ok(if value(&other) < value(&one) { other } else { one }),
        (Ok(only), Err(_)) | (Err(_), Ok(only)) => Ok(only),
        (Err(failure), Err(_)) => Err(failure),
    }
}

/// The loop under these schedules, the best first, with the limits of `options` for all of them together: see
/// [`choices`]. `cluster` has one entry per device.
///
/// # Errors
/// For programs that are no training step, caps that move with the schedule, and failures of solvers.
pub fn choose(
    program: &Program<'_>,
    options: &Options,
    micro_batches: usize,
    schedules: &[Schedule],
    granularity: Granularity,
) -> Result<Vec<Choice>, Error> {
    let Program { graph, costs, cluster } = *program;
    if matches!(options.cap, CapSpec::Share(_)) {
        let text = "the cap is a share of what a device needs, which differs by schedule: steps are compared under \
                    one cap; give bytes, or none for the memory of the devices";
        return Err(Error::Pipeline { op: None, message: text.to_owned() });
    }
    let deadline = Deadline::start(&options.limits);
    let layers = layers(graph, costs, granularity, MOST_PIECES).map_err(|error| refuse(&error))?;
    let timed = options.limits.time_limit_seconds.map(|seconds| seconds / schedules.len().max(1) as f64);
    let site = Site {
        graph,
        costs,
        cluster,
        layers: &layers,
        spec: Spec { schedule: Schedule::OneForwardOneBackward, micro_batches },
        cap: options.cap,
        memory: quick_memory(options, own(options)?, timed, cluster.devices.len()),
        swap: options.swap,
        overlap: options.overlap,
        uniform: false,
    };
    choices(&site, schedules, &ends(options, deadline)).map_err(|error| Error::Partition(error.to_string()))
}

/// How memory is planned while cuts move for so many seconds.
fn quick_memory(
    options: &Options,
    solver: Solver,
    seconds: Option<f64>,
    stages: usize,
) -> ballast_remat::Options {
    ballast_remat::Options {
        solver: quick(solver),
        limits: Limits {
            time_limit_seconds: seconds.map(|seconds| seconds / 4.0 / stages as f64),
            work_limit: Some(options.limits.work_limit.unwrap_or(QUICK_STEPS).min(QUICK_STEPS)),
            ..options.limits
        },
        ..ballast_remat::Options::default()
    }
}

fn ends(options: &Options, deadline: Deadline) -> StopRule {
    StopRule { max_rounds: options.max_rounds, max_ratio: options.max_ratio, deadline }
}

/// Who plans while cuts move.
fn quick(solver: Solver) -> Solver {
    if [Solver::AUTO, Solver::MILP, Solver::STEPWISE].contains(&solver) {
        Solver::LOCAL_SEARCH
    } else {
        solver
    }
}

/// The solver, where it can count several micro-batches in flight.
fn own(options: &Options) -> Result<Solver, Error> {
    if options.solver.plans_parts() {
        return Ok(options.solver);
    }
    Err(Error::Partition(format!(
        "solver {} plans one batch on its own: it does not apply under a pipeline schedule",
        options.solver.name()
    )))
}

/// The devices that are stages of the pipeline, ascending: those that run something, and where a device runs several stages all.
fn running(graph: &Graph, device_of: &[DeviceId], devices: usize, spec: Spec) -> Vec<DeviceId> {
    let mut runs = vec![spec.schedule.chunks() > 1; devices];
    graph.planned().for_each(|op| runs[device_of[op]] = true);
    DeviceId::first(devices).filter(|&device| runs[device]).collect()
}

/// The cuts of a placement on these devices, where it is one of the layer view that leaves none of them idle.
fn cuts_of(graph: &Graph, layers: &Layers, device_of: &[DeviceId], kept: &[DeviceId]) -> Option<Vec<usize>> {
    let mut first = vec![usize::MAX; kept.len()];
    for op in graph.planned() {
        let stage = kept.binary_search(&device_of[op]).ok()?;
        first[stage] = first[stage].min(layers.piece_of[op]);
    }
    if first.contains(&usize::MAX) {
        return None;
    }
    let cuts = first.split_off(1);
    let placed = layers.stage_of(graph, &cuts);
    graph.planned().all(|op| kept[placed[op].0] == device_of[op]).then_some(cuts)
}

/// Plans the memory of every stage with the time that is left.
fn finish(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    options: &Options,
    spec: Spec,
    rounds: usize,
    deadline: &Deadline,
) -> Result<PlannedPipeline, Error> {
    let Program { graph, costs, cluster } = *program;
    let first_backward = first_backward(graph)?;
    let stages = stages(graph, costs, cluster, &device_of);
    let counts: Vec<bool> = stages.iter().map(|stage| !stage.problem.nodes.is_empty()).collect();
    let in_flight = spec.in_flight(&counts).map_err(|error| unplayable(&error))?;
    let devices = in_flight.len();
    let mut outcomes: Vec<Option<StageOutcome>> = vec![None; stages.len()];
    let mut swaps = vec![None; stages.len()];
    for (device, held) in in_flight.iter().enumerate() {
        let left = (devices - device) as f64;
        let limits = Limits {
            time_limit_seconds: options
                .limits
                .time_limit_seconds
                .map(|_| deadline.remaining_seconds() / left),
            ..options.limits
        };
        let own: Vec<usize> = (device..stages.len()).step_by(devices).collect();
        let swap = options.swap.then(|| cluster.swap_model(&cluster.devices[device], options.overlap));
        let of_device: Vec<&Stage> = own.iter().map(|&index| &stages[index]).collect();
        let micros: Vec<MicroBatch> =
            of_device.iter().map(|stage| MicroBatch::of(graph, stage, &device_of, first_backward)).collect();
        let memory = cluster.devices[device].memory;
        let planned = plan_device(&of_device, &micros, memory, swap, options, held, limits)?;
        for (index, outcome) in own.into_iter().zip(planned) {
            (outcomes[index], swaps[index]) = (Some(outcome), swap);
        }
    }
    let outcomes: Vec<StageOutcome> = outcomes.into_iter().flatten().collect();
    let plans: Vec<CompactPlan> = outcomes.iter().map(|outcome| outcome.plan.clone()).collect();
    let pipeline = pipeline_plan(graph, &device_of, &stages, &plans, &swaps, spec, first_backward)?;
    Ok(PlannedPipeline { device_of, stages, outcomes, pipeline, rounds })
}

/// Plans the stages of one device; where their cap has no plan, under the first raised one that has.
fn plan_device(
    stages: &[&Stage],
    micros: &[MicroBatch],
    memory: Bytes,
    swap: Option<ballast_core::memory::SwapModel>,
    options: &Options,
    in_flight: &InFlight,
    limits: Limits,
) -> Result<Vec<StageOutcome>, Error> {
    let solver = own(options)?;
    let deadline = Deadline::start(&limits);
    let failed = |stage: &Stage, message: String| Error::Stage { device: stage.device, op: None, message };
    let mut unplanned = Vec::with_capacity(micros.len());
    for (stage, micro) in stages.iter().zip(micros) {
        let measured = micro.measure(&CompactPlan::default(), None, in_flight.split);
        unplanned.push(measured.map_err(|error| failed(stage, error.to_string()))?);
    }
    let unplanned_need = need_bytes(micros, &unplanned, in_flight);
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
    let attempt = |cap: Bytes, parts: f64| -> Result<Option<DeviceMemory>, Error> {
        plan_in_flight(micros, in_flight, cap.0, &remat(parts), None)
            .map_err(|error| failed(stages[0], error.to_string()))
    };
    // What binds: the op with the largest working set, of all stages.
    let working_sets = micros.iter().zip(stages).map(|(micro, stage)| (micro.problem.working_set(), *stage));
    let binding = working_sets.max_by_key(|((bytes, _), _)| *bytes);
    let (least, node) = binding.map_or((0, None), |(binding, _)| binding);
    let floor = least.saturating_add(floor_bytes(micros, in_flight));
    let mut cap = requested;
    let mut found = attempt(cap, if options.relax_limit > 0.0 { 1.5 } else { 1.0 })?;
    let (mut steps, mut factor) = (0, 1.0);
    while found.is_none() {
        if factor >= options.relax_limit {
            let stage = binding.map_or(stages[0], |(_, stage)| stage);
            return Err(Error::Infeasible {
                device: stage.device,
                op: node.and_then(|node| stage.sources.get(node.0)).map(|source| source.op()),
                label: node.map_or_else(String::new, |node| stage.problem.nodes[node].label.clone()),
                cap: requested,
                smallest: Bytes(if floor > requested.0 { floor } else { unplanned_need }),
                found: floor <= requested.0,
                proved: floor > requested.0,
                every_way: true,
            });
        }
        steps += 1;
        // What the steps pass by comes last.
        factor = (1.0 + options.relax_step * f64::from(steps)).min(options.relax_limit);
        cap = Bytes((requested.as_f64() * factor) as u64);
        found = attempt(cap, 4.0)?;
    }
    let Some(found) = found else { return Err(failed(stages[0], "no plan".to_owned())) };
    let DeviceMemory { stages: planned, need_bytes } = found;
    // Plans keep less than the limits they were made for, so that one under a raised cap may keep the one asked for.
    let cap = if need_bytes <= requested.0 { requested } else { cap };
    let outcome = |(stage, memory): (&&Stage, StageMemory)| {
        let StageMemory { plan, report, .. } = memory;
        let (score, _) = judge_stage(stage, &plan, swap.as_ref(), Some(cap)).map_err(|rejection| {
            Error::Stage { device: stage.device, op: rejection.op, message: rejection.error.to_string() }
        })?;
        let binds = binding.filter(|(_, binding)| cap > requested && binding.device == stage.device);
        Ok(StageOutcome {
            plan,
            score,
            requested_cap: requested,
            cap,
            smallest_cap: (cap > requested).then_some(Bytes(need_bytes)),
            least_cap: Some(Bytes(floor)),
            binding: binds.and_then(|((_, node), _)| node),
            report,
            arena: None,
            swap,
            q_table: None,
        })
    };
    stages.iter().zip(planned).map(outcome).collect()
}
