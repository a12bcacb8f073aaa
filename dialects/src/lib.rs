//! The words in the IR: the `ballast` dialect, the passes' options, and what the planner asks of MLIR beyond its C API.
//!
//! Knows nothing of solving. `td/` holds the definitions, `cpp/` the thin C++ behind them, and this crate their
//! Rust side, on top of melior.

pub mod attributes;
pub mod cloning;
pub mod diagnostics;
pub mod driver;
mod ffi;
pub mod ir;
pub mod operations;
pub mod passes;
pub mod plugin;
pub mod registration;
pub mod remarks;
pub mod signals;
pub mod structured;
pub mod text;
pub mod types;
