//! The covering program: which gaps between uses to leave empty, one binary each. A quick start for large graphs.
//!
//! A value alive from one use to the next without being read may go in between and be made again before the next.
//! Each such gap is a column that costs the time of what then has to run; each position over the cap is a row:
//! the bytes of the gaps chosen there cover what is too much. What the recomputes themselves hold
//! is seen only afterwards, on the [`Timeline`]; it is added to the rows, and the program is solved again.

use ballast_core::limits::Deadline;
use good_lp::solvers::highs::{HighsParallelType, highs};
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, Variable, constraint, variable};

use crate::model::{WHOLE_CAP, WHOLE_TIME};
use crate::outcome::Error;
use crate::program::{Again, Program, Slot};
use crate::solver::{MemorySolver, Proposal, Task};
use crate::timeline::{Timeline, first, position};

/// Most rows added in one round.
const ROWS: usize = 250;
/// Rounds of solving and looking.
const ROUNDS: usize = 6;
/// Share of the time left that all rounds may take, and most seconds of one.
const SHARE: f64 = 0.1;
const MOST_SECONDS: f64 = 3.0;
/// Most gaps where no clock may end a round: with more of them the first relaxation alone can take as long as a search is given.
const MOST_UNTIMED: usize = 2000;
/// Branch-and-bound nodes of one round.
const NODES: i32 = 500;
/// Relative gap at which a round is good enough: the start need not be better than the model.
const GOOD_ENOUGH: f32 = 2e-3;

/// The covering program alone.
pub(crate) struct Gaps;

impl MemorySolver for Gaps {
    fn name(&self) -> &'static str {
        "gaps"
    }

    fn about(&self) -> &'static str {
        "the covering program over gaps between uses alone"
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let mut line = Timeline::new(task.program);
        let Some(again) = cover(task.program, &task.deadline) else { return Ok(None) };
        line.load(&again);
        let plan = (line.excess <= 0.0).then(|| (line.extra_time, line.plan()));
        Ok(task.in_one_pass(self.name(), plan))
    }
}

/// A value unread between two positions, both of which it is needed at.
struct Gap {
    slot: Slot,
    from: Slot,
    to: Slot,
    /// Time of all that runs if the value is made again before `to`.
    time: f64,
}

/// Recomputes that leave gaps empty; they may still be over the cap. None if the solver finds nothing in its share
/// of the time.
pub(crate) fn cover(program: &Program, deadline: &Deadline) -> Option<Vec<Again>> {
    let unplanned = program.unplanned();
    let over: Vec<bool> = unplanned.iter().map(|&bytes| bytes > program.cap).collect();
    let gaps = gaps(program, &over);
    if gaps.is_empty() {
        return Some(Vec::new());
    }
    let mut watched = worst(&unplanned, program.cap, &vec![false; program.len()]);
    // Bytes at each position beyond those the columns account for.
    let mut hidden = vec![0.0; program.len()];
    let mut best: Option<(f64, Vec<Again>)> = None;
    let seconds = deadline.remaining_seconds();
    if seconds.is_infinite() && gaps.len() > MOST_UNTIMED {
        return None;
    }
    let budget = if seconds.is_finite() { deadline.within(seconds * SHARE) } else { *deadline };
    for _ in 0..ROUNDS {
        let need = |at: Slot| unplanned[at as usize] + hidden[at as usize] - program.cap;
        let Some(chosen) = choose(program, &gaps, &watched, &need, &budget) else { break };
        let plan = plan_of(program, &gaps, &chosen);
        let mut line = Timeline::new(program);
        line.load(&plan);
        if best.as_ref().is_none_or(|(excess, _)| line.excess < *excess) {
            best = Some((line.excess, line.plan()));
        }
        if line.excess <= 0.0 || budget.over() {
            break;
        }
        let mut accounted = unplanned.clone();
        for (gap, _) in gaps.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
            let size = program.size[gap.slot as usize];
            accounted[gap.from as usize + 1..gap.to as usize].iter_mut().for_each(|bytes| *bytes -= size);
        }
        let mut bytes = line.first_bytes().to_vec();
        for (&key, &held) in line.between().iter().zip(line.between_bytes()) {
            let at = &mut bytes[position(key) as usize];
            *at = at.max(held);
        }
        for ((hidden, &seen), &known) in hidden.iter_mut().zip(&bytes).zip(&accounted) {
            *hidden = hidden.max(seen - known);
        }
        let mut known = vec![false; program.len()];
        watched.iter().for_each(|&at| known[at as usize] = true);
        watched.extend(worst(&bytes, program.cap, &known));
    }
    best.map(|(_, plan)| plan)
}

