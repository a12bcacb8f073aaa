//! The pipeline of a plan file, judged again from its stages.
//!
//! How many of a stage's resident bytes are data of a micro-batch its ops alone do not tell: the file says so, and stash, need and memory over
//! the step must be those that follow from it.

use std::collections::BTreeMap;

use crate::device::DeviceId;
use crate::graph::OpId;
use crate::memory::{CompactPlan, NodeId, ReplayError, SwapModel};
use crate::pipeline::{
    InFlight, Measured, MicroBatch, PipelinePlan, Schedule, Spec, need_bytes, pipeline_of, turning_point,
};
use crate::plan::{Plan, StagePlan};
use crate::stage::{NodeSource, Stage};

/// Share by which a replayed time may differ from the one written: sums in another order.
const AGREE: f64 = 1e-9;

/// Most micro-batches of a file that are played again: as many as a wrong one says may be without end.
const MOST_MICRO_BATCHES: usize = 1 << 22;

/// The judged pipeline of a plan.
#[derive(Clone, Debug)]
pub struct PlannedPipeline<'p> {
    /// What every device holds at a time.
    in_flight: Vec<InFlight>,
    /// Every stage as part of the pipeline.
    micros: Vec<MicroBatch>,
    /// The host link of every stage, none where nothing is swapped.
    swaps: Vec<Option<SwapModel>>,
    plans: &'p [CompactPlan],
    /// What the plans measure.
    measured: Vec<Measured>,
}

impl<'p> PlannedPipeline<'p> {
    /// Judges the pipeline of a plan again; none where it has none.
    ///
    /// # Errors
    /// A schedule that cannot be played, or figures that are not those of its stages.
    pub fn of(plan: &Plan, stages: &[Stage], plans: &'p [CompactPlan]) -> Result<Option<Self>, String> {
        let Some(pipeline) = &plan.pipeline else { return Ok(None) };
        let schedule =
            pipeline.schedule.parse::<Schedule>().map_err(|error| format!("its pipeline: {error}"))?;
        let spec = Spec { schedule, micro_batches: pipeline.micro_batches };
        if pipeline.stages.len() != stages.len() {
            return Err("the stages of its pipeline are not those of its devices".to_owned());
        }
        // Every micro-batch passes the slowest stage.
        let slowest = plan.stages.iter().map(|stage| stage.score.seconds).fold(0.0, f64::max);
        if spec.micro_batches > MOST_MICRO_BATCHES
            || slowest * spec.micro_batches as f64 > pipeline.step_seconds * (1.0 + AGREE)
        {
            return Err(format!("its pipeline's step has no time for {} micro-batches", spec.micro_batches));
        }
        let first_backward = turning_point(&passes(stages)).ok_or("its pipeline has no ops")?;
        let mut made_on: BTreeMap<OpId, DeviceId> = BTreeMap::new();
        for stage in stages {
            for source in &stage.sources {
                if let NodeSource::Op(op) = *source {
                    made_on.insert(op, stage.device);
                }
            }
        }
        let mut micros = Vec::with_capacity(stages.len());
        for (index, (stage, written)) in stages.iter().zip(&pipeline.stages).enumerate() {
            let data = [written.data, written.unplanned_data];
            let most_deferred = |stash| if schedule.splits_backward() { stash } else { 0 };
            if data.iter().any(|data| {
                data.total() > stage.problem.resident_bytes || data.deferred > most_deferred(data.stash)
            }) {
                return Err(format!("the data of the pipeline's stage {index} are more than it holds"));
            }
            let mut micro = MicroBatch::with_data(stage, first_backward, data, |op| {
                made_on.get(&op).is_some_and(|&device| device < stage.device)
            });
            // Plans made before idle devices were left out of the pipeline hold micro-batches on them.
            micro.counts |= written.in_flight > 0;
            micros.push(micro);
        }
        let counts: Vec<bool> = micros.iter().map(|micro| micro.counts).collect();
        let in_flight = spec.in_flight(&counts).map_err(|error| format!("its pipeline: {error}"))?;
        let swap = |stage: &StagePlan| stage.memory.as_ref().and_then(|memory| memory.swap);
        let swaps: Vec<_> = plan.stages.iter().map(swap).collect();
        let found =
            pipeline_of(&micros, stages, plans, &swaps, spec).map_err(|rejection| rejection.to_string())?;
        agree(&found, pipeline)?;
        for (stage, entry) in pipeline.stages.iter().zip(&plan.stages) {
            if stage.need_bytes > entry.cap_bytes {
                return Err(format!(
                    "device {} needs {} bytes, above its cap of {}",
                    stage.device, stage.need_bytes, entry.cap_bytes
                ));
            }
        }
        let mut judged = PlannedPipeline { in_flight, micros, swaps, plans, measured: Vec::new() };
        for (index, compact) in plans.iter().enumerate() {
            judged.measured.push(judged.measure(index, compact).map_err(|error| error.to_string())?);
        }
        Ok(Some(judged))
    }

    fn measure(&self, stage: usize, compact: &CompactPlan) -> Result<Measured, ReplayError> {
        let held = self.held(stage);
        let swap = self.swaps[stage].map(|swap| held.host_share(stage / self.in_flight.len(), swap));
        self.micros[stage].measure(compact, swap.as_ref(), held.split)
    }

