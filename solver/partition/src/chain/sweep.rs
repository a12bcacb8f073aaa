//! What a stage made of neighbouring items costs and needs, for one stage and for all of them.

use crate::peak::Peak;
use crate::sequence::{Index, Pin, Sequence};

/// Seconds of a transfer as the interval search sees it, whichever devices take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Seconds for every message.
    pub latency_seconds: f64,
    /// Seconds for every byte.
    pub seconds_per_byte: f64,
}

/// A stage of neighbouring items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Seconds of receiving and sending.
    pub transfer_seconds: f64,
    /// Bytes received and sent.
    pub route_bytes: u64,
    /// No plan needs less than this: resident arguments and the largest working set.
    pub least_bytes: u64,
    /// Peak when nothing is recomputed or swapped; zero when the sweep does not follow it.
    pub peak_bytes: u64,
    /// Device rule.
    pub pin: Pin,
}

/// Grows a stage to the right, one item at a time.
pub struct Sweep<'a> {
    sequence: &'a Sequence,
    index: &'a Index,
    wire: Wire,
    first: usize,
    next: usize,
    messages: (i64, i64),
    bytes: (i128, i128),
    resident: u64,
    working_set: u64,
    returned: u64,
    pin: Pin,
    profile: Option<Peak<u64>>,
}

impl<'a> Sweep<'a> {
    /// An empty stage that will begin at item `first`. `peaks`: follow the unplanned peak, over at most so
    /// many items.
    #[must_use]
    pub fn new(
        sequence: &'a Sequence,
        index: &'a Index,
        wire: Wire,
        first: usize,
        peaks: Option<usize>,
    ) -> Self {
        Sweep {
            sequence,
            index,
            wire,
            first,
            next: first,
            messages: (0, 0),
            bytes: (0, 0),
            resident: 0,
            working_set: 0,
            returned: 0,
            pin: Pin::Free,
            profile: peaks.map(|places| Peak::new(&vec![0; places])),
        }
    }

    /// Takes in the next item.
    pub fn push(&mut self) -> Interval {
        let item = self.next;
        self.next += 1;
        let (first, values) = (self.first, &self.sequence.values);
        for read in &self.index.reads[item] {
            let bytes = values[read.value].bytes;
            if read.previous < first {
                self.messages.0 += 1;
                self.bytes.0 += i128::from(bytes);
            }
            if read.last && values[read.value].producer >= first {
                self.messages.1 -= 1;
                self.bytes.1 -= i128::from(bytes);
            }
        }
        for &value in &self.index.makes[item] {
            if !values[value].readers.is_empty() {
                self.messages.1 += 1;
                self.bytes.1 += i128::from(values[value].bytes);
            }
            if values[value].returned {
                self.returned += values[value].held_bytes;
            }
        }
        self.resident += self.sequence.resident[item];
        for &(argument, previous) in &self.index.loads[item] {
            if previous.is_none_or(|previous| previous < first) {
                self.resident += self.sequence.arguments[argument].bytes;
            }
        }
        self.working_set = self.working_set.max(self.sequence.working_set[item]);
        for arrival in &self.sequence.arrivals[item] {
            let arriving = arrival.inputs.iter().filter(|&&(from, _)| from < first);
            let more: u64 = arriving.map(|&(_, bytes)| bytes).sum();
            self.working_set = self.working_set.max(arrival.working_set + more);
        }
        self.pin = self.pin.and(self.sequence.pins[item]);
        if let Some(profile) = &mut self.profile {
            let place = item - first;
            profile.add(place, place + 1, self.sequence.internal_peak[item]);
            for read in &self.index.reads[item] {
                let value = &values[read.value];
                if read.previous < first {
                    profile.add(place, place + 1, value.bytes);
                } else if value.producer < first {
                    profile.add(read.previous - first + 1, place + 1, value.bytes);
                } else if !value.returned {
                    profile.add(read.previous - first + 1, place + 1, value.held_bytes);
                }
            }
            for &value in &self.index.makes[item] {
                let end = if values[value].returned { profile.places() } else { place + 1 };
                profile.add(place, end, values[value].held_bytes);
            }
        }
        let bytes = (self.bytes.0 + self.bytes.1) as u64;
        let messages = (self.messages.0 + self.messages.1) as f64;
        Interval {
            transfer_seconds: self.wire.latency_seconds * messages
                + self.wire.seconds_per_byte * bytes as f64,
            route_bytes: bytes,
            least_bytes: self.resident + self.working_set.max(self.returned),
            peak_bytes: self.profile.as_ref().map_or(0, |profile| self.resident + profile.most()),
            pin: self.pin,
        }
    }
}

