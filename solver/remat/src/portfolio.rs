//! Runs the solvers that apply under one deadline and judges what they find.

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, Problem, expand, replay};
use ballast_core::report::{Report, gap};

use crate::board::Board;
use crate::options::{Failure, Options, Outcome, PROVED_WITHIN};
use crate::program::Program;
use crate::prover::prove;
use crate::search::Search;

/// Plans one device.
///
/// # Errors
/// [`Failure::Infeasible`] when no plan keeps the cap or none was found within the limits; other failures for
/// problems and options that make no sense.
pub fn plan(problem: &Problem, options: &Options) -> Result<Outcome, Failure> {
    problem.check()?;
    if let Some(swap) = &options.swap
        && !swap.is_sound()
    {
        return Err(Failure::Options("the host link needs positive bandwidths and a finite latency".into()));
    }
    let deadline = Deadline::start(&options.limits);
    if problem.unplanned_peak() <= options.cap_bytes {
        let found = Found {
            plan: CompactPlan::default(),
            bound: problem.total_time(),
            method: "keep-all",
            stop: StopReason::Proved,
            work: 0,
        };
        return judge(problem, options, &deadline, found);
    }
    let (least, node) = problem.working_set();
    let infeasible = |proved: bool| Failure::Infeasible {
        cap_bytes: options.cap_bytes,
        smallest_cap: least,
        found: false,
        proved,
        node,
        label: node.map_or_else(String::new, |node| problem.nodes[node].label.clone()),
    };
    if least > options.cap_bytes {
        return Err(infeasible(true));
    }
    let program = Program::new(problem, None, options.cap_bytes);
    let board = Board::new(&program, deadline, options.tolerance);
    let limit = options.limits.work_limit.unwrap_or(u64::MAX);
    let work = std::thread::scope(|scope| {
        let prover = scope.spawn(|| prove(&program, &board));
        let mut search = Search::new(&program, options.limits.seed);
        let mut work = 0;
        while work < limit && !board.over() {
            work += search.run((limit - work).min(4096), &deadline);
            if let Some((extra, plan)) = search.best() {
                board.offer(*extra, plan, "local-search");
            }
        }
        let _ = prover.join();
        work
    });
    let Some(best) = board.best() else { return Err(infeasible(false)) };
    let found = Found {
        plan: program.compact(&best.plan),
        bound: program.total_time + board.bound(),
        method: best.method,
        stop: if board.proved() { StopReason::Proved } else if work < limit { deadline.reason() } else { StopReason::WorkLimit },
        work,
    };
    judge(problem, options, &deadline, found)
}

/// A plan before it is judged.
struct Found {
    plan: CompactPlan,
    bound: f64,
    method: &'static str,
    stop: StopReason,
    work: u64,
}

fn judge(problem: &Problem, options: &Options, deadline: &Deadline, found: Found) -> Result<Outcome, Failure> {
    let schedule = expand(problem, &found.plan).map_err(|error| Failure::Refused(error.to_string()))?;
    let replay = replay(problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
        .map_err(|error| Failure::Refused(error.to_string()))?;
    let value = replay.time;
    let bound = found.bound.min(value);
    let gap = gap(value, bound);
    let report = Report {
        value,
        bound,
        gap,
        proved: gap <= PROVED_WITHIN,
        bound_class: "program-order".to_owned(),
        method: found.method.to_owned(),
        stop_reason: found.stop,
        seconds: deadline.elapsed_seconds(),
        work: found.work,
        seed: options.limits.seed,
    };
    Ok(Outcome { compact: found.plan, schedule, replay, report })
}
