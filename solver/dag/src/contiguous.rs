//! Contiguous plans: linear orders first, then pairs or chains of ideals until the best plan is proved.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::bound::{WorkPrices, simple_bound};
use crate::chain::{self, ChainEnd, ChainGraph, Elements};
use crate::descent::descend;
use crate::hypergraph::Hypergraph;
use crate::lattice::Lattice;
use crate::multilevel::merge_runs;
use crate::order::{OrderRule, best_cut, linear_order};
use crate::pairs::Pairs;
use crate::reduce::{merge_dominated, merge_uncuttable};
use crate::session::Session;

/// Relative step below a known value at which a better plan is looked for.
const STRICTLY: f64 = 1e-9;

/// Thresholds tried on an order, as multiples of the simple bound.
const WIDENING: [f64; 7] = [1.02, 1.1, 1.3, 1.8, 4.0, 20.0, f64::INFINITY];

/// Runs that orders are made coarser to, one after the other, before they are cut as they are.
const LINE_SIZES: [usize; 2] = [256, 4096];

/// Longest order cut as it is: the effort grows with its square over the number of devices.
const LARGEST_LINE: usize = 20_000;

/// Groups above which chains of ideals are not tried: the bound then is that of the work.
const LARGEST_LATTICE: usize = 20_000;

/// Ideals up to which the program over all pairs of them is solved.
const MOST_IDEALS: usize = 40_000;

/// Random orders tried after the fixed ones.
const RANDOM_ORDERS: u64 = 8;

/// Steps of the first attempt at a proof, before thresholds are bisected to raise the bound step by step.
const FIRST_ATTEMPT_STEPS: u64 = 40_000_000;

/// Looks for the best contiguous plan; `exact`: with proof.
pub(crate) fn search(session: &mut Session<'_>, exact: bool) {
    let graph = Hypergraph::of(session.problem).without_cycles();
    let graph = merge_dominated(&graph, f64::INFINITY, true);
    let prices = WorkPrices::fit(&graph);
    session.prove(simple_bound(&graph, &prices));
    orders(session, &graph, &prices);
    if exact && !session.proved() && graph.len() <= LARGEST_LATTICE && !prove_by_pairs(session, &graph) {
        prove(session, &graph);
    }
}

/// A graph without what no plan below a value needs: nets that such a plan cannot cut, groups that follow a neighbour.
fn reduced(graph: &Hypergraph, value: f64) -> Hypergraph {
    let graph = merge_uncuttable(graph, value).without_cycles();
    merge_dominated(&graph, value, true).without_cycles()
}

/// Where the order has few ideals: proves the best plan by the program over all pairs of them. Returns whether nothing is
/// left to do.
fn prove_by_pairs(session: &mut Session<'_>, graph: &Hypergraph) -> bool {
    // Groups without order double the ideals each: all are elements if that fits, else more and more of them.
    for elements in [Elements::All, Elements::Loose(0), Elements::Loose(2), Elements::SOME] {
        session.report_phase("pairs of ideals");
        let value = session.value();
        let threshold = value * (1.0 - STRICTLY);
        let reduced = reduced(graph, threshold);
        if elements != Elements::All && reduced.ordered.iter().all(|&ordered| ordered) {
            return false;
        }
        let chain = ChainGraph::new(&reduced, elements);
        // Of what is no element nothing is found out.
        if chain.walk.is_empty() {
            continue;
        }
        let lattice = Lattice::of(&chain.walk, MOST_IDEALS);
        let Some(pairs) = lattice.as_ref().and_then(|lattice| Pairs::new(&chain, lattice)) else { continue };
        let outcome = {
            let session = &*session;
            pairs.search(threshold, &mut |steps| !session.over(steps))
        };
        session.work += outcome.steps;
        let found = outcome.best.as_ref().map(|best| best.0);
        if let Some((_, placement)) = outcome.best {
            place_open(session, &reduced, &placement);
        }
        if !outcome.complete {
            return session.over(0);
        }
        match found {
            Some(least) => session.prove(least),
            None if value.is_infinite() => session.infeasible = true,
            None => session.prove(value),
        }
        if session.infeasible || session.proved() || elements == Elements::All {
            return true;
        }
    }
    false
}

/// Plans from the best cuts of linear orders.
fn orders(session: &mut Session<'_>, graph: &Hypergraph, prices: &WorkPrices) {
    let rules = [OrderRule::DepthFirst, OrderRule::SmallestCut, OrderRule::BreadthFirst];
    // The sizes of the coarser lines cut first, so that large graphs have a plan early.
    let mut sizes: Vec<usize> = LINE_SIZES.into_iter().filter(|&size| size < graph.len()).collect();
    if graph.len() <= LARGEST_LINE {
        sizes.push(graph.len());
    }
    for &size in &sizes {
        for rule in rules {
            if session.over(0) && session.value().is_finite() {
                return;
            }
            session.report_phase("cutting orders");
            cut(session, graph, prices, &linear_order(graph, rule, None), size);
        }
    }
    // Where no proof will follow, orders are all there is to spend the time on.
    let hopeless = graph.len() > LARGEST_LATTICE && !session.finish_early;
    let rounds = if hopeless { u64::MAX } else { RANDOM_ORDERS };
    let size = sizes.last().copied().unwrap_or(graph.len());
    let mut random = ChaCha8Rng::seed_from_u64(session.limits.seed);
    for round in 0..rounds {
        if session.over(0) || session.proved() {
            return;
        }
        session.report_phase("cutting orders");
        let rule = rules[(round % rules.len() as u64) as usize];
        let order = linear_order(graph, rule, Some(&mut random));
        cut(session, graph, prices, &order, size);
    }
}

