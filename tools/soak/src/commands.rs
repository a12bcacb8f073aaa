//! Whole commands of `ballast` on files of others: they answer, or say what is wrong. None ends in a bug.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::readers::halves;

/// Command lines; `FILE` and `OTHER` stand for the two files of an input.
const COMMANDS: [&str; 22] = [
    "report FILE --ops",
    "report FILE --json",
    "report FILE --html OUT",
    "report FILE --trace OUT",
    "explain FILE",
    "judge FILE OTHER",
    "judge FILE OTHER --budget 64 --bandwidth 8",
    "judge FILE OTHER --any",
    "remat FILE --budget 64 --order program --work-limit 5 --time-limit 0.2 --threads 1 -o OUT",
    "remat FILE --budget 4096 --solver greedy --bandwidth 8 --work-limit 5 --time-limit 0.2 --threads 1 -o OUT",
    "remat FILE --budget 4096 --arena 64 --work-limit 5 --time-limit 0.2 --threads 1 -o OUT",
    "curve FILE --points 3 --time-limit 0.2 --threads 1 -o OUT",
    "partition FILE --work-limit 5 --time-limit 0.2 --threads 1 -o OUT",
    "partition FILE --any --method anneal --work-limit 5 --time-limit 0.2 --threads 1 -o OUT",
    "replan FILE 2 --graph OTHER --work-limit 5 --time-limit 0.2 -o OUT",
    "replan OTHER FILE --graph OTHER --work-limit 5 --time-limit 0.2 -o OUT",
    "lab swaps FILE --devices cpu --method capuchin --time-limit 0.2 -o OUT",
    "lab swaps FILE --devices cpu --rounds 3 --resume OTHER --time-limit 0.2 -o OUT",
    "lab genetic FILE --devices 2 --generations 3 --population 4 --time-limit 0.2 -o OUT",
    "lab genetic FILE --devices 3 --dynamic --topology OTHER --batch 3 --generations 2 --population 4 --time-limit 0.2 -o OUT",
    "lab place FILE OTHER --method first-fit -o OUT",
    "compare FILE --devices 2 --time-limit 0.05 --seeds 1 -o OUT",
];

/// The folder of the files: in memory where the system has one there.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let memory = Path::new("/dev/shm");
    let folder = FOLDER.get_or_init(|| {
        let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        made.expect("a temporary folder")
    });
    folder.path()
}

/// The first byte chooses the command, the others are its file, or its two files with a line `---` between them.
///
/// # Panics
/// On a panic, and where a command calls its end a bug.
pub fn run(input: &[u8]) {
    let Some((&which, files)) = input.split_first() else { return };
    let (first, second) = halves(files);
    let [file, other, out] = ["file.json", "other.json", "out.json"].map(|name| folder().join(name));
    std::fs::write(&file, first).expect("written");
    std::fs::write(&other, second).expect("written");
    let command = COMMANDS[usize::from(which) % COMMANDS.len()];
    let word = |word: &str| -> OsString {
        let path: &PathBuf = match word {
            "FILE" => &file,
            "OTHER" => &other,
            "OUT" => &out,
            word => return word.into(),
        };
        path.into()
    };
    let words = std::iter::once("ballast".into()).chain(command.split(' ').map(word));
    if let Err((code, message)) = ballast_cli::run(words) {
        assert!(code == 1 || code == 2, "ballast {command}: {code}: {message}");
        assert!(!message.is_empty(), "ballast {command}: nothing is said");
    }
}
