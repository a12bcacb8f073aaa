//! `cargo xtask setup`: what the project needs on this machine.

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{libtorch, packages};

/// Installs what is missing.
pub(crate) fn set_up(workspace: &Workspace) -> Result<()> {
    set_up_programs(workspace)?;
    libtorch::install_if_missing(workspace)
}

/// The same without libtorch, which the learner alone needs.
pub(crate) fn set_up_programs(workspace: &Workspace) -> Result<()> {
    packages::install_missing(&workspace.shell)?;
    workspace.cache_compilers();
    Ok(())
}
