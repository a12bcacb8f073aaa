//! Where the checkout and its build outputs are, and how commands are run in them.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// The programs of the LLVM and MLIR packages without their version suffix, lit among them.
pub(crate) const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";

/// Crates that planning does not need.
const LEFT_OUT: &[&str] =
    &["ballast-learner", "ballast-referee", "ballast-runtime", "ballast-soak", "ballast-tests", "xtask"];

/// The checkout and a shell whose current folder is its root.
pub(crate) struct Workspace {
    /// Folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Folder of the programs and libraries of the release profile, the only one that is built.
    pub(crate) release: PathBuf,
    /// Runs commands in `root` and echoes nothing by itself.
    pub(crate) shell: Shell,
}

impl Workspace {
    /// Finds the checkout this program was started from by Cargo.
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable at run time too, so a binary of a moved or second checkout finds its own.
        let package =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package)
            .ancestors()
            .nth(2)
            .with_context(|| format!("{} is not tools/xtask of a checkout", Path::new(&package).display()))?
            .to_path_buf();
        // This program is TARGET/debug/xtask, whatever sets the target folder.
        let program = std::env::current_exe().context("cannot tell where this program is")?;
        let release = program
            .ancestors()
            .nth(2)
            .with_context(|| format!("{} is not in a target folder", program.display()))?
            .join("release");
        let shell = Shell::new()?;
        shell.change_dir(&root);
        Ok(Self { root, release, shell })
    }

    /// Lets ccache, where it is installed, keep what C++ compilers make: HiGHS is the longest part of a first build, and is compiled once
    /// per user then, not once per checkout. CMake reads these variables.
    pub(crate) fn cache_compilers(&self) {
        if cmd!(self.shell, "ccache --version").quiet().ignore_stdout().ignore_stderr().run().is_ok() {
            self.shell.set_var("CMAKE_C_COMPILER_LAUNCHER", "ccache");
            self.shell.set_var("CMAKE_CXX_COMPILER_LAUNCHER", "ccache");
            self.shell.set_var("CCACHE_BASEDIR", &self.root);
        }
    }

    /// Builds every crate of the workspace with the release profile.
    pub(crate) fn build(&self) -> Result<()> {
        step("building (release; the first build compiles HiGHS and takes some minutes)");
        let cargo = cargo();
        cmd!(self.shell, "{cargo} build --release --workspace --locked").quiet().run()?;
        Ok(())
    }

    /// Builds the programs and the plugin alone: neither the learner, which takes libtorch, nor what only tests run.
    pub(crate) fn build_programs(&self) -> Result<()> {
        step("building (release; the first build compiles HiGHS and takes some minutes)");
        let cargo = cargo();
        // Not `--package`: crates of others would be built with other features than in `build`, and again there.
        let left_out = LEFT_OUT.iter().flat_map(|name| ["--exclude", name]);
        cmd!(self.shell, "{cargo} build --release --workspace --locked").args(left_out).quiet().run()?;
        Ok(())
    }

    /// Path of a program that `build` made.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.release.join(name)
    }

    /// Paths, relative to the root, of all files that are or could be committed, sorted.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let listing = cmd!(self.shell, "git ls-files -z --cached --others --exclude-standard")
            .quiet()
            .read()
            .context("cannot list the files of the checkout")?;
        let mut files: Vec<PathBuf> = listing
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            // A file deleted but not yet committed is still listed.
            .filter(|path| self.root.join(path).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

/// The Cargo that started this program, so that nested builds use the same toolchain.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Says what is being done.
pub(crate) fn step(what: &str) {
    eprintln!("xtask: {what}");
}

/// Prints a line on standard output. Where that cannot be written to nothing else can be done, and the program ends: quietly, with the
/// code of the signal that programs get by default, if nobody reads it any more.
#[expect(clippy::disallowed_methods, reason = "the one way to standard output")]
pub(crate) fn say(line: std::fmt::Arguments<'_>) {
    const CLOSED_PIPE: i32 = 128 + 13;
    let mut stdout = std::io::stdout().lock();
    match stdout.write_fmt(line).and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(CLOSED_PIPE),
        Err(error) => {
            step(&format!("error: standard output cannot be written: {error}"));
            std::process::exit(1);
        }
    }
}
