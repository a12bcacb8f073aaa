//! Free plans: annealing from the contiguous optimum, or any placement that keeps the caps, and from elsewhere, with bounds.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::bound::{WorkPrices, simple_bound};
use crate::contiguous;
use crate::covering::{self, Covering};
use crate::first;
use crate::hypergraph::Hypergraph;
use crate::lanes::{LANES, Population, Round};
use crate::mip::{MipLimits, reassign};
use crate::neighbourhood::{self, WORK_PER_PROGRAM};
use crate::price_bound;
use crate::problem::{Assignment, PlanClass};
use crate::reduce::{merge_dominated, merge_uncuttable};
use crate::session::Session;
use crate::spreading::{self, Budget};

/// Moves of a lane in a round: by group, and at most.
const MOVES_PER_GROUP: u64 = 500;
const MOST_MOVES: u64 = 3_000_000;

/// Rounds of annealing without a gain of this share after which an island is left; islands without one after which programs have their turn, and the share of the
/// time limit after which they do anyway.
const IDLE_ROUNDS: usize = 8;
const WORTH_A_ROUND: f64 = 5e-5;
const IDLE_ISLANDS: u64 = 8;
const ANNEALING_SHARE: f64 = 0.25;

/// Turns of annealing and programs after which a search that is to finish early ends, and rounds of annealing in each.
const EARLY_TURNS: u64 = 2;
const EARLY_ROUNDS: u64 = 8;

/// A gain of this share is one of sums in another order.
const ROUNDING: f64 = 1e-9;

/// How far above the best placement, as a share, those of islands may be that programs start from once they have nothing for the best.
const NEAR: f64 = 5e-3;

/// Groups and devices, multiplied, up to which the whole problem is tried as one program.
const LARGEST_PROGRAM: usize = 600;

/// Share of the time limit for the contiguous start.
const START_SHARE: f64 = 0.15;

/// Share of the time limit for that program, and its branch-and-bound nodes.
const PROGRAM_SHARE: f64 = 0.25;
const PROGRAM_NODES: u32 = 5_000;

/// Share of the time limit, and of the work left, for the bound from what must cross; its steps where neither is limited.
const CROSSING_SHARE: f64 = 0.15;
const CROSSING_STEPS: u64 = 200_000_000;
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
    if session.assignment().is_none() && !session.over(0) {
        first::search(session);
    }
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
    let mut annealing = Annealing::default();
    let mut covering = Covering::default();
    // Turns until sets are asked again, and after the next time that they raise nothing of the last percent.
    let (mut rest, mut pause) = (0, 1);
    // Loads of the placements that programs started from.
    let mut polished = Vec::new();
    let mut descended = f64::INFINITY;
    let most_turns = if session.finish_early { EARLY_TURNS } else { u64::MAX };
    for turn in 1..=most_turns {
        if session.over(0) || session.proved() || session.assignment().is_none() {
            return;
        }
        annealing.run(session, graph);
        if programs {
            // Once for every placement: sets of devices that a program found nothing for are not tried again.
            let start = match session.assignment() {
                Some(best) if session.value() < descended * (1.0 - ROUNDING) => {
                    Some((session.value(), best.clone()))
                }
                _ if session.in_last_percent() => {
                    annealing.elite.below(session.value() * (1.0 + NEAR), &polished)
                }
                _ => None,
            };
            if let Some((max_load, start)) = start {
                neighbourhood::descend(session, graph, &start, &mut random);
                polished.push(max_load);
                descended = session.value();
            }
            match turn {
                1 => {
                    prove_by_crossings(session, graph);
                    price_bound::prove_by_counting(session, graph);
                    whole_program(session, graph);
                }
                // Work alone prices devices too coarsely for the last percent.
                2 if !session.finish_early && !session.in_last_percent() => {
                    price_bound::raise_by_work(session, graph);
                }
                _ if session.finish_early || turn < 3 => {}
                _ if rest > 0 => rest -= 1,
                _ => {
                    if turn == 3 {
                        price_bound::prove_by_counting(session, graph);
                    }
                    let before = session.bound;
                    prove_by_covering(session, graph, &mut covering);
                    if session.bound <= before && session.in_last_percent() {
                        (rest, pause) = (pause, pause * 2);
                    }
                }
            }
        }
    }
}

