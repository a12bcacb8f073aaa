//! `--ballast-messages`: messages of buffers become MPI's.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, set_attribute};
use ballast_dialects::passes::BallastMessagesOptions;
use ballast_dialects::types;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Value, ValueLike};

use crate::lower::native::{Code, declare};

/// Element types of messages, and as what they go: MLIR 22 has names of Open MPI for the first six and lowers others to a symbol
/// without a name. Nothing is computed on the way, so that a type as wide does; an `i1` takes a byte in a buffer.
const CARRIED: [(&str, &str); 10] = [
    ("f32", "f32"),
    ("f64", "f64"),
    ("i8", "i8"),
    ("i16", "i16"),
    ("i32", "i32"),
    ("i64", "i64"),
    ("i1", "i8"),
    ("f16", "i16"),
    ("bf16", "i16"),
    ("index", "i64"),
];
/// MLIR's lowering of MPI asks the module, by this attribute, for the library whose names to use.
pub(crate) const MPI_MAP: &str = "dlti.map";
/// The library that programs are for.
pub(crate) const IMPLEMENTATION: &str = "#dlti.map<\"MPI:Implementation\" = \"OpenMPI\">";

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastMessagesOptions) -> Result<(), Reported> {
    let messages: Vec<OperationRef<'_, '_>> = ir::nested(module)
        .into_iter()
        .filter(|&op| matches!(ir::name(op), "ballast.send" | "ballast.recv_into"))
        .collect();
    // Everything is judged before anything is changed.
    let shapes: Vec<Shape> = messages.iter().map(|&op| Shape::of(op)).collect::<Result<_, _>>()?;
    if !messages.is_empty() {
        declare(module, "ballast_wait", "() -> ()")?;
        declare(module, "ballast_resume", "() -> ()")?;
    }
    for (op, shape) in messages.into_iter().zip(shapes) {
        lower(op, &shape)?;
    }
    name_implementation(module);
    Ok(())
}

/// Says on the module which MPI the program is for.
fn name_implementation(module: OperationRef<'_, '_>) {
    let context = ballast_dialects::ir::context(module);
    if let Some(map) = Attribute::parse(context, IMPLEMENTATION) {
        set_attribute(module, MPI_MAP, map);
    }
}

/// The buffer of a message.
struct Shape {
    rank: usize,
    /// Its type as one dimension.
    flat: String,
    /// The type it goes as, where that is another.
    carried: Option<String>,
}

impl Shape {
    fn of(op: OperationRef<'_, '_>) -> Result<Self, Reported> {
        let fail = |text: &str| diagnostics::error(op.location(), text);
        let kind = op.operand(0).map_err(|_| fail("has no operand"))?.r#type();
        let Some(shape) = types::memref(kind) else {
            return Err(fail("is no message of a buffer yet: bufferize first"));
        };
        let dims = shape
            .static_dims()
            .ok_or_else(|| fail("is a message of dynamic shape: give the program static shapes"))?;
        let (rank, elements, element) = (dims.len(), dims.iter().product::<u64>(), shape.element.to_string());
        let Some(&(_, carrier)) = CARRIED.iter().find(|(carried, _)| *carried == element) else {
            let text = format!(
                "MPI carries no {element}, only {}: keep makers and readers of such values on one device",
                CARRIED.map(|(carried, _)| carried).join(", ")
            );
            return Err(fail(&text));
        };
        if i32::try_from(elements).is_err() {
            return Err(fail(&format!("{elements} elements are more than MPI counts in one message")));
        }
        let size = if rank == 0 { String::new() } else { format!("{elements}x") };
        let carried = (carrier != element).then(|| format!("memref<{size}{carrier}>"));
        Ok(Shape { rank, flat: format!("memref<{size}{element}>"), carried })
    }
}

fn lower<'c: 'a, 'a>(op: OperationRef<'c, 'a>, shape: &Shape) -> Result<(), Reported> {
    let location = op.location();
    let context = ballast_dialects::ir::context(op);
    let (Some(block), Ok(buffer)) = (op.block(), op.operand(0)) else { return Ok(()) };
    let sends = ir::name(op) == "ballast.send";
    let field = |name| ir::integer(op, name).unwrap_or_default();
    let (partner, tag) = (field(if sends { "target" } else { "source" }), field("tag"));
    let mut code = Code::before(context, block, op, location);
    // MLIR's lowering counts the elements of the first dimension alone.
    let flat: Value<'c, 'a> =
        if shape.rank > 1 { code.collapse(buffer, shape.rank, &shape.flat)? } else { buffer };
    // Both are the same descriptor once they are lowered, and the cast goes.
    let flat = match &shape.carried {
        Some(carried) => code.op("builtin.unrealized_conversion_cast", &[flat], &[carried.as_str()])?[0],
        None => flat,
    };
    let (tag, partner) = (code.small(tag)?, code.small(partner)?);
    let world = code.op("mpi.comm_world", &[], &["!mpi.comm"])?[0];
    code.call("ballast_wait", &[], &[])?;
    let name = if sends { "mpi.send" } else { "mpi.recv" };
    code.op(name, &[flat, tag, partner, world], &[])?;
    code.call("ballast_resume", &[], &[])?;
    erase(op);
    Ok(())
}
