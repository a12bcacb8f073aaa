//! Raising a cap that has no plan, step by step and never silently.

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{NodeId, Problem};

use crate::curve::known;
use crate::outcome::{Error, Outcome};
use crate::packed::Layout;
use crate::plan::plan;
use crate::solver::Options;
use crate::solver::Solver;
use crate::swaps;

/// Share of the time left for a cap after which it counts as one without a plan.
const PATIENCE: f64 = 0.3;

/// Least share of the requested cap that a step may add.
const LEAST_STEP: f64 = 1e-4;

/// Most caps tried once time is over.
const AT_ONCE: usize = 5;

/// How far a cap without a plan may be raised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// Share of the requested cap added at a time.
    pub step: f64,
    /// Largest cap tried, as a multiple of the requested one; 0: the cap stays as it is.
    pub limit: f64,
}

impl Default for Relaxation {
    fn default() -> Self {
        Relaxation { step: 0.05, limit: 2.0 }
    }
}

/// A plan, perhaps under a higher cap than asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxed {
    /// The plan.
    pub plan: Outcome,
    /// The cap asked for, bytes.
    pub requested_cap: u64,
    /// The cap the plan keeps, bytes; the requested one unless that had no plan.
    pub used_cap: u64,
    /// Smallest cap found to have a plan, where the requested one had none.
    pub smallest_cap: Option<u64>,
    /// Node that binds, where the requested cap had no plan.
    pub binding: Option<NodeId>,
}

/// Plans under the cap, or under the first of the raised caps that has a plan.
///
/// # Errors
/// As [`plan`]; [`Error::Infeasible`] names the requested cap when no cap up to the limit has a plan.
pub fn plan_relaxed(problem: &Problem, options: &Options, relaxation: &Relaxation) -> Result<Relaxed, Error> {
    let deadline = Deadline::start(&options.limits);
    let searches = [Solver::AUTO, Solver::LOCAL_SEARCH].contains(&options.solver);
    let scheduled = if searches { swaps::starts(problem, options) } else { Vec::new() };
    let hasty = Options {
        starts: options.starts.iter().cloned().chain(scheduled).collect(),
        patience: if relaxation.limit > 0.0 { PATIENCE } else { options.patience },
        ..options.clone()
    };
    let peak = problem.unplanned_peak();
    relaxed((options.cap_bytes, peak), &options.limits, deadline, relaxation, |cap_bytes, limits| {
        let attempt = Options { cap_bytes, limits, ..hasty.clone() };
        let found = plan(problem, &attempt);
        if searches { no_worse(problem, &attempt, found) } else { found }
    })
}

/// What a search found, or the start that keeps the cap and is faster, or there where nothing was found: no search makes a plan in use worse.
/// Starts have no addresses: in an arena they are what the search begins with, and no more.
fn no_worse(problem: &Problem, options: &Options, found: Result<Outcome, Error>) -> Result<Outcome, Error> {
    if options.starts.is_empty() || Layout::of(options).is_some() {
        return found;
    }
    let Some(start) = known(problem, options, None) else { return found };
    match found {
        Err(Error::Infeasible { .. }) => Ok(start),
        Ok(found) if start.report.value < found.report.value => {
            let mut report = start.report.clone().rebound(found.report.bound()).unwrap_or(start.report);
            report.stop_reason = found.report.stop_reason;
            (report.seconds, report.work) = (found.report.seconds, found.report.work);
            Ok(Outcome { report, ..start })
        }
        found => found,
    }
}

