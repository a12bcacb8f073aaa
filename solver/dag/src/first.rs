//! A first free placement, where no contiguous plan is known to start from: one that keeps the caps, or a proof that there is none.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::anneal::{Cooling, anneal};
use crate::hypergraph::{GroupId, Hypergraph};
use crate::loads::Loads;
use crate::mip::{Fit, MipLimits, fit};
use crate::neighbourhood::WORK_PER_PROGRAM;
use crate::session::Session;

/// Placements made group by group, each in another order, and annealing runs that mend the best of them, with their moves: by group, and at most.
const FILLS: u64 = 32;
const MENDS: u64 = 4;
const MOVES_PER_GROUP: u64 = 2_000;
const MOST_MOVES: u64 = 200_000;

/// Groups and devices, multiplied, up to which a program is asked whether there is a placement, and its branch-and-bound nodes.
const LARGEST_PROGRAM: usize = 20_000;
const PROGRAM_NODES: u32 = 50_000;

/// Energies of mending: what is over a cap counts most.
const POWER: i32 = 12;
const HOT: f64 = 3.0;
const COLD: f64 = 0.01;

/// Share of an order that chance decides.
const NOISE: f64 = 0.5;

/// Looks for a placement that keeps the caps.
pub(crate) fn search(session: &mut Session<'_>) {
    session.report_phase("a first placement");
    let graph = Hypergraph::of(session.problem);
    let kind_of = session.problem.device_kinds();
    // A group that no device can run and hold.
    if !(0..graph.len()).all(|group| kind_of.iter().any(|&kind| graph.holds(group, kind))) {
        session.infeasible = true;
        return;
    }
    let mut random = ChaCha8Rng::seed_from_u64(session.limits.seed);
    let mut nearest: Option<(f64, Vec<usize>)> = None;
    for number in 0..FILLS {
        if number > 0 && session.over(0) {
            return;
        }
        let placement = fill(&graph, &kind_of, number, &mut random);
        session.work += graph.len() as u64;
        let loads = Loads::new(&graph, &placement);
        let excess = (0..kind_of.len()).map(|device| loads.excess_bytes(device, loads.bytes()[device])).sum();
        if excess == 0.0 {
            session.offer(graph.expand(&placement, session.problem.nodes.len()), "fill");
        }
        if nearest.as_ref().is_none_or(|&(least, _)| excess < least) {
            nearest = Some((excess, placement));
        }
    }
    if let Some((_, start)) = nearest.filter(|_| session.assignment().is_none()) {
        mend(session, &graph, &start);
    }
    if session.assignment().is_none() {
        ask(session, &graph);
    }
}

/// Puts one group after the other where there is room, those that take most first: in turn where the load is least, and where least room is left. Where there is no
/// room, on the device that is over its cap by least. Every group runs somewhere.
fn fill(graph: &Hypergraph, kind_of: &[usize], number: u64, random: &mut ChaCha8Rng) -> Vec<usize> {
    let caps = kind_of.iter().map(|&kind| graph.kinds[kind].memory_bytes).filter(|cap| cap.is_finite());
    let most = caps.fold(1.0, f64::max);
    let runs_on = |group: GroupId| kind_of.iter().filter(move |&&kind| graph.time(group, kind).is_finite());
    let noise = if number < 2 { 0.0 } else { NOISE };
    let weight = |group: GroupId, random: &mut ChaCha8Rng| {
        let chance = 1.0 - noise * random.random::<f64>();
        graph.size_bytes[group] / most / runs_on(group).count().max(1) as f64 * chance
    };
    let mut order: Vec<(f64, GroupId)> =
        (0..graph.len()).map(|group| (weight(group, random), group)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut load = vec![0.0; kind_of.len()];
    let mut room: Vec<f64> = kind_of.iter().map(|&kind| graph.kinds[kind].memory_bytes).collect();
    let mut placement = vec![0; graph.len()];
    for (_, group) in order {
        let able = (0..kind_of.len()).filter(|&device| graph.time(group, kind_of[device]).is_finite());
        let size = graph.size_bytes[group];
        let price = |device: usize| {
            let left: f64 = room[device] - size;
            let after: f64 = load[device] + graph.time(group, kind_of[device]);
            if left < 0.0 { (1, -left) } else { (0, if number.is_multiple_of(2) { after } else { left }) }
        };
        let device = able.min_by(|&a, &b| {
            let (a, b) = (price(a), price(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let device = device.unwrap_or(0);
        placement[group] = device;
        load[device] += graph.time(group, kind_of[device]);
        room[device] -= size;
    }
    placement
}

/// Anneals from a placement that is over caps.
fn mend(session: &mut Session<'_>, graph: &Hypergraph, start: &[usize]) {
    let moves = (MOVES_PER_GROUP * graph.len() as u64).min(MOST_MOVES);
    let cooling = Cooling { power: POWER, hot: HOT, cold: COLD, moves, forgets: false };
    for number in 0..MENDS {
        if session.over(0) || session.assignment().is_some() {
            return;
        }
        let seed = session.limits.seed.wrapping_add(number);
        let clock = session.clock;
        let found = anneal(graph, start, cooling, seed, &mut |_| !clock.over());
        session.work += moves;
        if let Some((_, placement)) = found {
            session.offer(graph.expand(&placement, session.problem.nodes.len()), "anneal");
        }
    }
}

/// Asks a program for any placement, or for the proof that there is none.
fn ask(session: &mut Session<'_>, graph: &Hypergraph) {
    if session.over(0) || graph.len() * session.problem.device_count() > LARGEST_PROGRAM {
        return;
    }
    let limits = MipLimits {
        seconds: session.clock.remaining_seconds(),
        nodes: PROGRAM_NODES,
        seed: session.limits.seed,
        threads: 1,
    };
    session.work += WORK_PER_PROGRAM;
    match fit(graph, limits) {
        Fit::Placed(placement) => {
            session.offer(graph.expand(&placement, session.problem.nodes.len()), "mip");
        }
        Fit::Impossible => session.infeasible = true,
        Fit::Unknown => {}
    }
}
