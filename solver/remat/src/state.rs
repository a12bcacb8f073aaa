//! What the judge knows between two steps of a compact plan, for small problems: sets of values as bits, and the moments copies end.
//!
//! [`Rules::next`] gives every state one step further on, timed as by [`ballast_core::memory::replay`]. Values leave only when
//! what is made next needs the room: a free takes effect when the copies of the value have ended, whenever it was issued, so that
//! waiting with it costs nothing. At a claim that has to wait for copies, every moment at which one ends is a choice.

use ballast_core::memory::{NodeId, Problem, SwapModel};

use crate::effort::Effort;
use crate::room::{Room, Set};

/// Most nodes of a problem.
pub(crate) const MOST_STATES_NODES: usize = Set::BITS as usize - 1;

/// A step, apart from those that free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Run(NodeId),
    Again(NodeId),
    Out(NodeId),
    In(NodeId),
}

/// Kinds of steps between two first runs, in the order of a compact plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Out,
    In,
    Again,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) ran: Set,
    pub(crate) device: Set,
    /// Values on the host; where copies out are decided on late, those paid for.
    pub(crate) host: Set,
    /// Values that may be copied out now, where copies run beside computation and the host has room for everything: a copy out that follows
    /// neither the run of its value nor another copy out had better been issued before.
    outs: Set,
    /// Values that may not be copied out again.
    spent: Set,
    /// Values copied in since the last first run and not read yet.
    unread: Set,
    phase: Phase,
    /// Least node the phase may still name.
    least: u8,
    /// When the issuer takes the next step.
    pub(crate) clock: f64,
    copies: Option<Box<Copies>>,
}

/// Moments after the clock, 0 for what is over; none where copies count in full.
#[derive(Clone, Debug)]
struct Copies {
    out_free: f64,
    in_free: f64,
    /// When the value on the device may be read.
    ready: Vec<f64>,
    /// When its copies to the host, and back for the present time, end.
    leave: Vec<f64>,
    /// Moments at which bytes of dropped values come free, ascending.
    device: Vec<(f64, u64)>,
    host: Vec<(f64, u64)>,
}

/// What the rules allow.
pub(crate) struct Rules<'a> {
    pub(crate) problem: &'a Problem,
    swap: Option<SwapModel>,
    /// Bytes for values.
    cap: u64,
    inputs: Vec<Set>,
    readers: Vec<Set>,
    again: Set,
    swappable: Set,
    keep: Set,
    all: Set,
    free_order: bool,
    rounds: bool,
    /// Copies count in full and the host has room for everything: a copy out right after the first run costs what any later one
    /// costs and is in nobody's way, so that it is decided on when the value is copied back.
    late: bool,
    /// Do copies out follow the run of their value or another copy out?
    prompt: bool,
    total_time: f64,
}

fn bit(node: NodeId) -> Set {
    1 << node.0
}

fn nodes(set: Set) -> impl Iterator<Item = NodeId> {
    let left = |set: Set| Some(set).filter(|&set| set != 0);
    std::iter::successors(left(set), move |set| left(set & (set - 1)))
        .map(|set| NodeId(set.trailing_zeros() as usize))
}

impl<'a> Rules<'a> {
    /// None if the problem has too many nodes, or resident bytes above the cap.
    pub(crate) fn new(
        problem: &'a Problem,
        swap: Option<&SwapModel>,
        cap_bytes: u64,
        free_order: bool,
        rounds: bool,
    ) -> Option<Self> {
        let n = problem.nodes.len();
        if n > MOST_STATES_NODES {
            return None;
        }
        let set = |wanted: &dyn Fn(NodeId) -> bool| -> Set {
            NodeId::first(n).filter(|&v| wanted(v)).map(bit).fold(0, |set, bit| set | bit)
        };
        let node = |v: NodeId| &problem.nodes[v];
        let inputs: Vec<Set> = problem
            .nodes
            .iter()
            .map(|node| node.inputs.iter().map(|&u| bit(u)).fold(0, |set, bit| set | bit))
            .collect();
        let readers = NodeId::first(n).map(|v| set(&|w| inputs[w] & bit(v) != 0)).collect();
        let swap = swap.copied();
        Some(Rules {
            problem,
            swap,
            cap: cap_bytes.checked_sub(problem.resident_bytes)?,
            inputs,
            readers,
            again: set(&|v| node(v).recomputable && !node(v).pinned),
            swappable: if swap.is_some() {
                set(&|v| node(v).swappable && !node(v).pinned && node(v).bytes > 0)
            } else {
                0
            },
            keep: set(&|v| node(v).keep),
            all: set(&|_| true),
            free_order,
            rounds,
            late: swap.is_some_and(|swap| !swap.overlap && swap.host_capacity_bytes.is_none()),
            prompt: rounds && swap.is_some_and(|swap| swap.overlap && swap.host_capacity_bytes.is_none()),
            total_time: problem.total_time(),
        })
    }

