//! The exact joint partition of small pipelines of one stage per device: all cuts, by dynamic programming with bounds.
//!
//! Every run of pieces is planned once for every stage it can be ([`Runs`]: the cost of a run never rises as the number
//! of micro-batches in flight falls). Under every schedule a step takes at least `M max t`: the slowest stage runs all
//! `M` micro-batches. The table `rest[stage][from]`, the least `max t` over the cuts of the remaining pieces,
//! bounds what is still to come; cuts that cannot beat the best are dropped, all others are played by the event simulation.

use ballast_core::device::DeviceId;
use ballast_remat::Error;

use super::runs::{Runs, Score};

/// The best cuts there are, for the plans that the memory planner finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// First pieces of the stages but the first.
    pub cuts: Vec<usize>,
    /// Their score.
    pub score: Score,
    /// Cuts played.
    pub played: usize,
}

/// Finds the best cuts of `pieces` pieces into `stages` stages; none where there are too few pieces.
///
/// # Errors
/// A solver's failure other than having no plan under a cap.
pub fn exact(
    runs: &mut Runs<'_>,
    pieces: usize,
    stages: usize,
    micro_batches: usize,
) -> Result<Option<Exact>, Error> {
    if stages == 0 || pieces < stages {
        return Ok(None);
    }
    let width = pieces + 1;
    // Seconds of every run on every stage it can be.
    let mut time = vec![vec![f64::INFINITY; width * width]; stages];
    for (stage, row) in time.iter_mut().enumerate() {
        let starts = if stage == 0 { 0..=0 } else { stage..=pieces - (stages - stage) };
        for from in starts {
            let ends =
                if stage + 1 == stages { pieces..=pieces } else { from + 1..=pieces - (stages - stage - 1) };
            for to in ends {
                row[from * width + to] = runs.run(DeviceId(stage), &[(from, to)])?.seconds();
            }
        }
    }
    let mut rest = vec![vec![f64::INFINITY; width]; stages + 1];
    rest[stages][pieces] = 0.0;
    for stage in (0..stages).rev() {
        for from in 0..pieces {
            for to in from + 1..=pieces {
                let slowest = time[stage][from * width + to].max(rest[stage + 1][to]);
                rest[stage][from] = rest[stage][from].min(slowest);
            }
        }
    }
    let mut search =
        Search { runs, pieces, stages, time, rest, paces: micro_batches as f64, best: None, played: 0 };
    search.extend(&mut Vec::new(), 0.0)?;
    let played = search.played;
    Ok(search.best.map(|(score, cuts)| Exact { cuts, score, played }))
}

struct Search<'r, 's> {
    runs: &'r mut Runs<'s>,
    pieces: usize,
    stages: usize,
    time: Vec<Vec<f64>>,
    rest: Vec<Vec<f64>>,
    paces: f64,
    best: Option<(Score, Vec<usize>)>,
    played: usize,
}

impl Search<'_, '_> {
    /// Tries all ways to go on from these cuts, whose slowest stage takes `slowest` seconds.
    fn extend(&mut self, cuts: &mut Vec<usize>, slowest: f64) -> Result<(), Error> {
        let (stage, from) = (cuts.len(), cuts.last().copied().unwrap_or(0));
        // The slowest stage runs every micro-batch, whatever else waits.
        let least = self.paces * slowest.max(self.rest[stage][from]);
        if self.best.as_ref().is_some_and(|(score, _)| score.short_bytes == 0 && least > score.step_seconds) {
            return Ok(());
        }
        if stage + 1 == self.stages {
            self.played += 1;
            let score = self.runs.score(cuts)?;
            if self.best.as_ref().is_none_or(|(best, _)| score < *best) {
                self.best = Some((score, cuts.clone()));
            }
            return Ok(());
        }
        for to in from + 1..=self.pieces - (self.stages - stage - 1) {
            let seconds = self.time[stage][from * (self.pieces + 1) + to];
            cuts.push(to);
            self.extend(cuts, slowest.max(seconds))?;
            cuts.pop();
        }
        Ok(())
    }
}
