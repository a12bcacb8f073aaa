//! The judge: derives loads, memory and order of an assignment from the nodes alone.
//!
//! It shares no code with the solvers (no contraction, no incremental state), and every plan passes it before
//! it is returned.

use crate::problem::{Assignment, DeviceIndex, PlanClass, Problem};
use ballast_core::report::FalseBound;

/// Relative excess of a memory cap that is put down to rounding of the sum of sizes.
const MEMORY_ROUNDING: f64 = 1e-9;

/// What searches and proofs take for a cap: they add sizes up in other orders, and may refuse nothing that [`check`] accepts.
pub(crate) fn lenient(cap: f64) -> f64 {
    cap * (1.0 + 1.01 * MEMORY_ROUNDING)
}

/// What an assignment amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Load of every device, in the workload's time unit.
    pub loads: Vec<f64>,
    /// Bytes on every device.
    pub bytes: Vec<f64>,
    /// The largest load.
    pub max_load: f64,
}

/// Why an assignment is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
    /// Not one device per node.
    #[error("{given} nodes are assigned, the workload has {wanted}")]
    Length {
        /// Length of the assignment.
        given: usize,
        /// Number of nodes.
        wanted: usize,
    },
    /// A device that does not exist.
    #[error("node {node} is on device {device}, there are {devices}")]
    Device {
        /// Id of the node.
        node: String,
        /// The device named.
        device: DeviceIndex,
        /// How many there are.
        devices: usize,
    },
    /// A device that cannot run the node.
    #[error("node {node} is on device {device}, which cannot run it")]
    Support {
        /// Id of the node.
        node: String,
        /// The device.
        device: DeviceIndex,
    },
    /// A colour class on two devices.
    #[error("nodes {first} and {second} are of one colour class but on devices {on_first} and {on_second}")]
    Colour {
        /// Id of one node.
        first: String,
        /// Id of the other.
        second: String,
        /// Device of the one.
        on_first: DeviceIndex,
        /// Device of the other.
        on_second: DeviceIndex,
    },
    /// A device over its memory cap.
    #[error("device {device} needs {bytes} bytes and holds {cap}")]
    Memory {
        /// The device.
        device: DeviceIndex,
        /// Sum of the sizes on it.
        bytes: f64,
        /// Its cap.
        cap: f64,
    },
    /// Forward nodes run back and forth between devices.
    #[error("not contiguous: the forward nodes make devices wait for one another, {devices:?} among them")]
    Order {
        /// Devices on or behind a cycle of the quotient.
        devices: Vec<DeviceIndex>,
    },
}

/// Judges an assignment.
///
/// # Errors
/// The first rule it breaks.
pub fn check(problem: &Problem, class: PlanClass, assignment: &Assignment) -> Result<Verdict, Violation> {
    let devices = problem.device_count();
    if assignment.len() != problem.nodes.len() {
        return Err(Violation::Length { given: assignment.len(), wanted: problem.nodes.len() });
    }
    let kinds = problem.device_kinds();
    let mut colour_home: Vec<Option<usize>> = vec![None; problem.colours];
    let mut loads = vec![0.0; devices];
    let mut bytes = vec![0.0; devices];
    for (v, (node, &device)) in problem.nodes.iter().zip(assignment).enumerate() {
        if device >= devices {
            return Err(Violation::Device { node: node.id.clone(), device, devices });
        }
        if node.time[kinds[device]].is_infinite() {
            return Err(Violation::Support { node: node.id.clone(), device });
        }
        loads[device] += node.time[kinds[device]];
        bytes[device] += node.size_bytes;
        if let Some(colour) = node.colour {
            let first = *colour_home[colour].get_or_insert(v);
            if assignment[first] != device {
                return Err(Violation::Colour {
                    first: problem.nodes[first].id.clone(),
                    second: node.id.clone(),
                    on_first: assignment[first],
                    on_second: device,
                });
            }
        }
    }
    for (device, &sum) in bytes.iter().enumerate() {
        let cap = problem.kinds[kinds[device]].memory_bytes;
        if sum > cap * (1.0 + MEMORY_ROUNDING) {
            return Err(Violation::Memory { device, bytes: sum, cap });
        }
    }
    for (v, node) in problem.nodes.iter().enumerate() {
        let mut touched: Vec<DeviceIndex> = node.readers.iter().map(|&reader| assignment[reader]).collect();
        touched.push(assignment[v]);
        touched.sort_unstable();
        touched.dedup();
        if touched.len() > 1 {
            for device in touched {
                loads[device] += problem.kinds[kinds[device]].transfer_factor * node.output_cost;
            }
        }
    }
    if class == PlanClass::Contiguous {
        check_order(problem, assignment, devices)?;
    }
    let max_load = loads.iter().copied().fold(0.0, f64::max);
    Ok(Verdict { loads, bytes, max_load })
}

/// Kahn's algorithm on the quotient graph of the forward nodes.
fn check_order(problem: &Problem, assignment: &Assignment, devices: usize) -> Result<(), Violation> {
    let mut arcs = Vec::new();
    for (v, node) in problem.nodes.iter().enumerate().filter(|(_, node)| !node.backward) {
        for &reader in node.readers.iter().filter(|&&reader| !problem.nodes[reader].backward) {
            if assignment[v] != assignment[reader] {
                arcs.push((assignment[v], assignment[reader]));
            }
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    let mut waiting = vec![0usize; devices];
    for &(_, to) in &arcs {
        waiting[to] += 1;
    }
    let mut ready: Vec<DeviceIndex> = (0..devices).filter(|&d| waiting[d] == 0).collect();
    while let Some(device) = ready.pop() {
        for &(_, to) in arcs.iter().filter(|&&(from, _)| from == device) {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    let stuck: Vec<DeviceIndex> = (0..devices).filter(|&d| waiting[d] > 0).collect();
    if stuck.is_empty() { Ok(()) } else { Err(Violation::Order { devices: stuck }) }
}
