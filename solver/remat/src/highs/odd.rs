//! HiGHS as it seldom is: every status it can return, numbers that are none, solutions withheld. Whatever it says, plans are judged, and
//! what it says besides is never taken for more than it is.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{Problem, SwapModel};
use highs_sys as sys;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Answer, Control, Highs, LEAST_PATIENCE, Status};
use crate::model::{Model, single};
use crate::random::random_problem;
use crate::{Error, Options, Order, Outcome, Solver, plan};

/// What HiGHS does otherwise than it would.
#[derive(Clone, Copy, Debug)]
enum Odd {
    /// Its run is an error.
    Run,
    /// Its status of the model is this one.
    Model(i32),
    /// It has no solution.
    NoSolution,
    /// Its solution is of this value alone.
    Values(f64),
    /// Its bound is this.
    Bound(f64),
    /// The duals of its linear programs are no numbers.
    Duals,
}

/// Statuses of a model, as HiGHS numbers them: not set, load, model, presolve, solve and postsolve error, empty, optimal, ...
const STATUSES: std::ops::RangeInclusive<i32> =
    sys::MODEL_STATUS_NOTSET..=sys::MODEL_STATUS_REACHED_INTERRUPT;

impl Odd {
    /// All of them but "infeasible": of a program that has a solution it is a lie, and a solver that lies in words it means is not to be
    /// guarded against; bounds that rest on such words are marked.
    fn all() -> Vec<Odd> {
        let statuses = STATUSES.filter(|&status| status != sys::MODEL_STATUS_INFEASIBLE).map(Odd::Model);
        let bounds = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300].map(Odd::Bound);
        let values = [f64::NAN, 0.0, 1.0].map(Odd::Values);
        let others = [Odd::Run, Odd::NoSolution, Odd::Duals];
        others.into_iter().chain(values).chain(statuses).chain(bounds).collect()
    }
}

/// Number of the oddity that is on, from one; none: 0. And every which solve has it.
static ON: AtomicUsize = AtomicUsize::new(0);
static EVERY: AtomicUsize = AtomicUsize::new(1);
static SOLVES: AtomicUsize = AtomicUsize::new(0);

fn on() -> Option<Odd> {
    let number = ON.load(Ordering::Relaxed).checked_sub(1)?;
    let is_due = SOLVES.load(Ordering::Relaxed).is_multiple_of(EVERY.load(Ordering::Relaxed));
    Odd::all().get(number).copied().filter(|_| is_due)
}

/// The status of a run.
pub(super) fn run(status: i32) -> i32 {
    SOLVES.fetch_add(1, Ordering::Relaxed);
    if matches!(on(), Some(Odd::Run)) { sys::STATUS_ERROR } else { status }
}

/// The status of a model.
pub(super) fn model(status: i32) -> i32 {
    match on() {
        Some(Odd::Model(odd)) => odd,
        _ => status,
    }
}

/// The bound of a mixed-integer program.
pub(super) fn bound(bound: f64) -> f64 {
    match on() {
        Some(Odd::Bound(odd)) => odd,
        _ => bound,
    }
}

/// Solution and duals.
pub(super) fn answer(answer: Answer) -> Answer {
    match on() {
        Some(Odd::NoSolution) => Answer { values: None, ..answer },
        Some(Odd::Values(value)) => {
            Answer { values: answer.values.map(|values| vec![value; values.len()]), ..answer }
        }
        Some(Odd::Duals) => Answer { duals: vec![f64::NAN; answer.duals.len()], ..answer },
        _ => answer,
    }
}

/// A problem, a cap below its peak, and what may be done.
fn setting(rng: &mut ChaCha8Rng) -> Option<(Problem, Options)> {
    let problem = random_problem(rng, 5..11, 0.35, 0.9);
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let swap = rng.random_bool(0.6).then(|| SwapModel {
        out_bandwidth: rng.random_range(2.0..20.0),
        in_bandwidth: rng.random_range(2.0..20.0),
        latency: rng.random_range(0.0..0.5),
        overlap: rng.random_bool(0.5),
        host_capacity_bytes: None,
    });
    let cap_bytes = least + (peak.checked_sub(least).filter(|&room| room > 0)?) / 3;
    let limits = Limits { work_limit: Some(20_000), time_limit_seconds: None, ..Limits::default() };
    Some((problem, Options { cap_bytes, swap, order: Order::Program, limits, ..Options::default() }))
}

