//! Placements moved after devices were lost or slowed.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, Op, OpId, Tensor};
use ballast_core::limits::Deadline;
use ballast_core::units::Bytes;
use ballast_planner::replan::candidates;

/// A chain of ops with unequal times, each reading the one before.
fn chain(ops: usize) -> (Graph, Vec<f64>) {
    let mut graph = Graph { name: "chain".into(), ..Graph::default() };
    let mut seconds = Vec::new();
    for id in 0..ops {
        graph.ops.push(Op::new(format!("op{id}"), id.checked_sub(1), [id]));
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(1000),
            returned: id + 1 == ops,
            type_name: "tensor<250xf32>".into(),
        });
        seconds.push(1e-3 * (1.0 + (id * id % 7) as f64 / 3.0));
    }
    (graph, seconds)
}

/// Equal shares of the time, in program order.
fn even(seconds: &[f64], devices: usize) -> Vec<DeviceId> {
    let total: f64 = seconds.iter().sum();
    let mut sum = 0.0;
    seconds
        .iter()
        .map(|s| {
            let device = ((sum + 0.5 * s) / total * devices as f64) as usize;
            sum += s;
            DeviceId(device.min(devices - 1))
        })
        .collect()
}

#[test]
fn losing_a_device_moves_few_ops_and_stays_fast() {
    let (graph, seconds) = chain(400);
    let old = even(&seconds, 8);
    for lost in 0..8 {
        let cluster = Cluster::from_count(7).expect("seven devices");
        let costs = Costs { seconds: vec![seconds.clone(); 7] };
        let kept: Vec<Option<DeviceId>> = old
            .iter()
            .map(|&DeviceId(d)| (d != lost).then(|| DeviceId(if d > lost { d - 1 } else { d })))
            .collect();
        let scratch = even(&seconds, 7);
        let list = candidates(&graph, &costs, &cluster, &kept, &scratch, &Deadline::after(None));
        let homeless = kept.iter().filter(|d| d.is_none()).count();
        let scratch_seconds = seconds.iter().sum::<f64>() / 7.0;
        let good = list
            .iter()
            .find(|candidate| candidate.slowest_seconds <= 1.05 * scratch_seconds)
            .unwrap_or_else(|| panic!("lost {lost}: none of {} is fast", list.len()));
        assert!(good.moved >= homeless);
        assert!(good.moved <= homeless + 20, "lost {lost}: {} moved, {homeless} had to", good.moved);
        for pair in list.windows(2) {
            assert!(pair[0].moved < pair[1].moved && pair[0].slowest_seconds > pair[1].slowest_seconds);
        }
    }
}

#[test]
fn a_slower_device_hands_ops_on() {
    let (graph, seconds) = chain(200);
    let old = even(&seconds, 4);
    let cluster = Cluster::from_count(4).expect("four devices");
    let mut costs = Costs { seconds: vec![seconds.clone(); 4] };
    costs.seconds[2].iter_mut().for_each(|s| *s *= 2.0);
    let kept: Vec<Option<DeviceId>> = old.iter().copied().map(Some).collect();
    let list = candidates(&graph, &costs, &cluster, &kept, &old, &Deadline::after(None));
    let total: f64 = seconds.iter().sum();
    assert_eq!(list[0].moved, 0, "keeping everything is the candidate that moves least");
    let best = list.last().expect("candidates");
    // Three devices of speed 1 and one of speed 1/2 can share the work in total / 3.5.
    assert!(best.slowest_seconds < 1.06 * total / 3.5, "{} of {}", best.slowest_seconds, total / 3.5);
}

#[test]
fn devices_that_are_alike_are_renamed_to_keep_ops_in_place() {
    let (graph, seconds) = chain(100);
    let old = even(&seconds, 4);
    let cluster = Cluster::from_count(4).expect("four devices");
    let costs = Costs { seconds: vec![seconds; 4] };
    let kept: Vec<Option<DeviceId>> = old.iter().copied().map(Some).collect();
    // From scratch, the same cut with the names turned round.
    let scratch: Vec<DeviceId> = old.iter().map(|device| DeviceId(3 - device.0)).collect();
    let list = candidates(&graph, &costs, &cluster, &kept, &scratch, &Deadline::after(None));
    assert_eq!(list.iter().map(|candidate| candidate.moved).min(), Some(0));
}
