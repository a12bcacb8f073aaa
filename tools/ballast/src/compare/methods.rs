//! The contenders: methods that partition, solvers that plan memory, and both together as Ballast runs them.

use std::time::Instant;

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::limits::{Limits, interrupted};
use ballast_core::outside::Executable;
use ballast_core::plan::Plan;
use ballast_core::program::Program;
use ballast_core::report::{BoundClass, Report, gap};
use ballast_core::units::Bytes;
use ballast_partition::sequence::Granularity;
use ballast_partition::{Error, METHODS, Method, Options, Partition};
use ballast_planner::{Again, Repartition};
use ballast_remat::{SOLVERS, Solver};
use serde::Serialize;

use crate::failure::Failure;

/// Share of a run's time that the partition may take; the memory plan gets what is left.
const PARTITION_SHARE: f64 = 0.5;

/// What rows of memory solvers are called.
pub(super) const MEMORY: &str = "memory";

/// What is compared on.
pub(super) struct Task<'a> {
    pub program: Program<'a>,
    pub granularity: Granularity,
    pub time_limit_seconds: f64,
    pub threads: usize,
}

/// Who is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    /// Partitions; memory is planned by `auto`.
    Partition(Method),
    /// Plans memory on the partition by dynamic programming.
    Memory(Solver),
    /// Partition by `auto`, memory by `auto`, and rounds of both.
    Rounds,
    /// Partitions as a method does: a program that is no part of Ballast.
    OutsideMethod(Executable),
    /// Plans memory as a memory solver does: a program that is no part of Ballast.
    Outside(Executable),
}

/// All contenders, or those named; a name may be that of a method and of a solver.
pub(super) fn chosen(only: &[String]) -> Result<Vec<Contender>, String> {
    let partitioners = METHODS.map(Contender::Partition);
    let solvers = SOLVERS.into_iter().map(Contender::Memory);
    let all: Vec<Contender> = partitioners.into_iter().chain([Contender::Rounds]).chain(solvers).collect();
    if let Some(unknown) = only.iter().find(|name| all.iter().all(|contender| contender.name() != **name)) {
        let mut names: Vec<String> = all.iter().map(|contender| contender.name()).collect();
        names.sort_unstable();
        names.dedup();
        return Err(format!("--only {unknown}: choose of {}", names.join(", ")));
    }
    let wanted = |contender: &Contender| only.is_empty() || only.iter().any(|name| *name == contender.name());
    Ok(all.into_iter().filter(wanted).collect())
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Run {
    pub seed: u64,
    /// Seconds of the slowest stage, and with it of a step.
    pub tmax_seconds: f64,
    /// What the partitioner's own proposal takes without a memory plan, whether or not it was taken.
    pub proposed_seconds: Option<f64>,
    pub bound_seconds: f64,
    pub bound_class: BoundClass,
    pub gap: f64,
    pub peak_bytes: u64,
    /// Largest cap used over the cap asked for, of any stage; 1: every cap was kept.
    pub cap_used: f64,
    /// The same, mean over the stages.
    pub mean_cap_used: f64,
    pub tmax_over_tmin: Option<f64>,
    pub recomputes: usize,
    pub swap_bytes: u64,
    pub seconds: f64,
}

/// All runs of one contender.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// `partition`, [`MEMORY`] or `both`.
    pub what: &'static str,
    pub method: String,
    pub runs: Vec<Run>,
    /// Why there is no plan.
    pub refused: Option<String>,
}

/// The partition by dynamic programming that memory solvers are compared on, and the cap that all are.
pub(super) struct Start {
    device_of: Vec<DeviceId>,
    report: Report,
    cap: CapSpec,
    pub unplanned_peak_bytes: u64,
}

impl Start {
    pub(super) fn new(task: &Task<'_>, cap: CapSpec) -> Result<Self, Failure> {
        let cut = |cap: Option<u64>| {
            partition(task, &partition_options(task, Method::DP, &limits(task, 0, PARTITION_SHARE), cap))
        };
        let found = cut(None)?;
        let stages = task.program.stages(&found.device_of);
        let peak = stages.iter().map(|stage| stage.problem.unplanned_peak()).max().unwrap_or(0);
        let mut start =
            Start { device_of: found.device_of, report: found.report, cap, unplanned_peak_bytes: peak };
        if let Some(bytes) = start.cap_bytes() {
            let found = cut(Some(bytes))?;
            (start.device_of, start.report) = (found.device_of, found.report);
        }
        Ok(start)
    }

    pub(super) fn cap_bytes(&self) -> Option<u64> {
        match self.cap {
            CapSpec::Absolute(bytes) => Some(bytes.0),
            CapSpec::DeviceMemory | CapSpec::Share(_) => None,
        }
    }
}

impl Contender {
    /// Its name in the table.
    pub(super) fn name(&self) -> String {
        match self {
            Contender::Partition(method) => method.name.into(),
            Contender::Memory(solver) => solver.name().into(),
            Contender::Rounds => "rounds".into(),
            Contender::OutsideMethod(program) | Contender::Outside(program) => {
                format!("exec:{}", program.path.display())
            }
        }
    }

    /// Does the result depend on the seed?
    fn seeded(&self) -> bool {
        match self {
            Contender::Partition(method) => method.seeded,
            Contender::Memory(solver) => solver.seeded(),
            Contender::Rounds | Contender::OutsideMethod(_) | Contender::Outside(_) => true,
        }
    }

    pub(super) fn runs(&self, seeds: u64) -> u64 {
        if self.seeded() { seeds } else { 1 }
    }

