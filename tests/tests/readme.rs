//! The commands of the README and of the tutorial do what these say.

use std::process::Command;

use ballast_tests::{built, root, run, scratch};

/// The lines of a page's shell blocks that start with a program, continuation lines joined, comments dropped.
fn commands(page: &str, program: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join(page)).unwrap();
    let mut found = Vec::new();
    for block in
        page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block)
    {
        let joined = block.replace("\\\n", " ");
        found.extend(joined.lines().filter(|line| line.starts_with(program)).map(str::to_owned));
    }
    found
}

/// Runs a command of a page in a folder of its own, with the built programs first in the path.
fn run_in_scratch(folder: &std::path::Path, command: &str) -> ballast_tests::Run {
    let release = built("ballast-opt").parent().unwrap().to_path_buf();
    let path = format!("{}:{}", release.display(), std::env::var("PATH").unwrap_or_default());
    // In the checkout the programs are in target/release; here the folder may be another.
    let command = command
        // Half a minute of search shows nothing that seconds do not.
        .replace("time-limit=20", "time-limit=2")
        .replace("time-limit=5", "time-limit=1")
        .replace("target/release", release.to_str().unwrap())
        .replace("tests/inputs", root().join("tests/inputs").to_str().unwrap());
    run(Command::new("bash").args(["-euc", &command]).current_dir(folder).env("PATH", path))
}

#[test]
fn planning_verifying_and_reporting_by_hand_works() {
    let folder = scratch();
    let commands = [commands("README.md", "ballast-opt "), commands("README.md", "ballast ")].concat();
    assert_eq!(commands.len(), 3, "{commands:#?}");
    for command in &commands {
        let _ = run_in_scratch(folder.path(), command).succeeded();
    }
    assert!(folder.path().join("plan.json").is_file() && folder.path().join("out.mlir").is_file());
}

#[test]
fn the_plugin_works_in_stock_mlir_opt() {
    let folder = scratch();
    let commands = commands("README.md", "mlir-opt-22 ");
    assert_eq!(commands.len(), 1, "{commands:#?}");
    let planned = run_in_scratch(folder.path(), &commands[0]).succeeded();
    for planned_there in ["ballast.plan", "ballast.recompute"] {
        assert!(planned.stdout.contains(planned_there), "no {planned_there}: nothing was planned");
    }
    assert!(!planned.stderr.contains("warning"), "{}", planned.stderr);
    assert!(!planned.stdout.contains("cap_met = false"), "the cap was raised");
}

#[test]
fn the_tutorial_runs_from_top_to_bottom() {
    let folder = scratch();
    let commands = commands("docs/tutorial.md", "ballast");
    assert_eq!(commands.len(), 9, "{commands:#?}");
    let said: Vec<String> =
        commands.iter().map(|command| run_in_scratch(folder.path(), command).succeeded().stdout).collect();
    for file in ["planned.mlir", "plan.json", "plan.html", "graph.json", "curve.json"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    assert_eq!(said[1], "", "the verifier has nothing to say");
    for (command, part) in
        [(2, "264 planned ops on 2 devices"), (4, "at the peak"), (5, "stablehlo.tanh"), (8, "auto")]
    {
        assert!(said[command].contains(part), "{}: {}", commands[command], said[command]);
    }
}
