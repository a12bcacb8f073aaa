//! Ops that one device runs together: those that use one memory which one of them writes, and those that hand on what cannot be sent.

use std::collections::BTreeMap;

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_dialects::diagnostics::{self, Reported};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use petgraph::unionfind::UnionFind;

use crate::import::Imported;
use crate::import::types::can_be_on_host;

/// An op whose results go to no other device, and those that read them.
struct HandedOn<'c> {
    /// The op, then its readers, ascending.
    ops: Vec<OpId>,
    /// The type that cannot be sent.
    kind: Type<'c>,
}

/// What was bound to one device.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// Were any of the ops elsewhere?
    pub(crate) were_torn: bool,
    /// The first op that would have sent what cannot be.
    pub(crate) sender: Option<Sender>,
}

/// An op that can send nothing to another device.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) op: OpId,
    /// The type that cannot be sent.
    pub(crate) type_name: String,
    /// How many ops it holds on its device, itself included.
    pub(crate) ops: usize,
}

/// What is said of a value that the host cannot hold: it is on the way to every other device.
pub(crate) fn no_copy(kind: Type<'_>) -> String {
    format!(
        "its value of type {kind} cannot be copied to the host: only numbers, vectors and tensors of static shape can: put the ops that make and read it \
         on one device by `ballast.device`"
    )
}

/// Refuses a placement on several devices of ops that have to be on one: of memory that one of them writes, be it a buffer or state behind a symbol, each
/// device would have one of its own, and nothing says what is written to which; and what the host cannot hold comes to no other device.
///
/// # Errors
/// At the first op that is elsewhere than one before it, or that makes such a value.
pub(crate) fn check(imported: &Imported<'_, '_>, device_of: &[DeviceId]) -> Result<(), Reported> {
    for shared in &imported.shared {
        let Some(&first) = shared.ops.first() else { continue };
        if let Some(op) = elsewhere(&shared.ops, device_of) {
            let (here, there) = (device_of[op].0, device_of[first].0);
            let (name, what) = (&imported.graph.ops[first].name, shared.name());
            let text = format!(
                "placed on device {here}, and '{name}' on device {there}, though both use {what}: each device would have one of its own. Put them on \
                 one device (`ballast.device`), or cut the program before it is bufferized"
            );
            return Err(diagnostics::error(imported.ops[op].location(), &text));
        }
    }
    match handed_on(imported).iter().find(|handed| elsewhere(&handed.ops, device_of).is_some()) {
        Some(handed) => {
            Err(diagnostics::error(imported.ops[handed.ops[0]].location(), &no_copy(handed.kind)))
        }
        None => Ok(()),
    }
}

/// Has the program any ops that one device has to run together?
pub(crate) fn are_any(imported: &Imported<'_, '_>) -> bool {
    imported.shared.iter().any(|shared| shared.ops.len() > 1) || !handed_on(imported).is_empty()
}

/// Binds ops that have to be on one device to the one a rule names for one of them, else to that where all of them are, else to that on which the slowest
/// device is fastest; of equal ones to that where most of them are.
pub(crate) fn bind(imported: &mut Imported<'_, '_>, costs: &Costs, device_of: &[DeviceId]) -> Together {
    let handed_on = handed_on(imported);
    let groups = imported.shared.iter().map(|shared| &shared.ops);
    // An op of two groups binds both to one device.
    let mut same = UnionFind::new(imported.graph.ops.len());
    for group in groups.chain(handed_on.iter().map(|handed| &handed.ops)) {
        for pair in group.windows(2) {
            same.union(pair[0].0, pair[1].0);
        }
    }
    let mut joined: BTreeMap<usize, Vec<OpId>> = BTreeMap::new();
    let mut loads = vec![0.0; costs.seconds.len()];
    for op in imported.graph.planned() {
        joined.entry(same.find(op.0)).or_default().push(op);
        loads[device_of[op]] += costs.of(device_of[op], op);
    }
    let torn = handed_on.iter().find(|handed| elsewhere(&handed.ops, device_of).is_some());
    let sender = torn.map(|handed| Sender {
        op: handed.ops[0],
        type_name: handed.kind.to_string(),
        ops: joined.get(&same.find(handed.ops[0].0)).map_or(0, Vec::len),
    });
    let mut were_torn = false;
    for ops in joined.into_values().filter(|ops| ops.len() > 1) {
        let all = &mut imported.graph.ops;
        for &op in &ops {
            loads[device_of[op]] -= costs.of(device_of[op], op);
        }
        let ruled = ops.iter().find_map(|&op| all[op].rules.device);
        // Where all are on one device, that is theirs.
        let there = elsewhere(&ops, device_of).is_none().then(|| device_of[ops[0]]);
        let Some(device) = ruled.or(there).or_else(|| best(&ops, costs, device_of, &loads)) else { continue };
        for op in ops {
            all[op].rules.device.get_or_insert(device);
            were_torn |= device_of[op] != device;
            loads[device] += costs.of(device, op);
        }
    }
    Together { were_torn, sender }
}

