//! `--ballast-entry`: a function that runs the program once, on arguments made from a seed.

use ballast_dialects::attributes as names;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes::BallastEntryOptions;
use ballast_dialects::types;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Block, BlockLike, Region, RegionLike, Type, Value, ValueLike};

use crate::import;
use crate::import::types::Types;
use crate::lower::native::{Code, check_free, declare, function, function_type, named};

/// Name of the function that is added.
const ENTRY: &str = "ballast_entry";
/// Element types of buffers, as the run-time library numbers them.
const ELEMENTS: [&str; 10] = ["f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "index"];

/// A buffer as the run-time library takes it.
struct Buffer {
    kind: String,
    elements: u64,
    element: u64,
}

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastEntryOptions) -> Result<(), Reported> {
    let wanted = (!options.function.is_empty()).then_some(options.function.as_str());
    let programs = if options.each {
        let visible = |op| ir::string(op, "sym_visibility").is_none_or(|visibility| visibility == "public");
        import::functions(module).into_iter().map(|(_, op)| op).filter(|&op| visible(op)).collect()
    } else {
        vec![import::function(module, wanted)?]
    };
    let programs = programs.into_iter().map(Callee::read).collect::<Result<Vec<_>, _>>()?;
    write(module, &programs, options)
}

/// A function to be called.
struct Callee {
    name: String,
    arguments: Vec<Buffer>,
    results: Vec<Buffer>,
    /// What it is of a whole program that was cut.
    part: Option<names::Program>,
}

