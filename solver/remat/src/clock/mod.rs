//! When everything ends: the judge's clock on a [timeline](crate::timeline), kept up to date as steps come and go.
//!
//! Memory follows from steps alone; time does not, since copies run beside computation and computation waits for them. What is
//! waited for at a position follows from the copies still under way there, few of all. So the clock keeps when each first run and
//! each copy ended, goes again through the positions that a move touches and on until every copy under way is as far from its end
//! as it was before; from there all is as before, so much later or earlier. Where no copy is under way it leaps to the next copy or
//! change. A value is copied to the host at most once. Times are whole numbers of a small unit, so that a shifted end is exactly
//! what a replay from the start would give.

mod look;

use ballast_core::memory::SwapModel;

use crate::program::Slot;
use crate::timeline::{Key, Timeline, UNTOUCHED, is_back, is_out, position};

/// Units of running everything once and copying everything once in both directions; sums of a thousand times as much fit.
const UNITS: f64 = (1u64 << 52) as f64;
/// The end of what has none: a copy that was not there before, or is no longer.
const NEVER: i64 = i64::MIN;

/// A copy under way, as it was and as it is.
#[derive(Clone, Copy)]
struct Under {
    slot: Slot,
    back: bool,
    /// Last step that needs the memory it holds, and first that waits for its end.
    held_until: Key,
    first_use: Key,
    /// When it ended before the move, and now.
    was: i64,
    end: i64,
    bytes: f64,
    /// Bytes of host memory that are free once it has ended.
    host_bytes: f64,
}

/// A copy and its end.
type Copied = (Key, i64);

/// Ends of first runs and copies.
pub(crate) struct Clock {
    swap: SwapModel,
    /// Time of the problem per unit.
    unit: f64,
    time: Vec<i64>,
    out_time: Vec<i64>,
    back_time: Vec<i64>,
    /// Time of running everything once.
    once: i64,
    /// End of each first run.
    ends: Vec<i64>,
    /// Copies in order of issue.
    outs: Vec<Copied>,
    backs: Vec<Copied>,
    /// End of the plan; where copies count in full, of the copies alone.
    total: i64,
    /// Time of all recomputes, and of those before each position as sums over powers of two (Fenwick, "A new data structure for
    /// cumulative frequency tables", 1994).
    again: i64,
    again_sums: Vec<i64>,
    /// Time of the first runs before each position.
    before: Vec<i64>,
    /// Steps inserted and removed since the last look, with the ends of those removed.
    changes: Vec<(Key, Slot, Option<i64>)>,
    /// What the last look found, to be kept or forgotten.
    found: Found,
    under: Vec<Under>,
    /// Nothing under way ends before, as it was and as it is.
    soonest: (i64, i64),
}

/// Ends after a move.
#[derive(Default)]
struct Found {
    ends: Vec<(Slot, i64)>,
    /// First runs that end so much later: from, to, difference.
    shifts: Vec<(Slot, Slot, i64)>,
    outs: Vec<(usize, i64)>,
    backs: Vec<(usize, i64)>,
    /// Copies from these on end so much later.
    rest: Option<(usize, usize, i64)>,
    total: i64,
}

impl Found {
    fn clear(&mut self) {
        self.ends.clear();
        self.shifts.clear();
        self.outs.clear();
        self.backs.clear();
        self.rest = None;
    }
}

impl Clock {
    /// The clock of a plan; none if the host has no room for its copies.
    pub(crate) fn new(line: &mut Timeline<'_>, swap: SwapModel) -> Option<Self> {
        let program = line.program;
        let copied = |of: &dyn Fn(u64) -> f64| -> Vec<f64> {
            program.size.iter().map(|&size| of(size as u64)).collect()
        };
        let (out_time, back_time) =
            (copied(&|bytes| swap.out_time(bytes)), copied(&|bytes| swap.in_time(bytes)));
        let whole = program.total_time + out_time.iter().sum::<f64>() + back_time.iter().sum::<f64>();
        let unit = if whole > 0.0 && whole.is_finite() { whole / UNITS } else { 1.0 };
        let units =
            |times: &[f64]| -> Vec<i64> { times.iter().map(|&time| (time / unit).round() as i64).collect() };
        let time = units(&program.time);
        let mut clock = Clock {
            swap,
            unit,
            once: time.iter().sum(),
            time,
            out_time: units(&out_time),
            back_time: units(&back_time),
            ends: Vec::new(),
            outs: Vec::new(),
            backs: Vec::new(),
            total: 0,
            changes: Vec::new(),
            found: Found::default(),
            under: Vec::new(),
            soonest: (NEVER, NEVER),
            again: 0,
            again_sums: Vec::new(),
            before: Vec::new(),
        };
        clock.restart(line).then_some(clock)
    }

    /// Starts anew from what is on the timeline; false if the host has no room for it.
    pub(crate) fn restart(&mut self, line: &mut Timeline<'_>) -> bool {
        self.changes.clear();
        self.outs.clear();
        for slot in 0..line.program.len() as Slot {
            self.outs.extend(line.out(slot).map(|key| (key, NEVER)));
        }
        self.outs.sort_unstable();
        let backs = line.between().iter().filter(|&&key| is_back(key));
        self.backs = backs.map(|&key| (key, NEVER)).collect();
        if !self.swap.overlap {
            let time = |list: &[Copied], times: &[i64]| -> i64 {
                list.iter().map(|&(key, _)| times[line.node(key) as usize]).sum()
            };
            self.total = time(&self.outs, &self.out_time) + time(&self.backs, &self.back_time);
        }
        self.before = std::iter::once(0)
            .chain(self.time.iter().scan(0, |sum, time| {
                *sum += time;
                Some(*sum)
            }))
            .collect();
        self.again = 0;
        self.again_sums = vec![0; line.program.len() + 1];
        for &key in line.between() {
            self.count_again(key, line.node(key), 1);
        }
        self.ends = vec![0; line.program.len()];
        line.touched = (0, line.program.len() as Slot);
        let fits = self.look(line, None).is_some();
        self.keep();
        line.touched = UNTOUCHED;
        fits
    }

