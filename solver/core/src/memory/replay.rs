//! The judge of schedules: replays the steps, derives time, peak and timeline, refuses broken ones.
//!
//! Without a [`SwapModel`] that overlaps, steps take effect one after the other. With overlap there are three
//! engines: compute, copy-out and copy-in, each one job at a time in order of issue. A single issuer walks the
//! steps and waits for the end of every compute step, never for a copy:
//! - a compute step waits for its inputs to be there, then for device memory;
//! - a swap-in waits for device memory; its copy starts once the copy-in engine is free and the copy-out of
//!   the same value has ended;
//! - a swap-out waits for host memory; its copy starts once the copy-out engine is free and the value is there;
//! - freed device memory is there again once running copies of the value have ended, host memory likewise.
//!
//! Waiting for memory means waiting for copies that hold memory already freed; where these do not suffice the
//! schedule is refused.

use serde::{Deserialize, Serialize};

use super::pool::Pool;
use super::{NodeId, Problem, Schedule, Step};

/// How swaps are timed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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

impl SwapModel {
    /// Time of one copy to the host.
    #[must_use]
    pub fn out_time(&self, bytes: u64) -> f64 {
        self.latency + bytes as f64 / self.out_bandwidth
    }

    /// Time of one copy back to the device.
    #[must_use]
    pub fn in_time(&self, bytes: u64) -> f64 {
        self.latency + bytes as f64 / self.in_bandwidth
    }

    /// Are the bandwidths positive and the latency finite and not negative?
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.check().is_ok()
    }

    /// Whether it can be reckoned with.
    ///
    /// # Errors
    /// The first field that makes no sense, by its name.
    pub fn check(&self) -> Result<(), String> {
        for (field, value) in [("out_bandwidth", self.out_bandwidth), ("in_bandwidth", self.in_bandwidth)] {
            if value.is_nan() || value <= 0.0 {
                return Err(format!("{field} is {value}: it must be above zero"));
            }
        }
        if !self.latency.is_finite() || self.latency < 0.0 {
            return Err(format!("latency is {}: it must be a finite number, zero or more", self.latency));
        }
        Ok(())
    }
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
    /// Node running, or copied in, when the peak was first reached.
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
/// resident, a node never computed, effects out of their order, a kept value missing at the end, a forbidden recompute or swap, a peak
/// above `cap_bytes`, a host peak above the host's capacity, or a swap without a [`SwapModel`].
pub fn replay(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
) -> Result<Replay, ReplayError> {
    let mut judge = Judge::new(problem, swap, cap_bytes);
    for (step, &what) in schedule.steps.iter().enumerate() {
        let node = what.node();
        judge.take(what).map_err(|reason| ReplayError { step, node: Some(node), reason })?;
    }
    judge.finish().map_err(|(node, reason)| ReplayError { step: schedule.steps.len(), node, reason })
}

/// What a schedule would take if the device had memory without end where the cap does not suffice.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// Total time.
    pub time: f64,
    /// Bytes missing, summed over all steps that claim device memory.
    pub excess_bytes: u64,
    /// Steps for which bytes were missing, ascending.
    pub short: Vec<usize>,
    /// Runs that started later than the run before had ended, ascending.
    pub waiting: Vec<usize>,
}

/// Times a schedule that may be over the cap, for searches; all other rules are as in [`replay`].
///
/// # Errors
/// The first rule, other than the cap, that the schedule breaks.
pub fn assess(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: u64,
) -> Result<Assessment, ReplayError> {
    let mut judge = Judge::new(problem, swap, Some(cap_bytes));
    judge.device.missing = Some(0);
    let (mut short, mut waiting) = (Vec::new(), Vec::new());
    let mut before = 0;
    for (step, &what) in schedule.steps.iter().enumerate() {
        let ended = judge.now;
        judge.take(what).map_err(|reason| ReplayError { step, node: None, reason })?;
        if let Step::Compute(node) = what
            && judge.now > ended + problem.nodes[node].time
        {
            waiting.push(step);
        }
        let missing = judge.device.missing.unwrap_or(0);
        if missing > before {
            short.push(step);
            before = missing;
        }
    }
    let result =
        judge.finish().map_err(|(node, reason)| ReplayError { step: schedule.steps.len(), node, reason })?;
    Ok(Assessment { time: result.time, excess_bytes: before, short, waiting })
}

/// Where a value is.
#[derive(Clone, Copy)]
struct Place {
    on_device: bool,
    on_host: bool,
    ran: bool,
    /// When the device copy may be read.
    ready: f64,
    /// When the last copy-out of it ends.
    out_end: f64,
    /// When the last copy-in of it ends.
    in_end: f64,
}

