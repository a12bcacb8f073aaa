//! Links between Markdown pages: each leads to a file of the tree, and one with an anchor to a heading of that page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// What is wrong with the relative links of pages, given with their texts; `known` are all files and folders of the tree.
pub(crate) fn link_problems(pages: &[(PathBuf, String)], known: &BTreeSet<PathBuf>) -> Vec<String> {
    let anchors: BTreeMap<&Path, BTreeSet<String>> =
        pages.iter().map(|(page, text)| (page.as_path(), anchors(text))).collect();
    let mut problems = Vec::new();
    for (page, text) in pages {
        for (number, line) in prose(text) {
            for target in targets(line) {
                if let Some(what) = problem(page, target, known, &anchors) {
                    problems.push(format!("{}:{number}: the link {target} {what}", page.display()));
                }
            }
        }
    }
    problems
}

/// Where the links of a line lead.
pub(crate) fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

fn problem(
    page: &Path,
    target: &str,
    known: &BTreeSet<PathBuf>,
    anchors: &BTreeMap<&Path, BTreeSet<String>>,
) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    if file.contains("://") || target.contains(' ') || file.starts_with("mailto:") {
        return None;
    }
    let path = if file.is_empty() { page.to_owned() } else { resolve(page, file) };
    if !file.is_empty() && !known.contains(&path) {
        return Some("leads nowhere");
    }
    let there = anchors.get(path.as_path());
    (!anchor.is_empty() && there.is_some_and(|there| !there.contains(anchor)))
        .then_some("names no heading of that page")
}

/// The lines outside of code blocks, with their numbers.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of a page's headings as GitHub makes them: letters in lower case, blanks as hyphens, punctuation dropped, and a number
/// where a heading comes again.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.strip_prefix(' ')).flatten()
    });
    for heading in headings {
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        let base: String =
            kept.chars().filter(|&letter| letter.is_alphanumeric() || "-_".contains(letter)).collect();
        let mut anchor = base.clone();
        for again in 1.. {
            if found.insert(anchor) {
                break;
            }
            anchor = format!("{base}-{again}");
        }
    }
    found
}

/// The path a relative link of `page` names, without `.` and `..`.
pub(crate) fn resolve(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::link_problems;

    fn problems(text: &str) -> Vec<String> {
        let known: BTreeSet<PathBuf> = ["README.md", "docs", "docs/plan.md"].map(PathBuf::from).into();
        let readme = "# Ballast\n## `a-b`: C, d!\n## Again\n## Again\n```sh\n# no heading\n```\n";
        let pages = [("README.md", readme), ("docs/plan.md", text)];
        link_problems(&pages.map(|(page, text)| (PathBuf::from(page), text.to_owned())), &known)
    }

    #[test]
    fn links_are_followed_from_the_page() {
        let sound = "[a](../README.md) [b](https://x.org/y#z) [d](.)\n```\n[e](nowhere.md)\n```\n";
        assert!(problems(sound).is_empty(), "{:?}", problems(sound));
        assert_eq!(problems("ok\n[a](README.md)"), ["docs/plan.md:2: the link README.md leads nowhere"]);
    }

    #[test]
    fn anchors_are_headings() {
        for heading in ["ballast", "a-b-c-d", "again", "again-1"] {
            assert!(problems(&format!("[a](../README.md#{heading})")).is_empty(), "{heading}");
        }
        assert!(problems("# Here it is\n[a](#here-it-is)").is_empty());
        for wrong in ["../README.md#no-heading", "../README.md#again-2", "#here"] {
            assert_eq!(problems(&format!("[a]({wrong})")).len(), 1, "{wrong}");
        }
    }
}
