//! `--ballast-kernels`: every loop nest to be becomes a function of its own, equal ones the same.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::c_void;

use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, erase_block, is_constant_like, replace_all_uses, set_attribute};
use ballast_dialects::passes::{BallastKernelsOptions, KernelsKept};
use ballast_dialects::types;
use melior::Context;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationPrintingFlags, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Block, BlockLike, Identifier, Location, Operation, Region, RegionLike, Type, Value, ValueLike,
};
use xxhash_rust::xxh3::xxh3_128;

use crate::import;
use crate::lower::native::Code;

/// Names of the functions that are added: this and a number.
const NAME: &str = "ballast_kernel";
/// Loops as they are before they become branches.
const LOOPS: [&str; 4] = ["scf.for", "scf.forall", "scf.parallel", "scf.while"];

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastKernelsOptions) -> Result<(), Reported> {
    let context = ballast_dialects::ir::context(module);
    let strided = |op: &OperationRef<'_, '_>| {
        ir::name(*op) == "memref.copy" && !op.operands().all(|value| types::is_dense_memref(value.r#type()))
    };
    for copy in ir::nested(module).into_iter().filter(strided).collect::<Vec<_>>() {
        structured_copy(context, copy)?;
    }
    let functions: Vec<OperationRef<'_, '_>> =
        import::functions(module).into_iter().map(|(_, function)| function).collect();
    // A function that is called is one of this module: another cannot know what its name stands for.
    let alone =
        |op: &OperationRef<'_, '_>| !ir::nested(*op).into_iter().any(|inner| ir::name(inner) == "func.call");
    let kernels: Vec<OperationRef<'_, '_>> = functions
        .iter()
        .flat_map(|&function| nests(function))
        .filter(|op| options.keep == KernelsKept::All || alone(op))
        .collect();
    // Everything is judged before anything is changed.
    for &op in &kernels {
        let is_tensor = |value: Value<'_, '_>| types::is_tensor(value.r#type());
        if op.operands().chain(op.results().map(Value::from)).any(is_tensor) {
            return Err(diagnostics::error(op.location(), "reads or makes a tensor: bufferize first"));
        }
    }
    let taken = ir::nested(module).into_iter().filter_map(|op| ir::string(op, "sym_name")).collect();
    let mut library = Library { module, context, keep: options.keep, taken, next: 0, names: HashMap::new() };
    kernels.into_iter().try_for_each(|op| library.outline(op))?;
    if options.keep == KernelsKept::Kernels {
        functions.into_iter().for_each(erase);
    }
    Ok(())
}

/// A copy with strides as a linalg op, hence loops: MLIR would call a library that copies element by element.
fn structured_copy<'c: 'a, 'a>(context: &'c Context, copy: OperationRef<'c, 'a>) -> Result<(), Reported> {
    let location = copy.location();
    let (Some(block), Ok(source), Ok(target)) = (copy.block(), copy.operand(0), copy.operand(1)) else {
        return Ok(());
    };
    let fail =
        |error: melior::Error| diagnostics::error(location, &format!("cannot make loops of it: {error}"));
    let element = |value: Value<'c, 'a>| types::memref(value.r#type()).map(|shape| shape.element);
    let (Some(from), Some(to)) = (element(source), element(target)) else { return Ok(()) };
    let body = Block::new(&[(from, location), (to, location)]);
    let taken = body.argument(0).map_err(fail)?.into();
    let end = OperationBuilder::new("linalg.yield", location).add_operands(&[taken]).build().map_err(fail)?;
    body.append_operation(end);
    let region = Region::new();
    region.append_block(body);
    let sizes = Code::before(context, block, copy, location).attribute("array<i32: 1, 1>")?;
    let structured = OperationBuilder::new("linalg.copy", location)
        .add_operands(&[source, target])
        .add_attributes(&[(Identifier::new(context, "operandSegmentSizes"), sizes)])
        .add_regions([region])
        .build()
        .map_err(fail)?;
    block.insert_operation_before(copy, structured);
    erase(copy);
    Ok(())
}

/// The ops of a function that are to become loops, and the loops without such ops; none inside another.
fn nests<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let is_structured =
        |op: OperationRef<'_, '_>| ir::name(op).starts_with("linalg.") && op.region_count() > 0;
    let mut inside: HashSet<*const c_void> = HashSet::new();
    let mut found = Vec::new();
    for op in ir::nested(function) {
        if inside.contains(&op.to_raw().ptr.cast_const()) {
            continue;
        }
        let is_loop = LOOPS.contains(&ir::name(op)) && !ir::nested(op).into_iter().any(is_structured);
        if is_structured(op) || is_loop {
            inside.extend(ir::nested(op).into_iter().map(|op| op.to_raw().ptr.cast_const()));
            found.push(op);
        }
    }
    found
}

/// What an op and its regions read from outside, each value once, constants apart.
struct Captured<'c, 'a> {
    values: Vec<Value<'c, 'a>>,
    constants: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Captured<'c, 'a> {
    fn of(op: OperationRef<'c, 'a>) -> Self {
        let inner = ir::nested(op);
        let mut known: HashSet<*const c_void> = HashSet::new();
        for &holder in [op].iter().chain(&inner) {
            for block in ir::blocks(holder) {
                let arguments = (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
                known.extend(arguments.map(|argument| argument.to_raw().ptr));
            }
        }
        known.extend(inner.iter().flat_map(|op| op.results()).map(|result| result.to_raw().ptr));
        let mut captured = Captured { values: Vec::new(), constants: Vec::new() };
        for value in [op].iter().chain(&inner).flat_map(|op| op.operands()) {
            if !known.insert(value.to_raw().ptr) {
                continue;
            }
            match ir::producer(value).filter(is_constant_like) {
                Some(constant) => captured.constants.push(constant),
                None => captured.values.push(value),
            }
        }
        captured
    }
}

/// The functions made so far.
struct Library<'c, 'a> {
    module: OperationRef<'c, 'a>,
    context: &'c Context,
    keep: KernelsKept,
    taken: BTreeSet<String>,
    next: usize,
    /// By their text without a name. Looked up only.
    names: HashMap<String, String>,
}

impl<'c: 'a, 'a> Library<'c, 'a> {
    /// Puts a call where the op was.
    fn outline(&mut self, op: OperationRef<'c, 'a>) -> Result<(), Reported> {
        let Some(block) = op.block() else { return Ok(()) };
        let captured = Captured::of(op);
        let results: Vec<Type<'c>> = op.results().map(|result| result.r#type()).collect();
        let function = self.function(op, &captured, &results)?;
        let name = self.place(function)?;
        let mut code = Code::before(self.context, block, op, op.location());
        let made = code.call_typed(&name, &captured.values, &results)?;
        for (result, value) in op.results().zip(made) {
            replace_all_uses(result, value);
        }
        erase(op);
        Ok(())
    }

    /// A function without a name that does what the op does.
    fn function(
        &self,
        op: OperationRef<'c, 'a>,
        captured: &Captured<'c, 'a>,
        results: &[Type<'c>],
    ) -> Result<Operation<'c>, Reported> {
        let (context, location) = (self.context, op.location());
        let kinds: Vec<Type<'c>> = captured.values.iter().map(|value| value.r#type()).collect();
        let arguments: Vec<(Type<'c>, Location<'c>)> = kinds.iter().map(|&kind| (kind, location)).collect();
        let body = Region::new();
        let block = body.append_block(Block::new(&arguments));
        let mut mapping = Mapping::new();
        for (index, &value) in captured.values.iter().enumerate() {
            let argument: Value<'c, '_> = block.argument(index).expect("one argument per value").into();
            mapping.map(value, argument);
        }
        for constant in &captured.constants {
            block.append_operation(mapping.clone_op(constant));
        }
        let clone = block.append_operation(mapping.clone_op(&op));
        let made: Vec<Value<'c, '_>> = clone.results().map(Value::from).collect();
        Code::at_end(context, block, location).op("func.return", &made, &[])?;
        let name = |text| Identifier::new(context, text);
        let code = Code::at_end(context, block, location);
        let mut attributes = vec![
            (name("sym_name"), StringAttribute::new(context, NAME).into()),
            (
                name("function_type"),
                TypeAttribute::new(FunctionType::new(context, &kinds, results).into()).into(),
            ),
        ];
        if self.keep == KernelsKept::All {
            attributes.extend([
                (name("sym_visibility"), StringAttribute::new(context, "private").into()),
                // Only the loops of one function at a time, or nothing is won; arguments that no loop reads are dropped.
                (name("passthrough"), code.attribute("[\"noinline\"]")?),
                (name("llvm.linkage"), code.attribute("#llvm.linkage<internal>")?),
            ]);
        }
        OperationBuilder::new("func.func", location)
            .add_attributes(&attributes)
            .add_regions([body])
            .build()
            .map_err(|error| {
                diagnostics::error(location, &format!("cannot make a function of the op: {error}"))
            })
    }

    /// Adds a function to the module, unless it has the same; its name.
    fn place(&mut self, function: Operation<'c>) -> Result<String, Reported> {
        let flags = OperationPrintingFlags::new().use_local_scope().print_generic_operation_form();
        let text = function.to_string_with_flags(flags).map_err(|error| {
            diagnostics::error(self.module.location(), &format!("cannot print a function: {error}"))
        })?;
        if let Some(name) = self.names.get(&text) {
            return Ok(name.clone());
        }
        let name = match self.keep {
            KernelsKept::All => self.number(),
            KernelsKept::Program | KernelsKept::Kernels => {
                format!("{NAME}_{:032x}", xxh3_128(text.as_bytes()))
            }
        };
        let Some(body) = self.module.first_region().and_then(|region| region.first_block()) else {
            return Err(diagnostics::error(self.module.location(), "the module has no body"));
        };
        let placed = body.append_operation(function);
        set_attribute(placed, "sym_name", StringAttribute::new(self.context, &name).into());
        if self.keep == KernelsKept::Program {
            set_attribute(placed, "sym_visibility", StringAttribute::new(self.context, "private").into());
            if let Some(body) = placed.first_region().and_then(|region| region.first_block()) {
                erase_block(body);
            }
        }
        self.names.insert(text, name.clone());
        Ok(name)
    }

    /// The next name that is not taken.
    fn number(&mut self) -> String {
        loop {
            let name = format!("{NAME}{}", self.next);
            self.next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}
