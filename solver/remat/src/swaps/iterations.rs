//! Iterations of a training step under a scheme: who runs them, and what they take.

use std::collections::BTreeMap;

use ballast_core::memory::{SwapModel, expand, replay};
use serde::{Deserialize, Serialize};

use super::error::LearnError;
use super::step::{Candidate, Scheme, TrainingStep};

/// What one iteration took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Step time, in the problem's unit.
    pub time: f64,
    /// Largest number of bytes on the device.
    pub peak_bytes: u64,
}

/// Who runs iterations: the simulator or a real back end.
pub trait Iterations {
    /// Runs one iteration; none if the scheme cannot be run (the host's memory is full).
    ///
    /// # Errors
    /// [`LearnError::Iteration`] when running failed for another reason.
    fn run(&mut self, scheme: &Scheme) -> Result<Option<Measured>, LearnError>;
}

/// Iterations replayed by the judge of schedules; a scheme is replayed once.
#[derive(Debug)]
pub struct Simulated<'a> {
    step: &'a TrainingStep,
    candidates: &'a [Candidate],
    swap: &'a SwapModel,
    cap_bytes: Option<u64>,
    known: BTreeMap<Scheme, Option<Measured>>,
}

impl<'a> Simulated<'a> {
    /// Iterations of a step whose copies take the times of `swap`.
    #[must_use]
    pub fn new(
        step: &'a TrainingStep,
        candidates: &'a [Candidate],
        swap: &'a SwapModel,
        cap_bytes: Option<u64>,
    ) -> Self {
        Simulated { step, candidates, swap, cap_bytes, known: BTreeMap::new() }
    }

    fn judged(&self, scheme: &Scheme) -> Result<Option<Measured>, LearnError> {
        let plan = self.step.plan_of(self.candidates, scheme, self.swap);
        let schedule = expand(&self.step.problem, &plan).map_err(|e| LearnError::Iteration(e.to_string()))?;
        let run = |cap| replay(&self.step.problem, &schedule, Some(self.swap), cap).ok();
        // Under the cap first: overlapped copies wait for memory there, which a run without one does not show.
        let replayed = self.cap_bytes.and_then(|cap| run(Some(cap))).or_else(|| run(None));
        Ok(replayed.map(|replay| Measured { time: replay.time, peak_bytes: replay.peak_bytes }))
    }
}

impl Iterations for Simulated<'_> {
    fn run(&mut self, scheme: &Scheme) -> Result<Option<Measured>, LearnError> {
        if let Some(&known) = self.known.get(scheme) {
            return Ok(known);
        }
        let measured = self.judged(scheme)?;
        self.known.insert(scheme.clone(), measured);
        Ok(measured)
    }
}
