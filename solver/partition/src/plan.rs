//! The entry point: from a program, its costs and a cluster to a device for every op.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId, OpRole};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::{Bound, BoundClass, FalseBound, Report, SearchStats};
use ballast_core::simulate::Balance;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;

use crate::dynamic::{self, Site};
use crate::fine_tune::{Keep, fine_tune};
use crate::free;
use crate::items::Items;
use crate::judge::{Judge, PRESSURE};
use crate::loads::Links;
use crate::membership::Membership;
use crate::proposal::{self, Proposal, Proposer, Task};
use crate::refine::refine;
use crate::rl::train;
use crate::sequence::{Granularity, Order, Sequence};

/// How the partition is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Dynamic programming and fine-tuning; loads no learner.
    #[default]
    Dp,
    /// That, and then the learner, starting from its answer.
    Rl,
    /// The cut, the folded layers of a training step, and a free search from both; the best is kept.
    Auto,
    /// Dynamic programming, and then all partitions that form a pipeline, with proof.
    Exact,
}

/// What the caller wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How the partition is found.
    pub method: Method,
    /// What an item of the sequence is.
    pub granularity: Granularity,
    /// In which order the ops stand.
    pub order: Order,
    /// Time, work, seed, threads.
    pub limits: Limits,
    /// Cap of every device; none: the devices' memories.
    pub caps: Option<Vec<Bytes>>,
    /// Must every device get an op, also where fewer devices are faster?
    pub use_all_devices: bool,
    /// A partition to improve on, one device per op (entries of views and constants are not read).
    pub start: Option<Vec<DeviceId>>,
    /// The learner.
    pub rl: train::Options,
}

/// A partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The device of every op; views and constants carry that of their first reader.
    pub device_of: Vec<DeviceId>,
    /// The op sequence that was cut: the planned ops in run order.
    pub sequence: Vec<OpId>,
    /// Places in `sequence` where the device changes.
    pub cuts: Vec<usize>,
    /// Slowest and fastest stage without recomputation and swaps.
    pub balance: Balance,
    /// Value (tmax, seconds), bound, method.
    pub report: Report,
    /// Every bound proved on the way; the report names the strongest that says something about its plan.
    pub bounds: Vec<Bound>,
    /// What the method chosen proposed by itself, whether or not it was taken.
    pub proposed: Option<Proposed>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What a method found by itself, as the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposed {
    /// The method.
    pub method: &'static str,
    /// Its slowest stage, seconds.
    pub tmax_seconds: f64,
}

/// Why there is no partition.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// No device.
    #[error("the cluster has no device")]
    NoDevice,
    /// No op to place.
    #[error("function '{function}' has no op to place")]
    NoOps {
        /// The function.
        function: String,
    },
    /// More devices than ops.
    #[error(
        "{devices} devices for {ops} ops: no more devices than ops can be used; ask for at most {ops} devices"
    )]
    MoreDevicesThanOps {
        /// Devices asked for.
        devices: usize,
        /// Ops to place.
        ops: usize,
    },
    /// Costs, caps or a start of the wrong shape, or a cost that is no time.
    #[error("{0}")]
    Shape(String),
    /// Options of the learner that make no sense, or a saved policy that cannot be used.
    #[error("{0}")]
    Learner(String),
    /// A proposer's options make no sense, or it could not run.
    #[error("method '{method}': {reason}")]
    Proposer {
        /// The proposer.
        method: &'static str,
        /// Why.
        reason: String,
    },
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
    /// A device rule for a device that does not exist.
    #[error("op {op} ('{name}') is bound to device {device}, and the cluster has devices 0 to {last}")]
    Rule {
        /// The op.
        op: OpId,
        /// Its name.
        name: String,
        /// The device named.
        device: DeviceId,
        /// The last device there is.
        last: DeviceId,
    },
}

/// Partitions a program.
///
/// With [`Options::start`], the answer is never slower than the start and never needs more memory over the caps.
///
/// # Errors
/// Input that makes no sense: see [`Error`]. Caps that cannot be kept are no error but a note.
pub fn plan(graph: &Graph, costs: &Costs, cluster: &Cluster, options: &Options) -> Result<Outcome, Error> {
    plan_with(graph, costs, cluster, options, None)
}

