//! The dynamic search on real processes: placements are run, and the best meets the static search's once more at the end.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_partition::genetic::{self, LayerTable, Measure, Options, Placement, PlacementError};

use crate::failure::Failure;

/// Placements measured where no limit is given.
const DEFAULT_RUNS: u64 = 60;
/// Runs of each placement whose median decides in the end.
pub(super) const FINAL_RUNS: usize = 5;
/// Share of the time limit that is kept for them at most.
const FINAL_SHARE: f64 = 0.5;
/// A run may take so much longer than the first did.
const SLACK: f64 = 1.5;

/// Who runs placements.
pub(super) trait Runs {
    /// Seconds of one run of a placement; none once the deadline is over.
    ///
    /// # Errors
    /// Why it cannot be run, and with it the search goes no further.
    fn run(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<Option<f64>, Failure>;

    /// Can the search go on without a placement that just failed with this? If so, why it failed has been told.
    fn is_unusable(&mut self, placement: &[DeviceId], error: &Failure) -> bool;
}

/// Placements by the mean of their runs.
struct Means<'a> {
    runs: &'a mut dyn Runs,
    repeats: u32,
    /// An error that is more than a reason: search errors are text.
    failed: Option<Failure>,
}

impl Means<'_> {
    fn mean(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<Option<f64>, Failure> {
        let mut sum = 0.0;
        for _ in 0..self.repeats {
            if deadline.over() {
                return Ok(None);
            }
            match self.runs.run(placement, deadline) {
                Ok(Some(seconds)) => sum += seconds,
                Ok(None) => return Ok(None),
                // No time is as long: nothing is bred from it, and it is never the answer.
                Err(error) if self.runs.is_unusable(placement, &error) => return Ok(Some(f64::INFINITY)),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(sum / f64::from(self.repeats)))
    }
}

impl Measure for Means<'_> {
    /// One after the other, whatever the threads: they share the machine.
    fn seconds(
        &mut self,
        placements: &[Vec<DeviceId>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError> {
        let mut means = Vec::with_capacity(placements.len());
        for placement in placements {
            match self.mean(placement, deadline) {
                Ok(Some(mean)) => means.push(mean),
                Ok(None) => break,
                Err(error) => {
                    let reason = error.message().to_owned();
                    self.failed = Some(error);
                    return Err(PlacementError::Input(reason));
                }
            }
        }
        Ok(means)
    }

    /// Nothing is proved of measured times.
    fn bound(&self) -> f64 {
        0.0
    }

    fn method(&self) -> &'static str {
        "genetic-measured"
    }
}

/// What the runs in turn at the end gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Medians {
    /// Seconds of what the search found.
    pub found: f64,
    /// Seconds of the static search's placement.
    pub first: f64,
}

/// Searches from the first of `options.initial`, the static search's placement; the answer is that, or what was found, whichever has
/// the smaller median of [`FINAL_RUNS`] runs. No medians: the time was over, and the answer is what the search found.
///
/// # Errors
/// Placements that cannot be run, the first among them, and none run in time.
pub(super) fn search(
    table: &LayerTable,
    runs: &mut dyn Runs,
    options: &Options,
    limits: &Limits,
    repeats: u32,
) -> Result<(Placement, Option<Medians>), Failure> {
    let deadline = Deadline::start(limits);
    let first = options.initial.first().cloned().unwrap_or_default();
    let Some(once) = runs.run(&first, &deadline)? else {
        return Err(none_was_run(deadline.reason()));
    };
    let kept = 2.0 * FINAL_RUNS as f64 * SLACK * once;
    let limits = Limits {
        work_limit: limits.work_limit.or(limits.time_limit_seconds.is_none().then_some(DEFAULT_RUNS)),
        time_limit_seconds: limits
            .time_limit_seconds
            .map(|_| deadline.remaining_seconds() - kept.min(FINAL_SHARE * deadline.remaining_seconds())),
        ..*limits
    };
    let mut means = Means { runs, repeats, failed: None };
    let found = genetic::search(table, &mut means, options, &limits);
    let mut found = match (found, means.failed.take()) {
        (_, Some(error)) => return Err(error),
        (found, None) => found?,
    };
    let Some(medians) = medians(runs, &[&found.device_of, &first], &deadline)? else {
        return Ok((found, None));
    };
    let medians = Medians { found: medians[0], first: medians[1] };
    if medians.found > medians.first {
        found.predicted_seconds = table.slowest(&first);
        found.device_of = first;
    }
    let best = medians.found.min(medians.first);
    (found.seconds, found.report.value) = (best, best);
    Ok((found, Some(medians)))
}

