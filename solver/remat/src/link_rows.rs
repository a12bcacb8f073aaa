//! Memory and the host link together: what is too much at a moment is not there, or fits through the link in time.
//!
//! Take the copies out of a plan and let values wait instead: what is left is a plan without swaps, over the cap by what the plan has on
//! the host alone. `stay_v_k` is 1 where v waits at c_k in that plan. A value that waits but is on the host alone while c_k runs was copied out
//! before c_k starts and comes back after c_k has run, before the first run r_v that needs it next. Of the values first made at
//! a or later only so many bytes get out before c_k starts, of those with r_v <= b only so many come back before b starts, and others may all be
//! gone. So for any a and b (row `link_k`; none of one kind: every such value may be gone or none of them)
//!
//! sum over v >= a or r_v <= b of size_v `stay_v_k` <= room + rate (first runs + `late` - `late` from a to c_k) + rate (the same from c_k to b),
//!
//! where rate is the most bytes per time that any copy is carried at, room what the cap leaves beside what c_k reads and makes, and values that
//! may not be swapped are in every sum.
//!
//! Row `cover_k`: for any set U of these values, d = sum over U of size_v - room - rate (first runs) has to go, by values of U that do not
//! wait or by time waited: sum over U of min(size_v, d) (1 - `stay_v_k`) + rate (`late` - `late`) >= d. Where one that does not wait has d bytes or
//! more the first sum is d, and else the row says so itself (see [`crate::cover`]; the time waited is no whole number).

use ballast_core::limits::Deadline;

use crate::cover::{LEAST, LEAST_EXCESS, LEVELS, ROUNDING};
use crate::interval::Interval;
use crate::link::Link;
use crate::model::{ABSENT, ALWAYS, Column, Row, merge, triple};
use crate::program::{Again, Program, Slot, unit};

/// Memory units below which a value is not counted in whole values: there may be many of them, and no large number divides their sizes.
const SMALL: f64 = 0.1;
/// Most sums of sizes looked at for one row.
const SUMS: f64 = 4e6;
/// Part of a value that may be rounding.
const WHOLE: f64 = 1e-6;
/// First values tried per critical position, and of those windows the ones whose covers are looked for.
const STARTS: usize = 32;
const COVERED: usize = 8;
/// Positions between two looks at the clock.
const BETWEEN_LOOKS: Slot = 64;
/// Windows looked at where only the excess is asked for.
const CHECKED: usize = 2;

/// Do the rows say anything? Not where copies count in full, take no time, or cannot be made.
fn link_of<'a>(interval: &'a Interval<'_>) -> Option<&'a Link> {
    interval.link.as_ref().filter(|link| link.out_rate.is_finite() && link.in_rate.is_finite())
}

/// The rows a point breaks by more than `tolerance` memory units, at most one per critical position, and covers that it breaks, for plans that
/// take at most `latest` units of time longer than without stalls and recomputes. None where copies do not run beside computation.
pub(crate) fn broken_link(interval: &Interval<'_>, point: &[f64], tolerance: f64, latest: f64) -> Vec<Row> {
    let Some(link) = link_of(interval) else { return Vec::new() };
    let mut rows = Vec::new();
    for k in 0..interval.critical.len() {
        let moment = Moment::critical(interval, link, point, k, latest);
        let windows = moment.tightest(COVERED);
        rows.extend(windows.first().filter(|window| window.excess > tolerance).map(|most| moment.row(most)));
        rows.extend(windows.iter().filter_map(|window| moment.cover(window)));
    }
    rows
}

