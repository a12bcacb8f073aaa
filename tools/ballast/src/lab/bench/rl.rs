//! `ballast lab bench rl`: the RL partitioner, classical searches and the exact answer on chains for many-core chips.

use std::path::{Path, PathBuf};

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, CoreModel};
use ballast_core::limits::interrupted;
use ballast_core::units::Bytes;
use ballast_partition::rl::comparison::{Case, Contender, Entry, contend};
use ballast_partition::rl::machine::{Machine, Site};
use ballast_partition::rl::train::{Options, Weights};
use ballast_partition::sequence::Sequence;
use comfy_table::Table;
use serde::Deserialize;

use crate::failure::Failure;
use crate::graph_file;
use crate::lab::train::partition::ZERO_SHOT_SECONDS;
use crate::output;
use crate::output::paths;
use crate::ranges::{count, seconds, step_size};
use crate::search_args::DrawnChains;
use crate::tables;

/// Arguments of `ballast lab bench rl`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layers of the generated chains; 1 to 1000.
    #[arg(long, value_parser = count::<usize, 1, 1000>, value_delimiter = ',', default_values_t = [20, 50, 100, 200])]
    layers: Vec<usize>,
    /// Cores of the chips; 2 to 1024.
    #[arg(long, value_parser = count::<usize, 2, 1024>, value_delimiter = ',', default_values_t = [8, 16, 32, 64])]
    cores: Vec<usize>,
    /// Chain files besides (JSON: {"name", "seconds": [per layer]}), each on every number of cores.
    #[arg(long, num_args = 1..)]
    chains: Vec<PathBuf>,
    /// The policy; without it the one that ships with ballast.
    #[arg(long)]
    policy: Option<PathBuf>,
    /// Programs besides, as `ballast-opt --remat=graph-file=...` writes them: their op sequences in at most 200 runs, each on
    /// every number of cores.
    #[arg(long, num_args = 1..)]
    graphs: Vec<PathBuf>,
    /// Exponent of the speed-up of cores on chain files and programs: c cores are c^e times as fast as one; above 0, at most 1.
    #[arg(long, value_parser = step_size, default_value_t = 0.8)]
    exponent: f64,
    /// Wall-clock seconds of every run; a run ends early at the optimum; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 60.0)]
    time_limit: f64,
    /// Seeds a method runs with on every chain; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 5)]
    seeds: u64,
    /// Who runs: rl-random, rl-dp, zero-shot, rl-plain, annealing-splice, annealing, random, dp.
    #[arg(long, value_delimiter = ',', value_parser = contender, default_value = "rl-random,rl-dp,zero-shot,rl-plain,annealing-splice,annealing,random,dp")]
    methods: Vec<Contender>,
    #[command(flatten)]
    drawn: DrawnChains,
}

/// A chain file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainFile {
    name: String,
    /// Seconds of every layer on one core.
    seconds: Vec<f64>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let inputs = paths(&args.chains).chain(paths(&args.policy)).chain(paths(&args.graphs));
    output::check(inputs, paths(&args.drawn.output))?;
    let options = Options {
        weights: args.policy.clone().map_or(Weights::Pretrained, Weights::File),
        library: args.drawn.learner.clone(),
        ..Options::default()
    };
    let cases = cases(args)?;
    let contenders: Vec<_> =
        Contender::ALL.into_iter().filter(|contender| args.methods.contains(contender)).collect();
    let bar = crate::lab::progress::progress((cases.len() * contenders.len()) as u64);
    let mut heads = vec!["chain, layers x cores"];
    heads.extend(contenders.iter().map(|contender| contender.names().1));
    let mut table = tables::markdown(&heads);
    let mut all: Vec<Vec<Vec<Entry>>> = vec![Vec::new(); contenders.len()];
    for case in &cases {
        let mut row = vec![case.name.clone()];
        for (column, &contender) in contenders.iter().enumerate() {
            bar.set_message(format!("{}, {}", case.name, contender.names().1));
            let seconds = if contender == Contender::ZeroShot { ZERO_SHOT_SECONDS } else { args.time_limit };
            let mut runs = Vec::new();
            for seed in 0..if contender.seeded() { args.seeds } else { 1 } {
                if interrupted() {
                    return Err(Failure::NoPlan("interrupted; no table was written".into()));
                }
                runs.push(contend(case, contender, &options, seed, seconds)?);
            }
            runs.sort_by(|a, b| a.over_optimum.total_cmp(&b.over_optimum));
            let worst = runs.last().map_or(f64::NAN, |run| run.over_optimum);
            row.push(match contender.seeded() {
                true => format!("{:.4} ({worst:.4}) {:.1} s", median(&runs), mean_seconds(&runs)),
                false => format!("{worst:.4}"),
            });
            all[column].push(runs);
            bar.inc(1);
        }
        table.add_row(row);
    }
    bar.finish_and_clear();
    let text = format!(
        "Slowest stage over the exact optimum: median of {} seeds (worst seed), mean wall-clock seconds of a run. \
         {} s a run at most; runs end at the optimum.\n\n{table}\n\n{}\n",
        args.seeds,
        args.time_limit,
        summary(&contenders, &all)
    );
    output::write_text(&text, args.drawn.output.as_deref())
}

