//! Work of StableHLO and CHLO ops (unregistered, so purity is a table here), and of torch-mlir's `tm_tensor`.

use ballast_core::graph::LayerType;
use ballast_core::predictor::Pooling;
use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};

use super::in_place::{is_in_place, update};
use super::{Effect, Price, Pricer, Role, Seen, Traffic, control, fourier, products, real_products};
use crate::import::opaque;

/// Price of a `stablehlo` or `chlo` op.
pub(super) fn price<'c: 'a, 'a>(pricer: &Pricer<'c, 'a, '_>, dialect: &str, seen: &Seen<'c, 'a>) -> Price {
    if dialect == "chlo" {
        return chlo(seen);
    }
    let points = seen.points();
    let unknown = Price::unknown;
    match seen.name {
        "constant" => Price::constant(ir::attribute(seen.op, "value").is_none_or(ir::is_splat)),
        "iota" | "after_all" | "create_token" => Price::constant(true),
        "return" => Price::movement().traffic(Traffic::Exactly(0)),
        "reshape" | "get_tuple_element" => Price::view(),
        "bitcast_convert" if same_bytes(seen) => Price::view(),
        // Planning splits one of several values first.
        "optimization_barrier" if seen.op.operand_count() == 1 => Price::view(),
        "optimization_barrier" | "tuple" => Price::movement().compute().traffic(Traffic::Exactly(0)),
        "dot_general" => dot_general(seen).unwrap_or_else(unknown),
        "dot" => match seen.operands.first().and_then(|left| left.dims.last()) {
            Some(&length) => products(LayerType::Dense, points.saturating_mul(real_products(seen)), length),
            None => unknown(),
        },
        "convolution" => convolution(seen).unwrap_or_else(unknown),
        "reduce" => reduce(seen),
        "reduce_window" | "select_and_scatter" => pooling(seen).unwrap_or_else(unknown),
        "map" => Price::elementwise(points.saturating_mul(seen.body())),
        "scatter" => scatter(seen),
        "gather" | "dynamic_gather" => gather(seen, 1),
        "slice" | "dynamic_slice" | "real_dynamic_slice" => {
            Price::movement().traffic(Traffic::Exactly(seen.result_bytes().saturating_mul(2)))
        }
        "broadcast"
        | "broadcast_in_dim"
        | "dynamic_broadcast_in_dim"
        | "concatenate"
        | "pad"
        | "dynamic_pad"
        | "reverse"
        | "transpose"
        | "dynamic_iota" => Price::movement(),
        "dynamic_reshape" => Price::view(),
        "dynamic_update_slice" => update(seen, 1, 0),
        "get_dimension_size" | "set_dimension_size" | "partition_id" | "replica_id" => {
            Price::movement().compute().traffic(Traffic::Exactly(0))
        }
        "sort" => sort(seen),
        "fft" => fft(seen).unwrap_or_else(unknown),
        // n³/3 for each matrix, Golub and Van Loan, "Matrix computations", section 4.2.
        "cholesky" => match seen.operands.first().map(|a| a.dims.as_slice()) {
            Some([.., n, _]) => Price::new(Role::Compute, LayerType::Other, points.saturating_mul(*n) / 3),
            _ => unknown(),
        },
        // n² for each right-hand side, the same, section 3.1.
        "triangular_solve" => match seen.operands.first().map(|a| a.dims.as_slice()) {
            Some([.., n, _]) => Price::new(Role::Compute, LayerType::Other, points.saturating_mul(*n)),
            _ => unknown(),
        },
        // Mean, variance, and a scale and shift of every element.
        "batch_norm_training" | "batch_norm_inference" | "batch_norm_grad" => {
            let per_element = if seen.name == "batch_norm_inference" { 4 } else { 8 };
            let flops = seen.operand_elements(0).saturating_mul(per_element);
            Price::new(Role::Compute, LayerType::Normalisation, flops)
        }
        "while" => control::looped(seen, control::while_trips(seen.op)),
        "einsum" => einsum(seen).unwrap_or_else(unknown),
        "if" | "case" => control::branch(seen),
        "composite" => pricer.call(seen.op),
        "custom_call" => custom_call(seen),
        "rng" => Price::elementwise(points).compute().effect(Effect::Some),
        // The state after it, then the bits, which the state before says.
        "rng_bit_generator" => {
            Price::elementwise(seen.results.last().map_or(0, |bits| bits.elements)).compute()
        }
        "all_gather"
        | "all_reduce"
        | "all_to_all"
        | "collective_broadcast"
        | "collective_permute"
        | "cross-replica-sum"
        | "reduce_scatter" => {
            let flops = seen.operand_elements(0).saturating_mul(seen.body());
            Price::new(Role::Compute, LayerType::Other, flops).effect(Effect::Some)
        }
        name if ELEMENTWISE.binary_search(&name).is_ok() => Price::elementwise(points),
        _ => unknown(),
    }
}

