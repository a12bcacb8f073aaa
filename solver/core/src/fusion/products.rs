//! What matrix products and convolutions have inside.

use super::{Fuser, FusionKind};
use crate::graph::{LayerType, OpId};

impl Fuser<'_> {
    /// Can `reader` take `producer` into its fusions? None where it is neither a product nor inside one's fusion. A product reads its operand where it was before it was
    /// transposed, and computes nothing on the way: XLA folds the transpose into the product (`TransposeFolding` in openxla/xla), and whatever it moves is stored. A matrix
    /// is folded into every product that reads it transposed; of more dimensions, where batches are moved, too, it is copied for several.
    pub(super) fn takes_as_product(&self, reader: OpId, producer: OpId) -> Option<bool> {
        // A product of which the compiler makes a multiplication is none.
        let is_product = |id: OpId| self.classes.ops[id].kind == FusionKind::Opaque;
        let layer = |id: OpId| if is_product(id) { self.graph.ops[id].layer } else { LayerType::Activation };
        let makes = self.classes.ops[producer].kind;
        let is_only = self.readers[producer].len() == 1;
        let is_inside =
            |&root: &OpId| root != reader && matches!(layer(root), LayerType::Dense | LayerType::Convolution);
        let is_matrix =
            || self.graph.ops[producer].outputs.iter().all(|&tensor| self.classes.ranks[tensor] <= 2);
        match layer(reader) {
            LayerType::Dense => Some(makes == FusionKind::Transpose && (is_only || is_matrix())),
            // Only where barriers keep both together: elsewhere XLA may reverse a kernel long before it is read.
            LayerType::Convolution => Some(is_only && makes == FusionKind::Reversal && !self.repeats_stored),
            _ => self.roots[reader].iter().any(is_inside).then_some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, fuse, graph, group, stored};
    use super::super::{Fusion, FusionKind, fuse_with};
    use crate::graph::LayerType::{self, Activation, Dense, Other};
    use crate::graph::OpId;

    #[test]
    fn a_product_computes_nothing_that_is_transposed_on_its_way() {
        let ops: [(&str, LayerType, &[usize]); 4] = [
            ("s.dot", Dense, &[0]),
            ("s.abs", Activation, &[1]),
            ("s.transpose", Other, &[2]),
            ("s.dot", Dense, &[3]),
        ];
        for fusion in [Fusion::Xla, Fusion::XlaHeld, Fusion::XlaGpu] {
            let mut product = graph(&ops, &[4]);
            assert_eq!(fuse(&mut product, fusion, &[]), [group([2, 3])], "{fusion:?}");
            assert_eq!(stored(&product), [0, 1, 3].map(OpId), "{fusion:?}");
        }
    }

    #[test]
    fn a_product_that_is_a_multiplication_is_computed_in_what_reads_it() {
        let ops: [(&str, LayerType, &[usize]); 4] = [
            ("s.abs", Activation, &[0]),
            ("s.outer", Dense, &[0, 1]),
            ("s.transpose", Other, &[2]),
            ("s.tanh", Activation, &[3]),
        ];
        let stored_where = |kind| {
            let mut products = graph(&ops, &[4]);
            let mut classes = classes(&products);
            classes.ops[1].kind = kind;
            fuse_with(&mut products, &classes, Fusion::XlaHeld, &[], &[]);
            stored(&products)
        };
        assert_eq!(stored_where(FusionKind::Opaque), [0, 1, 3].map(OpId));
        assert_eq!(stored_where(FusionKind::Broadcast), [OpId(3)]);
    }

    #[test]
    fn a_transposed_matrix_is_folded_into_every_product_and_one_of_more_dimensions_into_one() {
        let ops: [(&str, LayerType, &[usize]); 4] = [
            ("s.dot", Dense, &[0]),
            ("s.transpose", Other, &[1]),
            ("s.dot", Dense, &[2]),
            ("s.dot", Dense, &[2]),
        ];
        for (rank, expected) in [(2, vec![0, 2, 3]), (3, vec![0, 1, 2, 3])] {
            let mut products = graph(&ops, &[3, 4]);
            let mut classes = classes(&products);
            classes.ranks.fill(rank);
            fuse_with(&mut products, &classes, Fusion::XlaHeld, &[], &[]);
            assert_eq!(stored(&products), expected.into_iter().map(OpId).collect::<Vec<_>>(), "{rank}");
        }
    }
}
