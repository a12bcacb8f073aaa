//! Why nothing was learned.

use super::table::TableError;

/// Why nothing was learned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// An option out of its range, or a step that makes no sense.
    #[error("{0}")]
    Options(String),
    /// A table that does not fit.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No scheme met the cap.
    #[error("no scheme of {rounds} rounds fits in {cap} bytes: the smallest peak met is {smallest}")]
    OverCap {
        /// The cap.
        cap: u64,
        /// Smallest peak met, bytes.
        smallest: u64,
        /// Rounds run.
        rounds: u64,
    },
    /// An iteration could not be run.
    #[error("{0}")]
    Iteration(String),
}
