//! Cost against cap: the whole curve in one call, and the least memory for a given overhead.

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::Problem;
use ballast_core::report::{Bound, BoundClass};

use crate::outcome::{Error, Order, Outcome};
use crate::plan;
use crate::plan::given;
use crate::solver::Options;

/// One cap of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// The cap, bytes.
    pub cap_bytes: u64,
    /// The plan; none where no plan keeps the cap or none was found.
    pub outcome: Option<Outcome>,
    /// Is it proved that no plan keeps the cap?
    pub ruled_out: bool,
}

/// Plans for every cap, in ascending order of the caps, within the limits of all together.
///
/// The time of the plans never rises with the cap: a plan for a smaller cap serves the larger ones, as their start
/// and, where the search finds nothing better, as their plan. Bounds flow the other way. Plans given as starts serve every cap that
/// they keep.
///
/// # Errors
/// As [`plan()`], but for caps without a plan, which leave their point empty.
pub fn curve(problem: &Problem, caps: &[u64], options: &Options) -> Result<Vec<CurvePoint>, Error> {
    let mut caps = caps.to_vec();
    caps.sort_unstable();
    caps.dedup();
    let deadline = Deadline::start(&options.limits);
    let overtime = deadline.overtime();
    let unplanned_peak = problem.unplanned_peak();
    let mut points: Vec<CurvePoint> = Vec::with_capacity(caps.len());
    for (index, &cap_bytes) in caps.iter().enumerate() {
        // Out of time: a plan given or that for the smaller cap serves this one. Its bound does not; but nothing takes less than running
        // once. From its own peak on the program needs no search.
        if deadline.over()
            && cap_bytes < unplanned_peak
            && let Some(outcome) = known(problem, &Options { cap_bytes, ..options.clone() }, points.last())
        {
            let mut outcome = with_bound(outcome, Bound::each_op_once(problem.total_time()))?;
            outcome.report.stop_reason = deadline.reason();
            points.push(CurvePoint { cap_bytes, outcome: Some(outcome), ruled_out: false });
            continue;
        }
        // Each try costs a little even without time for it, and there may be many.
        if overtime.over() && cap_bytes < unplanned_peak {
            points.push(CurvePoint { cap_bytes, outcome: None, ruled_out: false });
            continue;
        }
        let left = (caps.len() - index) as f64;
        let limits = Limits {
            time_limit_seconds: options
                .limits
                .time_limit_seconds
                .map(|_| deadline.remaining_seconds() / left),
            ..options.limits
        };
        let previous = points.last().and_then(|point| point.outcome.as_ref());
        let previous = previous.map(|outcome| outcome.compact.clone());
        let starts = options.starts.iter().cloned().chain(previous).collect();
        let mut ruled_out = false;
        let outcome = match plan(problem, &Options { cap_bytes, limits, starts, ..options.clone() }) {
            Ok(outcome) => Some(outcome),
            Err(Error::Infeasible { proved, .. }) => {
                ruled_out = proved;
                None
            }
            Err(other) => return Err(other),
        };
        let previous = points.last().and_then(|point| point.outcome.clone());
        let outcome = match (outcome, previous) {
            (Some(new), Some(old)) if old.report.value < new.report.value => {
                Some(with_bound(old, new.report.bound())?)
            }
            (None, old) => old,
            (new, _) => new,
        };
        points.push(CurvePoint { cap_bytes, outcome, ruled_out });
    }
    // What holds for a larger cap holds for a smaller one.
    let mut bound: Option<Bound> = None;
    let mut ruled_out = false;
    for point in points.iter_mut().rev() {
        ruled_out |= point.ruled_out;
        point.ruled_out = ruled_out;
        if let Some(outcome) = point.outcome.take() {
            let own = outcome.report.bound();
            let best = match bound {
                Some(larger) if larger.class() == own.class() || larger.class() == BoundClass::Any => {
                    own.raised_to(larger)
                }
                // Of plans that keep program order a bound for those says more than a lower one for all.
                Some(larger) if options.order == Order::Program && larger.value() > own.value() => {
                    larger.unless_beaten_by(outcome.report.value, own)
                }
                _ => own,
            };
            bound = Some(best);
            point.outcome = Some(with_bound(outcome, best)?);
        }
    }
    Ok(points)
}

