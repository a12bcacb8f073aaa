//! A program planned by `--remat` with one model of what the back end stores: the partition it starts from, and what became of it.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::plan::compact_plans;
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::stage::{Stage, settle_views};
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::{self, PartitionMethod, RematOptions};
use ballast_dialects::remarks::Kind;
use ballast_partition as partition;
use ballast_planner::ways::{self, Standing};
use ballast_planner::{Again, Pipelining, Planned};
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::import::dlti_text;
use crate::parts;
use crate::plan::rl_partition::{granularity, mover, order};
use crate::program::{self, Program, mebibytes};

/// Share of the limits in which a bound is found for a program whose fusions were divided, or whose devices or caps are others than those it was partitioned for.
const BOUND_SHARE: f64 = 0.1;

/// Times that a plan is planned on from.
const MOST_TURNS: usize = 4;

/// A program read and planned with one model of what the back end stores.
pub(super) struct Attempt<'c, 'a> {
    pub(super) program: Program<'c, 'a>,
    pub(super) start: Start,
    pub(super) planner: ballast_planner::Options,
    /// The cap, as the plan's settings say it.
    pub(super) cap: String,
    pub(super) planned: Result<Planned, ballast_planner::Error>,
    /// What is to be said of how it is planned.
    pub(super) told: Vec<Told>,
    /// Where values may be stored or loops opened in other ways than those tried: the least that a plan of any of these needs.
    pub(super) tried_least: Option<Bytes>,
}

/// What a plan comes to.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    /// Time of the slowest device.
    seconds: f64,
    /// The largest cap raised, if one is.
    pub(super) raised: Option<Bytes>,
}

/// What is said of a plan that another one was dropped for.
pub(super) struct Told {
    /// Of the remark.
    pub(super) name: &'static str,
    pub(super) text: String,
    /// What the other one is.
    pub(super) other: &'static str,
    /// What that came to, if it was a plan.
    pub(super) figures: Option<Figures>,
    /// How to have that.
    pub(super) to_be_had: &'static str,
}

