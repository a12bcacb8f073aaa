//! Partition for a many-core chip: stages on groups of equal cores.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, CoreGroup, CoreModel, Device, DeviceId, Link};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, StopReason};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::simulate::Balance;
use ballast_core::stage::{settle_views, stages};
use ballast_core::units::Bytes;

use crate::error::Error;
use crate::judge::unread_argument_bytes;
use crate::learned::learned;
use crate::options::Method;
use crate::options::Options;
use crate::plan::Proposed;
use crate::rl::demand::Demands;
use crate::rl::environment::{Group, State};
use crate::rl::exact::{Stopped, best_grouping_while};
use crate::rl::machine::{Machine, Reward, Score, Site, speed_up};
use crate::rl::train;
use crate::rl::weighted::{TooLarge, best_weighted};
use crate::sequence::{Granularity, Sequence, sequence_order};

/// Layers the exact search takes; a longer sequence is cut in runs.
const MOST_LAYERS: usize = 256;
/// Layers times cores up to which demands bound a sequence that was cut in runs.
const MOST_DEMANDS: usize = 1 << 16;

/// A partition over the cores of a chip.
#[derive(Clone, Debug, PartialEq)]
pub struct ChipOutcome {
    /// The stage of every op; views and constants carry that of their first reader.
    pub stage_of: Vec<DeviceId>,
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
    /// What the learner found by itself, where it ran.
    pub proposed: Option<Proposed>,
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
    let ground = Ground::of(graph, seconds, chip, model, options);
    let spread = State::spread(ground.layers.len(), model.count)
        .ok_or_else(|| Error::NoOps { function: graph.name.clone() })?;
    let mut notes = Vec::new();
    let answer = best_grouping_while(&ground.machine, &mut || !deadline.over());
    let stop_reason =
        if matches!(answer, Err(Stopped)) { StopReason::TimeLimit } else { StopReason::Finished };
    let exact = answer.unwrap_or_default();
    let (state, method) = match &exact {
        Some((state, _)) => (state.clone(), "dp"),
        None if stop_reason == StopReason::TimeLimit => {
            notes.push(
                "the time was over before the best grouping was found: the layers are spread evenly".into(),
            );
            (spread.clone(), "spread")
        }
        None => {
            notes.push(format!(
                "no grouping of {} cores keeps every stage within {} per core",
                model.count, model.memory_per_core
            ));
            (spread.clone(), "spread")
        }
    };
    let score = ground.machine.score(&state);
    let mut found = Found { state, score, method, stop_reason, work: 0, proposed: None };
    // The dynamic programme over core groups is exact: what it cannot do is left for the others.
    let is_open = exact.is_none() && stop_reason == StopReason::Finished;
    if options.method == Method::RL || options.method == Method::AUTO && is_open {
        learn(&ground.machine, spread, options, &deadline, &mut found, &mut notes)?;
    }
    let bound = ground.bound(exact.as_ref().map(|(_, value)| *value));
    let search = SearchStats {
        method: found.method.into(),
        stop_reason: found.stop_reason,
        seconds: deadline.elapsed_seconds(),
        work: found.work,
        seed: options.limits.seed,
    };
    let report = Report::new(found.score.tmax_seconds, bound, search)?;
    let mut outcome = ground.describe(found, report, notes);
    if exact.is_some() {
        outcome.note_program_order(graph);
    }
    Ok(outcome)
}

/// What is placed, and on what.
struct Ground<'a> {
    graph: &'a Graph,
    seconds: &'a [f64],
    chip: &'a Device,
    model: &'a CoreModel,
    ops: Sequence,
    /// Ops, or layers of the program.
    items: Sequence,
    /// Runs of items, where these are too many.
    layers: Sequence,
    machine: Machine,
}

impl<'a> Ground<'a> {
    fn of(
        graph: &'a Graph,
        seconds: &'a [f64],
        chip: &'a Device,
        model: &'a CoreModel,
        options: &Options,
    ) -> Self {
        let costs = Costs { seconds: vec![seconds.to_vec()] };
        let mut ops = Sequence::of_ops(graph, &costs, sequence_order(graph, options.order));
        if let Some(first) = ops.resident.first_mut() {
            *first = first.saturating_add(unread_argument_bytes(graph).0);
        }
        let starts = match options.granularity {
            Granularity::Op => (0..ops.len()).collect(),
            Granularity::Layer => ops.layer_starts(graph),
        };
        let items = ops.grouped(&starts);
        let layers = items.grouped(&items.run_starts(MOST_LAYERS));
        let machine = if layers.len() < items.len() {
            Machine::new(&layers, Site::chip(model))
        } else {
            Machine::of_runs(&ops, &starts, Site::chip(model))
        };
        Ground { graph, seconds, chip, model, ops, items, layers, machine }
    }

    /// The bound beside the best grouping, if there is one. Runs of layers hide cuts: the bound then is one over the layers themselves.
    fn bound(&self, best_grouping: Option<f64>) -> Bound {
        let coarse = self.layers.len() < self.items.len();
        match (best_grouping, coarse) {
            (Some(value), false) => Bound::proved(value, BoundClass::CoreGroups),
            (None, false) => Bound::proved(self.machine.ideal_seconds(), BoundClass::AnyGrouping),
            (_, true) => Bound::proved(layers_bound(&self.items, self.model), BoundClass::AnyGrouping),
        }
    }

