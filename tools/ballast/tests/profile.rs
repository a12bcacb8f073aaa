//! `ballast profile` as a program, beside a shell script that answers for a Python with JAX: which forms of a program it takes.

use std::process::Command;

use serde_json::Value;

/// Two ops as `jax.jit(f).lower(..).as_text()` writes them, and in generic form.
const PRETTY: &str = "func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  %1 = stablehlo.add %0, %x : tensor<8xf32>
  return %1 : tensor<8xf32>
}
";
const GENERIC: &str = r#"func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sine"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.add"(%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
"#;

#[test]
fn ops_of_a_program_in_the_text_jax_writes_are_timed() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("model.mlir", PRETTY);
    write("generic", GENERIC);
    write(
        "python",
        r#"#!/bin/sh
case "$1" in *generic.py) cp generic "$4"; exit ;; esac
echo '{"functions": {"op0": [9.0, 1.0], "op1": [9.0, 2.0]}, "copies": [[1000, 3.0, 2.0], [5000, 11.0, 4.0]]}'
"#,
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("python"), mode).expect("made a program");
    let output = Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(folder.path())
        .args(["profile", "model.mlir", "--backend", "xla", "--python", "./python", "--runs", "1"])
        .args(["--kind", "gpu", "-o", "profile.json"])
        .output()
        .expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.path().join("profile.json")).expect("written");
    let profile: Value = serde_json::from_str(&text).expect("JSON");
    let ops = profile["kinds"]["gpu"]["ops"].as_object().expect("ops");
    let seconds = |name: &str| {
        let op = ops.iter().find(|(key, _)| key.starts_with(name)).map(|(_, op)| &op["seconds"]);
        op.and_then(Value::as_f64)
    };
    assert_eq!((seconds("stablehlo.sine"), seconds("stablehlo.add")), (Some(1.0), Some(2.0)), "{text}");
}
