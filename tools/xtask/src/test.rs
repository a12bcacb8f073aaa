//! `cargo xtask test`: every suite, run to its end, and one line with the sum.

use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::say;
use crate::setup::set_up;
use crate::workspace::{LLVM_BIN, Workspace, cargo, step};
use crate::{docs, jax};

/// Counts of one suite or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: usize,
    failed: usize,
    /// Ignored by cargo, unsupported in lit: neither passed nor failed.
    skipped: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Sets up, builds, runs all suites; an error if a test fails or a suite cannot run.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    set_up(workspace)?;
    workspace.build()?;
    if let Err(reason) = jax::install_if_missing(workspace) {
        step(&format!("jax: not there ({reason:#}); lit lists the tests that need XLA as unsupported"));
    }
    let suites = [
        ("cargo", cargo_tests(workspace)?),
        ("lit", lit_tests(workspace)?),
        ("generated pages", generated_pages(workspace)?),
    ];
    let mut sum = Tally::default();
    say!("");
    for (name, tally) in suites {
        say!("{name:<16} {:>5} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
        sum += tally;
    }
    say!("{} passed, {} failed", sum.passed, sum.failed);
    if sum.failed > 0 {
        bail!("{} tests failed", sum.failed);
    }
    Ok(())
}

fn cargo_tests(workspace: &Workspace) -> Result<Tally> {
    step("cargo tests");
    let mut command = Command::new(cargo());
    command
        .args(["test", "--release", "--workspace", "--locked", "--no-fail-fast"])
        .current_dir(&workspace.root);
    let mut tally = Tally::default();
    let mut binaries = 0;
    let success = each_line(&mut command, |line| {
        if let Some(result) = cargo_summary(line) {
            tally += result;
            binaries += 1;
        }
    })?;
    if binaries == 0 {
        bail!("cargo ran no test: see its messages above");
    }
    // A test program that crashed prints no summary.
    if !success && tally.failed == 0 {
        bail!("cargo test failed outside of the tests it counts: see its messages above");
    }
    Ok(tally)
}

fn lit_tests(workspace: &Workspace) -> Result<Tally> {
    step("lit tests");
    let mut build = std::ffi::OsString::from("-Dbuild=");
    build.push(&workspace.release);
    let mut command = Command::new(format!("{LLVM_BIN}/lit"));
    command.args(["-sv", "--show-unsupported"]).arg(build).arg("lit").current_dir(&workspace.root);
    let mut tally = Tally::default();
    let success = each_line(&mut command, |line| tally += lit_summary(line).unwrap_or_default())?;
    if tally == Tally::default() {
        bail!("lit found no test");
    }
    if !success && tally.failed == 0 {
        bail!("lit failed outside of the tests it counts: see its messages above");
    }
    Ok(tally)
}

fn generated_pages(workspace: &Workspace) -> Result<Tally> {
    step("generated pages");
    let total = docs::pages(workspace)?.len();
    let failed = docs::stale(workspace)?.len();
    Ok(Tally { passed: total - failed, failed, skipped: 0 })
}

/// Runs a command, shows its standard output as it comes and hands each line on. Returns whether it succeeded.
fn each_line(command: &mut Command, mut take: impl FnMut(&str)) -> Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run {command:?}"))?;
    let output = child.stdout.take().context("the output was not piped")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        say!("{line}");
        take(&line);
    }
    Ok(child.wait()?.success())
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
fn cargo_summary(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let mut tally = Tally::default();
    for part in counts.split("; ") {
        let Some((count, kind)) = part.split_once(' ') else { continue };
        match kind {
            "passed" => tally.passed = count.parse().ok()?,
            "failed" => tally.failed = count.parse().ok()?,
            "ignored" => tally.skipped = count.parse().ok()?,
            _ => {}
        }
    }
    Some(tally)
}

/// Reads one line of lit's closing list, such as `  Passed     : 3 (75.00%)`.
fn lit_summary(line: &str) -> Option<Tally> {
    let (kind, count) = line.trim().split_once(':')?;
    let count = count.split_whitespace().next()?.parse().ok()?;
    match kind.trim() {
        "Passed" | "Passed With Retry" | "Expectedly Failed" => {
            Some(Tally { passed: count, ..Tally::default() })
        }
        "Failed" | "Unexpectedly Passed" | "Unresolved" | "Timed Out" => {
            Some(Tally { failed: count, ..Tally::default() })
        }
        "Unsupported" | "Skipped" | "Excluded" => Some(Tally { skipped: count, ..Tally::default() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Tally, cargo_summary, lit_summary};

    #[test]
    fn reads_the_summaries_of_cargo() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.1s";
        assert_eq!(cargo_summary(line), Some(Tally { passed: 12, failed: 3, skipped: 1 }));
        assert_eq!(cargo_summary("test plan::reads ... ok"), None);
    }

    #[test]
    fn reads_the_closing_list_of_lit() {
        assert_eq!(lit_summary("  Passed           : 41 (97.62%)").map(|tally| tally.passed), Some(41));
        assert_eq!(lit_summary("  Timed Out : 1 (2.38%)").map(|tally| tally.failed), Some(1));
        assert_eq!(lit_summary("  Unsupported: 2").map(|tally| tally.skipped), Some(2));
        assert_eq!(lit_summary("Total Discovered Tests: 42"), None);
        assert_eq!(lit_summary("PASS: ballast :: remat.mlir (1 of 42)"), None);
    }
}
