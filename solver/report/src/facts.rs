//! The stages of a plan replayed from its file: what reports draw and explanations say. Figures that differ from those written in the
//! file are refused.

use std::collections::BTreeMap;

use ballast_core::arena;
use ballast_core::explain::{Beside, Explained, Fate, Verdict, explain};
use ballast_core::graph::OpId;
use ballast_core::memory::{CompactPlan, EventKind, LiveInterval, NodeId, expand, live_intervals};
use ballast_core::plan::{OpPlan, Plan, StagePlan, compact_plans};
use ballast_core::planned_pipeline::PlannedPipeline;
use ballast_core::planned_stages::stages_of;
use ballast_core::simulate::{StageScore, judge_stage};
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::units::Bytes;

use crate::figures::{self, TIMES_AGREE};

/// A plan, replayed.
pub struct Facts<'p> {
    /// Entry of every planned op.
    pub entries: BTreeMap<OpId, &'p OpPlan>,
    /// One entry per stage.
    pub stages: Vec<StageFacts<'p>>,
    /// Is each a stage of a pipeline, of whose micro-batches several are there at a time?
    pub is_pipeline: bool,
}

/// A stage, replayed.
pub struct StageFacts<'p> {
    /// The stage.
    pub stage: Stage,
    /// Its entry in the plan.
    pub entry: &'p StagePlan,
    /// Bytes that what runs may hold: the cap, less what a pipeline holds there beside it.
    pub room: u64,
    /// The plan, judged.
    pub compact: CompactPlan,
    /// Runs and copies, and what happens to every value.
    pub explained: Explained,
    /// Place of every event on the axis of the op sequence: a first run at its position, what happens before it between the two.
    pub places: Vec<f64>,
    /// When every value is on the device, in indices of events: from the first to, not including, the second.
    pub stays: Vec<(NodeId, bool, usize, usize)>,
    /// Bytes without a plan, by position in program order.
    pub before: Vec<u64>,
}

impl<'p> Facts<'p> {
    /// Replays every stage of a plan.
    ///
    /// # Errors
    /// A plan that does not hold its stages, that the judge refuses, or whose figures are not those of the replay.
    pub fn of(plan: &'p Plan) -> Result<Self, String> {
        figures::check(plan)?;
        let stages = stages_of(plan)?;
        let compact = compact_plans(&stages, &plan.ops).map_err(|error| error.to_string())?;
        let mut scores = Vec::with_capacity(stages.len());
        for ((stage, compact), entry) in stages.iter().zip(&compact).zip(&plan.stages) {
            scores.push(judged(stage, compact, entry).map_err(refused(stage))?);
        }
        figures::together(plan, &stages, &compact, &scores)?;
        let pipeline = PlannedPipeline::of(plan, &stages, &compact)?;
        let mut facts = Vec::with_capacity(stages.len());
        for (index, ((stage, compact), entry)) in
            stages.into_iter().zip(&compact).zip(&plan.stages).enumerate()
        {
            let beside = |pipeline: &PlannedPipeline<'_>| {
                pipeline.need_bytes(index).saturating_sub(entry.score.peak_bytes)
            };
            let others = pipeline.as_ref().map_or(0, beside);
            let need = |node, position| pipeline.as_ref()?.need_if_kept(index, node, position);
            let beside = pipeline.as_ref().map(|pipeline| Beside {
                bytes: others,
                last_forward: pipeline.last_forward(index),
                micro_batches: pipeline.micro_batches(index),
                need_if_kept: &need,
            });
            let refused = refused(&stage);
            let room = entry.cap_bytes.saturating_sub(others);
            facts.push(StageFacts::of(stage, compact, entry, room, beside).map_err(refused)?);
        }
        let entries = plan.ops.iter().map(|entry| (entry.op, entry)).collect();
        Ok(Facts { entries, stages: facts, is_pipeline: pipeline.is_some() })
    }

    /// The entry of the op behind a node.
    pub fn entry(&self, stage: &StageFacts<'_>, node: NodeId) -> Option<&'p OpPlan> {
        self.entries.get(&stage.stage.sources[node].op()).copied()
    }

    /// What a node is called: its op, with its number in program order, since names repeat.
    pub fn name(&self, stage: &StageFacts<'_>, node: NodeId) -> String {
        let op = stage.stage.sources[node].op();
        format!("{} #{op}", stage.stage.problem.nodes[node].label)
    }

    /// Why a value is where it is, and what would change that.
    pub fn words(&self, stage: &StageFacts<'_>, verdict: &Verdict) -> (String, String) {
        let cap = stage.entry.cap_bytes;
        let swap = stage.entry.memory.as_ref().and_then(|memory| memory.swap);
        let name = |node| self.name(stage, node);
        let (explained, problem) = (&stage.explained, &stage.stage.problem);
        (
            explained.reason(verdict, problem, cap, &name),
            explained.change(verdict, problem, cap, swap.as_ref(), &name),
        )
    }
}

/// What a refusal says before its reason.
fn refused(stage: &Stage) -> impl Fn(String) -> String + use<> {
    let device = stage.device;
    move |reason| format!("the plan of device {device} is refused: {reason}")
}

/// The score of a stage, which must be the one written.
fn judged(stage: &Stage, compact: &CompactPlan, entry: &StagePlan) -> Result<StageScore, String> {
    let swap = entry.memory.as_ref().and_then(|memory| memory.swap);
    let (score, _) = judge_stage(stage, compact, swap.as_ref(), Some(Bytes(entry.cap_bytes)))
        .map_err(|error| error.to_string())?;
    agree(&score, &entry.score)?;
    Ok(score)
}

