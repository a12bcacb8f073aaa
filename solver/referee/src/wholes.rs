//! Placement and memory together, rounds and pipelines included: bounds for any assignment against the plans of all other runs and all assignments.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::limits::Limits;
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::plan::StagePlan;
use ballast_core::report::{Bound, BoundClass};
use ballast_core::stage::{settle_views, stages};
use ballast_core::units::Bytes;
use ballast_partition::sequence::Granularity;
use ballast_partition::{Method, plan as partition};
use ballast_planner::pipelined::balanced;
use ballast_planner::{Error, Options, Pipelining, Repartition, plan};
use ballast_remat::Order;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::in_full::{self, Freedom, MOST_NODES};
use crate::ledger::{Ledger, at_most};
use crate::programs::{Program, any, placed, training, waiting};
use crate::tables::every;

const SCHEDULES: [Schedule; 4] = [
    Schedule::GPipe,
    Schedule::OneForwardOneBackward,
    Schedule::Interleaved { chunks: 2 },
    Schedule::ZeroBubble,
];

/// Examines one program.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let kind = [Kind::Trains, Kind::Any, Kind::Waits][random.random_range(0..3)];
    let devices = if kind == Kind::Waits { 2 } else { random.random_range(1..4usize) };
    let graph = match kind {
        Kind::Trains => {
            let layers = random.random_range(2..6);
            training(&mut random, layers)
        }
        Kind::Any => {
            let ops = random.random_range(4..7);
            any(&mut random, ops, devices)
        }
        Kind::Waits => {
            let values = random.random_range(3..5);
            waiting(&mut random, values)
        }
    };
    let program = placed(&mut random, graph, devices);
    if program.graph.planned().count() < devices {
        return;
    }
    let mut found: Vec<Made> = Vec::new();
    for _ in 0..random.random_range(2..5) {
        let Some(run) = run(&program, &mut random, kind, ledger) else { continue };
        let Ok(planned) = run.found else { continue };
        let made = planned.plan;
        let who = run.who;
        let tmax = made.balance.tmax_seconds;
        ledger.holds(at_most(made.bound_seconds, tmax), || {
            format!("{who}: bound {} above {tmax}: {program:?}", made.bound_seconds)
        });
        ledger
            .holds(made.cap_met == made.stages.iter().all(|s| s.cap_bytes <= s.requested_cap_bytes), || {
                format!("{who}: cap_met {}", made.cap_met)
            });
        let needs =
            made.pipeline.as_ref().map(|pipeline| pipeline.stages.iter().map(|s| s.need_bytes).collect());
        let needs: Vec<u64> =
            needs.unwrap_or_else(|| made.stages.iter().map(|s| s.score.peak_bytes).collect());
        let kept = made.stages.iter().zip(&needs).all(|(stage, need)| *need <= stage.cap_bytes);
        ledger.holds(kept, || format!("{who}: {needs:?} over the caps it names"));
        let raised = |(stage, need): (&StagePlan, &u64)| {
            stage.cap_bytes <= stage.requested_cap_bytes || *need > stage.requested_cap_bytes
        };
        let raised = made.pipeline.is_none() || made.stages.iter().zip(&needs).all(raised);
        ledger.holds(raised, || format!("{who}: {needs:?} are said to need the caps that were raised"));
        let replayed = ballast_report::Facts::of(&made).map(|_| ());
        ledger
            .holds(replayed.is_ok(), || format!("{who}: its own plan is refused: {replayed:?}: {program:?}"));
        // A pipeline's stages run micro-batches of the program's ops as any other plan does; where several share a device, none of them
        // is what the device takes.
        if made.stages.len() == devices {
            let caps = made.stages.iter().map(|stage| stage.cap_bytes).collect();
            let bound = Bound::proved(made.bound_seconds, made.bound_class);
            found.push(Made { who, tmax, bound, caps, plain: run.plain });
        }
    }
    let small = program.graph.planned().count() <= if devices > 2 { 6 } else { 8 };
    let mut least = None;
    for made in &found {
        let best = match made.bound.class() {
            BoundClass::AnyAssignment => {
                let all = || program.all().iter().map(|placed| placed.tmax).fold(f64::INFINITY, f64::min);
                small.then(|| *least.get_or_insert_with(all))
            }
            BoundClass::AnyAssignmentWithinCaps => {
                small.then(|| least_within(&program, &made.caps, made.tmax))
            }
            _ => continue,
        };
        ledger.bound(made.bound, best, || format!("{}: {program:?}", made.who));
        for other in found.iter().filter(|other| made.bound_holds_for(other)) {
            ledger
                .cross(made.bound, other.tmax, || format!("{} against {}: {program:?}", made.who, other.who));
        }
    }
}

