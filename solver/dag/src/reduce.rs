//! Contractions that keep at least one optimal plan.

use crate::hypergraph::{GroupId, Hypergraph};
use crate::problem::Problem;

/// Groups looked at, all rounds together, from which on a round has to merge more than a few.
const MOST_LOOKS: usize = 2_000_000;

/// Merges groups into a neighbour where that never raises a load of a plan below `value`.
///
/// Let nets with just the ends `v` and `w` cost `c` together and the other nets of `v` cost `r`, and let `v` be
/// elsewhere than `w`, which is on a device with transfer factor `f`. Moving `v` to `w` adds at most
/// `time(v) + f * r` there and saves `f * c`; the device `v` leaves saves `f' * c` and may have to pay for nets it
/// held in full, at most `f' * r`; no other device changes. So `c >= r` and `f * c >= time(v) + f * r` for every
/// kind that can run `w` below `value` make the merge safe. Memory must not be able to object: `v` has no
/// size, or everything fits on one device. Under the order rule (`contiguous`), `v` must have no arcs but with `w`.
#[must_use]
pub(crate) fn merge_dominated(graph: &Hypergraph, value: f64, contiguous: bool) -> Hypergraph {
    let mut current = graph.clone();
    let mut looked_at = 0;
    loop {
        let total: f64 = current.size_bytes.iter().sum();
        let roomy = current.kinds.iter().filter(|k| k.count > 0).all(|k| k.memory_bytes >= total);
        let mut target: Vec<usize> = (0..current.len()).collect();
        let mut is_target = vec![false; current.len()];
        for v in (0..current.len()).filter(|&v| roomy || current.size_bytes[v] == 0.0) {
            if is_target[v] {
                continue;
            }
            // Chains of merges are taken up by the next round: a target must not move itself.
            let home = dominating_neighbour(&current, v, value, contiguous).filter(|&w| target[w] == w);
            if let Some(w) = home {
                target[v] = w;
                is_target[w] = true;
            }
        }
        let merged = target.iter().enumerate().filter(|&(v, &w)| v != w).count();
        if merged > 0 {
            current = merge(&current, &target);
        }
        looked_at += current.len();
        // Rounds that merge next to nothing, as those along a chain do, are not worth a pass over everything for long.
        let little = merged * 500 <= current.len();
        if merged == 0 || little && (current.len() > 10_000 || looked_at > MOST_LOOKS) {
            return current;
        }
    }
}

fn dominating_neighbour(graph: &Hypergraph, v: usize, value: f64, contiguous: bool) -> Option<usize> {
    let mut total = 0.0;
    let mut ties: Vec<(usize, f64)> = Vec::new();
    for &net in graph.nets.of(v) {
        let cost = graph.net_cost[net as usize];
        total += cost;
        if let [a, b] = *graph.pins.of(net as usize) {
            let other = (if a as usize == v { b } else { a }) as usize;
            ties.push((other, cost));
        }
    }
    ties.sort_by_key(|&(other, _)| other);
    let ties =
        ties.chunk_by(|a, b| a.0 == b.0).map(|tie| (tie[0].0, tie.iter().map(|net| net.1).sum::<f64>()));
    let (w, cost) = ties.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let only_with_w = |list: &[u32]| list.iter().all(|&other| other as usize == w);
    if contiguous && !(only_with_w(graph.successors.of(v)) && only_with_w(graph.predecessors.of(v))) {
        return None;
    }
    let rest = total - cost;
    let harmless = graph.kinds.iter().enumerate().filter(|(_, kind)| kind.count > 0).all(|(k, kind)| {
        graph.time(w, k) >= value
            || graph.time(v, k) + kind.transfer_factor * rest <= kind.transfer_factor * cost
    });
    (cost >= rest && harmless).then_some(w)
}

