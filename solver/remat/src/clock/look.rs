//! Going through the positions that a move touches: what waits for what.

use super::{Clock, Copied, NEVER, Under};
use crate::program::Slot;
use crate::timeline::{Key, Timeline, first, is_back, is_out, position, start_of};

/// Where a look has got to.
struct Front {
    now: i64,
    /// Time of the runs so far: the rest was waited.
    ran: i64,
    out_free: i64,
    back_free: i64,
    /// Next copies and next step between first runs.
    out: usize,
    back: usize,
    between: usize,
    /// Bytes of host copies that are still needed.
    host_bytes: f64,
}

impl Clock {
    /// Goes through what was touched, and on until all is as before; none once more than `most` is waited. Without it all is
    /// looked at anew.
    pub(super) fn look(&mut self, line: &Timeline<'_>, most: Option<i64>) -> Option<()> {
        if !self.swap.overlap {
            return self.host_holds(line).then_some(());
        }
        let n = line.program.len() as Slot;
        let (low, high) = line.touched;
        self.found.clear();
        if low > high {
            self.found.total = self.total;
            return Some(());
        }
        let mut front = self.front(line, low);
        let mut at = low;
        loop {
            self.pass_removed(at);
            while self.outs.get(front.out).is_some_and(|copy| position(copy.0) == at) {
                self.issue_out(line, &mut front)?;
            }
            while let Some(&key) = line.between().get(front.between).filter(|&&key| position(key) == at) {
                if is_back(key) {
                    self.issue_back(line, &mut front, key)
                } else {
                    self.again(line, &mut front, key)
                }
                front.between += 1;
            }
            if at == n {
                break;
            }
            self.run(line, &mut front, first(at), at, line.first_bytes()[at as usize]);
            let was_now = self.ends[at as usize];
            let now = front.now;
            self.found.ends.push((at, now));
            at += 1;
            self.end(now, was_now);
            let Some(most) = most else { continue };
            if now - front.ran > most {
                return None;
            }
            let later = now - was_now;
            if at <= high && self.under.is_empty() {
                let to = self.next_event(&front, at).min(n);
                if to > at && to <= high {
                    self.found.shifts.push((at, to, later));
                    front.now = self.ends[to as usize - 1] + later;
                    front.ran = self.ran_before(to);
                    front.between +=
                        line.between()[front.between..].partition_point(|&key| key < start_of(to));
                    at = to;
                    continue;
                } else if to <= high {
                    continue;
                }
            }
            if at > high && self.as_before(later)
                || self.under.is_empty() && self.next_event(&front, at) > high
            {
                self.found.shifts.push((at, n, later));
                self.found.rest = Some((front.out, front.back, later));
                self.found.total = self.total + later;
                return Some(());
            }
        }
        self.found.total = front.now.max(front.out_free).max(front.back_free);
        Some(())
    }

    /// What is under way when a position begins.
    fn front(&mut self, line: &Timeline<'_>, at: Slot) -> Front {
        let start = start_of(at);
        let now = at.checked_sub(1).map_or(0, |last| self.ends[last as usize]);
        let before = |list: &[Copied]| list.partition_point(|copy| copy.0 < start);
        let (out, back) = (before(&self.outs), before(&self.backs));
        let end = |list: &[Copied], next: usize| next.checked_sub(1).map_or(0, |last| list[last].1);
        let mut front = Front {
            now,
            ran: self.ran_before(at),
            out_free: end(&self.outs, out),
            back_free: end(&self.backs, back),
            out,
            back,
            between: line.between().partition_point(|&key| key < start),
            host_bytes: 0.0,
        };
        self.under.clear();
        self.soonest = (NEVER, NEVER);
        // One direction ends in order of issue.
        for index in (0..out).rev().take_while(|&index| self.outs[index].1 > now) {
            let (key, end) = self.outs[index];
            let copy = self.under_way(line, key, end, end);
            self.under.push(copy);
            let again = line.runs(copy.slot).iter().filter(|&&run| key < run && run < start && !is_back(run));
            self.under.extend(again.map(|&run| remade(line, copy, run)));
        }
        for index in (0..back).rev().take_while(|&index| self.backs[index].1 > now) {
            let (key, end) = self.backs[index];
            let copy = self.under_way(line, key, end, end);
            self.under.push(copy);
        }
        if self.swap.host_capacity_bytes.is_some() {
            let held = self.outs[..out].iter().map(|&(key, _)| (key, line.node(key)));
            let held = held.filter(|&(_, slot)| host_until(line, slot) >= Some(start));
            front.host_bytes = held.map(|(_, slot)| line.program.size[slot as usize]).sum();
        }
        front
    }

