//! Pipelines: a training step cut into micro-batches, under a named schedule.
//!
//! [`layers`](mod@layers) reads a training step as pieces of which a stage runs a run, forward and backward.
//! [`schedule`] fixes the order in which every device runs the passes of its stages, [`simulate()`] plays that
//! order and tells step time, bubble and memory over time. Stage `v` of `devices * chunks` runs on device
//! `v % devices`; with one chunk per device, stage and device are the same.

pub mod cuts;
pub mod held;
mod interleave;
pub mod layers;
pub mod schedule;
pub mod simulate;

pub use cuts::{RunTimes, StashEstimate};
pub use held::{Moment, moments};
pub use interleave::{Move, moves};
pub use layers::{Layers, LayersError, check_flow, first_backward, layers};
pub use schedule::{Pass, Schedule, ScheduleError, Task, orders};
pub use simulate::{Pipeline, StageCost, TimedTask, Timeline, simulate};
