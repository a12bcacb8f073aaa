//! What a free search places: groups of items, the values between them as nets, and what they hold in memory.
//!
//! A value is received once by every device that reads it and sent once by its maker, so it is a hyperedge over its writer and
//! readers, as in [`ballast_dag::hypergraph`]; here links may differ from pair to pair, and arguments are held once by every
//! device that reads them. Merging groups keeps every load exactly where links are alike.

use std::cmp::Ordering;
use std::collections::HashSet;

use ballast_core::device::DeviceId;
use indexmap::IndexMap;
use petgraph::unionfind::UnionFind;

use super::least::Needs;
use crate::lifetimes::Lifetimes;
use crate::loads::Links;
use crate::relief::Reliefs;
use crate::sequence::{Pin, Sequence};
use crate::squeeze::Prices;
pub(super) use ballast_dag::hypergraph::GroupId;
use ballast_dag::hypergraph::Lists;

/// Moments at which bytes are counted where groups are merged. Devices hold most at moments of their own; at one alone a search would find what is held at
/// all others.
pub(super) const MOMENTS: usize = 16;

/// Items times devices up to which what is held while each item runs is counted: every search under way has three numbers for each.
const MOST_PLACES: usize = 1 << 21;

/// Bytes by which links are told apart, and kinds of links by which devices are joined, the slowest of them.
const USUAL_BYTES: f64 = 1e6;
const MOST_KINDS: usize = 16;

/// In [`Board::holds_of`]: the group needs the bytes before the moment.
pub(super) const BEFORE: u32 = 1;
/// The group needs the bytes after it.
pub(super) const AFTER: u32 = 2;

/// What one link costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wire {
    pub(super) latency_seconds: f64,
    pub(super) seconds_per_byte: f64,
}

/// Devices and links, the same on every level of coarsening.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) devices: usize,
    /// The row of seconds of every device.
    pub(super) row_of: Vec<usize>,
    /// By `from * devices + to`.
    wires: Vec<Wire>,
    /// Are all links alike?
    pub(super) uniform: bool,
    /// Mean of all links: what nets are rated by.
    mean: Wire,
    /// What is held above this has a price; none where no cap can bind.
    pub(super) caps: Option<Caps>,
}

/// Bytes of every device.
#[derive(Clone, Debug)]
pub(super) struct Caps {
    /// What it may hold, or what an item needs that fits no device.
    pub(super) cap: Vec<f64>,
    /// What its cap may be raised to.
    pub(super) most: Vec<f64>,
    /// What memory over the cap costs.
    pub(super) rate: Vec<f64>,
    pub(super) factor: Vec<f64>,
    /// What it holds besides what a board counts.
    pub(super) unseen: Vec<f64>,
    /// Must caps be raised, as far as is known: does every placement given raise one?
    pub(super) some_raised: bool,
}

impl Caps {
    /// Of a sequence whose devices have these caps. Where an item fits no device, what the neediest takes stands in for the caps of the devices that
    /// run such an item in a placement of the items, or for all caps where none is given: others can do without a raised one.
    pub(super) fn new(
        sequence: &Sequence,
        ((caps, prices), relax_limit): ((&[u64], &Prices), f64),
        unseen: Option<&[f64]>,
        placement: Option<&[DeviceId]>,
    ) -> Self {
        let largest = caps.iter().copied().max().unwrap_or(0);
        let needs = sequence.needs(false);
        let large: Vec<usize> = (0..needs.len()).filter(|&item| needs[item] > largest).collect();
        let floor = if large.is_empty() { 0 } else { sequence.neediest(true) };
        let raised = |device: usize| match placement {
            Some(placement) => large.iter().any(|&item| placement[item].0 == device),
            None => true,
        };
        // Not where it may not be raised so far, if it may anywhere.
        let may = |cap: u64| floor as f64 <= cap as f64 * relax_limit;
        let any = caps.iter().any(|&cap| may(cap));
        let cap = |(device, &cap): (usize, &u64)| {
            if raised(device) && (may(cap) || !any) { cap.max(floor) as f64 } else { cap as f64 }
        };
        Caps {
            most: caps.iter().map(|&cap| cap as f64 * relax_limit).collect(),
            cap: caps.iter().enumerate().map(cap).collect(),
            rate: prices.rates.clone(),
            factor: prices.factors.clone(),
            unseen: unseen.map_or_else(|| vec![0.0; caps.len()], <[f64]>::to_vec),
            some_raised: false,
        }
    }
}

