//! What to keep of the forward loops of pairs, as a program for the solver: the values of one iteration, and what each costs to make again.

use std::collections::{HashMap, HashSet};
use std::ffi::c_void;

use ballast_core::graph::{Graph, OpId, OpRole, TensorId};
use ballast_dialects::ir;
use ballast_dialects::types::{self, Kind};
use ballast_remat::stacks::{Kept, SliceOp, Slices, StackedValue};
use melior::ir::operation::OperationLike;
use melior::ir::{Value, ValueLike};

use super::find::{Pair, Stack, arguments, key};
use crate::import::{Body, Imported};
use crate::lower::unroll::keeps_order;

/// Bytes moved that weigh as one operation: a repeated op is mostly fused with others, and then moves next to nothing.
const BYTES_PER_OPERATION: f64 = 8.0;

/// What may be kept of the forward loops of several pairs.
pub(crate) struct Problem<'c, 'a> {
    pub(crate) slices: Slices,
    /// The values, by their numbers.
    values: Vec<Named<'c, 'a>>,
    /// The pair of every op, and its operations in all iterations.
    operations: Vec<(usize, f64)>,
    /// Bytes of the stacks there are.
    pub(crate) stack_bytes: u64,
}

/// A value of the program.
struct Named<'c, 'a> {
    pair: usize,
    value: Value<'c, 'a>,
    /// Of one iteration, rather than of the whole loop?
    of_iteration: bool,
}

/// What the rewritten loops of one pair keep.
#[derive(Default)]
pub(crate) struct Decision<'c, 'a> {
    /// Of the pair's stacks, those that stay.
    pub(super) stacks: HashSet<usize>,
    /// Values of the forward loop's body that get a stack.
    pub(super) added: Vec<Value<'c, 'a>>,
}

/// The value behind a slice that is written, before it was given another shape.
pub(super) fn core<'c: 'a, 'a>(slice: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value = slice;
    while let Some(op) = ir::producer(value).filter(|&op| keeps_order(op)) {
        let Ok(operand) = op.operand(0) else { break };
        value = operand;
    }
    value
}

impl<'c: 'a, 'a> Problem<'c, 'a> {
    /// The program of these pairs of loops of a function.
    pub(crate) fn of(imported: &Imported<'c, 'a>, pairs: &[Pair<'c, 'a>]) -> Self {
        let mut problem =
            Problem { slices: Slices::default(), values: vec![], operations: vec![], stack_bytes: 0 };
        for (number, pair) in pairs.iter().enumerate() {
            if let Some((program, body)) = body_of(imported, pair) {
                Builder::new(program, body, pair, number).add(&mut problem);
            }
        }
        problem
    }

    /// What is kept, by pair.
    pub(crate) fn decisions(&self, kept: &Kept, pairs: &[Pair<'c, 'a>]) -> Vec<Decision<'c, 'a>> {
        let mut decisions: Vec<Decision<'c, 'a>> = pairs.iter().map(|_| Decision::default()).collect();
        for (named, _) in
            self.values.iter().zip(&kept.keep).filter(|(named, keep)| **keep && named.of_iteration)
        {
            let (pair, decision) = (&pairs[named.pair], &mut decisions[named.pair]);
            match stack_of(pair, named.value) {
                Some(stack) => _ = decision.stacks.insert(stack),
                None => decision.added.push(named.value),
            }
        }
        for (pair, decision) in pairs.iter().zip(&mut decisions) {
            decision.stacks.extend((0..pair.stacks.len()).filter(|&stack| pair.stacks[stack].stays));
        }
        decisions
    }

    /// Operations of what runs again, in all and by pair.
    pub(crate) fn operations(&self, kept: &Kept) -> f64 {
        self.runs(kept).map(|&(_, operations)| operations).sum()
    }

    pub(crate) fn operations_by_pair(&self, kept: &Kept, pairs: usize) -> Vec<f64> {
        let mut by_pair = vec![0.0; pairs];
        self.runs(kept).for_each(|&(pair, operations)| by_pair[pair] += operations);
        by_pair
    }

    fn runs(&self, kept: &Kept) -> impl Iterator<Item = &(usize, f64)> {
        self.operations.iter().zip(&kept.again).filter(|(_, again)| **again).map(|(runs, _)| runs)
    }
}

