//! What a fusion reads, moves and computes.

use super::Group;
use crate::graph::{Backing, Graph, Op, OpId, OpRole, TensorId};
use crate::units::Bytes;

/// The root's op with the inputs, work and workspace of its whole fusion.
fn together(graph: &Graph, root: OpId, members: &[OpId]) -> Op {
    let mut op = graph.ops[root].clone();
    let mut inputs: Vec<TensorId> = Vec::new();
    // Of every input, what the ops read of it one by one: some read a part of it.
    let mut read: Vec<Bytes> = Vec::new();
    let mut alone = Bytes::ZERO;
    let in_place = part_written(graph, &op);
    for id in members.iter().copied().chain([root]) {
        let member = &graph.ops[id];
        alone = alone + member.work.bytes;
        let made: Bytes = member.outputs.iter().map(|&tensor| graph.tensors[tensor].bytes).sum();
        let part = in_place.filter(|_| id == root);
        let reads = part.unwrap_or(Bytes(member.work.bytes.0.saturating_sub(made.0)));
        if id != root {
            op.work.flops = op.work.flops.saturating_add(member.work.flops);
            op.work.macs_exact = op.work.macs_exact.saturating_add(member.work.macs_exact);
            op.work.priced &= member.work.priced;
            op.workspace = op.workspace.max(member.workspace);
            op.rules.device = op.rules.device.or(member.rules.device);
        }
        for &tensor in &member.inputs {
            let made_inside =
                matches!(graph.backing(tensor), Backing::Op(maker) if members.binary_search(&maker).is_ok());
            if made_inside {
                continue;
            }
            // What a part is written into is not read.
            let into = part.is_some() && graph.tensors[tensor].bytes == made;
            let reads = if into { Bytes::ZERO } else { reads };
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
        .filter(|&(&tensor, _)| graph.backing(tensor) != Backing::None)
        .map(|(&tensor, &read)| graph.tensors[tensor].bytes.min(read))
        .sum();
    let written = in_place.unwrap_or(graph.value_bytes(root));
    op.work.bytes = (stored + written).min(alone);
    op.inputs = inputs;
    op
}

/// The bytes that an op writes into a value of its size in place, as it does with the stack of a loop; none where it writes all of its value.
///
/// Such an op moves less than it makes: what it writes, once in and once out.
fn part_written(graph: &Graph, op: &Op) -> Option<Bytes> {
    let made: Bytes = op.outputs.iter().map(|&tensor| graph.tensors[tensor].bytes).sum();
    let has_place = || op.inputs.iter().any(|&tensor| graph.tensors[tensor].bytes == made);
    (op.work.bytes < made && has_place()).then_some(Bytes(op.work.bytes.0 / 2))
}

/// The fusions of more than one op, by the ops that end them.
pub(super) fn groups(roots: &[Vec<OpId>]) -> Vec<Group> {
    let mut members: Vec<Vec<OpId>> = vec![Vec::new(); roots.len()];
    for (id, roots) in OpId::of(roots) {
        for &root in roots.iter().filter(|&&root| root != id) {
            members[root].push(id);
        }
    }
    let groups = OpId::first(roots.len()).zip(members).map(|(root, members)| Group { root, members });
    groups.filter(|group| !group.members.is_empty()).collect()
}

/// Moves the work of fused ops to their roots and lets the roots read what the fusion reads.
pub(super) fn rewrite(graph: &mut Graph, roots: &[Vec<OpId>]) -> Vec<Group> {
    let inside: Vec<bool> =
        OpId::of(roots).map(|(id, roots)| !roots.is_empty() && !roots.contains(&id)).collect();
    let groups = groups(roots);
    let fused: Vec<_> =
        groups.iter().map(|group| (group.root, together(graph, group.root, &group.members))).collect();
    for (root, op) in fused {
        graph.ops[root] = op;
    }
    for (op, _) in graph.ops.iter_mut().zip(&inside).filter(|(_, inside)| **inside) {
        op.role = OpRole::Constant;
        (op.work.flops, op.work.macs_exact, op.work.bytes) = (0, 0, Bytes::ZERO);
        op.work.priced = true;
        op.workspace = Bytes::ZERO;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, group};
    use super::*;
    use crate::graph::LayerType::{Activation, Dense};

    #[test]
    fn a_fusion_that_writes_a_part_in_place_moves_what_it_reads_and_that_part() {
        let written = |negated: u64| {
            let mut stacks = graph(
                &[
                    ("s.dot", Dense, &[0]),
                    ("s.negate", Activation, &[1]),
                    ("s.dynamic_update_slice", Activation, &[0, 2]),
                ],
                &[3],
            );
            // The argument is a stack of a thousand bytes, and a hundred go into it.
            for tensor in [0, 3] {
                stacks.tensors[TensorId(tensor)].bytes = Bytes(1000);
            }
            stacks.ops[1].work.bytes = Bytes(negated);
            stacks.ops[2].work.bytes = Bytes(2 * 100);
            assert_eq!(fuse(&mut stacks, Fusion::Xla, &[]), [group([1, 2])]);
            stacks.ops[2].work.bytes
        };
        // The product is read once and goes into the stack: what is between them stays inside, and the stack is not read.
        assert_eq!(written(2 * 100), Bytes(100 + 100));
        // A hundred bytes of which ten are read.
        assert_eq!(written(10 + 100), Bytes(10 + 100));
    }
}
