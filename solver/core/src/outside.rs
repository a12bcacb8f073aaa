//! Programs of others that plan: one gets a question as JSON on its standard input and answers on its standard output.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::limits::interrupted;
use crate::process_group::ProcessGroup;

/// Seconds for a program where no limit is given.
pub const DEFAULT_SECONDS: f64 = 60.0;
/// What options write before the program's path.
const PREFIX: &str = "exec:";
/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(5);
/// Most of what a program wrote on its standard error that a message repeats.
const MOST_SAID: usize = 600;

/// Why a program gave no answer; the message names it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// It is missing, or the system does not run it.
    #[error("{0}")]
    CannotRun(String),
    /// It failed, or did not answer in time.
    #[error("{0}")]
    NoAnswer(String),
}

/// A program that is no part of Ballast and plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Its path.
    pub path: PathBuf,
}

impl Executable {
    /// What an option names by `exec:PROGRAM`; none: something else is named.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        text.strip_prefix(PREFIX).map(|path| Executable { path: path.into() })
    }

    /// What reports call it.
    #[must_use]
    pub fn method(&self) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        format!("{PREFIX}{name}")
    }

    /// Whether the system finds such a program, for questions that may never be asked.
    ///
    /// # Errors
    /// A path or name of nothing that may be run.
    pub fn check(&self) -> Result<(), AskError> {
        // The shell looks where the system does.
        let mut shell = Command::new("sh");
        shell.args(["-c", "command -v -- \"$0\""]).arg(program_path(&self.path));
        let found = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match found {
            Ok(status) if !status.success() => {
                let text = format!("{}: cannot be run: there is no such program", self.path.display());
                Err(AskError::CannotRun(text))
            }
            _ => Ok(()),
        }
    }

    /// Sends it a question and reads its answer. When `seconds` are over, or on an interrupt, it and what it started are killed.
    ///
    /// # Errors
    /// A program that cannot be started, fails, or does not answer in time.
    pub fn ask(&self, question: &str, seconds: f64) -> Result<String, AskError> {
        let named = |text: String| format!("{}: {text}", self.path.display());
        let start = Instant::now();
        let mut command = Command::new(program_path(&self.path));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = ProcessGroup::spawn(&mut command)
            .map_err(|error| AskError::CannotRun(named(format!("cannot be run: {error}"))))?;
        let mut input = group.child.stdin.take();
        let question = question.to_owned();
        // A thread of its own: a program may answer, or end, before it has read everything.
        let writer = std::thread::spawn(move || {
            if let Some(input) = &mut input {
                let _ = input.write_all(question.as_bytes());
            }
        });
        let (output, messages) = (reader(group.child.stdout.take()), reader(group.child.stderr.take()));
        let killed = loop {
            match group.has_ended() {
                Ok(true) => break None,
                Ok(false) if interrupted() => break Some("was killed: interrupted".to_owned()),
                Ok(false) if start.elapsed().as_secs_f64() > seconds => {
                    break Some(format!("was killed: no answer after {seconds:.2} s, the time limit"));
                }
                Ok(false) => std::thread::sleep(POLL),
                Err(error) => break Some(error.to_string()),
            }
        };
        let status = group.reap();
        let _ = writer.join();
        let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
            String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
        };
        let (output, messages) = (text(output), text(messages));
        let no_answer = |text: String| AskError::NoAnswer(named(text));
        if let Some(why) = killed {
            return Err(no_answer(why));
        }
        let status = status.map_err(|error| no_answer(error.to_string()))?;
        if status.success() {
            return Ok(output);
        }
        let said: String = messages.trim().chars().take(MOST_SAID).collect();
        let said = if said.is_empty() { "it said nothing" } else { &said };
        Err(no_answer(format!("failed, {status}: {said}")))
    }
}

/// A name without a folder is looked for here before in the search path, as scripts beside the instance are.
fn program_path(path: &Path) -> PathBuf {
    let bare = path.parent().is_none_or(|parent| parent.as_os_str().is_empty());
    if bare && path.is_file() { Path::new(".").join(path) } else { path.to_owned() }
}

/// Reads a pipe to its end, on a thread of its own: a program that fills one pipe must not wait for the other.
pub fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is to show.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}