    /// Are copies out decided on when the value is copied back?
    pub(crate) fn late(&self) -> bool {
        self.late
    }

    fn size(&self, v: NodeId) -> u64 {
        self.problem.nodes[v].bytes
    }

    fn bytes(&self, set: Set) -> u64 {
        nodes(set).map(|v| self.size(v)).sum()
    }

    fn time(&self, v: NodeId) -> f64 {
        self.problem.nodes[v].time
    }

    /// Nothing has run.
    pub(crate) fn start(&self) -> State {
        let n = self.problem.nodes.len();
        let copies = self.swap.filter(|swap| swap.overlap).map(|_| {
            Box::new(Copies {
                out_free: 0.0,
                in_free: 0.0,
                ready: vec![0.0; n],
                leave: vec![0.0; n],
                device: Vec::new(),
                host: Vec::new(),
            })
        });
        State {
            ran: 0,
            device: 0,
            host: 0,
            outs: 0,
            spent: 0,
            unread: 0,
            phase: self.first_phase(),
            least: 0,
            clock: 0.0,
            copies,
        }
    }

    fn first_phase(&self) -> Phase {
        match self.swap {
            None => Phase::Again,
            Some(_) if self.late => Phase::In,
            Some(_) => Phase::Out,
        }
    }

    /// Has everything run, and is there what is to be kept?
    pub(crate) fn done(&self, state: &State) -> bool {
        state.ran == self.all && state.device & self.keep == self.keep
    }

    /// Values that something may still read.
    fn useful(&self, ran: Set) -> Set {
        let mut useful = self.keep & ran;
        for v in NodeId::first(self.problem.nodes.len()).rev().filter(|&v| ran & bit(v) != 0) {
            if self.readers[v] & (!ran | useful & self.again) != 0 {
                useful |= bit(v);
            }
        }
        useful
    }

    /// A lower bound on the end of every plan that goes on from here; none if there is none.
    pub(crate) fn bound(&self, state: &State) -> Option<f64> {
        let (device, ran) = (state.device, state.ran);
        let unrun = self.all & !ran;
        let wanted = |v: NodeId| self.readers[v] & unrun != 0 || self.keep & bit(v) != 0;
        let mut compute = nodes(unrun).map(|v| self.time(v)).sum::<f64>();
        let mut missing: Set = nodes(ran & !device).filter(|&v| wanted(v)).map(bit).fold(0, |a, b| a | b);
        let mut seen = missing;
        let mut copied: Set = 0;
        while missing != 0 {
            let v = NodeId(missing.trailing_zeros() as usize);
            missing &= missing - 1;
            let again = self.again & bit(v) != 0;
            let copy = self.copy_back_time(state, v);
            match copy {
                None if !again => return None,
                Some(_) if !again && state.copies.is_some() => copied |= bit(v),
                Some(_) if again && state.copies.is_some() => {}
                Some(copy) => compute += if again { copy.min(self.time(v)) } else { copy },
                None => {
                    compute += self.time(v);
                    let more = self.inputs[v] & !device & !seen;
                    seen |= more;
                    missing |= more;
                }
            }
        }
        let mut end = state.clock + compute;
        if let (Some(copies), Some(swap)) = (&state.copies, &self.swap) {
            end = end.max(copies.out_free).max(copies.in_free);
            for v in nodes(device) {
                if copies.ready[v] > state.clock {
                    end = end.max(copies.ready[v] + self.tail(v, unrun));
                }
            }
            // One engine copies them in one after the other, those with the longest tails best first.
            let mut tails: Vec<(f64, f64)> =
                nodes(copied).map(|v| (self.tail(v, unrun), swap.in_time(self.size(v)))).collect();
            tails.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut at = state.clock.max(copies.in_free);
            for (tail, time) in tails {
                at += time;
                end = end.max(at + tail);
            }
        }
        Some(end)
    }