/// All stages of neighbouring items that a search may use.
pub struct Table {
    /// `rows[first][length - 1]`.
    transfer: Vec<Vec<f64>>,
    /// Memory, where it can bind: least and peak bytes.
    memory: Option<Vec<Vec<(u64, u64)>>>,
    pins: Option<Vec<Vec<Pin>>>,
}

impl Table {
    /// Every stage whose `least_seconds` (a lower bound on its time, given first and end item, ascending in
    /// the end) is at most `limit`.
    #[must_use]
    pub fn new(
        sequence: &Sequence,
        index: &Index,
        wire: Wire,
        with_memory: bool,
        least_seconds: &[f64],
        limit: f64,
    ) -> Self {
        let n = sequence.len();
        let pinned = sequence.pins.iter().any(|&pin| pin != Pin::Free);
        let mut table = Table {
            transfer: Vec::with_capacity(n),
            memory: with_memory.then(|| Vec::with_capacity(n)),
            pins: pinned.then(|| Vec::with_capacity(n)),
        };
        for first in 0..n {
            let end = (first + 1..=n)
                .take_while(|&end| least_seconds[end] - least_seconds[first] <= limit)
                .last()
                .unwrap_or(first);
            let mut sweep =
                Sweep::new(sequence, index, wire, first, with_memory.then_some((end - first).max(1)));
            let (mut transfer, mut memory, mut pins) = (Vec::new(), Vec::new(), Vec::new());
            for _ in first..end {
                let interval = sweep.push();
                transfer.push(interval.transfer_seconds);
                if with_memory {
                    memory.push((interval.least_bytes, interval.peak_bytes));
                }
                if pinned {
                    pins.push(interval.pin);
                }
            }
            table.transfer.push(transfer);
            if let Some(rows) = &mut table.memory {
                rows.push(memory);
            }
            if let Some(rows) = &mut table.pins {
                rows.push(pins);
            }
        }
        table
    }

    /// Number of stages in the table that begin at `first`; the longest has so many items.
    #[must_use]
    pub fn reach(&self, first: usize) -> usize {
        self.transfer[first].len()
    }

    /// Seconds of receiving and sending.
    #[must_use]
    pub(crate) fn transfer_seconds(&self, first: usize, end: usize) -> f64 {
        self.transfer[first][end - first - 1]
    }

    /// Least bytes any plan needs, and the unplanned peak; none where memory cannot bind.
    #[must_use]
    pub fn memory(&self, first: usize, end: usize) -> Option<(u64, u64)> {
        self.memory.as_ref().map(|rows| rows[first][end - first - 1])
    }

