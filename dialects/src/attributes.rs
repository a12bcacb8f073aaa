//! The dialect's attributes in Rust: made with their verifier, read field by field.

use melior::ir::{Attribute, AttributeLike, Location};
use mlir_sys::MlirAttribute;

use crate::diagnostics::{Reported, already_reported};
use crate::ffi::{self, RawPlan, RawStage, owned, view};

/// Name of the attribute that says which device runs an op.
pub const DEVICE: &str = "ballast.device";
/// Name of the attribute with an op's position in the op sequence of its stage.
pub const POSITION: &str = "ballast.position";
/// Name of the attribute that says before which positions an op runs again.
pub const RECOMPUTE: &str = "ballast.recompute";
/// Name of the attribute that says when a value goes to host memory and back.
pub const SWAP: &str = "ballast.swap";
/// Name of the attribute that says where other devices receive a value.
pub const RECEIVES: &str = "ballast.receives";
/// Name of the attribute with the time and work of an op.
pub const COST: &str = "ballast.cost";
/// Name of the attribute with the figures of a plan, on its function.
pub const PLAN: &str = "ballast.plan";
/// Name of the attribute with the figures of a step of micro-batches, on the function.
pub const PIPELINE: &str = "ballast.pipeline";
/// Name of the attribute with the figures of the plan that a function's body carries out.
pub const APPLIED: &str = "ballast.applied";
/// Name of the attribute that says what one device runs of a program cut over several, on its function.
pub const PROGRAM: &str = "ballast.program";
/// Name of the attribute with what a function needs as a training job.
pub const JOB: &str = "ballast.job";
/// Name of the attribute with the devices a training job was given, on its function.
pub const PLACEMENT: &str = "ballast.placement";
/// Name of the user's rule that an op runs once.
pub const NEVER_RECOMPUTE: &str = "ballast.never_recompute";
/// Name of the user's rule that a value stays off the host.
pub const NEVER_SWAP: &str = "ballast.never_swap";
/// Name of the user's rule that a value stays on the device from first computation to last use.
pub const MUST_KEEP: &str = "ballast.must_keep";
/// Version of `#ballast.plan` that this build writes.
pub const PLAN_VERSION: i64 = 2;

/// `#ballast.device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// Index of the device.
    pub id: i64,
}

impl Device {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        // SAFETY: the location is live.
        made(unsafe { ffi::ballastDeviceGet(location.to_raw(), self.id) })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        // SAFETY: the attribute's context is live.
        let id = unsafe { ffi::ballastDeviceRead(attribute.to_raw()) };
        (id >= 0).then_some(Device { id })
    }
}

/// `#ballast.recompute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recompute {
    /// Positions before which the op runs again, ascending.
    pub before: Vec<i64>,
}

impl Recompute {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        // SAFETY: the location is live, the positions outlive the call.
        made(unsafe { ffi::ballastRecomputeGet(location.to_raw(), self.before.as_ptr(), self.before.len()) })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let (mut before, mut count) = (std::ptr::null(), 0);
        // SAFETY: the shim points into the attribute, which lives as long as its context.
        unsafe {
            ffi::ballastRecomputeRead(attribute.to_raw(), &raw mut before, &raw mut count)
                .then(|| Recompute { before: positions(before, count) })
        }
    }
}

/// `#ballast.swap`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// Position after which the value is copied to the host; -1: before the first op.
    pub out_after: i64,
    /// Positions before which it is copied back, ascending.
    pub in_before: Vec<i64>,
}

impl Swap {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        // SAFETY: the location is live, the positions outlive the call.
        made(unsafe {
            ffi::ballastSwapGet(
                location.to_raw(),
                self.out_after,
                self.in_before.as_ptr(),
                self.in_before.len(),
            )
        })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let (mut out_after, mut in_before, mut count) = (0, std::ptr::null(), 0);
        // SAFETY: the shim points into the attribute, which lives as long as its context.
        unsafe {
            ffi::ballastSwapRead(attribute.to_raw(), &raw mut out_after, &raw mut in_before, &raw mut count)
                .then(|| Swap { out_after, in_before: positions(in_before, count) })
        }
    }
}

/// `#ballast.receive`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receive {
    /// The receiving device.
    pub device: i64,
    /// Position of the first receive in that device's op sequence.
    pub position: i64,
    /// Positions before which it is received again, ascending; may be empty.
    pub again_before: Vec<i64>,
}

impl Receive {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        let again = &self.again_before;
        // SAFETY: the location is live, the positions outlive the call.
        made(unsafe {
            ffi::ballastReceiveGet(location.to_raw(), self.device, self.position, again.as_ptr(), again.len())
        })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let (mut device, mut position, mut again, mut count) = (0, 0, std::ptr::null(), 0);
        // SAFETY: the shim points into the attribute, which lives as long as its context.
        unsafe {
            ffi::ballastReceiveRead(
                attribute.to_raw(),
                &raw mut device,
                &raw mut position,
                &raw mut again,
                &raw mut count,
            )
            .then(|| Receive { device, position, again_before: positions(again, count) })
        }
    }
}

