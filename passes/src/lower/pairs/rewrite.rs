//! Rewrites a pair of loops: stacks that are not kept are gone from both, what is computed again is cloned into the backward loop, and
//! stacks that are new are written by the one and read by the other.

use std::collections::HashSet;
use std::ffi::c_void;

use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};

use super::find::{Pair, arguments, key};
use super::problem::{Decision, core};
use super::writer::{Shape, counter, number_of, open_loop, shared};
use crate::lower::native::Code;
use crate::lower::unroll::sweep;

/// What the loops of a pair become.
pub(crate) struct Rewritten {
    /// Stacks that are gone, and those that are new.
    pub(crate) dropped: usize,
    pub(crate) added: usize,
    /// Ops of the forward loop's body that run again.
    pub(crate) again: usize,
}

/// Rewrites the loops of a pair; none if nothing changes.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn rewrite<'c: 'a, 'a>(
    pair: &Pair<'c, 'a>,
    decision: &Decision<'c, 'a>,
) -> Result<Option<Rewritten>, Reported> {
    let dropped: Vec<usize> =
        (0..pair.stacks.len()).filter(|stack| !decision.stacks.contains(stack)).collect();
    if dropped.is_empty() {
        return Ok(None);
    }
    let (from, to) = (pair.forward.op, pair.backward.op);
    let starts: Vec<OperationRef<'c, 'a>> = from.operands().filter_map(ir::producer).collect();
    let rewriter = Rewriter { pair, decision, dropped };
    let forward = rewriter.forward()?;
    let (backward, again) = rewriter.backward(forward)?;
    let gone = |all: &[usize]| all.iter().copied().collect::<HashSet<usize>>();
    rename(from, forward, &gone(&rewriter.dropped_writes()));
    rename(to, backward, &gone(&rewriter.dropped_reads()));
    erase(to);
    erase(from);
    sweep(starts);
    Ok(Some(Rewritten { dropped: rewriter.dropped.len(), added: decision.added.len(), again }))
}

/// Lets readers of a loop's results read those of another one, which has them in the same order but for some.
fn rename<'c: 'a, 'a>(old: OperationRef<'c, 'a>, new: OperationRef<'c, 'a>, gone: &HashSet<usize>) {
    let kept = (0..old.result_count()).filter(|number| !gone.contains(number));
    for (new, old) in new.results().zip(kept.filter_map(|number| old.result(number).ok())) {
        replace_all_uses(old, new.into());
    }
}

struct Rewriter<'p, 'c, 'a> {
    pair: &'p Pair<'c, 'a>,
    decision: &'p Decision<'c, 'a>,
    /// Stacks that are gone.
    dropped: Vec<usize>,
}

/// A block that is being filled with clones.
struct Filling<'c, 'a> {
    to: BlockRef<'c, 'a>,
    mapping: Mapping,
    done: HashSet<*mut c_void>,
}

impl<'c: 'a, 'a> Filling<'c, 'a> {
    fn new(to: BlockRef<'c, 'a>) -> Self {
        Filling { to, mapping: Mapping::new(), done: HashSet::new() }
    }

    fn map(&mut self, from: Value<'c, 'a>, to: Value<'c, 'a>) {
        self.mapping.map(from, to);
    }

    fn get(&self, value: Value<'c, 'a>) -> Value<'c, 'a> {
        self.mapping.lookup(value)
    }

    /// Arguments but for those that are gone, in order.
    fn map_arguments(&mut self, from: BlockRef<'c, 'a>, gone: &[usize]) {
        let kept = arguments(from).into_iter().enumerate().filter(|(number, _)| !gone.contains(number));
        for ((_, from), to) in kept.zip(arguments(self.to)) {
            self.map(from, to);
        }
    }

    fn clone_op(&mut self, op: OperationRef<'c, 'a>) {
        if self.done.insert(op.to_raw().ptr) {
            self.to.append_operation(self.mapping.clone_op(&op));
        }
    }
}

/// Ops of a block that some values are made of, in program order, and the arguments they read; what is in `there` is not looked into.
fn made_of<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    values: &[Value<'c, 'a>],
    there: &HashSet<*const c_void>,
) -> (Vec<OperationRef<'c, 'a>>, Vec<usize>) {
    let mut seen: HashSet<*const c_void> = there.clone();
    let mut found: HashSet<*mut c_void> = HashSet::new();
    let mut read: Vec<usize> = Vec::new();
    let mut open = values.to_vec();
    while let Some(value) = open.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        match ir::producer(value) {
            Some(op) if op.block().is_some_and(|of| of == block) => {
                if found.insert(op.to_raw().ptr) {
                    open.extend(op.operands());
                    open.extend(
                        ir::nested(op).into_iter().flat_map(|inner| inner.operands().collect::<Vec<_>>()),
                    );
                }
            }
            Some(_) => {}
            None => read.extend(number_of(block, value)),
        }
    }
    read.sort_unstable();
    (ir::ops(block).filter(|op| found.contains(&op.to_raw().ptr)).collect(), read)
}

