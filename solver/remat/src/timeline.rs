//! Incremental simulation of a plan: insert or remove one recompute, and time, memory and excess follow.
//!
//! Every value is freed after its last use before it is made anew. Steps carry keys that do not change when
//! others come and go: position and, within it, the recomputes by round and the caller's numbering before the first run.
//! One edit costs the lengths of the lifetimes it changes, so a search may try millions.

use crate::lanes::shift;
use crate::program::{Again, MOST_ROUNDS, NODE_BITS, Program, Slot};

/// Place of a step: position in the upper half; in the lower the round and the caller's number of the node
/// recomputed, or [`FIRST`] for the first run.
pub(crate) type Key = u64;

const FIRST: u64 = u32::MAX as u64;

/// Key of a first run.
pub(crate) fn first(position: Slot) -> Key {
    u64::from(position) << 32 | FIRST
}

/// Position a step belongs to.
pub(crate) fn position(key: Key) -> Slot {
    (key >> 32) as Slot
}

/// Round of a recompute.
pub(crate) fn round(key: Key) -> u32 {
    (key & FIRST) as u32 >> NODE_BITS
}

/// Is the step a first run?
pub(crate) fn is_first(key: Key) -> bool {
    key & FIRST == FIRST
}

/// A plan with its memory, kept up to date.
#[derive(Clone)]
pub(crate) struct Timeline<'a> {
    pub(crate) program: &'a Program,
    /// Slot of the caller's node number.
    slot_of: Vec<Slot>,
    /// Bytes at each first run.
    first_bytes: Vec<f64>,
    /// Keys of the recomputes, ascending, and bytes at each.
    again: Vec<Key>,
    again_bytes: Vec<f64>,
    /// Steps that make each value, ascending; the first run leads.
    runs: Vec<Vec<Key>>,
    /// Steps that read each value, ascending.
    uses: Vec<Vec<Key>>,
    /// Time of the recomputes.
    pub(crate) extra_time: f64,
    /// Sum over all steps of the bytes above the cap.
    pub(crate) excess: f64,
}

/// One made copy of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Step that makes it.
    pub(crate) start: Key,
    /// Last step that reads it; the start if none does.
    pub(crate) end: Key,
}

impl<'a> Timeline<'a> {
    /// The plan without any recompute.
    pub(crate) fn new(program: &'a Program) -> Self {
        let n = program.len();
        let mut slot_of = vec![0; n];
        for (slot, &node) in program.original.iter().enumerate() {
            slot_of[node] = slot as Slot;
        }
        let first_bytes = program.unplanned();
        let excess = first_bytes.iter().map(|&bytes| (bytes - program.cap).max(0.0)).sum();
        Timeline {
            program,
            slot_of,
            first_bytes,
            again: Vec::new(),
            again_bytes: Vec::new(),
            runs: (0..n).map(|slot| vec![first(slot as Slot)]).collect(),
            uses: (0..n)
                .map(|slot| program.readers(slot as Slot).iter().map(|&reader| first(reader)).collect())
                .collect(),
            extra_time: 0.0,
            excess,
        }
    }

    /// Key of the recompute of `slot` before `position`.
    pub(crate) fn key(&self, position: Slot, round: u32, slot: Slot) -> Key {
        u64::from(position) << 32
            | u64::from(round) << NODE_BITS
            | self.program.original[slot as usize] as u64
    }

    /// Node that runs at a step.
    pub(crate) fn node(&self, key: Key) -> Slot {
        if is_first(key) { position(key) } else { self.slot_of[(key & ((1 << NODE_BITS) - 1)) as usize] }
    }

    /// Keys of the recomputes, ascending.
    pub(crate) fn again(&self) -> &[Key] {
        &self.again
    }

    /// The recomputes as a plan.
    pub(crate) fn plan(&self) -> Vec<Again> {
        let again = |&key: &Key| Again { position: position(key), round: round(key), slot: self.node(key) };
        self.again.iter().map(again).collect()
    }

