//! The memory plan of a stage carried over to one that runs nearly the same ops.

use std::collections::{BTreeSet, HashMap};

use ballast_core::memory::{CompactPlan, NodeId};
use ballast_core::stage::{NodeSource, Stage};

/// The plan of a stage for the nodes that are still there in another one of the same program, with its copies and without. Neither need keep any cap.
/// One in another order than the program's is a plan for the same nodes alone.
pub(crate) fn carried_over((before, plan): (&Stage, &CompactPlan), stage: &Stage) -> Vec<CompactPlan> {
    if plan.order.is_some() && before.sources == stage.sources {
        return vec![plan.clone()];
    }
    if plan.order.is_some() || !plan.rounds.is_empty() || !plan.copies.is_empty() {
        return Vec::new();
    }
    let new_of: HashMap<NodeSource, usize> =
        stage.sources.iter().enumerate().map(|(node, &source)| (source, node)).collect();
    // Of every old position the first new one that is not before it: nodes of both stages are in program order.
    let end = stage.sources.len();
    let mut position_of = vec![end; before.sources.len() + 1];
    for (node, source) in before.sources.iter().enumerate().rev() {
        position_of[node] = new_of.get(source).copied().unwrap_or(position_of[node + 1]);
    }
    // The node that has a value here, and where that is done: before a position, or after it. What arrives from elsewhere by now arrives again where it
    // has been read before, and is nothing to copy.
    let arrives = |node: usize| matches!(stage.sources[node], NodeSource::Receive(_));
    let is_read = |node: usize, until: usize| {
        stage.problem.nodes[node..until].iter().any(|reader| reader.inputs.contains(&NodeId(node)))
    };
    let placed = |&(position, node): &(usize, NodeId), is_before: bool| {
        let source = before.sources[node.0];
        let received = || new_of.get(&NodeSource::Receive(source.op())).filter(|_| is_before);
        let node = *new_of.get(&source).or_else(received)?;
        let first = node + usize::from(is_before);
        let last = end.checked_sub(1)?;
        let position = position_of[position];
        let fits = (first..=last).contains(&position) && (!arrives(node) || is_read(node, position));
        fits.then_some((position, NodeId(node)))
    };
    let back: BTreeSet<_> = plan.swap_in.iter().filter_map(|at| placed(at, true)).collect();
    let (arriving, copied): (BTreeSet<_>, BTreeSet<_>) =
        back.into_iter().partition(|&(_, node)| arrives(node.0));
    let again: BTreeSet<_> = plan.recompute.iter().filter_map(|at| placed(at, true)).collect();
    let comes_back = |&(_, node): &(usize, NodeId)| copied.iter().any(|&(_, other)| other == node);
    let out: BTreeSet<_> =
        plan.swap_out.iter().filter_map(|at| placed(at, false)).filter(comes_back).collect();
    let without =
        CompactPlan { recompute: again.union(&arriving).copied().collect(), ..CompactPlan::default() };
    let with = CompactPlan {
        swap_out: out.into_iter().collect(),
        swap_in: copied.into_iter().collect(),
        ..without.clone()
    };
    if with == without { vec![without] } else { vec![with, without] }
}

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::{Cluster, DeviceId};
    use ballast_core::graph::{Graph, OpId};
    use ballast_core::limits::{Deadline, Limits};
    use ballast_core::memory::expand;
    use ballast_core::program::Program;
    use ballast_core::units::Bytes;

    use crate::Options;
    use crate::round::Round;
    use crate::support::graph;

    use super::*;

    /// Four ops forward and four backward, each of which reads what the one opposite made.
    fn training() -> Graph {
        graph((0..8).map(|id| {
            let inputs = match id {
                0 => vec![],
                1..=4 => vec![id - 1],
                _ => vec![id - 1, 7 - id],
            };
            (inputs, 100, id == 7)
        }))
    }

    #[test]
    fn what_is_left_of_a_plan_keeps_its_place_among_the_nodes_that_are_left() {
        let graph = training();
        let costs = Costs { seconds: vec![vec![1.0; 8]; 2] };
        let cluster = Cluster::from_count(2).expect("devices");
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let limits = Limits { time_limit_seconds: None, work_limit: Some(1_000), seed: 1, threads: 1 };
        let options = Options { limits, ..Options::default() };
        let place = |away: &[usize]| -> Vec<DeviceId> {
            (0..8).map(|op| DeviceId(usize::from(away.contains(&op)))).collect()
        };
        let caps = [Bytes(10_000); 2];
        let round = Round::plan(&program, place(&[]), (&caps, None), &options, &Deadline::after(None));
        let mut round = round.expect("a plan");
        let at = |list: &[(usize, usize)]| -> Vec<(usize, NodeId)> {
            list.iter().map(|&(position, node)| (position, NodeId(node))).collect()
        };
        // Op 1 is made again for op 6, op 2 for op 5; op 0 is on the host from op 1 to op 7.
        round.outcomes[0].plan = CompactPlan {
            recompute: at(&[(5, 2), (6, 1)]),
            swap_out: at(&[(1, 0)]),
            swap_in: at(&[(7, 0)]),
            ..CompactPlan::default()
        };
        let before = (&round.stages[0], &round.outcomes[0].plan);
        let carried = |away: &[usize]| {
            let stage = &program.stages(&place(away))[0];
            let starts = carried_over(before, stage);
            assert!(starts.iter().all(|start| expand(&stage.problem, start).is_ok()), "{starts:?}");
            starts
        };
        let all = carried(&[]);
        assert_eq!(all[0], round.outcomes[0].plan);
        // One in another order is a plan for the same nodes alone.
        let order = Some([1, 0, 2, 3, 4, 5, 6, 7].map(NodeId).to_vec());
        let reordered = CompactPlan { order, ..CompactPlan::default() };
        let start = (&round.stages[0], &reordered);
        assert_eq!(carried_over(start, &round.stages[0]), std::slice::from_ref(&reordered));
        assert_eq!(carried_over(start, &program.stages(&place(&[3]))[0]), []);
        assert_eq!(all[1], CompactPlan { recompute: at(&[(5, 2), (6, 1)]), ..CompactPlan::default() });
        // Op 3, which op 4 reads, is received in its place: nothing moves. Op 2 elsewhere arrives a second time where it ran again.
        assert_eq!(carried(&[3])[0], round.outcomes[0].plan);
        let stage = &program.stages(&place(&[2]))[0];
        assert_eq!(stage.sources[2], NodeSource::Receive(OpId(2)));
        assert_eq!(carried(&[2])[0], round.outcomes[0].plan);
        // Op 0 arrives again where it was copied back.
        let arriving = CompactPlan { recompute: at(&[(5, 2), (6, 1), (7, 0)]), ..CompactPlan::default() };
        assert_eq!(carried(&[0]), [arriving]);
        // Op 6 is elsewhere: what ran before it runs before op 7, which receives its value.
        let later = carried(&[6]);
        assert!(
            later[0].recompute.iter().any(|&(position, node)| position >= 6 && node == NodeId(1)),
            "{later:?}"
        );
        // Of ops that are gone what arrives and is read twice; op 1 and op 0 are read once here.
        let arriving = CompactPlan { recompute: at(&[(3, 0)]), ..CompactPlan::default() };
        assert_eq!(carried(&[0, 1, 2]), [arriving]);
    }
}
