//! Local search over recompute insertions: simulated annealing on time plus penalised excess.
//!
//! A move inserts a recompute where memory is over the cap (with those of its inputs that would otherwise have
//! to stay), removes one, shifts one, or takes several away and repairs. Every move is tried on the
//! [`Timeline`] and undone unless accepted. The weight of the excess follows the state: it rises while
//! plans are over the cap and falls while they fit, so that the search walks along the border.
//! With a host link there are [copies](crate::copies) too, and the [clock](crate::clock) says what they take.

use ballast_core::limits::Deadline;
use ballast_core::memory::SwapModel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Clock;
use crate::program::{Again, Plan, Program, Slot};
use crate::timeline::{Key, Span, Timeline, UNTOUCHED, first, is_again, is_back, is_first, position, round};

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
/// The same where there are copies, whose moves cost more: hot ones find other ways, cold ones settle what is left to save. The first is soon over, so that
/// little time comes to something.
const COOLINGS_WITH_COPIES: [(u64, f64, f64); 6] = [
    (2_500, 0.6, 0.0003),
    (20_000, 0.3, 0.0003),
    (50_000, 0.03, 0.0003),
    (100_000, 0.3, 0.0003),
    (100_000, 0.03, 0.0003),
    (400_000, 0.1, 0.0003),
];
/// What the weight of the excess rises and falls by with every move: faster than it falls, as plans under the cap are what counts. What it begins with may be a
/// hundred times too little, in which case a search walks far above the cap; so many first moves change it faster by so much, without copies until there is a
/// plan: from then on it pays to rise slowly (eleven published instances, 0.5 s: overheads 4.1 %, else 3.8).
const RISE: f64 = 0.0003;
const FALL: f64 = 0.0005;
const FIRST_MOVES: u64 = 2_500;
const FASTER: f64 = 60.0;
/// Moves between two looks at the clock.
const STRIDE: u64 = 64;
/// Share of the moves that take the dearest of a few recomputes away and relieve until memory is as it was. Single moves
/// seldom trade one recompute of a large op for many small ones: what is between costs both.
pub(crate) const REBUILDS: f64 = 0.005;
/// Recomputes it chooses from, and values it takes away at most.
const REBUILD_FROM: usize = 3;
const REBUILD_TRIES: usize = 30;
/// Values looked at, at most, for a few that a step can go without.
const PICK_TRIES: usize = 60;
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
    /// Where there is a host link.
    clock: Option<Clock>,
    pub(crate) rng: ChaCha8Rng,
    edits: Vec<Edit>,
    /// Time of the plan beyond running everything once, copies included.
    extra: f64,
    /// Time per byte of excess, and moves left that change it fast.
    weight: f64,
    first_moves: u64,
    /// Rise in penalised time accepted with probability 1/e; falls from `hot` to `cold` over one cooling.
    temperature: f64,
    /// Rise in penalised time above which the present move is refused.
    allowed: f64,
    /// Mean time of a node that may run again.
    typical: f64,
    /// Index in [`COOLINGS`] and moves made in it.
    cooling: usize,
    moves: u64,
    /// Excess before the present move.
    pub(crate) excess_before: f64,
    /// Coolings done.
    coolings: u64,
    /// Best plan under the cap and its extra time.
    best: Option<(f64, Plan)>,
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
            clock: None,
            extra: 0.0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            edits: Vec::new(),
            weight,
            first_moves: FIRST_MOVES,
            temperature: 0.0,
            allowed: 0.0,
            typical,
            cooling: seed as usize % COOLINGS.len(),
            moves: 0,
            excess_before: 0.0,
            coolings: 0,
            best: None,
        };
        search.note_best();
        search
    }

    /// A search over plans with copies, from one that copies no value to the host twice; none if the host has no room for it.
    pub(crate) fn with_copies(program: &'a Program, swap: SwapModel, seed: u64, plan: &Plan) -> Option<Self> {
        let mut search = Search::new(program, seed);
        search.typical = program.total_time / program.real.max(1) as f64;
        search.cooling = 0;
        search.best = None;
        search.line.load_all(plan);
        search.clock = Some(Clock::new(&mut search.line, swap)?);
        search.settle();
        search.note_best();
        Some(search)
    }

    /// Best plan under the cap so far, with its extra time.
    pub(crate) fn best(&self) -> Option<&(f64, Plan)> {
        self.best.as_ref()
    }

    /// Continues from a plan found elsewhere.
    pub(crate) fn adopt(&mut self, plan: &[Again]) {
        self.go_on_from(&Plan::recomputing(plan));
        self.note_best();
    }

    /// Time of the present plan beyond running everything once.
    #[cfg(test)]
    pub(crate) fn extra(&self) -> f64 {
        self.extra
    }

    /// Takes a better plan found by another search, to go on from at the next cooling.
    pub(crate) fn hear(&mut self, extra: f64, plan: &Plan) {
        if self.best.as_ref().is_none_or(|(time, _)| extra < *time) {
            self.best = Some((extra, plan.clone()));
        }
    }

    fn go_on_from(&mut self, plan: &Plan) {
        match &mut self.clock {
            Some(clock) => {
                self.line.load_all(plan);
                clock.restart(&mut self.line);
            }
            None => self.line.load(&plan.again),
        }
        self.settle();
    }

    /// Goes on from the best plan at once.
    pub(crate) fn go_on_from_best(&mut self) {
        if let Some((_, plan)) = self.best.clone() {
            self.go_on_from(&plan);
        }
    }

    /// The plan as it stands is that before the next move.
    fn settle(&mut self) {
        self.extra = match &self.clock {
            Some(clock) => clock.kept_extra(&self.line),
            None => self.line.extra_time,
        };
    }

    /// Goes on from a plan that is over the cap, in a short cold cooling.
    pub(crate) fn repair(&mut self, plan: &[Again]) {
        self.go_on_from(&Plan::recomputing(plan));
        (self.cooling, self.moves) = (COLD, 0);
    }

    /// Coolings done.
    pub(crate) fn coolings(&self) -> u64 {
        self.coolings
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
        let coolings: &[_] = if self.clock.is_some() { &COOLINGS_WITH_COPIES } else { &COOLINGS };
        let (length, hot, cold) = coolings[self.cooling];
        if self.moves >= length {
            self.moves = 0;
            self.coolings += 1;
            self.cooling = (self.cooling + 1) % coolings.len();
            let choice: f64 = self.rng.random();
            if choice < FROM_BEST || self.clock.is_some() {
                self.go_on_from_best();
            } else if choice < FROM_BEST + FROM_NOTHING {
                self.go_on_from(&Plan::default());
            }
            return;
        }
        let progress = self.moves as f64 / length as f64;
        self.temperature = self.typical * hot * (cold / hot).powf(progress);
        // Drawn before the move, so that a hopeless one can be given up half-way.
        let chance: f64 = self.rng.random();
        self.allowed = -chance.max(f64::MIN_POSITIVE).ln() * self.temperature;
        self.begin();
        if self.clock.is_some() {
            self.propose_with_copies();
        } else {
            self.propose();
        }
        if self.edits.is_empty() {
            return;
        }
        if self.finish(self.allowed) && self.line.excess <= 0.0 {
            self.note_best();
        }
        let fast = self.first_moves > 0 && (self.clock.is_some() || self.best.is_none());
        let pace = if fast { FASTER } else { 1.0 };
        self.first_moves = self.first_moves.saturating_sub(1);
        self.weight *= if self.line.excess > 0.0 { 1.0 + RISE * pace } else { 1.0 - FALL * pace };
    }

    /// A move begins.
    fn begin(&mut self) {
        self.settle();
        self.excess_before = self.line.excess;
        self.edits.clear();
    }

    /// Keeps the move if penalised time rises by no more than `allowed`, else undoes it.
    fn finish(&mut self, allowed: f64) -> bool {
        let before = self.extra + self.weight * self.excess_before;
        let penalty = self.weight * self.line.excess;
        let keeps = |extra: &f64| extra + penalty - before <= allowed;
        // Waiting can only add to it.
        let least = self.line.extra_time + self.clock.as_ref().map_or(0.0, Clock::least_wait);
        let least = Some(least).filter(keeps);
        let extra = match (&mut self.clock, least) {
            (Some(clock), Some(_)) => clock.extra(&mut self.line, before + allowed - penalty).filter(keeps),
            _ => least,
        };
        let Some(extra) = extra else {
            self.undo();
            return false;
        };
        if let Some(clock) = &mut self.clock {
            clock.keep();
        }
        self.extra = extra;
        true
    }

    /// Takes away, one by one, the copies back and recomputes that the best plan does as well without.
    pub(crate) fn polish(&mut self, deadline: &Deadline) {
        self.go_on_from_best();
        for index in (0..self.line.between().len()).rev() {
            if deadline.over() || self.best.is_none() {
                return;
            }
            // What is taken away with another is further on.
            let Some(&key) = self.line.between().get(index) else { continue };
            self.begin();
            self.take_away(key);
            if self.line.excess > 0.0 {
                self.undo();
            } else if self.finish(0.0) {
                self.best = Some((self.extra, self.line.whole_plan()));
            }
        }
    }

    /// Would the move be refused even if it left no excess at all?
    pub(crate) fn hopeless(&self) -> bool {
        self.line.extra_time - self.extra > self.allowed + self.weight * self.excess_before
    }

    fn note_best(&mut self) {
        if self.line.excess <= 0.0
            && self.best.as_ref().is_none_or(|(time, _)| self.extra < time - 1e-12 * time.abs())
        {
            self.best = Some((self.extra, self.line.whole_plan()));
        }
    }

    fn undo(&mut self) {
        while let Some(edit) = self.edits.pop() {
            match edit {
                Edit::Inserted(key) => self.line.remove(key),
                Edit::Removed(key) => self.line.insert(key),
            }
        }
        if let Some(clock) = &mut self.clock {
            clock.forget();
            self.line.touched = UNTOUCHED;
        }
    }

    pub(crate) fn insert(&mut self, key: Key) {
        self.line.insert(key);
        self.edits.push(Edit::Inserted(key));
        if let Some(clock) = &mut self.clock {
            clock.inserted(&self.line, key);
        }
    }

    /// Removes one step and nothing else.
    pub(crate) fn drop_step(&mut self, key: Key) {
        self.line.remove(key);
        self.edits.push(Edit::Removed(key));
        if let Some(clock) = &mut self.clock {
            clock.removed(&self.line, key);
        }
    }

    /// Removes a recompute and those of its inputs that nobody reads any more.
    pub(crate) fn remove(&mut self, key: Key) {
        let program = self.line.program;
        let mut open = vec![(key, program.inputs(self.line.node(key)).iter())];
        self.drop_step(key);
        // A chain of recomputes may be as long as the program.
        while let Some((key, inputs)) = open.last_mut() {
            let key = *key;
            let Some(&input) = inputs.next() else {
                open.pop();
                continue;
            };
            let unread = |span: &Span| !is_first(span.start) && span.end == span.start;
            match self.line.span_before(input, key).filter(unread) {
                Some(span) if is_back(span.start) => self.take_away(span.start),
                Some(span) => {
                    open.push((span.start, program.inputs(self.line.node(span.start)).iter()));
                    self.drop_step(span.start);
                }
                None => {}
            }
        }
    }

    fn propose(&mut self) {
        let count = self.line.between().len();
        if count > 0 && self.rng.random_bool(REBUILDS) {
            return self.rebuild(count);
        }
        let over = self.line.excess > 0.0;
        let choice: f64 = self.rng.random();
        if over && choice < 0.5 || count == 0 {
            self.relieve();
        } else if choice < 0.65 {
            let key = self.line.between()[self.rng.random_range(0..count)];
            self.remove(key);
        } else if choice < 0.85 {
            let key = self.line.between()[self.rng.random_range(0..count)];
            self.shift(key);
        } else {
            let key = self.line.between()[self.rng.random_range(0..count)];
            self.remove(key);
            for _ in 0..self.rng.random_range(1..4) {
                self.relieve();
            }
        }
    }

    /// Takes the dearest of a few recomputes away, then values from steps over the cap until there is no more excess
    /// than before.
    pub(crate) fn rebuild(&mut self, count: usize) {
        let time = |search: &Self, key: Key| search.line.program.time[search.line.node(key) as usize];
        let mut dearest = self.line.between()[self.rng.random_range(0..count)];
        for _ in 1..REBUILD_FROM {
            let key = self.line.between()[self.rng.random_range(0..count)];
            if time(self, key) > time(self, dearest) {
                dearest = key;
            }
        }
        self.take_away(dearest);
        for _ in 0..REBUILD_TRIES {
            if self.line.excess <= self.excess_before || self.hopeless() {
                return;
            }
            if self.clock.is_some() { self.relieve_either_way() } else { self.relieve() }
        }
    }

    /// Moves one recompute to another place between the use before it and its first use.
    pub(crate) fn shift(&mut self, key: Key) {
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
        self.drop_step(key);
        self.insert(new);
    }

    /// A round at a position: the first unless others are allowed.
    pub(crate) fn any_round(&mut self, at: Slot) -> u32 {
        let rounds = if self.line.program.rounds { self.line.rounds_at(at) } else { 1 };
        if rounds > 1 { self.rng.random_range(0..rounds) } else { 0 }
    }

    /// Picks a step over the cap and takes a value away from it.
    pub(crate) fn relieve(&mut self) {
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
            if target == position(next) && is_again(next) { round(next) } else { self.any_round(target) };
        let key = self.line.key(target, round, slot);
        if key > step && key < next && !self.line.holds(key) {
            let keep = self.rng.random::<f64>();
            self.materialise(key, step, keep);
        }
    }

    /// Inserts a recompute; inputs that would have to stay alive across `step` for it are, with probability
    /// `again`, recomputed too.
    pub(crate) fn materialise(&mut self, key: Key, step: Key, again: f64) {
        let slot = self.line.node(key);
        let old = self.line.span_before(slot, key);
        self.insert(key);
        if let Some(old) = old
            && !is_first(old.start)
            && self.line.idle(old.start)
        {
            self.take_away(old.start);
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
    pub(crate) fn last_use_before(&self, slot: Slot, start: Key, key: Key) -> Key {
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
    pub(crate) fn pick_over(&mut self) -> Option<Key> {
        let cap = self.line.program.cap;
        let bytes = self.line.first_bytes();
        let again = self.line.between_bytes();
        let total = bytes.len() + again.len();
        let start = self.rng.random_range(0..total);
        let at = |index: usize| if index < bytes.len() { bytes[index] } else { again[index - bytes.len()] };
        let found = (start..total).chain(0..start).find(|&index| at(index) > cap)?;
        Some(if found < bytes.len() {
            first(found as Slot)
        } else {
            self.line.between()[found - bytes.len()]
        })
    }

    /// A value alive across `step` without being used by it, and its next use: the best of a few at random.
    fn pick_value(&mut self, step: Key) -> Option<(Slot, Key)> {
        let rate = |line: &Timeline<'_>, slot: Slot| {
            let program = line.program;
            if !program.repeatable[slot as usize] || program.size[slot as usize] <= 0.0 {
                return None;
            }
            line.span_before(slot, step).filter(|span| span.end > step)?;
            let next = line.next_use(slot, step)?;
            // A step that reads the value cannot go without it.
            let read = program.inputs(line.node(step)).binary_search(&slot).is_ok();
            let time = program.time[slot as usize] + 1e-9 * program.total_time;
            (!read).then(|| (time / program.size[slot as usize], next))
        };
        self.pick(step, rate, |rng| rng.random_range(0.5..1.5))
    }

    /// The value of least rate times luck, of a few at random that run before a step, and its next reader: `rate` gives that too, or
    /// nothing where the value cannot be chosen.
    pub(crate) fn pick(
        &mut self,
        step: Key,
        rate: impl Fn(&Timeline<'_>, Slot) -> Option<(f64, Key)>,
        luck: impl Fn(&mut ChaCha8Rng) -> f64,
    ) -> Option<(Slot, Key)> {
        let wanted = self.rng.random_range(1..5);
        let until = (position(step) + u32::from(!is_first(step))).min(self.line.program.len() as u32);
        if until == 0 {
            return None;
        }
        let mut best: Option<(f64, Slot, Key)> = None;
        let mut found = 0;
        for _ in 0..PICK_TRIES {
            let slot = self.rng.random_range(0..until);
            let Some((rate, next)) = rate(&self.line, slot) else { continue };
            let rate = rate * luck(&mut self.rng);
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
