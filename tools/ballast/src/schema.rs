//! `ballast schema`: the JSON schema of the plan file.

use ballast_core::plan::Plan;

use crate::{Failure, output};

pub(crate) fn run() -> Result<(), Failure> {
    let schema = schemars::schema_for!(Plan);
    let text = serde_json::to_string_pretty(&schema).map_err(|e| Failure::Internal(e.to_string()))?;
    output::print(&format!("{text}\n"))
}
