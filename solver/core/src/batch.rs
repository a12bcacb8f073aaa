//! The same training step at another batch size: activations scale with the batch, weights do not.
//!
//! A tensor belongs to the batch if exactly one of its dimensions is a multiple of the batch size of the program, as in
//! `tensor<13x32x32x3xf32>` or, flattened, `tensor<208x64xf32>` at batch 13. A batch size that is no divisor of any other
//! dimension makes that certain: export at a prime such as 13.

use crate::graph::{Graph, Op, OpId, TensorId};
use crate::units::Bytes;

/// Why a program cannot be rewritten to another batch size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchSizeError {
    /// A batch size of 0, or one too large to count its bytes.
    #[error("a batch of {0}: give at least 1, and at most what 64 bits count")]
    Size(u64),
    /// No argument has a dimension of the batch size.
    #[error("no argument of '{function}' has a dimension of {batch}: the program has another batch size")]
    NoBatch {
        /// The function.
        function: String,
        /// The batch size named.
        batch: u64,
    },
    /// A tensor with several dimensions that could be the batch.
    #[error(
        "{type_name} has several dimensions that are multiples of the batch size {batch}: export the program at a batch size \
         that divides no other dimension, such as 13"
    )]
    Ambiguous {
        /// The tensor's type.
        type_name: String,
        /// The batch size.
        batch: u64,
    },
}

/// `graph`, a step on `from` samples, as a step on `to` samples.
///
/// Bytes, operations and traffic of everything that touches the batch are multiplied by `to / from`, traffic only for the share
/// of an op's operands and results that belong to the batch; a workspace is, unless it is a copy of weights.
///
/// # Errors
/// See [`BatchSizeError`].
pub fn with_batch(graph: &Graph, from: u64, to: u64) -> Result<Graph, BatchSizeError> {
    if from == 0 || to == 0 {
        return Err(BatchSizeError::Size(from.min(to)));
    }
    let mut scaled = graph.clone();
    let mut of_batch = vec![false; graph.tensors.len()];
    for (id, tensor) in TensorId::of(&graph.tensors) {
        let dimensions = dimensions(&tensor.type_name);
        match dimensions.iter().filter(|&&d| d > 0 && d % from == 0).count() {
            0 => continue,
            1 => of_batch[id] = true,
            _ => {
                return Err(BatchSizeError::Ambiguous { type_name: tensor.type_name.clone(), batch: from });
            }
        }
        scaled.tensors[id].bytes = times(tensor.bytes, from, to).ok_or(BatchSizeError::Size(to))?;
        scaled.tensors[id].type_name = retyped(&tensor.type_name, from, to);
    }
    let carries_batch = |(id, tensor): (TensorId, &crate::graph::Tensor)| {
        tensor.producer.is_none() && of_batch[id] && dimensions(&tensor.type_name).contains(&from)
    };
    if !TensorId::of(&graph.tensors).any(carries_batch) {
        return Err(BatchSizeError::NoBatch { function: graph.name.clone(), batch: from });
    }
    for (id, op) in OpId::of(&graph.ops) {
        if op.inputs.iter().chain(&op.outputs).any(|&tensor| of_batch[tensor]) {
            scale(&mut scaled.ops[id], graph, &of_batch, from, to).ok_or(BatchSizeError::Size(to))?;
        }
    }
    Ok(scaled)
}

fn scale(op: &mut Op, graph: &Graph, of_batch: &[bool], from: u64, to: u64) -> Option<()> {
    let touched = || op.inputs.iter().chain(&op.outputs);
    let all: u64 = touched().map(|&tensor| graph.tensors[tensor].bytes.0).sum();
    let batch: u64 = touched().filter(|&&tensor| of_batch[tensor]).map(|&t| graph.tensors[t].bytes.0).sum();
    for work in std::iter::once(&mut op.work).chain(op.inner.iter_mut().map(|inner| &mut inner.work)) {
        let traffic = u128::from(work.bytes.0);
        let share = traffic * u128::from(batch) / u128::from(all.max(1));
        let moved = share * u128::from(to) / u128::from(from) + (traffic - share);
        work.bytes = Bytes(u64::try_from(moved).ok()?);
        work.flops = times(Bytes(work.flops), from, to)?.0;
        work.macs_exact = times(Bytes(work.macs_exact), from, to)?.0;
    }
    op.workspace = workspace(op, graph, of_batch, from, to)?;
    op.key = retyped(&op.key, from, to);
    Some(())
}

/// A workspace as large as an operand or result that is not of the batch is a copy of it, and stays. Where the op makes
/// such a result from the batch, as the gradient of weights is made, its copies of the operands take its place once they
/// are larger.
fn workspace(op: &Op, graph: &Graph, of_batch: &[bool], from: u64, to: u64) -> Option<Bytes> {
    let bytes = |tensor: TensorId| graph.tensors[tensor].bytes;
    let mut beside = op.inputs.iter().chain(&op.outputs).filter(|&&tensor| !of_batch[tensor]);
    if !beside.any(|&tensor| bytes(tensor) == op.workspace) {
        return times(op.workspace, from, to);
    }
    if op.outputs.iter().any(|&tensor| of_batch[tensor]) {
        return Some(op.workspace);
    }
    let copies: Bytes = op.inputs.iter().filter(|&&tensor| of_batch[tensor]).map(|&t| bytes(t)).sum();
    Some(op.workspace.max(times(copies, from, to)?))
}

