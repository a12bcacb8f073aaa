//! The loop of partition and memory plan: moves the cuts of a pipeline until its step takes no less.
//!
//! 1. From the given cuts, a dynamic programme over estimated stage times (recomputation estimated from what each run
//!    of pieces keeps, [`StashEstimate`], and scaled by what the stages of the last round really took) proposes other
//!    cuts, round by round.
//! 2. From the best of these, single cuts and neighbouring cuts together move by pieces while that helps.
//!
//! Every proposal is planned and scored by the event simulation ([`Runs::score`]), with recomputation and exposed
//! swap time. The answer is never worse than the given cuts.

use ballast_core::limits::{Deadline, StopReason};
use ballast_partition::pipeline::{RunTimes, StashEstimate};
use ballast_remat::Failure;

use super::runs::{Runs, Score, Site};

/// Pieces by which cuts move, the largest first.
const REACHES: [usize; 4] = [8, 4, 2, 1];

/// What the loop found.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// First pieces of the stages but the first.
    pub cuts: Vec<usize>,
    /// Their score.
    pub score: Score,
    /// Score of the given cuts.
    pub given: Score,
    /// Partitions planned and scored.
    pub rounds: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
}

/// When the loop ends before nothing is gained any more.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Largest number of partitions to plan and score, the given one included.
    pub max_rounds: usize,
    /// Ratio of slowest to fastest stage at which cuts stay where they are.
    pub max_ratio: f64,
    /// The clock.
    pub deadline: Deadline,
}

/// Moves the cuts of a pipeline.
///
/// # Errors
/// A solver's failure other than having no plan under a cap.
pub fn joint(runs: &mut Runs<'_>, site: &Site<'_>, given: &[usize], ends: &Ends) -> Result<Joint, Failure> {
    let score = runs.score(given)?;
    let mut state = State { best: (score, given.to_vec()), rounds: 1, seen: vec![given.to_vec()], ends };
    if given.is_empty() || state.balanced(runs)? {
        return Ok(state.into_joint(score, StopReason::Finished));
    }
    let times = RunTimes::of(site.graph, site.costs, site.cluster, site.layers);
    let estimate = StashEstimate::of(site.graph, site.costs, site.layers);
    propose(runs, site, &mut state, &times, &estimate)?;
    for reach in REACHES {
        while walk(runs, site.layers.pieces, &mut state, reach)? {}
    }
    let reason = if ends.deadline.over() {
        ends.deadline.reason()
    } else if state.rounds >= ends.max_rounds {
        StopReason::WorkLimit
    } else {
        StopReason::Finished
    };
    Ok(state.into_joint(score, reason))
}

struct State<'e> {
    best: (Score, Vec<usize>),
    rounds: usize,
    seen: Vec<Vec<usize>>,
    ends: &'e Ends,
}

impl State<'_> {
    fn over(&self) -> bool {
        self.rounds >= self.ends.max_rounds || self.ends.deadline.over()
    }

    /// Are the stages of the best cuts in balance, with caps kept and nothing recomputed for want of memory elsewhere?
    fn balanced(&self, runs: &mut Runs<'_>) -> Result<bool, Failure> {
        if self.best.0.short_bytes > 0 {
            return Ok(false);
        }
        let runs = runs.of_cuts(&self.best.1)?;
        let seconds: Vec<f64> = runs.iter().map(|run| run.seconds()).collect();
        let (slowest, fastest) =
            seconds.iter().fold((0.0f64, f64::INFINITY), |(max, min), &t| (max.max(t), min.min(t)));
        Ok(slowest <= fastest * self.ends.max_ratio)
    }

    /// Scores cuts not seen before; did they become the best?
    fn offer(&mut self, runs: &mut Runs<'_>, cuts: Vec<usize>) -> Result<bool, Failure> {
        if self.over() || self.seen.contains(&cuts) {
            return Ok(false);
        }
        self.rounds += 1;
        self.seen.push(cuts.clone());
        let score = runs.score(&cuts)?;
        let better = score < self.best.0;
        if better {
            self.best = (score, cuts);
        }
        Ok(better)
    }

    fn into_joint(self, given: Score, stop_reason: StopReason) -> Joint {
        Joint { cuts: self.best.1, score: self.best.0, given, rounds: self.rounds, stop_reason }
    }
}

/// Rounds of the dynamic programme with estimates scaled by what the last round found.
fn propose(
    runs: &mut Runs<'_>,
    site: &Site<'_>,
    state: &mut State<'_>,
    times: &RunTimes,
    estimate: &StashEstimate,
) -> Result<(), Failure> {
    let devices = site.cluster.devices.len();
    let mut factor = vec![1.0f64; devices];
    let mut cuts = state.best.1.clone();
    loop {
        let planned = runs.of_cuts(&cuts)?;
        let mut from = 0;
        for (stage, run) in planned.iter().enumerate() {
            let to = cuts.get(stage).copied().unwrap_or(site.layers.pieces);
            let in_flight = site.spec.in_flight(stage, devices).micro_batches;
            let guess = estimate.recompute_seconds(from, to, in_flight, run.cap_bytes);
            let extra = run.seconds() - run.unplanned.seconds();
            if guess > 0.0 && guess.is_finite() && extra > 0.0 {
                factor[stage] = extra / guess;
            }
            from = to;
        }
        let caps: Vec<u64> = planned.iter().map(|run| run.cap_bytes).collect();
        let extra = |stage: usize, from: usize, to: usize| {
            let in_flight = site.spec.in_flight(stage, devices).micro_batches;
            factor[stage] * estimate.recompute_seconds(from, to, in_flight, caps[stage])
        };
        let Some(next) = times.best_cuts(site.spec.micro_batches, &extra) else { return Ok(()) };
        if state.seen.contains(&next) || state.over() {
            return Ok(());
        }
        state.offer(runs, next.clone())?;
        cuts = next;
    }
}

/// Moves one cut, or several neighbouring ones together, by `reach` pieces; did any move help?
fn walk(runs: &mut Runs<'_>, pieces: usize, state: &mut State<'_>, reach: usize) -> Result<bool, Failure> {
    let count = state.best.1.len();
    let mut helped = false;
    for width in 1..=count {
        for first in 0..=count - width {
            for back in [true, false] {
                let mut cuts = state.best.1.clone();
                let mut legal = true;
                for cut in &mut cuts[first..first + width] {
                    let moved = if back { cut.checked_sub(reach) } else { cut.checked_add(reach) };
                    match moved {
                        Some(moved) => *cut = moved,
                        None => legal = false,
                    }
                }
                legal &= cuts[0] > 0 && cuts.is_sorted_by(|a, b| a < b) && cuts[count - 1] < pieces;
                if legal {
                    helped |= state.offer(runs, cuts)?;
                }
            }
        }
    }
    Ok(helped && !state.over())
}
