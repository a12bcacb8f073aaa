//! The first examples of every kind of input, and what was once found, break no promise; nor do some faults.

use std::path::Path;
use std::process::{Command, Stdio};

fn soak(words: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_ballast-soak"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(words)
        .stdout(Stdio::null())
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<&str> = said.lines().rev().take(12).collect();
    assert!(output.status.success(), "{words:?}: {}: {end:?}", output.status);
}

#[test]
fn inputs_of_every_kind_break_no_promise() {
    for (kind, _) in ballast_soak::TARGETS {
        let there = |place: &&str| Path::new(env!("CARGO_MANIFEST_DIR")).join(place).join(kind).is_dir();
        let folders = ["corpus", "found"].iter().filter(|place| there(place));
        let folders: Vec<String> = folders.map(|place| format!("{place}/{kind}")).collect();
        assert!(!folders.is_empty(), "no inputs of the kind {kind}");
        let words: Vec<&str> = std::iter::once(kind).chain(folders.iter().map(String::as_str)).collect();
        soak(&words);
    }
}

#[test]
fn every_kind_of_fault_is_met() {
    soak(&["faults", "15", "1"]);
}
