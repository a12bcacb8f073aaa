//! Remarks on single values: why one is recomputed or swapped, why the largest are not, and which op binds a stage's peak.

use ballast_core::explain::{Fate, Verdict};
use ballast_core::memory::NodeId;
use ballast_core::stage::NodeSource;
use ballast_dialects::remarks::Kind;
use ballast_report::Facts;
use melior::ir::operation::OperationLike;

use crate::program::Program;

/// The largest values kept on a stage that get a remark.
const MOST_KEPT: usize = 20;

/// Emits them.
pub(crate) fn emit(program: &Program<'_, '_>, facts: &Facts<'_>) {
    for facts in &facts.stages {
        let (stage, entry, explained) = (&facts.stage, facts.entry, &facts.explained);
        let cap = entry.cap_bytes;
        let problem = &stage.problem;
        let swap = entry.memory.as_ref().and_then(|memory| memory.swap);
        let name = |node: NodeId| {
            let place = &program.imported.graph.ops[stage.sources[node].op()].location;
            let label = &problem.nodes[node].label;
            if place.is_empty() { label.clone() } else { format!("{label} ({place})") }
        };
        let location = |node: NodeId| program.imported.ops[stage.sources[node].op()].location();
        if let Some(peak) = explained.peak {
            let event = explained.events[peak];
            program
                .remark(
                    Kind::Analysis,
                    &format!("Peak{}", stage.device),
                    "its memory is the peak of its device",
                )
                .fact("bytes", explained.peak_bytes)
                .fact("cap", cap)
                .emit(location(event.node));
        }
        let bytes = |verdict: &Verdict| problem.nodes[verdict.node].bytes;
        let own = |verdict: &&Verdict| matches!(stage.sources[verdict.node], NodeSource::Op(_));
        for verdict in explained.verdicts.iter().filter(own).filter(|verdict| verdict.fate != Fate::Kept) {
            let (kind, text) = match verdict.fate {
                Fate::Swapped => ("Swap", "kept in host memory between uses"),
                _ => ("Recompute", "dropped after use and computed again"),
            };
            program
                .remark(Kind::Passed, kind, text)
                .fact("bytes", bytes(verdict))
                .fact("seconds", verdict.seconds)
                .fact("times", verdict.times)
                .fact("why", explained.reason(verdict, problem, cap, &name))
                .fact("change", explained.change(verdict, problem, cap, swap.as_ref(), &name))
                .emit(location(verdict.node));
        }
        let mut kept: Vec<&Verdict> = explained
            .verdicts
            .iter()
            .filter(own)
            .filter(|verdict| verdict.fate == Fate::Kept && bytes(verdict) > 0)
            .collect();
        // What idles could have been dropped; what never does comes after it.
        kept.sort_by_key(|verdict| (verdict.stretch.is_none(), std::cmp::Reverse(bytes(verdict))));
        for verdict in kept.into_iter().take(MOST_KEPT) {
            program
                .remark(Kind::Missed, "Kept", "kept until its last use")
                .fact("bytes", bytes(verdict))
                .fact("why", explained.reason(verdict, problem, cap, &name))
                .fact("change", explained.change(verdict, problem, cap, swap.as_ref(), &name))
                .emit(location(verdict.node));
        }
    }
}
