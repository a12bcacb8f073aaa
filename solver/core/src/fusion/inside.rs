//! Values that are computed inside every fusion that reads them, where these need too much memory otherwise.
//!
//! The gradient of an activation reads what came in, what came out and the gradient that reaches it, and makes another: four values of one size. What came out
//! is made of what came in, element by element. A back end stores it, as a root or an exponential is dear; computed in both passes it is never stored.

use std::collections::BTreeSet;

use super::repeats::MOST_OPERATIONS;
use super::{Group, Needs};
use crate::graph::{Backing, Graph, LayerType, OpId, OpRole, TensorId};
use crate::units::Bytes;

/// Most fusions that such a value is computed in.
const MOST_READERS: usize = 4;

/// Ops, ascending, to compute in every fusion that reads them, so that groups and reductions which read and make more than `most` bytes of stored values
/// need less: what these are made of is read there anyway. With them those they are fused from. `fused` is the graph with the groups.
#[must_use]
pub fn computed_inside(fused: &Graph, groups: &[Group], most: Bytes) -> Vec<OpId> {
    let mut readers = vec![0_usize; fused.ops.len()];
    for id in fused.planned() {
        fused.value_inputs(id).into_iter().for_each(|input| readers[input] += 1);
    }
    let returned = fused.returned_ops();
    let may_be = |id: OpId| {
        let op = &fused.ops[id];
        op.role == OpRole::Compute
            && op.layer == LayerType::Activation
            && op.pure_op
            && !op.rules.must_keep
            && !op.rules.never_recompute
            && !returned[id]
            && (2..=MOST_READERS).contains(&readers[id])
            && op.work.flops <= fused.value_bytes(id).0.saturating_mul(MOST_OPERATIONS)
    };
    // A reduction may take what it reads, though it has taken nothing yet.
    let is_alone = |id: &OpId| groups.binary_search_by_key(id, |group| group.root).is_err();
    let alone =
        fused.planned().filter(|&id| fused.ops[id].layer == LayerType::Normalisation).filter(is_alone);
    let alone: Vec<Group> = alone.map(|root| Group { root, members: Vec::new() }).collect();
    let needs = Needs::of(fused);
    let mut found = BTreeSet::new();
    for group in groups.iter().chain(&alone).filter(|group| needs.read_and_made(group) > most) {
        let read = fused.value_inputs(group.root);
        for &id in read.iter().filter(|&&id| may_be(id)) {
            // What has to be there instead of it.
            let more = fused.value_inputs(id).into_iter().filter(|input| !read.contains(input));
            let more: Bytes = more.map(|input| fused.value_bytes(input)).sum();
            if more < fused.value_bytes(id) {
                let own = groups.iter().filter(|group| group.root == id).flat_map(|group| &group.members);
                found.extend(own.chain([&id]));
            }
        }
    }
    found.into_iter().collect()
}

/// What a member of a group is made of: values that are stored and arguments, each once. `fused` is the graph with the group, `reads` has what every op of the
/// program reads.
#[must_use]
pub fn made_of(fused: &Graph, reads: &[Vec<TensorId>], group: &Group, member: OpId) -> Vec<Backing> {
    let mut found: Vec<Backing> = Vec::new();
    let mut seen = BTreeSet::from([member]);
    let mut next = vec![member];
    while let Some(id) = next.pop() {
        for &tensor in &reads[id] {
            let storage = match fused.tensors[tensor].producer {
                Some(op)
                    if group.members.binary_search(&op).is_ok() || fused.ops[op].role == OpRole::View =>
                {
                    if seen.insert(op) {
                        next.push(op);
                    }
                    continue;
                }
                _ => fused.backing(tensor),
            };
            if storage != Backing::None && !found.contains(&storage) {
                found.push(storage);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, graph, group};
    use super::super::{Fusion, fuse_with};
    use super::*;
    use crate::graph::LayerType::{Activation, Dense};

    #[test]
    fn what_comes_out_of_an_activation_is_made_again_of_what_came_in_where_memory_is_short() {
        // A product x, the hyperbolic tangent of its double, that times x, what comes back of a product of it, and the gradient of both by x.
        let program = || {
            graph(
                &[
                    ("s.dot", Dense, &[0]),
                    ("s.add", Activation, &[1, 1]),
                    ("s.tanh", Activation, &[2]),
                    ("s.multiply", Activation, &[3, 1]),
                    ("s.dot", Dense, &[4]),
                    ("s.multiply", Activation, &[3, 5]),
                    ("s.multiply", Activation, &[6, 1]),
                ],
                &[7],
            )
        };
        let fused = |inside: &[OpId]| {
            let mut fused = program();
            let classes = classes(&fused);
            let groups = fuse_with(&mut fused, &classes, Fusion::XlaHeld, &[], inside);
            (fused, groups)
        };
        let (plain, groups) = fused(&[]);
        assert_eq!(groups, [group([1, 2]), group([5, 6])]);
        // The last reads three values of 100 bytes and makes one.
        assert!(computed_inside(&plain, &groups, Bytes(400)).is_empty());
        let inside = computed_inside(&plain, &groups, Bytes(399));
        assert_eq!(inside, [1, 2].map(OpId));
        let (short, groups) = fused(&inside);
        assert_eq!(groups, [group([1, 2, 3]), group([1, 2, 5, 6])]);
        assert_eq!(short.value_inputs(OpId(6)), [0, 4].map(OpId));
        // The tangent is made of the product in both.
        let reads: Vec<Vec<TensorId>> = program().ops.iter().map(|op| op.inputs.clone()).collect();
        assert_eq!(made_of(&short, &reads, &groups[1], OpId(2)), [Backing::Op(OpId(0))]);
    }
}
