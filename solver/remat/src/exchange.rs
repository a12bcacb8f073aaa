//! Local search over recomputes and swaps together, timed event by event.
//!
//! Starts from a plan without swaps. Moves add a swap or a recompute where memory is short, turn one into the
//! other, shift the moment of a copy, or take one away; each candidate is expanded and assessed by the same
//! simulator that judges plans, so that hidden copies cost nothing and exposed ones their exact time. A value
//! leaves for the host at most once; it may come back several times.

use ballast_core::limits::Deadline;
use ballast_core::memory::{Assessment, CompactPlan, Problem, Step, SwapModel, assess, expand};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::paging::{Policy, page};
use crate::program::{Again, Plan, Program, Slot};

/// Moves of one cooling.
const COOLING: u64 = 20_000;

/// One annealing search over plans with swaps.
pub(crate) struct Exchange<'a> {
    problem: &'a Problem,
    program: &'a Program,
    swap: SwapModel,
    cap_bytes: u64,
    rng: ChaCha8Rng,
    plan: Plan,
    now: State,
    weight: f64,
    hot: f64,
    moves: u64,
    best: Option<(f64, Plan)>,
}

#[derive(Clone)]
pub(crate) struct State {
    pub(crate) time: f64,
    /// Bytes above the cap, summed over all steps that claim memory.
    pub(crate) excess: f64,
    /// Positions where memory is short.
    pub(crate) short: Vec<Slot>,
}

impl<'a> Exchange<'a> {
    /// A search that starts from `plan`; none if the plan breaks a rule other than the cap.
    pub(crate) fn new(
        problem: &'a Problem,
        program: &'a Program,
        swap: SwapModel,
        cap_bytes: u64,
        seed: u64,
        plan: Plan,
    ) -> Option<Self> {
        let now = assess_plan(problem, program, &swap, cap_bytes, &plan)?;
        let count = program.real.max(1) as f64;
        let mean_time = program.total_time / count;
        let mean_bytes = program.size.iter().sum::<f64>() / count;
        let mut exchange = Exchange {
            problem,
            program,
            swap,
            cap_bytes,
            rng: ChaCha8Rng::seed_from_u64(seed),
            plan,
            now,
            weight: if mean_bytes > 0.0 { mean_time / mean_bytes } else { 0.0 },
            hot: mean_time * 0.3,
            moves: 0,
            best: None,
        };
        exchange.note_best();
        Some(exchange)
    }

    /// Best plan under the cap, with its whole time.
    pub(crate) fn best(&self) -> Option<&(f64, Plan)> {
        self.best.as_ref()
    }

    /// Coolings done.
    pub(crate) fn coolings(&self) -> u64 {
        self.moves / COOLING
    }

    /// Hears of a plan found elsewhere: goes on from it where it is better than all it has seen.
    pub(crate) fn hear(&mut self, time: f64, plan: &Plan) {
        if self.best.as_ref().is_some_and(|(best, _)| *best <= time) {
            return;
        }
        if let Some(now) = assess_plan(self.problem, self.program, &self.swap, self.cap_bytes, plan) {
            (self.plan, self.now) = (plan.clone(), now);
            self.note_best();
        }
    }

    /// The best plan in the caller's numbering.
    pub(crate) fn best_plan(&self) -> Option<CompactPlan> {
        self.best.as_ref().map(|(_, plan)| self.program.compact(plan))
    }

    /// Makes at most `moves` moves; returns those made.
    pub(crate) fn run(&mut self, moves: u64, deadline: &Deadline) -> u64 {
        for made in 0..moves {
            if deadline.over() {
                return made;
            }
            self.step();
        }
        moves
    }

    /// Takes away, one by one, the copies and recomputes that the best plan does as well without.
    pub(crate) fn polish(&mut self, deadline: &Deadline) {
        let mut left = usize::MAX;
        while let Some((time, plan)) = self.best.clone() {
            let total = plan.back.len() + plan.again.len();
            left = left.min(total);
            if left == 0 || deadline.over() {
                return;
            }
            left -= 1;
            let mut candidate = plan;
            if left < candidate.back.len() {
                remove_back(&mut candidate, left);
            } else {
                candidate.again.remove(left - candidate.back.len());
            }
            if let Some(next) =
                assess_plan(self.problem, self.program, &self.swap, self.cap_bytes, &candidate)
                && next.excess <= 0.0
                && next.time <= time
            {
                self.best = Some((next.time, candidate));
            }
        }
    }

    fn note_best(&mut self) {
        if self.now.excess <= 0.0 && self.best.as_ref().is_none_or(|(time, _)| self.now.time < *time) {
            self.best = Some((self.now.time, self.plan.clone()));
        }
    }