/// Partitions a program with a method of the caller's: `proposer` goes on from dynamic programming, and
/// `options.method` is not asked.
///
/// # Errors
/// As [`plan`], and what the proposer returns.
pub fn plan_with(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    options: &Options,
    proposer: Option<&mut dyn Proposer>,
) -> Result<Outcome, Error> {
    let deadline = Deadline::start(&options.limits);
    check(graph, costs, cluster, options)?;
    let judge = Judge::new(graph, costs, cluster, options);
    let all = Items::new(graph, costs, options, cluster.devices.len());
    let (ops, items, mut notes) = (&all.ops, &all.sequence, all.notes.clone());
    let links = Links::new(cluster);
    let caps = judge.caps_for_stages();
    let site = Site {
        links: &links,
        caps: &caps,
        memory_matters: judge.memory_matters(ops, &caps),
        use_all: options.use_all_devices,
        pressure: PRESSURE,
    };
    let answer = dynamic::partition(items, &site, &deadline);
    notes.extend(answer.notes);
    let cut = all.to_ops(&answer.device_of);
    let mut best = judge.judge(all.place(graph, &cut));
    let contiguous_tmax = best.balance.tmax_seconds;
    let mut method = "dp";
    let index = ops.index();
    let keep = Keep { caps: (site.memory_matters && best.over_least == 0).then_some(&caps[..]) };
    let tuned = judge.judge(all.place(graph, &fine_tune(ops, &index, &links, cut, keep, &deadline)));
    if tuned.improves(&best) {
        best = tuned;
        method = "dp+fine-tuning";
    }
    let (mut stopped, mut work) = (answer.cut_short.then(|| deadline.reason()), answer.work);
    let (mut proposed, mut proposed_bound) = (None, None);
    let from_proposer = proposer.is_some();
    if cluster.devices.len() > 1 {
        let items_index = items.index();
        let task = Task {
            items,
            index: &items_index,
            links: &links,
            caps: site.memory_matters.then_some(&caps[..]),
            start: &answer.device_of,
            limits: Limits {
                time_limit_seconds: options.limits.time_limit_seconds.map(|_| deadline.remaining_seconds()),
                ..options.limits
            },
            deadline: &deadline,
        };
        let learner_runs = match options.method {
            Method::Rl => true,
            Method::Dp | Method::Exact | Method::Auto => false,
        };
        let proposal = match proposer {
            Some(proposer) => Some((proposer.name(), proposer.propose(&task)?)),
            None if options.method == Method::Exact => Some(("exact", proposal::exact(&task)?)),
            None if learner_runs => {
                let run = refine(items, &site, &answer.device_of, &options.rl, &options.limits, &deadline);
                learned(run, &mut notes)?.map(|refined| ("rl", Proposal::from(refined)))
            }
            None => None,
        };
        if let Some((name, proposal)) = proposal {
            work += proposal.work;
            if !matches!(proposal.stop_reason, StopReason::Finished | StopReason::Proved) {
                stopped = Some(proposal.stop_reason);
            }
            proposed_bound = proposal.bound;
            let moved = all.to_ops(&proposal.device_of);
            let tuned = fine_tune(ops, &index, &links, moved.clone(), keep, &deadline);
            let moved = judge.judge(all.place(graph, &moved));
            proposed = Some(Proposed { method: name, tmax_seconds: moved.balance.tmax_seconds });
            for candidate in [moved, judge.judge(all.place(graph, &tuned))] {
                let faster = candidate.balance.tmax_seconds < best.balance.tmax_seconds * (1.0 - 1e-12);
                let as_busy = !site.use_all || candidate.balance.idle_devices <= best.balance.idle_devices;
                if faster && as_busy && candidate.no_worse(&best) {
                    best = candidate;
                    method = name;
                }
            }
        }
    }
    let floor = any_assignment(graph, costs, ops, &links);
    let (unmoved, unmoved_method) = (best.clone(), method);
    if options.method == Method::Auto && !from_proposer {
        let search = free::Candidates {
            graph,
            costs,
            cluster,
            items: &all,
            links: &links,
            caps: site.memory_matters.then_some(&caps[..]),
            judge: &judge,
            use_all: site.use_all,
            start: options.start.as_deref(),
            bound: floor.value(),
            limits: options.limits,
            deadline: &deadline,
        };
        let found = free::improve(&search, best, method);
        work += found.work;
        stopped = stopped.or(found.stopped);
        (best, method) = (found.best, found.method);
    }
    if let Some(start) = &options.start {
        let given: Vec<DeviceId> = ops.ops.iter().map(|&op| start[op]).collect();
        let given = judge.judge(all.place(graph, &given));
        // What the free search prefers for its memory may be slower than the start: then what came before it counts.
        if !best.no_worse(&given) {
            (best, method) =
                if unmoved.no_worse(&given) { (unmoved, unmoved_method) } else { (given, "given") };
        }
    }
    notes.extend(best.note());
    if best.balance.idle_devices > 0 {
        notes.push(format!(
            "{} of {} devices stay idle: no partition found that uses more of them is faster",
            best.balance.idle_devices,
            cluster.devices.len()
        ));
    }
    let value = best.balance.tmax_seconds;
    let granularity = all.granularity;
    let cut_bound = answer
        .bound
        .map(|bound| Bound::proved(bound, cut_class(granularity, answer.bound_within_caps)).raised_to(floor));
    if let Some(bound) = cut_bound {
        // The cut itself is of the class, whatever was made of it since.
        bound.beside(contiguous_tmax)?;
    }
    let proposed_bound = proposed_bound
        .map(|bound| Bound::proved(bound, pipeline_class(granularity, site.memory_matters)).raised_to(floor));
    let placed: Vec<DeviceId> = ops.ops.iter().map(|&op| best.device_of[op]).collect();
    let membership = Membership::of(ops, &placed, &all.starts, best.over_least == 0);
    // The wider class first, then the narrower one, as far as they say something about the plan.
    let bound = match (cut_bound, proposed_bound) {
        (_, Some(bound)) if bound.value() > floor.value() => membership.choose(bound, value, floor),
        // Cuts are one class of those that `auto` looks through.
        (Some(_), _) if options.method == Method::Auto && !from_proposer => floor,
        (Some(bound), _) => membership.choose(bound, value, floor),
        _ => floor,
    };
    let bounds = [Some(floor), proposed_bound, cut_bound].into_iter().flatten().collect();
    let stop_reason = stopped.unwrap_or(StopReason::Finished);
    let cuts =
        (1..ops.len()).filter(|&i| best.device_of[ops.ops[i]] != best.device_of[ops.ops[i - 1]]).collect();
    Ok(Outcome {
        report: Report::new(
            value,
            bound,
            SearchStats {
                method: method.into(),
                stop_reason,
                seconds: deadline.elapsed_seconds(),
                work,
                seed: options.limits.seed,
            },
        )?,
        device_of: best.device_of,
        cuts,
        sequence: all.ops.ops,
        balance: best.balance,
        bounds,
        proposed,
        notes,
    })
}

