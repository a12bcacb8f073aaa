//! `cargo xtask book`: the docs as a site that mdBook makes, which needs no network when it is read.
//!
//! Its chapters are those that the tables of `docs/README.md` name, in that order; `cargo xtask tidy` fails for a page that is in none.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::links::{prose, resolve, targets};
use crate::workspace::{Workspace, step};

/// The page whose headings are the parts of the book and whose links are its chapters.
const CONTENTS: &str = "docs/README.md";

/// Pages outside of `docs`, after it.
const MORE: [&str; 7] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tools/python/README.md",
    "tests/inputs/models/README.md",
    "tests/inputs/batches/README.md",
    "tests/inputs/dnn-partitioning/README.md",
];

/// Makes the site in `output`, and follows every link in it.
///
/// # Errors
/// mdBook is missing or fails; a link that leads nowhere; something that would be fetched over a network.
pub(crate) fn run(workspace: &Workspace, output: &Path) -> Result<()> {
    let shell = &workspace.shell;
    let output = std::path::absolute(output)?;
    let book = workspace.release.join("book");
    shell.remove_path(&book)?;
    // Apart from the settings: mdBook copies what is no page.
    let staged = book.join("src");
    let chapters = chapters(&shell.read_file(CONTENTS)?);
    let mut pages: Vec<PathBuf> = vec!["README.md".into(), CONTENTS.into()];
    pages.extend(chapters.iter().flat_map(|(_, pages)| pages.iter().cloned()));
    pages.extend(MORE.map(PathBuf::from));
    for page in &pages {
        stage(workspace, page, &staged)?;
    }
    shell.write_file(staged.join("SUMMARY.md"), summary(workspace, &chapters)?)?;
    shell.write_file(book.join("book.toml"), settings(&output))?;
    cmd!(shell, "mdbook build {book}")
        .quiet()
        .ignore_stdout()
        .run()
        .context("mdbook is missing, or cannot make the book: cargo install --locked mdbook")?;
    let problems = site_problems(&output)?;
    for problem in &problems {
        step(problem);
    }
    if !problems.is_empty() {
        bail!("{} problems in the book", problems.len());
    }
    crate::say!("{}", output.join("index.html").display());
    Ok(())
}

/// What keeps pages out of the book; `pages` are all Markdown pages of the tree with their texts.
pub(crate) fn book_problems(pages: &[(PathBuf, String)]) -> Vec<String> {
    let text = pages.iter().find(|(page, _)| page == Path::new(CONTENTS)).map_or("", |(_, text)| text);
    let named: BTreeSet<PathBuf> = chapters(text).into_iter().flat_map(|(_, pages)| pages).collect();
    let docs = pages.iter().map(|(page, _)| page).filter(|page| page.starts_with("docs"));
    docs.filter(|page| *page != Path::new(CONTENTS) && !named.contains(*page))
        .map(|page| format!("{}: {CONTENTS} does not name it, so it is not in the book", page.display()))
        .collect()
}

