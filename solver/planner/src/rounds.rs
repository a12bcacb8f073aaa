//! Rounds of memory planning and repartitioning.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::pipeline::Spec;
use ballast_core::plan::Plan;
use ballast_core::program::Program;
use ballast_core::report::{Bound, Report};
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::SIMPLE_PLACEMENTS;

use crate::again::{Made, Repartition, Tools, Wanted, others};
use crate::assemble::{Planned, assemble};
use crate::loosen::loosen;
use crate::near::descend;
use crate::pipelined;
use crate::polish::polish;
use crate::pooled::{self, pooled_bound};
use crate::rank::least_rank;
use crate::round::Round;
use crate::stages::{StageOutcome, caps_of};
use crate::{Error, Options};

/// Share of the time left that the plans of one round may take where other rounds may follow. What memory costs a placement is told by plans alone,
/// so that many of them, each from what is known of the ones before, come to more than a few with much time each.
const ROUND_SHARE: f64 = 0.18;

/// Share of the time limit kept for the stages that matter in the best round: until then all stages are planned alike.
const POLISH_SHARE: f64 = 0.15;

/// Share of the time limit kept for the proof of how fast any placement under the caps can be.
const PROOF_SHARE: f64 = 0.05;

/// Searches that come back with a placement known before, or with one that has no plan, after which no other is looked for.
const MOST_FRUITLESS: u64 = 3;

/// Share of the time left that the memory plan of a placement made without a search may take.
const SIMPLE_SHARE: f64 = 0.08;

/// Share of the time after which placements are no longer searched for as a whole: single ops move, and their plans decide.
const WHOLE_SHARE: f64 = 0.7;

/// Plans the memory of a placed program, and repartitions while another placement may be better.
///
/// `partition` is the report of the partition given; `repartition`, where the caller has a partitioner to
/// offer, maps a placement and its planned stage seconds to another placement. The best round wins: one that keeps all caps, or
/// else the least tmax, a quarter of it more for every raised cap; then the stages that decide are planned once more.
///
/// # Errors
/// When a stage of the given partition has no plan, and no other placement was found whose stages have. Later rounds that fail are dropped.
pub fn plan(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    partition: Report,
    options: &Options,
    repartition: Option<&Repartition<'_>>,
) -> Result<Planned, Error> {
    let Program { graph, costs, .. } = *program;
    if let Some(pipeline) = options.pipeline {
        let pipelined::PlannedPipeline { device_of, stages, outcomes, pipeline, rounds } =
            pipelined::plan(program, device_of, options, pipeline, repartition.is_some())?;
        let best = Round { pipeline: Some(pipeline), ..Round::of_outcomes(device_of, stages, outcomes) };
        return assemble(program, best, (partition, None), rounds);
    }
    let given = device_of.clone();
    let deadline = Deadline::start(&options.limits);
    let caps = caps_of_all(program, &device_of, options.cap);
    // So much of the time limit before its end.
    let before = |share: f64| match options.limits.time_limit_seconds {
        Some(seconds) if program.cluster.devices.len() > 1 => {
            deadline.within(deadline.remaining_seconds() - share * seconds)
        }
        _ => deadline,
    };
    let proof_share = if pooled::holds_for(program, options) { PROOF_SHARE } else { 0.0 };
    let rounds_end = before(POLISH_SHARE + proof_share);
    let (mut best, rounds) = best_round(program, device_of, &caps, options, (&rounds_end, repartition))?;
    let spent = deadline.elapsed_seconds();
    polish(program, &mut best, &caps, options, (&before(proof_share), spent));
    best.tell("polished");
    if !graph.keeps_device_rules(&best.device_of) {
        let text = "internal error: an op is not on the device that a rule binds it to";
        return Err(Error::Partition(text.to_owned()));
    }
    let carried = partition.bound().under_other_caps(Bound::any_assignment(graph, costs));
    if best.device_of == given {
        // The partition given is of the class its bound is for, and planned memory only adds to its time.
        carried.beside(best.balance.tmax_seconds)?;
    }
    let pooled = pooled_bound(program, &best, carried, options, &deadline)?;
    assemble(program, best, (partition, pooled), rounds)
}

