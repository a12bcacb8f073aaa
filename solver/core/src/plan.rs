//! The plan: what is written into the IR and, as JSON, into the plan file.
//!
//! The JSON form is versioned ([`PLAN_VERSION`]); its schema is generated from these types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::graph::{Graph, OpId};
use crate::memory::CompactPlan;
use crate::report::Report;
use crate::simulate::{Balance, StageScore};
use crate::stage::{NodeSource, Stage};

/// Version of the plan format; raised whenever a reader of the old one would misread the new one.
pub const PLAN_VERSION: u32 = 1;

/// A plan for a whole program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`PLAN_VERSION`].
    pub version: u32,
    /// Function planned.
    pub function: String,
    /// [`fingerprint`] of the program planned, hexadecimal.
    pub fingerprint: String,
    /// Devices, in the order of their numbers.
    pub devices: Vec<PlanDevice>,
    /// Slowest and fastest stage and their ratio, recomputation and exposed swap time included.
    pub balance: Balance,
    /// Proven lower bound on tmax, seconds, over the class of plans that `partition.bound_class` names.
    pub bound_seconds: f64,
    /// `(tmax - bound) / tmax`.
    pub gap: f64,
    /// How the partition was found.
    pub partition: Report,
    /// Rounds of partitioning and memory planning.
    pub rounds: usize,
    /// One entry per device, idle ones included.
    pub stages: Vec<StagePlan>,
    /// Every planned op, in program order. Views and constants travel with their readers and are left out.
    pub ops: Vec<OpPlan>,
    /// Everything a user should know: relaxed caps, limits reached, methods not available.
    pub notes: Vec<String>,
}

/// A device, as far as a plan names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDevice {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: String,
    /// Memory, bytes.
    pub memory_bytes: u64,
}

/// What one device does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StagePlan {
    /// Times and bytes the judge derived.
    #[serde(flatten)]
    pub score: StageScore,
    /// Cap asked for, bytes.
    pub requested_cap_bytes: u64,
    /// Cap the plan keeps to, bytes: larger than the requested one where that had no solution.
    pub cap_bytes: u64,
    /// Smallest cap found to have a plan, bytes, where the requested one had none.
    pub smallest_cap_bytes: Option<u64>,
    /// How the memory plan was found; its bound is on the stage's seconds, sends excluded.
    pub report: Report,
}

/// What happens to one op and its value. Positions index the op sequence of the op's own device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpPlan {
    /// Index of the op in program order, views and constants counted.
    pub op: OpId,
    /// Op name.
    pub name: String,
    /// Source location.
    pub location: String,
    /// Device that runs it.
    pub device: DeviceId,
    /// Its place in the device's op sequence.
    pub position: usize,
    /// It runs again just before these positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recompute_before: Vec<usize>,
    /// What is swapped of its value, by device: the op's own, and those that received the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swaps: Vec<SwapPlan>,
}

/// The swaps of one value on one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwapPlan {
    /// The device that swaps.
    pub device: DeviceId,
    /// Copied to the host after this position.
    pub out_after: usize,
    /// Copied back before these positions.
    pub in_before: Vec<usize>,
}

/// A plan for a stage that a plan for a program cannot express, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A swap-in without a swap-out, or two swap-outs of one value.
    #[error(
        "op {op} is swapped out {outs} times and in {ins} times on device {device}: a swapped value goes out once and comes back at least once"
    )]
    Swap {
        /// The op.
        op: OpId,
        /// The device.
        device: DeviceId,
        /// Swap-outs.
        outs: usize,
        /// Swap-ins.
        ins: usize,
    },
    /// An entry that names an op that does not run on the device, or a position twice.
    #[error("op {op} on device {device}: {reason}")]
    Entry {
        /// The op.
        op: OpId,
        /// The device.
        device: DeviceId,
        /// What is wrong.
        reason: String,
    },
}

