//! SIGINT and SIGTERM while a search runs: the first one ends it with its best plan, a second one the process.
//!
//! LLVM's own handlers delete the file named by `-o` and then die, so ours stand in for them, and only for as long as
//! a planning pass runs. A host such as stock `mlir-opt` keeps its signals to itself: see [`own_the_process`].

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use ballast_core::limits::{interrupt, interrupted};

static OWNED: AtomicBool = AtomicBool::new(false);

const CAUGHT: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// Says that this process is ours: from now on [`catch`] catches.
pub(crate) fn own_the_process() {
    OWNED.store(true, Ordering::Relaxed);
}

/// Catches signals until the guard is dropped; does nothing in a process that is not ours.
pub(crate) fn catch() -> Guard {
    if !OWNED.load(Ordering::Relaxed) {
        return Guard { before: Vec::new() };
    }
    let before = CAUGHT.iter().filter_map(|&signal| Some((signal, replace(signal, &handler())?))).collect();
    Guard { before }
}

/// Puts the handlers back that were there before.
pub(crate) struct Guard {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (signal, action) in &self.before {
            replace(*signal, action);
        }
    }
}

/// Installs a handler; returns the one before, or none where the system refuses.
fn replace(signal: libc::c_int, action: &libc::sigaction) -> Option<libc::sigaction> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: both actions are valid for the call, which fills `before` when it returns 0.
    unsafe { (libc::sigaction(signal, action, before.as_mut_ptr()) == 0).then(|| before.assume_init()) }
}

fn handler() -> libc::sigaction {
    // SAFETY: all zeros is an action without flags or handler.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the mask is ours.
    unsafe { libc::sigemptyset(&raw mut action.sa_mask) };
    action
}

/// Calls nothing that a signal handler may not call.
extern "C" fn on_signal(signal: libc::c_int) {
    if interrupted() {
        // SAFETY: ends the process without running anything else.
        unsafe { libc::_exit(128 + signal) }
    }
    interrupt();
}
