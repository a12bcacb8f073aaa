//! A lower bound for plans that recompute and swap, from the interval model with copies to and from the host, and the plans it meets.
//!
//! Holds for first runs in program order. Small models first; rows and covers are added to the linear program until it breaks none,
//! columns that no plan better than the one known uses are fixed, and branch-and-bound has the time left. Its solutions are plans or
//! nearly so: positions and rows are added where they break the cap or need the host link for longer than there is, and plans are
//! offered to the searches.

use std::cell::RefCell;

use ballast_core::limits::Deadline;
use ballast_core::memory::{Problem, SwapModel};
use ballast_core::report::Prover;

use crate::aim::CAUTION;
use crate::completion::with_copies;
use crate::cover::broken_cover;
use crate::durations::broken_durations;
use crate::exchange::{Exchange, State, assess_plan};
use crate::highs::{Control, Highs, Status};
use crate::host::DETAILED;
use crate::incumbent::{Progress, Proved};
use crate::interval::Interval;
use crate::lane_rows::broken_lanes;
use crate::link_rows::{broken_link, overloaded_with_link};
use crate::model::{Column, Row, WHOLE_TIME, keep_most_broken};
use crate::outcome::PROVED_WITHIN;
use crate::passage::{broken_passages, plan_through};
use crate::program::{Plan, Program, Slot};
use crate::prover::{
    CLEAR, LEAST_GAIN, MORE_POSITIONS, MOVES_PER_ITERATION, MOVES_PER_NODE, first_positions,
};
use crate::windows::{CARRIED_SMALL, broken_windows, carried};

/// Nodes of a program whose proof may be expected to end, with copies in full.
const SMALL: usize = 300;
/// Positions of the first model.
const FIRST_POSITIONS: usize = 8;
/// Most columns of a model.
const COLUMNS: usize = 60_000;
/// Rounds of rows added to one linear program, and most rows of a kind in one.
const ROUNDS: usize = 20;
const ROWS: usize = 400;
/// Most positions to go on with of those that a proof without swaps ended with: where that took many, their bound would take too long.
const WATCHED: usize = 16;
/// How often positions are added from rounded solutions of linear programs.
const ROUNDED: usize = 2;
/// Rounds in a row that may raise the bound by less than [`LEAST_GAIN`] of the value.
const IDLE_ROUNDS: usize = 3;
/// Share of the time left, and moves per node, that a plan has to keep the cap by copies.
const COMPLETION: f64 = 0.1;
const COMPLETION_MOVES_PER_NODE: u64 = 50;
/// Objective units by which a row of the host link has to be broken.
const LEAST_WAIT: f64 = 1e-3;
/// Share of the time left that one linear program with its rounds may take.
const SHARE: f64 = 0.4;
/// Share of the value from which on a bound is near.
const NEAR: f64 = 0.75;
/// Share of what a proof may leave open that is left open.
const SAFE: f64 = 0.9;

/// What a bound is looked for against.
pub(crate) struct Goal<'a> {
    /// Time of the best plan known at the moment.
    pub(crate) known: &'a dyn Fn() -> f64,
    /// Takes a plan under the cap, with its time.
    pub(crate) offer: &'a dyn Fn(f64, Plan),
    pub(crate) deadline: Deadline,
    /// When to give up while the bound is far from the value.
    pub(crate) patience: Deadline,
    /// Told to stop?
    pub(crate) stop: &'a dyn Fn() -> bool,
    /// Where the programs solved are noted.
    pub(crate) progress: &'a Progress,
    /// Work that may be done, in moves of the local search; none: the clock alone limits it.
    pub(crate) effort: Option<u64>,
}

/// What is to be planned.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) program: &'a Program,
    pub(crate) swap: &'a SwapModel,
    pub(crate) cap_bytes: u64,
}

/// A lower bound on the extra time of every plan under the cap, at most that of the best plan known. Plans met on the way are offered.
pub(crate) fn swap_bound(stage: Stage<'_>, goal: Goal<'_>) -> Proved {
    let value = (goal.known)() - stage.program.total_time;
    if value <= 0.0 || !value.is_finite() {
        return Proved::NOTHING;
    }
    let mut search = Search {
        stage,
        unit: value / WHOLE_TIME,
        goal,
        bound: 0.0,
        prover: Prover::EachOpOnce,
        work: 0,
        point: Vec::new(),
    };
    search.run();
    let Search { bound, prover, work, unit, .. } = search;
    Proved { extra: bound * unit * (1.0 - CAUTION), prover, work }
}

