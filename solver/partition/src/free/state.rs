//! A placement of all groups with the load and the bytes of every device, kept up while groups move.

use std::cell::RefCell;

use super::board::{AFTER, BEFORE, Board, GroupId, MOMENTS, Site};
use super::least::Needed;
use super::timeline::Timelines;
use crate::relief::{Lost, Placed, Scratch};
use crate::squeeze::{Missing, Room, over};

/// A placement.
#[derive(Clone)]
pub(super) struct State<'a> {
    board: &'a Board,
    site: &'a Site,
    place: Vec<u32>,
    /// `ends[net * devices + device]`.
    ends: Vec<u32>,
    /// Devices a net has ends on.
    spread: Vec<u32>,
    load: Vec<f64>,
    /// `[hold * devices + device]`: groups that need it before and after its moment.
    before: Vec<u32>,
    after: Vec<u32>,
    /// What a device holds throughout, and at every moment besides.
    resident: Vec<f64>,
    live: Vec<[f64; MOMENTS]>,
    /// The same while each item runs, where groups are single items: then moments do not count, and holds that are not resident.
    timelines: Option<Timelines>,
    counted_holds: usize,
    /// Buffers of estimates of what values cost to do without.
    scratch: RefCell<Scratch>,
    /// What no plan of a device can do without; nothing where no cap can bind.
    needed: Vec<Needed>,
}

/// What a device counts as slower by where no plan keeps its cap, as a share of the loads it is compared with: at all, and for as much again as the cap.
/// A little over the cap is little at high temperatures, so that a search gets across.
const IMPOSSIBLE: f64 = 0.15;
const IMPOSSIBLE_SHARE: f64 = 8.0;

/// A device with its memory priced in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    /// Its load with what it holds above its cap priced in.
    pub(super) seconds: f64,
    /// By what share the least it needs is over its cap: 0 where a plan may keep it.
    pub(super) over: f64,
    /// About what a byte less would save it, seconds; infinite where that is not known.
    pub(super) per_byte: f64,
}

impl Pressed {
    /// About the least its seconds come to when it holds so many bytes less.
    pub(super) fn less(self, freed: f64) -> f64 {
        match self.per_byte.is_finite() {
            true => self.seconds - FREED * freed * self.per_byte,
            false => f64::NEG_INFINITY,
        }
    }

    /// The energy of the device where loads are compared with this one: smooth, and led by the largest loads the more the larger the power is. What cannot be
    /// kept adds to it by the share it is over alone: a power of that would leave no move by which anything else changes.
    pub(super) fn energy(self, scale_seconds: f64, power: i32) -> f64 {
        (self.seconds / scale_seconds).powi(power) + f64::from(power) * self.impossible()
    }

    /// By what share of the load it is compared with the device counts as slower where no plan can bring it under its cap.
    fn impossible(self) -> f64 {
        if self.over > 0.0 { IMPOSSIBLE + IMPOSSIBLE_SHARE * self.over } else { 0.0 }
    }

    /// What the device counts for, over the load it is compared with.
    pub(super) fn counted(self, scale_seconds: f64) -> f64 {
        self.seconds / scale_seconds + self.impossible()
    }
}

/// What a placement is worth: is no cap out of reach, the slowest device, and what it counts as where caps are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// Smaller is better.
    pub(super) value: f64,
    /// The slowest device, memory priced in where a plan may keep its cap: what loads are to be compared with.
    pub(super) seconds: f64,
    /// Is a cap out of reach?
    pub(super) raises_a_cap: bool,
}

/// Bytes that are freed may be so at several of the fullest moments.
const FREED: f64 = 2.0;

/// A placement with a cap out of reach is worse than any without.
const OUT_OF_REACH: f64 = 1e6;

impl Worth {
    /// Of the load and what memory makes of it on every device.
    pub(super) fn of(devices: impl Iterator<Item = (f64, Pressed)>) -> Self {
        let (mut seconds, mut slowest) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
        let missing = Missing::of(devices.map(|(load, pressed)| {
            seconds = seconds.max(if pressed.over > 0.0 { load } else { pressed.seconds });
            slowest = slowest.max(pressed.seconds);
            pressed.over
        }));
        let missing = missing.factor();
        let raises_a_cap = missing > 1.0;
        let value = if raises_a_cap { OUT_OF_REACH * missing * slowest } else { slowest };
        Worth { value, seconds, raises_a_cap }
    }
}

