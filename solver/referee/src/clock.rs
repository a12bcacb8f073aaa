//! The best memory plan by trying all of them, where copies run beside computation: every sequence of runs, frees and copies, on a clock of whole
//! numbers of its own.

use std::collections::HashMap;

use ballast_core::memory::Problem;

use crate::in_full::{AGAIN, Freedom, IN, OUT};

/// A moment of a schedule; times count from the issuer's clock on, 0 for what is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Moment {
    elapsed: u64,
    /// Ops that ran for the first time.
    ran: u32,
    device: u32,
    host: u32,
    used: u64,
    /// Until a value on the device may be read, until its copy to the host has ended.
    ready: Vec<u64>,
    leaving: Vec<u64>,
    out_busy: u64,
    in_busy: u64,
    /// Bytes that come free later, ascending.
    coming: Vec<(u64, u64)>,
    /// Values below this may not be freed before the next claim: it is what frees are for, and their order is one.
    freed: u32,
    phase: u8,
    /// Least node the phase may still name.
    least: u8,
}

impl Moment {
    fn pass(&mut self, time: u64) {
        self.elapsed += time;
        for wait in self.ready.iter_mut().chain(&mut self.leaving) {
            *wait = wait.saturating_sub(time);
        }
        self.out_busy = self.out_busy.saturating_sub(time);
        self.in_busy = self.in_busy.saturating_sub(time);
        for (wait, _) in &mut self.coming {
            *wait = wait.saturating_sub(time);
        }
        self.used -= self.coming.iter().filter(|(wait, _)| *wait == 0).map(|(_, bytes)| bytes).sum::<u64>();
        self.coming.retain(|(wait, _)| *wait > 0);
    }

    /// Is everything there at least as early, with at least as much memory at any time?
    fn is_no_worse(&self, other: &Self) -> bool {
        let late = |a: u64, b: u64| self.elapsed + a > (other.elapsed + b).max(self.elapsed);
        let waits = |m: &Self| m.ready.iter().chain(&m.leaving).copied().collect::<Vec<_>>();
        let used_at = |m: &Self, time: u64| {
            m.used - m.coming.iter().filter(|(wait, _)| m.elapsed + wait <= time).map(|c| c.1).sum::<u64>()
        };
        let mut drops = other.coming.iter().map(|(wait, _)| other.elapsed + wait);
        self.elapsed <= other.elapsed
            && waits(self).into_iter().zip(waits(other)).all(|(a, b)| !late(a, b))
            && !late(self.out_busy, other.out_busy)
            && !late(self.in_busy, other.in_busy)
            && used_at(self, other.elapsed) <= other.used
            && drops.all(|time| used_at(self, time) <= used_at(other, time))
    }

    /// Waits until so many bytes fit; false if they never do.
    fn claim(&mut self, bytes: u64, cap: u64) -> bool {
        while self.used + bytes > cap {
            let Some(&(wait, _)) = self.coming.first() else { return false };
            self.pass(wait);
        }
        self.used += bytes;
        true
    }
}

/// The host link and the cap, in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Units of time per byte, to the host and back.
    pub slow: (u64, u64),
    /// Units of time per copy.
    pub latency: u64,
}

/// What moments that can be compared have in common: values that ran, on the device, on the host, freed up to; phase and least node.
type Key = (u32, u32, u32, u32, u8, u8);

struct Search<'a> {
    problem: &'a Problem,
    link: Link,
    cap: u64,
    freedom: Freedom,
    times: Vec<u64>,
}

/// The least time of any schedule under the cap, if it is at most `limit`: moments in order of the earliest end they allow. Times
/// of nodes are whole numbers.
#[must_use]
pub fn least(problem: &Problem, link: Link, cap: u64, freedom: Freedom, limit: u64) -> Option<u64> {
    let times = problem.nodes.iter().map(|node| node.time as u64).collect();
    Search { problem, link, cap: cap.checked_sub(problem.resident_bytes)?, freedom, times }.least(limit)
}

