//! One network of the library, with the shapes checked on this side.

use std::ffi::CString;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::library::{Handle, Learner, LearnerError, PolicyBatch, ValueBatch};

/// What the last layer's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// Probabilities of actions.
    Policy,
    /// A value; one output.
    Value,
}

/// Nonlinearity between layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x).
    #[default]
    Relu,
    /// tanh(x).
    Tanh,
}

/// Shape of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfig {
    /// Widths from input to output; at least two.
    pub layers: Vec<usize>,
    /// Meaning of the output.
    pub head: Head,
    /// Nonlinearity.
    #[serde(default)]
    pub activation: Activation,
    /// Seed of the initial weights.
    #[serde(default)]
    pub seed: u64,
}

/// Samples of a policy update; `rows` numbers rows of a sample, actions are numbered `output * rows + row`.
#[derive(Clone, Copy, Debug)]
pub struct PolicyUpdate<'a> {
    /// Rows of every sample.
    pub rows: usize,
    /// `batch x rows x inputs`.
    pub input: &'a [f32],
    /// `batch x (outputs * rows)`: 1 where an action is allowed; none: all are.
    pub allowed: Option<&'a [u8]>,
    /// One action per sample.
    pub actions: &'a [i64],
    /// Return minus baseline per sample.
    pub advantages: &'a [f32],
    /// Log probabilities when the actions were taken: PPO's clipped objective instead of REINFORCE's.
    pub old_log_probabilities: Option<&'a [f32]>,
    /// Step size of Adam.
    pub learning_rate: f64,
    /// Weight of the entropy bonus.
    pub entropy_weight: f64,
    /// PPO's clip range.
    pub clip: f64,
    /// Largest gradient norm; 0: no limit.
    pub clip_norm: f64,
}

/// Samples of a value update.
#[derive(Clone, Copy, Debug)]
pub struct ValueUpdate<'a> {
    /// Rows of every sample.
    pub rows: usize,
    /// `batch x rows x inputs`.
    pub input: &'a [f32],
    /// One target per sample.
    pub targets: &'a [f32],
    /// Step size of Adam.
    pub learning_rate: f64,
    /// Largest gradient norm; 0: no limit.
    pub clip_norm: f64,
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Loss before the step.
    pub loss: f64,
    /// Mean entropy of the policy, nats.
    pub entropy: f64,
    /// Estimate of the KL divergence from the old policy; 0 without old probabilities.
    pub kl: f64,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f64,
}

/// A network, freed when dropped.
#[derive(Debug)]
pub struct Network {
    learner: Arc<Learner>,
    handle: Handle,
    config: NetworkConfig,
}

// SAFETY: the library keeps no per-thread state of a network, and a network is used through `&mut` or moved.
unsafe impl Send for Network {}

impl Network {
    /// Makes a network with weights drawn from the configuration's seed.
    ///
    /// # Errors
    /// [`LearnerError::Failed`] for a configuration that makes no sense.
    pub fn new(learner: &Arc<Learner>, config: &NetworkConfig) -> Result<Self, LearnerError> {
        let text = serde_json::to_string(config).map_err(|error| LearnerError::Failed(error.to_string()))?;
        let text = CString::new(text).map_err(|error| LearnerError::Failed(error.to_string()))?;
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: a C string and a place for the handle.
        unsafe { learner.outcome((learner.functions.create)(text.as_ptr(), &raw mut handle)) }?;
        Ok(Network { learner: Arc::clone(learner), handle, config: config.clone() })
    }

