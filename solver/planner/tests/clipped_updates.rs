//! Updates that wait for gradients of all layers, such as those clipped by their global norm, in a pipeline.

#[path = "support/chain.rs"]
mod chains;
mod support;

use ballast_core::device::DeviceId;
use ballast_core::graph::{Op, OpId, Tensor};
use ballast_core::limits::Limits;
use ballast_core::memory::{CompactPlan, NodeId};
use ballast_core::pipeline::{
    FlowError, Schedule, Spec, StageCost, check_flow, pipeline_plan, play, updates,
};
use ballast_core::plan::{Plan, compact_plans};
use ballast_core::planned_pipeline::PlannedPipeline;
use ballast_core::planned_stages::stages_of;
use ballast_core::program::Program;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::pipeline::layers;
use ballast_partition::sequence::Granularity;
use ballast_planner::{Options, Pipelining, plan};

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
    let step = pipeline_plan(&graph, &device_of, &stages, &plans, &[], spec, layers.first_backward)
        .expect("is accepted");
    // The second stage receives the sum of the first two squares, and makes of it the whole sum and its two new weights; the first stage waits for that sum as it waits
    // for gradients.
    let receive = |op: usize| {
        let place = stages[1].sources.iter().position(|source| source.op() == OpId(op)).expect("is received");
        stages[1].problem.nodes[NodeId(place)].time
    };
    assert_eq!(step.stages[0].update_seconds, 0.0);
    assert!((step.stages[1].update_seconds - (receive(11) + 3.0 * 0.5)).abs() < 1e-9, "{step:?}");
    let passes = step.stages.iter().map(|stage| StageCost {
        forward_seconds: stage.forward_seconds,
        backward_seconds: stage.backward_seconds,
        weights_seconds: stage.weights_seconds,
        ..StageCost::default()
    });
    let passes = play(spec, &passes.collect::<Vec<_>>(), &[true; 2]).expect("can be played");
    assert!((step.step_seconds - passes.step_seconds - step.stages[1].update_seconds).abs() < 1e-9);
    let busy = passes.busy_seconds.iter().sum::<f64>() + step.stages[1].update_seconds;
    assert!((step.bubble - (1.0 - busy / (2.0 * step.step_seconds))).abs() < 1e-9);
}

#[test]
fn placements_whose_gradients_go_to_later_stages_are_refused_as_before() {
    let Chain { graph, .. } = clipped(2, 2);
    // Forward 0 1, backward 1 and its weight's, backward 0 and its weight's: that of layer 0 reads a gradient of an earlier device.
    let placed = [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1].map(DeviceId);
    let error = check_flow(&graph, &placed).expect_err("gradients go to earlier stages");
    assert!(
        matches!(
            error,
            FlowError::AgainstTheFlow { op: OpId(4), from: DeviceId(0), device: DeviceId(1), .. }
        ),
        "{error}"
    );
}

#[test]
fn a_file_that_hides_the_updates_is_refused() {
    let Chain { graph, costs } = clipped(3, 2);
    let cluster = cluster(2, 1e4);
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(5_000), seed: 0, threads: 1 };
    let made = ballast_partition::Options { limits, ..ballast_partition::Options::default() };
    let partition = ballast_partition::plan(&program, &made).expect("has a cut").report;
    let device_of =
        layers(&graph, &costs, Granularity::Op, 99).expect("a training step").stage_of(&graph, &[1]);
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 4 };
    let options = Options {
        swap: false,
        limits,
        pipeline: Some(Pipelining { spec, granularity: Granularity::Op, may_idle: true }),
        ..Options::default()
    };
    let mut file = plan(&program, device_of, partition, &options, None).expect("has a plan").plan;
    let judged = |file: &Plan| {
        let stages = stages_of(file)?;
        let plans = compact_plans(&stages, &file.ops).map_err(|error| error.to_string())?;
        PlannedPipeline::of(file, &stages, &plans).map(|_| ())
    };
    judged(&file).expect("is what its stages give");
    let stage = &mut file.pipeline.as_mut().expect("a pipeline").stages[1];
    assert!(stage.update_seconds > 0.0);
    stage.update_seconds = 0.0;
    let refused = judged(&file).expect_err("its stages give more");
    assert!(refused.contains("update_seconds of the pipeline's stage 1"), "{refused}");
}
