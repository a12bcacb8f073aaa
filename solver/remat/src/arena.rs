//! Addresses for the values of a schedule: one arena, an offset per buffer, as little waste as possible.

use ballast_core::memory::{NodeId, Problem, Schedule, Step};

/// One stay of a value on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The node whose value it is, or whose workspace.
    pub node: NodeId,
    /// Is it the node's workspace rather than its value?
    pub workspace: bool,
    /// Step that needs it first.
    pub from: usize,
    /// First step that needs it no more.
    pub to: usize,
    /// Bytes, before alignment.
    pub bytes: u64,
    /// First byte in the arena.
    pub offset: u64,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    /// Every stay on the device, in order of its first step.
    pub buffers: Vec<Buffer>,
    /// Bytes of the arena.
    pub arena_bytes: u64,
    /// Largest number of bytes live at once, each rounded up to the alignment: no arena is smaller.
    pub live_bytes: u64,
}

/// Assigns addresses: buffers by several orders (size, size times life, time), each at the lowest gap that fits or
/// the tightest; the smallest arena wins.
///
/// Frees take effect in the order of steps; a buffer whose copy to the host overlaps later steps counts as free
/// once freed, so that arenas are for schedules whose frees wait for copies.
///
/// # Errors
/// An alignment of zero, or a schedule that frees or copies what is not there.
pub fn assign(problem: &Problem, schedule: &Schedule, alignment: u64) -> Result<Arena, String> {
    if alignment == 0 {
        return Err("an alignment of 0: give at least 1".into());
    }
    let buffers = buffers(problem, schedule)?;
    let round = |bytes: u64| bytes.div_ceil(alignment) * alignment;
    let mut change = vec![0i64; schedule.steps.len() + 2];
    for buffer in &buffers {
        change[buffer.from] += round(buffer.bytes) as i64;
        change[buffer.to] -= round(buffer.bytes) as i64;
    }
    let mut live = 0i64;
    let live_bytes = change
        .iter()
        .map(|c| {
            live += c;
            live
        })
        .max()
        .unwrap_or(0) as u64;
    let keys: [Key; 4] = [
        |b| (u128::from(b.bytes), (b.to - b.from) as u128),
        |b| (u128::from(b.bytes) * (b.to - b.from) as u128, u128::from(b.bytes)),
        |b| ((b.to - b.from) as u128, u128::from(b.bytes)),
        |b| (u128::MAX - b.from as u128, u128::from(b.bytes)),
    ];
    let mut best: Option<Arena> = None;
    for key in keys {
        for tight in [false, true] {
            let mut order: Vec<usize> = (0..buffers.len()).collect();
            order.sort_by_key(|&index| (std::cmp::Reverse(key(&buffers[index])), index));
            let arena = place(&buffers, &order, round, tight, live_bytes);
            if best.as_ref().is_none_or(|best| arena.arena_bytes < best.arena_bytes) {
                best = Some(arena);
            }
            if best.as_ref().is_some_and(|best| best.arena_bytes == live_bytes) {
                break;
            }
        }
    }
    best.ok_or_else(|| "no order was tried".into())
}

/// What orders of buffers sort by, largest first.
type Key = fn(&Buffer) -> (u128, u128);

fn buffers(problem: &Problem, schedule: &Schedule) -> Result<Vec<Buffer>, String> {
    let mut open: Vec<Option<usize>> = vec![None; problem.nodes.len()];
    let mut buffers: Vec<Buffer> = Vec::new();
    for (step, &what) in schedule.steps.iter().enumerate() {
        match what {
            Step::Compute(node) | Step::SwapIn(node) => {
                let values = problem.nodes.get(node).ok_or_else(|| format!("step {step}: no node {node}"))?;
                if open[node].is_some() {
                    return Err(format!("step {step}: node {node} is there already"));
                }
                open[node] = Some(buffers.len());
                let end = schedule.steps.len();
                let buffer =
                    Buffer { node, workspace: false, from: step, to: end, bytes: values.bytes, offset: 0 };
                buffers.push(buffer.clone());
                if matches!(what, Step::Compute(_)) && values.workspace_bytes > 0 {
                    buffers.push(Buffer {
                        workspace: true,
                        to: step + 1,
                        bytes: values.workspace_bytes,
                        ..buffer
                    });
                }
            }
            Step::Free(node) => {
                let index = open.get_mut(node).and_then(Option::take);
                let index = index.ok_or_else(|| format!("step {step}: node {node} is not there"))?;
                buffers[index].to = step;
            }
            Step::SwapOut(_) | Step::HostFree(_) => {}
        }
    }
    Ok(buffers)
}

