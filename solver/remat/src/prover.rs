//! Bounds and plans from the interval model, positions and rows added where plans break the cap.
//!
//! The best plan known is worth as much to a proof as the rows are: only plans cheaper than it by a margin are
//! looked for. Columns whose reduced cost shows that no such plan uses them are fixed, and branch-and-bound gets the
//! margin as its cutoff; better plans found meanwhile are handed to it. What is proved then is the smaller of the model's bound and the cutoff.

use std::cell::Cell;

use ballast_core::report::Prover;

use crate::aim::Aim;
use crate::cover::broken_cover;
use crate::highs::{Answer, Control, Highs, Status};
use crate::incumbent::Incumbent;
use crate::interval::{Interval, overloaded};
use crate::model::{Column, Row, WHOLE_TIME, keep_most_broken};
use crate::passage::broken_passages;
use crate::program::{Program, Slot};
use crate::windows::{CARRIED, broken_windows, carried};

/// Rounds of rows added to one linear program at most.
const CUT_ROUNDS: usize = 200;
/// Rounds in a row that may raise the bound by less than a share of the cutoff.
const IDLE_ROUNDS: usize = 6;
pub(crate) const LEAST_GAIN: f64 = 1e-3;
/// Positions added from rounded solutions of linear programs: how many at a time, and how often in a row with less gain than a share of the value.
pub(crate) const MORE_POSITIONS: usize = 4;
const IDLE_MODELS: usize = 2;
const LEAST_GROWTH: f64 = 5e-3;
/// Solutions over the cap that may end branch-and-bound in a row without so many new positions, and the nodes of a tree that none ends twice.
const REFUSALS: usize = 2;
const FRUITFUL: usize = 2;
const DEEP: u64 = 10;
/// Rows of a kind added in one round at most.
const CUTS: usize = 400;
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
/// Without `effort` a model that will not change any more is divided among so many threads.
pub(crate) fn prove(program: &Program, incumbent: &Incumbent, mut effort: Option<u64>, threads: usize) {
    let most = most_positions(program);
    let first = FIRST_POSITIONS.min(FIRST_COLUMNS / program.len().max(1)).clamp(1, most);
    let mut critical: Vec<Slot> = first_positions(program, first);
    let (mut bound, mut idle, mut last) = (0.0, 0, None);
    // A solution broke the cap where the model sees it no better with more positions or rows.
    let mut unseen = false;
    let mut refusals = 0;
    while !stop(incumbent) {
        let margin = incumbent.margin();
        incumbent.progress.watch(&critical);
        let Some(mut proof) = Proof::new(program, incumbent, &critical, margin) else { return };
        if let Some(last) = last.take()
            && proof.add(carried(&proof.aim.interval, &last, CARRIED)).is_none()
        {
            return;
        }
        proof.positions_stay = unseen;
        proof.refusals = refusals;
        proof.threads = if effort.is_none() { threads } else { 1 };
        let Some(more) = proof.run(&mut effort, !unseen && idle < IDLE_MODELS) else { return };
        let grown = incumbent.bound() > bound + LEAST_GROWTH * incumbent.value();
        idle = if grown { 0 } else { idle + 1 };
        refusals = proof.refusals;
        bound = incumbent.bound();
        let stayed = proof.stayed;
        last = Some(proof.aim.interval);
        let before = critical.len();
        let new: Vec<Slot> = more.into_iter().filter(|at| critical.binary_search(at).is_err()).collect();
        critical.extend(spread(&new, most - before));
        critical.sort_unstable();
        if stayed || (refusals < REFUSALS && critical.len() >= before + FRUITFUL) {
            refusals = 0;
        }
        let nothing = critical.len() == before && incumbent.margin() >= margin;
        if nothing && stayed {
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
        proof.in_order = false;
        proof.run(&mut None, false);
    }
}

/// The proof on one set of positions.
pub(crate) struct Proof<'a> {
    pub(crate) aim: Aim<'a>,
    pub(crate) relaxed: Highs,
    /// The last solution of the linear program.
    pub(crate) point: Vec<f64>,
    /// No position is added: solutions that are over the cap elsewhere are as good as others.
    pub(crate) positions_stay: bool,
    /// Are first runs between critical positions in the program's order?
    in_order: bool,
    /// How often in a row branch-and-bound ended at a solution over the cap without more than a new position; a large tree counts for several.
    refusals: usize,
    /// Was the last branch-and-bound one that ends at none?
    stayed: bool,
    /// Threads for a model that will not change any more.
    pub(crate) threads: usize,
}

