//! XLA, through jaxlib: a Python script that ships with this program compiles, measures and runs.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use super::compare::{Taken, read_results};
use super::tools::{beside, capture};
use super::{Args, Measured};
use crate::Failure;

/// The script, so that the program needs no file beside it.
pub(crate) const SCRIPT: &str = include_str!("../../../xla/run.py");
/// Timed runs; the shortest counts.
const RUNS: &str = "3";

/// What the script prints.
#[derive(Deserialize)]
struct Answer {
    temporary_bytes: u64,
    argument_bytes: u64,
    result_bytes: u64,
    alias_bytes: u64,
    flops: Option<f64>,
    seconds: Option<f64>,
    device_peak_bytes: Option<u64>,
    #[serde(default)]
    results: Vec<Taken>,
}

/// Compiles a program, and runs it unless told otherwise.
pub(super) fn measure(
    program: &Path,
    planned: bool,
    args: &Args,
    limit: Duration,
) -> Result<Measured, Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let what = program.display().to_string();
    let io = |error: std::io::Error| Failure::BadInput(format!("{what}: {error}"));
    let lowered = folder.path().join("program.mlir");
    let mut lower = Command::new(beside("ballast-opt")?);
    // XLA parses StableHLO in generic form, as stock MLIR prints it.
    lower.arg(program).args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "-o"]).arg(&lowered);
    if planned {
        lower.arg(format!("--ballast-to-stablehlo=function='{}'", args.function));
    }
    capture(&mut lower, &what, limit)?;
    let script = folder.path().join("run.py");
    std::fs::write(&script, SCRIPT).map_err(io)?;
    let results = folder.path().join("results.bin");
    let mut run = Command::new(&args.python);
    run.arg(&script).arg(&lowered).arg(format!("--seed={}", args.seed)).arg(format!("--runs={RUNS}"));
    run.arg(format!("--platform={}", args.platform));
    if !args.compile_only {
        run.arg("--results").arg(&results);
    }
    let output = capture(&mut run, &what, limit)?;
    let answer: Answer = serde_json::from_slice(&output)
        .map_err(|error| Failure::Internal(format!("{what}: the answer of XLA is no JSON: {error}")))?;
    let results = if args.compile_only {
        Vec::new()
    } else {
        read_results(&answer.results, &std::fs::read(&results).map_err(io)?).map_err(Failure::Internal)?
    };
    let held = answer.temporary_bytes + answer.argument_bytes + answer.result_bytes;
    Ok(Measured {
        seconds: answer.seconds,
        device_peak_bytes: answer.device_peak_bytes,
        peak_bytes: held.saturating_sub(answer.alias_bytes),
        temporary_bytes: Some(answer.temporary_bytes),
        flops: answer.flops,
        results,
        ..Measured::default()
    })
}
