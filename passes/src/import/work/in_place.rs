//! Ops that write a part of an operand, and whether they do so where it lies.

use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};

use super::{Price, Seen, Traffic};

/// A slice is read and written; of a copy, all of it.
pub(super) fn update(seen: &Seen<'_, '_>, slice: usize, whole: usize) -> Price {
    let price = Price::movement().compute();
    if is_in_place(seen.op, whole) {
        let bytes = seen.operand_bytes(slice).saturating_mul(2);
        return Price { in_place: Some(whole), ..price.traffic(Traffic::Exactly(bytes)) };
    }
    price
}

/// Is a part of the operand written in place? It is where nobody else reads what is written into, as in the stacks of loops; else a copy is made.
/// Arguments of functions stay as they are, and constants are not in memory yet.
pub(super) fn is_in_place(op: OperationRef<'_, '_>, operand: usize) -> bool {
    let Ok(mut whole) = op.operand(operand) else { return false };
    // A view of what somebody else reads is no copy of it.
    while let Some(view) = ir::producer(whole).filter(|&maker| is_view(maker)) {
        match view.operand(0) {
            Ok(base) if ir::is_used_once(whole) => whole = base,
            _ => return false,
        }
    }
    let of_function = || op.parent_operation().is_none_or(|parent| ir::name(parent) == "func.func");
    let is_there = match ir::producer(whole).map(ir::name) {
        None => !of_function(),
        Some(maker) => !matches!(
            maker,
            "stablehlo.constant" | "stablehlo.iota" | "stablehlo.broadcast_in_dim" | "arith.constant"
        ),
    };
    is_there && ir::is_used_once(whole)
}

fn is_view(op: OperationRef<'_, '_>) -> bool {
    match ir::name(op) {
        "stablehlo.reshape" | "stablehlo.bitcast_convert" | "stablehlo.optimization_barrier" => {
            op.operand_count() == 1
        }
        "tensor.cast"
        | "tensor.expand_shape"
        | "tensor.collapse_shape"
        | "tensor.reshape"
        | "tensor.bitcast"
        | "tensor.extract_slice" => true,
        _ => false,
    }
}