    /// Removes every recompute and inserts those of a plan.
    pub(crate) fn load(&mut self, plan: &[Again]) {
        let mut wanted: Vec<Key> = plan.iter().map(|a| self.key(a.position, a.round, a.slot)).collect();
        wanted.sort_unstable();
        let gone: Vec<Key> =
            self.again.iter().copied().filter(|key| wanted.binary_search(key).is_err()).collect();
        for key in gone {
            self.remove(key);
        }
        for key in wanted {
            if !self.holds(key) {
                self.insert(key);
            }
        }
        self.extra_time = self.again.iter().map(|&key| self.program.time[self.node(key) as usize]).sum();
    }

    /// Rounds that a further recompute at a position may choose from: those in use and one more.
    pub(crate) fn rounds_at(&self, at: Slot) -> u32 {
        let after = self.again.partition_point(|&key| key < first(at));
        match after.checked_sub(1).map(|last| self.again[last]) {
            Some(key) if position(key) == at => (round(key) + 2).min(MOST_ROUNDS),
            _ => 1,
        }
    }

    /// Is there a recompute with this key?
    pub(crate) fn holds(&self, key: Key) -> bool {
        self.again.binary_search(&key).is_ok()
    }

    /// Bytes at each first run.
    pub(crate) fn first_bytes(&self) -> &[f64] {
        &self.first_bytes
    }

    /// Bytes at the recompute of that index in [`Timeline::again`].
    pub(crate) fn again_bytes(&self) -> &[f64] {
        &self.again_bytes
    }

    /// The copy of a value made last before `key`, none if it has not run by then.
    pub(crate) fn span_before(&self, slot: Slot, key: Key) -> Option<Span> {
        let runs = &self.runs[slot as usize];
        let after = runs.partition_point(|&run| run < key);
        let start = *runs.get(after.checked_sub(1)?)?;
        let until = runs.get(after).copied().unwrap_or(Key::MAX);
        Some(Span { start, end: self.last_use(slot, start, until) })
    }

    /// The copy made at exactly this step.
    pub(crate) fn span_at(&self, slot: Slot, start: Key) -> Span {
        let runs = &self.runs[slot as usize];
        let after = runs.partition_point(|&run| run <= start);
        let until = runs.get(after).copied().unwrap_or(Key::MAX);
        Span { start, end: self.last_use(slot, start, until) }
    }

    /// First step after `key` that reads the value.
    pub(crate) fn next_use(&self, slot: Slot, key: Key) -> Option<Key> {
        let uses = &self.uses[slot as usize];
        uses.get(uses.partition_point(|&at| at <= key)).copied()
    }

    /// Last step between `start` and `until` that reads the value, or `start`.
    fn last_use(&self, slot: Slot, start: Key, until: Key) -> Key {
        let uses = &self.uses[slot as usize];
        let after = uses.partition_point(|&at| at < until);
        match after.checked_sub(1) {
            Some(last) if uses[last] > start => uses[last],
            _ => start,
        }
    }

    /// Adds bytes at every step strictly between two keys.
    fn add(&mut self, after: Key, before: Key, bytes: f64) {
        let low = position(after) as usize + usize::from(is_first(after));
        let high = position(before) as usize;
        let cap = self.program.cap;
        let mut change = 0.0;
        if low < high {
            change += shift(&mut self.first_bytes[low..high], bytes, cap);
        }
        if !self.again.is_empty() {
            let low = self.again.partition_point(|&key| key <= after);
            let high = low + self.again[low..].partition_point(|&key| key < before);
            change += shift(&mut self.again_bytes[low..high], bytes, cap);
        }
        self.excess += change;
    }

    /// Bytes live on entering the next step at or after `key`.
    fn entering(&self, key: Key, index: usize) -> f64 {
        let first_next = position(key);
        let (node, bytes) = match self.again.get(index) {
            Some(&next) if position(next) == first_next => (self.node(next), self.again_bytes[index]),
            _ => (first_next, self.first_bytes[first_next as usize]),
        };
        bytes - self.program.size[node as usize] - self.program.workspace[node as usize]
    }

