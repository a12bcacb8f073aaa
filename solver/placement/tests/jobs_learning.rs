//! The actor and the critic on libtorch: sizes, saving, learning which devices fail.
//!
//! Needs the library: `cargo build --release -p ballast-learner`. The pure parts are tested without it.

use std::sync::Arc;

use ballast_core::limits::Deadline;
use ballast_learner_client::Learner;
use ballast_placement::jobs::{
    ClusterModel, JobCluster, PolicyNetwork, Record, RecordedDecision, TrainOptions, Trainer, Workload,
    World, evaluate,
};
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
    let rows = evaluate(&cluster, &workload(), &world, Some(trainer.policy()), 0..50).expect("rows");
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
fn a_history_teaches_without_a_simulator() {
    let learner = learner();
    // Batches on device 0 went badly, batches on device 3 well.
    let record = |device: usize, makespan_seconds: f64| Record {
        jobs: vec![ballast_placement::jobs::Job { name: "j".into(), devices: 1, seconds: 1000.0 }],
        decisions: vec![RecordedDecision { job: 0, occupied: vec![], devices: vec![device] }],
        makespan_seconds,
        random_makespan_seconds: 1500.0,
    };
    let history: Vec<Record> =
        (0..8).map(|device| record(device % 4, if device % 4 == 3 { 1000.0 } else { 2500.0 })).collect();
    let options = TrainOptions { trainings: 60, ..options() };
    let mut trainer = Trainer::new(&learner, 4, 3600.0, &options).expect("networks");
    trainer.train_on(&history, &Deadline::after(None), &mut |_| {}).expect("trained");
    let state = [0.25, 0.28, 0.0, 0.0, 0.0, 0.0];
    let probabilities = ballast_placement::jobs::Policy::probabilities(trainer.policy(), &state, &[1; 4])
        .expect("probabilities");
    assert!(probabilities[3] > 0.5, "{probabilities:?}");
}
