//! Sums along rows in the middle of a fusion.
//!
//! XLA's compiler for GPUs lets a kernel read whole rows, so that what is made of a row's sum or largest element and of the row itself is made in one go: softmax
//! and normalisation read their operand and write their result, and nothing between is stored (openxla/xla, `softmax_rewriter_triton.cc`, and
//! `priority_fusion.cc`, whose fusions read it twice at worst). A plan that keeps what lies between would take such a kernel apart.
//!
//! A fusion with a sum along rows in it has nothing else but elementwise ops and what is spread; other sums take all elementwise ops and data movement in
//! front of them.

use std::collections::BTreeSet;

use super::{Fuser, FusionKind};
use crate::graph::{LayerType, OpId};

/// Ops looked at to tell whether a value is made of sums along rows, at most: between a sum and where it is spread there are few.
const MOST_LOOKED_AT: usize = 64;

/// What a fusion has in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inside {
    /// Sums along rows, of which elements are made.
    sums: bool,
    /// Anything that moves elements, or sums them in another way.
    moves: bool,
}

impl Fuser<'_> {
    /// Can `reader`, which is decided on, take `producer` into its fusions? None where kernels do not work on whole rows, or this changes nothing.
    pub(super) fn takes_by_rows(&self, reader: OpId, producer: OpId) -> Option<bool> {
        let rows = self.rows.as_ref()?;
        let (reads, makes) = (self.classes.ops[reader].kind, self.classes.ops[producer].kind);
        let mut fusions = self.roots[reader].iter().map(|root| rows[*root]);
        if makes == FusionKind::RowReduction {
            return Some(by_rows(reads) && fusions.all(|inside| !inside.moves));
        }
        if !by_rows(makes) && fusions.clone().any(|inside| inside.sums) {
            return Some(false);
        }
        let sums = reads == FusionKind::RowReduction || self.is_sum(reader);
        if sums && makes != FusionKind::Padding {
            return Some(makes.is_fusible());
        }
        // What is made of a sum is made once a row, however often it is spread.
        let spreads = reads == FusionKind::Broadcast && !self.sums_of(producer).is_empty();
        (spreads && fusions.all(|inside| !inside.moves)).then_some(true)
    }

    /// May the op be computed in each of several fusions, of which these are the roots, as far as rows go? None where it is made of no sum along them. Such a one
    /// costs nothing where a fusion has the row anyway, and all of it elsewhere.
    pub(super) fn repeats_by_rows(&self, id: OpId, roots: &[OpId]) -> Option<bool> {
        self.rows.as_ref()?;
        let sums = self.sums_of(id);
        let has_row = |sum: OpId, operand: OpId| {
            let others = self.readers[operand].iter().filter(|&&reader| reader != sum);
            roots.iter().all(|root| others.clone().any(|&reader| self.roots[reader].contains(root)))
        };
        let have_rows =
            |&sum: &OpId| self.graph.value_inputs(sum).into_iter().all(|operand| has_row(sum, operand));
        (!sums.is_empty()).then(|| sums.iter().all(have_rows))
    }

    /// Notes what the fusions of an op have in them, once it is known which these are.
    pub(super) fn note_inside(&mut self, id: OpId) {
        let kind = self.classes.ops[id].kind;
        let moves = !by_rows(kind) && kind != FusionKind::RowReduction;
        if let Some(rows) = &mut self.rows {
            for &root in &self.roots[id] {
                rows[root].moves |= moves;
                rows[root].sums |= kind == FusionKind::RowReduction && root != id;
            }
        }
    }

    /// Does it add up, or reduce otherwise, what it reads?
    fn is_sum(&self, id: OpId) -> bool {
        let is_opaque = self.classes.ops[id].kind == FusionKind::Opaque;
        is_opaque && self.graph.ops[id].layer == LayerType::Normalisation
    }

    /// The sums along rows that a value with one element a row is made of.
    fn sums_of(&self, value: OpId) -> Vec<OpId> {
        let bytes = self.graph.value_bytes(value);
        let (mut seen, mut sums) = (BTreeSet::from([value]), Vec::new());
        let mut next = vec![value];
        while let Some(id) = next.pop() {
            let kind = self.classes.ops[id].kind;
            if kind == FusionKind::RowReduction {
                sums.push(id);
            } else if by_rows(kind) && seen.len() < MOST_LOOKED_AT {
                let read = self.graph.value_inputs(id).into_iter();
                next.extend(read.filter(|&read| self.graph.value_bytes(read) == bytes && seen.insert(read)));
            }
        }
        sums
    }
}

