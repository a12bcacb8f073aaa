//! The contracted graph all solvers work on: groups of nodes, and tensors as nets over groups.
//!
//! A tensor is charged to every device that holds some but not all of its ends, so it is a hyperedge over
//! its writer and readers. Groups are nodes that must share a device; nets inside one group vanish and nets
//! with the same ends merge. Contraction keeps every load exactly.

use indexmap::IndexMap;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::check::lenient;
use crate::problem::{Assignment, Kind, NodeId, Problem};

/// Index of a group.
pub type GroupId = usize;

/// Lists of varying length in one allocation.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Builds from one iterator per list.
    pub fn new<I: IntoIterator<Item = u32>>(lists: impl IntoIterator<Item = I>) -> Self {
        let mut out = Lists { start: vec![0], items: Vec::new() };
        for list in lists {
            out.items.extend(list);
            out.start.push(out.items.len() as u32);
        }
        out
    }

    /// One list.
    #[must_use]
    pub fn of(&self, index: usize) -> &[u32] {
        &self.items[self.start[index] as usize..self.start[index + 1] as usize]
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Are there no lists?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The transpose: for each of `count` items, the lists it is in, in order.
    #[must_use]
    pub fn transposed(&self, count: usize) -> Lists {
        let mut start = vec![0u32; count + 1];
        for &item in &self.items {
            start[item as usize + 1] += 1;
        }
        for i in 0..count {
            start[i + 1] += start[i];
        }
        let mut cursor = start.clone();
        let mut items = vec![0u32; self.items.len()];
        for list in 0..self.len() {
            for &item in self.of(list) {
                let slot = &mut cursor[item as usize];
                items[*slot as usize] = list as u32;
                *slot += 1;
            }
        }
        Lists { start, items }
    }
}

/// A problem over groups.
#[derive(Clone, Debug)]
pub struct Hypergraph {
    /// The kinds of devices; their caps leave room for rounding.
    pub kinds: Vec<Kind>,
    /// The nodes of every group.
    pub members: Vec<Vec<NodeId>>,
    /// `time[group * kinds + kind]`; infinite where the kind cannot run the group.
    pub time: Vec<f64>,
    /// Bytes of every group.
    pub size_bytes: Vec<f64>,
    /// Holds a forward node: bound by the order rule of contiguous plans.
    pub ordered: Vec<bool>,
    /// Transfer cost of every net, above 0.
    pub net_cost: Vec<f64>,
    /// Groups of every net, two or more, ascending.
    pub pins: Lists,
    /// Nets of every group, ascending.
    pub nets: Lists,
    /// Forward arcs: the groups that must not run on an earlier pipeline stage than this one.
    pub successors: Lists,
    /// The transpose of `successors`.
    pub predecessors: Lists,
}

/// The kinds of a problem, with the caps that searches take.
fn kinds_of(problem: &Problem) -> Vec<Kind> {
    let with_room = |kind: &Kind| Kind { memory_bytes: lenient(kind.memory_bytes), ..kind.clone() };
    problem.kinds.iter().map(with_room).collect()
}

