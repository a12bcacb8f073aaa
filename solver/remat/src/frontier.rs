//! Exact plans of small problems with swaps: best-first search over the states of the judge.
//!
//! A state's priority is a lower bound on the end of every plan that goes on from it, so that the first plan taken from the
//! queue is the best there is, and the least priority in the queue bounds all plans at any time (Hart, Nilsson and Raphael, "A formal
//! basis for the heuristic determination of minimum cost paths", 1968). States that another one can stand for, with as much or more
//! on the device, as early or earlier, are dropped. Exact for every compact plan of the order asked for, with and without overlap.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use ballast_core::limits::Deadline;
use ballast_core::memory::{CompactPlan, NodeId, Schedule, Step, compact};

use crate::effort::Effort;
use crate::room::Set;
use crate::state::{Act, Outline, Rules, State};

/// What the search found.
#[derive(Debug)]
pub(crate) struct Frontier {
    /// The best plan there is, unless the search was stopped.
    pub(crate) plan: Option<CompactPlan>,
    /// Lower bound on the time of every plan; infinite if there is none.
    pub(crate) bound: f64,
    /// Did it go through to the end?
    pub(crate) complete: bool,
    /// States looked at, or as many as have the steps that were spent.
    pub(crate) work: u64,
}

/// Steps that a successor's bound counts as.
const STEPS_OF_A_BOUND: u64 = 64;

/// One state and how it came about.
struct Known {
    state: State,
    before: Option<(u32, Act)>,
    /// Does another one stand for it?
    replaced: bool,
}

/// A state to go on from, the one with the least bound first, then the one that is farthest.
struct Open {
    bound: f64,
    ran: u32,
    index: u32,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let first = other.bound.total_cmp(&self.bound);
        first.then(self.ran.cmp(&other.ran)).then(self.index.cmp(&other.index))
    }
}

/// States of one set of ops that ran, by what is on the device: with what rules most comparisons out, close together in memory.
type Alike = BTreeMap<Set, Vec<(Outline, u32)>>;

/// Searches until the best plan is found, the time is over, or as much as for `most` states was spent.
pub(crate) fn search_states(rules: &Rules<'_>, most: u64, deadline: &Deadline) -> Frontier {
    let mut known: Vec<Known> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut alike: BTreeMap<Set, Alike> = BTreeMap::new();
    let start = rules.start();
    if let Some(bound) = rules.bound(&start) {
        known.push(Known { state: start, before: None, replaced: false });
        open.push(Open { bound, ran: 0, index: 0 });
    }
    let effort = Effort::new(most, *deadline);
    while let Some(Open { bound, index, .. }) = open.pop() {
        let at = index as usize;
        if known[at].replaced {
            continue;
        }
        if rules.done(&known[at].state) {
            return Frontier { plan: plan(rules, &known, at), bound, complete: true, work: effort.work() };
        }
        // Whatever is left in the queue, or was still to be made of this state, ends no earlier.
        let given_up = || Frontier { plan: None, bound, complete: false, work: effort.work() };
        if !effort.takes_state() {
            return given_up();
        }
        let mut next = Vec::new();
        rules.next(&known[at].state, &effort, |act, state| next.push((act, state)));
        for (act, state) in next {
            if effort.over() {
                return given_up();
            }
            effort.spend(STEPS_OF_A_BOUND);
            let Some(least) = rules.bound(&state) else { continue };
            let group = alike.entry(state.ran).or_default();
            let outline = rules.outline(&state);
            if stands_for(rules, &known, group, (&state, &outline), &effort) {
                continue;
            }
            for (_, list) in group.iter_mut().filter(|(device, _)| **device & state.device == **device) {
                effort.spend(list.len() as u64);
                list.retain(|(other, i)| {
                    let known = &mut known[*i as usize];
                    let replaced = outline.may_be_no_worse(other) && rules.no_worse(&state, &known.state);
                    known.replaced |= replaced;
                    !replaced
                });
            }
            let (ran, index) = (state.ran.count_ones(), known.len() as u32);
            group.entry(state.device).or_default().push((outline, index));
            // A bound never falls on the way.
            open.push(Open { bound: least.max(bound), ran, index });
            known.push(Known { state, before: Some((at as u32, act)), replaced: false });
        }
        if effort.over() {
            // Some of the successors may be missing.
            return given_up();
        }
    }
    Frontier { plan: None, bound: f64::INFINITY, complete: true, work: effort.work() }
}

/// Is there a state that another one is not needed beside?
fn stands_for(
    rules: &Rules<'_>,
    known: &[Known],
    group: &Alike,
    (state, outline): (&State, &Outline),
    effort: &Effort,
) -> bool {
    effort.spend(group.len() as u64);
    group.iter().filter(|(device, _)| **device & state.device == state.device).any(|(_, list)| {
        effort.spend(list.len() as u64);
        list.iter().any(|(other, i)| {
            other.may_be_no_worse(outline) && rules.no_worse(&known[*i as usize].state, state)
        })
    })
}

/// The steps that lead to a state, as a compact plan.
fn plan(rules: &Rules<'_>, known: &[Known], last: usize) -> Option<CompactPlan> {
    let mut acts: Vec<Act> = Vec::new();
    let mut at = last;
    while let Some((before, act)) = known[at].before {
        acts.push(act);
        at = before as usize;
    }
    acts.reverse();
    let copied = |v: NodeId| acts.contains(&Act::In(v));
    let mut steps = Vec::with_capacity(acts.len() * 2);
    for &act in &acts {
        match act {
            Act::Run(v) => {
                steps.push(Step::Compute(v));
                if rules.late() && copied(v) {
                    steps.push(Step::SwapOut(v));
                }
            }
            Act::Again(v) => steps.push(Step::Compute(v)),
            // A copy that hid under other work and was never read: nothing waits for it.
            Act::Out(v) if !copied(v) => {}
            Act::Out(v) => steps.push(Step::SwapOut(v)),
            Act::In(v) => steps.push(Step::SwapIn(v)),
        }
    }
    compact(rules.problem, &Schedule { steps }).ok()
}
