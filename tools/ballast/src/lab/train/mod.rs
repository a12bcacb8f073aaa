//! `ballast lab train`: networks trained for later use.

mod dag;
pub(crate) mod partition;
mod place;

use crate::failure::Failure;

/// Arguments of `ballast lab train`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The policy that places training jobs on devices that fail.
    Place(Box<place::Place>),
    /// Train that policy at several failure rates and cluster sizes and compare it with the baselines.
    PlaceTable(Box<place::PlaceTable>),
    /// The policy that cuts op sequences for devices and for the cores of a chip.
    Partition(Box<partition::Args>),
    /// The actor-critic that places the groups of a graph on devices.
    Dag(Box<dag::Args>),
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Place(args) => place::place(args),
        What::PlaceTable(args) => place::place_table(args),
        What::Partition(args) => partition::run(args),
        What::Dag(args) => dag::run(args),
    }
}
