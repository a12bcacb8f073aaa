//! The list of commands: planning first, research under `ballast lab`, old names for one version more.

use std::process::{Command, Output};

fn ballast(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ballast")).args(args).output().expect("runs")
}

#[test]
fn help_lists_planning_first_and_research_apart() {
    let help = String::from_utf8(ballast(&["--help"]).stdout).expect("text");
    let listed: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed[..6], ["report", "fit", "run", "compare", "replan", "partition"], "{help}");
    for research in ["bench", "decoder", "genetic", "place", "swaps", "train"] {
        assert!(!listed.contains(&research), "{help}");
        assert!(ballast(&["lab", research, "--help"]).status.success(), "{research}");
    }
}

#[test]
fn an_old_name_does_the_same_and_says_the_new_one() {
    let rest = ["swaps", "no.json", "--devices", "cpu"];
    let (old, new) = (ballast(&rest), ballast(&[&["lab"][..], &rest].concat()));
    assert_eq!((old.status.code(), old.stdout), (new.status.code(), new.stdout));
    let said = String::from_utf8(old.stderr).expect("text");
    let (note, rest) = said.split_once('\n').expect("a line of its own");
    assert!(note.contains("`ballast lab swaps`"), "{said}");
    assert_eq!(rest.as_bytes(), new.stderr, "{said}");
}

#[test]
fn the_version_names_what_plans_are_made_with() {
    let said = String::from_utf8(ballast(&["--version"]).stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], concat!("ballast ", env!("CARGO_PKG_VERSION")));
    for (line, name) in lines[1..].iter().zip(["HiGHS 1.", "libtorch", "MLIR: "]) {
        assert!(line.starts_with(name), "{said}");
    }
    assert!(lines[3].contains("LLVM version 22."), "{said}");
    // Without the other programs and libraries beside it, it says so.
    let folder = tempfile::tempdir().expect("a folder");
    let alone = folder.path().join("ballast");
    std::fs::copy(env!("CARGO_BIN_EXE_ballast"), &alone).expect("copied");
    let output = Command::new(alone).arg("--version").env_remove("LD_LIBRARY_PATH").output().expect("runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{said}");
    for part in
        ["libtorch: none; the learner library cannot be opened", "MLIR: none; ballast-opt is not beside"]
    {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn completions_name_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(ballast(&["completions", shell]).stdout).expect("text");
        for word in ["partition", "compare", "exec-method", "relax-limit"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("ballast.bash");
    std::fs::write(&script, ballast(&["completions", "bash"]).stdout).expect("written");
    let ask = "source \"$0\"; COMP_WORDS=(ballast cur); COMP_CWORD=1; _ballast ballast cur ballast; echo ${COMPREPLY[@]}";
    let output = Command::new("bash").args(["-c", ask]).arg(script).output().expect("bash");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "curve", "{output:?}");
    assert_eq!(ballast(&["completions", "sh"]).status.code(), Some(2));
}
