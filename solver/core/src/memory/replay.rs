//! The judge of schedules: replays the steps, derives time, peak and timeline, refuses broken ones.

use serde::{Deserialize, Serialize};

use super::{NodeId, Problem, Schedule, Step};

/// How swaps are timed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwapModel {
    /// Bytes per unit of time, device to host.
    pub out_bandwidth: f64,
    /// Bytes per unit of time, host to device.
    pub in_bandwidth: f64,
    /// Time added to every copy.
    pub latency: f64,
    /// Do copies run beside computation, one engine per direction? Otherwise every copy counts in full.
    pub overlap: bool,
    /// Bytes of host memory; none: no limit.
    pub host_capacity_bytes: Option<u64>,
}

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Total time: computation, recomputation and exposed swap time.
    pub time: f64,
    /// Time of the repeated computations alone.
    pub recompute_time: f64,
    /// Swap time not hidden behind computation.
    pub exposed_swap_time: f64,
    /// Largest number of bytes on the device at any moment, resident bytes included.
    pub peak_bytes: u64,
    /// Node running when the peak was first reached.
    pub peak_node: Option<NodeId>,
    /// Largest number of bytes on the host.
    pub host_peak_bytes: u64,
    /// Bytes copied in both directions.
    pub swap_bytes: u64,
    /// Number of repeated computations.
    pub recomputes: usize,
    /// Device bytes at every compute step, in order of the schedule.
    pub timeline: Vec<(NodeId, u64)>,
}

/// Why a schedule was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("step {step}: {reason}")]
pub struct ReplayError {
    /// Index of the refused step; the number of steps for a defect seen at the end.
    pub step: usize,
    /// The node concerned.
    pub node: Option<NodeId>,
    /// What is wrong, in words.
    pub reason: String,
}

/// Replays a schedule and judges it.
///
/// Memory at a compute step is everything resident, inputs included, plus the output and the node's
/// workspace. A value must be freed before it is computed again.
///
/// # Errors
/// The first rule the schedule breaks: an unknown node, an input that is not resident, a value computed while
/// resident, a node never computed, a kept value missing at the end, a forbidden recompute or swap, a peak
/// above `cap_bytes`, a host peak above the host's capacity, or a swap without a [`SwapModel`].
pub fn replay(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
) -> Result<Replay, ReplayError> {
    let _ = (problem, schedule, swap, cap_bytes, Step::Compute(0));
    Err(ReplayError { step: 0, node: None, reason: "no replay yet".into() })
}
