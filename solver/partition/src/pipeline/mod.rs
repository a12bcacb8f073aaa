//! Cuts of a training step into the stages of a pipeline.
//!
//! [`layers`](mod@layers) reads a training step as pieces of which a stage runs a run, forward and backward;
//! [`cuts`] balances the runs. The schedules, their simulation and the judge are [`ballast_core::pipeline`].

pub mod cuts;
mod interleave;
pub mod layers;

pub use cuts::{RunTimes, StashEstimate};
pub use interleave::{Move, moves};
pub use layers::{Layers, LayersError, layers};
