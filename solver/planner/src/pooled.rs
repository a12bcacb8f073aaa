//! A bound for every placement under caps: all devices as one that has the memory of all of them.
//!
//! Whatever runs where, let one device do what all of them do, each op and what its device recomputes or copies before and after it at the op's
//! place in program order. It holds no more than they do together at their own moments, as a value that several have is there once: so it keeps the
//! sum of their caps. Where a device receives a value, this one has it or copies it back from the host, and copied it there when it was made, which
//! took its maker no less time to send. No placement is faster than the least time of that one device over the number of devices.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::OpId;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{NodeId, Problem, SwapModel};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass};
use ballast_core::stage::stages;
use ballast_remat::lower_bound;

use crate::round::Round;
use crate::{Error, Options};

/// Search steps of the proof where nothing else limits it.
const STEPS: u64 = 500_000;

/// Fewest seconds that are worth a proof, and the share of those left that it may take: HiGHS does not look at the clock all the time.
const LEAST_SECONDS: f64 = 0.01;
const SAFE: f64 = 0.9;

/// Does what the options ask for leave room for such a bound? Devices that run their ops in orders of their own have no common one, and copies beside
/// computation take no time that would add up.
pub(crate) fn holds_for(program: &Program<'_>, options: &Options) -> bool {
    program.cluster.devices.len() > 1
        && options.order == ballast_remat::Order::Program
        && !options.overlap
        && options.pipeline.is_none()
}

/// A bound on tmax for all placements whose memory plans together keep within the caps of this round, raised ones as they were raised; none where it
/// cannot be above `carried`, or there is no time.
///
/// # Errors
/// Where no plan keeps the caps together, though these do: a bug.
pub(crate) fn pooled_bound(
    program: &Program<'_>,
    round: &Round,
    carried: Bound,
    options: &Options,
    deadline: &Deadline,
) -> Result<Option<Bound>, Error> {
    let devices = program.cluster.devices.len() as f64;
    let seconds = options.limits.time_limit_seconds.map(|_| deadline.remaining_seconds() * SAFE);
    let known: f64 = round.outcomes.iter().map(|outcome| outcome.score.seconds).sum();
    if !holds_for(program, options)
        || known / devices <= carried.value()
        || seconds.is_some_and(|left| left < LEAST_SECONDS)
    {
        return Ok(None);
    }
    let problem = pooled(program);
    let caps = round.outcomes.iter().fold(0u64, |sum, outcome| sum.saturating_add(outcome.cap.0));
    let limits = Limits {
        time_limit_seconds: seconds,
        work_limit: options.limits.work_limit.or_else(|| seconds.is_none().then_some(STEPS)),
        ..options.limits
    };
    match lower_bound(&problem, (&links(program.cluster), caps), known, &limits) {
        Ok(bound) => {
            let each = Bound::proved(bound.value() / devices, BoundClass::AnyAssignmentWithinCaps);
            Ok(Some(each.trusting_highs(bound.trusts_highs())))
        }
        Err(error @ ballast_remat::Error::Infeasible { .. }) => Err(Error::Partition(format!(
            "internal error: the caps that all stages keep have no plan together: {error}"
        ))),
        Err(error) => {
            tracing::debug!("no bound with all memory together: {error}");
            Ok(None)
        }
    }
}

/// The whole program on one device: every op takes what it takes where it is fastest, and every value may be copied to the host.
fn pooled(program: &Program<'_>) -> Problem {
    let graph = program.graph;
    let mut apart = graph.clone();
    apart.ops.iter_mut().for_each(|op| op.over = None);
    let seconds = OpId::of(&graph.ops).map(|(op, _)| program.costs.least_seconds(op)).collect();
    let first = program.cluster.devices.iter().take(1).cloned().collect();
    let cluster = Cluster { devices: first, links: Vec::new(), ..program.cluster.clone() };
    let on_one = vec![DeviceId(0); graph.ops.len()];
    let mut stages = stages(&apart, &Costs { seconds: vec![seconds] }, &cluster, &on_one);
    let Some(stage) = stages.pop() else { return Problem::default() };
    let mut node_of = vec![None; graph.ops.len()];
    NodeId::of(&stage.sources).for_each(|(node, source)| node_of[source.op()] = Some(node));
    let mut problem = stage.problem;
    for node in &mut problem.nodes {
        // A value may be sent away and received on another device whatever the rules of the op say of copies to the host.
        (node.swappable, node.pinned) = (true, false);
    }
    for (op, facts) in OpId::of(&graph.ops) {
        let Some((node, operand)) = node_of[op].zip(facts.over.and_then(|operand| node_of[operand])) else {
            continue;
        };
        // In place on some placements: the value takes its operand's memory over, and keeps it no longer than it is there itself. On others both
        // are there while it runs, which is more.
        let bytes = problem.nodes[operand].bytes;
        let node = &mut problem.nodes[node];
        node.inputs.retain(|&input| input != operand);
        node.bytes = if node.keep { 0 } else { node.bytes.min(bytes) };
    }
    problem
}

/// The fastest way there is for a value to leave a device and to come back to one.
fn links(cluster: &Cluster) -> SwapModel {
    let mut links = vec![cluster.default_link];
    links.extend(cluster.links.iter().map(|(_, _, link)| *link));
    let mut swap = SwapModel {
        out_bandwidth: 0.0,
        in_bandwidth: 0.0,
        latency: f64::INFINITY,
        overlap: false,
        host_capacity_bytes: None,
    };
    let mut hear = |out: f64, back: f64, latency: f64| {
        swap.out_bandwidth = swap.out_bandwidth.max(out);
        swap.in_bandwidth = swap.in_bandwidth.max(back);
        swap.latency = swap.latency.min(latency);
    };
    links.iter().for_each(|link| hear(link.bytes_per_second, link.bytes_per_second, link.latency_seconds));
    for device in &cluster.devices {
        let own = cluster.swap_model(device, false);
        hear(own.out_bandwidth, own.in_bandwidth, own.latency);
    }
    swap
}

