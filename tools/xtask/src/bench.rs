//! `cargo xtask bench`: the solvers on a folder of instances, the whole pipeline on a folder of programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::pipeline;
use crate::workspace::Workspace;

/// What `cargo xtask bench` measures.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Memory plans of one device: `ballast bench remat FOLDER`.
    Remat(Instances),
    /// Partitions of workload graphs: `ballast bench partition FOLDER`.
    Partition(Instances),
    /// The whole pipeline on exported programs, over device counts and caps.
    Models(pipeline::Args),
}

/// A folder of instances.
#[derive(clap::Args)]
pub(crate) struct Instances {
    folder: PathBuf,
    /// Handed to `ballast bench` as they are.
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Builds and measures; the table goes to standard output.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Result<()> {
    workspace.set_up()?;
    workspace.build()?;
    match bench {
        Bench::Remat(instances) => solver(workspace, "remat", instances),
        Bench::Partition(instances) => solver(workspace, "partition", instances),
        Bench::Models(args) => pipeline::run(workspace, args),
    }
}

fn solver(workspace: &Workspace, what: &str, instances: &Instances) -> Result<()> {
    let ballast = workspace.program("ballast");
    let (folder, rest) = (from_here(&instances.folder)?, &instances.rest);
    Ok(cmd!(workspace.shell, "{ballast} bench {what} {folder} {rest...}").quiet().run()?)
}

/// A path as the user means it: relative to where they stand, not to the root, where commands run.
pub(crate) fn from_here(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).context("cannot tell the current folder")
}