pub(super) struct Judge<'a> {
    problem: &'a Problem,
    swap: Option<&'a SwapModel>,
    places: Vec<Place>,
    device: Pool,
    host: Pool,
    /// End of the last compute step; with copies that count in full, of the last copy too.
    now: f64,
    /// When the last claim of memory was met; the issuer waited until then.
    claimed: f64,
    out_free: f64,
    in_free: f64,
    compute_time: f64,
    result: Replay,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &'a Problem, swap: Option<&'a SwapModel>, cap_bytes: Option<u64>) -> Self {
        let nowhere =
            Place { on_device: false, on_host: false, ran: false, ready: 0.0, out_end: 0.0, in_end: 0.0 };
        Judge {
            problem,
            swap,
            places: vec![nowhere; problem.nodes.len()],
            device: Pool::new(problem.resident_bytes, cap_bytes),
            host: Pool::new(0, swap.and_then(|swap| swap.host_capacity_bytes)),
            now: 0.0,
            claimed: 0.0,
            out_free: 0.0,
            in_free: 0.0,
            compute_time: 0.0,
            result: Replay {
                time: 0.0,
                recompute_time: 0.0,
                exposed_swap_time: 0.0,
                peak_bytes: 0,
                peak_node: None,
                host_peak_bytes: 0,
                swap_bytes: 0,
                recomputes: 0,
                timeline: Vec::with_capacity(problem.nodes.len()),
            },
        }
    }

    pub(super) fn take(&mut self, step: Step) -> Result<(), String> {
        let node = step.node();
        if node.0 >= self.problem.nodes.len() {
            return Err(format!("there is no node {node}"));
        }
        match step {
            Step::Compute(_) => self.compute(node),
            Step::Free(_) => self.free(node),
            Step::SwapOut(_) => self.swap_out(node),
            Step::SwapIn(_) => self.swap_in(node),
            Step::HostFree(_) => self.host_free(node),
        }
    }

    /// End of the last compute step; with copies that count in full, of the last copy too.
    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Bytes in use on the device when the last compute step or copy claimed its own, and on the host now.
    pub(super) fn held_bytes(&self, what: Step) -> (u64, u64) {
        let device = match (what, self.result.timeline.last()) {
            (Step::Compute(_), Some(&(_, bytes))) => bytes,
            _ => self.device.used,
        };
        (device, self.host.used)
    }

    /// When the last copy to the host, and the last one back, end.
    pub(super) fn copies_end(&self) -> (f64, f64) {
        (self.out_free, self.in_free)
    }

    /// When the last claim of memory was met.
    pub(super) fn claimed_at(&self) -> f64 {
        self.claimed
    }

    /// When the device memory of a value could be used again, were it freed now.
    pub(super) fn held_until(&self, node: NodeId) -> f64 {
        self.places[node].ready.max(self.places[node].out_end)
    }

    fn label(&self, node: NodeId) -> String {
        format!("node {node} ('{}')", self.problem.nodes[node].label)
    }

    fn claim_device(&mut self, node: NodeId, time: f64, bytes: u64) -> Result<f64, String> {
        let before = self.device.peak;
        let at = self.device.claim(time, bytes).map_err(|needed| {
            let label = self.label(node);
            match self.device.limit {
                Some(cap) => format!("{label} needs {needed} bytes on the device, above the cap of {cap}"),
                None => format!("{label} needs more than 2^64 bytes on the device"),
            }
        })?;
        if self.device.peak > before || self.result.peak_node.is_none() {
            self.result.peak_node = Some(node);
        }
        self.claimed = at;
        Ok(at)
    }

    fn compute(&mut self, node: NodeId) -> Result<(), String> {
        let what = &self.problem.nodes[node];
        let place = self.places[node];
        if place.on_device {
            return Err(format!("{} is computed while it is resident", self.label(node)));
        }
        if place.ran && (!what.recomputable || what.pinned) {
            return Err(format!("{} must not run twice", self.label(node)));
        }
        if let Some(before) = what.after.filter(|&before| !place.ran && !self.places[before].ran) {
            return Err(format!(
                "{} runs before {}, whose effects come first",
                self.label(node),
                self.label(before)
            ));
        }
        let mut start = self.now.max(self.claimed);
        for &input in &what.inputs {
            if !self.places[input].on_device {
                return Err(format!(
                    "{} reads {}, which is not resident",
                    self.label(node),
                    self.label(input)
                ));
            }
            start = start.max(self.places[input].ready);
        }
        let bytes = what.bytes.checked_add(what.workspace_bytes);
        let bytes = bytes.ok_or_else(|| format!("{} takes more than 2^64 bytes", self.label(node)))?;
        let start = self.claim_device(node, start, bytes)?;
        self.result.timeline.push((node, self.device.used));
        self.now = start + what.time;
        self.device.release(self.now, self.now, what.workspace_bytes);
        self.compute_time += what.time;
        if place.ran {
            self.result.recompute_time += what.time;
            self.result.recomputes += 1;
        }
        let place = &mut self.places[node];
        place.on_device = true;
        place.ran = true;
        place.ready = self.now;
        Ok(())
    }

    fn free(&mut self, node: NodeId) -> Result<(), String> {
        if !std::mem::replace(&mut self.places[node].on_device, false) {
            return Err(format!("{} is freed but not resident", self.label(node)));
        }
        let time = self.held_until(node);
        self.device.release(self.now, time, self.problem.nodes[node].bytes);
        Ok(())
    }

    fn model(&self, node: NodeId) -> Result<&'a SwapModel, String> {
        let what = &self.problem.nodes[node];
        let swap =
            self.swap.ok_or_else(|| format!("{} is swapped, but there is no host link", self.label(node)))?;
        if !what.swappable || what.pinned {
            return Err(format!("{} must not be swapped", self.label(node)));
        }
        Ok(swap)
    }

    fn add_swapped(&mut self, node: NodeId, bytes: u64) -> Result<(), String> {
        let sum = self.result.swap_bytes.checked_add(bytes);
        self.result.swap_bytes =
            sum.ok_or_else(|| format!("with {} more than 2^64 bytes are swapped", self.label(node)))?;
        Ok(())
    }

    fn swap_out(&mut self, node: NodeId) -> Result<(), String> {
        let swap = self.model(node)?;
        let place = self.places[node];
        if !place.on_device {
            return Err(format!("{} is swapped out but not resident", self.label(node)));
        }
        if place.on_host {
            return Err(format!("{} is swapped out but on the host already", self.label(node)));
        }
        let bytes = self.problem.nodes[node].bytes;
        self.claimed = self.host.claim(self.now.max(self.claimed), bytes).map_err(|needed| {
            let limit = self.host.limit.unwrap_or(u64::MAX);
            format!("{} needs {needed} bytes on the host, which has {limit}", self.label(node))
        })?;
        self.add_swapped(node, bytes)?;
        let end = self.claimed.max(self.out_free).max(place.ready) + swap.out_time(bytes);
        self.out_free = end;
        if !swap.overlap {
            self.now = end;
        }
        let place = &mut self.places[node];
        place.on_host = true;
        place.out_end = end;
        Ok(())
    }

    fn swap_in(&mut self, node: NodeId) -> Result<(), String> {
        let swap = self.model(node)?;
        let place = self.places[node];
        if !place.on_host {
            return Err(format!("{} is swapped in but not on the host", self.label(node)));
        }
        if place.on_device {
            return Err(format!("{} is swapped in while it is resident", self.label(node)));
        }
        let bytes = self.problem.nodes[node].bytes;
        let claimed = self.claim_device(node, self.now.max(self.claimed), bytes)?;
        let end = claimed.max(self.in_free).max(place.out_end) + swap.in_time(bytes);
        self.add_swapped(node, bytes)?;
        self.in_free = end;
        if !swap.overlap {
            self.now = end;
        }
        let place = &mut self.places[node];
        place.on_device = true;
        place.ready = end;
        place.in_end = end;
        Ok(())
    }

    fn host_free(&mut self, node: NodeId) -> Result<(), String> {
        let place = &mut self.places[node];
        if !place.on_host {
            return Err(format!("{} is freed on the host but not there", self.label(node)));
        }
        place.on_host = false;
        let time = place.out_end.max(place.in_end);
        self.host.release(self.now, time, self.problem.nodes[node].bytes);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Replay, (Option<NodeId>, String)> {
        for (node, what) in NodeId::of(&self.problem.nodes) {
            let place = self.places[node];
            if !place.ran {
                return Err((Some(node), format!("{} never runs", self.label(node))));
            }
            if what.keep && !place.on_device {
                return Err((
                    Some(node),
                    format!("{} is to be kept but not resident at the end", self.label(node)),
                ));
            }
        }
        // A plan is over when its copies are.
        let time = self.now.max(self.out_free).max(self.in_free);
        self.result.time = time;
        self.result.exposed_swap_time =
            if self.result.swap_bytes == 0 { 0.0 } else { time - self.compute_time };
        self.result.peak_bytes = self.device.peak;
        self.result.host_peak_bytes = self.host.peak;
        Ok(self.result)
    }
}
