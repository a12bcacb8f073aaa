//! `--ballast-apply`: a planned function becomes one that does what the plan says.

use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::fusion::Group;
use ballast_core::memory::{Schedule, SwapModel, expand, replay};
use ballast_core::plan::{PlanError, compact_plans, fingerprint};
use ballast_core::stage::stages;
use ballast_dialects::attributes as names;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::BallastApplyOptions;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::apply::{actions, emit};
use crate::import::{self, ImportOptions, Imported};
use crate::storage::{Early, Storage};

/// Swaps are checked for order and place here, not for time.
const UNTIMED: SwapModel = SwapModel {
    out_bandwidth: 1.0,
    in_bandwidth: 1.0,
    latency: 0.0,
    overlap: false,
    host_capacity_bytes: None,
};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then nothing has been changed.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastApplyOptions) -> Result<(), Reported> {
    let wanted = (!options.function.is_empty()).then(|| options.function.clone());
    let function = import::function(module, wanted.as_deref())?;
    let Ok(plan) = function.attribute(names::PLAN) else {
        if function.has_attribute(names::APPLIED) {
            return Ok(());
        }
        let text = "the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`";
        return Err(diagnostics::error(function.location(), text));
    };
    let figures = names::Plan::read(plan);
    let size = figures.as_ref().and_then(|figures| annotations::setting(figures, "dynamic_dim"));
    let dynamic_dim = size.and_then(|size| size.parse().ok()).filter(|&size| size > 0);
    let mut imported = import::read(module, &ImportOptions { function: wanted, dynamic_dim })?;
    let mut early = vec![Early::default(); imported.ops.len()];
    let mut groups = Vec::new();
    if let Some(storage) = figures.as_ref().map(Storage::of_plan) {
        let left_alone = storage.left_alone(&mut imported);
        groups = storage.apply(&mut imported);
        early = storage.early(&imported, &left_alone);
    }
    apply(&imported, &groups, &early)?;
    emit::mark(function, plan);
    Ok(())
}

fn apply(imported: &Imported<'_, '_>, groups: &[Group], early: &[Early]) -> Result<(), Reported> {
    let graph = &imported.graph;
    let error_at = |op: Option<usize>, text: &str| {
        let at = op.map_or(imported.function, |op| imported.ops[op]);
        diagnostics::error(at.location(), text)
    };
    let devices =
        annotations::read_plan(imported).map_or(1, |plan| usize::try_from(plan.devices).unwrap_or(1));
    let annotated = annotations::read(imported, devices)?;
    if annotated.plan.fingerprint != format!("{:016x}", fingerprint(graph)) {
        let text = "the function was edited after it was planned: remove `ballast.plan` and plan it again";
        return Err(error_at(None, text));
    }
    let cluster = Cluster::from_count(devices).map_err(|error| error_at(None, &error.to_string()))?;
    let costs = Costs { seconds: vec![annotated.seconds.clone(); devices] };
    let stages = stages(graph, &costs, &cluster, &annotated.device_of);
    let plans = compact_plans(&stages, &annotated.ops)
        .map_err(|PlanError { op, reason, .. }| error_at(Some(op), &reason))?;
    let mut schedules: Vec<Schedule> = Vec::with_capacity(plans.len());
    for (stage, plan) in stages.iter().zip(&plans) {
        let schedule = expand(&stage.problem, plan).map_err(|error| error_at(None, &error.to_string()))?;
        replay(&stage.problem, &schedule, Some(&UNTIMED), None).map_err(|refused| {
            let op = refused.node.map(|node| stage.sources[node].op());
            error_at(op, &format!("the plan on device {} cannot be carried out: {refused}", stage.device))
        })?;
        schedules.push(schedule);
    }
    let actions = actions::merge(graph, &imported.reads, groups, early, &stages, &schedules)
        .map_err(|error| error_at(Some(error.op), &error.to_string()))?;
    let returned = actions::returned(graph, &annotated.device_of);
    emit::emit(imported, &annotated.device_of, &actions, &returned)
}
