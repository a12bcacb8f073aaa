//! The rows of the host link that a point of the interval model breaks:
//! - `link_in_j_k`: what came back after c_j and is not there at c_k, or is read by it, was copied before c_k starts (k past the last:
//!   before the plan ends);
//! - `link_out_a_k`: what was first made at a or later, is not there at c_k and next comes back from the host, was copied out after a
//!   had run and before c_k starts, as memory is free only once its copy has ended.
//!
//! With rows added where a point breaks them the model stays a relaxation: `stay_v_j` counts what holds memory at c_j, copies that
//! have not ended included, as the judge counts it ([`ballast_core::memory::replay`]).

use crate::interval::{ABSENT, ALWAYS, Interval};
use crate::link::Link;
use crate::model::{Column, Row, merge, name};
use crate::program::Slot;

/// The rows a point breaks most, by more than `tolerance` units of time: for each later moment the worst earlier one, in both
/// directions. None where copies do not run beside computation.
pub(crate) fn broken_link(interval: &Interval<'_>, point: &[f64], tolerance: f64) -> Vec<Row> {
    let Some(link) = &interval.link else { return Vec::new() };
    let moments = Moments::new(link, interval, point);
    let mut rows: Vec<Row> =
        (1..=interval.critical.len()).filter_map(|k| moments.copied_in(k, tolerance)).collect();
    rows.extend(moments.copied_out(tolerance));
    rows
}

/// A point of the model, with sums over its intervals.
struct Moments<'a> {
    link: &'a Link,
    interval: &'a Interval<'a>,
    point: &'a [f64],
    /// Recomputes and stalls before c_0, in interval 0, in interval 1, ... at the point, added up.
    extra: Vec<f64>,
}

impl<'a> Moments<'a> {
    fn new(link: &'a Link, interval: &'a Interval<'a>, point: &'a [f64]) -> Self {
        let mut extra = vec![0.0, point[link.stall[0]]];
        let mut sum = extra[1];
        for (agains, &stall) in interval.again.iter().zip(&link.stall[1..]) {
            sum += point[stall];
            for (v, &column) in agains.iter().enumerate() {
                sum += if column == ABSENT { 0.0 } else { link.time[v] * point[column as usize] };
            }
            extra.push(sum);
        }
        Moments { link, interval, point, extra }
    }

    fn at(&self, column: u32) -> f64 {
        match column {
            ABSENT => 0.0,
            ALWAYS => 1.0,
            column => self.point[column as usize],
        }
    }

    /// Where position c_k starts: the time of first runs before it; all of them after the last.
    fn start(&self, k: usize) -> f64 {
        match self.interval.critical.get(k) {
            Some(&c) => self.link.before[c as usize],
            None => self.link.before[self.interval.program.len()],
        }
    }

    /// `stay` of a value at c_k: nothing waits past the end.
    fn pending(&self, v: usize, k: usize) -> u32 {
        match self.interval.stay.get(k) {
            Some(stays) if stays.get(v).is_some_and(|&column| column != ALWAYS) => stays[v],
            _ => ABSENT,
        }
    }

    /// A row over the time between two moments: copies, less recomputes and stalls of the slices `from..to` of them (0: before c_0), at most
    /// `computed`.
    fn row(
        &self,
        row: crate::model::Name,
        mut terms: Vec<(Column, f64)>,
        (from, to): (usize, usize),
        computed: f64,
    ) -> Row {
        for slice in from..to {
            terms.push((self.link.stall[slice], -1.0));
            let agains = slice.checked_sub(1).map_or(&[][..], |j| &self.interval.again[j]);
            terms.extend(
                agains
                    .iter()
                    .enumerate()
                    .filter(|&(_, &column)| column != ABSENT)
                    .map(|(v, &column)| (column as Column, -self.link.time[v])),
            );
        }
        merge(&mut terms);
        terms.retain(|&(_, factor)| factor != 0.0);
        Row { name: row, lower: f64::NEG_INFINITY, upper: computed * (1.0 + ROUNDING) + ROUNDING, terms }
    }

