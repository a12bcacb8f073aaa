//! `cargo xtask bench`: the solvers on a folder of instances.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::workspace::Workspace;

/// Arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which solvers.
    what: What,
    /// Folder of instance files.
    folder: PathBuf,
    /// Handed to `ballast bench` as they are.
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Memory plans of one device.
    Remat,
    /// Partitions of a workload graph.
    Partition,
}

/// Builds and runs `ballast bench WHAT FOLDER`.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    // Relative to where the user stands, not to the root.
    let folder = std::path::absolute(&args.folder).context("cannot tell the current folder")?;
    workspace.set_up()?;
    workspace.build()?;
    let ballast = workspace.program("ballast");
    let what = match args.what {
        What::Remat => "remat",
        What::Partition => "partition",
    };
    let rest = &args.rest;
    Ok(cmd!(workspace.shell, "{ballast} bench {what} {folder} {rest...}").quiet().run()?)
}
