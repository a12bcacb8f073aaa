//! The policy that proposes moves: odds of where a group is drawn from, and a small network over what moving it would change that
//! says with how many of its neighbours it should move. Both learn by REINFORCE while they act.
//!
//! It acts and learns in plain Rust: with some three hundred weights an update takes less time than handing it to a library, and
//! the same numbers come out on one thread and on many.

use ballast_learner_client::perceptron::{draw, softmax};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Numbers a candidate move is described by.
pub(super) const INPUTS: usize = 12;
const HIDDEN: usize = 16;
const OUTPUTS: usize = Action::ALL.len();
/// Weights of the two layers, each followed by its biases.
const FIRST: usize = INPUTS * HIDDEN;
const SECOND: usize = HIDDEN * OUTPUTS;
const COUNT: usize = FIRST + HIDDEN + SECOND + OUTPUTS;

/// Of so many decisions the network learns from one.
const LEARNS_IN: u32 = 4;
/// Decisions of an update.
const BATCH: usize = 128;
const STEP_SIZE: f32 = 0.01;
/// Adam's decay of both moments (Kingma and Ba, 2015).
const DECAY: [f32; 2] = [0.9, 0.99];
/// Weight of the network's entropy, beside advantages of mean square 1.
const ENTROPY: f32 = 0.003;
/// Share of decisions to move more than the group that are drawn evenly, and share of sources that are drawn by the odds before anything
/// is learned: what gains little now may open the way to what gains later.
const EVEN_ACTIONS: f32 = 0.03;
const FIRST_SOURCES: f32 = 0.5;
/// Gains above this, in temperatures, are taken for this much, so that single lucky moves do not lead.
const MOST_GAIN: f32 = 4.0;
/// How fast means follow: of gains per cost, and of squares of advantages.
const FOLLOW: f32 = 1e-3;
/// Step size of the odds of sources.
const SOURCE_STEP: f32 = 0.002;
const MOST_LOGIT: f32 = 5.0;
/// Share of all cost that goes into moves of several groups; the price of cost follows it, by so much every so much cost.
const CLUSTER_SHARE: f32 = 0.75;
const PRICE_STEP: f32 = 0.2;
const PRICED_EVERY: f32 = 1000.0;
const FIRST_PRICE: f32 = 0.005;

/// Where a group to move is drawn from, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Any group.
    Anywhere,
    /// A group on a net that is cut.
    Border,
    /// Any two groups, which change places.
    Swap,
}

impl Source {
    const ALL: [Source; 3] = [Source::Anywhere, Source::Border, Source::Swap];
    /// Odds before anything is learned.
    const START: [f32; 3] = [0.25, 0.6, 0.15];
}

/// With how many neighbours on its device a group moves that should not move alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Not at all.
    Stop,
    Few,
    Some,
    Many,
}

impl Action {
    const ALL: [Action; 4] = [Action::Stop, Action::Few, Action::Some, Action::Many];
    /// Logits before anything is learned.
    const START: [f32; 4] = [1.5, 0.0, 0.0, 0.0];

    /// Groups of the cluster, at least and at most.
    pub(super) fn sizes(self) -> Option<(usize, usize)> {
        match self {
            Action::Stop => None,
            Action::Few => Some((2, 4)),
            Action::Some => Some((5, 16)),
            Action::Many => Some((17, 64)),
        }
    }
}

/// Ranges of the temperature on coarse levels, and as many on the last.
const HEATS: usize = 4;

/// What is learned in one range of temperatures on one kind of level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Phase {
    /// Logits of sources.
    sources: [f32; Source::ALL.len()],
    /// Mean gain per cost of all moves.
    rate: f32,
    /// What a unit of cost is worth to moves of several groups.
    price: f32,
}

