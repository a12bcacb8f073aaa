//! What every search says about itself: value, proven bound, gap, why it stopped.

use serde::{Deserialize, Serialize};

use crate::limits::StopReason;

/// Relative gap at or below which a value counts as proved optimal.
pub const PROOF_TOLERANCE: f64 = 1e-6;

/// The outcome of one search, in the objective's own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Report {
    /// Objective of the plan found (minimised).
    pub value: f64,
    /// Proven lower bound on the objective over the class of plans named in `bound_class`.
    pub bound: f64,
    /// `(value - bound) / value`, 0 for a value of 0.
    pub gap: f64,
    /// Is the value proved optimal, within the method's stated tolerance?
    pub proved: bool,
    /// Which class of plans the bound holds for, such as `program-order` or `contiguous`.
    pub bound_class: String,
    /// The method that found the plan.
    pub method: String,
    /// Why the search stopped.
    pub stop_reason: StopReason,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Deterministic search steps taken.
    pub work: u64,
    /// The seed used.
    pub seed: u64,
}

/// `(value - bound) / value`, clamped to [0, 1]; 0 when the value is 0.
#[must_use]
pub fn gap(value: f64, bound: f64) -> f64 {
    if value <= 0.0 { 0.0 } else { ((value - bound) / value).clamp(0.0, 1.0) }
}
