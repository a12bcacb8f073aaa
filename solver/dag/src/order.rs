//! Linear orders of the groups, and the best cut of one order into stages.
//!
//! Restricting contiguous plans to intervals of one topological order leaves a dynamic program over positions:
//! exact for that order, a heuristic for the graph.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::bound::WorkPrices;
use crate::hypergraph::{GroupId, Hypergraph};
use crate::sum::Sum;

/// How the next group is chosen among those whose predecessors are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderRule {
    /// The one that became ready last: follows branches to their end.
    DepthFirst,
    /// The one that became ready first: level by level.
    BreadthFirst,
    /// The one that keeps the cost of open nets smallest.
    SmallestCut,
}

/// A topological order of all groups; groups without order stand beside their strongest neighbour.
///
/// The forward arcs must have no cycle. With `random`, ties and a few choices are random.
#[must_use]
pub(crate) fn linear_order(
    graph: &Hypergraph,
    rule: OrderRule,
    mut random: Option<&mut ChaCha8Rng>,
) -> Vec<GroupId> {
    let mut waiting: Vec<usize> = (0..graph.len()).map(|g| graph.predecessors.of(g).len()).collect();
    let mut ready: std::collections::VecDeque<GroupId> =
        (0..graph.len()).filter(|&g| graph.ordered[g] && waiting[g] == 0).collect();
    let mut placed_pins = vec![0usize; graph.net_cost.len()];
    let mut order = Vec::with_capacity(graph.len());
    let mut position = vec![usize::MAX; graph.len()];
    // Scanning all ready groups for the smallest cut is quadratic in the width; look at the latest ones only.
    const SCAN: usize = 256;
    while !ready.is_empty() {
        let at = match rule {
            OrderRule::BreadthFirst => 0,
            OrderRule::DepthFirst => ready.len() - 1,
            OrderRule::SmallestCut => {
                let growth = |g: GroupId| -> f64 {
                    graph
                        .nets
                        .of(g)
                        .iter()
                        .map(|&net| {
                            let (net, cost) = (net as usize, graph.net_cost[net as usize]);
                            let opens = placed_pins[net] == 0;
                            let closes = placed_pins[net] + 1 == graph.pins.of(net).len();
                            f64::from(u8::from(opens)) * cost - f64::from(u8::from(closes)) * cost
                        })
                        .sum()
                };
                let from = ready.len().saturating_sub(SCAN);
                let mut best = (f64::INFINITY, from);
                for at in (from..ready.len()).rev() {
                    let value = growth(ready[at]);
                    if value < best.0 {
                        best = (value, at);
                    }
                }
                best.1
            }
        };
        let stray = random
            .as_deref_mut()
            .and_then(|random| (random.random_range(0..4) == 0).then(|| random.random_range(0..ready.len())));
        let at = stray.unwrap_or(at);
        let group = ready.remove(at).expect("index below the length");
        position[group] = order.len();
        order.push(group);
        for &net in graph.nets.of(group) {
            placed_pins[net as usize] += 1;
        }
        for &to in graph.successors.of(group) {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                ready.push_back(to as usize);
            }
        }
    }
    insert_unordered(graph, order, position)
}

fn insert_unordered(graph: &Hypergraph, order: Vec<GroupId>, mut position: Vec<usize>) -> Vec<GroupId> {
    let mut left: Vec<GroupId> = (0..graph.len()).filter(|&g| position[g] == usize::MAX).collect();
    if left.is_empty() {
        return order;
    }
    let mut beside: Vec<(usize, GroupId)> = order.iter().enumerate().map(|(at, &g)| (2 * at, g)).collect();
    while !left.is_empty() {
        let mut still = Vec::new();
        for &group in &left {
            let strongest = graph
                .nets
                .of(group)
                .iter()
                .flat_map(|&net| {
                    let cost = graph.net_cost[net as usize];
                    graph.pins.of(net as usize).iter().map(move |&pin| (cost, pin as usize))
                })
                .filter(|&(_, pin)| position[pin] != usize::MAX)
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            match strongest {
                Some((_, neighbour)) => {
                    position[group] = position[neighbour];
                    beside.push((2 * position[group] + 1, group));
                }
                None => still.push(group),
            }
        }
        if still.len() == left.len() {
            for &group in &still {
                position[group] = order.len();
                beside.push((2 * order.len() + 1, group));
            }
            still.clear();
        }
        left = still;
    }
    beside.sort_by_key(|&(at, _)| at);
    beside.into_iter().map(|(_, group)| group).collect()
}

