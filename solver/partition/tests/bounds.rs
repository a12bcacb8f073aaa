//! Every bound that the partitioner proves, against brute force over the plans its class names.

mod support;

use std::collections::BTreeMap;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, CoreModel, DeviceId, Link};
use ballast_core::graph::{BoundaryMemory, Graph, OpId, TensorId};
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_core::report::BoundClass;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::chip::plan_chip;
use ballast_partition::sequence::{Granularity, Order, Sequence, sequence_order};
use ballast_partition::{Method, Options, Partition, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{cluster, costs, random_graph, tensor};

/// A program, devices and options, all small and drawn at random.
struct Case {
    graph: Graph,
    costs: Costs,
    cluster: Cluster,
    options: Options,
}

fn case(seed: u64) -> Case {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let ops = random.random_range(3..8);
    let devices = random.random_range(1..4usize).min(ops);
    let (mut graph, seconds) = random_graph(random.random(), ops);
    for op in 0..ops {
        graph.ops[op].workspace = Bytes(random.random_range(0..4) * 10);
        if random.random_bool(0.2) {
            // A weight of its own, and at times one that the op before reads as well.
            let weight = TensorId(graph.tensors.len());
            graph.tensors.push(tensor(None, random.random_range(1..120), false));
            graph.ops[op].inputs.push(weight);
            if op > 0 && random.random_bool(0.4) {
                graph.ops[op - 1].inputs.push(weight);
            }
        }
        if random.random_bool(0.15) {
            let made = graph.ops[op].outputs[0];
            graph.tensors[made].returned = true;
        }
    }
    if random.random_bool(0.2) {
        graph.tensors.push(tensor(None, 40, false));
    }
    graph.ends = [BoundaryMemory::ResultsWhenMade, BoundaryMemory::Throughout, BoundaryMemory::NotCounted]
        [random.random_range(0..3)];
    if random.random_bool(0.2) {
        graph.early.push((OpId(random.random_range(0..ops)), Bytes(random.random_range(1..50))));
    }
    if random.random_bool(0.15) {
        graph.ops[random.random_range(0..ops)].rules.device = Some(DeviceId(random.random_range(0..devices)));
    }
    let unequal = random.random_bool(0.4);
    let row = |_| {
        let speed = if unequal { random.random_range(1..4) as f64 } else { 1.0 };
        seconds.iter().map(|s| s / speed).collect()
    };
    let rows: Vec<Vec<f64>> = (0..devices).map(row).collect();
    let costs = costs(&rows);
    let link = |random: &mut ChaCha8Rng| Link {
        bytes_per_second: [2.0, 16.0, 200.0][random.random_range(0..3)],
        latency_seconds: [0.0, 0.25, 3.0][random.random_range(0..3)],
    };
    let mut cluster = cluster(devices, 1 << 30, link(&mut random));
    if random.random_bool(0.3) {
        for from in 0..devices {
            let to = random.random_range(0..devices);
            if from != to {
                cluster.links.push((DeviceId(from), DeviceId(to), link(&mut random)));
            }
        }
    }
    // From caps that nothing keeps to caps that everything keeps; equal or not.
    let caps = random.random_bool(0.7).then(|| {
        let most = random.random_range(40..400);
        (0..devices).map(|_| Bytes(if unequal { random.random_range(40..=most) } else { most })).collect()
    });
    let options = Options {
        method: [Method::DP, Method::EXACT][random.random_range(0..2)],
        granularity: [Granularity::Op, Granularity::Layer][random.random_range(0..2)],
        order: [Order::Program, Order::Memory][random.random_range(0..2)],
        limits: Limits { time_limit_seconds: None, ..Limits::default() },
        caps,
        ..Options::default()
    };
    Case { graph, costs, cluster, options }
}

impl Case {
    fn stages(&self, device_of: &[DeviceId]) -> Vec<Stage> {
        stages(&self.graph, &self.costs, &self.cluster, device_of)
    }

    fn keeps_rules(&self, device_of: &[DeviceId]) -> bool {
        self.graph.ops.iter().zip(device_of).all(|(op, &at)| op.rules.device.is_none_or(|rule| rule == at))
    }

    fn keeps_caps(&self, stages: &[Stage]) -> bool {
        let caps = self.options.caps.as_ref();
        caps.is_none_or(|caps| stages.iter().zip(caps).all(|(s, cap)| s.problem.working_set().0 <= cap.0))
    }

    /// Can the devices be put in a row so that every value goes from a device to itself or a later one?
    fn is_pipeline(&self, device_of: &[DeviceId]) -> bool {
        let devices = self.cluster.devices.len();
        let mut arcs = vec![vec![false; devices]; devices];
        for op in self.graph.planned() {
            for producer in self.graph.value_inputs(op) {
                arcs[device_of[producer]][device_of[op]] |= device_of[producer] != device_of[op];
            }
        }
        let mut left: Vec<usize> = (0..devices).collect();
        while let Some(at) = left.iter().position(|&d| left.iter().all(|&from| !arcs[from][d])) {
            left.remove(at);
        }
        left.is_empty()
    }

    /// The least tmax of every class, over all assignments.
    fn brute_force(&self, sequence: &[OpId]) -> BTreeMap<&'static str, f64> {
        let (ops, devices) = (self.graph.ops.len(), self.cluster.devices.len());
        let layers: Vec<usize> = (0..ops)
            .filter(|&place| place == 0 || self.graph.ops[sequence[place]].opens_layer)
            .chain([ops])
            .collect();
        let mut least: BTreeMap<&'static str, f64> = BTreeMap::new();
        for mut code in 0..devices.pow(ops as u32) {
            let device_of: Vec<DeviceId> = (0..ops)
                .map(|_| {
                    let device = code % devices;
                    code /= devices;
                    DeviceId(device)
                })
                .collect();
            if !self.keeps_rules(&device_of) {
                continue;
            }
            let stages = self.stages(&device_of);
            let tmax = stages.iter().map(Stage::load_seconds).fold(0.0, f64::max);
            let placed: Vec<DeviceId> = sequence.iter().map(|&op| device_of[op]).collect();
            let used = stages.iter().filter(|stage| !stage.idle()).count();
            let cut = placed.chunk_by(|a, b| a == b).count() == used;
            let pipeline = self.is_pipeline(&device_of);
            let whole = layers
                .windows(2)
                .all(|ends| placed[ends[0]..ends[1]].iter().all(|&device| device == placed[ends[0]]));
            let classes = [
                (BoundClass::AnyAssignment, true),
                (BoundClass::ContiguousSequence, cut),
                (BoundClass::ContiguousLayers, cut && whole),
                (BoundClass::ContiguousDag, pipeline),
                (BoundClass::ContiguousDagLayers, pipeline && whole),
            ];
            let caps = self.keeps_caps(&stages);
            for (class, _) in classes.into_iter().filter(|&(_, within)| within) {
                let best = least.entry(class.name()).or_insert(f64::INFINITY);
                *best = best.min(tmax);
                let capped = match class {
                    BoundClass::ContiguousSequence => BoundClass::ContiguousSequenceWithinCaps,
                    BoundClass::ContiguousLayers => BoundClass::ContiguousLayersWithinCaps,
                    BoundClass::ContiguousDag => BoundClass::ContiguousDagWithinCaps,
                    BoundClass::ContiguousDagLayers => BoundClass::ContiguousDagLayersWithinCaps,
                    _ => continue,
                };
                if caps {
                    let best = least.entry(capped.name()).or_insert(f64::INFINITY);
                    *best = best.min(tmax);
                }
            }
        }
        least
    }
}

