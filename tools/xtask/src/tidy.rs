//! `cargo xtask tidy`: rules of the tree that no compiler checks.
//!
//! Each rule is a function from text to problems, so that a test can break it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::cmd;

use crate::book::book_problems;
use crate::cycles::cycle_problems;
use crate::links::link_problems;
use crate::ods;
use crate::workspace::{Workspace, cargo};

/// Longest source file, in lines.
const LONGEST: usize = 600;

/// Words that mark unfinished work; split so that this file passes its own rule.
const UNFINISHED: &[&str] = &[
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("NotImple", "mentedError"),
];

/// Folders that exist on one person's machine only.
const HOMES: &[&str] = &["root", "home", "work", "Users"];

/// Code whose result must not depend on the environment: MLIR's crash reproducers could not hold it.
const NO_ENVIRONMENT: &[&str] = &["solver", "passes", "dialects/src", "tools/ballast", "tools/ballast-opt"];

/// Crates of others: a dependency and the only packages that may name it.
const BOUNDARIES: &[(&str, &[&str])] = &[
    ("highs", &["ballast-dag"]),
    ("highs-sys", &["ballast-remat"]),
    ("good_lp", &["ballast-remat"]),
    ("tch", &["ballast-learner"]),
    ("melior", &["ballast-dialects", "ballast-passes", "ballast-soak"]),
    ("mlir-sys", &["ballast-dialects", "ballast-soak"]),
];

/// Crates of Ballast: each, and those it may name, also in its tests. The table of ARCHITECTURE.md says what each is.
const ARROWS: &[(&str, &str)] = &[
    ("ballast-core", ""),
    ("ballast-remat", "core"),
    ("ballast-dag", "core learner-client"),
    ("ballast-partition", "core dag learner-client"),
    ("ballast-planner", "core dag learner-client partition remat"),
    ("ballast-report", "core"),
    ("ballast-referee", "core dag partition planner remat report"),
    ("ballast-jobs", "core learner-client"),
    ("ballast-learner", ""),
    ("ballast-learner-client", ""),
    ("ballast-dialects", ""),
    ("ballast-passes", "core dialects jobs partition planner remat report"),
    ("ballast-opt", ""),
    ("ballast", "core dag jobs learner-client partition planner remat report"),
    ("ballast-runtime", ""),
    ("ballast-soak", "ballast core dag dialects jobs learner-client partition referee remat"),
    ("ballast-tests", ""),
    ("xtask", ""),
];

/// Page whose table says what each crate is.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Code that reaches MLIR through the safe functions of `dialects` alone.
const SAFE: &str = "passes/src";

/// The folders of passes, by what a pass does.
const PHASES: &[&str] = &["plan", "apply", "lower", "report"];

/// Checks every rule and prints each problem as `FILE:LINE: what`.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let files = workspace.files()?;
    let known: BTreeSet<PathBuf> =
        files.iter().flat_map(|file| file.ancestors()).map(PathBuf::from).collect();
    let mut problems = Vec::new();
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for file in &files {
        let bytes = std::fs::read(workspace.root.join(file)).with_context(|| file.display().to_string())?;
        // Not text: nothing to check.
        let Ok(text) = String::from_utf8(bytes) else { continue };
        problems.extend(text_problems(file, &text));
        match extension(file) {
            "md" => pages.push((file.clone(), text)),
            "rs" => sources.push((file.clone(), text)),
            _ => {}
        }
    }
    problems.extend(link_problems(&pages, &known));
    problems.extend(book_problems(&pages));
    problems.extend(cycle_problems(&sources)?);
    problems.extend(pass_problems(&ods::passes(workspace)?, &known));
    let cargo = cargo();
    let metadata = cmd!(workspace.shell, "{cargo} metadata --no-deps --format-version 1").quiet().read()?;
    let architecture = std::fs::read_to_string(workspace.root.join(ARCHITECTURE)).context(ARCHITECTURE)?;
    problems.extend(boundary_problems(&serde_json::from_str(&metadata)?, &architecture));
    for problem in &problems {
        eprintln!("{problem}");
    }
    if !problems.is_empty() {
        bail!("{} problems", problems.len());
    }
    Ok(())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default()
}

