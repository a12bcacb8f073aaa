//! A function that was read: its graph, and the ops behind it.

use std::collections::HashMap;

use ballast_core::graph::{Graph, TensorId};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike, Value};

use crate::backend::xla::workspace::Workspace;

/// A function as a graph.
#[derive(Debug)]
pub(crate) struct Imported<'c, 'a> {
    /// The graph.
    pub(crate) graph: Graph,
    /// What every op reads, as the program has it; fusion rewrites the inputs in the graph.
    pub(crate) reads: Vec<Vec<TensorId>>,
    /// Values that equal another one, by that one: see [`crate::backend::xla::equal::merge`].
    pub(crate) equal: HashMap<TensorId, Vec<TensorId>>,
    /// What XLA's CPU compiler holds beside operands and results of every op.
    pub(crate) workspace_in_xla: Vec<Workspace>,
    /// The op behind every [`ballast_core::graph::OpId`], in program order, terminator left out.
    pub(crate) ops: Vec<OperationRef<'c, 'a>>,
    /// The function.
    pub(crate) function: OperationRef<'c, 'a>,
}

impl<'c, 'a> Imported<'c, 'a> {
    /// The value in the program that a tensor of the graph stands for.
    pub(crate) fn value(&self, tensor: TensorId) -> Value<'c, 'a> {
        let info = &self.graph.tensors[tensor];
        let found = match info.producer {
            Some(op) => self.ops[op].result(info.index).map(Into::into),
            None => {
                let block = self.function.first_region().and_then(|region| region.first_block());
                block.expect("a function that was read has a body").argument(info.index).map(Into::into)
            }
        };
        found.expect("the graph names results and arguments the program has")
    }
}
