//! The host link in the interval model where copies run beside computation: a resource per direction that the time between
//! two moments bounds.
//!
//! `stall_0` is the time that is neither computation nor recomputation before the first critical position has run, `stall_(j+1)` that in
//! interval j; their sum and the recomputes are what a plan takes longer than running everything once. Between the end of a position
//! and the start of a later one, time is the first runs between, the recomputes there and the stalls. A copy takes its bytes
//! over the bandwidth, plus the latency, and one direction copies one value at a time: the rows are in [`crate::link_rows`].

use ballast_core::memory::SwapModel;

use crate::model::{Column, Model, WHOLE_TIME, single};
use crate::program::Program;

/// Both directions of the link, in units of the objective.
pub(crate) struct Link {
    /// Time waited before c_0 has run, and in each interval.
    pub(crate) stall: Vec<Column>,
    /// Time of a copy of each value to the host, and back.
    pub(crate) out_time: Vec<f64>,
    pub(crate) in_time: Vec<f64>,
    /// Time of the first runs before each position.
    pub(crate) before: Vec<f64>,
    /// Time of one run of each node.
    pub(crate) time: Vec<f64>,
}

impl Link {
    /// Adds the columns of `intervals` critical positions; `time` is units of the objective per time of the program.
    pub(crate) fn new(
        program: &Program,
        swap: &SwapModel,
        intervals: usize,
        time: f64,
        model: &mut Model,
    ) -> Self {
        let stall =
            (0..=intervals).map(|j| model.column(single("stall", j), 1.0, WHOLE_TIME, false)).collect();
        let copies =
            |of: &dyn Fn(u64) -> f64| program.size.iter().map(|&size| of(size as u64) * time).collect();
        let mut before = Vec::with_capacity(program.len() + 1);
        let mut sum = 0.0;
        for &run in &program.time {
            before.push(sum);
            sum += run * time;
        }
        before.push(sum);
        Link {
            stall,
            out_time: copies(&|bytes| swap.out_time(bytes)),
            in_time: copies(&|bytes| swap.in_time(bytes)),
            before,
            time: program.time.iter().map(|&run| run * time).collect(),
        }
    }
}