/// Positions at which the plan of an integral point, its copies left out, is over the cap by more than the link can carry: of neighbours the worst.
/// Those found until the deadline.
pub(crate) fn overloaded_with_link(
    interval: &Interval<'_>,
    point: &[f64],
    latest: f64,
    deadline: &Deadline,
) -> Vec<Slot> {
    let Some(link) = link_of(interval) else { return Vec::new() };
    let program = interval.program;
    let waits = Waits::new(program, &interval.plan(point, false).again);
    let (mut found, mut worst): (Vec<Slot>, Option<(f64, Slot)>) = (Vec::new(), None);
    for position in 0..program.len() as Slot {
        if position % BETWEEN_LOOKS == 0 && deadline.over() {
            break;
        }
        let room = interval.room(position);
        let waiting: Vec<usize> = waits.at(position).filter(|&v| program.size[v] > 0.0).collect();
        let units: f64 = waiting.iter().map(|&v| interval.units(v)).sum();
        let mut excess = units - room;
        if excess > LEAST_EXCESS {
            let values =
                waiting.into_iter().map(|v| Value::new(interval, v, position, ([None; 2], 1.0))).collect();
            let moment = Moment { interval, link, point, position, room, latest, values };
            excess = moment.tightest(CHECKED).first().map_or(0.0, |window| window.excess);
        }
        if excess <= LEAST_EXCESS {
            found.extend(worst.take().map(|(_, at)| at));
        } else if worst.is_none_or(|(most, _)| excess > most) {
            worst = Some((excess, position));
        }
    }
    found.extend(worst.map(|(_, at)| at));
    found
}

/// The values that wait at one position after the other.
struct Waits<'a> {
    program: &'a Program,
    /// Of every value, and of each time it runs: the moment, and that of its last reader before it runs again. Moments are twice a position
    /// for what runs before the first run there, and one more for the first run.
    spans: Vec<Vec<(u64, u64)>>,
}

impl<'a> Waits<'a> {
    fn new(program: &'a Program, again: &[Again]) -> Self {
        let mut spans: Vec<Vec<(u64, u64)>> =
            (0..program.len() as u64).map(|v| vec![(2 * v + 1, 2 * v + 1)]).collect();
        for run in again {
            let at = 2 * u64::from(run.position);
            spans[run.slot as usize].push((at, at));
        }
        let mut read = |reader: Slot, at: u64| {
            for &input in program.inputs(reader) {
                let spans = &mut spans[input as usize];
                let made = spans.partition_point(|&(start, _)| start <= at);
                if let Some(span) = made.checked_sub(1).and_then(|last| spans.get_mut(last)) {
                    span.1 = span.1.max(at);
                }
            }
        };
        again.iter().for_each(|run| read(run.slot, 2 * u64::from(run.position)));
        (0..program.len() as Slot).for_each(|at| read(at, 2 * u64::from(at) + 1));
        Waits { program, spans }
    }

    /// What is held while a first run is under way, beside what it reads and makes.
    fn at(&self, position: Slot) -> impl Iterator<Item = usize> {
        let moment = 2 * u64::from(position) + 1;
        let inputs = self.program.inputs(position);
        let held =
            move |spans: &[(u64, u64)]| spans.iter().any(|&(start, end)| start < moment && moment < end);
        (0..position as usize)
            .filter(move |&v| held(&self.spans[v]) && inputs.binary_search(&(v as Slot)).is_err())
    }
}

/// A value that may wait at a position.
struct Value {
    v: usize,
    units: f64,
    /// Columns of `stay`, and of `host` where the model has it, and the part of the value that waits.
    stay: [Option<Column>; 2],
    stays: f64,
    swappable: bool,
    /// The first run that needs it next; none if there is none.
    needed: Option<Slot>,
}

impl Value {
    fn new(
        interval: &Interval<'_>,
        v: usize,
        position: Slot,
        (stay, stays): ([Option<Column>; 2], f64),
    ) -> Self {
        let readers = interval.program.readers(v as Slot);
        let needed = readers.get(readers.partition_point(|&reader| reader <= position)).copied();
        let swappable = interval.program.swappable[v];
        Value { v, units: interval.units(v), stay, stays, swappable, needed }
    }

    /// Its columns, each with a factor.
    fn terms(&self, factor: f64) -> impl Iterator<Item = (Column, f64)> {
        self.stay.into_iter().flatten().map(move |column| (column, factor))
    }
}

