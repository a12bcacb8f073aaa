//! A program as a graph: ops in program order, tensors between them. Plain data, no MLIR.

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::units::Bytes;

crate::index_type!(
    /// Index of an op in [`Graph::ops`]; also its position in program order.
    OpId
);
crate::index_type!(
    /// Index of a tensor in [`Graph::tensors`].
    TensorId
);

/// Arithmetic a device has a peak rate for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arithmetic {
    /// 64-bit floating point, and complex of it.
    F64,
    /// 32-bit floating point (TF32 where the device file says so), and complex of it.
    F32,
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    F16,
    /// Any 8-bit or narrower floating-point type.
    F8,
    /// Integers of 8 bits or fewer.
    I8,
    /// Wider integers, index and booleans.
    Int,
}

/// How an op takes part in planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpRole {
    /// Computes tensors of its own: planned.
    Compute,
    /// Its result shares the memory of operand 0 (reshape and other views): no time, no memory; travels with
    /// its consumers.
    View,
    /// A constant, or a cheap producer that reads only constants (empty, fill, iota, splat broadcast): no time,
    /// no memory; travels with its consumers.
    Constant,
}

/// Layer types, as the swap scheduler and the layer table use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerType {
    /// Convolutions and their gradients.
    Convolution,
    /// Window reductions and their gradients.
    Pooling,
    /// Matrix products.
    Dense,
    /// Reductions.
    Normalisation,
    /// Elementwise arithmetic.
    Activation,
    /// Everything else.
    Other,
}

/// Arithmetic and traffic of one execution of an op.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Operations, a multiply-add counted as two.
    pub flops: u64,
    /// Operations by the counting of \[D\] (`docs/sources.md`): k multiplications and k - 1 additions for a dot product of length k.
    pub macs_exact: u64,
    /// Which peak rate applies.
    pub arithmetic: Arithmetic,
    /// Bytes read from and written to device memory.
    pub bytes: Bytes,
    /// Is the count a formula of the op's own, rather than the bytes of its operands and results alone?
    pub priced: bool,
}

impl Work {
    /// No arithmetic and no traffic.
    pub const NONE: Work =
        Work { flops: 0, macs_exact: 0, arithmetic: Arithmetic::F32, bytes: Bytes::ZERO, priced: true };
}

/// Rules a user put on an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Never run it twice.
    pub never_recompute: bool,
    /// Never swap its value.
    pub never_swap: bool,
    /// Keep its value on the device from first computation to last use.
    pub must_keep: bool,
    /// Run it on this device.
    pub device: Option<DeviceId>,
}

/// One op.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// Op name, such as `stablehlo.dot_general`.
    pub name: String,
    /// Key under which a measured profile lists it: name, callee or the first ops of its body, operand and result types, how often it runs, and a hash of what else it says.
    pub key: String,
    /// Source location as the framework wrote it, for messages.
    pub location: String,
    /// Tensors read, in operand order, captured values of regions appended; repeats possible.
    pub inputs: Vec<TensorId>,
    /// Tensors produced.
    pub outputs: Vec<TensorId>,
    /// How it takes part in planning.
    pub role: OpRole,
    /// Its layer type.
    pub layer: LayerType,
    /// Is it a contraction or convolution, which opens a new layer in layer granularity?
    pub opens_layer: bool,
    /// Arithmetic and traffic.
    pub work: Work,
    /// Without side effects and randomness: may run again.
    pub pure_op: bool,
    /// Backward pass, where that is known.
    pub backward: Option<bool>,
    /// Bytes held only while it runs.
    pub workspace: Bytes,
    /// User rules.
    pub rules: Rules,
    /// What runs inside of it one after another, as the body of a loop does: its time is that of these. Empty: it is one piece of work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<Inner>,
    /// The op whose value it writes its own over, where both are on one device: nobody reads that afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<OpId>,
}

/// Work inside of an op.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    /// Arithmetic and traffic of one execution.
    pub work: Work,
    /// Executions for one of the op.
    pub times: u64,
}

