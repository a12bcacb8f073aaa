//! `--ballast-unroll`: replaces counted loops by their iterations.
//!
//! To a planner a loop is one op. Opened, every iteration has ops of its own, which can be placed, and values of its own, which can be
//! dropped and computed again. What one loop stacks for another, slice by slice, becomes the slices themselves.

use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes::{self, BallastUnrollOptions};
use ballast_dialects::remarks::{Kind, Remark};
use melior::ir::operation::{OperationLike, OperationRef};

use crate::import;
use crate::lower::ballast_inline::inline_calls;
use crate::lower::unroll::{Budget, Iterations, Nested, open_in_block};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastUnrollOptions) -> Result<(), Reported> {
    inline_calls(module, Some(options.function.as_str()))?;
    let nested = match options.nested {
        passes::NestedLoops::Outer => Nested::Outer,
        passes::NestedLoops::Inner => Nested::Inner,
    };
    let functions = match options.function.as_str() {
        "" => import::functions(module),
        name => vec![(name.to_owned(), import::function(module, Some(name))?)],
    };
    for (name, function) in functions {
        open_in_function(&name, function, nested, Budget::new(options.max_ops, Iterations::Joined))?;
    }
    Ok(())
}

/// Opens the counted loops of a function, up to as many ops as the budget has, and says which stay.
///
/// # Errors
/// If it is planned already.
pub(crate) fn open_in_function<'c>(
    name: &str,
    function: OperationRef<'c, '_>,
    nested: Nested,
    mut budget: Budget<'c>,
) -> Result<(), Reported> {
    let [block] = ir::blocks(function)[..] else { return Ok(()) };
    if function.has_attribute(PLAN) && ir::nested(function).into_iter().any(is_loop) {
        let text = format!("'{name}' is planned: open its loops before, or remove `{PLAN}`");
        return Err(diagnostics::error(function.location(), &text));
    }
    open_in_block(ir::context(function), block, nested, &mut budget)?;
    if budget.opened() > 0 {
        Remark::new(Kind::Passed, "Unroll", name, "loops were opened")
            .fact("loops", budget.opened())
            .fact("ops", ir::nested(function).len())
            .emit(function.location());
    }
    for left in budget.left.values() {
        Remark::new(Kind::Missed, "LoopWhole", name, format!("a loop stays whole: {}", left.why))
            .fact("bytes", left.bytes)
            .emit(left.location);
    }
    Ok(())
}

/// Is it a loop that could be opened, if its iterations can be counted?
pub(crate) fn is_loop(op: OperationRef<'_, '_>) -> bool {
    matches!(ir::name(op), "stablehlo.while" | "scf.for")
}
