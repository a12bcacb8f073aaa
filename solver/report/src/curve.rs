//! Overhead against cap, as the page and tables show it.

use ballast_core::device::DeviceId;
use serde::Serialize;

use crate::facts::StageFacts;

/// What other caps cost on one device. Overheads are shares, percent, of the time of running everything once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The device.
    pub device: DeviceId,
    /// Seconds of running everything once, values of other devices received once, sends left out.
    pub once_seconds: f64,
    /// Bytes held without a plan: from such a cap on there is no overhead.
    pub unplanned_peak_bytes: u64,
    /// The plan itself, under the cap it keeps.
    pub plan: CurvePoint,
    /// Other caps, ascending, with the best plans found; overheads never rise with the cap.
    pub points: Vec<CurvePoint>,
}

/// A plan under a cap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The cap, bytes: what a run may hold. In a pipeline this is the device's cap less what other micro-batches hold.
    pub cap_bytes: u64,
    /// Overhead of the best plan found; none where none was found.
    pub overhead_percent: Option<f64>,
    /// No plan has less, of those that the bound holds for.
    pub bound_percent: Option<f64>,
    /// Which plans that are.
    pub bound_class: Option<&'static str>,
    /// Is there no better plan, of those? Where none was found: is there none at all?
    pub proved: bool,
}

impl Curve {
    /// The time of running once and the plan's own point; no points yet.
    #[must_use]
    pub fn of(stage: &StageFacts<'_>) -> Self {
        let once_seconds = stage.stage.problem.total_time();
        let report = &stage.entry.report;
        let mut curve = Curve {
            device: stage.stage.device,
            once_seconds,
            unplanned_peak_bytes: stage.entry.score.unplanned_peak_bytes,
            plan: CurvePoint {
                cap_bytes: stage.room,
                overhead_percent: None,
                bound_percent: None,
                bound_class: None,
                proved: report.proved,
            },
            points: Vec::new(),
        };
        let seconds = stage.entry.score.seconds - stage.entry.score.send_seconds;
        curve.plan.overhead_percent = Some(curve.percent(seconds));
        curve.plan.bound_percent = Some(curve.percent(report.bound));
        curve.plan.bound_class = Some(report.bound_class.name());
        curve
    }

    /// The overhead of a time.
    #[must_use]
    pub fn percent(&self, seconds: f64) -> f64 {
        // Nothing runs faster than once; sums in another order may say so by a rounding error.
        if self.once_seconds > 0.0 { (100.0 * (seconds / self.once_seconds - 1.0)).max(0.0) } else { 0.0 }
    }

    /// Device and point of every row of a table, by cap; whether it is the plan's own, which stands before the best found for its cap.
    pub fn rows(&self) -> impl Iterator<Item = (DeviceId, &CurvePoint, bool)> {
        let at = self.points.partition_point(|point| point.cap_bytes < self.plan.cap_bytes);
        let (below, from) = self.points.split_at(at);
        let rows = below.iter().chain([&self.plan]).chain(from).enumerate();
        rows.map(move |(row, point)| (self.device, point, row == at))
    }
}
