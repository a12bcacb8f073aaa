//! What comes back, and why there may be no plan.

use std::path::PathBuf;
use std::str::FromStr;

use ballast_core::memory::{CompactPlan, NodeId, Problem, ProblemError, Replay, Schedule};
use ballast_core::report::{FalseBound, Report};

use crate::arena::Arena;
use crate::swaps::QTable;

/// May first runs be reordered?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// First runs keep program order: comparable with published figures.
    Program,
    /// First runs may take any order that puts inputs first.
    #[default]
    Free,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "program" => Ok(Order::Program),
            "free" => Ok(Order::Free),
            _ => Err(format!("'{text}' is not an order: choose program or free")),
        }
    }
}

pub use ballast_core::report::PROVED_WITHIN;

/// A plan, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The plan in its compact form.
    pub compact: CompactPlan,
    /// All its steps.
    pub schedule: Schedule,
    /// What the judge found, under the cap.
    pub replay: Replay,
    /// Addresses, where the options give an alignment.
    pub arena: Option<Arena>,
    /// Bytes of the block its values lie in and of what is resident, where the options ask for a block: no less than the peak, for what lies between them.
    pub block_bytes: Option<u64>,
    /// Value, bound and how they were found. The value is the time of the plan.
    pub report: Report,
    /// Seconds since the start and time of the plan, each time a better one was found.
    pub progress: Vec<(f64, f64)>,
    /// What Q-learning learned, where it is the solver.
    pub q_table: Option<QTable>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No plan keeps the cap, or none was found.
    #[error(
        "no plan fits the cap of {cap_bytes} bytes: {}node {} ('{label}') {}; the smallest cap {} {smallest_cap} bytes",
        if *proved { "" } else { "none was found within the limits. " },
        node.map_or_else(|| "-".to_owned(), |node| node.to_string()),
        if *proved && *smallest_cap > cap_bytes.saturating_add(1) { "alone needs more" } else { "binds" },
        if *found { "found to have a plan is" } else { "not ruled out is" },
    )]
    Infeasible {
        /// The cap asked for.
        cap_bytes: u64,
        /// A cap found to have a plan, or else the least any plan can have.
        smallest_cap: u64,
        /// Does a plan for `smallest_cap` exist for certain?
        found: bool,
        /// Is it proved that the cap has no plan?
        proved: bool,
        /// The node that binds.
        node: Option<NodeId>,
        /// Its label.
        label: String,
    },
    /// The problem itself makes no sense.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The options make no sense.
    #[error("{0}")]
    Options(String),
    /// The chosen solver does not apply to this problem.
    #[error("solver {solver} does not apply: {reason}")]
    NotApplicable {
        /// Name of the solver.
        solver: &'static str,
        /// Why.
        reason: String,
    },
    /// A planner outside of Ballast cannot be run.
    #[error("{reason}")]
    NoProgram {
        /// The program, and why not.
        reason: String,
    },
    /// A planner outside of Ballast gave no plan, or one that the judge refuses.
    #[error("{reason}")]
    Outside {
        /// The program, and what is wrong.
        reason: String,
    },
    /// The model file could not be written.
    #[error("cannot write the model to {}: {reason}", path.display())]
    ModelFile {
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A plan that the judge refused: a bug.
    #[error("internal error: a plan was refused by the judge: {0}")]
    Refused(String),
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
}

impl Error {
    /// No plan keeps the cap, or none was found; `least` bytes and `node` say what binds.
    pub(crate) fn infeasible(
        problem: &Problem,
        cap_bytes: u64,
        proved: bool,
        (least, node): (u64, Option<NodeId>),
    ) -> Self {
        Error::Infeasible {
            cap_bytes,
            // What is proved without an op that alone needs more is that this cap is too small.
            smallest_cap: if proved { least.max(cap_bytes.saturating_add(1)) } else { least },
            found: false,
            proved,
            node,
            label: node.map_or_else(String::new, |node| problem.nodes[node].label.clone()),
        }
    }
}
