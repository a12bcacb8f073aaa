//! From which step to which every value of a schedule holds device memory, copies that end later included.

use super::replay::Judge;
use super::{NodeId, Problem, ReplayError, Schedule, Step, SwapModel};

/// The steps during which a value, or a workspace, holds memory on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveInterval {
    /// The node whose value it is, or whose workspace.
    pub node: NodeId,
    /// Is it the node's workspace rather than its value?
    pub workspace: bool,
    /// Step that needs the memory first.
    pub from: usize,
    /// First step that may use the memory for something else.
    pub to: usize,
}

/// Live intervals in order of their first step. Freed memory that a running copy still reads or fills stays taken for the steps
/// issued before the copy has ended, as in [`replay`](super::replay()).
///
/// # Errors
/// As [`replay`](super::replay()).
pub fn live_intervals(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
) -> Result<Vec<LiveInterval>, ReplayError> {
    let mut judge = Judge::new(problem, swap, cap_bytes);
    let mut open: Vec<Option<usize>> = vec![None; problem.nodes.len()];
    let mut intervals: Vec<LiveInterval> = Vec::new();
    // Freed, and held by a copy until a moment.
    let mut leaving: Vec<(f64, usize)> = Vec::new();
    let end = schedule.steps.len();
    for (step, &what) in schedule.steps.iter().enumerate() {
        let refused = |reason| ReplayError { step, node: None, reason };
        let held_until = match what {
            Step::Free(node) if node.0 < open.len() => judge.held_until(node),
            _ => 0.0,
        };
        judge.take(what).map_err(refused)?;
        match what {
            Step::Compute(node) | Step::SwapIn(node) => {
                let at = judge.claimed_at();
                leaving.retain(|&(moment, interval)| {
                    if moment <= at {
                        intervals[interval].to = step;
                    }
                    moment > at
                });
                open[node] = Some(intervals.len());
                let interval = LiveInterval { node, workspace: false, from: step, to: end };
                intervals.push(interval);
                if matches!(what, Step::Compute(_)) && problem.nodes[node].workspace_bytes > 0 {
                    intervals.push(LiveInterval { workspace: true, to: step + 1, ..interval });
                }
            }
            Step::Free(node) => {
                if let Some(interval) = open[node].take() {
                    if held_until <= judge.now() {
                        intervals[interval].to = step;
                    } else {
                        leaving.push((held_until, interval));
                    }
                }
            }
            Step::SwapOut(_) | Step::HostFree(_) => {}
        }
    }
    judge.finish().map_err(|(node, reason)| ReplayError { step: end, node, reason })?;
    Ok(intervals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Node;

    #[test]
    fn memory_under_a_copy_stays_taken() {
        // a is copied out for 6 while b and c run for 1 each; d reads nothing and waits for nothing.
        let nodes = ["a", "b", "c"].map(|name| Node::new(name, 1.0, 2, vec![]));
        let problem = Problem { name: "copies".into(), nodes: nodes.to_vec(), resident_bytes: 0 };
        let steps = [
            Step::Compute(NodeId(0)),
            Step::SwapOut(NodeId(0)),
            Step::Free(NodeId(0)),
            Step::Compute(NodeId(1)),
            Step::Compute(NodeId(2)),
        ]
        .to_vec();
        let schedule = Schedule { steps };
        let link = |overlap| SwapModel {
            out_bandwidth: 1.0 / 3.0,
            in_bandwidth: 1.0,
            latency: 0.0,
            overlap,
            host_capacity_bytes: None,
        };
        let ends = |overlap, cap| -> Vec<usize> {
            live_intervals(&problem, &schedule, Some(&link(overlap)), cap)
                .unwrap()
                .iter()
                .map(|interval| interval.to)
                .collect()
        };
        assert_eq!(ends(false, None), [2, 5, 5]);
        assert_eq!(ends(true, None), [5, 5, 5]);
        // Under a cap of 4 bytes the last step waits for the copy.
        assert_eq!(ends(true, Some(4)), [4, 5, 5]);
    }
}
