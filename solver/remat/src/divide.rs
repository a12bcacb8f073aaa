//! Branch-and-bound on parts of a model side by side, once no more rows or positions come.
//!
//! HiGHS searches one tree on one thread. The model is divided at the columns whose two values raise the
//! bound of the linear program most (full strong branching, Applegate et al., "Finding cuts in the TSP", 1995), and each part goes to a HiGHS
//! of its own. A bound for all parts is a bound for the model.

use std::cell::Cell;
use std::sync::Mutex;

use ballast_core::limits::Deadline;
use ballast_core::report::Prover;

use crate::aim::Aim;
use crate::highs::{Answer, Control, Status};
use crate::incumbent::lock;
use crate::model::Column;
use crate::prover::{MOVES_PER_ITERATION, Proof, stop};

/// Columns tried as dividers at most.
const TRIED: usize = 16;
/// Values closer than this to 0 or 1 divide nothing.
const WHOLE: f64 = 0.1;
/// Most columns to divide at: each part begins with cuts of its own, which takes longer than what small parts save.
const DIVIDERS: usize = 3;
/// Share of the time left in which dividers are looked for.
const LOOKING: f64 = 0.06;
/// Least gain of a side that counts when both are multiplied, in objective units.
const LEAST_SIDE: f64 = 1e-4;

/// A column and how much the bound rises, as a product over both of its values.
struct Divider {
    column: Column,
    gain: f64,
}

impl Proof<'_> {
    /// The columns that divide the model best, one for each doubling of the threads.
    fn dividers(&mut self) -> Vec<Column> {
        let wanted = (self.threads.max(1).ilog2() as usize).min(DIVIDERS);
        let middle = |value: f64| (value - 0.5).abs();
        let mut open: Vec<Column> = (0..self.point.len())
            .filter(|&column| {
                self.aim.interval.model.integer[column] && middle(self.point[column]) < 0.5 - WHOLE
            })
            .collect();
        open.sort_by(|&a, &b| middle(self.point[a]).total_cmp(&middle(self.point[b])).then(a.cmp(&b)));
        open.truncate(TRIED);
        let known = self.aim.known();
        let deadline = self.aim.incumbent.deadline;
        let deadline = deadline.within(deadline.remaining_seconds() * LOOKING);
        let base = self.aim.objective(&self.point);
        let mut dividers: Vec<Divider> = Vec::new();
        for column in open {
            let Some(sides) = self.sides(column, &deadline) else { break };
            match sides.iter().position(|&bound| bound >= self.aim.cutoff()) {
                Some(refuted) => {
                    // Nothing to divide. Fixed, if the best plan stays a point of the model.
                    let value = 1.0 - refuted as f64;
                    if known.as_ref().is_some_and(|known| known[column] == value) {
                        self.aim.interval.model.fix(column, value);
                        if self.relaxed.fix(&[(column, value)]).is_none() {
                            break;
                        }
                    }
                }
                None => {
                    let gain = sides.map(|bound| (bound - base).max(LEAST_SIDE)).iter().product();
                    dividers.push(Divider { column, gain });
                }
            }
        }
        dividers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.column.cmp(&b.column)));
        dividers.iter().take(wanted).map(|divider| divider.column).collect()
    }

    /// Bounds of the linear program with a column at 0 and at 1, infinite where it has no point then; none when a limit stopped it.
    fn sides(&mut self, column: Column, deadline: &Deadline) -> Option<[f64; 2]> {
        let model = &self.aim.interval.model;
        let (lower, upper) = (model.lower[column], model.upper[column]);
        let sides = [0.0, 1.0].map(|value| self.side(column, value, deadline));
        let model = &mut self.aim.interval.model;
        (model.lower[column], model.upper[column]) = (lower, upper);
        self.relaxed.between(column, lower, upper)?;
        Some([sides[0]?, sides[1]?])
    }

    /// Bound of the linear program with a column at a value, where it stays.
    fn side(&mut self, column: Column, value: f64, deadline: &Deadline) -> Option<f64> {
        self.aim.interval.model.fix(column, value);
        self.relaxed.between(column, value, value)?;
        let incumbent = self.aim.incumbent;
        let enough = |_| stop(incumbent);
        let control = Control::until(deadline, &enough);
        let answer = self.relaxed.solve_linear(&self.aim.interval.model, &control);
        incumbent.worked(answer.work * MOVES_PER_ITERATION);
        match answer.status {
            Status::Optimal => Some(answer.bound),
            Status::Infeasible => Some(f64::INFINITY),
            Status::Stopped | Status::Failed => None,
        }
    }

    /// Branch-and-bound on all parts of the model; none where it cannot be divided.
    pub(crate) fn branch_parts(&mut self) -> Option<Answer> {
        let dividers = self.dividers();
        if dividers.is_empty() || stop(self.aim.incumbent) {
            return None;
        }
        let parts = 1 << dividers.len();
        tracing::debug!(parts, seconds = self.aim.incumbent.deadline.elapsed_seconds(), "divided");
        let shared = Shared { dividers, bounds: Mutex::new(vec![f64::NEG_INFINITY; parts]) };
        let (aim, shared) = (&self.aim, &shared);
        let _busy = aim.incumbent.occupy();
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let handles: Vec<_> =
                (0..parts).map(|part| scope.spawn(move || shared.branch(aim, part))).collect();
            let failed = || Answer::failed();
            handles.into_iter().map(|handle| handle.join().ok().flatten().unwrap_or_else(failed)).collect()
        });
        Some(together(aim, answers))
    }
}

