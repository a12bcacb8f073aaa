//! `ballast lab place`: devices for the waiting training jobs of one scheduling period.

use std::path::PathBuf;

use ballast_jobs::{JobCluster, JobList, Method, PlacerSource};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::failure::Failure;
use crate::output::{check, paths, read_text, write_json};

/// Arguments of `ballast lab place`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Job file (JSON): jobs in order of submission.
    jobs: PathBuf,
    /// Cluster file (JSON): devices and their state.
    cluster: PathBuf,
    #[command(flatten)]
    chooser: Chooser,
    /// Write the placement here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Who chooses the devices.
#[derive(clap::Args)]
pub(super) struct Chooser {
    /// Who chooses the devices.
    #[arg(long, value_parser = PossibleValuesParser::new(Method::NAMES)
        .try_map(|name| name.parse::<Method>()), default_value = Method::Learned.name())]
    pub(super) method: Method,
    /// Network written by `ballast lab train place`, for the learned method.
    #[arg(long, required_if_eq("method", "learned"))]
    pub(super) network: Option<PathBuf>,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    learner: Option<PathBuf>,
    /// Seed of the random method, and of exploring.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Chooser {
    /// What the placer is made from.
    pub(super) fn source(&self, explore: bool) -> PlacerSource<'_> {
        PlacerSource {
            network: self.network.as_deref(),
            learner: self.learner.as_deref(),
            explore,
            seed: self.seed,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let inputs = [args.jobs.as_path(), args.cluster.as_path()];
    check(inputs.into_iter().chain(paths(&args.chooser.network)), paths(&args.output))?;
    let jobs =
        JobList::parse(&read_text(&args.jobs)?).map_err(|error| Failure::in_file(&args.jobs, error))?;
    let cluster = JobCluster::parse(&read_text(&args.cluster)?)
        .map_err(|error| Failure::in_file(&args.cluster, error))?;
    let period = args.chooser.method.place(&jobs, &cluster, &args.chooser.source(false))?;
    write_json(&period, args.output.as_deref())
}