/// `#ballast.program`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The device that runs the function.
    pub device: i64,
    /// Number of devices the whole program was cut over.
    pub devices: i64,
    /// Which arguments of the whole program the function's are, ascending.
    pub arguments: Vec<i64>,
    /// Which results of the whole program the function's are, ascending.
    pub results: Vec<i64>,
}

impl Program {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        let (arguments, results) = (&self.arguments, &self.results);
        // SAFETY: the location is live, the lists outlive the call.
        made(unsafe {
            ffi::ballastProgramGet(
                location.to_raw(),
                self.device,
                self.devices,
                arguments.as_ptr(),
                arguments.len(),
                results.as_ptr(),
                results.len(),
            )
        })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let (mut device, mut devices) = (0, 0);
        let (mut arguments, mut argument_count) = (std::ptr::null(), 0);
        let (mut results, mut result_count) = (std::ptr::null(), 0);
        // SAFETY: the shim points into the attribute, which lives as long as its context.
        unsafe {
            ffi::ballastProgramRead(
                attribute.to_raw(),
                &raw mut device,
                &raw mut devices,
                &raw mut arguments,
                &raw mut argument_count,
                &raw mut results,
                &raw mut result_count,
            )
            .then(|| Program {
                device,
                devices,
                arguments: positions(arguments, argument_count),
                results: positions(results, result_count),
            })
        }
    }
}

/// `#ballast.cost`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Seconds of one execution.
    pub seconds: f64,
    /// Floating-point operations.
    pub flops: i64,
    /// Bytes read from and written to device memory.
    pub bytes: i64,
}

impl Cost {
    /// The attribute.
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute<'c>(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        // SAFETY: the location is live.
        made(unsafe { ffi::ballastCostGet(location.to_raw(), self.seconds, self.flops, self.bytes) })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read<'c>(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let mut cost = Cost { seconds: 0.0, flops: 0, bytes: 0 };
        // SAFETY: the attribute's context is live.
        unsafe {
            ffi::ballastCostRead(
                attribute.to_raw(),
                &raw mut cost.seconds,
                &raw mut cost.flops,
                &raw mut cost.bytes,
            )
        }
        .then_some(cost)
    }
}

/// `#ballast.stage`: what one device or core group runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Index of the device or core group.
    pub device: i64,
    /// Cores of the stage; 1 where devices are not made of cores.
    pub cores: i64,
    /// Cap the plan keeps, bytes.
    pub cap: i64,
    /// Cap asked for, bytes.
    pub requested_cap: i64,
    /// Smallest cap found feasible, bytes; none: not searched for.
    pub smallest_cap: Option<i64>,
    /// Peak with the plan, bytes.
    pub peak: i64,
    /// Peak without recomputation and swaps, bytes.
    pub unplanned_peak: i64,
    /// Peak of host memory, bytes.
    pub host_peak: i64,
    /// Seconds with the plan.
    pub seconds: f64,
    /// Seconds without recomputation and swaps.
    pub unplanned_seconds: f64,
    /// Proven lower bound on `seconds`.
    pub bound: f64,
}

/// Why a search stopped, as `#ballast.plan` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The value equals the proven bound.
    Proved = 0,
    /// The method ran to its end.
    Finished = 1,
    /// The wall clock.
    TimeLimit = 2,
    /// The deterministic work count.
    WorkLimit = 3,
    /// A signal.
    Interrupted = 4,
}

impl StopReason {
    fn from_raw(raw: u32) -> Self {
        match raw {
            0 => StopReason::Proved,
            1 => StopReason::Finished,
            2 => StopReason::TimeLimit,
            3 => StopReason::WorkLimit,
            _ => StopReason::Interrupted,
        }
    }
}

/// `#ballast.plan`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'c> {
    /// Number of devices planned for, idle ones included.
    pub devices: i64,
    /// Seconds of the slowest stage.
    pub tmax: f64,
    /// Seconds of the fastest stage.
    pub tmin: f64,
    /// tmax / tmin; none where a stage has no time.
    pub ratio: Option<f64>,
    /// Proven lower bound on tmax, seconds.
    pub bound: f64,
    /// Class of plans the bound holds for.
    pub bound_class: String,
    /// (tmax - bound) / tmax.
    pub gap: f64,
    /// Why the search stopped.
    pub stop: StopReason,
    /// Method that found the plan.
    pub method: String,
    /// Seed of the search.
    pub seed: u64,
    /// Hash of the planned program, 16 hexadecimal digits.
    pub fingerprint: String,
    /// Hash of what cannot be derived again, 16 hexadecimal digits; empty where it was never taken.
    pub checksum: String,
    /// Do all stages keep the caps asked for?
    pub cap_met: bool,
    /// Does the bound rest on what HiGHS says of its branch and bound?
    pub bound_trusts_highs: bool,
    /// One per device in use, ascending by device.
    pub stages: Vec<Stage>,
    /// Dictionary of the settings that the figures depend on.
    pub settings: Option<Attribute<'c>>,
}