    fn under_way(&self, line: &Timeline<'_>, key: Key, was: i64, end: i64) -> Under {
        let slot = line.node(key);
        let back = is_back(key);
        let span = if back { Some(line.span_at(slot, key)) } else { line.span_before(slot, key) };
        let held_until = span.map_or(key, |span| span.end);
        // A copy to the host waits, but nobody waits with it.
        let mut uses = std::iter::successors(line.next_use(slot, key), |&step| line.next_use(slot, step));
        let first_use = if back { uses.find(|&step| !is_out(step)) } else { None };
        let bytes = line.program.size[slot as usize];
        let last_on_host = self.swap.host_capacity_bytes.is_some() && { host_until(line, slot) == Some(key) };
        Under {
            slot,
            back,
            held_until,
            first_use: first_use.filter(|&step| step <= held_until).unwrap_or(Key::MAX),
            was,
            end,
            bytes,
            host_bytes: if last_on_host { bytes } else { 0.0 },
        }
    }

    /// Copies removed at a position are under way as they were.
    fn pass_removed(&mut self, at: Slot) {
        let (changes, under) = (&self.changes, &mut self.under);
        for &(key, slot, end) in changes {
            if let Some(was) = end.filter(|&end| end != NEVER && position(key) == at) {
                under.push(Under {
                    slot,
                    back: false,
                    held_until: Key::MAX,
                    first_use: Key::MAX,
                    was,
                    end: NEVER,
                    bytes: 0.0,
                    host_bytes: 0.0,
                });
                self.soonest.0 = self.soonest.0.min(was);
            }
        }
    }

    fn issue_out(&mut self, line: &Timeline<'_>, front: &mut Front) -> Option<()> {
        let (key, was) = self.outs[front.out];
        let mut copy = self.under_way(line, key, was, NEVER);
        if let Some(limit) = self.swap.host_capacity_bytes {
            let needed = front.host_bytes + copy.bytes;
            let leaving = |under: &Under| under.host_bytes;
            front.now = waited(&self.under, front.now, needed, limit as f64, leaving);
            if needed > limit as f64 {
                return None;
            }
            if copy.host_bytes == 0.0 {
                front.host_bytes = needed;
            }
        }
        copy.end = front.now.max(front.out_free) + self.out_time[copy.slot as usize];
        front.out_free = copy.end;
        self.found.outs.push((front.out, copy.end));
        self.start(copy);
        front.out += 1;
        Some(())
    }

    fn issue_back(&mut self, line: &Timeline<'_>, front: &mut Front, key: Key) {
        let was = self.backs[front.back].1;
        let mut copy = self.under_way(line, key, was, NEVER);
        front.now = self.started(line, key, line.between_bytes()[front.between], front.now);
        let gone = self.under.iter().filter(|under| !under.back && under.slot == copy.slot);
        let gone = gone.map(|under| under.end).max().unwrap_or(NEVER);
        copy.end = front.now.max(front.back_free).max(gone) + self.back_time[copy.slot as usize];
        front.back_free = copy.end;
        front.host_bytes -= copy.host_bytes;
        self.found.backs.push((front.back, copy.end));
        self.start(copy);
        front.back += 1;
    }

    fn again(&mut self, line: &Timeline<'_>, front: &mut Front, key: Key) {
        let slot = line.node(key);
        self.run(line, front, key, slot, line.between_bytes()[front.between]);
        let now = front.now;
        let leaving = |under: &&Under| !under.back && under.slot == slot && under.end > now;
        if let Some(&copy) = self.under.iter().find(leaving) {
            self.start(remade(line, copy, key));
        }
    }

    fn run(&self, line: &Timeline<'_>, front: &mut Front, step: Key, slot: Slot, bytes: f64) {
        let time = self.time[slot as usize];
        front.now = self.started(line, step, bytes, front.now) + time;
        front.ran += time;
    }

    /// Forgets copies that are under way no longer, nor were.
    fn end(&mut self, now: i64, was_now: i64) {
        if now < self.soonest.1 && was_now < self.soonest.0 {
            return;
        }
        self.under.retain(|copy| copy.end > now || copy.was > was_now);
        let soonest = |of: fn(&Under) -> i64, after: i64| {
            self.under.iter().map(of).filter(|&end| end > after).min().unwrap_or(i64::MAX)
        };
        self.soonest = (soonest(|copy| copy.was, was_now), soonest(|copy| copy.end, now));
    }

