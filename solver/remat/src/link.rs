//! The host link in the interval model where copies run beside computation: a resource per direction that the time between
//! two moments bounds.
//!
//! `stall_0` is the time that is neither computation nor recomputation before the first critical position has run, `stall_(j+1)` that in
//! interval j; their sum and the recomputes are what a plan takes longer than running everything once. Added up from the start they are
//! `late_0`, `late_1`, ...: how much later than without them the first critical position ends, interval 0 ends, and so on. Between the
//! end of a position and the start of a later one, time is the first runs between and how much later it gets. A copy takes its bytes
//! over the bandwidth, plus the latency, and one direction copies one value at a time: the rows are in [`crate::link_rows`].

use ballast_core::memory::SwapModel;

use crate::model::{ABSENT, Column, Model, Row, WHOLE_TIME, single};
use crate::program::Program;

/// Both directions of the link, in units of the objective.
pub(crate) struct Link {
    /// Time waited before c_0 has run, and in each interval.
    pub(crate) stall: Vec<Column>,
    /// How much later than in a program that neither waits nor recomputes c_0 has run, and each interval ends.
    pub(crate) late: Vec<Column>,
    /// Most memory units per unit of time that a copy to the host, and one back, is carried at.
    pub(crate) out_rate: f64,
    pub(crate) in_rate: f64,
    /// Time of the first runs before each position.
    pub(crate) before: Vec<f64>,
    /// Time of one run of each node.
    pub(crate) time: Vec<f64>,
}

impl Link {
    /// Adds the columns of `intervals` critical positions; `time` is units of the objective per time of the program, `bytes` memory units
    /// per byte.
    pub(crate) fn new(
        program: &Program,
        swap: &SwapModel,
        intervals: usize,
        (time, bytes): (f64, f64),
        model: &mut Model,
    ) -> Self {
        let mut times = |family, cost| -> Vec<Column> {
            (0..=intervals).map(|j| model.column(single(family, j), cost, WHOLE_TIME, false)).collect()
        };
        let (stall, late) = (times("stall", 1.0), times("late", 0.0));
        let sizes = || {
            let values = program.size.iter().zip(&program.swappable);
            values.filter(|&(&size, &swappable)| swappable && size > 0.0).map(|(&size, _)| size)
        };
        let rate = |of: &dyn Fn(u64) -> f64| {
            sizes().map(|size| size * bytes / (of(size as u64) * time)).fold(0.0, f64::max)
        };
        let mut before = Vec::with_capacity(program.len() + 1);
        let mut sum = 0.0;
        for &run in &program.time {
            before.push(sum);
            sum += run * time;
        }
        before.push(sum);
        Link {
            stall,
            late,
            out_rate: rate(&|bytes| swap.out_time(bytes)),
            in_rate: rate(&|bytes| swap.in_time(bytes)),
            before,
            time: program.time.iter().map(|&run| run * time).collect(),
        }
    }

    /// The row `late_j`: what stalls and recomputes of a slice of time add to what those before it did.
    pub(crate) fn later(&self, slice: usize, agains: &[u32]) -> Row {
        let mut terms = vec![(self.late[slice], 1.0), (self.stall[slice], -1.0)];
        terms.extend(slice.checked_sub(1).map(|before| (self.late[before], -1.0)));
        let runs = agains.iter().zip(&self.time).filter(|&(&column, &time)| column != ABSENT && time != 0.0);
        terms.extend(runs.map(|(&column, &time)| (column as Column, -time)));
        Row { name: single("late", slice), lower: 0.0, upper: 0.0, terms }
    }

    /// How much later than without stalls and recomputes the slices `from..to` of time end than they begin, times `factor`.
    pub(crate) fn spent(&self, from: usize, to: usize, factor: f64) -> Vec<(Column, f64)> {
        let ends = [(to, factor), (from, -factor)];
        ends.into_iter().filter_map(|(end, factor)| Some((self.late[end.checked_sub(1)?], factor))).collect()
    }
}
