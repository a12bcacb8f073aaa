//! `ballast replan`: a plan moved to devices that changed, with as few ops moved as it takes.

mod in_use;

use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::plan::Plan;
use ballast_core::predictor::Counting;
use ballast_core::profile::Profile;
use ballast_core::program::Program;
use ballast_core::report::{Bound, Report};
use ballast_partition::Method;
use ballast_planner::replan::{Candidate, Choice, PlannedCandidate, candidates, choose, kept};
use ballast_remat::Order;
use serde::Serialize;

use crate::failure::{Failure, note};
use crate::graph_file;
use crate::output::{check, paths, write_json};
use crate::ranges::{duration, factor, threads};
use crate::report::read_plan;
use in_use::{InUse, priced};

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
    /// Do copies run beside computation? None: where those of the plan in use do.
    #[arg(long)]
    overlap: Option<bool>,
    /// Order of first runs: program, or free; none: free where a device of the plan in use runs its ops in another order than the program's.
    #[arg(long)]
    order: Option<Order>,
    /// How operations are counted: 2mac (two per multiply-add) or exact (k multiplications and k-1 additions per dot product of length
    /// k); none: as more of the times of the plan in use are.
    #[arg(long, value_parser = counting)]
    count: Option<Counting>,
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

/// A counting by the name that the passes have for it.
fn counting(text: &str) -> Result<Counting, String> {
    match text {
        "2mac" => Ok(Counting::Fused),
        "exact" => Ok(Counting::Exact),
        _ => Err(format!("'{text}' is no counting: choose 2mac or exact")),
    }
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

/// Share of the time limit that must be left for a second look.
const LEAST_LOOK: f64 = 0.2;

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
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    let in_use = InUse::of(&old, &cluster).map_err(in_plan)?;
    let graph = read_graph(args)?;
    let stay = kept(&graph, &old, &cluster).map_err(|error| in_plan(error.to_string()))?;
    let costs = read_costs(args, &old, &graph, &cluster)?;
    let problem = Problem { graph, costs, cluster };
    let cluster = &problem.cluster;
    if cluster.devices.iter().all(|device| old.devices.iter().all(|before| before.name != device.name)) {
        note("no device of the plan is left by name: everything moves");
    }
    let looks = Looks { args, problem: &problem, stay: &stay, cap, in_use: &in_use };
    let deadline = Deadline::after((args.time_limit > 0.0).then_some(args.time_limit));
    let mut found = looks.look((args.time_limit > 0.0).then_some(args.time_limit), None)?;
    if let Some(seconds) = another_look(args, &deadline, found.is_settled()) {
        // Whatever it fails with, there is an answer.
        match looks.look(Some(seconds), Some(&found)) {
            Ok(other) if other.is_better_than(&found) => found = other,
            Ok(_) => {}
            Err(failure) => tracing::debug!("second look: {}", failure.message()),
        }
    }
    // Of caps that were raised; what the answer says besides is not to be warned of.
    for text in &found.choice.outcome.plan.notes {
        note(text);
    }
    let (plan, answer) = finished(&old, &stay, &problem, found.choice, found.scratch_moved);
    write_json(&plan, Some(&args.output))?;
    write_json(&answer, None)
}

/// Seconds of the time limit that are left for another look; none where they are too few, or there is nothing to look for.
fn another_look(args: &Args, deadline: &Deadline, is_settled: bool) -> Option<f64> {
    let left = deadline.remaining_seconds();
    let is_worth_it = !is_settled && args.time_limit > 0.0 && left >= LEAST_LOOK * args.time_limit;
    is_worth_it.then_some(left)
}

/// What every look for a plan has in common.
struct Looks<'a> {
    args: &'a Args,
    problem: &'a Problem,
    /// Where each op may stay.
    stay: &'a [Option<DeviceId>],
    cap: CapSpec,
    in_use: &'a InUse,
}

/// What a look came to.
struct Found {
    choice: Choice<Plan>,
    /// Ops the placement from scratch would have moved.
    scratch_moved: usize,
    /// The placement from scratch.
    scratch: Vec<DeviceId>,
    /// Is it proved that none is faster?
    proved: bool,
}

impl Found {
    /// No placement is faster, or the plan in use stays as it is.
    fn is_settled(&self) -> bool {
        self.proved || self.choice.candidate.moved == 0
    }

    /// The plan from scratch says what is possible: where that is faster, what was taken before may be too slow.
    fn is_better_than(&self, other: &Self) -> bool {
        self.choice.outcome.raised_caps <= other.choice.outcome.raised_caps
            && self.choice.scratch_seconds < other.choice.scratch_seconds
            && self.choice.outcome.slowest_seconds <= other.choice.outcome.slowest_seconds
    }
}

