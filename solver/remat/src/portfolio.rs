//! Runs the solvers that apply under one deadline and judges what they find.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ballast_core::limits::{Deadline, StopReason};
use ballast_core::memory::{CompactPlan, Problem, expand, replay};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};

use crate::baseline::{greedy, quick, segments};
use crate::board::{Board, Progress};
use crate::chain::Chain;
use crate::exact::solve_stepwise;
use crate::free::{Free, search_free};
use crate::frontier::{Frontier, search_states};
use crate::gaps::cover;
use crate::highs::Highs;
use crate::interval::{Interval, WHOLE_TIME};
use crate::options::{Failure, Options, Order, Outcome, PROVED_WITHIN, Solver};
use crate::packed::packed;
use crate::program::{Again, MOST_NODES, Plan, Program};
use crate::prover::{first_positions, prove};
use crate::search::Search;
use crate::state::Rules;
use crate::stepwise::{MOST_STEPS, Stepwise};
use crate::timeline::Timeline;

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
    if let Some(alignment) = options.alignment {
        return packed(problem, options, alignment);
    }
    let deadline = Deadline::start(&options.limits);
    let run =
        Run { problem, options, deadline, progress: Arc::new(Progress::new(options.model_file.is_some())) };
    if problem.nodes.len() >= MOST_NODES {
        return Err(Failure::Options(format!(
            "{} nodes: at most {} are planned",
            problem.nodes.len(),
            MOST_NODES - 1
        )));
    }
    let program = Program::new(problem, None, options.cap_bytes).with_rounds(options.rounds);
    run.check_model_file()?;
    if problem.unplanned_peak() <= options.cap_bytes {
        return run.judge(
            &program,
            Found {
                plan: CompactPlan::default(),
                bound: Bound::proved(program.total_time, BoundClass::Any),
                method: "keep-all",
                stop: StopReason::Proved,
                work: 0,
            },
        );
    }
    let (least, node) = problem.working_set();
    if least > options.cap_bytes {
        return Err(run.infeasible(true, least, node));
    }
    let mut known = None;
    if options.solver == Solver::Auto {
        match run.states(least, node)? {
            Some(States::Best(found)) => return run.judge(&program, found),
            Some(States::Bound(bound)) => known = Some(bound),
            None => {}
        }
    }
    let found = match options.solver {
        Solver::KeepAll => Err(Failure::NotApplicable {
            solver: options.solver.name(),
            reason: "the unchanged program does not fit the cap".into(),
        }),
        Solver::Stepwise => run.stepwise(&program),
        Solver::Greedy => Ok(run.baseline(&program, "greedy", greedy(&program))),
        Solver::SqrtN => {
            Ok(run.baseline(&program, "sqrt-n", segments(&program, &run.backward(), usize::MAX)))
        }
        Solver::Gaps => Ok(run.baseline(&program, "gaps", run.cover(&program))),
        Solver::Chain => run.chain(&program).map(|plan| run.baseline(&program, "chain", plan)),
        Solver::Auto | Solver::LocalSearch if options.swap.is_some() => run.joint(&program),
        Solver::Auto | Solver::LocalSearch if options.order == Order::Free => run.free(&program),
        _ => run.search_and_prove(&program),
    }?;
    let Some(mut found) = found else { return Err(run.infeasible(false, least, node)) };
    if let Some(bound) = known.filter(|bound| bound.value() > found.bound.value()) {
        found.bound = bound;
    }
    run.judge(&program, found)
}

/// A plan before it is judged.
pub(crate) struct Found {
    pub(crate) plan: CompactPlan,
    pub(crate) bound: Bound,
    pub(crate) method: &'static str,
    pub(crate) stop: StopReason,
    pub(crate) work: u64,
}

/// What the search over states of a small problem found.
enum States {
    /// The best plan.
    Best(Found),
    /// It was stopped; a bound.
    Bound(Bound),
}

pub(crate) struct Run<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Arc<Progress>,
}

