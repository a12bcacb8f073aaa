//! `ballast lab`: benchmarks, learned and genetic placement, and training: what the planning commands were developed with.

pub(crate) mod bench;
pub(crate) mod decoder;
pub(crate) mod genetic;
pub(crate) mod place;
pub(crate) mod place_serve;
pub(crate) mod place_simulate;
mod progress;
pub(crate) mod swaps;
mod swaps_measured;
mod swaps_recorded;
pub(crate) mod train;

use crate::failure::Failure;

/// The commands of `ballast lab`.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Compare all methods over a folder of real inputs, as one table.
    Bench(bench::Args),
    /// Write the training step of a decoder as a memory-planning instance.
    Decoder(decoder::Args),
    /// Place the layers of a layer file on devices: genetic search, from predicted times or from runs.
    Genetic(genetic::Args),
    /// Give devices to the waiting training jobs of one scheduling period.
    Place(place::Args),
    /// Serve an engine that runs training jobs: events in, devices for its jobs out.
    PlaceServe(place_serve::Args),
    /// Run a batch of training jobs in the simulator, and say when devices failed.
    PlaceSimulate(place_simulate::Args),
    /// Choose the tensors of a training step to swap: learned, or by a baseline.
    Swaps(swaps::Args),
    /// Train networks for later use.
    Train(train::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Command::Bench(args) => bench::run(args),
            Command::Decoder(args) => decoder::run(args),
            Command::Genetic(args) => genetic::run(args),
            Command::Place(args) => place::run(args),
            Command::PlaceServe(args) => place_serve::run(args),
            Command::PlaceSimulate(args) => place_simulate::run(args),
            Command::Swaps(args) => swaps::run(args),
            Command::Train(args) => train::run(args),
        }
    }
}
