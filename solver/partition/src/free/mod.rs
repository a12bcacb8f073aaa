//! Free placements: any op on any device, found by annealing from coarse to fine.
//!
//! The cut of the op sequence puts forward and backward ops of one layer on different devices; what a training step wants
//! keeps them together, and more than that is gained where single ops go elsewhere. The search sees the items of the
//! sequence, the values between them, and what every device holds while each item runs; where items are merged, at some moments with many live bytes.
//! What it finds is judged like any other placement.

mod board;
mod bound;
mod least;
mod levels;
mod moves;
mod near;
mod policy;
mod search;
mod state;
mod timeline;
mod walk;

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::program::Program;
use ballast_core::stage::Stage;

use crate::error::Error;
use crate::judge::unread_argument_bytes;
use crate::options::Mover;
use crate::pipeline::{RunTimes, layers};
use crate::proposer::{Candidate, Proposal, Proposer, Task};
use crate::sequence::{Granularity, Sequence};
use crate::squeeze::MISPRICED;

pub(crate) use bound::{any_assignment, by_crossings, by_program};

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
        if let Some(folded) =
            (!task.measured).then(|| folded(task.program, &task.items.ops, task.deadline)).flatten()
        {
            starts.push(task.items.read(&task.items.place(task.program.graph, &folded)));
            proposal.candidates.push(Candidate { method: "layers-dp", device_of: folded });
        }
        starts.extend(task.given.map(|given| task.items.read(given)));
        let (method, mover) = match self.mover {
            Mover::None => {
                proposal.refined = Some(("none", proposal.candidates.len()));
                return Ok(proposal);
            }
            Mover::Annealing => ("free-annealing", "annealing"),
            Mover::Learned => ("free-learned", "learned"),
        };
        let first = proposal.candidates.len();
        let found = match task.given.filter(|_| task.measured) {
            Some(given) => self.go_on(task, given, starts),
            None => search::search(&self.task(task, &starts, None, task.limits, task.deadline))
                .into_iter()
                .collect(),
        };
        let by = match found.first() {
            // A start is as fast as any placement can be.
            Some(found) if found.work == 0 && found.stopped.is_none() => "needless",
            Some(_) => mover,
            None => "nothing",
        };
        proposal.refined = Some((by, first));
        for found in found {
            (proposal.work, proposal.stopped) = (proposal.work + found.work, found.stopped);
            let device_of = task.items.to_ops(&found.device_of);
            proposal.candidates.push(Candidate { method, device_of });
        }
        Ok(proposal)
    }
}

/// Searches from a placement whose plans have told what memory costs, each from what the one before found. Where values cost more to do without than the
/// price of bytes says, the next goes by them. Where items are layers a board does not see all bytes held, and a search hides them there: each counts what
/// the ones before it hid.
const LOOKS: usize = 2;

impl Auto {
    fn go_on(
        &self,
        task: &Task<'_>,
        given: &[DeviceId],
        mut starts: Vec<Vec<DeviceId>>,
    ) -> Vec<search::Found> {
        let mut all = Vec::new();
        let mut unseen: Option<Vec<f64>> = None;
        let mut placement = given.to_vec();
        let mut by_value = false;
        for look in 0..LOOKS {
            let share = 1.0 / (LOOKS - look) as f64;
            let deadline = match task.limits.time_limit_seconds {
                Some(_) => task.deadline.within(task.deadline.remaining_seconds() * share),
                None => *task.deadline,
            };
            let work_limit = task.limits.work_limit.map(|limit| limit / LOOKS as u64);
            let limits = Limits { work_limit, ..task.limits };
            let last = starts.last().cloned().unwrap_or_default();
            let search = self.task(task, &starts, unseen.as_deref(), limits, &deadline);
            let search = search::Task { by_value, ..search };
            let peaks = peaks(task.program, &placement);
            let hidden = search::held(&search, &last).into_iter().zip(peaks).map(|(held, peak)| peak - held);
            let hidden: Vec<f64> = match &unseen {
                Some(known) => hidden.zip(known).map(|(new, &known)| new.max(known)).collect(),
                None => hidden.collect(),
            };
            let search = search::Task { unseen: Some(&hidden), ..search };
            let Some(found) = search::search(&search) else {
                break;
            };
            // What was found by a wrong price is no answer: the search by values began from it.
            if search.by_value {
                all.clear();
            }
            by_value = look + 1 < LOOKS && {
                let told = search::value(&search::Task { by_value: true, ..search }, &found.device_of);
                tracing::debug!(value = found.value, told, "what values cost");
                told > (1.0 + MISPRICED) * found.value
            };
            let same = found.device_of == last && !by_value;
            placement = task.items.place(task.program.graph, &task.items.to_ops(&found.device_of));
            starts.push(found.device_of.clone());
            all.push(found);
            if same {
                break;
            }
            unseen = Some(hidden);
        }
        all
    }

    fn task<'a>(
        &self,
        task: &Task<'a>,
        starts: &'a [Vec<DeviceId>],
        unseen: Option<&'a [f64]>,
        limits: Limits,
        deadline: &'a Deadline,
    ) -> search::Task<'a> {
        search::Task {
            sequence: &task.items.sequence,
            links: task.links,
            by_value: false,
            cluster: task.program.cluster,
            copies: task.copies,
            caps: task.caps.map(|caps| (caps, task.prices)),
            relax_limit: task.relax_limit,
            unseen,
            starts,
            bound: task.floor_seconds,
            limits,
            deadline,
            learns: self.mover == Mover::Learned,
        }
    }
}

