//! What every device holds while each item runs, kept up while single items move.
//!
//! A device holds a value from the first to the last of the items there that make or read it; what it holds at most is the peak of sums
//! over the items in run order, to stretches of which a move adds.

use crate::lifetimes::Lifetimes;
use crate::peak::Peak;

/// The first and the last place of some, if there are any.
#[derive(Clone, Copy)]
struct Stretch {
    first: u32,
    last: u32,
}

impl Stretch {
    const NONE: Stretch = Stretch { first: u32::MAX, last: 0 };

    fn take(&mut self, place: u32) {
        self.first = self.first.min(place);
        self.last = self.last.max(place);
    }

    fn none(self) -> bool {
        self.first > self.last
    }
}

/// What all devices hold.
#[derive(Clone, Debug)]
pub(super) struct Timelines {
    held: Vec<Peak<f64>>,
    /// The device of every item as far as these know.
    place: Vec<u32>,
    /// Stretches of devices, and what is added to them.
    changed: Vec<(u32, u32, u32, f64)>,
}

impl Timelines {
    /// Of a placement of the items.
    pub(super) fn new(lifetimes: &Lifetimes, devices: usize, place: &[u32]) -> Self {
        let mut on = vec![Stretch::NONE; devices];
        let mut change = vec![vec![0.0; lifetimes.items() + 1]; devices];
        for value in 0..lifetimes.values() {
            let bytes = lifetimes.bytes(value);
            for &(at, item) in lifetimes.ends(value) {
                on[place[item as usize] as usize].take(at);
            }
            for &(_, item) in lifetimes.ends(value) {
                let device = place[item as usize] as usize;
                let stretch = std::mem::replace(&mut on[device], Stretch::NONE);
                if !stretch.none() {
                    change[device][stretch.first as usize] += bytes;
                    change[device][stretch.last as usize + 1] -= bytes;
                }
            }
        }
        let of = |change: Vec<f64>| {
            let mut sum = 0.0;
            let held = change.into_iter().map(|more| {
                sum += more;
                sum
            });
            Peak::new(&held.take(lifetimes.items()).collect::<Vec<f64>>())
        };
        Timelines { held: change.into_iter().map(of).collect(), place: place.to_vec(), changed: Vec::new() }
    }

    /// What a device holds at most.
    pub(super) fn most(&self, device: usize) -> f64 {
        self.held[device].most()
    }

    /// Moves an item to another device.
    pub(super) fn shift(&mut self, lifetimes: &Lifetimes, item: usize, to: u32) {
        let from = self.place[item];
        if from == to {
            return;
        }
        self.stretches(lifetimes, item, to);
        self.add_changed(1.0);
        self.place[item] = to;
    }

    /// What the device of an item and another would hold at most after its move there.
    pub(super) fn after(&mut self, lifetimes: &Lifetimes, item: usize, to: u32) -> (f64, f64) {
        let from = self.place[item];
        self.stretches(lifetimes, item, to);
        self.add_changed(1.0);
        let most = (self.most(from as usize), self.most(to as usize));
        self.add_changed(-1.0);
        most
    }

    /// Makes what was found to change, or takes it back.
    fn add_changed(&mut self, sign: f64) {
        for &(device, first, end, bytes) in &self.changed {
            self.held[device as usize].add(first as usize, end as usize, sign * bytes);
        }
    }

    /// Finds what the move of an item changes.
    fn stretches(&mut self, lifetimes: &Lifetimes, item: usize, to: u32) {
        let from = self.place[item];
        self.changed.clear();
        for &value in lifetimes.values_of(item) {
            let (mut own, mut there, mut here) = (Stretch::NONE, Stretch::NONE, Stretch::NONE);
            for &(at, end) in lifetimes.ends(value as usize) {
                if end as usize == item {
                    own.take(at);
                } else {
                    let device = self.place[end as usize];
                    if device == from {
                        here.take(at);
                    } else if device == to {
                        there.take(at);
                    }
                }
            }
            let bytes = lifetimes.bytes(value as usize);
            for (device, other, bytes) in [(from, here, -bytes), (to, there, bytes)] {
                if other.none() {
                    self.changed.push((device, own.first, own.last + 1, bytes));
                    continue;
                }
                if own.first < other.first {
                    self.changed.push((device, own.first, other.first, bytes));
                }
                if own.last > other.last {
                    self.changed.push((device, other.last + 1, own.last + 1, bytes));
                }
            }
        }
    }
}
