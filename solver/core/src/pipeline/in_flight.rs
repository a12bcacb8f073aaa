//! What a device holds while a schedule runs: a matter of the order of its passes alone, not of their times.

use std::collections::BTreeMap;

use crate::device::DeviceId;
use crate::memory::SwapModel;
use crate::pipeline::data::DataBytes;
use crate::pipeline::micro_batch::{Measured, MicroBatch};
use crate::pipeline::schedule::{Pass, Schedule, ScheduleError, Task, check, order_of};

/// A pass runs on a device while it holds other micro-batches for each of its stages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Which of the device's stages runs, counted from the front of the pipeline.
    pub chunk: usize,
    /// The pass.
    pub pass: Pass,
    /// Other micro-batches of each of its stages between their forward and their backward pass.
    pub held: Vec<usize>,
    /// Others of each of its stages whose backward half for weights waits.
    pub waiting: Vec<usize>,
}

impl Moment {
    /// Bytes of the other micro-batches, where one of stage `c` takes `stash(c)` between its passes and `deferred(c)` between the
    /// halves of its backward pass; sums stop at 2^64 - 1, which is above every cap.
    #[must_use]
    pub fn bytes(&self, stash: impl Fn(usize) -> u64, deferred: impl Fn(usize) -> u64) -> u64 {
        let times = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let held = self.held.iter().enumerate().map(|(chunk, &held)| times(held, stash(chunk)));
        let waiting = self.waiting.iter().enumerate();
        let waiting = waiting.map(|(chunk, &waiting)| times(waiting, deferred(chunk)));
        held.chain(waiting).fold(0, u64::saturating_add)
    }

    /// The same with what the running one holds at the start or at the end of its pass.
    #[must_use]
    pub fn bytes_at_ends(&self, stash: impl Fn(usize) -> u64, deferred: impl Fn(usize) -> u64) -> u64 {
        let own = match self.pass {
            Pass::Forward => stash(self.chunk),
            Pass::Backward => stash(self.chunk).max(deferred(self.chunk)),
            Pass::Weights => deferred(self.chunk),
        };
        self.bytes(stash, deferred).saturating_add(own)
    }

    /// Does it hold at least as much of everything, with the same pass running?
    fn covers(&self, other: &Moment) -> bool {
        let all = |own: &[usize], theirs: &[usize]| own.iter().zip(theirs).all(|(own, theirs)| own >= theirs);
        (self.chunk, self.pass) == (other.chunk, other.pass)
            && all(&self.held, &other.held)
            && all(&self.waiting, &other.waiting)
    }
}