/// Can a kernel that works on whole rows have it next to a sum?
fn by_rows(kind: FusionKind) -> bool {
    matches!(kind, FusionKind::Elementwise | FusionKind::Broadcast)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, graph, stored};
    use super::super::{Fusion, FusionKind, Group, fuse_with};
    use crate::graph::LayerType::{self, Activation, Dense, Normalisation, Other};
    use crate::graph::{Graph, OpId};
    use crate::units::Bytes;

    /// A product, the softmax of its rows (ops 1 to 7), and a product that reads this.
    const SOFTMAX: [(&str, LayerType, &[usize]); 9] = [
        ("s.dot", Dense, &[0]),
        ("s.reduce", Normalisation, &[1]),
        ("s.broadcast_in_dim", Other, &[2]),
        ("s.subtract", Activation, &[1, 3]),
        ("s.exponential", Activation, &[4]),
        ("s.reduce", Normalisation, &[5]),
        ("s.broadcast_in_dim", Other, &[6]),
        ("s.divide", Activation, &[5, 7]),
        ("s.dot", Dense, &[8]),
    ];

    /// Fuses a graph whose reductions are along rows of ten elements, but for those called `s.reduce_columns`.
    fn fused(graph: &mut Graph, fusion: Fusion) -> Vec<Group> {
        let mut classes = classes(graph);
        for (class, op) in classes.ops.iter_mut().zip(&graph.ops) {
            class.expensive = false;
            if op.name == "s.reduce" {
                class.kind = FusionKind::RowReduction;
                graph.tensors[op.outputs[0]].bytes = Bytes(10);
            }
        }
        fuse_with(graph, &classes, fusion, &[], &[])
    }

    fn group(root: usize, members: &[usize]) -> Group {
        Group { root: OpId(root), members: members.iter().copied().map(OpId).collect() }
    }

    #[test]
    fn nothing_between_the_operand_of_a_softmax_and_its_result_is_stored() {
        let mut softmax = graph(&SOFTMAX, &[9]);
        assert_eq!(fused(&mut softmax, Fusion::XlaGpu), [group(7, &[1, 2, 3, 4, 5, 6])]);
        assert_eq!(stored(&softmax), [0, 7, 8].map(OpId));
        let mut by_loops = graph(&SOFTMAX, &[9]);
        let mut classes = classes(&by_loops);
        classes.ops.iter_mut().for_each(|class| class.expensive = false);
        fuse_with(&mut by_loops, &classes, Fusion::Xla, &[], &[]);
        assert!(stored(&by_loops).contains(&OpId(1)), "a loop fusion ends with its reduction");
    }

    #[test]
    fn a_gradient_makes_what_it_needs_of_a_softmax_from_the_operand_again() {
        let mut ops = SOFTMAX.to_vec();
        // What the exponentials were divided by, times what arrives.
        ops.push(("s.multiply", Activation, &[5, 9]));
        let mut softmax = graph(&ops, &[10]);
        let groups = fused(&mut softmax, Fusion::XlaGpu);
        assert_eq!(groups, [group(7, &[1, 2, 3, 4, 5, 6]), group(9, &[1, 2, 3, 4])]);
        assert_eq!(softmax.value_inputs(OpId(9)), [0, 8].map(OpId));
    }

    #[test]
    fn a_sum_whose_row_is_read_in_one_of_its_fusions_alone_is_stored() {
        // The mean of a product's rows, taken from them, and read by another op, which does not read the rows.
        let ops: [(&str, LayerType, &[usize]); 5] = [
            ("s.dot", Dense, &[0]),
            ("s.reduce", Normalisation, &[1]),
            ("s.broadcast_in_dim", Other, &[2]),
            ("s.subtract", Activation, &[1, 3]),
            ("s.abs", Activation, &[3]),
        ];
        let mut mean = graph(&ops, &[4, 5]);
        fused(&mut mean, Fusion::XlaGpu);
        assert_eq!(stored(&mean), [0, 1, 3, 4].map(OpId));
    }

    #[test]
    fn rows_are_not_moved_nor_summed_otherwise_in_a_fusion_with_sums_along_them() {
        for last in [("s.transpose", Other), ("s.reduce_columns", Normalisation)] {
            let mut ops = SOFTMAX.to_vec();
            ops[8] = (last.0, last.1, &[8]);
            let mut moved = graph(&ops, &[9]);
            let groups = fused(&mut moved, Fusion::XlaGpu);
            // The sum is stored; the exponentials are made in its fusion, with the largest of a row, and in that of the last op without.
            assert_eq!(stored(&moved), [0, 1, 5, 8].map(OpId), "{}", last.0);
            assert_eq!(groups, [group(5, &[2, 3, 4]), group(8, &[2, 3, 4, 6, 7])], "{}", last.0);
        }
        // What moves elements in front of a sum along rows goes into its fusion, but not where there is another sum.
        let mut front = graph(
            &[("s.dot", Dense, &[0]), ("s.transpose", Other, &[1]), ("s.reduce", Normalisation, &[2])],
            &[3],
        );
        assert_eq!(fused(&mut front, Fusion::XlaGpu), [group(2, &[1])]);
        let mut ops = SOFTMAX.to_vec();
        ops[0] = ("s.transpose", Other, &[0]);
        let mut behind = graph(&ops, &[9]);
        fused(&mut behind, Fusion::XlaGpu);
        assert_eq!(stored(&behind), [0, 7, 8].map(OpId));
    }

    #[test]
    fn of_random_programs_no_fusion_has_sums_along_rows_beside_anything_that_moves_elements() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let kinds = [
            ("s.add", Activation),
            ("s.exponential", Activation),
            ("s.broadcast_in_dim", Other),
            ("s.reduce", Normalisation),
            ("s.reduce_columns", Normalisation),
            ("s.transpose", Other),
            ("s.dot", Dense),
        ];
        let (mut with_sums, mut several) = (0, 0);
        for _ in 0..500 {
            let inputs: Vec<Vec<usize>> = (0..random.random_range(2..25))
                .map(|id| (0..random.random_range(1..3)).map(|_| random.random_range(0..=id)).collect())
                .collect();
            let kind = |inputs| {
                let (name, layer) = kinds[random.random_range(0..kinds.len())];
                (name, layer, inputs)
            };
            let ops: Vec<(&str, LayerType, &[usize])> = inputs.iter().map(Vec::as_slice).map(kind).collect();
            let before = graph(&ops, &[ops.len(), ops.len() / 2]);
            let mut after = before.clone();
            let groups = fused(&mut after, Fusion::XlaGpu);
            assert_eq!(before.returned_ops(), after.returned_ops(), "what is returned is stored");
            for id in after.planned() {
                assert!(after.value_inputs(id).iter().all(|&input| input < id));
            }
            for group in &groups {
                let sums = group.members.iter().filter(|&&id| before.ops[id].name == "s.reduce").count();
                let all = group.members.iter().chain([&group.root]);
                let names: Vec<&str> = all.map(|&id| before.ops[id].name.as_str()).collect();
                let moved = ["s.transpose", "s.reduce_columns", "s.dot"];
                assert!(sums == 0 || !names.iter().any(|name| moved.contains(name)), "{names:?}");
                with_sums += usize::from(sums > 0);
            }
            let has = |id: OpId| groups.iter().filter(|group| group.members.contains(&id)).count();
            several +=
                before.planned().filter(|&id| before.ops[id].name == "s.reduce" && has(id) > 1).count();
        }
        assert!(with_sums > 100 && several > 0, "{with_sums} fusions with sums, {several} sums in several");
    }
}
