//! Tests of the plan's entries and fingerprint.

use super::*;
use crate::memory::{Node, Problem};

fn stage(sources: Vec<NodeSource>, inputs: &[&[usize]]) -> Stage {
    let nodes = inputs
        .iter()
        .enumerate()
        .map(|(id, inputs)| Node::new(format!("n{id}"), 1.0, 4, inputs.to_vec()))
        .collect();
    Stage {
        device: DeviceId(0),
        problem: Problem { name: "test".into(), nodes, resident_bytes: 0 },
        sources,
        compute_seconds: 0.0,
        receive_seconds: 0.0,
        send_seconds: 0.0,
        sends: Vec::new(),
        arguments: Vec::new(),
    }
}

fn graph(ops: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for id in 0..ops {
        graph.ops.push(crate::graph::Op {
            workspace: crate::units::Bytes(0),
            ..crate::graph::Op::new(format!("op{id}"), Vec::new(), Vec::new())
        });
    }
    graph
}

/// Node 1 of the stage receives the value of op 1, which runs on a second stage.
fn two_stages() -> [Stage; 2] {
    let [a, b, c, d] = [0, 1, 2, 3].map(OpId);
    let first = stage(
        vec![NodeSource::Op(a), NodeSource::Receive(b), NodeSource::Op(c), NodeSource::Op(d)],
        &[&[], &[], &[1], &[0]],
    );
    let mut second = stage(vec![NodeSource::Op(b)], &[&[]]);
    second.device = DeviceId(1);
    [first, second]
}

#[test]
fn op_entries_give_back_the_stage_plans_they_came_from() {
    let plan = CompactPlan {
        order: Some(vec![NodeId(1), NodeId(2), NodeId(0), NodeId(3)]),
        recompute: vec![(3, NodeId(0)), (3, NodeId(1))],
        swap_out: vec![(2, NodeId(2))],
        swap_in: vec![(3, NodeId(2))],
        ..CompactPlan::default()
    };
    let plans = [plan, CompactPlan::default()];
    let entries = op_plans(&graph(4), &two_stages(), &plans).unwrap();
    assert_eq!(entries.len(), 4);
    assert_eq!(entries[0].recompute_before, [3]);
    assert_eq!(
        entries[1].receives,
        [ReceivePlan { device: DeviceId(0), position: 0, again_before: vec![3] }]
    );
    assert_eq!(entries[2].swap, Some(SwapPlan { out_after: 2, in_before: vec![3] }));
    assert_eq!(compact_plans(&two_stages(), &entries).unwrap(), plans);
}

#[test]
fn a_swap_in_without_a_swap_out_is_refused() {
    let plan = CompactPlan { swap_in: vec![(3, NodeId(0))], ..CompactPlan::default() };
    let error = op_plans(&graph(4), &two_stages(), &[plan, CompactPlan::default()]).unwrap_err();
    assert_eq!((error.op, error.device), (OpId(0), DeviceId(0)));
    assert!(error.reason.contains("out 0 times and in 1 times"), "{error}");
    let plan = CompactPlan { rounds: vec![vec![(3, NodeId(0))]], ..CompactPlan::default() };
    let error = op_plans(&graph(4), &two_stages(), &[plan, CompactPlan::default()]).unwrap_err();
    assert!(error.reason.contains("several rounds"), "{error}");
}

#[test]
fn a_received_value_is_not_swapped() {
    let plan = CompactPlan {
        swap_out: vec![(1, NodeId(1))],
        swap_in: vec![(3, NodeId(1))],
        ..CompactPlan::default()
    };
    let error = op_plans(&graph(4), &two_stages(), &[plan, CompactPlan::default()]).unwrap_err();
    assert_eq!((error.op, error.device), (OpId(1), DeviceId(0)));
}

#[test]
fn contradicting_entries_are_refused() {
    let (stages, plans) = (two_stages(), [CompactPlan::default(), CompactPlan::default()]);
    let entries = op_plans(&graph(4), &stages, &plans).unwrap();
    let refused = |change: fn(&mut Vec<OpPlan>), op| {
        let mut entries = entries.clone();
        change(&mut entries);
        assert_eq!(compact_plans(&stages, &entries).unwrap_err().op, OpId(op));
    };
    refused(|entries| entries[2].position = 0, 2);
    refused(|entries| entries[3].position = 4, 3);
    refused(|entries| entries[1].receives.clear(), 1);
    refused(|entries| drop(entries.remove(3)), 3);
}

#[test]
fn the_fingerprint_sees_a_changed_op() {
    let (one, mut two) = (graph(3), graph(3));
    assert_eq!(fingerprint(&one), fingerprint(&two));
    two.ops[1].name = "other".into();
    assert_ne!(fingerprint(&one), fingerprint(&two));
    two = one.clone();
    two.content = "0123456789abcdef".into();
    assert_ne!(fingerprint(&one), fingerprint(&two));
}
