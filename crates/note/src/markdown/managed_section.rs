//! A section that cm manages in another program's file, between two marker lines. All other bytes
//! stay unchanged. Markers inside code blocks are ignored.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use cm_text::position::line_and_column;

/// Marker lines of a section that cm maintains within a larger Markdown file.
#[derive(Debug, Clone, Copy)]
pub struct ManagedSection {
    /// The opening line as written.
    pub opening: &'static str,
    /// Whether a line, trimmed, opens a section.
    pub opens: fn(&str) -> bool,
    /// The closing line.
    pub closing: &'static str,
}

/// Error: markers that do not form a pair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnpairedMarker {
    /// Line number, from 1.
    pub line: u32,
    /// Description of the problem.
    pub message: &'static str,
}

impl ManagedSection {
    /// Returns the byte range of the section with its markers; `None` if the file has none.
    ///
    /// # Errors
    /// Returns [`UnpairedMarker`] for a marker without its counterpart, a second section, or nested
    /// sections.
    pub fn find(&self, text: &str) -> Result<Option<Range<usize>>, UnpairedMarker> {
        let marks = self.marks(text);
        let mut open: Option<&SectionMarker> = None;
        let mut found: Option<Range<usize>> = None;
        for mark in &marks {
            let unpaired = |message| Err(UnpairedMarker { line: mark.line, message });
            match (mark.opens, open.take()) {
                (true, Some(_)) => return unpaired("a second begin marker before the end marker"),
                (true, None) if found.is_some() => return unpaired("a second part starts here"),
                (true, None) => open = Some(mark),
                (false, Some(begin)) => found = Some(begin.range.start..mark.range.end),
                (false, None) => {
                    return unpaired("an end marker without a begin marker before it");
                }
            }
        }
        match open {
            Some(SectionMarker { line, .. }) => {
                Err(UnpairedMarker { line: *line, message: "a begin marker without an end marker" })
            }
            None => Ok(found),
        }
    }

    /// Replaces the content of the section, or appends a section at the end. Uses the file's line
    /// breaks.
    ///
    /// # Errors
    /// Returns [`UnpairedMarker`] as [`ManagedSection::find`] does, or if the file ends inside a code block, where
    /// a section cannot be appended.
    pub fn put(&self, text: &str, inner: &str) -> Result<String, UnpairedMarker> {
        let line_break = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let part = format!("{}\n{inner}{}", self.opening, self.closing).replace('\n', line_break);
        let (begin, after) = match self.find(text)? {
            Some(range) => (range.start, format!("{}{part}{}", &text[..range.start], &text[range.end..])),
            None => {
                let gap = match text {
                    "" | "\u{feff}" => "",
                    _ if text.ends_with("\n\n") || text.ends_with("\n\r\n") => "",
                    _ if text.ends_with('\n') => line_break,
                    _ => &format!("{line_break}{line_break}"),
                };
                (text.len() + gap.len(), format!("{text}{gap}{part}{line_break}"))
            }
        };
        let is_found_again = self.find(&after).is_ok_and(|found| found == Some(begin..begin + part.len()));
        if is_found_again { Ok(after) } else { Err(unclosed_code_error(text)) }
    }

    /// The opening line for messages, without the explanation in it.
    pub fn shown_opening(&self) -> String {
        match self.opening.split_once(": ") {
            Some((begin, _)) => format!("{begin} … -->"),
            None => self.opening.to_owned(),
        }
    }

    /// Removes the section; returns the text and whether it had a section. A file with broken
    /// markers stays unchanged.
    pub fn without(&self, text: &str) -> (String, bool) {
        match self.find(text) {
            Ok(Some(range)) => (format!("{}{}", &text[..range.start], &text[range.end..]), true),
            _ => (text.to_owned(), false),
        }
    }

    /// Returns the lines of the section that begin with `- `; empty if the section is missing or
    /// its markers are broken.
    pub fn items<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let Ok(Some(range)) = self.find(text) else { return Vec::new() };
        text[range].lines().map(str::trim_end).filter(|line| line.starts_with("- ")).collect()
    }

    fn marks(&self, text: &str) -> Vec<SectionMarker> {
        let mut marks = Vec::new();
        let mut at = 0;
        for (line, number) in text.split_inclusive('\n').zip(1_u32..) {
            let marker = line.trim_matches(BLANK);
            let start = at + (line.len() - line.trim_start_matches(BLANK).len());
            let opens = (self.opens)(marker);
            if opens || marker == self.closing {
                marks.push(SectionMarker { opens, line: number, range: start..start + marker.len() });
            }
            at += line.len();
        }
        if !marks.is_empty() {
            let code = code(text);
            marks.retain(|mark| !code.iter().any(|block| block.contains(&mark.range.start)));
        }
        marks
    }
}

/// Characters allowed around a marker on its line.
const BLANK: [char; 5] = [' ', '\t', '\r', '\n', '\u{feff}'];

/// An opening or closing marker line, outside of code blocks.
struct SectionMarker {
    opens: bool,
    line: u32,
    range: Range<usize>,
}

/// Returns the ranges of fenced and indented code blocks.
fn code(text: &str) -> Vec<Range<usize>> {
    let blocks = Parser::new_ext(text, Options::empty()).into_offset_iter();
    let code = |(event, range): (Event<'_>, Range<usize>)| {
        matches!(event, Event::Start(Tag::CodeBlock(_))).then_some(range)
    };
    blocks.filter_map(code).collect()
}

fn unclosed_code_error(text: &str) -> UnpairedMarker {
    let open = code(text).last().map_or(0, |block| block.start);
    let (line, _) = line_and_column(text, open);
    UnpairedMarker {
        line,
        message: "a code block starts here and does not end, so it would contain the part",
    }
}
