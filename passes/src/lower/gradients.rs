//! Gradients written out: the ops of one kind are replaced, wherever that is possible, by ops that a back end computes in less memory.

use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses};
use ballast_dialects::remarks::{Kind, Remark};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};

use crate::import;
use crate::import::types::Types;
use crate::lower::native::Code;

/// Why an op stays as it is.
pub(crate) type Stays = &'static str;

/// A gradient that can be written out.
pub(crate) trait Gradient: Sized {
    /// Name of the remarks, as in `PoolGradient`.
    const REMARK: &'static str;
    /// What a message calls one, as in `pooling gradient`.
    const NOUN: &'static str;

    /// The gradient that an op computes: `None` where it is no such op.
    fn of(op: OperationRef<'_, '_>) -> Option<Result<Self, Stays>>;

    /// Writes the ops that compute it, and returns their result.
    fn write<'c: 'a, 'a>(
        &self,
        code: Code<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported>;
}

/// Writes out every gradient of a kind.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn write_out<G: Gradient>(module: OperationRef<'_, '_>) -> Result<(), Reported> {
    for (name, function) in import::functions(module) {
        let is_one = |op: OperationRef<'_, '_>| G::of(op).is_some();
        if function.has_attribute(PLAN) && ir::nested(function).into_iter().any(is_one) {
            let text = format!("'{name}' is planned: write its {}s out before, or remove `{PLAN}`", G::NOUN);
            return Err(diagnostics::error(function.location(), &text));
        }
        write_out_in::<G>(&name, function)?;
    }
    Ok(())
}

/// Has a function gradients of a kind that can be written out?
pub(crate) fn has_gradients<G: Gradient>(function: OperationRef<'_, '_>) -> bool {
    ir::nested(function).into_iter().any(|op| matches!(G::of(op), Some(Ok(_))))
}

/// Writes out every gradient of a kind in a function that is not planned.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn write_out_in<G: Gradient>(name: &str, function: OperationRef<'_, '_>) -> Result<(), Reported> {
    let noun = G::NOUN;
    let mut written = 0;
    for op in ir::nested(function) {
        match G::of(op) {
            Some(Ok(gradient)) => {
                replace(op, &gradient)?;
                written += 1;
            }
            Some(Err(why)) => {
                let text = format!("a {noun} stays as it is: {why}");
                Remark::new(Kind::Missed, G::REMARK, name, text).emit(op.location());
            }
            None => {}
        }
    }
    if written > 0 {
        Remark::new(Kind::Passed, G::REMARK, name, format!("{noun}s were written out"))
            .fact("ops", written)
            .emit(function.location());
    }
    Ok(())
}

fn replace<'c: 'a, 'a>(op: OperationRef<'c, 'a>, gradient: &impl Gradient) -> Result<(), Reported> {
    let block = op.block().ok_or_else(|| diagnostics::error(op.location(), "is in no block"))?;
    let operands: Vec<Value<'c, 'a>> = op.operands().collect();
    let code = Code::before(ir::context(op), block, op, op.location());
    let result = gradient.write(code, &operands)?;
    if let Ok(old) = op.result(0) {
        replace_all_uses(old, result);
    }
    erase(op);
    Ok(())
}

/// Extents and element type of a tensor of known size.
pub(crate) fn shape(value: Option<Value<'_, '_>>) -> Option<(Vec<i64>, String)> {
    let info = Types::new(None).of(value?.r#type()).ok()?;
    let dims = info.dims.iter().map(|&dim| i64::try_from(dim).ok()).collect::<Option<_>>()?;
    let element = info.text.rsplit(['x', '<']).next().and_then(|text| text.strip_suffix('>'));
    Some((dims, element.unwrap_or_default().to_owned()))
}

/// One number per axis, `usual` where the op has no such attribute.
pub(crate) fn by_axis(op: OperationRef<'_, '_>, name: &str, axes: usize, usual: i64) -> Vec<i64> {
    ir::integers(op, name).unwrap_or_else(|| vec![usual; axes])
}

/// Padding before and behind, by axis: `None` where the op's does not have two numbers per axis.
pub(crate) fn padding(op: OperationRef<'_, '_>, axes: usize) -> Option<(Vec<i64>, Vec<i64>)> {
    let padding = by_axis(op, "padding", 2 * axes, 0);
    // A padding that is the same everywhere is written as one number.
    let padding = if padding.len() == 1 { vec![padding[0]; 2 * axes] } else { padding };
    let side = |from| padding.iter().copied().skip(from).step_by(2).collect();
    (padding.len() == 2 * axes).then(|| (side(0), side(1)))
}

/// The op that a block of two arguments is, if it is one over both of them and a return of its result; and the order in which it reads them.
pub(crate) fn only_op<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Option<(OperationRef<'c, 'a>, [usize; 2])> {
    let ops: Vec<OperationRef<'c, 'a>> = ir::ops(block).collect();
    let [one, end] = ops[..] else { return None };
    let argument = |index| block.argument(index).ok().map(Value::from);
    let is = |operand, index| one.operand(operand).ok().is_some_and(|value| Some(value) == argument(index));
    let order = [[0, 1], [1, 0]].into_iter().find(|&[first, second]| is(0, first) && is(1, second))?;
    let returned = end.operand(0).ok().zip(one.result(0).ok()).is_some_and(|(a, b)| a == Value::from(b));
    (one.operand_count() == 2 && end.operand_count() == 1 && returned).then_some((one, order))
}
