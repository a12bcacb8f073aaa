//! What commands read and write: files in, one JSON object or one text out, never half of it.

use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use ballast_core::file;
use ballast_core::printable::printable;
use serde::Serialize;

use crate::failure::Failure;

/// Reads a text file; the message names it.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    file::read_text(path).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

/// Reads a file; the message names it.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    file::read(path).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

/// Refuses, before anything is planned, files that could not be written afterwards, and those that would destroy what the command reads
/// or writes elsewhere.
pub(crate) fn check<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let outputs: Vec<&Path> = outputs.into_iter().filter(|path| !is_stdout(path)).collect();
    for (index, output) in outputs.iter().enumerate() {
        let refuse = |why: String| Err(Failure::BadInput(format!("{}: {why}", output.display())));
        if inputs.iter().any(|input| file::same(input, output)) {
            return refuse("this is an input, which the answer would overwrite: give another file".into());
        }
        if outputs[..index].iter().any(|other| file::same(other, output)) {
            return refuse("two answers are to go into this file: give each its own".into());
        }
        if let Err(error) = file::check_target(output) {
            return refuse(format!("cannot be written: {error}"));
        }
    }
    Ok(())
}

/// The paths an option gives, none or several.
pub(crate) fn paths<'a, T: 'a + AsRef<Path>>(
    given: impl IntoIterator<Item = &'a T>,
) -> impl Iterator<Item = &'a Path> {
    given.into_iter().map(AsRef::as_ref)
}

/// Where something goes that standard output has no room for, as a command prints its figures there.
pub(crate) fn a_file(path: &str) -> Result<std::path::PathBuf, String> {
    if is_stdout(Path::new(path)) {
        return Err("standard output has the figures: give a file".to_owned());
    }
    Ok(path.into())
}

/// `-`, by which options name standard output.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A word of a command line as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./,:=@%+-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Writes `value` as JSON to `path`, or to stdout without one.
#[expect(clippy::disallowed_methods, reason = "asks what it is")]
pub(crate) fn write_json(value: &impl Serialize, path: Option<&Path>) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Internal(format!("the answer is no JSON: {error}")))?;
    text.push('\n');
    match path.filter(|path| !is_stdout(path)) {
        Some(path) => write_file(path, text.as_bytes()),
        // JSON is for programs, and stays as it is; what a terminal would obey is escaped.
        None if std::io::stdout().is_terminal() => print(&text),
        None => to_stdout(&text),
    }
}

/// Writes text to `path`, or to stdout without one.
pub(crate) fn write_text(text: &str, path: Option<&Path>) -> Result<(), Failure> {
    match path.filter(|path| !is_stdout(path)) {
        Some(path) => write_file(path, text.as_bytes()),
        None => print(text),
    }
}

/// Prints text for people: names in it come from files, and must not reach a terminal as commands.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    to_stdout(&printable(text))
}

/// The one way to standard output.
#[expect(clippy::disallowed_methods, reason = "the one way to it")]
pub(crate) fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::BadInput(format!("standard output cannot be written: {error}")),
    })
}

/// Puts a whole new file at `path`, or leaves what is there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    file::write(path, bytes)
        .map_err(|error| Failure::BadInput(format!("{} cannot be written: {error}", path.display())))
}
