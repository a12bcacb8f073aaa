//! Contractions that keep at least one optimal plan.

use super::hypergraph::Hypergraph;

/// Merges every group whose only tie is one two-ended net that costs at least the group's own time, wherever
/// the other end may run: moving it to its neighbour never raises a load.
///
/// Let `v` hang on `w` by a net of cost `c`, and `w` be on a device with transfer factor `f`. Moving `v` there
/// adds `time(v)` and saves `f * c`; the device `v` leaves only gains. Memory must not be able to object: the
/// group has no size, or everything fits on one device.
#[must_use]
pub fn merge_pendants(graph: &Hypergraph) -> Hypergraph {
    let mut current = graph.clone();
    loop {
        let total: f64 = current.size_bytes.iter().sum();
        let roomy = current.kinds.iter().filter(|k| k.count > 0).all(|k| k.memory_bytes >= total);
        let mut target: Vec<usize> = (0..current.len()).collect();
        let mut merged = false;
        for v in 0..current.len() {
            let [net] = *current.nets.of(v) else { continue };
            let [a, b] = *current.pins.of(net as usize) else { continue };
            let w = (if a as usize == v { b } else { a }) as usize;
            let only_tied_to_w =
                |list: &[u32]| list.iter().all(|&other| other as usize == w);
            if !only_tied_to_w(current.successors.of(v)) || !only_tied_to_w(current.predecessors.of(v)) {
                continue;
            }
            let cost = current.net_cost[net as usize];
            let harmless = current.kinds.iter().enumerate().filter(|(_, k)| k.count > 0).all(|(k, kind)| {
                current.time(w, k).is_infinite() || current.time(v, k) <= kind.transfer_factor * cost
            });
            // Chains of merges are taken up by the next round: a target must not move itself.
            if harmless && (roomy || current.size_bytes[v] == 0.0) && target[w] == w && target[v] == v {
                let taken = target.iter().enumerate().any(|(g, &t)| t == v && g != v);
                if !taken {
                    target[v] = w;
                    merged = true;
                }
            }
        }
        if !merged {
            return current;
        }
        current = merge(&current, &target);
    }
}

/// Merges the ends of every net that no plan below `value` can cut.
///
/// A cut net is paid by every device with a transfer factor above 0 that holds an end. If at most one device
/// has factor 0, or an end cannot run on such devices below `value`, some paying device holds an end.
#[must_use]
pub fn merge_uncuttable(graph: &Hypergraph, value: f64) -> Hypergraph {
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
