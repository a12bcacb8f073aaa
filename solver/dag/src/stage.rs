//! Enumerates the stages that may follow an ideal, each once, with their loads kept up step by step.
//!
//! From an ideal `J` a depth-first search adds groups whose predecessors are in. Candidates stand in one list;
//! passing over a candidate excludes it, and all that waits for it, from the whole subtree, so every set is met
//! once. A tensor with one end inside the stage and one end in `J` or excluded is paid by every stage of the
//! subtree: run time plus these is the bound that prunes. Groups that float (see [`super::floaters`]) are not
//! part of the walk; their ends of nets count as outside once a stage has taken them.

use crate::floaters::{Held, Mask};
use crate::hypergraph::Hypergraph;
use crate::sum::Sum;

/// What the enumeration reports for a stage; the answer may lower the threshold.
pub(crate) struct Visit<'a> {
    /// Load and bytes of the stage, and what ties floaters to it.
    pub(crate) held: Held<'a>,
    /// Priced work of the stage.
    pub(crate) work: f64,
    /// The ideal after the stage, as bits.
    pub(crate) bits: &'a [u64],
    /// Zobrist hash of `bits`.
    pub(crate) hash: u64,
    /// Number of groups in the stage.
    pub(crate) groups: usize,
}

/// Limits of one enumeration.
#[derive(Clone, Copy)]
pub(crate) struct StageLimits {
    pub(crate) kind: usize,
    /// Stages must stay strictly below.
    pub(crate) threshold: f64,
    /// Priced work that later stages can take at most; what is excluded must fit there.
    pub(crate) work_after: f64,
}

struct Frame {
    /// Next candidate to look at.
    next: usize,
    /// Length of the candidate list when the frame was opened, to cut it back to.
    candidates: usize,
    /// Length of the exclusion trail when the frame was opened.
    trail: usize,
    /// The group whose inclusion opened the frame.
    group: u32,
    /// The sums before that inclusion: restored, not subtracted back, so that rounding never adds up.
    sums: Sums,
}

/// The sums that belong to the stage as it stands.
#[derive(Clone, Copy, Default)]
struct Sums {
    time: f64,
    /// Cost of nets with an end inside and one outside for good.
    certain: f64,
    /// Cost of nets with an end inside and one not (yet) inside.
    crossing: Sum,
    bytes: f64,
    work: f64,
    /// Priced work of what is excluded.
    dead_work: f64,
    /// Floaters on the nets with an end inside.
    tied: Mask,
}

/// Scratch memory of the enumeration, reused over all ideals.
pub(crate) struct StageWalk<'a> {
    graph: &'a Hypergraph,
    work: &'a [f64],
    keys: &'a [u64],
    /// Floaters of every net.
    floaters: &'a [Mask],
    /// Floaters that earlier stages took.
    used: Mask,
    work_left: f64,
    /// Predecessors neither in the ideal nor in the stage.
    waiting: Vec<u32>,
    dead: Vec<bool>,
    /// Ends of a net in the stage, and outside of it for good.
    inside: Vec<u32>,
    outside: Vec<u32>,
    /// Ends of a net in the walk plus its floating ends that earlier stages took.
    whole: Vec<u32>,
    bits: Vec<u64>,
    hash: u64,
    candidates: Vec<u32>,
    frames: Vec<Frame>,
    trail: Vec<u32>,
    sums: Sums,
    pub(crate) steps: u64,
}

impl<'a> StageWalk<'a> {
    pub(crate) fn new(graph: &'a Hypergraph, work: &'a [f64], keys: &'a [u64], floaters: &'a [Mask]) -> Self {
        StageWalk {
            graph,
            work,
            keys,
            floaters,
            used: 0,
            work_left: 0.0,
            waiting: vec![0; graph.len()],
            dead: vec![false; graph.len()],
            inside: vec![0; graph.net_cost.len()],
            outside: vec![0; graph.net_cost.len()],
            whole: vec![0; graph.net_cost.len()],
            bits: Vec::new(),
            hash: 0,
            candidates: Vec::new(),
            frames: Vec::new(),
            trail: Vec::new(),
            sums: Sums::default(),
            steps: 0,
        }
    }

    /// Priced work outside the ideal of [`StageWalk::start`].
    pub(crate) fn work_left(&self) -> f64 {
        self.work_left
    }

    /// Prepares the enumeration of stages after the ideal `bits`; `used` are floaters that earlier stages took
    /// and `taken` their nets, once per end.
    pub(crate) fn start(&mut self, bits: &[u64], used: Mask, taken: impl Iterator<Item = u32>) {
        self.used = used;
        self.work_left = 0.0;
        self.bits = bits.to_vec();
        self.outside.fill(0);
        for (net, whole) in self.whole.iter_mut().enumerate() {
            *whole = self.graph.pins.of(net).len() as u32;
        }
        for net in taken {
            self.outside[net as usize] += 1;
            self.whole[net as usize] += 1;
        }
        self.inside.fill(0);
        self.dead.fill(false);
        self.candidates.clear();
        self.hash = 0;
        let inside = |g: usize| bits[g / 64] >> (g % 64) & 1 == 1;
        for g in 0..self.graph.len() {
            if inside(g) {
                self.hash ^= self.keys[g];
                for &net in self.graph.nets.of(g) {
                    self.outside[net as usize] += 1;
                }
                continue;
            }
            self.work_left += self.work[g];
            let waiting = self.graph.predecessors.of(g).iter().filter(|&&p| !inside(p as usize)).count();
            self.waiting[g] = waiting as u32;
            if waiting == 0 {
                self.candidates.push(g as u32);
            }
        }
        self.sums = Sums::default();
    }

