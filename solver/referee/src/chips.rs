//! Ops of a program over the cores of a chip: against all groupings.

use ballast_core::cost::Costs;
use ballast_core::device::{CoreModel, DeviceId};
use ballast_core::graph::OpId;
use ballast_core::limits::Limits;
use ballast_core::report::BoundClass;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::chip::plan_chip;
use ballast_partition::sequence::{Granularity, Order, Sequence, sequence_order};
use ballast_partition::{Method, Options};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ledger::Ledger;
use crate::programs::{Program, any, placed};

/// Examines one program on one chip.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let ops = random.random_range(2..8);
    let graph = any(&mut random, ops, 1);
    // Two devices, so that what does not belong to a stage lies elsewhere.
    let program = placed(&mut random, graph, 2);
    let cores = random.random_range(1..5);
    let speed_up: Vec<f64> = match random.random_range(0..3) {
        0 => Vec::new(),
        1 => (1..=cores).map(|count| (count as f64).sqrt()).collect(),
        _ => (1..=cores).map(|count| count as f64 * 0.9).collect(),
    };
    let memory = if random.random_bool(0.5) { 1 << 30 } else { random.random_range(20..300) };
    let model = CoreModel { count: cores, memory_per_core: Bytes(memory), speed_up };
    let mut values = Vec::new();
    for granularity in [Granularity::Op, Granularity::Layer] {
        let options = Options {
            method: [Method::DP, Method::EXACT][random.random_range(0..2)],
            granularity,
            order: [Order::Program, Order::Memory][random.random_range(0..2)],
            limits: Limits { time_limit_seconds: None, ..Limits::default() },
            ..Options::default()
        };
        ledger.runs += 1;
        let seconds = &program.costs.seconds[0];
        let chip = &program.cluster.devices[0];
        let outcome = match plan_chip(&program.graph, seconds, chip, &model, &options) {
            Ok(outcome) => outcome,
            Err(error) => {
                ledger.contradicts(format!("{options:?}: {error}: {program:?}"));
                continue;
            }
        };
        let groups = stages(&program.graph, &outcome.costs, &outcome.cluster, &outcome.stage_of);
        let over = groups.iter().zip(&outcome.cluster.devices).find(|(stage, group)| {
            stage.problem.unplanned_peak() > group.memory.0 && outcome.notes.is_empty()
        });
        ledger.holds(over.is_none(), || {
            format!("{options:?}: a group over its memory, and no word about it: {model:?} {program:?}")
        });
        let bound = outcome.report.bound();
        let layers = Layers::new(&program, &options);
        let least = match (bound.class(), options.order) {
            (BoundClass::CoreGroups, Order::Program) => Some(layers.best_runs(&model, true)),
            // What runs of another order than the program's need is not known here.
            (BoundClass::CoreGroups, Order::Memory) => None,
            _ => Some(layers.best_runs(&model, false)),
        };
        ledger.bound(bound, least, || format!("{options:?}: {model:?} {program:?}"));
        values.push((options.order, outcome.report.proved(), bound, outcome.report.value));
    }
    if let [ops, layers] = &values[..]
        && ops.0 == layers.0
        && layers.2.class() == BoundClass::CoreGroups
    {
        ledger.ladders += 1;
        ledger.cross(ops.2, layers.3, || format!("layers against ops, {values:?}: {model:?} {program:?}"));
    }
}

/// The layers of a program by which a chip is divided.
struct Layers<'a> {
    program: &'a Program,
    items: Sequence,
    ops: Vec<OpId>,
    starts: Vec<usize>,
}

impl<'a> Layers<'a> {
    fn new(program: &'a Program, options: &Options) -> Self {
        let costs = Costs { seconds: vec![program.costs.seconds[0].clone()] };
        let ops = Sequence::of_ops(&program.graph, &costs, sequence_order(&program.graph, options.order));
        let starts = match options.granularity {
            Granularity::Op => (0..ops.len()).collect(),
            Granularity::Layer => ops.layer_starts(&program.graph),
        };
        Layers { program, items: ops.grouped(&starts), ops: ops.ops, starts }
    }

    /// Do the layers from `first` to `end` fit the memory of so many cores, unplanned?
    fn fits(&self, first: usize, end: usize, memory: u64) -> bool {
        let start = |layer: usize| self.starts.get(layer).copied().unwrap_or(self.ops.len());
        // Arguments that no op reads lie on the first device.
        let (own, other) = if first == 0 { (DeviceId(0), DeviceId(1)) } else { (DeviceId(1), DeviceId(0)) };
        let mut device_of = vec![other; self.program.graph.ops.len()];
        self.ops[start(first)..start(end)].iter().for_each(|&op| device_of[op] = own);
        let both = Costs { seconds: vec![self.program.costs.seconds[0].clone(); 2] };
        ballast_core::stage::settle_views(&self.program.graph, &mut device_of);
        let stage = stages(&self.program.graph, &both, &self.program.cluster, &device_of).swap_remove(own.0);
        stage.problem.unplanned_peak() <= memory
    }

    /// The slowest stage of the best runs of layers on groups of neighbouring cores; `fitting`: that keep the cores' memories.
    fn best_runs(&self, model: &CoreModel, fitting: bool) -> f64 {
        groupings(self.items.len(), model.count)
            .into_iter()
            .filter_map(|groups| {
                let (mut first, mut slowest) = (0, 0.0f64);
                for &(take, count) in &groups {
                    let memory = model.memory_per_core.0.saturating_mul(count as u64);
                    if fitting && !self.fits(first, first + take, memory) {
                        return None;
                    }
                    let work: f64 = self.items.seconds[0][first..first + take].iter().sum();
                    slowest = slowest.max(work / speed_up(model, count));
                    first += take;
                }
                Some(slowest)
            })
            .fold(f64::INFINITY, f64::min)
    }
}

fn speed_up(model: &CoreModel, count: usize) -> f64 {
    model.speed_up.get(count - 1).copied().unwrap_or(count as f64)
}

/// Ways to cut layers into runs and cores into groups, one group per run.
fn groupings(layers: usize, cores: usize) -> Vec<Vec<(usize, usize)>> {
    if layers == 0 || cores == 0 {
        return if layers == cores { vec![Vec::new()] } else { Vec::new() };
    }
    let mut all = Vec::new();
    for take in 1..=layers {
        for count in 1..=cores {
            for rest in groupings(layers - take, cores - count) {
                all.push(std::iter::once((take, count)).chain(rest).collect());
            }
        }
    }
    all
}