/// What programs are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Trains,
    Any,
    Waits,
}

/// A plan of a whole program.
struct Made {
    who: String,
    tmax: f64,
    bound: Bound,
    /// What every stage may hold, bytes.
    caps: Vec<u64>,
    /// Are its stages planned in program order, no pipeline and with copies in full?
    plain: bool,
}

impl Made {
    /// Is another plan one of those that the bound is for?
    fn bound_holds_for(&self, other: &Made) -> bool {
        let together = |made: &Made| made.caps.iter().sum::<u64>();
        self.bound.class() == BoundClass::AnyAssignment || other.plain && together(other) <= together(self)
    }
}

/// The least tmax of all assignments whose stages, their memory planned in program order with copies in full, keep the caps; at most `known`, which
/// one takes. Assignments with a stage too large to try all its plans are left out.
fn least_within(program: &Program, caps: &[u64], known: f64) -> f64 {
    let Program { graph, costs, cluster } = program;
    let planned: Vec<OpId> = graph.planned().collect();
    let mut best = known;
    for of in every(planned.len(), cluster.devices.len(), DeviceId) {
        let mut device_of = vec![DeviceId(0); graph.ops.len()];
        planned.iter().zip(of).for_each(|(&op, at)| device_of[op] = at);
        settle_views(graph, &mut device_of);
        let mut tmax = 0.0f64;
        for (stage, &cap) in stages(graph, costs, cluster, &device_of).iter().zip(caps) {
            let problem = &stage.problem;
            let load = stage.load_seconds();
            let swap = cluster.swap_model(&cluster.devices[stage.device], false);
            let freedom = Freedom { order: false, rounds: true };
            let lost = match problem.unplanned_peak() <= cap {
                true => Some(0.0),
                false
                    if load >= best || problem.working_set().0 > cap || problem.nodes.len() > MOST_NODES =>
                {
                    None
                }
                false => in_full::least(problem, Some(&swap), cap, freedom),
            };
            tmax = tmax.max(lost.map_or(f64::INFINITY, |lost| load + lost));
            if tmax >= best {
                break;
            }
        }
        best = best.min(tmax);
    }
    best
}

/// One search, and what it came to.
struct Run {
    who: String,
    found: Found,
    /// As in [`Made`].
    plain: bool,
}

type Found = Result<ballast_planner::Planned, Error>;

