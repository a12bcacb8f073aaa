//! Runs of pieces as the stages of a device, planned and cached: their cost against what the device must hold.

use std::collections::BTreeMap;
use std::rc::Rc;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::{
    InFlight, Measured, MicroBatch, ScheduleError, Spec, StageCost, need_bytes, play, stage_cost,
};
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::Layers;
use ballast_remat::Error;

use super::memory::{DeviceMemory, plan_in_flight};

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
    /// One entry per stage; those of one device are alike.
    pub cluster: &'a Cluster,
    /// Its layer view.
    pub layers: &'a Layers,
    /// Schedule and micro-batches.
    pub spec: Spec,
    /// Cap of every device; a share is one of what the device needs without recomputation.
    pub cap: CapSpec,
    /// Who plans a stage's memory, with the limits of one plan; cap and host link are filled in.
    pub memory: ballast_remat::Options,
    /// May values be swapped to host memory?
    pub swap: bool,
    /// Do copies run beside computation?
    pub overlap: bool,
    /// Plan every stage as if it held what any of them holds: the same recomputation everywhere.
    pub uniform: bool,
}

/// Pieces `from..to` of the layer view, run as one stage.
pub type Span = (usize, usize);

/// The runs of pieces that are the stages of one device, planned.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its stages, from the front of the pipeline.
    pub stages: Vec<Stage>,
    /// One micro-batch of each.
    pub micros: Vec<MicroBatch>,
    /// Each without recomputation and swaps.
    pub unplanned: Vec<Measured>,
    /// Bytes needed without recomputation and swaps.
    pub unplanned_need_bytes: u64,
    /// The cap asked for.
    pub cap_bytes: u64,
    /// The plans; none where none were found under the cap.
    pub found: Option<DeviceMemory>,
}

impl Run {
    /// What its stages cost.
    fn costs(&self) -> Vec<StageCost> {
        let measured = |chunk: usize| match &self.found {
            Some(found) => &found.stages[chunk].measured,
            None => &self.unplanned[chunk],
        };
        let factor = if self.found.is_some() { 1.0 } else { WITHOUT_PLAN };
        let cost = |(chunk, micro): (usize, &MicroBatch)| {
            let mut cost = stage_cost(micro, measured(chunk));
            cost.forward_seconds *= factor;
            cost.backward_seconds *= factor;
            cost
        };
        self.micros.iter().enumerate().map(cost).collect()
    }

    /// Seconds of one micro-batch under the plans, all stages.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let seconds = |cost: StageCost| cost.forward_seconds + cost.backward_seconds + cost.weights_seconds;
        self.costs().into_iter().map(seconds).sum()
    }

    /// The same without recomputation and swaps.
    #[must_use]
    pub fn unplanned_seconds(&self) -> f64 {
        self.unplanned.iter().map(Measured::seconds).sum()
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
    in_flight: Vec<InFlight>,
    cache: BTreeMap<(Vec<Span>, DeviceId), Rc<Run>>,
}

impl<'a> Runs<'a> {
    /// Nothing planned yet.
    ///
    /// # Errors
    /// Where micro-batches or stages do not suit the schedule.
    pub fn new(site: &'a Site<'a>) -> Result<Self, Error> {
        let in_flight =
            site.spec.in_flight_of_all(site.cluster.devices.len()).map_err(|error| unplayable(&error))?;
        Ok(Runs { site, in_flight, cache: BTreeMap::new() })
    }

    /// What every device holds at a time.
    #[must_use]
    pub fn in_flight(&self) -> &[InFlight] {
        &self.in_flight
    }

    /// Devices planned so far.
    #[must_use]
    pub fn planned(&self) -> usize {
        self.cache.len()
    }

    /// Runs of pieces as the stages of a device, from the front of the pipeline; planned at the first call.
    ///
    /// # Errors
    /// A solver's failure other than having no plan under the cap.
    pub fn run(&mut self, device: DeviceId, spans: &[Span]) -> Result<Rc<Run>, Error> {
        let key = |device: DeviceId| (spans.to_vec(), device);
        if let Some(run) = self.cache.get(&key(device)) {
            return Ok(Rc::clone(run));
        }
        // Plans for more micro-batches in flight serve fewer.
        let plans = |run: &Rc<Run>| -> Option<Vec<CompactPlan>> {
            let stages = &run.found.as_ref()?.stages;
            Some(stages.iter().map(|stage| stage.plan.clone()).collect())
        };
        let start =
            self.cache.range(key(DeviceId(0))..key(device)).filter_map(|(_, run)| plans(run)).next_back();
        let run = Rc::new(self.plan(device, spans, start.as_deref())?);
        self.cache.insert(key(device), Rc::clone(&run));
        Ok(run)
    }

