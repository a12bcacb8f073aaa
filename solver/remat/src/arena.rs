//! Addresses for the values of a schedule: one arena, an offset per buffer, as little waste as possible.

use std::collections::{BTreeMap, BinaryHeap};

use ballast_core::graph::OpId;
use ballast_core::limits::Deadline;
use ballast_core::memory::{LiveInterval, NodeId, Problem, Schedule, SwapModel, live_intervals};
use ballast_core::plan::{ArenaBuffer, ArenaPlan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::packing::{Block, lower};

/// A live interval of a value or workspace, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Whose memory it is, and during which steps.
    pub interval: LiveInterval,
    /// Bytes, before alignment.
    pub bytes: u64,
    /// First byte in the arena.
    pub offset: u64,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    /// Every live interval, in order of its first step.
    pub buffers: Vec<Buffer>,
    /// Bytes of the arena.
    pub arena_bytes: u64,
    /// Largest number of bytes live at once, each rounded up to the alignment: no arena is smaller.
    pub live_bytes: u64,
    /// Every offset is a multiple of it, bytes.
    pub alignment_bytes: u64,
}

impl Arena {
    /// The form written into plans; `op` names a node's op.
    #[must_use]
    pub fn plan(&self, op: impl Fn(NodeId) -> OpId) -> ArenaPlan {
        let buffers = self.buffers.iter().map(|&Buffer { interval, bytes, offset }| ArenaBuffer {
            op: op(interval.node),
            workspace: interval.workspace,
            from: interval.from,
            to: interval.to,
            bytes,
            offset,
        });
        ArenaPlan {
            alignment_bytes: self.alignment_bytes,
            arena_bytes: self.arena_bytes,
            live_bytes: self.live_bytes,
            buffers: buffers.collect(),
        }
    }
}

/// Assigns addresses: buffers in order of time, as an allocator does, and by several orders (size, size times life, time), each at the lowest gap that
/// fits or the tightest; the order with the smallest arena is then improved, and of few buffers the smallest arena looked for. It ends with an arena that no other can be smaller than.
///
/// The schedule runs under the cap given: freed memory that a copy still reads is taken until the copy has ended.
///
/// Once the deadline is over no further order is tried.
///
/// # Errors
/// An alignment of zero, or a schedule that the judge refuses.
pub fn assign(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
    alignment: u64,
    deadline: &Deadline,
) -> Result<Arena, String> {
    if alignment == 0 {
        return Err("an alignment of 0: give at least 1".into());
    }
    let buffers = buffers(problem, schedule, swap, cap_bytes)?;
    let round = |bytes: u64| bytes.div_ceil(alignment) * alignment;
    let mut change = vec![0i64; schedule.steps.len() + 2];
    for buffer in &buffers {
        change[buffer.interval.from] += round(buffer.bytes) as i64;
        change[buffer.interval.to] -= round(buffer.bytes) as i64;
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
        by_size,
        |b| (u128::from(b.bytes) * (b.interval.to - b.interval.from) as u128, u128::from(b.bytes)),
        by_life,
        |b| (u128::MAX - b.interval.from as u128, u128::from(b.bytes)),
    ];
    let plain = in_time(&buffers, alignment, live_bytes);
    let orders = if buffers.len() > MOST_SORTED { &[][..] } else { &keys[..] };
    let mut best: Option<(Vec<usize>, Arena)> = None;
    for key in orders {
        for tight in [false, true] {
            let least = best.as_ref().map_or(plain.arena_bytes, |(_, best)| best.arena_bytes);
            if least == live_bytes || deadline.over() {
                break;
            }
            let order = sorted(&buffers, *key);
            let arena = place(&buffers, &order, alignment, tight, live_bytes);
            if best.as_ref().is_none_or(|(_, best)| arena.arena_bytes < best.arena_bytes) {
                best = Some((order, arena));
            }
        }
    }
    let best = best.map(|(order, arena)| improve(order, arena, deadline));
    Ok(lowered(best.filter(|best| best.arena_bytes < plain.arena_bytes).unwrap_or(plain), deadline))
}

