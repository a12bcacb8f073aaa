//! `--ballast-verify`: re-derives a plan from the attributes in the IR alone and fails on any lie in them.

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::memory::CompactPlan;
use ballast_core::plan::{PipelinePlan, compact_plans, fingerprint};
use ballast_core::report::gap;
use ballast_core::simulate::{StageScore, balance, judge_stage, orders_can_run};
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{self, BallastVerifyOptions};
use ballast_dialects::remarks::Kind;
use ballast_partition::pipeline::{LayersError, check_flow, first_backward};
use ballast_planner::pipelined::pipeline_plan;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations::{self, Annotated};
use crate::pipeline_attribute::{self, Figures};
use crate::planning::{self, Chosen, Program, Source};

/// Times derived twice agree to this relative difference: sums in another order differ in the last bits.
const TIME_TOLERANCE: f64 = 1e-9;

/// A planned program whose attributes were found true.
pub(crate) struct Verified<'c, 'a> {
    pub program: Program<'c, 'a>,
    pub scores: Vec<StageScore>,
    /// The step, where the plan is for a pipeline of micro-batches.
    pub pipeline: Option<PipelinePlan>,
}

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastVerifyOptions) -> Result<(), Reported> {
    let Verified { program, scores, .. } =
        verify(module, &options.function, &options.devices, &options.profile)?;
    program
        .remark(Kind::Passed, "Verify", "the plan is as its attributes say")
        .fact("stages", scores.iter().filter(|score| score.ops > 0).count())
        .fact("tmax_seconds", balance(&scores).tmax_seconds)
        .emit(program.imported.function.location());
    Ok(())
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
    check_costs(&program, &annotated)?;
    let costs = Costs { seconds: vec![annotated.seconds.clone(); program.cluster.devices.len()] };
    let stages = stages(graph, &costs, &program.cluster, &annotated.device_of);
    let compact = compact_plans(&stages, &annotated.ops)
        .map_err(|error| program.error(Some(error.op), &error.to_string()))?;
    check_receives(&program, &annotated, &stages)?;
    let orders: Vec<Option<&[usize]>> = compact.iter().map(|plan| plan.order.as_deref()).collect();
    if !orders_can_run(&stages, &orders) {
        return Err(program.error(None, "the devices' op sequences wait for each other in a circle"));
    }
    let pipeline = derive_pipeline(&program, &annotated, &stages, &compact)?;
    let scores = check_stages(&program, &annotated, &stages, &compact, pipeline.as_ref())?;
    check_balance(&program, &annotated, &scores)?;
    check_pipeline(&program, pipeline.as_ref())?;
    Ok(Verified { program, scores, pipeline })
}

/// Reads the program with the settings its plan was made with.
fn read<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: &str,
    devices: &str,
    profile: &str,
) -> Result<(Program<'c, 'a>, Annotated<'c>), Reported> {
    let source =
        |dynamic_dim, count| Source { function, devices, dynamic_dim, profile, count, storage: Chosen::Plan };
    let dynamic = planning::settings_of_plan(module, function, "dynamic_dim");
    let dynamic_dim = dynamic.and_then(|text| text.parse().ok()).unwrap_or(0);
    let count = match planning::settings_of_plan(module, function, "count").as_deref() {
        Some("exact") => passes::Counting::Exact,
        _ => passes::Counting::TwoMac,
    };
    let mut program = planning::read_as_is(module, &source(dynamic_dim, count))?;
    planning::recall_passes(&mut program);
    let annotated = annotations::read(&program.imported, program.cluster.devices.len())?;
    Ok((program, annotated))
}

