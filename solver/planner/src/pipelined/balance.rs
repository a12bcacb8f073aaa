//! The cuts that a pipeline starts with: on which devices, and over which links.
//!
//! The dynamic programme prices all transfers alike, and gives every device a stage. Where links differ, or are slow for what runs on a device, that is not the
//! shortest step: it is asked for several prices, and for runs of fewer devices, and the event simulation of what it answers decides.

use std::ops::Range;

use ballast_core::cap::CapSpec;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::{PipelinePlan, ScheduleError, Spec, check_flow, first_backward, pipeline_plan};
use ballast_core::program::Program;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, LayersError, RunTimes, layers};

use crate::{Error, Pipelining};

/// Pieces of the layer view: fine enough to balance 8 stages to a few percent.
pub const MOST_PIECES: usize = 192;

/// Devices up to which every run of them is tried; of more, those of a power of two from a multiple of it.
const FEW_DEVICES: usize = 8;

/// Runs of fewer devices that are simulated: those with the shortest estimated steps.
const MOST_SIMULATED: usize = 8;

pub(super) fn refuse(error: &LayersError) -> Error {
    Error::Pipeline { op: error.op(), message: error.to_string() }
}

pub(super) fn unplayable(error: &ScheduleError) -> Error {
    Error::Pipeline { op: None, message: error.to_string() }
}

/// The cuts of a training step that balance the stages of a pipeline, and the device of every op.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// First pieces of the stages but the first; where a device stays idle, its stage has no piece.
    pub cuts: Vec<usize>,
    /// The device of every op; views and constants carry that of their first reader.
    pub device_of: Vec<DeviceId>,
}

/// Cuts a training step into one stage per entry of `cluster`, or into fewer where a step is shorter on some of the devices alone and what they hold without
/// recomputation is within their caps, or their memory where a cap is a share. Beyond that memory is not looked at.
///
/// # Errors
/// For programs that are no training step, for more stages than pieces, and where stages or micro-batches do not suit the
/// schedule.
pub fn balanced(program: &Program<'_>, pipelining: Pipelining, cap: CapSpec) -> Result<Balanced, Error> {
    let Program { graph, costs, cluster } = *program;
    let Pipelining { spec, granularity, may_idle } = pipelining;
    spec.in_flight_of_all(cluster.devices.len()).map_err(|error| unplayable(&error))?;
    let layers = layers(graph, costs, granularity, MOST_PIECES).map_err(|error| refuse(&error))?;
    let times = RunTimes::of(graph, costs, cluster, &layers);
    let mut best = on_all(program, &layers, &times, (spec, cap))?;
    if may_idle && spec.schedule.chunks() == 1 {
        for cuts in on_fewer(&times, cluster, spec) {
            let next = Candidate::simulated(program, &layers, cuts, (spec, cap))?;
            if next.step_seconds < best.step_seconds && next.fits {
                best = next;
            }
        }
    }
    Ok(best.balanced)
}

/// The best cuts that give every device a stage, without regard to memory.
fn on_all(
    program: &Program<'_>,
    layers: &Layers,
    times: &RunTimes,
    (spec, cap): (Spec, CapSpec),
) -> Result<Candidate, Error> {
    let stages = program.cluster.devices.len();
    let first = cuts(times, spec)
        .ok_or_else(|| refuse(&LayersError::TooFewPieces { stages, pieces: layers.pieces }))?;
    let mut best = Candidate::simulated(program, layers, first, (spec, cap))?;
    let links = links(program.cluster, 0..stages);
    for link in links.iter().filter(|_| links.len() > 1) {
        let Some(cuts) = cuts(&times.on(0..stages, *link), spec) else { continue };
        let next = Candidate::simulated(program, layers, cuts, (spec, cap))?;
        if next.step_seconds < best.step_seconds {
            best = next;
        }
    }
    Ok(best)
}

/// The cuts that the dynamic programme finds.
fn cuts(times: &RunTimes, spec: Spec) -> Option<Vec<usize>> {
    times.cuts_for(spec.schedule, spec.micro_batches, &|_, _, _| 0.0)
}

/// A placement that plans of a pipeline start from.
pub(super) struct Start {
    pub(super) device_of: Vec<DeviceId>,
    /// Seconds of a step without recomputation: no memory plan of the same cuts takes less.
    pub(super) step_seconds: f64,
}

