//! First fit of values into the buffers of results: the last buffer that takes a value, without a look into all of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::graph::TensorId;

/// The time a value takes its buffer, in halves of a place in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) tensor: TensorId,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The buffer of one result: what it holds, by start and then in the order in which it went in, no two at the same time.
#[derive(Default)]
struct Buffer(BTreeMap<(usize, usize), Span>);

impl Buffer {
    fn put(&mut self, span: Span) {
        self.0.insert((span.start, self.0.len()), span);
    }

    /// Is a span apart from all held? What is held follows one another, so that only neighbours are asked.
    fn takes(&self, span: Span, apart: impl Fn(Span, Span) -> bool) -> bool {
        let after = (span.start, usize::MAX);
        let mut before = self.0.range(..=after).rev().map(|(_, &held)| held);
        let mut later = self.0.range(after..).map(|(_, &held)| held);
        before.by_ref().take_while(|held| held.end >= span.start).all(|held| apart(held, span))
            && later.by_ref().take_while(|held| held.start <= span.end).all(|held| apart(held, span))
    }

    /// The latest end of a span from `now` on that may be taken, 0 for none, and when there is another answer.
    fn free_until(&self, now: usize) -> (usize, usize) {
        let after = (now, usize::MAX);
        let busy = self.0.range(..=after).next_back().map_or(0, |(_, held)| held.end);
        if busy > now {
            return (0, busy);
        }
        let next = self.0.range(after..).next().map_or(usize::MAX, |(_, held)| held.start);
        (next, next)
    }
}

/// All buffers, in an order of which the last comes first, swept by start: a maximum tree over what [`Buffer::free_until`] says of each.
///
/// Spans that end when others start may share a buffer or not, which their tensors decide; the tree leaves those in.
#[derive(Default)]
pub(super) struct Buffers {
    buffers: Vec<Buffer>,
    /// Leaves from the middle on, one more than there are buffers at least.
    tree: Vec<usize>,
    /// When the leaf of a buffer is out of date.
    events: BinaryHeap<Reverse<(usize, usize)>>,
    now: usize,
}

impl Buffers {
    /// Adds the buffer of a result; its number.
    pub(super) fn add(&mut self, result: Span) -> usize {
        let mut buffer = Buffer::default();
        buffer.put(result);
        self.buffers.push(buffer);
        // The sweep begins again.
        self.tree.clear();
        self.buffers.len() - 1
    }

    /// Puts a span into the buffer of a number if that takes it.
    pub(super) fn put_into(&mut self, number: usize, span: Span, apart: impl Fn(Span, Span) -> bool) -> bool {
        self.sweep(span.start);
        let takes = self.buffers[number].takes(span, apart);
        if takes {
            self.buffers[number].put(span);
            self.look(number);
        }
        takes
    }

    /// Puts a span into the last buffer that takes it; `apart` says whether two spans may share a buffer, the earlier first.
    pub(super) fn put(&mut self, span: Span, apart: impl Fn(Span, Span) -> bool) -> bool {
        self.sweep(span.start);
        let mut below = self.buffers.len();
        while let Some(found) = self.last(below, span.end) {
            if self.buffers[found].takes(span, &apart) {
                self.buffers[found].put(span);
                self.look(found);
                return true;
            }
            below = found;
        }
        false
    }

    /// Brings the tree to a time: from the start on where that lies behind.
    fn sweep(&mut self, to: usize) {
        if self.tree.is_empty() || to < self.now {
            self.now = to;
            self.tree = vec![0; 2 * (self.buffers.len() + 1).next_power_of_two()];
            self.events.clear();
            (0..self.buffers.len()).for_each(|buffer| self.look(buffer));
        }
        self.now = to;
        while let Some(&Reverse((time, buffer))) = self.events.peek()
            && time <= to
        {
            self.events.pop();
            self.look(buffer);
        }
    }

    /// Brings the leaf of a buffer up to date.
    fn look(&mut self, buffer: usize) {
        let (until, change) = self.buffers[buffer].free_until(self.now);
        self.events.push(Reverse((change, buffer)));
        let mut at = self.tree.len() / 2 + buffer;
        self.tree[at] = until;
        while at > 1 {
            at /= 2;
            self.tree[at] = self.tree[2 * at].max(self.tree[2 * at + 1]);
        }
    }

    /// The last buffer before `below` that may take a span up to `end`.
    fn last(&self, below: usize, end: usize) -> Option<usize> {
        let leaves = self.tree.len() / 2;
        let mut at = leaves + below;
        while at > 1 {
            if at % 2 == 1 && self.tree[at - 1] >= end.max(1) {
                at -= 1;
                while at < leaves {
                    at = if self.tree[2 * at + 1] >= end.max(1) { 2 * at + 1 } else { 2 * at };
                }
                return Some(at - leaves);
            }
            at /= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Those that touch share a buffer where the tensors say so, as an op that overwrites does.
    fn apart(one: Span, other: Span) -> bool {
        let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
        first.end < second.start
            || (first.end == second.start && (first.tensor.0 + second.tensor.0).is_multiple_of(2))
    }

    #[test]
    fn a_buffer_takes_what_is_apart_from_all_it_holds() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (mut taken, mut refused) = (0, 0);
        for _ in 0..200 {
            let mut buffer = Buffer::default();
            for tensor in TensorId::first(40) {
                let start = rng.random_range(0..60);
                let end = if tensor == TensorId(0) { usize::MAX } else { start + rng.random_range(0..4) };
                let span = Span { tensor, start, end };
                let all = buffer.0.values().all(|&held| apart(held, span));
                assert_eq!(buffer.takes(span, apart), all, "{span:?}");
                if all {
                    buffer.put(span);
                    taken += 1;
                } else {
                    refused += 1;
                }
            }
        }
        assert!(taken > 1000 && refused > 1000, "{taken} {refused}");
    }

    #[test]
    fn the_sweep_finds_the_buffer_that_a_look_into_all_finds() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        let (mut taken, mut refused) = (0, 0);
        for _ in 0..200 {
            let (mut swept, mut all) = (Buffers::default(), Vec::new());
            let (mut tensors, mut start) = (0.., 0);
            let mut next = || TensorId(tensors.next().unwrap_or_default());
            for _ in 0..120 {
                if all.is_empty() || rng.random_bool(0.1) {
                    let result = Span { tensor: next(), start: rng.random_range(0..90), end: usize::MAX };
                    swept.add(result);
                    let mut buffer = Buffer::default();
                    buffer.put(result);
                    all.push(buffer);
                }
                // On, on the spot, and back to the start where the next size begins.
                start = if rng.random_bool(0.1) { 0 } else { start + rng.random_range(0..3) };
                let span = Span { tensor: next(), start, end: start + rng.random_range(0..6) };
                let found = all.iter_mut().rposition(|buffer| buffer.takes(span, apart));
                if let Some(found) = found {
                    all[found].put(span);
                }
                assert_eq!(swept.put(span, apart), found.is_some(), "{span:?}");
                let held =
                    |buffers: &[Buffer]| buffers.iter().map(|buffer| buffer.0.len()).collect::<Vec<_>>();
                assert_eq!(held(&swept.buffers), held(&all));
                *(if found.is_some() { &mut taken } else { &mut refused }) += 1;
            }
        }
        assert!(taken > 5000 && refused > 5000, "{taken} {refused}");
    }
}
