//! How the program ends: every exit code there is, and the one place that tells the user why.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ballast_core::limits::interrupt_signal;
use ballast_core::printable::printable;
use ballast_jobs::JobError;
use ballast_partition::genetic::PlacementError;
use ballast_partition::rl::train::RlError as TrainingError;
use ballast_remat::swaps::LearnError;

/// Why a command ended without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no plan for what was asked, or none was found in time: exit code 1.
    NoPlan(String),
    /// What was given cannot be used: an option, a file that cannot be read or written, a program that is missing: exit code 2.
    BadInput(String),
    /// The command line is not one of this program's, as clap says it: exit code 2.
    Usage(String),
    /// A signal asked for the end before there was an answer: the exit code that shells show for the signal.
    Interrupted(String),
    /// A bug: exit code 3.
    Internal(String),
    /// Whoever read standard output wants no more, as `head` does once it has its lines. Ends the process as the signal
    /// would that programs get by default, which shells show as code 141, and says nothing.
    ClosedPipe,
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Input(reason) | JobError::Learner(reason) => Failure::BadInput(reason),
            JobError::NoPlacement(reason) => Failure::NoPlan(reason),
        }
    }
}

impl From<LearnError> for Failure {
    fn from(error: LearnError) -> Self {
        match error {
            LearnError::OverCap { .. } => Failure::NoPlan(error.to_string()),
            LearnError::Options(_) | LearnError::Table(_) => Failure::BadInput(error.to_string()),
            LearnError::Iteration(_) => Failure::Internal(error.to_string()),
        }
    }
}

impl From<PlacementError> for Failure {
    fn from(error: PlacementError) -> Self {
        match error {
            PlacementError::Input(reason) => Failure::BadInput(reason),
            PlacementError::NoPlacement(reason) => Failure::NoPlan(reason),
            PlacementError::Bound(error) => Failure::Internal(error.to_string()),
        }
    }
}

impl From<TrainingError> for Failure {
    fn from(error: TrainingError) -> Self {
        match error {
            TrainingError::Io { .. } | TrainingError::Saved { .. } | TrainingError::Options(_) => {
                Failure::BadInput(error.to_string())
            }
            TrainingError::Learner(_) => Failure::Internal(error.to_string()),
        }
    }
}

impl Failure {
    /// The same, where bad input is said with the file it is from.
    pub(crate) fn in_file(path: &Path, error: impl Into<Failure>) -> Self {
        match error.into() {
            Failure::BadInput(reason) => Failure::BadInput(format!("{}: {reason}", path.display())),
            other => other,
        }
    }

    /// The same, where what it says of a file is said of the one the user knows, which the file is a copy of in generic form.
    pub(crate) fn naming(self, file: &Path, known: &Path) -> Self {
        if file == known { self } else { self.saying(file, &format!("{} in generic form", known.display())) }
    }

    /// The same, where what it says of a copy is said of the one the user knows.
    pub(crate) fn of_copy(self, copy: &Path, known: &Path) -> Self {
        self.saying(copy, &known.display().to_string())
    }

    fn saying(self, file: &Path, known: &str) -> Self {
        let file = file.display().to_string();
        let said = |text: String| text.replace(&file, known);
        match self {
            Failure::NoPlan(text) => Failure::NoPlan(said(text)),
            Failure::BadInput(text) => Failure::BadInput(said(text)),
            Failure::Usage(text) => Failure::Usage(said(text)),
            Failure::Interrupted(text) => Failure::Interrupted(said(text)),
            Failure::Internal(text) => Failure::Internal(said(text)),
            Failure::ClosedPipe => Failure::ClosedPipe,
        }
    }

    /// What happened.
    pub(crate) fn message(&self) -> &str {
        match self {
            Failure::NoPlan(message)
            | Failure::BadInput(message)
            | Failure::Usage(message)
            | Failure::Interrupted(message)
            | Failure::Internal(message) => message,
            Failure::ClosedPipe => "nobody reads standard output",
        }
    }

    /// What went wrong, of all that a program said: its last error, or its last line.
    pub(crate) fn reason(&self) -> &str {
        let message = self.message();
        // MLIR repeats an option that it does not know as an error without a text: what was said of it stands before that.
        fn error(line: &str) -> Option<&str> {
            line.split_once(" error:").map(|(_, error)| error.trim())
        }
        let mut errors = message.lines().filter_map(error).filter(|error| !error.is_empty());
        let last =
            || message.lines().rfind(|line| !line.is_empty() && error(line) != Some("")).unwrap_or_default();
        errors.next_back().unwrap_or_else(last)
    }

    /// Tells the user, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let kind = match self {
            Failure::NoPlan(_) => "no plan",
            Failure::BadInput(_) => "error",
            Failure::Usage(message) => {
                tell(message);
                return ExitCode::from(self.code());
            }
            Failure::Interrupted(_) => "interrupted",
            Failure::Internal(_) => "internal error",
            Failure::ClosedPipe => return end_by_signal(libc::SIGPIPE),
        };
        tell(&format!("ballast: {kind}: {}\n", self.message()));
        ExitCode::from(self.code())
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::NoPlan(_) => 1,
            Failure::BadInput(_) | Failure::Usage(_) => 2,
            Failure::Internal(_) => 3,
            Failure::Interrupted(_) => 128 + u8::try_from(interrupt_signal()).unwrap_or(0),
            Failure::ClosedPipe => 141,
        }
    }
}

/// Says something besides, for the user of this run.
pub(crate) fn note(text: &str) {
    tell(&format!("ballast: note: {text}\n"));
}

/// Writes to standard error. Where that is closed there is nobody left to tell.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(printable(text).as_bytes());
}

/// A file that the system allows no more bytes is an error like a full disk, not the end of the process.
pub(crate) fn let_writes_fail() {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Ends the process by a signal that it ignores or catches otherwise; the code that shells show for it, should that fail.
fn end_by_signal(signal: libc::c_int) -> ExitCode {
    // SAFETY: puts the default action back and raises the signal, in a process that has nothing left to do.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn the_reason_is_the_last_error_of_the_program_or_its_last_line() {
        let reason = |message: &str| Failure::BadInput(message.to_owned()).reason().to_owned();
        let diagnosed =
            "p.mlir: ballast-opt failed, exit status: 1\np.mlir:3:1: error: no plan\n  %0 = add\n  ^";
        assert_eq!(reason(diagnosed), "no plan");
        assert_eq!(reason("p.mlir: ballast-opt failed, exit status: 1\nno option 'x'\n\n"), "no option 'x'");
        let unknown = "p.mlir: ballast-opt failed, exit status: 1\nballast-opt: for the --solver option: Cannot find option named 'nope'!\n<unknown>:0: error: \n";
        assert_eq!(reason(unknown), "ballast-opt: for the --solver option: Cannot find option named 'nope'!");
        assert_eq!((reason("python was ended"), reason("")), ("python was ended".to_owned(), String::new()));
    }
}