/// Why there is no answer, where the search ended during the first run.
fn none_was_run(stop: StopReason) -> Failure {
    match stop {
        StopReason::Interrupted => Failure::Interrupted("before the first placement was run".into()),
        _ => Failure::NoPlan("the time was over before the first placement was run".into()),
    }
}

/// Medians of the runs of each placement, one after the other in turn, so that what else the machine does meets all of them.
fn medians(
    runs: &mut dyn Runs,
    placements: &[&[DeviceId]],
    deadline: &Deadline,
) -> Result<Option<Vec<f64>>, Failure> {
    let mut seconds = vec![Vec::new(); placements.len()];
    for _ in 0..FINAL_RUNS {
        for (list, placement) in seconds.iter_mut().zip(placements) {
            match runs.run(placement, deadline)? {
                Some(run) => list.push(run),
                None => return Ok(None),
            }
        }
    }
    let median = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    Ok(Some(seconds.into_iter().map(median).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A placement takes a second for each layer on its fullest device, and a third more on every other run; one that ends on
    /// device 0 cannot be run.
    struct Counted {
        asked: usize,
        unusable: usize,
    }

    impl Runs for Counted {
        fn run(&mut self, placement: &[DeviceId], deadline: &Deadline) -> Result<Option<f64>, Failure> {
            if deadline.over() {
                return Ok(None);
            }
            self.asked += 1;
            if placement.last() == Some(&DeviceId(0)) {
                return Err(Failure::BadInput("crashed".into()));
            }
            let load = |device| placement.iter().filter(|&&d| d == device).count();
            let busiest = DeviceId::first(3).map(load).max().unwrap_or(0) as f64;
            Ok(Some(if self.asked.is_multiple_of(2) { busiest * 4.0 / 3.0 } else { busiest }))
        }

        fn is_unusable(&mut self, _: &[DeviceId], error: &Failure) -> bool {
            self.unusable += 1;
            error.message() == "crashed"
        }
    }

    fn table() -> LayerTable {
        LayerTable {
            names: (0..9).map(|layer| layer.to_string()).collect(),
            seconds: vec![vec![1.0; 9]; 3],
            bytes: vec![vec![0; 9]; 3],
            device_memory_bytes: vec![1; 3],
            message_bytes: vec![0; 8],
        }
    }

    #[test]
    fn the_search_goes_on_without_what_cannot_be_run_and_ends_no_slower_than_it_began() {
        let mut runs = Counted { asked: 0, unusable: 0 };
        let initial = vec![[0, 0, 0, 0, 0, 0, 1, 1, 2].map(DeviceId).to_vec()];
        let options = Options { population: 10, initial, ..Options::dynamic() };
        let limits = Limits { time_limit_seconds: None, work_limit: Some(200), seed: 1, threads: 1 };
        let (found, medians) = search(&table(), &mut runs, &options, &limits, 2).expect("an answer");
        let medians = medians.expect("no limit of time");
        // Runs in turn: what was found is asked at odd numbers or at even ones, the first at the others.
        assert!(medians.found < medians.first, "{medians:?}");
        assert_eq!(found.seconds, medians.found);
        assert!(found.report.work <= 200 && !found.report.proved(), "{:?}", found.report);
        assert!(runs.unusable > 0 && found.device_of.last() != Some(&DeviceId(0)), "{found:?}");
        let again = search(&table(), &mut Counted { asked: 0, unusable: 0 }, &options, &limits, 2);
        assert_eq!(again.expect("an answer").0.device_of, found.device_of);
    }

    #[test]
    fn a_first_placement_that_cannot_be_run_is_an_error_and_no_time_is_no_answer() {
        let mut runs = Counted { asked: 0, unusable: 0 };
        let options = Options {
            initial: vec![[1, 2, 1, 2, 1, 2, 1, 2, 0].map(DeviceId).to_vec()],
            ..Options::dynamic()
        };
        let limits = Limits { time_limit_seconds: None, work_limit: Some(5), seed: 0, threads: 1 };
        let refused = search(&table(), &mut runs, &options, &limits, 1).map(|_| ()).expect_err("refused");
        assert_eq!(refused.message(), "crashed");
        let options =
            Options { initial: vec![[0, 0, 0, 0, 0, 0, 1, 1, 2].map(DeviceId).to_vec()], ..options };
        let limits = Limits { time_limit_seconds: Some(0.0), ..limits };
        let late = search(&table(), &mut runs, &options, &limits, 1).map(|_| ()).expect_err("no time");
        assert!(matches!(late, Failure::NoPlan(_)), "{}", late.message());
        assert!(matches!(none_was_run(StopReason::Interrupted), Failure::Interrupted(_)));
    }
}
