//! One long-lived process per device, under Open MPI's `mpirun`: told what to run, a line at a time, they answer with seconds.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ballast_core::limits::{Deadline, interrupted};
use ballast_core::process_group::ProcessGroup;
use rustix::process::Signal;

use crate::failure::Failure;
use crate::run::mpi::{library, mpirun};

/// How often a running batch is looked at.
const POLL: Duration = Duration::from_millis(50);
/// How long Open MPI may take to say where its library is.
pub(super) const LOOK_UP: Duration = Duration::from_secs(60);
/// How long the processes may take to end once told to.
const GRACE: Duration = Duration::from_secs(5);

/// The processes, which end with this.
pub(super) struct Processes {
    /// Seconds that starting the processes, or one run, may take at most.
    run_limit: Duration,
    group: ProcessGroup,
    input: Option<ChildStdin>,
    answers: Receiver<f64>,
    messages: Option<std::thread::JoinHandle<String>>,
    /// At work on something that nobody waits for any more.
    busy: bool,
    /// Where `mpirun` keeps its files, removed with this.
    session: Option<tempfile::TempDir>,
}

impl Processes {
    /// Starts so many of this program, with these arguments and `--library` with the path of Open MPI's library.
    ///
    /// # Errors
    /// A missing Open MPI.
    pub(super) fn start(
        ranks: usize,
        arguments: &[std::ffi::OsString],
        run_limit: Duration,
    ) -> Result<Self, Failure> {
        let own = std::env::current_exe()
            .map_err(|error| Failure::Internal(format!("where this program lies is unknown: {error}")))?;
        let session = tempfile::tempdir()
            .map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
        let mut command = mpirun(session.path());
        command
            .args(["-n", &ranks.to_string()])
            .arg(own)
            .args(arguments)
            .arg("--library")
            .arg(library(LOOK_UP)?);
        let mut started = Self::spawn(command, run_limit)?;
        started.session = Some(session);
        Ok(started)
    }

    pub(super) fn spawn(mut command: Command, run_limit: Duration) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::BadInput(format!("cannot run mpirun: {error}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = ProcessGroup::spawn(&mut command).map_err(failed)?;
        let input = group.child.stdin.take();
        let (send, answers) = channel();
        if let Some(output) = group.child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let Ok(seconds) = line.trim().parse() else { continue };
                    if send.send(seconds).is_err() {
                        return;
                    }
                }
            });
        }
        let messages = group.child.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read before an error is all there is to show.
                let _ = pipe.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).trim_end().to_owned()
            })
        });
        Ok(Processes { run_limit, group, input, answers, messages, busy: false, session: None })
    }

    /// Seconds of one run of what the line says; none once the deadline is over.
    ///
    /// # Errors
    /// Processes that ended, or take longer than the limit of a run.
    pub(super) fn ask(&mut self, line: &str, deadline: &Deadline) -> Result<Option<f64>, String> {
        let told = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        if !matches!(told, Some(Ok(()))) {
            return Err(self.what_they_said());
        }
        let start = Instant::now();
        loop {
            match self.answers.recv_timeout(POLL) {
                Ok(seconds) => return Ok(Some(seconds)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.what_they_said()),
                Err(RecvTimeoutError::Timeout) if deadline.over() || interrupted() => {
                    self.busy = true;
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) if start.elapsed() > self.run_limit => {
                    self.busy = true;
                    let limit = self.run_limit.as_secs_f64();
                    return Err(format!("a run took longer than {limit} s: raise --run-limit"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn what_they_said(&mut self) -> String {
        self.end();
        let said = self.messages.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        format!("the processes ended: {said}")
    }

    /// Ends the processes, gently first unless they are at work.
    fn end(&mut self) {
        drop(self.input.take());
        if self.busy || !self.group.ends_within(GRACE) {
            self.group.end(&[Signal::TERM, Signal::KILL], GRACE);
        }
        // Whatever is left would keep the pipes open; how they ended says nothing that they do not.
        let _ = self.group.reap();
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A shell script in the place of `mpirun`; a run may take 0.4 s.
    pub(crate) fn shell(script: &str) -> Processes {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Processes::spawn(command, Duration::from_millis(400)).expect("a shell")
    }

    #[test]
    fn processes_that_fail_or_hang_say_why() {
        let never = Deadline::after(None);
        let failed = shell("read line; echo no memory >&2; exit 3").ask("0 1", &never).expect_err("ended");
        assert!(failed.contains("no memory"), "{failed}");
        let hung = shell("read line; sleep 100").ask("0 1", &never).expect_err("hung");
        assert!(hung.contains("--run-limit"), "{hung}");
    }
}
