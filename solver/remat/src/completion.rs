//! Copies for a plan that has only recomputes and is over the cap: what waits in it goes to the host and comes back.
//!
//! Where memory is short the values that wait longest on both sides of that moment are tried, and the one after which least is missing goes. Values
//! leave right after their first run; they come back one after the other, each as late as its reader and the copies behind it allow.

use ballast_core::limits::Deadline;
use ballast_core::memory::{Problem, SwapModel};

use crate::exchange::{State, assess_plan};
use crate::program::{Again, Plan, Program, Slot};

/// Values tried where memory is short.
const TRIED: usize = 6;
/// Most moments at which it is tried.
const MOMENTS: usize = 8;
/// Most values copied.
const COPIES: usize = 400;
/// What waiting as long as the whole program counts as, in caps that are missing.
const WAITING: f64 = 10.0;

/// A time between two readers in which a value may be on the host alone: after one position, until before another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gap {
    value: Slot,
    after: Slot,
    until: Slot,
}

/// The recomputes with copies that bring the plan under the cap, or nearly so; none where there is nothing to copy or the plan breaks a rule.
pub(crate) fn with_copies(
    problem: &Problem,
    program: &Program,
    swap: &SwapModel,
    cap_bytes: u64,
    again: &[Again],
    deadline: &Deadline,
) -> Option<Plan> {
    let gaps = gaps(program, again);
    let mut before = vec![0.0];
    before.extend(program.time.iter().scan(0.0, |sum, time| {
        *sum += time;
        Some(*sum)
    }));
    let link = Link { program, swap, before };
    let assess = |copied: &[Gap]| -> Option<(f64, State, Plan)> {
        let plan = link.plan(again, copied);
        let state = assess_plan(problem, program, swap, cap_bytes, &plan)?;
        let waits = state.time / program.total_time.max(f64::MIN_POSITIVE) * WAITING;
        Some((state.excess / program.cap.max(1.0) + waits, state, plan))
    };
    let mut copied: Vec<Gap> = Vec::new();
    let mut best = assess(&copied)?;
    while best.1.excess > 0.0 && copied.len() < COPIES && !deadline.over() {
        // Where every copy that would help one moment is in another's way, the next one.
        let found = spread(&best.1.short).find_map(|short| {
            let covers = |gap: &&Gap| gap.after < short && short < gap.until && !copied.contains(*gap);
            let mut choice: Vec<Gap> = gaps.iter().filter(covers).copied().collect();
            choice.sort_by(|a, b| link.room(b, short).total_cmp(&link.room(a, short)));
            choice.truncate(TRIED);
            let tried = choice.into_iter().filter_map(|gap| {
                let more: Vec<Gap> = copied.iter().copied().chain([gap]).collect();
                Some((gap, assess(&more)?))
            });
            let least = tried.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
            least.filter(|(_, found)| found.1.excess < best.1.excess)
        });
        let Some((gap, found)) = found else { break };
        copied.push(gap);
        best = found;
    }
    (!copied.is_empty()).then_some(best.2)
}

/// Some of the positions at which memory is short, the first of them first.
fn spread(short: &[Slot]) -> impl Iterator<Item = Slot> {
    let mut short = short.to_vec();
    short.dedup();
    let step = short.len().div_ceil(MOMENTS).max(1);
    short.into_iter().step_by(step)
}

/// Every gap of every value that may be swapped.
fn gaps(program: &Program, again: &[Again]) -> Vec<Gap> {
    // Positions at which each value is made or read; a recompute reads where it stands.
    let mut used: Vec<Vec<(Slot, bool)>> = (0..program.len() as Slot).map(|v| vec![(v, true)]).collect();
    for run in again {
        used[run.slot as usize].push((run.position, true));
        program.inputs(run.slot).iter().for_each(|&v| used[v as usize].push((run.position, false)));
    }
    for at in 0..program.len() as Slot {
        program.inputs(at).iter().for_each(|&v| used[v as usize].push((at, false)));
    }
    let mut gaps = Vec::new();
    for (v, used) in used.iter_mut().enumerate().filter(|(v, _)| program.swappable[*v]) {
        // What is made where something reads it is made before it is read.
        used.sort_unstable_by_key(|&(at, made)| (at, !made));
        gaps.extend(used.windows(2).filter(|pair| !pair[1].1 && pair[1].0 > pair[0].0 + 1).map(|pair| Gap {
            value: v as Slot,
            after: pair[0].0,
            until: pair[1].0,
        }));
    }
    gaps
}

