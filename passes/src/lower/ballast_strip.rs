//! `--ballast-strip`: attributes that only planning reads go.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::passes::BallastStripOptions;
use ballast_dialects::text::readable;
use melior::ir::Attribute;
use melior::ir::operation::OperationRef;

use crate::import::dlti::SYSTEM_SPEC;
use crate::lower::ballast_messages::{IMPLEMENTATION, MPI_MAP};

/// Runs the pass.
///
/// # Errors
/// None; passes share a signature.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastStripOptions) -> Result<(), Reported> {
    strip(module, is_of_planning);
    Ok(())
}

/// Is it what only the planner and its passes read: the plan, the devices, which MPI messages are for? What else `dlti` says, such as the layout of data,
/// others read.
pub(crate) fn is_of_planning(name: &str, value: Attribute<'_>) -> bool {
    let is_of_messages = || name == MPI_MAP && value.to_string() == IMPLEMENTATION;
    name.starts_with("ballast.") || name == SYSTEM_SPEC || is_of_messages()
}

/// Removes the attributes that `goes` names.
pub(crate) fn strip(module: OperationRef<'_, '_>, goes: impl Fn(&str, Attribute<'_>) -> bool) {
    for op in ir::nested(module).into_iter().chain([module]) {
        let found = ir::discardable(op).into_iter().map(|(name, value)| (readable(name), value));
        for (name, _) in found.filter(|(name, value)| goes(name, *value)) {
            ir::remove(op, &name);
        }
    }
}
