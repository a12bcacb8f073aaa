//! Which tensors of a training step are swapped to the host, learned by Q-learning, after a 2022 Chinese patent
//! application on reinforcement-learning memory scheduling for GPU training (\[B\] of `docs/sources.md`).
//!
//! A *scheme* says of every candidate tensor whether it stays or is swapped between its forward and its backward
//! uses. [`learn()`] changes the tensors of one layer type a round, runs an iteration, and learns from its time
//! and peak; [`baseline()`] has the fixed and greedy planners it is compared with; [`largest_batch`] finds what
//! fits.

mod actions;
mod baseline;
mod batch;
mod error;
mod initial;
mod iterations;
mod learn;
mod recorded;
mod solvers;
mod step;
mod sub_data;
mod table;

pub use actions::{Action, Actions};
pub use baseline::{Baseline, baseline};
pub use batch::{BatchError, largest_batch};
pub use error::LearnError;
pub use initial::Initial;
pub use iterations::{Iterations, Measured, Simulated};
pub use learn::{Learned, Options, learn, plan, plan_from, reward};
pub use recorded::{RecordedPart, Recording, Whole};
pub(crate) use solvers::{Capuchin, QLearning, Vdnn, starts};
pub use step::{Candidate, Scheme, TrainingStep};
pub use sub_data::{SubData, sub_data};
pub use table::{QTable, TABLE_VERSION, TableError, updated};
