//! `ballast lab bench joint`: the loop of partition and memory plan for pipelines, against planning one after the other.

use std::fmt::Write as _;
use std::path::PathBuf;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, Device};
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits, interrupted};
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{RunTimes, layers};
use ballast_partition::sequence::Granularity;
use ballast_planner::pipelined::{MOST_PIECES, Runs, Score, Site, StopRule, choices, joint};

use crate::failure::Failure;
use crate::graph_file;
use crate::output;
use crate::output::paths;
use crate::ranges::count;
use crate::statistics::cpu_seconds;

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
    let mut table = format!(
        "Schedule {}, {} micro-batches, {}, {} search steps per memory plan, seed {}. Step times in milliseconds, \
         from the event simulation, recomputation and transfers included; a * marks plans that miss the cap. Gain: how much \
         shorter the loop's step is than the shorter of the two others, where both keep the cap; at most: how much shorter the balanced \
         partition's is without a cap. Any schedule: the shortest step of the \
         loop under {}; in turn: partition, then plan, under the one chosen.\n\n\
         | program | devices | cap | GiB | no cap | partition, then plan | uniform | loop | gain % | at most % | bubble | partitions \
         planned | CPU s | any schedule | chosen | in turn | gain % |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        args.schedule,
        args.micro_batches,
        if args.swap { "recomputation and swaps" } else { "recomputation alone" },
        args.work_limit,
        args.seed,
        args.any_of.iter().map(Schedule::to_string).collect::<Vec<_>>().join(", ")
    );
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
                gains.push(row(&mut table, args, &name, &graph, (devices, share))?);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    let over = |which: fn(&Gain) -> Option<f64>| -> (usize, f64, f64) {
        let shares: Vec<f64> = gains.iter().filter_map(which).collect();
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        (shares.len(), mean, shares.iter().copied().fold(f64::INFINITY, f64::min))
    };
    let ((rows, mean, least), (_, most, _)) = (over(|gain| gain.of_loop), over(|gain| gain.at_most));
    let (chosen_rows, chosen_mean, chosen_least) = over(|gain| gain.of_choice);
    let written = writeln!(
        table,
        "\nOver the {rows} rows on which the loop and another keep the cap: mean gain {mean:.1} %, least {least:.1} %; mean of \
         what a step without any cap would gain: {most:.1} %. Rows on which the loop alone keeps the cap: {}. With any schedule, \
         over {chosen_rows} rows: mean gain {chosen_mean:.1} %, least {chosen_least:.1} %.",
        gains.iter().filter(|gain| gain.loop_alone).count(),
    );
    written.map_err(|error| Failure::Internal(error.to_string()))?;
    output::write_text(&table, args.output.as_deref())
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

