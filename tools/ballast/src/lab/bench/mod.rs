//! `ballast lab bench`: tables of all methods over folders of real inputs.

mod joint;
mod movers;
mod partition;
mod remat;
mod rl;
mod rl_curve;
mod rl_weights;
mod swaps;

use crate::failure::Failure;

/// Arguments of `ballast lab bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Bench,
}

#[derive(clap::Subcommand)]
enum Bench {
    /// Pipelines: the loop of partition and memory plan, against one after the other.
    Joint(joint::Args),
    /// The free search with moves of annealing, of the learner, and without any, for equal processor time.
    Movers(movers::Args),
    /// Partition methods over a folder of workloads.
    Partition(partition::Args),
    /// The RL partitioner beside classical searches and the exact answer, on chains for many-core chips.
    Rl(rl::Args),
    /// How the RL partitioner learns: published setting and ours, episode by episode.
    RlCurve(rl_curve::Args),
    /// Plans for chips under different weights of compute, memory and route.
    RlWeights(rl_weights::Args),
    /// Memory-planning methods over a folder of instances.
    Remat(remat::Args),
    /// Recomputation, swaps and both, over host links.
    Swaps(swaps::Args),
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        Bench::Joint(args) => joint::run(args),
        Bench::Movers(args) => movers::run(args),
        Bench::Partition(args) => partition::run(args),
        Bench::Rl(args) => rl::run(args),
        Bench::RlCurve(args) => rl_curve::run(args),
        Bench::RlWeights(args) => rl_weights::run(args),
        Bench::Remat(args) => remat::run(args),
        Bench::Swaps(args) => swaps::run(args),
    }
}