/// Positions with most bytes on the device without a plan, beside those known.
fn fullest(program: &Program, known: &[Slot], count: usize) -> Vec<Slot> {
    let bytes = program.unplanned();
    let mut others: Vec<Slot> =
        (0..program.len() as Slot).filter(|at| known.binary_search(at).is_err()).collect();
    others.sort_by(|&a, &b| bytes[b as usize].total_cmp(&bytes[a as usize]).then(a.cmp(&b)));
    others.truncate(count);
    others
}

/// May the proof of a program be expected to end?
pub(crate) fn is_small(program: &Program, swap: &SwapModel) -> bool {
    program.len() <= if swap.overlap { DETAILED } else { SMALL }
}

struct Search<'a> {
    stage: Stage<'a>,
    /// Time of the problem per unit of the objective: the best plan known at the start is at [`WHOLE_TIME`].
    unit: f64,
    goal: Goal<'a>,
    /// In units of the objective.
    bound: f64,
    prover: Prover,
    /// Work so far, in moves of the local search.
    work: u64,
    /// The solution of the linear program of the last model; empty where it did not come to one.
    point: Vec<f64>,
}

impl<'a> Search<'a> {
    /// Extra time of the best plan known, in units of the objective.
    fn value(&self) -> f64 {
        ((self.goal.known)() - self.stage.program.total_time) / self.unit
    }

    /// Objective of the plans that need not be looked for: those by which the best one known is better than what a proof may leave open.
    fn cutoff(&self) -> f64 {
        let open = self.stage.program.total_time / self.unit * PROVED_WITHIN * SAFE;
        (self.value() - open).clamp(0.0, WHOLE_TIME)
    }

    /// Until when it is worth going on.
    fn deadline(&self) -> Deadline {
        if self.bound >= self.cutoff() * NEAR { self.goal.deadline } else { self.goal.patience }
    }

    fn over(&self) -> bool {
        (self.goal.stop)()
            || self.deadline().over()
            || self.goal.effort == Some(0)
            || self.bound >= self.cutoff()
    }

    fn raise(&mut self, bound: f64, prover: Prover) {
        // What costs more was ruled out along the way.
        let bound = bound.min(self.cutoff());
        if bound > self.bound {
            tracing::debug!(
                bound,
                ?prover,
                seconds = self.goal.deadline.elapsed_seconds(),
                "bound with swaps"
            );
            (self.bound, self.prover) = (bound, prover);
        }
    }

    fn spend(&mut self, work: u64) {
        self.work += work;
        if let Some(effort) = &mut self.goal.effort {
            *effort = effort.saturating_sub(work);
        }
    }

