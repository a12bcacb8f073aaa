//! Lower bounds on free plans by column generation: profits as in `price_bound`, as good as a linear program can make them.
//!
//! A plan with no load above `T` covers every group by one set per device, each of load at most `T`. Whether sets
//! can do that in shares is a linear program with a column for every such set (Gilmore and Gomory, "A linear programming
//! approach to the cutting-stock problem", Operations Research 9, 1961). Its dual asks for profits of the groups, 1 in sum,
//! that leave something over: `1 - sum over kinds of count_k * z_k > 0`, where `z_k` is the most that one set on a device of
//! kind `k` has. Then every plan has a load above `T`.
//!
//! The profits come from that program over the sets seen so far, the sets from HiGHS for these profits, and only what
//! HiGHS proves of `z_k` counts. Profits stay in a box around the best ones so far, which grows once nothing in it proves
//! the threshold: a few sets say little of what lies far off (Marsten, Hogan and Blankenship, "The boxstep method for
//! large-scale optimization", Operations Research 23, 1975).

use ballast_core::limits::Deadline;
use highs::{Col, HighsModelStatus, RowProblem, Sense};
use rayon::prelude::*;

use crate::bound::WorkPrices;
use crate::hypergraph::Hypergraph;
use crate::mip::{MipLimits, Richest, richest_set};
use crate::price_bound::{BELOW, MOST_GROUPS, SLACK};
use crate::reduce::{merge_dominated, merge_uncuttable};
use crate::session::LAST_PERCENT;

/// The relative gap that a program for one set may leave.
const GAP: f64 = 1e-4;

/// Where the next profits lie on the way from the best ones to those that the program over sets asks for: at a step, and at this
/// multiple of it. The step grows where that was better than the best, and shrinks where it was not.
const FURTHER: f64 = 2.5;
const STEP: f64 = 0.3;
const STEP_GROWTH: f64 = 1.6;
const STEP_LEAST: f64 = 0.01;

/// Profits in a row that leave nothing more over, after which an attempt is given up in the last percent: what is far from proving that seldom comes to.
const MOST_IDLE: u32 = 5;

/// The box at first, what it grows by, and the size above which it is everything.
const BOX: f64 = 1.5;
const BOX_GROWTH: f64 = 2.0;
const BOX_MOST: f64 = 200.0;

/// Share of the mean profit by which the box is wider, so that profits of nothing can rise.
const BOX_MEAN: f64 = 0.05;

/// Between bound and value, relative: below the first nothing is tried, below the second the value itself is.
const CLOSED: f64 = 1e-4;
const NEARLY: f64 = 0.02;

/// What one call may take.
pub(crate) struct Budget<'a> {
    /// Ends the call.
    pub(crate) clock: &'a Deadline,
    /// Programs for one set, at most (about).
    pub(crate) programs: u64,
    /// Branch-and-bound nodes of one program.
    pub(crate) nodes: u32,
    /// Seed of HiGHS's own choices.
    pub(crate) seed: u64,
}

/// What a call proved.
pub(crate) struct Raised {
    /// No plan has a smaller largest load; it rests on what HiGHS says of its branch and bound.
    pub(crate) bound: f64,
    /// Programs solved for it.
    pub(crate) programs: u64,
}

/// A set of groups that fits one device of a kind under a threshold.
struct Set {
    kind: usize,
    groups: Vec<u32>,
    load: f64,
}

/// What is known of profits from call to call.
#[derive(Default)]
pub(crate) struct Covering {
    /// Profit of every node of the problem: groups change with the value of the best plan.
    profit: Vec<f64>,
    /// A threshold at which shares of sets cover all groups.
    covered: Option<f64>,
}

/// How an attempt at one threshold ended.
enum Outcome {
    /// Every plan exceeds the threshold.
    Proved,
    /// Shares of sets cover all groups: no profits prove the threshold.
    Covered,
    /// A limit came first.
    Open,
}

