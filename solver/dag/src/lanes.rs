//! What the lanes of a round of annealing do: go on from the best placement, combine it with others, or start elsewhere.

use ballast_core::limits::Deadline;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::anneal::{Cooling, anneal};
use crate::bound::WorkPrices;
use crate::hypergraph::Hypergraph;
use crate::loads::Loads;
use crate::multilevel::{Coarse, merge_heavy};
use crate::problem::Assignment;

/// Independent searches whose results are merged after every round, whatever the number of threads.
pub(crate) const LANES: usize = 4;

/// Power of the annealing energy. Where devices are nearly balanced, one of a tenth of a percent more is what counts: at 12 the sum of all loads is nearly all that an
/// energy sees of them, which is for starts, and for graphs whose levels are too large to be balanced so finely.
const POWER: i32 = 150;
const COMBINED_POWER: i32 = 60;
const COARSE_POWER: i32 = 12;

/// Temperature every run ends at.
const COLD: f64 = 0.002;

/// Temperatures at the start: in turn, where the best placement goes on; of one that starts elsewhere; and of what was settled before.
const WARM: [f64; 4] = [0.03, 0.1, 0.3, 1.0];
const HOT: f64 = 10.0;
const FINE: f64 = 0.1;

/// How a lane goes through levels.
struct Levels {
    /// Powers and temperatures at the start, of the coarsest and of the others.
    power: i32,
    fine_power: i32,
    hot: f64,
    fine: f64,
    /// Groups of the coarsest, and what one may weigh, as a share of a device's work.
    coarsest: usize,
    most_work: f64,
}

/// Where two placements are combined.
const COMBINED: [Levels; 2] = [combined(0.1), combined(0.3)];

const fn combined(hot: f64) -> Levels {
    Levels { power: COMBINED_POWER, fine_power: POWER, hot, fine: FINE, coarsest: 40, most_work: 0.2 }
}

/// Of graphs of more groups than this.
const LARGEST_FLAT: usize = 3_000;
const LARGE: Levels = Levels {
    power: COARSE_POWER,
    fine_power: COARSE_POWER,
    hot: 0.1,
    fine: 0.01,
    coarsest: 1_500,
    most_work: 0.05,
};

/// Placements kept beside the best; two whose largest loads differ by less than this share count as one.
const MOST_KEPT: usize = 12;
const SAME: f64 = 1e-5;

/// Good placements, the best first, by their largest loads.
#[derive(Clone, Default)]
pub(crate) struct Population {
    kept: Vec<(f64, Assignment)>,
}

impl Population {
    /// Keeps a placement that is like none before.
    pub(crate) fn keep(&mut self, max_load: f64, assignment: &Assignment) {
        if self.kept.iter().all(|&(known, _)| (known - max_load).abs() > SAME * max_load) {
            let place = self.kept.partition_point(|&(known, _)| known < max_load);
            self.kept.insert(place, (max_load, assignment.clone()));
            self.kept.truncate(MOST_KEPT);
        }
    }

    /// The best placement below a load, of those whose loads are not among `left_out`.
    pub(crate) fn below(&self, most: f64, left_out: &[f64]) -> Option<(f64, Assignment)> {
        self.kept.iter().find(|(max_load, _)| *max_load < most && !left_out.contains(max_load)).cloned()
    }

    fn draw(&self, graph: &Hypergraph, random: &mut ChaCha8Rng) -> Option<Vec<usize>> {
        let place = (!self.kept.is_empty()).then(|| random.random_range(0..self.kept.len()))?;
        let placement = graph.restrict(&self.kept[place].1);
        // Groups that no better plan has apart are one: they may have been where one of them alone can run.
        Loads::new(graph, &placement).max_load().is_finite().then_some(placement)
    }
}

/// A round of lanes.
pub(crate) struct Round<'a> {
    pub(crate) graph: &'a Hypergraph,
    /// The best placement.
    pub(crate) best: &'a [usize],
    pub(crate) population: &'a Population,
    /// Do all lanes start elsewhere?
    pub(crate) elsewhere: bool,
    pub(crate) number: u64,
    /// Moves of every lane.
    pub(crate) moves: u64,
    pub(crate) seed: u64,
    pub(crate) clock: &'a Deadline,
}

