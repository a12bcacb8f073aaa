//! Cuts of the layer view into stages: times of all runs of pieces, and the best cuts by dynamic programming.
//!
//! A step of `M` micro-batches over stages with times `t_s` takes about `sum t_s + (M - 1) max t_s`: one micro-batch
//! fills and drains the pipeline, the slowest stage sets the pace (GPipe, section 2; the form of the pipeline
//! formula for one batch, full + (batch - 1) * slowest stage). The dynamic programme minimises this; the event simulation judges.

use std::ops::Range;
use std::sync::Arc;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::{Graph, OpId};

use super::layers::Layers;

/// Slack of the slowest stage over the least possible one that is tried for a smaller sum.
const SLACKS: [f64; 7] = [1.0, 1.01, 1.03, 1.07, 1.15, 1.3, 1.6];

/// Seconds of every run of pieces on every device, for one micro-batch, without recomputation.
#[derive(Clone, Debug)]
pub struct RunTimes {
    pieces: usize,
    devices: usize,
    /// `compute[device][piece]`, summed up from the first piece.
    compute: Vec<Vec<f64>>,
    /// What the run `[from, to)` receives and sends, at `from * (pieces + 1) + to`: how many values, and their bytes.
    transfer: Arc<[(f64, f64)]>,
    /// What transfers are priced at.
    link: Link,
}

impl RunTimes {
    /// Prices all runs. Transfers are priced at the link of the first two devices.
    #[must_use]
    pub fn of(graph: &Graph, costs: &Costs, cluster: &Cluster, layers: &Layers) -> Self {
        let (pieces, devices) = (layers.pieces, cluster.devices.len());
        let compute = DeviceId::first(devices)
            .map(|device| {
                let mut sums = vec![0.0; pieces + 1];
                for op in graph.planned() {
                    sums[layers.piece_of[op] + 1] += costs.of(device, op);
                }
                for piece in 0..pieces {
                    sums[piece + 1] += sums[piece];
                }
                sums
            })
            .collect();
        let link = cluster.link(DeviceId(0), DeviceId(usize::from(devices > 1)));
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); graph.ops.len()];
        for op in graph.planned() {
            for input in graph.value_inputs(op) {
                readers[input].push(layers.piece_of[op]);
            }
        }
        let mut transfer = vec![(0.0, 0.0); (pieces + 1) * (pieces + 1)];
        for op in graph.planned() {
            let made = layers.piece_of[op];
            let mut at = std::mem::take(&mut readers[op]);
            at.retain(|&piece| piece != made);
            at.sort_unstable();
            at.dedup();
            let (Some(&first), Some(&last)) = (at.first(), at.last()) else { continue };
            let bytes = graph.value_bytes(op).as_f64();
            for from in 0..pieces {
                // The first reader at or behind `from` is received by runs that reach it.
                let next = at.get(at.partition_point(|&piece| piece < from)).copied();
                for to in from + 1..=pieces {
                    let inside = (from..to).contains(&made);
                    let sent = inside && (first < from || last >= to);
                    let received = !inside && next.is_some_and(|next| next < to);
                    if sent || received {
                        let (values, sum) = &mut transfer[from * (pieces + 1) + to];
                        (*values, *sum) = (*values + 1.0, *sum + bytes);
                    }
                }
            }
        }
        RunTimes { pieces, devices, compute, transfer: transfer.into(), link }
    }

    /// The same on some of the devices, one after the other, with transfers at another link.
    #[must_use]
    pub fn on(&self, devices: Range<usize>, link: Link) -> Self {
        let (count, compute) = (devices.len(), self.compute[devices].to_vec());
        RunTimes { devices: count, compute, link, ..self.clone() }
    }

    /// About the seconds of a step under cuts: `sum t + (M - 1) max t`.
    #[must_use]
    pub fn step_seconds(&self, cuts: &[usize], micro_batches: usize) -> f64 {
        let ends = cuts.iter().copied().chain([self.pieces]);
        let (mut from, mut sum, mut most) = (0, 0.0, 0.0f64);
        for (stage, to) in ends.enumerate() {
            let seconds = self.seconds(stage, from, to);
            (sum, most, from) = (sum + seconds, most.max(seconds), to);
        }
        sum + micro_batches.saturating_sub(1) as f64 * most
    }

    /// Number of pieces.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Seconds of computation of the pieces `from..to` on a device.
    #[must_use]
    pub fn compute_seconds(&self, device: usize, from: usize, to: usize) -> f64 {
        self.compute[device][to] - self.compute[device][from]
    }

    /// Seconds of the pieces `from..to` on a device, transfers included.
    #[must_use]
    pub fn seconds(&self, device: usize, from: usize, to: usize) -> f64 {
        let compute = &self.compute[device];
        let (values, bytes) = self.transfer[from * (self.pieces + 1) + to];
        let transfer = match to - from == self.pieces {
            true => 0.0,
            false => values * self.link.latency_seconds + bytes / self.link.bytes_per_second,
        };
        compute[to] - compute[from] + transfer
    }

    /// The cuts with the least `sum t + (M - 1) max t` found, where a stage takes its [`RunTimes::seconds`] and
    /// what `extra(stage, from, to)` adds; none where there are fewer pieces than devices. Stage `s` runs the
    /// pieces from cut `s - 1` to cut `s`, from the first and to the last piece where there is no such cut.
    #[must_use]
    pub fn best_cuts(
        &self,
        micro_batches: usize,
        extra: &dyn Fn(usize, usize, usize) -> f64,
    ) -> Option<Vec<usize>> {
        best_cuts(self.pieces, &self.stage_seconds(extra)?, micro_batches)
    }

    /// Seconds of every run of pieces as every stage it can be, at `[stage][from * (pieces + 1) + to]`; none where
    /// there are fewer pieces than stages.
    pub(super) fn stage_seconds(&self, extra: &dyn Fn(usize, usize, usize) -> f64) -> Option<Vec<Vec<f64>>> {
        let (pieces, stages) = (self.pieces, self.devices);
        if pieces < stages || stages == 0 {
            return None;
        }
        let width = pieces + 1;
        let of_stage = |stage: usize| {
            let mut row = vec![f64::INFINITY; width * width];
            // Every stage needs a piece, and so do those before and after it.
            for from in stage..=pieces - (stages - stage) {
                for to in from + 1..=pieces - (stages - stage - 1) {
                    row[from * width + to] = self.seconds(stage, from, to) + extra(stage, from, to);
                }
            }
            row
        };
        Some((0..stages).map(of_stage).collect())
    }
}