/// Pooling over windows, and its gradient: a selection in every window, then one sum for each of its sources.
fn pooling(seen: &Seen<'_, '_>) -> Option<Price> {
    let window = window(seen, "window_dimensions")?;
    let is_gradient = seen.name == "select_and_scatter";
    let outputs = if is_gradient { seen.operand_elements(1) } else { seen.points() };
    let joins = match scan_depth(seen) {
        Some(depth) => outputs.saturating_mul(depth),
        None => Pooling { outputs, window }.operations(),
    };
    let joins = joins.saturating_mul(seen.body());
    let sums = if is_gradient { seen.regions.get(1).map_or(0, |region| region.flops) } else { 0 };
    let flops = joins.saturating_add(sums.saturating_mul(outputs));
    Some(Price::new(Role::Compute, LayerType::Pooling, flops))
}

/// Joins for each element of running sums, which JAX exports as windows that begin or end before the axis does: XLA makes them in steps of twice the
/// length (`reduce_window_rewriter.cc`). None for other windows.
fn scan_depth(seen: &Seen<'_, '_>) -> Option<u64> {
    let list = |name: &str| ir::integers(seen.op, name);
    let is_one = |name: &str| list(name).is_none_or(|all| all.iter().all(|&one| one == 1));
    if seen.name != "reduce_window"
        || !["window_strides", "base_dilations", "window_dilations"].into_iter().all(is_one)
    {
        return None;
    }
    let dims = &seen.operands.first()?.dims;
    let (windows, padding) = (list("window_dimensions")?, list("padding")?);
    let wide: Vec<usize> = (0..windows.len()).filter(|&axis| windows[axis] != 1).collect();
    let [axis] = wide[..] else { return None };
    let length = *dims.get(axis)?;
    let pads = padding.get(2 * axis..2 * axis + 2)?;
    let one_side = pads.contains(&0) && pads.iter().any(|&pad| pad.unsigned_abs() + 1 == length);
    (windows[axis].unsigned_abs() == length && one_side)
        .then(|| u64::from(length.next_power_of_two().ilog2()) + 1)
}

/// Elementwise StableHLO ops, sorted.
const ELEMENTWISE: [&str; 49] = [
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast_convert",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "uniform_dequantize",
    "uniform_quantize",
    "xor",
];

/// Elementwise CHLO ops, sorted; so is every `broadcast_` op.
const CHLO_ELEMENTWISE: [&str; 26] = [
    "_asin_acos_kernel",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "mulhi",
    "next_after",
    "polygamma",
    "sinh",
    "square",
    "tan",
    "tanh",
    "zeta",
];

/// Is an element of its results made of the elements at the same place in its operands?
pub(crate) fn is_elementwise(op: OperationRef<'_, '_>) -> bool {
    match ir::name(op).split_once('.') {
        Some(("stablehlo", name)) => ELEMENTWISE.binary_search(&name).is_ok(),
        Some(("chlo", name)) => CHLO_ELEMENTWISE.binary_search(&name).is_ok(),
        _ => false,
    }
}

fn chlo(seen: &Seen<'_, '_>) -> Price {
    match seen.name {
        "constant" | "constant_like" => Price::constant(true),
        "top_k" => sort(seen),
        "dynamic_reshape" => Price::view(),
        name if name.starts_with("broadcast_") || CHLO_ELEMENTWISE.binary_search(&name).is_ok() => {
            Price::elementwise(seen.points())
        }
        _ => Price::unknown(),
    }
}

