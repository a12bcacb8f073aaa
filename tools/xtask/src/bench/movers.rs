//! `cargo xtask bench movers`: who moves ops in the free search, on exported programs under caps.

use std::path::PathBuf;

use anyhow::Result;
use xshell::cmd;

use super::{from_here, machine, placed_graphs};
use crate::say;
use crate::workspace::{Workspace, step};

/// Programs of the project that have enough ops for eight devices.
const PROGRAMS: [&str; 8] = [
    "alexnet_cifar_b64.mlir",
    "gpt2_small_b4_s512.mlir",
    "gpt2_tiny_b2_s64.mlir",
    "resnet50_train_b32.mlir",
    "torch_gpt2_tiny.stablehlo.mlir",
    "torch_mlp_train.stablehlo.mlir",
    "torch_resnet18_cifar_b8.tosa.mlir",
    "torch_vgg16_cifar_b16.linalg.mlir",
];

/// Arguments of `cargo xtask bench movers`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Exported programs; eight of the project's own without them.
    #[arg(long, num_args = 1..)]
    models: Vec<PathBuf>,
    /// Devices.
    #[arg(long, default_value = "8")]
    devices: u32,
    /// Arguments of `ballast lab bench movers`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Prints the table of `ballast lab bench movers`.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let models = match args.models.is_empty() {
        true => PROGRAMS.map(|name| workspace.root.join("tests/inputs/models").join(name)).to_vec(),
        false => args.models.iter().map(|path| from_here(path)).collect::<Result<_>>()?,
    };
    let graphs = placed_graphs(workspace, &models, args.devices)?;
    step("ballast lab bench movers");
    let (program, devices) = (workspace.program("ballast"), args.devices.to_string());
    let own = &args.arguments;
    let table = cmd!(workspace.shell, "{program} lab bench movers {graphs...} --devices {devices} {own...}");
    say!("{}.\n\n{}", machine(workspace)?, table.quiet().read()?);
    Ok(())
}
