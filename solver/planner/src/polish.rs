//! More time for the stages that decide how good a plan is.
//!
//! Rounds plan all stages alike. What the whole is worth hangs on those whose caps were raised and on the slowest: they are planned again from
//! their plans, and a better one takes the place of the old. Nothing gets worse by that.

use ballast_core::limits::Deadline;
use ballast_core::memory::NodeId;
use ballast_core::program::Program;
use ballast_core::simulate::{balance, orders_can_run};
use ballast_core::units::Bytes;

use crate::Options;
use crate::rank::rank_of;
use crate::round::Round;
use crate::stages::{StageOutcome, plan_some};

/// Stages whose time is at least this share of the slowest one's are planned again.
pub(crate) const SLOW: f64 = 0.95;

/// Share of a stage's time that memory must have added to it.
pub(crate) const WORTH_IT: f64 = 1e-3;

/// Times that stages are chosen, and the share of the time left that each but the last takes.
const TIMES: usize = 3;
const SHARE: f64 = 0.5;

/// At most so much of the time spent before.
const OF_BEFORE: f64 = 1.0;

/// Seconds below which no search comes to anything.
const LEAST_SECONDS: f64 = 0.01;

/// Plans the stages that decide again while there is time, `spent` seconds after the search began; nothing without a limit of time.
pub(crate) fn polish(
    program: &Program<'_>,
    best: &mut Round,
    caps: &[Bytes],
    options: &Options,
    (deadline, spent): (&Deadline, f64),
) {
    if options.limits.time_limit_seconds.is_none() || best.stages.len() < 2 {
        return;
    }
    let deadline = deadline.within(OF_BEFORE * spent);
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

/// Puts plans in the place of those of their stages, where that makes the whole no worse.
pub(crate) fn take(best: &mut Round, found: &[(usize, StageOutcome)]) -> bool {
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

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::{Cluster, DeviceId};
    use ballast_core::limits::Limits;

    use super::*;
    use crate::support::graph;

    #[test]
    fn a_cap_that_was_raised_is_kept_after_as_much_time_again() {
        // Four values of 100 bytes that are read in reverse: with 350 the first is made again, with all of them kept there are 500.
        let reads = [vec![], vec![0], vec![1], vec![2], vec![3], vec![4, 2], vec![5, 1], vec![6, 0]];
        let graph = graph(reads.map(|reads| (reads, 100, false)));
        let costs = Costs { seconds: vec![vec![1.0; 8]; 2] };
        let cluster = Cluster::from_count(2).expect("devices");
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let caps = [Bytes(350); 2];
        let limits = Limits { time_limit_seconds: Some(30.0), work_limit: Some(2_000), seed: 1, threads: 1 };
        let searched = Options { limits, swap: false, relax_limit: 10.0, ..Options::default() };
        let deadline = Deadline::start(&limits);
        let on_one = vec![DeviceId(0); 8];
        let stages = program.stages(&on_one);
        let keep_all = |stage| StageOutcome::keep_all(stage, Bytes(350), Bytes(500), 1).expect("a plan");
        let outcomes = stages.iter().map(keep_all).collect();
        let given = Round::of_outcomes(on_one, stages, outcomes);
        assert!(given.outcomes[0].relaxed());
        let polished = |spent| {
            let mut round = given.clone();
            polish(&program, &mut round, &caps, &searched, (&deadline, spent));
            round
        };
        assert!(polished(0.0).outcomes[0].relaxed(), "no time was spent before, and none is now");
        let round = polished(30.0);
        assert!(!round.outcomes[0].relaxed() && round.outcomes[0].score.peak_bytes <= 350);
        assert_eq!(round.balance.tmax_seconds, round.outcomes[0].score.seconds);
    }
}
