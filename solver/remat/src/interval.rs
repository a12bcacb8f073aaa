//! The interval model: residency at critical positions, recomputes between them. An exact relaxation.
//!
//! For critical positions c_1 < ... < c_k: `stay_v_j` says that the value of v is on the device while c_j runs,
//! `again_v_j` that v runs again after c_j and at or before c_(j+1). Row families (docs/memory-planner.md):
//! - `carry_v_j`: what stays at c_(j+1) stayed at c_j or ran again between;
//! - `use_v_j`: what a first run in interval j reads stayed at c_j or ran again;
//! - `source_v_u_j`: what a recompute reads likewise;
//! - `capacity_j`: bytes at c_j are at most the cap;
//! - `running_v_j`: bytes while v runs again in interval j are at most the cap: v, its inputs, and what is
//!   certain to be there at that moment. Added where a solution breaks them.
//!
//! Further rows are covers of memory rows ([`crate::cover`]), what a window of intervals says of runs as a whole ([`crate::windows`]), and which
//! values can be there together at the end of an interval ([`crate::passage`]).
//!
//! With a host link `back_v_j` says that v comes back from the host in interval j and `out_v` that it was ever copied there: a
//! third way to be there in the first three families, and
//! - `out_v_j`: what comes back went out, once for all.
//!
//! Where copies count in full, both pay for them. Where copies run beside computation, what they cost is the time that computation
//! waits: [`crate::link`]. Values that are on the host alone wait like others there, and have no columns, but in small programs: [`crate::host`].
//!
//! Every plan in the compact form gives a feasible point of no larger cost, so that the optimum is a lower bound
//! for all plans with this order of first runs. With all positions critical and all rows the model is exact.

use ballast_core::memory::SwapModel;

use crate::host::{Beside, DETAILED, Host};
use crate::link::Link;
use crate::model::{ABSENT, ALWAYS, Column, Model, Row, WHOLE_CAP, WHOLE_TIME, merge, name, single, triple};
use crate::program::{Again, Plan, Program, Slot};
use crate::timeline::{Timeline, first, position};

/// Room for rounding in memory rows, in memory units.
const ROUNDING: f64 = 1e-7;

/// One column, or the constant 1 (`Column::MAX`), less up to four others.
#[derive(Clone, Copy)]
struct Term {
    plus: Column,
    minus: [Option<Column>; 4],
}

/// The model of one set of critical positions.
pub(crate) struct Interval<'a> {
    pub(crate) program: &'a Program,
    /// c_1 < ... < c_k.
    pub(crate) critical: Vec<Slot>,
    pub(crate) model: Model,
    /// Column of `stay` per critical position and slot.
    pub(crate) stay: Vec<Vec<u32>>,
    /// Column of `again` per interval and slot.
    pub(crate) again: Vec<Vec<u32>>,
    /// Column of `back` per interval and slot.
    pub(crate) back: Vec<Vec<u32>>,
    /// The host link, where copies run beside computation.
    pub(crate) link: Option<Link>,
    /// What is on the host, where the model says it of copies beside computation.
    pub(crate) host: Option<Host>,
    /// May values be swapped, and are copies back in the model?
    pub(crate) copies: bool,
    bytes: f64,
}

impl<'a> Interval<'a> {
    /// The model; its objective counts in units of `time_unit`.
    pub(crate) fn new(program: &'a Program, critical: &[Slot], time_unit: f64) -> Self {
        Interval::with_swaps(program, critical, time_unit, None)
    }

