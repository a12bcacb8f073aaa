//! Who places jobs, by name, and one scheduling period placed by it.

use std::path::Path;

use ballast_learner_client::Learner;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::job::{JobCluster, JobError, JobList};
use crate::period::{Period, place};
use crate::placer::{CapacityAware, FaultGreedy, FirstFit, InterferenceAware, Placer, Random};
use crate::policy::{LearnedPlacer, PolicyNetwork};

/// What placers are made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacerSource<'a> {
    /// The file of a saved network, for [`Method::Learned`] alone.
    pub network: Option<&'a Path>,
    /// The learner library, where it is not beside the program.
    pub learner: Option<&'a Path>,
    /// Does the learned policy draw devices by their probabilities, as it does while it learns?
    pub explore: bool,
    /// Seed of [`Method::Random`] and of exploring.
    pub seed: u64,
}

/// Who chooses the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = no_method)]
pub enum Method {
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

impl Method {
    /// Every method's name.
    pub const NAMES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// Who chooses where nobody is named: the trained policy where its network is given, else the usable devices that come first.
    #[must_use]
    pub fn default_for(network: Option<&Path>) -> Self {
        if network.is_some() { Method::Learned } else { Method::FirstFit }
    }

    /// The name users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Makes the placer and hands it to `work`.
    ///
    /// # Errors
    /// What `work` returns; [`JobError::Input`] without a network for the learned policy, for a file that cannot be read, for
    /// networks of another cluster size, and for exploring with another method; [`JobError::Learner`] if the library cannot be opened.
    pub fn with_placer<T>(
        self,
        cluster: &JobCluster,
        source: &PlacerSource<'_>,
        work: impl FnOnce(&mut dyn Placer) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        if source.explore && self != Method::Learned {
            return Err(JobError::Input(format!(
                "{} does not explore: only the learned policy does",
                self.name()
            )));
        }
        let placer: &mut dyn Placer = match self {
            Method::Learned => {
                let path = source.network.ok_or_else(|| {
                    JobError::Input(
                        "the learned policy needs a network (--network, in the pass network=): `ballast lab train place` writes one".into(),
                    )
                })?;
                let refuse =
                    |error: &dyn std::fmt::Display| JobError::Input(format!("{}: {error}", path.display()));
                let file = ballast_core::file::read(path).map_err(|error| refuse(&error))?;
                let learner =
                    Learner::open(source.learner).map_err(|error| JobError::Learner(error.to_string()))?;
                let mut policy = PolicyNetwork::load(&learner, &file, cluster.devices.len())
                    .map_err(|error| refuse(&error))?;
                if source.explore {
                    let rng = ChaCha8Rng::seed_from_u64(source.seed);
                    return work(&mut LearnedPlacer::exploring(&mut policy, rng));
                }
                return work(&mut LearnedPlacer::new(&mut policy));
            }
            Method::Random => &mut Random::new(source.seed),
            Method::FirstFit => &mut FirstFit,
            Method::CapacityAware => &mut CapacityAware,
            Method::InterferenceAware => &mut InterferenceAware,
            Method::FaultGreedy => &mut FaultGreedy,
        };
        work(placer)
    }

    /// Places a period.
    ///
    /// # Errors
    /// As [`place`] and [`Method::with_placer`].
    pub fn place(
        self,
        jobs: &JobList,
        cluster: &JobCluster,
        source: &PlacerSource<'_>,
    ) -> Result<Period, JobError> {
        // Before a network is loaded: what cannot be served is said at once.
        jobs.check_fits(cluster)?;
        self.with_placer(cluster, source, |placer| place(jobs, cluster, placer))
    }
}

fn no_method(text: &str) -> String {
    format!("'{text}' is not a method: choose one of {}", Method::NAMES.join(", "))
}
