//! `--rl-partition`: cuts a function's op sequence into one stage per device and writes `ballast.device`.

use std::path::PathBuf;

use ballast_core::cap::{CapSpec, ParseCapError};
use ballast_core::device::{CoreModel, DeviceId, MAX_DEVICES};
use ballast_core::graph::OpId;
use ballast_core::limits::StopReason;
use ballast_core::pipeline::Spec;
use ballast_core::plan::Plan;
use ballast_core::report::{Bound, Report, SearchStats};
use ballast_core::stage::{Stage, stages};
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::{self, RlPartitionOptions};
use ballast_dialects::remarks::Kind;
use ballast_partition as partition;
use ballast_partition::genetic::{self, Fitness, Genetic};
use ballast_partition::rl::machine::Reward;
use ballast_partition::rl::train;
use ballast_report::Facts;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::files::{self, named};
use crate::import::dlti_text;
use crate::opening;
use crate::plan::{page, unread};
use crate::program::{self, Loops, Program};
use crate::signals;

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &RlPartitionOptions) -> Result<(), Reported> {
    let _signals = signals::catch();
    let limits = program::limits(options.time_limit, options.work_limit, options.seed, options.threads);
    let error = |text: String| diagnostics::error(module.location(), &text);
    let cap: CapSpec = options.cap.parse().map_err(|bad: ParseCapError| error(bad.to_string()))?;
    check_files(module, options)?;
    unread::of_partition(options).map_err(error)?;
    let reward = reward(options).map_err(error)?;
    let pipeline =
        program::pipeline(module, options.schedule, options.stages_per_device, options.micro_batches)?;
    let loops = Loops::chosen(options.loops, Loops::ForTime);
    let results_apart = pipeline.is_some();
    let source = program::Source { loops, results_apart, ..program::source!(options) };
    let is_shared = program::cluster(module, source.devices)?.0.devices.len() > 1;
    let source = program::Source { within: is_shared.then_some(cap), ..source };
    let (mut program, _) = opening::read_for_planning(module, &source)?;
    program::recall_passes(&mut program);
    program::forget_plan(&mut program);
    program.divide_devices(pipeline)?;
    program::warn_of_shardings(module, &program);
    if let CapSpec::Absolute(cap) = cap
        && options.cores == 0
    {
        let devices = DeviceId::first(program.cluster.devices.len());
        program::warn_of_large_caps(&program, devices.map(|device| (device, cap)));
    }
    let search = partition_options(&program, options, reward, cap, limits)?;
    let outcome = if !options.placement_file.is_empty() {
        as_given(&program, options, pipeline, &search)?
    } else if let Some(spec) = pipeline {
        as_pipeline(&program, options, (spec, cap))?
    } else if options.cores > 0 {
        over_cores(&mut program, options.cores, cap, &search)?
    } else {
        as_searched(&mut program, &search)?
    };
    program::check_devices(&program, &outcome.device_of)?;
    for note in &outcome.notes {
        program.warning(None, note);
    }
    // A cap of one core has become the memory of its group.
    let cap = if options.cores > 0 { CapSpec::DeviceMemory } else { cap };
    let plan = ballast_planner::unplanned(
        &program.view(),
        &outcome.device_of,
        outcome.report.clone(),
        cap,
        pipeline,
    )
    .map_err(|failure| program.error(None, &failure.to_string()))?;
    page::write(module, &program, &options.report, &plan, &Facts::of(&plan))?;
    annotations::write(
        &program.imported,
        &program.costs,
        &plan,
        &outcome.device_of,
        &settings(&program, options, pipeline),
    )?;
    if program.cluster_is_new {
        dlti_text::write(module, &program.cluster, program.imported.function)?;
    }
    program.write_graph(module, &options.graph_file)?;
    tell(&program, &outcome, &plan);
    Ok(())
}

/// Refuses, before anything is planned, files that could not be written afterwards, and those that would destroy another.
fn check_files(module: OperationRef<'_, '_>, options: &RlPartitionOptions) -> Result<(), Reported> {
    let inputs = [
        files::devices(&options.devices),
        named("profile", &options.profile),
        named("placement-file", &options.placement_file),
        named("network", &options.network),
    ];
    let outputs = [
        named("graph-file", &options.graph_file),
        named("report", &options.report),
        named("save-network", &options.save_network),
    ];
    files::check(module, inputs.into_iter().flatten(), outputs.into_iter().flatten())
        .map_err(|text| diagnostics::error(module.location(), &text))
}

