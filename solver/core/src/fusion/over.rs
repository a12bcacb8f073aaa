//! Values that their last reader writes over.
//!
//! A fusion that works on elements may put its result where an operand of its size was, if nobody reads that operand afterwards
//! (`CanShareOperandBufferWithUser` in XLA's `hlo_dataflow_analysis.cc`). The gradient of a loss over a large vocabulary is the sum of two values of its size, and
//! lies in one of them.
//!
//! A plan that runs an op again, or drops a value, would have to know what is in the memory by then. So only values that are soon read for the last time
//! are written over, and none of them, nor what else reads what is written over, runs again: of such a value little is gained by that. Little is not
//! nothing where all values are alike and a cap leaves room for few of them, so that the value has to be a good part of all there is at once.

use std::collections::{BTreeSet, HashMap};

use super::{FusionClasses, FusionKind, Group, readers};
use crate::graph::{Graph, OpId, OpRole, TensorId};
use crate::units::Bytes;

/// Most planned ops from the one that makes a value to the last that reads what is written over it.
const SOON: usize = 6;
/// Part, one in so many, of all values at the fullest moment that a value has to be.
const PART: u64 = 16;
/// What else reads it may be of use for longer if it is so many times smaller.
const SMALL: u64 = 8;

/// Finds the ops that write over an operand, which becomes [`Op::over`](crate::graph::Op::over). `reads` has what every op read before the
/// graph was fused into `groups`; those of `held`, ascending, are read behind a barrier in a rewritten program, across which XLA reuses no memory.
pub fn write_over(
    graph: &mut Graph,
    (reads, groups): (&[Vec<TensorId>], &[Group]),
    classes: &FusionClasses,
    held: &[OpId],
) {
    let planned: Vec<OpId> = graph.planned().collect();
    let mut place = vec![0; graph.ops.len()];
    planned.iter().enumerate().for_each(|(at, &op)| place[op] = at);
    let (readers, returned) = (readers(graph), graph.returned_ops());
    let last: Vec<usize> =
        (0..graph.ops.len()).map(|op| place[readers[op].last().map_or(op, |reader| reader.0)]).collect();
    let most = fullest(graph, &planned, |op| (!returned[op]).then_some(last[op.0]));
    let over = Over {
        least: Bytes(most.div_ceil(PART)),
        place,
        last,
        readers,
        returned,
        members: groups.iter().map(|group| (group.root, group.members.as_slice())).collect(),
        in_results: graph.in_result_buffers().iter().map(Option::is_some).collect(),
        reads,
        classes,
        held,
        graph,
    };
    let found: Vec<(OpId, OpId)> =
        planned.iter().filter_map(|&op| Some((op, over.operand_of(op)?))).collect();
    tracing::debug!(count = found.len(), ?found, "written over");
    for (op, operand) in found {
        graph.ops[op].over = Some(operand);
    }
}

/// Bytes of all values at the moment when they are most, if every op runs once; `last` has the place among the planned ops of the one that
/// reads a value last, none where it stays.
fn fullest(graph: &Graph, planned: &[OpId], last: impl Fn(OpId) -> Option<usize>) -> u64 {
    let mut ends = vec![0u64; planned.len()];
    let (mut live, mut most) = (0u64, 0);
    for (at, &op) in planned.iter().enumerate() {
        let bytes = graph.value_bytes(op).0;
        if let Some(last) = last(op) {
            ends[last] += bytes;
        }
        live = live.saturating_add(bytes);
        most = most.max(live);
        live = live.saturating_sub(ends[at]);
    }
    most
}

/// What a tensor is a view of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Op(OpId),
    Argument(TensorId),
}

/// What holds the elements of a tensor, through views of all of it.
fn base(graph: &Graph, mut tensor: TensorId) -> Base {
    loop {
        let Some(producer) = graph.tensors[tensor].producer else { return Base::Argument(tensor) };
        let op = &graph.ops[producer];
        match op.inputs.first() {
            Some(&base) if op.role == OpRole::View => tensor = base,
            _ => return Base::Op(producer),
        }
    }
}

