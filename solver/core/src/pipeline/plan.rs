//! The part of a plan about a pipeline of micro-batches.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::graph::{Graph, OpId};
use crate::memory::{CompactPlan, ReplayError, SwapModel};
use crate::pipeline::data::DataBytes;
use crate::pipeline::in_flight::need_bytes;
use crate::pipeline::judge::{Spec, judge};
use crate::pipeline::micro_batch::{Measured, MicroBatch};
use crate::simulate::Rejection;
use crate::stage::Stage;

/// A step of micro-batches that pass through the stages under a schedule. The rest of the plan is about one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelinePlan {
    /// Name of the schedule.
    pub schedule: String,
    /// Micro-batches of a step.
    pub micro_batches: usize,
    /// Seconds of a step, by event simulation.
    pub step_seconds: f64,
    /// Share of the devices' time in which they idle.
    pub bubble: f64,
    /// Number of devices, where they run several stages each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<usize>,
    /// One entry per device. Under an interleaved schedule every stage of a device counts as a device: stage `v` is
    /// on device `v % devices`.
    pub stages: Vec<PipelineStage>,
}

/// What a stage of a pipeline takes for a micro-batch, and what its device holds for all in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineStage {
    /// Device number.
    pub device: DeviceId,
    /// Most micro-batches held at a time for this stage; 0 where the device runs nothing and is no part of the pipeline.
    pub in_flight: usize,
    /// Forward pass, seconds.
    pub forward_seconds: f64,
    /// Backward pass, without the half for weights where the schedule runs that apart, seconds.
    pub backward_seconds: f64,
    /// That half, seconds.
    pub weights_seconds: f64,
    /// The update, where it waits for gradients of other stages: it runs once, after the last backward pass of any stage, seconds.
    #[serde(default, skip_serializing_if = "crate::units::is_zero")]
    pub update_seconds: f64,
    /// Bytes held for each micro-batch between its passes.
    pub stash_bytes: u64,
    /// What of the stage's resident bytes is data of the micro-batch, under the plan.
    #[serde(default, skip_serializing_if = "DataBytes::is_none")]
    pub data: DataBytes,
    /// The same without recomputation and swaps.
    #[serde(default, skip_serializing_if = "DataBytes::is_none")]
    pub unplanned_data: DataBytes,
    /// Bytes the device needs, all its stages and all micro-batches in flight together: what its cap bounds.
    pub need_bytes: u64,
    /// The same without recomputation and swaps.
    pub unplanned_need_bytes: u64,
    /// Bytes the device holds over the step: seconds from its start, bytes from then on.
    pub memory: Vec<(f64, f64)>,
}

/// What a step takes, in one line.
impl fmt::Display for PipelinePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} over {} micro-batches: step {:.6} ms, {:.1} % idle",
            self.schedule,
            self.micro_batches,
            self.step_seconds * 1e3,
            self.bubble * 100.0
        )?;
        if let Some(devices) = self.devices {
            write!(
                f,
                "; stage v of the table runs on device v % {devices}, and needs are those of whole devices"
            )?;
        }
        Ok(())
    }
}

/// Judges stage plans as a pipeline, and writes down what it found.
///
/// `swap`: the host link of every stage, none where nothing is swapped.
///
/// # Errors
/// What the replay of a stage refuses.
pub fn pipeline_plan(
    graph: &Graph,
    device_of: &[DeviceId],
    stages: &[Stage],
    plans: &[CompactPlan],
    swap: &[Option<SwapModel>],
    spec: Spec,
    first_backward: OpId,
) -> Result<PipelinePlan, Rejection> {
    let micro = |stage| MicroBatch::of(graph, stage, device_of, first_backward);
    let micros: Vec<MicroBatch> = stages.iter().map(micro).collect();
    pipeline_of(&micros, stages, plans, swap, spec)
}

/// The same of stages already seen as parts of a pipeline.
///
/// # Errors
/// What the replay of a stage refuses.
pub fn pipeline_of(
    micros: &[MicroBatch],
    stages: &[Stage],
    plans: &[CompactPlan],
    swap: &[Option<SwapModel>],
    spec: Spec,
) -> Result<PipelinePlan, Rejection> {
    let judged = judge(micros, stages, plans, swap, spec)?;
    let in_flight = &judged.in_flight;
    let devices = in_flight.len();
    let mut entries = Vec::with_capacity(stages.len());
    for (index, (stage, measured)) in stages.iter().zip(&judged.stages).enumerate() {
        entries.push(PipelineStage {
            device: stage.device,
            in_flight: in_flight[index % devices].micro_batches(index / devices),
            forward_seconds: measured.forward_seconds,
            backward_seconds: measured.backward_seconds,
            weights_seconds: measured.weights_seconds,
            update_seconds: micros[index].update_seconds,
            stash_bytes: measured.stash_bytes,
            data: measured.data,
            unplanned_data: micros[index].least_data(in_flight[index % devices].split),
            need_bytes: 0,
            unplanned_need_bytes: 0,
            memory: judged.timeline.memory[index % devices].clone(),
        });
    }
    for (device, held) in in_flight.iter().enumerate() {
        let own = || (device..stages.len()).step_by(devices);
        let micros: Vec<MicroBatch> = own().map(|index| micros[index].clone()).collect();
        let unplanned = own().zip(&micros).map(|(index, micro)| {
            let refused = |error: ReplayError| Rejection { device: stages[index].device, op: None, error };
            micro.measure(&CompactPlan::default(), None, held.split).map_err(refused)
        });
        let unplanned = need_bytes(&micros, &unplanned.collect::<Result<Vec<_>, _>>()?, held);
        let measured: Vec<Measured> = own().map(|index| judged.stages[index]).collect();
        let need = need_bytes(&micros, &measured, held);
        for index in own() {
            (entries[index].need_bytes, entries[index].unplanned_need_bytes) = (need, unplanned);
        }
    }
    Ok(PipelinePlan {
        schedule: spec.schedule.to_string(),
        micro_batches: spec.micro_batches,
        step_seconds: judged.timeline.step_seconds,
        bubble: judged.timeline.bubble,
        devices: (devices < stages.len()).then_some(devices),
        stages: entries,
    })
}
