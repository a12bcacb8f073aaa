//! `ballast replan`: a plan moved to devices that changed, with as few ops moved as it takes.

use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits};
use ballast_core::plan::Plan;
use ballast_core::profile::Profile;
use ballast_core::program::Program;
use ballast_core::report::{Bound, Report};
use ballast_partition::Method;
use ballast_planner::replan::{Candidate, Choice, PlannedCandidate, candidates, choose, kept};
use serde::Serialize;

use crate::failure::Failure;
use crate::graph_file;
use crate::output::{check, paths, write_json};
use crate::ranges::{duration, factor, threads};
use crate::report::read_plan;

/// Arguments of `ballast replan`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plan file in use, written by `--remat="plan-file=..."`.
    plan: PathBuf,
    /// The devices there are now: a device file, a count, or a ready-made kind. Devices are the same if they have
    /// the same name.
    devices: String,
    /// The program the plan is for, as a graph (JSON).
    #[arg(long)]
    graph: PathBuf,
    /// Measured op times (JSON).
    #[arg(long)]
    profile: Option<PathBuf>,
    /// Memory cap of each stage: bytes with a unit, or a percentage of its unplanned peak; none: the device's memory.
    #[arg(long, default_value = "")]
    cap: String,
    /// How much slower than a plan from scratch the new plan may be: 0.05 for 5 %; 0 to 1000.
    #[arg(long, value_parser = factor, default_value_t = 0.05)]
    tolerance: f64,
    /// May values be swapped to host memory?
    #[arg(long, action = clap::ArgAction::Set, default_value_t = true)]
    swap: bool,
    /// Wall-clock limit in seconds; 0 for none; 0 to 1e9.
    #[arg(long, value_parser = duration, default_value_t = 60.0)]
    time_limit: f64,
    /// Limit on search steps of every search; with it and no time limit the answer is the same everywhere. 0 takes none (of the passes'
    /// `work-limit` 0 is no limit).
    #[arg(long)]
    work_limit: Option<u64>,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; 1 to 1024, no more than the machine has cores.
    #[arg(long, value_parser = threads, default_value_t = 1)]
    threads: usize,
    /// Write the new plan here.
    #[arg(short, long)]
    output: PathBuf,
}

/// What moved and what it came to.
#[derive(Serialize)]
struct Answer {
    ops: usize,
    moved: usize,
    /// Ops of devices that are gone: these had to move.
    had_to_move: usize,
    old_tmax_seconds: f64,
    tmax_seconds: f64,
    scratch_tmax_seconds: f64,
    /// Ops the plan from scratch would have moved.
    scratch_moved: usize,
    moves: Vec<Move>,
}

#[derive(Serialize)]
struct Move {
    op: OpId,
    name: String,
    from: String,
    to: String,
}

/// Shares of the time limit: for the placement from scratch, for patching the old one, and for planning memory.
const FROM_SCRATCH: f64 = 0.25;
const PATCHING: f64 = 0.1;
const MEMORY: f64 = 0.65;

/// Most candidates whose memory is planned.
const MOST_PLANNED: usize = 6;

struct Problem {
    graph: Graph,
    costs: Costs,
    cluster: Cluster,
}

impl Problem {
    fn view(&self) -> Program<'_> {
        Program { graph: &self.graph, costs: &self.costs, cluster: &self.cluster }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let inputs = [args.plan.as_path(), args.devices.as_ref(), args.graph.as_path()];
    check(inputs.into_iter().chain(paths(&args.profile)), [args.output.as_path()])?;
    let cap: CapSpec = args.cap.parse().map_err(|error| Failure::BadInput(format!("--cap: {error}")))?;
    let old = read_plan(&args.plan)?;
    let in_plan = |text: String| Failure::BadInput(format!("{}: {text}", args.plan.display()));
    let alignment = carried_over(&old).map_err(in_plan)?;
    let problem = read_problem(args)?;
    let (graph, cluster) = (&problem.graph, &problem.cluster);
    let stay = kept(graph, &old, cluster).map_err(|error| in_plan(error.to_string()))?;
    if cluster.devices.iter().all(|device| old.devices.iter().all(|before| before.name != device.name)) {
        tracing::warn!("no device of the plan is left by name: everything moves");
    }
    let deadline = Deadline::after((args.time_limit > 0.0).then_some(args.time_limit));
    let partition = ballast_partition::plan(&problem.view(), &partition_options(args, cap, cluster))
        .map_err(|error| Failure::NoPlan(error.to_string()))?;
    let within = deadline.within(share(args, PATCHING).unwrap_or(f64::MAX));
    let list = candidates(graph, &problem.costs, cluster, &stay, &partition.device_of, &within);
    let moved =
        |device_of: &[DeviceId]| graph.planned().filter(|&op| stay[op] != Some(device_of[op])).count();
    let scratch = Candidate {
        moved: moved(&partition.device_of),
        slowest_seconds: partition.balance.tmax_seconds,
        device_of: partition.device_of.clone(),
    };
    let scratch_moved = scratch.moved;
    for candidate in &list {
        tracing::debug!("candidate: {} ops moved, {} s", candidate.moved, candidate.slowest_seconds);
    }
    tracing::debug!("from scratch: {} ops moved, {} s", scratch.moved, scratch.slowest_seconds);
    // Not filtered by seconds before memory is planned: recomputation may outweigh the difference.
    let list = thinned(list.into_iter().filter(|candidate| candidate.moved < scratch_moved).collect());
    let choice = choose(list, scratch, args.tolerance, |candidate| {
        plan_memory(args, (cap, alignment), &problem, candidate, &partition.report)
    })?;
    let (plan, answer) = finished(&old, &stay, &problem, choice, scratch_moved);
    write_json(&plan, Some(&args.output))?;
    write_json(&answer, None)
}