    /// Device rule.
    #[must_use]
    pub fn pin(&self, first: usize, end: usize) -> Pin {
        self.pins.as_ref().map_or(Pin::Free, |rows| rows[first][end - first - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::{Argument, Arrival, Value};
    use rand::{RngExt, SeedableRng};

    fn random(rng: &mut rand_chacha::ChaCha8Rng, n: usize) -> Sequence {
        let mut sequence = Sequence::chain(&vec![1.0; n], &vec![0; n], &vec![0; n]);
        sequence.values.clear();
        sequence.arguments.clear();
        for producer in 0..n {
            let readers: Vec<usize> = (producer + 1..n).filter(|_| rng.random_bool(0.3)).collect();
            let returned = rng.random_bool(0.2);
            if !readers.is_empty() || returned {
                let bytes = rng.random_range(1..50);
                let held_bytes = if rng.random_bool(0.3) { rng.random_range(0..=bytes) } else { bytes };
                sequence.values.push(Value {
                    producer,
                    readers,
                    bytes,
                    held_bytes,
                    returned,
                    rules: Default::default(),
                });
            }
            sequence.internal_peak[producer] = rng.random_range(0..20);
            sequence.working_set[producer] = rng.random_range(0..20);
            sequence.resident[producer] = if rng.random_bool(0.2) { rng.random_range(0..20) } else { 0 };
            for _ in 0..rng.random_range(0..3) {
                let from = (0..producer).filter(|_| rng.random_bool(0.3));
                let inputs: Vec<(usize, u64)> = from.map(|item| (item, 7 + item as u64)).collect();
                let working_set = rng.random_range(0..=sequence.working_set[producer]);
                sequence.arrivals[producer].push(Arrival { working_set, inputs });
            }
        }
        for _ in 0..3 {
            let readers: Vec<usize> = (0..n).filter(|_| rng.random_bool(0.3)).collect();
            if !readers.is_empty() {
                sequence.arguments.push(Argument { readers, bytes: rng.random_range(1..30) });
            }
        }
        sequence
    }

    /// The same figures from their definitions.
    fn naive(sequence: &Sequence, wire: Wire, first: usize, end: usize) -> Interval {
        let inside = |item: &usize| (first..end).contains(item);
        let (mut messages, mut bytes) = (0, 0);
        let mut live = vec![0; end - first];
        let mut returned = 0;
        for value in &sequence.values {
            let here: Vec<usize> = value.readers.iter().copied().filter(inside).collect();
            let made_here = inside(&value.producer);
            let arrives = !made_here && !here.is_empty();
            let leaves = made_here && value.readers.iter().any(|&reader| reader >= end);
            messages += usize::from(arrives) + usize::from(leaves);
            bytes += if arrives || leaves { value.bytes } else { 0 };
            if made_here || arrives {
                let from = if made_here { value.producer } else { here[0] };
                let mut to = here.last().copied().unwrap_or(from);
                if made_here && value.returned {
                    to = end - 1;
                    returned += value.held_bytes;
                }
                for item in from..=to {
                    live[item - first] += if made_here { value.held_bytes } else { value.bytes };
                }
            }
        }
        for item in first..end {
            live[item - first] += sequence.internal_peak[item];
        }
        let arguments = sequence.arguments.iter().filter(|a| a.readers.iter().any(inside));
        let resident: u64 = arguments.map(|a| a.bytes).chain(sequence.resident[first..end].to_vec()).sum();
        let arriving = sequence.arrivals[first..end].iter().flatten().map(|arrival| {
            let inputs = arrival.inputs.iter().filter(|(item, _)| !inside(item));
            arrival.working_set + inputs.map(|&(_, bytes)| bytes).sum::<u64>()
        });
        let working = sequence.working_set[first..end].iter().copied().chain(arriving).max().unwrap_or(0);
        Interval {
            transfer_seconds: wire.latency_seconds * messages as f64 + wire.seconds_per_byte * bytes as f64,
            route_bytes: bytes,
            least_bytes: resident + working.max(returned),
            peak_bytes: resident + live.into_iter().max().unwrap_or(0),
            pin: Pin::Free,
        }
    }

    #[test]
    fn every_stage_agrees_with_its_definition() {
        let wire = Wire { latency_seconds: 0.5, seconds_per_byte: 0.25 };
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for round in 0..60 {
            let n = 1 + round % 13;
            let sequence = random(&mut rng, n);
            let index = sequence.index();
            for first in 0..n {
                let mut sweep = Sweep::new(&sequence, &index, wire, first, Some(n - first));
                for end in first + 1..=n {
                    assert_eq!(sweep.push(), naive(&sequence, wire, first, end), "{first}..{end}");
                }
            }
        }
    }
}
