//! A trained network at work, without the library: the same numbers, a row at a time.

use crate::network::{Activation, NetworkConfig};
use crate::saved::SavedError;

/// Widest layer, as in the learner library.
const MOST_WIDE: usize = 1 << 16;

/// A multi-layer perceptron that only acts. It equals [`crate::Network::forward`] up to the order of sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron {
    activation: Activation,
    /// Weights by input, `inputs x outputs`, and biases of every layer.
    layers: Vec<(Vec<f32>, Vec<f32>)>,
}

impl Perceptron {
    /// From a configuration and the state [`crate::Network::state`] gave, of which the optimiser's part is left out.
    ///
    /// # Errors
    /// When the state is not one of such a network, or holds numbers that are not finite.
    pub fn new(config: &NetworkConfig, state: &[f32]) -> Result<Self, SavedError> {
        let pairs = || config.layers.windows(2).map(|pair| (pair[0], pair[1]));
        if config.layers.iter().any(|width| !(1..=MOST_WIDE).contains(width)) {
            return Err(SavedError::new(format!(
                "layers {:?}: each is 1 to {MOST_WIDE} wide",
                config.layers
            )));
        }
        let count: u128 = pairs().map(|(inputs, outputs)| (inputs * outputs + outputs) as u128).sum();
        if config.layers.len() < 2 || state.len() as u128 != 3 * count + 2 {
            return Err(SavedError::new(format!(
                "{} numbers, but a network of layers {:?} has {}",
                state.len(),
                config.layers,
                3 * count + 2
            )));
        }
        if state.iter().any(|number| !number.is_finite()) {
            return Err(SavedError::new("numbers that are not finite"));
        }
        let mut rest = state;
        let mut layers = Vec::new();
        for (inputs, outputs) in pairs() {
            let (weights, after) = rest.split_at(inputs * outputs);
            let (bias, after) = after.split_at(outputs);
            let by_input = (0..inputs).flat_map(|i| (0..outputs).map(move |o| weights[o * inputs + i]));
            layers.push((by_input.collect(), bias.to_vec()));
            rest = after;
        }
        Ok(Perceptron { activation: config.activation, layers })
    }

    /// Outputs of a row.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |(_, bias)| bias.len())
    }

    /// The last layer's numbers for one row of inputs: logits of a policy, or the row's value. `scratch` is
    /// working memory that may be used again.
    pub fn row(&self, input: &[f32], scratch: &mut Scratch) {
        scratch.current.clear();
        scratch.current.extend_from_slice(input);
        for (layer, (weights, bias)) in self.layers.iter().enumerate() {
            scratch.next.clear();
            scratch.next.extend_from_slice(bias);
            add_products(&scratch.current, weights, &mut scratch.next);
            if layer + 1 < self.layers.len() {
                for x in &mut scratch.next {
                    *x = match self.activation {
                        Activation::Relu => x.max(0.0),
                        Activation::Tanh => x.tanh(),
                    };
                }
            }
            std::mem::swap(&mut scratch.current, &mut scratch.next);
        }
    }
}

/// Outputs summed up in registers at a time: enough independent sums to hide the latency of an addition.
const BLOCK: usize = 64;

/// Adds the products of a row of inputs with its weights (`inputs x outputs`) to the sums. Every sum adds its
/// products in the order of the inputs, one by one, so that wider registers give the same bytes.
fn add_products(row: &[f32], weights: &[f32], sums: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function was compiled for.
        unsafe { add_products_avx2(row, weights, sums) };
        return;
    }
    add_products_anywhere(row, weights, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_products_avx2(row: &[f32], weights: &[f32], sums: &mut [f32]) {
    add_products_anywhere(row, weights, sums);
}

#[inline(always)]
fn add_products_anywhere(row: &[f32], weights: &[f32], sums: &mut [f32]) {
    let outputs = sums.len();
    let done = add_in_blocks::<BLOCK>(row, weights, outputs, sums, 0);
    let done = done + add_in_blocks::<4>(row, weights, outputs, &mut sums[done..], done);
    add_in_blocks::<1>(row, weights, outputs, &mut sums[done..], done);
}

/// Adds the products of as many whole blocks of outputs as there are from output `first` on; how many outputs.
#[inline(always)]
fn add_in_blocks<const N: usize>(
    row: &[f32],
    weights: &[f32],
    outputs: usize,
    sums: &mut [f32],
    first: usize,
) -> usize {
    let (blocks, _) = sums.as_chunks_mut::<N>();
    for (block, sums) in blocks.iter_mut().enumerate() {
        let mut sum = *sums;
        for (&x, weights) in row.iter().zip(weights.chunks_exact(outputs)) {
            let Some(weights) = weights[first + block * N..].first_chunk::<N>() else { break };
            for (sum, &weight) in sum.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
        *sums = sum;
    }
    blocks.len() * N
}

/// Working memory of [`Perceptron::row`], and its result.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    current: Vec<f32>,
    next: Vec<f32>,
}

impl Scratch {
    /// The outputs of the last row.
    #[must_use]
    pub fn outputs(&self) -> &[f32] {
        &self.current
    }
}

/// Turns the logits of the allowed actions into probabilities, the others into 0. `logits` is overwritten.
pub fn softmax(logits: &mut [f32], allowed: Option<&[u8]>) {
    let may = |number: usize| allowed.is_none_or(|allowed| allowed[number] != 0);
    let most = (0..logits.len()).filter(|&i| may(i)).map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (number, logit) in logits.iter_mut().enumerate() {
        *logit = if may(number) { (*logit - most).exp() } else { 0.0 };
        sum += *logit;
    }
    let scale = 1.0 / sum.max(f32::MIN_POSITIVE);
    logits.iter_mut().for_each(|logit| *logit *= scale);
}

/// The action a number in [0, 1) falls on.
#[must_use]
pub fn draw(probabilities: &[f32], mut point: f32) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Head;

    #[test]
    fn layers_no_network_has_are_refused() {
        let new = |layers: &[usize], numbers: usize| {
            let config = NetworkConfig {
                layers: layers.to_vec(),
                head: Head::Policy,
                activation: Activation::Relu,
                seed: 0,
            };
            Perceptron::new(&config, &vec![0.5; numbers])
        };
        // Two weights and two biases, thrice, and two more numbers.
        assert!(new(&[1, 2], 14).is_ok());
        // So many numbers they have where sums wrap at 64 bits.
        let wrapped = [
            (&[1, 1 << 63][..], 2),
            (&[(1 << 31) - 1, 1 << 33], 2),
            (&[48, 2_436_362_424_829_563_421, 4], 17),
            (&[usize::MAX, usize::MAX], 2),
        ];
        for (layers, numbers) in
            [(&[][..], 2), (&[3], 2), (&[0, 2], 8), (&[2, 0], 2)].into_iter().chain(wrapped)
        {
            let error = new(layers, numbers).expect_err("no network").to_string();
            assert!(error.contains(&format!("{layers:?}")), "{error}");
        }
    }

    #[test]
    fn drawing_follows_the_probabilities_and_never_takes_a_zero() {
        assert_eq!(draw(&[0.0, 0.25, 0.75], 0.0), 1);
        assert_eq!(draw(&[0.0, 0.25, 0.75], 0.3), 2);
        assert_eq!(draw(&[0.5, 0.499, 0.0], 0.9995), 1, "rounding never falls on the impossible");
    }
}
