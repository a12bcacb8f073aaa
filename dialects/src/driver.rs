//! The driver: `mlir-opt` with all upstream dialects and passes, this dialect, and the passes registered so far.

use std::ffi::{CString, OsString, c_char};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use mlir_sys::MlirStringRef;

use crate::ffi;

/// The driver with its command line read. One per process.
#[derive(Debug)]
pub struct Driver {
    arguments: Vec<CString>,
    /// File of the program, as given; `-` for standard input.
    pub input: PathBuf,
    /// File of the outcome, as given; `-` for standard output.
    pub output: PathBuf,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// The outcome is written.
    Done,
    /// The program or a pass was refused, with a diagnostic.
    Refused,
    /// The outcome could not be written.
    NotWritten(io::Error),
}

impl Driver {
    /// Reads the command line. Ends the process for `--help` and for what is no option.
    #[must_use]
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Self {
        // An argument of a process cannot hold a zero byte.
        let arguments: Vec<CString> =
            arguments.into_iter().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
        let (mut input, mut output) = (ffi::view(""), ffi::view(""));
        with_main(&arguments, |count, pointers| {
            // SAFETY: as main: count strings, then null; all outlive the call. What is filled in lives as long as the process.
            unsafe { ffi::ballastOptParse(count, pointers, &raw mut input, &raw mut output) }
        });
        // SAFETY: filled in by the call.
        let path = |text| PathBuf::from(OsString::from_vec(unsafe { bytes(text) }.to_vec()));
        Driver { arguments, input: path(input), output: path(output) }
    }

    /// Prints dialects or passes, where the command line asks for that instead of a program; the exit status then.
    #[must_use]
    pub fn list(&self) -> Option<i32> {
        let mut status = 0;
        let listed = with_main(&self.arguments, |count, pointers| {
            // SAFETY: as main, and a place for the status.
            unsafe { ffi::ballastOptList(count, pointers, &raw mut status) }
        });
        listed.then_some(status)
    }

    /// Runs the passes on a program; `name` is what diagnostics call it. The outcome goes to `descriptor`; a signal that ends the
    /// process deletes the file `partial`.
    #[must_use]
    pub fn run(
        &self,
        name: &Path,
        mut program: Vec<u8>,
        descriptor: BorrowedFd<'_>,
        partial: Option<&Path>,
    ) -> Ending {
        let view = |bytes: &[u8]| MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() };
        let length = program.len();
        program.push(0);
        let mut error = 0;
        let done = with_main(&self.arguments, |count, pointers| {
            // SAFETY: as main; the program ends in a zero byte, which is not counted; all outlive the call.
            unsafe {
                ffi::ballastOptRun(
                    count,
                    pointers,
                    view(name.as_os_str().as_bytes()),
                    view(&program[..length]),
                    descriptor.as_raw_fd(),
                    partial.map_or(ffi::view(""), |path| view(path.as_os_str().as_bytes())),
                    &raw mut error,
                )
            }
        });
        match (done, error) {
            (true, 0) => Ending::Done,
            (true, error) => Ending::NotWritten(io::Error::from_raw_os_error(error)),
            (false, _) => Ending::Refused,
        }
    }
}

/// Calls something with the arguments of a main function.
fn with_main<T>(arguments: &[CString], call: impl FnOnce(i32, *const *const c_char) -> T) -> T {
    let mut pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let count = i32::try_from(pointers.len()).unwrap_or(i32::MAX);
    pointers.push(std::ptr::null());
    call(count, pointers.as_ptr())
}

/// # Safety
/// `text` points at `length` live bytes, which outlive the answer.
unsafe fn bytes<'a>(text: MlirStringRef) -> &'a [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(text.data.cast(), text.length) }
}
