//! The part of a rule file that holds the memory, between `<!-- MEMORY:START -->` and `<!-- MEMORY:END -->` on lines of their
//! own. All other bytes stay. A marker within a block of code is text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// The line that opens the part.
pub const START: &str = "<!-- MEMORY:START -->";
/// The line that closes it.
pub const END: &str = "<!-- MEMORY:END -->";

/// Markers of which nobody can tell what they enclose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unpaired {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: &'static str,
}

/// Where the part is, from its opening marker to its closing one; `None` where the file has none.
///
/// # Errors
/// A marker without its other half, a second part, or one within another.
pub fn find(text: &str) -> Result<Option<Range<usize>>, Unpaired> {
    if !text.contains("MEMORY:") {
        return Ok(None);
    }
    let code = code(text);
    let mut open: Option<(usize, u32)> = None;
    let mut found: Option<Range<usize>> = None;
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1_u32..) {
        let unpaired = |message| Err(Unpaired { line: number, message });
        let begins = at + (line.len() - line.trim_start_matches([' ', '\t', '\u{feff}']).len());
        let marker = line.trim_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        let is_text = code.iter().any(|block| block.contains(&begins));
        match marker {
            START | END if is_text => {}
            START if open.is_some() => return unpaired("a second start marker stands before the end marker"),
            START if found.is_some() => return unpaired("a second part begins here"),
            START => open = Some((begins, number)),
            END => match open.take() {
                Some((begin, _)) => found = Some(begin..begins + END.len()),
                None => return unpaired("an end marker stands here without a start marker before it"),
            },
            _ => {}
        }
        at += line.len();
    }
    match open {
        Some((_, line)) => {
            Err(Unpaired { line, message: "a start marker stands here without an end marker" })
        }
        None => Ok(found),
    }
}

/// The blocks of code in a text, fenced and indented.
fn code(text: &str) -> Vec<Range<usize>> {
    let blocks = Parser::new_ext(text, Options::empty()).into_offset_iter();
    let code = |(event, range): (Event<'_>, Range<usize>)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => Some(range),
        _ => None,
    };
    blocks.filter_map(code).collect()
}

/// The file with these lines in its part: in place of what was there, else behind all else. Line breaks are the file's own.
///
/// # Errors
/// Those of [`find`], and a file that ends within a block of code, where no part can be put.
pub fn put(text: &str, inner: &str) -> Result<String, Unpaired> {
    let line_break = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let part = format!("{START}\n{inner}{END}").replace('\n', line_break);
    let (begin, after) = match find(text)? {
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
    let stands = find(&after).is_ok_and(|found| found == Some(begin..begin + part.len()));
    if stands { Ok(after) } else { Err(swallowed(text)) }
}

fn swallowed(text: &str) -> Unpaired {
    let open = code(text).last().map_or(0, |block| block.start);
    let line = u32::try_from(text[..open].matches('\n').count()).unwrap_or(u32::MAX - 1) + 1;
    Unpaired { line, message: "a block of code begins here and does not end, and would take the part in" }
}

/// The list items of the part.
pub fn items(text: &str) -> Vec<&str> {
    let Ok(Some(range)) = find(text) else { return Vec::new() };
    text[range].lines().map(str::trim_end).filter(|line| line.starts_with("- ")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_is_put_behind_all_else_and_then_in_its_place() {
        let first = put("\u{feff}# Mine\r\n\r\nText", "- a\n").unwrap();
        assert_eq!(first, format!("\u{feff}# Mine\r\n\r\nText\r\n\r\n{START}\r\n- a\r\n{END}\r\n"));
        let second = put(&format!("{first}More"), "- b\n").unwrap();
        assert!(second.ends_with(&format!("{START}\r\n- b\r\n{END}\r\nMore")), "{second:?}");
        assert_eq!(items(&second), ["- b"]);
        assert_eq!(put(&format!("\u{feff}{START}\n{END}"), "").unwrap(), format!("\u{feff}{START}\n{END}"));
    }

    #[test]
    fn markers_that_enclose_nothing_for_sure_are_refused_with_their_line() {
        for (text, line) in [
            (format!("a\n{START}\nb\n"), 2),
            (format!("{END}\n{START}\n"), 1),
            (format!("{START}\n{START}\n{END}\n{END}\n"), 2),
            (format!("{START}\n{END}\n{START}\n{END}\n"), 3),
            (format!("{START}\n{END}\n{END}\n"), 3),
            (format!("{START}\n```\n{END}\n```\n"), 1),
        ] {
            assert_eq!(put(&text, "").unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn markers_in_code_or_within_a_line_are_text() {
        for text in [
            format!("```md\n{START}\n```\n"),
            format!("~~~~\n{START}\n~~~\n{END}\n~~~~\n"),
            format!("Para\n\n    {START}\n\nEnd\n"),
            format!("- item\n\n  ```\n  {START}\n  ```\n"),
            format!("Write {START} on a line.\n"),
        ] {
            assert_eq!(find(&text), Ok(None), "{text}");
            let after = put(&text, "- a\n").unwrap();
            assert!(after.starts_with(&text));
            assert_eq!(put(&after, "- a\n").unwrap(), after);
        }
    }

    #[test]
    fn a_file_that_ends_within_code_is_refused() {
        assert_eq!(put("# A\n\n```sh\nls\n", "- a\n").unwrap_err().line, 3);
    }

    proptest! {
        #[test]
        fn all_other_bytes_stay(before in "([a-z#>-]{0,6}\r?\n){0,4}", after in "(\r?\n[a-z#>-]{0,6}){0,4}", one in "(- [a-z]{1,5}\n){0,3}") {
            let text = format!("{before}{START}\nold\n{END}{after}");
            let once = put(&text, &one).unwrap();
            prop_assert!(once.starts_with(&before) && once.ends_with(&after));
            prop_assert_eq!(put(&once, &one).unwrap(), once);
            let fresh = put(&before, &one).unwrap();
            prop_assert!(fresh.starts_with(&before));
            prop_assert_eq!(put(&fresh, &one).unwrap(), fresh);
        }

        #[test]
        fn any_file_is_kept_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
            "<!-- MEMORY:START -->", "<!-- MEMORY:END -->", "```", "~~~", "\n", "\r\n", "    ", "- ", "> ", "text", "\u{feff}", "<!--", "-->",
        ]), 0..14)) {
            let text = pieces.concat();
            if let Ok(once) = put(&text, "- a\n") {
                prop_assert_eq!(put(&once, "- a\n").unwrap(), once.clone());
                if let Ok(None) = find(&text) {
                    prop_assert!(once.starts_with(&text));
                }
            }
        }
    }
}
