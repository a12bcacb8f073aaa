//! Fusions that alone need more memory than there is, in parts.
//!
//! What a fusion reads and makes is there at once. The gradient of an activation and of the normalisation before it is one fusion of a dozen ops, which
//! reads every value that any of them reads; where one of them stores what it makes, what went into that op may be gone by then, or not be there yet.

use std::collections::BTreeSet;

use super::Group;
use crate::graph::{Graph, OpId, OpRole};
use crate::units::Bytes;

/// Ops of a fusion up to which it is looked at at each of them: the effort grows with the square of their number, and longer ones are looked at in so many fewer places.
const ALL_OPS: usize = 512;

/// Does a group read and make more than `most` bytes of stored values? `fused` is the graph with the groups.
#[must_use]
pub fn exceed(fused: &Graph, groups: &[Group], most: Bytes) -> bool {
    groups.iter().any(|group| read_and_made(fused, group) > most)
}

/// The bytes of stored values that a group reads and makes, once where it writes over an operand. `fused` is the graph with the group.
#[must_use]
pub fn read_and_made(fused: &Graph, group: &Group) -> Bytes {
    let made = fused.value_bytes(group.root).0 - over_bytes(fused, group.root);
    let read = fused.value_inputs(group.root).into_iter().map(|id| fused.value_bytes(id).0);
    Bytes(read.fold(made, u64::saturating_add))
}

/// Bytes of an op's value that lie where an operand was.
fn over_bytes(fused: &Graph, op: OpId) -> u64 {
    fused.ops[op].over.map_or(0, |_| fused.value_bytes(op).0)
}

/// Ops to hold so that groups which read and make more than `most` says fall into parts which need less: at the op that leaves the least
/// to the part that needs most, again and again. A part writes over nothing: it is read behind a barrier. `graph` has not been fused, `fused` has, into `groups`.
#[must_use]
pub fn parts_within(
    graph: &Graph,
    fused: &Graph,
    groups: &[Group],
    most: impl Fn(&Group) -> Bytes,
) -> Vec<OpId> {
    let roots = computed_in(graph, fused, groups);
    let mut held = Vec::new();
    for group in groups {
        let ops: Vec<OpId> = group.members.iter().copied().chain([group.root]).collect();
        // What is computed in several fusions would be stored for all of them.
        let may_be_held =
            |id: OpId| id != group.root && roots[id].len() == 1 && graph.value_bytes(id) > Bytes::ZERO;
        let saved = over_bytes(fused, group.root);
        split(graph, (ops, saved), &may_be_held, most(group).0, &mut held);
    }
    held.sort_unstable();
    held.dedup();
    held
}

/// By op: the fusions it is computed in, ascending; itself for an op that stores its value. `graph` has not been fused, `fused` has, into `groups`.
pub(super) fn computed_in(graph: &Graph, fused: &Graph, groups: &[Group]) -> Vec<Vec<OpId>> {
    let mut roots: Vec<Vec<OpId>> = vec![Vec::new(); graph.ops.len()];
    for group in groups {
        for &member in &group.members {
            roots[member].push(group.root);
        }
    }
    for id in OpId::first(graph.ops.len()).filter(|&id| fused.ops[id].role == OpRole::Compute) {
        roots[id].push(id);
    }
    roots
}

/// Splits ops, ascending, of which the last stores its value, until no part needs more than `most` or no split helps. As a whole they need so many bytes
/// less than what they read and make.
fn split(
    graph: &Graph,
    whole: (Vec<OpId>, u64),
    may_be_held: &dyn Fn(OpId) -> bool,
    most: u64,
    held: &mut Vec<OpId>,
) {
    let mut pending = vec![whole];
    while let Some((ops, saved)) = pending.pop() {
        let whole = needs(graph, &ops).saturating_sub(saved);
        if whole <= most {
            continue;
        }
        let Some((&root, inside)) = ops.split_last() else { continue };
        let each = (ops.len() * ops.len()).div_ceil(ALL_OPS * ALL_OPS);
        let places = inside.iter().filter(|&&id| may_be_held(id)).skip(each / 2).step_by(each);
        let cuts = places.map(|&id| {
            let below = behind(graph, &ops, id, None);
            let rest = behind(graph, &ops, root, Some(id));
            (needs(graph, &below).max(needs(graph, &rest)), id, below, rest)
        });
        // Of equally good ones the first.
        let best = cuts.min_by_key(|&(needs, id, ..)| (needs, id));
        if let Some((_, id, below, rest)) = best.filter(|&(needs, ..)| needs < whole) {
            held.push(id);
            pending.extend([(below, 0), (rest, 0)]);
        }
    }
}

/// Those of `ops` that `last` is computed from, itself among them, where the value of `stored` is read from memory; ascending.
fn behind(graph: &Graph, ops: &[OpId], last: OpId, stored: Option<OpId>) -> Vec<OpId> {
    let mut found = BTreeSet::from([last]);
    let mut next = vec![last];
    while let Some(id) = next.pop() {
        for input in graph.value_inputs(id) {
            if Some(input) != stored && ops.binary_search(&input).is_ok() && found.insert(input) {
                next.push(input);
            }
        }
    }
    found.into_iter().collect()
}

/// Bytes of what `ops`, ascending, read from memory and of what the last of them makes.
fn needs(graph: &Graph, ops: &[OpId]) -> u64 {
    let read = ops.iter().flat_map(|&id| graph.value_inputs(id)).filter(|id| ops.binary_search(id).is_err());
    let values: BTreeSet<OpId> = read.chain(ops.last().copied()).collect();
    values.iter().fold(0u64, |sum, &id| sum.saturating_add(graph.value_bytes(id).0))
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph};
    use super::*;
    use crate::graph::LayerType::{Activation, Dense};

    #[test]
    fn a_fusion_that_needs_more_than_there_is_falls_into_parts_that_need_less() {
        // Four products, 100 bytes each, and their sum, one after another.
        let program = || {
            graph(
                &[
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.add", Activation, &[1, 2]),
                    ("s.add", Activation, &[3, 5]),
                    ("s.add", Activation, &[4, 6]),
                ],
                &[7],
            )
        };
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 1);
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        // It reads 400 bytes and makes 100.
        assert!(exceed(&fused, &groups, Bytes(499)) && !exceed(&fused, &groups, Bytes(500)));
        assert!(parts(500).is_empty());
        // Either cut leaves one part that needs 400; of those the first is taken.
        assert_eq!(parts(499), [OpId(4)]);
        assert_eq!(parts(399), [4, 5].map(OpId));
        // Two operands and a result: less cannot be had.
        assert_eq!(parts(1), [4, 5].map(OpId));
        // In the memory of an operand it makes nothing more: a cut would have to leave less than 400.
        fused.ops[6].over = Some(OpId(3));
        assert!(exceed(&fused, &groups, Bytes(399)) && !exceed(&fused, &groups, Bytes(400)));
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        assert!(parts(400).is_empty() && parts(399).is_empty());
    }
}
