//! `--remat`: plans every stage's memory and writes recomputation, swaps and the figures of the plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ballast_core::cap::{CapSpec, ParseCapError};
use ballast_core::device::DeviceId;
use ballast_core::limits::{Limits, StopReason};
use ballast_core::pipeline::Spec;
use ballast_core::plan::Plan;
use ballast_core::report::{Bound, BoundClass, Prover, Report, SearchStats};
use ballast_core::stage::{Stage, settle_views, stages};
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::{self, PartitionMethod, RematOptions};
use ballast_dialects::remarks::Kind;
use ballast_partition as partition;
use ballast_planner::{Again, Pipelining, Planned};
use ballast_remat::swaps::{self as q_learning, QTable};
use ballast_report::Facts;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::files;
use crate::import::dlti_text;
use crate::opening;
use crate::parts;
use crate::plan::rl_partition::{granularity, mover, order};
use crate::plan::{explained, page, relaxed};
use crate::program::{self, Loops, Program};
use crate::signals;

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    let _signals = signals::catch();
    let mut planner = planner_options(module, options)?;
    check_files(module, options)?;
    let asked =
        program::pipeline(module, options.schedule, options.stages_per_device, options.micro_batches)?;
    let begin = Instant::now();
    let loops = Loops::chosen(options.loops, Loops::ForCap(planner.cap));
    let source = program::Source {
        loops,
        measured_storage: &options.storage,
        within: Some(planner.cap),
        ..program::source!(options)
    };
    let program = opening::read_for_planning(module, &source)?;
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
    let first = Attempt::make(module, program, options, planner.clone(), asked)?;
    let attempt = match first.with_fused_ops_split(module, options, planner, begin)? {
        Some(second) => second,
        None => first,
    };
    let Attempt { program, start, planner, cap, planned } = attempt;
    let planned = planned.map_err(|failure| relaxed::refuse(&program, &start.device_of, &failure))?;
    relaxed::warn(&program, &planned, planner.relax_limit);
    // The pass that made the partition has said it already, where it had the same caps.
    let said = annotations::read_plan(&program.imported)
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

/// A program read and planned with one model of what the back end stores.
struct Attempt<'c, 'a> {
    program: Program<'c, 'a>,
    start: Start,
    planner: ballast_planner::Options,
    /// The cap, as the plan's settings say it.
    cap: String,
    planned: Result<Planned, ballast_planner::Error>,
}

