//! What `--remat` plans where no plan keeps the cap with fused ops whole: fusions that are above it in parts, then every value stored, or no more room for gaps of
//! XLA's heap than the values of the plan have where it places them.
//!
//! Which ways are worth trying, for how long and which plan is taken is for [`ballast_planner::ways`] to say. Here are the ways: a program is read from the IR anew for
//! each, with other ops that store their values.

use ballast_core::cap::CapSpec;
use ballast_core::graph::OpId;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::stage::Stage;
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{self, RematOptions};
use ballast_planner::ways::{self, Standing};
use melior::ir::operation::OperationRef;

use crate::annotations;
use crate::parts;
use crate::plan::attempt::{Attempt, Figures, Told};
use crate::program::{self, Program, Source};

/// What is planned in parts, in eighths of the cap: fewer the later it is tried.
const IN_PARTS: [(u64, &str); 3] = [
    (parts::ROOM_FOR_ONE, "those above it in parts"),
    (4, "those above half of it in parts"),
    (2, "those above a quarter of it in parts"),
];

/// Share of the time for fused ops as a whole with room for gaps of the heap, where more than the cap is needed without a plan.
const WITH_ROOM: f64 = 0.6;

/// The limits for planning fused ops as a whole.
pub(super) fn limits_of_whole(
    program: &Program<'_, '_>,
    options: &RematOptions,
    planner: &ballast_planner::Options,
    is_pipeline: bool,
) -> Limits {
    let share = if is_pipeline { 1.0 } else { share_of_whole(program, options, planner.cap) };
    let share = if !is_pipeline && may_do_without_room(program) && is_over(program, planner.cap) {
        share.min(WITH_ROOM)
    } else {
        share
    };
    let limit = planner.limits.time_limit_seconds.map(|limit| share * limit);
    Limits { time_limit_seconds: limit, ..planner.limits }
}

