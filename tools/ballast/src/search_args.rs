//! Options that several commands take, each described once.

use std::path::PathBuf;

use crate::ranges::{count, seconds, share, threads};
use ballast_partition::genetic::Options;
use ballast_partition::sequence::Granularity;

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
