//! The log of the solvers, for whoever asks for it.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

/// Has this process print, on standard error, what the variable `BALLAST_LOG` asks for: a level, or levels by crate as in
/// `ballast_remat=debug`; errors alone without it. It changes no result. Does nothing where somebody takes the log already.
pub fn to_stderr() {
    let log = tracing_subscriber::fmt()
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .with_env_filter(EnvFilter::from_env("BALLAST_LOG"));
    // It fails only where another log was set up before.
    let _ = log.try_init();
}