/// The values first made at `from` or later, and those needed by `until` or before.
struct Window {
    /// None: no values of that kind.
    from: Option<usize>,
    until: Option<Slot>,
    /// Memory units by which the point breaks its row; negative: to spare.
    excess: f64,
}

/// One position, and what waits there.
struct Moment<'a> {
    interval: &'a Interval<'a>,
    link: &'a Link,
    point: &'a [f64],
    position: Slot,
    /// Memory units that what the position reads and makes leaves for others.
    room: f64,
    /// Units of time by which plans that count end later than first runs alone.
    latest: f64,
    values: Vec<Value>,
}

impl<'a> Moment<'a> {
    /// What a point of the model says of c_k.
    fn critical(interval: &'a Interval<'a>, link: &'a Link, point: &'a [f64], k: usize, latest: f64) -> Self {
        let position = interval.critical[k];
        let values = interval.stay[k]
            .iter()
            .enumerate()
            .filter(|&(v, &column)| column != ABSENT && column != ALWAYS && interval.program.size[v] > 0.0)
            .map(|(v, &stay)| {
                let host = interval.host.as_ref().and_then(|host| host.column(k, v));
                let stay = [Some(stay as Column), host];
                let stays = stay.iter().flatten().map(|&column| point[column]).sum();
                Value::new(interval, v, position, (stay, stays))
            })
            .collect();
        Moment { interval, link, point, position, room: interval.room(position), latest, values }
    }

    /// Memory units that get out between the first run of `from` and this position: by first runs alone, and the slices of time that may get
    /// later.
    fn out(&self, from: usize) -> (f64, (usize, usize)) {
        let critical = &self.interval.critical;
        let start = critical.partition_point(|&c| c as usize <= from);
        let end = critical.partition_point(|&c| c < self.position) + 1;
        let time = self.link.before[self.position as usize] - self.link.before[from + 1];
        (self.link.out_rate * time.max(0.0), (start, end))
    }

    /// Memory units that come back between this position and the first run `until`.
    fn back(&self, until: Slot) -> (f64, (usize, usize)) {
        let critical = &self.interval.critical;
        let start = critical.partition_point(|&c| c <= self.position);
        let end = critical.partition_point(|&c| c < until) + 1;
        let time = self.link.before[until as usize] - self.link.before[self.position as usize + 1];
        (self.link.in_rate * time.max(0.0), (start, end))
    }

    /// `late` at the end of some slices of time less that before them, at the point.
    fn waited(&self, (from, to): (usize, usize)) -> f64 {
        self.link.spent(from, to, 1.0).iter().map(|&(column, factor)| factor * self.point[column]).sum()
    }

    /// Units that the point lets through the link in a window of each kind.
    fn carried_out(&self, from: usize) -> f64 {
        let (units, slices) = self.out(from);
        units + self.link.out_rate * self.waited(slices)
    }

    fn carried_back(&self, until: Slot) -> f64 {
        let (units, slices) = self.back(until);
        units + self.link.in_rate * self.waited(slices)
    }

    /// For some first values the window whose row the point breaks most, those broken most first.
    fn windows(&self) -> Vec<Window> {
        let room = self.room;
        let mut by_need: Vec<&Value> = self.values.iter().collect();
        by_need.sort_by_key(|value| self.needed(value));
        let step = self.values.len().div_ceil(STARTS).max(1);
        let starts = self.values.iter().step_by(step).map(|value| Some(value.v)).chain([None]);
        let mut windows: Vec<Window> = starts
            .map(|from| {
                let counts = |value: &Value| !value.swappable || from.is_some_and(|from| value.v >= from);
                let carried = from.map_or(0.0, |from| self.carried_out(from));
                let waits = self.values.iter().filter(|value| counts(value));
                let mut waiting: f64 = waits.map(|value| value.units * value.stays).sum();
                let mut best = Window { from, until: None, excess: waiting - room - carried };
                let mut rest = by_need.iter().filter(|value| !counts(value)).peekable();
                while let Some(value) = rest.next() {
                    waiting += value.units * value.stays;
                    let until = self.needed(value);
                    if rest.peek().is_some_and(|next| self.needed(next) == until) {
                        continue;
                    }
                    let excess = waiting - room - carried - self.carried_back(until);
                    if excess > best.excess {
                        best = Window { from, until: Some(until), excess };
                    }
                }
                best
            })
            .collect();
        windows.sort_by(|a, b| b.excess.total_cmp(&a.excess));
        windows
    }

