//! The programs a run needs: where they are, and how they fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ballast_core::limits::interrupted;
use ballast_core::outside::reader;
use ballast_core::process_group::ProcessGroup;
use ballast_planner::NO_PLAN;
use rustix::process::Signal;

use crate::failure::Failure;

/// Where Debian's packages put LLVM's programs.
const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";
/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(10);
/// How long a program that was told to end may take over it: `mpirun` ends its processes first.
const GRACE: Duration = Duration::from_secs(3);

/// A file that is built beside this program; libraries are in `../lib` where they are installed apart.
pub(crate) fn beside(name: &str) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Internal(format!("where this program lies is unknown: {error}")))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    // Test programs lie one folder deeper.
    let places = [folder.join(name), folder.join("..").join(name), folder.join("../lib").join(name)];
    let found = places.into_iter().find(|path| path.exists());
    found.ok_or_else(|| {
        Failure::BadInput(format!("{name} is not beside {}: run `cargo xtask build`", program.display()))
    })
}

/// A program of LLVM.
pub(crate) fn llvm(name: &str) -> PathBuf {
    let packaged = Path::new(LLVM_BIN).join(name);
    if packaged.exists() { packaged } else { PathBuf::from(format!("{name}-22")) }
}

/// Runs a command to its end; its standard output. Past the limit, or on an interrupt, it and what it started are ended.
pub(crate) fn capture(command: &mut Command, what: &str, limit: Duration) -> Result<Vec<u8>, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| Failure::BadInput(format!("{what}: cannot run {program}: {error}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = ProcessGroup::spawn(command).map_err(failed)?;
    let (output, messages) = (reader(group.child.stdout.take()), reader(group.child.stderr.take()));
    let deadline = Instant::now() + limit;
    while !group.has_ended().map_err(failed)? {
        if interrupted() || Instant::now() > deadline {
            group.end(&[Signal::TERM, Signal::KILL], GRACE);
            let ended = |why: &str| format!("{what}: {program} was ended{why}");
            if interrupted() {
                return Err(Failure::Interrupted(ended("")));
            }
            return Err(Failure::BadInput(ended(&format!(
                ": not done after {} s, the time limit: raise it with --time-limit (--step-limit of `ballast fit`)",
                limit.as_secs_f64()
            ))));
        }
        std::thread::sleep(POLL);
    }
    let status = group.reap().map_err(failed)?;
    let join = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    let (output, messages) = (join(output), join(messages));
    if status.success() {
        return Ok(output);
    }
    let messages = String::from_utf8_lossy(&messages);
    let text = format!("{what}: {program} failed, {status}\n{}", said(messages.trim_end()));
    // A pass that finds no plan ends the driver as any error does.
    let no_plan = messages.lines().any(|line| line.contains(&format!("error: {NO_PLAN} ")));
    Err(if no_plan { Failure::NoPlan(text) } else { Failure::BadInput(text) })
}

/// What a program said, with what it means for whoever called this one: of an exception of Python its own line alone.
fn said(messages: &str) -> String {
    let mut lines = messages.lines();
    let mut kept: Vec<&str> =
        lines.by_ref().take_while(|line| !line.starts_with("Traceback (most recent")).collect();
    kept.extend(lines.skip_while(|line| line.starts_with(' ')));
    let mut text = kept.join("\n");
    if text.contains("ModuleNotFoundError") {
        text.push_str("\n--python names a Python that has it");
    } else if text.contains("unregistered dialect") && text.contains("StableHLO") {
        text.push_str("\nXLA reads StableHLO: programs of linalg, tosa and torch are planned by ballast-opt and run by the native runner");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Vec<u8>, Failure> {
        capture(Command::new("sh").args(["-c", script]), "input.mlir", limit)
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        // Deaf to the gentle signal, and with a child of its own.
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().join("number");
        let script = format!("trap '' TERM; sleep 1000 & echo $! > {}; wait; sleep 1000", number.display());
        let Err(Failure::BadInput(text)) = shell(&script, Duration::from_millis(300)) else {
            panic!("a program that hangs came to an end")
        };
        assert!(text.contains("input.mlir") && text.contains("--time-limit"), "{text}");
        let child: i32 = std::fs::read_to_string(number).unwrap().trim().parse().unwrap();
        // The child of a killed shell may stay as a zombie until its new parent looks after it; a busy machine takes a while to end it.
        let state = || std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let has_ended = || state().is_empty() || state().contains(") Z ");
        let deadline = Instant::now() + Duration::from_secs(30);
        while !has_ended() && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        assert!(has_ended(), "{}", state());
    }

    #[test]
    fn what_a_program_left_running_is_not_waited_for() {
        let said = shell("sleep 1000 & echo done", Duration::from_secs(60)).unwrap();
        assert_eq!(said, b"done\n");
    }

    #[test]
    fn a_failure_shows_what_the_program_said_however_much_it_wrote() {
        let limit = Duration::from_secs(60);
        assert_eq!(shell("printf 12", limit).unwrap(), b"12");
        let Err(Failure::BadInput(text)) = shell("yes | head -c 1000000; echo broken >&2; exit 7", limit)
        else {
            panic!("exit code 7 is a failure")
        };
        assert!(text.contains("broken") && text.contains('7'), "{text}");
        // Of a traceback the exception is shown, and what to do.
        let raised = r#"printf 'before\nTraceback (most recent call last):\n  File "run.py", line 1\n    import jax\nModuleNotFoundError: no jax\n' >&2; exit 1"#;
        let Err(Failure::BadInput(text)) = shell(raised, limit) else { panic!("exit code 1 is a failure") };
        assert!(
            text.ends_with("before\nModuleNotFoundError: no jax\n--python names a Python that has it"),
            "{text}"
        );
        let refusal = ballast_planner::Error::Infeasible {
            device: ballast_core::device::DeviceId(0),
            op: None,
            label: "dot".into(),
            cap: ballast_core::units::Bytes(1),
            smallest: ballast_core::units::Bytes(2),
            found: false,
            every_way: true,
            proved: false,
        };
        let no_plan = format!("echo \"p.mlir:1:1: error: {refusal}\" >&2; exit 1");
        assert!(matches!(shell(&no_plan, limit), Err(Failure::NoPlan(text)) if text.contains("device 0")));
        let missing = capture(&mut Command::new("/nowhere/program"), "input.mlir", limit);
        assert!(matches!(missing, Err(Failure::BadInput(text)) if text.contains("/nowhere/program")));
    }
}
