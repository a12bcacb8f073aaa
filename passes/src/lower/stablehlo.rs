//! Writing StableHLO ops by the text of their types and attributes.

use ballast_dialects::diagnostics::Reported;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, Block, BlockLike, Identifier, Region, RegionLike, Value};

use crate::lower::native::Code;

/// Positions of a window from which on the ops for each are too many.
pub(crate) const MOST_POSITIONS: u64 = 64;

/// An op with one result.
pub(crate) fn make<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    name: &str,
    operands: &[Value<'c, 'a>],
    kind: &str,
    attributes: &[(&str, String)],
) -> Result<Value<'c, 'a>, Reported> {
    let mut parsed: Vec<(&str, Attribute<'c>)> = Vec::new();
    for (name, text) in attributes {
        parsed.push((name, code.attribute(text)?));
    }
    let kind = code.kind(kind)?;
    Ok(code.make(&format!("stablehlo.{name}"), operands, &[kind], &parsed)?[0])
}

/// The sum of a value over `dimensions`, ascending, from `zero` on, whose type is `scalar`.
pub(crate) fn reduce_by_sum<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    value: Value<'c, 'a>,
    zero: Value<'c, 'a>,
    dimensions: &[i64],
    kind: &str,
    scalar: &str,
) -> Result<Value<'c, 'a>, Reported> {
    let dimensions = code.attribute(&array(dimensions))?;
    let (kind, scalar) = (code.kind(kind)?, code.kind(scalar)?);
    let location = code.location();
    let fail = |error: melior::Error| code.error(&format!("cannot make a sum: {error}"));
    let body = Block::new(&[(scalar, location), (scalar, location)]);
    let argument = |index| body.argument(index).map(Value::from);
    let add = OperationBuilder::new("stablehlo.add", location)
        .add_operands(&[argument(0).map_err(fail)?, argument(1).map_err(fail)?])
        .add_results(&[scalar])
        .build()
        .map_err(fail)?;
    let sum: Value<'_, '_> = body.append_operation(add).result(0).map_err(fail)?.into();
    let end =
        OperationBuilder::new("stablehlo.return", location).add_operands(&[sum]).build().map_err(fail)?;
    body.append_operation(end);
    let region = Region::new();
    region.append_block(body);
    let name = Identifier::new(code.context(), "dimensions");
    let reduce = OperationBuilder::new("stablehlo.reduce", location)
        .add_operands(&[value, zero])
        .add_results(&[kind])
        .add_attributes(&[(name, dimensions)])
        .add_regions([region])
        .build()
        .map_err(fail)?;
    code.insert(reduce).result(0).map(Value::from).map_err(fail)
}

/// A constant without dimensions.
pub(crate) fn scalar<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    value: &str,
    element: &str,
) -> Result<Value<'c, 'a>, Reported> {
    let kind = tensor(&[], element);
    make(code, "constant", &[], &kind, &[("value", format!("dense<{value}> : {kind}"))])
}

/// A value padded with another one to the type `kind`: before, behind and between its elements.
pub(crate) fn pad<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    operands: [Value<'c, 'a>; 2],
    kind: &str,
    [low, high, interior]: [&Vec<i64>; 3],
) -> Result<Value<'c, 'a>, Reported> {
    let sizes = [
        ("edge_padding_low", array(low)),
        ("edge_padding_high", array(high)),
        ("interior_padding", array(interior)),
    ];
    make(code, "pad", &operands, kind, &sizes)
}

/// A tensor type by its text.
pub(crate) fn tensor(dims: &[i64], element: &str) -> String {
    let dims: String = dims.iter().map(|dim| format!("{dim}x")).collect();
    format!("tensor<{dims}{element}>")
}

/// An attribute of integers by its text.
pub(crate) fn array(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    if values.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {}>", values.join(", ")) }
}

/// All positions of a window of these extents, in its order.
pub(crate) fn positions(window: &[i64]) -> Vec<Vec<i64>> {
    window.iter().fold(vec![Vec::new()], |starts, &size| {
        starts.iter().flat_map(|start| (0..size).map(move |at| [start.as_slice(), &[at]].concat())).collect()
    })
}