/// Where plans of a pipeline start from a placement: one that gives every device a stage, and others that leave devices idle. Those have
/// shorter steps than the placement given, none of them with recomputation, and are the shortest, at most so many, or they are that placement itself. What the
/// devices hold may be more than their memory: that is for plans to say.
pub(super) fn starts(
    program: &Program<'_>,
    layers: &Layers,
    device_of: Vec<DeviceId>,
    Pipelining { spec, may_idle, .. }: Pipelining,
    most: usize,
) -> Result<(Vec<DeviceId>, Vec<Start>), Error> {
    let Program { graph, costs, cluster } = *program;
    let is_idle = |device: DeviceId| graph.planned().all(|op| device_of[op] != device);
    let leaves_idle = DeviceId::first(cluster.devices.len()).any(is_idle);
    if spec.schedule.chunks() > 1 || !(may_idle || leaves_idle) {
        return Ok((device_of, Vec::new()));
    }
    let times = RunTimes::of(graph, costs, cluster, layers);
    let of_memory = (spec, CapSpec::DeviceMemory);
    let given_seconds = unplanned(program, &device_of, spec)?.step_seconds;
    let mut fewer = Vec::new();
    if may_idle {
        for cuts in on_fewer(&times, cluster, spec) {
            fewer.push(Candidate::simulated(program, layers, cuts, of_memory)?);
        }
        fewer.retain(|next| next.step_seconds < given_seconds);
        fewer.sort_by(|a, b| a.step_seconds.total_cmp(&b.step_seconds));
        fewer.truncate(most);
    }
    let start =
        |Candidate { balanced, step_seconds, .. }| Start { device_of: balanced.device_of, step_seconds };
    let mut fewer: Vec<Start> = fewer.into_iter().map(start).collect();
    if !leaves_idle {
        return Ok((device_of, fewer));
    }
    fewer.insert(0, Start { device_of, step_seconds: given_seconds });
    Ok((on_all(program, layers, &times, of_memory)?.balanced.device_of, fewer))
}

/// The plan in which nothing is recomputed or swapped; its caps are not kept where they are too small.
pub(crate) fn unplanned(
    program: &Program<'_>,
    device_of: &[DeviceId],
    spec: Spec,
) -> Result<PipelinePlan, Error> {
    let Program { graph, costs, cluster } = *program;
    check_flow(graph, device_of)?;
    let first_backward = first_backward(graph)?;
    let stages = stages(graph, costs, cluster, device_of);
    let plans = vec![CompactPlan::default(); stages.len()];
    Ok(pipeline_plan(graph, device_of, &stages, &plans, &[], spec, first_backward)?)
}

/// Cuts and what they come to.
struct Candidate {
    balanced: Balanced,
    step_seconds: f64,
    /// Does all that is held without recomputation have room?
    fits: bool,
}

impl Candidate {
    fn simulated(
        program: &Program<'_>,
        layers: &Layers,
        cuts: Vec<usize>,
        (spec, cap): (Spec, CapSpec),
    ) -> Result<Self, Error> {
        let device_of = layers.stage_of(program.graph, &cuts);
        let plan = unplanned(program, &device_of, spec)?;
        let room = |need: u64, memory: Bytes| match cap {
            CapSpec::Share(_) => memory,
            _ => cap.bytes(Bytes(need), memory),
        };
        let mut held = plan.stages.iter().zip(&program.cluster.devices);
        Ok(Candidate {
            step_seconds: plan.step_seconds,
            fits: held.all(|(stage, device)| {
                let need = stage.unplanned_need_bytes;
                need <= room(need, device.memory).0
            }),
            balanced: Balanced { cuts, device_of },
        })
    }
}

/// Cuts that leave devices idle, those with the shortest estimated steps.
fn on_fewer(times: &RunTimes, cluster: &Cluster, spec: Spec) -> Vec<Vec<usize>> {
    let (devices, pieces) = (cluster.devices.len(), times.pieces());
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    for run in runs(devices) {
        // The slowest link between them.
        let link = links(cluster, run.clone()).pop().unwrap_or(cluster.default_link);
        let on_run = times.on(run.clone(), link);
        let Some(inner) = cuts(&on_run, spec) else { continue };
        let all = std::iter::repeat_n(0, run.start).chain(inner.iter().copied());
        let all = all.chain(std::iter::repeat_n(pieces, devices - run.end)).collect();
        found.push((on_run.step_seconds(&inner, spec.micro_batches), all));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(MOST_SIMULATED);
    found.into_iter().map(|(_, cuts)| cuts).collect()
}

/// Runs of devices, but not of all.
fn runs(devices: usize) -> Vec<Range<usize>> {
    if devices <= FEW_DEVICES {
        let of_size = |size: usize| (0..=devices - size).map(move |first| first..first + size);
        return (1..devices).flat_map(of_size).collect();
    }
    let sizes = std::iter::successors(Some(1), |size| Some(2 * size)).take_while(|&size| size < devices);
    let of_size = |size: usize| (0..devices / size).map(move |run| run * size..(run + 1) * size);
    sizes.flat_map(of_size).collect()
}

/// The kinds of links between some devices, the slowest last.
fn links(cluster: &Cluster, devices: Range<usize>) -> Vec<Link> {
    if cluster.links.is_empty() {
        return vec![cluster.default_link];
    }
    let pairs = devices.clone().flat_map(|from| devices.clone().map(move |to| (from, to)));
    let mut links: Vec<Link> = Vec::new();
    for (from, to) in pairs.filter(|(from, to)| from != to) {
        let link = cluster.link(DeviceId(from), DeviceId(to));
        if !links.contains(&link) {
            links.push(link);
        }
    }
    links.sort_by(|a, b| b.bytes_per_second.total_cmp(&a.bytes_per_second));
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_neighbours_and_leave_some_device_out() {
        assert_eq!(runs(3), [0..1, 1..2, 2..3, 0..2, 1..3]);
        assert!(runs(1).is_empty());
        let many = runs(16);
        assert_eq!(many.len(), 16 + 8 + 4 + 2);
        assert!(many.iter().all(|run| run.len().is_power_of_two() && run.start % run.len() == 0));
    }
}