    fn plan(&self, device: DeviceId, spans: &[Span], start: Option<&[CompactPlan]>) -> Result<Run, Error> {
        let Site { graph, cluster, layers, cap, .. } = *self.site;
        let devices = self.in_flight.len();
        let refused = |error: ballast_core::memory::ReplayError| Error::Refused(error.to_string());
        let in_flight = &self.in_flight[device];
        let (mut stages_of, mut micros, mut unplanned) = (Vec::new(), Vec::new(), Vec::new());
        for (chunk, &span) in spans.iter().enumerate() {
            let (stage, device_of) = self.stage(chunk * devices + device.0, span);
            let micro = MicroBatch::of(graph, &stage, &device_of, layers.first_backward);
            unplanned.push(micro.measure(&CompactPlan::default(), None, in_flight.split).map_err(refused)?);
            stages_of.push(stage);
            micros.push(micro);
        }
        let unplanned_need_bytes = need_bytes(&micros, &unplanned, in_flight);
        let what = &cluster.devices[device];
        let cap_bytes = cap.bytes(Bytes(unplanned_need_bytes), what.memory).0;
        let swap = self.site.swap.then(|| cluster.swap_model(what, self.site.overlap));
        let memory = ballast_remat::Options { swap, ..self.site.memory.clone() };
        let planned_for = if self.site.uniform { &InFlight::any(&self.in_flight) } else { in_flight };
        let mut found = plan_in_flight(&micros, planned_for, cap_bytes, &memory, start)?;
        if let Some(found) = &mut found {
            let measured: Vec<Measured> = found.stages.iter().map(|stage| stage.measured).collect();
            found.need_bytes = need_bytes(&micros, &measured, in_flight);
        }
        Ok(Run { stages: stages_of, micros, unplanned, unplanned_need_bytes, cap_bytes, found })
    }

    /// A run of pieces as a stage, and where it takes all pieces to be.
    fn stage(&self, stage: usize, (from, to): Span) -> (Stage, Vec<DeviceId>) {
        let Site { graph, costs, cluster, layers, .. } = *self.site;
        // Where the other pieces run matters only as elsewhere: before or behind this stage.
        let before = stage.saturating_sub(1);
        let behind = (stage + 1).min(cluster.devices.len() - 1);
        let place = |&piece: &usize| {
            if piece < from {
                before
            } else if piece < to {
                stage
            } else {
                behind
            }
        };
        let device_of: Vec<DeviceId> = layers.piece_of.iter().map(place).map(DeviceId).collect();
        (stages(graph, costs, cluster, &device_of).swap_remove(stage), device_of)
    }

    /// The runs of cuts, in order of the devices.
    ///
    /// # Errors
    /// As [`Runs::run`].
    pub fn of_cuts(&mut self, cuts: &[usize]) -> Result<Vec<Rc<Run>>, Error> {
        let spans = spans(cuts, self.site.layers.pieces);
        let devices = self.in_flight.len();
        let of =
            |device: DeviceId| spans.iter().copied().skip(device.0).step_by(devices).collect::<Vec<Span>>();
        DeviceId::first(devices).map(|device| self.run(device, &of(device))).collect()
    }

    /// Scores cuts by the event simulation.
    ///
    /// # Errors
    /// As [`Runs::run`].
    pub fn score(&mut self, cuts: &[usize]) -> Result<Score, Error> {
        let runs = self.of_cuts(cuts)?;
        let short = |run: &Rc<Run>| match run.found {
            Some(_) => 0,
            None => (run.unplanned_need_bytes - run.cap_bytes.min(run.unplanned_need_bytes)).max(1),
        };
        let by_device: Vec<Vec<StageCost>> = runs.iter().map(|run| run.costs()).collect();
        let chunks = self.site.spec.schedule.chunks();
        let costs = (0..chunks).flat_map(|chunk| by_device.iter().map(move |costs| costs[chunk]));
        let costs: Vec<StageCost> = costs.collect();
        let timeline =
            play(self.site.spec, &costs, &vec![true; costs.len()]).map_err(|error| unplayable(&error))?;
        Ok(Score {
            short_bytes: runs.iter().map(short).max().unwrap_or(0),
            step_seconds: timeline.step_seconds,
            bubble: timeline.bubble,
        })
    }
}

/// The runs of pieces between cuts.
pub(super) fn spans(cuts: &[usize], pieces: usize) -> Vec<Span> {
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    starts.zip(cuts.iter().copied().chain([pieces])).collect()
}

fn unplayable(error: &ScheduleError) -> Error {
    Error::Options(error.to_string())
}