impl Site {
    pub(super) fn new(row_of: &[usize], links: &Links, caps: Option<Caps>) -> Self {
        let devices = row_of.len();
        let pair = |from: usize, to: usize| {
            let link = links.link(DeviceId(from), DeviceId(to));
            Wire { latency_seconds: link.latency_seconds, seconds_per_byte: 1.0 / link.bytes_per_second }
        };
        let mean = links.mean();
        Site {
            devices,
            row_of: row_of.to_vec(),
            wires: (0..devices * devices).map(|at| pair(at / devices, at % devices)).collect(),
            uniform: links.uniform(),
            mean: Wire { latency_seconds: mean.latency_seconds, seconds_per_byte: mean.seconds_per_byte },
            caps,
        }
    }

    /// The same devices where some caps must be raised.
    pub(super) fn raising(&self) -> Self {
        let mut site = self.clone();
        if let Some(caps) = &mut site.caps {
            caps.some_raised = true;
        }
        site
    }

    /// Sets of devices to start on, all of them first. Where links differ, those that links faster than others join follow, down to single devices: over slow
    /// links a few devices may be faster than all, and a search that starts on all hardly empties one.
    pub(super) fn teams(&self) -> Vec<Vec<usize>> {
        let mut teams = vec![(0..self.devices).collect::<Vec<usize>>()];
        if self.uniform {
            return teams;
        }
        let seconds = |from: usize, to: usize| {
            let one = |wire: &Wire| wire.latency_seconds + USUAL_BYTES * wire.seconds_per_byte;
            one(&self.wires[from * self.devices + to]).max(one(&self.wires[to * self.devices + from]))
        };
        let pairs = || (0..self.devices).flat_map(|from| (0..from).map(move |to| (from, to)));
        let mut kinds: Vec<f64> = pairs().map(|(from, to)| seconds(from, to)).collect();
        kinds.sort_by(|a, b| b.total_cmp(a));
        kinds.dedup();
        kinds.truncate(MOST_KINDS);
        for slowest in kinds {
            let mut joined = UnionFind::<usize>::new(self.devices);
            for (from, to) in pairs().filter(|&(from, to)| seconds(from, to) < slowest) {
                joined.union(from, to);
            }
            let mut of: IndexMap<usize, Vec<usize>> = IndexMap::new();
            (0..self.devices).for_each(|device| of.entry(joined.find(device)).or_default().push(device));
            teams.extend(of.into_values());
        }
        let mut known = HashSet::new();
        teams.retain(|team| known.insert(team.clone()));
        teams
    }

    /// Seconds of a net between two devices.
    pub(super) fn seconds(&self, from: usize, to: usize, net: &Net) -> f64 {
        let wire = &self.wires[from * self.devices + to];
        net.values * wire.latency_seconds + net.bytes * wire.seconds_per_byte
    }
}

/// Values with one writer and the same readers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Net {
    pub(super) writer: u32,
    /// How many values.
    pub(super) values: f64,
    /// Their bytes.
    pub(super) bytes: f64,
}

/// The problem on one level.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) groups: usize,
    /// Seconds by `group * rows + row`.
    pub(super) seconds: Vec<f64>,
    pub(super) rows: usize,
    /// The device a rule binds a group to.
    pub(super) pins: Vec<Option<DeviceId>>,
    pub(super) nets: Vec<Net>,
    /// Seconds of every net over the mean link.
    pub(super) net_seconds: Vec<f64>,
    /// Groups of every net, its writer among them; two or more, ascending.
    pub(super) ends: Lists,
    /// Nets of every group.
    pub(super) nets_of: Lists,
    /// Bytes that a device holds once, whichever of its groups need them: arguments, and values from before to after a moment.
    pub(super) hold_bytes: Vec<f64>,
    /// The moments of every hold, one after the other, below [`MOMENTS`]; nothing of those there from start to end.
    pub(super) moments_of: Vec<Span>,
    /// Of every group `4 * hold`, and [`BEFORE`] and [`AFTER`] where it needs the bytes on that side.
    pub(super) holds_of: Lists,
    /// So many holds, the first ones, are there from start to end.
    pub(super) resident: usize,
    /// What plans cannot do without.
    pub(super) needs: Needs,
    /// When values are held, item by item; none of merged groups, where there are very many, and where no cap can bind.
    pub(super) lifetimes: Option<Lifetimes>,
    /// What the values cost to do without, where that is known.
    pub(super) reliefs: Option<Reliefs>,
}

