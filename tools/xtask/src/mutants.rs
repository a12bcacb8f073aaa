//! `cargo xtask mutants`: do the tests notice when the judge, the bounds or the dynamic program are changed?

use anyhow::{Result, bail};
use xshell::cmd;

use crate::workspace::{Workspace, cargo};

/// The packages whose own tests have to notice.
const PACKAGES: [&str; 2] = ["ballast-core", "ballast-partition"];

/// Runs cargo-mutants over the files that `.cargo/mutants.toml` names, or over one package's alone: for every change a build of the package
/// and its tests, without documentation's. A build is incremental, hardly optimised and without debug information, in a folder of its own:
/// some five seconds for `ballast-core`.
pub(crate) fn run(workspace: &Workspace, package: Option<&str>) -> Result<()> {
    let cargo = cargo();
    if cmd!(workspace.shell, "{cargo} mutants --version").quiet().ignore_stderr().read().is_err() {
        bail!("cargo-mutants is not installed; install it with: cargo install cargo-mutants --locked");
    }
    if let Some(package) = package.filter(|package| !PACKAGES.contains(package)) {
        bail!("'{package}' has no files in .cargo/mutants.toml: choose one of {}", PACKAGES.join(", "));
    }
    let output = workspace.release.join("mutants");
    let build = output.join("build");
    for name in PACKAGES.into_iter().filter(|name| package.is_none_or(|package| package == *name)) {
        let output = output.join(name);
        workspace.shell.create_dir(&output)?;
        cmd!(workspace.shell, "{cargo} mutants --package {name} --output {output} --no-shuffle")
            .args(["--cargo-test-arg=--lib", "--cargo-test-arg=--tests"])
            .env("CARGO_TARGET_DIR", &build)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .run()?;
    }
    Ok(())
}
