//! A lower bound looked for alone, where a plan is known without a search.

use std::cell::Cell;

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{Problem, SwapModel};
use ballast_core::report::Bound;

use crate::incumbent::{Progress, Proved};
use crate::outcome::Error;
use crate::plan::check_problem;
use crate::portfolio::in_program_order;
use crate::program::Program;
use crate::swap_bound::{Goal, Stage, swap_bound};

/// A lower bound on the time of every plan in program order under the cap, with any steps between two first runs. One plan takes `known_time`,
/// whoever made it: the bound is no higher, and better plans alone are ruled out.
///
/// # Errors
/// [`Error::Infeasible`] where an op alone needs more than the cap; [`Error::Options`] and [`Error::Problem`] for what makes no sense.
pub fn lower_bound(
    problem: &Problem,
    (swap, cap_bytes): (&SwapModel, u64),
    known_time: f64,
    limits: &Limits,
) -> Result<Bound, Error> {
    check_problem(problem, Some(swap))?;
    let needs = problem.working_set();
    if needs.0 > cap_bytes {
        return Err(Error::infeasible(problem, cap_bytes, true, needs));
    }
    let program = Program::new(problem, None, cap_bytes).with_rounds(true);
    let total = program.total_time;
    if problem.unplanned_peak() <= cap_bytes || known_time <= total {
        return Ok(Bound::each_op_once(total));
    }
    let best = Cell::new(known_time);
    let deadline = Deadline::start(limits);
    let goal = Goal {
        known: &|| best.get(),
        offer: &|time, _| best.set(best.get().min(time)),
        deadline,
        patience: deadline,
        stop: &|| false,
        progress: &Progress::default(),
        effort: limits.work_limit,
    };
    let proof: Proved = swap_bound(Stage { problem, program: &program, swap, cap_bytes }, goal);
    Ok(match proof.extra > 0.0 {
        true => proof.bound(total, in_program_order(true)),
        false => Bound::each_op_once(total),
    })
}