/// The moments of a device's order that no other one covers, for each pass of each of its stages at least one.
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
    let (mut held, mut waiting) = (vec![0; schedule.chunks()], vec![0; schedule.chunks()]);
    let mut found: Vec<Moment> = Vec::new();
    for Task { stage, pass, .. } in order_of(schedule, device, devices, micro_batches) {
        let chunk = stage / devices;
        match pass {
            Pass::Forward => {}
            Pass::Backward => held[chunk] -= 1,
            Pass::Weights => waiting[chunk] -= 1,
        }
        cover(&mut found, Moment { chunk, pass, held: held.clone(), waiting: waiting.clone() });
        if pass != schedule.releases() {
            let left = if pass == Pass::Forward { &mut held } else { &mut waiting };
            left[chunk] += 1;
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Adds a moment to those that no other one covers.
fn cover(found: &mut Vec<Moment>, moment: Moment) {
    if !found.iter().any(|known| known.covers(&moment)) {
        found.retain(|known| !moment.covers(known));
        found.push(moment);
    }
}

/// What a device holds at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// Micro-batches held for each of its stages while one of them runs.
    pub moments: Vec<Moment>,
    /// Does the half for weights run apart?
    pub split: bool,
}

impl InFlight {
    /// Most micro-batches held at a time for one of the device's stages, the running one included.
    #[must_use]
    pub fn micro_batches(&self, chunk: usize) -> usize {
        let of =
            |moment: &Moment| moment.held[chunk] + moment.waiting[chunk] + usize::from(moment.chunk == chunk);
        self.moments.iter().map(of).max().unwrap_or(0)
    }

    /// The host link with the share of its memory that one micro-batch of a stage may take.
    #[must_use]
    pub fn host_share(&self, chunk: usize, swap: SwapModel) -> SwapModel {
        let share = |bytes: u64| bytes / self.micro_batches(chunk).max(1) as u64;
        SwapModel { host_capacity_bytes: swap.host_capacity_bytes.map(share), ..swap }
    }

    /// One that holds whatever any of these devices holds.
    #[must_use]
    pub fn any(devices: &[InFlight]) -> InFlight {
        let mut moments = Vec::new();
        let all = devices.iter().flat_map(|device| &device.moments);
        all.for_each(|moment| cover(&mut moments, moment.clone()));
        moments.sort_unstable();
        InFlight { moments, split: devices.iter().any(|device| device.split) }
    }
}

/// Bytes a device needs for its stages, all micro-batches in flight together, and no less than one of them in program
/// order; sums stop at 2^64 - 1, which is above every cap.
#[must_use]
pub fn need_bytes(micros: &[MicroBatch], measured: &[Measured], in_flight: &InFlight) -> u64 {
    let at = |moment: &Moment| {
        let others = moment.bytes(|c| measured[c].stash_bytes, |c| measured[c].deferred_bytes);
        others.saturating_add(measured[moment.chunk].peak_of(moment.pass))
    };
    let alone = measured.iter().map(|measured| measured.alone_bytes);
    let most = in_flight.moments.iter().map(at).chain(alone).max().unwrap_or(0);
    let data = measured.iter().map(|measured| measured.data);
    always_bytes(micros, data).saturating_add(most)
}

/// Bytes held at every moment.
fn always_bytes(micros: &[MicroBatch], data: impl Iterator<Item = DataBytes>) -> u64 {
    let of = |(micro, data): (&MicroBatch, DataBytes)| micro.resident_bytes.saturating_add(data.once);
    micros.iter().zip(data).map(of).fold(0, u64::saturating_add)
}

/// Bytes that no plan of a device's stages gets rid of, whichever op runs.
#[must_use]
pub fn floor_bytes(micros: &[MicroBatch], in_flight: &InFlight) -> u64 {
    let data: Vec<DataBytes> = micros.iter().map(|micro| micro.least_data(in_flight.split)).collect();
    // Of every pass of every stage, the fullest moment; the op may belong to the emptiest of them.
    let mut fullest = BTreeMap::new();
    for moment in &in_flight.moments {
        let bytes = moment.bytes_at_ends(|c| data[c].stash, |c| data[c].deferred);
        let most = fullest.entry((moment.chunk, moment.pass)).or_insert(0);
        *most = bytes.max(*most);
    }
    let least = fullest.into_values().min().unwrap_or(0);
    always_bytes(micros, data.into_iter()).saturating_add(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_with_one_stage_holds_one_micro_batch_less_than_in_flight_beside_the_running_one() {
        for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
            for device in DeviceId::first(4) {
                let found = moments(schedule, device, 4, 8).unwrap();
                let others = schedule.in_flight(device, 4, 8) - 1;
                let passes = if schedule.splits_backward() { 3 } else { 2 };
                for pass in [Pass::Forward, Pass::Backward, Pass::Weights].into_iter().take(passes) {
                    let of_pass = found.iter().filter(|moment| moment.pass == pass);
                    let most = of_pass.map(|moment| moment.held[0] + moment.waiting[0]).max();
                    assert_eq!(most, Some(others), "{schedule}, device {device}: {found:?}");
                }
                // H1: a half for weights waits for `device` later micro-batches.
                let waiting = if schedule.splits_backward() { device.0 } else { 0 };
                assert_eq!(found.iter().map(|moment| moment.waiting[0]).max(), Some(waiting));
            }
        }
    }

    #[test]
    fn interleaved_stages_hold_what_the_order_worked_out_by_hand_says() {
        // Device 1 of 2, two stages, 4 micro-batches: forward a0 a1, then forward and backward in turn
        // b0 B0 b1 B1 a2 A0 a3 A1 b2 B2 b3 B3, then A2 A3.
        let schedule = Schedule::Interleaved { chunks: 2 };
        let moment = |chunk, pass| Moment { chunk, pass, held: vec![2, 0], waiting: vec![0; 2] };
        assert_eq!(
            moments(schedule, DeviceId(1), 2, 4).unwrap(),
            [
                moment(0, Pass::Forward),
                moment(0, Pass::Backward),
                moment(1, Pass::Forward),
                moment(1, Pass::Backward)
            ],
            "a2 beside a0 and a1, A0 beside a1 and a2, b1 and B1 beside a0 and a1"
        );
        assert!(moments(schedule, DeviceId(1), 2, 3).is_err(), "rounds of two micro-batches");
    }
}
