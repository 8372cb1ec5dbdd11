//! Finds a section of a note by its heading or by a range of lines.

use std::fmt;

use super::{Heading, outline};
use crate::frontmatter::split::Split;

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// Heading of the section; `None` for a range of lines.
    pub heading: Option<String>,
    /// First and last line in the file, from 1.
    pub lines: (u32, u32),
    /// The lines, including the heading.
    pub text: &'a str,
}

/// Why a section was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionError {
    /// No heading has this text.
    NoHeading {
        wanted: String,
        /// Headings of the note with their lines, in order.
        headings: Vec<(u32, String)>,
    },
    /// Several headings have this text.
    Several { wanted: String, headings: Vec<(u32, String)> },
    /// The range has no line of the body.
    NoLines {
        wanted: String,
        /// First and last line of the body in the file.
        body: (u32, u32),
    },
}

/// Maximum number of headings in a hint.
const MAX_LISTED_HEADINGS: usize = 40;

/// Finds the section that `wanted` names: a heading, with or without `#`, below other headings as in
/// `Fixes > Retry`; or lines of the file, as in `12-40`, `12-` and `12`. Letter case does not
/// matter. A section ends before the next heading of its level or above.
///
/// # Errors
/// No heading, or several, have the text, or the range has no line of the body.
pub fn find<'a>(note: &Split<'a>, wanted: &str) -> Result<Section<'a>, SectionError> {
    let headings = outline(note.body(), note.body_line()).headings;
    let names: Vec<&str> = wanted.split(" > ").map(bare).collect();
    let found: Vec<usize> = (0..headings.len()).filter(|at| is_named(&headings, *at, &names)).collect();
    let listed = |at: &[usize]| {
        at.iter().filter_map(|at| headings.get(*at)).map(shown).take(MAX_LISTED_HEADINGS).collect()
    };
    match found.as_slice() {
        [at] => Ok(below(note, &headings, *at)),
        [] => match range(wanted) {
            Some(lines) => within(note, lines)
                .ok_or_else(|| SectionError::NoLines { wanted: wanted.to_owned(), body: body_lines(note) }),
            None => Err(SectionError::NoHeading {
                wanted: wanted.to_owned(),
                headings: listed(&(0..headings.len()).collect::<Vec<_>>()),
            }),
        },
        several => Err(SectionError::Several { wanted: wanted.to_owned(), headings: listed(several) }),
    }
}

fn bare(name: &str) -> &str {
    name.trim().trim_start_matches('#').trim()
}

/// Whether the last name is that of the heading, and the others are names of headings above it, in
/// order.
fn is_named(headings: &[Heading], at: usize, names: &[&str]) -> bool {
    let is = |heading: &Heading, name: &str| heading.text.to_lowercase() == name.to_lowercase();
    let (Some(heading), Some((last, above))) = (headings.get(at), names.split_last()) else { return false };
    if last.is_empty() || !is(heading, last) {
        return false;
    }
    let mut level = heading.level;
    let mut above = above.iter().rev().peekable();
    for parent in headings.iter().take(at).rev() {
        if parent.level < level {
            level = parent.level;
            if above.peek().is_some_and(|name| is(parent, name)) {
                above.next();
            }
        }
    }
    above.peek().is_none()
}

fn below<'a>(note: &Split<'a>, headings: &[Heading], at: usize) -> Section<'a> {
    let Some(heading) = headings.get(at) else { return Section { heading: None, lines: (0, 0), text: "" } };
    let next = headings.iter().skip(at + 1).find(|next| next.level <= heading.level);
    let last = next.map_or(body_lines(note).1, |next| next.line.saturating_sub(1));
    let found = within(note, (heading.line, last.max(heading.line)));
    let text = found.as_ref().map_or("", |found| found.text);
    Section { heading: Some(heading.text.clone()), lines: (heading.line, last.max(heading.line)), text }
}

/// The lines of a range such as `12-40`, `L12-L40`, `12-` or `12`.
fn range(wanted: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
    match wanted.trim().split_once(['-', '\u{2013}', ':']) {
        None => number(wanted).map(|line| (line, line)),
        Some((from, "")) => number(from).map(|from| (from, u32::MAX)),
        Some((from, to)) => number(from).zip(number(to)),
    }
}

fn body_lines(note: &Split<'_>) -> (u32, u32) {
    let count = u32::try_from(note.body().lines().count()).unwrap_or(u32::MAX);
    (note.body_line(), note.body_line().saturating_add(count).saturating_sub(1))
}

