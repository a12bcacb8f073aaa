//! The memory problem of a stage as the plan file keeps it: enough to replay, judge and explain the plan without the program.

use serde::{Deserialize, Serialize};

use crate::graph::OpId;
use crate::memory::{NodeId, SwapModel};
use crate::stage::{NodeSource, Stage};

/// The problem of one stage. Bytes resident from start to end are those of the stage's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageMemory {
    /// What runs or arrives here, in program order.
    pub nodes: Vec<MemoryNode>,
    /// How copies to the host are timed; none where nothing may be swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap: Option<SwapModel>,
}

/// One node of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryNode {
    /// Index of the op in program order.
    pub op: OpId,
    /// Does the op's value arrive from another device, rather than being computed here?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub receive: bool,
    /// Seconds of one run, or of the transfer.
    pub seconds: f64,
    /// Bytes of the value.
    pub bytes: u64,
    /// Bytes held only while it runs.
    #[serde(default, skip_serializing_if = "crate::units::is_zero")]
    pub workspace_bytes: u64,
    /// The nodes whose values it reads, by their index in this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<NodeId>,
    /// Is it part of the backward pass?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backward: bool,
    /// Must the value be there at the end?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// Must it not run a second time (effects, randomness, a rule of the user)?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_once: bool,
    /// Must the value not go to the host?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_swap: bool,
    /// Must the value stay from its run to its last use?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

impl StageMemory {
    /// Writes a stage down.
    #[must_use]
    pub fn of(stage: &Stage, swap: Option<SwapModel>) -> Self {
        let nodes = stage.problem.nodes.iter().zip(&stage.sources).map(|(node, source)| MemoryNode {
            op: source.op(),
            receive: matches!(source, NodeSource::Receive(_)),
            seconds: node.time,
            bytes: node.bytes,
            workspace_bytes: node.workspace_bytes,
            inputs: node.inputs.clone(),
            backward: node.backward,
            keep: node.keep,
            runs_once: !node.recomputable,
            no_swap: !node.swappable,
            pinned: node.pinned,
        });
        StageMemory { nodes: nodes.collect(), swap }
    }
}
