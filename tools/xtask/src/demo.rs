//! `cargo xtask demo`: one real training step, planned for four devices, in one command.

use anyhow::Result;
use xshell::cmd;

use crate::setup::set_up_programs;
use crate::workspace::{Workspace, step};

const MODEL: &str = "tests/inputs/models/resnet50_train_b32.mlir";

/// Sets up, builds, plans ResNet-50 under a cap that forces recomputation or swaps, and prints the plan.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    set_up_programs(workspace)?;
    workspace.build_programs()?;
    let folder = workspace.release.join("demo");
    workspace.shell.create_dir(&folder)?;
    let (plan, output) = (folder.join("plan.json"), folder.join("out.mlir"));
    // Quotes inside the option, for a target folder with spaces.
    let remat = format!("--remat=cap=560MiB time-limit=20 plan-file='{}'", plan.display());
    let (driver, ballast) = (workspace.program("ballast-opt"), workspace.program("ballast"));
    step("planning one training step of ResNet-50 (batch 32, 224x224) for 4 devices under 560 MiB each");
    cmd!(workspace.shell, "{driver} {MODEL} --allow-unregistered-dialect")
        .arg("--rl-partition=devices=4 time-limit=20 seed=1")
        .arg(remat)
        .arg("-o")
        .arg(&output)
        .quiet()
        .run()?;
    cmd!(workspace.shell, "{driver} {output} --allow-unregistered-dialect --ballast-verify -o /dev/null")
        .quiet()
        .run()?;
    cmd!(workspace.shell, "{ballast} report {plan}").quiet().run()?;
    step(&format!("annotated program: {}", output.display()));
    step(&format!("plan: {}", plan.display()));
    Ok(())
}
