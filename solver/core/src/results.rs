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
//! that make results, those whose own values lie in the buffers of results on the same terms, and those whose values are so small beside the one
//! read, such as the norm of a gradient, that they are better kept: these run once.

mod buffers;

use std::collections::BTreeMap;

use self::buffers::{Buffers, Span};
use crate::device::DeviceId;
use crate::graph::{BoundaryMemory, Graph, LayerType, OpId, OpRole, TensorId};
use crate::units::Bytes;

/// The part of a value's bytes, one in so many, up to which what its readers make is better kept than made again from it.
const SMALL: u64 = 64;

/// Times that the buffers are filled.
const FILLINGS: usize = 4;

/// What the buffers of results hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lent {
    /// By tensor.
    pub places: Vec<Option<InResult>>,
    /// By op: must it run once, as what it reads has gone with the buffer that was lent?
    pub runs_once: Vec<bool>,
}

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

    /// By op: the bytes of its value that are memory besides the buffers of results, where `ends` has these there from the start.
    #[must_use]
    pub fn bytes_beside_results(&self, ends: BoundaryMemory) -> Vec<Bytes> {
        let mut bytes: Vec<Bytes> = OpId::first(self.ops.len()).map(|id| self.value_bytes(id)).collect();
        if ends == BoundaryMemory::ResultsWhenMade {
            return bytes;
        }
        let results = self.in_results();
        for tensor in TensorId::first(self.tensors.len()).filter(|&tensor| results[tensor]) {
            if let Some(maker) = self.tensors[tensor].producer {
                bytes[maker].0 = bytes[maker].0.saturating_sub(self.tensors[tensor].bytes.0);
            }
        }
        bytes
    }

    /// What lies in the buffers of results, where these are there from the start: the results, and what fits in before them and
    /// is gone by then under every plan. On one device.
    #[must_use]
    pub fn in_result_buffers(&self) -> Vec<Option<InResult>> {
        self.lent_by_results(|_| DeviceId(0)).places
    }

    /// The same under a placement: a device lends what it has. `device_of` names a device for every op; entries of views and constants are not read.
    ///
    /// # Panics
    /// When `device_of` is shorter than the op list.
    #[must_use]
    pub fn in_result_buffers_on(&self, device_of: &[DeviceId]) -> Lent {
        self.lent_by_results(|id| device_of[id])
    }

    fn lent_by_results(&self, device_of: impl Fn(OpId) -> DeviceId) -> Lent {
        let results = self.in_results();
        let mut places: Vec<Option<InResult>> =
            results.iter().map(|&result| result.then_some(InResult::Own)).collect();
        for result in self.in_donated(&device_of) {
            places[result] = places[result].and(Some(InResult::Donated));
        }
        if self.results_apart {
            return Lent { runs_once: vec![false; self.ops.len()], places };
        }
        let mut spans = self.spans(&results);
        // Stable: what is equally large stays in program order.
        spans.sort_by_key(|span| (std::cmp::Reverse(self.tensors[span.tensor].bytes), !results[span.tensor]));
        let of_results = places;
        let mut may_lie = vec![true; self.tensors.len()];
        let mut round = 0;
        loop {
            let mut places = of_results.clone();
            self.fill(&spans, (&results, &may_lie), &device_of, &mut places);
            let filled = places.clone();
            let runs_once = self.drop_what_may_be_kept_longer(&mut places);
            // What does not lie there under every plan leaves its room to others.
            let dropped = TensorId::first(places.len()).filter(|&tensor| places[tensor] != filled[tensor]);
            let dropped: Vec<TensorId> = dropped.collect();
            round += 1;
            if dropped.is_empty() || round == FILLINGS {
                return Lent { places, runs_once };
            }
            dropped.into_iter().for_each(|tensor| may_lie[tensor] = false);
        }
    }

    /// Puts what may lie there into the buffers of results, first come, first served.
    fn fill(
        &self,
        spans: &[Span],
        (results, may_lie): (&[bool], &[bool]),
        device_of: &impl Fn(OpId) -> DeviceId,
        places: &mut [Option<InResult>],
    ) {
        // The buffers come in order of size, and all are large enough for what comes next: the last that takes it is the smallest.
        let mut lent: BTreeMap<DeviceId, Buffers> = BTreeMap::new();
        // By tensor: the results that may be written over it, and where a result lies among the buffers of its device.
        let mut written_over: Vec<Vec<TensorId>> = vec![Vec::new(); self.tensors.len()];
        let mut buffer_of = vec![None; self.tensors.len()];
        for &span in spans.iter().filter(|span| may_lie[span.tensor]) {
            let Some(maker) = self.tensors[span.tensor].producer else { continue };
            let buffers = lent.entry(device_of(maker)).or_default();
            if places[span.tensor] == Some(InResult::Donated) {
                // What else may lie there until the argument is read last and after is not known.
                continue;
            }
            if results[span.tensor] {
                buffer_of[span.tensor] = Some((device_of(maker), buffers.add(span)));
                for &read in self.ops[maker].inputs.iter().filter(|&&read| self.overwrites(span.tensor, read))
                {
                    written_over[read].push(span.tensor);
                }
                continue;
            }
            let apart = |held, span| self.are_apart(held, span);
            let of_readers = written_over[span.tensor].iter().filter_map(|&result| buffer_of[result]);
            let here = of_readers.filter(|&(device, _)| device == device_of(maker)).map(|(_, buffer)| buffer);
            if here.into_iter().any(|buffer| buffers.put_into(buffer, span, apart))
                || buffers.put(span, apart)
            {
                places[span.tensor] = Some(InResult::Before);
            }
        }
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

    /// Takes out of the buffers of results what has readers whose values are memory of their own, and may be made again later; where these are small, they run once
    /// instead, by op.
    fn drop_what_may_be_kept_longer(&self, places: &mut [Option<InResult>]) -> Vec<bool> {
        let mut runs_once = vec![false; self.ops.len()];
        // By tensor: those of its readers, and the bytes of their values.
        let mut again: Vec<Vec<(OpId, u64)>> = vec![Vec::new(); self.tensors.len()];
        // Readers come after what they read.
        let ids: Vec<OpId> = self.planned().collect();
        for &id in ids.iter().rev() {
            let op = &self.ops[id];
            for &tensor in &op.outputs {
                if places[tensor] != Some(InResult::Before) {
                    continue;
                }
                again[tensor].retain(|&(reader, _)| !runs_once[reader]);
                let made = again[tensor].iter().fold(0, |sum: u64, &(_, bytes)| sum.saturating_add(bytes));
                if made.saturating_mul(SMALL) <= self.tensors[tensor].bytes.0 {
                    again[tensor].iter().for_each(|&(reader, _)| runs_once[reader] = true);
                } else {
                    places[tensor] = None;
                }
            }
            let own = op.outputs.iter().filter(|&&tensor| places[tensor].is_none());
            let own = own.fold(0, |sum: u64, &tensor| sum.saturating_add(self.tensors[tensor].bytes.0));
            if own > 0 && op.may_run_again() {
                op.inputs.iter().for_each(|&read| again[self.viewed(read)].push((id, own)));
            }
        }
        runs_once
    }

    /// When every stored value is there. An op that only makes results runs once its operands are there, wherever it stands.
    fn spans(&self, results: &[bool]) -> Vec<Span> {
        // By tensor: of an op with several results each is there until its own readers have run.
        let mut last: Vec<Option<usize>> = vec![None; self.tensors.len()];
        let mut place = vec![0; self.ops.len()];
        let mut when = vec![0; self.ops.len()];
        // Of what may run at the same place in the program, one after another.
        let turns = self.ops.len() + 1;
        for id in self.planned() {
            let inputs = self.value_inputs(id);
            let ready = inputs.iter().map(|&input| place[input] + 1).max().unwrap_or(0);
            let ends_here = self.ops[id].outputs.iter().all(|&tensor| results[tensor]);
            let (at, turn) = if ends_here && ready < 2 * id.0 { (ready, id.0) } else { (2 * id.0, 0) };
            (place[id], when[id]) = (at, at * turns + turn);
            for &read in &self.ops[id].inputs {
                let last = &mut last[self.viewed(read)];
                *last = (*last).max(Some(when[id]));
            }
        }
        let mut spans = Vec::new();
        for id in self.planned() {
            for &tensor in
                self.ops[id].outputs.iter().filter(|&&tensor| self.tensors[tensor].bytes != Bytes::ZERO)
            {
                let end = if results[tensor] { usize::MAX } else { last[tensor].unwrap_or(when[id]) };
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
            found[self.viewed(tensor)] = true;
        }
        found
    }

    /// What a tensor is a view of; itself, if of nothing.
    fn viewed(&self, mut tensor: TensorId) -> TensorId {
        while let Some(producer) = self.tensors[tensor].producer
            && self.ops[producer].role == OpRole::View
            && let Some(&base) = self.ops[producer].inputs.first()
        {
            tensor = base;
        }
        tensor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Op, Tensor};

    /// Builds graphs from (layer, operands, bytes of each result, are they returned): tensor 0 is an argument, the others are results in turn.
    fn graph(ops: &[(LayerType, &[usize], &[u64], bool)]) -> Graph {
        let tensor = |producer, index, bytes, returned| Tensor {
            producer,
            index,
            bytes: Bytes(bytes),
            returned,
            type_name: "tensor<f32>".to_owned(),
        };
        let mut graph = Graph { tensors: vec![tensor(None, 0, 400, false)], ..Graph::default() };
        graph.ends = BoundaryMemory::NotCounted;
        for (id, &(layer, inputs, sizes, returned)) in ops.iter().enumerate() {
            let first = graph.tensors.len();
            let made = sizes.iter().enumerate();
            graph.tensors.extend(made.map(|(index, &bytes)| tensor(Some(OpId(id)), index, bytes, returned)));
            let outputs: Vec<usize> = (first..graph.tensors.len()).collect();
            graph.ops.push(Op { layer, ..Op::new(format!("op{id}"), inputs.to_vec(), outputs) });
        }
        graph
    }

    use LayerType::{Activation, Dense, Other};

    /// What lies in buffers before their results, by tensor, and what runs once, by op.
    fn lent(graph: &Graph) -> (Vec<usize>, Vec<usize>) {
        let Lent { places, runs_once } = graph.in_result_buffers_on(&vec![DeviceId(0); graph.ops.len()]);
        let before = TensorId::of(&places).filter(|(_, place)| **place == Some(InResult::Before));
        let once = OpId::of(&runs_once).filter(|(_, once)| **once);
        (before.map(|(tensor, _)| tensor.0).collect(), once.map(|(op, _)| op.0).collect())
    }

    #[test]
    fn a_gradient_lies_in_the_buffer_of_its_update_beside_a_norm_that_runs_once() {
        // A gradient; its norm; a scale made of the norm; the update, which reads the gradient and the scale.
        let clipped = |norm: u64| {
            graph(&[
                (Dense, &[0], &[400], false),
                (Other, &[1], &[norm], false),
                (Other, &[2], &[4], false),
                (Activation, &[1, 3], &[400], true),
            ])
        };
        assert_eq!(lent(&clipped(4)), (vec![1], vec![1]));
        assert_eq!(lent(&clipped(6)), (vec![1], vec![1]));
        // What is larger may be worth making again, for which the gradient would have to stay.
        assert!(!lent(&clipped(8)).0.contains(&1));
        // What may not run again anyway needs it only once.
        let mut ruled = clipped(200);
        ruled.ops[1].rules.never_recompute = true;
        assert_eq!(lent(&ruled), (vec![1], vec![]));
    }

    #[test]
    fn every_result_of_an_op_is_there_until_its_own_readers_have_run() {
        // Two sums of a loop, each scaled for a result that is written once both are: what is scaled writes over its sum.
        let scaled = |sums: &[u64]| {
            graph(&[
                (Other, &[0], sums, false),
                (Activation, &[1], &[400], false),
                (Activation, &[2], &[400], false),
                (Other, &[3, 4], &[4], false),
                (Activation, &[4, 5], &[400], true),
                (Activation, &[3, 5], &[400], true),
            ])
        };
        assert_eq!(lent(&scaled(&[400, 400])).0, [1, 2, 3, 4]);
        // A sum too large for any of the buffers is memory of its own.
        assert_eq!(lent(&scaled(&[400, 401])).0, [1, 3, 4]);
    }

    #[test]
    fn what_may_be_kept_longer_leaves_its_room_to_others() {
        // Two values that a product may read again, for which they would have to stay: the only buffer is that of the product, which the result is written over.
        let mut program = graph(&[
            (Dense, &[0], &[400], false),
            (Dense, &[0], &[400], false),
            (Dense, &[1, 2], &[400], false),
            (Activation, &[3], &[400], true),
        ]);
        assert_eq!(lent(&program), (vec![3], vec![]));
        program.ops[2].rules.never_recompute = true;
        assert_eq!(lent(&program), (vec![1], vec![]), "first come, first served");
    }

    #[test]
    fn results_are_no_memory_besides_their_buffers() {
        // Two results of one op, of which one is a result of the program; its reader, which is another.
        let mut program = graph(&[(Other, &[0], &[400, 100], false), (Activation, &[1], &[50], true)]);
        program.tensors[2].returned = true;
        let beside = |ends| program.bytes_beside_results(ends);
        assert_eq!(beside(BoundaryMemory::ResultsWhenMade), [Bytes(500), Bytes(50)]);
        for ends in [BoundaryMemory::NotCounted, BoundaryMemory::Throughout] {
            assert_eq!(beside(ends), [Bytes(400), Bytes::ZERO]);
        }
    }
}
