//! Rows of the interval model from the ways there are through an interval: which values have to be there, or run again, for others to be there at its end.
//!
//! The rows that see one run again at a time let values that need each other's room all be there at c_(j+1). Whether they can is a small pebbling problem:
//! from what is on the device while c_j runs, by the first runs of interval *j* and by the recomputes and copies back that the point has there, as often as they like
//! (between two first runs in the order that the plans keep), to the values that stay at c_(j+1). More to begin with, and more that may run or come back, never hurts; more to end with never helps. So
//! where a search through all sets of values that can be held finds no way, none has what is missing, and of set *N* of values that stay and set *X* of columns at 0, each
//! made as small as it gets with no way still, the row says (a combinatorial Benders cut; Hooker and Ottosson, "Logic-based Benders decomposition", 2003)
//!
//! - `passage_j`: sum over *X* of `stay_v_j`, `again_v_j`, `back_v_j` >= 1 - sum over *N* of (1 - `stay_v_(j+1)`).
//!
//! A model that does not say when values are on the host alone has no such rows. Where copies run beside computation they take no time here, and hold no more than their value.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::interval::Interval;
use crate::model::{Row, merge, single};
use crate::program::{Again, MOST_ROUNDS, Plan, Slot};
use crate::ways::{Moves, Passage, Place, Question, Way};

/// Shares of the cap from which the bytes of values count: few of them first, as a search among few ends soon.
const SHARES: [f64; 3] = [0.25, 0.0625, 1e-3];
/// Most sets of values looked at to find a way, and for one row in all.
const WAYS: u32 = 3_000;
const WAYS_OF_ROW: u32 = 60_000;

/// Rows `passage_j` that a point of whole numbers breaks, at most one of each interval; those found until told to stop.
pub(crate) fn broken_passages(interval: &Interval<'_>, point: &[f64], stop: &dyn Fn() -> bool) -> Vec<Row> {
    if interval.link.is_some() && !interval.copies {
        return Vec::new();
    }
    let passages = (0..interval.critical.len()).take_while(|_| !stop()).map(|j| Passage::new(interval, j));
    passages.filter_map(|mut passage| broken(&mut passage, point)).collect()
}

/// The plan of ways through all intervals at a point of whole numbers; none where one has none, or the search for it takes too long.
pub(crate) fn plan_through(interval: &Interval<'_>, point: &[f64]) -> Option<Plan> {
    let mut plan = Plan::default();
    for j in 0..interval.critical.len() {
        let mut passage = Passage::new(interval, j);
        let question = passage.question(point);
        let way = SHARES.into_iter().rev().find_map(|share| {
            passage.count_from(share * passage.program.cap);
            way(&passage, &question)
        })?;
        let mut last: Option<Again> = None;
        for (position, way, slot) in way {
            if way == Way::Back {
                plan.back.push((position, slot));
                plan.out.push((interval.goes_out(point, slot as usize), slot));
                continue;
            }
            let number = |slot: Slot| interval.program.original[slot as usize];
            let before = last.filter(|last| last.position == position && interval.program.rounds);
            let round = before.map_or(0, |last| last.round + u32::from(number(slot) <= number(last.slot)));
            if round >= MOST_ROUNDS {
                return None;
            }
            let again = Again { position, round, slot };
            last = Some(again);
            plan.again.push(again);
        }
    }
    plan.again.sort_unstable();
    plan.again.dedup();
    plan.back.sort_unstable();
    plan.out.sort_unstable();
    plan.out.dedup();
    Some(plan)
}

/// The row that says why there is no way at a point; none where there is one or the search for it takes too long.
fn broken(passage: &mut Passage<'_>, point: &[f64]) -> Option<Row> {
    let question = passage.question(point);
    let mut left = WAYS_OF_ROW;
    SHARES.into_iter().find(|share| {
        passage.count_from(share * passage.program.cap);
        is_blocked(passage, &question, &mut left) == Some(true)
    })?;
    let reasons =
        passage.reasons(point, &mut |question| is_blocked(passage, question, &mut left) == Some(true));
    let needs = reasons.needs.iter().map(|&column| (column, -1.0));
    let mut terms: Vec<_> = needs.chain(reasons.missing.iter().map(|&column| (column, 1.0))).collect();
    merge(&mut terms);
    let lower = 1.0 - reasons.needs.len() as f64;
    Some(Row { name: single("passage", passage.j), lower, upper: f64::INFINITY, terms })
}

/// The recomputes and copies back of a way, each with the first run that follows it.
fn way(passage: &Passage<'_>, question: &Question) -> Option<Vec<(Slot, Way, Slot)>> {
    let mut search = Search::new(passage, question, WAYS);
    let mut at = search.run()??;
    let mut way = Vec::new();
    while let Some(Came { from, made }) = search.seen.remove(&at) {
        way.extend(made.into_iter().rev().map(|(way, value)| (at.next, way, passage.values[value])));
        let Some(from) = from else { break };
        at = from;
    }
    way.reverse();
    Some(way)
}

/// Is there no way? None where that takes too long to say; `left` is what may be looked at.
fn is_blocked(passage: &Passage<'_>, question: &Question, left: &mut u32) -> Option<bool> {
    let most = WAYS.min(*left);
    let mut search = Search::new(passage, question, most);
    let way = search.run().map(|end| end.is_some());
    *left -= most.min(search.seen.len() as u32);
    way.map(|way| !way)
}

/// A search through the sets of values that can be held.
struct Search<'a> {
    moves: Moves<'a>,
    /// Most sets to look at.
    most: usize,
    seen: HashMap<Place, Came>,
    open: Vec<Place>,
}

/// How a search came to a place: from where, by a step and by what takes no room after it. First runs are no part of a plan.
struct Came {
    from: Option<Place>,
    made: Vec<(Way, usize)>,
}

