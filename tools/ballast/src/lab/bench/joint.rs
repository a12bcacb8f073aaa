//! `ballast lab bench joint`: the loop of partition and memory plan for pipelines, against planning one after the other.

use std::cmp::Ordering;
use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits, interrupted};
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, RunTimes, layers};
use ballast_partition::sequence::Granularity;
use ballast_planner::pipelined::{Joint, MOST_PIECES, Runs, Score, Site, StopRule, choices, joint};

use crate::failure::Failure;
use crate::graph_file;
use crate::output;
use crate::output::paths;
use crate::ranges::count;
use crate::statistics::cpu_seconds;
use crate::tables;

/// Arguments of `ballast lab bench joint`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Graphs of training steps, as `ballast-opt --remat=graph-file=...` writes them.
    #[arg(required = true)]
    graphs: Vec<PathBuf>,
    /// Where to write the table (Markdown); without it, stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Numbers of devices; 1 to 64.
    #[arg(long, value_parser = count::<usize, 1, 64>, value_delimiter = ',', default_value = "4,8")]
    devices: Vec<usize>,
    /// Caps, percent of what a stage of the balanced partition needs without recomputation; see --cap-of; 1 to 10000.
    #[arg(long, value_parser = count::<u32, 1, 10_000>, value_delimiter = ',', default_value = "60,40")]
    caps: Vec<u32>,
    /// Whose need without recomputation, in the balanced partition, a device's cap is a share of.
    #[arg(long, value_enum, default_value_t = CapOf::Neediest)]
    cap_of: CapOf,
    /// Schedule.
    #[arg(long, default_value = "1f1b")]
    schedule: Schedule,
    /// Schedules of which the shortest step is shown.
    #[arg(long, value_delimiter = ',', default_value = "1f1b,zero-bubble,interleaved:2")]
    any_of: Vec<Schedule>,
    /// Micro-batches of a step; 1 to 4096.
    #[arg(long, value_parser = count::<usize, 1, 4096>, default_value_t = 8)]
    micro_batches: usize,
    /// Search steps per memory plan.
    #[arg(long, value_parser = count::<u64, 1, { u64::MAX }>, default_value_t = 20_000)]
    work_limit: u64,
    /// Partitions the loop may plan and score; 1 to 1000000.
    #[arg(long, value_parser = count::<usize, 1, 1_000_000>, default_value_t = 200)]
    max_rounds: usize,
    /// May values be swapped to host memory?
    #[arg(long)]
    swap: bool,
    /// Seed of every search.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Whose need a cap is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CapOf {
    /// That of the neediest stage: equal devices.
    Neediest,
    /// That of the stage on the device: every stage has to recompute.
    Own,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check(paths(&args.graphs), paths(&args.output))?;
    if args.schedule.chunks() > 1 {
        let text = "--schedule: one stage per device; interleaved stages are among any schedule's";
        return Err(Failure::BadInput(text.into()));
    }
    let mut table = tables::markdown(&HEADS);
    let bar = indicatif::ProgressBar::new((args.graphs.len() * args.devices.len() * args.caps.len()) as u64);
    let mut gains = Vec::new();
    for path in &args.graphs {
        let graph = graph_file::read(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for &devices in &args.devices {
            for &share in &args.caps {
                if interrupted() {
                    return Err(Failure::NoPlan("interrupted; no table was written".into()));
                }
                bar.set_message(format!("{name}: {devices} devices, {share} %"));
                let rivals = Rivals::plan(args, &name, &graph, (devices, share))?;
                table.add_row(rivals.row(&name, devices, share));
                gains.push(rivals.gain());
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    output::write_text(&format!("{}\n{table}\n{}", heading(args), summary(&gains)), args.output.as_deref())
}

const HEADS: [&str; 17] = [
    "program",
    "devices",
    "cap",
    "GiB",
    "no cap",
    "partition, then plan",
    "uniform",
    "loop",
    "gain %",
    "at most %",
    "bubble",
    "partitions planned",
    "CPU s",
    "any schedule",
    "chosen",
    "in turn",
    "gain %",
];

fn heading(args: &Args) -> String {
    format!(
        "Schedule {}, {} micro-batches, {}, {} search steps per memory plan, seed {}. Step times in milliseconds, \
         from the event simulation, recomputation and transfers included; a * marks plans that miss the cap. Gain: how much \
         shorter the loop's step is than the shorter of the two others, where both keep the cap; at most: how much shorter the balanced \
         partition's is without a cap. Any schedule: the shortest step of the \
         loop under {}; in turn: partition, then plan, under the one chosen.\n",
        args.schedule,
        args.micro_batches,
        if args.swap { "recomputation and swaps" } else { "recomputation alone" },
        args.work_limit,
        args.seed,
        args.any_of.iter().map(Schedule::to_string).collect::<Vec<_>>().join(", ")
    )
}

fn summary(gains: &[Gain]) -> String {
    let over = |which: fn(&Gain) -> Option<f64>| -> (usize, f64, f64) {
        let shares: Vec<f64> = gains.iter().filter_map(which).collect();
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        (shares.len(), mean, shares.iter().copied().fold(f64::INFINITY, f64::min))
    };
    let ((rows, mean, least), (_, most, _)) = (over(|gain| gain.of_loop), over(|gain| gain.at_most));
    let (chosen_rows, chosen_mean, chosen_least) = over(|gain| gain.of_choice);
    format!(
        "\nOver the {rows} rows on which the loop and another keep the cap: mean gain {mean:.1} %, least {least:.1} %; mean of \
         what a step without any cap would gain: {most:.1} %. Rows on which the loop alone keeps the cap: {}. With any schedule, \
         over {chosen_rows} rows: mean gain {chosen_mean:.1} %, least {chosen_least:.1} %.\n",
        gains.iter().filter(|gain| gain.loop_alone).count(),
    )
}

/// What is gained on a row: percent of the better rival's step, where both keep the cap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gain {
    /// By the loop.
    of_loop: Option<f64>,
    /// By a step without a cap.
    at_most: Option<f64>,
    /// By the loop under the best schedule.
    of_choice: Option<f64>,
    /// Does the loop alone keep the cap?
    loop_alone: bool,
}

/// The plans of one program under one cap.
struct Rivals {
    /// Memory of the devices, GiB.
    caps: String,
    no_cap: Score,
    uniform: Score,
    /// The loop's, with what it was given.
    found: Joint,
    /// Seconds of processor time the loop took.
    cpu_seconds: f64,
    /// The loop under the schedule whose step is the shortest.
    chosen: Option<(Schedule, Joint)>,
}

impl Rivals {
    fn plan(args: &Args, name: &str, graph: &Graph, (devices, share): (usize, u32)) -> Result<Self, Failure> {
        let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("{name}: {error}"));
        let failed = |error: ballast_remat::Error| Failure::Internal(format!("{name}: {error}"));
        let cluster = Cluster::from_count(devices).map_err(|error| bad(&error))?;
        let costs = Costs::estimate(graph, &cluster, None).costs;
        let layers = &layers(graph, &costs, Granularity::Op, MOST_PIECES).map_err(|error| bad(&error))?;
        let times = RunTimes::of(graph, &costs, &cluster, layers);
        let balanced = times.best_cuts(args.micro_batches, &|_, _, _| 0.0).ok_or_else(|| {
            let text = format!("{devices} stages for {} pieces of the forward pass", layers.pieces);
            bad(&text)
        })?;
        let free = site(args, Program { graph, costs: &costs, cluster: &cluster }, layers);
        let mut unlimited = Runs::new(&free).map_err(failed)?;
        let no_cap = unlimited.score(&balanced).map_err(failed)?;
        let stages = unlimited.of_cuts(&balanced).map_err(failed)?;
        let needs: Vec<u64> = stages.iter().map(|run| run.unplanned_need_bytes).collect();
        let (capped_cluster, caps) = under_cap(&cluster, args.cap_of, share, &needs);
        let capped = Site { cluster: &capped_cluster, cap: CapSpec::DeviceMemory, ..free.clone() };
        let alike = Site { uniform: true, ..capped.clone() };
        let uniform = Runs::new(&alike).and_then(|mut runs| runs.score(&balanced)).map_err(failed)?;
        let before = cpu_seconds();
        let ends = StopRule { max_rounds: args.max_rounds, max_ratio: 1.0, deadline: Deadline::after(None) };
        let found = Runs::new(&capped)
            .and_then(|mut runs| joint(&mut runs, &capped, &balanced, &ends))
            .map_err(failed)?;
        let cpu_seconds = cpu_seconds() - before;
        let choices = choices(&capped, &args.any_of, &ends).map_err(failed)?;
        let chosen = choices.into_iter().find_map(|choice| Some((choice.schedule, choice.joint?)));
        Ok(Self { caps, no_cap, uniform, found, cpu_seconds, chosen })
    }

    fn gain(&self) -> Gain {
        // A plan that misses the cap is no competitor.
        let (given, uniform) = (self.found.given, self.uniform);
        let rival = if uniform.partial_cmp(&given) == Some(Ordering::Less) { uniform } else { given };
        let keeps = |score: Score| score.short_bytes == 0;
        let share_of = |seconds: f64| 100.0 * (1.0 - seconds / rival.step_seconds);
        let beside = |score: Score| (keeps(rival) && keeps(score)).then(|| share_of(score.step_seconds));
        Gain {
            of_loop: beside(self.found.score),
            at_most: keeps(rival).then(|| share_of(self.no_cap.step_seconds)),
            of_choice: self.chosen.as_ref().and_then(|(_, joint)| beside(joint.score)),
            loop_alone: keeps(self.found.score) && !keeps(rival),
        }
    }

    fn row(&self, name: &str, devices: usize, share: u32) -> Vec<String> {
        let shown = |score: Score| {
            format!("{:.2}{}", score.step_seconds * 1e3, if score.short_bytes > 0 { "*" } else { "" })
        };
        let none = || "-".to_owned();
        let percent = |share: Option<f64>| share.map_or_else(none, |share| format!("{share:.1}"));
        let of_choice = |cell: &dyn Fn(&Schedule, &Joint) -> String| {
            self.chosen.as_ref().map_or_else(none, |(schedule, joint)| cell(schedule, joint))
        };
        let (gain, found) = (self.gain(), &self.found);
        vec![
            name.to_owned(),
            devices.to_string(),
            format!("{share} %"),
            self.caps.clone(),
            shown(self.no_cap),
            shown(found.given),
            shown(self.uniform),
            shown(found.score),
            percent(gain.of_loop),
            percent(gain.at_most),
            format!("{:.3}", found.score.bubble),
            found.rounds.to_string(),
            format!("{:.1}", self.cpu_seconds),
            of_choice(&|_, joint| shown(joint.score)),
            of_choice(&|schedule, _| schedule.to_string()),
            of_choice(&|_, joint| shown(joint.given)),
            percent(gain.of_choice),
        ]
    }
}

/// The program on devices without a cap.
fn site<'a>(args: &Args, program: Program<'a>, layers: &'a Layers) -> Site<'a> {
    let Program { graph, costs, cluster } = program;
    let limits =
        Limits { time_limit_seconds: None, work_limit: Some(args.work_limit), seed: args.seed, threads: 1 };
    Site {
        graph,
        costs,
        cluster,
        layers,
        spec: Spec { schedule: args.schedule, micro_batches: args.micro_batches },
        cap: CapSpec::Absolute(Bytes(u64::MAX >> 2)),
        memory: ballast_remat::Options {
            solver: ballast_remat::Solver::LOCAL_SEARCH,
            limits,
            ..ballast_remat::Options::default()
        },
        swap: args.swap,
        overlap: false,
        uniform: false,
    }
}

/// The devices with `share` percent of what their stages need, bytes, as memory, and that memory in GiB.
fn under_cap(cluster: &Cluster, cap_of: CapOf, share: u32, needs: &[u64]) -> (Cluster, String) {
    let most = needs.iter().copied().max().unwrap_or(0);
    let mut capped = cluster.clone();
    for (device, &own) in capped.devices.iter_mut().zip(needs) {
        let need = if cap_of == CapOf::Own { own } else { most };
        device.memory = Bytes((need as f64 * f64::from(share) / 100.0) as u64);
    }
    let memory = capped.devices.iter().map(|device| device.memory.as_f64() / f64::from(1 << 30));
    let (least, largest) = memory.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let shown = match cap_of {
        CapOf::Neediest => format!("{largest:.2}"),
        CapOf::Own => format!("{least:.2}-{largest:.2}"),
    };
    (capped, shown)
}
