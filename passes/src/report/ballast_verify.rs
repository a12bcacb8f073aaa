//! `--ballast-verify`: re-derives a plan from the attributes in the IR alone and fails on any lie in them.
//!
//! What of a plan can be derived again is: costs, the schedule, times, peaks, the step of a pipeline. Of a bound, and of how a plan was
//! found, that cannot be done without searching again: [`crate::report::claims`] checks what is cheap, and a checksum that nobody changed them.

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::memory::{CompactPlan, NodeId};
use ballast_core::pipeline::{FlowError, MicroBatch, check_flow, first_backward, pipeline_of};
use ballast_core::plan::{PipelinePlan, compact_plans, fingerprint};
use ballast_core::simulate::{StageScore, balance, judge_stage, orders_can_run};
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir as program_ir;
use ballast_dialects::passes::BallastVerifyOptions;
use ballast_dialects::remarks::Kind;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations::pipeline::{self as step, Figures};
use crate::annotations::settings::PlanSettings;
use crate::annotations::{self, Annotated};
use crate::files::{self, Named};
use crate::import;
use crate::program::{self, Chosen, Loops, Program, Source, mebibytes};
use crate::report::claims::{self, lie, same_time};

/// A planned program whose attributes were found true.
pub(crate) struct Verified<'c, 'a> {
    pub program: Program<'c, 'a>,
    /// What the plan says of its stages.
    stages: Vec<ir::Stage>,
    pub scores: Vec<StageScore>,
    /// The step, where the plan is for a pipeline of micro-batches.
    pub pipeline: Option<PipelinePlan>,
    /// Does every stage keep the cap asked for?
    pub cap_met: bool,
    /// Are the times of the ops measured ones, which nobody gave again?
    pub costs_on_trust: bool,
}

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastVerifyOptions) -> Result<(), Reported> {
    let cap = match options.cap.as_str() {
        "" => None,
        text => Some(
            text.parse::<CapSpec>()
                .map_err(|error| diagnostics::error(program_ir::place(module), &error.to_string()))?,
        ),
    };
    check_files(module, (&options.devices, &options.profile), None)?;
    let mut found = if options.function.is_empty() { planned(module)? } else { Vec::new() };
    if found.is_empty() {
        found.push((module, options.function.clone()));
    }
    for (module, function) in found {
        let verified = verify(module, &function, &options.devices, &options.profile)?;
        warn(&verified);
        if let Some(cap) = cap {
            check_cap(&verified, cap)?;
        }
        let Verified { program, scores, costs_on_trust, .. } = &verified;
        program
            .remark(Kind::Passed, "Verify", "the plan is as its attributes say")
            .fact("stages", scores.iter().filter(|score| score.ops > 0).count())
            .fact("tmax_seconds", balance(scores).tmax_seconds)
            .fact("derived", claims::derived(*costs_on_trust))
            .fact("on_trust", claims::on_trust(*costs_on_trust))
            .emit(program.place(None));
    }
    Ok(())
}

/// Refuses files that would be lost before they are read, or as what is said of the plan is written.
///
/// # Errors
/// At the module.
pub(crate) fn check_files(
    module: OperationRef<'_, '_>,
    (devices, profile): (&str, &str),
    output: Option<Named>,
) -> Result<(), Reported> {
    let inputs = [files::devices(devices), files::named("profile", profile)];
    files::check(module, inputs.into_iter().flatten(), output)
        .map_err(|text| diagnostics::error(program_ir::place(module), &text))
}

/// Every function that has a plan, with the module it stands in, those of nested modules included.
///
/// # Errors
/// At something else than a `func.func` that has one.
fn planned<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
) -> Result<Vec<(OperationRef<'c, 'a>, String)>, Reported> {
    let mut found = Vec::new();
    for op in program_ir::nested(module).into_iter().filter(|op| op.has_attribute(ir::PLAN)) {
        let name = program_ir::string(op, "sym_name");
        let parent = op.parent_operation().filter(|parent| program_ir::name(*parent) == "builtin.module");
        match (parent, name) {
            (Some(parent), Some(name)) if program_ir::name(op) == "func.func" => found.push((parent, name)),
            _ => {
                let text = "`ballast.plan` can be checked on a `func.func` of a module alone: remove it here";
                return Err(diagnostics::error(program_ir::place(op), text));
            }
        }
    }
    Ok(found)
}

