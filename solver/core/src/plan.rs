//! The plan: what is written into the IR and, as JSON, into the plan file.
//!
//! The JSON form is versioned ([`PLAN_VERSION`]); its schema is generated from these types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::graph::{Graph, OpId};
use crate::limits::StopReason;
use crate::memory::{CompactPlan, NodeId};
pub use crate::pipeline::{PipelinePlan, PipelineStage};
pub use crate::placement::Placement;
use crate::report::{BoundClass, Prover, Report};
use crate::simulate::{Balance, StageScore};
use crate::stage::{NodeSource, Stage};
use crate::stage_memory::StageMemory;

/// Version of the plan format; raised whenever a reader of the old one would misread the new one.
pub const PLAN_VERSION: u32 = 2;

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
    /// One step by itself, seconds: no other step runs beside it, and devices wait for each other's values. tmax is the time
    /// between two steps where enough of them are under way at once.
    pub step_seconds: f64,
    /// What the placement is like.
    pub placement: Placement,
    /// Proven lower bound on tmax, seconds, over the plans of `bound_class`.
    pub bound_seconds: f64,
    /// Which class of plans the bound holds for.
    pub bound_class: BoundClass,
    /// Does the bound rest on what HiGHS says of its branch and bound, tolerances and all?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bound_trusts_highs: bool,
    /// `(tmax - bound) / tmax`.
    pub gap: f64,
    /// Which limit stopped the search, of the partition's and the stages' searches the least conclusive.
    pub stop_reason: StopReason,
    /// How the partition was found.
    pub partition: SearchRecord,
    /// Rounds of partitioning and memory planning.
    pub rounds: usize,
    /// Does every stage keep the cap asked for? If not, its `cap_bytes` is above its `requested_cap_bytes`.
    pub cap_met: bool,
    /// One entry per device, idle ones included.
    pub stages: Vec<StagePlan>,
    /// Every planned op, in program order. Views and constants travel with their readers and are left out.
    pub ops: Vec<OpPlan>,
    /// The step of a pipeline of micro-batches, where the plan is for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<PipelinePlan>,
    /// Bytes of all values that cross devices; each is staged on the host from its sending to its last receive.
    pub staged_bytes: u64,
    /// Everything a user should know: relaxed caps, limits reached, methods not available.
    pub notes: Vec<String>,
}

/// What a search said about itself, wall-clock time left out: the same search gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRecord {
    /// Objective of what was found, seconds.
    pub value: f64,
    /// Proven lower bound on it over the plans of `bound_class`, seconds.
    pub bound: f64,
    /// `(value - bound) / value`.
    pub gap: f64,
    /// Is the value proved optimal?
    pub proved: bool,
    /// Which class of plans the bound holds for.
    pub bound_class: BoundClass,
    /// Does the bound rest on what HiGHS says of its branch and bound, tolerances and all?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bound_trusts_highs: bool,
    /// Who proved the bound, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_method: Option<Prover>,
    /// Search steps that proofs took, whichever of them gave the bound, on the scale of `work`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_work: Option<u64>,
    /// The method that found the plan.
    pub method: String,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Deterministic search steps taken.
    pub work: u64,
    /// The seed used.
    pub seed: u64,
}

impl From<Report> for SearchRecord {
    fn from(report: Report) -> Self {
        let (bound, gap, proved) = (report.bound(), report.gap(), report.proved());
        let Report { value, method, stop_reason, work, seed, .. } = report;
        SearchRecord {
            value,
            bound: bound.value(),
            gap,
            proved,
            bound_class: bound.class(),
            bound_trusts_highs: bound.trusts_highs(),
            bound_method: bound.prover(),
            bound_work: bound.work(),
            method,
            stop_reason,
            work,
            seed,
        }
    }
}

impl Plan {
    /// Name of a device; empty for one that the plan does not have.
    #[must_use]
    pub fn device_name(&self, device: DeviceId) -> &str {
        self.devices.get(device.0).map_or("", |device| &device.name)
    }

    /// Whether the links that copies of its stages run on can be reckoned with.
    ///
    /// # Errors
    /// The first field that makes no sense, by its place in the file.
    pub fn check_links(&self) -> Result<(), String> {
        for (index, stage) in self.stages.iter().enumerate() {
            if let Some(swap) = stage.memory.as_ref().and_then(|memory| memory.swap) {
                swap.check().map_err(|error| format!("stages[{index}].memory.swap.{error}"))?;
            }
        }
        Ok(())
    }
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
    /// Cores that run its stage: more than 1 only for a group of cores of a chip.
    #[serde(default = "one_core", skip_serializing_if = "is_one_core")]
    pub cores: usize,
}

