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
//! What the search leaves out makes more ways, so that rows hold: bytes of all but the largest values, and values beyond so many. Where copies run beside computation the
//! model does not say when values are on the host alone: there are no such rows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::interval::Interval;
use crate::model::{ABSENT, ALWAYS, Column, Row, merge, single};
use crate::program::{Again, MOST_ROUNDS, Plan, Program, Slot};

/// Most values looked at: others count as there.
const MOST: usize = u128::BITS as usize;
/// Most values whose bytes count, and the shares of the cap from which they do: few of them first, as a search among few ends soon.
const LARGEST: usize = 24;
const SHARES: [f64; 3] = [0.25, 0.0625, 1e-3];
/// Most sets of values looked at to find a way, and for one row in all.
const WAYS: u32 = 3_000;
const WAYS_OF_ROW: u32 = 60_000;
/// Share of the cap by which a step has to be over it.
const OVER: f64 = 1e-9;

/// Rows `passage_j` that a point of whole numbers breaks, at most one of each interval; those found until told to stop.
pub(crate) fn broken_passages(interval: &Interval<'_>, point: &[f64], stop: &dyn Fn() -> bool) -> Vec<Row> {
    if interval.link.is_some() {
        return Vec::new();
    }
    let passages = (0..interval.critical.len()).take_while(|_| !stop()).map(|j| Passage::new(interval, j));
    passages.filter_map(|mut passage| passage.broken(point)).collect()
}

/// The plan of ways through all intervals at a point of whole numbers; none where one has none, or the search for it takes too long.
/// What comes back leaves right after its first run.
pub(crate) fn plan_through(interval: &Interval<'_>, point: &[f64]) -> Option<Plan> {
    let mut plan = Plan::default();
    for j in 0..interval.critical.len() {
        let mut passage = Passage::new(interval, j);
        let question = passage.question(point);
        let way = SHARES.into_iter().rev().find_map(|share| {
            passage.count_from(share * passage.program.cap);
            passage.way(&question)
        })?;
        let mut last: Option<Again> = None;
        for (position, way, slot) in way {
            if way == Way::Back {
                plan.back.push((position, slot));
                plan.out.push((slot, slot));
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

/// A set of values, by their places in [`Passage::values`].
type Set = u128;

/// The places in a set.
fn places(set: Set) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let place = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(place)
    })
}

/// A way for a value to be there.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Stays,
    Again,
    Back,
}

const WAYS_THERE: [Way; 3] = [Way::Again, Way::Back, Way::Stays];

/// What may be used on the way, and what has to be there at the end.
#[derive(Clone, Copy)]
struct Question {
    stays: Set,
    again: Set,
    back: Set,
    needs: Set,
}

impl Question {
    /// With another value that may be there.
    fn allow(&mut self, (way, place): (Way, usize)) {
        let set = match way {
            Way::Stays => &mut self.stays,
            Way::Again => &mut self.again,
            Way::Back => &mut self.back,
        };
        *set |= 1 << place;
    }
}

/// How far a way has come: the next first run, what is on the device, and the recomputes before that first run that can not follow any more.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    next: Slot,
    held: Set,
    /// Nodes below it, by the caller's numbering, run again before the next first run no more; 0 while copies may come back. Always 0 in plans with rounds.
    least: usize,
}

/// One step: what it reads, the bytes it makes or only holds, and where it leads, with what is there before it.
struct Step {
    reads: Set,
    bytes: f64,
    to: Place,
    /// What it is, and of which value; none: a first run.
    made: Option<(Way, usize)>,
}

/// The ways through one interval.
struct Passage<'a> {
    interval: &'a Interval<'a>,
    program: &'a Program,
    j: usize,
    /// First runs on the way.
    runs: std::ops::Range<Slot>,
    /// Bytes on the device at most.
    cap: f64,
    /// The values looked at, the largest first.
    values: Vec<Slot>,
    /// Place of each value among them.
    place: Vec<Option<u8>>,
    /// Those whose bytes count.
    large: Set,
    /// What the run of each of them reads.
    reads: Vec<Set>,
}