impl<'c: 'a, 'a> Rewriter<'_, 'c, 'a> {
    /// Numbers of the carried values that are gone.
    fn dropped_writes(&self) -> Vec<usize> {
        self.dropped.iter().map(|&stack| self.pair.stacks[stack].written.carried).collect()
    }

    fn dropped_reads(&self) -> Vec<usize> {
        self.dropped.iter().flat_map(|&stack| self.pair.stacks[stack].read.clone()).collect()
    }

    /// Where the iterations of the forward loop are in a stack, and how many there is room for.
    fn place(&self, code: &Code<'c, 'a>) -> Result<(Value<'c, 'a>, u64), Reported> {
        let place = self.pair.stacks.first().and_then(|stack| stack.written.place());
        place.ok_or_else(|| code.error("a stack is written nowhere"))
    }

    /// The forward loop without the stacks that are gone and with those that are new.
    fn forward(&self) -> Result<OperationRef<'c, 'a>, Reported> {
        let old = self.pair.forward;
        let (context, location) = (ir::context(old.op), old.op.location());
        let gone = self.dropped_writes();
        let mut operands: Vec<Value<'c, 'a>> = but(old.carried(), &gone);
        let block = old.op.block().ok_or_else(|| diagnostics::error(location, "a loop is in no block"))?;
        let mut code = Code::before(context, block, old.op, location);
        let (index, extent) = self.place(&code)?;
        let mut shapes = Vec::new();
        for &value in &self.decision.added {
            let shape = Shape::of(&code, value, extent, index)?;
            operands.push(shape.empty(&mut code)?);
            shapes.push(shape);
        }
        let new = open_loop(old.op, &operands)?;
        let [condition, body] = ir::blocks(new)[..] else { return Err(code.error("a loop has no body")) };
        self.condition(old.condition(), condition, &gone);
        let mut filling = Filling::new(body);
        filling.map_arguments(old.body, &gone);
        let writes: HashSet<*mut c_void> =
            self.dropped.iter().map(|&stack| self.pair.stacks[stack].written.write.to_raw().ptr).collect();
        let ops: Vec<OperationRef<'c, 'a>> = ir::ops(old.body).collect();
        let last = ops.len().saturating_sub(1);
        for &op in ops[..last].iter().filter(|op| !writes.contains(&op.to_raw().ptr)) {
            filling.clone_op(op);
        }
        let next = but(old.next(), &gone);
        let mut next: Vec<Value<'c, 'a>> = next.into_iter().map(|value| filling.get(value)).collect();
        let mut code = Code::at_end(context, body, location);
        let new_stacks = arguments(body).split_off(next.len());
        for ((&value, shape), stack) in self.decision.added.iter().zip(&shapes).zip(new_stacks) {
            next.push(shape.write(&mut code, stack, filling.get(value), filling.get(index))?);
        }
        self.end(body, next, location)?;
        Ok(new)
    }

    /// Clones what says whether a loop goes on.
    fn condition(&self, from: Option<BlockRef<'c, 'a>>, to: BlockRef<'c, 'a>, gone: &[usize]) {
        let Some(from) = from else { return };
        let mut filling = Filling::new(to);
        filling.map_arguments(from, gone);
        ir::ops(from).for_each(|op| filling.clone_op(op));
    }

    /// Ends a body, and clears it of what nobody reads.
    fn end(
        &self,
        body: BlockRef<'c, 'a>,
        next: Vec<Value<'c, 'a>>,
        location: melior::ir::Location<'c>,
    ) -> Result<(), Reported> {
        let ops: Vec<OperationRef<'c, 'a>> = ir::ops(body).collect();
        let context = ir::context(self.pair.forward.op);
        Code::at_end(context, body, location).op("stablehlo.return", &next, &[])?;
        sweep(ops);
        Ok(())
    }

