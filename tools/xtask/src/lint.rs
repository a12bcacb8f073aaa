//! `cargo xtask lint`: every static check, run to its end.

use anyhow::{Result, bail};
use xshell::cmd;

use crate::python;
use crate::setup::set_up;
use crate::tidy;
use crate::workspace::{Workspace, cargo, step};

/// What a check is called in messages, and how it runs.
type Check = (&'static str, fn(&Workspace) -> Result<()>);

/// Runs all checks, the cheap ones first, and fails if any of them does.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    set_up(workspace)?;
    let mut failed: Vec<&str> = Vec::new();
    let checks: [Check; 6] = [
        ("format", format),
        ("clippy", clippy),
        ("rustdoc", rustdoc),
        ("licences and sources", deny),
        ("python", python),
        ("tidy", tidy::run),
    ];
    for (name, check) in checks {
        step(&format!("lint: {name}"));
        if let Err(error) = check(workspace) {
            eprintln!("xtask: lint: {name}: {error:#}");
            failed.push(name);
        }
    }
    if !failed.is_empty() {
        bail!("lint failed: {}", failed.join(", "));
    }
    step("lint: all checks passed");
    Ok(())
}

fn format(workspace: &Workspace) -> Result<()> {
    let cargo = cargo();
    Ok(cmd!(workspace.shell, "{cargo} fmt --all --check").quiet().run()?)
}

/// With the profile of the build, so that build scripts (HiGHS, libtorch glue, the dialect's C++) run once.
fn clippy(workspace: &Workspace) -> Result<()> {
    let cargo = cargo();
    Ok(cmd!(workspace.shell, "{cargo} clippy --release --workspace --all-targets --locked -- -D warnings")
        .quiet()
        .run()?)
}

fn rustdoc(workspace: &Workspace) -> Result<()> {
    let cargo = cargo();
    Ok(cmd!(
        workspace.shell,
        "{cargo} doc --release --workspace --no-deps --document-private-items --locked --quiet"
    )
    .env("RUSTDOCFLAGS", "-D warnings")
    .quiet()
    .run()?)
}

/// What `tools/python/pyproject.toml` asks of Python, where `test-python` has put its checker.
fn python(workspace: &Workspace) -> Result<()> {
    let Some(ruff) = python::ruff(workspace) else {
        step("NOT CHECKED: ruff is missing; `cargo xtask test-python` installs it");
        return Ok(());
    };
    let folders = ["tools/python", "tools/xla", "tools/planners", "tools/ray_jobs"];
    Ok(cmd!(
        workspace.shell,
        "{ruff} -m ruff check --quiet --no-cache --config tools/python/pyproject.toml {folders...}"
    )
    .quiet()
    .run()?)
}

/// Allowed licences, banned crates and sources of `deny.toml`, where cargo-deny is installed: building it takes longer than
/// building Ballast, so its absence is said and not mended.
fn deny(workspace: &Workspace) -> Result<()> {
    let (cargo, shell) = (cargo(), &workspace.shell);
    if cmd!(shell, "{cargo} deny --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        step("NOT CHECKED: cargo-deny is missing; `cargo install --locked cargo-deny` installs it");
        return Ok(());
    }
    // Advisories change under an unchanged tree: `cargo deny check` by hand.
    Ok(cmd!(shell, "{cargo} deny --log-level error --locked check licenses bans sources").quiet().run()?)
}