/// The remark of the partition.
fn tell(program: &Program<'_, '_>, outcome: &Placement, plan: &Plan) {
    let balance = &plan.balance;
    let mut remark = program
        .remark(Kind::Passed, "Partition", "placed the ops on devices")
        .fact("devices", program.cluster.devices.len())
        .fact("method", &outcome.report.method)
        .fact("placement", plan.placement.name())
        .fact("step_seconds", plan.step_seconds)
        .fact("tmax_seconds", balance.tmax_seconds)
        .fact("tmin_seconds", balance.tmin_seconds)
        .fact("ratio", balance.ratio.map_or_else(|| "none".to_owned(), |ratio| ratio.to_string()))
        .fact("bound_seconds", plan.bound_seconds)
        .fact("bound_class", plan.bound_class)
        .fact("gap", plan.gap);
    if let Some(proposed) = outcome.proposed {
        remark = remark
            .fact("proposed_by", proposed.method)
            .fact("proposed_tmax_seconds", proposed.tmax_seconds)
            .fact("proposed_over_answer", proposed.over_answer);
    }
    if let Some(refined) = outcome.refined {
        remark = remark
            .fact("refined_by", refined.by)
            .fact("refined_from_seconds", refined.from_seconds)
            .fact("refined_to_seconds", refined.to_seconds);
    }
    remark.emit(program.place(None));
}

/// Where every op runs, how that was found, and what the user should know.
struct Placement {
    device_of: Vec<DeviceId>,
    report: Report,
    proposed: Option<partition::Proposed>,
    refined: Option<partition::Refined>,
    notes: Vec<String>,
}

impl From<partition::Partition> for Placement {
    fn from(outcome: partition::Partition) -> Self {
        let partition::Partition { device_of, report, proposed, refined, notes, .. } = outcome;
        Placement { device_of, report, proposed, refined, notes }
    }
}

/// Searches a placement; where it tears ops apart that have to be on one device, another one that keeps them together. Each has half of the limits.
fn as_searched(program: &mut Program<'_, '_>, search: &partition::Options) -> Result<Placement, Reported> {
    let mut search = search.clone();
    if program.cluster.devices.len() > 1 && annotations::together::are_any(&program.imported) {
        search.limits.time_limit_seconds = search.limits.time_limit_seconds.map(|limit| limit / 2.0);
        search.limits.work_limit = search.limits.work_limit.map(|limit| limit / 2);
    }
    let plan = |program: &Program<'_, '_>| {
        partition::plan(&program.view(), &search).map_err(|error| program.error(None, &error.to_string()))
    };
    let outcome = plan(program)?;
    let together = annotations::together::bind(&mut program.imported, &program.costs, &outcome.device_of);
    if let Some(sender) = &together.sender {
        let text = "ops stay on one device, because a value that they hand on cannot be sent to another";
        let remark = program.remark(Kind::Missed, "HeldTogether", text);
        let remark = remark.fact("ops", sender.ops).fact("of_ops", program.imported.graph.planned().count());
        remark.fact("type", &sender.type_name).emit(program.place(Some(sender.op)));
    }
    if together.were_torn {
        let mut kept = plan(program)?;
        // Of any placement the search that was free to choose the device has proved something, and not that of the ones on the device chosen.
        kept.report = kept
            .report
            .rebound(outcome.report.bound())
            .map_err(|error| program.error(None, &error.to_string()))?;
        return Ok(kept.into());
    }
    Ok(outcome.into())
}

/// Takes the placement of a file.
fn as_given(
    program: &Program<'_, '_>,
    options: &RlPartitionOptions,
    pipeline: Option<Spec>,
    search: &partition::Options,
) -> Result<Placement, Reported> {
    let path = &options.placement_file;
    if options.cores > 0 || pipeline.is_some() || !matches!(options.method, passes::PartitionMethod::Auto) {
        let text = "placement-file= names the device of every op: nothing is left to `method`, `cores` or `schedule`";
        return Err(program.error(None, text));
    }
    let text = ballast_core::file::read_text(path.as_ref())
        .map_err(|error| program.error(None, &format!("{path}: cannot be read: {error}")))?;
    let graph = &program.imported.graph;
    let device_of = partition::Given::parse(&text)
        .and_then(|given| given.devices(graph, program.cluster.devices.len()))
        .map_err(|error| program.error(error.op, &format!("{path}: {error}")))?;
    let runs = |device: DeviceId| graph.planned().any(|op| device_of[op] == device);
    let devices = program.cluster.devices.len();
    let idle = DeviceId::first(devices).filter(|&device| !runs(device)).count();
    if options.use_all_devices && idle > 0 {
        let text = format!("{path}: {idle} of {devices} devices run nothing, against use-all-devices=true");
        return Err(program.error(None, &text));
    }
    partition::plan_given(&program.view(), search, device_of)
        .map(Placement::from)
        .map_err(|error| program.error(None, &error.to_string()))
}

