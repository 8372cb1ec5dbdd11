//! A generated file of the memory, such as CORE.md, cut into parts and entries that an agent can be given singly.

use super::border::{Entry, Part};

/// The parts of a markdown text: each heading begins one, and each paragraph or item of a list is an entry. An item that
/// links to a note stands for it, by the link as it is written. The lines that say when a generated file was written are
/// left out.
#[must_use]
pub fn parts(markdown: &str) -> Vec<Part> {
    let mut parts = vec![Part::default()];
    let mut open = false;
    for line in markdown.lines() {
        let line = line.trim_end();
        if line.starts_with('#') {
            parts.push(Part { heading: Some(line.to_owned()), entries: Vec::new() });
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
                _ => part.entries.push(Entry { id: linked(line).map(str::to_owned), text: line.to_owned() }),
            }
            open = true;
        }
    }
    parts.retain(|part| !part.entries.is_empty());
    parts
}

/// The note that an item links to with its first words, which are its title.
fn linked(item: &str) -> Option<&str> {
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
        assert_eq!(linked("- [An \\](array) of rules](graph/b.md) (x)"), Some("graph/b.md"));
        assert_eq!(linked("Text [a](b.md)"), None);
    }

    proptest! {
        #[test]
        fn no_line_of_a_text_is_lost(lines in prop::collection::vec("(- |# |  )?[a-z]{1,5}|", 0..20)) {
            let parts = parts(&lines.join("\n"));
            let kept: String = parts.iter().flat_map(|part| &part.entries).map(|entry| entry.text.clone() + "\n").collect();
            for line in lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                prop_assert!(kept.lines().any(|one| one == line), "{line}");
            }
        }
    }
}
