//! SIGINT and SIGTERM in a process of our own: a first one is noted, a second one ends the process.
//!
//! LLVM's own handlers delete the file named by `-o` and then die, so ours stand in for them while a [`Guard`] is kept.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

const CAUGHT: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// Notes a signal, and says whether it is the first. Runs inside a signal handler: it may set a flag and little else.
pub type Note = fn() -> bool;

/// Who is told.
static NOTE: OnceLock<Note> = OnceLock::new();

/// Catches signals until the guard is dropped. Who was told of them first stays.
#[must_use]
pub fn catch(note: Note) -> Guard {
    NOTE.get_or_init(|| note);
    let before = CAUGHT.iter().filter_map(|&signal| Some((signal, replace(signal, &handler())?))).collect();
    Guard { before }
}

/// Puts the handlers back that were there before.
#[derive(Debug)]
pub struct Guard {
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

/// Calls nothing that a signal handler may not call: the cell is filled before a handler is installed.
extern "C" fn on_signal(signal: libc::c_int) {
    if !NOTE.get().is_some_and(|note| note()) {
        // SAFETY: ends the process without running anything else.
        unsafe { libc::_exit(128 + signal) }
    }
}

/// Ends the process as a reader that has gone ends programs by default; the code that shells show for it, should that fail.
pub fn end_by_closed_pipe() -> i32 {
    // SAFETY: puts the default action back and raises the signal, in a process that has nothing left to do.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::raise(libc::SIGPIPE);
    }
    128 + libc::SIGPIPE
}
