//! Small graphs, fused by hand.

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
        graph(&[("s.add", Activation, &[0]), (between, Other, &[1]), ("s.multiply", Activation, &[2])], &[3])
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

#[test]
fn a_spread_value_is_spread_anew_by_whoever_can_though_it_is_stored_for_others() {
    // A product, spread; a sort has the spread value stored, and a sum reads it too.
    let spread = |bytes: u64| {
        let mut spread = graph(
            &[
                ("s.dot", Dense, &[0]),
                ("s.broadcast_in_dim", Other, &[1]),
                ("s.sort", Other, &[2]),
                ("s.add", Activation, &[2, 0]),
            ],
            &[3, 4],
        );
        spread.tensors[1].bytes = Bytes(bytes);
        fuse(&mut spread, Fusion::XlaHeld, &[]);
        (stored(&spread), spread.value_inputs(OpId(3)))
    };
    let all = [0, 1, 2, 3].map(OpId).to_vec();
    assert_eq!(spread(10), (all.clone(), vec![OpId(0)]), "what it is made of takes less");
    assert_eq!(spread(100), (all, vec![OpId(1)]));
}

#[test]
fn what_moves_a_value_that_is_spread_for_it_alone_is_computed_anew_as_that_is() {
    // A product, spread and transposed; a sort has that stored, and a sum reads it too.
    let transposed = |read_by: usize, held: &[OpId]| {
        let mut transposed = graph(
            &[
                ("s.dot", Dense, &[0]),
                ("s.broadcast_in_dim", Other, &[1]),
                ("s.transpose", Other, &[2]),
                ("s.sort", Other, &[3]),
                ("s.add", Activation, &[3, 0]),
                ("s.sort", Other, &[read_by]),
            ],
            &[4, 5, 6],
        );
        transposed.tensors[1].bytes = Bytes(10);
        fuse(&mut transposed, Fusion::XlaHeld, held);
        transposed.value_inputs(OpId(4))
    };
    assert_eq!(transposed(0, &[]), [OpId(0)], "what it is made of takes less");
    assert_eq!(transposed(2, &[]), [OpId(2)], "another reads what is spread");
    assert_eq!(transposed(0, &[OpId(1)]), [OpId(2)], "what is spread is stored");
}

#[test]
fn a_fusion_of_a_rewritten_program_ends_somewhere() {
    let chain: Vec<[usize; 1]> = (0..600).map(|id| [id]).collect();
    let chain: Vec<(&str, LayerType, &[usize])> =
        chain.iter().map(|inputs| ("s.abs", Activation, &inputs[..])).collect();
    let sizes = |fusion| {
        let groups = fuse(&mut graph(&chain, &[600]), fusion, &[]);
        groups.iter().map(|group| group.members.len() + 1).collect::<Vec<_>>()
    };
    assert_eq!(sizes(Fusion::Xla), [600], "as the compiler does it by itself");
    assert_eq!(sizes(Fusion::XlaHeld), [88, 256, 256]);
}