/// Calls `attempt` with the cap, and then with raised ones while it answers [`Error::Infeasible`]; where time is over, with few that plans made in one pass may keep, the
/// first of them one that the program as it is keeps: its `peak` needs no search.
///
/// # Errors
/// As [`plan_relaxed`], and what `attempt` returns.
fn relaxed(
    (requested, peak): (u64, u64),
    limits: &Limits,
    deadline: Deadline,
    relaxation: &Relaxation,
    mut attempt: impl FnMut(u64, Limits) -> Result<Outcome, Error>,
) -> Result<Relaxed, Error> {
    if !(relaxation.step.is_finite() && relaxation.limit.is_finite() && relaxation.limit >= 0.0) {
        return Err(Error::Options(
            "relax-step and relax-limit are finite numbers, the limit not negative".into(),
        ));
    }
    if relaxation.limit > 0.0 && relaxation.step < LEAST_STEP {
        return Err(Error::Options(format!(
            "relax-step must be at least {LEAST_STEP} unless relax-limit is 0: each step is planned anew"
        )));
    }
    let left = |share: f64| Limits {
        time_limit_seconds: limits.time_limit_seconds.map(|_| deadline.remaining_seconds() * share),
        ..*limits
    };
    let first = match attempt(requested, left(1.0)) {
        Ok(plan) => {
            return Ok(Relaxed {
                plan,
                requested_cap: requested,
                used_cap: requested,
                smallest_cap: None,
                binding: None,
            });
        }
        Err(failure) => failure,
    };
    let Error::Infeasible { smallest_cap, node, .. } = &first else { return Err(first) };
    let (mut least, binding) = (*smallest_cap, *node);
    if matches!(first, Error::Infeasible { found: true, .. }) {
        least = least.min(requested.saturating_add(1));
    }
    let top = (requested as f64 * relaxation.limit).floor() as u64;
    if top <= requested || least > top {
        // No step leads anywhere, from a cap of nothing least of all.
        return Err(first);
    }
    let raised = |round: f64| (requested as f64 * (1.0 + relaxation.step * round)).ceil() as u64;
    // The first step that any plan could keep, at once.
    let mut round = ((least as f64 / requested.max(1) as f64 - 1.0) / relaxation.step).floor().max(1.0);
    while raised(round) < least.min(top) {
        round += 1.0;
    }
    let found = |plan: Outcome, cap: u64| {
        let smallest = plan.block_bytes.unwrap_or(plan.replay.peak_bytes);
        let (used_cap, smallest_cap) = (cap, Some(smallest));
        Relaxed { plan, requested_cap: requested, used_cap, smallest_cap, binding }
    };
    loop {
        let cap = raised(round).min(top);
        if deadline.over() {
            // What the steps pass by comes last.
            let step_of_peak = ((peak as f64 / requested.max(1) as f64 - 1.0) / relaxation.step).ceil();
            let last = raised(step_of_peak.max(round)).min(top);
            let plan = at_once((cap, last), deadline.overtime(), |cap| attempt(cap, left(0.0)))?;
            return plan.map(|(plan, cap)| found(plan, cap)).ok_or(first);
        }
        round += 1.0;
        // Each cap gets half of what is left, so that later ones still have time.
        match attempt(cap, left(0.5)) {
            Ok(plan) => return Ok(found(plan, cap)),
            Err(Error::Infeasible { .. }) if cap == top => return Err(first),
            Err(Error::Infeasible { .. }) => {}
            Err(other) => return Err(other),
        }
    }
}

