//! Bounds and plans from the interval model, positions and rows added where plans break the cap.
//!
//! The best plan known is worth as much to a proof as the rows are: only plans cheaper than it by a margin are
//! looked for. Columns whose reduced cost shows that no such plan uses them are fixed, and branch-and-bound gets the
//! margin as its cutoff; better plans found meanwhile are handed to it. What is proved then is the smaller of the model's bound and the cutoff.

use std::cell::Cell;

use ballast_core::report::Prover;

use crate::cover::broken_cover;
use crate::highs::{Answer, Control, Highs, Status};
use crate::incumbent::Incumbent;
use crate::interval::{Interval, overloaded};
use crate::model::{Column, Row, WHOLE_TIME};
use crate::program::{Program, Slot};
use crate::timeline::Timeline;
use crate::windows::{broken_windows, carried};

/// Rounds of rows added to one linear program at most.
const CUT_ROUNDS: usize = 200;
/// Rounds in a row that may raise the bound by less than a share of the cutoff.
const IDLE_ROUNDS: usize = 6;
pub(crate) const LEAST_GAIN: f64 = 1e-3;
/// Positions added from rounded solutions of linear programs: how many at a time, and how often in a row with less gain than a share of the value.
pub(crate) const MORE_POSITIONS: usize = 4;
const IDLE_MODELS: usize = 2;
const LEAST_GROWTH: f64 = 5e-3;
/// Rows of a kind added in one round at most.
const CUTS: usize = 400;
/// Share of the bound taken off for the tolerances of floating-point solvers.
pub(crate) const CAUTION: f64 = 1e-7;
/// Objective units by which a reduced cost has to clear the cutoff: a hundred times what HiGHS may be off.
pub(crate) const CLEAR: f64 = 1e-5;

/// Moves of the local search that a branch-and-bound node counts as.
pub(crate) const MOVES_PER_NODE: u64 = 5_000;
/// Moves of the local search that a simplex iteration counts as.
pub(crate) const MOVES_PER_ITERATION: u64 = 20;
/// Positions of the first model.
const FIRST_POSITIONS: usize = 8;
/// Nodes times positions of the first model at most: a bound has to come soon on large graphs too.
const FIRST_COLUMNS: usize = 20_000;
/// Most columns of a model: more than this and its first linear program alone outlasts any useful limit.
const COLUMNS: usize = 100_000;

/// Proves until done: ends when proved, over, or when the model has no more to say. Small models first: a bound in
/// no time, and positions are added only where solutions break the cap.
/// With `effort` the amount of work, not the clock, ends each solve.
pub(crate) fn prove(program: &Program, incumbent: &Incumbent, mut effort: Option<u64>) {
    let most = most_positions(program);
    let first = FIRST_POSITIONS.min(FIRST_COLUMNS / program.len().max(1)).clamp(1, most);
    let mut critical: Vec<Slot> = first_positions(program, first);
    let (mut bound, mut idle, mut last) = (0.0, 0, None);
    // A solution broke the cap where the model sees it no better with more positions or rows.
    let mut unseen = false;
    while !stop(incumbent) {
        let margin = incumbent.margin();
        incumbent.progress.watch(&critical);
        let Some(mut proof) = Proof::new(program, incumbent, &critical, margin) else { return };
        if let Some(last) = last.take()
            && proof.add(carried(&proof.interval, &last)).is_none()
        {
            return;
        }
        proof.positions_stay = unseen;
        let Some(more) = proof.run(&mut effort, !unseen && idle < IDLE_MODELS) else { return };
        let grown = incumbent.bound() > bound + LEAST_GROWTH * incumbent.value();
        idle = if grown { 0 } else { idle + 1 };
        bound = incumbent.bound();
        last = Some(proof.interval);
        let before = critical.len();
        let new: Vec<Slot> = more.into_iter().filter(|at| critical.binary_search(at).is_err()).collect();
        critical.extend(spread(&new, most - before));
        critical.sort_unstable();
        let nothing = critical.len() == before && incumbent.margin() >= margin;
        if nothing && unseen {
            return;
        }
        // There is nothing to add: but the optimum of the model as it stands is a bound, and above what was proved when that solution was met.
        unseen = nothing;
    }
}