impl<'c: 'a, 'a> Attempt<'c, 'a> {
    fn make(
        module: OperationRef<'c, 'a>,
        mut program: Program<'c, 'a>,
        options: &RematOptions,
        planner: ballast_planner::Options,
        asked: Option<Spec>,
    ) -> Result<Self, Reported> {
        program.divide_devices(asked)?;
        program::recall_passes(&mut program);
        let start = Start::of(&program)?;
        let pipeline = start.pipeline(&program, asked)?;
        let planner = ballast_planner::Options { pipeline, ..planner };
        if planner.pipeline.is_some() && planner.arena.is_some() {
            let text =
                "arena with a schedule: micro-batches in flight have no addresses; leave one of them out";
            return Err(diagnostics::error(module.location(), text));
        }
        if planner.pipeline.is_some() && matches!(options.order, passes::MemoryOrder::Free) {
            let text =
                "order=free with a schedule: a stage of a pipeline keeps program order; use order=program";
            return Err(program.error(None, text));
        }
        let (mut program, start) = match planner.pipeline {
            None => start.within_caps(module, program, options, (planner.cap, &planner.limits))?,
            Some(_) => (program, start),
        };
        for op in &mut program.imported.graph.ops {
            op.rules.device = None;
        }
        let repartition = |again: &Again<'_>| start.repartition(&program, &planner.limits, again);
        let planned = ballast_planner::plan(
            &program.view(),
            start.device_of.clone(),
            start.report.clone(),
            &planner,
            start.movable.then_some(&repartition),
        );
        Ok(Attempt { program, start, planner, cap: options.cap.clone(), planned })
    }

    /// The program planned with every value stored, where no plan keeps the cap with fused ops whole, the option left the model open, and this
    /// keeps the cap or comes nearer. What is counted then is at least what a back end holds that fuses some of it after all.
    fn with_fused_ops_split(
        &self,
        module: OperationRef<'c, 'a>,
        options: &RematOptions,
        mut planner: ballast_planner::Options,
        begin: Instant,
    ) -> Result<Option<Self>, Reported> {
        let used = |planned: &Planned| planned.relaxed.iter().map(|relaxed| relaxed.used.0).sum::<u64>();
        let misses = !matches!(&self.planned, Ok(planned) if planned.relaxed.is_empty());
        let is_open = matches!(options.fusion, passes::FusionModel::Auto)
            && annotations::read_plan(&self.program.imported).is_none();
        if !misses || !is_open || self.program.groups.is_empty() || self.planner.pipeline.is_some() {
            return Ok(None);
        }
        if let Some(seconds) = planner.limits.time_limit_seconds {
            let rest = seconds - begin.elapsed().as_secs_f64();
            if rest < LEAST_REST * seconds {
                return Ok(None);
            }
            planner.limits.time_limit_seconds = Some(rest);
        }
        // The same bytes, though the unplanned peak counts more.
        let mut cap = options.cap.clone();
        if let (Ok(Planned { relaxed, .. }), 1) = (&self.planned, self.program.cluster.devices.len())
            && let [only] = relaxed.as_slice()
        {
            planner.cap = CapSpec::Absolute(only.requested);
            cap = only.requested.0.to_string();
        }
        let source = program::Source { measured_storage: &options.storage, ..program::source!(options) };
        let storage = program::Chosen::Options(passes::FusionModel::None, options.cap_counts, true);
        let program = program::read_as_is(module, &program::Source { storage, ..source })?;
        let second = Attempt { cap, ..Attempt::make(module, program, options, planner, None)? };
        let gains = match (&self.planned, &second.planned) {
            (_, Err(_)) => false,
            (Err(_), Ok(_)) => true,
            (Ok(first), Ok(second)) => {
                second.relaxed.len() < first.relaxed.len() || used(second) < used(first)
            }
        };
        if gains {
            let text = "no plan keeps the cap with fused ops whole: planned with every value stored";
            second.program.remark(Kind::Passed, "FusionSplit", text).emit(module.location());
        }
        Ok(gains.then_some(second))
    }
}

/// Share of the limits in which a bound is found for a program whose fusions were divided.
const BOUND_SHARE: f64 = 0.1;
/// Least share of the time limit that is worth a second plan.
const LEAST_REST: f64 = 0.05;

