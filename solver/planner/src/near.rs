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

use crate::again::{Made, Tools, Wanted, others};
use crate::rank::{Caps, Rank, rank};
use crate::round::Round;
use crate::{Error, Options};

/// Placements asked for at a time.
const COUNT: usize = 24;

/// Times that others are asked for in vain, after which the search ends.
const MOST_IN_VAIN: u64 = 8;

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

/// Goes on from the best of all rounds while moves make it better and there is time; `given_seconds`: the slowest stage of the placement given without
/// any plan.
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
    let mut now = best.clone();
    let mut tried: HashSet<Vec<DeviceId>> = HashSet::from([now.device_of.clone()]);
    let (mut number, mut in_vain) = (0, 0);
    while in_vain < MOST_IN_VAIN && !deadline.over() && now.may_improve(options.max_ratio, given_seconds) {
        let wanted = Wanted::Near { count: COUNT, number };
        let mut near = others(program, tools, &now, (caps, &[Made::of(&now)]), (0, wanted))?;
        if near.is_empty() {
            break;
        }
        near.retain(|next| !tried.contains(next));
        (number, in_vain) = (number + 1, in_vain + 1);
        if let Some(better) = first_better(program, &now, caps, (options, deadline), near, &mut tried) {
            (now, in_vain) = (better, 0);
            if now.rank() < best.rank() {
                *best = now.clone();
            }
        }
    }
    tracing::debug!(asked = number, tried = tried.len(), "moves judged by plans");
    Ok(())
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
        let seconds = (deadline.remaining_seconds() * SHARE).clamp(LEAST_SECONDS, MOST_SECONDS);
        let clock = deadline.within(seconds);
        match Round::of_stages(program, (next, stages), (caps, Some(now)), options, &clock) {
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