/// The gaps that span a position over the cap.
fn gaps(program: &Program, over: &[bool]) -> Vec<Gap> {
    let mut found = Vec::new();
    let mut before = vec![0u32];
    before.extend(over.iter().scan(0u32, |count, &is| {
        *count += u32::from(is);
        Some(*count)
    }));
    for slot in (0..program.len() as Slot)
        .filter(|&s| program.repeatable[s as usize] && program.size[s as usize] > 0.0)
    {
        let mut from = slot;
        for &to in program.readers(slot) {
            if before[to as usize] > before[from as usize + 1] {
                let mut steps = SUBTREE;
                let time = time_again(program, slot, to, &mut steps);
                if steps > 0 {
                    found.push(Gap { slot, from, to, time });
                }
            }
            from = to;
        }
    }
    found
}

/// Most nodes that one gap may make run.
const SUBTREE: u32 = 64;

/// Time to make a value at a position where its inputs are there only up to their last readers. `steps` counts
/// down the nodes that run; 0: too many, or one that must not.
fn time_again(program: &Program, slot: Slot, at: Slot, steps: &mut u32) -> f64 {
    *steps = if program.repeatable[slot as usize] { steps.saturating_sub(1) } else { 0 };
    let mut time = program.time[slot as usize];
    for &input in program.inputs(slot) {
        if *steps > 0 && program.last_reader(input) < at {
            time += time_again(program, input, at, steps);
        }
    }
    time
}

/// Positions over the cap not yet known, the worst of each stretch.
fn worst(bytes: &[f64], cap: f64, known: &[bool]) -> Vec<Slot> {
    let over: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] > cap && !known[at]).collect();
    let part = over.len().div_ceil(ROWS).max(1);
    over.chunks(part)
        .filter_map(|chunk| chunk.iter().copied().max_by(|&a, &b| bytes[a].total_cmp(&bytes[b])))
        .map(|at| at as Slot)
        .collect()
}

/// Solves the covering program; whether each gap is left empty. Rows that all gaps together cannot cover ask for
/// what there is.
fn choose(
    program: &Program,
    gaps: &[Gap],
    watched: &[Slot],
    need: &dyn Fn(Slot) -> f64,
    budget: &Deadline,
) -> Option<Vec<bool>> {
    let (time, bytes) =
        (WHOLE_TIME / program.total_time.max(f64::MIN_POSITIVE), WHOLE_CAP / program.cap.max(1.0));
    let mut variables = ProblemVariables::new();
    let empty: Vec<Variable> = gaps.iter().map(|_| variables.add(variable().binary())).collect();
    // A little for every gap, so that free recomputes are not chosen without need.
    let cost: Expression =
        gaps.iter().zip(&empty).map(|(gap, &empty)| (gap.time * time + 1e-6) * empty).sum();
    let mut model = variables
        .minimise(cost)
        .using(highs)
        .set_threads(1)
        .set_parallel(HighsParallelType::Off)
        .set_mip_rel_gap(GOOD_ENOUGH)
        .ok()?
        .set_option("mip_max_nodes", NODES)
        .set_option("random_seed", 0);
    let seconds = budget.remaining_seconds();
    if seconds.is_finite() {
        model = model.set_time_limit(seconds.clamp(0.01, MOST_SECONDS));
    }
    for &at in watched.iter().filter(|&&at| need(at) > 0.0) {
        let there = || gaps.iter().zip(&empty).filter(|(gap, _)| gap.from < at && at < gap.to);
        let all: f64 = there().map(|(gap, _)| program.size[gap.slot as usize]).sum();
        let covered: Expression =
            there().map(|(gap, &empty)| program.size[gap.slot as usize] * bytes * empty).sum();
        model.add_constraint(constraint!(covered >= need(at).min(all) * bytes));
    }
    let solution = model.solve().ok()?;
    Some(empty.iter().map(|&empty| solution.value(empty) > 0.5).collect())
}

