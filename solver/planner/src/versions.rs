//! Versions of what the planner is built on, asked of the libraries themselves.

use ballast_learner_client::Learner;

/// A line each: HiGHS, and libtorch where the learner's library is there. Opening that takes some tenths of a second.
#[must_use]
pub fn versions() -> String {
    let libtorch = match Learner::open(None).and_then(|learner| learner.libtorch()) {
        Ok(version) => format!("libtorch {version}"),
        Err(reason) => format!("libtorch: none; {reason}"),
    };
    format!("HiGHS {}\n{libtorch}\n", ballast_remat::highs_version())
}
