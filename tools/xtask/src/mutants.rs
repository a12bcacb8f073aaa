//! `cargo xtask mutants`: do the tests notice when the judge, the bounds, the dynamic program, or what verifies and applies plans
//! is changed?

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::cmd;

use crate::say;
use crate::workspace::{LLVM_BIN, Workspace, cargo, step};

/// The packages whose own tests have to notice.
const TESTED_BY_CARGO: [&str; 5] =
    ["ballast-core", "ballast-partition", "ballast-remat", "ballast-dag", "ballast-planner"];
/// The package whose passes lit tests.
const TESTED_BY_LIT: &str = "ballast-passes";
/// The lit files that have to notice: those that name one of these passes.
const PASSES: [&str; 3] = ["--ballast-verify", "--ballast-apply", "--ballast-report"];

/// Changes the files that `.cargo/mutants.toml` names one expression at a time, or one package's alone, and runs its tests: cargo's
/// by cargo-mutants itself, lit's here.
pub(crate) fn run(workspace: &Workspace, package: Option<&str>) -> Result<()> {
    let cargo = cargo();
    if cmd!(workspace.shell, "{cargo} mutants --version").quiet().ignore_stderr().read().is_err() {
        bail!("cargo-mutants is not installed; install it with: cargo install cargo-mutants --locked");
    }
    let known = || TESTED_BY_CARGO.into_iter().chain([TESTED_BY_LIT]);
    if let Some(package) = package.filter(|package| known().all(|name| name != *package)) {
        let names: Vec<&str> = known().collect();
        bail!("'{package}' has no files in .cargo/mutants.toml: choose one of {}", names.join(", "));
    }
    for name in known().filter(|name| package.is_none_or(|package| package == *name)) {
        if name == TESTED_BY_LIT {
            by_lit(workspace)?;
        } else {
            by_cargo(workspace, name)?;
        }
    }
    Ok(())
}

/// For every change a build of the package and its tests, without documentation's. A build is incremental, hardly optimised and without
/// debug information, in a folder of its own: some five seconds for `ballast-core`.
fn by_cargo(workspace: &Workspace, package: &str) -> Result<()> {
    let cargo = cargo();
    let mutants = workspace.release.join("mutants");
    let output = mutants.join(package);
    workspace.shell.create_dir(&output)?;
    cmd!(workspace.shell, "{cargo} mutants --package {package} --output {output} --no-shuffle")
        .args(["--cargo-test-arg=--lib", "--cargo-test-arg=--tests"])
        .env("CARGO_TARGET_DIR", mutants.join("build"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .run()?;
    Ok(())
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    DoesNotBuild,
    Killed,
    Survived,
}

/// For every change a build of the plugin in a clone of the last commit, hardly optimised itself (its solvers are), and the lit files
/// that may notice: some ten seconds.
fn by_lit(workspace: &Workspace) -> Result<()> {
    let (cargo, shell) = (cargo(), &workspace.shell);
    let mutants = workspace.release.join("mutants");
    let (clone, build) = (mutants.join("clone"), mutants.join("lit-build"));
    shell.remove_path(&clone)?;
    shell.create_dir(&mutants)?;
    let root = &workspace.root;
    cmd!(shell, "git clone --quiet {root} {clone}").quiet().run()?;
    step("the unchanged plugin");
    let make = |program: &str| -> Result<bool> {
        let status = Command::new(&cargo)
            .args(["build", "--quiet", "--release", "--package", program])
            .args(["--config", "profile.release.package.ballast-passes.opt-level=0"])
            .args(["--config", "profile.release.package.ballast-passes.debug=false"])
            .env("CARGO_TARGET_DIR", &build)
            .stderr(Stdio::null())
            .current_dir(&clone)
            .status()?;
        Ok(status.success())
    };
    let tests = lit_files(&clone)?;
    let passes = || -> Result<bool> {
        let mut lit = Command::new(format!("{LLVM_BIN}/lit"));
        lit.arg("-q").arg(format!("-Dbuild={}", build.join("release").display())).args(&tests);
        Ok(lit.stdout(Stdio::null()).stderr(Stdio::null()).current_dir(&clone).status()?.success())
    };
    for program in ["ballast-opt", "ballast", TESTED_BY_LIT] {
        if !make(program)? {
            bail!("{program} does not build as it is: see cargo build --release --package {program}");
        }
    }
    if !passes()? {
        bail!("the lit files fail without a change: see cargo xtask test");
    }
    let listed =
        cmd!(shell, "{cargo} mutants --package {TESTED_BY_LIT} --list --json --diff").quiet().read()?;
    let listed: Value = serde_json::from_str(&listed).context("cargo-mutants printed broken JSON")?;
    let mut fates = Vec::new();
    for mutant in listed.as_array().context("cargo-mutants printed no list")? {
        let text = |key: &str| mutant[key].as_str().with_context(|| format!("a mutant without {key}"));
        let change = patch(text("file")?, text("diff")?);
        apply(&clone, &change, &[])?;
        let fate = match make(TESTED_BY_LIT)? {
            false => Fate::DoesNotBuild,
            true if passes()? => Fate::Survived,
            true => Fate::Killed,
        };
        apply(&clone, &change, &["--reverse"])?;
        say!("{fate:?} {}", text("name")?);
        fates.push(fate);
    }
    let count = |fate| fates.iter().filter(|&&known| known == fate).count();
    say!(
        "{} tried, {} do not build, {} killed, {} survived",
        fates.len(),
        count(Fate::DoesNotBuild),
        count(Fate::Killed),
        count(Fate::Survived)
    );
    Ok(())
}

/// The lit files that run one of the passes.
fn lit_files(clone: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(clone.join("lit"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "mlir") {
            let text = std::fs::read_to_string(&path)?;
            if PASSES.iter().any(|pass| text.contains(pass)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The change as git reads it: cargo-mutants names the replacement where the new file's name belongs.
fn patch(file: &str, diff: &str) -> String {
    let body: String = diff.split_inclusive('\n').skip(2).collect();
    format!("--- a/{file}\n+++ b/{file}\n{body}")
}

fn apply(clone: &Path, change: &str, flags: &[&str]) -> Result<()> {
    let mut git =
        Command::new("git").arg("apply").args(flags).stdin(Stdio::piped()).current_dir(clone).spawn()?;
    git.stdin.take().context("git takes no input")?.write_all(change.as_bytes())?;
    if !git.wait()?.success() {
        bail!("a change does not apply to the last commit: commit first");
    }
    Ok(())
}
