//! `--ballast-plan`: partition and memory plan in turn, as one pass.

use ballast_core::pipeline::Spec;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{
    BallastPlanOptions, Granularity, PipelineSchedule, RematOptions, RlPartitionOptions,
};
use ballast_dialects::remarks::Kind;
use ballast_planner::pipelined::choose;
use melior::ir::operation::OperationRef;

use crate::opening;
use crate::plan::{remat, rl_partition};
use crate::program::{self, Loops};
use crate::signals;

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; a program that was partitioned and then refused a memory plan keeps its partition.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastPlanOptions) -> Result<(), Reported> {
    let _signals = signals::catch();
    remat::check(module, &memory(options, options.time_limit))?;
    let PipelineSchedule::Shortest = options.schedule else { return under_schedule(module, options) };
    let third = options.time_limit / 3.0;
    let schedule = shortest(module, &memory(options, third), options.granularity)?;
    under_schedule(module, &BallastPlanOptions { schedule, time_limit: 2.0 * third, ..options.clone() })
}

/// Partitions and plans under the schedule that the options name.
fn under_schedule(module: OperationRef<'_, '_>, options: &BallastPlanOptions) -> Result<(), Reported> {
    let half = options.time_limit / 2.0;
    rl_partition::run(module, &partition(options, half))?;
    remat::run_checked(module, &memory(options, half))
}

/// The schedule with the shortest step, of all that suit the program.
fn shortest(
    module: OperationRef<'_, '_>,
    options: &RematOptions,
    granularity: Granularity,
) -> Result<PipelineSchedule, Reported> {
    let spec =
        |schedule| program::pipeline(module, schedule, options.stages_per_device, options.micro_batches);
    let mut schedules = Vec::new();
    for name in
        [PipelineSchedule::OneForwardOneBackward, PipelineSchedule::ZeroBubble, PipelineSchedule::Interleaved]
    {
        schedules.extend(spec(name)?.map(|spec| (spec, name)));
    }
    let planner = remat::planner_options(module, options)?;
    let loops = Loops::chosen(options.loops, Loops::ForTime);
    let source = program::Source { loops, results_apart: true, ..program::source!(options) };
    let (mut program, _) = opening::read_for_planning(module, &source)?;
    program::recall_passes(&mut program);
    // The plan itself stays until the program is partitioned: it may be all that tells the passes apart.
    program::forget_devices(&mut program);
    program.divide_devices(None)?;
    let devices = program.cluster.devices.len();
    let choices = choose(
        &program.view(),
        &planner,
        schedules.first().map_or(1, |(spec, _)| spec.micro_batches),
        &schedules.iter().map(|(spec, _)| spec.schedule).collect::<Vec<_>>(),
        rl_partition::granularity(granularity),
    )
    .map_err(|failure| program.error(failure.op(), &failure.to_string()))?;
    let best = choices.first().and_then(|best| {
        schedules.iter().find(|(spec, _)| spec.schedule == best.schedule).map(|(_, name)| *name)
    });
    let Some(best) = best else {
        let text = "schedule=auto: no schedule has enough pieces of the forward pass for its stages; use fewer devices";
        return Err(program.error(None, text));
    };
    let mut remark = program.remark(Kind::Analysis, "Schedule", "compared the steps of schedules");
    for choice in &choices {
        let step = match &choice.joint {
            Some(joint) if joint.score.short_bytes == 0 => joint.score.step_seconds.to_string(),
            Some(_) => "no plan under the caps".to_owned(),
            None => format!("{} without caps", choice.free_seconds),
        };
        remark = remark.fact(&choice.schedule.to_string(), step);
    }
    let unsuited =
        |(spec, _): &&(Spec, PipelineSchedule)| choices.iter().all(|choice| choice.schedule != spec.schedule);
    for (spec, _) in schedules.iter().filter(unsuited) {
        let text =
            format!("not for {} micro-batches on {devices} devices, or too few pieces", spec.micro_batches);
        remark = remark.fact(&spec.schedule.to_string(), text);
    }
    remark.emit(program.place(None));
    Ok(best)
}

fn partition(options: &BallastPlanOptions, time_limit: f64) -> RlPartitionOptions {
    RlPartitionOptions {
        function: options.function.clone(),
        devices: options.devices.clone(),
        dynamic_dim: options.dynamic_dim,
        granularity: options.granularity,
        cap: options.cap.clone(),
        cap_counts: options.cap_counts,
        fusion: options.fusion,
        loops: options.loops,
        time_limit,
        work_limit: options.work_limit,
        seed: options.seed,
        threads: options.threads,
        profile: options.profile.clone(),
        count: options.count,
        schedule: options.schedule,
        stages_per_device: options.stages_per_device,
        micro_batches: options.micro_batches,
        ..RlPartitionOptions::default()
    }
}

fn memory(options: &BallastPlanOptions, time_limit: f64) -> RematOptions {
    RematOptions {
        function: options.function.clone(),
        devices: options.devices.clone(),
        dynamic_dim: options.dynamic_dim,
        cap: options.cap.clone(),
        cap_counts: options.cap_counts,
        fusion: options.fusion,
        loops: options.loops,
        swap: options.swap,
        overlap: options.overlap,
        time_limit,
        work_limit: options.work_limit,
        seed: options.seed,
        threads: options.threads,
        max_ratio: options.max_ratio,
        max_rounds: options.max_rounds,
        plan_file: options.plan_file.clone(),
        report: options.report.clone(),
        profile: options.profile.clone(),
        count: options.count,
        schedule: options.schedule,
        stages_per_device: options.stages_per_device,
        micro_batches: options.micro_batches,
        ..RematOptions::default()
    }
}