struct Over<'a> {
    graph: &'a Graph,
    reads: &'a [Vec<TensorId>],
    classes: &'a FusionClasses,
    held: &'a [OpId],
    /// Bytes that a value has at least.
    least: Bytes,
    /// Place among the planned ops.
    place: Vec<usize>,
    /// By op: the place of the last op that reads its value, its own if nobody does.
    last: Vec<usize>,
    /// Planned ops that read a value, ascending.
    readers: Vec<Vec<OpId>>,
    returned: Vec<bool>,
    /// By tensor: does it lie in the buffer of a result?
    in_results: Vec<bool>,
    /// Ops fused into an op, ascending.
    members: HashMap<OpId, &'a [OpId]>,
}

impl Over<'_> {
    /// The operand that an op writes over: of several the one that was made last, which is tied down for the shortest time.
    fn operand_of(&self, op: OpId) -> Option<OpId> {
        let operands = self.graph.value_inputs(op);
        operands.into_iter().rev().find(|&operand| {
            self.is_sole_value(op)
                && self.is_sole_value(operand)
                && self.held.binary_search(&operand).is_err()
                && self.graph.value_bytes(operand) == self.graph.value_bytes(op)
                && self.readers[operand].last() == Some(&op)
                && self.last[op.0] <= self.place[operand] + SOON
                && self.readers[operand].iter().all(|&other| other == op || self.is_of_no_use(other, operand))
                && self.is_elementwise(operand, op)
        })
    }

    /// Is it one value, in memory of its own, that nobody has a say in?
    fn is_sole_value(&self, id: OpId) -> bool {
        let op = &self.graph.ops[id];
        let ruled = op.rules.must_keep || op.rules.never_recompute || op.rules.never_swap;
        let [output] = op.outputs[..] else { return false };
        !ruled
            && !self.returned[id]
            && !self.in_results[output]
            && self.graph.value_bytes(id) >= self.least.max(Bytes(1))
    }

    /// Is nothing gained by running a reader of an operand again?
    fn is_of_no_use(&self, reader: OpId, operand: OpId) -> bool {
        let small =
            self.graph.value_bytes(reader).0.saturating_mul(SMALL) <= self.graph.value_bytes(operand).0;
        small || self.last[reader.0] <= self.place[operand] + SOON
    }

    /// Does every element of a fusion's value come from the one at the same place of an operand, wherever that is read?
    fn is_elementwise(&self, operand: OpId, root: OpId) -> bool {
        let members = self.members.get(&root).copied().unwrap_or_default();
        let is_operand = |base| base == Base::Op(operand);
        is_elementwise(self.graph, (self.reads, members), self.classes, is_operand, root)
    }
}

/// May what a fusion of `members` makes lie where an argument lies, if it is the last to read it: does every element come from the one at the same
/// place of the argument, wherever that is read? `reads` has what every op read before it was fused.
#[must_use]
pub fn fits_over_argument(
    graph: &Graph,
    (reads, members): (&[Vec<TensorId>], &[OpId]),
    classes: &FusionClasses,
    argument: TensorId,
    root: OpId,
) -> bool {
    is_elementwise(graph, (reads, members), classes, |base| base == Base::Argument(argument), root)
}

