//! One stage of a pipeline: what its device holds for one micro-batch, and for how long.
//!
//! The exported program is one micro-batch. Of everything a device holds for it,
//! - *resident* bytes are there once for the whole step: weights, optimiser state, and the values the function
//!   returns (new weights), into which micro-batches are summed up;
//! - the *stash* is there once per micro-batch in flight: what lives between its forward and its backward pass,
//!   inputs of the micro-batch that the backward pass reads included;
//! - *deferred* bytes are there once per micro-batch between the halves of its backward pass, where a schedule splits it;
//! - each pass has a peak, which the micro-batch that is running holds.
//!
//! Where an update waits for gradients of other stages, such as a norm over all of them, it runs once, after the last backward pass of any stage. What each
//! micro-batch is charged for it stands for the sum it adds to.
//!
//! [`need_bytes`](super::need_bytes) puts them together for the micro-batches that a schedule has in flight.

use crate::device::DeviceId;
use crate::graph::{Graph, OpId};
use crate::memory::{CompactPlan, NodeId, Problem, ReplayError, SwapModel, expand, replay};
use crate::pipeline::data::{Arguments, Data, DataBytes};
use crate::pipeline::passes::play_passes;
use crate::pipeline::schedule::Pass;
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
    /// Bytes per micro-batch between its forward and its backward pass.
    pub stash_bytes: u64,
    /// Bytes per micro-batch between the halves of its backward pass; 0 where it is not split.
    pub deferred_bytes: u64,
    /// Most bytes of a micro-batch during each of its passes: forward, backward, the half for weights.
    pub peak_bytes: [u64; 3],
    /// What of its data is held for how long.
    pub data: DataBytes,
    /// Most bytes of one micro-batch whose passes run in program order, data that the backward pass reads included.
    pub alone_bytes: u64,
}

impl Measured {
    /// All of it, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.forward_seconds + self.backward_seconds + self.weights_seconds
    }

    /// Most bytes of a micro-batch during a pass.
    #[must_use]
    pub fn peak_of(&self, pass: Pass) -> u64 {
        self.peak_bytes[pass as usize]
    }
}

/// A stage seen as part of a pipeline.
#[derive(Clone, Debug)]
pub struct MicroBatch {
    /// The memory problem of one micro-batch without what is resident: returned values take no bytes of their own.
    pub problem: Problem,
    /// Nodes before this one are the forward pass.
    pub boundary: usize,
    /// Bytes held throughout the step, data of the micro-batch apart.
    pub resident_bytes: u64,
    /// Is it a stage of the pipeline? A device that runs nothing is none.
    pub counts: bool,
    /// Seconds of the ops and receives that wait for values of the backward pass of earlier stages: they run once, when all backward passes have ended.
    pub update_seconds: f64,
    pub(super) data: Data,
    /// Nodes that run in the backward half for weights, where it is split.
    pub(super) weights: Vec<bool>,
    send_forward_seconds: f64,
    send_backward_seconds: f64,
}

impl MicroBatch {
    /// Reads a stage of `graph`, placed as `device_of` says, whose backward pass starts at the op `first_backward`.
    #[must_use]
    pub fn of(graph: &Graph, stage: &Stage, device_of: &[DeviceId], first_backward: OpId) -> Self {
        let data = Data::Read(Arguments::of(graph, stage));
        Self::read(stage, first_backward, data, |op| device_of[op] < stage.device)
    }

    /// Reads a stage whose backward pass starts at the op `first_backward`, and of whose resident bytes so many are data: under its plan,
    /// and without recomputation. `earlier`: is an op on an earlier stage?
    #[must_use]
    pub fn with_data(
        stage: &Stage,
        first_backward: OpId,
        [planned, unplanned]: [DataBytes; 2],
        earlier: impl Fn(OpId) -> bool,
    ) -> Self {
        Self::read(stage, first_backward, Data::Known { planned, unplanned }, earlier)
    }