    /// Its configuration.
    #[must_use]
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        // SAFETY: the handle is this network's.
        unsafe { (self.learner.functions.parameters)(self.handle) }
    }

    /// Weights and optimiser state: a network given it goes on exactly as this one would.
    ///
    /// # Errors
    /// [`LearnerError::Failed`] if libtorch fails.
    pub fn state(&mut self) -> Result<Vec<f32>, LearnerError> {
        // SAFETY: the handle is this network's.
        let length = unsafe { (self.learner.functions.state_length)(self.handle) };
        let mut state = vec![0.0; length];
        // SAFETY: room for the length the library named.
        unsafe {
            self.learner.outcome((self.learner.functions.read_state)(self.handle, state.as_mut_ptr(), length))
        }?;
        Ok(state)
    }

    /// Takes over a state.
    ///
    /// # Errors
    /// [`LearnerError::Failed`] for a state of another network or with numbers that are not finite.
    pub fn set_state(&mut self, state: &[f32]) -> Result<(), LearnerError> {
        // SAFETY: the slice is as long as said.
        unsafe {
            self.learner.outcome((self.learner.functions.write_state)(
                self.handle,
                state.as_ptr(),
                state.len(),
            ))
        }
    }

    /// `batch x rows x inputs` to `batch x (outputs * rows)` probabilities of a policy, or `batch` values.
    ///
    /// # Errors
    /// [`LearnerError::Shape`], or [`LearnerError::Failed`] such as for a sample without an allowed action.
    pub fn forward(
        &mut self,
        batch: usize,
        rows: usize,
        input: &[f32],
        allowed: Option<&[u8]>,
    ) -> Result<Vec<f32>, LearnerError> {
        self.check_input(batch, rows, input)?;
        self.check_allowed(batch, rows, allowed)?;
        let outputs = match self.config.head {
            Head::Policy => batch * rows * self.outputs(),
            Head::Value => batch,
        };
        let mut out = vec![0.0; outputs];
        // SAFETY: the shapes were checked above.
        unsafe {
            self.learner.outcome((self.learner.functions.forward)(
                self.handle,
                batch,
                rows,
                input.as_ptr(),
                allowed.map_or(std::ptr::null(), <[u8]>::as_ptr),
                out.as_mut_ptr(),
            ))
        }?;
        Ok(out)
    }

    /// One REINFORCE or PPO step.
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn update_policy(&mut self, update: &PolicyUpdate<'_>) -> Result<Figures, LearnerError> {
        let batch = update.actions.len();
        self.check_input(batch, update.rows, update.input)?;
        self.check_allowed(batch, update.rows, update.allowed)?;
        check("advantages", update.advantages.len(), batch)?;
        check("old log probabilities", update.old_log_probabilities.map_or(batch, <[f32]>::len), batch)?;
        let raw = PolicyBatch {
            batch,
            rows: update.rows,
            input: update.input.as_ptr(),
            allowed: update.allowed.map_or(std::ptr::null(), <[u8]>::as_ptr),
            actions: update.actions.as_ptr(),
            advantages: update.advantages.as_ptr(),
            old_log_probabilities: update.old_log_probabilities.map_or(std::ptr::null(), <[f32]>::as_ptr),
            learning_rate: update.learning_rate,
            entropy_weight: update.entropy_weight,
            clip: update.clip,
            clip_norm: update.clip_norm,
        };
        let mut figures = [0.0; 4];
        // SAFETY: the shapes were checked above.
        let message = unsafe {
            (self.learner.functions.update_policy)(self.handle, &raw const raw, figures.as_mut_ptr())
        };
        self.figures(message, figures)
    }

    /// One step of a value network towards targets.
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn update_value(&mut self, update: &ValueUpdate<'_>) -> Result<Figures, LearnerError> {
        let batch = update.targets.len();
        self.check_input(batch, update.rows, update.input)?;
        let raw = ValueBatch {
            batch,
            rows: update.rows,
            input: update.input.as_ptr(),
            targets: update.targets.as_ptr(),
            learning_rate: update.learning_rate,
            clip_norm: update.clip_norm,
        };
        let mut figures = [0.0; 4];
        // SAFETY: the shapes were checked above.
        let message = unsafe {
            (self.learner.functions.update_value)(self.handle, &raw const raw, figures.as_mut_ptr())
        };
        self.figures(message, figures)
    }

    fn figures(&self, message: *mut std::ffi::c_char, figures: [f64; 4]) -> Result<Figures, LearnerError> {
        // SAFETY: a fresh message of this library.
        unsafe { self.learner.outcome(message) }?;
        let [loss, entropy, kl, gradient_norm] = figures;
        Ok(Figures { loss, entropy, kl, gradient_norm })
    }

    fn outputs(&self) -> usize {
        self.config.layers.last().copied().unwrap_or(0)
    }

    fn check_input(&self, batch: usize, rows: usize, input: &[f32]) -> Result<(), LearnerError> {
        check("input", input.len(), batch * rows * self.config.layers[0])
    }

    fn check_allowed(&self, batch: usize, rows: usize, allowed: Option<&[u8]>) -> Result<(), LearnerError> {
        let expected = batch * rows * self.outputs();
        check("allowed actions", allowed.map_or(expected, <[u8]>::len), expected)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // SAFETY: the handle is this network's and is not used again.
        unsafe { (self.learner.functions.free)(self.handle) };
    }
}

fn check(what: &'static str, given: usize, expected: usize) -> Result<(), LearnerError> {
    if given == expected { Ok(()) } else { Err(LearnerError::Shape { what, given, expected }) }
}
