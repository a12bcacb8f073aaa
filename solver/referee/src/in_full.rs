//! The best memory plan by trying all of them, where copies count in full: shortest paths over the sets of values that ran, lie on the device, lie on
//! the host.

use std::collections::{BinaryHeap, HashMap};

use ballast_core::memory::{NodeId, Problem, SwapModel};

/// Most nodes of a problem.
pub const MOST_NODES: usize = 8;

/// What plans may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Freedom {
    /// May first runs change their order?
    pub order: bool,
    /// May copies and recomputes between two first runs take any order and repeat? Else copies to the host, copies back
    /// and recomputes follow each other, each in program order, and a value is copied to the host once.
    pub rounds: bool,
}

/// Kinds of steps between two first runs, in order.
pub(crate) const OUT: u8 = 0;
pub(crate) const IN: u8 = 1;
pub(crate) const AGAIN: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct State {
    ran: u8,
    device: u8,
    host: u8,
    /// Ever copied to the host; kept only where that may happen once.
    spent: u8,
    phase: u8,
    /// Least node the phase may still name.
    least: u8,
}

/// Times are not negative, so that their bits are ordered as they are.
fn key(time: f64) -> std::cmp::Reverse<u64> {
    std::cmp::Reverse(time.to_bits())
}

/// The least time of recomputes and copies of any plan under the cap; none if there is no plan.
///
/// # Panics
/// For more nodes than [`MOST_NODES`].
#[must_use]
pub fn least(problem: &Problem, swap: Option<&SwapModel>, cap: u64, freedom: Freedom) -> Option<f64> {
    let n = problem.nodes.len();
    assert!(n <= MOST_NODES, "{n} nodes are too many for brute force");
    let search = Search::new(problem, swap, cap, freedom);
    let mut least: HashMap<State, f64> = HashMap::new();
    let mut open = BinaryHeap::new();
    open.push((key(0.0), State::default()));
    least.insert(State::default(), 0.0);
    while let Some((std::cmp::Reverse(bits), state)) = open.pop() {
        let time = f64::from_bits(bits);
        if least.get(&state).is_some_and(|known| *known < time) {
            continue;
        }
        if search.done(state) {
            return Some(time);
        }
        search.next(state, &mut |next, more| {
            let known = least.entry(next).or_insert(f64::INFINITY);
            if time + more < *known {
                *known = time + more;
                open.push((key(time + more), next));
            }
        });
    }
    None
}

struct Search<'a> {
    problem: &'a Problem,
    swap: Option<&'a SwapModel>,
    cap: u64,
    freedom: Freedom,
    inputs: Vec<u8>,
    keep: u8,
    all: u8,
}

fn nodes(set: u8) -> impl Iterator<Item = usize> {
    (0..MOST_NODES).filter(move |v| set >> v & 1 == 1)
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, swap: Option<&'a SwapModel>, cap: u64, freedom: Freedom) -> Self {
        let set = |list: &[NodeId]| list.iter().fold(0, |set, v| set | 1 << v.0);
        let keep = NodeId::first(problem.nodes.len()).filter(|&v| problem.nodes[v].keep).collect::<Vec<_>>();
        Search {
            problem,
            swap,
            cap,
            freedom,
            inputs: problem.nodes.iter().map(|node| set(&node.inputs)).collect(),
            keep: set(&keep),
            all: set(&NodeId::first(problem.nodes.len()).collect::<Vec<_>>()),
        }
    }

    fn bytes(&self, set: u8) -> u64 {
        nodes(set).map(|v| self.problem.nodes[v].bytes).sum()
    }

    fn fits(&self, device: u8, workspace: u64) -> bool {
        self.problem.resident_bytes + self.bytes(device) + workspace <= self.cap
    }

    fn done(&self, state: State) -> bool {
        state.ran == self.all && state.device & self.keep == self.keep
    }

    fn may(&self, state: State, phase: u8, v: usize) -> bool {
        self.freedom.rounds || state.phase < phase || state.phase == phase && state.least as usize <= v
    }

    fn pass(&self, next: &mut State, phase: u8, v: usize) {
        if !self.freedom.rounds {
            (next.phase, next.least) = (phase, v as u8 + 1);
        }
    }

    fn next(&self, state: State, take: &mut dyn FnMut(State, f64)) {
        for v in nodes(state.device) {
            take(State { device: state.device & !(1 << v), ..state }, 0.0);
        }
        let unrun = self.all & !state.ran;
        let first = if self.freedom.order { unrun } else { unrun & unrun.wrapping_neg() };
        for v in nodes(first).filter(|&v| self.inputs[v] & !state.device == 0) {
            let device = state.device | 1 << v;
            if self.fits(device, self.problem.nodes[v].workspace_bytes) {
                take(State { ran: state.ran | 1 << v, device, phase: OUT, least: 0, ..state }, 0.0);
            }
        }
        for v in nodes(state.ran & !state.device) {
            let node = &self.problem.nodes[v];
            let device = state.device | 1 << v;
            let again = node.recomputable && !node.pinned && self.inputs[v] & !state.device == 0;
            if again && self.may(state, AGAIN, v) && self.fits(device, node.workspace_bytes) {
                let mut next = State { device, ..state };
                self.pass(&mut next, AGAIN, v);
                take(next, node.time);
            }
        }
        let Some(swap) = self.swap else { return };
        for v in nodes(state.host & !state.device) {
            let device = state.device | 1 << v;
            if self.may(state, IN, v) && self.fits(device, 0) {
                let mut next = State { device, ..state };
                self.pass(&mut next, IN, v);
                take(next, swap.in_time(self.problem.nodes[v].bytes));
            }
        }
        for v in nodes(state.device & !state.host & !state.spent) {
            let node = &self.problem.nodes[v];
            let host = state.host | 1 << v;
            let room = swap.host_capacity_bytes.is_none_or(|most| self.bytes(host) <= most);
            if node.swappable && !node.pinned && room && self.may(state, OUT, v) {
                let mut next = State { host, ..state };
                if !self.freedom.rounds {
                    next.spent |= 1 << v;
                }
                self.pass(&mut next, OUT, v);
                take(next, swap.out_time(node.bytes));
            }
        }
        if swap.host_capacity_bytes.is_some() {
            for v in nodes(state.host) {
                take(State { host: state.host & !(1 << v), ..state }, 0.0);
            }
        }
    }
}