    /// The windows of which the point says most: some that it breaks most as bytes pass the link, and those of all values in either direction;
    /// with the excess where the link carries whole values, those broken most first.
    fn tightest(&self, most: usize) -> Vec<Window> {
        let mut windows = self.windows();
        windows.truncate(most);
        let all_out = Window { from: self.values.first().map(|value| value.v), until: None, excess: 0.0 };
        let end = self.interval.program.len() as Slot;
        windows.extend([all_out, Window { from: None, until: Some(end), excess: 0.0 }]);
        for window in &mut windows {
            let set = self.waiting(window);
            let (room, late) = self.carried(window, &set);
            window.excess =
                set.iter().map(|value| value.units * value.stays).sum::<f64>() - room - self.sum(&late);
        }
        windows.sort_by(|a, b| b.excess.total_cmp(&a.excess));
        windows
    }

    /// Values whose bytes the link has to carry in a window, or that have to be on the device.
    fn counted(&self, window: &Window) -> impl Iterator<Item = &Value> {
        let (from, until) = (window.from.unwrap_or(usize::MAX), window.until);
        self.values.iter().filter(move |value| {
            !value.swappable || value.v >= from || until.is_some_and(|until| self.needed(value) <= until)
        })
    }

    /// The values among them of which the point has any waiting, the ones of which most waits first.
    fn waiting(&self, window: &Window) -> Vec<&Value> {
        let mut set: Vec<&Value> = self.counted(window).filter(|value| value.stays >= LEVELS[0]).collect();
        set.sort_by(|a, b| b.stays.total_cmp(&a.stays).then(a.v.cmp(&b.v)));
        set
    }

    /// Terms added up at the point.
    fn sum(&self, terms: &[(Column, f64)]) -> f64 {
        terms.iter().map(|&(column, factor)| factor * self.point[column]).sum()
    }

    /// The units a window leaves for some values of it, by first runs alone, and what more where it gets later, as terms.
    fn carried(&self, window: &Window, set: &[&Value]) -> (f64, Vec<(Column, f64)>) {
        let from = window.from.unwrap_or(usize::MAX);
        let (mut out, mut back): (Vec<&Value>, Vec<&Value>) =
            set.iter().copied().filter(|value| value.swappable).partition(|value| value.v >= from);
        let (mut units, mut terms) = (self.room + ROUNDING, Vec::new());
        if let Some(from) = window.from {
            out.sort_by_key(|value| std::cmp::Reverse(value.v));
            let whole = self.whole(&out, |value| self.out(value.v).0 + self.link.out_rate * self.latest);
            let (more, slices) = self.out(from);
            self.add_carried(
                whole,
                more,
                self.link.spent(slices.0, slices.1, self.link.out_rate),
                (&mut units, &mut terms),
            );
        }
        if let Some(until) = window.until {
            back.sort_by_key(|value| self.needed(value));
            let whole =
                self.whole(&back, |value| self.back(self.needed(value)).0 + self.link.in_rate * self.latest);
            let (more, slices) = self.back(until);
            self.add_carried(
                whole,
                more,
                self.link.spent(slices.0, slices.1, self.link.in_rate),
                (&mut units, &mut terms),
            );
        }
        merge(&mut terms);
        (units, terms)
    }

    /// Adds what one direction of the link carries in a window: `whole` values until the latest moment, or bytes as time passes, whichever is
    /// less at the point.
    fn add_carried(
        &self,
        whole: f64,
        units: f64,
        late: Vec<(Column, f64)>,
        (sum, terms): (&mut f64, &mut Vec<(Column, f64)>),
    ) {
        if whole < units + self.sum(&late) {
            *sum += whole;
        } else {
            *sum += units * (1.0 + ROUNDING);
            terms.extend(late);
        }
    }

