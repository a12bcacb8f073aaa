//! Small plans, carried out by hand.

use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::graph::{Op, Tensor};
use ballast_core::memory::{CompactPlan, NodeId, expand};
use ballast_core::stage::stages;
use ballast_core::units::Bytes;

use super::*;

/// A plan that holds so much that tables of barriers are nothing.
const ROOMY: Bytes = Bytes(1 << 40);

/// Op i makes tensor `arguments + i` of four bytes.
fn graph(arguments: usize, ops: &[(&[usize], OpRole)], returned: usize) -> Graph {
    let op = |(id, &(inputs, role)): (usize, &(&[usize], OpRole))| Op {
        role,
        ..Op::new(format!("op{id}"), inputs.to_vec(), vec![arguments + id])
    };
    let tensor = |index: usize| Tensor {
        producer: index.checked_sub(arguments).map(OpId),
        index: 0,
        bytes: Bytes(4),
        returned: index == returned,
        type_name: String::new(),
    };
    Graph {
        name: "main".into(),
        ops: ops.iter().enumerate().map(op).collect(),
        tensors: (0..arguments + ops.len()).map(tensor).collect(),
        ..Graph::default()
    }
}

fn actions(graph: &Graph, device_of: &[DeviceId], plans: &[CompactPlan]) -> Vec<Action> {
    let cluster = Cluster::from_count(plans.len()).unwrap();
    let costs = Costs { seconds: vec![vec![1.0; graph.ops.len()]; plans.len()] };
    let stages = stages(graph, &costs, &cluster, device_of);
    let schedules: Vec<Schedule> =
        stages.iter().zip(plans).map(|(stage, plan)| expand(&stage.problem, plan).unwrap()).collect();
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    merge(graph, &reads, &[], &vec![Early::default(); graph.ops.len()], &stages, (&schedules, ROOMY)).unwrap()
}

fn run(op: usize, travellers: &[usize]) -> What {
    What::Run { op: OpId(op), travellers: travellers.iter().copied().map(OpId).collect() }
}

fn on_device_0(actions: Vec<Action>) -> Vec<What> {
    actions.into_iter().map(|action| action.what).collect()
}

use OpRole::{Compute, Constant, View};

#[test]
fn a_repeated_run_waits_for_the_newest_value() {
    // x -> a -> b -> c; d reads a and c.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
    let plan = CompactPlan { recompute: vec![(3, NodeId(0))], ..CompactPlan::default() };
    let expected = [
        run(0, &[]),
        run(1, &[]),
        run(2, &[]),
        What::Barrier(vec![Held::Value(OpId(2)), Held::Argument(TensorId(0))]),
        run(0, &[]),
        run(3, &[]),
    ];
    assert_eq!(on_device_0(actions(&graph, &[DeviceId(0); 4], &[plan])), expected);
}

#[test]
fn a_chain_of_repeated_runs_needs_one_barrier() {
    // x -> a -> b -> c -> d; d reads b too: a and b run again before d.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[2, 3], Compute)], 4);
    let plan = CompactPlan { recompute: vec![(3, NodeId(0)), (3, NodeId(1))], ..CompactPlan::default() };
    let barriers = on_device_0(actions(&graph, &[DeviceId(0); 4], &[plan]));
    assert_eq!(barriers.iter().filter(|what| matches!(what, What::Barrier(_))).count(), 1, "{barriers:?}");
}

#[test]
fn what_would_start_early_waits_for_its_last_operand_or_the_newest_value() {
    // x -> a -> b -> c; d reads a and c, and the back end copies a for it. Alone, a would run first anyway.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
    let costs = Costs { seconds: vec![vec![1.0; 4]] };
    let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 4]);
    let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    let barriers = |early: [bool; 4]| -> Vec<What> {
        let early = early.map(|takes_operands| Early { takes_operands, ..Early::default() });
        let merged =
            merge(&graph, &reads, &[], &early, &stages, (std::slice::from_ref(&schedule), ROOMY)).unwrap();
        merged.into_iter().map(|action| action.what).filter(|what| matches!(what, What::Barrier(_))).collect()
    };
    let together = What::Barrier(vec![Held::Value(OpId(0)), Held::Value(OpId(2))]);
    assert_eq!(barriers([false, false, false, true]), [together]);
    // The only operand of c is there when c runs; a comes first of all.
    assert_eq!(barriers([true, false, true, false]), []);
}

