//! What a library takes into its reductions.
//!
//! XLA's compiler for CPUs hands reductions to a library of kernels, YNNPACK, before it fuses anything by itself (openxla/xla, `library_rewriter.cc` and
//! `ynn_matcher.h` among its transforms for CPUs). With it goes whatever has no reader outside of that fusion and is an elementwise op of the library, dear ones and
//! chains of any length too. What the library does not have, such as a selection, is stored in front of it, and a reduction that it does not have, such as
//! one of integers or over windows that overlap, takes nothing. Not modelled: products and the ops behind a reduction, which the library takes, too.

use super::{Fuser, FusionKind};
use crate::graph::{Backing, LayerType, OpId, TensorId};

impl Fuser<'_> {
    /// Can `reader`, which is decided on, take `producer` into a reduction's fusion? None where no library runs reductions, or it is not in such a fusion.
    pub(super) fn takes_by_library(&self, reader: OpId, producer: OpId) -> Option<bool> {
        let library = self.classes.library.as_ref()?;
        let roots = &self.roots[reader];
        if !roots.iter().any(|&root| self.is_reduction(root)) {
            return None;
        }
        let is_taken =
            matches!(self.classes.ops[producer].kind, FusionKind::Elementwise | FusionKind::Broadcast)
                && !self.reads_transposed(producer);
        let is_alone =
            || roots.len() == 1 && self.readers[producer].iter().all(|id| self.roots[*id] == *roots);
        Some(is_taken && library[reader] && library[producer] && (self.is_inside(producer) || is_alone()))
    }

    /// Does it read a transposed value with its dimensions joined or split? What is computed of that is copied to the layout in which it is reduced.
    fn reads_transposed(&self, id: OpId) -> bool {
        let rank = |tensor: &TensorId| self.classes.ranks[*tensor];
        self.graph.ops[id].inputs.iter().any(|read| match self.graph.backing(*read) {
            Backing::Op(maker) => {
                self.classes.ops[maker].kind == FusionKind::Transpose
                    && self.graph.ops[maker].outputs.iter().any(|made| rank(made) != rank(read))
            }
            _ => false,
        })
    }

    fn is_reduction(&self, id: OpId) -> bool {
        let reduces = matches!(self.graph.ops[id].layer, LayerType::Normalisation | LayerType::Pooling);
        reduces && self.classes.ops[id].kind == FusionKind::Opaque
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, fuse, graph, group, stored};
    use super::super::{Fusion, Group, fuse_with};
    use super::*;
    use crate::graph::LayerType::{Activation, Dense, Normalisation};

    /// A product, the root of its double, and the sum of that; and what becomes of it by a library that has not all of these, with ops computed inside.
    fn fused(
        ops: &[(&str, LayerType, &[usize])],
        lacks: &[usize],
        inside: &[OpId],
    ) -> (Vec<Group>, Vec<OpId>) {
        let mut graph = graph(ops, &[ops.len()]);
        let mut classes = classes(&graph);
        classes.library = Some((0..ops.len()).map(|op| !lacks.contains(&op)).collect());
        let groups = fuse_with(&mut graph, &classes, Fusion::XlaHeld, &[], inside);
        (groups, stored(&graph))
    }

    const SUM: [(&str, LayerType, &[usize]); 4] = [
        ("s.dot", Dense, &[0]),
        ("s.add", Activation, &[1, 1]),
        ("s.tanh", Activation, &[2]),
        ("s.reduce", Normalisation, &[3]),
    ];

    #[test]
    fn a_library_takes_chains_into_its_reductions_and_stops_at_what_it_lacks() {
        let whole = group([1, 2, 3]);
        assert_eq!(fused(&SUM, &[], &[]), (vec![whole], [0, 3].map(OpId).to_vec()));
        // The sum of what the library lacks is stored.
        assert_eq!(fused(&SUM, &[1], &[]).1, [0, 1, 3].map(OpId));
        let (groups, kept) = fused(&SUM, &[2], &[]);
        assert_eq!((groups, kept), (vec![group([1, 2])], [0, 2, 3].map(OpId).to_vec()));
        // A reduction that it lacks takes nothing.
        assert_eq!(fused(&SUM, &[3], &[]).1, [0, 2, 3].map(OpId));
    }

    #[test]
    fn what_is_made_of_a_transposed_value_with_joined_dimensions_is_stored_for_its_sum() {
        let ops: [(&str, LayerType, &[usize]); 6] = [
            ("s.dot", Dense, &[0]),
            ("s.transpose", Activation, &[1]),
            ("s.reshape", Activation, &[2]),
            ("s.multiply", Activation, &[3, 3]),
            ("s.reduce", Normalisation, &[4]),
            ("s.dot", Dense, &[2, 5]),
        ];
        let stored_where = |rank| {
            let mut graph = graph(&ops, &[6]);
            let mut classes = classes(&graph);
            classes.library = Some(vec![true; ops.len()]);
            classes.ranks[3] = rank;
            fuse_with(&mut graph, &classes, Fusion::XlaHeld, &[], &[]);
            stored(&graph)
        };
        assert_eq!(stored_where(2), [0, 1, 4, 5].map(OpId), "the square is computed in the sum's fusion");
        assert_eq!(stored_where(1), [0, 3, 4, 5].map(OpId));
    }

    #[test]
    fn where_no_library_runs_it_a_reduction_takes_the_op_in_front_of_it_alone() {
        let mut sum = graph(
            &[
                ("s.subtract", Activation, &[0]),
                ("s.multiply", Activation, &[1]),
                ("s.reduce", Normalisation, &[2]),
            ],
            &[3],
        );
        assert_eq!(fuse(&mut sum, Fusion::Xla, &[]), [group([1, 2])]);
        assert_eq!(stored(&sum), [0, 2].map(OpId));
    }

    #[test]
    fn what_two_reductions_read_is_stored_unless_it_is_to_be_computed_inside() {
        // The difference of two products, its double and its square, and sums of both.
        let ops: [(&str, LayerType, &[usize]); 7] = [
            ("s.dot", Dense, &[0]),
            ("s.subtract", Activation, &[1, 0]),
            ("s.add", Activation, &[2, 2]),
            ("s.multiply", Activation, &[2, 2]),
            ("s.reduce", Normalisation, &[3]),
            ("s.reduce", Normalisation, &[4]),
            ("s.subtract", Activation, &[5, 6]),
        ];
        assert_eq!(fused(&ops, &[], &[]).1, [0, 1, 4, 5, 6].map(OpId));
        assert_eq!(fused(&ops, &[], &[OpId(1)]).1, [0, 4, 5, 6].map(OpId));
    }
}
