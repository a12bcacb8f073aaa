//! Who places jobs, by name, and one scheduling period placed by it.

use std::path::Path;

use ballast_learner_client::Learner;

use crate::job::{JobCluster, JobError, JobList};
use crate::period::{Period, place};
use crate::placer::{CapacityAware, FaultGreedy, FirstFit, InterferenceAware, Placer, Random};
use crate::policy::{LearnedPlacer, PolicyNetwork};

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

    /// The name users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Places a period.
    ///
    /// `network` is the file of a saved network, for [`Method::Learned`] alone; `learner` the learner library, where it is
    /// not beside the program; `seed` is of [`Method::Random`].
    ///
    /// # Errors
    /// As [`place`]; [`JobError::Input`] without a network for the learned policy, for a file that cannot be read, and for
    /// networks of another cluster size; [`JobError::Learner`] if the library cannot be opened.
    pub fn place(
        self,
        jobs: &JobList,
        cluster: &JobCluster,
        network: Option<&Path>,
        learner: Option<&Path>,
        seed: u64,
    ) -> Result<Period, JobError> {
        // Before a network is loaded: what cannot be served is said at once.
        jobs.check_fits(cluster)?;
        let placer: &mut dyn Placer = match self {
            Method::Learned => {
                let path = network.ok_or_else(|| {
                    JobError::Input(
                        "the learned policy needs a network (--network, in the pass network=): `ballast lab train place` writes one".into(),
                    )
                })?;
                let refuse =
                    |error: &dyn std::fmt::Display| JobError::Input(format!("{}: {error}", path.display()));
                let file = ballast_core::file::read(path).map_err(|error| refuse(&error))?;
                let learner = Learner::open(learner).map_err(|error| JobError::Learner(error.to_string()))?;
                let mut policy = PolicyNetwork::load(&learner, &file, cluster.devices.len())
                    .map_err(|error| refuse(&error))?;
                return place(jobs, cluster, &mut LearnedPlacer::new(&mut policy));
            }
            Method::Random => &mut Random::new(seed),
            Method::FirstFit => &mut FirstFit,
            Method::CapacityAware => &mut CapacityAware,
            Method::InterferenceAware => &mut InterferenceAware,
            Method::FaultGreedy => &mut FaultGreedy,
        };
        place(jobs, cluster, placer)
    }
}

fn no_method(text: &str) -> String {
    format!("'{text}' is not a method: choose one of {}", Method::NAMES.join(", "))
}
