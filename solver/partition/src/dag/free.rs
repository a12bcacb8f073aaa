//! Free plans: annealing from the contiguous optimum and from elsewhere, with bounds.

use rayon::prelude::*;

use super::anneal::{Cooling, anneal};
use super::bound::{WorkPrices, simple_bound};
use super::hypergraph::Hypergraph;
use super::problem::PlanClass;
use super::reduce::{merge_dominated, merge_uncuttable};
use super::solve::Session;
use super::contiguous;

/// Independent searches whose results are merged after every round, whatever the number of threads.
const LANES: usize = 4;

/// Moves per lane and group in the first round; later rounds double up to the cap.
const MOVES_PER_GROUP: u64 = 4_000;

/// Most moves of one run.
const MOST_MOVES: u64 = 8_000_000;

/// Rounds after which a search that is to finish early ends.
const ROUNDS: u64 = 12;

/// Looks for the best free plan; `prove`: also by exact search.
pub(super) fn search(session: &mut Session<'_>, prove: bool) {
    let graph = Hypergraph::of(session.problem);
    let graph = merge_dominated(&graph, f64::INFINITY, false);
    session.prove(simple_bound(&graph, &WorkPrices::fit(&graph)));
    start(session, prove);
    let seconds = session.clock.remaining_seconds();
    let _ = seconds;
    rounds(session, &graph);
}

/// The contiguous optimum, or a good contiguous plan, as a start.
fn start(session: &mut Session<'_>, exact: bool) {
    let bound = session.bound;
    session.class = PlanClass::Contiguous;
    contiguous::search(session, exact);
    session.class = PlanClass::Free;
    session.infeasible = false;
    // Bounds over contiguous plans say nothing about free ones.
    session.bound = bound;
}

fn rounds(session: &mut Session<'_>, graph: &Hypergraph) {
    let mut moves = (MOVES_PER_GROUP * graph.len() as u64).min(MOST_MOVES);
    let mut round = 0;
    while !session.over(0) && !session.proved() && !(session.finish_early && round >= ROUNDS) {
        session.report_phase("annealing");
        let Some(best) = session.assignment().cloned() else { return };
        let reduced = merge_uncuttable(graph, session.value());
        let reduced = merge_dominated(&reduced, session.value(), false);
        let start = reduced.restrict(&best);
        let clock = session.clock;
        let budget = session.limits.work_limit.map_or(u64::MAX, |limit| limit.saturating_sub(session.work));
        let share = moves.min(budget / LANES as u64 + 1);
        let lanes: Vec<_> = (0..LANES)
            .into_par_iter()
            .map(|lane| {
                let hot = [0.3, 0.1, 1.0, 0.03][lane];
                let cooling = Cooling { hot, cold: 0.002, moves: share };
                let seed = session_seed(session.limits.seed, round, lane);
                anneal(&reduced, &start, cooling, seed, &mut |_| !clock.over())
            })
            .collect();
        session.work += share * LANES as u64;
        for (_, placement) in lanes.into_iter().flatten() {
            session.offer(reduced.expand(&placement, session.problem.nodes.len()), "anneal");
        }
        moves = (moves * 3 / 2).min(MOST_MOVES);
        round += 1;
    }
}

fn session_seed(seed: u64, round: u64, lane: usize) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(round * LANES as u64 + lane as u64)
}