    /// Inserts a recompute that is not there yet, of a value that has run before.
    pub(crate) fn insert(&mut self, key: Key) {
        let program = self.program;
        let slot = self.node(key);
        let size = program.size[slot as usize];
        let index = self.again.partition_point(|&other| other < key);
        let mut bytes = self.entering(key, index) + size + program.workspace[slot as usize];
        if let Some(old) = self.span_before(slot, key)
            && old.end > key
        {
            let end = self.last_use(slot, old.start, key);
            self.add(end, key, -size);
            bytes -= size;
        }
        let runs = &mut self.runs[slot as usize];
        runs.insert(runs.partition_point(|&run| run < key), key);
        for &input in program.inputs(slot) {
            if let Some(span) = self.span_before(input, key)
                && span.end < key
            {
                self.add(span.end, key, program.size[input as usize]);
                bytes += program.size[input as usize];
            }
            let uses = &mut self.uses[input as usize];
            uses.insert(uses.partition_point(|&at| at < key), key);
        }
        self.again.insert(index, key);
        self.again_bytes.insert(index, bytes);
        self.excess += (bytes - program.cap).max(0.0);
        self.extra_time += program.time[slot as usize];
    }

    /// Removes a recompute; its readers fall back on the copy made before.
    pub(crate) fn remove(&mut self, key: Key) {
        let program = self.program;
        let slot = self.node(key);
        let Ok(index) = self.again.binary_search(&key) else { return };
        self.excess -= (self.again_bytes[index] - program.cap).max(0.0);
        self.again.remove(index);
        self.again_bytes.remove(index);
        let span = self.span_at(slot, key);
        if span.end > key
            && let Some(old) = self.span_before(slot, key)
        {
            self.add(old.end, key, program.size[slot as usize]);
        }
        let runs = &mut self.runs[slot as usize];
        runs.remove(runs.partition_point(|&run| run < key));
        for &input in program.inputs(slot) {
            let uses = &mut self.uses[input as usize];
            uses.remove(uses.partition_point(|&at| at < key));
            // Before the removal the copy lived at least to `key`.
            if let Some(old) = self.span_before(input, key)
                && old.end < key
            {
                self.add(old.end, key, -program.size[input as usize]);
            }
        }
        self.extra_time -= program.time[slot as usize];
    }

    /// Is the copy made by this recompute read by nobody?
    pub(crate) fn idle(&self, key: Key) -> bool {
        let slot = self.node(key);
        self.span_at(slot, key).end == key
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem, expand, replay};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::program::Plan;

    fn random_problem(rng: &mut ChaCha8Rng) -> Problem {
        let n = rng.random_range(3..25);
        let nodes = (0..n)
            .map(|id| {
                let inputs = (0..id).filter(|_| rng.random_bool(0.2)).collect();
                let mut node = Node::new(
                    format!("n{id}"),
                    rng.random_range(0..9) as f64,
                    rng.random_range(0..50),
                    inputs,
                );
                node.workspace_bytes = rng.random_range(0..4);
                node.keep = rng.random_bool(0.1);
                node
            })
            .collect();
        Problem { name: "random".into(), nodes, resident_bytes: 0 }
    }

    /// Peak, time and excess of a plan, from the judge.
    fn judged(problem: &Problem, program: &Program, line: &Timeline<'_>) -> (f64, f64, f64) {
        let plan = program.compact(&Plan::recomputing(&line.plan()));
        let result = replay(problem, &expand(problem, &plan).unwrap(), None, None).unwrap();
        let excess = result.timeline.iter().map(|&(_, bytes)| (bytes as f64 - program.cap).max(0.0)).sum();
        (result.peak_bytes as f64, result.recompute_time, excess)
    }

    #[test]
    fn random_edits_agree_with_the_judge() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..200 {
            let problem = random_problem(&mut rng);
            let cap = problem.unplanned_peak() * 3 / 4;
            let program = Program::new(&problem, None, cap).with_rounds(true);
            let mut line = Timeline::new(&program);
            for _ in 0..40 {
                let position = rng.random_range(1..program.len() as Slot);
                let slot = rng.random_range(0..position);
                let key = line.key(position, rng.random_range(0..3), slot);
                if line.holds(key) {
                    line.remove(key)
                } else {
                    line.insert(key)
                }
                // The sink adds a step of its own that holds no more than the step before it.
                let sink = if program.len() > program.real { line.first_bytes()[program.real] } else { 0.0 };
                let (peak, time, excess) = judged(&problem, &program, &line);
                let own_excess = line.excess - (sink - program.cap).max(0.0);
                let highest =
                    line.first_bytes().iter().chain(line.again_bytes()).copied().fold(0.0, f64::max);
                assert_eq!((highest, line.extra_time, own_excess), (peak, time, excess));
            }
        }
    }
}