/// Recomputes at the ends of the gaps chosen, with those of their inputs that are not there by then.
fn plan_of(program: &Program, gaps: &[Gap], chosen: &[bool]) -> Vec<Again> {
    let mut absent: Vec<Vec<(Slot, Slot)>> = vec![Vec::new(); program.len()];
    for (gap, _) in gaps.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        absent[gap.slot as usize].push((gap.from, gap.to));
    }
    let mut plan: Vec<Again> = Vec::new();
    for (gap, _) in gaps.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        let mut wanted = vec![gap.slot];
        while let Some(slot) = wanted.pop() {
            plan.push(Again { position: gap.to, round: 0, slot });
            for &input in program.inputs(slot) {
                let gone = program.last_reader(input) < gap.to
                    || absent[input as usize].iter().any(|&(from, to)| from < gap.to && gap.to <= to);
                let listed = plan
                    .iter()
                    .rev()
                    .take_while(|again| again.position == gap.to)
                    .any(|again| again.slot == input);
                if gone && program.repeatable[input as usize] && !listed && !wanted.contains(&input) {
                    wanted.push(input);
                }
            }
        }
    }
    plan.sort_unstable();
    plan.dedup();
    // Copies that nobody reads because another recompute serves their readers.
    let mut line = Timeline::new(program);
    line.load(&plan);
    for &key in line.between().to_vec().iter().rev() {
        if line.idle(key) && position(key) < program.len() as Slot && key < first(position(key)) {
            line.remove(key);
        }
    }
    line.plan()
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem};

    use super::*;

    /// Layers that each keep a large and a small value for the backward pass.
    fn training(layers: usize) -> Problem {
        let mut nodes: Vec<Node> = Vec::new();
        for i in 0..layers {
            let before = i.checked_sub(1).map(|i| 2 * i + 1);
            nodes.push(Node::new(format!("large{i}"), 1.0, 10, before));
            nodes.push(Node::new(format!("small{i}"), 5.0, 1, vec![2 * i]));
        }
        for i in (0..layers).rev() {
            let last = nodes.len() - 1;
            nodes.push(Node::new(format!("grad{i}"), 5.0, 1, vec![2 * i, 2 * i + 1, last]));
        }
        Problem { name: "training".into(), nodes, resident_bytes: 0 }
    }

    #[test]
    fn the_cheapest_gaps_cover_the_excess() {
        let problem = training(10);
        let cap = problem.unplanned_peak() / 2;
        let program = Program::new(&problem, None, cap);
        let plan = cover(&program, &Deadline::after(None)).unwrap();
        let mut line = Timeline::new(&program);
        line.load(&plan);
        assert_eq!(line.excess, 0.0);
        // Half of 110 bytes has to go, 10 at 1 s each from values whose inputs stay.
        assert!(line.extra_time <= 6.0, "{}", line.extra_time);
        assert!(plan.iter().all(|again| again.slot % 2 == 0), "{plan:?}");
    }

    #[test]
    fn nothing_is_chosen_where_nothing_is_over() {
        let problem = training(4);
        let program = Program::new(&problem, None, problem.unplanned_peak());
        assert_eq!(cover(&program, &Deadline::after(None)), Some(Vec::new()));
    }
}
