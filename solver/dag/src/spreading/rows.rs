//! The rows of the relaxation, and those that given lengths break.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::bound::WorkPrices;
use crate::hypergraph::{GroupId, Hypergraph};

use super::kinds::Kinds;
use super::row::{ROOM, Row};

/// By how much a row must be broken to be added, as a share of the value.
const BROKEN: f64 = 1e-4;

/// By how much a cover must be broken to be added: it asks for one net. Slightly broken ones, of which there are many, slow the rest.
const BROKEN_COVER: f64 = 0.3;

/// By how much groups must be too much for one device to make a cover, as a share of the value: above rounding.
const TOO_MUCH: f64 = 1e-6;

/// Groups closer than this have rows that say much the same.
const NEAR: f64 = 0.6;

/// Lengths below this are none.
const NO_LENGTH: f64 = 1e-9;

/// The rows around a group that do not hold.
#[derive(Default)]
pub(super) struct Around {
    pub(super) steps: u64,
    pub(super) load: Option<Broken>,
    pub(super) cover: Option<Broken>,
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
    /// Loads as devices of the most common kind see them, and the columns of the other kinds, where there are any.
    kinds: Option<(View, Kinds)>,
    /// Rows of all devices together.
    pub(super) lasting: Vec<Arc<Row>>,
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
        let kinds = Kinds::of(graph, 1 + graph.net_cost.len(), |g, kind| graph.time(g, kind) < value);
        let mut lasting = vec![shared(graph, &views, &view_of, value)];
        lasting.extend(kinds.iter().flat_map(|kinds| kinds.rows(graph, value)));
        let kinds = kinds.map(|kinds| (View::of(graph, vec![kinds.common], value), kinds));
        let lasting = lasting.into_iter().map(Arc::new).collect();
        Some(Relaxation { graph, views, view_of, kinds, lasting })
    }

    /// Rows of nets and kinds that are broken at these columns.
    pub(super) fn broken_kinds(&self, at: &[f64]) -> Vec<Row> {
        self.kinds.as_ref().map_or_else(Vec::new, |(_, kinds)| kinds.broken(self.graph, at))
    }

    /// Number of nets: their columns follow that of the largest load, those of groups and kinds follow theirs.
    pub(super) fn nets(&self) -> usize {
        self.graph.net_cost.len()
    }

    pub(super) fn groups(&self) -> usize {
        self.graph.len()
    }

    pub(super) fn columns(&self) -> usize {
        1 + self.nets() + self.kinds.as_ref().map_or(0, |(_, kinds)| kinds.columns())
    }

    pub(super) fn net_cost(&self, net: usize) -> f64 {
        self.graph.net_cost[net]
    }

    /// The work of the group that a column is about, as the most common kind sees it; 0 of columns about nets.
    pub(super) fn work_of_column(&self, column: usize) -> f64 {
        let group = self.kinds.as_ref().and_then(|(common, kinds)| Some((common, kinds.group_of(column)?)));
        group.map_or(0.0, |(common, group)| common.work[group])
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

    /// The rows around a group that are broken most at these columns, and the steps that looking took.
    pub(super) fn around(&self, from: GroupId, at: &[f64]) -> Around {
        let view = &self.views[self.view_of[from]];
        let tree = Tree::around(self.graph, from, &at[1..=self.nets()]);
        let steps = (tree.groups.len() + tree.nets.len()) as u64;
        let load = load_row(&tree, (view, &[]), view, at);
        let on_common = self
            .kinds
            .as_ref()
            .filter(|(common, _)| view.kinds.len() > 1 && view.kinds.contains(&common.kinds[0]));
        let on_common = on_common.and_then(|(common, kinds)| {
            let elsewhere: Vec<usize> = kinds.elsewhere(from).collect();
            load_row(&tree, (view, &elsewhere), common, at)
        });
        let load = match (load, on_common) {
            (Some(any), Some(common)) => Some(if common.by > any.by { common } else { any }),
            (any, common) => any.or(common),
        };
        Around { steps, load, cover: cover_row(&tree, view, at) }
    }
}

