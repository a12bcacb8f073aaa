//! Genetic placement as a method of the partitioner: items of the op sequence are the layers.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use rayon::prelude::*;

use super::search::{Measure, Options, PredictedLoads, on_threads, search};
use super::table::{LayerTable, PlacementError};
use crate::error::Error;
use crate::loads::Loads;
use crate::proposer::{Proposal, Proposer, Task, limit_of};
use crate::sequence::Sequence;

/// What the fitness of a placement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fitness {
    /// The slowest stage with its transfers, as the judge counts it, lengthened by memory no plan could avoid.
    #[default]
    Loads,
    /// Predicted times alone, as in the source: transfers are free.
    Predicted,
}

/// The genetic search as a proposer.
///
/// The partition it starts from is one of the first generation; the others are drawn. Time and work limits are those of
/// the task; a step of work is a placement measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Genetic {
    /// Parameters of the search; `initial` gets the start added.
    pub options: Options,
    /// What a placement is judged by.
    pub fitness: Fitness,
}

impl Proposer for Genetic {
    fn name(&self) -> &'static str {
        "genetic"
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let table = layer_table(&task.items.sequence);
        let mut options = self.options.clone();
        options.initial.insert(0, task.start.to_vec());
        let found = on_threads(task.limits.threads, || {
            let mut loads = StageLoads { task, bound: table.bound(), penalty_weight: options.penalty_weight };
            let mut predicted = PredictedLoads(&table);
            let measure: &mut dyn Measure = match self.fitness {
                Fitness::Loads => &mut loads,
                Fitness::Predicted => &mut predicted,
            };
            search(&table, measure, &options, &task.limits)
        });
        match found {
            Ok(found) => Ok(Proposal {
                work: found.report.work,
                stopped: limit_of(found.report.stop_reason),
                ..Proposal::of_items(self.name(), task, &found.device_of)
            }),
            // Nothing is forbidden here: the time was over before the first placement was measured.
            Err(PlacementError::NoPlacement(_)) => Ok(Proposal {
                stopped: limit_of(task.deadline.reason()),
                ..Proposal::of_items(self.name(), task, task.start)
            }),
            Err(error) => Err(Error::Proposer { method: "genetic", reason: error.to_string() }),
        }
    }
}

/// The items as layers. Memory is the memory planner's: the rule on stored tensors is off.
#[must_use]
pub fn layer_table(items: &Sequence) -> LayerTable {
    let devices = items.row_of.len();
    LayerTable {
        names: (0..items.len()).map(|item| format!("item {item}")).collect(),
        seconds: items.row_of.iter().map(|&row| items.seconds[row].clone()).collect(),
        bytes: vec![vec![0; items.len()]; devices],
        device_memory_bytes: vec![u64::MAX; devices],
        message_bytes: vec![0; items.len().saturating_sub(1)],
    }
}

/// Measures placements by the loads of their stages.
struct StageLoads<'a> {
    task: &'a Task<'a>,
    bound: f64,
    penalty_weight: f64,
}

impl StageLoads<'_> {
    fn one(&self, placement: &[DeviceId]) -> f64 {
        let items = &self.task.items.sequence;
        let loads = Loads::new(items, self.task.index, self.task.links, placement.to_vec());
        let over: f64 = self.task.caps.map_or(0.0, |caps| {
            let excess = |(device, &cap): (DeviceId, &u64)| {
                loads.least_bytes(device).saturating_sub(cap) as f64 / cap.max(1) as f64
            };
            DeviceId::of(caps).map(excess).sum()
        });
        loads.tmax() * (1.0 + self.penalty_weight * over)
    }
}

impl Measure for StageLoads<'_> {
    fn seconds(
        &mut self,
        placements: &[Vec<DeviceId>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError> {
        let mut seconds = Vec::with_capacity(placements.len());
        // In parts, so that a generation of a large program does not outlast the limit.
        for part in placements.chunks(rayon::current_num_threads() * 8) {
            if deadline.over() {
                break;
            }
            seconds.par_extend(part.par_iter().map(|placement| self.one(placement)));
        }
        Ok(seconds)
    }

    fn bound(&self) -> f64 {
        self.bound
    }

    fn method(&self) -> &'static str {
        "genetic"
    }
}
