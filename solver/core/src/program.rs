//! A program with what it costs and where it may run.

use crate::cost::Costs;
use crate::device::{Cluster, DeviceId};
use crate::graph::Graph;
use crate::stage::{Stage, stages};

/// A program, its costs and its devices: what every planner of whole programs is given.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The ops and tensors.
    pub graph: &'a Graph,
    /// Seconds of every op on every device.
    pub costs: &'a Costs,
    /// The devices and their links.
    pub cluster: &'a Cluster,
}

impl Program<'_> {
    /// Number of devices.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.cluster.devices.len()
    }

    /// What every device runs under a placement; see [`stages()`].
    #[must_use]
    pub fn stages(&self, device_of: &[DeviceId]) -> Vec<Stage> {
        stages(self.graph, self.costs, self.cluster, device_of)
    }
}
