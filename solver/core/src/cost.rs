//! Seconds of every op on every device.

use serde::{Deserialize, Serialize};

use crate::device::DeviceId;
use crate::graph::OpId;

/// Seconds by device and op: `seconds[device][op]`; zero for views and constants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// `seconds[device][op]`.
    pub seconds: Vec<Vec<f64>>,
}

impl Costs {
    /// Seconds of one op on one device.
    #[must_use]
    pub fn of(&self, device: DeviceId, op: OpId) -> f64 {
        self.seconds[device][op]
    }
}
