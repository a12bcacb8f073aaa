//! `--ballast-gather-gradients`: writes gradients of gathers that pick one element per row as selections.
//!
//! A loss that picks the probability of the label out of every row, as `take_along_axis(log_p, labels)` or `log_p[arange(n), labels]` do, has a gradient that is zero but for
//! one element per row. It is exported as a scatter into zeros: XLA's CPU compiler stores the zeros and what is scattered, each as large as
//! all probabilities, and fuses neither with what reads them. A selection by comparing positions with the label is an elementwise op, which is never stored.
//! What only sums such a row, as the gradient of `log_softmax` does, is the picked element itself.

use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses, uses};
use ballast_dialects::passes::BallastGatherGradientsOptions;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Value};

use crate::import;
use crate::import::opaque::fields;
use crate::lower::gradients::{Gradient, Stays, by_axis, only_op, shape, write_out};
use crate::lower::native::Code;
use crate::lower::stablehlo::{array, make, tensor};

/// Runs the pass.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn run(
    module: OperationRef<'_, '_>,
    _options: &BallastGatherGradientsOptions,
) -> Result<(), Reported> {
    for (_, function) in import::functions(module) {
        // Refused below, if it has any.
        if !function.has_attribute(PLAN) {
            take_sums_in(function)?;
        }
    }
    write_out::<Picked>(module)
}

/// Makes of the sums over rows that a gradient will be selected into what was picked for them.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn take_sums_in(function: OperationRef<'_, '_>) -> Result<(), Reported> {
    let found: Vec<_> =
        ir::nested(function).into_iter().filter_map(|op| Some((op, Picked::of(op)?.ok()?))).collect();
    for (op, picked) in found {
        picked.take_sums(op)?;
    }
    Ok(())
}

/// The gradient of picking one element per row.
pub(crate) struct Picked {
    element: String,
    /// Element type of the positions.
    index: String,
    /// Extents of the result.
    whole: Vec<i64>,
    /// Along which an element was picked.
    axis: usize,
    /// The others, which are those of the updates, in their order.
    rows: Vec<usize>,
    /// Which operand of the concatenation holds the positions; none: the indices are no concatenation.
    part: Option<usize>,
}

impl Gradient for Picked {
    const REMARK: &'static str = "GatherGradient";
    const NOUN: &'static str = "gather gradient";

    fn of(op: OperationRef<'_, '_>) -> Option<Result<Self, Stays>> {
        if ir::name(op) != "stablehlo.scatter" {
            return None;
        }
        let numbers = ir::opaque(op, "scatter_dimension_numbers")?;
        let numbers = fields(&numbers, "scatter")?;
        // Rows of a table, as the gradient of an embedding adds them: something else.
        let is_of_elements = numbers.get("update_window_dims").is_none_or(Vec::is_empty);
        is_of_elements.then(|| {
            let list = |name: &str| -> Result<Vec<usize>, Stays> {
                let list = numbers.get(name).map_or(&[][..], Vec::as_slice);
                list.iter().map(|&dim| usize::try_from(dim)).collect::<Result<_, _>>().map_err(|_| UNFIT)
            };
            Self::read(
                op,
                &Numbers {
                    batch: list("input_batching_dims")?,
                    index_batch: list("scatter_indices_batching_dims")?,
                    scattered: list("scatter_dims_to_operand_dims")?,
                    vector: list("index_vector_dim")?.first().copied().unwrap_or(0),
                },
            )
        })
    }

    fn write<'c: 'a, 'a>(
        &self,
        mut code: Code<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported> {
        let &[zeros, indices, updates] = operands else {
            return Err(code.error("has not three operands"));
        };
        let [positions, updates] = self.by_row(&mut code, [indices, updates])?;
        let (whole, numbers) = (tensor(&self.whole, &self.element), tensor(&self.whole, &self.index));
        let rows: Vec<i64> = self.rows.iter().map(|&axis| number(axis)).collect();
        let spread = [("broadcast_dimensions", array(&rows))];
        let positions = make(&mut code, "broadcast_in_dim", &[positions], &numbers, &spread)?;
        let axis = [("iota_dimension", format!("{} : i64", self.axis))];
        let here = make(&mut code, "iota", &[], &numbers, &axis)?;
        let picked = self.compare(&mut code, "EQ", [here, positions], &self.whole)?;
        let updates = make(&mut code, "broadcast_in_dim", &[updates], &whole, &spread)?;
        make(&mut code, "select", &[picked, updates, zeros], &whole, &[])
    }
}

