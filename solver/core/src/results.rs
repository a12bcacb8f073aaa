//! Values that lie in the buffers of results.
//!
//! Where the caller hands in buffers for the results, these are there from the start, and until a result is written its buffer
//! may hold other values. XLA's rule (openxla/xla, `buffer_assignment.cc`, `AssignBuffersForComputations`): values in order of
//! size, the largest first and results before others; a value goes into the smallest buffer of a result that is no smaller than it
//! and holds nothing at the same time; everything else goes to the heap. A value read for the last time by the op that
//! overwrites it, elementwise and in its type, does not meet that op's own value. Every device has the buffers of the results it makes.
//!
//! A result that an argument is donated for lies in the buffer of that argument, which is there throughout anyway, on a device that holds the argument.
//!
//! That is where values lie as long as nothing runs again. A plan may keep a value beyond its last first reader, to run that reader
//! again, and the buffer is taken by then. So only values none of whose readers can be worth running again count as lying there: those
//! that make results, and those whose own values lie in the buffers of results on the same terms.

mod buffers;

use std::collections::BTreeMap;

use self::buffers::{Buffers, Span};
use crate::device::DeviceId;
use crate::graph::{BoundaryMemory, Graph, LayerType, OpId, OpRole, TensorId};
use crate::units::Bytes;

/// How a value lies in the buffer of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InResult {
    /// It is the result.
    Own,
    /// It is the result, and its buffer that of an argument.
    Donated,
    /// It has gone when the result is written.
    Before,
}

impl Graph {
    /// The op's value as memory of its stage, apart from what lies in the buffers of results; and the results among it.
    #[must_use]
    pub fn stored_bytes(&self, op: OpId, in_buffer: &[Option<InResult>]) -> (Bytes, Bytes) {
        let all = self.value_bytes(op);
        if self.ends == BoundaryMemory::ResultsWhenMade || all == Bytes::ZERO {
            return (all, Bytes::ZERO);
        }
        let bytes = |what: &dyn Fn(Option<InResult>) -> bool| -> Bytes {
            let outputs = self.ops[op].outputs.iter().filter(|&&tensor| what(in_buffer[tensor]));
            outputs.map(|&tensor| self.tensors[tensor].bytes).sum()
        };
        (bytes(&|place| place.is_none()), bytes(&|place| place == Some(InResult::Own)))
    }

    /// What lies in the buffers of results, where these are there from the start: the results, and what fits in before them and
    /// is gone by then under every plan. On one device.
    #[must_use]
    pub fn in_result_buffers(&self) -> Vec<Option<InResult>> {
        self.lent_by_results(|_| DeviceId(0))
    }

    /// The same under a placement: a device lends what it has. `device_of` names a device for every op; entries of views and constants are not read.
    ///
    /// # Panics
    /// When `device_of` is shorter than the op list.
    #[must_use]
    pub fn in_result_buffers_on(&self, device_of: &[DeviceId]) -> Vec<Option<InResult>> {
        self.lent_by_results(|id| device_of[id])
    }

    fn lent_by_results(&self, device_of: impl Fn(OpId) -> DeviceId) -> Vec<Option<InResult>> {
        let results = self.in_results();
        let mut places: Vec<Option<InResult>> =
            results.iter().map(|&result| result.then_some(InResult::Own)).collect();
        for result in self.in_donated(&device_of) {
            places[result] = places[result].and(Some(InResult::Donated));
        }
        if self.results_apart {
            return places;
        }
        let mut spans = self.spans(&results);
        // Stable: what is equally large stays in program order.
        spans.sort_by_key(|span| (std::cmp::Reverse(self.tensors[span.tensor].bytes), !results[span.tensor]));
        // The buffers come in order of size, and all are large enough for what comes next: the last that takes it is the smallest.
        let mut lent: BTreeMap<DeviceId, Buffers> = BTreeMap::new();
        for span in spans {
            let Some(maker) = self.tensors[span.tensor].producer else { continue };
            let buffers = lent.entry(device_of(maker)).or_default();
            if places[span.tensor] == Some(InResult::Donated) {
                // What else may lie there until the argument is read last and after is not known.
            } else if results[span.tensor] {
                buffers.add(span);
            } else if buffers.put(span, |held, span| self.are_apart(held, span)) {
                places[span.tensor] = Some(InResult::Before);
            }
        }
        self.drop_what_may_be_kept_longer(&mut places);
        places
    }

