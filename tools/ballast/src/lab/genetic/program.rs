//! The dynamic search over an exported program: every placement is compiled by the MPI route and run on one set of processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::profile::Profile;
use ballast_core::program::Program;
use ballast_core::report::Report;
use ballast_partition::genetic::Options;
use ballast_partition::genetic::{Genetic, layer_table};
use ballast_partition::{Given, Items, Method, plan, plan_given};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::compile::{Compiler, Effort, Source};
use super::measured::{FINAL_RUNS, Runs, search};
use super::processes::{LOOK_UP, Processes};
use super::{Args, Measured};
use crate::compare::import;
use crate::failure::Failure;
use crate::output::{read_text, write_file, write_json};
use crate::run::Job;
use crate::run::compare::{Tolerance, Values, compare};
use crate::run::mpi::library;
use crate::run::native::{self, Figures};
use crate::run::tools::beside;

/// Chromosomes of a generation: runs are dear, and a generation that the budget cuts short breeds nothing.
const POPULATION: usize = 12;
/// Seconds the static search may take, and the share of a time limit.
const STATIC_SECONDS: f64 = 60.0;
const STATIC_SHARE: f64 = 0.25;
/// Folders of placements are numbered with 16 bits.
const MOST_PLACEMENTS: u64 = 60_000;

#[derive(Serialize)]
struct Answer {
    program: String,
    /// What a gene is: an op or a layer of the program; how many there are.
    genes: usize,
    /// Slowest stage with its transfers, as the judge predicts it, seconds.
    predicted_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
    generations: u64,
    cache_hits: u64,
    /// Placements that could not be compiled or run.
    unusable: usize,
    compiled: Effort,
    devices: Vec<Usage>,
    report: Report,
}

/// One process, as its last run left it.
#[derive(Clone, Debug, Serialize)]
struct Usage {
    device: String,
    ops: usize,
    /// Seconds without those spent in messages.
    stage_seconds: f64,
    /// Seconds in messages: transfer, and waiting for the other end.
    waiting_seconds: f64,
    /// Largest device heap.
    peak_bytes: u64,
}

pub(super) fn run(args: &Args, limits: &Limits) -> Result<(), Failure> {
    check(args)?;
    let run_limit = Duration::from_secs_f64(args.run_limit);
    let deadline = Deadline::start(limits);
    let in_file = |reason: String| Failure::BadInput(format!("{}: {reason}", args.layers.display()));
    let cluster = Cluster::parse(&args.devices).map_err(|error| Failure::BadInput(error.to_string()))?;
    if cluster.devices.len() < 2 {
        return Err(Failure::BadInput("--devices: a placement needs at least two devices".into()));
    }
    // Said before anything is compiled.
    let mpi = library(LOOK_UP)?;
    let graph = import(&args.layers, &args.function, &args.devices)?;
    let bar = progress(limits)?;
    // Before anything is searched: what cannot be lowered at all shows here.
    bar.set_message("the program as it is");
    let reference = reference(args, &deadline)?;
    let profile = args.profile.as_ref().map(|path| Profile::load(path)).transpose();
    let profile = profile.map_err(|error| Failure::BadInput(error.to_string()))?;
    let costs = Costs::estimate(&graph, &cluster, profile.as_ref()).costs;
    let options = static_search(args, &deadline, limits);
    bar.set_message("static search");
    let view = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let first = plan(&view, &bred(args, &options)).map_err(|error| in_file(error.to_string()))?;
    let items = Items::new(&graph, &costs, (options.granularity, options.order), cluster.devices.len());
    let table = layer_table(&items.sequence);
    let source = Source {
        program: &args.layers,
        graph: &graph,
        devices: &args.devices,
        ranks: cluster.devices.len(),
        function: &args.function,
        profile: args.profile.as_deref(),
        seed: args.seed,
    };
    let mut runs = ProgramRuns {
        graph: &graph,
        items: &items,
        compiler: Compiler::new(source, mpi, args.threads)?,
        processes: None,
        numbers: BTreeMap::new(),
        usage: BTreeMap::new(),
        reference,
        run_limit,
        unusable: 0,
        bar,
    };
    let mut search_options = args.search.options(Options { population: POPULATION, ..Options::dynamic() });
    let dp = plan(&view, &options).map_err(|error| in_file(error.to_string()))?;
    let starts = (items.read(&first.device_of), items.read(&dp.device_of));
    search_options.initial =
        neighbours(starts.0, starts.1, cluster.devices.len(), search_options.population, args.seed);
    let limits = Limits {
        time_limit_seconds: limits.time_limit_seconds.map(|_| deadline.remaining_seconds()),
        work_limit: limits.work_limit.map(|runs| runs.min(MOST_PLACEMENTS)),
        ..*limits
    };
    let (found, medians) = search(&table, &mut runs, &search_options, &limits, args.repeats)?;
    runs.bar.finish_and_clear();
    let device_of = runs.place(&found.device_of);
    let judged =
        plan_given(&view, &options, device_of.clone()).map_err(|error| in_file(error.to_string()))?;
    if let Some(path) = &args.placement {
        write_json(&Given::new(&graph, &device_of), Some(path))?;
    }
    if let (Some(path), Some(&number)) = (&args.planned, runs.numbers.get(&device_of)) {
        write_file(path, read_text(&runs.compiler.planned(number))?.as_bytes())?;
    }
    let names: Vec<String> = cluster.devices.iter().map(|device| device.name.clone()).collect();
    let answer = Answer {
        program: args.layers.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        genes: items.sequence.len(),
        predicted_seconds: judged.balance.tmax_seconds,
        measured: medians.map(|medians| Measured::new(&medians, Vec::new())),
        generations: found.generations,
        cache_hits: found.cache_hits,
        unusable: runs.unusable,
        compiled: runs.compiler.effort,
        devices: runs.usage(&device_of, &names),
        report: found.report,
    };
    write_json(&answer, args.output.as_deref())
}

