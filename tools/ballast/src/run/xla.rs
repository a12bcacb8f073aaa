//! XLA, through jaxlib: a Python script that ships with this program compiles, measures and runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use super::Measured;
use super::compare::{Taken, Values, read_results};
use super::generic::{generic, write};
use super::held::Held;
use super::tools::{beside, capture};
use crate::failure::Failure;
use crate::output::{read_bytes, read_text};

/// The script, so that the program needs no file beside it.
pub(crate) const SCRIPT: &str = include_str!("../../../xla/run.py");
/// What it reads a compiled program with.
const STORED: &str = include_str!("../../../xla/stored.py");
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
    /// Arguments that were drawn above zero.
    #[serde(default)]
    positive: Vec<usize>,
    #[serde(default)]
    results: Vec<Taken>,
    /// What is held while each instruction runs.
    stored: Option<Held>,
    /// Why that cannot be told.
    stored_error: Option<String>,
}

/// How XLA is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// Function to compile; empty: the only public function, or `main`.
    pub(crate) function: &'a str,
    /// Python with jaxlib.
    pub(crate) python: &'a Path,
    /// Where the program is to run, as jaxlib names it.
    pub(crate) platform: &'a str,
    /// Description of a GPU to compile for that need not be at hand.
    pub(crate) target: Option<&'a Path>,
    /// Seed of the arguments.
    pub(crate) seed: u64,
    /// Compile, do not run.
    pub(crate) compile_only: bool,
    /// Tell what is held while each instruction of a planned program runs.
    pub(crate) stored: bool,
    /// Numbers of the arguments to draw above zero; none: those the program takes roots or logarithms of.
    pub(crate) positive: Option<&'a [usize]>,
    /// What messages call the program, where the file is a copy or made from it: the user knows no other.
    pub(crate) named: Option<&'a Path>,
    /// How long lowering, compiling and running may take.
    pub(crate) limit: Duration,
}

/// Writes a program without its optimization barriers.
pub(crate) fn without_barriers(program: &Path, to: &Path, job: &Job<'_>) -> Result<(), Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let named = job.named.unwrap_or(program);
    let what = named.display().to_string();
    let lowered = folder.path().join("program.mlir");
    let mut lower = Command::new(beside("ballast-opt")?);
    lower.arg(generic(program, folder.path(), job.python, job.limit)?).args([
        "--allow-unregistered-dialect",
        "--ballast-inline",
        "--mlir-print-op-generic",
        "-o",
    ]);
    capture(lower.arg(&lowered), &what, job.limit).map_err(|failure| failure.naming(program, named))?;
    write((&lowered, named), to, false, folder.path(), job.python, job.limit)
}

/// Compiles a program, and runs it unless told otherwise.
pub(crate) fn measure(program: &Path, planned: bool, job: &Job<'_>) -> Result<Measured, Failure> {
    lower(program, planned, job)?.measure(job)
}

/// A program as XLA parses it, in a folder that goes with it.
pub(crate) struct Lowered {
    folder: tempfile::TempDir,
    file: PathBuf,
    /// What messages call it.
    what: String,
    /// Are its ops numbered, to tell what is held while each runs?
    stored: bool,
}

/// Writes a program, planned or not, as XLA parses it.
pub(crate) fn lower(program: &Path, planned: bool, job: &Job<'_>) -> Result<Lowered, Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let named = job.named.unwrap_or(program);
    let what = named.display().to_string();
    let file = folder.path().join("program.mlir");
    let mut lower = Command::new(beside("ballast-opt")?);
    // XLA parses StableHLO in generic form, as stock MLIR prints it.
    lower.arg(generic(program, folder.path(), job.python, job.limit)?);
    lower.args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "-o"]).arg(&file);
    let stored = planned && job.stored;
    if planned {
        lower.arg(format!("--ballast-to-stablehlo=function='{}' number-ops={stored}", job.function));
    } else {
        // What its author says of a plan is nothing that XLA knows.
        lower.arg("--ballast-strip");
    }
    if stored {
        lower.arg("--mlir-print-debuginfo");
    }
    capture(&mut lower, &what, job.limit).map_err(|failure| failure.naming(program, named))?;
    if !job.compile_only
        && let Some(target) = callback(&read_text(&file)?)
    {
        return Err(Failure::BadInput(format!(
            "{what}: its custom call '{target}' is a function of the Python process that traced the program, and there alone: take the callback out, or compile \
             the program without running it (--compile-only)"
        )));
    }
    Ok(Lowered { folder, file, what, stored })
}

