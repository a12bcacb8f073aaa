//! Caps that are raised anyway, raised as far as it pays.
//!
//! The memory planner raises a cap without a plan to the first step that has one. With so little memory a stage may take several times as long as with a little more, and
//! where it is the slowest of several all wait for it. Where others are as slow, one alone makes nothing faster: they are raised together.

use ballast_core::limits::Deadline;
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::missed;

use crate::Options;
use crate::polish::{SLOW, WORTH_IT, take};
use crate::round::Round;
use crate::stages::{StageOutcome, plan_some};

/// Steps, of those by which a cap without a plan is raised, that one raised already is raised by beyond that.
const STEPS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
/// Times that is done.
const MOST_LOOSENED: usize = 4;
/// Share of the time left that the plans of one step may take.
const LOOSENING: f64 = 0.3;

/// Raises caps that are raised anyway further while the slowest stages gain more by it than that counts for where placements are searched for: with the least
/// memory that it can do with, a stage may take several times as long as with a little more.
pub(crate) fn loosen(program: &Program<'_>, best: &mut Round, options: &Options, deadline: &Deadline) {
    if best.stages.len() < 2 || !best.refused.is_empty() {
        return;
    }
    for _ in 0..MOST_LOOSENED {
        match loosened(program, best, options, deadline) {
            Some(round) => *best = round,
            None => return,
        }
    }
}

/// The best of what more memory for the slowest stages comes to, where that is better.
fn loosened(program: &Program<'_>, best: &Round, options: &Options, deadline: &Deadline) -> Option<Round> {
    let chosen = slow_and_raised(best);
    let mut caps: Vec<Bytes> = best.outcomes.iter().map(|outcome| outcome.cap).collect();
    let starts: Vec<_> = best.outcomes.iter().map(|outcome| vec![outcome.plan.clone()]).collect();
    let mut better: Option<Round> = None;
    for steps in STEPS {
        let before = caps.clone();
        for &index in &chosen {
            caps[index] = raised_by(best, index, steps, options);
        }
        let now = worth(better.as_ref().unwrap_or(best));
        if caps == before || deadline.over() || least_worth(best, &chosen, &caps) >= now {
            break;
        }
        let turn = deadline.within(deadline.remaining_seconds() * LOOSENING);
        let (graph, cluster) = (program.graph, program.cluster);
        let planned = plan_some(graph, &best.stages, (&caps, &starts), &chosen, cluster, options, &turn);
        let found: Vec<(usize, StageOutcome)> = chosen
            .iter()
            .zip(planned)
            .filter_map(|(&index, found)| {
                let StageOutcome { requested_cap, smallest_cap, binding, score, .. } = best.outcomes[index];
                let found = found.ok().filter(|found| found.score.seconds < score.seconds)?;
                Some((index, StageOutcome { requested_cap, smallest_cap, binding, ..found }))
            })
            .collect();
        let mut round = best.clone();
        if take(&mut round, &found) && worth(&round) < now {
            better = Some(round);
        }
    }
    better
}

/// The stages whose caps are raised and which lose time to keep them all the same, where they are the slowest.
fn slow_and_raised(round: &Round) -> Vec<usize> {
    let slow = SLOW * round.balance.tmax_seconds;
    let gains = |&index: &usize| {
        let (stage, outcome) = (&round.stages[index], &round.outcomes[index]);
        let lost = outcome.score.seconds > stage.load_seconds() * (1.0 + WORTH_IT);
        outcome.relaxed() && outcome.score.seconds >= slow && lost
    };
    (0..round.stages.len()).filter(gains).collect()
}

/// The cap of a stage raised by so many steps more: to what it is allowed to be at most, or to what keeping every value takes, where that is less.
fn raised_by(round: &Round, index: usize, steps: f64, options: &Options) -> Bytes {
    let (stage, outcome) = (&round.stages[index], &round.outcomes[index]);
    let requested = outcome.requested_cap.as_f64();
    let most = Bytes((requested * options.relax_limit) as u64).min(Bytes(stage.problem.unplanned_peak()));
    let raised = outcome.cap.0.saturating_add((steps * options.relax_step * requested) as u64);
    Bytes(raised).min(most).max(outcome.cap)
}

/// What stages come to that take so long under such caps: smaller is better.
fn priced(tmax_seconds: f64, caps: impl Iterator<Item = (Bytes, Bytes)>) -> f64 {
    let over = |(cap, requested): (Bytes, Bytes)| missed(cap.as_f64() / requested.as_f64() - 1.0);
    tmax_seconds * caps.map(over).product::<f64>()
}

fn worth(round: &Round) -> f64 {
    let caps = round.outcomes.iter().map(|outcome| (outcome.cap, outcome.requested_cap));
    priced(round.balance.tmax_seconds, caps)
}

/// No plans of the chosen stages under these caps are worth more.
fn least_worth(round: &Round, chosen: &[usize], caps: &[Bytes]) -> f64 {
    let seconds = |index: usize| match chosen.contains(&index) {
        true => round.stages[index].load_seconds(),
        false => round.outcomes[index].score.seconds,
    };
    let tmax = (0..caps.len()).map(seconds).fold(0.0, f64::max);
    priced(tmax, caps.iter().copied().zip(round.outcomes.iter().map(|outcome| outcome.requested_cap)))
}
