//! The table of all solvers, and those by name that code asks for.

use std::str::FromStr;

use crate::solver::Solver;
use crate::{auto, baseline, chain, exact, gaps, outside, swaps};

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

impl Solver {
    /// Everything that applies, together, until the limit or the proof.
    pub const AUTO: Solver = Solver::new(&auto::Auto);
    /// The mixed-integer program over critical positions alone.
    pub const MILP: Solver = Solver::new(&auto::Milp);
    /// The full time-indexed mixed-integer program: exact, for small problems.
    pub const STEPWISE: Solver = Solver::new(&exact::FullProgram);
    /// Local search alone.
    pub const LOCAL_SEARCH: Solver = Solver::new(&auto::LocalSearch);
    /// Evict-and-recompute in one pass, the cheapest per byte first.
    pub const GREEDY: Solver = Solver::new(&baseline::Greedy);
    /// Checkpoints between segments of the forward part (Chen et al. 2016).
    pub const SQRT_N: Solver = Solver::new(&baseline::SqrtN);
    /// The covering program over gaps between uses alone.
    pub const GAPS: Solver = Solver::new(&gaps::Gaps);
    /// The optimal dynamic program on chains.
    pub const CHAIN: Solver = Solver::new(&chain::DynamicProgram);
    /// Nothing is recomputed or swapped.
    pub const KEEP_ALL: Solver = Solver::new(&baseline::KeepAll);
    /// Swaps learned by Q-learning.
    pub const Q_LEARNING: Solver = Solver::new(&swaps::QLearning);
    /// A swap schedule after vDNN.
    pub const VDNN: Solver = Solver::new(&swaps::Vdnn);
    /// A swap and recompute schedule after Capuchin.
    pub const CAPUCHIN: Solver = Solver::new(&swaps::Capuchin);
    /// A program that is no part of Ballast ([`crate::Options::outside`]); not among [`SOLVERS`], since it needs a path.
    pub const EXEC: Solver = Solver::new(&outside::Exec);
}

impl Default for Solver {
    fn default() -> Self {
        Solver::AUTO
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