/// Rounds of annealing, on one island after the other: each has placements of its own, so that it ends elsewhere. Every second one starts from the best of all
/// and has the best of the others to combine it with.
#[derive(Default)]
struct Annealing {
    /// The best placements of the islands before.
    elite: Population,
    population: Population,
    /// The best of the island, by its largest load; none where it is to start.
    local: Option<(f64, Assignment)>,
    island: u64,
    idle: usize,
    round: u64,
    /// Times [`IDLE_ROUNDS`] that an island may be idle.
    patience: usize,
}

impl Annealing {
    /// Rounds until islands gain nothing; few, where the search is to finish early.
    fn run(&mut self, session: &mut Session<'_>, graph: &Hypergraph) {
        session.report_phase("annealing");
        // In the last percent it is the search that lacks time, before that the bounds.
        self.patience = if session.in_last_percent() { self.patience + 1 } else { 1 };
        let share = session.share(ANNEALING_SHARE);
        let last_round = if session.finish_early { self.round + EARLY_ROUNDS } else { u64::MAX };
        let (mut gained_at, mut known) = (self.island, session.value());
        while self.island < gained_at + IDLE_ISLANDS
            && self.round < last_round
            && !share.over()
            && !session.over(0)
            && !session.proved()
        {
            let (value, clock) = (session.value(), session.clock);
            let Some(best) = session.assignment() else { return };
            let reduced = merge_uncuttable(graph, value);
            let reduced = merge_dominated(&reduced, value, false);
            let budget =
                session.limits.work_limit.map_or(u64::MAX, |limit| limit.saturating_sub(session.work));
            let moves = (MOVES_PER_GROUP * graph.len() as u64).min(MOST_MOVES).min(budget / LANES as u64 + 1);
            let elsewhere = self.local.is_none() && !self.island.is_multiple_of(2);
            let (before, start) = match &self.local {
                Some((known, local)) if *known > value => (*known, local),
                _ => (value, best),
            };
            let round = Round {
                graph: &reduced,
                best: &reduced.restrict(start),
                population: &self.population,
                elsewhere,
                number: self.round,
                moves,
                seed: session.limits.seed,
                clock: &clock,
            };
            let found = round.run();
            session.work += moves * LANES as u64;
            self.round += 1;
            self.take(session, &reduced, if elsewhere { f64::INFINITY } else { before }, found);
            if session.value() < known * (1.0 - WORTH_A_ROUND) {
                (gained_at, known) = (self.island, session.value());
            }
        }
    }

    /// Takes in what the lanes of a round found, where the island had `before`; leaves it where nothing was found for long.
    fn take(
        &mut self,
        session: &mut Session<'_>,
        graph: &Hypergraph,
        before: f64,
        found: Vec<(f64, Vec<usize>)>,
    ) {
        let mut least = before;
        for (max_load, placement) in found {
            let assignment = graph.expand(&placement, session.problem.nodes.len());
            self.population.keep(max_load, &assignment);
            if max_load < least {
                least = max_load;
                self.local = Some((max_load, assignment.clone()));
            }
            session.offer(assignment, "anneal");
        }
        self.idle = if least < before * (1.0 - WORTH_A_ROUND) { 0 } else { self.idle + 1 };
        if self.idle >= IDLE_ROUNDS * self.patience {
            if let Some((max_load, local)) = self.local.take() {
                self.elite.keep(max_load, &local);
            }
            (self.idle, self.island) = (0, self.island + 1);
            self.population =
                if self.island.is_multiple_of(2) { self.elite.clone() } else { Population::default() };
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
    let Some(assignment) = session.assignment().filter(|_| graph.len() * devices <= LARGEST_PROGRAM) else {
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