/// The best of all rounds, and how many there were.
fn best_round(
    program: &Program<'_>,
    device_of: Vec<DeviceId>,
    caps: &[Bytes],
    options: &Options,
    (deadline, repartition): (&Deadline, Option<&Repartition<'_>>),
) -> Result<(Round, usize), Error> {
    let may_move = repartition.is_some() && options.max_rounds > 1;
    let share = |deadline: &Deadline| match options.limits.time_limit_seconds {
        Some(_) if may_move => deadline.within(deadline.remaining_seconds() * ROUND_SHARE),
        _ => *deadline,
    };
    let timed = options.limits.time_limit_seconds.is_some();
    let whole = match options.limits.time_limit_seconds {
        Some(_) if may_move => deadline.within(deadline.remaining_seconds() * WHOLE_SHARE),
        _ => *deadline,
    };
    let mut best = Round::plan(program, device_of, (caps, None), options, &share(deadline))?;
    loosen(program, &mut best, options, &share(deadline));
    best.tell("given");
    let given_failure = most_over(&best.refused);
    let given_seconds = best.free_seconds();
    let mut seen = vec![Made::of(&best)];
    let mut rounds = 1;
    let mut simple = Vec::new();
    let (mut searches, mut fruitless) = (0, 0);
    while rounds < options.max_rounds
        && best.may_improve(options.max_ratio, given_seconds)
        && !deadline.over()
    {
        let Some(repartition) = repartition else { break };
        let tools = (options, deadline, repartition);
        let next = others(program, tools, &best, (caps, &seen), (fruitless, Wanted::Searched))?.pop();
        searches += 1;
        let exhausted = next.is_none();
        let next =
            next.filter(|next| !simple.contains(next) && seen.iter().all(|made| made.device_of != *next));
        let found = rounds;
        match next.map(|next| Round::plan(program, next, (caps, Some(&best)), options, &share(deadline))) {
            Some(Ok(mut candidate)) => {
                loosen(program, &mut candidate, options, &share(deadline));
                candidate.tell("round");
                seen.push(Made::of(&candidate));
                match candidate.refused.first() {
                    Some((_, failure)) => tracing::debug!("round {} is dropped: {failure}", rounds + 1),
                    None => rounds += 1,
                }
                if candidate.rank() < best.rank() {
                    best = candidate;
                }
            }
            Some(Err(failure)) => tracing::debug!("round {} is dropped: {failure}", rounds + 1),
            None => {}
        }
        fruitless += u64::from(rounds == found);
        // After a first search, whose placement most of them cannot beat: they cost little then.
        if searches == 1 {
            seen.extend(try_simple(program, (caps, given_seconds), tools, &mut best, &seen, &mut simple)?);
        }
        // Where there is no plan yet, the clock alone ends the search for one.
        let gives_up = fruitless > MOST_FRUITLESS && (best.refused.is_empty() || !timed);
        if exhausted || gives_up || timed && whole.over() {
            break;
        }
    }
    if let Some(repartition) = repartition.filter(|_| timed && options.max_rounds > 1) {
        descend(program, &mut best, caps, (options, deadline, repartition), given_seconds)?;
    }
    // Where nothing has a plan, what is said is said of the placement that the caller knows.
    match most_over(&best.refused) {
        Some(failure) => Err(given_failure.unwrap_or(failure)),
        None => Ok((best, rounds)),
    }
}

/// Of stages without a plan, why the one that needs the largest multiple of its cap has none: with that much of theirs the others most likely have one.
fn most_over(refused: &[(usize, Error)]) -> Option<Error> {
    let multiple = |failure: &Error| match failure {
        Error::Infeasible { cap, smallest, .. } => smallest.as_f64() / cap.as_f64().max(1.0),
        _ => f64::INFINITY,
    };
    // Of several alike the first.
    let failures = refused.iter().rev().map(|(_, failure)| failure);
    failures.max_by(|one, other| multiple(one).total_cmp(&multiple(other))).cloned()
}

/// Plans the placements that need no search, each in little time and only where it may be the best: where memory decides, the plain ones may be
/// better than all that was found for time. They are no rounds; what is learned of the one that is best is returned.
fn try_simple(
    program: &Program<'_>,
    (caps, given_seconds): (&[Bytes], f64),
    tools: Tools<'_, '_>,
    best: &mut Round,
    seen: &[Made],
    simple: &mut Vec<Vec<DeviceId>>,
) -> Result<Option<Made>, Error> {
    let (options, deadline, _) = tools;
    let mut made = None;
    for number in 0..SIMPLE_PLACEMENTS {
        if !best.may_improve(options.max_ratio, given_seconds) || deadline.over() {
            break;
        }
        let Some(next) = others(program, tools, best, (caps, seen), (0, Wanted::Simple(number)))?.pop()
        else {
            break;
        };
        if simple.contains(&next) || seen.iter().any(|made| made.device_of == next) {
            continue;
        }
        simple.push(next.clone());
        let stages = stages(program.graph, program.costs, program.cluster, &next);
        let clock = match options.limits.time_limit_seconds {
            Some(_) => deadline.within(deadline.remaining_seconds() * SIMPLE_SHARE),
            None => *deadline,
        };
        if least_rank(&stages, caps) >= best.rank() {
            continue;
        }
        match Round::plan(program, next, (caps, Some(best)), options, &clock) {
            Ok(candidate) if candidate.rank() < best.rank() => {
                candidate.tell("simple");
                made = Some(Made::of(&candidate));
                *best = candidate;
            }
            Ok(_) => {}
            Err(failure) => tracing::debug!("simple placement {number} is dropped: {failure}"),
        }
    }
    Ok(made)
}

/// The plan of a placement in which nothing is recomputed or swapped. Where a stage's peak is over its cap, the
/// stage's `cap_bytes` is that peak: what the partition alone needs. In a pipeline what a stage needs for all
/// micro-batches in flight stands in for its peak.
///
/// # Errors
/// When the judge refuses it, which is a bug.
pub fn unplanned(
    program: &Program<'_>,
    device_of: &[DeviceId],
    partition: Report,
    cap: CapSpec,
    pipeline: Option<Spec>,
) -> Result<Plan, Error> {
    let Program { graph, costs, cluster } = *program;
    let stages = stages(graph, costs, cluster, device_of);
    let pipeline = match pipeline {
        Some(spec) => Some(pipelined::unplanned(program, device_of, spec)?),
        None => None,
    };
    let outcomes = stages
        .iter()
        .enumerate()
        .map(|(index, stage)| {
            let peak = match &pipeline {
                Some(pipeline) => Bytes(pipeline.stages[index].unplanned_need_bytes),
                None => Bytes(stage.problem.unplanned_peak()),
            };
            let requested_cap = cap.bytes(peak, cluster.devices[stage.device].memory);
            StageOutcome::keep_all(stage, requested_cap, peak, partition.seed)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let round = Round { pipeline, ..Round::of_outcomes(device_of.to_vec(), stages, outcomes) };
    let mut plan = assemble(program, round, (partition, None), 0)?.plan;
    // Nothing was asked of these caps yet.
    plan.notes.clear();
    Ok(plan)
}

/// The caps asked for. A share is one of what the placement given needs, and stays so many bytes in every round: a cap that grew with what
/// a placement needs would be none. A device that it leaves idle may hold as much as any other.
fn caps_of_all(program: &Program<'_>, device_of: &[DeviceId], cap: CapSpec) -> Vec<Bytes> {
    let stages = program.stages(device_of);
    let mut caps = caps_of(&stages, program.cluster, cap);
    if matches!(cap, CapSpec::Share(_)) {
        let largest = caps.iter().copied().max().unwrap_or_default();
        for (cap, _) in caps.iter_mut().zip(&stages).filter(|(_, stage)| stage.idle()) {
            *cap = largest;
        }
    }
    caps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_stages_without_a_plan_the_one_furthest_over_its_cap_is_told_of() {
        let failure = |device: usize, cap: u64, smallest: u64| {
            let failure = Error::Infeasible {
                device: DeviceId(device),
                op: None,
                label: "dot".to_owned(),
                cap: Bytes(cap),
                smallest: Bytes(smallest),
                found: false,
                proved: true,
                every_way: true,
            };
            (device, failure)
        };
        let refused = [failure(0, 100, 120), failure(1, 10, 15), failure(3, 20, 30)];
        assert_eq!(most_over(&refused), Some(refused[1].1.clone()), "the first of two alike");
        assert_eq!(most_over(&refused[..1]), Some(refused[0].1.clone()));
        assert_eq!(most_over(&[]), None);
    }
}
