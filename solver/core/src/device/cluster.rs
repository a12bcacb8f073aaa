//! Devices and the links between them: the data.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::graph::Arithmetic;
use crate::memory::SwapModel;
use crate::units::Bytes;

/// Most devices of a cluster, and most cores of a chip: beyond it a count is taken for a slip of the pen.
pub const MAX_DEVICES: usize = 4096;

/// What no device may be called: the host's own entry in `dlti.target_system_spec`.
const HOST_NAME: &str = "host";

/// Stands between the name of a device and the number of its stage.
const SLOT_MARK: &str = "/stage";

crate::index_type!(
    /// Index of a device in [`Cluster::devices`].
    DeviceId
);

/// A link, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Its bandwidth.
    #[serde(rename = "bandwidth")]
    pub bytes_per_second: f64,
    /// Seconds added to every message.
    pub latency_seconds: f64,
}

impl Link {
    /// Seconds to move so many bytes.
    #[must_use]
    pub fn seconds(&self, bytes: Bytes) -> f64 {
        self.latency_seconds + bytes.as_f64() / self.bytes_per_second
    }
}

/// A chip made of equal cores, each with memory of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreModel {
    /// Number of cores, at least 1.
    pub count: usize,
    /// Memory of one core; a stage on c cores needs its memory / c on each.
    pub memory_per_core: Bytes,
    /// Speed-up of c cores at index c - 1; empty: linear.
    pub speed_up: Vec<f64>,
}

/// Cores of a chip that run one stage together, planned as one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreGroup {
    /// Number of cores, at least 1.
    pub cores: usize,
    /// How much faster they are together than one of them; the device's figures are those of one core.
    pub speed_up: f64,
}

/// One of the stages that a device runs under an interleaved schedule, planned as a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Which of the device's stages, counted from the front of the pipeline.
    pub chunk: usize,
    /// Stages of the device, at least 2.
    pub chunks: usize,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Name of this device, such as `gpu0`.
    pub name: String,
    /// Kind: devices of one kind share a measured profile.
    pub kind: String,
    /// Memory capacity.
    pub memory: Bytes,
    /// Peak operations per second by arithmetic; a missing entry falls back to F32, then to the largest.
    pub peak_flops: IndexMap<Arithmetic, f64>,
    /// Memory bandwidth, bytes per second.
    pub memory_bandwidth: f64,
    /// Seconds added to every op launch.
    pub launch_overhead_seconds: f64,
    /// Device to host.
    pub to_host: Link,
    /// Host to device.
    pub from_host: Link,
    /// For many-core chips.
    pub cores: Option<CoreModel>,
    /// Set where the device is a group of cores of a chip; its memory is then that of all of them.
    #[serde(default)]
    pub group: Option<CoreGroup>,
    /// Set where it is one of the stages of a device; its memory is then that of the whole device.
    #[serde(default)]
    pub slot: Option<Slot>,
}

impl Device {
    /// Cores that run its stage: those of its group, else 1.
    #[must_use]
    pub fn stage_cores(&self) -> usize {
        self.group.map_or(1, |group| group.cores)
    }

    /// Peak operations per second for an arithmetic: its own entry, else that of F32, else the largest.
    #[must_use]
    pub fn peak(&self, arithmetic: Arithmetic) -> f64 {
        self.peak_flops
            .get(&arithmetic)
            .or_else(|| self.peak_flops.get(&Arithmetic::F32))
            .copied()
            .unwrap_or_else(|| self.peak_flops.values().copied().fold(0.0, f64::max))
    }
}

/// All devices of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// The devices; their index is the device number in plans and attributes.
    pub devices: Vec<Device>,
    /// Link between two devices without an entry in `links`.
    pub default_link: Link,
    /// Links by (from, to).
    pub links: Vec<(DeviceId, DeviceId, Link)>,
    /// Host memory that swaps may use; none: no limit.
    pub host_memory: Option<Bytes>,
}

impl Cluster {
    /// How copies to and from the host are timed on a device; the host's memory is shared evenly.
    #[must_use]
    pub fn swap_model(&self, device: &Device, overlap: bool) -> SwapModel {
        SwapModel {
            out_bandwidth: device.to_host.bytes_per_second,
            in_bandwidth: device.from_host.bytes_per_second,
            latency: device.to_host.latency_seconds.max(device.from_host.latency_seconds),
            overlap,
            host_capacity_bytes: self.host_memory.map(|host| host.0 / self.devices.len().max(1) as u64),
        }
    }

    /// Checks a cluster that did not come from a device file.
    ///
    /// # Errors
    /// No devices, two of one name, a device without memory, a rate that is not finite and above zero, a time
    /// that is not finite and not negative, a link to a device that is not there.
    pub fn check(&self) -> Result<(), String> {
        if self.devices.is_empty() {
            return Err("there are no devices".to_owned());
        }
        for (id, device) in self.devices.iter().enumerate() {
            let name = &device.name;
            if self.devices[..id].iter().any(|other| other.name == *name) {
                return Err(format!("two devices are called '{name}'"));
            }
            check_device(device)?;
            if let Some(slot) = device.slot
                && (slot.chunks < 2
                    || slot.chunks > self.devices.len()
                    || slot.chunk != id / (self.devices.len() / slot.chunks)
                    || !self.devices.len().is_multiple_of(slot.chunks))
            {
                return Err(format!(
                    "device '{name}' is stage {} of {} of a device, which is not its place among {} devices",
                    slot.chunk,
                    slot.chunks,
                    self.devices.len()
                ));
            }
        }
        check_link(&self.default_link, "the default link")?;
        for (from, to, between) in &self.links {
            if from.0.max(to.0) >= self.devices.len() || from == to {
                return Err(format!("there is no pair of devices {from} and {to} to link"));
            }
            let name = |device: DeviceId| &self.devices[device].name;
            check_link(between, &format!("the link from '{}' to '{}'", name(*from), name(*to)))?;
        }
        Ok(())
    }

