//! Placements moved to devices that changed: some gone, some slower, some with less memory.
//!
//! [`kept`] says where each op of a plan may stay; [`candidates()`] proposes placements from fewest moved ops to
//! fastest, between patching the old one and the partition from scratch; [`choose`] takes the one that moves
//! least among those whose plan is nearly as fast as the plan from scratch.

mod candidates;
mod choice;

pub use candidates::{Candidate, candidates};
pub use choice::{Choice, PlannedCandidate, choose};

use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpRole};
use ballast_core::plan::{Plan, fingerprint};

/// Why a plan cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplanError {
    /// The plan is of another program.
    #[error(
        "the plan was made for a program with fingerprint {planned}, and this one has {found}: the graph is that of the run that wrote the plan (`graph-file` of the same `--remat`)"
    )]
    OtherProgram {
        /// Of the plan.
        planned: String,
        /// Of the program given.
        found: String,
    },
    /// The plan contradicts itself.
    #[error("{0}")]
    Damaged(String),
}

/// The device of every planned op on the new cluster: the one of the same name, or none where that is gone. Views
/// and constants have none.
///
/// # Errors
/// A plan of another program, or one that names ops or devices that are not there.
pub fn kept(graph: &Graph, plan: &Plan, cluster: &Cluster) -> Result<Vec<Option<DeviceId>>, ReplanError> {
    let found = format!("{:016x}", fingerprint(graph));
    if found != plan.fingerprint {
        return Err(ReplanError::OtherProgram { planned: plan.fingerprint.clone(), found });
    }
    let now: Vec<Option<DeviceId>> = plan
        .devices
        .iter()
        .map(|old| cluster.devices.iter().position(|device| device.name == old.name).map(DeviceId))
        .collect();
    let mut kept = vec![None; graph.ops.len()];
    let mut planned = vec![false; graph.ops.len()];
    for entry in &plan.ops {
        let known = graph.ops.get(entry.op.0).is_some_and(|op| op.role == OpRole::Compute);
        let device = now.get(entry.device.0);
        match (known, device) {
            (true, Some(_)) if planned[entry.op] => {
                return Err(ReplanError::Damaged(format!("the plan places op {} twice", entry.op)));
            }
            (true, Some(&device)) => {
                kept[entry.op] = device;
                planned[entry.op] = true;
            }
            _ => {
                return Err(ReplanError::Damaged(format!(
                    "the plan places op {} on device {}, and one of the two is not there",
                    entry.op, entry.device
                )));
            }
        }
    }
    match graph.planned().find(|&op| !planned[op]) {
        None => Ok(kept),
        Some(op) => {
            Err(ReplanError::Damaged(format!("the plan does not place op {op} ('{}')", graph.ops[op].name)))
        }
    }
}
