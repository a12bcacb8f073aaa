//! Free plans: annealing from the contiguous optimum and from elsewhere, with bounds.

use ballast_core::limits::Deadline;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::anneal::{Cooling, anneal};
use crate::bound::{WorkPrices, simple_bound};
use crate::contiguous;
use crate::covering::{self, Covering};
use crate::hypergraph::Hypergraph;
use crate::mip::{MipLimits, reassign};
use crate::multilevel::{Coarse, merge_heavy};
use crate::neighbourhood::{self, WORK_PER_PROGRAM};
use crate::price_bound;
use crate::problem::PlanClass;
use crate::reduce::{merge_dominated, merge_uncuttable};
use crate::session::Session;
use crate::spreading::{self, Budget};

/// Independent searches whose results are merged after every round, whatever the number of threads.
const LANES: usize = 4;

/// Moves per lane and group in the first round; later rounds double up to the cap.
const MOVES_PER_GROUP: u64 = 4_000;

/// Most moves of one run.
const MOST_MOVES: u64 = 3_000_000;

/// Power of the annealing energy.
const POWER: i32 = 12;

/// Temperature every run ends at.
const COLD: f64 = 0.002;

/// Groups above which lanes anneal coarse to fine, and the size of the coarsest level.
const LARGEST_FLAT: usize = 3_000;
const COARSEST: usize = 1_500;

/// Rounds after which a search that is to finish early ends, and its most moves of one run.
const EARLY_ROUNDS: u64 = 2;
const EARLY_MOVES: u64 = 800_000;

/// Groups and devices, multiplied, up to which the whole problem is tried as one program.
const LARGEST_PROGRAM: usize = 1_500;
const EARLY_PROGRAM: usize = 600;

/// Share of the time limit for the contiguous start.
const START_SHARE: f64 = 0.15;

/// Share of the time limit for that program, and its branch-and-bound nodes.
const PROGRAM_SHARE: f64 = 0.25;
const PROGRAM_NODES: u32 = 5_000;

/// Share of the time limit, and of the work left, for the bound from what must cross; its steps where neither is limited.
const CROSSING_SHARE: f64 = 0.2;
const CROSSING_STEPS: u64 = 60_000_000;
const EARLY_CROSSING_STEPS: u64 = 10_000_000;

/// Share of the time limit, and of the work left, for one call of the bound by sets that cover; its programs where neither is limited, and their
/// branch-and-bound nodes.
const COVERING_SHARE: f64 = 0.25;
const COVERING_PROGRAMS: u64 = 400;
const COVERING_NODES: u32 = 2_000;

/// Looks for the best free plan; `programs`: also by integer programs and with bounds from them.
pub(crate) fn search(session: &mut Session<'_>, programs: bool) {
    let graph = Hypergraph::of(session.problem);
    let graph = merge_dominated(&graph, f64::INFINITY, false);
    session.prove(simple_bound(&graph, &WorkPrices::fit(&graph)));
    start(session, programs);
    rounds(session, &graph, programs);
}

/// The contiguous optimum, or a good contiguous plan, as a start.
fn start(session: &mut Session<'_>, exact: bool) {
    let (bound, trusts_highs) = (session.bound, session.trusts_highs);
    let (clock, limits) = (session.clock, session.limits);
    session.clock = session.share(START_SHARE);
    session.limits.work_limit = limits.work_limit.map(|limit| limit / 4);
    session.class = PlanClass::Contiguous;
    contiguous::search(session, exact);
    session.class = PlanClass::Free;
    session.infeasible = false;
    // Bounds over contiguous plans say nothing about free ones.
    (session.bound, session.trusts_highs) = (bound, trusts_highs);
    session.clock = clock;
    session.limits = limits;
}

fn rounds(session: &mut Session<'_>, graph: &Hypergraph, programs: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(session.limits.seed);
    let mut moves = MOVES_PER_GROUP * graph.len() as u64;
    let mut round = 0;
    let mut covering = Covering::default();
    let (rounds, most_moves) =
        if session.finish_early { (EARLY_ROUNDS, EARLY_MOVES) } else { (u64::MAX, MOST_MOVES) };
    while !session.over(0) && !session.proved() && round < rounds {
        session.report_phase("annealing");
        let Some(best) = session.assignment().cloned() else { return };
        let reduced = merge_uncuttable(graph, session.value());
        let reduced = merge_dominated(&reduced, session.value(), false);
        let start = reduced.restrict(&best);
        let clock = session.clock;
        let budget = session.limits.work_limit.map_or(u64::MAX, |limit| limit.saturating_sub(session.work));
        let share = moves.min(most_moves).min(budget / LANES as u64 + 1);
        let lanes: Vec<_> = (0..LANES)
            .into_par_iter()
            .map(|lane| {
                let seed = lane_seed(session.limits.seed, round, lane);
                let hot = [0.3, 0.1, 1.0, 0.03][lane];
                if reduced.len() > LARGEST_FLAT {
                    return through_levels(&reduced, &start, share, seed, &clock);
                }
                let cooling = Cooling { power: POWER, hot, cold: COLD, moves: share };
                anneal(&reduced, &start, cooling, seed, &mut |_| !clock.over())
                    .map(|(_, placement)| placement)
            })
            .collect();
        session.work += share * LANES as u64;
        for placement in lanes.into_iter().flatten() {
            session.offer(reduced.expand(&placement, session.problem.nodes.len()), "anneal");
        }
        moves = moves * 3 / 2;
        round += 1;
        if programs {
            neighbourhood::descend(session, graph, &mut random);
            match round {
                1 => {
                    prove_by_crossings(session, graph);
                    price_bound::prove_by_counting(session, graph);
                    whole_program(session, graph);
                }
                2 if !session.finish_early => price_bound::raise_by_work(session, graph),
                3 => price_bound::prove_by_counting(session, graph),
                _ if !session.finish_early => prove_by_covering(session, graph, &mut covering),
                _ => {}
            }
        }
    }
}

