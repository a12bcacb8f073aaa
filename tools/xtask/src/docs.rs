//! `cargo xtask docs`: the pages that are made from sources, and the check that they are current.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::ods;
use crate::workspace::{Workspace, step};

/// JSON formats described by `ballast schema NAME`, each written to `docs/schema/NAME.json`.
const SCHEMAS: &[&str] = &["plan"];

/// A generated file.
pub(crate) struct Page {
    /// Relative to the root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Writes the pages that differ.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    workspace.set_up()?;
    workspace.build()?;
    for page in stale(workspace)? {
        workspace.shell.write_file(&page.path, &page.text)?;
        step(&format!("docs: wrote {}", page.path.display()));
    }
    Ok(())
}

/// Fails if a page is missing or differs from what its source makes.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    workspace.set_up()?;
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
    let mut pages = vec![
        page("docs/passes.md", ods::tablegen(workspace, &["-gen-pass-doc"], ods::PASSES)?),
        page(
            "docs/dialect.md",
            ods::tablegen(workspace, &["-gen-dialect-doc", "-dialect=ballast"], ods::DIALECT)?,
        ),
        page("docs/options.md", options(&ods::passes(workspace)?)),
        page("docs/versions.md", versions(workspace)?),
    ];
    let ballast = workspace.program("ballast");
    for name in SCHEMAS {
        let schema = cmd!(workspace.shell, "{ballast} schema {name}").quiet().read()?;
        pages.push(page(&format!("docs/schema/{name}.json"), schema));
    }
    Ok(pages)
}

fn with_final_newline(text: String) -> String {
    format!("{}\n", text.trim_end())
}

fn options(passes: &[ods::Pass]) -> String {
    let mut text = String::from(
        "<!-- Written by `cargo xtask docs` from dialects/td; do not edit. -->\n\n# Pass options\n\n\
         The same name means the same thing in every pass. `ballast-opt --help` prints this too.\n",
    );
    for pass in passes.iter().filter(|pass| !pass.options.is_empty()) {
        let _ = write!(
            text,
            "\n## `--{}`\n\n{}\n\n| option | type | default | meaning, unit and range |\n|---|---|---|---|\n",
            pass.argument, pass.summary
        );
        for option in &pass.options {
            let kind = plain_type(&option.kind);
            let list = if option.list { "list of " } else { "" };
            let default = match option.default.as_str() {
                "" => String::new(),
                default => format!("`{default}`"),
            };
            let meaning =
                option.description.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {list}{kind} | {default} | {meaning} |", option.argument);
        }
    }
    text
}

/// A C++ type as the user sees it.
fn plain_type(kind: &str) -> &str {
    match kind {
        "std::string" | "::std::string" => "text",
        "double" | "float" => "number",
        "bool" => "true or false",
        "unsigned" | "uint64_t" | "uint32_t" | "size_t" => "integer, 0 or more",
        "int" | "int64_t" | "int32_t" => "integer",
        other => other,
    }
}

/// The table of upstream versions, from the files that pin them.
fn versions(workspace: &Workspace) -> Result<String> {
    let read = |path: &str| workspace.shell.read_file(path);
    let lock = read("Cargo.lock")?;
    let toolchain = read("rust-toolchain.toml")?;
    let libtorch = read("tools/xtask/libtorch.txt")?;
    let rust = between(&toolchain, "channel = \"", "\"").context("rust-toolchain.toml names no channel")?;
    let torch = between(&libtorch, "\ntorch==", " ").context("libtorch.txt names no torch")?;
    let highs = locked(&lock, "highs-sys")?;
    let highs = highs.split_once('+').map_or(highs, |(_, upstream)| upstream);
    let rows = [
        ("Operating system", "Debian 12, x86-64", "the packages come from its own archive"),
        ("Rust", rust, "`rust-toolchain.toml`"),
        ("LLVM and MLIR", "22.1", "Debian packages, shared libraries"),
        ("melior", locked(&lock, "melior")?, "MLIR's C API from Rust"),
        ("mlir-sys", locked(&lock, "mlir-sys")?, "pinned: it must fit MLIR 22"),
        ("highs-sys (HiGHS built from source)", highs, "mixed-integer solver"),
        ("highs", locked(&lock, "highs")?, "its Rust interface"),
        ("good_lp", locked(&lock, "good_lp")?, "model building"),
        ("tch", locked(&lock, "tch")?, "libtorch from Rust"),
        ("libtorch", torch, "CPU half of the PyTorch wheel, opened at run time"),
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
    fn a_table_cell_survives_bars_and_line_ends() {
        let option = PassOption {
            argument: "method".into(),
            kind: "std::string".into(),
            list: true,
            default: "\"auto\"".into(),
            description: "dp | rl\n   or auto".into(),
        };
        let pass = Pass { argument: "rl-partition".into(), summary: "Cuts.".into(), options: vec![option] };
        let text = options(&[pass]);
        assert!(text.ends_with("| `method` | list of text | `\"auto\"` | dp \\| rl or auto |\n"), "{text}");
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"highs-sys\"\nversion = \"1.2\"\n\n[[package]]\nname = \"highs\"\nversion = \"3\"\n";
        assert_eq!(locked(lock, "highs").unwrap(), "3");
        assert!(locked(lock, "tch").is_err());
    }
}
