//! The step of a pipeline, for pages and traces.

use ballast_core::pipeline::{Pass, Spec, StageCost, TimedTask, play};
use ballast_core::plan::Plan;

/// What a pass is called.
pub(crate) fn pass_name(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::Backward => "backward",
        Pass::Weights => "weights",
    }
}

/// The step of a pipeline played again from the times in the plan; no devices where it is none.
pub(crate) fn step(plan: &Plan) -> Vec<Vec<TimedTask>> {
    let Some(pipeline) = &plan.pipeline else { return Vec::new() };
    let Ok(schedule) = pipeline.schedule.parse() else { return Vec::new() };
    let stages = pipeline.stages.iter().map(|stage| StageCost {
        forward_seconds: stage.forward_seconds,
        backward_seconds: stage.backward_seconds,
        weights_seconds: stage.weights_seconds,
        update_seconds: stage.update_seconds,
        ..StageCost::default()
    });
    let counts: Vec<bool> = pipeline.stages.iter().map(|stage| stage.in_flight > 0).collect();
    let spec = Spec { schedule, micro_batches: pipeline.micro_batches };
    play(spec, &stages.collect::<Vec<_>>(), &counts).map_or_else(|_| Vec::new(), |timeline| timeline.tasks)
}
