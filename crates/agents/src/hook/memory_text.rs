//! Splits a generated file such as `CORE.md` into parts and entries that can be injected
//! separately.

use super::injection::{InjectionEntry, InjectionPart, PartKind};
use cm_note::markdown::escape::link_destination;
use cm_note::path::NotePath;

/// Prefix of the reference when an entry cites a note by id or file name.
const CORE: &str = "core/";

/// Length of a shortened id, in bytes.
const SHORT_ID_BYTES: usize = 8;

/// The note that an entry of CORE.md refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferencedNote {
    /// Path in the vault, decoded.
    Path(String),
    /// Beginning of the ID.
    Id(String),
}

/// Returns the note of a reference; `None` for a link that leads out of the vault, and for other
/// words in the place of an ID.
#[must_use]
pub fn referenced_note(reference: &str) -> Option<ReferencedNote> {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let Some(id) = reference.strip_prefix(CORE) else {
        let path = percent_encoding::percent_decode_str(reference).decode_utf8().ok()?;
        let is_inside = path.ends_with(".md") && !path.contains("://") && !path.starts_with(['/', '.']);
        return is_inside.then(|| ReferencedNote::Path(path.into_owned()));
    };
    let is_rule = id.starts_with("b-") && id.matches('-').count() == 2;
    (is_rule || (id.len() >= SHORT_ID_BYTES && is_hex(id))).then(|| ReferencedNote::Id(id.to_owned()))
}

/// Returns the references under which generated files may list a note.
#[must_use]
pub fn note_references(key: &str, path: &NotePath) -> [String; 4] {
    [
        link_destination(path.as_str()),
        format!("{CORE}{key}"),
        format!("{CORE}{}", key.get(..SHORT_ID_BYTES).unwrap_or(key)),
        format!("{CORE}{}", path.stem()),
    ]
}

/// Splits a Markdown text into parts: each heading starts a part, and each paragraph or list item
/// is an entry. The entry of an item is identified by its link or, without one, by the id at its
/// end. The quoted header of a generated file is left out.
#[must_use]
pub fn parts(markdown: &str) -> Vec<InjectionPart> {
    let core = || InjectionPart { kind: PartKind::Core, ..InjectionPart::default() };
    let mut parts = vec![core()];
    let mut open = false;
    for line in markdown.lines() {
        let line = line.trim_end();
        if line.starts_with('#') {
            parts.push(InjectionPart { heading: Some(line.to_owned()), ..core() });
            open = false;
        } else if line.is_empty() {
            open = false;
        } else if line.starts_with('>') && parts.len() <= 2 && !open {
            // The head of a generated file: of use to people only.
        } else if let Some(part) = parts.last_mut() {
            match part.entries.last_mut() {
                Some(entry) if (open && !begins_item(line)) || line.starts_with([' ', '\t']) => {
                    entry.text.push('\n');
                    entry.text.push_str(line);
                }
                _ => part.entries.push(InjectionEntry {
                    id: entry_reference(line),
                    text: line.to_owned(),
                    relevance: None,
                }),
            }
            open = true;
        }
    }
    parts.retain(|part| !part.entries.is_empty());
    parts
}

/// Returns the note reference of a list item, in one of the forms of [`note_references`].
#[must_use]
pub fn entry_reference(item: &str) -> Option<String> {
    if let Some(link) = link_target(item) {
        return Some(link.to_owned());
    }
    if let Some(inside) = item.strip_prefix("- [[") {
        let target = inside.split(['|', ']']).next().unwrap_or(inside);
        return Some(format!("{CORE}{}", target.rsplit('/').next().unwrap_or(target)));
    }
    let (_, id) = item.strip_prefix("- ")?.strip_suffix('`')?.rsplit_once(" `")?;
    Some(format!("{CORE}{id}"))
}

/// Returns the link target if the item starts with a link.
fn link_target(item: &str) -> Option<&str> {
    let title = item.strip_prefix("- [")?;
    let closes = |(at, _): &(usize, &str)| !title[..*at].ends_with('\\');
    let (at, _) = title.match_indices("](").find(closes)?;
    title[at + 2..].split_once(')').map(|(link, _)| link)
}

fn begins_item(line: &str) -> bool {
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after.len() < line.len() && after.starts_with(['.', ')']);
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_and_paragraphs_are_entries_under_their_heading() {
        let core = "# Core memory\n\n> Written 2026-11-22 by `cm core`; changes by hand are lost.\n> 2 of 9 notes.\n\n\
                    ## Decisions\n\n- [Postgres](a.md): one\n  more line\n- two\n\nA paragraph\nof two lines.\n\n## Empty\n";
        let parts = parts(core);
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].heading.as_deref(), Some("## Decisions"));
        let texts: Vec<&str> = parts[0].entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["- [Postgres](a.md): one\n  more line", "- two", "A paragraph\nof two lines."]);
        let ids: Vec<Option<&str>> = parts[0].entries.iter().map(|entry| entry.id.as_deref()).collect();
        assert_eq!(ids, [Some("a.md"), None, None]);
        assert_eq!(link_target("- [An \\](array) of rules](graph/b.md) (x)"), Some("graph/b.md"));
        assert_eq!(link_target("Text [a](b.md)"), None);
        let path = NotePath::parse("graph/fixes/a b-1a2b3c.md").unwrap();
        let names = note_references("1a2b3c4d-0000-4000-8000-000000000000", &path);
        for item in ["- [A](graph/fixes/a%20b-1a2b3c.md) (x)", "- A (x) `1a2b3c4d`", "- [[a b-1a2b3c|A]] (x)"]
        {
            assert!(entry_reference(item).is_some_and(|id| names.contains(&id)), "{item}");
        }
        assert_eq!(entry_reference("- a `code` word"), None);
        let note_of = |item: &str| referenced_note(&entry_reference(item).unwrap());
        let path = |path: &str| Some(ReferencedNote::Path(path.to_owned()));
        let id = |id: &str| Some(ReferencedNote::Id(id.to_owned()));
        assert_eq!(note_of("- [A](graph/fixes/a%20b.md) (x)"), path("graph/fixes/a b.md"));
        assert_eq!(note_of("- A (x) `1a2b3c4d`"), id("1a2b3c4d"));
        assert_eq!(note_of("- Run it. `b-mt2ssunl-jq6d8j`"), id("b-mt2ssunl-jq6d8j"));
        for other in ["- [A](https://example.org/a.md)", "- [A](../b.md)", "- Run `make`"] {
            assert_eq!(note_of(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_line_of_a_text_is_lost(lines in prop::collection::vec("(- |# |  )?[a-z]{1,5}|", 0..20)) {
            let parts = parts(&lines.join("\n"));
            let texts: String = parts.iter().flat_map(|part| &part.entries).map(|entry| entry.text.clone() + "\n").collect();
            for line in lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                prop_assert!(texts.lines().any(|one| one == line), "{line}");
            }
        }
    }
}
