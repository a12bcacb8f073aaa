//! A library that cannot be loaded: the driver says which, and why.

use std::process::Command;

#[test]
fn what_the_loader_says_reaches_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("ballast-opt");
    std::fs::copy(env!("CARGO_BIN_EXE_ballast-opt"), &program).expect("copied");
    let said = || {
        let output = Command::new(&program).arg("--version").output().expect("runs");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(said().contains("libballast.so is neither in"));
    std::fs::write(folder.path().join("libballast.so"), "no library").expect("written");
    assert!(said().contains("file too short"), "{}", said());
}
