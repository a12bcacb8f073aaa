//! Local search over recompute insertions: simulated annealing on time plus penalised excess.
//!
//! A move inserts a recompute where memory is over the cap (with those of its inputs that would otherwise have
//! to stay), removes one, shifts one, or takes several away and repairs. Every move is tried on the
//! [`Timeline`] and undone unless accepted. The weight of the excess follows the state: it rises while
//! plans are over the cap and falls while they fit, so that the search walks along the border.

use ballast_core::limits::Deadline;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::program::{Again, Program, Slot};
use crate::timeline::{Key, Timeline, first, is_first, position, round};

/// Coolings in turn: moves, first and last temperature as shares of the mean time of a node. Short ones find plans
/// early, hot ones leave bad neighbourhoods, cold ones settle graphs whose cheap nodes are far below the mean.
const COOLINGS: [(u64, f64, f64); 6] = [
    (100_000, 0.1, 0.01),
    (400_000, 0.1, 0.01),
    (200_000, 0.5, 0.002),
    (800_000, 0.5, 0.002),
    (100_000, 0.1, 0.002),
    (1_000_000, 0.1, 0.002),
];
/// Shares of the coolings that start from the best plan and from none; the others go on from where the last one ended.
/// Coolings are too cold to leave a bad neighbourhood for certain: 4.92 % overhead from one seed, 4.85 from the next.
const FROM_BEST: f64 = 0.4;
const FROM_NOTHING: f64 = 0.25;
/// The cooling that changes a plan least.
const COLD: usize = 4;
/// Moves between two looks at the clock.
const STRIDE: u64 = 64;
/// Share of the moves that take the dearest of a few recomputes away and relieve until memory is as it was. Single moves
/// seldom trade one recompute of a large op for many small ones: what is between costs both.
const REBUILDS: f64 = 0.005;
/// Recomputes it chooses from, and values it takes away at most.
const REBUILD_FROM: usize = 3;
const REBUILD_TRIES: usize = 30;
/// Most recomputes one move inserts.
const SUBTREE: usize = 24;

/// An edit of the timeline, kept to undo it.
#[derive(Clone, Copy)]
enum Edit {
    Inserted(Key),
    Removed(Key),
}

/// One annealing search; it can be run in slices.
pub(crate) struct Search<'a> {
    pub(crate) line: Timeline<'a>,
    rng: ChaCha8Rng,
    edits: Vec<Edit>,
    /// Time per byte of excess.
    weight: f64,
    /// Rise in penalised time accepted with probability 1/e; falls from `hot` to `cold` over one cooling.
    temperature: f64,
    /// Rise in penalised time above which the present move is refused.
    allowed: f64,
    /// Mean time of a node that may run again.
    typical: f64,
    /// Index in [`COOLINGS`] and moves made in it.
    cooling: usize,
    moves: u64,
    /// Time and excess before the present move.
    time_before: f64,
    excess_before: f64,
    /// Best plan under the cap and its extra time.
    best: Option<(f64, Vec<Again>)>,
}

impl<'a> Search<'a> {
    /// A search from the plan without recomputes.
    pub(crate) fn new(program: &'a Program, seed: u64) -> Self {
        let line = Timeline::new(program);
        let candidates =
            (0..program.len()).filter(|&slot| program.repeatable[slot] && program.size[slot] > 0.0);
        let (mut time, mut size, mut count) = (0.0, 0.0, 0.0f64);
        for slot in candidates {
            time += program.time[slot];
            size += program.size[slot] * f64::from(program.last_reader(slot as Slot) - slot as Slot + 1);
            count += 1.0;
        }
        let typical = if count > 0.0 { time / count } else { 0.0 };
        let weight = if size > 0.0 { time / size } else { 0.0 };
        let mut search = Search {
            line,
            rng: ChaCha8Rng::seed_from_u64(seed),
            edits: Vec::new(),
            weight,
            temperature: 0.0,
            allowed: 0.0,
            typical,
            cooling: seed as usize % COOLINGS.len(),
            moves: 0,
            time_before: 0.0,
            excess_before: 0.0,
            best: None,
        };
        search.note_best();
        search
    }

    /// Best plan under the cap so far, with its extra time.
    pub(crate) fn best(&self) -> Option<&(f64, Vec<Again>)> {
        self.best.as_ref()
    }

    /// Continues from a plan found elsewhere.
    pub(crate) fn adopt(&mut self, plan: &[Again]) {
        self.line.load(plan);
        self.note_best();
    }

    /// Takes a better plan found by another search, to go on from at the next cooling.
    pub(crate) fn hear(&mut self, extra: f64, plan: &[Again]) {
        if self.best.as_ref().is_none_or(|(time, _)| extra < *time) {
            self.best = Some((extra, plan.to_vec()));
        }
    }

    /// Goes on from a plan that is over the cap, in a short cold cooling.
    pub(crate) fn repair(&mut self, plan: &[Again]) {
        self.line.load(plan);
        (self.cooling, self.moves) = (COLD, 0);
    }