/// Places buffers one by one, each in the lowest or the tightest gap between those it meets in time.
fn place(
    buffers: &[Buffer],
    order: &[usize],
    round: impl Fn(u64) -> u64,
    tight: bool,
    live_bytes: u64,
) -> Arena {
    let mut buffers = buffers.to_vec();
    let mut placed: Vec<usize> = Vec::with_capacity(order.len());
    let mut arena_bytes = 0;
    for &index in order {
        let (from, to, bytes) = (buffers[index].from, buffers[index].to, round(buffers[index].bytes));
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .map(|&other| &buffers[other])
            .filter(|other| other.from < to && from < other.to && other.bytes > 0)
            .map(|other| (other.offset, other.offset + round(other.bytes)))
            .collect();
        taken.sort_unstable();
        let mut end = 0;
        let mut choice: Option<(u64, u64)> = None;
        for (low, high) in taken {
            if low >= end + bytes && choice.is_none_or(|(gap, _)| tight && low - end < gap) {
                choice = Some((low - end, end));
            }
            end = end.max(high);
        }
        let offset = choice.map_or(end, |(_, offset)| offset);
        buffers[index].offset = offset;
        arena_bytes = arena_bytes.max(offset + bytes);
        placed.push(index);
    }
    Arena { buffers, arena_bytes, live_bytes }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{CompactPlan, Node, expand};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn buffers_that_meet_in_time_do_not_meet_in_space() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut arena_total, mut live_total) = (0, 0);
        for _ in 0..60 {
            let n = rng.random_range(2..40);
            let nodes = (0..n)
                .map(|id| {
                    let inputs = (0..id).filter(|_| rng.random_bool(0.15)).collect();
                    let mut node = Node::new(format!("n{id}"), 1.0, rng.random_range(0..500), inputs);
                    node.workspace_bytes = rng.random_range(0..20);
                    node
                })
                .collect();
            let problem = Problem { name: "random".into(), nodes, resident_bytes: 0 };
            let schedule = expand(&problem, &CompactPlan::default()).unwrap();
            let arena = assign(&problem, &schedule, 16).unwrap();
            for (index, a) in arena.buffers.iter().enumerate() {
                assert!(a.offset % 16 == 0 && a.offset + a.bytes <= arena.arena_bytes);
                for b in &arena.buffers[index + 1..] {
                    let in_time = a.from < b.to && b.from < a.to;
                    let in_space = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
                    assert!(!(in_time && in_space), "{a:?} and {b:?}");
                }
            }
            assert!(arena.arena_bytes >= arena.live_bytes && arena.live_bytes >= problem.unplanned_peak());
            arena_total += arena.arena_bytes;
            live_total += arena.live_bytes;
        }
        assert!(arena_total as f64 <= 1.1 * live_total as f64, "{arena_total} for {live_total} live");
    }

    #[test]
    fn broken_schedules_are_refused() {
        let problem =
            Problem { name: "one".into(), nodes: vec![Node::new("a", 1.0, 8, vec![])], resident_bytes: 0 };
        let steps = |steps: &[Step]| assign(&problem, &Schedule { steps: steps.to_vec() }, 4);
        assert!(steps(&[Step::Free(0)]).is_err());
        assert!(steps(&[Step::Compute(0), Step::Compute(0)]).is_err());
        assert!(steps(&[Step::Compute(3)]).is_err());
        assert!(assign(&problem, &Schedule::default(), 0).is_err());
        assert_eq!(steps(&[Step::Compute(0)]).unwrap().arena_bytes, 8);
    }
}
