//! `ballast genetic --processes`: placements measured on processes under Open MPI.

use std::process::Command;

use ballast_tests::{built, run, scratch};

/// Four dense layers, one ten times the others.
const MODEL: &str = r#"name = "small"
[[layer]]
name = "a"
kind = "convolution"
channels_in = 1
height = 16
width = 16
channels_out = 4
kernel = 3
stride = 2
[[layer]]
name = "b"
kind = "dense"
rows = 16
inputs = 16
outputs = 64
[[layer]]
name = "c"
kind = "dense"
rows = 16
inputs = 64
outputs = 64
[[layer]]
name = "d"
kind = "dense"
rows = 16
inputs = 64
outputs = 8
"#;

#[test]
fn the_measured_search_ends_no_slower_than_the_static_one() {
    let folder = scratch();
    let model = folder.path().join("small.toml");
    std::fs::write(&model, MODEL).unwrap();
    let mut command = Command::new(built("ballast"));
    command.arg("genetic").arg(&model).args(["--devices", "2", "--dynamic", "--processes", "--batch", "5"]);
    let answer = run(command.args(["--repeats", "2", "--runs", "8", "--population", "6"])).succeeded().json();
    let measured = &answer["measured"];
    let seconds = |key: &str| measured[key].as_f64().unwrap_or_else(|| panic!("no {key} in {answer}"));
    assert!(seconds("seconds") > 0.0 && seconds("seconds") <= seconds("static_seconds"), "{answer}");
    assert_eq!(measured["runs"], 5, "{answer}");
    assert!(answer["report"]["work"].as_u64().unwrap() <= 8, "{answer}");
    assert_eq!(answer["report"]["proved"], false, "{answer}");
    let used: std::collections::BTreeSet<&str> =
        answer["layers"].as_array().unwrap().iter().map(|layer| layer["device"].as_str().unwrap()).collect();
    assert_eq!(used.len(), 2, "{answer}");
}
