//! A program that is run with whatever it starts, and ended with it.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How often it is asked whether a program has ended.
const POLL: Duration = Duration::from_millis(2);

/// A child that leads a group of processes of its own: a terminal's interrupt does not reach it, and all of it can be ended. Its number stays its own, even
/// when it has ended, until [`ProcessGroup::reap`].
#[derive(Debug)]
pub struct ProcessGroup {
    /// The child, for its pipes; to wait for it is the group's.
    pub child: Child,
    leader: Option<Pid>,
}

impl ProcessGroup {
    /// Starts a program.
    ///
    /// # Errors
    /// One that cannot be started.
    pub fn spawn(command: &mut Command) -> std::io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Ok(ProcessGroup { child, leader })
    }

    /// Has the child ended? What it started may still run.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn has_ended(&self) -> std::io::Result<bool> {
        let Some(leader) = self.leader else { return Ok(true) };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(leader), look)?.is_some())
    }

    /// Sends a signal to the whole group.
    pub fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // A group without members is what was wanted.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Asks the group to end by each of the signals, and waits after each until the child has, for so long.
    pub fn end(&self, signals: &[Signal], grace: Duration) {
        for &signal in signals {
            self.signal(signal);
            if self.ends_within(grace) {
                return;
            }
        }
    }

    /// Does the child end within so long?
    #[must_use]
    pub fn ends_within(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            if self.has_ended().unwrap_or(true) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(POLL);
        }
    }

    /// Kills what is left of the group, which would keep its pipes open, and waits for the child.
    ///
    /// # Errors
    /// When the system does not say how the child ended.
    pub fn reap(&mut self) -> std::io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        // From here on the number may be another's.
        self.leader = None;
        self.child.wait()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.leader.is_some() {
            // Nobody is left who would hear of an error.
            let _ = self.reap();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::Stdio;

    use super::*;

    fn shell(script: &str) -> ProcessGroup {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        ProcessGroup::spawn(&mut command).expect("a shell")
    }

    #[test]
    fn what_a_program_leaves_running_is_killed_with_it() {
        // The sleeper has the pipe's other end: it is read to its end when the sleeper is gone.
        let mut group = shell("sleep 600 & echo left");
        assert!(group.ends_within(Duration::from_secs(60)));
        assert!(group.has_ended().unwrap(), "asked again, it has still ended");
        assert_eq!(group.reap().unwrap().code(), Some(0));
        let mut said = String::new();
        group.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "left\n");
    }

    #[test]
    fn a_program_is_ended_by_the_first_signal_that_it_heeds() {
        let mut group = shell("trap '' TERM; echo; while :; do sleep 0.01; done");
        // It says when it no longer heeds the first.
        group.child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        assert!(!group.has_ended().unwrap());
        group.end(&[Signal::TERM], Duration::from_millis(20));
        assert!(!group.has_ended().unwrap());
        group.end(&[Signal::TERM, Signal::KILL], Duration::from_millis(20));
        assert!(group.ends_within(Duration::from_secs(60)));
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&group.reap().unwrap()), Some(9));
    }
}
