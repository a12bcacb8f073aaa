//! `--ballast-pool-gradients`: writes gradients of max pooling as elementwise ops over the windows' positions.
//!
//! A `stablehlo.select_and_scatter` looks for the element that each window chose and adds the window's gradient there. XLA's CPU compiler makes it a
//! window reduction over values and indices, one 32-bit index per dimension and element of the operand, and a scatter. The same is
//! done here with a number of one byte per window: which of its positions was chosen, found by comparing strided slices; and then, for every
//! position, the gradients of the windows that chose it, spread to where that position lies. Where several windows add to one element, they do so in
//! the order of the scatter, so that the sums round alike.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::passes::BallastPoolGradientsOptions;
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::lower::gradients::{Gradient, Stays, by_axis, only_op, padding, shape, write_out};
use crate::lower::native::Code;
use crate::lower::stablehlo::{MOST_POSITIONS, array, make, pad, positions, scalar, tensor};

/// Runs the pass.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn run(
    module: OperationRef<'_, '_>,
    _options: &BallastPoolGradientsOptions,
) -> Result<(), Reported> {
    write_out::<Pool>(module)
}

/// The gradient of a max pooling.
pub(crate) struct Pool {
    /// Element type of operand and source.
    element: String,
    /// Extents of the operand, and of the source: one element per window.
    whole: Vec<i64>,
    windows: Vec<i64>,
    window: Vec<i64>,
    strides: Vec<i64>,
    /// Padding before and behind, by axis.
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Gradient for Pool {
    const REMARK: &'static str = "PoolGradient";
    const NOUN: &'static str = "pooling gradient";

    fn of(op: OperationRef<'_, '_>) -> Option<Result<Self, Stays>> {
        (ir::name(op) == "stablehlo.select_and_scatter").then(|| Self::read(op))
    }

    fn write<'c: 'a, 'a>(
        &self,
        code: Code<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported> {
        let &[read, source, initial] = operands else { return Err(code.error("has not three operands")) };
        let mut to = Writer { code, pool: self };
        let chosen = to.chosen(read)?;
        to.scattered(chosen, source, initial)
    }
}

impl Pool {
    fn read(op: OperationRef<'_, '_>) -> Result<Self, Stays> {
        let shape = |index| shape(op.operand(index).ok()).ok_or("its operands are not tensors of known size");
        let ((whole, element), (windows, _)) = (shape(0)?, shape(1)?);
        let rank = whole.len();
        let window = by_axis(op, "window_dimensions", rank, 1);
        let strides = by_axis(op, "window_strides", rank, 1);
        let fits = rank > 0 && [&windows, &window, &strides].iter().all(|list| list.len() == rank);
        let (low, high) = padding(op, rank)
            .filter(|_| fits)
            .ok_or("its window, strides and padding do not fit its operand")?;
        let positions = window.iter().fold(1_u64, |all, &size| all.saturating_mul(size.unsigned_abs()));
        if positions == 0 || positions > MOST_POSITIONS {
            return Err("its window has too many positions");
        }
        if !element.starts_with(['f', 'b']) {
            return Err("its elements are not floating-point numbers");
        }
        let pool = Pool { element, whole, windows, window, strides, low, high };
        if !pool.is_consistent() {
            return Err("its windows do not lie in its padded operand");
        }
        if !selects_largest(op) {
            return Err("it does not select the first of the largest elements");
        }
        if !adds(op) {
            return Err("it does not add what it scatters");
        }
        Ok(pool)
    }

    /// Is every window inside the padded operand, and is padding not negative?
    fn is_consistent(&self) -> bool {
        (0..self.whole.len()).all(|axis| {
            let (count, stride) = (self.windows[axis], self.strides[axis]);
            let padded =
                self.whole[axis].checked_add(self.low[axis]).and_then(|sum| sum.checked_add(self.high[axis]));
            let reach = count.checked_sub(1).and_then(|last| last.checked_mul(stride));
            let reach = reach.and_then(|start| start.checked_add(self.window[axis]));
            let inside = reach.zip(padded).is_some_and(|(reach, padded)| reach <= padded);
            count >= 1 && stride >= 1 && self.low[axis] >= 0 && self.high[axis] >= 0 && inside
        })
    }

