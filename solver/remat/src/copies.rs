//! Moves of the [search](crate::search) where there is a host link: values that come back from the host instead of being made
//! again, the other way round, earlier, later, or not at all.

use rand::RngExt;

use crate::program::Slot;
use crate::search::{REBUILDS, Search};
use crate::timeline::{Key, Timeline, first, is_back, is_first, is_out, position};

/// Share of values taken away from a step over the cap that are copied.
const COPIED: f64 = 0.6;
/// Share of copies to the host that follow the first run of their value; the others follow its last use before the step.
const AT_ONCE: f64 = 0.7;

impl Search<'_> {
    pub(crate) fn propose_with_copies(&mut self) {
        let count = self.line.between().len();
        let choice: f64 = self.rng.random();
        if count == 0 || self.line.excess > 0.0 && choice < 0.5 {
            return self.relieve_either_way();
        }
        if self.rng.random_bool(REBUILDS) {
            return self.rebuild(count);
        }
        let key = self.line.between()[self.rng.random_range(0..count)];
        if choice < 0.62 {
            self.take_away(key);
        } else if choice < 0.74 {
            self.turn(key);
        } else if choice < 0.9 {
            if is_back(key) { self.shift_copy(key) } else { self.shift(key) }
        } else {
            self.take_away(key);
            for _ in 0..self.rng.random_range(1..4) {
                self.relieve_either_way();
            }
        }
    }

    /// Removes a recompute or a copy back, with what nobody needs without it.
    pub(crate) fn take_away(&mut self, key: Key) {
        if !is_back(key) {
            return self.remove(key);
        }
        self.drop_step(key);
        let slot = self.line.node(key);
        if self.first_back(slot).is_none()
            && let Some(out) = self.line.out(slot)
        {
            self.drop_step(out);
        }
    }

    fn first_back(&self, slot: Slot) -> Option<Key> {
        self.line.runs(slot).iter().copied().find(|&run| is_back(run))
    }

    /// Takes a value away from a step over the cap, or from any where none is: copied or made again.
    pub(crate) fn relieve_either_way(&mut self) {
        if self.line.excess > 0.0 && !self.rng.random_bool(COPIED) {
            return self.relieve();
        }
        let len = self.line.program.len() as Slot;
        let step = if self.line.excess > 0.0 { self.pick_over() } else { None };
        let step = step.unwrap_or_else(|| first(self.rng.random_range(0..len)));
        let Some((slot, next)) = self.pick_copied(step) else { return };
        let (low, high) = (position(step) + 1, position(next));
        if low > high {
            return;
        }
        let early: f64 = self.rng.random();
        let at = if early < 0.3 {
            high
        } else if early < 0.7 {
            high.saturating_sub(self.rng.random_range(1..4)).max(low)
        } else {
            self.rng.random_range(low..=high)
        };
        self.bring_back(slot, at, step);
    }

    /// A value that is there at `step`, not read by it and may be copied, and its next reader: mostly a large one.
    fn pick_copied(&mut self, step: Key) -> Option<(Slot, Key)> {
        let rate = |line: &Timeline<'_>, slot: Slot| {
            let program = line.program;
            if !program.swappable[slot as usize] || program.inputs(line.node(step)).contains(&slot) {
                return None;
            }
            line.span_before(slot, step).filter(|span| span.end > step)?;
            Some((-program.size[slot as usize], next_reader(line, slot, step)?))
        };
        self.pick(step, rate, |rng| rng.random::<f64>())
    }

    /// Copies a value back before a position, and to the host before `by` unless it is there by then.
    fn bring_back(&mut self, slot: Slot, at: Slot, by: Key) {
        let key = self.line.back_key(at, slot);
        if self.line.holds(key) {
            return;
        }
        let Some(span) = self.line.span_before(slot, key) else { return };
        let out = self.line.out(slot);
        if out.is_none_or(|out| out > by) {
            out.into_iter().for_each(|out| self.drop_step(out));
            let last = self.last_use_before(slot, span.start, by);
            let early = !is_first(last) || self.rng.random_bool(AT_ONCE);
            self.insert(self.line.out_key(if early { slot } else { position(last) } + 1, slot));
        }
        self.insert(key);
        if !is_first(span.start) && self.line.idle(span.start) {
            self.take_away(span.start);
        }
    }

    /// Makes a value again that came back, or the other way round.
    fn turn(&mut self, key: Key) {
        let (slot, at) = (self.line.node(key), position(key));
        let program = self.line.program;
        if !is_back(key) && program.swappable[slot as usize] {
            self.remove(key);
            let by = self.last_there(slot, key);
            self.bring_back(slot, at, by);
        } else if is_back(key) && program.repeatable[slot as usize] {
            self.take_away(key);
            let round = self.any_round(at);
            let key = self.line.key(at, round, slot);
            if !self.line.holds(key) {
                let step = self.last_there(slot, key);
                let again = self.rng.random();
                self.materialise(key, step, again);
            }
        }
    }

    /// Last step before `key` that makes or reads the value.
    fn last_there(&self, slot: Slot, key: Key) -> Key {
        self.line.span_before(slot, key).map_or(key, |span| self.last_use_before(slot, span.start, key))
    }

    /// Moves a copy back, or the copy to the host it comes from.
    fn shift_copy(&mut self, key: Key) {
        let slot = self.line.node(key);
        let Some(out) = self.line.out(slot) else { return };
        if self.rng.random_bool(0.25) {
            let last = self.first_back(slot).map_or(slot + 1, position);
            let at = self.near(position(out), slot + 1, last);
            let new = self.line.out_key(at, slot);
            if new != out {
                self.drop_step(out);
                self.insert(new);
            }
            return;
        }
        let Some(next) = next_reader(&self.line, slot, key) else { return self.take_away(key) };
        let previous = self.line.span_before(slot, key - 1).map_or(out, |span| span.end.max(out));
        let low = position(previous) + u32::from(!is_out(previous));
        if low > position(next) {
            return;
        }
        let at = self.near(position(key), low, position(next));
        let new = self.line.back_key(at, slot);
        if new != key && !self.line.holds(new) {
            self.drop_step(key);
            self.insert(new);
        }
    }

    /// A position between two others: any, or a few from the one given.
    fn near(&mut self, at: Slot, low: Slot, high: Slot) -> Slot {
        if self.rng.random_bool(0.3) {
            return self.rng.random_range(low..=high.max(low));
        }
        let far = self.rng.random_range(1..6);
        let to = if self.rng.random_bool(0.5) { at.saturating_add(far) } else { at.saturating_sub(far) };
        to.clamp(low, high.max(low))
    }
}

