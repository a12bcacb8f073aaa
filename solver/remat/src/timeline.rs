//! Incremental simulation of a plan: insert or remove one recompute or copy, and time, memory and excess follow.
//!
//! Every value is freed after its last use before it is made anew. Steps carry keys that do not change when
//! others come and go: position and, within it, copies to the host issued after the first run before, copies back, recomputes
//! by round, each kind by the caller's numbering, and the first run. A copy back makes a value as a run does, but reads nothing on
//! the device; a copy to the host reads one. When copies end is the [clock](crate::clock)'s matter.
//! One edit costs the lengths of the lifetimes it changes, so a search may try millions.

use crate::lanes::shift;
use crate::program::{Again, COPY_LANES, MOST_ROUNDS, NODE_BITS, Plan, Program, Slot};

/// Place of a step: position in the upper half; in the lower the lane and the caller's number of the node, or [`FIRST`] for the
/// first run.
pub(crate) type Key = u64;

const FIRST: u64 = u32::MAX as u64;
/// Lanes of copies; those of recomputes follow, one a round.
const OUT_LANE: u32 = 0;
const BACK_LANE: u32 = 1;

/// Key of a first run.
pub(crate) fn first(position: Slot) -> Key {
    u64::from(position) << 32 | FIRST
}

/// Position a step belongs to.
pub(crate) fn position(key: Key) -> Slot {
    (key >> 32) as Slot
}

/// Before every step of a position.
pub(crate) fn start_of(position: Slot) -> Key {
    u64::from(position) << 32
}

fn lane(key: Key) -> u32 {
    (key & FIRST) as u32 >> NODE_BITS
}

/// Round of a recompute.
pub(crate) fn round(key: Key) -> u32 {
    lane(key) - COPY_LANES
}

/// Is the step a recompute?
pub(crate) fn is_again(key: Key) -> bool {
    !is_first(key) && lane(key) >= COPY_LANES
}

/// Is the step a copy to the host?
pub(crate) fn is_out(key: Key) -> bool {
    lane(key) == OUT_LANE
}

/// Is the step a copy back from the host?
pub(crate) fn is_back(key: Key) -> bool {
    lane(key) == BACK_LANE
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
    /// Keys of the recomputes and copies back, ascending, and bytes at each.
    between: Vec<Key>,
    between_bytes: Vec<f64>,
    /// Steps that make each value, ascending; the first run leads.
    runs: Vec<Vec<Key>>,
    /// Steps that read each value, ascending.
    uses: Vec<Vec<Key>>,
    /// Time of the recomputes.
    pub(crate) extra_time: f64,
    /// Sum over all steps of the bytes above the cap.
    pub(crate) excess: f64,
    /// Positions, first and last, between which steps or bytes have changed since the [clock](crate::clock) looked.
    pub(crate) touched: (Slot, Slot),
}

/// Changes from which on a plan is loaded at once.
const AT_ONCE: usize = 512;