/// The program that a pair is in, the function or the body of another loop, and the body of its forward loop; none where these were not read.
pub(crate) fn body_of<'p, 'c: 'a, 'a>(
    program: &'p Imported<'c, 'a>,
    pair: &Pair<'c, 'a>,
) -> Option<(&'p Imported<'c, 'a>, &'p Imported<'c, 'a>)> {
    let is_it = |body: &&Body<'c, 'a>| program.ops[body.of] == pair.forward.op;
    match program.bodies.iter().find(is_it) {
        Some(body) => Some((program, &body.imported)),
        None => program.bodies.iter().find_map(|body| body_of(&body.imported, pair)),
    }
}

/// The stack of a pair that holds a value: one that stays anyway, or the first.
fn stack_of<'c: 'a, 'a>(pair: &Pair<'c, 'a>, value: Value<'c, 'a>) -> Option<usize> {
    let holds = |&stack: &usize| {
        pair.stacks[stack].written.slice().is_some_and(|slice| key(core(slice)) == key(value))
    };
    // Of equal ones the first.
    (0..pair.stacks.len()).filter(holds).min_by_key(|&stack| !pair.stacks[stack].stays)
}

/// Adds one pair to a program.
struct Builder<'p, 'c, 'a> {
    /// The function, and the body of the forward loop.
    program: &'p Imported<'c, 'a>,
    body: &'p Imported<'c, 'a>,
    pair: &'p Pair<'c, 'a>,
    number: usize,
    /// Tensors of the body by value.
    tensors: HashMap<*const c_void, TensorId>,
    unchanged: HashSet<usize>,
    /// Number in the program of a value; none: it is there anyway.
    values: HashMap<*const c_void, Option<usize>>,
}

