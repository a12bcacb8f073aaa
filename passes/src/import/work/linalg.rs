//! Work of `linalg` ops, from their iteration space: so many points, each running the body once.

use ballast_core::graph::LayerType;
use ballast_dialects::ir;
use ballast_dialects::structured;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, RegionLike};

use super::{Effect, Price, Role, Seen, Traffic, product, products, real_products};

/// Price of a `linalg` op.
pub(super) fn price(seen: &Seen<'_, '_>, dynamic_dim: Option<u64>) -> Price {
    let price = match seen.name {
        "yield" | "index" => Price::movement().traffic(Traffic::Exactly(0)),
        // Maximum, difference, exponential, sum and quotient of every element.
        "softmax" => {
            let flops = seen.points().saturating_mul(5);
            Price::new(Role::Compute, LayerType::Normalisation, flops).traffic(Traffic::Reads(vec![0]))
        }
        "pack" | "unpack" => Price::movement().compute(),
        _ => structured(seen, dynamic_dim).unwrap_or_else(Price::unknown),
    };
    price.effect(Effect::Registered)
}

fn structured(seen: &Seen<'_, '_>, dynamic_dim: Option<u64>) -> Option<Price> {
    let loops = structured::loops(&seen.op)?;
    let extent = |extent: Option<u64>| extent.or(dynamic_dim);
    let mut points: u64 = 1;
    let mut length: u64 = 1;
    let mut reduces = false;
    for dimension in &loops {
        let extent = extent(dimension.extent)?;
        let side = if dimension.reduction { &mut length } else { &mut points };
        *side = side.saturating_mul(extent);
        reduces |= dimension.reduction;
    }
    let (contraction, convolution) = structured::interfaces(&seen.op);
    let multiplies = seen.body() >= 2;
    let whole = points.saturating_mul(length).saturating_mul(seen.body());
    let sums = points.saturating_mul(real_products(seen));
    let price = if contraction && reduces {
        products(LayerType::Dense, sums, length)
    } else if convolution && reduces && named_convolution(seen.name) {
        convolution_price(seen, sums, length)
    } else if convolution && reduces && multiplies && seen.name == "generic" {
        products(LayerType::Convolution, sums, length)
    } else if convolution && reduces {
        Price::new(Role::Compute, LayerType::Pooling, whole)
    } else if reduces {
        Price::new(Role::Compute, LayerType::Normalisation, whole)
    } else if whole == 0 {
        Price::movement()
    } else {
        Price::elementwise(whole)
    };
    Some(price.traffic(Traffic::Reads(read_operands(seen))))
}

fn named_convolution(name: &str) -> bool {
    ["conv", "depthwise", "grouped"].iter().any(|start| name.starts_with(start))
}

/// A named convolution: in the exact counting each pair of channels sums its window on its own.
fn convolution_price(seen: &Seen<'_, '_>, points: u64, length: u64) -> Price {
    use ballast_core::predictor::{Counting, sums_of_products};
    let window = window(seen).filter(|&window| window > 0 && length.is_multiple_of(window)).unwrap_or(length);
    let sums = points.saturating_mul(length / window.max(1));
    Price::contraction(
        LayerType::Convolution,
        sums_of_products(points, length, Counting::Fused),
        sums_of_products(sums, window, Counting::Exact),
    )
}

/// Positions of the window of a named convolution, from the kernel's layout in the op's name.
fn window(seen: &Seen<'_, '_>) -> Option<u64> {
    let kernel = seen.operands.get(1)?;
    let layout =
        seen.name.split('_').filter(|part| part.chars().all(|axis| "ncfmghwd".contains(axis))).nth_back(0)?;
    if layout.len() != kernel.dims.len() {
        return None;
    }
    let spatial: Vec<u64> = layout
        .chars()
        .zip(&kernel.dims)
        .filter(|(axis, _)| matches!(axis, 'd' | 'h' | 'w'))
        .map(|(_, &extent)| extent)
        .collect();
    Some(product(&spatial))
}

/// Operands whose elements the body reads: the shape-only window of a pooling and a result that is only written
/// move nothing.
fn read_operands(seen: &Seen<'_, '_>) -> Vec<usize> {
    let Some(block) = seen.op.first_region().and_then(|region| region.first_block()) else {
        return (0..seen.op.operand_count()).collect();
    };
    (0..seen.op.operand_count()).filter(|&index| block.argument(index).is_ok_and(ir::is_used)).collect()
}