fn run(program: &Program, random: &mut ChaCha8Rng, kind: Kind, ledger: &mut Ledger) -> Option<Run> {
    let whole_devices = program.cluster.devices.len();
    let schedule = (kind == Kind::Trains && whole_devices > 1 && random.random_bool(0.6))
        .then(|| SCHEDULES[random.random_range(0..4)]);
    let chunks = schedule.map_or(1, Schedule::chunks);
    let program = &Program {
        graph: program.graph.clone(),
        costs: program.costs.divided(whole_devices, chunks),
        cluster: program.cluster.divided(chunks).ok()?,
    };
    let devices = program.cluster.devices.len();
    if program.graph.planned().count() < devices {
        return None;
    }
    let limits = Limits {
        time_limit_seconds: None,
        work_limit: Some([500, 5_000, 20_000][random.random_range(0..3)]),
        seed: random.random_range(0..3),
        threads: 1,
    };
    let first = draw_partition(random, limits, devices);
    // Stages of one device take micro-batches in groups of as many as there are devices.
    let groups = if chunks > 1 { whole_devices } else { 1 };
    let pipeline = schedule.map(|schedule| Pipelining {
        spec: Spec { schedule, micro_batches: groups * random.random_range(1..5) },
        granularity: first.granularity,
        may_idle: !first.use_all_devices,
    });
    let mut options = draw_memory(random, limits, pipeline);
    if kind == Kind::Waits {
        // Caps below what the program holds at once, and plans whose bounds they raise.
        options.cap = CapSpec::Absolute(Bytes(random.random_range(5..9)));
        (options.order, options.overlap) = (Order::Program, false);
    }
    let who = name_of(&first, &options);
    ledger.runs += 1;
    let outcome = match partition(&program.view(), &first) {
        Ok(outcome) => outcome,
        Err(error) => {
            ledger.contradicts(format!("{who}: {error}: {program:?}"));
            return None;
        }
    };
    let device_of = match options.pipeline {
        Some(pipeline) => balanced(&program.view(), pipeline, CapSpec::DeviceMemory).ok()?.device_of,
        None => outcome.device_of.clone(),
    };
    let again: &Repartition<'_> = &|again| again.ask(&program.view(), &first);
    let found = plan(&program.view(), device_of, outcome.report, &options, Some(again));
    match &found {
        Err(Error::Bound(error)) => ledger.contradicts(format!("{who}: {error}: {program:?}")),
        Err(Error::Partition(error)) if error.contains("internal") => {
            ledger.contradicts(format!("{who}: {error}: {program:?}"));
        }
        Err(Error::Stage { message, .. }) if message.contains("internal") => {
            ledger.contradicts(format!("{who}: {message}: {program:?}"));
        }
        _ => {}
    }
    let plain = options.pipeline.is_none() && options.order == Order::Program && !options.overlap;
    Some(Run { who, found, plain })
}

fn draw_partition(random: &mut ChaCha8Rng, limits: Limits, devices: usize) -> ballast_partition::Options {
    ballast_partition::Options {
        method: [Method::DP, Method::AUTO, Method::EXACT][random.random_range(0..3)],
        granularity: [Granularity::Op, Granularity::Layer][random.random_range(0..2)],
        limits,
        caps: random.random_bool(0.3).then(|| vec![Bytes(random.random_range(60..300)); devices]),
        ..ballast_partition::Options::default()
    }
}

fn draw_memory(random: &mut ChaCha8Rng, limits: Limits, pipeline: Option<Pipelining>) -> Options {
    Options {
        cap: match random.random_range(0..3) {
            0 => CapSpec::DeviceMemory,
            1 => CapSpec::Share(f64::from(random.random_range(40..110)) / 100.0),
            _ => CapSpec::Absolute(Bytes(random.random_range(60..400))),
        },
        order: if random.random_bool(0.5) { Order::Free } else { Order::Program },
        swap: random.random_bool(0.5),
        overlap: random.random_bool(0.5),
        limits,
        relax_step: 0.1,
        relax_limit: if random.random_bool(0.3) { 0.0 } else { 4.0 },
        max_ratio: 1.05,
        max_rounds: random.random_range(1..4),
        pipeline,
        ..Options::default()
    }
}

fn name_of(first: &ballast_partition::Options, options: &Options) -> String {
    format!(
        "{:?} {:?} caps={:?}, then {:?} {:?} swap={} overlap={} {:?} rounds={} relax={} work={:?}",
        first.method,
        first.granularity,
        first.caps,
        options.cap,
        options.order,
        options.swap,
        options.overlap,
        options.pipeline,
        options.max_rounds,
        options.relax_limit,
        options.limits.work_limit
    )
}
