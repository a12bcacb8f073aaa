//! Partitioning a DAG over kinds of devices: minimise the largest load.
//!
//! [`workload::read`] gives a [`problem::Problem`], [`solve::solve`] a plan with a bound; [`check::check`] judges
//! any assignment and shares no code with the solvers. The model in formulas: `docs/dag-partition.md`.

#![forbid(unsafe_code)]

pub mod anneal;
pub mod assignment;
pub mod bound;
pub mod chain;
pub mod check;
mod contiguous;
mod covering;
pub mod descent;
mod first;
mod floaters;
mod free;
pub mod genes;
pub mod hypergraph;
mod lanes;
mod lattice;
pub mod learned;
pub mod loads;
pub mod mip;
pub mod multilevel;
mod neighbourhood;
pub mod order;
pub mod outside;
mod pairs;
mod price_bound;
pub mod problem;
pub mod proof;
pub mod reduce;
mod session;
pub mod solve;
pub mod spreading;
mod stage;
mod sum;
pub mod workload;
