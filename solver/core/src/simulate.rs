//! The judge of whole plans: replays every stage and derives stage times, peaks, tmax, tmin and their ratio.
//!
//! Whatever proposes a plan, nothing is reported or written that [`judge_stage`] has not accepted.

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::graph::OpId;
use crate::memory::{CompactPlan, NodeId, Replay, ReplayError, SwapModel, expand, replay};
use crate::stage::{NodeSource, Stage};
use crate::units::Bytes;

/// What a stage does under its plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StageScore {
    /// Device number.
    pub device: DeviceId,
    /// Ops that run here.
    pub ops: usize,
    /// Computation, every op once, seconds.
    pub compute_seconds: f64,
    /// Repeated computation, seconds.
    pub recompute_seconds: f64,
    /// Receiving values made elsewhere, seconds.
    pub receive_seconds: f64,
    /// Sending values read elsewhere, seconds.
    pub send_seconds: f64,
    /// Swap time not hidden behind computation, seconds.
    pub exposed_swap_seconds: f64,
    /// All of it, seconds.
    pub seconds: f64,
    /// Peak of the stage without any plan, bytes.
    pub unplanned_peak_bytes: u64,
    /// Peak under the plan, bytes.
    pub peak_bytes: u64,
    /// Weights and inputs, resident throughout, bytes.
    pub resident_bytes: u64,
    /// Largest amount on the host, bytes.
    pub host_peak_bytes: u64,
    /// Bytes swapped, both directions.
    pub swap_bytes: u64,
    /// Repeated computations.
    pub recomputes: usize,
}

/// The load balance of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Balance {
    /// Slowest stage, seconds.
    pub tmax_seconds: f64,
    /// Fastest stage among the devices in use, seconds.
    pub tmin_seconds: f64,
    /// tmax / tmin; none where a device in use has no time.
    pub ratio: Option<f64>,
    /// Devices that run nothing.
    pub idle_devices: usize,
}

impl Balance {
    /// From the seconds of the stages in use and the number of idle devices.
    #[must_use]
    pub fn of(seconds: impl IntoIterator<Item = f64>, idle_devices: usize) -> Self {
        let (mut tmax, mut tmin) = (0.0f64, f64::INFINITY);
        for time in seconds {
            tmax = tmax.max(time);
            tmin = tmin.min(time);
        }
        let tmin_seconds = if tmin.is_finite() { tmin } else { 0.0 };
        let ratio = (tmin_seconds > 0.0).then(|| tmax / tmin_seconds);
        Balance { tmax_seconds: tmax, tmin_seconds, ratio, idle_devices }
    }

    /// Is the ratio at or below this limit? A ratio that does not exist is above every limit.
    #[must_use]
    pub fn within(&self, max_ratio: f64) -> bool {
        self.ratio.is_some_and(|ratio| ratio <= max_ratio)
    }
}

/// Why a plan was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("device {device}: {error}")]
pub struct Rejection {
    /// The stage.
    pub device: DeviceId,
    /// The op concerned, where there is one.
    pub op: Option<OpId>,
    /// What the replay says.
    pub error: ReplayError,
}

/// Judges one stage under its plan and cap.
///
/// # Errors
/// The first rule the plan breaks; see [`replay`].
pub fn judge_stage(
    stage: &Stage,
    plan: &CompactPlan,
    swap: Option<&SwapModel>,
    cap: Option<Bytes>,
) -> Result<(StageScore, Replay), Rejection> {
    let reject = |error: ReplayError| Rejection {
        device: stage.device,
        op: error.node.and_then(|node| stage.sources.get(node.0)).map(|source| source.op()),
        error,
    };
    let schedule = expand(&stage.problem, plan)
        .map_err(|error| reject(ReplayError { step: 0, node: None, reason: error.to_string() }))?;
    let replayed = replay(&stage.problem, &schedule, swap, cap.map(|cap| cap.0)).map_err(reject)?;
    let score = StageScore {
        device: stage.device,
        ops: stage.sources.iter().filter(|source| matches!(source, NodeSource::Op(_))).count(),
        compute_seconds: stage.compute_seconds,
        recompute_seconds: replayed.recompute_time,
        receive_seconds: stage.receive_seconds,
        send_seconds: stage.send_seconds,
        exposed_swap_seconds: replayed.exposed_swap_time,
        seconds: replayed.time + stage.send_seconds,
        unplanned_peak_bytes: stage.problem.unplanned_peak(),
        peak_bytes: replayed.peak_bytes,
        resident_bytes: stage.problem.resident_bytes,
        host_peak_bytes: replayed.host_peak_bytes,
        swap_bytes: replayed.swap_bytes,
        recomputes: replayed.recomputes,
    };
    Ok((score, replayed))
}

/// Balance over the stages of a judged plan.
#[must_use]
pub fn balance(scores: &[StageScore]) -> Balance {
    let used = scores.iter().filter(|score| score.ops > 0);
    let idle = scores.len() - used.clone().count();
    Balance::of(used.map(|score| score.seconds), idle)
}

