//! Caps that are raised anyway, raised as far as it pays.
//!
//! The memory planner raises a cap without a plan to the first step that has one. With so little memory a stage may take several times as long as with a little more, and
//! where it is the slowest of several all wait for it.

use ballast_core::limits::Deadline;
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::missed;

use crate::Options;
use crate::polish::{WORTH_IT, take};
use crate::round::Round;
use crate::stages::{StageOutcome, plan_some};

/// Steps, of those by which a cap without a plan is raised, that one raised already is raised by beyond that.
const STEPS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
/// Times that is done.
const MOST_LOOSENED: usize = 4;
/// Share of the time left that one of these plans may take.
const LOOSENING: f64 = 0.3;

/// Raises caps that are raised anyway further while the slowest stage gains more by it than that counts for where placements are searched for: with the least
/// memory that it can do with, a stage may take several times as long as with a little more.
pub(crate) fn loosen(program: &Program<'_>, best: &mut Round, options: &Options, deadline: &Deadline) {
    if best.stages.len() < 2 || !best.refused.is_empty() {
        return;
    }
    for _ in 0..MOST_LOOSENED {
        let slowest = (0..best.stages.len())
            .max_by(|&a, &b| best.outcomes[a].score.seconds.total_cmp(&best.outcomes[b].score.seconds));
        let Some(index) = slowest.filter(|&index| best.outcomes[index].relaxed()) else { return };
        let (stage, outcome) = (&best.stages[index], best.outcomes[index].clone());
        if outcome.score.seconds <= stage.load_seconds() * (1.0 + WORTH_IT) {
            return;
        }
        let requested = outcome.requested_cap.as_f64();
        let most = Bytes((requested * options.relax_limit) as u64).min(Bytes(stage.problem.unplanned_peak()));
        let starts = vec![vec![outcome.plan.clone()]; best.stages.len()];
        let worth = |round: &Round| {
            let over = round.outcomes[index].cap.as_f64() / requested - 1.0;
            round.balance.tmax_seconds * missed(over)
        };
        let mut better: Option<Round> = None;
        for steps in STEPS {
            let cap = Bytes(outcome.cap.0.saturating_add((steps * options.relax_step * requested) as u64));
            if cap > most || deadline.over() {
                break;
            }
            let mut caps: Vec<Bytes> = best.outcomes.iter().map(|outcome| outcome.requested_cap).collect();
            caps[index] = cap;
            let turn = deadline.within(deadline.remaining_seconds() * LOOSENING);
            let (graph, cluster) = (program.graph, program.cluster);
            let planned = plan_some(graph, &best.stages, (&caps, &starts), &[index], cluster, options, &turn);
            let Some(Ok(found)) = planned.into_iter().next() else { continue };
            let StageOutcome { requested_cap, smallest_cap, binding, .. } = outcome;
            let mut round = best.clone();
            let found = StageOutcome { requested_cap, smallest_cap, binding, ..found };
            if take(&mut round, &[(index, found)]) && worth(&round) < worth(better.as_ref().unwrap_or(best)) {
                better = Some(round);
            }
        }
        match better {
            Some(round) => *best = round,
            None => return,
        }
    }
}