    /// Models of more and more of the positions: the linear program with all its rows, branch and bound, and the positions at which its
    /// solution is over the cap or waits.
    fn run(&mut self) {
        let program = self.stage.program;
        let most = (COLUMNS / 2 / program.len().max(1)).max(1);
        let first = first_positions(program, FIRST_POSITIONS.min(most));
        if first.is_empty() {
            return;
        }
        let mut last = self.tightened(&first, None);
        let watched = self.goal.progress.watched();
        if last.is_some() && watched != first && watched.len() <= most.min(WATCHED) && !watched.is_empty() {
            last = self.tightened(&watched, None);
        }
        for _ in 0..ROUNDED {
            let Some(interval) = &last else { break };
            let mut more = self.unseen(interval);
            more.truncate(MORE_POSITIONS);
            if more.is_empty() || more.len() + interval.critical.len() > most || self.over() {
                break;
            }
            more.extend(&interval.critical);
            more.sort_unstable();
            last = self.tightened(&more, None);
        }
        while let Some(mut interval) = last.take()
            && !self.over()
        {
            let Some(points) = self.branch(&interval) else { return };
            let Some(point) = points.last() else { return };
            // First, as a better plan makes the rows of the link stronger.
            let short = self.plan_of(&interval, point);
            self.spend(COMPLETION_MOVES_PER_NODE * self.stage.program.len() as u64);
            let over = || self.over();
            let mut rows: Vec<Row> = Vec::new();
            for point in &points {
                let passages =
                    if self.is_small() { broken_passages(&interval, point, &over) } else { Vec::new() };
                let durations = broken_durations(&interval, point, LEAST_WAIT, &over);
                let running = interval.broken_running(point, 0.5, 1e-6);
                let link = broken_link(&interval, point, LEAST_WAIT, self.cutoff());
                let lanes = broken_lanes(&interval, point, LEAST_WAIT);
                for row in running.into_iter().chain(link).chain(lanes).chain(durations).chain(passages) {
                    if !rows.contains(&row) {
                        rows.push(row);
                    }
                }
            }
            let known = &interval.critical;
            let mut critical: Vec<Slot> =
                short.into_iter().filter(|at| known.binary_search(at).is_err()).collect();
            if rows.is_empty() && critical.is_empty() {
                rows = broken_passages(&interval, point, &over);
            }
            if rows.is_empty() && critical.is_empty() && self.is_small() {
                critical =
                    fullest(self.stage.program, known, FIRST_POSITIONS.min(most - known.len().min(most)));
            }
            tracing::debug!(rows = rows.len(), positions = critical.len(), "solution with swaps looked at");
            if rows.is_empty() {
                if critical.is_empty() || critical.len() + known.len() > most {
                    return;
                }
                critical.extend(known);
                critical.sort_unstable();
                last = self.tightened(&critical, self.is_small().then_some(&interval));
            } else {
                interval.model.rows.append(&mut rows);
                last = self.tighten(interval);
            }
        }
    }

    /// Positions beside the critical ones at which the rounded solution of the linear program is over the cap by more than the link carries.
    fn unseen(&self, interval: &Interval<'_>) -> Vec<Slot> {
        if self.point.is_empty() {
            return Vec::new();
        }
        let known = &interval.critical;
        let short = overloaded_with_link(interval, &self.point, self.cutoff(), &self.deadline());
        short.into_iter().filter(|at| known.binary_search(at).is_err()).collect()
    }