    /// The same with copies to and from the host. Where they run beside computation, only plans are in it that wait for less than
    /// [`WHOLE_TIME`].
    pub(crate) fn with_swaps(
        program: &'a Program,
        critical: &[Slot],
        time_unit: f64,
        swap: Option<&SwapModel>,
    ) -> Self {
        let bytes = WHOLE_CAP / program.cap.max(1.0);
        let time = 1.0 / time_unit.max(f64::MIN_POSITIVE);
        let useful = last_useful(program);
        // Copies beside computation take none of its time: what they are worth is said by the rows of the link.
        let in_full = swap.filter(|swap| !swap.overlap);
        let copies = swap.filter(|swap| !swap.overlap || program.len() <= DETAILED);
        let mut model = Model::default();
        let (mut stay, mut again, mut back) = (Vec::new(), Vec::new(), Vec::new());
        let mut out = vec![ABSENT; program.len()];
        for (j, &c) in critical.iter().enumerate() {
            let mut stays = vec![ABSENT; c as usize + 1];
            let mut agains = vec![ABSENT; c as usize + 1];
            let mut backs = vec![ABSENT; c as usize + 1];
            for &input in program.inputs(c) {
                stays[input as usize] = ALWAYS;
            }
            stays[c as usize] = ALWAYS;
            for v in 0..=c {
                let at = v as usize;
                if useful[at] <= c {
                    continue;
                }
                if stays[at] == ABSENT {
                    stays[at] = model.binary(name("stay", at, j), 0.0) as u32;
                }
                if program.repeatable[at] {
                    agains[at] = model.binary(name("again", at, j), program.time[at] * time) as u32;
                }
                if copies.is_some() && program.swappable[at] {
                    let size = program.size[at] as u64;
                    let cost = in_full.map_or(0.0, |swap| swap.in_time(size) * time);
                    let column = model.binary(name("back", at, j), cost);
                    backs[at] = column as u32;
                    if let Some(swap) = in_full {
                        if out[at] == ABSENT {
                            out[at] = model.binary(single("out", at), swap.out_time(size) * time) as u32;
                        }
                        let terms = vec![(column, 1.0), (out[at] as Column, -1.0)];
                        model.at_most(name("out", at, j), terms, 0.0);
                    }
                }
            }
            stay.push(stays);
            again.push(agains);
            back.push(backs);
        }
        let link = swap
            .filter(|swap| swap.overlap)
            .map(|swap| Link::new(program, swap, critical.len(), (time, bytes), &mut model));
        let beside = Beside { critical, stay: &stay, again: &again, back: &back };
        let has_host = |swap: &&SwapModel| swap.overlap || swap.host_capacity_bytes.is_some();
        let host = copies
            .filter(has_host)
            .filter(|_| program.len() <= DETAILED)
            .map(|swap| Host::new(program, swap, beside, time, &mut model));
        let mut interval = Interval {
            program,
            critical: critical.to_vec(),
            model,
            stay,
            again,
            back,
            link,
            host,
            copies: copies.is_some(),
            bytes,
        };
        for j in 0..critical.len() {
            interval.rows_of(j);
        }
        if let Some(link) = &interval.link {
            let slices = [&[][..]].into_iter().chain(interval.again.iter().map(Vec::as_slice));
            let rows = slices.enumerate().map(|(slice, agains)| link.later(slice, agains));
            interval.model.rows.extend(rows);
        }
        interval
    }

    /// Memory units that the cap leaves beside what a position reads and makes.
    pub(crate) fn room(&self, position: Slot) -> f64 {
        let program = self.program;
        let own = [position];
        let fixed: f64 = program.inputs(position).iter().chain(&own).map(|&v| program.size[v as usize]).sum();
        (program.cap - program.workspace[position as usize] - fixed) * self.bytes + ROUNDING
    }

    /// Memory units of a byte.
    pub(crate) fn unit_bytes(&self) -> f64 {
        self.bytes
    }

    /// Memory units of a value.
    pub(crate) fn units(&self, v: usize) -> f64 {
        self.program.size[v] * self.bytes
    }

    /// First runs of interval j: after c_j, up to and with c_(j+1) or the end.
    pub(crate) fn first_runs(&self, j: usize) -> std::ops::Range<Slot> {
        let end = self.critical.get(j + 1).map_or(self.program.len() as Slot, |&next| next + 1);
        self.critical[j] + 1..end
    }

    /// Times of the recomputes in some intervals that have no column in the one of a coarser model that these are parts of: of what runs first in it.
    pub(crate) fn times_without_column(
        &self,
        coarser: &Interval<'_>,
        j: usize,
        parts: std::ops::Range<usize>,
    ) -> Vec<(Column, f64)> {
        let Some(link) = &self.link else { return Vec::new() };
        let runs = coarser.first_runs(j);
        let agains = parts.flat_map(|i| self.again[i].iter().enumerate());
        let own = agains.filter(|&(v, &column)| column != ABSENT && runs.contains(&(v as Slot)));
        own.map(|(v, &column)| (column as Column, link.time[v])).collect()
    }

