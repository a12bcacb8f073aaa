//! Runs a block with what is known of its values: opens loops, folds what indices decide, clones the rest.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::c_void;

use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, for_each_op, is_constant_like, set_location, set_operand};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, Location, Operation, RegionLike, Value, ValueLike};

use super::dead::sweep;
use super::stacks::{Known, Range};
use crate::counted::{Integers, Loop, Why, fold, is_tensor};
use crate::import::types::Types;
use crate::lower::ballast_inline::INHERITED;
use crate::lower::native::Code;

/// Which loops are opened where not all may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nested {
    /// Outer ones first; loops inside one that stays whole stay too.
    Outer,
    /// Inner ones first.
    Inner,
}

/// What the back end may make of the iterations of an opened `stablehlo` loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iterations {
    /// Ops of different ones may be fused.
    Joined,
    /// What one hands on to the next is stored, as the loop did: a barrier stands behind it. Running sums are not: planning stores
    /// some of them. Slices that are stacked are put together some at a time, as soon as they are there, and then these: a device sends
    /// one value of those it makes.
    Apart,
}

/// A loop that stays.
pub(crate) struct Left<'c> {
    pub(crate) location: Location<'c>,
    pub(crate) why: Why,
    /// Of the values it carries from one iteration to the next.
    pub(crate) bytes: u64,
}

/// How many ops loops may become, and what became of them.
pub(crate) struct Budget<'c> {
    most_ops: u64,
    iterations: Iterations,
    /// Ops that opened loops are or will be.
    committed: u64,
    /// Iterations of loops that are opened, by the loop: one inside another is met many times.
    decided: HashMap<*const c_void, u64>,
    /// Loops that stay, by where they came first.
    pub(crate) left: BTreeMap<usize, Left<'c>>,
    seen: HashMap<*const c_void, usize>,
}

impl<'c> Budget<'c> {
    /// Nothing opened yet.
    pub(crate) fn new(most_ops: u64, iterations: Iterations) -> Self {
        Budget {
            most_ops,
            iterations,
            committed: 0,
            decided: HashMap::new(),
            left: BTreeMap::new(),
            seen: HashMap::new(),
        }
    }

    /// Loops opened.
    pub(crate) fn opened(&self) -> usize {
        self.decided.len()
    }

    fn leave(&mut self, op: OperationRef<'c, '_>, why: Why) {
        let number = self.seen.len();
        let number = *self.seen.entry(op.to_raw().ptr.cast_const()).or_insert(number);
        self.left.entry(number).or_insert_with(|| Left {
            location: op.location(),
            why,
            bytes: carried_bytes(op),
        });
    }
}

/// Opens the loops of a block that is all of its region, and with `nested` inner ones first, those inside its ops before.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn open_in_block<'c: 'a, 'a>(
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    nested: Nested,
    budget: &mut Budget<'c>,
) -> Result<(), Reported> {
    let mut blocks = vec![block];
    if nested == Nested::Inner {
        // Outer blocks before inner ones, and then from the end.
        let mut next = 0;
        while let Some(&outer) = blocks.get(next) {
            next += 1;
            let loops = ir::ops(outer).filter(|op| op.region_count() > 0);
            blocks.extend(loops.flat_map(ir::blocks));
        }
    }
    for block in blocks.into_iter().rev() {
        let mut loops = ir::ops(block).filter(|&op| Loop::of(op).is_some()).peekable();
        if loops.peek().is_none() {
            continue;
        }
        // Uses are replaced in one block, and here others may read what a loop makes.
        if !is_alone(block) {
            loops.for_each(|op| budget.leave(op, Why::Around));
            continue;
        }
        Rewriter {
            context,
            known: HashMap::new(),
            constants: HashMap::new(),
            sunk: HashMap::new(),
            made: Vec::new(),
            budget,
        }
        .block(block)?;
    }
    Ok(())
}

/// Is a block all of its region?
fn is_alone(block: BlockRef<'_, '_>) -> bool {
    let first = block.parent_region().and_then(|region| region.first_block());
    first == Some(block) && block.next_in_region().is_none()
}

/// Where ops go that are made now.
#[derive(Clone, Copy)]
pub(super) struct At<'c, 'a> {
    block: BlockRef<'c, 'a>,
    before: OperationRef<'c, 'a>,
    location: Location<'c>,
}

