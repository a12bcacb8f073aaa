//! What it costs a device to hold less than its items ask for: an estimate without any plan.
//!
//! Between two items that need a value it may be away: dropped and made again, received again, or on the host meanwhile. What a device holds above its
//! cap is covered by such gaps, the cheapest for what they free first, at the fullest item, then at the fullest of the rest. Making a value again
//! counts all that has to be made again for it. Memory plans of stages come to about the same as long as there is room beside
//! what no plan can do without; less of it makes them dearer (docs/partition-sequence.md has figures).

use ballast_core::device::{Cluster, DeviceId};

use crate::lifetimes::Lifetimes;
use crate::loads::Links;
use crate::sequence::Sequence;

/// Items above which no estimate is made: it looks at all of them.
const MOST_ITEMS: usize = 8_192;
/// Values made again for one that is, at most.
const MOST_AGAIN: usize = 64;

/// What copies to the host and back cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// Their time in full.
    #[default]
    InFull,
    /// What is not hidden behind computation.
    Beside,
    /// There are none.
    Never,
}

/// Share of a copy's time that counts where it runs beside computation.
const EXPOSED: f64 = 0.25;

/// What values of a program cost to do without.
#[derive(Clone, Debug)]
pub(crate) struct Reliefs {
    /// Seconds of receiving every value.
    receive: Vec<f64>,
    /// Seconds of every item by row, and the row of every device.
    seconds: Vec<Vec<f64>>,
    row_of: Vec<usize>,
    /// Latency and seconds per byte of a copy there and back, by device; none: no copies.
    copy: Option<Vec<(f64, f64)>>,
}

/// A device of a placement.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) lifetimes: &'a Lifetimes,
    /// The device of every item.
    pub(crate) device_of: &'a [u32],
    pub(crate) device: usize,
}

impl Placed<'_> {
    fn runs(&self, item: u32) -> bool {
        self.device_of[item as usize] as usize == self.device
    }

    /// The item that makes a value.
    fn maker(&self, value: u32) -> u32 {
        self.lifetimes.ends(value as usize)[0].1
    }

    /// Is a value held here from some place of the sequence on, as far as items there need it?
    fn holds(&self, value: u32, from: u32) -> bool {
        let ends = self.lifetimes.ends(value as usize);
        ends.iter().rev().take_while(|&&(at, _)| at >= from).any(|&(_, item)| self.runs(item))
    }
}

/// Buffers of an estimate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Items of the device in run order, and the place of each among them.
    on: Vec<u32>,
    place_of: Vec<u32>,
    /// Bytes over the room while each of them runs, and changes of that from each on.
    over: Vec<f64>,
    change: Vec<f64>,
    gaps: Vec<Gap>,
    /// Gaps at one place.
    open: Vec<usize>,
    /// Items that run again for one value.
    again: Vec<u32>,
}

/// Places on a device where a value is held and not needed.
#[derive(Clone, Copy, Debug)]
struct Gap {
    value: u32,
    first: u32,
    end: u32,
    /// The item before which it must be back, by place in the sequence.
    until: u32,
    bytes: f64,
    /// None where that is not known yet; infinite where it must stay, or is away already.
    seconds: Option<f64>,
}

/// What a device loses to keep its cap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lost {
    pub(crate) seconds: f64,
    /// The most that a byte cost.
    pub(crate) dearest: f64,
}

impl Reliefs {
    /// Of the items of a sequence; none where there are very many.
    pub(crate) fn new(
        sequence: &Sequence,
        lifetimes: &Lifetimes,
        (cluster, links): (&Cluster, &Links),
        copies: Copies,
    ) -> Option<Self> {
        if sequence.len() > MOST_ITEMS {
            return None;
        }
        let wire = links.mean();
        let share = match copies {
            Copies::InFull => Some(1.0),
            Copies::Beside => Some(EXPOSED),
            Copies::Never => None,
        };
        let copy = |share: f64| {
            let of = |device: DeviceId| {
                let model = cluster.swap_model(&cluster.devices[device], false);
                (share * 2.0 * model.latency, share * (1.0 / model.out_bandwidth + 1.0 / model.in_bandwidth))
            };
            DeviceId::first(cluster.devices.len()).map(of).collect()
        };
        Some(Reliefs {
            receive: (0..lifetimes.values())
                .map(|value| wire.latency_seconds + lifetimes.bytes(value) * wire.seconds_per_byte)
                .collect(),
            seconds: sequence.seconds.clone(),
            row_of: sequence.row_of.clone(),
            copy: share.map(copy),
        })
    }

    /// What a device loses to hold no more than `room` besides what is resident.
    pub(crate) fn lost(&self, placed: &Placed<'_>, room: f64, scratch: &mut Scratch) -> Lost {
        let mut lost = Lost::default();
        scratch.gather(placed, room);
        while let Some((fullest, over)) = scratch.fullest().filter(|&(_, over)| over > 0.0) {
            let left = self.cover(placed, (fullest, over), scratch, &mut lost);
            if left > 0.0 {
                // What lies where another value was, and such: a plan that keeps the cap does without as much elsewhere.
                let byte = self.copy.as_ref().map_or(0.0, |copy| copy[placed.device].1);
                lost.seconds += left * lost.dearest.max(byte);
                scratch.over.iter_mut().for_each(|over| *over -= left);
            }
        }
        lost
    }

