//! `cargo xtask bench remat` and `bench partition`: folders of JSON instances through `ballast`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::cmd;

use super::{file_name, from_here, machine};
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench remat`.
#[derive(clap::Args)]
pub(crate) struct RematArgs {
    /// Folder of instances whose `budgets` map names to bytes.
    folder: PathBuf,
    /// Order of first runs: program or free.
    #[arg(long, default_value = "program")]
    order: String,
    #[command(flatten)]
    common: Common,
}

/// Arguments of `cargo xtask bench partition`.
#[derive(clap::Args)]
pub(crate) struct PartitionArgs {
    /// Folder of workloads.
    folder: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// Only files whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Seconds per plan.
    #[arg(long, default_value = "60")]
    time_limit: f64,
    /// Seed of every search.
    #[arg(long, default_value = "1")]
    seed: u64,
}

/// One row per instance and budget, recomputation only.
pub(crate) fn remat(workspace: &Workspace, args: &RematArgs) -> Result<()> {
    let (order, limit, seed) =
        (&args.order, args.common.time_limit.to_string(), args.common.seed.to_string());
    println!(
        "`ballast remat INSTANCE --budget BYTES --no-swap --order {order} --time-limit {limit} --seed {seed}`, {}.\n\n\
         | instance | nodes | edges | budget | bytes | overhead % | bound % | proved | recomputes | peak bytes | s | stopped by |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|",
        machine(workspace)?
    );
    for file in json_files(&from_here(&args.folder)?, &args.common.only)? {
        let instance = read(&file)?;
        let Some(budgets) = instance["budgets"].as_object() else {
            bail!("{} has no budgets", file.display());
        };
        for (name, bytes) in budgets {
            let bytes =
                bytes.as_u64().with_context(|| format!("{}: budget {name}", file.display()))?.to_string();
            let arguments = ["--budget", &bytes, "--no-swap", "--order", order];
            let answer = solve(workspace, "remat", &file, &arguments, &args.common)?;
            println!(
                "| {} | {} | {} | {name} | {bytes} | {} |",
                file_name(&file).trim_end_matches(".json"),
                length(&instance["nodes"]),
                length(&instance["edges"]),
                remat_cells(&answer)
            );
        }
    }
    Ok(())
}

/// Two rows per workload: devices that form a pipeline, and any plan.
pub(crate) fn partition(workspace: &Workspace, args: &PartitionArgs) -> Result<()> {
    let (limit, seed) = (args.common.time_limit, args.common.seed);
    println!(
        "`ballast partition WORKLOAD --contiguous|--any --time-limit {limit} --seed {seed}`, {}.\n\n\
         | workload | nodes | edges | accelerators | plans | max load | bound | gap % | proved | s | stopped by |\n\
         |---|---|---|---|---|---|---|---|---|---|---|",
        machine(workspace)?
    );
    for file in json_files(&from_here(&args.folder)?, &args.common.only)? {
        let workload = read(&file)?;
        for plans in ["contiguous", "any"] {
            let answer = solve(workspace, "partition", &file, &[&format!("--{plans}")], &args.common)?;
            println!(
                "| {} | {} | {} | {} | {plans} | {} |",
                file_name(&file).trim_end_matches(".json"),
                length(&workload["nodes"]),
                length(&workload["edges"]),
                workload["maxFPGAs"],
                partition_cells(&answer)
            );
        }
    }
    Ok(())
}

fn solve(
    workspace: &Workspace,
    command: &str,
    file: &Path,
    arguments: &[&str],
    common: &Common,
) -> Result<Value> {
    step(&format!("{command} {}: {}", file_name(file), arguments.join(" ")));
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let (ballast, output) = (workspace.program("ballast"), folder.join("answer.json"));
    let (limit, seed) = (common.time_limit.to_string(), common.seed.to_string());
    let answer = cmd!(workspace.shell, "{ballast} {command} {file} -o {output} {arguments...}")
        .args(["--time-limit", &limit, "--seed", &seed])
        .quiet()
        // 1: there is no plan under this budget, which is an answer.
        .ignore_status()
        .read()?;
    if answer.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&answer)
        .with_context(|| format!("ballast {command} printed more than one JSON object"))
}

fn remat_cells(answer: &Value) -> String {
    if answer.is_null() {
        return "no plan | | | | | |".to_owned();
    }
    format!(
        "{} | {} | {} | {} | {} | {} | {}",
        fixed(&answer["overhead_percent"], 3),
        fixed(&answer["bound_percent"], 3),
        answer["proved"],
        answer["recomputes"],
        answer["peak_bytes"],
        fixed(&answer["seconds"], 1),
        answer["stop_reason"].as_str().unwrap_or_default()
    )
}

fn partition_cells(answer: &Value) -> String {
    if answer.is_null() {
        return "no plan | | | | |".to_owned();
    }
    format!(
        "{} | {} | {} | {} | {} | {}",
        fixed(&answer["value"], 6),
        fixed(&answer["bound"], 6),
        answer["gap"].as_f64().map_or(String::new(), |gap| format!("{:.3}", gap * 100.0)),
        answer["proved"],
        fixed(&answer["seconds"], 1),
        answer["stop_reason"].as_str().unwrap_or_default()
    )
}

fn fixed(value: &Value, digits: usize) -> String {
    value.as_f64().map_or(String::new(), |value| format!("{value:.digits$}"))
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

fn read(file: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

/// The `.json` files of a folder and its subfolders whose name contains `only`, sorted.
fn json_files(folder: &Path, only: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json")
                && file_name(&path).contains(only)
            {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        bail!("no .json file in {}", folder.display());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{partition_cells, remat_cells};

    #[test]
    fn a_row_has_as_many_cells_with_a_plan_as_without() {
        let answer = json!({ "value": 2.5, "bound": 2.0, "gap": 0.2, "proved": false, "seconds": 1.26,
            "stop_reason": "time-limit", "overhead_percent": 4.0, "bound_percent": null, "recomputes": 3,
            "peak_bytes": 17 });
        assert_eq!(remat_cells(&answer), "4.000 |  | false | 3 | 17 | 1.3 | time-limit");
        assert_eq!(partition_cells(&answer), "2.500000 | 2.000000 | 20.000 | false | 1.3 | time-limit");
        let cells = |text: String| text.split('|').count();
        assert_eq!(cells(remat_cells(&Value::Null)), cells(remat_cells(&answer)));
        assert_eq!(cells(partition_cells(&Value::Null)), cells(partition_cells(&answer)));
    }
}
