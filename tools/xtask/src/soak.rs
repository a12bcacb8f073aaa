//! `cargo xtask soak`: hostile input and faults, for as long as one likes.
//!
//! The inputs are made by libFuzzer, which keeps those that reach new code. It needs the crates compiled with counters, by options that the
//! pinned compiler has; they are built in a folder of their own, `target/soak`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::say;
use crate::workspace::{Workspace, cargo, step};

/// Where the crates with counters are built, for this kind of machine named, so that build scripts get no counters.
const FOLDER: &str = "target/soak";
const MACHINE: &str = "x86_64-unknown-linux-gnu";

/// Counters of libFuzzer (`clang`'s SanitizerCoverage), and checks that releases go without.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions=on",
    "-Ccodegen-units=16",
];

/// Where each kind of input has its first examples.
const CORPUS: &str = "tools/soak/corpus";

/// What came of one kind of input.
struct Fuzzed {
    executions: u64,
    coverage: u64,
    found: Vec<String>,
}

/// Runs kinds of input, all or one, for so many minutes together, and so many faults.
///
/// # Errors
/// An input or a fault that broke a promise; a build that failed.
pub(crate) fn run(workspace: &Workspace, minutes: f64, target: Option<&str>, faults: u64) -> Result<()> {
    let kinds = kinds(workspace)?;
    let kinds: Vec<&String> = kinds.iter().filter(|kind| target.is_none_or(|only| only == *kind)).collect();
    if let (Some(target), true) = (target, kinds.is_empty()) {
        bail!("'{target}' is no kind of input: see {CORPUS}");
    }
    let mut broken = Vec::new();
    if minutes > 0.0 {
        build(workspace)?;
        say!("{:<10} {:>12} {:>10}  found", "input", "executions", "coverage");
        for kind in &kinds {
            let seconds = (minutes * 60.0 / kinds.len() as f64).max(1.0) as u64;
            let outcome = fuzz(workspace, kind, seconds)?;
            say!("{kind:<10} {:>12} {:>10}  {}", outcome.executions, outcome.coverage, outcome.found.len());
            broken.extend(outcome.found);
        }
    }
    if faults > 0 && target.is_none() {
        workspace.build()?;
        let program = workspace.program("ballast-soak");
        let status = Command::new(&program).arg("faults").arg(faults.to_string()).status();
        if !status.with_context(|| format!("cannot run {}", program.display()))?.success() {
            broken.push("faults: see above".to_owned());
        }
    }
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    Ok(())
}

/// The kinds of input: those that have first examples. The inputs of the runs under faults are none.
fn kinds(workspace: &Workspace) -> Result<Vec<String>> {
    let mut kinds = Vec::new();
    for entry in std::fs::read_dir(workspace.root.join(CORPUS)).context(CORPUS)? {
        kinds.push(entry?.file_name().to_string_lossy().into_owned());
    }
    kinds.retain(|kind| kind != "faults");
    kinds.sort();
    Ok(kinds)
}

fn build(workspace: &Workspace) -> Result<()> {
    step("building with counters (the first time all crates, HiGHS among them)");
    let cargo = cargo();
    let flags: Vec<String> = FLAGS.iter().map(|flag| format!("{flag:?}")).collect();
    let config = format!("target.{MACHINE}.rustflags=[{}]", flags.join(","));
    let features = "ballast-soak/coverage";
    cmd!(workspace.shell, "{cargo} build --release --locked --target-dir {FOLDER} --target {MACHINE}")
        .args(["-p", "ballast-soak", "-p", "ballast-passes", "--features", features, "--config", &config])
        .quiet()
        .run()?;
    Ok(())
}

fn fuzz(workspace: &Workspace, kind: &str, seconds: u64) -> Result<Fuzzed> {
    let folder = workspace.root.join(FOLDER);
    let program = folder.join(MACHINE).join("release/ballast-soak");
    let (kept, place) = (folder.join("work").join(kind), folder.join("found").join(kind));
    workspace.shell.create_dir(&kept)?;
    workspace.shell.create_dir(&place)?;
    let before = names(&place)?;
    let output = Command::new(program)
        .env("BALLAST_SOAK", kind)
        .current_dir(&place)
        .arg(&kept)
        .arg(workspace.root.join(CORPUS).join(kind))
        .args([format!("-max_total_time={seconds}"), format!("-artifact_prefix={}/", place.display())])
        .args(["-max_len=8192", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1"])
        .stdin(Stdio::null())
        .output()
        .context("cannot run the soak program")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let mut found: Vec<String> = names(&place)?.into_iter().filter(|name| !before.contains(name)).collect();
    if !output.status.success() && found.is_empty() {
        found.push(format!("ended with {}", output.status));
    }
    if !found.is_empty() {
        eprintln!(
            "{}",
            text.lines().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
        );
    }
    let found = found.into_iter().map(|name| format!("{kind}: {}", place.join(name).display())).collect();
    Ok(Fuzzed {
        executions: last_number(&text, "stat::number_of_executed_units:"),
        coverage: last_number(&text, "cov:"),
        found,
    })
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// The number behind the last `word`; 0 without one.
fn last_number(text: &str, word: &str) -> u64 {
    let behind = text.rsplit_once(word).map_or("", |(_, behind)| behind);
    behind.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_figures_of_libfuzzer_are_read() {
        let text =
            "#2 INITED cov: 5 ft: 6\n#9 NEW    cov: 12 ft: 40\nstat::number_of_executed_units: 70000\n";
        assert_eq!(super::last_number(text, "cov:"), 12);
        assert_eq!(super::last_number(text, "stat::number_of_executed_units:"), 70_000);
        assert_eq!(super::last_number("", "cov:"), 0);
    }
}
