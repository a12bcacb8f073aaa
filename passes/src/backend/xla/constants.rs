//! Constants that a program computes: XLA knows them before it runs, computes them where they are read, or stores them.

use ballast_dialects::ir;
use ballast_dialects::operations::uses;
use melior::ir::Value;
use melior::ir::operation::{OperationLike as _, OperationRef};

use super::names::{is_expensive, last_name};
use crate::import::work::is_elementwise;

/// Ops besides elementwise ones that XLA computes cheap operands in.
const TAKES_IN: [&str; 12] = [
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
];

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
    use super::TAKES_IN;

    #[test]
    fn the_table_is_sorted() {
        assert!(TAKES_IN.is_sorted());
    }
}
