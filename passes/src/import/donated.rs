//! Arguments whose buffers the caller gives up for results.
//!
//! `tf.aliasing_output = 2 : i32` on an argument of the function says that its third result takes the argument's buffer: JAX writes it for `donate_argnums`. Where
//! a program leaves the choice to the compiler (`jax.buffer_donor`), nothing is known of it here.

use std::collections::HashMap;

use ballast_core::graph::{OpRole, TensorId};
use ballast_dialects::ir;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::Imported;

/// Says of an argument of a function which result takes its buffer.
pub(crate) const ALIASES: &str = "tf.aliasing_output";

/// The donated arguments of a function that was read, each with the result that takes its buffer, or what that is a view of.
pub(super) fn donated(imported: &Imported<'_, '_>) -> Vec<(TensorId, TensorId)> {
    let attributes = ir::attribute(imported.function, "arg_attrs").and_then(ir::elements).unwrap_or_default();
    let results: Vec<Option<usize>> = attributes
        .into_iter()
        .map(|of| usize::try_from(ir::integer_value(ir::entry(of, ALIASES)?)?).ok())
        .collect();
    if results.iter().all(Option::is_none) {
        return Vec::new();
    }
    let Some(end) = ir::ops(imported.block).last() else { return Vec::new() };
    let graph = &imported.graph;
    let tensors: HashMap<_, TensorId> = TensorId::first(graph.tensors.len())
        .map(|tensor| (imported.value(tensor).to_raw().ptr, tensor))
        .collect();
    let arguments = TensorId::of(&graph.tensors).filter(|(_, tensor)| tensor.producer.is_none());
    arguments
        .filter_map(|(argument, tensor)| {
            let result = (*results.get(tensor.index)?)?;
            let mut base = *tensors.get(&end.operand(result).ok()?.to_raw().ptr)?;
            while let Some(producer) = graph.tensors[base].producer
                && graph.ops[producer].role == OpRole::View
            {
                base = *graph.ops[producer].inputs.first()?;
            }
            Some((argument, base))
        })
        .collect()
}
