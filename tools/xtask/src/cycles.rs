//! Files of one crate that import each other in a circle: a rule of `tidy`.
//!
//! A file that is a folder's face (`mod.rs`, `lib.rs`, `main.rs`) names what the folder holds and is named by it, so that arrows between
//! it and the files below it do not count. Tests may name anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, UseTree};

/// Circles among the Rust files of crates, by path and text, one problem each.
///
/// # Errors
/// A file that is not Rust.
pub(crate) fn cycle_problems(sources: &[(PathBuf, String)]) -> anyhow::Result<Vec<String>> {
    let mut crates: BTreeMap<&Path, Vec<&(PathBuf, String)>> = BTreeMap::new();
    for source in sources {
        let root = source.0.ancestors().find(|folder| folder.ends_with("src"));
        if let Some(root) = root.filter(|_| source.0.extension().is_some_and(|kind| kind == "rs")) {
            crates.entry(root).or_default().push(source);
        }
    }
    let mut problems = Vec::new();
    for (root, files) in crates {
        problems.extend(circles_of(root, &files)?);
    }
    Ok(problems)
}

fn circles_of(root: &Path, files: &[&(PathBuf, String)]) -> anyhow::Result<Vec<String>> {
    let modules: BTreeMap<Vec<String>, usize> =
        (0..).zip(files).map(|(id, (path, _))| (module(root, path), id)).collect();
    let mut arrows = DiGraphMap::<usize, ()>::new();
    for (id, (path, text)) in files.iter().enumerate() {
        let here = module(root, path);
        if here.last().is_some_and(|last| last == "tests") {
            continue;
        }
        let file = syn::parse_file(text).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let mut seen = Imports { here: here.clone(), paths: Vec::new() };
        seen.visit_file(&file);
        for path in seen.paths {
            let found = (1..=path.len()).rev().find_map(|length| modules.get_key_value(&path[..length]));
            if let Some((there, &target)) = found
                && target != id
                && !there.starts_with(&here)
                && !here.starts_with(there)
            {
                arrows.add_edge(id, target, ());
            }
        }
    }
    let circles = tarjan_scc(&arrows).into_iter().filter(|circle| circle.len() > 1);
    Ok(circles
        .map(|mut circle| {
            circle.sort_unstable();
            let names: Vec<String> = circle.iter().map(|&id| files[id].0.display().to_string()).collect();
            format!("{}:1: imports in a circle with {}", names[0], names[1..].join(", "))
        })
        .collect())
}

/// The module a file is, as its path below the crate.
fn module(root: &Path, path: &Path) -> Vec<String> {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let mut names: Vec<String> = below.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// Paths into the own crate that a file names, from the crate's root on.
struct Imports {
    here: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Imports {
    /// A path as written, where it starts in this crate.
    fn add(&mut self, written: &[String]) {
        let mut names = written.iter();
        let mut path = match names.clone().next().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("super" | "self") => self.here.clone(),
            _ => return,
        };
        if written[0] != "super" {
            names.next();
        }
        for name in names {
            if name == "super" {
                path.pop();
            } else {
                path.push(name.clone());
            }
        }
        self.paths.push(path);
    }

    fn add_tree(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(before, &path.tree);
                before.pop();
            }
            UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.add(before);
                before.pop();
            }
            UseTree::Rename(name) => {
                before.push(name.ident.to_string());
                self.add(before);
                before.pop();
            }
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.attrs.iter().any(of_tests) {
            return;
        }
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !item.attrs.iter().any(of_tests) {
            self.add_tree(&mut Vec::new(), &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&names);
        visit::visit_path(self, path);
    }
}

/// `#[cfg(test)]` and the like.
fn of_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::cycle_problems;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(PathBuf, String)> =
            files.iter().map(|&(path, text)| (PathBuf::from(path), text.to_owned())).collect();
        cycle_problems(&files).unwrap()
    }

    #[test]
    fn files_that_import_each_other_are_a_circle_however_the_path_is_written() {
        let lib = ("a/src/lib.rs", "mod x; mod y; use x::X;");
        for back in ["use crate::x::X;", "use super::x::{self, X};", "fn f() { super::x::g() }"] {
            let found = problems(&[lib, ("a/src/x.rs", "use crate::y::Y;"), ("a/src/y.rs", back)]);
            assert_eq!(found, ["a/src/x.rs:1: imports in a circle with a/src/y.rs"], "{back}");
        }
        let through = [
            ("a/src/x.rs", "use crate::y::Y;"),
            ("a/src/y.rs", "use crate::z::deep::Z;"),
            ("a/src/z/deep.rs", "pub use crate::x::X as Z;"),
        ];
        assert_eq!(problems(&through).len(), 1);
    }

    #[test]
    fn faces_tests_and_other_crates_make_no_circle() {
        let quiet = [
            ("a/src/lib.rs", "pub mod x; pub use x::X; pub struct L;"),
            ("a/src/x.rs", "use crate::L; use b::y::Y; #[cfg(test)] mod tests { use crate::y::Y; }"),
            ("a/src/y.rs", "use crate::x::X;"),
            ("b/src/lib.rs", "use a::x::X;"),
            ("a/tests/all.rs", "use a::x::X;"),
        ];
        assert!(problems(&quiet).is_empty());
    }
}
