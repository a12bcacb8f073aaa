//! Slices of what is made of stacks element by element, made of slices of the stacks.
//!
//! A loop stacks a result of each iteration, an op computes something of the whole stack, and another loop reads that slice by slice: as in
//! a loss at each step, whose gradient the backward loop reads. Whole, that op needs every iteration of the first loop and every iteration of the
//! second one needs all of it: one device makes it and sends it to the others.

use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::operations::set_result_type;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};

use super::movement::{keeps_order, resized};
use super::rewriter::{At, Rewriter};
use super::stacks::Range;
use crate::counted::dims;
use crate::import::work::is_elementwise;

/// Ops looked at to make one slice, at most. Each would be there once for every slice.
const MOST_OPS: usize = 16;

/// What says how a value is spread over devices.
const SHARDINGS: [&str; 2] = ["mhlo.sharding", "sdy.sharding"];

/// How a range of an op's result is made of ranges of its operands.
enum Sunk {
    /// The op itself, of these ranges; operands without one stay as they are.
    Same(Vec<Option<Range>>),
    /// A range of one operand, and no op.
    Operand(usize, Range),
}

/// Ranges of an op's operands that a range of its result is made of.
fn sunk<'c: 'a, 'a>(op: OperationRef<'c, 'a>, range: &Range) -> Option<Sunk> {
    // Said of the whole, and not of a slice.
    if SHARDINGS.iter().any(|name| op.has_attribute(name)) {
        return None;
    }
    let whole = dims(op.result(0).ok()?.r#type())?;
    let operands: Vec<Vec<u64>> = op.operands().map(|value| dims(value.r#type())).collect::<Option<_>>()?;
    match ir::name(op) {
        "stablehlo.concatenate" => {
            let axis = usize::try_from(ir::integer(op, "dimension")?).ok()?;
            let mut start = *range.starts.get(axis)?;
            let end = start + range.sizes.get(axis)?;
            let mut from = 0;
            for (index, dims) in operands.iter().enumerate() {
                let to = from + dims.get(axis)?;
                if start >= from && end <= to {
                    start -= from;
                    let mut inside = range.clone();
                    inside.starts[axis] = start;
                    return Some(Sunk::Operand(index, inside));
                }
                from = to;
            }
            None
        }
        "stablehlo.transpose" => {
            let axes = ir::integers(op, "permutation")?;
            let mut inside = Range { starts: vec![0; whole.len()], sizes: vec![0; whole.len()] };
            for (to, &from) in axes.iter().enumerate() {
                let from = usize::try_from(from).ok().filter(|&from| from < whole.len())?;
                (inside.starts[from], inside.sizes[from]) = (range.starts[to], range.sizes[to]);
            }
            Some(Sunk::Same(vec![Some(inside)]))
        }
        "stablehlo.broadcast_in_dim" => {
            let axes = ir::integers(op, "broadcast_dimensions")?;
            let from = operands.first()?;
            let mut inside = Range { starts: vec![0; from.len()], sizes: from.clone() };
            for (at, &axis) in axes.iter().enumerate().filter(|&(at, _)| from[at] != 1) {
                let axis = usize::try_from(axis).ok().filter(|&axis| axis < whole.len())?;
                (inside.starts[at], inside.sizes[at]) = (range.starts[axis], range.sizes[axis]);
            }
            Some(Sunk::Same(vec![Some(inside)]))
        }
        // Along the first axis what is sliced is in one piece before, too.
        "stablehlo.reshape" if keeps_order(op) => {
            let from = operands.first()?;
            let [0] = *range.partial(&whole) else { return None };
            let (row, row_before) =
                (whole[1..].iter().product::<u64>(), from.get(1..)?.iter().product::<u64>());
            let (start, size) = (range.starts[0] * row, range.sizes[0] * row);
            if row == 0 || row_before == 0 || start % row_before != 0 || size % row_before != 0 {
                return None;
            }
            let mut inside = Range { starts: vec![0; from.len()], sizes: from.clone() };
            (inside.starts[0], inside.sizes[0]) = (start / row_before, size / row_before);
            Some(Sunk::Same(vec![Some(inside)]))
        }
        // Those of no axis are for all elements.
        _ if is_elementwise(op) && op.result_count() == 1 && op.region_count() == 0 => operands
            .iter()
            .map(|dims| match dims {
                dims if dims.is_empty() => Some(None),
                dims if *dims == whole => Some(Some(range.clone())),
                _ => None,
            })
            .collect::<Option<_>>()
            .map(Sunk::Same),
        _ => None,
    }
}

/// Is a range made of pieces that were put side by side, by few ops?
fn is_of_pieces(value: Value<'_, '_>, range: &Range, left: &mut usize) -> bool {
    let Some(op) = ir::producer(value) else { return false };
    if *left == 0 {
        return false;
    }
    match sunk(op, range) {
        Some(Sunk::Operand(..)) => true,
        Some(Sunk::Same(ranges)) => {
            *left -= 1;
            // All of them are looked at: they count.
            let operands = op.operands().zip(&ranges);
            operands.fold(false, |found, (operand, range)| {
                range.as_ref().is_some_and(|range| is_of_pieces(operand, range, left)) || found
            })
        }
        None => false,
    }
}

impl<'c: 'a, 'a> Rewriter<'c, 'a, '_> {
    /// A range of a value, made of ranges of what it is made of; none where it is not made of pieces put side by side, or by many ops.
    pub(super) fn sink(
        &mut self,
        at: At<'c, 'a>,
        value: Value<'c, 'a>,
        range: &Range,
    ) -> Result<Option<Value<'c, 'a>>, Reported> {
        let mut left = MOST_OPS;
        let whole = dims(value.r#type()).is_none_or(|dims| range.partial(&dims).is_empty());
        if whole || !is_of_pieces(value, range, &mut left) || left == 0 {
            return Ok(None);
        }
        let Some((op, sunk)) = ir::producer(value).and_then(|op| Some((op, sunk(op, range)?))) else {
            return Ok(None);
        };
        let name = (value.to_raw().ptr, range.clone());
        if let Some(&found) = self.sunk.get(&name) {
            return Ok(Some(found));
        }
        let made = match sunk {
            Sunk::Operand(index, inside) => match op.operand(index) {
                Ok(operand) => self.slice(at, operand, &inside)?,
                Err(_) => return Ok(None),
            },
            Sunk::Same(ranges) => {
                let mut mapping = Mapping::new();
                for (operand, inside) in op.operands().zip(&ranges) {
                    if let Some(inside) = inside
                        && mapping.lookup(operand) == operand
                    {
                        let now = self.slice(at, operand, inside)?;
                        mapping.map(operand, now);
                    }
                }
                let clone = self.put(at, mapping.clone_op(&op));
                set_result_type(clone, 0, resized(value.r#type(), &range.sizes));
                match clone.result(0) {
                    Ok(result) => result.into(),
                    Err(_) => return Ok(None),
                }
            }
        };
        self.sunk.insert(name, made);
        Ok(Some(made))
    }
}
