//! Runs the built programs as a user does, for the end-to-end tests of this crate.
//!
//! The tests know file formats and command lines, nothing of how plans are made: whatever they check, they
//! derive themselves from the files.

pub mod deep_mlp;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// What a program did.
#[derive(Debug)]
pub struct Run {
    /// Exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// The one JSON object on standard output.
    ///
    /// # Panics
    /// When standard output holds anything else.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON object, {error}: {self:#?}"))
    }

    /// This run, if it succeeded.
    ///
    /// # Panics
    /// When the exit code is not 0.
    #[must_use]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }
}

/// Path of a program or library of the build this test belongs to.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn built(name: &str) -> PathBuf {
    // Tests are in TARGET/PROFILE/deps.
    let test = std::env::current_exe().expect("a test has a path");
    let path = test.ancestors().nth(2).expect("a test is in a target folder").join(name);
    assert!(path.is_file(), "{} is missing: cargo build --release --workspace", path.display());
    path
}

/// The checkout.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the checkout")
}

/// All exported programs, sorted by name.
///
/// # Panics
/// When the folder cannot be read or is empty.
#[must_use]
pub fn models() -> Vec<PathBuf> {
    let folder = root().join("tests/inputs/models");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut models: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension() == Some(OsStr::new("mlir")))
        .collect();
    models.sort();
    assert!(!models.is_empty(), "no model in {}", folder.display());
    models
}

/// One exported program.
#[must_use]
pub fn model(name: &str) -> PathBuf {
    root().join("tests/inputs/models").join(name)
}

/// Runs a program to its end.
///
/// # Panics
/// When it cannot be started.
#[must_use]
pub fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    Run {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// `ballast` with arguments.
#[must_use]
pub fn ballast<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    run(Command::new(built("ballast")).args(arguments))
}

/// `ballast-opt` on a program of any dialects.
#[must_use]
pub fn ballast_opt<S: AsRef<OsStr>>(input: &Path, arguments: impl IntoIterator<Item = S>) -> Run {
    run(Command::new(built("ballast-opt")).arg(input).arg("--allow-unregistered-dialect").args(arguments))
}

/// An empty folder that goes away with the test.
///
/// # Panics
/// When it cannot be made.
#[must_use]
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
