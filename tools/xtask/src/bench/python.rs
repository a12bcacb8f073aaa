//! `cargo xtask bench torch` and `bench jax`: the tables of tools/python/bench, in the environment of the Python tests.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::python;
use crate::workspace::Workspace;

/// Arguments of the benchmark's program.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Passed on: see `cargo xtask bench torch -- --help` and `cargo xtask bench jax -- --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs `torch_bench.py`: `caps`, `solvers` or `offload` first.
pub(super) fn torch(workspace: &Workspace, args: &Args) -> Result<()> {
    run(workspace, &python::with_torch(workspace)?, "torch_bench.py", args)
}

/// Runs `jax_bench.py`.
pub(super) fn jax(workspace: &Workspace, args: &Args) -> Result<()> {
    run(workspace, &python::with_flax(workspace)?, "jax_bench.py", args)
}

fn run(workspace: &Workspace, python: &Path, script: &str, args: &Args) -> Result<()> {
    let source = workspace.root.join("tools/python/src");
    // `--` ends the options of this program, and after the table's name is still one of its arguments.
    let arguments = args.arguments.iter().filter(|argument| *argument != "--");
    cmd!(workspace.shell, "{python} tools/python/bench/{script} {arguments...}")
        .env("BALLAST_BIN", &workspace.release)
        .env("PYTHONPATH", source)
        .quiet()
        .run()
        .with_context(|| format!("the benchmark {script} failed"))
}