#[cfg(test)]
mod tests {
    use ballast_core::device::Link;
    use ballast_core::graph::Graph;
    use ballast_core::units::Bytes;

    use super::*;
    use crate::support::graph;

    /// Two values of 10 bytes that wait, and what reads them, the last one first.
    fn waiting() -> Graph {
        graph([(vec![], 10, false), (vec![], 10, false), (vec![1], 1, false), (vec![0, 2], 1, true)])
    }

    fn cluster(devices: usize) -> Cluster {
        let mut cluster = Cluster::from_count(devices).expect("devices");
        // A link between devices of 10 bytes a second, and one to the host half as fast.
        cluster.default_link = Link { bytes_per_second: 10.0, latency_seconds: 0.5 };
        for device in &mut cluster.devices {
            device.to_host = Link { bytes_per_second: 5.0, latency_seconds: 1.0 };
            device.from_host = device.to_host;
        }
        cluster
    }

    #[test]
    fn one_device_with_all_memory_takes_the_fastest_of_every_op_and_of_every_way() {
        let (graph, cluster) = (waiting(), cluster(2));
        let costs = Costs { seconds: vec![vec![4.0, 2.0, 3.0, 1.0], vec![2.0, 4.0, 3.0, 1.0]] };
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let problem = pooled(&program);
        assert_eq!(problem.nodes.iter().map(|node| node.time).collect::<Vec<_>>(), [2.0, 2.0, 3.0, 1.0]);
        assert_eq!(problem.unplanned_peak(), 21);
        let links = links(&cluster);
        assert_eq!((links.out_time(10), links.in_time(10)), (1.5, 1.5));
    }

    #[test]
    fn what_is_written_over_is_there_once_or_not_at_all() {
        let (mut graph, cluster) = (waiting(), cluster(2));
        let costs = Costs { seconds: vec![vec![1.0; 4]; 2] };
        let bytes = |graph: &Graph| {
            let problem = pooled(&Program { graph, costs: &costs, cluster: &cluster });
            let inputs = problem.nodes.iter().map(|node| node.inputs.iter().map(|input| input.0).collect());
            (problem.nodes.iter().map(|node| node.bytes).collect::<Vec<_>>(), inputs.collect::<Vec<Vec<_>>>())
        };
        assert_eq!(bytes(&graph), (vec![10, 10, 1, 1], vec![vec![], vec![], vec![1], vec![0, 2]]));
        // It has its operand's memory, and needs that no more once it runs.
        graph.ops[2].over = Some(OpId(1));
        graph.tensors[2].bytes = Bytes(10);
        assert_eq!(bytes(&graph), (vec![10, 10, 10, 1], vec![vec![], vec![], vec![], vec![0, 2]]));
        // A result lies in memory that may be free again when the program ends.
        graph.ops[3].over = Some(OpId(0));
        assert_eq!(bytes(&graph), (vec![10, 10, 10, 0], vec![vec![], vec![], vec![], vec![2]]));
    }

    #[test]
    fn no_placement_is_faster_than_all_memory_together_lets_one_device_be() {
        let (graph, cluster) = (waiting(), cluster(2));
        let costs = Costs { seconds: vec![vec![4.0, 4.0, 1.0, 1.0]; 2] };
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let limits = Limits { time_limit_seconds: None, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let unlimited = Deadline::after(None);
        let carried = Bound::any_assignment(&graph, &costs);
        let bound = |caps: [u64; 2], options: &Options| {
            let (caps, on_first) = (caps.map(Bytes), vec![DeviceId(0); 4]);
            let round = Round::plan(&program, on_first, (&caps, None), options, &unlimited).expect("a plan");
            let bound =
                pooled_bound(&program, &round, carried, options, &unlimited).expect("no contradiction");
            (round.balance.tmax_seconds, bound.map(|bound| (bound.value(), bound.class())))
        };
        // 21 bytes where the third op runs: of 20 one value has to go, and comes back in 3 seconds, faster than it is made again. The device that runs
        // all of it makes the first value again, in 4, as its own link takes 6.
        let (tmax, found) = bound([12, 8], &options);
        let (value, class) = found.expect("a bound");
        assert!(
            (value - 6.5).abs() < 1e-3 && class == BoundClass::AnyAssignmentWithinCaps,
            "{value} {class}"
        );
        assert_eq!(tmax, 14.0);
        // With a byte more nothing has to go.
        assert_eq!(bound([12, 9], &options).1, Some((5.0, BoundClass::AnyAssignmentWithinCaps)));
        // Copies beside computation take no time that adds up.
        assert_eq!(bound([12, 8], &Options { overlap: true, ..options.clone() }).1, None);
        // A plan that is as fast as the bound it has already needs no other.
        let proved = Bound::proved(7.0, BoundClass::AnyAssignment);
        let caps = [Bytes(12), Bytes(8)];
        let round = Round::plan(&program, vec![DeviceId(0); 4], (&caps, None), &options, &unlimited);
        assert_eq!(pooled_bound(&program, &round.expect("a plan"), proved, &options, &unlimited), Ok(None));
    }
}
