//! A function that was read: its graph, and the ops behind it.

use std::collections::BTreeMap;

use ballast_core::graph::{Graph, OpId, TensorId};
use melior::ir::operation::OperationRef;
use melior::ir::{BlockLike, BlockRef, Value};

use crate::backend::xla::workspace::Workspace;

/// A function as a graph.
#[derive(Debug)]
pub(crate) struct Imported<'c, 'a> {
    /// The graph.
    pub(crate) graph: Graph,
    /// What every op reads, as the program has it; fusion rewrites the inputs in the graph.
    pub(crate) reads: Vec<Vec<TensorId>>,
    /// Values that equal another one, by that one: see [`crate::backend::xla::equal::merge`].
    pub(crate) equal: BTreeMap<TensorId, Vec<TensorId>>,
    /// What XLA's CPU compiler holds beside operands and results of every op.
    pub(crate) workspace_in_xla: Vec<Workspace>,
    /// By op: the value that its result is written into, if there is one.
    pub(crate) in_place: Vec<Option<TensorId>>,
    /// The op behind every [`ballast_core::graph::OpId`], in program order, terminator left out.
    pub(crate) ops: Vec<OperationRef<'c, 'a>>,
    /// The function, or a loop.
    pub(crate) function: OperationRef<'c, 'a>,
    /// The block that was read.
    pub(crate) block: BlockRef<'c, 'a>,
    /// Memory that several ops use and one writes: of bodies none is told.
    pub(crate) shared: Vec<Shared>,
    /// Bodies of loops and arms of branches.
    pub(crate) bodies: Vec<Body<'c, 'a>>,
}

/// The body of a loop, or an arm of a branch.
#[derive(Debug)]
pub(crate) struct Body<'c, 'a> {
    /// The loop or branch.
    pub(crate) of: OpId,
    /// How often it runs.
    pub(crate) runs: Runs,
    /// Its only block, as one that is planned is read.
    pub(crate) imported: Imported<'c, 'a>,
}

/// Ops that use one memory which one of them writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The symbol it has, if it has one.
    pub(crate) symbol: Option<String>,
    /// Planned ops, ascending.
    pub(crate) ops: Vec<OpId>,
}

impl Shared {
    /// As messages name it.
    pub(crate) fn name(&self) -> String {
        self.symbol.as_ref().map_or_else(|| "one buffer".to_owned(), |symbol| format!("@{symbol}"))
    }
}

/// How often a body runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// So many times.
    Times(u64),
    /// As often as values say that are known when it runs.
    AsValuesSay,
    /// Once, or another arm of the branch does.
    InTurn,
}

impl<'c, 'a> Imported<'c, 'a> {
    /// The value in the program that a tensor of the graph stands for.
    pub(crate) fn value(&self, tensor: TensorId) -> Value<'c, 'a> {
        let info = &self.graph.tensors[tensor];
        let found = match info.producer {
            Some(op) => self.ops[op].result(info.index).map(Into::into),
            None => self.block.argument(info.index).map(Into::into),
        };
        found.expect("the graph names results and arguments the program has")
    }
}
