//! `ballast judge`: scores anybody's plan of an instance, a program or a workload, by the judge that Ballast's own plans pass.

use std::path::PathBuf;

use ballast_core::arena;
use ballast_core::graph::OpId;
use ballast_core::instance::WrittenPlan;
use ballast_core::memory::{NodeId, Problem, Schedule, SwapModel, live_intervals, replay};
use ballast_core::plan::ArenaPlan;
use ballast_core::units::{Bytes, told_apart};
use ballast_dag::assignment::AssignmentFile;
use ballast_dag::check::check;
use ballast_dag::problem::PlanClass;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::instance::{Given, Input, Kind};
use crate::output;
use crate::search_args::HostLinkArgs;

/// Arguments of `ballast judge`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What was planned: a memory-planning instance, a program's graph file, or a workload (JSON; `ballast schema` prints the
    /// forms).
    instance: PathBuf,
    /// The plan: `{"steps": [["compute", 0], ...]}` for an instance or a graph, `{"assignment": {"node": device, ...}}` for a
    /// workload.
    plan: PathBuf,
    /// Bytes the device may hold at any moment; without it the peak is reported and not judged.
    #[arg(long)]
    budget: Option<Bytes>,
    #[command(flatten)]
    link: HostLinkArgs,
    /// The device a graph runs on: a kind, or a device file (its first device); without it the default device.
    #[arg(long)]
    device: Option<String>,
    /// The devices of a workload's plan may wait for each other in any order.
    #[arg(long)]
    any: bool,
}

/// What a memory plan amounts to.
#[derive(Serialize)]
struct MemoryVerdict {
    /// Time of the plan: in the instance's unit, or seconds where there is a rate; of a graph, seconds.
    value: f64,
    overhead_percent: f64,
    recompute_time: f64,
    exposed_swap_time: f64,
    peak_bytes: u64,
    peak_node: Option<NodeId>,
    unplanned_peak_bytes: u64,
    /// No plan needs less.
    working_set_bytes: u64,
    host_peak_bytes: u64,
    swap_bytes: u64,
    recomputes: usize,
}

/// What an assignment amounts to.
#[derive(Serialize)]
struct PartitionVerdict {
    /// The largest load.
    value: f64,
    loads: Vec<f64>,
    bytes: Vec<f64>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.link.check()?;
    let plan = output::read_text(&args.plan)?;
    let given = Given::read(&args.instance)?;
    args.link.check_for(given.kind)?;
    let refuse = |text: &str| Err(Failure::BadInput(text.into()));
    if given.kind == Kind::Workload {
        if args.budget.is_some() {
            return refuse(
                "--budget is for plans of one device's memory: a workload says what its devices hold",
            );
        }
        if args.device.is_some() {
            return refuse("--device is for graphs: a workload says what its devices do");
        }
        let workload = given.workload()?;
        let class = if args.any { PlanClass::Free } else { PlanClass::Contiguous };
        let in_plan = |text: String| Failure::NoPlan(format!("{}: {text}", args.plan.display()));
        let file = AssignmentFile::read(&plan).map_err(|text| unusable(args, &text))?;
        let assignment = file.of(&workload).map_err(in_plan)?;
        let verdict = check(&workload, class, &assignment).map_err(|error| in_plan(error.to_string()))?;
        let verdict =
            PartitionVerdict { value: verdict.max_load, loads: verdict.loads, bytes: verdict.bytes };
        return output::write_json(&verdict, None);
    }
    if args.any {
        return refuse("--any is for plans of a workload: here there is one device");
    }
    let Input { problem, link, .. } = given.input(args.link.rate, args.device.as_deref())?;
    let in_plan = |text: String| Failure::NoPlan(format!("{}: {text}", args.plan.display()));
    let written = WrittenPlan::parse(&plan).map_err(|text| unusable(args, &text))?;
    let schedule = written.schedule(&problem).map_err(in_plan)?;
    let arena = arena_of(&plan).map_err(|text| unusable(args, &text))?;
    let swap = args.link.model(link);
    let verdict =
        memory(&problem, &schedule, arena.as_ref(), (swap.as_ref(), args.budget)).map_err(in_plan)?;
    output::write_json(&verdict, None)
}

/// A plan file that is none, which nothing was judged of.
fn unusable(args: &Args, text: &str) -> Failure {
    Failure::BadInput(format!("{}: {text}", args.plan.display()))
}

fn memory(
    problem: &Problem,
    schedule: &Schedule,
    arena: Option<&ArenaPlan>,
    (swap, budget): (Option<&SwapModel>, Option<Bytes>),
) -> Result<MemoryVerdict, String> {
    let judged = replay(problem, schedule, swap, budget.map(|bytes| bytes.0))
        .map_err(|error| format!("the plan is wrong: {error}"))?;
    if let Some(arena) = arena {
        check_arena(arena, problem, schedule, (swap, budget))?;
    }
    let total = problem.total_time();
    Ok(MemoryVerdict {
        value: judged.time,
        overhead_percent: if total > 0.0 { 100.0 * (judged.time / total - 1.0) } else { 0.0 },
        recompute_time: judged.recompute_time,
        exposed_swap_time: judged.exposed_swap_time,
        peak_bytes: judged.peak_bytes,
        peak_node: judged.peak_node,
        unplanned_peak_bytes: problem.unplanned_peak(),
        working_set_bytes: problem.working_set().0,
        host_peak_bytes: judged.host_peak_bytes,
        swap_bytes: judged.swap_bytes,
        recomputes: judged.recomputes,
    })
}

/// The arena that a plan says, where it says one.
fn arena_of(plan: &str) -> Result<Option<ArenaPlan>, String> {
    #[derive(Deserialize)]
    struct WithArena {
        arena: Option<ArenaPlan>,
    }
    let file: WithArena = serde_json::from_str(plan).map_err(|error| format!("its arena: {error}"))?;
    Ok(file.arena)
}

/// Checks that the arena holds what the schedule does at every step, and keeps the budget.
fn check_arena(
    arena: &ArenaPlan,
    problem: &Problem,
    schedule: &Schedule,
    (swap, budget): (Option<&SwapModel>, Option<Bytes>),
) -> Result<(), String> {
    let stays = live_intervals(problem, schedule, swap, budget.map(|bytes| bytes.0))
        .map_err(|error| format!("the plan is wrong: {error}"))?;
    arena::check(arena, problem, &stays, |node| OpId(node.0)).map_err(|error| {
        // Copies that run beside others are waited for where the budget is short.
        let other = if budget.is_none() && swap.is_some_and(|swap| swap.overlap) {
            "; judged without --budget, and an arena is for the one it was made under"
        } else {
            ""
        };
        format!("{error}{other}")
    })?;
    let held = problem.resident_bytes.saturating_add(arena.arena_bytes);
    match budget.filter(|&budget| held > budget.0) {
        Some(budget) => {
            let [held, budget] = told_apart([Bytes(held), budget]);
            Err(format!("its arena and what is resident take {held}, above the budget of {budget}"))
        }
        None => Ok(()),
    }
}