#[test]
fn a_value_made_again_is_stored_for_what_would_take_it_in_alone() {
    // x -> a -> b, which the back end would take a into if nothing else read it; c reads both, after a ran again or not.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[1, 2], Compute)], 3);
    let again = CompactPlan { recompute: vec![(2, NodeId(0))], ..CompactPlan::default() };
    for (plan, takes, expected) in
        [(CompactPlan::default(), true, false), (again.clone(), false, false), (again, true, true)]
    {
        let costs = Costs { seconds: vec![vec![1.0; 3]] };
        let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 3]);
        let schedule = expand(&stages[0].problem, &plan).unwrap();
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        let mut early = vec![Early::default(); 3];
        early[1].taken_alone = if takes { vec![OpId(0)] } else { Vec::new() };
        let merged = merge(&graph, &reads, &[], &early, &stages, (&[schedule], ROOMY)).unwrap();
        let first =
            merged.iter().position(|action| matches!(action.what, What::Run { op: OpId(1), .. })).unwrap();
        let is_stored = merged[first - 1].what == What::Barrier(vec![Held::Value(OpId(0))]);
        assert_eq!(is_stored, expected, "{merged:?}");
    }
}

#[test]
fn a_large_value_waits_for_the_newest_one() {
    // x -> a -> b; c reads a and could run before b. Only a large one is held back; b comes right after what it reads.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[1], Compute), (&[2, 3], Compute)], 4);
    let costs = Costs { seconds: vec![vec![1.0; 4]] };
    let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 4]);
    let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    // One that lies where a result will be waits only where the plan has room for the tables of such barriers.
    let tight = Bytes(64);
    for (fills_memory, fills_result, peak, expected) in [
        (false, false, ROOMY, 0),
        (true, false, ROOMY, 1),
        (true, false, tight, 1),
        (false, true, ROOMY, 1),
        (false, true, tight, 0),
    ] {
        let early = vec![Early { fills_memory, fills_result, ..Early::default() }; 4];
        let merged =
            merge(&graph, &reads, &[], &early, &stages, (std::slice::from_ref(&schedule), peak)).unwrap();
        let held = What::Barrier(vec![Held::Value(OpId(0)), Held::Value(OpId(1))]);
        let barriers: Vec<&What> =
            merged.iter().map(|action| &action.what).filter(|what| **what == held).collect();
        assert_eq!(barriers.len(), expected, "{merged:?}");
    }
}

#[test]
fn a_large_value_waits_behind_a_small_one_that_may_run_before() {
    // x -> a -> b; s reads a or b, and is small; c reads s, and d reads b and c. After b, c comes by itself only where s does.
    for (read, expected) in [(1, 1), (2, 0)] {
        let graph = graph(
            1,
            &[(&[0], Compute), (&[1], Compute), (&[read], Compute), (&[3], Compute), (&[2, 4], Compute)],
            5,
        );
        let costs = Costs { seconds: vec![vec![1.0; 5]] };
        let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 5]);
        let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
        let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
        let mut early = vec![Early::default(); 5];
        early[3].fills_memory = true;
        let merged = merge(&graph, &reads, &[], &early, &stages, (&[schedule], ROOMY)).unwrap();
        let held = What::Barrier(vec![Held::Value(OpId(1)), Held::Value(OpId(2))]);
        let barriers = merged.iter().filter(|action| action.what == held).count();
        assert_eq!(barriers, expected, "{merged:?}");
    }
}