impl Op {
    /// Is it free of effects, and does no rule keep it from running more than once?
    #[must_use]
    pub fn may_run_again(&self) -> bool {
        self.pure_op && !self.rules.never_recompute && !self.rules.must_keep
    }

    /// A pure op that computes the tensors of the numbers `outputs` from those of the numbers `inputs` and costs nothing: what
    /// there is to say of it besides is set by the caller.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        inputs: impl IntoIterator<Item = usize>,
        outputs: impl IntoIterator<Item = usize>,
    ) -> Self {
        Op {
            name: name.into(),
            key: String::new(),
            location: String::new(),
            inputs: inputs.into_iter().map(TensorId).collect(),
            outputs: outputs.into_iter().map(TensorId).collect(),
            role: OpRole::Compute,
            layer: LayerType::Other,
            opens_layer: false,
            work: Work::NONE,
            pure_op: true,
            backward: None,
            workspace: Bytes::ZERO,
            rules: Rules::default(),
            inner: Vec::new(),
            over: None,
        }
    }
}

/// One tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tensor {
    /// Producing op; none: an argument of the function.
    pub producer: Option<OpId>,
    /// Which result, or which argument.
    pub index: usize,
    /// Stored size; of a view, the size of the view itself.
    pub bytes: Bytes,
    /// Is it returned by the function?
    pub returned: bool,
    /// Type as printed, for messages and profiles.
    pub type_name: String,
}

/// What of a program's arguments and results counts as memory of a stage, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryMemory {
    /// Arguments from start to end, a result from when it is made: a back end that allocates as it goes.
    #[default]
    #[serde(rename = "as-made")]
    ResultsWhenMade,
    /// Both from start to end: the caller of an XLA executable hands in buffers for the results.
    Throughout,
    /// Neither: temporaries alone.
    #[serde(rename = "left")]
    NotCounted,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Function name.
    pub name: String,
    /// Ops in program order, which is topological.
    pub ops: Vec<Op>,
    /// Tensors.
    pub tensors: Vec<Tensor>,
    /// Hash of all that the ops say and this graph does not hold: attributes, constants, regions, and functions called; 16
    /// hexadecimal digits, empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// What of arguments and results counts.
    #[serde(default)]
    pub ends: BoundaryMemory,
    /// Arguments whose buffers the caller gives up for a result, each with that result (`tf.aliasing_output`), or what it is a view of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub donated: Vec<(TensorId, TensorId)>,
    /// Buffers that the back end fills before the first op and holds until the op named has run.
    #[serde(default)]
    pub early: Vec<(OpId, Bytes)>,
    /// Do results alone lie in their buffers? Others do before them where ops run in program order and once a step: neither in orders of their own
    /// nor by micro-batches, which results are summed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub results_apart: bool,
    /// Where what a device holds lies in a heap that is filled the largest value first, as XLA's is: how much of what is held throughout is there for the
    /// gaps. A memory plan is made again for less where its values, laid out so, have more of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_gaps: Option<Bytes>,
}

/// Where the bytes of a tensor live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backing {
    /// In the value of this op.
    Op(OpId),
    /// In this argument.
    Argument(TensorId),
    /// Nowhere: a constant.
    None,
}

impl Graph {
    /// Follows views back to what holds the bytes of a tensor.
    #[must_use]
    pub fn backing(&self, mut tensor: TensorId) -> Backing {
        loop {
            let Some(producer) = self.tensors[tensor].producer else {
                return Backing::Argument(tensor);
            };
            let op = &self.ops[producer];
            match op.role {
                OpRole::Compute => return Backing::Op(producer),
                OpRole::Constant => return Backing::None,
                OpRole::View => match op.inputs.first() {
                    Some(&base) => tensor = base,
                    None => return Backing::None,
                },
            }
        }
    }

    /// Bytes of an op's value: the sum over its results, zero for views and constants.
    #[must_use]
    pub fn value_bytes(&self, op: OpId) -> Bytes {
        match self.ops[op].role {
            OpRole::Compute => self.ops[op].outputs.iter().map(|&t| self.tensors[t].bytes).sum(),
            OpRole::View | OpRole::Constant => Bytes::ZERO,
        }
    }

