//! The learner library from safe Rust: opened on first use, so that only runs that learn load libtorch.
//!
//! [`Learner::open`] finds and checks the library, [`Network`] is one network in it, [`saved`] is the file a
//! trained network is kept in.

mod library;
mod network;
pub mod perceptron;
pub mod saved;

pub use library::{LIBRARY_NAME, Learner, LearnerError};
pub use network::{Activation, Figures, Head, Network, NetworkConfig, PolicyUpdate, ValueUpdate};
