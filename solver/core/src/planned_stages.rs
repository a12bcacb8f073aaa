//! The stages of a plan file: what the plan was made for, without the program.

use std::collections::{BTreeMap, BTreeSet};

use crate::device::DeviceId;
use crate::graph::OpId;
use crate::memory::{Node, Problem};
use crate::plan::{OpPlan, Plan};
use crate::stage::{NodeSource, Stage};

/// The stages a plan was made for, as its file keeps them; arguments are known by their bytes alone. Sums are those of the nodes, and what
/// a device sends is what others receive.
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
            compute_seconds: 0.0,
            receive_seconds: 0.0,
            send_seconds: 0.0,
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
            let sum = if node.receive { &mut stage.receive_seconds } else { &mut stage.compute_seconds };
            *sum += node.seconds;
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
    runs_where_it_says(&plan.ops, &stages)?;
    let sent = slowest_receives(&stages);
    for stage in &mut stages {
        let own = stage.sources.iter().filter_map(|source| match source {
            NodeSource::Op(op) => Some((*op, *sent.get(op)?)),
            NodeSource::Receive(_) => None,
        });
        stage.sends = own.collect();
        stage.sends.sort_by_key(|&(op, _)| op);
        stage.send_seconds = stage.sends.iter().map(|(_, seconds)| seconds).sum();
    }
    Ok(stages)
}

/// Seconds of sending each value that crosses devices: its maker pays for the slowest of its links.
fn slowest_receives(stages: &[Stage]) -> BTreeMap<OpId, f64> {
    let mut slowest = BTreeMap::new();
    for (source, node) in stages.iter().flat_map(|stage| stage.sources.iter().zip(&stage.problem.nodes)) {
        if let NodeSource::Receive(op) = source {
            let seconds = slowest.entry(*op).or_insert(0.0f64);
            *seconds = seconds.max(node.time);
        }
    }
    slowest
}

/// Checks that every op runs once, on the device its entry names, and that its value is received where the entry says.
fn runs_where_it_says(ops: &[OpPlan], stages: &[Stage]) -> Result<(), String> {
    if let Some(pair) = ops.windows(2).find(|pair| pair[0].op >= pair[1].op) {
        return Err(format!("'ops' has op {} before op {}", pair[0].op, pair[1].op));
    }
    let mut runs: BTreeMap<OpId, DeviceId> = BTreeMap::new();
    let mut receives: BTreeSet<(OpId, DeviceId)> = BTreeSet::new();
    for (stage, source) in
        stages.iter().flat_map(|stage| stage.sources.iter().map(move |source| (stage, source)))
    {
        let (device, op) = (stage.device, source.op());
        let first = match source {
            NodeSource::Op(_) => runs.insert(op, device).is_none(),
            NodeSource::Receive(_) => receives.insert((op, device)),
        };
        if !first {
            return Err(format!("device {device} has op {op}, which is made or received twice"));
        }
    }
    for entry in ops {
        let (op, device) = (entry.op, entry.device);
        if runs.get(&op) != Some(&device) {
            return Err(format!("'ops' places op {op} on device {device}, which does not run it"));
        }
        for at in entry.receives.iter().map(|receive| receive.device) {
            if at == device || !receives.remove(&(op, at)) {
                return Err(format!("'ops' has device {at} receive op {op}, which it does not"));
            }
        }
    }
    match receives.first() {
        Some((op, device)) => Err(format!("device {device} receives op {op}, which 'ops' does not say")),
        None => Ok(()),
    }
}
