//! One partition with its memory plans.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::memory::{CompactPlan, NodeId};
use ballast_core::plan::PipelinePlan;
use ballast_core::program::Program;
use ballast_core::simulate::{Balance, balance, orders_can_run};
use ballast_core::stage::Stage;
use ballast_core::units::Bytes;

use crate::carry::carried_over;
use crate::rank::{Caps, Rank, rank_of};
use crate::stages::{StageOutcome, plan_some};
use crate::{Error, Options};

/// Share of the slowest stage's time from which on what memory adds to it is worth another partition.
const WORTH_A_ROUND: f64 = 1e-3;

/// A placement and the plans of its stages.
#[derive(Clone)]
pub(crate) struct Round {
    pub(crate) device_of: Vec<DeviceId>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) outcomes: Vec<StageOutcome>,
    pub(crate) balance: Balance,
    /// The step, where the stages are a pipeline.
    pub(crate) pipeline: Option<PipelinePlan>,
    /// Stages that have no plan under any cap allowed, ascending, and why: their outcomes keep every value, and this is no plan.
    pub(crate) refused: Vec<(usize, Error)>,
}

impl Round {
    /// Plans a placement: of ops, then of stages, as [`Round::of_stages`] does.
    pub(crate) fn plan(
        program: &Program<'_>,
        device_of: Vec<DeviceId>,
        before: (&[Bytes], Option<&Round>),
        options: &Options,
        deadline: &Deadline,
    ) -> Result<Round, Error> {
        let stages = program.stages(&device_of);
        Round::of_stages(program, (device_of, stages), before, options, deadline)
    }

    /// Plans stages under the caps. One that is as it was `before` has the plan it had; others start from what is left of theirs.
    /// One that has no plan is `refused`: another placement may have one, and is looked for from here.
    pub(crate) fn of_stages(
        program: &Program<'_>,
        (device_of, stages): (Vec<DeviceId>, Vec<Stage>),
        (caps, before): (&[Bytes], Option<&Round>),
        options: &Options,
        deadline: &Deadline,
    ) -> Result<Round, Error> {
        let Program { graph, cluster, .. } = *program;
        let known = |index: usize| before.map(|before| (&before.stages[index], &before.outcomes[index]));
        let changed: Vec<usize> = (0..stages.len())
            .filter(|&index| known(index).is_none_or(|(stage, _)| *stage != stages[index]))
            .collect();
        let mut starts = vec![Vec::new(); stages.len()];
        for &index in &changed {
            let in_use = options.in_use.get(&stages[index].device).map(|(stage, plan)| (stage, plan));
            let start = known(index).map(|(stage, outcome)| (stage, &outcome.plan)).or(in_use);
            starts[index] = start.map_or_else(Vec::new, |start| carried_over(start, &stages[index]));
            starts[index].retain(|plan| is_allowed(plan, options));
        }
        let planned = plan_some(graph, &stages, (caps, &starts), &changed, cluster, options, deadline);
        let mut planned = planned.into_iter();
        let (mut outcomes, mut refused) = (Vec::new(), Vec::new());
        for (index, stage) in stages.iter().enumerate() {
            let outcome = match changed.binary_search(&index) {
                Ok(_) => planned.next(),
                Err(_) => {
                    let before = before.into_iter().flat_map(|before| &before.refused);
                    refused.extend(before.filter(|(other, _)| *other == index).cloned());
                    known(index).map(|(_, outcome)| Ok(outcome.clone()))
                }
            };
            if let Some(outcome) = outcome {
                outcomes.push(kept((index, stage), outcome, (caps, options), &mut refused)?);
            }
        }
        let orders: Vec<Option<&[NodeId]>> = outcomes.iter().map(|o| o.plan.order.as_deref()).collect();
        // Stages that wait for each other in a circle are planned in program order, which always runs.
        if !orders_can_run(&stages, &orders) {
            let in_order = Options { order: ballast_remat::Order::Program, ..options.clone() };
            let all: Vec<usize> = (0..stages.len()).collect();
            let planned = plan_some(graph, &stages, (caps, &[]), &all, cluster, &in_order, deadline);
            refused.clear();
            let planned = stages.iter().enumerate().zip(planned);
            outcomes = planned
                .map(|(stage, outcome)| kept(stage, outcome, (caps, options), &mut refused))
                .collect::<Result<_, _>>()?;
        }
        Ok(Round { refused, ..Round::of_outcomes(device_of, stages, outcomes) })
    }