    /// Where the position of the last window ends, by axis, counted from the padded operand's start.
    fn end(&self, position: &[i64]) -> Vec<i64> {
        (0..position.len())
            .map(|axis| position[axis] + self.strides[axis] * (self.windows[axis] - 1) + 1)
            .collect()
    }
}

/// Does the first region compare its first argument with its second, and keep it unless that is larger?
fn selects_largest(op: OperationRef<'_, '_>) -> bool {
    is_of_two(op, 0, |inner| {
        let direction = ir::opaque(inner, "comparison_direction");
        let is_total = ir::opaque(inner, "compare_type").is_some_and(|kind| kind.contains("TOTALORDER"));
        ir::name(inner) == "stablehlo.compare"
            && direction.is_some_and(|text| text.trim() == "comparison_direction GE")
            && !is_total
    })
}

/// Does the second region add its arguments?
fn adds(op: OperationRef<'_, '_>) -> bool {
    is_of_two(op, 1, |inner| ir::name(inner) == "stablehlo.add")
}

/// Is a region one op over its two arguments, in order, and a return of that?
fn is_of_two<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    region: usize,
    is: impl Fn(OperationRef<'c, 'a>) -> bool,
) -> bool {
    let blocks = ir::blocks(op);
    let Some(&block) = blocks.get(region).filter(|_| blocks.len() == 2) else { return false };
    only_op(block).is_some_and(|(one, order)| order == [0, 1] && is(one))
}

/// Writes the ops of one gradient.
struct Writer<'c, 'a, 'p> {
    code: Code<'c, 'a>,
    pool: &'p Pool,
}

impl<'c: 'a, 'a> Writer<'c, 'a, '_> {
    fn make(
        &mut self,
        name: &str,
        operands: &[Value<'c, 'a>],
        kind: &str,
        attributes: &[(&str, String)],
    ) -> Result<Value<'c, 'a>, Reported> {
        make(&mut self.code, name, operands, kind, attributes)
    }

    /// A tensor type with one element per window.
    fn per_window(&self, element: &str) -> String {
        tensor(&self.pool.windows, element)
    }

    /// One value for every window.
    fn splat(&mut self, value: &str, element: &str) -> Result<Value<'c, 'a>, Reported> {
        let kind = self.per_window(element);
        self.make("constant", &[], &kind, &[("value", format!("dense<{value}> : {kind}"))])
    }

    fn zero(&mut self) -> Result<Value<'c, 'a>, Reported> {
        scalar(&mut self.code, "0.0", &self.pool.element)
    }

    /// The number of the position that each window chose.
    fn chosen(&mut self, read: Value<'c, 'a>) -> Result<Value<'c, 'a>, Reported> {
        let pool = self.pool;
        let padded = if pool.low.iter().chain(&pool.high).all(|&size| size == 0) {
            read
        } else {
            let dims: Vec<i64> = (0..pool.whole.len())
                .map(|axis| pool.whole[axis] + pool.low[axis] + pool.high[axis])
                .collect();
            let zero = self.zero()?;
            let sides = [&pool.low, &pool.high, &vec![0; dims.len()]];
            pad(&mut self.code, [read, zero], &tensor(&dims, &pool.element), sides)?
        };
        let (values, numbers, flags) =
            (self.per_window(&pool.element), self.per_window(NUMBER), self.per_window("i1"));
        // The largest so far and its position; whether there was one outside of the padding, nothing where there always was.
        let mut best: Option<(Value<'c, 'a>, Value<'c, 'a>)> = None;
        let mut found: Option<Value<'c, 'a>> = None;
        for (number, position) in positions(&pool.window).iter().enumerate() {
            let inside = self.inside(position)?;
            let at = [
                ("start_indices", array(position)),
                ("limit_indices", array(&pool.end(position))),
                ("strides", array(&pool.strides)),
            ];
            let here = self.make("slice", &[padded], &values, &at)?;
            let this = self.splat(&number.to_string(), NUMBER)?;
            let Some((largest, chosen)) = best else {
                (best, found) = (Some((here, this)), inside);
                continue;
            };
            let direction = ("comparison_direction", "#stablehlo<comparison_direction GE>".to_owned());
            let kind = ("compare_type", "#stablehlo<comparison_type FLOAT>".to_owned());
            let mut keep = self.make("compare", &[largest, here], &flags, &[direction, kind])?;
            if let Some(found) = found {
                keep = self.make("and", &[keep, found], &flags, &[])?;
            }
            if let Some(inside) = inside {
                let outside = self.make("not", &[inside], &flags, &[])?;
                keep = self.make("or", &[keep, outside], &flags, &[])?;
            }
            found = match (found, inside) {
                (Some(found), Some(inside)) => Some(self.make("or", &[found, inside], &flags, &[])?),
                _ => None,
            };
            best = Some((
                self.make("select", &[keep, largest, here], &values, &[])?,
                self.make("select", &[keep, chosen, this], &numbers, &[])?,
            ));
        }
        let Some((_, chosen)) = best else {
            return Err(self.code.error("its window has no position"));
        };
        // Stored, a byte per window; without this a compiler may find it again for every position of the window.
        self.make("optimization_barrier", &[chosen], &numbers, &[])
    }

