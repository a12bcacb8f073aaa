//! Barriers as plans see them: one value each.
//!
//! `jax.checkpoint` puts all that its repeat reads through one `stablehlo.optimization_barrier`. It copies nothing: every result lies where its
//! operand lies. As one op it would hold all of them twice, and for as long as any of them is read. What it keeps apart, barriers of
//! one value keep apart as well; that the repeat waits for its turn, a plan sees to ([`Early`](crate::backend::storage::Early)).

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{BlockLike, Value, ValueLike};

use crate::backend::xla::classes::is_barrier;
use crate::import;

/// Splits the barriers of several values in the blocks of functions; those in regions of ops stay, as what holds them is planned whole.
///
/// # Errors
/// Where a barrier of one value cannot be made.
pub(crate) fn split(module: OperationRef<'_, '_>) -> Result<(), Reported> {
    for (_, function) in import::functions(module) {
        for block in ir::blocks(function) {
            let found = ir::ops(block).filter(|&op| is_barrier(ir::name(op)) && op.operand_count() > 1);
            let found: Vec<OperationRef<'_, '_>> = found.collect();
            for op in found {
                let values: Vec<Value<'_, '_>> = op.operands().collect();
                for (old, value) in op.results().zip(values) {
                    let one = OperationBuilder::new(ir::name(op), op.location())
                        .add_operands(&[value])
                        .add_results(&[value.r#type()])
                        .build();
                    let one = one.map_err(|error| {
                        diagnostics::error(op.location(), &format!("cannot split the barrier: {error}"))
                    })?;
                    let one = block.insert_operation_before(op, one);
                    if let Ok(new) = one.result(0) {
                        replace_all_uses(old, Value::from(new));
                    }
                }
                erase(op);
            }
        }
    }
    Ok(())
}