/// Dimensions that a scatter names.
struct Numbers {
    batch: Vec<usize>,
    index_batch: Vec<usize>,
    scattered: Vec<usize>,
    vector: usize,
}

const UNFIT: Stays = "its dimension numbers do not fit its operands";

impl Picked {
    fn read(op: OperationRef<'_, '_>, numbers: &Numbers) -> Result<Self, Stays> {
        let sized = |index| shape(op.operand(index).ok()).ok_or("its operands are not tensors of known size");
        if op.operand_count() != 3 {
            return Err("it scatters several values");
        }
        let ((whole, element), (indices, index), (updates, _)) = (sized(0)?, sized(1)?, sized(2)?);
        let is_real = ["f64", "f32", "f16", "bf16"].contains(&element.as_str());
        if !is_real && !is_integer(&element) {
            return Err("its elements are neither common floating-point numbers nor integers");
        }
        if !op.operand(0).is_ok_and(is_zero) {
            return Err("what it scatters into is not zero");
        }
        if !sets_or_adds(op) {
            return Err("it neither adds nor sets what it scatters");
        }
        let operand = op.operand(1).map_err(|_| UNFIT)?;
        let is_joined = ir::producer(operand).filter(|joined| {
            ir::name(*joined) == "stablehlo.concatenate"
                && ir::integer(*joined, "dimension") == Some(number(numbers.vector))
                && joined.operand_count() == numbers.scattered.len()
                && joined.operands().all(|part| {
                    shape(Some(part)).is_some_and(|(dims, _)| dims.get(numbers.vector) == Some(&1))
                })
        });
        // By axis of the indices: which axis of the result it runs along.
        let mut along: Vec<Option<usize>> = vec![None; indices.len()];
        let mut place = |at: usize, axis: usize| match along.get_mut(at).filter(|_| at != numbers.vector) {
            Some(place @ None) if whole.get(axis) == indices.get(at) => {
                *place = Some(axis);
                Ok(())
            }
            _ => Err("its rows are not those of its result"),
        };
        for (&axis, &at) in numbers.batch.iter().zip(&numbers.index_batch) {
            place(at, axis)?;
        }
        let mut picked = Vec::new();
        for (part, &axis) in numbers.scattered.iter().enumerate() {
            let position = is_joined.and_then(|joined| runs_along(joined.operand(part).ok()?));
            match position {
                Some(at) => place(at, axis)?,
                None => picked.push((axis, is_joined.map(|_| part))),
            }
        }
        let [(axis, part)] = picked[..] else { return Err("it does not pick along one axis") };
        if part.is_none() && numbers.scattered.len() > 1 {
            return Err("its positions are not a concatenation");
        }
        let rows: Vec<usize> = along.iter().filter_map(|&axis| axis).collect();
        let found = Picked { element, index, whole, axis, rows, part };
        let others = along.iter().zip(&indices).enumerate().filter(|&(at, _)| at != numbers.vector);
        if others.into_iter().any(|(_, (row, &size))| row.is_none() && size != 1) {
            return Err("it scatters several elements into a row");
        }
        if !found.has_wide_positions() {
            return Err("positions of its rows do not fit their type");
        }
        if !found.is_consistent(&updates) {
            return Err("its rows are not those of its result, in their order");
        }
        Ok(found)
    }

    /// Can the positions along a row be told apart in their type?
    fn has_wide_positions(&self) -> bool {
        let bits: Option<u32> = self.index.trim_start_matches(['u', 'i']).parse().ok();
        let signs = u32::from(!self.index.starts_with('u'));
        bits.map(|bits| bits.saturating_sub(signs))
            .is_some_and(|bits| bits >= 63 || self.whole[self.axis] <= 1_i64 << bits)
    }

    /// Are the rows all axes but one, ascending?
    fn is_consistent(&self, updates: &[i64]) -> bool {
        let others = (0..self.whole.len()).filter(|&axis| axis != self.axis);
        let count = |dims: &[i64]| dims.iter().fold(1_i64, |all, &size| all.saturating_mul(size));
        others.eq(self.rows.iter().copied()) && count(updates) == count(&self.row_dims())
    }