/// Results of the program as it is, run once on one device.
fn reference(args: &Args, deadline: &Deadline) -> Result<Vec<Values>, Failure> {
    let job = Job { function: &args.function, seed: args.seed, runs: 1, limit: deadline_limit(deadline) };
    let measured = native::measure(&args.layers, false, &job).map_err(|failure| match failure {
        Failure::BadInput(text) if !deadline.over() => Failure::BadInput(format!(
            "{text}\nplacements are run by MLIR's own route, which takes linalg on tensors and nothing else"
        )),
        Failure::BadInput(text) => Failure::NoPlan(format!("no placement was run: {text}")),
        other => other,
    })?;
    Ok(measured.into_results())
}

/// How the plans from predicted times are found that the search starts from.
fn static_search(args: &Args, deadline: &Deadline, limits: &Limits) -> ballast_partition::Options {
    let budget = deadline.remaining_seconds() * STATIC_SHARE;
    ballast_partition::Options {
        method: Method::DP,
        granularity: args.granularity.into(),
        // The genetic search leaves no device without an op, so neither do the plans it starts from.
        use_all_devices: true,
        limits: Limits { time_limit_seconds: Some(budget.min(STATIC_SECONDS)), work_limit: None, ..*limits },
        ..ballast_partition::Options::default()
    }
}

/// The same with the genetic search.
fn bred(args: &Args, options: &ballast_partition::Options) -> ballast_partition::Options {
    let mut genetic = Genetic { options: args.search.options(Options::default()), ..Genetic::default() };
    genetic.options.generations = Options::default().generations;
    ballast_partition::Options { method: Method::GENETIC, genetic, ..options.clone() }
}

/// Refuses what has no meaning for a program.
fn check(args: &Args) -> Result<(), Failure> {
    if !args.processes {
        let text = "a program is placed here by runs: give --dynamic --processes; from predicted times it is placed by \
                    `ballast-opt --rl-partition=\"method=genetic\"`";
        return Err(Failure::BadInput(text.into()));
    }
    if args.batch.is_some() {
        return Err(Failure::BadInput(
            "--batch is for layer files: a program says itself what it computes".into(),
        ));
    }
    Ok(())
}

/// How long one step may take before the deadline.
fn deadline_limit(deadline: &Deadline) -> Duration {
    Duration::try_from_secs_f64(deadline.remaining_seconds()).unwrap_or(super::compile::LONGEST_STEP)
}

fn progress(limits: &Limits) -> Result<indicatif::ProgressBar, Failure> {
    let bar = limits.work_limit.map_or_else(indicatif::ProgressBar::new_spinner, indicatif::ProgressBar::new);
    let style = indicatif::ProgressStyle::with_template("{pos} placements, {msg}, {elapsed}")
        .map_err(|error| Failure::Internal(error.to_string()))?;
    bar.enable_steady_tick(Duration::from_millis(500));
    Ok(bar.with_style(style))
}

/// The first generation: the static search's placement, the cut by dynamic programming, and both with a stretch of
/// neighbouring items moved to a device drawn. Drawn item by item, a placement of hundreds would be messages and little else.
fn neighbours(
    first: Vec<DeviceId>,
    cut: Vec<DeviceId>,
    devices: usize,
    population: usize,
    seed: u64,
) -> Vec<Vec<DeviceId>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut all = vec![first, cut];
    while all.len() < population {
        let mut moved = all[all.len() % 2].clone();
        let longest = moved.len().div_ceil(devices);
        let start = random.random_range(0..moved.len());
        let end = (start + random.random_range(1..=longest)).min(moved.len());
        moved[start..end].fill(DeviceId(random.random_range(0..devices)));
        all.push(moved);
    }
    all
}

struct ProgramRuns<'a> {
    graph: &'a Graph,
    items: &'a Items,
    compiler: Compiler<'a>,
    /// None: not started, or ended by a placement that could not be run.
    processes: Option<Processes>,
    /// Of the placements compiled.
    numbers: BTreeMap<Vec<DeviceId>, usize>,
    /// What every rank did in the last run of a placement, by number.
    usage: BTreeMap<usize, Vec<Usage>>,
    /// Results of the program as it is.
    reference: Vec<Values>,
    run_limit: Duration,
    unusable: usize,
    bar: indicatif::ProgressBar,
}