    /// Least time from the moment a value can be read to the end.
    fn tail(&self, v: NodeId, unrun: Set) -> f64 {
        let readers = self.readers[v] & unrun;
        if readers == 0 {
            0.0
        } else if self.free_order {
            nodes(readers).map(|r| self.time(r)).fold(f64::INFINITY, f64::min)
        } else {
            let first = readers & readers.wrapping_neg();
            nodes(unrun & !(first - 1)).map(|r| self.time(r)).sum()
        }
    }

    /// Time of the copies that bring a value back; none if it is not on the host.
    fn copy_back_time(&self, state: &State, v: NodeId) -> Option<f64> {
        let swap = self.swap.as_ref()?;
        if state.host & bit(v) != 0 {
            Some(swap.in_time(self.size(v)))
        } else if self.late && self.swappable & bit(v) != 0 {
            Some(swap.in_time(self.size(v)) + swap.out_time(self.size(v)))
        } else {
            None
        }
    }

    /// Every state one step further on; once the effort is over some are missing.
    pub(crate) fn next(&self, state: &State, effort: &Effort, mut take: impl FnMut(Act, State)) {
        let unrun = self.all & !state.ran;
        let useful = self.useful(state.ran);
        let first = if self.free_order { unrun } else { unrun & unrun.wrapping_neg() };
        let in_turn =
            |&v: &NodeId| self.problem.nodes[v].after.is_none_or(|before| state.ran & bit(before) != 0);
        for v in nodes(first).filter(|&v| self.inputs[v] & !state.device == 0).filter(in_turn) {
            if state.unread & !self.inputs[v] == 0 {
                self.compute(state, v, effort, &mut |next| take(Act::Run(v), next));
            }
        }
        let away = state.ran & !state.device & useful;
        for v in nodes(away & self.again).filter(|&v| self.inputs[v] & !state.device == 0) {
            let soon = !self.rounds || state.unread & !self.inputs[v] == 0;
            if soon && (state.phase < Phase::Again || v.0 >= state.least as usize) {
                self.compute(state, v, effort, &mut |next| take(Act::Again(v), next));
            }
        }
        let Some(swap) = self.swap else { return };
        if state.phase <= Phase::In {
            let there = if self.late { self.swappable } else { state.host };
            let from = if state.phase == Phase::In { state.least } else { 0 };
            for v in nodes(away & there).filter(|&v| v.0 >= from as usize) {
                self.copy_in(state, v, &swap, effort, &mut |next| take(Act::In(v), next));
            }
        }
        if state.phase == Phase::Out && state.ran != 0 {
            let mut stays = state.device & !state.host & !state.spent & useful & self.swappable;
            if self.prompt {
                stays &= state.outs;
            }
            for v in nodes(stays).filter(|&v| v.0 >= state.least as usize) {
                self.copy_out(state, v, &swap, effort, &mut |next| take(Act::Out(v), next));
            }
        }
    }

    fn compute(&self, state: &State, v: NodeId, effort: &Effort, take: &mut dyn FnMut(State)) {
        let node = &self.problem.nodes[v];
        let first = state.ran & bit(v) == 0;
        let mut start = state.clock;
        if let Some(copies) = &state.copies {
            start = nodes(self.inputs[v]).fold(start, |start, u| start.max(copies.ready[u]));
        }
        let ran = state.ran | bit(v);
        let useful = self.useful(ran);
        let locked = self.inputs[v] | state.unread;
        self.claims(state, start, node.bytes + node.workspace_bytes, locked, effort, |dropped, claimed| {
            let mut next = state.clone();
            next.ran = ran;
            next.device = state.device & !dropped | bit(v);
            next.clock = claimed + node.time;
            next.unread &= !self.inputs[v];
            next.outs = if self.prompt { bit(v) & self.swappable & !state.host & useful } else { 0 };
            if first {
                (next.phase, next.least) = (self.first_phase(), 0);
            } else {
                self.pass(&mut next, Phase::Again, v);
            }
            if let Some(copies) = &mut next.copies {
                copies.ready[v] = 0.0;
            }
            self.settle(&mut next, useful);
            take(next);
        });
    }

