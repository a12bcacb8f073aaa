//! Bytes in use on a device or a host, some of which are free only when copies have ended.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A time in a heap. Times are finite: durations are checked by [`super::Problem::check`] and [`super::SwapModel::is_sound`].
#[derive(Clone, Copy, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Bytes in use, with releases that take effect later.
pub(crate) struct Pool {
    pub(crate) used: u64,
    pub(crate) peak: u64,
    pub(crate) limit: Option<u64>,
    releases: BinaryHeap<Reverse<(Time, u64)>>,
    /// Bytes granted above the limit so far; none: the limit is kept.
    pub(super) missing: Option<u64>,
}

impl Pool {
    pub(crate) fn new(used: u64, limit: Option<u64>) -> Self {
        Pool { used, peak: used, limit, releases: BinaryHeap::new(), missing: None }
    }

    /// Releases at `time`, which lies at `now` (at once) or after it.
    pub(crate) fn release(&mut self, now: f64, time: f64, bytes: u64) {
        if time <= now {
            self.used -= bytes;
        } else {
            self.releases.push(Reverse((Time(time), bytes)));
        }
    }

    /// Lets everything go that is released by `now`.
    pub(crate) fn settle(&mut self, now: f64) {
        while let Some(&Reverse((Time(at), freed))) = self.releases.peek()
            && at <= now
        {
            self.used -= freed;
            self.releases.pop();
        }
    }

    /// Claims bytes at the first moment from `time` on at which they fit; the moment, or the bytes that would
    /// be in use even after all releases.
    pub(crate) fn claim(&mut self, mut time: f64, bytes: u64) -> Result<f64, u64> {
        // A sum that does not fit in 64 bits fits in no memory.
        let fits = |used: u64, limit: Option<u64>| {
            used.checked_add(bytes).is_some_and(|needed| limit.is_none_or(|limit| needed <= limit))
        };
        while let Some(&Reverse((Time(at), freed))) = self.releases.peek() {
            if at > time {
                if fits(self.used, self.limit) {
                    break;
                }
                time = at;
            }
            self.used -= freed;
            self.releases.pop();
        }
        if !fits(self.used, self.limit) {
            let needed = self.used.saturating_add(bytes);
            let (Some(missing), Some(sum)) = (&mut self.missing, self.used.checked_add(bytes)) else {
                return Err(needed);
            };
            *missing = missing.saturating_add(sum - self.limit.unwrap_or(sum));
        }
        self.used += bytes;
        self.peak = self.peak.max(self.used);
        Ok(time)
    }
}