struct Link<'a> {
    program: &'a Program,
    swap: &'a SwapModel,
    /// Time of the first runs before each position.
    before: Vec<f64>,
}

impl Link<'_> {
    fn size(&self, gap: &Gap) -> u64 {
        self.program.size[gap.value as usize] as u64
    }

    /// How often the copies out and back fit into the time on either side of a position: the less of both.
    fn room(&self, gap: &Gap, at: Slot) -> f64 {
        let out = (self.before[at as usize] - self.before[gap.value as usize + 1])
            / self.swap.out_time(self.size(gap)).max(f64::MIN_POSITIVE);
        let back = (self.before[gap.until as usize] - self.before[at as usize + 1])
            / self.swap.in_time(self.size(gap)).max(f64::MIN_POSITIVE);
        out.min(back)
    }

    /// The recomputes and the copies of some gaps.
    fn plan(&self, again: &[Again], copied: &[Gap]) -> Plan {
        let mut last_first = copied.to_vec();
        last_first.sort_by_key(|gap| std::cmp::Reverse((gap.until, gap.value)));
        let mut plan = Plan::recomputing(again);
        let mut free = f64::INFINITY;
        for gap in &last_first {
            free = free.min(self.before[gap.until as usize]) - self.swap.in_time(self.size(gap));
            let at = self.before.partition_point(|&start| start <= free).saturating_sub(1) as Slot;
            plan.back.push((at.clamp(gap.after + 1, gap.until), gap.value));
            plan.out.push((gap.value, gap.value));
        }
        plan.back.sort_unstable();
        plan.out.sort_unstable();
        plan.out.dedup();
        plan
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::Node;

    use super::*;

    /// Of a long chain of values that are read in turn from the end, the first ones made are gone longest: they are copied, and nothing waits.
    #[test]
    fn values_that_wait_longest_are_copied() {
        let half = 6;
        let mut nodes: Vec<Node> = (0..half)
            .map(|at: usize| {
                let inputs: Vec<usize> = at.checked_sub(1).into_iter().collect();
                Node::new(format!("forward{at}"), 4.0, 8, inputs)
            })
            .collect();
        nodes.extend((0..half).map(|at| {
            let mut inputs = vec![half - 1 - at, half + at - 1];
            inputs.sort_unstable();
            inputs.dedup();
            Node::new(format!("backward{at}"), 4.0, 1, inputs)
        }));
        let problem = Problem { name: "chain".into(), nodes, resident_bytes: 0 };
        // Nearly two values of 8 bytes less than all of them, and a link that carries one in the time of two nodes.
        let cap_bytes = problem.unplanned_peak() - 15;
        let swap = SwapModel {
            out_bandwidth: 1.0,
            in_bandwidth: 1.0,
            latency: 0.0,
            overlap: true,
            host_capacity_bytes: None,
        };
        let program = Program::new(&problem, None, cap_bytes);
        let plan = with_copies(&problem, &program, &swap, cap_bytes, &[], &Deadline::after(None))
            .expect("two values leave");
        assert_eq!(plan.out, [(0, 0), (1, 1)]);
        let state = assess_plan(&problem, &program, &swap, cap_bytes, &plan).expect("a plan");
        assert_eq!((state.excess, state.time), (0.0, problem.total_time()));
        // A cap that is kept leaves nothing to copy.
        let all = problem.unplanned_peak();
        assert!(with_copies(&problem, &program, &swap, all, &[], &Deadline::after(None)).is_none());
    }
}
