//! The steps of a job whose batches differ, read from a recording and made from one program.

use std::collections::BTreeMap;
use std::path::Path;

use ballast_core::batch::with_batch;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::stage::stages;
use ballast_remat::swaps::{Recording, TrainingStep};
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::read_text;

/// A line of a recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Samples of the step.
    batch: u64,
}

/// Reads the recording of a job that runs `graph`, which has this batch size, on the first device.
pub(super) fn read(path: &Path, graph: &Graph, batch: u64, cluster: &Cluster) -> Result<Recording, Failure> {
    let mut kinds: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut steps, mut order) = (Vec::new(), Vec::new());
    for (number, line) in read_text(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refuse = |reason: &dyn std::fmt::Display| {
            Failure::BadInput(format!("{}: line {}: {reason}", path.display(), number + 1))
        };
        let line: Line = serde_json::from_str(line).map_err(|error| refuse(&error))?;
        let kind = match kinds.get(&line.batch) {
            Some(&kind) => kind,
            None => {
                let graph = with_batch(graph, batch, line.batch).map_err(|error| refuse(&error))?;
                steps.push(step(&graph, cluster));
                kinds.insert(line.batch, steps.len() - 1);
                steps.len() - 1
            }
        };
        order.push(kind);
    }
    Recording::new(steps, order).map_err(|error| Failure::in_file(path, error))
}

/// The whole graph as a step on the first device.
pub(super) fn step(graph: &Graph, cluster: &Cluster) -> TrainingStep {
    let costs = Costs::estimate(graph, cluster, None).costs;
    let stage = stages(graph, &costs, cluster, &vec![DeviceId(0); graph.ops.len()]).swap_remove(0);
    TrainingStep::of_stage(graph, &stage)
}
