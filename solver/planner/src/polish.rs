//! More time for the stages that decide how good a plan is.
//!
//! Rounds plan all stages alike. What the whole is worth hangs on those whose caps were raised and on the slowest: they are planned again from
//! their plans, and a better one takes the place of the old. Nothing gets worse by that.

use ballast_core::limits::Deadline;
use ballast_core::memory::NodeId;
use ballast_core::program::Program;
use ballast_core::simulate::{balance, orders_can_run};
use ballast_core::units::Bytes;
use ballast_partition::missed;

use crate::Options;
use crate::rank::rank_of;
use crate::round::Round;
use crate::stages::{StageOutcome, plan_some};

/// Stages whose time is at least this share of the slowest one's are planned again.
const SLOW: f64 = 0.95;

/// Share of a stage's time that memory must have added to it.
const WORTH_IT: f64 = 1e-3;

/// Times that stages are chosen, and the share of the time left that each but the last takes.
const TIMES: usize = 3;
const SHARE: f64 = 0.5;

/// At most so much of the time spent before.
const OF_BEFORE: f64 = 1.0;

/// Seconds below which no search comes to anything.
const LEAST_SECONDS: f64 = 0.01;

/// Plans the stages that decide again while there is time; nothing without a limit of time.
pub(crate) fn polish(
    program: &Program<'_>,
    best: &mut Round,
    caps: &[Bytes],
    options: &Options,
    deadline: &Deadline,
) {
    if options.limits.time_limit_seconds.is_none() || best.stages.len() < 2 {
        return;
    }
    let seconds = deadline.remaining_seconds().min(OF_BEFORE * deadline.elapsed_seconds());
    let deadline = deadline.within(seconds);
    for time in 0..TIMES {
        let chosen = decisive(best);
        if chosen.is_empty() || deadline.remaining_seconds() < LEAST_SECONDS {
            return;
        }
        let share = if time + 1 < TIMES { SHARE } else { 1.0 };
        let clock = deadline.within(deadline.remaining_seconds() * share);
        let starts: Vec<_> = best.outcomes.iter().map(|outcome| vec![outcome.plan.clone()]).collect();
        let starts = (caps, &starts[..]);
        let (graph, cluster) = (program.graph, program.cluster);
        let again = plan_some(graph, &best.stages, starts, &chosen, cluster, options, &clock);
        let found: Vec<(usize, StageOutcome)> = chosen
            .into_iter()
            .zip(again)
            .filter_map(|(index, outcome)| Some((index, outcome.ok()?)))
            .filter(|(index, outcome)| rank(outcome) < rank(&best.outcomes[*index]))
            .collect();
        if !take(best, &found) {
            found.iter().for_each(|one| {
                take(best, std::slice::from_ref(one));
            });
        }
    }
}

/// Steps, of those by which a cap without a plan is raised, that one raised already is raised by beyond that.
const STEPS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
/// Times that is done.
const MOST_LOOSENED: usize = 4;
/// Share of the time left that one of these plans may take.
const LOOSENING: f64 = 0.3;

/// Raises caps that are raised anyway further while the slowest stage gains more by it than that counts for where placements are searched for: with the least
/// memory that it can do with, a stage may take several times as long as with a little more.
pub(crate) fn loosen(program: &Program<'_>, best: &mut Round, options: &Options, deadline: &Deadline) {
    if best.stages.len() < 2 {
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

/// Puts plans in the place of those of their stages, where that makes the whole no worse.
fn take(best: &mut Round, found: &[(usize, StageOutcome)]) -> bool {
    let mut outcomes = best.outcomes.clone();
    for (index, outcome) in found {
        outcomes[*index] = outcome.clone();
    }
    let orders: Vec<Option<&[NodeId]>> = outcomes.iter().map(|o| o.plan.order.as_deref()).collect();
    if rank_of(&outcomes) > rank_of(&best.outcomes) || !orders_can_run(&best.stages, &orders) {
        return false;
    }
    let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
    (best.balance, best.outcomes) = (balance(&scores), outcomes);
    true
}

/// Smaller is better: is the cap kept, seconds, and bytes.
fn rank(outcome: &StageOutcome) -> (bool, f64, u64) {
    (outcome.relaxed(), outcome.score.seconds, outcome.cap.0)
}

/// The stages that may be better: those whose caps were raised and need not be, as far as is known, and the slowest ones.
fn decisive(round: &Round) -> Vec<usize> {
    let slow = SLOW * round.balance.tmax_seconds;
    let decides = |&index: &usize| {
        let (stage, outcome) = (&round.stages[index], &round.outcomes[index]);
        let open = outcome.relaxed() && stage.problem.working_set().0 <= outcome.requested_cap.0;
        let lost = outcome.score.seconds > stage.load_seconds() * (1.0 + WORTH_IT);
        open || outcome.score.seconds >= slow && lost && !outcome.report.proved()
    };
    (0..round.stages.len()).filter(decides).collect()
}
