//! The programs a run needs: where they are, and how they fail.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// Where Debian's packages put LLVM's programs.
const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";

/// A file that is built beside this program.
pub(crate) fn beside(name: &str) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Internal(format!("where this program lies is unknown: {error}")))?;
    // Test programs lie one folder deeper.
    let folders = [program.parent(), program.parent().and_then(Path::parent)];
    let found = folders.into_iter().flatten().map(|folder| folder.join(name)).find(|path| path.exists());
    found.ok_or_else(|| {
        Failure::BadInput(format!("{name} is not beside {}: run `cargo xtask build`", program.display()))
    })
}

/// A program of LLVM.
pub(crate) fn llvm(name: &str) -> PathBuf {
    let packaged = Path::new(LLVM_BIN).join(name);
    if packaged.exists() { packaged } else { PathBuf::from(format!("{name}-22")) }
}

/// Runs a command to its end; its standard output.
pub(crate) fn capture(command: &mut Command, what: &str) -> Result<Vec<u8>, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| Failure::BadInput(format!("{what}: cannot run {program}: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    Err(Failure::BadInput(format!("{what}: {program} failed, {}\n{}", output.status, messages.trim_end())))
}
