//! Free placements: any op on any device, found by annealing from coarse to fine.
//!
//! The cut of the op sequence puts forward and backward ops of one layer on different devices; what a training step wants
//! keeps them together, and more than that is gained where single ops go elsewhere. The search sees the items of the
//! sequence, the values between them, and arguments and values that are held across the moment of the most live bytes.
//! What it finds is judged like any other placement.

mod board;
mod bound;
mod least;
mod levels;
mod policy;
mod search;
mod state;
mod walk;

use ballast_core::device::DeviceId;
use ballast_core::program::Program;

use crate::error::Error;
use crate::options::Mover;
use crate::pipeline::{RunTimes, layers};
use crate::proposer::{Candidate, Proposal, Proposer, Task};
use crate::sequence::Granularity;

pub(crate) use bound::{any_assignment, by_crossings};

/// Pieces of the layer view, and planned ops above which a quarter of them is taken: pricing all runs takes the product.
const PIECES: usize = 192;
const MANY_OPS: usize = 20_000;

/// The folded layers of a training step, and a free search from the cut and from them.
pub(crate) struct Auto {
    /// Who moves groups in the search.
    pub(crate) mover: Mover,
}

impl Proposer for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn own_search(&self) -> bool {
        false
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let mut proposal = Proposal::default();
        let mut starts = vec![task.items.read(task.best)];
        if let Some(folded) = folded(task) {
            starts.push(task.items.read(&task.items.place(task.program.graph, &folded)));
            proposal.candidates.push(Candidate { method: "layers-dp", device_of: folded });
        }
        starts.extend(task.given.map(|given| task.items.read(given)));
        let search = search::Task {
            sequence: &task.items.sequence,
            links: task.links,
            caps: task.paid.zip(task.caps),
            starts: &starts,
            bound: task.floor_seconds,
            limits: task.limits,
            deadline: task.deadline,
            learns: self.mover == Mover::Learned,
        };
        let (method, mover) = match self.mover {
            Mover::None => {
                proposal.refined = Some(("none", proposal.candidates.len()));
                return Ok(proposal);
            }
            Mover::Annealing => ("free-annealing", "annealing"),
            Mover::Learned => ("free-learned", "learned"),
        };
        let found = search::search(&search);
        let by = match &found {
            // A start is as fast as any placement can be.
            Some(found) if found.work == 0 && found.stopped.is_none() => "needless",
            Some(_) => mover,
            None => "nothing",
        };
        proposal.refined = Some((by, proposal.candidates.len()));
        if let Some(found) = found {
            (proposal.work, proposal.stopped) = (found.work, found.stopped);
            let device_of = task.items.to_ops(&found.device_of);
            proposal.candidates.push(Candidate { method, device_of });
        }
        Ok(proposal)
    }
}

/// Forward and backward ops of the same layers together, cut by dynamic programming: the device of every op of the
/// sequence. None for programs that are no training step and for ones with device rules.
fn folded(task: &Task<'_>) -> Option<Vec<DeviceId>> {
    let Program { graph, costs, cluster } = task.program;
    let (ops, devices) = (&task.items.ops, cluster.devices.len());
    if devices < 2 || task.deadline.over() {
        return None;
    }
    let pieces = if ops.len() > MANY_OPS { PIECES / 4 } else { PIECES };
    let layers = layers(graph, costs, Granularity::Op, pieces.max(2 * devices)).ok()?;
    let times = RunTimes::of(graph, costs, cluster, &layers);
    // So many micro-batches that the slowest stage alone counts.
    let cuts = times.best_cuts(1 << 20, &|_, _, _| 0.0)?;
    let stage_of: Vec<DeviceId> = layers.stage_of(graph, &cuts);
    Some(ops.ops.iter().map(|&op| stage_of[op]).collect())
}
