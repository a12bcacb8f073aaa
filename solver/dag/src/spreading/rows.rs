//! The rows of the relaxation, and those that given lengths break.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::bound::WorkPrices;
use crate::hypergraph::{GroupId, Hypergraph};

/// Column of the largest load; after it the lengths of the nets.
pub(super) const ROOM: usize = 0;

/// By how much a row must be broken to be added, as a share of the value.
const BROKEN: f64 = 1e-4;

/// Groups closer than this have rows that say much the same.
const NEAR: f64 = 0.6;

/// Lengths below this are none.
const NO_LENGTH: f64 = 1e-9;

/// `sum of coefficient * column >= least`, all columns in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) entries: Vec<(usize, f64)>,
    pub(super) least: f64,
}

/// A row that does not hold, and by how much.
pub(super) struct Broken {
    pub(super) by: f64,
    pub(super) from: GroupId,
    pub(super) near: Vec<GroupId>,
    pub(super) row: Row,
}

/// The relaxation of one graph. Loads are in units of a value that plans are to beat.
pub(super) struct Relaxation<'a> {
    graph: &'a Hypergraph,
    /// Loads as devices of some kinds see them.
    views: Vec<View>,
    /// The view from every group: of the kinds that can run it below the value.
    view_of: Vec<usize>,
    /// All devices together.
    pub(super) shared: Row,
}

/// The least that groups and cut nets put on a device of one of these kinds.
struct View {
    kinds: Vec<usize>,
    work: Vec<f64>,
    cost: Vec<f64>,
}

impl View {
    fn of(graph: &Hypergraph, kinds: Vec<usize>, value: f64) -> Self {
        let least = |of: &dyn Fn(usize) -> f64| kinds.iter().map(|&k| of(k)).fold(f64::INFINITY, f64::min);
        // What would fill a device by itself is not beside anything else.
        let work = (0..graph.len()).map(|g| least(&|k| graph.time(g, k) / value).min(1.0)).collect();
        let factor = least(&|k| graph.kinds[k].transfer_factor);
        let cost = graph.net_cost.iter().map(|cost| factor * cost / value).collect();
        View { kinds, work, cost }
    }
}

impl<'a> Relaxation<'a> {
    /// None where a group can run nowhere below the value.
    pub(super) fn of(graph: &'a Hypergraph, value: f64) -> Option<Self> {
        let able = |g: GroupId| -> Vec<usize> {
            (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0 && graph.time(g, k) < value).collect()
        };
        let (mut views, mut view_of) = (Vec::<View>::new(), Vec::with_capacity(graph.len()));
        for group in 0..graph.len() {
            let kinds = able(group);
            if kinds.is_empty() {
                return None;
            }
            view_of.push(views.iter().position(|view| view.kinds == kinds).unwrap_or_else(|| {
                views.push(View::of(graph, kinds, value));
                views.len() - 1
            }));
        }
        let shared = shared(graph, &views, &view_of, value);
        Some(Relaxation { graph, views, view_of, shared })
    }

    pub(super) fn groups(&self) -> usize {
        self.graph.len()
    }

    pub(super) fn columns(&self) -> usize {
        1 + self.graph.net_cost.len()
    }

    /// One by the cost of every net, 1 for the median.
    pub(super) fn inverse_costs(&self) -> Vec<f64> {
        let mut sorted = self.graph.net_cost.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
        self.graph.net_cost.iter().map(|cost| median / cost).collect()
    }

    /// The groups that rows are made around.
    pub(super) fn sources(&self) -> Vec<GroupId> {
        (0..self.groups()).filter(|&group| self.views[self.view_of[group]].work[group] > 0.0).collect()
    }

