//! The passes: from IR to a graph, from a plan back to IR. Built as `libballast.so`, which stock `mlir-opt` loads as a
//! plugin and `ballast-opt` as its whole.
//!
//! One pass is one file, named as its flag, in the folder of its phase. Nothing here knows HiGHS or libtorch.

#![forbid(unsafe_code)]

mod annotations;
mod apply;
mod backend;
mod counted;
mod driver;
mod files;
mod import;
mod lower;
mod opening;
mod parts;
mod plan;
pub mod plugin;
mod program;
mod report;
mod signals;
