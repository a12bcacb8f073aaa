//! Ops of a program over devices: every method, granularity, order and cap, against all assignments.

use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::limits::Limits;
use ballast_core::report::BoundClass;
use ballast_core::stage::{Stage, settle_views, stages};
use ballast_core::units::Bytes;
use ballast_partition::rl::train::{self, Setting};
use ballast_partition::sequence::{Granularity, Order};
use ballast_partition::{Error, Items, Method, Options, Partition, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ledger::Ledger;
use crate::programs::{Program, any, placed, training};
use crate::tables::every;

/// A placement and what it takes.
pub(crate) struct Placed {
    device_of: Vec<DeviceId>,
    pub(crate) tmax: f64,
    /// Seconds, least memory and unplanned peak of every device.
    seconds: Vec<f64>,
    least_bytes: Vec<u64>,
    peak_bytes: Vec<u64>,
    /// Can the devices be put in a row so that every value goes from a device to itself or a later one?
    pipeline: bool,
    idle: usize,
}

/// Share of the programs that are given to the learner too: opening it takes longer than planning a program.
const LEARNED: f64 = 0.05;

struct Run {
    who: String,
    method: &'static str,
    options: Options,
    items: Items,
    outcome: Partition,
    placed: Placed,
}

impl Program {
    pub(crate) fn place(&self, mut device_of: Vec<DeviceId>) -> Placed {
        settle_views(&self.graph, &mut device_of);
        let stages = stages(&self.graph, &self.costs, &self.cluster, &device_of);
        Placed {
            tmax: stages.iter().map(Stage::load_seconds).fold(0.0, f64::max),
            seconds: stages.iter().map(Stage::load_seconds).collect(),
            peak_bytes: stages.iter().map(|stage| stage.problem.unplanned_peak()).collect(),
            least_bytes: stages.iter().map(|stage| stage.problem.working_set().0).collect(),
            pipeline: self.is_pipeline(&device_of),
            idle: stages.iter().filter(|stage| stage.idle()).count(),
            device_of,
        }
    }

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

    /// All assignments that keep the rules.
    pub(crate) fn all(&self) -> Vec<Placed> {
        let planned: Vec<OpId> = self.graph.planned().collect();
        every(planned.len(), self.cluster.devices.len(), DeviceId)
            .filter(|of| {
                let rule = |(&op, &at): (&OpId, &DeviceId)| {
                    self.graph.ops[op].rules.device.is_none_or(|rule| rule == at)
                };
                planned.iter().zip(of).all(rule)
            })
            .map(|of| {
                let mut device_of = vec![DeviceId(0); self.graph.ops.len()];
                planned.iter().zip(of).for_each(|(&op, at)| device_of[op] = at);
                self.place(device_of)
            })
            .collect()
    }
}

impl Run {
    /// Is a placement of a class of this run's bounds?
    fn holds(&self, class: BoundClass, placed: &Placed) -> bool {
        use BoundClass as C;
        let of: Vec<DeviceId> = self.items.ops.ops.iter().map(|&op| placed.device_of[op]).collect();
        let mut used = of.clone();
        used.sort_unstable();
        used.dedup();
        let cut = of.chunk_by(|a, b| a == b).count() == used.len();
        let ends = self.items.starts.iter().skip(1).copied().chain([of.len()]);
        let whole =
            self.items.starts.iter().zip(ends).all(|(&from, to)| of[from..to].iter().all(|d| *d == of[from]));
        let shape = match class {
            C::AnyAssignment => true,
            C::ContiguousSequence | C::ContiguousSequenceWithinCaps => cut,
            C::ContiguousLayers | C::ContiguousLayersWithinCaps => cut && whole,
            C::ContiguousDag | C::ContiguousDagWithinCaps => placed.pipeline,
            C::ContiguousDagLayers | C::ContiguousDagLayersWithinCaps => placed.pipeline && whole,
            _ => false,
        };
        shape && (!class.within_caps() || self.over(placed) == 0)
    }

    /// The slowest device, what it costs to hold less than it would priced in: with the share s of the room between what it would hold and what no
    /// plan can do without, a twentieth of its time times s^2 / (1.2 - s) (docs/partition-sequence.md).
    fn pressed_seconds(&self) -> f64 {
        let Some(caps) = self.options.caps.as_ref() else {
            return self.placed.seconds.iter().copied().fold(0.0, f64::max);
        };
        let bytes = self.placed.peak_bytes.iter().zip(&self.placed.least_bytes).zip(caps);
        let pressed = |(&seconds, ((&held, &least), cap)): (&f64, ((&u64, &u64), &Bytes))| {
            let room = held.saturating_sub(least).max(1) as f64;
            let squeeze = (held.saturating_sub(cap.0) as f64 / room).min(1.0);
            seconds * (1.0 + 0.05 * squeeze * squeeze / (1.2 - squeeze))
        };
        self.placed.seconds.iter().zip(bytes).map(pressed).fold(0.0, f64::max)
    }

    /// Bytes over the caps, on the device where it is most.
    fn over(&self, placed: &Placed) -> u64 {
        let Some(caps) = &self.options.caps else { return 0 };
        let over = placed.least_bytes.iter().zip(caps).map(|(bytes, cap)| bytes.saturating_sub(cap.0));
        over.max().unwrap_or(0)
    }
}

/// Examines one program.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let small = random.random_bool(0.8);
    let devices = random.random_range(1..4usize);
    let graph = if random.random_bool(0.3) {
        let layers = if small { 2 } else { random.random_range(4..10) };
        training(&mut random, layers)
    } else {
        let ops = if small { random.random_range(3..7) } else { random.random_range(10..25) };
        any(&mut random, ops, devices)
    };
    let program = placed(&mut random, graph, devices);
    let planned = program.graph.planned().count();
    if planned < devices {
        return;
    }
    let most = random.random_range(40..400);
    let unequal = random.random_bool(0.3);
    let caps: Vec<Bytes> =
        (0..devices).map(|_| Bytes(if unequal { random.random_range(40..=most) } else { most })).collect();
    let mut runs = Vec::new();
    for _ in 0..random.random_range(3..7) {
        let base = Options {
            granularity: [Granularity::Op, Granularity::Layer][random.random_range(0..2)],
            order: [Order::Program, Order::Memory][random.random_range(0..2)],
            limits: Limits {
                time_limit_seconds: None,
                work_limit: Some([100, 5_000, 100_000][random.random_range(0..3)]),
                seed: random.random_range(0..3),
                threads: 1,
            },
            caps: random.random_bool(0.6).then(|| caps.clone()),
            use_all_devices: random.random_bool(0.2),
            start: random.random_bool(0.15).then(|| {
                let rules = program.graph.ops.iter().map(|op| op.rules.device);
                rules.map(|rule| rule.unwrap_or_else(|| DeviceId(random.random_range(0..devices)))).collect()
            }),
            ..Options::default()
        };
        // The wider methods beside the narrower one, under the same options.
        let wider = ["auto", "exact", "genetic"][random.random_range(0..3)];
        for method in ["dp", wider] {
            ledger.runs += 1;
            runs.extend(run(&program, method, base.clone(), ledger));
        }
    }
    if random.random_bool(LEARNED) {
        runs.extend(learned(&program, &mut random, &caps, ledger));
    }
    // Assignments of up to six ops to up to three devices.
    let all = (small && planned <= 7).then(|| program.all());
    cross_examine(&program, &runs, all.as_deref(), ledger);
}