impl<'a> Search<'a> {
    fn new(passage: &'a Passage<'a>, question: &'a Question, most: u32) -> Self {
        let moves = Moves::new(passage, question);
        Search { moves, most: most as usize, seen: HashMap::new(), open: Vec::new() }
    }

    /// Where a way ends; none where there is no way. None of either where too many sets would have to be looked at.
    fn run(&mut self) -> Option<Option<Place>> {
        self.visit(self.moves.start(), None, None);
        while let Some(place) = self.open.pop() {
            if self.is_spent() {
                return None;
            }
            if place.next == self.moves.passage.runs.end {
                return Some(Some(place));
            }
            // What is taken last is looked at first: first runs.
            for step in self.moves.steps(place) {
                let mut to = Vec::new();
                // One step may have more sets to drop than may be looked at in all.
                let most = self.most;
                self.moves.take(place, &step, 0, &mut |next| {
                    to.push(next);
                    to.len() <= most
                });
                to.into_iter().for_each(|next| self.visit(next, Some(place), step.made));
            }
        }
        if self.is_spent() { None } else { Some(None) }
    }

    fn is_spent(&self) -> bool {
        self.seen.len() > self.most
    }

    /// Notes a place to go on from.
    fn visit(&mut self, place: Place, from: Option<Place>, made: Option<(Way, usize)>) {
        let (place, free) = self.moves.settled(place);
        if let Entry::Vacant(new) = self.seen.entry(place) {
            new.insert(Came { from, made: made.into_iter().chain(free).collect() });
            self.open.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ballast_core::limits::Deadline;
    use ballast_core::memory::{Node, Problem, SwapModel};

    use super::*;
    use crate::incumbent::{Incumbent, Progress};
    use crate::program::{Again, Program};
    use crate::prover::prove;
    use crate::swap_bound::{Stage, bound_and_best};
    use crate::timeline::Timeline;

    /// Two values are made of larger ones, then an op needs all memory, then both are read: they have to be made again, one beside the other.
    fn two_values() -> Problem {
        let node =
            |(name, bytes, inputs): (&str, u64, &[usize])| Node::new(name, 1.0, bytes, inputs.to_vec());
        let nodes = [
            ("start", 2, &[][..]),
            ("before a", 8, &[0]),
            ("a", 6, &[1]),
            ("before b", 8, &[0]),
            ("b", 6, &[3]),
            ("large", 17, &[0]),
            ("end", 0, &[2, 4, 0]),
        ];
        Problem { name: "two values".into(), nodes: nodes.map(node).into(), resident_bytes: 0 }
    }

    /// The last of them runs beside the other and what it is made of, 8 + 6 + 6 bytes; and beside the start, unless that runs again after it.
    #[test]
    fn two_values_that_fit_beside_each_other_in_neither_order_do_not_both_run_again() {
        let problem = two_values();
        for (cap, runs) in [(19, None), (20, Some(5.0)), (21, Some(5.0)), (22, Some(4.0))] {
            let program = Program::new(&problem, None, cap).with_rounds(true);
            let progress = Arc::new(Progress::default());
            let incumbent = Incumbent::new(&program, Deadline::after(Some(10.0)), 1e-9, progress);
            // Nothing is known but a plan that runs all but the large one again, where there is one.
            let again = [0, 1, 2, 3, 4, 0].map(|slot| slot as Slot).into_iter().zip(0..);
            let again: Vec<Again> = again.map(|(slot, round)| Again { position: 6, round, slot }).collect();
            let mut line = Timeline::new(&program);
            line.load(&again);
            if line.excess <= 0.0 {
                incumbent.offer(line.extra_time, &line.plan(), "given");
            }
            prove(&program, &incumbent, None, 1);
            assert_eq!(incumbent.refuted(), runs.is_none(), "cap {cap}");
            if let Some(runs) = runs {
                assert!((incumbent.bound() - runs).abs() < 1e-3, "cap {cap}: {}", incumbent.bound());
            }
        }
    }

    /// Two values are both wanted at the end, and neither can be made beside the other: one has to be on the host meanwhile. The large one takes 3 to be
    /// copied out and 3 to come back. With rounds the small one (2 and 2) may come back after the large one has run again with what it is made of (0.5 each).
    #[test]
    fn a_value_that_no_recompute_can_make_in_time_is_copied() {
        let node = |(name, time, bytes, inputs): (&str, f64, u64, &[usize])| {
            Node::new(name, time, bytes, inputs.to_vec())
        };
        let nodes = [
            ("before a", 0.5, 3, &[][..]),
            ("a", 0.5, 3, &[0]),
            ("before b", 9.0, 2, &[]),
            ("b", 9.0, 2, &[2]),
            ("end", 1.0, 0, &[1, 3]),
        ];
        let problem = Problem { name: "neither".into(), nodes: nodes.map(node).into(), resident_bytes: 0 };
        let swap = SwapModel {
            out_bandwidth: 1.0,
            in_bandwidth: 1.0,
            latency: 0.0,
            overlap: false,
            host_capacity_bytes: None,
        };
        for (cap_bytes, rounds, extra) in [(6, false, 6.0), (6, true, 5.0), (7, false, 0.0)] {
            let program = Program::new(&problem, None, cap_bytes).with_rounds(rounds);
            let stage = Stage { problem: &problem, program: &program, swap: &swap, cap_bytes };
            let (bound, found) = bound_and_best(stage, problem.total_time() + 8.0);
            assert!(bound <= extra && bound > extra - 1e-2, "cap {cap_bytes}: {bound}");
            if extra > 0.0 && !rounds {
                assert!((found - problem.total_time() - extra).abs() < 1e-9, "{found}");
            }
        }
    }
}
