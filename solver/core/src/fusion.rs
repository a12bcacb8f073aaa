//! Memory and traffic as a fusing back end sees them: values inside a fusion never exist in memory.
//!
//! [`fuse`] rewrites a graph in place and keeps every op's number. An op whose value is only read inside fusions
//! becomes a constant in the sense of [`OpRole::Constant`]: no time, no memory, made again where it is read. The op
//! that ends a fusion reads what the fusion reads and does the work of all of it.
//!
//! The rules are those of XLA's instruction fusion (openxla/xla, `instruction_fusion.cc` and the CPU compiler's
//! subclass of it), in the order it works in, readers first: a producer is fused if it works on elements or moves them,
//! every reader can take it, and it is not both expensive and needed by several fusions (in a rewritten program a long chain of cheap ones counts as expensive). A cheap op with at most one operand that is not
//! spread or constant is fused into the readers that take it even if it is stored for others (`EffectivelyAtMostUnary` there):
//! these read its operand instead. Elementwise ops and data movement take what they read; a reduction takes the one op in front of it, or what the library that runs
//! it takes (`library.rs`); a matrix product takes a transpose and nothing behind it,
//! in a rewritten program a convolution the reversal of its kernel. XLA's compiler for GPUs also has sums along rows in the middle of a fusion (`rows.rs`).
//! What an op writes over an operand takes no memory (`over.rs`). Not modelled: common subexpressions, copies that change a layout, rewrites by the
//! algebraic simplifier. `docs/cost-model.md` and `docs/running-plans.md` compare the outcome with XLA's buffer assignment.

mod inside;
mod joins;
mod library;
mod lookups;
mod over;
mod parts;
mod products;
mod repeats;
mod rows;
mod sums;
mod together;
mod within;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::graph::{Backing, Graph, LayerType, OpId, OpRole, TensorId};

pub use inside::{computed_inside, made_of};
pub use joins::joins;
pub use lookups::lookups;
pub use over::{fits_over_argument, write_over};
pub use parts::parts;
pub use sums::sums_in_parts;
use together::{groups, rewrite};
pub use within::{exceed, parts_within, read_and_made};

/// How the back end fuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// Every op's result goes through memory.
    #[default]
    None,
    /// As XLA's loop fusion does.
    Xla,
    /// The same in a rewritten program, where a value that is stored is read by all: barriers keep XLA from computing it once more
    /// for some of its readers, which would read, and keep, what it is made of instead.
    XlaHeld,
    /// As XLA's compiler for GPUs does, whose kernels work on whole rows: what a softmax has between its operand and its result is nowhere stored.
    XlaGpu,
}

/// One fusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The op whose value is stored.
    pub root: OpId,
    /// Ops fused into it, ascending, the root left out. An op may be in several groups, and stored besides.
    pub members: Vec<OpId>,
}

/// What an op is to a compiler that fuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FusionClass {
    /// What it does with elements.
    pub kind: FusionKind,
    /// Is it too expensive to be computed in two fusions?
    pub expensive: bool,
}

/// What an op does with elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FusionKind {
    /// Nothing that a loop over its result could do on the way: its value is stored.
    #[default]
    Opaque,
    /// Computes an element from those at the same place.
    Elementwise,
    /// Moves elements: slices, concatenations, reshapes.
    Movement,
    /// Puts elements of several places together, and goes into several fusions only where it is what each ends with.
    Assembly,
    /// Moves elements so that a matrix product may read them where they were.
    Transpose,
    /// Moves elements that a convolution alone reads, and copies to another place anyway: a reversed kernel.
    Reversal,
    /// Puts a margin and gaps into what a reduction over windows alone reads, and counts with anyway.
    Padding,
    /// Spreads elements over more of them.
    Broadcast,
    /// Makes one element of each row of its operand, the last dimension, where kernels work on whole rows.
    RowReduction,
    /// Makes elements from their indices alone.
    Iota,
    /// Keeps the compiler from moving or merging others across it.
    Barrier,
}

impl FusionKind {
    /// Elementwise, or movement that a loop over the result can do?
    fn is_fusible(self) -> bool {
        !matches!(self, FusionKind::Opaque | FusionKind::Iota | FusionKind::Barrier)
    }
}

