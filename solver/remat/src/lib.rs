//! Memory planning of one device: what is kept, recomputed or swapped under a cap, with a proven bound.
//!
//! [`plan()`] takes a [`Problem`](ballast_core::memory::Problem) and [`Options`] and returns an [`Outcome`] that the judge
//! ([`ballast_core::memory::replay`]) has accepted, or a [`Error`]. [`plan_relaxed`] raises caps that have
//! no plan.

#![deny(unsafe_code)]

mod aim;
mod arena;
mod auto;
mod baseline;
mod chain;
mod clock;
mod completion;
mod copies;
mod counting;
mod cover;
mod curve;
mod divide;
mod durations;
mod effort;
#[cfg_attr(test, expect(unsafe_code, reason = "the C interface of HiGHS, apart from the wrapper"))]
mod exact;
mod exchange;
mod free;
mod frontier;
mod gaps;
#[expect(unsafe_code, reason = "the C interface of HiGHS")]
mod highs;
mod host;
mod incumbent;
mod interval;
mod joint;
mod lane_rows;
#[expect(unsafe_code, reason = "instructions that not every processor has")]
mod lanes;
mod link;
mod link_rows;
mod lower;
mod model;
mod moments;
mod order;
mod outcome;
mod outside;
mod packed;
mod packing;
mod paging;
mod passage;
mod plan;
mod portfolio;
mod program;
mod prover;
mod race;
#[cfg(test)]
mod random;
mod relax;
mod room;
mod search;
mod solver;
mod solvers;
pub mod stacks;
mod state;
mod stepwise;
mod swap_bound;
pub mod swaps;
mod timeline;
mod ways;
mod windows;

pub use arena::{Arena, Buffer, assign};
pub use curve::{CurvePoint, LeastMemory, curve, least_memory};
pub use highs::version as highs_version;
pub use lower::lower_bound;
pub use outcome::{Error, Order, Outcome, PROVED_WITHIN};
pub use plan::plan;
pub use relax::{Relaxation, Relaxed, plan_relaxed};
pub use solver::{MemorySolver, Options, Proposal, Solver, Task};
pub use solvers::SOLVERS;