impl ProgramRuns<'_> {
    /// From the device of every item to that of every op.
    fn place(&self, placement: &[DeviceId]) -> Vec<DeviceId> {
        self.items.place(self.graph, &self.items.to_ops(placement))
    }

    fn number(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<usize, Failure> {
        let device_of = self.place(placement);
        if let Some(&number) = self.numbers.get(&device_of) {
            return Ok(number);
        }
        let number = self.compiler.compile(&device_of, deadline_limit(deadline))?;
        self.numbers.insert(device_of, number);
        self.bar.inc(1);
        Ok(number)
    }

    fn start(&self) -> Result<Processes, Failure> {
        let arguments = [
            "program-rank".into(),
            self.compiler.folder().into(),
            "--runtime".into(),
            beside("libballast_runtime.so")?.into(),
        ];
        Processes::start(self.compiler.ranks(), &arguments, self.run_limit)
    }

    /// Reads what the ranks left; seconds of the slowest. The results of a placement's first run must be those of the program.
    fn read(&mut self, number: usize) -> Result<f64, Failure> {
        let (mut usage, mut results, mut seconds) = (Vec::new(), Vec::new(), 0.0_f64);
        for rank in 0..self.compiler.ranks() {
            let folder: PathBuf = self.compiler.rank(number, rank);
            let (figures, mine) = Figures::read(&folder, &format!("placement {number}, rank {rank}"))?;
            let (all, waiting_seconds) = figures.shortest();
            seconds = seconds.max(all);
            results.extend(mine);
            usage.push(Usage {
                device: String::new(),
                ops: 0,
                stage_seconds: all - waiting_seconds,
                waiting_seconds,
                peak_bytes: figures.peak_bytes,
            });
        }
        if self.usage.insert(number, usage).is_none() {
            results.sort_by_key(|(number, _)| *number);
            let results: Vec<Values> = results.into_iter().map(|(_, values)| values).collect();
            let difference =
                compare(&self.reference, &results, Tolerance::ByType(0.0)).map_err(Failure::Internal)?;
            if !difference.identical {
                return Err(Failure::Internal(format!(
                    "the results of a placement differ from the program's by {:e} of their largest value",
                    difference.relative
                )));
            }
        }
        Ok(seconds)
    }

    /// What every device did in the last run of a placement.
    fn usage(&self, device_of: &[DeviceId], names: &[String]) -> Vec<Usage> {
        let last = self.numbers.get(device_of).and_then(|number| self.usage.get(number));
        let ops = |device| self.graph.planned().filter(|&op| device_of[op] == device).count();
        let of = |((device, usage), name): ((DeviceId, &Usage), &String)| Usage {
            device: name.clone(),
            ops: ops(device),
            ..usage.clone()
        };
        last.map_or_else(Vec::new, |last| DeviceId::of(last).zip(names).map(of).collect())
    }
}

impl Runs for ProgramRuns<'_> {
    fn run(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<Option<f64>, Failure> {
        let number = match self.number(placement, deadline) {
            Ok(number) => number,
            Err(_) if deadline.over() => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut processes = match self.processes.take() {
            Some(processes) => processes,
            None => match self.start() {
                Ok(processes) => processes,
                Err(_) if deadline.over() => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        match processes.ask(&number.to_string(), deadline) {
            Ok(Some(_)) => {}
            // Still at work, or gone: the next placement gets new ones.
            Ok(None) => return Ok(None),
            Err(reason) => return Err(Failure::BadInput(format!("a placement cannot be run: {reason}"))),
        }
        self.processes = Some(processes);
        let seconds = self.read(number)?;
        self.bar.set_message(format!("last {seconds:.6} s"));
        Ok(Some(seconds))
    }

    fn is_unusable(&mut self, _: &[DeviceId], error: &Failure) -> bool {
        let Failure::BadInput(reason) = error else { return false };
        tracing::warn!("{reason}");
        self.unusable += 1;
        true
    }
}

impl Measured {
    /// Of medians; names of the static placement's devices.
    pub(super) fn new(medians: &super::measured::Medians, static_devices: Vec<String>) -> Self {
        Measured {
            seconds: medians.found.min(medians.first),
            static_seconds: medians.first,
            static_devices,
            runs: FINAL_RUNS,
            found_seconds: (medians.found > medians.first).then_some(medians.found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceId, neighbours};

    #[test]
    fn the_first_generation_holds_both_starts_and_stretches_moved() {
        let [first, cut] = [[0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1, 2]].map(|list| list.map(DeviceId).to_vec());
        let all = neighbours(first.clone(), cut.clone(), 3, 9, 4);
        assert_eq!((all.len(), &all[0], &all[1]), (9, &first, &cut));
        for moved in &all[2..] {
            let differs = |start: &[DeviceId]| {
                let places: Vec<usize> = (0..6).filter(|&place| moved[place] != start[place]).collect();
                places.last().map_or(0, |last| last - places[0] + 1)
            };
            assert!(differs(&first).min(differs(&cut)) <= 2, "{moved:?}");
        }
        assert_eq!(all, neighbours(first, cut, 3, 9, 4));
    }
}
