//! The RL partitioner: environment, rewards, policies, training, and the classical searches beside it.
//!
//! The environment ([`environment`], [`machine`]) is plain Rust; networks live behind `ballast_learner_client` and are
//! loaded only when a run asks for them.

pub mod chains;
pub mod classical;
pub mod comparison;
pub mod curriculum;
pub mod demand;
pub mod environment;
pub mod exact;
pub mod features;
mod limit;
pub mod machine;
pub mod options;
pub mod policy;
pub(crate) mod rollout;
mod scene;
mod splice;
mod teacher;
pub mod train;
pub mod weighted;
