//! Ops that compute what an earlier op has computed: a compiler that eliminates common subexpressions, as XLA does before it
//! fuses, stores one value for all of them.
//!
//! Found by value numbering over the whole block. Two ops are equal if name, attributes, result types, regions and the numbers of
//! their operands are; operands of commutative ops in any order, as in XLA's `HloCSE`. What is merged is planned ops alone: views
//! and constants travel with their readers anyway. Barriers are never equal, since they are there to keep ops apart.

use std::collections::HashMap;
use std::ffi::c_void;

use ballast_core::graph::{OpId, OpRole, TensorId};
use ballast_core::units::Bytes;
use ballast_dialects::cloning::{Mapping, forget_locations};
use ballast_dialects::ir;
use ballast_dialects::operations::borrowed;
use ballast_dialects::text::readable;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, ValueLike};

use crate::import::Imported;

/// Ops whose operands may change places: of StableHLO alone, since those of `linalg` read what they write besides.
const COMMUTATIVE: [&str; 7] = [
    "stablehlo.add",
    "stablehlo.and",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.multiply",
    "stablehlo.or",
    "stablehlo.xor",
];

/// What two equal ops have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// What they read, and what the ops inside them read. Addresses are compared and never ordered.
    values: Vec<usize>,
    text: Vec<u8>,
}

/// Numbers of values: equal values have equal numbers.
type Numbers = HashMap<*const c_void, usize>;

/// Lets the readers of an op that equals an earlier one read that one's value; it becomes a view of it that nobody reads. The earlier one runs where
/// the user has put either.
pub(crate) fn merge(imported: &mut Imported<'_, '_>) {
    let mut numbers = Numbers::new();
    let mut seen: HashMap<Key, OpId> = HashMap::new();
    let mut stands_for: Vec<TensorId> = TensorId::first(imported.graph.tensors.len()).collect();
    for id in OpId::first(imported.ops.len()) {
        let op = imported.ops[id];
        let first = match key(op, &numbers) {
            Some(key) if imported.graph.ops[id].pure_op => *seen.entry(key).or_insert(id),
            _ => id,
        };
        for (result, equal) in op.results().zip(imported.ops[first].results()) {
            let next = numbers.len();
            let number = numbers.get(&equal.to_raw().ptr).copied().unwrap_or(next);
            numbers.insert(result.to_raw().ptr, number);
        }
        if first != id
            && let (Some(kept), Some(dropped)) = (sole_value(imported, first), sole_value(imported, id))
            && !imported.graph.tensors[dropped].returned
            && on_one_device(imported, first, id)
        {
            stands_for[dropped] = kept;
            let device = imported.graph.ops[id].rules.device;
            let rule = &mut imported.graph.ops[first].rules.device;
            *rule = rule.or(device);
        }
    }
    rewire(imported, &stands_for);
}

/// The value of a planned op that may be merged: its only result, under no rule about memory.
fn sole_value(imported: &Imported<'_, '_>, id: OpId) -> Option<TensorId> {
    let op = &imported.graph.ops[id];
    let ruled = op.rules.must_keep || op.rules.never_recompute || op.rules.never_swap;
    match op.outputs[..] {
        [output] if op.role == OpRole::Compute && !ruled => Some(output),
        _ => None,
    }
}

fn on_one_device(imported: &Imported<'_, '_>, first: OpId, second: OpId) -> bool {
    let device = |id: OpId| imported.graph.ops[id].rules.device;
    device(first).is_none() || device(second).is_none() || device(first) == device(second)
}

fn rewire(imported: &mut Imported<'_, '_>, stands_for: &[TensorId]) {
    let graph = &mut imported.graph;
    for inputs in graph.ops.iter_mut().map(|op| &mut op.inputs).chain(&mut imported.reads) {
        inputs.iter_mut().for_each(|tensor| *tensor = stands_for[*tensor]);
    }
    for (dropped, &kept) in TensorId::of(stands_for).filter(|&(dropped, &kept)| dropped != kept) {
        let Some(maker) = graph.tensors[dropped].producer else { continue };
        let op = &mut graph.ops[maker];
        op.role = OpRole::View;
        op.inputs = vec![kept];
        (op.work.flops, op.work.macs_exact, op.work.bytes) = (0, 0, Bytes::ZERO);
        op.work.priced = true;
        op.workspace = Bytes::ZERO;
        imported.reads[maker] = vec![kept];
        imported.equal.entry(kept).or_default().push(dropped);
    }
}

/// What makes an op equal to others; none for one that never is.
fn key(op: OperationRef<'_, '_>, numbers: &Numbers) -> Option<Key> {
    if ir::name(op).ends_with("barrier") {
        return None;
    }
    let mut values = Vec::new();
    describe(op, numbers, &mut HashMap::new(), &mut values);
    Some(Key { values, text: text(op) })
}

/// Names, attributes and types of an op and of what it holds. Printed, since MLIR lists no properties of ops it does not know; from a
/// copy that stands alone, so that no operand has a name and the plan's own attributes can go.
fn text(op: OperationRef<'_, '_>) -> Vec<u8> {
    let copy = Mapping::new().clone_op(&op);
    let inside = borrowed(&copy);
    // Attributes that Ballast put on the op.
    for (name, _) in ir::discardable(op).into_iter().filter(|(name, _)| name.starts_with(b"ballast.")) {
        ir::remove(inside, &readable(name));
    }
    // Nor where it comes from, which `--mlir-print-debuginfo` would print.
    forget_locations(inside);
    let mut printed = Vec::new();
    ballast_dialects::text::print_op(&copy, |piece| printed.extend_from_slice(piece));
    printed
}

/// Writes down what an op reads, and what its regions read. `inner` numbers the values made inside, in order.
fn describe(op: OperationRef<'_, '_>, numbers: &Numbers, inner: &mut Numbers, key: &mut Vec<usize>) {
    key.push(op.operand_count());
    // Values from inside the op and from outside are numbered apart; a function's argument stands for itself.
    let mut operands: Vec<[usize; 2]> = op
        .operands()
        .map(|value| {
            let raw = value.to_raw().ptr;
            let outside = || numbers.get(&raw).map_or([2, raw as usize], |&number| [1, number]);
            inner.get(&raw).map_or_else(outside, |&number| [0, number])
        })
        .collect();
    if COMMUTATIVE.contains(&ir::name(op)) {
        operands.sort_unstable();
    }
    key.extend(operands.as_flattened());
    for result in op.results() {
        let number = inner.len();
        inner.insert(result.to_raw().ptr, number);
    }
    for block in ir::blocks(op) {
        key.push(usize::MAX);
        for index in 0..block.argument_count() {
            if let Ok(argument) = block.argument(index) {
                let number = inner.len();
                inner.insert(argument.to_raw().ptr, number);
            }
        }
        for nested in ir::ops(block) {
            describe(nested, numbers, inner, key);
        }
    }
    key.push(usize::MAX - 1);
}
