//! What kind of placement a device for every op is.

use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, OpId};
use ballast_core::pipeline::check_flow;
use ballast_core::plan::Placement;

use crate::sequence::{Order, sequence_order};

/// The narrowest kind a placement is of; entries of views and constants are not read.
#[must_use]
pub fn placement_of(graph: &Graph, device_of: &[DeviceId]) -> Placement {
    let cuts = |order: Order| is_cut(&sequence_order(graph, order), device_of);
    if cuts(Order::Program) || cuts(Order::Memory) {
        Placement::SequenceCut
    } else if check_flow(graph, device_of).is_ok() {
        Placement::FoldedLayers
    } else {
        Placement::Free
    }
}

/// Does every device run one stretch of the sequence?
fn is_cut(sequence: &[OpId], device_of: &[DeviceId]) -> bool {
    let mut runs: Vec<DeviceId> = sequence.iter().map(|&op| device_of[op]).collect();
    runs.dedup();
    let count = runs.len();
    runs.sort_unstable();
    runs.dedup();
    runs.len() == count
}