    fn rows_of(&mut self, j: usize) {
        let c = self.critical[j];
        let stays = self.stay[j].iter().enumerate();
        let capacity = stays
            .filter(|&(v, &column)| column != ABSENT && column != ALWAYS && self.program.size[v] > 0.0)
            .map(|(v, &column)| (column as Column, self.units(v)))
            .collect();
        // Without such columns values that stay may be on the host alone.
        if self.link.is_none() || self.copies {
            self.model.at_most(single("capacity", j), capacity, self.room(c));
        }
        let runs = self.first_runs(j);
        for v in 0..c {
            let at = v as usize;
            let ways = [self.stay[j][at], self.again[j][at], self.back[j][at]];
            let [stay, ..] = ways;
            if stay == ALWAYS {
                continue;
            }
            let there = |mut terms: Vec<(Column, f64)>, sign: f64| {
                terms.extend(ways.into_iter().filter(|&c| c != ABSENT).map(|c| (c as Column, sign)));
                terms
            };
            let readers = self.program.readers(v);
            let next = readers.partition_point(|&reader| reader < runs.start);
            if readers.get(next).is_some_and(|&reader| reader < runs.end) {
                self.model.at_least(name("use", at, j), there(Vec::new(), 1.0), 1.0);
            } else if let Some(later) = self.stay.get(j + 1).map(|stays| stays[at])
                && later != ABSENT
                && later != ALWAYS
            {
                self.model.at_most(name("carry", at, j), there(vec![(later as Column, 1.0)], -1.0), 0.0);
            }
            for &reader in &readers[..readers.partition_point(|&reader| reader <= c)] {
                let column = self.again[j][reader as usize];
                if column != ABSENT {
                    let terms = there(vec![(column as Column, 1.0)], -1.0);
                    self.model.at_most(triple("source", at, reader as usize, j), terms, 0.0);
                }
            }
        }
    }

    /// Rows `running_v_j` that a point breaks by more than `tolerance` memory units, for recomputes of weight
    /// at least `weight`.
    pub(crate) fn broken_running(&self, point: &[f64], weight: f64, tolerance: f64) -> Vec<Row> {
        let mut rows = Vec::new();
        for j in 0..self.critical.len().saturating_sub(1) {
            for (v, &column) in self.again[j].iter().enumerate() {
                if column != ABSENT && point[column as usize] >= weight {
                    rows.extend(self.running(v, j, point, tolerance));
                }
            }
        }
        rows
    }

    /// The row `running_v_j` that counts for every other value the largest of the terms that show it to be
    /// there while v runs again; none unless the point breaks it.
    fn running(&self, v: usize, j: usize, point: &[f64], tolerance: f64) -> Option<Row> {
        let program = self.program;
        let own = self.again[j][v] as Column;
        let own_bytes = (program.size[v] + program.workspace[v]) * self.bytes;
        let mut terms = vec![(own, own_bytes)];
        let carried =
            self.link.as_ref().filter(|_| !self.copies).map_or(0.0, |link| self.most_carried(link, j));
        let most = WHOLE_CAP + carried;
        let mut upper = most + ROUNDING;
        let mut used = own_bytes * point[own];
        for u in (0..self.again[j].len()).filter(|&u| u != v && program.size[u] > 0.0) {
            let Some((value, term)) = self.there(u, v, j, point) else { continue };
            let size = program.size[u] * self.bytes;
            used += size * value;
            match term.plus {
                Column::MAX => upper -= size,
                column => terms.push((column, size)),
            }
            terms.extend(term.minus.into_iter().flatten().map(|column| (column, -size)));
        }
        if used <= most + tolerance {
            return None;
        }
        merge(&mut terms);
        Some(Row { name: name("running", v, j), lower: f64::NEG_INFINITY, upper, terms })
    }

    /// Most memory units on the host alone while something runs again in interval j, in plans of less than [`WHOLE_TIME`].
    fn most_carried(&self, link: &Link, j: usize) -> f64 {
        let before = link.before[self.critical[j + 1] as usize];
        let after = link.before[self.program.len()] - link.before[self.critical[j] as usize + 1];
        (link.out_rate * (before + WHOLE_TIME)).min(link.in_rate * (after + WHOLE_TIME))
    }

