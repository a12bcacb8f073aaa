//! Rows of the interval model for two values that run again in one interval and are both there at its end.
//!
//! `running_v_j` counts another value while *v* runs again only if that one does not run again itself, as it may do so later. But of two values
//! that are on the device at c_(j+1) and run again in interval *j*, one runs last, and the other is there meanwhile: it stays from its own last run on.
//! So does what is there at c_(j+1) and does not run again. Where neither of the two fits beside the other, what it reads, and a set *U* of such values,
//!
//! - `last_a_b_j`: `again_a_j` + `again_b_j` + `stay_a_(j+1)` + `stay_b_(j+1)` + sum over *U* of (`stay_u_(j+1)` - `again_u_j`) <= 3 + |*U*|,
//!
//! less `back_j` of all of them, as what comes back from the host may do so after both. Where copies run beside computation the model does not
//! say when values are on the host alone: there are no such rows.

use crate::interval::Interval;
use crate::model::{ABSENT, ALWAYS, Column, Row, WHOLE_CAP, merge, triple};
use crate::program::Slot;

/// Least share of the cap by which both orders have to be over it.
const OVER: f64 = 1e-9;

/// Rows `last_a_b_j` that a point of whole numbers breaks. Points of linear programs break many without a gain: with these rows in them, proofs of
/// large graphs took longer.
pub(crate) fn broken_last_runs(interval: &Interval<'_>, point: &[f64]) -> Vec<Row> {
    if interval.link.is_some() {
        return Vec::new();
    }
    let intervals = 0..interval.critical.len().saturating_sub(1);
    intervals.flat_map(|j| At { interval, point, j }.broken()).collect()
}

/// One interval at a point.
struct At<'a> {
    interval: &'a Interval<'a>,
    point: &'a [f64],
    j: usize,
}

impl At<'_> {
    fn broken(&self) -> Vec<Row> {
        let there: Vec<usize> = (0..self.interval.again[self.j].len())
            .filter(|&v| self.stays(v) && !self.is_on(self.interval.back[self.j][v]))
            .filter(|&v| self.interval.program.size[v] > 0.0)
            .collect();
        let (again, mut staying): (Vec<usize>, Vec<usize>) =
            there.into_iter().partition(|&v| self.is_on(self.interval.again[self.j][v]));
        // The largest first: few of them are to be in a row.
        staying.sort_by(|&u, &w| self.interval.units(w).total_cmp(&self.interval.units(u)).then(u.cmp(&w)));
        let mut rows = Vec::new();
        for (at, &a) in again.iter().enumerate() {
            rows.extend(again[at + 1..].iter().filter_map(|&b| self.pair(a, b, &staying)));
        }
        rows
    }

    fn is_on(&self, column: u32) -> bool {
        column != ABSENT && self.point[column as usize] > 0.5
    }

    fn stays(&self, v: usize) -> bool {
        let stay = self.interval.stay[self.j + 1][v];
        stay == ALWAYS || self.is_on(stay)
    }

    /// The row of two values that run again, with as many of those that stay as it takes.
    fn pair(&self, a: usize, b: usize, staying: &[usize]) -> Option<Row> {
        let mut over = [(a, b), (b, a)]
            .map(|(last, other)| self.needs(last) + self.beside(last, other) - WHOLE_CAP * (1.0 + OVER));
        let mut chosen = Vec::new();
        for &u in staying {
            if over.iter().all(|&over| over > 0.0) {
                break;
            }
            let more = [self.beside(a, u), self.beside(b, u)];
            if more.iter().any(|&more| more > 0.0) {
                over = [over[0] + more[0], over[1] + more[1]];
                chosen.push(u);
            }
        }
        if over.iter().any(|&over| over <= 0.0) {
            return None;
        }
        let mut upper = 3.0 + chosen.len() as f64;
        let mut terms = Vec::new();
        let signed = [(a, 1.0), (b, 1.0)].into_iter().chain(chosen.into_iter().map(|u| (u, -1.0)));
        for (v, again) in signed {
            let mut add = |column: u32, factor: f64| match column {
                ABSENT => {}
                ALWAYS => upper -= factor,
                column => terms.push((column as Column, factor)),
            };
            add(self.interval.stay[self.j + 1][v], 1.0);
            add(self.interval.again[self.j][v], again);
            add(self.interval.back[self.j][v], -1.0);
        }
        merge(&mut terms);
        Some(Row { name: triple("last", a, b, self.j), lower: f64::NEG_INFINITY, upper, terms })
    }

    /// Memory units that a value needs to run: itself, its workspace and what it reads.
    fn needs(&self, v: usize) -> f64 {
        let (interval, program) = (self.interval, self.interval.program);
        let read: f64 = program.inputs(v as Slot).iter().map(|&input| interval.units(input as usize)).sum();
        interval.units(v) + program.workspace[v] * interval.unit_bytes() + read
    }

    /// Memory units of another value, unless it is read anyway.
    fn beside(&self, last: usize, other: usize) -> f64 {
        let reads = self.interval.program.inputs(last as Slot).binary_search(&(other as Slot)).is_ok();
        if reads { 0.0 } else { self.interval.units(other) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ballast_core::limits::Deadline;
    use ballast_core::memory::{Node, Problem};

    use super::*;
    use crate::incumbent::{Incumbent, Progress};
    use crate::program::{Again, Program};
    use crate::prover::prove;
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
}
