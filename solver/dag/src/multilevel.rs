//! Coarser graphs for large ones: groups merged along an order, or along heavy nets within a placement.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::bound::WorkPrices;
use crate::hypergraph::{GroupId, Hypergraph};

/// A graph and where each group of the finer one went.
pub struct Coarse {
    /// The merged graph.
    pub graph: Hypergraph,
    /// Merged group of every finer group.
    pub map: Vec<GroupId>,
}

impl Coarse {
    /// A placement of the merged groups, spread to the finer ones.
    #[must_use]
    pub fn spread(&self, placement: &[usize]) -> Vec<usize> {
        self.map.iter().map(|&group| placement[group]).collect()
    }
}

/// Cuts a topological order into about `count` runs of similar work, each one group; the runs are numbered along
/// the order, so that their own order is topological too.
///
/// A run never mixes groups that different kinds can run, and never outgrows `most_bytes`.
#[must_use]
pub(crate) fn merge_runs(
    graph: &Hypergraph,
    prices: &WorkPrices,
    order: &[GroupId],
    count: usize,
    most_bytes: f64,
) -> Coarse {
    let kinds = graph.kinds.len();
    let able = |g: GroupId| (0..kinds).map(move |k| graph.time(g, k).is_finite());
    let share = prices.total / count as f64;
    let most_groups = (2 * order.len()).div_ceil(count);
    let mut map = vec![0; graph.len()];
    let (mut run, mut work, mut bytes, mut groups) = (0, 0.0, 0.0, 0);
    for (at, &group) in order.iter().enumerate() {
        let fits = work + prices.work[group] <= share * 1.5
            && bytes + graph.size_bytes[group] <= most_bytes
            && groups < most_groups
            && at > 0
            && able(group).eq(able(order[at - 1]));
        if at > 0 && (!fits || work >= share) {
            run += 1;
            (work, bytes, groups) = (0.0, 0.0, 0);
        }
        work += prices.work[group];
        bytes += graph.size_bytes[group];
        groups += 1;
        map[group] = run;
    }
    Coarse { graph: graph.quotient(&map, run + 1), map }
}

/// Merges pairs of groups on one device that heavy nets tie together; none if hardly any pair is found.
///
/// Groups above `most_work` are left alone, so that the coarse graph can still be balanced.
#[must_use]
pub(crate) fn merge_heavy(
    graph: &Hypergraph,
    prices: &WorkPrices,
    placement: &[usize],
    most_work: f64,
    random: &mut ChaCha8Rng,
) -> Option<(Coarse, Vec<usize>)> {
    let mut visit: Vec<GroupId> = (0..graph.len()).collect();
    visit.shuffle(random);
    let mut partner = vec![usize::MAX; graph.len()];
    let mut rating: Vec<f64> = vec![0.0; graph.len()];
    for &group in &visit {
        if partner[group] != usize::MAX {
            continue;
        }
        let mut near: Vec<GroupId> = Vec::new();
        for &net in graph.nets.of(group) {
            let pins = graph.pins.of(net as usize);
            if pins.len() > 32 {
                continue;
            }
            let weight = graph.net_cost[net as usize] / (pins.len() - 1) as f64;
            for &pin in pins {
                let pin = pin as usize;
                let free = partner[pin] == usize::MAX && pin != group;
                if free && placement[pin] == placement[group] {
                    if rating[pin] == 0.0 {
                        near.push(pin);
                    }
                    rating[pin] += weight;
                }
            }
        }
        let light = |pin: GroupId| prices.work[pin] + prices.work[group] <= most_work;
        let best = near
            .iter()
            .copied()
            .filter(|&pin| light(pin))
            .max_by(|&a, &b| rating[a].total_cmp(&rating[b]).then(b.cmp(&a)));
        for &pin in &near {
            rating[pin] = 0.0;
        }
        // A few groups stay single even so: the next level then pairs others.
        if let Some(other) = best.filter(|_| random.random_range(0..16) > 0) {
            partner[group] = other;
            partner[other] = group;
        }
    }
    let mut map = vec![usize::MAX; graph.len()];
    let mut coarse_placement = Vec::new();
    for group in 0..graph.len() {
        if map[group] == usize::MAX {
            map[group] = coarse_placement.len();
            if partner[group] != usize::MAX {
                map[partner[group]] = coarse_placement.len();
            }
            coarse_placement.push(placement[group]);
        }
    }
    let count = coarse_placement.len();
    (count * 20 < graph.len() * 19)
        .then(|| (Coarse { graph: graph.quotient(&map, count), map }, coarse_placement))
}