/// Re-derives the plan of an annotated function and compares.
///
/// # Errors
/// At the op or function whose attributes are missing, contradict the program, or lie.
pub(crate) fn verify<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: &str,
    devices: &str,
    profile: &str,
) -> Result<Verified<'c, 'a>, Reported> {
    let (program, annotated) = read(module, function, devices, profile)?;
    let graph = &program.imported.graph;
    let derived = format!("{:016x}", fingerprint(graph));
    if annotated.plan.fingerprint != derived {
        let text = format!(
            "the program was edited after it was planned: `ballast.plan` was made for {}, this is {derived}; plan it again",
            annotated.plan.fingerprint
        );
        return Err(program.error(None, &text));
    }
    let count = program.cluster.devices.len();
    if usize::try_from(annotated.plan.devices) != Ok(count) {
        let (name, devices) = (&graph.name, annotated.plan.devices);
        let text = format!(
            "`ballast.plan` of @{name} says devices = {devices}, but there are {count}{}",
            other_plans(module, &program)
        );
        return Err(program.error(None, &text));
    }
    let costs_on_trust = check_costs(&program, &annotated, &other_plans(module, &program))?;
    let costs = Costs { seconds: vec![annotated.seconds.clone(); program.cluster.devices.len()] };
    let stages = stages(graph, &costs, &program.cluster, &annotated.device_of);
    let compact = compact_plans(&stages, &annotated.ops)
        .map_err(|error| program.error(Some(error.op), &error.to_string()))?;
    check_receives(&program, &annotated, &stages)?;
    let orders: Vec<Option<&[NodeId]>> = compact.iter().map(|plan| plan.order.as_deref()).collect();
    if !orders_can_run(&stages, &orders) {
        return Err(program.error(None, "the devices' op sequences wait for each other in a circle"));
    }
    let pipeline = derive_pipeline(&program, &annotated, &stages, &compact)?;
    let scores = check_stages(&program, &annotated, &stages, &compact, pipeline.as_ref())?;
    claims::check_balance(&program, &annotated, &scores)?;
    check_pipeline(&program, pipeline.as_ref())?;
    claims::check_bounds(&program, &annotated, pipeline.is_some(), costs_on_trust)?;
    claims::check_unchanged(&program, &annotated)?;
    let (stages, cap_met) = (annotated.plan.stages, annotated.plan.cap_met);
    Ok(Verified { program, stages, scores, pipeline, cap_met, costs_on_trust })
}

/// Says which caps are above those asked for, and which above the memory of their devices. Passes that verify a plan before they read it leave that to the one that
/// made it and to `--ballast-verify`.
fn warn(Verified { program, stages, .. }: &Verified<'_, '_>) {
    let bytes = |bytes: i64| Bytes(u64::try_from(bytes).unwrap_or(0));
    let stages =
        || stages.iter().filter_map(|stage| Some((DeviceId(usize::try_from(stage.device).ok()?), stage)));
    for (device, stage) in stages().filter(|(_, stage)| stage.cap > stage.requested_cap) {
        let text = format!(
            "the plan of device {device} does not keep the cap asked for: asked {}, used {}",
            mebibytes(bytes(stage.requested_cap)),
            mebibytes(bytes(stage.cap))
        );
        program.warning(None, &text);
    }
    program::warn_of_large_caps(program, stages().map(|(device, stage)| (device, bytes(stage.cap))));
}

