//! The passes: from IR to a graph, from a plan back to IR. Built as `libballast.so`, which stock `mlir-opt` loads as a
//! plugin and `ballast-opt` as its whole.
//!
//! One pass is one file, named as its flag. Nothing here knows HiGHS or libtorch.

mod annotations;
mod apply;
mod ballast_apply;
mod ballast_entry;
mod ballast_host_heap;
mod ballast_inline;
mod ballast_kernels;
mod ballast_messages;
mod ballast_outline;
mod ballast_place;
mod ballast_plan;
mod ballast_rank;
mod ballast_report;
mod ballast_split_ops;
mod ballast_strip;
mod ballast_to_buffers;
mod ballast_to_stablehlo;
mod ballast_unroll;
mod ballast_verify;
mod claims;
mod driver;
mod explained;
mod files;
mod import;
mod pipeline_attribute;
mod planning;
pub mod plugin;
mod relaxed;
mod remat;
mod rl_partition;
mod signals;
mod storage;
mod unroll;
