//! Faults: the programs run while the system fails, memory is scarce, libraries are damaged and signals come. Whatever happens, the
//! exit code is one that is documented, an answer is whole or not there, and nothing else is left behind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::source::Source;

/// What is run, and the file it answers in; `FOLDER` is where inputs and answers are.
const RUNS: [(&str, &str); 7] = [
    (
        "ballast remat FOLDER/instance.json --budget 13 --bandwidth 8 --time-limit 0.4 -o FOLDER/answer.json",
        "answer.json",
    ),
    ("ballast curve FOLDER/instance.json --points 5 --time-limit 0.4 -o FOLDER/answer.json", "answer.json"),
    ("ballast partition FOLDER/workload.json --any --time-limit 0.3 -o FOLDER/answer.json", "answer.json"),
    (
        "ballast lab genetic FOLDER/layers.toml --devices 4 --time-limit 0.3 -o FOLDER/answer.json",
        "answer.json",
    ),
    (
        "ballast-opt FOLDER/program.mlir --allow-unregistered-dialect --remat=cap=90%_time-limit=0.4 -o FOLDER/answer.mlir",
        "answer.mlir",
    ),
    (
        "ballast-opt FOLDER/program.mlir --allow-unregistered-dialect --rl-partition=devices=2_time-limit=0.4 --remat=cap=90%_time-limit=0.4_plan-file=FOLDER/answer.json -o /dev/null",
        "answer.json",
    ),
    (
        "ballast lab train place --cluster FOLDER/cluster.json --widths 1,2 --batches 2 --time-limit 0.4 -o FOLDER/answer.net",
        "answer.net",
    ),
];

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Write,
    Sync,
    Rename,
    Clock,
    FileSize,
    OpenFiles,
    Memory,
    Interrupt,
    Terminate,
    Kill,
    Vanish,
    ReadOnly,
    NoLibrary,
    CutLibrary,
    WrongLibrary,
    Eight,
}

const FAULTS: [Fault; 16] = [
    Fault::Write,
    Fault::Sync,
    Fault::Rename,
    Fault::Clock,
    Fault::FileSize,
    Fault::OpenFiles,
    Fault::Memory,
    Fault::Interrupt,
    Fault::Terminate,
    Fault::Kill,
    Fault::Vanish,
    Fault::ReadOnly,
    Fault::NoLibrary,
    Fault::CutLibrary,
    Fault::WrongLibrary,
    Fault::Eight,
];

/// What is in the answer's file before a run: it stays, or the whole answer takes its place.
const BEFORE: &str = "before";

/// The inputs of the runs.
const INPUTS: [(&str, &str); 5] = [
    ("instance.json", include_str!("../corpus/faults/instance.json")),
    ("workload.json", include_str!("../corpus/workload/three.json")),
    ("layers.toml", include_str!("../corpus/layers/ten-layers.toml")),
    ("program.mlir", include_str!("../../../tests/inputs/models/gpt2_tiny_b2_s64.mlir")),
    ("cluster.json", include_str!("../corpus/faults/cluster.json")),
];

/// How the runs ended: by fault, by code (or signal, negative).
pub type Tally = BTreeMap<String, BTreeMap<i32, u64>>;

/// Draws so many faults from a seed, and runs the programs of `programs` under them.
///
/// # Errors
/// The promises that were broken, one a line.
///
/// # Panics
/// Where the runs cannot be prepared: no temporary folder, no compiler, no program.
pub fn run(count: u64, seed: u64, programs: &Path) -> Result<Tally, String> {
    let keep = tempfile::tempdir().expect("a temporary folder");
    let shim = keep.path().join("faults.so");
    let source = keep.path().join("faults.c");
    std::fs::write(&source, include_str!("../shim/faults.c")).expect("written");
    let compiled =
        Command::new("clang-22").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "clang-22 makes the library of faults");
    let (mut tally, mut broken) = (Tally::new(), Vec::new());
    for number in 0..count {
        // Fibonacci hashing: neighbours get bits that differ.
        let bits = (seed + number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let folder = keep.path().join(number.to_string());
        let mut trial = Trial { folder, programs, shim: &shim, bits: bits.to_be_bytes() };
        let fault = FAULTS[(number % FAULTS.len() as u64) as usize];
        match trial.run(fault) {
            Ok(codes) => {
                for code in codes {
                    *tally.entry(format!("{fault:?}")).or_default().entry(code).or_default() += 1;
                }
            }
            Err(what) => broken.push(format!("{fault:?}, number {number} of seed {seed}: {what}")),
        }
        let _ = std::fs::remove_dir_all(&trial.folder);
    }
    if broken.is_empty() { Ok(tally) } else { Err(broken.join("\n")) }
}

struct Trial<'a> {
    folder: PathBuf,
    programs: &'a Path,
    shim: &'a Path,
    bits: [u8; 8],
}

