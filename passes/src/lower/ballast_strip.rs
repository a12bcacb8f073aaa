//! `--ballast-strip`: attributes that only planning reads go.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::passes::BallastStripOptions;
use melior::ir::operation::{OperationLike, OperationRef};

/// Runs the pass.
///
/// # Errors
/// None; passes share a signature.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastStripOptions) -> Result<(), Reported> {
    strip(module, &[]);
    Ok(())
}

/// Removes what only the planner reads: the plan and the devices. What runs programs does not know those dialects. Attributes
/// called `keep` stay.
pub(crate) fn strip(module: OperationRef<'_, '_>, keep: &[&str]) {
    for op in ir::nested(module).into_iter().chain([module]) {
        let names =
            (0..op.discardable_attribute_count()).filter_map(|index| op.discardable_attribute_at(index).ok());
        let names: Vec<String> =
            names.map(|(name, _)| name.as_string_ref().as_str().unwrap_or_default().to_owned()).collect();
        let ours = |name: &&String| name.starts_with("ballast.") || name.starts_with("dlti.");
        for name in names.iter().filter(ours).filter(|name| !keep.contains(&name.as_str())) {
            ballast_dialects::ir::remove(op, name);
        }
    }
}
