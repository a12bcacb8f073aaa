//! A platform of devices, switches and links, simulated event by event, and the dynamic placement problem on it.
//!
//! - [`Platform`]: the topology, read from a file or made of a cluster's direct links.
//! - [`simulate()`]: a pipelined batch through placed layers.
//! - [`Pipeline`]: the simulator as the measure of the genetic search.
//! - [`exhaustive()`]: every placement that could be best, tried: the referee of the dynamic search.
//! - [`PipelineTime`]: the closed forms of \[D\].

mod closed_form;
mod exhaustive;
mod measure;
mod simulate;
mod topology;

pub use closed_form::PipelineTime;
pub use exhaustive::exhaustive;
pub use measure::Pipeline;
pub use simulate::{Batch, Run, simulate, simulate_within};
pub use topology::Platform;