/// Merges the ends of every net that no plan below `value` can cut.
///
/// A cut net is paid by every device with a transfer factor above 0 that holds an end. If at most one device
/// has factor 0, or an end cannot run on such devices below `value`, some paying device holds an end.
#[must_use]
pub(crate) fn merge_uncuttable(graph: &Hypergraph, value: f64) -> Hypergraph {
    let payers: Vec<(usize, f64)> = graph
        .kinds
        .iter()
        .enumerate()
        .filter(|(_, kind)| kind.count > 0 && kind.transfer_factor > 0.0)
        .map(|(k, kind)| (k, kind.transfer_factor))
        .collect();
    let free_kinds: Vec<usize> = (0..graph.kinds.len())
        .filter(|&k| graph.kinds[k].count > 0 && graph.kinds[k].transfer_factor == 0.0)
        .collect();
    let free_devices: usize = free_kinds.iter().map(|&k| graph.kinds[k].count).sum();
    let mut leader: Vec<usize> = (0..graph.len()).collect();
    fn find(leader: &mut [usize], mut g: usize) -> usize {
        while leader[g] != g {
            leader[g] = leader[leader[g]];
            g = leader[g];
        }
        g
    }
    for (net, &cost) in graph.net_cost.iter().enumerate() {
        let pins = graph.pins.of(net);
        let cheapest = pins
            .iter()
            .flat_map(|&g| payers.iter().map(move |&(k, f)| f * cost + graph.time(g as usize, k)))
            .fold(f64::INFINITY, f64::min);
        let someone_pays = free_devices <= 1
            || pins.iter().any(|&g| free_kinds.iter().all(|&k| graph.time(g as usize, k) >= value));
        if cheapest >= value && someone_pays {
            let first = find(&mut leader, pins[0] as usize);
            for &g in &pins[1..] {
                let other = find(&mut leader, g as usize);
                leader[other] = first;
            }
        }
    }
    let target: Vec<usize> = (0..graph.len()).map(|g| find(&mut leader, g)).collect();
    if target.iter().enumerate().all(|(g, &t)| g == t) { graph.clone() } else { merge(graph, &target) }
}

/// By node of a problem: its group, where nodes that no plan of a smaller largest load than `value` needs on two devices are one; and how many groups there
/// are.
#[must_use]
pub fn groups_of(problem: &Problem, value: f64) -> (Vec<GroupId>, usize) {
    let graph = merge_dominated(&merge_uncuttable(&Hypergraph::of(problem), value), value, false);
    let mut groups = vec![0; problem.nodes.len()];
    for (group, members) in graph.members.iter().enumerate() {
        members.iter().for_each(|&node| groups[node] = group);
    }
    (groups, graph.len())
}

/// The quotient by `target`, a map to representatives, numbered by first occurrence.
fn merge(graph: &Hypergraph, target: &[usize]) -> Hypergraph {
    let mut number = vec![usize::MAX; graph.len()];
    let mut count = 0;
    let map: Vec<usize> = target
        .iter()
        .map(|&t| {
            if number[t] == usize::MAX {
                number[t] = count;
                count += 1;
            }
            number[t]
        })
        .collect();
    graph.quotient(&map, count)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::groups_of;
    use crate::hypergraph::Hypergraph;
    use crate::loads::Loads;
    use crate::spreading::tests::{best_of_all, random_problem};

    #[test]
    fn some_plan_of_the_groups_is_as_good_as_any_plan() {
        let mut random = ChaCha8Rng::seed_from_u64(43);
        let mut joined = 0;
        for case in 0..200 {
            let problem = random_problem(&mut random);
            let best = best_of_all(&problem);
            if !(best > 0.0 && best.is_finite()) {
                continue;
            }
            // A value that the best plan is below.
            let (groups, count) = groups_of(&problem, best * 1.01);
            joined += problem.nodes.len() - count;
            let graph = Hypergraph::of(&problem).quotient(&groups, count);
            let devices = problem.device_count();
            let mut placement = vec![0; count];
            let mut found = f64::INFINITY;
            loop {
                let loads = Loads::new(&graph, &placement);
                found = if loads.fits() { found.min(loads.max_load()) } else { found };
                let Some(at) = placement.iter().rposition(|&device| device + 1 < devices) else { break };
                placement[at] += 1;
                placement[at + 1..].fill(0);
            }
            assert!((found / best - 1.0).abs() < 1e-9, "case {case}: {found} of groups, {best} of all");
        }
        assert!(joined > 60, "{joined} joined");
    }
}