/// Refuses a plan whose stages need more than a cap that the plan does not name.
fn check_cap(verified: &Verified<'_, '_>, cap: CapSpec) -> Result<(), Reported> {
    let Verified { program, scores, pipeline, .. } = verified;
    for score in scores {
        let step = pipeline.as_ref().and_then(|pipeline| pipeline.stages.get(score.device.0));
        let peak = step.map_or(score.peak_bytes, |step| step.need_bytes);
        let unplanned = step.map_or(score.unplanned_peak_bytes, |step| step.unplanned_need_bytes);
        let cap = cap.bytes(Bytes(unplanned), program.cluster.devices[score.device].memory);
        if peak > cap.0 {
            let text = format!(
                "device {} needs {} under its plan, above the cap of {} given here",
                score.device,
                mebibytes(Bytes(peak)),
                mebibytes(cap)
            );
            return Err(program.error(None, &text));
        }
    }
    Ok(())
}

/// Reads the program with the settings its plan was made with.
fn read<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: &str,
    devices: &str,
    profile: &str,
) -> Result<(Program<'c, 'a>, Annotated<'c>), Reported> {
    let at = import::function(module, (!function.is_empty()).then_some(function))?;
    let plan = at.attribute(ir::PLAN).ok().and_then(ir::Plan::read);
    let settings = plan.as_ref().map_or_else(|| Ok(PlanSettings::default()), PlanSettings::read);
    let settings = settings.map_err(|text| diagnostics::error(program_ir::place(at), &text))?;
    let results_apart = settings.results_apart();
    let PlanSettings { dynamic_dim, count, .. } = settings;
    let source = Source {
        function,
        devices,
        dynamic_dim,
        profile,
        count,
        storage: Chosen::Plan,
        measured_storage: "",
        loops: Loops::Whole,
        gradients: None,
        products: None,
        within: None,
        held: &[],
        results_apart,
    };
    let mut program = program::read_as_is(module, &source)?;
    program::recall_passes(&mut program);
    let annotated = annotations::read(&program.imported, program.cluster.devices.len())?;
    Ok((program, annotated))
}

/// What is said where devices are not those of a plan and the module has plans of other functions: the last of them may have brought its own.
fn other_plans(module: OperationRef<'_, '_>, program: &Program<'_, '_>) -> String {
    let is_planned = |function: OperationRef<'_, '_>| function.has_attribute(ir::PLAN);
    let planned = import::functions(module).into_iter().filter(|&(_, function)| is_planned(function));
    let name = &program.imported.graph.name;
    let others: Vec<String> =
        planned.filter(|(other, _)| other != name).map(|(other, _)| format!("@{other}")).collect();
    if others.is_empty() {
        return String::new();
    }
    format!(
        ": a module describes one set of devices, and has plans of {} too; where these were made for others than @{name}, plan all for the same",
        others.join(", ")
    )
}

/// Costs come from the formulas, or from the measurements the plan was made with; where these are not given here, the times are on
/// trust. Are they? What other plans may have to do with it is said where they are not what was planned with.
fn check_costs(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    other_plans: &str,
) -> Result<bool, Reported> {
    let (made_with, given) = (&annotated.settings.profile, &program.profile);
    let on_trust = made_with.is_some() && given.is_none();
    if !on_trust && made_with != given {
        let text = if made_with.is_none() {
            "the plan was made without a profile: verify it without"
        } else {
            "the plan was made with another profile than the one given: give that one, or none to take its times on trust"
        };
        return Err(program.error(None, text));
    }
    for entry in &annotated.ops {
        let cost = &annotated.costs[&entry.op];
        let derived = program.costs.of(entry.device, entry.op);
        if !on_trust && !same_time(cost.seconds, derived) {
            let text = format!(
                "`{}` says {} s, but the cost model says {derived} s on device {}{other_plans}",
                ir::COST,
                cost.seconds,
                entry.device
            );
            return Err(program.error(Some(entry.op), &text));
        }
        let [flops, bytes] = annotations::counts(&program.imported.graph.ops[entry.op].work);
        for (name, written, derived) in [("flops", cost.flops, flops), ("bytes", cost.bytes, bytes)] {
            if written != derived {
                let text = format!("`{}` says {name} = {written}, but the op has {derived}", ir::COST);
                return Err(program.error(Some(entry.op), &text));
            }
        }
    }
    Ok(on_trust)
}

