//! Fine-tuning after a partition: ops near a cut follow their neighbours while traffic falls.
//!
//! Two moves. *Shift*: an op with a neighbour across the nearest cut moves over, with the run of ops between it
//! and the cut. *Follow*: an op whose inputs and readers all lie in one other part goes there. A move is
//! kept if fewer bytes cross, no device becomes slower than the slowest was, and resident arguments
//! and working sets stay within the caps.
//!
//! Where several ops on one side of a cut could move, the one that saves most is taken (our reading; the source
//! tries them one by one).

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;

use crate::loads::{Links, Loads};
use crate::sequence::{Index, Sequence};

/// No shift moves more ops than this at a time.
const LONGEST_RUN: usize = 4096;
/// Sweeps over all ops; each one goes on only if the last one moved something.
const SWEEPS: usize = 8;

/// Rules the moves keep to.
#[derive(Clone, Copy, Debug)]
pub struct Keep<'a> {
    /// Cap of every device, bytes; none: memory is not looked at.
    pub caps: Option<&'a [u64]>,
}

/// Improves an assignment; the result is never slower, never moves more bytes, and leaves no device idle that was in use.
#[must_use]
pub(crate) fn fine_tune(
    sequence: &Sequence,
    index: &Index,
    links: &Links,
    start: Vec<DeviceId>,
    keep: Keep<'_>,
    deadline: &Deadline,
) -> Vec<DeviceId> {
    let mut tuner = Tuner { sequence, index, keep, loads: Loads::new(sequence, index, links, start) };
    // Shifting works on stages of neighbouring items; following keeps the stages' graph acyclic but not their
    // items next to each other, so it comes last.
    if tuner.contiguous() {
        for _ in 0..SWEEPS {
            if deadline.over() || !tuner.shift_cuts(deadline) {
                break;
            }
        }
    }
    for _ in 0..SWEEPS {
        if deadline.over() || !tuner.follow(deadline) {
            break;
        }
    }
    tuner.loads.device_of().to_vec()
}

struct Tuner<'a> {
    sequence: &'a Sequence,
    index: &'a Index,
    keep: Keep<'a>,
    loads: Loads<'a>,
}

impl Tuner<'_> {
    /// Is every part one run of the sequence?
    fn contiguous(&self) -> bool {
        let of = self.loads.device_of();
        let runs = of.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
        let mut used: Vec<DeviceId> = of.to_vec();
        used.sort_unstable();
        used.dedup();
        runs == used.len()
    }

    fn fits(&self, device: DeviceId) -> bool {
        self.keep.caps.is_none_or(|caps| self.loads.least_bytes(device) <= caps[device])
    }

    /// The other ops this one reads from or is read by.
    fn neighbours(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let inputs = self.index.reads[item].iter().map(|read| self.sequence.values[read.value].producer);
        let readers =
            self.index.makes[item].iter().flat_map(|&v| self.sequence.values[v].readers.iter().copied());
        inputs.chain(readers)
    }

    fn shift_cuts(&mut self, deadline: &Deadline) -> bool {
        let mut moved = false;
        let mut cut = 1;
        while cut < self.sequence.len() && !deadline.over() {
            let (left, right) = (self.loads.device_of()[cut - 1], self.loads.device_of()[cut]);
            let next = cut + 1;
            if left != right {
                let right_run = (cut..self.sequence.len())
                    .take(LONGEST_RUN)
                    .take_while(|&i| self.loads.device_of()[i] == right)
                    .collect::<Vec<_>>();
                moved |= self.shift(&right_run, left);
                if self.loads.device_of()[cut] == right {
                    let left_run = (0..cut)
                        .rev()
                        .take(LONGEST_RUN)
                        .take_while(|&i| self.loads.device_of()[i] == left)
                        .collect::<Vec<_>>();
                    moved |= self.shift(&left_run, right);
                }
            }
            cut = next;
        }
        moved
    }

    /// Moves the first items of `run`, which begins at the cut, as far as it pays.
    fn shift(&mut self, run: &[usize], to: DeviceId) -> bool {
        let Some(&first) = run.first() else { return false };
        let from = self.loads.device_of()[first];
        let (tmax, mut traffic) = (self.loads.tmax(), self.loads.traffic());
        let (mut taken, mut kept) = (0, 0);
        for &item in run {
            if !self.loads.allowed(item, to) || self.loads.items(from) == 1 {
                break;
            }
            let touches = self.neighbours(item).any(|other| self.loads.device_of()[other] == to);
            self.loads.relocate(item, to);
            taken += 1;
            // More ops only add computation and residents there.
            if self.loads.compute_seconds(to) > tmax || !self.fits(to) {
                break;
            }
            if touches && self.loads.traffic() < traffic && self.loads.tmax() <= tmax {
                traffic = self.loads.traffic();
                kept = taken;
            }
        }
        for &item in run[kept..taken].iter().rev() {
            self.loads.relocate(item, from);
        }
        kept > 0
    }

    fn follow(&mut self, deadline: &Deadline) -> bool {
        let mut moved = false;
        for item in 0..self.sequence.len() {
            if item % 1024 == 0 && deadline.over() {
                break;
            }
            let from = self.loads.device_of()[item];
            let to = {
                let mut parts = self.neighbours(item).map(|other| self.loads.device_of()[other]);
                match parts.next() {
                    Some(to) if to != from && parts.all(|part| part == to) => to,
                    _ => continue,
                }
            };
            if !self.loads.allowed(item, to) || self.loads.items(from) == 1 {
                continue;
            }
            let (tmax, traffic) = (self.loads.tmax(), self.loads.traffic());
            self.loads.relocate(item, to);
            if self.loads.traffic() < traffic && self.loads.tmax() <= tmax && self.fits(to) {
                moved = true;
            } else {
                self.loads.relocate(item, from);
            }
        }
        moved
    }
}