/// What the parts of a model share.
struct Shared {
    dividers: Vec<Column>,
    /// Bounds of the parts.
    bounds: Mutex<Vec<f64>>,
}

impl Shared {
    /// Takes a bound of one part; the least of all is one of the model.
    fn note(&self, aim: &Aim<'_>, part: usize, bound: f64) {
        let mut bounds = lock(&self.bounds);
        bounds[part] = bounds[part].max(bound);
        aim.raise(bounds.iter().copied().fold(f64::INFINITY, f64::min), Prover::BranchAndBound);
    }

    /// Branch-and-bound on one part: the bits of its number are the values of the dividers.
    fn branch(&self, aim: &Aim<'_>, part: usize) -> Option<Answer> {
        let mut model = aim.interval.model.clone();
        for (bit, &column) in self.dividers.iter().enumerate() {
            model.fix(column, (part >> bit & 1) as f64);
        }
        let mut highs = aim.branching(&model)?;
        let enough = |bound: f64| {
            self.note(aim, part, bound);
            stop(aim.incumbent)
        };
        let given = Cell::new(aim.incumbent.value());
        let better = || aim.better(&given);
        let look = |point: &[f64]| {
            // A plan among them is worth having; what is over the cap is as good a solution as others.
            aim.offer_or_refuse(point);
            false
        };
        let deadline = &aim.incumbent.deadline;
        let control = Control { refuse: &look, better: &better, ..Control::until(deadline, &enough) };
        let answer = highs.solve(&control);
        tracing::debug!(part, ?answer.status, bound = answer.bound, nodes = answer.work, seconds = deadline.elapsed_seconds(), "solved part");
        match answer.status {
            Status::Optimal | Status::Stopped => self.note(aim, part, answer.bound),
            Status::Infeasible => self.note(aim, part, f64::INFINITY),
            Status::Failed => {}
        }
        Some(answer)
    }
}

