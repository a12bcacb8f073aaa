//! Constants that a program computes: XLA knows them before it runs, computes them where they are read, or stores them.

use ballast_dialects::ir;
use ballast_dialects::operations::uses;
use melior::ir::Value;
use melior::ir::operation::{OperationLike as _, OperationRef};

use crate::import::work::is_elementwise;

/// Ops that are too expensive to be computed in two fusions: what XLA's `IsExpensive` lists (openxla/xla, `instruction_fusion.cc`).
const EXPENSIVE: [&str; 27] = [
    "atan2",
    "cbrt",
    "cos",
    "cosine",
    "divf",
    "divide",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "exponential",
    "exponential_minus_one",
    "log",
    "log1p",
    "log_plus_one",
    "logistic",
    "pow",
    "power",
    "powf",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sine",
    "sqrt",
    "tan",
    "tanh",
];

/// Ops besides elementwise ones that XLA computes cheap operands in.
const TAKES_IN: [&str; 13] = [
    "broadcast_in_dim",
    "concatenate",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "map",
    "pad",
    "reduce",
    "reduce_window",
    "reverse",
    "slice",
    "transpose",
    "uniform_quantize",
];

/// Is an op too expensive to be computed in two fusions, by its name?
pub(crate) fn is_expensive(name: &str) -> bool {
    EXPENSIVE.binary_search(&last_name(name)).is_ok()
}

/// Name of an op without its dialect.
pub(crate) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Does XLA store what an op of StableHLO makes of constants that indices tell? It computes those not beforehand, but in what reads them, unless something does that takes nothing
/// in, or the op is expensive and read more than once.
pub(crate) fn is_stored<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> bool {
    let block = op.block();
    let (mut reader, mut others): (Option<OperationRef<'c, 'a>>, bool) = (None, false);
    let mut open: Vec<Value<'c, 'a>> = op.results().map(Value::from).collect();
    while let Some(value) = open.pop() {
        for read in uses(value) {
            let name = ir::name(read.owner);
            if matches!(name, "stablehlo.reshape" | "stablehlo.optimization_barrier") {
                open.extend(read.owner.results().map(Value::from));
                continue;
            }
            let takes_in = is_elementwise(read.owner) || TAKES_IN.binary_search(&last_name(name)).is_ok();
            if !takes_in || read.owner.block() != block {
                return true;
            }
            others |= reader.replace(read.owner).is_some_and(|before| before != read.owner);
        }
    }
    others && is_expensive(ir::name(op))
}

#[cfg(test)]
mod tests {
    use super::{EXPENSIVE, TAKES_IN};

    #[test]
    fn tables_are_sorted() {
        assert!(EXPENSIVE.is_sorted() && TAKES_IN.is_sorted());
    }
}