fn times(count: Bytes, from: u64, to: u64) -> Option<Bytes> {
    u64::try_from(u128::from(count.0) * u128::from(to) / u128::from(from)).ok().map(Bytes)
}

/// The dimensions of `tensor<4x8xf32>`: 4 and 8.
fn dimensions(type_name: &str) -> Vec<u64> {
    let inside = type_name.split_once('<').map_or("", |(_, inside)| inside);
    inside.split('x').map_while(|part| part.parse().ok()).collect()
}

/// `text` with the batch dimension of every `tensor<...>` in it changed.
fn retyped(text: &str, from: u64, to: u64) -> String {
    const OPENING: &str = "tensor<";
    let mut pieces = text.split(OPENING);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(OPENING);
        let mut in_shape = true;
        let parts = piece.split('x').map(|part| match part.parse::<u64>() {
            Ok(size) if in_shape && size > 0 && size % from == 0 => (size / from * to).to_string(),
            Ok(_) => part.to_owned(),
            Err(_) => {
                in_shape = false;
                part.to_owned()
            }
        });
        out.push_str(&parts.collect::<Vec<_>>().join("x"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{LayerType, Tensor, Work};

    fn tensor(producer: Option<OpId>, type_name: &str, bytes: u64) -> Tensor {
        Tensor { producer, index: 0, bytes: Bytes(bytes), returned: false, type_name: type_name.into() }
    }

    /// A dense layer at batch 13: x (13 x 4) times w (4 x 8).
    fn dense(x: &str) -> Graph {
        Graph {
            name: "main".into(),
            tensors: vec![
                tensor(None, x, 208),
                tensor(None, "tensor<4x8xf32>", 128),
                tensor(Some(OpId(0)), "tensor<13x8xf32>", 416),
            ],
            ops: vec![Op {
                key: "dot(tensor<13x4xf32>, tensor<4x8xf32>) -> tensor<13x8xf32>".into(),
                layer: LayerType::Dense,
                opens_layer: true,
                work: Work { flops: 832, macs_exact: 728, bytes: Bytes(752), ..Work::NONE },
                workspace: Bytes(26),
                ..Op::new("dot", vec![0, 1], vec![2])
            }],
            ..Graph::default()
        }
    }

    #[test]
    fn activations_scale_and_weights_do_not() {
        let scaled = with_batch(&dense("tensor<13x4xf32>"), 13, 39).expect("a batch");
        let bytes: Vec<u64> = scaled.tensors.iter().map(|tensor| tensor.bytes.0).collect();
        assert_eq!(bytes, [624, 128, 1248]);
        assert_eq!(scaled.tensors[2].type_name, "tensor<39x8xf32>");
        let op = &scaled.ops[0];
        assert_eq!((op.work.flops, op.work.macs_exact), (2496, 2184));
        // 624 bytes of the batch become 1872; the 128 of the weights stay.
        assert_eq!((op.work.bytes.0, op.workspace.0), (2000, 78));
        assert_eq!(op.key, "dot(tensor<39x4xf32>, tensor<4x8xf32>) -> tensor<39x8xf32>");
        assert_eq!(with_batch(&scaled, 39, 13), Ok(dense("tensor<13x4xf32>")));
    }

    #[test]
    fn copies_of_weights_stay_until_those_of_activations_are_larger() {
        let mut graph = dense("tensor<13x4xf32>");
        graph.ops[0].workspace = Bytes(128);
        let forward = with_batch(&graph, 13, 1300).expect("a batch");
        assert_eq!(forward.ops[0].workspace.0, 128);
        // The gradient of the weights, from x and the result.
        let op = &mut graph.ops[0];
        (op.inputs, op.outputs) = ([0, 2].map(TensorId).to_vec(), vec![TensorId(1)]);
        assert_eq!(with_batch(&graph, 13, 39).expect("a batch").ops[0].workspace.0, 1872);
        assert_eq!(with_batch(&graph, 13, 1).expect("a batch").ops[0].workspace.0, 128);
    }

    #[test]
    fn batches_that_are_none_are_refused() {
        assert_eq!(with_batch(&dense("tensor<13x4xf32>"), 13, 0), Err(BatchSizeError::Size(0)));
        assert!(matches!(
            with_batch(&dense("tensor<13x4xf32>"), 7, 14),
            Err(BatchSizeError::NoBatch { batch: 7, .. })
        ));
        assert!(matches!(
            with_batch(&dense("tensor<13x26xf32>"), 13, 26),
            Err(BatchSizeError::Ambiguous { .. })
        ));
        assert_eq!(with_batch(&dense("tensor<13x4xf32>"), 13, u64::MAX), Err(BatchSizeError::Size(u64::MAX)));
    }
}