impl<'a> Passage<'a> {
    fn new(interval: &'a Interval<'a>, j: usize) -> Self {
        let (program, runs) = (interval.program, interval.first_runs(j));
        let mut relevant = vec![false; runs.end as usize];
        let mut left: Vec<Slot> = runs.clone().flat_map(|run| program.inputs(run).to_vec()).collect();
        if let Some(stays) = interval.stay.get(j + 1) {
            left.extend((0..runs.end).filter(|&v| stays.get(v as usize).is_some_and(|&stay| stay != ABSENT)));
        }
        while let Some(v) = left.pop() {
            if !std::mem::replace(&mut relevant[v as usize], true) && is_repeatable(interval, j, v) {
                left.extend(program.inputs(v));
            }
        }
        let mut values: Vec<Slot> = (0..runs.end).filter(|&v| relevant[v as usize]).collect();
        let size = |v: Slot| program.size[v as usize];
        values.sort_by(|&v, &w| size(w).total_cmp(&size(v)).then(v.cmp(&w)));
        values.truncate(MOST);
        let mut place = vec![None; runs.end as usize];
        for (at, &v) in values.iter().enumerate() {
            place[v as usize] = u8::try_from(at).ok();
        }
        let cap = program.cap * (1.0 + OVER);
        let mut passage =
            Passage { interval, program, j, runs, cap, values, place, large: 0, reads: Vec::new() };
        passage.reads = passage.values.iter().map(|&v| passage.read_by(v)).collect();
        passage
    }

    /// The values that a run reads.
    fn read_by(&self, v: Slot) -> Set {
        let places = self.program.inputs(v).iter().filter_map(|&input| self.place[input as usize]);
        places.fold(0, |set, at| set | 1 << at)
    }

    /// What a point says of the interval.
    fn question(&self, point: &[f64]) -> Question {
        let mut question = Question { stays: 0, again: 0, back: 0, needs: 0 };
        for (at, &v) in self.values.iter().enumerate() {
            let ways = WAYS_THERE.into_iter().filter(|&way| is_on(self.column(way, v), point));
            ways.for_each(|way| question.allow((way, at)));
            if is_on(self.needed(v), point) {
                question.needs |= 1 << at;
            }
        }
        question
    }

    /// The row that says why there is no way at a point; none where there is one or the search for it takes too long.
    fn broken(&mut self, point: &[f64]) -> Option<Row> {
        let mut question = self.question(point);
        let (mut needs, mut missing) = (Vec::new(), Vec::new());
        for (at, &v) in self.values.iter().enumerate() {
            missing.extend(WAYS_THERE.into_iter().map(|way| (way, at)).filter(|&(way, _)| {
                let column = self.column(way, v);
                column != ABSENT && !is_on(column, point)
            }));
            if question.needs >> at & 1 == 1 && self.needed(v) != ALWAYS {
                needs.push(at);
            }
        }
        let mut left = WAYS_OF_ROW;
        SHARES.into_iter().find(|share| {
            self.count_from(share * self.program.cap);
            self.is_blocked(&question, &mut left) == Some(true)
        })?;
        missing.sort_by_key(|&(way, at)| (way as u8, at));
        let kept_needs = least(&needs, &mut question, &mut |question, gone| {
            let mut fewer = *question;
            gone.iter().for_each(|&at| fewer.needs &= !(1 << at));
            let blocked = self.is_blocked(&fewer, &mut left) == Some(true);
            blocked.then(|| *question = fewer).is_some()
        });
        let kept_missing = least(&missing, &mut question, &mut |question, gone| {
            let mut more = *question;
            gone.iter().for_each(|&way| more.allow(way));
            let blocked = self.is_blocked(&more, &mut left) == Some(true);
            blocked.then(|| *question = more).is_some()
        });
        let needed = kept_needs.iter().map(|&at| (self.needed(self.values[at]) as Column, -1.0));
        let ways = kept_missing.iter().map(|&(way, at)| (self.column(way, self.values[at]) as Column, 1.0));
        let mut terms: Vec<(Column, f64)> = needed.chain(ways).collect();
        merge(&mut terms);
        let lower = 1.0 - kept_needs.len() as f64;
        Some(Row { name: single("passage", self.j), lower, upper: f64::INFINITY, terms })
    }

    /// Counts the bytes of values of so many or more.
    fn count_from(&mut self, bytes: f64) {
        let large = |&v: &Slot| self.program.size[v as usize] >= bytes.max(f64::MIN_POSITIVE);
        let count = self.values.iter().take_while(|v| large(v)).count().min(LARGEST);
        self.large = (0..count).fold(0, |set, at| set | 1 << at);
    }

    /// The column of a way for a value to be there.
    fn column(&self, way: Way, v: Slot) -> u32 {
        let columns = match way {
            Way::Stays => &self.interval.stay,
            Way::Again => &self.interval.again,
            Way::Back => &self.interval.back,
        };
        columns[self.j].get(v as usize).copied().unwrap_or(ABSENT)
    }