/// Partitions again with what the stages of an earlier plan really took: the costs of a stage's ops are
/// scaled so that its computation takes the seconds measured, recomputation and swaps included.
///
/// `stage_seconds[device]`: seconds of the whole stage, transfers between devices included; a device without an
/// entry or without computation keeps its costs. The report's figures are in scaled seconds.
///
/// # Errors
/// As [`plan`].
pub fn repartition(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    options: &Options,
    device_of: &[DeviceId],
    stage_seconds: &[f64],
) -> Result<Outcome, Error> {
    check(graph, costs, cluster, options)?;
    if device_of.len() != graph.ops.len() || device_of.iter().any(|&d| d >= cluster.devices.len()) {
        return Err(Error::Shape("the earlier plan does not fit the program and the cluster".into()));
    }
    let factor: Vec<f64> = stages(graph, costs, cluster, device_of)
        .iter()
        .map(|stage| {
            let transfers = stage.receive_seconds + stage.send_seconds;
            let measured = stage_seconds.get(stage.device).map(|seconds| seconds - transfers);
            match measured {
                Some(seconds) if seconds.is_finite() && seconds > 0.0 && stage.compute_seconds > 0.0 => {
                    seconds / stage.compute_seconds
                }
                _ => 1.0,
            }
        })
        .collect();
    let mut scaled = costs.clone();
    for row in &mut scaled.seconds {
        for (op, seconds) in row.iter_mut().enumerate() {
            *seconds *= factor[device_of[op]];
        }
    }
    plan(graph, &scaled, cluster, options)
}

