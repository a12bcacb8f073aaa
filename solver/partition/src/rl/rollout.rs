//! What an episode leaves to learn from: its samples and their returns.

use ballast_learner_client::perceptron::{Perceptron, Scratch, softmax};

use crate::rl::options::Options;

#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) environment: usize,
    pub(super) step: usize,
    pub(super) reward: f64,
}

/// What an update looks at: inputs, masks, actions and advantages of the samples kept.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) input: Vec<f32>,
    /// Empty where nothing is masked.
    pub(super) allowed: Vec<u8>,
    pub(super) actions: Vec<i64>,
    pub(super) advantages: Vec<f32>,
}

impl Batch {
    pub(super) fn keep(&mut self, rows: &[f32], mask: Option<&[u8]>, action: usize) {
        self.input.extend_from_slice(rows);
        self.allowed.extend_from_slice(mask.unwrap_or(&[]));
        self.actions.push(action as i64);
    }
}

/// Samples the estimate of a divergence looks at.
const MOST_COMPARED: usize = 16;

/// Mean KL divergence of the new policy from the old one on some samples of a batch, nats.
pub(super) fn divergence(old: &Perceptron, new: &Perceptron, batch: &Batch, inputs: usize) -> f64 {
    let count = batch.actions.len();
    let length = batch.input.len() / count;
    let rows = length / inputs;
    let outputs = old.outputs();
    let mut scratch = Scratch::default();
    let mut probabilities = |policy: &Perceptron, sample: usize| {
        let mut logits = vec![0.0; rows * outputs];
        let input = &batch.input[sample * length..(sample + 1) * length];
        for (row, input) in input.chunks_exact(inputs).enumerate() {
            policy.row(input, &mut scratch);
            for (output, &logit) in scratch.outputs().iter().enumerate() {
                logits[output * rows + row] = logit;
            }
        }
        let actions = rows * outputs;
        let mask = batch.allowed.get(sample * actions..(sample + 1) * actions);
        softmax(&mut logits, mask);
        logits
    };
    let stride = count.div_ceil(MOST_COMPARED);
    let mut sum = 0.0;
    for sample in (0..count).step_by(stride) {
        let (p, q) = (probabilities(old, sample), probabilities(new, sample));
        let term = |(&p, &q): (&f32, &f32)| {
            if p > 0.0 {
                f64::from(p) * (f64::from(p) / f64::from(q.max(f32::MIN_POSITIVE))).ln()
            } else {
                0.0
            }
        };
        sum += p.iter().zip(&q).map(term).sum::<f64>();
    }
    sum / count.div_ceil(stride) as f64
}

/// The samples of an episode, all environments step by step.
pub(super) struct Rollout {
    pub(super) samples: Vec<Sample>,
    /// Samples in `batch`.
    kept: Vec<usize>,
    pub(super) batch: Batch,
    pub(super) rewards: f64,
    environments: usize,
}

/// Returns of an episode.
pub(super) struct Returns {
    /// Advantages of the samples in the batch.
    pub(super) kept: Vec<f32>,
    /// Mean return of the first steps.
    pub(super) first: f64,
    /// 1 - variance of return minus baseline over the variance of the return; 0 without a baseline.
    pub(super) explained_variance: f64,
}

impl Rollout {
    pub(super) fn new(environments: usize) -> Self {
        Rollout { samples: Vec::new(), kept: Vec::new(), batch: Batch::default(), rewards: 0.0, environments }
    }

    /// Keeps what the next sample to be pushed was decided on.
    pub(super) fn keep(&mut self, rows: &[f32], mask: Option<&[u8]>, action: usize) {
        self.batch.keep(rows, mask, action);
        self.kept.push(self.samples.len());
    }

    pub(super) fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Discounted returns, with the baseline taken off and scaled where asked for.
    pub(super) fn returns(&self, options: &Options) -> Returns {
        let mut ahead = vec![0.0; self.environments];
        let mut returns = vec![0.0; self.samples.len()];
        for (i, sample) in self.samples.iter().enumerate().rev() {
            ahead[sample.environment] = sample.reward + options.discount * ahead[sample.environment];
            returns[i] = ahead[sample.environment];
        }
        let mut seen: Vec<usize> = self.samples.iter().map(|sample| sample.environment).collect();
        seen.sort_unstable();
        seen.dedup();
        let first = ahead.iter().sum::<f64>() / seen.len() as f64;
        let mut explained_variance = 0.0;
        if options.baseline {
            let before = variance(&returns);
            if self.environments > 1 {
                let steps = self.samples.last().map_or(0, |sample| sample.step + 1);
                let mut sums = vec![(0.0, 0usize); steps];
                for (sample, value) in self.samples.iter().zip(&returns) {
                    sums[sample.step].0 += value;
                    sums[sample.step].1 += 1;
                }
                for (sample, value) in self.samples.iter().zip(&mut returns) {
                    let (sum, count) = sums[sample.step];
                    // The mean of the others, so that the baseline does not depend on the action.
                    *value = if count > 1 { *value - (sum - *value) / (count - 1) as f64 } else { 0.0 };
                }
            } else {
                let mean = returns.iter().sum::<f64>() / returns.len() as f64;
                returns.iter_mut().for_each(|value| *value -= mean);
            }
            explained_variance = if before > 0.0 { 1.0 - variance(&returns) / before } else { 0.0 };
            let square = returns.iter().map(|value| value * value).sum::<f64>() / returns.len() as f64;
            let scale = 1.0 / (square.sqrt() + 1e-8);
            returns.iter_mut().for_each(|value| *value *= scale);
        }
        let kept = self.kept.iter().map(|&i| returns[i] as f32).collect();
        Returns { kept, first, explained_variance }
    }
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_are_discounted_per_environment_and_baselines_come_from_the_others() {
        let mut rollout = Rollout::new(2);
        for (environment, step, reward) in [(0, 0, 1.0), (1, 0, 2.0), (0, 1, 4.0), (1, 1, 8.0)] {
            rollout.keep(&[0.0], None, 0);
            rollout.push(Sample { environment, step, reward });
        }
        let plain = Options { environments: 2, discount: 0.5, baseline: false, ..Options::default() };
        let returns = rollout.returns(&plain);
        assert_eq!(returns.kept, [3.0, 6.0, 4.0, 8.0]);
        assert_eq!((returns.first, returns.explained_variance), (4.5, 0.0));
        let based = rollout.returns(&Options { baseline: true, ..plain });
        let scale = ((9.0f32 + 9.0 + 16.0 + 16.0) / 4.0).sqrt();
        for (got, wanted) in based.kept.iter().zip([-3.0, 3.0, -4.0, 4.0]) {
            assert!((got - wanted / scale).abs() < 1e-5);
        }
        // Variance 3.6875 of the returns, 12.5 of what is left: a baseline from one other explains less than none.
        assert!((based.explained_variance - (1.0 - 12.5 / 3.6875)).abs() < 1e-12);
    }
}