/// Cuts the layers of a training step, forward and backward ops together, by dynamic programming.
fn as_pipeline(
    program: &Program<'_, '_>,
    options: &RlPartitionOptions,
    (spec, cap): (Spec, CapSpec),
) -> Result<Placement, Reported> {
    let refuse = |text: &str| Err(program.error(None, text));
    if options.cores > 0 {
        return refuse("cores= with a schedule: a pipeline runs on devices; use schedule=none");
    }
    if !matches!(options.method, passes::PartitionMethod::Auto | passes::PartitionMethod::Dp) {
        return refuse(&format!(
            "method={} with a schedule: layers are cut by dynamic programming; use method=auto or method=dp",
            options.method.name()
        ));
    }
    if !matches!(options.refine, passes::Refinement::Annealing) {
        return refuse(&format!(
            "refine={} with a schedule: layers are cut by dynamic programming, and nobody moves ops from there; leave it out",
            options.refine.name()
        ));
    }
    if matches!(options.order, passes::PartitionOrder::Memory) {
        return refuse("order=memory with a schedule: a pipeline keeps program order; use order=program");
    }
    let graph = &program.imported.graph;
    let pipelining = ballast_planner::Pipelining {
        spec,
        granularity: granularity(options.granularity),
        may_idle: !options.use_all_devices,
    };
    let balanced = ballast_planner::pipelined::balanced(&program.view(), pipelining, cap)
        .map_err(|failure| program.error(failure.op(), &failure.to_string()))?;
    let loads = stages(graph, &program.costs, &program.cluster, &balanced.device_of);
    let value = loads.iter().map(Stage::load_seconds).fold(0.0, f64::max);
    let search = SearchStats {
        method: "layers-dp".to_owned(),
        stop_reason: StopReason::Finished,
        seconds: 0.0,
        work: 0,
        seed: options.seed,
    };
    let bound = Bound::any_assignment(graph, &program.costs);
    let report =
        Report::new(value, bound, search).map_err(|error| program.error(None, &error.to_string()))?;
    let idle = loads.iter().filter(|stage| stage.idle()).count();
    let note = format!(
        "{idle} of {} devices stay idle: a step is shorter on the others alone, over the links between them",
        loads.len()
    );
    let notes = if idle > 0 { vec![note] } else { Vec::new() };
    Ok(Placement { device_of: balanced.device_of, report, proposed: None, refined: None, notes })
}

/// Partitions over groups of the cores of one chip; from here on the program's devices are these groups.
fn over_cores(
    program: &mut Program<'_, '_>,
    cores: u64,
    cap: CapSpec,
    search: &partition::Options,
) -> Result<Placement, Reported> {
    let refuse = |text: &str| Err(program.error(None, &format!("cores={cores}: {text}")));
    let [chip] = &program.cluster.devices[..] else {
        let devices = program.cluster.devices.len();
        return refuse(&format!("cores are those of one chip, and there are {devices} devices: name one"));
    };
    if let Some(op) = program.imported.graph.ops.iter().position(|op| op.rules.device.is_some()).map(OpId) {
        let text =
            "`ballast.device` names a device, and with `cores=` there are none before the cut: remove it";
        return Err(program.error(Some(op), text));
    }
    let count = usize::try_from(cores).unwrap_or(usize::MAX);
    // Without a model of its cores, the device describes one core, and more of them help in proportion.
    let mut model = chip.cores.clone().unwrap_or_else(|| CoreModel {
        count,
        memory_per_core: chip.memory,
        speed_up: Vec::new(),
    });
    if count > model.count.min(MAX_DEVICES) {
        return refuse(&format!("the chip '{}' has {}", chip.name, model.count.min(MAX_DEVICES)));
    }
    model.count = count;
    model.speed_up.truncate(count);
    match cap {
        CapSpec::DeviceMemory => {}
        CapSpec::Absolute(bytes) => model.memory_per_core = bytes,
        CapSpec::Share(_) => return refuse("the cap of a core is given in bytes"),
    }
    let seconds = &program.costs.seconds[0];
    let outcome = partition::chip::plan_chip(&program.imported.graph, seconds, chip, &model, search)
        .map_err(|error| program.error(None, &error.to_string()))?;
    program.cluster = outcome.cluster;
    program.costs = outcome.costs;
    program.cluster_is_new = true;
    Ok(Placement {
        device_of: outcome.stage_of,
        report: outcome.report,
        proposed: outcome.proposed,
        refined: None,
        notes: outcome.notes,
    })
}