/// What the answers of all parts say of the model.
fn together(aim: &Aim<'_>, answers: Vec<Answer>) -> Answer {
    let bound = answers.iter().map(|answer| match answer.status {
        Status::Infeasible => f64::INFINITY,
        Status::Optimal | Status::Stopped | Status::Failed => answer.bound,
    });
    let bound = bound.fold(f64::INFINITY, f64::min);
    let work = answers.iter().map(|answer| answer.work).sum();
    let has = |status| answers.iter().any(|answer| answer.status == status);
    if has(Status::Failed) {
        // What one part says is nothing without the others.
        return Answer { work, ..Answer::failed() };
    }
    let status = [Status::Stopped, Status::Optimal].into_iter().find(|&status| has(status));
    let cost = |answer: &Answer| answer.values.as_ref().map_or(f64::INFINITY, |point| aim.objective(point));
    let best = answers.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let values = best.and_then(|answer| answer.values);
    Answer { status: status.unwrap_or(Status::Infeasible), values, bound, work, ..Answer::failed() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::incumbent::{Incumbent, Progress};
    use crate::program::{Program, Slot};
    use crate::random::random_problem;

    /// Times are whole numbers.
    const MARGIN: f64 = 0.5;

    /// A model in parts has the optimum of the whole, or none as well; and nothing is left below a plan that is the optimum.
    #[test]
    fn parts_have_the_optimum_of_the_whole() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut divided, mut compared, mut refuted) = (0, 0, 0);
        // How many are refuted depends on which part ends first.
        let enough = |divided, compared, refuted| divided > 80 && compared > 60 && refuted > 5;
        for round in 0..4000 {
            if enough(divided, compared, refuted) {
                break;
            }
            let problem = random_problem(&mut rng, 8..16, 0.35, 0.95);
            let (most, (least, _)) = (problem.unplanned_peak(), problem.working_set());
            let cap = least + (most.saturating_sub(least) as f64 * rng.random_range(0.0..0.6)) as u64;
            let program = Program::new(&problem, None, cap);
            let critical: Vec<Slot> = (0..program.len() as Slot).filter(|_| rng.random_bool(0.7)).collect();
            let proof_of = |incumbent, threads| {
                let mut proof = Proof::new(&program, incumbent, &critical, MARGIN)?;
                (proof.positions_stay, proof.threads) = (true, threads);
                proof.tighten(&mut None)?;
                Some(proof)
            };
            let incumbent =
                || Incumbent::new(&program, Deadline::after(None), 1e-9, Arc::new(Progress::default()));
            let [first, second, third] = [incumbent(), incumbent(), incumbent()];
            let Some(whole) = proof_of(&first, 1) else { continue };
            let Some(mut parts) = proof_of(&second, if round % 2 == 0 { 2 } else { 4 }) else { continue };
            let expected = whole.branch_whole(None, false).expect("solved");
            let Some(found) = parts.branch_parts() else { continue };
            divided += 1;
            // A plan met on the way may end either.
            let beyond = |a: &Incumbent, b: &Incumbent| a.bound() > b.value() + 1e-6;
            assert!(!beyond(&first, &second) && !beyond(&second, &first), "a bound above a plan");
            if [&expected, &found].iter().any(|answer| answer.status == Status::Stopped) {
                continue;
            }
            assert_eq!(found.status, expected.status);
            let value = |answer: &Answer| answer.values.as_ref().map(|point| whole.aim.objective(point));
            let (Some(least), Some(most)) = (value(&expected), value(&found)) else { continue };
            compared += 1;
            // Either may end within the margin of its optimum.
            let margin = 2.0 * MARGIN / whole.aim.time_unit;
            assert!((least - most).abs() <= margin, "{least} and {most}");
            assert!(found.bound <= least + 1e-6, "{} above {least}", found.bound);
            let line = whole.aim.line(expected.values.as_ref().expect("it has a value"));
            // Of runs in rounds the model counts one.
            if line.excess > 0.0 || line.extra_time > least * whole.aim.time_unit + 1e-6 {
                continue;
            }
            third.offer(line.extra_time, &line.plan(), "milp");
            let Some(mut nothing) = proof_of(&third, 2) else { continue };
            if let Some(answer) = nothing.branch_parts() {
                refuted += 1;
                let aim = &nothing.aim;
                let below = answer.values.is_some_and(|point| aim.objective(&point) < aim.cutoff() - 1e-6);
                assert!(!below, "a solution below the optimum");
            }
        }
        assert!(
            enough(divided, compared, refuted),
            "{divided} divided, {compared} compared, {refuted} refuted"
        );
    }
}