impl<'c: 'a, 'a> At<'c, 'a> {
    /// Behind the last of some values, where that comes first.
    pub(super) fn as_soon_as(self, values: &[Value<'c, 'a>]) -> Self {
        let mut makers = Vec::with_capacity(values.len());
        for &value in values {
            match ir::producer(value) {
                Some(maker) if maker.block().as_ref() == Some(&self.block) => makers.push(maker),
                // An argument is there from the start.
                None => {}
                Some(_) => return self,
            }
        }
        let later = |a: OperationRef<'c, 'a>, b| if a.is_before_in_block(b) { b } else { a };
        let next = makers.into_iter().reduce(later).and_then(|last| last.next_in_block());
        match next {
            Some(next) if next.is_before_in_block(self.before) => At { before: next, ..self },
            _ => self,
        }
    }
}

pub(super) struct Rewriter<'c, 'a, 'b> {
    context: &'c Context,
    known: HashMap<*const c_void, Known<'c, 'a>>,
    /// Constants made in this block.
    constants: HashMap<(*const c_void, Vec<i64>), Value<'c, 'a>>,
    /// Ranges of values, made of ranges of what these are made of.
    pub(super) sunk: HashMap<(*const c_void, Range), Value<'c, 'a>>,
    /// Ops made, in program order.
    made: Vec<OperationRef<'c, 'a>>,
    budget: &'b mut Budget<'c>,
}

/// The iteration that is being opened.
#[derive(Clone, Copy)]
struct Iteration<'c, 'i> {
    /// Its location, as the caller of what runs in it.
    caller: Location<'c>,
    /// How often what is in it is made.
    times: u64,
    /// What is handed on to the next one and stored for it, as the body names it.
    stored: &'i [*const c_void],
}

impl<'c: 'a, 'a> Rewriter<'c, 'a, '_> {
    fn block(&mut self, block: BlockRef<'c, 'a>) -> Result<(), Reported> {
        let mut replaced: Vec<OperationRef<'c, 'a>> = Vec::new();
        for op in ir::ops(block).collect::<Vec<_>>() {
            let at = At { block, before: op, location: op.location() };
            if let Some(results) = self.run_in_place(at, op)? {
                self.bind(op.results().map(Value::from), results);
                replaced.push(op);
            }
        }
        let mut dead = Vec::new();
        for op in replaced.into_iter().rev() {
            dead.extend(read_from_outside(op));
            // Its uses were replaced as their ops were come to.
            erase(op);
            dead.retain(|maker: &OperationRef<'_, '_>| *maker != op);
        }
        // What was there before comes first in the program, or its order is of no matter.
        dead.append(&mut self.made);
        sweep(dead);
        Ok(())
    }

