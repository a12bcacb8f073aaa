//! Tells the forward from the backward pass of a training step, where that can be told.
//!
//! JAX writes it into locations: `transpose(` in the name of an op of the backward pass, `jvp(` in one of the
//! forward pass. Where no location says so: a function that returns exactly one floating-point scalar (the loss) beside
//! other results is read as a training step. Ops that the loss depends on, and whatever stands before the last
//! heavy one of these (matrix product, convolution, reduction or window op), are forward; the rest is backward, the
//! update of the parameters included. Any other function is left untold.

use ballast_core::graph::{Graph, LayerType, OpId, OpRole, TensorId};

/// Fills in `backward` of every op, or of none.
pub(super) fn mark(graph: &mut Graph) {
    if by_location(graph) {
        return;
    }
    let Some(loss) = loss(graph) else { return };
    let needed = ancestors(graph, loss);
    let heavy = |layer| !matches!(layer, LayerType::Activation | LayerType::Other);
    let last = graph
        .ops
        .iter()
        .enumerate()
        .rposition(|(id, op)| needed[id] && op.role == OpRole::Compute && heavy(op.layer));
    let Some(last) = last else { return };
    for (id, op) in graph.ops.iter_mut().enumerate() {
        op.backward = Some(id > last && !needed[id]);
    }
}

/// Reads JAX's names; false where there are none.
fn by_location(graph: &mut Graph) -> bool {
    let transposed = |location: &str| location.contains("transpose(");
    if !graph.ops.iter().any(|op| transposed(&op.location)) {
        return false;
    }
    let first = graph.ops.iter().position(|op| transposed(&op.location)).unwrap_or(0);
    for (id, op) in graph.ops.iter_mut().enumerate() {
        let forward = op.location.contains("jvp(") || id < first;
        op.backward = Some(transposed(&op.location) || !forward);
    }
    true
}

/// The only returned floating-point scalar, if there are other results too.
fn loss(graph: &Graph) -> Option<TensorId> {
    const FLOATS: [&str; 8] =
        ["tensor<f32>", "tensor<f64>", "tensor<bf16>", "tensor<f16>", "f32", "f64", "bf16", "f16"];
    let mut returned = TensorId::first(graph.tensors.len()).filter(|&tensor| graph.tensors[tensor].returned);
    let scalar = |tensor: &TensorId| FLOATS.contains(&graph.tensors[*tensor].type_name.as_str());
    let (scalars, others): (Vec<TensorId>, Vec<TensorId>) = returned.by_ref().partition(scalar);
    match scalars.as_slice() {
        [loss] if !others.is_empty() => Some(*loss),
        _ => None,
    }
}

/// Ops that a tensor depends on.
fn ancestors(graph: &Graph, tensor: TensorId) -> Vec<bool> {
    let mut needed = vec![false; graph.ops.len()];
    if let Some(producer) = graph.tensors[tensor].producer {
        needed[producer] = true;
    }
    for id in OpId::first(graph.ops.len()).rev() {
        if needed[id] {
            for &input in &graph.ops[id].inputs {
                if let Some(producer) = graph.tensors[input].producer {
                    needed[producer] = true;
                }
            }
        }
    }
    needed
}
