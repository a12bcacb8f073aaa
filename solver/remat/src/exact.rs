//! Solves the full time-indexed program.

use ballast_core::limits::Deadline;
use ballast_core::memory::SwapModel;

use crate::board::Progress;
use crate::highs::{Control, Highs, Status};
use crate::interval::WHOLE_TIME;
use crate::program::{Plan, Program};
use crate::stepwise::Stepwise;

/// What the full program gave.
pub(crate) struct Exact {
    pub(crate) plan: Plan,
    /// Lower bound on the time beyond running everything once.
    pub(crate) bound: f64,
    pub(crate) optimal: bool,
    /// Branch-and-bound nodes.
    pub(crate) work: u64,
}

/// Solves the full program; none without a plan.
pub(crate) fn solve_stepwise(
    program: &Program,
    swap: Option<&SwapModel>,
    progress: &Progress,
    deadline: &Deadline,
) -> Option<Exact> {
    let stepwise = Stepwise::new(program, swap);
    progress.solves(&stepwise.model);
    let mut highs = Highs::new(&stepwise.model, false)?;
    highs.gaps(0.0, 1e-7)?;
    let control = Control {
        deadline,
        enough: &|_| deadline.over(),
        refuse: &|_| false,
        better: &|| None,
        nodes: None,
        iterations: None,
    };
    let answer = highs.solve(&control);
    let point = answer.values?;
    Some(Exact {
        plan: stepwise.plan(&point),
        bound: (answer.bound * program.total_time / WHOLE_TIME).max(0.0),
        optimal: answer.status == Status::Optimal,
        work: answer.work,
    })
}
