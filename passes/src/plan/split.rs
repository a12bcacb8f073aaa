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
use ballast_planner::Planned;
use melior::ir::operation::{OperationLike as _, OperationRef};

use crate::annotations;
use crate::parts;
use crate::plan::attempt::Attempt;
use crate::program::{self, Program, Source, mebibytes, stage_on_one};

/// Share of the time limit for fused ops as a whole where one of them alone is above the cap, so that no plan can keep it.
const HOPELESS: f64 = 0.25;
/// Least share of the time limit that is worth another plan.
const LEAST_REST: f64 = 0.05;

/// The limits for planning fused ops as a whole.
pub(super) fn limits_of_whole(
    program: &Program<'_, '_>,
    options: &RematOptions,
    planner: &ballast_planner::Options,
    is_pipeline: bool,
) -> Limits {
    let is_hopeless = !is_pipeline
        && is_open(program, options)
        && only_stage(program)
            .is_some_and(|stage| stage.problem.working_set().0 > cap_of(&stage, program, planner.cap).0);
    let share = |limit: f64| if is_hopeless { HOPELESS * limit } else { limit };
    Limits { time_limit_seconds: planner.limits.time_limit_seconds.map(share), ..planner.limits }
}

/// Does nothing but the planner say which values are stored, of which some would not be? A partition over several devices counted them as it was told to.
fn is_open(program: &Program<'_, '_>, options: &RematOptions) -> bool {
    let is_undecided =
        program.cluster.devices.len() == 1 || annotations::read_plan(&program.imported).is_none();
    matches!(options.fusion, passes::FusionModel::Auto) && !program.groups.is_empty() && is_undecided
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
    /// The program planned with fused ops in parts, or with every value stored, where no plan keeps the cap with fused ops whole, the option left
    /// the model open, and this keeps the cap or comes nearer. What arguments and results take is counted as it was.
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
        if self.keeps_the_cap() || !is_open(&self.program, options) || self.planner.pipeline.is_some() {
            return Ok(self);
        }
        let mut cap = options.cap.clone();
        let source = Source { measured_storage: &options.storage, ..program::source!(options) };
        let mut ways = Vec::new();
        if let Some(stage) = only_stage(&self.program) {
            // The same bytes, though the unplanned peak counts more.
            let bytes = cap_of(&stage, &self.program, planner.cap);
            (planner.cap, cap) = (CapSpec::Absolute(bytes), bytes.0.to_string());
            ways.extend(self.in_parts(module, &source, &stage, bytes)?);
        }
        let text = "no plan keeps the cap with fused ops whole: planned with every value stored";
        ways.push(Way { text, fusion: passes::FusionModel::Spread, held: Vec::new() });
        let limit = planner.limits.time_limit_seconds;
        let whole = self.figures();
        let (mut best, mut chosen, mut left) = (self, None, ways.len() as f64);
        for way in &ways {
            if let Some(seconds) = limit {
                let rest = seconds - begin.elapsed().as_secs_f64();
                if rest < LEAST_REST * seconds {
                    break;
                }
                planner.limits.time_limit_seconds = Some(rest / left);
            }
            left -= 1.0;
            let storage = program::Chosen::Options(way.fusion, options.cap_counts, options.heap_gaps);
            let program = program::read_as_is(module, &Source { storage, held: &way.held, ..source })?;
            let start = best.start.with_other_storage(&program)?;
            let mut next = Attempt::make_from(start, module, program, options, (planner.clone(), None))?;
            next.cap.clone_from(&cap);
            if next.is_nearer_than(&best) {
                (best, chosen) = (next, Some(way));
            }
            if best.keeps_the_cap() {
                break;
            }
        }
        if let Some(way) = chosen {
            best.say(module, way, whole);
        }
        Ok(best)
    }

    /// With the fusions in parts that are above what the cap leaves on one device, if there are such.
    fn in_parts(
        &self,
        module: OperationRef<'c, 'a>,
        source: &Source<'_>,
        stage: &Stage,
        cap: Bytes,
    ) -> Result<Option<Way>, Reported> {
        let Program { imported, groups, storage, .. } = &self.program;
        let on_one = vec![stage.device; imported.graph.ops.len()];
        let caps = [(cap, Bytes(stage.problem.resident_bytes))];
        let fused = (&imported.graph, &groups[..]);
        let held = parts::for_caps(module, &program::options(source), fused, &on_one, &caps)?;
        let text = "no plan keeps the cap with fused ops whole: planned with those above it in parts";
        Ok((!held.is_empty()).then(|| Way { text, fusion: storage.model(), held }))
    }

    fn keeps_the_cap(&self) -> bool {
        matches!(&self.planned, Ok(planned) if planned.relaxed.is_empty())
    }

    /// Caps raised, and the bytes they were raised to.
    fn is_nearer_than(&self, other: &Self) -> bool {
        let raised = |planned: &Planned| {
            let used = planned.relaxed.iter().map(|relaxed| relaxed.used.0).sum::<u64>();
            (planned.relaxed.len(), used)
        };
        match (&self.planned, &other.planned) {
            (Err(_), _) => false,
            (Ok(_), Err(_)) => true,
            (Ok(own), Ok(others)) => raised(own) < raised(others),
        }
    }

    /// Time of the slowest device, seconds, and the largest cap used.
    fn figures(&self) -> Option<(f64, Bytes)> {
        let planned = self.planned.as_ref().ok()?;
        let used = planned.relaxed.iter().map(|relaxed| relaxed.used).max()?;
        Some((planned.plan.balance.tmax_seconds, used))
    }

    /// Says how values are stored, and what the plan with fused ops whole, and a raised cap, takes.
    fn say(&mut self, module: OperationRef<'c, 'a>, way: &Way, whole: Option<(f64, Bytes)>) {
        let Ok(planned) = &mut self.planned else { return };
        let seconds = planned.plan.balance.tmax_seconds;
        let mut note = way.text.to_owned();
        if let Some((before, used)) = whole {
            note += &format!(
                ", {seconds:.3e} s; whole it takes {before:.3e} s and a cap of {}, to be had with `fusion=xla`",
                mebibytes(used)
            );
        }
        planned.plan.notes.push(note);
        let mut remark = self.program.remark(Kind::Passed, "FusionSplit", way.text).fact("seconds", seconds);
        if let Some((before, used)) = whole {
            remark = remark.fact("seconds_whole", before).fact("cap_whole", used.0);
        }
        remark.emit(module.location());
    }
}
