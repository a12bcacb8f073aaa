//! `ballast lab place`: devices for the waiting training jobs of one scheduling period.

use std::path::PathBuf;

use ballast_jobs::{JobCluster, JobList, Method, PlacerSource};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::failure::Failure;
use crate::output::{check, paths, read_text, write_json};
use crate::search_args::first_given;

/// Arguments of `ballast lab place`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    task: PlaceTask,
}

/// What is placed, where, by whom, and where the answer goes.
#[derive(clap::Args)]
pub(super) struct PlaceTask {
    /// Job file (JSON): jobs in order of submission.
    jobs: PathBuf,
    /// Cluster file (JSON): devices, their state and their failure rates.
    cluster: PathBuf,
    #[command(flatten)]
    pub(super) chooser: Chooser,
    /// Write the answer here instead of to stdout.
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,
}

impl PlaceTask {
    /// The jobs and the cluster, once it is sure that the answer can be written.
    pub(super) fn read(&self) -> Result<(JobList, JobCluster), Failure> {
        self.chooser.check()?;
        let inputs = [self.jobs.as_path(), self.cluster.as_path()];
        check(inputs.into_iter().chain(paths(&self.chooser.network)), paths(&self.output))?;
        let jobs =
            JobList::parse(&read_text(&self.jobs)?).map_err(|error| Failure::in_file(&self.jobs, error))?;
        let cluster = JobCluster::parse(&read_text(&self.cluster)?)
            .map_err(|error| Failure::in_file(&self.cluster, error))?;
        Ok((jobs, cluster))
    }
}

/// Who chooses the devices.
#[derive(clap::Args)]
pub(super) struct Chooser {
    /// Who chooses the devices; without it learned where a --network is given, else first-fit, as for --ballast-place.
    #[arg(long, value_parser = PossibleValuesParser::new(Method::NAMES)
        .try_map(|name| name.parse::<Method>()))]
    method: Option<Method>,
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
    /// Who was named, or else the default.
    pub(super) fn method(&self) -> Method {
        self.method.unwrap_or_else(|| Method::default_for(self.network.as_deref()))
    }

    /// Refuses what only the learned method reads.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let learned = [("--network", self.network.is_some()), ("--learner", self.learner.is_some())];
        match first_given(learned) {
            Some(option) if self.method() != Method::Learned => {
                Err(Failure::BadInput(format!("{option} is for --method {}", Method::Learned.name())))
            }
            _ => Ok(()),
        }
    }

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
    let PlaceTask { chooser, output, .. } = &args.task;
    let (jobs, cluster) = args.task.read()?;
    let period = chooser.method().place(&jobs, &cluster, &chooser.source(false))?;
    write_json(&period, output.as_deref())
}
