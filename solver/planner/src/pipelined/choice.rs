//! Which schedule: the loop under 1F1B, zero-bubble and interleaved 1F1B, and the shortest step of all.
//!
//! A device idles least where its backward passes are split or it runs several stages, and holds more micro-batches then:
//! what that is worth depends on what recomputation costs under the caps. Schedules are tried in the order of their
//! steps without caps; a schedule whose step without caps is no shorter than the best one under caps is left out, and one
//! that starts far behind keeps its balanced cuts.

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::units::Bytes;
use ballast_partition::pipeline::RunTimes;
use ballast_remat::{Error, Solver};

use super::joint::{Joint, StopRule, joint};
use super::runs::{Runs, Site};

/// How much longer than the best step so far that of balanced cuts may be for its cuts to be moved: moving them shortens
/// a step by a few percent.
const CATCHES_UP: f64 = 1.1;

/// What the loop finds under a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The schedule.
    pub schedule: Schedule,
    /// Seconds of a step of its balanced partition without a cap.
    pub free_seconds: f64,
    /// The cuts under the caps and their score; none where the step without a cap rules the schedule out.
    pub joint: Option<Joint>,
}

/// A schedule with its own view of the devices.
struct Candidate {
    schedule: Schedule,
    cluster: Cluster,
    costs: Costs,
    cuts: Vec<usize>,
    free_seconds: f64,
}

impl Candidate {
    /// Balances the stages of a schedule; none where there are too few pieces or micro-batches for it.
    fn of(site: &Site<'_>, schedule: Schedule) -> Result<Option<Self>, Error> {
        let devices = site.cluster.devices.len();
        let spec = Spec { schedule, ..site.spec };
        let cluster = site.cluster.divided(schedule.chunks()).map_err(Error::Options)?;
        if spec.in_flight_of_all(cluster.devices.len()).is_err() {
            return Ok(None);
        }
        let costs = site.costs.divided(devices, schedule.chunks());
        let times = RunTimes::of(site.graph, &costs, &cluster, site.layers);
        let Some(cuts) = times.cuts_for(schedule, spec.micro_batches, &|_, _, _| 0.0) else {
            return Ok(None);
        };
        let free = Site {
            spec,
            cluster: &cluster,
            costs: &costs,
            cap: CapSpec::Absolute(Bytes(u64::MAX >> 2)),
            memory: ballast_remat::Options { solver: Solver::KEEP_ALL, ..site.memory.clone() },
            ..site.clone()
        };
        let free_seconds = Runs::new(&free)?.score(&cuts)?.step_seconds;
        Ok(Some(Candidate { schedule, cluster, costs, cuts, free_seconds }))
    }

    fn site<'a>(&'a self, site: &Site<'a>) -> Site<'a> {
        let spec = Spec { schedule: self.schedule, ..site.spec };
        Site { spec, cluster: &self.cluster, costs: &self.costs, ..site.clone() }
    }
}

/// The loop under every one of these schedules that suits devices and micro-batches, the best first; of equals, the one
/// that stands first in `schedules`.
///
/// `site` has one entry of its cluster per device, whatever the schedule. Each schedule gets an equal share of the time
/// left, and all rounds of `ends`.
///
/// # Errors
/// A solver's failure other than having no plan under a cap.
pub fn choices(site: &Site<'_>, schedules: &[Schedule], ends: &StopRule) -> Result<Vec<Choice>, Error> {
    let mut candidates = Vec::new();
    for &schedule in schedules {
        candidates.extend(Candidate::of(site, schedule)?);
    }
    candidates.sort_by(|a, b| a.free_seconds.total_cmp(&b.free_seconds));
    let mut found: Vec<Choice> = Vec::new();
    for (tried, candidate) in candidates.iter().enumerate() {
        let scores = found.iter().filter_map(|choice| choice.joint.as_ref()).map(|joint| joint.score);
        let kept = scores.filter(|score| score.short_bytes == 0).map(|score| score.step_seconds);
        let best = kept.fold(f64::INFINITY, f64::min);
        let joint = if best <= candidate.free_seconds {
            None
        } else {
            let left = (candidates.len() - tried) as f64;
            let deadline = ends.deadline.within(ends.deadline.remaining_seconds() / left);
            let site = candidate.site(site);
            let mut runs = Runs::new(&site)?;
            let given = runs.score(&candidate.cuts)?;
            let behind = given.short_bytes == 0 && given.step_seconds > CATCHES_UP * best;
            let max_rounds = if behind { 1 } else { ends.max_rounds };
            Some(joint(&mut runs, &site, &candidate.cuts, &StopRule { max_rounds, deadline, ..*ends })?)
        };
        found.push(Choice { schedule: candidate.schedule, free_seconds: candidate.free_seconds, joint });
    }
    let place = |choice: &Choice| schedules.iter().position(|&schedule| schedule == choice.schedule);
    found.sort_by(|a, b| {
        let score = |choice: &Choice| choice.joint.as_ref().map(|joint| joint.score);
        let by_score = match (score(a), score(b)) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal),
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        by_score.then(place(a).cmp(&place(b)))
    });
    Ok(found)
}
