//! From a placed program to a whole plan: memory of every stage, load balance, rounds of both.
//!
//! The partitioner (`ballast-partition`) and the memory planner (`ballast-remat`) do not know each other. This crate
//! calls them in turn: it plans each stage's memory under its cap, raises caps that have no plan and says so, scores
//! the whole by tmax/tmin, and asks for another partition with the planned times while that may help. Every stage plan
//! passes the judge in the form in which it will be written.

#![forbid(unsafe_code)]

mod again;
mod assemble;
mod carry;
mod loosen;
mod near;
pub mod pipelined;
mod polish;
mod pooled;
mod rank;
pub mod replan;
mod round;
mod rounds;
mod stages;
#[cfg(test)]
mod support;
mod versions;
pub mod ways;

pub use again::{Again, Repartition, Wanted};
pub use assemble::{Planned, Relaxed};
pub use rounds::{plan, unplanned};
pub use stages::{StageOutcome, caps_of, plan_stages, stage_file};
pub use versions::versions;

use std::collections::BTreeMap;
use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::limits::Limits;
use ballast_core::memory::CompactPlan;
use ballast_core::outside::Executable;
use ballast_core::pipeline::{FlowError, Spec};
use ballast_core::simulate::Rejection;
use ballast_core::stage::Stage;
use ballast_core::units::{Bytes, told_apart};
use ballast_remat::Solver;
use ballast_remat::swaps::{self, QTable};

/// What to plan for, and how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cap of every stage.
    pub cap: CapSpec,
    /// Who plans a stage's memory.
    pub solver: Solver,
    /// The program that plans, where the solver is [`Solver::EXEC`].
    pub outside: Option<Executable>,
    /// Parameters of Q-learning, where it is the solver; its cap is the stage's.
    pub q_learning: swaps::Options,
    /// Tables Q-learning goes on from, by device.
    pub q_tables: BTreeMap<DeviceId, QTable>,
    /// May a stage run its ops in another order?
    pub order: ballast_remat::Order,
    /// May values be swapped to host memory?
    pub swap: bool,
    /// Do copies run beside computation?
    pub overlap: bool,
    /// Alignment in bytes of the arena that every stage's cap holds for; none: caps hold for live bytes.
    pub arena: Option<u64>,
    /// Limits of the whole search, all stages and rounds together.
    pub limits: Limits,
    /// A cap without a plan is raised by this share of the requested cap at a time.
    pub relax_step: f64,
    /// Largest cap, as a multiple of the requested one; 0: a cap without a plan is an error.
    pub relax_limit: f64,
    /// Stop asking for other partitions at this ratio of slowest to fastest stage.
    pub max_ratio: f64,
    /// Largest number of rounds of partition and memory plan; 1: the partition is not touched.
    pub max_rounds: usize,
    /// Plan a pipeline of micro-batches.
    pub pipeline: Option<Pipelining>,
    /// Stages of a plan in use with their memory plans, by device: the first plan of a device starts from what is left of its own.
    pub in_use: BTreeMap<DeviceId, (Stage, CompactPlan)>,
    /// Where to write each stage's mixed-integer program; the stage number goes before the extension.
    pub model_file: Option<PathBuf>,
}

/// On one partition, under the memory of the devices, with swaps that do not overlap.
impl Default for Options {
    fn default() -> Self {
        Options {
            cap: CapSpec::DeviceMemory,
            solver: Solver::default(),
            outside: None,
            q_learning: swaps::Options::default(),
            q_tables: BTreeMap::new(),
            order: ballast_remat::Order::Program,
            swap: true,
            overlap: false,
            arena: None,
            limits: Limits::default(),
            relax_step: 0.05,
            relax_limit: 2.0,
            max_ratio: 1.1,
            max_rounds: 1,
            pipeline: None,
            in_use: BTreeMap::new(),
            model_file: None,
        }
    }
}

/// How a program is planned as a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipelining {
    /// Schedule and micro-batches.
    pub spec: Spec,
    /// By what cuts move.
    pub granularity: ballast_partition::sequence::Granularity,
    /// May devices stay idle, where a step is shorter without them?
    pub may_idle: bool,
}

/// What [`Error::Infeasible`] says where a longer search may still find a plan: the name of the op that binds is followed by it.
pub const UNPROVED: &str = "binds in the best plan found";

/// What [`Error::Infeasible`] says of a smallest cap that other ways to store values, or to open loops, may go below.
const TRIED: &str = " in the ways tried to store values";