/// The alignment of the arenas of a plan, which the new one has, too; none where it has no arenas.
///
/// # Errors
/// A plan for a pipeline, whose cuts and caps are those of all its micro-batches, or arenas that are not alike.
fn carried_over(old: &Plan) -> Result<Option<u64>, String> {
    if let Some(pipeline) = &old.pipeline {
        return Err(format!(
            "the plan is for a pipeline ({}, {} micro-batches), which is cut anew where devices change: plan again with \
             `--ballast-plan` and its schedule",
            pipeline.schedule, pipeline.micro_batches
        ));
    }
    let mut alignments =
        old.stages.iter().filter_map(|stage| stage.arena.as_ref()).map(|arena| arena.alignment_bytes);
    let first = alignments.next();
    if let Some(other) = alignments.find(|&other| Some(other) != first) {
        let first = first.unwrap_or_default();
        return Err(format!(
            "the arenas of the plan have alignments of {first} and {other} bytes: plan again"
        ));
    }
    Ok(first)
}

fn share(args: &Args, part: f64) -> Option<f64> {
    (args.time_limit > 0.0).then_some(args.time_limit * part)
}

fn limits(args: &Args, part: f64) -> Limits {
    Limits {
        time_limit_seconds: share(args, part),
        work_limit: args.work_limit,
        seed: args.seed,
        threads: args.threads,
    }
}

/// As the pass partitions by default: what a plan from scratch would be.
fn partition_options(args: &Args, cap: CapSpec, cluster: &Cluster) -> ballast_partition::Options {
    ballast_partition::Options {
        method: Method::AUTO,
        limits: limits(args, FROM_SCRATCH),
        caps: cap.before_stages(cluster.devices.len()),
        ..ballast_partition::Options::default()
    }
}

fn read_problem(args: &Args) -> Result<Problem, Failure> {
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    let mut graph = graph_file::read(&args.graph)?;
    // Rules name devices by number, and the numbers are those of the old cluster.
    if graph.ops.iter().any(|op| op.rules.device.is_some()) {
        tracing::warn!("device rules of the program are not kept: device numbers have changed");
        graph.ops.iter_mut().for_each(|op| op.rules.device = None);
    }
    let profile = match &args.profile {
        None => None,
        Some(path) => Some(Profile::load(path).map_err(|error| Failure::BadInput(error.to_string()))?),
    };
    let costs = Costs::estimate(&graph, &cluster, profile.as_ref()).costs;
    Ok(Problem { graph, costs, cluster })
}

/// At most [`MOST_PLANNED`], spread evenly, the one that moves least and the fastest included.
fn thinned(list: Vec<Candidate>) -> Vec<Candidate> {
    if list.len() <= MOST_PLANNED {
        return list;
    }
    let last = list.len() - 1;
    (0..MOST_PLANNED).map(|i| list[i * last / (MOST_PLANNED - 1)].clone()).collect()
}

fn plan_memory(
    args: &Args,
    (cap, arena): (CapSpec, Option<u64>),
    problem: &Problem,
    candidate: &Candidate,
    partition: &Report,
) -> Result<PlannedCandidate<Plan>, Failure> {
    let options = ballast_planner::Options {
        cap,
        arena,
        swap: args.swap,
        limits: limits(args, MEMORY / (MOST_PLANNED + 1) as f64),
        ..ballast_planner::Options::default()
    };
    let mut report = partition.clone();
    report.value = candidate.slowest_seconds;
    // Candidates are any placements: of the bounds known, the one that holds for all of them.
    let bound = Bound::any_assignment(&problem.graph, &problem.costs);
    let mut report = report.rebound(bound).map_err(|error| Failure::Internal(error.to_string()))?;
    report.method = "replan".to_owned();
    let planned = ballast_planner::plan(&problem.view(), candidate.device_of.clone(), report, &options, None)
        .map_err(|failure| Failure::NoPlan(failure.to_string()))?;
    Ok(PlannedCandidate {
        slowest_seconds: planned.plan.balance.tmax_seconds,
        raised_caps: planned.relaxed.len(),
        plan: planned.plan,
    })
}

fn finished(
    old: &Plan,
    stay: &[Option<DeviceId>],
    problem: &Problem,
    choice: Choice<Plan>,
    scratch_moved: usize,
) -> (Plan, Answer) {
    let was: std::collections::BTreeMap<OpId, &str> = old
        .ops
        .iter()
        .filter_map(|entry| Some((entry.op, old.devices.get(entry.device.0)?.name.as_str())))
        .collect();
    let device_of = &choice.candidate.device_of;
    let moves: Vec<Move> = problem
        .graph
        .planned()
        .filter(|&op| stay[op] != Some(device_of[op]))
        .map(|op| Move {
            op,
            name: problem.graph.ops[op].name.clone(),
            from: was.get(&op).copied().unwrap_or_default().to_owned(),
            to: problem.cluster.devices[device_of[op]].name.clone(),
        })
        .collect();
    let answer = Answer {
        ops: problem.graph.planned().count(),
        moved: moves.len(),
        had_to_move: problem.graph.planned().filter(|&op| stay[op].is_none()).count(),
        old_tmax_seconds: old.balance.tmax_seconds,
        tmax_seconds: choice.outcome.slowest_seconds,
        scratch_tmax_seconds: choice.scratch_seconds,
        scratch_moved,
        moves,
    };
    let mut plan = choice.outcome.plan;
    plan.notes.push(format!(
        "moved from an earlier plan: {} of {} ops run elsewhere, {} of them because their device is gone",
        answer.moved, answer.ops, answer.had_to_move
    ));
    (plan, answer)
}
