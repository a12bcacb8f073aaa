//! Why there is no partition.

use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::report::FalseBound;

/// Why there is no partition.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// No device.
    #[error("the cluster has no device")]
    NoDevice,
    /// No op to place.
    #[error("function '{function}' has no op to place")]
    NoOps {
        /// The function.
        function: String,
    },
    /// More devices than ops, where every device has to get one.
    #[error(
        "{devices} devices for {ops} ops: not every device can be used; ask for at most {ops} devices, or let some stay idle"
    )]
    MoreDevicesThanOps {
        /// Devices asked for.
        devices: usize,
        /// Ops to place.
        ops: usize,
    },
    /// Costs, caps or a start of the wrong shape, or a cost that is no time.
    #[error("{0}")]
    Shape(String),
    /// Options of the learner that make no sense, or a saved policy that cannot be used.
    #[error("{0}")]
    Learner(String),
    /// A proposer's options make no sense, or it could not run.
    #[error("method '{method}': {reason}")]
    Proposer {
        /// The proposer.
        method: &'static str,
        /// Why.
        reason: String,
    },
    /// A program of others gave no partition, or one that the judge refuses.
    #[error("{0}")]
    Outside(String),
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
    /// A device rule for a device that does not exist.
    #[error("op {op} ('{name}') is bound to device {device}, and the cluster has devices 0 to {last}")]
    Rule {
        /// The op.
        op: OpId,
        /// Its name.
        name: String,
        /// The device named.
        device: DeviceId,
        /// The last device there is.
        last: DeviceId,
    },
}
