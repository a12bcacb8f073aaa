//! Other ways to store a program's values, tried in turn where no plan keeps the cap with fused ops whole, or a slow one where one of them takes much of it.
//!
//! A program is read anew for every way, by whoever can read it. Here is which ways are worth trying, for how long, and which plan is taken.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::PROOF_TOLERANCE;
use ballast_core::stage::Stage;
use ballast_core::units::Bytes;

use crate::{Error, Planned};

/// Share of the time limit for fused ops as a whole where one of them alone is above the cap, so that no plan can keep it.
const HOPELESS: f64 = 0.25;
/// The same where one of them alone takes more than half of the cap, so that it is open whether a plan can.
const DOUBTFUL: f64 = 0.5;
/// What a plan with such an op whole may take, of the time of every op once, before parts are tried all the same.
const SLOW: f64 = 1.05;
/// Least share of the time limit that is worth another plan.
const LEAST_REST: f64 = 0.05;

/// The share of the time that planning fused ops as a whole is worth on one device under a cap: all of it where parts would not help.
#[must_use]
pub fn share_of_whole(stage: &Stage, cap: Bytes) -> f64 {
    let rest = |bytes: u64| bytes.saturating_sub(stage.problem.resident_bytes);
    match rest(stage.problem.working_set().0) {
        _ if stage.problem.unplanned_peak() <= cap.0 => 1.0,
        alone if alone > rest(cap.0) => HOPELESS,
        alone if alone > rest(cap.0) / 2 => DOUBTFUL,
        _ => 1.0,
    }
}

/// Does an op that takes much of the cap by itself leave so little that the plan makes a lot again?
#[must_use]
pub fn is_slow_for_one_op(planned: &Planned, stage: &Stage, cap: Bytes) -> bool {
    share_of_whole(stage, cap) < 1.0 && planned.plan.balance.tmax_seconds > SLOW * stage.problem.total_time()
}

/// The limits to plan on with from a plan of such a gap, where the clock alone ended its search and nobody else uses the time that is left: what planning one way may
/// take is a share of the limit, for the sake of ways that may have come to nothing at once.
#[must_use]
pub fn limits_to_plan_on(
    (stop, gap): (StopReason, f64),
    (limits, deadline): (&Limits, &Deadline),
) -> Option<Limits> {
    let is_open = stop == StopReason::TimeLimit && gap > PROOF_TOLERANCE;
    let rest = deadline.remaining_seconds();
    let seconds = limits.time_limit_seconds.filter(|seconds| is_open && rest > LEAST_REST * seconds);
    seconds.map(|_| Limits { time_limit_seconds: Some(rest), ..*limits })
}

/// What planning a program one way came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// A plan.
    Planned {
        /// Caps raised.
        raised: usize,
        /// The caps they were raised to, bytes, summed.
        used: Bytes,
        /// Time of the slowest device.
        tmax_seconds: f64,
    },
    /// No plan keeps the caps.
    Refused {
        /// The smallest cap not ruled out.
        smallest: Bytes,
        /// Is it proved?
        proved: bool,
    },
    /// Planning failed for another reason.
    Failed,
}

impl Standing {
    /// Of what the planner returned.
    #[must_use]
    pub fn of(planned: &Result<Planned, Error>) -> Self {
        match planned {
            Ok(planned) => Standing::Planned {
                raised: planned.relaxed.len(),
                used: planned.relaxed.iter().map(|relaxed| relaxed.used).sum(),
                tmax_seconds: planned.plan.balance.tmax_seconds,
            },
            Err(Error::Infeasible { smallest, proved, .. }) => {
                Standing::Refused { smallest: *smallest, proved: *proved }
            }
            Err(_) => Standing::Failed,
        }
    }

    /// Is it a plan under the caps asked for?
    #[must_use]
    pub const fn keeps_the_caps(self) -> bool {
        matches!(self, Standing::Planned { raised: 0, .. })
    }

    /// Is it proved that no plan keeps the caps?
    const fn is_proved(self) -> bool {
        matches!(self, Standing::Refused { proved: true, .. })
    }

