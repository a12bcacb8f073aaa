//! Plans the memory of every stage under its cap, sharing one deadline.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ballast_core::cap::CapSpec;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, NodeId, SwapModel};
use ballast_core::report::{Bound, Report, SearchStats};
use ballast_core::simulate::{StageScore, judge_stage};
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::units::Bytes;
use ballast_remat::Arena;
use ballast_remat::swaps::QTable;

use crate::{Error, Options};

/// A stage's memory plan, judged.
#[derive(Clone, Debug)]
pub struct StageOutcome {
    /// The plan.
    pub plan: CompactPlan,
    /// What the judge derived.
    pub score: StageScore,
    /// Cap asked for.
    pub requested_cap: Bytes,
    /// Cap the plan keeps to.
    pub cap: Bytes,
    /// Smallest cap found to have a plan, where the requested one had none.
    pub smallest_cap: Option<Bytes>,
    /// Least that the device needs for all micro-batches of a pipeline, whatever the plan; none where the stage tells.
    pub least_cap: Option<Bytes>,
    /// Node that binds the smallest cap, where the cap was raised.
    pub binding: Option<NodeId>,
    /// How the plan was found.
    pub report: Report,
    /// Addresses, where the plan is for an arena.
    pub arena: Option<Arena>,
    /// How copies were timed; none where nothing was to be swapped.
    pub swap: Option<SwapModel>,
    /// What Q-learning learned, where it planned the stage.
    pub q_table: Option<QTable>,
}

impl StageOutcome {
    /// The plan that keeps every value, under a cap raised to what that needs where it needs more.
    ///
    /// # Errors
    /// When the judge refuses it, which is a bug.
    pub(crate) fn keep_all(
        stage: &Stage,
        requested_cap: Bytes,
        peak: Bytes,
        seed: u64,
    ) -> Result<Self, Error> {
        let cap = requested_cap.max(peak);
        let plan = CompactPlan::default();
        let (score, replay) = judge_stage(stage, &plan, None, Some(cap)).map_err(|rejection| {
            Error::Stage { device: stage.device, op: rejection.op, message: rejection.error.to_string() }
        })?;
        let search = SearchStats {
            method: "keep-all".to_owned(),
            stop_reason: StopReason::Proved,
            seconds: 0.0,
            work: 0,
            seed,
        };
        let bound = Bound::each_op_once(stage.problem.total_time());
        Ok(StageOutcome {
            plan,
            score,
            requested_cap,
            cap,
            smallest_cap: None,
            least_cap: None,
            binding: None,
            report: Report::new(replay.time, bound, search)?,
            arena: None,
            swap: None,
            q_table: None,
        })
    }

    /// Was the cap raised?
    #[must_use]
    pub fn relaxed(&self) -> bool {
        self.cap > self.requested_cap
    }
}

/// Plans every stage under its cap. Stages are independent, so they are planned side by side on `limits.threads` threads;
/// each takes its share of the time that is left when its turn comes.
///
/// # Errors
/// The failure of the first stage, in device order, that has no plan.
pub fn plan_stages(
    graph: &Graph,
    stages: &[Stage],
    caps: &[Bytes],
    cluster: &Cluster,
    options: &Options,
    deadline: &Deadline,
) -> Result<Vec<StageOutcome>, Error> {
    let all: Vec<usize> = (0..stages.len()).collect();
    plan_some(graph, stages, (caps, &[]), &all, cluster, options, deadline).into_iter().collect()
}

