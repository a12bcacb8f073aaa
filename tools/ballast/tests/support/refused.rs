//! What the program must refuse.

use std::path::Path;

use crate::command::ballast;

/// Runs what must fail with this exit code and a message that has this part, and must write nothing.
pub(crate) fn fails(folder: &Path, args: &[&str], code: i32, part: &str) {
    let files = || std::fs::read_dir(folder).expect("a folder").count();
    let before = files();
    let output = ballast(folder, args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(part), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(files(), before, "{args:?} wrote a file");
}
