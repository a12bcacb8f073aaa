//! A graph as the learned placer sees it: an order of its groups, a unit of load, and what lies ahead.

use crate::bound::{WorkPrices, simple_bound};
use crate::hypergraph::{GroupId, Hypergraph};
use crate::multilevel::merge_runs;
use crate::order::{OrderRule, linear_order};
use crate::problem::{Assignment, PlanClass, Problem};
use crate::reduce::merge_dominated;

/// Groups a board has at most; larger graphs are placed in runs.
const MOST_GROUPS: usize = 600;

/// Share of the smallest memory a run may take.
const RUN_MEMORY: f64 = 0.125;

/// Positions looked ahead for a cheaper cut.
pub(crate) const WINDOWS: [usize; 3] = [4, 16, 64];

/// What is known about a graph before anything is placed.
pub struct Board {
    /// Groups and nets.
    pub(crate) graph: Hypergraph,
    /// Group of the graph this board's groups come from, where they are runs.
    run_of: Option<(Hypergraph, Vec<usize>)>,
    nodes: usize,
    /// The order in which groups are placed.
    pub(crate) order: Vec<usize>,
    /// Which plans are allowed.
    pub class: PlanClass,
    /// Kind of every device.
    pub(crate) kind_of: Vec<usize>,
    /// Loads count in this: the bound of the work.
    pub unit: f64,
    /// Share of the work placed before every position.
    pub(crate) done: Vec<f64>,
    /// Cost of the nets open before every position, in units.
    pub(crate) cut: Vec<f64>,
    /// Smallest of these costs in each window ahead.
    pub(crate) cheapest: Vec<[f64; WINDOWS.len()]>,
    /// Per group: work in units of its neighbours and of theirs, each once.
    pub(crate) near_work: Vec<[f64; 2]>,
    /// Work of every group in units.
    pub(crate) work: Vec<f64>,
}

/// Cost of the nets open before every position, in units, where every group has a position.
fn open_cost(graph: &Hypergraph, position: &[usize], unit: f64) -> Vec<f64> {
    let mut change = vec![0.0; position.len() + 1];
    for (net, &cost) in graph.net_cost.iter().enumerate() {
        let ends = || graph.pins.of(net).iter().map(|&pin| position[pin as usize]);
        if let (Some(first), Some(last)) = (ends().min(), ends().max()) {
            change[first + 1] += cost / unit;
            change[last + 1] -= cost / unit;
        }
    }
    let mut open = 0.0;
    let mut sum = |change: &f64| {
        open += change;
        f64::max(open, 0.0)
    };
    change.iter().map(&mut sum).collect()
}

/// Work of a group's neighbours, and of theirs, each once.
fn near_work(graph: &Hypergraph, work: &[f64], group: GroupId) -> [f64; 2] {
    // A net that joins everything says nothing about a neighbourhood.
    const MOST: usize = 64;
    let neighbours = |g: GroupId| {
        let nets = graph.nets.of(g).iter();
        nets.flat_map(|&net| graph.pins.of(net as usize).iter().map(|&pin| pin as usize))
    };
    let once = |mut list: Vec<usize>| {
        list.sort_unstable();
        list.dedup();
        list
    };
    let first = once(neighbours(group).take(MOST).collect());
    let second = once(first.iter().flat_map(|&g| neighbours(g).take(MOST)).take(MOST * MOST).collect());
    [first, second].map(|list| list.iter().map(|&g| work[g]).sum())
}

impl Board {
    /// Prepares a problem for one class of plans.
    #[must_use]
    pub fn new(problem: &Problem, class: PlanClass) -> Self {
        let contiguous = class == PlanClass::Contiguous;
        let graph = Hypergraph::of(problem);
        let graph = if contiguous { graph.without_cycles() } else { graph };
        let fine = merge_dominated(&graph, f64::INFINITY, contiguous);
        // Free plans are built along the same order where there is one.
        let ordered = fine.topological_order().is_some();
        let line = if ordered {
            linear_order(&fine, OrderRule::SmallestCut, None)
        } else {
            (0..fine.len()).collect()
        };
        let (graph, run_of, order) = if fine.len() > MOST_GROUPS {
            let smallest = fine.kinds.iter().filter(|k| k.count > 0).map(|k| k.memory_bytes);
            let most_bytes = smallest.fold(f64::INFINITY, f64::min) * RUN_MEMORY;
            let coarse = merge_runs(&fine, &WorkPrices::fit(&fine), &line, MOST_GROUPS, most_bytes);
            let order = (0..coarse.graph.len()).collect();
            (coarse.graph, Some((fine, coarse.map)), order)
        } else {
            (fine, None, line)
        };
        let prices = WorkPrices::fit(&graph);
        let unit = simple_bound(&graph, &prices).max(f64::MIN_POSITIVE);
        let n = graph.len();
        let total = prices.total.max(f64::MIN_POSITIVE);
        let devices = problem.device_count() as f64;
        let work: Vec<f64> = prices.work.iter().map(|work| work / total * devices).collect();
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(at, &group)| position[group] = at);
        let mut done = vec![0.0];
        for &group in &order {
            done.push(done[done.len() - 1] + work[group] / devices);
        }
        let cut: Vec<f64> = open_cost(&graph, &position, unit);
        let cheapest = (0..=n)
            .map(|at| {
                WINDOWS.map(|width| {
                    cut[at..(at + width).min(n) + 1].iter().copied().fold(f64::INFINITY, f64::min)
                })
            })
            .collect();
        let near_work = (0..n).map(|group| near_work(&graph, &work, group)).collect();
        Board {
            graph,
            run_of,
            nodes: problem.nodes.len(),
            order,
            class,
            kind_of: problem.device_kinds(),
            unit,
            done,
            cut,
            cheapest,
            near_work,
            work,
        }
    }

    /// Groups to be placed.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.order.len()
    }

    /// Devices to choose from.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.kind_of.len()
    }

    /// The assignment of nodes a placement of groups stands for.
    #[must_use]
    pub fn assignment(&self, placement: &[usize]) -> Assignment {
        match &self.run_of {
            None => self.graph.expand(placement, self.nodes),
            Some((fine, map)) => {
                let fine_placement: Vec<usize> = map.iter().map(|&run| placement[run]).collect();
                fine.expand(&fine_placement, self.nodes)
            }
        }
    }
}