/// Every receive the plan names must be read there; the other way round is checked with the stages.
fn check_receives(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    stages: &[Stage],
) -> Result<(), Reported> {
    for entry in &annotated.ops {
        for receive in &entry.receives {
            let source = ballast_core::stage::NodeSource::Receive(entry.op);
            let read = stages.get(receive.device.0).is_some_and(|stage| stage.sources.contains(&source));
            if !read {
                let text = format!(
                    "`{}` names device {}, where nothing reads the value",
                    ir::RECEIVES,
                    receive.device
                );
                return Err(program.error(Some(entry.op), &text));
            }
        }
    }
    Ok(())
}

/// Plays the step of a plan for a pipeline of micro-batches.
fn derive_pipeline(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    stages: &[Stage],
    plans: &[CompactPlan],
) -> Result<Option<PipelinePlan>, Reported> {
    let Some(spec) = annotated.settings.pipeline else { return Ok(None) };
    let graph = &program.imported.graph;
    let refuse = |error: FlowError| program.error(error.op(), &error.to_string());
    check_flow(graph, &annotated.device_of).map_err(refuse)?;
    let first_backward = first_backward(graph).map_err(refuse)?;
    let overlap = annotated.settings.overlap.unwrap_or(false);
    let devices = program.cluster.devices.iter();
    let swaps: Vec<_> = devices.map(|device| Some(program.cluster.swap_model(device, overlap))).collect();
    // Plans made before idle devices were left out of the pipeline hold micro-batches on them.
    let held = step::read(program.imported.function).map_or_else(Vec::new, |written| written.in_flight);
    let micro = |(index, stage): (usize, &Stage)| {
        let mut micro = MicroBatch::of(graph, stage, &annotated.device_of, first_backward);
        micro.counts |= held.get(index).is_some_and(|&held| held > 0);
        micro
    };
    let micros: Vec<MicroBatch> = stages.iter().enumerate().map(micro).collect();
    let pipeline = pipeline_of(&micros, stages, plans, &swaps, spec);
    pipeline.map(Some).map_err(|failure| program.error(None, &failure.to_string()))
}

/// `ballast.pipeline` says what the simulation gives, and is there exactly where there is a pipeline.
fn check_pipeline(program: &Program<'_, '_>, derived: Option<&PipelinePlan>) -> Result<(), Reported> {
    let written = step::read(program.imported.function);
    let (derived, written) = match (derived.map(Figures::of), written) {
        (None, None) => return Ok(()),
        (Some(derived), Some(written)) => (derived, written),
        (Some(_), None) => {
            let text =
                "the plan is for a pipeline, but the function has no `ballast.pipeline` with its figures";
            return Err(program.error(None, text));
        }
        (None, Some(_)) => {
            let text = "the function has a `ballast.pipeline`, but its plan is for none";
            return Err(program.error(None, text));
        }
    };
    let lie = |name: &str, written: &dyn std::fmt::Debug, derived: &dyn std::fmt::Debug| {
        let text =
            format!("`{}` says {name} = {written:?}, but the simulation gives {derived:?}", ir::PIPELINE);
        Err(program.error(None, &text))
    };
    if !same_time(written.step, derived.step) {
        return lie("step", &written.step, &derived.step);
    }
    if (written.bubble - derived.bubble).abs() > claims::TIME_TOLERANCE {
        return lie("bubble", &written.bubble, &derived.bubble);
    }
    if written.in_flight != derived.in_flight {
        return lie("in_flight", &written.in_flight, &derived.in_flight);
    }
    if written.need != derived.need {
        return lie("need", &written.need, &derived.need);
    }
    Ok(())
}

