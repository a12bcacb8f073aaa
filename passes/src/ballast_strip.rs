//! `--ballast-strip`: attributes that only planning reads go.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::BallastStripOptions;
use melior::ir::operation::OperationRef;

use crate::apply::strip;

/// Runs the pass.
///
/// # Errors
/// None; passes share a signature.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastStripOptions) -> Result<(), Reported> {
    strip(module, &[]);
    Ok(())
}