impl Run<'_> {
    fn infeasible(&self, proved: bool, least: u64, node: Option<usize>) -> Failure {
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

    /// Searches the states of a small problem; none where it is too large.
    fn states(&self, least: u64, node: Option<usize>) -> Result<Option<States>, Failure> {
        let Options { swap, cap_bytes, rounds, limits, .. } = self.options;
        let free = self.options.order == Order::Free;
        let Some(rules) = Rules::new(self.problem, swap.as_ref(), *cap_bytes, free, *rounds) else {
            return Ok(None);
        };
        let part = if limits.time_limit_seconds.is_some() {
            self.deadline.within(self.deadline.remaining_seconds() * STATES_SHARE)
        } else {
            self.deadline
        };
        let most = limits.work_limit.map_or(MOST_STATES, |work| (work / MOVES_PER_STATE).min(MOST_STATES));
        let Frontier { plan, bound, complete, work } = search_states(&rules, most, &part);
        tracing::debug!(work, bound, complete, seconds = self.deadline.elapsed_seconds(), "states");
        let class = match (free, *rounds) {
            (true, true) => BoundClass::Any,
            (true, false) => BoundClass::AnyOrderAscending,
            (false, rounds) => in_program_order(rounds),
        };
        match plan {
            Some(plan) => Ok(Some(States::Best(Found {
                plan,
                bound: Bound::proved(bound, class),
                method: "best-first",
                stop: StopReason::Proved,
                work,
            }))),
            None if complete => Err(self.infeasible(true, least, node)),
            None => Ok(Some(States::Bound(Bound::proved(bound, class)))),
        }
    }

    /// Can the model be written where the options ask for it?
    fn check_model_file(&self) -> Result<(), Failure> {
        let Some(path) = &self.options.model_file else { return Ok(()) };
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let reason = match ballast_core::file::check_target(path) {
            Err(error) => error.to_string(),
            Ok(()) if !matches!(extension, "lp" | "mps") => "the extension is .lp or .mps".into(),
            Ok(()) => return Ok(()),
        };
        Err(Failure::ModelFile { path: path.clone(), reason })
    }

    /// Writes the mixed-integer program that was solved last; where none was needed, the full program if the problem is small, else the
    /// interval model.
    fn write_model(&self, program: &Program) -> Result<(), Failure> {
        let Some(path) = &self.options.model_file else { return Ok(()) };
        let model = self.progress.model().unwrap_or_else(|| {
            if program.len() <= MOST_STEPS && self.options.solver != Solver::Milp {
                Stepwise::new(program, self.options.swap.as_ref()).model
            } else {
                let unit = program.total_time / WHOLE_TIME;
                let positions = first_positions(program, usize::MAX);
                Interval::with_swaps(program, &positions, unit, self.options.swap.as_ref()).model
            }
        });
        Highs::write(&model, path).map_err(|reason| Failure::ModelFile { path: path.clone(), reason })
    }

    /// A plan made in one pass; it comes with the trivial bound.
    fn baseline(
        &self,
        program: &Program,
        method: &'static str,
        plan: Option<(f64, Vec<Again>)>,
    ) -> Option<Found> {
        let (_, again) = plan?;
        Some(Found {
            plan: program.compact(&Plan::recomputing(&again)),
            bound: Bound::proved(program.total_time, BoundClass::Any),
            method,
            stop: StopReason::Finished,
            work: 0,
        })
    }

    pub(crate) fn backward(&self) -> Vec<bool> {
        self.problem.nodes.iter().map(|node| node.backward).collect()
    }

    /// The covering program's plan, if it keeps the cap.
    fn cover(&self, program: &Program) -> Option<(f64, Vec<Again>)> {
        let mut line = Timeline::new(program);
        line.load(&cover(program, &self.deadline)?);
        (line.excess <= 0.0).then(|| (line.extra_time, line.plan()))
    }

    /// The plan of the dynamic program on chains.
    fn chain(&self, program: &Program) -> Result<Option<(f64, Vec<Again>)>, Failure> {
        let Some(chain) = Chain::of(program) else {
            let reason = "the graph is not a chain of layers with one gradient each".into();
            return Err(Failure::NotApplicable { solver: "chain", reason });
        };
        Ok(self.chain_plan(program, &chain, &self.deadline))
    }

    fn chain_plan(
        &self,
        program: &Program,
        chain: &Chain<'_>,
        deadline: &Deadline,
    ) -> Option<(f64, Vec<Again>)> {
        let mut line = Timeline::new(program);
        let plan = chain.solve(deadline)?;
        tracing::debug!(exact = plan.exact, "dynamic program on a chain");
        line.load(&plan.again);
        (line.excess <= 0.0).then(|| (line.extra_time, line.plan()))
    }

    /// Starts that need no search: the best of them, and one to search from.
    fn starts(&self, program: &Program, board: &Board, search: &mut Search<'_>) {
        if let Some((extra, again, method)) = quick(program, &self.backward()) {
            board.offer(extra, &again, method);
        }
        let left = self.deadline.remaining_seconds();
        if left < LEAST_SECONDS {
            return;
        }
        if let Some((extra, again)) = Chain::of(program).and_then(|chain| {
            let part =
                if left.is_finite() { self.deadline.within(left * CHAIN_SHARE) } else { self.deadline };
            self.chain_plan(program, &chain, &part)
        }) {
            board.offer(extra, &again, "chain");
            search.adopt(&again);
        } else if let Some(again) = cover(program, &self.deadline) {
            search.adopt(&again);
            if let Some((extra, again)) = search.best() {
                board.offer(*extra, again, "gaps");
            }
        }
    }

    /// A search in program order, from the start given if there is one.
    pub(crate) fn search<'p>(&self, program: &'p Program) -> Search<'p> {
        let mut search = Search::new(program, self.options.limits.seed);
        for again in self.options.starts.iter().filter_map(|start| program.recomputes(start)) {
            search.adopt(&again);
        }
        search
    }

    fn stepwise(&self, program: &Program) -> Result<Option<Found>, Failure> {
        let refuse = |reason: String| Err(Failure::NotApplicable { solver: "stepwise", reason });
        if program.len() > MOST_STEPS {
            return refuse(format!(
                "it is meant for at most {MOST_STEPS} nodes, and there are {}",
                program.len()
            ));
        }
        if self.options.swap.is_some_and(|swap| swap.overlap) {
            return refuse("it counts every copy in full, and the host link overlaps".into());
        }
        let Some(exact) = solve_stepwise(program, self.options.swap.as_ref(), &self.progress, &self.deadline)
        else {
            return Ok(None);
        };
        Ok(Some(Found {
            plan: program.compact(&exact.plan),
            bound: Bound::proved(program.total_time + exact.bound, BoundClass::ProgramOrderAscending),
            method: "stepwise",
            stop: if exact.optimal { StopReason::Proved } else { self.deadline.reason() },
            work: exact.work,
        }))
    }

    fn search_and_prove(&self, program: &Program) -> Result<Option<Found>, Failure> {
        let options = self.options;
        let board =
            Arc::new(Board::new(program, self.deadline, options.tolerance, Arc::clone(&self.progress)));
        let limit = options.limits.work_limit.unwrap_or(u64::MAX);
        let (finished, wait) = mpsc::channel();
        let alone = options.limits.work_limit.is_some();
        if options.solver == Solver::LocalSearch || alone {
            drop(finished);
        } else {
            // A thread of its own that may be left behind: HiGHS looks at the clock too rarely to be waited for.
            let (program, board) = (program.clone(), Arc::clone(&board));
            let (seed, searches) = (options.limits.seed.wrapping_add(1), options.solver != Solver::Milp);
            std::thread::spawn(move || {
                prove(&program, &board, None);
                if searches {
                    climb(&mut Search::new(&program, seed), &board);
                }
                let _ = finished.send(());
            });
        }
        let mut search = self.search(program);
        self.starts(program, &board, &mut search);
        let mut work = 0;
        if options.solver != Solver::Milp {
            while work < limit && !board.over() {
                work += search.run((limit - work).min(4096), &self.deadline);
                exchange_plans(&mut search, &board);
                if self.impatient(work, limit) && board.best().is_none() {
                    board.finish();
                }
            }
        }
        if alone && options.solver != Solver::LocalSearch {
            // Plans and bounds must not depend on who is faster: one after the other, both counted.
            prove(program, &board, Some(limit));
        }
        let left = self.deadline.remaining_seconds();
        let left = if board.over() { 0.0 } else { left.min(1e6) };
        let _ = wait.recv_timeout(Duration::from_secs_f64(left));
        board.finish();
        // What is left of it stops at its next look at the board; only seldom does that outlast this.
        let grace = GRACE + options.limits.time_limit_seconds.map_or(0.0, |seconds| seconds * GRACE);
        let _ = wait.recv_timeout(Duration::from_secs_f64(grace.min(MOST_GRACE)));
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
            bound: Bound::proved(
                program.total_time + board.bound(),
                match (options.swap, program.rounds) {
                    (None, rounds) => in_program_order(rounds),
                    (Some(_), true) => BoundClass::ProgramOrderWithoutSwaps,
                    (Some(_), false) => BoundClass::ProgramOrderAscendingWithoutSwaps,
                },
            ),
            method: best.method,
            stop,
            work,
        }))
    }

    /// Plans in any order of first runs; none worse than the best in program order that a share of the limits
    /// finds.
    pub(crate) fn free(&self, program: &Program) -> Result<Option<Found>, Failure> {
        let limits = self.options.limits;
        let moves = limits.work_limit.unwrap_or(u64::MAX);
        let mut search = self.search(program);
        let done = AtomicBool::new(false);
        let found = |extra: f64| {
            // Under a work limit workers must not hear of each other: who is first depends on the clock.
            if extra <= 0.0 && limits.work_limit.is_none() {
                done.store(true, Ordering::Relaxed);
            }
            extra <= 0.0 || done.load(Ordering::Relaxed)
        };
        let workers = if limits.work_limit.is_some() { WORKERS } else { limits.threads.max(1) as u64 };
        let share = (moves / (workers + 1)).max(1);
        let (mut results, program_work) = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..workers)
                .map(|worker| {
                    let seed = limits.seed.wrapping_mul(1000).wrapping_add(worker);
                    scope.spawn(move || {
                        search_free(
                            self.problem,
                            self.options.cap_bytes,
                            self.options.rounds,
                            seed,
                            share,
                            &self.deadline,
                            &found,
                        )
                    })
                })
                .collect();
            let part = self.deadline.within(self.deadline.remaining_seconds() * PROGRAM_ORDER_SHARE);
            let part = if limits.time_limit_seconds.is_some() { part } else { self.deadline };
            let mut work = 0;
            let own_share = if limits.work_limit.is_some() { share } else { u64::MAX };
            while work < own_share && !part.over() && !done.load(Ordering::Relaxed) {
                work += search.run((own_share - work).min(4096), &part);
            }
            let seed = limits.seed.wrapping_mul(1000);
            let mut results = vec![search_free(
                self.problem,
                self.options.cap_bytes,
                self.options.rounds,
                seed,
                share,
                &self.deadline,
                &found,
            )];
            results.extend(handles.into_iter().map(|handle| handle.join().unwrap_or(None)));
            (results, work)
        });
        let work = program_work + results.iter().flatten().map(|free| free.work).sum::<u64>();
        results.push(search.best().map(|(extra, again)| Free {
            extra: *extra,
            plan: program.compact(&Plan::recomputing(again)),
            work: 0,
        }));
        results.push(quick(program, &self.backward()).map(|(extra, again, _)| Free {
            extra,
            plan: program.compact(&Plan::recomputing(&again)),
            work: 0,
        }));
        let best = results.into_iter().flatten().min_by(|a, b| a.extra.total_cmp(&b.extra));
        Ok(best.map(|best| Found {
            bound: Bound::proved(program.total_time, BoundClass::Any),
            method: "reorder",
            stop: if best.extra <= 0.0 {
                StopReason::Proved
            } else if self.deadline.over() {
                self.deadline.reason()
            } else {
                StopReason::WorkLimit
            },
            plan: best.plan,
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

    fn judge(&self, program: &Program, found: Found) -> Result<Outcome, Failure> {
        let refused = |error: String| Failure::Refused(error);
        let schedule = expand(self.problem, &found.plan).map_err(|error| refused(error.to_string()))?;
        let options = self.options;
        let replay = replay(self.problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
            .map_err(|error| refused(error.to_string()))?;
        let search = SearchStats {
            method: found.method.to_owned(),
            stop_reason: found.stop,
            seconds: self.deadline.elapsed_seconds(),
            work: found.work,
            seed: options.limits.seed,
        };
        let report = Report::with_tolerance(replay.time, found.bound, PROVED_WITHIN, search)?;
        self.progress.note(report.seconds, report.value);
        self.write_model(program)?;
        Ok(Outcome {
            compact: found.plan,
            schedule,
            replay,
            arena: None,
            report,
            progress: self.progress.list(),
        })
    }
}

/// All plans in program order, with or without further rounds.
fn in_program_order(rounds: bool) -> BoundClass {
    if rounds { BoundClass::ProgramOrder } else { BoundClass::ProgramOrderAscending }
}

/// Searches until the board is over.
fn climb(search: &mut Search<'_>, board: &Board) {
    while !board.over() {
        search.run(4096, &board.deadline);
        exchange_plans(search, board);
    }
}

/// Offers a search's best plan to the board, or tells the search of a better one and of one to repair.
fn exchange_plans(search: &mut Search<'_>, board: &Board) {
    if let Some((extra, plan)) = search.best() {
        board.offer(*extra, plan, "local-search");
    }
    if search.best().is_none_or(|(extra, _)| board.value() < *extra)
        && let Some(best) = board.best()
    {
        search.hear(best.extra, &best.plan);
    }
    if let Some(plan) = board.suggestion() {
        search.repair(&plan);
    }
}

/// Share of the time that the dynamic program on a chain may take.
const CHAIN_SHARE: f64 = 0.4;
/// Seconds below which it and the covering program are left out.
const LEAST_SECONDS: f64 = 2.0;
/// Searches side by side under a work limit, whatever the number of threads.
const WORKERS: u64 = 4;
/// Share of the time given to plans in program order before others are tried.
const PROGRAM_ORDER_SHARE: f64 = 0.15;
/// Seconds, and share of the time limit, that a proof may take to end after it was told to.
const GRACE: f64 = 0.05;
/// Most seconds of that.
const MOST_GRACE: f64 = 2.0;
/// Most states looked at, and share of the time that may take.
const MOST_STATES: u64 = 20_000;
const STATES_SHARE: f64 = 0.15;
/// Moves of the local search that a state counts as.
const MOVES_PER_STATE: u64 = 50;