    fn step(&mut self) {
        self.moves += 1;
        let at = self.moves % COOLING;
        if at == 0
            && let Some((_, plan)) = self.best.clone()
            && let Some(now) = assess_plan(self.problem, self.program, &self.swap, self.cap_bytes, &plan)
        {
            (self.plan, self.now) = (plan, now);
        }
        let temperature = self.hot * 0.001f64.powf(at as f64 / COOLING as f64);
        let Some(candidate) = self.propose() else { return };
        let Some(next) = assess_plan(self.problem, self.program, &self.swap, self.cap_bytes, &candidate)
        else {
            return;
        };
        let delta = next.time - self.now.time + self.weight * (next.excess - self.now.excess);
        if delta <= 0.0 || self.rng.random::<f64>() < (-delta / temperature).exp() {
            (self.plan, self.now) = (candidate, next);
            self.note_best();
        }
        self.weight *= if self.now.excess > 0.0 { 1.003 } else { 0.998 };
    }

    fn propose(&mut self) -> Option<Plan> {
        let mut plan = self.plan.clone();
        let choice: f64 = self.rng.random();
        if !self.now.short.is_empty() && choice < 0.5 {
            let at = self.now.short[self.rng.random_range(0..self.now.short.len())];
            self.relieve(&mut plan, at)?;
        } else if choice < 0.62 {
            self.take_away(&mut plan)?;
        } else if choice < 0.74 {
            self.turn(&mut plan)?;
        } else if choice < 0.92 {
            self.shift(&mut plan)?;
        } else {
            self.take_away(&mut plan)?;
            let at = self.rng.random_range(1..self.program.len() as Slot);
            self.relieve(&mut plan, at)?;
        }
        Some(plan)
    }

    /// Swaps or recomputes a value that is alive across `at` unused.
    fn relieve(&mut self, plan: &mut Plan, at: Slot) -> Option<()> {
        let mut best: Option<(f64, Slot, Slot)> = None;
        for _ in 0..40 {
            let slot = self.rng.random_range(0..at.max(1));
            let readers = self.program.readers(slot);
            let after = readers.partition_point(|&reader| reader < at);
            let Some(&next) = readers.get(after) else { continue };
            if next == at || self.program.size[slot as usize] <= 0.0 {
                continue;
            }
            let score = self.program.size[slot as usize] * self.rng.random::<f64>();
            if best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, slot, next));
            }
        }
        let (_, slot, next) = best?;
        let swappable = self.program.swappable[slot as usize];
        let repeatable = self.program.repeatable[slot as usize];
        if swappable && (!repeatable || self.rng.random_bool(0.6)) {
            let early = self.rng.random_range(0..4).min(next - at - 1);
            self.add_back(plan, slot, next - early, at)
        } else if repeatable {
            insert(&mut plan.again, Again { position: next, round: 0, slot })
        } else {
            None
        }
    }

    /// Brings a value back at a position; sends it out before `by` unless it is on the host anyway.
    fn add_back(&mut self, plan: &mut Plan, slot: Slot, position: Slot, by: Slot) -> Option<()> {
        insert(&mut plan.back, (position, slot))?;
        match plan.out.iter_mut().find(|(_, other)| *other == slot) {
            Some(out) if out.0 < by => {}
            Some(out) => out.0 = slot,
            None => {
                let readers = self.program.readers(slot);
                let before = readers.partition_point(|&reader| reader < by);
                let last = before.checked_sub(1).map_or(slot, |index| readers[index]);
                // Right away, or after the last use before.
                let position = if self.rng.random_bool(0.7) { slot } else { last };
                insert(&mut plan.out, (position, slot))?;
            }
        }
        Some(())
    }

    fn take_away(&mut self, plan: &mut Plan) -> Option<()> {
        let total = plan.again.len() + plan.back.len();
        if total == 0 {
            return None;
        }
        let index = self.rng.random_range(0..total);
        if index < plan.again.len() {
            plan.again.remove(index);
        } else {
            remove_back(plan, index - self.plan.again.len());
        }
        Some(())
    }

    /// Turns a recompute into a swap-in or the other way round.
    fn turn(&mut self, plan: &mut Plan) -> Option<()> {
        let total = plan.again.len() + plan.back.len();
        if total == 0 {
            return None;
        }
        let index = self.rng.random_range(0..total);
        if index < plan.again.len() {
            let Again { position, slot, .. } = plan.again.remove(index);
            if !self.program.swappable[slot as usize] {
                return None;
            }
            self.add_back(plan, slot, position, position)
        } else {
            let (position, slot) = remove_back(plan, index - plan.again.len());
            if !self.program.repeatable[slot as usize] {
                return None;
            }
            insert(&mut plan.again, Again { position, round: 0, slot })
        }
    }

    /// Moves a copy or a recompute by a few positions.
    fn shift(&mut self, plan: &mut Plan) -> Option<()> {
        let total = plan.again.len() + plan.back.len() + plan.out.len();
        if total == 0 {
            return None;
        }
        let index = self.rng.random_range(0..total);
        let far = i64::from(self.rng.random_range(1..6u32)) * if self.rng.random_bool(0.5) { 1 } else { -1 };
        let last = self.program.real as i64 - 1;
        let moved = |position: Slot, least: Slot, most: i64| {
            Slot::try_from((i64::from(position) + far).clamp(i64::from(least), most.max(i64::from(least))))
                .ok()
        };
        if index < plan.again.len() {
            let Again { position, round, slot } = plan.again.remove(index);
            let position = moved(position, slot + 1, last)?;
            return insert(&mut plan.again, Again { position, round, slot });
        }
        let index = index - plan.again.len();
        if index < plan.back.len() {
            let (position, slot) = plan.back.remove(index);
            let out = plan.out.iter().find(|(_, other)| *other == slot)?.0;
            return insert(&mut plan.back, (moved(position, out + 1, last)?, slot));
        }
        let (position, slot) = plan.out.remove(index - plan.back.len());
        let first_back = plan.back.iter().filter(|(_, other)| *other == slot).map(|&(at, _)| at).min()?;
        insert(&mut plan.out, (moved(position, slot, i64::from(first_back) - 1)?, slot))
    }
}

