//! `cargo xtask bench xla`: peaks as plans predict them beside the temporaries of XLA's CPU compiler, for every StableHLO
//! program of a folder, as it is and planned under shares of what XLA takes for it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::cmd;

use super::{file_name, from_here};
use crate::jax;
use crate::say;
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench xla`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of `.mlir` files; those without StableHLO ops are left out. The project's own examples without it.
    folder: Option<PathBuf>,
    /// Caps, percent of the temporaries XLA takes for the program as it is.
    #[arg(long, value_delimiter = ',', default_value = "75,50")]
    caps: Vec<u32>,
    /// Seconds for each memory plan.
    #[arg(long, default_value = "20")]
    time_limit: f64,
    /// Seed of every search.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// A Python with jaxlib, instead of the one the tests use.
    #[arg(long)]
    python: Option<PathBuf>,
}

/// Prints one Markdown table.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => from_here(folder)?,
        None => workspace.root.join("tests/inputs/models"),
    };
    let python = match &args.python {
        Some(python) => from_here(python)?,
        None => jax::install_if_missing(workspace)?,
    };
    let mut programs = workspace.shell.read_dir(&folder)?;
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    say!("{HEAD}");
    for program in &programs {
        if !workspace.shell.read_file(program)?.contains("stablehlo.") {
            continue;
        }
        let name = file_name(program);
        step(&format!("{name}, as it is"));
        let bench = Bench { workspace, python: &python, args, program };
        let plain = bench.measure(None)?;
        say!("{}", row(&name, None, &plain, &plain));
        for &cap in &args.caps {
            step(&format!("{name}, {cap} %"));
            let bytes = (plain.temporaries * f64::from(cap) / 100.0).floor();
            match bench.measure(Some(bytes)) {
                Ok(planned) => say!("{}", row(&name, Some((cap, bytes)), &plain, &planned)),
                Err(reason) => {
                    step(&format!("{name}, {cap} %: {reason:#}"));
                    say!("| {name} | {cap}, {:.2} | no plan | | | |", bytes / 1e6);
                }
            }
        }
    }
    Ok(())
}

const HEAD: &str = "| program | cap %, MB | predicted MB | XLA's temporaries MB | predicted over measured | operations \
                    over unplanned |\n|---|---|---|---|---|---|";

struct Bench<'b> {
    workspace: &'b Workspace,
    python: &'b Path,
    args: &'b Args,
    program: &'b Path,
}

struct Figures {
    predicted: f64,
    temporaries: f64,
    operations: f64,
}

impl Bench<'_> {
    /// Plans under a cap in bytes, or not at all, and lets XLA compile the outcome.
    fn measure(&self, cap: Option<f64>) -> Result<Figures> {
        let Bench { workspace, python, args, program } = self;
        let folder = workspace.release.join("bench");
        workspace.shell.create_dir(&folder)?;
        let (plan, output) = (folder.join("plan.json"), folder.join("xla.mlir"));
        let driver = workspace.program("ballast-opt");
        // What a program takes as it is, the plan says under a cap that changes nothing.
        let as_it_is = cap.is_none();
        let fusion = if as_it_is { "xla-cpu-as-is" } else { "xla-cpu" };
        let cap = cap.map_or("100%".to_owned(), |bytes| format!("{bytes}"));
        let (limit, seed) = (args.time_limit, args.seed);
        let generic = ["--allow-unregistered-dialect", "--mlir-print-op-generic", "-o"];
        cmd!(workspace.shell, "{driver} {program} {generic...} {output}")
            .arg(format!(
                "--remat=cap={cap} cap-counts=temp fusion={fusion} swap=false time-limit={limit} seed={seed} plan-file='{}'",
                plan.display()
            ))
            .args(["--ballast-verify", "--ballast-to-stablehlo"])
            .quiet()
            .run()?;
        if as_it_is {
            // What is measured is the program itself: a plan that changes nothing still holds ops back.
            cmd!(workspace.shell, "{driver} {program} {generic...} {output}").quiet().run()?;
        }
        let plan: Value =
            serde_json::from_str(&workspace.shell.read_file(&plan)?).context("the plan file is not JSON")?;
        let script = workspace.root.join("tools/xla/run.py");
        let answer = cmd!(workspace.shell, "{python} {script} {output}").quiet().read()?;
        let answer: Value = serde_json::from_str(&answer).context("XLA's answer is not JSON")?;
        let number = |value: &Value, what: &str| value.as_f64().with_context(|| format!("no {what}"));
        Ok(Figures {
            predicted: number(&plan["stages"][0]["peak_bytes"], "peak in the plan")?,
            temporaries: number(&answer["temporary_bytes"], "temporaries from XLA")?,
            operations: number(&answer["flops"], "operations from XLA")?,
        })
    }
}

fn row(name: &str, cap: Option<(u32, f64)>, plain: &Figures, figures: &Figures) -> String {
    let cap = cap.map_or("none".to_owned(), |(percent, bytes)| format!("{percent}, {:.2}", bytes / 1e6));
    format!(
        "| {name} | {cap} | {:.2} | {:.2} | {:.3} | {:.3} |",
        figures.predicted / 1e6,
        figures.temporaries / 1e6,
        figures.predicted / figures.temporaries.max(1.0),
        figures.operations / plain.operations.max(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::{Figures, row};

    #[test]
    fn a_row_compares_prediction_and_measurement() {
        let plain = Figures { predicted: 9.0e6, temporaries: 10.0e6, operations: 4.0 };
        let planned = Figures { predicted: 5.0e6, temporaries: 4.0e6, operations: 5.0 };
        assert_eq!(row("m", None, &plain, &plain), "| m | none | 9.00 | 10.00 | 0.900 | 1.000 |");
        assert_eq!(
            row("m", Some((50, 5.0e6)), &plain, &planned),
            "| m | 50, 5.00 | 5.00 | 4.00 | 1.250 | 1.250 |"
        );
    }
}
