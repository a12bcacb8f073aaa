//! Transposed products, as XLA's algebraic simplifier writes them: with their operands exchanged.
//!
//! The gradient of a weight is exported as the product of a gradient and an input, transposed. XLA exchanges the operands instead, and what updates the
//! weight overwrites the product. In a rewritten program a barrier may come between product and transposition; then both are stored,
//! and a weight's gradient is there twice. So the exchange is made before planning.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses, uses};
use melior::Context;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, Identifier, Value, ValueLike};

use crate::import::types::Types;
use crate::import::{self, opaque};

/// Properties of products and transpositions.
const PROPERTIES: [&str; 4] = ["algorithm", "dot_dimension_numbers", "permutation", "precision_config"];

/// Exchanges the operands of products that are read by one transposition alone, in the blocks of functions.
///
/// # Errors
/// Where the new product cannot be made.
pub(crate) fn exchange(module: OperationRef<'_, '_>) -> Result<(), Reported> {
    let context = ir::context(module);
    for (_, function) in import::functions(module) {
        for block in ir::blocks(function) {
            let found: Vec<_> = ir::ops(block).filter(|&op| ir::name(op) == "stablehlo.transpose").collect();
            for transposition in found {
                let product = transposition.operand(0).ok().and_then(ir::producer);
                if let Some(product) = product
                    && let Some(attributes) = exchanged(product, transposition)
                {
                    replace(context, block, product, transposition, &attributes)?;
                }
            }
        }
    }
    Ok(())
}

/// The attributes of the product with its operands exchanged, where that is what the transposition makes of it.
fn exchanged(product: OperationRef<'_, '_>, transposition: OperationRef<'_, '_>) -> Option<String> {
    if ir::name(product) != "stablehlo.dot_general" || ir::attribute(product, "algorithm").is_some() {
        return None;
    }
    let value = product.result(0).ok()?;
    // What is said of the transposition alone would be lost, and where the product lies is said of its axes in the old order.
    let ruled =
        said(transposition).next().is_some() || said(product).any(|(name, _)| name.ends_with("sharding"));
    let same_block = product.block().zip(transposition.block()).is_some_and(|(a, b)| a == b);
    if ruled || !same_block || uses(value).len() != 1 {
        return None;
    }
    let fields = opaque::fields(&ir::opaque(product, "dot_dimension_numbers")?, "dot")?;
    let list = |name: &str| fields.get(name).map(Vec::as_slice).unwrap_or_default();
    let (left, right) = (list("lhs_contracting_dimensions"), list("rhs_contracting_dimensions"));
    if !list("lhs_batching_dimensions").is_empty() {
        return None;
    }
    let mut types = Types::new(None);
    let mut rank = |index| Some(types.of(product.operand(index).ok()?.r#type()).ok()?.dims.len());
    let free = |rank: usize, contracted: &[i64]| i64::try_from(rank.checked_sub(contracted.len())?).ok();
    let (of_left, of_right) = (free(rank(0)?, left)?, free(rank(1)?, right)?);
    let wanted: Vec<i64> = (of_left..of_left + of_right).chain(0..of_left).collect();
    if ir::integers(transposition, "permutation")? != wanted {
        return None;
    }
    Some(format!(
        "#stablehlo.dot<lhs_contracting_dimensions = {right:?}, rhs_contracting_dimensions = {left:?}>"
    ))
}

fn replace<'c: 'a, 'a>(
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    product: OperationRef<'c, 'a>,
    transposition: OperationRef<'c, 'a>,
    dimensions: &str,
) -> Result<(), Reported> {
    let fail =
        |what: &str| diagnostics::error(product.location(), &format!("cannot exchange the operands: {what}"));
    let operand = |index| product.operand(index).map_err(|_| fail("it has too few"));
    let dimensions = Attribute::parse(context, dimensions).ok_or_else(|| fail("no such dimensions"))?;
    let mut attributes = vec![(Identifier::new(context, "dot_dimension_numbers"), dimensions)];
    // One precision per operand.
    if let Some(precision) = ir::attribute(product, "precision_config") {
        let text = precision.to_string();
        let inside = text.trim_start_matches('[').trim_end_matches(']');
        let parts: Vec<&str> = inside.split(", ").collect();
        let [first, second] = parts[..] else { return Ok(()) };
        let precision = Attribute::parse(context, &format!("[{second}, {first}]"));
        attributes.push((
            Identifier::new(context, "precision_config"),
            precision.ok_or_else(|| fail("no such precision"))?,
        ));
    }
    let kind = transposition.result(0).map_err(|_| fail("the transposition has no result"))?.r#type();
    let new = OperationBuilder::new("stablehlo.dot_general", product.location())
        .add_operands(&[operand(1)?, operand(0)?])
        .add_results(&[kind])
        .add_attributes(&attributes)
        .build()
        .map_err(|error| fail(&error.to_string()))?;
    let new = block.insert_operation_before(product, new);
    for (name, value) in said(product) {
        ir::set(new, &name, value);
    }
    if let (Ok(old), Ok(value)) = (transposition.result(0), new.result(0)) {
        replace_all_uses(old, Value::from(value));
    }
    erase(transposition);
    erase(product);
    Ok(())
}

/// What the program says of an op besides what makes it the op it is, which of an op that MLIR does not know may stand beside it.
fn said<'c>(op: OperationRef<'c, '_>) -> impl Iterator<Item = (String, Attribute<'c>)> {
    let all = (0..op.discardable_attribute_count())
        .filter_map(move |index| op.discardable_attribute_at(index).ok());
    all.map(|(name, value)| (name.as_string_ref().as_str().unwrap_or_default().to_owned(), value))
        .filter(|(name, _)| !PROPERTIES.contains(&name.as_str()))
}
