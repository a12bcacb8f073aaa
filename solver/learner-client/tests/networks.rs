//! The networks end to end: forward, REINFORCE, PPO, values, saving. Needs the library: `cargo build --release -p
//! ballast-learner`.

use std::sync::Arc;

use ballast_learner_client::perceptron::{Perceptron, Scratch, softmax};
use ballast_learner_client::saved::{decode, encode};
use ballast_learner_client::{
    Activation, Head, Learner, LearnerError, Network, NetworkConfig, PolicyUpdate, ValueUpdate,
};

fn learner() -> Arc<Learner> {
    Learner::open(None).expect("build the library first: cargo build --release -p ballast-learner")
}

fn config(layers: &[usize]) -> NetworkConfig {
    NetworkConfig { layers: layers.to_vec(), head: Head::Policy, activation: Activation::Relu, seed: 3 }
}

fn policy(layers: &[usize]) -> Network {
    Network::new(&learner(), &config(layers)).expect("a network")
}

const UPDATE: PolicyUpdate<'static> = PolicyUpdate {
    rows: 1,
    input: &[],
    allowed: None,
    actions: &[],
    advantages: &[],
    old_log_probabilities: None,
    learning_rate: 0.05,
    entropy_weight: 0.0,
    clip: 0.2,
    clip_norm: 0.0,
};