/// Turns judged stage plans into one entry per planned op, in program order.
///
/// # Errors
/// When a stage plan swaps a value out twice, or in without having it out.
pub fn op_plans(
    graph: &Graph,
    stages: &[Stage],
    plans: &[CompactPlan],
    locations: impl Fn(OpId) -> String,
) -> Result<Vec<OpPlan>, PlanError> {
    let mut entries: BTreeMap<OpId, OpPlan> = BTreeMap::new();
    for (stage, plan) in stages.iter().zip(plans) {
        let order: Vec<usize> = plan.order.clone().unwrap_or_else(|| (0..stage.sources.len()).collect());
        for (position, &node) in order.iter().enumerate() {
            if let NodeSource::Op(op) = stage.sources[node] {
                entries.insert(
                    op,
                    OpPlan {
                        op,
                        name: graph.ops[op].name.clone(),
                        location: locations(op),
                        device: stage.device,
                        position,
                        ..OpPlan::default()
                    },
                );
            }
        }
    }
    for (stage, plan) in stages.iter().zip(plans) {
        for &(position, node) in &plan.recompute {
            if let Some(entry) = entries.get_mut(&stage.sources[node].op()) {
                entry.recompute_before.push(position);
            }
        }
        let mut swaps: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for &(position, node) in &plan.swap_out {
            swaps.entry(node).or_default().0.push(position);
        }
        for &(position, node) in &plan.swap_in {
            swaps.entry(node).or_default().1.push(position);
        }
        for (node, (outs, mut ins)) in swaps {
            let (op, device) = (stage.sources[node].op(), stage.device);
            let [out_after] = outs[..] else {
                return Err(PlanError::Swap { op, device, outs: outs.len(), ins: ins.len() });
            };
            if ins.is_empty() {
                return Err(PlanError::Swap { op, device, outs: 1, ins: 0 });
            }
            ins.sort_unstable();
            if let Some(entry) = entries.get_mut(&op) {
                entry.swaps.push(SwapPlan { device, out_after, in_before: ins });
            }
        }
    }
    let mut list: Vec<OpPlan> = entries.into_values().collect();
    for entry in &mut list {
        entry.recompute_before.sort_unstable();
        entry.swaps.sort_by_key(|swap| swap.device);
    }
    Ok(list)
}

/// Turns op entries back into one compact plan per stage, in the order of `stages`.
///
/// # Errors
/// When an entry contradicts the stages: an op on another device, a position out of range or given twice.
pub fn compact_plans(stages: &[Stage], ops: &[OpPlan]) -> Result<Vec<CompactPlan>, PlanError> {
    let by_op: BTreeMap<OpId, &OpPlan> = ops.iter().map(|entry| (entry.op, entry)).collect();
    let mut plans = Vec::with_capacity(stages.len());
    for stage in stages {
        let length = stage.sources.len();
        let mut plan = CompactPlan::default();
        let mut order = vec![None; length];
        for (node, &source) in stage.sources.iter().enumerate() {
            let Some(entry) = by_op.get(&source.op()) else { continue };
            let error = |reason: String| PlanError::Entry { op: source.op(), device: stage.device, reason };
            let check = |position: usize| {
                if position <= length {
                    Ok(position)
                } else {
                    Err(error(format!(
                        "position {position} is beyond the {length} places of the op sequence"
                    )))
                }
            };
            if let NodeSource::Op(_) = source {
                let Some(place) = order.get_mut(entry.position) else {
                    return Err(error(format!(
                        "position {} is beyond the {length} places of the op sequence",
                        entry.position
                    )));
                };
                if place.is_some() {
                    return Err(error(format!("position {} is taken by another op", entry.position)));
                }
                *place = Some(node);
                for &position in &entry.recompute_before {
                    plan.recompute.push((check(position)?, node));
                }
            }
            for swap in entry.swaps.iter().filter(|swap| swap.device == stage.device) {
                plan.swap_out.push((check(swap.out_after)?, node));
                for &position in &swap.in_before {
                    plan.swap_in.push((check(position)?, node));
                }
            }
        }
        plan.order = complete_order(stage, order);
        for list in [&mut plan.recompute, &mut plan.swap_out, &mut plan.swap_in] {
            list.sort_unstable();
        }
        plans.push(plan);
    }
    Ok(plans)
}

/// Places receives, which carry no position of their own, into the free places: each just before its first
/// reader, in program order. None when the result is program order.
fn complete_order(stage: &Stage, mut order: Vec<Option<usize>>) -> Option<Vec<usize>> {
    let mut free = (0..order.len()).filter(|&place| order[place].is_none()).collect::<Vec<_>>().into_iter();
    let mut rank = vec![usize::MAX; order.len()];
    for (place, node) in order.iter().enumerate() {
        if let Some(node) = node {
            rank[*node] = place;
        }
    }
    let consumers = stage.problem.consumers();
    let mut receives: Vec<(usize, usize)> = Vec::new();
    for (node, source) in stage.sources.iter().enumerate() {
        if let NodeSource::Receive(_) = source {
            let first = consumers[node].iter().map(|&reader| rank[reader]).min();
            receives.push((first.unwrap_or(usize::MAX), node));
        }
    }
    receives.sort_unstable();
    for (_, node) in receives {
        if let Some(place) = free.next() {
            order[place] = Some(node);
        }
    }
    let order: Vec<usize> = order.into_iter().flatten().collect();
    (order.iter().enumerate().any(|(place, &node)| place != node)).then_some(order)
}

