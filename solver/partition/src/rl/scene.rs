//! One environment with what the policy sees of it, kept up to date action by action.

use std::sync::Arc;

use ballast_learner_client::perceptron::{Perceptron, Scratch, softmax};

use crate::rl::environment::{Action, Group, KINDS, State};
use crate::rl::features::{Aim, PAIR_FEATURES, pair_row};
use crate::rl::machine::{Machine, Score};
use crate::rl::policy::{View, flat};

/// Groups on either side of an action whose pairs see its effect.
const REACH: usize = 3;

/// A state, its loads, and the policy's inputs and logits for it.
pub(super) struct Scene<'a> {
    machine: &'a Machine,
    view: View,
    aim: Arc<Aim>,
    pub(super) state: State,
    pub(super) score: Score,
    groups: Vec<Group>,
    seconds: Vec<f64>,
    /// Inputs of all rows of the view.
    pub(super) rows: Vec<f32>,
    /// By number of action.
    logits: Vec<f32>,
    scratch: Scratch,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        view: View,
        aim: Arc<Aim>,
        policy: &Perceptron,
        state: State,
    ) -> Self {
        let cores = state.cores();
        let mut scene = Scene {
            machine,
            view,
            aim,
            score: machine.score(&state),
            groups: Vec::with_capacity(cores),
            seconds: Vec::with_capacity(cores),
            rows: vec![0.0; view.rows(cores) * view.inputs(cores)],
            logits: vec![0.0; state.actions()],
            scratch: Scratch::default(),
            state,
        };
        scene.look(policy, None);
        scene
    }

    /// Sees the same state under another target.
    pub(super) fn set_aim(&mut self, policy: &Perceptron, aim: Arc<Aim>) {
        self.aim = aim;
        self.look(policy, None);
    }

    pub(super) fn target_seconds(&self) -> f64 {
        self.aim.target_seconds
    }

    /// Takes an action; returns whether it was valid.
    pub(super) fn step(&mut self, policy: &Perceptron, action: Action) -> bool {
        let valid = self.state.apply(action);
        if valid {
            self.score = self.machine.score(&self.state);
            self.look(policy, Some(action.pair));
        }
        valid
    }

    /// Renews inputs and logits: of all pairs, or of those near a changed one.
    fn look(&mut self, policy: &Perceptron, near: Option<usize>) {
        let pairs = self.state.cores() - 1;
        if self.view == View::Flat {
            self.rows.clear();
            flat(self.machine, &self.state, &mut self.rows);
            policy.row(&self.rows, &mut self.scratch);
            self.logits.copy_from_slice(self.scratch.outputs());
            return;
        }
        self.groups.clear();
        self.groups.extend(self.state.groups());
        self.seconds.clear();
        self.seconds.extend(self.groups.iter().map(|&group| self.machine.seconds(group)));
        let last = self.groups.len() - 1;
        let (from, to) = match near {
            None => (0, last),
            Some(pair) => {
                let at = self.groups.partition_point(|group| group.core < pair);
                (at.saturating_sub(REACH), (at + REACH).min(last))
            }
        };
        let first_core = self.groups[from].core + 1 - self.groups[from].cores;
        let cores = first_core..(self.groups[to].core + 1).min(pairs);
        for pair in cores.clone().filter(|&pair| self.state.layers()[pair] == 0) {
            self.rows[pair * PAIR_FEATURES..(pair + 1) * PAIR_FEATURES].fill(0.0);
        }
        for g in from..last.min(to + 1) {
            let pair = self.groups[g].core;
            let row = &mut self.rows[pair * PAIR_FEATURES..(pair + 1) * PAIR_FEATURES];
            pair_row(self.machine, &self.aim, &self.groups, &self.seconds, g, row);
        }
        for pair in cores {
            policy.row(&self.rows[pair * PAIR_FEATURES..(pair + 1) * PAIR_FEATURES], &mut self.scratch);
            for (kind, &logit) in self.scratch.outputs().iter().enumerate() {
                self.logits[kind * pairs + pair] = logit;
            }
        }
    }

    /// Which actions change the state, by number.
    pub(super) fn allowed(&self) -> Vec<u8> {
        let pairs = self.state.cores() - 1;
        (0..self.state.actions())
            .map(|number| Action { kind: KINDS[number / pairs], pair: number % pairs })
            .map(|action| u8::from(self.state.valid(action)))
            .collect()
    }

    /// Probabilities of all actions into `out`, from logits times `sharpness`; with a mask those of forbidden ones are 0.
    pub(super) fn probabilities(&self, allowed: Option<&[u8]>, sharpness: f32, out: &mut Vec<f32>) {
        out.clear();
        out.extend(self.logits.iter().map(|logit| sharpness * logit));
        softmax(out, allowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::chains::{PROFILES, chain};
    use crate::rl::classical::random_state;
    use crate::rl::demand::Demands;
    use crate::rl::machine::Site;
    use crate::sequence::Sequence;
    use ballast_core::device::CoreModel;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};

    /// A policy with weights that are not all alike.
    fn policy(view: View, cores: usize) -> Perceptron {
        let config = view.network(cores, 0);
        let count: usize = config.layers.windows(2).map(|pair| pair[0] * pair[1] + pair[1]).sum();
        let state: Vec<f32> = (0..3 * count + 2).map(|i| (i as f32 * 0.7).sin() * 0.2).collect();
        Perceptron::new(&config, &state).expect("a policy")
    }

    #[test]
    fn what_is_renewed_after_an_action_is_all_that_changed() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let mut valid = 0;
        for round in 0..40 {
            let (layers, cores) = (rng.random_range(3..30), rng.random_range(2..14));
            let machine = chain(layers, cores, PROFILES[round % PROFILES.len()], round as u64);
            let aim = Arc::new(Aim::new(&Demands::of(&machine), 1.1 * machine.ideal_seconds()));
            let policy = policy(View::Pairs, cores);
            let state = random_state(layers, cores, &mut rng).expect("a state");
            let mut scene = Scene::new(&machine, View::Pairs, Arc::clone(&aim), &policy, state);
            for _ in 0..60 {
                let number = rng.random_range(0..scene.state.actions());
                let action = Action::from_number(number, cores).expect("an action");
                valid += usize::from(scene.step(&policy, action));
                let fresh = Scene::new(&machine, View::Pairs, Arc::clone(&aim), &policy, scene.state.clone());
                assert_eq!((&scene.rows, &scene.logits), (&fresh.rows, &fresh.logits), "{action:?}");
                assert_eq!(scene.score, machine.score(&scene.state));
                assert!(scene.rows.iter().all(|number| number.is_finite()));
            }
        }
        assert!(valid > 300, "{valid}");
    }

    #[test]
    fn the_flat_view_is_layers_and_operations_over_their_totals() {
        let sequence = Sequence::chain(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1; 5], &[1; 5]);
        let model = CoreModel { count: 4, memory_per_core: Bytes(1 << 30), speed_up: Vec::new() };
        let machine = Machine::new(&sequence, Site::chip(&model));
        let aim = Arc::new(Aim::new(&Demands::of(&machine), 1.0));
        let state = State::new(vec![0, 2, 1, 2]).expect("a state");
        let scene = Scene::new(&machine, View::Flat, aim, &policy(View::Flat, 4), state);
        assert_eq!(scene.rows[..4], [0.0, 0.4, 0.2, 0.4]);
        assert_eq!(scene.rows.len(), View::Flat.inputs(4));
        assert_eq!(scene.allowed(), [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]);
        let mut probabilities = Vec::new();
        scene.probabilities(Some(&scene.allowed()), 1.0, &mut probabilities);
        assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(probabilities[0], 0.0);
    }
}
