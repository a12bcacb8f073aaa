//! Values that several fusions compute anew from more than they are, stored instead.
//!
//! The residual stream of a transformer is a sum that every layer adds to and reads in several fusions. A compiler that fuses sums into what reads them stores the terms
//! alone, so that every layer reads the terms of all layers before, and a device that takes over in the middle is sent each of them. Stored on the way, one value is
//! read, and one is sent.

use std::collections::{BTreeMap, BTreeSet};

use super::Group;
use super::readers;
use super::within::computed_in;
use crate::graph::{Graph, OpId};

/// Most ops that are looked at for one fusion: the effort grows with them.
const MOST_OPS: usize = 512;
/// Most fusions that a value is looked at in.
const MOST_FUSIONS: usize = 64;

/// Ops to hold because fusions read fewer bytes then, what is read and written for the op itself counted. `graph` has not been fused, `fused` has, into `groups`.
#[must_use]
pub fn joins(graph: &Graph, fused: &Graph, groups: &[Group]) -> Vec<OpId> {
    let roots = computed_in(graph, fused, groups);
    let members = groups.iter().map(|group| (group.root, &group.members[..])).collect();
    let held = vec![false; graph.ops.len()];
    let mut fusions = Fusions { graph, readers: readers(graph), roots, members, held };
    let inside: Vec<OpId> = graph.planned().filter(|&id| fusions.is_inside(id)).collect();
    // The last of a long sum first, as few fusions are behind it.
    let stored: BTreeSet<OpId> = inside.into_iter().rev().filter(|&id| fusions.holds(id)).collect();
    // What goes into it is less now that what comes before is stored too.
    stored
        .into_iter()
        .filter(|&id| {
            fusions.held[id] = false;
            fusions.holds(id)
        })
        .collect()
}

/// What is computed where.
struct Fusions<'g> {
    graph: &'g Graph,
    readers: Vec<Vec<OpId>>,
    /// By op: the fusions it is computed in, itself where it stores its value.
    roots: Vec<Vec<OpId>>,
    /// By fusion: the ops in it.
    members: BTreeMap<OpId, &'g [OpId]>,
    /// By op: is its value stored for all that read it?
    held: Vec<bool>,
}

impl Fusions<'_> {
    /// Is it computed in fusions that read it?
    fn is_inside(&self, id: OpId) -> bool {
        !self.held[id] && self.roots[id].iter().any(|&root| root != id)
    }

    fn is_stored(&self, id: OpId) -> bool {
        self.held[id] || self.roots[id].contains(&id)
    }

    /// Has all that read it read its value from memory, where fusions read and write fewer bytes then. Is it so?
    fn holds(&mut self, id: OpId) -> bool {
        let Some(heads) = self.heads(id) else { return false };
        // What one fusion reads it reads once.
        if heads.len() == 1 && !self.is_stored(id) {
            return false;
        }
        let all = |fusions: &Self| {
            let own = Some(id).filter(|&id| fusions.is_stored(id));
            let read: Option<u64> = heads.iter().copied().chain(own).map(|head| fusions.read(head)).sum();
            let written = own.map_or(0, |id| fusions.graph.value_bytes(id).0);
            read.map(|read| read.saturating_add(written))
        };
        let inside = all(self);
        self.held[id] = true;
        self.held[id] = all(self).zip(inside).is_some_and(|(stored, inside)| stored < inside);
        self.held[id]
    }

    /// The stored ops whose fusions may compute an op; none where they are too many.
    fn heads(&self, id: OpId) -> Option<BTreeSet<OpId>> {
        let (mut heads, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), vec![id]);
        while let Some(id) = next.pop() {
            for &reader in &self.readers[id] {
                if self.is_stored(reader) {
                    heads.insert(reader);
                }
                if self.is_inside(reader) && seen.insert(reader) {
                    next.push(reader);
                }
            }
            if heads.len() > MOST_FUSIONS || seen.len() > MOST_OPS {
                return None;
            }
        }
        Some(heads)
    }

    /// Bytes of the values that the fusion of a stored op reads; none where it has too many ops.
    fn read(&self, head: OpId) -> Option<u64> {
        let fusion =
            self.members.contains_key(&head).then_some(head).or_else(|| self.roots[head].first().copied());
        let members = fusion.and_then(|fusion| self.members.get(&fusion)).copied().unwrap_or_default();
        let is_inside = |id: OpId| !self.held[id] && members.binary_search(&id).is_ok();
        let (mut values, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), vec![head]);
        while let Some(id) = next.pop() {
            for input in self.graph.value_inputs(id) {
                if !is_inside(input) {
                    values.insert(input);
                } else if seen.insert(input) {
                    next.push(input);
                }
            }
            if seen.len() > MOST_OPS {
                return None;
            }
        }
        Some(values.into_iter().fold(0, |sum, value| sum.saturating_add(self.graph.value_bytes(value).0)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, stored};
    use super::*;
    use crate::graph::LayerType;
    use crate::graph::LayerType::{Activation, Dense};

    /// Four products and their sums one after another, each sum read by two ops that are returned.
    fn stream(returned_sum: Option<usize>) -> Graph {
        let mut ops: Vec<(&str, LayerType, &[usize])> = vec![("s.dot", Dense, &[0]); 4];
        // Ops 4 to 6: tensors 5 to 7.
        ops.extend([
            ("s.add", Activation, &[1, 2][..]),
            ("s.add", Activation, &[5, 3]),
            ("s.add", Activation, &[6, 4]),
        ]);
        for sum in [&[5usize][..], &[6], &[7]] {
            ops.extend([("s.tanh", Activation, sum), ("s.cosine", Activation, sum)]);
        }
        let returned: Vec<usize> = (8..14).chain(returned_sum).collect();
        graph(&ops, &returned)
    }

    #[test]
    fn a_sum_that_goes_on_is_stored_where_fewer_bytes_are_read_then() {
        let mut fused = stream(None);
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(stored(&fused), [0, 1, 2, 3, 7, 8, 9, 10, 11, 12].map(OpId));
        // The second sum of three products is read three times: 3 + 3 + 4 values; stored 1 + 1 + 2, and 3 + 1 for itself. Two readers of the first would
        // save what it takes; the third is the second and one product more by then.
        let held = joins(&stream(None), &fused, &groups);
        assert_eq!(held, [OpId(5)]);
        let mut again = stream(None);
        let groups = fuse(&mut again, Fusion::Xla, &held);
        let read = |graph: &Graph| -> usize { graph.planned().map(|id| graph.value_inputs(id).len()).sum() };
        assert_eq!((read(&fused), read(&again)), (2 * 2 + 2 * 3 + 2 * 4, 2 * 2 + 3 + 2 + 2 * 2));
        // Nothing is to be gained twice.
        assert!(joins(&stream(None), &again, &groups).is_empty());
    }

    #[test]
    fn what_is_stored_anyway_is_read_where_others_compute_it_again() {
        // The first sum is a result, too.
        let mut fused = stream(Some(5));
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert!(stored(&fused).contains(&OpId(4)));
        let held = joins(&stream(Some(5)), &fused, &groups);
        let mut again = stream(Some(5));
        fuse(&mut again, Fusion::Xla, &held);
        assert!(
            again.value_inputs(OpId(7)) == [OpId(4)] && again.value_inputs(OpId(8)) == [OpId(4)],
            "{held:?}"
        );
    }
}
