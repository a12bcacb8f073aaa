//! A training step: the memory problem of one iteration, with the layer type of every node.

use ballast_core::graph::{Graph, LayerType};
use ballast_core::memory::{CompactPlan, NodeId, Problem, SwapModel};
use ballast_core::stage::Stage;
use serde::{Deserialize, Serialize};

/// The memory problem of one iteration, and what the scheduler knows of its layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingStep {
    /// The op sequence.
    pub problem: Problem,
    /// Layer type of every node.
    pub layers: Vec<LayerType>,
}

/// A tensor that can be away between two of its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The node that computes it.
    pub node: NodeId,
    /// Layer type of that node.
    pub layer: LayerType,
    /// Its bytes.
    pub bytes: u64,
    /// Position of the last node that uses it in the forward pass: copied out after it.
    pub out_after: usize,
    /// Position of the first node that uses it in the backward pass: back on the device before it.
    pub in_before: usize,
}

/// One entry per candidate: is it swapped?
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scheme(pub Vec<bool>);

impl From<Scheme> for String {
    fn from(scheme: Scheme) -> String {
        scheme.0.iter().map(|&swapped| if swapped { '1' } else { '0' }).collect()
    }
}

impl TryFrom<String> for Scheme {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.chars()
            .map(|c| match c {
                '0' => Ok(false),
                '1' => Ok(true),
                other => Err(format!("'{other}' in a scheme: it is written in 0 and 1")),
            })
            .collect::<Result<_, _>>()
            .map(Scheme)
    }
}

impl TrainingStep {
    /// The step one stage of a placed program runs; values made elsewhere have the layer type of their op.
    #[must_use]
    pub fn of_stage(graph: &Graph, stage: &Stage) -> Self {
        TrainingStep {
            problem: stage.problem.clone(),
            layers: stage.sources.iter().map(|source| graph.ops[source.op()].layer).collect(),
        }
    }

    /// The tensors worth swapping, by node: those with bytes that may be swapped and have something to run
    /// between their last forward and their first backward use.
    ///
    /// Where the problem does not say which nodes belong to the backward pass, the widest gap between two uses
    /// takes the place of the turn.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        let nodes = &self.problem.nodes;
        let turn_known = nodes.iter().any(|node| node.backward);
        let consumers = self.problem.consumers();
        NodeId::first(nodes.len())
            .filter(|&node| nodes[node].swappable && !nodes[node].pinned && nodes[node].bytes > 0)
            .filter_map(|node| {
                let uses: Vec<usize> =
                    std::iter::once(node.0).chain(consumers[node].iter().map(|user| user.0)).collect();
                let (out_after, in_before) = if turn_known {
                    let turn = uses.partition_point(|&user| !nodes[user].backward);
                    (*uses.get(turn.checked_sub(1)?)?, *uses.get(turn)?)
                } else {
                    // The first of the widest: ties go to the earlier gap.
                    let widest = uses.windows(2).rev().max_by_key(|pair| pair[1] - pair[0])?;
                    (widest[0], widest[1])
                };
                (in_before - out_after >= 2).then(|| Candidate {
                    node,
                    layer: self.layers[node],
                    bytes: nodes[node].bytes,
                    out_after,
                    in_before,
                })
            })
            .collect()
    }

    /// The plan of a scheme. Copies stand at the chosen points; where they overlap with computation, a copy
    /// back is issued early enough for the nodes between to cover it.
    #[must_use]
    pub(crate) fn plan_of(&self, candidates: &[Candidate], scheme: &Scheme, swap: &SwapModel) -> CompactPlan {
        let mut plan = CompactPlan::default();
        for (candidate, _) in candidates.iter().zip(&scheme.0).filter(|(_, swapped)| **swapped) {
            plan.swap_out.push((candidate.out_after, candidate.node));
            plan.swap_in.push((self.issue_point(candidate, swap), candidate.node));
        }
        plan.swap_in.sort_unstable();
        plan.swap_out.sort_unstable();
        plan
    }

    fn issue_point(&self, candidate: &Candidate, swap: &SwapModel) -> usize {
        if !swap.overlap {
            return candidate.in_before;
        }
        let needed = swap.in_time(candidate.bytes);
        let mut covered = 0.0;
        let mut at = candidate.in_before;
        while covered < needed && at > candidate.out_after + 1 {
            at -= 1;
            covered += self.problem.nodes[at].time;
        }
        at
    }
}

#[cfg(test)]
pub(super) mod tests {
    use ballast_core::memory::Node;

    use super::*;

    /// `layers` convolution and activation pairs, then their backward nodes in reverse, each reading the forward
    /// value of its layer and the gradient before it.
    pub(in crate::swaps) fn chain(layers: usize, bytes: u64, seconds: f64) -> TrainingStep {
        let mut problem = Problem { name: "chain".into(), ..Problem::default() };
        let mut types = Vec::new();
        for i in 0..2 * layers {
            let inputs = if i == 0 { vec![] } else { vec![i - 1] };
            problem.nodes.push(Node::new(format!("f{i}"), seconds, bytes, inputs));
            types.push(if i % 2 == 0 { LayerType::Convolution } else { LayerType::Activation });
        }
        for i in (0..2 * layers).rev() {
            let id = problem.nodes.len();
            let mut node = Node::new(format!("b{i}"), seconds, bytes / 8, vec![i, id - 1]);
            node.inputs.dedup();
            node.backward = true;
            problem.nodes.push(node);
            types.push(types[i]);
        }
        if let Some(last) = problem.nodes.last_mut() {
            last.keep = true;
        }
        TrainingStep { problem, layers: types }
    }

    #[test]
    fn candidates_are_away_between_forward_and_backward() {
        let step = chain(3, 80, 1.0);
        let candidates = step.candidates();
        let first = candidates[0];
        assert_eq!((first.node, first.out_after, first.in_before), (NodeId(0), 1, 11));
        // The last forward value is read by the first backward node right away.
        assert!(candidates.iter().all(|c| c.node != NodeId(5)));
        let mut unmarked = step.clone();
        unmarked.problem.nodes.iter_mut().for_each(|node| node.backward = false);
        assert_eq!(unmarked.candidates()[0], first);
    }

    #[test]
    fn overlapped_copies_are_issued_early_and_after_the_copy_out() {
        let step = chain(3, 80, 1.0);
        let candidates = step.candidates();
        let all = Scheme(vec![true; candidates.len()]);
        let swap = |overlap| SwapModel {
            out_bandwidth: 40.0,
            in_bandwidth: 40.0,
            latency: 0.0,
            overlap,
            host_capacity_bytes: None,
        };
        assert!(step.plan_of(&candidates, &all, &swap(false)).swap_in.contains(&(11, NodeId(0))));
        assert!(step.plan_of(&candidates, &all, &swap(true)).swap_in.contains(&(9, NodeId(0))));
        for (position, node) in step.plan_of(&candidates, &all, &swap(true)).swap_in {
            let candidate = candidates.iter().find(|c| c.node == node).expect("a candidate");
            assert!(position > candidate.out_after && position <= candidate.in_before);
        }
    }

    #[test]
    fn schemes_are_written_in_ones_and_noughts() {
        let text = serde_json::to_string(&Scheme(vec![true, false])).expect("plain");
        assert_eq!(text, "\"10\"");
        assert_eq!(serde_json::from_str::<Scheme>(&text).expect("round trip"), Scheme(vec![true, false]));
        assert!(serde_json::from_str::<Scheme>("\"12\"").is_err());
    }
}