impl Trial<'_> {
    fn run(&mut self, fault: Fault) -> Result<Vec<i32>, String> {
        std::fs::create_dir(&self.folder).expect("made");
        for (name, text) in INPUTS {
            std::fs::write(self.folder.join(name), text).expect("written");
        }
        let bits = self.bits;
        let mut source = Source(&bits);
        let learns = matches!(fault, Fault::NoLibrary | Fault::CutLibrary | Fault::WrongLibrary);
        let (line, answer) = RUNS[if learns { RUNS.len() - 1 } else { source.below(RUNS.len()) }];
        let answer = self.folder.join(answer);
        let had_one = source.below(2) == 0;
        if had_one {
            std::fs::write(&answer, BEFORE).expect("written");
        }
        let mut command = self.command(line);
        let amount = 1 + u64::from(source.byte());
        let shim = |command: &mut Command, variable: &str, value: u64| {
            command.env("LD_PRELOAD", self.shim).env(variable, value.to_string());
        };
        match fault {
            Fault::Write => shim(&mut command, "FAULT_WRITE", 1 + amount % 12),
            Fault::Sync => shim(&mut command, "FAULT_SYNC", 1),
            Fault::Clock => shim(&mut command, "FAULT_CLOCK", amount * 1_000_000),
            Fault::FileSize => limit(&mut command, libc::RLIMIT_FSIZE, amount * 8),
            Fault::OpenFiles => limit(&mut command, libc::RLIMIT_NOFILE, 3 + amount % 16),
            Fault::Memory => limit(&mut command, libc::RLIMIT_AS, (300 + 8 * amount) << 20),
            Fault::Rename => no_renames(&mut command, RENAME_ERRORS[amount as usize % RENAME_ERRORS.len()]),
            Fault::ReadOnly => self.read_only(&mut command),
            Fault::NoLibrary | Fault::CutLibrary | Fault::WrongLibrary => {
                command.arg("--learner").arg(self.library(fault, amount));
            }
            _ => {}
        }
        let mut children = Vec::new();
        for _ in 0..if fault == Fault::Eight { 8 } else { 1 } {
            children.push(command.spawn().map_err(|error| format!("{line}: {error}"))?);
        }
        let signal = match fault {
            Fault::Interrupt => Some(libc::SIGINT),
            Fault::Terminate => Some(libc::SIGTERM),
            Fault::Kill => Some(libc::SIGKILL),
            _ => None,
        };
        if signal.is_some() || fault == Fault::Vanish {
            std::thread::sleep(Duration::from_millis(2 * amount));
        }
        if let (Some(signal), Some(child)) = (signal, children.first()) {
            let number = i32::try_from(child.id()).expect("a process number");
            // SAFETY: the child has not been waited for: the number is still its own.
            unsafe { libc::kill(number, signal) };
        }
        if fault == Fault::Vanish {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
        let mut codes = Vec::new();
        for mut child in children {
            let begin = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().expect("a child") {
                    break status;
                }
                if begin.elapsed() > Duration::from_secs(30) {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("{line}: still there after 30 s"));
                }
                std::thread::sleep(Duration::from_millis(5));
            };
            codes.push(code(status, fault).map_err(|what| format!("{line}: {what}: {}", self.said()))?);
        }
        self.look(fault, line, &answer, had_one, &codes)?;
        Ok(codes)
    }

    fn command(&self, line: &str) -> Command {
        let mut words = line.split(' ').map(|word| {
            // A blank within a word is written as _ behind the options of a pass, whose names have none.
            let word = if word.starts_with("--re") || word.starts_with("--rl") {
                word.replace('_', " ")
            } else {
                word.into()
            };
            OsString::from(word.replace("FOLDER", &self.folder.display().to_string()))
        });
        let mut command = Command::new(self.programs.join(words.next().unwrap_or_default()));
        let said = std::fs::File::create(self.folder.with_extension("said")).expect("made");
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        command
    }

    /// What the program said on standard error.
    fn said(&self) -> String {
        let bytes = std::fs::read(self.folder.with_extension("said")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).chars().take(600).collect()
    }

    /// A learner library that is not there, or is not one.
    fn library(&self, fault: Fault, amount: u64) -> PathBuf {
        let path = self.folder.join("learner.so");
        let whole = self.programs.join("libballast_learner.so");
        match fault {
            Fault::CutLibrary => {
                let mut bytes = std::fs::read(whole).expect("the learner is built");
                bytes.truncate(bytes.len() * amount as usize / 257);
                std::fs::write(&path, bytes).expect("written");
            }
            Fault::WrongLibrary => {
                std::fs::copy(self.shim, &path).expect("copied");
            }
            _ => {}
        }
        path
    }

    /// A folder that cannot be written to; for root too, which permissions do not stop.
    fn read_only(&self, command: &mut Command) {
        let path = std::ffi::CString::new(self.folder.as_os_str().as_encoded_bytes()).expect("a path");
        // SAFETY: system calls alone, on a path that was made before the fork; where they are not allowed the folder stays as it was.
        unsafe {
            command.pre_exec(move || {
                let none = std::ptr::null();
                let flags = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY;
                if libc::unshare(libc::CLONE_NEWNS) == 0
                    && libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast())
                        == 0
                    && libc::mount(path.as_ptr(), path.as_ptr(), none, libc::MS_BIND, none.cast()) == 0
                {
                    libc::mount(none, path.as_ptr(), none, flags, none.cast());
                }
                Ok(())
            });
        }
    }

    /// Is the answer whole, or what was there before, and nothing else there?
    fn look(
        &self,
        fault: Fault,
        line: &str,
        answer: &Path,
        had_one: bool,
        codes: &[i32],
    ) -> Result<(), String> {
        if fault == Fault::Vanish {
            return Ok(());
        }
        let done = codes.contains(&0);
        match std::fs::read(answer) {
            Err(_) if had_one => return Err(format!("{line}: what was there is gone")),
            Err(_) if done => return Err(format!("{line}: no answer, and no word of it: {}", self.said())),
            Err(_) => {}
            Ok(bytes) if bytes != BEFORE.as_bytes() && !whole(answer, &bytes) => {
                return Err(format!("{line}: half an answer"));
            }
            Ok(bytes) if done && bytes == BEFORE.as_bytes() => {
                return Err(format!("{line}: the old answer is there, and no word of it: {}", self.said()));
            }
            Ok(_) => {}
        }
        // Nobody can clear up behind a process that was killed.
        let killed = codes.iter().any(|code| !(0..128).contains(code));
        let entries = std::fs::read_dir(&self.folder).map_err(|error| error.to_string())?;
        let left: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .filter(|name| name.starts_with('.'))
            .collect();
        if killed || left.is_empty() {
            Ok(())
        } else {
            Err(format!("{line}: left behind: {}", left.join(", ")))
        }
    }
}

