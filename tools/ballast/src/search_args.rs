//! Options that several commands take, each described once.

use std::path::PathBuf;

use ballast_core::limits::Limits;
use ballast_core::memory::SwapModel;
use ballast_core::units::Bytes;
use ballast_partition::genetic::Options;
use ballast_partition::sequence::Granularity;

use crate::failure::Failure;
use crate::instance::Kind;
use crate::ranges::{amount, count, positive, seconds, share, threads};

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
    /// Probability that a pair is crossed; as published 0.6; 0 to 1.
    #[arg(long, value_parser = share)]
    crossover: Option<f64>,
    /// Probability that a child is mutated; as published 0.1; 0 to 1.
    #[arg(long, value_parser = share)]
    mutation: Option<f64>,
    /// Generations; as published 10000 with predicted times and 1000 with measured ones; 1 to 1000000000000.
    #[arg(long, value_parser = count::<u64, 1, 1_000_000_000_000>)]
    generations: Option<u64>,
    /// The best so many chromosomes live on unchanged; 1 where nothing is given; 0 to 65536.
    #[arg(long, value_parser = count::<usize, 0, 65_536>)]
    elite: Option<usize>,
}

/// The first option that was given, of options by name.
pub(crate) fn first_given<const N: usize>(options: [(&'static str, bool); N]) -> Option<&'static str> {
    options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

impl GeneticArgs {
    /// The parameters; what is not among them, and what is not given, as in `base`.
    pub(crate) fn options(&self, base: Options) -> Options {
        Options {
            population: self.population.unwrap_or(base.population),
            crossover: self.crossover.unwrap_or(base.crossover),
            mutation: self.mutation.unwrap_or(base.mutation),
            generations: self.generations.unwrap_or(base.generations),
            elite: self.elite.unwrap_or(base.elite),
            ..base
        }
    }

    /// The first of the options that was given.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let GeneticArgs { population, crossover, mutation, generations, elite } = self;
        first_given([
            ("--population", population.is_some()),
            ("--crossover", crossover.is_some()),
            ("--mutation", mutation.is_some()),
            ("--generations", generations.is_some()),
            ("--elite", elite.is_some()),
        ])
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
    /// Search steps: with it and without a time limit the same bytes come out whatever the clock. 0 takes none, and leaves what
    /// needs no search (of the passes' `work-limit` 0 is no limit).
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
    /// Units of the instance's times per second, such as 1e13 for operations at 10 TFLOP/s: times become
    /// seconds; above zero, at most 1e18. Times of a graph are seconds already.
    #[arg(long, value_parser = positive)]
    pub rate: Option<f64>,
    /// Time of every copy on top of its bytes; without it none for an instance, and that of its device for a graph; 0 to 1e18.
    #[arg(long, value_parser = amount)]
    latency: Option<f64>,
    /// Count every copy in full instead of letting copies run beside computation.
    #[arg(long)]
    no_overlap: bool,
    /// Bytes of host memory; default: no limit.
    #[arg(long)]
    host_memory: Option<Bytes>,
}

/// Of swaps in a plan of one device.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct SwapArgs {
    /// Recompute only.
    #[arg(long)]
    no_swap: bool,
    #[command(flatten)]
    pub link: HostLinkArgs,
}

impl SwapArgs {
    /// Refuses what means nothing: for the kind of input read, or where nothing is swapped.
    pub(crate) fn check_for(&self, kind: Kind) -> Result<(), Failure> {
        match self.link.of_link().or_else(|| self.link.bandwidth.map(|_| "--bandwidth")) {
            Some(option) if self.no_swap => Err(Failure::BadInput(format!(
                "{option}: with --no-swap nothing is copied to the host: leave one of them out"
            ))),
            _ => self.link.check_for(kind),
        }
    }

    /// The link given, or else that of the device; none where nothing may be swapped.
    pub(crate) fn model(&self, of_device: Option<SwapModel>) -> Option<SwapModel> {
        if self.no_swap { None } else { self.link.model(of_device) }
    }
}

impl HostLinkArgs {
    /// Refuses a link over which nothing could ever be copied.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.bandwidth == Some(Bytes(0)) {
            return Err(Failure::BadInput("--bandwidth 0: nothing could ever be copied".into()));
        }
        Ok(())
    }

    /// Refuses what means nothing for the kind of input read, and would be dropped without a word.
    pub(crate) fn check_for(&self, kind: Kind) -> Result<(), Failure> {
        let refuse =
            |option: &str, why: &str| Err(Failure::BadInput(format!("{option}: {why}: leave it out")));
        match (kind, self.of_link()) {
            (Kind::Graph, _) if self.rate.is_some() => {
                refuse("--rate", "times of a graph are those of its --device, in seconds")
            }
            (Kind::Instance, Some(option)) if self.bandwidth.is_none() => Err(Failure::BadInput(format!(
                "{option}: an instance has no link to a host, so that nothing is swapped: give --bandwidth with it, or leave it out"
            ))),
            (Kind::Workload, given) => {
                let others = [("--bandwidth", self.bandwidth.is_some()), ("--rate", self.rate.is_some())];
                given.or_else(|| first_given(others)).map_or(Ok(()), |option| {
                    refuse(option, "a workload says what its devices do, and nothing of it is swapped")
                })
            }
            _ => Ok(()),
        }
    }

    /// The first option given that says how copies go over a link.
    fn of_link(&self) -> Option<&'static str> {
        first_given([
            ("--latency", self.latency.is_some()),
            ("--no-overlap", self.no_overlap),
            ("--host-memory", self.host_memory.is_some()),
        ])
    }

    /// The link given, or else that of the device.
    pub(crate) fn model(&self, of_device: Option<SwapModel>) -> Option<SwapModel> {
        let overlap = !self.no_overlap;
        let host_bytes = self.host_memory.map(|bytes| bytes.0);
        match self.bandwidth {
            Some(bandwidth) => Some(SwapModel {
                out_bandwidth: bandwidth.as_f64(),
                in_bandwidth: bandwidth.as_f64(),
                latency: self.latency.unwrap_or(0.0),
                overlap,
                host_capacity_bytes: host_bytes,
            }),
            None => of_device.map(|link| SwapModel {
                latency: self.latency.unwrap_or(link.latency),
                overlap,
                host_capacity_bytes: host_bytes.or(link.host_capacity_bytes),
                ..link
            }),
        }
    }
}
