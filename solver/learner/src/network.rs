//! A multi-layer perceptron with Adam's moments, as plain tensors.

use serde::Deserialize;
use tch::{Device, Kind, TchError, Tensor, no_grad};

/// What the last layer's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Head {
    /// Logits of a policy.
    Policy,
    /// Plain numbers; a value network has one output, and several rows are averaged.
    Value,
}

/// Nonlinearity between layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Activation {
    /// max(0, x).
    #[default]
    Relu,
    /// tanh(x).
    Tanh,
}

/// Shape of a network.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Widths from input to output; at least two.
    pub(crate) layers: Vec<usize>,
    pub(crate) head: Head,
    #[serde(default)]
    pub(crate) activation: Activation,
    /// Seed of the initial weights.
    #[serde(default)]
    pub(crate) seed: u64,
}

/// No layer is wider than this.
const WIDEST: usize = 1 << 16;

/// Adam's decay rates and its epsilon (Kingma and Ba, 2015, algorithm 1).
const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Everything goes through this: a message for the caller.
pub(crate) type Fallible<T> = Result<T, String>;

pub(crate) fn torch(error: TchError) -> String {
    format!("libtorch: {error}")
}

/// A network with its optimiser: opaque to callers.
pub struct Network {
    pub(crate) config: Config,
    /// Weight (`out x in`) and bias of every layer, in turn.
    parameters: Vec<Tensor>,
    first_moments: Vec<Tensor>,
    second_moments: Vec<Tensor>,
    updates: u64,
}

impl Network {
    pub(crate) fn new(config: Config) -> Fallible<Self> {
        if config.layers.len() < 2 || config.layers.iter().any(|&width| width == 0 || width > WIDEST) {
            return Err(format!(
                "layers {:?}: a network has at least two layers of 1 to {WIDEST} numbers",
                config.layers
            ));
        }
        if config.head == Head::Value && config.layers.last() != Some(&1) {
            return Err("a value network has one output".into());
        }
        let mut random = SplitMix(config.seed);
        let mut parameters = Vec::new();
        let last = config.layers.len() - 2;
        for (layer, pair) in config.layers.windows(2).enumerate() {
            let (inputs, outputs) = (pair[0], pair[1]);
            // Uniform with the variance of He et al., 2015; the last layer small, so that a policy starts
            // near uniform and a value near zero.
            let bound = (6.0 / inputs as f64).sqrt() * if layer == last { 0.01 } else { 1.0 };
            let weights: Vec<f32> = (0..inputs * outputs).map(|_| random.uniform(bound) as f32).collect();
            let shape = [outputs as i64, inputs as i64];
            parameters.push(Tensor::f_from_slice(&weights).map_err(torch)?.f_view(shape).map_err(torch)?);
            parameters.push(Tensor::f_zeros([outputs as i64], (Kind::Float, Device::Cpu)).map_err(torch)?);
        }
        let zeros = |list: &[Tensor]| -> Fallible<Vec<Tensor>> {
            list.iter().map(|tensor| tensor.f_zeros_like().map_err(torch)).collect()
        };
        let (first_moments, second_moments) = (zeros(&parameters)?, zeros(&parameters)?);
        for parameter in &mut parameters {
            *parameter = parameter.f_set_requires_grad(true).map_err(torch)?;
        }
        Ok(Network { config, parameters, first_moments, second_moments, updates: 0 })
    }

    pub(crate) fn inputs(&self) -> usize {
        self.config.layers[0]
    }

    pub(crate) fn outputs(&self) -> usize {
        self.config.layers[self.config.layers.len() - 1]
    }

    pub(crate) fn parameter_count(&self) -> usize {
        self.parameters.iter().map(Tensor::numel).sum()
    }

    /// Parameters, first and second moments, and the number of updates in two parts.
    pub(crate) fn state_length(&self) -> usize {
        3 * self.parameter_count() + 2
    }

