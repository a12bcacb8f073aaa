//! The steps through one interval of the interval model: from what is on the device while c_j runs to what is there while c_(j+1) does.
//!
//! They are the first runs of interval *j* and the recomputes and copies back that a point has there, as often as they like, between two first runs in the order that the
//! plans keep. More to begin with, and more that may run or come back, never hurts; more to end with never helps. What is left out makes more ways: bytes of all but the largest
//! values, which take no room and no time, and values beyond so many.
//!
//! What the steps say of a point is in [`crate::passage`] and [`crate::durations`].

use crate::interval::Interval;
use crate::model::{ABSENT, ALWAYS, Column};
use crate::program::{Program, Slot};

/// Most values looked at: others count as there.
const MOST: usize = u128::BITS as usize;
/// Most values whose bytes count.
const LARGEST: usize = 24;
/// Share of the cap by which a step has to be over it.
const OVER: f64 = 1e-9;

/// A set of values, by their places in [`Passage::values`].
pub(crate) type Set = u128;

/// The places in a set.
pub(crate) fn places(set: Set) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let place = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(place)
    })
}

/// A way for a value to be there.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Stays,
    Again,
    Back,
}

pub(crate) const WAYS_THERE: [Way; 3] = [Way::Again, Way::Back, Way::Stays];

/// What may be used on the way, and what has to be there at the end.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub(crate) stays: Set,
    pub(crate) again: Set,
    pub(crate) back: Set,
    pub(crate) needs: Set,
}

