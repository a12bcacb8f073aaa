//! `cargo xtask bench`: the programs, run as a user runs them, on folders of instances; Markdown tables on
//! standard output.

mod deadlines;
mod fit;
mod joint;
mod models;
mod movers;
mod python;
mod reparse;
mod tables;
mod xla;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::setup::set_up;
use crate::workspace::{Workspace, step};

/// What `cargo xtask bench` measures.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Memory plans of one device, every instance and budget of a folder: `ballast lab bench remat`.
    Remat(tables::Passed),
    /// Partitions of workload graphs, every workload of a folder and its subfolders: `ballast lab bench partition`.
    Partition(tables::Passed),
    /// The RL partitioner beside classical searches, on generated chains and exported programs: `ballast lab bench rl`.
    Rl(tables::RlArgs),
    /// Pipelines of micro-batches: the loop of partition and memory plan against one after the other.
    Joint(joint::Args),
    /// The whole pipeline: `ballast-opt` on exported programs, over device counts and caps.
    Models(models::Args),
    /// The free search with moves of annealing, of a learner and of nobody, for equal processor time, under caps.
    Movers(movers::Args),
    /// Peaks as planned beside the temporaries of XLA's CPU compiler, for StableHLO programs.
    Xla(xla::Args),
    /// Caps that XLA's own measure keeps, on programs that the exporters write: `ballast fit` beside checkpoints by blocks.
    Fit(fit::Args),
    /// PyTorch models under many caps, and torch's own budget solvers at equal memory: tools/python/bench.
    Torch(python::Args),
    /// Steps of flax models under caps: `ballast.jit` and `ballast.step_policy` beside JAX's own policies around every block.
    Jax(python::Args),
    /// Every command and pass with a time limit: how much longer it takes.
    Deadlines(deadlines::Args),
    /// Rewritten programs of every route, read again by the stock `mlir-opt` with the plugin.
    Reparse(reparse::Args),
}

/// Builds and measures.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Result<()> {
    set_up(workspace)?;
    workspace.build()?;
    match bench {
        Bench::Remat(args) => tables::passed(workspace, "remat", args),
        Bench::Partition(args) => tables::passed(workspace, "partition", args),
        Bench::Rl(args) => tables::rl(workspace, args),
        Bench::Joint(args) => joint::run(workspace, args),
        Bench::Models(args) => models::run(workspace, args),
        Bench::Movers(args) => movers::run(workspace, args),
        Bench::Xla(args) => xla::run(workspace, args),
        Bench::Fit(args) => fit::run(workspace, args),
        Bench::Torch(args) => python::torch(workspace, args),
        Bench::Jax(args) => python::jax(workspace, args),
        Bench::Deadlines(args) => deadlines::run(workspace, args),
        Bench::Reparse(args) => reparse::run(workspace, args),
    }
}

/// A path as the user means it: relative to where they stand, not to the root, where commands run.
fn from_here(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).context("cannot tell the current folder")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Graph files of exported programs, the project's own GPT-2 small and ResNet-50 where none are given. `fusion` is the
/// view of memory; the default of the passes without it.
fn program_graphs(workspace: &Workspace, models: &[PathBuf], fusion: Option<&str>) -> Result<Vec<PathBuf>> {
    let own = ["gpt2_small_b4_s512.mlir", "resnet50_train_b32.mlir"];
    let models = match models.is_empty() {
        true => own.map(|name| workspace.root.join("tests/inputs/models").join(name)).to_vec(),
        false => models.iter().map(|path| from_here(path)).collect::<Result<_>>()?,
    };
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let fusion = fusion.map_or(String::new(), |fusion| format!("fusion={fusion} "));
    let mut graphs = Vec::new();
    for model in &models {
        step(&format!("{}: the graph", file_name(model)));
        let graph = folder.join(file_name(model)).with_extension("json");
        let driver = workspace.program("ballast-opt");
        cmd!(workspace.shell, "{driver} {model} --allow-unregistered-dialect -o /dev/null")
            .arg(format!("--remat=solver=keep-all {fusion}graph-file='{}'", graph.display()))
            .quiet()
            .run()?;
        graphs.push(graph);
    }
    Ok(graphs)
}

/// Graph files of programs as they are placed on so many devices: loops and fusions opened where that helps.
fn placed_graphs(workspace: &Workspace, models: &[PathBuf], devices: u32) -> Result<Vec<PathBuf>> {
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let mut graphs = Vec::new();
    for model in models {
        step(&format!("{}: the graph", file_name(model)));
        let graph = folder.join(file_name(model)).with_extension("json");
        let driver = workspace.program("ballast-opt");
        let pass = format!(
            "--rl-partition=devices={devices} method=dp time-limit=0.01 graph-file='{}'",
            graph.display()
        );
        cmd!(workspace.shell, "{driver} {model} --allow-unregistered-dialect -o /dev/null {pass}")
            .quiet()
            .run()?;
        graphs.push(graph);
    }
    Ok(graphs)
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
