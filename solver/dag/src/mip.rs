//! Mixed-integer programs over the contracted graph, solved by HiGHS.
//!
//! HiGHS calls a stop at a gap "optimal" and may return zeros where it has no solution; so status, bound and
//! solution are read one by one, and every placement is judged again by the caller.

use std::num::NonZeroU32;

use highs::{Col, HighsModelStatus, HighsSolutionStatus, RowProblem, Sense, SolvedModel};

use crate::hypergraph::Hypergraph;
use crate::loads::Loads;

/// Rows of loads are scaled to this, so that HiGHS's absolute tolerances are small beside any load.
const LOAD_SCALE: f64 = 1000.0;

/// Tolerance of rows and of integers.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// Limits of one call.
#[derive(Clone, Copy, Debug)]
pub struct MipLimits {
    /// Wall-clock seconds; infinite: none.
    pub seconds: f64,
    /// Branch-and-bound nodes.
    pub nodes: u32,
    /// Seed of HiGHS's own choices.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

fn run(
    problem: RowProblem,
    sense: Sense,
    gap: f64,
    limits: MipLimits,
    start: Option<&[f64]>,
) -> Option<SolvedModel> {
    let mut model = problem.try_optimise(sense).ok()?;
    model.make_quiet();
    model.set_threads(NonZeroU32::new(limits.threads as u32).unwrap_or(NonZeroU32::MIN));
    model.set_option("random_seed", (limits.seed % (1 << 31)) as i32);
    if limits.seconds.is_finite() {
        model.set_option("time_limit", limits.seconds.max(0.01));
    }
    model.set_option("mip_max_nodes", limits.nodes.min(i32::MAX as u32) as i32);
    model.set_option("mip_rel_gap", gap);
    model.set_option("mip_feasibility_tolerance", TOLERANCE);
    model.set_option("primal_feasibility_tolerance", TOLERANCE);
    if let Some(start) = start {
        model.try_set_solution(Some(start), None, None, None).ok()?;
    }
    model.try_solve().ok()
}

/// The proven bound of a solved program, whatever stopped it.
fn proven(solved: &SolvedModel) -> Option<f64> {
    match solved.status() {
        HighsModelStatus::Optimal
        | HighsModelStatus::ReachedTimeLimit
        | HighsModelStatus::ReachedSolutionLimit
        | HighsModelStatus::ReachedIterationLimit
        | HighsModelStatus::ReachedInterrupt => {
            solved.double_info_value(c"mip_dual_bound").ok().filter(|bound| bound.is_finite())
        }
        _ => None,
    }
}

/// Adds `y >= x_p - x_q` around the ends of a net, so that `y` is 1 where the device holds some ends but not all.
fn link(problem: &mut RowProblem, ends: &[Col], crossing: Col) {
    for (at, &first) in ends.iter().enumerate() {
        let second = ends[(at + 1) % ends.len()];
        problem.add_row(0.0.., [(crossing, 1.0), (first, -1.0), (second, 1.0)]);
    }
}

/// What `reassign` found and proved.
pub struct Reassigned {
    /// The placement of all groups, if the program holds one.
    pub placement: Option<Vec<usize>>,
    /// Proven bound on the largest load of the devices that were open, the others staying as they are.
    pub bound: Option<f64>,
}

/// Places the groups of the `open` devices anew among these, the rest staying where `start` has it, so that the
/// largest load of the open devices is smallest. With all devices open it is the whole problem.
///
/// Devices of one kind are alike, so group `i` of the heaviest may only use the first `i + 1` open devices of a
/// kind; `start` is renumbered to fit.
#[must_use]
pub(crate) fn reassign(graph: &Hypergraph, start: &[usize], open: &[usize], limits: MipLimits) -> Reassigned {
    let loads = Loads::new(graph, start);
    let value = open.iter().map(|&device| loads.load()[device]).fold(0.0, f64::max);
    let scale = LOAD_SCALE / value;
    let is_open = |device: usize| open.contains(&device);
    let mut moving: Vec<usize> = (0..graph.len()).filter(|&g| is_open(start[g])).collect();
    let weight = |g: usize| graph.time(g, loads.kind_of(open[0])).min(f64::MAX);
    moving.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
    let renumbered = renumber(&loads, start, open, &moving);
    let rank_in_kind = |device: usize| {
        open.iter().filter(|&&d| d < device && loads.kind_of(d) == loads.kind_of(device)).count()
    };
    let mut problem = RowProblem::new();
    let mut hint = Vec::new();
    let largest = problem.add_column(1.0, 0.0..=LOAD_SCALE);
    hint.push(LOAD_SCALE);
    let mut on: Vec<Vec<Col>> = vec![Vec::new(); graph.len()];
    for (rank, &group) in moving.iter().enumerate() {
        for &device in open {
            let able = rank_in_kind(device) <= rank && graph.time(group, loads.kind_of(device)) <= value;
            hint.push(f64::from(u8::from(renumbered[group] == device)));
            on[group].push(problem.add_integer_column(0.0, 0.0..=f64::from(u8::from(able))));
        }
        problem.add_row(1.0..=1.0, on[group].iter().map(|&column| (column, 1.0)));
    }
    for (slot, &device) in open.iter().enumerate() {
        let kind = loads.kind_of(device);
        let factor = graph.kinds[kind].transfer_factor;
        let timed = moving.iter().filter(|&&g| graph.time(g, kind).is_finite());
        let mut row: Vec<(Col, f64)> = timed.map(|&g| (on[g][slot], graph.time(g, kind) * scale)).collect();
        row.push((largest, -1.0));
        for net in (0..graph.net_cost.len()).filter(|_| factor > 0.0) {
            let pins = graph.pins.of(net);
            let ends: Vec<Col> = pins.iter().filter_map(|&g| on[g as usize].get(slot).copied()).collect();
            if ends.is_empty() {
                continue;
            }
            let inside = pins.iter().filter(|&&g| renumbered[g as usize] == device).count();
            let crossing = problem.add_column(0.0, 0.0..=1.0);
            hint.push(f64::from(u8::from(inside > 0 && inside < pins.len())));
            if ends.len() == pins.len() {
                link(&mut problem, &ends, crossing);
            } else {
                for &end in &ends {
                    problem.add_row(0.0.., [(crossing, 1.0), (end, -1.0)]);
                }
            }
            row.push((crossing, factor * graph.net_cost[net] * scale));
        }
        problem.add_row(..=0.0, row);
        add_memory_row(&mut problem, graph, kind, &moving, |g| on[g][slot]);
    }
    let Some(solved) = run(problem, Sense::Minimise, TOLERANCE, limits, Some(&hint)) else {
        return Reassigned { placement: None, bound: None };
    };
    let bound = proven(&solved).map(|bound| bound / scale);
    let placement = (solved.primal_solution_status() == HighsSolutionStatus::Feasible).then(|| {
        let solution = solved.get_solution();
        let mut placement = start.to_vec();
        for &group in &moving {
            placement[group] = open[place_of_largest(solution.columns(), &on[group])];
        }
        placement
    });
    Reassigned { placement, bound }
}

/// The place of the column whose value is largest.
fn place_of_largest(values: &[f64], columns: &[Col]) -> usize {
    let value = |place: usize| values[columns[place].index()];
    (0..columns.len()).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(0)
}

/// Renumbers open devices of one kind in the order in which the groups of `moving` meet them.
fn renumber(loads: &Loads<'_>, start: &[usize], open: &[usize], moving: &[usize]) -> Vec<usize> {
    let mut name: Vec<usize> = (0..loads.devices()).collect();
    let mut named: Vec<usize> = Vec::new();
    let mut taken: Vec<usize> = Vec::new();
    for device in moving.iter().map(|&g| start[g]).chain(open.iter().copied()) {
        if !named.contains(&device) {
            let alike = |d: &&usize| loads.kind_of(**d) == loads.kind_of(device) && !taken.contains(d);
            let free = open.iter().find(alike).copied().unwrap_or(device);
            named.push(device);
            taken.push(free);
            name[device] = free;
        }
    }
    start.iter().map(|&device| name[device]).collect()
}

/// Bytes in MiB under the cap, where the cap can bind.
fn add_memory_row(
    problem: &mut RowProblem,
    graph: &Hypergraph,
    kind: usize,
    groups: &[usize],
    column: impl Fn(usize) -> Col,
) {
    let cap = graph.kinds[kind].memory_bytes;
    if groups.iter().map(|&g| graph.size_bytes[g]).sum::<f64>() > cap {
        let mebibytes = 1.0 / f64::from(1 << 20);
        let sized = groups.iter().copied().filter(|&g| graph.size_bytes[g] > 0.0);
        let row: Vec<(Col, f64)> = sized.map(|g| (column(g), graph.size_bytes[g] * mebibytes)).collect();
        problem.add_row(..=cap * mebibytes, row);
    }
}

/// Whether groups fit the devices.
pub(crate) enum Fit {
    /// So they do.
    Placed(Vec<usize>),
    /// Proved that they do not.
    Impossible,
    /// A limit came first.
    Unknown,
}

/// Looks for any placement that keeps the caps. Devices of one kind are alike, so group `i` of the largest may only use the first `i + 1` of a kind.
#[must_use]
pub(crate) fn fit(graph: &Hypergraph, limits: MipLimits) -> Fit {
    let mut problem = RowProblem::new();
    let mut groups: Vec<usize> = (0..graph.len()).collect();
    groups.sort_by(|&a, &b| graph.size_bytes[b].total_cmp(&graph.size_bytes[a]).then(a.cmp(&b)));
    let slots: Vec<(usize, usize)> = (0..graph.kinds.len())
        .flat_map(|kind| (0..graph.kinds[kind].count).map(move |rank| (kind, rank)))
        .collect();
    let mut on: Vec<Vec<Col>> = vec![Vec::new(); graph.len()];
    for (place, &group) in groups.iter().enumerate() {
        for &(kind, rank) in &slots {
            let able = rank <= place && graph.holds(group, kind);
            on[group].push(problem.add_integer_column(0.0, 0.0..=f64::from(u8::from(able))));
        }
        problem.add_row(1.0..=1.0, on[group].iter().map(|&column| (column, 1.0)));
    }
    for (slot, &(kind, _)) in slots.iter().enumerate() {
        let cap = graph.kinds[kind].memory_bytes;
        // What is larger than the cap is not there.
        if cap.is_finite() && cap > 0.0 {
            // In caps, so that HiGHS's tolerances are small beside any size that matters.
            let sized =
                groups.iter().filter(|&&group| graph.size_bytes[group] > 0.0 && graph.holds(group, kind));
            let row: Vec<(Col, f64)> =
                sized.map(|&group| (on[group][slot], graph.size_bytes[group] / cap)).collect();
            problem.add_row(..=1.0, row);
        }
    }
    let Some(solved) = run(problem, Sense::Minimise, TOLERANCE, limits, None) else { return Fit::Unknown };
    match (solved.status(), solved.primal_solution_status()) {
        (HighsModelStatus::Infeasible, _) => Fit::Impossible,
        (_, HighsSolutionStatus::Feasible) => {
            let solution = solved.get_solution();
            Fit::Placed(on.iter().map(|columns| place_of_largest(solution.columns(), columns)).collect())
        }
        _ => Fit::Unknown,
    }
}

/// The most profit that a set of groups has whose load on one device of a kind is at most `threshold`.
pub(crate) struct Richest {
    /// A proven bound on it.
    pub(crate) bound: f64,
    /// The best set found; empty where none was.
    pub(crate) set: Vec<u32>,
}

/// Looks for the set of groups with the most profit whose load on one device of a kind is at most `threshold`, to a relative gap.
#[must_use]
pub(crate) fn richest_set(
    graph: &Hypergraph,
    kind: usize,
    profit: &[f64],
    threshold: f64,
    gap: f64,
    limits: MipLimits,
) -> Option<Richest> {
    let scale = LOAD_SCALE / threshold;
    let factor = graph.kinds[kind].transfer_factor;
    let mut problem = RowProblem::new();
    let mut row = Vec::new();
    let inside: Vec<Col> = (0..graph.len())
        .map(|g| {
            let open = graph.time(g, kind) <= threshold;
            let column = problem.add_integer_column(profit[g], 0.0..=f64::from(u8::from(open)));
            if open {
                row.push((column, graph.time(g, kind) * scale));
            }
            column
        })
        .collect();
    if factor > 0.0 {
        for (net, &cost) in graph.net_cost.iter().enumerate() {
            let crossing = problem.add_column(0.0, 0.0..=1.0);
            let ends: Vec<Col> = graph.pins.of(net).iter().map(|&g| inside[g as usize]).collect();
            link(&mut problem, &ends, crossing);
            row.push((crossing, factor * cost * scale));
        }
    }
    problem.add_row(..=LOAD_SCALE, row);
    let groups: Vec<usize> = (0..graph.len()).collect();
    add_memory_row(&mut problem, graph, kind, &groups, |g| inside[g]);
    let solved = run(problem, Sense::Maximise, gap, limits, None)?;
    let bound = proven(&solved)?;
    let found = solved.primal_solution_status() == HighsSolutionStatus::Feasible;
    let solution = found.then(|| solved.get_solution());
    let taken =
        |g: &usize| solution.as_ref().is_some_and(|solution| solution.columns()[inside[*g].index()] > 0.5);
    Some(Richest { bound, set: (0..graph.len()).filter(taken).map(|g| g as u32).collect() })
}
