//! What a search over states may spend, counted where successors are made: a single state may have more of them than there is time for.

use std::cell::Cell;

use ballast_core::limits::Deadline;

/// Steps that a state has: those of a dozen ops take up to ten thousand.
const STEPS_PER_STATE: u64 = 32_768;

/// Steps between two looks at the clock: some tens of microseconds.
const LOOKS: u64 = 4096;

/// Steps spent, and whether any are left. Once there are none it stays so.
pub(crate) struct Effort {
    deadline: Deadline,
    /// Most states, and steps at their rate.
    most: u64,
    states: Cell<u64>,
    steps: Cell<u64>,
    next_look: Cell<u64>,
    over: Cell<bool>,
}

impl Effort {
    pub(crate) fn new(most: u64, deadline: Deadline) -> Self {
        let none = || Cell::new(0);
        let over = Cell::new(deadline.over());
        Effort { deadline, most, states: none(), steps: none(), next_look: Cell::new(LOOKS), over }
    }

    /// May one more state be looked at? Then it counts.
    pub(crate) fn takes_state(&self) -> bool {
        let takes = self.states.get() < self.most && !self.over();
        self.states.set(self.states.get() + u64::from(takes));
        takes
    }

    /// So many steps are about to be taken.
    pub(crate) fn spend(&self, steps: u64) {
        let steps = self.steps.get() + steps;
        self.steps.set(steps);
        if steps >= self.next_look.get() {
            self.next_look.set(steps + LOOKS);
            self.over.set(self.over() || self.deadline.over());
        }
    }

    /// Is nothing left for the successors of a state, of the steps or of the time?
    pub(crate) fn over(&self) -> bool {
        self.over.get() || self.steps.get() / STEPS_PER_STATE >= self.most
    }

    /// States looked at; where they take more steps than they have, as many as have these.
    pub(crate) fn work(&self) -> u64 {
        self.states.get().max(self.steps.get() / STEPS_PER_STATE)
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem};

    use super::*;
    use crate::frontier::search_states;
    use crate::room::Set;
    use crate::state::{Rules, State};

    /// Sixteen values of a byte, one of eight bytes, and then the sum of four and four of the sixteen.
    fn wide() -> Problem {
        let node = |bytes, inputs: Vec<usize>| Node::new("n", 1.0, bytes, inputs);
        let sums = (0..4).map(|sum| node(1, (4 * sum..4 * sum + 4).collect()));
        let nodes = (0..16).map(|_| node(1, vec![])).chain([node(8, vec![])]).chain(sums).collect();
        Problem { name: "wide".into(), nodes, resident_bytes: 0 }
    }

    /// The state in which all sixteen are there and the one of eight bytes is next: under 16 bytes any eight may go.
    fn crowded(rules: &Rules<'_>) -> State {
        let effort = Effort::new(u64::MAX, Deadline::after(None));
        let mut state = rules.start();
        for _ in 0..16 {
            let mut next = None;
            rules.next(&state, &effort, |_, one| next = Some(one));
            state = next.expect("the next value");
        }
        state
    }

    fn successors(rules: &Rules<'_>, state: &State, effort: &Effort) -> usize {
        let mut found = std::collections::BTreeSet::<Set>::new();
        rules.next(state, effort, |_, next| {
            found.insert(next.device);
        });
        found.len()
    }

    #[test]
    fn a_state_with_many_successors_ends_with_the_work_and_with_the_time() {
        let problem = wide();
        let rules = Rules::new(&problem, None, 16, false, true).expect("few nodes");
        let state = crowded(&rules);
        let (never, over) = (Deadline::after(None), Deadline::after(Some(0.0)));
        // 16 over 8.
        assert_eq!(successors(&rules, &state, &Effort::new(u64::MAX, never)), 12_870);
        let effort = Effort::new(1, never);
        let some = successors(&rules, &state, &effort);
        assert!(0 < some && some < 300 && effort.over() && effort.work() == 1, "{some}");
        assert_eq!(successors(&rules, &state, &Effort::new(u64::MAX, over)), 0);
    }

    #[test]
    fn a_search_that_is_given_up_claims_no_more_than_a_bound() {
        let problem = wide();
        let rules = Rules::new(&problem, None, 16, false, true).expect("few nodes");
        let search = || search_states(&rules, 20, &Deadline::after(None));
        let found = search();
        // Every op runs once, and eight of the sixteen again.
        assert!(!found.complete && found.plan.is_none() && found.bound <= 29.0, "{found:?}");
        assert!((20..30).contains(&found.work), "{found:?}");
        assert_eq!(found.bound, search().bound);
    }
}
