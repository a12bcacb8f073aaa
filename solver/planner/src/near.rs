//! Moves of single ops and small groups that are judged by memory plans.
//!
//! A search for a placement knows what memory costs by an estimate. Where it has nothing more to offer, placements next to the best one are planned, the
//! likeliest first: only the stages that a move changes, and those from the plans they had.

use std::collections::HashSet;

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::program::Program;
use ballast_core::stage::Stage;
use ballast_core::units::Bytes;
use ballast_partition::Next;

use crate::again::{Made, Tools, Wanted, others};
use crate::rank::{Caps, Rank, rank};
use crate::round::Round;
use crate::{Error, Options};

/// Placements asked for at a time.
const COUNT: usize = 24;

/// Times that others are asked for in vain, after which the search ends; and the same after a shake, where there are many.
const MOST_IN_VAIN: u64 = 8;
const SHAKEN_IN_VAIN: u64 = 4;

/// Shakes in vain after which none follows.
const MOST_SHAKES: u64 = 100;

/// Share of the time left that the plans of one placement may take, and bounds of it in seconds.
const SHARE: f64 = 0.04;
const LEAST_SECONDS: f64 = 0.02;
const MOST_SECONDS: f64 = 2.0;

/// The power of a mean of all stages' seconds that stands for the slowest: it tells which of two placements as slow has less at its limit.
const POWER: i32 = 24;

/// What decides between two placements: raised caps, and the seconds of all stages, the slowest first of all.
type Value = (Caps, f64);

fn value_of(rank: Rank, seconds: impl Iterator<Item = f64> + Clone) -> Value {
    let most = seconds.clone().fold(f64::MIN_POSITIVE, f64::max);
    let mean = seconds.map(|seconds| (seconds / most).powi(POWER)).sum::<f64>().powf(1.0 / f64::from(POWER));
    (rank.0, rank.1 * mean)
}

/// Goes on from the best of all rounds while moves make it better and there is time, then from placements some way off; `given_seconds`: the slowest stage
/// of the placement given without any plan.
///
/// # Errors
/// Those of the partitioner.
pub(crate) fn descend(
    program: &Program<'_>,
    best: &mut Round,
    caps: &[Bytes],
    tools: Tools<'_, '_>,
    given_seconds: f64,
) -> Result<(), Error> {
    let (options, deadline, _) = tools;
    let mut tried: HashSet<Vec<DeviceId>> = HashSet::from([best.device_of.clone()]);
    let start = best.clone();
    descend_from(program, start, best, (caps, given_seconds), tools, (&mut tried, MOST_IN_VAIN))?;
    let mut in_vain = 0;
    for number in 0.. {
        if in_vain == MOST_SHAKES || deadline.over() || !best.may_improve(options.max_ratio, given_seconds) {
            break;
        }
        in_vain += 1;
        let wanted = Wanted::Near { next: Next::Shaken, number };
        let shaken = others(program, tools, best, (caps, &[Made::of(best)]), (0, wanted))?.pop();
        let Some(next) = shaken.filter(|next| tried.insert(next.clone())) else { continue };
        match Round::plan(program, next, (caps, Some(best)), options, &clock(deadline)) {
            Ok(start) => {
                let rank = best.rank();
                descend_from(
                    program,
                    start,
                    best,
                    (caps, given_seconds),
                    tools,
                    (&mut tried, SHAKEN_IN_VAIN),
                )?;
                if best.rank() < rank {
                    in_vain = 0;
                    best.tell("shaken");
                }
            }
            Err(failure) => tracing::debug!("a placement is dropped: {failure}"),
        }
    }
    tracing::debug!(tried = tried.len(), "moves judged by plans");
    Ok(())
}

/// Goes on from a round while moves make it better, and keeps the best that was met.
fn descend_from(
    program: &Program<'_>,
    mut now: Round,
    best: &mut Round,
    (caps, given_seconds): (&[Bytes], f64),
    tools: Tools<'_, '_>,
    (tried, most_in_vain): (&mut HashSet<Vec<DeviceId>>, u64),
) -> Result<(), Error> {
    let (options, deadline, _) = tools;
    if now.rank() < best.rank() {
        *best = now.clone();
    }
    let (mut number, mut in_vain) = (0, 0);
    while in_vain < most_in_vain && !deadline.over() && now.may_improve(options.max_ratio, given_seconds) {
        let wanted = Wanted::Near { next: Next::Likeliest { count: COUNT }, number };
        let mut near = others(program, tools, &now, (caps, &[Made::of(&now)]), (0, wanted))?;
        if near.is_empty() {
            break;
        }
        near.retain(|next| !tried.contains(next));
        (number, in_vain) = (number + 1, in_vain + 1);
        if let Some(better) = first_better(program, &now, caps, (options, deadline), near, tried) {
            (now, in_vain) = (better, 0);
            if now.rank() < best.rank() {
                *best = now.clone();
            }
        }
    }
    Ok(())
}

/// The clock of one placement's plans.
fn clock(deadline: &Deadline) -> Deadline {
    deadline.within((deadline.remaining_seconds() * SHARE).clamp(LEAST_SECONDS, MOST_SECONDS))
}

/// The first of some placements whose plans are better than those there are.
fn first_better(
    program: &Program<'_>,
    now: &Round,
    caps: &[Bytes],
    (options, deadline): (&Options, &Deadline),
    near: Vec<Vec<DeviceId>>,
    tried: &mut HashSet<Vec<DeviceId>>,
) -> Option<Round> {
    let value = value(now);
    for next in near {
        if deadline.over() {
            break;
        }
        tried.insert(next.clone());
        let stages = program.stages(&next);
        if least(&stages, caps, now) >= value {
            continue;
        }
        match Round::of_stages(program, (next, stages), (caps, Some(now)), options, &clock(deadline)) {
            Ok(round) if self::value(&round) < value => return Some(round),
            Ok(_) => {}
            Err(failure) => tracing::debug!("a placement is dropped: {failure}"),
        }
    }
    None
}

fn value(round: &Round) -> Value {
    value_of(round.rank(), round.outcomes.iter().map(|outcome| outcome.score.seconds))
}

/// No plans of the stages have a smaller value: those that are as they were have the plans they had.
fn least(stages: &[Stage], caps: &[Bytes], now: &Round) -> Value {
    let of = |index: usize| {
        let (stage, outcome) = (&stages[index], &now.outcomes[index]);
        match *stage == now.stages[index] {
            true => (outcome.score.seconds, outcome.relaxed()),
            false => (stage.load_seconds(), stage.problem.working_set().0 > caps[index].0),
        }
    };
    let all: Vec<(f64, bool)> = (0..stages.len()).map(of).collect();
    let most = all.iter().map(|(seconds, _)| *seconds).fold(0.0, f64::max);
    let raised = all.iter().filter(|(_, raised)| *raised).count();
    value_of(rank(raised, most, 0), all.iter().map(|(seconds, _)| *seconds))
}
