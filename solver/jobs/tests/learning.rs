//! The actor and the critic on libtorch: sizes, saving, learning which devices fail.
//!
//! Needs the library: `cargo build --release -p ballast-learner`. The pure parts are tested without it.

use std::sync::Arc;

use ballast_core::limits::Deadline;
use ballast_jobs::{
    ClusterModel, JobCluster, PolicyNetwork, Record, RecordedDecision, TrainOptions, Trainer, Workload,
    World, evaluate,
};
use ballast_learner_client::Learner;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn learner() -> Arc<Learner> {
    Learner::open(None).expect("build the library first: cargo build --release -p ballast-learner")
}

fn cluster() -> JobCluster {
    let model = ClusterModel {
        devices: 8,
        per_host: 4,
        failures_per_hour: 1.0,
        rate_spread: 200.0,
        speed_spread: 0.0,
    };
    model.draw(&mut ChaCha8Rng::seed_from_u64(4))
}

fn workload() -> Workload {
    Workload { widths: vec![1, 2], ..Workload::default() }
}

fn options() -> TrainOptions {
    TrainOptions { trainings: 150, batches_per_period: 8, ..TrainOptions::default() }
}

#[test]
fn networks_have_the_printed_sizes() {
    let learner = learner();
    let trainer = Trainer::new(&learner, 4, 3600.0, &options()).expect("networks");
    assert_eq!(trainer.parameters(), (116_508, 116_121));
}

#[test]
fn the_policy_learns_to_avoid_failing_devices() {
    let learner = learner();
    let (cluster, world) = (cluster(), World::default());
    let mut trainer = Trainer::new(&learner, 8, 3600.0, &options()).expect("networks");
    let mut rewards = Vec::new();
    trainer
        .train(&cluster, &workload(), &world, &Deadline::after(None), &mut |figures| {
            rewards.push(figures.mean_reward);
        })
        .expect("trained");
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    assert!(mean(&rewards[110..]) > mean(&rewards[..40]) + 0.1, "rewards did not rise");
    let rows = evaluate(&cluster, &workload(), &world, Some(trainer.policy()), 0..50, &Deadline::after(None))
        .expect("rows");
    let makespan = |name: &str| rows.iter().find(|row| row.placer == name).expect("a row").makespan_seconds;
    assert!(makespan("learned") < makespan("random"), "{rows:?}");
    assert!(makespan("learned") < makespan("first-fit"), "{rows:?}");
}

#[test]
fn training_is_repeatable_saved_and_resumed() {
    let learner = learner();
    let short = TrainOptions { trainings: 5, ..options() };
    let train = |trainer: &mut Trainer| {
        trainer
            .train(&cluster(), &workload(), &World::default(), &Deadline::after(None), &mut |_| {})
            .expect("trained");
        trainer.save().expect("a file")
    };
    let run = || train(&mut Trainer::new(&learner, 8, 3600.0, &short).expect("networks"));
    let file = run();
    assert!(file == run(), "two runs of one seed differ");
    let mut resumed = Trainer::resume(&learner, &file, 8, &short).expect("resumed");
    assert!(resumed.save().expect("a file") == file, "saving what was loaded changes it");
    assert!(train(&mut resumed) != file);
    PolicyNetwork::load(&learner, &file, 8).expect("the policy alone");

    let other = PolicyNetwork::load(&learner, &file, 16).expect_err("another size").to_string();
    assert!(other.contains("trained for 8 devices and the cluster has 16"), "{other}");
    let mut damaged = file.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 64;
    let error = PolicyNetwork::load(&learner, &damaged, 8).expect_err("damaged").to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn the_network_that_did_best_on_batches_kept_for_this_is_the_outcome() {
    let learner = learner();
    let (cluster, world) = (cluster(), World::default());
    // The batches it is tried on.
    let kept = (1 << 20)..(1 << 20) + 64;
    let makespan = |trainings, validate_every| {
        let options = TrainOptions { trainings, validate_every, policy_rate: 0.02, ..options() };
        let mut trainer = Trainer::new(&learner, 8, 3600.0, &options).expect("networks");
        trainer.train(&cluster, &workload(), &world, &Deadline::after(None), &mut |_| {}).expect("trained");
        let rows = evaluate(
            &cluster,
            &workload(),
            &world,
            Some(trainer.policy()),
            kept.clone(),
            &Deadline::after(None),
        )
        .expect("rows");
        rows[0].makespan_seconds
    };
    let last: Vec<f64> = (1..=16).map(|trainings| makespan(trainings, 0)).collect();
    let best_of = |count: usize| last[..count].iter().copied().fold(f64::INFINITY, f64::min);
    // A number of trainings whose last network is not the best.
    let count = (2..=16).find(|&count| last[count - 1] > best_of(count)).expect("a step back");
    assert_eq!(makespan(count as u64, 1), best_of(count), "{last:?}");
    assert_eq!(makespan(13, 5), last[4].min(last[9]).min(last[12]), "after 5, after 10 and at the end");
    let mut trainer = Trainer::new(&learner, 8, 3600.0, &TrainOptions { validate_every: 5, ..options() })
        .expect("networks");
    let record = Record {
        jobs: vec![ballast_jobs::Job::new("j", 1, 1000.0)],
        decisions: vec![RecordedDecision { job: 0, occupied: vec![], devices: vec![0] }],
        makespan_seconds: 1000.0,
        random_makespan_seconds: 1500.0,
        run_seconds: None,
    };
    let refused = trainer.train_on(&[record], &Deadline::after(None), &mut |_| {}).expect_err("a history");
    assert!(refused.to_string().contains("validate-every"), "{refused}");
}

#[test]
fn a_history_teaches_without_a_simulator() {
    let learner = learner();
    // Batches on device 0 went badly, batches on device 3 well.
    let record = |device: usize, makespan_seconds: f64| Record {
        jobs: vec![ballast_jobs::Job::new("j", 1, 1000.0)],
        decisions: vec![RecordedDecision { job: 0, occupied: vec![], devices: vec![device] }],
        makespan_seconds,
        random_makespan_seconds: 1500.0,
        run_seconds: None,
    };
    let history: Vec<Record> =
        (0..8).map(|device| record(device % 4, if device % 4 == 3 { 1000.0 } else { 2500.0 })).collect();
    let options = TrainOptions { trainings: 60, ..options() };
    let mut trainer = Trainer::new(&learner, 4, 3600.0, &options).expect("networks");
    trainer.train_on(&history, &Deadline::after(None), &mut |_| {}).expect("trained");
    let state = [0.25, 0.28, 0.0, 0.0, 0.0, 0.0];
    let probabilities =
        ballast_jobs::Policy::probabilities(trainer.policy(), &state, &[1; 4]).expect("probabilities");
    assert!(probabilities[3] > 0.5, "{probabilities:?}");
}