    /// `batch x rows x inputs` to logits `batch x (outputs * rows)`, or to values `batch`.
    pub(crate) fn forward(&self, input: &Tensor, batch: usize, rows: usize) -> Fallible<Tensor> {
        let mut x = input.f_view([(batch * rows) as i64, self.inputs() as i64]).map_err(torch)?;
        let layers = self.parameters.len() / 2;
        for layer in 0..layers {
            let (weight, bias) = (&self.parameters[2 * layer], &self.parameters[2 * layer + 1]);
            x = x.f_linear(weight, Some(bias)).map_err(torch)?;
            if layer + 1 < layers {
                x = match self.config.activation {
                    Activation::Relu => x.f_relu(),
                    Activation::Tanh => x.f_tanh(),
                }
                .map_err(torch)?;
            }
        }
        let shape = [batch as i64, rows as i64, self.outputs() as i64];
        let x = x.f_view(shape).map_err(torch)?;
        match self.config.head {
            Head::Policy => {
                let by_output = x.f_transpose(1, 2).map_err(torch)?.f_contiguous().map_err(torch)?;
                by_output.f_view([batch as i64, (rows * self.outputs()) as i64]).map_err(torch)
            }
            Head::Value => x.f_mean_dim([1i64, 2].as_slice(), false, Kind::Float).map_err(torch),
        }
    }

    /// One step of Adam down the gradient of `loss`; returns the gradient's norm before clipping.
    pub(crate) fn descend(&mut self, loss: &Tensor, rate: f64, clip_norm: f64) -> Fallible<f64> {
        let gradients = Tensor::f_run_backward(&[loss], &self.parameters, false, false).map_err(torch)?;
        let mut square = 0.0;
        for gradient in &gradients {
            let norm = gradient.f_norm().map_err(torch)?;
            square += f64::try_from(&norm).map_err(torch)?.powi(2);
        }
        let norm = square.sqrt();
        if !norm.is_finite() {
            return Err("the gradient is not finite: lower the learning rate".into());
        }
        let scale = if clip_norm > 0.0 && norm > clip_norm { clip_norm / norm } else { 1.0 };
        self.updates += 1;
        let step = i32::try_from(self.updates).unwrap_or(i32::MAX);
        let (bias_1, bias_2) = (1.0 - BETA_1.powi(step), 1.0 - BETA_2.powi(step));
        no_grad(|| -> Result<(), TchError> {
            for (i, gradient) in gradients.iter().enumerate() {
                let gradient = gradient.f_mul_scalar(scale)?;
                let (m, v) = (&mut self.first_moments[i], &mut self.second_moments[i]);
                *m = m.f_mul_scalar(BETA_1)?.f_add(&gradient.f_mul_scalar(1.0 - BETA_1)?)?;
                *v = v.f_mul_scalar(BETA_2)?.f_add(&gradient.f_square()?.f_mul_scalar(1.0 - BETA_2)?)?;
                let root = v.f_div_scalar(bias_2)?.f_sqrt()?.f_add_scalar(EPSILON)?;
                let change = m.f_div_scalar(bias_1)?.f_div(&root)?.f_mul_scalar(-rate)?;
                let _ = self.parameters[i].f_add_(&change)?;
            }
            Ok(())
        })
        .map_err(torch)?;
        Ok(norm)
    }

    pub(crate) fn read_state(&self, out: &mut [f32]) -> Fallible<()> {
        let mut place = 0;
        for tensor in self.parameters.iter().chain(&self.first_moments).chain(&self.second_moments) {
            let length = tensor.numel();
            let flat = tensor.f_detach().map_err(torch)?.f_contiguous().map_err(torch)?;
            flat.f_copy_data(&mut out[place..place + length], length).map_err(torch)?;
            place += length;
        }
        // Exact in f32 up to 2^24 each.
        out[place] = (self.updates >> 24) as f32;
        out[place + 1] = (self.updates & 0xff_ffff) as f32;
        Ok(())
    }

    pub(crate) fn write_state(&mut self, state: &[f32]) -> Fallible<()> {
        if state.iter().any(|number| !number.is_finite()) {
            return Err("the saved network holds numbers that are not finite".into());
        }
        let mut place = 0;
        let lists = [&mut self.parameters, &mut self.first_moments, &mut self.second_moments];
        for (list, trained) in lists.into_iter().zip([true, false, false]) {
            for tensor in list {
                let length = tensor.numel();
                let values = Tensor::f_from_slice(&state[place..place + length]).map_err(torch)?;
                let shaped = values.f_view(tensor.size().as_slice()).map_err(torch)?;
                *tensor = shaped.f_set_requires_grad(trained).map_err(torch)?;
                place += length;
            }
        }
        self.updates = ((state[place] as u64) << 24) + state[place + 1] as u64;
        Ok(())
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): enough for initial weights, the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn uniform(&mut self, bound: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        (2.0 * unit - 1.0) * bound
    }
}
