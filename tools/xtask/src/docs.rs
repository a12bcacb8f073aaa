//! `cargo xtask docs`: the pages that are made from sources, and the check that they are current.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::ods;
use crate::routes;
use crate::setup::set_up;
use crate::workspace::{Workspace, step};

/// A generated file.
pub(crate) struct Page {
    /// Relative to the root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Writes the pages that differ.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    set_up(workspace)?;
    workspace.build()?;
    for page in stale(workspace)? {
        workspace.shell.write_file(&page.path, &page.text)?;
        step(&format!("docs: wrote {}", page.path.display()));
    }
    Ok(())
}

/// Fails if a page is missing or differs from what its source makes.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    set_up(workspace)?;
    workspace.build()?;
    let stale = stale(workspace)?;
    if !stale.is_empty() {
        bail!("{} generated pages are stale; write them with: cargo xtask docs", stale.len());
    }
    Ok(())
}

/// The pages whose file differs, each named on stderr. Needs a finished build.
pub(crate) fn stale(workspace: &Workspace) -> Result<Vec<Page>> {
    let mut pages = pages(workspace)?;
    pages.retain(|page| {
        let path = workspace.root.join(&page.path);
        let differs = std::fs::read_to_string(&path).ok().as_deref() != Some(page.text.as_str());
        if differs {
            step(&format!("docs: {} is stale", page.path.display()));
        }
        differs
    });
    Ok(pages)
}

/// All generated pages as they should be. Needs a finished build.
pub(crate) fn pages(workspace: &Workspace) -> Result<Vec<Page>> {
    let page = |path: &str, text: String| Page { path: path.into(), text: with_final_newline(text) };
    let ballast = workspace.program("ballast");
    let pipelines = routes::pipelines(workspace)?;
    // The tool gives the page of passes no heading.
    let passes =
        ods::page(workspace, &["-gen-pass-doc"], ods::PASSES)?.replacen("-->\n", "-->\n\n# Passes\n", 1);
    let all = [ods::passes(workspace)?, pipelines.clone()].concat();
    Ok(vec![
        page("docs/passes.md", with_final_newline(passes) + &routes::section(&pipelines)),
        page(
            "docs/dialect.md",
            // A mark for other renderers, which here would be text.
            ods::page(workspace, &["-gen-dialect-doc", "-dialect=ballast"], ods::DIALECT)?.replacen(
                "[TOC]\n\n",
                "",
                1,
            ),
        ),
        page("docs/options.md", options(&all)),
        page("docs/versions.md", versions(workspace)?),
        page("docs/plan.example.json", example(workspace)?),
        page("docs/plan.schema.json", cmd!(workspace.shell, "{ballast} schema").quiet().read()?),
        page("docs/instance.schema.json", cmd!(workspace.shell, "{ballast} schema instance").quiet().read()?),
        page("docs/steps.schema.json", cmd!(workspace.shell, "{ballast} schema steps").quiet().read()?),
        page("docs/workload.schema.json", cmd!(workspace.shell, "{ballast} schema workload").quiet().read()?),
    ])
}

/// The program of the example plan, and what it is planned with: all as `docs/README.md` says it.
const EXAMPLE: [&str; 4] = [
    "lit/Inputs/four-layers.mlir",
    "--allow-unregistered-dialect",
    "--rl-partition=devices=2 work-limit=20000 seed=1",
    "--remat=cap=85% work-limit=20000 seed=1 plan-file=target/plan.example.json",
];

/// A plan file of a small program: a work limit gives the same bytes anywhere.
fn example(workspace: &Workspace) -> Result<String> {
    let driver = workspace.program("ballast-opt");
    cmd!(workspace.shell, "{driver} {EXAMPLE...}").quiet().ignore_stderr().read()?;
    Ok(workspace.shell.read_file("target/plan.example.json")?)
}

fn with_final_newline(text: String) -> String {
    format!("{}\n", text.trim_end())
}

