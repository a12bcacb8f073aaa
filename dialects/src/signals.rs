//! SIGINT and SIGTERM in a process of our own: a first one is noted, a second one ends the process, and so does the first where
//! nobody takes notice of it.
//!
//! LLVM's own handlers delete the file named by `-o` and then die, so ours stand in for them while a [`Guard`] is kept.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::ffi;

const CAUGHT: [(libc::c_int, extern "C" fn(libc::c_int)); 3] =
    [(libc::SIGINT, on_signal), (libc::SIGTERM, on_signal), (libc::SIGALRM, on_alarm)];

/// Who is told of signals. Both functions run inside a signal handler: they may look at flags and set them, and little else.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// Notes a signal, and says whether it is the first.
    pub note: fn() -> bool,
    /// Has anybody taken notice?
    pub heard: fn() -> bool,
    /// How long nobody may, seconds.
    pub patience_seconds: u32,
}

static LISTENER: OnceLock<Listener> = OnceLock::new();
/// The signal that was noted.
static NOTED: AtomicI32 = AtomicI32::new(0);

/// Catches signals until the guard is dropped. Who was told of them first stays.
#[must_use]
pub fn catch(listener: Listener) -> Guard {
    LISTENER.get_or_init(|| listener);
    let caught = |&(signal, handler)| Some((signal, replace(signal, &action(handler))?));
    Guard { before: CAUGHT.iter().filter_map(caught).collect() }
}

/// Puts the handlers back that were there before.
#[derive(Debug)]
pub struct Guard {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: takes back what `on_signal` asked for.
        unsafe { libc::alarm(0) };
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

fn action(handler: extern "C" fn(libc::c_int)) -> libc::sigaction {
    // SAFETY: all zeros is an action without flags or handler.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the mask is ours.
    unsafe { libc::sigemptyset(&raw mut action.sa_mask) };
    action
}

/// Calls nothing that a signal handler may not call: the cell is filled before a handler is installed.
extern "C" fn on_signal(signal: libc::c_int) {
    match LISTENER.get() {
        Some(listener) if (listener.note)() => {
            NOTED.store(signal, Ordering::Relaxed);
            // SAFETY: asks for a signal.
            unsafe { libc::alarm(listener.patience_seconds) };
        }
        _ => end(signal),
    }
}

extern "C" fn on_alarm(_: libc::c_int) {
    if LISTENER.get().is_some_and(|listener| !(listener.heard)()) {
        end(NOTED.load(Ordering::Relaxed));
    }
}

/// Ends the process. What LLVM was told to remove then is removed: the file that would have become the output.
fn end(signal: libc::c_int) -> ! {
    // SAFETY: LLVM's own signal handlers do the same; then nothing else is run.
    unsafe {
        ffi::ballastRemoveFiles();
        libc::_exit(128 + signal)
    }
}

/// Does what prints through LLVM, which ends with an error of its own where the reader has gone: the signal for that ends the process meanwhile, as it ends programs
/// by default.
pub fn ended_by_closed_pipes<T>(print: impl FnOnce() -> T) -> T {
    // SAFETY: sets the default action, and then what was there before.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let printed = print();
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGPIPE, before) };
    printed
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
