//! Memory plan of one stage of a pipeline: what its cap must hold grows with the micro-batches in flight.
//!
//! With `K` in flight, a stash of `B` bytes each and a peak of `P` bytes (stash included) while one runs, the cap `C`
//! holds when `R + (K - 1) B + P <= C`. For a limit `s` on the stash this is a plain memory problem: peak at most
//! `C - R - (K - 1) s`, and at most `s` between the passes, which a node without time and with the difference as
//! workspace enforces ([`MicroBatch::with_stash_limit`]). The limit is searched: a few shares of the largest
//! possible one, `(C - R) / K`, then around the best of them.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, SwapModel};
use ballast_core::report::{PROOF_TOLERANCE, Report, gap};
use ballast_remat::{Failure, Order, Solver};

use super::micro_batch::{Measured, MicroBatch};

/// Shares of the largest stash tried first, and the least distance of two shares tried later.
const SHARES: [f64; 4] = [0.95, 0.8, 0.65, 0.45];
const LEAST_STEP: f64 = 0.02;

/// What is held at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InFlight {
    /// Micro-batches whose stash is held.
    pub micro_batches: usize,
    /// Micro-batches whose backward half for weights waits.
    pub deferred: usize,
    /// Does that half run apart?
    pub split: bool,
}

impl InFlight {
    /// The host link with the share of its memory that one micro-batch may take.
    #[must_use]
    pub fn host_share(self, swap: SwapModel) -> SwapModel {
        let share = |bytes: u64| bytes / self.micro_batches.max(1) as u64;
        SwapModel { host_capacity_bytes: swap.host_capacity_bytes.map(share), ..swap }
    }
}

/// A plan of a stage in a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMemory {
    /// The plan.
    pub plan: CompactPlan,
    /// One micro-batch under it.
    pub measured: Measured,
    /// Bytes the device needs.
    pub need_bytes: u64,
    /// How it was found; its bound is the time without recomputation, sends excluded.
    pub report: Report,
}

/// Bytes a device needs for this many micro-batches.
#[must_use]
pub fn need_bytes(micro: &MicroBatch, measured: &Measured, in_flight: InFlight) -> u64 {
    micro.resident_bytes
        + in_flight.deferred as u64 * micro.deferred_bytes
        + in_flight.micro_batches as u64 * measured.stash_bytes
        + measured.working_bytes
}

/// Plans a stage under a cap on everything its device holds. None: no plan was found under the cap.
///
/// `options` says who plans and for how long; its cap is not read. `start`, a plan of the same problem that keeps the
/// cap, is never made worse.
///
/// # Errors
/// A solver's failure other than having no plan, or what the judge refuses.
pub fn plan_in_flight(
    micro: &MicroBatch,
    in_flight: InFlight,
    cap_bytes: u64,
    options: &ballast_remat::Options,
    start: Option<&CompactPlan>,
) -> Result<Option<StageMemory>, Failure> {
    let count = in_flight.micro_batches.max(1) as u64;
    let swap = options.swap.map(|swap| in_flight.host_share(swap));
    let search = Search { micro, in_flight, cap_bytes, swap };
    let deadline = Deadline::start(&options.limits);
    if let Some(found) = search.take(&CompactPlan::default(), "keep-all", 0, options.limits.seed) {
        return Ok(Some(found));
    }
    let floor = micro.floor_bytes(in_flight.micro_batches) + in_flight.deferred as u64 * micro.deferred_bytes;
    let Some(room) = cap_bytes.checked_sub(floor) else { return Ok(None) };
    if options.solver == Solver::KeepAll {
        return Ok(None);
    }
    let mut best = match start {
        Some(plan) => search.take(plan, "given", 0, options.limits.seed),
        None => None,
    };
    let largest = room / count;
    let mut tried: Vec<(f64, f64)> = Vec::new();
    let mut work = 0;
    let mut attempt = |share: f64, parts: f64, best: &mut Option<StageMemory>| -> Result<f64, Failure> {
        let stash = (largest as f64 * share) as u64;
        let cap = room - (count - 1) * stash;
        let limits = Limits {
            time_limit_seconds: options
                .limits
                .time_limit_seconds
                .map(|_| deadline.remaining_seconds() / parts),
            ..options.limits
        };
        let gated =
            ballast_remat::Options { cap_bytes: cap, swap, order: Order::Program, limits, ..options.clone() };
        let problem = if count == 1 { micro.problem.clone() } else { micro.with_stash_limit(stash, cap) };
        let outcome = match ballast_remat::plan(&problem, &gated) {
            Ok(outcome) => outcome,
            Err(Failure::Infeasible { .. }) => return Ok(f64::INFINITY),
            Err(other) => return Err(other),
        };
        work += outcome.report.work;
        let plan = if count == 1 { outcome.compact } else { micro.without_gate(&outcome.compact) };
        let Some(found) = search.take(&plan, &outcome.report.method, work, options.limits.seed) else {
            return Ok(f64::INFINITY);
        };
        let seconds = found.measured.seconds();
        if best.as_ref().is_none_or(|best| seconds < best.measured.seconds()) {
            *best = Some(found);
        }
        Ok(seconds)
    };
    if count == 1 {
        attempt(1.0, 1.0, &mut best)?;
    } else {
        for (index, share) in SHARES.into_iter().enumerate() {
            let seconds = attempt(share, (SHARES.len() + 3 - index) as f64, &mut best)?;
            tried.push((share, seconds));
        }
        let mut step = 0.08;
        while step > LEAST_STEP && !deadline.over() {
            let Some(&(middle, _)) =
                tried.iter().filter(|(_, seconds)| seconds.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1))
            else {
                break;
            };
            for share in [middle - step, middle + step] {
                if share > 0.0 && share <= 1.0 && tried.iter().all(|(known, _)| (known - share).abs() > 1e-9)
                {
                    let seconds = attempt(share, 4.0, &mut best)?;
                    tried.push((share, seconds));
                }
            }
            step /= 2.0;
        }
    }
    if let Some(best) = &mut best {
        best.report.seconds = deadline.elapsed_seconds();
        best.report.work = work;
        best.report.stop_reason = match (best.report.proved, options.limits.work_limit) {
            (true, _) => StopReason::Proved,
            (false, _) if deadline.over() => deadline.reason(),
            (false, Some(_)) => StopReason::WorkLimit,
            (false, None) => StopReason::Finished,
        };
    }
    Ok(best)
}

struct Search<'a> {
    micro: &'a MicroBatch,
    in_flight: InFlight,
    cap_bytes: u64,
    swap: Option<SwapModel>,
}

impl Search<'_> {
    /// Measures a plan; none where it does not keep the cap or the judge refuses it.
    fn take(&self, plan: &CompactPlan, method: &str, work: u64, seed: u64) -> Option<StageMemory> {
        let Ok(measured) = self.micro.measure(plan, self.swap.as_ref(), self.in_flight.split) else {
            return None;
        };
        let need_bytes = need_bytes(self.micro, &measured, self.in_flight);
        if need_bytes > self.cap_bytes {
            return None;
        }
        let value = measured.seconds() - self.micro.send_seconds();
        let bound = self.micro.problem.total_time().min(value);
        let gap = gap(value, bound);
        let proved = gap <= PROOF_TOLERANCE;
        let report = Report {
            value,
            bound,
            gap,
            proved,
            bound_class: "any".to_owned(),
            method: method.to_owned(),
            stop_reason: if proved { StopReason::Proved } else { StopReason::Finished },
            seconds: 0.0,
            work,
            seed,
        };
        Some(StageMemory { plan: plan.clone(), measured, need_bytes, report })
    }
}