fn check_stages(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    stages: &[Stage],
    plans: &[CompactPlan],
    pipeline: Option<&PipelinePlan>,
) -> Result<Vec<StageScore>, Reported> {
    let overlap = annotated.settings.overlap.unwrap_or(false);
    let cap: CapSpec = match annotated.settings.cap.as_deref().unwrap_or_default().parse() {
        Ok(cap) => cap,
        Err(error) => return Err(program.error(None, &format!("the settings of `ballast.plan`: {error}"))),
    };
    let mut scores = Vec::with_capacity(stages.len());
    let mut recorded = annotated.plan.stages.iter().peekable();
    for (stage, plan) in stages.iter().zip(plans) {
        let device = &program.cluster.devices[stage.device];
        let swap = program.cluster.swap_model(device, overlap);
        let record = recorded.next_if(|record| usize::try_from(record.device) == Ok(stage.device.0));
        let written_cap = record.and_then(|record| u64::try_from(record.cap).ok()).map(Bytes);
        let (score, _) = judge_stage(stage, plan, Some(&swap), written_cap)
            .map_err(|rejection| program.error(rejection.op, &rejection.to_string()))?;
        scores.push(score);
        if score.ops == 0 {
            if record.is_some() {
                let text =
                    format!("`ballast.plan` has a stage for device {}, which runs nothing", stage.device);
                return Err(program.error(None, &text));
            }
            continue;
        }
        let Some(record) = record else {
            let text = format!(
                "`ballast.plan` has no stage for device {}, which runs {} ops",
                stage.device, score.ops
            );
            return Err(program.error(None, &text));
        };
        let step = pipeline.and_then(|pipeline| pipeline.stages.get(stage.device.0));
        let unplanned = step.map_or(score.unplanned_peak_bytes, |step| step.unplanned_need_bytes);
        let asked = annotated.settings.caps.iter().find(|(asked, _)| *asked == stage.device);
        let requested = asked.map_or_else(|| cap.bytes(Bytes(unplanned), device.memory), |(_, cap)| *cap).0;
        if let Some(step) = step
            && Some(Bytes(step.need_bytes)) > written_cap
        {
            let text = format!(
                "device {} needs {} bytes for {} micro-batches in flight, above its cap of {}",
                stage.device, step.need_bytes, step.in_flight, record.cap
            );
            return Err(program.error(None, &text));
        }
        let cores = device.stage_cores();
        if usize::try_from(record.cores) != Ok(cores) {
            return Err(lie(program, Some(record.device), "cores", &record.cores, &cores));
        }
        check_stage(program, record, &score, requested)?;
        claims::check_smallest_cap(program, record, stage, step.is_some())?;
    }
    if let Some(record) = recorded.next() {
        return Err(program.error(
            None,
            &format!("`ballast.plan` has a stage for device {}, which there is not", record.device),
        ));
    }
    Ok(scores)
}

fn check_stage(
    program: &Program<'_, '_>,
    record: &ir::Stage,
    score: &StageScore,
    requested_cap: u64,
) -> Result<(), Reported> {
    let bytes = [
        ("peak", record.peak, score.peak_bytes),
        ("unplanned_peak", record.unplanned_peak, score.unplanned_peak_bytes),
        ("host_peak", record.host_peak, score.host_peak_bytes),
        ("requested_cap", record.requested_cap, requested_cap),
    ];
    for (name, written, derived) in bytes {
        if u64::try_from(written) != Ok(derived) {
            return Err(lie(program, Some(record.device), name, &written, &derived));
        }
    }
    let unplanned = score.compute_seconds + score.receive_seconds + score.send_seconds;
    for (name, written, derived) in [
        ("seconds", record.seconds, score.seconds),
        ("unplanned_seconds", record.unplanned_seconds, unplanned),
    ] {
        if !same_time(written, derived) {
            return Err(lie(program, Some(record.device), name, &written, &derived));
        }
    }
    Ok(())
}
