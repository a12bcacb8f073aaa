//! `--ballast-apply`: a planned function becomes one that does what the plan says.

use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::fusion::Group;
use ballast_core::graph::OpId;
use ballast_core::memory::{Schedule, SwapModel, expand, replay};
use ballast_core::plan::{PlanError, compact_plans, fingerprint};
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_dialects::attributes as names;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::operations::set_location;
use ballast_dialects::passes::BallastApplyOptions;
use melior::ir::Location;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::apply::{actions, emit};
use crate::backend::storage::{Early, SpreadLate, Storage};
use crate::import::{self, ImportOptions, Imported};
use crate::report::ballast_verify::verify;
use crate::report::claims::TIME_TOLERANCE;

/// Swaps are checked for order and place here, not for time.
const UNTIMED: SwapModel = SwapModel {
    out_bandwidth: 1.0,
    in_bandwidth: 1.0,
    latency: 0.0,
    overlap: false,
    host_capacity_bytes: None,
};

/// What comes before the number of an op in its location.
const NUMBERED: &str = "ballast.";

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then nothing has been changed.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastApplyOptions) -> Result<(), Reported> {
    carry_out(module, &options.function, false).map(|_| ())
}

/// The same; with `number_ops` every op gets the number of the op of the planned program that it runs as location. Returns the functions
/// that carry out a plan.
///
/// # Errors
/// As [`run`].
pub(crate) fn carry_out<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: &str,
    number_ops: bool,
) -> Result<Vec<OperationRef<'c, 'a>>, Reported> {
    let chosen = match function {
        "" => planned(module)?,
        name => vec![import::function(module, Some(name))?],
    };
    chosen.iter().try_for_each(|&function| carry_out_one(module, function, number_ops))?;
    Ok(chosen)
}

/// The functions that have a plan; where none has, the one that would be planned.
fn planned<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Result<Vec<OperationRef<'c, 'a>>, Reported> {
    let functions = import::functions(module).into_iter().map(|(_, function)| function);
    let planned: Vec<OperationRef<'c, 'a>> = functions
        .filter(|function| function.has_attribute(names::PLAN) || function.has_attribute(names::APPLIED))
        .collect();
    Ok(if planned.is_empty() { vec![import::function(module, None)?] } else { planned })
}

fn carry_out_one(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
    number_ops: bool,
) -> Result<(), Reported> {
    let name = ballast_dialects::ir::string(function, "sym_name");
    let Ok(plan) = function.attribute(names::PLAN) else {
        if let Ok(applied) = function.attribute(names::APPLIED) {
            return check_applied(module, function, names::Plan::read(applied).as_ref());
        }
        let text = "the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`";
        return Err(diagnostics::error(ballast_dialects::ir::place(function), text));
    };
    // Nothing is carried out that lies, or breaks its caps.
    verify(module, name.as_deref().unwrap_or_default(), "", "")?;
    let figures = names::Plan::read(plan);
    let (mut imported, left_alone) = read(module, name, figures.as_ref())?;
    let mut early = vec![Early::default(); imported.ops.len()];
    let mut groups = Vec::new();
    let mut late = SpreadLate::default();
    if let Some(storage) = figures.as_ref().map(|plan| Storage::of_plan(&PlanSettings::of(plan))) {
        groups = storage.apply(&mut imported);
        early = storage.early(&imported, &groups, &left_alone);
        late = storage.spread_late(&imported.graph);
    }
    if number_ops {
        number(&imported);
    }
    apply(&imported, &groups, &early, &late)?;
    emit::mark(function, plan);
    Ok(())
}

/// Gives every op its number as location.
fn number(imported: &Imported<'_, '_>) {
    let context = ballast_dialects::ir::context(imported.function);
    for (number, &op) in OpId::of(&imported.ops) {
        let name = format!("{NUMBERED}{number}");
        set_location(op, Location::name(context, &name, Location::unknown(context)));
    }
}