#[test]
fn no_bound_is_above_the_best_plan_of_its_class() {
    // By class: how often a bound was proved for it, and how often it is the best plan's value.
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let (mut met, mut idle) = (0, 0);
    for seed in 0..600 {
        let case = case(seed);
        let outcome =
            plan(&Program { graph: &case.graph, costs: &case.costs, cluster: &case.cluster }, &case.options)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let least = case.brute_force(&outcome.sequence);
        let Partition { report, bounds, device_of, .. } = &outcome;
        for bound in bounds.iter().chain([&report.bound()]) {
            let name = bound.class().name();
            // A class without a plan holds every bound.
            let best = least.get(name).copied().unwrap_or(f64::INFINITY);
            assert!(
                bound.value() <= best * (1.0 + 1e-9),
                "seed {seed}: {bound:?} for {best}, {:?}",
                case.options
            );
        }
        for bound in bounds {
            let count = counts.entry(bound.class().name()).or_default();
            count.0 += 1;
            let best = least.get(bound.class().name()).copied().unwrap_or(f64::INFINITY);
            count.1 += usize::from(bound.value() >= best * (1.0 - 1e-9));
        }
        // A proof says that no plan of the class is better, within the caps or not.
        let stages = case.stages(device_of);
        let value = stages.iter().map(Stage::load_seconds).fold(0.0, f64::max);
        assert!((value - report.value).abs() <= 1e-9 * value, "seed {seed}");
        // Where a cut keeps the caps, so does the plan, and dynamic programming finds the fastest such cut.
        let cuts = match outcome.bounds.iter().map(|bound| bound.class()).find(|class| cut_class(*class)) {
            Some(BoundClass::ContiguousLayers | BoundClass::ContiguousLayersWithinCaps) => {
                "contiguous-layers-within-caps"
            }
            _ => "contiguous-sequence-within-caps",
        };
        if let Some(&best) = least.get(cuts)
            && case.cluster.links.is_empty()
        {
            assert!(case.keeps_caps(&stages), "seed {seed}: {:?}", outcome.notes);
            assert!(
                value <= best * (1.0 + 1e-9) || case.options.caps.is_some(),
                "seed {seed}: {value} for {best}"
            );
            met += usize::from(case.options.caps.is_some());
        }
        idle += usize::from(outcome.balance.idle_devices > 0);
        assert_eq!(
            outcome.balance.idle_devices > 0,
            outcome.notes.iter().any(|note| note.contains("idle")),
            "seed {seed}: {:?}",
            outcome.notes
        );
    }
    let proved = |class: BoundClass| counts.get(class.name()).copied().unwrap_or_default();
    use BoundClass as C;
    for (class, cases, tight) in [
        (C::AnyAssignment, 600, 20),
        (C::ContiguousSequence, 80, 60),
        (C::ContiguousSequenceWithinCaps, 80, 60),
        (C::ContiguousLayers, 30, 20),
        (C::ContiguousLayersWithinCaps, 30, 20),
        (C::ContiguousDag, 40, 30),
        (C::ContiguousDagWithinCaps, 40, 15),
        (C::ContiguousDagLayers, 15, 10),
        (C::ContiguousDagLayersWithinCaps, 15, 5),
    ] {
        let (seen, exact) = proved(class);
        assert!(seen >= cases && exact >= tight, "{class}: {seen} bounds, {exact} of them sharp");
    }
    assert!(met > 100 && idle > 50, "{met} plans under caps, {idle} with idle devices");
}