    /// Bytes that a stage's device needs while that stage runs.
    #[must_use]
    pub fn need_bytes(&self, stage: usize) -> u64 {
        let mut held = self.held(stage).clone();
        held.moments.retain(|moment| moment.chunk == stage / self.in_flight.len());
        need_bytes(&self.own(stage, &self.micros), &self.own(stage, &self.measured), &held)
    }

    /// Bytes that a stage's device would need if a value of that stage were not made again, or copied back, before this position but kept;
    /// a value that is copied is then never copied. None where the judge refuses it.
    #[must_use]
    pub fn need_if_kept(&self, stage: usize, node: NodeId, position: usize) -> Option<u64> {
        let mut kept = self.plans[stage].clone();
        kept.recompute.retain(|&run| run != (position, node));
        for copies in [&mut kept.swap_out, &mut kept.swap_in] {
            copies.retain(|&(_, copied)| copied != node);
        }
        let mut measured = self.own(stage, &self.measured);
        measured[stage / self.in_flight.len()] = self.measure(stage, &kept).ok()?;
        Some(need_bytes(&self.own(stage, &self.micros), &measured, self.held(stage)))
    }

    /// Most micro-batches that the device holds at a time for a stage.
    #[must_use]
    pub fn micro_batches(&self, stage: usize) -> usize {
        self.held(stage).micro_batches(stage / self.in_flight.len())
    }

    /// The last node of a stage's forward pass, where it has one.
    #[must_use]
    pub fn last_forward(&self, stage: usize) -> Option<NodeId> {
        self.micros[stage].boundary.checked_sub(1).map(NodeId)
    }

    fn held(&self, stage: usize) -> &InFlight {
        &self.in_flight[stage % self.in_flight.len()]
    }

    /// What there is of every stage on the device of one.
    fn own<T: Clone>(&self, stage: usize, all: &[T]) -> Vec<T> {
        let devices = self.in_flight.len();
        all.iter().skip(stage % devices).step_by(devices).cloned().collect()
    }
}

/// Every op that runs, in program order; is it told to be of the backward pass?
fn passes(stages: &[Stage]) -> Vec<(OpId, bool)> {
    let nodes = stages.iter().flat_map(|stage| stage.sources.iter().zip(&stage.problem.nodes));
    let mut passes: Vec<_> = nodes
        .filter_map(|(source, node)| match source {
            NodeSource::Op(op) => Some((*op, node.backward)),
            NodeSource::Receive(_) => None,
        })
        .collect();
    passes.sort_unstable();
    passes
}

/// Is what the judge found what the file says?
fn agree(found: &PipelinePlan, written: &PipelinePlan) -> Result<(), String> {
    let near = |found: f64, written: f64| (found - written).abs() <= AGREE * found.abs().max(1e-3);
    let differs = |what: &str| Err(format!("the pipeline's {what} is not what its stages give"));
    if found.schedule != written.schedule {
        return differs("schedule");
    }
    if found.devices != written.devices {
        return differs("devices");
    }
    for (what, found, written) in
        [("step_seconds", found.step_seconds, written.step_seconds), ("bubble", found.bubble, written.bubble)]
    {
        if !near(found, written) {
            return Err(format!("the pipeline's {what} is {found}, and the file says {written}"));
        }
    }
    for (index, (found, written)) in found.stages.iter().zip(&written.stages).enumerate() {
        let numbers = [
            ("device", found.device.0 as u64, written.device.0 as u64),
            ("in_flight", found.in_flight as u64, written.in_flight as u64),
            ("stash_bytes", found.stash_bytes, written.stash_bytes),
            ("need_bytes", found.need_bytes, written.need_bytes),
            ("unplanned_need_bytes", found.unplanned_need_bytes, written.unplanned_need_bytes),
        ];
        if let Some((what, found, written)) = numbers.into_iter().find(|(_, found, written)| found != written)
        {
            return Err(format!(
                "the {what} of the pipeline's stage {index} is {found}, and the file says {written}"
            ));
        }
        if (found.data, found.unplanned_data) != (written.data, written.unplanned_data) {
            return differs(&format!("data of stage {index}"));
        }
        let seconds = [
            ("forward_seconds", found.forward_seconds, written.forward_seconds),
            ("backward_seconds", found.backward_seconds, written.backward_seconds),
            ("weights_seconds", found.weights_seconds, written.weights_seconds),
            ("update_seconds", found.update_seconds, written.update_seconds),
        ];
        if let Some((what, found, written)) =
            seconds.into_iter().find(|&(_, found, written)| !near(found, written))
        {
            return Err(format!(
                "the {what} of the pipeline's stage {index} is {found}, and the file says {written}"
            ));
        }
        let same =
            |((at, bytes), (then, written)): (&(f64, f64), &(f64, f64))| near(*at, *then) && bytes == written;
        if found.memory.len() != written.memory.len() || !found.memory.iter().zip(&written.memory).all(same) {
            return differs(&format!("memory of stage {index}"));
        }
    }
    Ok(())
}
