//! Fusions that alone need more memory than there is, in parts.
//!
//! What a fusion reads and makes is there at once. The gradient of an activation and of the normalisation before it is one fusion of a dozen ops, which
//! reads every value that any of them reads; where one of them stores what it makes, what went into that op may be gone by then, or not be there yet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Group;
use crate::graph::{Graph, OpId, OpRole};
use crate::units::Bytes;

/// Ops of a fusion up to which it is looked at at each of them: the effort grows with the square of their number, and longer ones are looked at in so many fewer places.
const ALL_OPS: usize = 512;

/// What fusions make, and read of memory besides the buffers of results: these are there anyway, where they are there from the start.
pub struct Needs<'g> {
    fused: &'g Graph,
    /// By op: bytes of its value where it is read.
    read: Vec<Bytes>,
}

impl<'g> Needs<'g> {
    /// Those of a graph that has been fused.
    #[must_use]
    pub fn of(fused: &'g Graph) -> Self {
        Needs { fused, read: fused.bytes_beside_results(fused.ends) }
    }

    /// Does a group read and make more than `most` bytes of stored values?
    #[must_use]
    pub fn exceed(&self, groups: &[Group], most: Bytes) -> bool {
        groups.iter().any(|group| self.read_and_made(group) > most)
    }

    /// The bytes of stored values that a group reads and makes, once where it writes over an operand.
    #[must_use]
    pub fn read_and_made(&self, group: &Group) -> Bytes {
        let made = self.fused.value_bytes(group.root).0 - over_bytes(self.fused, group.root);
        let read = self.fused.value_inputs(group.root).into_iter().map(|id| self.read[id].0);
        Bytes(read.fold(made, u64::saturating_add))
    }
}

/// Bytes of an op's value that lie where an operand was.
fn over_bytes(fused: &Graph, op: OpId) -> u64 {
    fused.ops[op].over.map_or(0, |_| fused.value_bytes(op).0)
}

/// Ops to hold so that groups which read and make more than `most` says fall into parts which need less: at the op that leaves the least
/// to the part that needs most, again and again, and where that does not get there at several ops at a time. A part writes over nothing: it is read
/// behind a barrier. `graph` has not been fused, `fused` has, into `groups`.
#[must_use]
pub fn parts_within(
    graph: &Graph,
    fused: &Graph,
    groups: &[Group],
    most: impl Fn(&Group) -> Bytes,
) -> Vec<OpId> {
    let roots = computed_in(graph, fused, groups);
    let values = Values { graph, read: graph.bytes_beside_results(fused.ends) };
    let mut held = BTreeSet::new();
    for group in groups {
        let ops: Vec<OpId> = group.members.iter().copied().chain([group.root]).collect();
        let ops = values.behind(&ops, group.root, &held);
        let whole = values.needs(&ops).saturating_sub(over_bytes(fused, group.root));
        let most = most(group).0;
        if whole <= most {
            continue;
        }
        let is_stored_inside = |id: OpId| id != group.root && values.read[id] > Bytes::ZERO;
        // What is computed in several fusions would be stored for all of them.
        let once = |id: OpId| is_stored_inside(id) && roots[id].len() == 1;
        let one_way = values.split((&ops, whole), &once, most);
        let parts = if one_way.needs <= most {
            one_way
        } else {
            let all_ways = values.one_by_one(&ops, &is_stored_inside, most);
            if all_ways.needs < one_way.needs.min(whole) { all_ways } else { one_way }
        };
        held.extend(parts.held);
    }
    held.into_iter().collect()
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

/// A fusion in parts.
struct Parts {
    /// Ops that store their values so that it falls into them.
    held: Vec<OpId>,
    /// What the part that needs most reads and makes, bytes.
    needs: u64,
}

/// Ops in two parts.
struct Cut {
    /// The op of the first part that stores its value.
    at: OpId,
    below: Vec<OpId>,
    rest: Vec<OpId>,
    /// What the part that needs more reads and makes, bytes.
    needs: u64,
}

/// The values of a graph that has not been fused, where fusions fall into parts.
struct Values<'g> {
    graph: &'g Graph,
    /// By op: bytes of its value where it is read.
    read: Vec<Bytes>,
}

