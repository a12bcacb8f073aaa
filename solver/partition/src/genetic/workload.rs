//! Genetic placement of a workload graph: groups of its nodes are the layers, the largest load is the time.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_dag::genes::{Bred, Genes};
use ballast_dag::problem::{PlanClass, Problem};
use ballast_dag::solve::{self, Method, Solved};
use rayon::prelude::*;

use super::search::{Measure, Options, on_threads, search};
use super::table::{LayerTable, PlacementError};

/// Why the genetic search gave no plan.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// Parameters out of their range.
    #[error("{0}")]
    Options(String),
    /// As the other methods.
    #[error("{0}")]
    NoPlan(solve::Error),
    /// The judge refused the answer: a bug.
    #[error("the genetic search proposed what the judge refuses: {0}")]
    Refused(String),
    /// A bound that a placement beats: a bug.
    #[error(transparent)]
    Bound(#[from] ballast_core::report::FalseBound),
}

/// Share of the time limit that the plan of the first generation may take.
const START_SHARE: f64 = 0.2;
/// Search steps of it where no time is given.
const START_WORK: u64 = 2_000_000;

/// Places a workload by the genetic search. One of the first generation is the plan of the quick method of the class; the
/// others are drawn. Infeasible children are repaired by [`Genes::read`].
///
/// The work limit counts measured placements. Without a time limit the same problem, options and seed give the same plan on any
/// number of threads.
///
/// # Errors
/// See [`WorkloadError`].
pub fn place_workload(
    problem: &Problem,
    class: PlanClass,
    options: &Options,
    limits: &Limits,
) -> Result<Solved, WorkloadError> {
    options.check_ranges().map_err(|error| WorkloadError::Options(error.to_string()))?;
    let clock = Deadline::start(limits);
    let genes = Genes::new(problem, class);
    let quick = solve::solve(
        problem,
        &solve::Options {
            class,
            method: match class {
                PlanClass::Contiguous => Method::Order,
                PlanClass::Free => Method::Anneal,
            },
            limits: Limits {
                time_limit_seconds: limits.time_limit_seconds.map(|seconds| seconds * START_SHARE),
                work_limit: Some(START_WORK),
                ..*limits
            },
            finish_early: true,
            placer: None,
            observe: &|_| {},
        },
    );
    let quick = match quick {
        Err(solve::Error::NotFound { .. }) => None,
        found => Some(found.map_err(WorkloadError::NoPlan)?),
    };
    if genes.len() < 2 {
        return quick.ok_or(WorkloadError::NoPlan(solve::Error::not_found(class, StopReason::Finished)));
    }
    let table = table(&genes, problem.device_count());
    let mut options = options.clone();
    if let Some(quick) = &quick {
        options.initial.insert(0, genes.of(&quick.assignment).into_iter().map(DeviceId).collect());
    }
    let rest = Limits {
        time_limit_seconds: limits.time_limit_seconds.map(|_| clock.remaining_seconds()),
        ..*limits
    };
    let found = on_threads(limits.threads, || {
        search(&table, &mut LargestLoad { genes: &genes, worst: worst(problem) }, &options, &rest)
    });
    let bred = match found {
        Ok(found) => genes.read(&numbers(&found.device_of)).map(|(placement, _)| {
            let report = found.report;
            let bred = Bred {
                method: "genetic",
                stop_reason: report.stop_reason,
                seconds: clock.elapsed_seconds(),
                work: report.work,
                seed: limits.seed,
            };
            genes.judged(&placement, bred)
        }),
        // The limit came before the first placement was measured.
        Err(PlacementError::NoPlacement(_)) => None,
        Err(PlacementError::Input(reason)) => return Err(WorkloadError::Options(reason)),
        Err(PlacementError::Bound(error)) => return Err(WorkloadError::Bound(error)),
    };
    let bred = bred.transpose().map_err(|error| WorkloadError::Refused(error.to_string()))?;
    // The quick plan need not survive being read as genes: colours and runs of nodes bind it.
    let mut better = bred;
    if let Some(mut quick) = quick
        && better.as_ref().is_none_or(|bred| quick.verdict.max_load < bred.verdict.max_load)
    {
        quick.report.seconds = clock.elapsed_seconds();
        if let Some(bred) = better {
            (quick.report.work, quick.report.stop_reason) = (bred.report.work, bred.report.stop_reason);
        }
        better = Some(quick);
    }
    let end = if clock.over() { clock.reason() } else { StopReason::Finished };
    better.ok_or(WorkloadError::NoPlan(solve::Error::not_found(class, end)))
}

/// Genes as layers of a table without times or bytes: what counts is measured, and rules are kept when genes are read.
fn table(genes: &Genes<'_>, devices: usize) -> LayerTable {
    let layers = genes.len();
    LayerTable {
        names: (0..layers).map(|gene| format!("group {gene}")).collect(),
        seconds: vec![vec![0.0; layers]; devices],
        bytes: vec![vec![0; layers]; devices],
        device_memory_bytes: vec![u64::MAX; devices],
        message_bytes: vec![0; layers - 1],
    }
}

/// More than any plan's largest load: every node at its slowest, and every tensor paid for on every device.
fn worst(problem: &Problem) -> f64 {
    let factor = problem.kinds.iter().map(|kind| kind.transfer_factor).fold(0.0, f64::max);
    let of_node = |node: &ballast_dag::problem::Node| {
        let slowest = node.time.iter().copied().filter(|time| time.is_finite()).fold(0.0, f64::max);
        slowest + factor * node.output_cost
    };
    problem.nodes.iter().map(of_node).sum::<f64>() * 2.0 + 1.0
}

/// The devices as a workload numbers them.
fn numbers(device_of: &[DeviceId]) -> Vec<usize> {
    device_of.iter().map(|device| device.0).collect()
}

struct LargestLoad<'a> {
    genes: &'a Genes<'a>,
    /// The load of strings that stand for no plan.
    worst: f64,
}

impl Measure for LargestLoad<'_> {
    fn seconds(
        &mut self,
        placements: &[Vec<DeviceId>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError> {
        let mut loads = Vec::with_capacity(placements.len());
        // In parts, so that a generation of a large graph does not outlast the limit.
        for part in placements.chunks(32) {
            if deadline.over() {
                break;
            }
            let load =
                |genes: &Vec<DeviceId>| self.genes.read(&numbers(genes)).map_or(self.worst, |(_, load)| load);
            loads.par_extend(part.par_iter().map(load));
        }
        Ok(loads)
    }

    fn bound(&self) -> f64 {
        self.genes.bound()
    }

    fn method(&self) -> &'static str {
        "genetic"
    }
}
