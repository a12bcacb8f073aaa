//! Partition for a many-core chip: stages on groups of equal cores.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, CoreGroup, CoreModel, Device, Link};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, StopReason};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::simulate::Balance;
use ballast_core::stage::settle_travellers;
use ballast_core::units::Bytes;

use crate::plan::{Error, Method, Options, learned};
use crate::rl::environment::{Group, State};
use crate::rl::exact::best_grouping;
use crate::rl::machine::{Machine, Score, Site, speed_up};
use crate::rl::train;
use crate::sequence::{Granularity, Sequence, sequence_order};

/// Layers the exact search takes; a longer sequence is cut in runs.
const MOST_LAYERS: usize = 256;

/// A partition over the cores of a chip.
#[derive(Clone, Debug, PartialEq)]
pub struct ChipOutcome {
    /// The stage of every op; views and constants carry that of their first reader.
    pub stage_of: Vec<usize>,
    /// Each group of cores as a device, in order of the stages, for the judge and the memory planner: its memory is that of its cores, transfers
    /// on the chip take no time.
    pub cluster: Cluster,
    /// Seconds of every op on every group.
    pub costs: Costs,
    /// The op sequence that was cut.
    pub sequence: Vec<OpId>,
    /// Slowest and fastest stage.
    pub balance: Balance,
    /// Value (slowest stage, seconds), bound, method.
    pub report: Report,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Partitions a program over the cores of one chip. `seconds[op]` is the time of an op on one core.
///
/// The number of stages is free, from one to the smaller of layers and cores; every core is used.
///
/// # Errors
/// Input that makes no sense. A memory no grouping keeps to is no error but a note.
pub fn plan_chip(
    graph: &Graph,
    seconds: &[f64],
    chip: &Device,
    model: &CoreModel,
    options: &Options,
) -> Result<ChipOutcome, Error> {
    let deadline = Deadline::start(&options.limits);
    check(graph, seconds, model)?;
    let costs = Costs { seconds: vec![seconds.to_vec()] };
    let ops = Sequence::of_ops(graph, &costs, sequence_order(graph, options.order));
    let mut notes = Vec::new();
    let starts = match options.granularity {
        Granularity::Op => (0..ops.len()).collect(),
        Granularity::Layer => ops.layer_starts(graph),
    };
    let items = ops.grouped(&starts);
    let runs = items.run_starts(MOST_LAYERS);
    let coarse = runs.len() < items.len();
    let layers = items.grouped(&runs);
    let machine = if coarse {
        Machine::new(&layers, Site::chip(model))
    } else {
        Machine::of_runs(&ops, &starts, Site::chip(model))
    };
    let spread = State::spread(layers.len(), model.count)
        .ok_or_else(|| Error::NoOps { function: graph.name.clone() })?;
    let exact = best_grouping(&machine);
    let ideal = machine.ideal_seconds();
    let (mut best, mut method) = match &exact {
        Some((state, _)) => (state.clone(), "dp"),
        None => {
            notes.push(format!(
                "no grouping of {} cores keeps every stage within {} per core",
                model.count, model.memory_per_core
            ));
            (spread, "spread")
        }
    };
    let mut score = machine.score(&best);
    let mut stop_reason = StopReason::Finished;
    let mut work = 0;
    let run_learner = match options.method {
        // The dynamic programme over core groups is exact.
        Method::Dp | Method::Exact => false,
        Method::Rl => true,
        Method::Auto => exact.is_none(),
    };
    if run_learner {
        let run = train::run(&machine, &best, &options.rl, &options.limits, &deadline, |_| {});
        if let Some(answer) = learned(run, &mut notes)? {
            (stop_reason, work) = (answer.stop_reason, answer.steps);
            if crate::rl::classical::better(&answer.best.score, &score) {
                (best, score, method) = (answer.best.state, answer.best.score, "rl");
            }
        }
    }
    // Runs of layers hide cuts: the bound then is the one that holds for every grouping.
    let bound = match (&exact, coarse) {
        (Some((_, value)), false) => Bound::proved(*value, BoundClass::CoreGroups),
        _ => Bound::proved(ideal, BoundClass::AnyGrouping),
    };
    let search = SearchStats {
        method: method.into(),
        stop_reason,
        seconds: deadline.elapsed_seconds(),
        work,
        seed: options.limits.seed,
    };
    let report = Report::new(score.tmax_seconds, bound, search)?;
    Ok(describe(graph, seconds, chip, model, &machine, &layers, &best, score, report, notes, &ops))
}

fn check(graph: &Graph, seconds: &[f64], model: &CoreModel) -> Result<(), Error> {
    if model.count == 0 {
        return Err(Error::NoDevice);
    }
    if seconds.len() != graph.ops.len() {
        return Err(Error::Shape(format!("{} costs for {} ops", seconds.len(), graph.ops.len())));
    }
    if let Some(op) = seconds.iter().position(|s| !(s.is_finite() && *s >= 0.0)) {
        return Err(Error::Shape(format!(
            "op {op} ('{}') costs {} s: costs are finite and not negative",
            graph.ops[op].name, seconds[op]
        )));
    }
    if model.speed_up.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(Error::Shape("every speed-up of the core model is above 0".into()));
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the parts of one answer, put together in one place")]
fn describe(
    graph: &Graph,
    seconds: &[f64],
    chip: &Device,
    model: &CoreModel,
    machine: &Machine,
    layers: &Sequence,
    best: &State,
    score: Score,
    report: Report,
    notes: Vec<String>,
    ops: &Sequence,
) -> ChipOutcome {
    let groups: Vec<Group> = best.groups().collect();
    let mut stage_of = vec![0; graph.ops.len()];
    let (mut devices, mut rows, mut stage_seconds) = (Vec::new(), Vec::new(), Vec::new());
    for (stage, &group) in groups.iter().enumerate() {
        for &op in &layers.ops[layers.starts[group.first]..layers.starts[group.end]] {
            stage_of[op] = stage;
        }
        let first_core = group.core + 1 - group.cores;
        let factor = speed_up(model, group.cores);
        stage_seconds.push(machine.seconds(group));
        devices.push(Device {
            name: match group.cores {
                1 => format!("{} core {first_core}", chip.name),
                _ => format!("{} cores {first_core}-{}", chip.name, group.core),
            },
            memory: Bytes(model.memory_per_core.0.saturating_mul(group.cores as u64)),
            cores: None,
            group: Some(CoreGroup { cores: group.cores, speed_up: factor }),
            ..chip.clone()
        });
        rows.push(seconds.iter().map(|s| s / factor).collect());
    }
    settle_travellers(graph, &mut stage_of);
    debug_assert_eq!(score.stages, groups.len());
    ChipOutcome {
        stage_of,
        balance: Balance::of(stage_seconds, 0),
        cluster: Cluster {
            devices,
            default_link: Link { bandwidth: f64::MAX, latency_seconds: 0.0 },
            links: Vec::new(),
            host_memory: None,
        },
        costs: Costs { seconds: rows },
        sequence: ops.ops.clone(),
        report,
        notes,
    }
}