/// Nothing has changed.
pub(crate) const UNTOUCHED: (Slot, Slot) = (Slot::MAX, 0);

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
            between: Vec::new(),
            between_bytes: Vec::new(),
            runs: (0..n).map(|slot| vec![first(slot as Slot)]).collect(),
            uses: (0..n)
                .map(|slot| program.readers(slot as Slot).iter().map(|&reader| first(reader)).collect())
                .collect(),
            extra_time: 0.0,
            excess,
            touched: UNTOUCHED,
        }
    }

    /// Key of the recompute of `slot` before `position`.
    pub(crate) fn key(&self, position: Slot, round: u32, slot: Slot) -> Key {
        self.in_lane(position, round + COPY_LANES, slot)
    }

    /// Key of the copy of `slot` to the host right before `position`, after the first run before it.
    pub(crate) fn out_key(&self, position: Slot, slot: Slot) -> Key {
        self.in_lane(position, OUT_LANE, slot)
    }

    /// Key of the copy of `slot` back before `position`.
    pub(crate) fn back_key(&self, position: Slot, slot: Slot) -> Key {
        self.in_lane(position, BACK_LANE, slot)
    }

    fn in_lane(&self, position: Slot, lane: u32, slot: Slot) -> Key {
        start_of(position) | u64::from(lane) << NODE_BITS | self.program.original[slot as usize].0 as u64
    }

    /// Node that runs or is copied at a step.
    pub(crate) fn node(&self, key: Key) -> Slot {
        if is_first(key) { position(key) } else { self.slot_of[(key & ((1 << NODE_BITS) - 1)) as usize] }
    }

    /// Keys of the recomputes and copies back, ascending.
    pub(crate) fn between(&self) -> &[Key] {
        &self.between
    }

    /// The recomputes as a plan.
    pub(crate) fn plan(&self) -> Vec<Again> {
        let again = |&key: &Key| Again { position: position(key), round: round(key), slot: self.node(key) };
        self.between.iter().filter(|&&key| !is_back(key)).map(again).collect()
    }

    /// Recomputes and copies as a plan.
    pub(crate) fn whole_plan(&self) -> Plan {
        let back = |&key: &Key| (position(key), self.node(key));
        let outs =
            (0..self.program.len() as Slot).filter_map(|slot| Some((position(self.out(slot)?) - 1, slot)));
        let mut out: Vec<(Slot, Slot)> = outs.collect();
        out.sort_unstable();
        Plan {
            again: self.plan(),
            out,
            back: self.between.iter().filter(|&&key| is_back(key)).map(back).collect(),
        }
    }

    /// Removes every recompute and inserts those of a plan.
    pub(crate) fn load(&mut self, plan: &[Again]) {
        let keys = plan.iter().map(|a| self.key(a.position, a.round, a.slot)).collect();
        self.replace(self.outs(), keys);
    }

    /// Removes all that was inserted, copies to the host included, and inserts what a plan has.
    pub(crate) fn load_all(&mut self, plan: &Plan) {
        let outs = plan.out.iter().map(|&(position, slot)| self.out_key(position + 1, slot)).collect();
        let back = plan.back.iter().map(|&(position, slot)| self.back_key(position, slot));
        let between = back.chain(plan.again.iter().map(|a| self.key(a.position, a.round, a.slot))).collect();
        self.replace(outs, between);
    }

    /// Keys of the copies to the host.
    fn outs(&self) -> Vec<Key> {
        self.uses.iter().flatten().copied().filter(|&key| is_out(key)).collect()
    }

    /// Makes these the copies to the host, and these the recomputes and copies back.
    fn replace(&mut self, mut outs: Vec<Key>, mut between: Vec<Key>) {
        for keys in [&mut outs, &mut between] {
            keys.sort_unstable();
            keys.dedup();
        }
        let mut present = self.outs();
        present.sort_unstable();
        let without = |keys: &[Key], others: &[Key]| -> Vec<Key> {
            keys.iter().copied().filter(|key| others.binary_search(key).is_err()).collect()
        };
        let gone = [without(&self.between, &between), without(&present, &outs)].concat();
        let new = [without(&outs, &present), without(&between, &self.between)].concat();
        if gone.len() + new.len() > AT_ONCE {
            self.rebuild(&outs, between);
        } else {
            gone.into_iter().for_each(|key| self.remove(key));
            new.into_iter().for_each(|key| self.insert(key));
        }
        let again = self.between.iter().filter(|&&key| !is_back(key));
        self.extra_time = again.map(|&key| self.program.time[self.node(key) as usize]).sum();
    }

    /// The same from nothing, for many changes: each alone takes as long as the value it concerns is there.
    fn rebuild(&mut self, outs: &[Key], between: Vec<Key>) {
        let (program, n) = (self.program, self.program.len());
        self.runs = (0..n as Slot).map(|slot| vec![first(slot)]).collect();
        self.uses = (0..n as Slot)
            .map(|slot| program.readers(slot).iter().map(|&reader| first(reader)).collect())
            .collect();
        for &key in &between {
            let slot = self.node(key);
            self.runs[slot as usize].push(key);
            let inputs = if is_back(key) { &[][..] } else { program.inputs(slot) };
            inputs.iter().for_each(|&input| self.uses[input as usize].push(key));
        }
        outs.iter().for_each(|&key| {
            let slot = self.node(key) as usize;
            self.uses[slot].push(key);
        });
        self.uses.iter_mut().for_each(|uses| uses.sort_unstable());
        // Bytes that come with a step and that go after one; steps in order, first runs behind what stands before them.
        let mut change = vec![0.0; n + between.len() + 1];
        let index = |key: Key| position(key) as usize + between.partition_point(|&other| other < key);
        for slot in 0..n as Slot {
            for &start in self.runs(slot) {
                let end = self.span_at(slot, start).end;
                change[index(start)] += program.size[slot as usize];
                let in_no_step = is_out(end);
                change[index(end) + usize::from(!in_no_step)] -= program.size[slot as usize];
            }
        }
        let (mut live, mut step, mut excess) = (0.0, 0, 0.0);
        let mut bytes = |workspace: f64| {
            live += change[step];
            step += 1;
            excess += f64::max(live + workspace - program.cap, 0.0);
            live + workspace
        };
        let (mut first_bytes, mut between_bytes) = (Vec::with_capacity(n), Vec::new());
        for at in 0..n {
            while let Some(&key) = between.get(between_bytes.len())
                && position(key) as usize == at
            {
                between_bytes.push(bytes(self.workspace(key, self.node(key) as usize)));
            }
            first_bytes.push(bytes(program.workspace[at]));
        }
        (self.first_bytes, self.between_bytes, self.between) = (first_bytes, between_bytes, between);
        self.excess = excess;
        self.touch(0, n as Slot);
    }

    /// Rounds that a further recompute at a position may choose from: those in use and one more.
    pub(crate) fn rounds_at(&self, at: Slot) -> u32 {
        let after = self.between.partition_point(|&key| key < first(at));
        match after.checked_sub(1).map(|last| self.between[last]) {
            Some(key) if position(key) == at && !is_back(key) => (round(key) + 2).min(MOST_ROUNDS),
            _ => 1,
        }
    }

    /// Is there a recompute or a copy back with this key?
    pub(crate) fn holds(&self, key: Key) -> bool {
        self.between.binary_search(&key).is_ok()
    }

    /// Bytes at each first run.
    pub(crate) fn first_bytes(&self) -> &[f64] {
        &self.first_bytes
    }

    /// Bytes at the step of that index in [`Timeline::between`].
    pub(crate) fn between_bytes(&self) -> &[f64] {
        &self.between_bytes
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

    /// Steps that make the value, ascending.
    pub(crate) fn runs(&self, slot: Slot) -> &[Key] {
        &self.runs[slot as usize]
    }

    /// The first copy of the value to the host.
    pub(crate) fn out(&self, slot: Slot) -> Option<Key> {
        self.uses[slot as usize].iter().copied().find(|&key| is_out(key))
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
        self.touch(low as Slot, high as Slot);
        let mut change = 0.0;
        if low < high {
            change += shift(&mut self.first_bytes[low..high], bytes, cap);
        }
        if !self.between.is_empty() {
            let low = self.between.partition_point(|&key| key <= after);
            let high = low + self.between[low..].partition_point(|&key| key < before);
            change += shift(&mut self.between_bytes[low..high], bytes, cap);
        }
        self.excess += change;
    }

    fn touch(&mut self, from: Slot, to: Slot) {
        self.touched = (self.touched.0.min(from), self.touched.1.max(to));
    }

    /// Bytes live on entering the next step at or after `key`.
    fn entering(&self, key: Key, index: usize) -> f64 {
        let first_next = position(key);
        let (node, workspace, bytes) = match self.between.get(index) {
            Some(&next) if position(next) == first_next => {
                let node = self.node(next) as usize;
                (node, self.workspace(next, node), self.between_bytes[index])
            }
            _ => {
                let node = first_next as usize;
                (node, self.program.workspace[node], self.first_bytes[node])
            }
        };
        bytes - self.program.size[node] - workspace
    }

    /// Bytes held only while a step between first runs lasts.
    fn workspace(&self, key: Key, node: usize) -> f64 {
        if is_back(key) { 0.0 } else { self.program.workspace[node] }
    }

    /// Inserts a recompute or a copy that is not there yet, of a value that has run before.
    pub(crate) fn insert(&mut self, key: Key) {
        let program = self.program;
        let slot = self.node(key);
        self.touch(position(key), position(key));
        if is_out(key) {
            self.read(slot, key);
            return;
        }
        let size = program.size[slot as usize];
        let index = self.between.partition_point(|&other| other < key);
        let mut bytes = self.entering(key, index) + size + self.workspace(key, slot as usize);
        if let Some(old) = self.span_before(slot, key)
            && old.end > key
        {
            let end = self.last_use(slot, old.start, key);
            self.add(end, key, -size);
            bytes -= size;
        }
        let runs = &mut self.runs[slot as usize];
        runs.insert(runs.partition_point(|&run| run < key), key);
        if !is_back(key) {
            for &input in program.inputs(slot) {
                bytes += self.read(input, key);
            }
            self.extra_time += program.time[slot as usize];
        }
        self.between.insert(index, key);
        self.between_bytes.insert(index, bytes);
        self.excess += (bytes - program.cap).max(0.0);
    }

    /// Adds a reader of a value; the bytes that stay until then because of it.
    fn read(&mut self, input: Slot, key: Key) -> f64 {
        let mut bytes = 0.0;
        if let Some(span) = self.span_before(input, key)
            && span.end < key
        {
            bytes = self.program.size[input as usize];
            self.add(span.end, key, bytes);
        }
        let uses = &mut self.uses[input as usize];
        uses.insert(uses.partition_point(|&at| at < key), key);
        bytes
    }

    /// Takes a reader of a value away.
    fn unread(&mut self, input: Slot, key: Key) {
        let uses = &mut self.uses[input as usize];
        let Ok(index) = uses.binary_search(&key) else { return };
        uses.remove(index);
        // Before the removal the copy lived at least to `key`.
        if let Some(old) = self.span_before(input, key)
            && old.end < key
        {
            self.add(old.end, key, -self.program.size[input as usize]);
        }
    }

    /// Removes a recompute or a copy; readers of what it made fall back on the copy made before.
    pub(crate) fn remove(&mut self, key: Key) {
        let program = self.program;
        let slot = self.node(key);
        self.touch(position(key), position(key));
        if is_out(key) {
            self.unread(slot, key);
            return;
        }
        let Ok(index) = self.between.binary_search(&key) else { return };
        self.excess -= (self.between_bytes[index] - program.cap).max(0.0);
        self.between.remove(index);
        self.between_bytes.remove(index);
        let span = self.span_at(slot, key);
        if span.end > key
            && let Some(old) = self.span_before(slot, key)
        {
            self.add(old.end, key, program.size[slot as usize]);
        }
        let runs = &mut self.runs[slot as usize];
        runs.remove(runs.partition_point(|&run| run < key));
        if !is_back(key) {
            for &input in program.inputs(slot) {
                self.unread(input, key);
            }
            self.extra_time -= program.time[slot as usize];
        }
    }

    /// Is what this recompute or copy back makes read by nobody?
    pub(crate) fn idle(&self, key: Key) -> bool {
        let slot = self.node(key);
        self.span_at(slot, key).end == key
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Problem, expand, replay};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::program::Plan;
    use crate::random::random_problem;

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
            let problem = random_problem(&mut rng, 3..25, 0.2, 1.0);
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
                    line.first_bytes().iter().chain(line.between_bytes()).copied().fold(0.0, f64::max);
                assert_eq!((highest, line.extra_time, own_excess), (peak, time, excess));
            }
            // Copies too, and then all at once.
            for _ in 0..10 {
                let position = rng.random_range(1..program.len() as Slot);
                let slot = rng.random_range(0..position);
                let (out, back) = (line.out_key(position, slot), line.back_key(position, slot));
                if line.out(slot).is_none() {
                    line.insert(out);
                }
                if !line.holds(back) {
                    line.insert(back);
                }
            }
            let mut whole = Timeline::new(&program);
            let mut outs = line.outs();
            outs.sort_unstable();
            whole.rebuild(&outs, line.between.clone());
            assert_eq!((&whole.runs, &whole.uses), (&line.runs, &line.uses));
            assert_eq!((&whole.first_bytes, &whole.between_bytes), (&line.first_bytes, &line.between_bytes));
            assert_eq!(whole.excess, line.excess);
            line.load_all(&whole.whole_plan());
            assert_eq!((&whole.between, whole.excess), (&line.between, line.excess));
        }
    }
}
