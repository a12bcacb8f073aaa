//! What a device holds while a schedule runs: a matter of the order of its passes alone, not of their times.

use crate::device::DeviceId;
use crate::memory::SwapModel;
use crate::pipeline::micro_batch::{Measured, MicroBatch};
use crate::pipeline::schedule::{Pass, Schedule, ScheduleError, Task, check, order_of};

/// A pass runs on a device while it holds micro-batches for each of its stages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Which of the device's stages runs, counted from the front of the pipeline.
    pub chunk: usize,
    /// Micro-batches held between the passes of each of its stages; the running one counts.
    pub held: Vec<usize>,
}

impl Moment {
    /// Bytes held, where a micro-batch of stage `c` takes `bytes(c)`; sums stop at 2^64 - 1, which is above every cap.
    #[must_use]
    pub fn bytes(&self, bytes: impl Fn(usize) -> u64) -> u64 {
        let of =
            self.held.iter().enumerate().map(|(chunk, &held)| (held as u64).saturating_mul(bytes(chunk)));
        of.fold(0, u64::saturating_add)
    }

    /// Does it hold at least as much of everything, with the same stage running?
    fn covers(&self, other: &Moment) -> bool {
        self.chunk == other.chunk && self.held.iter().zip(&other.held).all(|(own, theirs)| own >= theirs)
    }
}

/// The moments of a device's order that no other one covers, for each of its stages at least one.
///
/// With one stage per device that is one moment: so many micro-batches as [`Schedule::in_flight`] says.
///
/// # Errors
/// As [`super::orders`].
pub fn moments(
    schedule: Schedule,
    device: DeviceId,
    devices: usize,
    micro_batches: usize,
) -> Result<Vec<Moment>, ScheduleError> {
    check(schedule, devices, micro_batches)?;
    let mut held = vec![0; schedule.chunks()];
    let mut found: Vec<Moment> = Vec::new();
    for Task { stage, pass, .. } in order_of(schedule, device, devices, micro_batches) {
        let chunk = stage / devices;
        held[chunk] += usize::from(pass == Pass::Forward);
        let moment = Moment { chunk, held: held.clone() };
        if !found.iter().any(|known| known.covers(&moment)) {
            found.retain(|known| !moment.covers(known));
            found.push(moment);
        }
        held[chunk] -= usize::from(pass == schedule.releases());
    }
    found.sort_unstable();
    Ok(found)
}

/// What a device holds at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// Micro-batches held for each of its stages while one of them runs.
    pub moments: Vec<Moment>,
    /// Micro-batches whose backward half for weights waits.
    pub deferred: usize,
    /// Does that half run apart?
    pub split: bool,
}

impl InFlight {
    /// Most micro-batches held at a time for one of the device's stages.
    #[must_use]
    pub fn micro_batches(&self, chunk: usize) -> usize {
        self.moments.iter().map(|moment| moment.held[chunk]).max().unwrap_or(0)
    }

    /// The host link with the share of its memory that one micro-batch of a stage may take.
    #[must_use]
    pub fn host_share(&self, chunk: usize, swap: SwapModel) -> SwapModel {
        let share = |bytes: u64| bytes / self.micro_batches(chunk).max(1) as u64;
        SwapModel { host_capacity_bytes: swap.host_capacity_bytes.map(share), ..swap }
    }

    /// Most bytes held at a moment, where a micro-batch of stage `c` takes `bytes(c)`.
    #[must_use]
    pub fn most(&self, bytes: impl Fn(usize) -> u64) -> u64 {
        self.moments.iter().map(|moment| moment.bytes(&bytes)).max().unwrap_or(0)
    }
}

/// Bytes a device needs for its stages, all micro-batches in flight together; sums stop at 2^64 - 1, which is above every cap.
#[must_use]
pub fn need_bytes(micros: &[MicroBatch], measured: &[Measured], in_flight: &InFlight) -> u64 {
    let working = |moment: &Moment| {
        moment.bytes(|c| measured[c].stash_bytes).saturating_add(measured[moment.chunk].working_bytes)
    };
    always_bytes(micros, in_flight).saturating_add(in_flight.moments.iter().map(working).max().unwrap_or(0))
}

/// Bytes held at every moment whatever the plan.
fn always_bytes(micros: &[MicroBatch], in_flight: &InFlight) -> u64 {
    let of = |micro: &MicroBatch| {
        micro.resident_bytes.saturating_add((in_flight.deferred as u64).saturating_mul(micro.deferred_bytes))
    };
    micros.iter().map(of).fold(0, u64::saturating_add)
}

/// Bytes that no plan of a device's stages gets rid of.
#[must_use]
pub fn floor_bytes(micros: &[MicroBatch], in_flight: &InFlight) -> u64 {
    always_bytes(micros, in_flight).saturating_add(in_flight.most(|chunk| micros[chunk].data_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_with_one_stage_has_one_moment() {
        for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
            for device in DeviceId::first(4) {
                let held = vec![schedule.in_flight(device, 4, 8)];
                assert_eq!(
                    moments(schedule, device, 4, 8).unwrap(),
                    [Moment { chunk: 0, held }],
                    "{schedule}"
                );
            }
        }
    }

    #[test]
    fn interleaved_stages_hold_what_the_order_worked_out_by_hand_says() {
        // Device 1 of 2, two stages, 4 micro-batches: forward a0 a1, then forward and backward in turn
        // b0 B0 b1 B1 a2 A0 a3 A1 b2 B2 b3 B3, then A2 A3.
        let schedule = Schedule::Interleaved { chunks: 2 };
        let moment = |chunk, held: [usize; 2]| Moment { chunk, held: held.to_vec() };
        assert_eq!(
            moments(schedule, DeviceId(1), 2, 4).unwrap(),
            [moment(0, [3, 0]), moment(1, [2, 1])],
            "a2 while a0 and a1 are held, b1 beside a0 and a1"
        );
        assert!(moments(schedule, DeviceId(1), 2, 3).is_err(), "rounds of two micro-batches");
    }
}