/// The learner from the cut, as the source has it or as we do, beside that cut: twice, to the same placement.
fn learned(program: &Program, random: &mut ChaCha8Rng, caps: &[Bytes], ledger: &mut Ledger) -> Vec<Run> {
    let setting = [Setting::Ours, Setting::Published][random.random_range(0..2)];
    let base = Options {
        granularity: [Granularity::Op, Granularity::Layer][random.random_range(0..2)],
        limits: Limits {
            time_limit_seconds: None,
            work_limit: Some([100, 5_000][random.random_range(0..2)]),
            seed: random.random_range(0..3),
            threads: 1,
        },
        caps: random.random_bool(0.5).then(|| caps.to_vec()),
        rl: train::Options { episodes: 3, max_steps: Some(40), ..setting.options() },
        ..Options::default()
    };
    let runs: Vec<Run> = ["dp", "rl", "rl"]
        .into_iter()
        .filter_map(|method| {
            ledger.runs += 1;
            run(program, method, base.clone(), ledger)
        })
        .collect();
    if let [_, first, second] = &runs[..] {
        ledger.holds(first.placed.device_of == second.placed.device_of, || {
            format!("{} twice: {:?}, {:?}", first.who, first.placed.device_of, second.placed.device_of)
        });
    }
    runs
}

