//! A placement of all groups with the load and the bytes of every device, kept up while groups move.

use super::board::{AFTER, BEFORE, Board, GroupId, Site};
use super::least::Needed;
use crate::judge::pressed;

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
    /// `[hold * devices + device]`: groups that need it before and after the moment of the most live bytes.
    before: Vec<u32>,
    after: Vec<u32>,
    held: Vec<f64>,
    /// What no plan of a device can do without; nothing where no cap can bind.
    needed: Vec<Needed>,
}

/// What a device counts as slower by, as a share of its time, where no plan keeps its cap: at all, and for as much again as the cap.
const IMPOSSIBLE: f64 = 1.0;
const IMPOSSIBLE_SHARE: f64 = 8.0;

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
            held: vec![0.0; devices],
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
        self.held.fill(0.0);
        for group in 0..self.board.groups {
            let device = self.device_of(group);
            self.load[device] += self.seconds(group, device);
        }
        for net in 0..self.board.nets.len() {
            self.charge(net, 1.0);
        }
        for (hold, &bytes) in self.board.hold_bytes.iter().enumerate() {
            for device in 0..devices {
                if self.holds(hold, device) {
                    self.held[device] += bytes;
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

    pub(super) fn device_of(&self, group: GroupId) -> usize {
        self.place[group] as usize
    }

    pub(super) fn placement(&self) -> &[u32] {
        &self.place
    }

    pub(super) fn loads(&self) -> &[f64] {
        &self.load
    }

    pub(super) fn held(&self) -> &[f64] {
        &self.held
    }

    /// The least bytes any plan of a device needs; 0 where no cap can bind.
    fn least(&self, device: usize) -> f64 {
        self.needed.get(device).map_or(0.0, |needed| needed.bytes(&self.board.needs))
    }

    /// Load of a device with what it holds above its cap priced in.
    fn pressed(&self, device: usize, load: f64, held: f64, least: f64) -> f64 {
        match &self.site.caps {
            Some(caps) => {
                let over = least / caps.least[device] - 1.0;
                let price = if over > 0.0 { IMPOSSIBLE + IMPOSSIBLE_SHARE * over } else { 0.0 };
                pressed(load, held, caps.paid[device]) * (1.0 + price)
            }
            None => load,
        }
    }

    /// The largest load, memory priced in.
    pub(super) fn value(&self) -> f64 {
        (0..self.site.devices).map(|device| self.pressed_now(device)).fold(0.0, f64::max)
    }

    /// What moving a group adds to loads and bytes of its device and of `to`, where links are alike.
    pub(super) fn change(&self, group: GroupId, to: usize) -> Change {
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
        let (mut held_from, mut held_to, mut resident_from, mut resident_to) = (0.0, 0.0, 0.0, 0.0);
        for &entry in self.board.holds_of.of(group) {
            let hold = (entry / 4) as usize;
            let bytes = self.board.hold_bytes[hold];
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            let at =
                |device: usize| (self.before[hold * devices + device], self.after[hold * devices + device]);
            let (before, after) = at(from);
            if before > 0 && after > 0 && (before == early || after == late) {
                held_from -= bytes;
                resident_from -= if hold < self.board.resident { bytes } else { 0.0 };
            }
            let (before, after) = at(to);
            if !(before > 0 && after > 0) && before + early > 0 && after + late > 0 {
                held_to += bytes;
                resident_to += if hold < self.board.resident { bytes } else { 0.0 };
            }
        }
        Change { on_from, on_to, held_from, held_to, resident_from, resident_to }
    }

    /// Both devices of a move after it, with what they hold priced in, where links are alike.
    pub(super) fn pressed_after(&self, group: GroupId, to: usize, change: &Change) -> (f64, f64) {
        let from = self.device_of(group);
        let (least_from, least_to) = match self.needed.is_empty() {
            true => (0.0, 0.0),
            false => (
                self.needed[from].without(&self.board.needs, group, change.resident_from),
                self.needed[to].with(&self.board.needs, group, change.resident_to),
            ),
        };
        let (load, held) = (&self.load, &self.held);
        let on_from = (load[from] + change.on_from, held[from] + change.held_from);
        let on_to = (load[to] + change.on_to, held[to] + change.held_to);
        (self.pressed(from, on_from.0, on_from.1, least_from), self.pressed(to, on_to.0, on_to.1, least_to))
    }

    /// How much more is held over the caps after a move, as a share of them: from -1 to 1.
    pub(super) fn more_over(&self, from: usize, to: usize, change: &Change) -> f32 {
        let Some(caps) = &self.site.caps else { return 0.0 };
        let over = |device: usize, held: f64| (held / caps.paid[device].max(1.0) - 1.0).max(0.0);
        let on = |device: usize, more: f64| {
            over(device, self.held[device] + more) - over(device, self.held[device])
        };
        (on(from, change.held_from) + on(to, change.held_to)).clamp(-1.0, 1.0) as f32
    }

    /// The load of a device as it is, with what it holds priced in.
    pub(super) fn pressed_now(&self, device: usize) -> f64 {
        self.pressed(device, self.load[device], self.held[device], self.least(device))
    }

    /// Moves a group to another device.
    pub(super) fn relocate(&mut self, group: GroupId, to: usize) {
        let from = self.device_of(group);
        if from == to {
            return;
        }
        let devices = self.site.devices;
        let board = self.board;
        let change = self.change(group, to);
        self.held[from] += change.held_from;
        self.held[to] += change.held_to;
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
            let hold = (entry / 4) as usize * devices;
            let (early, late) = (u32::from(entry & BEFORE != 0), u32::from(entry & AFTER != 0));
            self.before[hold + from] -= early;
            self.before[hold + to] += early;
            self.after[hold + from] -= late;
            self.after[hold + to] += late;
        }
    }

    /// Puts the sums back to what they were before moves that have been taken back.
    pub(super) fn restore(&mut self, load: &[f64], held: &[f64]) {
        self.load.copy_from_slice(load);
        self.held.copy_from_slice(held);
    }
}

/// What a move of one group adds to its device and to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) on_from: f64,
    pub(super) on_to: f64,
    pub(super) held_from: f64,
    pub(super) held_to: f64,
    /// What of it is resident from start to end.
    pub(super) resident_from: f64,
    pub(super) resident_to: f64,
}
