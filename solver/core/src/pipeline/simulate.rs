//! Plays a schedule: an event simulation of the devices of a pipeline.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::device::DeviceId;
use crate::pipeline::schedule::{Pass, Schedule, ScheduleError, Task, orders};

/// Costs of one stage for one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageCost {
    /// Forward pass, seconds, recompute and exposed swap time included.
    pub forward_seconds: f64,
    /// Backward pass for the gradients of inputs, seconds.
    pub backward_seconds: f64,
    /// Backward pass for the gradients of weights, seconds; added to the former where a schedule does not split.
    pub weights_seconds: f64,
    /// Moving activations to the next stage, seconds; they overlap with computation.
    pub send_forward_seconds: f64,
    /// Moving gradients to the stage before, seconds.
    pub send_backward_seconds: f64,
    /// What runs once, after the last backward pass of any stage, seconds.
    pub update_seconds: f64,
    /// Bytes of a micro-batch between its forward and its backward pass.
    pub stash_bytes: f64,
    /// Bytes of one between the halves of its backward pass, where it is split.
    pub deferred_bytes: f64,
    /// Most bytes of one while a pass runs: forward, backward, the half for weights.
    pub peak_bytes: [f64; 3],
    /// Bytes held throughout: weights, optimiser state.
    pub resident_bytes: f64,
}

/// A pipeline to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Stages in the order of the forward pass; stage `v` is on device `v % devices`.
    pub stages: Vec<StageCost>,
    /// Number of devices.
    pub devices: usize,
    /// Micro-batches of a step.
    pub micro_batches: usize,
}

/// A task with its times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedTask {
    /// What ran.
    pub task: Task,
    /// Seconds from the start of the step.
    pub start: f64,
    /// Seconds from the start of the step.
    pub end: f64,
}

/// What a step amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// Seconds from the first task's start to the end of the last one, or of what runs after them all.
    pub step_seconds: f64,
    /// Seconds every device computes.
    pub busy_seconds: Vec<f64>,
    /// Share of `devices * step_seconds` in which devices idle.
    pub bubble: f64,
    /// Tasks of every device in order.
    pub tasks: Vec<Vec<TimedTask>>,
    /// Bytes of every device over time: (seconds, bytes from then on).
    pub memory: Vec<Vec<(f64, f64)>>,
    /// Largest number of bytes on every device.
    pub peak_bytes: Vec<f64>,
    /// Most micro-batches held at once on every device, over its stages.
    pub in_flight: Vec<usize>,
}

impl Timeline {
    /// The same where the stages played, one per device, are these among more: the other devices idle throughout.
    pub(super) fn among(self, kept: &[usize], stages: &[StageCost]) -> Timeline {
        let devices = stages.len();
        let mut found = Timeline {
            step_seconds: self.step_seconds,
            busy_seconds: vec![0.0; devices],
            bubble: 1.0 - (1.0 - self.bubble) * kept.len() as f64 / devices as f64,
            tasks: vec![Vec::new(); devices],
            memory: stages.iter().map(|stage| vec![(0.0, stage.resident_bytes)]).collect(),
            peak_bytes: stages.iter().map(|stage| stage.resident_bytes).collect(),
            in_flight: vec![0; devices],
        };
        let played = self.tasks.into_iter().zip(self.memory);
        for (place, (mut tasks, memory)) in played.enumerate() {
            let device = kept[place];
            tasks.iter_mut().for_each(|timed| timed.task.stage = device);
            (found.tasks[device], found.memory[device]) = (tasks, memory);
            found.busy_seconds[device] = self.busy_seconds[place];
            found.peak_bytes[device] = self.peak_bytes[place];
            found.in_flight[device] = self.in_flight[place];
        }
        found
    }
}

