//! Rows of the interval model that see a run again as a whole: over a window of intervals, not one at a time.
//!
//! The rows of single intervals let a value be made again in parts, a sixth in each of six intervals, with a sixth of its inputs there
//! in each. In a plan it is on the device somewhere in a window of intervals a..b, from c_a on, only if it is at c_a or runs again in one of
//! them; it runs again in a window only if it does so in a part of it; and it runs again in a part only if each of its inputs is on the device
//! somewhere in that part. So with A for "is there" and R for "runs again", as sums of columns that are at least 1 where it is so:
//!
//! - A(v, a..b) = `stay_v_a` + sum of `back_v_i` over a..b + R(v, a..b),
//! - R(v, a..b) = the least of: the sum of `again_v_i` over a..b; A(u, a..b) for an input u; R(v, a..m) + R(v, m..b).
//!
//! Row `window_v_a_b`: A(v, a..b) >= 1 where a first run in interval b-1 reads v, and >= `stay_v_b`. It follows from `carry`, `use` and `source`
//! for whole numbers, not for fractions (a Chvátal-Gomory cut of them). The one that a point breaks most is found by working out the
//! recursion with the point's values.

use crate::interval::Interval;
use crate::model::{ABSENT, ALWAYS, Column, Row, triple};
use crate::program::Slot;

/// Least violation of a row.
const LEAST: f64 = 0.02;
/// Share of the largest violation of a value and an end that others have to reach.
const NEARLY: f64 = 0.7;
/// Most windows of all values: above it, long ones are left out.
const MOST: usize = 2_000_000;
/// What is there for certain: no row says more about it.
const CERTAIN: f64 = 4.0;

/// What R(v, window) is the least of.
#[derive(Clone, Copy)]
enum Least {
    Own,
    Input(Slot),
    Split(u32),
}

/// A and R of every value and window at a point.
struct Windows<'a> {
    interval: &'a Interval<'a>,
    point: &'a [f64],
    /// Most intervals of a window.
    longest: usize,
    /// Entries of a value: windows by first interval and length.
    width: usize,
    there: Vec<f64>,
    again: Vec<(f64, Least)>,
}

/// Rows of windows that the point breaks: for each value and end of a window the one it breaks most, and those it breaks nearly as much.
pub(crate) fn broken_windows(interval: &Interval<'_>, point: &[f64]) -> Vec<Row> {
    let (values, intervals) = (interval.program.len(), interval.critical.len());
    let longest = (MOST / (values * intervals).max(1)).clamp(1, intervals.max(1));
    let width = intervals * longest;
    let mut windows = Windows {
        interval,
        point,
        longest,
        width,
        there: vec![CERTAIN; values * width],
        again: vec![(CERTAIN, Least::Own); values * width],
    };
    let mut rows = Vec::new();
    for v in 0..values as Slot {
        windows.fill(v);
        (1..=intervals).for_each(|end| windows.broken(v, end, &mut rows));
    }
    rows
}