/// Placements of the items next to a given one, whose memory plans have told the rates of the task; where all devices are to be `used`, the
/// likeliest leave none of them without items.
pub(crate) fn next_to(
    task: &Task<'_>,
    given: &[DeviceId],
    (wanted, used): (Next, bool),
) -> Vec<Vec<DeviceId>> {
    let starts = [task.items.read(given)];
    let search = Auto { mover: Mover::None }.task(task, &starts, None, task.limits, task.deadline);
    let found = match wanted {
        Next::Likeliest { count } => {
            let held = search::held(&search, &starts[0]).into_iter();
            let hidden: Vec<f64> =
                held.zip(peaks(task.program, given)).map(|(held, peak)| peak - held).collect();
            near::neighbours(&search::Task { unseen: Some(&hidden), ..search }, count, used)
        }
        Next::Shaken => near::shaken(&search).into_iter().collect(),
    };
    found
        .into_iter()
        .map(|placed| task.items.place(task.program.graph, &task.items.to_ops(&placed)))
        .collect()
}

/// Which placements next to one are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// So many, at most, those estimated best first.
    Likeliest {
        /// How many.
        count: usize,
    },
    /// One some way off, for a search that can go no further from where it is.
    Shaken,
}

/// What every device holds at most without any plan, but for arguments that no op reads: no search decides about those.
fn peaks(program: Program<'_>, device_of: &[DeviceId]) -> Vec<f64> {
    let unread = unread_argument_bytes(program.graph).as_f64();
    let peak = |stage: &Stage| {
        stage.problem.unplanned_peak() as f64 - if stage.device.0 == 0 { unread } else { 0.0 }
    };
    program.stages(device_of).iter().map(peak).collect()
}

/// Forward and backward ops of the same layers together, cut by dynamic programming: the device of every op of the
/// sequence. None for programs that are no training step and for ones with device rules.
pub(crate) fn folded(program: Program<'_>, ops: &Sequence, deadline: &Deadline) -> Option<Vec<DeviceId>> {
    let Program { graph, costs, cluster } = program;
    let devices = cluster.devices.len();
    if devices < 2 || deadline.over() {
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

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::device::Cluster;
    use ballast_core::graph::{Graph, Op, OpId, Tensor};
    use ballast_core::units::Bytes;

    use super::*;
    use crate::items::Items;
    use crate::loads::Links;
    use crate::relief::Copies;
    use crate::sequence::Order;
    use crate::squeeze::Prices;

    /// Values made by 24 ops, and read in reverse by 24 others; each pair takes 2.1 s, every second one nearly all of it to make its value.
    fn dear_and_cheap() -> (Graph, Costs) {
        let mut graph = Graph { name: "main".into(), ..Graph::default() };
        let mut seconds = Vec::new();
        for id in 0..48 {
            let pair = if id < 24 { id } else { 47 - id };
            let inputs = if id < 24 { vec![] } else { vec![pair] };
            graph.ops.push(Op::new(format!("op{id}"), inputs, [id]));
            graph.tensors.push(Tensor {
                producer: Some(OpId(id)),
                index: 0,
                bytes: Bytes(if id < 24 { 100 } else { 1 }),
                returned: false,
                type_name: "value".into(),
            });
            seconds.push(if (pair % 2 == 0) == (id < 24) { 2.0 } else { 0.1 });
        }
        (graph, Costs { seconds: vec![seconds; 2] })
    }

    #[test]
    fn values_that_are_dear_to_make_again_are_spread_where_their_bytes_tell_nothing() {
        let (graph, costs) = dear_and_cheap();
        let mut cluster = Cluster::from_count(2).expect("devices");
        cluster.default_link.latency_seconds = 0.3;
        let (items, links) =
            (Items::new(&graph, &costs, (Granularity::Op, Order::Program), 2), Links::new(&cluster));
        // All dear values on one device: each device has to do without five or six of twelve.
        let apart: Vec<DeviceId> =
            (0..48).map(|id| DeviceId(if id < 24 { id % 2 } else { (47 - id) % 2 })).collect();
        let starts = [apart.clone()];
        let deadline = Deadline::after(None);
        let prices = Prices::usual(2);
        let limits = Limits { time_limit_seconds: None, work_limit: Some(40_000), seed: 1, threads: 1 };
        let task = |by_value| search::Task {
            sequence: &items.sequence,
            links: &links,
            caps: Some((&[700; 2], &prices)),
            by_value,
            cluster: &cluster,
            copies: Copies::Never,
            relax_limit: 1.0,
            unseen: Some(&[0.0; 2]),
            starts: &starts,
            bound: 0.0,
            limits,
            deadline: &deadline,
            learns: false,
        };
        let found = |by_value| search::search(&task(by_value)).expect("a placement").device_of;
        let worth = |placement: &[DeviceId]| search::value(&task(true), placement);
        // 25.2 s, and ten or more for dear values; with six of each kind a device does without cheap ones. Where bytes alone have a price, that is
        // met by chance.
        let (by_value, by_bytes) = (worth(&found(true)), worth(&found(false)));
        assert!(worth(&apart) > 35.0 && by_value < 27.0, "{} -> {by_value}", worth(&apart));
        assert!(by_bytes > by_value + 0.5, "{by_bytes} {by_value}");
    }
}