impl Callee {
    fn read(function: OperationRef<'_, '_>) -> Result<Self, Reported> {
        let location = function.location();
        let Some(block) = function.first_region().and_then(|region| region.first_block()) else {
            return Err(diagnostics::error(location, "the function has no body to run"));
        };
        let mut sizes = Types::new(None);
        let mut buffer =
            |kind: Type<'_>| buffer(kind, &mut sizes).map_err(|text| diagnostics::error(location, &text));
        let arguments = (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
        let arguments: Vec<Buffer> =
            arguments.map(|argument| buffer(argument.r#type())).collect::<Result<_, _>>()?;
        let returned = block.terminator().map_or_else(Vec::new, |last| last.operands().collect());
        let results = returned.into_iter().map(|value| buffer(value.r#type())).collect::<Result<_, _>>()?;
        let name = ir::string(function, "sym_name").unwrap_or_default();
        let part = function.attribute(names::PROGRAM).ok().and_then(names::Program::read);
        Ok(Callee { name, arguments, results, part })
    }

    /// Fills the arguments, calls the function as often as asked for, and gives everything back.
    fn call<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        meeting: Option<&Meeting<'c, 'a>>,
        options: &BallastEntryOptions,
    ) -> Result<(), Reported> {
        let argument_numbers = numbers(self.part.as_ref().map(|part| &part.arguments), self.arguments.len());
        let result_numbers = numbers(self.part.as_ref().map(|part| &part.results), self.results.len());
        let seed = code.index(options.seed)?;
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for (argument, number) in self.arguments.iter().zip(argument_numbers) {
            let value = code.alloc(&argument.kind)?;
            let mut operands = describe(code, value, argument, number)?;
            operands.push(seed);
            code.call("ballast_fill", &operands, &[])?;
            values.push(value);
        }
        let kinds: Vec<&str> = self.results.iter().map(|result| result.kind.as_str()).collect();
        for _ in 0..options.runs {
            if let Some(meeting) = meeting {
                meeting.meet(code)?;
            }
            code.call("ballast_start", &[], &[])?;
            let made = code.call(&self.name, &values, &kinds)?;
            code.call("ballast_stop", &[], &[])?;
            for ((&value, result), &number) in made.iter().zip(&self.results).zip(&result_numbers) {
                let operands = describe(code, value, result, number)?;
                code.call("ballast_take", &operands, &[])?;
            }
            made.into_iter().try_for_each(|value| release(code, value))?;
        }
        values.into_iter().try_for_each(|value| release(code, value))
    }
}

fn write<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    programs: &[Callee],
    options: &BallastEntryOptions,
) -> Result<(), Reported> {
    if let Some(known) = named(module, ENTRY) {
        check_free(module, ENTRY, known)?;
    }
    for (name, kind) in [
        ("ballast_fill", "(index, index, index, index, index) -> ()"),
        ("ballast_start", "() -> ()"),
        ("ballast_stop", "() -> ()"),
        ("ballast_take", "(index, index, index, index) -> ()"),
        ("ballast_release", "(index) -> ()"),
        ("ballast_finish", "() -> ()"),
    ] {
        declare(module, name, kind)?;
    }
    let part = programs.iter().find_map(|program| program.part.as_ref());
    if part.is_some() {
        declare(module, "ballast_rank", "(index, index) -> ()")?;
    }
    let body = Region::new();
    body.append_block(Block::new(&[]));
    let entry = function(module, ENTRY, function_type(module, "() -> ()")?, body)?;
    let Some(block) = entry.first_region().and_then(|region| region.first_block()) else { return Ok(()) };
    let context = ballast_dialects::ir::context(module);
    let mut code = Code::at_end(context, block, module.location());
    let meeting = match part {
        None => None,
        Some(part) => Some(Meeting::begin(&mut code, part, options.attached)?),
    };
    for program in programs {
        program.call(&mut code, meeting.as_ref(), options)?;
    }
    if meeting.is_some() && !options.attached {
        code.op("mpi.finalize", &[], &[])?;
    }
    code.call("ballast_finish", &[], &[])?;
    code.op("func.return", &[], &[]).map(|_| ())
}

/// Numbers of arguments or results: those of the whole program, or simply theirs.
fn numbers(of_whole: Option<&Vec<i64>>, count: usize) -> Vec<u64> {
    match of_whole {
        Some(numbers) => numbers.iter().map(|number| number.unsigned_abs()).collect(),
        None => (0..count as u64).collect(),
    }
}

fn release<'c: 'a, 'a>(code: &mut Code<'c, 'a>, value: Value<'c, 'a>) -> Result<(), Reported> {
    let address = code.op("memref.extract_aligned_pointer_as_index", &[value], &["index"])?;
    code.call("ballast_release", &address, &[]).map(|_| ())
}

/// The processes of one run, which start together.
struct Meeting<'c, 'a> {
    world: Value<'c, 'a>,
    /// What ranks send each other when they meet; on the stack, so that no heap counts it.
    token: Value<'c, 'a>,
    rank: i64,
    ranks: i64,
}

impl<'c: 'a, 'a> Meeting<'c, 'a> {
    /// Starts MPI, unless the process has (`attached`), and checks that it is the one the program was made for.
    fn begin(code: &mut Code<'c, 'a>, part: &names::Program, attached: bool) -> Result<Self, Reported> {
        if !attached {
            code.op("mpi.init", &[], &[])?;
        }
        let world = code.op("mpi.comm_world", &[], &["!mpi.comm"])?[0];
        // MLIR 22 lowers no `mpi.comm_size`; a rank that is missing shows when it is sent to.
        let rank = code.op("mpi.comm_rank", &[world], &["!mpi.retval", "i32"])?[1];
        let rank = code.op("arith.index_cast", &[rank], &["index"])?[0];
        let operands = [rank, code.index(part.device.unsigned_abs())?];
        code.call("ballast_rank", &operands, &[])?;
        let token = code.alloca("memref<1xi32>")?;
        let (zero, at) = (code.small(0)?, code.index(0)?);
        code.op("memref.store", &[zero, token, at], &[])?;
        Ok(Meeting { world, token, rank: part.device, ranks: part.devices })
    }

    /// Waits for all others: each tells the first rank that it has come, and the first rank then tells all to go. (MLIR 22
    /// lowers no barrier, and an all-reduce to a symbol that Open MPI lacks.)
    fn meet(&self, code: &mut Code<'c, 'a>) -> Result<(), Reported> {
        let others = if self.rank == 0 { 1..self.ranks } else { 0..1 };
        let order = if self.rank == 0 { ["mpi.recv", "mpi.send"] } else { ["mpi.send", "mpi.recv"] };
        for what in order {
            for other in others.clone() {
                let (tag, other) = (code.small(0)?, code.small(other)?);
                code.op(what, &[self.token, tag, other, self.world], &[])?;
            }
        }
        Ok(())
    }
}

/// Address, number of elements, element type, number of the buffer.
fn describe<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    value: Value<'c, 'a>,
    buffer: &Buffer,
    number: u64,
) -> Result<Vec<Value<'c, 'a>>, Reported> {
    let mut operands = code.op("memref.extract_aligned_pointer_as_index", &[value], &["index"])?;
    for number in [buffer.elements, buffer.element, number] {
        operands.push(code.index(number)?);
    }
    Ok(operands)
}

/// Why no function can be run that takes or returns this type of tensors, once they are buffers; none where it can.
pub(crate) fn why_not_run(kind: Type<'_>) -> Option<String> {
    let Some(shape) = types::ranked_tensor(kind).filter(|_| Types::new(None).of(kind).is_ok()) else {
        return Some("which is no tensor of static shape".to_owned());
    };
    let element = shape.element.to_string();
    (!ELEMENTS.contains(&element.as_str())).then(|| format!("and no random {element} is known"))
}

fn buffer(kind: Type<'_>, sizes: &mut Types) -> Result<Buffer, String> {
    let Some(shape) = types::memref(kind) else {
        return Err(format!(
            "cannot run a function that takes or returns {kind}: only buffers of static shape"
        ));
    };
    let element = shape.element.to_string();
    let Some(number) = ELEMENTS.iter().position(|&known| known == element) else {
        return Err(format!(
            "cannot run a function that takes or returns {kind}: no random {element} is known"
        ));
    };
    let size = sizes.of(kind)?;
    Ok(Buffer { kind: size.text.clone(), elements: size.elements, element: number as u64 })
}
