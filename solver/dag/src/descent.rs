//! Steepest-descent moves of single groups that keep a contiguous plan contiguous.

use crate::hypergraph::{GroupId, Hypergraph};
use crate::loads::Loads;

/// Sweeps over the groups, moving each to the device that lowers the loads most, until nothing improves.
///
/// Stages keep their place in the pipeline: a group may go to a device only if no forward arc then leads back.
/// Loads are compared by the larger of the two devices that change, then by their sum; a cap that is kept stays
/// kept. `go_on` is asked before every sweep.
#[must_use]
pub fn descend(
    graph: &Hypergraph,
    placement: &[usize],
    movable: impl Fn(GroupId) -> bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<usize> {
    let mut loads = Loads::new(graph, placement);
    let rank = stage_ranks(graph, placement, loads.devices());
    let mut improved = true;
    while improved && go_on() {
        improved = false;
        for group in (0..graph.len()).filter(|&g| movable(g)) {
            let from = loads.device_of(group);
            let after = |list: &[u32]| list.iter().map(|&p| rank[loads.device_of(p as usize)]).max();
            let before = |list: &[u32]| list.iter().map(|&p| rank[loads.device_of(p as usize)]).min();
            let lowest = after(graph.predecessors.of(group)).unwrap_or(0);
            let highest = before(graph.successors.of(group)).unwrap_or(usize::MAX);
            let mut best = None;
            for to in targets(&loads, group).into_iter().filter(|&to| to != from && loads.runs(group, to)) {
                let bytes = loads.bytes()[to] + graph.size_bytes[group];
                if rank[to] < lowest || rank[to] > highest || loads.excess_bytes(to, bytes) > 0.0 {
                    continue;
                }
                let (on_from, on_to) = loads.change(group, to);
                let (old_from, old_to) = (loads.load()[from], loads.load()[to]);
                let old = (old_from.max(old_to), old_from + old_to);
                let new = ((old_from + on_from).max(old_to + on_to), old.1 + on_from + on_to);
                let gain = (old.0 - new.0, old.1 - new.1);
                let tiny = old.0 * 1e-12;
                let better = gain.0 > tiny || (gain.0 > -tiny && gain.1 > tiny);
                if better && best.is_none_or(|(_, held)| gain > held) {
                    best = Some((to, gain));
                }
            }
            if let Some((to, _)) = best {
                loads.relocate(group, to);
                improved = true;
            }
        }
        loads.recount();
    }
    loads.placement()
}

/// All devices if they are few, else those a net of the group has an end on.
fn targets(loads: &Loads<'_>, group: GroupId) -> Vec<usize> {
    const FEW: usize = 10;
    if loads.devices() <= FEW {
        return (0..loads.devices()).collect();
    }
    let graph = loads.graph();
    let nets = graph.nets.of(group).iter().map(|&net| graph.pins.of(net as usize));
    let mut found: Vec<usize> =
        nets.filter(|pins| pins.len() <= 64).flatten().map(|&pin| loads.device_of(pin as usize)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The place of every device in the pipeline a contiguous placement forms.
fn stage_ranks(graph: &Hypergraph, placement: &[usize], devices: usize) -> Vec<usize> {
    let mut arcs: Vec<(usize, usize)> = (0..graph.len())
        .flat_map(|g| graph.successors.of(g).iter().map(move |&to| (placement[g], placement[to as usize])))
        .filter(|(from, to)| from != to)
        .collect();
    arcs.sort_unstable();
    arcs.dedup();
    let mut waiting = vec![0usize; devices];
    for &(_, to) in &arcs {
        waiting[to] += 1;
    }
    let mut rank = vec![0; devices];
    let mut ready: std::collections::VecDeque<usize> = (0..devices).filter(|&d| waiting[d] == 0).collect();
    let mut next = 0;
    while let Some(device) = ready.pop_front() {
        rank[device] = next;
        next += 1;
        for &(_, to) in arcs.iter().filter(|&&(from, _)| from == device) {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    rank
}
