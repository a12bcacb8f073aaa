//! Programs and libraries as they are given to others: without symbols, with run paths of their own, without the folders they were built in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::libtorch::cache_folder;
use crate::workspace::Workspace;

/// Copies a built file into a folder. `run_path`: where the loader looks for the libraries it needs before its own folders; none: there alone.
///
/// # Errors
/// Tools that are missing, and a file that still names a folder of this machine.
pub(super) fn copy(workspace: &Workspace, name: &str, folder: &Path, run_path: &str) -> Result<PathBuf> {
    let shell = &workspace.shell;
    let (from, to) = (workspace.program(name), folder.join(name));
    cmd!(shell, "strip --strip-unneeded -o {to} {from}")
        .quiet()
        .run()
        .context("strip (binutils) is missing")?;
    // DT_RPATH, not DT_RUNPATH: it also holds for the libraries that libtorch itself needs.
    let change: &[&str] = match run_path {
        "" => &["--remove-rpath"],
        run_path => &["--force-rpath", "--set-rpath", run_path],
    };
    cmd!(shell, "patchelf {change...} {to}")
        .quiet()
        .run()
        .context("patchelf is missing: apt-get install patchelf")?;
    let mut bytes = std::fs::read(&to)?;
    for built_in in folders(workspace) {
        cover(&mut bytes, built_in.as_os_str().as_encoded_bytes());
    }
    std::fs::write(&to, bytes)?;
    let left = cmd!(shell, "readelf --dynamic {to}").quiet().read()?;
    match left.lines().find(|line| folders(workspace).iter().any(|at| line.contains(&*at.to_string_lossy())))
    {
        Some(line) => bail!("{} names a folder of this machine: {line}", to.display()),
        None => Ok(to),
    }
}

/// The folders whose names compilers put into what they make, for messages.
fn folders(workspace: &Workspace) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(home?.join(".cargo")));
    let mut folders = vec![workspace.root.clone(), cache_folder(&workspace.root)];
    folders.extend(cargo.filter(|path| path.is_absolute()));
    folders
}

/// Writes as many other bytes over every name of a folder. Panics and checks name source files; no code opens them.
///
/// `--remap-path-prefix` would do this when compiling, but flags that differ from machine to machine would build HiGHS twice.
fn cover(bytes: &mut [u8], folder: &[u8]) {
    let mut name = b"build".to_vec();
    name.resize(folder.len(), b'/');
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(folder.len()).position(|window| window == folder) {
        let end = at + found + folder.len();
        // A folder of a longer name stays.
        if matches!(bytes.get(end), None | Some(b'/' | 0)) {
            bytes[at + found..end].copy_from_slice(&name);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::cover;

    #[test]
    fn names_of_folders_are_covered_and_nothing_moves() {
        let mut bytes = b"\0/a/tree/src/x.rs\0/a/trees/y\0/a/tree".to_vec();
        let length = bytes.len();
        cover(&mut bytes, b"/a/tree");
        assert_eq!(bytes, b"\0build///src/x.rs\0/a/trees/y\0build//");
        assert_eq!(bytes.len(), length);
    }
}