    /// The model of some positions, its rows added and columns fixed; with those that one of fewer positions tells.
    fn tightened(&mut self, critical: &[Slot], before: Option<&Interval<'a>>) -> Option<Interval<'a>> {
        let mut interval =
            Interval::with_swaps(self.stage.program, critical, self.unit, Some(self.stage.swap));
        tracing::debug!(
            positions = critical.len(),
            columns = interval.model.cost.len(),
            "interval model with swaps"
        );
        let mut rows = before.map_or_else(Vec::new, |before| carried(&interval, before, CARRIED_SMALL));
        interval.model.rows.append(&mut rows);
        let interval = self.tighten(interval)?;
        self.goal.progress.solves(&interval.model);
        Some(interval)
    }

    /// Offers the plan of a point; the positions at which it is over the cap, and those where computation waits: the model sees neither but at
    /// its critical positions.
    fn plan_of(&self, interval: &Interval<'_>, point: &[f64]) -> Vec<Slot> {
        if interval.link.is_some() {
            self.complete(interval, point);
        }
        if !interval.copies {
            return overloaded_with_link(interval, point, self.cutoff(), &self.deadline());
        }
        if let Some(plan) = plan_through(interval, point) {
            self.assessed(plan);
        }
        let mut short = Vec::new();
        for early in [false, true] {
            let plan = interval.plan(point, early);
            let Some(state) = self.assessed(plan) else { continue };
            let unseen = state.short.into_iter().chain(state.waiting);
            short.extend(unseen.flat_map(|at| [at.saturating_sub(1), at]));
        }
        short.sort_unstable();
        short.dedup();
        short
    }

    /// What a plan takes; offered where it keeps the cap.
    fn assessed(&self, plan: Plan) -> Option<State> {
        let Stage { problem, program, swap, cap_bytes } = self.stage;
        let state = assess_plan(problem, program, swap, cap_bytes, &plan)?;
        tracing::debug!(time = state.time, excess = state.excess, "solution with swaps");
        if state.excess <= 0.0 {
            (self.goal.offer)(state.time, plan);
        }
        Some(state)
    }

    /// Offers a plan with the recomputes of a point whose copies are left out: copies as they fit, and a short search from there.
    fn complete(&self, interval: &Interval<'_>, point: &[f64]) {
        let Stage { problem, program, swap, cap_bytes } = self.stage;
        let again = interval.plan(point, false).again;
        let turn = self.goal.deadline.within(self.goal.deadline.remaining_seconds().min(1e6) * COMPLETION);
        let Some(plan) = with_copies(problem, program, swap, cap_bytes, &again, &turn) else { return };
        let start = self.assessed(plan.clone());
        let Some(mut search) = Exchange::new(problem, program, *swap, cap_bytes, 0, plan) else { return };
        search.run(COMPLETION_MOVES_PER_NODE * program.len() as u64, &turn);
        tracing::debug!(
            from = start.map(|state| (state.time, state.excess)).map_or(0.0, |(time, _)| time),
            to = search.best().map_or(0.0, |(time, _)| time),
            "completed"
        );
        if let Some((time, plan)) = search.best() {
            (self.goal.offer)(time, plan.clone());
        }
    }

    /// Solves the linear program, rows and fixed columns added; the model then. None where it was stopped or there
    /// is no plan below the value.
    fn tighten<'p>(&mut self, mut interval: Interval<'p>) -> Option<Interval<'p>> {
        let mut relaxed = Highs::new(&interval.model, true)?;
        let turn = self.goal.deadline.within(self.goal.deadline.remaining_seconds().min(1e6) * SHARE);
        let (mut reached, mut idle) = (f64::NEG_INFINITY, 0);
        self.point.clear();
        for _ in 0..ROUNDS {
            let stop = self.goal.stop;
            let enough = |_| stop();
            let iterations = self.goal.effort.map(|effort| effort / MOVES_PER_ITERATION);
            let control = Control { iterations, ..Control::until(&turn, &enough) };
            let answer = relaxed.solve_linear(&interval.model, &control);
            self.spend(answer.work.max(1) * MOVES_PER_ITERATION);
            if answer.status == Status::Infeasible {
                self.raise(f64::INFINITY, Prover::BranchAndBound);
                return None;
            }
            let (Status::Optimal, Some(point)) = (answer.status, answer.values) else { break };
            self.raise(answer.bound, Prover::LinearProgram);
            if self.over() {
                return None;
            }
            if answer.bound > reached + LEAST_GAIN * WHOLE_TIME {
                (reached, idle) = (answer.bound, 0);
            } else {
                idle += 1;
            }
            let room = self.cutoff() - answer.bound + CLEAR;
            let model = &mut interval.model;
            let fixed: Vec<(Column, f64)> = (0..model.cost.len())
                .filter(|&column| model.integer[column] && model.lower[column] < model.upper[column])
                .filter(|&column| answer.reduced[column].abs() > room)
                .map(|column| (column, if answer.reduced[column] > 0.0 { 0.0 } else { 1.0 }))
                .collect();
            fixed.iter().for_each(|&(column, value)| model.fix(column, value));
            relaxed.fix(&fixed)?;
            let mut running = interval.broken_running(&point, 0.02, 1e-3);
            keep_most_broken(&mut running, ROWS, |row| row.value(&point) - row.upper);
            let memory = interval.model.rows.iter().filter(|row| row.is_memory()).chain(&running);
            let mut covers: Vec<Row> = memory.filter_map(|row| broken_cover(row, &point)).collect();
            keep_most_broken(&mut covers, ROWS, |row| row.lower - row.value(&point));
            running.append(&mut covers);
            let mut link = broken_link(&interval, &point, LEAST_WAIT, self.cutoff());
            keep_most_broken(&mut link, ROWS, |row| row.value(&point) - row.upper);
            running.append(&mut link);
            running.append(&mut broken_lanes(&interval, &point, LEAST_WAIT));
            if running.is_empty() || idle > 0 {
                // They are many, and say nothing of the link: it comes first.
                let mut windows = broken_windows(&interval, &point);
                keep_most_broken(&mut windows, ROWS, |row| row.lower - row.value(&point));
                running.append(&mut windows);
            }
            tracing::debug!(
                bound = answer.bound,
                rows = running.len(),
                fixed = fixed.len(),
                seconds = self.goal.deadline.elapsed_seconds(),
                "cuts with swaps"
            );
            self.point = point;
            if running.is_empty() || idle == IDLE_ROUNDS || turn.over() {
                break;
            }
            relaxed.add_rows(&running)?;
            interval.model.rows.append(&mut running);
        }
        Some(interval)
    }

    /// Is each model solved to its own optimum? That takes little of the time of a small one, and its solutions that are no plans say
    /// more together than the first of them.
    fn is_small(&self) -> bool {
        is_small(self.stage.program, self.stage.swap)
    }

    /// Branch and bound: points better than the best plan known that are over the cap or wait longer than they say, the best one last. The first ends it,
    /// but on small models. None where the time is over or there is none.
    fn branch(&mut self, interval: &Interval<'_>) -> Option<Vec<Vec<f64>>> {
        let mut highs = Highs::new(&interval.model, false)?;
        let cutoff = self.cutoff();
        highs.gaps(0.0, (self.value() - cutoff).max(CLEAR))?;
        highs.cutoff(cutoff)?;
        let (stop, deadline, refuses) = (self.goal.stop, self.deadline(), !self.is_small());
        let met = RefCell::new(Vec::new());
        let Stage { problem, program, swap, cap_bytes } = self.stage;
        let refuse = |point: &[f64]| {
            if !interval.copies {
                return !broken_link(interval, point, LEAST_WAIT, cutoff).is_empty()
                    || !overloaded_with_link(interval, point, cutoff, &deadline).is_empty();
            }
            let plan = interval.plan(point, false);
            let state = assess_plan(problem, program, swap, cap_bytes, &plan);
            let lanes = || !broken_lanes(interval, point, LEAST_WAIT).is_empty();
            let is_no_plan = state.is_none_or(|state| state.excess > 0.0) || lanes();
            if is_no_plan && !refuses {
                met.borrow_mut().push(point.to_vec());
            }
            is_no_plan && refuses
        };
        let enough = |_| stop();
        let nodes = self.goal.effort.map(|effort| effort / MOVES_PER_NODE);
        let control = Control { refuse: &refuse, nodes, ..Control::until(&deadline, &enough) };
        let answer = highs.solve(&control);
        self.spend(answer.work.max(1) * MOVES_PER_NODE);
        tracing::debug!(?answer.status, bound = answer.bound, nodes = answer.work, seconds = self.goal.deadline.elapsed_seconds(), rows = interval.model.rows.len(), "solved with swaps");
        match answer.status {
            Status::Infeasible => self.raise(f64::INFINITY, Prover::BranchAndBound),
            Status::Optimal | Status::Stopped => self.raise(answer.bound, Prover::BranchAndBound),
            Status::Failed => return None,
        }
        let mut points = met.into_inner();
        points.push(answer.values?);
        Some(points)
    }
}

