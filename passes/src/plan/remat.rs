//! `--remat`: plans every stage's memory and writes recomputation, swaps and the figures of the plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ballast_core::cap::{CapSpec, ParseCapError};
use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::plan::Plan;
use ballast_core::report::Prover;
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::{self, GradientHandling, ProductHandling, RematOptions};
use ballast_dialects::remarks::Kind;
use ballast_planner::Planned;
use ballast_remat::swaps::{self as q_learning, QTable};
use ballast_report::Facts;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::files::{self, Named, named};
use crate::import::dlti_text;
use crate::opening;
use crate::plan::attempt::{Attempt, Start};
use crate::plan::{explained, forms, page, relaxed, unread};
use crate::program::{self, Loops, Program};
use crate::signals;

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    let _signals = signals::catch();
    check(module, options)?;
    run_checked(module, options)
}

/// Runs the pass with options and files that [`check`] was asked about.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run_checked(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    let mut planner = planner_options(module, options)?;
    let cap_asked = planner.cap;
    let asked =
        program::pipeline(module, options.schedule, options.stages_per_device, options.micro_batches)?;
    let deadline = Deadline::start(&planner.limits);
    let loops = Loops::chosen(options.loops, Loops::ForCap(planner.cap));
    let over = |is_left_to_us: bool| is_left_to_us.then_some(planner.cap);
    let source = program::Source {
        loops,
        gradients: over(matches!(options.gradients, GradientHandling::Auto)),
        products: over(matches!(options.products, ProductHandling::Auto)),
        measured_storage: &options.storage,
        within: Some(planner.cap),
        results_apart: asked.is_some() || planner.order == ballast_remat::Order::Free,
        ..program::source!(options)
    };
    let (program, before) = opening::read_for_planning(module, &source)?;
    let mut options = options.clone();
    if let (Some(peak), CapSpec::Share(_)) = (program.whole_peak, planner.cap) {
        // The same bytes: opened, the program may hold more or less.
        let cap = planner.cap.bytes(peak, peak);
        (planner.cap, options.cap) = (CapSpec::Absolute(cap), cap.0.to_string());
    }
    let options = &options;
    if annotations::read_plan(&program.imported).is_none() {
        program::warn_of_shardings(module, &program);
    }
    let source = program::Source { within: Some(planner.cap), ..source };
    let what = forms::Asked { options, planner: &planner, pipeline: asked, deadline: &deadline };
    let attempt = forms::Forms { module, program, before: &before }.plan(&source, what)?;
    let Attempt { program, start, planner, cap, planned, tried_least, .. } = attempt;
    let planned =
        planned.map_err(|failure| relaxed::refuse(&program, &start.device_of, &failure, &planner))?;
    relaxed::warn(&program, &planned, tried_least, (cap_asked, &planner));
    // The pass that made the partition has said it already, where it had the same caps and knew their bytes.
    let said = matches!(cap_asked, CapSpec::Absolute(_))
        && annotations::read_plan(&program.imported)
            .is_some_and(|earlier| PlanSettings::of(&earlier).cap.as_ref() == Some(&options.cap));
    if !said || !planned.plan.cap_met {
        let stages = planned.plan.stages.iter().filter(|stage| stage.score.ops > 0);
        program::warn_of_large_caps(
            &program,
            stages.map(|stage| (stage.score.device, Bytes(stage.cap_bytes))),
        );
    }
    program.write_graph(module, &options.graph_file)?;
    if !options.plan_file.is_empty() {
        files::write_json(module, Path::new(&options.plan_file), &planned.plan).map_err(|error| {
            program.error(None, &format!("cannot write plan-file '{}': {error}", options.plan_file))
        })?;
    }
    let facts = Facts::of(&planned.plan);
    page::write(module, &program, &options.report, &planned.plan, &facts)?;
    save_tables(module, &program, options, &planned)?;
    annotations::write(
        &program.imported,
        &program.costs,
        &planned.plan,
        &planned.device_of,
        &settings(&program, options, &start, &planner, (cap, &planned)),
    )?;
    if program.cluster_is_new {
        dlti_text::write(module, &program.cluster, program.imported.function)?;
    }
    emit_remarks(&program, &planned.plan, &facts);
    Ok(())
}