impl<'a> State<'a> {
    /// Counts up a placement.
    pub(super) fn new(board: &'a Board, site: &'a Site, placement: &[u32]) -> Self {
        let devices = site.devices;
        let mut state = State {
            board,
            site,
            place: placement.to_vec(),
            ends: vec![0; board.nets.len() * devices],
            spread: vec![0; board.nets.len()],
            load: vec![0.0; devices],
            before: vec![0; board.hold_bytes.len() * devices],
            after: vec![0; board.hold_bytes.len() * devices],
            resident: vec![0.0; devices],
            live: vec![[0.0; MOMENTS]; devices],
            timelines: board
                .lifetimes
                .as_ref()
                .map(|lifetimes| Timelines::new(lifetimes, devices, placement)),
            counted_holds: if board.lifetimes.is_some() { board.resident } else { board.hold_bytes.len() },
            scratch: RefCell::default(),
            needed: vec![Needed::default(); if site.caps.is_some() { devices } else { 0 }],
        };
        for net in 0..board.nets.len() {
            for &group in board.ends.of(net) {
                state.ends[net * devices + placement[group as usize] as usize] += 1;
            }
            let counts = &state.ends[net * devices..(net + 1) * devices];
            state.spread[net] = counts.iter().filter(|&&count| count > 0).count() as u32;
        }
        for (group, &device) in placement.iter().enumerate() {
            for &entry in board.holds_of.of(group) {
                let at = (entry / 4) as usize * devices + device as usize;
                state.before[at] += u32::from(entry & BEFORE != 0);
                state.after[at] += u32::from(entry & AFTER != 0);
            }
            if let Some(needed) = state.needed.get_mut(device as usize) {
                needed.add(&board.needs, group);
            }
        }
        for hold in 0..board.resident {
            for device in (0..devices).filter(|&device| state.holds(hold, device)).collect::<Vec<_>>() {
                state.needed[device].hold(board.hold_bytes[hold]);
            }
        }
        state.recount();
        state
    }

    /// Sums loads and bytes anew, which clears the rounding that moves leave behind.
    pub(super) fn recount(&mut self) {
        let devices = self.site.devices;
        self.load.fill(0.0);
        self.resident.fill(0.0);
        self.live.fill([0.0; MOMENTS]);
        for group in 0..self.board.groups {
            let device = self.device_of(group);
            self.load[device] += self.seconds(group, device);
        }
        for net in 0..self.board.nets.len() {
            self.charge(net, 1.0);
        }
        for (hold, &bytes) in self.board.hold_bytes.iter().enumerate().take(self.counted_holds) {
            for device in 0..devices {
                if self.holds(hold, device) {
                    match hold < self.board.resident {
                        true => self.resident[device] += bytes,
                        false => {
                            let span = self.board.moments_of[hold].moments();
                            self.live[device][span].iter_mut().for_each(|live| *live += bytes);
                        }
                    }
                }
            }
        }
    }

    fn holds(&self, hold: usize, device: usize) -> bool {
        let at = hold * self.site.devices + device;
        self.before[at] > 0 && self.after[at] > 0
    }

    fn seconds(&self, group: GroupId, device: usize) -> f64 {
        self.board.seconds[group * self.board.rows + self.site.row_of[device]]
    }