impl Question {
    /// With another value that may be there.
    pub(crate) fn allow(&mut self, (way, place): (Way, usize)) {
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
pub(crate) struct Place {
    pub(crate) next: Slot,
    pub(crate) held: Set,
    /// Nodes below it, by the caller's numbering, run again before the next first run no more; 0 while copies may come back. Always 0 in plans with rounds.
    pub(crate) least: usize,
}

/// One step: what it reads, the bytes it makes or only holds, and where it leads, with what is there before it.
pub(crate) struct Step {
    pub(crate) reads: Set,
    pub(crate) bytes: f64,
    pub(crate) to: Place,
    /// What it is, and of which value; none: a first run.
    pub(crate) made: Option<(Way, usize)>,
}

/// The ways through one interval.
pub(crate) struct Passage<'a> {
    pub(crate) interval: &'a Interval<'a>,
    pub(crate) program: &'a Program,
    pub(crate) j: usize,
    /// First runs on the way.
    pub(crate) runs: std::ops::Range<Slot>,
    /// Bytes on the device at most.
    pub(crate) cap: f64,
    /// The values looked at, the largest first.
    pub(crate) values: Vec<Slot>,
    /// Place of each value among them.
    pub(crate) place: Vec<Option<u8>>,
    /// Those whose bytes count.
    pub(crate) large: Set,
    /// What the run of each of them reads.
    pub(crate) reads: Vec<Set>,
}

impl<'a> Passage<'a> {
    pub(crate) fn new(interval: &'a Interval<'a>, j: usize) -> Self {
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
    pub(crate) fn read_by(&self, v: Slot) -> Set {
        let places = self.program.inputs(v).iter().filter_map(|&input| self.place[input as usize]);
        places.fold(0, |set, at| set | 1 << at)
    }

    /// What a point says of the interval.
    pub(crate) fn question(&self, point: &[f64]) -> Question {
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

    /// Counts the bytes of values of so many or more.
    pub(crate) fn count_from(&mut self, bytes: f64) {
        let large = |&v: &Slot| self.program.size[v as usize] >= bytes.max(f64::MIN_POSITIVE);
        let count = self.values.iter().take_while(|v| large(v)).count().min(LARGEST);
        self.large = (0..count).fold(0, |set, at| set | 1 << at);
    }

    /// The column of a way for a value to be there.
    pub(crate) fn column(&self, way: Way, v: Slot) -> u32 {
        let columns = match way {
            Way::Stays => &self.interval.stay,
            Way::Again => &self.interval.again,
            Way::Back => &self.interval.back,
        };
        columns[self.j].get(v as usize).copied().unwrap_or(ABSENT)
    }

    /// The column of a value that is there at the end.
    pub(crate) fn needed(&self, v: Slot) -> u32 {
        // What the last run makes is there by itself.
        if v + 1 == self.runs.end {
            return ABSENT;
        }
        self.interval.stay.get(self.j + 1).map_or(ABSENT, |stays| stays[v as usize])
    }

    /// Why something holds at a point that holds where less is there to begin with or may run and more is needed: values needed at the end, and columns at 0 of ways to be there, few of
    /// them. `holds` says whether it does for a question.
    pub(crate) fn reasons(&self, point: &[f64], holds: &mut dyn FnMut(&Question) -> bool) -> Reasons {
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
        missing.sort_by_key(|&(way, at)| (way as u8, at));
        let needs = least(&needs, &mut question, &mut |question, gone| {
            let mut fewer = *question;
            gone.iter().for_each(|&at| fewer.needs &= !(1 << at));
            holds(&fewer).then(|| *question = fewer).is_some()
        });
        let missing = least(&missing, &mut question, &mut |question, gone| {
            let mut more = *question;
            gone.iter().for_each(|&way| more.allow(way));
            holds(&more).then(|| *question = more).is_some()
        });
        Reasons {
            needs: needs.into_iter().map(|at| self.needed(self.values[at]) as Column).collect(),
            missing: missing
                .into_iter()
                .map(|(way, at)| self.column(way, self.values[at]) as Column)
                .collect(),
        }
    }
}

/// Columns that are 1 at a point, of values that have to be there at the end, and columns that are 0: see [`Passage::reasons`].
pub(crate) struct Reasons {
    pub(crate) needs: Vec<Column>,
    pub(crate) missing: Vec<Column>,
}

/// Is a column of a value 1 at a point?
pub(crate) fn is_on(column: u32, point: &[f64]) -> bool {
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

/// The steps that a question leaves.
pub(crate) struct Moves<'a> {
    pub(crate) passage: &'a Passage<'a>,
    question: &'a Question,
    /// What may still be read from each first run on.
    wanted: Vec<Set>,
}

impl<'a> Moves<'a> {
    pub(crate) fn new(passage: &'a Passage<'a>, question: &'a Question) -> Self {
        let mut moves = Moves { passage, question, wanted: vec![0; passage.runs.len() + 1] };
        let mut wanted = moves.closed(question.needs);
        for at in (0..passage.runs.len()).rev() {
            moves.wanted[at + 1] = wanted;
            wanted = moves.closed(wanted | passage.read_by(passage.runs.start + at as Slot));
        }
        moves.wanted[0] = wanted;
        moves
    }

    /// Where ways begin.
    pub(crate) fn start(&self) -> Place {
        Place { next: self.passage.runs.start, held: self.question.stays, least: 0 }
    }

    /// A place with all that takes no room, and how that came; what nobody reads any more is gone.
    pub(crate) fn settled(&self, mut place: Place) -> (Place, Vec<(Way, usize)>) {
        let passage = self.passage;
        let (next, wanted) = (place.next, self.wanted[(place.next - passage.runs.start) as usize]);
        place.held &= wanted;
        let mut made = Vec::new();
        loop {
            let bytes = self.bytes(place.held);
            let more = places(wanted & !place.held & !passage.large).find(|&at| {
                self.may_come_back(at, next)
                    || self.may_run(at, next)
                        && passage.reads[at] & !place.held == 0
                        && bytes + self.own_bytes(passage.values[at]) <= passage.cap
            });
            let Some(at) = more else { return (place, made) };
            place.held |= 1 << at;
            made.push((if self.may_come_back(at, next) { Way::Back } else { Way::Again }, at));
        }
    }

    /// Every place that a step leads to, with just enough of the values gone that are to spare and not `pinned`, until told to stop.
    pub(crate) fn take(
        &self,
        from: Place,
        step: &Step,
        pinned: Set,
        take: &mut dyn FnMut(Place) -> bool,
    ) -> bool {
        let over = self.bytes(from.held) + step.bytes - self.passage.cap;
        let spare = from.held & self.passage.large & !step.reads & !pinned;
        self.make_room(step.to, over, spare, take)
    }

    fn make_room(&self, to: Place, over: f64, spare: Set, take: &mut dyn FnMut(Place) -> bool) -> bool {
        if over <= 0.0 {
            return take(to);
        }
        if self.bytes(spare) < over {
            return true;
        }
        let mut left = spare;
        places(spare).all(|at| {
            left &= !(1 << at);
            let bytes = self.passage.program.size[self.passage.values[at] as usize];
            self.make_room(Place { held: to.held & !(1 << at), ..to }, over - bytes, left, take)
        })
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
        let free = v >= passage.runs.start && v < next && passage.interval.copies;
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

    /// The steps that can be taken, if room is made for them.
    pub(crate) fn steps(&self, place: Place) -> Vec<Step> {
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
            }
            if number >= least && self.may_run(at, next) && passage.reads[at] & !place.held == 0 {
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
}
