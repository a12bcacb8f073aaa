//! Pipelines: a training step cut into micro-batches, under a named schedule.
//!
//! [`schedule`] fixes the order in which every device runs the passes of its stages, [`simulate()`] plays that
//! order and tells step time, bubble and memory over time. Stage `v` of `devices * chunks` runs on device
//! `v % devices`; with one chunk per device, stage and device are the same.

pub mod schedule;
pub mod simulate;

pub use schedule::{Pass, Schedule, ScheduleError, Task, orders};
pub use simulate::{Pipeline, StageCost, Timeline, simulate};