/// The parts of the book with their pages: headings of the contents, and the pages of the same folder linked below each.
fn chapters(contents: &str) -> Vec<(String, Vec<PathBuf>)> {
    let folder = Path::new(CONTENTS).parent().unwrap_or(Path::new(""));
    let mut parts: Vec<(String, Vec<PathBuf>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (_, line) in prose(contents) {
        if let Some(title) = line.strip_prefix("## ") {
            parts.push((title.to_owned(), Vec::new()));
        }
        let Some((_, pages)) = parts.last_mut() else { continue };
        let links = targets(line).filter(|link| link.ends_with(".md") && !link.contains('/'));
        pages.extend(links.map(|link| folder.join(link)).filter(|page| seen.insert(page.clone())));
    }
    parts
}

fn summary(workspace: &Workspace, chapters: &[(String, Vec<PathBuf>)]) -> Result<String> {
    let mut text = "# Summary\n\n".to_owned();
    let line = |page: &Path, bullet: &str| -> Result<String> {
        let title = title(&workspace.shell.read_file(page)?).unwrap_or_else(|| page.display().to_string());
        Ok(format!("{bullet}[{title}]({})\n", as_index(&page.display().to_string())))
    };
    let _ = write!(text, "{}{}", line(Path::new("README.md"), "")?, line(Path::new(CONTENTS), "")?);
    let more = ("The project".to_owned(), MORE.map(PathBuf::from).to_vec());
    for (part, pages) in chapters.iter().chain([&more]) {
        let _ = writeln!(text, "\n# {part}\n");
        for page in pages {
            text.push_str(&line(page, "- ")?);
        }
    }
    Ok(text)
}

/// The first heading of a page.
fn title(text: &str) -> Option<String> {
    prose(text).find_map(|(_, line)| line.strip_prefix("# ").map(|title| title.trim().to_owned()))
}

fn settings(output: &Path) -> String {
    format!(
        "[book]\ntitle = \"Ballast\"\nlanguage = \"en\"\nsrc = \"src\"\n\n[build]\nbuild-dir = {:?}\ncreate-missing = false\n\n\
         [output.html]\nno-section-label = true\n",
        output.display().to_string()
    )
}

/// Copies a page, and the files that are no pages and that it leads to.
fn stage(workspace: &Workspace, page: &Path, staged: &Path) -> Result<()> {
    let shell = &workspace.shell;
    let text = shell.read_file(page)?;
    for link in prose(&text).flat_map(|(_, line)| targets(line)) {
        let file = resolve(page, link.split('#').next().unwrap_or_default());
        let is_page = file.extension().is_some_and(|extension| extension == "md");
        if !is_page && !link.starts_with('#') && workspace.root.join(&file).is_file() {
            let to = staged.join(&file);
            shell.create_dir(to.parent().unwrap_or(staged))?;
            shell.copy_file(&file, to)?;
        }
    }
    shell.write_file(staged.join(as_index(&page.display().to_string())), as_index(&text))?;
    Ok(())
}

/// mdBook names the page of a folder `index`, but leaves links to its README as they are.
fn as_index(text: &str) -> String {
    text.replace("README.md)", "index.md)")
        .replace("README.md#", "index.md#")
        .replace("/README.md", "/index.md")
}

/// Links of a site that lead nowhere, and what its pages would fetch.
fn site_problems(site: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut folders = vec![site.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = std::fs::read_to_string(&path)?;
                let shown = path.strip_prefix(site).unwrap_or(&path).display().to_string();
                let said = page_problems(&text, |link| site_has(&path, link));
                problems.extend(said.into_iter().map(|problem| format!("{shown}: {problem}")));
            }
        }
    }
    problems.sort();
    Ok(problems)
}

/// Does a link of a page lead to a file, and to an anchor there?
fn site_has(page: &Path, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.with_file_name("").join(file) };
    if anchor.is_empty() || target.extension().is_none_or(|extension| extension != "html") {
        return target.exists();
    }
    std::fs::read_to_string(target).is_ok_and(|text| text.contains(&format!("id=\"{anchor}\"")))
}

/// What is wrong with the links of one page of a site; `exists` says whether a relative one leads somewhere.
fn page_problems(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    for tag in text.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let name = tag.split_whitespace().next().unwrap_or_default();
        let value = |attribute: &str| {
            let value = tag.split_once(&format!(" {attribute}=\""))?.1.split('"').next()?;
            Some(value.replace("&amp;", "&"))
        };
        let Some(link) = value(if matches!(name, "a" | "link") { "href" } else { "src" }) else { continue };
        let elsewhere = link.contains("://") || link.starts_with("//");
        if elsewhere && name != "a" {
            problems.push(format!("<{name}> is fetched from {link}"));
        } else if !elsewhere && !link.starts_with("data:") && !link.starts_with("mailto:") && !exists(&link) {
            problems.push(format!("the link {link} leads nowhere"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{as_index, book_problems, chapters, page_problems};

    const CONTENTS: &str = "# Docs\n\n## Learn\n\n| a | [a.md](a.md), [s](s.json) |\n\n## Use\n\nFirst [b](b.md), [a](a.md#x), [up](../UP.md).\n";

    #[test]
    fn parts_and_chapters_are_those_of_the_contents() {
        let part = |title: &str, page: &str| (title.to_owned(), vec![PathBuf::from(page)]);
        assert_eq!(chapters(CONTENTS), [part("Learn", "docs/a.md"), part("Use", "docs/b.md")]);
    }

    #[test]
    fn a_page_that_the_contents_do_not_name_is_a_problem() {
        let page = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
        let mut pages = vec![
            page("docs/README.md", CONTENTS),
            page("docs/a.md", ""),
            page("docs/b.md", ""),
            page("c.md", ""),
        ];
        assert!(book_problems(&pages).is_empty());
        pages.push(page("docs/lost.md", ""));
        assert_eq!(book_problems(&pages).len(), 1);
    }

    #[test]
    fn pages_fetch_nothing_and_their_links_lead_somewhere() {
        let text = "<a href=\"b.html\">b</a><a href=\"https://x.y\">x</a><script src=\"https://x.y/z.js\"></script><img src=\"no.png\">";
        let problems = page_problems(text, |link| link == "b.html");
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert_eq!(as_index("[x](../tools/README.md) and README.md"), "[x](../tools/index.md) and README.md");
    }
}
