//! MLIR's own CPU route: bufferized, lowered to LLVM, run by `mlir-runner` on counted heaps.

use std::path::Path;
use std::process::Command;

use ballast_core::file;
use serde::Deserialize;

use super::compare::{Taken, Values, read_results};
use super::tools::{beside, capture, llvm};
use super::{Job, Measured};
use crate::failure::Failure;

/// The lowered program, in a folder of its own.
pub(super) const PROGRAM: &str = "program.mlir";

/// What the run-time library writes.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Figures {
    /// Of each run.
    pub(crate) seconds: Vec<f64>,
    /// Of each run, the seconds spent in messages.
    pub(crate) waiting_seconds: Vec<f64>,
    pub(crate) peak_bytes: u64,
    pub(crate) host_peak_bytes: u64,
    pub(crate) leaked_bytes: u64,
    results: Vec<Taken>,
}

impl Figures {
    /// Reads what a run left in its folder: figures, and results with their numbers.
    pub(crate) fn read(folder: &Path, what: &str) -> Result<(Self, Vec<(usize, Values)>), Failure> {
        let read = |name: &str| {
            file::read(&folder.join(name))
                .map_err(|error| Failure::BadInput(format!("{what}: no {name}: {error}")))
        };
        let figures: Figures = serde_json::from_slice(&read("measurement.json")?)
            .map_err(|error| Failure::Internal(format!("{what}: measurement.json: {error}")))?;
        let values = read_results(&figures.results, &read("results.bin")?).map_err(Failure::Internal)?;
        let numbers = figures.results.iter().map(|taken| taken.number).collect::<Vec<_>>();
        Ok((figures, numbers.into_iter().zip(values).collect()))
    }

    /// The shortest run, and how long it spent in messages; zero without one.
    pub(crate) fn shortest(&self) -> (f64, f64) {
        let runs = self.seconds.iter().copied().zip(self.waiting_seconds.iter().copied());
        runs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }
}

/// Lowers a program to LLVM's dialect by passes of `ballast-opt`, into a folder.
pub(crate) fn lower(program: &Path, passes: &[&str], folder: &Path, job: &Job<'_>) -> Result<(), Failure> {
    let mut command = Command::new(beside("ballast-opt")?);
    command.arg(program).arg("--allow-unregistered-dialect").args(passes).arg("-o").arg(folder.join(PROGRAM));
    capture(&mut command, &program.display().to_string(), job.limit).map(|_| ())
}

/// Arguments of `mlir-runner` for a lowered program that lies where it runs.
pub(crate) fn runner(libraries: &[&Path]) -> Vec<std::ffi::OsString> {
    let mut arguments: Vec<std::ffi::OsString> =
        ["-O3", "-e", "ballast_entry", "--entry-point-result=void"].into_iter().map(Into::into).collect();
    for library in libraries {
        let mut argument = std::ffi::OsString::from("--shared-libs=");
        argument.push(library);
        arguments.push(argument);
    }
    arguments.push(PROGRAM.into());
    arguments
}

/// Compiles and runs a program in a folder of its own.
pub(crate) fn measure(program: &Path, planned: bool, job: &Job<'_>) -> Result<Measured, Failure> {
    Lowered::new(program, planned, job)?.measure(job)
}

/// A program lowered in a folder of its own, to be run as often as wanted.
pub(crate) struct Lowered {
    folder: tempfile::TempDir,
    what: String,
}

impl Lowered {
    /// Lowers a program; `planned`: its plan is applied.
    pub(crate) fn new(program: &Path, planned: bool, job: &Job<'_>) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
        let pipeline = format!("--ballast-to-native=apply={planned} {}", job.options());
        lower(program, &[&pipeline], folder.path(), job)?;
        Ok(Lowered { folder, what: program.display().to_string() })
    }

    /// Runs it.
    pub(crate) fn measure(&self, job: &Job<'_>) -> Result<Measured, Failure> {
        let library = beside("libballast_runtime.so")?;
        let mut command = Command::new(llvm("mlir-runner"));
        command.args(runner(&[&library])).current_dir(self.folder.path());
        capture(&mut command, &self.what, job.limit)?;
        let (figures, results) = Figures::read(self.folder.path(), &self.what)?;
        Ok(Measured::of(&figures, results))
    }
}

impl Measured {
    fn of(figures: &Figures, results: Vec<(usize, Values)>) -> Self {
        Measured {
            seconds: Some(figures.shortest().0),
            peak_bytes: figures.peak_bytes,
            host_peak_bytes: Some(figures.host_peak_bytes),
            leaked_bytes: Some(figures.leaked_bytes),
            results: results.into_iter().map(|(_, values)| values).collect(),
            ..Measured::default()
        }
    }
}