    fn copy_in(
        &self,
        state: &State,
        v: NodeId,
        swap: &SwapModel,
        effort: &Effort,
        take: &mut dyn FnMut(State),
    ) {
        let bytes = self.size(v);
        let time = self.copy_back_time(state, v).unwrap_or(f64::INFINITY);
        let useful = self.useful(state.ran);
        self.claims(state, state.clock, bytes, state.unread, effort, |dropped, claimed| {
            let mut next = state.clone();
            next.device = state.device & !dropped | bit(v);
            next.host |= bit(v);
            self.pass(&mut next, Phase::In, v);
            next.outs = 0;
            if let Some(copies) = &mut next.copies {
                let end = claimed.max(copies.in_free).max(copies.leave[v]) + swap.in_time(bytes);
                next.clock = claimed;
                copies.in_free = end;
                copies.ready[v] = end;
                copies.leave[v] = end;
            } else {
                next.clock = claimed + time;
                if self.late {
                    next.unread |= bit(v);
                }
            }
            self.settle(&mut next, useful);
            take(next);
        });
    }

    fn copy_out(
        &self,
        state: &State,
        v: NodeId,
        swap: &SwapModel,
        effort: &Effort,
        take: &mut dyn FnMut(State),
    ) {
        let bytes = self.size(v);
        let useful = self.useful(state.ran);
        self.host_claims(state, bytes, effort, |dropped, claimed| {
            let mut next = state.clone();
            next.host = state.host & !dropped | bit(v);
            if !self.rounds {
                next.spent |= dropped;
            }
            self.pass(&mut next, Phase::Out, v);
            next.outs = if self.prompt { next.device & !next.host & self.swappable } else { 0 };
            if let Some(copies) = &mut next.copies {
                let end = claimed.max(copies.out_free).max(copies.ready[v]) + swap.out_time(bytes);
                next.clock = claimed;
                copies.out_free = end;
                copies.leave[v] = end;
            } else {
                next.clock = claimed + swap.out_time(bytes);
            }
            self.settle(&mut next, useful);
            take(next);
        });
    }

    /// Where rounds are out of the question, each position has its steps in the order of their kinds and nodes.
    fn pass(&self, next: &mut State, phase: Phase, v: NodeId) {
        if !self.rounds {
            (next.phase, next.least) = (phase, v.0 as u8 + 1);
        }
    }

    /// Ways to make room on the device: what is dropped, and when the bytes are claimed.
    fn claims(
        &self,
        state: &State,
        start: f64,
        bytes: u64,
        locked: Set,
        effort: &Effort,
        take: impl FnMut(Set, f64),
    ) {
        let room = Room { limit: self.cap, used: self.bytes(state.device), bytes };
        let choice: Vec<(f64, u64, Set)> = nodes(state.device & !locked)
            .filter(|&v| self.size(v) > 0)
            .map(|v| (state.held_until(v), self.size(v), bit(v)))
            .collect();
        let coming = state.copies.as_ref().map_or(&[][..], |copies| &copies.device);
        room.ways(start, &choice, coming, effort, take);
    }

    /// The same on the host.
    fn host_claims(&self, state: &State, bytes: u64, effort: &Effort, mut take: impl FnMut(Set, f64)) {
        let Some(limit) = self.swap.and_then(|swap| swap.host_capacity_bytes) else {
            return take(0, state.clock);
        };
        let room = Room { limit, used: self.bytes(state.host), bytes };
        let leave = |v: NodeId| state.copies.as_ref().map_or(0.0, |copies| copies.leave[v]);
        let choice: Vec<(f64, u64, Set)> =
            nodes(state.host).map(|v| (leave(v), self.size(v), bit(v))).collect();
        let coming = state.copies.as_ref().map_or(&[][..], |copies| &copies.host);
        room.ways(state.clock, &choice, coming, effort, take);
    }