    fn read(stage: &Stage, first_backward: OpId, data: Data, earlier: impl Fn(OpId) -> bool) -> Self {
        let sources = &stage.sources;
        let boundary = boundary(stage, first_backward);
        let mut problem = stage.problem.clone();
        problem.resident_bytes = 0;
        let mut resident_bytes = stage.problem.resident_bytes;
        for node in problem.nodes.iter_mut().filter(|node| node.keep) {
            resident_bytes += node.bytes;
            node.bytes = 0;
            (node.keep, node.recomputable, node.swappable, node.pinned) = (false, false, false, true);
        }
        let (onward, back): (Vec<_>, Vec<_>) = stage.sends.iter().partition(|(op, _)| *op < first_backward);
        let seconds = |sends: Vec<&(OpId, f64)>| sends.iter().map(|(_, seconds)| seconds).sum();
        let waited = waited_for(stage, boundary);
        let is_op = |node: NodeId| matches!(sources[node], NodeSource::Op(_));
        let weights: Vec<bool> = NodeId::first(sources.len())
            .map(|node| node.0 >= boundary && is_op(node) && !waited[node])
            .collect();
        let mut micro = MicroBatch {
            counts: !problem.nodes.is_empty(),
            update_seconds: update_seconds(stage, first_backward, earlier),
            problem,
            boundary,
            resident_bytes,
            data,
            weights,
            send_forward_seconds: seconds(onward),
            send_backward_seconds: seconds(back),
        };
        micro.resident_bytes = micro.resident_bytes.saturating_sub(micro.least_data(false).total());
        micro
    }

    /// The data of a micro-batch and how long it is held where every node runs once: no plan holds less.
    #[must_use]
    pub fn least_data(&self, split: bool) -> DataBytes {
        self.data.bytes(self.first_runs(split), true)
    }

    /// The pass in which every node first runs.
    pub(super) fn first_runs(&self, split: bool) -> impl Iterator<Item = (usize, Pass)> {
        let pass = move |(node, &weights): (usize, &bool)| match (node < self.boundary, split && weights) {
            (true, _) => (node, Pass::Forward),
            (false, true) => (node, Pass::Weights),
            (false, false) => (node, Pass::Backward),
        };
        self.weights.iter().enumerate().map(pass)
    }

    /// Times and bytes of one micro-batch under a plan.
    ///
    /// A pass ends when its copies do: between passes no copy runs. `split`: does the half for weights run apart?
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
        let weights = split.then_some(self.weights.as_slice());
        let (passes, data) =
            play_passes(&self.problem, &schedule, swap, (self.boundary, weights), &self.data)?;
        let [forward, backward, weights] = passes;
        Ok(Measured {
            forward_seconds: forward.seconds + self.send_forward_seconds,
            backward_seconds: backward.seconds + self.send_backward_seconds,
            weights_seconds: weights.seconds,
            stash_bytes: forward.left_bytes,
            deferred_bytes: backward.left_bytes,
            peak_bytes: passes.map(|pass| pass.peak_bytes),
            data,
            alone_bytes: replayed.peak_bytes.saturating_add(data.stash),
        })
    }

    /// Seconds of sending, both passes.
    #[must_use]
    pub fn send_seconds(&self) -> f64 {
        self.send_forward_seconds + self.send_backward_seconds
    }
}

/// Where the backward pass of a stage starts: nodes before it are the forward pass.
fn boundary(stage: &Stage, first_backward: OpId) -> usize {
    let sources = &stage.sources;
    let first = |source: &NodeSource| matches!(source, NodeSource::Op(op) if *op >= first_backward);
    let mut boundary = sources.iter().position(first).unwrap_or(sources.len());
    // Receives stand just before their first reader.
    while boundary > 0 && boundary < sources.len() && matches!(sources[boundary - 1], NodeSource::Receive(_))
    {
        boundary -= 1;
    }
    boundary
}

/// Seconds of what waits for backward values of `earlier` stages. Gradients go to earlier ones, so that an update waits for what comes from there.
fn update_seconds(stage: &Stage, first_backward: OpId, earlier: impl Fn(OpId) -> bool) -> f64 {
    let mut waits = vec![false; stage.sources.len()];
    let mut seconds = 0.0;
    for (node, source) in NodeId::first(stage.sources.len()).zip(&stage.sources) {
        let what = &stage.problem.nodes[node];
        waits[node] = what.inputs.iter().any(|&input| waits[input])
            || matches!(source, NodeSource::Receive(op) if *op >= first_backward && earlier(*op));
        if waits[node] {
            seconds += what.time;
        }
    }
    seconds
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
