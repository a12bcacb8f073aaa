//! Partitioning: the op sequence of a program over devices, and general DAGs over kinds of devices.

#![forbid(unsafe_code)]

mod again;
pub mod chain;
pub mod chip;
mod dynamic;
mod error;
mod exact;
mod exchange;
pub mod fine_tune;
mod free;
pub mod genetic;
mod given;
mod items;
mod judge;
mod learned;
mod lifetimes;
pub mod loads;
mod membership;
mod method;
mod options;
mod outside;
mod packed;
mod peak;
pub mod pipeline;
mod placement;
mod plan;
mod proposer;
mod relief;
pub mod rl;
pub mod sequence;
mod squeeze;
mod unavoidable;
mod workload;

pub use again::{SIMPLE_PLACEMENTS, neighbours, repartition, simple};
pub use error::Error;
pub use free::Next;
pub use given::{Given, GivenError, bound_of_given, plan_given};
pub use items::Items;
pub use method::METHODS;
pub use options::{Entry, Make, Method, Mover, Options};
pub use placement::placement_of;
pub use plan::{Partition, Proposed, Refined, plan};
pub use proposer::{Candidate, Proposal, Proposer, Task};
pub use relief::Copies;
pub use squeeze::{Measured, RAISED_CAP, missed};
pub use unavoidable::{Reason, Unavoidable, unavoidable};
