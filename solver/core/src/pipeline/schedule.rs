//! Named pipeline schedules: which pass of which micro-batch every device runs when.

use std::fmt;
use std::str::FromStr;

use crate::device::DeviceId;

/// A named schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Forward passes only, micro-batches in order: inference.
    Forward,
    /// All forward passes, then all backward passes (Huang et al., "GPipe", NeurIPS 2019).
    GPipe,
    /// One forward, one backward once the pipeline is full (Narayanan et al., "PipeDream-2BW", ICML 2021: the
    /// flushed schedule).
    OneForwardOneBackward,
    /// The same with several stages per device (Narayanan et al., "Efficient Large-Scale Language Model Training on
    /// GPU Clusters Using Megatron-LM", SC 2021, section 2.2).
    Interleaved {
        /// Stages per device, at least 2.
        chunks: usize,
    },
    /// Backward split into the gradients of inputs and of weights, the latter late enough to fill the drain and
    /// early enough to hold no more than `devices` micro-batches (Qi et al., "Zero Bubble Pipeline Parallelism",
    /// ICLR 2024, schedule H1).
    ZeroBubble,
}

impl Schedule {
    /// Stages per device.
    #[must_use]
    pub fn chunks(self) -> usize {
        match self {
            Schedule::Interleaved { chunks } => chunks,
            _ => 1,
        }
    }

    /// Does it run the two halves of backward apart?
    #[must_use]
    pub fn splits_backward(self) -> bool {
        self == Schedule::ZeroBubble
    }

    /// The pass after which a micro-batch's activations are held no more.
    #[must_use]
    pub fn releases(self) -> Pass {
        match self {
            Schedule::Forward => Pass::Forward,
            Schedule::ZeroBubble => Pass::Weights,
            _ => Pass::Backward,
        }
    }

    /// Most micro-batches whose activations a device holds at once, over all its stages.
    ///
    /// 1F1B: device `d` of `D`, counted from 0, holds `min(D - d, M)`.
    #[must_use]
    pub fn in_flight(self, device: DeviceId, devices: usize, micro_batches: usize) -> usize {
        match self {
            Schedule::Forward => 1,
            Schedule::GPipe => micro_batches,
            Schedule::OneForwardOneBackward => (devices - device.0).min(micro_batches),
            Schedule::Interleaved { chunks } => {
                (warm_up_interleaved(device, devices, chunks) + 1).min(micro_batches * chunks)
            }
            Schedule::ZeroBubble => devices.min(micro_batches),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Forward => f.write_str("forward"),
            Schedule::GPipe => f.write_str("gpipe"),
            Schedule::OneForwardOneBackward => f.write_str("1f1b"),
            Schedule::Interleaved { chunks } => write!(f, "interleaved:{chunks}"),
            Schedule::ZeroBubble => f.write_str("zero-bubble"),
        }
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let unknown = || ScheduleError::Unknown { name: text.to_owned() };
        match text {
            "forward" => Ok(Schedule::Forward),
            "gpipe" => Ok(Schedule::GPipe),
            "1f1b" => Ok(Schedule::OneForwardOneBackward),
            "interleaved" => Ok(Schedule::Interleaved { chunks: 2 }),
            "zero-bubble" => Ok(Schedule::ZeroBubble),
            _ => {
                let chunks = text.strip_prefix("interleaved:").ok_or_else(unknown)?;
                match chunks.parse() {
                    Ok(chunks) if (2..=1024).contains(&chunks) => Ok(Schedule::Interleaved { chunks }),
                    _ => Err(unknown()),
                }
            }
        }
    }
}

/// Why a schedule cannot be made or played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// No such name.
    #[error(
        "'{name}' is no schedule: choose forward, gpipe, 1f1b, interleaved, interleaved:N (2 to 1024 stages per \
         device) or zero-bubble"
    )]
    Unknown {
        /// What was given.
        name: String,
    },
    /// No devices or no micro-batches.
    #[error("a pipeline needs at least one device and one micro-batch")]
    Empty,
    /// Interleaving deals micro-batches out in rounds of one per device.
    #[error(
        "interleaved schedules need a multiple of {devices} micro-batches (one round per device), not {given}"
    )]
    Rounds {
        /// Number of devices.
        devices: usize,
        /// Number of micro-batches.
        given: usize,
    },
    /// The number of stages does not match.
    #[error("{given} stages for {devices} devices with {chunks} each: give {} stages", devices * chunks)]
    Stages {
        /// Stages given.
        given: usize,
        /// Number of devices.
        devices: usize,
        /// Stages per device.
        chunks: usize,
    },
    /// A cost that is negative or no number.
    #[error("stage {stage} has a cost that is negative or no number")]
    Cost {
        /// The stage.
        stage: usize,
    },
    /// The orders of the devices wait for one another.
    #[error("the schedule is stuck: device {device} waits for a pass that comes later")]
    Stuck {
        /// A device that cannot go on.
        device: DeviceId,
    },
}