impl Board {
    /// The items of a sequence; what they hold only where `memory` asks for it.
    pub(super) fn of(sequence: &Sequence, site: &Site, memory: bool) -> Self {
        let groups = sequence.len();
        let rows = sequence.seconds.len();
        let read = || sequence.values.iter().filter(|value| !value.readers.is_empty());
        let nets: Vec<Net> = read()
            .map(|value| Net { writer: value.producer as u32, values: 1.0, bytes: value.bytes as f64 })
            .collect();
        let ends = Lists::new(read().map(|value| {
            let mut ends: Vec<u32> = value.readers.iter().map(|&reader| reader as u32).collect();
            ends.push(value.producer as u32);
            ends.sort_unstable();
            ends
        }));
        let (holds, resident) = if memory { holds(sequence) } else { (Vec::new(), 0) };
        let mut holds_of = vec![Vec::new(); groups];
        for (hold, (_, _, needs)) in holds.iter().enumerate() {
            for &(group, sides) in needs {
                holds_of[group].push(4 * hold as u32 + sides);
            }
        }
        let mut board = Board {
            groups,
            seconds: (0..groups * rows).map(|at| sequence.seconds[at % rows][at / rows]).collect(),
            rows,
            pins: sequence
                .pins
                .iter()
                .map(|pin| if let Pin::To(device) = pin { Some(*device) } else { None })
                .collect(),
            net_seconds: Vec::new(),
            nets_of: ends.transposed(groups),
            nets,
            ends,
            hold_bytes: holds.iter().map(|(bytes, ..)| *bytes).collect(),
            moments_of: holds.iter().map(|(_, moments, _)| *moments).collect(),
            holds_of: Lists::new(holds_of),
            resident,
            needs: if memory { Needs::of(sequence) } else { Needs::default() },
            lifetimes: (memory && groups * site.devices <= MOST_PLACES).then(|| Lifetimes::new(sequence)),
            reliefs: None,
        };
        board.rate(site);
        board
    }

    fn rate(&mut self, site: &Site) {
        let wire = site.mean;
        let seconds = |net: &Net| net.values * wire.latency_seconds + net.bytes * wire.seconds_per_byte;
        self.net_seconds = self.nets.iter().map(seconds).collect();
    }

    /// Least seconds of a group over all devices.
    pub(super) fn least_seconds(&self, group: GroupId) -> f64 {
        self.seconds[group * self.rows..(group + 1) * self.rows].iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// May a group run on a device?
    pub(super) fn runs(&self, group: GroupId, device: usize) -> bool {
        self.pins[group].is_none_or(|pinned| pinned.0 == device)
    }

    /// Merges groups: group `g` becomes part of group `map[g] < count`. Groups bound to different devices must not meet.
    pub(super) fn quotient(&self, site: &Site, map: &[GroupId], count: usize) -> Self {
        let rows = self.rows;
        let mut seconds = vec![0.0; count * rows];
        let mut pins = vec![None; count];
        let mut sides: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (group, &target) in map.iter().enumerate() {
            for row in 0..rows {
                seconds[target * rows + row] += self.seconds[group * rows + row];
            }
            pins[target] = pins[target].or(self.pins[group]);
            sides[target].extend_from_slice(self.holds_of.of(group));
        }
        let holds_of = Lists::new(sides.into_iter().map(|mut held| {
            held.sort_unstable();
            held.dedup_by(|next, kept| {
                let same = *next / 4 == *kept / 4;
                if same {
                    *kept |= *next % 4;
                }
                same
            });
            held
        }));
        let mut merged: IndexMap<(u32, Vec<u32>), Net> = IndexMap::new();
        for (number, net) in self.nets.iter().enumerate() {
            let mut ends: Vec<u32> = self.ends.of(number).iter().map(|&g| map[g as usize] as u32).collect();
            ends.sort_unstable();
            ends.dedup();
            if ends.len() > 1 {
                let writer = map[net.writer as usize] as u32;
                // Who writes matters only where links differ.
                let key = if site.uniform { u32::MAX } else { writer };
                merged
                    .entry((key, ends))
                    .and_modify(|held| {
                        held.values += net.values;
                        held.bytes += net.bytes;
                    })
                    .or_insert(Net { writer, ..*net });
            }
        }
        let nets: Vec<Net> = merged.values().copied().collect();
        let ends = Lists::new(merged.into_keys().map(|(_, ends)| ends));
        let mut board = Board {
            groups: count,
            seconds,
            rows,
            pins,
            net_seconds: Vec::new(),
            nets_of: ends.transposed(count),
            nets,
            ends,
            hold_bytes: self.hold_bytes.clone(),
            moments_of: self.moments_of.clone(),
            holds_of,
            resident: self.resident,
            needs: self.needs.quotient(map, count),
            lifetimes: None,
            reliefs: None,
        };
        board.rate(site);
        board
    }
}

/// Moments one after the other: the first, and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    first: u8,
    end: u8,
}