impl<'p> StageFacts<'p> {
    /// Replays a judged stage, its arena included.
    fn of(
        stage: Stage,
        compact: &CompactPlan,
        entry: &'p StagePlan,
        room: u64,
        beside: Option<Beside<'_>>,
    ) -> Result<Self, String> {
        let swap = entry.memory.as_ref().and_then(|memory| memory.swap);
        let (swap, cap) = (swap.as_ref(), Some(entry.cap_bytes));
        let schedule = expand(&stage.problem, compact).map_err(|error| error.to_string())?;
        let explained =
            explain(&stage.problem, &schedule, swap, cap, beside).map_err(|error| error.to_string())?;
        let all = live_intervals(&stage.problem, &schedule, swap, cap).map_err(|error| error.to_string())?;
        if let Some(arena) = &entry.arena {
            arena::check(arena, &stage.problem, &all, |node| stage.sources[node].op())?;
            let held = stage.problem.resident_bytes.saturating_add(arena.arena_bytes);
            if held > entry.cap_bytes {
                return Err(format!(
                    "its arena and what is resident take {held} bytes, above its cap of {}",
                    entry.cap_bytes
                ));
            }
        }
        Ok(StageFacts {
            places: places(&explained),
            stays: in_events(&explained, &all),
            before: stage.problem.unplanned_profile(),
            room,
            stage,
            entry,
            compact: compact.clone(),
            explained,
        })
    }
}

impl StageFacts<'_> {
    /// The verdicts of one fate, the largest value first; ties in program order.
    pub fn of_fate(&self, fate: Fate) -> Vec<&Verdict> {
        let bytes = |verdict: &Verdict| self.stage.problem.nodes[verdict.node].bytes;
        let mut found: Vec<&Verdict> = self
            .explained
            .verdicts
            .iter()
            .filter(|verdict| verdict.fate == fate && bytes(verdict) > 0)
            .collect();
        found.sort_by_key(|verdict| std::cmp::Reverse(bytes(verdict)));
        found
    }

    /// Is it the value of another device?
    pub fn is_receive(&self, node: NodeId) -> bool {
        matches!(self.stage.sources[node], NodeSource::Receive(_))
    }

    /// What lies on the device at an event, the largest first: node, whether it is workspace, first and last event of the stay.
    pub fn residents(&self, event: usize) -> Vec<(NodeId, bool, usize, usize)> {
        let mut here: Vec<_> = self
            .stays
            .iter()
            .copied()
            .filter(|&(node, workspace, from, to)| {
                from <= event && event < to && self.size(node, workspace) > 0
            })
            .collect();
        here.sort_by_key(|&(node, workspace, ..)| (std::cmp::Reverse(self.size(node, workspace)), node));
        here
    }

    /// Bytes of a value, or of a node's workspace.
    pub fn size(&self, node: NodeId, workspace: bool) -> u64 {
        let node = &self.stage.problem.nodes[node];
        if workspace { node.workspace_bytes } else { node.bytes }
    }
}

/// Is what the replay found what the file says?
fn agree(found: &StageScore, written: &StageScore) -> Result<(), String> {
    let bytes = [
        ("peak_bytes", found.peak_bytes, written.peak_bytes),
        ("unplanned_peak_bytes", found.unplanned_peak_bytes, written.unplanned_peak_bytes),
        ("host_peak_bytes", found.host_peak_bytes, written.host_peak_bytes),
        ("swap_bytes", found.swap_bytes, written.swap_bytes),
        ("recomputes", found.recomputes as u64, written.recomputes as u64),
        ("ops", found.ops as u64, written.ops as u64),
    ];
    if let Some((what, found, written)) = bytes.into_iter().find(|(_, found, written)| found != written) {
        return Err(format!("its {what} is {found}, and the file says {written}"));
    }
    let seconds = [
        ("compute_seconds", found.compute_seconds, written.compute_seconds),
        ("receive_seconds", found.receive_seconds, written.receive_seconds),
        ("send_seconds", found.send_seconds, written.send_seconds),
        ("seconds", found.seconds, written.seconds),
        ("recompute_seconds", found.recompute_seconds, written.recompute_seconds),
        ("exposed_swap_seconds", found.exposed_swap_seconds, written.exposed_swap_seconds),
    ];
    let far =
        |(_, found, written): &(_, f64, f64)| (found - written).abs() > TIMES_AGREE * written.abs().max(1e-3);
    match seconds.into_iter().find(far) {
        Some((what, found, written)) => Err(format!("its {what} is {found}, and the file says {written}")),
        None => Ok(()),
    }
}

fn places(explained: &Explained) -> Vec<f64> {
    let mut places = vec![0.0; explained.events.len()];
    let mut position = 0;
    let mut waiting: Vec<usize> = Vec::new();
    let settle = |waiting: &mut Vec<usize>, places: &mut Vec<f64>, position: usize| {
        let parts = (waiting.len() + 1) as f64;
        for (at, event) in waiting.drain(..).enumerate() {
            places[event] = position as f64 - 1.0 + (at + 1) as f64 / parts;
        }
    };
    for (index, event) in explained.events.iter().enumerate() {
        match event.kind {
            EventKind::Run => {
                settle(&mut waiting, &mut places, position);
                places[index] = position as f64;
                position += 1;
            }
            EventKind::Again | EventKind::In | EventKind::Out => waiting.push(index),
        }
    }
    settle(&mut waiting, &mut places, position);
    places
}

/// Stays by event instead of by step.
fn in_events(explained: &Explained, stays: &[LiveInterval]) -> Vec<(NodeId, bool, usize, usize)> {
    let event_at = |step: usize| explained.events.partition_point(|event| event.step < step);
    stays.iter().map(|stay| (stay.node, stay.workspace, event_at(stay.from), event_at(stay.to))).collect()
}