impl<'c> Plan<'c> {
    /// The attribute, of version [`PLAN_VERSION`].
    ///
    /// # Errors
    /// When its verifier refuses it, which is then reported at `location`.
    pub fn attribute(&self, location: Location<'c>) -> Result<Attribute<'c>, Reported> {
        let raw = RawPlan {
            version: PLAN_VERSION,
            devices: self.devices,
            tmax: self.tmax,
            tmin: self.tmin,
            ratio: self.ratio.unwrap_or(-1.0),
            bound: self.bound,
            bound_class: view(&self.bound_class),
            gap: self.gap,
            stop: self.stop as u32,
            method: view(&self.method),
            seed: self.seed,
            fingerprint: view(&self.fingerprint),
            checksum: view(&self.checksum),
            cap_met: self.cap_met,
            bound_trusts_highs: self.bound_trusts_highs,
            settings: self
                .settings
                .map_or(MlirAttribute { ptr: std::ptr::null() }, |attribute| attribute.to_raw()),
        };
        let stages: Vec<RawStage> = self.stages.iter().map(raw_stage).collect();
        // SAFETY: the location is live, strings and stages outlive the call.
        made(unsafe { ffi::ballastPlanGet(location.to_raw(), &raw const raw, stages.as_ptr(), stages.len()) })
    }

    /// Reads an attribute; none if it is another one.
    #[must_use]
    pub fn read(attribute: impl AttributeLike<'c>) -> Option<Self> {
        let mut raw = RawPlan {
            version: 0,
            devices: 0,
            tmax: 0.0,
            tmin: 0.0,
            ratio: 0.0,
            bound: 0.0,
            bound_class: view(""),
            gap: 0.0,
            stop: 0,
            method: view(""),
            seed: 0,
            fingerprint: view(""),
            checksum: view(""),
            cap_met: true,
            bound_trusts_highs: false,
            settings: MlirAttribute { ptr: std::ptr::null() },
        };
        // SAFETY: the attribute's context is live; the second call fills as many stages as the first counted.
        unsafe {
            let attribute = attribute.to_raw();
            let count = ffi::ballastPlanRead(attribute, &raw mut raw, std::ptr::null_mut(), 0);
            let count = usize::try_from(count).ok()?;
            let mut stages: Vec<RawStage> = Vec::with_capacity(count);
            ffi::ballastPlanRead(attribute, &raw mut raw, stages.as_mut_ptr(), count);
            stages.set_len(count);
            Some(Plan {
                devices: raw.devices,
                tmax: raw.tmax,
                tmin: raw.tmin,
                ratio: (raw.ratio >= 0.0).then_some(raw.ratio),
                bound: raw.bound,
                bound_class: owned(raw.bound_class),
                gap: raw.gap,
                stop: StopReason::from_raw(raw.stop),
                method: owned(raw.method),
                seed: raw.seed,
                fingerprint: owned(raw.fingerprint),
                checksum: owned(raw.checksum),
                cap_met: raw.cap_met,
                bound_trusts_highs: raw.bound_trusts_highs,
                stages: stages.iter().map(stage).collect(),
                settings: Attribute::from_option_raw(raw.settings),
            })
        }
    }
}

fn raw_stage(stage: &Stage) -> RawStage {
    RawStage {
        device: stage.device,
        cores: stage.cores,
        cap: stage.cap,
        requested_cap: stage.requested_cap,
        smallest_cap: stage.smallest_cap.unwrap_or(-1),
        peak: stage.peak,
        unplanned_peak: stage.unplanned_peak,
        host_peak: stage.host_peak,
        seconds: stage.seconds,
        unplanned_seconds: stage.unplanned_seconds,
        bound: stage.bound,
    }
}

fn stage(raw: &RawStage) -> Stage {
    Stage {
        device: raw.device,
        cores: raw.cores,
        cap: raw.cap,
        requested_cap: raw.requested_cap,
        smallest_cap: (raw.smallest_cap >= 0).then_some(raw.smallest_cap),
        peak: raw.peak,
        unplanned_peak: raw.unplanned_peak,
        host_peak: raw.host_peak,
        seconds: raw.seconds,
        unplanned_seconds: raw.unplanned_seconds,
        bound: raw.bound,
    }
}

/// An attribute that its verifier may have refused.
fn made<'c>(raw: MlirAttribute) -> Result<Attribute<'c>, Reported> {
    // SAFETY: null or an attribute of a live context.
    unsafe { Attribute::from_option_raw(raw) }.ok_or_else(already_reported)
}

/// # Safety
/// `first` points at `count` live integers.
unsafe fn positions(first: *const i64, count: usize) -> Vec<i64> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count) }.to_vec()
}
