//! The memory problem that a solver plans for a stage of a pipeline, and the way back to the stage's own.
//!
//! Nodes stand in the order in which the passes run, so that what a value takes until its last reader is what a micro-batch takes. Between
//! the passes stand gates: nodes without time whose workspace leaves no more room than the stash may take. Data of the micro-batch
//! are nodes, too, so that making a value again in the backward pass holds the data it is made of until then.

use crate::memory::{CompactPlan, Node, NodeId, Problem, Schedule, Step, compact, expand};
use crate::pipeline::data::{Data, DataBytes, Held};
use crate::pipeline::micro_batch::MicroBatch;
use crate::pipeline::passes::{Event, events};
use crate::pipeline::schedule::Pass;

/// What a micro-batch may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StashLimits {
    /// At any moment.
    pub cap_bytes: u64,
    /// Between its forward and its backward pass.
    pub stash_bytes: u64,
    /// Between the halves of its backward pass; none: it is not split.
    pub deferred_bytes: Option<u64>,
}

/// The problem of one micro-batch under limits.
#[derive(Clone, Debug)]
pub struct Limited<'a> {
    micro: &'a MicroBatch,
    /// The problem.
    pub problem: Problem,
    /// The node of the stage that every node stands for; none for gates and data.
    origin: Vec<Option<NodeId>>,
    split: bool,
}

impl MicroBatch {
    /// The problem of a micro-batch under limits.
    #[must_use]
    pub fn limited(&self, limits: StashLimits) -> Limited<'_> {
        let split = limits.deferred_bytes.is_some();
        let mut builder = Builder {
            made: Limited {
                micro: self,
                problem: Problem { nodes: Vec::new(), ..self.problem.clone() },
                origin: Vec::new(),
                split,
            },
            node_of: vec![None; self.problem.nodes.len()],
            data: Vec::new(),
        };
        let once = builder.data(self.least_data(split));
        let passes: Vec<(usize, Pass)> = self.first_runs(split).collect();
        for pass in [Pass::Forward, Pass::Backward, Pass::Weights] {
            if pass == Pass::Weights && !split {
                break;
            }
            if pass == Pass::Backward && once > 0 {
                // From the start to here the data of this micro-batch are those that are there once.
                let room = builder.fixed("data", once, 0, Vec::new());
                builder.data.push((None, Pass::Weights, room));
            }
            for &(node, _) in passes.iter().filter(|(_, of)| *of == pass) {
                builder.copy(NodeId(node));
            }
            builder.end(pass);
            let (left, beside) = match (pass, limits.deferred_bytes) {
                (Pass::Forward, _) => (limits.stash_bytes, 0),
                (Pass::Backward, Some(bytes)) => (bytes, once),
                _ => continue,
            };
            let rest = limits.cap_bytes.saturating_sub(left).saturating_sub(beside);
            builder.fixed("between the passes", 0, rest, Vec::new());
        }
        builder.made
    }
}

struct Builder<'a> {
    made: Limited<'a>,
    /// The node that stands for each of the stage, once it has its place.
    node_of: Vec<Option<NodeId>>,
    /// Data: its argument, the last pass that reads it where nothing runs again, and its node.
    data: Vec<(Option<usize>, Pass, NodeId)>,
}

