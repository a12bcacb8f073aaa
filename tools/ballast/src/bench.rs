//! `ballast bench`: tables of all methods over folders of real inputs.

use crate::{Failure, bench_joint, bench_partition, bench_remat, bench_rl, bench_swaps};

/// Arguments of `ballast bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Bench,
}

#[derive(clap::Subcommand)]
enum Bench {
    /// Pipelines: the loop of partition and memory plan, against one after the other.
    Joint(bench_joint::Args),
    /// Partition methods over a folder of workloads.
    Partition(bench_partition::Args),
    /// The RL partitioner beside classical searches and the exact answer, on chains for many-core chips.
    Rl(bench_rl::Args),
    /// Memory-planning methods over a folder of instances.
    Remat(bench_remat::Args),
    /// Recomputation, swaps and both, over host links.
    Swaps(bench_swaps::Args),
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        Bench::Joint(args) => bench_joint::run(args),
        Bench::Partition(args) => bench_partition::run(args),
        Bench::Rl(args) => bench_rl::run(args),
        Bench::Remat(args) => bench_remat::run(args),
        Bench::Swaps(args) => bench_swaps::run(args),
    }
}
