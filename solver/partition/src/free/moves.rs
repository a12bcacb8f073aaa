//! What may move together, and where to.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::board::GroupId;
use super::state::State;

/// Nets with more ends than this say little about who belongs together.
const WIDE: usize = 16;

/// A device next to the group over one of its nets, or any.
pub(super) fn target(state: &State<'_>, group: GroupId, random: &mut ChaCha8Rng) -> usize {
    let board = state.board();
    let nets = board.nets_of.of(group);
    if !nets.is_empty() && random.random_range(0..4) > 0 {
        let net = nets[random.random_range(0..nets.len())] as usize;
        let ends = board.ends.of(net);
        let end = ends[random.random_range(0..ends.len())] as usize;
        let device = state.device_of(end);
        if device != state.device_of(group) {
            return device;
        }
    }
    random.random_range(0..state.devices())
}

/// Makes `cluster` a group and some of its neighbours on the same device, grown along nets to at most so many. `marked` is false of all groups, before and
/// after.
pub(super) fn grow(
    state: &State<'_>,
    seed: GroupId,
    size: usize,
    (cluster, marked): (&mut Vec<GroupId>, &mut [bool]),
    random: &mut ChaCha8Rng,
) {
    let board = state.board();
    let from = state.device_of(seed);
    cluster.clear();
    cluster.push(seed);
    marked[seed] = true;
    let mut at = 0;
    while at < cluster.len() && cluster.len() < size {
        for &net in board.nets_of.of(cluster[at]) {
            let ends = board.ends.of(net as usize);
            if ends.len() > WIDE || random.random_range(0..5) == 0 {
                continue;
            }
            for &end in ends {
                let end = end as usize;
                if !marked[end] && cluster.len() < size && state.device_of(end) == from {
                    marked[end] = true;
                    cluster.push(end);
                }
            }
        }
        at += 1;
    }
    for &group in &*cluster {
        marked[group] = false;
    }
}