/// Costs come from the formulas unless the plan says that a profile was used and none is given here.
fn check_costs(program: &Program<'_, '_>, annotated: &Annotated<'_>) -> Result<(), Reported> {
    if annotated.setting("profile").as_deref() == Some("true") && !program.has_profile {
        return Ok(());
    }
    for entry in &annotated.ops {
        let (written, derived) = (annotated.seconds[entry.op], program.costs.of(entry.device, entry.op));
        if !same_time(written, derived) {
            let text = format!(
                "`{}` says {written} s, but the cost model says {derived} s on device {}",
                ir::COST,
                entry.device
            );
            return Err(program.error(Some(entry.op), &text));
        }
    }
    Ok(())
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
            let read = stages.get(receive.device).is_some_and(|stage| stage.sources.contains(&source));
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
    let Some(spec) = planning::pipeline_of_plan(|key| annotated.setting(key)) else { return Ok(None) };
    let graph = &program.imported.graph;
    let refuse = |error: LayersError| program.error(error.op(), &error.to_string());
    check_flow(graph, &annotated.device_of).map_err(refuse)?;
    let first_backward = first_backward(graph).map_err(refuse)?;
    let overlap = annotated.setting("overlap").as_deref() == Some("true");
    let devices = program.cluster.devices.iter();
    let swaps: Vec<_> =
        devices.map(|device| Some(ballast_planner::swap_model(device, &program.cluster, overlap))).collect();
    let pipeline = pipeline_plan(graph, stages, plans, &swaps, spec, first_backward);
    pipeline.map(Some).map_err(|failure| program.error(None, &failure.to_string()))
}

/// `ballast.pipeline` says what the simulation gives, and is there exactly where there is a pipeline.
fn check_pipeline(program: &Program<'_, '_>, derived: Option<&PipelinePlan>) -> Result<(), Reported> {
    let written = pipeline_attribute::read(program.imported.function);
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
    if (written.bubble - derived.bubble).abs() > TIME_TOLERANCE {
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
    let overlap = annotated.setting("overlap").as_deref() == Some("true");
    let cap: CapSpec = match annotated.setting("cap").unwrap_or_default().parse() {
        Ok(cap) => cap,
        Err(error) => return Err(program.error(None, &format!("the settings of `ballast.plan`: {error}"))),
    };
    let mut scores = Vec::with_capacity(stages.len());
    let mut recorded = annotated.plan.stages.iter().peekable();
    for (stage, plan) in stages.iter().zip(plans) {
        let device = &program.cluster.devices[stage.device];
        let swap = ballast_planner::swap_model(device, &program.cluster, overlap);
        let record = recorded.next_if(|record| usize::try_from(record.device) == Ok(stage.device));
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
        let step = pipeline.and_then(|pipeline| pipeline.stages.get(stage.device));
        let unplanned = step.map_or(score.unplanned_peak_bytes, |step| step.unplanned_need_bytes);
        let requested = cap.bytes(Bytes(unplanned), device.memory).0;
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
    if record.bound > record.seconds * (1.0 + TIME_TOLERANCE) {
        return Err(lie(
            program,
            Some(record.device),
            "bound",
            &record.bound,
            &format!("at most {}", record.seconds),
        ));
    }
    Ok(())
}

fn check_balance(
    program: &Program<'_, '_>,
    annotated: &Annotated<'_>,
    scores: &[StageScore],
) -> Result<(), Reported> {
    let plan = &annotated.plan;
    let balance = balance(scores);
    for (name, written, derived) in
        [("tmax", plan.tmax, balance.tmax_seconds), ("tmin", plan.tmin, balance.tmin_seconds)]
    {
        if !same_time(written, derived) {
            return Err(lie(program, None, name, &written, &derived));
        }
    }
    let ratios_agree = match (plan.ratio, balance.ratio) {
        (Some(written), Some(derived)) => same_time(written, derived),
        (None, None) => true,
        _ => false,
    };
    if !ratios_agree {
        return Err(lie(
            program,
            None,
            "ratio",
            &format!("{:?}", plan.ratio),
            &format!("{:?}", balance.ratio),
        ));
    }
    if plan.bound > plan.tmax * (1.0 + TIME_TOLERANCE) {
        return Err(lie(program, None, "bound", &plan.bound, &format!("at most {}", plan.tmax)));
    }
    let derived = gap(plan.tmax, plan.bound);
    if (plan.gap - derived).abs() > TIME_TOLERANCE {
        return Err(lie(program, None, "gap", &plan.gap, &derived));
    }
    Ok(())
}

fn lie(
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

fn same_time(a: f64, b: f64) -> bool {
    (a - b).abs() <= TIME_TOLERANCE * a.abs().max(b.abs())
}
