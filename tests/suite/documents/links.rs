//! Relative links in documents lead to files and headings of the project.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

use super::{pages, root};

/// Documents outside of `docs/`.
const OTHERS: [&str; 4] = ["ARCHITECTURE.md", "BENCHMARKS.md", "CONTRIBUTING.md", "SECURITY.md"];

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut pages = pages();
    pages.extend(OTHERS.map(|name| (name.to_owned(), std::fs::read_to_string(root().join(name)).unwrap())));
    let link = Regex::new(r#"\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)""#).unwrap();
    let (mut broken, mut count) = (Vec::new(), 0);
    for (page, text) in &pages {
        let prose = without_code(text);
        for found in link.captures_iter(&prose) {
            let target = found.get(1).or(found.get(2)).unwrap().as_str();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            if !leads_somewhere(page, target) {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(count > 100, "{count}");
}

#[test]
fn the_contents_of_the_book_name_every_page_once() {
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let link = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let listed: Vec<String> =
        link.captures_iter(&contents).map(|found| format!("docs/{}", &found[1])).collect();
    let mut expected: BTreeSet<String> = pages().into_iter().map(|(page, _)| page).collect();
    expected.remove("README.md");
    expected.remove("docs/SUMMARY.md");
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(listed.len(), expected.len());
}

fn leads_somewhere(page: &str, target: &str) -> bool {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(page).parent().unwrap();
    let file = if path.is_empty() { PathBuf::from(page) } else { normal(&folder.join(path)) };
    let exists = root().join(&file).exists();
    if heading.is_empty() || !exists {
        return exists;
    }
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let headings = without_code(&text);
    headings.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading)
}

/// Resolves `..` without looking at the disk, so that no link may leave the project.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            other => found.push(other),
        }
    }
    found
}

/// Anchor of a heading on hosting sites and in the book.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Blanks fenced blocks and code spans.
fn without_code(text: &str) -> String {
    let fenced = Regex::new(r"(?ms)^```.*?^```$").unwrap();
    let span = Regex::new(r"`[^`\n]+`").unwrap();
    span.replace_all(&fenced.replace_all(text, ""), "`code`").into_owned()
}