/// Where time for searches is over: a plan made in one pass, under the smallest of few caps from `least` to `most` that has one. The program as it is may keep `most`,
/// so that this one is tried whatever the time.
fn at_once(
    (least, most): (u64, u64),
    overtime: Deadline,
    mut attempt: impl FnMut(u64) -> Result<Outcome, Error>,
) -> Result<Option<(Outcome, u64)>, Error> {
    let (mut without, mut kept) = (least, most);
    let mut best = None;
    let mut cap = most;
    for _ in 0..AT_ONCE {
        match attempt(cap) {
            Ok(plan) => (best, kept) = (Some((plan, cap)), cap),
            Err(Error::Infeasible { .. }) if best.is_none() => return Ok(None),
            Err(Error::Infeasible { .. }) => without = cap,
            Err(other) => return Err(other),
        }
        // The smallest first: it is the one asked for, or next to it.
        cap = if cap == most { least } else { without + (kept - without) / 2 };
        if kept <= without || cap >= kept || overtime.over() {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{CompactPlan, Node};

    use super::*;
    use crate::plan::given;

    /// Four ops of 1 s and 4000 bytes each. Node 0 is read twice, last of all: kept for that, it is a third value beside nodes 1 and 2.
    fn fork() -> Problem {
        let nodes =
            [vec![], vec![0], vec![1], vec![0]].map(|inputs: Vec<usize>| Node::new("f", 1.0, 4000, inputs));
        Problem { name: "fork".into(), nodes: nodes.into(), resident_bytes: 0 }
    }

    #[test]
    fn of_a_start_and_what_was_found_the_faster_one_that_keeps_the_cap_is_taken() {
        let problem = fork();
        let kept = CompactPlan::default();
        let again = CompactPlan { recompute: vec![(3, NodeId(0))], ..CompactPlan::default() };
        let under = |cap_bytes: u64, starts: &[&CompactPlan]| Options {
            cap_bytes,
            starts: starts.iter().copied().cloned().collect(),
            ..Options::default()
        };
        let found =
            |plan: &CompactPlan, cap_bytes: u64| given(&problem, &under(cap_bytes, &[]), plan.clone());
        let infeasible = || Error::Infeasible {
            cap_bytes: 8000,
            smallest_cap: 8000,
            found: false,
            proved: false,
            node: None,
            label: String::new(),
        };
        let taken = |options: &Options, found: Result<Outcome, Error>| {
            no_worse(&problem, options, found).map(|outcome| (outcome.report.value, outcome.compact))
        };
        let roomy = 12_000;
        assert_eq!(taken(&under(roomy, &[&kept]), found(&again, roomy)), Ok((4.0, kept.clone())));
        assert_eq!(taken(&under(roomy, &[&again]), found(&kept, roomy)), Ok((4.0, kept.clone())));
        assert_eq!(taken(&under(roomy, &[]), found(&again, roomy)), Ok((5.0, again.clone())));
        // Two values have room: the faster start is no plan, the slower one is better than none.
        assert_eq!(taken(&under(8000, &[&kept]), found(&again, 8000)), Ok((5.0, again.clone())));
        assert_eq!(taken(&under(8000, &[&kept, &again]), Err(infeasible())), Ok((5.0, again.clone())));
        assert_eq!(taken(&under(8000, &[&kept]), Err(infeasible())), Err(infeasible()));
        // In an arena starts have no addresses.
        let arena = Options { alignment: Some(64), ..under(roomy, &[&kept]) };
        assert_eq!(taken(&arena, found(&again, roomy)), Ok((5.0, again)));
    }
    #[test]
    fn where_time_is_over_few_caps_are_tried_and_the_smallest_with_a_plan_is_taken() {
        let problem = fork();
        let options = Options { cap_bytes: 12_000, ..Options::default() };
        // From so many bytes on there is a plan.
        let tried = |enough: u64, seconds: f64| {
            let mut caps = Vec::new();
            let found = at_once((8000, 12_000), Deadline::after(Some(seconds)), |cap_bytes| {
                caps.push(cap_bytes);
                if cap_bytes < enough {
                    return Err(Error::infeasible(&problem, cap_bytes, false, (0, None)));
                }
                given(&problem, &options, CompactPlan::default())
            });
            (found.map(|found| found.map(|(_, cap_bytes)| cap_bytes)), caps)
        };
        assert_eq!(tried(9000, 100.0), (Ok(Some(9000)), vec![12_000, 8000, 10_000, 9000, 8500]));
        assert_eq!(tried(8000, 100.0), (Ok(Some(8000)), vec![12_000, 8000]));
        assert_eq!(tried(9000, 0.0), (Ok(Some(12_000)), vec![12_000]));
        assert_eq!(tried(12_001, 100.0), (Ok(None), vec![12_000]));
    }
}
