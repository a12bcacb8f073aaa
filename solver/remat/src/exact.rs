//! The full time-indexed program, solved as a whole.

use ballast_core::limits::StopReason;
use ballast_core::report::{Bound, BoundClass};

use crate::highs::{Control, Highs, Status};
use crate::model::WHOLE_TIME;
use crate::outcome::Failure;
use crate::solver::{MemorySolver, Proposal, Task};
use crate::stepwise::{MOST_STEPS, Stepwise};

/// The full time-indexed mixed-integer program: exact, for small problems.
pub(crate) struct FullProgram;

impl MemorySolver for FullProgram {
    fn name(&self) -> &'static str {
        "stepwise"
    }

    fn about(&self) -> &'static str {
        "the full time-indexed mixed-integer program: exact, for small problems"
    }

    fn claims(&self) -> &'static [BoundClass] {
        &[BoundClass::ProgramOrderAscending]
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Failure> {
        let program = task.program;
        let refuse = |reason: String| Err(Failure::NotApplicable { solver: self.name(), reason });
        if program.len() > MOST_STEPS {
            return refuse(format!(
                "it is meant for at most {MOST_STEPS} nodes, and there are {}",
                program.len()
            ));
        }
        if task.options.swap.is_some_and(|swap| swap.overlap) {
            return refuse("it counts every copy in full, and the host link overlaps".into());
        }
        Ok(solve(task))
    }
}

/// Solves the program; none without a plan.
fn solve(task: &Task<'_>) -> Option<Proposal> {
    let program = task.program;
    let stepwise = Stepwise::new(program, task.options.swap.as_ref());
    task.progress.solves(&stepwise.model);
    let mut highs = Highs::new(&stepwise.model, false)?;
    highs.gaps(0.0, 1e-7)?;
    let control = Control {
        deadline: &task.deadline,
        enough: &|_| task.deadline.over(),
        refuse: &|_| false,
        better: &|| None,
        nodes: None,
        iterations: None,
    };
    let answer = highs.solve(&control);
    let point = answer.values?;
    let extra = (answer.bound * program.total_time / WHOLE_TIME).max(0.0);
    let optimal = answer.status == Status::Optimal;
    Some(Proposal {
        plan: program.compact(&stepwise.plan(&point)),
        bound: Bound::proved(program.total_time + extra, BoundClass::ProgramOrderAscending)
            .trusting_highs(extra > 0.0),
        method: "stepwise".into(),
        stop: if optimal { StopReason::Proved } else { task.deadline.reason() },
        work: answer.work,
        q_table: None,
    })
}