/// Odds, network and optimiser.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Policy {
    phases: [Phase; 2 * HEATS],
    weights: Vec<f32>,
    moments: [Vec<f32>; 2],
    updates: i32,
    /// Mean squares of advantages of clusters and of sources.
    squares: [f32; 2],
    /// Sum of gradients, and of how many decisions.
    gradient: Vec<f32>,
    seen: usize,
    decisions: u32,
    /// Cost of clusters and of all moves since the price was set.
    spent: [f32; 2],
    /// Of the move under way: the phase, odds of sources, hidden layer and odds of actions.
    phase: usize,
    source_odds: [f32; Source::ALL.len()],
    hidden: [f32; HIDDEN],
    odds: [f32; OUTPUTS],
}

impl Policy {
    /// The policy that knows nothing.
    pub(super) fn new() -> Self {
        let mut weights = vec![0.0; COUNT];
        // Weights of the first layer differ, or all hidden numbers would stay the same; those of the second are zero.
        for (number, weight) in weights[..FIRST].iter_mut().enumerate() {
            let mixed = (number as u32).wrapping_mul(0x9E37_79B9) ^ 0x5bd1_e995;
            let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d);
            *weight = ((mixed >> 8) as f32 / (1 << 24) as f32 - 0.5) * 1.2;
        }
        weights[COUNT - OUTPUTS..].copy_from_slice(&Action::START);
        let phase = Phase { sources: Source::START.map(f32::ln), rate: 0.0, price: FIRST_PRICE };
        Policy {
            phases: [phase; 2 * HEATS],
            weights,
            moments: [vec![0.0; COUNT], vec![0.0; COUNT]],
            updates: 0,
            squares: [0.01; 2],
            gradient: vec![0.0; COUNT],
            seen: 0,
            decisions: 0,
            spent: [0.0; 2],
            phase: 0,
            source_odds: Source::START,
            hidden: [0.0; HIDDEN],
            odds: [0.0; OUTPUTS],
        }
    }

    /// The mean of policies that went on from the same one; none of none.
    pub(super) fn mean(policies: &[Policy]) -> Option<Policy> {
        let share = 1.0 / policies.len() as f32;
        let mean = |of: &dyn Fn(&Policy) -> f32| policies.iter().map(of).sum::<f32>() * share;
        let mut joined = policies.first()?.clone();
        for at in 0..COUNT {
            joined.weights[at] = mean(&|policy| policy.weights[at]);
            for moment in 0..2 {
                joined.moments[moment][at] = mean(&|policy| policy.moments[moment][at]);
            }
        }
        for (at, phase) in joined.phases.iter_mut().enumerate() {
            for (source, logit) in phase.sources.iter_mut().enumerate() {
                *logit = mean(&|policy| policy.phases[at].sources[source]);
            }
            phase.rate = mean(&|policy| policy.phases[at].rate);
            phase.price = mean(&|policy| policy.phases[at].price);
        }
        for which in 0..2 {
            joined.squares[which] = mean(&|policy| policy.squares[which]);
        }
        joined.updates = policies.iter().map(|policy| policy.updates).max()?;
        Some(joined)
    }

    /// Where the next group is drawn from, at this temperature, on the last level or a coarse one.
    pub(super) fn source(&mut self, temperature: f64, last: bool, random: &mut ChaCha8Rng) -> Source {
        // The search cools from 0.5 to 0.002 on coarse levels.
        let heat = ((temperature.ln() + 6.0) / 1.5).clamp(0.0, (HEATS - 1) as f64) as usize;
        self.phase = heat + if last { HEATS } else { 0 };
        self.source_odds = self.phases[self.phase].sources;
        softmax(&mut self.source_odds, None);
        for (odds, first) in self.source_odds.iter_mut().zip(Source::START) {
            *odds = (1.0 - FIRST_SOURCES) * *odds + FIRST_SOURCES * first;
        }
        Source::ALL[draw(&self.source_odds, random.random())]
    }

    /// Draws how a move described so goes on.
    pub(super) fn act(&mut self, inputs: &[f32; INPUTS], random: &mut ChaCha8Rng) -> Action {
        let (first, rest) = self.weights.split_at(FIRST);
        let (bias, rest) = rest.split_at(HIDDEN);
        let (second, last) = rest.split_at(SECOND);
        self.hidden.copy_from_slice(bias);
        for (&input, weights) in inputs.iter().zip(first.chunks_exact(HIDDEN)) {
            for (sum, &weight) in self.hidden.iter_mut().zip(weights) {
                *sum += input * weight;
            }
        }
        self.odds.copy_from_slice(last);
        for (hidden, weights) in self.hidden.iter_mut().zip(second.chunks_exact(OUTPUTS)) {
            *hidden = hidden.max(0.0);
            for (sum, &weight) in self.odds.iter_mut().zip(weights) {
                *sum += *hidden * weight;
            }
        }
        softmax(&mut self.odds, None);
        for (odds, action) in self.odds.iter_mut().zip(Action::ALL) {
            let even = if action == Action::Stop { 0.0 } else { EVEN_ACTIONS / (OUTPUTS - 1) as f32 };
            *odds = (1.0 - EVEN_ACTIONS) * *odds + even;
        }
        Action::ALL[draw(&self.odds, random.random())]
    }

    /// Learns from what a whole move brought: what it gained, in temperatures, and what trying it cost.
    pub(super) fn learn_source(&mut self, source: Source, gain: f32, cost: f32) {
        let phase = &mut self.phases[self.phase];
        let gain = gain.min(MOST_GAIN);
        phase.rate += FOLLOW * (gain - phase.rate * cost);
        let advantage = gain - phase.rate * cost;
        self.squares[1] += FOLLOW * (advantage * advantage - self.squares[1]);
        let step = SOURCE_STEP * advantage / self.squares[1].sqrt().max(f32::MIN_POSITIVE);
        for ((logit, odds), other) in phase.sources.iter_mut().zip(self.source_odds).zip(Source::ALL) {
            let taken = if other == source { 1.0 } else { 0.0 };
            *logit = (*logit + step * (taken - odds)).clamp(-MOST_LOGIT, MOST_LOGIT);
        }
    }

    /// Learns from what the last action brought.
    pub(super) fn learn(&mut self, inputs: &[f32; INPUTS], action: Action, gain: f32, cost: f32) {
        self.spent[0] += cost;
        self.spent[1] += 1.0 + cost;
        let price = &mut self.phases[self.phase].price;
        let advantage = gain.min(MOST_GAIN) - *price * cost;
        if self.spent[1] > PRICED_EVERY {
            let over = self.spent[0] / self.spent[1] - CLUSTER_SHARE;
            *price = (*price * (PRICE_STEP * over).exp()).clamp(1e-6, 1.0);
            self.spent = [0.0; 2];
        }
        if action != Action::Stop {
            self.squares[0] += FOLLOW * (advantage * advantage - self.squares[0]);
        }
        self.decisions = self.decisions.wrapping_add(1);
        if self.decisions.is_multiple_of(LEARNS_IN) {
            let scaled = advantage / self.squares[0].sqrt().max(f32::MIN_POSITIVE);
            self.add_gradient(inputs, action, scaled.clamp(-5.0, 20.0));
        }
    }

    /// The gradient of `advantage * ln(odds of the action)` and of the entropy, by the weights.
    fn add_gradient(&mut self, inputs: &[f32; INPUTS], action: Action, advantage: f32) {
        let entropy: f32 = self.odds.iter().map(|&odds| -odds * odds.max(f32::MIN_POSITIVE).ln()).sum();
        let mut slope = [0.0; OUTPUTS];
        for ((slope, &odds), other) in slope.iter_mut().zip(&self.odds).zip(Action::ALL) {
            let taken = if other == action { 1.0 } else { 0.0 };
            let surprise = odds.max(f32::MIN_POSITIVE).ln() + entropy;
            *slope = advantage * (taken - odds) - ENTROPY * odds * surprise;
        }
        let (first, rest) = self.gradient.split_at_mut(FIRST);
        let (bias, rest) = rest.split_at_mut(HIDDEN);
        let (second, last) = rest.split_at_mut(SECOND);
        for (sum, slope) in last.iter_mut().zip(slope) {
            *sum += slope;
        }
        let weights = &self.weights[FIRST + HIDDEN..FIRST + HIDDEN + SECOND];
        let mut back = [0.0; HIDDEN];
        for (unit, &hidden) in self.hidden.iter().enumerate().filter(|(_, hidden)| **hidden > 0.0) {
            let row = unit * OUTPUTS..(unit + 1) * OUTPUTS;
            for ((sum, &weight), slope) in second[row.clone()].iter_mut().zip(&weights[row]).zip(slope) {
                *sum += slope * hidden;
                back[unit] += slope * weight;
            }
        }
        for (sum, back) in bias.iter_mut().zip(back) {
            *sum += back;
        }
        for (&input, sums) in inputs.iter().zip(first.chunks_exact_mut(HIDDEN)) {
            for (sum, back) in sums.iter_mut().zip(back) {
                *sum += input * back;
            }
        }
        self.seen += 1;
        if self.seen == BATCH {
            self.update();
        }
    }

    /// One step of Adam up the gradient.
    fn update(&mut self) {
        self.updates = self.updates.saturating_add(1);
        let right = DECAY.map(|decay| 1.0 - decay.powi(self.updates));
        let share = 1.0 / self.seen as f32;
        let [means, squares] = &mut self.moments;
        let moments = means.iter_mut().zip(squares);
        for ((weight, gradient), (mean, square)) in
            self.weights.iter_mut().zip(&mut self.gradient).zip(moments)
        {
            let slope = *gradient * share;
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
            *weight += STEP_SIZE * (*mean / right[0]) / ((*square / right[1]).sqrt() + 1e-8);
            *gradient = 0.0;
        }
        self.seen = 0;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// The share of `Many` after so many moves, where it gains on inputs of one sign alone.
    fn learned(moves: usize) -> [f32; 2] {
        let (mut policy, mut random) = (Policy::new(), ChaCha8Rng::seed_from_u64(3));
        let inputs = |sign: f32| {
            let mut inputs = [0.1; INPUTS];
            inputs[3] = sign;
            inputs
        };
        for _ in 0..moves {
            let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
            let source = policy.source(0.1, false, &mut random);
            let action = policy.act(&inputs(sign), &mut random);
            let gain = if action == Action::Many && sign > 0.0 { 1.0 } else { 0.0 };
            let cost = if action == Action::Stop { 0.0 } else { 10.0 };
            policy.learn(&inputs(sign), action, gain, cost);
            policy.learn_source(source, if source == Source::Border { 0.5 } else { 0.0 }, 1.0);
        }
        policy.source(0.1, false, &mut random);
        let favoured = policy.source_odds[1];
        assert!(moves == 0 || favoured > 0.75, "the border gains, and its odds are {favoured}");
        [1.0, -1.0].map(|sign| {
            policy.act(&inputs(sign), &mut random);
            policy.odds[3]
        })
    }

    #[test]
    fn moves_that_gain_are_proposed_where_they_do() {
        let [before, _] = learned(0);
        let [gains, does_not] = learned(40_000);
        assert!(gains > 0.6 && gains > 2.0 * before, "{gains} after {before}");
        assert!(does_not < 0.75 * gains, "{does_not} where nothing is gained, {gains} where it is");
    }

    #[test]
    fn odds_add_up_and_the_mean_of_equal_policies_is_the_same() {
        let mut policy = Policy::new();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        policy.source(0.01, true, &mut random);
        policy.act(&[0.5; INPUTS], &mut random);
        assert!((policy.odds.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((policy.source_odds.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let mean = Policy::mean(&[policy.clone(), policy.clone()]).expect("two policies");
        assert_eq!(mean.weights, policy.weights);
        assert!(Policy::mean(&[]).is_none());
    }
}
