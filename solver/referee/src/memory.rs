//! Memory plans of one op sequence: all solvers, with and without swaps, overlap, free order, rounds and an arena.

use std::collections::HashMap;

use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{CompactPlan, Node, NodeId, Problem, Schedule, SwapModel, replay};
use ballast_core::report::{Bound, BoundClass};
use ballast_remat::{Error, Options, Order, PROVED_WITHIN, SOLVERS, Solver, assign, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock;
use crate::in_full::{self, Freedom};
use crate::ledger::Ledger;

/// One run: what was asked, and what it said.
pub(crate) struct Claim {
    pub(crate) who: String,
    pub(crate) swap: Option<SwapModel>,
    /// The cap of the answer, bytes.
    pub(crate) cap: u64,
    pub(crate) alignment: Option<u64>,
    /// What its plans might do.
    pub(crate) freedom: Freedom,
    /// Does it promise to be no worse than runs that may do less? Then the seed of its search.
    pub(crate) ladder: Option<u64>,
    pub(crate) answer: Answer,
}

/// What a run answered.
pub(crate) enum Answer {
    /// A plan and what is said about it.
    Plan { compact: Box<CompactPlan>, schedule: Schedule, value: f64, bound: Bound, proved: bool },
    /// There is no plan, with proof.
    Refused,
    /// None was found.
    Nothing,
}

/// How the best plans are found beside the runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BruteForce {
    /// The problem is too large.
    No,
    /// All plans are tried; with this link where copies run beside computation.
    Yes(Option<clock::Link>),
}

/// How much worse a search without proof may be under a larger cap: it takes other ways, and ends where they end.
const LUCK: f64 = 0.01;

/// Work limit of the runs that promise to be no worse than others, in moves of the local search.
const MOST_WORK: u64 = 400_000;

/// Examines one problem.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let small = random.random_bool(0.8);
    let n = if small { random.random_range(2..=6) } else { random.random_range(8..=20) };
    let problem = if random.random_bool(0.3) { chain(&mut random, n) } else { any(&mut random, n) };
    let slow = (random.random_range(1..3u64), random.random_range(1..3u64));
    let latency = u64::from(random.random_bool(0.3));
    let host = random.random_bool(0.25).then(|| random.random_range(4..14));
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let caps = [peak, least, (least + peak) / 2, (3 * least + peak) / 4, least.saturating_sub(1)];
    let mut claims = Vec::new();
    for _ in 0..random.random_range(4..9) {
        let swap = random.random_bool(0.6).then(|| SwapModel {
            out_bandwidth: 1.0 / slow.0 as f64,
            in_bandwidth: 1.0 / slow.1 as f64,
            latency: latency as f64,
            overlap: random.random_bool(0.4),
            host_capacity_bytes: host,
        });
        let solver = SOLVERS[random.random_range(0..SOLVERS.len())];
        let options = Options {
            cap_bytes: caps[random.random_range(0..caps.len())],
            swap,
            alignment: random.random_bool(0.1).then_some(4),
            order: if random.random_bool(0.5) { Order::Free } else { Order::Program },
            rounds: random.random_bool(0.5),
            limits: Limits {
                time_limit_seconds: None,
                work_limit: Some([2_000, 40_000, MOST_WORK][random.random_range(0..3)]),
                seed: random.random_range(0..3),
                threads: 1,
            },
            solver: match random.random_range(0..10) {
                0..5 => Solver::AUTO,
                // Its bounds are of classes of their own where plans may swap.
                5 => Solver::MILP,
                _ => solver,
            },
            ..Options::default()
        };
        if options.solver == Solver::STEPWISE && !small {
            continue;
        }
        ledger.runs += 1;
        claims.push(claim(&problem, &options, ledger));
    }
    let link = (host.is_none()).then_some(clock::Link { slow, latency });
    let brute_force = if small { BruteForce::Yes(link) } else { BruteForce::No };
    cross_examine(&problem, &claims, brute_force, ledger);
}

