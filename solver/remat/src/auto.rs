//! The default solver, and the two parts of it that may also plan alone.

use std::sync::Arc;

use ballast_core::memory::{CompactPlan, NodeId, Problem, SwapModel};
use ballast_core::report::{Bound, BoundClass, Prover};

use crate::frontier::{Frontier, search_states};
use crate::outcome::{Error, Order};
use crate::portfolio::{Parts, in_program_order};
use crate::solver::Options;
use crate::solver::{MemorySolver, Proposal, Task};
use crate::state::Rules;
use ballast_core::limits::{Limits, StopReason};

/// All classes in which searches beside a prover claim bounds: which one depends on order, rounds and swaps.
const SEARCHED: [BoundClass; 6] = [
    BoundClass::Any,
    BoundClass::AnyOrderAscending,
    BoundClass::ProgramOrder,
    BoundClass::ProgramOrderAscending,
    BoundClass::ProgramOrderWithoutSwaps,
    BoundClass::ProgramOrderAscendingWithoutSwaps,
];

/// Everything that applies, together, until the limit or the proof.
pub(crate) struct Auto;

impl MemorySolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "everything that applies, together, until the limit or the proof"
    }

    fn claims(&self) -> &'static [BoundClass] {
        &SEARCHED
    }

    fn seeded(&self) -> bool {
        true
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        // Of so few nodes all states are looked at, which takes long where copies hide in many ways: one that does is enough.
        if let Some(swap) = task.options.swap.filter(|_| task.problem.nodes.len() <= FEW_NODES)
            && let Some(found) = task.hidden(&swap)
        {
            return Ok(Some(found));
        }
        let mut known = match task.states(FIRST_STATES)? {
            Some(States::Best(proposal)) => return Ok(Some(*proposal)),
            Some(States::Bound(bound)) => Some(bound),
            None => None,
        };
        let mut options = task.options.clone();
        options.starts.extend(task.best_of_fewer_states());
        let whole = task.deadline;
        let mut found = None;
        if known.is_some() && options.limits.time_limit_seconds.is_some() {
            // Searches find the best plan of so few nodes soon, if they do; what is left is to prove it, for which states are good.
            let part = whole.within(whole.remaining_seconds() * FIRST_SEARCH);
            let task =
                Task { options: &options, deadline: part, progress: Arc::clone(&task.progress), ..*task };
            found = task.search_for(Parts::BOTH)?;
            if found.as_ref().is_some_and(|found| found.stop == StopReason::Proved) {
                return Ok(found);
            }
            match (Task { deadline: whole, ..task }).states(MORE_STATES)? {
                Some(States::Best(proposal)) => return Ok(Some(*proposal)),
                Some(States::Bound(more)) if known.is_some_and(|bound| more.value() > bound.value()) => {
                    known = Some(more);
                }
                _ => {}
            }
        }
        if found.is_none() {
            let task = Task { options: &options, progress: Arc::clone(&task.progress), ..*task };
            found = task.search_for(Parts::BOTH)?;
        }
        if let (Some(found), Some(bound)) = (&mut found, known)
            && bound.value() > found.bound.value()
        {
            found.bound = bound;
        }
        Ok(found)
    }
}

/// Local search alone.
pub(crate) struct LocalSearch;

impl MemorySolver for LocalSearch {
    fn name(&self) -> &'static str {
        "local-search"
    }

    fn about(&self) -> &'static str {
        "local search alone"
    }

    fn claims(&self) -> &'static [BoundClass] {
        &SEARCHED
    }

    fn seeded(&self) -> bool {
        true
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        task.search_for(Parts { prover: false, ..Parts::BOTH })
    }
}

/// The mixed-integer program over critical positions alone.
pub(crate) struct Milp;

impl MemorySolver for Milp {
    fn name(&self) -> &'static str {
        "milp"
    }

    fn about(&self) -> &'static str {
        "the mixed-integer program over critical positions alone"
    }

    fn claims(&self) -> &'static [BoundClass] {
        &SEARCHED
    }

    fn seeded(&self) -> bool {
        true
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        task.search_and_prove(Parts { search: false, ..Parts::BOTH })
    }
}

/// Does every op read the one before it, so that first runs have one order?
fn has_one_order(problem: &Problem) -> bool {
    problem.nodes.iter().enumerate().skip(1).all(|(at, node)| node.inputs.contains(&NodeId(at - 1)))
}

/// What the search over states of a small problem found.
enum States {
    /// The best plan.
    Best(Box<Proposal>),
    /// It was stopped; a bound.
    Bound(Bound),
}

