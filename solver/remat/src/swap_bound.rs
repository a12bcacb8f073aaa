//! A lower bound for plans that recompute and swap, from the interval model with copies to and from the host.
//!
//! Holds for first runs in program order and copies that count in full (no overlap). Small models first; rows and covers are
//! added to the linear program until it breaks none, columns that no plan better than the one known uses
//! are fixed, and branch-and-bound has the time left on the last model.

use ballast_core::limits::Deadline;
use ballast_core::memory::SwapModel;

use crate::cover::broken_cover;
use crate::highs::{Control, Highs, Status};
use crate::incumbent::Progress;
use crate::interval::{Interval, WHOLE_TIME};
use crate::model::{Column, Row};
use crate::program::Program;
use crate::prover::first_positions;

/// Positions of the first model, and how many times more the next one has.
const FIRST_POSITIONS: usize = 8;
const GROWTH: usize = 3;
/// Most columns of a model.
const COLUMNS: usize = 60_000;
/// Rounds of rows added to one linear program, and most rows of a kind in one.
const ROUNDS: usize = 20;
const ROWS: usize = 400;
/// Share of the time left that one linear program with its rounds may take.
const SHARE: f64 = 0.4;
/// Share of the bound taken off for the tolerances of floating-point solvers.
const CAUTION: f64 = 1e-7;
/// Objective units by which a reduced cost has to clear the cutoff.
const CLEAR: f64 = 1e-5;
/// Relative distance of bound and value that is a proof.
const CLOSE: f64 = 1e-5;
/// Moves of the local search that a simplex iteration and a branch-and-bound node count as.
const MOVES_PER_ITERATION: u64 = 20;
const MOVES_PER_NODE: u64 = 5_000;

/// What a bound is looked for against.
pub(crate) struct Goal<'a> {
    /// Extra time of the best plan known: recomputes and copies.
    pub(crate) value: f64,
    pub(crate) deadline: Deadline,
    /// Told to stop?
    pub(crate) stop: &'a dyn Fn() -> bool,
    /// Where the programs solved are noted.
    pub(crate) progress: &'a Progress,
    /// Work that may be done, in moves of the local search; none: the clock alone limits it.
    pub(crate) effort: Option<u64>,
}

/// A lower bound on the extra time of every plan under the cap, at most the value known; and whether it rests on what HiGHS says of its
/// branch and bound.
pub(crate) fn swap_bound(program: &Program, swap: &SwapModel, goal: Goal<'_>) -> (f64, bool) {
    if swap.overlap || goal.value <= 0.0 || !goal.value.is_finite() {
        return (0.0, false);
    }
    // All plans there are: recomputes of a position in any order.
    let program = program.clone().with_rounds(true);
    let mut search = Search {
        program: &program,
        swap,
        unit: goal.value / WHOLE_TIME,
        goal,
        bound: 0.0,
        trusts_highs: false,
    };
    search.run();
    (search.bound * search.unit * (1.0 - CAUTION), search.trusts_highs)
}

struct Search<'a> {
    program: &'a Program,
    swap: &'a SwapModel,
    /// Time of the problem per unit of the objective.
    unit: f64,
    goal: Goal<'a>,
    /// In units of the objective, in which the value known is [`WHOLE_TIME`].
    bound: f64,
    trusts_highs: bool,
}