/// The cuts with the least `sum t + (M - 1) max t` found, for [`RunTimes::stage_seconds`].
pub(super) fn best_cuts(pieces: usize, time: &[Vec<f64>], micro_batches: usize) -> Option<Vec<usize>> {
    let least = chain(pieces, time, f64::INFINITY, f64::max)?.0;
    let mut best: Option<(f64, Vec<usize>)> = None;
    for slack in SLACKS {
        let Some((sum, cuts)) = chain(pieces, time, least * slack, |a, b| a + b) else { continue };
        let slowest = slowest(pieces, time, &cuts);
        let value = sum + (micro_batches.saturating_sub(1)) as f64 * slowest;
        if best.as_ref().is_none_or(|(known, _)| value < *known) {
            best = Some((value, cuts));
        }
    }
    best.map(|(_, cuts)| cuts)
}

fn slowest(pieces: usize, time: &[Vec<f64>], cuts: &[usize]) -> f64 {
    let mut from = 0;
    let mut slowest = 0.0f64;
    for (stage, to) in cuts.iter().copied().chain([pieces]).enumerate() {
        slowest = slowest.max(time[stage][from * (pieces + 1) + to]);
        from = to;
    }
    slowest
}

/// The chain of runs over all pieces with the least fold of its times, none above `most`.
fn chain(
    pieces: usize,
    time: &[Vec<f64>],
    most: f64,
    fold: fn(f64, f64) -> f64,
) -> Option<(f64, Vec<usize>)> {
    let width = pieces + 1;
    let mut value = vec![f64::INFINITY; width];
    value[0] = 0.0;
    let mut came: Vec<Vec<usize>> = Vec::with_capacity(time.len());
    for row in time {
        let mut next = vec![f64::INFINITY; width];
        let mut from_of = vec![0; width];
        for from in (0..pieces).filter(|&from| value[from].is_finite()) {
            for to in from + 1..=pieces {
                let seconds = row[from * width + to];
                let candidate = fold(value[from], seconds);
                if seconds <= most && candidate < next[to] {
                    next[to] = candidate;
                    from_of[to] = from;
                }
            }
        }
        value = next;
        came.push(from_of);
    }
    if !value[pieces].is_finite() {
        return None;
    }
    let mut cuts = Vec::with_capacity(time.len());
    let mut at = pieces;
    for from_of in came.iter().rev() {
        at = from_of[at];
        cuts.push(at);
    }
    cuts.pop();
    cuts.reverse();
    Some((value[pieces], cuts))
}