impl Hypergraph {
    /// One group per colour class and per node without colour.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let kinds = problem.kinds.len();
        let count = problem.nodes.len();
        let pins = problem.nodes.iter().enumerate().map(|(v, node)| {
            let mut pins: Vec<u32> =
                node.readers.iter().map(|&r| r as u32).chain(std::iter::once(v as u32)).collect();
            pins.sort_unstable();
            pins
        });
        let forward = |v: NodeId| !problem.nodes[v].backward;
        let successors = Lists::new((0..count).map(|v| {
            let readers = if forward(v) { problem.nodes[v].readers.as_slice() } else { &[] };
            readers.iter().filter(|&&r| forward(r)).map(|&r| r as u32).collect::<Vec<_>>()
        }));
        let pins = Lists::new(pins);
        let plain = Hypergraph {
            kinds: kinds_of(problem),
            members: (0..count).map(|v| vec![v]).collect(),
            time: problem.nodes.iter().flat_map(|node| node.time[..kinds].iter().copied()).collect(),
            size_bytes: problem.nodes.iter().map(|node| node.size_bytes).collect(),
            ordered: (0..count).map(forward).collect(),
            net_cost: problem.nodes.iter().map(|node| node.output_cost).collect(),
            nets: pins.transposed(count),
            pins,
            predecessors: successors.transposed(count),
            successors,
        };
        let mut colour_group = vec![None; problem.colours];
        let mut groups = 0;
        let map: Vec<GroupId> = problem
            .nodes
            .iter()
            .map(|node| {
                let fresh = groups;
                let group = match node.colour {
                    Some(colour) => *colour_group[colour].get_or_insert(fresh),
                    None => fresh,
                };
                groups = groups.max(group + 1);
                group
            })
            .collect();
        plain.quotient(&map, groups)
    }

    /// Number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Are there no groups?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Time of a group on a device of a kind.
    #[must_use]
    pub fn time(&self, group: GroupId, kind: usize) -> f64 {
        self.time[group * self.kinds.len() + kind]
    }

    /// Can a device of a kind run a group and hold it?
    pub(crate) fn holds(&self, group: GroupId, kind: usize) -> bool {
        self.time(group, kind).is_finite() && self.size_bytes[group] <= self.kinds[kind].memory_bytes
    }

    /// Merges groups: group `g` becomes part of group `map[g] < count`.
    #[must_use]
    pub fn quotient(&self, map: &[GroupId], count: usize) -> Hypergraph {
        let kinds = self.kinds.len();
        let mut members = vec![Vec::new(); count];
        let mut time = vec![0.0; count * kinds];
        let mut size_bytes = vec![0.0; count];
        let mut ordered = vec![false; count];
        for (group, &target) in map.iter().enumerate() {
            members[target].extend_from_slice(&self.members[group]);
            for kind in 0..kinds {
                time[target * kinds + kind] += self.time(group, kind);
            }
            size_bytes[target] += self.size_bytes[group];
            ordered[target] |= self.ordered[group];
        }
        let mut merged: IndexMap<Vec<u32>, f64> = IndexMap::new();
        for (net, &cost) in self.net_cost.iter().enumerate().filter(|&(_, &cost)| cost > 0.0) {
            let mut pins: Vec<u32> = self.pins.of(net).iter().map(|&g| map[g as usize] as u32).collect();
            pins.sort_unstable();
            pins.dedup();
            if pins.len() > 1 {
                *merged.entry(pins).or_insert(0.0) += cost;
            }
        }
        let mut targets = vec![Vec::new(); count];
        for (group, &from) in map.iter().enumerate() {
            let reached = self.successors.of(group).iter().map(|&to| map[to as usize] as u32);
            targets[from].extend(reached.filter(|&to| to as usize != from));
        }
        for list in &mut targets {
            list.sort_unstable();
            list.dedup();
        }
        let net_cost = merged.values().copied().collect();
        let pins = Lists::new(merged.into_keys());
        let successors = Lists::new(targets);
        Hypergraph {
            kinds: self.kinds.clone(),
            members,
            time,
            size_bytes,
            ordered,
            net_cost,
            nets: pins.transposed(count),
            pins,
            predecessors: successors.transposed(count),
            successors,
        }
    }

    /// Merges the groups that wait for one another: a contiguous plan keeps them on one device.
    #[must_use]
    pub(crate) fn without_cycles(&self) -> Hypergraph {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.len(), 0);
        for _ in 0..self.len() {
            graph.add_node(());
        }
        for group in 0..self.len() {
            for &to in self.successors.of(group) {
                graph.add_edge(NodeIndex::new(group), NodeIndex::new(to as usize), ());
            }
        }
        let components = petgraph::algo::kosaraju_scc(&graph);
        let mut map = vec![0; self.len()];
        for (component, groups) in components.iter().enumerate() {
            for group in groups {
                map[group.index()] = component;
            }
        }
        self.quotient(&map, components.len())
    }

    /// The part over the groups with `keep`, renumbered in order, with all nets under their old numbers: those
    /// that lost ends may have one end left, or none.
    #[must_use]
    pub(crate) fn induced(&self, keep: &[bool]) -> Hypergraph {
        let kinds = self.kinds.len();
        let kept: Vec<GroupId> = (0..self.len()).filter(|&g| keep[g]).collect();
        let mut number = vec![u32::MAX; self.len()];
        for (new, &old) in kept.iter().enumerate() {
            number[old] = new as u32;
        }
        let renumbered = |list: &[u32]| -> Vec<u32> {
            list.iter().map(|&g| number[g as usize]).filter(|&g| g != u32::MAX).collect()
        };
        let pins = Lists::new((0..self.net_cost.len()).map(|net| renumbered(self.pins.of(net))));
        let successors = Lists::new(kept.iter().map(|&g| renumbered(self.successors.of(g))));
        Hypergraph {
            kinds: self.kinds.clone(),
            members: kept.iter().map(|&g| self.members[g].clone()).collect(),
            time: kept.iter().flat_map(|&g| self.time[g * kinds..(g + 1) * kinds].iter().copied()).collect(),
            size_bytes: kept.iter().map(|&g| self.size_bytes[g]).collect(),
            ordered: kept.iter().map(|&g| self.ordered[g]).collect(),
            net_cost: self.net_cost.clone(),
            nets: pins.transposed(kept.len()),
            pins,
            predecessors: successors.transposed(kept.len()),
            successors,
        }
    }

    /// Spreads a placement of groups to the nodes; `nodes` is their number.
    #[must_use]
    pub fn expand(&self, placement: &[usize], nodes: usize) -> Assignment {
        let mut assignment = vec![0; nodes];
        for (members, &device) in self.members.iter().zip(placement) {
            for &v in members {
                assignment[v] = device;
            }
        }
        assignment
    }

    /// The placement of groups that an assignment of nodes stands for.
    #[must_use]
    pub fn restrict(&self, assignment: &Assignment) -> Vec<usize> {
        self.members.iter().map(|members| assignment[members[0]]).collect()
    }

    /// Numbers the groups so that every forward arc leads upwards, smallest index first among the ready;
    /// none if the arcs have a cycle.
    #[must_use]
    pub(crate) fn topological_order(&self) -> Option<Vec<GroupId>> {
        let mut waiting: Vec<usize> = (0..self.len()).map(|g| self.predecessors.of(g).len()).collect();
        let mut ready: std::collections::BinaryHeap<std::cmp::Reverse<GroupId>> =
            (0..self.len()).filter(|&g| waiting[g] == 0).map(std::cmp::Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(std::cmp::Reverse(group)) = ready.pop() {
            order.push(group);
            for &to in self.successors.of(group) {
                waiting[to as usize] -= 1;
                if waiting[to as usize] == 0 {
                    ready.push(std::cmp::Reverse(to as usize));
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }
}