#[test]
fn a_large_value_that_copies_an_argument_waits_with_it() {
    // As before, and c reads x too: a copy of x would be made first of all, and held until c runs.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[1, 0], Compute), (&[2, 3], Compute)], 4);
    let costs = Costs { seconds: vec![vec![1.0; 4]] };
    let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 4]);
    let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    for takes_operands in [false, true] {
        let mut early = vec![Early::default(); 4];
        early[2] = Early { fills_memory: true, takes_operands, ..Early::default() };
        let merged =
            merge(&graph, &reads, &[], &early, &stages, (std::slice::from_ref(&schedule), ROOMY)).unwrap();
        let mut held = vec![Held::Value(OpId(0)), Held::Value(OpId(1))];
        held.extend(takes_operands.then_some(Held::Argument(TensorId(0))));
        assert_eq!(merged[2].what, What::Barrier(held), "{merged:?}");
    }
}

#[test]
fn a_value_that_comes_back_waits_for_the_values_that_are_there() {
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[2], Compute), (&[1, 3], Compute)], 4);
    let plan = CompactPlan {
        swap_out: vec![(0, NodeId(0))],
        swap_in: vec![(3, NodeId(0))],
        ..CompactPlan::default()
    };
    let expected = [
        run(0, &[]),
        What::Store(Held::Swapped(OpId(0))),
        run(1, &[]),
        run(2, &[]),
        What::Barrier(vec![Held::Value(OpId(2)), Held::Swapped(OpId(0))]),
        What::Load(Held::Swapped(OpId(0))),
        run(3, &[]),
    ];
    assert_eq!(on_device_0(actions(&graph, &[DeviceId(0); 4], &[plan])), expected);
}

#[test]
fn views_and_constants_are_cloned_with_each_reader() {
    // a; v = view of a; k constant; two readers of v and k.
    let ops: [(&[usize], OpRole); 5] =
        [(&[0], Compute), (&[1], View), (&[], Constant), (&[2, 3], Compute), (&[2, 3, 4], Compute)];
    let graph = graph(1, &ops, 2);
    let expected = [run(0, &[]), run(3, &[1, 2]), run(4, &[1, 2])];
    assert_eq!(on_device_0(actions(&graph, &[DeviceId(0); 5], &[CompactPlan::default()])), expected);
    assert_eq!(returned(&graph, &[DeviceId(0); 5]), Returned { travellers: vec![(DeviceId(0), OpId(1))] });
}

#[test]
fn a_value_crosses_devices_over_the_host_after_it_is_made() {
    // a on device 1, b on device 0 reads it.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute)], 2);
    let merged = actions(&graph, &[1, 0].map(DeviceId), &[CompactPlan::default(), CompactPlan::default()]);
    let expected = [
        Action { device: DeviceId(1), what: run(0, &[]) },
        Action { device: DeviceId(1), what: What::Store(Held::Sent(OpId(0))) },
        Action { device: DeviceId(0), what: What::Load(Held::Sent(OpId(0))) },
        Action { device: DeviceId(0), what: run(1, &[]) },
    ];
    assert_eq!(merged, expected);
}

#[test]
fn a_schedule_that_reads_what_is_gone_is_refused() {
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute)], 2);
    let cluster = Cluster::from_count(1).unwrap();
    let stages = stages(&graph, &Costs { seconds: vec![vec![1.0; 2]] }, &cluster, &[0, 0].map(DeviceId));
    let steps = vec![Step::Compute(NodeId(0)), Step::Free(NodeId(0)), Step::Compute(NodeId(1))];
    let reads = [0, 1].map(|tensor| vec![TensorId(tensor)]);
    let error =
        merge(&graph, &reads, &[], &vec![Early::default(); 2], &stages, (&[Schedule { steps }], ROOMY))
            .unwrap_err();
    assert_eq!(error.op, OpId(1));
    assert!(error.reason.contains("op 0"), "{error}");
}

