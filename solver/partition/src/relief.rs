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

/// Buffers of an estimate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Items of the device in run order, and the place of each among them.
    on: Vec<u32>,
    place_of: Vec<u32>,
    over: Vec<f64>,
    change: Vec<f64>,
    gaps: Vec<Gap>,
    again: Vec<u32>,
    open: Vec<usize>,
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
    /// Not a number where that is not known yet.
    seconds: f64,
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

    /// What a device loses to hold no more than `room` besides what is resident. `place`: the device of every item.
    pub(crate) fn lost(
        &self,
        lifetimes: &Lifetimes,
        place: &[u32],
        (device, room): (usize, f64),
        scratch: &mut Scratch,
    ) -> Lost {
        let mut lost = Lost::default();
        if scratch.gather(lifetimes, place, device as u32, room) <= 0.0 {
            return lost;
        }
        while let Some((fullest, over)) = scratch.fullest().filter(|&(_, over)| over > 0.0) {
            let left = self.cover(lifetimes, place, (device, fullest, over), scratch, &mut lost);
            if left > 0.0 {
                // What lies where another value was, and such: a plan that keeps the cap does without as much elsewhere.
                let byte = self.copy.as_ref().map_or(0.0, |copy| copy[device].1);
                lost.seconds += left * lost.dearest.max(byte);
                scratch.over.iter_mut().for_each(|over| *over -= left);
            }
        }
        lost
    }

    /// Covers so many bytes at one place by gaps, the cheapest first; what is left uncovered.
    fn cover(
        &self,
        lifetimes: &Lifetimes,
        place: &[u32],
        (device, at, over): (usize, usize, f64),
        scratch: &mut Scratch,
        lost: &mut Lost,
    ) -> f64 {
        let mut open = std::mem::take(&mut scratch.open);
        let is_open = |gap: &Gap| {
            (gap.first..gap.end).contains(&(at as u32)) && gap.seconds.is_finite() | gap.seconds.is_nan()
        };
        open.extend((0..scratch.gaps.len()).filter(|&gap| is_open(&scratch.gaps[gap])));
        for &gap in &open {
            if scratch.gaps[gap].seconds.is_nan() {
                scratch.gaps[gap].seconds =
                    self.price(lifetimes, place, device, scratch.gaps[gap], &mut scratch.again);
            }
        }
        let mut left = over;
        scratch.change.fill(0.0);
        while left > 0.0 {
            let rate = |gap: usize| scratch.gaps[gap].seconds / scratch.gaps[gap].bytes.min(left);
            let best = (0..open.len()).min_by(|&a, &b| rate(open[a]).total_cmp(&rate(open[b])));
            let Some(best) = best.filter(|&best| scratch.gaps[open[best]].seconds.is_finite()) else { break };
            let gap = &mut scratch.gaps[open.swap_remove(best)];
            lost.seconds += gap.seconds;
            lost.dearest = lost.dearest.max(gap.seconds / gap.bytes.min(left));
            left -= gap.bytes;
            scratch.change[gap.first as usize] -= gap.bytes;
            scratch.change[gap.end as usize] += gap.bytes;
            gap.seconds = f64::INFINITY;
        }
        let mut sum = 0.0;
        for (over, change) in scratch.over.iter_mut().zip(&scratch.change) {
            sum += change;
            *over += sum;
        }
        open.clear();
        scratch.open = open;
        left.max(0.0)
    }

    /// Seconds of doing without a value in a gap.
    fn price(
        &self,
        lifetimes: &Lifetimes,
        place: &[u32],
        device: usize,
        gap: Gap,
        again: &mut Vec<u32>,
    ) -> f64 {
        let value = gap.value as usize;
        let rules = lifetimes.rules(value);
        let maker = lifetimes.ends(value)[0].1;
        if place[maker as usize] as usize != device {
            return if rules.stays { f64::INFINITY } else { self.receive[value] };
        }
        let copied = self.copy.as_ref().filter(|_| !rules.not_swapped).map_or(f64::INFINITY, |copy| {
            let (latency, byte) = copy[device];
            latency + byte * gap.bytes
        });
        again.clear();
        let mut made = 0.0;
        match self.make_again(lifetimes, place, (device, gap.until), value, (again, &mut made, copied)) {
            true => made,
            false => copied,
        }
    }

    /// Adds the seconds of making a value again before the item at a place of the sequence, and for it what is gone by then; false where that
    /// comes to `most` or is not possible.
    fn make_again(
        &self,
        lifetimes: &Lifetimes,
        place: &[u32],
        (device, until): (usize, u32),
        value: usize,
        (again, seconds, most): (&mut Vec<u32>, &mut f64, f64),
    ) -> bool {
        if lifetimes.rules(value).made_once || again.len() >= MOST_AGAIN {
            return false;
        }
        let maker = lifetimes.ends(value)[0].1;
        if again.contains(&maker) {
            return true;
        }
        again.push(maker);
        *seconds += self.seconds[self.row_of[device]][maker as usize];
        for &input in lifetimes.values_of(maker as usize) {
            if *seconds >= most {
                return false;
            }
            let ends = lifetimes.ends(input as usize);
            let on = |item: u32| place[item as usize] as usize == device;
            if ends[0].1 == maker || ends.iter().rev().take_while(|end| end.0 >= until).any(|end| on(end.1)) {
                continue;
            }
            if !on(ends[0].1) {
                *seconds += self.receive[input as usize];
            } else if !self.make_again(
                lifetimes,
                place,
                (device, until),
                input as usize,
                (again, seconds, most),
            ) {
                return false;
            }
        }
        *seconds < most
    }
}

