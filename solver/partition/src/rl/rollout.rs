//! What an episode leaves to learn from: its samples, their returns, and the draw of an action.

use crate::rl::train::Options;

/// The action a number in [0, 1) falls on.
pub(super) fn draw(probabilities: &[f32], mut point: f32) -> usize {
    let mut last = 0;
    for (number, &probability) in probabilities.iter().enumerate() {
        if probability > 0.0 {
            last = number;
            if point < probability {
                return number;
            }
            point -= probability;
        }
    }
    last
}

pub(super) fn gather<T: Copy>(from: &[T], chosen: &[usize], length: usize) -> Vec<T> {
    chosen.iter().flat_map(|&i| from[i * length..(i + 1) * length].iter().copied()).collect()
}

pub(super) struct Sample {
    pub(super) environment: usize,
    pub(super) step: usize,
    pub(super) action: i64,
    pub(super) reward: f64,
    pub(super) masked: bool,
}

/// The samples of an episode, all environments step by step.
#[derive(Default)]
pub(super) struct Rollout {
    pub(super) samples: Vec<Sample>,
    pub(super) input: Vec<f32>,
    pub(super) allowed: Vec<u8>,
    pub(super) rewards: f64,
}

impl Rollout {
    pub(super) fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Discounted returns, with the baseline taken off and scaled where asked for.
    pub(super) fn advantages(&self, options: &Options) -> Vec<f32> {
        let mut ahead = vec![0.0; options.environments];
        let mut returns = vec![0.0; self.samples.len()];
        for (i, sample) in self.samples.iter().enumerate().rev() {
            ahead[sample.environment] = sample.reward + options.discount * ahead[sample.environment];
            returns[i] = ahead[sample.environment];
        }
        if options.baseline {
            if options.environments > 1 {
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
            let square = returns.iter().map(|value| value * value).sum::<f64>() / returns.len() as f64;
            let scale = 1.0 / (square.sqrt() + 1e-8);
            returns.iter_mut().for_each(|value| *value *= scale);
        }
        returns.into_iter().map(|value| value as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(environment: usize, step: usize, reward: f64) -> Sample {
        Sample { environment, step, action: 0, reward, masked: true }
    }

    #[test]
    fn returns_are_discounted_per_environment_and_baselines_come_from_the_others() {
        let rollout = Rollout {
            samples: vec![sample(0, 0, 1.0), sample(1, 0, 2.0), sample(0, 1, 4.0), sample(1, 1, 8.0)],
            ..Rollout::default()
        };
        let plain = Options { environments: 2, discount: 0.5, baseline: false, ..Options::default() };
        assert_eq!(rollout.advantages(&plain), [3.0, 6.0, 4.0, 8.0]);
        let based = rollout.advantages(&Options { baseline: true, ..plain });
        let scale = ((9.0f32 + 9.0 + 16.0 + 16.0) / 4.0).sqrt();
        for (got, wanted) in based.iter().zip([-3.0, 3.0, -4.0, 4.0]) {
            assert!((got - wanted / scale).abs() < 1e-5);
        }
    }

    #[test]
    fn drawing_follows_the_probabilities_and_never_takes_a_zero() {
        assert_eq!(draw(&[0.0, 0.25, 0.75], 0.0), 1);
        assert_eq!(draw(&[0.0, 0.25, 0.75], 0.3), 2);
        assert_eq!(draw(&[0.5, 0.499, 0.0], 0.9995), 1, "rounding never falls on the impossible");
    }
}
