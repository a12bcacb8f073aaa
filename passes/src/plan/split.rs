//! What `--remat` plans where no plan keeps the cap with fused ops whole: fusions that are above it in parts, then every value stored.

use std::time::Instant;

use ballast_core::cap::CapSpec;
use ballast_core::graph::OpId;
use ballast_core::limits::Limits;
use ballast_core::stage::Stage;
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{self, RematOptions};
use ballast_dialects::remarks::Kind;
use ballast_planner::{Error, Planned};
use melior::ir::operation::{OperationLike as _, OperationRef};

use crate::annotations;
use crate::parts;
use crate::plan::attempt::Attempt;
use crate::program::{self, Program, Source, mebibytes, stage_on_one};

/// Share of the time limit for fused ops as a whole where one of them alone is above the cap, so that no plan can keep it.
const HOPELESS: f64 = 0.25;
/// The same where one of them alone takes more than half of the cap, so that it is open whether a plan can.
const DOUBTFUL: f64 = 0.5;
/// What is planned in parts, in eighths of the cap: fewer the later it is tried.
const IN_PARTS: [(u64, &str); 3] = [
    (parts::ROOM_FOR_ONE, "those above it in parts"),
    (4, "those above half of it in parts"),
    (2, "those above a quarter of it in parts"),
];
/// What a plan with such an op whole may take, of the time of every op once, before parts are tried all the same.
const SLOW: f64 = 1.05;
/// Least share of the time limit that is worth another plan.
const LEAST_REST: f64 = 0.05;

/// The limits for planning fused ops as a whole.
pub(super) fn limits_of_whole(
    program: &Program<'_, '_>,
    options: &RematOptions,
    planner: &ballast_planner::Options,
    is_pipeline: bool,
) -> Limits {
    let share = if is_pipeline { 1.0 } else { share_of_whole(program, options, planner.cap) };
    let limit = planner.limits.time_limit_seconds.map(|limit| share * limit);
    Limits { time_limit_seconds: limit, ..planner.limits }
}

/// The share of the time that planning fused ops as a whole is worth under a cap: all of it where parts would not help, or are not asked for.
fn share_of_whole(program: &Program<'_, '_>, options: &RematOptions, cap: CapSpec) -> f64 {
    let Some(stage) = only_stage(program).filter(|_| is_open(program, options)) else { return 1.0 };
    let cap = cap_of(&stage, program, cap);
    let rest = |bytes: u64| bytes.saturating_sub(stage.problem.resident_bytes);
    match rest(stage.problem.working_set().0) {
        _ if stage.problem.unplanned_peak() <= cap.0 => 1.0,
        alone if alone > rest(cap.0) => HOPELESS,
        alone if alone > rest(cap.0) / 2 => DOUBTFUL,
        _ => 1.0,
    }
}

/// Does nothing but the planner say which values are stored, of which some would not be? A partition over several devices counted them as it was told to. The
/// fusions of XLA's compiler for CPUs are those of one device, and a plan stores values inside of them.
fn is_open(program: &Program<'_, '_>, options: &RematOptions) -> bool {
    let is_on_one = program.cluster.devices.len() == 1;
    let is_undecided = is_on_one || annotations::read_plan(&program.imported).is_none();
    let is_left_open = match options.fusion {
        passes::FusionModel::Auto => true,
        passes::FusionModel::XlaCpu => is_on_one,
        _ => false,
    };
    is_left_open && !program.groups.is_empty() && is_undecided
}

/// The only stage of a program that has one device.
fn only_stage(program: &Program<'_, '_>) -> Option<Stage> {
    let Program { imported, costs, cluster, .. } = program;
    if cluster.devices.len() > 1 { None } else { stage_on_one(&imported.graph, costs, cluster) }
}

/// The cap of the only stage.
fn cap_of(stage: &Stage, program: &Program<'_, '_>, cap: CapSpec) -> Bytes {
    cap.bytes(Bytes(stage.problem.unplanned_peak()), program.cluster.devices[stage.device.0].memory)
}

