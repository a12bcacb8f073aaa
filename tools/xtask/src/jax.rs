//! JAX with XLA's CPU compiler, in a Python environment of its own, made once per user. Optional: without it, what needs XLA is
//! skipped, and said to be.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::libtorch::cache_folder;
use crate::workspace::{Workspace, step};

/// The version of `jaxlib` in `jax.txt`: XLA's memory figures differ from one to the next.
const VERSION: &str = "0.10.2";
/// Where tests look for it, from the root of the checkout.
const LINK: &str = ".deps/jax";

/// Makes `.deps/jax` an environment with the pinned JAX, from the Python package index if this user has none yet; its Python.
///
/// # Errors
/// Says what is missing: a Python that can make environments, the package index, a wheel for this machine.
pub(crate) fn install_if_missing(workspace: &Workspace) -> Result<PathBuf> {
    let shell = &workspace.shell;
    let link = workspace.root.join(LINK);
    let python = link.join("bin/python");
    if works(shell, &python) {
        step("jax: in place");
        return Ok(python);
    }
    let cache = cache_folder(&workspace.root);
    let folder = cache.join(format!("jax-{VERSION}"));
    if !works(shell, &folder.join("bin/python")) {
        install(shell, &workspace.root.join("tools/xtask/jax.txt"), &folder)?;
    }
    shell.create_dir(workspace.root.join(".deps"))?;
    cmd!(shell, "ln --symbolic --force --no-target-directory {folder} {link}").quiet().run()?;
    if !works(shell, &python) {
        bail!("jaxlib {VERSION} in {} does not start", folder.display());
    }
    step(&format!("jax: {VERSION} in {}", folder.display()));
    Ok(python)
}

/// Can this Python open the pinned XLA?
fn works(shell: &Shell, python: &Path) -> bool {
    let test = format!("import jax, jaxlib; assert jaxlib.__version__ == '{VERSION}'");
    python.exists() && cmd!(shell, "{python} -c {test}").quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

/// An environment knows its own path, so it is made in place; a stopped run leaves one that does not work and is made again.
fn install(shell: &Shell, requirements: &Path, folder: &Path) -> Result<()> {
    step(&format!("jax: downloading {VERSION} (170 MB)"));
    cmd!(shell, "python3 -m venv --clear {folder}")
        .quiet()
        .run()
        .context("python3 cannot make an environment (Debian: package python3-venv)")?;
    let python = folder.join("bin/python");
    cmd!(shell, "{python} -m pip install --quiet --disable-pip-version-check --only-binary=:all:")
        .args(["--retries", "1", "--timeout", "20"])
        .arg("--requirement")
        .arg(requirements)
        .quiet()
        .run()
        .context("pip cannot install it: is the Python package index in reach?")
}

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn every_requirement_is_pinned() {
        let lines: Vec<&str> =
            include_str!("../jax.txt").lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.contains(&format!("jaxlib=={VERSION}").as_str()), "{lines:?}");
        for line in lines {
            assert!(
                line.split_once("==").is_some_and(|(name, version)| !name.is_empty() && !version.is_empty()),
                "{line}"
            );
        }
    }
}
