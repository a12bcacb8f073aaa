//! A schedule: the steps one device takes.

use serde::{Deserialize, Serialize};

use super::NodeId;

/// One step of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Run a node; its value becomes resident.
    Compute(NodeId),
    /// Drop a resident value.
    Free(NodeId),
    /// Copy a resident value to host memory; the device copy stays until it is freed.
    SwapOut(NodeId),
    /// Copy a value on the host back to the device.
    SwapIn(NodeId),
    /// Drop the host copy.
    HostFree(NodeId),
}

impl Step {
    /// The node it is about.
    #[must_use]
    pub const fn node(self) -> NodeId {
        let (Step::Compute(node)
        | Step::Free(node)
        | Step::SwapOut(node)
        | Step::SwapIn(node)
        | Step::HostFree(node)) = self;
        node
    }
}

/// The steps of one device, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// In order of issue.
    pub steps: Vec<Step>,
}
