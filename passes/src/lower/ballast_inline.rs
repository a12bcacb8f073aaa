//! `--ballast-inline`: replaces calls of private helpers by their bodies.
//!
//! Upstream `--inline` neither takes callees with unregistered ops nor survives unregistered ops with regions, and
//! every exported StableHLO training step has both. Callees are flattened before their callers, so that each body is
//! cloned in its final form; nothing recurses, however deep the calls nest.

use std::collections::{BTreeMap, BTreeSet};

use ballast_dialects::attributes::{DEVICE, MUST_KEEP, NEVER_RECOMPUTE, NEVER_SWAP};
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{
    erase, for_each_op, is_constant_like, is_symbol_table, referenced_symbols, replace_all_uses, set_location,
};
use ballast_dialects::passes::BallastInlineOptions;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, RegionLike};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::import;

/// Ops that inlining may make of one module: past this, helpers that call helpers twice each have multiplied.
const MOST_OPS: u64 = 20_000_000;

/// Attributes on a call that hold for every op of the callee but constants.
pub(crate) const INHERITED: [&str; 4] = [DEVICE, NEVER_RECOMPUTE, NEVER_SWAP, MUST_KEEP];

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastInlineOptions) -> Result<(), Reported> {
    inline_calls(module, None)
}

/// Inlines all calls of private single-block functions of `module`, then erases private functions that nothing
/// reachable refers to. `keep` names a private function, with `@` before it or not, that stays whatever happens: the
/// one to be planned.
///
/// Calls of recursive functions, and of functions without a body or with several blocks, stay; each is named in a
/// remark.
///
/// # Errors
/// Where the result would be larger than [`MOST_OPS`], reported at the function that gets too large.
pub(crate) fn inline_calls(module: OperationRef<'_, '_>, keep: Option<&str>) -> Result<(), Reported> {
    let functions = Functions::of(module);
    functions.check_size()?;
    for &function in &functions.callees_first {
        functions.inline_into(function);
    }
    functions.erase_dead(module, keep);
    Ok(())
}

/// One function of the module.
struct Function<'c, 'a> {
    op: OperationRef<'c, 'a>,
    name: String,
    private: bool,
    /// The only block of its body.
    block: Option<BlockRef<'c, 'a>>,
    /// Its calls of functions of this module, in order, with the callee's index.
    calls: Vec<(OperationRef<'c, 'a>, usize)>,
    /// Ops of its body, nested ones included.
    ops: u64,
    /// Does it, by whatever way round, call itself?
    recursive: bool,
}

struct Functions<'c, 'a> {
    all: Vec<Function<'c, 'a>>,
    /// Indices of all functions, each after those it calls.
    callees_first: Vec<usize>,
}

impl<'c: 'a, 'a> Functions<'c, 'a> {
    fn of(module: OperationRef<'c, 'a>) -> Self {
        let mut all = Vec::new();
        for op in top_level(module) {
            if ir::name(op) != "func.func" {
                continue;
            }
            let private = ir::string(op, "sym_visibility").is_some_and(|visibility| visibility == "private");
            let block = op
                .region(0)
                .ok()
                .and_then(|region| region.first_block())
                .filter(|block| block.next_in_region().is_none())
                .filter(|block| block.terminator().is_some_and(|last| ir::name(last) == "func.return"));
            let name = ir::string(op, "sym_name").unwrap_or_default();
            all.push(Function { op, name, private, block, calls: Vec::new(), ops: 0, recursive: false });
        }
        let index: BTreeMap<String, usize> =
            all.iter().enumerate().map(|(index, function)| (function.name.clone(), index)).collect();
        for function in &mut all {
            let (mut ops, mut calls) = (0, Vec::new());
            for_each_op(function.op, |op| {
                ops += 1;
                if ir::name(op) == "func.call"
                    && names_of_module(op, function.op)
                    && let Some([callee]) = ir::symbol(op, "callee").as_deref()
                    && let Some(&callee) = index.get(callee)
                {
                    calls.push((op, callee));
                }
            });
            (function.ops, function.calls) = (ops, calls);
        }
        let callees_first = mark_recursive(&mut all);
        Functions { all, callees_first }
    }

    /// Can calls of this function be replaced by its body?
    fn inlinable(&self, function: usize) -> bool {
        let function = &self.all[function];
        function.private && function.block.is_some() && !function.recursive
    }

    fn check_size(&self) -> Result<(), Reported> {
        let mut sizes = vec![0_u64; self.all.len()];
        for &index in &self.callees_first {
            let function = &self.all[index];
            let inlined = function.calls.iter().filter(|&&(_, callee)| self.inlinable(callee));
            sizes[index] = inlined.fold(function.ops, |sum, &(_, callee)| sum.saturating_add(sizes[callee]));
            if sizes[index] > MOST_OPS {
                let text = format!(
                    "inlining all calls would make more than {MOST_OPS} ops of function '{}'",
                    function.name
                );
                return Err(diagnostics::error(function.op.location(), &text));
            }
        }
        Ok(())
    }

    fn inline_into(&self, caller: usize) {
        for &(call, callee) in &self.all[caller].calls {
            let function = &self.all[callee];
            match function.block {
                Some(block) if self.inlinable(callee) => inline(call, block),
                _ if !function.private => {}
                _ => {
                    let why = match function.block {
                        _ if function.recursive => "it calls itself",
                        None if !import::has_body(function.op) => "it has no body",
                        _ => "its body is not one block",
                    };
                    let text = format!("call of '{}' is not inlined: {why}", function.name);
                    diagnostics::remark(call.location(), &text);
                }
            }
        }
    }

    /// Erases private functions that neither a public function nor any other op of the module leads to. A module
    /// without a public function keeps all.
    fn erase_dead(&self, module: OperationRef<'c, 'a>, keep: Option<&str>) {
        let kept = |function: &Function| {
            !function.private || keep.is_some_and(|keep| keep.trim_start_matches('@') == function.name)
        };
        if !self.all.iter().any(kept) {
            return;
        }
        let by_name: BTreeMap<&str, &Function<'c, 'a>> =
            self.all.iter().map(|function| (function.name.as_str(), function)).collect();
        let mut live: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<OperationRef<'c, 'a>> = top_level(module)
            .into_iter()
            .filter(|op| ir::name(*op) != "func.func" || self.all.iter().any(|f| f.op == *op && kept(f)))
            .collect();
        while let Some(op) = open.pop() {
            for name in referenced_symbols(&op) {
                if let Some(function) = by_name.get(name.as_str())
                    && live.insert(name)
                {
                    open.push(function.op);
                }
            }
        }
        for function in self.all.iter().filter(|function| !kept(function) && !live.contains(&function.name)) {
            erase(function.op);
        }
    }
}