/// Cuts an order, made coarser to about `size` runs if it is longer, at a threshold that grows until a plan is
/// found; never above the value already known.
fn cut(session: &mut Session<'_>, graph: &Hypergraph, prices: &WorkPrices, order: &[usize], size: usize) {
    let clock = session.clock;
    session.work += size.min(order.len()) as u64;
    let coarse = (size < graph.len()).then(|| {
        let smallest_cap = graph.kinds.iter().filter(|k| k.count > 0).map(|k| k.memory_bytes);
        let most_bytes = smallest_cap.fold(f64::INFINITY, f64::min) / 8.0;
        merge_runs(graph, prices, order, size, most_bytes)
    });
    let coarse_prices = coarse.as_ref().map(|coarse| WorkPrices::fit(&coarse.graph));
    let coarse_order: Vec<usize> = coarse.as_ref().map_or(Vec::new(), |c| (0..c.graph.len()).collect());
    let found = WIDENING.into_iter().find_map(|factor| {
        let threshold = (session.bound * factor).min(session.value());
        // Without any plan yet, the cut of the coarsest line is not interrupted.
        let unhurried = size == LINE_SIZES[0] && session.value().is_infinite();
        let mut go_on = || unhurried || !clock.over();
        match (&coarse, &coarse_prices) {
            (Some(coarse), Some(prices)) => {
                best_cut(&coarse.graph, prices, &coarse_order, threshold, &mut go_on)
                    .map(|(_, placement)| coarse.spread(&placement))
            }
            _ => best_cut(graph, prices, order, threshold, &mut go_on).map(|(_, placement)| placement),
        }
    });
    if let Some(placement) = found {
        settle(session, graph, &placement, "order");
    }
}

/// Improves a placement by descent and offers it.
fn settle(session: &mut Session<'_>, graph: &Hypergraph, placement: &[usize], method: &'static str) {
    let nodes = session.problem.nodes.len();
    session.offer(graph.expand(placement, nodes), method);
    let clock = session.clock;
    let improved = descend(graph, placement, |_| true, &mut || !clock.over());
    session.offer(graph.expand(&improved, nodes), method);
}

/// Raises the bound to the value of the best plan, finding better ones on the way.
fn prove(session: &mut Session<'_>, graph: &Hypergraph) {
    let codes = graph.kinds.iter().try_fold(1u32, |codes, kind| codes.checked_mul(kind.count as u32 + 1));
    if codes.is_none() {
        tracing::debug!("more kinds of devices than chains of ideals can count");
        return;
    }
    let (mut bisecting, mut elements) = (false, Elements::SOME);
    loop {
        session.report_phase("chains of ideals");
        let value = session.value();
        let threshold = if bisecting && value.is_finite() && session.bound < value * 0.98 {
            0.5 * (session.bound + value)
        } else {
            value * (1.0 - STRICTLY)
        };
        let reduced = reduced(graph, threshold);
        let cap = if bisecting { u64::MAX } else { FIRST_ATTEMPT_STEPS };
        let mut chain = ChainGraph::new(&reduced, elements);
        if chain.walk.is_empty() {
            // Of what is no element nothing is found out.
            elements = Elements::All;
            chain = ChainGraph::new(&reduced, elements);
        }
        let outcome = {
            let session = &*session;
            chain::search(&chain, threshold, &mut |steps| steps < cap && !session.over(steps))
        };
        session.work += outcome.steps;
        let found = outcome.best.as_ref().map(|best| best.0);
        if let Some((_, placement)) = outcome.best {
            place_open(session, &reduced, &placement);
        }
        match (outcome.end, found) {
            (ChainEnd::Complete, Some(least)) => {
                session.prove(least);
                if session.proved() || elements == Elements::All {
                    return;
                }
                // The plan found leaves groups without order open, and they found no place below its bound.
                elements = Elements::All;
            }
            (ChainEnd::Complete, None) => {
                if session.value().is_infinite() {
                    session.infeasible = true;
                    return;
                }
                let shown = if threshold < value * (1.0 - 2.0 * STRICTLY) { threshold } else { value };
                session.prove(shown);
            }
            (ChainEnd::Stopped, _) if bisecting || session.over(0) => return,
            (ChainEnd::Stopped, _) => bisecting = true,
        }
        if session.proved() {
            return;
        }
    }
}

/// Gives the groups a chain leaves open a device, by descent, and offers the plan.
fn place_open(session: &mut Session<'_>, graph: &Hypergraph, placement: &[Option<usize>]) {
    let devices: Vec<usize> =
        graph.kinds.iter().enumerate().flat_map(|(k, kind)| std::iter::repeat_n(k, kind.count)).collect();
    let closed: Vec<usize> = placement
        .iter()
        .enumerate()
        .map(|(g, device)| {
            let able = || (0..devices.len()).find(|&d| graph.time(g, devices[d]).is_finite());
            device.or_else(able).unwrap_or(0)
        })
        .collect();
    let clock = session.clock;
    let placed = descend(graph, &closed, |g| placement[g].is_none(), &mut || !clock.over());
    settle(session, graph, &placed, "exact");
}