/// The best of plans by paging: every policy once, and then with disturbed prices, `tries` in all or until the time is over.
/// Under the cap before over it; none if there is no plan that breaks no other rule.
pub(crate) fn paged(
    problem: &Problem,
    program: &Program,
    swap: &SwapModel,
    cap_bytes: u64,
    seed: u64,
    tries: u64,
    deadline: &Deadline,
) -> Option<Plan> {
    let mut best: Option<(f64, f64, Plan)> = None;
    for (index, policy) in (0..tries).zip(Policy::ALL.into_iter().cycle()) {
        let undisturbed = index < Policy::ALL.len() as u64;
        if !undisturbed && deadline.over() {
            break;
        }
        let noise = if undisturbed { 0.0 } else { NOISE };
        let plan = page(program, swap, policy, noise, seed.wrapping_add(index));
        if let Some(state) = assess_plan(problem, program, swap, cap_bytes, &plan)
            && best.as_ref().is_none_or(|(excess, time, _)| (state.excess, state.time) < (*excess, *time))
        {
            best = Some((state.excess, state.time, plan));
        }
    }
    best.map(|(_, _, plan)| plan)
}

/// Most that the prices of a disturbed plan are raised by, relative.
const NOISE: f64 = 0.5;

/// Inserts in order; none if it is there already.
fn insert<T: Ord + Copy>(list: &mut Vec<T>, item: T) -> Option<()> {
    let index = list.binary_search(&item).err()?;
    list.insert(index, item);
    Some(())
}

/// Removes a swap-in, and the swap-out if it was the last.
fn remove_back(plan: &mut Plan, index: usize) -> (Slot, Slot) {
    let (position, slot) = plan.back.remove(index);
    if plan.back.iter().all(|(_, other)| *other != slot) {
        plan.out.retain(|(_, other)| *other != slot);
    }
    (position, slot)
}

/// What a plan takes; none if it breaks a rule other than the cap.
pub(crate) fn assess_plan(
    problem: &Problem,
    program: &Program,
    swap: &SwapModel,
    cap_bytes: u64,
    plan: &Plan,
) -> Option<State> {
    let schedule = expand(problem, &program.compact(plan)).ok()?;
    let Assessment { time, excess_bytes, short } = assess(problem, &schedule, Some(swap), cap_bytes).ok()?;
    let mut positions = Vec::with_capacity(short.len());
    if !short.is_empty() {
        let mut first_runs = 0;
        let mut seen = vec![false; problem.nodes.len()];
        let mut next = 0;
        for (index, step) in schedule.steps.iter().enumerate() {
            if short.get(next) == Some(&index) {
                positions.push(first_runs);
                next += 1;
            }
            if let Step::Compute(node) = *step
                && !std::mem::replace(&mut seen[node], true)
            {
                first_runs += 1;
            }
        }
    }
    Some(State { time, excess: excess_bytes as f64, short: positions })
}