impl Covering {
    /// Raises a bound towards the value of the best plan known.
    pub(crate) fn raise(
        &mut self,
        graph: &Hypergraph,
        value: f64,
        bound: f64,
        budget: &Budget<'_>,
    ) -> Raised {
        let mut raised = Raised { bound, programs: 0 };
        if graph.len() > MOST_GROUPS || !value.is_finite() {
            return raised;
        }
        let graph = merge_dominated(&merge_uncuttable(graph, value), value, false);
        let nodes = graph.members.iter().flatten().max().map_or(0, |&v| v + 1);
        let mut sets = Vec::new();
        while !budget.clock.over() && raised.programs < budget.programs {
            let high = self.covered.unwrap_or(f64::INFINITY).min(value * (1.0 - BELOW));
            if high - raised.bound < CLOSED * value {
                break;
            }
            let all = self.covered.is_none() && high - raised.bound < NEARLY * value;
            let threshold = if all { high } else { 0.5 * (raised.bound + high) };
            let mut attempt = Attempt::new(&graph, threshold, self.profits(&graph), sets);
            let most_idle = if high - raised.bound < LAST_PERCENT * value { MOST_IDLE } else { u32::MAX };
            let outcome = attempt.run(budget, most_idle, &mut raised.programs);
            self.keep(&graph, &attempt.centre, nodes);
            sets = attempt.sets;
            match outcome {
                Outcome::Proved => raised.bound = threshold,
                Outcome::Covered => self.covered = Some(threshold),
                Outcome::Open => break,
            }
        }
        raised
    }

    /// The best profits so far; work, where there are none yet.
    fn profits(&self, graph: &Hypergraph) -> Vec<f64> {
        let of_nodes = |nodes: &Vec<usize>| nodes.iter().map(|&v| self.profit[v]).sum();
        match self.profit.is_empty() {
            true => WorkPrices::fit(graph).work,
            false => graph.members.iter().map(of_nodes).collect(),
        }
    }

    fn keep(&mut self, graph: &Hypergraph, profit: &[f64], nodes: usize) {
        self.profit = vec![0.0; nodes];
        for (members, &profit) in graph.members.iter().zip(profit) {
            members.iter().for_each(|&v| self.profit[v] = profit / members.len() as f64);
        }
    }
}

/// One threshold, for the groups that plans below the value have.
struct Attempt<'a> {
    graph: &'a Hypergraph,
    /// Kinds of which there are devices.
    kinds: Vec<usize>,
    threshold: f64,
    sets: Vec<Set>,
    /// The best profits so far, 1 in sum.
    centre: Vec<f64>,
    /// What they leave over, proved.
    left: f64,
    /// Size of the box.
    reach: f64,
}

impl<'a> Attempt<'a> {
    /// Of the sets seen those that fit this threshold stay.
    fn new(graph: &'a Hypergraph, threshold: f64, profit: Vec<f64>, mut sets: Vec<Set>) -> Self {
        let total: f64 = profit.iter().sum();
        // Groups that take no time, only bytes and transfers, have no work to begin with.
        let share = |p: f64| if total > 0.0 { p / total } else { 1.0 / graph.len() as f64 };
        let centre = profit.into_iter().map(share).collect();
        let kinds: Vec<usize> = (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0).collect();
        sets.retain(|set| set.load <= threshold * (1.0 + SLACK));
        Attempt { graph, kinds, threshold, sets, centre, left: f64::NEG_INFINITY, reach: BOX }
    }