    /// Runs it with every seed.
    pub(super) fn row(
        &self,
        task: &Task<'_>,
        start: &Start,
        seeds: u64,
        told: &dyn Fn(),
    ) -> Result<Row, Failure> {
        let (mut runs, mut refused) = (Vec::new(), None);
        for seed in 0..self.runs(seeds) {
            if interrupted() {
                return Err(Failure::NoPlan("interrupted; no table was written".into()));
            }
            if refused.is_none() {
                match self.run(task, start, seed) {
                    Ok(run) => runs.push(run),
                    Err(Failure::NoPlan(reason)) => refused = Some(reason),
                    Err(other) => return Err(other),
                }
            }
            told();
        }
        let what = match self {
            Contender::Partition(_) | Contender::OutsideMethod(_) => "partition",
            Contender::Memory(_) | Contender::Outside(_) => MEMORY,
            Contender::Rounds => "both",
        };
        Ok(Row { what, method: self.name(), runs, refused })
    }

    fn run(&self, task: &Task<'_>, start: &Start, seed: u64) -> Result<Run, Failure> {
        let clock = Instant::now();
        let cut = |who: Method, outside: Option<&Executable>| {
            let limits = limits(task, seed, PARTITION_SHARE);
            let options = Options {
                outside: outside.cloned(),
                ..partition_options(task, who, &limits, start.cap_bytes())
            };
            let found = partition(task, &options)?;
            Ok::<_, Failure>((found.device_of, found.report, found.proposed, Solver::default()))
        };
        let (device_of, report, proposed, solver) = match self {
            Contender::Memory(solver) => (start.device_of.clone(), start.report.clone(), None, *solver),
            Contender::Outside(_) => (start.device_of.clone(), start.report.clone(), None, Solver::EXEC),
            Contender::Partition(who) => cut(*who, None)?,
            Contender::OutsideMethod(program) => cut(Method::EXEC, Some(program))?,
            Contender::Rounds => cut(Method::AUTO, None)?,
        };
        let left = 1.0 - clock.elapsed().as_secs_f64() / task.time_limit_seconds;
        let limits = limits(task, seed, left.max(0.0));
        let options = ballast_planner::Options {
            cap: start.cap,
            solver,
            outside: match self {
                Contender::Outside(program) => Some(program.clone()),
                _ => None,
            },
            // A program outside is asked for what a program in the IR can say: first runs in their order.
            order: match self {
                Contender::Outside(_) => ballast_remat::Order::Program,
                _ => ballast_remat::Order::Free,
            },
            limits,
            max_rounds: if *self == Contender::Rounds { 4 } else { 1 },
            ..ballast_planner::Options::default()
        };
        let again = |again: &Again<'_>| {
            again.ask(&task.program, &partition_options(task, Method::DP, &limits, start.cap_bytes()))
        };
        let again: Option<&Repartition<'_>> = (*self == Contender::Rounds).then_some(&again);
        let planned = ballast_planner::plan(&task.program, device_of, report, &options, again)
            .map_err(|failure| Failure::NoPlan(failure.to_string()))?;
        let proposed = proposed.map(|proposed| proposed.tmax_seconds);
        Ok(self.figures(&planned.plan, seed, proposed, clock.elapsed().as_secs_f64()))
    }

    fn figures(&self, plan: &Plan, seed: u64, proposed_seconds: Option<f64>, seconds: f64) -> Run {
        let tmax = plan.balance.tmax_seconds;
        let (bound, class) = match self {
            // The partition is given: no plan of its stages is faster than the slowest of their bounds.
            Contender::Memory(_) | Contender::Outside(_) => plan
                .stages
                .iter()
                .map(|stage| {
                    let bound = stage.score.seconds - stage.report.value + stage.report.bound;
                    (bound, stage.report.bound_class)
                })
                .fold((0.0, BoundClass::Any), |best, next| if next.0 > best.0 { next } else { best }),
            _ => (plan.bound_seconds, plan.bound_class),
        };
        let used = || {
            plan.stages.iter().map(|stage| stage.cap_bytes as f64 / stage.requested_cap_bytes.max(1) as f64)
        };
        Run {
            seed,
            tmax_seconds: tmax,
            proposed_seconds,
            bound_seconds: bound.min(tmax),
            bound_class: class,
            gap: gap(tmax, bound),
            peak_bytes: plan.stages.iter().map(|stage| stage.score.peak_bytes).max().unwrap_or(0),
            cap_used: used().fold(1.0, f64::max),
            mean_cap_used: used().sum::<f64>() / plan.stages.len().max(1) as f64,
            tmax_over_tmin: plan.balance.ratio,
            recomputes: plan.stages.iter().map(|stage| stage.score.recomputes).sum(),
            swap_bytes: plan.stages.iter().map(|stage| stage.score.swap_bytes).sum(),
            seconds,
        }
    }
}

fn limits(task: &Task<'_>, seed: u64, share: f64) -> Limits {
    Limits {
        time_limit_seconds: Some(task.time_limit_seconds * share),
        work_limit: None,
        seed,
        threads: task.threads,
    }
}

fn partition_options(task: &Task<'_>, method: Method, limits: &Limits, cap: Option<u64>) -> Options {
    Options {
        method,
        granularity: task.granularity,
        limits: *limits,
        caps: cap.map(|cap| vec![Bytes(cap); task.program.devices()]),
        ..Options::default()
    }
}

fn partition(task: &Task<'_>, options: &Options) -> Result<Partition, Failure> {
    ballast_partition::plan(&task.program, options).map_err(|error| match error {
        Error::Outside(reason) => Failure::NoPlan(reason),
        other => Failure::BadInput(other.to_string()),
    })
}