/// What fusion needs to know of a program beyond its graph: which dialects' ops these are is known to whoever read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionClasses {
    /// By op.
    pub ops: Vec<FusionClass>,
    /// Number of dimensions, by tensor.
    pub ranks: Vec<usize>,
    /// Does the library that runs reductions have the op? By op; none where no library does.
    pub library: Option<Vec<bool>>,
}

struct Fuser<'g> {
    graph: &'g Graph,
    classes: &'g FusionClasses,
    /// Ops that read an op's value, through views; ascending, no repeats.
    readers: Vec<Vec<OpId>>,
    returned: Vec<bool>,
    /// Is a stored value computed once more for some of its readers?
    repeats_stored: bool,
    /// What fusions have in them, by root, where kernels work on whole rows.
    rows: Option<Vec<rows::Inside>>,
    /// Ops that store their values whatever reads them.
    held: BTreeSet<OpId>,
    /// Ops computed in every fusion that reads them, however expensive.
    inside: &'g [OpId],
    /// The fusions an op is computed in, ascending: itself for an op that stores its value.
    roots: Vec<Vec<OpId>>,
}

/// Fuses a graph in place; the groups found, in order of their roots, those of one op left out. The ops of `held`, ascending,
/// store their values whatever reads them.
///
/// # Panics
/// If `classes` is not that of the graph.
pub fn fuse(graph: &mut Graph, classes: &FusionClasses, fusion: Fusion, held: &[OpId]) -> Vec<Group> {
    fuse_with(graph, classes, fusion, held, &[])
}

/// The same; those of `inside`, ascending, are computed in every fusion that reads them, however expensive they are.
///
/// # Panics
/// If `classes` is not that of the graph.
pub fn fuse_with(
    graph: &mut Graph,
    classes: &FusionClasses,
    fusion: Fusion,
    held: &[OpId],
    inside: &[OpId],
) -> Vec<Group> {
    match fusion {
        Fusion::None => Vec::new(),
        Fusion::Xla | Fusion::XlaHeld | Fusion::XlaGpu => {
            let held = [held, &behind_barriers(graph, classes)].concat();
            let mut fuser = Fuser {
                repeats_stored: fusion != Fusion::XlaHeld,
                rows: (fusion == Fusion::XlaGpu).then(|| vec![rows::Inside::default(); graph.ops.len()]),
                readers: readers(graph),
                returned: graph.returned_ops(),
                roots: vec![Vec::new(); graph.ops.len()],
                held: held.into_iter().collect(),
                inside,
                graph,
                classes,
            };
            fuser.decide();
            if fusion == Fusion::XlaHeld {
                fuser.part_sums();
            }
            let roots = fuser.roots;
            rewrite(graph, &roots)
        }
    }
}

/// Ops whose values are read through a barrier: nothing is fused across one.
fn behind_barriers(graph: &Graph, classes: &FusionClasses) -> Vec<OpId> {
    let barriers = graph.ops.iter().zip(&classes.ops);
    let barriers =
        barriers.filter(|(op, class)| op.role == OpRole::View && class.kind == FusionKind::Barrier);
    let values = barriers.flat_map(|(op, _)| &op.inputs).map(|&tensor| graph.backing(tensor));
    values.filter_map(|storage| if let Backing::Op(maker) = storage { Some(maker) } else { None }).collect()
}

fn readers(graph: &Graph) -> Vec<Vec<OpId>> {
    let mut readers: Vec<Vec<OpId>> = vec![Vec::new(); graph.ops.len()];
    for id in graph.planned() {
        for producer in graph.value_inputs(id) {
            readers[producer].push(id);
        }
    }
    readers
}

