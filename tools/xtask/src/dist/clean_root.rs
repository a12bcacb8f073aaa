//! `cargo xtask dist --check ROOT`: the archive on a Debian that holds the runtime packages and nothing else, against the programs built here.

use std::path::Path;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use super::archive::folder;
use crate::workspace::{Workspace, step};

/// The release that this machine's sources name, and the archive is built on.
const BUILT_ON: &str = "bookworm";
/// What the archive needs: libMLIR, which brings libLLVM and the C++ runtime.
const RUNTIME: &str = "libmlir-22";
/// Where the machine says which archives Debian's packages come from.
const SOURCES: [&str; 2] = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"];

/// Plans whose bytes are compared: limits of work, so that the clock decides nothing. The first is the demo's, the second asks the learner.
const PLANS: [[&str; 3]; 2] = [
    [
        "tests/inputs/models/resnet50_train_b32.mlir",
        "--rl-partition=devices=4 work-limit=20000 seed=1",
        "--remat=cap=720MiB work-limit=5000 plan-file=plan.json report=plan.html",
    ],
    [
        "tests/inputs/models/gpt2_tiny_b2_s64.mlir",
        "--rl-partition=devices=2 use-all-devices=true method=rl episodes=5 work-limit=2000 seed=1",
        "--remat=cap=80% work-limit=2000 plan-file=plan.json report=plan.html",
    ],
];

/// Makes the root of a Debian release unless it is there, unpacks the archive in its `/opt`, and compares.
///
/// # Errors
/// What cannot be made, a program that does not run there, and bytes that differ.
pub(super) fn check(workspace: &Workspace, archive: &Path, root: &Path, release: &str) -> Result<()> {
    let shell = &workspace.shell;
    if !root.join("usr/bin").exists() {
        step(&format!("clean root: {release} with {RUNTIME} in {}", root.display()));
        cmd!(shell, "debootstrap --variant=minbase {release} {root}")
            .quiet()
            .ignore_stdout()
            .run()
            .context("debootstrap makes the root: apt-get install debootstrap, and run this as root")?;
        // The machine's own sources instead of what debootstrap wrote.
        shell.remove_path(root.join(&SOURCES[0][1..]))?;
        for file in SOURCES.iter().filter(|file| Path::new(file).exists()) {
            let sources = shell.read_file(file)?.replace(BUILT_ON, release);
            shell.write_file(root.join(&file[1..]), sources)?;
        }
    }
    inside(
        workspace,
        root,
        "/",
        &format!(
            "dpkg --status {RUNTIME} >/dev/null 2>&1 || {{ apt-get -qq update && apt-get -qq -o Dpkg::Use-Pty=0 install --yes --no-install-recommends {RUNTIME} >/dev/null; }}"
        ),
    )?;
    let opt = root.join("opt");
    shell.remove_path(opt.join(folder()))?;
    cmd!(shell, "tar --extract --file {archive} --directory {opt}").quiet().run()?;
    let there = format!("/opt/{}", folder());
    inside(workspace, root, &there, "bin/ballast --version && bin/ballast-opt --version")?;
    for [model, partition, memory] in PLANS {
        let arguments = format!("{model} --allow-unregistered-dialect '{partition}' '{memory}' -o out.mlir");
        step(&format!("clean root: {model}"));
        inside(
            workspace,
            root,
            &there,
            &format!("bin/ballast-opt {arguments} && bin/ballast report plan.json >report.txt"),
        )?;
        let here = workspace.release.join("dist-check");
        shell.create_dir(&here)?;
        cmd!(shell, "ln --symbolic --force --no-target-directory {root}{there}/tests {here}/tests")
            .quiet()
            .run()?;
        let (driver, ballast) = (workspace.program("ballast-opt"), workspace.program("ballast"));
        let script = format!("\"$0\" {arguments} && \"$1\" report plan.json >report.txt");
        let at = shell.push_dir(&here);
        cmd!(shell, "sh -c {script} {driver} {ballast}").quiet().run()?;
        drop(at);
        for name in ["plan.json", "plan.html", "out.mlir", "report.txt"] {
            let [own, theirs] = [here.join(name), root.join(&there[1..]).join(name)];
            let (own, theirs) = (std::fs::read(own)?, std::fs::read(theirs)?);
            if own != theirs {
                bail!(
                    "{name} of {model} differs: {} bytes here, {} in the clean root",
                    own.len(),
                    theirs.len()
                );
            }
            crate::say!("{model}: {name} equal, {} bytes", own.len());
        }
    }
    Ok(())
}

/// Runs a shell command in the root, with a `/proc` of its own while it lasts.
fn inside(workspace: &Workspace, root: &Path, folder: &str, command: &str) -> Result<()> {
    let script = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /bin/sh -c \"cd '$1' && $2\"";
    cmd!(workspace.shell, "unshare --mount --propagation private sh -c {script} {root} {folder} {command}")
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .quiet()
        .run()
        .with_context(|| format!("in {}: {command}", root.display()))
}