/// Another way to store values.
struct Way {
    text: &'static str,
    fusion: passes::FusionModel,
    /// Ops that store their values besides those that do anyway.
    held: Vec<OpId>,
}

impl<'c: 'a, 'a> Attempt<'c, 'a> {
    /// The program planned with fused ops in parts, or with every value stored, where no plan keeps the cap with fused ops whole, or a slow one where one of
    /// them takes much of it, the option left the model open, and this keeps the cap, comes nearer, or is faster. What arguments and results take is counted as
    /// it was. Where nothing has a plan, what is refused is the way that needs least: a smallest cap is one of all ways.
    ///
    /// # Errors
    /// With the diagnostic that was emitted.
    pub(super) fn with_fused_ops_split(
        self,
        module: OperationRef<'c, 'a>,
        options: &RematOptions,
        mut planner: ballast_planner::Options,
        begin: Instant,
    ) -> Result<Self, Reported> {
        let is_settled = self.keeps_the_cap() && !self.is_slow_for_one_op(options, planner.cap);
        if is_settled || !is_open(&self.program, options) || self.planner.pipeline.is_some() {
            return Ok(self);
        }
        let mut cap = options.cap.clone();
        let results_apart = self.program.imported.graph.results_apart;
        let source =
            Source { measured_storage: &options.storage, results_apart, ..program::source!(options) };
        let mut ways = Vec::new();
        if let Some(stage) = only_stage(&self.program) {
            // The same bytes, though the unplanned peak counts more.
            let bytes = cap_of(&stage, &self.program, planner.cap);
            (planner.cap, cap) = (CapSpec::Absolute(bytes), bytes.0.to_string());
            ways = self.in_parts(module, &source, &stage, bytes)?;
        }
        if matches!(options.fusion, passes::FusionModel::Auto) {
            ways.push(Way {
                text: "every value stored",
                fusion: passes::FusionModel::Spread,
                held: Vec::new(),
            });
        }
        let limit = planner.limits.time_limit_seconds;
        let whole = self.figures();
        let (mut best, mut chosen) = (self, None);
        let mut all_proved = best.is_proved();
        for (number, way) in ways.iter().enumerate() {
            if let Some(seconds) = limit {
                let rest = seconds - begin.elapsed().as_secs_f64();
                // Where there is no plan at all, the last way is tried whatever the time: it is most likely to have one, at once.
                let is_needed = best.planned.is_err() && number + 1 == ways.len();
                if rest < LEAST_REST * seconds && !is_needed {
                    all_proved = false;
                    continue;
                }
                let left = (ways.len() - number) as f64;
                planner.limits.time_limit_seconds = Some(rest.max(LEAST_REST * seconds) / left);
            }
            // Finer parts may leave room that makes up for what they cost; every value stored is for caps that nothing else keeps.
            if best.keeps_the_cap() && way.held.is_empty() {
                break;
            }
            let storage = program::Chosen::Options(way.fusion, options.cap_counts, options.heap_gaps);
            let within = Some(planner.cap);
            let program =
                program::read_as_is(module, &Source { storage, within, held: &way.held, ..source })?;
            let start = best.start.with_other_storage(&program)?;
            let mut next = Attempt::make_from(start, module, program, options, (planner.clone(), None))?;
            next.cap.clone_from(&cap);
            all_proved &= next.is_proved();
            if next.is_better_than(&best) {
                (best, chosen) = (next, Some(way));
            } else if best.keeps_the_cap() {
                break;
            }
        }
        if let Some(way) = chosen {
            best.say(module, way, whole);
        }
        if let Err(Error::Infeasible { proved, .. }) = &mut best.planned {
            *proved = all_proved;
        }
        Ok(best)
    }

    /// With the fusions in parts that are above what the cap leaves on one device, or above less than that, where there are such.
    fn in_parts(
        &self,
        module: OperationRef<'c, 'a>,
        source: &Source<'_>,
        stage: &Stage,
        cap: Bytes,
    ) -> Result<Vec<Way>, Reported> {
        let Program { imported, groups, storage, .. } = &self.program;
        let on_one = vec![stage.device; imported.graph.ops.len()];
        let caps = [(cap, Bytes(stage.problem.resident_bytes))];
        let fused = (&imported.graph, &groups[..]);
        let mut ways: Vec<Way> = Vec::new();
        for (for_one, text) in IN_PARTS {
            let held = parts::for_caps(module, &program::options(source), fused, &on_one, (&caps, for_one))?;
            if !held.is_empty() && ways.last().is_none_or(|last| last.held != held) {
                ways.push(Way { text, fusion: storage.model(), held });
            }
        }
        Ok(ways)
    }

    /// Does an op that takes much of the cap by itself leave so little that the plan makes a lot again?
    fn is_slow_for_one_op(&self, options: &RematOptions, cap: CapSpec) -> bool {
        let is_slow = |planned: &Planned, stage: &Stage| {
            planned.plan.balance.tmax_seconds > SLOW * stage.problem.total_time()
        };
        let stage = only_stage(&self.program).zip(self.planned.as_ref().ok());
        share_of_whole(&self.program, options, cap) < 1.0
            && stage.is_some_and(|(stage, planned)| is_slow(planned, &stage))
    }

    fn keeps_the_cap(&self) -> bool {
        matches!(&self.planned, Ok(planned) if planned.relaxed.is_empty())
    }

    /// Is it proved that no plan keeps the cap?
    fn is_proved(&self) -> bool {
        matches!(self.planned, Err(Error::Infeasible { proved: true, .. }))
    }

    /// By caps raised, the bytes they were raised to, and the time of the slowest device; without plans, by the smallest cap not ruled out.
    fn is_better_than(&self, other: &Self) -> bool {
        let raised = |planned: &Planned| {
            let used = planned.relaxed.iter().map(|relaxed| relaxed.used.0).sum::<u64>();
            (planned.relaxed.len(), used, planned.plan.balance.tmax_seconds)
        };
        match (&self.planned, &other.planned) {
            (
                Err(Error::Infeasible { smallest: own, .. }),
                Err(Error::Infeasible { smallest: others, .. }),
            ) => own < others,
            (Err(_), _) => false,
            (Ok(_), Err(_)) => true,
            (Ok(own), Ok(others)) => raised(own) < raised(others),
        }
    }

    /// Time of the slowest device, seconds, and the largest cap raised, if one is.
    fn figures(&self) -> Option<(f64, Option<Bytes>)> {
        let planned = self.planned.as_ref().ok()?;
        let used = planned.relaxed.iter().map(|relaxed| relaxed.used).max();
        Some((planned.plan.balance.tmax_seconds, used))
    }

    /// Says how values are stored, and what the plan with fused ops whole takes, and under which cap.
    fn say(&mut self, module: OperationRef<'c, 'a>, way: &Way, whole: Option<(f64, Option<Bytes>)>) {
        let Ok(planned) = &mut self.planned else { return };
        let seconds = planned.plan.balance.tmax_seconds;
        let why = match whole {
            Some((_, None)) => "fused ops leave little room beside them whole",
            _ => "no plan keeps the cap with fused ops whole",
        };
        let text = format!("{why}: planned with {}", way.text);
        let mut note = text.clone();
        let to_be_had = match way.fusion {
            passes::FusionModel::XlaCpu => "",
            _ => ", to be had with `fusion=xla`",
        };
        let mut remark = self.program.remark(Kind::Passed, "FusionSplit", &text).fact("seconds", seconds);
        if let Some((before, used)) = whole {
            let cap = used.map_or_else(String::new, |used| format!(" and a cap of {}", mebibytes(used)));
            note += &format!(", {seconds:.3e} s; whole it takes {before:.3e} s{cap}{to_be_had}");
            remark = remark.fact("seconds_whole", before);
            if let Some(used) = used {
                remark = remark.fact("cap_whole", used.0);
            }
        }
        planned.plan.notes.push(note);
        remark.emit(module.location());
    }
}