/// The fastest of the plan for the cap before and of the plans given that keep this one.
pub(crate) fn known(problem: &Problem, options: &Options, previous: Option<&CurvePoint>) -> Option<Outcome> {
    let starts = options.starts.iter().filter_map(|start| given(problem, options, start.clone()).ok());
    let previous = previous.and_then(|point| point.outcome.clone());
    previous.into_iter().chain(starts).min_by(|a, b| a.report.value.total_cmp(&b.report.value))
}

fn with_bound(outcome: Outcome, bound: Bound) -> Result<Outcome, Error> {
    let report = outcome.report.rebound(bound)?;
    Ok(Outcome { report, ..outcome })
}

/// The plan of least memory that was found for an overhead, and what is known of those that take less.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastMemory {
    /// The plan. Its report is about its time.
    pub outcome: Outcome,
    /// No plan that is as fast takes less, bytes, in the classes that the bounds of the caps tried are of; the peak of the plan where it is proved to be the least.
    pub bound_bytes: u64,
}

impl LeastMemory {
    /// Is it proved that no plan as fast takes less memory?
    #[must_use]
    pub const fn proved(&self) -> bool {
        self.bound_bytes >= self.outcome.replay.peak_bytes
    }
}

/// Share of a time that is put down to rounding: 15 % more than 100 comes to less than 115, and sums in different orders differ.
const ROUNDING: f64 = 1e-12;

/// The plan of least memory found whose time is at most `1 + overhead` times that of running everything once, but for rounding.
///
/// Halves the range of caps from the working set to the unplanned peak until less than a thousandth is left, or less than any value takes.
///
/// # Errors
/// As [`plan()`], and for an overhead that is negative or not a number.
pub fn least_memory(problem: &Problem, overhead: f64, options: &Options) -> Result<LeastMemory, Error> {
    if !(overhead >= 0.0 && overhead.is_finite()) {
        return Err(Error::Options(format!(
            "an overhead of {overhead}: give a share of the time, not negative"
        )));
    }
    let deadline = Deadline::start(&options.limits);
    let most = problem.total_time() * (1.0 + overhead) * (1.0 + ROUNDING);
    let mut high = problem.unplanned_peak();
    let (least, unit) = (high / 1000, unit(problem));
    let mut best = plan(problem, &Options { cap_bytes: high, ..options.clone() })?;
    high = high.min(best.replay.peak_bytes);
    // The working set itself may do: what has no plan is the largest cap below it.
    let mut low = problem.working_set().0.saturating_sub(1);
    let mut ruled_out = low;
    let rounds = 10;
    for round in 0..rounds {
        // A plan may take less than a cap for which none was found in its share of the time.
        if high.saturating_sub(low) <= least.max(unit) || deadline.over() {
            break;
        }
        let cap_bytes = low + (high - low) / 2;
        let share = deadline.remaining_seconds() / f64::from(rounds - round);
        let limits =
            Limits { time_limit_seconds: options.limits.time_limit_seconds.map(|_| share), ..options.limits };
        let tried = plan(
            problem,
            &Options { cap_bytes, limits, starts: vec![best.compact.clone()], ..options.clone() },
        );
        match tried {
            Ok(outcome) if outcome.report.value <= most => {
                high = outcome.replay.peak_bytes.min(cap_bytes);
                best = outcome;
            }
            Ok(outcome) => {
                low = cap_bytes;
                if outcome.report.bound().value() > most {
                    ruled_out = cap_bytes;
                }
            }
            Err(Error::Infeasible { proved, .. }) => {
                low = cap_bytes;
                if proved {
                    ruled_out = cap_bytes;
                }
            }
            Err(other) => return Err(other),
        }
    }
    // Peaks differ by multiples of the unit.
    let is_least = best.replay.peak_bytes.saturating_sub(ruled_out) <= unit;
    let bound_bytes = if is_least { best.replay.peak_bytes } else { ruled_out.saturating_add(1) };
    Ok(LeastMemory { outcome: best, bound_bytes })
}