/// What a system may say of a rename that fails.
const RENAME_ERRORS: [i32; 4] = [libc::EIO, libc::ENOSPC, libc::EXDEV, libc::EACCES];

/// Makes every rename fail, by a filter of system calls: they do not all go through the C library.
fn no_renames(command: &mut Command, error: i32) {
    const KEPT: u32 = libc::SECCOMP_RET_ALLOW;
    let load = |at: u32| libc::sock_filter {
        code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16,
        jt: 0,
        jf: 0,
        k: at,
    };
    let end =
        |with: u32| libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: with };
    // The number of the system call is the first field of what a filter sees. Each test jumps to the last instruction.
    let calls = [libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2];
    let tests = calls.iter().enumerate().map(|(index, &call)| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: (calls.len() - index) as u8,
        jf: 0,
        k: call as u32,
    });
    let refused = libc::SECCOMP_RET_ERRNO | error as u32;
    let mut filter: Vec<libc::sock_filter> =
        std::iter::once(load(0)).chain(tests).chain([end(KEPT), end(refused)]).collect();
    // SAFETY: system calls alone, on a filter that was made before the fork.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
            {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

fn limit(command: &mut Command, what: libc::__rlimit_resource_t, most: u64) {
    // SAFETY: system calls alone.
    unsafe {
        command.pre_exec(move || {
            // Rust's runtime hands on what it ignores itself; this signal's default, which ends a process, is what a shell gives.
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            libc::setrlimit(what, &libc::rlimit { rlim_cur: most, rlim_max: most });
            Ok(())
        });
    }
}

/// The exit code, or the signal, negative, where it is one that is documented.
fn code(status: ExitStatus, fault: Fault) -> Result<i32, String> {
    let ended = status.code().or(status.signal().map(|signal| -signal)).unwrap_or(i32::MIN);
    let allowed = match fault {
        Fault::Interrupt => [130, -libc::SIGINT].contains(&ended),
        Fault::Terminate => [143, -libc::SIGTERM].contains(&ended),
        Fault::Kill => ended == -libc::SIGKILL,
        // What cannot be loaded for lack of memory or files is the loader's to say (127); what cannot be allocated ends the process.
        Fault::Memory => [127, -libc::SIGABRT].contains(&ended),
        Fault::OpenFiles => ended == 127,
        _ => false,
    };
    if allowed || (0..=2).contains(&ended) { Ok(ended) } else { Err(format!("ended with {ended}")) }
}

/// Has an answer its end?
fn whole(path: &Path, bytes: &[u8]) -> bool {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("json") => bytes.trim_ascii().ends_with(b"}") || bytes.trim_ascii().ends_with(b"]"),
        Some("mlir") => bytes.trim_ascii().ends_with(b"}"),
        _ => bytes.starts_with(b"ballast-network") && bytes.len() > 1000,
    }
}
