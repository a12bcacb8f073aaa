//! Lower bounds on the slowest device over all assignments.

use std::collections::BTreeSet;

use ballast_core::device::DeviceId;
use petgraph::unionfind::UnionFind;

use crate::loads::Links;
use crate::sequence::{Pin, Sequence};
use ballast_dag::bound::{WorkPrices, simple_bound};
use ballast_dag::hypergraph::Hypergraph;
use ballast_dag::problem::{Kind, Node, Problem};

/// No assignment is faster than a fair share of the work, for unequal devices at the best prices of their time found, or than
/// the largest item where it runs fastest; and where the values join all items to one whole, every device in use has one end of
/// a value that crosses, unless a single device runs everything.
///
/// With prices `p` and transfers of at least `c` on each used device, `sum over used k of p_k load_k >= work + c sum of p_k`,
/// so that the largest load is at least `work / sum of p_k + c`.
pub(crate) fn any_assignment(sequence: &Sequence, links: &Links) -> f64 {
    let problem = without_values(sequence);
    let graph = Hypergraph::of(&problem);
    let shared = simple_bound(&graph, &WorkPrices::fit(&graph)) + least_crossing(sequence, links);
    let alone = sequence.seconds.iter().map(|row| row.iter().sum::<f64>()).fold(f64::INFINITY, f64::min);
    // A hair below, so that rounding of sums never makes the bound exceed a true optimum.
    shared.min(alone).max(by_rules(sequence, links)) * (1.0 - 1e-12)
}

/// The largest load that the user's device rules make by themselves: what is bound to a device runs there, and a value from one
/// of them to another on a second device travels.
fn by_rules(sequence: &Sequence, links: &Links) -> f64 {
    let bound_to = |item: usize| match sequence.pins[item] {
        Pin::To(device) => Some(device),
        Pin::Free | Pin::Conflict => None,
    };
    let mut loads = vec![0.0; sequence.row_of.len()];
    for (item, device) in (0..sequence.len()).filter_map(|item| Some((item, bound_to(item)?))) {
        loads[device] += sequence.seconds[sequence.row_of[device]][item];
    }
    for value in &sequence.values {
        let Some(from) = bound_to(value.producer) else { continue };
        let readers: BTreeSet<DeviceId> =
            value.readers.iter().filter_map(|&reader| bound_to(reader)).filter(|&to| to != from).collect();
        let mut slowest = 0.0f64;
        for to in readers {
            let seconds = links.seconds(from, to, value.bytes);
            slowest = slowest.max(seconds);
            loads[to] += seconds;
        }
        loads[from] += slowest;
    }
    loads.into_iter().fold(0.0, f64::max)
}

/// The least that one crossing value costs a device; nothing where some items can be apart without any crossing.
fn least_crossing(sequence: &Sequence, links: &Links) -> f64 {
    let mut joined = UnionFind::<usize>::new(sequence.len());
    let mut parts = sequence.len();
    let wire = links.fastest();
    let mut least = f64::INFINITY;
    for value in sequence.values.iter().filter(|value| !value.readers.is_empty()) {
        least = least.min(wire.latency_seconds + value.bytes as f64 * wire.seconds_per_byte);
        parts -= value.readers.iter().filter(|&&reader| joined.union(value.producer, reader)).count();
    }
    if parts == 1 && least.is_finite() { least } else { 0.0 }
}

/// The items over kinds of devices, transfers left out.
fn without_values(sequence: &Sequence) -> Problem {
    let pinned = sequence.pins.iter().any(|pin| matches!(pin, Pin::To(_)));
    // Devices of one kind change places freely, which a rule for one of them forbids.
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for device in 0..sequence.row_of.len() {
        let alike = |kind: &&mut Vec<usize>| !pinned && sequence.row_of[kind[0]] == sequence.row_of[device];
        match kinds.iter_mut().find(alike) {
            Some(kind) => kind.push(device),
            None => kinds.push(vec![device]),
        }
    }
    let time = |item: usize, kind: &Vec<usize>| match sequence.pins[item] {
        Pin::To(device) if device != kind[0] => f64::INFINITY,
        _ => sequence.seconds[sequence.row_of[kind[0]]][item],
    };
    let node = |item: usize| Node {
        id: item.to_string(),
        time: kinds.iter().map(|kind| time(item, kind)).collect(),
        size_bytes: 0.0,
        backward: false,
        colour: None,
        output_cost: 0.0,
        readers: Vec::new(),
    };
    Problem {
        name: "op sequence".into(),
        nodes: (0..sequence.len()).map(node).collect(),
        kinds: kinds
            .iter()
            .map(|kind| Kind {
                name: format!("device {}", kind[0]),
                count: kind.len(),
                memory_bytes: f64::INFINITY,
                transfer_factor: 1.0,
            })
            .collect(),
        colours: 0,
    }
}
