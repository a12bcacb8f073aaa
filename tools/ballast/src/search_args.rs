//! Options that several commands take, each described once.

use std::path::PathBuf;

use ballast_core::limits::Limits;
use ballast_core::memory::SwapModel;
use ballast_core::units::Bytes;
use ballast_partition::genetic::Options;
use ballast_partition::sequence::Granularity;

use crate::failure::Failure;
use crate::ranges::{amount, count, seconds, share, threads};

/// Of searches.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct SearchArgs {
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads of every run; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads, default_value_t = 2)]
    pub threads: usize,
}

impl SearchArgs {
    /// Limits of a run that has `seconds` of wall clock.
    pub(crate) fn limits(self, seconds: f64) -> Limits {
        let SearchArgs { seed, threads } = self;
        Limits { time_limit_seconds: Some(seconds), work_limit: None, seed, threads }
    }
}

/// Of genetic searches.
#[derive(clap::Args)]
pub(crate) struct GeneticArgs {
    /// Chromosomes of a generation; as published 100, and 12 where a program is run on processes; 2 to 65536.
    #[arg(long, value_parser = count::<usize, 2, 65_536>)]
    population: Option<usize>,
    /// Probability that a pair is crossed; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = 0.6)]
    crossover: f64,
    /// Probability that a child is mutated; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = 0.1)]
    mutation: f64,
    /// Generations; as published 10000 with predicted times and 1000 with measured ones; 1 to 1000000000000.
    #[arg(long, value_parser = count::<u64, 1, 1_000_000_000_000>)]
    generations: Option<u64>,
    /// The best so many chromosomes live on unchanged; 0 to 65536.
    #[arg(long, value_parser = count::<usize, 0, 65_536>, default_value_t = 1)]
    elite: usize,
}

impl GeneticArgs {
    /// The parameters; what is not among them, and what is not given, as in `base`.
    pub(crate) fn options(&self, base: Options) -> Options {
        Options {
            population: self.population.unwrap_or(base.population),
            crossover: self.crossover,
            mutation: self.mutation,
            generations: self.generations.unwrap_or(base.generations),
            elite: self.elite,
            ..base
        }
    }
}

/// What is moved as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Unit {
    /// An op.
    Op,
    /// A contraction or convolution with what follows it.
    Layer,
}

impl From<Unit> for Granularity {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Op => Granularity::Op,
            Unit::Layer => Granularity::Layer,
        }
    }
}

/// Of trainings.
#[derive(clap::Args)]
pub(crate) struct TrainingArgs {
    /// Wall-clock limit in seconds; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Seed of weights, of what is trained on, and of choices.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    pub learner: Option<PathBuf>,
}

/// Of benchmarks of the RL partitioner on drawn chains.
#[derive(clap::Args)]
pub(crate) struct DrawnChains {
    /// Which generated chains: another number gives other chains, none of them drawn in training.
    #[arg(long, default_value_t = 0)]
    pub draw: u64,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    pub learner: Option<PathBuf>,
    /// Where to write the tables (Markdown); without it, stdout.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
}

/// Of searches that follow a clock, an amount of work, or both.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct WorkArgs {
    /// Search steps: with it and without a time limit the same bytes come out whatever the clock.
    #[arg(long)]
    pub work_limit: Option<u64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads; default: all cores; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads)]
    pub threads: Option<usize>,
}

/// Of the link between a device and its host.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct HostLinkArgs {
    /// Bytes copied to or from the host per unit of time of the instance (per second where there is a --rate), such as 16GB.
    /// Without it nothing of an instance is swapped, since its times may be operations, not seconds; a graph has the link of its
    /// device.
    #[arg(long)]
    bandwidth: Option<Bytes>,
    /// Time of every copy on top of its bytes; 0 to 1e18.
    #[arg(long, value_parser = amount, default_value_t = 0.0)]
    latency: f64,
    /// Count every copy in full instead of letting copies run beside computation.
    #[arg(long)]
    no_overlap: bool,
    /// Bytes of host memory; default: no limit.
    #[arg(long)]
    host_memory: Option<Bytes>,
}

impl HostLinkArgs {
    /// Refuses a link over which nothing could ever be copied.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.bandwidth == Some(Bytes(0)) {
            return Err(Failure::BadInput("--bandwidth 0: nothing could ever be copied".into()));
        }
        Ok(())
    }

    /// The link given, or else that of the device.
    pub(crate) fn model(&self, of_device: Option<SwapModel>) -> Option<SwapModel> {
        let overlap = !self.no_overlap;
        let host_bytes = self.host_memory.map(|bytes| bytes.0);
        match self.bandwidth {
            Some(bandwidth) => Some(SwapModel {
                out_bandwidth: bandwidth.as_f64(),
                in_bandwidth: bandwidth.as_f64(),
                latency: self.latency,
                overlap,
                host_capacity_bytes: host_bytes,
            }),
            None => of_device.map(|link| SwapModel {
                overlap,
                host_capacity_bytes: host_bytes.or(link.host_capacity_bytes),
                ..link
            }),
        }
    }
}
