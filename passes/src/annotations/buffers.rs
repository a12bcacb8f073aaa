//! Buffers: what several devices would each have one of.

use ballast_core::device::DeviceId;
use ballast_core::graph::{OpId, OpRole, TensorId};
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::types::{self, Container, Kind};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use petgraph::unionfind::UnionFind;

use crate::import::Imported;

/// Refuses a placement of ops on several devices that use one buffer, or views of it, which one of them may write to: each device would have one of its own,
/// and nothing says what is written to which.
///
/// # Errors
/// At the first op that is elsewhere than one before it.
pub(super) fn check(imported: &Imported<'_, '_>, device_of: &[DeviceId]) -> Result<(), Reported> {
    let graph = &imported.graph;
    // Buffers, and what shows a part of one.
    let mut shared: Vec<bool> = TensorId::first(graph.tensors.len())
        .map(|tensor| match types::kind(imported.value(tensor).r#type()) {
            Kind::Shaped(shape) => shape.container == Container::MemRef,
            _ => false,
        })
        .collect();
    for (op, reads) in OpId::of(&imported.reads) {
        if graph.ops[op].role == OpRole::View && reads.iter().any(|&tensor| shared[tensor]) {
            graph.ops[op].outputs.iter().for_each(|&tensor| shared[tensor] = true);
        }
    }
    let touched = |op: OpId| {
        let values = imported.reads[op].iter().chain(&graph.ops[op].outputs).copied();
        values.filter(|&tensor| shared[tensor]).collect::<Vec<TensorId>>()
    };
    let users: Vec<(OpId, Vec<TensorId>)> = OpId::first(graph.ops.len())
        .map(|op| (op, touched(op)))
        .filter(|(_, touched)| !touched.is_empty())
        .collect();
    let mut same = UnionFind::<usize>::new(graph.tensors.len());
    for (_, touched) in &users {
        for pair in touched.windows(2) {
            same.union(pair[0].0, pair[1].0);
        }
    }
    let planned = || users.iter().filter(|(op, _)| graph.ops[*op].role == OpRole::Compute);
    let mut written = vec![false; graph.tensors.len()];
    for (_, touched) in planned().filter(|(op, _)| !graph.ops[*op].pure_op) {
        written[same.find(touched[0].0)] = true;
    }
    let mut home: Vec<Option<OpId>> = vec![None; graph.tensors.len()];
    for (op, touched) in planned().filter(|(_, touched)| written[same.find(touched[0].0)]) {
        let first = *home[same.find(touched[0].0)].get_or_insert(*op);
        let (here, there) = (device_of[*op], device_of[first]);
        if here != there {
            let (here, there, name) = (here.0, there.0, &graph.ops[first].name);
            let text = format!(
                "placed on device {here}, and '{name}' on device {there}, though both use one buffer: each device would have one of its own. Put them on \
                 one device (`ballast.device`), or cut the program before it is bufferized"
            );
            return Err(diagnostics::error(imported.ops[*op].location(), &text));
        }
    }
    Ok(())
}