fn one_core() -> usize {
    1
}

fn is_one_core(cores: &usize) -> bool {
    *cores == 1
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
    pub report: SearchRecord,
    /// Addresses of its buffers, where the plan is for an arena.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena: Option<ArenaPlan>,
    /// What the memory plan was made for, so that the plan can be replayed, shown and explained without the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<StageMemory>,
}

/// One block of device memory and what lies where in it. Values resident from start to end lie outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArenaPlan {
    /// Every offset is a multiple of it, bytes.
    pub alignment_bytes: u64,
    /// Bytes of the block.
    pub arena_bytes: u64,
    /// Most bytes live at once, each buffer rounded up to the alignment: no block is smaller.
    pub live_bytes: u64,
    /// Every stay of a value on the device, in order of its first step.
    pub buffers: Vec<ArenaBuffer>,
}

/// A buffer of an arena. Steps count the runs, frees and copies of the device's schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArenaBuffer {
    /// The op, or node, whose value it is.
    pub op: OpId,
    /// Is it memory the op takes while it runs, rather than its value?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub workspace: bool,
    /// First step that needs it.
    pub from: usize,
    /// First step that may use its memory for something else.
    pub to: usize,
    /// Bytes, before alignment.
    pub bytes: u64,
    /// First byte in the block.
    pub offset: u64,
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
    /// Its value goes to the host and comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap: Option<SwapPlan>,
    /// Where other devices receive its value, by device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receives: Vec<ReceivePlan>,
}

/// The swaps of one value on its own device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwapPlan {
    /// Copied to the host after this position.
    pub out_after: usize,
    /// Copied back before these positions.
    pub in_before: Vec<usize>,
}

/// A device that reads a value made elsewhere. Positions index that device's op sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivePlan {
    /// The receiving device.
    pub device: DeviceId,
    /// Place of the first receive in that device's op sequence.
    pub position: usize,
    /// Received again, from the copy staged on the host, before these positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again_before: Vec<usize>,
}

/// A plan for a stage that a plan for a program cannot express, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("op {op} on device {device}: {reason}")]
pub struct PlanError {
    /// The op.
    pub op: OpId,
    /// The device.
    pub device: DeviceId,
    /// What is wrong.
    pub reason: String,
}

/// Turns judged stage plans into one entry per planned op, in program order.
///
/// # Errors
/// When a stage plan has further rounds of recomputes or copies, swaps a value out twice, or swaps it in without having it out, or swaps a received value.
pub fn op_plans(graph: &Graph, stages: &[Stage], plans: &[CompactPlan]) -> Result<Vec<OpPlan>, PlanError> {
    let mut entries: BTreeMap<OpId, OpPlan> = BTreeMap::new();
    let mut receives: Vec<(OpId, ReceivePlan)> = Vec::new();
    for (stage, plan) in stages.iter().zip(plans) {
        let copies = plan.copies.iter().flat_map(|round| round.swap_out.iter().chain(&round.swap_in));
        if let Some(&(_, node)) = plan.rounds.iter().flatten().chain(copies).next() {
            let reason = "steps in several rounds at one position have no form in the IR".into();
            let op = stage.sources.get(node.0).map_or(OpId(0), |source| source.op());
            return Err(PlanError { op, device: stage.device, reason });
        }
        let StageEntries { position, again, mut swaps } = StageEntries::new(stage, plan);
        for (node, &source) in NodeId::of(&stage.sources) {
            let (device, op, position) = (stage.device, source.op(), position[node]);
            let again = again[node].clone();
            match source {
                NodeSource::Op(_) => {
                    let program = &graph.ops[op];
                    let swap =
                        swap_plan(swaps.remove(&node)).map_err(|reason| PlanError { op, device, reason })?;
                    entries.insert(
                        op,
                        OpPlan {
                            op,
                            name: program.name.clone(),
                            location: program.location.clone(),
                            device,
                            position,
                            recompute_before: again,
                            swap,
                            receives: Vec::new(),
                        },
                    );
                }
                NodeSource::Receive(_) if swaps.contains_key(&node) => {
                    let reason = "a received value is staged on the host already and is not swapped".into();
                    return Err(PlanError { op, device, reason });
                }
                NodeSource::Receive(_) => {
                    receives.push((op, ReceivePlan { device, position, again_before: again }));
                }
            }
        }
    }
    for (op, receive) in receives {
        if let Some(entry) = entries.get_mut(&op) {
            entry.receives.push(receive);
        }
    }
    Ok(entries.into_values().collect())
}