    /// Adds a copy to those under way.
    fn start(&mut self, copy: Under) {
        self.soonest = (self.soonest.0.min(copy.was), self.soonest.1.min(copy.end));
        self.under.push(copy);
    }

    /// When a step starts: what it reads is there, and memory for it.
    fn started(&self, line: &Timeline<'_>, step: Key, bytes: f64, now: i64) -> i64 {
        if self.under.is_empty() {
            return now;
        }
        let (held, back) =
            self.under.iter().fold((0.0, false), |(held, back), copy| (held + copy.bytes, back | copy.back));
        if !back && bytes + held <= line.program.cap {
            return now;
        }
        let read = self.under.iter().filter(|copy| copy.first_use == step).map(|copy| copy.end);
        let now = read.max().map_or(now, |ready| now.max(ready));
        waited(&self.under, now, bytes, line.program.cap, |copy| {
            if copy.held_until < step { copy.bytes } else { 0.0 }
        })
    }

    /// First position from `at` on with a copy or a change.
    fn next_event(&self, front: &Front, at: Slot) -> Slot {
        let copies = [self.outs.get(front.out), self.backs.get(front.back)];
        let copies = copies.into_iter().flatten().map(|copy| position(copy.0));
        let changes = self.changes.iter().map(|change| position(change.0)).filter(|&position| position >= at);
        copies.chain(changes).min().unwrap_or(Slot::MAX)
    }

    /// Is every copy under way as it was, so much later? One of a value that was inserted or removed is not.
    fn as_before(&self, later: i64) -> bool {
        self.under.iter().all(|copy| {
            copy.was != NEVER
                && copy.end != NEVER
                && copy.end - copy.was == later
                && self.changes.iter().all(|change| change.1 != copy.slot)
        })
    }

    /// With little host memory all is touched while a value copied to the host is there.
    pub(super) fn touch_host_copies(&self, line: &mut Timeline<'_>) {
        if self.swap.host_capacity_bytes.is_none() {
            return;
        }
        for &(_, slot, _) in &self.changes {
            let back = line.runs(slot).iter().copied().rfind(|&run| is_back(run));
            let keys: Vec<Key> = line.out(slot).into_iter().chain(back).collect();
            for key in keys {
                line.touched = (line.touched.0.min(position(key)), line.touched.1.max(position(key)));
            }
        }
    }

    /// Does the host hold all copies, where each counts in full and nothing is under way?
    fn host_holds(&self, line: &Timeline<'_>) -> bool {
        let Some(limit) = self.swap.host_capacity_bytes else { return true };
        let (mut held, mut back) = (0.0, 0);
        self.outs.iter().all(|&(key, _)| {
            while let Some(&(earlier, _)) = self.backs.get(back).filter(|copy| copy.0 < key) {
                held -= self.under_way(line, earlier, NEVER, NEVER).host_bytes;
                back += 1;
            }
            let copy = self.under_way(line, key, NEVER, NEVER);
            let fits = held + copy.bytes <= limit as f64;
            held += copy.bytes - copy.host_bytes;
            fits
        })
    }
}

/// The memory of a value made again while it is copied to the host is held until that copy ends, too.
fn remade(line: &Timeline<'_>, copy: Under, run: Key) -> Under {
    Under { held_until: line.span_at(copy.slot, run).end, was: NEVER, host_bytes: 0.0, ..copy }
}

/// Last step that needs the host copy of a value.
fn host_until(line: &Timeline<'_>, slot: Slot) -> Option<Key> {
    line.runs(slot).iter().copied().rfind(|&run| is_back(run)).or(line.out(slot))
}