/// Plans the `chosen` stages as [`plan_stages`] does, each from its plans of `starts`, where these are given.
pub(crate) fn plan_some(
    graph: &Graph,
    stages: &[Stage],
    (caps, starts): (&[Bytes], &[Vec<CompactPlan>]),
    chosen: &[usize],
    cluster: &Cluster,
    options: &Options,
    deadline: &Deadline,
) -> Vec<Result<StageOutcome, Error>> {
    let tight = |index: usize| stages[index].problem.unplanned_peak() > caps[index].0;
    // The hard ones first, so that what they leave is shared by the rest.
    let mut queue: Vec<usize> = (0..chosen.len()).collect();
    queue.sort_by_key(|&place| (!tight(chosen[place]), chosen[place]));
    let waiting = AtomicUsize::new(chosen.iter().filter(|&&index| tight(index)).count());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<StageOutcome, Error>>>> = Mutex::new(vec![None; chosen.len()]);
    let workers = options.limits.threads.clamp(1, chosen.len().max(1));
    let inner_threads = (options.limits.threads / waiting.load(Ordering::Relaxed).max(1)).max(1);
    let work = || {
        while let Some(&place) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            let index = chosen[place];
            let share = match tight(index) {
                true => workers as f64 / waiting.fetch_sub(1, Ordering::Relaxed).max(workers) as f64,
                false => 1.0,
            };
            let limits = Limits {
                time_limit_seconds: options
                    .limits
                    .time_limit_seconds
                    .map(|_| deadline.remaining_seconds() * share),
                threads: inner_threads,
                ..options.limits
            };
            let starts = starts.get(index).map_or(&[][..], Vec::as_slice);
            let outcome = plan_stage(graph, &stages[index], (caps[index], starts), cluster, options, limits);
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[place] = Some(outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

/// The cap asked for on the device of every stage.
#[must_use]
pub fn caps_of(stages: &[Stage], cluster: &Cluster, cap: CapSpec) -> Vec<Bytes> {
    let of = |stage: &Stage| {
        cap.bytes(Bytes(stage.problem.unplanned_peak()), cluster.devices[stage.device].memory)
    };
    stages.iter().map(of).collect()
}

fn plan_stage(
    graph: &Graph,
    stage: &Stage,
    (requested_cap, starts): (Bytes, &[CompactPlan]),
    cluster: &Cluster,
    options: &Options,
    limits: Limits,
) -> Result<StageOutcome, Error> {
    let swap = options.swap.then(|| cluster.swap_model(&cluster.devices[stage.device], options.overlap));
    let remat = ballast_remat::Options {
        cap_bytes: requested_cap.0,
        swap,
        alignment: options.arena,
        heap_gaps_bytes: heap_gaps_bytes(graph, stage),
        order: options.order,
        limits,
        solver: options.solver,
        model_file: options.model_file.as_deref().map(|path| stage_file(path, stage.device)),
        layers: stage.sources.iter().map(|source| graph.ops[source.op()].layer).collect(),
        q_learning: options.q_learning.clone(),
        q_table: options.q_tables.get(&stage.device).cloned(),
        outside: options.outside.clone(),
        starts: starts.to_vec(),
        ..ballast_remat::Options::default()
    };
    let failed = |message: String, node: Option<NodeId>| Error::Stage {
        device: stage.device,
        op: node.and_then(|node| stage.sources.get(node.0)).map(|source| source.op()),
        message,
    };
    let relaxation = ballast_remat::Relaxation { step: options.relax_step, limit: options.relax_limit };
    let planned = ballast_remat::plan_relaxed(&stage.problem, &remat, &relaxation);
    let outcome = planned.map_err(|failure| match failure {
        ballast_remat::Error::Infeasible { smallest_cap, node, found, proved, label, .. } => {
            Error::Infeasible {
                device: stage.device,
                op: node.and_then(|node| stage.sources.get(node.0)).map(|source| source.op()),
                label,
                cap: requested_cap,
                smallest: Bytes(smallest_cap),
                found,
                proved,
                every_way: true,
            }
        }
        other => failed(other.to_string(), None),
    })?;
    let cap = Bytes(outcome.used_cap);
    let (score, _) = judge_stage(stage, &outcome.plan.compact, swap.as_ref(), Some(cap))
        .map_err(|rejection| failed(rejection.error.to_string(), rejection.error.node))?;
    Ok(StageOutcome {
        plan: outcome.plan.compact,
        score,
        requested_cap,
        cap,
        smallest_cap: outcome.smallest_cap.map(Bytes),
        least_cap: None,
        binding: outcome.binding,
        report: outcome.plan.report,
        arena: outcome.plan.arena,
        swap,
        q_table: outcome.plan.q_table,
    })
}

/// How much of what the stage holds throughout is there for the gaps of its heap: no more than the room that is held with its own ops.
fn heap_gaps_bytes(graph: &Graph, stage: &Stage) -> Option<u64> {
    let here = |op: OpId| stage.sources.contains(&NodeSource::Op(op));
    let room = |gaps: Bytes| {
        let held = graph.early.iter().filter(|&&(op, _)| here(op));
        gaps.0.min(held.fold(0, |room: u64, &(_, Bytes(bytes))| room.saturating_add(bytes)))
    };
    graph.heap_gaps.map(room)
}

/// `model.lp` of device 2 is `model.2.lp`.
#[must_use]
pub fn stage_file(path: &Path, device: DeviceId) -> PathBuf {
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_extension(format!("{device}.{extension}"))
}

#[cfg(test)]
mod tests {
    use ballast_core::cost::Costs;
    use ballast_core::stage;

    use super::*;
    use crate::support::graph;

    #[test]
    fn gaps_of_a_heap_lie_in_room_that_the_device_holds() {
        // Room of 30 B is held with the first op alone: a device without it has none for gaps of 20 B.
        let mut graph = graph([(vec![], 10, false), (vec![0], 10, false), (vec![1], 10, true)]);
        graph.early = vec![(OpId(0), Bytes(30))];
        graph.heap_gaps = Some(Bytes(20));
        let cluster = Cluster::from_count(2).expect("devices");
        let costs = Costs { seconds: vec![vec![1.0; 3]; 2] };
        let gaps = |graph: &Graph| -> Vec<Option<u64>> {
            let stages = stage::stages(graph, &costs, &cluster, &[0, 1, 1].map(DeviceId));
            stages.iter().map(|stage| heap_gaps_bytes(graph, stage)).collect()
        };
        assert_eq!(gaps(&graph), [Some(20), Some(0)]);
        graph.early = vec![(OpId(0), Bytes(5)), (OpId(2), Bytes(25))];
        assert_eq!(gaps(&graph), [Some(5), Some(20)], "no more than there is");
        graph.heap_gaps = None;
        assert_eq!(gaps(&graph), [None; 2]);
    }
}