    /// The largest term at this point that is 1 only if u is on the device when v first runs again in interval j.
    ///
    /// What stays at c_(j+1) without running again is there throughout. Where the interval is a single step
    /// without rounds its recomputes run in ascending order: then anything before v that stays, or is read after v, is there too.
    fn there(&self, u: usize, v: usize, j: usize, point: &[f64]) -> Option<(f64, Term)> {
        let program = self.program;
        let single_step = !program.rounds && self.critical[j] + 1 == self.critical[j + 1];
        let column = |column: u32| (column != ABSENT).then_some(column as Column);
        let (again, back) = (column(self.again[j][u]), column(self.back[j][u]));
        // Copies back come before all recomputes of such a step.
        let back = back.filter(|_| !single_step);
        let minus = [again.filter(|_| !(single_step && u < v)), back, None, None];
        let less_of = |minus: [Option<Column>; 4]| minus.into_iter().flatten().map(|c| point[c]).sum::<f64>();
        let less = less_of(minus);
        let mut best: Option<(f64, Term)> = None;
        let mut consider = |column: u32, minus: [Option<Column>; 4], less: f64| {
            let (plus, value) = match column {
                ABSENT => return,
                ALWAYS => (Column::MAX, 1.0),
                column => (column as Column, point[column as usize]),
            };
            if value - less > best.map_or(0.0, |(most, _)| most) {
                best = Some((value - less, Term { plus, minus }));
            }
        };
        consider(self.stay[j + 1][u], minus, less);
        if program.inputs(v as Slot).binary_search(&(u as Slot)).is_ok() {
            consider(self.again[j][v], [None; 4], 0.0);
        }
        // A reader of both u and v needs v to run first unless v stayed, and u to wait unless u runs again; either may
        // come back from the host too.
        let stay = self.stay[j][v];
        if stay != ALWAYS {
            let both = [again, back, column(stay), column(self.back[j][v])];
            let less = less_of(both);
            let (runs, readers) = (self.first_runs(j), program.readers(v as Slot));
            for reader in
                program.readers(u as Slot).iter().filter(|&reader| readers.binary_search(reader).is_ok())
            {
                match self.again[j].get(*reader as usize) {
                    Some(&column) => consider(column, both, less),
                    None if runs.contains(reader) => consider(ALWAYS, both, less),
                    None => {}
                }
            }
        }
        if single_step {
            let readers = program.readers(u as Slot);
            for &reader in &readers[readers.partition_point(|&reader| reader as usize <= v)..] {
                if (reader as usize) < self.again[j].len() {
                    consider(self.again[j][reader as usize], minus, less);
                }
            }
        }
        best
    }

    /// The point of a plan.
    pub(crate) fn point(&self, line: &Timeline<'_>) -> Vec<f64> {
        let mut point = vec![0.0; self.model.cost.len()];
        for (j, &c) in self.critical.iter().enumerate() {
            for (v, &column) in self.stay[j].iter().enumerate() {
                let stays = |column| column != ABSENT && column != ALWAYS;
                if stays(column)
                    && line.span_before(v as Slot, first(c)).is_some_and(|span| span.end > first(c))
                {
                    point[column as usize] = 1.0;
                }
            }
        }
        for &key in line.between() {
            let at = position(key);
            // Interval j: c_j < position <= c_(j+1); recomputes before c_1 have no column.
            let after = self.critical.partition_point(|&c| c < at);
            let Some(j) = after.checked_sub(1) else { continue };
            if let Some(&column) = self.again[j].get(line.node(key) as usize)
                && column != ABSENT
            {
                point[column as usize] = 1.0;
            }
        }
        point
    }

    /// A point of a linear program in whole numbers: a value runs again in the interval by which half of a run has added up.
    pub(crate) fn rounded(&self, point: &[f64]) -> Vec<f64> {
        let mut rounded: Vec<f64> = point.iter().map(|value| value.round()).collect();
        for v in 0..self.program.len() {
            let mut runs = 0.0;
            let columns = self.again.iter().filter_map(|again| again.get(v));
            for &column in columns.filter(|&&column| column != ABSENT) {
                runs += point[column as usize];
                rounded[column as usize] = if runs >= 0.5 { 1.0 } else { 0.0 };
                runs -= rounded[column as usize];
            }
        }
        rounded
    }