fn cut_class(class: BoundClass) -> bool {
    use BoundClass as C;
    matches!(
        class,
        C::ContiguousSequence
            | C::ContiguousSequenceWithinCaps
            | C::ContiguousLayers
            | C::ContiguousLayersWithinCaps
    )
}

#[test]
fn more_freedom_is_never_worse_where_both_are_proved() {
    let mut compared = 0;
    for seed in 1000..1200 {
        let case = case(seed);
        let run = |method, granularity| {
            let options = Options { method, granularity, ..case.options.clone() };
            plan(&Program { graph: &case.graph, costs: &case.costs, cluster: &case.cluster }, &options)
                .expect("a plan")
        };
        let ladder = [
            run(Method::DP, Granularity::Layer),
            run(Method::DP, Granularity::Op),
            run(Method::EXACT, Granularity::Op),
        ];
        for pair in ladder.windows(2) {
            let kept = |outcome: &Partition| case.keeps_caps(&case.stages(&outcome.device_of));
            if pair.iter().all(|outcome| outcome.report.proved() && kept(outcome)) {
                let (less, more) = (pair[0].report.value, pair[1].report.value);
                // Fine-tuning moves single ops, which is no more than what ops give.
                assert!(
                    more <= less * (1.0 + 1e-9),
                    "seed {seed}: {more} with more freedom, {less} with less"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn bounds_over_core_groups_are_the_best_grouping() {
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
    let (mut exact, mut tight) = (0, 0);
    for seed in 0..200 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (ops, cores) = (random.random_range(2..8), random.random_range(1..5));
        let (graph, seconds) = random_graph(random.random(), ops);
        let speed_up: Vec<f64> = match seed % 3 {
            0 => Vec::new(),
            1 => (1..=cores).map(|c| (c as f64).sqrt()).collect(),
            _ => (1..=cores).map(|c| c as f64 * 0.9).collect(),
        };
        let memory = if seed % 2 == 0 { 1 << 30 } else { random.random_range(20..200) };
        let model = CoreModel { count: cores, memory_per_core: Bytes(memory), speed_up };
        let link = Link { bytes_per_second: 1.0, latency_seconds: 0.0 };
        let chip = cluster(1, 1 << 30, link).devices.remove(0);
        let granularity = [Granularity::Op, Granularity::Layer][seed as usize / 2 % 2];
        let options = Options { method: Method::DP, granularity, ..Options::default() };
        let outcome = plan_chip(&graph, &seconds, &chip, &model, &options).expect("a plan");
        let costs = Costs { seconds: vec![seconds.clone()] };
        let sequence = Sequence::of_ops(&graph, &costs, sequence_order(&graph, Order::Program));
        let starts = match granularity {
            Granularity::Op => (0..ops).collect(),
            Granularity::Layer => sequence.layer_starts(&graph),
        };
        let layers = sequence.grouped(&starts);
        let fits = |first: usize, end: usize, count: usize| {
            // The stage's own memory problem, as the judge makes it: everything else lies on another device.
            let own = layers.starts[first]..layers.starts[end];
            let device_of: Vec<DeviceId> =
                (0..ops).map(|op| DeviceId(usize::from(!own.contains(&op)))).collect();
            let both = Costs { seconds: vec![seconds.clone(); 2] };
            let peak =
                stages(&graph, &both, &cluster(2, 1 << 30, link), &device_of)[0].problem.unplanned_peak();
            peak <= memory.saturating_mul(count as u64)
        };
        let best = groupings(layers.len(), cores)
            .into_iter()
            .filter_map(|groups| {
                let (mut first, mut slowest) = (0, 0.0f64);
                for &(take, count) in &groups {
                    if !fits(first, first + take, count) {
                        return None;
                    }
                    let speed = model.speed_up.get(count - 1).copied().unwrap_or(count as f64);
                    let work: f64 = (first..first + take).map(|layer| layers.seconds[0][layer]).sum();
                    slowest = slowest.max(work / speed);
                    first += take;
                }
                Some(slowest)
            })
            .fold(f64::INFINITY, f64::min);
        let bound = outcome.report.bound();
        match bound.class() {
            BoundClass::CoreGroups => {
                exact += 1;
                assert!((bound.value() - best).abs() <= 1e-9 * best, "seed {seed}: {bound:?} for {best}");
            }
            class => {
                assert_eq!(class, BoundClass::AnyGrouping);
                assert!(bound.value() <= best * (1.0 + 1e-9), "seed {seed}: {bound:?} for {best}");
                tight += 1;
            }
        }
    }
    assert!(exact > 120 && tight > 10, "{exact} exact, {tight} over any grouping");
}

/// Longer sequences are cut in runs of layers; the bound is one over the layers.
#[test]
fn bounds_over_core_groups_hold_for_layers_that_runs_hide() {
    let link = Link { bytes_per_second: 1.0, latency_seconds: 0.0 };
    let chip = cluster(1, 1 << 30, link).devices.remove(0);
    for (seed, cores) in (0..4).zip([2, 3, 16, 40]) {
        let (graph, _) = random_graph(seed, 300);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // A few layers that take long, side by side: runs keep some of them together.
        let seconds: Vec<f64> = (0..300)
            .map(|op| if op % 50 < 6 { 100.0 } else { f64::from(random.random_range(1..3)) })
            .collect();
        let speed_up: Vec<f64> = (1..=cores).map(|c| f64::from(c as u32).sqrt()).collect();
        let model = CoreModel { count: cores, memory_per_core: Bytes(1 << 30), speed_up };
        let outcome = plan_chip(&graph, &seconds, &chip, &model, &Options::default()).expect("a plan");
        let bound = outcome.report.bound();
        assert_eq!(bound.class(), BoundClass::AnyGrouping);
        // best[cores]: the least slowest stage of the layers so far on so many cores.
        let mut best = vec![vec![f64::INFINITY; cores + 1]; 301];
        best[0][0] = 0.0;
        for end in 1..=300 {
            for first in (0..end).rev() {
                let work: f64 = seconds[first..end].iter().sum();
                for count in 1..=cores {
                    for used in 0..=cores - count {
                        let value = best[first][used].max(work / model.speed_up[count - 1]);
                        best[end][used + count] = best[end][used + count].min(value);
                    }
                }
            }
        }
        let least = best[300][cores];
        assert!(bound.value() <= least * (1.0 + 1e-9), "{cores} cores: {bound:?} for {least}");
        assert!(bound.value() >= least * 0.7, "{cores} cores: {bound:?} for {least}");
    }
}