/// Extra time proved without a limit, and the time of the best plan met, where one of `known` time is known.
#[cfg(test)]
pub(crate) fn bound_and_best(stage: Stage<'_>, known: f64) -> (f64, f64) {
    let found = std::cell::Cell::new(f64::INFINITY);
    let goal = Goal {
        known: &|| found.get().min(known),
        offer: &|time, _| found.set(found.get().min(time)),
        deadline: Deadline::after(None),
        patience: Deadline::after(None),
        stop: &|| false,
        progress: &Progress::default(),
        effort: None,
    };
    (swap_bound(stage, goal).extra, found.get())
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Options, Order, Solver, plan};

    fn random_problem(rng: &mut ChaCha8Rng) -> Problem {
        let n = rng.random_range(4..8);
        let nodes: Vec<Node> = (0..n)
            .map(|id: usize| {
                let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(0.4)).collect();
                let time = f64::from(rng.random_range(1..9));
                let mut node = Node::new(format!("n{id}"), time, rng.random_range(1..9), inputs);
                node.recomputable = rng.random_bool(0.8);
                node.swappable = rng.random_bool(0.8);
                node
            })
            .collect();
        Problem { name: "random".into(), nodes, resident_bytes: 0 }
    }

    /// Bounds of random problems against their optimum: never above it. Problems solved, bounds that meet the optimum, optima above the
    /// time of running everything once, and optima that swap.
    fn against_the_optimum(rng: &mut ChaCha8Rng, problems: usize, overlap: bool) -> [usize; 4] {
        let mut counts = [0; 4];
        for _ in 0..problems {
            let problem = random_problem(rng);
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            if least >= peak {
                continue;
            }
            let swap = SwapModel {
                out_bandwidth: rng.random_range(0.5..6.0),
                in_bandwidth: rng.random_range(0.5..6.0),
                latency: rng.random_range(0.0..0.5),
                overlap,
                host_capacity_bytes: rng.random_bool(0.5).then(|| rng.random_range(1..10)),
            };
            let cap_bytes = rng.random_range(least..peak);
            let program = Program::new(&problem, None, cap_bytes).with_rounds(overlap);
            let options = Options {
                cap_bytes,
                swap: Some(swap),
                order: Order::Program,
                // The full program knows no copies beside computation; the search over states does, and recomputes in any order.
                solver: if overlap { Solver::default() } else { Solver::STEPWISE },
                rounds: overlap,
                ..Options::default()
            };
            let Ok(exact) = plan(&problem, &options) else { continue };
            assert!(exact.report.proved());
            let optimum = exact.report.bound().value() - problem.total_time();
            // The value known may be any plan's, not only the best one's.
            let value = optimum * rng.random_range(1.0..1.5);
            let stage = Stage { problem: &problem, program: &program, swap: &swap, cap_bytes };
            let (bound, best) = bound_and_best(stage, problem.total_time() + value);
            assert!(best >= exact.report.bound().value() * (1.0 - 1e-9), "{best} is no plan");
            assert!(
                bound <= optimum * (1.0 + 1e-6) + 1e-9,
                "{bound} above {optimum} of {problem:?} under {swap:?} with {cap_bytes}: {:?}",
                exact.compact
            );
            let met = bound >= optimum * (1.0 - 1e-4);
            for (count, holds) in
                counts.iter_mut().zip([true, met, optimum > 1e-9, exact.replay.swap_bytes > 0])
            {
                *count += usize::from(holds);
            }
        }
        counts
    }

    /// The bound is never above the optimum of the full program, and meets it but on a few, where the host's memory has a cap too.
    #[test]
    fn the_bound_lies_below_the_optimum_of_recomputes_and_swaps() {
        let [solved, met, _, swapped] = against_the_optimum(&mut ChaCha8Rng::seed_from_u64(5), 250, false);
        assert!(solved > 80 && swapped > 20, "{solved} {swapped}");
        assert!(met * 20 > solved * 19, "{met} of {solved}");
    }

    /// Where copies run beside computation it is never above the optimum either, and meets it on more than four fifths.
    #[test]
    fn the_bound_lies_below_the_optimum_of_copies_beside_computation() {
        let [solved, met, waited, swapped] =
            against_the_optimum(&mut ChaCha8Rng::seed_from_u64(6), 6000, true);
        assert!(solved > 120 && swapped > 60 && waited > 60, "{solved} {swapped} {waited}");
        assert!(met * 10 > solved * 8, "{met} of {solved}");
    }

    /// A value of 8 bytes has to be gone when a node with 4 bytes of workspace runs, and may leave 4 units of time before. Four bytes get out
    /// by then, which would be enough; but no half of a value, so that the node waits for the other four.
    #[test]
    fn half_a_value_through_the_link_is_no_value() {
        let node = |name: &str, time: f64, bytes: u64, inputs: Vec<usize>| {
            let mut node = Node::new(name, time, bytes, inputs);
            node.recomputable = false;
            node
        };
        let mut nodes = vec![
            node("value", 1.0, 8, Vec::new()),
            node("between", 4.0, 0, Vec::new()),
            node("large", 1.0, 0, Vec::new()),
            node("long", 20.0, 0, Vec::new()),
            node("reader", 1.0, 0, vec![0]),
        ];
        nodes[2].workspace_bytes = 4;
        let problem = Problem { name: "half".into(), nodes, resident_bytes: 0 };
        let swap = SwapModel {
            out_bandwidth: 1.0,
            in_bandwidth: 1.0,
            latency: 0.0,
            overlap: true,
            host_capacity_bytes: None,
        };
        let cap_bytes = 8;
        let program = Program::new(&problem, None, cap_bytes);
        let stage = Stage { problem: &problem, program: &program, swap: &swap, cap_bytes };
        let (bound, found) = bound_and_best(stage, problem.total_time() + 5.0);
        // What was found on the way is the best there is, and proved to be.
        assert!((found - (problem.total_time() + 4.0)).abs() < 1e-9, "{found}");
        assert!(bound <= 4.0 && bound > 4.0 - 1e-3, "{bound}");
    }
}
