//! The memory problem of a stage as the plan file keeps it: enough to replay, judge and explain the plan without the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::OpId;
use crate::memory::{Node, Problem, SwapModel};
use crate::plan::Plan;
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
    #[serde(default, skip_serializing_if = "is_false")]
    pub receive: bool,
    /// Seconds of one run, or of the transfer.
    pub seconds: f64,
    /// Bytes of the value.
    pub bytes: u64,
    /// Bytes held only while it runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub workspace_bytes: u64,
    /// The nodes whose values it reads, by their index in this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<usize>,
    /// Is it part of the backward pass?
    #[serde(default, skip_serializing_if = "is_false")]
    pub backward: bool,
    /// Must the value be there at the end?
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep: bool,
    /// Must it not run a second time (effects, randomness, a rule of the user)?
    #[serde(default, skip_serializing_if = "is_false")]
    pub runs_once: bool,
    /// Must the value not go to the host?
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_swap: bool,
    /// Must the value stay from its run to its last use?
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
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

/// Bytes that what runs once on a stage may hold: the cap, less what a pipeline holds there for the other micro-batches.
#[must_use]
pub fn room_bytes(plan: &Plan, stage: usize) -> u64 {
    let entry = &plan.stages[stage];
    let step = plan.pipeline.as_ref().and_then(|pipeline| pipeline.stages.get(stage));
    let others = step.map_or(0, |step| step.need_bytes.saturating_sub(entry.score.peak_bytes));
    entry.cap_bytes.saturating_sub(others)
}

/// The stages a plan was made for, as its file keeps them; arguments are known by their bytes alone.
///
/// # Errors
/// A file that does not hold them, or one that contradicts itself.
pub fn stages_of(plan: &Plan) -> Result<Vec<Stage>, String> {
    let names: BTreeMap<OpId, &str> = plan.ops.iter().map(|entry| (entry.op, entry.name.as_str())).collect();
    let mut stages = Vec::with_capacity(plan.stages.len());
    for entry in &plan.stages {
        let (device, score) = (entry.score.device, &entry.score);
        let memory = entry.memory.as_ref().ok_or_else(|| {
            format!("the plan does not say what device {device} runs: it was written by an older ballast; plan again")
        })?;
        let mut stage = Stage {
            device,
            problem: Problem {
                name: format!("{} on device {device}", plan.function),
                nodes: Vec::with_capacity(memory.nodes.len()),
                resident_bytes: score.resident_bytes,
            },
            sources: Vec::with_capacity(memory.nodes.len()),
            compute_seconds: score.compute_seconds,
            receive_seconds: score.receive_seconds,
            send_seconds: score.send_seconds,
            sends: Vec::new(),
            arguments: Vec::new(),
        };
        for node in &memory.nodes {
            let name = names
                .get(&node.op)
                .ok_or_else(|| format!("device {device} runs op {}, which is not in 'ops'", node.op))?;
            let (label, source) = match node.receive {
                true => (format!("receive {name}"), NodeSource::Receive(node.op)),
                false => ((*name).to_owned(), NodeSource::Op(node.op)),
            };
            stage.sources.push(source);
            stage.problem.nodes.push(Node {
                label,
                time: node.seconds,
                bytes: node.bytes,
                workspace_bytes: node.workspace_bytes,
                inputs: node.inputs.clone(),
                backward: node.backward,
                keep: node.keep,
                recomputable: !node.runs_once,
                swappable: !node.no_swap,
                pinned: node.pinned,
            });
        }
        stage.problem.check().map_err(|error| format!("device {device}: {error}"))?;
        stages.push(stage);
    }
    Ok(stages)
}
