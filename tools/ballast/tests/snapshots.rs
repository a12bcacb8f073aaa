//! Texts that people and other programs read, as they were reviewed: the mixed-integer program, the plan file.
//!
//! `INSTA_UPDATE=always cargo test --release -p ballast --test snapshots` writes them anew; `git diff` shows what changed.

use std::process::Command;

/// Training of a chain: forward a, b, c and a loss; the gradient of c reads b, that of b reads a. With 24 bytes a is dropped after b
/// and made again for the last gradient.
const TRAINING: &str = r#"{"name": "chain", "nodes": [
    {"id": 0, "name": "a", "time": 2, "size": 8}, {"id": 1, "name": "b", "time": 3, "size": 8},
    {"id": 2, "name": "c", "time": 4, "size": 8}, {"id": 3, "name": "loss", "time": 1, "size": 4},
    {"id": 4, "name": "grad c", "time": 6, "size": 8, "is_backward": true},
    {"id": 5, "name": "grad b", "time": 4, "size": 8, "is_backward": true}],
    "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [1, 4], [4, 5], [0, 5]]}"#;

#[test]
fn a_plan_and_its_program_are_as_reviewed() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("training.json"), TRAINING).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(folder.path())
        .args(["remat", "training.json", "--budget", "24", "--work-limit", "1000", "--threads", "1"])
        .args(["--solver", "milp", "--order", "program", "--model-file", "model.lp", "-o", "plan.json"])
        .output()
        .expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&answer["value"], &answer["recomputes"]), (&22.0.into(), &1.into()), "{answer}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    insta::assert_snapshot!("plan", read("plan.json"));
    insta::assert_snapshot!("model", read("model.lp"));
}
