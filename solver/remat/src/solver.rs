//! The door for solvers: what one is, and the table of all.

use std::borrow::Cow;
use std::fmt;
use std::panic::RefUnwindSafe;
use std::str::FromStr;
use std::sync::Arc;

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, Problem};
use ballast_core::report::{Bound, BoundClass};

use crate::board::Progress;
use crate::options::{Failure, Options};
use crate::program::Program;
use crate::{auto, baseline, chain, exact, gaps, outside, swaps};

/// Makes the memory plan of one device.
///
/// To add one, implement this in a file of its own and name it in [`SOLVERS`]: options, help texts, comparisons and
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
    /// [`Failure::NotApplicable`] for problems and options it is not made for, [`Failure::Infeasible`] with a proof.
    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Failure>;
}

/// Every solver that needs no more than a name; the first is the default.
pub static SOLVERS: [Solver; 12] = [
    Solver::AUTO,
    Solver::MILP,
    Solver::STEPWISE,
    Solver::LOCAL_SEARCH,
    Solver::GREEDY,
    Solver::SQRT_N,
    Solver::GAPS,
    Solver::CHAIN,
    Solver::KEEP_ALL,
    Solver::Q_LEARNING,
    Solver::VDNN,
    Solver::CAPUCHIN,
];

/// A solver, by name.
#[derive(Clone, Copy)]
pub struct Solver(&'static dyn MemorySolver);

impl Solver {
    /// Everything that applies, together, until the limit or the proof.
    pub const AUTO: Solver = Solver(&auto::Auto);
    /// The mixed-integer program over critical positions alone.
    pub const MILP: Solver = Solver(&auto::Milp);
    /// The full time-indexed mixed-integer program: exact, for small problems.
    pub const STEPWISE: Solver = Solver(&exact::FullProgram);
    /// Local search alone.
    pub const LOCAL_SEARCH: Solver = Solver(&auto::LocalSearch);
    /// Evict-and-recompute in one pass, the cheapest per byte first.
    pub const GREEDY: Solver = Solver(&baseline::Greedy);
    /// Checkpoints between segments of the forward part (Chen et al. 2016).
    pub const SQRT_N: Solver = Solver(&baseline::SqrtN);
    /// The covering program over gaps between uses alone.
    pub const GAPS: Solver = Solver(&gaps::Gaps);
    /// The optimal dynamic program on chains.
    pub const CHAIN: Solver = Solver(&chain::DynamicProgram);
    /// Nothing is recomputed or swapped.
    pub const KEEP_ALL: Solver = Solver(&baseline::KeepAll);
    /// Swaps learned by Q-learning.
    pub const Q_LEARNING: Solver = Solver(&swaps::QLearning);
    /// A swap schedule after vDNN.
    pub const VDNN: Solver = Solver(&swaps::Vdnn);
    /// A swap and recompute schedule after Capuchin.
    pub const CAPUCHIN: Solver = Solver(&swaps::Capuchin);
    /// A program that is no part of Ballast ([`Options::outside`]); not among [`SOLVERS`], since it needs a path.
    pub const EXEC: Solver = Solver(&outside::Exec);
}

impl std::ops::Deref for Solver {
    type Target = dyn MemorySolver;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl Default for Solver {
    fn default() -> Self {
        Solver::AUTO
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

impl FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        SOLVERS.iter().find(|solver| solver.name() == text).copied().ok_or_else(|| {
            let names: Vec<&str> = SOLVERS.iter().map(|solver| solver.name()).collect();
            format!("'{text}' is not a solver: choose one of {}", names.join(", "))
        })
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
            bound: Bound::proved(problem.total_time(), BoundClass::Any),
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
    pub fn infeasible(&self, proved: bool, least: u64, node: Option<usize>) -> Failure {
        Failure::Infeasible {
            cap_bytes: self.options.cap_bytes,
            // What is proved without an op that alone needs more is that this cap is too small.
            smallest_cap: if proved { least.max(self.options.cap_bytes.saturating_add(1)) } else { least },
            found: false,
            proved,
            node,
            label: node.map_or_else(String::new, |node| self.problem.nodes[node].label.clone()),
        }
    }

    /// Which nodes belong to the backward pass.
    pub(crate) fn backward(&self) -> Vec<bool> {
        self.problem.nodes.iter().map(|node| node.backward).collect()
    }
}
