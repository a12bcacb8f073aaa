//! What may stop a search: a deadline, a deterministic work count, an interrupt, or a proof.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits and reproducibility options shared by every search.
///
/// With `work_limit` set and no `time_limit`, the same input, seed and limit give the same bytes out on any
/// number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock limit in seconds; none: no clock is read.
    pub time_limit_seconds: Option<f64>,
    /// Deterministic limit: a count of search steps, of the searching method's own unit.
    pub work_limit: Option<u64>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Threads to use; at least 1.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time_limit_seconds: Some(60.0), work_limit: None, seed: 0, threads: 1 }
    }
}

/// Threads to start where so many are asked for: at least one, and no more than this machine runs at once. No answer depends
/// on it.
#[must_use]
pub fn threads(asked: usize) -> usize {
    asked.clamp(1, std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The value equals the proven bound (within the tolerance the report names).
    Proved,
    /// The method ran to its end; it proves nothing.
    Finished,
    /// The wall clock.
    TimeLimit,
    /// The deterministic work count.
    WorkLimit,
    /// SIGINT or SIGTERM.
    Interrupted,
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The signal that did.
static SIGNAL: AtomicI32 = AtomicI32::new(signal_hook::consts::SIGINT);
/// Has anybody found out?
static HEARD: AtomicBool = AtomicBool::new(false);

/// How long after a first signal nobody may ask about it. Searches ask many times a second; what does not is ended.
pub const UNHEARD_SECONDS: u32 = 3;

/// Has the process been asked to stop (SIGINT, SIGTERM, or [`interrupt`])?
#[must_use]
pub fn interrupted() -> bool {
    let interrupted = INTERRUPTED.load(Ordering::Relaxed);
    if interrupted {
        HEARD.store(true, Ordering::Relaxed);
    }
    interrupted
}

/// Has a search found out that it was interrupted, and is about to answer?
#[must_use]
pub fn heard() -> bool {
    HEARD.load(Ordering::Relaxed)
}

/// Asks every running search to stop with its best plan so far. Is this the first time?
pub fn interrupt() -> bool {
    !INTERRUPTED.swap(true, Ordering::Relaxed)
}

/// The signal that [`interrupt`] stands for; SIGINT where it was not one that [`catch_signals`] caught.
#[must_use]
pub fn interrupt_signal() -> i32 {
    SIGNAL.load(Ordering::Relaxed)
}

/// Turns the first SIGINT or SIGTERM into [`interrupt`]; a second one ends the process, and so does the first where no search is
/// there to ask about it for [`UNHEARD_SECONDS`].
///
/// For programs only: a library loaded into a host such as `mlir-opt` leaves the host's signals alone.
///
/// # Errors
/// When the system refuses to install the handlers.
pub fn catch_signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            SIGNAL.store(signal, Ordering::Relaxed);
            if !interrupt() {
                std::process::exit(128 + signal);
            }
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(u64::from(UNHEARD_SECONDS)));
                if !heard() {
                    std::process::exit(128 + signal);
                }
            });
        }
    });
    Ok(())
}

/// What a time limit counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Time as it passes.
    #[default]
    Wall,
    /// Time that processors spend on this process, all threads together: a fair measure of searches on a machine that is shared.
    Processor,
}

impl Clock {
    /// Time since some moment that is the same all through the process.
    fn now(self) -> Duration {
        let now = rustix::time::clock_gettime(match self {
            Clock::Wall => rustix::time::ClockId::Monotonic,
            Clock::Processor => rustix::time::ClockId::ProcessCPUTime,
        });
        // Neither clock is ever before its start.
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
    }
}

/// A running clock against [`Limits`]: ask it often, it is cheap.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    clock: Clock,
    start: Duration,
    end: Option<Duration>,
}

impl Deadline {
    /// Starts the clock now.
    #[must_use]
    pub fn start(limits: &Limits) -> Self {
        Self::after(limits.time_limit_seconds)
    }

    /// Starts a clock that ends after so many seconds, or never.
    #[must_use]
    pub fn after(seconds: Option<f64>) -> Self {
        Self::on(Clock::Wall, seconds)
    }

    /// The same on a clock of the caller's choice.
    #[must_use]
    pub fn on(clock: Clock, seconds: Option<f64>) -> Self {
        let start = clock.now();
        let end = seconds
            .and_then(|s| Duration::try_from_secs_f64(s.max(0.0)).ok())
            .and_then(|limit| start.checked_add(limit));
        Deadline { clock, start, end }
    }

    /// A deadline that is over at the earlier of this one and `seconds` from now.
    #[must_use]
    pub fn within(&self, seconds: f64) -> Self {
        let inner = Self::on(self.clock, Some(seconds));
        let end = match (self.end, inner.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Deadline { end, ..inner }
    }

    /// The same clock with a tenth of its time on top, at least a tenth of a second: for what is left to do with what a search found.
    #[must_use]
    pub fn overtime(&self) -> Self {
        let more =
            |end: Duration| end.saturating_sub(self.start).mul_f64(0.1).max(Duration::from_millis(100));
        let end = self.end.and_then(|end| end.checked_add(more(end)));
        Deadline { end, ..*self }
    }

    /// Is the time over, or was the process interrupted?
    #[must_use]
    pub fn over(&self) -> bool {
        interrupted() || self.end.is_some_and(|end| self.clock.now() >= end)
    }

    /// Seconds since the start.
    #[must_use]
    pub fn elapsed_seconds(&self) -> f64 {
        self.clock.now().saturating_sub(self.start).as_secs_f64()
    }

    /// Seconds left; infinite without a limit, zero once over.
    #[must_use]
    pub fn remaining_seconds(&self) -> f64 {
        match self.end {
            _ if interrupted() => 0.0,
            None => f64::INFINITY,
            Some(end) => end.saturating_sub(self.clock.now()).as_secs_f64(),
        }
    }

    /// The stop reason to report when [`Deadline::over`] stopped the search.
    #[must_use]
    pub fn reason(&self) -> StopReason {
        if interrupted() { StopReason::Interrupted } else { StopReason::TimeLimit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_of_processor_time_runs_while_the_process_works() {
        let clock = Deadline::on(Clock::Processor, Some(1e-3));
        let mut sum = 0_u64;
        while !clock.over() {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0 && clock.elapsed_seconds() >= 1e-3 && clock.remaining_seconds() == 0.0);
        assert!(Deadline::on(Clock::Processor, None).within(0.0).over());
        assert!(!Deadline::on(Clock::Processor, None).over());
    }

    #[test]
    fn overtime_is_a_tenth_of_the_limit_and_none_without_one() {
        let left = |seconds| Deadline::after(Some(seconds)).overtime().remaining_seconds();
        assert!((109.0..=110.0).contains(&left(100.0)) && (0.05..=0.1).contains(&left(0.0)));
        assert_eq!(Deadline::after(None).overtime().remaining_seconds(), f64::INFINITY);
        assert!(Deadline::after(Some(0.0)).over());
    }
}