impl Lowered {
    /// The text that XLA parses: two programs with the same one are compiled to the same.
    pub(crate) fn text(&self) -> Result<Vec<u8>, Failure> {
        read_bytes(&self.file)
    }

    /// Compiles it, and runs it unless told otherwise.
    pub(crate) fn measure(&self, job: &Job<'_>) -> Result<Measured, Failure> {
        let what = &self.what;
        let io = |error: std::io::Error| Failure::BadInput(format!("{what}: {error}"));
        let script = self.folder.path().join("run.py");
        std::fs::write(&script, SCRIPT).map_err(io)?;
        if self.stored {
            std::fs::write(self.folder.path().join("stored.py"), STORED).map_err(io)?;
        }
        let results = self.folder.path().join("results.bin");
        let mut run = Command::new(job.python);
        run.arg(&script).arg(&self.file).arg(format!("--seed={}", job.seed)).arg(format!("--runs={RUNS}"));
        run.arg(format!("--platform={}", job.platform));
        if let Some(target) = job.target {
            run.arg("--target").arg(target);
        }
        if self.stored {
            run.arg("--stored");
        }
        if !job.compile_only {
            run.arg("--results").arg(&results);
        }
        if let Some(positive) = job.positive {
            let numbers: Vec<String> = positive.iter().map(usize::to_string).collect();
            run.arg(format!("--positive={}", numbers.join(",")));
        }
        let output = capture(&mut run, what, job.limit)?;
        let answer: Answer = serde_json::from_slice(&output)
            .map_err(|error| Failure::Internal(format!("{what}: the answer of XLA is no JSON: {error}")))?;
        if let Some(error) = &answer.stored_error {
            tracing::warn!("{what}: what XLA stores cannot be read ({error}): plans go by its sums alone");
        }
        let results = if job.compile_only {
            Vec::new()
        } else {
            read_results(&answer.results, &read_bytes(&results)?).map_err(Failure::Internal)?
        };
        Ok(answer.measured(results))
    }
}

impl Answer {
    fn measured(self, results: Vec<Values>) -> Measured {
        let held = self.temporary_bytes + self.argument_bytes + self.result_bytes;
        Measured {
            seconds: self.seconds,
            device_peak_bytes: self.device_peak_bytes,
            peak_bytes: held.saturating_sub(self.alias_bytes),
            temporary_bytes: Some(self.temporary_bytes),
            flops: self.flops,
            positive_arguments: self.positive,
            results,
            held: self.stored,
            ..Measured::default()
        }
    }
}

/// The first custom call of a program in generic form that leads back into a Python process, as `jax.pure_callback` and its like write them. What it calls is
/// an address in that process: in another one it is none.
fn callback(text: &str) -> Option<&str> {
    let mut targets = text.split("call_target_name = \"").skip(1).filter_map(|rest| rest.split('"').next());
    targets.find(|target| target.contains("python") && target.contains("callback"))
}

#[cfg(test)]
mod tests {
    use super::callback;

    #[test]
    fn callbacks_into_python_are_told_from_other_custom_calls() {
        let call = |target: &str| {
            format!(
                "%1 = \"stablehlo.custom_call\"(%0) <{{api_version = 4 : i32, call_target_name = \"{target}\"}}>"
            )
        };
        let text = |targets: [&str; 2]| targets.map(call).join("\n");
        let one = text(["lapack_spotrf_ffi", "xla_ffi_python_cpu_callback"]);
        assert_eq!(callback(&one), Some("xla_ffi_python_cpu_callback"));
        assert_eq!(callback(&text(["lapack_spotrf_ffi", "Sharding"])), None);
        assert_eq!(callback("%0 = \"stablehlo.add\"(%a, %b)"), None);
    }
}