impl Windows<'_> {
    fn at(&self, v: Slot, from: usize, end: usize) -> usize {
        v as usize * self.width + from * self.longest + end - from - 1
    }

    /// The first interval that a value is made before.
    fn first(&self, v: Slot) -> usize {
        self.interval.critical.partition_point(|&c| c < v)
    }

    fn value(&self, column: u32) -> f64 {
        match column {
            ABSENT => 0.0,
            ALWAYS => CERTAIN,
            column => self.point[column as usize].max(0.0),
        }
    }

    /// Works out all windows of a value; those of its inputs are known.
    fn fill(&mut self, v: Slot) {
        let (interval, intervals) = (self.interval, self.interval.critical.len());
        let (first, slot) = (self.first(v), v as usize);
        for from in (first..intervals).rev() {
            let stays = self.value(interval.stay[from][slot]);
            let (mut own, mut back) = (0.0, 0.0);
            for end in from + 1..=(from + self.longest).min(intervals) {
                own += self.value(interval.again[end - 1][slot]);
                back += self.value(interval.back[end - 1][slot]);
                let mut least = (own, Least::Own);
                let mut take = |value: f64, way: Least| {
                    if value < least.0 - 1e-9 {
                        least = (value, way);
                    }
                };
                for &input in interval.program.inputs(v) {
                    take(self.there[self.at(input, from, end)], Least::Input(input));
                }
                for middle in from + 1..end {
                    let parts =
                        self.again[self.at(v, from, middle)].0 + self.again[self.at(v, middle, end)].0;
                    take(parts, Least::Split(middle as u32));
                }
                let at = self.at(v, from, end);
                self.again[at] = least;
                self.there[at] = stays + back + least.0;
            }
        }
    }

    /// Adds the rows that the point breaks among those of windows that end before an interval.
    fn broken(&self, v: Slot, end: usize, rows: &mut Vec<Row>) {
        let (interval, slot) = (self.interval, v as usize);
        let first = self.first(v).max(end.saturating_sub(self.longest));
        if first >= end {
            return;
        }
        let runs = interval.first_runs(end - 1);
        let readers = interval.program.readers(v);
        let next = readers.partition_point(|&reader| reader < runs.start);
        let used = readers.get(next).is_some_and(|&reader| reader < runs.end);
        let later = interval.stay.get(end).map_or(ABSENT, |stays| stays[slot]);
        let wanted = if used { 1.0 } else { self.value(later) };
        let broken = |from: usize| wanted - self.there[self.at(v, from, end)];
        let most = (first..end).map(broken).fold(0.0, f64::max);
        let least = LEAST.max(most * NEARLY);
        for from in (first..end).filter(|&from| broken(from) >= least) {
            let mut terms: Vec<(Column, f64)> =
                self.columns(v, from, end).into_iter().map(|column| (column, 1.0)).collect();
            if !used {
                terms.push((later as Column, -1.0));
                terms.sort_unstable_by_key(|&(column, _)| column);
            }
            let lower = if used { 1.0 } else { 0.0 };
            let name = triple("window", slot, from, end);
            rows.push(Row { name, lower, upper: f64::INFINITY, terms });
        }
    }

    /// The columns of A(v, from..end).
    fn columns(&self, v: Slot, from: usize, end: usize) -> Vec<Column> {
        let interval = self.interval;
        let mut columns = Vec::new();
        // Windows left to write out: of A, or of R alone.
        let mut left = vec![(true, v, from, end)];
        while let Some((there, v, from, end)) = left.pop() {
            let slot = v as usize;
            if there {
                push(interval.stay[from][slot], &mut columns);
                (from..end).for_each(|i| push(interval.back[i][slot], &mut columns));
            }
            match self.again[self.at(v, from, end)].1 {
                Least::Own => (from..end).for_each(|i| push(interval.again[i][slot], &mut columns)),
                Least::Input(input) => left.push((true, input, from, end)),
                Least::Split(middle) => {
                    left.push((false, v, from, middle as usize));
                    left.push((false, v, middle as usize, end));
                }
            }
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// Families of rows that can be carried to a model of more positions: those that every proof carries, covers of capacity rows alone, and those of small models as well. Rows of passages
/// are many in large ones, and proofs of them came later with those of earlier positions.
pub(crate) const CARRIED: &[&str] = &["window", "cover"];
pub(crate) const CARRIED_SMALL: &[&str] = &["window", "cover", "passage", "duration"];

/// What rows of some families of a model say in one of more positions: what ran again in an interval ran again in one of
/// those that it has become.
pub(crate) fn carried(interval: &Interval<'_>, from: &Interval<'_>, families: &[&str]) -> Vec<Row> {
    let place = |j: usize| match from.critical.get(j) {
        Some(at) => interval.critical.binary_search(at).ok(),
        None => Some(interval.critical.len()),
    };
    let columns = |column: Column, factor: f64| -> Option<Vec<(Column, f64)>> {
        let name = from.model.names[column];
        if name.family == "stall" {
            // That of interval j is at j + 1.
            let j = name.first.checked_sub(1)?;
            let stall = &interval.link.as_ref()?.stall;
            return Some((place(j)?..place(j + 1)?).map(|i| (stall[i + 1], factor)).collect());
        }
        let (v, j) = (name.first, name.second?);
        let (first, end) = (place(j)?, place(j + 1)?);
        let columns = match name.family {
            "stay" => vec![interval.stay[first][v]],
            "again" => (first..end).map(|i| interval.again[i][v]).collect(),
            "back" => (first..end).map(|i| interval.back[i][v]).collect(),
            _ => return None,
        };
        let there = columns.into_iter().filter(|&column| column != ABSENT && column != ALWAYS);
        Some(there.map(|column| (column as Column, factor)).collect())
    };
    let rows = from.model.rows.iter().filter(|row| families.contains(&row.name.family));
    let rows = rows.filter_map(|row| {
        let mut name = row.name;
        match (name.family, name.second, name.third) {
            ("window", Some(a), Some(b)) => (name.second, name.third) = (Some(place(a)?), Some(place(b)?)),
            ("cover" | "passage" | "duration", None, None) => name.first = place(name.first)?,
            _ => return None,
        }
        let mut terms: Vec<Vec<(Column, f64)>> =
            row.terms.iter().map(|&(column, factor)| columns(column, factor)).collect::<Option<_>>()?;
        if name.family == "duration" {
            let end = place(row.name.first + 1)?;
            terms.push(interval.times_without_column(from, row.name.first, name.first..end));
        }
        let mut terms = terms.concat();
        terms.sort_unstable_by_key(|&(column, _)| column);
        Some(Row { name, terms, ..row.clone() })
    });
    rows.collect()
}

/// Adds a column if there is one.
fn push(column: u32, columns: &mut Vec<Column>) {
    if column != ABSENT && column != ALWAYS {
        columns.push(column as Column);
    }
}