/// A stage plan sorted by node.
struct StageEntries {
    position: Vec<usize>,
    again: Vec<Vec<usize>>,
    /// Positions of the swap-outs and swap-ins of each swapped node.
    swaps: BTreeMap<NodeId, (Vec<usize>, Vec<usize>)>,
}

impl StageEntries {
    fn new(stage: &Stage, plan: &CompactPlan) -> Self {
        let length = stage.sources.len();
        let mut position: Vec<usize> = (0..length).collect();
        for (place, &node) in plan.order.iter().flatten().enumerate() {
            position[node] = place;
        }
        let mut again = vec![Vec::new(); length];
        for &(position, node) in &plan.recompute {
            again[node].push(position);
        }
        again.iter_mut().for_each(|positions| positions.sort_unstable());
        let mut swaps: BTreeMap<NodeId, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for &(position, node) in &plan.swap_out {
            swaps.entry(node).or_default().0.push(position);
        }
        for &(position, node) in &plan.swap_in {
            swaps.entry(node).or_default().1.push(position);
        }
        StageEntries { position, again, swaps }
    }
}

fn swap_plan(swaps: Option<(Vec<usize>, Vec<usize>)>) -> Result<Option<SwapPlan>, String> {
    let Some((outs, mut in_before)) = swaps else { return Ok(None) };
    let (&[out_after], false) = (&outs[..], in_before.is_empty()) else {
        return Err(format!(
            "swapped out {} times and in {} times: a swapped value goes out once and comes back at least once",
            outs.len(),
            in_before.len()
        ));
    };
    in_before.sort_unstable();
    Ok(Some(SwapPlan { out_after, in_before }))
}

/// Turns op entries back into one compact plan per stage, in the order of `stages`.
///
/// # Errors
/// When an entry contradicts the stages: a missing op or receive, a position out of range or given twice.
pub fn compact_plans(stages: &[Stage], ops: &[OpPlan]) -> Result<Vec<CompactPlan>, PlanError> {
    let by_op: BTreeMap<OpId, &OpPlan> = ops.iter().map(|entry| (entry.op, entry)).collect();
    stages.iter().map(|stage| compact_plan(stage, &by_op)).collect()
}

fn compact_plan(stage: &Stage, by_op: &BTreeMap<OpId, &OpPlan>) -> Result<CompactPlan, PlanError> {
    let length = stage.sources.len();
    let mut plan = CompactPlan::default();
    let mut order = vec![None; length];
    for (node, &source) in NodeId::of(&stage.sources) {
        let (op, device) = (source.op(), stage.device);
        let error = |reason: String| PlanError { op, device, reason };
        let entry = by_op.get(&op).ok_or_else(|| error("the plan does not mention it".into()))?;
        let (position, again, swap) = match source {
            NodeSource::Op(_) => (entry.position, &entry.recompute_before, entry.swap.as_ref()),
            NodeSource::Receive(_) => {
                let receive = entry
                    .receives
                    .iter()
                    .find(|receive| receive.device == device)
                    .ok_or_else(|| error("read here, but the plan does not receive it".into()))?;
                (receive.position, &receive.again_before, None)
            }
        };
        let place = order.get_mut(position).ok_or_else(|| {
            error(format!("position {position} is beyond the {length} places of the op sequence"))
        })?;
        if place.replace(node).is_some() {
            return Err(error(format!("position {position} is taken by another op")));
        }
        plan.recompute.extend(again.iter().map(|&position| (position, node)));
        if let Some(swap) = swap {
            plan.swap_out.push((swap.out_after, node));
            plan.swap_in.extend(swap.in_before.iter().map(|&position| (position, node)));
        }
    }
    let order: Vec<NodeId> = order.into_iter().flatten().collect();
    plan.order = (!order.iter().copied().eq(NodeId::first(order.len()))).then_some(order);
    for list in [&mut plan.recompute, &mut plan.swap_out, &mut plan.swap_in] {
        list.sort_unstable();
    }
    Ok(plan)
}

/// A number that changes when the program changes in a way that matters to a plan: op names, edges, types, returned values, and
/// what [`Graph::content`] stands for. Stable across runs, machines and versions of the toolchain.
#[must_use]
pub fn fingerprint(graph: &Graph) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let mut word = |text: &str| {
        hash.update(text.as_bytes());
        hash.update(&[0]);
    };
    word(&graph.name);
    word(&graph.content);
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
mod tests;
