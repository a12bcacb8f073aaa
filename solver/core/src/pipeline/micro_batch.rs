//! One stage of a pipeline: what its device holds for one micro-batch, and how many it holds at a time.
//!
//! The exported program is one micro-batch. Of everything a device holds for it,
//! - *resident* bytes are there once for the whole step: weights, optimiser state, and the values the function
//!   returns (new weights), into which micro-batches are summed up;
//! - the *stash* is there once per micro-batch in flight: what lives between its forward and its backward pass,
//!   inputs of the micro-batch that the backward pass reads included;
//! - the *working* bytes are there once: the rest of the peak of the micro-batch that is running.
//!
//! With `K` micro-batches in flight a device needs `resident + K * stash + working` bytes. Where a schedule splits the
//! backward pass, what its first half makes for the second waits as `deferred` bytes.

use std::collections::BTreeSet;

use crate::graph::{BoundaryMemory, Graph, OpId, TensorId};
use crate::memory::{
    CompactPlan, CopyRound, Node, NodeId, Problem, ReplayError, Step, SwapModel, expand, replay,
};
use crate::stage::{NodeSource, Stage};

/// What a stage holds and takes for one micro-batch under a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Forward pass, receives and sends included, seconds.
    pub forward_seconds: f64,
    /// Backward pass up to the half for weights, recomputation included, seconds.
    pub backward_seconds: f64,
    /// The ops on whose values no other stage waits, seconds.
    pub weights_seconds: f64,
    /// Bytes per micro-batch in flight.
    pub stash_bytes: u64,
    /// Bytes beyond the stash while a pass runs.
    pub working_bytes: u64,
}

impl Measured {
    /// All of it, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.forward_seconds + self.backward_seconds + self.weights_seconds
    }
}

/// A stage seen as part of a pipeline.
#[derive(Clone, Debug)]
pub struct MicroBatch {
    /// The memory problem of one micro-batch without what is resident: returned values take no bytes of their own.
    pub problem: Problem,
    /// Nodes before this one are the forward pass.
    pub boundary: usize,
    /// Bytes held throughout the step.
    pub resident_bytes: u64,
    /// Bytes of inputs held per micro-batch from its forward to its backward pass.
    pub data_bytes: u64,
    /// Bytes that wait for the backward half for weights.
    pub deferred_bytes: u64,
    send_forward_seconds: f64,
    send_backward_seconds: f64,
    weights_seconds: f64,
}

impl MicroBatch {
    /// Reads a stage of `graph` whose backward pass starts at the op `first_backward`.
    #[must_use]
    pub fn of(graph: &Graph, stage: &Stage, first_backward: OpId) -> Self {
        let sources = &stage.sources;
        let mut boundary = sources
            .iter()
            .position(|source| matches!(source, NodeSource::Op(op) if *op >= first_backward))
            .unwrap_or(sources.len());
        // Receives stand just before their first reader.
        while boundary > 0
            && boundary < sources.len()
            && matches!(sources[boundary - 1], NodeSource::Receive(_))
        {
            boundary -= 1;
        }
        let mut problem = stage.problem.clone();
        problem.resident_bytes = 0;
        let mut resident_bytes = stage.problem.resident_bytes;
        for node in problem.nodes.iter_mut().filter(|node| node.keep) {
            resident_bytes += node.bytes;
            node.bytes = 0;
            (node.keep, node.recomputable, node.swappable, node.pinned) = (false, false, false, true);
        }
        let late = sources[boundary..].iter().filter_map(|source| match source {
            NodeSource::Op(op) => Some(*op),
            NodeSource::Receive(_) => None,
        });
        let read_late: BTreeSet<TensorId> = late.flat_map(|op| graph.argument_inputs(op)).collect();
        // What is updated comes back with the same type: other arguments are data of the micro-batch.
        let state: BTreeSet<&str> =
            graph.tensors.iter().filter(|t| t.returned).map(|tensor| tensor.type_name.as_str()).collect();
        let is_data = |argument: TensorId| {
            read_late.contains(&argument) && !state.contains(graph.tensors[argument].type_name.as_str())
        };
        let data = stage.arguments.iter().filter(|&&argument| is_data(argument));
        let data_bytes = match graph.ends {
            BoundaryMemory::NotCounted => 0,
            _ => data.map(|&argument| graph.tensors[argument].bytes.0).sum(),
        };
        resident_bytes -= data_bytes;
        let (onward, back): (Vec<_>, Vec<_>) = stage.sends.iter().partition(|(op, _)| *op < first_backward);
        let seconds = |sends: Vec<&(OpId, f64)>| sends.iter().map(|(_, seconds)| seconds).sum();
        let late = waited_for(stage, boundary);
        let is_op = |node: NodeId| matches!(sources[node], NodeSource::Op(_));
        let weights = |node: NodeId| node.0 >= boundary && is_op(node) && !late[node];
        let backward = NodeId::first(sources.len()).skip(boundary);
        let weights_seconds =
            backward.clone().filter(|&node| weights(node)).map(|node| problem.nodes[node].time).sum();
        let consumers = problem.consumers();
        let deferred_bytes = backward
            .filter(|&node| !weights(node) && consumers[node].iter().any(|&reader| weights(reader)))
            .map(|node| problem.nodes[node].bytes)
            .sum();
        MicroBatch {
            problem,
            boundary,
            resident_bytes,
            data_bytes,
            deferred_bytes,
            send_forward_seconds: seconds(onward),
            send_backward_seconds: seconds(back),
            weights_seconds,
        }
    }

