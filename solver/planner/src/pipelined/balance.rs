//! The cuts that a pipeline starts with: on which devices, and over which links.
//!
//! The dynamic programme prices all transfers alike, and gives every device a stage. Where links differ, or are slow for what runs on a device, that is not the
//! shortest step: it is asked for several prices, and for runs of fewer devices, and the event simulation of what it answers decides.

use std::ops::Range;

use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::pipeline::Spec;
use ballast_core::program::Program;
use ballast_partition::pipeline::{Layers, LayersError, RunTimes, layers};
use ballast_partition::sequence::Granularity;

use super::plan::{MOST_PIECES, refuse, unplanned, unplayable};
use crate::Error;

/// Devices up to which every run of them is tried; of more, those of a power of two from a multiple of it.
const FEW_DEVICES: usize = 8;

/// Runs of fewer devices that are simulated: those with the shortest estimated steps.
const MOST_SIMULATED: usize = 8;

/// The cuts of a training step that balance the stages of a pipeline, and the device of every op.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// First pieces of the stages but the first; where a device stays idle, its stage has no piece.
    pub cuts: Vec<usize>,
    /// The device of every op; views and constants carry that of their first reader.
    pub device_of: Vec<DeviceId>,
}

/// Cuts a training step into one stage per entry of `cluster`, or into fewer where a step is shorter on some of the devices alone and what they hold without
/// recomputation fits their memory. Beyond that memory is not looked at.
///
/// # Errors
/// For programs that are no training step, for more stages than pieces, and where stages or micro-batches do not suit the
/// schedule.
pub fn balanced(program: &Program<'_>, granularity: Granularity, spec: Spec) -> Result<Balanced, Error> {
    let Program { graph, costs, cluster } = *program;
    let stages = cluster.devices.len();
    spec.in_flight(stages).map_err(|error| unplayable(&error))?;
    let layers = layers(graph, costs, granularity, MOST_PIECES).map_err(|error| refuse(&error))?;
    let times = RunTimes::of(graph, costs, cluster, &layers);
    let cuts = |times: &RunTimes| times.cuts_for(spec.schedule, spec.micro_batches, &|_, _, _| 0.0);
    let first =
        cuts(&times).ok_or_else(|| refuse(&LayersError::TooFewPieces { stages, pieces: layers.pieces }))?;
    let mut best = Candidate::simulated(program, &layers, first, spec)?;
    let links = links(cluster, 0..stages);
    let over = |link: &Link| cuts(&times.on(0..stages, *link));
    let mut others: Vec<Vec<usize>> =
        if links.len() > 1 { links.iter().filter_map(over).collect() } else { vec![] };
    if spec.schedule.chunks() == 1 {
        others.extend(on_fewer(&times, cluster, spec, cuts));
    }
    for cuts in others {
        if cuts == best.balanced.cuts {
            continue;
        }
        let next = Candidate::simulated(program, &layers, cuts, spec)?;
        if next.step_seconds < best.step_seconds && (next.fits || !next.is_idle) {
            best = next;
        }
    }
    Ok(best.balanced)
}

/// Cuts and what they come to.
struct Candidate {
    balanced: Balanced,
    step_seconds: f64,
    /// Does all that is held without recomputation have room?
    fits: bool,
    /// Does a device stay idle?
    is_idle: bool,
}

impl Candidate {
    fn simulated(
        program: &Program<'_>,
        layers: &Layers,
        cuts: Vec<usize>,
        spec: Spec,
    ) -> Result<Self, Error> {
        let device_of = layers.stage_of(program.graph, &cuts);
        let plan = unplanned(program, &device_of, spec)?;
        let rooms = plan.stages.iter().zip(&program.cluster.devices);
        let ends = cuts.iter().copied().chain([layers.pieces]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        Ok(Candidate {
            step_seconds: plan.step_seconds,
            fits: rooms.into_iter().all(|(stage, device)| stage.unplanned_need_bytes <= device.memory.0),
            is_idle: starts.zip(ends).any(|(from, to)| from == to),
            balanced: Balanced { cuts, device_of },
        })
    }
}

/// Cuts that leave devices idle, those with the shortest estimated steps.
fn on_fewer(
    times: &RunTimes,
    cluster: &Cluster,
    spec: Spec,
    cuts: impl Fn(&RunTimes) -> Option<Vec<usize>>,
) -> Vec<Vec<usize>> {
    let (devices, pieces) = (cluster.devices.len(), times.pieces());
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    for run in runs(devices) {
        // The slowest link between them.
        let link = links(cluster, run.clone()).pop().unwrap_or(cluster.default_link);
        let on_run = times.on(run.clone(), link);
        let Some(inner) = cuts(&on_run) else { continue };
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
    links.sort_by(|a, b| b.bandwidth.total_cmp(&a.bandwidth));
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
