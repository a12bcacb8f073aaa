//! Rows of the interval model where copies run beside computation, from the time it takes to get through an interval: recomputes wait for copies back whose values take the room
//! they need, and for those they read.
//!
//! Rows of one lane let copies and recomputes of an interval go on side by side. How long it takes from the end of c_j to that of c_(j+1) is a shortest path through the places of
//! [`crate::ways`], with the clock: a run begins when what it reads is there, a copy back takes its room when it is issued, and copies follow each other. Copies out take no time, and
//! those issued in earlier intervals leave the link alone, so that nothing takes longer than here. With D the least time beside first runs, of set *N* of values that stay at
//! c_(j+1) and set *X* of columns at 0 (a combinatorial Benders cut, as in [`crate::passage`]),
//!
//! - `duration_j`: `stall_(j+1)` + sum of time_v `again_v_j` >= D (1 - sum over *X* of `stay_v_j`, `again_v_j`, `back_v_j` - sum over *N* of (1 - `stay_v_(j+1)`)).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::host::Host;
use crate::interval::Interval;
use crate::link::Link;
use crate::model::{ABSENT, Row, merge, single};
use crate::ways::{Moves, Passage, Place, Question, Way};

/// Shares of the cap from which the bytes of values count: few of them first, as a search among few ends soon.
const SHARES: [f64; 3] = [0.25, 0.0625, 1e-3];
/// Most places looked at for one time, and for one row in all.
const PLACES: usize = 3_000;
const PLACES_OF_ROW: usize = 60_000;
/// Places between two looks at whether to stop.
const BETWEEN_LOOKS: usize = 64;
/// Part of a time that may be rounding.
const ROUNDING: f64 = 1e-6;

/// Rows `duration_j` that a point of whole numbers breaks by more than `tolerance`, at most one of each interval; those found until told to stop.
pub(crate) fn broken_durations(
    interval: &Interval<'_>,
    point: &[f64],
    tolerance: f64,
    stop: &dyn Fn() -> bool,
) -> Vec<Row> {
    let (Some(link), Some(host)) = (&interval.link, &interval.host) else { return Vec::new() };
    let row = |j: usize| {
        let times = Times { passage: Passage::new(interval, j), link, host, stop };
        times.broken(point, tolerance)
    };
    (0..interval.critical.len()).take_while(|_| !stop()).filter_map(row).collect()
}

/// One interval and its times, in units of the objective.
struct Times<'a> {
    passage: Passage<'a>,
    link: &'a Link,
    host: &'a Host,
    stop: &'a dyn Fn() -> bool,
}

impl Times<'_> {
    /// The row of an interval that takes longer than a point says.
    fn broken(mut self, point: &[f64], tolerance: f64) -> Option<Row> {
        let (interval, j) = (self.passage.interval, self.passage.j);
        let stall = self.link.stall[j + 1];
        let agains = interval.again[j].iter().enumerate().filter(|&(_, &column)| column != ABSENT);
        let mut terms: Vec<_> = agains.map(|(v, &column)| (column as usize, self.link.time[v])).collect();
        terms.push((stall, 1.0));
        let said: f64 = terms.iter().map(|&(column, time)| time * point[column]).sum();
        let question = self.passage.question(point);
        let mut left = PLACES_OF_ROW;
        let least = SHARES.into_iter().find_map(|share| {
            self.passage.count_from(share * self.passage.program.cap);
            let least = self.least(&question, f64::INFINITY, &mut left);
            (least > said + tolerance).then_some(least)
        })?;
        // A way there is none of is said by another row.
        if !least.is_finite() {
            return None;
        }
        let enough = least * (1.0 - ROUNDING);
        let reasons =
            self.passage.reasons(point, &mut |question| self.least(question, least, &mut left) >= enough);
        terms.extend(reasons.missing.iter().map(|&column| (column, enough)));
        terms.extend(reasons.needs.iter().map(|&column| (column, -enough)));
        merge(&mut terms);
        let lower = enough * (1.0 - reasons.needs.len() as f64);
        Some(Row { name: single("duration", j), lower, upper: f64::INFINITY, terms })
    }

    /// The least time that a way takes beside first runs, or `enough` where it is more; infinite where there is no way. Where too many places would have to be looked at, what
    /// every way takes that was not looked at.
    fn least(&self, question: &Question, enough: f64, left: &mut usize) -> f64 {
        let moves = Moves::new(&self.passage, question);
        let (states, open, seen) = (Vec::new(), BinaryHeap::new(), HashMap::new());
        let mut search = Search { times: self, moves, states, open, seen };
        search.visit(State { place: search.moves.start(), copies: Vec::new(), time: 0.0 });
        let mut looked = 0usize;
        let found = loop {
            let Some((_, index)) = search.open.pop() else { break f64::INFINITY };
            let state = search.states[index].clone();
            looked += 1;
            let ends = state.time >= enough || state.place.next == self.passage.runs.end;
            let told = looked.is_multiple_of(BETWEEN_LOOKS) && (self.stop)();
            if ends || told || looked > PLACES.min(*left) {
                break state.time;
            }
            if search.is_latest(&state) {
                search.go_on(&state);
            }
        };
        *left -= looked.min(*left);
        found.min(enough)
    }
}