    /// Times and bytes of one micro-batch under a plan.
    ///
    /// Without overlap a copy counts in the pass in which it stands; exposed time of copies that overlap counts as
    /// backward, where values come back. `split`: does the half for weights run apart?
    ///
    /// # Errors
    /// What the judge refuses.
    pub fn measure(
        &self,
        plan: &CompactPlan,
        swap: Option<&SwapModel>,
        split: bool,
    ) -> Result<Measured, ReplayError> {
        let refused = |reason: String| ReplayError { step: 0, node: None, reason };
        if plan.order.is_some() {
            return Err(refused("a stage of a pipeline keeps program order".to_owned()));
        }
        let schedule = expand(&self.problem, plan).map_err(|error| refused(error.to_string()))?;
        let replayed = replay(&self.problem, &schedule, swap, None)?;
        let nodes = &self.problem.nodes;
        let (mut stash, mut forward, mut left) = (0, 0.0, self.boundary);
        for &step in &schedule.steps {
            match step {
                // What stands at the boundary itself belongs to the backward pass.
                Step::Compute(_) | Step::SwapIn(_) if left == 0 => break,
                Step::Compute(node) => {
                    stash += nodes[node].bytes;
                    forward += nodes[node].time;
                    left -= usize::from(node.0 + left == self.boundary);
                }
                Step::SwapIn(node) => {
                    stash += nodes[node].bytes;
                    forward +=
                        swap.filter(|swap| !swap.overlap).map_or(0.0, |swap| swap.in_time(nodes[node].bytes));
                }
                Step::SwapOut(node) => {
                    forward += swap
                        .filter(|swap| !swap.overlap)
                        .map_or(0.0, |swap| swap.out_time(nodes[node].bytes));
                }
                Step::Free(node) => stash -= nodes[node].bytes,
                Step::HostFree(_) => {}
            }
        }
        let weights = if split { self.weights_seconds } else { 0.0 };
        Ok(Measured {
            forward_seconds: forward + self.send_forward_seconds,
            backward_seconds: (replayed.time - forward - weights).max(0.0) + self.send_backward_seconds,
            weights_seconds: weights,
            stash_bytes: stash + self.data_bytes,
            working_bytes: replayed.peak_bytes - stash,
        })
    }

    /// The problem with a node between the passes that keeps the stash at most at `stash_bytes` under a cap.
    #[must_use]
    pub fn with_stash_limit(&self, stash_bytes: u64, cap_bytes: u64) -> Problem {
        let mut problem = self.problem.clone();
        let shift = |node: NodeId| NodeId(node.0 + usize::from(node.0 >= self.boundary));
        for node in &mut problem.nodes {
            node.inputs.iter_mut().for_each(|input| *input = shift(*input));
        }
        let mut gate = Node::new("between the passes", 0.0, 0, []);
        gate.workspace_bytes = cap_bytes.saturating_sub(stash_bytes);
        (gate.recomputable, gate.swappable, gate.pinned) = (false, false, true);
        problem.nodes.insert(self.boundary, gate);
        problem
    }

    /// A plan of [`MicroBatch::with_stash_limit`] as one of the problem itself.
    #[must_use]
    pub fn without_gate(&self, plan: &CompactPlan) -> CompactPlan {
        let back = |at: usize| at - usize::from(at > self.boundary);
        // After the gate is after the node before it.
        let after = |at: usize| at.saturating_sub(usize::from(at >= self.boundary));
        let map = |list: &[(usize, NodeId)], place: &dyn Fn(usize) -> usize| {
            let mut list: Vec<(usize, NodeId)> =
                list.iter().map(|&(position, node)| (place(position), NodeId(back(node.0)))).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        CompactPlan {
            order: None,
            recompute: map(&plan.recompute, &back),
            rounds: plan.rounds.iter().map(|round| map(round, &back)).collect(),
            swap_out: map(&plan.swap_out, &after),
            swap_in: map(&plan.swap_in, &back),
            copies: plan
                .copies
                .iter()
                .map(|round| CopyRound {
                    swap_out: map(&round.swap_out, &back),
                    swap_in: map(&round.swap_in, &back),
                })
                .collect(),
        }
    }

    /// Seconds of sending, both passes.
    #[must_use]
    pub fn send_seconds(&self) -> f64 {
        self.send_forward_seconds + self.send_backward_seconds
    }
}

/// Which nodes another stage waits for in the backward pass: those whose values it is sent, and what they need.
fn waited_for(stage: &Stage, boundary: usize) -> Vec<bool> {
    let mut waited = vec![false; stage.sources.len()];
    for node in NodeId::first(stage.sources.len()).skip(boundary).rev() {
        let sent = matches!(stage.sources[node], NodeSource::Op(op)
            if stage.sends.binary_search_by_key(&op, |(sent, _)| *sent).is_ok());
        if sent || waited[node] {
            waited[node] = true;
            for &input in &stage.problem.nodes[node].inputs {
                waited[input] = true;
            }
        }
    }
    waited
}