fn claim(problem: &Problem, options: &Options, ledger: &mut Ledger) -> Claim {
    let Options { cap_bytes, swap, alignment, order, rounds, solver, limits, .. } = options;
    let who = format!(
        "{} cap={cap_bytes} {order:?} rounds={rounds} alignment={alignment:?} work={:?} seed={} {swap:?}",
        solver.name(),
        limits.work_limit,
        limits.seed
    );
    let answer = match plan(problem, options) {
        Ok(outcome) => Answer::Plan {
            compact: Box::new(outcome.compact),
            schedule: outcome.schedule,
            value: outcome.report.value,
            bound: outcome.report.bound(),
            proved: outcome.report.proved(),
        },
        Err(Error::Infeasible { proved: true, .. }) => Answer::Refused,
        Err(Error::Infeasible { .. } | Error::NotApplicable { .. }) => Answer::Nothing,
        // Refused for what was asked, not for the cap.
        Err(Error::Options(_)) if alignment.is_some() && !solver.plans_parts() => Answer::Nothing,
        Err(failure) => {
            ledger.contradicts(format!("{who}: {failure}"));
            Answer::Nothing
        }
    };
    Claim {
        who,
        swap: *swap,
        cap: *cap_bytes,
        alignment: *alignment,
        freedom: Freedom { order: *order == Order::Free, rounds: *rounds },
        ladder: (*solver == Solver::AUTO && limits.work_limit == Some(MOST_WORK)).then_some(limits.seed),
        answer,
    }
}

/// What a plan makes use of.
struct Form {
    freedom: Freedom,
    swaps: bool,
}

impl Form {
    fn of(plan: &CompactPlan) -> Self {
        let ordered = plan.order.as_ref().is_none_or(|order| order.is_sorted());
        let mut once: Vec<NodeId> = plan.swap_out.iter().map(|&(_, node)| node).collect();
        once.sort_unstable();
        let ascends = plan.rounds.is_empty()
            && plan.copies.is_empty()
            && once.windows(2).all(|pair| pair[0] != pair[1]);
        Form {
            freedom: Freedom { order: !ordered, rounds: !ascends },
            swaps: !plan.swap_in.is_empty() || !plan.swap_out.is_empty() || !plan.copies.is_empty(),
        }
    }
}

/// The freedom of the plans of a class, and whether they may swap; none for classes of placements.
fn of_class(class: BoundClass) -> Option<(Freedom, bool)> {
    let of = |order, rounds, swaps| Some((Freedom { order, rounds }, swaps));
    match class {
        BoundClass::Any => of(true, true, true),
        BoundClass::AnyOrderAscending => of(true, false, true),
        BoundClass::ProgramOrder => of(false, true, true),
        BoundClass::ProgramOrderAscending => of(false, false, true),
        BoundClass::ProgramOrderWithoutSwaps => of(false, true, false),
        BoundClass::ProgramOrderAscendingWithoutSwaps => of(false, false, false),
        _ => None,
    }
}

fn within(form: &Form, freedom: Freedom) -> bool {
    (freedom.order || !form.freedom.order) && (freedom.rounds || !form.freedom.rounds)
}

/// Holds every claim about a problem against brute force and against all other plans.
pub(crate) fn cross_examine(
    problem: &Problem,
    claims: &[Claim],
    brute_force: BruteForce,
    ledger: &mut Ledger,
) {
    let mut best = Best { problem, brute_force, known: HashMap::new() };
    for claim in claims {
        match &claim.answer {
            Answer::Plan { value, bound, proved, schedule, .. } => {
                let judged = replay(problem, schedule, claim.swap.as_ref(), Some(claim.cap));
                let close =
                    judged.as_ref().is_ok_and(|judged| (judged.time - value).abs() <= 1e-9 * value.abs());
                ledger.holds(close, || format!("{}: {value}, judged {judged:?}", claim.who));
                ledger.holds(!proved || value - bound.value() <= PROVED_WITHIN * value * 1.001, || {
                    format!("{}: proved, {value} over {bound:?}", claim.who)
                });
                // The best plan under an arena is not known by its live bytes.
                let least =
                    (claim.alignment.is_none()).then(|| best.of(claim, bound.class(), *value)).flatten();
                ledger.bound(*bound, least, || format!("{} {problem:?}", claim.who));
            }
            Answer::Refused => {
                if brute_force != BruteForce::No && claim.alignment.is_none() {
                    let least = in_full::least(problem, claim.swap.as_ref(), claim.cap, claim.freedom);
                    ledger.refusals += 1;
                    ledger.holds(least.is_none(), || {
                        format!("{}: refused with proof, and there is a plan: {problem:?}", claim.who)
                    });
                }
            }
            Answer::Nothing => {}
        }
    }
    for (index, plan) in claims.iter().enumerate() {
        let Answer::Plan { compact, schedule, value: own, .. } = &plan.answer else { continue };
        let form = Form::of(compact);
        for (_, claim) in claims.iter().enumerate().filter(|&(other, _)| other != index) {
            let Ok(judged) = replay(problem, schedule, claim.swap.as_ref(), Some(claim.cap)) else {
                continue;
            };
            if let Some(alignment) = claim.alignment {
                let packed = assign(
                    problem,
                    schedule,
                    claim.swap.as_ref(),
                    Some(claim.cap),
                    alignment,
                    &Deadline::after(None),
                );
                let resident = problem.resident_bytes.div_ceil(alignment) * alignment;
                if !packed.is_ok_and(|arena| resident + arena.arena_bytes <= claim.cap) {
                    continue;
                }
            }
            match &claim.answer {
                Answer::Plan { bound, value, proved, .. } => {
                    let Some((freedom, swaps)) = of_class(bound.class()) else {
                        ledger
                            .contradicts(format!("{}: {bound:?} is of no class of memory plans", claim.who));
                        continue;
                    };
                    if within(&form, freedom) && (swaps || !form.swaps) {
                        ledger.cross(*bound, judged.time, || {
                            format!("{} against {}: {problem:?}", claim.who, plan.who)
                        });
                    }
                    // Large problems are searched by chance: there one seed alone is no luckier than the other.
                    let promised = claim.ladder.is_some()
                        && (brute_force != BruteForce::No || claim.ladder == plan.ladder);
                    if promised && within(&form, claim.freedom) && claim.alignment.is_none() {
                        ledger.ladders += 1;
                        let luck = if claim.cap == plan.cap || *proved { PROVED_WITHIN } else { LUCK };
                        ledger.holds(*value <= judged.time * (1.0 + luck), || {
                            format!(
                                "{} found {value} and may do what {} did in {} ({own}): {problem:?}",
                                claim.who, plan.who, judged.time
                            )
                        });
                    }
                }
                Answer::Refused => ledger.holds(!within(&form, claim.freedom), || {
                    format!("{}: refused with proof, and {} has a plan: {problem:?}", claim.who, plan.who)
                }),
                Answer::Nothing => {}
            }
        }
    }
}