impl<'c: 'a, 'a> Attempt<'c, 'a> {
    /// Plans a program as it was read.
    ///
    /// # Errors
    /// With the diagnostic that was emitted; that there is no plan is no such error.
    pub(super) fn make(
        module: OperationRef<'c, 'a>,
        mut program: Program<'c, 'a>,
        options: &RematOptions,
        planner: ballast_planner::Options,
        asked: Option<Spec>,
    ) -> Result<Self, Reported> {
        program.divide_devices(asked)?;
        program::recall_passes(&mut program);
        let start = Start::of(&program, asked)?;
        program.bind_only(&start.settings.pins);
        let start = start.proved_for(module, &program, options, &planner)?;
        Self::make_from(start, module, program, options, (planner, asked))
    }

    /// Plans a program from the partition given.
    ///
    /// # Errors
    /// With the diagnostic that was emitted; that there is no plan is no such error.
    pub(super) fn make_from(
        start: Start,
        module: OperationRef<'c, 'a>,
        program: Program<'c, 'a>,
        options: &RematOptions,
        (planner, asked): (ballast_planner::Options, Option<Spec>),
    ) -> Result<Self, Reported> {
        let settings = &start.settings;
        let pipeline = asked.map(|spec| Pipelining {
            spec,
            granularity: granularity(settings.granularity),
            may_idle: !settings.use_all_devices,
        });
        let planner = ballast_planner::Options { pipeline, ..planner };
        if planner.pipeline.is_some() && planner.arena.is_some() {
            let text =
                "arena with a schedule: micro-batches in flight have no addresses; leave one of them out";
            return Err(diagnostics::error(module.location(), text));
        }
        if planner.pipeline.is_some() && !options.model_file.is_empty() {
            let text = "model-file with a schedule: stages of a pipeline are planned together, by no one program that could be \
                        written; leave one of them out";
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
        program.bind_only(&start.settings.pins);
        if planner.pipeline.is_none() {
            annotations::together::check(&program.imported, &start.device_of)?;
            annotations::together::bind(&mut program.imported, &program.costs, &start.device_of);
        }
        let repartition = |again: &Again<'_>| start.repartition(&program, &planner.limits, again);
        let planned = ballast_planner::plan(
            &program.view(),
            start.device_of.clone(),
            start.report.clone(),
            &planner,
            start.movable.then_some(&repartition),
        );
        Ok(Attempt {
            program,
            start,
            planner,
            cap: options.cap.clone(),
            planned,
            told: Vec::new(),
            tried_least: None,
        })
    }

    /// What its plan comes to.
    pub(super) fn figures(&self) -> Option<Figures> {
        let planned = self.planned.as_ref().ok()?;
        let raised = planned.relaxed.iter().map(|relaxed| relaxed.used).max();
        Some(Figures { seconds: planned.plan.balance.tmax_seconds, raised })
    }

    /// What no plan of any way tried so far needs less than, on one device.
    pub(super) fn least(&self) -> Option<Bytes> {
        self.tried_least.or_else(|| Some(Bytes(self.program.only_stage()?.problem.working_set().0)))
    }

    /// It is the best of several ways of which none needs less than `least`. That a cap has no plan is proved of these alone, and only where it is of all.
    pub(super) fn tried(&mut self, least: Option<Bytes>, all_proved: bool) {
        self.tried_least = least;
        if let Err(ballast_planner::Error::Infeasible { proved, every_way, .. }) = &mut self.planned {
            (*proved, *every_way) = (all_proved, false);
        }
    }

    /// Plans on from the plan on one device while there is time left that nobody else uses; the better plan stays.
    pub(super) fn planned_on(mut self, limits: &Limits, deadline: &Deadline) -> Self {
        let is_on_one = self.program.cluster.devices.len() == 1 && self.planner.pipeline.is_none();
        let turns = if is_on_one { MOST_TURNS } else { 0 };
        for _ in 0..turns {
            let Ok(Planned { plan, .. }) = &self.planned else { break };
            let stopped = (plan.stop_reason, plan.gap);
            let limits = ways::limits_to_plan_on(stopped, (limits, deadline));
            let Some(next) = limits.and_then(|limits| self.planned_from_here(limits)) else { break };
            let ran_out =
                next.as_ref().is_ok_and(|planned| planned.plan.stop_reason == StopReason::TimeLimit);
            if Standing::of(&next).is_better_than(Standing::of(&self.planned)) {
                self.planned = next;
            }
            if !ran_out {
                break;
            }
        }
        self
    }

    /// Planned again, from the plan there is.
    fn planned_from_here(&self, limits: Limits) -> Option<Result<Planned, ballast_planner::Error>> {
        let planned = self.planned.as_ref().ok()?;
        let stages = self.program.view().stages(&planned.device_of);
        let plans = compact_plans(&stages, &planned.plan.ops).ok()?;
        let in_use =
            stages.into_iter().zip(plans).map(|(stage, plan)| (stage.device, (stage, plan))).collect();
        let planner = ballast_planner::Options { limits, in_use, ..self.planner.clone() };
        let device_of = planned.device_of.clone();
        Some(ballast_planner::plan(
            &self.program.view(),
            device_of,
            self.start.report.clone(),
            &planner,
            None,
        ))
    }

    /// Says in the plan's notes and as remarks how it is planned.
    pub(super) fn tell(&mut self, module: OperationRef<'_, '_>) {
        let Ok(planned) = &mut self.planned else { return };
        let seconds = planned.plan.balance.tmax_seconds;
        for Told { name, text, other, figures, to_be_had } in &self.told {
            let mut note = text.clone();
            let mut remark = self.program.remark(Kind::Passed, name, text).fact("seconds", seconds);
            if let Some(Figures { seconds: before, raised }) = *figures {
                let cap = raised.map_or_else(String::new, |cap| format!(" and a cap of {}", mebibytes(cap)));
                note += &format!(", {seconds:.3e} s; {other} it takes {before:.3e} s{cap}{to_be_had}");
                remark = remark.fact(&format!("seconds_{other}"), before);
                if let Some(cap) = raised {
                    remark = remark.fact(&format!("cap_{other}"), cap.0);
                }
            }
            planned.plan.notes.push(note);
            remark.emit(module.location());
        }
    }
}

/// The partition the IR holds before this pass.
pub(super) struct Start {
    pub(super) device_of: Vec<DeviceId>,
    report: Report,
    /// What it was made with.
    pub(super) settings: PlanSettings,
    /// May ops be moved to other devices? Not where a user placed all of them, and not on one device.
    pub(super) movable: bool,
}

