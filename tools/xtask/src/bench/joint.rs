//! `cargo xtask bench joint`: exported training steps as pipelines, the loop of partition and memory plan against one
//! after the other.

use std::path::PathBuf;

use anyhow::Result;
use xshell::cmd;

use super::{machine, program_graphs};
use crate::say;
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

/// Prints a page with a table for every view of memory and of caps.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let (program, limit) = (workspace.program("ballast"), args.work_limit.to_string());
    let table = |fusion: &str, cap_of: &str| -> Result<String> {
        let graphs = program_graphs(workspace, &args.models, Some(fusion))?;
        step(&format!("pipelines over 4 and 8 devices, fusion={fusion}, caps of 60 and 40 % ({cap_of})"));
        let read = cmd!(
            workspace.shell,
            "{program} lab bench joint {graphs...} --work-limit {limit} --cap-of {cap_of}"
        );
        Ok(read.quiet().read()?)
    };
    say!(
        "<!-- Written by `cargo xtask bench joint`; do not edit. -->\n\n# Partition and memory plan, one after the other and \
         together\n\n*No cap* is the balanced partition without a cap; *partition, then plan* plans its stages' memory; \
         *uniform* plans every stage as if it held as many micro-batches as the first; *loop* moves the cuts. {}.\n\n\
         ## Equal devices, every value in memory (`fusion=none`)\n\nThe cap of every device is a share of what the neediest \
         stage of the balanced partition needs without recomputation.\n\n{}\n\n\
         ## Equal devices, memory as XLA sees it (`fusion=xla`, the default for StableHLO)\n\n{}\n\n\
         ## Devices as large as their stages (`fusion=xla`)\n\nThe cap of every device is a share of what its own stage of \
         the balanced partition needs, so that every stage has to recompute. Where nobody keeps the caps the loop \
         takes the cuts that miss them by least.\n\n{}",
        machine(workspace)?,
        table("none", "neediest")?,
        table("xla", "neediest")?,
        table("xla", "own")?,
    );
    Ok(())
}