/// The lines of the body within a range of the file; `None` if there are none.
fn within<'a>(note: &Split<'a>, (from, to): (u32, u32)) -> Option<Section<'a>> {
    let (first, last) = body_lines(note);
    let (from, to) = (from.max(first), to.min(last));
    if from > to {
        return None;
    }
    let (mut start, mut end, mut line) = (None, 0, first);
    for piece in note.body().split_inclusive('\n') {
        if line == from {
            start = Some(end);
        }
        end += piece.len();
        if line == to {
            break;
        }
        line += 1;
    }
    Some(Section { heading: None, lines: (from, to), text: note.body().get(start?..end)? })
}

fn shown(heading: &Heading) -> (u32, String) {
    (heading.line, format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text))
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeading { wanted, .. } => write!(f, "the note has no section `{wanted}`"),
            Self::Several { wanted, headings } => {
                write!(f, "the note has {} sections `{wanted}`", headings.len())
            }
            Self::NoLines { wanted, .. } => write!(f, "the note has no lines {wanted}"),
        }
    }
}

impl std::error::Error for SectionError {}

impl SectionError {
    /// What the note has instead: its headings with their lines, or the lines of its body.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHeading { headings, .. } if headings.is_empty() => {
                "the note has no headings; pass lines, as in `1-40`".to_owned()
            }
            Self::NoHeading { headings, .. } | Self::Several { headings, .. } => {
                let lines = headings.iter().map(|(line, heading)| format!("{line}: {heading}"));
                let lines: Vec<String> =
                    std::iter::once("pass one of these headings, or lines".to_owned()).chain(lines).collect();
                lines.join("\n")
            }
            Self::NoLines { body: (first, last), .. } if first > last => "its body is empty".to_owned(),
            Self::NoLines { body: (first, last), .. } => format!("its body has the lines {first} to {last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOTE: &str = "---\nid: a\n---\n\n# Pool\n\nText.\n\n## Fixes\n\nOne.\n\n### Retry\n\nTwo.\n\n## Limits\n\n### Retry\n\nThree.\n";

    fn text(wanted: &str) -> Result<&'static str, SectionError> {
        find(&Split::of(NOTE), wanted).map(|section| section.text)
    }

    #[test]
    fn a_section_reaches_to_the_next_heading_of_its_level_or_above() {
        assert_eq!(text("Fixes"), Ok("## Fixes\n\nOne.\n\n### Retry\n\nTwo.\n\n"));
        assert_eq!(text("## limits"), Ok("## Limits\n\n### Retry\n\nThree.\n"));
        assert_eq!(text("Fixes > Retry"), Ok("### Retry\n\nTwo.\n\n"));
        assert_eq!(text("Pool > Limits > Retry"), Ok("### Retry\n\nThree.\n"));
        let section = find(&Split::of(NOTE), "Fixes").unwrap();
        assert_eq!((section.heading.as_deref(), section.lines), (Some("Fixes"), (9, 16)));
    }

    #[test]
    fn lines_are_those_of_the_file_and_stay_within_the_body() {
        assert_eq!(text("5-7"), Ok("# Pool\n\nText.\n"));
        assert_eq!(text("L7"), Ok("Text.\n"));
        assert_eq!(text("1-5"), Ok("\n# Pool\n"));
        assert_eq!(text("20-"), Ok("\nThree.\n"));
        let error = text("90-99").unwrap_err();
        assert_eq!(error.to_string(), "the note has no lines 90-99");
        assert_eq!(error.hint(), "its body has the lines 4 to 21");
    }

    #[test]
    fn an_unknown_or_ambiguous_heading_is_answered_with_the_headings_of_the_note() {
        let error = text("Costs").unwrap_err();
        assert_eq!(error.to_string(), "the note has no section `Costs`");
        assert!(error.hint().ends_with("\n17: ## Limits\n19: ### Retry"), "{}", error.hint());
        let error = text("Retry").unwrap_err();
        assert_eq!(error.to_string(), "the note has 2 sections `Retry`");
        assert_eq!(error.hint(), "pass one of these headings, or lines\n13: ### Retry\n19: ### Retry");
    }

    proptest! {
        #[test]
        fn every_section_is_a_part_of_the_body(body in "(#{1,3} [ab]\n|\n|word\n|```\n){0,12}", wanted in "[ab]|a > b|[0-9]{1,2}-[0-9]{0,2}") {
            let note = Split::of(&body);
            if let Ok(section) = find(&note, &wanted) {
                prop_assert!(body.contains(section.text));
                let (from, to) = section.lines;
                prop_assert_eq!(section.text.lines().count() as u32, to - from + 1);
            }
        }
    }
}