    /// Makes at most `moves` moves; returns those made.
    pub(crate) fn run(&mut self, moves: u64, deadline: &Deadline) -> u64 {
        for made in 0..moves {
            if made % STRIDE == 0 && deadline.over() {
                return made;
            }
            self.step();
        }
        moves
    }

    fn step(&mut self) {
        self.moves += 1;
        let (length, hot, cold) = COOLINGS[self.cooling];
        if self.moves >= length {
            self.moves = 0;
            self.cooling = (self.cooling + 1) % COOLINGS.len();
            let choice: f64 = self.rng.random();
            if choice < FROM_BEST {
                if let Some((_, plan)) = &self.best {
                    let plan = plan.clone();
                    self.line.load(&plan);
                }
            } else if choice < FROM_BEST + FROM_NOTHING {
                self.line.load(&[]);
            }
            return;
        }
        let progress = self.moves as f64 / length as f64;
        self.temperature = self.typical * hot * (cold / hot).powf(progress);
        let before = self.line.extra_time + self.weight * self.line.excess;
        // Drawn before the move, so that a hopeless one can be given up half-way.
        let chance: f64 = self.rng.random();
        self.allowed = -chance.max(f64::MIN_POSITIVE).ln() * self.temperature;
        (self.time_before, self.excess_before) = (self.line.extra_time, self.line.excess);
        self.edits.clear();
        self.propose();
        if self.edits.is_empty() {
            return;
        }
        let after = self.line.extra_time + self.weight * self.line.excess;
        if after - before > self.allowed {
            self.undo();
        } else if self.line.excess <= 0.0 {
            self.note_best();
        }
        // Rises faster than it falls: feasible plans are what counts.
        if self.line.excess > 0.0 {
            self.weight *= 1.0003;
        } else {
            self.weight *= 0.9995;
        }
    }

    /// Would the move be refused even if it left no excess at all?
    fn hopeless(&self) -> bool {
        self.line.extra_time - self.time_before > self.allowed + self.weight * self.excess_before
    }

    fn note_best(&mut self) {
        if self.line.excess <= 0.0
            && self.best.as_ref().is_none_or(|(time, _)| self.line.extra_time < time - 1e-12 * time.abs())
        {
            self.best = Some((self.line.extra_time, self.line.plan()));
        }
    }

    fn undo(&mut self) {
        while let Some(edit) = self.edits.pop() {
            match edit {
                Edit::Inserted(key) => self.line.remove(key),
                Edit::Removed(key) => self.line.insert(key),
            }
        }
    }

    fn insert(&mut self, key: Key) {
        self.line.insert(key);
        self.edits.push(Edit::Inserted(key));
    }

    /// Removes a recompute and those of its inputs that nobody reads any more.
    fn remove(&mut self, key: Key) {
        let slot = self.line.node(key);
        self.line.remove(key);
        self.edits.push(Edit::Removed(key));
        let program = self.line.program;
        for &input in program.inputs(slot) {
            if let Some(span) = self.line.span_before(input, key)
                && !is_first(span.start)
                && span.end == span.start
            {
                self.remove(span.start);
            }
        }
    }

    fn propose(&mut self) {
        let count = self.line.again().len();
        if count > 0 && self.rng.random_bool(REBUILDS) {
            return self.rebuild(count);
        }
        let over = self.line.excess > 0.0;
        let choice: f64 = self.rng.random();
        if over && choice < 0.5 || count == 0 {
            self.relieve();
        } else if choice < 0.65 {
            let key = self.line.again()[self.rng.random_range(0..count)];
            self.remove(key);
        } else if choice < 0.85 {
            self.shift(count);
        } else {
            let key = self.line.again()[self.rng.random_range(0..count)];
            self.remove(key);
            for _ in 0..self.rng.random_range(1..4) {
                self.relieve();
            }
        }
    }

    /// Takes the dearest of a few recomputes away, then values from steps over the cap until there is no more excess
    /// than before.
    fn rebuild(&mut self, count: usize) {
        let time = |search: &Self, key: Key| search.line.program.time[search.line.node(key) as usize];
        let mut dearest = self.line.again()[self.rng.random_range(0..count)];
        for _ in 1..REBUILD_FROM {
            let key = self.line.again()[self.rng.random_range(0..count)];
            if time(self, key) > time(self, dearest) {
                dearest = key;
            }
        }
        self.remove(dearest);
        for _ in 0..REBUILD_TRIES {
            if self.line.excess <= self.excess_before || self.hopeless() {
                return;
            }
            self.relieve();
        }
    }

