//! `--ballast-to-buffers`: swaps become copies between memory spaces, barriers go; ready for one-shot bufferization.

use ballast_dialects::attributes as names;
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses, set_operand};
use ballast_dialects::passes::BallastToBuffersOptions;
use ballast_dialects::types;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, BlockRef, Identifier, Type, Value, ValueLike};

use crate::lower::ballast_strip::{is_of_planning, strip};
use crate::lower::native::Code;

/// Memory space of the device, and of the host.
const DEVICE_SPACE: i64 = 0;
/// Memory space of host copies; `--ballast-host-heap` gives it a heap of its own.
pub(crate) const HOST_SPACE: i64 = 1;

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastToBuffersOptions) -> Result<(), Reported> {
    refuse_without_loops(module)?;
    warn_of_whole_tensors(module);
    for function in ir::blocks(module).into_iter().flat_map(ir::ops) {
        for block in ir::blocks(function) {
            lower(block)?;
        }
    }
    strip(module, |name, value| is_of_planning(name, value) && name != names::PROGRAM);
    Ok(())
}

/// Refuses what becomes an op on buffers, of which no pass makes loops: it would be left in the program.
fn refuse_without_loops(module: OperationRef<'_, '_>) -> Result<(), Reported> {
    match ir::nested(module).into_iter().find(|&op| ir::name(op) == "linalg.softmax") {
        None => Ok(()),
        Some(op) => {
            let text = "of 'linalg.softmax' no pass makes loops: decompose it before planning (`transform.structured.decompose_interface`), or write it as \
                        `linalg.generic` ops";
            Err(diagnostics::error(ir::place(op), text))
        }
    }
}

/// Says of ops on whole tensors of which bufferization makes none of buffers what to run first, once for each dialect: its own message has no advice.
fn warn_of_whole_tensors(module: OperationRef<'_, '_>) {
    let mut told: Vec<&str> = Vec::new();
    for op in ir::nested(module) {
        let Some((dialect, name)) = ir::name(op).split_once('.') else { continue };
        let advice = match dialect {
            "arith" if ["constant", "index_cast", "select"].contains(&name) => continue,
            "arith" | "math" => "run `--convert-elementwise-to-linalg` before planning",
            "tosa" => "run `--tosa-to-linalg-pipeline` before planning",
            "stablehlo" => {
                "plan it as linalg on tensors, as exporters write it with `--form linalg`, or run the plan by \
                            `ballast run --backend xla`"
            }
            _ => continue,
        };
        let makes_tensors = op.results().any(|result| types::is_tensor(result.r#type()));
        if makes_tensors && !told.contains(&dialect) {
            told.push(dialect);
            let text = format!("'{dialect}.{name}' on tensors becomes no op on buffers: {advice}");
            diagnostics::warning(ir::place(op), &text);
        }
    }
}

fn lower<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Result<(), Reported> {
    let ops: Vec<OperationRef<'c, 'a>> = ir::ops(block).collect();
    for op in ops {
        match ir::name(op) {
            "ballast.barrier" => {
                for (result, operand) in op.results().zip(op.operands()) {
                    replace_all_uses(result, own_buffer(block, op, operand));
                }
                erase(op);
            }
            // The types of both ops differ only in the handle, which is a tensor from here on.
            "ballast.swap_out" => copy(block, op, HOST_SPACE, |operand, _| operand)?,
            "ballast.swap_in" => copy(block, op, DEVICE_SPACE, |_, result| result)?,
            "ballast.send" => send(block, op)?,
            "ballast.recv" => receive(block, op)?,
            _ => {}
        }
    }
    Ok(())
}

/// What stands for an operand of a barrier: itself, but an empty tensor anew. CSE merges empty tensors, and two ops that
/// write into one share its buffer, or copy it.
fn own_buffer<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    barrier: OperationRef<'c, 'a>,
    operand: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let empty = ir::producer(operand).filter(|&producer| ir::name(producer) == "tensor.empty");
    let Some(empty) = empty else { return operand };
    let clone = block.insert_operation_before(barrier, Mapping::new().clone_op(&empty));
    clone.results().next().map_or(operand, Value::from)
}

/// Lets a message read the buffer of its tensor.
fn send<'c: 'a, 'a>(block: BlockRef<'c, 'a>, op: OperationRef<'c, 'a>) -> Result<(), Reported> {
    let context = ballast_dialects::ir::context(op);
    let Ok(tensor) = op.operand(0) else { return Ok(()) };
    let kind = tensor.r#type().to_string();
    if !kind.starts_with("tensor<") {
        return Ok(());
    }
    let mut code = Code::before(context, block, op, op.location());
    let read_only = Attribute::unit(context);
    let kind = code.kind(&kind.replacen("tensor<", "memref<", 1))?;
    let buffer = code.make("bufferization.to_buffer", &[tensor], &[kind], &[("read_only", read_only)])?;
    set_operand(op, 0, buffer[0]);
    Ok(())
}