    /// The plan of an integral point: each recompute and each copy back as late as its readers in the interval allow, or copies back
    /// as `early` as the interval allows.
    pub(crate) fn plan(&self, point: &[f64], early: bool) -> Plan {
        let mut plan = Plan::default();
        for j in 0..self.critical.len() {
            let runs = self.first_runs(j);
            let on = |columns: &[u32], v: usize| columns[v] != ABSENT && point[columns[v] as usize] > 0.5;
            let count = self.again[j].len();
            let chosen: Vec<bool> = (0..count).map(|v| on(&self.again[j], v)).collect();
            let mut place = vec![Slot::MAX; count];
            for v in (0..count).rev() {
                let back = !chosen[v] && on(&self.back[j], v);
                if !chosen[v] && !back {
                    continue;
                }
                let mut at = runs.end - 1;
                for &reader in self.program.readers(v as Slot) {
                    if runs.contains(&reader) {
                        at = at.min(reader);
                    } else if (reader as usize) < count && chosen[reader as usize] {
                        at = at.min(place[reader as usize]);
                    }
                }
                if back {
                    plan.back.push((if early { runs.start } else { at }, v as Slot));
                    plan.out.push((self.goes_out(point, v), v as Slot));
                } else {
                    place[v] = at;
                    plan.again.push(Again { position: at, round: 0, slot: v as Slot });
                }
            }
        }
        plan.again.sort_unstable();
        plan.back.sort_unstable();
        plan.out.sort_unstable();
        plan.out.dedup();
        plan
    }

    /// Position after whose first run a value that comes back is copied out: its own; or, where the host's memory has a cap and copies count in full whenever
    /// they are, the last critical one at which it is on the device for sure.
    pub(crate) fn goes_out(&self, point: &[f64], v: usize) -> Slot {
        let first = self.host.as_ref().filter(|_| self.link.is_none()).and_then(|host| {
            (0..self.critical.len())
                .find(|&j| host.column(j, v).is_some_and(|column| point[column] > 0.5))?
                .checked_sub(1)
        });
        let stays = |&j: &usize| match self.stay[j].get(v) {
            None | Some(&ABSENT) => false,
            Some(&ALWAYS) => true,
            Some(&column) => point[column as usize] > 0.5,
        };
        first.filter(stays).map_or(v as Slot, |j| self.critical[j])
    }
}

/// Last position at which a value may be needed: by a first run, or by a recompute that is needed.
fn last_useful(program: &Program) -> Vec<Slot> {
    let mut useful: Vec<Slot> = (0..program.len() as Slot).collect();
    for v in (0..program.len()).rev() {
        for &reader in program.readers(v as Slot) {
            let through = if program.repeatable[reader as usize] { useful[reader as usize] } else { reader };
            useful[v] = useful[v].max(reader).max(through);
        }
    }
    useful
}