/// Labels of a position; of more the best are kept, and the cut is no longer the best of its order.
const MOST_LABELS: usize = 1024;

/// Labels looked at between two questions whether to go on.
const BETWEEN: usize = 1 << 16;

#[derive(Clone, Copy)]
struct Label {
    code: u64,
    value: f64,
    from: u32,
    from_code: u64,
}

/// Devices of a kind that a code of radix `radix` has in use.
fn used(graph: &Hypergraph, radix: &[u64], code: u64, kind: usize) -> u64 {
    code / radix[kind] % (graph.kinds[kind].count as u64 + 1)
}

/// The best cut of `order` into stages with a largest load below `threshold`: load and device of every group; a good one where devices are of so many
/// kinds that the labels of a position are not enough.
///
/// None if none is found, or if `go_on` said no before one was, or if the ways to use the devices are more than 64 bits count.
pub fn best_cut(
    graph: &Hypergraph,
    prices: &WorkPrices,
    order: &[GroupId],
    mut threshold: f64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(f64, Vec<usize>)> {
    let count = order.len();
    let kinds = graph.kinds.len();
    let line = Line::new(graph, prices, order);
    let mut radix = vec![1u64];
    for kind in &graph.kinds {
        radix.push(radix[radix.len() - 1].checked_mul(kind.count as u64 + 1)?);
    }
    let used = |code: u64, kind: usize| used(graph, &radix, code, kind);
    let capacity_left = |code: u64| -> f64 {
        (0..kinds).map(|k| prices.price[k] * (graph.kinds[k].count as u64 - used(code, k)) as f64).sum()
    };
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); count + 1];
    labels[0].push(Label { code: 0, value: 0.0, from: 0, from_code: 0 });
    let mut best: Option<(f64, u32, u64, usize)> = None;
    let mut looked_at = 0;
    'positions: for start in 0..count {
        let here: Vec<Label> = labels[start].iter().filter(|l| l.value < threshold).copied().collect();
        for (kind, &step) in radix[..kinds].iter().enumerate() {
            let open: Vec<(Label, f64)> = here
                .iter()
                .filter(|l| used(l.code, kind) < graph.kinds[kind].count as u64)
                .map(|l| (*l, capacity_left(l.code) - prices.price[kind]))
                .collect();
            let Some(most_left) = open.iter().map(|o| o.1).reduce(f64::max) else { continue };
            let (mut time, mut bytes, mut crossing, mut certain) = (0.0, 0.0, Sum::default(), 0.0);
            let factor = graph.kinds[kind].transfer_factor;
            for end in start..count {
                if looked_at >= BETWEEN {
                    looked_at = 0;
                    if !go_on() {
                        break 'positions;
                    }
                }
                looked_at += 1;
                let group = order[end];
                time += graph.time(group, kind);
                bytes += graph.size_bytes[group];
                line.add(end, start, &mut crossing, &mut certain);
                if time + factor * certain >= threshold || bytes > graph.kinds[kind].memory_bytes {
                    break;
                }
                let load = time + factor * crossing.value();
                let rest = line.work_after[end + 1];
                let slack =
                    |threshold: f64, capacity: f64| threshold * capacity.max(0.0) + prices.total * 1e-9;
                if load >= threshold || rest > slack(threshold, most_left) {
                    continue;
                }
                for (label, capacity) in &open {
                    let value = label.value.max(load);
                    if value >= threshold || rest > slack(threshold, *capacity) {
                        continue;
                    }
                    if end + 1 == count {
                        best = Some((value, start as u32, label.code, kind));
                        threshold = value;
                        continue;
                    }
                    let new =
                        Label { code: label.code + step, value, from: start as u32, from_code: label.code };
                    let list = &mut labels[end + 1];
                    let full = list.len() >= MOST_LABELS;
                    looked_at += list.len();
                    match list.iter_mut().find(|old| old.code == new.code) {
                        Some(old) if old.value <= value => {}
                        Some(old) => *old = new,
                        None if full => replace_worst(list, new),
                        None => list.push(new),
                    }
                }
            }
        }
    }
    let (value, start, code, kind) = best?;
    Some((value, walk_back(graph, order, &radix, &labels, (start, code, kind))))
}