/// Price of a `tm_tensor` op: torch-mlir's tensor ops beyond linalg.
pub(super) fn tm_tensor(seen: &Seen<'_, '_>) -> Price {
    match seen.name {
        "yield" => Price::movement().traffic(Traffic::Exactly(0)),
        // Updates, indices, then the tensor that is updated.
        "scatter" => {
            let flops = seen.operand_elements(0).saturating_mul(seen.body());
            Price::movement().compute().with_flops(flops)
        }
        "scan" => {
            let flops = seen.operand_elements(0).saturating_mul(seen.body());
            Price::new(Role::Compute, LayerType::Normalisation, flops)
        }
        "sort" | "topk" => sort(seen),
        "attention" => match (seen.operands.first(), seen.operands.get(1), seen.operands.get(2)) {
            (Some(query), Some(key), Some(value)) if query.dims.len() >= 2 && key.dims.len() >= 2 => {
                let length = query.dims.last().copied().unwrap_or(0);
                let keys = key.dims[key.dims.len() - 2];
                let rows = query.elements.checked_div(length).unwrap_or(0);
                let width = value.dims.last().copied().unwrap_or(0);
                let scores = products(LayerType::Dense, rows.saturating_mul(keys), length);
                let mixes = products(LayerType::Dense, rows.saturating_mul(width), keys);
                Price::contraction(
                    LayerType::Dense,
                    scores.flops.saturating_add(mixes.flops),
                    scores.exact.saturating_add(mixes.exact),
                )
            }
            _ => Price::unknown(),
        },
        _ => Price::unknown(),
    }
}

fn same_bytes(seen: &Seen<'_, '_>) -> bool {
    seen.results.first().is_some_and(|result| result.bytes == seen.operand_bytes(0))
}

/// A product as `config` writes it: of letters that the result has not, sums are made.
fn einsum(seen: &Seen<'_, '_>) -> Option<Price> {
    let config = ir::string(seen.op, "einsum_config")?;
    let (operands, result) = config.split_once("->")?;
    let mut length = 1_u64;
    let mut summed: Vec<char> = Vec::new();
    for (labels, operand) in operands.split(',').zip(&seen.operands) {
        if labels.chars().count() != operand.dims.len() {
            return None;
        }
        for (label, &dim) in labels.chars().zip(&operand.dims) {
            if !result.contains(label) && !summed.contains(&label) {
                summed.push(label);
                length = length.saturating_mul(dim);
            }
        }
    }
    Some(products(LayerType::Dense, seen.points().saturating_mul(real_products(seen)), length))
}

fn dot_general(seen: &Seen<'_, '_>) -> Option<Price> {
    let fields = opaque::fields(&ir::opaque(seen.op, "dot_dimension_numbers")?, "dot")?;
    let left = seen.operands.first()?;
    let mut length = 1_u64;
    for &dim in fields.get("lhs_contracting_dimensions").map_or(&[][..], Vec::as_slice) {
        length = length.saturating_mul(*left.dims.get(usize::try_from(dim).ok()?)?);
    }
    Some(products(LayerType::Dense, seen.points().saturating_mul(real_products(seen)), length))
}

/// Sums of products at every output element over the kernel's input features and its window. Window positions over
/// padding count, as in the closed formulas; positions over holes that a dilated input leaves do not, so that the
/// gradient of a strided convolution counts as much as the convolution.
fn convolution(seen: &Seen<'_, '_>) -> Option<Price> {
    let dims = opaque::convolution(&ir::opaque(seen.op, "dimension_numbers")?)?;
    let (kernel, result) = (seen.operands.get(1)?, seen.results.first()?);
    let axes = dims.kernel_spatial.len();
    let list = |name: &str, default: i64, count: usize| match ir::integers(seen.op, name) {
        Some(list) if list.len() == count => Some(list),
        Some(_) => None,
        None => Some(vec![default; count]),
    };
    let strides = list("window_strides", 1, axes)?;
    let holes = list("lhs_dilation", 1, axes)?;
    let spread = list("rhs_dilation", 1, axes)?;
    let padding = list("padding", 0, 2 * axes)?;
    let features = *kernel.dims.get(dims.kernel_input_feature)?;
    let elements = result.elements.saturating_mul(real_products(seen));
    let mut outputs = elements;
    let mut pairs = 1_u64;
    for axis in 0..axes {
        let out = *result.dims.get(*dims.output_spatial.get(axis)?)?;
        let window = *kernel.dims.get(dims.kernel_spatial[axis])?;
        outputs = outputs.checked_div(out).unwrap_or(0);
        let hits = hits(out, window, strides[axis], spread[axis], padding[2 * axis], holes[axis])?;
        pairs = pairs.saturating_mul(hits);
    }
    let sums = elements.saturating_mul(features);
    let multiplications = outputs.saturating_mul(pairs).saturating_mul(features);
    let fused = multiplications.saturating_mul(2);
    Some(Price::contraction(LayerType::Convolution, fused, fused.saturating_sub(sums)))
}