impl Task<'_> {
    /// The search that suits what is allowed: with swaps, in any order, or in program order beside a prover.
    fn search_for(&self, parts: Parts<'_>) -> Result<Option<Proposal>, Error> {
        if self.options.swap.is_some() {
            self.joint()
        } else if self.options.order == Order::Free && !has_one_order(self.problem) {
            self.free(parts)
        } else if self.options.order == Order::Free {
            let proposal = self.search_and_prove(parts)?;
            Ok(proposal.map(|found| Proposal { bound: found.bound.in_any_order(), ..found }))
        } else {
            self.search_and_prove(parts)
        }
    }

    /// Where the states of a small problem with swaps are too many: the best of the plans that have fewer, without copies beside
    /// computation, in program order, or both, to start from. What more is allowed for is then never slower than without.
    fn best_of_fewer_states(&self) -> Vec<CompactPlan> {
        if self.options.swap.is_none() || self.problem.nodes.len() > FEW_NODES {
            return Vec::new();
        }
        let in_order = Options { order: Order::Program, ..self.options.clone() };
        let swap = self.options.swap.map(|swap| SwapModel { overlap: false, ..swap });
        let in_full = Options { swap, ..self.options.clone() };
        let both = Options { swap, ..in_order.clone() };
        [in_full, in_order, both]
            .iter()
            .filter(|fewer| fewer.order != self.options.order || fewer.swap != self.options.swap)
            .filter_map(|whole| {
                let limits = whole.limits;
                let share = limits.work_limit.map(|work| (work / FEWER).max(1));
                let options = Options { limits: Limits { work_limit: share, ..limits }, ..whole.clone() };
                let part = self.deadline.within(self.deadline.remaining_seconds() / FEWER as f64);
                let deadline = if limits.time_limit_seconds.is_some() { part } else { self.deadline };
                let progress = Arc::clone(&self.progress);
                let task = Task { options: &options, progress, deadline, ..*self };
                match (Task { options: whole, progress: Arc::clone(&self.progress), ..*self })
                    .states(FIRST_STATES)
                {
                    Ok(Some(States::Best(proposal))) => Some(proposal.plan),
                    Ok(_) => task.search_for(Parts::BOTH).ok().flatten().map(|proposal| proposal.plan),
                    Err(_) => None,
                }
            })
            .collect()
    }

    /// Searches the states of a small problem: at most so many, in at most a share of the time left. None where it is too large.
    fn states(&self, (most, share): (u64, f64)) -> Result<Option<States>, Error> {
        let Options { swap, cap_bytes, rounds, limits, .. } = self.options;
        let free = self.options.order == Order::Free;
        let Some(rules) = Rules::new(self.problem, swap.as_ref(), *cap_bytes, free, *rounds) else {
            return Ok(None);
        };
        let part = if limits.time_limit_seconds.is_some() {
            self.deadline.within(self.deadline.remaining_seconds() * share)
        } else {
            self.deadline
        };
        let most = limits.work_limit.map_or(most, |work| (work / MOVES_PER_STATE).min(most));
        let Frontier { plan, bound, complete, work } = search_states(&rules, most, &part);
        tracing::debug!(work, bound, complete, seconds = self.deadline.elapsed_seconds(), "states");
        let class = match (free, *rounds) {
            (true, true) => BoundClass::Any,
            (true, false) => BoundClass::AnyOrderAscending,
            (false, rounds) => in_program_order(rounds),
        };
        match plan {
            Some(plan) => Ok(Some(States::Best(Box::new(Proposal {
                plan,
                bound: Bound::proved(bound, class).by(Prover::BestFirst, work),
                method: "best-first".into(),
                stop: StopReason::Proved,
                work,
                q_table: None,
            })))),
            None if complete => {
                let (least, node) = self.problem.working_set();
                Err(self.infeasible(true, least, node))
            }
            None => Ok(Some(States::Bound(Bound::proved(bound, class).by(Prover::BestFirst, work)))),
        }
    }
}

/// Most states looked at before anything else, and share of the time that may take.
const FIRST_STATES: (u64, f64) = (20_000, 0.15);
/// The same once searches have had their first share of the time left.
const MORE_STATES: (u64, f64) = (400_000, 0.8);
const FIRST_SEARCH: f64 = 0.4;
/// Nodes of a small problem.
const FEW_NODES: usize = 24;
/// The part of the limit, one in so many, that plans of a class with fewer states may take.
const FEWER: u64 = 4;
/// Moves of the local search that a state counts as.
const MOVES_PER_STATE: u64 = 50;