    /// Moves one recompute to another place between the use before it and its first use.
    fn shift(&mut self, count: usize) {
        let key = self.line.again()[self.rng.random_range(0..count)];
        let slot = self.line.node(key);
        let Some(next) = self.line.next_use(slot, key) else { return self.remove(key) };
        let previous = self.line.span_before(slot, key).map_or(key, |span| span.end);
        let (low, high) = (position(previous) + 1, position(next));
        if low > high {
            return;
        }
        let target = if self.rng.random_bool(0.3) { high } else { self.rng.random_range(low..=high) };
        let round = self.any_round(target);
        let new = self.line.key(target, round, slot);
        if new == key || new >= next || self.line.holds(new) {
            return;
        }
        self.line.remove(key);
        self.edits.push(Edit::Removed(key));
        self.insert(new);
    }

    /// A round at a position: the first unless others are allowed.
    fn any_round(&mut self, at: Slot) -> u32 {
        let rounds = if self.line.program.rounds { self.line.rounds_at(at) } else { 1 };
        if rounds > 1 { self.rng.random_range(0..rounds) } else { 0 }
    }

    /// Picks a step over the cap and takes a value away from it.
    fn relieve(&mut self) {
        let Some(step) = self.pick_over() else { return };
        let Some((slot, next)) = self.pick_value(step) else { return };
        let target = position(next);
        let low = position(step) + 1;
        let target = if target > low && self.rng.random_bool(0.2) {
            self.rng.random_range(low..=target)
        } else {
            target
        };
        let round =
            if target == position(next) && !is_first(next) { round(next) } else { self.any_round(target) };
        let key = self.line.key(target, round, slot);
        if key > step && key < next && !self.line.holds(key) {
            let keep = self.rng.random::<f64>();
            self.materialise(key, step, keep);
        }
    }

    /// Inserts a recompute; inputs that would have to stay alive across `step` for it are, with probability
    /// `again`, recomputed too.
    fn materialise(&mut self, key: Key, step: Key, again: f64) {
        let slot = self.line.node(key);
        let old = self.line.span_before(slot, key);
        self.insert(key);
        if let Some(old) = old
            && !is_first(old.start)
            && self.line.idle(old.start)
        {
            self.remove(old.start);
        }
        let program = self.line.program;
        for &input in program.inputs(slot) {
            if self.edits.len() >= SUBTREE || self.hopeless() || !program.repeatable[input as usize] {
                continue;
            }
            let below = self.line.key(position(key), round(key), input);
            if self.line.holds(below) {
                continue;
            }
            // Does the copy read here live across the step only because of this recompute?
            let Some(span) = self.line.span_before(input, key) else { continue };
            let previous = self.last_use_before(input, span.start, key);
            if span.start < step && previous < step && self.rng.random::<f64>() < again {
                self.materialise(below, step, again);
            }
        }
    }

    /// Last use of the copy made at `start` before `key`.
    fn last_use_before(&self, slot: Slot, start: Key, key: Key) -> Key {
        let mut last = start;
        let mut at = start;
        while let Some(next) = self.line.next_use(slot, at)
            && next < key
        {
            last = next;
            at = next;
        }
        last
    }

    /// A random step over the cap, found by looking forward from a random place.
    fn pick_over(&mut self) -> Option<Key> {
        let cap = self.line.program.cap;
        let bytes = self.line.first_bytes();
        let again = self.line.again_bytes();
        let total = bytes.len() + again.len();
        let start = self.rng.random_range(0..total);
        let at = |index: usize| if index < bytes.len() { bytes[index] } else { again[index - bytes.len()] };
        let found = (start..total).chain(0..start).find(|&index| at(index) > cap)?;
        Some(if found < bytes.len() { first(found as Slot) } else { self.line.again()[found - bytes.len()] })
    }

    /// A value alive across `step` without being used by it, and its next use: the best of a few at random.
    fn pick_value(&mut self, step: Key) -> Option<(Slot, Key)> {
        let wanted = self.rng.random_range(1..5);
        let program = self.line.program;
        let until = position(step) + u32::from(!is_first(step));
        if until == 0 {
            return None;
        }
        let mut best: Option<(f64, Slot, Key)> = None;
        let mut found = 0;
        for _ in 0..60 {
            let slot = self.rng.random_range(0..until.min(program.len() as u32));
            if !program.repeatable[slot as usize] || program.size[slot as usize] <= 0.0 {
                continue;
            }
            let Some(span) = self.line.span_before(slot, step) else { continue };
            if span.end <= step {
                continue;
            }
            let Some(next) = self.line.next_use(slot, step) else { continue };
            // A step that reads the value cannot go without it.
            if program.inputs(self.line.node(step)).binary_search(&slot).is_ok() {
                continue;
            }
            let rate = (program.time[slot as usize] + 1e-9 * program.total_time)
                / program.size[slot as usize]
                * self.rng.random_range(0.5..1.5);
            if best.is_none_or(|(least, ..)| rate < least) {
                best = Some((rate, slot, next));
            }
            found += 1;
            if found >= wanted {
                break;
            }
        }
        best.map(|(_, slot, next)| (slot, next))
    }
}