    /// Hears of a step that the timeline has got.
    pub(crate) fn inserted(&mut self, line: &Timeline<'_>, key: Key) {
        let slot = line.node(key);
        self.changes.push((key, slot, None));
        self.count_again(key, slot, 1);
        self.put((key, NEVER), slot);
    }

    /// Hears of a step that the timeline has lost.
    pub(crate) fn removed(&mut self, line: &Timeline<'_>, key: Key) {
        let slot = line.node(key);
        let end = self.take(key, slot);
        self.count_again(key, slot, -1);
        self.changes.push((key, slot, Some(end)));
    }

    /// Counts the time of a step that comes or goes, if it is a recompute.
    fn count_again(&mut self, key: Key, slot: Slot, sign: i64) {
        if is_back(key) || is_out(key) {
            return;
        }
        let time = sign * self.time[slot as usize];
        self.again += time;
        let mut index = position(key) as usize + 1;
        while let Some(sum) = self.again_sums.get_mut(index) {
            *sum += time;
            index += index & index.wrapping_neg();
        }
    }

    /// Time of all runs before a position.
    fn ran_before(&self, at: Slot) -> i64 {
        let mut index = at as usize;
        let mut sum = self.before[index];
        while index > 0 {
            sum += self.again_sums[index];
            index &= index - 1;
        }
        sum
    }

    fn put(&mut self, copy: Copied, slot: Slot) {
        let (list, time) = match (is_out(copy.0), is_back(copy.0)) {
            (true, _) => (&mut self.outs, self.out_time[slot as usize]),
            (_, true) => (&mut self.backs, self.back_time[slot as usize]),
            _ => return,
        };
        list.insert(list.partition_point(|&(key, _)| key < copy.0), copy);
        if !self.swap.overlap {
            self.total += time;
        }
    }

    fn take(&mut self, key: Key, slot: Slot) -> i64 {
        let (list, time) = match (is_out(key), is_back(key)) {
            (true, _) => (&mut self.outs, self.out_time[slot as usize]),
            (_, true) => (&mut self.backs, self.back_time[slot as usize]),
            _ => return NEVER,
        };
        if !self.swap.overlap {
            self.total -= time;
        }
        match list.binary_search_by_key(&key, |&(key, _)| key) {
            Ok(index) => list.remove(index).1,
            Err(_) => NEVER,
        }
    }

    /// Keeps what the last look found.
    pub(crate) fn keep(&mut self) {
        self.changes.clear();
        if !self.swap.overlap {
            return;
        }
        let Found { ends, shifts, outs, backs, rest, total } = &self.found;
        for &(at, end) in ends {
            self.ends[at as usize] = end;
        }
        for &(from, to, later) in shifts.iter().filter(|&&(.., later)| later != 0) {
            self.ends[from as usize..to as usize].iter_mut().for_each(|end| *end += later);
        }
        outs.iter().for_each(|&(index, end)| self.outs[index].1 = end);
        backs.iter().for_each(|&(index, end)| self.backs[index].1 = end);
        if let Some((out, back, later)) = *rest {
            self.outs[out..].iter_mut().chain(&mut self.backs[back..]).for_each(|copy| copy.1 += later);
        }
        self.total = *total;
    }

    /// Forgets the steps heard of since the last [`Clock::keep`].
    pub(crate) fn forget(&mut self) {
        while let Some((key, slot, end)) = self.changes.pop() {
            self.count_again(key, slot, if end.is_some() { 1 } else { -1 });
            match end {
                Some(end) => self.put((key, end), slot),
                None => drop(self.take(key, slot)),
            }
        }
    }

    /// Time that every plan with these copies takes beyond its runs.
    pub(crate) fn least_wait(&self) -> f64 {
        if self.swap.overlap { 0.0 } else { self.total as f64 * self.unit }
    }

    /// Time beyond running everything once, after the steps heard of; none if it is found to be above `most`, or if the host has no
    /// room for the copies.
    pub(crate) fn extra(&mut self, line: &mut Timeline<'_>, most: f64) -> Option<f64> {
        self.touch_host_copies(line);
        // What lies beyond 64 bits is no limit.
        let wait = (most / self.unit) as i64;
        self.look(line, Some(wait.saturating_sub(self.again).saturating_add(1)))?;
        line.touched = UNTOUCHED;
        Some(if self.swap.overlap {
            (self.found.total - self.once) as f64 * self.unit
        } else {
            line.extra_time + self.total as f64 * self.unit
        })
    }

    /// The same for the steps kept.
    pub(crate) fn kept_extra(&self, line: &Timeline<'_>) -> f64 {
        if self.swap.overlap {
            (self.total - self.once) as f64 * self.unit
        } else {
            line.extra_time + self.total as f64 * self.unit
        }
    }
}
