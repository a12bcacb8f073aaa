//! A job whose steps differ, recorded and replayed: decisions learned on a part of its data, and what they do to all of it.

use ballast_core::limits::Limits;
use ballast_core::memory::SwapModel;
use serde::{Deserialize, Serialize};

use super::error::LearnError;
use super::initial::Initial;
use super::iterations::{Iterations, Measured, Simulated};
use super::learn::{Learned, Options, learn};
use super::step::{Candidate, Scheme, TrainingStep};

/// The steps of a job, in the order they were run.
#[derive(Debug)]
pub struct Recording {
    /// The steps that differ, as of another batch each, with their tensors that may be swapped.
    kinds: Vec<(TrainingStep, Vec<Candidate>)>,
    /// The kind of every step.
    order: Vec<usize>,
}

/// What learning on a part of the data came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedPart {
    /// Part of the recorded steps learned on, from the first on.
    pub fraction: f64,
    /// Steps that part came to.
    pub steps: usize,
    /// Sum of the step times while learning on the part, in the problem's unit.
    pub learning_time: f64,
    /// What the scheme learned on the part makes of all steps.
    pub learned: Whole,
    /// The same after carrying on with all steps for the rest of the rounds, table kept.
    pub carried_on: Whole,
}

/// All recorded steps under one scheme.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// Sum of the step times, in the problem's unit.
    pub time: f64,
    /// Largest peak of a step.
    pub peak_bytes: u64,
    /// Steps whose peak is over the cap: a device of that memory could not run them.
    pub over_cap: usize,
}

impl Recording {
    /// A job of these kinds of steps, one after another as `order` says.
    ///
    /// # Errors
    /// [`LearnError::Options`] for a job without steps, a step of no kind, and kinds that have other tensors to swap.
    pub fn new(kinds: Vec<TrainingStep>, order: Vec<usize>) -> Result<Self, LearnError> {
        let refuse = |reason: &str| Err(LearnError::Options(reason.into()));
        if order.is_empty() || order.iter().any(|&kind| kind >= kinds.len()) {
            return refuse("a recording has at least one step, and knows the kind of each");
        }
        let kinds: Vec<_> = kinds
            .into_iter()
            .map(|step| {
                let candidates = step.candidates();
                (step, candidates)
            })
            .collect();
        let layers = |candidates: &[Candidate]| candidates.iter().map(|one| one.layer).collect::<Vec<_>>();
        if kinds.iter().any(|(_, candidates)| layers(candidates) != layers(&kinds[0].1)) {
            return refuse(
                "the steps of the recording have other tensors to swap: they are not of one program",
            );
        }
        Ok(Recording { kinds, order })
    }

    /// The largest peak of a step without swaps, bytes.
    #[must_use]
    pub fn unplanned_peak(&self) -> u64 {
        self.kinds.iter().map(|(step, _)| step.problem.unplanned_peak()).max().unwrap_or(0)
    }

