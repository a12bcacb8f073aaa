//! Which groups run on which kind of device, where there are several kinds.
//!
//! A device of another kind may take work at another price, and the sides that cut nets have there may cost less, or nothing as at a host. But to save that, a net
//! needs an end there, and what is there needs its nets cut. So for every kind but the most common one a column says of every group whether it runs there, and
//! one of every net whether a side that is paid for is there; of every kind the work and the sides it has fit on its devices.

use crate::hypergraph::{GroupId, Hypergraph};

use super::row::{ROOM, Row};

/// Columns above which kinds are left to the price of their work: programs would take too long.
const MOST_COLUMNS: usize = 5_000;

/// By how much a row must be broken to be added.
const BROKEN: f64 = 1e-4;

/// The columns of kinds beside the most common one.
pub(super) struct Kinds {
    /// The most common kind: groups that are on no other are there.
    pub(super) common: usize,
    others: Vec<Other>,
    /// Columns of each.
    width: usize,
}

/// A kind beside the most common one.
struct Other {
    kind: usize,
    /// Column of the first group; after those the sides of nets.
    first: usize,
    /// Can it run a group?
    runs: Vec<bool>,
    /// Sides that are paid for, of the two that are counted, at most.
    most_sides: f64,
}

impl Other {
    fn on(&self, group: GroupId) -> Option<usize> {
        self.runs[group].then_some(self.first + group)
    }

    fn side(&self, net: usize) -> usize {
        self.first + self.runs.len() + net
    }
}

impl Kinds {
    /// None with one kind, with kinds that all pay the same for transfers, which work alone tells apart, and with too many columns. Columns are numbered from `first` on; `runs`: may a kind run a group?
    pub(super) fn of(
        graph: &Hypergraph,
        first: usize,
        runs: impl Fn(GroupId, usize) -> bool,
    ) -> Option<Self> {
        let present = || (0..graph.kinds.len()).filter(|&kind| graph.kinds[kind].count > 0);
        let common = present().max_by_key(|&kind| (graph.kinds[kind].count, std::cmp::Reverse(kind)))?;
        let factor = |kind: usize| graph.kinds[kind].transfer_factor;
        if present().all(|kind| factor(kind) == factor(common)) {
            return None;
        }
        let width = graph.len() + graph.net_cost.len();
        let other = |(place, kind): (usize, usize)| Other {
            kind,
            first: first + place * width,
            runs: (0..graph.len()).map(|group| runs(group, kind)).collect(),
            most_sides: graph.kinds[kind].count.min(2) as f64,
        };
        let others: Vec<Other> = present().filter(|&kind| kind != common).enumerate().map(other).collect();
        (1..=MOST_COLUMNS).contains(&(others.len() * width)).then_some(Kinds { common, others, width })
    }

    /// Columns in all.
    pub(super) fn columns(&self) -> usize {
        self.others.len() * self.width
    }

    /// The group that a column says is on another kind.
    pub(super) fn group_of(&self, column: usize) -> Option<GroupId> {
        let own = self.others.iter().rfind(|other| column >= other.first)?;
        Some(column - own.first).filter(|&group| group < own.runs.len())
    }

    /// The columns that say that a group is on another kind.
    pub(super) fn elsewhere(&self, group: GroupId) -> impl Iterator<Item = usize> + '_ {
        self.others.iter().filter_map(move |other| other.on(group))
    }

    /// Rows that every plan better than `value` keeps: of each kind, of each net, and of groups that the most common kind cannot run.
    pub(super) fn rows(&self, graph: &Hypergraph, value: f64) -> Vec<Row> {
        let mut rows = vec![self.of_common(graph, value)];
        rows.extend(self.others.iter().map(|other| of_other(graph, other, value)));
        for group in 0..graph.len() {
            let elsewhere = || self.elsewhere(group);
            if graph.time(group, self.common) >= value {
                rows.push(Row { entries: elsewhere().map(|column| (column, 1.0)).collect(), least: 1.0 });
            } else if elsewhere().count() > 1 {
                rows.push(Row { entries: elsewhere().map(|column| (column, -1.0)).collect(), least: -1.0 });
            }
        }
        for net in 0..graph.net_cost.len() {
            for other in &self.others {
                let side = other.side(net);
                rows.push(Row { entries: vec![(1 + net, 1.0), (side, -1.0)], least: 0.0 });
                let ends = graph.pins.of(net).iter().filter_map(|&end| other.on(end as usize));
                let ends = ends.map(|column| (column, 1.0)).chain([(side, -other.most_sides)]);
                rows.push(Row { entries: ends.collect(), least: 0.0 });
            }
            if self.others.len() > 1 {
                let sides = self.others.iter().map(|other| (other.side(net), -other.most_sides));
                rows.push(Row { entries: sides.chain([(1 + net, 2.0)]).collect(), least: 0.0 });
            }
        }
        rows
    }

    /// The work of groups that are nowhere else, and both sides of cut nets less those that are elsewhere.
    fn of_common(&self, graph: &Hypergraph, value: f64) -> Row {
        let kind = &graph.kinds[self.common];
        let mut entries = vec![(ROOM, kind.count as f64)];
        let mut least = 0.0;
        for group in 0..graph.len() {
            let work = graph.time(group, self.common) / value;
            if work < 1.0 {
                least += work;
                entries.extend(self.elsewhere(group).map(|column| (column, work)));
            }
        }
        for (net, cost) in graph.net_cost.iter().enumerate() {
            let cost = kind.transfer_factor * cost / value;
            entries.push((1 + net, -2.0 * cost));
            entries.extend(self.others.iter().map(|other| (other.side(net), cost * other.most_sides)));
        }
        Row { entries, least }
    }

    /// Nets that are cut too little for an end on a kind and another that is not.
    pub(super) fn broken(&self, graph: &Hypergraph, at: &[f64]) -> Vec<Row> {
        let mut rows = Vec::new();
        for other in &self.others {
            let on = |end: u32| other.on(end as usize).map_or(0.0, |column| at[column]);
            for net in 0..graph.net_cost.len() {
                let ends = graph.pins.of(net);
                let most = ends.iter().copied().max_by(|&a, &b| on(a).total_cmp(&on(b)).then(b.cmp(&a)));
                let least = ends.iter().copied().min_by(|&a, &b| on(a).total_cmp(&on(b)).then(a.cmp(&b)));
                let (Some(most), Some(least)) = (most, least) else { continue };
                if on(most) - on(least) > at[1 + net] + BROKEN {
                    let columns = [(least, 1.0), (most, -1.0)];
                    let ends =
                        columns.into_iter().filter_map(|(end, sign)| Some((other.on(end as usize)?, sign)));
                    rows.push(Row { entries: ends.chain([(1 + net, 1.0)]).collect(), least: 0.0 });
                }
            }
        }
        rows
    }
}

/// The work and the sides on a kind fit on its devices.
fn of_other(graph: &Hypergraph, other: &Other, value: f64) -> Row {
    let kind = &graph.kinds[other.kind];
    let work =
        (0..graph.len()).filter_map(|group| Some((other.on(group)?, -graph.time(group, other.kind) / value)));
    let sides = graph
        .net_cost
        .iter()
        .enumerate()
        .map(|(net, cost)| (other.side(net), -other.most_sides * kind.transfer_factor * cost / value));
    let entries = std::iter::once((ROOM, kind.count as f64)).chain(work).chain(sides);
    Row { entries: entries.filter(|entry| entry.1 != 0.0).collect(), least: 0.0 }
}
