//! `cargo xtask bench remat`, `partition` and `rl`: tables that `ballast lab bench` makes, with the machine they were made on.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use super::{machine, program_graphs};
use crate::say;
use crate::workspace::{Workspace, step};

/// Arguments handed on as they are.
#[derive(clap::Args)]
pub(crate) struct Passed {
    /// Arguments of `ballast lab bench`; a folder of instances first. See `ballast lab bench remat --help` and
    /// `ballast lab bench partition --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    arguments: Vec<String>,
}

/// Arguments of `cargo xtask bench rl`.
#[derive(clap::Args)]
pub(crate) struct RlArgs {
    /// Exported programs whose op sequences are cut too; the project's own GPT-2 small and ResNet-50 without them.
    #[arg(long, num_args = 1..)]
    models: Vec<PathBuf>,
    /// Arguments of `ballast lab bench rl`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Prints the table of `ballast lab bench TABLE`.
pub(crate) fn passed(workspace: &Workspace, table: &str, args: &Passed) -> Result<()> {
    print(workspace, table, &args.arguments)
}

/// Prints the table of `ballast lab bench rl`, with the op sequences of programs besides the generated chains.
pub(crate) fn rl(workspace: &Workspace, args: &RlArgs) -> Result<()> {
    let graphs = program_graphs(workspace, &args.models, None)?;
    let mut arguments = args.arguments.clone();
    arguments.push("--graphs".to_owned());
    arguments.extend(graphs.iter().map(|path| path.display().to_string()));
    print(workspace, "rl", &arguments)
}

fn print(workspace: &Workspace, table: &str, arguments: &[String]) -> Result<()> {
    step(&format!("ballast lab bench {table}"));
    // Paths are meant from where the user stands.
    let _here = workspace.shell.push_dir(std::env::current_dir().context("cannot tell the current folder")?);
    let program = workspace.program("ballast");
    let written = cmd!(workspace.shell, "{program} lab bench {table} {arguments...}").quiet().read()?;
    say!("{}.\n\n{written}", machine(workspace)?);
    Ok(())
}
