//! Errors, warnings and remarks at a location of the IR.

use melior::ir::Location;

use crate::ffi::{self, RawNote, view};

/// Proof that an error was reported: the only way for a pass to fail, so that none fails in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "an error was reported: return it"]
pub struct Reported(());

#[derive(Clone, Copy)]
enum Severity {
    Error = 0,
    Warning = 1,
    Remark = 2,
}

/// Reports an error.
pub fn error(location: Location<'_>, text: &str) -> Reported {
    error_with_notes(location, text, &[])
}

/// Reports an error with notes below it, each at a location of its own.
pub fn error_with_notes(location: Location<'_>, text: &str, notes: &[(Location<'_>, String)]) -> Reported {
    emit(location, Severity::Error, text, notes);
    Reported(())
}

/// Reports a warning: the program was planned, but not as asked.
pub fn warning(location: Location<'_>, text: &str) {
    emit(location, Severity::Warning, text, &[]);
}

/// Reports a warning with notes below it, each at a location of its own.
pub fn warning_with_notes(location: Location<'_>, text: &str, notes: &[(Location<'_>, String)]) {
    emit(location, Severity::Warning, text, notes);
}

/// Reports a remark that a person always sees; what programs read goes to [`crate::remarks`].
pub fn remark(location: Location<'_>, text: &str) {
    emit(location, Severity::Remark, text, &[]);
}

/// The error that the verifier of an attribute has already reported.
pub(crate) fn already_reported() -> Reported {
    Reported(())
}

fn emit(location: Location<'_>, severity: Severity, text: &str, notes: &[(Location<'_>, String)]) {
    let raw: Vec<RawNote> = notes
        .iter()
        .map(|(location, text)| RawNote { location: location.to_raw(), text: view(text) })
        .collect();
    // SAFETY: locations are live, and the strings outlive the call.
    unsafe { ffi::ballastEmit(location.to_raw(), severity as u32, view(text), raw.as_ptr(), raw.len()) }
}