impl Round<'_> {
    /// What every lane found: the largest load and the placement.
    pub(crate) fn run(&self) -> Vec<(f64, Vec<usize>)> {
        let found: Vec<_> = (0..LANES).into_par_iter().map(|lane| self.lane(lane)).collect();
        found.into_iter().flatten().collect()
    }

    fn lane(&self, lane: usize) -> Option<(f64, Vec<usize>)> {
        let seed = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random =
            ChaCha8Rng::seed_from_u64(seed.wrapping_add(self.number * LANES as u64 + lane as u64));
        if self.graph.len() > LARGEST_FLAT {
            return self.through_levels(self.best, self.best, &LARGE, &mut random);
        }
        let first =
            if lane == 2 && !self.elsewhere { self.population.draw(self.graph, &mut random) } else { None };
        let start = first.as_deref().unwrap_or(self.best);
        let other = match lane {
            _ if lane == 0 || self.elsewhere => None,
            _ => self.population.draw(self.graph, &mut random),
        };
        match other {
            Some(other) => self.through_levels(start, &other, &COMBINED[usize::from(lane > 1)], &mut random),
            None if self.elsewhere => {
                let cooling = Cooling { power: COARSE_POWER, hot: HOT, forgets: true, ..self.cooling() };
                let (_, start) = self.anneal(self.graph, start, cooling, &mut random)?;
                self.anneal(self.graph, &start, Cooling { hot: FINE, ..self.cooling() }, &mut random)
            }
            None => {
                let hot = WARM[(self.number as usize + lane) % WARM.len()];
                self.anneal(self.graph, start, Cooling { hot, ..self.cooling() }, &mut random)
            }
        }
    }

    fn cooling(&self) -> Cooling {
        Cooling { power: POWER, hot: FINE, cold: COLD, moves: self.moves, forgets: false }
    }

    fn anneal(
        &self,
        graph: &Hypergraph,
        start: &[usize],
        cooling: Cooling,
        random: &mut ChaCha8Rng,
    ) -> Option<(f64, Vec<usize>)> {
        anneal(graph, start, cooling, random.next_u64(), &mut |_| !self.clock.over())
    }

    /// Anneals coarse to fine, what two placements have together on one device in one piece at first: every level merges pairs, so that a placement carries over
    /// exactly.
    fn through_levels(
        &self,
        start: &[usize],
        other: &[usize],
        settings: &Levels,
        random: &mut ChaCha8Rng,
    ) -> Option<(f64, Vec<usize>)> {
        let prices = WorkPrices::fit(self.graph);
        let devices: usize = self.graph.kinds.iter().map(|kind| kind.count).sum();
        let most_work = settings.most_work * prices.total / devices as f64;
        let mut levels: Vec<Coarse> = Vec::new();
        let mut placement = start.to_vec();
        let mut pairs: Vec<usize> = start.iter().zip(other).map(|(a, b)| a * devices + b).collect();
        while levels.last().map_or(self.graph.len(), |level| level.graph.len()) > settings.coarsest
            && !self.clock.over()
        {
            let current = levels.last().map_or(self.graph, |level| &level.graph);
            let prices = prices.reprice(current);
            let Some((coarse, coarse_pairs)) = merge_heavy(current, &prices, &pairs, most_work, random)
            else {
                break;
            };
            pairs = coarse_pairs;
            placement = pairs.iter().map(|pair| pair / devices).collect();
            levels.push(coarse);
        }
        let moves = self.moves / (levels.len() as u64 + 1);
        let mut cooling = Cooling { power: settings.power, hot: settings.hot, moves, ..self.cooling() };
        loop {
            let current = levels.last().map_or(self.graph, |level| &level.graph);
            let found = self.anneal(current, &placement, cooling, random);
            let Some(level) = levels.pop() else { return found };
            placement = level.spread(&found.map_or(placement, |(_, better)| better));
            // Finer levels only polish what the coarser ones settled.
            (cooling.hot, cooling.power) = (settings.fine, settings.fine_power);
        }
    }
}