/// Proves what the model of these positions says and no more: of whatever else a plan does nothing is known.
pub(crate) fn prove_at(program: &Program, incumbent: &Incumbent, critical: &[Slot]) {
    if let Some(mut proof) = Proof::new(program, incumbent, critical, incumbent.margin()) {
        proof.positions_stay = true;
        proof.run(&mut None, false);
    }
}

/// The proof on one set of positions.
struct Proof<'a> {
    program: &'a Program,
    incumbent: &'a Incumbent,
    interval: Interval<'a>,
    /// Time of the problem per unit of the objective.
    time_unit: f64,
    /// Plans of this much time less than the best are not looked for.
    margin: f64,
    relaxed: Highs,
    /// The last solution of the linear program.
    point: Vec<f64>,
    /// No position is added: solutions that are over the cap elsewhere are as good as others.
    positions_stay: bool,
}

impl<'a> Proof<'a> {
    fn new(program: &'a Program, incumbent: &'a Incumbent, critical: &[Slot], margin: f64) -> Option<Self> {
        // The best plan costs as much as the solver's tolerances are made for.
        let value = incumbent.value();
        let whole = if value > 0.0 { value.min(program.total_time) } else { program.total_time };
        let time_unit = whole / WHOLE_TIME;
        let interval = Interval::new(program, critical, time_unit);
        tracing::debug!(
            positions = critical.len(),
            columns = interval.model.cost.len(),
            rows = interval.model.rows.len(),
            "interval model"
        );
        let relaxed = Highs::new(&interval.model, true)?;
        Some(Proof {
            program,
            incumbent,
            interval,
            time_unit,
            margin,
            relaxed,
            point: Vec::new(),
            positions_stay: false,
        })
    }

    /// Objective of the plans that need not be looked for.
    fn cutoff(&self) -> f64 {
        (self.incumbent.value() - self.margin) / self.time_unit
    }

    /// Reports a bound on the objective of what has not been ruled out by the cutoff, and who proved it.
    fn raise(&self, bound: f64, prover: Prover) {
        let bound = bound.min(self.cutoff());
        if bound.is_finite() {
            self.incumbent.raise(bound * self.time_unit * (1.0 - CAUTION), prover);
        }
    }

    /// The best plan as a point of the model; none without a plan.
    fn known(&self) -> Option<Vec<f64>> {
        let mut line = Timeline::new(self.program);
        line.load(&self.incumbent.best()?.plan);
        Some(self.interval.point(&line))
    }

    /// Objective of a point.
    fn objective(&self, point: &[f64]) -> f64 {
        self.interval.model.cost.iter().zip(point).map(|(cost, value)| cost * value).sum()
    }