/// A function that carries out a plan says nothing more of what is to be done; and what it says was done, its body does.
///
/// # Errors
/// At an op that still has attributes of the plan, and at a function whose body repeats and copies nothing where its plan does.
pub(crate) fn check_applied(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
    plan: Option<&names::Plan<'_>>,
) -> Result<(), Reported> {
    let inside = ballast_dialects::ir::nested(function);
    for &op in &inside {
        if let Some(name) = emit::CARRIED_OUT.iter().find(|name| op.has_attribute(name)) {
            let text = format!(
                "`{}` says that the function carries out its plan, but this op still has `{name}`: plan the program again, and let \
                 `--ballast-apply` rewrite it",
                names::APPLIED
            );
            return Err(diagnostics::error(ballast_dialects::ir::place(op), &text));
        }
    }
    // A rewritten program that repeats or copies something is another one than was planned.
    let is_cut = import::functions(module).iter().any(|(_, function)| function.has_attribute(names::PROGRAM));
    let does = inside.iter().any(|&op| ballast_dialects::ir::name(op).starts_with("ballast."));
    let slower = |stage: &names::Stage| stage.seconds > stage.unplanned_seconds * (1.0 + TIME_TOLERANCE);
    let Some(plan) = plan.filter(|plan| !is_cut && !does && plan.stages.iter().any(slower)) else {
        return Ok(());
    };
    let (mut imported, _) = read(module, ballast_dialects::ir::string(function, "sym_name"), Some(plan))?;
    Storage::of_plan(&PlanSettings::of(plan)).apply(&mut imported);
    if plan.fingerprint == format!("{:016x}", fingerprint(&imported.graph)) {
        let text = format!(
            "`{}` says that the function carries out its plan, but it is the program that was planned: plan it again, and let \
             `--ballast-apply` rewrite it",
            names::APPLIED
        );
        return Err(diagnostics::error(ballast_dialects::ir::place(function), &text));
    }
    Ok(())
}

/// Reads a function as it was planned; and what XLA would fuse if it were left alone.
fn read<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: Option<String>,
    plan: Option<&names::Plan<'_>>,
) -> Result<(Imported<'c, 'a>, Vec<Group>), Reported> {
    let settings = plan.map(PlanSettings::of);
    let dynamic_dim = settings.as_ref().map(|settings| settings.dynamic_dim).filter(|&size| size > 0);
    let results_apart = settings.as_ref().is_some_and(PlanSettings::results_apart);
    let mut imported = import::read(module, &ImportOptions { function, dynamic_dim, results_apart })?;
    let storage = settings.as_ref().map(Storage::of_plan);
    let left_alone = storage.map_or_else(Vec::new, |storage| storage.left_alone(&mut imported));
    Ok((imported, left_alone))
}

fn apply(
    imported: &Imported<'_, '_>,
    groups: &[Group],
    early: &[Early],
    late: &SpreadLate,
) -> Result<(), Reported> {
    let graph = &imported.graph;
    let error_at = |op: Option<OpId>, text: &str| {
        let at = op.map_or(imported.function, |op| imported.ops[op]);
        diagnostics::error(ballast_dialects::ir::place(at), text)
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
    let mut peak = Bytes::ZERO;
    for (stage, plan) in stages.iter().zip(&plans) {
        let schedule = expand(&stage.problem, plan).map_err(|error| error_at(None, &error.to_string()))?;
        let replayed = replay(&stage.problem, &schedule, Some(&UNTIMED), None).map_err(|refused| {
            let op = refused.node.map(|node| stage.sources[node].op());
            error_at(op, &format!("the plan on device {} cannot be carried out: {refused}", stage.device))
        })?;
        peak = peak + Bytes(replayed.peak_bytes);
        schedules.push(schedule);
    }
    let actions = actions::merge(graph, &imported.reads, groups, early, &stages, (&schedules, peak))
        .map_err(|error| error_at(Some(error.op), &error.to_string()))?;
    let returned = actions::returned(graph, &annotated.device_of);
    emit::emit(imported, &annotated.device_of, late, &actions, &returned)
}
