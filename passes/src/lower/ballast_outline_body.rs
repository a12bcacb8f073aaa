//! `--ballast-outline-body`: makes a function of what a loop repeats, so that it can be planned.
//!
//! A step that sums its gradients over micro-batches, or a loop over whole training steps, has forward and backward pass in one body. To a
//! planner the loop is one op, and opened it is as many copies of the same problem as there are iterations, or too many. As a function
//! of its own the body is planned once.

use std::collections::HashSet;
use std::ffi::c_void;

use ballast_dialects::attributes::PLAN;
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, is_constant_like, set_attribute, set_operand, uses};
use ballast_dialects::passes::BallastOutlineBodyOptions;
use ballast_dialects::remarks::{Kind, Remark};
use ballast_dialects::types;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Location, Region, RegionLike, Type, TypeLike, Value, ValueLike,
};

use crate::counted::Loop;
use crate::import;
use crate::import::donated::ALIASES;
use crate::lower::ballast_inline::inline_calls;
use crate::lower::native::{Code, check_free, function};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then no body has been moved.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastOutlineBodyOptions) -> Result<(), Reported> {
    inline_calls(module, Some(&options.function))?;
    let wanted = (!options.function.is_empty()).then_some(options.function.as_str());
    let program = import::function(module, wanted)?;
    let name = ir::string(program, "sym_name").unwrap_or_default();
    if program.has_attribute(PLAN) {
        let text = format!("'{name}' is planned: outline the body before, or remove `{PLAN}`");
        return Err(diagnostics::error(program.location(), &text));
    }
    let Some(found) = largest(program, options.depth) else {
        let text = match options.depth {
            0 => "no loop has a body to plan".to_owned(),
            depth => format!("no loop is inside {depth} others"),
        };
        Remark::new(Kind::Missed, "OutlineBody", &name, text).emit(program.location());
        return Ok(());
    };
    let body = if options.name.is_empty() { format!("{name}_body") } else { options.name.clone() };
    check_free(module, &body, program)?;
    let Some(moved) = Body::of(found) else { return Ok(()) };
    let remark = Remark::new(Kind::Passed, "OutlineBody", &name, "the body of a loop is a function");
    let remark = remark.fact("body", &body).fact("ops", moved.moved().count());
    moved.write(module, &body)?;
    moved.call(&body)?;
    remark.emit(found.op.location());
    Ok(())
}

/// The loop with most ops in its body; inside that one, `depth` times over, the same.
fn largest<'c: 'a, 'a>(function: OperationRef<'c, 'a>, depth: u64) -> Option<Loop<'c, 'a>> {
    let mut found: Option<Loop<'c, 'a>> = None;
    for _ in 0..=depth {
        let within = match &found {
            None => ir::nested(function),
            Some(outer) => ir::ops(outer.body).flat_map(|op| [vec![op], ir::nested(op)].concat()).collect(),
        };
        let loops = within.into_iter().filter_map(|op| Loop::of(op)?.ok());
        // Of equal ones the first.
        let next = loops.reduce(|best, other| if other.ops() > best.ops() { other } else { best });
        found = Some(next.filter(|found| found.ops() > 0)?);
    }
    found
}

/// A body, and what becomes of it.
struct Body<'c, 'a> {
    found: Loop<'c, 'a>,
    last: OperationRef<'c, 'a>,
    /// Ops that count: they stay in the loop.
    counters: HashSet<*mut c_void>,
    /// All ops of the body but the last.
    ops: Vec<OperationRef<'c, 'a>>,
    /// Constants from outside, which go along.
    constants: Vec<OperationRef<'c, 'a>>,
    /// What is carried, then what the body reads from outside: the arguments.
    inputs: Vec<Value<'c, 'a>>,
    /// What is handed on but for counters, by its place: the results.
    handed: Vec<(usize, Value<'c, 'a>)>,
}