    /// The row `link_in_j_k` that is broken most.
    fn copied_in(&self, k: usize, tolerance: f64) -> Option<Row> {
        let interval = self.interval;
        let mut came = vec![0.0; interval.program.len()];
        let mut worst: Option<(f64, usize)> = None;
        for j in (0..k).rev() {
            let mut copied = 0.0;
            for (v, &column) in interval.back[j].iter().enumerate() {
                came[v] += if column == ABSENT { 0.0 } else { self.point[column as usize] };
            }
            for (v, &came) in came.iter().enumerate() {
                if came > 0.0 {
                    copied += self.link.in_time[v] * (came - self.at(self.pending(v, k))).max(0.0);
                }
            }
            let over =
                copied - self.between(interval.critical[j], k) - (self.extra[k + 1] - self.extra[j + 1]);
            if over > worst.map_or(tolerance, |(most, _)| most) {
                worst = Some((over, j));
            }
        }
        let (_, j) = worst?;
        let mut terms = Vec::new();
        for v in 0..interval.program.len() {
            let columns: Vec<u32> =
                (j..k).filter_map(|i| interval.back[i].get(v).copied()).filter(|&c| c != ABSENT).collect();
            let came: f64 = columns.iter().map(|&column| self.point[column as usize]).sum();
            let pending = self.pending(v, k);
            if came - self.at(pending) > 0.0 {
                terms.extend(columns.into_iter().map(|column| (column as Column, self.link.in_time[v])));
                terms.extend((pending != ABSENT).then_some((pending as Column, -self.link.in_time[v])));
            }
        }
        Some(self.row(name("link_in", j, k), terms, (j + 1, k + 1), self.between(interval.critical[j], k)))
    }

    /// First runs after position `a` and before c_k.
    fn between(&self, a: Slot, k: usize) -> f64 {
        (self.start(k) - self.link.before[a as usize + 1]).max(0.0)
    }

    /// For each k the row `link_out_a_k` that is broken most.
    fn copied_out(&self, tolerance: f64) -> Vec<Row> {
        let interval = self.interval;
        // Of each value the most that comes back from the host at c_k or later before it runs again, and where.
        let mut next: Vec<Option<(f64, usize)>> = vec![None; interval.program.len()];
        let mut rows = Vec::new();
        for k in (0..interval.critical.len()).rev() {
            let c = interval.critical[k] as usize;
            for (v, next) in next.iter_mut().enumerate().take(c) {
                let back = interval.back[k][v];
                if back != ABSENT && next.is_none_or(|(most, _)| self.point[back as usize] > most) {
                    *next = Some((self.point[back as usize], k));
                }
                if let Some((most, _)) = next {
                    *most -= self.at(interval.again[k][v]);
                }
            }
            // How much of a value is on the host alone at c_k, and the interval it comes back in.
            let gone = |v: usize| {
                let stay = interval.stay[k][v];
                let (most, last) = next[v].filter(|_| stay != ALWAYS)?;
                let gone = most - self.at(stay);
                (gone > NOTHING).then_some((gone, last))
            };
            let (mut copied, mut worst): (f64, Option<(f64, usize)>) = (0.0, None);
            for a in (0..c).rev() {
                let Some((gone, _)) = gone(a) else { continue };
                copied += self.link.out_time[a] * gone;
                let slice = self.slice(a);
                let over = copied - self.between(a as Slot, k) - (self.extra[k + 1] - self.extra[slice]);
                if over > worst.map_or(tolerance, |(most, _)| most) {
                    worst = Some((over, a));
                }
            }
            let Some((_, a)) = worst else { continue };
            let mut terms = Vec::new();
            for (v, last) in (a..c).filter_map(|v| Some((v, gone(v)?.1))) {
                let stay = interval.stay[k][v];
                let time = self.link.out_time[v];
                terms.push((interval.back[last][v] as Column, time));
                terms.extend((stay != ABSENT).then_some((stay as Column, -time)));
                let agains = (k..=last).map(|m| interval.again[m][v]).filter(|&column| column != ABSENT);
                terms.extend(agains.map(|column| (column as Column, -time)));
            }
            rows.push(self.row(
                name("link_out", a, k),
                terms,
                (self.slice(a), k + 1),
                self.between(a as Slot, k),
            ));
        }
        rows
    }

    /// The slice of time, before c_0 or an interval, in which position `a` has just run.
    fn slice(&self, a: usize) -> usize {
        self.interval.critical.partition_point(|&c| c as usize <= a)
    }
}

/// What a point says of a value and is no more than rounding.
const NOTHING: f64 = 1e-9;
/// Room for rounding, in units of the objective, and relative.
const ROUNDING: f64 = 1e-9;
