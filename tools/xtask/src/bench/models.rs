//! `cargo xtask bench models`: every program of a folder through `ballast-opt`, over device counts and caps.
//!
//! Each plan is verified from the written IR alone before its row is printed.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::cmd;

use super::{file_name, from_here, machine};
use crate::say;
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench models`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of `.mlir` files; the project's own examples without it.
    folder: Option<PathBuf>,
    /// Numbers of devices.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    devices: Vec<u32>,
    /// Caps, percent of each stage's unplanned peak.
    #[arg(long, value_delimiter = ',', default_value = "100,70,50")]
    caps: Vec<u32>,
    /// Seconds for the partition, and again for the memory plans.
    #[arg(long, default_value = "10")]
    time_limit: f64,
    /// Seed of every search.
    #[arg(long, default_value = "1")]
    seed: u64,
}

/// Prints one Markdown table per program.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => from_here(folder)?,
        None => workspace.root.join("tests/inputs/models"),
    };
    let mut models = workspace.shell.read_dir(&folder)?;
    models.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    if models.is_empty() {
        bail!("no .mlir file in {}", folder.display());
    }
    say!("{}", heading(workspace, args)?);
    let mut slowest = 0f64;
    let mut relaxed = 0;
    let mut runs = 0;
    for model in &models {
        say!("## {}\n\n{}", file_name(model), TABLE_HEAD);
        for &devices in &args.devices {
            for &cap in &args.caps {
                let row = measure(workspace, args, model, devices, cap)?;
                say!("{}", row.text);
                slowest = slowest.max(row.seconds);
                relaxed += usize::from(row.relaxed);
                runs += 1;
            }
        }
        say!("");
    }
    say!("{runs} plans, all verified, {relaxed} under a relaxed cap; the slowest took {slowest:.1} s.");
    Ok(())
}

const TABLE_HEAD: &str = "| devices | cap % | s | tmax ms | bound ms | gap % | tmax/tmin | recomputed ops | swapped MB \
                          | relaxed caps: asked, used, smallest found (MB) | no placement keeps \
                          |\n|---|---|---|---|---|---|---|---|---|---|---|";

struct Row {
    text: String,
    seconds: f64,
    relaxed: bool,
}

fn heading(workspace: &Workspace, args: &Args) -> Result<String> {
    Ok(format!(
        "<!-- Written by `cargo xtask bench models`; do not edit. -->\n\n# The pipeline on exported programs\n\n\
         `ballast-opt MODEL --allow-unregistered-dialect --rl-partition=\"devices=N time-limit={limit} seed={seed}\" \
         --remat=\"cap=C% time-limit={limit} seed={seed}\"`, each plan accepted by `--ballast-verify` on the written IR. \
         Devices are of the default kind, caps are percentages of each stage's unplanned peak, s is wall-clock time \
         of the whole command, on {}. The last column says how many of the raised caps would be so under any \
         placement, as far as is known without a search. Under a time limit figures vary from run to run.\n\n\
         Programs that `tests/inputs/models` has are part of the repository, where its `README.md` says what they are. \
         The others are too large for it: `python -m ballast.export.jax` and `python -m ballast.export.torch` write \
         programs like them (docs/exporting.md).\n",
        machine(workspace)?,
        limit = args.time_limit,
        seed = args.seed,
    ))
}

fn measure(workspace: &Workspace, args: &Args, model: &Path, devices: u32, cap: u32) -> Result<Row> {
    step(&format!("{}: {devices} devices, {cap} %", file_name(model)));
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let (plan, output) = (folder.join("plan.json"), folder.join("out.mlir"));
    let driver = workspace.program("ballast-opt");
    let (limit, seed) = (args.time_limit, args.seed);
    let start = Instant::now();
    let planned = cmd!(workspace.shell, "{driver} {model} --allow-unregistered-dialect -o {output}")
        .arg(format!("--rl-partition=devices={devices} time-limit={limit} seed={seed}"))
        .arg(format!("--remat=cap={cap}% time-limit={limit} seed={seed} plan-file='{}'", plan.display()))
        .quiet()
        .output()?;
    let seconds = start.elapsed().as_secs_f64();
    cmd!(workspace.shell, "{driver} {output} --allow-unregistered-dialect --ballast-verify -o /dev/null")
        .quiet()
        .run()?;
    let plan =
        serde_json::from_str(&workspace.shell.read_file(&plan)?).context("the plan file is not JSON")?;
    row(&plan, devices, cap, (seconds, unavoidable(&String::from_utf8_lossy(&planned.stderr))))
}

