//! The plan as an HTML page, written by the passes that plan.

use std::path::Path;

use ballast_core::plan::Plan;
use ballast_dialects::diagnostics::Reported;
use ballast_report::Facts;
use melior::ir::operation::OperationRef;

use crate::files;
use crate::program::Program;

/// Writes the page of `report=`, where one is asked for; `facts`: the plan replayed.
///
/// # Errors
/// A file that cannot be written; a plan that cannot be replayed, which is a bug.
pub(crate) fn write(
    module: OperationRef<'_, '_>,
    program: &Program<'_, '_>,
    path: &str,
    plan: &Plan,
    facts: &Result<Facts<'_>, String>,
) -> Result<(), Reported> {
    if path.is_empty() {
        return Ok(());
    }
    let failed =
        |reason: &dyn std::fmt::Display| program.error(None, &format!("internal error: no report: {reason}"));
    let facts = facts.as_ref().map_err(|reason| failed(reason))?;
    let page = ballast_report::page(plan, facts, &[]).map_err(|error| failed(&error))?;
    files::write(module, Path::new(path), page.as_bytes())
        .map_err(|error| program.error(None, &format!("cannot write report '{path}': {error}")))
}