/// Raises the bound by what must cross between devices in any plan that is better than the best so far.
fn prove_by_crossings(session: &mut Session<'_>, graph: &Hypergraph) {
    if session.over(0) || session.proved() {
        return;
    }
    session.report_phase("what must cross");
    let value = session.value();
    let clock = session.share(CROSSING_SHARE);
    let most = if session.finish_early { EARLY_CROSSING_STEPS } else { CROSSING_STEPS };
    let left = |limit: u64| ((limit.saturating_sub(session.work)) as f64 * CROSSING_SHARE) as u64;
    let steps = session.limits.work_limit.map_or(most, left);
    let budget = Budget { steps, clock: &clock, seed: session.limits.seed };
    let proof = spreading::bound(graph, value, &budget);
    session.work += proof.steps;
    session.prove(proof.bound);
}

/// Raises the bound by profits that a linear program finds.
fn prove_by_covering(session: &mut Session<'_>, graph: &Hypergraph, covering: &mut Covering) {
    if session.over(0) || session.proved() {
        return;
    }
    session.report_phase("covering by sets");
    let clock = session.share(COVERING_SHARE);
    let left =
        |limit: u64| (limit.saturating_sub(session.work) as f64 * COVERING_SHARE) as u64 / WORK_PER_PROGRAM;
    let budget = covering::Budget {
        clock: &clock,
        programs: session.limits.work_limit.map_or(COVERING_PROGRAMS, left),
        nodes: session.program_nodes(COVERING_NODES),
        seed: session.limits.seed,
    };
    let raised = covering.raise(graph, session.value(), session.bound, &budget);
    session.work += raised.programs * WORK_PER_PROGRAM;
    session.prove_by_highs(raised.bound);
}

/// The whole problem as one program, for small graphs.
fn whole_program(session: &mut Session<'_>, graph: &Hypergraph) {
    let devices = session.problem.device_count();
    let largest = if session.finish_early { EARLY_PROGRAM } else { LARGEST_PROGRAM };
    let Some(assignment) = session.assignment().filter(|_| graph.len() * devices <= largest) else {
        return;
    };
    if session.over(0) || session.proved() {
        return;
    }
    session.report_phase("the whole program");
    let limits = MipLimits {
        seconds: session.share(PROGRAM_SHARE).remaining_seconds(),
        nodes: session.program_nodes(PROGRAM_NODES),
        seed: session.limits.seed,
        threads: 1,
    };
    let open: Vec<usize> = (0..devices).collect();
    let solved = reassign(graph, &graph.restrict(assignment), &open, limits);
    session.work += WORK_PER_PROGRAM * 10;
    if let Some(placement) = solved.placement {
        session.offer(graph.expand(&placement, session.problem.nodes.len()), "mip");
    }
    if let Some(bound) = solved.bound {
        session.prove_by_highs(bound);
    }
}

/// Anneals coarse to fine: every level merges pairs on one device, so that a placement carries over exactly.
fn through_levels(
    graph: &Hypergraph,
    start: &[usize],
    moves: u64,
    seed: u64,
    clock: &Deadline,
) -> Option<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let prices = WorkPrices::fit(graph);
    let devices: usize = graph.kinds.iter().map(|kind| kind.count).sum();
    let most_work = prices.total / (devices * 20) as f64;
    let mut levels: Vec<Coarse> = Vec::new();
    let mut placement = start.to_vec();
    while levels.last().map_or(graph.len(), |level| level.graph.len()) > COARSEST && !clock.over() {
        let current = levels.last().map_or(graph, |level| &level.graph);
        let prices = prices.reprice(current);
        match merge_heavy(current, &prices, &placement, most_work, &mut random) {
            Some((coarse, coarse_placement)) => {
                levels.push(coarse);
                placement = coarse_placement;
            }
            None => break,
        }
    }
    let runs = levels.len() as u64 + 1;
    let mut hot = 0.1;
    loop {
        let current = levels.last().map_or(graph, |level| &level.graph);
        let cooling = Cooling { power: POWER, hot, cold: COLD, moves: moves / runs };
        let found = anneal(current, &placement, cooling, random.next_u64(), &mut |_| !clock.over());
        placement = found.map_or(placement, |(_, better)| better);
        // Finer levels only polish what the coarser ones settled.
        hot = 0.01;
        match levels.pop() {
            Some(level) => placement = level.spread(&placement),
            None => return Some(placement),
        }
    }
}

fn lane_seed(seed: u64, round: u64, lane: usize) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(round * LANES as u64 + lane as u64)
}