    /// Covers so many bytes at one place by gaps, the cheapest first; what is left uncovered.
    fn cover(
        &self,
        placed: &Placed<'_>,
        (at, over): (usize, f64),
        scratch: &mut Scratch,
        lost: &mut Lost,
    ) -> f64 {
        let Scratch { over: all_over, change, gaps, open, again, .. } = scratch;
        open.clear();
        open.extend((0..gaps.len()).filter(|&gap| (gaps[gap].first..gaps[gap].end).contains(&(at as u32))));
        for &gap in open.iter() {
            let gap = &mut gaps[gap];
            gap.seconds = gap.seconds.or_else(|| Some(self.price(placed, gap, again)));
        }
        let seconds = |gap: &Gap| gap.seconds.unwrap_or(f64::INFINITY);
        open.retain(|&gap| seconds(&gaps[gap]).is_finite());
        let mut left = over;
        change.fill(0.0);
        while left > 0.0 {
            let rate = |gap: usize| seconds(&gaps[gap]) / gaps[gap].bytes.min(left);
            let best = (0..open.len()).min_by(|&a, &b| rate(open[a]).total_cmp(&rate(open[b])));
            let Some(best) = best else { break };
            let gap = open.swap_remove(best);
            lost.seconds += seconds(&gaps[gap]);
            lost.dearest = lost.dearest.max(rate(gap));
            let gap = &mut gaps[gap];
            left -= gap.bytes;
            change[gap.first as usize] -= gap.bytes;
            change[gap.end as usize] += gap.bytes;
            gap.seconds = Some(f64::INFINITY);
        }
        let mut sum = 0.0;
        for (over, change) in all_over.iter_mut().zip(change.iter()) {
            sum += change;
            *over += sum;
        }
        left.max(0.0)
    }

    /// Seconds of doing without a value in a gap.
    fn price(&self, placed: &Placed<'_>, gap: &Gap, again: &mut Vec<u32>) -> f64 {
        let rules = placed.lifetimes.rules(gap.value as usize);
        if !placed.runs(placed.maker(gap.value)) {
            return if rules.stays { f64::INFINITY } else { self.receive[gap.value as usize] };
        }
        let copied = self.copy.as_ref().filter(|_| !rules.not_swapped).map_or(f64::INFINITY, |copy| {
            let (latency, byte) = copy[placed.device];
            latency + byte * gap.bytes
        });
        again.clear();
        let mut made = 0.0;
        match self.make_again(placed, (gap.value, gap.until), again, (&mut made, copied)) {
            true => made,
            false => copied,
        }
    }

    /// Adds the seconds of making a value again before a place of the sequence, and for it what is gone by then; false where that comes to `most` or is
    /// not possible.
    fn make_again(
        &self,
        placed: &Placed<'_>,
        (value, until): (u32, u32),
        again: &mut Vec<u32>,
        (seconds, most): (&mut f64, f64),
    ) -> bool {
        if placed.lifetimes.rules(value as usize).made_once || again.len() >= MOST_AGAIN {
            return false;
        }
        let maker = placed.maker(value);
        if again.contains(&maker) {
            return true;
        }
        again.push(maker);
        *seconds += self.seconds[self.row_of[placed.device]][maker as usize];
        for &input in placed.lifetimes.values_of(maker as usize) {
            if *seconds >= most {
                return false;
            }
            let from = placed.maker(input);
            if from == maker || placed.holds(input, until) {
                continue;
            }
            if !placed.runs(from) {
                *seconds += self.receive[input as usize];
            } else if !self.make_again(placed, (input, until), again, (seconds, most)) {
                return false;
            }
        }
        *seconds < most
    }
}

impl Scratch {
    /// Finds what a device holds above its room while each of its items runs, and the gaps.
    fn gather(&mut self, placed: &Placed<'_>, room: f64) {
        let Scratch { on, place_of, over, change, gaps, .. } = self;
        place_of.resize(placed.device_of.len(), 0);
        on.clear();
        gaps.clear();
        for item in (0..placed.device_of.len() as u32).filter(|&item| placed.runs(item)) {
            place_of[item as usize] = on.len() as u32;
            on.push(item);
        }
        let items = on.len();
        change.clear();
        change.resize(items + 1, 0.0);
        for (number, &item) in on.iter().enumerate() {
            for &value in placed.lifetimes.values_of(item as usize) {
                let ends = placed.lifetimes.ends(value as usize);
                let mut here = ends.iter().filter(|&&(_, item)| placed.runs(item));
                if here.next().is_none_or(|&(_, first)| first != item) {
                    continue;
                }
                let bytes = placed.lifetimes.bytes(value as usize);
                let mut last = number as u32;
                for &(until, end) in here {
                    // What is returned is there at the end.
                    let (next, needed) = match until == end {
                        true => (place_of[end as usize], place_of[end as usize]),
                        false => (items as u32, items as u32 - 1),
                    };
                    if next > last + 1 {
                        gaps.push(Gap { value, first: last + 1, end: next, until, bytes, seconds: None });
                    }
                    last = needed;
                }
                change[number] += bytes;
                change[last as usize + 1] -= bytes;
            }
        }
        over.clear();
        let mut held = 0.0;
        over.extend(change[..items].iter().map(|change| {
            held += change;
            held - room
        }));
    }

