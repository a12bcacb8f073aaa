//! The compact form of a plan: what differs from "run every node once and free after the last use".
//!
//! [`expand`] derives the one full schedule a compact plan stands for; [`compact`] goes back. Positions are
//! indices into the order of first runs (program order unless `order` says otherwise).

use serde::{Deserialize, Serialize};

use super::{NodeId, Problem, Schedule, Step};

/// A plan without its steps: first runs, recomputes, swaps. Every value is freed after its last use.
///
/// Entries are `(position, node)`. At one position the swap-ins come first, then the recomputes, then the first
/// run, then the swap-outs, each kind by ascending node whatever the order of the list: node numbers are a
/// topological order. A position names a node at most once per list. Recomputes and swap-ins happen before
/// the first run at their position (the number of nodes stands for the end), swap-outs after it. Recomputes of
/// one position in another order, or of a node twice, go into further rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompactPlan {
    /// Order of first runs; none: program order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<NodeId>>,
    /// Run the node again before the position.
    #[serde(default)]
    pub recompute: Vec<(usize, NodeId)>,
    /// Further rounds of recomputes: those of a position run after `recompute` there, round by round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Vec<(usize, NodeId)>>,
    /// Copy the node to the host after the position.
    #[serde(default)]
    pub swap_out: Vec<(usize, NodeId)>,
    /// Copy the node back before the position.
    #[serde(default)]
    pub swap_in: Vec<(usize, NodeId)>,
    /// Copies between recomputes: those of entry k at a position come right before round k of `rounds` there, after the round
    /// before. With them every schedule has a compact form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyRound>,
}

/// Copies between two rounds of recomputes: at one position those to the host first, each kind by ascending node. Unlike in
/// [`CompactPlan::swap_out`], a position means before the first run there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyRound {
    /// Copy the node to the host before the position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swap_out: Vec<(usize, NodeId)>,
    /// Copy the node back before the position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swap_in: Vec<(usize, NodeId)>,
}

/// A compact plan that stands for no schedule, or a schedule that has no compact form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactError {
    /// `order` does not run every node exactly once.
    #[error("the order of first runs does not name every one of the {nodes} nodes exactly once")]
    Order {
        /// Number of nodes.
        nodes: usize,
    },
    /// A node that does not exist.
    #[error("{what} names node {node}, but the nodes are 0 to {last}", last = nodes.saturating_sub(1))]
    Node {
        /// The list concerned.
        what: &'static str,
        /// The node named.
        node: NodeId,
        /// Number of nodes.
        nodes: usize,
    },
    /// A position outside the order, or before the value exists.
    #[error("{what} of node {node} at position {position}: {reason}")]
    Position {
        /// The list concerned.
        what: &'static str,
        /// The node.
        node: NodeId,
        /// The position given.
        position: usize,
        /// Why it cannot be.
        reason: &'static str,
    },
}

/// Kinds of steps between two first runs, in their order within a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Out,
    In,
    Again,
}

/// One event of the schedule before the frees are placed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Compute(NodeId),
    SwapOut(NodeId),
    SwapIn(NodeId),
}

/// Derives the schedule: the events of the plan, each value freed right after its last use before it is
/// made anew, each host copy dropped after its last swap-in.
///
/// Takes time linear in the size of problem and plan. The result still has to pass [`super::replay()`], which
/// knows the rules on nodes and the cap.
///
/// # Errors
/// A node or position that does not exist, or an order that is no permutation.
pub fn expand(problem: &Problem, plan: &CompactPlan) -> Result<Schedule, CompactError> {
    let n = problem.nodes.len();
    let order = first_runs(n, plan)?;
    let mut position_of = vec![0; n];
    for (position, &node) in order.iter().enumerate() {
        position_of[node] = position;
    }
    let before = |what, list: &[(usize, NodeId)]| by_position(what, n, list, &position_of, true);
    let swap_out = by_position("swap-out", n, &plan.swap_out, &position_of, false)?;
    // Between two first runs: kinds of one round follow each other, by ascending node, and rounds do.
    let mut between: Vec<(usize, usize, Kind, NodeId)> = Vec::new();
    let mut add = |round: usize, kind: Kind, list: Vec<(usize, NodeId)>| {
        between.extend(list.into_iter().map(|(position, node)| (position, round, kind, node)));
    };
    add(0, Kind::In, before("swap-in", &plan.swap_in)?);
    add(0, Kind::Again, before("recompute", &plan.recompute)?);
    for (round, list) in (1..).zip(&plan.rounds) {
        add(round, Kind::Again, before("recompute", list)?);
    }
    for (round, copies) in (1..).zip(&plan.copies) {
        add(round, Kind::Out, before("swap-out", &copies.swap_out)?);
        add(round, Kind::In, before("swap-in", &copies.swap_in)?);
    }
    between.sort_unstable();
    let mut events = Vec::with_capacity(n + between.len() + swap_out.len());
    let (mut next, mut next_out) = (0, 0);
    for position in 0..=n {
        while let Some(&(_, _, kind, node)) = between.get(next).filter(|at| at.0 == position) {
            events.push(match kind {
                Kind::Out => Event::SwapOut(node),
                Kind::In => Event::SwapIn(node),
                Kind::Again => Event::Compute(node),
            });
            next += 1;
        }
        if let Some(&node) = order.get(position) {
            events.push(Event::Compute(node));
        }
        while swap_out.get(next_out).is_some_and(|at| at.0 == position) {
            events.push(Event::SwapOut(swap_out[next_out].1));
            next_out += 1;
        }
    }
    Ok(place_frees(problem, &events))
}

