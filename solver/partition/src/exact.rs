//! All partitions whose stages form a pipeline, by the solver of workload graphs.

use ballast_core::device::DeviceId;
use ballast_core::limits::Limits;
use ballast_dag::problem::PlanClass;
use ballast_dag::solve::{self, solve};

use crate::error::Error;
use crate::proposer::{Proposal, Proposer, Task, limit_of};
use crate::workload::workload;

/// Searches all partitions whose stages form a pipeline, whatever the order of the ops, by chains of ideals
/// ([`ballast_dag`]). Its loads are those of stages where the links are alike; with unequal links every transfer is
/// priced by one at least as fast as all, which keeps the bound a bound. A device holds the arguments whose first readers
/// it runs, at most its cap: what it really holds is more, so that no plan under the caps is left out.
pub(crate) struct Exact;

impl Proposer for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let (mut problem, devices) = workload(&task.items.sequence, task.links, task.caps);
        let options = solve::Options {
            class: PlanClass::Contiguous,
            method: solve::Method::Exact,
            limits: task.limits,
            finish_early: task.limits.time_limit_seconds.is_none(),
            observe: &|_| (),
            placer: None,
        };
        let mut solved = solve(&problem, &options);
        if let Err(solve::Error::Infeasible { .. }) = solved {
            // What the caps rule out they cannot choose among: the fastest pipeline stands in, and the judge says by how
            // much it is over.
            problem.kinds.iter_mut().for_each(|kind| kind.memory_bytes = f64::INFINITY);
            let left = task.limits.time_limit_seconds.map(|_| task.deadline.remaining_seconds());
            let limits = Limits { time_limit_seconds: left, ..task.limits };
            solved = solve(&problem, &solve::Options { limits, ..options });
        }
        match solved {
            Ok(outcome) => {
                let of_items: Vec<DeviceId> = outcome.assignment[..task.items.sequence.len()]
                    .iter()
                    .map(|&device| devices[device])
                    .collect();
                Ok(Proposal {
                    bound_seconds: Some(outcome.report.bound().value()),
                    work: outcome.report.work,
                    stopped: limit_of(outcome.report.stop_reason),
                    ..Proposal::of_items(self.name(), task, &of_items)
                })
            }
            // Nothing is forbidden but device rules, so that a limit came before the first plan: the start stands.
            Err(reason) => {
                tracing::debug!("exact search: {reason}");
                let stopped = limit_of(task.deadline.reason());
                Ok(Proposal { stopped, ..Proposal::of_items(self.name(), task, task.start) })
            }
        }
    }
}
