//! Who looks for a faster assignment than the dynamic programme's: the task, the answer, and the exact search.
//!
//! A [`Proposer`] sees the items of the sequence and hands back a device for each. What it proposes is judged beside
//! the start and taken only if it is better: no proposer is trusted.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};

use crate::loads::Links;
use crate::plan::Error;
use crate::sequence::{Index, Pin, Sequence};
use ballast_dag::problem::{Kind, Node, PlanClass, Problem};
use ballast_dag::solve::{self, Method, NoPlan, solve};

/// What a proposer is to improve.
pub struct Task<'a> {
    /// The items to place.
    pub items: &'a Sequence,
    /// The same by item.
    pub index: &'a Index,
    /// The links between the devices.
    pub links: &'a Links,
    /// Cap of every device, bytes; none where no stage can be over one.
    pub caps: Option<&'a [u64]>,
    /// Device of every item in the best partition so far that is a cut of the sequence.
    pub start: &'a [DeviceId],
    /// Limits; the time is what is left.
    pub limits: Limits,
    /// The clock of the whole search.
    pub deadline: &'a Deadline,
}

/// A proposer's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Device of every item.
    pub device_of: Vec<DeviceId>,
    /// A bound proved on the way, over all partitions whose stages form a pipeline: seconds of the slowest stage.
    pub bound: Option<f64>,
    /// Search steps taken.
    pub work: u64,
    /// Why the search stopped.
    pub stop_reason: StopReason,
}

/// Proposes a partition.
pub trait Proposer {
    /// The name reports and options use.
    fn name(&self) -> &'static str;

    /// A partition of the items.
    ///
    /// # Errors
    /// Options that make no sense, and searches that cannot run.
    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error>;
}

/// Searches all partitions whose stages form a pipeline, whatever the order of the ops, by chains of ideals
/// ([`ballast_dag`]). Its loads are those of stages where the links are alike; with unequal links every transfer is
/// priced by one at least as fast as all, which keeps the bound a bound. A device holds the arguments whose first readers
/// it runs, at most its cap: what it really holds is more, so that no plan under the caps is left out.
pub(crate) fn exact(task: &Task<'_>) -> Result<Proposal, Error> {
    let (mut problem, devices) = as_dag(task);
    let options = solve::Options {
        class: PlanClass::Contiguous,
        method: Method::Exact,
        limits: task.limits,
        finish_early: task.limits.time_limit_seconds.is_none(),
        observe: &|_| (),
        placer: None,
    };
    let mut solved = solve(&problem, &options);
    if let Err(NoPlan::Infeasible { .. }) = solved {
        // What the caps rule out they cannot choose among: the fastest pipeline stands in, and the judge says by how
        // much it is over.
        problem.kinds.iter_mut().for_each(|kind| kind.memory_bytes = f64::INFINITY);
        let left = task.limits.time_limit_seconds.map(|_| task.deadline.remaining_seconds());
        let limits = Limits { time_limit_seconds: left, ..task.limits };
        solved = solve(&problem, &solve::Options { limits, ..options });
    }
    match solved {
        Ok(outcome) => Ok(Proposal {
            device_of: outcome.assignment[..task.items.len()].iter().map(|&device| devices[device]).collect(),
            bound: Some(outcome.report.bound().value()),
            work: outcome.report.work,
            stop_reason: outcome.report.stop_reason,
        }),
        // Nothing is forbidden but device rules, so that a limit came before the first plan: the start stands.
        Err(reason) => {
            tracing::debug!("exact search: {reason}");
            Ok(Proposal {
                device_of: task.start.to_vec(),
                bound: None,
                work: 0,
                stop_reason: task.deadline.reason(),
            })
        }
    }
}

/// The items as a problem over kinds of devices, and the device behind every device index of it.
fn as_dag(task: &Task<'_>) -> (Problem, Vec<DeviceId>) {
    let items = task.items;
    let cap = |device: DeviceId| task.caps.map_or(f64::INFINITY, |caps| caps[device] as f64);
    let pinned = items.pins.iter().any(|pin| matches!(pin, Pin::To(_)));
    // Devices of one kind, alike in costs and cap, change places freely, which a rule for one of them forbids.
    let mut kinds: Vec<Vec<DeviceId>> = Vec::new();
    for device in 0..items.row_of.len() {
        let alike = kinds.iter_mut().find(|kind| {
            let like =
                |a: DeviceId, b| items.row_of[a] == items.row_of[b] && cap(a).total_cmp(&cap(b)).is_eq();
            !pinned && like(kind[0], device)
        });
        match alike {
            Some(kind) => kind.push(device),
            None => kinds.push(vec![device]),
        }
    }
    let wire = task.links.fastest();
    let mut nodes: Vec<Node> = (0..items.len())
        .map(|item| Node {
            id: item.to_string(),
            time: kinds
                .iter()
                .map(|kind| match items.pins[item] {
                    Pin::To(device) if device != kind[0] => f64::INFINITY,
                    _ => items.seconds[items.row_of[kind[0]]][item],
                })
                .collect(),
            size_bytes: 0.0,
            backward: false,
            colour: None,
            output_cost: 0.0,
            readers: Vec::new(),
        })
        .collect();
    for argument in &items.arguments {
        if let Some(&first) = argument.readers.first() {
            nodes[first].size_bytes += argument.bytes as f64;
        }
    }
    for (node, &bytes) in nodes.iter_mut().zip(&items.resident) {
        node.size_bytes += bytes as f64;
    }
    // A node has one output: each further value of an item is a node without time that shares the item's device.
    let mut colours = 0;
    let mut primary = vec![false; items.len()];
    for value in items.values.iter().filter(|value| !value.readers.is_empty()) {
        let cost = wire.latency_seconds + value.bytes as f64 * wire.seconds_per_byte;
        if !primary[value.producer] {
            primary[value.producer] = true;
            nodes[value.producer].output_cost = cost;
            nodes[value.producer].readers.clone_from(&value.readers);
            continue;
        }
        let colour = *nodes[value.producer].colour.get_or_insert_with(|| {
            colours += 1;
            colours - 1
        });
        nodes.push(Node {
            id: format!("{}+{}", value.producer, nodes.len()),
            time: nodes[value.producer].time.iter().map(|t| if t.is_finite() { 0.0 } else { *t }).collect(),
            size_bytes: 0.0,
            backward: false,
            colour: Some(colour),
            output_cost: cost,
            readers: value.readers.clone(),
        });
    }
    let kinds_of = |kind: &Vec<DeviceId>| Kind {
        name: format!("device {}", kind[0]),
        count: kind.len(),
        memory_bytes: cap(kind[0]),
        transfer_factor: 1.0,
    };
    let problem =
        Problem { name: "op sequence".into(), kinds: kinds.iter().map(kinds_of).collect(), nodes, colours };
    (problem, kinds.concat())
}
