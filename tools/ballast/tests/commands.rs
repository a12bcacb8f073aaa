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