    fn replayed<'a>(&'a self, swap: &'a SwapModel, cap: Option<u64>, steps: usize) -> Replayed<'a> {
        let mut times = vec![0; self.kinds.len()];
        self.order[..steps].iter().for_each(|&kind| times[kind] += 1);
        let simulated = |(step, candidates): &'a (TrainingStep, Vec<Candidate>)| {
            Simulated::new(step, candidates, swap, cap)
        };
        Replayed { kinds: self.kinds.iter().map(simulated).zip(times).collect() }
    }

    /// All steps under a scheme.
    fn whole(&self, scheme: &Scheme, swap: &SwapModel, cap: Option<u64>) -> Result<Whole, LearnError> {
        let mut whole = Whole { time: 0.0, peak_bytes: 0, over_cap: 0 };
        for (simulated, times) in &mut self.replayed(swap, cap, self.order.len()).kinds {
            let Some(measured) = simulated.run(scheme)? else {
                whole.over_cap += *times;
                continue;
            };
            whole.time += measured.time * *times as f64;
            whole.peak_bytes = whole.peak_bytes.max(measured.peak_bytes);
            whole.over_cap += if cap.is_some_and(|cap| measured.peak_bytes > cap) { *times } else { 0 };
        }
        Ok(whole)
    }

    /// Learns on each part of the steps, and on all of them for the rest of the rounds. A round runs the steps of the part once under one
    /// scheme; its time is their sum, its peak the largest.
    ///
    /// # Errors
    /// A fraction outside 0 to 1 (0 left out), and what [`learn`] returns.
    pub fn sub_data(
        &self,
        swap: &SwapModel,
        options: &Options,
        limits: &Limits,
        fractions: &[f64],
    ) -> Result<Vec<RecordedPart>, LearnError> {
        let cap = options.cap_bytes;
        let candidates = &self.kinds[0].1;
        fractions
            .iter()
            .map(|&fraction| {
                if !(fraction > 0.0 && fraction <= 1.0) {
                    return Err(LearnError::Options(format!("a part of {fraction}: above 0 and at most 1")));
                }
                let steps = ((self.order.len() as f64 * fraction).round() as usize).max(1);
                let mut part = self.replayed(swap, cap, steps);
                let Learned { scheme, learning_time, table, .. } =
                    learn(candidates, &mut part, None, options, limits)?;
                let learned = self.whole(&scheme, swap, cap)?;
                let rounds = (options.rounds as f64 * (1.0 - fraction)).round() as u64;
                let carried_on = if rounds == 0 {
                    learned
                } else {
                    let rest = Options { rounds, initial: Initial::Best, ..options.clone() };
                    let mut all = self.replayed(swap, cap, self.order.len());
                    let on = learn(candidates, &mut all, Some(table), &rest, limits)?;
                    self.whole(&on.scheme, swap, cap)?
                };
                Ok(RecordedPart { fraction, steps, learning_time, learned, carried_on })
            })
            .collect()
    }
}

/// A part of the steps as one iteration.
struct Replayed<'a> {
    /// Kinds, and how often each is run.
    kinds: Vec<(Simulated<'a>, usize)>,
}

impl Iterations for Replayed<'_> {
    fn run(&mut self, scheme: &Scheme) -> Result<Option<Measured>, LearnError> {
        let mut all = Measured { time: 0.0, peak_bytes: 0 };
        for (simulated, times) in self.kinds.iter_mut().filter(|(_, times)| *times > 0) {
            let Some(measured) = simulated.run(scheme)? else { return Ok(None) };
            all.time += measured.time * *times as f64;
            all.peak_bytes = all.peak_bytes.max(measured.peak_bytes);
        }
        Ok(Some(all))
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    const SWAP: SwapModel = SwapModel {
        out_bandwidth: 400.0,
        in_bandwidth: 400.0,
        latency: 0.0,
        overlap: false,
        host_capacity_bytes: None,
    };

    /// Small steps first, large ones in the last fifth.
    fn job() -> Recording {
        let kinds = vec![chain(8, 40, 1.0), chain(8, 80, 1.0)];
        Recording::new(kinds, [vec![0; 16], vec![1; 4]].concat()).expect("one program")
    }

    #[test]
    fn a_part_without_the_largest_steps_teaches_schemes_that_do_not_hold_for_them() {
        let job = job();
        let options =
            Options { cap_bytes: Some(job.unplanned_peak() * 7 / 10), rounds: 300, ..Options::default() };
        let limits = Limits { time_limit_seconds: None, ..Limits::default() };
        let rows = job.sub_data(&SWAP, &options, &limits, &[0.2, 0.8, 1.0]).expect("learned");
        assert_eq!(rows.iter().map(|row| row.steps).collect::<Vec<_>>(), [4, 16, 20]);
        assert_eq!(rows.iter().map(|row| row.learned.over_cap).collect::<Vec<_>>(), [4, 4, 0]);
        assert!(rows.iter().all(|row| row.carried_on.over_cap == 0), "{rows:?}");
        assert!(rows.windows(2).all(|pair| pair[0].learning_time < pair[1].learning_time));
        assert!(job.sub_data(&SWAP, &options, &limits, &[0.0]).is_err());
    }

    #[test]
    fn steps_of_two_programs_are_refused() {
        assert!(Recording::new(vec![chain(8, 40, 1.0), chain(6, 40, 1.0)], vec![0, 1]).is_err());
        assert!(Recording::new(vec![chain(8, 40, 1.0)], vec![1]).is_err());
        assert!(Recording::new(vec![chain(8, 40, 1.0)], vec![]).is_err());
    }
}
