//! `cargo xtask bench deadlines`: every command and pass with a time limit, on the largest input of its kind in the tree; how
//! much longer than the limit the whole process takes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use super::{machine, program_graphs};
use crate::say;
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench deadlines`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Limits, seconds.
    #[arg(long, num_args = 1.., default_values = ["0.1", "1"])]
    limits: Vec<f64>,
    /// Only runs with this in their line.
    #[arg(long)]
    only: Option<String>,
}

/// Passes over a program, LIMIT standing for the seconds of each.
const PASSES: [&[&str]; 12] = [
    &["--rl-partition=devices=4 time-limit=LIMIT"],
    &["--rl-partition=devices=8 use-all-devices=true time-limit=LIMIT"],
    &["--rl-partition=devices=4 method=dp order=memory time-limit=LIMIT"],
    &["--rl-partition=devices=4 method=exact time-limit=LIMIT"],
    &["--rl-partition=devices=4 method=rl time-limit=LIMIT"],
    &["--rl-partition=devices=4 method=genetic time-limit=LIMIT"],
    &["--rl-partition=devices=4 schedule=1f1b micro-batches=16 time-limit=LIMIT"],
    &["--rl-partition=devices=2 schedule=interleaved micro-batches=512 time-limit=LIMIT"],
    &["--remat=cap=60% time-limit=LIMIT"],
    &["--remat=cap=60% swap=false time-limit=LIMIT"],
    &["--remat=cap=60% order=free time-limit=LIMIT"],
    &["--remat=cap=60% solver=q-learning time-limit=LIMIT"],
];

/// Commands, GRAPH standing for a program's graph file, WORKLOAD and CLUSTER for files of the tree, OUT for an output.
const COMMANDS: [&str; 15] = [
    "remat GRAPH --budget 2GiB --time-limit LIMIT -o OUT",
    "remat GRAPH --budget 2GiB --bandwidth 16GiB --time-limit LIMIT -o OUT",
    "curve GRAPH --points 100 --time-limit LIMIT -o OUT",
    "partition WORKLOAD --any --time-limit LIMIT -o OUT",
    "partition WORKLOAD --contiguous --time-limit LIMIT -o OUT",
    "lab genetic LAYERS --devices 1000 --time-limit LIMIT -o OUT",
    "lab genetic LAYERS --devices 1000 --exact --time-limit LIMIT -o OUT",
    "lab genetic LAYERS --devices 1000 --dynamic --time-limit LIMIT -o OUT",
    "lab genetic LAYERS --devices 1000 --dynamic --exact --time-limit LIMIT -o OUT",
    "lab swaps GRAPH --devices a100-80gb --cap 60% --time-limit LIMIT -o OUT",
    "lab train partition --environments 4096 --time-limit LIMIT -o OUT",
    "lab train dag --episodes 4096 --time-limit LIMIT -o OUT",
    "lab train place --cluster CLUSTER --widths 1,2 --batches 64 --time-limit LIMIT -o OUT",
    "lab train place-table --load 1000 --time-limit LIMIT -o OUT",
    "lab train place-table --batches 1000 --time-limit LIMIT -o OUT",
];

/// Prints a table, the worst overrun last.
///
/// # Errors
/// Runs that end otherwise than with an answer or a word that there is no plan.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let root = &workspace.root;
    let models = ["resnet50_train_b32.mlir", "gpt2_small_b4_s512.mlir"]
        .map(|name| root.join("tests/inputs/models").join(name));
    let graphs = program_graphs(workspace, &models, Some("none"))?;
    let places = [
        ("GRAPH", graphs[0].clone()),
        ("WORKLOAD", root.join("tests/inputs/dnn-partitioning/LayerGraphs/bert24_training.json")),
        ("LAYERS", root.join("tools/soak/corpus/layers/ten-layers.toml")),
        ("CLUSTER", root.join("tools/soak/corpus/faults/cluster.json")),
        ("OUT", workspace.release.join("bench/deadline.out")),
    ];
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for model in &models {
        for flags in PASSES {
            let words = flags.iter().map(|&flag| flag.to_owned());
            let file = model.display().to_string();
            let all = [file, "--allow-unregistered-dialect".into(), "-o".into(), "/dev/null".into()];
            lines.push(("ballast-opt".into(), all.into_iter().chain(words).collect()));
        }
    }
    for command in COMMANDS {
        let place = |word: &str| {
            let found = places.iter().find(|(name, _)| *name == word);
            found.map_or(word.to_owned(), |(_, path)| path.display().to_string())
        };
        lines.push(("ballast".into(), command.split(' ').map(place).collect()));
    }
    say!("Whole processes, seconds above the limit; {}.\n", machine(workspace)?);
    let titles: String = args.limits.iter().map(|limit| format!(" limit {limit} s |")).collect();
    say!("| run |{titles}\n|---|{}", "---|".repeat(args.limits.len()));
    let mut worst = (f64::NEG_INFINITY, String::new());
    for (program, words) in &lines {
        let name = shown(root, program, words);
        if args.only.as_ref().is_some_and(|part| !name.contains(part.as_str())) {
            continue;
        }
        let mut row = format!("| `{name}` |");
        for &limit in &args.limits {
            step(&format!("{name}, {limit} s"));
            let over = overrun(workspace, program, words, limit)?;
            row += &format!(" {over:.2} |");
            if over > worst.0 {
                worst = (over, name.clone());
            }
        }
        say!("{row}");
    }
    say!("\nWorst: {:.2} s, `{}`.", worst.0, worst.1);
    Ok(())
}

/// A line as the table has it: files by name alone.
fn shown(root: &Path, program: &str, words: &[String]) -> String {
    let short = |word: &String| match Path::new(word).strip_prefix(root) {
        Ok(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        Err(_) => word.clone(),
    };
    let kept = words
        .iter()
        .filter(|word| !["--allow-unregistered-dialect", "-o", "/dev/null"].contains(&word.as_str()));
    format!("{program} {}", kept.map(short).collect::<Vec<_>>().join(" "))
}

/// Seconds that a process takes above a limit.
fn overrun(workspace: &Workspace, program: &str, words: &[String], limit: f64) -> Result<f64> {
    let words = words.iter().map(|word| word.replace("LIMIT", &limit.to_string()));
    let mut command = Command::new(workspace.program(program));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let begin = Instant::now();
    let output = command.output()?;
    let seconds = begin.elapsed().as_secs_f64();
    // Code 1: a search that ended without a plan, which short ones may.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(seconds - limit)
}
