//! Placement of training jobs on a cluster whose devices fail, learned by an actor and a critic, after a 2021
//! Chinese patent application (\[E\] of `docs/sources.md`).
//!
//! The policy sees a job and which devices are taken, not how often they fail: that it learns from what batches
//! came to. [`run_batch`] simulates a batch with failures, [`Trainer`] learns from the simulator or from a
//! recorded history, [`place`] plans one scheduling period, [`Dispatcher`] serves a running engine, [`evaluate()`] compares with the baselines.

#![forbid(unsafe_code)]

mod dispatch;
mod evaluate;
mod faults;
mod history;
mod job;
mod method;
mod options;
mod period;
mod placer;
mod policy;
mod simulate;
mod train;
mod workload;
mod world;

pub use dispatch::{Answer, Decided, Dispatcher, Entry, Event, Message, Placement};
pub use evaluate::{Row, evaluate};
pub use faults::FaultTrace;
pub use history::{Record, RecordedDecision, parse_history};
pub use job::{ClusterDevice, DeviceState, FILE_VERSION, Job, JobCluster, JobError, JobList};
pub use method::{Method, PlacerSource};
pub use options::{Credit, ReplayBatch, TrainOptions, reward};
pub use period::{Period, PlacedJob, place};
pub use placer::{CapacityAware, FaultGreedy, FirstFit, InterferenceAware, Placer, Random, Situation};
pub use policy::{Decision, LearnedPlacer, Policy, PolicyNetwork, SavedHeader};
pub use simulate::{BatchRun, run_batch};
pub use train::{Trainer, TrainingFigures};
pub use workload::{ClusterModel, Workload};
pub use world::{FaultUnit, World};