/// Positions to watch because a plan is over the cap there: the worst first run of each run of neighbours, and
/// both ends of the step of every recompute over the cap.
pub(crate) fn overloaded(line: &Timeline<'_>) -> Vec<Slot> {
    let cap = line.program.cap;
    let mut found = Vec::new();
    let mut worst: Option<(f64, Slot)> = None;
    for (at, &bytes) in line.first_bytes().iter().enumerate() {
        if bytes <= cap {
            found.extend(worst.take().map(|(_, at)| at));
        } else if worst.is_none_or(|(most, _)| bytes > most) {
            worst = Some((bytes, at as Slot));
        }
    }
    found.extend(worst.map(|(_, at)| at));
    for (&key, &bytes) in line.between().iter().zip(line.between_bytes()) {
        if bytes > cap {
            found.extend([position(key).saturating_sub(1), position(key)]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::cover::broken_cover;
    use crate::passage::broken_passages;
    use crate::windows::{CARRIED_SMALL, broken_windows, carried};

    fn random(rng: &mut ChaCha8Rng, n: usize) -> Problem {
        let nodes = (0..n)
            .map(|id| {
                let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(0.35)).collect();
                let mut node = Node::new(format!("n{id}"), 1.0, rng.random_range(0..20), inputs);
                node.workspace_bytes = rng.random_range(0..4);
                node.recomputable = rng.random_bool(0.9);
                node
            })
            .collect();
        Problem { name: "random".into(), nodes, resident_bytes: 0 }
    }

    /// Rows of passages that random points in whole numbers break: they hold at the point of a plan.
    fn rows_of_passages(interval: &Interval<'_>, point: &[f64], rng: &mut ChaCha8Rng) -> Vec<Row> {
        let mut rows = Vec::new();
        for share in [0.5, 0.7, 0.9, 1.0] {
            let whole: Vec<f64> = point.iter().map(|_| f64::from(rng.random_bool(share))).collect();
            for row in broken_passages(interval, &whole, &|| false) {
                assert!(row.value(point) >= row.lower, "{} cuts off a plan", row.name);
                assert!(row.value(&whole) < row.lower, "{} is not broken", row.name);
                rows.push(row);
            }
        }
        rows
    }

    /// Every row must hold at the point of every plan that keeps the cap: the rows the model starts with, of
    /// those added later the strongest there, and those added to cut off other points, with their covers.
    #[test]
    fn no_row_cuts_off_a_plan() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let [mut count, mut wide, mut kept, mut ways] = [0; 4];
        for round in 0..2000 {
            let n = rng.random_range(4..16);
            let (problem, rounds) = (random(&mut rng, n), round % 2 == 0);
            let free = Program::new(&problem, None, u64::MAX >> 1).with_rounds(rounds);
            let mut line = Timeline::new(&free);
            for _ in 0..rng.random_range(1..12) {
                let position = rng.random_range(1..n as Slot);
                let slot = rng.random_range(0..position);
                let key = line.key(position, if rounds { rng.random_range(0..3) } else { 0 }, slot);
                if free.repeatable[slot as usize] && !line.holds(key) {
                    line.insert(key);
                }
            }
            // What nobody reads is no part of a plan worth having, and the model may leave it out.
            while let Some(&key) = line.between().iter().find(|&&key| line.idle(key)) {
                line.remove(key);
            }
            let plan = line.plan();
            let peak = line.first_bytes().iter().chain(line.between_bytes()).copied().fold(0.0, f64::max);
            let program = Program::new(&problem, None, peak as u64).with_rounds(rounds);
            let mut line = Timeline::new(&program);
            line.load(&plan);
            assert_eq!(line.excess, 0.0);
            let critical: Vec<Slot> = (0..n as Slot).filter(|_| rng.random_bool(0.6)).collect();
            if critical.is_empty() {
                continue;
            }
            let interval = Interval::new(&program, &critical, 1.0);
            let point = interval.point(&line);
            for row in &interval.model.rows {
                let value = row.value(&point);
                assert!(row.lower - 1e-9 <= value && value <= row.upper + 1e-9, "{} in {plan:?}", row.name);
            }
            let broken = interval.broken_running(&point, 0.5, 1e-6);
            assert!(broken.is_empty(), "{} cuts off {plan:?}", broken[0].name);
            let passages = rows_of_passages(&interval, &point, &mut rng);
            let finer: Vec<Slot> =
                (0..n as Slot).filter(|at| critical.contains(at) || rng.random_bool(0.5)).collect();
            let finer = Interval::new(&program, &finer, 1.0);
            let finer_point = finer.point(&line);
            for _ in 0..4 {
                let elsewhere: Vec<f64> =
                    point.iter().map(|&at| if rng.random_bool(0.5) { at } else { rng.random() }).collect();
                let running = interval.broken_running(&elsewhere, 0.0, 1e-6);
                let memory = interval.model.rows.iter().filter(|row| row.is_memory()).chain(&running);
                let covers: Vec<Row> = memory.filter_map(|row| broken_cover(row, &elsewhere)).collect();
                let windows = broken_windows(&interval, &elsewhere);
                for row in running.iter().chain(&covers).chain(&windows) {
                    let value = row.value(&point);
                    assert!(
                        row.lower - 1e-9 <= value && value <= row.upper + 1e-9,
                        "{} in {plan:?}",
                        row.name
                    );
                }
                let mut rows = Interval::new(&program, &critical, 1.0);
                rows.model.rows = covers.iter().chain(&windows).chain(&passages).cloned().collect();
                for row in carried(&finer, &rows, CARRIED_SMALL) {
                    let value = row.value(&finer_point);
                    assert!(row.lower - 1e-9 <= value, "{} carried over in {plan:?}", row.name);
                    *if row.name.family == "passage" { &mut ways } else { &mut kept } += 1;
                }
                count += covers.len();
                wide += windows.len();
            }
        }
        let seen = [count, wide, kept, 10 * ways];
        assert!(
            seen.iter().all(|&count| count > 1000),
            "covers, windows, carried and ten times passages carried: {seen:?}"
        );
    }
}
