//! Memory that something in the program writes, and the ops that use it: buffers, what shows a part of one, and state behind a symbol.
//!
//! An op that reads such memory gives another result once it was written, so it runs once, in its turn among the ops with effects; and each device would
//! have a memory of its own, so all that use it run on one. Memory that nobody writes binds nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::c_void;

use ballast_core::graph::{Graph, OpId, OpRole, TensorId};
use ballast_dialects::ir;
use ballast_dialects::operations::symbol_references;
use ballast_dialects::types::{self, Container, Kind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{TypeLike, ValueLike};
use petgraph::unionfind::UnionFind;

use super::imported::{Imported, Shared};
use super::symbols::Symbols;

/// Ops with effects that write nothing.
const READERS: [&str; 12] = [
    "affine.load",
    "affine.vector_load",
    "memref.alloc",
    "memref.alloca",
    "memref.load",
    "memref.prefetch",
    "ml_program.global_load",
    "tosa.variable_read",
    "vector.gather",
    "vector.load",
    "vector.maskedload",
    "vector.transfer_read",
];
/// Dialects whose ops on tensors make new ones. Ops of others may hand on what they are given.
const MAKERS: [&str; 11] = [
    "arith",
    "chlo",
    "complex",
    "index",
    "linalg",
    "math",
    "memref",
    "stablehlo",
    "tensor",
    "tosa",
    "vector",
];
/// Ops of these dialects that hand on what they are given nevertheless.
const HANDING_ON: [&str; 6] =
    ["arith.select", "stablehlo.case", "stablehlo.if", "stablehlo.while", "tosa.cond_if", "tosa.while_loop"];

/// Finds shared memory, and keeps ops that use it from running twice or out of their turn, and values that lie in it from being copied away.
pub(super) fn mark<'c: 'a, 'a>(symbols: &Symbols<'c, 'a>, imported: &mut Imported<'c, 'a>) {
    let shared = Memory::of(symbols, imported).shared(imported);
    let tensors = &imported.graph.tensors;
    let made: Vec<OpId> = shared
        .iter()
        .flat_map(|(memory, lie)| {
            let makers: HashSet<OpId> = lie.iter().filter_map(|&tensor| tensors[tensor].producer).collect();
            memory.ops.iter().copied().filter(move |op| makers.contains(op))
        })
        .collect();
    for &op in shared.iter().flat_map(|(memory, _)| &memory.ops) {
        imported.graph.ops[op].pure_op = false;
    }
    for op in made {
        imported.graph.ops[op].rules.never_swap = true;
    }
    imported.shared = shared.into_iter().map(|(shared, _)| shared).collect();
}

/// Which values lie in the same memory. Symbols come behind the tensors.
struct Memory {
    same: UnionFind<usize>,
    /// State of the program, of modules inside it too, as messages name it.
    symbols: Vec<String>,
    /// By op: the symbols it uses, itself, inside or in functions it calls.
    uses: Vec<Vec<usize>>,
}

impl Memory {
    fn of<'c: 'a, 'a>(symbols: &Symbols<'c, 'a>, imported: &Imported<'c, 'a>) -> Self {
        let graph = &imported.graph;
        let tensors = graph.tensors.len();
        let states: Vec<OperationRef<'c, 'a>> = symbols.all().filter(|&op| is_state(op)).collect();
        let number: HashMap<*const c_void, usize> =
            states.iter().enumerate().map(|(number, op)| (op.to_raw().ptr.cast_const(), number)).collect();
        let mut memory = Memory {
            same: UnionFind::new(tensors + states.len()),
            symbols: states.iter().map(|&op| symbols.name(op)).collect(),
            uses: imported.ops.iter().map(|&op| states_used(op, &number, symbols)).collect(),
        };
        for (id, op) in OpId::of(&graph.ops) {
            if op.name == "memref.get_global" {
                for (&tensor, &symbol) in op.outputs.iter().zip(&memory.uses[id.0]) {
                    memory.same.union(tensor.0, tensors + symbol);
                }
            }
            let handed_on = match op.role {
                OpRole::View => &op.inputs[..1],
                OpRole::Compute => &op.inputs[..],
                OpRole::Constant => &[],
            };
            let holds = |&&tensor: &&TensorId| has_memory(imported, tensor);
            for &from in handed_on.iter().filter(holds) {
                for &to in op.outputs.iter().filter(holds) {
                    if op.role == OpRole::View || hands_on(imported, id, to) {
                        memory.same.union(from.0, to.0);
                    }
                }
            }
        }
        memory
    }

    /// The memories that something writes, with the tensors in each.
    fn shared(&self, imported: &Imported<'_, '_>) -> Vec<(Shared, Vec<TensorId>)> {
        let graph = &imported.graph;
        let tensors = graph.tensors.len();
        let writers = graph.planned().filter(|&id| !graph.ops[id].pure_op);
        let writers = writers.filter(|&id| !READERS.contains(&graph.ops[id].name.as_str()));
        let mut written = vec![false; tensors + self.symbols.len()];
        for id in writers {
            for tensor in written_by(imported, id) {
                written[self.same.find(tensor.0)] = true;
            }
            for &symbol in &self.uses[id.0] {
                written[self.same.find(tensors + symbol)] = true;
            }
        }
        let mut found: BTreeMap<usize, (Shared, Vec<TensorId>)> = BTreeMap::new();
        for id in graph.planned() {
            for root in self.used_roots(graph, id).into_iter().filter(|&root| written[root]) {
                found.entry(root).or_default().0.ops.push(id);
            }
        }
        for (number, symbol) in self.symbols.iter().enumerate() {
            if let Some((shared, _)) = found.get_mut(&self.same.find(tensors + number)) {
                shared.symbol.get_or_insert_with(|| symbol.clone());
            }
        }
        for tensor in TensorId::first(tensors) {
            if let Some((_, lie)) = found.get_mut(&self.same.find(tensor.0)) {
                lie.push(tensor);
            }
        }
        found.into_values().collect()
    }

    /// The memories that an op uses.
    fn used_roots(&self, graph: &Graph, id: OpId) -> BTreeSet<usize> {
        let op = &graph.ops[id];
        let values = op.inputs.iter().chain(&op.outputs).map(|tensor| tensor.0);
        let symbols = self.uses[id.0].iter().map(|symbol| graph.tensors.len() + symbol);
        values.chain(symbols).map(|value| self.same.find(value)).collect()
    }
}