/// A plan made while HiGHS is odd: under the cap, no better than the best, with a bound no higher than that and no false refusal.
fn check(said: &Result<Outcome, Error>, best: &Outcome, options: &Options, what: &str) {
    let best = best.replay.time;
    match said {
        Ok(found) => {
            let (value, bound) = (found.replay.time, found.report.bound().value());
            assert!(found.replay.peak_bytes <= options.cap_bytes, "{what}: over the cap");
            assert!(value >= best * (1.0 - 1e-9), "{what}: {value} is better than the best, {best}");
            assert!(bound <= best * (1.0 + 1e-9), "{what}: a bound of {bound} above {best}");
        }
        Err(Error::Infeasible { proved, .. }) => assert!(!proved, "{what}: a cap that has a plan, refused"),
        Err(other) => panic!("{what}: {other}"),
    }
}

/// All oddities, in each solve or in every second, under every solver that asks HiGHS.
fn every_oddity() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut plans, mut asked) = (0, 0);
    for number in 0..24 {
        let Some((problem, options)) = setting(&mut rng) else { continue };
        for solver in [Solver::AUTO, Solver::MILP, Solver::STEPWISE, Solver::GAPS] {
            let options = Options { solver, ..options.clone() };
            // The best of its kind, by HiGHS as it is.
            let best = match plan(&problem, &options) {
                Ok(best) if best.report.proved() => best,
                _ => continue,
            };
            for (index, odd) in Odd::all().into_iter().enumerate() {
                EVERY.store(1 + number % 2, Ordering::Relaxed);
                SOLVES.store(0, Ordering::Relaxed);
                ON.store(index + 1, Ordering::Relaxed);
                let said = plan(&problem, &options);
                ON.store(0, Ordering::Relaxed);
                asked += usize::from(SOLVES.load(Ordering::Relaxed) > 0);
                plans += usize::from(said.is_ok());
                check(&said, &best, &options, &format!("{odd:?} of problem {number} by {}", solver.name()));
            }
        }
    }
    assert!(plans > 1000 && asked > 500, "{plans} plans, {asked} runs asked HiGHS");
}

/// A linear program whose solve goes on without end is begun anew, and has the optimum it has.
#[test]
fn a_linear_program_that_takes_too_long_begins_anew() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut model = Model::default();
    let columns: Vec<usize> =
        (0..40).map(|at| model.binary(single("again", at), rng.random_range(1.0..2.0))).collect();
    for row in 0..60 {
        let mut terms: Vec<(usize, f64)> = Vec::new();
        for &column in &columns {
            if rng.random_bool(0.3) {
                terms.push((column, rng.random_range(0.5..1.5)));
            }
        }
        model.at_least(single("cover", row), terms, 2.0);
    }
    let deadline = Deadline::after(None);
    let control = Control::until(&deadline, &|_| false);
    let whole = Highs::new(&model, true).unwrap().solve_linear(&model, &control);
    assert!(whole.status == Status::Optimal && whole.work > 10, "{whole:?}");
    let mut highs = Highs::new(&model, true).unwrap();
    let (cut, stuck) = highs.solve_within(&control, 5);
    assert!(stuck && cut.status == Status::Stopped, "{cut:?}");
    highs.patience = Some(5);
    let again = highs.solve_linear(&model, &control);
    assert!(again.status == Status::Optimal && (again.bound - whole.bound).abs() < 1e-9, "{again:?}");
    assert!(highs.patience > Some(LEAST_PATIENCE));
}

/// In a process of its own: what HiGHS says is the same for all threads of one.
#[test]
fn whatever_highs_says_plans_hold_and_bounds_are_true() {
    let alone = ["--exact", "highs::odd::whatever_highs_says_plans_hold_and_bounds_are_true"];
    let given: Vec<String> = std::env::args().skip(1).collect();
    if alone.iter().all(|word| given.iter().any(|other| other == word)) {
        return every_oddity();
    }
    let mut own = Command::new(std::env::current_exe().expect("this program"));
    let output = own.args(alone).output().expect("runs again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
