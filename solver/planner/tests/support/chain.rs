//! A training step of layers one after the other.

use ballast_core::cost::Costs;
use ballast_core::graph::{Graph, LayerType, Op, OpId, Tensor};
use ballast_core::units::Bytes;

/// A chain of layers: forward op `i` reads the value before it and weight `i`; the backward ops of layer `i`, from the
/// last layer to the first, make the gradient from the gradient behind, the layer's own value and its weight, and the new
/// weight from that gradient.
pub(crate) struct Chain {
    pub(crate) graph: Graph,
    pub(crate) costs: Costs,
}

/// Seconds and bytes of the value, and bytes of the weight, of every layer; all devices alike.
pub(crate) fn chain(layers: &[(f64, u64, u64)], devices: usize) -> Chain {
    let mut graph = Graph { name: "chain".into(), ..Graph::default() };
    let mut seconds = Vec::new();
    let tensor = |graph: &mut Graph, producer, bytes, returned, kind: &str| {
        let type_name = kind.to_owned();
        graph.tensors.push(Tensor { producer, index: 0, bytes: Bytes(bytes), returned, type_name });
        graph.tensors.len() - 1
    };
    let mut op = |graph: &mut Graph, name: String, inputs: Vec<usize>, output, backward, time| {
        graph.ops.push(Op {
            layer: LayerType::Dense,
            opens_layer: true,
            backward: Some(backward),
            ..Op::new(name, inputs, vec![output])
        });
        seconds.push(time);
    };
    let input = tensor(&mut graph, None, 7, false, "data");
    let weights: Vec<usize> =
        layers.iter().map(|&(_, _, weight)| tensor(&mut graph, None, weight, false, "weight")).collect();
    let mut values = vec![input];
    for (layer, &(time, bytes, _)) in layers.iter().enumerate() {
        let id = graph.ops.len();
        let value = tensor(&mut graph, Some(OpId(id)), bytes, false, "value");
        op(&mut graph, format!("forward {layer}"), vec![values[layer], weights[layer]], value, false, time);
        values.push(value);
    }
    let mut gradient = values[layers.len()];
    for (layer, &(time, bytes, weight)) in layers.iter().enumerate().rev() {
        let id = graph.ops.len();
        let next = tensor(&mut graph, Some(OpId(id)), bytes, false, "gradient");
        let inputs = vec![gradient, values[layer + 1], weights[layer]];
        op(&mut graph, format!("backward {layer}"), inputs, next, true, time);
        let updated = tensor(&mut graph, Some(OpId(id + 1)), weight, true, "weight");
        op(&mut graph, format!("update {layer}"), vec![next, weights[layer]], updated, true, time / 4.0);
        gradient = next;
    }
    Chain { graph, costs: Costs { seconds: vec![seconds; devices] } }
}
