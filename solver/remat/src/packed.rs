//! Plans whose buffers keep the cap where they lie in one block: gaps between them count, not just live bytes.
//!
//! The block is an arena whose addresses the plan says, or the heap that XLA would lay out. Sizes are rounded up to the alignment first, so that live
//! bytes count what the block has to hold. A plan whose block is still too large is planned again under a cap for live bytes lowered by as much as it was
//! over. A bound for the whole cap holds for all of these.

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{NodeId, Problem, Schedule, replay};
use ballast_core::report::Bound;

use crate::arena::{Arena, assign, heap_bytes};
use crate::outcome::{Error, Outcome};
use crate::solver::Options;

/// Most caps for live bytes tried.
const TRIES: u32 = 10;

/// Drawings of the lengths of steps for most of which a heap without room for gaps keeps its cap.
const DRAWINGS: usize = 64;

/// How the buffers of a plan lie in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// At the addresses that come with the plan, multiples of the alignment.
    Arena { alignment: u64 },
    /// As XLA places them; so many of the resident bytes are there for the gaps.
    Heap { gaps_bytes: u64 },
}

impl Layout {
    /// The one the options ask for, if any.
    pub(crate) fn of(options: &Options) -> Option<Self> {
        // What does not plan for lower caps plans for live bytes.
        let gaps = options.heap_gaps_bytes.filter(|_| options.solver.plans_parts());
        let heap = gaps.map(|gaps_bytes| Layout::Heap { gaps_bytes });
        options.alignment.map(|alignment| Layout::Arena { alignment }).or(heap)
    }

    /// What sizes are rounded up to.
    fn alignment(self) -> u64 {
        match self {
            Layout::Arena { alignment } => alignment,
            Layout::Heap { .. } => 1,
        }
    }

    /// Bytes of the block of a schedule under the cap, without what is resident for it, and the arena where it is one.
    fn block(
        self,
        problem: &Problem,
        schedule: &Schedule,
        options: &Options,
        deadline: &Deadline,
    ) -> Result<(u64, Option<Arena>), Error> {
        let (swap, cap) = (options.swap.as_ref(), Some(options.cap_bytes));
        match self {
            Layout::Arena { alignment } => assign(problem, schedule, swap, cap, alignment, deadline)
                .map(|arena| (arena.arena_bytes, Some(arena))),
            Layout::Heap { gaps_bytes } => {
                // Room for gaps is for what is not known of them, too.
                let drawings = if gaps_bytes == 0 { DRAWINGS } else { 0 };
                heap_bytes(problem, schedule, swap, cap, drawings)
                    .map(|bytes| (bytes.saturating_sub(gaps_bytes), None))
            }
        }
        .map_err(Error::Refused)
    }
}

/// Plans under the cap for the block, with `plan` for live bytes.
pub(crate) fn packed(
    problem: &Problem,
    options: &Options,
    layout: Layout,
    plan: impl Fn(&Problem, &Options) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let alignment = layout.alignment();
    if alignment == 0 {
        return Err(Error::Options("an alignment of 0: give at least 1".into()));
    }
    let deadline = Deadline::start(&options.limits);
    let padded = padded(problem, alignment);
    let mut bound: Option<Bound> = None;
    let mut live_cap = options.cap_bytes;
    let mut smallest: Option<(u64, Option<NodeId>)> = None;
    let mut starts = options.starts.clone();
    let mut work = 0;
    for _ in 0..TRIES {
        // Half of what is left each, so that lower caps still have time.
        let limits = Limits {
            time_limit_seconds: options.limits.time_limit_seconds.map(|_| deadline.remaining_seconds() / 2.0),
            work_limit: options.limits.work_limit.map(|limit| (limit.saturating_sub(work) / 2).max(1)),
            ..options.limits
        };
        let attempt = Options {
            cap_bytes: live_cap,
            alignment: None,
            heap_gaps_bytes: None,
            limits,
            starts: starts.clone(),
            ..options.clone()
        };
        let mut outcome = match plan(&padded, &attempt) {
            Ok(outcome) => outcome,
            Err(mut failure @ Error::Infeasible { .. }) if smallest.is_none() => {
                // Padded values fill host memory sooner than they will: that nothing fits there is no proof.
                if let Error::Infeasible { proved, .. } = &mut failure {
                    *proved &= options.swap.is_none_or(|swap| swap.host_capacity_bytes.is_none());
                }
                return Err(failure);
            }
            Err(Error::Infeasible { .. }) => break,
            Err(failure) => return Err(failure),
        };
        work += outcome.report.work;
        // Copies of padded values take longer than they will: a bound that counts them says too much.
        let bound = *bound.get_or_insert_with(|| match options.swap {
            Some(_) => Bound::each_op_once(problem.total_time()),
            None => outcome.report.bound(),
        });
        // Timed under the cap that is reported: under a lower one copies would be waited for that nobody will wait for.
        outcome.replay = replay(problem, &outcome.schedule, options.swap.as_ref(), Some(options.cap_bytes))
            .map_err(|error| Error::Refused(error.to_string()))?;
        let (block_bytes, arena) = layout.block(problem, &outcome.schedule, options, &deadline)?;
        let needed = padded.resident_bytes + block_bytes;
        if needed <= options.cap_bytes {
            outcome.report.value = outcome.replay.time;
            outcome.report.seconds = deadline.elapsed_seconds();
            outcome.report = outcome.report.rebound(bound)?;
            outcome.arena = arena;
            // Room for gaps is resident, and may be more than they take.
            outcome.block_bytes = Some(needed.max(outcome.replay.peak_bytes));
            return Ok(outcome);
        }
        if smallest.is_none_or(|(bytes, _)| needed < bytes) {
            smallest = Some((needed, outcome.replay.peak_node));
        }
        let over = (needed - options.cap_bytes).max(alignment);
        if live_cap <= over || deadline.over() {
            break;
        }
        live_cap = live_cap.min(outcome.replay.peak_bytes.max(over + 1)) - over;
        starts = vec![outcome.compact];
    }
    let (smallest_cap, node) = smallest.unwrap_or((options.cap_bytes, None));
    Err(Error::Infeasible {
        cap_bytes: options.cap_bytes,
        smallest_cap,
        found: true,
        proved: false,
        node,
        label: node.map_or_else(String::new, |node| problem.nodes[node].label.clone()),
    })
}