    /// Which windows have the position outside of the padding; none: all of them.
    fn inside(&mut self, position: &[i64]) -> Result<Option<Value<'c, 'a>>, Reported> {
        let pool = self.pool;
        let mut all: Option<Value<'c, 'a>> = None;
        for (axis, &at) in position.iter().enumerate() {
            let is_inside = |window: i64| {
                let place = window * pool.strides[axis] + at - pool.low[axis];
                (0..pool.whole[axis]).contains(&place)
            };
            let flags: Vec<bool> = (0..pool.windows[axis]).map(is_inside).collect();
            if flags.iter().all(|&flag| flag) {
                continue;
            }
            let texts: Vec<&str> = flags.iter().map(|&flag| if flag { "true" } else { "false" }).collect();
            let line = tensor(&[pool.windows[axis]], "i1");
            let value = ("value", format!("dense<[{}]> : {line}", texts.join(", ")));
            let line = self.make("constant", &[], &line, &[value])?;
            let axis = i64::try_from(axis).unwrap_or(i64::MAX);
            let kind = self.per_window("i1");
            let spread = [("broadcast_dimensions", array(&[axis]))];
            let here = self.make("broadcast_in_dim", &[line], &kind, &spread)?;
            all = Some(match all {
                Some(others) => self.make("and", &[others, here], &kind, &[])?,
                None => here,
            });
        }
        Ok(all)
    }

    /// The sum, element by element, of the gradients of the windows that chose it, and of the initial value.
    fn scattered(
        &mut self,
        chosen: Value<'c, 'a>,
        source: Value<'c, 'a>,
        initial: Value<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Reported> {
        let pool = self.pool;
        let whole = tensor(&pool.whole, &pool.element);
        let (flags, values) = (self.per_window("i1"), self.per_window(&pool.element));
        let none = self.splat("0.0", &pool.element)?;
        let zero = self.zero()?;
        let mut sum =
            self.make("broadcast_in_dim", &[initial], &whole, &[("broadcast_dimensions", array(&[]))])?;
        // An element is late in the first window that reaches it and early in the last.
        for (number, position) in positions(&pool.window).iter().enumerate().rev() {
            let this = self.splat(&number.to_string(), NUMBER)?;
            let direction = ("comparison_direction", "#stablehlo<comparison_direction EQ>".to_owned());
            let kind = ("compare_type", "#stablehlo<comparison_type SIGNED>".to_owned());
            let is_chosen = self.make("compare", &[chosen, this], &flags, &[direction, kind])?;
            let here = self.make("select", &[is_chosen, source, none], &values, &[])?;
            let axes = 0..pool.whole.len();
            let before: Vec<i64> = axes.clone().map(|axis| position[axis] - pool.low[axis]).collect();
            let end = pool.end(position);
            let behind: Vec<i64> = axes.map(|axis| pool.whole[axis] + pool.low[axis] - end[axis]).collect();
            let between: Vec<i64> = pool.strides.iter().map(|stride| stride - 1).collect();
            let spread = pad(&mut self.code, [here, zero], &whole, [&before, &behind, &between])?;
            sum = self.make("add", &[sum, spread], &whole, &[])?;
        }
        Ok(sum)
    }
}

/// Element type of a position's number: there are at most [`MOST_POSITIONS`].
const NUMBER: &str = "i8";