    /// The results that lie in the buffer of an argument: those made where it is read, and as large.
    fn in_donated(&self, device_of: &impl Fn(OpId) -> DeviceId) -> Vec<TensorId> {
        let mut reads_on: BTreeMap<TensorId, Vec<DeviceId>> = BTreeMap::new();
        if !self.donated.is_empty() {
            for id in self.planned() {
                for argument in self.argument_inputs(id) {
                    reads_on.entry(argument).or_default().push(device_of(id));
                }
            }
        }
        let lies = |&&(argument, result): &&(TensorId, TensorId)| {
            let is_there = |maker: OpId| {
                reads_on.get(&argument).is_some_and(|devices| devices.contains(&device_of(maker)))
            };
            self.tensors[argument].bytes == self.tensors[result].bytes
                && self.tensors[result]
                    .producer
                    .is_some_and(|maker| self.ops[maker].role == OpRole::Compute && is_there(maker))
        };
        self.donated.iter().filter(lies).map(|&(_, result)| result).collect()
    }

    /// Takes out of the buffers of results what has a reader whose value is memory of its own, and may be made again later.
    fn drop_what_may_be_kept_longer(&self, places: &mut [Option<InResult>]) {
        let mut lasting = vec![false; self.ops.len()];
        // Readers come after what they read.
        let ids: Vec<OpId> = self.planned().collect();
        for &id in ids.iter().rev() {
            for &tensor in &self.ops[id].outputs {
                if places[tensor] == Some(InResult::Before) && lasting[id] {
                    places[tensor] = None;
                }
            }
            let costs =
                |&tensor: &TensorId| places[tensor].is_none() && self.tensors[tensor].bytes != Bytes::ZERO;
            if self.ops[id].outputs.iter().any(costs) {
                self.value_inputs(id).into_iter().for_each(|input| lasting[input] = true);
            }
        }
    }

    /// When every stored value is there. An op that only makes results runs once its operands are there, wherever it stands.
    fn spans(&self, results: &[bool]) -> Vec<Span> {
        let mut readers: Vec<Vec<OpId>> = vec![Vec::new(); self.ops.len()];
        let mut when = vec![0; self.ops.len()];
        for id in self.planned() {
            let inputs = self.value_inputs(id);
            let ready = inputs.iter().map(|&input| when[input] + 1).max().unwrap_or(0);
            let ends_here = self.ops[id].outputs.iter().all(|&tensor| results[tensor]);
            when[id] = if ends_here { ready.min(2 * id.0) } else { 2 * id.0 };
            inputs.into_iter().for_each(|input| readers[input].push(id));
        }
        let mut spans = Vec::new();
        for id in self.planned() {
            let last = readers[id].iter().map(|&reader| when[reader]).max().unwrap_or(when[id]);
            for &tensor in
                self.ops[id].outputs.iter().filter(|&&tensor| self.tensors[tensor].bytes != Bytes::ZERO)
            {
                let end = if results[tensor] { usize::MAX } else { last };
                spans.push(Span { tensor, start: when[id], end });
            }
        }
        spans
    }

    /// May two values take one buffer one after the other?
    fn are_apart(&self, one: Span, other: Span) -> bool {
        let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
        first.end < second.start
            || (first.end == second.start && self.overwrites(second.tensor, first.tensor))
    }

    /// Can the op that makes `value` write over `input`? A product that is only read transposed is made transposed.
    fn overwrites(&self, value: TensorId, input: TensorId) -> bool {
        let (value, read) = (&self.tensors[value], &self.tensors[input]);
        let is_product = read.producer.is_some_and(|maker| self.ops[maker].layer == LayerType::Dense);
        (value.type_name == read.type_name || (is_product && value.bytes == read.bytes))
            && value.producer.is_some_and(|maker| {
                let op = &self.ops[maker];
                op.layer == LayerType::Activation && op.inputs.contains(&input)
            })
    }

    /// Tensors of ops that the function returns, or returns a view of.
    fn in_results(&self) -> Vec<bool> {
        let mut found = vec![false; self.tensors.len()];
        for tensor in TensorId::first(self.tensors.len()).filter(|&tensor| self.tensors[tensor].returned) {
            let mut base = tensor;
            while let Some(producer) = self.tensors[base].producer
                && self.ops[producer].role == OpRole::View
                && let Some(&input) = self.ops[producer].inputs.first()
            {
                base = input;
            }
            found[base] = true;
        }
        found
    }
}