/// First step after `key` that reads the value on the device to compute.
fn next_reader(line: &Timeline<'_>, slot: Slot, key: Key) -> Option<Key> {
    let next = line.next_use(slot, key)?;
    if is_out(next) { next_reader(line, slot, next) } else { Some(next) }
}

#[cfg(test)]
mod tests {
    use ballast_core::limits::Deadline;
    use ballast_core::memory::{SwapModel, assess, expand};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::program::{Plan, Program};
    use crate::random::random_problem;

    /// Whatever moves are made: the plan breaks no rule but the cap, and what the search says of it is what the judge says, of the
    /// present one, of the best, and of the best without what it does not need.
    #[test]
    fn moves_lead_to_plans_that_the_judge_takes() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut swapped = 0;
        for round in 0..200 {
            let problem = random_problem(&mut rng, 5..40, 0.12, 0.8);
            let cap = problem.unplanned_peak() * 3 / 4;
            let swap = SwapModel {
                out_bandwidth: rng.random_range(2.0..60.0),
                in_bandwidth: rng.random_range(2.0..60.0),
                latency: rng.random_range(0.0..1.0),
                overlap: round % 3 > 0,
                host_capacity_bytes: (round % 2 == 0).then(|| rng.random_range(30..150)),
            };
            let program = Program::new(&problem, None, cap).with_rounds(true);
            let mut search = Search::with_copies(&program, swap, round, &Plan::default()).unwrap();
            let check = |plan: &Plan, extra: f64| {
                let schedule = expand(&problem, &program.compact(plan)).unwrap();
                let found = assess(&problem, &schedule, Some(&swap), cap).unwrap();
                assert!((found.time - problem.total_time() - extra).abs() < 1e-9 * (1.0 + found.time));
                found.excess_bytes
            };
            for _ in 0..20 {
                search.run(40, &Deadline::after(None));
                check(&search.line.whole_plan(), search.extra());
            }
            let (before, _) = search.best().cloned().unwrap_or_default();
            search.polish(&Deadline::after(None));
            if let Some((extra, plan)) = search.best() {
                assert!(*extra <= before);
                assert_eq!(check(plan, *extra), 0);
                swapped += usize::from(!plan.back.is_empty());
            }
        }
        assert!(swapped > 50, "{swapped}");
    }
}
