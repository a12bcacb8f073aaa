//! libtorch's CPU half: fetched as PyTorch wheels with pip, checked by hash, unpacked once per user.
//!
//! The unpacked folder is shared by all checkouts of a user; `.deps/libtorch`, which the build and the learner's
//! run path name, is a link to it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::{Workspace, step};

/// Must be the version that the `tch` crate is made for, and the one of `libtorch.txt`.
const VERSION: &str = "2.11.0";

/// Which files are taken from which wheel. torch-sys links CUDA as soon as it sees `libtorch_cuda.so`, so the list
/// is exact; the CPU library was linked against the two CUDA libraries and needs them to load.
const LIBRARIES: &[(&str, &str, &[&str])] = &[
    ("torch-", "torch/lib", &["libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libtorch.so"]),
    ("nvidia_cuda_runtime-", "nvidia/cu13/lib", &["libcudart.so.13"]),
    ("nvidia_cuda_cupti-", "nvidia/cu13/lib", &["libcupti.so.13"]),
];

/// Makes `.deps/libtorch` hold headers and libraries, downloading them (530 MB) if this user has none yet.
pub(crate) fn install_if_missing(workspace: &Workspace) -> Result<()> {
    let link = workspace.root.join(".deps/libtorch");
    if is_complete(&link) {
        step("libtorch: in place");
        return Ok(());
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        bail!("libtorch is fetched for Linux on x86-64 only; put {VERSION} into {} yourself", link.display());
    }
    let cache = cache_folder(&workspace.root);
    let folder = cache.join(format!("libtorch-{VERSION}"));
    if !is_complete(&folder) {
        install(workspace, &cache, &folder)?;
    }
    let shell = &workspace.shell;
    shell.create_dir(workspace.root.join(".deps"))?;
    // Replaces a link that leads nowhere; a folder someone put there is not ours to delete.
    cmd!(shell, "ln --symbolic --force --no-target-directory {folder} {link}").quiet().run()?;
    step(&format!("libtorch: {VERSION} in {}", folder.display()));
    Ok(())
}

fn is_complete(folder: &Path) -> bool {
    folder.join("include/torch/csrc/api/include/torch/torch.h").is_file()
        && LIBRARIES
            .iter()
            .flat_map(|(_, _, names)| *names)
            .all(|name| folder.join("lib").join(name).is_file())
}

/// `$XDG_CACHE_HOME/ballast`, `~/.cache/ballast`, or inside the checkout for a user without a home.
pub(crate) fn cache_folder(root: &Path) -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map_or_else(|| root.join(".deps/cache"), |cache| cache.join("ballast"))
}

/// Where the downloaded wheels lie until the environment of the Python tests has taken PyTorch from them, so that they are downloaded once.
pub(crate) fn wheels_folder(root: &Path) -> PathBuf {
    cache_folder(root).join(format!("wheels-{VERSION}"))
}

/// Downloads and unpacks beside `folder`, then moves into place, so that a stopped run leaves no half-made folder.
fn install(workspace: &Workspace, cache: &Path, folder: &Path) -> Result<()> {
    let shell = &workspace.shell;
    let requirements = workspace.root.join("tools/xtask/libtorch.txt");
    let wheels = wheels_folder(&workspace.root);
    let unpacked = cache.join(format!("unpacked-{VERSION}-{}", std::process::id()));
    shell.create_dir(&wheels)?;
    step(&format!("libtorch: downloading {VERSION} (530 MB)"));
    // Wheels of CPython 3.11 whatever Python runs pip: only the C++ library in them is used.
    cmd!(
        shell,
        "python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all:"
    )
    .args(["--implementation", "cp", "--python-version", "3.11", "--require-hashes"])
    .arg("--dest")
    .arg(&wheels)
    .arg("--requirement")
    .arg(requirements)
    .quiet()
    .run()
    .context("pip cannot download libtorch")?;
    step("libtorch: unpacking");
    let outcome = unpack(shell, &wheels, &unpacked).and_then(|()| {
        // What lies there is incomplete, or this would not run.
        shell.remove_path(folder)?;
        std::fs::rename(unpacked.join("ready"), folder)
            .with_context(|| format!("cannot move libtorch to {}", folder.display()))
    });
    shell.remove_path(&unpacked)?;
    outcome?;
    if !is_complete(folder) {
        bail!("the wheels of libtorch {VERSION} lack a header or library that Ballast needs");
    }
    Ok(())
}

fn unpack(shell: &Shell, wheels: &Path, unpacked: &Path) -> Result<()> {
    let ready = unpacked.join("ready");
    let lib = ready.join("lib");
    shell.create_dir(&lib)?;
    for (prefix, inside, names) in LIBRARIES {
        let wheel = shell
            .read_dir(wheels)?
            .into_iter()
            .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
            .with_context(|| format!("pip left no {prefix}*.whl in {}", wheels.display()))?;
        let members = names.iter().map(|name| format!("{inside}/{name}"));
        cmd!(shell, "unzip -q -o {wheel} {members...} -d {unpacked}").quiet().run()?;
        for name in *names {
            std::fs::rename(unpacked.join(inside).join(name), lib.join(name))
                .with_context(|| format!("cannot move {name}"))?;
        }
        if *prefix == "torch-" {
            cmd!(shell, "unzip -q -o {wheel} torch/include/* -d {unpacked}").quiet().run()?;
            std::fs::rename(unpacked.join("torch/include"), ready.join("include"))
                .context("cannot move the headers")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn requirements_pin_the_version_and_every_hash() {
        let lines: Vec<&str> =
            include_str!("../libtorch.txt").lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines.len(), super::LIBRARIES.len());
        assert!(lines[0].starts_with(&format!("torch=={VERSION} ")), "{}", lines[0]);
        for line in lines {
            let hash = line.split_once("--hash=sha256:").expect("a hash").1;
            assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        }
    }
}