/// The best plans of all classes, found when asked for.
struct Best<'a> {
    problem: &'a Problem,
    brute_force: BruteForce,
    known: HashMap<(bool, Freedom, u64), f64>,
}

impl Best<'_> {
    /// The least time of the class's plans, where it is known; infinite where there is none.
    fn of(&mut self, claim: &Claim, class: BoundClass, value: f64) -> Option<f64> {
        let BruteForce::Yes(link) = self.brute_force else { return None };
        let (freedom, swaps) = of_class(class)?;
        let swap = claim.swap.filter(|_| swaps);
        let total = self.problem.total_time();
        if swap.is_some_and(|swap| swap.overlap) {
            let limit = value.round() as u64;
            let least = clock::least(self.problem, link?, claim.cap, freedom, limit);
            // Nothing up to the value of the run itself: its plan is not of the class.
            return Some(least.map_or(value, |least| least as f64));
        }
        let key = (swap.is_some(), freedom, claim.cap);
        let least = *self.known.entry(key).or_insert_with(|| {
            in_full::least(self.problem, swap.as_ref(), claim.cap, freedom).unwrap_or(f64::INFINITY)
        });
        Some(total + least)
    }
}

/// A problem of any shape, its nodes under rules of all kinds.
#[must_use]
pub fn any(random: &mut ChaCha8Rng, n: usize) -> Problem {
    let density = if n > 8 { 0.15 } else { random.random_range(0.2..0.6) };
    let nodes = (0..n)
        .map(|id| {
            let inputs: Vec<usize> = (0..id).filter(|_| random.random_bool(density)).collect();
            let time = f64::from(random.random_range(0..9));
            let mut node = Node::new(format!("n{id}"), time, random.random_range(0..9), inputs);
            node.workspace_bytes = if random.random_bool(0.2) { random.random_range(0..3) } else { 0 };
            node.keep = random.random_bool(0.15);
            node.recomputable = random.random_bool(0.9);
            node.swappable = random.random_bool(0.9);
            node.pinned = random.random_bool(0.05);
            node
        })
        .collect();
    Problem { name: "any".into(), nodes, resident_bytes: if random.random_bool(0.3) { 2 } else { 0 } }
}

/// A training step of a chain of layers: a gradient reads the value of its layer and the gradient behind it.
#[must_use]
pub fn chain(random: &mut ChaCha8Rng, n: usize) -> Problem {
    let layers = n.div_ceil(2);
    let mut nodes: Vec<Node> = Vec::new();
    for id in 0..2 * layers {
        let inputs = match id {
            0 => vec![],
            id if id <= layers => vec![id - 1],
            id => vec![2 * layers - 1 - id, id - 1],
        };
        let time = f64::from(random.random_range(1..9));
        let mut node = Node::new(format!("n{id}"), time, random.random_range(1..9), inputs);
        node.backward = id >= layers;
        nodes.push(node);
    }
    Problem { name: "chain".into(), nodes, resident_bytes: 0 }
}
