//! `cargo xtask referee`: claims of all solvers, held against each other for as long as one likes.

use anyhow::Result;
use xshell::cmd;

use crate::workspace::{Workspace, cargo};

/// Builds the referee and runs it.
pub(crate) fn run(workspace: &Workspace, programs: u64, seed: u64, domain: Option<&str>) -> Result<()> {
    let cargo = cargo();
    let (programs, seed) = (programs.to_string(), seed.to_string());
    let domain = domain.map_or_else(Vec::new, |domain| vec!["--domain", domain]);
    cmd!(workspace.shell, "{cargo} run --quiet --release -p ballast-referee --")
        .args(["--programs", &programs, "--seed", &seed])
        .args(domain)
        .quiet()
        .run()?;
    Ok(())
}