impl Search<'_> {
    fn least(&self, limit: u64) -> Option<u64> {
        let n = self.times.len();
        let mut seen: HashMap<Key, Vec<Moment>> = HashMap::new();
        let mut open = vec![Vec::new(); limit as usize + 1];
        let start = Moment { ready: vec![0; n], leaving: vec![0; n], ..Moment::default() };
        open.get_mut(self.rest(0) as usize)?.push(start);
        for least in 0..open.len() {
            while let Some(moment) = open[least].pop() {
                let kept = (0..n).all(|v| !self.problem.nodes[v].keep || moment.device >> v & 1 == 1);
                if moment.ran.count_ones() as usize == n && kept {
                    return Some(least as u64);
                }
                for next in self.after(&moment) {
                    let end = next.elapsed + self.rest(next.ran).max(next.out_busy).max(next.in_busy);
                    let key = (next.ran, next.device, next.host, next.freed, next.phase, next.least);
                    let known = seen.entry(key).or_default();
                    if end <= limit && !known.iter().any(|other| other.is_no_worse(&next)) {
                        known.retain(|other| !next.is_no_worse(other));
                        known.push(next.clone());
                        open[end as usize].push(next);
                    }
                }
            }
        }
        None
    }

    /// Time of the first runs still to come.
    fn rest(&self, ran: u32) -> u64 {
        (0..self.times.len()).filter(|v| ran >> v & 1 == 0).map(|v| self.times[v]).sum()
    }

    fn may(&self, moment: &Moment, phase: u8, v: usize) -> bool {
        self.freedom.rounds || moment.phase < phase || moment.phase == phase && moment.least as usize <= v
    }

    fn passes(&self, next: &mut Moment, phase: u8, v: usize) {
        if !self.freedom.rounds {
            (next.phase, next.least) = (phase, v as u8 + 1);
        }
    }

    fn after(&self, moment: &Moment) -> Vec<Moment> {
        let nodes = &self.problem.nodes;
        let mut all = Vec::new();
        let first_unrun = moment.ran.trailing_ones() as usize;
        for (v, node) in nodes.iter().enumerate() {
            let (here, there) = (moment.device >> v & 1 == 1, moment.host >> v & 1 == 1);
            let ran = moment.ran >> v & 1 == 1;
            if here && moment.freed <= v as u32 {
                let mut next = moment.clone();
                next.freed = v as u32 + 1;
                next.device &= !(1 << v);
                let wait = moment.ready[v].max(moment.leaving[v]);
                if wait == 0 {
                    next.used -= node.bytes;
                } else {
                    next.coming.push((wait, node.bytes));
                    next.coming.sort_unstable();
                }
                next.ready[v] = 0;
                all.push(next);
            }
            let swaps = node.swappable && !node.pinned;
            if here {
                if swaps && !there && moment.freed == 0 && self.may(moment, OUT, v) {
                    let mut next = moment.clone();
                    next.out_busy =
                        next.out_busy.max(next.ready[v]) + self.link.slow.0 * node.bytes + self.link.latency;
                    next.leaving[v] = next.out_busy;
                    next.host |= 1 << v;
                    self.passes(&mut next, OUT, v);
                    all.push(next);
                }
                continue;
            }
            let mut next = moment.clone();
            next.freed = 0;
            if there && self.may(moment, IN, v) && next.claim(node.bytes, self.cap) {
                next.in_busy =
                    next.in_busy.max(next.leaving[v]) + self.link.slow.1 * node.bytes + self.link.latency;
                next.ready[v] = next.in_busy;
                next.device |= 1 << v;
                self.passes(&mut next, IN, v);
                all.push(next);
            }
            let may = match ran {
                true => node.recomputable && !node.pinned && self.may(moment, AGAIN, v),
                false => self.freedom.order || v == first_unrun,
            };
            if may && node.inputs.iter().all(|&u| moment.device >> u.0 & 1 == 1) {
                let mut next = moment.clone();
                next.freed = 0;
                next.pass(node.inputs.iter().map(|&u| moment.ready[u]).max().unwrap_or(0));
                if next.claim(node.bytes + node.workspace_bytes, self.cap) {
                    next.device |= 1 << v;
                    next.pass(self.times[v]);
                    next.used -= node.workspace_bytes;
                    if ran {
                        self.passes(&mut next, AGAIN, v);
                    } else {
                        next.ran |= 1 << v;
                        (next.phase, next.least) = (OUT, 0);
                    }
                    all.push(next);
                }
            }
        }
        all
    }
}
