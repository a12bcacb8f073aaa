//! Pipelines of micro-batches: memory of every stage under its activations in flight, step time, and the loop that
//! moves cuts by both.
//!
//! [`judge()`] is the one judge of pipelines: it measures every stage's plan on one micro-batch
//! ([`MicroBatch::measure`], through `memory::replay`) and plays the schedule with what it found. Whatever proposes
//! cuts or plans is scored by it.

mod choice;
mod exact;
mod joint;
mod judge;
mod memory;
mod micro_batch;
mod plan;
mod runs;

pub use choice::{Choice, choices};
pub use exact::{Exact, exact};
pub use joint::{Ends, Joint, joint};
pub use judge::{Judged, Spec, judge};
pub use memory::{DeviceMemory, InFlight, StageMemory, need_bytes, plan_in_flight};
pub use micro_batch::{Measured, MicroBatch};
pub use plan::{Balanced, MOST_PIECES, balanced, choose, pipeline_plan};
pub(crate) use plan::{Outcome, plan, unplanned};
pub use runs::{Run, Runs, Score, Site, Span};
