//! Partitioning: the op sequence of a program over devices, and general DAGs over kinds of devices.

pub mod chain;
pub mod chip;
mod dynamic;
pub mod fine_tune;
mod free;
pub mod genetic;
mod given;
mod items;
mod judge;
pub mod loads;
mod membership;
pub mod pipeline;
mod placement;
mod plan;
mod proposal;
mod refine;
pub mod rl;
pub mod sequence;

pub use given::{Given, GivenError, plan_given};
pub use items::Items;
pub use placement::placement_of;
pub use plan::{Error, Method, Options, Outcome, Proposed, plan, plan_with, repartition};
pub use proposal::{Proposal, Proposer, Task};