    /// Enumerates; `visit` gets every stage below the threshold and returns the threshold to go on with, or
    /// none to stop. The walk is back at the ideal of [`StageWalk::start`] afterwards unless it was stopped.
    pub(crate) fn run(
        &mut self,
        limits: StageLimits,
        mut visit: impl FnMut(&Visit<'_>) -> Option<f64>,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> bool {
        let StageLimits { kind, mut threshold, work_after } = limits;
        let factor = self.graph.kinds[kind].transfer_factor;
        let cap = self.graph.kinds[kind].memory_bytes;
        self.frames.push(Frame {
            next: 0,
            candidates: self.candidates.len(),
            trail: 0,
            group: u32::MAX,
            sums: self.sums,
        });
        while let Some(frame) = self.frames.last_mut() {
            if frame.next >= self.candidates.len() || self.sums.dead_work > work_after {
                self.leave(factor, threshold);
                continue;
            }
            let group = self.candidates[frame.next];
            frame.next += 1;
            let next = frame.next;
            self.steps += 1;
            if self.steps.is_multiple_of(4096) && !go_on(self.steps) {
                return self.give_up();
            }
            if self.graph.time(group as usize, kind).is_infinite()
                || self.sums.bytes + self.graph.size_bytes[group as usize] > cap
            {
                self.leave_out(group, factor, threshold);
                continue;
            }
            let candidates = self.candidates.len();
            let (trail, sums) = (self.trail.len(), self.sums);
            self.put_in(group, kind);
            self.frames.push(Frame { next, candidates, trail, group, sums });
            if self.sums.time + factor * self.sums.certain >= threshold {
                self.frames.last_mut().expect("just pushed").next = usize::MAX;
                continue;
            }
            if self.sums.time + factor * self.sums.crossing.value() < threshold {
                let held = Held {
                    time: self.sums.time,
                    crossing: self.sums.crossing,
                    bytes: self.sums.bytes,
                    inside: &self.inside,
                    whole: &self.whole,
                    tied: self.sums.tied & !self.used,
                    used: self.used,
                };
                let seen = Visit {
                    held,
                    work: self.sums.work,
                    bits: &self.bits,
                    hash: self.hash,
                    groups: self.frames.len() - 1,
                };
                match visit(&seen) {
                    Some(lowered) => threshold = lowered,
                    None => return self.give_up(),
                }
            }
        }
        true
    }

    /// Ends the subtree of the last frame: its group leaves, and the sibling subtrees do without it.
    fn leave(&mut self, factor: f64, threshold: f64) {
        let Some(Frame { trail, candidates, group, sums, .. }) = self.frames.pop() else { return };
        while self.trail.len() > trail {
            self.revive();
        }
        let is_root = group == u32::MAX;
        if !is_root {
            self.candidates.truncate(candidates);
            self.take_out(group);
        }
        self.sums = sums;
        if !is_root {
            self.leave_out(group, factor, threshold);
        }
    }

    /// The subtrees that are left do without a group; none is left where what is certain already reaches the threshold.
    fn leave_out(&mut self, group: u32, factor: f64, threshold: f64) {
        self.exclude(group);
        if self.sums.time + factor * self.sums.certain >= threshold
            && let Some(parent) = self.frames.last_mut()
        {
            parent.next = usize::MAX;
        }
    }

    fn give_up(&mut self) -> bool {
        self.frames.clear();
        self.trail.clear();
        false
    }

    fn put_in(&mut self, group: u32, kind: usize) {
        let g = group as usize;
        self.bits[g / 64] |= 1 << (g % 64);
        self.hash ^= self.keys[g];
        self.sums.time += self.graph.time(g, kind);
        self.sums.bytes += self.graph.size_bytes[g];
        self.sums.work += self.work[g];
        for &net in self.graph.nets.of(g) {
            let net = net as usize;
            let cost = self.graph.net_cost[net];
            if self.inside[net] == 0 {
                self.sums.crossing += cost;
                self.sums.tied |= self.floaters[net];
                if self.outside[net] > 0 {
                    self.sums.certain += cost;
                }
            }
            self.inside[net] += 1;
            if self.inside[net] == self.whole[net] {
                self.sums.crossing -= cost;
            }
        }
        for &to in self.graph.successors.of(g) {
            self.waiting[to as usize] -= 1;
            if self.waiting[to as usize] == 0 {
                self.candidates.push(to);
            }
        }
    }

    fn take_out(&mut self, group: u32) {
        let g = group as usize;
        self.bits[g / 64] &= !(1 << (g % 64));
        self.hash ^= self.keys[g];
        for &net in self.graph.nets.of(g) {
            self.inside[net as usize] -= 1;
        }
        for &to in self.graph.successors.of(g) {
            self.waiting[to as usize] += 1;
        }
    }

    /// Excludes a group and all that waits for it.
    fn exclude(&mut self, group: u32) {
        if self.dead[group as usize] {
            return;
        }
        let mut at = self.trail.len();
        self.dead[group as usize] = true;
        self.trail.push(group);
        while at < self.trail.len() {
            let g = self.trail[at] as usize;
            at += 1;
            self.sums.dead_work += self.work[g];
            for &net in self.graph.nets.of(g) {
                let net = net as usize;
                if self.outside[net] == 0 && self.inside[net] > 0 {
                    self.sums.certain += self.graph.net_cost[net];
                }
                self.outside[net] += 1;
            }
            for &to in self.graph.successors.of(g) {
                if !self.dead[to as usize] {
                    self.dead[to as usize] = true;
                    self.trail.push(to);
                }
            }
        }
    }

    /// Undoes the last exclusion of the trail, but for the sums.
    fn revive(&mut self) {
        let Some(group) = self.trail.pop() else { return };
        self.dead[group as usize] = false;
        for &net in self.graph.nets.of(group as usize) {
            self.outside[net as usize] -= 1;
        }
    }
}
