//! `--ballast-depthwise-gradients`: writes kernel gradients of depthwise convolutions as sums over elementwise products.
//!
//! The gradient of a kernel that has one feature per group is exported as a convolution with as many batch groups as there are channels. XLA's CPU compiler
//! computes it for all pairs of channels and keeps those of the same channel: the square of the channels in memory, twice, and as often the
//! operations. Here every position of the kernel is a sum, channel by channel, over the product of the gradient and the stretch of the image
//! that the position saw.

use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses};
use ballast_dialects::passes::BallastDepthwiseGradientsOptions;
use ballast_dialects::remarks::{Kind, Remark};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value, ValueLike};

use crate::import;
use crate::import::types::Types;
use crate::lower::native::Code;
use crate::lower::stablehlo::{MOST_POSITIONS, array, make, positions, reduce_by_sum, tensor};

/// Runs the pass.
///
/// # Errors
/// At a function that is planned already.
pub(crate) fn run(
    module: OperationRef<'_, '_>,
    _options: &BallastDepthwiseGradientsOptions,
) -> Result<(), Reported> {
    let context = ir::context(module);
    for (name, function) in import::functions(module) {
        let mut written = 0;
        for op in ir::nested(function) {
            let groups = ir::integer(op, "batch_group_count").unwrap_or(1);
            if ir::name(op) != "stablehlo.convolution" || groups <= 1 {
                continue;
            }
            if function.has_attribute(PLAN) {
                let text = format!(
                    "'{name}' is planned: write its depthwise gradients out before, or remove `{PLAN}`"
                );
                return Err(diagnostics::error(function.location(), &text));
            }
            match (Gradient::of(op, groups), op.block()) {
                (Ok(gradient), Some(block)) => {
                    gradient.write(context, block, op)?;
                    written += 1;
                }
                (why, _) => {
                    let why = why.err().unwrap_or("it is in no block");
                    let text = format!("a depthwise gradient stays as it is: {why}");
                    Remark::new(Kind::Missed, "DepthwiseGradient", &name, text).emit(op.location());
                }
            }
        }
        if written > 0 {
            Remark::new(Kind::Passed, "DepthwiseGradient", &name, "depthwise gradients were written out")
                .fact("ops", written)
                .emit(function.location());
        }
    }
    Ok(())
}

/// The gradient of a depthwise kernel.
struct Gradient {
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

impl Gradient {
    fn of(op: OperationRef<'_, '_>, groups: i64) -> Result<Self, &'static str> {
        let mut types = Types::new(None);
        let unknown = "its operands are not tensors of known size";
        let mut dims = |value: Option<Value<'_, '_>>| -> Result<(Vec<i64>, String), &'static str> {
            let info = value.and_then(|value| types.of(value.r#type()).ok()).ok_or(unknown)?;
            let dims = info.dims.iter().map(|&dim| i64::try_from(dim).ok()).collect::<Option<_>>();
            let element = info.text.rsplit(['x', '<']).next().and_then(|text| text.strip_suffix('>'));
            Ok((dims.ok_or(unknown)?, element.unwrap_or_default().to_owned()))
        };
        let (image, element) = dims(op.operand(0).ok())?;
        let (gradient, of_gradient) = dims(op.operand(1).ok())?;
        let (result, of_result) = dims(op.result(0).ok().map(Value::from))?;
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
        let list = |name: &str, usual| ir::integers(op, name).unwrap_or_else(|| vec![usual; axes]);
        let padding = ir::integers(op, "padding").unwrap_or_else(|| vec![0; 2 * axes]);
        // A padding that is the same everywhere is written as one number.
        let padding = if padding.len() == 1 { vec![padding[0]; 2 * axes] } else { padding };
        let (strides, dilation) = (list("window_strides", 1), list("rhs_dilation", 1));
        let channels = [image.last(), gradient.last(), result.last()];
        if channels.iter().any(|&count| count != Some(&groups)) || image[0] != gradient[0] {
            return Err("it has more than one feature per channel");
        }
        if ir::integer(op, "feature_group_count").unwrap_or(1) != 1
            || list("lhs_dilation", 1).iter().any(|&step| step != 1)
            || ir::opaque(op, "window_reversal").is_some_and(|text| text.contains("true"))
        {
            return Err("its image is dilated, reversed or grouped");
        }
        let lengths =
            [gradient.len(), result.len(), strides.len() + 2, dilation.len() + 2, padding.len() / 2 + 2];
        if lengths.iter().any(|&length| length != image.len()) {
            return Err("its strides and padding do not fit its operands");
        }
        let low: Vec<i64> = padding.iter().copied().step_by(2).collect();
        let high: Vec<i64> = padding.iter().copied().skip(1).step_by(2).collect();
        let found = Gradient {
            element,
            image,
            gradient,
            kernel: result[..axes].to_vec(),
            strides,
            dilation,
            low,
            high,
        };
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

    fn write<'c: 'a, 'a>(
        &self,
        context: &'c Context,
        block: BlockRef<'c, 'a>,
        op: OperationRef<'c, 'a>,
    ) -> Result<(), Reported> {
        let mut code = Code::before(context, block, op, op.location());
        let operand = |index: usize| -> Result<Value<'c, 'a>, Reported> {
            op.operand(index).map_err(|_| diagnostics::error(op.location(), "has too few operands"))
        };
        let (image, gradient) = (operand(0)?, operand(1)?);
        let element = self.element.as_str();
        let axes = self.kernel.len();
        let around = |spatial: Vec<i64>, ends: [i64; 2]| [&ends[..1], &spatial, &ends[1..]].concat();
        let (samples, channels) = (self.image[0], self.image[axes + 1]);
        let scalar = tensor(&[], element);
        let zero = make(&mut code, "constant", &[], &scalar, &[("value", format!("dense<0.0> : {scalar}"))])?;
        let padded = if self.low.iter().chain(&self.high).all(|&size| size == 0) {
            image
        } else {
            let dims = (0..axes).map(|axis| self.padded(axis).unwrap_or(0)).collect();
            let sizes = [
                ("edge_padding_low", array(&around(self.low.clone(), [0, 0]))),
                ("edge_padding_high", array(&around(self.high.clone(), [0, 0]))),
                ("interior_padding", array(&vec![0; axes + 2])),
            ];
            make(
                &mut code,
                "pad",
                &[image, zero],
                &tensor(&around(dims, [samples, channels]), element),
                &sizes,
            )?
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
            let sum =
                reduce_by_sum(&mut code, product, zero, &summed, &tensor(&[channels], element), &scalar)?;
            lines.push(make(&mut code, "reshape", &[sum], &line, &[])?);
        }
        let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
        let all = tensor(&[count, channels], element);
        let all = make(&mut code, "concatenate", &lines, &all, &[("dimension", "0 : i64".to_owned())])?;
        let result = tensor(&[&self.kernel[..], &[1, channels]].concat(), element);
        let result = make(&mut code, "reshape", &[all], &result, &[])?;
        if let Ok(old) = op.result(0) {
            replace_all_uses(old, result);
        }
        erase(op);
        Ok(())
    }
}
