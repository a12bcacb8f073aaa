//! Cuts for several stages per device: no dynamic programme knows that a device's stages share its time.
//!
//! From the cuts that balance single stages, cuts move while the event simulation of the estimated stage times says
//! that the step gets shorter: a device with one long stage then gets short ones beside it.

use ballast_core::pipeline::{Pipeline, Schedule, StageCost, simulate};

use super::cuts::{RunTimes, best_cuts};

/// Pieces by which cuts move, the largest first.
const REACHES: [usize; 5] = [16, 8, 4, 2, 1];
/// Passes of stages that are simulated, over all cuts tried: about a second.
const MOST_PASSES: usize = 4_000_000;
/// Share of a stage's time that is its forward pass: a backward pass makes two gradients for each product.
const FORWARD_SHARE: f64 = 1.0 / 3.0;

impl RunTimes {
    /// The cuts with the shortest step found under a schedule, where a stage takes its [`RunTimes::seconds`] and
    /// what `extra(stage, from, to)` adds; none where there are fewer pieces than stages, or the micro-batches do not
    /// suit the schedule.
    ///
    /// With one stage per device these are the [`RunTimes::best_cuts`].
    #[must_use]
    pub fn cuts_for(
        &self,
        schedule: Schedule,
        micro_batches: usize,
        extra: &dyn Fn(usize, usize, usize) -> f64,
    ) -> Option<Vec<usize>> {
        let (pieces, width) = (self.pieces(), self.pieces() + 1);
        let time = self.stage_seconds(extra)?;
        let mut best = best_cuts(pieces, &time, micro_batches)?;
        let chunks = schedule.chunks();
        if chunks == 1 {
            return Some(best);
        }
        let stages = best.len() + 1;
        let step = |cuts: &[usize]| {
            let mut from = 0;
            let ends = cuts.iter().copied().chain([pieces]);
            let cost = |(stage, to): (usize, usize)| {
                let seconds = time[stage][from * width + to];
                from = to;
                let forward_seconds = FORWARD_SHARE * seconds;
                StageCost {
                    forward_seconds,
                    backward_seconds: seconds - forward_seconds,
                    ..StageCost::default()
                }
            };
            let costs = ends.enumerate().map(cost).collect();
            let pipeline = Pipeline { stages: costs, devices: stages / chunks, micro_batches };
            simulate(&pipeline, schedule).ok().map(|timeline| timeline.step_seconds)
        };
        // Endless estimates are of stages that no plan can help: any cuts without them are better.
        let mut least = step(&best).unwrap_or(f64::INFINITY);
        let mut left = MOST_PASSES / (2 * stages * micro_batches).max(1);
        for reach in REACHES {
            let mut helped = true;
            while helped {
                helped = false;
                for change in moves(best.len(), best.len()) {
                    let Some(next) = change.of(&best, pieces, reach) else { continue };
                    if left == 0 {
                        return Some(best);
                    }
                    left -= 1;
                    if let Some(seconds) = step(&next)
                        && seconds < least
                    {
                        (least, best, helped) = (seconds, next, true);
                    }
                }
            }
        }
        Some(best)
    }
}

/// One cut, or several neighbouring ones together, to be moved the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    first: usize,
    width: usize,
    back: bool,
}

impl Move {
    /// The cuts moved by `reach` pieces; none where a stage would be left without a piece.
    #[must_use]
    pub fn of(self, cuts: &[usize], pieces: usize, reach: usize) -> Option<Vec<usize>> {
        let mut moved = cuts.to_vec();
        for cut in &mut moved[self.first..self.first + self.width] {
            *cut = if self.back { cut.checked_sub(reach)? } else { cut.checked_add(reach)? };
        }
        let legal = moved[0] > 0 && moved.is_sorted_by(|a, b| a < b) && moved[cuts.len() - 1] < pieces;
        legal.then_some(moved)
    }
}

/// All moves of so many cuts, at most `widest` of them together, single ones first.
pub fn moves(cuts: usize, widest: usize) -> impl Iterator<Item = Move> {
    let windows =
        (1..=cuts.min(widest)).flat_map(move |width| (0..=cuts - width).map(move |first| (first, width)));
    windows.flat_map(|(first, width)| [true, false].map(|back| Move { first, width, back }))
}
