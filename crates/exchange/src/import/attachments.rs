//! Attachments that notes use: in links, in HTML and in frontmatter. They keep their place relative
//! to the notes, so that links remain valid.

use std::collections::BTreeSet;

use yaml_serde::Value;

use cm_note::frontmatter::{parse, split::Split};
use cm_note::markdown;
use cm_note::path::NotePath;

/// Those of `attachments` that the notes use, sorted. Each note has a path and a text.
pub fn used<'n>(
    attachments: &[String],
    notes: impl IntoIterator<Item = (&'n NotePath, &'n str)>,
) -> Vec<String> {
    let mut used = BTreeSet::new();
    for (path, text) in notes {
        let split = Split::of(text);
        let mut targets = markdown::attachments(split.body());
        parse::parse(&split).fields.iter().for_each(|field| in_value(&field.value, &mut targets));
        used.extend(targets.iter().filter_map(|target| find(attachments, path, target)));
    }
    used.into_iter().cloned().collect()
}

/// Adds the attachments that a frontmatter value names: a path, a wikilink or a Markdown link.
fn in_value(value: &Value, targets: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(['[', '<']) => targets.extend(markdown::attachments(text)),
        Value::String(text) => targets.extend(markdown::attachments(&format!("[[{text}]]"))),
        Value::Sequence(items) => items.iter().for_each(|item| in_value(item, targets)),
        Value::Mapping(pairs) => pairs.values().for_each(|item| in_value(item, targets)),
        _ => {}
    }
}

/// The file that a link refers to: relative to the note, relative to the folder's root, else the
/// shortest path that ends with the target.
pub fn find<'f>(attachments: &'f [String], from: &NotePath, target: &str) -> Option<&'f String> {
    let has = |path: &str| attachments.iter().find(|attachment| *attachment == path);
    let along = from.resolve(target).and_then(|path| has(path.as_str()));
    let rooted = || has(target.trim_start_matches('/'));
    let by_end = || {
        let end = format!("/{target}").to_lowercase();
        let fits = |attachment: &&String| format!("/{attachment}").to_lowercase().ends_with(&end);
        attachments.iter().filter(fits).min_by_key(|attachment| (attachment.len(), attachment.as_str()))
    };
    along.or_else(rooted).or_else(by_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_file_along_its_path_or_by_the_end_of_it() {
        let attachments =
            ["a/pic.png", "deep/er/pic.png", "files/Paper v1.PDF", "pic.png"].map(str::to_owned);
        let from = NotePath::parse("a/note.md").unwrap();
        for (target, expected) in [
            ("pic.png", Some("a/pic.png")),
            ("../pic.png", Some("pic.png")),
            ("/pic.png", Some("pic.png")),
            ("er/pic.png", Some("deep/er/pic.png")),
            ("paper v1.pdf", Some("files/Paper v1.PDF")),
            ("none.png", None),
        ] {
            assert_eq!(find(&attachments, &from, target).map(String::as_str), expected, "{target}");
        }
    }

    #[test]
    fn links_html_and_frontmatter_use_attachments() {
        let attachments = ["a.png", "b.pdf", "c.png", "d.png", "e.png"].map(str::to_owned);
        let note = NotePath::parse("n.md").unwrap();
        let text = "---\ncover: c.png\nbanner: '[[d.png]]'\n---\n![[a.png|100]] <img src=\"e.png\" width=20>\n\n`b.pdf`\n";
        assert_eq!(used(&attachments, [(&note, text)]), ["a.png", "c.png", "d.png", "e.png"]);
        assert_eq!(used(&attachments, [(&note, "[paper](b.pdf#page=2)")]), ["b.pdf"]);
    }
}
