//! Genetic placement of layers on devices, after Cai and Zheng, "Genetic algorithm design for deep learning
//! node allocation" (2021): static from predicted times, dynamic from runs.
//!
//! A chromosome gives every layer a device. [`search()`] breeds a population of them; who says how long a
//! placement takes is a [`Measure`]: [`PredictedLoads`] for the static problem, [`platform::Pipeline`]
//! or real processes for the dynamic one. [`exact`] solves the static problem by branch and bound.

pub mod exact;
mod fitness;
mod layers;
mod matching;
pub mod platform;
mod proposer;
mod repair;
mod search;
mod table;
mod workload;

pub use fitness::{PENALTY_WEIGHT, fitness, penalised};
pub use layers::{Layer, LayerFile, LayerKind};
pub use proposer::{Fitness, Genetic, layer_table};
pub use repair::repair;
pub use search::{Generation, Measure, Options, Placement, PredictedLoads, search, solve};
pub use table::{Excess, LayerTable, PlacementError};
pub use workload::{WorkloadError, place_workload};