impl Builder<'_> {
    /// Adds the data; bytes of them that are there once.
    fn data(&mut self, least: DataBytes) -> u64 {
        let Data::Read(arguments) = &self.made.micro.data else { return least.once };
        let runs = self.made.micro.first_runs(self.made.split);
        for Held { argument, bytes, last } in arguments.held(&arguments.last(runs)) {
            let node = self.fixed("data", bytes, 0, Vec::new());
            self.data.push((Some(argument), last, node));
        }
        least.once
    }

    /// A node that runs once and stays.
    fn fixed(&mut self, label: &str, bytes: u64, workspace_bytes: u64, inputs: Vec<NodeId>) -> NodeId {
        let mut node = Node { workspace_bytes, inputs, ..Node::new(label, 0.0, bytes, []) };
        (node.recomputable, node.swappable, node.pinned) = (false, false, true);
        self.push(node, None)
    }

    fn push(&mut self, node: Node, origin: Option<NodeId>) -> NodeId {
        self.made.problem.nodes.push(node);
        self.made.origin.push(origin);
        NodeId(self.made.origin.len() - 1)
    }

    /// The next node of the stage.
    fn copy(&mut self, id: NodeId) {
        let micro = self.made.micro;
        let mut node = micro.problem.nodes[id].clone();
        node.inputs = node.inputs.iter().filter_map(|&input| self.node_of[input]).collect();
        // What runs in a later pass comes later, whoever has effects.
        node.after = node.after.and_then(|before| self.node_of[before]);
        if let Data::Read(arguments) = &micro.data {
            let reads = |argument: &Option<usize>| {
                argument.is_some_and(|argument| arguments.reads[id.0].contains(&argument))
            };
            node.inputs.extend(self.data.iter().filter(|(argument, ..)| reads(argument)).map(|data| data.2));
        }
        node.inputs.sort_unstable();
        self.node_of[id] = Some(self.push(node, Some(id)));
    }

    /// The end of a pass, until which its data stays.
    fn end(&mut self, pass: Pass) {
        let inputs: Vec<NodeId> =
            self.data.iter().filter(|&&(_, last, _)| last >= pass).map(|&(.., node)| node).collect();
        if !inputs.is_empty() {
            self.fixed("end of a pass", 0, 0, inputs);
        }
    }
}

impl Limited<'_> {
    /// A plan of this problem as one of the stage's own; none where it has no such form.
    #[must_use]
    pub fn plan_of(&self, plan: &CompactPlan) -> Option<CompactPlan> {
        let schedule = expand(&self.problem, plan).ok()?;
        let events = events(&self.problem, &schedule);
        let step = |event: &Event| {
            let node = self.origin[event.step.node()]?;
            Some(match event.step {
                Step::Compute(_) => Step::Compute(node),
                Step::SwapOut(_) => Step::SwapOut(node),
                Step::SwapIn(_) => Step::SwapIn(node),
                Step::Free(_) => Step::Free(node),
                Step::HostFree(_) => Step::HostFree(node),
            })
        };
        let order = if self.split { self.in_program_order(&events) } else { (0..events.len()).collect() };
        let steps = order.into_iter().filter_map(|index| step(&events[index])).collect();
        let plan = compact(&self.micro.problem, &Schedule { steps }).ok()?;
        (plan.rounds.is_empty() && plan.copies.is_empty()).then_some(plan)
    }

    /// Events with first runs in program order: what is made again stands before its first reader as the passes run, copies to the host where they
    /// stood, or earlier where they are needed earlier.
    fn in_program_order(&self, events: &[Event]) -> Vec<usize> {
        let place = |event: &Event| self.origin[event.step.node()].map(|node| node.0);
        // The first run that needs an event.
        let mut needed = vec![usize::MAX; events.len()];
        for (index, event) in events.iter().enumerate().rev() {
            if event.first && place(event).is_some() {
                needed[index] = index;
            }
            for &read in event.reads.iter().filter(|&&read| !events[read].first) {
                needed[read] = needed[read].min(needed[index]);
            }
        }
        let before = |index: usize| events.get(needed[index]).and_then(place);
        let n = self.micro.problem.nodes.len();
        // Around every first run: before it, and after it.
        let mut around = vec![[Vec::new(), Vec::new()]; n];
        let mut runs = vec![usize::MAX; n];
        let mut last = 0;
        for (index, event) in events.iter().enumerate() {
            let Some(own) = place(event) else { continue };
            if event.first {
                (runs[own], last) = (index, own);
            } else if let Some(before_run) = before(index) {
                match event.step {
                    Step::SwapOut(_) => {
                        let made = event.reads.iter().filter_map(|&read| before(read)).max().unwrap_or(own);
                        around[last.min(before_run.saturating_sub(1)).max(made)][1].push(index);
                    }
                    _ => around[before_run][0].push(index),
                }
            }
        }
        // What a position has twice is made once, and read by both.
        for [before, _] in &mut around {
            before.sort_by_key(|&index| {
                (matches!(events[index].step, Step::Compute(_)), place(&events[index]), index)
            });
            before.dedup_by_key(|&mut index| {
                (matches!(events[index].step, Step::Compute(_)), place(&events[index]))
            });
        }
        let runs = runs.into_iter().zip(around);
        runs.flat_map(|(run, [before, after])| before.into_iter().chain([run]).chain(after)).collect()
    }
}
