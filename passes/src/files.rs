//! Files that passes read and write: whole or not at all, and never the program itself.

use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ballast_core::file;
use melior::ir::operation::{OperationLike, OperationRef};

/// The files of the driver, where this process is our own.
static PROGRAM: OnceLock<ProgramFiles> = OnceLock::new();

/// What the driver reads and writes.
pub(crate) struct ProgramFiles {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
}

/// Makes the driver's own files known: no pass writes to them.
pub(crate) fn keep(program: ProgramFiles) {
    // Once per process: there is one driver.
    let _ = PROGRAM.set(program);
}

/// Writes beside the target and renames, so that a reader never sees half a file; `-` is standard error, because
/// standard output carries the IR. `module` is what the pass runs on.
///
/// # Errors
/// What the system says, and a file that the program is read from or goes to.
pub(crate) fn write(module: OperationRef<'_, '_>, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if is_stderr(path) {
        return std::io::stderr().write_all(bytes);
    }
    refuse_program(module, path)?;
    file::write(path, bytes)
}

/// Writes a value as JSON.
///
/// # Errors
/// As [`write()`].
pub(crate) fn write_json(
    module: OperationRef<'_, '_>,
    path: &Path,
    value: &impl serde::Serialize,
) -> std::io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write(module, path, &text)
}

/// Can these files be written, as far as can be told before a search? Options that are empty name none.
///
/// # Errors
/// The first that cannot, and why.
pub(crate) fn check<'a>(
    module: OperationRef<'_, '_>,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), String> {
    let mut before: Vec<(&str, &Path)> = Vec::new();
    for (name, path) in options {
        let path = Path::new(path);
        if path.as_os_str().is_empty() || is_stderr(path) {
            continue;
        }
        let said = |why: String| format!("cannot write {name} '{}': {why}", path.display());
        refuse_program(module, path)
            .and_then(|()| file::check_target(path))
            .map_err(|e| said(e.to_string()))?;
        if let Some((other, _)) = before.iter().find(|(_, other)| file::same(other, path)) {
            return Err(said(format!("{other} goes there too")));
        }
        before.push((name, path));
    }
    Ok(())
}

fn is_stderr(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses to write over what the host reads or writes.
fn refuse_program(module: OperationRef<'_, '_>, path: &Path) -> std::io::Result<()> {
    let refuse = |text: &str| Err(Error::new(ErrorKind::InvalidInput, text));
    let (read, written) = ("the program is read from this file", "the program is written to this file");
    if let Some(ProgramFiles { input, output }) = PROGRAM.get() {
        if file::same(input, path) {
            return refuse(read);
        }
        return if file::same(output, path) { refuse(written) } else { Ok(()) };
    }
    // In another host: where the module says it is from, and what the process has open.
    if parsed_from(&module.location().to_string()).is_some_and(|input| file::same(&input, path)) {
        return refuse(read);
    }
    if is_open_for_writing(path) { refuse(written) } else { Ok(()) }
}

/// The file of a location such as `loc("file.mlir":1:1)`.
fn parsed_from(location: &str) -> Option<PathBuf> {
    let (name, _) = location.strip_prefix("loc(\"")?.split_once("\":")?;
    Some(PathBuf::from(name))
}

/// Has this process a file open to write to? A host opens the file of `-o` before it runs a pass.
fn is_open_for_writing(path: &Path) -> bool {
    let Ok(target) = std::fs::metadata(path) else { return false };
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return false };
    target.is_file()
        && open.flatten().any(|entry| {
            let here = std::fs::metadata(entry.path());
            here.is_ok_and(|here| (here.dev(), here.ino()) == (target.dev(), target.ino()))
                && may_write(&Path::new("/proc/self/fdinfo").join(entry.file_name()))
        })
}

/// The access mode of an open file, as the system lists it: the last two bits of the flags, in octal.
fn may_write(info: &Path) -> bool {
    let text = std::fs::read_to_string(info).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
}

#[cfg(test)]
mod tests {
    use super::{is_open_for_writing, parsed_from};

    #[test]
    fn a_file_that_is_open_to_write_to_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.mlir");
        let file = std::fs::File::create(&path).expect("made");
        assert!(is_open_for_writing(&path));
        drop(file);
        let reading = std::fs::File::open(&path).expect("there");
        assert!(!is_open_for_writing(&path));
        drop(reading);
        assert!(!is_open_for_writing(&folder.path().join("new")));
    }

    #[test]
    fn the_file_of_a_location_is_read() {
        assert_eq!(parsed_from("loc(\"a b.mlir\":3:1)"), Some("a b.mlir".into()));
        assert_eq!(parsed_from("loc(unknown)"), None);
    }
}