/// Which of the states an op uses, ascending.
fn states_used<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    states: &HashMap<*const c_void, usize>,
    symbols: &Symbols<'c, 'a>,
) -> Vec<usize> {
    if states.is_empty() {
        return Vec::new();
    }
    let mut pending = named_in(op, symbols);
    let mut seen: HashSet<_> = pending.iter().map(|op| op.to_raw().ptr).collect();
    let mut used = Vec::new();
    while let Some(named) = pending.pop() {
        if let Some(&state) = states.get(&named.to_raw().ptr.cast_const()) {
            used.push(state);
        } else {
            pending.extend(named_in(named, symbols).into_iter().filter(|op| seen.insert(op.to_raw().ptr)));
        }
    }
    used.sort_unstable();
    used
}

/// What an op or anything inside it names, each once: `tosa` names its variables by strings.
fn named_in<'c: 'a, 'a>(op: OperationRef<'c, 'a>, symbols: &Symbols<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut seen = HashSet::new();
    let mut named = Vec::new();
    for inside in std::iter::once(op).chain(ir::nested(op)) {
        let mut paths = symbol_references(inside);
        if ir::name(inside).starts_with("tosa.variable_") {
            paths.extend(ir::string(inside, "name").map(|name| vec![name]));
        }
        let found = paths.iter().filter_map(|path| symbols.find(inside, path));
        named.extend(found.filter(|op| seen.insert(op.to_raw().ptr)));
    }
    named
}

/// Is it state that the program may change?
fn is_state(op: OperationRef<'_, '_>) -> bool {
    match ir::name(op) {
        "memref.global" => ir::attribute(op, "constant").is_none(),
        "ml_program.global" => ir::attribute(op, "is_mutable").is_some(),
        "tosa.variable" => true,
        _ => false,
    }
}

/// Is the value a buffer?
fn is_buffer(imported: &Imported<'_, '_>, tensor: TensorId) -> bool {
    let kind = imported.value(tensor).r#type();
    match types::kind(kind) {
        Kind::Shaped(shape) => match shape.container {
            Container::MemRef => true,
            Container::Other => !kind.is_vector(),
            Container::RankedTensor | Container::UnrankedTensor => false,
        },
        _ => false,
    }
}

/// May the value lie in a buffer? Numbers and vectors are copied out of one.
fn has_memory(imported: &Imported<'_, '_>, tensor: TensorId) -> bool {
    let kind = imported.value(tensor).r#type();
    is_buffer(imported, tensor) || matches!(types::kind(kind), Kind::Shaped(_) if !kind.is_vector())
}

/// May a result of an op lie where an operand does?
fn hands_on(imported: &Imported<'_, '_>, id: OpId, result: TensorId) -> bool {
    let name = imported.graph.ops[id].name.as_str();
    let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
    is_buffer(imported, result) || !MAKERS.contains(&dialect) || HANDING_ON.contains(&name)
}

/// The buffers that an op with effects may write.
fn written_by(imported: &Imported<'_, '_>, id: OpId) -> Vec<TensorId> {
    let op = imported.ops[id];
    let name = ir::name(op);
    // What stands before the first operand that is written is only read.
    let first = match name {
        "memref.copy" | "bufferization.materialize_in_destination" => 1,
        _ if name.starts_with("linalg.") => {
            let segments = ir::integers(op, "operandSegmentSizes");
            segments.and_then(|sizes| usize::try_from(*sizes.first()?).ok()).unwrap_or(0)
        }
        _ => 0,
    };
    let read: Vec<_> = op.operands().take(first).map(|value| value.to_raw().ptr).collect();
    let written: Vec<_> = op.operands().skip(first).map(|value| value.to_raw().ptr).collect();
    let is_read = |&&tensor: &&TensorId| {
        let value = imported.value(tensor).to_raw().ptr;
        read.contains(&value) && !written.contains(&value)
    };
    let reads = imported.reads[id].iter().filter(|tensor| !is_read(tensor));
    reads.copied().filter(|&tensor| is_buffer(imported, tensor)).collect()
}