    /// Makes workspace of results that nothing reads, beside others of their op that something does: they are there while it runs, and no longer.
    pub fn let_go_of_unread_results(&mut self) {
        let mut kept: Vec<bool> = self.tensors.iter().map(|tensor| tensor.returned).collect();
        for &read in self.ops.iter().flat_map(|op| &op.inputs) {
            kept[read] = true;
        }
        for op in &mut self.ops {
            if op.role == OpRole::Compute && op.outputs.iter().any(|&result| kept[result]) {
                for &result in op.outputs.iter().filter(|&&result| !kept[result]) {
                    op.workspace.0 += std::mem::take(&mut self.tensors[result].bytes.0);
                }
            }
        }
    }

    /// The planned ops, in program order.
    pub fn planned(&self) -> impl Iterator<Item = OpId> + '_ {
        OpId::of(&self.ops).filter(|(_, op)| op.role == OpRole::Compute).map(|(id, _)| id)
    }

    /// Is every planned op that a rule binds to a device there?
    #[must_use]
    pub fn keeps_device_rules(&self, device_of: &[DeviceId]) -> bool {
        self.planned().all(|op| self.ops[op].rules.device.is_none_or(|rule| rule == device_of[op]))
    }

    /// The planned ops whose values `op` reads, through views; ascending, no repeats.
    #[must_use]
    pub fn value_inputs(&self, op: OpId) -> Vec<OpId> {
        let mut inputs: Vec<OpId> = self.ops[op]
            .inputs
            .iter()
            .filter_map(|&t| match self.backing(t) {
                Backing::Op(producer) => Some(producer),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// The arguments `op` reads, through views; ascending, no repeats.
    #[must_use]
    pub fn argument_inputs(&self, op: OpId) -> Vec<TensorId> {
        let mut inputs: Vec<TensorId> = self.ops[op]
            .inputs
            .iter()
            .filter_map(|&t| match self.backing(t) {
                Backing::Argument(argument) => Some(argument),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Ops whose values the function returns, through views.
    #[must_use]
    pub fn returned_ops(&self) -> Vec<bool> {
        let mut returned = vec![false; self.ops.len()];
        for (tensor, facts) in TensorId::of(&self.tensors) {
            if facts.returned
                && let Backing::Op(op) = self.backing(tensor)
            {
                returned[op] = true;
            }
        }
        returned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_nothing_reads_are_there_while_their_op_runs() {
        let tensor = |producer, index, bytes, returned| Tensor {
            producer: Some(OpId(producer)),
            index,
            bytes: Bytes(bytes),
            returned,
            type_name: String::new(),
        };
        // Two sorts, of whose values and indices the first's values and the second's indices are used; of the last op nothing is.
        let outputs = [[0, 1], [2, 3], [4, 5]];
        let ops = outputs.map(|outputs| Op::new("sort", [], outputs));
        let tensors = (0..6).map(|id| tensor(id / 2, id % 2, 10 + id as u64, id == 3)).collect();
        let mut graph = Graph { ops: ops.into(), tensors, ..Graph::default() };
        graph.ops[1].inputs = vec![TensorId(0)];
        graph.ops[1].workspace = Bytes(7);
        graph.let_go_of_unread_results();
        let bytes = |op: usize| (graph.value_bytes(OpId(op)).0, graph.ops[op].workspace.0);
        assert_eq!([0, 1, 2].map(bytes), [(10, 11), (13, 7 + 12), (14 + 15, 0)]);
    }

    #[test]
    fn a_device_rule_is_about_planned_ops() {
        let mut ops = [Op::new("add", [], []), Op::new("reshape", [], [])];
        ops[1].role = OpRole::View;
        ops.iter_mut().for_each(|op| op.rules.device = Some(DeviceId(1)));
        let graph = Graph { ops: ops.into(), ..Graph::default() };
        assert!(graph.keeps_device_rules(&[1, 0].map(DeviceId)));
        assert!(!graph.keeps_device_rules(&[0, 1].map(DeviceId)));
    }
}