    /// The backward loop, which computes again what is not kept; and how many ops that is.
    fn backward(&self, forward: OperationRef<'c, 'a>) -> Result<(OperationRef<'c, 'a>, usize), Reported> {
        let (first, old) = (self.pair.forward, self.pair.backward);
        let location = old.op.location();
        let gone = self.dropped_reads();
        // What is there of the forward iteration, and what has to run for the rest.
        let mut there: HashSet<*const c_void> = self.decision.added.iter().map(|&value| key(value)).collect();
        let slices = |stack: &usize| self.pair.stacks[*stack].written.slice();
        for slice in (0..self.pair.stacks.len())
            .filter(|stack| !self.dropped.contains(stack))
            .filter_map(|stack| slices(&stack))
        {
            there.extend([key(slice), key(core(slice))]);
        }
        let wanted: Vec<Value<'c, 'a>> = self.dropped.iter().filter_map(slices).collect();
        let (again, read) = made_of(first.body, &wanted, &there);
        let mut operands = but(old.carried(), &gone);
        let kept = operands.len();
        let new_stacks = forward.result_count() - self.decision.added.len();
        operands.extend(forward.results().skip(new_stacks).map(Value::from));
        let brought: Vec<usize> = read
            .iter()
            .copied()
            .filter(|at| !self.pair.counters.contains_key(at) && shared(self.pair, *at).is_none())
            .collect();
        let unchanged = Pair::unchanged(&first);
        if brought.iter().any(|at| !unchanged.contains(at)) {
            let text = "what is computed again reads a value of the iteration that is not kept";
            return Err(diagnostics::error(location, text));
        }
        operands.extend(brought.iter().filter_map(|&at| first.op.operand(at).ok()));
        let new = open_loop(old.op, &operands)?;
        let [condition, body] = ir::blocks(new)[..] else {
            return Err(diagnostics::error(location, "a loop has no body"));
        };
        self.condition(old.condition(), condition, &gone);
        let mut filling = Filling::new(body);
        filling.map_arguments(old.body, &gone);
        let own = arguments(body).split_off(kept);
        let runs = self.run_again(&mut filling, &own, &again, &read, &brought)?;
        let slices = |stack: &usize| {
            self.pair.stacks[*stack].slices.iter().map(|op| op.to_raw().ptr).collect::<Vec<_>>()
        };
        let dropped: HashSet<*mut c_void> = self.dropped.iter().flat_map(slices).collect();
        let ops: Vec<OperationRef<'c, 'a>> = ir::ops(old.body).collect();
        for &op in ops[..ops.len().saturating_sub(1)].iter().filter(|op| !dropped.contains(&op.to_raw().ptr))
        {
            filling.clone_op(op);
        }
        let mut next: Vec<Value<'c, 'a>> =
            but(old.next(), &gone).into_iter().map(|value| filling.get(value)).collect();
        next.extend(own);
        self.end(body, next, location)?;
        Ok((new, runs))
    }

    /// Clones what runs again to the start of the backward loop's body; how many ops that is.
    fn run_again(
        &self,
        filling: &mut Filling<'c, 'a>,
        own: &[Value<'c, 'a>],
        again: &[OperationRef<'c, 'a>],
        read: &[usize],
        brought: &[usize],
    ) -> Result<usize, Reported> {
        let (first, old) = (self.pair.forward, self.pair.backward);
        let context = ir::context(old.op);
        let mut code = Code::at_end(context, filling.to, old.op.location());
        let mut iteration = Filling::new(filling.to);
        let (index, extent) = self.place(&code)?;
        self.demand(filling, self.pair.index);
        let at = filling.get(self.pair.index);
        for (&value, &stack) in self.decision.added.iter().zip(own) {
            let slice = Shape::of(&code, value, extent, index)?.read(&mut code, stack, at)?;
            iteration.map(value, slice);
        }
        for stack in (0..self.pair.stacks.len()).filter(|stack| !self.dropped.contains(stack)) {
            let stack = &self.pair.stacks[stack];
            let (Some(slice), Some(reads)) = (stack.written.slice(), stack.slices.first()) else { continue };
            let Ok(found) = reads.result(0) else { continue };
            self.demand(filling, found.into());
            let found = filling.get(found.into());
            let value = core(slice);
            iteration.map(slice, found);
            if value != slice {
                let kind = value.r#type();
                iteration.map(value, code.make("stablehlo.reshape", &[found], &[kind], &[])?[0]);
            }
        }
        for &at in read {
            let Ok(argument) = first.body.argument(at) else { continue };
            let here = if let Some(&found) = self.pair.counters.get(&at) {
                if let super::find::Counter::Same(value) = found {
                    self.demand(filling, value);
                }
                let carried = |number: usize| Some(filling.get(old.body.argument(number).ok()?.into()));
                counter(&mut code, found, &carried, &|value| filling.get(value))?
            } else if let Some(number) = shared(self.pair, at) {
                let argument =
                    old.body.argument(number).map_err(|_| code.error("a loop has no such value"))?;
                filling.get(argument.into())
            } else {
                let number = brought.iter().position(|&known| known == at);
                let found = number.and_then(|number| own.get(self.decision.added.len() + number));
                *found.ok_or_else(|| code.error("a loop does not carry what is computed again from"))?
            };
            iteration.map(argument.into(), here);
        }
        again.iter().for_each(|&op| iteration.clone_op(op));
        for &stack in &self.dropped {
            let stack = &self.pair.stacks[stack];
            let Some(slice) = stack.written.slice() else { continue };
            for read in stack.slices.iter().filter_map(|op| op.result(0).ok()) {
                filling.map(read.into(), iteration.get(slice));
            }
        }
        Ok(again.len())
    }

    /// Clones the ops of the backward loop's body that a value is made of, if they are not there yet.
    fn demand(&self, filling: &mut Filling<'c, 'a>, value: Value<'c, 'a>) {
        let (ops, _) = made_of(self.pair.backward.body, &[value], &HashSet::new());
        ops.into_iter().for_each(|op| filling.clone_op(op));
    }
}

/// Values but for those of these numbers.
fn but<'c, 'a>(values: Vec<Value<'c, 'a>>, gone: &[usize]) -> Vec<Value<'c, 'a>> {
    let kept = values.into_iter().enumerate().filter(|(number, _)| !gone.contains(number));
    kept.map(|(_, value)| value).collect()
}