    fn run(&mut self, budget: &Budget<'_>, most_idle: u32, programs: &mut u64) -> Outcome {
        let mut points = vec![self.centre.clone()];
        let mut step = STEP;
        let mut idle = 0;
        loop {
            let before = self.left;
            *programs += (points.len() * self.kinds.len()) as u64;
            for (point, priced) in self.price(points, budget) {
                self.learn(point, priced);
            }
            if self.left > SLACK {
                return Outcome::Proved;
            }
            tracing::debug!(
                "covering at {}: {:.6} left, {} sets, box {}, {:.1} s",
                self.threshold,
                self.left,
                self.sets.len(),
                self.reach,
                budget.clock.elapsed_seconds()
            );
            idle = if self.left > before { 0 } else { idle + 1 };
            if budget.clock.over() || *programs >= budget.programs || idle >= most_idle {
                return Outcome::Open;
            }
            let asked = loop {
                let Some((asked, most)) = self.ask(budget.clock) else { return Outcome::Open };
                if most > SLACK {
                    break asked;
                }
                if self.reach > BOX_MOST {
                    return Outcome::Covered;
                }
                self.reach *= BOX_GROWTH;
            };
            step = match self.left > before {
                true => (step * STEP_GROWTH).min(1.0 / FURTHER),
                false => (step / STEP_GROWTH).max(STEP_LEAST),
            };
            let mixed =
                |share: f64| self.centre.iter().zip(&asked).map(|(c, a)| c + share * (a - c)).collect();
            points = vec![mixed(step), mixed(step * FURTHER)];
        }
    }

    /// The richest set of every kind for each of the profits; none where HiGHS says nothing.
    fn price(&self, points: Vec<Vec<f64>>, budget: &Budget<'_>) -> Vec<(Vec<f64>, Option<Vec<Richest>>)> {
        let limits = MipLimits {
            seconds: budget.clock.remaining_seconds(),
            nodes: budget.nodes,
            seed: budget.seed,
            threads: 1,
        };
        let tasks: Vec<(usize, usize)> =
            (0..points.len()).flat_map(|point| self.kinds.iter().map(move |&kind| (point, kind))).collect();
        let richest = |(point, kind): (usize, usize)| {
            richest_set(self.graph, kind, &points[point], self.threshold, GAP, limits)
        };
        let mut answers: Vec<Option<Richest>> = tasks.into_par_iter().map(richest).collect();
        points.into_iter().map(|point| (point, answers.drain(..self.kinds.len()).collect())).collect()
    }

    /// Takes up the sets, and the profits where they leave more over.
    fn learn(&mut self, point: Vec<f64>, priced: Option<Vec<Richest>>) {
        let Some(priced) = priced else { return };
        let count = |kind: usize| self.graph.kinds[kind].count as f64;
        let held: f64 =
            self.kinds.iter().zip(&priced).map(|(&kind, richest)| count(kind) * richest.bound.max(0.0)).sum();
        let left = point.iter().sum::<f64>() - held;
        if left > self.left {
            (self.centre, self.left) = (point, left);
        }
        for (&kind, Richest { set: groups, .. }) in self.kinds.iter().zip(priced) {
            let load = load(self.graph, kind, &groups);
            if !groups.is_empty() && load <= self.threshold * (1.0 + SLACK) {
                self.sets.push(Set { kind, groups, load });
            }
        }
    }

    /// The profits in the box that leave the most over as far as the sets seen tell, and how much that is.
    fn ask(&self, clock: &Deadline) -> Option<(Vec<f64>, f64)> {
        let mut problem = RowProblem::new();
        let wider = BOX_MEAN * (self.reach - 1.0) / self.graph.len() as f64;
        let range = |&centre: &f64| match self.reach > BOX_MOST {
            true => 0.0..=1.0,
            false => (centre / self.reach - wider).max(0.0)..=centre * self.reach + wider,
        };
        let profit: Vec<Col> = self.centre.iter().map(|c| problem.add_column(1.0, range(c))).collect();
        let count = |kind: usize| self.graph.kinds[kind].count as f64;
        let held: Vec<Col> = self.kinds.iter().map(|&kind| problem.add_column(-count(kind), 0.0..)).collect();
        problem.add_row(1.0..=1.0, profit.iter().map(|&column| (column, 1.0)));
        for set in &self.sets {
            let at = self.kinds.iter().position(|&kind| kind == set.kind)?;
            let row = set.groups.iter().map(|&g| (profit[g as usize], -1.0)).chain([(held[at], 1.0)]);
            problem.add_row(0.0.., row);
        }
        let mut model = problem.try_optimise(Sense::Maximise).ok()?;
        model.make_quiet();
        model.set_threads(std::num::NonZeroU32::MIN);
        if clock.remaining_seconds().is_finite() {
            model.set_option("time_limit", clock.remaining_seconds().max(0.01));
        }
        let solved = model.try_solve().ok().filter(|solved| solved.status() == HighsModelStatus::Optimal)?;
        let solution = solved.get_solution();
        let columns = solution.columns();
        let asked = profit.iter().map(|column| columns[column.index()].max(0.0)).collect();
        let held = self
            .kinds
            .iter()
            .zip(&held)
            .map(|(&kind, column)| count(kind) * columns[column.index()])
            .sum::<f64>();
        Some((asked, 1.0 - held))
    }
}

