//! Lower bounds on the largest load from what must cross between devices: spreading metrics.
//!
//! Give every net `e` a length `d_e`, 1 where a plan cuts it and 0 where not, and every pair of groups the length of the shortest path
//! between them over nets: groups on different devices are at least 1 apart. So what is near a group runs on its device, and no device
//! holds more than the largest load `T`: for every group `v`, every set `S` of groups and `F` of nets,
//!
//! `sum over u in S of work_u (1 - dist(v, u)) + sum over e in F of cost_e (d_e - dist(v, e)) <= T`,
//!
//! as a net that is cut is charged to the device of `v` if an end of it is there. All devices together hold all work and two sides of
//! every net that is cut: `work + 2 sum of cost_e d_e <= devices T`. The least `T` over lengths in [0, 1] bounds any plan. It is the
//! linear relaxation of Even, Naor, Rao and Schieber ("Divide-and-conquer approximation algorithms via spreading metrics", J. ACM 47,
//! 2000, section 3) with nets for edges, their cost as part of the load, and the size of the parts as what is minimised. Distances
//! along any tree are no shorter than the shortest, so that every tree around a group makes a row.
//!
//! Lengths of plans are 0 or 1, which makes more rows: groups that are too much for one device together are on two at least, so that one
//! of the nets of any tree over them is cut (covers, as for knapsacks: Balas, "Facets of the knapsack polytope", Math. Programming 8,
//! 1975). Where a few heavy groups share dear values the relaxation would cut those by a small share each; covers say that one is cut whole.
//!
//! Rows are generated where the lengths found so far break them. HiGHS solves the relaxations; the bound is computed from its dual
//! values by weak duality and rests on nothing else it says. Where lengths stay between 0 and 1, plans that cut a net and plans that do not are bounded
//! apart (`branch.rs`). Where there are several kinds of devices, further columns say which groups run on which (`kinds.rs`).

mod branch;
mod kinds;
mod program;
mod row;
mod rows;

use ballast_core::limits::Deadline;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::hypergraph::{GroupId, Hypergraph};
use crate::problem::Problem;
use crate::reduce::{merge_dominated, merge_uncuttable};
use branch::Open;
use program::Program;
use row::{ROOM, Row};
use rows::{Around, Broken, Relaxation};

/// Most rows that one round adds, by kind, and the groups it looks around for them.
const ROWS_PER_ROUND: usize = 60;
const COVERS_PER_ROUND: usize = 10;
const LOOKED_AT: usize = 64;

/// Rows are looked for at a mean of the lengths found so far, the last ones with this weight: single solutions lie at corners, where one
/// row after another is broken that does not matter.
const LAST: f64 = 0.2;

/// Groups around which the first lengths are tried, and how often.
const CALIBRATED_AT: usize = 16;
const CALIBRATIONS: usize = 14;

/// Rounds after which a bound that rose by less than this share has settled.
const SETTLED_ROUNDS: usize = 40;
const SETTLED: f64 = 2e-4;

/// Nodes above which no bound is looked for: a single look around one of them takes too long then.
const MOST_NODES: usize = 20_000;

/// How long looking may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// Steps: groups and nets looked at, and the simplex method's rows in every iteration.
    pub steps: u64,
    /// The clock.
    pub clock: &'a Deadline,
    /// Seed of the order in which groups are looked around.
    pub seed: u64,
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// No plan has a smaller largest load, in the unit of the graph's times.
    pub bound: f64,
    /// Steps it took.
    pub steps: u64,
}

/// Bounds the largest load of any plan for a problem, where one of largest load `value` is known.
#[must_use]
pub fn bound_of(problem: &Problem, value: f64, budget: &Budget<'_>) -> Proof {
    if problem.nodes.len() > MOST_NODES {
        return Proof { bound: 0.0, steps: 0 };
    }
    bound(&Hypergraph::of(problem), value, budget)
}

/// As [`bound_of`], for a graph of groups, which is made smaller by what no better plan needs.
pub(crate) fn bound(graph: &Hypergraph, value: f64, budget: &Budget<'_>) -> Proof {
    if graph.len() > MOST_NODES {
        return Proof { bound: 0.0, steps: 0 };
    }
    let reduced = merge_dominated(&merge_uncuttable(graph, value), value, false);
    bound_as_is(&reduced, value, budget)
}

/// As [`bound_of`], for a graph of groups as it is.
fn bound_as_is(graph: &Hypergraph, value: f64, budget: &Budget<'_>) -> Proof {
    let nothing = Proof { bound: 0.0, steps: 0 };
    if !(value > 0.0 && value.is_finite()) {
        return nothing;
    }
    // A hair below, so that rounding of sums never makes the bound exceed a true optimum.
    let below = value * (1.0 - 1e-9);
    let Some(relaxation) = Relaxation::of(graph, value) else { return Proof { bound: below, steps: 0 } };
    let (best, steps) = Search::new(&relaxation, budget).run();
    Proof { bound: best.min(1.0) * below, steps }
}

/// Rounds of a relaxation, and rows that its solution breaks.
struct Search<'a> {
    relaxation: &'a Relaxation<'a>,
    sources: Vec<GroupId>,
    /// Where rows are looked for.
    mean: Vec<f64>,
    steps: u64,
    budget: &'a Budget<'a>,
}

