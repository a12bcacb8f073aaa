//! The program under test, run in a folder.

use std::path::Path;
use std::process::{Command, Output};

/// The program with these words, not yet started.
pub(crate) fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ballast"));
    command.current_dir(folder).args(args);
    command
}

/// What it answers.
pub(crate) fn ballast(folder: &Path, args: &[&str]) -> Output {
    program(folder, args).output().expect("runs")
}
