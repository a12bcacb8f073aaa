//! The wheel of tools/python with the planner's programs and the libraries they load inside.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::cmd;

use super::binaries;
use crate::python;
use crate::workspace::{Workspace, step};

/// What every Linux of the wheel's tag has (PEP 600): the C and C++ runtimes and the loader.
const OF_THE_SYSTEM: [&str; 9] = [
    "linux-vdso",
    "ld-linux",
    "libc.so",
    "libm.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
];

/// Lays the package out with its programs in `bin` and their libraries in `bin/lib`, and packs it into `output`.
///
/// The programs are in the wheel, not a compiled Python module: one wheel serves every version of Python, a crash or an endless
/// search is not the training job's, and the planner's interface is JSON anyway.
///
/// # Errors
/// Says what is missing or could not be packed.
pub(super) fn pack(workspace: &Workspace, output: &Path) -> Result<()> {
    let shell = &workspace.shell;
    let python = python::environment(workspace)?;
    let staged = workspace.release.join("wheel");
    shell.remove_path(&staged)?;
    cmd!(shell, "cp -r tools/python {staged}").quiet().run()?;
    for left in ["build", "src/ballast.egg-info", "tests", "bench"] {
        shell.remove_path(staged.join(left))?;
    }
    let programs = staged.join("src/ballast/bin");
    let libraries = programs.join("lib");
    shell.create_dir(&libraries)?;
    let mut packed = Vec::new();
    for (name, run_path) in [("ballast", ""), ("ballast-opt", ""), ("libballast.so", "$ORIGIN/lib")] {
        packed.push(binaries::copy(workspace, name, &programs, run_path)?);
    }
    for (name, from) in needed(workspace)? {
        let to = libraries.join(name);
        shell.copy_file(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        packed.push(to);
    }
    let tag = tag(workspace, &packed)?;
    step(&format!("wheel: packing {} files as {tag}", packed.len()));
    cmd!(shell, "{python} -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation")
        .arg("--wheel-dir")
        .args([output, &staged])
        .quiet()
        .run()
        .context("pip cannot make the wheel")?;
    let version = env!("CARGO_PKG_VERSION");
    let plain = output.join(format!("ballast-{version}-py3-none-any.whl"));
    cmd!(shell, "{python} -m wheel tags --remove --platform-tag {tag} {plain}")
        .quiet()
        .ignore_stdout()
        .run()?;
    super::said(&output.join(format!("ballast-{version}-py3-none-{tag}.whl")))
}

/// Name and place of every library that the passes load beyond those of the system.
fn needed(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let library = workspace.program("libballast.so");
    let listing = cmd!(workspace.shell, "ldd {library}").quiet().read()?;
    let mut found = Vec::new();
    for line in listing.lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let base = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        if OF_THE_SYSTEM.iter().any(|own| base.starts_with(own)) {
            continue;
        }
        match (words.next(), words.next()) {
            (Some("=>"), Some(path)) if path.starts_with('/') => found.push((base, PathBuf::from(path))),
            _ => bail!("{}: the library {name} is not found", library.display()),
        }
    }
    found.sort();
    Ok(found)
}

/// The platform tag: the newest glibc that any file asks for (PEP 600).
fn tag(workspace: &Workspace, files: &[PathBuf]) -> Result<String> {
    let mut newest = (2, 17);
    for file in files {
        let symbols = cmd!(workspace.shell, "objdump -T {file}")
            .quiet()
            .read()
            .context("objdump (binutils) is missing")?;
        for version in symbols.split("GLIBC_").skip(1) {
            let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
            if let (Some(Ok(major)), Some(Ok(minor))) =
                (numbers.next().map(str::parse), numbers.next().map(str::parse))
            {
                newest = newest.max((major, minor));
            }
        }
    }
    Ok(format!("manylinux_{}_{}_{}", newest.0, newest.1, std::env::consts::ARCH))
}
