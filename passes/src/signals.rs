//! SIGINT and SIGTERM while a search runs: the first one ends it with its best plan, a second one the process.
//!
//! Signals are caught only for as long as a planning pass runs. A host such as stock `mlir-opt` keeps its signals to itself: see
//! [`own_the_process`].

use std::sync::atomic::{AtomicBool, Ordering};

use ballast_core::limits::{UNHEARD_SECONDS, heard, interrupt};
use ballast_dialects::signals::{self, Guard, Listener};

static OWNED: AtomicBool = AtomicBool::new(false);

/// Says that this process is ours: from now on [`catch`] catches.
pub(crate) fn own_the_process() {
    OWNED.store(true, Ordering::Relaxed);
}

/// Catches signals until the guard is dropped; does nothing in a process that is not ours.
pub(crate) fn catch() -> Option<Guard> {
    let listener = Listener { note: interrupt, heard, patience_seconds: UNHEARD_SECONDS };
    OWNED.load(Ordering::Relaxed).then(|| signals::catch(listener))
}
