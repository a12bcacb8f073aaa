//! The simulator as the measure of the genetic search: every child is run.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits};
use rayon::prelude::*;

use super::simulate::{Batch, simulate_within};
use super::topology::Platform;
use crate::genetic::search::on_threads;
use crate::genetic::{self, LayerTable, Measure, Options, Placement, PlacementError};

/// Runs of a batch on a simulated platform; the objective is the seconds of the whole batch.
#[derive(Debug)]
pub struct Pipeline<'a> {
    platform: &'a Platform,
    table: &'a LayerTable,
    batch: Batch,
}

impl<'a> Pipeline<'a> {
    /// # Errors
    /// [`PlacementError::Input`] where the table and the platform have different numbers of devices, the table
    /// makes no sense, or the batch is empty.
    pub fn new(platform: &'a Platform, table: &'a LayerTable, batch: Batch) -> Result<Self, PlacementError> {
        table.check()?;
        if platform.devices() != table.devices() {
            return Err(PlacementError::Input(format!(
                "the platform has {} devices and the layer table {}",
                platform.devices(),
                table.devices()
            )));
        }
        if batch.items == 0 {
            return Err(PlacementError::Input("a batch of 0 items: give at least 1".into()));
        }
        Ok(Pipeline { platform, table, batch })
    }

    /// The dynamic search on `limits.threads` threads; `work` of the report counts runs.
    ///
    /// # Errors
    /// See [`genetic::search()`].
    pub fn solve(mut self, options: &Options, limits: &Limits) -> Result<Placement, PlacementError> {
        let table = self.table;
        on_threads(limits.threads, || genetic::search(table, &mut self, options, limits))
    }
}

impl Measure for Pipeline<'_> {
    fn seconds(
        &mut self,
        placements: &[Vec<DeviceId>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError> {
        let mut seconds = Vec::with_capacity(placements.len());
        // The clock is read between chunks; their size does not depend on the threads, nor does any answer.
        for chunk in placements.chunks(16) {
            if deadline.over() {
                break;
            }
            let run = |placement: &Vec<DeviceId>| {
                simulate_within(self.platform, self.table, placement, &self.batch, deadline)
                    .map(|run| run.seconds)
            };
            let runs: Vec<Option<f64>> = chunk.par_iter().map(run).collect();
            seconds.extend(runs.iter().map_while(|run| *run));
            if runs.contains(&None) {
                break;
            }
        }
        Ok(seconds)
    }

    /// The first item takes at least every layer's least; each further one waits for the slowest layer.
    fn bound(&self) -> f64 {
        let least = self.table.least_seconds();
        let slowest = least.iter().copied().fold(0.0, f64::max);
        least.iter().sum::<f64>() + f64::from(self.batch.items - 1) * slowest
    }

    fn method(&self) -> &'static str {
        "genetic-dynamic"
    }
}
