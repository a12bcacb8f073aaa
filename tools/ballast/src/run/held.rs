//! What XLA held while each instruction of a compiled program ran, as `tools/xla/stored.py` tells it.

use ballast_core::graph::OpId;
use serde::Deserialize;

/// What XLA held of a compiled program, as the script tells it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Held {
    /// Instructions in the order they run: the ops each runs, and the bytes of all temporaries meanwhile.
    pub(crate) steps: Vec<(Vec<OpId>, u64)>,
    /// The larger buffers at the peak.
    pub(crate) peak: Vec<Buffer>,
}

/// A buffer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Buffer {
    /// The ops whose value it is, where that is known: several where XLA made one of them.
    pub(crate) ops: Vec<OpId>,
    /// Is it a smaller value spread over more elements?
    pub(crate) spreads: bool,
    /// Ops that read it, ascending.
    pub(crate) readers: Vec<OpId>,
    pub(crate) bytes: u64,
}

impl Held {
    /// Could any of it be told op by op?
    pub(crate) fn is_told(&self) -> bool {
        self.steps.iter().any(|(ops, _)| !ops.is_empty())
    }
}
