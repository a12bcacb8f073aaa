//! `cargo xtask dist`: what is given to others. A wheel of the Python package, and an archive with programs, plugin, learner and docs.

mod archive;
mod binaries;
mod clean_root;
mod wheel;

use std::path::Path;

use anyhow::{Context, Result};

use crate::setup::{set_up, set_up_programs};
use crate::workspace::Workspace;

/// What is packed.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// The Python package with the planner's programs and their libraries inside.
    Wheel,
    /// Programs, plugin, learner, docs and example models, for a Debian with the LLVM 22 runtime.
    Archive,
}

/// Builds all and packs what is asked for into `output`; `check`: a folder in which the archive is tried on a Debian
/// `release` that holds nothing else.
///
/// # Errors
/// Says what is missing, could not be packed, or ran otherwise than here.
pub(crate) fn run(
    workspace: &Workspace,
    output: &Path,
    only: Option<Part>,
    check: Option<&Path>,
    release: &str,
) -> Result<()> {
    let output = std::path::absolute(output)?;
    let check = check.map(std::path::absolute).transpose()?;
    workspace.shell.create_dir(&output)?;
    if only != Some(Part::Archive) {
        set_up_programs(workspace)?;
        workspace.build_programs()?;
        wheel::pack(workspace, &output)?;
    }
    if only != Some(Part::Wheel) {
        set_up(workspace)?;
        workspace.build()?;
        let archive = archive::pack(workspace, &output)?;
        if let Some(root) = check {
            clean_root::check(workspace, &archive, &root, release)?;
        }
    }
    Ok(())
}

/// Names a file that was made, and its size.
fn said(file: &Path) -> Result<()> {
    let bytes = std::fs::metadata(file).with_context(|| format!("{} was not made", file.display()))?.len();
    crate::say!("{} ({:.0} MB)", file.display(), bytes as f64 / 1e6);
    Ok(())
}
