//! What is computed once more for each of several fusions that take it, and what is stored for them instead.
//!
//! A cheap op costs nothing beside the traffic of a stored value, but a chain of cheap ops may: the random bits of a dropout are a hundred of them for a mask of
//! one byte per element, which the forward and the backward pass both read. And a sum over the steps of a loop reads them all, for each of the moments of an optimiser,
//! which would all be kept until then.

use std::collections::BTreeSet;

use super::{Fuser, FusionKind};
use crate::graph::{OpId, OpRole};

/// Most fusions one cheap op is repeated in.
const MOST_COPIES: usize = 16;
/// Most operations that are repeated per byte of the value that would be stored instead: about as many as a device does while it moves a byte
/// (`solver/core/src/devices`: 10 in f32 on an A100, 15 on a CPU, 20 on an H100).
pub(super) const MOST_OPERATIONS: u64 = 16;

/// Ops looked at to tell whether what a value is made of is much: a chain of slices that are written one after the other has neither operations nor
/// reads to speak of, however long it is.
const MOST_LOOKED_AT: usize = 1024;
/// Most bytes that are read again per byte of that value.
const MOST_READ: u64 = 8;

impl Fuser<'_> {
    /// May its value be made inside fusions, as far as it goes by the op alone?
    pub(super) fn is_fusible(&self, id: OpId) -> bool {
        let op = &self.graph.ops[id];
        op.pure_op
            && op.outputs.len() == 1
            && !op.rules.must_keep
            && !op.rules.never_recompute
            && !self.held.contains(&id)
            && self.classes.ops[id].kind.is_fusible()
    }

    /// May the op be computed in each of these fusions?
    pub(super) fn may_repeat(&self, id: OpId, roots: &[OpId]) -> bool {
        let copies = roots.len();
        if copies == 1 {
            return true;
        }
        let is_short = || match (self.repeats_by_rows(id, roots), &self.rows) {
            (Some(short), _) => short,
            // What it is made of is read once, the value written, and read by each; or what it is made of is read by each. Whatever moves less.
            (None, Some(_)) => !self.is_long(id, (copies as u64 + 1, copies as u64 - 1)),
            (None, None) => self.repeats_stored || !self.is_long(id, (MOST_READ, 1)),
        };
        let may = || !self.classes.ops[id].expensive && self.is_at_ends(id) && is_short();
        copies <= MOST_COPIES && (self.is_inside(id) || may())
    }

    /// Of what puts elements together: does every fusion that it goes into end with what reads it?
    fn is_at_ends(&self, id: OpId) -> bool {
        let ends = |&reader: &OpId| *self.roots[reader] == [reader];
        self.classes.ops[id].kind != FusionKind::Assembly || self.readers[id].iter().all(ends)
    }

    /// Is it to be computed in every fusion that reads it?
    pub(super) fn is_inside(&self, id: OpId) -> bool {
        self.inside.binary_search(&id).is_ok()
    }

    /// Does all that an op's fusion computes and reads for it cost more than storing its value? Of reading, so many times its bytes do, as a fraction.
    fn is_long(&self, id: OpId, (most, of): (u64, u64)) -> bool {
        let bytes = self.graph.value_bytes(id).0;
        let (mut operations, mut read) = (0u64, 0u64);
        let mut seen = BTreeSet::from([id]);
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            if seen.len() > MOST_LOOKED_AT {
                return true;
            }
            operations = operations.saturating_add(self.graph.ops[id].work.flops);
            for input in self.graph.value_inputs(id) {
                if !seen.insert(input) {
                    continue;
                }
                if self.goes_into_all(input) {
                    // It would be stored for several fusions.
                    if self.classes.ops[input].kind == FusionKind::Assembly {
                        return true;
                    }
                    next.push(input);
                } else {
                    read = read.saturating_add(self.graph.value_bytes(input).0);
                }
            }
            let reads_much = read.saturating_mul(of) > bytes.saturating_mul(most);
            if operations > bytes.saturating_mul(MOST_OPERATIONS) || reads_much {
                return true;
            }
        }
        false
    }

    /// Will an op, which is not decided on yet, be part of the fusions of its readers?
    fn goes_into_all(&self, id: OpId) -> bool {
        let (op, readers) = (&self.graph.ops[id], &self.readers[id]);
        op.role == OpRole::Compute
            && self.is_fusible(id)
            && !self.returned[id]
            && (readers.len() == 1 || !self.classes.ops[id].expensive || self.is_inside(id))
            && readers.iter().all(|&reader| self.takes(reader, id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, stored};
    use super::{MOST_OPERATIONS, MOST_READ};
    use crate::graph::LayerType::{self, Activation, Dense, Other};
    use crate::graph::OpId;

    #[test]
    fn a_long_chain_is_stored_for_its_readers_and_a_short_one_repeated() {
        // A product, a chain of sums, and two sums that are returned and read its last.
        let chain = |length: usize| {
            let mut inputs: Vec<Vec<usize>> = (0..=length).map(|at| vec![at]).collect();
            inputs.extend([vec![length + 1, 0], vec![length + 1, 1]]);
            let ops: Vec<(&str, LayerType, &[usize])> =
                inputs
                    .iter()
                    .enumerate()
                    .map(|(at, inputs)| {
                        if at == 0 {
                            ("s.dot", Dense, &inputs[..])
                        } else {
                            ("s.add", Activation, &inputs[..])
                        }
                    })
                    .collect();
            graph(&ops, &[length + 2, length + 3])
        };
        // Ops of this graph do 25 operations and make 100 bytes.
        let short = usize::try_from(MOST_OPERATIONS * 100 / 25).unwrap();
        for (length, fusion, held) in [
            (short, Fusion::XlaHeld, vec![0, short + 1, short + 2]),
            (short + 1, Fusion::XlaHeld, vec![0, short + 1, short + 2, short + 3]),
            (short + 1, Fusion::Xla, vec![0, short + 2, short + 3]),
        ] {
            let held: Vec<OpId> = held.into_iter().map(OpId).collect();
            let mut fused = chain(length);
            let operations: u64 = fused.ops.iter().map(|op| op.work.flops).sum();
            fuse(&mut fused, fusion, &[]);
            assert_eq!(stored(&fused), held, "{length} {fusion:?}");
            let after: u64 = fused.ops.iter().map(|op| op.work.flops).sum();
            let repeated = if held.len() == 3 { 25 * length as u64 } else { 0 };
            assert_eq!(after, operations + repeated);
        }
    }

    #[test]
    fn a_sum_of_many_values_is_stored_for_its_readers_and_one_of_few_repeated() {
        // Products, their sum, and two sums that are returned and read it.
        let sum = |products: usize| {
            let mut inputs: Vec<Vec<usize>> = (0..products).map(|_| vec![0]).collect();
            inputs.push(vec![1, 2]);
            inputs.extend((3..=products).map(|product| vec![product, products + product - 2]));
            let last = inputs.len();
            inputs.extend([vec![last, 0], vec![last, 0]]);
            let ops: Vec<(&str, LayerType, &[usize])> = inputs
                .iter()
                .enumerate()
                .map(|(at, inputs)| {
                    let (name, layer) = if at < products { ("s.dot", Dense) } else { ("s.add", Activation) };
                    (name, layer, &inputs[..])
                })
                .collect();
            (graph(&ops, &[last + 1, last + 2]), last - 1)
        };
        let most = usize::try_from(MOST_READ).unwrap();
        for products in [most, 4 * most] {
            let (mut fused, last) = sum(products);
            fuse(&mut fused, Fusion::XlaHeld, &[]);
            let stored = stored(&fused).len();
            assert_eq!(stored == products + 2, products == most, "{products}: {stored}");
            for reader in [last + 1, last + 2] {
                assert!(fused.value_inputs(OpId(reader)).len() <= most, "{products}");
            }
        }
    }

    #[test]
    fn what_puts_elements_together_is_stored_for_fusions_that_do_not_end_with_it() {
        // A margin that two returned sums read at once, or through another sum.
        let direct: [(&str, LayerType, &[usize]); 3] =
            [("s.pad", Other, &[0]), ("s.add", Activation, &[1, 0]), ("s.add", Activation, &[0, 1])];
        let through: [(&str, LayerType, &[usize]); 4] = [
            ("s.pad", Other, &[0]),
            ("s.add", Activation, &[1, 0]),
            ("s.add", Activation, &[2, 0]),
            ("s.add", Activation, &[0, 2]),
        ];
        for (ops, fusion, held) in [
            (&direct[..], Fusion::Xla, vec![1, 2]),
            (&through[..], Fusion::Xla, vec![0, 2, 3]),
            // In a plan it is the sum that is stored: one fusion has the margin.
            (&through[..], Fusion::XlaHeld, vec![1, 2, 3]),
        ] {
            let mut fused = graph(ops, &[ops.len() - 1, ops.len()]);
            fuse(&mut fused, fusion, &[]);
            assert_eq!(stored(&fused), held.into_iter().map(OpId).collect::<Vec<_>>(), "{fusion:?}");
        }
    }
}