impl StageCost {
    fn seconds(&self, pass: Pass, split: bool) -> f64 {
        match pass {
            Pass::Forward => self.forward_seconds,
            Pass::Backward if split => self.backward_seconds,
            Pass::Backward => self.backward_seconds + self.weights_seconds,
            Pass::Weights => self.weights_seconds,
        }
    }

    fn is_sound(&self) -> bool {
        let StageCost {
            forward_seconds,
            backward_seconds,
            weights_seconds,
            send_forward_seconds,
            send_backward_seconds,
            update_seconds,
            stash_bytes,
            deferred_bytes,
            peak_bytes: [forward_bytes, backward_bytes, weights_bytes],
            resident_bytes,
        } = *self;
        [
            forward_seconds,
            backward_seconds,
            weights_seconds,
            send_forward_seconds,
            send_backward_seconds,
            update_seconds,
            stash_bytes,
            deferred_bytes,
            forward_bytes,
            backward_bytes,
            weights_bytes,
            resident_bytes,
        ]
        .iter()
        .all(|cost| cost.is_finite() && *cost >= 0.0)
    }
}

/// An event: at `seconds`, `device` may have something new to start. Ordered by time, then device.
#[derive(Clone, Copy, PartialEq)]
struct Event {
    seconds: f64,
    device: DeviceId,
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.seconds.total_cmp(&other.seconds).then(self.device.cmp(&other.device))
    }
}

/// Plays one step.
///
/// A forward pass waits for that of the stage before and its transfer, a backward pass for that of the stage after
/// and for the forward pass of its own stage; every device runs its order without skipping ahead.
///
/// # Errors
/// On costs or counts that make no pipeline.
pub fn simulate(pipeline: &Pipeline, schedule: Schedule) -> Result<Timeline, ScheduleError> {
    let Pipeline { ref stages, devices, micro_batches } = *pipeline;
    let orders = orders(schedule, devices, micro_batches)?;
    let chunks = schedule.chunks();
    if stages.len() != devices * chunks {
        return Err(ScheduleError::Stages { given: stages.len(), devices, chunks });
    }
    if let Some(stage) = stages.iter().position(|stage| !stage.is_sound()) {
        return Err(ScheduleError::Cost { stage });
    }
    let split = schedule.splits_backward();
    // When the inputs of a pass are there; none while they are not.
    let slot = |stage: usize, micro_batch: usize| stage * micro_batches + micro_batch;
    let mut forward_ready: Vec<Option<f64>> = vec![None; stages.len() * micro_batches];
    let mut backward_ready = forward_ready.clone();
    forward_ready[..micro_batches].fill(Some(0.0));
    let mut tasks: Vec<Vec<TimedTask>> = vec![Vec::new(); devices];
    let mut free_at = vec![0.0; devices];
    let mut events: BinaryHeap<Reverse<Event>> =
        DeviceId::first(devices).map(|device| Reverse(Event { seconds: 0.0, device })).collect();
    // When a device that found its next task too early will look again.
    let mut wake_at: Vec<Option<f64>> = vec![None; devices];
    while let Some(Reverse(Event { seconds, device })) = events.pop() {
        if wake_at[device] == Some(seconds) {
            wake_at[device] = None;
        }
        let Some(&task) = orders[device].get(tasks[device].len()) else { continue };
        let Task { stage, micro_batch, pass } = task;
        let ready = match pass {
            Pass::Forward => forward_ready[slot(stage, micro_batch)],
            Pass::Backward => backward_ready[slot(stage, micro_batch)],
            // Its backward half stands before it in the same order.
            Pass::Weights => Some(0.0),
        };
        let Some(ready) = ready else { continue };
        let start = ready.max(free_at[device]);
        if start > seconds {
            // Once: everything that has arrived meanwhile would come back each time, and again.
            if wake_at[device] != Some(start) {
                wake_at[device] = Some(start);
                events.push(Reverse(Event { seconds: start, device }));
            }
            continue;
        }
        let end = start + stages[stage].seconds(pass, split);
        tasks[device].push(TimedTask { task, start, end });
        free_at[device] = end;
        events.push(Reverse(Event { seconds: end, device }));
        let mut arrives = |ready: &mut Vec<Option<f64>>, stage: usize, seconds: f64| {
            ready[slot(stage, micro_batch)] = Some(seconds);
            events.push(Reverse(Event { seconds, device: DeviceId(stage % devices) }));
        };
        match pass {
            Pass::Forward if stage + 1 < stages.len() => {
                arrives(&mut forward_ready, stage + 1, end + stages[stage].send_forward_seconds);
            }
            // The loss: the last stage turns round.
            Pass::Forward => arrives(&mut backward_ready, stage, end),
            Pass::Backward if stage > 0 => {
                arrives(&mut backward_ready, stage - 1, end + stages[stage].send_backward_seconds);
            }
            Pass::Backward | Pass::Weights => {}
        }
    }
    if let Some(device) = DeviceId::first(devices).find(|&d| tasks[d].len() < orders[d].len()) {
        return Err(ScheduleError::Stuck { device });
    }
    Ok(summarise(pipeline, schedule, tasks))
}

