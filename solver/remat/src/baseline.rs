//! Methods that plan in one pass, as starts and for comparison.

use ballast_core::limits::{Deadline, StopReason};

use crate::outcome::Error;
use crate::program::{Again, Plan, Program, Slot};
use crate::solver::{MemorySolver, Proposal, Task};
use crate::timeline::{Key, Timeline, first, is_first, position};

/// Nothing is recomputed or swapped.
pub(crate) struct KeepAll;

impl MemorySolver for KeepAll {
    fn name(&self) -> &'static str {
        "keep-all"
    }

    fn about(&self) -> &'static str {
        "nothing is recomputed or swapped"
    }

    fn propose(&self, _task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let reason = "the unchanged program does not fit the cap".into();
        Err(Error::NotApplicable { solver: self.name(), reason })
    }
}

/// Evict and recompute in one pass.
pub(crate) struct Greedy;

impl MemorySolver for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn about(&self) -> &'static str {
        "evict and recompute in one pass, the cheapest per byte first"
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        Ok(task.in_one_pass(self.name(), greedy(task.program, Some(&task.deadline))))
    }
}

/// Checkpoints between segments.
pub(crate) struct SqrtN;

impl MemorySolver for SqrtN {
    fn name(&self) -> &'static str {
        "sqrt-n"
    }

    fn about(&self) -> &'static str {
        "checkpoints between segments of the forward part (Chen et al. 2016)"
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let (plan, stopped) = segments(task.program, &task.backward(), (usize::MAX, Some(&task.deadline)));
        let found = task.in_one_pass(self.name(), plan);
        let stop = if stopped { task.deadline.reason() } else { StopReason::Finished };
        Ok(found.map(|found| Proposal { stop, ..found }))
    }
}

impl Task<'_> {
    /// A plan of recomputes made in one pass.
    pub(crate) fn in_one_pass(
        &self,
        method: &'static str,
        plan: Option<(f64, Vec<Again>)>,
    ) -> Option<Proposal> {
        let (_, again) = plan?;
        let compact = self.program.compact(&Plan::recomputing(&again));
        Some(Proposal::in_one_pass(method, compact, self.problem))
    }
}

/// Evicts while memory is over the cap, first step first: the value cheapest to make again per byte, among those
/// alive and not in use, returns just before its next use (as XLA's rematerialisation does). None if it gets stuck, or if the
/// time is over before the last step keeps the cap.
fn greedy(program: &Program, deadline: Option<&Deadline>) -> Option<(f64, Vec<Again>)> {
    let mut line = Timeline::new(program);
    // Each round takes one value away from one step; a value may have to go several times.
    for _ in 0..program.len().saturating_mul(8) {
        let Some(step) = first_over(&line) else { return Some((line.extra_time, line.plan())) };
        if deadline.is_some_and(Deadline::over) {
            return None;
        }
        let before = line.excess;
        let helped = candidates(&line, step).into_iter().any(|(_, key)| {
            line.insert(key);
            let helps = line.excess < before;
            if !helps {
                line.remove(key);
            }
            helps
        });
        if !helped {
            return None;
        }
    }
    None
}

fn first_over(line: &Timeline<'_>) -> Option<Key> {
    let cap = line.program.cap;
    let plain = line.first_bytes().iter().position(|&bytes| bytes > cap).map(|at| first(at as Slot));
    let again = line.between_bytes().iter().position(|&bytes| bytes > cap).map(|at| line.between()[at]);
    plain.into_iter().chain(again).min()
}