/// Header, length, blanks at line ends, marks of unfinished work, private paths, unexplained ignored tests.
fn text_problems(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut say = |line: usize, what: &str| problems.push(format!("{}:{line}: {what}", path.display()));
    let kind = extension(path);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.first().copied().unwrap_or_default();
    let header: Option<&[&str]> = match kind {
        "rs" => Some(&["//!"]),
        "cpp" | "h" | "td" => Some(&["//"]),
        "py" => Some(&["\"\"\"", "#!"]),
        _ => None,
    };
    if header.is_some_and(|starts| !starts.iter().any(|start| first.starts_with(start))) {
        say(1, "the file does not start by saying what it is for");
    }
    if header.is_some() && lines.len() > LONGEST {
        say(LONGEST + 1, "the file is too long; split it");
    }
    // Exported programs are data: kept as the frameworks wrote them.
    if header.is_some() || matches!(kind, "toml" | "md" | "yml") {
        if !text.is_empty() && !text.ends_with('\n') {
            say(lines.len(), "no newline at the end of the file");
        }
        for (index, line) in lines.iter().enumerate() {
            if line.ends_with([' ', '\t']) {
                say(index + 1, "blanks at the end of the line");
            }
        }
    }
    for (index, line) in lines.iter().enumerate() {
        if let Some(word) = UNFINISHED.iter().find(|word| line.contains(*word)) {
            say(index + 1, &format!("unfinished: {word}"));
        }
        if names_home(line) {
            say(index + 1, "a path that exists on one machine only");
        }
        if kind == "rs" && reads_environment(path, line) {
            say(
                index + 1,
                "an input that changes a result is an option or an attribute, never an environment variable",
            );
        }
        if kind == "rs" && path.starts_with(SAFE) && reaches_past_dialects(line) {
            say(index + 1, "raw MLIR and unsafe code belong into dialects/src, behind a safe function");
        }
        if kind == "rs" && line.trim() == concat!("#[ign", "ore]") {
            say(index + 1, "an ignored test needs a reason and the command that runs it");
        }
    }
    problems
}

/// Whether a line of a result-making crate reads an environment variable; tests and build scripts may.
fn reads_environment(path: &Path, line: &str) -> bool {
    let inside = NO_ENVIRONMENT.iter().any(|folder| path.starts_with(folder));
    let exempt = path.ends_with("build.rs") || path.components().any(|part| part.as_os_str() == "tests");
    inside && !exempt && line.contains(concat!("env::", "var"))
}

/// Whether a line of code names MLIR's C API or is unsafe.
fn reaches_past_dialects(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let words = code.split(|char: char| !char.is_alphanumeric() && char != '_');
    words.into_iter().any(|word| word == "mlir_sys" || word == concat!("un", "safe"))
}

/// Whether a line holds an absolute path into somebody's own folder.
fn names_home(line: &str) -> bool {
    HOMES.iter().any(|home| {
        line.match_indices(&format!("/{home}/")).any(|(at, found)| {
            let before = line[..at].chars().next_back();
            let after = line[at + found.len()..].chars().next();
            !before.is_some_and(|char| char.is_alphanumeric() || "_.-~}".contains(char))
                && after.is_some_and(|char| char.is_alphanumeric() || char == '.')
        })
    })
}

/// A pass is one Rust file, one lit file and one lit file of errors, all named after its flag.
fn pass_problems(passes: &[ods::Pass], known: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut problems = Vec::new();
    for pass in passes {
        let name = &pass.argument;
        let mut missing = Vec::new();
        let file = format!("{}.rs", name.replace('-', "_"));
        if !PHASES.iter().any(|phase| known.contains(&Path::new("passes/src").join(phase).join(&file))) {
            missing.push(format!("{file} in a folder of passes/src ({})", PHASES.join(", ")));
        }
        let tests = [format!("lit/{name}.mlir"), format!("lit/{name}-errors.mlir")];
        missing.extend(tests.into_iter().filter(|path| !known.contains(Path::new(path))));
        for path in missing {
            problems.push(format!("{}: the pass --{} has no {path}", ods::PASSES, pass.argument));
        }
        for option in pass.options.iter().filter(|option| option.description.is_empty()) {
            problems.push(format!(
                "{}: option {} of --{} has no description",
                ods::PASSES,
                option.argument,
                pass.argument
            ));
        }
    }
    problems
}

