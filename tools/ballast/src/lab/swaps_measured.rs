//! Iterations of a training step that are really run: the program under a scheme on MLIR's own CPU route, its time and the peak of
//! its device heap.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use ballast_remat::swaps::{Iterations, LearnError, Measured, Scheme};

use crate::failure::Failure;
use crate::run::compare::{Tolerance, Values, compare};
use crate::run::native::Lowered;
use crate::run::{Job, tools};

/// A program, the device it is planned for, and how it is run.
pub(crate) struct Native<'a> {
    pub(crate) program: &'a Path,
    pub(crate) devices: &'a str,
    /// Do copies run beside computation in its plans?
    pub(crate) overlap: bool,
    pub(crate) job: Job<'a>,
    /// The programs of the schemes met: each is planned and lowered once, and run in every round that tries it.
    known: BTreeMap<Scheme, Lowered>,
    /// The results of the first run, which all others have to give.
    results: Option<Vec<Values>>,
    /// Runs so far.
    pub(crate) runs: u64,
}

impl<'a> Native<'a> {
    pub(crate) fn new(program: &'a Path, (devices, overlap): (&'a str, bool), job: Job<'a>) -> Self {
        Native { program, devices, overlap, job, known: BTreeMap::new(), results: None, runs: 0 }
    }

    /// `--remat` with these options: whatever is asked of it, copies cost what they do in the plans that are printed.
    fn pass(&self, options: &str) -> String {
        let Native { devices, overlap, job, .. } = self;
        format!("--remat=devices='{devices}' overlap={overlap} function='{}' {options}", job.function)
    }

    /// Plans the program with `--remat` and these options, and lowers it.
    fn lowered(&self, options: &str) -> Result<Lowered, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
        let planned = folder.path().join("planned.mlir");
        let pass = self.pass(options);
        let mut command = Command::new(tools::beside("ballast-opt")?);
        command.arg(self.program).arg("--allow-unregistered-dialect").arg(pass).arg("-o").arg(&planned);
        let what = self.program.display().to_string();
        tools::capture(&mut command, &what, self.job.limit)?;
        Lowered::new(&planned, true, &self.job)
    }

    /// Runs a program once; its results have to be those of the first run.
    fn run_once(&mut self, lowered: &Lowered) -> Result<Measured, Failure> {
        let run = lowered.measure(&self.job)?;
        self.runs += 1;
        let measured = Measured { time: run.seconds.unwrap_or(f64::NAN), peak_bytes: run.peak_bytes };
        let results = run.into_results();
        let Some(first) = &self.results else {
            self.results = Some(results);
            return Ok(measured);
        };
        let difference = compare(first, &results, Tolerance::All(0.0)).map_err(Failure::Internal)?;
        difference.verdict().map_err(Failure::Internal)?;
        Ok(measured)
    }

    /// What a planner's program takes, run `times` times: the median time.
    pub(crate) fn of_planner(
        &mut self,
        solver: &str,
        cap_bytes: u64,
        times: usize,
    ) -> Result<Measured, Failure> {
        self.median(&format!("solver={solver} cap={cap_bytes} relax-limit=0"), times)
    }

    /// What a scheme takes, run `times` times: the median time.
    pub(crate) fn of_scheme(&mut self, scheme: &Scheme, times: usize) -> Result<Measured, Failure> {
        self.median(&given(scheme), times)
    }

    fn median(&mut self, options: &str, times: usize) -> Result<Measured, Failure> {
        let lowered = self.lowered(options)?;
        let mut runs = (0..times.max(1)).map(|_| self.run_once(&lowered)).collect::<Result<Vec<_>, _>>()?;
        runs.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(runs[runs.len() / 2])
    }
}

/// Options of `--remat` that make a scheme the plan as it is.
fn given(scheme: &Scheme) -> String {
    let scheme = String::from(scheme.clone());
    // A program without a tensor to swap has a scheme without entries.
    let scheme = if scheme.is_empty() { "none" } else { &scheme };
    format!("solver=q-learning q-rounds=0 q-initial={scheme}")
}

impl Iterations for Native<'_> {
    fn run(&mut self, scheme: &Scheme) -> Result<Option<Measured>, LearnError> {
        let failed = |failure: Failure| LearnError::Iteration(failure.message().to_owned());
        let lowered = match self.known.remove(scheme) {
            Some(lowered) => lowered,
            None => self.lowered(&given(scheme)).map_err(failed)?,
        };
        let measured = self.run_once(&lowered).map_err(failed)?;
        self.known.insert(scheme.clone(), lowered);
        Ok(Some(measured))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Job, Native, Path};

    #[test]
    fn plans_are_made_with_the_copies_of_those_that_are_printed() {
        let job = Job { function: "step", seed: 0, runs: 1, limit: Duration::ZERO };
        for overlap in [true, false] {
            let pass = Native::new(Path::new("step.mlir"), ("gpu.toml", overlap), job.clone()).pass("cap=5");
            assert_eq!(pass, format!("--remat=devices='gpu.toml' overlap={overlap} function='step' cap=5"));
        }
    }
}
