//! The plain data every Ballast solver works on, and the one judge of its plans.
//!
//! Nothing here knows MLIR, a MIP solver or a tensor library. A front end fills a [`graph::Graph`] and a
//! [`device::Cluster`]; a solver proposes; [`memory::replay`] and [`simulate`] judge; [`plan::Plan`] is what
//! is written.

#![deny(unsafe_code)]

#[macro_use]
mod ids;

pub mod arena;
pub mod batch;
pub mod cap;
pub mod cost;
pub mod device;
pub mod dual_bound;
pub mod explain;
pub mod file;
pub mod fusion;
pub mod graph;
pub mod instance;
pub mod limits;
pub mod log;
pub mod memory;
pub mod outside;
pub mod pipeline;
pub mod placement;
pub mod plan;
pub mod planned_pipeline;
pub mod planned_stages;
pub mod predictor;
pub mod printable;
pub mod process_group;
pub mod profile;
pub mod program;
pub mod report;
pub mod results;
pub mod simulate;
pub mod stage;
pub mod stage_memory;
pub mod step;
pub mod stored;
pub mod units;
