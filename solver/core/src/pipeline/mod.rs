//! Pipelines of micro-batches: schedules, what a device holds under them, and the one judge of both.
//!
//! [`schedule`] fixes the order in which every device runs the passes of its stages, [`simulate()`] plays that order and
//! tells step time, bubble and memory over time. Stage `v` of `devices * chunks` runs on device `v % devices`; with one
//! chunk per device, stage and device are the same. [`judge()`] measures every stage's plan on one micro-batch
//! ([`MicroBatch::measure`], through [`crate::memory::replay`]) and plays the schedule with what it found: whatever
//! proposes cuts or plans is scored by it. [`pipeline_plan`] writes its verdict down.

mod data;
mod flow;
mod in_flight;
mod judge;
mod limited;
mod micro_batch;
mod passes;
mod plan;
pub mod schedule;
mod simulate;

pub use data::DataBytes;
pub use flow::{FlowError, check_flow, first_backward, turning_point, updates};
pub use in_flight::{InFlight, Moment, floor_bytes, moments, need_bytes};
pub use judge::{Judged, Spec, judge, play, stage_cost};
pub use limited::{Limited, StashLimits};
pub use micro_batch::{Measured, MicroBatch};
pub use plan::{PipelinePlan, PipelineStage, pipeline_of, pipeline_plan};
pub use schedule::{Pass, Schedule, ScheduleError, Task, orders};
pub use simulate::{Pipeline, StageCost, TimedTask, Timeline, simulate};
