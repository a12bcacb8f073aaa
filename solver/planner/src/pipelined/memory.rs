//! Memory plans of the stages of one device of a pipeline: what its cap must hold grows with the micro-batches in flight.
//!
//! While a pass of stage `c` runs, the device holds `H_c'` other micro-batches of each of its stages `c'` between their passes, `B_c'` bytes
//! each, and `W_c'` others whose half for weights waits, `G_c'` bytes each: a [`Moment`] of its order. The cap
//! `C` holds when `R + sum (H B + W G) + P <= C` at all of them, with `P` the peak of the pass. Under limits `b` and `g` on `B` and `G` this is a
//! plain memory problem: peak at most `C - R - max sum (H b + W g)`, and at most `b` and `g` between the passes, which nodes without time and
//! with the difference as workspace enforce ([`MicroBatch::limited`]).
//!
//! The limits are searched. The largest ones are in proportion to what the stages keep without recomputation and fill the room
//! at the worst moment; one share scales all of them: a few shares first, then some between the best of them and its neighbours. Where the
//! backward pass is split, what waits for its half for weights may also have whatever room the stash leaves: values made again once for both halves
//! are small before and large between them. What plans then keep is less than the limits, of each stage by another part, so that where a device has
//! several stages, limits for more room than there is are tried, too: the judge says which of their plans keep the cap all the same.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, SwapModel};
use ballast_core::pipeline::{InFlight, Measured, MicroBatch, Moment, StashLimits, floor_bytes, need_bytes};
use ballast_core::report::{Bound, FalseBound, Report, SearchStats};
use ballast_remat::{Error, Order, Solver};

/// Shares of the largest stash tried first.
const SHARES: [f64; 6] = [0.95, 0.8, 0.65, 0.45, 0.25, 0.1];
/// How many more are tried, each between two that were.
const MORE_SHARES: usize = 10;
/// Of several stages: the room that limits are made for, beside that which there is.
const ROOMS: [f64; 5] = [1.0, 1.1, 1.2, 1.35, 1.6];

/// Where the backward pass is split: what may wait for its half for weights.
const WAITING: [Waiting; 3] = [Waiting::Rest, Waiting::Share(1.0), Waiting::Share(0.5)];

/// What may wait for the half for weights.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Waiting {
    /// So much of what is in proportion to the stash.
    Share(f64),
    /// Half of the room that the stash leaves.
    Rest,
}

/// What limits are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    /// Bytes that stashes, and what waits, fill at the worst moment.
    room: u64,
    waiting: Waiting,
}

/// A plan of a stage in a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMemory {
    /// The plan.
    pub plan: CompactPlan,
    /// One micro-batch under it.
    pub measured: Measured,
    /// How it was found; its bound is the time without recomputation, sends excluded.
    pub report: Report,
}

/// Plans of the stages of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceMemory {
    /// One plan per stage.
    pub stages: Vec<StageMemory>,
    /// Bytes the device needs.
    pub need_bytes: u64,
}

impl DeviceMemory {
    /// Seconds of one micro-batch, all stages.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.measured.seconds()).sum()
    }
}

/// Plans the stages of a device under a cap on everything it holds. None: no plans were found under the cap.
///
/// `options` says who plans and for how long; its cap is not read. `start`, plans of the same stages that keep the
/// cap, is never made worse.
///
/// # Errors
/// A solver's failure other than having no plan, or what the judge refuses.
pub(crate) fn plan_in_flight(
    micros: &[MicroBatch],
    in_flight: &InFlight,
    cap_bytes: u64,
    options: &ballast_remat::Options,
    start: Option<&[CompactPlan]>,
) -> Result<Option<DeviceMemory>, Error> {
    let deadline = Deadline::start(&options.limits);
    let mut search = Search { micros, in_flight, cap_bytes, options, deadline, work: 0, rooms: 1 };
    let kept = vec![Found::untouched(); micros.len()];
    if let Some(found) = search.take(kept) {
        return Ok(Some(found));
    }
    let Some(room) = cap_bytes.checked_sub(floor_bytes(micros, in_flight)) else { return Ok(None) };
    if options.solver == Solver::KEEP_ALL {
        return Ok(None);
    }
    let mut best = start.and_then(|plans| {
        let given = |plan: &CompactPlan| Found { plan: plan.clone(), method: "given".to_owned() };
        search.take(plans.iter().map(given).collect())
    });
    // The judge refuses even the plan that does nothing: there is no other.
    let Some(kept) = search.kept() else { return Ok(best) };
    if search.plain() {
        let way = Way { room, waiting: Waiting::Share(1.0) };
        search.attempt(way.room, &search.limits(way, 1.0, &kept), 1.0, &mut best)?;
    } else {
        search.by_shares(room, &kept, &mut best)?;
    }
    for stage in best.iter_mut().flat_map(|best| &mut best.stages) {
        stage.report.seconds = deadline.elapsed_seconds();
        stage.report.work = search.work;
        stage.report.stop_reason = match (stage.report.proved(), options.limits.work_limit) {
            (true, _) => StopReason::Proved,
            (false, _) if deadline.over() => deadline.reason(),
            (false, Some(_)) => StopReason::WorkLimit,
            (false, None) => StopReason::Finished,
        };
    }
    Ok(best)
}