fn run(program: &Program, method: &'static str, mut options: Options, ledger: &mut Ledger) -> Option<Run> {
    let Program { graph, costs, cluster } = program;
    options.method = method.parse().unwrap_or(Method::DP);
    let who = format!(
        "{method} {:?} {:?} caps={:?} all={} start={:?} work={:?} seed={}",
        options.granularity,
        options.order,
        options.caps,
        options.use_all_devices,
        options.start,
        options.limits.work_limit,
        options.limits.seed
    );
    (options.genetic.options.population, options.genetic.options.generations) = (8, 20);
    let outcome = plan(&program.view(), &options);
    match outcome {
        Ok(outcome) => {
            let placed = program.place(outcome.device_of.clone());
            let items = Items::new(graph, costs, (options.granularity, options.order), cluster.devices.len());
            Some(Run { who, method, options, items, outcome, placed })
        }
        Err(Error::Rule { .. }) => None,
        Err(error) => {
            ledger.contradicts(format!("{who}: {error}"));
            None
        }
    }
}

fn cross_examine(program: &Program, runs: &[Run], all: Option<&[Placed]>, ledger: &mut Ledger) {
    for run in runs {
        let (report, placed) = (&run.outcome.report, &run.placed);
        let who = |what: &str| format!("{} ({what}): {program:?}", run.who);
        ledger.holds((report.value - placed.tmax).abs() <= 1e-9 * placed.tmax, || {
            who(&format!("value {}, judged {}", report.value, placed.tmax))
        });
        let said = run.outcome.notes.iter().any(|note| note.contains("idle"));
        ledger.holds(said == (placed.idle > 0), || who("idle devices, or a word about them"));
        let over_caps = run.outcome.notes.iter().any(|note| note.contains("over the cap"));
        ledger.holds(over_caps == (run.over(placed) > 0), || who("over a cap, or a word about it"));
        let rules = program
            .graph
            .planned()
            .all(|op| program.graph.ops[op].rules.device.is_none_or(|rule| placed.device_of[op] == rule));
        ledger.holds(rules, || who("a device rule is broken"));
        for bound in run.outcome.bounds.iter().copied().chain([report.bound()]) {
            let least = all.map(|all| {
                let of_class = all.iter().filter(|placed| run.holds(bound.class(), placed));
                of_class.map(|placed| placed.tmax).fold(f64::INFINITY, f64::min)
            });
            ledger.bound(bound, least, || who("brute force"));
            for other in runs.iter().filter(|other| run.holds(bound.class(), &other.placed)) {
                ledger.cross(bound, other.placed.tmax, || who(&other.who));
            }
        }
    }
    // A method that starts from the cut is no worse than the cut, nor is a plan that may leave devices idle.
    for less in runs {
        for more in runs {
            let same = Options {
                use_all_devices: less.options.use_all_devices,
                method: less.options.method,
                ..more.options.clone()
            };
            let wider = less.method == "dp"
                && more.method != "dp"
                && more.options.use_all_devices == less.options.use_all_devices
                || less.method == "dp"
                    && more.method == "dp"
                    && !more.options.use_all_devices
                    && less.options.use_all_devices;
            if wider && same == less.options {
                ledger.ladders += 1;
                // The free search counts what a stage holds above its cap as time.
                let rank = |run: &Run| match more.method {
                    "auto" => (run.over(&run.placed), run.pressed_seconds()),
                    _ => (run.over(&run.placed), run.placed.tmax),
                };
                let (a, b) = (rank(more), rank(less));
                ledger.holds(a.0 < b.0 || a.0 == b.0 && a.1 <= b.1 * (1.0 + 1e-9), || {
                    format!("{} gives {a:?}, {} gives {b:?}: {program:?}", more.who, less.who)
                });
            }
        }
    }
}