/// The share of the time that planning fused ops as a whole is worth under a cap: all of it where parts are not asked for.
fn share_of_whole(program: &Program<'_, '_>, options: &RematOptions, cap: CapSpec) -> f64 {
    let stage = program.only_stage().filter(|_| is_open(program, options));
    stage.map_or(1.0, |stage| ways::share_of_whole(&stage, cap_of(&stage, program, cap)))
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

/// Is room counted for gaps of the heap of the only device, which need not be there?
fn may_do_without_room(program: &Program<'_, '_>) -> bool {
    program.cluster.devices.len() == 1
        && program.storage.model() == passes::FusionModel::XlaCpu
        && program.storage.leaves_room()
}

/// Does the only stage need more than its cap without a plan?
fn is_over(program: &Program<'_, '_>, cap: CapSpec) -> bool {
    let stage = program.only_stage();
    stage.is_some_and(|stage| stage.problem.unplanned_peak() > cap_of(&stage, program, cap).0)
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
    gaps: passes::HeapGaps,
    /// Is it for caps that nothing else keeps?
    is_last_resort: bool,
}

impl Way {
    /// What is said where it is taken, of a program that came to these figures with fused ops whole.
    fn told(&self, figures: Option<Figures>) -> Told {
        if self.gaps == passes::HeapGaps::Placed {
            return Told {
                name: "HeapPlaced",
                text: format!(
                    "no plan was found that keeps the cap with room for gaps between buffers in XLA's heap: planned without, {}",
                    self.text
                ),
                other: "with_room",
                figures,
                to_be_had: "",
            };
        }
        let why = match figures {
            Some(Figures { raised: None, .. }) => "fused ops leave little room beside them whole",
            _ => "no plan keeps the cap with fused ops whole",
        };
        let to_be_had = match self.fusion {
            passes::FusionModel::XlaCpu => "",
            _ => ", to be had with `fusion=xla`",
        };
        Told {
            name: "FusionSplit",
            text: format!("{why}: planned with {}", self.text),
            other: "whole",
            figures,
            to_be_had,
        }
    }
}

impl<'c: 'a, 'a> Attempt<'c, 'a> {
    /// The program planned with fused ops in parts, or with every value stored, where no plan keeps the cap with fused ops whole, or a slow one where one of
    /// them takes much of it, the option left the model open, and this keeps the cap, comes nearer, or is faster; last of all without the room for gaps of the heap that
    /// a plan need not have. What arguments and results take is counted as it was. Where nothing has a plan, what is refused is the way that needs least: a smallest cap is one of all ways.
    ///
    /// # Errors
    /// With the diagnostic that was emitted.
    pub(super) fn with_fused_ops_split(
        self,
        module: OperationRef<'c, 'a>,
        options: &RematOptions,
        mut planner: ballast_planner::Options,
        deadline: &Deadline,
    ) -> Result<Self, Reported> {
        let is_settled =
            Standing::of(&self.planned).keeps_the_caps() && !self.is_slow_for_one_op(options, planner.cap);
        let is_open = is_open(&self.program, options);
        let may_do_without_room = may_do_without_room(&self.program);
        if is_settled || !(is_open || may_do_without_room) || self.planner.pipeline.is_some() {
            return Ok(self);
        }
        let mut cap = options.cap.clone();
        let results_apart = self.program.imported.graph.results_apart;
        let source =
            Source { measured_storage: &options.storage, results_apart, ..program::source!(options) };
        let mut others = Vec::new();
        if let Some(stage) = self.program.only_stage() {
            // The same bytes, though the unplanned peak counts more.
            let bytes = cap_of(&stage, &self.program, planner.cap);
            (planner.cap, cap) = (CapSpec::Absolute(bytes), bytes.0.to_string());
            if is_open {
                others = self.in_parts(module, &source, &stage, bytes)?;
            }
        }
        if is_open && matches!(options.fusion, passes::FusionModel::Auto) {
            others.push(Way {
                text: "every value stored",
                fusion: passes::FusionModel::Spread,
                held: Vec::new(),
                gaps: options.heap_gaps,
                is_last_resort: true,
            });
        }
        if may_do_without_room {
            others.push(Way {
                text: "for values where that heap is known to place them",
                fusion: self.program.storage.model(),
                held: Vec::new(),
                gaps: passes::HeapGaps::Placed,
                is_last_resort: true,
            });
        }
        let figures = self.figures();
        let mut least = self.least();
        let is_last_resort: Vec<bool> = others.iter().map(|way| way.is_last_resort).collect();
        let time = (&planner.limits, deadline);
        let ways::Best { attempt: mut best, way, all_proved } = ways::best_of_ways(
            self,
            &is_last_resort,
            time,
            |attempt| Standing::of(&attempt.planned),
            |number, best, limits| {
                let way = &others[number];
                let storage = program::Chosen::Options(way.fusion, options.cap_counts, way.gaps);
                let within = Some(planner.cap);
                // Without more room, of the parts that came nearest.
                let held =
                    if way.gaps == options.heap_gaps { &way.held } else { best.program.storage.held() };
                let program = program::read_as_is(module, &Source { storage, within, held, ..source })?;
                let start = best.start.with_other_storage(&program)?;
                let planner = ballast_planner::Options { limits, ..planner.clone() };
                let mut next = Attempt::make_from(start, module, program, options, (planner, None))?;
                next.cap.clone_from(&cap);
                least = least.min(next.least());
                Ok(next)
            },
        )?;
        best.tried(least, all_proved);
        if let Some(way) = way.map(|number| &others[number]) {
            best.told.push(way.told(figures));
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
                let (fusion, gaps) = (storage.model(), storage.gaps());
                ways.push(Way { text, fusion, held, gaps, is_last_resort: false });
            }
        }
        Ok(ways)
    }

    /// Does an op that takes much of the cap by itself leave so little that the plan makes a lot again?
    fn is_slow_for_one_op(&self, options: &RematOptions, cap: CapSpec) -> bool {
        let stage = self.program.only_stage().filter(|_| is_open(&self.program, options));
        stage.zip(self.planned.as_ref().ok()).is_some_and(|(stage, planned)| {
            ways::is_slow_for_one_op(planned, &stage, cap_of(&stage, &self.program, cap))
        })
    }
}
