//! What commands read and write: text files in, one JSON object out, never half a file.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::Failure;

/// Reads a text file; the message names it.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

/// Writes `value` as JSON to `path`, or to stdout without one.
pub(crate) fn write_json(value: &impl Serialize, path: Option<&Path>) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Internal(format!("the answer is no JSON: {error}")))?;
    text.push('\n');
    write_text(&text, path)
}

/// Writes text to `path`, or to stdout without one.
pub(crate) fn write_text(text: &str, path: Option<&Path>) -> Result<(), Failure> {
    match path {
        Some(path) => replace_file(path, text.as_bytes()),
        None => std::io::stdout()
            .write_all(text.as_bytes())
            .map_err(|error| Failure::BadInput(format!("stdout cannot be written: {error}"))),
    }
}

/// Puts a whole new file at `path`, or leaves what is there.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::BadInput(format!("{} cannot be written: {error}", path.display()));
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // In the same folder, so that the rename does not cross file systems.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map(|_| ()).map_err(|error| failed(error.error))
}
