//! Small graphs for the tests.

use ballast_core::graph::{Graph, Op, OpId, Tensor};
use ballast_core::units::Bytes;

/// Ops that each read the values of some others and make one, given as (ops read, bytes made, is that returned?).
pub(crate) fn graph(ops: impl IntoIterator<Item = (Vec<usize>, u64, bool)>) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for (id, (inputs, bytes, returned)) in ops.into_iter().enumerate() {
        graph.ops.push(Op::new(format!("op{id}"), inputs, [id]));
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(bytes),
            returned,
            type_name: "value".into(),
        });
    }
    graph
}