    fn row_dims(&self) -> Vec<i64> {
        self.rows.iter().map(|&axis| self.whole[axis]).collect()
    }

    /// Positions and updates, one for each row.
    fn by_row<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        [indices, updates]: [Value<'c, 'a>; 2],
    ) -> Result<[Value<'c, 'a>; 2], Reported> {
        let rows = self.row_dims();
        let positions = match self.part {
            None => indices,
            Some(part) => {
                let joined = ir::producer(indices).and_then(|joined| joined.operand(part).ok());
                joined.ok_or_else(|| code.error("has no positions"))?
            }
        };
        Ok([
            make(code, "reshape", &[positions], &tensor(&rows, &self.index), &[])?,
            make(code, "reshape", &[updates], &tensor(&rows, &self.element), &[])?,
        ])
    }

    fn compare<'c: 'a, 'a>(
        &self,
        code: &mut Code<'c, 'a>,
        direction: &str,
        values: [Value<'c, 'a>; 2],
        dims: &[i64],
    ) -> Result<Value<'c, 'a>, Reported> {
        let kind = if self.index.starts_with('u') { "UNSIGNED" } else { "SIGNED" };
        let how = [
            ("comparison_direction", format!("#stablehlo<comparison_direction {direction}>")),
            ("compare_type", format!("#stablehlo<comparison_type {kind}>")),
        ];
        make(code, "compare", &values, &tensor(dims, "i1"), &how)
    }

    /// Lets what reads the sum of each row, or of the row negated, read the picked element.
    fn take_sums(&self, op: OperationRef<'_, '_>) -> Result<(), Reported> {
        let Ok(result) = op.result(0) else { return Ok(()) };
        for first in uses(result) {
            let negated = (ir::name(first.owner) == "stablehlo.negate").then_some(first.owner);
            let readers = match negated.and_then(|negated| negated.result(0).ok()) {
                Some(negated) => uses(negated),
                None => vec![first],
            };
            for reader in readers {
                if reader.operand == 0 && self.is_sum(reader.owner) {
                    self.take_sum(op, reader.owner, negated.is_some())?;
                }
            }
            if let Some(negated) = negated
                && negated.result(0).is_ok_and(|result| !ir::is_used(result))
            {
                erase(negated);
            }
        }
        Ok(())
    }

    /// Is it a sum over each row, and no more?
    fn is_sum(&self, op: OperationRef<'_, '_>) -> bool {
        ir::name(op) == "stablehlo.reduce"
            && op.operand_count() == 2
            && op.operand(1).is_ok_and(is_zero)
            && by_axis(op, "dimensions", 1, -1) == [number(self.axis)]
            && adds(op)
    }

    /// Replaces a sum by the element, or by zero where the position lies outside of the row.
    fn take_sum<'c: 'a, 'a>(
        &self,
        op: OperationRef<'c, 'a>,
        sum: OperationRef<'c, 'a>,
        is_negated: bool,
    ) -> Result<(), Reported> {
        let (Some(block), Ok(result)) = (sum.block(), sum.result(0)) else { return Ok(()) };
        let (Ok(indices), Ok(updates)) = (op.operand(1), op.operand(2)) else { return Ok(()) };
        let mut code = Code::before(ir::context(sum), block, sum, sum.location());
        let rows = self.row_dims();
        let [positions, updates] = self.by_row(&mut code, [indices, updates])?;
        let (numbers, values) = (tensor(&rows, &self.index), tensor(&rows, &self.element));
        let splat = |code: &mut Code<'c, 'a>, value: &str, kind: &str| {
            make(code, "constant", &[], kind, &[("value", format!("dense<{value}> : {kind}"))])
        };
        let first = splat(&mut code, "0", &numbers)?;
        let end = splat(&mut code, &(self.whole[self.axis] - 1).to_string(), &numbers)?;
        let flags = tensor(&rows, "i1");
        let from = self.compare(&mut code, "GE", [positions, first], &rows)?;
        let to = self.compare(&mut code, "LE", [positions, end], &rows)?;
        let inside = make(&mut code, "and", &[from, to], &flags, &[])?;
        let zero = if self.element.starts_with(['f', 'b']) { "0.0" } else { "0" };
        let none = splat(&mut code, zero, &values)?;
        let mut picked = make(&mut code, "select", &[inside, updates, none], &values, &[])?;
        if is_negated {
            picked = make(&mut code, "negate", &[picked], &values, &[])?;
        }
        replace_all_uses(result, picked);
        erase(sum);
        Ok(())
    }
}