/// Does a name in an op inside of a function mean what it does in the module? Not in a table of symbols of its own, such as a module in the
/// function's body.
fn names_of_module(op: OperationRef<'_, '_>, function: OperationRef<'_, '_>) -> bool {
    std::iter::successors(op.parent_operation(), |op| op.parent_operation())
        .take_while(|around| *around != function)
        .all(|around| !is_symbol_table(&around))
}

/// Marks the functions on a cycle of calls; returns all, callees first.
fn mark_recursive(functions: &mut [Function<'_, '_>]) -> Vec<usize> {
    let mut calls = DiGraph::<(), (), usize>::default();
    for _ in 0..functions.len() {
        calls.add_node(());
    }
    for (caller, function) in functions.iter().enumerate() {
        for &(_, callee) in &function.calls {
            calls.update_edge(NodeIndex::new(caller), NodeIndex::new(callee), ());
        }
    }
    let mut order = Vec::with_capacity(functions.len());
    // Iterative, unlike Tarjan's algorithm in the same crate; components come callees first.
    for component in kosaraju_scc(&calls) {
        for &node in &component {
            functions[node.index()].recursive = component.len() > 1 || calls.contains_edge(node, node);
            order.push(node.index());
        }
    }
    order
}

/// Replaces one call by the callee's block.
fn inline(call: OperationRef<'_, '_>, body: BlockRef<'_, '_>) {
    let Some(block) = call.block() else { return };
    let mut mapping = Mapping::new();
    for (index, operand) in call.operands().enumerate() {
        if let Ok(argument) = body.argument(index) {
            mapping.map(argument, operand);
        }
    }
    let inherited: Vec<_> =
        INHERITED.iter().filter_map(|name| Some((*name, call.attribute(name).ok()?))).collect();
    let mut next = body.first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        // The terminator.
        if next.is_none() {
            for (result, value) in call.results().zip(op.operands()) {
                replace_all_uses(result, mapping.lookup(value));
            }
            break;
        }
        let clone = block.insert_operation_before(call, mapping.clone_op(&op));
        let relocate = |op: OperationRef<'_, '_>| {
            set_location(op, ir::location_at(op.location(), call.location()));
        };
        relocate(clone);
        for_each_op(clone, relocate);
        // A constant is not planned: it travels with what reads it.
        let constant = is_constant_like(&clone);
        for (name, attribute) in &inherited {
            if !constant && !clone.has_attribute(name) {
                ir::set(clone, name, *attribute);
            }
        }
    }
    erase(call);
}

fn top_level<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let first =
        module.region(0).ok().and_then(|region| region.first_block()).and_then(|body| body.first_operation());
    std::iter::successors(first, |op| op.next_in_block()).collect()
}
