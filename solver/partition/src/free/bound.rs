//! Lower bounds on the slowest device over all assignments.

use std::collections::BTreeSet;

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits};
use petgraph::unionfind::UnionFind;

use crate::loads::Links;
use crate::sequence::{Pin, Sequence};
use crate::workload::workload;
use ballast_dag::bound::{WorkPrices, simple_bound};
use ballast_dag::hypergraph::Hypergraph;
use ballast_dag::proof;
use ballast_dag::spreading::{self, Budget, Proof};

/// No assignment is faster than a fair share of the work, for unequal devices at the best prices of their time found, or than
/// the largest item where it runs fastest; and where the values join all items to one whole, every device in use has one end of
/// a value that crosses, unless a single device runs everything.
///
/// With prices `p` and transfers of at least `c` on each used device, `sum over used k of p_k load_k >= work + c sum of p_k`,
/// so that the largest load is at least `work / sum of p_k + c`.
pub(crate) fn any_assignment(sequence: &Sequence, links: &Links) -> f64 {
    let graph = Hypergraph::of(&workload(sequence, links, None).0);
    let shared = simple_bound(&graph, &WorkPrices::fit(&graph)) + least_crossing(sequence, links);
    let alone = sequence.seconds.iter().map(|row| row.iter().sum::<f64>()).fold(f64::INFINITY, f64::min);
    // A hair below, so that rounding of sums never makes the bound exceed a true optimum.
    shared.min(alone).max(by_rules(sequence, links)) * (1.0 - 1e-12)
}

/// No assignment better than one of this slowest device is faster than this: what must cross between devices is counted.
pub(crate) fn by_crossings(sequence: &Sequence, links: &Links, value: f64, budget: &Budget<'_>) -> Proof {
    let proof = spreading::bound_of(&workload(sequence, links, None).0, value, budget);
    tracing::debug!(
        "what must cross: {} of {value} s in {} steps, {:.2} s",
        proof.bound,
        proof.steps,
        budget.clock.elapsed_seconds()
    );
    proof
}

/// The bound that an integer program of all items proves, where there are few, and a placement by which the slowest device may be faster
/// than in this one.
pub(crate) fn by_program(
    sequence: &Sequence,
    links: &Links,
    placement: &[DeviceId],
    limits: &Limits,
    clock: &Deadline,
) -> Option<(f64, Option<Vec<DeviceId>>)> {
    let (problem, devices) = workload(sequence, links, None);
    let mut index_of = vec![0; devices.len()];
    for (index, &device) in devices.iter().enumerate() {
        index_of[device.0] = index;
    }
    let mut plan: Vec<usize> = placement.iter().map(|&device| index_of[device.0]).collect();
    let mut of_colour = vec![0; problem.colours];
    for (node, &index) in problem.nodes.iter().zip(&plan) {
        node.colour.into_iter().for_each(|colour| of_colour[colour] = index);
    }
    // Further values of an item are where the item is.
    plan.extend(problem.nodes[placement.len()..].iter().map(|node| node.colour.map_or(0, |c| of_colour[c])));
    let proof = proof::prove(&problem, &plan, limits, clock)?;
    let better = proof.better.map(|plan| plan[..placement.len()].iter().map(|&i| devices[i]).collect());
    // Sums in another order leave a proven bound a rounding above the value it equals.
    Some((proof.bound * (1.0 - 1e-12), better))
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
