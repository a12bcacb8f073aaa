//! Which candidate: the one that moves least among those planned nearly as fast as the plan from scratch.

use super::candidates::Candidate;

/// What planning a placement came to.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCandidate<P> {
    /// The whole plan.
    pub plan: P,
    /// Its slowest stage, recomputation and swaps included, seconds.
    pub slowest_seconds: f64,
    /// Stages whose cap had to be raised.
    pub raised_caps: usize,
}

/// The candidate taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<P> {
    /// Its placement.
    pub candidate: Candidate,
    /// Its plan.
    pub outcome: PlannedCandidate<P>,
    /// Slowest stage of the plan from scratch, seconds.
    pub scratch_seconds: f64,
    /// Candidates planned.
    pub planned: usize,
}

/// Plans candidates from fewest moves on and takes the first that raises no more caps than the plan from scratch and
/// is at most `tolerance` (0.05: 5 %) slower; the plan from scratch if there is none.
///
/// # Errors
/// What planning from scratch returns; other candidates without a plan are passed over.
pub fn choose<P, E>(
    candidates: Vec<Candidate>,
    scratch: Candidate,
    tolerance: f64,
    mut plan: impl FnMut(&Candidate) -> Result<PlannedCandidate<P>, E>,
) -> Result<Choice<P>, E> {
    let reference = plan(&scratch)?;
    let scratch_seconds = reference.slowest_seconds;
    let mut planned = 1;
    for candidate in candidates.into_iter().filter(|candidate| candidate.moved < scratch.moved) {
        // Recomputation and swaps only add to what a candidate takes without them.
        if candidate.slowest_seconds > scratch_seconds * (1.0 + tolerance) {
            continue;
        }
        planned += 1;
        let Ok(outcome) = plan(&candidate) else { continue };
        if outcome.raised_caps <= reference.raised_caps
            && outcome.slowest_seconds <= scratch_seconds * (1.0 + tolerance)
        {
            return Ok(Choice { candidate, outcome, scratch_seconds, planned });
        }
    }
    Ok(Choice { candidate: scratch, outcome: reference, scratch_seconds, planned })
}

#[cfg(test)]
mod tests {
    use ballast_core::device::DeviceId;

    use super::*;

    fn candidate(moved: usize, slowest_seconds: f64) -> Candidate {
        Candidate { device_of: vec![DeviceId(moved)], moved, slowest_seconds }
    }

    fn outcome(slowest_seconds: f64, raised_caps: usize) -> PlannedCandidate<()> {
        PlannedCandidate { plan: (), slowest_seconds, raised_caps }
    }

    #[test]
    fn the_fewest_moves_within_the_tolerance_win() {
        let list = vec![candidate(1, 2.0), candidate(2, 1.0), candidate(3, 1.0), candidate(9, 1.0)];
        let mut seen = Vec::new();
        let choice = choose(list, candidate(20, 1.0), 0.05, |candidate| {
            seen.push(candidate.moved);
            match candidate.moved {
                2 => Ok(outcome(1.2, 0)),
                3 => Ok(outcome(1.0, 1)),
                9 => Ok(outcome(1.04, 0)),
                _ => Ok::<_, ()>(outcome(1.0, 0)),
            }
        })
        .expect("planned");
        assert_eq!((choice.candidate.moved, choice.planned), (9, 4));
        // The first is too slow even without memory planning and is not planned at all.
        assert_eq!(seen, [20, 2, 3, 9]);
    }

    #[test]
    fn scratch_is_the_last_resort_and_its_failure_is_told() {
        let choice =
            choose(vec![candidate(1, 1.0)], candidate(5, 1.0), 0.05, |candidate| match candidate.moved {
                5 => Ok(outcome(1.0, 0)),
                _ => Err("over the cap"),
            });
        assert_eq!(choice.expect("planned").candidate.moved, 5);
        let failed =
            choose(vec![], candidate(5, 1.0), 0.05, |_| Err::<PlannedCandidate<()>, _>("over the cap"));
        assert_eq!(failed, Err("over the cap"));
    }
}