impl<'a> Search<'a> {
    fn new(relaxation: &'a Relaxation<'a>, budget: &'a Budget<'a>) -> Self {
        let mut sources = relaxation.sources();
        sources.shuffle(&mut ChaCha8Rng::seed_from_u64(budget.seed));
        let mut mean = vec![1.0; relaxation.columns()];
        // No group is on an uncommon kind yet.
        mean[1 + relaxation.nets()..].fill(0.0);
        let mut search = Search { relaxation, sources, mean, steps: 0, budget };
        search.calibrate();
        search
    }

    /// Starts where nets are the shorter the more they cost, and as short as it takes for what is near a group to fill a device.
    fn calibrate(&mut self) {
        let shape = self.relaxation.inverse_costs();
        let sample = CALIBRATED_AT.min(self.sources.len());
        let (mut least, mut most) = (1e-4f64, 1e3f64);
        for _ in 0..CALIBRATIONS {
            let scale = (least * most).sqrt();
            self.mean[1..=shape.len()]
                .iter_mut()
                .zip(&shape)
                .for_each(|(mean, s)| *mean = (scale * s).min(1.0));
            let over = self.around(&self.mean.clone(), sample).loads.len();
            if 2 * over > sample { least = scale } else { most = scale }
        }
    }

    /// The best bound, in units of the value, and the steps it took.
    fn run(mut self) -> (f64, u64) {
        let Some(program) = Program::new(self.relaxation) else { return (0.0, 0) };
        let root = self.settled(program, 0.0, SETTLED_ROUNDS);
        let best = self.branch(root);
        (best, self.steps)
    }

    fn is_over(&self) -> bool {
        self.budget.clock.over() || self.steps >= self.budget.steps
    }

    /// Adds rows to a program whose bound is known to be `least` until that rises no more for so many rounds.
    fn settled(&mut self, mut program: Program, least: f64, rounds: usize) -> Open {
        let (mut best, mut settled) = (least, (0, least));
        let mut columns = Vec::new();
        for round in 0.. {
            let Some(solution) = program.solve(self.budget.clock) else { break };
            self.steps += solution.steps;
            best = best.max(solution.proven);
            columns = solution.columns;
            if best > settled.1 * (1.0 + SETTLED) {
                settled = (round, best);
            }
            if self.is_over() || best >= 1.0 || round - settled.0 >= rounds {
                break;
            }
            self.follow(&columns);
            let rows = self.broken_rows(&columns);
            if rows.is_empty() || program.add(rows).is_none() {
                break;
            }
        }
        let lasting = program.lasting().to_vec();
        Open { bound: best, columns, lasting, rows: program.priced(), mean: self.mean.clone() }
    }

    fn follow(&mut self, columns: &[f64]) {
        for (mean, last) in self.mean.iter_mut().zip(columns) {
            *mean += LAST * (last - *mean);
        }
        self.mean[ROOM] = columns[ROOM];
    }

    /// Rows broken at the mean by some groups; by all, where none of those has one; at the solution itself, where the mean keeps all.
    fn broken_rows(&mut self, columns: &[f64]) -> Vec<Row> {
        let all = self.sources.len();
        let some = LOOKED_AT.min(all);
        self.sources.rotate_left(some % all.max(1));
        let mean = std::mem::take(&mut self.mean);
        let mut found = self.around(&mean, some);
        if found.none() {
            found = self.around(&mean, all);
        }
        if found.none() {
            found = self.around(columns, all);
        }
        self.mean = mean;
        let mut rows = self.relaxation.broken_kinds(columns);
        rows.extend(self.choose(found.loads, ROWS_PER_ROUND));
        rows.extend(self.choose(found.covers, COVERS_PER_ROUND));
        rows
    }

    fn around(&mut self, at: &[f64], count: usize) -> Found {
        let look = |&from: &GroupId| match self.budget.clock.over() {
            true => Around::default(),
            false => self.relaxation.around(from, at),
        };
        let looked: Vec<Around> = self.sources[..count].par_iter().map(look).collect();
        let mut found = Found::default();
        for around in looked {
            self.steps += around.steps;
            found.loads.extend(around.load);
            found.covers.extend(around.cover);
        }
        found
    }

    /// The rows broken most, none around a group that is near one chosen before.
    fn choose(&self, mut found: Vec<Broken>, most: usize) -> Vec<Row> {
        found.sort_by(|a, b| b.by.total_cmp(&a.by).then(a.from.cmp(&b.from)));
        let mut covered = vec![false; self.relaxation.groups()];
        let mut chosen = Vec::new();
        for broken in found {
            if !covered[broken.from] && chosen.len() < most {
                broken.near.iter().for_each(|&group| covered[group] = true);
                chosen.push(broken.row);
            }
        }
        chosen
    }
}

/// Broken rows of both kinds.
#[derive(Default)]
struct Found {
    loads: Vec<Broken>,
    covers: Vec<Broken>,
}

impl Found {
    fn none(&self) -> bool {
        self.loads.is_empty() && self.covers.is_empty()
    }
}

#[cfg(test)]
pub(crate) mod tests;