/// Bytes of the heap that XLA would make of a schedule's buffers: placed the largest first, or where that takes less the longest, each in the tightest gap (`GlobalDecreasingSizeBestFitHeap`
/// of XLA's heap simulator, of whose two orders its buffer assignment takes the better). Of more buffers than are compared with all others: where each lies in the lowest gap there is then.
///
/// Of equally large ones the longest comes first, in instructions, of which a step may have one or, with the tuples of a barrier, dozens: what is returned is enough for steps of
/// one length, and for all but few of so many drawings of their lengths.
///
/// # Errors
/// A schedule that the judge refuses.
pub(crate) fn heap_bytes(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
    drawings: usize,
) -> Result<u64, String> {
    let buffers = buffers(problem, schedule, swap, cap_bytes)?;
    if buffers.len() > MOST_SORTED {
        return Ok(in_time(&buffers, 1, 0).arena_bytes);
    }
    let heap = |buffers: &[Buffer]| {
        let by = |key| place(buffers, &sorted(buffers, key), 1, true, 0).arena_bytes;
        by(by_size).min(by(by_life))
    };
    let drawings = drawings.min(MOST_DRAWN / buffers.len().pow(2).max(1));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut drawn: Vec<u64> = (0..drawings).map(|_| heap(&stretched(&buffers, &mut rng))).collect();
    drawn.sort_unstable();
    let most = drawn.len().checked_sub(1 + drawings / RARE).map_or(0, |place| drawn[place]);
    Ok(heap(&buffers).max(most))
}

/// Of the lengths drawn one in so many may have a larger heap.
const RARE: usize = 4;
/// Pairs of buffers compared for all lengths drawn.
const MOST_DRAWN: usize = 20_000_000;

/// The same buffers where every step takes a number of instructions that is drawn: most one, some many.
fn stretched(buffers: &[Buffer], rng: &mut ChaCha8Rng) -> Vec<Buffer> {
    let steps = buffers.iter().map(|buffer| buffer.interval.to).max().unwrap_or(0);
    let starts: Vec<usize> = (0..=steps)
        .scan(0, |first, _| {
            *first += if rng.random_bool(0.2) { rng.random_range(1..=MOST_INSTRUCTIONS) } else { 1 };
            Some(*first)
        })
        .collect();
    let mut stretched = buffers.to_vec();
    for LiveInterval { from, to, .. } in stretched.iter_mut().map(|buffer| &mut buffer.interval) {
        (*from, *to) = (starts[*from], starts[*to]);
    }
    stretched
}

/// Most instructions that one step is drawn to have.
const MOST_INSTRUCTIONS: usize = 32;

/// What a schedule under the cap holds, and when, in order of the first step; nowhere yet.
fn buffers(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
) -> Result<Vec<Buffer>, String> {
    let bytes_of = |interval: &LiveInterval| {
        let node = &problem.nodes[interval.node];
        if interval.workspace { node.workspace_bytes } else { node.bytes }
    };
    let intervals = live_intervals(problem, schedule, swap, cap_bytes).map_err(|error| error.to_string())?;
    let at_zero = |interval| Buffer { interval, bytes: bytes_of(&interval), offset: 0 };
    Ok(intervals.into_iter().map(at_zero).collect())
}

/// Buffers the largest first, of equally large ones what lives longest.
fn by_size(buffer: &Buffer) -> (u128, u128) {
    (u128::from(buffer.bytes), (buffer.interval.to - buffer.interval.from) as u128)
}

/// Buffers that live longest first, of those the largest.
fn by_life(buffer: &Buffer) -> (u128, u128) {
    let (bytes, steps) = by_size(buffer);
    (steps, bytes)
}

/// The order of buffers by a key.
fn sorted(buffers: &[Buffer], key: Key) -> Vec<usize> {
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(key(&buffers[index])), index));
    order
}

/// The same buffers in the smallest arena there is, where there are few of them.
fn lowered(mut arena: Arena, deadline: &Deadline) -> Arena {
    let sized: Vec<usize> =
        (0..arena.buffers.len()).filter(|&index| arena.buffers[index].bytes > 0).collect();
    let block = |&index: &usize| {
        let Buffer { interval, bytes, .. } = arena.buffers[index];
        let bytes = bytes.div_ceil(arena.alignment_bytes) * arena.alignment_bytes;
        Block { steps: interval.from..interval.to, bytes }
    };
    let blocks: Vec<Block> = sized.iter().map(block).collect();
    if let Some((offsets, height)) = lower(&blocks, (arena.arena_bytes, arena.live_bytes), deadline) {
        for (index, offset) in std::iter::zip(sized, offsets) {
            arena.buffers[index].offset = offset;
        }
        arena.arena_bytes = height;
    }
    arena
}

