//! `--ballast-entry`: a function that runs the program once, on arguments made from a seed.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::BallastEntryOptions;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Block, BlockLike, Region, RegionLike, Type, TypeLike, Value, ValueLike};
use mlir_sys::{mlirShapedTypeGetElementType, mlirTypeIsAMemRef};

use crate::apply::native::{Code, declare, function};
use crate::import::{self, types::Types};

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
    let program = import::function(module, wanted)?;
    write(module, program, options.seed)
}

fn write<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    program: OperationRef<'c, 'a>,
    seed: u64,
) -> Result<(), Reported> {
    let location = program.location();
    let Some(block) = program.first_region().and_then(|region| region.first_block()) else {
        return Err(diagnostics::error(location, "the function has no body to run"));
    };
    let mut sizes = Types::new(None);
    let mut buffer =
        |kind: Type<'c>| buffer(kind, &mut sizes).map_err(|text| diagnostics::error(location, &text));
    let arguments = (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
    let arguments: Vec<Buffer> =
        arguments.map(|argument| buffer(argument.r#type())).collect::<Result<_, _>>()?;
    let results: Vec<Type<'c>> = block
        .terminator()
        .into_iter()
        .flat_map(|last| last.operands().collect::<Vec<_>>())
        .map(|v| v.r#type())
        .collect();
    let results: Vec<Buffer> = results.into_iter().map(&mut buffer).collect::<Result<_, _>>()?;
    let name = import::ir::string(program, "sym_name").unwrap_or_default();

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
    let body = Region::new();
    body.append_block(Block::new(&[]));
    let entry = function(module, ENTRY, "() -> ()", body)?;
    let Some(block) = entry.first_region().and_then(|region| region.first_block()) else { return Ok(()) };
    let holder = module.context();
    // SAFETY: the reference points into `holder`, which lives to the end of this function.
    let context: &'c Context = unsafe { holder.to_ref() };
    let mut code = Code::at_end(context, block, location);
    let seed = code.index(seed)?;
    let mut values: Vec<Value<'c, 'a>> = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        let value = code.alloc(&argument.kind)?;
        let mut operands = describe(&mut code, value, argument, number)?;
        operands.push(seed);
        code.call("ballast_fill", &operands, &[])?;
        values.push(value);
    }
    let kinds: Vec<&str> = results.iter().map(|result| result.kind.as_str()).collect();
    code.call("ballast_start", &[], &[])?;
    let made = code.call(&name, &values, &kinds)?;
    code.call("ballast_stop", &[], &[])?;
    for (number, (&value, result)) in made.iter().zip(&results).enumerate() {
        let operands = describe(&mut code, value, result, number)?;
        code.call("ballast_take", &operands, &[])?;
    }
    for value in values.into_iter().chain(made) {
        let address = code.op("memref.extract_aligned_pointer_as_index", &[value], &["index"])?;
        code.call("ballast_release", &address, &[])?;
    }
    code.call("ballast_finish", &[], &[])?;
    code.op("func.return", &[], &[]).map(|_| ())
}

/// Address, number of elements, element type, number of the buffer.
fn describe<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    value: Value<'c, 'a>,
    buffer: &Buffer,
    number: usize,
) -> Result<Vec<Value<'c, 'a>>, Reported> {
    let mut operands = code.op("memref.extract_aligned_pointer_as_index", &[value], &["index"])?;
    for number in [buffer.elements, buffer.element, number as u64] {
        operands.push(code.index(number)?);
    }
    Ok(operands)
}

fn buffer(kind: Type<'_>, sizes: &mut Types) -> Result<Buffer, String> {
    // SAFETY: the accessor follows its type test.
    let element = unsafe {
        if !mlirTypeIsAMemRef(kind.to_raw()) {
            return Err(format!(
                "cannot run a function that takes or returns {kind}: only buffers of static shape"
            ));
        }
        Type::from_raw(mlirShapedTypeGetElementType(kind.to_raw())).to_string()
    };
    let Some(number) = ELEMENTS.iter().position(|&known| known == element) else {
        return Err(format!(
            "cannot run a function that takes or returns {kind}: no random {element} is known"
        ));
    };
    let size = sizes.of(kind)?;
    Ok(Buffer { kind: size.text.clone(), elements: size.elements, element: number as u64 })
}