impl Search<'_> {
    fn over(&self) -> bool {
        (self.goal.stop)()
            || self.goal.deadline.over()
            || self.goal.effort == Some(0)
            || self.bound >= WHOLE_TIME * (1.0 - CLOSE)
    }

    fn raise(&mut self, bound: f64, trusts_highs: bool) {
        // What costs more than the value known was ruled out along the way.
        let bound = bound.min(WHOLE_TIME);
        if bound > self.bound {
            (self.bound, self.trusts_highs) = (bound, trusts_highs);
        }
    }

    fn spend(&mut self, work: u64) {
        if let Some(effort) = &mut self.goal.effort {
            *effort = effort.saturating_sub(work);
        }
    }

    fn run(&mut self) {
        let most = (COLUMNS / 2 / self.program.len().max(1)).max(1);
        let (mut positions, mut last) = (FIRST_POSITIONS.min(most), None);
        while !self.over() {
            let critical = first_positions(self.program, positions);
            if critical.is_empty() {
                return;
            }
            let interval = Interval::with_swaps(self.program, &critical, self.unit, Some(self.swap));
            match self.tighten(interval) {
                Some(interval) => {
                    self.goal.progress.solves(&interval.model);
                    last = Some(interval);
                }
                None => break,
            }
            if critical.len() < positions || positions == most {
                break;
            }
            positions = (positions * GROWTH).min(most);
        }
        if let Some(interval) = last
            && !self.over()
        {
            self.branch(&interval);
        }
    }

    /// Solves the linear program, rows and fixed columns added; the model then. None where it was stopped or there
    /// is no plan below the value.
    fn tighten<'p>(&mut self, mut interval: Interval<'p>) -> Option<Interval<'p>> {
        let mut relaxed = Highs::new(&interval.model, true)?;
        let turn = self.goal.deadline.within(self.goal.deadline.remaining_seconds().min(1e6) * SHARE);
        for _ in 0..ROUNDS {
            let stop = self.goal.stop;
            let control = Control {
                deadline: &turn,
                enough: &|_| stop(),
                refuse: &|_| false,
                better: &|| None,
                nodes: None,
                iterations: self.goal.effort.map(|effort| effort / MOVES_PER_ITERATION),
            };
            let answer = relaxed.solve_linear(&interval.model, &control);
            self.spend(answer.work.max(1) * MOVES_PER_ITERATION);
            if answer.status == Status::Infeasible {
                self.raise(WHOLE_TIME, true);
                return None;
            }
            let (Status::Optimal, Some(point)) = (answer.status, answer.values) else { return None };
            self.raise(answer.bound, false);
            if self.over() {
                return None;
            }
            let room = WHOLE_TIME - answer.bound + CLEAR;
            let model = &mut interval.model;
            let fixed: Vec<(Column, f64)> = (0..model.cost.len())
                .filter(|&column| model.lower[column] < model.upper[column])
                .filter(|&column| answer.reduced[column].abs() > room)
                .map(|column| (column, if answer.reduced[column] > 0.0 { 0.0 } else { 1.0 }))
                .collect();
            fixed.iter().for_each(|&(column, value)| model.fix(column, value));
            relaxed.fix(&fixed)?;
            let mut running = interval.broken_running(&point, 0.02, 1e-3);
            keep_most_broken(&mut running, |row| row.value(&point) - row.upper);
            let memory = interval.model.rows.iter().filter(|row| row.is_memory()).chain(&running);
            let mut covers: Vec<Row> = memory.filter_map(|row| broken_cover(row, &point)).collect();
            keep_most_broken(&mut covers, |row| row.lower - row.value(&point));
            running.append(&mut covers);
            if running.is_empty() || turn.over() {
                break;
            }
            relaxed.add_rows(&running)?;
            interval.model.rows.append(&mut running);
        }
        Some(interval)
    }

    fn branch(&mut self, interval: &Interval<'_>) {
        let Some(mut highs) = Highs::new(&interval.model, false) else { return };
        if highs.gaps(0.0, WHOLE_TIME * CLOSE).is_none() || highs.cutoff(WHOLE_TIME).is_none() {
            return;
        }
        let stop = self.goal.stop;
        let control = Control {
            deadline: &self.goal.deadline,
            enough: &|_| stop(),
            refuse: &|_| false,
            better: &|| None,
            nodes: self.goal.effort.map(|effort| effort / MOVES_PER_NODE),
            iterations: None,
        };
        let answer = highs.solve(&control);
        self.spend(answer.work.max(1) * MOVES_PER_NODE);
        match answer.status {
            Status::Infeasible => self.raise(WHOLE_TIME, true),
            Status::Optimal | Status::Stopped => self.raise(answer.bound, true),
            Status::Failed => {}
        }
    }
}

/// Keeps the rows a point breaks most.
fn keep_most_broken(rows: &mut Vec<Row>, excess: impl Fn(&Row) -> f64) {
    rows.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    rows.truncate(ROWS);
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Options, Order, Solver, plan};

    /// The bound is never above the optimum of the full program, and mostly meets it.
    #[test]
    fn the_bound_lies_below_the_optimum_of_recomputes_and_swaps() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut met, mut solved, mut swapped) = (0, 0, 0);
        for _ in 0..250 {
            let n = rng.random_range(4..8);
            let nodes: Vec<Node> = (0..n)
                .map(|id: usize| {
                    let inputs = (0..id).filter(|_| rng.random_bool(0.4)).collect();
                    let time = f64::from(rng.random_range(1..9));
                    let mut node = Node::new(format!("n{id}"), time, rng.random_range(1..9), inputs);
                    node.recomputable = rng.random_bool(0.8);
                    node.swappable = rng.random_bool(0.8);
                    node
                })
                .collect();
            let problem = Problem { name: "random".into(), nodes, resident_bytes: 0 };
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            if least >= peak {
                continue;
            }
            let swap = SwapModel {
                out_bandwidth: rng.random_range(0.5..6.0),
                in_bandwidth: rng.random_range(0.5..6.0),
                latency: rng.random_range(0.0..0.5),
                overlap: false,
                host_capacity_bytes: None,
            };
            let cap_bytes = rng.random_range(least..peak);
            let program = Program::new(&problem, None, cap_bytes);
            let deadline = Deadline::after(None);
            let options = Options {
                cap_bytes,
                swap: Some(swap),
                order: Order::Program,
                solver: Solver::STEPWISE,
                ..Options::default()
            };
            let Ok(exact) = plan(&problem, &options) else { continue };
            assert!(exact.report.proved());
            let optimum = exact.report.bound().value() - problem.total_time();
            // The value known may be any plan's, not only the best one's.
            let value = optimum * rng.random_range(1.0..1.5);
            let goal =
                Goal { value, deadline, stop: &|| false, progress: &Progress::default(), effort: None };
            let (bound, _) = swap_bound(&program, &swap, goal);
            assert!(
                bound <= optimum * (1.0 + 1e-6) + 1e-9,
                "{bound} above {optimum} of {problem:?} under {swap:?}"
            );
            solved += 1;
            met += usize::from(bound >= optimum * (1.0 - 1e-4));
            swapped += usize::from(exact.replay.swap_bytes > 0);
        }
        assert!(solved > 80 && swapped > 20, "{solved} {swapped}");
        assert!(met * 10 > solved * 6, "{met} of {solved}");
    }
}
