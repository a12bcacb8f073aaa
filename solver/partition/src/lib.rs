//! Partitioning: the op sequence of a program over devices, and general DAGs over kinds of devices.

pub mod chain;
pub mod chip;
pub mod dag;
mod dynamic;
pub mod fine_tune;
pub mod loads;
pub mod pipeline;
mod plan;
mod refine;
pub mod rl;
pub mod sequence;

pub use plan::{Error, Method, Options, Outcome, plan, repartition};
