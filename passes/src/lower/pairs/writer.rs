//! Writes what rewritten loops are made of: stacks, their slices, counters, and the loops themselves.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::types::{self, Kind};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Block, BlockLike, Identifier, Location, Region, RegionLike, Type, Value, ValueLike};

use super::find::{Counter, Pair, arguments};
use crate::lower::native::Code;
use crate::lower::stablehlo::{array, make, scalar, tensor};

/// Slices of a value of one type, stacked.
pub(super) struct Shape {
    element: String,
    /// Extents of the whole, the iterations first, and of a slice.
    whole: Vec<i64>,
    slice: Vec<i64>,
    zero: &'static str,
    /// Type of what the slices are at.
    index: String,
}

impl Shape {
    /// So many slices of values like this one, at indices like this one.
    pub(super) fn of(
        code: &Code<'_, '_>,
        value: Value<'_, '_>,
        extent: u64,
        index: Value<'_, '_>,
    ) -> Result<Self, Reported> {
        let fail = || code.error("a value without extents cannot be stacked");
        let shape = types::ranked_tensor(value.r#type()).ok_or_else(fail)?;
        let dims = shape.static_dims().ok_or_else(fail)?;
        let all =
            |first: u64| [vec![first], dims.clone()].concat().iter().map(|&dim| dim.cast_signed()).collect();
        let zero = match types::kind(shape.element) {
            Kind::Integer { width: 1, .. } => "false",
            Kind::Integer { .. } => "0",
            _ => "0.000000e+00",
        };
        let index = types::ranked_tensor(index.r#type()).ok_or_else(fail)?;
        Ok(Shape {
            element: shape.element.to_string(),
            whole: all(extent),
            slice: all(1),
            zero,
            index: index.element.to_string(),
        })
    }

    /// A stack before the first slice is written.
    pub(super) fn empty<'c: 'a, 'a>(&self, code: &mut Code<'c, 'a>) -> Result<Value<'c, 'a>, Reported> {
        let zero = scalar(code, self.zero, &self.element)?;
        let kind = tensor(&self.whole, &self.element);
        make(code, "broadcast_in_dim", &[zero], &kind, &[("broadcast_dimensions", array(&[]))])
    }

    /// Where a slice begins: at the index, and in all of every other axis.
    fn starts<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        index: Value<'c, 'a>,
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        let mut starts = vec![index];
        if self.whole.len() > 1 {
            let zero = scalar(code, "0", &self.index)?;
            starts.resize(self.whole.len(), zero);
        }
        Ok(starts)
    }

    /// The stack with a value as the slice at an index.
    pub(super) fn write<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        stack: Value<'c, 'a>,
        value: Value<'c, 'a>,
        index: Value<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Reported> {
        let slice = make(code, "reshape", &[value], &tensor(&self.slice, &self.element), &[])?;
        let operands = [vec![stack, slice], self.starts(code, index)?].concat();
        make(code, "dynamic_update_slice", &operands, &tensor(&self.whole, &self.element), &[])
    }

    /// The value that is the slice of a stack at an index.
    pub(super) fn read<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        stack: Value<'c, 'a>,
        index: Value<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Reported> {
        let operands = [vec![stack], self.starts(code, index)?].concat();
        let sizes = [("slice_sizes", array(&self.slice))];
        let kind = tensor(&self.slice, &self.element);
        let slice = make(code, "dynamic_slice", &operands, &kind, &sizes)?;
        make(code, "reshape", &[slice], &tensor(&self.slice[1..], &self.element), &[])
    }
}

/// A counter of the forward loop in the body of the backward loop, which has `carried` and, for integers of its body, what `same` gives.
pub(super) fn counter<'c: 'a, 'a>(
    code: &mut Code<'c, 'a>,
    counter: Counter<'c, 'a>,
    carried: &dyn Fn(usize) -> Option<Value<'c, 'a>>,
    same: &dyn Fn(Value<'c, 'a>) -> Value<'c, 'a>,
) -> Result<Value<'c, 'a>, Reported> {
    let (at, number) = match counter {
        Counter::Same(value) => return Ok(same(value)),
        Counter::Ahead(at, number) | Counter::Mirrored(at, number) => (at, number),
    };
    let value = carried(at).ok_or_else(|| code.error("a counter is not carried"))?;
    let kind = value.r#type().to_string();
    let number = make(code, "constant", &[], &kind, &[("value", format!("dense<{number}> : {kind}"))])?;
    match counter {
        Counter::Mirrored(..) => make(code, "subtract", &[number, value], &kind, &[]),
        _ => make(code, "add", &[value, number], &kind, &[]),
    }
}

/// A loop like `old` before it, which carries `operands`: with empty blocks.
pub(super) fn open_loop<'c: 'a, 'a>(
    old: OperationRef<'c, 'a>,
    operands: &[Value<'c, 'a>],
) -> Result<OperationRef<'c, 'a>, Reported> {
    let context = ir::context(old);
    let location = old.location();
    let kinds: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let places: Vec<(Type<'c>, Location<'c>)> = kinds.iter().map(|&kind| (kind, location)).collect();
    let region = || {
        let region = Region::new();
        region.append_block(Block::new(&places));
        region
    };
    let attributes = ir::discardable(old)
        .into_iter()
        .filter_map(|(name, value)| Some((Identifier::new(context, std::str::from_utf8(name).ok()?), value)));
    let made = OperationBuilder::new("stablehlo.while", location)
        .add_operands(operands)
        .add_results(&kinds)
        .add_attributes(&attributes.collect::<Vec<_>>())
        .add_regions([region(), region()])
        .build()
        .map_err(|error| diagnostics::error(location, &format!("cannot make a loop: {error}")))?;
    let block = old.block().ok_or_else(|| diagnostics::error(location, "a loop is in no block"))?;
    Ok(block.insert_operation_before(old, made))
}

/// Carried values of the forward loop that are those of the backward loop, too: unchanged in both.
pub(super) fn shared<'c: 'a, 'a>(pair: &Pair<'c, 'a>, at: usize) -> Option<usize> {
    let wanted = pair.forward.op.operand(at).ok()?;
    let unchanged = Pair::unchanged(&pair.backward);
    unchanged
        .into_iter()
        .find(|&number| pair.backward.op.operand(number).is_ok_and(|operand| operand == wanted))
}

/// Number of an argument of a loop's body.
pub(super) fn number_of<'c: 'a, 'a>(
    block: melior::ir::BlockRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Option<usize> {
    arguments(block).into_iter().position(|argument| argument == value)
}