impl Values<'_> {
    /// Splits ops, ascending, of which the last stores its value, until no part needs more than `most` or no split at one op helps. As a whole they need `whole` bytes.
    fn split(&self, (ops, whole): (&[OpId], u64), may_be_held: &dyn Fn(OpId) -> bool, most: u64) -> Parts {
        let mut parts = Parts { held: Vec::new(), needs: 0 };
        let mut pending = vec![(ops.to_vec(), whole)];
        while let Some((ops, whole)) = pending.pop() {
            let best = if whole > most { self.best_cut(&ops, may_be_held) } else { None };
            let Some(Cut { at, below, rest, .. }) = best.filter(|cut| cut.needs < whole) else {
                parts.needs = parts.needs.max(whole);
                continue;
            };
            parts.held.push(at);
            for part in [below, rest] {
                let needs = self.needs(&part);
                pending.push((part, needs));
            }
        }
        parts
    }

    /// The cut that leaves the least to the part that needs more; of equally good ones the first.
    fn best_cut(&self, ops: &[OpId], may_be_held: &dyn Fn(OpId) -> bool) -> Option<Cut> {
        let (&root, inside) = ops.split_last()?;
        let each = (ops.len() * ops.len()).div_ceil(ALL_OPS * ALL_OPS);
        let places = inside.iter().filter(|&&id| may_be_held(id)).skip(each / 2).step_by(each);
        let cuts = places.map(|&at| {
            let below = self.behind(ops, at, &BTreeSet::new());
            let rest = self.behind(ops, root, &BTreeSet::from([at]));
            Cut { at, needs: self.needs(&below).max(self.needs(&rest)), below, rest }
        });
        cuts.min_by_key(|cut| (cut.needs, cut.at))
    }

    /// Ops, ascending, of which the last stores its value, each by itself, and then as many again with their only reader, the largest first, as leave no part
    /// that needs more than `most`, or than the op that needs most by itself: where several ways lead from one value to another, no cut at one op parts them.
    fn one_by_one(&self, ops: &[OpId], may_be_held: &dyn Fn(OpId) -> bool, most: u64) -> Parts {
        let none = Parts { held: Vec::new(), needs: u64::MAX };
        let Some(&root) = ops.last().filter(|_| ops.len() <= ALL_OPS) else { return none };
        let mut held: BTreeSet<OpId> = ops.iter().copied().filter(|&id| may_be_held(id)).collect();
        let mut parts: BTreeMap<OpId, Vec<OpId>> =
            held.iter().copied().chain([root]).map(|end| (end, self.behind(ops, end, &held))).collect();
        let limit = parts.values().map(|part| self.needs(part)).fold(most, u64::max);
        let mut order: Vec<OpId> = held.iter().copied().collect();
        order.sort_by_key(|&id| (Reverse(self.read[id]), id));
        for id in order {
            let reads = |part: &[OpId]| part.iter().any(|&op| self.graph.value_inputs(op).contains(&id));
            let mut readers = parts.iter().filter(|(_, part)| reads(part)).map(|(&end, _)| end);
            let (Some(reader), None) = (readers.next(), readers.next()) else { continue };
            let both: BTreeSet<OpId> = parts[&id].iter().chain(&parts[&reader]).copied().collect();
            let both: Vec<OpId> = both.into_iter().collect();
            if self.needs(&both) <= limit {
                held.remove(&id);
                parts.remove(&id);
                parts.insert(reader, both);
            }
        }
        Parts {
            needs: parts.values().map(|part| self.needs(part)).fold(0, u64::max),
            held: held.into_iter().collect(),
        }
    }

    /// Those of `ops` that `last` is computed from, itself among them, where the values of `stored` are read from memory; ascending.
    fn behind(&self, ops: &[OpId], last: OpId, stored: &BTreeSet<OpId>) -> Vec<OpId> {
        let mut found = BTreeSet::from([last]);
        let mut next = vec![last];
        while let Some(id) = next.pop() {
            for input in self.graph.value_inputs(id) {
                if !stored.contains(&input) && ops.binary_search(&input).is_ok() && found.insert(input) {
                    next.push(input);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Bytes of what `ops`, ascending, read from memory and of what the last of them makes.
    fn needs(&self, ops: &[OpId]) -> u64 {
        let read = ops.iter().flat_map(|&id| self.graph.value_inputs(id));
        let read: BTreeSet<OpId> = read.filter(|id| ops.binary_search(id).is_err()).collect();
        let made = ops.last().map_or(0, |&last| self.graph.value_bytes(last).0);
        read.iter().fold(made, |sum, &id| sum.saturating_add(self.read[id].0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph};
    use super::*;
    use crate::graph::BoundaryMemory;
    use crate::graph::LayerType::{Activation, Dense};

    /// So many products of the argument, tensors 1 and up, 100 bytes each, and cheap ops of them.
    fn products(count: usize, ops: &[(&str, &[usize])], returned: &[usize]) -> Graph {
        let dots = std::iter::repeat_n(("s.dot", Dense, &[0][..]), count);
        let all: Vec<_> = dots.chain(ops.iter().map(|&(name, inputs)| (name, Activation, inputs))).collect();
        graph(&all, returned)
    }

    #[test]
    fn a_fusion_that_needs_more_than_there_is_falls_into_parts_that_need_less() {
        // Four products, 100 bytes each, and their sum, one after another.
        let program = || products(4, &[("s.add", &[1, 2]), ("s.add", &[3, 5]), ("s.add", &[4, 6])], &[7]);
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 1);
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        // It reads 400 bytes and makes 100.
        let exceed = |most: u64| Needs::of(&fused).exceed(&groups, Bytes(most));
        assert!(exceed(499) && !exceed(500));
        assert!(parts(500).is_empty());
        // Either cut leaves one part that needs 400; of those the first is taken.
        assert_eq!(parts(499), [OpId(4)]);
        assert_eq!(parts(399), [4, 5].map(OpId));
        // Two operands and a result: less cannot be had.
        assert_eq!(parts(1), [4, 5].map(OpId));
        // In the memory of an operand it makes nothing more: one cut would leave 400 again, two leave 300.
        fused.ops[6].over = Some(OpId(3));
        let exceed = |most: u64| Needs::of(&fused).exceed(&groups, Bytes(most));
        assert!(exceed(399) && !exceed(400));
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        assert!(parts(400).is_empty());
        assert_eq!(parts(399), [4, 5].map(OpId));
    }

    #[test]
    fn where_several_ways_lead_to_the_result_a_value_on_each_of_them_is_stored() {
        // Four products, 100 bytes each; the sum of two of them is read on both ways to the result.
        let program = || {
            products(
                4,
                &[("s.add", &[1, 2]), ("s.add", &[3, 5]), ("s.multiply", &[4, 5]), ("s.add", &[6, 7])],
                &[8],
            )
        };
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 1);
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        // In front of both ways one cut is enough: 400 bytes are left, and no other cut leaves less.
        assert_eq!(parts(499), [OpId(4)]);
        assert_eq!(parts(400), [OpId(4)]);
        // Two operands and a result each.
        assert_eq!(parts(399), [4, 5, 6].map(OpId));
        assert_eq!(parts(1), [4, 5, 6].map(OpId));
    }

    #[test]
    fn what_two_fusions_compute_is_stored_once_for_both() {
        // The sum of three products, of which two results are made.
        let program = || {
            products(
                3,
                &[("s.add", &[1, 2]), ("s.add", &[3, 4]), ("s.negate", &[5]), ("s.multiply", &[5, 5])],
                &[6, 7],
            )
        };
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 2);
        let parts = |most: u64| parts_within(&program(), &fused, &groups, |_| Bytes(most));
        // Either reads three products and makes one value.
        assert!(parts(400).is_empty());
        // With the first sum stored each part has three values, as each sum has by itself.
        assert_eq!(parts(399), [OpId(3)]);
        assert_eq!(parts(1), [OpId(3)]);
    }

    #[test]
    fn what_lies_in_the_buffers_of_results_takes_no_room() {
        // Two products of which two moments are made, which are returned, and a weight that is made of both, which takes 100 bytes.
        let program =
            || products(2, &[("s.add", &[1, 2]), ("s.sub", &[1, 2]), ("s.add", &[3, 4])], &[3, 4, 5]);
        let mut fused = program();
        let groups = [super::Group { root: OpId(4), members: vec![] }];
        let needs = |fused: &Graph| Needs::of(fused).read_and_made(&groups[0]);
        assert_eq!(needs(&fused), Bytes(300));
        fused.ends = BoundaryMemory::NotCounted;
        assert_eq!(needs(&fused), Bytes(100));
        assert!(parts_within(&program(), &fused, &groups, |_| Bytes(0)).is_empty());
    }
}
