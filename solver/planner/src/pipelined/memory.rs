//! Memory plans of the stages of one device of a pipeline: what its cap must hold grows with the micro-batches in flight.
//!
//! While a pass of stage `c` runs, the device holds `H_c'` other micro-batches of each of its stages `c'` between their passes, `B_c'` bytes
//! each, and `W_c'` others whose half for weights waits, `G_c'` bytes each: a [`Moment`] of its order. The cap
//! `C` holds when `R + sum (H B + W G) + P <= C` at all of them, with `P` the peak of the pass. Under limits `b` and `g` on `B` and `G` this is a
//! plain memory problem: peak at most `C - R - max sum (H b + W g)`, and at most `b` and `g` between the passes, which nodes without time and
//! with the difference as workspace enforce ([`MicroBatch::limited`]).
//!
//! The limits are searched. The largest ones are in proportion to what the stages keep without recomputation and fill the room
//! at the worst moment; one share scales all of them: a few shares first, then some around the best of them. What plans then keep is less than
//! the limits, of each stage by another part, so that where a device has several stages, limits for more room than
//! there is are tried, too: the judge says which of their plans keep the cap all the same.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, SwapModel};
use ballast_core::pipeline::{InFlight, Measured, MicroBatch, Moment, StashLimits, floor_bytes, need_bytes};
use ballast_core::report::{Bound, FalseBound, Report, SearchStats};
use ballast_remat::{Error, Order, Solver};

/// Shares of the largest stash tried first, the last of several stages alone, and the distances tried later of others from the best.
const SHARES: [f64; 5] = [0.95, 0.8, 0.65, 0.45, 0.25];
const STEPS: [f64; 2] = [0.08, 0.04];
/// Of several stages: the room that limits are made for, beside that which there is.
const ROOMS: [f64; 5] = [1.0, 1.1, 1.2, 1.35, 1.6];

/// Where the backward pass is split: what may wait for its half for weights, as a share of what is in proportion.
const WAITING: [f64; 3] = [1.0, 0.6, 0.3];

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
    if search.plain() {
        let Some(largest) = search.largest(room, 1.0) else { return Ok(best) };
        search.attempt(room, &largest, 1.0, 1.0, &mut best)?;
    } else {
        search.by_shares(room, &mut best)?;
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
    fn by_shares(&mut self, room: u64, best: &mut Option<DeviceMemory>) -> Result<(), Error> {
        let (rooms, shares): (Vec<(f64, f64)>, &[f64]) = match (self.micros.len(), self.in_flight.split) {
            (1, true) => (WAITING.map(|waiting| (1.0, waiting)).to_vec(), &SHARES[..4]),
            (1, false) => (vec![(1.0, 1.0)], &SHARES[..4]),
            _ => (ROOMS.map(|room| (room, 1.0)).to_vec(), &SHARES),
        };
        // Half of the time is for what is around the best; and of steps no more than one room would take.
        let all = rooms.len() * shares.len();
        let mut left = all;
        self.rooms = rooms.len() as u64;
        // The best so far: its seconds, room, largest stashes and share.
        let mut around: Option<(f64, u64, Vec<[u64; 2]>, f64)> = None;
        for (more, waiting) in rooms {
            let room = (room as f64 * more) as u64;
            let Some(largest) = self.largest(room, waiting) else { return Ok(()) };
            for &share in shares {
                let seconds = self.attempt(room, &largest, share, (all + left) as f64, best)?;
                left -= 1;
                if seconds < around.as_ref().map_or(f64::INFINITY, |known| known.0) {
                    around = Some((seconds, room, largest.clone(), share));
                }
            }
        }
        let Some((mut seconds, room, largest, mut middle)) = around else { return Ok(()) };
        self.rooms = 1;
        let mut tried = shares.to_vec();
        for step in STEPS {
            if self.deadline.over() {
                break;
            }
            for share in [middle - step, middle + step] {
                if share > 0.0 && share <= 1.0 && tried.iter().all(|known| (known - share).abs() > 1e-9) {
                    tried.push(share);
                    let found = self.attempt(room, &largest, share, 4.0, best)?;
                    if found < seconds {
                        (seconds, middle) = (found, share);
                    }
                }
            }
        }
        Ok(())
    }

    /// The stashes and what waits of them, data apart, that fill the room at the worst moment, in proportion to those without any plan; none
    /// where the judge refuses even that.
    fn largest(&self, room: u64, waiting: f64) -> Option<Vec<[u64; 2]>> {
        let data = self.data();
        let stash = |(chunk, micro): (usize, &MicroBatch)| {
            let measured =
                micro.measure(&CompactPlan::default(), self.swap(chunk).as_ref(), self.in_flight.split);
            let [stash, deferred] = data[chunk];
            let less = |measured: Measured| {
                let deferred = (measured.deferred_bytes - deferred) as f64 * waiting;
                [measured.stash_bytes - stash, deferred as u64].map(|bytes| bytes.max(1))
            };
            measured.ok().map(less)
        };
        let weights: Vec<[u64; 2]> = self.micros.iter().enumerate().map(stash).collect::<Option<_>>()?;
        let at_ends = |moment: &Moment| moment.bytes_at_ends(|c| weights[c][0], |c| weights[c][1]);
        let all = self.in_flight.moments.iter().map(at_ends).max().unwrap_or(0).max(1);
        let part = |weight: u64| (u128::from(room) * u128::from(weight) / u128::from(all)) as u64;
        Some(weights.iter().map(|weights| weights.map(part)).collect())
    }

    /// Plans every stage under its share of the room; seconds of a micro-batch, endless where no plan is found. The best
    /// plans so far are kept.
    fn attempt(
        &mut self,
        room: u64,
        largest: &[[u64; 2]],
        share: f64,
        parts: f64,
        best: &mut Option<DeviceMemory>,
    ) -> Result<f64, Error> {
        let limit = |(largest, data): (&[u64; 2], [u64; 2])| {
            [0, 1].map(|which| data[which].saturating_add((largest[which] as f64 * share) as u64))
        };
        let limits_of: Vec<[u64; 2]> = largest.iter().zip(self.data()).map(limit).collect();
        let plain = self.plain();
        let mut found = Vec::with_capacity(self.micros.len());
        for (chunk, micro) in self.micros.iter().enumerate() {
            // A plain problem knows no data.
            let data = if plain { micro.least_data(false).stash } else { 0 };
            let cap = self.cap_beside(room, chunk, &limits_of).saturating_sub(data);
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
                Err(Error::Infeasible { .. }) => return Ok(f64::INFINITY),
                Err(other) => return Err(other),
            };
            self.work += outcome.report.work;
            let plan = if plain { Some(outcome.compact) } else { limited.plan_of(&outcome.compact) };
            let Some(plan) = plan else { return Ok(f64::INFINITY) };
            found.push(Found { plan, method: outcome.report.method });
        }
        let Some(found) = self.take(found) else { return Ok(f64::INFINITY) };
        let seconds = found.seconds();
        if best.as_ref().is_none_or(|best| seconds < best.seconds()) {
            *best = Some(found);
        }
        Ok(seconds)
    }

    /// What is left of the cap, or of more or less room than it leaves, for a running micro-batch of a stage beside the others.
    fn cap_beside(&self, room: u64, chunk: usize, limits: &[[u64; 2]]) -> u64 {
        let given = self.cap_bytes.saturating_sub(floor_bytes(self.micros, self.in_flight));
        let always = self
            .micros
            .iter()
            .map(|micro| micro.resident_bytes.saturating_add(micro.least_data(self.in_flight.split).once));
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