    /// The column of a value that is there at the end.
    fn needed(&self, v: Slot) -> u32 {
        // What the last run makes is there by itself.
        if v + 1 == self.runs.end {
            return ABSENT;
        }
        self.interval.stay.get(self.j + 1).map_or(ABSENT, |stays| stays[v as usize])
    }

    /// The recomputes and copies back of a way, each with the first run that follows it.
    fn way(&self, question: &Question) -> Option<Vec<(Slot, Way, Slot)>> {
        let mut search = Search::new(self, question, WAYS);
        let mut at = search.run()??;
        let mut way = Vec::new();
        while let Some(Came { from, made }) = search.seen.remove(&at) {
            way.extend(
                made.into_iter().rev().flatten().map(|(way, value)| (at.next, way, self.values[value])),
            );
            let Some(from) = from else { break };
            at = from;
        }
        way.reverse();
        Some(way)
    }

    /// Is there no way? None where that takes too long to say; `left` is what may be looked at.
    fn is_blocked(&self, question: &Question, left: &mut u32) -> Option<bool> {
        let most = WAYS.min(*left);
        let mut search = Search::new(self, question, most);
        let way = search.run().map(|end| end.is_some());
        *left -= most.min(search.seen.len() as u32);
        way.map(|way| !way)
    }
}

/// Is a column of a value 1 at a point?
fn is_on(column: u32, point: &[f64]) -> bool {
    column == ALWAYS || (column != ABSENT && point[column as usize] > 0.5)
}

/// May a value run again in interval j?
fn is_repeatable(interval: &Interval<'_>, j: usize, v: Slot) -> bool {
    // What first runs in the interval may run again there without a column.
    interval.again[j]
        .get(v as usize)
        .map_or(interval.program.repeatable[v as usize], |&column| column != ABSENT)
}

/// The items left when all those are gone that `goes` lets go, tried in halves.
fn least<T: Copy>(
    items: &[T],
    question: &mut Question,
    goes: &mut dyn FnMut(&mut Question, &[T]) -> bool,
) -> Vec<T> {
    if items.is_empty() || goes(question, items) {
        return Vec::new();
    }
    if items.len() == 1 {
        return items.to_vec();
    }
    let (first, second) = items.split_at(items.len() / 2);
    let mut kept = least(first, question, goes);
    kept.extend(least(second, question, goes));
    kept
}

/// A search through the sets of values that can be held.
struct Search<'a> {
    passage: &'a Passage<'a>,
    question: &'a Question,
    /// What may still be read from each first run on.
    wanted: Vec<Set>,
    /// Most sets to look at.
    most: usize,
    seen: HashMap<Place, Came>,
    open: Vec<Place>,
}

/// How a search came to a place: from where, by a step and by what takes no room after it. A first run is no part of a plan: none.
struct Came {
    from: Option<Place>,
    made: Vec<Option<(Way, usize)>>,
}

impl<'a> Search<'a> {
    fn new(passage: &'a Passage<'a>, question: &'a Question, most: u32) -> Self {
        let most = most as usize;
        Search { passage, question, wanted: Vec::new(), most, seen: HashMap::new(), open: Vec::new() }
    }

    /// Where a way ends; none where there is no way. None of either where too many sets would have to be looked at.
    fn run(&mut self) -> Option<Option<Place>> {
        let passage = self.passage;
        self.wanted = vec![0; passage.runs.len() + 1];
        let mut wanted = self.closed(self.question.needs);
        for at in (0..passage.runs.len()).rev() {
            self.wanted[at + 1] = wanted;
            wanted = self.closed(wanted | passage.read_by(passage.runs.start + at as Slot));
        }
        self.wanted[0] = wanted;
        self.visit(Place { next: passage.runs.start, held: self.question.stays, least: 0 }, None, None);
        while let Some(place) = self.open.pop() {
            if self.is_spent() {
                return None;
            }
            if place.next == passage.runs.end {
                return Some(Some(place));
            }
            // What is taken last is looked at first: first runs.
            for step in self.steps(place) {
                let over = self.bytes(place.held) + step.bytes - passage.cap;
                self.make_room((place, &step), step.to.held, over, place.held & passage.large & !step.reads);
            }
        }
        if self.is_spent() { None } else { Some(None) }
    }

    fn is_spent(&self) -> bool {
        self.seen.len() > self.most
    }

    /// A set and what it takes to make its values again.
    fn closed(&self, set: Set) -> Set {
        let (mut closed, mut left) = (set, set);
        while left != 0 {
            let again = places(left).filter(|&at| self.may_run(at, Slot::MAX));
            let reads = again.fold(0, |reads, at| reads | self.passage.reads[at]);
            left = reads & !closed;
            closed |= reads;
        }
        closed
    }