/// A plan of one stage, and who made it.
#[derive(Clone)]
struct Found {
    plan: CompactPlan,
    method: String,
}

impl Found {
    fn untouched() -> Self {
        Found { plan: CompactPlan::default(), method: "keep-all".to_owned() }
    }
}

struct Search<'a> {
    micros: &'a [MicroBatch],
    in_flight: &'a InFlight,
    cap_bytes: u64,
    options: &'a ballast_remat::Options,
    deadline: Deadline,
    work: u64,
    /// Among how many rooms the steps of a work limit are shared.
    rooms: u64,
}

impl Search<'_> {
    /// One stage with one micro-batch at a time: no stash to limit.
    fn plain(&self) -> bool {
        self.micros.len() == 1 && self.in_flight.micro_batches(0) <= 1 && !self.in_flight.split
    }

    /// Bytes of the data of a micro-batch of every stage between its passes, and between the halves of its backward pass.
    fn data(&self) -> Vec<[u64; 2]> {
        let least = self.micros.iter().map(|micro| micro.least_data(self.in_flight.split));
        least.map(|data| [data.stash, data.deferred]).collect()
    }

    fn swap(&self, chunk: usize) -> Option<SwapModel> {
        self.options.swap.map(|swap| self.in_flight.host_share(chunk, swap))
    }

    /// Attempts with a few shares of the largest stashes, and then around the best of them.
    fn by_shares(
        &mut self,
        room: u64,
        kept: &[[u64; 2]],
        best: &mut Option<DeviceMemory>,
    ) -> Result<(), Error> {
        let one = Way { room, waiting: Waiting::Share(1.0) };
        let ways: Vec<Way> = match (self.micros.len(), self.in_flight.split) {
            (1, true) => WAITING.map(|waiting| Way { waiting, ..one }).to_vec(),
            (1, false) => vec![one],
            _ => ROOMS.map(|more| Way { room: (room as f64 * more) as u64, ..one }).to_vec(),
        };
        // Half of the time is for what is around the best; and of steps no more than one way would take.
        let all = ways.len() * SHARES.len();
        let mut left = all;
        self.rooms = ways.len() as u64;
        // The best so far: its seconds, how its limits are made, and its share.
        let mut around: Option<(f64, Way, f64)> = None;
        for way in &ways {
            for share in SHARES {
                let limits_of = self.limits(*way, share, kept);
                let seconds = self.attempt(way.room, &limits_of, (all + left) as f64, best)?;
                left -= 1;
                if seconds < around.map_or(f64::INFINITY, |known| known.0) {
                    around = Some((seconds, *way, share));
                }
            }
        }
        self.rooms = 1;
        // With the limits at what the best plans keep there is more room beside them, and all the more for what waits.
        let mut exact = Vec::new();
        for DeviceMemory { stages, .. } in best.iter() {
            let beside_data =
                |(StageMemory { measured, .. }, [stash, deferred]): (&StageMemory, [u64; 2])| {
                    [
                        measured.stash_bytes.saturating_sub(stash),
                        measured.deferred_bytes.saturating_sub(deferred),
                    ]
                };
            let keep: Vec<[u64; 2]> = stages.iter().zip(self.data()).map(beside_data).collect();
            if self.in_flight.split {
                exact.push(self.with_data(self.more_waits(&keep, kept, room)));
            }
            exact.push(self.with_data(keep));
        }
        for limits_of in exact {
            self.attempt(room, &limits_of, (MORE_SHARES + 2) as f64, best)?;
        }
        let mut tried = SHARES.to_vec();
        for left in (1..=MORE_SHARES).rev() {
            if self.deadline.over() {
                break;
            }
            let share = next_share(&tried, around.map(|known| known.2));
            tried.push(share);
            let way = around.map_or(ways[0], |known| known.1);
            let limits_of = self.limits(way, share, kept);
            let seconds = self.attempt(way.room, &limits_of, left as f64, best)?;
            // Of equally fast ones the larger stash: what is faster keeps more.
            let is_better =
                around.is_none_or(|known| seconds < known.0 || (seconds == known.0 && share > known.2));
            if is_better && seconds.is_finite() {
                around = Some((seconds, way, share));
            }
        }
        Ok(())
    }

    /// What each stage keeps between the passes of a micro-batch, and between the halves of its backward pass, data apart, without any plan; none where
    /// the judge refuses even that.
    fn kept(&self) -> Option<Vec<[u64; 2]>> {
        let kept = |((chunk, micro), [stash, deferred]): ((usize, &MicroBatch), [u64; 2])| {
            let measured = micro
                .measure(&CompactPlan::default(), self.swap(chunk).as_ref(), self.in_flight.split)
                .ok()?;
            Some([measured.stash_bytes - stash, measured.deferred_bytes - deferred])
        };
        self.micros.iter().enumerate().zip(self.data()).map(kept).collect()
    }

    /// Limits on the stash of every stage and on what waits of it: a share of those that fill the room at the worst moment, in proportion to what is `kept`
    /// without any plan, and the data.
    fn limits(&self, way: Way, share: f64, kept: &[[u64; 2]]) -> Vec<[u64; 2]> {
        let weights: Vec<[u64; 2]> = kept
            .iter()
            .map(|&[stash, deferred]| match way.waiting {
                Waiting::Share(share) => [stash.max(1), ((deferred as f64 * share) as u64).max(1)],
                Waiting::Rest => [stash.max(1), 0],
            })
            .collect();
        let all = self.at_worst(|c| weights[c][0], |c| weights[c][1]).max(1);
        let part = |weight: u64| {
            let largest = (u128::from(way.room) * u128::from(weight) / u128::from(all)) as u64;
            (largest as f64 * share) as u64
        };
        let mut limits: Vec<[u64; 2]> = weights.iter().map(|weights| weights.map(part)).collect();
        if way.waiting == Waiting::Rest {
            let filled = way.room as f64 * f64::midpoint(share, 1.0);
            limits = self.more_waits(&limits, kept, filled as u64);
        }
        self.with_data(limits)
    }

    /// Limits with the data, which are there anyway.
    fn with_data(&self, mut limits: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
        for (limits, data) in limits.iter_mut().zip(self.data()) {
            *limits = [0, 1].map(|which| limits[which].saturating_add(data[which]));
        }
        limits
    }

    /// Limits with as much waiting, in proportion to what is `kept` without any plan and no more than that, as fills so many bytes at the worst moment.
    fn more_waits(&self, limits: &[[u64; 2]], kept: &[[u64; 2]], filled: u64) -> Vec<[u64; 2]> {
        let waiting =
            |share: f64, chunk: usize| limits[chunk][1].max((kept[chunk][1] as f64 * share) as u64).max(1);
        let fits = |share: f64| self.at_worst(|c| limits[c][0], |c| waiting(share, c)) <= filled;
        let share = if fits(1.0) { 1.0 } else { largest_within(fits) };
        limits.iter().enumerate().map(|(chunk, limits)| [limits[0], waiting(share, chunk)]).collect()
    }

    /// Bytes at the worst moment at which a pass starts or ends, where stages take so many.
    fn at_worst(&self, stash: impl Fn(usize) -> u64, deferred: impl Fn(usize) -> u64) -> u64 {
        let at_ends = |moment: &Moment| moment.bytes_at_ends(&stash, &deferred);
        self.in_flight.moments.iter().map(at_ends).max().unwrap_or(0)
    }

    /// Plans every stage under its limits, in one of so many parts of the time left; seconds of a micro-batch, endless where no plan is found. The best
    /// plans so far are kept.
    fn attempt(
        &mut self,
        room: u64,
        limits_of: &[[u64; 2]],
        parts: f64,
        best: &mut Option<DeviceMemory>,
    ) -> Result<f64, Error> {
        let plain = self.plain();
        let mut found = Vec::with_capacity(self.micros.len());
        for (chunk, micro) in self.micros.iter().enumerate() {
            // A plain problem knows no data.
            let data = if plain { micro.least_data(false).total() } else { 0 };
            let cap = self.cap_beside(room, chunk, limits_of).saturating_sub(data);
            // The stages of a device share what one stage would get.
            let left = (self.micros.len() - chunk) as f64;
            let steps = |steps: u64| (steps / self.rooms / self.micros.len() as u64).max(1);
            let limits = Limits {
                work_limit: self.options.limits.work_limit.map(steps),
                time_limit_seconds: self
                    .options
                    .limits
                    .time_limit_seconds
                    .map(|_| self.deadline.remaining_seconds() / (parts * left)),
                ..self.options.limits
            };
            let gated = ballast_remat::Options {
                cap_bytes: cap,
                swap: self.swap(chunk),
                order: Order::Program,
                limits,
                ..self.options.clone()
            };
            let [stash_bytes, deferred_bytes] = limits_of[chunk];
            let limited = micro.limited(StashLimits {
                cap_bytes: cap,
                stash_bytes,
                deferred_bytes: self.in_flight.split.then_some(deferred_bytes),
            });
            let problem = if plain { &micro.problem } else { &limited.problem };
            let outcome = match ballast_remat::plan(problem, &gated) {
                Ok(outcome) => outcome,
                Err(Error::Infeasible { .. }) => {
                    tracing::debug!(cap = self.cap_bytes, ?limits_of, chunk, beside = cap, "no plan within");
                    return Ok(f64::INFINITY);
                }
                Err(other) => return Err(other),
            };
            self.work += outcome.report.work;
            let plan = if plain { Some(outcome.compact) } else { limited.plan_of(&outcome.compact) };
            let Some(plan) = plan else { return Ok(f64::INFINITY) };
            found.push(Found { plan, method: outcome.report.method });
        }
        let Some(found) = self.take(found) else {
            tracing::debug!(cap = self.cap_bytes, ?limits_of, "plans above the cap");
            return Ok(f64::INFINITY);
        };
        let seconds = found.seconds();
        tracing::debug!(cap = self.cap_bytes, ?limits_of, need = found.need_bytes, seconds, "plans");
        if best.as_ref().is_none_or(|best| seconds < best.seconds()) {
            *best = Some(found);
        }
        Ok(seconds)
    }

    /// What is left of the cap, or of more or less room than it leaves, for a running micro-batch of a stage beside the others. Its data count as part of it,
    /// those of the other stages that are there once do not.
    fn cap_beside(&self, room: u64, chunk: usize, limits: &[[u64; 2]]) -> u64 {
        let given = self.cap_bytes.saturating_sub(floor_bytes(self.micros, self.in_flight));
        let always = self.micros.iter().enumerate().map(|(other, micro)| {
            let once = if other == chunk { 0 } else { micro.least_data(self.in_flight.split).once };
            micro.resident_bytes.saturating_add(once)
        });
        let always = always.fold(0, u64::saturating_add);
        let running = self.in_flight.moments.iter().filter(|moment| moment.chunk == chunk);
        let others = running.map(|moment| moment.bytes(|c| limits[c][0], |c| limits[c][1])).max();
        let all = self.cap_bytes.saturating_add(room).saturating_sub(given);
        all.saturating_sub(always).saturating_sub(others.unwrap_or(0))
    }

    /// Measures plans; none where they do not keep the cap or the judge refuses one.
    fn take(&self, found: Vec<Found>) -> Option<DeviceMemory> {
        let mut measured = Vec::with_capacity(found.len());
        for (chunk, (micro, found)) in self.micros.iter().zip(&found).enumerate() {
            measured.push(micro.measure(&found.plan, self.swap(chunk).as_ref(), self.in_flight.split).ok()?);
        }
        let need_bytes = need_bytes(self.micros, &measured, self.in_flight);
        if need_bytes > self.cap_bytes {
            return None;
        }
        let stages = found.into_iter().zip(measured).zip(self.micros).map(|((found, measured), micro)| {
            let value = measured.seconds() - micro.send_seconds();
            let bound = Bound::each_op_once(micro.problem.total_time());
            let search = SearchStats {
                method: found.method,
                stop_reason: StopReason::Finished,
                seconds: 0.0,
                work: self.work,
                seed: self.options.limits.seed,
            };
            let report = Report::new(value, bound, search)?;
            Ok(StageMemory { plan: found.plan, measured, report })
        });
        let stages = stages.collect::<Result<_, FalseBound>>();
        debug_assert!(stages.is_ok(), "the time of everything once is above a plan's");
        Some(DeviceMemory { stages: stages.ok()?, need_bytes })
    }
}

/// The next share to try: in the middle of the wider gap beside the best one, or of the widest of all where no share has a plan yet; of equally wide ones the upper.
fn next_share(tried: &[f64], best: Option<f64>) -> f64 {
    let mut ends: Vec<f64> = tried.iter().copied().chain([0.0, 1.0]).collect();
    ends.sort_by(f64::total_cmp);
    let gaps = ends
        .iter()
        .zip(&ends[1..])
        .filter(|&(low, high)| best.is_none_or(|best| *low == best || *high == best));
    let widest = gaps.max_by(|(a, b), (c, d)| (*b - *a).total_cmp(&(*d - *c)));
    widest.map_or(1.0, |(low, high)| f64::midpoint(*low, *high))
}

/// The largest share of 1 that fits, to a thousandth; what is above one that does not fit does not fit either.
fn largest_within(fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-3 {
        let middle = f64::midpoint(low, high);
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}
