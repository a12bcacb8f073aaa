//! Fusions too long for one device, in parts.

use super::Group;
use crate::graph::{Backing, Graph, OpId, TensorId};
use crate::units::Bytes;

/// Ops to hold so that a group falls into parts of at most `most_bytes` of the bytes its ops move one by one; none where storing a
/// value, written once and read once, is more than a tenth of what a part moves. `graph` has not been fused.
#[must_use]
pub fn parts(graph: &Graph, group: &Group, most_bytes: u64) -> Vec<OpId> {
    const WORTH_STORING: u64 = 20;
    let mut held = Vec::new();
    let mut moved = 0u64;
    for &member in &group.members {
        // What it makes stays inside: the operands it reads from elsewhere are what a part cannot do without.
        let outside = |&tensor: &TensorId| match graph.backing(tensor) {
            Backing::Op(maker) => group.members.binary_search(&maker).is_err(),
            Backing::Argument(_) => true,
            Backing::None => false,
        };
        let read: Bytes =
            graph.ops[member].inputs.iter().filter(|t| outside(t)).map(|&t| graph.tensors[t].bytes).sum();
        moved = moved.saturating_add(read.0);
        if moved >= most_bytes && moved >= graph.value_bytes(member).0.saturating_mul(WORTH_STORING) {
            held.push(member);
            moved = 0;
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, group};
    use super::*;
    use crate::graph::LayerType;
    use crate::graph::LayerType::{Activation, Dense};

    #[test]
    fn a_long_chain_falls_into_parts_where_storing_costs_little() {
        // Sixty products, each of the one before and of a product of matrices, all one fusion.
        let inputs: Vec<Vec<usize>> =
            (0..60).map(|_| vec![0]).chain((60..120).map(|id| vec![id, id - 59])).collect();
        let ops: Vec<(&str, LayerType, &[usize])> = inputs
            .iter()
            .enumerate()
            .map(|(id, inputs)| {
                if id < 60 { ("s.dot", Dense, &inputs[..]) } else { ("s.multiply", Activation, &inputs[..]) }
            })
            .collect();
        let chain = graph(&ops, &[120]);
        let mut whole = chain.clone();
        let groups = fuse(&mut whole, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].root, OpId(119));
        // Every member reads 100 bytes from outside, the first one 200, and a part reads twenty times what it stores.
        let held = parts(&chain, &groups[0], 100);
        assert_eq!(held, [78, 98, 118].map(OpId));
        let mut parted = chain.clone();
        let groups = fuse(&mut parted, Fusion::Xla, &held);
        assert_eq!(groups.iter().map(|group| group.root).collect::<Vec<_>>(), held);
        assert!(parts(&chain, &group([60, 61, 62]), 1).is_empty(), "not worth it");
    }
}
