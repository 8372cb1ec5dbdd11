//! Splits a note into frontmatter and body, byte for byte.
//!
//! Splitting only looks at lines; [`super::parse`] checks the YAML.

use std::ops::Range;

use crate::finding::FindingCode;
use crate::frontmatter::FrontmatterFault;
use cm_text::position::line_and_column;

/// A file's text, split at its frontmatter. The pieces are ranges of the text, so nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split<'a> {
    text: &'a str,
    yaml: Option<Range<usize>>,
    body: usize,
    unclosed: bool,
}

/// Byte-order mark that some editors write first.
pub const BOM: char = '\u{feff}';

impl<'a> Split<'a> {
    /// Splits a text. The frontmatter opens with `---` on the first line and closes with `---` or
    /// `...`; trailing white space and both kinds of line break are allowed.
    pub fn of(text: &'a str) -> Self {
        let start = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let whole = Self { text, yaml: None, body: start, unclosed: false };
        let Some(opening) = line(text, start).filter(|line| is_marker(&text[line.clone()], &["---"])) else {
            return whole;
        };
        if !text[opening.clone()].ends_with('\n') {
            return whole;
        }
        let mut at = opening.end;
        while let Some(line) = line(text, at) {
            if is_marker(&text[line.clone()], &["---", "..."]) {
                return Self { yaml: Some(opening.end..line.start), body: line.end, ..whole };
            }
            at = line.end;
        }
        // A note may begin with a thematic break; only what looks like keys was meant as frontmatter.
        let unclosed = looks_like_keys(&text[opening.end..]);
        Self { unclosed, ..whole }
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The lines between the markers; `None` without frontmatter.
    pub fn yaml(&self) -> Option<&'a str> {
        self.yaml.clone().map(|range| &self.text[range])
    }

    /// Byte range of the lines between the markers.
    pub fn yaml_range(&self) -> Option<Range<usize>> {
        self.yaml.clone()
    }

    /// Line in the file on which the YAML begins, from 1.
    pub fn yaml_line(&self) -> u32 {
        2
    }

    /// The text after the closing line; without frontmatter the whole text, without a byte-order
    /// mark.
    pub fn body(&self) -> &'a str {
        &self.text[self.body..]
    }

    /// Byte offset of the body.
    pub fn body_start(&self) -> usize {
        self.body
    }

    /// Line in the file on which the body begins, from 1.
    pub fn body_line(&self) -> u32 {
        line_and_column(self.text, self.body).0
    }

    /// The line break of the file: that of its first line, or `\n` if the file has no line breaks.
    pub fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// Fault for an opening `---` without a closing one.
    pub fn fault(&self) -> Option<FrontmatterFault> {
        self.unclosed.then(|| FrontmatterFault {
            code: FindingCode::UnclosedFrontmatter,
            line: 1,
            column: 1,
            message: "the frontmatter that opens here is never closed".to_owned(),
            hint: "write a line `---` after its last key".to_owned(),
        })
    }
}

/// Byte range of the line that starts at this offset, with its line break; `None` at the end of the
/// text.
fn line(text: &str, start: usize) -> Option<Range<usize>> {
    if start >= text.len() {
        return None;
    }
    let length = text[start..].find('\n').map_or(text.len() - start, |at| at + 1);
    Some(start..start + length)
}

fn is_marker(line: &str, markers: &[&str]) -> bool {
    let bare = line.strip_suffix('\n').unwrap_or(line);
    let bare = bare.strip_suffix('\r').unwrap_or(bare);
    markers.contains(&bare.trim_end_matches([' ', '\t']))
}

fn looks_like_keys(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| match line.split_once(':') {
        Some((key, rest)) => {
            let plain = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''));
            !key.is_empty() && plain && (rest.is_empty() || rest.starts_with([' ', '\t']))
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(text: &str) -> (Option<&str>, &str) {
        let split = Split::of(text);
        (split.yaml(), split.body())
    }

    #[test]
    fn every_way_of_writing_the_markers_is_accepted() {
        for (text, yaml, body) in [
            ("---\na: 1\n---\nbody", "a: 1\n", "body"),
            ("---\r\na: 1\r\n---\r\nbody\r\n", "a: 1\r\n", "body\r\n"),
            ("\u{feff}---  \na: 1\n--- \t\nbody", "a: 1\n", "body"),
            ("---\na: 1\n...\nbody", "a: 1\n", "body"),
            ("---\n---", "", ""),
            ("---\n---\n", "", ""),
            ("---\na: |\n  ---\n---\n\n---\n", "a: |\n  ---\n", "\n---\n"),
        ] {
            assert_eq!(pieces(text), (Some(yaml), body), "{text:?}");
        }
    }

    #[test]
    fn what_has_no_frontmatter_is_body() {
        for text in ["", "# a", " ---\na: 1\n---\n", "----\na: 1\n---\n", "a\n---\nb: 1\n---\n", "---"] {
            assert_eq!(pieces(text), (None, text), "{text:?}");
            assert_eq!(Split::of(text).fault(), None, "{text:?}");
        }
        assert_eq!(pieces("\u{feff}# a"), (None, "# a"));
    }

    #[test]
    fn an_unclosed_frontmatter_is_told_from_a_thematic_break() {
        let unclosed = Split::of("---\ntitle: a\n\n# Body\n");
        assert_eq!(unclosed.fault().unwrap().code, FindingCode::UnclosedFrontmatter);
        assert_eq!(unclosed.body(), "---\ntitle: a\n\n# Body\n");
        for text in
            ["---\n\n# Title\n", "---\nSee: this, that: other\n".trim_start_matches("---\nSee"), "---\n"]
        {
            assert_eq!(Split::of(text).fault(), None, "{text:?}");
        }
    }

    #[test]
    fn lines_are_counted_in_the_file() {
        let split = Split::of("---\na: 1\nb: 2\n---\nbody\n");
        assert_eq!((split.yaml_line(), split.body_line()), (2, 5));
        assert_eq!(Split::of("# a").body_line(), 1);
    }

    proptest! {
        #[test]
        fn the_pieces_and_the_markers_are_the_whole_text(text in "\u{feff}?(---|\\.\\.\\.|a: 1|[ \t]|\r?\n){0,12}") {
            let split = Split::of(&text);
            prop_assert!(text.ends_with(split.body()));
            if let Some(range) = split.yaml_range() {
                prop_assert!(range.end < split.body_start());
                let closing = text[range.end..split.body_start()].trim();
                prop_assert!(closing == "---" || closing == "...");
            }
        }
    }
}
