//! `ballast place`: devices for the waiting training jobs of one scheduling period.

use std::path::PathBuf;

use ballast_learner_client::Learner;
use ballast_placement::jobs::{
    CapacityAware, FaultGreedy, FirstFit, InterferenceAware, JobCluster, JobError, JobList, LearnedPlacer,
    Placer, PolicyNetwork, Random, place,
};

use crate::Failure;
use crate::output::{read_text, write_json};

/// Arguments of `ballast place`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Job file (JSON): jobs in order of submission.
    jobs: PathBuf,
    /// Cluster file (JSON): devices and their state.
    cluster: PathBuf,
    /// Who chooses the devices.
    #[arg(long, value_enum, default_value_t = Method::Learned)]
    method: Method,
    /// Network written by `ballast train place`, for the learned method.
    #[arg(long, required_if_eq("method", "learned"))]
    network: Option<PathBuf>,
    /// The learner library, where it is not beside this program.
    #[arg(long)]
    learner: Option<PathBuf>,
    /// Seed of the random method.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the placement here instead of to stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Who chooses the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    /// The trained policy.
    Learned,
    /// Any usable devices.
    Random,
    /// The usable devices that come first.
    FirstFit,
    /// The fastest.
    CapacityAware,
    /// On the hosts with the fewest other jobs.
    InterferenceAware,
    /// Those with the lowest failure rate in the cluster file.
    FaultGreedy,
}

/// Turns an error into an exit; `file` is what the user gave.
pub(crate) fn failure(file: Option<&std::path::Path>) -> impl Fn(JobError) -> Failure {
    let origin = file.map(|file| format!("{}: ", file.display())).unwrap_or_default();
    move |error| match error {
        JobError::Input(reason) => Failure::BadInput(format!("{origin}{reason}")),
        JobError::NoPlacement(reason) => Failure::NoPlan(reason),
        JobError::Learner(reason) => Failure::BadInput(reason),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let jobs = JobList::parse(&read_text(&args.jobs)?).map_err(failure(Some(&args.jobs)))?;
    let cluster = JobCluster::parse(&read_text(&args.cluster)?).map_err(failure(Some(&args.cluster)))?;
    // Before a network is loaded: what cannot be served is said at once.
    jobs.check_fits(&cluster).map_err(failure(None))?;
    let mut random = Random::new(args.seed);
    let period = if let Method::Learned = args.method {
        let path = args.network.as_deref().ok_or_else(|| {
            Failure::BadInput("--method learned needs --network, which `ballast train place` writes".into())
        })?;
        let file =
            std::fs::read(path).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))?;
        let learner =
            Learner::open(args.learner.as_deref()).map_err(|error| Failure::BadInput(error.to_string()))?;
        let mut policy =
            PolicyNetwork::load(&learner, &file, cluster.devices.len()).map_err(failure(Some(path)))?;
        place(&jobs, &cluster, &mut LearnedPlacer::new(&mut policy))
    } else {
        let placer: &mut dyn Placer = match args.method {
            Method::Learned | Method::Random => &mut random,
            Method::FirstFit => &mut FirstFit,
            Method::CapacityAware => &mut CapacityAware,
            Method::InterferenceAware => &mut InterferenceAware,
            Method::FaultGreedy => &mut FaultGreedy,
        };
        place(&jobs, &cluster, placer)
    }
    .map_err(failure(None))?;
    write_json(&period, args.output.as_deref())
}
