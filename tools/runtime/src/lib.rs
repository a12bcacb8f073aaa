//! What compiled programs call: counted heaps for device and host, arguments from a seed, results to files.
//!
//! Built as `libballast_runtime.so`; `ballast run` hands it to `mlir-runner`. The program runs in a folder of its own,
//! where [`measure::_mlir_ciface_ballast_finish`] leaves `measurement.json` and `results.bin`.

pub mod elements;
pub mod heap;
pub mod measure;