impl Scratch {
    /// Finds what a device holds above its room while each of its items runs, and the gaps; the most it does.
    fn gather(&mut self, lifetimes: &Lifetimes, place: &[u32], device: u32, room: f64) -> f64 {
        self.place_of.resize(place.len(), 0);
        self.on.clear();
        self.gaps.clear();
        for (item, _) in place.iter().enumerate().filter(|(_, on)| **on == device) {
            self.place_of[item] = self.on.len() as u32;
            self.on.push(item as u32);
        }
        let items = self.on.len();
        self.change.clear();
        self.change.resize(items + 1, 0.0);
        for (number, &item) in self.on.iter().enumerate() {
            for &value in lifetimes.values_of(item as usize) {
                let mut here =
                    lifetimes.ends(value as usize).iter().filter(|&&(_, end)| place[end as usize] == device);
                if here.next().is_none_or(|&(_, first)| first != item) {
                    continue;
                }
                let bytes = lifetimes.bytes(value as usize);
                let mut last = number as u32;
                for &(at, end) in here {
                    // What is returned is there at the end.
                    let (next, needed) = match at == end {
                        true => (self.place_of[end as usize], self.place_of[end as usize]),
                        false => (items as u32, items as u32 - 1),
                    };
                    if next > last + 1 {
                        let gap =
                            Gap { value, first: last + 1, end: next, until: at, bytes, seconds: f64::NAN };
                        self.gaps.push(gap);
                    }
                    last = needed;
                }
                self.change[number] += bytes;
                self.change[last as usize + 1] -= bytes;
            }
        }
        self.over.clear();
        let (mut held, mut most) = (0.0, f64::NEG_INFINITY);
        for change in &self.change[..items] {
            held += change;
            most = f64::max(most, held - room);
            self.over.push(held - room);
        }
        most
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
        cluster.default_link = Link { bandwidth: 5.0, latency_seconds: 1.0 };
        for device in &mut cluster.devices {
            device.to_host = Link { bandwidth: 10.0, latency_seconds: 0.0 };
            device.from_host = device.to_host;
        }
        let links = Links::new(&cluster);
        let lifetimes = Lifetimes::new(sequence);
        let mut sequence = sequence.clone();
        sequence.row_of = vec![0; 2];
        let reliefs = Reliefs::new(&sequence, &lifetimes, (&cluster, &links), copies).expect("few items");
        reliefs.lost(&lifetimes, place, (0, room), &mut Scratch::default())
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
