//! How jobs run and devices fail in the simulator.

use serde::{Deserialize, Serialize};

use crate::job::JobError;

/// What fails as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultUnit {
    /// Each device on its own.
    #[default]
    Device,
    /// All devices of a host at once, at the rate of its first.
    Host,
}

/// How jobs run and devices fail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct World {
    /// Seconds a job takes to start again after a failure, on top of the device's recovery.
    pub restart_seconds: f64,
    /// Seconds a failed device is out of order.
    pub recovery_seconds: f64,
    /// A job lasts so much longer for every other job on its hosts when it starts: 0.05 for 5 %.
    pub interference: f64,
    /// A job that failed so often, at least once, is taken for lost; it ends there, and no sooner than without a fault.
    pub most_restarts: u32,
    /// What fails as one.
    #[serde(default)]
    pub fault_unit: FaultUnit,
}

impl Default for World {
    fn default() -> Self {
        World {
            restart_seconds: 30.0,
            recovery_seconds: 120.0,
            interference: 0.05,
            most_restarts: 1000,
            fault_unit: FaultUnit::Device,
        }
    }
}

impl World {
    /// # Errors
    /// [`JobError::Input`] for times and shares that are negative or no numbers.
    pub fn check(&self) -> Result<(), JobError> {
        for (name, value) in [
            ("restart-seconds", self.restart_seconds),
            ("recovery-seconds", self.recovery_seconds),
            ("interference", self.interference),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(JobError::Input(format!("{name} is {value}: it is finite and not negative")));
            }
        }
        if self.most_restarts == 0 {
            return Err(JobError::Input("most-restarts is 0: a job may fail at least once".into()));
        }
        Ok(())
    }
}
