//! Files that passes write: whole or not at all.

use std::io::Write;
use std::path::Path;

/// Writes beside the target and renames, so that a reader never sees half a file; `-` is standard error, because
/// standard output carries the IR.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if path == Path::new("-") {
        return std::io::stderr().write_all(bytes);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Writes a value as JSON.
pub(crate) fn write_json(path: &Path, value: &impl serde::Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write(path, &text)
}