    /// Adds (or with -1 takes back) the transfers of a net.
    fn charge(&mut self, net: usize, sign: f64) {
        if self.spread[net] < 2 {
            return;
        }
        let devices = self.site.devices;
        let counts = &self.ends[net * devices..(net + 1) * devices];
        if self.site.uniform {
            let seconds = sign * self.board.net_seconds[net];
            for (load, _) in self.load.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
                *load += seconds;
            }
            return;
        }
        let values = &self.board.nets[net];
        let maker = self.place[values.writer as usize] as usize;
        let mut slowest = 0.0f64;
        for device in (0..devices).filter(|&device| device != maker && counts[device] > 0) {
            let seconds = self.site.seconds(maker, device, values);
            slowest = slowest.max(seconds);
            self.load[device] += sign * seconds;
        }
        self.load[maker] += sign * slowest;
    }

    pub(super) fn board(&self) -> &'a Board {
        self.board
    }

    pub(super) fn devices(&self) -> usize {
        self.site.devices
    }

    pub(super) fn device_of(&self, group: GroupId) -> usize {
        self.place[group] as usize
    }

    pub(super) fn placement(&self) -> &[u32] {
        &self.place
    }

    pub(super) fn loads(&self) -> &[f64] {
        &self.load
    }

    /// What a device holds at the fullest of the moments, bytes.
    pub(super) fn held(&self, device: usize) -> f64 {
        self.held_with(device, 0.0, &[0.0; MOMENTS])
    }

    /// The same with so much more.
    fn held_with(&self, device: usize, resident: f64, live: &[f64; MOMENTS]) -> f64 {
        if let Some(timelines) = &self.timelines {
            return self.resident[device] + resident + timelines.most(device);
        }
        let sums = self.live[device].iter().zip(live).map(|(live, more)| live + more);
        self.resident[device] + resident + sums.fold(0.0, f64::max)
    }

    /// The least bytes any plan of a device needs; 0 where no cap can bind.
    fn least(&self, device: usize) -> f64 {
        self.needed.get(device).map_or(0.0, |needed| needed.bytes(&self.board.needs))
    }

    /// `lost`: what the device loses to keep its cap, where that is estimated.
    fn pressed(&self, device: usize, load: f64, (held, least): (f64, f64), lost: Option<Lost>) -> Pressed {
        match &self.site.caps {
            Some(caps) => {
                let held = held + caps.unseen[device];
                let over = over(least, caps.cap[device], caps.most[device]);
                let factor = caps.factor[device];
                // Where caps must be raised, nothing is lost to keep one that is, and little below what it may be raised to. Where all may be kept, that
                // would draw a search to placements that keep none.
                let is_free = over > 0.0 && caps.some_raised;
                let cap = if is_free { caps.most[device].max(least) } else { caps.cap[device] };
                let room = Room { held, least, cap };
                let (seconds, per_byte) = match lost {
                    Some(lost) if over == 0.0 => {
                        (load + factor * room.lost(lost), factor * room.edge() * lost.dearest)
                    }
                    _ => (room.pressed(load, caps.rate[device]), f64::INFINITY),
                };
                Pressed { seconds, over, per_byte }
            }
            None => Pressed { seconds: load, over: 0.0, per_byte: 0.0 },
        }
    }

    /// What a device loses that holds so much, resident and at most.
    fn lost(&self, device: usize, resident: f64, held: f64) -> Option<Lost> {
        let (caps, reliefs) = (self.site.caps.as_ref()?, self.board.reliefs.as_ref()?);
        let lifetimes = self.board.lifetimes.as_ref()?;
        let room = caps.cap[device] - caps.unseen[device];
        if held <= room {
            return Some(Lost::default());
        }
        let placed = Placed { lifetimes, device_of: &self.place, device };
        Some(reliefs.lost(&placed, room - resident, &mut self.scratch.borrow_mut()))
    }

    /// What the placement is worth.
    pub(super) fn worth(&self) -> Worth {
        Worth::of((0..self.site.devices).map(|device| (self.load[device], self.pressed_now(device))))
    }

    /// What moving a group adds to loads and bytes of its device and of `to`, where links are alike.
    pub(super) fn change(&mut self, group: GroupId, to: usize) -> Change {
        let mut change = self.added(group, to);
        self.hold_exactly(group, to, &mut change);
        for arrives in [true, false] {
            self.lose(group, to, &mut change, arrives);
        }
        change
    }

    /// Makes what both devices of a move would hold exact.
    pub(super) fn hold_exactly(&mut self, group: GroupId, to: usize, change: &mut Change) {
        let from = self.device_of(group);
        if let (Some(timelines), Some(lifetimes)) = (&mut self.timelines, &self.board.lifetimes) {
            let (on_from, on_to) = timelines.after(lifetimes, group, to as u32);
            change.held_from = self.resident[from] + change.resident_from + on_from;
            change.held_to = self.resident[to] + change.resident_to + on_to;
        }
    }

    /// Estimates what the device that a move goes to, or the one it comes from, loses after it.
    pub(super) fn lose(&mut self, group: GroupId, to: usize, change: &mut Change, arrives: bool) {
        let from = self.device_of(group);
        self.place[group] = to as u32;
        match arrives {
            true => change.lost.1 = self.lost(to, self.resident[to] + change.resident_to, change.held_to),
            false => {
                change.lost.0 = self.lost(from, self.resident[from] + change.resident_from, change.held_from)
            }
        }
        self.place[group] = from as u32;
    }

    /// Is it known what devices hold while each item runs? That takes longer to find out than what a move adds to loads.
    pub(super) fn exact(&self) -> bool {
        self.timelines.is_some()
    }

    /// The same as [`State::change`], where that is exact with the least that both devices may hold after it alone: cheap to find out.
    pub(super) fn added(&self, group: GroupId, to: usize) -> Change {
        let from = self.device_of(group);
        let devices = self.site.devices;
        let (mut on_from, mut on_to) = (-self.seconds(group, from), self.seconds(group, to));
        for &net in self.board.nets_of.of(group) {
            let net = net as usize;
            let seconds = self.board.net_seconds[net];
            let leaves = self.ends[net * devices + from] == 1;
            let arrives = self.ends[net * devices + to] == 0;
            match (self.spread[net], leaves, arrives) {
                (1, true, _) => {}
                (1, false, _) => {
                    on_from += seconds;
                    on_to += seconds;
                }
                (spread, leaves, arrives) => {
                    if leaves {
                        on_from -= seconds;
                    }
                    if arrives {
                        on_to += seconds;
                    } else if leaves && spread == 2 {
                        on_to -= seconds;
                    }
                }
            }
        }
        let (mut resident_from, mut resident_to) = (0.0, 0.0);
        let (mut live_from, mut live_to) = ([0.0; MOMENTS], [0.0; MOMENTS]);
        for &entry in self.board.holds_of.of(group) {
            let hold = (entry / 4) as usize;
            if hold >= self.counted_holds {
                break;
            }
            let (bytes, span) = (self.board.hold_bytes[hold], self.board.moments_of[hold].moments());
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            let at =
                |device: usize| (self.before[hold * devices + device], self.after[hold * devices + device]);
            let (before, after) = at(from);
            if before > 0 && after > 0 && (before == early || after == late) {
                match hold < self.board.resident {
                    true => resident_from -= bytes,
                    false => live_from[span.clone()].iter_mut().for_each(|live| *live -= bytes),
                }
            }
            let (before, after) = at(to);
            if !(before > 0 && after > 0) && before + early > 0 && after + late > 0 {
                match hold < self.board.resident {
                    true => resident_to += bytes,
                    false => live_to[span].iter_mut().for_each(|live| *live += bytes),
                }
            }
        }
        let mut change = Change {
            on_from,
            on_to,
            resident_from,
            resident_to,
            live_from,
            live_to,
            held_from: 0.0,
            held_to: 0.0,
            lost: self.no_loss(),
        };
        let gone = self.board.lifetimes.as_ref().map_or(0.0, |lifetimes| lifetimes.bytes_of(group));
        change.held_from = self.held_with(from, resident_from, &live_from) - gone;
        change.held_to = self.held_with(to, resident_to, &live_to);
        change
    }

    /// Both devices of a move after it, with what they hold priced in, where links are alike.
    pub(super) fn pressed_after(&self, group: GroupId, to: usize, change: &Change) -> (Pressed, Pressed) {
        let from = self.device_of(group);
        let (least_from, least_to) = match self.needed.is_empty() {
            true => (0.0, 0.0),
            false => (
                self.needed[from].without(&self.board.needs, group, change.resident_from),
                self.needed[to].with(&self.board.needs, group, change.resident_to),
            ),
        };
        let (on_from, on_to) = (self.load[from] + change.on_from, self.load[to] + change.on_to);
        (
            self.pressed(from, on_from, (change.held_from, least_from), change.lost.0),
            self.pressed(to, on_to, (change.held_to, least_to), change.lost.1),
        )
    }

    /// How much more is held over the caps after a move, as a share of them: from -1 to 1.
    pub(super) fn more_over(&self, from: usize, to: usize, change: &Change) -> f32 {
        let Some(caps) = &self.site.caps else { return 0.0 };
        let over = |device: usize, held: f64| {
            ((held + caps.unseen[device]) / caps.cap[device].max(1.0) - 1.0).max(0.0)
        };
        let on = |device: usize, held: f64| over(device, held) - over(device, self.held(device));
        let more = on(from, change.held_from) + on(to, change.held_to);
        more.clamp(-1.0, 1.0) as f32
    }

    /// The load of a device as it is, with what it holds priced in.
    pub(super) fn pressed_now(&self, device: usize) -> Pressed {
        let held = self.held(device);
        let lost = self.lost(device, self.resident[device], held);
        self.pressed(device, self.load[device], (held, self.least(device)), lost)
    }

    /// What both devices of a move lose at least, where that is estimated.
    fn no_loss(&self) -> (Option<Lost>, Option<Lost>) {
        let none = self.board.reliefs.as_ref().map(|_| Lost::default());
        (none, none)
    }

    /// Moves a group to another device.
    pub(super) fn relocate(&mut self, group: GroupId, to: usize) {
        self.relocate_but_timelines(group, to);
        self.settle(group);
    }

    /// Brings what is known of what devices hold up to where a group is.
    pub(super) fn settle(&mut self, group: GroupId) {
        if let (Some(timelines), Some(lifetimes)) = (&mut self.timelines, &self.board.lifetimes) {
            timelines.shift(lifetimes, group, self.place[group]);
        }
    }

    /// About the least a device counts for that counted for so much at a load, and holds so many bytes less now.
    pub(super) fn about_least(&self, device: usize, (before, load): (Pressed, f64), freed: f64) -> Pressed {
        let least = self.least_pressed(device);
        let more = self.load[device] - load;
        Pressed { seconds: least.seconds.max(before.less(freed) + more), ..least }
    }

    /// Bytes that a group needs.
    pub(super) fn bytes_of(&self, group: GroupId) -> f64 {
        self.board.lifetimes.as_ref().map_or(0.0, |lifetimes| lifetimes.bytes_of(group))
    }

    /// The least a device counts for, whatever it holds.
    pub(super) fn least_pressed(&self, device: usize) -> Pressed {
        let least = (f64::NEG_INFINITY, self.least(device));
        self.pressed(device, self.load[device], least, self.no_loss().0)
    }

    /// Moves a group; what devices hold while each item runs is not known until it is settled or back.
    pub(super) fn relocate_but_timelines(&mut self, group: GroupId, to: usize) {
        let from = self.device_of(group);
        if from == to {
            return;
        }
        let devices = self.site.devices;
        let board = self.board;
        let change = self.added(group, to);
        self.resident[from] += change.resident_from;
        self.resident[to] += change.resident_to;
        if self.timelines.is_none() {
            for moment in 0..MOMENTS {
                self.live[from][moment] += change.live_from[moment];
                self.live[to][moment] += change.live_to[moment];
            }
        }
        if !self.needed.is_empty() {
            self.needed[from].hold(change.resident_from);
            self.needed[from].remove(&board.needs, group);
            self.needed[to].hold(change.resident_to);
            self.needed[to].add(&board.needs, group);
        }
        if self.site.uniform {
            self.load[from] += change.on_from;
            self.load[to] += change.on_to;
        } else {
            self.load[from] -= self.seconds(group, from);
            self.load[to] += self.seconds(group, to);
            for &net in board.nets_of.of(group) {
                self.charge(net as usize, -1.0);
            }
        }
        for &net in board.nets_of.of(group) {
            let net = net as usize;
            let counts = &mut self.ends[net * devices..(net + 1) * devices];
            counts[from] -= 1;
            self.spread[net] -= u32::from(counts[from] == 0);
            self.spread[net] += u32::from(counts[to] == 0);
            counts[to] += 1;
        }
        self.place[group] = to as u32;
        if !self.site.uniform {
            for &net in board.nets_of.of(group) {
                self.charge(net as usize, 1.0);
            }
        }
        for &entry in board.holds_of.of(group) {
            let hold = (entry / 4) as usize;
            if hold >= self.counted_holds {
                break;
            }
            let hold = hold * devices;
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            self.before[hold + from] -= early;
            self.before[hold + to] += early;
            self.after[hold + from] -= late;
            self.after[hold + to] += late;
        }
    }

    /// Puts the loads back to what they were before moves that have been taken back; bytes are whole numbers, whose sums are exact.
    pub(super) fn restore(&mut self, load: &[f64]) {
        self.load.copy_from_slice(load);
    }
}

/// What a move of one group adds to its device and to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) on_from: f64,
    pub(super) on_to: f64,
    /// Bytes held from start to end, and at every moment besides.
    pub(super) resident_from: f64,
    pub(super) resident_to: f64,
    pub(super) live_from: [f64; MOMENTS],
    pub(super) live_to: [f64; MOMENTS],
    /// What both hold at most after it.
    pub(super) held_from: f64,
    pub(super) held_to: f64,
    /// What both lose to keep their caps, where that is estimated: at least, or just that.
    lost: (Option<Lost>, Option<Lost>),
}

#[cfg(test)]
mod tests;
