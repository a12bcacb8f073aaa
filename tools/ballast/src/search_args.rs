//! Options that several commands take, each described once.

use std::path::PathBuf;

/// Of searches.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct SearchArgs {
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads of every run.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
}

/// Of trainings.
#[derive(clap::Args)]
pub(crate) struct TrainingArgs {
    /// Wall-clock limit in seconds.
    #[arg(long)]
    pub time_limit: Option<f64>,
    /// Seed of weights, of what is trained on, and of choices.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    pub learner: Option<PathBuf>,
}
