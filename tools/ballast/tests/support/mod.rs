//! What the tests of the placement commands share: the shipped example, and answers as JSON.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

/// Folder of the examples that ship with the placement crate.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../solver/partition/examples")
}

/// The ten-layer model on eight chips of two boards, each placement run on the virtual platform.
pub(crate) const DYNAMIC: [&str; 8] = [
    "lab",
    "genetic",
    "ten-layers.toml",
    "--devices",
    "eight-chips.toml",
    "--dynamic",
    "--topology",
    "two-boards.toml",
];

/// The answer of a command that must have succeeded.
pub(crate) fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object on stdout")
}
