//! Reads and writes at known indices: slices of stacks become the values that were written there.

use std::rc::Rc;

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::types;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, Value, ValueLike};

use super::rewriter::{At, Rewriter};
use super::stacks::{Known, Piece, Range, Stack};
use crate::counted::{Integers, dims};
use crate::import::opaque;

/// The same element type with other extents.
pub(super) fn resized<'c>(kind: Type<'c>, dims: &[u64]) -> Type<'c> {
    let element = types::shape(kind).map_or(kind, |shape| shape.element);
    RankedTensorType::new(dims, element, None).into()
}

/// Starts as `stablehlo.dynamic_slice` takes them: moved so that the slice is inside.
fn clamped(starts: &[i64], sizes: &[u64], dims: &[u64]) -> Option<Vec<u64>> {
    (starts.len() == dims.len() && sizes.len() == dims.len()).then_some(())?;
    starts
        .iter()
        .zip(sizes)
        .zip(dims)
        .map(|((&start, &size), &dim)| {
            let most = i64::try_from(dim.checked_sub(size)?).ok()?;
            Some(start.clamp(0, most).unsigned_abs())
        })
        .collect()
}

/// Does the op only give another shape, with the elements in the same order?
pub(crate) fn keeps_order(op: OperationRef<'_, '_>) -> bool {
    let kinds = || Some((dims(op.operand(0).ok()?.r#type())?, dims(op.result(0).ok()?.r#type())?));
    match ir::name(op) {
        "stablehlo.reshape" => true,
        "stablehlo.broadcast_in_dim" => {
            let Some((from, to)) = kinds() else { return false };
            let Some(axes) = ir::integers(op, "broadcast_dimensions") else { return false };
            from.iter().product::<u64>() == to.iter().product::<u64>()
                && axes.is_sorted()
                && axes.len() == from.len()
        }
        _ => false,
    }
}

/// Slices of a stack that are put together first, at least; and parts of a stack, at most about.
const LEAST_IN_PART: usize = 8;
const MOST_PARTS: usize = 32;

impl<'c: 'a, 'a> Rewriter<'c, 'a, '_> {
    /// What an op of one result comes to, with what is known of its operands; none if it must be run.
    pub(super) fn evaluate(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        if op.result_count() != 1 {
            return Ok(None);
        }
        match ir::name(op) {
            "stablehlo.dynamic_slice" => self.dynamic_slice(at, op),
            "stablehlo.dynamic_update_slice" => self.dynamic_update_slice(at, op),
            "stablehlo.slice" => self.static_slice(at, op),
            "stablehlo.gather" => self.gather(at, op),
            "stablehlo.select" => Ok(self.select(op)),
            "stablehlo.reshape" | "stablehlo.broadcast_in_dim" => self.reshape(at, op),
            _ => Ok(None),
        }
    }

    fn dynamic_slice(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let Some(sizes) = ir::integers(op, "slice_sizes") else { return Ok(None) };
        let sizes: Vec<u64> = sizes.iter().map(|size| size.unsigned_abs()).collect();
        let starts: Option<Vec<i64>> =
            op.operands().skip(1).map(|start| self.integers_of(start)?.one()).collect();
        match (starts, op.operand(0)) {
            (Some(starts), Ok(operand)) => self.read(at, operand, &starts, sizes),
            _ => Ok(None),
        }
    }

    fn static_slice(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let list = |name| ir::integers(op, name);
        let (Some(starts), Some(limits), Some(strides)) =
            (list("start_indices"), list("limit_indices"), list("strides"))
        else {
            return Ok(None);
        };
        let Ok(operand) = op.operand(0) else { return Ok(None) };
        if !matches!(self.lookup(operand), Known::Stack(_)) || strides.iter().any(|&stride| stride != 1) {
            return Ok(None);
        }
        let sizes = starts.iter().zip(&limits).map(|(from, to)| (to - from).unsigned_abs()).collect();
        self.read(at, operand, &starts, sizes)
    }

    /// A gather of one slice is a slice, in another shape.
    fn gather(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let Some((operand, starts, sizes)) = self.only_slice(op) else { return Ok(None) };
        let Ok(result) = op.result(0) else { return Ok(None) };
        match self.read(at, operand, &starts, sizes)? {
            Some(Known::Value(slice)) => {
                self.reshaped(at, slice, result.r#type()).map(|value| Some(Known::Value(value)))
            }
            found => Ok(found.filter(|_| false)),
        }
    }

    fn only_slice(&self, op: OperationRef<'c, 'a>) -> Option<(Value<'c, 'a>, Vec<i64>, Vec<u64>)> {
        let numbers = opaque::fields(&ir::opaque(op, "dimension_numbers")?, "gather")?;
        let list = |name: &str| numbers.get(name).cloned().unwrap_or_default();
        let (operand, index) = (op.operand(0).ok()?, op.operand(1).ok()?);
        let axes = list("start_index_map");
        let whole = dims(operand.r#type())?;
        if !list("operand_batching_dims").is_empty()
            || dims(index.r#type())?.iter().product::<u64>() != axes.len() as u64
        {
            return None;
        }
        let index = self.integers_of(index)?;
        let mut starts = vec![0; whole.len()];
        for (place, &axis) in axes.iter().enumerate() {
            let value = if index.values.len() == 1 { index.values[0] } else { *index.values.get(place)? };
            *starts.get_mut(usize::try_from(axis).ok()?)? = value;
        }
        let sizes = ir::integers(op, "slice_sizes")?.iter().map(|size| size.unsigned_abs()).collect();
        Some((operand, starts, sizes))
    }

    /// With a known condition, one of the two.
    fn select(&self, op: OperationRef<'c, 'a>) -> Option<Known<'c, 'a>> {
        let condition = self.integers_of(op.operand(0).ok()?)?.one()?;
        Some(self.lookup(op.operand(if condition != 0 { 1 } else { 2 }).ok()?))
    }

    /// A shape taken back is what was there before.
    fn reshape(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let (Ok(operand), Ok(result)) = (op.operand(0), op.result(0)) else { return Ok(None) };
        if !keeps_order(op) {
            return Ok(None);
        }
        let value = match self.lookup(operand) {
            Known::Value(value) => value,
            Known::Stack(_) | Known::Integers(..) => self.value(at, operand)?,
        };
        Ok(self.shaped_before(value, result.r#type()).map(Known::Value))
    }

    /// A value of this type with the same elements in the same order, where there is one.
    fn shaped_before(&self, mut value: Value<'c, 'a>, kind: Type<'c>) -> Option<Value<'c, 'a>> {
        while value.r#type() != kind {
            let maker = ir::producer(value).filter(|maker| keeps_order(*maker))?;
            value = maker.operand(0).ok()?;
        }
        Some(value)
    }

    fn reshaped(
        &mut self,
        at: At<'c, 'a>,
        value: Value<'c, 'a>,
        kind: Type<'c>,
    ) -> Result<Value<'c, 'a>, Reported> {
        match self.shaped_before(value, kind) {
            Some(found) => Ok(found),
            None => self.make(at, "stablehlo.reshape", &[value], kind, &[]),
        }
    }

    fn dynamic_update_slice(
        &mut self,
        at: At<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let starts: Option<Vec<i64>> =
            op.operands().skip(2).map(|start| self.integers_of(start)?.one()).collect();
        let (Some(starts), Ok(operand), Ok(update)) = (starts, op.operand(0), op.operand(1)) else {
            return Ok(None);
        };
        let kind = operand.r#type();
        let (Some(whole), Some(sizes)) = (dims(kind), dims(update.r#type())) else { return Ok(None) };
        let Some(starts) = clamped(&starts, &sizes, &whole) else { return Ok(None) };
        let range = Range { starts, sizes };
        match range.partial(&whole).as_slice() {
            _ if range.sizes.contains(&0) => Ok(Some(self.lookup(operand))),
            [] => Ok(Some(self.lookup(update))),
            &[axis] => {
                let source = self.value(at, update)?;
                let mut stack = self.stack(at, operand, whole, axis)?;
                Rc::make_mut(&mut stack).write(range.starts[axis], range.sizes[axis], source);
                Ok(Some(Known::Stack(stack)))
            }
            _ => Ok(None),
        }
    }

    /// A value as a stack along an axis.
    fn stack(
        &mut self,
        at: At<'c, 'a>,
        value: Value<'c, 'a>,
        whole: Vec<u64>,
        axis: usize,
    ) -> Result<Rc<Stack<'c, 'a>>, Reported> {
        if let Known::Stack(stack) = self.lookup(value)
            && stack.axis == axis
        {
            return Ok(stack);
        }
        let kind = value.r#type();
        Ok(Rc::new(Stack::whole(self.value(at, value)?, kind, whole, axis)))
    }

    /// A range of a tensor at known starts.
    fn read(
        &mut self,
        at: At<'c, 'a>,
        operand: Value<'c, 'a>,
        starts: &[i64],
        sizes: Vec<u64>,
    ) -> Result<Option<Known<'c, 'a>>, Reported> {
        let kind = operand.r#type();
        let Some(whole) = dims(kind) else { return Ok(None) };
        let Some(starts) = clamped(starts, &sizes, &whole) else { return Ok(None) };
        let mut range = Range { starts, sizes };
        if range.sizes.contains(&0) {
            return Ok(None);
        }
        let value = match self.lookup(operand) {
            Known::Stack(stack) => {
                let axis = stack.axis;
                let piece = self.pieces(at, &stack, range.starts[axis], range.sizes[axis])?;
                range.starts[axis] = 0;
                piece
            }
            Known::Value(_) | Known::Integers(..) => {
                let value = self.value(at, operand)?;
                if let Some(counted) = counted(value, &range) {
                    return Ok(Some(Known::Integers(counted, None)));
                }
                value
            }
        };
        self.slice(at, value, &range).map(|value| Some(Known::Value(value)))
    }

    /// A range along the axis of a stack.
    fn pieces(
        &mut self,
        at: At<'c, 'a>,
        stack: &Stack<'c, 'a>,
        start: u64,
        length: u64,
    ) -> Result<Value<'c, 'a>, Reported> {
        let pieces = stack.read(start, length);
        let mut values = Vec::with_capacity(pieces.len());
        for piece in pieces {
            values.push(self.piece(at, stack, &piece)?);
        }
        if self.stacks_in_parts() && values.len() > 2 * LEAST_IN_PART {
            let most = values.len().div_ceil(MOST_PARTS).max(LEAST_IN_PART);
            let parts = values.chunks(most).map(|part| self.part(at, stack, part));
            values = parts.collect::<Result<_, _>>()?;
        }
        self.side_by_side(at, stack, &values)
    }

    /// Some pieces of a stack side by side, as soon as they are there.
    fn part(
        &mut self,
        at: At<'c, 'a>,
        stack: &Stack<'c, 'a>,
        values: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported> {
        self.side_by_side(at.as_soon_as(values), stack, values)
    }

    /// Values side by side along the axis of a stack.
    fn side_by_side(
        &mut self,
        at: At<'c, 'a>,
        stack: &Stack<'c, 'a>,
        values: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported> {
        if let [value] = values {
            return Ok(*value);
        }
        let mut sizes = stack.dims.clone();
        let extents = values.iter().map(|value| dims(value.r#type()).map_or(0, |dims| dims[stack.axis]));
        sizes[stack.axis] = extents.sum();
        let kind = resized(stack.kind, &sizes);
        let axis = self.attribute(at, &format!("{} : i64", stack.axis))?;
        self.make(at, "stablehlo.concatenate", values, kind, &[("dimension", axis)])
    }

    fn piece(
        &mut self,
        at: At<'c, 'a>,
        stack: &Stack<'c, 'a>,
        piece: &Piece<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Reported> {
        let (mut starts, mut sizes) = (vec![0; stack.dims.len()], stack.dims.clone());
        (starts[stack.axis], sizes[stack.axis]) = (piece.offset, piece.length);
        self.slice(at, piece.source, &Range { starts, sizes })
    }

    /// A stack as one tensor: what most of it still is with the rest written into it, else its pieces side by side.
    pub(super) fn assemble(
        &mut self,
        at: At<'c, 'a>,
        stack: &Stack<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Reported> {
        let extent = stack.dims[stack.axis];
        let Some((base, _)) = stack.base().filter(|(_, share)| 2 * share >= extent && *share < extent) else {
            return self.pieces(at, stack, 0, extent);
        };
        let index = Integers::scalar(Type::parse(self.context(), "tensor<i64>").unwrap_or(stack.kind), 0);
        let mut value = base;
        for piece in stack.pieces.iter().filter(|piece| piece.source != base) {
            let update = self.piece(at, stack, piece)?;
            let mut operands = vec![value, update];
            for axis in 0..stack.dims.len() {
                let start =
                    if axis == stack.axis { i64::try_from(piece.start).unwrap_or(i64::MAX) } else { 0 };
                let Some(zero) = &index else { continue };
                operands.push(self.constant(at, &Integers { values: vec![start], ..zero.clone() })?);
            }
            value = self.make(at, "stablehlo.dynamic_update_slice", &operands, stack.kind, &[])?;
        }
        Ok(value)
    }

    /// A range of a value of the program.
    pub(super) fn slice(
        &mut self,
        at: At<'c, 'a>,
        value: Value<'c, 'a>,
        range: &Range,
    ) -> Result<Value<'c, 'a>, Reported> {
        let kind = value.r#type();
        if dims(kind).is_some_and(|dims| range.partial(&dims).is_empty()) {
            return Ok(value);
        }
        if let Some(found) = self.sink(at, value, range)? {
            return Ok(found);
        }
        let kind = resized(kind, &range.sizes);
        if let Some(maker) = ir::producer(value)
            && let Some(found) = self.spread(at, maker, kind)?
        {
            return Ok(found);
        }
        let list = |values: &mut dyn Iterator<Item = u64>| {
            let values: Vec<i64> = values.map(|value| i64::try_from(value).unwrap_or(i64::MAX)).collect();
            DenseI64ArrayAttribute::new(self.context(), &values).into()
        };
        let attributes = [
            ("start_indices", list(&mut range.starts.iter().copied())),
            (
                "limit_indices",
                list(&mut range.starts.iter().zip(&range.sizes).map(|(start, size)| start + size)),
            ),
            ("strides", list(&mut range.starts.iter().map(|_| 1))),
        ];
        self.make(at, "stablehlo.slice", &[value], kind, &attributes)
    }

    /// A slice of one value spread out is that value spread out less.
    fn spread(
        &mut self,
        at: At<'c, 'a>,
        maker: OperationRef<'c, 'a>,
        kind: Type<'c>,
    ) -> Result<Option<Value<'c, 'a>>, Reported> {
        match ir::name(maker) {
            "stablehlo.broadcast_in_dim" => {
                let Ok(operand) = maker.operand(0) else { return Ok(None) };
                let single = dims(operand.r#type()).is_some_and(|dims| dims.iter().product::<u64>() == 1);
                match ir::attribute(maker, "broadcast_dimensions").filter(|_| single) {
                    Some(axes) => {
                        let attributes = [("broadcast_dimensions", axes)];
                        self.make(at, "stablehlo.broadcast_in_dim", &[operand], kind, &attributes).map(Some)
                    }
                    None => Ok(None),
                }
            }
            "stablehlo.constant" => {
                let Some(value) = ir::attribute(maker, "value") else { return Ok(None) };
                match types::splat_of(kind, value) {
                    Some(value) => {
                        self.make(at, "stablehlo.constant", &[], kind, &[("value", value)]).map(Some)
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

/// One element of a list of ascending numbers.
fn counted<'c>(value: Value<'c, '_>, range: &Range) -> Option<Integers<'c>> {
    let maker = ir::producer(value).filter(|maker| ir::name(*maker) == "stablehlo.iota")?;
    let axis = usize::try_from(ir::integer(maker, "iota_dimension")?).ok()?;
    let start = i64::try_from(*range.starts.get(axis)?).ok()?;
    (range.sizes.get(axis) == Some(&1)).then_some(())?;
    Integers::scalar(resized(value.r#type(), &range.sizes), start)
}