fn partition_options(
    program: &Program<'_, '_>,
    options: &RlPartitionOptions,
    reward: Reward,
    cap: CapSpec,
    limits: ballast_core::limits::Limits,
) -> Result<partition::Options, Reported> {
    let count = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let set_up = match options.setting {
        passes::LearnerSetting::Ours => train::Setting::Ours,
        passes::LearnerSetting::Published => train::Setting::Published,
    }
    .options();
    let rl = train::Options {
        weights: match options.network.as_str() {
            "" => set_up.weights.clone(),
            path => train::Weights::File(PathBuf::from(path)),
        },
        save: (!options.save_network.is_empty()).then(|| PathBuf::from(&options.save_network)),
        reward,
        target_reward: (options.target_reward < 0.0).then_some(options.target_reward),
        max_steps: (options.max_steps > 0).then(|| count(options.max_steps)),
        episodes: count(options.episodes),
        learning_rate: options.learning_rate,
        ..set_up
    };
    Ok(partition::Options {
        method: options.method.name().parse().map_err(|error: String| program.error(None, &error))?,
        rl,
        genetic: genetic(program, options)?,
        mover: mover(options.refine),
        granularity: granularity(options.granularity),
        order: order(options.order),
        use_all_devices: options.use_all_devices,
        limits,
        caps: cap.before_stages(program.cluster.devices.len()),
        ..partition::Options::default()
    })
}

/// The genetic search; its options are read where it is the method.
fn genetic(program: &Program<'_, '_>, options: &RlPartitionOptions) -> Result<Genetic, Reported> {
    let passes::PartitionMethod::Genetic = options.method else { return Ok(Genetic::default()) };
    let refuse = |text: &str| Err(program.error(None, &format!("method=genetic: {text}")));
    if options.cores > 0 {
        return refuse("it places on devices; over `cores=` take dp, which is exact there, or rl");
    }
    let count = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let genetic = Genetic {
        options: genetic::Options {
            population: count(options.population),
            generations: options.generations,
            elite: count(options.elite),
            crossover: options.crossover,
            mutation: options.mutation,
            ..genetic::Options::default()
        },
        fitness: match options.fitness {
            passes::Fitness::Loads => Fitness::Loads,
            passes::Fitness::Predicted => Fitness::Predicted,
        },
    };
    match genetic.options.check_ranges() {
        Ok(()) => Ok(genetic),
        Err(error) => refuse(&error.to_string()),
    }
}

/// What the learner is rewarded for.
fn reward(options: &RlPartitionOptions) -> Result<Reward, String> {
    let weighted = weighted(&options.weights)?;
    match options.reward {
        passes::RewardKind::Weighted => Ok(weighted),
        passes::RewardKind::MaxTime if options.weights != RlPartitionOptions::default().weights => {
            Err(format!(
                "weights={} are those of reward=weighted: give that with them, or leave them out",
                options.weights
            ))
        }
        passes::RewardKind::MaxTime => Ok(Reward::MaxTime),
    }
}

/// Three numbers, at least 0, not all 0.
fn weighted(text: &str) -> Result<Reward, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[compute, memory, route])
            if [compute, memory, route].iter().all(|w| w.is_finite() && *w >= 0.0)
                && compute + memory + route > 0.0 =>
        {
            Ok(Reward::Weighted { compute, memory, route })
        }
        _ => Err(format!("weights={text}: give three numbers joined by commas, none negative, not all 0")),
    }
}

/// The seam's word for a pass option.
pub(crate) fn granularity(granularity: passes::Granularity) -> partition::sequence::Granularity {
    match granularity {
        passes::Granularity::Op => partition::sequence::Granularity::Op,
        passes::Granularity::Layer => partition::sequence::Granularity::Layer,
    }
}

/// The seam's word for a pass option.
pub(crate) fn mover(refinement: passes::Refinement) -> partition::Mover {
    match refinement {
        passes::Refinement::Annealing => partition::Mover::Annealing,
        passes::Refinement::Learned => partition::Mover::Learned,
        passes::Refinement::NoRefinement => partition::Mover::None,
    }
}

/// The seam's word for a pass option.
pub(crate) fn order(order: passes::PartitionOrder) -> partition::sequence::Order {
    match order {
        passes::PartitionOrder::Program => partition::sequence::Order::Program,
        passes::PartitionOrder::Memory => partition::sequence::Order::Memory,
    }
}

/// Before the plan is written: only the user has placed ops.
fn settings(program: &Program<'_, '_>, options: &RlPartitionOptions, pipeline: Option<Spec>) -> PlanSettings {
    let is_bound = |&(_, op): &(OpId, &OperationRef<'_, '_>)| op.has_attribute(ir::DEVICE);
    let pins: Vec<OpId> = OpId::of(&program.imported.ops).filter(is_bound).map(|(id, _)| id).collect();
    PlanSettings {
        cap: Some(if options.cores > 0 { String::new() } else { options.cap.clone() }),
        count: options.count,
        dynamic_dim: options.dynamic_dim,
        granularity: options.granularity,
        method: Some(options.method),
        refine: options.refine,
        order: Some(options.order),
        placed_by_hand: !pins.is_empty(),
        pins,
        use_all_devices: options.use_all_devices,
        ..program.settings(pipeline)
    }
}
