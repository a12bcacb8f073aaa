//! What kinds of placements there are.

use serde::{Deserialize, Serialize};

/// What kinds of placements there are, the narrower first.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Placement {
    /// Every device runs neighbouring ops of the op sequence.
    SequenceCut,
    /// A pipeline over the layers of a training step: forward values go to the same or a later device, those of the backward
    /// pass to the same or an earlier one.
    FoldedLayers,
    /// Any op on any device.
    #[default]
    Free,
}

impl Placement {
    /// The name in plans and remarks.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