/// Checks the crates' dependencies against the invariants of ARCHITECTURE.md, and that its table has all of them.
fn boundary_problems(metadata: &Value, architecture: &str) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut problems = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, arrows)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            problems
                .push(format!("{name}: which crates it may name is not in the list of `cargo xtask tidy`"));
            continue;
        };
        let folder = Path::new(package["manifest_path"].as_str().unwrap_or_default()).parent();
        let rows = architecture.lines().filter(|line| line.starts_with('|'));
        let known = |row: &str| {
            let first = row.split('|').nth(1).unwrap_or_default().trim().trim_matches('`');
            folder.is_some_and(|folder| !first.is_empty() && folder.ends_with(first))
        };
        if !rows.into_iter().any(known) {
            problems.push(format!("{ARCHITECTURE}: the table of folders does not have that of {name}"));
        }
        for dependency in list(&package["dependencies"]) {
            let dependency = dependency["name"].as_str().unwrap_or_default();
            let only = BOUNDARIES.iter().find(|(guarded, _)| *guarded == dependency);
            if let Some((_, only)) = only.filter(|(_, only)| !only.contains(&name)) {
                problems
                    .push(format!("{name}: must not depend on {dependency}; only {} may", only.join(", ")));
            }
            let ours = ARROWS.iter().any(|(known, _)| *known == dependency);
            let short = dependency.strip_prefix("ballast-").unwrap_or(dependency);
            if ours && !arrows.split(' ').any(|arrow| arrow == short) {
                problems.push(format!(
                    "{name}: must not depend on {dependency}: see the table of {ARCHITECTURE}"
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::{boundary_problems, pass_problems, text_problems};
    use crate::ods::{Pass, PassOption};

    fn of_rust(text: &str) -> Vec<String> {
        text_problems(Path::new("a.rs"), text)
    }

    #[test]
    fn a_source_file_says_what_it_is_for_and_stays_short() {
        assert!(of_rust("//! Counts.\nfn f() {}\n").is_empty());
        assert_eq!(of_rust("fn f() {}\n").len(), 1);
        let long = format!("//! Counts.\n{}", "//\n".repeat(600));
        assert_eq!(of_rust(&long), ["a.rs:601: the file is too long; split it"]);
        assert!(text_problems(Path::new("exported.mlir"), &"op\n".repeat(700)).is_empty());
    }

    #[test]
    fn unfinished_work_and_private_paths_are_found() {
        for bad in [
            format!("// {}: later", concat!("FIX", "ME")),
            format!("    {})", concat!("to", "do!(")),
            format!("let path = \"/{}/me/x\";", "home"),
            concat!("    #[ign", "ore]").to_owned(),
            "let a = 1; ".to_owned(),
        ] {
            let problems = of_rust(&format!("//! Counts.\n{bad}\n"));
            assert_eq!(problems.len(), 1, "{bad}: {problems:?}");
            assert!(problems[0].starts_with("a.rs:2: "), "{problems:?}");
        }
        let relative = concat!("//! See ~/wo", "rk/a, target/root/b and tests/home/c.\n");
        assert!(of_rust(relative).is_empty());
        assert_eq!(of_rust("//! No newline"), ["a.rs:1: no newline at the end of the file"]);
    }

    #[test]
    fn only_tools_and_tests_read_the_environment() {
        let text = format!("//! Reads.\nlet seed = std::{}(\"SEED\");\n", concat!("env::", "var"));
        assert_eq!(text_problems(Path::new("solver/core/src/limits.rs"), &text).len(), 1);
        for path in ["solver/learner/build.rs", "solver/core/tests/a.rs", "tools/xtask/src/main.rs"] {
            assert!(text_problems(Path::new(path), &text).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_pass_needs_its_files_and_described_options() {
        let option = PassOption { argument: "cap".into(), description: String::new() };
        let pass = Pass { argument: "ballast-cut".into(), summary: String::new(), options: vec![option] };
        let known: BTreeSet<PathBuf> =
            ["passes/src/plan/ballast_cut.rs", "lit/ballast-cut.mlir"].map(PathBuf::from).into();
        let problems = pass_problems(std::slice::from_ref(&pass), &known);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].contains("lit/ballast-cut-errors.mlir") && problems[1].contains("cap"),
            "{problems:?}"
        );
        let flat: BTreeSet<PathBuf> = ["passes/src/ballast_cut.rs"].map(PathBuf::from).into();
        assert!(
            pass_problems(&[pass], &flat)[0].contains("ballast_cut.rs"),
            "not in the folder of its phase"
        );
    }

    #[test]
    fn crates_keep_to_their_boundaries() {
        let table = "| `solver/a` | | |\n";
        let problems = |package: &str, dependency: &str| {
            let dependencies = json!([{ "name": dependency, "kind": "dev" }]);
            let package = json!({ "name": package, "manifest_path": "/x/solver/a/Cargo.toml", "dependencies": dependencies });
            boundary_problems(&json!({ "packages": [package] }), table)
        };
        for (package, dependency) in [
            ("ballast-dag", "highs"),
            ("ballast-core", "serde"),
            ("ballast-planner", "ballast-remat"),
            ("ballast-dialects", "mlir-sys"),
        ] {
            assert!(problems(package, dependency).is_empty(), "{package} on {dependency}");
        }
        for (package, dependency) in [
            ("ballast-core", "melior"),
            ("ballast-passes", "tch"),
            ("ballast-passes", "mlir-sys"),
            ("ballast-core", "ballast-remat"),
            ("ballast-remat", "ballast-partition"),
            ("ballast", "ballast-dialects"),
            ("xtask", "ballast-core"),
        ] {
            assert_eq!(problems(package, dependency).len(), 1, "{package} on {dependency}");
        }
        assert_eq!(problems("ballast-new", "serde").len(), 1, "an unknown crate");
        let package =
            json!({ "name": "ballast-core", "manifest_path": "/x/solver/b/Cargo.toml", "dependencies": [] });
        assert_eq!(boundary_problems(&json!({ "packages": [package] }), table).len(), 1, "not in the table");
    }

    #[test]
    fn passes_reach_mlir_through_dialects() {
        let path = Path::new("passes/src/plan/a.rs");
        for (line, count) in [
            ("let kind = types::kind(kind); // not mlir_sys", 0),
            ("use mlir_sys::mlirTypeIsATuple;", 1),
            (concat!("un", "safe { f() }"), 1),
            ("#![forbid(unsafe_code)]", 0),
        ] {
            assert_eq!(text_problems(path, &format!("//! Plans.\n{line}\n")).len(), count, "{line}");
        }
        let raw = "//! Reads.\nuse mlir_sys::mlirTypeIsATuple;\n";
        assert!(text_problems(Path::new("dialects/src/a.rs"), raw).is_empty());
    }
}
