//! One device's memory-planning problem, its schedules, and the replay that judges them.
//!
//! A [`Problem`] is an op sequence on one device: each node computes one value from earlier values. A
//! [`Schedule`] is a list of steps (compute, free, swap out, swap in, free on the host). [`replay()`] is the one
//! judge: it derives time, peak and timeline, and refuses every schedule that breaks a rule.
//!
//! Names of times and rates here have no unit, as theirs is the problem's: seconds for programs, and for instances a unit of the file's own.
//! Rates are bytes per that unit.

mod compact;
mod liveness;
pub(crate) mod pool;
mod problem;
mod replay;
mod schedule;
mod trace;

pub use compact::{CompactError, CompactPlan, CopyRound, compact, expand};
pub use liveness::{LiveInterval, live_intervals};
pub use problem::{Node, NodeId, Problem, ProblemError};
pub use replay::{Assessment, Replay, ReplayError, SwapModel, assess, replay};
pub use schedule::{Schedule, Step};
pub use trace::{Event, EventKind, trace};
