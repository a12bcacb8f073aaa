//! Bounds and plans from the interval model, positions and rows added where plans break the cap.

use ballast_core::limits::Deadline;

use crate::board::Board;
use crate::highs::{Control, Highs, Status};
use crate::interval::{Interval, WHOLE_TIME, overloaded};
use crate::program::{Program, Slot};
use crate::timeline::Timeline;

/// Rounds of rows added to one linear program.
const CUT_ROUNDS: usize = 30;
/// Rows added in one round at most.
const CUTS: usize = 400;
/// Share of the bound taken off for the tolerances of floating-point solvers.
const CAUTION: f64 = 1e-7;

/// Moves of the local search that a branch-and-bound node counts as.
const MOVES_PER_NODE: u64 = 5_000;
/// Moves of the local search that a simplex iteration counts as.
const MOVES_PER_ITERATION: u64 = 20;
/// Share of the time left that a model of some of the positions may take.
const STAGE_SHARE: f64 = 0.2;
/// Most columns of a model: more than this and its first linear program alone outlasts any useful limit.
const COLUMNS: usize = 60_000;

/// Proves until done: ends when proved, over, or when the model has no more to say.
/// With `effort` the amount of work, not the clock, ends each solve.
pub(crate) fn prove(program: &Program, board: &Board, mut effort: Option<u64>) {
    let all = first_positions(program, usize::MAX).len();
    let most = most_positions(program);
    let mut watched: usize = 4;
    let mut critical: Vec<Slot> = Vec::new();
    while !stop(board) {
        critical.extend(first_positions(program, watched));
        critical.sort_unstable();
        critical.dedup();
        let last = watched >= all.min(most);
        // Small models first: a bound in no time; each may take a share of what is left.
        let part = board.deadline.remaining_seconds() * if last { 1.0 } else { STAGE_SHARE };
        let deadline = if part.is_finite() { board.deadline.within(part) } else { board.deadline };
        let Some(more) = prove_on(program, board, &critical, &mut effort, &deadline) else {
            if last || stop(board) || effort == Some(0) {
                return;
            }
            watched = (watched * 4).min(most);
            continue;
        };
        let before = critical.len();
        critical.extend(more);
        critical.sort_unstable();
        critical.dedup();
        if last && (critical.len() == before || critical.len() > most) {
            tracing::debug!("nothing to add");
            return;
        }
        watched = (watched * 4).min(most);
    }
}

/// Solves the model of these positions; the positions that its solution leaves over the cap. None when a limit
/// stopped it.
fn prove_on(
    program: &Program,
    board: &Board,
    critical: &[Slot],
    effort: &mut Option<u64>,
    deadline: &Deadline,
) -> Option<Vec<Slot>> {
    let unscale = program.total_time / WHOLE_TIME * (1.0 - CAUTION);
    let mut interval = Interval::new(program, critical);
    tracing::debug!(
        positions = critical.len(),
        columns = interval.model.cost.len(),
        rows = interval.model.rows.len(),
        "interval model"
    );
    let enough = |bound: f64| {
        if bound.is_finite() {
            board.raise(bound * unscale);
        }
        stop(board) || deadline.over()
    };
    let mut relaxed = Highs::new(&interval.model, true)?;
    for round in 0..CUT_ROUNDS {
        let iterations = effort.map(|effort| effort / MOVES_PER_ITERATION);
        let control = Control { deadline, enough: &|_| stop(board), nodes: None, iterations };
        let answer = relaxed.solve(&control);
        spend(effort, answer.work.max(1) * MOVES_PER_ITERATION)?;
        if answer.status == Status::Infeasible {
            board.refute();
            return None;
        }
        let (Status::Optimal, Some(point)) = (answer.status, answer.values) else { break };
        board.raise(answer.bound * unscale);
        let mut broken = interval.broken_running(&point, 0.02, 1e-3);
        broken.sort_by(|a, b| (b.value(&point) - b.upper).total_cmp(&(a.value(&point) - a.upper)));
        broken.truncate(CUTS);
        tracing::debug!(
            round,
            bound = answer.bound,
            broken = broken.len(),
            seconds = board.deadline.elapsed_seconds(),
            "cuts"
        );
        if stop(board) || deadline.over() {
            return None;
        }
        if broken.is_empty() {
            break;
        }
        relaxed.add_rows(&broken)?;
        interval.model.rows.append(&mut broken);
    }
    drop(relaxed);
    loop {
        let mut highs = Highs::new(&interval.model, false)?;
        highs.gaps(0.0, 1e-6)?;
        if let Some(best) = board.best() {
            let mut line = Timeline::new(program);
            line.load(&best.plan);
            highs.start(&interval.point(&line));
        }
        let control = Control {
            deadline,
            enough: &enough,
            nodes: effort.map(|effort| effort / MOVES_PER_NODE),
            iterations: None,
        };
        let answer = highs.solve(&control);
        let spent = spend(effort, answer.work.max(1) * MOVES_PER_NODE);
        tracing::debug!(?answer.status, bound = answer.bound, nodes = answer.work, seconds = board.deadline.elapsed_seconds(), "solved");
        if matches!(answer.status, Status::Optimal | Status::Stopped) && answer.bound.is_finite() {
            board.raise(answer.bound * unscale);
        }
        if answer.status == Status::Infeasible && board.best().is_none() {
            board.refute();
        }
        let point = answer.values?;
        let plan = interval.plan(&point);
        let mut line = Timeline::new(program);
        line.load(&plan);
        if line.excess <= 0.0 {
            board.offer(line.extra_time, &plan, "milp");
        }
        if answer.status != Status::Optimal || board.over() || deadline.over() || spent.is_none() {
            return None;
        }
        let mut broken = interval.broken_running(&point, 0.5, 1e-6);
        tracing::debug!(broken = broken.len(), excess = line.excess, "solution");
        if broken.is_empty() {
            return Some(overloaded(&line));
        }
        interval.model.rows.append(&mut broken);
    }
}

/// Is the proof made, out of time, or not worth its time any more?
fn stop(board: &Board) -> bool {
    board.over() || board.hopeless()
}

/// Takes work off a deterministic limit; none once it is used up.
fn spend(effort: &mut Option<u64>, work: u64) -> Option<()> {
    let Some(left) = effort else { return Some(()) };
    *left = left.saturating_sub(work);
    (*left > 0).then_some(())
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
