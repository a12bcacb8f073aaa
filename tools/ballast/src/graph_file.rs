//! The graph of a program, from the file that `--remat="graph-file=..."` writes.

use std::path::Path;

use ballast_core::graph::{Graph, OpId, TensorId};
use ballast_core::units::Bytes;

use crate::failure::Failure;
use crate::mlir::{HOW_TO_GRAPH, is_mlir};
use crate::output::read_text;

/// Reads a program written by `--remat="graph-file=..."`.
pub(crate) fn read(path: &Path) -> Result<Graph, Failure> {
    parse(&read_text(path)?, path)
}

/// The same of a file's text.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Graph, Failure> {
    let in_file = |error: String| Failure::BadInput(format!("{}: {error}", path.display()));
    if is_mlir(text) {
        return Err(in_file(HOW_TO_GRAPH.to_owned()));
    }
    let graph: Graph =
        serde_json::from_str(text).map_err(|error| in_file(format!("not a graph: {error}")))?;
    check_graph(&graph).map_err(in_file)?;
    Ok(graph)
}

/// What a graph from a file must keep for the solvers to work on it: indices that lead somewhere, tensors and ops that name each
/// other, figures that can be added up.
fn check_graph(graph: &Graph) -> Result<(), String> {
    let (tensors, ops) = (graph.tensors.len(), graph.ops.len());
    for (id, op) in OpId::of(&graph.ops) {
        let op_said = |what: String| Err(format!("op {id} ('{}') {what}", op.name));
        for &tensor in op.inputs.iter().chain(&op.outputs) {
            if tensor.0 >= tensors {
                return op_said(format!("names tensor {tensor} of {tensors}"));
            }
        }
        for &tensor in &op.inputs {
            if graph.tensors[tensor].producer.is_some_and(|producer| producer >= id) {
                return op_said("reads what is computed later".into());
            }
        }
        if let Some(&tensor) = op.outputs.iter().find(|&&tensor| graph.tensors[tensor].producer != Some(id)) {
            return op_said(format!("makes tensor {tensor}, which says that it comes from elsewhere"));
        }
    }
    for (id, tensor) in TensorId::of(&graph.tensors) {
        if let Some(producer) = tensor.producer
            && !graph.ops.get(producer.0).is_some_and(|op| op.outputs.contains(&id))
        {
            return Err(format!("tensor {id} comes from op {producer}, which does not make it"));
        }
    }
    if let Some((op, _)) = graph.early.iter().find(|(op, _)| op.0 >= ops) {
        return Err(format!("early: op {op} of {ops} is not there"));
    }
    let workspaces = graph.ops.iter().map(|op| op.workspace);
    let early = graph.early.iter().map(|&(_, bytes)| bytes);
    let mut bytes = graph.tensors.iter().map(|tensor| tensor.bytes).chain(workspaces).chain(early);
    match bytes.try_fold(0_u64, |sum, Bytes(bytes)| sum.checked_add(bytes)) {
        Some(_) => Ok(()),
        None => Err("the sizes add up to more than 2^64 bytes".into()),
    }
}