/// How many of the raised caps no placement keeps, as far as the warning knows.
fn unavoidable(warnings: &str) -> Option<&str> {
    let (_, known) = warnings.split_once(": note: at least ")?;
    known.split_once(' ').map(|(number, _)| number)
}

fn row(plan: &Value, devices: u32, cap: u32, (seconds, unavoidable): (f64, Option<&str>)) -> Result<Row> {
    let number =
        |value: &Value, what: &str| value.as_f64().with_context(|| format!("the plan has no {what}"));
    let stages = plan["stages"].as_array().context("the plan has no stages")?;
    let sum = |field: &str| -> Result<f64> { stages.iter().map(|stage| number(&stage[field], field)).sum() };
    let mut relaxed = Vec::new();
    for stage in stages {
        let asked = number(&stage["requested_cap_bytes"], "requested_cap_bytes")?;
        let used = number(&stage["cap_bytes"], "cap_bytes")?;
        if used > asked {
            let smallest = stage["smallest_cap_bytes"].as_f64().unwrap_or(used);
            relaxed.push(format!("{:.1}, {:.1}, {:.1}", asked / 1e6, used / 1e6, smallest / 1e6));
        }
    }
    let ratio = plan["balance"]["ratio"].as_f64().map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
    let text = format!(
        "| {devices} | {cap} | {seconds:.1} | {:.3} | {:.3} | {:.2} | {ratio} | {} | {:.1} | {} | {} |",
        number(&plan["balance"]["tmax_seconds"], "tmax_seconds")? * 1e3,
        number(&plan["bound_seconds"], "bound_seconds")? * 1e3,
        number(&plan["gap"], "gap")? * 100.0,
        sum("recomputes")?,
        sum("swap_bytes")? / 1e6,
        relaxed.join("; "),
        unavoidable.unwrap_or_default(),
    );
    Ok(Row { text, seconds, relaxed: !relaxed.is_empty() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{row, unavoidable};

    #[test]
    fn a_row_names_relaxed_caps_and_sums_stages() {
        let stage = |requested: u64, used: u64, smallest: Option<u64>| {
            json!({ "requested_cap_bytes": requested, "cap_bytes": used, "smallest_cap_bytes": smallest,
                    "recomputes": 3, "swap_bytes": 500_000 })
        };
        let mut plan = json!({
            "balance": { "tmax_seconds": 0.25, "ratio": null }, "bound_seconds": 0.2, "gap": 0.2,
            "stages": [stage(1_000_000, 2_000_000, Some(1_500_000)), stage(1_000_000, 1_000_000, None)],
        });
        let found = row(&plan, 2, 50, (1.04, Some("1"))).unwrap();
        let expected = "| 2 | 50 | 1.0 | 250.000 | 200.000 | 20.00 | none | 6 | 1.0 | 1.0, 2.0, 1.5 | 1 |";
        assert_eq!(found.text, expected);
        assert!(found.relaxed);
        plan["stages"][0]["cap_bytes"] = json!(null);
        assert!(row(&plan, 2, 50, (1.0, None)).is_err());
    }

    #[test]
    fn what_no_placement_keeps_is_read_from_the_warning() {
        let said =
            "m.mlir:3:1: note: at least 12 of the 14 caps raised would be so under any placement: ...\n";
        assert_eq!(unavoidable(said), Some("12"));
        assert_eq!(
            unavoidable("m.mlir:3:1: warning: no memory plan keeps the cap of device 3: asked 1 MiB\n"),
            None
        );
    }
}
