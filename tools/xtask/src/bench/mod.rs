//! `cargo xtask bench`: the programs, run as a user runs them, on folders of instances; Markdown tables on
//! standard output.

mod instances;
mod joint;
mod models;
mod xla;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// What `cargo xtask bench` measures.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Memory plans of one device: `ballast remat` on every instance and budget of a folder.
    Remat(instances::RematArgs),
    /// Partitions of workload graphs: `ballast partition` on every workload of a folder and its subfolders.
    Partition(instances::PartitionArgs),
    /// Pipelines of micro-batches: the loop of partition and memory plan against one after the other.
    Joint(joint::Args),
    /// The whole pipeline: `ballast-opt` on exported programs, over device counts and caps.
    Models(models::Args),
    /// Peaks as planned beside the temporaries of XLA's CPU compiler, for StableHLO programs.
    Xla(xla::Args),
}

/// Builds and measures.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Result<()> {
    workspace.set_up()?;
    workspace.build()?;
    match bench {
        Bench::Remat(args) => instances::remat(workspace, args),
        Bench::Partition(args) => instances::partition(workspace, args),
        Bench::Joint(args) => joint::run(workspace, args),
        Bench::Models(args) => models::run(workspace, args),
        Bench::Xla(args) => xla::run(workspace, args),
    }
}

/// A path as the user means it: relative to where they stand, not to the root, where commands run.
fn from_here(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).context("cannot tell the current folder")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a figure depends on: processor and threads.
fn machine(workspace: &Workspace) -> Result<String> {
    let processor = workspace.shell.read_file("/proc/cpuinfo")?;
    let model =
        processor.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    Ok(format!(
        "{}, {} threads",
        model.trim_start_matches([':', ' ', '\t']),
        std::thread::available_parallelism()?
    ))
}
