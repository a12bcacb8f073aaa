//! Whether the buffers of an arena lie where nothing else does.

use std::collections::BTreeMap;

use crate::graph::OpId;
use crate::memory::{LiveInterval, NodeId, Problem};
use crate::plan::{ArenaBuffer, ArenaPlan};

/// Checks an arena against the stays of a schedule's values and workspaces, in order of their first step; `op` names a node's op.
///
/// # Errors
/// Buffers that are not those stays, or that share memory at a time, or sizes that are not those of the buffers.
pub fn check(
    arena: &ArenaPlan,
    problem: &Problem,
    stays: &[LiveInterval],
    op: impl Fn(NodeId) -> OpId,
) -> Result<(), String> {
    let alignment = arena.alignment_bytes;
    if alignment == 0 {
        return Err("its arena has an alignment of 0".to_owned());
    }
    let found = stays.iter().map(|stay| {
        let node = &problem.nodes[stay.node];
        let bytes = if stay.workspace { node.workspace_bytes } else { node.bytes };
        (op(stay.node), stay.workspace, stay.from, stay.to, bytes)
    });
    let written = arena.buffers.iter().map(|b| (b.op, b.workspace, b.from, b.to, b.bytes));
    if !found.eq(written) {
        return Err("the buffers of its arena are not what its schedule holds".to_owned());
    }
    let too_large = || "its arena has more than 2^64 bytes".to_owned();
    let mut ends = Vec::with_capacity(arena.buffers.len());
    for buffer in &arena.buffers {
        if !buffer.offset.is_multiple_of(alignment) {
            return Err(format!(
                "the offset {} in its arena is no multiple of {alignment}, its alignment",
                buffer.offset
            ));
        }
        let size = buffer.bytes.checked_next_multiple_of(alignment).ok_or_else(too_large)?;
        ends.push(buffer.offset.checked_add(size).ok_or_else(too_large)?);
    }
    let live = most_live(&arena.buffers, &ends)?;
    let top = ends.iter().copied().max().unwrap_or(0);
    for (what, found, written) in
        [("arena_bytes", top, arena.arena_bytes), ("live_bytes", live, arena.live_bytes)]
    {
        if found != written {
            return Err(format!("its {what} is {found}, and the file says {written}"));
        }
    }
    Ok(())
}

/// Most bytes live at once, where no two buffers meet; `ends`: the first byte behind each.
fn most_live(buffers: &[ArenaBuffer], ends: &[u64]) -> Result<u64, String> {
    let sized = || (0..buffers.len()).filter(|&buffer| ends[buffer] > buffers[buffer].offset);
    let mut leaving: Vec<usize> = sized().collect();
    leaving.sort_by_key(|&buffer| buffers[buffer].to);
    let mut leaving = leaving.into_iter().peekable();
    // The buffers there are, by offset.
    let mut here: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut live, mut most) = (0, 0);
    for new in sized() {
        let ArenaBuffer { from, offset, .. } = buffers[new];
        while let Some(gone) = leaving.next_if(|&gone| buffers[gone].to <= from) {
            // What ends where it starts takes no memory, and was never there.
            if here.get(&buffers[gone].offset) == Some(&gone) {
                here.remove(&buffers[gone].offset);
                live -= ends[gone] - buffers[gone].offset;
            }
        }
        if buffers[new].to <= from {
            continue;
        }
        let met = here.range(..ends[new]).next_back().map(|(_, &other)| other);
        if let Some(other) = met.filter(|&other| ends[other] > offset) {
            let (one, other) = (buffers[other].op, buffers[new].op);
            return Err(format!("in its arena the buffers of ops {one} and {other} overlap at step {from}"));
        }
        here.insert(offset, new);
        // Disjoint, so that the sum is at most the end of the last.
        live += ends[new] - offset;
        most = most.max(live);
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{CompactPlan, Node, expand, live_intervals};

    /// a (4 bytes) is read by b (8), b by c (4): a and c may share memory.
    fn chain() -> (Problem, Vec<LiveInterval>) {
        let nodes = vec![
            Node::new("a", 1.0, 4, vec![]),
            Node::new("b", 1.0, 8, vec![0]),
            Node::new("c", 1.0, 4, vec![1]),
        ];
        let problem = Problem { name: "chain".into(), nodes, resident_bytes: 0 };
        let schedule = expand(&problem, &CompactPlan::default()).expect("a schedule");
        let stays = live_intervals(&problem, &schedule, None, None).expect("stays");
        (problem, stays)
    }

    fn arena(offsets: [u64; 3], sizes: (u64, u64)) -> Result<(), String> {
        let (problem, stays) = chain();
        let op = |node: NodeId| OpId(node.0);
        let buffers = stays.iter().zip(offsets).map(|(stay, offset)| ArenaBuffer {
            op: op(stay.node),
            workspace: stay.workspace,
            from: stay.from,
            to: stay.to,
            bytes: problem.nodes[stay.node].bytes,
            offset,
        });
        let (arena_bytes, live_bytes) = sizes;
        let arena = ArenaPlan { alignment_bytes: 4, arena_bytes, live_bytes, buffers: buffers.collect() };
        check(&arena, &problem, &stays, op)
    }

    #[test]
    fn buffers_share_memory_only_at_different_times() {
        assert_eq!(arena([0, 4, 0], (12, 12)), Ok(()));
        assert_eq!(arena([8, 0, 12], (16, 12)), Ok(()), "not packed tightly");
        for (offsets, part) in [
            ([0, 0, 0], "overlap"),
            ([0, 4, 8], "overlap"),
            ([4, 0, 8], "overlap"),
            ([0, 2, 0], "no multiple"),
            ([u64::MAX - 3, 4, 0], "2^64"),
        ] {
            let refused = arena(offsets, (12, 12)).expect_err(part);
            assert!(refused.contains(part), "{offsets:?}: {refused}");
        }
        assert!(arena([0, 4, 0], (8, 12)).is_err_and(|text| text.contains("arena_bytes")));
        assert!(arena([0, 4, 0], (12, 8)).is_err_and(|text| text.contains("live_bytes")));
    }
}