impl Looks<'_> {
    /// A placement from scratch, what lies between that and the old one, and of these the one to move to, all in so many seconds. A
    /// second look goes on from what the `first` found.
    fn look(&self, seconds: Option<f64>, first: Option<&Found>) -> Result<Found, Failure> {
        let Problem { graph, costs, cluster } = self.problem;
        let share = |part: f64| seconds.map(|seconds| seconds * part);
        let deadline = Deadline::after(seconds);
        let mut options = partition_options(self.args, share(FROM_SCRATCH), self.cap, cluster);
        if let Some(first) = first {
            options.start = Some(first.scratch.clone());
            options.limits.seed = options.limits.seed.wrapping_add(1);
        }
        let partition = ballast_partition::plan(&self.problem.view(), &options)
            .map_err(|error| Failure::NoPlan(error.to_string()))?;
        let within = deadline.within(share(PATCHING).unwrap_or(f64::MAX));
        let list = candidates(graph, costs, cluster, self.stay, &partition.device_of, &within);
        let moved = |device_of: &[DeviceId]| {
            graph.planned().filter(|&op| self.stay[op] != Some(device_of[op])).count()
        };
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
        let mut list =
            thinned(list.into_iter().filter(|candidate| candidate.moved < scratch_moved).collect());
        list.extend(first.map(|first| first.choice.candidate.clone()));
        list.sort_by_key(|candidate| candidate.moved);
        let limit = share(MEMORY / (list.len().max(MOST_PLANNED) + 1) as f64);
        let choice = choose(list, scratch, self.args.tolerance, |candidate| {
            self.plan_memory(candidate, &partition.report, limit)
        })?;
        let proved = partition.report.stop_reason == StopReason::Proved;
        Ok(Found { choice, scratch_moved, scratch: partition.device_of, proved })
    }

    fn plan_memory(
        &self,
        candidate: &Candidate,
        partition: &Report,
        seconds: Option<f64>,
    ) -> Result<PlannedCandidate<Plan>, Failure> {
        let options = ballast_planner::Options {
            cap: self.cap,
            arena: self.in_use.alignment,
            swap: self.args.swap,
            overlap: self.args.overlap.unwrap_or(self.in_use.overlap),
            order: self.args.order.unwrap_or(self.in_use.order),
            in_use: self.in_use.starts.clone(),
            limits: limits(self.args, seconds),
            ..ballast_planner::Options::default()
        };
        let mut report = partition.clone();
        report.value = candidate.slowest_seconds;
        // Candidates are any placements: of the bounds known, the one that holds for all of them.
        let bound = Bound::any_assignment(&self.problem.graph, &self.problem.costs);
        let mut report = report.rebound(bound).map_err(|error| Failure::Internal(error.to_string()))?;
        report.method = "replan".to_owned();
        let planned =
            ballast_planner::plan(&self.problem.view(), candidate.device_of.clone(), report, &options, None)
                .map_err(|failure| Failure::NoPlan(failure.to_string()))?;
        Ok(PlannedCandidate {
            slowest_seconds: planned.plan.balance.tmax_seconds,
            raised_caps: planned.relaxed.len(),
            plan: planned.plan,
        })
    }
}

fn limits(args: &Args, time_limit_seconds: Option<f64>) -> Limits {
    Limits { time_limit_seconds, work_limit: args.work_limit, seed: args.seed, threads: args.threads }
}

/// As the pass partitions by default: what a plan from scratch would be.
fn partition_options(
    args: &Args,
    seconds: Option<f64>,
    cap: CapSpec,
    cluster: &Cluster,
) -> ballast_partition::Options {
    ballast_partition::Options {
        method: Method::AUTO,
        limits: limits(args, seconds),
        caps: cap.before_stages(cluster.devices.len()),
        ..ballast_partition::Options::default()
    }
}

fn read_graph(args: &Args) -> Result<Graph, Failure> {
    let mut graph = graph_file::read(&args.graph)?;
    // Rules name devices by number, and the numbers are those of the old cluster.
    if graph.ops.iter().any(|op| op.rules.device.is_some()) {
        note("device rules of the program are not kept: device numbers have changed");
        graph.ops.iter_mut().for_each(|op| op.rules.device = None);
    }
    Ok(graph)
}

fn read_costs(args: &Args, old: &Plan, graph: &Graph, cluster: &Cluster) -> Result<Costs, Failure> {
    let profile = match &args.profile {
        None => None,
        Some(path) => Some(Profile::load(path).map_err(|error| Failure::BadInput(error.to_string()))?),
    };
    let priced = priced(old, (graph, cluster), profile.as_ref(), args.count);
    if priced.differing > 0 {
        note(&format!(
            "{} of {} ops take another time here than in the plan: their devices have changed, or the plan was made \
             with another profile (--profile)",
            priced.differing, priced.compared
        ));
    }
    Ok(priced.costs)
}

/// At most [`MOST_PLANNED`], spread evenly, the one that moves least and the fastest included.
fn thinned(list: Vec<Candidate>) -> Vec<Candidate> {
    if list.len() <= MOST_PLANNED {
        return list;
    }
    let last = list.len() - 1;
    (0..MOST_PLANNED).map(|i| list[i * last / (MOST_PLANNED - 1)].clone()).collect()
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn what_the_first_look_leaves_is_used() {
        let args = |limit: &str| {
            let line =
                ["replan", "p.json", "d.toml", "--graph", "g.json", "-o", "n.json", "--time-limit", limit];
            Line::parse_from(line).args
        };
        let left = |limit: &str, is_settled: bool, rest: f64| {
            another_look(&args(limit), &Deadline::after(Some(rest)), is_settled)
        };
        // Of 4000 s, 1400 are left: as many are taken. Less than a fifth is too little.
        assert!(left("4000", false, 1400.0).is_some_and(|seconds| seconds > 1390.0 && seconds <= 1400.0));
        assert_eq!(left("4000", false, 790.0), None);
        assert_eq!(left("4000", true, 1400.0), None, "no placement is faster, or all stays");
        let endless = another_look(&args("0"), &Deadline::after(None), false);
        assert_eq!(endless, None, "without a time limit the answer is the same everywhere");
    }
}
