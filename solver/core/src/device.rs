//! Devices and the links between them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::graph::Arithmetic;
use crate::units::Bytes;

/// Index of a device in [`Cluster::devices`].
pub type DeviceId = usize;

/// A link, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds added to every message.
    pub latency_seconds: f64,
}

impl Link {
    /// Seconds to move so many bytes.
    #[must_use]
    pub fn seconds(&self, bytes: Bytes) -> f64 {
        self.latency_seconds + bytes.as_f64() / self.bandwidth
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
    /// The link from one device to another.
    #[must_use]
    pub fn link(&self, from: DeviceId, to: DeviceId) -> Link {
        self.links
            .iter()
            .find(|(a, b, _)| (*a, *b) == (from, to))
            .map_or(self.default_link, |(_, _, link)| *link)
    }
}
