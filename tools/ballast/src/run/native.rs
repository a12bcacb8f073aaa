//! MLIR's own CPU route: bufferized, lowered to LLVM, run by `mlir-runner` on counted heaps.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::Measured;
use super::compare::{Taken, read_results};
use super::tools::{beside, capture, llvm};
use crate::Failure;

/// What the run-time library writes.
#[derive(Deserialize)]
struct Figures {
    seconds: f64,
    peak_bytes: u64,
    host_peak_bytes: u64,
    leaked_bytes: u64,
    results: Vec<Taken>,
}

/// Compiles and runs a program in a folder of its own.
pub(super) fn measure(program: &Path, planned: bool, function: &str, seed: u64) -> Result<Measured, Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let compiled = folder.path().join("program.mlir");
    let what = program.display().to_string();
    let options = format!("--ballast-to-native=apply={planned} entry=true seed={seed} function='{function}'");
    capture(
        Command::new(beside("ballast-opt")?)
            .arg(program)
            .arg("--allow-unregistered-dialect")
            .arg(options)
            .arg("-o")
            .arg(&compiled),
        &what,
    )?;
    let mut library = std::ffi::OsString::from("--shared-libs=");
    library.push(beside("libballast_runtime.so")?);
    capture(
        Command::new(llvm("mlir-runner"))
            .args(["-O3", "-e", "ballast_entry", "--entry-point-result=void"])
            .arg(library)
            .arg(&compiled)
            .current_dir(folder.path()),
        &what,
    )?;
    let read = |name: &str| {
        std::fs::read(folder.path().join(name))
            .map_err(|error| Failure::BadInput(format!("{what}: no {name}: {error}")))
    };
    let figures: Figures = serde_json::from_slice(&read("measurement.json")?)
        .map_err(|error| Failure::Internal(format!("{what}: measurement.json: {error}")))?;
    let bytes = read("results.bin")?;
    let results = read_results(&figures.results, &bytes).map_err(Failure::Internal)?;
    Ok(Measured {
        seconds: Some(figures.seconds),
        peak_bytes: figures.peak_bytes,
        host_peak_bytes: Some(figures.host_peak_bytes),
        leaked_bytes: Some(figures.leaked_bytes),
        results,
        ..Measured::default()
    })
}
