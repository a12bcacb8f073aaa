//! Large neighbourhoods: a few devices at a time, their groups placed anew by a mixed-integer program.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::hypergraph::Hypergraph;
use crate::loads::Loads;
use crate::mip::{MipLimits, reassign};
use crate::problem::Assignment;
use crate::session::Session;

/// Programs solved side by side; fixed, so that the number of threads changes nothing.
const BATCH: usize = 2;

/// Branch-and-bound nodes of one program.
const NODES: u32 = 1_000;

/// Steps of work one program counts for.
pub(crate) const WORK_PER_PROGRAM: u64 = 50_000;

/// Programs after which a search that is to finish early goes on to the next method.
const EARLY_PROGRAMS: usize = 10;

/// Sets of three devices tried once no pair helps.
const TRIPLES: usize = 4;

/// Groups on the open devices above which a program is not worth its time.
const MOST_GROUPS: usize = 400;

/// The same where a search is to finish early.
const EARLY_GROUPS: usize = 120;

/// Shares of the time limit that one program, and a whole descent, may take.
const PROGRAM_SHARE: f64 = 0.05;
const DESCENT_SHARE: f64 = 0.2;

/// Lowers the largest load of a placement by opening the worst device with others, until nothing helps; offers every gain.
pub(crate) fn descend(
    session: &mut Session<'_>,
    graph: &Hypergraph,
    start: &Assignment,
    random: &mut ChaCha8Rng,
) {
    let mut placement = graph.restrict(start);
    // Sets of devices that a program found nothing for, since one of them last changed.
    let mut exhausted: Vec<Vec<usize>> = Vec::new();
    let clock = session.share(DESCENT_SHARE);
    let programs = if session.finish_early { EARLY_PROGRAMS } else { usize::MAX };
    let most_groups = if session.finish_early { EARLY_GROUPS } else { MOST_GROUPS };
    let mut solved = 0;
    while solved < programs && !session.over(0) && !clock.over() && !session.proved() {
        session.report_phase("reassigning devices");
        let sets = next_sets(graph, &placement, &exhausted, most_groups, random);
        if sets.is_empty() {
            return;
        }
        let limits = MipLimits {
            seconds: session.share(PROGRAM_SHARE).remaining_seconds(),
            nodes: session.program_nodes(NODES),
            seed: session.limits.seed,
            threads: 1,
        };
        let before = Loads::new(graph, &placement).max_load();
        let tried: Vec<_> = sets
            .into_par_iter()
            .map(|open| {
                let placed = reassign(graph, &placement, &open, limits).placement;
                (open, placed)
            })
            .collect();
        solved += tried.len();
        session.work += WORK_PER_PROGRAM * tried.len() as u64;
        let mut gained = None;
        for (open, placed) in tried {
            let better = placed.filter(|placed| {
                let loads = Loads::new(graph, placed);
                loads.fits() && improves(&Loads::new(graph, &placement), &loads)
            });
            match better {
                Some(placed) if gained.is_none() => gained = Some((open, placed)),
                Some(_) => {}
                None => exhausted.push(open),
            }
        }
        if let Some((open, placed)) = gained {
            exhausted.retain(|set| set.iter().all(|device| !open.contains(device)));
            placement = placed;
            if Loads::new(graph, &placement).max_load() < before {
                session.offer(graph.expand(&placement, session.problem.nodes.len()), "mip-neighbourhood");
            }
        }
    }
}

/// Is the sorted list of loads smaller, by more than rounding?
fn improves(old: &Loads<'_>, new: &Loads<'_>) -> bool {
    let sorted = |loads: &Loads<'_>| {
        let mut list = loads.load().to_vec();
        list.sort_by(|a, b| b.total_cmp(a));
        list
    };
    let (old, new) = (sorted(old), sorted(new));
    let tolerance = old[0] * 1e-9;
    old.iter().zip(&new).find(|(a, b)| (*a - *b).abs() > tolerance).is_some_and(|(a, b)| b < a)
}

/// The next sets of devices worth opening: the worst one with one other, then with two others.
fn next_sets(
    graph: &Hypergraph,
    placement: &[usize],
    exhausted: &[Vec<usize>],
    most_groups: usize,
    random: &mut ChaCha8Rng,
) -> Vec<Vec<usize>> {
    let loads = Loads::new(graph, placement);
    let devices = loads.devices();
    let by_load = |a: &usize, b: &usize| loads.load()[*a].total_cmp(&loads.load()[*b]).then(b.cmp(a));
    let Some(worst) = (0..devices).max_by(by_load) else { return Vec::new() };
    let mut groups = vec![0usize; devices];
    for &device in placement {
        groups[device] += 1;
    }
    let mut others: Vec<usize> = (0..devices).filter(|&d| d != worst).collect();
    others.shuffle(random);
    let allowed = |set: &Vec<usize>| {
        !exhausted.contains(set) && set.iter().map(|&d| groups[d]).sum::<usize>() <= most_groups
    };
    let sorted = |mut set: Vec<usize>| {
        set.sort_unstable();
        set
    };
    let pairs: Vec<Vec<usize>> =
        others.iter().map(|&d| sorted(vec![worst, d])).filter(allowed).take(BATCH).collect();
    if !pairs.is_empty() || exhausted.iter().filter(|set| set.len() > 2).count() >= TRIPLES {
        return pairs;
    }
    let triples = others.windows(2).map(|two| sorted(vec![worst, two[0], two[1]]));
    triples.filter(allowed).take(BATCH).collect()
}