/// Refuses, before anything is planned, files that could not be written afterwards.
///
/// # Errors
/// At the module.
pub(crate) fn check_files(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    let files = [
        ("plan-file", options.plan_file.as_str()),
        ("graph-file", &options.graph_file),
        ("model-file", &options.model_file),
        ("report", &options.report),
    ];
    files::check(module, files).map_err(|text| diagnostics::error(module.location(), &text))
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

/// The partition the IR holds before this pass.
struct Start {
    device_of: Vec<DeviceId>,
    report: Report,
    /// What it was made with.
    settings: PlanSettings,
    /// May ops be moved to other devices? Not those a user placed, and not on one device.
    movable: bool,
}

impl Start {
    fn of(program: &Program<'_, '_>) -> Result<Self, Reported> {
        let graph = &program.imported.graph;
        let devices = program.cluster.devices.len();
        let placed = annotations::read_devices(&program.imported, devices)?;
        let Some(earlier) = annotations::read_plan(&program.imported) else {
            let device_of = placed.unwrap_or_else(|| vec![DeviceId(0); graph.ops.len()]);
            let report = report_of_given(program, &device_of).map_err(|text| program.error(None, &text))?;
            return Ok(Start { device_of, report, settings: PlanSettings::default(), movable: false });
        };
        let settings = PlanSettings::read(&earlier).map_err(|text| program.error(None, &text))?;
        let (before, now) = (settings.fusion.name(), program.storage.model().name());
        if before != now {
            let text = format!(
                "the function was partitioned with fusion={before}: give that here too, instead of fusion={now}"
            );
            return Err(program.error(None, &text));
        }
        if !program.is_as_planned(&earlier) {
            let text =
                "the function was edited after it was planned: remove `ballast.plan` and plan it again";
            return Err(program.error(None, text));
        }
        let Some(device_of) = placed else {
            let text =
                "the function has a `ballast.plan`, but no op has a `ballast.device`: partition it again";
            return Err(program.error(None, text));
        };
        let stop = match earlier.stop {
            ir::StopReason::Proved => StopReason::Proved,
            ir::StopReason::Finished => StopReason::Finished,
            ir::StopReason::TimeLimit => StopReason::TimeLimit,
            ir::StopReason::WorkLimit => StopReason::WorkLimit,
            ir::StopReason::Interrupted => StopReason::Interrupted,
        };
        Ok(Start {
            device_of,
            report: report_of(&earlier, stop).map_err(|text| program.error(None, &text))?,
            movable: devices > 1 && !settings.pinned,
            settings,
        })
    }

    /// The program of several devices with fused ops in parts that alone are above what the caps leave for one, where the option left open what is fused: the parts
    /// stay where the whole was.
    fn within_caps<'c: 'a, 'a>(
        self,
        module: OperationRef<'c, 'a>,
        program: Program<'c, 'a>,
        options: &RematOptions,
        (cap, limits): (CapSpec, &Limits),
    ) -> Result<(Program<'c, 'a>, Self), Reported> {
        if !self.movable || !matches!(options.fusion, passes::FusionModel::Auto) || program.groups.is_empty()
        {
            return Ok((program, self));
        }
        let source = program::Source { measured_storage: &options.storage, ..program::source!(options) };
        let stages = program.view().stages(&self.device_of);
        let mut caps = vec![Default::default(); program.cluster.devices.len()];
        let of_stages = ballast_planner::caps_of(&stages, &program.cluster, cap);
        if stages.iter().zip(&of_stages).all(|(stage, cap)| stage.problem.unplanned_peak() <= cap.0) {
            return Ok((program, self));
        }
        for (stage, cap) in stages.iter().zip(of_stages) {
            caps[stage.device.0] = (cap, Bytes(stage.problem.resident_bytes));
        }
        let fused = (&program.imported.graph, &program.groups[..]);
        let held = parts::for_caps(module, &program::options(&source), fused, &self.device_of, &caps)?;
        if held.is_empty() {
            return Ok((program, self));
        }
        let mut program = program::read_as_is(module, &program::Source { held: &held, ..source })?;
        // Where the partition put ops binds no other placement.
        program.imported.graph.ops.iter_mut().for_each(|op| op.rules.device = None);
        let mut device_of = self.device_of;
        settle_views(&program.imported.graph, &mut device_of);
        let text = "fused ops that alone are above what the caps leave for one are planned in parts";
        program.remark(Kind::Passed, "FusionSplit", text).fact("stored", held.len()).emit(module.location());
        // Parts may be spread over devices: what was proved of the whole is no bound any more.
        let share = |limit: f64| limit * BOUND_SHARE;
        let limits = Limits {
            time_limit_seconds: limits.time_limit_seconds.map(share),
            work_limit: limits.work_limit.map(|limit| share(limit as f64) as u64),
            ..*limits
        };
        let options = partition::Options { limits, ..partition::Options::default() };
        let floor = partition::bound_of_given(&program.view(), &options, device_of.clone())
            .map_err(|error| program.error(None, &error.to_string()))?;
        let loads = program.view().stages(&device_of);
        let mut report = self.report;
        report.value = loads.iter().map(Stage::load_seconds).fold(0.0, f64::max);
        let report = report.rebound(floor).map_err(|bad| program.error(None, &bad.to_string()))?;
        Ok((program, Start { device_of, report, ..self }))
    }

    /// The pipeline to plan: that of the options, which must be that of the partition.
    fn pipeline(
        &self,
        program: &Program<'_, '_>,
        asked: Option<Spec>,
    ) -> Result<Option<Pipelining>, Reported> {
        let name =
            |spec: Option<Spec>| spec.map_or_else(|| "none".to_owned(), |spec| spec.schedule.to_string());
        let made_for = self.settings.pipeline;
        if made_for.is_some() && asked.map(|spec| spec.schedule) != made_for.map(|spec| spec.schedule) {
            let (before, now) = (name(made_for), name(asked));
            let text = format!(
                "the function was partitioned with schedule={before}: give that here too, instead of schedule={now}"
            );
            return Err(program.error(None, &text));
        }
        Ok(asked.map(|spec| Pipelining { spec, granularity: granularity(self.settings.granularity) }))
    }

    /// Another partition, made as the one given but with what the memory plans came to and under their caps.
    fn repartition(
        &self,
        program: &Program<'_, '_>,
        limits: &Limits,
        again: &Again<'_>,
    ) -> Result<Vec<Vec<DeviceId>>, String> {
        let options = partition::Options {
            method: match self.settings.method {
                // The genetic search starts from a cut as well: rounds repeat that alone.
                Some(PartitionMethod::Genetic) => partition::Method::DP,
                Some(method) => method.name().parse().unwrap_or(partition::Method::AUTO),
                None => partition::Method::AUTO,
            },
            mover: mover(self.settings.refine),
            granularity: granularity(self.settings.granularity),
            use_all_devices: self.settings.use_all_devices,
            order: self.settings.order.map_or(partition::sequence::Order::Program, order),
            limits: Limits {
                time_limit_seconds: again.time_limit_seconds,
                seed: limits.seed.wrapping_add(again.fruitless),
                ..*limits
            },
            caps: Some(again.caps.to_vec()),
            relax_limit: Some(again.relax_limit),
            copies: again.copies,
            start: Some(again.device_of.to_vec()),
            ..partition::Options::default()
        };
        again.ask(&program.view(), &options)
    }
}

