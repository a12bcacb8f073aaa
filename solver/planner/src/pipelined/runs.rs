//! Runs of pieces as stages, planned and cached: the cost of every run against what its stage must hold.

use std::collections::BTreeMap;
use std::rc::Rc;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::memory::CompactPlan;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, StageCost};
use ballast_remat::Failure;

use super::judge::{Spec, play, stage_cost};
use super::memory::{StageMemory, need_bytes, plan_in_flight};
use super::micro_batch::{Measured, MicroBatch};
use crate::stages::swap_model;

/// What a stage without a plan under its cap is taken to cost: everything forward is run again, about a third of
/// a training step.
const WITHOUT_PLAN: f64 = 4.0 / 3.0;

/// A pipeline to cut and to plan.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The program: one micro-batch.
    pub graph: &'a Graph,
    /// Its costs.
    pub costs: &'a Costs,
    /// One device per stage.
    pub cluster: &'a Cluster,
    /// Its layer view.
    pub layers: &'a Layers,
    /// Schedule and micro-batches.
    pub spec: Spec,
    /// Cap of every device; a share is one of what the stage needs without recomputation.
    pub cap: CapSpec,
    /// Who plans a stage's memory, with the limits of one plan; cap and host link are filled in.
    pub memory: ballast_remat::Options,
    /// May values be swapped to host memory?
    pub swap: bool,
    /// Do copies run beside computation?
    pub overlap: bool,
    /// Plan every stage as if it held as many micro-batches as the first: the same recomputation everywhere.
    pub uniform: bool,
}

/// A run of pieces on its stage, planned.
#[derive(Clone, Debug)]
pub struct Run {
    /// The stage.
    pub stage: Stage,
    /// One micro-batch of it.
    pub micro: MicroBatch,
    /// Without recomputation and swaps.
    pub unplanned: Measured,
    /// Bytes needed without recomputation and swaps.
    pub unplanned_need_bytes: u64,
    /// The cap asked for.
    pub cap_bytes: u64,
    /// The plan; none where none was found under the cap.
    pub found: Option<StageMemory>,
}

impl Run {
    fn cost(&self) -> StageCost {
        match &self.found {
            Some(found) => stage_cost(&self.micro, &found.measured),
            None => {
                let mut cost = stage_cost(&self.micro, &self.unplanned);
                cost.forward_seconds *= WITHOUT_PLAN;
                cost.backward_seconds *= WITHOUT_PLAN;
                cost
            }
        }
    }

    /// Seconds of one micro-batch under the plan.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let cost = self.cost();
        cost.forward_seconds + cost.backward_seconds + cost.weights_seconds
    }
}

/// How good cuts are; smaller is better: stages without a plan first, then the step.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score {
    /// Bytes that stages without a plan are short of, at worst.
    pub short_bytes: u64,
    /// Seconds of a step.
    pub step_seconds: f64,
    /// Share of the devices' time in which they idle.
    pub bubble: f64,
}

/// Plans runs and remembers them.
#[derive(Debug)]
pub struct Runs<'a> {
    site: &'a Site<'a>,
    cache: BTreeMap<(usize, usize, DeviceId), Rc<Run>>,
}

impl<'a> Runs<'a> {
    /// Nothing planned yet.
    #[must_use]
    pub fn new(site: &'a Site<'a>) -> Self {
        Runs { site, cache: BTreeMap::new() }
    }

    /// Runs planned so far.
    #[must_use]
    pub fn planned(&self) -> usize {
        self.cache.len()
    }

    /// The pieces `from..to` as stage `stage`, planned at the first call.
    ///
    /// # Errors
    /// A solver's failure other than having no plan under the cap.
    pub fn run(&mut self, stage: DeviceId, from: usize, to: usize) -> Result<Rc<Run>, Failure> {
        if let Some(run) = self.cache.get(&(from, to, stage)) {
            return Ok(Rc::clone(run));
        }
        // A plan for more micro-batches in flight serves fewer.
        let starts: Vec<CompactPlan> = self
            .cache
            .range((from, to, 0)..(from, to, stage))
            .filter_map(|(_, run)| run.found.as_ref().map(|found| found.plan.clone()))
            .collect();
        let run = Rc::new(self.plan(stage, from, to, starts.last())?);
        self.cache.insert((from, to, stage), Rc::clone(&run));
        Ok(run)
    }

    fn plan(
        &self,
        stage: DeviceId,
        from: usize,
        to: usize,
        start: Option<&CompactPlan>,
    ) -> Result<Run, Failure> {
        let Site { graph, costs, cluster, layers, spec, cap, .. } = *self.site;
        let count = cluster.devices.len();
        // Where the other pieces run matters only as elsewhere: before or behind this stage.
        let before = stage.saturating_sub(1);
        let behind = (stage + 1).min(count - 1);
        let place = |&piece: &usize| {
            if piece < from {
                before
            } else if piece < to {
                stage
            } else {
                behind
            }
        };
        let device_of: Vec<DeviceId> = layers.piece_of.iter().map(place).collect();
        let stage_of = stages(graph, costs, cluster, &device_of).swap_remove(stage);
        let micro = MicroBatch::of(graph, &stage_of, layers.first_backward);
        let in_flight = spec.in_flight(stage, count);
        let refused = |error: ballast_core::memory::ReplayError| Failure::Refused(error.to_string());
        let unplanned = micro.measure(&CompactPlan::default(), None, in_flight.split).map_err(refused)?;
        let unplanned_need_bytes = need_bytes(&micro, &unplanned, in_flight);
        let device = &cluster.devices[stage];
        let cap_bytes = cap.bytes(Bytes(unplanned_need_bytes), device.memory).0;
        let swap = self.site.swap.then(|| swap_model(device, cluster, self.site.overlap));
        let memory = ballast_remat::Options { swap, ..self.site.memory.clone() };
        let planned_for = if self.site.uniform { spec.in_flight(0, count) } else { in_flight };
        let mut found = plan_in_flight(&micro, planned_for, cap_bytes, &memory, start)?;
        if let Some(found) = &mut found {
            found.need_bytes = need_bytes(&micro, &found.measured, in_flight);
        }
        Ok(Run { stage: stage_of, micro, unplanned, unplanned_need_bytes, cap_bytes, found })
    }

    /// The runs of cuts, in order of the stages.
    ///
    /// # Errors
    /// As [`Runs::run`].
    pub fn of_cuts(&mut self, cuts: &[usize]) -> Result<Vec<Rc<Run>>, Failure> {
        let ends = cuts.iter().copied().chain([self.site.layers.pieces]);
        let mut from = 0;
        ends.enumerate()
            .map(|(stage, to)| {
                let run = self.run(stage, from, to);
                from = to;
                run
            })
            .collect()
    }

    /// Scores cuts by the event simulation.
    ///
    /// # Errors
    /// As [`Runs::run`].
    pub fn score(&mut self, cuts: &[usize]) -> Result<Score, Failure> {
        let runs = self.of_cuts(cuts)?;
        let short = |run: &Rc<Run>| match run.found {
            Some(_) => 0,
            None => (run.unplanned_need_bytes - run.cap_bytes.min(run.unplanned_need_bytes)).max(1),
        };
        let costs = runs.iter().map(|run| run.cost()).collect();
        let timeline = play(self.site.spec, costs).map_err(|error| Failure::Options(error.to_string()))?;
        Ok(Score {
            short_bytes: runs.iter().map(short).max().unwrap_or(0),
            step_seconds: timeline.step_seconds,
            bubble: timeline.bubble,
        })
    }
}
