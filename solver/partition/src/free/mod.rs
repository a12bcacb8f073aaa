//! Free placements: any op on any device, found by annealing from coarse to fine.
//!
//! The cut of the op sequence puts forward and backward ops of one layer on different devices; what a training step wants
//! keeps them together, and more than that is gained where single ops go elsewhere. The search sees the items of the
//! sequence, the values between them, and arguments and values that are held across the moment of the most live bytes.
//! What it finds is judged like any other placement.

mod board;
mod bound;
mod levels;
mod search;
mod state;
mod walk;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits, StopReason};

use crate::items::Items;
use crate::judge::{Judge, Judged};
use crate::loads::Links;
use crate::pipeline::{RunTimes, layers};
use crate::sequence::Granularity;

pub(crate) use bound::any_assignment;
use search::{Task, search};

/// Pieces of the layer view, and planned ops above which a quarter of them is taken: pricing all runs takes the product.
const PIECES: usize = 192;
const MANY_OPS: usize = 20_000;

/// What placements are looked for, and how long.
pub(crate) struct Candidates<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) costs: &'a Costs,
    pub(crate) cluster: &'a Cluster,
    pub(crate) items: &'a Items,
    pub(crate) links: &'a Links,
    /// Cap of every device; none where no stage can be over one.
    pub(crate) caps: Option<&'a [u64]>,
    pub(crate) judge: &'a Judge<'a>,
    /// Must every device that the cut uses stay in use?
    pub(crate) use_all: bool,
    /// A placement to start from besides, by op.
    pub(crate) start: Option<&'a [DeviceId]>,
    /// A lower bound on the slowest device.
    pub(crate) bound: f64,
    pub(crate) limits: Limits,
    pub(crate) deadline: &'a Deadline,
}

/// The best placement of all.
pub(crate) struct Improved {
    pub(crate) best: Judged,
    /// What found it.
    pub(crate) method: &'static str,
    pub(crate) work: u64,
    pub(crate) stopped: Option<StopReason>,
}

impl Candidates<'_> {
    fn takes(&self, candidate: &Judged, best: &Judged) -> bool {
        let as_busy = !self.use_all || candidate.balance.idle_devices <= best.balance.idle_devices;
        as_busy && candidate.beats(best)
    }
}

/// Looks for better placements than a cut: the folded layers of a training step, and a free search from both.
pub(crate) fn improve(of: &Candidates<'_>, cut: Judged, method: &'static str) -> Improved {
    let read = |judged: &Judged| of.items.read(&judged.device_of);
    let mut starts = vec![read(&cut)];
    let mut improved = Improved { best: cut, method, work: 0, stopped: None };
    if let Some(folded) = folded(of) {
        starts.push(read(&folded));
        if of.takes(&folded, &improved.best) {
            (improved.best, improved.method) = (folded, "layers-dp");
        }
    }
    starts.extend(of.start.map(|start| of.items.read(start)));
    let task = Task {
        sequence: &of.items.sequence,
        links: of.links,
        caps: of.caps,
        starts: &starts,
        bound: of.bound,
        limits: of.limits,
        deadline: of.deadline,
    };
    if let Some(found) = search(&task) {
        improved.work = found.work;
        improved.stopped = found.stopped;
        let free = of.judge.judge(of.items.place(of.graph, &of.items.to_ops(&found.device_of)));
        if of.takes(&free, &improved.best) {
            (improved.best, improved.method) = (free, "free-annealing");
        }
    }
    improved
}

/// Forward and backward ops of the same layers together, cut by dynamic programming; none for programs that are no
/// training step and for ones with device rules.
fn folded(of: &Candidates<'_>) -> Option<Judged> {
    let devices = of.cluster.devices.len();
    if devices < 2 || of.deadline.over() {
        return None;
    }
    let pieces = if of.items.ops.len() > MANY_OPS { PIECES / 4 } else { PIECES };
    let layers = layers(of.graph, of.costs, Granularity::Op, pieces.max(2 * devices)).ok()?;
    let times = RunTimes::of(of.graph, of.costs, of.cluster, &layers);
    // So many micro-batches that the slowest stage alone counts.
    let cuts = times.best_cuts(1 << 20, &|_, _, _| 0.0)?;
    let stage_of: Vec<DeviceId> = layers.stage_of(of.graph, &cuts);
    let of_sequence: Vec<DeviceId> = of.items.ops.ops.iter().map(|&op: &OpId| stage_of[op]).collect();
    Some(of.judge.judge(of.items.place(of.graph, &of_sequence)))
}
