//! Copies of small programs in their lanes: the rows of [`crate::host`] that a point breaks.

use crate::host::Host;
use crate::interval::Interval;
use crate::link::Link;
use crate::model::{ABSENT, Column, Row, merge, name};
use crate::program::Slot;

/// Room for rounding, in units of the objective.
const ROUNDING: f64 = 1e-7;

/// The rows that a point breaks by more than `tolerance`: for every critical position, and for the end, the one of each direction that it breaks most.
pub(crate) fn broken_lanes(interval: &Interval<'_>, point: &[f64], tolerance: f64) -> Vec<Row> {
    let (Some(link), Some(host)) = (&interval.link, &interval.host) else { return Vec::new() };
    let mut lanes = Lanes { host, interval, link, point, back: Vec::new() };
    lanes.back = lanes.copies_back();
    let outward = (0..=interval.critical.len()).filter_map(|k| lanes.outward(k, tolerance));
    let inward = (0..interval.critical.len()).filter_map(|k| lanes.inward(k, tolerance));
    outward.chain(inward).collect()
}

/// Both directions at one point.
struct Lanes<'a> {
    host: &'a Host,
    interval: &'a Interval<'a>,
    link: &'a Link,
    point: &'a [f64],
    back: Vec<Back>,
}

/// A copy back: the first run before which it has ended, its interval, its column and how long it takes.
struct Back {
    until: Slot,
    interval: usize,
    column: Column,
    time: f64,
}

/// A window of time: by first runs alone, and the terms of how much later it gets.
struct Span {
    units: f64,
    late: Vec<(Column, f64)>,
}

impl Lanes<'_> {
    /// From the end of one first run to the start of another, or to the end.
    fn span(&self, from: Slot, until: Slot) -> Span {
        let (critical, before) = (&self.interval.critical, &self.link.before);
        let start = critical.partition_point(|&c| c <= from);
        let end = critical.partition_point(|&c| c < until) + 1;
        let units = (before[until as usize] - before[from as usize + 1]).max(0.0);
        Span { units, late: self.link.spent(start, end, 1.0) }
    }

    fn length(&self, span: &Span) -> f64 {
        span.units + span.late.iter().map(|&(column, factor)| factor * self.point[column]).sum::<f64>()
    }

    /// The row that says that copies fit into a window.
    fn row(
        &self,
        (family, first, second): (&'static str, usize, usize),
        span: Span,
        copies: &[(Column, f64)],
    ) -> Row {
        let mut terms = copies.to_vec();
        terms.extend(span.late.into_iter().map(|(column, factor)| (column, -factor)));
        merge(&mut terms);
        Row {
            name: name(family, first, second),
            lower: f64::NEG_INFINITY,
            upper: span.units + ROUNDING,
            terms,
        }
    }

    /// Copies out that have ended when c_k starts, or the program, from the end of some first run.
    fn outward(&self, k: usize, tolerance: f64) -> Option<Row> {
        let until = self.interval.critical.get(k).copied().unwrap_or(self.interval.program.len() as Slot);
        let (mut copies, mut taken) = (Vec::new(), 0.0);
        let mut most: Option<(f64, usize, Slot)> = None;
        for (v, &column) in self.host.gone[k].iter().enumerate().rev() {
            if column == ABSENT || v as Slot >= until {
                continue;
            }
            copies.push((column as Column, self.host.out_time[v]));
            taken += self.host.out_time[v] * self.point[column as usize];
            let excess = taken - self.length(&self.span(v as Slot, until));
            if excess > most.map_or(tolerance, |(most, ..)| most) {
                most = Some((excess, copies.len(), v as Slot));
            }
        }
        let (_, count, from) = most?;
        Some(self.row(("outward", from as usize, k), self.span(from, until), &copies[..count]))
    }

    /// All copies back, those that have to end first in front.
    fn copies_back(&self) -> Vec<Back> {
        let mut copies = Vec::new();
        for (interval, backs) in self.interval.back.iter().enumerate() {
            for (v, &column) in backs.iter().enumerate().filter(|&(_, &column)| column != ABSENT) {
                let (until, time) = (self.needed(v as Slot, interval), self.host.in_time[v]);
                copies.push(Back { until, interval, column: column as Column, time });
            }
        }
        copies.sort_by_key(|copy| (copy.until, copy.column));
        copies
    }

    /// Copies back that are issued after c_k has run, until the start of some first run.
    fn inward(&self, k: usize, tolerance: f64) -> Option<Row> {
        let copies: Vec<&Back> = self.back.iter().filter(|copy| copy.interval >= k).collect();
        let from = self.interval.critical[k];
        let (mut taken, mut most) = (0.0, None::<(f64, usize)>);
        for (at, copy) in copies.iter().enumerate() {
            taken += copy.time * self.point[copy.column];
            if copies.get(at + 1).is_some_and(|next| next.until == copy.until) {
                continue;
            }
            let excess = taken - self.length(&self.span(from, copy.until));
            if excess > most.map_or(tolerance, |(most, _)| most) {
                most = Some((excess, at + 1));
            }
        }
        let (_, count) = most?;
        let until = copies[count - 1].until;
        let copies: Vec<(Column, f64)> =
            copies[..count].iter().map(|copy| (copy.column, copy.time)).collect();
        Some(self.row(("inward", k, until as usize), self.span(from, until), &copies))
    }

    /// The first run before which a value that comes back in interval i is there again at the latest. In an interval of several first runs it may come back for any of
    /// them, or for one after them.
    fn needed(&self, v: Slot, i: usize) -> Slot {
        let runs = self.interval.first_runs(i);
        let from = if runs.len() == 1 { runs.start } else { runs.end };
        let readers = self.interval.program.readers(v);
        let end = self.interval.program.len() as Slot;
        readers.get(readers.partition_point(|&reader| reader < from)).copied().unwrap_or(end)
    }
}