/// The recomputes that take a value away from a step, with their time per byte won, the cheapest first.
fn candidates(line: &Timeline<'_>, step: Key) -> Vec<(f64, Key)> {
    let program = line.program;
    let running = program.inputs(line.node(step));
    let until = position(step) + Slot::from(!is_first(step));
    let mut found = Vec::new();
    for slot in
        (0..until).filter(|&slot| program.repeatable[slot as usize] && program.size[slot as usize] > 0.0)
    {
        let Some(span) = line.span_before(slot, step) else { continue };
        if span.end <= step || running.binary_search(&slot).is_ok() {
            continue;
        }
        let Some(next) = line.next_use(slot, step) else { continue };
        let key = line.key(position(next), 0, slot);
        if key <= step || key >= next || line.holds(key) {
            continue;
        }
        // Inputs that would have to stay on for it are bytes not won.
        let held: f64 = program
            .inputs(slot)
            .iter()
            .filter(|&&input| line.span_before(input, key).is_some_and(|span| span.end < step))
            .map(|&input| program.size[input as usize])
            .sum();
        let won = program.size[slot as usize] - held;
        if won > 0.0 {
            found.push((program.time[slot as usize] / won, key));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found
}

/// A first plan at little cost, for searches that may have no time to find one; with the method's name.
pub(crate) fn quick(program: &Program, backward: &[bool]) -> Option<(f64, Vec<Again>, &'static str)> {
    let named = |plan: Option<(f64, Vec<Again>)>, name| plan.map(|(extra, again)| (extra, again, name));
    if program.len() <= GREEDY_NODES {
        return named(greedy(program, None), "greedy")
            .or_else(|| named(segments(program, backward, (8, None)).0, "sqrt-n"));
    }
    named(segments(program, backward, (1, None)).0, "sqrt-n")
}

/// Most nodes for which the greedy plan, quadratic at worst, costs next to nothing.
const GREEDY_NODES: usize = 1500;

/// Checkpoints between segments of the forward part, every other value made again when the backward part first
/// needs its segment (Chen et al. 2016, algorithm 1); of the numbers of segments tried, those nearest to the square
/// root first, the cheapest that fits; and whether the time was over before all of them, of which the first has its turn anyhow.
/// Where no node is known to belong to the backward part it begins behind the fullest moment.
fn segments(
    program: &Program,
    backward: &[bool],
    (tries, deadline): (usize, Option<&Deadline>),
) -> (Option<(f64, Vec<Again>)>, bool) {
    let Some(forward) = backward.iter().position(|&is| is).or_else(|| behind_the_peak(program)) else {
        return (None, false);
    };
    let mut best: Option<(f64, Vec<Again>)> = None;
    let root = (forward as f64).sqrt().ceil() as usize;
    let mut counts: Vec<usize> = (1..=forward.min(4 * root)).collect();
    counts.sort_by_key(|count| count.abs_diff(root));
    for (tried, count) in counts.into_iter().take(tries).enumerate() {
        if tried > 0 && deadline.is_some_and(Deadline::over) {
            return (best, true);
        }
        let plan = segment_plan(program, forward, count);
        let mut line = Timeline::new(program);
        line.load(&plan);
        if line.excess <= 0.0 && best.as_ref().is_none_or(|(time, _)| line.extra_time < *time) {
            best = Some((line.extra_time, line.plan()));
        }
    }
    (best, false)
}

/// The position behind the one where the unplanned program holds most; none where that is the last.
fn behind_the_peak(program: &Program) -> Option<usize> {
    let held = program.unplanned();
    let peak = (0..held.len()).max_by(|&a, &b| held[a].total_cmp(&held[b]).then(b.cmp(&a)))?;
    (peak + 1 < held.len()).then_some(peak + 1)
}

fn segment_plan(program: &Program, forward: usize, count: usize) -> Vec<Again> {
    let segment_of = |slot: usize| slot * count / forward;
    // When the backward part first needs a value that its segment does not keep.
    let inner = |slot: usize| {
        let last_forward = program
            .readers(slot as Slot)
            .iter()
            .copied()
            .filter(|&r| (r as usize) < forward)
            .max()
            .unwrap_or(0);
        program.repeatable[slot] && segment_of(last_forward as usize) == segment_of(slot)
    };
    let mut first_need = vec![Slot::MAX; count];
    let mut needed = vec![false; forward];
    for slot in (0..forward).rev().filter(|&slot| inner(slot)) {
        let readers = program.readers(slot as Slot);
        if let Some(&reader) = readers.iter().find(|&&reader| reader as usize >= forward) {
            let need = &mut first_need[segment_of(slot)];
            *need = (*need).min(reader);
            needed[slot] = true;
        }
        needed[slot] |= readers.iter().any(|&reader| (reader as usize) < forward && needed[reader as usize]);
    }
    (0..forward)
        .filter(|&slot| needed[slot] && inner(slot) && first_need[segment_of(slot)] != Slot::MAX)
        .map(|slot| Again { position: first_need[segment_of(slot)], round: 0, slot: slot as Slot })
        .collect()
}

#[cfg(test)]
mod tests {
    use ballast_core::limits::Limits;
    use ballast_core::memory::{Node, Problem};

    use super::*;
    use crate::{Options, Outcome, Solver, plan};

    #[test]
    fn a_time_limit_ends_plans_in_one_pass_too() {
        let mut nodes: Vec<Node> =
            (0..9).map(|id: usize| Node::new("forward", 1.0, 4, id.checked_sub(1))).collect();
        for id in (0..9).rev() {
            let before = (id < 8).then(|| nodes.len() - 1);
            let inputs: Vec<usize> = [id].into_iter().chain(before).collect();
            nodes.push(Node { backward: true, ..Node::new("backward", 1.0, 4, inputs) });
        }
        let problem = Problem { name: "training".into(), nodes, resident_bytes: 0 };
        let plan_in = |solver, time_limit_seconds| -> Result<Outcome, Error> {
            let limits = Limits { time_limit_seconds, ..Limits::default() };
            // One value less than all.
            let cap_bytes = problem.unplanned_peak() - 4;
            plan(&problem, &Options { cap_bytes, solver, limits, ..Options::default() })
        };
        // The first segments are a plan; greedy has none before its last step.
        let stop = |solver, seconds| plan_in(solver, seconds).map(|plan| plan.report.stop_reason);
        for solver in [Solver::GREEDY, Solver::SQRT_N] {
            assert_eq!(stop(solver, None), Ok(StopReason::Finished));
        }
        assert_eq!(stop(Solver::SQRT_N, Some(0.0)), Ok(StopReason::TimeLimit));
        let refused = stop(Solver::GREEDY, Some(0.0));
        assert!(matches!(refused, Err(Error::Infeasible { proved: false, .. })), "{refused:?}");
    }
}