    /// Most memory units of whole values that a link can carry one after the other, the ones with the shortest windows first: at every value
    /// those up to it are at most as much as is carried in its window. Infinite where that is too much to work out.
    fn whole(&self, values: &[&Value], carried: impl Fn(&Value) -> f64) -> f64 {
        let (small, large): (Vec<&Value>, Vec<&Value>) = values.iter().partition(|value| value.units < SMALL);
        let small: f64 = small.iter().map(|value| value.units).sum();
        let unit =
            unit(large.iter().map(|value| &self.interval.program.size[value.v])) * self.interval.unit_bytes();
        let Some(last) = large.last() else { return small };
        // No window is shorter than one before it.
        let limit = |value: &Value| (carried(value) / unit + WHOLE).floor();
        let most = limit(last);
        if unit <= 0.0 || most * large.len() as f64 > SUMS {
            return f64::INFINITY;
        }
        let mut sums = vec![false; most as usize + 1];
        sums[0] = true;
        for value in &large {
            let size = (value.units / unit).round() as usize;
            for sum in (size..=limit(value) as usize).rev() {
                sums[sum] |= sums[sum - size];
            }
        }
        sums.iter().rposition(|&reached| reached).unwrap_or(0) as f64 * unit * (1.0 + ROUNDING) + small
    }

    /// The first run that needs a value next; the end where there is none.
    fn needed(&self, value: &Value) -> Slot {
        value.needed.unwrap_or(self.interval.program.len() as Slot)
    }

    fn name(&self, family: &'static str, window: &Window) -> crate::model::Name {
        let from = window.from.unwrap_or(self.interval.program.len());
        triple(family, self.position as usize, from, window.until.unwrap_or(0) as usize)
    }

    fn row(&self, window: &Window) -> Row {
        let set = self.waiting(window);
        let (upper, late) = self.carried(window, &set);
        let mut terms: Vec<(Column, f64)> = set.iter().flat_map(|value| value.terms(value.units)).collect();
        terms.extend(late.into_iter().map(|(column, factor)| (column, -factor)));
        terms.sort_unstable_by_key(|&(column, _)| column);
        Row { name: self.name("link", window), lower: f64::NEG_INFINITY, upper, terms }
    }

    /// The cover of a window that the point breaks most.
    fn cover(&self, window: &Window) -> Option<Row> {
        let waiting = self.waiting(window);
        let mut counts: Vec<usize> =
            LEVELS.iter().map(|&level| waiting.partition_point(|value| value.stays >= level)).collect();
        counts.dedup();
        let covers = counts.into_iter().filter_map(|count| self.cover_of(window, &waiting[..count]));
        covers.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, row)| row)
    }

    /// The cover of some values of a window, and by how much the point breaks it; none if it does not.
    fn cover_of(&self, window: &Window, set: &[&Value]) -> Option<(f64, Row)> {
        let (room, late) = self.carried(window, set);
        let excess = set.iter().map(|value| value.units).sum::<f64>() - room;
        if excess < LEAST_EXCESS {
            return None;
        }
        let share = |value: &Value| value.units.min(excess) / excess;
        let covered: f64 = set.iter().map(|value| share(value) * (1.0 - value.stays)).sum();
        let broken = 1.0 - covered - self.sum(&late) / excess;
        if broken <= LEAST {
            return None;
        }
        let mut terms: Vec<(Column, f64)> =
            late.into_iter().map(|(column, factor)| (column, factor / excess)).collect();
        terms.extend(set.iter().flat_map(|value| value.terms(-share(value))));
        terms.sort_unstable_by_key(|&(column, _)| column);
        let lower = 1.0 - ROUNDING - set.iter().map(|value| share(value)).sum::<f64>();
        Some((broken, Row { name: self.name("cover", window), lower, upper: f64::INFINITY, terms }))
    }
}
