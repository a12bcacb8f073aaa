//! Pipelines of micro-batches: memory of every stage under its activations in flight, and the loop that moves cuts by
//! step time. The judge of both is [`ballast_core::pipeline`].

mod balance;
mod choice;
mod exact;
mod joint;
mod memory;
mod plan;
mod runs;

pub use balance::{Balanced, balanced};
pub use choice::{Choice, choices};
pub use exact::{Exact, exact};
pub use joint::{Joint, StopRule, joint};
pub use memory::{DeviceMemory, StageMemory};
pub use plan::{MOST_PIECES, choose};
pub(crate) use plan::{PlannedPipeline, plan, unplanned};
pub use runs::{Run, Runs, Score, Site, Span};
