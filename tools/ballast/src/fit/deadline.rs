//! When `ballast fit` is to be done.

use std::time::{Duration, Instant};

/// After it nothing is begun but what an answer needs; none: everything takes its time. An interrupt ends the program that runs, and with it `fit`: it is not asked
/// about here as in [`ballast_core::limits::Deadline`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(pub(super) Option<Instant>);

impl Deadline {
    /// The time that is left of this much.
    pub(super) fn clip(self, limit: Duration) -> Duration {
        self.0.map_or(limit, |end| limit.min(end.saturating_duration_since(Instant::now())))
    }

    pub(super) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Deadline, Duration, Instant};

    #[test]
    fn what_is_left_is_never_more_than_was_asked_for() {
        let limit = Duration::from_secs(60);
        let none = Deadline(None);
        assert!(none.clip(limit) == limit && !none.is_over());
        let over = Deadline(Some(Instant::now()));
        assert!(over.clip(limit) == Duration::ZERO && over.is_over());
        let far = Deadline(Some(Instant::now() + 10 * limit));
        assert!(far.clip(limit) == limit && !far.is_over());
        let near = Deadline(Some(Instant::now() + limit));
        assert!(near.clip(10 * limit) <= limit && !near.is_over());
    }
}
