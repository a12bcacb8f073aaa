//! Placements measured on real processes: one long-lived process per device, under Open MPI's `mpirun`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ballast_core::limits::{Deadline, interrupted};
use ballast_placement::genetic::{Measure, PlacementError};
use std::os::unix::process::CommandExt as _;

use crate::Failure;
use crate::run::mpi::{library, mpirun};

/// How often a running batch is looked at.
const POLL: Duration = Duration::from_millis(100);
/// How long the processes may take to end once told to.
const GRACE: Duration = Duration::from_secs(5);

/// What the processes run.
pub(super) struct Work<'a> {
    /// The layer file.
    pub(super) layers: &'a Path,
    /// Processes, one per device.
    pub(super) ranks: usize,
    /// Items of a batch.
    pub(super) batch: u32,
    /// Runs of a placement; their mean is its time.
    pub(super) repeats: u32,
    /// Seconds that starting the processes, or one run, may take at most.
    pub(super) run_limit: Duration,
}

/// The processes, which end with this.
pub(super) struct Processes<'a> {
    work: Work<'a>,
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<f64>,
    messages: Option<std::thread::JoinHandle<String>>,
}

impl<'a> Processes<'a> {
    /// Starts the processes.
    ///
    /// # Errors
    /// A missing Open MPI.
    pub(super) fn start(work: Work<'a>) -> Result<Self, Failure> {
        let own = std::env::current_exe()
            .map_err(|error| Failure::Internal(format!("where this program lies is unknown: {error}")))?;
        let mut command = mpirun();
        command
            .args(["-n", &work.ranks.to_string()])
            .arg(own)
            .arg("genetic-rank")
            .arg(work.layers)
            .arg("--library")
            .arg(library(work.run_limit)?)
            .args(["--batch", &work.batch.to_string()]);
        Self::spawn(command, work)
    }

    fn spawn(mut command: Command, work: Work<'a>) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::BadInput(format!("cannot run mpirun: {error}"));
        // A group of its own: a terminal's interrupt reaches this program first.
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let (send, answers) = channel();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let Ok(seconds) = line.trim().parse() else { continue };
                    if send.send(seconds).is_err() {
                        return;
                    }
                }
            });
        }
        let messages = child.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read before an error is all there is to show.
                let _ = pipe.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).trim_end().to_owned()
            })
        });
        Ok(Processes { work, child, input, answers, messages })
    }

    /// Seconds of one run of a placement; none once the deadline is over.
    ///
    /// # Errors
    /// Processes that ended, or take longer than the limit of a run.
    pub(super) fn run(&mut self, placement: &[usize], deadline: &Deadline) -> Result<Option<f64>, String> {
        let line = placement.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let told = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        if !matches!(told, Some(Ok(()))) {
            return Err(self.what_they_said());
        }
        let start = Instant::now();
        loop {
            match self.answers.recv_timeout(POLL) {
                Ok(seconds) => return Ok(Some(seconds)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.what_they_said()),
                Err(RecvTimeoutError::Timeout) if deadline.over() || interrupted() => return Ok(None),
                Err(RecvTimeoutError::Timeout) if start.elapsed() > self.work.run_limit => {
                    let limit = self.work.run_limit.as_secs_f64();
                    return Err(format!("a run took longer than {limit} s: raise --run-limit"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Medians of so many runs of each placement, one after the other in turn, so that what else the machine does
    /// meets all of them.
    ///
    /// # Errors
    /// As [`Processes::run`]; a deadline that comes first.
    pub(super) fn medians(
        &mut self,
        placements: &[&[usize]],
        runs: usize,
        deadline: &Deadline,
    ) -> Result<Option<Vec<f64>>, String> {
        let mut seconds = vec![Vec::new(); placements.len()];
        for _ in 0..runs {
            for (list, placement) in seconds.iter_mut().zip(placements) {
                let Some(run) = self.run(placement, deadline)? else { return Ok(None) };
                list.push(run);
            }
        }
        let median = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        };
        Ok(Some(seconds.into_iter().map(median).collect()))
    }

    fn what_they_said(&mut self) -> String {
        self.end();
        let said = self.messages.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        format!("the processes ended: {said}")
    }

    /// Ends the processes, gently first.
    fn end(&mut self) {
        drop(self.input.take());
        let Ok(group) = i32::try_from(self.child.id()) else { return };
        for signal in [None, Some(libc::SIGTERM), Some(libc::SIGKILL)] {
            if let Some(signal) = signal {
                // SAFETY: the child leads this group and has not been waited for, so the number is still its own.
                unsafe { libc::kill(-group, signal) };
            }
            let deadline = Instant::now() + GRACE;
            while Instant::now() < deadline {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(POLL / 10);
            }
        }
    }
}

impl Drop for Processes<'_> {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.end();
        }
    }
}

impl Measure for Processes<'_> {
    /// One after the other, whatever the threads: they share the machine. The mean of the runs of each.
    fn seconds(
        &mut self,
        placements: &[Vec<usize>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError> {
        let mut means = Vec::with_capacity(placements.len());
        for placement in placements {
            let mut sum = 0.0;
            for _ in 0..self.work.repeats {
                if deadline.over() {
                    return Ok(means);
                }
                match self.run(placement, deadline).map_err(PlacementError::Input)? {
                    Some(seconds) => sum += seconds,
                    None => return Ok(means),
                }
            }
            means.push(sum / f64::from(self.work.repeats));
        }
        Ok(means)
    }

    /// Nothing is proved of measured times.
    fn bound(&self) -> f64 {
        0.0
    }

    fn method(&self) -> &'static str {
        "genetic-measured"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Processes<'static> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let work = Work {
            layers: Path::new("none"),
            ranks: 2,
            batch: 1,
            repeats: 2,
            run_limit: Duration::from_millis(400),
        };
        Processes::spawn(command, work).expect("a shell")
    }

    #[test]
    fn a_placement_is_the_mean_of_its_runs_and_medians_take_turns() {
        // Answers 1, 2, 3 ... whatever is asked.
        let counting = "n=0; while read line; do n=$((n+1)); echo $n; done";
        let mut processes = shell(counting);
        let never = Deadline::after(None);
        let means = processes.seconds(&[vec![0, 1], vec![1, 1]], &never).expect("answers");
        assert_eq!(means, [1.5, 3.5]);
        // 5, 7, 9 and 6, 8, 10.
        let medians = processes.medians(&[&[0, 1], &[1, 0]], 3, &never).expect("answers");
        assert_eq!(medians, Some(vec![7.0, 8.0]));
        let over = Deadline::after(Some(0.0));
        assert_eq!(processes.seconds(&[vec![0, 1]], &over), Ok(vec![]));
    }

    #[test]
    fn processes_that_fail_or_hang_say_why() {
        let never = Deadline::after(None);
        let failed = shell("read line; echo no memory >&2; exit 3").run(&[0, 1], &never).expect_err("ended");
        assert!(failed.contains("no memory"), "{failed}");
        let hung = shell("read line; sleep 100").run(&[0, 1], &never).expect_err("hung");
        assert!(hung.contains("--run-limit"), "{hung}");
    }
}
