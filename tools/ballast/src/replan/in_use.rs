//! How a plan in use was made, as far as its file tells, and what a new one starts from.

use std::collections::BTreeMap;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::memory::CompactPlan;
use ballast_core::plan::{Plan, compact_plans};
use ballast_core::planned_stages::stages_of;
use ballast_core::predictor::Counting;
use ballast_core::profile::Profile;
use ballast_core::stage::Stage;
use ballast_remat::Order;

/// Share by which a time of the plan may differ from one reckoned here: it went through a file.
const AGREE: f64 = 1e-9;

/// What a new plan takes over.
pub(super) struct InUse {
    /// Alignment of its arenas, bytes; none where it has none.
    pub(super) alignment: Option<u64>,
    /// Do its copies run beside computation?
    pub(super) overlap: bool,
    /// Does a device run its ops in another order than the program's?
    pub(super) order: Order,
    /// Its stages with their plans, by the number their device has now; none of devices that are gone.
    pub(super) starts: BTreeMap<DeviceId, (Stage, CompactPlan)>,
}

impl InUse {
    /// Reads it.
    ///
    /// # Errors
    /// A plan for a pipeline, whose cuts and caps are those of all its micro-batches, or arenas that are not alike.
    pub(super) fn of(old: &Plan, cluster: &Cluster) -> Result<Self, String> {
        let alignment = alignment(old)?;
        let mut links = old.stages.iter().filter_map(|stage| stage.memory.as_ref()?.swap);
        let overlap = links.any(|link| link.overlap);
        // Files of old do not hold their stages: then nothing is known of them.
        let known = stages_of(old).ok().and_then(|stages| {
            let plans = compact_plans(&stages, &old.ops).ok()?;
            Some(stages.into_iter().zip(plans).collect::<Vec<_>>())
        });
        let known = known.unwrap_or_default();
        let is_reordered = known.iter().any(|(_, plan)| plan.order.is_some());
        let order = if is_reordered { Order::Free } else { Order::Program };
        let place = |(stage, plan): (Stage, CompactPlan)| {
            let device = same_device(old, stage.device, cluster)?;
            Some((device, (Stage { device, ..stage }, plan)))
        };
        Ok(InUse { alignment, overlap, order, starts: known.into_iter().filter_map(place).collect() })
    }
}

/// The device of the same name on the new cluster.
fn same_device(old: &Plan, device: DeviceId, cluster: &Cluster) -> Option<DeviceId> {
    let name = &old.devices.get(device.0)?.name;
    cluster.devices.iter().position(|device| device.name == *name).map(DeviceId)
}

fn alignment(old: &Plan) -> Result<Option<u64>, String> {
    if let Some(pipeline) = &old.pipeline {
        return Err(format!(
            "the plan is for a pipeline ({}, {} micro-batches), which is cut anew where devices change: plan again with \
             `--ballast-plan` and its schedule",
            pipeline.schedule, pipeline.micro_batches
        ));
    }
    let mut alignments =
        old.stages.iter().filter_map(|stage| stage.arena.as_ref()).map(|arena| arena.alignment_bytes);
    let first = alignments.next();
    if let Some(other) = alignments.find(|&other| Some(other) != first) {
        let first = first.unwrap_or_default();
        return Err(format!(
            "the arenas of the plan have alignments of {first} and {other} bytes: plan again"
        ));
    }
    Ok(first)
}

/// Costs of a program on the devices there are now.
pub(super) struct Priced {
    pub(super) costs: Costs,
    /// Ops whose time in the plan is another one than here, of so many on devices that are still there.
    pub(super) differing: usize,
    pub(super) compared: usize,
}

/// Prices the program in the counting given, or else in the one that more times of the plan in use agree with.
pub(super) fn priced(
    old: &Plan,
    (graph, cluster): (&Graph, &Cluster),
    profile: Option<&Profile>,
    counting: Option<Counting>,
) -> Priced {
    let with = |counting: Counting| {
        let costs = Costs::estimate_with(graph, cluster, profile, counting).costs;
        let (mut differing, mut compared) = (0, 0);
        for stage in &old.stages {
            let device = same_device(old, stage.score.device, cluster);
            let (Some(device), Some(memory)) = (device, &stage.memory) else { continue };
            for node in memory.nodes.iter().filter(|node| !node.receive && node.op.0 < graph.ops.len()) {
                let seconds = costs.of(device, node.op);
                compared += 1;
                differing += usize::from((seconds - node.seconds).abs() > AGREE * seconds);
            }
        }
        Priced { costs, differing, compared }
    };
    let first = with(counting.unwrap_or_default());
    if counting.is_some() || first.differing == 0 {
        return first;
    }
    let exact = with(Counting::Exact);
    if exact.differing < first.differing { exact } else { first }
}