/// Writes one row.
fn row(
    table: &mut String,
    args: &Args,
    name: &str,
    graph: &Graph,
    (devices, share): (usize, u32),
) -> Result<Gain, Failure> {
    let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("{name}: {error}"));
    let cluster = Cluster::from_count(devices).map_err(|error| bad(&error))?;
    let costs = Costs::estimate(graph, &cluster, None).costs;
    let layers = &layers(graph, &costs, Granularity::Op, MOST_PIECES).map_err(|error| bad(&error))?;
    let times = RunTimes::of(graph, &costs, &cluster, layers);
    let balanced = times.best_cuts(args.micro_batches, &|_, _, _| 0.0).ok_or_else(|| {
        let text = format!("{devices} stages for {} pieces of the forward pass", layers.pieces);
        bad(&text)
    })?;
    let spec = Spec { schedule: args.schedule, micro_batches: args.micro_batches };
    let memory = ballast_remat::Options {
        solver: ballast_remat::Solver::LOCAL_SEARCH,
        limits: Limits {
            time_limit_seconds: None,
            work_limit: Some(args.work_limit),
            seed: args.seed,
            threads: 1,
        },
        ..ballast_remat::Options::default()
    };
    let free = Site {
        graph,
        costs: &costs,
        cluster: &cluster,
        layers,
        spec,
        cap: CapSpec::Absolute(Bytes(u64::MAX >> 2)),
        memory,
        swap: args.swap,
        overlap: false,
        uniform: false,
    };
    let failed = |error: ballast_remat::Error| Failure::Internal(format!("{name}: {error}"));
    let mut unlimited = Runs::new(&free).map_err(failed)?;
    let no_cap = unlimited.score(&balanced).map_err(failed)?;
    let stages = unlimited.of_cuts(&balanced).map_err(failed)?;
    let most = stages.iter().map(|run| run.unplanned_need_bytes).max().unwrap_or(0);
    let mut capped_cluster = cluster.clone();
    for (device, run) in capped_cluster.devices.iter_mut().zip(&stages) {
        let need = if args.cap_of == CapOf::Own { run.unplanned_need_bytes } else { most };
        device.memory = Bytes((need as f64 * f64::from(share) / 100.0) as u64);
    }
    let gibibytes = |device: &Device| device.memory.as_f64() / f64::from(1 << 30);
    let memory = capped_cluster.devices.iter().map(gibibytes);
    let (least, largest) = memory.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let shown_caps = match args.cap_of {
        CapOf::Neediest => format!("{largest:.2}"),
        CapOf::Own => format!("{least:.2}-{largest:.2}"),
    };
    let capped = Site { cluster: &capped_cluster, cap: CapSpec::DeviceMemory, ..free.clone() };
    let alike = Site { uniform: true, ..capped.clone() };
    let uniform = Runs::new(&alike).and_then(|mut runs| runs.score(&balanced)).map_err(failed)?;
    let before = cpu_seconds();
    let ends = StopRule { max_rounds: args.max_rounds, max_ratio: 1.0, deadline: Deadline::after(None) };
    let found = Runs::new(&capped)
        .and_then(|mut runs| joint(&mut runs, &capped, &balanced, &ends))
        .map_err(failed)?;
    let cpu = cpu_seconds() - before;
    let chosen = choices(&capped, &args.any_of, &ends).map_err(failed)?;
    let chosen = chosen.into_iter().find_map(|choice| Some((choice.schedule, choice.joint?)));
    let shown = |score: Score| {
        format!("{:.2}{}", score.step_seconds * 1e3, if score.short_bytes > 0 { "*" } else { "" })
    };
    // A plan that misses the cap is no competitor.
    let rival = [found.given, uniform]
        .into_iter()
        .min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let rival = rival.unwrap_or(found.given);
    let keeps = |score: Score| score.short_bytes == 0;
    let share_of = |seconds: f64| 100.0 * (1.0 - seconds / rival.step_seconds);
    let beside = |score: Score| (keeps(rival) && keeps(score)).then(|| share_of(score.step_seconds));
    let gain = Gain {
        of_loop: beside(found.score),
        at_most: keeps(rival).then(|| share_of(no_cap.step_seconds)),
        of_choice: chosen.as_ref().and_then(|(_, joint)| beside(joint.score)),
        loop_alone: keeps(found.score) && !keeps(rival),
    };
    let percent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.1}"));
    let chosen = match &chosen {
        Some((schedule, joint)) => format!("{} | {schedule} | {}", shown(joint.score), shown(joint.given)),
        None => "- | - | -".to_owned(),
    };
    let written = writeln!(
        table,
        "| {name} | {devices} | {share} % | {shown_caps} | {} | {} | {} | {} | {} | {} | {:.3} | {} | {cpu:.1} | {chosen} | {} |",
        shown(no_cap),
        shown(found.given),
        shown(uniform),
        shown(found.score),
        percent(gain.of_loop),
        percent(gain.at_most),
        found.score.bubble,
        found.rounds,
        percent(gain.of_choice),
    );
    written.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(gain)
}
