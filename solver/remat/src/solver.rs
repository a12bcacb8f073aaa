//! The door for solvers: what one is, what it is asked and what it answers. The table of all is [`crate::solvers`].

use std::borrow::Cow;
use std::fmt;
use std::panic::RefUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use ballast_core::graph::LayerType;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, NodeId, Problem, SwapModel};
use ballast_core::outside::Executable;
use ballast_core::report::{Bound, BoundClass};

use crate::incumbent::Progress;
use crate::outcome::{Error, Order};
use crate::program::Program;
use crate::swaps;

/// Makes the memory plan of one device.
///
/// To add one, implement this in a file of its own and name it in [`crate::SOLVERS`]: options, help texts, comparisons and
/// passes take their names from there. `passes/` has the list once more, in `Passes.td`, and a test compares the two.
pub trait MemorySolver: Sync + RefUnwindSafe {
    /// The name users write.
    fn name(&self) -> &'static str;

    /// What it does, in a few words.
    fn about(&self) -> &'static str;

    /// The classes it may claim a bound for; a bound of another class is refused as a bug. Without a proof of its own
    /// it claims what holds for every plan: each node runs once.
    fn claims(&self) -> &'static [BoundClass] {
        &[BoundClass::Any]
    }

    /// Does the plan depend on the seed?
    fn seeded(&self) -> bool {
        false
    }

    /// May the problem be one micro-batch of a pipeline, or padded for an arena? Both ask several times, under caps of
    /// their own.
    fn plans_parts(&self) -> bool {
        true
    }

    /// A plan under the cap; none where none was found. It is judged afterwards, and not trusted.
    ///
    /// # Errors
    /// [`Error::NotApplicable`] for problems and options it is not made for, [`Error::Infeasible`] with a proof.
    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error>;
}

/// A solver, by name.
#[derive(Clone, Copy)]
pub struct Solver(&'static dyn MemorySolver);

impl Solver {
    /// One that need not be in the table of all.
    #[must_use]
    pub const fn new(solver: &'static dyn MemorySolver) -> Self {
        Solver(solver)
    }
}

impl std::ops::Deref for Solver {
    type Target = dyn MemorySolver;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Solver {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Solver {}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What to plan for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Largest number of bytes on the device at any moment, resident bytes included.
    pub cap_bytes: u64,
    /// The host link; none: nothing is swapped.
    pub swap: Option<SwapModel>,
    /// Alignment in bytes of the buffers of an arena: the plan comes with an address for every buffer, and the cap holds for
    /// the arena, gaps included. None: it holds for the live bytes.
    pub alignment: Option<u64>,
    /// Without an arena: the cap holds for the heap that XLA would lay the plan's buffers out in, the largest first, of whose gaps the resident bytes have so
    /// many. None: it holds for the live bytes.
    pub heap_gaps_bytes: Option<u64>,
    /// May first runs be reordered?
    pub order: Order,
    /// May recomputes between two first runs take any order, and a node run there twice? Plans in the IR have no
    /// form for that.
    pub rounds: bool,
    /// Time, work, seed, threads.
    pub limits: Limits,
    /// Who makes the plan.
    pub solver: Solver,
    /// Where to write the mixed-integer program: LP, or MPS where the extension says so.
    pub model_file: Option<PathBuf>,
    /// The search ends once value and bound are this close, relative to the value.
    pub tolerance: f64,
    /// Share of the limit after which a search that has no plan at all gives up.
    pub patience: f64,
    /// Plans to start from, such as one for a smaller cap; they need not keep the cap. Those with swaps count where
    /// there is a host link.
    pub starts: Vec<CompactPlan>,
    /// The layer type of every node, for solvers that go by layers; empty where nobody knows them.
    pub layers: Vec<LayerType>,
    /// Parameters of Q-learning; the cap in them is not read.
    pub q_learning: swaps::Options,
    /// The table Q-learning goes on from.
    pub q_table: Option<swaps::QTable>,
    /// The program that plans, where the solver is [`Solver::EXEC`].
    pub outside: Option<Executable>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cap_bytes: u64::MAX >> 1,
            swap: None,
            alignment: None,
            heap_gaps_bytes: None,
            order: Order::Free,
            rounds: false,
            limits: Limits::default(),
            solver: Solver::default(),
            model_file: None,
            tolerance: ballast_core::report::PROOF_TOLERANCE,
            patience: 1.0,
            starts: Vec::new(),
            layers: Vec::new(),
            q_learning: swaps::Options::default(),
            q_table: None,
            outside: None,
        }
    }
}

/// What a solver is to plan: a problem whose unchanged program does not fit the cap.
pub struct Task<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Cap, host link, order, limits and what else was asked for.
    pub options: &'a Options,
    /// The clock of the whole search.
    pub deadline: Deadline,
    /// The problem in the form the searches work on.
    pub(crate) program: &'a Program,
    pub(crate) progress: Arc<Progress>,
}

/// A plan before it is judged.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The plan.
    pub plan: CompactPlan,
    /// A bound on the time, of one of the classes the solver may claim.
    pub bound: Bound,
    /// Who found it: the solver, or the part of it that did.
    pub method: Cow<'static, str>,
    /// Why the search stopped.
    pub stop: StopReason,
    /// Search steps taken.
    pub work: u64,
    /// What Q-learning learned.
    pub q_table: Option<swaps::QTable>,
}

impl Proposal {
    /// A plan made in one pass, with the bound that every node runs once.
    #[must_use]
    pub fn in_one_pass(method: &'static str, plan: CompactPlan, problem: &Problem) -> Self {
        Proposal {
            plan,
            bound: Bound::each_op_once(problem.total_time()),
            method: method.into(),
            stop: StopReason::Finished,
            work: 0,
            q_table: None,
        }
    }
}

impl Task<'_> {
    /// No plan keeps the cap, or none was found; `least` bytes and `node` say what binds.
    #[must_use]
    pub fn infeasible(&self, proved: bool, least: u64, node: Option<NodeId>) -> Error {
        Error::infeasible(self.problem, self.options.cap_bytes, proved, (least, node))
    }

    /// Which nodes belong to the backward pass.
    pub(crate) fn backward(&self) -> Vec<bool> {
        self.problem.nodes.iter().map(|node| node.backward).collect()
    }
}
