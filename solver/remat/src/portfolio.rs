//! Runs the solvers that apply under one deadline and judges what they find.

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, Problem, expand, replay};
use ballast_core::report::{Report, gap};

use crate::board::Board;
use crate::exact::solve_stepwise;
use crate::highs::Highs;
use crate::interval::Interval;
use crate::options::{Failure, Options, Outcome, PROVED_WITHIN, Solver};
use crate::program::{Plan, Program};
use crate::prover::{first_positions, prove};
use crate::search::Search;
use crate::stepwise::{MOST_NODES, Stepwise};

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
    let run = Run { problem, options, deadline };
    let program = Program::new(problem, None, options.cap_bytes);
    run.write_model(&program)?;
    if problem.unplanned_peak() <= options.cap_bytes {
        return run.judge(Found {
            plan: CompactPlan::default(),
            bound: program.total_time,
            class: "any",
            method: "keep-all",
            stop: StopReason::Proved,
            work: 0,
        });
    }
    let (least, node) = problem.working_set();
    if least > options.cap_bytes {
        return Err(run.infeasible(true, least, node));
    }
    let found = match options.solver {
        Solver::KeepAll => Err(Failure::NotApplicable {
            solver: options.solver.name(),
            reason: "the unchanged program does not fit the cap".into(),
        }),
        Solver::Stepwise => run.stepwise(&program),
        _ => run.search_and_prove(&program),
    }?;
    let Some(found) = found else { return Err(run.infeasible(false, least, node)) };
    run.judge(found)
}

/// A plan before it is judged.
struct Found {
    plan: CompactPlan,
    bound: f64,
    /// Plans the bound holds for.
    class: &'static str,
    method: &'static str,
    stop: StopReason,
    work: u64,
}

struct Run<'a> {
    problem: &'a Problem,
    options: &'a Options,
    deadline: Deadline,
}

impl Run<'_> {
    fn infeasible(&self, proved: bool, least: u64, node: Option<usize>) -> Failure {
        Failure::Infeasible {
            cap_bytes: self.options.cap_bytes,
            smallest_cap: least,
            found: false,
            proved,
            node,
            label: node.map_or_else(String::new, |node| self.problem.nodes[node].label.clone()),
        }
    }

    /// Writes the model the options ask for: the full program for small problems, else the interval model.
    fn write_model(&self, program: &Program) -> Result<(), Failure> {
        let Some(path) = &self.options.model_file else { return Ok(()) };
        let full = program.len() <= MOST_NODES && self.options.solver != Solver::Milp;
        let model = if full || self.options.solver == Solver::Stepwise {
            Stepwise::new(program, self.options.swap.as_ref()).model
        } else {
            Interval::new(program, &first_positions(program, usize::MAX)).model
        };
        Highs::write(&model, path).map_err(|reason| Failure::ModelFile { path: path.clone(), reason })
    }

    fn stepwise(&self, program: &Program) -> Result<Option<Found>, Failure> {
        let refuse = |reason: String| Err(Failure::NotApplicable { solver: "stepwise", reason });
        if program.len() > MOST_NODES {
            return refuse(format!("it is meant for at most {MOST_NODES} nodes, and there are {}", program.len()));
        }
        if self.options.swap.is_some_and(|swap| swap.overlap) {
            return refuse("it counts every copy in full, and the host link overlaps".into());
        }
        let Some(exact) = solve_stepwise(program, self.options.swap.as_ref(), &self.deadline) else {
            return Ok(None);
        };
        Ok(Some(Found {
            plan: program.compact(&exact.plan),
            bound: program.total_time + exact.bound,
            class: PROGRAM_ORDER,
            method: "stepwise",
            stop: if exact.optimal { StopReason::Proved } else { self.deadline.reason() },
            work: exact.work,
        }))
    }

    fn search_and_prove(&self, program: &Program) -> Result<Option<Found>, Failure> {
        let options = self.options;
        let board = Board::new(program, self.deadline, options.tolerance);
        let limit = options.limits.work_limit.unwrap_or(u64::MAX);
        let work = std::thread::scope(|scope| {
            let prover = (options.solver != Solver::LocalSearch).then(|| scope.spawn(|| prove(program, &board)));
            let mut search = Search::new(program, options.limits.seed);
            let mut work = 0;
            if options.solver != Solver::Milp {
                while work < limit && !board.over() {
                    work += search.run((limit - work).min(4096), &self.deadline);
                    match search.best() {
                        Some((extra, plan)) => board.offer(*extra, plan, "local-search"),
                        None if self.impatient(work, limit) && board.best().is_none() => board.finish(),
                        None => {}
                    }
                }
            }
            if let Some(prover) = prover {
                let _ = prover.join();
            }
            work
        });
        if board.refuted() {
            let (least, node) = self.problem.working_set();
            return Err(self.infeasible(true, least, node));
        }
        let Some(best) = board.best() else { return Ok(None) };
        let stop = if board.proved() {
            StopReason::Proved
        } else if self.deadline.over() {
            self.deadline.reason()
        } else if work >= limit {
            StopReason::WorkLimit
        } else {
            StopReason::Finished
        };
        Ok(Some(Found {
            plan: program.compact(&Plan::recomputing(&best.plan)),
            bound: program.total_time + board.bound(),
            class: PROGRAM_ORDER,
            method: best.method,
            stop,
            work,
        }))
    }

    /// Has a search without any plan had its share of the limits?
    fn impatient(&self, work: u64, limit: u64) -> bool {
        let patience = self.options.patience;
        let slow = self
            .options
            .limits
            .time_limit_seconds
            .is_some_and(|limit| self.deadline.elapsed_seconds() > patience * limit);
        slow || (limit < u64::MAX && work as f64 > patience * limit as f64)
    }

    fn judge(&self, found: Found) -> Result<Outcome, Failure> {
        let refused = |error: String| Failure::Refused(error);
        let schedule = expand(self.problem, &found.plan).map_err(|error| refused(error.to_string()))?;
        let options = self.options;
        let replay = replay(self.problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
            .map_err(|error| refused(error.to_string()))?;
        let value = replay.time;
        let bound = found.bound.min(value);
        let gap = gap(value, bound);
        let report = Report {
            value,
            bound,
            gap,
            proved: gap <= PROVED_WITHIN,
            bound_class: found.class.to_owned(),
            method: found.method.to_owned(),
            stop_reason: found.stop,
            seconds: self.deadline.elapsed_seconds(),
            work: found.work,
            seed: options.limits.seed,
        };
        Ok(Outcome { compact: found.plan, schedule, replay, report })
    }
}

/// Plans with first runs in program order, each op at most once per step, recomputes of a step in program order.
const PROGRAM_ORDER: &str = "program-order";
