//! A placement for tight caps that needs no search: what stays on a device throughout is packed first, and time comes after.
//!
//! Searches move what is slow, and let memory follow. Where arguments and buffers of results fill the caps, as the tables of a recommender do, little
//! else than where these lie decides whether caps can be kept, and single moves hardly change it: a table goes with all that reads it, and has room only
//! once something else has left. They are packed as goods are (best fit of the largest first); then each other item goes, in order, where it ends first
//! among the devices with room for it.

use std::collections::BTreeMap;

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use petgraph::unionfind::UnionFind;

use crate::loads::Links;
use crate::sequence::{Arrival, Index, Pin, Sequence};

/// An argument is large whose share of the largest cap is more than this.
const LARGE: f64 = 1.0 / 64.0;

/// The device of every item, under caps that may be raised to so many times themselves; none where the time is over before.
pub(crate) fn packed(
    sequence: &Sequence,
    links: &Links,
    (caps, relax_limit): (&[u64], f64),
    deadline: &Deadline,
) -> Option<Vec<DeviceId>> {
    let index = sequence.index();
    let mut packing = Packing {
        sequence,
        links,
        caps,
        raised: caps.iter().map(|&cap| (cap as f64 * relax_limit) as u64).collect(),
        index: &index,
        device_of: vec![None; sequence.len()],
        devices: vec![Device::new(sequence.arguments.len()); caps.len()],
    };
    for unit in units(sequence, caps) {
        let device = packing.best_fit(&unit);
        unit.into_iter().for_each(|item| packing.put(item, device));
    }
    let mut rest: Vec<usize> =
        (0..sequence.len()).filter(|&item| packing.device_of[item].is_none()).collect();
    // Those that not every device has room for, the neediest first, then all others in order.
    let needs = sequence.needs(false);
    let room = packing.least_room();
    rest.sort_by_key(|&item| if needs[item] > room { (0, u64::MAX - needs[item]) } else { (1, 0) });
    for item in rest {
        if deadline.over() {
            return None;
        }
        let device = packing.first_to_end(item);
        packing.put(item, device);
    }
    Some(packing.device_of.into_iter().map(Option::unwrap_or_default).collect())
}

/// Items that share a large argument, make a large buffer of results, or read what lies in one: those that hold most first.
fn units(sequence: &Sequence, caps: &[u64]) -> Vec<Vec<usize>> {
    let large = LARGE * caps.iter().copied().max().unwrap_or(0) as f64;
    let mut joined = UnionFind::<usize>::new(sequence.len());
    let mut bytes: Vec<u64> = sequence.resident.clone();
    for argument in &sequence.arguments {
        let Some(&first) = argument.readers.first().filter(|_| argument.bytes as f64 > large) else {
            continue;
        };
        bytes[first] += argument.bytes;
        for &reader in &argument.readers {
            joined.union(first, reader);
        }
    }
    for (item, arrivals) in sequence.arrivals.iter().enumerate() {
        let inputs = arrivals.iter().flat_map(|arrival| &arrival.inputs);
        for &(producer, _) in inputs.filter(|(_, more)| *more as f64 > large) {
            joined.union(item, producer);
        }
    }
    let mut of: BTreeMap<usize, (u64, Vec<usize>)> = BTreeMap::new();
    for (item, bytes) in bytes.into_iter().enumerate() {
        let (sum, unit) = of.entry(joined.find(item)).or_default();
        *sum += bytes;
        unit.push(item);
    }
    let mut units: Vec<(u64, Vec<usize>)> = of.into_values().filter(|(sum, _)| *sum as f64 > large).collect();
    units.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    units.into_iter().map(|(_, unit)| unit).collect()
}

/// What lies on a device so far.
#[derive(Clone)]
struct Device {
    has_argument: Vec<bool>,
    resident: u64,
    returned: u64,
    working_set: u64,
    seconds: f64,
}

impl Device {
    fn new(arguments: usize) -> Self {
        Device {
            has_argument: vec![false; arguments],
            resident: 0,
            returned: 0,
            working_set: 0,
            seconds: 0.0,
        }
    }

    /// What no plan does without.
    fn least(&self) -> u64 {
        self.resident.saturating_add(self.working_set.max(self.returned))
    }
}

struct Packing<'a> {
    sequence: &'a Sequence,
    links: &'a Links,
    caps: &'a [u64],
    /// What the caps may be raised to.
    raised: Vec<u64>,
    index: &'a Index,
    device_of: Vec<Option<DeviceId>>,
    devices: Vec<Device>,
}