/// Gives a message a buffer to arrive in, on the device or on the host.
fn receive<'c: 'a, 'a>(block: BlockRef<'c, 'a>, op: OperationRef<'c, 'a>) -> Result<(), Reported> {
    let context = ballast_dialects::ir::context(op);
    let Ok(result) = op.result(0) else { return Ok(()) };
    let kind = result.r#type().to_string();
    let mut code = Code::before(context, block, op, op.location());
    let (tensor, buffer) = match kind.strip_prefix("!ballast.host<").and_then(|kind| kind.strip_suffix('>')) {
        Some(tensor) => {
            let shape = tensor.strip_suffix('>').unwrap_or(tensor);
            (tensor, format!("{shape}, {HOST_SPACE}>"))
        }
        None => (kind.as_str(), kind.clone()),
    };
    let buffer = code.alloc(&buffer.replacen("tensor<", "memref<", 1))?;
    let ends: Vec<(&str, Attribute<'c>)> =
        ["source", "target", "tag"].iter().filter_map(|&end| Some((end, ir::attribute(op, end)?))).collect();
    code.make("ballast.recv_into", &[buffer], &[], &ends)?;
    let (tensor, flag) = (code.kind(tensor)?, Attribute::unit(context));
    let flags = [("restrict", flag), ("writable", flag)];
    let arrived = code.make("bufferization.to_tensor", &[buffer], &[tensor], &flags)?;
    replace_all_uses(result, arrived[0]);
    erase(op);
    Ok(())
}

/// Replaces a copy to or from the host by a tensor allocated in that memory space.
fn copy<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    op: OperationRef<'c, 'a>,
    space: i64,
    tensor: impl FnOnce(Type<'c>, Type<'c>) -> Type<'c>,
) -> Result<(), Reported> {
    let location = op.location();
    let context = ballast_dialects::ir::context(op);
    let (Some(source), Some(result)) = (op.operands().next(), op.results().next()) else { return Ok(()) };
    let kind = tensor(source.r#type(), result.r#type());
    let segments = DenseI32ArrayAttribute::new(context, &[0, 1, 0]);
    let space = IntegerAttribute::new(IntegerType::new(context, 64).into(), space);
    let allocated = OperationBuilder::new("bufferization.alloc_tensor", location)
        .add_operands(&[source])
        .add_results(&[kind])
        .add_attributes(&[
            (Identifier::new(context, "operandSegmentSizes"), segments.into()),
            (Identifier::new(context, "memory_space"), space.into()),
        ])
        .build()
        .map_err(|error| diagnostics::error(location, &format!("cannot make a copy: {error}")))?;
    let allocated = block.insert_operation_before(op, allocated);
    if let Some(new) = allocated.results().next() {
        replace_all_uses(result, Value::from(new));
    }
    erase(op);
    Ok(())
}
