//! `--remat`.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::passes::RematOptions;
use melior::ir::operation::{OperationLike, OperationRef};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
    diagnostics::remark(module.location(), &format!("{options:?}"));
    Ok(())
}