/// One row per option; passes that describe it alike share the row.
fn options(passes: &[ods::Pass]) -> String {
    let mut rows: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for pass in passes {
        for option in &pass.options {
            rows.entry((&option.argument, &option.description))
                .or_default()
                .push(format!("`--{}`", pass.argument));
        }
    }
    let mut text = String::from(
        "<!-- Written by `cargo xtask docs` from dialects/td; do not edit. -->\n\n# Options of the passes\n\n\
         `ballast-opt --remat=\"cap=60% seed=1\"` sets two of them; `ballast-opt --help` lists them too.\n\n\
         | option | passes | meaning, unit, type and default |\n|---|---|---|\n",
    );
    for ((name, description), passes) in rows {
        let _ = writeln!(text, "| `{name}` | {} | {} |", passes.join(" "), description.replace('|', "\\|"));
    }
    text
}

/// The table of upstream versions, from the files that pin them.
fn versions(workspace: &Workspace) -> Result<String> {
    let read = |path: &str| workspace.shell.read_file(path);
    let lock = read("Cargo.lock")?;
    let toolchain = read("rust-toolchain.toml")?;
    let libtorch = read("tools/xtask/libtorch.txt")?;
    let rust = between(&toolchain, "channel = \"", "\"").context("rust-toolchain.toml names no channel")?;
    let torch = between(&libtorch, "\ntorch==", " ").context("libtorch.txt names no torch")?;
    let package = read("tools/python/pyproject.toml")?;
    let needed = |before: &str| {
        between(&package, before, "\"").with_context(|| format!("pyproject.toml does not have {before}"))
    };
    let rows = [
        ("Operating system", "Debian 12, x86-64", "the packages come from its own archive"),
        ("Rust", rust, "`rust-toolchain.toml`"),
        ("LLVM and MLIR", "22.1", "Debian packages, shared libraries"),
        ("melior", locked(&lock, "melior")?, "MLIR's C API from Rust"),
        ("mlir-sys", locked(&lock, "mlir-sys")?, "pinned: it must fit MLIR 22"),
        ("highs-sys", locked(&lock, "highs-sys")?, "builds HiGHS of the same version from source"),
        ("highs", locked(&lock, "highs")?, "its Rust interface"),
        ("good_lp", locked(&lock, "good_lp")?, "programs that are written once and solved once, on highs"),
        ("tch", locked(&lock, "tch")?, "libtorch from Rust"),
        ("libtorch", torch, "CPU half of the PyTorch wheel, opened at run time"),
        ("Python", needed("requires-python = \"")?, "for `tools/python` and what it runs"),
        ("JAX", needed("\"jax")?, "for `ballast.jit`, `ballast fit` and runs by XLA"),
        ("PyTorch", needed("\"torch")?, "for `ballast.torch`"),
    ];
    let mut text = String::from(
        "<!-- Written by `cargo xtask docs` from the files that pin these; do not edit. -->\n\n\
         # Upstream versions\n\nBallast is built and tested with these and no others.\n\n\
         | what | version | remark |\n|---|---|---|\n",
    );
    for (what, version, remark) in rows {
        let _ = writeln!(text, "| {what} | {version} | {remark} |");
    }
    Ok(text)
}

/// Version of a package in `Cargo.lock`.
fn locked<'a>(lock: &'a str, package: &str) -> Result<&'a str> {
    between(lock, &format!("name = \"{package}\"\nversion = \""), "\"")
        .with_context(|| format!("Cargo.lock has no {package}"))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::{locked, options};
    use crate::ods::{Pass, PassOption};

    #[test]
    fn options_described_alike_share_a_row() {
        let pass = |argument: &str, description: &str| Pass {
            argument: argument.into(),
            summary: String::new(),
            options: vec![PassOption { argument: "order".into(), description: description.into() }],
        };
        let text = options(&[pass("remat", "a | b"), pass("rl-partition", "c"), pass("verify", "c")]);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(
            rows,
            ["| `order` | `--remat` | a \\| b |", "| `order` | `--rl-partition` `--verify` | c |"]
        );
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"highs-sys\"\nversion = \"1.2\"\n\n[[package]]\nname = \"highs\"\nversion = \"3\"\n";
        assert_eq!(locked(lock, "highs").unwrap(), "3");
        assert!(locked(lock, "tch").is_err());
    }
}