impl Fuser<'_> {
    fn decide(&mut self) {
        for (id, op) in OpId::of(&self.graph.ops).rev() {
            if op.role != OpRole::Compute {
                continue;
            }
            self.roots[id] = self.roots_of(id).unwrap_or_else(|| vec![id]);
            self.note_inside(id);
        }
    }

    /// The fusions an op goes into; none if its value must be stored.
    fn roots_of(&self, id: OpId) -> Option<Vec<OpId>> {
        if !self.is_fusible(id) {
            return None;
        }
        let readers = &self.readers[id];
        let takers = readers.iter().filter(|&&reader| self.takes(reader, id));
        let mut roots: Vec<OpId> =
            takers.clone().flat_map(|&reader| self.roots[reader].iter().copied()).collect();
        let stored = self.returned[id] || takers.count() < readers.len();
        if roots.is_empty() || (stored && !(self.repeats_stored && self.is_at_most_unary(id))) {
            return None;
        }
        roots.extend(stored.then_some(id));
        roots.sort_unstable();
        roots.dedup();
        self.may_repeat(id, &roots).then_some(roots)
    }

    /// Has the op at most one operand as large in rank as its value, besides constants and what is spread from a smaller one?
    fn is_at_most_unary(&self, id: OpId) -> bool {
        let graph = self.graph;
        let rank = |tensor: TensorId| self.classes.ranks[tensor];
        let is_whole = |tensor: &&TensorId| {
            let producer = graph.tensors[**tensor].producer;
            let kind = producer.map(|producer| self.classes.ops[producer].kind);
            let is_spread = matches!(kind, Some(FusionKind::Broadcast | FusionKind::Iota));
            let is_constant = producer.is_some_and(|op| graph.ops[op].role == OpRole::Constant);
            !is_spread
                && !is_constant
                && graph.ops[id].outputs.iter().all(|&value| rank(**tensor) >= rank(value))
        };
        graph.ops[id].inputs.iter().filter(is_whole).count() <= 1
    }

    fn takes(&self, reader: OpId, producer: OpId) -> bool {
        let (reads, makes) = (self.classes.ops[reader], self.classes.ops[producer]);
        let takes = self.takes_as_product(reader, producer);
        if let Some(takes) = takes.or_else(|| self.takes_by_rows(reader, producer)) {
            return takes;
        }
        // The windows are moved over what is not padded: it takes nothing in.
        if [reads.kind, makes.kind].contains(&FusionKind::Padding) {
            let windows = self.graph.ops[reader].layer == LayerType::Pooling;
            return makes.kind == FusionKind::Padding && windows && self.readers[producer].len() == 1;
        }
        if let Some(takes) = self.takes_by_library(reader, producer) {
            return takes;
        }
        match self.graph.ops[reader].layer {
            // A reduction takes the op in front of it and nothing beyond that one.
            LayerType::Normalisation => {
                self.readers[producer].len() == 1
                    && self.graph.ops[producer].layer == LayerType::Activation
                    && !makes.expensive
            }
            _ if self.rows.is_none() && self.is_closed(reader) => false,
            // Each element of the operand would be computed once for every element it is spread to.
            _ if reads.kind == FusionKind::Broadcast && makes.expensive => false,
            _ => reads.kind.is_fusible(),
        }
    }

    /// Is it already inside a reduction's fusion?
    fn is_closed(&self, id: OpId) -> bool {
        self.roots[id]
            .iter()
            .any(|&root| root != id && self.graph.ops[root].layer == LayerType::Normalisation)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fusion, FusionClass, FusionClasses, FusionKind, Group, OpId};
    use crate::graph::{Arithmetic, Graph, LayerType, Op, OpRole, Tensor, TensorId, Work};
    use crate::units::Bytes;

    /// Builds graphs from (name, layer, inputs): tensor i is argument 0 or the result of op i - 1.
    pub(super) fn graph(ops: &[(&str, LayerType, &[usize])], returned: &[usize]) -> Graph {
        const BYTES: u64 = 100;
        let tensor = |producer, tensor| Tensor {
            producer,
            index: 0,
            bytes: Bytes(BYTES),
            returned: returned.contains(&tensor),
            type_name: "tensor<5x5xf32>".to_owned(),
        };
        let mut graph = Graph { name: "test".to_owned(), tensors: vec![tensor(None, 0)], ..Graph::default() };
        for (id, (name, layer, inputs)) in ops.iter().enumerate() {
            let is_view = name.ends_with("reshape") || name.ends_with("barrier");
            let role = if is_view { OpRole::View } else { OpRole::Compute };
            let bytes = if role == OpRole::View { 0 } else { BYTES * (inputs.len() as u64 + 1) };
            graph.tensors.push(tensor(Some(OpId(id)), id + 1));
            graph.ops.push(Op {
                key: format!("{name} (..) -> (..)"),
                role,
                layer: *layer,
                opens_layer: *layer == LayerType::Dense,
                work: Work {
                    flops: if role == OpRole::View { 0 } else { 25 },
                    macs_exact: 25,
                    arithmetic: Arithmetic::F32,
                    bytes: Bytes(bytes),
                    priced: true,
                },
                ..Op::new(*name, inputs.to_vec(), vec![id + 1])
            });
        }
        graph
    }

    use LayerType::{Activation, Dense, Normalisation, Other};

    pub(super) fn stored(graph: &Graph) -> Vec<OpId> {
        graph.planned().collect()
    }

    /// What the ops of [`graph`] are, whose tensors have two dimensions.
    pub(super) fn classes(graph: &Graph) -> FusionClasses {
        let class = |op: &Op| FusionClass {
            kind: match (op.name.as_str(), op.layer) {
                ("s.broadcast_in_dim", _) => FusionKind::Broadcast,
                ("s.transpose", _) => FusionKind::Transpose,
                ("s.reshape", _) => FusionKind::Movement,
                ("s.pad", _) => FusionKind::Assembly,
                ("s.optimization_barrier", _) => FusionKind::Barrier,
                (_, Activation) => FusionKind::Elementwise,
                _ => FusionKind::Opaque,
            },
            expensive: matches!(op.name.as_str(), "s.tanh" | "s.divide"),
        };
        FusionClasses {
            ops: graph.ops.iter().map(class).collect(),
            ranks: vec![2; graph.tensors.len()],
            library: None,
        }
    }

    /// The fusion of these ops, whose root is the last.
    pub(super) fn group<const N: usize>(ops: [usize; N]) -> Group {
        let mut members = ops.map(OpId).to_vec();
        let root = members.pop().expect("a fusion has a root");
        Group { root, members }
    }

    /// Fuses a graph made here.
    pub(super) fn fuse(graph: &mut Graph, fusion: Fusion, held: &[OpId]) -> Vec<Group> {
        super::fuse(graph, &classes(graph), fusion, held)
    }

    #[test]
    fn an_operand_of_smaller_rank_does_not_count() {
        // A product, less a vector; one product reads the difference, and so does an elementwise op.
        let ops: [(&str, LayerType, &[usize]); 5] = [
            ("s.dot", Dense, &[0]),
            ("s.dot", Dense, &[0]),
            ("s.subtract", Activation, &[1, 2]),
            ("s.dot", Dense, &[3]),
            ("s.abs", Activation, &[3]),
        ];
        for (rank, read) in [(2, vec![OpId(2)]), (1, vec![OpId(0), OpId(1)])] {
            let mut forked = graph(&ops, &[4, 5]);
            let mut classes = classes(&forked);
            classes.ranks[2] = rank;
            super::fuse(&mut forked, &classes, Fusion::Xla, &[]);
            assert_eq!(forked.value_inputs(OpId(4)), read, "rank {rank}");
        }
    }

    #[test]
    fn nothing_is_fused_across_a_barrier() {
        let chain = |between: &str| {
            graph(
                &[("s.add", Activation, &[0]), (between, Other, &[1]), ("s.multiply", Activation, &[2])],
                &[3],
            )
        };
        for fusion in [Fusion::Xla, Fusion::XlaHeld] {
            let (mut open, mut barred) = (chain("s.reshape"), chain("s.optimization_barrier"));
            assert_eq!(fuse(&mut open, fusion, &[]), [group([0, 2])]);
            assert!(fuse(&mut barred, fusion, &[]).is_empty());
            assert_eq!((stored(&open), stored(&barred)), (vec![OpId(2)], vec![OpId(0), OpId(2)]));
        }
    }

    #[test]
    fn nothing_changes_without_fusion() {
        let before = graph(&[("s.add", Activation, &[0]), ("s.add", Activation, &[1])], &[2]);
        let mut after = before.clone();
        assert!(fuse(&mut after, Fusion::None, &[]).is_empty());
        assert_eq!(before, after);
    }

    #[test]
    fn a_chain_becomes_its_last_op_and_reads_what_the_chain_reads() {
        let mut chain = graph(
            &[
                ("s.dot", Dense, &[0]),
                ("s.add", Activation, &[1, 0]),
                ("s.reshape", Other, &[2]),
                ("s.tanh", Activation, &[3]),
                ("s.multiply", Activation, &[4, 1]),
            ],
            &[5],
        );
        let flops = |graph: &Graph| graph.ops.iter().map(|op| op.work.flops).sum::<u64>();
        let before = flops(&chain);
        let groups = fuse(&mut chain, Fusion::Xla, &[]);
        assert_eq!(groups, [group([1, 3, 4])]);
        assert_eq!(
            stored(&chain),
            [0, 4].map(OpId),
            "the product goes through memory, the sum and the tanh do not"
        );
        assert_eq!(chain.value_inputs(OpId(4)), [OpId(0)]);
        assert_eq!(chain.argument_inputs(OpId(4)), [TensorId(0)]);
        assert_eq!(flops(&chain), before);
        // Reads the argument and the product once each, writes the result.
        assert_eq!(chain.ops[4].work.bytes, Bytes(300));
        assert_eq!(chain.value_bytes(OpId(1)), Bytes::ZERO);
    }

    #[test]
    fn a_fusion_reads_no_more_of_a_value_than_its_ops_do() {
        let mut slices = graph(
            &[
                ("s.dot", Dense, &[0]),
                ("s.abs", Activation, &[1]),
                ("s.negate", Activation, &[1]),
                ("s.multiply", Activation, &[2, 3, 0]),
            ],
            &[4],
        );
        // Two of them read ten bytes each of the product, and make a hundred.
        for op in [1, 2] {
            slices.ops[op].work.bytes = Bytes(110);
        }
        assert_eq!(fuse(&mut slices, Fusion::Xla, &[]), [group([1, 2, 3])]);
        assert_eq!(slices.ops[3].work.bytes, Bytes(20 + 100 + 100));
    }

    #[test]
    fn cheap_ops_are_repeated_and_expensive_ones_are_not() {
        for (name, is_stored) in [("s.add", false), ("s.tanh", true)] {
            let mut forked = graph(
                &[(name, Activation, &[0]), ("s.negate", Activation, &[1]), ("s.abs", Activation, &[1])],
                &[2, 3],
            );
            let groups = fuse(&mut forked, Fusion::Xla, &[]);
            assert_eq!(stored(&forked).contains(&OpId(0)), is_stored, "{name}");
            assert_eq!(groups.len(), if is_stored { 0 } else { 2 });
            let flops: u64 = forked.ops.iter().map(|op| op.work.flops).sum();
            assert_eq!(flops, if is_stored { 75 } else { 100 }, "{name} is paid for where it runs");
        }
    }

    #[test]
    fn values_read_by_products_or_returned_are_stored() {
        let mut read = graph(&[("s.add", Activation, &[0]), ("s.dot", Dense, &[1])], &[2]);
        assert!(fuse(&mut read, Fusion::Xla, &[]).is_empty());
        let mut returned = graph(&[("s.add", Activation, &[0, 0]), ("s.abs", Activation, &[1])], &[1, 2]);
        assert!(fuse(&mut returned, Fusion::Xla, &[]).is_empty());
        let mut viewed = graph(
            &[("s.add", Activation, &[0, 0]), ("s.reshape", Other, &[1]), ("s.abs", Activation, &[2])],
            &[2, 3],
        );
        assert!(fuse(&mut viewed, Fusion::Xla, &[]).is_empty(), "returned through a view");
    }

    #[test]
    fn a_cheap_op_with_one_whole_operand_is_stored_for_some_readers_and_fused_into_others() {
        // A product, less something spread; a product reads the difference, and so does an elementwise op.
        let ops: [(&str, LayerType, &[usize]); 5] = [
            ("s.dot", Dense, &[0]),
            ("s.broadcast_in_dim", Other, &[0]),
            ("s.subtract", Activation, &[1, 2]),
            ("s.dot", Dense, &[3]),
            ("s.abs", Activation, &[3]),
        ];
        let mut both = graph(&ops, &[4, 5]);
        let groups = fuse(&mut both, Fusion::Xla, &[]);
        assert_eq!(groups, [group([1, 2]), group([1, 2, 4])]);
        assert_eq!(stored(&both), [0, 2, 3, 4].map(OpId));
        let read_by = |graph: &Graph| [3, 4].map(|op| graph.value_inputs(OpId(op)));
        assert_eq!(read_by(&both), [[OpId(2)], [OpId(0)]]);
        // Held, it is stored for all.
        let mut held = graph(&ops, &[4, 5]);
        assert_eq!(fuse(&mut held, Fusion::XlaHeld, &[]), [group([1, 2])]);
        assert_eq!(read_by(&held), [[OpId(2)], [OpId(2)]]);
        // Two whole operands: one value for all readers. An expensive one: the same.
        for (name, inputs) in [("s.subtract", [1, 1]), ("s.divide", [1, 2])] {
            let mut ops = ops;
            ops[2] = (name, Activation, &inputs);
            let mut one = graph(&ops, &[4, 5]);
            fuse(&mut one, Fusion::Xla, &[]);
            assert_eq!(one.value_inputs(OpId(4)), [OpId(2)], "{name}");
        }
    }

    #[test]
    fn rules_and_side_effects_keep_a_value_in_memory() {
        let chain = graph(&[("s.add", Activation, &[0]), ("s.abs", Activation, &[1])], &[2]);
        for change in [
            |op: &mut Op| op.rules.must_keep = true,
            |op: &mut Op| op.pure_op = false,
            |op: &mut Op| op.outputs.push(TensorId(1)),
        ] {
            let mut kept = chain.clone();
            change(&mut kept.ops[0]);
            assert!(fuse(&mut kept, Fusion::Xla, &[]).is_empty());
        }
    }

    #[test]
    fn random_graphs_keep_order_results_and_the_values_they_need() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let kinds = [
            ("s.add", Activation),
            ("s.tanh", Activation),
            ("s.dot", Dense),
            ("s.reduce", Normalisation),
            ("s.transpose", Other),
            ("s.sort", Other),
            ("s.reshape", Other),
        ];
        let mut fusions = 0;
        for _ in 0..300 {
            let inputs: Vec<Vec<usize>> = (0..random.random_range(1..30))
                .map(|id| (0..random.random_range(1..3)).map(|_| random.random_range(0..=id)).collect())
                .collect();
            let ops: Vec<(&str, LayerType, &[usize])> = inputs
                .iter()
                .map(|inputs| {
                    let (name, layer) = kinds[random.random_range(0..kinds.len())];
                    (name, layer, inputs.as_slice())
                })
                .collect();
            let before = graph(&ops, &[ops.len(), ops.len() / 2]);
            let mut after = before.clone();
            let groups = fuse(&mut after, Fusion::Xla, &[]);
            fusions += groups.len();
            assert_eq!(after.ops.len(), before.ops.len());
            for (id, op) in OpId::of(&after.ops) {
                assert!(after.value_inputs(id).iter().all(|&input| input < id));
                if op.role == OpRole::Compute {
                    assert!(op.work.bytes <= before_bytes(&before, &groups, id));
                    assert!(op.work.bytes >= after.value_bytes(id));
                }
            }
            assert_eq!(before.returned_ops(), after.returned_ops(), "what is returned is stored");
            // Every value a fusion needs from outside is one the members read before.
            for group in &groups {
                let mut outside: Vec<OpId> = group
                    .members
                    .iter()
                    .chain([&group.root])
                    .flat_map(|&id| before.value_inputs(id))
                    .filter(|id| !group.members.contains(id))
                    .collect();
                outside.sort_unstable();
                outside.dedup();
                assert_eq!(after.value_inputs(group.root), outside);
                assert!(outside.iter().all(|&id| after.ops[id].role == OpRole::Compute));
            }
        }
        assert!(fusions > 100, "{fusions} fusions");
    }

    /// Bytes the ops of a root's fusion move one by one.
    fn before_bytes(before: &Graph, groups: &[Group], root: OpId) -> Bytes {
        let members = groups.iter().find(|group| group.root == root).map_or(&[][..], |group| &group.members);
        members.iter().chain([&root]).map(|&id| before.ops[id].work.bytes).sum()
    }
}