fn cases(args: &Args) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for &layers in &args.layers {
        for &cores in &args.cores {
            let which = cases.len();
            cases.extend(Case::unseen(layers, cores, which, args.drawn.draw));
        }
    }
    for path in &args.chains {
        let file = read_chain(path)?;
        for &cores in &args.cores {
            let speed_up = (1..=cores).map(|c| (c as f64).powf(args.exponent)).collect();
            let model = CoreModel { count: cores, memory_per_core: Bytes(1 << 50), speed_up };
            let bytes = vec![0; file.seconds.len()];
            let machine = Machine::new(&Sequence::chain(&file.seconds, &bytes, &bytes), Site::chip(&model));
            cases.extend(Case::new(format!("{} {} x {cores}", file.name, file.seconds.len()), machine));
        }
    }
    for path in &args.graphs {
        let mut graph = graph_file::read(path)?;
        graph.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {error}", path.display()));
        let cluster = Cluster::from_count(1).map_err(|error| bad(&error))?;
        let costs = Costs::estimate(&graph, &cluster, None).costs;
        for &cores in &args.cores {
            let case = Case::of_program(&graph, &costs.seconds[0], (MOST_RUNS, cores), args.exponent);
            cases.push(case.ok_or_else(|| bad(&"no ops to cut"))?);
        }
    }
    Ok(cases)
}

/// Runs of ops a program is cut into at most.
const MOST_RUNS: usize = 200;

fn contender(text: &str) -> Result<Contender, String> {
    Contender::ALL
        .into_iter()
        .find(|contender| contender.names().0 == text)
        .ok_or_else(|| format!("give some of {}", Contender::ALL.map(|c| c.names().0).join(", ")))
}

fn read_chain(path: &Path) -> Result<ChainFile, Failure> {
    /// The exact answer takes time with the square of the layers.
    const MOST_LAYERS: usize = 1000;
    let bad = |reason: String| Failure::BadInput(format!("{}: {reason}", path.display()));
    let file: ChainFile =
        serde_json::from_str(&output::read_text(path)?).map_err(|error| bad(error.to_string()))?;
    if file.seconds.is_empty() || file.seconds.len() > MOST_LAYERS {
        return Err(bad(format!("{} layers: give 1 to {MOST_LAYERS}", file.seconds.len())));
    }
    if let Some(at) = file.seconds.iter().position(|seconds| !(seconds.is_finite() && *seconds >= 0.0)) {
        return Err(bad(format!("seconds[{at}] is {}: times are 0 or above", file.seconds[at])));
    }
    let sum: f64 = file.seconds.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(bad(format!(
            "the layers take {sum} s together: give times that add up to a number above 0"
        )));
    }
    Ok(file)
}

fn summary(contenders: &[Contender], all: &[Vec<Vec<Entry>>]) -> Table {
    let heads = [
        "method",
        "median of medians",
        "worst median",
        "worst seed",
        "medians <= 1.02",
        "medians <= 1.10",
        "longest run s",
    ];
    let mut table = tables::markdown(&heads);
    for (contender, cases) in contenders.iter().zip(all) {
        let name = contender.names().1;
        let mut medians: Vec<f64> = cases.iter().map(|runs| median(runs)).collect();
        medians.sort_by(f64::total_cmp);
        let within = |limit: f64| medians.iter().filter(|&&median| median <= limit).count();
        let worst = cases.iter().flatten().map(|run| run.over_optimum).fold(0.0, f64::max);
        let longest = cases.iter().flatten().map(|run| run.seconds).fold(0.0, f64::max);
        let count = medians.len();
        table.add_row([
            name.to_owned(),
            format!("{:.4}", medians.get(count / 2).copied().unwrap_or(f64::NAN)),
            format!("{:.4}", medians.last().copied().unwrap_or(f64::NAN)),
            format!("{worst:.4}"),
            format!("{}/{count}", within(1.02)),
            format!("{}/{count}", within(1.10)),
            format!("{longest:.2}"),
        ]);
    }
    table
}

fn median(runs: &[Entry]) -> f64 {
    runs.get(runs.len() / 2).map_or(f64::NAN, |run| run.over_optimum)
}

fn mean_seconds(runs: &[Entry]) -> f64 {
    runs.iter().map(|run| run.seconds).sum::<f64>() / runs.len() as f64
}