    /// Stages with their plans.
    pub(crate) fn of_outcomes(
        device_of: Vec<DeviceId>,
        stages: Vec<Stage>,
        outcomes: Vec<StageOutcome>,
    ) -> Round {
        let scores: Vec<_> = outcomes.iter().map(|outcome| outcome.score).collect();
        let balance = balance(&scores);
        Round { device_of, stages, outcomes, balance, pipeline: None, refused: Vec::new() }
    }

    /// Smaller is better.
    pub(crate) fn rank(&self) -> Rank {
        let rank = rank_of(&self.outcomes);
        if self.refused.is_empty() { rank } else { (Caps::Refused, rank.1, rank.2) }
    }

    /// Tells what it came to.
    pub(crate) fn tell(&self, name: &str) {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let of = |(stage, outcome): (&Stage, &StageOutcome)| {
            format!(
                "{:.3} -> {:.3} ms, {:.0} MB of which {:.0} at least, cap {:.0} + {:.0}",
                1e3 * stage.load_seconds(),
                1e3 * outcome.score.seconds,
                megabytes(stage.problem.unplanned_peak()),
                megabytes(stage.problem.working_set().0),
                megabytes(outcome.requested_cap.0),
                megabytes(outcome.cap.0.saturating_sub(outcome.requested_cap.0)),
            )
        };
        let free = self.free_seconds();
        let devices: Vec<_> = self.stages.iter().zip(&self.outcomes).map(of).collect();
        tracing::debug!(free_ms = 1e3 * free, tmax_ms = 1e3 * self.balance.tmax_seconds, ?devices, "{name}");
    }

    /// The slowest stage without any plan, seconds.
    pub(crate) fn free_seconds(&self) -> f64 {
        self.stages.iter().map(Stage::load_seconds).fold(0.0, f64::max)
    }

    /// May another placement be better? It may where a cap was raised, where caps make the slowest stage slower than that of the placement
    /// given was without any, `given_seconds`, or than this one is without any, and where the stages are out of balance.
    pub(crate) fn may_improve(&self, max_ratio: f64, given_seconds: f64) -> bool {
        let free = self.free_seconds().min(given_seconds);
        self.outcomes.iter().any(StageOutcome::relaxed)
            || self.balance.tmax_seconds > free * (1.0 + WORTH_A_ROUND)
            || !self.balance.within(max_ratio)
    }
}

/// May a stage have a plan with these copies, in this order?
fn is_allowed(plan: &CompactPlan, options: &Options) -> bool {
    (options.swap || plan.swap_out.is_empty())
        && (options.order == ballast_remat::Order::Free || plan.order.is_none())
}

/// The plan of a stage; of one whose cap has none, which `refused` then names, the one that keeps everything.
fn kept(
    (index, stage): (usize, &Stage),
    outcome: Result<StageOutcome, Error>,
    (caps, options): (&[Bytes], &Options),
    refused: &mut Vec<(usize, Error)>,
) -> Result<StageOutcome, Error> {
    match outcome {
        Err(failure @ Error::Infeasible { .. }) => {
            refused.push((index, failure));
            let peak = Bytes(stage.problem.unplanned_peak());
            Ok(StageOutcome::keep_all(stage, caps[index], peak, options.limits.seed)?)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::Cluster;

    use super::*;
    use crate::support::graph;

    #[test]
    fn a_plan_that_costs_nothing_ends_nothing_where_the_placement_given_was_faster_without_caps() {
        let graph = graph((0..4_usize).map(|id| (Vec::from_iter(id.checked_sub(1)), 100, id == 3)));
        let costs = Costs { seconds: vec![vec![1.0; 4]; 2] };
        let cluster = Cluster::from_count(2).expect("devices");
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let halves = [0, 0, 1, 1].map(DeviceId).to_vec();
        let caps = [Bytes(10_000); 2];
        let round = Round::plan(&program, halves, (&caps, None), &Options::default(), &Deadline::after(None));
        let round = round.expect("a plan");
        assert!(!round.may_improve(1.1, round.free_seconds()));
        assert!(round.may_improve(1.1, 0.9 * round.free_seconds()));
    }
}
