//! The archive: programs, plugin, learner with libtorch, saved policies, docs and example models. It runs where the packages of LLVM 22's and
//! MLIR's runtime are installed, with nothing of this checkout.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use super::{binaries, said};
use crate::workspace::{Workspace, step};

/// Where Debian's packages put libMLIR.
const LLVM_LIBRARIES: &str = "/usr/lib/llvm-22/lib";

/// What the learner needs of libtorch; two of CUDA's libraries are needed to load its CPU half.
const LIBTORCH: [&str; 5] =
    ["libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libcudart.so.13", "libcupti.so.13"];

/// Networks that the learner's searches start from. The programs hold them too; these are for `network=`.
const POLICIES: [(&str, &str); 2] = [
    ("solver/partition/src/rl/pretrained.net", "partition.net"),
    ("solver/dag/src/learned/pretrained.net", "workload.net"),
];

/// What is copied as it is, to the same place: so the commands of README and docs run from the archive's folder as they are written.
const AS_IT_IS: [&str; 7] =
    ["README.md", "CHANGELOG.md", "LICENSE", "docs", "tests/inputs/models", "tools/planners", "tools/python"];

/// Name of the archive's only folder.
pub(super) fn folder() -> String {
    format!("ballast-{}", env!("CARGO_PKG_VERSION"))
}

/// Lays everything out and packs it; the file made.
///
/// # Errors
/// Says what is missing or could not be packed.
pub(super) fn pack(workspace: &Workspace, output: &Path) -> Result<PathBuf> {
    let shell = &workspace.shell;
    let staged = workspace.release.join("archive");
    shell.remove_path(&staged)?;
    let root = staged.join(folder());
    let [programs, libraries, libtorch] = ["bin", "lib", "lib/libtorch"].map(|name| root.join(name));
    let [policies, completions] =
        ["share/ballast/policies", "share/ballast/completions"].map(|name| root.join(name));
    for made in [&programs, &libtorch, &policies, &completions] {
        shell.create_dir(made)?;
    }
    for name in ["ballast", "ballast-opt"] {
        binaries::copy(workspace, name, &programs, "")?;
    }
    binaries::copy(workspace, "libballast.so", &libraries, LLVM_LIBRARIES)?;
    binaries::copy(workspace, "libballast_learner.so", &libraries, "$ORIGIN/libtorch")?;
    binaries::copy(workspace, "libballast_runtime.so", &libraries, "")?;
    for name in LIBTORCH {
        let from = workspace.root.join(".deps/libtorch/lib").join(name);
        shell
            .copy_file(&from, libtorch.join(name))
            .with_context(|| format!("cannot copy {}", from.display()))?;
    }
    for (from, name) in POLICIES {
        shell.copy_file(from, policies.join(name))?;
    }
    let program = workspace.program("ballast");
    for name in ["bash", "zsh", "fish"] {
        let text = cmd!(shell, "{program} completions {name}").quiet().read()?;
        shell.write_file(completions.join(name), text)?;
    }
    let tracked = workspace.files()?;
    for file in tracked.iter().filter(|file| AS_IT_IS.iter().any(|part| file.starts_with(part))) {
        let to = root.join(file);
        shell.create_dir(to.parent().unwrap_or(&root))?;
        shell.copy_file(file, &to)?;
    }
    let name = format!("{}-debian12-{}.tar.gz", folder(), std::env::consts::ARCH);
    step(&format!("archive: packing {name}"));
    let (file, top) = (output.join(&name), folder());
    // The same files make the same archive, whoever packs them and when.
    cmd!(
        shell,
        "tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w"
    )
    .args(["--use-compress-program", "gzip -n -6", "--directory"])
    .arg(&staged)
    .arg("--file")
    .arg(&file)
    .arg(&top)
    .quiet()
    .run()?;
    shell.remove_path(&staged)?;
    said(&file)?;
    Ok(file)
}