/// A pass of one stage over one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// The forward pass.
    Forward,
    /// The backward pass, or its half for the gradients of inputs where the schedule splits it.
    Backward,
    /// The half of the backward pass for the gradients of weights.
    Weights,
}

/// One entry of a device's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// The stage, of all stages of the pipeline.
    pub stage: usize,
    /// The micro-batch.
    pub micro_batch: usize,
    /// The pass.
    pub pass: Pass,
}

/// The order of tasks on every device.
///
/// # Errors
/// On an empty pipeline, or a number of micro-batches the schedule cannot deal out.
pub fn orders(
    schedule: Schedule,
    devices: usize,
    micro_batches: usize,
) -> Result<Vec<Vec<Task>>, ScheduleError> {
    check(schedule, devices, micro_batches)?;
    Ok(DeviceId::first(devices).map(|device| order_of(schedule, device, devices, micro_batches)).collect())
}

/// Does the schedule suit so many devices and micro-batches?
///
/// # Errors
/// As [`orders`].
pub(super) fn check(schedule: Schedule, devices: usize, micro_batches: usize) -> Result<(), ScheduleError> {
    if devices == 0 || micro_batches == 0 {
        return Err(ScheduleError::Empty);
    }
    if let Schedule::Interleaved { .. } = schedule
        && !micro_batches.is_multiple_of(devices)
    {
        return Err(ScheduleError::Rounds { devices, given: micro_batches });
    }
    Ok(())
}

/// The order of tasks on one device of a schedule that [`check`] lets pass.
pub(super) fn order_of(
    schedule: Schedule,
    device: DeviceId,
    devices: usize,
    micro_batches: usize,
) -> Vec<Task> {
    let task = |pass| move |micro_batch| Task { stage: device.0, micro_batch, pass };
    let all = 0..micro_batches;
    match schedule {
        Schedule::Forward => all.map(task(Pass::Forward)).collect(),
        Schedule::GPipe => {
            all.clone().map(task(Pass::Forward)).chain(all.map(task(Pass::Backward))).collect()
        }
        Schedule::OneForwardOneBackward => {
            let forward = all.clone().map(task(Pass::Forward)).collect();
            let backward = all.map(task(Pass::Backward)).collect();
            alternate(forward, backward, devices - device.0 - 1)
        }
        Schedule::Interleaved { chunks } => {
            let passes = micro_batches * chunks;
            let nth = |pass: Pass, n: usize| {
                let (round, within) = (n / (devices * chunks), n % (devices * chunks));
                let chunk = match pass {
                    Pass::Forward => within / devices,
                    _ => chunks - 1 - within / devices,
                };
                let micro_batch = round * devices + within % devices;
                Task { stage: chunk * devices + device.0, micro_batch, pass }
            };
            let forward = (0..passes).map(|n| nth(Pass::Forward, n)).collect();
            let backward = (0..passes).map(|n| nth(Pass::Backward, n)).collect();
            alternate(forward, backward, warm_up_interleaved(device, devices, chunks))
        }
        Schedule::ZeroBubble => {
            let forward = all.clone().map(task(Pass::Forward)).collect();
            let backward = all.clone().map(task(Pass::Backward)).collect();
            let mut order = Vec::new();
            let mut late = 0;
            // Weights of a micro-batch wait until `device` later ones are through their backward pass.
            for next in alternate(forward, backward, devices - device.0 - 1) {
                order.push(next);
                if next.pass == Pass::Backward && next.micro_batch >= device.0 {
                    order.push(task(Pass::Weights)(late));
                    late += 1;
                }
            }
            order.extend((late..micro_batches).map(task(Pass::Weights)));
            order
        }
    }
}

/// Forward passes of a device before its first backward pass, in Megatron's interleaved schedule.
fn warm_up_interleaved(device: DeviceId, devices: usize, chunks: usize) -> usize {
    (devices - device.0 - 1) * 2 + (chunks - 1) * devices
}

/// `warm_up` forward passes, then one forward and one backward in turn, then the backward passes left.
fn alternate(forward: Vec<Task>, backward: Vec<Task>, warm_up: usize) -> Vec<Task> {
    let mut order = Vec::with_capacity(forward.len() + backward.len());
    let mut forward = forward.into_iter();
    order.extend(forward.by_ref().take(warm_up));
    for task in backward {
        order.extend(forward.next());
        order.push(task);
    }
    order
}