    /// The plan of a point, offered to the incumbent if it keeps the cap.
    fn line(&self, point: &[f64]) -> Timeline<'a> {
        let mut line = Timeline::new(self.program);
        line.load(&self.interval.plan(point, false).again);
        if line.excess <= 0.0 {
            self.incumbent.offer(line.extra_time, &line.plan(), "milp");
        }
        line
    }

    /// Solves; the positions to add. None when a limit stopped it.
    /// Positions at which the rounded solution of the linear program is over the cap do without branch-and-bound, where asked for.
    fn run(&mut self, effort: &mut Option<u64>, rounds: bool) -> Option<Vec<Slot>> {
        self.incumbent.progress.solves(&self.interval.model);
        loop {
            self.tighten(effort)?;
            self.incumbent.progress.solves(&self.interval.model);
            if rounds {
                let more = self.unseen();
                if !more.is_empty() {
                    return Some(more);
                }
            }
            let answer = self.branch(effort)?;
            if answer.status == Status::Infeasible {
                if self.cutoff().is_finite() {
                    self.raise(f64::INFINITY, Prover::BranchAndBound);
                    return Some(Vec::new());
                }
                self.incumbent.refute();
                return None;
            }
            let Some(point) = answer.values.filter(|_| !stop(self.incumbent)) else {
                let stopped = answer.status == Status::Stopped && !stop(self.incumbent) && *effort != Some(0);
                if stopped { continue } else { return None }
            };
            if stop(self.incumbent) || *effort == Some(0) {
                return None;
            }
            if self.objective(&point) >= self.cutoff() {
                // Nothing below the cutoff; or a better plan was found at the very end.
                if answer.status == Status::Optimal {
                    return Some(Vec::new());
                }
                continue;
            }
            let line = self.line(&point);
            let broken = self.interval.broken_running(&point, 0.5, 1e-6);
            tracing::debug!(broken = broken.len(), excess = line.excess, "solution");
            if line.excess > 0.0 {
                // Nearly a plan, and a cheap one: a start for the local search.
                self.incumbent.suggest(line.plan());
            }
            if broken.is_empty() {
                return Some(overloaded(&line));
            }
            self.add(broken)?;
        }
    }

    /// The positions at which the rounded solution of the linear program is over the cap, at most so many.
    fn unseen(&self) -> Vec<Slot> {
        if self.point.is_empty() {
            return Vec::new();
        }
        let line = self.line(&self.interval.rounded(&self.point));
        let (known, cap) = (&self.interval.critical, self.program.cap);
        let mut worst: Vec<(f64, Slot)> = Vec::new();
        let mut next = true;
        for (&bytes, at) in line.first_bytes().iter().zip(0..) {
            // One of each run of neighbours over the cap, and of what a known position divides.
            if bytes <= cap || known.binary_search(&at).is_ok() {
                next = true;
            } else if std::mem::take(&mut next) {
                worst.push((bytes, at));
            } else if let Some(last) = worst.last_mut()
                && bytes > last.0
            {
                *last = (bytes, at);
            }
        }
        worst.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        worst.into_iter().map(|(_, at)| at).take(MORE_POSITIONS).collect()
    }

    fn add(&mut self, mut rows: Vec<Row>) -> Option<()> {
        self.relaxed.add_rows(&rows)?;
        self.interval.model.rows.append(&mut rows);
        Some(())
    }

    /// Fixes columns that no plan below the cutoff uses: with `bound` and the reduced costs of a dual solution, a
    /// column moved from its bound costs at least that much.
    fn fix(&mut self, bound: f64, reduced: &[f64]) -> Option<usize> {
        let room = self.cutoff() - bound + CLEAR;
        // The best plan stays a point of the model: branch-and-bound wants one to start from.
        let Some(known) = self.known() else { return Some(0) };
        let model = &mut self.interval.model;
        let fixed: Vec<(Column, f64)> = (0..model.cost.len())
            .filter(|&column| model.lower[column] < model.upper[column] && reduced[column].abs() > room)
            .map(|column| (column, if reduced[column] > 0.0 { 0.0 } else { 1.0 }))
            .filter(|&(column, value)| known[column] == value)
            .collect();
        for &(column, value) in &fixed {
            model.fix(column, value);
        }
        self.relaxed.fix(&fixed)?;
        Some(fixed.len())
    }

    /// Adds rows to the linear program until it breaks none, fixing columns on the way.
    fn tighten(&mut self, effort: &mut Option<u64>) -> Option<()> {
        // No plan is cheaper than nothing at all: the costs themselves are reduced costs.
        let incumbent = self.incumbent;
        let costs = self.interval.model.cost.clone();
        self.fix(0.0, &costs)?;
        let (mut reached, mut idle) = (f64::NEG_INFINITY, 0);
        self.point.clear();
        for round in 0..CUT_ROUNDS {
            let iterations = effort.map(|effort| effort / MOVES_PER_ITERATION);
            let control = Control {
                deadline: &self.incumbent.deadline,
                enough: &|_| stop(incumbent),
                refuse: &|_| false,
                better: &|| None,
                nodes: None,
                iterations,
            };
            let answer = self.relaxed.solve_linear(&self.interval.model, &control);
            self.spend(effort, answer.work.max(1) * MOVES_PER_ITERATION)?;
            if stop(incumbent) {
                return None;
            }
            if answer.status == Status::Infeasible {
                // Branch-and-bound says so again, and what follows from it.
                return Some(());
            }
            let (Status::Optimal, Some(point)) = (answer.status, answer.values) else { return Some(()) };
            self.raise(answer.bound, Prover::LinearProgram);
            let gain = LEAST_GAIN * self.cutoff().min(WHOLE_TIME);
            if answer.bound > reached + gain {
                (reached, idle) = (answer.bound, 0);
            } else {
                idle += 1;
            }
            let fixed = self.fix(answer.bound, &answer.reduced)?;
            let mut running = self.interval.broken_running(&point, 0.02, 1e-3);
            running.sort_by(|a, b| (b.value(&point) - b.upper).total_cmp(&(a.value(&point) - a.upper)));
            running.truncate(CUTS);
            let memory = self.interval.model.rows.iter().filter(|row| row.is_memory()).chain(&running);
            let mut covers: Vec<Row> = memory.filter_map(|row| broken_cover(row, &point)).collect();
            covers.sort_by(|a, b| (b.lower - b.value(&point)).total_cmp(&(a.lower - a.value(&point))));
            covers.truncate(CUTS);
            let mut windows = broken_windows(&self.interval, &point);
            windows.sort_by(|a, b| (b.lower - b.value(&point)).total_cmp(&(a.lower - a.value(&point))));
            windows.truncate(CUTS);
            tracing::debug!(
                round,
                bound = answer.bound,
                running = running.len(),
                covers = covers.len(),
                windows = windows.len(),
                fixed,
                seconds = incumbent.deadline.elapsed_seconds(),
                "cuts"
            );
            running.append(&mut covers);
            running.append(&mut windows);
            self.point = point;
            if running.is_empty() || idle == IDLE_ROUNDS || stop(incumbent) {
                break;
            }
            self.add(running)?;
        }
        (!stop(incumbent)).then_some(())
    }

    /// Counts work, and takes it off a deterministic limit; none once that is used up.
    fn spend(&self, effort: &mut Option<u64>, work: u64) -> Option<()> {
        self.incumbent.worked(work);
        let Some(left) = effort else { return Some(()) };
        *left = left.saturating_sub(work);
        (*left > 0).then_some(())
    }

    /// Branch-and-bound on the model as it stands. A solution below the cutoff that is no plan stops it.
    fn branch(&mut self, effort: &mut Option<u64>) -> Option<Answer> {
        let (incumbent, cutoff) = (self.incumbent, self.cutoff());
        let mut highs = Highs::new(&self.interval.model, false)?;
        let margin = self.margin / self.time_unit;
        highs.gaps(0.0, margin.max(1e-6))?;
        if let Some(known) = self.known() {
            highs.cutoff(cutoff + 2.0 * margin)?;
            highs.start(&known);
        }
        let enough = |bound: f64| {
            self.raise(bound, Prover::BranchAndBound);
            stop(incumbent)
        };
        let given = Cell::new(incumbent.value());
        let better = || {
            let value = incumbent.value();
            (given.replace(value) > value).then(|| self.known()).flatten()
        };
        let refuse = |point: &[f64]| {
            !self.positions_stay && self.objective(point) < self.cutoff() && self.line(point).excess > 0.0
        };
        let control = Control {
            deadline: &incumbent.deadline,
            enough: &enough,
            refuse: &refuse,
            better: &better,
            nodes: effort.map(|effort| effort / MOVES_PER_NODE),
            iterations: None,
        };
        let answer = highs.solve(&control);
        tracing::debug!(?answer.status, bound = answer.bound, cutoff, nodes = answer.work, seconds = incumbent.deadline.elapsed_seconds(), "solved");
        let _ = self.spend(effort, answer.work.max(1) * MOVES_PER_NODE);
        if matches!(answer.status, Status::Optimal | Status::Stopped) {
            self.raise(answer.bound, Prover::BranchAndBound);
        }
        Some(answer)
    }
}

/// Is the proof made, out of time, or not worth its time any more?
fn stop(incumbent: &Incumbent) -> bool {
    incumbent.over() || incumbent.hopeless()
}

/// At most so many of the positions, evenly spread.
fn spread(positions: &[Slot], most: usize) -> impl Iterator<Item = Slot> {
    let count = positions.len().min(most);
    (0..count).map(move |at| positions[at * positions.len() / count])
}

/// How many positions a model may have.
fn most_positions(program: &Program) -> usize {
    (COLUMNS / program.len().max(1)).max(1)
}

/// The positions over the cap without a plan, at most so many.
pub(crate) fn first_positions(program: &Program, most: usize) -> Vec<Slot> {
    let bytes = program.unplanned();
    let mut over: Vec<Slot> =
        (0..program.len() as Slot).filter(|&at| bytes[at as usize] > program.cap).collect();
    if over.len() > most {
        // Spread over the range, in each part the fullest.
        let part = over.len().div_ceil(most);
        over = over
            .chunks(part)
            .filter_map(|chunk| {
                chunk.iter().copied().max_by(|&a, &b| bytes[a as usize].total_cmp(&bytes[b as usize]))
            })
            .collect();
    }
    over
}
