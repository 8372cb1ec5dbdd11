//! Inline tags, `#tag` and nested `#a/b`, by Obsidian's rules.

use std::collections::HashSet;
use std::ops::Range;

use super::escape::is_hidden;

/// Maximum number of tags that are searched linearly; above it they are hashed.
const MAX_LINEAR_TAGS: usize = 16;

/// Tags found so far, without duplicates, in order.
#[derive(Default)]
pub(super) struct TagCollector {
    found: Vec<String>,
    seen: HashSet<String>,
}

impl TagCollector {
    /// Collects the tags of a run of text. Reads the source rather than the parsed text: tags may
    /// contain `_`, where the parser splits text, and an escaped `#` or one in an entity does not
    /// begin a tag. Skips the byte offsets of comments.
    pub(super) fn find(
        &mut self,
        body: &str,
        run: Range<usize>,
        line_begin: Option<usize>,
        is_comment: impl Fn(usize) -> bool,
    ) {
        let Some(source) = body.get(run.clone()) else { return };
        for (offset, _) in source.match_indices('#') {
            let at = run.start + offset;
            let before = body[..at].chars().next_back();
            let begins =
                before.is_none_or(char::is_whitespace) || (line_begin == Some(at) && before != Some('\\'));
            if begins
                && !is_comment(at)
                && let Some(tag) = tag_at(&body[at + 1..])
            {
                self.add(tag);
            }
        }
    }

    fn add(&mut self, tag: &str) {
        let is_repeated = match self.found.len() {
            ..MAX_LINEAR_TAGS => self.found.iter().any(|found| found == tag),
            MAX_LINEAR_TAGS => {
                self.seen = self.found.iter().cloned().collect();
                self.seen.contains(tag)
            }
            _ => self.seen.contains(tag),
        };
        if !is_repeated {
            self.found.push(tag.to_owned());
            if self.found.len() > MAX_LINEAR_TAGS {
                self.seen.insert(tag.to_owned());
            }
        }
    }

    pub(super) fn finish(self) -> Vec<String> {
        self.found
    }
}

/// Returns the tag after a `#`; `None` if it is empty or a number.
fn tag_at(text: &str) -> Option<&str> {
    let end = text.find(|c| !in_tag(c)).unwrap_or(text.len());
    let tag = text[..end].trim_end_matches('/');
    let has_letter = tag.chars().any(|c| !c.is_numeric());
    (has_letter && !tag.starts_with('/')).then_some(tag)
}

fn in_tag(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    }
    let punctuation = matches!(c, '\u{80}'..='\u{a9}' | '\u{ab}'..='\u{b4}' | '\u{b6}'..='\u{b9}' | '\u{bb}'..='\u{bf}'
        | '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}');
    !(punctuation || c.is_whitespace() || c.is_control() || is_hidden(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_where_its_letters_end_and_is_no_number() {
        let cases = [
            ("net, and", Some("net")),
            ("a/b_c-d.", Some("a/b_c-d")),
            ("größe!", Some("größe")),
            ("日本語、", Some("日本語")),
            ("🚀 go", Some("🚀")),
            ("y1984", Some("y1984")),
            ("a/ b", Some("a")),
            ("1984", None),
            (" heading", None),
            ("#", None),
            ("/x", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(tag_at(text), expected, "{text}");
        }
    }
}
