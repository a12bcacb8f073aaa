//! What crosses the C interface. Compiled into both sides: the library and the program that opens it.

/// Version of this interface; raised with every change of a function or struct.
pub const ABI_VERSION: u32 = 1;

/// A policy update: see the crate page for shapes.
#[repr(C)]
pub struct PolicyBatch {
    /// Samples.
    pub batch: usize,
    /// Rows of every sample.
    pub rows: usize,
    /// `batch x rows x inputs`.
    pub input: *const f32,
    /// Null, or `batch x (outputs * rows)`: 1 where an action is allowed, 0 where it is not.
    pub allowed: *const u8,
    /// `batch` numbers of actions.
    pub actions: *const i64,
    /// `batch`: return minus baseline.
    pub advantages: *const f32,
    /// Null for REINFORCE, or `batch` log probabilities for PPO.
    pub old_log_probabilities: *const f32,
    /// Step size of Adam.
    pub learning_rate: f64,
    /// Weight of the entropy bonus.
    pub entropy_weight: f64,
    /// PPO's clip range.
    pub clip: f64,
    /// Largest gradient norm; 0: no limit.
    pub clip_norm: f64,
}

/// A value update.
#[repr(C)]
pub struct ValueBatch {
    /// Samples.
    pub batch: usize,
    /// Rows of every sample.
    pub rows: usize,
    /// `batch x rows x inputs`.
    pub input: *const f32,
    /// `batch` targets.
    pub targets: *const f32,
    /// Step size of Adam.
    pub learning_rate: f64,
    /// Largest gradient norm; 0: no limit.
    pub clip_norm: f64,
}