/// Refuses, before anything is planned, files that could not be written afterwards, and those that would destroy another. Asked once a pass.
///
/// # Errors
/// At the module.
pub(crate) fn check(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    let single = [
        named("plan-file", &options.plan_file),
        named("graph-file", &options.graph_file),
        named("report", &options.report),
    ];
    let of_stages = [
        named("model-file", &options.model_file),
        named("save-q-table", &options.save_q_table),
        named("q-table", &options.q_table),
    ];
    let stages = if of_stages.iter().any(Option::is_some) { stages_of(module, options)? } else { 0 };
    let [models, saved, tables] = of_stages.map(|file| {
        let numbered = |(name, path): Named| {
            DeviceId::first(stages).map(move |stage| (name, ballast_planner::stage_file(&path, stage)))
        };
        file.into_iter().flat_map(numbered)
    });
    let read = [named("profile", &options.profile), named("storage", &options.storage)];
    let inputs = files::devices(&options.devices).into_iter().chain(read.into_iter().flatten()).chain(tables);
    let outputs = single.into_iter().flatten().chain(models).chain(saved);
    files::check(module, inputs, outputs).map_err(|text| diagnostics::error(module.location(), &text))
}

/// How many stages are planned: files of stages are named by their numbers.
fn stages_of(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<usize, Reported> {
    let spec = program::pipeline(module, options.schedule, options.stages_per_device, options.micro_batches)?;
    let (cluster, _) = program::cluster(module, &options.devices)?;
    let divided = cluster.divided(spec.map_or(1, |spec| spec.schedule.chunks()));
    divided.map(|divided| divided.devices.len()).map_err(|text| diagnostics::error(module.location(), &text))
}

/// What to plan for, and how long, as options say it.
///
/// # Errors
/// At the module, for options out of range.
pub(crate) fn planner_options(
    module: OperationRef<'_, '_>,
    options: &RematOptions,
) -> Result<ballast_planner::Options, Reported> {
    let error = |text: String| diagnostics::error(module.location(), &text);
    let limits = program::limits(options.time_limit, options.work_limit, options.seed, options.threads);
    let cap: CapSpec = options.cap.parse().map_err(|bad: ParseCapError| error(bad.to_string()))?;
    let solver = options.solver.name().parse().map_err(error)?;
    if solver != ballast_remat::Solver::Q_LEARNING {
        unread::of_q_learning(options).map_err(error)?;
    }
    if options.relax_limit != 0.0 && options.relax_limit < 1.0 {
        return Err(error(format!(
            "relax-limit={}: give a multiple of the cap, at least 1, or 0",
            options.relax_limit
        )));
    }
    let q_learning = q_learning::Options {
        rounds: options.q_rounds,
        weight: options.q_weight,
        epsilon: options.q_epsilon,
        alpha: options.q_alpha,
        gamma: options.q_gamma,
        target_reward: (options.q_target > 0.0).then_some(options.q_target),
        initial: options
            .q_initial
            .parse()
            .map_err(|bad: String| error(format!("q-initial={}: {bad}", options.q_initial)))?,
        ..q_learning::Options::default()
    };
    q_learning.check_ranges().map_err(|bad| error(format!("solver=q-learning: {bad}")))?;
    Ok(ballast_planner::Options {
        cap,
        solver,
        outside: None,
        q_learning,
        q_tables: read_tables(&options.q_table).map_err(error)?,
        order: match options.order {
            passes::MemoryOrder::Program => ballast_remat::Order::Program,
            passes::MemoryOrder::Free => ballast_remat::Order::Free,
        },
        swap: options.swap,
        overlap: options.overlap,
        arena: Some(options.arena).filter(|&alignment| alignment > 0),
        limits,
        relax_step: options.relax_step,
        relax_limit: options.relax_limit,
        max_ratio: options.max_ratio,
        max_rounds: usize::try_from(options.max_rounds).unwrap_or(usize::MAX),
        pipeline: None,
        in_use: BTreeMap::new(),
        model_file: (!options.model_file.is_empty()).then(|| PathBuf::from(&options.model_file)),
    })
}

/// The tables of all stages that have one: `PATH` with the stage number before the extension, from stage 0 on.
fn read_tables(path: &str) -> Result<BTreeMap<DeviceId, QTable>, String> {
    let mut tables = BTreeMap::new();
    if path.is_empty() {
        return Ok(tables);
    }
    loop {
        let stage = DeviceId(tables.len());
        let file = ballast_planner::stage_file(Path::new(path), stage);
        if !tables.is_empty() && !file.exists() {
            return Ok(tables);
        }
        let bad = |error: &dyn std::fmt::Display| format!("q-table '{}': {error}", file.display());
        let text = ballast_core::file::read_text(&file).map_err(|error| bad(&error))?;
        tables.insert(stage, QTable::parse(&text).map_err(|error| bad(&error))?);
    }
}

fn save_tables(
    module: OperationRef<'_, '_>,
    program: &Program<'_, '_>,
    options: &RematOptions,
    planned: &Planned,
) -> Result<(), Reported> {
    if options.save_q_table.is_empty() {
        return Ok(());
    }
    for (&device, table) in &planned.q_tables {
        let file = ballast_planner::stage_file(Path::new(&options.save_q_table), device);
        files::write_json(module, &file, table).map_err(|error| {
            program.error(None, &format!("cannot write save-q-table '{}': {error}", file.display()))
        })?;
    }
    Ok(())
}

fn settings(
    program: &Program<'_, '_>,
    options: &RematOptions,
    start: &Start,
    planner: &ballast_planner::Options,
    (cap, planned): (String, &Planned),
) -> PlanSettings {
    // A share is one of what the partition given needs, which the program no longer says once ops have moved.
    let moved = matches!(planner.cap, CapSpec::Share(_)) && planned.device_of != start.device_of;
    let asked =
        planned.plan.stages.iter().map(|stage| (stage.score.device, Bytes(stage.requested_cap_bytes)));
    PlanSettings {
        cap: Some(cap),
        caps: if moved { asked.collect() } else { Vec::new() },
        count: options.count,
        dynamic_dim: options.dynamic_dim,
        granularity: start.settings.granularity,
        method: start.settings.method,
        order: start.settings.order,
        overlap: Some(options.overlap),
        placed_by_hand: !start.movable || start.settings.placed_by_hand,
        pins: start.settings.pins.clone(),
        refine: start.settings.refine,
        reordered: planner.order == ballast_remat::Order::Free,
        use_all_devices: start.settings.use_all_devices,
        ..program.settings(planner.pipeline.map(|pipeline| pipeline.spec))
    }
}

fn emit_remarks(program: &Program<'_, '_>, plan: &Plan, facts: &Result<Facts<'_>, String>) {
    let location = program.place(None);
    let changed = plan.ops.iter().any(|op| !op.recompute_before.is_empty() || op.swap.is_some());
    let text = match (changed, plan.cap_met) {
        (true, true) => "planned recomputation and swaps",
        (true, false) => "planned recomputation and swaps, under a raised cap",
        (false, true) => "the unchanged program fits",
        (false, false) => "nothing planned: the program is unchanged and does not fit the cap asked for",
    };
    let kind = if changed || plan.cap_met { Kind::Passed } else { Kind::Missed };
    program
        .remark(kind, "Remat", text)
        .fact("cap_met", plan.cap_met)
        .fact("tmax_seconds", plan.balance.tmax_seconds)
        .fact("tmin_seconds", plan.balance.tmin_seconds)
        .fact("step_seconds", plan.step_seconds)
        .fact("placement", plan.placement.name())
        .fact("bound_seconds", plan.bound_seconds)
        .fact("gap", plan.gap)
        .fact("rounds", plan.rounds)
        .emit(location);
    if let Some(pipeline) = &plan.pipeline {
        program
            .remark(Kind::Passed, "Pipeline", "a step of micro-batches")
            .fact("schedule", &pipeline.schedule)
            .fact("micro_batches", pipeline.micro_batches)
            .fact("step_seconds", pipeline.step_seconds)
            .fact("bubble", pipeline.bubble)
            .emit(location);
    }
    for stage in &plan.stages {
        program
            .remark(Kind::Analysis, &format!("Stage{}", stage.score.device), "one stage under its plan")
            .fact("cap", stage.cap_bytes)
            .fact("requested_cap", stage.requested_cap_bytes)
            .fact("peak", stage.score.peak_bytes)
            .fact("unplanned_peak", stage.score.unplanned_peak_bytes)
            .fact("seconds", stage.score.seconds)
            .fact("recompute_seconds", stage.score.recompute_seconds)
            .fact("swap_bytes", stage.score.swap_bytes)
            .fact("bound", stage.report.bound)
            .fact("gap", stage.report.gap)
            .fact("method", &stage.report.method)
            .fact("bound_method", stage.report.bound_method.map_or("", Prover::name))
            .emit(location);
    }
    match facts {
        Ok(facts) => explained::emit(program, facts),
        Err(reason) => {
            program.warning(None, &format!("internal error: no remarks on single values: {reason}"));
        }
    }
}