fn summarise(pipeline: &Pipeline, schedule: Schedule, tasks: Vec<Vec<TimedTask>>) -> Timeline {
    let passes_seconds = tasks.iter().flatten().map(|timed| timed.end).fold(0.0, f64::max);
    let busy = |list: &Vec<TimedTask>| list.iter().map(|timed| timed.end - timed.start).sum();
    let mut busy_seconds: Vec<f64> = tasks.iter().map(busy).collect();
    // Updates that wait for all gradients start when the last backward pass has ended, those of one device one after the other.
    let mut updates_seconds = vec![0.0f64; pipeline.devices];
    for (index, stage) in pipeline.stages.iter().enumerate() {
        updates_seconds[index % pipeline.devices] += stage.update_seconds;
    }
    busy_seconds.iter_mut().zip(&updates_seconds).for_each(|(busy, updates)| *busy += updates);
    let step_seconds = passes_seconds + updates_seconds.into_iter().fold(0.0, f64::max);
    let area = step_seconds * pipeline.devices as f64;
    let bubble = if area > 0.0 { 1.0 - busy_seconds.iter().sum::<f64>() / area } else { 0.0 };
    let releases = schedule.releases();
    let (mut memory, mut peak_bytes, mut in_flight) = (Vec::new(), Vec::new(), Vec::new());
    for (device, list) in tasks.iter().enumerate() {
        let own = pipeline.stages.iter().skip(device).step_by(pipeline.devices);
        let mut bytes: f64 = own.map(|stage| stage.resident_bytes).sum();
        let mut held = 0usize;
        let (mut line, mut peak, mut most) = (vec![(0.0, bytes)], bytes, 0);
        // Tasks of one device never overlap, so their own order is the order of time.
        for timed in list {
            let StageCost { stash_bytes, deferred_bytes, peak_bytes, .. } = pipeline.stages[timed.task.stage];
            let pass = timed.task.pass;
            let (before, after) = match pass {
                Pass::Forward => (0.0, stash_bytes),
                Pass::Backward => (stash_bytes, deferred_bytes),
                Pass::Weights => (deferred_bytes, 0.0),
            };
            held += usize::from(pass == Pass::Forward);
            bytes -= before;
            line.push((timed.start, bytes + peak_bytes[pass as usize]));
            peak = f64::max(peak, bytes + peak_bytes[pass as usize]);
            most = most.max(held);
            if pass == releases {
                held -= 1;
            } else {
                bytes += after;
            }
            line.push((timed.end, bytes));
        }
        line.dedup_by(|next, previous| next.1 == previous.1);
        memory.push(line);
        peak_bytes.push(peak);
        in_flight.push(most);
    }
    Timeline { step_seconds, busy_seconds, bubble, tasks, memory, peak_bytes, in_flight }
}
