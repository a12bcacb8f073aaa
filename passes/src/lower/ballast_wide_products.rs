//! `--ballast-wide-products`: products and convolutions of 16-bit floats in single precision, as XLA's CPU compiler computes them.
//!
//! That compiler has no kernel that makes 16-bit floats of two operands of 16 bits: it computes in `f32`, on copies of both operands twice as large. What is equal is
//! copied once, so a copy for a product of the forward pass is held until the backward pass has read it as well, and copies of arguments are made before
//! anything else. Written out, these copies are values like others, which a plan makes again where they are needed.

use std::collections::HashMap;
use std::ffi::c_void;

use ballast_dialects::attributes::PLAN;
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses, set_operand, set_result_type};
use ballast_dialects::passes::BallastWideProductsOptions;
use ballast_dialects::remarks::{Kind, Remark};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};

use crate::import;
use crate::lower::gradients::shape;
use crate::lower::native::Code;
use crate::lower::stablehlo::{make, tensor};

/// Runs the pass.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn run(
    module: OperationRef<'_, '_>,
    _options: &BallastWideProductsOptions,
) -> Result<(), Reported> {
    for (name, function) in import::functions(module) {
        if function.has_attribute(PLAN) && has_narrow_products(function) {
            let text = format!("'{name}' is planned: compute its products in f32 before, or remove `{PLAN}`");
            return Err(diagnostics::error(function.location(), &text));
        }
        let written = widen_in(function)?;
        if written > 0 {
            say(&name, function, written);
        }
    }
    Ok(())
}

/// Says that so many products of a function were written out.
pub(crate) fn say(name: &str, function: OperationRef<'_, '_>, written: usize) {
    let text = "products of 16-bit floats are computed in f32".to_owned();
    Remark::new(Kind::Passed, "WideProduct", name, text).fact("ops", written).emit(function.location());
}

/// Has a function products of 16-bit floats?
pub(crate) fn has_narrow_products(function: OperationRef<'_, '_>) -> bool {
    ir::nested(function).into_iter().any(is_narrow_product)
}

/// Writes out every product of 16-bit floats in a function that is not planned; how many.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn widen_in(function: OperationRef<'_, '_>) -> Result<usize, Reported> {
    let mut copies = Copies::default();
    let narrow: Vec<_> = ir::nested(function).into_iter().filter(|&op| is_narrow_product(op)).collect();
    for &op in &narrow {
        widen(op, &mut copies)?;
    }
    copies.drop_views();
    Ok(narrow.len())
}

/// Copies to single precision once more, each value once a block: opened, a loop reads what it was handed, and that may be another value in another order.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn join_copies(function: OperationRef<'_, '_>) -> Result<(), Reported> {
    let mut copies = Copies::default();
    for op in ir::nested(function) {
        let (Some(block), Ok(value), Some(result)) = (op.block(), op.operand(0), ir::first_result(op)) else {
            continue;
        };
        let is_wide = || shape(Some(result)).is_some_and(|(_, element)| element == "f32");
        if ir::name(op) != "stablehlo.convert" || narrow(value).is_none() || !is_wide() {
            continue;
        }
        let mut code = Code::before(ir::context(op), block, op, op.location());
        replace_all_uses(result, wide(&mut code, op, value, &mut copies)?);
        erase(op);
    }
    copies.drop_views();
    Ok(())
}

/// Is it a product of two values that makes 16-bit floats, by an algorithm of the back end's choice?
fn is_narrow_product(op: OperationRef<'_, '_>) -> bool {
    matches!(ir::name(op), "stablehlo.dot_general" | "stablehlo.dot" | "stablehlo.convolution")
        && !op.has_attribute("algorithm")
        && op.operand_count() == 2
        && op.operands().chain(ir::first_result(op)).all(|value| narrow(value).is_some())
}

/// Extents of a tensor of 16-bit floats.
fn narrow(value: Value<'_, '_>) -> Option<Vec<i64>> {
    let (dims, element) = shape(Some(value))?;
    matches!(element.as_str(), "bf16" | "f16").then_some(dims)
}

/// Values in single precision.
#[derive(Default)]
struct Copies<'c, 'a> {
    /// By block and value.
    made: HashMap<(*const c_void, *const c_void), Value<'c, 'a>>,
    /// Views that products no longer read, in the order of the program.
    views: Vec<OperationRef<'c, 'a>>,
}

impl Copies<'_, '_> {
    /// Takes out what is not read any more.
    fn drop_views(self) {
        // The last that read another comes first.
        for view in self.views.into_iter().rev() {
            if ir::first_result(view).is_some_and(|result| !ir::is_used(result)) {
                erase(view);
            }
        }
    }
}

fn widen<'c: 'a, 'a>(op: OperationRef<'c, 'a>, copies: &mut Copies<'c, 'a>) -> Result<(), Reported> {
    let (Some(block), Some(result)) = (op.block(), ir::first_result(op)) else { return Ok(()) };
    let mut code = Code::before(ir::context(op), block, op, op.location());
    let operands: Vec<Value<'c, 'a>> =
        op.operands().map(|value| wide(&mut code, op, value, copies)).collect::<Result<_, _>>()?;
    let product = code.insert(Mapping::new().clone_op(&op));
    for (index, operand) in operands.into_iter().enumerate() {
        set_operand(product, index, operand);
    }
    let dims = narrow(result).unwrap_or_default();
    set_result_type(product, 0, code.kind(&tensor(&dims, "f32"))?);
    let Some(product) = ir::first_result(product) else { return Ok(()) };
    let kind = result.r#type().to_string();
    let rounded = make(&mut code, "convert", &[product], &kind, &[])?;
    replace_all_uses(result, rounded);
    erase(op);
    Ok(())
}

/// A value in single precision, before `op`: one copy for all products of a block. What is read in another order is copied before, as other products may read it as it is.
fn wide<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    op: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    copies: &mut Copies<'c, 'a>,
) -> Result<Value<'c, 'a>, Reported> {
    let (Some(block), Some(dims)) = (op.block(), narrow(value)) else { return Ok(value) };
    let key = (block.to_raw().ptr.cast_const(), value.to_raw().ptr);
    if let Some(&copy) = copies.made.get(&key) {
        return Ok(copy);
    }
    let kind = tensor(&dims, "f32");
    let turned = ir::producer(value)
        .filter(|maker| matches!(ir::name(*maker), "stablehlo.transpose" | "stablehlo.reshape"));
    let copy = match turned {
        Some(maker) => {
            let mut of = maker.operand(0).map_err(|error| code.error(&error.to_string()))?;
            of = wide(code, op, of, copies)?;
            // Products of other blocks may read it as well.
            if !copies.views.contains(&maker) {
                copies.views.push(maker);
            }
            let view = code.insert(Mapping::new().clone_op(&maker));
            set_operand(view, 0, of);
            set_result_type(view, 0, code.kind(&kind)?);
            ir::first_result(view).ok_or_else(|| code.error("has no result"))?
        }
        None => make(code, "convert", &[value], &kind, &[])?,
    };
    copies.made.insert(key, copy);
    Ok(copy)
}
