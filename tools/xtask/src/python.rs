//! The tests of `tools/python` and `tools/ray_jobs`, in an environment of their own that is made once per user and sees the pinned JAX.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::jax;
use crate::libtorch::{cache_folder, wheels_folder};
use crate::setup::set_up;
use crate::workspace::{Workspace, step};

/// Sets up, builds the planner, installs the package from the tree and runs its tests: those of JAX, and of PyTorch and Ray where asked for.
///
/// # Errors
/// Says what is missing, or that a test failed.
pub(crate) fn test(workspace: &Workspace, torch: bool, ray: bool) -> Result<()> {
    let shell = &workspace.shell;
    set_up(workspace)?;
    // All of it, as the other tests do: a part would be compiled with other features of the same crates, once more.
    workspace.build()?;
    let python = environment(workspace)?;
    if torch {
        install_torch(workspace, &python)?;
    }
    if ray {
        install_ray(workspace, &python)?;
    }
    if ruff(workspace).is_none() {
        step("python: installing ruff (11 MB)");
        // The tests do without.
        if install(workspace, &python, "tools/xtask/ruff.txt").is_err() {
            step("NOT INSTALLED: ruff, without which `lint` does not check Python");
        }
    }
    step("python: installing tools/python");
    cmd!(shell, "{python} -m pip install --quiet --disable-pip-version-check")
        .args(["--no-deps", "--no-build-isolation", "--force-reinstall", "./tools/python"])
        .quiet()
        .run()
        .context("pip cannot install tools/python")?;
    step("python tests");
    // An environment of another run may have torch: tests/conftest.py then takes it for missing, and says which files are skipped.
    let without: &[&str] = if torch { &[] } else { &["--without-torch", "-rs"] };
    let _folder = shell.push_dir("tools/python");
    pytest(workspace, &python, without).context("the tests of tools/python failed")?;
    // Without Ray its tests say that they are skipped, and why.
    let _folder = shell.push_dir("../ray_jobs");
    pytest(workspace, &python, &["-rs"]).context("the tests of tools/ray_jobs failed")
}

/// Runs the tests of the folder the shell is in.
fn pytest(workspace: &Workspace, python: &Path, arguments: &[&str]) -> Result<()> {
    cmd!(workspace.shell, "{python} -m pytest -p no:cacheprovider")
        .args(arguments)
        .env("BALLAST_BIN", &workspace.release)
        .quiet()
        .run()?;
    Ok(())
}

/// The Python that has the pinned checker of Python, where there is one.
pub(crate) fn ruff(workspace: &Workspace) -> Option<PathBuf> {
    let python = environment_folder(workspace).join("bin/python");
    let test = "import importlib.metadata as m; assert m.version('ruff') == '0.17.6'";
    works(workspace, &python, test).then_some(python)
}

/// The Python of the environment with PyTorch in it, for benchmarks of the package.
///
/// # Errors
/// Says what cannot be installed.
pub(crate) fn with_torch(workspace: &Workspace) -> Result<PathBuf> {
    let python = environment(workspace)?;
    install_torch(workspace, &python)?;
    Ok(python)
}

/// The Python of the environment with Flax in it, for benchmarks of the package.
///
/// # Errors
/// Says what cannot be installed.
pub(crate) fn with_flax(workspace: &Workspace) -> Result<PathBuf> {
    let python = environment(workspace)?;
    let test = "import flax.linen; assert flax.__version__ == '0.12.8'";
    if !works(workspace, &python, test) {
        step("python: installing flax (2 MB)");
        install(workspace, &python, "tools/xtask/flax.txt")?;
        if !works(workspace, &python, test) {
            bail!("flax does not start in {}", python.display());
        }
    }
    Ok(python)
}

/// The Python of the environment, made if this user has none.
///
/// # Errors
/// Says what cannot be installed.
pub(crate) fn environment(workspace: &Workspace) -> Result<PathBuf> {
    let shell = &workspace.shell;
    let jax_python = jax::install_if_missing(workspace)?;
    let folder = environment_folder(workspace);
    let python = folder.join("bin/python");
    let test = "import jax, optax, pytest, setuptools";
    if works(workspace, &python, test) {
        return Ok(python);
    }
    step("python: making the environment of the tests");
    cmd!(shell, "{jax_python} -m venv --clear {folder}").quiet().run()?;
    // The pinned JAX is there already: it is seen, not downloaded again.
    let print = "import site; print(site.getsitepackages()[0])";
    let seen = cmd!(shell, "{jax_python} -c {print}").quiet().read()?;
    let own = cmd!(shell, "{python} -c {print}").quiet().read()?;
    shell.write_file(Path::new(&own).join("jax.pth"), format!("{seen}\n"))?;
    install(workspace, &python, "tools/xtask/python.txt")?;
    if !works(workspace, &python, test) {
        bail!("the environment in {} does not start", folder.display());
    }
    Ok(python)
}

fn environment_folder(workspace: &Workspace) -> PathBuf {
    cache_folder(&workspace.root).join("python-tests")
}

/// Adds PyTorch's CPU half and transformers (1.5 GB on disk; 530 MB to download, unless libtorch's wheels are still there, of which it is the last reader).
fn install_torch(workspace: &Workspace, python: &Path) -> Result<()> {
    let test = "import torch, transformers; assert torch.__version__.startswith('2.11.')";
    if works(workspace, python, test) {
        return Ok(());
    }
    step("python: installing torch");
    let shell = &workspace.shell;
    let wheels = wheels_folder(&workspace.root);
    if wheels.is_dir() {
        // They are of CPython 3.11: for another Python this does nothing, and the index has to be asked.
        let taken =
            cmd!(shell, "{python} -m pip install --quiet --disable-pip-version-check --no-deps --no-index")
                .arg("--find-links")
                .arg(&wheels)
                .args(["--require-hashes", "--requirement", "tools/xtask/libtorch.txt"])
                .quiet()
                .ignore_stderr()
                .ignore_status();
        taken.run()?;
    }
    install(workspace, python, "tools/xtask/torch.txt")?;
    cmd!(shell, "{python} tools/python/cpu_torch.py").quiet().run()?;
    if !works(workspace, python, test) {
        bail!("torch does not start in {}", python.display());
    }
    shell.remove_path(&wheels)?;
    Ok(())
}

/// Adds Ray (80 MB to download).
fn install_ray(workspace: &Workspace, python: &Path) -> Result<()> {
    let test = "import ray; assert ray.__version__ == '2.60.0'";
    if works(workspace, python, test) {
        return Ok(());
    }
    step("python: installing ray (80 MB)");
    install(workspace, python, "tools/xtask/ray.txt")?;
    if !works(workspace, python, test) {
        bail!("ray does not start in {}", python.display());
    }
    Ok(())
}

fn install(workspace: &Workspace, python: &Path, requirements: &str) -> Result<()> {
    cmd!(
        workspace.shell,
        "{python} -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all:"
    )
    .arg("--requirement")
    .arg(requirements)
    .quiet()
    .run()
    .with_context(|| format!("pip cannot install {requirements}: is the Python package index in reach?"))
}

fn works(workspace: &Workspace, python: &Path, test: &str) -> bool {
    python.exists()
        && cmd!(workspace.shell, "{python} -c {test}").quiet().ignore_stdout().ignore_stderr().run().is_ok()
}
