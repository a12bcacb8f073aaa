//! `ballast completions`: what a shell needs to complete the command line.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::{Cli, output};

/// Arguments of `ballast completions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell: for bash, `source <(ballast completions bash)`; for zsh, the same once `compinit` ran; for fish,
    /// `ballast completions fish | source`.
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "ballast", &mut script);
    output::write_text(&String::from_utf8_lossy(&script), None)
}