    /// Drops what is of no use any more and forgets what is over.
    fn settle(&self, state: &mut State, useful: Set) {
        let dead = state.device & !useful;
        let lost = state.host & !useful;
        let ends: Vec<(f64, u64)> = nodes(dead).map(|v| (state.held_until(v), self.size(v))).collect();
        state.device &= useful;
        state.host &= useful;
        state.unread &= useful;
        let (clock, device, host) = (state.clock, state.device, state.host);
        let limited = self.swap.is_some_and(|swap| swap.host_capacity_bytes.is_some());
        let Some(copies) = &mut state.copies else { return };
        copies.device.extend(ends);
        if limited {
            copies.host.extend(nodes(lost).map(|v| (copies.leave[v], self.size(v))));
        }
        let forget = |moment: &mut f64| {
            if *moment <= clock {
                *moment = 0.0;
            }
        };
        for v in NodeId::first(copies.ready.len()) {
            if device & bit(v) == 0 {
                copies.ready[v] = 0.0;
            }
            if (device | host) & bit(v) == 0 {
                copies.leave[v] = 0.0;
            }
        }
        copies.ready.iter_mut().chain(&mut copies.leave).for_each(forget);
        forget(&mut copies.out_free);
        forget(&mut copies.in_free);
        for list in [&mut copies.device, &mut copies.host] {
            list.retain(|&(moment, bytes)| moment > clock && bytes > 0);
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
    }

    /// What rules most comparisons out.
    pub(crate) fn outline(&self, state: &State) -> Outline {
        let moment = |of: &dyn Fn(&Copies) -> f64| state.copies.as_ref().map_or(0.0, |copies| of(copies));
        let moments = [state.clock, moment(&|copies| copies.out_free), moment(&|copies| copies.in_free)];
        Outline { host: state.host, outs: state.outs, moments, slack: self.total_time * SLACK }
    }

    /// Can everything that is possible from `other` be done from `state`, and end no later?
    pub(crate) fn no_worse(&self, state: &State, other: &State) -> bool {
        let slack = self.total_time * SLACK;
        if state.device & other.device != other.device
            || state.host & other.host != other.host
            || state.outs & other.outs != other.outs
            || state.spent & !other.spent != 0
            || state.unread & !other.unread != 0
            || (state.phase, state.least) > (other.phase, other.least)
            || state.clock > other.clock + slack
        {
            return false;
        }
        let (Some(a), Some(b)) = (&state.copies, &other.copies) else { return true };
        let in_time = |a: f64, b: f64| a <= b.max(other.clock) + slack;
        let more = state.device & !other.device;
        let spent = |coming: &[(f64, u64)], from: f64| {
            coming.iter().filter(|(moment, _)| *moment > from).map(|(_, bytes)| bytes).sum::<u64>()
        };
        let fits = |from: f64| {
            let held = nodes(more).filter(|&v| a.leave[v] > from).map(|v| self.size(v)).sum::<u64>();
            held + spent(&a.device, from + slack) <= spent(&b.device, from)
        };
        let more_on_host = state.host & !other.host;
        let fits_on_host = |from: f64| {
            let held = nodes(more_on_host).filter(|&v| a.leave[v] > from).map(|v| self.size(v)).sum::<u64>();
            held + spent(&a.host, from + slack) <= spent(&b.host, from)
        };
        let limited = self.swap.is_some_and(|swap| swap.host_capacity_bytes.is_some());
        in_time(a.out_free, b.out_free)
            && in_time(a.in_free, b.in_free)
            && nodes(other.device).all(|v| in_time(a.ready[v], b.ready[v]))
            && nodes(other.device | other.host).all(|v| in_time(a.leave[v], b.leave[v]))
            && nodes(more).all(|v| in_time(a.ready[v], 0.0))
            && fits(other.clock)
            && b.device.iter().all(|&(moment, _)| fits(moment))
            && (!limited
                || fits_on_host(other.clock) && b.host.iter().all(|&(moment, _)| fits_on_host(moment)))
    }
}

/// What rules most comparisons of states out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    host: Set,
    outs: Set,
    /// The clock, and when both directions of the link are free.
    moments: [f64; 3],
    slack: f64,
}

impl Outline {
    /// Is [`Rules::no_worse`] worth asking?
    pub(crate) fn may_be_no_worse(&self, other: &Self) -> bool {
        let clock = other.moments[0];
        self.host & other.host == other.host
            && self.outs & other.outs == other.outs
            && self.moments[0] <= clock + self.slack
            && self.moments[1] <= other.moments[1].max(clock) + self.slack
            && self.moments[2] <= other.moments[2].max(clock) + self.slack
    }
}

/// Share of the time by which sums of the same times may differ.
const SLACK: f64 = 1e-13;

impl State {
    /// When the memory of a value on the device can be used again, were it freed.
    fn held_until(&self, v: NodeId) -> f64 {
        self.copies.as_ref().map_or(0.0, |copies| copies.ready[v].max(copies.leave[v]))
    }
}