impl<'c: 'a, 'a> Body<'c, 'a> {
    /// Reads a body; none without a terminator.
    fn of(found: Loop<'c, 'a>) -> Option<Self> {
        let mut ops: Vec<OperationRef<'c, 'a>> = ir::ops(found.body).collect();
        let last = ops.pop()?;
        let counters = counters(&found);
        let counts = |value: &Value<'c, 'a>| {
            ir::producer(*value).is_some_and(|op| counters.contains(&op.to_raw().ptr))
        };
        let handed: Vec<(usize, Value<'c, 'a>)> =
            found.next().into_iter().enumerate().filter(|(_, value)| !counts(value)).collect();
        let mut body = Body {
            found,
            last,
            counters,
            ops,
            constants: vec![],
            inputs: arguments(found.body).collect(),
            handed,
        };
        body.capture();
        Some(body)
    }

    fn stays(&self, op: OperationRef<'c, 'a>) -> bool {
        self.counters.contains(&op.to_raw().ptr)
    }

    /// The ops of the function: what only counts is not needed there.
    fn moved(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> + '_ {
        let read_inside = |op: OperationRef<'c, 'a>| {
            let mut readers = op.results().flat_map(uses).map(|found| found.owner);
            readers.any(|reader| reader != self.last && !self.stays(reader))
        };
        self.ops.iter().copied().filter(move |&op| !self.stays(op) || read_inside(op))
    }

    /// Finds what is read from outside, each once, in the order of the first readers.
    fn capture(&mut self) {
        let inside: Vec<OperationRef<'c, 'a>> =
            self.moved().flat_map(|op| [vec![op], ir::nested(op)].concat()).collect();
        let mut known: HashSet<*const c_void> = HashSet::new();
        let mut note = |value: Value<'c, 'a>| known.insert(value.to_raw().ptr);
        self.inputs.iter().for_each(|&value| _ = note(value));
        for &op in &inside {
            op.results().for_each(|value| _ = note(value.into()));
            ir::blocks(op).into_iter().flat_map(arguments).for_each(|value| _ = note(value));
        }
        let handed = self.handed.iter().map(|&(_, value)| value);
        for value in inside.iter().flat_map(|op| op.operands()).chain(handed) {
            if note(value) {
                match ir::producer(value).filter(is_constant) {
                    Some(constant) => self.constants.push(constant),
                    None => self.inputs.push(value),
                }
            }
        }
    }

    /// Writes the public function, which inlining leaves alone.
    fn write(&self, module: OperationRef<'c, 'a>, name: &str) -> Result<(), Reported> {
        let context = ir::context(module);
        let location = self.found.op.location();
        let places: Vec<(Type<'c>, Location<'c>)> =
            self.inputs.iter().map(|value| (value.r#type(), location)).collect();
        let inputs: Vec<Type<'c>> = places.iter().map(|&(kind, _)| kind).collect();
        let region = Region::new();
        region.append_block(Block::new(&places));
        let outlined =
            function(module, name, FunctionType::new(context, &inputs, &self.results()).into(), region)?;
        let Some(block) = outlined.first_region().and_then(|region| region.first_block()) else {
            return Ok(());
        };
        let mut mapping = Mapping::new();
        self.inputs.iter().zip(arguments(block)).for_each(|(&value, argument)| mapping.map(value, argument));
        for op in self.constants.iter().copied().chain(self.moved()) {
            block.append_operation(mapping.clone_op(&op));
        }
        let made: Vec<Value<'c, 'a>> = self.handed.iter().map(|&(_, value)| mapping.lookup(value)).collect();
        Code::at_end(context, block, self.last.location()).op("func.return", &made, &[])?;
        // What a loop carries stays where it is from one iteration to the next. A counter of its own comes before.
        let own = arguments(self.found.body).count().saturating_sub(self.last.operand_count());
        let buffer = |at: usize| match self.handed.iter().position(|&(place, _)| place + own == at) {
            Some(result) => format!("{{{ALIASES} = {result} : i32}}"),
            None => "{}".to_owned(),
        };
        let buffers: Vec<String> = (0..self.inputs.len()).map(buffer).collect();
        if let Some(buffers) = Attribute::parse(context, &format!("[{}]", buffers.join(", "))) {
            set_attribute(outlined, "arg_attrs", buffers);
        }
        Ok(())
    }

    fn results(&self) -> Vec<Type<'c>> {
        self.handed.iter().map(|(_, value)| value.r#type()).collect()
    }

    /// Calls the function in the loop instead of what has moved.
    fn call(&self, name: &str) -> Result<(), Reported> {
        let location = self.found.op.location();
        let kinds: Vec<String> = self.results().iter().map(ToString::to_string).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        let mut code = Code::before(ir::context(self.last), self.found.body, self.last, location);
        let called = code.call(name, &self.inputs, &kinds)?;
        for (&(at, _), value) in self.handed.iter().zip(called) {
            set_operand(self.last, at, value);
        }
        self.ops.iter().rev().copied().filter(|&op| !self.stays(op)).for_each(erase);
        Ok(())
    }
}

fn arguments<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(move |at| block.argument(at).ok()).map(Value::from)
}

fn is_constant(op: &OperationRef<'_, '_>) -> bool {
    is_constant_like(op) || ir::name(*op) == "stablehlo.constant"
}

/// Ops of a body that only count: scalars of integers, made of carried ones and constants alone, and handed on. A compiler looks for the
/// number of iterations in the loop itself.
fn counters<'c: 'a, 'a>(found: &Loop<'c, 'a>) -> HashSet<*mut c_void> {
    let of_body = |op: OperationRef<'c, 'a>| op.block().is_some_and(|block| block == found.body);
    let mut counters = HashSet::new();
    for value in found.next() {
        let mut chain = Vec::new();
        let mut open = vec![value];
        let counts = loop {
            let Some(value) = open.pop() else { break true };
            let Some(op) = ir::producer(value).filter(|&op| of_body(op)) else { continue };
            if !is_count(value.r#type()) || op.region_count() > 0 || chain.len() > MOST_COUNTING {
                break false;
            }
            chain.push(op.to_raw().ptr);
            open.extend(op.operands());
        };
        if counts {
            counters.extend(chain);
        }
    }
    counters
}

/// Ops that make one counter, at most.
const MOST_COUNTING: usize = 64;

/// Is it one integer?
fn is_count(kind: Type<'_>) -> bool {
    let of = match types::ranked_tensor(kind) {
        Some(shape) => shape.dims.is_some_and(|dims| dims.is_empty()).then_some(shape.element),
        None => Some(kind),
    };
    of.is_some_and(|kind| kind.is_integer() || kind.is_index())
}