/// The first moment from `now` on at which `bytes` fit, or nothing under way is left to wait for; `leaving` says what a copy
/// gives back at its end.
fn waited(under: &[Under], mut now: i64, bytes: f64, limit: f64, leaving: impl Fn(&Under) -> f64) -> i64 {
    loop {
        let (mut held, mut soonest) = (0.0, i64::MAX);
        for copy in under.iter().filter(|copy| copy.end > now) {
            let bytes = leaving(copy);
            if bytes > 0.0 {
                held += bytes;
                soonest = soonest.min(copy.end);
            }
        }
        if soonest == i64::MAX || bytes + held <= limit {
            return now;
        }
        now = soonest;
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Problem, assess, expand};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use ballast_core::memory::SwapModel;

    use super::*;
    use crate::program::Program;
    use crate::random::random_problem;
    use crate::timeline::UNTOUCHED;

    /// A step to insert or remove; none where a copy back would have nothing to come from.
    fn random_step(rng: &mut ChaCha8Rng, line: &Timeline<'_>) -> Option<Key> {
        let program = line.program;
        let position = rng.random_range(1..program.len() as Slot);
        let slot = rng.random_range(0..position.min(program.real as Slot));
        let out = line.out(slot);
        let copied = program.swappable[slot as usize];
        let key = match rng.random_range(0..5) {
            0 => line.key(position, rng.random_range(0..3), slot),
            1 | 2 if copied => {
                let read = line.runs(slot).iter().any(|&run| is_back(run));
                match out {
                    Some(_) if read => return None,
                    Some(out) => out,
                    None => line.out_key(position, slot),
                }
            }
            3 | 4 if copied && out.is_some_and(|out| out < line.back_key(position, slot)) => {
                line.back_key(position, slot)
            }
            _ => return None,
        };
        Some(key)
    }

    fn toggle(line: &mut Timeline<'_>, clock: &mut Clock, key: Key) {
        if line.holds(key) || line.out(line.node(key)) == Some(key) {
            line.remove(key);
            clock.removed(line, key);
        } else {
            line.insert(key);
            clock.inserted(line, key);
        }
    }

    /// Time beyond running everything once and bytes over the cap of what is on the timeline, from the judge; none where the host
    /// is too small.
    fn judged(problem: &Problem, line: &Timeline<'_>, swap: &SwapModel, cap: u64) -> Option<(f64, f64)> {
        let plan = line.whole_plan();
        let program = line.program;
        let schedule = expand(problem, &program.compact(&plan)).unwrap();
        let found = assess(problem, &schedule, Some(swap), cap).ok()?;
        Some((found.time - problem.total_time(), found.excess_bytes as f64))
    }

    fn close(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
            (None, None) => true,
            _ => false,
        }
    }

    /// Moves kept and moves forgotten, one after the other on random programs: the clock says what the judge says, and the same to
    /// the last bit as one that starts anew.
    #[test]
    fn random_moves_agree_with_the_judge() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut waited, mut refused) = (0, 0);
        for round in 0..600 {
            let mut problem = random_problem(&mut rng, 3..30, 0.15, 1.0);
            // Times whose sums round.
            problem.nodes.iter_mut().for_each(|node| node.time *= 0.7);
            let cap = (problem.unplanned_peak() as f64 * rng.random_range(0.5..1.0)) as u64;
            let swap = SwapModel {
                out_bandwidth: rng.random_range(2.0..60.0),
                in_bandwidth: rng.random_range(2.0..60.0),
                latency: rng.random_range(0.0..2.0),
                overlap: round % 4 > 0,
                host_capacity_bytes: (round % 3 == 0).then(|| rng.random_range(30..150)),
            };
            let program = Program::new(&problem, None, cap).with_rounds(true);
            let mut line = Timeline::new(&program);
            let mut clock = Clock::new(&mut line, swap).unwrap();
            for _ in 0..60 {
                let keys: Vec<Key> = (0..rng.random_range(1..4))
                    .filter_map(|_| {
                        let key = random_step(&mut rng, &line)?;
                        toggle(&mut line, &mut clock, key);
                        Some(key)
                    })
                    .collect();
                let extra = clock.extra(&mut line, f64::MAX);
                let judge = judged(&problem, &line, &swap, program.cap as u64);
                assert!(close(extra, judge.map(|(extra, _)| extra)), "{extra:?} {judge:?} {keys:x?}");
                let anew = Clock::new(&mut line.clone(), swap).map(|clock| clock.kept_extra(&line));
                assert_eq!(extra, anew);
                if let Some((extra, excess)) = judge {
                    assert!((line.excess - excess).abs() < 1e-6 || program.len() > program.real);
                    waited += usize::from(extra > line.extra_time + 1e-6);
                } else {
                    refused += 1;
                }
                if extra.is_none() || rng.random_bool(0.4) {
                    for &key in keys.iter().rev() {
                        if line.holds(key) || line.out(line.node(key)) == Some(key) {
                            line.remove(key)
                        } else {
                            line.insert(key)
                        }
                    }
                    line.touched = UNTOUCHED;
                    clock.forget();
                } else {
                    clock.keep();
                }
            }
        }
        assert!(waited > 5000 && refused > 500, "{waited} {refused}");
    }
}
