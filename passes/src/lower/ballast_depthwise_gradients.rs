//! `--ballast-depthwise-gradients`: writes kernel gradients of depthwise convolutions as sums over elementwise products.
//!
//! The gradient of a kernel that has one feature per group is exported as a convolution with as many batch groups as there are channels. XLA's CPU compiler
//! computes it for all pairs of channels and keeps those of the same channel: the square of the channels in memory, twice, and as often the
//! operations. Here every position of the kernel is a sum, channel by channel, over the product of the gradient and the stretch of the image
//! that the position saw.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::passes::BallastDepthwiseGradientsOptions;
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::lower::gradients::{Gradient, Stays, by_axis, padding, shape, write_out};
use crate::lower::native::Code;
use crate::lower::stablehlo::{MOST_POSITIONS, array, make, pad, positions, reduce_by_sum, scalar, tensor};

/// Runs the pass.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn run(
    module: OperationRef<'_, '_>,
    _options: &BallastDepthwiseGradientsOptions,
) -> Result<(), Reported> {
    write_out::<Depthwise>(module)
}

/// The gradient of a depthwise kernel.
pub(crate) struct Depthwise {
    element: String,
    /// Extents of the image, `[samples, spatial.., channels]`, and of the gradient it is multiplied with.
    image: Vec<i64>,
    gradient: Vec<i64>,
    /// By spatial axis: extents of the kernel, steps between its positions, steps within one, padding before and behind.
    kernel: Vec<i64>,
    strides: Vec<i64>,
    dilation: Vec<i64>,
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Gradient for Depthwise {
    const REMARK: &'static str = "DepthwiseGradient";
    const NOUN: &'static str = "depthwise gradient";

    fn of(op: OperationRef<'_, '_>) -> Option<Result<Self, Stays>> {
        let groups = ir::integer(op, "batch_group_count").unwrap_or(1);
        (ir::name(op) == "stablehlo.convolution" && groups > 1).then(|| Self::read(op, groups))
    }

    fn write<'c: 'a, 'a>(
        &self,
        mut code: Code<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<Value<'c, 'a>, Reported> {
        let &[image, gradient] = operands else { return Err(code.error("has not two operands")) };
        let element = self.element.as_str();
        let axes = self.kernel.len();
        let around = |spatial: Vec<i64>, ends: [i64; 2]| [&ends[..1], &spatial, &ends[1..]].concat();
        let (samples, channels) = (self.image[0], self.image[axes + 1]);
        let zero = scalar(&mut code, "0.0", element)?;
        let padded = if self.low.iter().chain(&self.high).all(|&size| size == 0) {
            image
        } else {
            let dims = (0..axes).map(|axis| self.padded(axis).unwrap_or(0)).collect();
            let kind = tensor(&around(dims, [samples, channels]), element);
            let sides = [&self.low, &self.high, &vec![0; axes]].map(|side| around(side.clone(), [0, 0]));
            pad(&mut code, [image, zero], &kind, sides.each_ref())?
        };
        let whole = tensor(&self.gradient, element);
        let line = tensor(&[1, channels], element);
        let summed: Vec<i64> = (0..=i64::try_from(axes).unwrap_or(i64::MAX - 1)).collect();
        let mut lines = Vec::new();
        for position in positions(&self.kernel) {
            let start: Vec<i64> = (0..axes).map(|axis| position[axis] * self.strides[axis]).collect();
            let end = (0..axes).map(|axis| start[axis] + self.reach(axis).unwrap_or(0)).collect();
            let stretch = [
                ("start_indices", array(&around(start, [0, 0]))),
                ("limit_indices", array(&around(end, [samples, channels]))),
                ("strides", array(&around(self.dilation.clone(), [1, 1]))),
            ];
            let seen = make(&mut code, "slice", &[padded], &whole, &stretch)?;
            let product = make(&mut code, "multiply", &[seen, gradient], &whole, &[])?;
            let kind = tensor(&[channels], element);
            let sum = reduce_by_sum(&mut code, product, zero, &summed, &kind, &tensor(&[], element))?;
            lines.push(make(&mut code, "reshape", &[sum], &line, &[])?);
        }
        let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
        let all = tensor(&[count, channels], element);
        let all = make(&mut code, "concatenate", &lines, &all, &[("dimension", "0 : i64".to_owned())])?;
        let result = tensor(&[&self.kernel[..], &[1, channels]].concat(), element);
        make(&mut code, "reshape", &[all], &result, &[])
    }
}

/// Does a convolution read its kernel from the end, or may it?
fn is_reversed(op: OperationRef<'_, '_>) -> bool {
    let flags = ir::integers(op, "window_reversal");
    ir::attribute(op, "window_reversal").is_some()
        && flags.is_none_or(|flags| flags.iter().any(|&flag| flag != 0))
}

impl Depthwise {
    fn read(op: OperationRef<'_, '_>, groups: i64) -> Result<Self, Stays> {
        let shape = |value| shape(value).ok_or("its operands are not tensors of known size");
        let (image, element) = shape(op.operand(0).ok())?;
        let (gradient, of_gradient) = shape(op.operand(1).ok())?;
        let (result, of_result) = shape(op.result(0).ok().map(Value::from))?;
        if !matches!(element.as_str(), "f32" | "f64") || element != of_gradient || element != of_result {
            return Err("its elements are neither f32 nor f64, whose sums round as a convolution's do");
        }
        let axes = image.len().checked_sub(2).filter(|&axes| axes > 0).ok_or("it has no spatial axis")?;
        let spatial: Vec<String> = (0..axes).map(|axis| axis.to_string()).collect();
        let spatial = spatial.join(",");
        let layout: String =
            ir::opaque(op, "dimension_numbers").unwrap_or_default().split_whitespace().collect();
        if layout != format!("conv<[f,{spatial},b]x[i,{spatial},o]->[{spatial},b,f]>") {
            return Err("it is not laid out as [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]");
        }
        let list = |name: &str| by_axis(op, name, axes, 1);
        let (strides, dilation) = (list("window_strides"), list("rhs_dilation"));
        let channels = [image.last(), gradient.last(), result.last()];
        if channels.iter().any(|&count| count != Some(&groups)) || image[0] != gradient[0] {
            return Err("it has more than one feature per channel");
        }
        if ir::integer(op, "feature_group_count").unwrap_or(1) != 1
            || list("lhs_dilation").iter().any(|&step| step != 1)
            || is_reversed(op)
        {
            return Err("its image is dilated, reversed or grouped");
        }
        let fits = [gradient.len(), result.len(), strides.len() + 2, dilation.len() + 2];
        let (low, high) = padding(op, axes)
            .filter(|_| fits.iter().all(|&length| length == image.len()))
            .ok_or("its strides and padding do not fit its operands")?;
        let kernel = result[..axes].to_vec();
        let found = Depthwise { element, image, gradient, kernel, strides, dilation, low, high };
        if !found.is_consistent() {
            return Err("its positions do not lie in its padded image, or it has too many");
        }
        Ok(found)
    }

    /// Does every position of the kernel see a stretch of the padded image, and are there not too many?
    fn is_consistent(&self) -> bool {
        let count = self.kernel.iter().fold(1_u64, |all, &size| all.saturating_mul(size.unsigned_abs()));
        let inside = (0..self.kernel.len()).all(|axis| {
            let padded = self.padded(axis);
            let last = (self.kernel[axis] - 1).checked_mul(self.strides[axis]);
            let reach = last.and_then(|start| start.checked_add(self.reach(axis)?));
            self.kernel[axis] >= 1
                && self.strides[axis] >= 1
                && self.dilation[axis] >= 1
                && self.gradient[axis + 1] >= 1
                && reach.zip(padded).is_some_and(|(reach, padded)| reach <= padded)
        });
        inside && (1..=MOST_POSITIONS).contains(&count)
    }

    fn padded(&self, axis: usize) -> Option<i64> {
        self.image[axis + 1].checked_add(self.low[axis])?.checked_add(self.high[axis])
    }

    /// Elements of the image from the first to the last that one position sees.
    fn reach(&self, axis: usize) -> Option<i64> {
        (self.gradient[axis + 1] - 1).checked_mul(self.dilation[axis])?.checked_add(1)
    }
}