/// Bytes a run keeps between the passes, and what making them again takes: an estimate for the dynamic programme,
/// which knows nothing of plans.
#[derive(Clone, Debug)]
pub struct StashEstimate {
    /// Forward values read by the backward pass, the cheapest to make again per byte first.
    values: Vec<StashValue>,
    /// Resident bytes by piece-run: arguments with their reading pieces, ascending.
    arguments: Vec<(Vec<usize>, u64)>,
    /// Returned bytes, summed up from the first piece.
    returned: Vec<u64>,
    /// Largest working set of an op of each piece.
    working: Vec<u64>,
}

#[derive(Clone, Debug)]
struct StashValue {
    made: usize,
    /// Pieces of the backward readers, ascending.
    readers: Vec<usize>,
    bytes: u64,
    seconds: f64,
    repeatable: bool,
}

impl StashEstimate {
    /// Reads what every piece keeps; seconds are those of the first device.
    #[must_use]
    pub fn of(graph: &Graph, costs: &Costs, layers: &Layers) -> Self {
        let late = |op: OpId| op >= layers.first_backward;
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); graph.ops.len()];
        let mut argument_readers: Vec<Vec<usize>> = vec![Vec::new(); graph.tensors.len()];
        let mut working = vec![0; layers.pieces];
        for op in graph.planned() {
            let piece = layers.piece_of[op];
            let inputs = graph.value_inputs(op);
            let held: u64 = inputs.iter().map(|&input| graph.value_bytes(input).0).sum();
            let held = held + graph.value_bytes(op).0 + graph.ops[op].workspace.0;
            working[piece] = held.max(working[piece]);
            for input in inputs.into_iter().filter(|&input| late(op) && !late(input)) {
                readers[input].push(piece);
            }
            for argument in graph.argument_inputs(op) {
                argument_readers[argument].push(piece);
            }
        }
        let mut values: Vec<StashValue> = graph
            .planned()
            .filter(|&op| !readers[op].is_empty())
            .map(|op| {
                let mut readers = readers[op].clone();
                readers.sort_unstable();
                readers.dedup();
                let what = &graph.ops[op];
                StashValue {
                    made: layers.piece_of[op],
                    readers,
                    bytes: graph.value_bytes(op).0,
                    seconds: costs.of(DeviceId(0), op),
                    repeatable: what.pure_op && !what.rules.never_recompute && !what.rules.must_keep,
                }
            })
            .collect();
        values.sort_by(|a, b| (a.seconds * b.bytes as f64).total_cmp(&(b.seconds * a.bytes as f64)));
        let arguments = argument_readers
            .into_iter()
            .enumerate()
            .filter(|(_, readers)| !readers.is_empty())
            .map(|(tensor, mut readers)| {
                readers.sort_unstable();
                (readers, graph.tensors[tensor].bytes.0)
            })
            .collect();
        let is_returned = graph.returned_ops();
        let mut returned = vec![0; layers.pieces + 1];
        for op in graph.planned().filter(|&op| is_returned[op]) {
            returned[layers.piece_of[op] + 1] += graph.value_bytes(op).0;
        }
        for piece in 0..layers.pieces {
            returned[piece + 1] += returned[piece];
        }
        StashEstimate { values, arguments, returned, working }
    }

    /// Seconds of recomputation for `in_flight` micro-batches of the pieces `from..to` under a cap; endless where dropping
    /// everything is not enough.
    #[must_use]
    pub fn recompute_seconds(&self, from: usize, to: usize, in_flight: usize, cap_bytes: u64) -> f64 {
        let among = |pieces: &[usize]| {
            pieces.get(pieces.partition_point(|&piece| piece < from)).is_some_and(|&piece| piece < to)
        };
        let arguments: u64 =
            self.arguments.iter().filter(|(readers, _)| among(readers)).map(|(_, bytes)| bytes).sum();
        let resident = arguments + self.returned[to] - self.returned[from];
        let working = self.working[from..to].iter().copied().max().unwrap_or(0);
        let stash: u64 =
            self.values.iter().filter(|value| among(&value.readers)).map(|value| value.bytes).sum();
        let held = in_flight as u64;
        let mut excess = (resident + working + held * stash).saturating_sub(cap_bytes);
        let mut seconds = 0.0;
        for value in &self.values {
            if excess == 0 {
                return seconds;
            }
            if value.repeatable && (from..to).contains(&value.made) && among(&value.readers) {
                let freed = held * value.bytes;
                // The last value counts in part: the estimate stays smooth.
                seconds += value.seconds * (excess as f64 / freed.max(1) as f64).min(1.0);
                excess = excess.saturating_sub(freed);
            }
        }
        if excess == 0 { seconds } else { f64::INFINITY }
    }
}
