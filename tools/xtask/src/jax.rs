//! JAX with XLA's CPU compiler, in a Python environment of its own, made once per user. Optional: without it, what needs XLA is
//! skipped, and said to be.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::libtorch::cache_folder;
use crate::workspace::{Workspace, step};

/// The version of `jaxlib` in `jax.txt`: XLA's memory figures differ from one to the next.
const VERSION: &str = "0.10.2";
/// An environment: where tests look for it from the root of the checkout, its folder in the cache without the version, what it is made of, what to try, and the
/// megabytes it downloads.
struct Environment {
    link: &'static str,
    folder: &'static str,
    requirements: &'static [&'static str],
    imports: &'static str,
    megabytes: u32,
}

const CPU: Environment = Environment {
    link: ".deps/jax",
    folder: "jax",
    requirements: &["jax.txt"],
    imports: "jax, jaxlib",
    megabytes: 170,
};
/// XLA's compiler for NVIDIA's GPUs besides, without the libraries that a program needs to run there.
const CUDA: Environment = Environment {
    link: ".deps/jax-cuda",
    folder: "jax-cuda",
    requirements: &["jax.txt", "jax-cuda.txt"],
    imports: "jax, jaxlib, jax_plugins.xla_cuda13",
    megabytes: 600,
};

/// Makes `.deps/jax` an environment with the pinned JAX, from the Python package index if this user has none yet; its Python.
///
/// # Errors
/// Says what is missing: a Python that can make environments, the package index, a wheel for this machine.
pub(crate) fn install_if_missing(workspace: &Workspace) -> Result<PathBuf> {
    CPU.install_if_missing(workspace)
}

/// The same in `.deps/jax-cuda`, with the compiler for GPUs that are described.
///
/// # Errors
/// As [`install_if_missing`].
pub(crate) fn install_cuda_if_missing(workspace: &Workspace) -> Result<PathBuf> {
    CUDA.install_if_missing(workspace)
}

impl Environment {
    fn install_if_missing(&self, workspace: &Workspace) -> Result<PathBuf> {
        let shell = &workspace.shell;
        let link = workspace.root.join(self.link);
        let python = link.join("bin/python");
        let name = self.folder;
        if self.works(shell, &python) {
            step(&format!("{name}: in place"));
            return Ok(python);
        }
        let folder = cache_folder(&workspace.root).join(format!("{name}-{VERSION}"));
        if !self.works(shell, &folder.join("bin/python")) {
            self.install(shell, &workspace.root.join("tools/xtask"), &folder)?;
        }
        shell.create_dir(workspace.root.join(".deps"))?;
        cmd!(shell, "ln --symbolic --force --no-target-directory {folder} {link}").quiet().run()?;
        if !self.works(shell, &python) {
            bail!("jaxlib {VERSION} in {} does not start", folder.display());
        }
        step(&format!("{name}: {VERSION} in {}", folder.display()));
        Ok(python)
    }

    /// Can this Python open the pinned XLA?
    fn works(&self, shell: &Shell, python: &Path) -> bool {
        let test = format!("import {}; assert jaxlib.__version__ == '{VERSION}'", self.imports);
        python.exists()
            && cmd!(shell, "{python} -c {test}").quiet().ignore_stdout().ignore_stderr().run().is_ok()
    }

    /// An environment knows its own path, so it is made in place; a stopped run leaves one that does not work and is made again.
    fn install(&self, shell: &Shell, requirements: &Path, folder: &Path) -> Result<()> {
        step(&format!("{}: downloading {VERSION} ({} MB)", self.folder, self.megabytes));
        cmd!(shell, "python3 -m venv --clear {folder}")
            .quiet()
            .run()
            .context("python3 cannot make an environment (Debian: package python3-venv)")?;
        let python = folder.join("bin/python");
        let files =
            self.requirements.iter().flat_map(|file| ["--requirement".into(), requirements.join(file)]);
        cmd!(shell, "{python} -m pip install --quiet --disable-pip-version-check --only-binary=:all:")
            .args(["--retries", "1", "--timeout", "20"])
            .args(files)
            .quiet()
            .run()
            .context("pip cannot install it: is the Python package index in reach?")
    }
}

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn every_requirement_is_pinned() {
        let files = [include_str!("../jax.txt"), include_str!("../jax-cuda.txt")];
        let lines: Vec<&str> =
            files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with('#')).collect();
        for name in ["jaxlib", "jax-cuda13-pjrt"] {
            assert!(lines.contains(&format!("{name}=={VERSION}").as_str()), "{lines:?}");
        }
        for line in lines {
            assert!(
                line.split_once("==").is_some_and(|(name, version)| !name.is_empty() && !version.is_empty()),
                "{line}"
            );
        }
    }
}
