//! Fusions and stacks that are planned in parts: which ops store their values besides those a fusing back end would store by itself.

use ballast_core::cost::Costs;
use ballast_core::fusion::{Group, exceed, parts, parts_within, sums_in_parts};
use ballast_core::graph::{Graph, OpId};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use melior::ir::operation::OperationRef;

use crate::backend::xla::equal;
use crate::import::{self, ImportOptions};

/// Of a device's fair share of the work: what a fusion or a loop that runs on one device may take.
pub(crate) const LONG: f64 = 0.25;

/// Ops that are to store their values so that several devices can share the work.
pub(crate) fn for_devices(unfused: &Graph, fused: &Graph, groups: &[Group], costs: &Costs) -> Vec<OpId> {
    let mut held = too_long(unfused, fused, groups, costs);
    held.extend(sums_in_parts(unfused, fused, groups, 2 * costs.seconds.len()));
    held.extend(stacks_in_parts(unfused));
    held
}

/// Ops that are to store their values so that no fusion needs about all of the cap for itself.
pub(crate) fn too_large(
    module: OperationRef<'_, '_>,
    options: &ImportOptions,
    fused: &Graph,
    groups: &[Group],
    cap: Bytes,
) -> Result<Vec<OpId>, Reported> {
    // What is not part of the fusion takes some room too.
    let most = Bytes(cap.0 - cap.0 / 8);
    if !exceed(fused, groups, most) {
        return Ok(Vec::new());
    }
    let mut unfused = import::read(module, options)?;
    equal::merge(&mut unfused);
    Ok(parts_within(&unfused.graph, fused, groups, most))
}

/// Parts of stacks that loops made, [`Iterations::Apart`](crate::lower::unroll::Iterations::Apart): stored, so that no device reads every slice.
fn stacks_in_parts(unfused: &Graph) -> Vec<OpId> {
    let joins = |id: OpId| unfused.ops[id].name == "stablehlo.concatenate";
    let mut of_joins = vec![false; unfused.ops.len()];
    let mut of_others = vec![false; unfused.ops.len()];
    for id in unfused.planned() {
        let read = if joins(id) { &mut of_joins } else { &mut of_others };
        unfused.value_inputs(id).into_iter().for_each(|input| read[input] = true);
    }
    unfused.planned().filter(|&id| joins(id) && of_joins[id] && !of_others[id]).collect()
}

/// Ops that are to store their values so that no fusion takes much of what one device has to do, where that costs little:
/// a fusion runs on one device.
fn too_long(unfused: &Graph, fused: &Graph, groups: &[Group], costs: &Costs) -> Vec<OpId> {
    /// Of a device's fair share of the work: what its parts should take.
    const PART: f64 = 1.0 / 32.0;
    let least = |op| costs.least_seconds(op);
    let share = fused.planned().map(least).sum::<f64>() / costs.seconds.len() as f64;
    let long = groups.iter().filter(|group| least(group.root) > LONG * share);
    let mut held: Vec<OpId> = long
        .flat_map(|group| {
            let bytes = fused.ops[group.root].work.bytes.0 as f64;
            parts(unfused, group, (bytes * PART * share / least(group.root)) as u64)
        })
        .collect();
    held.sort_unstable();
    held.dedup();
    held
}
