//! `ballast bench`: tables of all methods over folders of real inputs.

use crate::{Failure, bench_partition, bench_remat, bench_swaps};

/// Arguments of `ballast bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Bench,
}

#[derive(clap::Subcommand)]
enum Bench {
    /// Partition methods over a folder of workloads.
    Partition(bench_partition::Args),
    /// Memory-planning methods over a folder of instances.
    Remat(bench_remat::Args),
    /// Recomputation, swaps and both, over host links.
    Swaps(bench_swaps::Args),
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        Bench::Partition(args) => bench_partition::run(args),
        Bench::Remat(args) => bench_remat::run(args),
        Bench::Swaps(args) => bench_swaps::run(args),
    }
}