/// No device holds more than the largest load: what is near the first group of the tree runs with it. With loads as `view` sees them, where the first group is not
/// at `elsewhere`; there they are as `any` sees them at least.
fn load_row(tree: &Tree, (any, elsewhere): (&View, &[usize]), view: &View, at: &[f64]) -> Option<Broken> {
    let length = &at[1..];
    let mut row: Vec<(usize, f64)> = vec![(ROOM, 1.0)];
    let mut below: Vec<f64> = tree.groups.iter().map(|reached| view.work[reached.group]).collect();
    let least = below.iter().sum();
    let mut more: f64 =
        tree.groups.iter().map(|reached| view.work[reached.group] - any.work[reached.group]).sum();
    for &(net, place) in &tree.nets {
        if length[net] > tree.groups[place].distance + NO_LENGTH {
            below[place] += view.cost[net];
            more += view.cost[net] - any.cost[net];
            row.push((1 + net, -view.cost[net]));
        }
    }
    // What lies behind a net of the tree pays its length.
    tree.sum_up(&mut below, |net, behind| row.push((1 + net, behind)));
    row.extend(elsewhere.iter().map(|&column| (column, more)));
    let near = tree.groups.iter().take_while(|reached| reached.distance < NEAR).map(|r| r.group).collect();
    broken(Row { entries: summed(row), least }, at, BROKEN, tree, near)
}

/// The nearest groups that are too much for one device, the tree without what it does not take for that: a plan cuts one of its nets,
/// or two of those with less behind them than the excess.
///
/// In a plan lengths are 0 or 1, and with `W` the work of the groups `sum over nets of behind_e d_e >= W - value`. So no coefficient needs
/// to be larger than the right side is: `sum over nets of min(behind_e / (W - value), 1) d_e >= 1`.
fn cover_row(tree: &Tree, view: &View, at: &[f64]) -> Option<Broken> {
    let mut work = 0.0;
    let taken = 1 + tree.groups.iter().position(|reached| {
        work += view.work[reached.group];
        work > 1.0 + TOO_MUCH
    })?;
    let mut below = vec![0.0; tree.groups.len()];
    let mut needed = vec![false; taken];
    let mut near = Vec::new();
    for (place, reached) in tree.groups[..taken].iter().enumerate().rev() {
        let own = view.work[reached.group];
        if !needed[place] && work - own > 1.0 + TOO_MUCH {
            work -= own;
            continue;
        }
        below[place] = own;
        near.push(reached.group);
        if let Some((_, parent)) = reached.by {
            needed[parent] = true;
        }
    }
    let mut row: Vec<(usize, f64)> = Vec::new();
    tree.sum_up(&mut below, |net, behind| row.push((1 + net, behind)));
    let mut entries = summed(row);
    let excess = work - 1.0;
    entries.retain(|entry| entry.1 > 0.0);
    entries.iter_mut().for_each(|entry| entry.1 = (entry.1 / excess).min(1.0));
    broken(Row { entries, least: 1.0 }, at, BROKEN_COVER, tree, near)
}

/// A row that these columns break by more than it is worth.
fn broken(row: Row, at: &[f64], worth: f64, tree: &Tree, near: Vec<GroupId>) -> Option<Broken> {
    let kept: f64 = row.entries.iter().map(|&(column, coefficient)| coefficient * at[column]).sum();
    let by = row.least - kept;
    (by > worth).then(|| Broken { by, from: tree.groups[0].group, near, row })
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

    /// Adds what is at every group, and behind it, to the one before it on the way; `behind` hears of it with the net between them.
    fn sum_up(&self, below: &mut [f64], mut behind: impl FnMut(usize, f64)) {
        for (place, reached) in self.groups.iter().enumerate().rev() {
            if let Some((net, parent)) = reached.by {
                behind(net, below[place]);
                below[parent] += below[place];
            }
        }
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