/// What [`Error::Infeasible`] begins with, by which programs that read messages know it.
pub const NO_PLAN: &str = "no memory plan";

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No plan of this stage keeps its cap, and relaxing was off or did not help.
    #[error(
        "{NO_PLAN} of device {device} {} its cap of {}: '{label}' {}; the smallest cap {} {}{}{}",
        if *proved && *every_way { "keeps" } else { "was found that keeps" },
        told_apart([*cap, *smallest])[0],
        match *proved {
            true if smallest.0 > cap.0.saturating_add(1) => "alone needs more",
            true => "binds",
            false => UNPROVED,
        },
        if *found { "found to have a plan is" } else { "not ruled out is" },
        told_apart([*cap, *smallest])[1],
        if *every_way || *found { "" } else { TRIED },
        meant_as_share(*cap, *smallest),
    )]
    Infeasible {
        /// The stage.
        device: DeviceId,
        /// The op that binds.
        op: Option<OpId>,
        /// Its name.
        label: String,
        /// The cap asked for.
        cap: Bytes,
        /// A cap found to have a plan, or else the least any plan can have.
        smallest: Bytes,
        /// Does a plan for `smallest` exist for certain?
        found: bool,
        /// Is it proved that the cap has no plan?
        proved: bool,
        /// Does what is proved hold however values are stored and loops are opened, or in the ways alone that were tried?
        every_way: bool,
    },
    /// A solver failed, or proposed what the judge refuses.
    #[error("device {device}: {message}")]
    Stage {
        /// The stage.
        device: DeviceId,
        /// The op concerned, where there is one.
        op: Option<OpId>,
        /// What went wrong.
        message: String,
    },
    /// The program or its placement is no pipeline of training steps.
    #[error("{message}")]
    Pipeline {
        /// The op concerned, where there is one.
        op: Option<OpId>,
        /// What is wrong.
        message: String,
    },
    /// The partitioner failed.
    #[error("{0}")]
    Partition(String),
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] ballast_core::report::FalseBound),
}

/// A number without a unit is bytes; where it is far too small it was most likely meant as a percentage.
fn meant_as_share(cap: Bytes, smallest: Bytes) -> String {
    let Bytes(number) = cap;
    if number > 100 || smallest.0 <= number.saturating_mul(1000) {
        return String::new();
    }
    format!(
        "; {number} without a unit is {number} bytes: write {number}% for a share of what the stage needs unplanned"
    )
}

impl From<FlowError> for Error {
    fn from(error: FlowError) -> Self {
        Error::Pipeline { op: error.op(), message: error.to_string() }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Error::Stage { device: rejection.device, op: rejection.op, message: rejection.error.to_string() }
    }
}

impl Error {
    /// The op concerned, where there is one.
    #[must_use]
    pub fn op(&self) -> Option<OpId> {
        match self {
            Error::Infeasible { op, .. } | Error::Stage { op, .. } | Error::Pipeline { op, .. } => *op,
            Error::Partition(_) | Error::Bound(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_missed_by_a_few_bytes_is_told_from_the_smallest_one() {
        let refused_in = |cap, smallest, every_way| {
            let (device, label) = (DeviceId(0), "dot".to_owned());
            let (cap, smallest) = (Bytes(cap), Bytes(smallest));
            Error::Infeasible {
                device,
                op: None,
                label,
                cap,
                smallest,
                found: false,
                proved: true,
                every_way,
            }
            .to_string()
        };
        let refused = |cap, smallest| refused_in(cap, smallest, true);
        let near = refused(12_163_481, 12_163_482);
        assert!(
            near.contains("its cap of 12163481 B:") && near.contains("ruled out is 12163482 B"),
            "{near}"
        );
        assert!(refused(60, 60_001).ends_with(
            "; 60 without a unit is 60 bytes: write 60% for a share of what the stage needs unplanned"
        ));
        assert!(
            !refused(60, 60_000).contains("without a unit")
                && !refused(101, 1 << 40).contains("without a unit")
        );
        assert!(refused(1024, 2048).contains("ruled out is 2.0 KiB"));
        assert!(refused(1024, 2048).starts_with(&format!("{NO_PLAN} of device 0 keeps")), "that is proved");
        // Proved of the ways to store values that were tried, and of no other.
        let tried = refused_in(1024, 2048, false);
        assert!(
            tried.starts_with(&format!("{NO_PLAN} of device 0 was found that keeps"))
                && tried.ends_with("ruled out is 2.0 KiB in the ways tried to store values"),
            "{tried}"
        );
    }
}