/// A number that changes when the program changes in a way that matters to a plan: op names, edges, types and
/// returned values. Stable across runs, machines and versions of the toolchain.
#[must_use]
pub fn fingerprint(graph: &Graph) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let mut word = |text: &str| {
        hash.update(text.as_bytes());
        hash.update(&[0]);
    };
    word(&graph.name);
    for op in &graph.ops {
        word(&op.name);
        for tensor in &op.inputs {
            word(&tensor.to_string());
        }
        word("->");
        for tensor in &op.outputs {
            word(&tensor.to_string());
        }
    }
    for tensor in &graph.tensors {
        word(&tensor.type_name);
        word(if tensor.returned { "returned" } else { "" });
    }
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Node, Problem};

    fn stage(sources: Vec<NodeSource>, inputs: &[&[usize]]) -> Stage {
        let nodes = inputs
            .iter()
            .enumerate()
            .map(|(id, inputs)| Node::new(format!("n{id}"), 1.0, 4, inputs.to_vec()))
            .collect();
        Stage {
            device: 0,
            problem: Problem { name: "test".into(), nodes, resident_bytes: 0 },
            sources,
            compute_seconds: 0.0,
            receive_seconds: 0.0,
            send_seconds: 0.0,
            arguments: Vec::new(),
        }
    }

    fn graph(ops: usize) -> Graph {
        let mut graph = Graph { name: "main".into(), ..Graph::default() };
        for id in 0..ops {
            graph.ops.push(crate::graph::Op {
                name: format!("op{id}"),
                key: String::new(),
                location: String::new(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                role: crate::graph::OpRole::Compute,
                layer: crate::graph::LayerType::Other,
                opens_layer: false,
                work: crate::graph::Work {
                    flops: 0,
                    macs_exact: 0,
                    arithmetic: crate::graph::Arithmetic::F32,
                    bytes: crate::units::Bytes(0),
                    priced: true,
                },
                pure_op: true,
                backward: None,
                workspace: crate::units::Bytes(0),
                rules: crate::graph::Rules::default(),
            });
        }
        graph
    }

    #[test]
    fn op_entries_give_back_the_stage_plan_they_came_from() {
        let stages = [stage(
            vec![NodeSource::Op(0), NodeSource::Receive(7), NodeSource::Op(2), NodeSource::Op(3)],
            &[&[], &[], &[0, 1], &[0, 2]],
        )];
        let plan = CompactPlan {
            order: None,
            recompute: vec![(3, 0)],
            swap_out: vec![(2, 2)],
            swap_in: vec![(3, 2)],
        };
        let entries = op_plans(&graph(8), &stages, std::slice::from_ref(&plan), |op| op.to_string()).unwrap();
        assert_eq!(entries.len(), 3, "a received value runs elsewhere");
        assert_eq!(entries[0].recompute_before, [3]);
        assert_eq!(compact_plans(&stages, &entries).unwrap(), [plan]);
    }

    #[test]
    fn a_reordered_stage_comes_back_with_receives_before_their_first_reader() {
        let stages = [stage(
            vec![NodeSource::Op(0), NodeSource::Receive(7), NodeSource::Op(2), NodeSource::Op(3)],
            &[&[], &[], &[1], &[0]],
        )];
        let plan = CompactPlan { order: Some(vec![1, 2, 0, 3]), ..CompactPlan::default() };
        let entries = op_plans(&graph(8), &stages, std::slice::from_ref(&plan), |op| op.to_string()).unwrap();
        assert_eq!(compact_plans(&stages, &entries).unwrap(), [plan]);
    }

    #[test]
    fn a_swap_in_without_a_swap_out_is_refused() {
        let stages = [stage(vec![NodeSource::Op(0), NodeSource::Op(1)], &[&[], &[0]])];
        let plan = CompactPlan { swap_in: vec![(1, 0)], ..CompactPlan::default() };
        let error = op_plans(&graph(2), &stages, &[plan], |op| op.to_string()).unwrap_err();
        assert_eq!(error, PlanError::Swap { op: 0, device: 0, outs: 0, ins: 1 });
    }

    #[test]
    fn two_ops_at_one_position_are_refused() {
        let stages = [stage(vec![NodeSource::Op(0), NodeSource::Op(1)], &[&[], &[0]])];
        let mut entries =
            op_plans(&graph(2), &stages, &[CompactPlan::default()], |op| op.to_string()).unwrap();
        entries[1].position = 0;
        assert!(matches!(compact_plans(&stages, &entries), Err(PlanError::Entry { op: 1, .. })));
    }

    #[test]
    fn the_fingerprint_sees_a_changed_op() {
        let (one, mut two) = (graph(3), graph(3));
        assert_eq!(fingerprint(&one), fingerprint(&two));
        two.ops[1].name = "other".into();
        assert_ne!(fingerprint(&one), fingerprint(&two));
    }
}