/// The problem with every size rounded up.
fn padded(problem: &Problem, alignment: u64) -> Problem {
    let round = |bytes: u64| bytes.div_ceil(alignment) * alignment;
    let mut padded = problem.clone();
    padded.resident_bytes = round(problem.resident_bytes);
    for node in &mut padded.nodes {
        node.bytes = round(node.bytes);
        node.workspace_bytes = round(node.workspace_bytes);
    }
    padded
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::Node;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::outcome::Order;
    use crate::plan;

    fn random(rng: &mut ChaCha8Rng) -> Problem {
        let n = rng.random_range(15..40);
        let nodes = (0..n).map(|id: usize| {
            let inputs: Vec<usize> = (id.saturating_sub(6)..id).filter(|_| rng.random_bool(0.3)).collect();
            Node::new(format!("n{id}"), f64::from(rng.random_range(1..9)), rng.random_range(1..300), inputs)
        });
        Problem { name: "random".into(), nodes: nodes.collect(), resident_bytes: 10 }
    }

    #[test]
    fn arenas_keep_the_cap_where_live_bytes_alone_would_not_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let (mut planned, mut lowered) = (0, 0);
        for _ in 0..40 {
            let problem = random(&mut rng);
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            let options = Options {
                cap_bytes: (least + 3 * peak) / 4,
                alignment: Some(16),
                order: Order::Program,
                limits: Limits { time_limit_seconds: None, work_limit: Some(40_000), ..Limits::default() },
                ..Options::default()
            };
            let Ok(outcome) = plan(&problem, &options) else { continue };
            let arena = outcome.arena.as_ref().unwrap();
            assert!(16 + arena.arena_bytes <= options.cap_bytes);
            assert!(outcome.report.bound().value() <= outcome.report.value);
            planned += 1;
            let live = plan(&problem, &Options { alignment: None, ..options.clone() }).unwrap();
            let there = assign(&problem, &live.schedule, None, None, 16, &Deadline::after(None)).unwrap();
            lowered += usize::from(16 + there.arena_bytes > options.cap_bytes);
        }
        assert!(planned > 15 && lowered > 8, "{planned} {lowered}");
    }

    #[test]
    fn a_heap_keeps_the_cap_but_for_gaps_that_there_is_room_for() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let (mut planned, mut lowered) = (0, 0);
        for _ in 0..90 {
            let problem = random(&mut rng);
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            let under = |heap_gaps_bytes| Options {
                cap_bytes: (least + 3 * peak) / 4,
                heap_gaps_bytes,
                order: Order::Program,
                limits: Limits { time_limit_seconds: None, work_limit: Some(40_000), ..Limits::default() },
                ..Options::default()
            };
            let cap = under(None).cap_bytes;
            let heap = |outcome: &Outcome, drawings| {
                let block = heap_bytes(&problem, &outcome.schedule, None, Some(cap), drawings);
                problem.resident_bytes + block.unwrap()
            };
            let Ok(outcome) = plan(&problem, &under(Some(0))) else { continue };
            assert!(heap(&outcome, DRAWINGS) <= cap && outcome.arena.is_none());
            assert!(outcome.report.bound().value() <= outcome.report.value);
            planned += 1;
            let live = plan(&problem, &under(None)).unwrap();
            let over = heap(&live, 0).saturating_sub(cap);
            if over > 0 {
                lowered += 1;
                // Where there is room for them, gaps change nothing.
                assert_eq!(plan(&problem, &under(Some(over))).unwrap().report.value, live.report.value);
            }
        }
        assert!(planned > 20 && lowered > 8, "{planned} {lowered}");
    }

    #[test]
    fn arenas_that_cannot_keep_the_cap_are_refused() {
        let node = |name, inputs| Node::new(name, 1.0, 9, inputs);
        let nodes = vec![node("a", vec![]), node("b", vec![0])];
        let problem = Problem { name: "two".into(), nodes, resident_bytes: 0 };
        let plan_for = |cap_bytes, alignment| {
            plan(&problem, &Options { cap_bytes, alignment: Some(alignment), ..Options::default() })
        };
        assert!(plan_for(32, 16).is_ok());
        assert!(matches!(plan_for(31, 16), Err(Error::Infeasible { smallest_cap: 32, .. })));
        assert!(matches!(plan_for(32, 0), Err(Error::Options(_))));
    }
}