impl<'p, 'c: 'a, 'a> Builder<'p, 'c, 'a> {
    fn new(
        program: &'p Imported<'c, 'a>,
        body: &'p Imported<'c, 'a>,
        pair: &'p Pair<'c, 'a>,
        number: usize,
    ) -> Self {
        let of = |tensor: TensorId| (key(body.value(tensor)), tensor);
        Builder {
            program,
            body,
            pair,
            number,
            tensors: TensorId::first(body.graph.tensors.len()).map(of).collect(),
            unchanged: Pair::unchanged(&pair.forward).into_iter().collect(),
            values: HashMap::new(),
        }
    }

    fn graph(&self) -> &'p Graph {
        &self.body.graph
    }

    fn add(&mut self, problem: &mut Problem<'c, 'a>) {
        let bytes = |stack: &Stack<'c, 'a>| {
            let whole = stack.written.write.operand(0).ok();
            whole.and_then(|whole| self.bytes(whole)).unwrap_or(0)
        };
        let may_go = || self.pair.stacks.iter().filter(|stack| !stack.stays);
        problem.stack_bytes += may_go().map(bytes).sum::<u64>();
        let needed: Vec<Value<'c, 'a>> =
            may_go().filter_map(|stack| stack.written.slice()).map(core).collect();
        // What the backward loop reads is made of these.
        let mut wanted: HashSet<OpId> = HashSet::new();
        let mut open: Vec<TensorId> = needed.iter().filter_map(|value| self.tensor(*value)).collect();
        while let Some(tensor) = open.pop() {
            if let Some(op) = self.graph().tensors[tensor].producer
                && wanted.insert(op)
            {
                open.extend(&self.graph().ops[op].inputs);
            }
        }
        for (at, &argument) in arguments(self.pair.forward.body).iter().enumerate() {
            let number = self.argument(at, argument, problem);
            self.values.insert(key(argument), number);
        }
        let mut wanted: Vec<OpId> = wanted.into_iter().collect();
        wanted.sort_unstable();
        for op in wanted {
            self.op(op, problem);
        }
        for value in needed {
            if let Some(&Some(number)) = self.values.get(&key(value)) {
                problem.slices.values[number].needed = true;
            }
        }
    }

    fn tensor(&self, value: Value<'c, 'a>) -> Option<TensorId> {
        self.tensors.get(&key(value)).copied()
    }

    fn bytes(&self, value: Value<'c, 'a>) -> Option<u64> {
        Some(self.graph().tensors[self.tensor(value)?].bytes.0)
    }

    /// What is carried into an iteration: there anyway, where the backward loop can have it; else it can be kept.
    fn argument(&self, at: usize, value: Value<'c, 'a>, problem: &mut Problem<'c, 'a>) -> Option<usize> {
        if self.pair.counters.contains_key(&at) {
            return None;
        }
        if self.unchanged.contains(&at) {
            let carried = self.pair.forward.op.operand(at).ok()?;
            if self.is_held(carried) {
                return None;
            }
            // It would be held until the backward loop is through.
            let bytes = self.bytes(value);
            return Some(
                problem.push(StackedValue { op: None, bytes, needed: false }, self.named(value, false)),
            );
        }
        let bytes = self.bytes_of_stack(value);
        Some(problem.push(StackedValue { op: None, bytes, needed: false }, self.named(value, true)))
    }

    fn named(&self, value: Value<'c, 'a>, of_iteration: bool) -> Named<'c, 'a> {
        Named { pair: self.number, value, of_iteration }
    }

    /// Is a value of the program in memory when the backward loop runs, whatever is planned?
    fn is_held(&self, value: Value<'c, 'a>) -> bool {
        let backward = self.pair.backward.op;
        let Some(op) = ir::producer(value) else { return true };
        let is_constant = self
            .program
            .ops
            .iter()
            .position(|&known| known == op)
            .is_some_and(|at| self.program.graph.ops[at].role == OpRole::Constant);
        let mut readers = ballast_dialects::operations::uses(value).into_iter().map(|found| found.owner);
        is_constant
            || readers.any(|reader| {
                reader == backward
                    || (reader.block() == backward.block() && backward.is_before_in_block(reader))
            })
    }

    /// Bytes of a value for all iterations: of its stack, or of one that would be made; none where none can be made.
    fn bytes_of_stack(&self, value: Value<'c, 'a>) -> Option<u64> {
        if let Some(stack) = stack_of(self.pair, value) {
            let stack = &self.pair.stacks[stack];
            let whole = self.bytes(stack.written.write.operand(0).ok()?);
            return if stack.stays { Some(0) } else { whole };
        }
        can_be_stacked(value).then_some(self.bytes(value)?.saturating_mul(self.pair.trips))
    }

    /// An op of the body, with its results.
    fn op(&mut self, id: OpId, problem: &mut Problem<'c, 'a>) {
        let graph = self.graph();
        let op = &graph.ops[id];
        // Constants are made where they are read.
        if op.role == OpRole::Constant {
            return;
        }
        let known = |&tensor: &TensorId| self.values.get(&key(self.body.value(tensor))).copied().flatten();
        let inputs: Vec<usize> = op.inputs.iter().filter_map(known).collect();
        let may_repeat = op.may_run_again();
        let number = may_repeat.then(|| {
            let trips = self.pair.trips as f64 * self.pair.times as f64;
            let cost = (op.work.flops as f64 + op.work.bytes.as_f64() / BYTES_PER_OPERATION) * trips;
            problem.slices.ops.push(SliceOp { inputs, cost });
            problem.operations.push((self.number, op.work.flops as f64 * trips));
            problem.slices.ops.len() - 1
        });
        for &tensor in &op.outputs {
            let value = self.body.value(tensor);
            // What shares the memory of another value is made again from that one for nothing.
            let stacked = stack_of(self.pair, value).is_some();
            let bytes = (op.role == OpRole::Compute || stacked || number.is_none())
                .then(|| self.bytes_of_stack(value))
                .flatten();
            let number =
                problem.push(StackedValue { op: number, bytes, needed: false }, self.named(value, true));
            self.values.insert(key(value), Some(number));
        }
    }
}

impl<'c, 'a> Problem<'c, 'a> {
    fn push(&mut self, value: StackedValue, named: Named<'c, 'a>) -> usize {
        self.slices.values.push(value);
        self.values.push(named);
        self.values.len() - 1
    }
}

/// Can slices of it be stacked: is it a tensor of numbers that there is a zero of?
fn can_be_stacked(value: Value<'_, '_>) -> bool {
    let Some(shape) = types::ranked_tensor(value.r#type()) else { return false };
    let number = match types::kind(shape.element) {
        Kind::Float { width, .. } => width >= 16,
        Kind::Integer { .. } => true,
        _ => false,
    };
    number && shape.static_dims().is_some()
}
