//! The planners that place work: layers on devices by a genetic search, swaps by Q-learning, training jobs on
//! a cluster whose devices fail, and plans moved when devices change.
//!
//! - [`genetic`]: layers on devices, from predicted times or from runs of the placement.
//! - [`jobs`]: training jobs on a cluster whose devices fail.
//! - [`platform`]: a cluster of boards and switches, simulated event by event, on which placements run.
//! - [`q_learning`]: which tensors of a training step are swapped to the host.
//! - [`replan`]: a placement moved to devices that changed.

pub mod genetic;
pub mod jobs;
pub mod platform;
pub mod q_learning;
pub mod replan;
