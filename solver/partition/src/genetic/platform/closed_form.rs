//! Pipeline times in closed form, after \[D\].

use serde::{Deserialize, Serialize};

/// A pipeline by the time of one item through all devices and of the slowest device alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineTime {
    /// Seconds of one item through all layers.
    pub full_seconds: f64,
    /// Seconds between one item and the next: the slowest device.
    pub part_seconds: f64,
}

impl PipelineTime {
    /// Seconds of a batch: full + (batch - 1) · part.
    #[must_use]
    pub(crate) fn batch_seconds(&self, batch: u32) -> f64 {
        match batch {
            0 => 0.0,
            items => self.full_seconds + f64::from(items - 1) * self.part_seconds,
        }
    }

    /// How much faster than one device, which takes full · batch.
    #[must_use]
    pub fn speed_up(&self, batch: u32) -> f64 {
        self.full_seconds * f64::from(batch) / self.batch_seconds(batch)
    }

    /// What the speed-up tends to as the batch grows: full / part.
    #[must_use]
    pub fn speed_up_limit(&self) -> f64 {
        self.full_seconds / self.part_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_speed_ups_as_printed() {
        let pipeline = PipelineTime { full_seconds: 31e-3, part_seconds: 12e-3 };
        for (batch, milliseconds, speed_up) in
            [(10, 139.0, 2.230), (20, 259.0, 2.394), (50, 619.0, 2.504), (100, 1219.0, 2.543)]
        {
            assert!((pipeline.batch_seconds(batch) * 1e3 - milliseconds).abs() < 1e-9);
            assert!((pipeline.speed_up(batch) - speed_up).abs() < 5e-4, "{}", pipeline.speed_up(batch));
        }
        assert!((pipeline.speed_up_limit() - 2.583).abs() < 5e-4);
    }

    #[test]
    fn the_cost_of_the_dynamic_search_as_printed() {
        let pipeline = PipelineTime { full_seconds: 31e-3, part_seconds: 12e-3 };
        let hours = pipeline.batch_seconds(50) * 100.0 * 1000.0 / 3600.0;
        assert!((hours - 17.19).abs() < 5e-3, "{hours}");
    }
}