fn is_elementwise(
    graph: &Graph,
    (reads, members): (&[Vec<TensorId>], &[OpId]),
    classes: &FusionClasses,
    is_operand: impl Fn(Base) -> bool,
    root: OpId,
) -> bool {
    let mut made_of: BTreeSet<OpId> = BTreeSet::new();
    for &id in members.iter().chain([&root]) {
        let mut read = reads[id].iter().map(|&tensor| base(graph, tensor));
        if read.any(|read| is_operand(read) || matches!(read, Base::Op(id) if made_of.contains(&id))) {
            if classes.ops[id].kind != FusionKind::Elementwise {
                return false;
            }
            made_of.insert(id);
        }
    }
    made_of.contains(&root)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, fuse, graph};
    use super::super::{Fusion, FusionKind};
    use super::*;
    use crate::graph::LayerType::{Activation, Dense, Normalisation};

    /// By op: what it writes over, in a graph of [`graph`] once that is fused.
    fn over(graph: &Graph) -> Vec<Option<usize>> {
        over_with(graph, &[])
    }

    /// The same with values that are held.
    fn over_with(graph: &Graph, held: &[OpId]) -> Vec<Option<usize>> {
        let mut fused = graph.clone();
        let classes = classes(graph);
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        let groups = fuse(&mut fused, Fusion::Xla, held);
        write_over(&mut fused, (&reads, &groups), &classes, held);
        fused.ops.iter().map(|op| op.over.map(|operand| operand.0)).collect()
    }

    /// A product, its sum, and the product divided by it, which another product reads.
    fn softmax() -> Graph {
        let mut graph = graph(
            &[
                ("s.dot", Dense, &[0]),
                ("s.reduce", Normalisation, &[1]),
                ("s.broadcast_in_dim", Activation, &[2]),
                ("s.divide", Activation, &[1, 3]),
                ("s.dot", Dense, &[4]),
            ],
            &[5],
        );
        graph.tensors[2].bytes = Bytes(10);
        graph
    }

    #[test]
    fn the_last_reader_writes_over_what_it_reads_element_by_element() {
        assert_eq!(over(&softmax()), [None, None, None, Some(0), None]);
        assert_eq!(over_with(&softmax(), &[OpId(0)]), [None; 5], "behind a barrier");
        // Another op reads it afterwards, or another element of it.
        let mut later = softmax();
        later.ops[4].inputs.push(TensorId(1));
        assert_eq!(over(&later), [None; 5]);
        let mut moved = softmax();
        moved.ops[3].name = "s.transpose".to_owned();
        moved.ops[3].inputs.truncate(1);
        assert!(classes(&moved).ops[3].kind != FusionKind::Elementwise);
        assert_eq!(over(&moved)[3], None);
    }

    #[test]
    fn results_values_of_other_sizes_and_what_rules_are_about_stay() {
        let changed = |change: &dyn Fn(&mut Graph)| {
            let mut graph = softmax();
            change(&mut graph);
            over(&graph)[3]
        };
        assert_eq!(changed(&|_| ()), Some(0));
        assert_eq!(changed(&|graph| graph.tensors[1].returned = true), None);
        assert_eq!(changed(&|graph| graph.tensors[4].returned = true), None);
        assert_eq!(changed(&|graph| graph.tensors[4].bytes = Bytes(50)), None);
        assert_eq!(changed(&|graph| graph.ops[0].rules.must_keep = true), None);
        assert_eq!(changed(&|graph| graph.ops[3].rules.never_swap = true), None);
    }

    #[test]
    fn one_of_many_alike_is_not_tied_down() {
        // Products that are held until the end beside the one that is divided.
        let with = |held: usize| {
            let product = held + 1;
            let mut ops: Vec<(&str, crate::graph::LayerType, Vec<usize>)> =
                vec![("s.dot", Dense, vec![0]); product];
            ops.push(("s.reduce", Normalisation, vec![product]));
            ops.push(("s.divide", Activation, vec![product, product + 1]));
            ops.push(("s.dot", Dense, (1..product).chain([product + 2]).collect()));
            let ops: Vec<_> =
                ops.iter().map(|(name, layer, inputs)| (*name, *layer, inputs.as_slice())).collect();
            let mut graph = graph(&ops, &[ops.len()]);
            graph.tensors[product + 1].bytes = Bytes(10);
            over(&graph)[product + 1].is_some()
        };
        assert_eq!((with(13), with(14)), (true, false));
    }

    #[test]
    fn what_a_plan_may_want_to_make_again_is_not_tied_down() {
        // Between the quotient and the product that reads it, so many others.
        let with = |between: usize| {
            let mut ops: Vec<(&str, crate::graph::LayerType, Vec<usize>)> = vec![
                ("s.dot", Dense, vec![0]),
                ("s.reduce", Normalisation, vec![1]),
                ("s.divide", Activation, vec![1, 2]),
            ];
            ops.extend((0..between).map(|_| ("s.dot", Dense, vec![0])));
            ops.push(("s.dot", Dense, vec![3]));
            let ops: Vec<_> =
                ops.iter().map(|(name, layer, inputs)| (*name, *layer, inputs.as_slice())).collect();
            let mut graph = graph(&ops, &[ops.len()]);
            graph.tensors[2].bytes = Bytes(10);
            over(&graph)[2]
        };
        assert_eq!((with(SOON - 3), with(SOON - 2)), (Some(0), None));
    }
}