    /// By caps raised, the bytes they were raised to, and the time of the slowest device; without plans, by the smallest cap not ruled out. Rounds are compared
    /// otherwise (`rank.rs`), as a placement has many devices and what is missing on one is made up for by time: another way is for the sake of the cap.
    #[must_use]
    pub fn is_better_than(self, other: Self) -> bool {
        use Standing::{Planned, Refused};
        match (self, other) {
            (Refused { smallest: own, .. }, Refused { smallest: others, .. }) => own < others,
            (
                Planned { raised, used, tmax_seconds },
                Planned { raised: raised_there, used: used_there, tmax_seconds: seconds_there },
            ) => (raised, used, tmax_seconds) < (raised_there, used_there, seconds_there),
            (own, _) => matches!(own, Planned { .. }) && !matches!(other, Planned { .. }),
        }
    }
}

/// The best of several ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best<A> {
    /// The program read that way, and planned.
    pub attempt: A,
    /// Which of the ways; none: fused ops whole.
    pub way: Option<usize>,
    /// Was every way tried, and each proved to have no plan that keeps the caps?
    pub all_proved: bool,
}

/// Tries ways in turn, a last resort only where nothing else keeps the caps. `attempt` plans the way of a
/// number within limits, and gets the best before it.
///
/// # Errors
/// What `attempt` returns; that there is no plan is no such error.
pub fn best_of_ways<A, E>(
    whole: A,
    is_last_resort: &[bool],
    (limits, deadline): (&Limits, &Deadline),
    standing: impl Fn(&A) -> Standing,
    mut attempt: impl FnMut(usize, &A, Limits) -> Result<A, E>,
) -> Result<Best<A>, E> {
    let all_proved = standing(&whole).is_proved();
    let mut best = Best { attempt: whole, way: None, all_proved };
    let count = is_last_resort.len();
    for (number, &is_last_resort) in is_last_resort.iter().enumerate() {
        let so_far = standing(&best.attempt);
        let mut limits = *limits;
        if let Some(seconds) = limits.time_limit_seconds {
            let rest = deadline.remaining_seconds();
            // Where there is no plan at all, the last way is tried whatever the time: it is most likely to have one, at once.
            let is_needed = !matches!(so_far, Standing::Planned { .. }) && number + 1 == count;
            if rest < LEAST_REST * seconds && !is_needed {
                best.all_proved = false;
                continue;
            }
            let left = (count - number) as f64;
            limits.time_limit_seconds = Some(rest.max(LEAST_REST * seconds) / left);
        }
        // Finer parts may leave room that makes up for what they cost; every value stored is for caps that nothing else keeps.
        if so_far.keeps_the_caps() && is_last_resort {
            break;
        }
        let next = attempt(number, &best.attempt, limits)?;
        let now = standing(&next);
        best.all_proved &= now.is_proved();
        if now.is_better_than(so_far) {
            (best.attempt, best.way) = (next, Some(number));
        } else if so_far.keeps_the_caps() {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way with a plan of so many bytes over a cap of 100, and its seconds; of 0 bytes: under it.
    fn planned(over: u64, tmax_seconds: f64) -> Standing {
        let raised = usize::from(over > 0);
        Standing::Planned { raised, used: Bytes(if over > 0 { 100 + over } else { 0 }), tmax_seconds }
    }

    const fn refused(smallest: u64, proved: bool) -> Standing {
        Standing::Refused { smallest: Bytes(smallest), proved }
    }

    /// The way taken; those tried, with their seconds; and whether all is proved.
    type Outcome = (Option<usize>, Vec<(usize, Option<f64>)>, bool);

    /// What becomes of ways that stand so, the first of them fused ops whole and the last a last resort.
    fn tried(ways: &[Standing], time: (Option<f64>, f64)) -> Outcome {
        let (limit, left) = time;
        let limits = Limits { time_limit_seconds: limit, ..Limits::default() };
        let deadline = Deadline::after(limit.map(|_| left));
        let is_last_resort: Vec<bool> = (2..=ways.len()).map(|number| number == ways.len()).collect();
        let mut tried = Vec::new();
        let best = best_of_ways(
            ways[0],
            &is_last_resort,
            (&limits, &deadline),
            |&way| way,
            |way, _, limits| {
                tried.push((way, limits.time_limit_seconds.map(f64::round)));
                Ok::<_, ()>(ways[way + 1])
            },
        );
        let best = best.expect("no failure");
        assert_eq!(best.attempt, best.way.map_or(ways[0], |way| ways[way + 1]));
        (best.way, tried, best.all_proved)
    }

    #[test]
    fn a_kept_cap_comes_before_a_near_one_and_a_near_one_before_a_fast_plan() {
        let ranked = [
            planned(0, 2.0),
            planned(0, 3.0),
            planned(1, 1.0),
            planned(2, 0.5),
            refused(90, false),
            refused(95, true),
        ];
        for (place, better) in ranked.iter().enumerate() {
            assert!(ranked[place + 1..].iter().all(|worse| better.is_better_than(*worse)), "{better:?}");
            assert!(ranked[..=place].iter().all(|other| !better.is_better_than(*other)), "{better:?}");
        }
        assert!(!Standing::Failed.is_better_than(ranked[5]) && !ranked[5].is_better_than(Standing::Failed));
        assert!(ranked[3].is_better_than(Standing::Failed));
    }

    #[test]
    fn finer_parts_are_tried_as_long_as_they_help_and_the_last_resort_where_nothing_keeps_the_cap() {
        let free = (None, 0.0);
        let numbers = |ways: &[Standing]| {
            let (way, tried, _) = tried(ways, free);
            (way, tried.into_iter().map(|(way, _)| way).collect::<Vec<_>>())
        };
        // The second way keeps the cap and the third is slower: the last is left alone.
        assert_eq!(
            numbers(&[refused(120, true), planned(0, 2.0), planned(0, 3.0), planned(0, 1.0)]),
            (Some(0), vec![0, 1])
        );
        assert_eq!(
            numbers(&[refused(120, true), planned(0, 3.0), planned(0, 2.0), planned(0, 1.0)]),
            (Some(1), vec![0, 1])
        );
        assert_eq!(
            numbers(&[planned(9, 1.0), planned(5, 1.0), planned(7, 1.0), planned(0, 4.0)]),
            (Some(2), vec![0, 1, 2])
        );
    }

    #[test]
    fn a_plan_that_the_clock_ended_has_the_time_that_is_left() {
        let limits = Limits { time_limit_seconds: Some(100.0), ..Limits::default() };
        let seconds = |stop, gap, left| {
            let deadline = Deadline::after(Some(left));
            let found = limits_to_plan_on((stop, gap), (&limits, &deadline));
            found.and_then(|limits| limits.time_limit_seconds).map(f64::round)
        };
        assert_eq!(seconds(StopReason::TimeLimit, 0.1, 75.0), Some(75.0));
        // Nothing is to be had: it is proved, it came to its end, somebody wants it to stop, or a twentieth of the limit is left.
        assert_eq!(seconds(StopReason::TimeLimit, 0.0, 75.0), None);
        for stop in [StopReason::Proved, StopReason::Finished, StopReason::WorkLimit, StopReason::Interrupted]
        {
            assert_eq!(seconds(stop, 0.1, 75.0), None, "{stop:?}");
        }
        assert_eq!(seconds(StopReason::TimeLimit, 0.1, 5.0), None);
        // No clock is read where there is no limit of time.
        let counted = Limits { time_limit_seconds: None, work_limit: Some(1), ..limits };
        assert_eq!(limits_to_plan_on((StopReason::TimeLimit, 0.1), (&counted, &Deadline::after(None))), None);
    }

    #[test]
    fn ways_share_the_time_left_and_one_that_is_missed_leaves_all_unproved() {
        let none = [refused(120, true); 4];
        // Each way takes no time here: of 90 s left thirds, halves, and all.
        let thirds = vec![(0, Some(30.0)), (1, Some(45.0)), (2, Some(90.0))];
        assert_eq!(tried(&none, (Some(100.0), 90.0)), (None, thirds, true));
        // A twentieth of the limit is worth no more than the last way, where there is no plan yet.
        assert_eq!(tried(&none, (Some(100.0), 4.0)), (None, vec![(2, Some(5.0))], false));
        let raised = [planned(9, 1.0); 4];
        assert_eq!(tried(&raised, (Some(100.0), 4.0)), (None, Vec::new(), false));
    }
}