    fn describe(&self, found: Found, report: Report, notes: Vec<String>) -> ChipOutcome {
        let Ground { graph, chip, model, .. } = *self;
        let groups: Vec<Group> = found.state.groups().collect();
        let mut stage_of = vec![DeviceId(0); graph.ops.len()];
        let (mut devices, mut rows, mut stage_seconds) = (Vec::new(), Vec::new(), Vec::new());
        for (stage, &group) in groups.iter().enumerate() {
            for &op in &self.layers.ops[self.layers.starts[group.first]..self.layers.starts[group.end]] {
                stage_of[op] = DeviceId(stage);
            }
            let first_core = group.core + 1 - group.cores;
            let factor = speed_up(model, group.cores);
            stage_seconds.push(self.machine.seconds(group));
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
            rows.push(self.seconds.iter().map(|s| s / factor).collect());
        }
        settle_views(graph, &mut stage_of);
        debug_assert_eq!(found.score.stages, groups.len());
        ChipOutcome {
            stage_of,
            balance: Balance::of(stage_seconds, 0),
            cluster: Cluster {
                devices,
                default_link: Link { bytes_per_second: f64::MAX, latency_seconds: 0.0 },
                links: Vec::new(),
                host_memory: None,
            },
            costs: Costs { seconds: rows },
            sequence: self.ops.ops.clone(),
            report,
            proposed: found.proposed,
            notes,
        }
    }
}

/// The best grouping so far, and how it was found.
struct Found {
    state: State,
    score: Score,
    method: &'static str,
    stop_reason: StopReason,
    work: u64,
    proposed: Option<Proposed>,
}

/// Lets the learner try, and where the reward has weights the exact search for it before.
fn learn(
    machine: &Machine,
    spread: State,
    options: &Options,
    deadline: &Deadline,
    found: &mut Found,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let weighted = options.rl.reward != Reward::MaxTime;
    // One stage on all cores is often the fastest grouping, and has no route to measure others by.
    let start = if options.rl.from_spread || weighted { spread } else { found.state.clone() };
    let goal = options.rl.goal(machine.ideal_seconds(), machine.score(&start));
    if weighted {
        match best_weighted(machine, &goal, &found.score, &mut || !deadline.over()) {
            Ok(Some(state)) => {
                (found.score, found.state, found.method) = (machine.score(&state), state, "dp-weighted");
            }
            Ok(None) => {}
            Err(TooLarge) => notes.push(
                "too many groupings to find the best one by the weighted reward exactly: the learner's best stands".into(),
            ),
        }
    }
    let run = train::run(machine, &start, &options.rl, &options.limits, deadline, |_| {});
    let Some(answer) = learned(run, notes)? else { return Ok(()) };
    (found.stop_reason, found.work) = (answer.stop_reason, answer.steps);
    let of_learner = answer.best.score;
    if goal.better(&of_learner, &found.score) {
        (found.state, found.score, found.method) = (answer.best.state, of_learner, "rl");
    }
    let (cost, least) = (goal.cost(&of_learner), goal.cost(&found.score));
    found.proposed = Some(Proposed {
        method: "rl",
        tmax_seconds: of_learner.tmax_seconds,
        over_answer: if least > 0.0 { cost / least } else { 1.0 },
    });
    Ok(())
}

impl ChipOutcome {
    /// The sequence may have another order than the program, in which the stages run unless their memory is planned.
    fn note_program_order(&mut self, graph: &Graph) {
        let stages = stages(graph, &self.costs, &self.cluster, &self.stage_of);
        for (stage, group) in stages.iter().zip(&self.cluster.devices) {
            let peak = stage.problem.unplanned_peak();
            if peak > group.memory.0 {
                self.notes.push(format!(
                    "stage {} needs {} in program order, and {} has {}: its memory has to be planned",
                    stage.device,
                    Bytes(peak),
                    group.name,
                    group.memory
                ));
            }
        }
    }
}

/// No run of layers on a group of cores is faster than all computation shared perfectly, nor than the largest layer on everything
/// there is; where layers and cores are few enough, nor than their demands allow.
fn layers_bound(layers: &Sequence, model: &CoreModel) -> f64 {
    let speed_up: Vec<f64> = (1..=model.count).map(|cores| speed_up(model, cores)).collect();
    let prefix = layers.prefix_seconds().into_iter().next().unwrap_or_else(|| vec![0.0]);
    let per_core = (1..).zip(&speed_up).map(|(cores, speed)| speed / f64::from(cores)).fold(0.0, f64::max);
    let fastest = speed_up.iter().copied().fold(1.0, f64::max);
    let largest = prefix.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let total = prefix.last().copied().unwrap_or(0.0);
    let shared = (total / (per_core * model.count as f64)).max(largest / fastest);
    if layers.len().saturating_mul(model.count) > MOST_DEMANDS {
        return shared;
    }
    Demands::new(speed_up, prefix, model.count).bound_seconds(shared)
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
