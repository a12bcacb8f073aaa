//! Work of `arith`, `math`, `complex`, `index`, `tensor` and other upstream ops: elementwise, views, data movement.

use ballast_core::graph::LayerType;
use ballast_dialects::ir;
use melior::ir::operation::OperationLike;

use super::in_place::update;
use super::{Effect, Price, Seen, Traffic};

/// Price of an op of a dialect without a module of its own.
pub(super) fn price(dialect: &str, seen: &Seen<'_, '_>) -> Price {
    let price = match (dialect, seen.name) {
        (_, "yield") => Price::movement().traffic(Traffic::Exactly(0)),
        ("arith" | "complex" | "index", "constant") => {
            Price::constant(ir::attribute(seen.op, "value").is_none_or(ir::is_splat))
        }
        ("arith", "bitcast") if seen.op.operand_count() == 1 => Price::view(),
        ("arith" | "math" | "complex" | "index", _) => Price::elementwise(seen.points()),
        ("tensor", _) => tensor(seen),
        ("builtin", "unrealized_conversion_cast") if seen.op.operand_count() == 1 => Price::view(),
        ("bufferization", "to_tensor" | "to_buffer") => Price::view(),
        // Says where a value lies; of no matter to a placement of ours.
        ("sdy", "sharding_constraint") => return Price::view(),
        ("ballast", "barrier") if seen.op.operand_count() == 1 => Price::view(),
        ("ballast", "swap_out" | "swap_in" | "send" | "recv" | "barrier") => {
            Price::new(super::Role::Compute, LayerType::Other, 0)
        }
        ("ub", "poison") => Price::constant(true),
        _ => return Price { effect: Effect::Registered, ..Price::unknown() },
    };
    price.effect(Effect::Registered)
}

fn tensor(seen: &Seen<'_, '_>) -> Price {
    match seen.name {
        "empty" => Price::constant(true),
        "cast" | "expand_shape" | "collapse_shape" | "reshape" | "bitcast" | "extract_slice" => Price::view(),
        "dim" | "rank" => Price::movement().traffic(Traffic::Exactly(0)),
        "extract" => Price::movement().traffic(Traffic::Exactly(seen.result_bytes())),
        "splat" | "from_elements" | "concat" | "pad" => Price::movement(),
        "insert" | "insert_slice" => update(seen, 0, 1),
        "parallel_insert_slice" => Price::movement().compute(),
        "generate" => {
            let flops = seen.points().saturating_mul(seen.body());
            Price { layer: LayerType::Activation, ..Price::movement().with_flops(flops) }
        }
        "gather" => {
            let bytes = seen.operand_bytes(1).saturating_add(seen.result_bytes().saturating_mul(2));
            Price::movement().compute().traffic(Traffic::Exactly(bytes))
        }
        "scatter" => Price::movement().compute(),
        _ => Price::unknown(),
    }
}
