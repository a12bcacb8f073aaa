//! `cargo xtask bench torch`: the tables of tools/python/bench, in the environment of the Python tests.

use anyhow::{Context, Result};
use xshell::cmd;

use crate::python;
use crate::workspace::Workspace;

/// Arguments of `cargo xtask bench torch`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// `caps` or `solvers` first; see `cargo xtask bench torch -- --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    arguments: Vec<String>,
}

/// Runs `torch_bench.py` with the arguments given.
pub(super) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let python = python::with_torch(workspace)?;
    let source = workspace.root.join("tools/python/src");
    let arguments = &args.arguments;
    cmd!(workspace.shell, "{python} tools/python/bench/torch_bench.py {arguments...}")
        .env("BALLAST_BIN", &workspace.release)
        .env("PYTHONPATH", source)
        .quiet()
        .run()
        .context("the benchmark of PyTorch models failed")
}