/// How far a way has come, and when.
#[derive(Clone)]
struct State {
    place: Place,
    /// Copies back under way, in the order of the link: the value's place, and when each has ended.
    copies: Vec<(usize, f64)>,
    /// Time so far, beside first runs.
    time: f64,
}

impl State {
    /// What it has in common with states that differ by when they are: with copies by when they end from then on.
    fn key(&self) -> (Place, Vec<(usize, u64)>) {
        let copies = self.copies.iter().map(|&(at, ends)| (at, (ends - self.time).to_bits()));
        (self.place, copies.collect())
    }
}

/// A search for the shortest way (Dijkstra).
struct Search<'a> {
    times: &'a Times<'a>,
    moves: Moves<'a>,
    states: Vec<State>,
    /// States to go on from, by the bits of their times, which no time below 0 puts out of order: the earliest first, and of those the one found last.
    open: BinaryHeap<(Reverse<u64>, usize)>,
    seen: HashMap<(Place, Vec<(usize, u64)>), f64>,
}

impl Search<'_> {
    fn is_latest(&self, state: &State) -> bool {
        self.seen.get(&state.key()).is_none_or(|&time| state.time <= time)
    }

    /// Notes a state to go on from.
    fn visit(&mut self, mut state: State) {
        let (place, _) = self.moves.settled(state.place);
        state.place = place;
        let time = state.time;
        state.copies.retain(|&(at, ends)| ends > time && place.held >> at & 1 == 1);
        let known = self.seen.entry(state.key()).or_insert(f64::INFINITY);
        if time < *known {
            *known = time;
            self.open.push((Reverse(time.to_bits()), self.states.len()));
            self.states.push(state);
        }
    }

    /// Takes every step that can be taken.
    fn go_on(&mut self, state: &State) {
        let (passage, link) = (&self.times.passage, self.times.link);
        let under_way = state.copies.iter().fold(0, |set, &(at, _)| set | 1 << at);
        let mut next = Vec::new();
        for step in self.moves.steps(state.place) {
            let mut to = state.clone();
            match step.made {
                Some((Way::Back, at)) => {
                    let begins = state.copies.last().map_or(state.time, |&(_, ends)| ends);
                    let slot = passage.values[at] as usize;
                    to.copies.push((at, begins + self.times.host.in_time[slot]));
                }
                made => {
                    let run = made.map_or(state.place.next as usize, |(_, at)| passage.values[at] as usize);
                    let reads = passage.read_by(run as u32);
                    let waits = state.copies.iter().filter(|&&(at, _)| reads >> at & 1 == 1);
                    let begins = waits.fold(state.time, |begins, &(_, ends)| begins.max(ends));
                    to.time = begins;
                    // First runs take time of copies, and none of what is asked for.
                    match made {
                        Some(_) => to.time += link.time[run],
                        None => to.copies.iter_mut().for_each(|(_, ends)| *ends -= link.time[run]),
                    }
                }
            }
            self.moves.take(state.place, &step, under_way, &mut |place| {
                next.push(State { place, ..to.clone() });
                next.len() <= PLACES
            });
        }
        next.into_iter().for_each(|state| self.visit(state));
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem, SwapModel};

    use crate::program::Program;
    use crate::swap_bound::{Stage, bound_and_best};

    /// When "large" runs nothing else is there. Then b runs again, in 5 and with all the room there is, and a comes back, in 8: neither while the other does, though a lane and a core
    /// of their own would let both be there after 8.
    #[test]
    fn a_copy_back_that_takes_the_room_of_a_recompute_waits_for_it() {
        let node =
            |name: &str, time: f64, bytes: u64, inputs: Vec<usize>| Node::new(name, time, bytes, inputs);
        let mut nodes = vec![
            node("b", 5.0, 4, Vec::new()),
            node("a", 1.0, 8, Vec::new()),
            node("between", 10.0, 0, Vec::new()),
            node("large", 1.0, 0, Vec::new()),
            node("nothing", 0.0, 0, Vec::new()),
            node("reader", 1.0, 0, vec![0, 1]),
        ];
        nodes[0].swappable = false;
        nodes[0].workspace_bytes = 10;
        nodes[1].recomputable = false;
        nodes[3].workspace_bytes = 14;
        let problem = Problem { name: "one after the other".into(), nodes, resident_bytes: 0 };
        let link = SwapModel {
            out_bandwidth: 1.0,
            in_bandwidth: 1.0,
            latency: 0.0,
            overlap: true,
            host_capacity_bytes: None,
        };
        for rounds in [false, true] {
            let program = Program::new(&problem, None, 14).with_rounds(rounds);
            let stage = Stage { problem: &problem, program: &program, swap: &link, cap_bytes: 14 };
            let (bound, found) = bound_and_best(stage, problem.total_time() + 30.0);
            // With rounds a copy back may also follow a recompute between the same first runs, as no plan that is looked for has it.
            assert!(rounds || (found - (problem.total_time() + 13.0)).abs() < 1e-9, "{found}");
            assert!(bound <= 13.0 && bound > 13.0 - 1e-2, "{bound}");
        }
    }
}
