//! The placement problem: seconds and bytes of every layer on every device.

use ballast_core::device::DeviceId;
use ballast_core::report::FalseBound;
use serde::{Deserialize, Serialize};

/// Layers in run order, and the devices they may go to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerTable {
    /// Names for messages and reports, one per layer.
    pub names: Vec<String>,
    /// Seconds of one run, `seconds[device][layer]`.
    pub seconds: Vec<Vec<f64>>,
    /// Stored bytes (inputs, weights and outputs), `bytes[device][layer]`.
    pub bytes: Vec<Vec<u64>>,
    /// Memory of each device, bytes.
    pub device_memory_bytes: Vec<u64>,
    /// Bytes layer i sends to layer i + 1; one entry fewer than there are layers.
    pub message_bytes: Vec<u64>,
}

/// Why there is no placement.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlacementError {
    /// The problem makes no sense; names the element.
    #[error("{0}")]
    Input(String),
    /// The problem is sound and no placement that keeps its rules is known.
    #[error("{0}")]
    NoPlacement(String),
    /// A bound that a placement beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
}

/// How far a placement is from keeping the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// v_j of \[D\]: bytes over the memory of device j, relative to that memory; 1 for a device without layers
    /// that has to have one.
    pub by_device: Vec<f64>,
}

impl Excess {
    /// Does the placement keep every rule?
    #[must_use]
    pub fn none(&self) -> bool {
        self.by_device.iter().all(|&v| v == 0.0)
    }
}

impl LayerTable {
    /// A table for equal devices: one row of seconds and bytes for all.
    #[must_use]
    pub fn uniform(
        names: Vec<String>,
        seconds: &[f64],
        bytes: &[u64],
        device_memory_bytes: Vec<u64>,
        message_bytes: Vec<u64>,
    ) -> Self {
        let devices = device_memory_bytes.len();
        LayerTable {
            names,
            seconds: vec![seconds.to_vec(); devices],
            bytes: vec![bytes.to_vec(); devices],
            device_memory_bytes,
            message_bytes,
        }
    }