fn first_runs(n: usize, plan: &CompactPlan) -> Result<Vec<NodeId>, CompactError> {
    let Some(order) = &plan.order else { return Ok(NodeId::first(n).collect()) };
    let mut seen = vec![false; n];
    let fresh = order.iter().all(|&node| node.0 < n && !std::mem::replace(&mut seen[node], true));
    if order.len() != n || !fresh {
        return Err(CompactError::Order { nodes: n });
    }
    Ok(order.clone())
}

/// Checks a list and sorts it by position and node.
fn by_position(
    what: &'static str,
    n: usize,
    list: &[(usize, NodeId)],
    position_of: &[usize],
    before: bool,
) -> Result<Vec<(usize, NodeId)>, CompactError> {
    for &(position, node) in list {
        if node.0 >= n {
            return Err(CompactError::Node { what, node, nodes: n });
        }
        let error = |reason| Err(CompactError::Position { what, node, position, reason });
        if before && position > n {
            return error("it lies beyond the end");
        } else if !before && position >= n {
            return error("it lies beyond the last node");
        } else if position_of[node] + usize::from(before) > position {
            return error("the value has not been computed by then");
        }
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    if let Some(&[(position, node), _]) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CompactError::Position { what, node, position, reason: "it is named twice" });
    }
    Ok(sorted)
}

fn place_frees(problem: &Problem, events: &[Event]) -> Schedule {
    let n = problem.nodes.len();
    const NEVER: usize = usize::MAX;
    // Last event that needs the device copy (host copy) now there; the free goes right after it.
    let mut device_use = vec![NEVER; n];
    let mut host_use = vec![NEVER; n];
    let mut frees: Vec<(usize, Step)> = Vec::with_capacity(events.len() + n);
    for (index, &event) in events.iter().enumerate() {
        match event {
            Event::Compute(node) => {
                for &input in &problem.nodes[node].inputs {
                    device_use[input] = index;
                }
                let previous = std::mem::replace(&mut device_use[node], index);
                if previous != NEVER {
                    frees.push((previous, Step::Free(node)));
                }
            }
            Event::SwapOut(node) => {
                device_use[node] = index;
                let previous = std::mem::replace(&mut host_use[node], index);
                if previous != NEVER {
                    frees.push((previous, Step::HostFree(node)));
                }
            }
            Event::SwapIn(node) => {
                host_use[node] = index;
                let previous = std::mem::replace(&mut device_use[node], index);
                if previous != NEVER {
                    frees.push((previous, Step::Free(node)));
                }
            }
        }
    }
    for (node, &last) in NodeId::of(&device_use) {
        if last != NEVER && !problem.nodes[node].keep {
            frees.push((last, Step::Free(node)));
        }
    }
    for (node, &last) in NodeId::of(&host_use) {
        if last != NEVER {
            frees.push((last, Step::HostFree(node)));
        }
    }
    frees.sort_by_key(|&(index, step)| match step {
        Step::HostFree(node) => (index, 1, node),
        Step::Free(node) | Step::Compute(node) | Step::SwapOut(node) | Step::SwapIn(node) => (index, 0, node),
    });
    let mut steps = Vec::with_capacity(events.len() + frees.len());
    let mut next = 0;
    for (index, &event) in events.iter().enumerate() {
        steps.push(match event {
            Event::Compute(node) => Step::Compute(node),
            Event::SwapOut(node) => Step::SwapOut(node),
            Event::SwapIn(node) => Step::SwapIn(node),
        });
        while frees.get(next).is_some_and(|&(after, _)| after == index) {
            steps.push(frees[next].1);
            next += 1;
        }
    }
    Schedule { steps }
}

