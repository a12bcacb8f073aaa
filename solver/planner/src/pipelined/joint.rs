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
use ballast_partition::pipeline::{RunTimes, StashEstimate, moves};
use ballast_remat::Error;

use super::runs::{Runs, Score, Site, spans};

/// Pieces by which cuts move, the largest first.
const REACHES: [usize; 4] = [8, 4, 2, 1];

/// Most neighbouring cuts that move together where devices run several stages.
const WIDEST: usize = 2;

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
pub struct StopRule {
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
pub fn joint(runs: &mut Runs<'_>, site: &Site<'_>, given: &[usize], ends: &StopRule) -> Result<Joint, Error> {
    let score = runs.score(given)?;
    let mut state = State { best: (score, given.to_vec()), rounds: 1, seen: vec![given.to_vec()], ends };
    if given.is_empty() || state.balanced(runs)? {
        return Ok(state.into_joint(score, StopReason::Finished));
    }
    if state.over() {
        let reason = state.reason();
        return Ok(state.into_joint(score, reason));
    }
    let times = RunTimes::of(site.graph, site.costs, site.cluster, site.layers);
    let estimate = StashEstimate::of(site.graph, site.costs, site.layers);
    propose(runs, site, &mut state, &times, &estimate)?;
    // Of many stages, each has few pieces, and moving many cuts at once leaves little time for the others.
    let stages = site.cluster.devices.len();
    let reaches = REACHES.into_iter().filter(|reach| 2 * stages * reach <= site.layers.pieces || *reach == 1);
    let widest = if site.spec.schedule.chunks() > 1 { WIDEST } else { stages };
    for reach in reaches {
        while walk(runs, site.layers.pieces, &mut state, reach, widest)? {}
    }
    let reason = state.reason();
    Ok(state.into_joint(score, reason))
}

struct State<'e> {
    best: (Score, Vec<usize>),
    rounds: usize,
    seen: Vec<Vec<usize>>,
    ends: &'e StopRule,
}

impl State<'_> {
    fn over(&self) -> bool {
        self.rounds >= self.ends.max_rounds || self.ends.deadline.over()
    }

    /// Are the stages of the best cuts in balance, with caps kept and nothing recomputed for want of memory elsewhere?
    fn balanced(&self, runs: &mut Runs<'_>) -> Result<bool, Error> {
        if self.best.0.short_bytes > 0 {
            return Ok(false);
        }
        let runs = runs.of_cuts(&self.best.1)?;
        // A device's stages together: one long stage beside short ones is balance.
        let seconds: Vec<f64> = runs.iter().map(|run| run.seconds()).collect();
        let (slowest, fastest) =
            seconds.iter().fold((0.0f64, f64::INFINITY), |(max, min), &t| (max.max(t), min.min(t)));
        Ok(slowest <= fastest * self.ends.max_ratio)
    }

    /// Scores cuts not seen before; did they become the best?
    fn offer(&mut self, runs: &mut Runs<'_>, cuts: Vec<usize>) -> Result<bool, Error> {
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

    /// Why the loop ends where nothing helps any more, or it must.
    fn reason(&self) -> StopReason {
        if self.ends.deadline.over() {
            self.ends.deadline.reason()
        } else if self.rounds >= self.ends.max_rounds {
            StopReason::WorkLimit
        } else {
            StopReason::Finished
        }
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
) -> Result<(), Error> {
    let (devices, chunks) = (site.spec.devices(site.cluster.devices.len()), site.spec.schedule.chunks());
    let in_flight: Vec<Vec<usize>> = runs
        .in_flight()
        .iter()
        .map(|device| (0..chunks).map(|chunk| device.micro_batches(chunk)).collect())
        .collect();
    let mut factor = vec![1.0f64; devices];
    let mut cuts = state.best.1.clone();
    loop {
        let planned = runs.of_cuts(&cuts)?;
        // The stages of a device share its cap evenly, as far as an estimate goes.
        let caps: Vec<u64> = planned.iter().map(|run| run.cap_bytes / chunks as u64).collect();
        let guess = |stage: usize, from: usize, to: usize| {
            let (chunk, device) = (stage / devices, stage % devices);
            estimate.recompute_seconds(from, to, in_flight[device][chunk], caps[device])
        };
        let spans = spans(&cuts, site.layers.pieces);
        for (device, run) in planned.iter().enumerate() {
            let of_device = spans.iter().enumerate().skip(device).step_by(devices);
            let guess: f64 = of_device.map(|(stage, &(from, to))| guess(stage, from, to)).sum();
            let extra = run.seconds() - run.unplanned_seconds();
            if guess > 0.0 && guess.is_finite() && extra > 0.0 {
                factor[device] = extra / guess;
            }
        }
        let extra = |stage: usize, from: usize, to: usize| factor[stage % devices] * guess(stage, from, to);
        let Some(next) = times.cuts_for(site.spec.schedule, site.spec.micro_batches, &extra) else {
            return Ok(());
        };
        if state.seen.contains(&next) || state.over() {
            return Ok(());
        }
        state.offer(runs, next.clone())?;
        cuts = next;
    }
}

/// Moves one cut, or several neighbouring ones together, by `reach` pieces; did any move help?
fn walk(
    runs: &mut Runs<'_>,
    pieces: usize,
    state: &mut State<'_>,
    reach: usize,
    widest: usize,
) -> Result<bool, Error> {
    let mut helped = false;
    for change in moves(state.best.1.len(), widest) {
        if let Some(cuts) = change.of(&state.best.1, pieces, reach) {
            helped |= state.offer(runs, cuts)?;
        }
    }
    Ok(helped && !state.over())
}
