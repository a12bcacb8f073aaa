//! Debian packages: which are needed, which are missing, and installing those.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::step;

/// What building and testing needs, all from Debian 12's own archive and its security updates.
const NEEDED: &[&str] = &[
    // The linker, and the C++ compiler of HiGHS and of the libtorch glue.
    "build-essential",
    "ccache",
    "cmake",
    "ninja-build",
    // MLIR 22: headers, libraries, mlir-opt, mlir-tblgen, FileCheck, lit. Ballast's own C++ is compiled by clang,
    // as libMLIR was, because trait ids are spelled from names that the compiler makes.
    "clang-22",
    "libclang-22-dev",
    "libmlir-22-dev",
    "libpolly-22-dev",
    "llvm-22-dev",
    "llvm-22-tools",
    "mlir-22-tools",
    "libxml2-dev",
    "libz3-dev",
    "libzstd-dev",
    "zlib1g-dev",
    // Runs programs of several devices, one process each; nothing links it.
    "libopenmpi-dev",
    "openmpi-bin",
    // lit is a Python program; pip and unzip fetch and unpack libtorch, and JAX gets an environment of its own.
    "python3",
    "python3-pip",
    "python3-venv",
    "unzip",
];

/// Installs the missing ones of the needed packages, with `sudo` when not root.
pub(crate) fn install_missing(shell: &Shell) -> Result<()> {
    if cmd!(shell, "dpkg-query --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        bail!(
            "this is not a Debian system: install LLVM and MLIR 22 under /usr/lib/llvm-22 and what the packages {} hold",
            NEEDED.join(" ")
        );
    }
    let missing = missing(shell)?;
    if missing.is_empty() {
        step("packages: all installed");
        return Ok(());
    }
    step(&format!("packages: installing {}", missing.join(" ")));
    let root = is_root(shell)?;
    if !root && cmd!(shell, "sudo -n true").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        bail!(
            "installing packages takes root rights, and sudo would ask for a password here; run this, then repeat:\n  \
             apt-get update && apt-get install --yes --no-install-recommends {}",
            missing.join(" ")
        );
    }
    // A fresh image has no package lists; stale lists name files the archive no longer holds.
    let known = missing.iter().all(|package| has_candidate(shell, package));
    if known && apt_get(shell, root, &install_arguments(&missing)).is_ok() {
        return Ok(());
    }
    step("packages: updating the package lists first");
    apt_get(shell, root, &["update"])?;
    if let Some(unknown) = missing.iter().find(|package| !has_candidate(shell, package)) {
        bail!(
            "no package source of this machine has {unknown}; on Debian 12 add bookworm and bookworm-security \
             (main) to /etc/apt/sources.list"
        );
    }
    apt_get(shell, root, &install_arguments(&missing))
}

fn missing(shell: &Shell) -> Result<Vec<&'static str>> {
    let format = "--showformat=${db:Status-Abbrev} ${Package}\\n";
    // The exit code is 1 when a package is unknown, which is one of the answers.
    let listing = cmd!(shell, "dpkg-query --show {format} {NEEDED...}")
        .quiet()
        .ignore_status()
        .ignore_stderr()
        .read()?;
    Ok(missing_in(&listing))
}

/// The needed packages that dpkg's `STATUS PACKAGE` lines do not call installed.
fn missing_in(listing: &str) -> Vec<&'static str> {
    let installed: BTreeSet<&str> =
        listing.lines().filter_map(|line| line.strip_prefix("ii ")).map(str::trim).collect();
    NEEDED.iter().copied().filter(|package| !installed.contains(package)).collect()
}

fn has_candidate(shell: &Shell, package: &str) -> bool {
    cmd!(shell, "apt-cache policy {package}")
        .quiet()
        .ignore_stderr()
        .read()
        .is_ok_and(|policy| policy.contains("Candidate:") && !policy.contains("Candidate: (none)"))
}

fn is_root(shell: &Shell) -> Result<bool> {
    Ok(cmd!(shell, "id -u").quiet().read()? == "0")
}

fn install_arguments<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend_from_slice(packages);
    arguments
}

fn apt_get(shell: &Shell, root: bool, arguments: &[&str]) -> Result<()> {
    // sudo drops the environment, so the variable is set behind it.
    let prefix: &[&str] = if root { &["env"] } else { &["sudo", "-n", "env"] };
    let (program, rest) = (prefix[0], &prefix[1..]);
    cmd!(
        shell,
        "{program} {rest...} DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 {arguments...}"
    )
    .quiet()
    .run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{NEEDED, missing_in};

    #[test]
    fn only_fully_installed_packages_count() {
        let mut listing: String = NEEDED.iter().map(|package| format!("ii  {package}\n")).collect();
        assert_eq!(missing_in(&listing), Vec::<&str>::new());
        // Removed with configuration left, and half installed.
        listing = listing.replace("ii  cmake", "rc  cmake").replace("ii  unzip", "iF  unzip");
        assert_eq!(missing_in(&listing), ["cmake", "unzip"]);
        assert_eq!(missing_in(""), NEEDED);
    }
}
