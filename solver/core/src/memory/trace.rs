//! When every run and copy of a schedule starts and ends, and what the device holds then: what reports draw.

use super::replay::Judge;
use super::{NodeId, Problem, Replay, ReplayError, Schedule, Step, SwapModel};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The first run of a node.
    Run,
    /// A repeated run.
    Again,
    /// A copy to the host.
    Out,
    /// A copy back to the device.
    In,
}

/// A run or a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Its step in the schedule.
    pub step: usize,
    /// The node.
    pub node: NodeId,
    /// What it does.
    pub kind: EventKind,
    /// From the start of the schedule, in the problem's unit of time.
    pub start: f64,
    /// From the start of the schedule.
    pub end: f64,
    /// Bytes on the device once it has claimed its own; of a run, with its workspace.
    pub device_bytes: u64,
    /// Bytes on the host.
    pub host_bytes: u64,
}

/// Replays a schedule and writes down its runs and copies in order of issue; their device bytes peak at
/// [`Replay::peak_bytes`].
///
/// # Errors
/// As [`replay`](super::replay()).
pub fn trace(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
) -> Result<(Vec<Event>, Replay), ReplayError> {
    let mut judge = Judge::new(problem, swap, cap_bytes);
    let mut ran = vec![false; problem.nodes.len()];
    let mut events = Vec::with_capacity(schedule.steps.len());
    for (step, &what) in schedule.steps.iter().enumerate() {
        judge.take(what).map_err(|reason| ReplayError { step, node: None, reason })?;
        let (device_bytes, host_bytes) = judge.held_bytes(what);
        let (out_end, in_end) = judge.copies_end();
        let link = |time: fn(&SwapModel, u64) -> f64, node: NodeId| {
            swap.map_or(0.0, |swap| time(swap, problem.nodes[node].bytes))
        };
        let (node, kind, end, seconds) = match what {
            Step::Compute(node) => {
                let again = std::mem::replace(&mut ran[node], true);
                let kind = if again { EventKind::Again } else { EventKind::Run };
                (node, kind, judge.now(), problem.nodes[node].time)
            }
            Step::SwapOut(node) => (node, EventKind::Out, out_end, link(SwapModel::out_time, node)),
            Step::SwapIn(node) => (node, EventKind::In, in_end, link(SwapModel::in_time, node)),
            Step::Free(_) | Step::HostFree(_) => continue,
        };
        events.push(Event {
            step,
            node,
            kind,
            start: (end - seconds).max(0.0),
            end,
            device_bytes,
            host_bytes,
        });
    }
    let error = |(node, reason)| ReplayError { step: schedule.steps.len(), node, reason };
    let replay = judge.finish().map_err(error)?;
    Ok((events, replay))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{CompactPlan, Node, expand, live_intervals};

    /// Four nodes of 2 bytes; the first is read by the second and the last.
    fn problem() -> Problem {
        let inputs: [&[usize]; 4] = [&[], &[0], &[1], &[0, 2]];
        let node = |(id, inputs): (usize, &&[usize])| Node {
            workspace_bytes: 1,
            ..Node::new(format!("n{id}"), 2.0, 2, inputs.to_vec())
        };
        Problem { name: "p".into(), nodes: inputs.iter().enumerate().map(node).collect(), resident_bytes: 3 }
    }

    #[test]
    fn events_have_the_times_and_bytes_of_the_replay() {
        let problem = problem();
        let link = SwapModel {
            out_bandwidth: 1.0,
            in_bandwidth: 2.0,
            latency: 0.0,
            overlap: true,
            host_capacity_bytes: None,
        };
        let plans = [
            CompactPlan::default(),
            CompactPlan { recompute: vec![(3, NodeId(0))], ..CompactPlan::default() },
            CompactPlan {
                swap_out: vec![(0, NodeId(0))],
                swap_in: vec![(3, NodeId(0))],
                ..CompactPlan::default()
            },
        ];
        let kinds = [[4, 0, 0], [4, 1, 0], [4, 0, 2]];
        for (plan, [runs, again, copies]) in plans.iter().zip(kinds) {
            let schedule = expand(&problem, plan).unwrap();
            let (events, replay) = trace(&problem, &schedule, Some(&link), None).unwrap();
            let count = |kind| events.iter().filter(|event| event.kind == kind).count();
            assert_eq!((count(EventKind::Run), count(EventKind::Again)), (runs, again));
            assert_eq!(count(EventKind::Out) + count(EventKind::In), copies);
            assert_eq!(events.iter().map(|event| event.device_bytes).max(), Some(replay.peak_bytes));
            assert_eq!(events.iter().map(|event| event.host_bytes).max(), Some(replay.host_peak_bytes));
            assert_eq!(events.iter().map(|event| event.end).fold(0.0, f64::max), replay.time);
            // What the device holds is what stays there.
            let intervals = live_intervals(&problem, &schedule, Some(&link), None).unwrap();
            for event in &events {
                let here = intervals
                    .iter()
                    .filter(|interval| interval.from <= event.step && event.step < interval.to);
                let bytes = here.map(|interval| match interval.workspace {
                    true => problem.nodes[interval.node].workspace_bytes,
                    false => problem.nodes[interval.node].bytes,
                });
                assert_eq!(problem.resident_bytes + bytes.sum::<u64>(), event.device_bytes, "{event:?}");
            }
        }
        // The copy out runs beside n1 and n2, the copy back after n2.
        let (events, _) = trace(&problem, &expand(&problem, &plans[2]).unwrap(), Some(&link), None).unwrap();
        let times: Vec<_> = events.iter().map(|event| (event.node.0, event.start, event.end)).collect();
        assert_eq!(times[..3], [(0, 0.0, 2.0), (0, 2.0, 4.0), (1, 2.0, 4.0)]);
        assert_eq!(times[4..], [(0, 6.0, 7.0), (3, 7.0, 9.0)]);
    }
}