    /// The row around a group that is broken most at these columns, if one is, and the steps that looking took.
    pub(super) fn around(&self, from: GroupId, at: &[f64]) -> (u64, Option<Broken>) {
        let (length, view) = (&at[1..], &self.views[self.view_of[from]]);
        let tree = Tree::around(self.graph, from, length);
        let steps = (tree.groups.len() + tree.nets.len()) as u64;
        let mut row: Vec<(usize, f64)> = vec![(ROOM, 1.0)];
        let mut below: Vec<f64> = tree.groups.iter().map(|reached| view.work[reached.group]).collect();
        let least = below.iter().sum();
        for &(net, place) in &tree.nets {
            if length[net] > tree.groups[place].distance + NO_LENGTH {
                below[place] += view.cost[net];
                row.push((1 + net, -view.cost[net]));
            }
        }
        // What lies behind a net of the tree pays its length.
        for (place, reached) in tree.groups.iter().enumerate().rev() {
            if let Some((net, parent)) = reached.by {
                row.push((1 + net, below[place]));
                below[parent] += below[place];
            }
        }
        let row = Row { entries: summed(row), least };
        let kept: f64 = row.entries.iter().map(|&(column, coefficient)| coefficient * at[column]).sum();
        let near =
            tree.groups.iter().take_while(|reached| reached.distance < NEAR).map(|r| r.group).collect();
        let by = row.least - kept;
        (steps, (by > BROKEN).then_some(Broken { by, from, near, row }))
    }
}

/// All work, and two sides of every net that is cut, fit on all devices, at prices that turn unequal kinds into one currency.
fn shared(graph: &Hypergraph, views: &[View], view_of: &[usize], value: f64) -> Row {
    let prices = WorkPrices::fit(graph);
    let two_sides = |net: usize| {
        let mut kinds: Vec<usize> = graph
            .pins
            .of(net)
            .iter()
            .flat_map(|&end| views[view_of[end as usize]].kinds.iter().copied())
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let priced = |kind: usize| {
            let kind_of = &graph.kinds[kind];
            std::iter::repeat_n(prices.price[kind] * kind_of.transfer_factor, kind_of.count.min(2))
        };
        let mut sides: Vec<f64> = kinds.into_iter().flat_map(priced).collect();
        sides.sort_by(f64::total_cmp);
        sides.iter().take(2).sum::<f64>()
    };
    let sides = (0..graph.net_cost.len()).map(|net| (1 + net, -two_sides(net) * graph.net_cost[net] / value));
    Row {
        entries: std::iter::once((ROOM, prices.capacity(graph))).chain(sides).collect(),
        least: prices.total / value,
    }
}

/// One entry per column.
fn summed(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_by_key(|entry| entry.0);
    row.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
    row
}

/// A group of a tree, and the net and the place in the tree from which it was reached.
struct Reached {
    group: GroupId,
    distance: f64,
    by: Option<(usize, usize)>,
}

/// Shortest paths from one group to those less than 1 away, nearest first.
struct Tree {
    groups: Vec<Reached>,
    /// The nets with an end among them, and the place of the nearest.
    nets: Vec<(usize, usize)>,
}

impl Tree {
    fn around(graph: &Hypergraph, from: GroupId, length: &[f64]) -> Self {
        let mut tree = Tree { groups: Vec::new(), nets: Vec::new() };
        let (mut seen_group, mut seen_net) = (vec![false; graph.len()], vec![false; length.len()]);
        let mut heap = BinaryHeap::from([Reached { group: from, distance: 0.0, by: None }]);
        while let Some(reached) = heap.pop() {
            if std::mem::replace(&mut seen_group[reached.group], true) {
                continue;
            }
            let (place, distance) = (tree.groups.len(), reached.distance);
            for net in graph.nets.of(reached.group).iter().map(|&net| net as usize) {
                if std::mem::replace(&mut seen_net[net], true) {
                    continue;
                }
                tree.nets.push((net, place));
                let there = distance + length[net];
                let ends = graph.pins.of(net).iter().map(|&end| end as usize);
                heap.extend(ends.filter(|&end| there < 1.0 && !seen_group[end]).map(|group| Reached {
                    group,
                    distance: there,
                    by: Some((net, place)),
                }));
            }
            tree.groups.push(reached);
        }
        tree
    }
}

/// The nearest first, and the smallest of those.
impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .distance
            .total_cmp(&self.distance)
            .then(other.group.cmp(&self.group))
            .then(other.by.cmp(&self.by))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reached {}