impl Packing<'_> {
    /// What is left of some cap, the smallest of all.
    fn least_room(&self) -> u64 {
        let left = self.devices.iter().zip(self.caps).map(|(on, cap)| cap.saturating_sub(on.resident));
        left.min().unwrap_or(0)
    }

    /// What the least of a device comes to with some more items.
    fn least_with(&self, device: usize, items: &[usize]) -> u64 {
        let on = &self.devices[device];
        let (mut resident, mut returned, mut working_set) = (on.resident, on.returned, on.working_set);
        let mut read: Vec<usize> = Vec::new();
        for &item in items {
            read.extend(self.index.loads[item].iter().map(|&(argument, _)| argument));
            resident = resident.saturating_add(self.sequence.resident[item]);
            returned = returned.saturating_add(self.returned(item));
            working_set = working_set.max(self.working_set(item, device));
        }
        read.sort_unstable();
        read.dedup();
        let new = read.into_iter().filter(|&argument| !on.has_argument[argument]);
        let new: u64 = new.map(|argument| self.sequence.arguments[argument].bytes).sum();
        resident.saturating_add(new).saturating_add(working_set.max(returned))
    }

    /// Inputs, value and workspace of an item on a device. What it reads is made there, too, unless that has been placed elsewhere.
    fn working_set(&self, item: usize, device: usize) -> u64 {
        let is_elsewhere = |producer: usize| self.device_of[producer].is_some_and(|of| of.0 != device);
        let arrives = |(producer, more): &(usize, u64)| if is_elsewhere(*producer) { *more } else { 0 };
        let of = |arrival: &Arrival| arrival.working_set + arrival.inputs.iter().map(arrives).sum::<u64>();
        self.sequence.arrivals[item].iter().map(of).fold(self.sequence.working_set[item], u64::max)
    }

    fn returned(&self, item: usize) -> u64 {
        let values = self.index.makes[item].iter().map(|&value| &self.sequence.values[value]);
        values.filter(|value| value.returned).map(|value| value.held_bytes).sum()
    }

    /// Devices on which the rules allow all of the items.
    fn allowed<'i>(&self, items: &'i [usize]) -> impl Iterator<Item = usize> + use<'i, '_> {
        let pins = &self.sequence.pins;
        let may = move |device: usize| {
            items.iter().all(|&item| match pins[item] {
                Pin::To(to) => to.0 == device,
                Pin::Free | Pin::Conflict => true,
            })
        };
        (0..self.caps.len()).filter(move |&device| may(device))
    }

    /// What a device may hold: one whose cap is raised anyway as much as it may be raised to.
    fn cap(&self, device: usize) -> u64 {
        let is_raised = self.devices[device].least() > self.caps[device];
        if is_raised { self.raised[device] } else { self.caps[device] }
    }

    /// How well items fit on a device, less being better: as they are there; its cap to be raised for them; not at all. `rate` says which of several that have
    /// room for them is best; of caps to be raised it is the one that leaves most room, and else the one they are over by the smallest share.
    fn fit(&self, device: usize, items: &[usize], rate: impl Fn(u64) -> f64) -> (u8, f64) {
        let (least, cap, raised) = (self.least_with(device, items), self.cap(device), self.raised[device]);
        match least {
            _ if least <= cap => (0, rate(cap - least)),
            _ if least <= raised => (1, -((raised - least) as f64)),
            _ => (2, least as f64 / raised.max(1) as f64),
        }
    }

    /// The device on which the items leave least room.
    fn best_fit(&self, items: &[usize]) -> DeviceId {
        self.best(items, |device| self.fit(device, items, |left| left as f64))
    }

    fn best(&self, items: &[usize], fit: impl Fn(usize) -> (u8, f64)) -> DeviceId {
        let rated = self.allowed(items).map(|device| (fit(device), device));
        let best = rated.min_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        DeviceId(best.map_or(0, |(_, device)| device))
    }

    /// The device that has run the item and what it had to do before first, its transfers from and to what is placed included, among those with room.
    fn first_to_end(&self, item: usize) -> DeviceId {
        let rate = |device: usize| {
            let at = DeviceId(device);
            let reads = self.index.reads[item].iter().filter_map(|read| {
                let value = &self.sequence.values[read.value];
                let from = self.device_of[value.producer].filter(|&from| from != at)?;
                Some(self.links.seconds(from, at, value.bytes))
            });
            let makes = self.index.makes[item].iter().flat_map(|&value| {
                let value = &self.sequence.values[value];
                let readers = value.readers.iter().filter_map(|&reader| self.device_of[reader]);
                readers.filter(|&to| to != at).map(|to| self.links.seconds(at, to, value.bytes))
            });
            let seconds = self.seconds(item, device) + reads.sum::<f64>() + makes.fold(0.0, f64::max);
            self.devices[device].seconds + seconds
        };
        let items = [item];
        self.best(&items, |device| self.fit(device, &items, |_| rate(device)))
    }

    fn seconds(&self, item: usize, device: usize) -> f64 {
        self.sequence.seconds[self.sequence.row_of[device]][item]
    }

    fn put(&mut self, item: usize, device: DeviceId) {
        let (seconds, returned) = (self.seconds(item, device.0), self.returned(item));
        let working_set = self.working_set(item, device.0);
        let on = &mut self.devices[device];
        for &(argument, _) in &self.index.loads[item] {
            if !std::mem::replace(&mut on.has_argument[argument], true) {
                on.resident = on.resident.saturating_add(self.sequence.arguments[argument].bytes);
            }
        }
        on.resident = on.resident.saturating_add(self.sequence.resident[item]);
        on.returned = on.returned.saturating_add(returned);
        on.working_set = on.working_set.max(working_set);
        on.seconds += seconds;
        self.device_of[item] = Some(device);
    }
}
