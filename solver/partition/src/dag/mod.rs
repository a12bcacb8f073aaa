//! Partitioning a DAG over kinds of devices: minimise the largest load.
//!
//! [`workload::read`] gives a [`problem::Problem`]; [`check::check`] judges any assignment.

pub mod anneal;
pub mod bound;
pub mod chain;
pub mod check;
mod floaters;
pub mod hypergraph;
mod lattice;
pub mod loads;
pub mod order;
pub mod problem;
pub mod reduce;
mod stage;
pub mod workload;
