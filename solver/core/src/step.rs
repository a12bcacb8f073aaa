//! One step of a placed program by itself: the devices run their plans, wait for each other's values, and nothing overlaps
//! with the step before or after.
//!
//! tmax is what a device is busy for, which is the time between two steps only where many are under way at once. A device runs
//! its nodes in order: repeated computations and the swap time it does not hide first, then the node; a maker sends its value
//! before it goes on, and a receive starts when its value has been sent. Sums are those of [`crate::simulate`], so that every
//! device is busy for exactly its stage's seconds.

use crate::graph::OpId;
use crate::memory::{CompactPlan, NodeId};
use crate::simulate::StageScore;
use crate::stage::{NodeSource, Stage};

/// What a device does before it can go on.
struct Task {
    /// The op whose value must have been sent.
    waits_for: Option<OpId>,
    seconds: f64,
    /// Sending its value, seconds, and the op, where it is sent.
    sends: Option<(OpId, f64)>,
}

/// Seconds from the start of a step to the end of its last op; none where devices wait for each other in a circle
/// ([`crate::simulate::orders_can_run`]).
#[must_use]
pub fn step_seconds(stages: &[Stage], plans: &[CompactPlan], scores: &[StageScore]) -> Option<f64> {
    let tasks: Vec<Vec<Task>> = stages
        .iter()
        .zip(plans)
        .zip(scores)
        .map(|((stage, plan), score)| tasks(stage, plan, score))
        .collect();
    let ops =
        stages.iter().flat_map(|stage| &stage.sources).map(|source| source.op().0 + 1).max().unwrap_or(0);
    let mut sent: Vec<Option<f64>> = vec![None; ops];
    // Devices that stopped at a receive, by the op they wait for.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); ops];
    let mut next = vec![0; stages.len()];
    let mut free_at = vec![0.0f64; stages.len()];
    let mut ready: Vec<usize> = (0..stages.len()).rev().collect();
    while let Some(stage) = ready.pop() {
        while let Some(task) = tasks[stage].get(next[stage]) {
            let mut start = free_at[stage];
            if let Some(op) = task.waits_for {
                match sent[op] {
                    Some(at) => start = start.max(at),
                    None => {
                        waiting[op].push(stage);
                        break;
                    }
                }
            }
            let mut end = start + task.seconds;
            if let Some((op, seconds)) = task.sends {
                end += seconds;
                sent[op] = Some(end);
                ready.append(&mut waiting[op]);
            }
            free_at[stage] = end;
            next[stage] += 1;
        }
    }
    let all_ran = tasks.iter().zip(&next).all(|(tasks, &next)| next == tasks.len());
    all_ran.then(|| free_at.into_iter().fold(0.0, f64::max))
}

fn tasks(stage: &Stage, plan: &CompactPlan, score: &StageScore) -> Vec<Task> {
    let nodes = &stage.problem.nodes;
    let mut before = vec![0.0; nodes.len() + 1];
    for &(position, node) in plan.recompute.iter().chain(plan.rounds.iter().flatten()) {
        before[position.min(nodes.len())] += nodes[node].time;
    }
    // Exposed swap time by position is not recorded: it is spread over the copies by their bytes.
    let copies =
        plan.swap_in.iter().copied().chain(plan.swap_out.iter().map(|&(after, node)| (after + 1, node)));
    let copies: Vec<(usize, f64)> =
        copies.map(|(position, node)| (position.min(nodes.len()), nodes[node].bytes as f64)).collect();
    let bytes: f64 = copies.iter().map(|(_, bytes)| bytes).sum();
    for (position, copied) in copies {
        before[position] += if bytes > 0.0 { score.exposed_swap_seconds * copied / bytes } else { 0.0 };
    }
    let order: Vec<NodeId> = plan.order.clone().unwrap_or_else(|| NodeId::first(nodes.len()).collect());
    let mut tasks: Vec<Task> = order
        .iter()
        .enumerate()
        .map(|(position, &node)| {
            let (waits_for, sends) = match stage.sources[node] {
                NodeSource::Receive(op) => (Some(op), None),
                NodeSource::Op(op) => {
                    let place = stage.sends.binary_search_by_key(&op, |&(op, _)| op).ok();
                    (None, place.map(|place| stage.sends[place]))
                }
            };
            Task { waits_for, seconds: before[position] + nodes[node].time, sends }
        })
        .collect();
    if before[nodes.len()] > 0.0 {
        tasks.push(Task { waits_for: None, seconds: before[nodes.len()], sends: None });
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Costs;
    use crate::device::{Cluster, DeviceId, Link};
    use crate::graph::{Graph, Op, Tensor};
    use crate::simulate::judge_stage;
    use crate::stage::stages;
    use crate::units::Bytes;

    /// a (2 s) is read by b (3 s) and c (4 s); d (1 s) reads both. All values have 10 bytes.
    fn diamond() -> Graph {
        let reads: [&[usize]; 4] = [&[], &[0], &[0], &[1, 2]];
        let op = |(id, inputs): (usize, &&[usize])| Op::new("op", inputs.to_vec(), [id]);
        let tensor = |id| Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(10),
            returned: id == 3,
            type_name: String::new(),
        };
        Graph {
            name: "main".into(),
            ops: reads.iter().enumerate().map(op).collect(),
            tensors: (0..4).map(tensor).collect(),
            ..Graph::default()
        }
    }

    fn step(device_of: [usize; 4], plan: &CompactPlan) -> (f64, Vec<f64>) {
        let graph = diamond();
        let mut cluster = Cluster::from_count(2).unwrap();
        cluster.default_link = Link { bytes_per_second: 10.0, latency_seconds: 0.0 };
        let costs = Costs { seconds: vec![vec![2.0, 3.0, 4.0, 1.0]; 2] };
        let stages = stages(&graph, &costs, &cluster, &device_of.map(DeviceId));
        let plans = vec![plan.clone(), CompactPlan::default()];
        let scores: Vec<StageScore> = stages
            .iter()
            .zip(&plans)
            .map(|(stage, plan)| judge_stage(stage, plan, None, None).unwrap().0)
            .collect();
        let seconds = scores.iter().map(|score| score.seconds).collect();
        (step_seconds(&stages, &plans, &scores).unwrap(), seconds)
    }

    #[test]
    fn one_device_takes_the_sum() {
        assert_eq!(step([0; 4], &CompactPlan::default()).0, 10.0);
    }

    #[test]
    fn two_devices_wait_for_each_other() {
        // Device 0: a 0..2, sends it 2..3, b 3..6, receives c from 8, d 9..10; device 1: receives a 3..4, c 4..8, sends it 8..9.
        let (seconds, busy) = step([0, 0, 1, 0], &CompactPlan::default());
        assert_eq!(busy, [8.0, 6.0]);
        assert_eq!(seconds, 11.0);
    }

    #[test]
    fn what_runs_again_delays_what_follows() {
        // Of device 0's nodes a, b, receive c, d: b is dropped and runs again before d.
        let plan = CompactPlan { recompute: vec![(3, NodeId(1))], ..CompactPlan::default() };
        assert_eq!(step([0, 0, 1, 0], &plan).0, 14.0);
    }
}
