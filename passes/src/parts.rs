//! Fusions and stacks that are planned in parts: which ops store their values besides those a fusing back end would store by itself.

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::fusion::{
    Group, Needs, computed_inside, joins, lookups, parts, parts_within, sums_in_parts,
};
use ballast_core::graph::{Graph, OpId};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use melior::ir::operation::OperationRef;

use crate::backend::storage::Storage;
use crate::backend::xla::equal;
use crate::import::{self, ImportOptions};

/// Of a device's fair share of the work: what a fusion or a loop that runs on one device may take.
pub(crate) const LONG: f64 = 0.25;

/// The part of a cap, one in so many, that the values of one part of a sum may take where several devices share it.
const SUMS_SHARE: u64 = 4;

/// Most levels of values, each made of the one before, that are computed inside the fusions that read them.
const MOST_LEVELS: usize = 4;

/// Ops that are to store their values so that several devices can share the work, each under the cap if one is given.
pub(crate) fn for_devices(
    unfused: &Graph,
    fused: &Graph,
    groups: &[Group],
    costs: &Costs,
    cap: Option<Bytes>,
) -> Vec<OpId> {
    let mut held = too_long(unfused, fused, groups, costs);
    let joined = joins(unfused, fused, groups);
    let of_sum = cap.map_or(Bytes(u64::MAX), |cap| Bytes(cap.0 / SUMS_SHARE));
    held.extend(sums_in_parts(unfused, fused, groups, &joined, (2 * costs.seconds.len(), of_sum)));
    held.extend(stacks_in_parts(unfused));
    held.extend(joined);
    held.extend(lookups_in_parts(unfused, groups, costs.seconds.len()));
    held
}

/// Lookups that are stored so that no device has to hold more than part of its fair share of the arguments for one fusion.
fn lookups_in_parts(unfused: &Graph, groups: &[Group], devices: usize) -> Vec<OpId> {
    let arguments = unfused.tensors.iter().filter(|tensor| tensor.producer.is_none());
    let all: u64 = arguments.map(|tensor| tensor.bytes.0).sum();
    lookups(unfused, groups, Bytes((LONG * all as f64 / devices as f64) as u64))
}

/// Storage with which no fusion needs about all of the cap for itself, where that can be had: what more than half of it goes into is computed inside where
/// that takes less, and what needs seven eighths then stores a value on the way. `graph` has `groups` by `storage`.
pub(crate) fn within(
    module: OperationRef<'_, '_>,
    options: &ImportOptions,
    (graph, groups): (&Graph, &[Group]),
    storage: Storage,
    cap: Bytes,
) -> Result<Storage, Reported> {
    let most = eighths(cap, ROOM_FOR_ONE);
    let inside = computed_inside(graph, groups, Bytes(cap.0 / 2));
    if inside.is_empty() && !Needs::of(graph).exceed(groups, most) {
        return Ok(storage);
    }
    let mut storage = storage.computing_inside(inside);
    // What is made of values that are computed inside may be computed inside, too.
    let mut level = 1;
    let (fused, groups) = loop {
        let mut fused = import::read(module, options)?;
        let groups = storage.apply(&mut fused);
        let more = storage.computing_inside(computed_inside(&fused.graph, &groups, Bytes(cap.0 / 2)));
        if more == storage || level == MOST_LEVELS {
            break (fused, groups);
        }
        (storage, level) = (more, level + 1);
    };
    let mut unfused = import::read(module, options)?;
    equal::merge(&mut unfused);
    let held = if Needs::of(&fused.graph).exceed(&groups, most) {
        parts_within(&unfused.graph, &fused.graph, &groups, |_| most)
    } else {
        vec![]
    };
    Ok(storage.holding(held))
}

/// Of a cap in eighths, what one fusion may take: what is not part of it takes some room too.
pub(crate) const ROOM_FOR_ONE: u64 = 7;

/// So many eighths of a cap.
fn eighths(cap: Bytes, eighths: u64) -> Bytes {
    Bytes((u128::from(cap.0) * u128::from(eighths)).div_ceil(8) as u64)
}

/// Ops that are to store their values so that fusions which are above so many eighths of what the caps leave for one fall into parts that are not, where the
/// whole was placed, if that can be had. `caps` has the cap of every device and what stays there throughout.
pub(crate) fn for_caps(
    module: OperationRef<'_, '_>,
    options: &ImportOptions,
    (graph, groups): (&Graph, &[Group]),
    device_of: &[DeviceId],
    (caps, for_one): (&[(Bytes, Bytes)], u64),
) -> Result<Vec<OpId>, Reported> {
    let largest = largest_room(caps);
    let needs = Needs::of(graph);
    let too_large = |group: &Group| needs.read_and_made(group) > eighths(largest, for_one);
    // Where what stays leaves nothing, parts would keep no cap either.
    if largest == Bytes::ZERO || !groups.iter().any(too_large) {
        return Ok(Vec::new());
    }
    let room = |group: &Group| {
        let (cap, resident) = caps[device_of[group.root].0];
        match cap.0.saturating_sub(resident.0) {
            // What stays there leaves nothing: that has to move, or the group.
            0 => largest,
            room => Bytes(room).min(largest),
        }
    };
    let mut unfused = import::read(module, options)?;
    equal::merge(&mut unfused);
    let most = |group: &Group| if too_large(group) { eighths(room(group), for_one) } else { Bytes(u64::MAX) };
    Ok(parts_within(&unfused.graph, graph, groups, most))
}

/// Most bytes that one device may have for a fusion, wherever what stays on devices throughout is put: its cap, and no more than all caps leave beside that.
/// `caps` has both of every device.
fn largest_room(caps: &[(Bytes, Bytes)]) -> Bytes {
    let cap = caps.iter().map(|&(cap, _)| cap).max().unwrap_or_default();
    let all: u64 = caps.iter().map(|&(cap, _)| cap.0).sum();
    let resident: u64 = caps.iter().map(|&(_, resident)| resident.0).sum();
    cap.min(Bytes(all.saturating_sub(resident)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fusion_has_what_all_caps_leave_beside_what_stays_at_most() {
        let caps = |list: &[(u64, u64)]| -> Vec<(Bytes, Bytes)> {
            list.iter().map(|&(cap, resident)| (Bytes(cap), Bytes(resident))).collect()
        };
        // The second device holds more than its cap: some of that has to go to the first.
        assert_eq!(largest_room(&caps(&[(88, 29), (88, 103)])), Bytes(44));
        // More than a whole cap nobody has.
        assert_eq!(largest_room(&caps(&[(50, 0), (40, 10), (60, 0)])), Bytes(60));
        assert_eq!(largest_room(&caps(&[(10, 20), (20, 20)])), Bytes::ZERO);
        assert_eq!(largest_room(&[]), Bytes::ZERO);
    }
}