/// The compact plan of a schedule. Frees are not read: [`expand`] places them anew, never later than the schedule
/// had them.
///
/// # Errors
/// A node that does not exist or never runs.
pub fn compact(problem: &Problem, schedule: &Schedule) -> Result<CompactPlan, CompactError> {
    let n = problem.nodes.len();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut plan = CompactPlan::default();
    // Round of the present position, and the last step of it.
    let (mut round, mut previous): (usize, Option<(Kind, NodeId)>) = (0, None);
    for &step in &schedule.steps {
        let node = step.node();
        if node.0 >= n {
            return Err(CompactError::Node { what: "the schedule", node, nodes: n });
        }
        let kind = match step {
            Step::Compute(_) if seen[node] => Kind::Again,
            Step::Compute(_) => {
                seen[node] = true;
                order.push(node);
                (round, previous) = (0, None);
                continue;
            }
            Step::SwapOut(_) => Kind::Out,
            Step::SwapIn(_) => Kind::In,
            Step::Free(_) | Step::HostFree(_) => continue,
        };
        let position = order.len();
        // A copy to the host before the first run of all: there is nothing after which it could be.
        if previous.is_some_and(|last| last >= (kind, node))
            || position == 0 && kind == Kind::Out && round == 0
        {
            round += 1;
        }
        previous = Some((kind, node));
        let at = (position, node);
        match (round.checked_sub(1), kind) {
            (None, Kind::Out) => plan.swap_out.push((position - 1, node)),
            (None, Kind::In) => plan.swap_in.push(at),
            (None, Kind::Again) => plan.recompute.push(at),
            (Some(later), Kind::Again) => further(&mut plan.rounds, later).push(at),
            (Some(later), Kind::Out) => further(&mut plan.copies, later).swap_out.push(at),
            (Some(later), Kind::In) => further(&mut plan.copies, later).swap_in.push(at),
        }
    }
    if order.len() != n {
        return Err(CompactError::Order { nodes: n });
    }
    if !order.iter().copied().eq(NodeId::first(n)) {
        plan.order = Some(order);
    }
    Ok(plan)
}