impl<'a> Proof<'a> {
    pub(crate) fn new(
        program: &'a Program,
        incumbent: &'a Incumbent,
        critical: &[Slot],
        margin: f64,
    ) -> Option<Self> {
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
            aim: Aim { program, incumbent, interval, time_unit, margin },
            relaxed,
            point: Vec::new(),
            positions_stay: false,
            in_order: true,
            refusals: 0,
            stayed: false,
            threads: 1,
        })
    }

    /// Solves; the positions to add. None when a limit stopped it.
    /// Positions at which the rounded solution of the linear program is over the cap do without branch-and-bound, where asked for.
    fn run(&mut self, effort: &mut Option<u64>, rounds: bool) -> Option<Vec<Slot>> {
        self.aim.incumbent.progress.solves(&self.aim.interval.model);
        loop {
            self.tighten(effort)?;
            self.aim.incumbent.progress.solves(&self.aim.interval.model);
            if rounds {
                let more = self.unseen();
                if !more.is_empty() {
                    return Some(more);
                }
            }
            if self.stays() {
                self.add_rounded()?;
            }
            let answer = self.branch(effort)?;
            if answer.status == Status::Infeasible {
                if self.aim.cutoff().is_finite() {
                    self.aim.raise(f64::INFINITY, Prover::BranchAndBound);
                    return Some(Vec::new());
                }
                self.aim.incumbent.refute();
                return None;
            }
            let Some(point) = answer.values.filter(|_| !stop(self.aim.incumbent)) else {
                let stopped =
                    answer.status == Status::Stopped && !stop(self.aim.incumbent) && *effort != Some(0);
                if stopped { continue } else { return None }
            };
            if stop(self.aim.incumbent) || *effort == Some(0) {
                return None;
            }
            if self.aim.objective(&point) >= self.aim.cutoff() {
                // Nothing below the cutoff; or a better plan was found at the very end.
                if answer.status == Status::Optimal {
                    return Some(Vec::new());
                }
                continue;
            }
            let line = self.aim.line(&point);
            let mut broken = self.aim.interval.broken_running(&point, 0.5, 1e-6);
            // Where else there would be no more to say.
            if broken.is_empty() && self.stayed && self.in_order {
                let over = || stop(self.aim.incumbent);
                broken = broken_passages(&self.aim.interval, &point, &over);
            }
            tracing::debug!(broken = broken.len(), excess = line.excess, "solution");
            if line.excess > 0.0 {
                // Nearly a plan, and a cheap one: a start for the local search.
                self.aim.incumbent.suggest(line.plan());
            }
            if broken.is_empty() {
                return Some(overloaded(&line));
            }
            self.add(broken)?;
        }
    }

    /// Adds the rows that the rounded solution of the linear program breaks, but not that solution itself, as its recomputes weigh too
    /// little there: solutions of branch-and-bound would break them, and each throws a tree away.
    fn add_rounded(&mut self) -> Option<()> {
        if self.point.is_empty() {
            return Some(());
        }
        let rounded = self.aim.interval.rounded(&self.point);
        let mut broken = self.aim.interval.broken_running(&rounded, 0.5, 1e-6);
        keep_most_broken(&mut broken, CUTS, |row| row.value(&rounded) - row.upper);
        self.add(broken)
    }

    /// The positions at which the rounded solution of the linear program is over the cap, at most so many.
    fn unseen(&self) -> Vec<Slot> {
        if self.point.is_empty() {
            return Vec::new();
        }
        let line = self.aim.line(&self.aim.interval.rounded(&self.point));
        let (known, cap) = (&self.aim.interval.critical, self.aim.program.cap);
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
        self.aim.interval.model.rows.append(&mut rows);
        Some(())
    }

    /// Fixes columns that no plan below the cutoff uses: with `bound` and the reduced costs of a dual solution, a
    /// column moved from its bound costs at least that much.
    fn fix(&mut self, bound: f64, reduced: &[f64]) -> Option<usize> {
        let room = self.aim.cutoff() - bound + CLEAR;
        // The best plan stays a point of the model: branch-and-bound wants one to start from.
        let Some(known) = self.aim.known() else { return Some(0) };
        let model = &mut self.aim.interval.model;
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
    pub(crate) fn tighten(&mut self, effort: &mut Option<u64>) -> Option<()> {
        // No plan is cheaper than nothing at all: the costs themselves are reduced costs.
        let incumbent = self.aim.incumbent;
        let costs = self.aim.interval.model.cost.clone();
        self.fix(0.0, &costs)?;
        let (mut reached, mut idle) = (f64::NEG_INFINITY, 0);
        self.point.clear();
        for round in 0..CUT_ROUNDS {
            let iterations = effort.map(|effort| effort / MOVES_PER_ITERATION);
            let enough = |_| stop(incumbent);
            let control = Control { iterations, ..Control::until(&incumbent.deadline, &enough) };
            let answer = self.relaxed.solve_linear(&self.aim.interval.model, &control);
            self.spend(effort, answer.work.max(1) * MOVES_PER_ITERATION)?;
            if stop(incumbent) {
                return None;
            }
            if answer.status == Status::Infeasible {
                // Branch-and-bound says so again, and what follows from it.
                return Some(());
            }
            let (Status::Optimal, Some(point)) = (answer.status, answer.values) else { return Some(()) };
            self.aim.raise(answer.bound, Prover::LinearProgram);
            let gain = LEAST_GAIN * self.aim.cutoff().min(WHOLE_TIME);
            if answer.bound > reached + gain {
                (reached, idle) = (answer.bound, 0);
            } else {
                idle += 1;
            }
            let fixed = self.fix(answer.bound, &answer.reduced)?;
            let mut running = self.aim.interval.broken_running(&point, 0.02, 1e-3);
            keep_most_broken(&mut running, CUTS, |row| row.value(&point) - row.upper);
            let memory = self.aim.interval.model.rows.iter().filter(|row| row.is_memory()).chain(&running);
            let mut covers: Vec<Row> = memory.filter_map(|row| broken_cover(row, &point)).collect();
            keep_most_broken(&mut covers, CUTS, |row| row.lower - row.value(&point));
            let mut windows = broken_windows(&self.aim.interval, &point);
            keep_most_broken(&mut windows, CUTS, |row| row.lower - row.value(&point));
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
        self.aim.incumbent.worked(work);
        let Some(left) = effort else { return Some(()) };
        *left = left.saturating_sub(work);
        (*left > 0).then_some(())
    }

    /// Is the model solved to its own optimum, whatever its solutions are over the cap by? Each that ends branch-and-bound throws a tree away.
    fn stays(&self) -> bool {
        self.positions_stay || self.refusals >= REFUSALS
    }

    /// Branch-and-bound on the model as it stands. A solution below the cutoff that is no plan stops it.
    fn branch(&mut self, effort: &mut Option<u64>) -> Option<Answer> {
        let refuses = !self.stays();
        self.stayed = !refuses;
        let divides = self.threads > 1 && !refuses;
        let parts = if divides { self.branch_parts() } else { None };
        let answer = match parts {
            Some(answer) => answer,
            None => self.branch_whole(*effort, refuses)?,
        };
        let _ = self.spend(effort, answer.work.max(1) * MOVES_PER_NODE);
        if answer.status == Status::Stopped && !stop(self.aim.incumbent) {
            self.refusals += if answer.work >= DEEP { REFUSALS } else { 1 };
        }
        Some(answer)
    }

    /// The same by one HiGHS.
    pub(crate) fn branch_whole(&self, effort: Option<u64>, refuses: bool) -> Option<Answer> {
        let (incumbent, cutoff) = (self.aim.incumbent, self.aim.cutoff());
        let mut highs = self.aim.branching(&self.aim.interval.model)?;
        let enough = |bound: f64| {
            self.aim.raise(bound, Prover::BranchAndBound);
            stop(incumbent)
        };
        let given = Cell::new(incumbent.value());
        let better = || self.aim.better(&given);
        let refuse = |point: &[f64]| self.aim.offer_or_refuse(point) && refuses;
        let control = Control {
            refuse: &refuse,
            better: &better,
            nodes: effort.map(|effort| effort / MOVES_PER_NODE),
            ..Control::until(&incumbent.deadline, &enough)
        };
        let answer = highs.solve(&control);
        tracing::debug!(?answer.status, bound = answer.bound, cutoff, nodes = answer.work, seconds = incumbent.deadline.elapsed_seconds(), "solved");
        if matches!(answer.status, Status::Optimal | Status::Stopped) {
            self.aim.raise(answer.bound, Prover::BranchAndBound);
        }
        Some(answer)
    }
}

/// Is the proof made, out of time, or not worth its time any more?
pub(crate) fn stop(incumbent: &Incumbent) -> bool {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ballast_core::limits::Deadline;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::incumbent::Progress;
    use crate::random::{least_extra, random_problem};
    use crate::timeline::Timeline;

    /// Offers a plan of random recomputes, if one of a few keeps the cap: seldom the best.
    fn offer_some_plan(program: &Program, incumbent: &Incumbent, rng: &mut ChaCha8Rng) {
        for _ in 0..40 {
            let mut line = Timeline::new(program);
            for _ in 0..rng.random_range(1..12) {
                let position = rng.random_range(1..program.len() as Slot);
                let slot = rng.random_range(0..position);
                let key = line.key(position, 0, slot);
                if program.repeatable[slot as usize] && !line.holds(key) {
                    line.insert(key);
                }
            }
            if line.excess <= 0.0 {
                incumbent.offer(line.extra_time, &line.plan(), "random");
                return;
            }
        }
    }

    /// A search that has found the best plan hides a bound that is too high, as no bound is told above the best plan known: so here nobody has.
    #[test]
    fn no_plan_at_all_is_below_the_bound_whatever_is_known() {
        let mut rng = ChaCha8Rng::seed_from_u64(59);
        let [mut dear, mut met, mut refuted, mut weak] = [0; 4];
        for round in 0..600 {
            let problem = random_problem(&mut rng, 4..10, 0.4, 0.9);
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            if least >= peak {
                continue;
            }
            let (cap_bytes, rounds) = (rng.random_range(least..peak), round % 2 == 0);
            let program = Program::new(&problem, None, cap_bytes).with_rounds(rounds);
            let progress = Arc::new(Progress::default());
            let incumbent = Incumbent::new(&program, Deadline::after(Some(10.0)), 1e-9, progress);
            let optimum = least_extra(&problem, cap_bytes, rounds);
            if round % 3 > 0 {
                offer_some_plan(&program, &incumbent, &mut rng);
            }
            let given = incumbent.value();
            prove(&program, &incumbent, None, 1 + round % 2);
            let Some(optimum) = optimum else {
                assert!(given.is_infinite() && incumbent.value().is_infinite(), "a plan where there is none");
                refuted += usize::from(incumbent.refuted());
                continue;
            };
            let bound = incumbent.bound();
            assert!(!incumbent.refuted(), "{optimum} refuted: {problem:?} with {cap_bytes}");
            assert!(bound <= optimum * (1.0 + 1e-6), "{bound} above {optimum}: {problem:?} with {cap_bytes}");
            assert!(incumbent.value() >= optimum * (1.0 - 1e-9), "{} is no plan", incumbent.value());
            dear += usize::from(optimum > 0.0);
            met += usize::from(optimum > 0.0 && bound >= optimum * (1.0 - 1e-6));
            weak += usize::from(given.is_finite() && given > optimum);
        }
        assert!(
            dear > 150 && met * 10 > dear * 9 && refuted > 10 && weak > 20,
            "{dear} {met} {refuted} {weak}"
        );
    }
}
