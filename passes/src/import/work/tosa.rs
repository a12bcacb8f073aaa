//! Work of TOSA ops, layouts and attributes as in the TOSA specification.

use ballast_core::graph::LayerType;
use ballast_core::predictor::{Convolution, Counting, Pooling};
use ballast_dialects::ir;

use super::{Effect, Price, Role, Seen, Traffic, control, fourier, product, products};

/// Price of a TOSA op.
pub(super) fn price(seen: &Seen<'_, '_>) -> Price {
    let points = seen.points();
    let price = match seen.name {
        "const" => Price::constant(ir::attribute(seen.op, "values").is_none_or(ir::is_splat)),
        "const_shape" => Price::constant(true),
        "yield" => Price::movement().traffic(Traffic::Exactly(0)),
        "reshape" | "identity" => Price::view(),
        "conv2d" | "conv3d" | "depthwise_conv2d" | "transpose_conv2d" => {
            convolution(seen).unwrap_or_else(Price::unknown)
        }
        "matmul" => match seen.operands.first().and_then(|left| left.dims.last()) {
            Some(&length) => products(LayerType::Dense, points, length),
            None => Price::unknown(),
        },
        "avg_pool2d" | "max_pool2d" => pooling(seen),
        "reduce_all" | "reduce_any" | "reduce_max" | "reduce_min" | "reduce_product" | "reduce_sum"
        | "argmax" => {
            let flops = seen.operand_elements(0).saturating_sub(points);
            Price::new(Role::Compute, LayerType::Normalisation, flops)
        }
        "fft2d" | "rfft2d" => transform(seen).unwrap_or_else(Price::unknown),
        // Four neighbours weighted and added.
        "resize" => Price::new(Role::Compute, LayerType::Other, points.saturating_mul(8)),
        "gather" => {
            let bytes = seen.operand_bytes(1).saturating_add(seen.result_bytes().saturating_mul(2));
            Price::movement().compute().traffic(Traffic::Exactly(bytes))
        }
        "scatter" => Price::movement().compute(),
        "slice" => Price::movement().traffic(Traffic::Exactly(seen.result_bytes().saturating_mul(2))),
        "concat" | "pad" | "reverse" | "tile" | "transpose" => Price::movement(),
        "cond_if" => control::branch(seen),
        "while_loop" => control::looped(seen, None),
        name if ELEMENTWISE.binary_search(&name).is_ok() => Price::elementwise(points),
        name if name.ends_with("_shape") || name == "concat_shape" => Price::constant(true),
        _ => return Price { effect: Effect::Registered, ..Price::unknown() },
    };
    match seen.name {
        "cond_if" | "while_loop" => price,
        _ => price.effect(Effect::Registered),
    }
}

/// Elementwise TOSA ops, sorted.
const ELEMENTWISE: [&str; 40] = [
    "abs",
    "add",
    "arithmetic_right_shift",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cast",
    "ceil",
    "clamp",
    "clz",
    "cos",
    "equal",
    "erf",
    "exp",
    "floor",
    "greater",
    "greater_equal",
    "intdiv",
    "log",
    "logical_and",
    "logical_left_shift",
    "logical_not",
    "logical_or",
    "logical_right_shift",
    "logical_xor",
    "maximum",
    "minimum",
    "mul",
    "negate",
    "pow",
    "reciprocal",
    "rescale",
    "rsqrt",
    "select",
    "sigmoid",
    "sin",
    "sub",
    "table",
    "tanh",
];

/// Pooling over windows of `kernel` elements; an average divides once for each result.
fn pooling(seen: &Seen<'_, '_>) -> Price {
    let outputs = seen.points();
    let window = ir::integers(seen.op, "kernel").map_or(1, |kernel| {
        kernel.iter().fold(1_u64, |product, &k| product.saturating_mul(k.unsigned_abs()))
    });
    let joins = Pooling { outputs, window }.operations();
    let divisions = if seen.name == "avg_pool2d" { outputs } else { 0 };
    Price::new(Role::Compute, LayerType::Pooling, joins.saturating_add(divisions))
        .traffic(Traffic::Reads(vec![0]))
}

/// Fourier transforms of the rows and of the columns of every image; half of them for real inputs.
fn transform(seen: &Seen<'_, '_>) -> Option<Price> {
    let [batch, height, width] = *seen.operands.first()?.dims.as_slice() else { return None };
    let rows = fourier(batch.saturating_mul(height), width);
    let columns = fourier(batch.saturating_mul(width), height);
    let flops = rows.saturating_add(columns);
    let flops = if seen.name == "rfft2d" { flops / 2 } else { flops };
    Some(Price::new(Role::Compute, LayerType::Other, flops))
}

/// Convolutions: input NHWC (NDHWC), weights OHWI (ODHWI), HWCM for depthwise.
fn convolution(seen: &Seen<'_, '_>) -> Option<Price> {
    let weights = &seen.operands.get(1)?.dims;
    let result = &seen.results.first()?.dims;
    let (window, input_channels, output_channels) = match (seen.name, weights.as_slice()) {
        ("depthwise_conv2d", [height, width, channels, multiplier]) => {
            (product([height, width]), 1, channels.saturating_mul(*multiplier))
        }
        (_, [out, spatial @ .., input]) => (product(spatial), *input, *out),
        _ => return None,
    };
    // The transposed convolution runs its window at every input position.
    let positions = if seen.name == "transpose_conv2d" { &seen.operands.first()?.dims } else { result };
    let (_, points) = positions.split_last()?;
    let layer = Convolution { output_points: product(points), output_channels, input_channels, window };
    Some(Price::contraction(
        LayerType::Convolution,
        layer.operations(Counting::Fused),
        layer.operations(Counting::Exact),
    ))
}