#[test]
fn a_policy_starts_near_uniform_and_learns_what_is_rewarded() {
    let mut network = policy(&[3, 16, 5]);
    let input = [0.5, -0.25, 1.0];
    let before = network.forward(1, 1, &input, None).expect("probabilities");
    assert!(before.iter().all(|p| (p - 0.2).abs() < 0.02), "{before:?}");
    let twice = [input, input].concat();
    for _ in 0..60 {
        let update = PolicyUpdate { input: &twice, actions: &[1, 3], advantages: &[1.0, -1.0], ..UPDATE };
        let figures = network.update_policy(&update).expect("an update");
        assert!(figures.loss.is_finite() && (-1e-6..1.6095).contains(&figures.entropy), "at most ln 5");
    }
    let after = network.forward(1, 1, &input, None).expect("probabilities");
    assert!(after[1] > 0.9 && after[3] < 0.05, "{after:?}");
    let masked = network.forward(1, 1, &input, Some(&[1, 0, 1, 1, 1])).expect("probabilities");
    assert!(masked[1] == 0.0 && (masked.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn rows_share_weights_and_actions_are_numbered_by_output_then_row() {
    let rows = [[0.3, 0.7], [-1.0, 0.2], [0.3, 0.7], [2.0, 2.0]];
    let p = policy(&[2, 8, 3]).forward(1, 4, &rows.concat(), None).expect("probabilities");
    assert_eq!(p.len(), 12);
    for output in 0..3 {
        assert_eq!(p[output * 4], p[output * 4 + 2], "equal rows, equal probabilities");
        assert_ne!(p[output * 4], p[output * 4 + 3], "other rows, others");
    }
    assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn a_clipped_update_stops_at_the_edge() {
    let mut network = policy(&[1, 8, 2]);
    let old = network.forward(1, 1, &[1.0], None).expect("probabilities")[0];
    for _ in 0..200 {
        let update = PolicyUpdate {
            input: &[1.0],
            actions: &[0],
            advantages: &[1.0],
            old_log_probabilities: Some(&[old.ln()]),
            learning_rate: 0.002,
            ..UPDATE
        };
        network.update_policy(&update).expect("an update");
    }
    let ratio = network.forward(1, 1, &[1.0], None).expect("probabilities")[0] / old;
    assert!(ratio > 1.15 && ratio < 1.5, "moved to the edge of the clip range and stopped: {ratio}");
}

#[test]
fn a_value_network_fits_its_targets_and_averages_rows() {
    let config = NetworkConfig { head: Head::Value, ..config(&[1, 16, 1]) };
    let mut value = Network::new(&learner(), &config).expect("a network");
    let mut last = f64::INFINITY;
    for _ in 0..400 {
        let update = ValueUpdate {
            rows: 1,
            input: &[-1.0, 0.5, 1.0],
            targets: &[2.0, 1.0, 2.0],
            learning_rate: 0.01,
            clip_norm: 0.0,
        };
        last = value.update_value(&update).expect("an update").loss;
    }
    assert!(last < 0.05, "{last}");
    let mean = value.forward(1, 2, &[0.0, 2.0], None).expect("a value");
    let each = value.forward(2, 1, &[0.0, 2.0], None).expect("values");
    assert!((mean[0] - (each[0] + each[1]) / 2.0).abs() < 1e-5);
}

#[test]
fn published_network_sizes_come_out() {
    // Placement of training jobs on N = 4 devices: 256-196-196-128-N and 256-196-196-128-1 over n, t and N bits.
    assert_eq!(policy(&[6, 256, 196, 196, 128, 4]).parameters(), 116_508);
    assert_eq!(policy(&[6, 256, 196, 196, 128, 1]).parameters(), 116_121);
}

#[test]
fn saved_and_restored_training_goes_on_exactly() {
    let step = |network: &mut Network| {
        let update = PolicyUpdate { input: &[0.1, 0.2], actions: &[2], advantages: &[1.0], ..UPDATE };
        network.update_policy(&update).expect("an update");
    };
    let mut one = policy(&[2, 8, 3]);
    step(&mut one);
    step(&mut one);
    let state = one.state().expect("a state");
    let file = encode("test", one.config(), &[&state]).expect("a file");
    let (config, parts) = decode::<NetworkConfig>("test", &file).expect("the same");
    let mut two = Network::new(&learner(), &config).expect("a network");
    two.set_state(&parts[0]).expect("taken over");
    step(&mut one);
    step(&mut two);
    assert_eq!(one.state().expect("a state"), two.state().expect("a state"));
}

#[test]
fn calls_that_make_no_sense_are_refused_with_a_message() {
    let mut network = policy(&[2, 3]);
    let short = network.forward(1, 1, &[1.0], None).expect_err("one number of two");
    assert!(matches!(short, LearnerError::Shape { given: 1, expected: 2, .. }));
    assert!(network.forward(1, 1, &[1.0, 2.0], Some(&[0, 0, 0])).is_err(), "no action allowed");
    let update = PolicyUpdate { input: &[1.0, 2.0], actions: &[3], advantages: &[1.0], ..UPDATE };
    let error = network.update_policy(&update).expect_err("action 3 of 3");
    assert!(error.to_string().contains("action 3 of 3"), "{error}");
    let nan = PolicyUpdate { input: &[f32::NAN, 2.0], actions: &[1], advantages: &[1.0], ..UPDATE };
    assert!(network.update_policy(&nan).expect_err("no gradient").to_string().contains("not finite"));
    assert!(network.set_state(&[1.0]).is_err());
    for layers in [&[4][..], &[4, 0, 2], &[]] {
        assert!(Network::new(&learner(), &config(layers)).is_err(), "{layers:?}");
    }
    assert!(Learner::open(Some("/nowhere/learner.so".as_ref())).is_err());
}

#[test]
fn a_perceptron_acts_as_the_library_does() {
    for activation in [Activation::Relu, Activation::Tanh] {
        let config = NetworkConfig { activation, ..config(&[5, 17, 9, 4]) };
        let mut network = Network::new(&learner(), &config).expect("a network");
        let rows: Vec<f32> = (0..15).map(|i| (i as f32).sin()).collect();
        let allowed = [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0];
        let update = PolicyUpdate { rows: 3, input: &rows, actions: &[4], advantages: &[1.0], ..UPDATE };
        network.update_policy(&update).expect("an update");
        let wanted = network.forward(1, 3, &rows, Some(&allowed)).expect("probabilities");
        let state = network.state().expect("a state");
        let own = Perceptron::new(&config, &state).expect("a perceptron");
        let mut scratch = Scratch::default();
        let mut got = vec![0.0; 12];
        for (row, input) in rows.chunks(5).enumerate() {
            own.row(input, &mut scratch);
            scratch.outputs().iter().enumerate().for_each(|(output, &logit)| got[output * 3 + row] = logit);
        }
        softmax(&mut got, Some(&allowed));
        for (got, wanted) in got.iter().zip(&wanted) {
            assert!((got - wanted).abs() < 1e-5, "{got} {wanted}");
        }
        assert!(Perceptron::new(&config, &state[1..]).is_err(), "a number is missing");
        let endless: Vec<f32> = state.iter().map(|_| f32::INFINITY).collect();
        assert!(Perceptron::new(&config, &endless).is_err());
    }
}
