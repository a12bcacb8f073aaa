//! The stages of a plan file: what the plan was made for, without the program.

use std::collections::BTreeMap;

use crate::graph::OpId;
use crate::memory::{Node, Problem};
use crate::plan::Plan;
use crate::stage::{NodeSource, Stage};

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
                after: None,
            });
        }
        stage.problem.check().map_err(|error| format!("device {device}: {error}"))?;
        stages.push(stage);
    }
    Ok(stages)
}