/// Places a buffer that reaches the top of the arena earlier, again and again, as long as that is no worse.
fn improve(mut order: Vec<usize>, mut best: Arena, deadline: &Deadline) -> Arena {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let pairs = (order.len() * order.len()).max(1);
    for _ in 0..MOST_IMPROVED.min(MOST_PAIRS / pairs) {
        let reaches = |buffer: &Buffer| {
            buffer.offset + buffer.bytes.div_ceil(best.alignment_bytes) * best.alignment_bytes
                == best.arena_bytes
        };
        let tops: Vec<usize> =
            (0..order.len()).filter(|&place| reaches(&best.buffers[order[place]])).collect();
        if best.arena_bytes <= best.live_bytes || tops.is_empty() || deadline.over() {
            break;
        }
        let from = tops[rng.random_range(0..tops.len())];
        let to = rng.random_range(0..=from);
        order[to..=from].rotate_right(1);
        let tight = rng.random_bool(0.5);
        let arena = place(&best.buffers, &order, best.alignment_bytes, tight, best.live_bytes);
        if arena.arena_bytes <= best.arena_bytes {
            best = arena;
        } else {
            order[to..=from].rotate_left(1);
        }
    }
    best
}

/// Most buffers that are compared with all others, order by order.
const MOST_SORTED: usize = 20_000;
/// Orders tried beyond the sorted ones, and pairs of buffers compared for them.
const MOST_IMPROVED: usize = 3000;
const MOST_PAIRS: usize = 100_000_000;

/// What orders of buffers sort by, largest first.
type Key = fn(&Buffer) -> (u128, u128);

/// Places buffers in order of time, each in the lowest gap there is then: what a plain allocator does, in about as much time as there are buffers.
fn in_time(buffers: &[Buffer], alignment: u64, live_bytes: u64) -> Arena {
    let round = |bytes: u64| bytes.div_ceil(alignment) * alignment;
    let mut buffers = buffers.to_vec();
    let mut order: Vec<usize> = (0..buffers.len()).filter(|&index| buffers[index].bytes > 0).collect();
    order
        .sort_by_key(|&index| (buffers[index].interval.from, std::cmp::Reverse(buffers[index].bytes), index));
    let mut leaving: BinaryHeap<std::cmp::Reverse<(usize, usize)>> = BinaryHeap::new();
    // Gaps below the top, by offset: where each ends.
    let mut gaps: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut top, mut arena_bytes) = (0, 0);
    for index in order {
        let LiveInterval { from, to, .. } = buffers[index].interval;
        while let Some(&std::cmp::Reverse((until, gone))) = leaving.peek()
            && until <= from
        {
            leaving.pop();
            let (mut low, mut high) =
                (buffers[gone].offset, buffers[gone].offset + round(buffers[gone].bytes));
            if let Some((&below, &end)) = gaps.range(..low).next_back()
                && end == low
            {
                gaps.remove(&below);
                low = below;
            }
            high = gaps.remove(&high).unwrap_or(high);
            if high == top {
                top = low;
            } else {
                gaps.insert(low, high);
            }
        }
        let bytes = round(buffers[index].bytes);
        let gap = gaps.iter().find(|&(&low, &high)| high - low >= bytes).map(|(&low, &high)| (low, high));
        let offset = gap.map_or(top, |(low, _)| low);
        match gap {
            Some((low, high)) => {
                gaps.remove(&low);
                if high > low + bytes {
                    gaps.insert(low + bytes, high);
                }
            }
            None => top += bytes,
        }
        buffers[index].offset = offset;
        arena_bytes = arena_bytes.max(offset + bytes);
        leaving.push(std::cmp::Reverse((to, index)));
    }
    Arena { buffers, arena_bytes, live_bytes, alignment_bytes: alignment }
}

