//! Lookups in large arguments, stored instead of computed in the fusions that read them.
//!
//! A recommender concatenates rows of many tables. A compiler that fuses the lookups into the concatenation makes one op of them that reads every table, so that one
//! device has to hold them all. What is looked up is small. A lookup in one table is left to be computed in several fusions, as the embedding of a language model is by
//! its first layer's passes: storing it found no better plans of GPT-2 small on 2 and 4 devices under caps.

use std::collections::BTreeSet;

use super::Group;
use crate::graph::{Graph, OpId, TensorId};
use crate::units::Bytes;

/// An argument is looked up in by an op that makes at most this part of its bytes: storing them, written once and read once, moves less than half of what the
/// argument takes.
const LOOKED_UP: u64 = 4;

/// Ops to hold so that no fusion looks up in more than `most` bytes of several arguments. `graph` has not been fused.
#[must_use]
pub fn lookups(graph: &Graph, groups: &[Group], most: Bytes) -> Vec<OpId> {
    let tables = |id: OpId| -> Vec<TensorId> {
        let least = Bytes(graph.value_bytes(id).0.saturating_mul(LOOKED_UP)).max(Bytes(1));
        graph.argument_inputs(id).into_iter().filter(|&table| graph.tensors[table].bytes >= least).collect()
    };
    let bytes = |tables: &BTreeSet<TensorId>| -> Bytes {
        tables.iter().map(|&table| graph.tensors[table].bytes).sum()
    };
    let mut held = BTreeSet::new();
    for group in groups {
        let looking: Vec<(OpId, Vec<TensorId>)> = group
            .members
            .iter()
            .map(|&id| (id, tables(id)))
            .filter(|(_, tables)| !tables.is_empty())
            .collect();
        let own = tables(group.root);
        let all: BTreeSet<TensorId> =
            looking.iter().flat_map(|(_, tables)| tables).chain(&own).copied().collect();
        if all.len() > 1 && bytes(&all) > most {
            held.extend(looking.iter().map(|&(id, _)| id));
        }
    }
    held.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, stored};
    use super::*;
    use crate::graph::LayerType;
    use crate::graph::LayerType::{Activation, Dense};

    /// Argument 0 and the results of the first ops, which are made arguments here, are tables of 1000 bytes; every value has 100.
    fn recommender(ops: &[(&str, LayerType, &[usize])], tables: usize, returned: &[usize]) -> Graph {
        let mut graph = graph(ops, returned);
        for table in 0..tables {
            let tensor = &mut graph.tensors[TensorId(table)];
            (tensor.producer, tensor.bytes) = (None, Bytes(1000));
        }
        graph
    }

    #[test]
    fn rows_of_several_tables_are_stored_where_one_device_would_hold_them_all() {
        let ops: [(&str, LayerType, &[usize]); 6] = [
            ("s.dot", Dense, &[0]),
            ("s.gather", Activation, &[0]),
            ("s.gather", Activation, &[1]),
            ("s.add", Activation, &[2, 3]),
            ("s.dot", Dense, &[4]),
            ("s.dot", Dense, &[5]),
        ];
        let unfused = recommender(&ops, 2, &[6]);
        let mut fused = unfused.clone();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(stored(&fused), [0, 3, 4, 5].map(OpId));
        let held = lookups(&unfused, &groups, Bytes(1500));
        assert_eq!(held, [1, 2].map(OpId));
        let mut apart = unfused.clone();
        let groups = fuse(&mut apart, Fusion::Xla, &held);
        let reads = |id: usize| apart.argument_inputs(OpId(id));
        assert_eq!((reads(1), reads(2), reads(3)), (vec![TensorId(0)], vec![TensorId(1)], vec![]));
        assert!(lookups(&unfused, &groups, Bytes(1500)).is_empty(), "nothing is left to hold");
        // Both tables find room on one device, or are read whole.
        let fused_groups = fuse(&mut unfused.clone(), Fusion::Xla, &[]);
        assert!(lookups(&unfused, &fused_groups, Bytes(2000)).is_empty());
        let mut small = unfused;
        (0..2).for_each(|table| small.tensors[TensorId(table)].bytes = Bytes(399));
        assert!(lookups(&small, &fused_groups, Bytes(1)).is_empty());
    }
}
