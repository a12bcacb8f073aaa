//! Programs of others that plan: one gets a question as JSON on its standard input and answers on its standard output.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::limits::interrupted;

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
        let mut child = Command::new(program_path(&self.path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| AskError::CannotRun(named(format!("cannot be run: {error}"))))?;
        let mut input = child.stdin.take();
        let question = question.to_owned();
        // A thread of its own: a program may answer, or end, before it has read everything.
        let writer = std::thread::spawn(move || {
            if let Some(input) = &mut input {
                let _ = input.write_all(question.as_bytes());
            }
        });
        let (output, messages) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if interrupted() => break Err("was killed: interrupted".to_owned()),
                Ok(None) if start.elapsed().as_secs_f64() > seconds => {
                    break Err(format!("was killed: no answer after {seconds} s, the time limit"));
                }
                Ok(None) => std::thread::sleep(POLL),
                Err(error) => break Err(error.to_string()),
            }
        };
        // Whatever it left running would keep the pipes open.
        kill(&mut child);
        let _ = writer.join();
        let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
            String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
        };
        let (output, messages) = (text(output), text(messages));
        let no_answer = |text: String| AskError::NoAnswer(named(text));
        let status = status.map_err(no_answer)?;
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

/// Kills a program and what it started, and waits for it.
fn kill(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: the child was made the leader of this group; without members left, the call fails and nothing happens.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    let _ = child.wait();
}
