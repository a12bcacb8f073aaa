//! `--ballast-plan`: partition and memory plan in turn, as one pass.

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{
    BallastPlanOptions, Fitness, MemoryOrder, MemorySolver, PartitionMethod, PartitionOrder,
};
use ballast_dialects::passes::{RematOptions, RewardKind, RlPartitionOptions};
use melior::ir::operation::OperationRef;

use crate::{remat, rl_partition};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; a program that was partitioned and then refused a memory plan keeps its partition.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastPlanOptions) -> Result<(), Reported> {
    let half = options.time_limit / 2.0;
    let partition = RlPartitionOptions {
        function: options.function.clone(),
        devices: options.devices.clone(),
        dynamic_dim: options.dynamic_dim,
        granularity: options.granularity,
        order: PartitionOrder::Program,
        method: PartitionMethod::Auto,
        cores: 0,
        cap: options.cap.clone(),
        cap_counts: options.cap_counts,
        fusion: options.fusion,
        time_limit: half,
        work_limit: options.work_limit,
        seed: options.seed,
        threads: options.threads,
        episodes: EPISODES,
        max_steps: 0,
        target_reward: 0.0,
        reward: RewardKind::MaxTime,
        weights: "1,1,1".to_owned(),
        learning_rate: LEARNING_RATE,
        network: String::new(),
        save_network: String::new(),
        population: POPULATION,
        generations: GENERATIONS,
        elite: ELITE,
        crossover: CROSSOVER,
        mutation: MUTATION,
        fitness: Fitness::Loads,
        placement_file: String::new(),
        graph_file: String::new(),
        profile: options.profile.clone(),
        count: options.count,
        schedule: options.schedule,
        micro_batches: options.micro_batches,
    };
    let memory = RematOptions {
        function: options.function.clone(),
        devices: options.devices.clone(),
        dynamic_dim: options.dynamic_dim,
        cap: options.cap.clone(),
        cap_counts: options.cap_counts,
        fusion: options.fusion,
        solver: MemorySolver::Auto,
        order: MemoryOrder::Program,
        swap: options.swap,
        overlap: options.overlap,
        arena: 0,
        time_limit: half,
        work_limit: options.work_limit,
        seed: options.seed,
        threads: options.threads,
        relax_step: RELAX_STEP,
        relax_limit: RELAX_LIMIT,
        max_ratio: options.max_ratio,
        max_rounds: options.max_rounds,
        model_file: String::new(),
        plan_file: options.plan_file.clone(),
        q_rounds: Q_ROUNDS,
        q_weight: Q_WEIGHT,
        q_epsilon: Q_EPSILON,
        q_table: String::new(),
        save_q_table: String::new(),
        graph_file: String::new(),
        profile: options.profile.clone(),
        count: options.count,
        schedule: options.schedule,
        micro_batches: options.micro_batches,
    };
    rl_partition::run(module, &partition)?;
    remat::run(module, &memory)
}

// The defaults of the two passes, as `Passes.td` has them.
const EPISODES: u64 = 50;
const LEARNING_RATE: f64 = 0.001;
const POPULATION: u64 = 100;
const GENERATIONS: u64 = 10_000;
const ELITE: u64 = 1;
const CROSSOVER: f64 = 0.6;
const MUTATION: f64 = 0.1;
const Q_ROUNDS: u64 = 2_000;
const Q_WEIGHT: f64 = 0.5;
const Q_EPSILON: f64 = 0.1;
const RELAX_STEP: f64 = 0.05;
const RELAX_LIMIT: f64 = 2.0;