impl Span {
    pub(super) fn moments(self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.end)
    }
}

/// Bytes, the moments, and the groups that need them, on which sides of these.
type Hold = (f64, Span, Vec<(GroupId, u32)>);

/// Bytes a device holds at once, and by which of its items: arguments and buffers of results throughout, and the values that live
/// at each of some moments. A device holds such a value if it has an end of it on either side, the item that runs then on both.
/// Those that are held throughout come first, so many.
fn holds(sequence: &Sequence) -> (Vec<Hold>, usize) {
    let throughout = Span { first: 0, end: 0 };
    let arguments = sequence.arguments.iter().map(|argument| {
        let readers = argument.readers.iter().map(|&reader| (reader, BEFORE | AFTER)).collect();
        (argument.bytes as f64, throughout, readers)
    });
    let buffers = sequence.resident.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
    let buffers = buffers.map(|(item, &bytes)| (bytes as f64, throughout, vec![(item, BEFORE | AFTER)]));
    let mut holds: Vec<Hold> = arguments.chain(buffers).collect();
    let resident = holds.len();
    let places = moments(&sequence.running_bytes());
    for (number, &place) in (0..).zip(&places).filter(|(_, place)| sequence.internal_peak[**place] > 0) {
        let bytes = sequence.internal_peak[place] as f64;
        holds.push((bytes, Span { first: number, end: number + 1 }, vec![(place, BEFORE | AFTER)]));
    }
    for value in &sequence.values {
        let bytes = value.stored_bytes() as f64;
        let (first, last) = value.places();
        let mut open: Option<Hold> = None;
        for (number, &place) in (0..).zip(&places).filter(|(_, place)| (first..=last).contains(*place)) {
            let side = |item: usize| match item.cmp(&place) {
                Ordering::Less => BEFORE,
                Ordering::Equal => BEFORE | AFTER,
                Ordering::Greater => AFTER,
            };
            let own = if value.returned { BEFORE | AFTER } else { side(value.producer) };
            let mut needs: Vec<(GroupId, u32)> = vec![(value.producer, own)];
            needs.extend(value.readers.iter().map(|&reader| (reader, side(reader))));
            match &mut open {
                // No reader lies between the two moments.
                Some((_, span, known)) if *known == needs => span.end = number + 1,
                _ => holds.extend(open.replace((bytes, Span { first: number, end: number + 1 }, needs))),
            }
        }
        holds.extend(open);
    }
    (holds, resident)
}

/// The item with the most live bytes in each of so many parts of a program, the first of several.
fn moments(live: &[u64]) -> Vec<usize> {
    let part = live.len().div_ceil(MOMENTS).max(1);
    let most = |(number, part_of): (usize, &[u64])| {
        let place = (0..part_of.len()).max_by_key(|&place| (part_of[place], std::cmp::Reverse(place)));
        place.map(|place| number * part + place)
    };
    live.chunks(part).enumerate().filter_map(most).collect()
}

#[cfg(test)]
mod tests {
    use ballast_core::device::{Cluster, Link};

    use super::*;

    #[test]
    fn placements_start_on_devices_that_fast_links_join_too() {
        let mut cluster = Cluster::from_count(4).expect("devices");
        let teams = |cluster: &Cluster| Site::new(&[0; 4], &Links::new(cluster), None).teams();
        assert_eq!(teams(&cluster), [vec![0, 1, 2, 3]], "links are alike");
        // Two islands, of which the first has a faster link inside.
        let mut join = |a: usize, b: usize, bandwidth: f64| {
            for (from, to) in [(a, b), (b, a)] {
                cluster.links.push((
                    DeviceId(from),
                    DeviceId(to),
                    Link { bytes_per_second: bandwidth, latency_seconds: 0.0 },
                ));
            }
        };
        join(0, 2, 9e11);
        join(1, 3, 6e11);
        let all: Vec<Vec<usize>> =
            vec![vec![0, 1, 2, 3], vec![0, 2], vec![1, 3], vec![1], vec![3], vec![0], vec![2]];
        assert_eq!(teams(&cluster), all);
    }
}