/// Places buffers one by one, each in the lowest or the tightest gap between those it meets in time.
fn place(buffers: &[Buffer], order: &[usize], alignment: u64, tight: bool, live_bytes: u64) -> Arena {
    let round = |bytes: u64| bytes.div_ceil(alignment) * alignment;
    let mut buffers = buffers.to_vec();
    let mut placed: Vec<usize> = Vec::with_capacity(order.len());
    let mut arena_bytes = 0;
    for &index in order {
        let LiveInterval { from, to, .. } = buffers[index].interval;
        let bytes = round(buffers[index].bytes);
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .map(|&other| &buffers[other])
            .filter(|other| other.interval.from < to && from < other.interval.to && other.bytes > 0)
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
    Arena { buffers, arena_bytes, live_bytes, alignment_bytes: alignment }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballast_core::memory::{CompactPlan, Node, Step, expand};

    fn check(arena: &Arena) {
        for (index, a) in arena.buffers.iter().enumerate() {
            assert!(a.offset % 16 == 0 && a.offset + a.bytes <= arena.arena_bytes);
            for b in &arena.buffers[index + 1..] {
                let in_time = a.interval.from < b.interval.to && b.interval.from < a.interval.to;
                let in_space = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
                assert!(!(in_time && in_space), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn buffers_that_meet_in_time_do_not_meet_in_space() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut arena_total, mut live_total) = (0, 0);
        for _ in 0..60 {
            let n = rng.random_range(2..40);
            let nodes = (0..n)
                .map(|id| {
                    let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(0.15)).collect();
                    let mut node = Node::new(format!("n{id}"), 1.0, rng.random_range(0..500), inputs);
                    node.workspace_bytes = rng.random_range(0..20);
                    node
                })
                .collect();
            let problem = Problem { name: "random".into(), nodes, resident_bytes: 0 };
            let schedule = expand(&problem, &CompactPlan::default()).unwrap();
            let arena = assign(&problem, &schedule, None, None, 16, &Deadline::after(None)).unwrap();
            // Without time it is the one of a plain allocator.
            let hasty = assign(&problem, &schedule, None, None, 16, &Deadline::after(Some(0.0))).unwrap();
            assert!(arena.arena_bytes <= hasty.arena_bytes);
            check(&hasty);
            check(&arena);
            assert!(arena.arena_bytes >= arena.live_bytes && arena.live_bytes >= problem.unplanned_peak());
            arena_total += arena.arena_bytes;
            live_total += arena.live_bytes;
        }
        assert!(arena_total as f64 <= 1.03 * live_total as f64, "{arena_total} for {live_total} live");
    }

    #[test]
    fn a_heap_that_is_filled_by_size_has_gaps() {
        // By size a and e lie below, c on them, b on c; d meets c, b and e, and lies on top. By life it is c, b, d and then a, and e lies on d.
        let sizes_and_inputs = [(2, vec![]), (1, vec![]), (1, vec![0]), (1, vec![1]), (2, vec![2, 3])];
        let nodes = sizes_and_inputs.into_iter().map(|(bytes, inputs)| Node::new("n", 1.0, bytes, inputs));
        let problem = Problem { name: "gaps".into(), nodes: nodes.collect(), resident_bytes: 0 };
        let schedule = expand(&problem, &CompactPlan::default()).unwrap();
        let least = assign(&problem, &schedule, None, None, 1, &Deadline::after(None)).unwrap();
        assert_eq!((least.live_bytes, least.arena_bytes), (4, 4));
        assert_eq!(heap_bytes(&problem, &schedule, None, None, 0), Ok(5));
        assert!(
            heap_bytes(&problem, &Schedule { steps: vec![Step::Free(NodeId(0))] }, None, None, 0).is_err()
        );
    }

    #[test]
    fn lengths_of_steps_are_known_only_about() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut larger = 0;
        for _ in 0..40 {
            let n = rng.random_range(10..40);
            let nodes = (0..n).map(|id: usize| {
                let inputs: Vec<usize> =
                    (id.saturating_sub(8)..id).filter(|_| rng.random_bool(0.3)).collect();
                Node::new(format!("n{id}"), 1.0, 64, inputs)
            });
            let problem = Problem { name: "equal".into(), nodes: nodes.collect(), resident_bytes: 0 };
            let schedule = expand(&problem, &CompactPlan::default()).unwrap();
            let heap = |drawings| heap_bytes(&problem, &schedule, None, None, drawings).unwrap();
            let (one_length, drawn) = (heap(0), heap(32));
            assert!(drawn >= one_length && drawn == heap(32));
            larger += usize::from(drawn > one_length);
        }
        assert!((5..40).contains(&larger), "{larger}");
    }

    #[test]
    fn broken_schedules_are_refused() {
        let problem =
            Problem { name: "one".into(), nodes: vec![Node::new("a", 1.0, 8, vec![])], resident_bytes: 0 };
        let steps = |steps: &[Step]| {
            assign(&problem, &Schedule { steps: steps.to_vec() }, None, None, 4, &Deadline::after(None))
        };
        assert!(steps(&[Step::Free(NodeId(0))]).is_err());
        assert!(steps(&[Step::Compute(NodeId(0)), Step::Compute(NodeId(0))]).is_err());
        assert!(steps(&[Step::Compute(NodeId(3))]).is_err());
        assert!(assign(&problem, &Schedule::default(), None, None, 0, &Deadline::after(None)).is_err());
        assert_eq!(steps(&[Step::Compute(NodeId(0))]).unwrap().arena_bytes, 8);
    }
}