fn number(axis: usize) -> i64 {
    i64::try_from(axis).unwrap_or(i64::MAX)
}

/// Does a type's text name integers?
fn is_integer(element: &str) -> bool {
    let bits = element.strip_prefix("ui").or_else(|| element.strip_prefix('i'));
    bits.is_some_and(|bits| bits.parse::<u32>().is_ok_and(|bits| bits > 1))
}

/// Is every element zero?
fn is_zero(value: Value<'_, '_>) -> bool {
    let Some(op) = ir::producer(value) else { return false };
    match ir::name(op) {
        "stablehlo.broadcast_in_dim" | "stablehlo.reshape" => op.operand(0).is_ok_and(is_zero),
        "stablehlo.constant" => ir::attribute(op, "value").and_then(ir::splat).is_some_and(|value| {
            ir::float_value(value).map_or_else(|| ir::integer_value(value) == Some(0), |value| value == 0.0)
        }),
        _ => false,
    }
}

/// The axis whose positions a value holds, wherever they run along one: `iota`, in another shape, or with negative positions counted from the end, of which it
/// has none.
fn runs_along(value: Value<'_, '_>) -> Option<usize> {
    let op = ir::producer(value)?;
    let (dims, element) = shape(Some(value))?;
    let of = |index| op.operand(index).ok();
    match ir::name(op) {
        // Wide enough for every position.
        "stablehlo.iota" | "stablehlo.convert" if !element.ends_with("32") && !element.ends_with("64") => {
            None
        }
        "stablehlo.iota" if is_integer(&element) => usize::try_from(ir::integer(op, "iota_dimension")?).ok(),
        "stablehlo.convert" if is_integer(&element) => runs_along(of(0)?),
        "stablehlo.broadcast_in_dim" => {
            let axis = runs_along(of(0)?)?;
            let to = usize::try_from(*ir::integers(op, "broadcast_dimensions")?.get(axis)?).ok()?;
            (shape(of(0))?.0.get(axis) == dims.get(to)).then_some(to)
        }
        "stablehlo.reshape" => {
            // As many elements before it, none beside those of one element: the same axis.
            let axis = runs_along(of(0)?)?;
            let (from, _) = shape(of(0))?;
            let wide = |dims: &[i64]| dims.iter().filter(|&&size| size != 1).copied().collect::<Vec<_>>();
            let rank = from[..axis].iter().filter(|&&size| size != 1).count();
            let mut found = (0..dims.len()).filter(|&at| dims[at] != 1);
            (from[axis] != 1 && wide(&from) == wide(&dims)).then(|| found.nth(rank)).flatten()
        }
        "stablehlo.select" => {
            let is_negative = ir::producer(of(0)?)?;
            let tests = ir::name(is_negative) == "stablehlo.compare"
                && ir::opaque(is_negative, "comparison_direction")?.trim() == "comparison_direction LT"
                && is_negative.operand(0).ok() == of(2)
                && is_negative.operand(1).is_ok_and(is_zero);
            if tests { runs_along(of(2)?) } else { None }
        }
        _ => None,
    }
}

/// Does a scatter's region add its arguments, or return the second? Into zeros that is the same.
fn sets_or_adds(op: OperationRef<'_, '_>) -> bool {
    let blocks = ir::blocks(op);
    let [block] = blocks[..] else { return false };
    let sets = ir::ops(block).count() == 1
        && ir::last_op(block).is_some_and(|end| {
            end.operand_count() == 1 && end.operand(0).ok() == block.argument(1).ok().map(Value::from)
        });
    sets || adds(op)
}

/// Does the only region add its arguments?
fn adds(op: OperationRef<'_, '_>) -> bool {
    let blocks = ir::blocks(op);
    let [block] = blocks[..] else { return false };
    only_op(block).is_some_and(|(one, _)| ir::name(one) == "stablehlo.add")
}
