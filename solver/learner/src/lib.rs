//! The learner: small neural networks and their policy-gradient updates on libtorch, behind a C ABI.
//!
//! This is the only crate that names libtorch. It is a shared library of its own, opened on first use, so that
//! a run without reinforcement learning never loads libtorch. Nothing here is random: initial weights
//! come from a seed, and libtorch runs on one thread.
//!
//! ## The interface
//!
//! Functions return a null pointer, or an error message to be given back to [`ballast_learner_free_string`].
//! No panic and no exception crosses the boundary. Arrays are dense, row-major, `f32` unless stated.
//!
//! A network is a multi-layer perceptron over *rows*: an input of `batch x rows x inputs` numbers gives
//! `batch x rows x outputs`. A policy's actions are numbered `output * rows + row`, and its softmax runs over all
//! of them; with one row that is an ordinary softmax policy, with several the weights are shared between the
//! rows and the network fits any number of them.

mod abi;
mod layout;
mod network;
mod update;

pub use network::Network;

pub use layout::{ABI_VERSION, PolicyBatch, ValueBatch};

pub use abi::{
    ballast_learner_abi_version, ballast_learner_create, ballast_learner_forward, ballast_learner_free,
    ballast_learner_free_string, ballast_learner_libtorch_version, ballast_learner_parameters,
    ballast_learner_read_state, ballast_learner_state_length, ballast_learner_update_policy,
    ballast_learner_update_value, ballast_learner_write_state,
};