/// What a run of the learner gave. Without the library the answer so far stands, and a note says so; options and
/// files that make no sense are errors.
pub(crate) fn learned<T>(run: Result<T, train::Error>, notes: &mut Vec<String>) -> Result<Option<T>, Error> {
    match run {
        Ok(found) => Ok(Some(found)),
        Err(train::Error::Learner(error)) => {
            notes.push(format!("the partition is not refined by the learner: {error}"));
            Ok(None)
        }
        Err(error) => Err(Error::Learner(error.to_string())),
    }
}

pub(crate) fn check(graph: &Graph, costs: &Costs, cluster: &Cluster, options: &Options) -> Result<(), Error> {
    let devices = cluster.devices.len();
    let ops = graph.planned().count();
    if devices == 0 {
        return Err(Error::NoDevice);
    }
    if ops == 0 {
        return Err(Error::NoOps { function: graph.name.clone() });
    }
    if devices > ops {
        return Err(Error::MoreDevicesThanOps { devices, ops });
    }
    if costs.seconds.len() != devices || costs.seconds.iter().any(|row| row.len() != graph.ops.len()) {
        return Err(Error::Shape(format!(
            "costs must name {devices} devices and {} ops each",
            graph.ops.len()
        )));
    }
    for (device, row) in costs.seconds.iter().enumerate() {
        if let Some(op) = row.iter().position(|seconds| !(seconds.is_finite() && *seconds >= 0.0)) {
            return Err(Error::Shape(format!(
                "op {op} ('{}') costs {} s on device {device}: costs are finite and not negative",
                graph.ops[op].name, row[op]
            )));
        }
    }
    for link in cluster.links.iter().map(|(_, _, link)| link).chain([&cluster.default_link]) {
        let bandwidth_fits = link.bandwidth > 0.0 && !link.bandwidth.is_nan();
        if devices > 1 && !(bandwidth_fits && link.latency_seconds.is_finite() && link.latency_seconds >= 0.0)
        {
            return Err(Error::Shape(format!(
                "a link has a bandwidth of {} B/s and a latency of {} s",
                link.bandwidth, link.latency_seconds
            )));
        }
    }
    if let Some(caps) = &options.caps
        && caps.len() != devices
    {
        return Err(Error::Shape(format!("{} caps for {devices} devices", caps.len())));
    }
    if let Some(start) = &options.start
        && (start.len() != graph.ops.len() || start.iter().any(|&device| device >= devices))
    {
        return Err(Error::Shape("the given partition does not fit the program and the cluster".into()));
    }
    for (id, op) in graph.ops.iter().enumerate() {
        if let Some(device) = op.rules.device
            && device >= devices
            && op.role == OpRole::Compute
        {
            return Err(Error::Rule { op: id, name: op.name.clone(), device, last: devices - 1 });
        }
    }
    Ok(())
}

/// The bound for any assignment, devices that differ priced in.
pub(crate) fn any_assignment(graph: &Graph, costs: &Costs, ops: &Sequence, links: &Links) -> Bound {
    Bound::any_assignment(graph, costs)
        .raised_to(Bound::proved(free::any_assignment(ops, links), BoundClass::AnyAssignment))
}

/// The plans that a cut of the sequence of items competes with.
fn cut_class(granularity: Granularity, within_caps: bool) -> BoundClass {
    match (granularity, within_caps) {
        (Granularity::Op, false) => BoundClass::ContiguousSequence,
        (Granularity::Op, true) => BoundClass::ContiguousSequenceWithinCaps,
        (Granularity::Layer, false) => BoundClass::ContiguousLayers,
        (Granularity::Layer, true) => BoundClass::ContiguousLayersWithinCaps,
    }
}

/// The plans whose stages form a pipeline over the items.
fn pipeline_class(granularity: Granularity, within_caps: bool) -> BoundClass {
    match (granularity, within_caps) {
        (Granularity::Op, false) => BoundClass::ContiguousDag,
        (Granularity::Op, true) => BoundClass::ContiguousDagWithinCaps,
        (Granularity::Layer, false) => BoundClass::ContiguousDagLayers,
        (Granularity::Layer, true) => BoundClass::ContiguousDagLayersWithinCaps,
    }
}