    /// An op of the block itself: what stands for its results, where it is to go; else it reads what stands for its operands.
    fn run_in_place(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Vec<Known<'c, 'a>>>, Reported> {
        if let Some(results) = self.open(at, op, 1)? {
            return Ok(Some(results));
        }
        let operands: Vec<Value<'c, 'a>> = op.operands().collect();
        let touched = |value: &Value<'c, 'a>| matches!(self.known.get(&key(*value)), Some(Known::Stack(_)));
        if operands.iter().any(touched)
            && let Some(found) = self.evaluate(at, op)?
        {
            return Ok(Some(vec![found]));
        }
        if let (Some(found), Some(result)) = (self.integers(op), ir::first_result(op)) {
            self.known.insert(key(result), Known::Integers(found, Some(result)));
        }
        for inner in ir::nested(op).into_iter().chain([op]) {
            for (index, value) in inner.operands().collect::<Vec<_>>().into_iter().enumerate() {
                if self.known.contains_key(&key(value)) {
                    let now = self.value(at, value)?;
                    set_operand(inner, index, now);
                }
            }
        }
        Ok(None)
    }

    /// Runs a loop: what its results are; none for other ops and for loops that stay.
    fn open(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
        times: u64,
    ) -> Result<Option<Vec<Known<'c, 'a>>>, Reported> {
        let found = match Loop::of(op) {
            None => return Ok(None),
            Some(Ok(found)) => found,
            Some(Err(why)) => {
                self.budget.leave(op, why);
                return Ok(None);
            }
        };
        let trips = match self.decide(&found, times) {
            Ok(trips) => trips,
            Err(why) => {
                self.budget.leave(op, why);
                return Ok(None);
            }
        };
        let mut carried: Vec<Known<'c, 'a>> =
            found.carried().into_iter().map(|value| self.lookup(value)).collect();
        let ops: Vec<OperationRef<'c, 'a>> = ir::ops(found.body).collect();
        let inherited: Vec<(&str, Attribute<'c>)> =
            INHERITED.iter().filter_map(|name| Some((*name, op.attribute(name).ok()?))).collect();
        let bounds: Vec<Option<Integers<'c>>> =
            op.operands().take(found.bounds()).map(|value| self.integers_of(value)).collect();
        let bound = |value: Value<'c, 'a>| {
            let index = op.operands().position(|operand| operand == value)?;
            bounds.get(index).cloned().flatten()
        };
        let stored: Vec<*const c_void> = match self.budget.iterations {
            Iterations::Apart if ir::name(op) == "stablehlo.while" => {
                found.states().into_iter().map(key).collect()
            }
            Iterations::Apart | Iterations::Joined => Vec::new(),
        };
        for trip in 0..trips {
            let caller = Location::name(self.context, &format!("iteration {trip}"), at.location);
            // Nothing follows the last.
            let stored = if trip + 1 < trips { stored.as_slice() } else { &[] };
            let iteration = Iteration { caller, times: times.saturating_mul(trips), stored };
            let counter = found.counter(trip, &bound).map(|counter| Known::Integers(counter, None));
            let arguments =
                (0..found.body.argument_count()).filter_map(|index| found.body.argument(index).ok());
            let values = counter.into_iter().chain(std::mem::take(&mut carried)).collect();
            self.bind(arguments.map(Value::from), values);
            for &op in &ops[..ops.len().saturating_sub(1)] {
                let at = At { location: ir::location_at(op.location(), caller), ..at };
                self.run_copy(at, op, &iteration, &inherited)?;
            }
            carried = found.next().into_iter().map(|value| self.lookup(value)).collect();
        }
        Ok(Some(carried))
    }

    /// Iterations of a loop that may be opened, made `times` times.
    fn decide(&mut self, found: &Loop<'c, 'a>, times: u64) -> Result<u64, Why> {
        let left = self.budget.most_ops.saturating_sub(self.budget.committed);
        let loop_key = found.op.to_raw().ptr.cast_const();
        let decided = self.budget.decided.get(&loop_key).copied();
        let most = decided.map_or(left / times, |trips| trips.saturating_mul(found.ops().max(1)));
        let trips = found.trips(&|value| self.integers_of(value), most)?;
        if decided.is_none() {
            self.budget.committed += trips.saturating_mul(found.ops().max(1)).saturating_mul(times);
            self.budget.decided.insert(loop_key, trips);
        }
        Ok(trips)
    }

    /// An op of a loop's body, once more.
    fn run_copy(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, '_>,
        inherited: &[(&str, Attribute<'c>)],
    ) -> Result<(), Reported> {
        let results = op.results().map(Value::from);
        if let Some(found) = self.open(at, op, iteration.times)? {
            self.bind(results, found);
            return Ok(());
        }
        if let Some(found) = self.integers(op) {
            self.bind(results, vec![Known::Integers(found, None)]);
            return Ok(());
        }
        if let Some(found) = self.evaluate(at, op)? {
            self.bind(results, vec![found]);
            return Ok(());
        }
        // A mapping of its own: one that has cloned a region before would not clone its arguments again.
        let mut mapping = Mapping::new();
        for inner in ir::nested(op).into_iter().chain([op]) {
            for value in inner.operands().collect::<Vec<_>>() {
                if self.known.contains_key(&key(value)) {
                    let now = self.value(at, value)?;
                    mapping.map(value, now);
                }
            }
        }
        let clone = self.put(at, mapping.clone_op(&op));
        let relocate = |op: OperationRef<'_, '_>| {
            set_location(op, ir::location_at(op.location(), iteration.caller));
        };
        relocate(clone);
        for_each_op(clone, relocate);
        if !is_constant_like(&clone) && !ir::name(clone).ends_with(".constant") {
            for (name, attribute) in inherited {
                if !clone.has_attribute(name) {
                    ir::set(clone, name, *attribute);
                }
            }
        }
        let mut values = Vec::with_capacity(op.result_count());
        for (name, result) in op.results().zip(clone.results()) {
            let made = Value::from(result);
            let stored = iteration.stored.contains(&key(name)) && !is_constant_like(&clone);
            let made = if stored {
                self.make(at, "stablehlo.optimization_barrier", &[made], made.r#type(), &[])?
            } else {
                made
            };
            values.push(Known::Value(made));
        }
        self.bind(results, values);
        Ok(())
    }

    fn bind(&mut self, names: impl Iterator<Item = Value<'c, 'a>>, values: Vec<Known<'c, 'a>>) {
        self.known.extend(names.map(key).zip(values));
    }

    /// What is known of a value.
    pub(super) fn lookup(&self, value: Value<'c, 'a>) -> Known<'c, 'a> {
        if let Some(found) = self.known.get(&key(value)) {
            return found.clone();
        }
        match ir::producer(value).and_then(Integers::of_constant) {
            Some(found) => Known::Integers(found, Some(value)),
            None => Known::Value(value),
        }
    }

    /// The integers a value is known to be.
    pub(super) fn integers_of(&self, value: Value<'c, 'a>) -> Option<Integers<'c>> {
        match self.lookup(value) {
            Known::Integers(found, _) => Some(found),
            Known::Value(_) | Known::Stack(_) => None,
        }
    }

    /// The integers that an op gives.
    fn integers(&self, op: OperationRef<'c, 'a>) -> Option<Integers<'c>> {
        if let Some(found) = Integers::of_constant(op) {
            return Some(found);
        }
        if op.operand_count() == 0 || op.region_count() > 0 {
            return None;
        }
        let operands: Option<Vec<Integers<'c>>> =
            op.operands().map(|value| self.integers_of(value)).collect();
        fold(op, &operands?)
    }

    /// The value of the program that stands for `value` from here on.
    pub(super) fn value(&mut self, at: At<'c, 'a>, value: Value<'c, 'a>) -> Result<Value<'c, 'a>, Reported> {
        let found = match self.lookup(value) {
            Known::Value(found) | Known::Integers(_, Some(found)) => return Ok(found),
            Known::Integers(integers, None) => self.constant(at, &integers)?,
            Known::Stack(stack) => {
                let whole = self.assemble(at, &stack)?;
                self.known.insert(key(value), Known::Value(whole));
                whole
            }
        };
        Ok(found)
    }

    /// A constant of the program.
    pub(super) fn constant(&mut self, at: At<'c, 'a>, of: &Integers<'c>) -> Result<Value<'c, 'a>, Reported> {
        let name = (melior::ir::TypeLike::to_raw(&of.kind).ptr, of.values.clone());
        if let Some(&found) = self.constants.get(&name) {
            return Ok(found);
        }
        let dialect = if is_tensor(of.kind) { "stablehlo.constant" } else { "arith.constant" };
        let attribute = self.attribute(at, &of.text())?;
        let made = self.make(at, dialect, &[], of.kind, &[("value", attribute)])?;
        self.constants.insert(name, made);
        Ok(made)
    }

    /// Makes an op of one result.
    pub(super) fn make(
        &mut self,
        at: At<'c, 'a>,
        name: &str,
        operands: &[Value<'c, 'a>],
        kind: melior::ir::Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<Value<'c, 'a>, Reported> {
        let mut code = Code::before(self.context, at.block, at.before, at.location);
        let value = code.make(name, operands, &[kind], attributes)?[0];
        self.made.extend(ir::producer(value));
        Ok(value)
    }

    /// Puts an op there.
    pub(super) fn put(&mut self, at: At<'c, 'a>, op: Operation<'c>) -> OperationRef<'c, 'a> {
        let placed = at.block.insert_operation_before(at.before, op);
        self.made.push(placed);
        placed
    }

    /// An attribute by its text.
    pub(super) fn attribute(&self, at: At<'c, 'a>, text: &str) -> Result<Attribute<'c>, Reported> {
        Attribute::parse(self.context, text)
            .ok_or_else(|| diagnostics::error(at.location, &format!("cannot make the attribute {text}")))
    }

    pub(super) fn context(&self) -> &'c Context {
        self.context
    }

    pub(super) fn stacks_in_parts(&self) -> bool {
        self.budget.iterations == Iterations::Apart
    }
}

/// Makers of what an op and the ops inside it read of those outside.
fn read_from_outside<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let inside = ir::nested(op);
    let own: HashSet<*const c_void> = inside.iter().map(|op| op.to_raw().ptr.cast_const()).collect();
    let readers = inside.into_iter().chain([op]);
    let read = readers.flat_map(|reader| reader.operands().collect::<Vec<_>>());
    read.filter_map(ir::producer).filter(|maker| !own.contains(&maker.to_raw().ptr.cast_const())).collect()
}

/// Bytes of all values that a loop carries from one iteration to the next; those of unknown size left out.
pub(crate) fn carried_bytes(op: OperationRef<'_, '_>) -> u64 {
    let mut types = Types::new(None);
    op.results().filter_map(|result| types.of(result.r#type()).ok()).map(|info| info.bytes).sum()
}

fn key<'c>(value: impl ValueLike<'c>) -> *const c_void {
    value.to_raw().ptr
}