/// The entry of a further round, made if it is not there.
fn further<T: Default + Clone>(rounds: &mut Vec<T>, index: usize) -> &mut T {
    rounds.resize(rounds.len().max(index + 1), T::default());
    &mut rounds[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Node;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);
    const D: NodeId = NodeId(3);
    const E: NodeId = NodeId(4);

    fn chain() -> Problem {
        Problem {
            name: "chain".into(),
            nodes: vec![
                Node::new("a", 2.0, 4, vec![]),
                Node::new("b", 3.0, 4, vec![0]),
                Node::new("c", 5.0, 4, vec![1]),
                Node::new("d", 1.0, 1, vec![0, 2]),
            ],
            resident_bytes: 0,
        }
    }

    #[test]
    fn values_go_after_their_last_use() {
        use Step::{Compute as Run, Free as F};
        let schedule = expand(&chain(), &CompactPlan::default()).unwrap();
        assert_eq!(schedule.steps, [Run(A), Run(B), Run(C), F(B), Run(D), F(A), F(C), F(D)]);
    }

    #[test]
    fn a_recompute_splits_the_lifetime() {
        use Step::{Compute as Run, Free as F};
        let plan = CompactPlan { recompute: vec![(3, A)], ..CompactPlan::default() };
        let schedule = expand(&chain(), &plan).unwrap();
        assert_eq!(schedule.steps, [Run(A), Run(B), F(A), Run(C), F(B), Run(A), Run(D), F(A), F(C), F(D)]);
        assert_eq!(compact(&chain(), &schedule).unwrap(), plan);
    }

    #[test]
    fn rounds_run_recomputes_of_a_position_in_any_order_and_twice() {
        use Step::{Compute as Run, Free as F};
        let plan = CompactPlan {
            recompute: vec![(3, B)],
            rounds: vec![vec![(3, A), (3, B)], vec![(3, A)]],
            ..CompactPlan::default()
        };
        let schedule = expand(&chain(), &plan).unwrap();
        let runs: Vec<Step> = schedule.steps.iter().copied().filter(|s| matches!(s, Run(_))).collect();
        assert_eq!(runs, [Run(A), Run(B), Run(C), Run(B), Run(A), Run(B), Run(A), Run(D)]);
        assert_eq!(schedule.steps.iter().filter(|&&s| s == F(B)).count(), 3);
        assert_eq!(compact(&chain(), &schedule).unwrap(), plan);
    }

    #[test]
    fn swaps_keep_the_device_copy_until_the_last_use() {
        use Step::{Compute as Run, Free as F, HostFree as H, SwapIn as I, SwapOut as O};
        let plan = CompactPlan { swap_out: vec![(0, A)], swap_in: vec![(3, A)], ..CompactPlan::default() };
        let schedule = expand(&chain(), &plan).unwrap();
        assert_eq!(
            schedule.steps,
            [Run(A), O(A), Run(B), F(A), Run(C), F(B), I(A), H(A), Run(D), F(A), F(C), F(D)]
        );
        assert_eq!(compact(&chain(), &schedule).unwrap(), plan);
    }

    #[test]
    fn every_order_of_copies_and_recomputes_has_a_form() {
        use Step::{Compute as Run, SwapIn as I, SwapOut as O};
        // b comes back after a was made again; a leaves after that; a comes back after b was made once more.
        let steps = [Run(A), Run(B), O(B), Run(C), Run(A), I(B), O(A), Run(B), I(A), Run(D)];
        let plan = compact(&chain(), &Schedule { steps: steps.to_vec() }).unwrap();
        assert_eq!((plan.swap_out.as_slice(), plan.recompute.as_slice()), (&[(1, B)][..], &[(3, A)][..]));
        let kept = |step: &Step| !matches!(step, Step::Free(_) | Step::HostFree(_));
        let again = expand(&chain(), &plan).unwrap();
        assert_eq!(again.steps.into_iter().filter(kept).collect::<Vec<_>>(), steps);
    }

    #[test]
    fn kept_values_are_not_freed_and_orders_round_trip() {
        let mut problem = chain();
        problem.nodes.push(Node { keep: true, ..Node::new("e", 1.0, 1, vec![0]) });
        let plan = CompactPlan {
            order: Some(vec![A, NodeId(4), NodeId(1), NodeId(2), NodeId(3)]),
            recompute: vec![(5, E), (4, A)],
            ..CompactPlan::default()
        };
        let schedule = expand(&problem, &plan).unwrap();
        assert!(!schedule.steps.ends_with(&[Step::Free(E)]));
        assert_eq!(schedule.steps.iter().filter(|&&s| s == Step::Free(E)).count(), 1);
        let back = compact(&problem, &schedule).unwrap();
        assert_eq!(back.order, plan.order);
        assert_eq!(expand(&problem, &back).unwrap(), schedule);
    }

    #[test]
    fn nonsense_is_refused() {
        let problem = chain();
        let at = |position, node| vec![(position, NodeId(node))];
        let plans = [
            CompactPlan { order: Some(vec![A, NodeId(1), NodeId(2)]), ..CompactPlan::default() },
            CompactPlan { order: Some(vec![A, NodeId(1), NodeId(2), NodeId(2)]), ..CompactPlan::default() },
            CompactPlan { recompute: at(5, 0), ..CompactPlan::default() },
            CompactPlan { recompute: at(2, 2), ..CompactPlan::default() },
            CompactPlan { recompute: at(2, 9), ..CompactPlan::default() },
            CompactPlan { swap_out: at(4, 0), ..CompactPlan::default() },
            CompactPlan { swap_out: at(0, 1), ..CompactPlan::default() },
            CompactPlan { swap_in: at(1, 1), ..CompactPlan::default() },
        ];
        for plan in plans {
            assert!(expand(&problem, &plan).is_err(), "{plan:?} was accepted");
        }
        assert!(compact(&problem, &Schedule { steps: vec![Step::Compute(NodeId(7))] }).is_err());
        assert!(compact(&problem, &Schedule { steps: vec![Step::Compute(A)] }).is_err());
    }
}
