//! Files that passes read and write: whole or not at all, never the program itself, nothing twice, and no input.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use ballast_core::device::Cluster;
use ballast_core::file::{self, Identity};
use melior::ir::operation::{OperationLike, OperationRef};

/// The files of the driver, where this process is our own.
static PROGRAM: OnceLock<ProgramFiles> = OnceLock::new();
/// What the passes of the driver's one run read and write, over all modules of its input. Another host may run passes as often as it likes, and have an
/// answer replaced by a newer one: there a pass knows its own files alone.
static RUN: Mutex<Run> = Mutex::new(Run { read: Vec::new(), written: Vec::new() });

/// What the driver reads and writes.
pub(crate) struct ProgramFiles {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
}

/// A file, and the option that names it.
pub(crate) type Named = (&'static str, PathBuf);

struct Run {
    read: Vec<Named>,
    written: Vec<Named>,
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

/// A file of an option that names none where it is empty.
pub(crate) fn named(option: &'static str, path: &str) -> Option<Named> {
    (!path.is_empty()).then(|| (option, PathBuf::from(path)))
}

/// The file that `devices=` names, if it is one.
pub(crate) fn devices(spec: &str) -> Option<Named> {
    Cluster::file_of(spec).map(|path| ("devices", path.to_owned()))
}

/// Can a pass read and write these files without losing one, as far as can be told before a search? Called once a pass: what it writes is its own from then on, and
/// no later pass of the driver's run writes there. What `save-x` names may be what `x` names, which it carries on.
///
/// # Errors
/// The first that cannot be read or written, and why.
pub(crate) fn check(
    module: OperationRef<'_, '_>,
    inputs: impl IntoIterator<Item = Named>,
    outputs: impl IntoIterator<Item = Named>,
) -> Result<(), String> {
    let inputs: Vec<Named> = inputs.into_iter().collect();
    let outputs: Vec<Named> = outputs.into_iter().filter(|(_, path)| !is_stderr(path)).collect();
    for (name, path) in &inputs {
        if is_output_of_program(path) {
            return Err(format!("cannot read {name} '{}': {OUTPUT}", path.display()));
        }
    }
    let mut run = RUN.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = Taken::by(&inputs, &run);
    let mut own: HashMap<Identity, &str> = HashMap::new();
    for (name, path) in &outputs {
        let said = |why: &dyn std::fmt::Display| format!("cannot write {name} '{}': {why}", path.display());
        refuse_program(module, path).map_err(|error| said(&error))?;
        if let Some(identity) = file::identity(path) {
            if let Some(why) = taken.why_not(name, &identity) {
                return Err(said(&why));
            }
            if let Some(other) = own.insert(identity, name) {
                return Err(said(&format_args!("{other} goes there too")));
            }
        }
        file::check_target(path).map_err(|error| said(&error))?;
    }
    if PROGRAM.get().is_some() {
        run.read.extend(inputs);
        run.written.extend(outputs);
    }
    Ok(())
}

/// What may not be written over, by what reads or writes it.
struct Taken {
    /// By the pass itself.
    inputs: HashMap<Identity, &'static str>,
    /// By passes before it.
    read: HashMap<Identity, &'static str>,
    written: HashMap<Identity, &'static str>,
}

impl Taken {
    fn by(inputs: &[Named], run: &Run) -> Self {
        // Files come and go while passes run: which is which is asked anew.
        let known = |files: &[Named]| {
            files.iter().filter_map(|(name, path)| Some((file::identity(path)?, *name))).collect()
        };
        Taken { inputs: known(inputs), read: known(&run.read), written: known(&run.written) }
    }

    /// Why an option may not have this file written, if it may not.
    fn why_not(&self, option: &str, file: &Identity) -> Option<String> {
        if let Some(input) = self.inputs.get(file) {
            let is_carried_on = option.strip_prefix("save-") == Some(input);
            return (!is_carried_on).then(|| format!("{input} is read from this file"));
        }
        let read = |name: &&str| format!("a pass before this one reads {name} from this file");
        let written = |name: &&str| {
            format!(
                "{name} of a pass before this one, or of the module before this one, is there: give each a file of its own"
            )
        };
        self.written.get(file).map(written).or_else(|| self.read.get(file).map(read))
    }
}

fn is_stderr(path: &Path) -> bool {
    path.as_os_str() == "-"
}

const OUTPUT: &str = "the program is written to this file";

/// Refuses to write over what the host reads or writes.
fn refuse_program(module: OperationRef<'_, '_>, path: &Path) -> std::io::Result<()> {
    let refuse = |text: &str| Err(Error::new(ErrorKind::InvalidInput, text));
    let is_input = match PROGRAM.get() {
        Some(program) => file::same(&program.input, path),
        // In another host: where the module says it is from.
        None => parsed_from(&module.location().to_string()).is_some_and(|input| file::same(&input, path)),
    };
    if is_input {
        return refuse("the program is read from this file");
    }
    if is_output_of_program(path) { refuse(OUTPUT) } else { Ok(()) }
}

/// Does the program go there once the passes have run?
fn is_output_of_program(path: &Path) -> bool {
    match PROGRAM.get() {
        Some(program) => file::same(&program.output, path),
        None => is_open_for_writing(path),
    }
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