/// Load of a set of groups on a device of a kind.
fn load(graph: &Hypergraph, kind: usize, groups: &[u32]) -> f64 {
    let mut inside = vec![false; graph.len()];
    groups.iter().for_each(|&g| inside[g as usize] = true);
    let work: f64 = groups.iter().map(|&g| graph.time(g as usize, kind)).sum();
    let cut = graph.net_cost.iter().enumerate().filter(|&(net, _)| {
        let pins = graph.pins.of(net);
        let within = pins.iter().filter(|&&g| inside[g as usize]).count();
        within > 0 && within < pins.len()
    });
    let factor = graph.kinds[kind].transfer_factor;
    work + if factor > 0.0 { factor * cut.map(|(_, cost)| cost).sum::<f64>() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::bound::simple_bound;
    use crate::problem::{Kind, Node, Problem};
    use crate::spreading::tests::{best_of_all, random_problem};

    fn raise(problem: &Problem, value: f64) -> f64 {
        let graph = Hypergraph::of(problem);
        let bound = simple_bound(&graph, &WorkPrices::fit(&graph));
        let clock = Deadline::after(None);
        let budget = Budget { clock: &clock, programs: 200, nodes: 2_000, seed: 1 };
        Covering::default().raise(&graph, value, bound, &budget).bound
    }

    #[test]
    fn no_plan_of_a_small_problem_is_below_the_bound_and_most_of_the_gap_closes() {
        let mut random = ChaCha8Rng::seed_from_u64(41);
        let (mut cases, mut raised, mut closed) = (0, 0, 0);
        for case in 0..60 {
            let problem = random_problem(&mut random);
            let best = best_of_all(&problem);
            if !(best > 0.0 && best.is_finite()) {
                continue;
            }
            // A plan that is a little worse than the best proves no less.
            let value = best * [1.0, 1.3][random.random_range(0..2)];
            let graph = Hypergraph::of(&problem);
            let simple = simple_bound(&graph, &WorkPrices::fit(&graph));
            let bound = raise(&problem, value);
            assert!(bound <= best * (1.0 + 1e-6), "case {case}: {bound} above {best}");
            assert!(bound >= simple.min(best), "case {case}: {bound} below {simple}");
            if simple < best * (1.0 - 1e-3) {
                cases += 1;
                raised += u32::from(bound > simple * (1.0 + 1e-3));
                closed += u32::from(bound >= best * (1.0 - 1e-3));
            }
        }
        assert!(
            cases > 20 && raised * 10 >= cases * 9 && closed * 2 >= cases,
            "{cases}: {raised} raised, {closed} closed"
        );
    }

    /// Five groups of work 2 on four devices: two of them share one, which neither work over devices (2.5) nor the largest group (2) tells.
    #[test]
    fn groups_that_do_not_divide_are_counted() {
        let node = || Node {
            id: String::new(),
            time: vec![2.0],
            size_bytes: 0.0,
            backward: false,
            colour: None,
            output_cost: 0.0,
            readers: Vec::new(),
        };
        let kind = Kind { name: String::new(), count: 4, memory_bytes: f64::INFINITY, transfer_factor: 1.0 };
        let problem = Problem {
            name: String::new(),
            kinds: vec![kind],
            nodes: (0..5).map(|_| node()).collect(),
            colours: 0,
        };
        let bound = raise(&problem, 4.0);
        assert!((3.99..=4.0).contains(&bound), "{bound}");
    }
}