#[test]
fn a_stored_value_that_would_be_computed_again_is_read_through_a_barrier() {
    // x -> a -> b; c reads a and b. Without a barrier a would be computed once more for c.
    let graph = graph(1, &[(&[0], Compute), (&[1], Compute), (&[1, 2], Compute)], 3);
    let costs = Costs { seconds: vec![vec![1.0; 3]] };
    let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 3]);
    let schedule = expand(&stages[0].problem, &CompactPlan::default()).unwrap();
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    let mut early = vec![Early::default(); 3];
    early[2].computes_again = vec![OpId(0)];
    let merged =
        merge(&graph, &reads, &[], &early, &stages, (std::slice::from_ref(&schedule), ROOMY)).unwrap();
    let expected = [run(0, &[]), run(1, &[]), What::Barrier(vec![Held::Value(OpId(0))]), run(2, &[])];
    assert_eq!(merged.into_iter().map(|action| action.what).collect::<Vec<_>>(), expected);
}

#[test]
fn numbers_computed_of_constants_are_made_once_on_a_device() {
    // 0 and 1 are numbers, 2 and 3 sums of them; 4 and 5 read those, and 5 the value of 4.
    let ops: &[(&[usize], OpRole)] = &[
        (&[], Constant),
        (&[], Constant),
        (&[1, 2], Constant),
        (&[3, 2], Constant),
        (&[0, 3], Compute),
        (&[5, 4], Compute),
    ];
    let graph = graph(1, ops, 6);
    let expected = [run(4, &[0, 1, 2]), run(5, &[1, 3])];
    assert_eq!(on_device_0(actions(&graph, &[DeviceId(0); 6], &[CompactPlan::default()])), expected);

    let mut large = graph;
    large.tensors[3].bytes = Bytes(1 << 20);
    let expected = [run(4, &[0, 1, 2]), run(5, &[0, 1, 2, 3])];
    assert_eq!(on_device_0(actions(&large, &[DeviceId(0); 6], &[CompactPlan::default()])), expected);
}

#[test]
fn barriers_are_narrow_where_their_tables_would_take_much_of_the_memory() {
    // x is read by forty ops; a last one reads all of their values, the first of which is made again for it.
    let mut ops: Vec<(Vec<usize>, OpRole)> = vec![(vec![0], Compute); 40];
    ops.push(((1..=40).collect(), Compute));
    let ops: Vec<(&[usize], OpRole)> = ops.iter().map(|(inputs, role)| (&inputs[..], *role)).collect();
    let graph = graph(1, &ops, 41);
    let costs = Costs { seconds: vec![vec![1.0; 41]] };
    let stages = stages(&graph, &costs, &Cluster::from_count(1).unwrap(), &[DeviceId(0); 41]);
    let plan = CompactPlan { recompute: vec![(40, NodeId(0))], ..CompactPlan::default() };
    let schedules = [expand(&stages[0].problem, &plan).unwrap()];
    let reads: Vec<Vec<TensorId>> = graph.ops.iter().map(|op| op.inputs.clone()).collect();
    let width = |peak: u64| {
        let early = vec![Early::default(); 41];
        let merged = merge(&graph, &reads, &[], &early, &stages, (&schedules, Bytes(peak))).unwrap();
        let held = merged.iter().filter_map(|action| match &action.what {
            What::Barrier(held) => Some(held.clone()),
            _ => None,
        });
        held.collect::<Vec<_>>()
    };
    // All 39 values that are there, and the argument: a table of 320 bytes.
    assert_eq!(width(320 * 64).iter().map(Vec::len).collect::<Vec<_>>(), [40]);
    // The sixteen newest ones.
    let narrow = width(320 * 64 - 1);
    assert_eq!(narrow.iter().map(Vec::len).collect::<Vec<_>>(), [17]);
    assert!(narrow[0].contains(&Held::Value(OpId(39))) && narrow[0].contains(&Held::Argument(TensorId(0))));
    assert_eq!(width(0).iter().map(Vec::len).collect::<Vec<_>>(), [5], "no barrier is left out");
}