/// What there is to say of a placement that somebody wrote into the program.
fn report_of_given(program: &Program<'_, '_>, device_of: &[DeviceId]) -> Result<Report, String> {
    let graph = &program.imported.graph;
    let loads = stages(graph, &program.costs, &program.cluster, device_of);
    let tmax = loads.iter().map(Stage::load_seconds).fold(0.0, f64::max);
    let search = SearchStats {
        method: "given".to_owned(),
        stop_reason: StopReason::Finished,
        seconds: 0.0,
        work: 0,
        seed: 0,
    };
    Report::new(tmax, Bound::any_assignment(graph, &program.costs), search).map_err(|error| error.to_string())
}

/// What the partition that a function carries says of itself.
fn report_of(earlier: &ir::Plan<'_>, stop: StopReason) -> Result<Report, String> {
    let Some(class) = BoundClass::of_name(&earlier.bound_class) else {
        return Err(format!(
            "`ballast.plan` has a bound over plans called '{}', which is no class known here: partition it again",
            earlier.bound_class
        ));
    };
    let bound = Bound::proved(earlier.bound, class).trusting_highs(earlier.bound_trusts_highs);
    let search = SearchStats {
        method: earlier.method.clone(),
        stop_reason: stop,
        seconds: 0.0,
        work: 0,
        seed: earlier.seed,
    };
    Report::new(earlier.tmax, bound, search).map_err(|error| error.to_string())
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
        pinned: !start.movable,
        refine: start.settings.refine,
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