/// Can the devices run these orders without waiting for each other in a circle?
///
/// Program order always can. A plan that reorders a stage may make two devices wait for each other's values:
/// the orders and the sends between devices must have no cycle. `orders` holds each stage's node order, in
/// the order of `stages`; none is program order.
#[must_use]
pub fn orders_can_run(stages: &[Stage], orders: &[Option<&[NodeId]>]) -> bool {
    let mut index = std::collections::BTreeMap::new();
    let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
    for (number, stage) in stages.iter().enumerate() {
        let program_order: Vec<NodeId>;
        let order = match orders[number] {
            Some(order) => order,
            None => {
                program_order = NodeId::first(stage.sources.len()).collect();
                &program_order
            }
        };
        let mut previous = None;
        for &node in order {
            let vertex = graph.add_node(());
            index.insert((number, node), vertex);
            if let Some(previous) = previous {
                graph.add_edge(previous, vertex, ());
            }
            previous = Some(vertex);
        }
    }
    let mut maker = std::collections::BTreeMap::new();
    for (number, stage) in stages.iter().enumerate() {
        for (node, source) in NodeId::of(&stage.sources) {
            if let NodeSource::Op(op) = source {
                maker.insert(*op, (number, node));
            }
        }
    }
    for (number, stage) in stages.iter().enumerate() {
        for (node, source) in NodeId::of(&stage.sources) {
            if let NodeSource::Receive(op) = source
                && let (Some(from), Some(&to)) = (maker.get(op), index.get(&(number, node)))
                && let Some(&from) = index.get(from)
            {
                graph.add_edge(from, to, ());
            }
        }
    }
    petgraph::algo::toposort(&graph, None).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Node, Problem};

    #[test]
    fn the_ratio_is_tmax_over_tmin_over_devices_in_use() {
        let balance = Balance::of([2.0, 4.0, 3.0], 1);
        assert_eq!((balance.tmax_seconds, balance.tmin_seconds), (4.0, 2.0));
        assert_eq!(balance.ratio, Some(2.0));
        assert!(balance.within(2.0) && !balance.within(1.9));
    }

    #[test]
    fn devices_without_ops_are_idle_and_not_in_the_balance() {
        let score = |device, ops, seconds| StageScore {
            device: DeviceId(device),
            ops,
            seconds,
            ..StageScore::default()
        };
        let judged = balance(&[score(0, 2, 4.0), score(1, 0, 0.0), score(2, 1, 2.0), score(3, 0, 9.0)]);
        assert_eq!((judged.tmax_seconds, judged.tmin_seconds, judged.idle_devices), (4.0, 2.0, 2));
        assert_eq!(balance(&[score(0, 1, 3.0)]).idle_devices, 0);
    }

    fn stage(device: usize, nodes: &[(NodeSource, &[usize])]) -> Stage {
        let problem = Problem {
            name: format!("device {device}"),
            nodes: nodes.iter().map(|(_, inputs)| Node::new("n", 1.0, 1, inputs.to_vec())).collect(),
            resident_bytes: 0,
        };
        Stage {
            device: DeviceId(device),
            problem,
            sources: nodes.iter().map(|(source, _)| *source).collect(),
            compute_seconds: 0.0,
            receive_seconds: 0.0,
            send_seconds: 0.0,
            sends: Vec::new(),
            arguments: Vec::new(),
        }
    }

    #[test]
    fn orders_in_which_two_devices_wait_for_each_other_cannot_run() {
        use NodeSource::{Op, Receive};
        // Ops 0 and 2 run on device 0, ops 1 and 3 on device 1; 2 reads the value of 1, and 3 that of 0.
        let [a, b, c, d] = [0, 1, 2, 3].map(OpId);
        let stages = [
            stage(0, &[(Op(a), &[]), (Receive(b), &[]), (Op(c), &[1])]),
            stage(1, &[(Op(b), &[]), (Receive(a), &[]), (Op(d), &[1])]),
        ];
        let late: &[NodeId] = &[NodeId(1), NodeId(2), NodeId(0)];
        assert!(orders_can_run(&stages, &[None, None]));
        assert!(orders_can_run(&stages, &[Some(late), None]));
        assert!(orders_can_run(&stages, &[None, Some(late)]));
        assert!(!orders_can_run(&stages, &[Some(late), Some(late)]));
        // On one device the receive stands for nothing made here.
        assert!(orders_can_run(&stages[..1], &[Some(late)]));
    }

    #[test]
    fn sums_of_bytes_above_64_bits_are_refused() {
        use NodeSource::Op;
        let [a, b, c] = [0, 1, 2].map(OpId);
        let mut huge = stage(0, &[(Op(a), &[]), (Op(b), &[]), (Op(c), &[0, 1])]);
        for node in &mut huge.problem.nodes {
            node.bytes = 1 << 63;
        }
        // Two values of 2^63 bytes would wrap to nothing.
        let refused = judge_stage(&huge, &CompactPlan::default(), None, None).unwrap_err();
        assert_eq!(refused.op, Some(b));
        assert!(refused.to_string().contains("needs more than 2^64 bytes"), "{refused}");
        assert_eq!((huge.problem.unplanned_peak(), huge.problem.working_set().0), (u64::MAX, u64::MAX));
        let capped = judge_stage(&huge, &CompactPlan::default(), None, Some(Bytes(u64::MAX))).unwrap_err();
        assert_eq!(capped.op, Some(b));
        // An op's own workspace counts along.
        let mut one = stage(0, &[(Op(a), &[])]);
        (one.problem.nodes[0].bytes, one.problem.nodes[0].workspace_bytes) = (u64::MAX, 1);
        assert_eq!(judge_stage(&one, &CompactPlan::default(), None, None).unwrap_err().op, Some(a));
    }

    #[test]
    fn a_used_device_without_time_has_no_ratio_and_is_above_every_limit() {
        let balance = Balance::of([2.0, 0.0], 0);
        assert_eq!(balance.ratio, None);
        assert!(!balance.within(1e300));
    }
}
