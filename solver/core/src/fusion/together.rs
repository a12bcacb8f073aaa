//! What a fusion reads, moves and computes.

use crate::graph::{Graph, Op, OpId, Storage, TensorId};
use crate::units::Bytes;

/// The root's op with the inputs, work and workspace of its whole fusion.
pub(super) fn together(graph: &Graph, root: OpId, members: &[OpId]) -> Op {
    let mut op = graph.ops[root].clone();
    let mut inputs: Vec<TensorId> = Vec::new();
    // Of every input, what the ops read of it one by one: some read a part of it.
    let mut read: Vec<Bytes> = Vec::new();
    let mut alone = Bytes::ZERO;
    for id in members.iter().copied().chain([root]) {
        let member = &graph.ops[id];
        alone = alone + member.work.bytes;
        let made: Bytes = member.outputs.iter().map(|&tensor| graph.tensors[tensor].bytes).sum();
        let reads = Bytes(member.work.bytes.0.saturating_sub(made.0));
        if id != root {
            op.work.flops = op.work.flops.saturating_add(member.work.flops);
            op.work.macs_exact = op.work.macs_exact.saturating_add(member.work.macs_exact);
            op.work.priced &= member.work.priced;
            op.workspace = op.workspace.max(member.workspace);
            op.rules.device = op.rules.device.or(member.rules.device);
        }
        for &tensor in &member.inputs {
            let made_inside =
                matches!(graph.storage(tensor), Storage::Op(maker) if members.binary_search(&maker).is_ok());
            if made_inside {
                continue;
            }
            match inputs.iter().position(|&input| input == tensor) {
                Some(at) => read[at] = read[at] + reads,
                None => {
                    inputs.push(tensor);
                    read.push(reads);
                }
            }
        }
    }
    // Every stored input once, and the result; never more than the ops move one by one, since some read only
    // a part of their operands.
    let stored: Bytes = inputs
        .iter()
        .zip(&read)
        .filter(|&(&tensor, _)| graph.storage(tensor) != Storage::None)
        .map(|(&tensor, &read)| graph.tensors[tensor].bytes.min(read))
        .sum();
    op.work.bytes = (stored + graph.value_bytes(root)).min(alone);
    op.inputs = inputs;
    op
}
