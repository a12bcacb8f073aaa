//! `cargo xtask bench joint`: exported training steps as pipelines, the loop of partition and memory plan against one
//! after the other.

use std::path::PathBuf;

use anyhow::Result;
use xshell::cmd;

use super::{file_name, from_here, machine};
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench joint`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Exported training steps; the project's own GPT-2 small and ResNet-50 without them.
    models: Vec<PathBuf>,
    /// Search steps per memory plan.
    #[arg(long, default_value = "20000")]
    work_limit: u64,
}

/// Prints a page with one table.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let own = ["gpt2_small_b4_s512.mlir", "resnet50_train_b32.mlir"];
    let models = match args.models.is_empty() {
        true => own.map(|name| workspace.root.join("tests/inputs/models").join(name)).to_vec(),
        false => args.models.iter().map(|path| from_here(path)).collect::<Result<_>>()?,
    };
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let mut graphs = Vec::new();
    for model in &models {
        step(&format!("{}: the graph", file_name(model)));
        let graph = folder.join(file_name(model)).with_extension("json");
        let driver = workspace.program("ballast-opt");
        cmd!(workspace.shell, "{driver} {model} --allow-unregistered-dialect -o /dev/null")
            .arg(format!("--remat=solver=keep-all fusion=none graph-file='{}'", graph.display()))
            .quiet()
            .run()?;
        graphs.push(graph);
    }
    step("pipelines over 4 and 8 devices, caps of 60 and 40 %");
    let (program, limit) = (workspace.program("ballast"), args.work_limit.to_string());
    let table =
        cmd!(workspace.shell, "{program} bench joint {graphs...} --work-limit {limit}").quiet().read()?;
    println!(
        "<!-- Written by `cargo xtask bench joint`; do not edit. -->\n\n# Partition and memory plan, one after the other and \
         together\n\nCaps are shares of what the neediest stage of the balanced partition needs without recomputation, the \
         same for every device. *No cap* is the balanced partition without a cap; *partition, then plan* plans its stages' memory; \
         *uniform* plans every stage as if it held as many micro-batches as the first; *loop* moves the cuts. {}.\n\n{table}",
        machine(workspace)?
    );
    Ok(())
}