/// What all sizes are multiples of, bytes: caps that differ by less keep the same plans.
fn unit(problem: &Problem) -> u64 {
    let sizes = problem.nodes.iter().flat_map(|node| [node.bytes, node.workspace_bytes]);
    sizes.fold(0, |mut unit, mut size| {
        while size != 0 {
            (unit, size) = (size, unit % size);
        }
        unit
    })
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::Node;

    use super::*;

    #[test]
    fn of_coarse_sizes_the_least_memory_is_that_of_the_smallest_cap_with_a_plan_as_fast() {
        let mut nodes: Vec<Node> = (0..6)
            .map(|id| {
                Node::new("forward", 1.0, 4000, usize::checked_sub(id, 1).into_iter().collect::<Vec<_>>())
            })
            .collect();
        for id in (0..5).rev() {
            nodes.push(Node::new("backward", 1.0, 2000, vec![id, nodes.len() - 1]));
        }
        let problem = Problem { name: "training".into(), nodes, resident_bytes: 100 };
        assert_eq!(unit(&problem), 2000);
        let options = Options {
            order: Order::Program,
            limits: Limits { time_limit_seconds: None, work_limit: Some(20_000), ..Limits::default() },
            ..Options::default()
        };
        let most = problem.total_time() * 1.3;
        let least = least_memory(&problem, 0.3, &options).expect("a plan");
        let found = &least.outcome;
        let as_fast = |cap_bytes: u64| {
            plan(&problem, &Options { cap_bytes, ..options.clone() })
                .is_ok_and(|plan| plan.report.value <= most)
        };
        let by_cap = (0..40).map(|units| 100 + 2000 * units).find(|&cap| as_fast(cap)).expect("a cap");
        assert!(found.report.value <= most && found.replay.peak_bytes == by_cap, "{by_cap}: {found:?}");
    }

    /// Node 0 is read twice, last of all: kept for that, it takes a third value beside nodes 1 and 2.
    fn fork() -> Problem {
        let nodes =
            [vec![], vec![0], vec![1], vec![0]].map(|inputs: Vec<usize>| Node::new("f", 1.0, 4000, inputs));
        Problem { name: "fork".into(), nodes: nodes.into(), resident_bytes: 0 }
    }

    #[test]
    fn the_working_set_is_a_cap_like_any_other() {
        let problem = fork();
        assert_eq!((problem.working_set().0, problem.unplanned_peak()), (8000, 12_000));
        let least = |problem: &Problem, order, overhead| {
            let limits = Limits { time_limit_seconds: None, work_limit: Some(20_000), ..Limits::default() };
            let found = least_memory(problem, overhead, &Options { order, limits, ..Options::default() });
            let found = found.expect("a plan");
            (found.outcome.replay.peak_bytes, found.bound_bytes, found.proved())
        };
        // Node 0 once more costs a quarter.
        assert_eq!(least(&problem, Order::Program, 0.25), (8000, 8000, true));
        assert_eq!(least(&problem, Order::Program, 0.2), (12_000, 12_000, true));
        // A share that a plan has exactly, and that in binary comes to a little less: 15 of 100.
        let mut hundred = fork();
        for (node, time) in std::iter::zip(&mut hundred.nodes, [15.0, 35.0, 25.0, 25.0]) {
            node.time = time;
        }
        assert_eq!(least(&hundred, Order::Program, 0.15), (8000, 8000, true));
        assert_eq!(least(&hundred, Order::Program, 0.1499), (12_000, 12_000, true));
        // Node 3 before node 1 costs nothing.
        assert_eq!(least(&problem, Order::Free, 0.0), (8000, 8000, true));
    }

    #[test]
    fn what_no_search_ruled_out_is_not_called_the_least() {
        let limits = Limits { time_limit_seconds: None, work_limit: Some(0), ..Limits::default() };
        let problem = fork();
        let solver = crate::Solver::GREEDY;
        let options = Options { order: Order::Program, solver, limits, ..Options::default() };
        let found = least_memory(&problem, 0.2, &options).expect("a plan");
        assert_eq!(
            (found.outcome.replay.peak_bytes, found.bound_bytes, found.proved()),
            (12_000, 8000, false)
        );
    }
}
