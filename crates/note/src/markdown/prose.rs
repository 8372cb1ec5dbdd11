//! Finds words in the prose of a body: outside code, links, HTML and comments.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{comment, extensions, nested_too_deep};

/// A piece of running text between code, links and block boundaries. Emphasis does not end it, and
/// a line break in it is a space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseRun {
    /// Text without markup.
    pub text: String,
    /// Byte offsets in `text` and in the body at which its parts begin, ascending.
    parts: Vec<(usize, usize)>,
}

impl ProseRun {
    /// Converts a byte offset of `text` to one of the body.
    pub fn body_offset(&self, at: usize) -> usize {
        let next = self.parts.partition_point(|(start, _)| *start <= at);
        let part = next.checked_sub(1).and_then(|last| self.parts.get(last));
        part.map_or(0, |(start, body)| body + (at - start))
    }

    fn push(&mut self, text: &str, body: usize) {
        self.parts.push((self.text.len(), body));
        self.text.push_str(text);
    }
}

/// Returns the prose of a body, in order. It is empty for a body that is nested too deeply.
///
/// ```
/// use cm_note::markdown::prose::prose;
/// let runs = prose("A *small* word, `code` and [a link](b.md).\n");
/// let texts: Vec<&str> = runs.iter().map(|run| run.text.as_str()).collect();
/// assert_eq!(texts, ["A small word, ", " and ", "."]);
/// ```
pub fn prose(body: &str) -> Vec<ProseRun> {
    if nested_too_deep(body) {
        return Vec::new();
    }
    let (mut runs, mut run) = (Vec::new(), ProseRun::default());
    let (mut inside, mut code) = (0_usize, Vec::new());
    for (event, range) in Parser::new_ext(body, extensions()).into_offset_iter() {
        match event {
            Event::Text(text) if inside == 0 => run.push(&text, range.start),
            Event::SoftBreak | Event::HardBreak if inside == 0 => run.push(" ", range.start),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
            | Event::Text(_) => {}
            event => {
                if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) {
                    code.push(range);
                }
                inside = match event {
                    Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => inside + 1,
                    Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => inside.saturating_sub(1),
                    _ => inside,
                };
                runs.push(std::mem::take(&mut run));
            }
        }
    }
    runs.push(run);
    let comments = comment::ranges(body, &code);
    runs.retain(|run| !run.text.trim().is_empty() && !is_comment(&comments, run));
    runs
}

/// Whether a comment contains the beginning of the run.
fn is_comment(comments: &[Range<usize>], run: &ProseRun) -> bool {
    let start = run.body_offset(0);
    comments.iter().any(|comment| comment.contains(&start))
}

/// Returns the byte ranges in `text` at which `name` stands as whole words, ignoring case; runs of
/// white space count as one space.
///
/// ```
/// use cm_note::markdown::prose::whole_words;
/// assert_eq!(whole_words("The POOL, not pools: pool", "pool"), [4..8, 21..25]);
/// ```
pub fn whole_words(text: &str, name: &str) -> Vec<Range<usize>> {
    let name: Vec<char> = folded(name.trim()).map(|(_, _, c)| c).collect();
    let text: Vec<(usize, usize, char)> = folded(text).collect();
    let is_word = |at: Option<&(usize, usize, char)>| at.is_some_and(|(_, _, c)| c.is_alphanumeric());
    let (Some(first), Some(last)) = (name.first(), name.last()) else { return Vec::new() };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(window) = text.get(at..at + name.len()) {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let goes_on = first.is_alphanumeric() && is_word(before)
            || last.is_alphanumeric() && is_word(text.get(at + name.len()));
        let is_match = window.iter().map(|(_, _, c)| c).eq(&name) && !goes_on;
        if let (true, Some((from, ..)), Some((_, to, _))) = (is_match, window.first(), window.last()) {
            found.push(*from..*to);
            at += name.len();
        } else {
            at += 1;
        }
    }
    found
}

/// Iterates over the characters of a text in lower case, each with the byte range that it comes
/// from; a run of white space is one space.
fn folded(text: &str) -> impl Iterator<Item = (usize, usize, char)> + '_ {
    let mut was_space = false;
    let characters = text.char_indices().filter_map(move |(at, c)| {
        let repeats = c.is_whitespace() && std::mem::replace(&mut was_space, c.is_whitespace());
        was_space = c.is_whitespace();
        (!repeats).then_some((at, if c.is_whitespace() { ' ' } else { c }))
    });
    characters.flat_map(|(at, c)| c.to_lowercase().map(move |lower| (at, at + c.len_utf8(), lower)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(body: &str, name: &str) -> Vec<String> {
        let runs = prose(body);
        let places = runs.iter().flat_map(|run| {
            whole_words(&run.text, name).into_iter().map(|range| {
                let (from, to) = (run.body_offset(range.start), run.body_offset(range.end - 1) + 1);
                body[from..to].to_owned()
            })
        });
        places.collect()
    }

    #[test]
    fn words_in_code_links_html_and_comments_are_no_prose() {
        let body = "Pool `pool` [[pool]] [pool](a.md) <b title=\"pool\">\n\n```\npool\n```\n\n%%\npool\n%%\n\n    pool\n\n<div>\npool\n</div>\n";
        assert_eq!(found(body, "pool"), ["Pool"]);
        assert_eq!(found("https://example.org/pool <https://example.org/pool>", "pool"), ["pool"]);
    }

    #[test]
    fn a_name_is_found_across_emphasis_and_a_line_break() {
        assert_eq!(found("The *connection*\npool is full.", "Connection pool"), ["connection*\npool"]);
        assert_eq!(
            found("- a connection pool\n- connection\n- pool", "connection pool"),
            ["connection pool"]
        );
        assert_eq!(found("connection.\n\npool", "connection pool"), Vec::<String>::new());
    }

    #[test]
    fn only_whole_words_count() {
        for text in ["pools", "whirlpool", "pool2", "poolé"] {
            assert!(whole_words(text, "pool").is_empty(), "{text}");
        }
        assert_eq!(whole_words("(pool) pool-size", "pool"), [1..5, 7..11]);
        let only = |text: &str, name: &str| whole_words(text, name).pop();
        assert_eq!(only("use c++. c", "C++"), Some(4..7));
        assert_eq!(only("a\t  B", "a b"), Some(0..5));
        assert!(whole_words("a", "").is_empty());
    }

    proptest! {
        #[test]
        fn every_place_is_within_the_text(body in "([a-c*`\\[\\]()\n %é-]{0,40}\n?){0,3}", name in "[a-cé ]{1,4}") {
            for run in prose(&body) {
                for range in whole_words(&run.text, &name) {
                    prop_assert!(run.text.get(range.clone()).is_some());
                    prop_assert!(run.body_offset(range.end - 1) < body.len());
                }
            }
        }
    }
}