    /// The place where a device is most over its room, and by how much.
    fn fullest(&self) -> Option<(usize, f64)> {
        let over = self.over.iter().copied().enumerate();
        over.reduce(|most, next| if next.1 > most.1 { next } else { most })
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::device::Link;

    use super::*;
    use crate::sequence::{Value, ValueRules};

    /// Six items, each of which reads the one before; the last reads what item `far` made, too. Ten bytes each.
    fn sequence(far: usize, rules: ValueRules) -> Sequence {
        let mut sequence = Sequence::chain(&[3.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[10; 6], &[0; 6]);
        for value in &mut sequence.values {
            if value.producer == far {
                *value = Value { readers: vec![far + 1, 5], rules, ..value.clone() };
            }
        }
        sequence
    }

    /// What device 0 loses in a placement to hold so many bytes: copies take a second there and one back, receiving takes three.
    fn lost(sequence: &Sequence, place: &[u32], room: f64, copies: Copies) -> Lost {
        let mut cluster = Cluster::from_count(2).expect("devices");
        cluster.default_link = Link { bytes_per_second: 5.0, latency_seconds: 1.0 };
        for device in &mut cluster.devices {
            device.to_host = Link { bytes_per_second: 10.0, latency_seconds: 0.0 };
            device.from_host = device.to_host;
        }
        let links = Links::new(&cluster);
        let lifetimes = Lifetimes::new(sequence);
        let mut sequence = sequence.clone();
        sequence.row_of = vec![0; 2];
        let reliefs = Reliefs::new(&sequence, &lifetimes, (&cluster, &links), copies).expect("few items");
        reliefs.lost(
            &Placed { lifetimes: &lifetimes, device_of: place, device: 0 },
            room,
            &mut Scratch::default(),
        )
    }

    #[test]
    fn the_cheapest_way_to_do_without_a_value_counts() {
        let kept = |copies, rules| lost(&sequence(0, rules), &[0; 6], 20.0, copies);
        let free = ValueRules::default();
        // Item 0 takes 3 s to run again before item 5, its value 2 s to the host and back.
        assert_eq!(kept(Copies::Never, free).seconds, 3.0);
        assert_eq!(kept(Copies::InFull, free).seconds, 2.0);
        assert_eq!(kept(Copies::Beside, free).seconds, 2.0 * EXPOSED);
        assert_eq!(kept(Copies::InFull, ValueRules { not_swapped: true, ..free }).seconds, 3.0);
        assert_eq!(kept(Copies::InFull, ValueRules { made_once: true, ..free }).seconds, 2.0);
        // Neither may be: bytes in no gap cost what copies do, or the dearest of those in one, as if another value went.
        assert_eq!(kept(Copies::Never, ValueRules { made_once: true, ..free }).seconds, 0.0);
        assert_eq!(
            kept(Copies::InFull, ValueRules { made_once: true, not_swapped: true, ..free }).seconds,
            2.0
        );
        // All fits.
        assert_eq!(lost(&sequence(0, free), &[0; 6], 30.0, Copies::Never), Lost::default());
    }

    #[test]
    fn what_is_gone_is_made_again_too_and_what_arrived_arrives_again() {
        let free = ValueRules::default();
        // The value of item 1 needs that of item 0, which nobody reads after it: 1 s and 3 s.
        assert_eq!(lost(&sequence(1, free), &[0; 6], 20.0, Copies::Never).seconds, 4.0);
        // Items 2 to 5 on device 0 receive the value of item 1 twice; on its own device there is nothing to cover.
        let place = [1, 1, 0, 0, 0, 0];
        assert_eq!(lost(&sequence(1, free), &place, 20.0, Copies::Never).seconds, 3.0);
        assert_eq!(
            lost(&sequence(1, ValueRules { stays: true, ..free }), &place, 20.0, Copies::Never).seconds,
            0.0
        );
        // Item 0 elsewhere: its value arrives again for item 1, which runs again.
        assert_eq!(lost(&sequence(1, free), &[1, 0, 0, 0, 0, 0], 20.0, Copies::Never).seconds, 4.0);
        // No gap makes room for an item and what it reads.
        let tight = lost(&sequence(0, free), &[0; 6], 15.0, Copies::Never);
        assert_eq!(tight.seconds, 3.0 + 5.0 * 0.3);
    }
}