    /// Stages of every device that are planned as devices; 1 where devices are.
    fn chunks(&self) -> usize {
        self.devices.first().and_then(|device| device.slot).map_or(1, |slot| slot.chunks)
    }

    /// Number of devices, the stages of one counted as one.
    #[must_use]
    pub fn whole_devices(&self) -> usize {
        self.devices.len() / self.chunks()
    }

    /// Every device as so many stages, each planned as a device: stage `v` of the pipeline is number `v` and lies on
    /// device `v % n` of the `n` there are. What stages of one device hand each other is copied at the speed of its memory.
    /// With 1, the devices as they were.
    ///
    /// # Errors
    /// More than [`MAX_DEVICES`] stages.
    pub fn divided(&self, chunks: usize) -> Result<Cluster, String> {
        if chunks == self.chunks() {
            return Ok(self.clone());
        }
        let count = self.whole_devices();
        if count.saturating_mul(chunks) > MAX_DEVICES {
            return Err(format!(
                "{count} devices with {chunks} stages each: there may be {MAX_DEVICES} stages"
            ));
        }
        let device = |v: usize| {
            let device = &self.devices[v % count];
            let mark = device.slot.and_then(|_| device.name.split_once(SLOT_MARK));
            let whole = mark.map_or(device.name.as_str(), |(whole, _)| whole);
            let slot = (chunks > 1).then(|| Slot { chunk: v / count, chunks });
            let name =
                slot.map_or_else(|| whole.to_owned(), |slot| format!("{whole}{SLOT_MARK}{}", slot.chunk));
            Device { name, slot, ..device.clone() }
        };
        let mut links = Vec::new();
        let stage = |chunk: usize, device: DeviceId| DeviceId(chunk * count + device.0);
        let pairs = || (0..chunks).flat_map(|a| (0..chunks).map(move |b| (a, b)));
        for &(from, to, link) in self.links.iter().filter(|(from, to, _)| from.0.max(to.0) < count) {
            links.extend(pairs().map(|(a, b)| (stage(a, from), stage(b, to), link)));
        }
        for (own, device) in DeviceId::of(&self.devices[..count]) {
            let copy = Link { bytes_per_second: device.memory_bandwidth, latency_seconds: 0.0 };
            links.extend(pairs().filter(|(a, b)| a != b).map(|(a, b)| (stage(a, own), stage(b, own), copy)));
        }
        links.sort_by_key(|(from, to, _)| (*from, *to));
        Ok(Cluster { devices: (0..count * chunks).map(device).collect(), links, ..self.clone() })
    }

    /// The link from one device to another.
    #[must_use]
    pub fn link(&self, from: DeviceId, to: DeviceId) -> Link {
        self.links
            .iter()
            .find(|(a, b, _)| (*a, *b) == (from, to))
            .map_or(self.default_link, |(_, _, link)| *link)
    }
}

fn check_rate(value: f64, what: impl FnOnce() -> String) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("{} is {value}: it must be a finite number above zero", what()))
}

fn check_link(link: &Link, what: &str) -> Result<(), String> {
    check_rate(link.bytes_per_second, || format!("the bandwidth of {what}"))?;
    if link.latency_seconds.is_finite() && link.latency_seconds >= 0.0 {
        return Ok(());
    }
    Err(format!("the latency of {what} is {}: it must be zero or more", link.latency_seconds))
}

/// What one device says of itself.
fn check_device(device: &Device) -> Result<(), String> {
    let name = &device.name;
    if name == HOST_NAME {
        return Err(format!("a device is called '{HOST_NAME}', which names the host: rename it"));
    }
    if device.memory == Bytes::ZERO {
        return Err(format!("device '{name}' has no memory"));
    }
    if i64::try_from(device.memory.0).is_err() {
        return Err(format!("device '{name}' has more than 2^63 bytes of memory"));
    }
    if device.peak_flops.is_empty() {
        return Err(format!("device '{name}' has no peak rate"));
    }
    for (arithmetic, peak) in &device.peak_flops {
        check_rate(*peak, || format!("the {arithmetic:?} peak rate of device '{name}'"))?;
    }
    check_rate(device.memory_bandwidth, || format!("the memory bandwidth of device '{name}'"))?;
    let launch = device.launch_overhead_seconds;
    if !(launch.is_finite() && launch >= 0.0) {
        return Err(format!("the launch overhead of device '{name}' is {launch}"));
    }
    check_link(&device.to_host, &format!("the link from device '{name}' to the host"))?;
    check_link(&device.from_host, &format!("the link from the host to device '{name}'"))?;
    check_cores(device)
}

/// The cores of a device, and what it is as a group of a chip's cores.
fn check_cores(device: &Device) -> Result<(), String> {
    let name = &device.name;
    if let Some(group) = &device.group {
        if group.cores == 0 {
            return Err(format!("device '{name}' is a group of no cores"));
        }
        check_rate(group.speed_up, || format!("the speed-up of device '{name}'"))?;
    }
    let Some(cores) = &device.cores else { return Ok(()) };
    if cores.count == 0 || cores.memory_per_core == Bytes::ZERO {
        return Err(format!("device '{name}' has no cores, or cores without memory"));
    }
    if !cores.speed_up.is_empty() && cores.speed_up.len() != cores.count {
        return Err(format!(
            "device '{name}' has {} speed-ups for {} cores",
            cores.speed_up.len(),
            cores.count
        ));
    }
    cores.speed_up.iter().try_for_each(|rate| check_rate(*rate, || format!("a speed-up of device '{name}'")))
}
