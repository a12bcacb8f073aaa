//! The judge of pipelines: what a step takes and what every device holds.

use crate::device::DeviceId;
use crate::graph::OpId;
use crate::memory::{CompactPlan, ReplayError, SwapModel};
use crate::pipeline::in_flight::{InFlight, moments};
use crate::pipeline::micro_batch::{Measured, MicroBatch};
use crate::pipeline::schedule::{Schedule, ScheduleError};
use crate::pipeline::simulate::{Pipeline, StageCost, Timeline, simulate};
use crate::simulate::Rejection;
use crate::stage::Stage;

/// Which schedule, and how many micro-batches make a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The schedule.
    pub schedule: Schedule,
    /// Micro-batches of a step, at least 1.
    pub micro_batches: usize,
}

impl Spec {
    /// Devices that run so many stages.
    #[must_use]
    pub fn devices(&self, stages: usize) -> usize {
        stages / self.schedule.chunks()
    }

    /// What each of the devices that run these stages holds at a time; stage `v` is on device `v % devices`. `counts` tells
    /// which of them the pipeline is made of: a device whose stage does not count holds nothing.
    ///
    /// # Errors
    /// Micro-batches that do not suit the schedule, or stages that do not suit its devices.
    pub fn in_flight(&self, counts: &[bool]) -> Result<Vec<InFlight>, ScheduleError> {
        let (devices, chunks) = (self.devices(counts.len()), self.schedule.chunks());
        if devices * chunks != counts.len() {
            return Err(ScheduleError::Stages { given: counts.len(), devices, chunks });
        }
        let kept = self.counting(counts);
        let mut found =
            vec![InFlight { moments: Vec::new(), split: self.schedule.splits_backward() }; devices];
        let depth = self.devices(kept.len());
        for (place, &device) in kept.iter().take(depth).enumerate() {
            found[device].moments = moments(self.schedule, DeviceId(place), depth, self.micro_batches)?;
        }
        if kept.is_empty() {
            return Err(ScheduleError::Empty);
        }
        Ok(found)
    }

    /// The same where every stage counts.
    ///
    /// # Errors
    /// As [`Spec::in_flight`].
    pub fn in_flight_of_all(&self, stages: usize) -> Result<Vec<InFlight>, ScheduleError> {
        self.in_flight(&vec![true; stages])
    }

    /// The stages that count. Where a device runs several, all do: the order deals micro-batches out to all of them.
    fn counting(&self, counts: &[bool]) -> Vec<usize> {
        (0..counts.len()).filter(|&stage| counts[stage] || self.schedule.chunks() > 1).collect()
    }
}

/// A judged pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What every device holds at a time.
    pub in_flight: Vec<InFlight>,
    /// Times and bytes of one micro-batch on every stage.
    pub stages: Vec<Measured>,
    /// The step played.
    pub timeline: Timeline,
}

/// What a stage costs the simulator.
#[must_use]
pub fn stage_cost(micro: &MicroBatch, measured: &Measured) -> StageCost {
    StageCost {
        forward_seconds: measured.forward_seconds,
        backward_seconds: measured.backward_seconds,
        weights_seconds: measured.weights_seconds,
        // Transfers are part of the times of both ends, as everywhere in stage times.
        send_forward_seconds: 0.0,
        send_backward_seconds: 0.0,
        update_seconds: micro.update_seconds,
        stash_bytes: measured.stash_bytes as f64,
        deferred_bytes: measured.deferred_bytes as f64,
        peak_bytes: measured.peak_bytes.map(|bytes| bytes as f64),
        resident_bytes: micro.resident_bytes.saturating_add(measured.data.once) as f64,
    }
}

/// Plays a step of stages with these costs; those that do not count are no part of it, as if their devices were not there.
///
/// # Errors
/// On no micro-batches, no stage that counts, or costs that are no times.
pub fn play(spec: Spec, stages: &[StageCost], counts: &[bool]) -> Result<Timeline, ScheduleError> {
    let kept = spec.counting(counts);
    let pipeline = Pipeline {
        stages: kept.iter().map(|&stage| stages[stage]).collect(),
        devices: spec.devices(kept.len()),
        micro_batches: spec.micro_batches,
    };
    let played = simulate(&pipeline, spec.schedule)?;
    Ok(if kept.len() == stages.len() { played } else { played.among(&kept, stages) })
}

/// Judges the plans of all stages as a pipeline. `swap` gives the host link of every stage.
///
/// # Errors
/// The first plan the replay refuses; a schedule that cannot be played counts against the first stage.
pub fn judge(
    micros: &[MicroBatch],
    stages: &[Stage],
    plans: &[CompactPlan],
    swap: &[Option<SwapModel>],
    spec: Spec,
) -> Result<Judged, Rejection> {
    let counts: Vec<bool> = micros.iter().map(|micro| micro.counts).collect();
    let in_flight = spec.in_flight(&counts).map_err(|error| unplayable(&error))?;
    let mut measured = Vec::with_capacity(micros.len());
    for (index, (micro, plan)) in micros.iter().zip(plans).enumerate() {
        let share = |swap| in_flight[index % in_flight.len()].host_share(index / in_flight.len(), swap);
        let swap = swap.get(index).copied().flatten().map(share);
        let found = micro.measure(plan, swap.as_ref(), spec.schedule.splits_backward()).map_err(|error| {
            let op: Option<OpId> =
                error.node.and_then(|node| stages[index].sources.get(node.0)).map(|source| source.op());
            Rejection { device: stages[index].device, op, error }
        })?;
        measured.push(found);
    }
    let costs = micros.iter().zip(&measured).map(|(micro, measured)| stage_cost(micro, measured));
    let timeline = play(spec, &costs.collect::<Vec<_>>(), &counts).map_err(|error| unplayable(&error))?;
    Ok(Judged { in_flight, stages: measured, timeline })
}

/// A schedule that cannot be played counts against the first stage.
fn unplayable(error: &ScheduleError) -> Rejection {
    Rejection {
        device: DeviceId(0),
        op: None,
        error: ReplayError { step: 0, node: None, reason: error.to_string() },
    }
}
