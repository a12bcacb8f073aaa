//! Pipelines of micro-batches: memory of every stage under its activations in flight, and the loop that moves cuts by
//! step time. The judge of both is [`ballast_core::pipeline`].

mod balance;
mod choice;
mod exact;
mod joint;
mod memory;
mod part;
mod plan;
mod runs;

pub(crate) use balance::unplanned;
pub use balance::{Balanced, MOST_PIECES, balanced};
pub use choice::{Choice, choices};
pub use exact::{Exact, exact};
pub use joint::{Joint, StopRule, joint};
pub use memory::{DeviceMemory, StageMemory};
pub use plan::choose;
pub(crate) use plan::{PlannedPipeline, plan};
pub use runs::{Run, Runs, Score, Site, Span};