/// Puts a label in the place of the one of the largest value, if its own is smaller.
fn replace_worst(list: &mut [Label], new: Label) {
    if let Some(worst) = list.iter_mut().max_by(|a, b| a.value.total_cmp(&b.value))
        && new.value < worst.value
    {
        *worst = new;
    }
}

/// The devices of the groups on the chain of labels that ends with a stage from `start` on a device of `kind`.
fn walk_back(
    graph: &Hypergraph,
    order: &[GroupId],
    radix: &[u64],
    labels: &[Vec<Label>],
    (mut start, mut code, mut kind): (u32, u64, usize),
) -> Vec<usize> {
    let kinds = graph.kinds.len();
    let mut placement = vec![0; graph.len()];
    let mut end = order.len();
    loop {
        let first: usize = graph.kinds[..kind].iter().map(|k| k.count).sum();
        let device = first + used(graph, radix, code, kind) as usize;
        for &group in &order[start as usize..end] {
            placement[group] = device;
        }
        if start == 0 {
            return placement;
        }
        end = start as usize;
        let label = labels[end].iter().find(|l| l.code == code).expect("labels on the chain are kept");
        let step = code - label.from_code;
        kind = (0..kinds).rfind(|&k| radix[k] <= step).unwrap_or(0);
        (start, code) = (label.from, label.from_code);
    }
}

/// Where the ends of nets stand along an order.
struct Line<'a> {
    graph: &'a Hypergraph,
    order: &'a [GroupId],
    /// Per position and net of the group there: the position of the net's end before, or none.
    before: Vec<Vec<u32>>,
    first: Vec<u32>,
    last: Vec<u32>,
    work_after: Vec<f64>,
}

impl<'a> Line<'a> {
    fn new(graph: &'a Hypergraph, prices: &WorkPrices, order: &'a [GroupId]) -> Self {
        let mut latest = vec![u32::MAX; graph.net_cost.len()];
        let mut first = vec![u32::MAX; graph.net_cost.len()];
        let mut before = Vec::with_capacity(order.len());
        for (at, &group) in order.iter().enumerate() {
            let nets = graph.nets.of(group);
            before.push(nets.iter().map(|&net| latest[net as usize]).collect());
            for &net in nets {
                latest[net as usize] = at as u32;
                if first[net as usize] == u32::MAX {
                    first[net as usize] = at as u32;
                }
            }
        }
        let mut work_after = vec![0.0; order.len() + 1];
        for at in (0..order.len()).rev() {
            work_after[at] = work_after[at + 1] + prices.work[order[at]];
        }
        Line { graph, order, before, first, last: latest, work_after }
    }

    /// Adds the group at `at` to the stage that began at `start`.
    fn add(&self, at: usize, start: usize, crossing: &mut Sum, certain: &mut f64) {
        for (&net, &before) in self.graph.nets.of(self.order[at]).iter().zip(&self.before[at]) {
            let net = net as usize;
            let cost = self.graph.net_cost[net];
            let begins_here = before == u32::MAX || (before as usize) < start;
            if begins_here {
                *crossing += cost;
                if before != u32::MAX {
                    *certain += cost;
                }
            }
            if self.last[net] as usize == at && self.first[net] as usize >= start {
                *crossing -= cost;
            }
        }
    }
}