/// Pairs of an output and a window position, along one axis, that fall on an element and not on a hole of the
/// dilated input.
fn hits(out: u64, window: u64, stride: i64, spread: i64, low: i64, holes: i64) -> Option<u64> {
    if holes < 1 {
        return None;
    }
    if holes == 1 {
        return Some(out.saturating_mul(window));
    }
    // Positions repeat with the period of the holes: count each residue of either side.
    let residues = |count: u64, step: i64, offset: i64| {
        let mut counts = vec![0_u64; usize::try_from(holes).ok()?];
        let period = holes.unsigned_abs();
        for i in 0..count.min(period) {
            let repeats = (count - i).div_ceil(period);
            let at = (i128::from(i) * i128::from(step) - i128::from(offset)).rem_euclid(i128::from(holes));
            counts[usize::try_from(at).ok()?] += repeats;
        }
        Some(counts)
    };
    const WIDEST_DILATION: i64 = 1 << 16;
    if holes > WIDEST_DILATION {
        return None;
    }
    let (points, taps) = (residues(out, stride, low)?, residues(window, spread, 0)?);
    let opposite = |residue: usize| (points.len() - residue) % points.len();
    Some(
        taps.iter()
            .enumerate()
            .fold(0_u64, |sum, (at, &count)| sum.saturating_add(count.saturating_mul(points[opposite(at)]))),
    )
}

fn reduce(seen: &Seen<'_, '_>) -> Price {
    let joins = seen.operand_elements(0).saturating_sub(seen.points());
    Price::new(Role::Compute, LayerType::Normalisation, joins.saturating_mul(seen.body()))
}

fn window(seen: &Seen<'_, '_>, name: &str) -> Option<u64> {
    let window = ir::integers(seen.op, name)?;
    Some(window.iter().fold(1, |product, &k| product.saturating_mul(k.unsigned_abs())))
}

/// Inputs, then indices, then as many updates as inputs: every update element is joined with what is there, which one input is read for in place.
fn scatter(seen: &Seen<'_, '_>) -> Price {
    let last = seen.op.operand_count().saturating_sub(1);
    let flops = seen.operand_elements(last).saturating_mul(seen.body());
    let price = Price::new(Role::Compute, LayerType::Other, flops);
    if last == 2 && is_in_place(seen.op, 0) {
        let bytes = seen.operand_bytes(1).saturating_add(seen.operand_bytes(2).saturating_mul(3));
        return Price { in_place: Some(0), ..price.traffic(Traffic::Exactly(bytes)) };
    }
    price
}

fn gather(seen: &Seen<'_, '_>, indices: usize) -> Price {
    let bytes = seen.operand_bytes(indices).saturating_add(seen.result_bytes().saturating_mul(2));
    Price::movement().compute().traffic(Traffic::Exactly(bytes))
}

/// `n log2 n` comparisons for each sorted row.
fn sort(seen: &Seen<'_, '_>) -> Price {
    let axis = ir::integer(seen.op, "dimension").and_then(|axis| usize::try_from(axis).ok());
    let input = seen.operands.first();
    let length = input
        .and_then(|input| axis.and_then(|axis| input.dims.get(axis)).or(input.dims.last()))
        .copied()
        .unwrap_or(1);
    let depth = u64::from(length.max(1).next_power_of_two().ilog2());
    let joins = seen.operand_elements(0).saturating_mul(depth);
    Price::new(Role::Compute, LayerType::Other, joins.saturating_mul(seen.body().max(1)))
}

fn fft(seen: &Seen<'_, '_>) -> Option<Price> {
    let lengths = ir::integers(seen.op, "fft_length")?;
    let real = ir::opaque(seen.op, "fft_type")?.contains("RFFT");
    let points = seen.points().max(seen.operand_elements(0));
    let mut flops = 0_u64;
    for length in lengths.iter().map(|length| length.unsigned_abs().max(1)) {
        flops = flops.saturating_add(fourier(points / length, length));
    }
    Some(Price::new(Role::Compute, LayerType::Other, if real { flops / 2 } else { flops }))
}

/// Custom calls say themselves whether they have side effects; annotations only pass their operand on.
fn custom_call(seen: &Seen<'_, '_>) -> Price {
    let target = ir::string(seen.op, "call_target_name").unwrap_or_default();
    if matches!(
        target.as_str(),
        "Sharding" | "LayoutConstraint" | "annotate_device_placement" | "MoveToHost" | "MoveToDevice"
    ) && seen.op.operand_count() == 1
    {
        return Price::view();
    }
    let effects = ir::integer(seen.op, "has_side_effect").is_some_and(|flag| flag != 0);
    Price { effect: if effects { Effect::Some } else { Effect::None }, ..Price::unknown() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(ELEMENTWISE.is_sorted() && CHLO_ELEMENTWISE.is_sorted());
    }
}