    /// Number of layers.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.names.len()
    }

    /// Number of devices.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.device_memory_bytes.len()
    }

    /// Checks shapes and numbers.
    ///
    /// # Errors
    /// [`PlacementError::Input`] with the first defect.
    pub fn check(&self) -> Result<(), PlacementError> {
        let refuse = |reason: String| Err(PlacementError::Input(reason));
        let (layers, devices) = (self.layers(), self.devices());
        if layers == 0 || devices == 0 {
            return refuse(format!("nothing to place: {layers} layers, {devices} devices"));
        }
        if self.message_bytes.len() != layers - 1 {
            return refuse(format!(
                "{} messages between {layers} layers: there is one between each layer and the next",
                self.message_bytes.len()
            ));
        }
        if self.seconds.len() != devices || self.bytes.len() != devices {
            return refuse(format!(
                "seconds for {} and bytes for {} devices, but memory for {devices}",
                self.seconds.len(),
                self.bytes.len()
            ));
        }
        for device in DeviceId::first(devices) {
            if self.seconds[device].len() != layers || self.bytes[device].len() != layers {
                return refuse(format!(
                    "device {device} has seconds or bytes for fewer or more than {layers} layers"
                ));
            }
            for (layer, &seconds) in self.seconds[device].iter().enumerate() {
                if !(seconds.is_finite() && seconds >= 0.0) {
                    return refuse(format!(
                        "layer '{}' takes {seconds} s on device {device}: times are finite and not negative",
                        self.names[layer]
                    ));
                }
            }
            if self.bytes[device].iter().try_fold(0u64, |sum, &b| sum.checked_add(b)).is_none() {
                return refuse(format!("the layers' bytes on device {device} add up to more than 2^64"));
            }
        }
        Ok(())
    }

    /// Has this problem as many layers as devices or more, so that every device has to be used?
    #[must_use]
    pub fn every_device_used(&self) -> bool {
        self.layers() >= self.devices()
    }

    /// Seconds of every device under a placement, without transfers.
    #[must_use]
    pub fn loads(&self, placement: &[DeviceId]) -> Vec<f64> {
        let mut loads = vec![0.0; self.devices()];
        for (layer, &device) in placement.iter().enumerate() {
            loads[device] += self.seconds[device][layer];
        }
        loads
    }

    /// Seconds of the slowest device, max_j t_j.
    #[must_use]
    pub fn slowest(&self, placement: &[DeviceId]) -> f64 {
        self.loads(placement).into_iter().fold(0.0, f64::max)
    }

    /// Stored bytes of every device under a placement.
    #[must_use]
    pub fn stored(&self, placement: &[DeviceId]) -> Vec<u64> {
        let mut stored = vec![0; self.devices()];
        for (layer, &device) in placement.iter().enumerate() {
            stored[device] += self.bytes[device][layer];
        }
        stored
    }

    /// What a placement lacks to keep the rules.
    #[must_use]
    pub fn excess(&self, placement: &[DeviceId]) -> Excess {
        let mut used = vec![false; self.devices()];
        for &device in placement {
            used[device] = true;
        }
        let must_use = self.every_device_used();
        let by_device = self
            .stored(placement)
            .into_iter()
            .zip(&self.device_memory_bytes)
            .zip(used)
            .map(|((stored, &memory), used)| match (used, stored.saturating_sub(memory)) {
                (false, _) => f64::from(u8::from(must_use)),
                (true, 0) => 0.0,
                (true, over) => over as f64 / memory.max(1) as f64,
            })
            .collect();
        Excess { by_device }
    }

    /// A proven lower bound on max_j t_j over all placements: no layer is faster than on its best device, and
    /// the devices together cannot do less than every layer's least.
    #[must_use]
    pub fn bound(&self) -> f64 {
        let least = self.least_seconds();
        let longest = least.iter().copied().fold(0.0, f64::max);
        longest.max(least.iter().sum::<f64>() / self.devices() as f64)
    }

    /// Every layer's seconds on its fastest device that can hold it (any device, where none can).
    #[must_use]
    pub(crate) fn least_seconds(&self) -> Vec<f64> {
        (0..self.layers())
            .map(|layer| {
                let over = |fits_only: bool| {
                    DeviceId::first(self.devices())
                        .filter(|&d| !fits_only || self.bytes[d][layer] <= self.device_memory_bytes[d])
                        .map(|d| self.seconds[d][layer])
                        .fold(f64::INFINITY, f64::min)
                };
                let fitting = over(true);
                if fitting.is_finite() { fitting } else { over(false) }
            })
            .collect()
    }

    /// Refuses problems in which some layer fits on no device, or all of them not on all devices.
    ///
    /// # Errors
    /// [`PlacementError::NoPlacement`] naming the layer, or both sums.
    pub fn check_fits(&self) -> Result<(), PlacementError> {
        let least = |layer| DeviceId::first(self.devices()).map(|d| self.bytes[d][layer]).min().unwrap_or(0);
        for layer in 0..self.layers() {
            let fits = |d: DeviceId| self.bytes[d][layer] <= self.device_memory_bytes[d];
            if !DeviceId::first(self.devices()).any(fits) {
                return Err(PlacementError::NoPlacement(format!(
                    "layer '{}' needs {} bytes and no device has as many: give the devices more memory or split the layer",
                    self.names[layer],
                    least(layer)
                )));
            }
        }
        let needed: u128 = (0..self.layers()).map(|layer| u128::from(least(layer))).sum();
        let there: u128 = self.device_memory_bytes.iter().copied().map(u128::from).sum();
        if needed > there {
            return Err(PlacementError::NoPlacement(format!(
                "the layers need {needed} bytes together and the devices have {there}: give the devices more memory, or more devices"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_devices() -> LayerTable {
        LayerTable::uniform(
            vec!["a".into(), "b".into(), "c".into()],
            &[1.0, 2.0, 4.0],
            &[10, 20, 40],
            vec![50, 50],
            vec![0, 0],
        )
    }

    #[test]
    fn loads_and_excess_are_sums_over_the_layers_of_a_device() {
        let table = two_devices();
        assert_eq!(table.loads(&[0, 1, 1].map(DeviceId)), [1.0, 6.0]);
        assert_eq!(table.stored(&[0, 1, 1].map(DeviceId)), [10, 60]);
        assert_eq!(table.excess(&[0, 1, 1].map(DeviceId)).by_device, [0.0, 0.2]);
        assert_eq!(table.excess(&[1, 1, 1].map(DeviceId)).by_device, [1.0, 0.4]);
        assert!(table.excess(&[0, 0, 1].map(DeviceId)).none());
    }

    #[test]
    fn the_bound_is_the_longest_layer_or_the_mean() {
        assert_eq!(two_devices().bound(), 4.0);
        let even = LayerTable::uniform(
            vec!["a".into(), "b".into(), "c".into()],
            &[2.0; 3],
            &[0; 3],
            vec![0, 0],
            vec![0, 0],
        );
        assert_eq!(even.bound(), 3.0);
    }

    #[test]
    fn broken_tables_are_refused_by_name() {
        let refused = |change: &dyn Fn(&mut LayerTable)| {
            let mut table = two_devices();
            change(&mut table);
            table.check().unwrap_err().to_string()
        };
        assert!(refused(&|t| t.seconds[1][2] = f64::NAN).contains("'c' takes NaN s on device 1"));
        assert!(refused(&|t| t.seconds[0][0] = -1.0).contains("'a'"));
        assert!(refused(&|t| t.message_bytes.clear()).contains("0 messages"));
        assert!(refused(&|t| t.bytes[0] = vec![u64::MAX; 3]).contains("2^64"));
        assert!(refused(&|t| drop(t.seconds.pop())).contains("seconds for 1"));
        assert!(refused(&|t| *t = LayerTable::default()).contains("0 layers"));
        let mut table = two_devices();
        table.device_memory_bytes = vec![30, 39];
        assert!(table.check_fits().unwrap_err().to_string().contains("'c' needs 40 bytes"));
        table.device_memory_bytes = vec![40, 29];
        let error = table.check_fits().unwrap_err().to_string();
        assert!(error.contains("need 70 bytes together and the devices have 69"), "{error}");
    }
}