/// The device for some ops beside the loads of what else there is.
fn best(ops: &[OpId], costs: &Costs, device_of: &[DeviceId], loads: &[f64]) -> Option<DeviceId> {
    // Loads are sums that others were taken from: equal ones differ by rounding.
    const ROUNDING: f64 = 1e-9;
    let slowest = |device: DeviceId| {
        let own: f64 = ops.iter().map(|&op| costs.of(device, op)).sum();
        let others = DeviceId::of(loads).filter(|&(other, _)| other != device);
        others.map(|(_, &load)| load).fold(loads[device] + own, f64::max)
    };
    let all = DeviceId::first(loads.len()).map(|device| (slowest(device), device));
    let least = all.clone().map(|(seconds, _)| seconds).fold(f64::INFINITY, f64::min);
    let equal = all.filter(|(seconds, _)| *seconds <= least * (1.0 + ROUNDING)).map(|(_, device)| device);
    equal.min_by_key(|&device| ops.iter().filter(|&&op| device_of[op] != device).count())
}

/// The first of some ops that is not where the first of them is.
fn elsewhere(ops: &[OpId], device_of: &[DeviceId]) -> Option<OpId> {
    ops.iter().copied().find(|&op| device_of[op] != device_of[ops[0]])
}

/// The planned ops that others read whose results the host cannot hold, and their readers. All results of an op are sent together.
fn handed_on<'c>(imported: &Imported<'c, '_>) -> Vec<HandedOn<'c>> {
    let graph = &imported.graph;
    let mut is_read: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.returned).collect();
    for &tensor in imported.reads.iter().flatten() {
        is_read[tensor] = true;
    }
    let mut found: BTreeMap<OpId, HandedOn<'c>> = BTreeMap::new();
    for op in graph.planned() {
        let results = graph.ops[op].outputs.iter().filter(|&&tensor| is_read[tensor]);
        let mut kinds = results.map(|&tensor| imported.value(tensor).r#type());
        if let Some(kind) = kinds.find(|&kind| !can_be_on_host(kind)) {
            found.insert(op, HandedOn { ops: vec![op], kind });
        }
    }
    for op in graph.planned() {
        for maker in graph.value_inputs(op) {
            if let Some(handed) = found.get_mut(&maker) {
                handed.ops.push(op);
            }
        }
    }
    found.into_values().filter(|handed| handed.ops.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_device_says_where_ops_go_and_their_number_only_among_equals() {
        let ops = OpId::first(3).collect::<Vec<_>>();
        let there = [0, 1, 1].map(DeviceId);
        let best = |costs: &[[f64; 3]], loads: &[f64]| {
            let costs = Costs { seconds: costs.iter().map(|row| row.to_vec()).collect() };
            best(&ops, &costs, &there, loads)
        };
        // Together 3 s on both: where two of three are.
        assert_eq!(best(&[[1.0; 3]; 2], &[0.0, 0.0]), Some(DeviceId(1)));
        assert_eq!(best(&[[1.0; 3]; 2], &[1e-15, 1e-16]), Some(DeviceId(1)));
        // 5 + 3 s on the second one, 3 on the first.
        assert_eq!(best(&[[1.0; 3]; 2], &[0.0, 5.0]), Some(DeviceId(0)));
        // 9 + 1.5 s on the first one, 22 on the second: the first of them is slow there.
        assert_eq!(best(&[[0.5; 3], [20.0, 1.0, 1.0]], &[9.0, 0.0]), Some(DeviceId(0)));
    }
}
