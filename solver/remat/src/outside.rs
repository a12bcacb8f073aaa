//! Planners of others: a program gets a problem as JSON on its standard input and answers with a plan on its standard output. The
//! answer is judged like any other.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ballast_core::instance::{Instance, read_plan};
use ballast_core::limits::{StopReason, interrupted};
use ballast_core::memory::{Problem, Schedule, SwapModel, compact, replay};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use serde::Serialize;

use crate::outcome::{Failure, Order};
use crate::solver::{Executable, MemorySolver, Options, Proposal, Task};

/// Seconds for a program where no limit is given.
const DEFAULT_SECONDS: f64 = 60.0;
/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(5);
/// Most of what a program wrote on its standard error that a message repeats.
const MOST_SAID: usize = 600;

/// What a program that plans memory is asked.
#[derive(Serialize)]
struct Question<'a> {
    kind: &'static str,
    instance: Instance,
    budget_bytes: u64,
    /// How copies are timed; null: nothing may be swapped.
    swap: Option<&'a SwapModel>,
    /// `program`: first runs keep program order; `free`: any topological order.
    order: &'static str,
    time_limit_seconds: f64,
    seed: u64,
}

impl Executable {
    /// Sends it a question and reads its answer. When `seconds` are over, or on an interrupt, it and what it started are killed.
    ///
    /// # Errors
    /// A program that cannot be started, fails, or does not answer in time; the message names it.
    pub fn ask(&self, question: &str, seconds: f64) -> Result<String, String> {
        let named = |text: String| format!("{}: {text}", self.path.display());
        let start = Instant::now();
        let mut child = Command::new(program_path(&self.path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| named(format!("cannot be run: {error}")))?;
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
        let status = status.map_err(named)?;
        if status.success() {
            return Ok(output);
        }
        let said: String = messages.trim().chars().take(MOST_SAID).collect();
        Err(named(format!("failed, {status}: {}", if said.is_empty() { "it said nothing" } else { &said })))
    }

    /// A plan of it for one device, judged.
    ///
    /// # Errors
    /// [`Failure::Outside`], with what is wrong with the program or its plan.
    pub fn schedule(
        &self,
        problem: &Problem,
        options: &Options,
    ) -> Result<(Schedule, ballast_core::memory::Replay), Failure> {
        let seconds = options.limits.time_limit_seconds.unwrap_or(DEFAULT_SECONDS);
        let question = Question {
            kind: "memory",
            instance: Instance::of(problem),
            budget_bytes: options.cap_bytes,
            swap: options.swap.as_ref(),
            order: if options.order == Order::Program { "program" } else { "free" },
            time_limit_seconds: seconds,
            seed: options.limits.seed,
        };
        let failed = |reason: String| Failure::Outside { reason };
        let refused =
            |reason: String| failed(format!("{}: its plan is refused: {reason}", self.path.display()));
        let question = serde_json::to_string(&question).map_err(|error| failed(error.to_string()))?;
        let answer = self.ask(&question, seconds).map_err(failed)?;
        let schedule = read_plan(&answer, problem).map_err(refused)?;
        let replay = replay(problem, &schedule, options.swap.as_ref(), Some(options.cap_bytes))
            .map_err(|error| refused(error.to_string()))?;
        Ok((schedule, replay))
    }

    /// What reports call it.
    fn method(&self) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        format!("exec:{name}")
    }

    /// What is said about a plan of it: every node runs at least once, and no other bound is known.
    ///
    /// # Errors
    /// Where that bound is above the plan's time, which is a bug.
    pub fn report(&self, problem: &Problem, time: f64, seed: u64, seconds: f64) -> Result<Report, Failure> {
        let stats =
            SearchStats { method: self.method(), stop_reason: StopReason::Finished, seconds, work: 0, seed };
        let bound = Bound::proved(problem.total_time(), BoundClass::Any);
        Report::new(time, bound, stats).map_err(|error| Failure::Refused(error.to_string()))
    }
}

/// The program in the options, as a solver.
pub(crate) struct Exec;

impl MemorySolver for Exec {
    fn name(&self) -> &'static str {
        "exec"
    }

    fn about(&self) -> &'static str {
        "a program of others: a problem as JSON on its standard input, a plan on its standard output"
    }

    fn seeded(&self) -> bool {
        true
    }

    fn plans_parts(&self) -> bool {
        false
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Failure> {
        let Some(program) = &task.options.outside else {
            return Err(Failure::Options("no program was named to plan".into()));
        };
        let (schedule, _) = program.schedule(task.problem, task.options)?;
        let failed =
            |text: String| Failure::Outside { reason: format!("{}: {text}", program.path.display()) };
        let plan = compact(task.problem, &schedule)
            .map_err(|error| failed(format!("its plan has no form in the program: {error}")))?;
        if task.options.order == Order::Program && plan.order.is_some() {
            let text = "its plan is refused: first runs must keep program order (order=program)";
            return Err(failed(text.to_owned()));
        }
        Ok(Some(Proposal {
            method: program.method().into(),
            ..Proposal::in_one_pass(self.name(), plan, task.problem)
        }))
    }
}

/// A name without a folder is looked for here before in the search path, as scripts beside the instance are.
fn program_path(path: &Path) -> PathBuf {
    let bare = path.parent().is_none_or(|parent| parent.as_os_str().is_empty());
    if bare && path.is_file() { Path::new(".").join(path) } else { path.to_owned() }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
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