    /// May a value run again when the next first run is that one?
    fn may_run(&self, at: usize, next: Slot) -> bool {
        let (passage, v) = (self.passage, self.passage.values[at]);
        match self.question.again >> at & 1 {
            1 => true,
            _ => v >= passage.runs.start && v < next && passage.program.repeatable[v as usize],
        }
    }

    fn may_come_back(&self, at: usize, next: Slot) -> bool {
        let (passage, v) = (self.passage, self.passage.values[at]);
        let free = v >= passage.runs.start && v < next && passage.interval.in_full;
        self.question.back >> at & 1 == 1 || free && passage.program.swappable[v as usize]
    }

    fn bytes(&self, set: Set) -> f64 {
        let passage = self.passage;
        places(set & passage.large).map(|at| passage.program.size[passage.values[at] as usize]).sum()
    }

    /// Bytes of a run beside what it reads.
    fn own_bytes(&self, v: Slot) -> f64 {
        self.passage.program.size[v as usize] + self.passage.program.workspace[v as usize]
    }

    /// Notes a place to go on from, with all that takes no room; what nobody reads any more is gone.
    fn visit(&mut self, mut place: Place, from: Option<Place>, made: Option<(Way, usize)>) {
        let passage = self.passage;
        let (next, wanted) = (place.next, self.wanted[(place.next - passage.runs.start) as usize]);
        place.held &= wanted;
        let mut made = vec![made];
        loop {
            let bytes = self.bytes(place.held);
            let more = places(wanted & !place.held & !passage.large).find(|&at| {
                self.may_come_back(at, next)
                    || self.may_run(at, next)
                        && passage.reads[at] & !place.held == 0
                        && bytes + self.own_bytes(passage.values[at]) <= passage.cap
            });
            let Some(at) = more else { break };
            place.held |= 1 << at;
            made.push(Some((if self.may_come_back(at, next) { Way::Back } else { Way::Again }, at)));
        }
        if let Entry::Vacant(new) = self.seen.entry(place) {
            new.insert(Came { from, made });
            self.open.push(place);
        }
    }

    /// The steps that can be taken, if room is made for them.
    fn steps(&self, place: Place) -> Vec<Step> {
        let (passage, Place { next, held, least }) = (self.passage, place);
        let program = passage.program;
        let mut steps = Vec::new();
        for at in places(self.wanted[(next - passage.runs.start) as usize] & !held) {
            let v = passage.values[at];
            let held = held | 1 << at;
            let number = program.original[v as usize].0;
            if least == 0 && self.may_come_back(at, next) {
                let bytes = program.size[v as usize];
                steps.push(Step {
                    reads: 0,
                    bytes,
                    to: Place { held, ..place },
                    made: Some((Way::Back, at)),
                });
            } else if number >= least && self.may_run(at, next) && passage.reads[at] & !place.held == 0 {
                let least = if program.rounds { 0 } else { number + 1 };
                let to = Place { held, least, ..place };
                steps.push(Step {
                    reads: passage.reads[at],
                    bytes: self.own_bytes(v),
                    to,
                    made: Some((Way::Again, at)),
                });
            }
        }
        let last = next + 1 == passage.runs.end && passage.j + 1 < passage.interval.critical.len();
        let reads = passage.read_by(next) | if last { self.question.needs } else { 0 };
        if reads & !held == 0 {
            let held = held | passage.place[next as usize].map_or(0, |at| 1 << at);
            // Whether a critical position has room is said by its own row.
            let bytes = if last { f64::NEG_INFINITY } else { self.own_bytes(next) };
            steps.push(Step { reads, bytes, to: Place { next: next + 1, held, least: 0 }, made: None });
        }
        steps
    }

    /// Takes a step with every set of values gone that is just enough: of those still to spare.
    fn make_room(&mut self, (from, step): (Place, &Step), held: Set, over: f64, spare: Set) {
        if over <= 0.0 {
            self.visit(Place { held, ..step.to }, Some(from), step.made);
            return;
        }
        // One step may have more sets to drop than may be looked at in all.
        if self.bytes(spare) < over || self.is_spent() {
            return;
        }
        let mut left = spare;
        for at in places(spare) {
            left &= !(1 << at);
            let bytes = self.passage.program.size[self.passage.values[at] as usize];
            self.make_room((from, step), held & !(1 << at), over - bytes, left);
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
