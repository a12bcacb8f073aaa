//! What tests of pipelines share.

use ballast_core::device::{Cluster, Device, Link};
use ballast_core::units::Bytes;

/// Equal devices with memory for everything, over links that are fast beside those to the host.
pub(crate) fn cluster(devices: usize, host_bandwidth: f64) -> Cluster {
    let link = |bandwidth| Link { bytes_per_second: bandwidth, latency_seconds: 0.0 };
    let device = Device {
        name: "d".into(),
        kind: "k".into(),
        memory: Bytes(1 << 40),
        peak_flops: indexmap::IndexMap::new(),
        memory_bandwidth: 1.0,
        launch_overhead_seconds: 0.0,
        to_host: link(host_bandwidth),
        from_host: link(host_bandwidth),
        cores: None,
        group: None,
        slot: None,
    };
    Cluster { devices: vec![device; devices], default_link: link(1e4), links: Vec::new(), host_memory: None }
}
