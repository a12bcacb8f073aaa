//! The learned policy and the baselines on the same unseen batches with the same faults.

use ballast_core::limits::Deadline;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::faults::FaultTrace;
use crate::job::{Job, JobCluster, JobError};
use crate::placer::{CapacityAware, FaultGreedy, FirstFit, InterferenceAware, Placer, Random};
use crate::policy::{LearnedPlacer, Policy};
use crate::simulate::{BatchRun, run_batch_within};
use crate::workload::Workload;
use crate::world::World;

/// One placer over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The placer.
    pub placer: String,
    /// Mean completion time of the last job, seconds.
    pub makespan_seconds: f64,
    /// Its standard deviation over the seeds.
    pub makespan_spread_seconds: f64,
    /// Mean restarts of a batch.
    pub restarts: f64,
    /// Batches that were run: one per seed, or fewer where time was over.
    pub batches: usize,
}

/// Streams of the generator that training does not use.
pub(super) const EVALUATION_STREAM: u64 = 1 << 32;

/// Runs one batch per seed with every placer, until the deadline; a placer that finished none has no row.
///
/// # Errors
/// What `run_batch` returns.
pub fn evaluate(
    cluster: &JobCluster,
    workload: &Workload,
    world: &World,
    policy: Option<&mut dyn Policy>,
    seeds: std::ops::Range<u64>,
    deadline: &Deadline,
) -> Result<Vec<Row>, JobError> {
    workload.check(cluster.devices.len())?;
    world.check()?;
    let mut rows = Vec::new();
    if let Some(policy) = policy {
        rows.extend(learned(cluster, workload, world, policy, seeds.clone(), deadline)?);
    }
    type Maker = fn(u64) -> Box<dyn Placer>;
    let baselines: [(&str, Maker); 5] = [
        ("random", |seed| Box::new(Random::new(seed))),
        ("first-fit", |_| Box::new(FirstFit)),
        ("capacity-aware", |_| Box::new(CapacityAware)),
        ("interference-aware", |_| Box::new(InterferenceAware)),
        ("fault-greedy", |_| Box::new(FaultGreedy)),
    ];
    for (name, maker) in baselines {
        rows.extend(row(name, cluster, workload, world, seeds.clone(), &mut |seed, jobs, faults| {
            run_batch_within(cluster, jobs, world, faults, maker(seed).as_mut(), deadline)
        })?);
    }
    Ok(rows)
}

/// Runs one batch per seed with a settled policy, until the deadline; none where no batch was finished.
pub(super) fn learned(
    cluster: &JobCluster,
    workload: &Workload,
    world: &World,
    policy: &mut dyn Policy,
    seeds: std::ops::Range<u64>,
    deadline: &Deadline,
) -> Result<Option<Row>, JobError> {
    row("learned", cluster, workload, world, seeds, &mut |_, jobs, faults| {
        run_batch_within(cluster, jobs, world, faults, &mut LearnedPlacer::new(&mut *policy), deadline)
    })
}

/// Runs the batch of a seed; none once time is over.
type Runner<'a> = dyn FnMut(u64, &[Job], &mut FaultTrace) -> Result<Option<BatchRun>, JobError> + 'a;

fn row(
    name: &str,
    cluster: &JobCluster,
    workload: &Workload,
    world: &World,
    seeds: std::ops::Range<u64>,
    run: &mut Runner<'_>,
) -> Result<Option<Row>, JobError> {
    let (mut spans, mut restarts) = (Vec::new(), 0.0);
    for seed in seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(EVALUATION_STREAM);
        let jobs = workload.batch(cluster.devices.len(), &mut rng);
        let mut faults = FaultTrace::new(cluster, world, EVALUATION_STREAM + seed);
        let Some(outcome) = run(seed, &jobs, &mut faults)? else { break };
        spans.push(outcome.makespan_seconds);
        restarts += outcome.restarts as f64;
    }
    if spans.is_empty() {
        return Ok(None);
    }
    let count = spans.len() as f64;
    let mean = spans.iter().sum::<f64>() / count;
    let variance = spans.iter().map(|span| (span - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Ok(Some(Row {
        placer: name.into(),
        makespan_seconds: mean,
        makespan_spread_seconds: variance.sqrt(),
        restarts: restarts / count,
        batches: spans.len(),
    }))
}
