//! Updates that wait for gradients of all layers, such as those clipped by their global norm, in a pipeline.

#[path = "support/chain.rs"]
mod chains;
mod support;

use ballast_core::device::DeviceId;
use ballast_core::graph::{Op, OpId, Tensor};
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::{Schedule, Spec, StageCost, check_flow, pipeline_plan, play, updates};
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::pipeline::layers;
use ballast_partition::sequence::Granularity;

use chains::{Chain, chain};
use support::cluster;

/// A chain of layers whose `update` ops only make gradients of weights: behind them stand the square of each, first layer first, running sums of the squares
/// from the second one on, and the new weights, made of gradient, weight and the whole sum.
fn clipped(count: usize, devices: usize) -> Chain {
    let mut chain = chain(&vec![(4.0, 10, 100); count], devices);
    let Chain { graph, costs } = &mut chain;
    let gradients: Vec<usize> =
        graph.tensors.iter().enumerate().filter(|(_, t)| t.returned).map(|(id, _)| id).collect();
    // The backward pass goes from the last layer to the first.
    let gradient = |layer: usize| gradients[count - 1 - layer];
    graph.tensors.iter_mut().for_each(|tensor| tensor.returned = false);
    let mut op = |inputs: Vec<usize>, bytes: u64, returned: bool| {
        let (id, value) = (OpId(graph.ops.len()), graph.tensors.len());
        graph.ops.push(Op { backward: Some(true), ..Op::new(format!("op{id}"), inputs, vec![value]) });
        let tensor = Tensor {
            producer: Some(id),
            index: 0,
            bytes: Bytes(bytes),
            returned,
            type_name: "weight".into(),
        };
        graph.tensors.push(tensor);
        costs.seconds.iter_mut().for_each(|seconds| seconds.push(0.5));
        value
    };
    let mut sum = None;
    for layer in 0..count {
        let square = op(vec![gradient(layer)], 1, false);
        sum = Some(sum.map_or(square, |sum| op(vec![sum, square], 1, false)));
    }
    for layer in 0..count {
        // Weights are the arguments behind the data.
        op(vec![gradient(layer), sum.expect("a layer"), 1 + layer], 100, true);
    }
    chain
}

#[test]
fn every_layer_updates_its_own_weight() {
    let Chain { graph, costs } = clipped(3, 2);
    let layers = layers(&graph, &costs, Granularity::Op, 99).expect("a training step");
    assert_eq!((layers.pieces, layers.first_backward), (3, OpId(3)));
    // Forward, backward with gradients of weights; squares and sums, each where its square is; new weights.
    assert_eq!(layers.piece_of, [0, 1, 2, 2, 2, 1, 1, 0, 0, 0, 1, 0, 2, 2, 0, 1, 2]);
    let update = updates(&graph, layers.first_backward);
    // The gradient of the first layer's input leads to that of its weight alone.
    let expected: Vec<bool> = (0..17).map(|op| [4, 6, 8].contains(&op) || op >= 9).collect();
    assert_eq!(update, expected);
    for cut in 1..3 {
        check_flow(&graph, &layers.stage_of(&graph, &[cut])).expect("updates may wait for any stage");
    }
}

#[test]
fn updates_that_wait_for_all_stages_run_once_when_all_backward_passes_have_ended() {
    let Chain { graph, costs } = clipped(3, 2);
    let cluster = cluster(2, 1e4);
    let layers = layers(&graph, &costs, Granularity::Op, 99).expect("a training step");
    let device_of = layers.stage_of(&graph, &[1]);
    let stages = stages(&graph, &costs, &cluster, &device_of);
    let plans = vec![CompactPlan::default(); 2];
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 4 };
    let plan = pipeline_plan((&graph, &device_of), &stages, &plans, &[], spec, layers.first_backward)
        .expect("is accepted");
    // The second stage receives the sum of the first two squares, and makes of it the whole sum and its two new weights; the first stage waits for that sum as it waits
    // for gradients.
    let receive = |op: usize| {
        let place = stages[1].sources.iter().position(|source| source.op() == OpId(op)).expect("is received");
        stages[1].problem.nodes[ballast_core::memory::NodeId(place)].time
    };
    assert_eq!(plan.stages[0].update_seconds, 0.0);
    assert!((plan.stages[1].update_seconds - (receive(11) + 3.0 * 0.5)).abs() < 1e-9, "{plan:?}");
    let passes = plan.stages.iter().map(|stage| StageCost {
        forward_seconds: stage.forward_seconds,
        backward_seconds: stage.backward_seconds,
        weights_seconds: stage.weights_seconds,
        ..StageCost::default()
    });
    let passes = play(spec, &passes.collect::<Vec<_>>(), &[true; 2]).expect("can be played");
    assert!((plan.step_seconds - passes.step_seconds - plan.stages[1].update_seconds).abs() < 1e-9);
    let busy = passes.busy_seconds.iter().sum::<f64>() + plan.stages[1].update_seconds;
    assert!((plan.bubble - (1.0 - busy / (2.0 * plan.step_seconds))).abs() < 1e-9);
}

#[test]
fn placements_whose_gradients_go_to_later_stages_are_refused_as_before() {
    let Chain { graph, .. } = clipped(2, 2);
    // Forward 0 1, backward 1 and its weight's, backward 0 and its weight's: that of layer 0 reads a gradient of an earlier device.
    let placed = [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1].map(DeviceId);
    assert!(check_flow(&graph, &placed).is_err());
}