impl Start {
    /// Of a program to plan as `asked`: as a pipeline, or not.
    fn of(program: &Program<'_, '_>, asked: Option<Spec>) -> Result<Self, Reported> {
        let graph = &program.imported.graph;
        let devices = program.cluster.devices.len();
        let Some(earlier) = annotations::read_plan(&program.imported) else {
            let placed = annotations::read_devices(&program.imported, devices)?;
            let device_of = placed.unwrap_or_else(|| vec![DeviceId(0); graph.ops.len()]);
            return Self::given(program, device_of, PlanSettings::default());
        };
        let settings = PlanSettings::read(&earlier).map_err(|text| program.error(None, &text))?;
        // Before devices are read: under a schedule they are stages, of which another one has more or fewer.
        check_pipeline(program, &settings, asked)?;
        let placed = annotations::read_devices(&program.imported, devices)?;
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
            movable: devices > 1 && (!settings.placed_by_hand || !settings.pins.is_empty()),
            settings,
        })
    }

    /// The partition with a bound that holds for the devices, the costs and the caps of now: another pass may have proved one for others.
    fn proved_for(
        mut self,
        module: OperationRef<'_, '_>,
        program: &Program<'_, '_>,
        options: &RematOptions,
        planner: &ballast_planner::Options,
    ) -> Result<Self, Reported> {
        let Some(earlier) = annotations::read_plan(&program.imported) else { return Ok(self) };
        let same_devices = usize::try_from(earlier.devices) == Ok(program.cluster.devices.len())
            && dlti_text::describes(module, &program.cluster);
        let same_costs = self.settings.count == options.count && self.settings.profile == program.profile;
        // A share is one of what the placement of now needs.
        let same_caps =
            !matches!(planner.cap, CapSpec::Share(_)) && self.settings.cap.as_ref() == Some(&options.cap);
        if !same_devices {
            let text = "the function was partitioned for other devices: another `--rl-partition` may find a faster placement for these";
            program.warning(None, text);
        }
        if !(same_devices && same_costs) {
            self.report.value = tmax_seconds(program, &self.device_of);
        } else if !self.report.bound().class().within_caps() || same_caps {
            return Ok(self);
        }
        let floor = floor(program, &planner.limits, &self.device_of)?;
        self.report = self.report.rebound(floor).map_err(|bad| program.error(None, &bad.to_string()))?;
        Ok(self)
    }

    /// The partition of the same program read with other values stored: on one device there is none to keep, but for what it was made with.
    ///
    /// # Errors
    /// With the diagnostic that was emitted.
    pub(super) fn with_other_storage(&self, program: &Program<'_, '_>) -> Result<Self, Reported> {
        if program.cluster.devices.len() > 1 {
            return Self::of(program, self.settings.pipeline);
        }
        Self::given(program, vec![DeviceId(0); program.imported.graph.ops.len()], self.settings.clone())
    }

    /// A placement that nobody searched for.
    fn given(
        program: &Program<'_, '_>,
        device_of: Vec<DeviceId>,
        settings: PlanSettings,
    ) -> Result<Self, Reported> {
        let report = report_of_given(program, &device_of).map_err(|text| program.error(None, &text))?;
        Ok(Start { device_of, report, settings, movable: false })
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
        let source = program::Source {
            measured_storage: &options.storage,
            results_apart: program.imported.graph.results_apart,
            ..program::source!(options)
        };
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
        let held = parts::for_caps(
            module,
            &program::options(&source),
            fused,
            &self.device_of,
            (&caps, parts::ROOM_FOR_ONE),
        )?;
        if held.is_empty() {
            return Ok((program, self));
        }
        let mut program = program::read_as_is(module, &program::Source { held: &held, ..source })?;
        program.bind_only(&self.settings.pins);
        let mut device_of = self.device_of;
        settle_views(&program.imported.graph, &mut device_of);
        let text = "fused ops that alone are above what the caps leave for one are planned in parts";
        program.remark(Kind::Passed, "FusionSplit", text).fact("stored", held.len()).emit(module.location());
        // Parts may be spread over devices: what was proved of the whole is no bound any more.
        let floor = floor(&program, limits, &device_of)?;
        let mut report = self.report;
        report.value = tmax_seconds(&program, &device_of);
        let report = report.rebound(floor).map_err(|bad| program.error(None, &bad.to_string()))?;
        Ok((program, Start { device_of, report, ..self }))
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

/// Refuses another pipeline than the one that the partition was made for.
fn check_pipeline(
    program: &Program<'_, '_>,
    settings: &PlanSettings,
    asked: Option<Spec>,
) -> Result<(), Reported> {
    let options = |spec: Spec| match spec.schedule {
        Schedule::Interleaved { chunks } => {
            format!("schedule=interleaved stages-per-device={chunks} micro-batches={}", spec.micro_batches)
        }
        schedule => format!("schedule={schedule} micro-batches={}", spec.micro_batches),
    };
    let Some(made_for) = settings.pipeline.filter(|&made_for| asked != Some(made_for)) else {
        return Ok(());
    };
    let (before, now) = (options(made_for), asked.map_or_else(|| "schedule=none".to_owned(), options));
    let text = format!("the function was partitioned with {before}: give that here too, instead of {now}");
    Err(program.error(None, &text))
}

/// What the slowest device takes for a placement, without memory plans.
fn tmax_seconds(program: &Program<'_, '_>, device_of: &[DeviceId]) -> f64 {
    let loads = program.view().stages(device_of);
    loads.iter().map(Stage::load_seconds).fold(0.0, f64::max)
}

/// A bound for any assignment, found within a share of the limits.
fn floor(program: &Program<'_, '_>, limits: &Limits, device_of: &[DeviceId]) -> Result<Bound, Reported> {
    let share = |limit: f64| limit * BOUND_SHARE;
    let limits = Limits {
        time_limit_seconds: limits.time_limit_seconds.map(share),
        work_limit: limits.work_limit.map(|limit| share(limit as f64) as u64),
        ..*limits
    };
    let options = partition::Options { limits, ..partition::Options::default() };
    partition::bound_of_given(&program.view(), &options, device_of.to_vec())
        .map_err(|error| program.error(None, &error.to_string()))
}

/// What there is to say of a placement that somebody wrote into the program.
fn report_of_given(program: &Program<'_, '_>, device_of: &[DeviceId]) -> Result<Report, String> {
    let graph = &program.imported.graph;
    let tmax = tmax_seconds(program, device_of);
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
